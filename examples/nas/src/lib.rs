//! The NAS parallel benchmarks CG, MG, IS, EP and FT, written anew from their specification as plain sequential loops, with an
//! attribute above each function that holds some.
//!
//! | module | is |
//! |---|---|
//! | [`cg`] | the least eigenvalue of a sparse matrix, by conjugate gradients |
//! | [`mg`] | a Poisson equation on a cube, by V-cycles over grids |
//! | [`is`] | the ranks of integer keys, by counting |
//! | [`ep`] | pairs of Gaussian deviates, counted by how far they lie from the origin |
//! | [`ft`] | a diffusion equation, by fast Fourier transforms in three dimensions |
//! | [`random`] | the numbers that all of them start from |
//!
//! Each has a function `run`, which makes the problem of a [`Class`], times the steps that the specification times, and compares
//! the outcome with the published one.

pub mod cg;
pub mod ep;
pub mod ft;
pub mod is;
pub mod mg;
pub mod random;

use std::time::Instant;

/// The size of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Class {
    /// A sample, for tests.
    #[value(name = "S")]
    S,
    /// The least that is worth timing.
    #[value(name = "A")]
    A,
}

impl Class {
    /// The sizes of this class.
    pub fn choose<T>(self, s: T, a: T) -> T {
        match self {
            Class::S => s,
            Class::A => a,
        }
    }
}

/// The results of a benchmark.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How long the timed steps took.
    pub seconds: f64,
    /// Millions of operations, as the specification counts them.
    pub operations: f64,
    /// How far the results are from the published ones, of their value; integers that differ count as 1 each.
    pub error: f64,
    /// How far they may be.
    pub allowed: f64,
}

impl Outcome {
    /// Whether the results are the published ones.
    pub fn is_verified(&self) -> bool {
        self.error <= self.allowed
    }
}

/// How long something takes.
fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// How far a number is from what it should be, of its value; infinitely far where it is none.
fn error(found: f64, published: f64) -> f64 {
    let error = ((found - published) / published).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}
