//! Fields to choose from: a formula, and files.

use crate::axis::{Axis, AxisError};
use forall_examples::grid::even;
use forall_examples::read::{Choice, ReadError, Source};
use std::f64::consts::{PI, TAU};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why a field cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    /// A component cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The components lie on different grids.
    #[error("{}: `{first}` and `{other}` have different grids; give components of one field with --variable", path.display())]
    Grids {
        /// The file.
        path: PathBuf,
        /// A component.
        first: String,
        /// One on another grid.
        other: String,
    },
    /// The grid has no cells along an axis, or cannot be periodic.
    #[error("{}: the axis {axis} {error}", path.display())]
    Axis {
        /// The file.
        path: PathBuf,
        /// Which axis.
        axis: &'static str,
        /// Why.
        error: AxisError,
    },
    /// The field does not change with time.
    #[error("{}: `{variable}` has values at one time only, and pathlines need several: give a NetCDF file whose variables have the dimensions time, z, y and x, or leave out --pathlines", path.display())]
    Steady {
        /// The file.
        path: PathBuf,
        /// A component.
        variable: String,
    },
}

/// A field, whose samples can be read.
#[derive(Debug)]
pub struct Field {
    /// Where it is from, for people.
    pub origin: String,
    /// The axes of space.
    pub axes: [Axis; 3],
    /// The times of the samples, if it changes with time.
    pub times: Option<Axis>,
    samples: Samples,
}

#[derive(Debug)]
enum Samples {
    Abc {
        /// The coordinates of the points, the same along each axis.
        points: Vec<f64>,
        times: Vec<f64>,
    },
    Files {
        components: Box<[Source; 3]>,
        /// The axes that fall in the file.
        falls: [bool; 3],
    },
}

/// The times at which the field of the formula is sampled, over a period of 2.
const TIMES: usize = 32;

/// The flow of Arnold, Beltrami and Childress, with coefficients for which its lines are chaotic in part of the domain (Dombre et al., J. Fluid
/// Mech. 167, 1986). If it changes with time, the first coefficient swings around its mean.
fn abc([x, y, z]: [f64; 3], time: f64) -> [f32; 3] {
    let (a, b, c) = (3_f64.sqrt() + 0.5 * (PI * time).sin(), 2_f64.sqrt(), 1.0);
    [a * z.sin() + c * y.cos(), b * x.sin() + a * z.cos(), c * y.sin() + b * x.cos()].map(|v| v as f32)
}

impl Field {
    /// The ABC flow, sampled with so many cells along each side of a cube of side 2 pi.
    pub fn abc(cells: usize, is_periodic: bool, changes: bool) -> Result<Field, AxisError> {
        let spacing = TAU / cells as f64;
        let points = even(0.0, spacing, cells + usize::from(!is_periodic));
        let axis = Axis::new(&points, is_periodic)?;
        let times = if changes { even(0.0, 2.0 / TIMES as f64, TIMES) } else { vec![0.0] };
        let time_axis = if changes { Some(Axis::new(&times, true)?) } else { None };
        Ok(Field {
            origin: format!("ABC flow, {cells} x {cells} x {cells} cells"),
            axes: [axis.clone(), axis.clone(), axis],
            times: time_axis,
            samples: Samples::Abc { points, times },
        })
    }

    /// A field in a file, whose components are three variables or arrays.
    ///
    /// # Errors
    /// If the file cannot be read, the components do not fit together, or the field should change with time and does not.
    pub fn open(path: &Path, variables: &[String; 3], is_periodic: bool, changes: bool) -> Result<Field, FieldError> {
        let open = |variable: &String| Source::open(path, &Choice { variable: Some(variable), raw: None });
        let [u, v, w] = variables;
        let components = [open(u)?, open(v)?, open(w)?];
        let first = &components[0];
        if let Some(other) = components.iter().find(|one| one.grid != first.grid || one.times != first.times) {
            let (path, first, other) = (path.to_owned(), first.name.clone(), other.name.clone());
            return Err(FieldError::Grids { path, first, other });
        }
        let axis_error = |axis: &'static str| move |error| FieldError::Axis { path: path.to_owned(), axis, error };
        let falls = first.grid.axes.each_ref().map(|axis| axis.len() > 1 && axis[0] > axis[1]);
        let axis = |which: usize| {
            let mut points = first.grid.axes[which].clone();
            if falls[which] {
                points.reverse();
            }
            Axis::new(&points, is_periodic).map_err(axis_error(["x", "y", "z"][which]))
        };
        let axes = [axis(0)?, axis(1)?, axis(2)?];
        if changes && first.times.len() < 2 {
            return Err(FieldError::Steady { path: path.to_owned(), variable: first.name.clone() });
        }
        let times = match changes {
            true => Some(Axis::new(&first.times, false).map_err(axis_error("of time"))?),
            false => None,
        };
        let [nx, ny, nz] = first.grid.shape();
        let origin = format!("{}: {}, {nx} x {ny} x {nz} points", path.display(), variables.join(", "));
        Ok(Field { origin, axes, times, samples: Samples::Files { components: Box::new(components), falls } })
    }

    /// The velocities at a part of the points, x fastest, at a time by its number.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn part(&self, time: usize, part: [Range<usize>; 3]) -> Result<Vec<[f32; 3]>, ReadError> {
        match &self.samples {
            Samples::Abc { points, times } => {
                let [xs, ys, zs] = part.map(|range| &points[range]);
                let rows = zs.iter().flat_map(|z| ys.iter().map(move |y| (*y, *z)));
                Ok(rows.flat_map(|(y, z)| xs.iter().map(move |x| abc([*x, y, z], times[time]))).collect())
            }
            Samples::Files { components, falls } => {
                let shape = components[0].grid.shape();
                let in_file = [0, 1, 2].map(|axis| match (falls[axis], part[axis].clone()) {
                    (false, range) => range,
                    (true, range) => shape[axis] - range.end..shape[axis] - range.start,
                });
                let read = |source: &Source| source.part_at(time, in_file.clone(), &mut |_| {});
                let [u, v, w] = [read(&components[0])?, read(&components[1])?, read(&components[2])?];
                let [nx, ny, nz] = part.map(|range| range.len());
                let turned = |axis: usize, i: usize, n: usize| if falls[axis] { n - 1 - i } else { i };
                let at = |i: usize| {
                    let (x, y, z) = (i % nx, i / nx % ny, i / nx / ny);
                    (turned(2, z, nz) * ny + turned(1, y, ny)) * nx + turned(0, x, nx)
                };
                Ok((0..nx * ny * nz).map(at).map(|at| [u[at], v[at], w[at]]).collect())
            }
        }
    }
}
