//! The picture: meshes drawn into a buffer of fragments, and the buffer shaded.
//!
//! A fragment is one 64-bit number: its upper half is the distance from the eye, its lower half what is needed to
//! shade it. The nearest fragment of a pixel is thus the least number, and the least of two is what buffers of several
//! threads or ranks merge by: drawing is a reduction. Shading needs the finished buffer alone, however many triangles
//! there were.

use forall::DistVec;
use forall_examples::camera::{View, dot, project, turn, unit};
use forall_examples::colours::{LAND, OCEAN, ramp, to_srgb};
use forall_examples::mesh::Mesh;

/// The pixels of the picture.
pub const SIZE: [usize; 2] = [1600, 1000];

/// Samples along each side of a pixel, against jagged edges.
const SAMPLES: usize = 2;

/// Samples along x and y.
const WIDE: usize = SIZE[0] * SAMPLES;
const HIGH: usize = SIZE[1] * SAMPLES;

/// A sample on which nothing was drawn.
pub const EMPTY: u64 = u64::MAX;

/// The parts of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Material {
    /// The isosurface, coloured by height.
    Surface = 0,
    /// Land and sea floor around it.
    Land = 1,
    /// The isosurface, in one colour.
    Plain = 2,
}

/// How a mesh is coloured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// Its parts.
    pub material: Material,
    /// The height with the first of the material's colours.
    pub lowest: f32,
    /// The height with the last.
    pub highest: f32,
}

/// The least and greatest places in the picture.
#[forall::kary_reduce]
pub fn frame(points: &[[f32; 3]], view: View) -> ([f32; 2], [f32; 2]) {
    let (mut left, mut top) = (f32::INFINITY, f32::INFINITY);
    let (mut right, mut bottom) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
    for i in 0..points.len() {
        let [x, y, _]: [f32; 3] = project(&view, points[i]);
        left = left.min(x);
        top = top.min(y);
        right = right.max(x);
        bottom = bottom.max(y);
    }
    ([left, top], [right, bottom])
}

/// Draws a mesh: the nearest fragment of every sample, or [`EMPTY`].
#[forall::kary_reduce]
pub fn draw(
    triangles: &[[u32; 3]],
    #[gather] points: &[[f32; 3]],
    #[gather] normals: &[[f32; 3]],
    view: View,
    paint: Paint,
) -> Vec<u64> {
    let (material, lowest, highest) = (paint.material as u64, paint.lowest, paint.highest);
    let mut buffer = vec![EMPTY; WIDE * HIGH];
    for t in 0..triangles.len() {
        let [a, b, c] = triangles[t];
        let ends = [points[a as usize], points[b as usize], points[c as usize]];
        let turned = [normals[a as usize], normals[b as usize], normals[c as usize]];
        let [p, q, r]: [[f32; 3]; 3] = ends.map(|end| project(&view, end));
        let area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        let (left, right) = (p[0].min(q[0]).min(r[0]), p[0].max(q[0]).max(r[0]));
        let (top, bottom) = (p[1].min(q[1]).min(r[1]), p[1].max(q[1]).max(r[1]));
        // What lies behind the eye, beside the picture or edge-on is not seen; neither is what is not finite.
        let nearest = p[2].min(q[2]).min(r[2]);
        if !(nearest > 0.0 && area != 0.0 && right >= 0.0 && bottom >= 0.0 && left < WIDE as f32 && top < HIGH as f32) {
            continue;
        }
        let turned: [[f32; 3]; 3] = turned.map(|normal| turn(&view, normal));
        let heights = [ends[0][2], ends[1][2], ends[2][2]];
        let (first, last) = ((left - 0.5).ceil().max(0.0) as usize, (right - 0.5).floor().min(WIDE as f32 - 1.0));
        let (upper, lower) = ((top - 0.5).ceil().max(0.0) as usize, (bottom - 0.5).floor().min(HIGH as f32 - 1.0));
        if last < 0.0 || lower < 0.0 {
            continue;
        }
        for y in upper..lower as usize + 1 {
            for x in first..last as usize + 1 {
                let (sx, sy) = (x as f32 + 0.5, y as f32 + 0.5);
                let u = ((r[0] - q[0]) * (sy - q[1]) - (r[1] - q[1]) * (sx - q[0])) / area;
                let v = ((p[0] - r[0]) * (sy - r[1]) - (p[1] - r[1]) * (sx - r[0])) / area;
                let w = 1.0 - u - v;
                if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                    let normal = [0, 1, 2].map(|axis| u * turned[0][axis] + v * turned[1][axis] + w * turned[2][axis]);
                    let height = u * heights[0] + v * heights[1] + w * heights[2];
                    let depth = u * p[2] + v * q[2] + w * r[2];
                    let fragment = pack(depth, normal, (height - lowest) / (highest - lowest), material);
                    buffer[y * WIDE + x] = buffer[y * WIDE + x].min(fragment);
                }
            }
        }
    }
    buffer
}

