//! NIfTI-1 and NIfTI-2: medical volumes, often compressed.

use super::planes::{Input, Layout, Scalar, check_length};
use super::{ReadError, Source, Values, checked_points};
use crate::grid::Grid;
use std::io::Read;
use std::path::Path;

/// The header, in the byte order that its first field shows.
struct Header {
    bytes: Vec<u8>,
    big_endian: bool,
}

impl Header {
    fn field<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut field: [u8; N] = self.bytes[at..at + N].try_into().expect("the field lies in the header");
        if self.big_endian {
            field.reverse();
        }
        field
    }

    fn i16(&self, at: usize) -> i16 {
        i16::from_le_bytes(self.field(at))
    }

    fn i32(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.field(at))
    }

    fn i64(&self, at: usize) -> i64 {
        i64::from_le_bytes(self.field(at))
    }

    fn f32(&self, at: usize) -> f64 {
        f64::from(f32::from_le_bytes(self.field(at)))
    }

    fn f64(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.field(at))
    }
}

/// The fields of both versions of the header, in their own places.
struct Facts {
    sizes: Vec<i64>,
    data_type: i16,
    offset: f64,
    slope: f64,
    intercept: f64,
    spacing: [f64; 3],
    placed: bool,
    /// The rows of the matrix that places the points.
    rows: [[f64; 4]; 3],
}

/// The header of one file, and the words for problems with it.
struct Volume<'p> {
    path: &'p Path,
    header: Header,
    is_second: bool,
}

impl Volume<'_> {
    fn malformed(&self, problem: String) -> ReadError {
        malformed(self.path, problem)
    }

    fn facts(&self) -> Facts {
        let header = &self.header;
        if self.is_second {
            Facts {
                sizes: (0..8).map(|k| header.i64(16 + 8 * k)).collect(),
                data_type: header.i16(12),
                offset: header.i64(168) as f64,
                slope: header.f64(176),
                intercept: header.f64(184),
                spacing: [0, 1, 2].map(|k| header.f64(112 + 8 * k)),
                placed: header.i32(348) > 0,
                rows: [0, 1, 2].map(|row| [0, 1, 2, 3].map(|k| header.f64(400 + 32 * row + 8 * k))),
            }
        } else {
            Facts {
                sizes: (0..8).map(|k| i64::from(header.i16(40 + 2 * k))).collect(),
                data_type: header.i16(70),
                offset: header.f32(108),
                slope: header.f32(112),
                intercept: header.f32(116),
                spacing: [0, 1, 2].map(|k| header.f32(80 + 4 * k)),
                placed: header.i16(254) > 0,
                rows: [0, 1, 2].map(|row| [0, 1, 2, 3].map(|k| header.f32(280 + 16 * row + 4 * k))),
            }
        }
    }

    /// How many points there are along each axis. Of a series of volumes, the first is read.
    fn shape(&self, facts: &Facts) -> Result<[usize; 3], ReadError> {
        let dimensions = facts.sizes[0];
        if !(1..=7).contains(&dimensions) {
            return Err(self.malformed(format!("the header states {dimensions} dimensions")));
        }
        let size = |axis: usize| {
            if (axis as i64) < dimensions { facts.sizes[axis + 1] } else { 1 }
        };
        if let Some(axis) = (0..3).find(|&axis| size(axis) < 1) {
            let problem = format!("the header states {} points along dimension {}", size(axis), axis + 1);
            return Err(self.malformed(problem));
        }
        let shape = [0, 1, 2].map(|axis| size(axis) as usize);
        checked_points(self.path, shape)?;
        Ok(shape)
    }

    fn layout(&self, facts: &Facts) -> Result<Layout, ReadError> {
        let scalar = scalar(self.path, facts.data_type)?;
        let least = if self.is_second { 540.0 } else { 348.0 };
        if !(facts.offset >= least && facts.offset < 1e12) {
            return Err(self.malformed(format!("the values are said to begin at byte {}", facts.offset)));
        }
        let mut layout = Layout::plain(facts.offset as u64, scalar, self.header.big_endian);
        if facts.slope != 0.0 && facts.slope.is_finite() && facts.intercept.is_finite() {
            (layout.scale, layout.shift) = (facts.slope, facts.intercept);
        }
        Ok(layout)
    }
}

