//! Reading volumes, a slab of planes at a time, and [meshes](mesh()) of cells.
//!
//! NetCDF-3, NIfTI, NumPy and raw files differ in their headers only. After it, each says where the planes lie and how their
//! scalars are written. [`planes`] reads them, without touching the rest of the file if it can seek. VTK images have
//! pieces, which may be compressed in blocks. A part of them is read without the other blocks, unless the file is text.

mod legacy;
mod mesh;
pub mod netcdf;
pub mod nifti;
mod npy;
mod pieces;
pub mod planes;
pub mod raw;
mod surfaces;
pub mod vti;
mod vtp;
mod vtu;
mod xml;

pub use mesh::mesh;

use crate::grid::{Grid, is_monotonic};
use planes::{Input, Layout};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a volume cannot be read: the file, what is wrong with it and what to do about it.
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
    /// The file ends too early.
    #[error("{}: the file ends before {what} is complete; it may have been cut off: fetch it again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The incomplete part.
        what: String,
    },
    /// The mesh in the file makes no sense.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// The problem.
        source: crate::cells::MeshError,
    },
    /// The file, or what is asked of it, makes no sense.
    #[error("{}: {problem}; {remedy}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: String,
    },
}

impl ReadError {
    fn malformed(path: &Path, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        ReadError::Malformed { path: path.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// From an error of the reader: an early end is told from a refusal.
    fn reading(path: &Path, what: &str, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::UnexpectedEof => ReadError::Truncated { path: path.into(), what: what.into() },
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => ReadError::malformed(
                path,
                format!("the compressed data are damaged ({source})"),
                "fetch the file again",
            ),
            _ => ReadError::Io { path: path.into(), source },
        }
    }
}

/// A volume whose header has been read, and whose values can be.
#[derive(Debug)]
pub struct Source {
    /// The name of the values: the variable's name, or the file's.
    pub name: String,
    /// The unit of the values, where the file states it.
    pub units: Option<String>,
    /// Where the points lie.
    pub grid: Grid,
    /// Whether the axes are degrees and a depth, as those of an ocean: a picture then has to stretch the depth.
    pub is_ocean: bool,
    /// The times at which the file has the values, where it has them at several: a dimension of NetCDF before that of the planes. Empty
    /// otherwise.
    pub times: Vec<f64>,
    /// From the values at one time to those at the next, in bytes.
    between_times: u64,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Stored(Input, Layout),
    Pieces(PathBuf, Vec<pieces::Piece>),
    Loaded(Vec<f32>),
    Formula(fn([f64; 3]) -> f32),
}

/// How to read a file.
#[derive(Debug, Default)]
pub struct Choice<'a> {
    /// The variable or array to read; the first suitable one without.
    pub variable: Option<&'a str>,
    /// The contents of a file without a header.
    pub raw: Option<&'a raw::Raw>,
}

