//! NumPy arrays (`.npy`): of one to three dimensions, in the order of C or of Fortran.

use super::planes::{Input, Layout, Scalar, check_length};
use super::{ReadError, Source, Values, checked_points};
use crate::grid::Grid;
use std::io::Read;

const REMEDY: &str = "write numbers with one to three axes, as in numpy.save(path, array.astype('float32'))";

/// The header of an array: the type of its values, its order and its shape.
struct Header {
    /// As NumPy writes it: `<f4`.
    kind: String,
    is_fortran: bool,
    shape: Vec<u64>,
}

/// The text of the header, and where the values begin.
fn text(reader: &mut impl Read) -> Option<(String, u64)> {
    let mut start = [0; 8];
    reader.read_exact(&mut start).ok()?;
    let version = start.strip_prefix(b"\x93NUMPY")?[0];
    let mut length = [0; 4];
    let bytes = if version == 1 { 2 } else { 4 };
    reader.read_exact(&mut length[..bytes]).ok()?;
    let length = u64::from(u32::from_le_bytes(length));
    // A damaged length must not make room for so much.
    let mut text = String::new();
    reader.take(length.min(1 << 20)).read_to_string(&mut text).ok()?;
    (text.len() as u64 == length).then_some((text, 8 + bytes as u64 + length))
}

impl Header {
    /// The header is a dictionary of Python with these three keys, as numpy.lib.format describes it.
    fn parse(text: &str) -> Option<Self> {
        let after = |key: &str| {
            let quoted = ["'", "\""].map(|quote| format!("{quote}{key}{quote}"));
            let (_, rest) = quoted.iter().find_map(|key| text.split_once(key.as_str()))?;
            rest.trim_start().strip_prefix(':').map(str::trim_start)
        };
        let kind = after("descr")?;
        let kind = match kind.chars().next()? {
            quote @ ('\'' | '"') => kind[1..].split(quote).next()?,
            _ => kind.split(']').next()?,
        };
        let (shape, _) = after("shape")?.strip_prefix('(')?.split_once(')')?;
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        Some(Header {
            kind: kind.into(),
            is_fortran: after("fortran_order")?.starts_with("True"),
            shape: axes.map(|axis| axis.trim_end_matches('L').parse().ok()).collect::<Option<_>>()?,
        })
    }
}

pub(super) fn open(input: Input) -> Result<Source, ReadError> {
    let path = input.path().to_owned();
    let malformed = |problem: String| ReadError::malformed(&path, problem, REMEDY);
    let found = text(&mut input.open(0)?).and_then(|(text, offset)| Some((Header::parse(&text)?, offset)));
    let (header, offset) = found.ok_or_else(|| malformed("it is no .npy file, or its header is damaged".into()))?;
    let (scalar, big_endian) =
        scalar(&header.kind).ok_or_else(|| malformed(format!("its values are of the type {}", header.kind)))?;
    let mut shape: Vec<usize> = header.shape.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX)).collect();
    if shape.is_empty() || shape.len() > 3 {
        return Err(malformed(format!("it has {} axes", shape.len())));
    }
    if !header.is_fortran {
        shape.reverse();
    }
    shape.resize(3, 1);
    let shape = [shape[0], shape[1], shape[2]];
    checked_points(&path, shape)?;
    let layout = Layout::plain(offset, scalar, big_endian);
    check_length(&input, &layout, shape[0] * shape[1], shape[2])?;
    Ok(Source {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        units: None,
        grid: Grid::even(shape, [0.0; 3], [1.0; 3]),
        is_ocean: false,
        times: Vec::new(),
        between_times: 0,
        values: Values::Stored(input, layout),
    })
}

/// The type of numbers and whether the most significant byte comes first.
fn scalar(kind: &str) -> Option<(Scalar, bool)> {
    let scalar = match kind.trim_start_matches(['<', '>', '|', '=']) {
        "b1" | "u1" => Scalar::U8,
        "i1" => Scalar::I8,
        "u2" => Scalar::U16,
        "i2" => Scalar::I16,
        "u4" => Scalar::U32,
        "i4" => Scalar::I32,
        "u8" => Scalar::U64,
        "i8" => Scalar::I64,
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        _ => return None,
    };
    Some((scalar, kind.starts_with('>')))
}
