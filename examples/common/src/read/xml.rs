//! VTK's XML files: arrays as text, base64 or raw bytes, inline or appended, plain or compressed.

use super::ReadError;
use super::pieces::{Blocks, Compressor, Packed};
use super::planes::Scalar;
use roxmltree::Node;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// One file, with what its head says about all of its arrays.
pub(super) struct File<'a> {
    path: &'a Path,
    remedy: &'static str,
    /// The bytes after the underscore in the element `AppendedData`.
    appended: &'a [u8],
    /// Whether those are base64.
    appended_text: bool,
    big_endian: bool,
    /// Bytes of a length.
    header: usize,
    compressor: Option<String>,
}

/// The XML without the appended bytes, which need not be text; and those bytes.
pub(super) fn split(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let find = |from: usize, what: &[u8]| bytes[from..].windows(what.len()).position(|w| w == what).map(|at| from + at);
    let tag = find(0, b"<AppendedData");
    let Some(end) = tag.and_then(|tag| find(tag, b">")).map(|at| at + 1) else {
        return (bytes.to_vec(), &[]);
    };
    let head = [&bytes[..end], b"</AppendedData></VTKFile>"].concat();
    let data = find(end, b"_").map_or(&[][..], |at| &bytes[at + 1..]);
    (head, data)
}

/// The XML up to the appended bytes, and where these begin in the file, if there are any: only this part of the file is read.
pub(super) fn head(path: &Path) -> io::Result<(Vec<u8>, Option<u64>)> {
    let mut reader = std::fs::File::open(path)?;
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        (&mut reader).take(1 << 16).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() - before < 1 << 16;
        // The tag may begin in one part and end in the next.
        let from = before.saturating_sub(1 << 12);
        if is_whole || bytes[from..].windows(13).any(|tag| tag == b"<AppendedData") {
            let (head, data) = split(&bytes);
            let found = bytes.len() - data.len();
            if is_whole || !data.is_empty() {
                return Ok((head, (!data.is_empty()).then_some(found as u64)));
            }
        }
    }
}

