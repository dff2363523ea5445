//! Lines as a picture: slow parts are dark, fast ones bright.

use crate::lines::are_joined;
use crate::particle::Point;
use forall::{DistVec, foreach, kary_reduce};
use forall_examples::camera::{Camera, View, project};
use forall_examples::colours::{VIRIDIS, ramp, to_srgb};

/// The pixels along x and y.
pub const SIZE: [usize; 2] = [1000, 800];

/// No line is there.
const NOTHING: u64 = u64::MAX;

/// The greatest speed.
#[kary_reduce]
fn fastest(points: &[Point]) -> f32 {
    let mut most = 0.0_f32;
    for point in points {
        most = most.max(point.speed);
    }
    most
}

/// Draws each part of a line, and keeps what is nearest in each pixel: the depth, and the speed.
#[kary_reduce]
fn nearest(points: &[Point], view: &View, periods: [f32; 3], #[replicated] frame: &mut [u64]) {
    for pair in points.windows(2) {
        if are_joined(&pair[0], &pair[1], periods) {
            let (from, to) = (project(view, pair[0].at), project(view, pair[1].at));
            let pixels = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()).min(4000.0) as usize + 1;
            for k in 0..=pixels {
                let part = k as f32 / pixels as f32;
                let [x, y, depth] = [0, 1, 2].map(|axis| from[axis] + part * (to[axis] - from[axis]));
                if x >= 0.0 && y >= 0.0 && x < SIZE[0] as f32 && y < SIZE[1] as f32 && depth > 0.0 {
                    let speed = pair[0].speed + part * (pair[1].speed - pair[0].speed);
                    // Positive floats are in the order of their bits.
                    let seen = u64::from(depth.to_bits()) << 32 | u64::from(speed.to_bits());
                    let pixel = y as usize * SIZE[0] + x as usize;
                    frame[pixel] = frame[pixel].min(seen);
                }
            }
        }
    }
}

/// Colours of what is nearest, darker if it is far away.
#[foreach]
fn coloured(#[replicated] frame: &[u64], most: f32, depths: [f32; 2], image: &mut [[u8; 3]]) {
    for i in 0..image.len() {
        let (depth, speed) = (f32::from_bits((frame[i] >> 32) as u32), f32::from_bits(frame[i] as u32));
        let is_line = frame[i] != NOTHING;
        let near =
            if is_line { 1.0 - 0.65 * ((depth - depths[0]) / (depths[1] - depths[0])).clamp(0.0, 1.0) } else { 0.0 };
        let at = if is_line && most > 0.0 { 0.15 + 0.85 * speed / most } else { 0.0 };
        let light = ramp(at, &VIRIDIS);
        image[i] = [0, 1, 2].map(|k| to_srgb(0.012 + near * light[k] * 1.3, 0.0));
    }
}

/// Draws sorted points as lines in a domain from `low` to `high`. Rank 0 gets the picture. Collective.
pub fn draw(
    points: &DistVec<Point>,
    [low, high]: [[f32; 3]; 2],
    periods: [f32; 3],
    camera: Option<Camera>,
) -> Option<Vec<[u8; 3]>> {
    let camera = camera.unwrap_or(Camera { azimuth: 30.0, elevation: 25.0, zoom: 1.0 });
    let view = View::new(low, high, [1.0; 3], camera);
    let corners = (0..8).map(|corner| {
        let at = [0, 1, 2].map(|axis| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] });
        project(&view, at)
    });
    let corners: Vec<[f32; 3]> = corners.collect();
    let along = |k: usize| corners.iter().map(move |corner| corner[k]);
    let least = [0, 1, 2].map(|k| along(k).fold(f32::INFINITY, f32::min));
    let most = [0, 1, 2].map(|k| along(k).fold(f32::NEG_INFINITY, f32::max));
    let view = view.fitted([least[0], least[1]], [most[0], most[1]], SIZE, camera.zoom as f32);
    let mut frame = vec![NOTHING; SIZE[0] * SIZE[1]];
    nearest(points, &view, periods, &mut frame);
    let mut image = DistVec::from_local(vec![[0; 3]; forall::share(frame.len()).len()]);
    coloured(&frame, fastest(points), [least[2], most[2]], &mut image);
    image.to_root()
}
