//! Arrays of tuples, and tuples that are carried from step to step.

use super::{N, floats, integers};
use forall::{foreach, kary_reduce};

#[forall::device]
const OFFSETS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

#[forall::device]
pub const WEIGHTED: [(usize, f32); 3] = [(0, 0.5), (1, 0.25), (2, 0.25)];

const MARKS: [(u8, f32); 2] = [(1, 0.25), (2, -0.25)];

#[foreach]
fn in_headers(#[replicated] x: &[f32], width: i32, height: i32, out: &mut [f32]) {
    for i in 0..x.len() {
        let (px, py) = (i as i32 % width, i as i32 / width);
        let mut sum = 0.0;
        for (dx, dy) in [(-1i32, 0i32), (1, 0), (0, -1), (0, 1)] {
            let (qx, qy) = (px + dx, py + dy);
            if qx >= 0 && qx < width && qy >= 0 && qy < height {
                sum += x[(qy * width + qx) as usize];
            }
        }
        out[i] = sum;
    }
}

#[foreach]
fn by_constant(#[replicated] x: &[f32], width: i32, height: i32, out: &mut [f32]) {
    for i in 0..x.len() {
        let (px, py) = (i as i32 % width, i as i32 / width);
        let mut sum = 0.0;
        for &(dx, dy) in &OFFSETS {
            let (qx, qy) = (px + dx, py + dy);
            if qx >= 0 && qx < width && qy >= 0 && qy < height {
                sum += x[(qy * width + qx) as usize];
            }
        }
        for k in 0..4 {
            if OFFSETS[k].1 < 0 {
                sum += OFFSETS[k].0 as f32 + 1.0;
            }
        }
        sum += MARKS[i % 2].1;
        let (at, weight) = WEIGHTED[i % 3];
        out[i] = sum * weight + at as f32;
    }
}

const INSIDE: [(u32, f32); 2] = [(3, 0.5), (4, 0.25)];

#[foreach]
fn unmarked(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        const NEAR: [(i32, f32); 3] = [(-1, 0.5), (0, 1.0), (1, 0.5)];
        let mut sum = 0.0;
        for (k, w) in NEAR.iter() {
            sum += w * *k as f32;
        }
        for (k, &(n, w)) in INSIDE.iter().enumerate() {
            sum += n as f32 * w * x[i] + k as f32;
        }
        out[i] = sum + NEAR[i % 3].1;
    }
}

#[foreach]
fn local(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let mut best = [(f32::INFINITY, 0usize); 3];
        for k in 0..n {
            let v = x[i * n + k];
            if v < best[0].0 {
                best[2] = best[1];
                best[1] = best[0];
                best[0] = (v, k);
            } else if v < best[1].0 {
                best[2] = best[1];
                best[1] = (v, k);
            } else if v < best[2].0 {
                best[2].0 = v;
                best[2].1 = k;
            }
        }
        let mut sum = 0.0;
        for (v, k) in best {
            sum += v * (k + 1) as f32;
        }
        out[i] = sum;
    }
}

#[foreach]
fn stack(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut stack = [(0u32, 0u8); 8];
        let mut top = 0;
        stack[top] = (x[i] % 64, 0);
        top += 1;
        let mut sum = 0;
        while top > 0 {
            top -= 1;
            let (v, depth) = stack[top];
            sum += v * (depth as u32 + 1);
            if depth < 3 && v > 1 {
                stack[top] = (v / 2, depth + 1);
                stack[top + 1] = (v / 3, depth + 1);
                top += 2;
            }
        }
        out[i] = sum;
    }
}

#[foreach]
fn carried(x: &[f32], n: usize, out: &mut [f32]) {
    for i in 0..out.len() {
        let mut best = (f32::INFINITY, 0usize);
        for (k, v) in x[i * n..(i + 1) * n].iter().enumerate() {
            let d = v * v;
            if d < best.0 {
                best = (d, k);
            }
        }
        let mut range = (0.0f32, 0.0f32);
        for k in 0..n {
            range.0 = range.0.min(x[i * n + k]);
            range.1 = range.1.max(x[i * n + k]);
        }
        out[i] = best.0 + best.1 as f32 + range.1 - range.0;
    }
}

