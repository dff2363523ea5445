//! Methods and functions whose arrays are fields. Every rank has them.

use crate::support::*;
use forall::{foreach, kary_reduce};

/// A field with a second buffer, and what a step reads of other kinds.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    data: Vec<f64>,
    next: Vec<f64>,
    bins: [u32; 8],
    cells: Vec<Cell>,
    width: usize,
    step: f64,
    count: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Cell {
    mass: f64,
    speed: [f64; 2],
}

impl Field {
    fn new(n: usize) -> Self {
        let cells = reals(n, 3).into_iter().map(|mass| Cell { mass, speed: [mass, -mass] }).collect();
        Field { data: reals(n, 1), next: reals(n, 2), bins: [3; 8], cells, width: 4, step: 0.25, count: 0 }
    }

    #[kary_reduce]
    fn mass(&self) -> f64 {
        self.cells.iter().map(|cell| cell.mass * self.step).sum()
    }

    #[kary_reduce]
    fn furthest(&self) -> f64 {
        self.data.iter().zip(&self.next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[kary_reduce]
    fn fast(&self, limit: f64) -> usize {
        self.cells.iter().flat_map(|cell| cell.speed.iter()).filter(|v| **v > limit).count()
    }

    #[foreach]
    fn add(&mut self) {
        for (a, b) in self.data.iter_mut().zip(&self.next) {
            *a += *b;
        }
    }

    #[foreach]
    fn add_by_index(&mut self, x: &[f64]) {
        for i in 0..self.data.len() {
            self.data[i] += self.step * self.next[i] + x[i] * self.width as f64;
        }
    }

    #[foreach]
    fn smooth(&mut self, steps: usize) {
        for _ in 0..steps {
            for i in 1..self.data.len().max(1) - 1 {
                self.next[i] = 0.5 * self.data[i] + self.step * (self.data[i - 1] + self.data[i + 1]);
            }
            std::mem::swap(&mut self.data, &mut self.next);
        }
    }

    #[foreach]
    fn scale(&mut self, factor: f64) {
        for v in &mut self.data {
            *v *= factor;
        }
        for cell in self.cells.iter_mut() {
            cell.mass += self.step;
        }
    }

    #[foreach]
    fn push_apart(&mut self) {
        for i in 0..self.cells.len() {
            self.cells[i].speed[1] += self.cells[i].mass * self.step;
            self.cells[i].mass = self.data[i];
        }
    }

    #[foreach]
    fn rows(&mut self) {
        for y in 0..self.data.len() / self.width {
            for x in 0..self.width {
                self.data[y * self.width + x] -= self.next[y * self.width];
            }
        }
    }

    #[kary_reduce]
    fn counted(&mut self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for v in x {
            let k = (v.abs() * 100.0) as usize % 8;
            self.bins[k] += 1;
            self.count += k as i64;
            sum += v * self.step;
        }
        sum
    }

    #[kary_reduce]
    fn total(&self) -> f64 {
        let mut sum = 0.0;
        for (a, b) in self.data.iter().zip(&self.next) {
            sum += a * b;
        }
        sum
    }
}

/// The same of a struct that a parameter refers to, and of a variable.
#[foreach]
fn of_a_parameter(field: &mut Field, x: &[f64]) {
    for i in 0..x.len() {
        field.next[i] = x[i] - field.step * field.data[i];
    }
}

#[kary_reduce]
fn of_a_variable(x: &[i64]) -> ([i64; 5], i64) {
    struct Found {
        bins: [i64; 5],
        count: i64,
    }
    let mut found = Found { bins: [0; 5], count: 0 };
    for v in x {
        found.bins[v.unsigned_abs() as usize % 5] += v;
        found.count += 1;
    }
    (found.bins, found.count)
}

same_fields!(Field { data, next, bins, count });

/// Calls a method as its author wrote it and as annotated, and compares the fields and the results.
macro_rules! changed {
    ($n:ident; $method:ident ($($argument:expr),*) like $plain:ident $(; shares $x:ident)?) => {{
        let (mut plain, mut annotated) = (Field::new($n), Field::new($n));
        let expected = plain.$plain($($argument),*);
        $(let $x = forall::DistVec::from_global(&$x);)?
        let found = annotated.$method($($argument),*);
        compare(stringify!($method), "fields", &expected, &found, 1e-9);
        compare(stringify!($method), "fields", &plain, &annotated, 1e-9);
        assert!(plain.cells == annotated.cells);
    }};
}

cases! {
    methods(n) {
        let x = reals(n, 7);
        changed!(n; add() like add_sequential);
        changed!(n; add_by_index(&x) like add_by_index_sequential; shares x);
        changed!(n; smooth(3) like smooth_sequential);
        changed!(n; scale(0.5) like scale_sequential);
        changed!(n; push_apart() like push_apart_sequential);
        changed!(n; rows() like rows_sequential);
        changed!(n; counted(&x) like counted_sequential; shares x);
        let field = Field::new(n);
        compare("total", "fields", &field.total_sequential(), &field.total(), 1e-9);
        compare("mass", "fields", &field.mass_sequential(), &field.mass(), 1e-9);
        compare("furthest", "fields", &field.furthest_sequential(), &field.furthest(), 0.0);
        compare("fast", "fields", &field.fast_sequential(0.5), &field.fast(0.5), 0.0);
    }
    structs(n) {
        let (x, whole) = (reals(n, 7), integers(n, 1));
        let (mut plain, mut annotated) = (Field::new(n), Field::new(n));
        of_a_parameter::sequential(&mut plain, &x);
        of_a_parameter(&mut annotated, &forall::DistVec::from_global(&x));
        compare("of_a_parameter", "fields", &plain, &annotated, 0.0);
        check!(of_a_variable(&whole); shares whole);
    }
}
