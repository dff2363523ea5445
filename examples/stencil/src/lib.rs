//! Heat that spreads over a plane: the stencil of Zhang, Mueller, Cui and Potok (2010), section 5.1.
//!
//! The plane is an [`Object`]: no rank owns a part of it from the beginning. A step is a region of tasks, one for each tile. A task reads its
//! tile with a margin of one element, and writes its tile of the next plane. It runs where most of its input is, so that only margins move
//! from rank to rank.

use forall::objects::{Reads, Region, Tile, Times, Writes};
use forall::{DistVec, Object};

/// The heat at a point of a plane of `n` x `n` points before the first step: a hot rectangle in a cold plane.
pub fn start(n: usize, [y, x]: [usize; 2]) -> f32 {
    let hot = y > n / 4 && y < 3 * n / 4 && x > n / 3 && x < 2 * n / 3;
    f32::from(u8::from(hot))
}

/// A step: each point becomes the mean of itself and its four neighbours. The border keeps its heat.
///
/// # Panics
/// If the planes differ in shape, or a tile has no points.
pub fn step(now: &Object<f32, 2>, next: &mut Object<f32, 2>, tile: [usize; 2]) -> Times {
    let shape = next.shape();
    let mut region = Region::new("stencil::step", next.tiles(tile));
    let from = region.reads(now, |tile| tile.grown([1, 1]));
    let to = region.writes(next, Tile::ranges);
    region.run(|task| spread(task.tile(), shape, &task.read(&from), &mut task.write(&to)))
}

/// The step of a tile.
fn spread(tile: &Tile<2>, shape: [usize; 2], from: &Reads<'_, f32, 2>, to: &mut Writes<'_, f32, 2>) {
    let (columns, [inner_rows, inner]) = (tile.columns(), tile.inside([1, 1]));
    debug_assert!(inner.end < shape[1] || inner.is_empty());
    for y in tile.rows() {
        if !inner_rows.contains(&y) || inner.is_empty() {
            let out = to.row_mut([y, columns.start]);
            out.copy_from_slice(&from.row([y, columns.start])[..out.len()]);
            continue;
        }
        // The border of the plane, where the tile has a part of it.
        for x in [columns.start, columns.end - 1] {
            to[[y, x]] = from[[y, x]];
        }
        let count = inner.len();
        let (above, here, below) =
            (from.row([y - 1, inner.start]), from.row([y, inner.start - 1]), from.row([y + 1, inner.start]));
        let (above, below, here) = (&above[..count], &below[..count], &here[..count + 2]);
        let (left, middle, right) = (&here[..count], &here[1..=count], &here[2..]);
        let out = &mut to.row_mut([y, inner.start])[..count];
        for x in 0..count {
            out[x] = 0.2 * (middle[x] + left[x] + right[x] + above[x] + below[x]);
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
