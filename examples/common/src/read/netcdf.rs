//! NetCDF-3, classic, with 64-bit offsets, and with 64-bit data: gridded data of the earth sciences.
//!
//! Packed values (`scale_factor`, `add_offset`), missing values (`_FillValue`, `missing_value`, and the fill values of
//! the format) and uneven axes (coordinate variables) are understood. Axes that count downwards, such as depths, are
//! negated, so that the mesh is upright.

use super::planes::{Input, Layout, Scalar, check_length};
use super::{ReadError, Source, Values, checked_points};
use crate::grid::{Grid, even, is_monotonic};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads the header's fields one after the other.
struct Parser {
    reader: Box<dyn Read>,
    path: PathBuf,
    /// Whether counts and sizes have 64 bits.
    wide: bool,
}

struct Attribute {
    name: String,
    value: AttributeValue,
}

enum AttributeValue {
    Text(String),
    Numbers(Vec<f64>),
}

struct Variable {
    name: String,
    dimensions: Vec<usize>,
    attributes: Vec<Attribute>,
    /// `None` for characters.
    scalar: Option<Scalar>,
    offset: u64,
}

impl Variable {
    fn number(&self, name: &str) -> Option<f64> {
        self.attributes.iter().find(|a| a.name == name).and_then(|a| match &a.value {
            AttributeValue::Numbers(numbers) => numbers.first().copied(),
            AttributeValue::Text(_) => None,
        })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| a.name == name).and_then(|a| match &a.value {
            AttributeValue::Text(text) => Some(text.trim_end_matches('\0').trim()),
            AttributeValue::Numbers(_) => None,
        })
    }
}

/// One dimension; the record dimension has as many entries as there are records.
struct Dimension {
    name: String,
    length: usize,
    is_record: bool,
}

impl Parser {
    fn malformed(&self, problem: impl Into<String>) -> ReadError {
        ReadError::malformed(&self.path, problem, "check that it is an undamaged NetCDF-3 file")
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes).map_err(|source| ReadError::reading(&self.path, "the header", source))?;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, ReadError> {
        Ok(u32::from_be_bytes(self.bytes()?))
    }

    fn count(&mut self) -> Result<u64, ReadError> {
        if self.wide { Ok(u64::from_be_bytes(self.bytes()?)) } else { Ok(self.u32()?.into()) }
    }

    /// So many bytes and the padding after them; grows with what arrives.
    fn padded(&mut self, length: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        let with_padding = length.checked_next_multiple_of(4).ok_or_else(|| self.malformed("a length is absurd"))?;
        let arrived = (&mut self.reader).take(with_padding).read_to_end(&mut bytes);
        let arrived = arrived.map_err(|source| ReadError::reading(&self.path, "the header", source))?;
        if (arrived as u64) < with_padding {
            return Err(ReadError::Truncated { path: self.path.clone(), what: "the header".into() });
        }
        bytes.truncate(length as usize);
        Ok(bytes)
    }

    fn name(&mut self) -> Result<String, ReadError> {
        let length = self.count()?;
        Ok(String::from_utf8_lossy(&self.padded(length)?).into_owned())
    }

    /// The tag and length of a list; an absent list has length zero.
    fn list(&mut self, tag: u32) -> Result<u64, ReadError> {
        let (found, length) = (self.u32()?, self.count()?);
        match (found, length) {
            (0, 0) => Ok(0),
            _ if found == tag => Ok(length),
            _ => Err(self.malformed(format!("the header has tag {found} where {tag} belongs"))),
        }
    }

    /// A type, and the bytes of one value.
    fn scalar(&mut self) -> Result<(Option<Scalar>, u64), ReadError> {
        let scalar = match self.u32()? {
            1 => Scalar::I8,
            2 => return Ok((None, 1)),
            3 => Scalar::I16,
            4 => Scalar::I32,
            5 => Scalar::F32,
            6 => Scalar::F64,
            7 => Scalar::U8,
            8 => Scalar::U16,
            9 => Scalar::U32,
            10 => Scalar::I64,
            11 => Scalar::U64,
            other => return Err(self.malformed(format!("{other} is no type"))),
        };
        Ok((Some(scalar), scalar.size() as u64))
    }