impl Source {
    /// Reads the header of a file, whose format its name tells, or `choice.raw`.
    ///
    /// # Errors
    /// When the file cannot be read, is malformed or of an unknown format, or lacks the variable.
    pub fn open(path: &Path, choice: &Choice) -> Result<Self, ReadError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let input = Input::File { path: path.into(), gzip: name.ends_with(".gz") };
        let source = if let Some(raw) = choice.raw {
            raw::open(input, raw)
        } else if name.ends_with(".nii") || name.ends_with(".nii.gz") {
            nifti::open(input)
        } else if name.ends_with(".nc") || name.ends_with(".nc.gz") || name.ends_with(".cdf") {
            netcdf::open(input, choice.variable)
        } else if name.ends_with(".npy") {
            npy::open(input)
        } else if name.ends_with(".vti") {
            vti::open(path, choice.variable)
        } else {
            Err(ReadError::malformed(
                path,
                "the name does not tell the format",
                "use .nc, .nii, .nii.gz, .npy or .vti, or describe the values with --raw, as in --raw 256x256x108:i16le",
            ))
        }?;
        if source.grid.axes.iter().all(|axis| is_monotonic(axis)) {
            Ok(source)
        } else {
            let problem = "the points of the grid do not lie apart: origin or spacing are absurd";
            Err(ReadError::malformed(path, problem, "repair them in the header"))
        }
    }

    /// The sample that comes with the program: annual mean temperatures of the world ocean.
    ///
    /// # Errors
    /// When the variable is not in it.
    pub fn sample(variable: Option<&str>) -> Result<Self, ReadError> {
        const OCEAN: &[u8] = include_bytes!("../data/levitus_temp.nc");
        netcdf::open(Input::Memory { name: "levitus_temp.nc", bytes: OCEAN }, variable)
    }

    /// A volume whose values a formula gives, from the coordinates of each point.
    pub fn formula(name: &str, grid: Grid, value: fn([f64; 3]) -> f32) -> Self {
        Source {
            name: name.to_owned(),
            units: None,
            grid,
            is_ocean: false,
            times: Vec::new(),
            between_times: 0,
            values: Values::Formula(value),
        }
    }

    /// The values of the planes `z`, linearised: see [`part`](Self::part).
    ///
    /// # Errors
    /// As [`part`](Self::part).
    ///
    /// # Panics
    /// When the volume does not have these planes.
    pub fn planes(&self, z: Range<usize>, progress: &mut dyn FnMut(f64)) -> Result<Vec<f32>, ReadError> {
        let [nx, ny, _] = self.grid.shape();
        self.part([0..nx, 0..ny, z], progress)
    }

    /// The values of a part of the volume, linearised, missing ones as NaN; infinite ones too, since no point of a surface can be
    /// placed beside them. The function calls `progress` with the share that is done. If the file has several times, these
    /// are the values at the first one.
    ///
    /// # Errors
    /// When the file cannot be read or ends too early.
    ///
    /// # Panics
    /// When the volume does not have such a part.
    pub fn part(&self, part: [Range<usize>; 3], progress: &mut dyn FnMut(f64)) -> Result<Vec<f32>, ReadError> {
        self.part_at(0, part, progress)
    }

    /// The same at one of the [`times`](Self::times), by its number.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    ///
    /// # Panics
    /// When the volume does not have such a part or such a time.
    pub fn part_at(
        &self,
        time: usize,
        part: [Range<usize>; 3],
        progress: &mut dyn FnMut(f64),
    ) -> Result<Vec<f32>, ReadError> {
        assert!(time < self.times.len().max(1), "the time {time} of a volume with {} times", self.times.len());
        let shape = self.grid.shape();
        for (range, count) in part.iter().zip(shape) {
            assert!(range.start <= range.end && range.end <= count, "the part {part:?} of a volume of {shape:?}");
        }
        let [nx, ny, _] = shape;
        let [x, y, z] = part.clone();
        let rows = || z.clone().flat_map(|z| y.clone().map(move |y| (y, z)));
        let mut values = match &self.values {
            Values::Stored(input, layout) => {
                let offset = layout.offset.saturating_add(self.between_times.saturating_mul(time as u64));
                planes::read(input, &Layout { offset, ..layout.clone() }, [nx, ny], part, progress)?
            }
            Values::Pieces(path, pieces) => pieces::read(path, pieces, &part, progress)?,
            Values::Loaded(values) => {
                let row = |(y, z): (usize, usize)| &values[(z * ny + y) * nx..][x.clone()];
                rows().flat_map(row).copied().collect()
            }
            Values::Formula(value) => {
                let [xs, ys, zs] = &self.grid.axes;
                rows().flat_map(|(y, z)| x.clone().map(move |x| value([xs[x], ys[y], zs[z]]))).collect()
            }
        };
        values.iter_mut().filter(|value| value.is_infinite()).for_each(|value| *value = f32::NAN);
        Ok(values)
    }
}

/// The number of points, unless it is absurd.
fn checked_points(path: &Path, shape: [usize; 3]) -> Result<usize, ReadError> {
    const MOST: usize = 1 << 40;
    let points = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n)).filter(|&points| points <= MOST);
    let [nx, ny, nz] = shape;
    match points {
        Some(0) => {
            Err(ReadError::malformed(path, format!("the volume is empty ({nx} x {ny} x {nz})"), "check its size"))
        }
        Some(points) => Ok(points),
        None => Err(ReadError::malformed(
            path,
            format!("the volume is said to have {nx} x {ny} x {nz} points"),
            "the header seems damaged: fetch the file again",
        )),
    }
}
