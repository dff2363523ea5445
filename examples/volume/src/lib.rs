//! Volume rendering: what is seen of a volume of samples that shine through.
//!
//! The volume is cut into [bricks](brick), one for each rank, which lie front to back in one long vector. So do their pictures, the
//! layers. Each loop below is a plain sequential loop:
//!
//! 1. [`range`] (reduce) finds the least and the greatest value.
//! 2. [`slopes`] (foreach) finds the gradient at each point.
//! 3. [`extremes`] (foreach) finds the least and the greatest value of each block of cells, and [`mark`] (foreach) the visible
//!    blocks. [`spread`] (foreach) finds the distance from each block to the next visible one.
//! 4. [`draw`] (foreach) sends a ray through each pixel of each layer. It [steps](ray) over invisible blocks, and ends where
//!    no light comes through.
//! 5. [`composite`] (reduce) lays the layers over each other.
//! 6. [`shade`] (foreach) turns light into the bytes of a picture.

#![allow(clippy::too_many_arguments, reason = "one argument for each array that a loop reads or writes")]

pub mod brick;
pub mod picture;
pub mod project;
pub mod ray;
pub mod scene;
pub mod transfer;

pub use forall_examples::pixel;

use brick::{BLOCK, Brick, RUN};
use forall_examples::colours::to_srgb;
use pixel::{CLEAR, Rgba, over};
use ray::{Scale, Slope, cast};
use scene::Scene;
use transfer::entry;

/// The least and the greatest value; the first is above the second where all are missing.
#[forall::kary_reduce]
pub fn range(values: &[f32]) -> [f32; 2] {
    let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
    for value in values {
        least = least.min(*value);
        most = most.max(*value);
    }
    [least, most]
}

/// The gradients at all points, in space, given how many cells there are in each unit of space. Each brick has room for so many points.
#[forall::foreach]
pub fn slopes(values: &[f32], #[replicated] bricks: &[Brick], room: usize, cells: [f32; 3], slopes: &mut [Slope]) {
    for (run, slopes) in slopes.chunks_mut(RUN).enumerate() {
        let number = run * RUN / room;
        let (brick, values) = (&bricks[number], &values[number * room..(number + 1) * room]);
        let [nx, ny, nz] = [0, 1, 2].map(|axis| brick.points[axis] as usize);
        let first = run * RUN % room;
        if first >= nx * ny * nz {
            continue;
        }
        let (mut x, mut y, mut z) = (first % nx, first / nx % ny, first / nx / ny);
        for (k, gradient) in slopes.iter_mut().enumerate() {
            let i = first + k;
            if z == nz {
                continue;
            }
            let here = values[i];
            // Beyond the last points values are missing.
            let west = if x > 0 { values[i - 1] } else { f32::NAN };
            let east = if x + 1 < nx { values[i + 1] } else { f32::NAN };
            let south = if y > 0 { values[i - nx] } else { f32::NAN };
            let north = if y + 1 < ny { values[i + nx] } else { f32::NAN };
            let below = if z > 0 { values[i - nx * ny] } else { f32::NAN };
            let above = if z + 1 < nz { values[i + nx * ny] } else { f32::NAN };
            let x_slope = cells[0] * slope(west, here, east);
            let y_slope = cells[1] * slope(south, here, north);
            let z_slope = cells[2] * slope(below, here, above);
            let length = (x_slope * x_slope + y_slope * y_slope + z_slope * z_slope).sqrt();
            *gradient = [x_slope, y_slope, z_slope, length];
            x += 1;
            if x == nx {
                x = 0;
                y += 1;
            }
            if y == ny {
                y = 0;
                z += 1;
            }
        }
    }
}

/// The derivative at a point from the values beside it: one-sided where one of them is missing, zero where both are.
#[forall::device]
#[inline]
pub fn slope(before: f32, here: f32, after: f32) -> f32 {
    let (fall, rise) = (here - before, after - here);
    if fall.is_nan() {
        if rise.is_nan() { 0.0 } else { rise }
    } else if rise.is_nan() {
        fall
    } else {
        0.5 * (fall + rise)
    }
}

