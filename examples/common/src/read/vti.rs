//! VTK's XML images (`.vti`): values as text, base64 or raw bytes, inline or appended, plain or compressed.

use super::planes::Scalar;
use super::{ReadError, Source, Values, checked_points};
use crate::grid::Grid;
use roxmltree::{Document, Node};
use std::io::Read;
use std::path::Path;

/// One file, with what its head says about all of its arrays.
struct Image<'a> {
    path: &'a Path,
    /// The bytes after the underscore in the element `AppendedData`.
    appended: &'a [u8],
    /// Whether those are base64.
    appended_text: bool,
    big_endian: bool,
    /// Bytes of a length.
    header: usize,
    compressor: Option<&'a str>,
}

const REMEDY: &str = "write it again with ParaView or vtkXMLImageDataWriter";

pub(super) fn open(path: &Path, wanted: Option<&str>) -> Result<Source, ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, REMEDY);
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let (head, appended) = split(&bytes);
    let head = String::from_utf8_lossy(&head);
    let document = Document::parse(&head).map_err(|error| malformed(format!("it is not well-formed XML ({error})")))?;
    let root = document.root_element();
    if root.tag_name().name() != "VTKFile" || root.attribute("type") != Some("ImageData") {
        return Err(malformed("it is not a VTK image".into()));
    }
    let child = |name: &str| root.children().find(|node| node.tag_name().name() == name);
    let image = child("ImageData").ok_or_else(|| malformed("the element ImageData is missing".into()))?;
    let file = Image {
        path,
        appended,
        appended_text: child("AppendedData").is_some_and(|node| node.attribute("encoding") != Some("raw")),
        big_endian: root.attribute("byte_order") == Some("BigEndian"),
        header: if root.attribute("header_type") == Some("UInt64") { 8 } else { 4 },
        compressor: root.attribute("compressor").filter(|name| !name.is_empty()),
    };

    let whole = file.extent(image, "WholeExtent")?;
    let shape = lengths(&whole).ok_or_else(|| malformed("the extent is empty or absurd".into()))?;
    let points = checked_points(path, shape)?;
    if points / 1100 > bytes.len() {
        return Err(malformed(format!("its {points} points cannot be in {} bytes", bytes.len())));
    }
    let origin: [f64; 3] = file.numbers(image, "Origin")?.unwrap_or([0.0; 3]);
    let spacing: [f64; 3] = file.numbers(image, "Spacing")?.unwrap_or([1.0; 3]);
    let direction: [f64; 9] = file.numbers(image, "Direction")?.unwrap_or([1., 0., 0., 0., 1., 0., 0., 0., 1.]);
    if [1, 2, 3, 5, 6, 7].iter().any(|&k| direction[k] != 0.0) {
        let remedy = "resample it along its axes first";
        return Err(ReadError::malformed(path, "the image is rotated", remedy));
    }
    let step = [0, 1, 2].map(|axis| spacing[axis] * direction[4 * axis]);
    if step.iter().any(|step| *step == 0.0 || !step.is_finite()) {
        return Err(malformed(format!("the spacing is {} {} {}", spacing[0], spacing[1], spacing[2])));
    }
    let start = [0, 1, 2].map(|axis| origin[axis] + step[axis] * whole[2 * axis] as f64);

    let name = choose(path, image, wanted)?;
    let mut values = Vec::new();
    let pieces: Vec<_> = image.children().filter(|node| node.tag_name().name() == "Piece").collect();
    for piece in &pieces {
        let extent = file.extent(*piece, "Extent")?;
        let inside =
            (0..3).all(|axis| whole[2 * axis] <= extent[2 * axis] && extent[2 * axis + 1] <= whole[2 * axis + 1]);
        let size = lengths(&extent).filter(|_| inside);
        let size = size.ok_or_else(|| malformed("a piece lies outside the image".into()))?;
        let array = arrays(*piece).find(|array| array.attribute("Name").unwrap_or("") == name);
        let array = array.ok_or_else(|| malformed(format!("a piece lacks the array `{name}`")))?;
        let part = file.array(array, size.iter().product())?;
        if pieces.len() == 1 && size == shape {
            values = part;
            break;
        }
        if values.is_empty() {
            values = vec![f32::NAN; points];
        }
        let at = [0, 1, 2].map(|axis| (extent[2 * axis] - whole[2 * axis]) as usize);
        for (row, part) in part.chunks_exact(size[0]).enumerate() {
            let (y, z) = (at[1] + row % size[1], at[2] + row / size[1]);
            let first = (z * shape[1] + y) * shape[0] + at[0];
            values[first..first + size[0]].copy_from_slice(part);
        }
    }
    if values.is_empty() {
        return Err(malformed("it has no piece".into()));
    }
    let grid = Grid::even(shape, start, step);
    Ok(Source { name, units: None, grid, is_ocean: false, values: Values::Loaded(values) })
}