    fn attributes(&mut self) -> Result<Vec<Attribute>, ReadError> {
        let mut attributes = Vec::new();
        for _ in 0..self.list(12)? {
            let name = self.name()?;
            let (scalar, size) = self.scalar()?;
            let length =
                self.count()?.checked_mul(size).ok_or_else(|| self.malformed("an attribute's length is absurd"))?;
            let bytes = self.padded(length)?;
            let value = match scalar {
                None => AttributeValue::Text(String::from_utf8_lossy(&bytes).into_owned()),
                Some(scalar) => {
                    let mut numbers = Vec::new();
                    scalar.decode(true, &bytes, |number| numbers.push(number));
                    AttributeValue::Numbers(numbers)
                }
            };
            attributes.push(Attribute { name, value });
        }
        Ok(attributes)
    }
}

/// The contents of the header.
struct Contents {
    dimensions: Vec<Dimension>,
    variables: Vec<Variable>,
    /// From one record to the next.
    record_size: u64,
}

fn parse(input: &Input) -> Result<Contents, ReadError> {
    let mut parser = Parser { reader: input.open(0)?, path: input.path().into(), wide: false };
    let [c, d, f, version] = parser.bytes()?;
    let wide_offsets = match (&[c, d, f], version) {
        (b"CDF", 1) => false,
        (b"CDF", 2) => true,
        (b"CDF", 5) => {
            parser.wide = true;
            true
        }
        _ if [c, d, f] == *b"\x89HD" => {
            let remedy = "convert it to NetCDF-3: nccopy -k classic IN OUT";
            return Err(ReadError::malformed(&parser.path, "this is a NetCDF-4 (HDF5) file", remedy));
        }
        _ => return Err(parser.malformed("it does not begin with the letters CDF and version 1, 2 or 5")),
    };
    let records = parser.count()?;
    // A file that is still being written says so with all bits set; its records cannot be counted then.
    let is_streaming = records == if parser.wide { u64::MAX } else { u64::from(u32::MAX) };
    let records = if is_streaming { 1 } else { records };
    let mut dimensions = Vec::new();
    for _ in 0..parser.list(10)? {
        let (name, length) = (parser.name()?, parser.count()?);
        let is_record = length == 0;
        let length = usize::try_from(if is_record { records } else { length });
        let length = length.map_err(|_| parser.malformed(format!("dimension `{name}` is absurdly long")))?;
        dimensions.push(Dimension { name, length, is_record });
    }
    parser.attributes()?;
    let mut variables = Vec::new();
    let (mut record_size, mut record_variables, mut last_exact) = (0u64, 0, 0);
    for _ in 0..parser.list(11)? {
        let name = parser.name()?;
        let mut of = Vec::new();
        let rank = parser.count()?;
        for _ in 0..rank {
            let dimension = parser.count()?;
            match usize::try_from(dimension).ok().filter(|&d| d < dimensions.len()) {
                Some(dimension) => of.push(dimension),
                None => return Err(parser.malformed(format!("variable `{name}` has a dimension that does not exist"))),
            }
        }
        let attributes = parser.attributes()?;
        let (scalar, size) = parser.scalar()?;
        // The stated size is redundant, and wrong for large variables.
        parser.count()?;
        let offset = if wide_offsets { u64::from_be_bytes(parser.bytes()?) } else { parser.u32()?.into() };
        if of.first().is_some_and(|&d| dimensions[d].is_record) {
            let lengths = of[1..].iter().map(|&d| dimensions[d].length as u64);
            let exact = lengths.fold(size, u64::saturating_mul);
            record_size = record_size.saturating_add(exact.checked_next_multiple_of(4).unwrap_or(u64::MAX));
            record_variables += 1;
            last_exact = exact;
        }
        variables.push(Variable { name, dimensions: of, attributes, scalar, offset });
    }
    if record_variables == 1 {
        // The records of a single variable are not padded.
        record_size = last_exact;
    }
    Ok(Contents { dimensions, variables, record_size })
}