#[foreach]
fn nested(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        let mut state = ((x[i], 1), [0, 1, 2]);
        for k in 0..5 {
            state.0.0 += k * state.0.1;
            state.0.1 = -state.0.1;
            state.1[k as usize % 3] += state.0.0;
        }
        let ((a, b), [c, d, e]) = state;
        out[i] = a + b + c * d - e;
    }
}

#[foreach]
fn of_pairs(x: &[f32], y: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let points = [(x[i], y[i]), (x[i] + 1.0, y[i]), (x[i], y[i] - 1.0)];
        let mut area = 0.0;
        for k in 0..points.len() {
            let (ax, ay) = points[k];
            let (bx, by) = points[(k + 1) % points.len()];
            area += ax * by - bx * ay;
        }
        let centre = points.iter().fold((0.0, 0.0), |(a, b), p| (a + p.0, b + p.1));
        out[i] = area + centre.0 * centre.1 + points.iter().map(|&(a, b)| a * b).sum::<f32>();
    }
}

#[kary_reduce]
fn nearest(x: &[f32], to: f32) -> (f32, usize) {
    let mut best = (f32::INFINITY, 0usize);
    for i in 0..x.len() {
        let d = (x[i] - to).abs();
        if d < best.0 {
            best = (d, i);
        }
    }
    best
}

#[kary_reduce]
fn extremes(x: &[f32]) -> (f32, f32) {
    let mut range = (f32::INFINITY, f32::NEG_INFINITY);
    for i in 0..x.len() {
        range.0 = range.0.min(x[i]);
        range.1 = range.1.max(x[i]);
    }
    range
}

mod far {
    pub const STEPS: [(i32, u8); 3] = [(5, 1), (-6, 2), (7, 3)];

    #[forall::device]
    pub fn stepped(v: i32) -> i32 {
        let mut sum = v;
        for (step, count) in STEPS {
            sum += step * count as i32;
        }
        sum + STEPS[v.unsigned_abs() as usize % 3].0
    }

    #[forall::device]
    pub fn last(all: [(f32, usize); 3]) -> (usize, f32) {
        (all[2].1, all[0].0)
    }

    #[forall::device]
    pub fn around(v: f32) -> [(f32, f32); 2] {
        [(v, v + 1.0), (v * 2.0, -v)]
    }
}

/// A number with a name.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(transparent)]
struct Metres(f32);

const LENGTHS: [Metres; 3] = [Metres(0.5), Metres(2.0), Metres(-1.0)];

#[foreach]
fn in_functions(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let all = [(x[i], i), (1.0, i + 1), (2.0, i + 2)];
        let (at, v) = far::last(all);
        let around: [(f32, f32); 2] = far::around(x[i]);
        out[i] = at as f32 * v + around[i % 2].1 + far::stepped(i as i32) as f32 + around[1].0 + LENGTHS[i % 3].0;
    }
}

#[foreach]
fn captured(x: &[f32], steps: usize, out: &mut [f32]) {
    let near = [(1usize, 0.5f32), (2, 0.25)];
    let far: Vec<(f32, [u8; 2])> = (0..steps).map(|k| (k as f32, [k as u8, 7])).collect();
    let both = (0.5f32, (3u32, 4u8));
    for i in 0..x.len() {
        let mut sum = both.0 + (both.1).0 as f32 * (both.1).1 as f32;
        for (k, w) in near {
            sum += x[i] * w + k as f32;
        }
        for (v, bytes) in far.iter() {
            sum += v * bytes[0] as f32 + bytes[1] as f32;
        }
        out[i] = sum + far[i % steps].0;
    }
}

#[foreach]
fn of_options(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        let mut seen = [None; 4];
        let mut grid = [[(0u32, false); 2]; 3];
        for k in 0..6u32 {
            let v = (x[i] >> k) % 7;
            if v > 1 {
                seen[k as usize % 4] = Some(v);
            }
            grid[k as usize % 3][v as usize % 2] = (v, true);
            grid[1][1].0 += 1;
        }
        let mut sum = 0;
        for s in seen {
            sum += s.unwrap_or(50);
        }
        for row in grid {
            for (v, there) in row {
                if there {
                    sum += v * 3;
                }
            }
        }
        if let Some(v) = seen[2] {
            sum += v * 1000;
        }
        out[i] = sum;
    }
}