/// The XML without the appended bytes, which need not be text; and those bytes.
fn split(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let find = |from: usize, what: &[u8]| bytes[from..].windows(what.len()).position(|w| w == what).map(|at| from + at);
    let tag = find(0, b"<AppendedData");
    let Some(end) = tag.and_then(|tag| find(tag, b">")).map(|at| at + 1) else {
        return (bytes.to_vec(), &[]);
    };
    let head = [&bytes[..end], b"</AppendedData></VTKFile>"].concat();
    let data = find(end, b"_").map_or(&[][..], |at| &bytes[at + 1..]);
    (head, data)
}

fn lengths(extent: &[i64; 6]) -> Option<[usize; 3]> {
    let length = |axis: usize| extent[2 * axis + 1].checked_sub(extent[2 * axis])?.checked_add(1);
    let length = |axis: usize| usize::try_from(length(axis)?).ok().filter(|&n| n > 0);
    Some([length(0)?, length(1)?, length(2)?])
}

/// The arrays of point values with one component.
fn arrays<'a, 'input>(piece: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    let data = piece.children().filter(|node| node.tag_name().name() == "PointData");
    let arrays = data.flat_map(|node| node.children()).filter(|node| node.tag_name().name() == "DataArray");
    arrays.filter(|array| matches!(array.attribute("NumberOfComponents").map(str::trim), None | Some("1" | "0" | "")))
}

/// The array of that name, or the one that the file marks as its scalars, or the first.
fn choose(path: &Path, image: Node, wanted: Option<&str>) -> Result<String, ReadError> {
    let piece = image.children().find(|node| node.tag_name().name() == "Piece");
    let names: Vec<_> = piece.into_iter().flat_map(arrays).map(|array| array.attribute("Name").unwrap_or("")).collect();
    let marked = piece.and_then(|p| p.children().find(|node| node.tag_name().name() == "PointData"));
    let marked = marked.and_then(|data| data.attribute("Scalars")).filter(|name| names.contains(name));
    match (wanted, names.first()) {
        (_, None) => Err(ReadError::malformed(path, "it has no point array with one component", REMEDY)),
        (None, Some(first)) => Ok(marked.unwrap_or(first).to_owned()),
        (Some(wanted), _) if names.contains(&wanted) => Ok(wanted.to_owned()),
        (Some(wanted), _) => Err(ReadError::malformed(
            path,
            format!("there is no point array `{wanted}` with one component"),
            format!("choose with --variable among {}", names.join(", ")),
        )),
    }
}

