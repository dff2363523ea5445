//! Planes of scalars in a file, in memory or in a gzip stream.

use super::ReadError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Where the bytes are.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file, perhaps compressed.
    File {
        /// Its path.
        path: PathBuf,
        /// Whether it is a gzip stream.
        gzip: bool,
    },
    /// Bytes that are part of the program.
    Memory {
        /// Their name in messages.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
}

impl Input {
    /// Its name in messages.
    pub fn path(&self) -> &Path {
        match self {
            Input::File { path, .. } => path,
            Input::Memory { name, .. } => Path::new(name),
        }
    }

    /// The bytes from `offset` on.
    ///
    /// # Errors
    /// When the file cannot be read, or a stream ends before `offset`.
    pub fn open(&self, offset: u64) -> Result<Box<dyn Read>, ReadError> {
        let error = |source| ReadError::reading(self.path(), "the header", source);
        match self {
            Input::Memory { bytes, .. } => {
                let mut reader = Cursor::new(*bytes);
                reader.set_position(offset);
                Ok(Box::new(reader))
            }
            Input::File { path, gzip } => {
                let mut file = File::open(path).map_err(error)?;
                if *gzip {
                    let mut reader = BufReader::with_capacity(1 << 16, MultiGzDecoder::new(BufReader::new(file)));
                    let skipped =
                        std::io::copy(&mut (&mut reader).take(offset), &mut std::io::sink()).map_err(error)?;
                    if skipped < offset {
                        return Err(error(std::io::ErrorKind::UnexpectedEof.into()));
                    }
                    Ok(Box::new(reader))
                } else {
                    file.seek(SeekFrom::Start(offset)).map_err(error)?;
                    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
                }
            }
        }
    }

    /// The bytes, if it can seek in them.
    fn seekable(&self) -> Result<Option<Box<dyn Seekable>>, ReadError> {
        match self {
            Input::Memory { bytes, .. } => Ok(Some(Box::new(Cursor::new(*bytes)))),
            Input::File { gzip: true, .. } => Ok(None),
            Input::File { path, gzip: false } => match File::open(path) {
                Ok(file) => Ok(Some(Box::new(file))),
                Err(source) => Err(ReadError::Io { path: path.clone(), source }),
            },
        }
    }

    /// How many bytes there are, where that is known without reading them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn length(&self) -> Result<Option<u64>, ReadError> {
        match self {
            Input::Memory { bytes, .. } => Ok(Some(bytes.len() as u64)),
            Input::File { gzip: true, .. } => Ok(None),
            Input::File { path, gzip: false } => match std::fs::metadata(path) {
                Ok(metadata) => Ok(Some(metadata.len())),
                Err(source) => Err(ReadError::Io { path: path.clone(), source }),
            },
        }
    }
}

trait Seekable: Read + Seek {}

impl<R: Read + Seek> Seekable for R {}

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 64 bits.
    I64,
    /// Floating point, 32 bits.
    F32,
    /// Floating point, 64 bits.
    F64,
}

impl Scalar {
    /// Bytes of one value.
    pub fn size(self) -> usize {
        match self {
            Scalar::U8 | Scalar::I8 => 1,
            Scalar::U16 | Scalar::I16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
            Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
        }
    }

    /// Turns bytes into values, which `each` gets in order.
    pub fn decode(self, big_endian: bool, bytes: &[u8], mut each: impl FnMut(f64)) {
        macro_rules! decode {
            ($type:ty) => {
                for value in bytes.as_chunks::<{ size_of::<$type>() }>().0 {
                    let value =
                        if big_endian { <$type>::from_be_bytes(*value) } else { <$type>::from_le_bytes(*value) };
                    each(value as f64);
                }
            };
        }
        match self {
            Scalar::U8 => decode!(u8),
            Scalar::I8 => decode!(i8),
            Scalar::U16 => decode!(u16),
            Scalar::I16 => decode!(i16),
            Scalar::U32 => decode!(u32),
            Scalar::I32 => decode!(i32),
            Scalar::U64 => decode!(u64),
            Scalar::I64 => decode!(i64),
            Scalar::F32 => decode!(f32),
            Scalar::F64 => decode!(f64),
        }
    }
}

/// Where the planes lie and how their values are written.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Where the first plane begins.
    pub offset: u64,
    /// From the beginning of one plane to that of the next, if that is not the size of a plane.
    pub stride: Option<u64>,
    /// The type of the values.
    pub scalar: Scalar,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The factor of a stored value.
    pub scale: f64,
    /// The number that is then added.
    pub shift: f64,
    /// The stored values that mean that there is none.
    pub missing: Vec<f64>,
}