/// A fragment: 32 bits of depth, 20 of normal, 10 of height from 0 to 1, 2 of material.
#[forall::device]
#[inline]
fn pack(depth: f32, normal: [f32; 3], height: f32, material: u64) -> u64 {
    // A surface that turns its back is lit as its front: both sides of an open sheet can be seen.
    let [x, y, z] = if normal[2] < 0.0 { normal.map(|n| -n) } else { normal };
    let sum = (x.abs() + y.abs() + z).max(1e-12);
    // The half of the octahedron that faces the eye is a square that stands on its corner.
    let [u, v] = [(x + y) / sum, (x - y) / sum].map(|n| ((n * 0.5 + 0.5) * 1023.0 + 0.5) as u64);
    let height = (height.clamp(0.0, 1.0) * 1023.0 + 0.5) as u64;
    // Positive floats are ordered as their bits.
    u64::from(depth.to_bits()) << 32 | u << 22 | v << 12 | height << 2 | material
}

/// The normal, the height from 0 to 1, and the number of the material.
#[forall::device]
#[inline]
fn unpack(fragment: u64) -> ([f32; 3], f32, u64) {
    let [u, v] = [fragment >> 22, fragment >> 12].map(|bits| (bits & 1023) as f32 / 1023.0 * 2.0 - 1.0);
    let (x, y) = (0.5 * (u + v), 0.5 * (u - v));
    let normal: [f32; 3] = unit([x, y, 1.0 - x.abs() - y.abs()]);
    (normal, (fragment >> 2 & 1023) as f32 / 1023.0, fragment & 3)
}

#[forall::device]
#[inline]
fn depth(fragment: u64) -> f32 {
    f32::from_bits((fragment >> 32) as u32)
}

/// Shades the buffer: the mean of the samples of each pixel, as red, green and blue.
#[forall::foreach]
pub fn shade(#[replicated] buffer: &[u64], #[replicated] taps: &[[i32; 2]], radius: f32, image: &mut [[u8; 3]]) {
    for i in 0..image.len() {
        let (column, row) = (i % SIZE[0], i / SIZE[0]);
        let mut light = [0.0f32; 3];
        for sample in 0..SAMPLES * SAMPLES {
            let (x, y) = (column * SAMPLES + sample % SAMPLES, row * SAMPLES + sample / SAMPLES);
            let colour: [f32; 3] = match buffer[y * WIDE + x] {
                EMPTY => background(x, y),
                fragment => lit(fragment, openness(buffer, taps, x, y, depth(fragment), radius)),
            };
            light = [0, 1, 2].map(|k| light[k] + colour[k]);
        }
        // A little noise hides the steps between neighbouring shades.
        let noise = ((column * 1_973 + row * 9_277 + column * row % 997 * 26_699) % 997) as f32 / 997.0 - 0.5;
        image[i] = light.map(|sum| to_srgb(sum / (SAMPLES * SAMPLES) as f32, noise));
    }
}

/// How many neighbours of a sample are looked at, in how many turned patterns, and how far away, in samples.
const TAPS: usize = 12;
const TURNS: usize = 16;
const REACH: f32 = 44.0;

/// Directions that are spread evenly, at growing distances; turned from sample to sample, so that no pattern shows.
fn taps() -> Vec<[i32; 2]> {
    let tap = |turn: usize, tap: usize| {
        // Successive taps are apart by the golden angle.
        let angle = turn as f32 * (std::f32::consts::TAU / TURNS as f32) + tap as f32 * 2.399_963;
        let reach = REACH * (tap as f32 + 0.7) / TAPS as f32;
        [(angle.cos() * reach).round() as i32, (angle.sin() * reach).round() as i32]
    };
    (0..TURNS * TAPS).map(|k| tap(k / TAPS, k % TAPS)).collect()
}

