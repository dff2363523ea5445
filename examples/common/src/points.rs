//! Points from files: columns of text, PLY, the Hipparcos catalogue, and the corners of meshes.

use crate::read;
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
        /// The problem.
        problem: String,
    },
    /// The mesh in the file cannot be read.
    #[error(transparent)]
    Mesh(#[from] read::ReadError),
    /// The file as a whole makes no sense.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem, and the remedy.
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

/// Reads a file by its name: `hip2.dat`, `.ply`, a mesh, or else columns of text.
///
/// # Errors
/// When it cannot be read, or a line is damaged.
pub fn points(path: &Path, columns: &[usize], within: f64) -> Result<Input, ReadError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    if [".vtu", ".vtp", ".vtk", ".vti", ".off", ".stl", ".obj"].iter().any(|end| name.ends_with(end)) {
        let at = read::mesh(path, None)?.points.into_iter().map(|point| point.map(f64::from)).collect();
        return Ok(Input { at, magnitude: Vec::new() });
    }
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

/// A kind of number in a PLY file: how many bytes it has, and its value.
type PlyKind = (usize, fn(&[u8]) -> f64);

/// The kind of this name.
fn ply_kind(name: &str) -> Option<PlyKind> {
    fn value<const N: usize>(bytes: &[u8], of: impl Fn([u8; N]) -> f64) -> f64 {
        bytes.try_into().map_or(f64::NAN, of)
    }
    Some(match name {
        "char" | "int8" => (1, |bytes| value(bytes, |[byte]| f64::from(byte as i8))),
        "uchar" | "uint8" => (1, |bytes| value(bytes, |[byte]| f64::from(byte))),
        "short" | "int16" => (2, |bytes| value(bytes, |bytes| i16::from_le_bytes(bytes).into())),
        "ushort" | "uint16" => (2, |bytes| value(bytes, |bytes| u16::from_le_bytes(bytes).into())),
        "int" | "int32" => (4, |bytes| value(bytes, |bytes| i32::from_le_bytes(bytes).into())),
        "uint" | "uint32" => (4, |bytes| value(bytes, |bytes| u32::from_le_bytes(bytes).into())),
        "float" | "float32" => (4, |bytes| value(bytes, |bytes| f32::from_le_bytes(bytes).into())),
        "double" | "float64" => (8, |bytes| value(bytes, f64::from_le_bytes)),
        _ => return None,
    })
}

/// The vertices in the header of a PLY file.
struct PlyHeader {
    vertices: usize,
    text: bool,
    properties: Vec<(String, PlyKind)>,
}

impl PlyHeader {
    /// Reads the lines of a header; else says what is wrong, and what to do.
    fn of(header: &str) -> Result<PlyHeader, String> {
        let (mut vertices, mut properties, mut text, mut after) = (None, Vec::new(), None, false);
        if header.lines().next().map(str::trim) != Some("ply") {
            return Err("it does not begin as PLY files do; is it one?".into());
        }
        for line in header.lines().skip(1) {
            match line.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["format", "ascii", _] => text = Some(true),
                ["format", "binary_little_endian", _] => text = Some(false),
                ["element", "vertex", count] => {
                    let count = count.parse::<usize>();
                    vertices =
                        Some(count.map_err(|_| format!("`{line}` has no number of vertices; fetch the file again"))?);
                }
                ["element", _, "0"] if vertices.is_none() => {}
                ["element", name, ..] => {
                    after = vertices.is_some();
                    if !after {
                        return Err(format!("`{name}` comes before the vertices; write these first"));
                    }
                }
                ["property", kind, name] if vertices.is_some() && !after => {
                    let kind = ply_kind(kind)
                        .ok_or_else(|| format!("`{line}`: `{kind}` is no kind of number of PLY files"))?;
                    properties.push((name.to_string(), kind));
                }
                ["property", "list", ..] if vertices.is_some() && !after => {
                    return Err(format!("`{line}`: vertices with lists are not read; write them without"));
                }
                _ => {}
            }
        }
        Ok(PlyHeader {
            vertices: vertices.ok_or("it has no vertices")?,
            text: text.ok_or("of binary files, only little-endian ones are read; convert it")?,
            properties,
        })
    }
}

/// The vertices of a PLY file, written as text or in binary with the least significant byte first.
fn ply(path: &Path, bytes: &[u8]) -> Result<Input, ReadError> {
    let malformed = |problem: &str| ReadError::Malformed { path: path.into(), problem: problem.into() };
    let ends = |end: &[u8]| bytes.windows(end.len()).position(|window| window == end).map(|at| (at, at + end.len()));
    let end = ends(b"end_header\n").or_else(|| ends(b"end_header\r\n"));
    let (header_end, data) = end.ok_or_else(|| malformed("the header has no end; fetch the file again"))?;
    let (header, data) = (String::from_utf8_lossy(&bytes[..header_end]), &bytes[data..]);
    let PlyHeader { vertices, text, properties } = PlyHeader::of(&header).map_err(|problem| malformed(&problem))?;
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
        let sizes = || properties.iter().map(|(_, (size, _))| size);
        let starts: Vec<usize> = sizes().scan(0, |at, size| Some(std::mem::replace(at, *at + size))).collect();
        let row: usize = sizes().sum();
        for vertex in data.chunks_exact(row.max(1)).take(vertices) {
            let field = |k: usize| {
                let (size, value) = properties[k].1;
                value(&vertex[starts[k]..starts[k] + size])
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
