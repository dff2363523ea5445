//! A slab of planes, which is a block.

use crate::Figures;
use crate::envelope::Envelope;
use forall_examples::grid::Grid;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Some planes of a volume, or some rows of all planes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slab {
    number: usize,
    slabs: usize,
    /// Where the points lie along x, y and z: they rise.
    places: [Vec<f64>; 3],
    /// Of its planes, or of its rows.
    values: Vec<f32>,
}

/// The part of `n` planes, or rows, that one of `slabs` has.
fn part(n: usize, number: usize, slabs: usize) -> Range<usize> {
    n * number / slabs..n * (number + 1) / slabs
}

/// Which of the slabs has a plane, of so many planes.
pub fn holder(planes: usize, slabs: usize, z: usize) -> Option<usize> {
    (0..slabs).find(|number| part(planes, *number, slabs).contains(&z))
}

impl Slab {
    /// One of `slabs` parts of a volume, without its values.
    pub fn new(grid: &Grid, number: usize, slabs: usize) -> Self {
        // Squares of distances do not tell the directions of axes.
        let rising = |axis: &Vec<f64>| match axis[..] {
            [first, second, ..] if second < first => axis.iter().map(|at| -at).collect(),
            _ => axis.clone(),
        };
        Slab { number, slabs, places: [0, 1, 2].map(|axis| rising(&grid.axes[axis])), values: Vec::new() }
    }

    /// Gives it the values of its planes, x fastest. Missing ones are NaN.
    pub fn set_values(&mut self, values: Vec<f32>) {
        self.values = values;
    }

    /// Says which points are inside: those with values above this one. Of their distances it is not known more than that.
    pub fn divide(&mut self, iso: f32) {
        for value in &mut self.values {
            *value = if *value > iso { f32::NEG_INFINITY } else { f32::INFINITY };
        }
    }

    /// How many slabs there are.
    pub fn slabs(&self) -> usize {
        self.slabs
    }

    fn shape(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.places[axis].len())
    }

    fn planes_of(&self, slab: usize) -> Range<usize> {
        part(self.shape()[2], slab, self.slabs)
    }

    fn rows(&self, slab: usize) -> Range<usize> {
        part(self.shape()[1], slab, self.slabs)
    }

    /// Its planes.
    pub fn planes(&self) -> Range<usize> {
        self.planes_of(self.number)
    }

    /// The values of the points in its planes, x fastest; then the squares of their distances, which are negative inside, and infinite where
    /// the volume has no other side.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Those in one of its planes.
    pub fn plane(&self, z: usize) -> &[f32] {
        let [nx, ny, _] = self.shape();
        &self.values[(z - self.planes().start) * nx * ny..][..nx * ny]
    }

    /// Goes along the lines in x.
    pub fn along_x(&mut self) {
        let (nx, mut envelope) = (self.shape()[0], Envelope::default());
        for line in self.values.chunks_mut(nx) {
            envelope.along(line, &self.places[0]);
        }
    }

    /// Goes along the lines in y.
    pub fn along_y(&mut self) {
        let [nx, ny, _] = self.shape();
        for plane in self.values.chunks_mut(nx * ny) {
            across(plane, nx, &self.places[1]);
        }
    }

    /// Goes along the lines in z, of all planes.
    pub fn along_z(&mut self) {
        let width = self.shape()[0] * self.rows(self.number).len();
        across(&mut self.values, width, &self.places[2]);
    }

    /// The rows of its planes that another slab has.
    pub fn rows_for(&self, slab: usize) -> Vec<f32> {
        let ([nx, ny, _], rows) = (self.shape(), self.rows(slab));
        let planes = self.values.chunks(nx * ny);
        planes.flat_map(|plane| &plane[rows.start * nx..rows.end * nx]).copied().collect()
    }

    /// Of its rows, those of the planes of another slab.
    pub fn rows_of(&self, slab: usize) -> Vec<f32> {
        let (planes, width) = (self.planes_of(slab), self.shape()[0] * self.rows(self.number).len());
        self.values[planes.start * width..planes.end * width].to_vec()
    }

    /// Gives up its values, which others have.
    pub fn forget(&mut self) {
        self.values = Vec::new();
    }

    /// Makes room for its rows of all planes.
    pub fn begin_rows(&mut self) {
        let [nx, _, nz] = self.shape();
        self.values = vec![0.0; nx * self.rows(self.number).len() * nz];
    }

    /// Puts the rows of another slab's planes in.
    pub fn add_rows(&mut self, slab: usize, rows: &[f32]) {
        let (planes, width) = (self.planes_of(slab), self.shape()[0] * self.rows(self.number).len());
        self.values[planes.start * width..planes.end * width].copy_from_slice(rows);
    }

    /// Makes room for its planes.
    pub fn begin_planes(&mut self) {
        let [nx, ny, _] = self.shape();
        self.values = vec![0.0; nx * ny * self.planes().len()];
    }

    /// Puts those rows of its planes in that another slab had.
    pub fn put_rows(&mut self, slab: usize, values: &[f32]) {
        let ([nx, ny, _], rows) = (self.shape(), self.rows(slab));
        let width = nx * rows.len();
        if width > 0 {
            for (plane, part) in self.values.chunks_mut(nx * ny).zip(values.chunks(width)) {
                plane[rows.start * nx..rows.end * nx].copy_from_slice(part);
            }
        }
    }

    /// The sums of its distances.
    pub fn figures(&self) -> Figures {
        let mut figures = Figures::default();
        for squared in &self.values {
            let square = f64::from(squared.abs());
            let (count, most, sum) = match squared.is_sign_negative() {
                true => (&mut figures.inside, &mut figures.most_inside, &mut figures.sum_inside),
                false => (&mut figures.outside, &mut figures.most_outside, &mut figures.sum_outside),
            };
            *count += 1;
            *most = most.max(square);
            *sum += square;
        }
        figures
    }
}

/// Goes along lines that lie side by side: `values[i * width + line]` is the point `i` of a line.
fn across(values: &mut [f32], width: usize, places: &[f64]) {
    /// As many lines as a cache line has values, so that each of these is fetched once.
    const TOGETHER: usize = 16;
    let n = places.len();
    let (mut lines, mut envelope) = (vec![0.0; TOGETHER * n], Envelope::default());
    for start in (0..width).step_by(TOGETHER) {
        let count = TOGETHER.min(width - start);
        for (i, row) in values.chunks(width).enumerate() {
            for (line, value) in row[start..start + count].iter().enumerate() {
                lines[line * n + i] = *value;
            }
        }
        for line in lines.chunks_mut(n).take(count) {
            envelope.along(line, places);
        }
        for (i, row) in values.chunks_mut(width).enumerate() {
            for (line, value) in row[start..start + count].iter_mut().enumerate() {
                *value = lines[line * n + i];
            }
        }
    }
}
