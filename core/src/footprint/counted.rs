//! The ranges that outer loops count over.

use super::index::Index;
use crate::computed::{Number, Scalar};
use std::ops::{Bound, RangeBounds};
use std::slice::SliceIndex;

/// An integer type of a loop counter.
#[diagnostic::on_unimplemented(
    message = "FA005: a loop in parallel counts integers, and `{Self}` is none",
    note = "go over integers, and convert each in the loop's body: `let c = char::from(i)`"
)]
pub trait Counter: Copy + Default + Number + Scalar<Number = Self> {
    /// Zero.
    const ZERO: Self;

    /// The number of values in `self..end`.
    fn distance(self, end: Self) -> usize;

    /// The value `steps` after this one, which exists.
    fn forward(self, steps: usize) -> Self;

    /// The value `steps` after this one, in a range without an end.
    ///
    /// # Panics
    /// If overflow is checked and there is no value after that one, as the range panics when it steps on.
    fn forward_in_open(self, steps: usize) -> Self;

    /// The sum, if there is such a number.
    fn after(self, step: Self) -> Option<Self>;
}

/// Advances the counter of a `while` loop by a step. The analysis assumes that the loop counts up to its end.
///
/// # Panics
/// If the counter overflows: as `+=` does if overflow is checked, otherwise with FA005.
#[inline(always)]
#[track_caller]
pub fn count_on<T: Counter>(counter: &mut T, step: T, overflow_panics: bool) {
    match counter.after(step) {
        Some(next) => *counter = next,
        None => left_its_type(overflow_panics),
    }
}

/// The step of a `while` loop that counts from one number up to another, as [`step_by`](Iterator::step_by) takes it.
///
/// # Panics
/// If the loop would not end, because its step is not positive. If the counter overflows behind its end: as `+=` does if overflow is
/// checked, otherwise with FA005.
#[track_caller]
pub fn step_of<T: Counter + PartialOrd>(from: T, to: T, step: T, inclusive: bool) -> usize {
    let runs = if inclusive { from <= to } else { from < to };
    if !runs {
        return 1;
    }
    let zero = T::default();
    assert!(
        step > zero,
        "FA005: this `while` loop does not end, because its step is not positive: call it with a positive step"
    );
    let (distance, by) = (from.distance(to), zero.distance(step));
    let last = from.forward((distance - usize::from(!inclusive)) / by * by);
    if last.after(step).is_none() {
        left_its_type(cfg!(debug_assertions));
    }
    by
}

#[cold]
#[track_caller]
fn left_its_type(overflow_panics: bool) -> ! {
    if overflow_panics {
        panic!("attempt to add with overflow");
    }
    panic!(
        "FA005: the counter of this `while` loop leaves its type: behind the greatest number it would go on from the least one; give it a \
         larger type"
    )
}

/// A range that a loop counts through.
pub trait Counted {
    /// The item of an iteration.
    type Item;

    /// Whether the range has no end.
    const OPEN: bool = false;

    /// The number of iterations.
    fn count(&self) -> usize;

    /// The item at a position, which is below the count.
    fn at(&self, position: usize) -> Self::Item;

    /// The first value, in abstract form.
    fn start(&self) -> Index;
}

macro_rules! counters {
    ($($type:ty)*) => {$(
        impl Counter for $type {
            const ZERO: Self = 0;

            #[inline(always)]
            fn distance(self, end: Self) -> usize {
                if self < end { (end as i128).wrapping_sub(self as i128) as usize } else { 0 }
            }

            #[inline(always)]
            fn forward(self, steps: usize) -> Self {
                self.wrapping_add(steps as $type)
            }

            #[inline(always)]
            fn after(self, step: Self) -> Option<Self> {
                self.checked_add(step)
            }

            #[inline(always)]
            fn forward_in_open(self, steps: usize) -> Self {
                let left = (<$type>::MAX as u128).wrapping_sub(self as u128);
                if cfg!(debug_assertions) && left <= steps as u128 {
                    panic!("attempt to add with overflow");
                }
                self.forward(steps)
            }
        }
    )*};
}