#[foreach]
fn compared(x: &[f32], y: &[f32], out: &mut [u32]) {
    for i in 0..x.len() {
        let (a, b) = ((x[i] as i32, y[i]), (y[i] as i32, x[i]));
        out[i] = (a < b) as u32 + (a <= b) as u32 * 2 + (a > b) as u32 * 4 + (a >= b) as u32 * 8;
        out[i] += (a == b) as u32 * 16 + (a != b) as u32 * 32 + ((x[i], 1) < (y[i], 2)) as u32 * 64;
        let mut least = (x[i], 0);
        for k in 1..4 {
            if (y[i], k) < least {
                least = (y[i], k);
            }
        }
        out[i] += least.1 * 1000;
    }
}

#[kary_reduce]
fn closest_pair(x: &[f32], y: &[f32]) -> ((f32, u8), usize) {
    let mut best = (f32::MAX, 0);
    let mut at = 0;
    for i in 0..x.len() {
        let d = (x[i] - y[i]).abs();
        if d < best.0 {
            best = (d, i as u8);
            at = i;
        }
    }
    (best, at)
}

#[kary_reduce(combine = later)]
fn by_function(x: &[f32]) -> (f32, usize) {
    let mut best = (f32::NEG_INFINITY, 0);
    for i in 0..x.len() {
        best = later(best, (x[i], i));
    }
    best
}

#[forall::device]
fn later(a: (f32, usize), b: (f32, usize)) -> (f32, usize) {
    if b.0 >= a.0 { b } else { a }
}

#[kary_reduce(combine = further)]
fn of_tuples_inside(x: &[f32]) -> ((f32, f32), u8) {
    let mut best = ((0.0, 1.0), 2);
    for i in 0..x.len() {
        best = further(best, ((x[i], 2.0), 3));
    }
    best
}

#[forall::device]
fn further(a: ((f32, f32), u8), b: ((f32, f32), u8)) -> ((f32, f32), u8) {
    if b.0.0 >= a.0.0 { b } else { a }
}

#[test]
fn of_many_kinds() {
    let (x, y) = (floats(N), floats(N + 13)[13..].to_vec());
    alike! {
        in_functions(&x) => vec![0.0; N];
        captured(&x, 5) => vec![0.0; N];
        of_options(&super::words(N)) => vec![0; N];
        compared(&[&x[..], &[f32::NAN, 1.0, 2.0]].concat(), &[&y[..], &[1.0, f32::NAN, 2.0]].concat()) => vec![0; N + 3];
    }
    let said = crate::common::annotated::refusal(|| of_tuples_inside(&x[..]));
    assert!(said.is_none_or(|said| said.contains("holds a tuple inside of others")));
}

#[test]
fn best_of_all_ranks() {
    let (x, y) = (floats(300), floats(307)[7..].to_vec());
    let expected = (
        nearest::sequential(&x, 0.3),
        extremes::sequential(&x),
        closest_pair::sequential(&x, &y),
        by_function::sequential(&x),
    );
    crate::common::annotated::gives_on(1..=3, &expected, || {
        let of = |all: &[f32]| forall::DistVec::from_fn(all.len(), |i| all[i]);
        let (x, y) = (of(&x), of(&y));
        (nearest(&x, 0.3), extremes(&x), closest_pair(&x, &y), by_function(&x))
    });
}

#[test]
fn arrays_of_tuples() {
    alike! {
        in_headers(&floats(N), 10, 6) => vec![0.0; N];
        by_constant(&floats(N), 10, 6) => vec![0.0; N];
        unmarked(&floats(N)) => vec![0.0; N];
        local(&floats(N * 6), 6) => vec![0.0; N];
        stack(&super::words(N)) => vec![0; N];
        of_pairs(&floats(N), &floats(N + 7)[7..]) => vec![0.0; N];
    }
}

#[test]
fn tuples_that_are_carried() {
    alike! {
        carried(&floats(N * 6), 6) => vec![0.0; N];
        nested(&integers(N)) => vec![0; N];
    }
    let x = floats(N);
    assert_eq!(super::told("nearest", &nearest::sequential(&x, 0.3), || nearest(&x, 0.3)), None);
    assert_eq!(super::told("extremes", &extremes::sequential(&x), || extremes(&x)), None);
}