impl Image<'_> {
    fn malformed(&self, problem: impl Into<String>) -> ReadError {
        ReadError::malformed(self.path, problem, REMEDY)
    }

    fn truncated(&self) -> ReadError {
        ReadError::Truncated { path: self.path.into(), what: "the array".into() }
    }

    /// An attribute of so many numbers.
    fn numbers<T: std::str::FromStr, const N: usize>(
        &self,
        node: Node,
        name: &str,
    ) -> Result<Option<[T; N]>, ReadError> {
        let Some(text) = node.attribute(name) else {
            return Ok(None);
        };
        let numbers: Option<Vec<T>> = text.split_whitespace().map(|number| number.parse().ok()).collect();
        match numbers.and_then(|numbers| numbers.try_into().ok()) {
            Some(numbers) => Ok(Some(numbers)),
            None => Err(self.malformed(format!("{name} should be {N} numbers and is `{text}`"))),
        }
    }

    fn extent(&self, node: Node, name: &str) -> Result<[i64; 6], ReadError> {
        self.numbers(node, name)?.ok_or_else(|| self.malformed(format!("the attribute {name} is missing")))
    }

    /// The values of one array.
    fn array(&self, array: Node, count: usize) -> Result<Vec<f32>, ReadError> {
        let kind = array.attribute("type").unwrap_or("");
        let scalar = match kind {
            "UInt8" => Scalar::U8,
            "Int8" => Scalar::I8,
            "UInt16" => Scalar::U16,
            "Int16" => Scalar::I16,
            "UInt32" => Scalar::U32,
            "Int32" => Scalar::I32,
            "UInt64" => Scalar::U64,
            "Int64" => Scalar::I64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            other => return Err(self.malformed(format!("`{other}` is no scalar type"))),
        };
        let text = || array.text().unwrap_or("");
        let values: Vec<f32> = match array.attribute("format").unwrap_or("ascii") {
            "ascii" => {
                let values: Option<_> =
                    text().split_whitespace().map(|v| v.parse::<f64>().ok().map(|v| v as f32)).collect();
                values.ok_or_else(|| self.malformed("the array contains what is no number"))?
            }
            format @ ("binary" | "appended") => {
                let is_text = format == "binary" || self.appended_text;
                let stored = if format == "binary" {
                    text().as_bytes()
                } else {
                    let offset = array.attribute("offset").and_then(|offset| offset.trim().parse::<usize>().ok());
                    let offset = offset.ok_or_else(|| self.malformed("an appended array has no offset"))?;
                    self.appended.get(offset..).ok_or_else(|| self.truncated())?
                };
                let bytes = match count.checked_mul(scalar.size()) {
                    Some(wanted) if is_text => self.unpack(&from_base64(stored), wanted)?,
                    Some(wanted) => self.unpack(stored, wanted)?,
                    None => return Err(self.malformed("the array is absurdly long")),
                };
                let mut values = Vec::new();
                scalar.decode(self.big_endian, &bytes, |value| values.push(value as f32));
                values
            }
            other => return Err(self.malformed(format!("`{other}` is no format of an array"))),
        };
        match values.len() {
            found if found == count => Ok(values),
            found if found < count => Err(self.truncated()),
            found => Err(self.malformed(format!("an array has {found} values, and its piece {count} points"))),
        }
    }

    /// The length at the front of `bytes`, and what follows it.
    fn length<'b>(&self, bytes: &'b [u8]) -> Result<(usize, &'b [u8]), ReadError> {
        let (length, rest) = bytes.split_at_checked(self.header).ok_or_else(|| self.truncated())?;
        let mut wide = [0; 8];
        wide[..self.header].copy_from_slice(length);
        if self.big_endian {
            wide[..self.header].reverse();
        }
        let length =
            usize::try_from(u64::from_le_bytes(wide)).map_err(|_| self.malformed("a block is absurdly long"))?;
        Ok((length, rest))
    }

    /// The bytes of an array of which `wanted` are expected, from lengths and perhaps compressed blocks.
    fn unpack(&self, stored: &[u8], wanted: usize) -> Result<Vec<u8>, ReadError> {
        let (first, mut rest) = self.length(stored)?;
        let Some(compressor) = self.compressor else {
            return rest.get(..first).map(<[u8]>::to_vec).ok_or_else(|| self.truncated());
        };
        let block;
        let partial;
        (block, rest) = self.length(rest)?;
        (partial, rest) = self.length(rest)?;
        let mut sizes = Vec::new();
        for _ in 0..first {
            let size;
            (size, rest) = self.length(rest)?;
            sizes.push(size);
        }
        let mut bytes = Vec::new();
        for (k, &size) in sizes.iter().enumerate() {
            let (packed, after) = rest.split_at_checked(size).ok_or_else(|| self.truncated())?;
            rest = after;
            let length = if k + 1 == sizes.len() && partial > 0 { partial } else { block };
            // Neither compressor shrinks data by more, so a length that does not fit is not worth reserving memory for.
            if length / 1100 > packed.len() {
                return Err(self.malformed(format!("block {k} of an array is absurdly long")));
            }
            if bytes.len().saturating_add(length) > wanted {
                return Err(self.malformed("an array is longer than its piece"));
            }
            let before = bytes.len();
            let unpacked = match compressor {
                "vtkZLibDataCompressor" => {
                    let mut decoder = flate2::read::ZlibDecoder::new(packed).take(length as u64);
                    decoder.read_to_end(&mut bytes).map_err(|error| error.to_string())
                }
                "vtkLZ4DataCompressor" => lz4_flex::block::decompress(packed, length)
                    .map(|block| bytes.extend_from_slice(&block))
                    .map(|()| bytes.len() - before)
                    .map_err(|error| error.to_string()),
                other => {
                    let remedy = "write it again with zlib or lz4 compression, or with none";
                    return Err(ReadError::malformed(self.path, format!("its compressor is {other}"), remedy));
                }
            };
            match unpacked {
                Ok(found) if found == length => {}
                Ok(_) => return Err(self.malformed(format!("block {k} of an array is too short"))),
                Err(error) => return Err(self.malformed(format!("block {k} of an array is damaged ({error})"))),
            }
        }
        Ok(bytes)
    }
}

/// The bytes that the base64 text at the front of `text` stands for; several texts, each padded, may follow one
/// another.
fn from_base64(text: &[u8]) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut digits, mut padding) = (0u32, 0, 0);
    for &c in text {
        match digit(c) {
            Some(value) => group = group << 6 | u32::from(value),
            None if c == b'=' => {
                group <<= 6;
                padding += 1;
            }
            None if c.is_ascii_whitespace() => continue,
            None => break,
        }
        digits += 1;
        if digits == 4 {
            bytes.extend_from_slice(&group.to_be_bytes()[1..4 - padding.min(3)]);
            (group, digits, padding) = (0, 0, 0);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn padded_texts_follow_one_another() {
        assert_eq!(super::from_base64(b" aGVs\nbG8= IQ== ?"), b"hello!");
    }
}
