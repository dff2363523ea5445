//! Structs with `#[derive(forall::DeviceData)]`: a GPU holds them as Rust does, and gives what Rust gives.

use crate::common::annotated::{gives_on, refusal};
use bytemuck::{NoUninit, Pod, Zeroable};
use forall::{DeviceData, DistVec, device, distributed_scan, foreach, kary_reduce};

/// The same on 1, 2 and 3 ranks.
fn same<R: Send + PartialEq + std::fmt::Debug>(expected: &R, program: impl Fn() -> R + Sync) {
    gives_on(1..=3, expected, program);
}

const SIZES: [usize; 5] = [0, 1, 255, 257, 1030];

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Particle {
    pos: [f32; 3],
    vel: [f32; 3],
    mass: f32,
}

fn particle(i: usize) -> Particle {
    let x = i as f32;
    Particle { pos: [x, 0.5 * x, -x], vel: [1.0, x * 0.25, 2.0], mass: if i.is_multiple_of(3) { 0.0 } else { 1.5 } }
}

#[foreach]
fn moved(ps: &mut [Particle], dt: f32) {
    for i in 0..ps.len() {
        if ps[i].mass > 0.0 {
            ps[i].pos[0] += dt * ps[i].vel[0];
            for k in 1..3 {
                ps[i].pos[k] += dt * ps[i].vel[k] / ps[i].mass;
            }
        }
    }
}

#[test]
fn fields_of_elements() {
    for n in SIZES {
        let mut expected: Vec<Particle> = (0..n).map(particle).collect();
        moved::sequential(&mut expected, 0.125);
        same(&expected, || {
            let mut ps = DistVec::from_fn(n, particle);
            moved(&mut ps, 0.125);
            ps.to_all()
        });
    }
}

/// Numbers of all widths: its words hold several of them.
#[derive(Debug, Clone, Copy, PartialEq, NoUninit, DeviceData)]
#[repr(C)]
struct Mixed {
    long: u64,
    double: f64,
    signed: i64,
    place: usize,
    apart: isize,
    float: f32,
    small: i8,
    on: bool,
    short: u16,
    bytes: [u8; 3],
    last: bool,
    minus: i16,
    plus: i16,
}

fn mixed(i: usize) -> Mixed {
    Mixed {
        long: i as u64 * 0x1_0000_0001,
        double: i as f64 * 0.1,
        signed: -(i as i64) * 0x1_0000_0003,
        place: if i == 3 { usize::MAX } else { i },
        apart: -(i as isize),
        float: i as f32 * 0.5,
        small: (i % 256) as u8 as i8,
        on: i.is_multiple_of(2),
        short: (i * 31) as u16,
        bytes: [i as u8, (i / 2) as u8, 255],
        last: i.is_multiple_of(3),
        minus: -(i as i16),
        plus: i as i16,
    }
}

#[foreach]
fn of_all_widths(x: &[Mixed], out: &mut [Mixed]) {
    for i in 0..x.len() {
        let mut m = x[i];
        m.long = m.long.wrapping_mul(3) ^ 5;
        m.double += 1.5;
        m.signed = -m.signed;
        if m.place != usize::MAX {
            m.place += 7;
        }
        m.apart -= 1;
        m.float *= 2.0;
        m.small = m.small.wrapping_sub(3);
        m.on = !m.on ^ m.last;
        m.short = m.short.rotate_left(3);
        m.bytes[i % 3] = m.bytes[(i + 1) % 3].wrapping_add(1);
        m.last |= m.on;
        m.minus = m.plus.wrapping_mul(m.minus);
        out[i] = m;
    }
}

#[test]
fn fields_of_all_widths() {
    for n in SIZES {
        let x: Vec<Mixed> = (0..n).map(mixed).collect();
        let mut expected = x.clone();
        of_all_widths::sequential(&x, &mut expected);
        same(&expected, || {
            let x = DistVec::from_fn(n, mixed);
            let mut out = DistVec::from_fn(n, mixed);
            of_all_widths(&x, &mut out);
            out.to_all()
        });
    }
}

