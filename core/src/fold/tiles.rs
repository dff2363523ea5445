//! Iterations in tiles, whose results go past the caches.
//!
//! If each iteration sets elements of an array and reads none of them, a short buffer stands for the array. It stays in the first cache. After each
//! tile, its elements are copied from there past the caches ([`streaming`]).

use super::plan::{Hulls, Set};
use crate::slot::{Opened, Windows};
use crate::streaming::{self, LINE, Line};
use smallvec::SmallVec;
use std::ops::Range;

/// The length of a buffer in bytes. The processor reads ahead during longer ones in vain, and shorter ones cost more than they save.
const BUFFER: usize = 2048;

/// A range of iterations in tiles. If nothing goes past the caches, all of it is one tile.
pub(super) struct Tiles<'w> {
    /// The windows of the range.
    windows: &'w [Opened],
    hulls: &'w [Range<usize>],
    sets: &'w [Set],
    /// The same of the present tile, if anything goes past the caches.
    of_tile: (Windows, Hulls),
    buffers: SmallVec<[Vec<Line>; 1]>,
    present: Range<usize>,
    rest: Range<usize>,
    /// The number of iterations in a tile.
    length: usize,
}

/// The windows and hulls of a tile, and its iterations.
pub(super) type Tile<'t> = (&'t [Opened], &'t [Range<usize>], Range<usize>);

impl<'w> Tiles<'w> {
    /// # Safety
    /// The windows are open, and nothing else accesses the hulls of the arrays in `sets`. Iterations of these positions access the elements of these
    /// arrays that `sets` gives, which are inside the hulls.
    #[inline]
    pub unsafe fn new(windows: &'w [Opened], hulls: &'w [Range<usize>], sets: &'w [Set], range: Range<usize>) -> Self {
        let (present, length) = (range.start..range.start, usize::MAX);
        let tiles = Tiles {
            windows,
            hulls,
            sets,
            of_tile: (Windows::new(), Hulls::new()),
            buffers: SmallVec::new(),
            present,
            rest: range,
            length,
        };
        if sets.is_empty() || tiles.rest.is_empty() { tiles } else { tiles.streamed() }
    }

    #[inline(never)]
    fn streamed(mut self) -> Self {
        let widest = self.sets.iter().map(|set| self.bytes(set)).max().unwrap_or(1);
        // Whole lines, whatever an iteration sets.
        self.length = (BUFFER / widest / LINE).max(1) * LINE;
        self.of_tile = (self.windows.into(), self.hulls.into());
        for set in self.sets {
            let window = self.windows[set.array].raw();
            let first = window.element(set.elements(&self.rest).start);
            let mut buffer = vec![Line([0; LINE]); self.length * self.bytes(set) / LINE];
            // SAFETY: the first iteration accesses this element of the array. So each place of the buffer has a value of its type before an iteration
            // may read it.
            unsafe { streaming::fill(&mut buffer, first, window.size()) };
            self.buffers.push(buffer);
        }
        self
    }

    /// The bytes of an array that an iteration sets.
    fn bytes(&self, set: &Set) -> usize {
        set.count * self.windows[set.array].raw().size()
    }

    /// The next tile; none after the last one, which is then complete.
    #[inline]
    pub fn next(&mut self) -> Option<Tile<'_>> {
        if self.sets.is_empty() {
            let range = std::mem::replace(&mut self.rest, self.present.clone());
            return (!range.is_empty()).then_some((self.windows, self.hulls, range));
        }
        self.put();
        if self.rest.is_empty() {
            streaming::fence();
            return None;
        }
        let end = self.rest.start + self.length.min(self.rest.len());
        self.present = self.rest.start..end;
        self.rest.start = end;
        let (windows, hulls) = &mut self.of_tile;
        for (set, buffer) in self.sets.iter().zip(&mut self.buffers) {
            let elements = set.elements(&self.present);
            let window = self.windows[set.array].raw().at(buffer.as_mut_ptr().cast(), &elements);
            windows[set.array] = Opened::of(window, true);
            hulls[set.array] = elements;
        }
        Some((windows, hulls, self.present.clone()))
    }

    /// Copies the elements of the present tile to the arrays.
    #[inline]
    fn put(&mut self) {
        if self.present.is_empty() {
            return;
        }
        for (set, buffer) in self.sets.iter().zip(&self.buffers) {
            let (window, elements) = (self.windows[set.array].raw(), set.elements(&self.present));
            let bytes = elements.len() * window.size();
            debug_assert!(bytes <= size_of_val(&buffer[..]) && self.hulls[set.array].start <= elements.start);
            // SAFETY: these elements are in the hull, which belongs to these iterations, and the buffer has this number of bytes.
            unsafe { streaming::copy(buffer.as_ptr().cast(), window.element(elements.start), bytes) };
        }
    }
}
