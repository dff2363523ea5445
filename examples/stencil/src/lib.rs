//! Heat that spreads over a plane: the stencil of Zhang, Mueller, Cui and Potok (2010), section 5.1.
//!
//! The plane is an [`Object`]: no rank owns a part of it from the beginning. A step is a loop over the tiles of the plane. Each tile is a task.
//! It runs where most of its input is, so that only the margins of tiles move from rank to rank.

use forall::{DistVec, Object, barrier, foreach};

/// The heat at a point of a plane of `n` x `n` points before the first step: a hot rectangle in a cold plane.
pub fn start(n: usize, [y, x]: [usize; 2]) -> f32 {
    let hot = y > n / 4 && y < 3 * n / 4 && x > n / 3 && x < 2 * n / 3;
    f32::from(u8::from(hot))
}

/// A step: each inner point becomes the mean of itself and its four neighbours. The border of `next` stays as it is.
///
/// # Panics
/// If the planes differ in shape, or a tile has no points.
#[foreach]
pub fn step(now: &Object<f32, 2>, next: &mut Object<f32, 2>, tile: [usize; 2]) {
    for tile in next.tiles(tile) {
        let [rows, columns] = tile.inside([1, 1]);
        for y in rows {
            for x in columns.clone() {
                next[[y, x]] =
                    0.2 * (now[[y, x]] + now[[y, x - 1]] + now[[y, x + 1]] + now[[y - 1, x]] + now[[y + 1, x]]);
            }
        }
    }
}

/// The same step with one plane: each tile stores its points when all tiles have read theirs.
///
/// # Panics
/// If a tile has no points.
#[foreach]
pub fn step_in_place(plane: &mut Object<f32, 2>, tile: [usize; 2]) {
    for tile in plane.tiles(tile) {
        let [rows, columns] = tile.inside([1, 1]);
        let mut heat = Vec::with_capacity(rows.len() * columns.len());
        for y in rows.clone() {
            for x in columns.clone() {
                heat.push(
                    0.2 * (plane[[y, x]]
                        + plane[[y, x - 1]]
                        + plane[[y, x + 1]]
                        + plane[[y - 1, x]]
                        + plane[[y + 1, x]]),
                );
            }
        }
        let width = columns.len();
        barrier();
        for (row, y) in rows.enumerate() {
            for (column, x) in columns.clone().enumerate() {
                plane[[y, x]] = heat[row * width + column];
            }
        }
    }
}

/// The sum of all points, each with a weight from 1 to 7, on all ranks.
pub fn checksum(plane: &Object<f32, 2>) -> f64 {
    let mut sum = 0.0;
    for view in plane.own_boxes() {
        let [rows, columns] = view.ranges();
        let mut values = view.elements().iter();
        for y in rows {
            for (x, value) in columns.clone().zip(&mut values) {
                sum += f64::from(*value) * (1 + (y * 31 + x) % 7) as f64;
            }
        }
    }
    sum_of_all(sum)
}

/// The sum of a number of each rank.
pub fn sum_of_all(own: f64) -> f64 {
    DistVec::from_local(vec![own]).to_all().into_iter().sum()
}
