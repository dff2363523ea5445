//! A volume in shares, and the options that say which.

use crate::grid::Grid;
use crate::progress;
use crate::read::raw::Raw;
use crate::read::{Choice, ReadError, Source};
use clap::Args;
use forall::DistVec;
use std::path::PathBuf;

/// The options of examples that read a volume.
#[derive(Debug, Args)]
pub struct VolumeOptions {
    /// Volume to read: NetCDF-3 (.nc), NIfTI (.nii, .nii.gz), NumPy (.npy), VTK image (.vti), or anything with --raw
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Variable or array to read [default: the first that is a volume]
    #[arg(long, value_name = "NAME", conflicts_with = "raw")]
    pub variable: Option<String>,

    /// Shape and type of a file without a header, as in 256x256x108:i16le
    #[arg(long, value_name = "XxYxZ:TYPE", requires = "input")]
    pub raw: Option<Raw>,

    /// Distance of neighbouring points of a raw file
    #[arg(long, value_name = "X,Y,Z", requires = "raw", value_parser = spacing, default_value = "1,1,1")]
    pub spacing: Spacing,

    /// Bytes before the first value of a raw file
    #[arg(long, value_name = "BYTES", requires = "raw", default_value_t = 0)]
    pub offset: u64,
}

/// A distance along each axis.
#[derive(Debug, Clone, Copy)]
pub struct Spacing(pub [f64; 3]);

fn spacing(text: &str) -> Result<Spacing, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok()) {
        Some(spacing) if spacing.iter().all(|d| d.is_finite() && *d > 0.0) => Ok(Spacing(spacing)),
        _ => Err("give three positive distances, as in 1,1,1.5".into()),
    }
}

/// A volume whose planes are distributed over the ranks.
#[derive(Debug)]
pub struct Volume {
    /// Where it is from, for people.
    pub input: String,
    /// The name of the values.
    pub name: String,
    /// Their unit after a blank, where it is known.
    pub units: String,
    /// Where the points lie.
    pub grid: Grid,
    /// The values, x fastest: `values[(z * ny + y) * nx + x]`. Missing ones are NaN.
    pub values: DistVec<f32>,
    /// Whether the axes are degrees and a depth, as those of an ocean: a picture then has to stretch the depth.
    pub is_ocean: bool,
}

impl VolumeOptions {
    /// The volume that the options name, without `--input` the sample of the ocean.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open(&self) -> Result<Source, ReadError> {
        let raw = self.raw.clone().map(|raw| Raw { spacing: self.spacing.0, offset: self.offset, ..raw });
        match &self.input {
            Some(path) => Source::open(path, &Choice { variable: self.variable.as_deref(), raw: raw.as_ref() }),
            None => Source::sample(self.variable.as_deref()),
        }
    }

    /// Where the volume is from, for people.
    pub fn origin(&self) -> String {
        self.input.as_ref().map_or("ocean sample".into(), |path| path.display().to_string())
    }

    /// Reads the volume. Every rank reads its own planes.
    ///
    /// # Errors
    /// As [`Source::open`] and [`Source::planes`].
    pub fn read(&self) -> Result<Volume, ReadError> {
        let source = self.open()?;
        let values = planes(&source)?;
        Ok(Volume {
            input: self.origin(),
            units: source.units.as_ref().map_or(String::new(), |units| format!(" {units}")),
            name: source.name,
            grid: source.grid,
            values,
            is_ocean: source.is_ocean,
        })
    }
}

/// The values of a volume in shares of whole planes: every rank reads its own.
///
/// # Errors
/// As [`Source::planes`].
pub fn planes(source: &Source) -> Result<DistVec<f32>, ReadError> {
    let [nx, ny, nz] = source.grid.shape();
    let slab = progress::part("reading", |progress| source.planes(forall::share(nz), progress))?;
    Ok(DistVec::from_local(slab).in_planes(nx * ny))
}
