//! Files without a header: `256x256x108:i16le`.

use super::planes::{Input, Layout, Scalar, check_length};
use super::{ReadError, Source, Values, checked_points};
use crate::grid::Grid;
use std::str::FromStr;

/// The contents of a file without a header.
#[derive(Debug, Clone, PartialEq)]
pub struct Raw {
    /// Points along x, y and z.
    pub shape: [usize; 3],
    /// The type of the values.
    pub scalar: Scalar,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The distance of neighbours along x, y and z.
    pub spacing: [f64; 3],
    /// How many bytes come before the first value.
    pub offset: u64,
}

impl FromStr for Raw {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let help = || {
            format!(
                "`{text}` is not of the form XxYxZ:TYPE, as in 256x256x108:i16le; \
                 TYPE is u8, i8, or u16, i16, u32, i32, u64, i64, f32, f64 followed by le or be"
            )
        };
        let (shape, scalar) = text.split_once(':').ok_or_else(help)?;
        let shape: Vec<usize> = shape.split('x').map(|n| n.parse().map_err(|_| help())).collect::<Result<_, _>>()?;
        let shape = <[usize; 3]>::try_from(shape).map_err(|_| help())?;
        let (scalar, big_endian) = match (scalar.strip_suffix("le"), scalar.strip_suffix("be")) {
            (Some(scalar), _) => (scalar, false),
            (_, Some(scalar)) => (scalar, true),
            // The order of bytes does not matter where there is only one.
            _ if scalar == "u8" || scalar == "i8" => (scalar, false),
            _ => return Err(help()),
        };
        let scalar = match scalar {
            "u8" => Scalar::U8,
            "i8" => Scalar::I8,
            "u16" => Scalar::U16,
            "i16" => Scalar::I16,
            "u32" => Scalar::U32,
            "i32" => Scalar::I32,
            "u64" => Scalar::U64,
            "i64" => Scalar::I64,
            "f32" => Scalar::F32,
            "f64" => Scalar::F64,
            _ => return Err(help()),
        };
        Ok(Raw { shape, scalar, big_endian, spacing: [1.0; 3], offset: 0 })
    }
}

pub(super) fn open(input: Input, raw: &Raw) -> Result<Source, ReadError> {
    let path = input.path().to_owned();
    checked_points(&path, raw.shape)?;
    let layout = Layout::plain(raw.offset, raw.scalar, raw.big_endian);
    check_length(&input, &layout, raw.shape[0] * raw.shape[1], raw.shape[2])?;
    Ok(Source {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        units: None,
        grid: Grid::even(raw.shape, [0.0; 3], raw.spacing),
        is_ocean: false,
        times: Vec::new(),
        between_times: 0,
        values: Values::Stored(input, layout),
    })
}
