//! One ray through one brick. Loops call [`cast`], also on a GPU.
//!
//! Sample `k` of a ray lies `k` steps from the eye, whichever brick it is in: what is seen does not depend on how the volume is cut.

use crate::brick::{BLOCK, Brick};
use crate::pixel::Rgba;
use crate::scene::{Scene, direction, lit};
use crate::transfer::entry;

/// The gradient at a point, in space, and its length.
pub type Slope = [f32; 4];

/// The meaning of a table's numbers: the value of the first entry, entries in each unit of value, and the gradient from which on
/// there is a surface.
pub type Scale = [f32; 3];

/// The visible colour of a brick through a pixel.
#[forall::device]
#[inline]
pub fn cast(
    scene: &Scene,
    brick: &Brick,
    values: &[f32],
    slopes: &[Slope],
    leaps: &[u8],
    table: &[Rgba],
    scale: Scale,
    x: usize,
    y: usize,
) -> Rgba {
    let seen: [f32; 3] = direction(scene, x, y);
    let along = [0, 1, 2].map(|axis| seen[axis] * scene.step * scene.cells[axis]);
    // A plane that the ray never meets is far away.
    let steps = [0, 1, 2].map(|axis| if along[axis] == 0.0 { 1e30 } else { 1.0 / along[axis] });
    let (first, end): (i32, i32) = inside(scene.eye, along, steps, brick);
    let (row, plane) = (brick.points[0] as usize, (brick.points[0] * brick.points[1]) as usize);
    let mut k = first;
    let mut colour = [0.0f32; 3];
    let mut through = 1.0f32;
    while k < end && through > scene.dark {
        let at: [f32; 3] = place(scene.eye, along, k);
        let block = [0, 1, 2].map(|axis| (at[axis] as i32 - brick.start[axis]) / BLOCK as i32);
        let number = (block[2] * brick.blocks[1] + block[1]) * brick.blocks[0] + block[0];
        let leap = leaps[number as usize] as i32;
        let out: i32 = leave(scene.eye, steps, brick.start, block, leap).clamp(k + 1, end);
        if leap > 0 {
            k = out;
        }
        while k < out && through > scene.dark {
            let at: [f32; 3] = place(scene.eye, along, k);
            let cell = [at[0] as i32, at[1] as i32, at[2] as i32];
            let part = [at[0] - cell[0] as f32, at[1] - cell[1] as f32, at[2] - cell[2] as f32];
            let [i, j, l] = [cell[0] - brick.first[0], cell[1] - brick.first[1], cell[2] - brick.first[2]];
            let corner = ((l * brick.points[1] + j) * brick.points[0] + i) as usize;
            let value: f32 = value_between(values, corner, row, plane, part);
            let [r, g, b, opaque] = table[entry(value, scale[0], scale[1])];
            // Beside a missing value there is nothing.
            if opaque > 0.0 && !value.is_nan() {
                let slope: [f32; 4] = slope_between(slopes, corner, row, plane, part);
                let (own, shine): (f32, f32) = lit(scene, slope, seen, scale[2]);
                let shine = shine * opaque;
                colour[0] += through * (r * own + shine);
                colour[1] += through * (g * own + shine);
                colour[2] += through * (b * own + shine);
                through *= 1.0 - opaque;
            }
            k += 1;
        }
    }
    [colour[0], colour[1], colour[2], 1.0 - through]
}

/// Where a sample is, in cells.
#[forall::device]
#[inline]
pub fn place(eye: [f32; 3], along: [f32; 3], k: i32) -> [f32; 3] {
    let k = k as f32;
    [eye[0] + k * along[0], eye[1] + k * along[1], eye[2] + k * along[2]]
}

