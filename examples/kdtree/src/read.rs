//! Points from files: columns of text, PLY, and the Hipparcos catalogue.

use std::path::{Path, PathBuf};

/// Why points cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refuses.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A line is damaged.
    #[error("{}, line {line}: {problem}; repair the line or remove it", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The file as a whole makes no sense.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        problem: String,
    },
}

/// Where points are, and how bright they are where that is known.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Input {
    /// The places.
    pub at: Vec<[f64; 3]>,
    /// The magnitudes of stars.
    pub magnitude: Vec<f64>,
}

/// Reads a file by its name: `hip2.dat`, `.ply`, or else columns of text.
///
/// # Errors
/// When it cannot be read, or a line is damaged.
pub fn points(path: &Path, columns: &[usize], within: f64) -> Result<Input, ReadError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    if name.ends_with(".ply") {
        return ply(path, &bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    if name.starts_with("hip2") { stars(path, &text, within) } else { text_columns(path, &text, columns) }
}

fn line_error(path: &Path, line: usize, problem: String) -> ReadError {
    ReadError::Line { path: path.into(), line: line + 1, problem }
}

fn number(path: &Path, line: usize, text: &str) -> Result<f64, ReadError> {
    let value = text.trim().parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or_else(|| line_error(path, line, format!("`{}` is no finite number", text.trim())))
}

/// Columns of text, between commas, semicolons or spaces. A first line without numbers is a heading; `#` begins a comment.
fn text_columns(path: &Path, text: &str, columns: &[usize]) -> Result<Input, ReadError> {
    let mut input = Input::default();
    let separates = |c: char| c == ',' || c == ';' || c.is_whitespace();
    for (line, content) in text.lines().enumerate() {
        let content = content.split('#').next().unwrap_or_default().trim();
        let fields: Vec<&str> = content.split(separates).filter(|field| !field.is_empty()).collect();
        let heading = line == 0 && fields.iter().all(|field| field.parse::<f64>().is_err());
        if fields.is_empty() || heading {
            continue;
        }
        let mut at = [0.0; 3];
        for (value, column) in at.iter_mut().zip(columns) {
            let field = fields
                .get(column - 1)
                .ok_or_else(|| line_error(path, line, format!("there is no column {column}, but {}", fields.len())))?;
            *value = number(path, line, field)?;
        }
        input.at.push(at);
    }
    Ok(input)
}

/// Stars of the Hipparcos catalogue (van Leeuwen 2007) within so many parsecs.
fn stars(path: &Path, text: &str, within: f64) -> Result<Input, ReadError> {
    let mut input = Input::default();
    for (line, content) in text.lines().enumerate().filter(|(_, content)| !content.trim().is_empty()) {
        // Right ascension and declination in radians, the parallax in thousandths of an arc second, and the magnitude.
        let field = |from: usize, to: usize| {
            let short = || line_error(path, line, format!("it ends before column {to}"));
            number(path, line, content.get(from - 1..to).ok_or_else(short)?)
        };
        let (ascension, declination, parallax) = (field(16, 28)?, field(30, 42)?, field(44, 50)?);
        let magnitude = field(130, 136)?;
        if parallax > 0.0 && 1000.0 / parallax <= within {
            let distance = 1000.0 / parallax;
            let (sin, cos) = declination.sin_cos();
            input.at.push([distance * cos * ascension.cos(), distance * cos * ascension.sin(), distance * sin]);
            input.magnitude.push(magnitude);
        }
    }
    Ok(input)
}

/// The vertices of a PLY file, written as text or in binary with the least significant byte first.
fn ply(path: &Path, bytes: &[u8]) -> Result<Input, ReadError> {
    let malformed = |problem: &str| ReadError::Malformed { path: path.into(), problem: problem.into() };
    let end = b"end_header\n";
    let header_end = bytes.windows(end.len()).position(|window| window == end);
    let header_end = header_end.ok_or_else(|| malformed("the header has no end; fetch the file again"))?;
    let (header, data) = (String::from_utf8_lossy(&bytes[..header_end]), &bytes[header_end + end.len()..]);
    let (mut vertices, mut properties, mut text, mut before) = (None, Vec::new(), None, false);
    for line in header.lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["format", "ascii", _] => text = Some(true),
            ["format", "binary_little_endian", _] => text = Some(false),
            ["element", "vertex", count] => vertices = count.parse::<usize>().ok(),
            ["element", ..] => before = vertices.is_some(),
            ["property", kind, name] if vertices.is_some() && !before => {
                let size = match *kind {
                    "char" | "uchar" | "int8" | "uint8" => 1,
                    "short" | "ushort" | "int16" | "uint16" => 2,
                    "double" | "float64" => 8,
                    _ => 4,
                };
                properties.push((name.to_string(), size));
            }
            _ => {}
        }
    }
    let vertices = vertices.ok_or_else(|| malformed("it has no vertices"))?;
    let text = text.ok_or_else(|| malformed("of binary files, only little-endian ones are read; convert it"))?;
    let place = |axis: &str| properties.iter().position(|(name, _)| name == axis);
    let places = [place("x"), place("y"), place("z")];
    let [Some(x), Some(y), Some(z)] = places else { return Err(malformed("its vertices have no x, y and z")) };
    let mut input = Input::default();
    if text {
        let (lines, first) = (String::from_utf8_lossy(data), header.lines().count() + 1);
        for (line, content) in lines.lines().enumerate().take(vertices) {
            let fields: Vec<&str> = content.split_whitespace().collect();
            let field = |k: usize| {
                let short = || line_error(path, first + line, "it is too short".into());
                number(path, first + line, fields.get(k).ok_or_else(short)?)
            };
            input.at.push([field(x)?, field(y)?, field(z)?]);
        }
    } else {
        let starts: Vec<usize> =
            properties.iter().scan(0, |at, (_, size)| Some(std::mem::replace(at, *at + size))).collect();
        let row: usize = properties.iter().map(|(_, size)| size).sum();
        for vertex in data.chunks_exact(row.max(1)).take(vertices) {
            let field = |k: usize| {
                let bytes = &vertex[starts[k]..starts[k] + properties[k].1];
                match *bytes {
                    [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                    _ => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
                }
            };
            input.at.push([field(x), field(y), field(z)]);
        }
    }
    if input.at.len() < vertices {
        return Err(malformed("it ends before all vertices; it may have been cut off: fetch it again"));
    }
    if input.at.as_flattened().iter().any(|value| !value.is_finite()) {
        return Err(malformed("a vertex is not finite; remove it"));
    }
    Ok(input)
}
