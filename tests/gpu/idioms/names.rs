//! Constants and functions of types, closures and functions that the function declares, and parameters that are numbers.

use super::{N, floats, integers, words};
use forall::foreach;

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[forall::device]
impl Vec3 {
    const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
    const SCALE: f32 = 0.5;
    const AXES: [Vec3; 2] = [Vec3 { x: 1.0, y: 0.0, z: 0.0 }, Vec3 { x: 0.0, y: 1.0, z: 0.0 }];

    fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z * Self::SCALE
    }

    fn add(self, other: Vec3) -> Vec3 {
        Vec3::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }

    fn is_zero(&self) -> bool {
        self.x == Self::ZERO.x && self.y == 0.0 && self.z == 0.0
    }
}

#[foreach]
fn constants(x: &[Vec3], out: &mut [f32]) {
    for i in 0..x.len() {
        let mut sum = Vec3::ZERO;
        for axis in Vec3::AXES {
            sum = sum.add(axis);
        }
        sum = sum.add(x[i]).add(Vec3::ONE);
        out[i] = sum.dot(Vec3::new(1.0, 2.0, 3.0)) * Vec3::SCALE + Vec3::AXES[i % 2].y;
        if sum.is_zero() {
            out[i] = -1.0;
        }
    }
}

impl Vec3 {
    #[forall::device]
    const ONE: Vec3 = Vec3 { x: 1.0, y: 1.0, z: 1.0 };
}

struct Solver {
    weight: f32,
}

impl Solver {
    const N: usize = 3;
    const RELAX: f32 = 0.25;

    #[foreach]
    fn relax(&self, x: &[f32], out: &mut [f32]) {
        for i in 0..x.len() {
            let mut v = x[i];
            for _ in 0..Self::N {
                v += Self::RELAX * (self.weight - v);
            }
            let mut a = [0.0f32; Self::N];
            for k in 0..Self::N {
                a[k] = v * k as f32;
            }
            out[i] = a[2] + Self::lifted(v);
        }
    }
}

#[forall::device]
impl Solver {
    fn lifted(v: f32) -> f32 {
        v + 1.0
    }
}

#[foreach]
fn closures(x: &[f32], y: &[f32], bias: f32, out: &mut [f32]) {
    let outside = |a: f32| a * 2.0 + 1.0;
    for i in 0..x.len() {
        let lerp = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let biased = |v| v + bias + x[i];
        let mut sum = 0.0;
        let mut add = |v: f32| sum += v;
        add(1.0);
        add(lerp(x[i], y[i], 0.25));
        let square = |v: f32| -> f32 {
            if v < 0.0 {
                return 0.0;
            }
            v * v
        };
        out[i] = sum + biased(square(y[i])) + outside(x[i]);
    }
}

#[foreach]
fn functions(x: &[f32], out: &mut [f32]) {
    fn square(v: f32) -> f32 {
        v * v
    }
    fn cube(v: f32) -> f32 {
        Solver::lifted(v) * square(v)
    }
    const HALF: f32 = 0.5;
    const COUNT: usize = 2 + 2;
    fn poly(v: f32) -> f32 {
        let mut sum = 0.0;
        for k in 0..COUNT {
            sum = sum * v + k as f32 * HALF;
        }
        sum
    }
    for i in 0..x.len() {
        fn sign(v: f32) -> i32 {
            match v {
                v if v > 0.0 => 1,
                _ => -1,
            }
        }
        fn twice(v: f32) -> f32 {
            square(v) + Solver::lifted(v)
        }
        fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
            if a > b { a } else { b }
        }
        let buffer = [1.0f32; COUNT];
        out[i] = cube(x[i]) - twice(x[i])
            + square(poly(x[i]))
            + sign(x[i]) as f32
            + larger(x[i], 0.5)
            + larger(i, 3) as f32
            + buffer[COUNT - 1];
    }
}

#[foreach]
fn sized<const K: usize>(x: &[f32], w: &[f32; K], out: &mut [f32]) {
    for i in 0..out.len() {
        let mut a = [0f32; K];
        for k in 0..K {
            a[k] = x[i] * w[k];
        }
        let mut sum = 0.0;
        for v in a.iter() {
            sum += v;
        }
        out[i] = sum * K as f32;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, bytemuck::NoUninit, forall::DeviceData)]
#[repr(u8)]
enum Level {
    Low = 1,
    Middle,
    High = 9,
}