/// Whether a sample is in a cell of a brick.
#[forall::device]
#[inline]
fn is_inside(eye: [f32; 3], along: [f32; 3], brick: &Brick, k: i32) -> bool {
    let at: [f32; 3] = place(eye, along, k);
    at[0] >= brick.low[0] as f32
        && at[0] < brick.high[0] as f32
        && at[1] >= brick.low[1] as f32
        && at[1] < brick.high[1] as f32
        && at[2] >= brick.low[2] as f32
        && at[2] < brick.high[2] as f32
}

/// The first sample of a ray in a brick, and the one after the last, given how many steps it is to the next cell along each axis.
#[forall::device]
#[inline]
fn inside(eye: [f32; 3], along: [f32; 3], steps: [f32; 3], brick: &Brick) -> (i32, i32) {
    let (mut enter, mut leave) = (1.0f32, 16_777_216.0f32);
    for axis in 0..3 {
        let one = (brick.low[axis] as f32 - eye[axis]) * steps[axis];
        let other = (brick.high[axis] as f32 - eye[axis]) * steps[axis];
        let (near, far) = if one < other { (one, other) } else { (other, one) };
        enter = if near > enter { near } else { enter };
        leave = if far < leave { far } else { leave };
    }
    // Products round, and samples do not: the ends are looked for among their neighbours.
    let (mut first, mut last) = ((enter as i32 - 1).max(1), leave as i32 + 1);
    while first <= last && !is_inside(eye, along, brick, first) {
        first += 1;
    }
    while last > first && !is_inside(eye, along, brick, last) {
        last -= 1;
    }
    (first, last + 1)
}

/// The sample with which a ray leaves the blocks around one that are nearer than `leap`, given how many steps it is to the next cell
/// along each axis.
#[forall::device]
#[inline]
fn leave(eye: [f32; 3], steps: [f32; 3], start: [i32; 3], block: [i32; 3], leap: i32) -> i32 {
    let reach = if leap > 1 { leap - 1 } else { 0 };
    let mut out = 16_777_216.0f32;
    for axis in 0..3 {
        let side = if steps[axis] > 0.0 { block[axis] + 1 + reach } else { block[axis] - reach };
        let plane = (start[axis] + side * BLOCK as i32) as f32;
        let far = (plane - eye[axis]) * steps[axis];
        if far < out {
            out = far;
        }
    }
    out as i32 + 1
}

/// The value between eight points; the first one is at `corner`.
#[forall::device]
#[inline]
pub fn value_between(values: &[f32], corner: usize, row: usize, plane: usize, part: [f32; 3]) -> f32 {
    let south = between(values[corner], values[corner + 1], part[0]);
    let north = between(values[corner + row], values[corner + row + 1], part[0]);
    let below = between(south, north, part[1]);
    let corner = corner + plane;
    let south = between(values[corner], values[corner + 1], part[0]);
    let north = between(values[corner + row], values[corner + row + 1], part[0]);
    between(below, between(south, north, part[1]), part[2])
}

/// The gradient between eight points.
#[forall::device]
#[inline]
pub fn slope_between(slopes: &[Slope], corner: usize, row: usize, plane: usize, part: [f32; 3]) -> [f32; 4] {
    let [x, y, z] = part;
    let (south, north) = ((1.0 - y) * (1.0 - z), y * (1.0 - z));
    let (above, beyond) = ((1.0 - y) * z, y * z);
    let (a, b) = (slopes[corner], slopes[corner + 1]);
    let (c, d) = (slopes[corner + row], slopes[corner + row + 1]);
    let corner = corner + plane;
    let (e, f) = (slopes[corner], slopes[corner + 1]);
    let (g, h) = (slopes[corner + row], slopes[corner + row + 1]);
    [0, 1, 2, 3].map(|k| {
        let west = a[k] * south + c[k] * north + e[k] * above + g[k] * beyond;
        let east = b[k] * south + d[k] * north + f[k] * above + h[k] * beyond;
        west + x * (east - west)
    })
}

#[forall::device]
#[inline]
fn between(a: f32, b: f32, part: f32) -> f32 {
    a + part * (b - a)
}