impl<'a> File<'a> {
    /// A file of a type, with what that is called, from its root element and its appended bytes; and the element that describes the data. `remedy` tells how to
    /// get a better file.
    pub(super) fn of<'d>(
        path: &'a Path,
        root: Node<'d, 'd>,
        appended: &'a [u8],
        [kind, called]: [&str; 2],
        remedy: &'static str,
    ) -> Result<(Self, Node<'d, 'd>), ReadError> {
        let malformed = |problem: String| ReadError::malformed(path, problem, remedy);
        if root.tag_name().name() != "VTKFile" || root.attribute("type") != Some(kind) {
            return Err(malformed(format!("it is not a VTK {called}")));
        }
        let child = |name: &str| root.children().find(|node| node.tag_name().name() == name);
        let data = child(kind).ok_or_else(|| malformed(format!("the element {kind} is missing")))?;
        let file = File {
            path,
            remedy,
            appended,
            appended_text: child("AppendedData").is_some_and(|node| node.attribute("encoding") != Some("raw")),
            big_endian: root.attribute("byte_order") == Some("BigEndian"),
            header: if root.attribute("header_type") == Some("UInt64") { 8 } else { 4 },
            compressor: root.attribute("compressor").filter(|name| !name.is_empty()).map(str::to_owned),
        };
        Ok((file, data))
    }

    pub(super) fn malformed(&self, problem: impl Into<String>) -> ReadError {
        ReadError::malformed(self.path, problem, self.remedy)
    }

    fn truncated(&self) -> ReadError {
        ReadError::Truncated { path: self.path.into(), what: "the array".into() }
    }

    /// An attribute of so many numbers.
    pub(super) fn numbers<T: std::str::FromStr, const N: usize>(
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

    fn scalar(&self, array: Node) -> Result<Scalar, ReadError> {
        Ok(match array.attribute("type").unwrap_or("") {
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
        })
    }

    fn offset(&self, array: Node) -> Result<usize, ReadError> {
        let offset = array.attribute("offset").and_then(|offset| offset.trim().parse::<usize>().ok());
        offset.ok_or_else(|| self.malformed("an appended array has no offset"))
    }

    fn compressor(&self) -> Result<Option<Compressor>, ReadError> {
        match self.compressor.as_deref() {
            None => Ok(None),
            Some("vtkZLibDataCompressor") => Ok(Some(Compressor::ZLib)),
            Some("vtkLZ4DataCompressor") => Ok(Some(Compressor::Lz4)),
            Some(other) => {
                let remedy = "write it again with zlib or lz4 compression, or with none";
                Err(ReadError::malformed(self.path, format!("its compressor is {other}"), remedy))
            }
        }
    }

    /// Whether the bytes of an array are in the file as they are, so that parts of it can be read.
    pub(super) fn is_apart(&self, array: Node) -> bool {
        array.attribute("format") == Some("appended") && !self.appended_text
    }

    /// Where an array of so many values is in a file whose appended bytes begin at `data`: this reads only lengths.
    pub(super) fn locate(
        &self,
        array: Node,
        count: usize,
        data: u64,
        input: &mut std::fs::File,
    ) -> Result<Packed, ReadError> {
        let scalar = self.scalar(array)?;
        let failed = |source| ReadError::reading(self.path, "the array", source);
        let wanted = count.checked_mul(scalar.size()).ok_or_else(|| self.malformed("the array is absurdly long"))?;
        let file_length = input.metadata().map_err(failed)?.len();
        let begin = data.saturating_add(self.offset(array)? as u64);
        input.seek(SeekFrom::Start(begin)).map_err(failed)?;
        let mut lengths = |count: usize| -> Result<Vec<usize>, ReadError> {
            if count as u64 > file_length {
                return Err(self.truncated());
            }
            let mut bytes = vec![0; count * self.header];
            input.read_exact(&mut bytes).map_err(failed)?;
            let mut rest = &bytes[..];
            let mut lengths = Vec::new();
            for _ in 0..count {
                let length;
                (length, rest) = self.length(rest)?;
                lengths.push(length);
            }
            Ok(lengths)
        };
        let (blocks, end) = match self.compressor()? {
            None => {
                let length = lengths(1)?[0];
                self.check_length(length, wanted, scalar)?;
                let first = begin + self.header as u64;
                (Blocks::Plain(first), first.saturating_add(length as u64))
            }
            Some(compressor) => {
                let [blocks, block, partial] = lengths(3)?[..] else { return Err(self.truncated()) };
                let last = if partial > 0 { partial } else { block };
                let length = blocks.saturating_sub(1).saturating_mul(block).saturating_add(last.min(blocks * last));
                self.check_length(length, wanted, scalar)?;
                let sizes = lengths(blocks)?;
                let mut starts = vec![begin + ((3 + blocks) * self.header) as u64];
                for (number, size) in sizes.into_iter().enumerate() {
                    // No compressor shrinks data by more, so a length that does not fit is not worth reserving memory for.
                    if block.max(last) / 1100 > size {
                        return Err(self.malformed(format!("block {number} of an array is absurdly long")));
                    }
                    starts.push(starts[number].saturating_add(size as u64));
                }
                let end = starts[blocks];
                (Blocks::Compressed { compressor, block, starts }, end)
            }
        };
        if end > file_length {
            return Err(self.truncated());
        }
        Ok(Packed { scalar, big_endian: self.big_endian, bytes: wanted, blocks })
    }

    fn check_length(&self, length: usize, wanted: usize, scalar: Scalar) -> Result<(), ReadError> {
        match length {
            _ if length == wanted => Ok(()),
            _ if length < wanted => Err(self.truncated()),
            _ => {
                let [found, count] = [length, wanted].map(|bytes| bytes / scalar.size());
                Err(self.malformed(format!("an array has {found} values, and its piece {count}")))
            }
        }
    }

    /// The values of one array.
    pub(super) fn array(&self, array: Node, count: usize) -> Result<Vec<f64>, ReadError> {
        let scalar = self.scalar(array)?;
        let text = || array.text().unwrap_or("");
        let values: Vec<f64> = match array.attribute("format").unwrap_or("ascii") {
            "ascii" => {
                let values: Option<_> = text().split_whitespace().map(|v| v.parse::<f64>().ok()).collect();
                values.ok_or_else(|| self.malformed("the array contains what is no number"))?
            }
            format @ ("binary" | "appended") => {
                let is_text = format == "binary" || self.appended_text;
                let stored = if format == "binary" {
                    text().as_bytes()
                } else {
                    self.appended.get(self.offset(array)?..).ok_or_else(|| self.truncated())?
                };
                let bytes = match count.checked_mul(scalar.size()) {
                    Some(wanted) if is_text => self.unpack(&from_base64(stored), wanted)?,
                    Some(wanted) => self.unpack(stored, wanted)?,
                    None => return Err(self.malformed("the array is absurdly long")),
                };
                let mut values = Vec::new();
                scalar.decode(self.big_endian, &bytes, |value| values.push(value));
                values
            }
            other => return Err(self.malformed(format!("`{other}` is no format of an array"))),
        };
        match values.len() {
            found if found == count => Ok(values),
            found if found < count => Err(self.truncated()),
            found => Err(self.malformed(format!("an array has {found} values, and its piece {count}"))),
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

    /// The bytes of an array with `wanted` expected bytes, from lengths and perhaps compressed blocks.
    fn unpack(&self, stored: &[u8], wanted: usize) -> Result<Vec<u8>, ReadError> {
        let (first, mut rest) = self.length(stored)?;
        let Some(compressor) = self.compressor()? else {
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
            compressor.unpack(packed, length, &mut bytes).map_err(|why| self.malformed(why.of_block(k)))?;
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