counters!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// The item at a position, for a range that starts at a literal zero. The start is then a constant for rustc too.
#[inline(always)]
pub fn from_zero<C: Counter, R: Counted<Item = C>>(_: &R, position: usize) -> C {
    if R::OPEN { C::ZERO.forward_in_open(position) } else { C::ZERO.forward(position) }
}

/// Checks that this many items could be taken from a range without an end.
///
/// # Panics
/// If the range has fewer items and overflow is checked, as the range does.
#[inline(always)]
#[track_caller]
pub fn pulled<R: Counted>(range: &R, items: usize) {
    if let Some(last) = items.checked_sub(1) {
        range.at(last);
    }
}

impl<C: Counter> Counted for std::ops::Range<C> {
    type Item = C;

    #[inline(always)]
    fn count(&self) -> usize {
        self.start.distance(self.end)
    }

    #[inline(always)]
    fn at(&self, position: usize) -> C {
        self.start.forward(position)
    }

    #[inline]
    fn start(&self) -> Index {
        Index::of(&self.start)
    }
}

/// A range without an end has as many items as the iterators that it is zipped with.
impl<C: Counter> Counted for std::ops::RangeFrom<C> {
    type Item = C;

    const OPEN: bool = true;

    #[inline(always)]
    fn count(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    fn at(&self, position: usize) -> C {
        self.start.forward_in_open(position)
    }

    #[inline]
    fn start(&self) -> Index {
        Index::of(&self.start)
    }
}

impl<C: Counter + PartialOrd> Counted for std::ops::RangeInclusive<C> {
    type Item = C;

    #[inline(always)]
    fn count(&self) -> usize {
        if self.is_empty() { 0 } else { self.start().distance(*self.end()).saturating_add(1) }
    }

    #[inline(always)]
    fn at(&self, position: usize) -> C {
        self.start().forward(position)
    }

    #[inline]
    fn start(&self) -> Index {
        Index::of(self.start())
    }
}

/// The number of chunks of a slice, with or without a shorter last one.
///
/// # Panics
/// If the length of a chunk is zero, as the iterator does.
#[track_caller]
pub fn chunks_of(len: usize, chunk: usize, shorter: bool) -> usize {
    assert!(chunk != 0, "chunk size must be non-zero");
    if shorter { len.div_ceil(chunk) } else { len / chunk }
}

/// The end of a part of a slice.
///
/// # Panics
/// If the slice has no such part, as indexing does.
#[track_caller]
pub fn part_of(len: usize, part: impl RangeBounds<usize> + SliceIndex<[()], Output = [()]>) -> usize {
    let first = match part.start_bound() {
        Bound::Included(first) => *first,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match part.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    if first > end || end > len {
        crate::view::no_such_part(len, part);
    }
    end
}

/// The number of windows of a slice.
///
/// # Panics
/// If the length of a window is zero, as the iterator does.
#[track_caller]
pub fn windows_of(len: usize, window: usize) -> usize {
    assert!(window != 0, "window size must be non-zero");
    (len + 1).saturating_sub(window)
}

/// The number of items of `step_by(step)`, of `len` items.
///
/// # Panics
/// If the step is zero, as the iterator does.
#[track_caller]
pub fn steps_of(len: usize, step: usize) -> usize {
    assert!(step != 0);
    len.div_ceil(step)
}

#[cfg(test)]
mod tests {
    use super::step_of;
    use std::panic::catch_unwind;

    #[test]
    fn steps_are_those_of_a_range_or_panic() {
        assert_eq!([step_of(0, 10, 3, false), step_of(7, 7, 2, true), step_of(-5_i8, 5, 9, false)], [3, 2, 9]);
        // A loop without iterations may have any step.
        assert_eq!([step_of(7, 7, 0, false), step_of(8, 7, -3, true)], [1, 1]);
        assert_eq!([step_of(0, 200_u8, 100, false), step_of(250, 254_u8, 1, true)], [100, 1]);
        for endless in [|| step_of(0, 1, 0, false), || step_of(0_i32, 9, -1, false)] {
            assert!(catch_unwind(endless).is_err());
        }
        for beyond in [|| step_of(0, 250_u8, 100, false), || step_of(0, u8::MAX, 1, true)] {
            assert!(catch_unwind(beyond).is_err());
        }
    }
}
