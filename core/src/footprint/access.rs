//! One access of an array.

use super::index::Index;
use smallvec::SmallVec;
use std::ops::{Deref, Range};

/// One access of the loop's body to an array.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// The array's place in the loop's list.
    pub slot: usize,
    /// Whether the access writes.
    pub writes: bool,
    /// The elements, from this one ..
    pub first: Index,
    /// .. to this one, included (different from `first` for `x[a..b]`).
    pub last: Index,
    /// Whether it is one of those of which the macro has proved that they never meet, unless what they are computed from
    /// wraps around: of a square matrix that is filled from one triangle, or of a triangle that is packed row by row.
    pub apart: bool,
}

/// What a range of iterations touches.
#[derive(Debug, Default)]
pub struct Accesses(SmallVec<[Access; 8]>);

/// Gives the accesses of a range of positions.
pub type Footprint<'f> = dyn Fn(Range<usize>, &mut Accesses) + Sync + 'f;

impl Accesses {
    /// Adds one.
    pub fn add(&mut self, access: Access) {
        self.0.push(access);
    }
}

impl Deref for Accesses {
    type Target = [Access];

    fn deref(&self) -> &[Access] {
        &self.0
    }
}

impl Access {
    /// Fills the places of a list before the accesses are evaluated.
    pub const NONE: Access =
        Access { slot: 0, writes: false, first: Index::UNKNOWN, last: Index::UNKNOWN, apart: false };

    /// As one of the accesses that never meet.
    pub fn as_apart(self) -> Access {
        Access { apart: true, ..self }
    }

    /// A single element.
    pub fn element(slot: usize, writes: bool, index: Index) -> Access {
        Access { slot, writes, first: index, last: index, ..Access::NONE }
    }

    /// The elements from `from` to `to`, `to` excluded.
    pub fn range(slot: usize, writes: bool, from: Index, to: Index) -> Access {
        Access { slot, writes, first: from, last: to.minus(Index::constant(1)), ..Access::NONE }
    }

    /// Any elements.
    pub fn everything(slot: usize, writes: bool) -> Access {
        Access { slot, writes, ..Access::NONE }
    }

    /// Elements at most `width` away from the iteration's own: `#[halo(width)]`. Of an array of several dimensions these
    /// are planes, of `plane` elements each.
    pub fn near(slot: usize, positions: &std::ops::Range<usize>, width: usize, plane: usize) -> Access {
        let number = |n: usize| Index::constant(i64::try_from(n).unwrap_or(i64::MAX));
        let (here, width, plane) = (Index::outer(0, 1, i64::MAX, positions), number(width), number(plane));
        let end = here.plus(width).plus(number(1)).times(plane);
        Access::range(slot, false, here.minus(width).times(plane), end)
    }

    /// The interval of the elements touched, both ends included.
    pub fn interval(&self) -> Option<(i64, i64)> {
        if self.never() {
            return Some((1, 0));
        }
        Some((self.first.interval()?.0, self.last.interval()?.1))
    }

    /// Whether the access stays in its interval even if nothing checks it.
    pub fn unguarded(&self) -> bool {
        self.proved() && (self.never() || !(self.first.guarded || self.last.guarded))
    }

    /// Whether the interval is proved.
    pub fn proved(&self) -> bool {
        self.never() || !(self.first.assumed || self.last.assumed)
    }

    /// Whether it does not happen at all.
    pub(super) fn never(&self) -> bool {
        self.first.is_never() || self.last.is_never()
    }

    /// Coefficient of the iteration, and the elements relative to `a * p` that one iteration can touch.
    pub fn affine(&self) -> Option<(i64, i64, i64)> {
        let (first, last) = (self.first.form()?, self.last.form()?);
        (first.a == last.a).then(|| (first.a, first.spread().0, last.spread().1))
    }
}