/// Elements that begin in the middle of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, NoUninit, DeviceData)]
#[repr(C)]
struct Odd {
    byte: u8,
    on: bool,
    small: i8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Pixel(u8, u8, u8);

#[forall::foreach_tls]
fn odd(pixels: &[Pixel], out: &mut [Odd], dark: &mut Vec<Odd>) {
    for i in 0..pixels.len() {
        let Pixel(red, green, blue) = pixels[i];
        let light = red as u32 + green as u32 + blue as u32;
        out[i].byte = (light / 3) as u8;
        out[i].on = light > 300;
        out[i].small = -5;
        if !out[i].on {
            dark.push(Odd { small: i as i8, ..out[i] });
        }
    }
}

#[test]
fn elements_that_begin_in_the_middle_of_a_word() {
    let pixel = |i: usize| Pixel(i as u8, (i * 7) as u8, (i * 13) as u8);
    for n in SIZES {
        let pixels: Vec<Pixel> = (0..n).map(pixel).collect();
        let mut expected = (vec![Odd { byte: 0, on: false, small: 0 }; n], Vec::new());
        odd::sequential(&pixels, &mut expected.0, &mut expected.1);
        same(&expected, || {
            let pixels = DistVec::from_fn(n, pixel);
            let mut out = DistVec::filled(n, Odd { byte: 0, on: false, small: 0 });
            let mut dark = DistVec::from_local(Vec::new());
            odd(&pixels, &mut out, &mut dark);
            (out.to_all(), dark.to_all())
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Vec2 {
    x: f32,
    y: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Edge {
    ends: [Vec2; 2],
    mark: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Params {
    gain: f32,
    shift: Vec2,
    steps: u32,
}

const DIRECTIONS: [Vec2; 3] = [Vec2 { x: 1.0, y: 0.0 }, Vec2 { x: 0.0, y: -1.0 }, Vec2 { x: 0.5, y: 0.5 }];

const ORIGIN: Vec2 = Vec2 { x: 0.25, y: -0.25 };

#[foreach]
fn values_and_tables(params: &Params, #[replicated] edges: &[Edge], out: &mut [Edge], lengths: &mut [f32]) {
    let whole = *params;
    for i in 0..out.len() {
        let edge = edges[i % edges.len()];
        let to = DIRECTIONS[i % 3];
        let mut moved = edge;
        moved.ends[0].x += params.gain * to.x + ORIGIN.x;
        let other: Vec2 = Vec2 { x: edge.ends[0].y + whole.shift.x, ..edge.ends[1] };
        moved.ends[1] = other;
        let origin = ORIGIN;
        for k in 0..2 {
            moved.ends[k].y -= whole.shift.y * origin.y;
        }
        moved.mark += whole.steps;
        let (a, b) = (moved.ends[0], moved.ends[i % 2]);
        lengths[i] = (a.x - b.x) * (a.x - b.x) + (a.y - b.y).abs();
        out[i] = moved;
    }
}

#[test]
fn values_tables_and_constants() {
    let params = Params { gain: 0.5, shift: Vec2 { x: 3.0, y: 0.125 }, steps: 4 };
    let point = |i: usize| Vec2 { x: i as f32, y: 0.5 - i as f32 };
    let edges: Vec<Edge> = (0..7).map(|i| Edge { ends: [point(i), point(2 * i)], mark: i as u32 }).collect();
    for n in SIZES {
        let mut expected = (vec![edges[0]; n], vec![0.0; n]);
        values_and_tables::sequential(&params, &edges, &mut expected.0, &mut expected.1);
        same(&expected, || {
            let (mut out, mut lengths) = (DistVec::filled(n, edges[0]), DistVec::filled(n, 0.0));
            values_and_tables(&params, &edges, &mut out, &mut lengths);
            (out.to_all(), lengths.to_all())
        });
    }
}

#[device]
fn plus(a: Vec2, b: &Vec2) -> Vec2 {
    Vec2 { x: a.x + b.x, y: a.y + b.y }
}

#[device]
fn halved(v: &mut Vec2) -> f32 {
    v.x *= 0.5;
    v.y = v.y / 2.0 + 1.0;
    v.x
}

#[device]
fn longest(edge: Edge) -> Vec2 {
    let mut found = edge.ends[0];
    for k in 1..2 {
        let end = edge.ends[k];
        if end.x * end.x + end.y * end.y > found.x * found.x + found.y * found.y {
            found = plus(end, &ORIGIN);
        }
    }
    found
}

#[foreach]
fn through_functions(edges: &mut [Edge], out: &mut [f32]) {
    for i in 0..edges.len() {
        let v = longest(edges[i]);
        let mut w = plus(plus(v, &edges[i].ends[0]), &v);
        let half = halved(&mut w);
        let _: f32 = halved(&mut edges[i].ends[1]);
        out[i] = w.x + w.y - half;
    }
}

#[test]
fn functions_take_and_give_structs() {
    let point = |i: usize| Vec2 { x: i as f32, y: 0.5 - i as f32 };
    let edge = |i: usize| Edge { ends: [point(i), point(i * 5 % 7)], mark: i as u32 };
    for n in SIZES {
        let mut expected: (Vec<Edge>, Vec<f32>) = ((0..n).map(edge).collect(), vec![0.0; n]);
        through_functions::sequential(&mut expected.0, &mut expected.1);
        same(&expected, || {
            let (mut edges, mut out) = (DistVec::from_fn(n, edge), DistVec::filled(n, 0.0));
            through_functions(&mut edges, &mut out);
            (edges.to_all(), out.to_all())
        });
    }
}

/// `x` becomes `factor * x + term`.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Affine {
    factor: u32,
    term: u32,
}

#[device]
fn then(first: Affine, second: Affine) -> Affine {
    Affine {
        factor: first.factor.wrapping_mul(second.factor),
        term: first.term.wrapping_mul(second.factor).wrapping_add(second.term),
    }
}

fn affine(i: usize) -> Affine {
    Affine { factor: i as u32 * 2 + 1, term: i as u32 * 7 }
}

#[kary_reduce(combine = then)]
fn composed(maps: &[Affine]) -> Affine {
    let mut all = Affine { factor: 1, term: 3 };
    for map in maps {
        all = then(all, *map);
    }
    all
}

#[distributed_scan(combine = then)]
fn compositions(maps: &[Affine], out: &mut [Affine]) {
    let mut all = Affine { factor: 1, term: 3 };
    for i in 0..maps.len() {
        all = then(all, maps[i]);
        out[i] = all;
    }
}

#[test]
fn maps_that_do_not_commute() {
    for n in SIZES {
        let maps: Vec<Affine> = (0..n).map(affine).collect();
        let mut all = vec![affine(0); n];
        compositions::sequential(&maps, &mut all);
        let expected = (composed::sequential(&maps), all);
        same(&expected, || {
            let (maps, mut out) = (DistVec::from_fn(n, affine), DistVec::filled(n, affine(0)));
            compositions(&maps, &mut out);
            (composed(&maps), out.to_all())
        });
    }
}

/// A matrix with a flag, a count and a byte: what it holds has another room on the device.
#[derive(Debug, Clone, Copy, PartialEq, NoUninit, DeviceData)]
#[repr(C)]
struct Flagged {
    rows: [[i32; 2]; 2],
    count: usize,
    any: bool,
    none: [bool; 2],
    byte: u8,
    rest: u32,
}

#[allow(clippy::needless_range_loop)] // As people write it.
#[device]
fn product(a: Flagged, b: Flagged) -> Flagged {
    let mut rows = [[0_i32; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                rows[i][j] = rows[i][j].wrapping_add(a.rows[i][k].wrapping_mul(b.rows[k][j]));
            }
        }
    }
    Flagged {
        rows,
        count: a.count + b.count,
        any: a.any || b.any,
        none: [a.none[0] && b.none[0], a.none[1] && b.none[1]],
        byte: a.byte.max(b.byte),
        rest: a.rest ^ b.rest,
    }
}

fn flagged(i: usize) -> Flagged {
    let x = i as i32;
    let none = [i != 20, true];
    Flagged {
        rows: [[x, 1], [1, x % 3]],
        count: i,
        any: i == 40,
        none,
        byte: i as u8,
        rest: (i as u32).wrapping_mul(0x1234_5677),
    }
}

#[kary_reduce(combine = product)]
fn products(x: &[Flagged], weights: &[f32]) -> (Flagged, f32, u64) {
    let mut all = flagged(1);
    let mut most = f32::MIN;
    let mut count = 0_u64;
    for i in 0..x.len() {
        all = product(all, x[i]);
        most = most.max(weights[i]);
        count += 1;
    }
    (all, most, count)
}

#[test]
fn matrices_beside_other_accumulators() {
    for n in SIZES {
        let x: Vec<Flagged> = (0..n).map(flagged).collect();
        let weights: Vec<f32> = (0..n).map(|i| (i * 37 % 101) as f32).collect();
        let expected = products::sequential(&x, &weights);
        same(&expected, || {
            let (x, weights) = (DistVec::from_fn(n, flagged), DistVec::from_fn(n, |i| (i * 37 % 101) as f32));
            products(&x, &weights)
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Vec3([f32; 3]);

#[device]
impl Vec3 {
    const UP: Vec3 = Vec3([0.0, 1.0, 0.0]);

    fn new(x: f32, y: f32, z: f32) -> Self {
        Self([x, y, z])
    }

    /// Not the operator.
    fn add(self, other: Vec3) -> Self {
        Self([self.0[0] * other.0[0], self.0[1], other.0[2]])
    }

    fn dot(self, other: Vec3) -> f32 {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    fn cross(&self, other: &Self) -> Self {
        let [a, b] = [self.0, other.0];
        Vec3::new(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    }

    fn scaled(mut self, by: f32) -> Self {
        for k in 0..3 {
            self.0[k] *= by;
        }
        self
    }

    fn normalize(&mut self) {
        let length = self.dot(*self).sqrt();
        if length > 0.0 {
            *self = self.scaled(1.0 / length);
        }
    }
}

#[device]
impl std::ops::Add for Vec3 {
    type Output = Vec3;

    fn add(self, other: Self) -> Self::Output {
        Vec3([self.0[0] + other.0[0], self.0[1] + other.0[1], self.0[2] + other.0[2]])
    }
}

#[device]
impl std::ops::Mul for Vec3 {
    type Output = Vec3;

    fn mul(self, other: Self) -> Vec3 {
        self.cross(&other)
    }
}

#[device]
impl std::ops::Mul<f32> for Vec3 {
    type Output = Vec3;

    fn mul(self, by: f32) -> Vec3 {
        Vec3([self.0[0] * by, self.0[1] * by, self.0[2] * by])
    }
}

#[device]
impl std::ops::AddAssign for Vec3 {
    fn add_assign(&mut self, other: Vec3) {
        *self = Vec3([other.0[0], self.0[1] + other.0[1], self.0[2] - other.0[2]]);
    }
}

#[foreach]
fn by_methods(a: &[Vec3], b: &[Vec3], out: &mut [Vec3], lengths: &mut [f32]) {
    for i in 0..a.len() {
        let c = a[i].cross(&b[i]);
        let mut d = Vec3::new(c.dot(a[i]), 1.0, c.scaled(2.0).dot(Vec3::UP));
        Vec3::normalize(&mut d);
        lengths[i] = Vec3::dot(d, d) + a[i].cross(&b[i]).scaled(0.5).dot(c);
        out[i] = d + c;
        lengths[i] += d.add(c).0[0];
        out[i] += d * c;
    }
}

#[test]
fn methods_of_structs() {
    let [a, b] = [|i: usize| Vec3([i as f32, 1.0, 0.5]), |i: usize| Vec3([0.25, i as f32 * 0.5, -1.0])];
    for n in SIZES {
        let [x, y]: [Vec<Vec3>; 2] = [(0..n).map(a).collect(), (0..n).map(b).collect()];
        let mut expected = (x.clone(), vec![0.0; n]);
        by_methods::sequential(&x, &y, &mut expected.0, &mut expected.1);
        same(&expected, || {
            let (x, y) = (DistVec::from_fn(n, a), DistVec::from_fn(n, b));
            let (mut out, mut lengths) = (x.clone(), DistVec::filled(n, 0.0));
            by_methods(&x, &y, &mut out, &mut lengths);
            (out.to_all(), lengths.to_all())
        });
    }
}

/// `x` becomes `a * x + b`, as a method puts them together.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Line {
    a: u64,
    b: u64,
}

const MODULUS: u64 = 1_000_003;

#[device]
impl Line {
    const IDENTITY: Line = Line { a: 1, b: 0 };

    fn then(self, next: Line) -> Line {
        Line { a: self.a * next.a % MODULUS, b: (next.a * self.b + next.b) % MODULUS }
    }
}

#[distributed_scan(combine = Line::then)]
fn all_lines(lines: &[Line], out: &mut [Line]) -> Line {
    let mut all = Line::IDENTITY;
    for i in 0..lines.len() {
        all = Line::then(all, lines[i]);
        out[i] = all;
    }
    all
}

#[test]
fn a_method_combines() {
    let line = |i: usize| Line { a: i as u64 * 3 + 1, b: i as u64 * 7 + 2 };
    for n in SIZES {
        let all: Vec<Line> = (0..n).map(line).collect();
        let mut out = all.clone();
        let expected = (all_lines::sequential(&all, &mut out), out);
        same(&expected, || {
            let (all, mut out) = (DistVec::from_fn(n, line), DistVec::filled(n, line(0)));
            (all_lines(&all, &mut out), out.to_all())
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Unmarked {
    x: f32,
}

impl Unmarked {
    fn twice(self) -> f32 {
        2.0 * self.x
    }

    fn and(self, other: Unmarked) -> Unmarked {
        Unmarked { x: self.x + other.x }
    }
}

#[foreach]
fn unmarked(x: &[Unmarked], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = x[i].x;
    }
}

#[kary_reduce(combine = Unmarked::and)]
fn unmarked_accumulator(x: &[Unmarked]) -> Unmarked {
    let mut all = Unmarked { x: 0.0 };
    for e in x {
        all = Unmarked::and(all, *e);
    }
    all
}

#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
#[repr(C)]
struct Marked {
    x: f32,
    n: i32,
}

impl Marked {
    fn twice(self) -> f32 {
        2.0 * self.x
    }
}

#[foreach]
fn unmarked_method(x: &[Marked], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = x[i].twice();
    }
}

#[test]
fn what_is_in_the_way_is_said() {
    let _ = Unmarked { x: 1.0 }.twice();
    let Some(said) = refusal(|| unmarked(&[Unmarked { x: 1.0 }][..], &mut [0.0][..])) else { return };
    assert!(said.contains("`#[derive(forall::DeviceData)]`") && said.contains("`Unmarked`"), "{said}");
    let Some(said) = refusal(|| unmarked_accumulator(&[Unmarked { x: 1.0 }][..])) else { return };
    assert!(said.contains("`#[derive(forall::DeviceData)]`") && said.contains("`Unmarked`"), "{said}");
    let Some(said) = refusal(|| unmarked_method(&[Marked { x: 1.0, n: 2 }][..], &mut [0.0][..])) else { return };
    assert!(said.contains("the method `twice` of `language::structs::Marked`"), "{said}");
    assert!(said.contains("`#[forall::device]` above the `impl`"), "{said}");
}

#[foreach]
fn by_iterators(ps: &mut [Particle], edges: &[Edge], out: &mut [f32]) {
    for ((p, edge), out) in ps.iter_mut().zip(edges).zip(out.iter_mut()) {
        let &Edge { ends: [from, Vec2 { x, .. }], mark } = edge;
        p.mass += if mark % 2 == 0 { from.x } else { x };
        let fast = p.vel[0] * p.vel[0] > 0.5;
        p.vel = if fast { [x; 3] } else { p.pos };
        let heavier = Particle { mass: p.mass.max(1.0), ..*p };
        let chosen = if fast { heavier } else { *p };
        *out = match mark {
            0 | 3 => chosen.mass,
            m if m > 5 => -chosen.mass,
            _ => chosen.vel[2],
        };
    }
}

#[test]
fn patterns_and_iterators() {
    let point = |i: usize| Vec2 { x: i as f32, y: 0.5 - i as f32 };
    let edge = |i: usize| Edge { ends: [point(i), point(i * 5 % 7)], mark: i as u32 % 8 };
    for n in SIZES {
        let edges: Vec<Edge> = (0..n).map(edge).collect();
        let mut expected: (Vec<Particle>, Vec<f32>) = ((0..n).map(particle).collect(), vec![0.0; n]);
        by_iterators::sequential(&mut expected.0, &edges, &mut expected.1);
        same(&expected, || {
            let (edges, mut ps, mut out) =
                (DistVec::from_fn(n, edge), DistVec::from_fn(n, particle), DistVec::filled(n, 0.0));
            by_iterators(&mut ps, &edges, &mut out);
            (ps.to_all(), out.to_all())
        });
    }
}

#[kary_reduce]
fn heaviest(ps: &[Particle]) -> (f32, usize) {
    let mut most = f32::MIN;
    let mut at = 0;
    for i in 0..ps.len() {
        if ps[i].mass * ps[i].pos[0] > most {
            most = ps[i].mass * ps[i].pos[0];
            at = i;
        }
    }
    (most, at)
}

#[kary_reduce]
fn momentum(ps: &[Particle]) -> (f32, u32) {
    let mut sum = 0.0;
    let mut light = 0;
    for p in ps {
        sum += p.mass * p.vel[1];
        if p.mass < 1.0 {
            light += 1;
        }
    }
    (sum, light)
}

#[test]
fn sums_and_best_values_of_fields() {
    for n in SIZES {
        let ps: Vec<Particle> = (0..n).map(particle).collect();
        let expected = (heaviest::sequential(&ps), momentum::sequential(&ps));
        same(&expected, || {
            let ps = DistVec::from_fn(n, particle);
            (heaviest(&ps), momentum(&ps))
        });
    }
}
