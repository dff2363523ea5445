//! Signed distances: how far each point of a volume is from the nearest one on the other side of a surface.
//!
//! Points whose value is above the isovalue are inside. A point outside has a positive distance, to the nearest point inside; a point
//! inside has a negative one, to the nearest point outside. Distances are exact (no chamfer masks). The squares of those along x, along y
//! and along z add up, so the program handles one axis after the other. Each line is the lower envelope of parabolas (Felzenszwalb and
//! Huttenlocher, "Distance transforms of sampled functions", Theory of Computing 8, 2012).
//!
//! The volume is cut into slabs of planes, which are blocks: they may be on any rank, and on the disk while others are worked on, so that a
//! volume may be larger than memory. Lines along x and y lie within a slab. For those along z, slabs swap: each gives every other one some of
//! its rows, and then has these rows of all planes.
//!
//! | loop | does | sends |
//! |---|---|---|
//! | [`within_planes`] | says who is inside, and goes along x and y | to each slab its rows |
//! | [`across_planes`] | goes along z | the rows back |
//! | [`back_in_planes`] | puts the rows where they were | nothing |

pub mod drawing;
mod envelope;
pub mod slab;

use forall::{Blocks, DistVec, foreach, foreach_tls, kary_reduce};
use forall_examples::grid::Grid;
use slab::Slab;
use std::ops::Range;

/// The least and the greatest value; the first is above the second where all are missing.
#[kary_reduce]
pub fn range(slabs: &Blocks<Slab>) -> [f32; 2] {
    let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
    for slab in slabs.iter() {
        for value in slab.values() {
            least = least.min(*value);
            most = most.max(*value);
        }
    }
    [least, most]
}

/// Makes values distances within planes, and gives each slab its rows.
#[foreach]
pub fn within_planes(slabs: &mut Blocks<Slab>, iso: f32) {
    for mut slab in slabs.iter_mut() {
        slab.divide(iso);
        slab.along_x();
        slab.along_y();
        for to in 0..slab.slabs() {
            let rows = slab.rows_for(to);
            slab.send_elements(to, &rows);
        }
        slab.forget();
    }
}

/// Goes along z, in the rows that each slab has of all planes, and sends them back.
#[foreach]
pub fn across_planes(slabs: &mut Blocks<Slab>) {
    for mut slab in slabs.iter_mut() {
        slab.begin_rows();
        for message in slab.inbox() {
            slab.add_rows(message.from(), &message.elements::<f32>());
        }
        slab.along_z();
        for to in 0..slab.slabs() {
            let rows = slab.rows_of(to);
            slab.send_elements(to, &rows);
        }
        slab.forget();
    }
}

/// Puts the rows where they were.
#[foreach]
pub fn back_in_planes(slabs: &mut Blocks<Slab>) {
    for mut slab in slabs.iter_mut() {
        slab.begin_planes();
        for message in slab.inbox() {
            slab.put_rows(message.from(), &message.elements::<f32>());
        }
    }
}

/// Makes values squared distances, those of points inside negative: see [`Slab::values`]. Points with values above `iso` are inside; those
/// whose values are missing are outside.
pub fn distances(slabs: &mut Blocks<Slab>, iso: f32) {
    within_planes(slabs, iso);
    across_planes(slabs);
    back_in_planes(slabs);
}

/// The sums of the distances.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Figures {
    /// How many points are inside.
    pub inside: u64,
    /// How many are outside.
    pub outside: u64,
    /// The greatest square of a distance inside.
    pub most_inside: f64,
    /// The greatest square of a distance outside.
    pub most_outside: f64,
    /// The sum of the squares inside.
    pub sum_inside: f64,
    /// The sum of the squares outside.
    pub sum_outside: f64,
}

/// Counts, greatest values and sums. Squares are whole numbers where points lie one unit apart, and their sums are exact then.
pub fn figures(slabs: &Blocks<Slab>) -> Figures {
    let (inside, outside, most_inside, most_outside, sum_inside, sum_outside) = measured(slabs);
    Figures { inside, outside, most_inside, most_outside, sum_inside, sum_outside }
}

#[kary_reduce]
fn measured(slabs: &Blocks<Slab>) -> (u64, u64, f64, f64, f64, f64) {
    let (mut inside, mut outside) = (0, 0);
    let (mut most_inside, mut most_outside) = (0.0_f64, 0.0_f64);
    let (mut sum_inside, mut sum_outside) = (0.0, 0.0);
    for slab in slabs.iter() {
        let figures = slab.figures();
        inside += figures.inside;
        outside += figures.outside;
        most_inside = most_inside.max(figures.most_inside);
        most_outside = most_outside.max(figures.most_outside);
        sum_inside += figures.sum_inside;
        sum_outside += figures.sum_outside;
    }
    (inside, outside, most_inside, most_outside, sum_inside, sum_outside)
}

/// Appends the squared distances in one plane of a slab. The other slabs may stay on the disk.
#[foreach_tls]
pub fn plane(slabs: &Blocks<Slab>, number: usize, z: usize, out: &mut Vec<f32>) {
    for slab in slabs.iter() {
        if slab.number() == number {
            for squared in slab.plane(z) {
                out.push(*squared);
            }
        }
    }
}

/// The distance that a squared one stands for.
#[forall::device]
pub fn distance(squared: f32) -> f32 {
    squared.abs().sqrt().copysign(squared)
}

/// A volume in slabs: `read` gives the values of a range of planes, x fastest.
///
/// # Errors
/// As `read`, on the rank where it fails.
pub fn slabs<E>(
    grid: &Grid,
    count: usize,
    mut read: impl FnMut(Range<usize>) -> Result<Vec<f32>, E>,
) -> Result<Blocks<Slab>, E> {
    let mut failed = None;
    let slabs = Blocks::from_fn(count, |number| {
        let mut slab = Slab::new(grid, number, count);
        if failed.is_none() {
            match read(slab.planes()) {
                Ok(values) => slab.set_values(values),
                Err(error) => failed = Some(error),
            }
        }
        slab
    });
    failed.map_or(Ok(slabs), Err)
}

/// The squared distances in one of so many planes, which all ranks have then.
pub fn plane_to_all(slabs: &Blocks<Slab>, planes: usize, z: usize) -> Vec<f32> {
    let mut part = Vec::new();
    if let Some(number) = slab::holder(planes, slabs.len(), z) {
        plane(slabs, number, z, &mut part);
    }
    DistVec::from_local(part).to_all()
}
