//! A vector field on a grid, and the blocks of the grid.

use crate::axis::Axis;
use crate::scheme::Vector;
use crate::stepping::Stepping;
use forall::blocks::Decomposition;
use std::ops::Range;

/// A place in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The cell along x, y and z.
    pub cell: [usize; 3],
    /// How far it lies in the cell, from 0 to 1.
    pub part: [f64; 3],
}

/// All that is known of a vector field but its samples. It is the same in all blocks, so that they compute the same bits.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The axes of space: x, y and z.
    pub axes: [Axis; 3],
    /// The times of the samples, if the field changes with time.
    pub times: Option<Axis>,
    /// How long the particles' steps are.
    pub stepping: Stepping,
    parts: Decomposition<3>,
}

impl Flow {
    /// A field whose grid is divided into this number of blocks.
    ///
    /// # Panics
    /// If there is no block.
    pub fn new(axes: [Axis; 3], times: Option<Axis>, stepping: Stepping, blocks: usize) -> Self {
        let [x, y, z] = axes.each_ref().map(Axis::cells);
        Flow { parts: Decomposition::new([z, y, x], blocks), axes, times, stepping }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.parts.len()
    }

    /// The cells of a block along x, y and z. No other block has them.
    pub(crate) fn own_cells(&self, block: usize) -> [Range<usize>; 3] {
        let [z, y, x] = self.parts.part(block).own.axes;
        [x, y, z]
    }

    /// The block of a cell.
    pub fn owner(&self, [x, y, z]: [usize; 3]) -> usize {
        self.parts.owner([z, y, x])
    }

    /// The number of times at which the field is sampled.
    pub(crate) fn slices(&self) -> usize {
        self.times.as_ref().map_or(1, |times| times.cells() + usize::from(!times.is_periodic()))
    }

    /// The time of the seeds.
    pub fn begin(&self) -> f64 {
        self.times.as_ref().map_or(0.0, |times| times.bounds()[0])
    }

    /// The same place inside of the periodic axes.
    #[inline(always)]
    pub fn wrapped(&self, at: Vector) -> Vector {
        let [x, y, z] = &self.axes;
        [x.wrapped(at[0]), y.wrapped(at[1]), z.wrapped(at[2])]
    }

    /// The cell of a place; `None` outside of the domain.
    #[inline(always)]
    pub fn locate(&self, at: Vector) -> Option<Place> {
        let [(x, s), (y, t), (z, u)] =
            [self.axes[0].locate(at[0])?, self.axes[1].locate(at[1])?, self.axes[2].locate(at[2])?];
        Some(Place { cell: [x, y, z], part: [s, t, u] })
    }
}