/// The least and the greatest value of each block of cells. Each brick has room for so many points and so many blocks.
#[forall::foreach]
pub fn extremes(values: &[f32], #[replicated] bricks: &[Brick], room: usize, blocks: usize, out: &mut [[f32; 2]]) {
    for i in 0..out.len() {
        let (brick, values) = (&bricks[i / blocks], &values[i / blocks * room..(i / blocks + 1) * room]);
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        let [bx, by, bz] = [0, 1, 2].map(|axis| brick.blocks[axis] as usize);
        let number = i % blocks;
        if number < bx * by * bz {
            let block = [number % bx, number / bx % by, number / bx / by];
            let [nx, ny] = [0, 1].map(|axis| brick.points[axis] as usize);
            let start = [0, 1, 2].map(|axis| (brick.start[axis] - brick.first[axis]) as usize + block[axis] * BLOCK);
            let cells = [0, 1, 2].map(|axis| (brick.high[axis] - brick.start[axis]) as usize - block[axis] * BLOCK);
            let [sx, sy, sz] = cells.map(|cells| cells.min(BLOCK) + 1);
            for z in start[2]..start[2] + sz {
                for y in start[1]..start[1] + sy {
                    for value in &values[(z * ny + y) * nx + start[0]..][..sx] {
                        least = least.min(*value);
                        most = most.max(*value);
                    }
                }
            }
        }
        out[i] = [least, most];
    }
}

/// 0 for each visible block, and [`FAR`] for the others.
#[forall::foreach]
pub fn mark(extremes: &[[f32; 2]], #[replicated] seen: &[u32], least: f32, scale: f32, out: &mut [u8]) {
    for i in 0..out.len() {
        out[i] = if is_seen(extremes[i], seen, least, scale) { 0 } else { FAR };
    }
}

/// The distance from each block to the next visible one, in blocks along an axis, where `near` is the distance along the axes
/// before.
#[forall::foreach]
pub fn spread(near: &[u8], #[replicated] bricks: &[Brick], blocks: usize, axis: usize, out: &mut [u8]) {
    for i in 0..out.len() {
        let (brick, near) = (&bricks[i / blocks], &near[i / blocks * blocks..(i / blocks + 1) * blocks]);
        let [bx, by, bz] = [0, 1, 2].map(|axis| brick.blocks[axis] as usize);
        let number = i % blocks;
        let mut nearest = FAR;
        if number < bx * by * bz {
            let (stride, count) = if axis == 0 {
                (1, bx)
            } else if axis == 1 {
                (bx, by)
            } else {
                (bx * by, bz)
            };
            let place = number / stride % count;
            let first = number - place * stride;
            let reach = FAR as usize - 1;
            for k in place.saturating_sub(reach)..(place + reach + 1).min(count) {
                let far = near[first + k * stride].max(k.abs_diff(place) as u8);
                nearest = nearest.min(far);
            }
        }
        out[i] = nearest;
    }
}

/// The longest leap, in blocks.
pub const FAR: u8 = 12;

/// Whether values in a range are visible. A value between points may exceed them by a rounding error.
#[forall::device]
#[inline]
fn is_seen(extremes: [f32; 2], seen: &[u32], least: f32, scale: f32) -> bool {
    let [low, high] = extremes;
    if low > high {
        return false;
    }
    let (first, last) = (entry(low, least, scale).saturating_sub(1), entry(high, least, scale) + 2);
    seen[last.min(seen.len() - 1)] > seen[first]
}

/// The layers of all bricks, one picture after the other: what is seen of each, colours multiplied by the opacity.
#[forall::foreach]
pub fn draw(
    values: &[f32],
    slopes: &[Slope],
    leaps: &[u8],
    #[replicated] bricks: &[Brick],
    room: usize,
    blocks: usize,
    scene: Scene,
    #[replicated] table: &[Rgba],
    scale: Scale,
    layers: &mut [Rgba],
) {
    let [width, height] = scene.size.map(|pixels| pixels as usize);
    for i in 0..layers.len() {
        let (brick, pixel) = (i / (width * height), i % (width * height));
        let values = &values[brick * room..(brick + 1) * room];
        let slopes = &slopes[brick * room..(brick + 1) * room];
        let leaps = &leaps[brick * blocks..(brick + 1) * blocks];
        layers[i] = cast(&scene, &bricks[brick], values, slopes, leaps, table, scale, pixel % width, pixel / width);
    }
}

/// One picture of all layers, front to back.
#[forall::kary_reduce(combine = over, identity = CLEAR, algorithm = auto)]
pub fn composite(layers: &[Rgba], #[replicated] frame: &mut [Rgba]) {
    for layer in layers.chunks(frame.len()) {
        for (d, s) in frame.iter_mut().zip(layer) {
            *d = over(*d, *s);
        }
    }
}

/// The bytes of a picture in front of a wall.
#[forall::foreach]
pub fn shade(#[replicated] frame: &[Rgba], wall: [f32; 3], image: &mut [[u8; 3]]) {
    for i in 0..image.len() {
        let [r, g, b, opaque] = frame[i];
        let through = 1.0 - opaque;
        image[i] = [
            to_srgb(r + through * wall[0], 0.0),
            to_srgb(g + through * wall[1], 0.0),
            to_srgb(b + through * wall[2], 0.0),
        ];
    }
}