impl Layout {
    /// Values as they are.
    pub fn plain(offset: u64, scalar: Scalar, big_endian: bool) -> Self {
        Layout { offset, stride: None, scalar, big_endian, scale: 1.0, shift: 0.0, missing: Vec::new() }
    }

    /// Appends the values of some bytes.
    fn decode(&self, bytes: &[u8], values: &mut Vec<f32>) {
        self.scalar.decode(self.big_endian, bytes, |value| {
            let is_missing = self.missing.contains(&value);
            values.push(if is_missing { f32::NAN } else { (value * self.scale + self.shift) as f32 });
        });
    }
}

/// Fails when the file is too short for so many planes; the length of a gzip stream shows only at its end.
pub(super) fn check_length(input: &Input, layout: &Layout, plane: usize, planes: usize) -> Result<(), ReadError> {
    let size = plane as u128 * layout.scalar.size() as u128;
    let stride = layout.stride.map_or(size, u128::from);
    let needed = u128::from(layout.offset) + stride * (planes as u128).saturating_sub(1) + size;
    match input.length()? {
        Some(length) if u128::from(length) < needed => Err(ReadError::Truncated {
            path: input.path().into(),
            what: format!("the volume ({needed} bytes with the header, and the file has {length})"),
        }),
        _ => Ok(()),
    }
}

/// The values of a part of a volume whose planes have so many points along x and y.
pub(super) fn read(
    input: &Input,
    layout: &Layout,
    [nx, ny]: [usize; 2],
    part: [Range<usize>; 3],
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<f32>, ReadError> {
    if part.iter().any(Range::is_empty) {
        return Ok(Vec::new());
    }
    if (part[0].len() < nx || part[1].len() < ny)
        && let Some(reader) = input.seekable()?
    {
        return rows(input.path(), reader, layout, [nx, ny], part, progress);
    }
    let [x, y, z] = part;
    let (width, size) = (layout.scalar.size(), nx * ny * layout.scalar.size());
    let stride = layout.stride.unwrap_or(size as u64);
    let mut values = Vec::new();
    let mut reader = input.open(layout.offset.saturating_add(stride.saturating_mul(z.start as u64)))?;
    let mut bytes = Vec::new();
    for (done, at) in z.clone().enumerate() {
        let what = format!("plane {at}");
        let error = |source| ReadError::reading(input.path(), &what, source);
        if done > 0 && stride > size as u64 {
            std::io::copy(&mut (&mut reader).take(stride - size as u64), &mut std::io::sink()).map_err(error)?;
        }
        // The buffer grows with what arrives, so that a damaged header cannot make it huge.
        bytes.clear();
        let arrived = (&mut reader).take(size as u64).read_to_end(&mut bytes).map_err(error)?;
        if arrived < size {
            return Err(error(std::io::ErrorKind::UnexpectedEof.into()));
        }
        values.reserve(x.len() * y.len());
        // Whole rows lie one after the other.
        let (rows, length) = if x.len() == nx { (1, nx * y.len()) } else { (y.len(), x.len()) };
        for row in 0..rows {
            let start = ((y.start + row) * nx + x.start) * width;
            layout.decode(&bytes[start..start + length * width], &mut values);
        }
        progress((done + 1) as f64 / z.len() as f64);
    }
    Ok(values)
}

/// The same without the rest of the planes.
fn rows(
    path: &Path,
    mut reader: Box<dyn Seekable>,
    layout: &Layout,
    [nx, ny]: [usize; 2],
    [x, y, z]: [Range<usize>; 3],
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<f32>, ReadError> {
    // Less than this is not worth a call of the system to skip it.
    const SKIPPED: usize = 1 << 14;
    let width = layout.scalar.size();
    let stride = layout.stride.unwrap_or((nx * ny * width) as u64);
    let apart = (nx - x.len()) * width;
    let (runs, length) = match apart {
        0..SKIPPED => (1, (y.len() - 1) * nx + x.len()),
        _ => (y.len(), x.len()),
    };
    let (mut values, mut bytes) = (Vec::new(), vec![0; length * width]);
    for (done, plane) in z.clone().enumerate() {
        let what = format!("plane {plane}");
        let error = |source| ReadError::reading(path, &what, source);
        for run in 0..runs {
            let first = ((y.start + run) * nx + x.start) * width;
            let at = stride.saturating_mul(plane as u64).saturating_add(first as u64);
            reader.seek(SeekFrom::Start(layout.offset.saturating_add(at))).map_err(error)?;
            reader.read_exact(&mut bytes).map_err(error)?;
            bytes.chunks(nx * width).for_each(|row| layout.decode(&row[..x.len() * width], &mut values));
        }
        progress((done + 1) as f64 / z.len() as f64);
    }
    Ok(values)
}