pub(super) fn open(input: Input, wanted: Option<&str>) -> Result<Source, ReadError> {
    let contents = parse(&input)?;
    let path = input.path().to_owned();
    let variable = choose(&path, &contents, wanted)?;
    let Contents { dimensions, record_size, .. } = &contents;
    let [z, y, x] = *variable.dimensions.last_chunk::<3>().expect("a variable with three dimensions was chosen");
    let shape = [x, y, z].map(|d| dimensions[d].length);
    checked_points(&path, shape)?;

    let scalar = variable.scalar.expect("a numeric variable was chosen");
    let mut layout = Layout::plain(variable.offset, scalar, true);
    layout.scale = variable.number("scale_factor").unwrap_or(1.0);
    layout.shift = variable.number("add_offset").unwrap_or(0.0);
    let fill = variable.number("_FillValue").or_else(|| default_fill(scalar));
    layout.missing = fill.into_iter().chain(variable.number("missing_value")).collect();
    // Only the slowest dimension can be that of records.
    layout.stride = (variable.dimensions.len() == 3 && dimensions[z].is_record).then_some(*record_size);
    check_length(&input, &layout, shape[0] * shape[1], shape[2])?;
    let (times, between_times) = times(&input, &contents, variable, &layout, shape)?;

    let mut axes = [Vec::new(), Vec::new(), Vec::new()];
    for (axis, dimension) in [x, y, z].into_iter().enumerate() {
        axes[axis] = coordinates(&input, &contents, dimension)?;
    }
    let unit =
        |d: usize| contents.variables.iter().find(|v| v.name == dimensions[d].name).and_then(|v| v.text("units"));
    let is_degrees = |d: usize| unit(d).is_some_and(|unit| unit.to_lowercase().starts_with("degree"));
    let is_ocean = is_degrees(x) && is_degrees(y) && axes[2].len() > 1 && axes[2].iter().all(|&z| z <= 0.0);
    Ok(Source {
        name: variable.name.clone(),
        units: variable.text("units").map(str::to_owned),
        grid: Grid { axes },
        is_ocean,
        times,
        between_times,
        values: Values::Stored(input, layout),
    })
}

/// The times of a variable with four dimensions, and the bytes from the values at one to those at the next.
fn times(
    input: &Input,
    contents: &Contents,
    variable: &Variable,
    layout: &Layout,
    shape: [usize; 3],
) -> Result<(Vec<f64>, u64), ReadError> {
    let [time, _, _, _] = variable.dimensions[..] else { return Ok((Vec::new(), 0)) };
    let size = shape.iter().product::<usize>() as u64 * layout.scalar.size() as u64;
    let between = if contents.dimensions[time].is_record { contents.record_size } else { size };
    // The volumes lie one behind the other, as planes do.
    let volumes = Layout { stride: Some(between), ..layout.clone() };
    let Dimension { name, length, .. } = &contents.dimensions[time];
    check_length(input, &volumes, shape.iter().product(), *length)?;
    // The length of a gzip stream shows only at its end.
    const MOST: usize = 1 << 20;
    if *length > MOST {
        let problem = format!("the dimension `{name}` is said to have {length} entries");
        return Err(ReadError::malformed(input.path(), problem, "the header seems damaged: fetch the file again"));
    }
    Ok((numbers_along(input, contents, time)?, between))
}