#[foreach]
fn ordered(x: &[Level], y: &[Level], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = (x[i] < y[i]) as u32
            + (x[i] >= y[i]) as u32 * 2
            + (x[i] == y[i]) as u32 * 4
            + (x[i] > Level::Low) as u32 * 8;
        out[i] += x[i].max(y[i]) as u32 * 100
            + match x[i].cmp(&y[i]) {
                std::cmp::Ordering::Less => 1000,
                std::cmp::Ordering::Equal => 2000,
                std::cmp::Ordering::Greater => 3000,
            };
    }
}

#[foreach]
fn ordered_structs(x: &[Vec3], y: &[Vec3], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = (x[i] < y[i]) as u32 * 4;
    }
}

/// The first is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::NoUninit, forall::DeviceData)]
#[repr(u8)]
enum Turned {
    One,
    Two,
}

impl PartialOrd for Turned {
    fn partial_cmp(&self, other: &Turned) -> Option<std::cmp::Ordering> {
        (*other as u8).partial_cmp(&(*self as u8))
    }
}

#[foreach]
fn backwards(x: &[Turned], than: Turned, out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = (x[i] < than) as u32;
    }
}

const TAPS: usize = 5;

#[forall::device]
fn weighed(taps: [f32; TAPS], by: f32) -> f32 {
    let mut weights = [0.5; TAPS];
    for k in 0..TAPS {
        weights[k] += k as f32 * by;
    }
    taps.iter().zip(&weights).map(|(a, b)| a * b).sum()
}

#[foreach]
fn of_constant_length(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        let mut taps = [0.0; TAPS];
        let mut counts: [u32; TAPS * 2] = [0; TAPS * 2];
        for (k, tap) in taps.iter_mut().enumerate() {
            *tap = x[i] * (TAPS - k) as f32;
            counts[(k * 7) % counts.len()] += 1 + k as u32;
        }
        let first = taps[0];
        taps.sort_by(|a, b| a.total_cmp(b));
        counts[1..].reverse();
        taps[TAPS - 1] -= 1.0;
        let mut sum = first;
        for v in taps {
            sum = sum * 0.5 + v;
        }
        for v in &counts[2..] {
            sum += *v as f32;
        }
        let (a, z) = (taps[0], taps[TAPS - 1]);
        out[i] = sum + weighed(taps, 0.25) + counts.iter().max().copied().unwrap_or(0) as f32 + a * z;
    }
}

#[test]
fn of_types() {
    let points: Vec<Vec3> = floats(N).iter().map(|&v| Vec3 { x: v, y: v * 2.0, z: 1.0 - v }).collect();
    alike! {
        constants(&points) => vec![0.0; N];
    }
    let solver = Solver { weight: 3.0 };
    let mut expected = vec![0.0; N];
    solver.relax_sequential(&floats(N), &mut expected);
    let run = || {
        let mut out = vec![0.0; N];
        solver.relax(&floats(N), &mut out);
        out
    };
    assert_eq!(super::told("relax", &expected, run), None);
}

#[test]
fn of_functions() {
    let _ = (integers(1), words(1));
    alike! {
        closures(&floats(N), &floats(N + 5)[5..], 0.5) => vec![0.0; N];
        functions(&floats(N)) => vec![0.0; N];
        sized(&floats(N), &[0.5, 0.25, 2.0, 1.0, 1.5]) => vec![0.0; N];
        sized(&floats(N), &[0.5, 0.25]) => vec![0.0; N];
        of_constant_length(&floats(N)) => vec![0.0; N];
    }
}

#[test]
fn orders() {
    let levels: Vec<Level> = (0..N).map(|i| [Level::Low, Level::High, Level::Middle][i * i % 7 % 3]).collect();
    let points: Vec<Vec3> = floats(N).iter().map(|&v| Vec3 { x: v % 2.0, y: v % 3.0, z: 1.0 - v }).collect();
    let said = crate::common::annotated::refusal(|| ordered_structs(&points[..], &points[..], &mut [0; N][..]));
    assert!(said.is_none_or(|said| said.contains("has no order that a device sees")));
    let mut marks = [0; 2];
    let said =
        crate::common::annotated::refusal(|| backwards(&[Turned::One, Turned::Two][..], Turned::One, &mut marks[..]));
    assert!(said.is_none_or(|said| said.contains("is not that of its numbers")));
    alike! {
        ordered(&levels, &[&levels[7..], &levels[..7]].concat()) => vec![0; N];
    }
}