pub(super) fn open(input: Input) -> Result<Source, ReadError> {
    let path = input.path().to_owned();
    let volume = volume(&input, &path)?;
    let facts = volume.facts();
    let shape = volume.shape(&facts)?;
    let layout = volume.layout(&facts)?;
    check_length(&input, &layout, shape[0] * shape[1], shape[2])?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.trim_end_matches(".gz").trim_end_matches(".nii").to_owned();
    Ok(Source {
        name,
        units: None,
        grid: grid(&facts, shape),
        is_ocean: false,
        times: Vec::new(),
        between_times: 0,
        values: Values::Stored(input, layout),
    })
}

fn malformed(path: &Path, problem: String) -> ReadError {
    ReadError::malformed(path, problem, "check that it is a NIfTI file")
}

/// Reads the header, and finds out which version it is.
fn volume<'p>(input: &Input, path: &'p Path) -> Result<Volume<'p>, ReadError> {
    let mut header = Header { bytes: Vec::new(), big_endian: false };
    let truncated = |source| ReadError::reading(path, "the header", source);
    input.open(0)?.take(540).read_to_end(&mut header.bytes).map_err(truncated)?;
    if header.bytes.len() < 348 {
        return Err(truncated(std::io::ErrorKind::UnexpectedEof.into()));
    }
    header.big_endian = !matches!(header.i32(0), 348 | 540);
    let is_second = match header.i32(0) {
        348 => false,
        540 if header.bytes.len() == 540 => true,
        _ => return Err(malformed(path, "the header does not begin with its size".into())),
    };
    let magic = if is_second { &header.bytes[4..8] } else { &header.bytes[344..348] };
    if magic.starts_with(b"ni") {
        return Err(ReadError::malformed(
            path,
            "the values are in a file of their own (.img)",
            "convert the pair to a single .nii file",
        ));
    }
    if !magic.starts_with(b"n+") {
        return Err(malformed(path, "the header lacks the letters `n+1`".into()));
    }
    Ok(Volume { path, header, is_second })
}

/// The type of the values, by NIfTI's number for it.
fn scalar(path: &Path, data_type: i16) -> Result<Scalar, ReadError> {
    let kind = match data_type {
        2 => return Ok(Scalar::U8),
        4 => return Ok(Scalar::I16),
        8 => return Ok(Scalar::I32),
        16 => return Ok(Scalar::F32),
        64 => return Ok(Scalar::F64),
        256 => return Ok(Scalar::I8),
        512 => return Ok(Scalar::U16),
        768 => return Ok(Scalar::U32),
        1024 => return Ok(Scalar::I64),
        1280 => return Ok(Scalar::U64),
        32 | 1792 | 2048 => "complex numbers",
        128 | 2304 => "colours",
        1536 => "128-bit floating point numbers",
        1 => "single bits",
        _ => "no type that NIfTI defines",
    };
    Err(ReadError::malformed(
        path,
        format!("data type {data_type} is not a scalar this program reads ({kind})"),
        "convert the volume to an integer or to 32- or 64-bit floating point",
    ))
}

/// Where the points lie. A matrix without rotation places them; others would need more than three axes to say where they lie.
fn grid(facts: &Facts, shape: [usize; 3]) -> Grid {
    let diagonal = |row: usize| (0..3).all(|k| (facts.rows[row][k] != 0.0) == (k == row));
    if facts.placed && (0..3).all(diagonal) && facts.rows.as_flattened().iter().all(|x| x.is_finite()) {
        Grid::even(shape, [0, 1, 2].map(|k| facts.rows[k][3]), [0, 1, 2].map(|k| facts.rows[k][k]))
    } else {
        let distance = |d: f64| if d != 0.0 && d.is_finite() { d.abs() } else { 1.0 };
        Grid::even(shape, [0.0; 3], facts.spacing.map(distance))
    }
}