/// The variable of that name, or the first that can be contoured.
fn choose<'a>(path: &Path, contents: &'a Contents, wanted: Option<&str>) -> Result<&'a Variable, ReadError> {
    let suits = |v: &&Variable| v.scalar.is_some() && v.dimensions.len() >= 3;
    let described = |v: &Variable| {
        let lengths: Vec<_> = v.dimensions.iter().map(|&d| contents.dimensions[d].length.to_string()).collect();
        format!("{} ({})", v.name, lengths.join(" x "))
    };
    let suitable: Vec<_> = contents.variables.iter().filter(suits).map(described).collect();
    let remedy = if suitable.is_empty() {
        "it has no numeric variable with three dimensions or more".to_owned()
    } else {
        format!("choose with --variable among {}", suitable.join(", "))
    };
    match wanted {
        None => {
            let mut candidates = contents.variables.iter().filter(suits);
            candidates.next().ok_or_else(|| ReadError::malformed(path, "there is nothing to contour", remedy))
        }
        Some(name) => match contents.variables.iter().find(|v| v.name == name) {
            Some(variable) if suits(&variable) => Ok(variable),
            Some(_) => Err(ReadError::malformed(path, format!("the variable `{name}` is not a volume"), remedy)),
            None => Err(ReadError::malformed(path, format!("there is no variable `{name}`"), remedy)),
        },
    }
}

/// The coordinates along a dimension, which rise or fall.
fn coordinates(input: &Input, contents: &Contents, dimension: usize) -> Result<Vec<f64>, ReadError> {
    let values = numbers_along(input, contents, dimension)?;
    if is_monotonic(&values) {
        return Ok(values);
    }
    let problem = format!("the coordinates `{}` neither rise nor fall throughout", contents.dimensions[dimension].name);
    Err(ReadError::malformed(input.path(), problem, "repair the axis, or remove the coordinate variable"))
}

/// The numbers of the variable that is called like a dimension, or 0, 1, 2 and so on.
fn numbers_along(input: &Input, contents: &Contents, dimension: usize) -> Result<Vec<f64>, ReadError> {
    let Dimension { name, length, is_record } = &contents.dimensions[dimension];
    let of_this = |v: &&Variable| v.name == *name && v.dimensions == [dimension];
    let Some((variable, scalar)) = contents.variables.iter().find(of_this).and_then(|v| Some((v, v.scalar?))) else {
        return Ok(even(0.0, 1.0, *length));
    };
    let mut layout = Layout::plain(variable.offset, scalar, true);
    layout.stride = is_record.then_some(contents.record_size);
    // A coordinate is read as a plane with one value if records lie between them, or else all as one plane.
    let (plane, planes) = if *is_record { (1, *length) } else { (*length, 1) };
    check_length(input, &layout, plane, planes)?;
    let mut values = Vec::new();
    let stride = layout.stride.unwrap_or(0);
    for at in 0..planes as u64 {
        let what = format!("the axis `{name}`");
        let error = |source| ReadError::reading(input.path(), &what, source);
        let size = plane.saturating_mul(scalar.size()) as u64;
        let mut bytes = Vec::new();
        let offset = layout.offset.saturating_add(at.saturating_mul(stride));
        let arrived = input.open(offset)?.take(size).read_to_end(&mut bytes).map_err(error)?;
        if (arrived as u64) < size {
            return Err(error(std::io::ErrorKind::UnexpectedEof.into()));
        }
        scalar.decode(true, &bytes, |value| values.push(value));
    }
    let (scale, shift) = (variable.number("scale_factor"), variable.number("add_offset"));
    let is_down = variable.text("positive").is_some_and(|p| p.eq_ignore_ascii_case("down"))
        || (variable.text("positive").is_none() && name.to_lowercase().starts_with("depth"));
    let sign = if is_down && values.iter().all(|&v| v >= 0.0) { -1.0 } else { 1.0 };
    for value in &mut values {
        // Adding zero turns a negative zero into a positive one.
        *value = sign * (*value * scale.unwrap_or(1.0) + shift.unwrap_or(0.0)) + 0.0;
    }
    Ok(values)
}

/// The value of elements that were never written.
fn default_fill(scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::I8 | Scalar::U8 => None,
        Scalar::I16 => Some(-32767.0),
        Scalar::U16 => Some(65535.0),
        Scalar::I32 => Some(-2147483647.0),
        Scalar::U32 => Some(4294967295.0),
        Scalar::I64 => Some(-9223372036854775806.0),
        Scalar::U64 => Some(18446744073709551614.0),
        Scalar::F32 => Some(f64::from(9.969_21e36_f32)),
        Scalar::F64 => Some(9.969_209_968_386_869e36),
    }
}
