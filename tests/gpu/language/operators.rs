//! Operators of structs, with other types on their right sides too: a GPU gives what Rust gives.
#![allow(clippy::op_ref)]

use crate::common::annotated::{gives, refusal};
use bytemuck::{Pod, Zeroable};
use forall::{DeviceData, device, foreach, kary_reduce};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

const fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

#[device]
impl Add for Vec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[device]
impl<'a> Sub<&'a Vec3> for &'a Vec3 {
    type Output = Vec3;
    fn sub(self, other: &'a Vec3) -> Vec3 {
        Vec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[device]
impl Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Vec3 { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

#[device]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, of: Vec3) -> Vec3 {
        of * self + Vec3 { x: 0.25, y: 0.0, z: 0.0 }
    }
}

/// The product of each with each, summed up.
#[device]
impl Mul for Vec3 {
    type Output = f32;
    fn mul(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

#[device]
impl Div<f32> for Vec3 {
    type Output = Vec3;
    fn div(self, by: f32) -> Vec3 {
        self * (1.0 / by)
    }
}

#[device]
impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        Vec3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

#[device]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Vec3) {
        *self = *self + other;
    }
}

#[device]
impl MulAssign<f32> for Vec3 {
    fn mul_assign(&mut self, by: f32) {
        self.x *= by;
        self.y *= by;
        self.z *= by;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Body {
    place: Vec3,
    speed: Vec3,
    mass: f32,
    rest: f32,
}

fn bodies(n: usize) -> Vec<Body> {
    let place = |i: usize| vec3((i % 7) as f32 - 3.1, (i % 11) as f32 * 0.7, i as f32 / 9.0);
    (0..n).map(|i| Body { place: place(i), speed: place(i * 5 + 3), mass: 1.0 + (i % 3) as f32, rest: 0.5 }).collect()
}

/// All kinds of operators between fields whose types are not seen here.
#[foreach]
fn moved(bodies: &mut [Body], dt: f32) {
    for body in bodies.iter_mut() {
        let half = 0.5 * dt;
        let force = -body.place * 2.0 / body.mass + 0.5 * body.speed;
        body.speed += force * dt;
        let before = body.place;
        body.place += half * body.speed;
        body.place *= 0.75;
        body.rest = &before * (&body.place - &before) + body.rest * 3.0 - body.mass / dt;
    }
}
impl Mul<Vec3> for &Vec3 {
    type Output = f32;
    fn mul(self, other: Vec3) -> f32 {
        *self * other
    }
}

#[test]
fn vectors_and_numbers() {
    for n in [0, 1, 300] {
        let mut expected = bodies(n);
        moved::sequential(&mut expected, 0.125);
        gives(&expected, || {
            let mut all = bodies(n);
            moved(&mut all, 0.125);
            all
        });
    }
}

/// Attraction between all: the sum is a local variable.
#[foreach]
fn pulls(#[replicated] all: &[Body], out: &mut [Vec3], soft: f32) {
    for i in 0..out.len() {
        let mut sum = vec3_zero();
        for other in all {
            let d = &other.place - &all[i].place;
            let square = d * d + soft;
            sum += d * (other.mass / (square * square.sqrt()));
        }
        out[i] = sum / 2.0;
    }
}

#[device]
fn vec3_zero() -> Vec3 {
    Vec3 { x: 0.0, y: 0.0, z: 0.0 }
}

#[test]
fn sums_of_vectors_by_numbers() {
    let all = bodies(100);
    let mut expected = vec![vec3(0.0, 0.0, 0.0); 100];
    pulls::sequential(&all, &mut expected, 0.01);
    gives(&expected, || {
        let mut out = vec![vec3(0.0, 0.0, 0.0); 100];
        pulls(&all, &mut out, 0.01);
        out
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct C64 {
    re: f64,
    im: f64,
}

#[device]
impl Add for C64 {
    type Output = C64;
    fn add(self, other: C64) -> C64 {
        C64 { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
impl Sub for C64 {
    type Output = C64;
    fn sub(self, other: C64) -> C64 {
        C64 { re: self.re - other.re, im: self.im - other.im }
    }
}

#[device]
impl Mul for C64 {
    type Output = C64;
    fn mul(self, other: C64) -> C64 {
        C64 { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[device]
impl Mul<f64> for C64 {
    type Output = C64;
    fn mul(self, by: f64) -> C64 {
        C64 { re: self.re * by, im: self.im * by }
    }
}

#[device]
impl C64 {
    fn square(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

/// One step of a transform of pairs.
#[foreach]
fn butterflies(x: &mut [C64], turn: C64) {
    for pair in x.chunks_exact_mut(2) {
        let (a, b) = (pair[0], pair[1] * turn);
        pair[0] = (a + b) * 0.5;
        pair[1] = (a - b) * 0.5;
    }
}

#[foreach]
fn julia(out: &mut [u32], width: usize, c: C64) {
    for i in 0..out.len() {
        let mut z = C64 { re: (i % width) as f64 * 0.1 - 1.5, im: (i / width) as f64 * 0.1 - 1.5 };
        let mut steps = 0;
        while z.square() <= 4.0 && steps < 50 {
            z = z * z + c;
            steps += 1;
        }
        out[i] = steps;
    }
}

fn plus(a: C64, b: C64) -> C64 {
    a + b
}
#[device]
fn sum(a: C64, b: C64) -> C64 {
    a + b
}

#[kary_reduce(combine = sum)]
fn total(x: &[C64], weights: &[f64]) -> C64 {
    let mut all = C64 { re: 0.0, im: 0.0 };
    for (x, w) in x.iter().zip(weights) {
        all = sum(all, *x * *w);
    }
    all
}

#[test]
fn complex_numbers() {
    let c = |re: f64, im: f64| C64 { re, im };
    let x: Vec<C64> = (0..400).map(|i| c(f64::from(i), 1.0 / f64::from(i + 1))).collect();
    assert_eq!(plus(x[1], x[1]), x[1] * 2.0);
    let weights: Vec<f64> = (0..400).map(f64::from).collect();
    let mut expected = (x.clone(), vec![0; 900]);
    butterflies::sequential(&mut expected.0, c(0.6, 0.8));
    julia::sequential(&mut expected.1, 30, c(-0.4, 0.6));
    gives(&expected, || {
        let (mut x, mut out) = (x.clone(), vec![0; 900]);
        butterflies(&mut x, c(0.6, 0.8));
        julia(&mut out, 30, c(-0.4, 0.6));
        (x, out)
    });
    let expected = total::sequential(&x[..3], &weights[..3]);
    gives(&expected, || total(&x[..3], &weights[..3]));
}

/// Equal where the rest does not matter.
#[derive(Debug, Clone, Copy, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Cell {
    at: [i32; 2],
    weight: f32,
}

#[device]
impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.at == other.at
    }
}

#[foreach]
fn places(cells: &[Cell], #[replicated] wanted: &[Cell], out: &mut [u32]) {
    for i in 0..cells.len() {
        out[i] = 0;
        for cell in wanted {
            if cells[i] == *cell {
                out[i] += 1;
            }
            if cells[i].weight != cell.weight && cells[i].at != cell.at {
                out[i] += 100;
            }
        }
    }
}

#[test]
fn what_is_equal() {
    let cell = |k: i32| Cell { at: [k % 3, k % 2], weight: (k % 5) as f32 };
    let (cells, wanted): (Vec<Cell>, Vec<Cell>) = ((0..100).map(cell).collect(), (0..7).map(cell).collect());
    let mut expected = vec![0; 100];
    places::sequential(&cells, &wanted, &mut expected);
    gives(&expected, || {
        let mut out = vec![0; 100];
        places(&cells, &wanted, &mut out);
        out
    });
}

/// No operator of its is marked.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Plain {
    x: f32,
}

#[foreach]
fn derived(#[replicated] x: &[Plain], out: &mut [bool]) {
    for i in 0..x.len() {
        out[i] = x[i] == x[0];
    }
}

impl Mul<f32> for Plain {
    type Output = Plain;
    fn mul(self, by: f32) -> Plain {
        Plain { x: self.x * by }
    }
}

#[foreach]
fn unmarked(x: &mut [Plain], by: f32) {
    for i in 0..x.len() {
        x[i] = x[i] * by;
    }
}

#[foreach]
fn unmarked_beside_literal(x: &mut [Plain]) {
    for i in 0..x.len() {
        x[i] = x[i] * 2.0;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Twice {
    x: f32,
}

#[device]
impl Add for Twice {
    type Output = Twice;
    fn add(self, other: Twice) -> Twice {
        Twice { x: self.x + other.x }
    }
}

#[device]
impl Add<&Twice> for Twice {
    type Output = Twice;
    fn add(self, other: &Twice) -> Twice {
        Twice { x: self.x + 2.0 * other.x }
    }
}

#[foreach]
fn twice(x: &mut [Twice]) {
    for i in 0..x.len() {
        x[i] = x[i] + x[i];
    }
}

#[test]
fn what_is_in_the_way_is_said() {
    let said = refusal(|| unmarked(&mut [Plain { x: 1.0 }][..], 2.0));
    assert!(said.is_none_or(|said| said.contains("above the `impl Mul<f32> for language::operators::Plain`")));
    let said = refusal(|| unmarked_beside_literal(&mut [Plain { x: 1.0 }][..]));
    assert!(said.is_none_or(|said| said.contains("`mul` of `language::operators::Plain` and a number is not marked")));
    let said = refusal(|| derived(&[Plain { x: 1.0 }][..], &mut [false][..]));
    assert!(said.is_none_or(|said| {
        said.contains("`==` of `language::operators::Plain` is not marked: write the `impl PartialEq`")
    }));
    // Which of them it is depends on what a macro does not see.
    let mut x = [Twice { x: 1.0 }];
    let _ = x[0] + &x[0];
    let said = refusal(|| twice(&mut x[..]));
    assert!(said.is_none_or(|said| said.contains("marked several times")));
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Mask {
    bits: u32,
}

#[device]
impl std::ops::BitAnd for Mask {
    type Output = Mask;
    fn bitand(self, other: Mask) -> Mask {
        Mask { bits: self.bits & other.bits }
    }
}

#[device]
impl std::ops::BitOr for Mask {
    type Output = Mask;
    fn bitor(self, other: Mask) -> Mask {
        Mask { bits: self.bits | other.bits }
    }
}

#[device]
impl std::ops::BitXorAssign for Mask {
    fn bitxor_assign(&mut self, other: Mask) {
        self.bits ^= other.bits;
    }
}

#[foreach]
fn masked(x: &[Mask], mask: Mask, set: Mask, out: &mut [Mask]) {
    for i in 0..x.len() {
        let mut bits = (x[i] & mask) | set;
        bits ^= x[i];
        out[i] = bits;
    }
}

/// Their traits have two words in a name that is one in the method.
#[test]
fn operators_of_bits() {
    let x: Vec<Mask> = (0..300).map(|i| Mask { bits: i * 77 }).collect();
    let mut expected = x.clone();
    masked::sequential(&x, Mask { bits: 0x5a }, Mask { bits: 3 }, &mut expected);
    gives(&expected, || {
        let mut out = x.clone();
        masked(&x, Mask { bits: 0x5a }, Mask { bits: 3 }, &mut out);
        out
    });
}

/// A complex number of integers.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Gauss {
    re: i32,
    im: i32,
}

#[device]
impl Add for Gauss {
    type Output = Gauss;
    fn add(self, other: Gauss) -> Gauss {
        Gauss { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
impl Mul<i32> for Gauss {
    type Output = Gauss;
    fn mul(self, by: i32) -> Gauss {
        Gauss { re: self.re * by, im: self.im * by }
    }
}

#[device]
impl Mul<Gauss> for i32 {
    type Output = Gauss;
    fn mul(self, by: Gauss) -> Gauss {
        Gauss { re: self * by.re, im: self * by.im }
    }
}

#[device]
impl MulAssign<i64> for Gauss {
    fn mul_assign(&mut self, by: i64) {
        self.re *= by as i32;
    }
}

#[device]
fn tripled(a: Gauss) -> Gauss {
    let w: Gauss = a * 3;
    Gauss { re: w.re, im: 2 * w.im }
}

type Count = u32;

#[foreach]
fn of_integers(a: &[Gauss], n: &[Count], out: &mut [Gauss]) {
    for i in 0..a.len() {
        let k = i as i32 % 7;
        let mut b = a[i] * k + 2 * a[i] + tripled(a[i]);
        b *= 5;
        // A name for a number is a number.
        out[i] = b * -1 + Gauss { re: (n[i] * 2 + 1) as i32, im: 0 };
    }
}

/// The function says what is handed to it.
#[device]
fn larger(a: Gauss, b: Gauss) -> Gauss {
    Gauss { re: a.re.max(b.re), im: a.im + b.im }
}

#[kary_reduce(combine = larger)]
fn of_literals(x: &[i32]) -> (i32, i32) {
    let mut most = Gauss { re: i32::MIN, im: 0 };
    for i in 0..x.len() {
        most = larger(most, Gauss { re: x[i], im: 1 });
    }
    (most.re, most.im)
}

#[foreach]
fn handed_literals(x: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        let both = larger(Gauss { re: x[i], im: i as i32 }, Gauss { re: 3, im: 4 });
        out[i] = both.re * both.im;
    }
}

#[test]
fn structs_beside_integers() {
    let a: Vec<Gauss> = (0..300).map(|i| Gauss { re: i % 17 - 5, im: 3 * i }).collect();
    let n: Vec<Count> = (0..300).map(|i| i * i).collect();
    let mut expected = a.clone();
    of_integers::sequential(&a, &n, &mut expected);
    gives(&expected, || {
        let mut out = a.clone();
        of_integers(&a, &n, &mut out);
        out
    });
}

#[test]
fn literals_of_structs_are_handed_on() {
    let x: Vec<i32> = (0..300).map(|i| i * 77 % 101 - 40).collect();
    gives(&of_literals::sequential(&x), || of_literals(&x));
    let mut expected = x.clone();
    handed_literals::sequential(&x, &mut expected);
    gives(&expected, || {
        let mut out = x.clone();
        handed_literals(&x, &mut out);
        out
    });
}
