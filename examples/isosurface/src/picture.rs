//! The picture: meshes drawn into a buffer of fragments, and the buffer shaded.
//!
//! A fragment is one 64-bit number: its upper half is the distance from the eye, its lower half what is needed to
//! shade it. The nearest fragment of a pixel is thus the least number, and the least of two is what buffers of several
//! threads or ranks merge by: drawing is a reduction. Shading needs the finished buffer alone, however many triangles
//! there were.

use crate::mesh::Mesh;
use bytemuck::{Pod, Zeroable};
use forall::DistVec;
use std::path::Path;

/// The pixels of the picture.
pub const SIZE: [usize; 2] = [1600, 1000];

/// Samples along each side of a pixel, against jagged edges.
const SAMPLES: usize = 2;

/// Samples along x and y.
const WIDE: usize = SIZE[0] * SAMPLES;
const HIGH: usize = SIZE[1] * SAMPLES;

/// A sample on which nothing was drawn.
pub const EMPTY: u64 = u64::MAX;

/// What a surface is made of.
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
    /// What it is made of.
    pub material: Material,
    /// The height with the first of the material's colours.
    pub lowest: f32,
    /// The height with the last.
    pub highest: f32,
}

/// From where the picture is taken, in degrees: how far around from the front (the south), counter-clockwise, how
/// high, and how much nearer than what shows everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Around the vertical axis, from the south to the east.
    pub azimuth: f64,
    /// Above the horizon.
    pub elevation: f64,
    /// Magnification.
    pub zoom: f64,
}

impl std::str::FromStr for Camera {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let help =
            || format!("`{text}` is not of the form AZIMUTH,ELEVATION[,ZOOM] in degrees, as in 30,40 or 30,40,1.5");
        let numbers: Vec<f64> =
            text.split(',').map(|n| n.trim().parse().map_err(|_| help())).collect::<Result<_, _>>()?;
        let (azimuth, elevation, zoom) = match numbers[..] {
            [azimuth, elevation] => (azimuth, elevation, 1.0),
            [azimuth, elevation, zoom] => (azimuth, elevation, zoom),
            _ => return Err(help()),
        };
        if !azimuth.is_finite() || !(-90.0..=90.0).contains(&elevation) || !(0.01..=1000.0).contains(&zoom) {
            return Err(format!(
                "{}; the elevation lies between -90 and 90 and the zoom between 0.01 and 1000",
                help()
            ));
        }
        Ok(Camera { azimuth, elevation, zoom })
    }
}

/// How points become samples.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct View {
    /// The middle of what is seen.
    centre: [f32; 3],
    /// The factors that exaggerate axes.
    stretch: [f32; 3],
    /// To the right, upwards, and towards the eye.
    right: [f32; 3],
    up: [f32; 3],
    back: [f32; 3],
    /// From the eye to the centre.
    distance: f32,
    /// Samples for each unit at distance one, and where the axis of view meets the picture.
    scale: f32,
    middle: [f32; 2],
}

impl View {
    /// Looks at the middle of the box between `low` and `high`, with axes multiplied by `stretch`.
    pub fn new(low: [f32; 3], high: [f32; 3], stretch: [f32; 3], camera: Camera) -> Self {
        let (azimuth, elevation) = (camera.azimuth.to_radians() as f32, camera.elevation.to_radians() as f32);
        let (sin_a, cos_a) = azimuth.sin_cos();
        let (sin_e, cos_e) = elevation.sin_cos();
        let back = [sin_a * cos_e, -cos_a * cos_e, sin_e];
        let right = [cos_a, sin_a, 0.0];
        let up = [-sin_a * sin_e, cos_a * sin_e, cos_e];
        let centre = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let half = [0, 1, 2].map(|axis| 0.5 * (high[axis] - low[axis]) * stretch[axis]);
        let radius = dot(half, half).sqrt().max(f32::MIN_POSITIVE);
        // A long lens: little perspective, but enough to tell near from far.
        View { centre, stretch, right, up, back, distance: 4.0 * radius, scale: 1.0, middle: [0.0; 2] }
    }

