//! Formulas: volumes without a file.

use crate::grid::{Grid, even};
use crate::read::Source;
use clap::ValueEnum;
use std::f64::consts::PI;

/// A formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Field {
    /// A quartic surface with handles
    Tangle,
    /// Waves that are hard to draw (Marschner and Lobb, 1994)
    Waves,
}

impl Field {
    /// The formula on a grid of `n` points along each side.
    pub fn on(self, n: usize) -> Source {
        let (name, half, value): (_, _, fn([f64; 3]) -> f32) = match self {
            Field::Tangle => ("tangle", 3.0, tangle),
            Field::Waves => ("waves", 1.0, waves),
        };
        let axis = even(-half, 2.0 * half / (n - 1) as f64, n);
        Source::formula(name, Grid { axes: [axis.clone(), axis.clone(), axis] }, value)
    }
}

fn tangle(place: [f64; 3]) -> f32 {
    let [x, y, z] = place.map(|x| x * x * x * x - 5.0 * x * x);
    ((x + y + z + 11.8) * 0.2 + 0.5) as f32
}

fn waves([x, y, z]: [f64; 3]) -> f32 {
    let (alpha, frequency) = (0.25, 6.0);
    let rings = (2.0 * PI * frequency * (PI * (x * x + y * y).sqrt() / 2.0).cos()).cos();
    ((1.0 - (PI * z / 2.0).sin() + alpha * (1.0 + rings)) / (2.0 * (1.0 + alpha))) as f32
}