/// How much of the sky a sample sees, judged from how many of its neighbours stand before it: ambient occlusion.
#[forall::device]
fn openness(buffer: &[u64], taps: &[[i32; 2]], x: usize, y: usize, here: f32, radius: f32) -> f32 {
    let turned = (x * 7 + y * 13) % TURNS;
    let mut hidden = 0.0;
    for [dx, dy] in &taps[turned * TAPS..(turned + 1) * TAPS] {
        let (tx, ty) = (x as isize + *dx as isize, y as isize + *dy as isize);
        if tx < 0 || ty < 0 || tx >= WIDE as isize || ty >= HIGH as isize {
            continue;
        }
        let there = buffer[ty as usize * WIDE + tx as usize];
        if there != EMPTY {
            let before: f32 = (here - depth(there)) / radius;
            // What stands far before this sample belongs to something else and casts no such shadow.
            if before > 0.02 {
                hidden += 1.0 / (1.0 + before * before);
            }
        }
    }
    (1.0 - 0.75 * hidden / TAPS as f32).max(0.0)
}

/// The light that a fragment sends to the eye, in linear red, green and blue.
#[forall::device]
fn lit(fragment: u64, openness: f32) -> [f32; 3] {
    let (normal, height, material): ([f32; 3], f32, u64) = unpack(fragment);
    let colour: [f32; 3] = match material {
        0 => ramp(height, &OCEAN),
        1 => ramp(height, &LAND),
        _ => [0.80, 0.52, 0.36],
    };
    // A warm key light over the left shoulder, a cool one from the right, and the sky.
    let key = dot(normal, unit([-0.45_f32, 0.62, 0.65])).max(0.0);
    let fill = dot(normal, unit([0.75_f32, 0.05, 0.40])).max(0.0);
    let sky = 0.5 + 0.5 * normal[1];
    let shine =
        dot(normal, unit([-0.225_f32, 0.31, 0.825])).max(0.0).powi(48) * if material == 1 { 0.04 } else { 0.22 };
    let warm = [1.0, 0.95, 0.86];
    let cool = [0.72, 0.84, 1.0];
    [0, 1, 2].map(|k| {
        let diffuse = 0.80 * key * warm[k] + 0.22 * fill * cool[k];
        let ambient = (0.16 + 0.16 * sky) * cool[k];
        colour[k] * (diffuse * (0.55 + 0.45 * openness) + ambient * openness * openness) + shine * openness
    })
}

#[forall::device]
fn background(x: usize, y: usize) -> [f32; 3] {
    let down = y as f32 / HIGH as f32;
    let (dx, dy) = (x as f32 / WIDE as f32 - 0.5, down - 0.5);
    let vignette = 1.0 - 0.35 * (dx * dx + dy * dy);
    let (top, bottom) = ([0.80, 0.86, 0.92], [0.50, 0.60, 0.70]);
    [0, 1, 2].map(|k| (top[k] + down * (bottom[k] - top[k])) * vignette)
}

/// Draws meshes, as large as fits and `zoom` times that, and shades the result. All ranks draw their triangles; rank 0
/// gets the picture.
pub fn render(meshes: &[(&Mesh, Paint)], view: View, zoom: f64) -> Option<Vec<[u8; 3]>> {
    let (mut least, mut most) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for (mesh, _) in meshes {
        let (low, high) = frame(&mesh.points, view);
        least = [0, 1].map(|k| least[k].min(low[k]));
        most = [0, 1].map(|k| most[k].max(high[k]));
    }
    // Without a point there is nothing to fit.
    let view = if least[0] <= most[0] { view.fitted(least, most, [WIDE, HIGH], zoom as f32) } else { view };
    let mut buffer = vec![EMPTY; WIDE * HIGH];
    for (mesh, paint) in meshes {
        let drawn = draw(&mesh.triangles, &mesh.points, &mesh.normals, view, *paint);
        for (nearest, fragment) in buffer.iter_mut().zip(drawn) {
            *nearest = (*nearest).min(fragment);
        }
    }
    let mut image = DistVec::from_fn_in_planes(SIZE[0] * SIZE[1], SIZE[0], |_| [0; 3]);
    // Shadows reach as far as the occluding neighbours are looked for.
    let radius = REACH * view.distance / view.scale;
    shade(&buffer, &taps(), radius, &mut image);
    image.to_root()
}