    /// The same view, enlarged until what lies between two places of it fills the picture, and then by `zoom`.
    fn fitted(self, least: [f32; 2], most: [f32; 2], zoom: f32) -> Self {
        let fit = |k: usize, samples: usize| 0.94 * samples as f32 / (most[k] - least[k]).max(f32::MIN_POSITIVE);
        let scale = fit(0, WIDE).min(fit(1, HIGH)) * zoom;
        let middle = [0, 1].map(|k| 0.5 * [WIDE, HIGH][k] as f32 - scale * 0.5 * (least[k] + most[k]));
        View { scale, middle, ..self }
    }
}

/// The sample coordinates of a point, and its distance from the eye.
#[forall::device]
#[inline]
fn project(view: &View, point: [f32; 3]) -> [f32; 3] {
    let p = [0, 1, 2].map(|axis| (point[axis] - view.centre[axis]) * view.stretch[axis]);
    let depth = view.distance - dot(p, view.back);
    let [x, y] = [dot(p, view.right), -dot(p, view.up)].map(|v| view.scale * v / depth);
    [x + view.middle[0], y + view.middle[1], depth]
}

/// A normal as the eye sees it: stretching space turns it.
#[forall::device]
#[inline]
fn turn(view: &View, normal: [f32; 3]) -> [f32; 3] {
    let n = [0, 1, 2].map(|axis| normal[axis] / view.stretch[axis]);
    unit([dot(n, view.right), dot(n, view.up), dot(n, view.back)])
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

/// Colours from the deepest to the highest, in linear light.
const OCEAN: [[f32; 3]; 6] = [
    [0.030, 0.018, 0.120],
    [0.060, 0.075, 0.360],
    [0.045, 0.300, 0.480],
    [0.100, 0.560, 0.420],
    [0.720, 0.720, 0.220],
    [0.980, 0.700, 0.260],
];

const LAND: [[f32; 3]; 6] = [
    [0.055, 0.075, 0.110],
    [0.070, 0.095, 0.135],
    [0.090, 0.120, 0.165],
    [0.130, 0.160, 0.200],
    [0.220, 0.230, 0.230],
    [0.520, 0.480, 0.400],
];

#[forall::device]
fn ramp(at: f32, colours: &[[f32; 3]; 6]) -> [f32; 3] {
    let at = at.clamp(0.0, 1.0) * 5.0;
    let below = (at as usize).min(4);
    let part = at - below as f32;
    [0, 1, 2].map(|k| colours[below][k] + part * (colours[below + 1][k] - colours[below][k]))
}

#[forall::device]
fn background(x: usize, y: usize) -> [f32; 3] {
    let down = y as f32 / HIGH as f32;
    let (dx, dy) = (x as f32 / WIDE as f32 - 0.5, down - 0.5);
    let vignette = 1.0 - 0.35 * (dx * dx + dy * dy);
    let (top, bottom) = ([0.80, 0.86, 0.92], [0.50, 0.60, 0.70]);
    [0, 1, 2].map(|k| (top[k] + down * (bottom[k] - top[k])) * vignette)
}

#[forall::device]
fn to_srgb(light: f32, noise: f32) -> u8 {
    // A soft shoulder keeps highlights from burning out.
    let light = light.max(0.0);
    let light = light * (1.0 + light * 0.25) / (1.0 + light * 0.25 + 0.25 * light * light);
    let value = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0 + 0.5 + noise).clamp(0.0, 255.0) as u8
}

#[forall::device]
#[inline]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[forall::device]
#[inline]
fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { v }
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
    let view = if least[0] <= most[0] { view.fitted(least, most, zoom as f32) } else { view };
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

/// Writes the picture.
///
/// # Errors
/// When the operating system refuses.
pub fn png(path: &Path, image: &[[u8; 3]]) -> Result<(), crate::write::WriteError> {
    crate::write::atomically(path, |file| {
        let mut encoder = png::Encoder::new(file, SIZE[0] as u32, SIZE[1] as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
        writer.write_image_data(image.as_flattened()).map_err(std::io::Error::other)?;
        writer.finish().map_err(std::io::Error::other)
    })
}
