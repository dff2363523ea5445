//! Parallel merge sort: each worker sorts a run with std, then runs merge in pairs, and all workers share each merge.
//!
//! No comparison can lose elements. If it is no total order, or if it panics, the elements are in some order.

use super::workers::{Places, Workers, part};
use std::cell::Cell;
use std::cmp::Ordering;

/// One worker sorts fewer elements than this.
const FEW: usize = 1 << 13;

/// Sorts elements; `sort_run` sorts one run.
pub(super) fn sort<T: Copy + Send + Sync>(
    workers: Workers<'_>,
    elements: &mut [T],
    sort_run: impl Fn(&mut [T]) + Sync,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) {
    let len = elements.len();
    let runs = if len < FEW { 1 } else { workers.count() };
    let places = Places::new(elements.as_mut_ptr());
    workers.share_out(runs, &|run| {
        let range = part(len, runs, run);
        // SAFETY: the runs are disjoint parts of the elements, which are borrowed alone.
        sort_run(unsafe { places.from(range.start).slice_mut(range.len()) });
    });
    if runs > 1 {
        let mut spare = Vec::with_capacity(len);
        let ends = (0..=runs).map(|run| if run == runs { len } else { part(len, runs, run).start }).collect();
        // SAFETY: the spare room has place for as many elements.
        unsafe { merge(workers, places, Places::new(spare.as_mut_ptr()), Side::Here, ends, &compare) };
    }
}

/// Merges the consecutive sorted runs of `from`, which end at `ends`, into `elements` of the same length.
pub(super) fn merge_into<T: Copy + Send + Sync>(
    workers: Workers<'_>,
    elements: &mut [T],
    from: &mut [T],
    ends: Vec<usize>,
    compare: impl Fn(&T, &T) -> Ordering + Sync,
) {
    assert_eq!((elements.len(), ends.last()), (from.len(), Some(&elements.len())), "the runs are all elements");
    let (places, spare) = (Places::new(elements.as_mut_ptr()), Places::new(from.as_mut_ptr()));
    // SAFETY: both have as many elements, which are borrowed alone.
    unsafe { merge(workers, places, spare, Side::Spare, ends, &compare) };
}

/// Which of the two buffers has the runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Here,
    Spare,
}

/// Moves the elements back, also if a comparison panics.
struct Home<'c, T: Copy + Send + Sync> {
    workers: Workers<'c>,
    places: Places<T>,
    spare: Places<T>,
    len: usize,
    held: Cell<Side>,
}

impl<T: Copy + Send + Sync> Drop for Home<'_, T> {
    fn drop(&mut self) {
        if self.held.get() == Side::Spare {
            // SAFETY: both have as many places, those of `spare` are initialised, and nobody else uses them.
            unsafe { self.workers.copy(self.spare, self.places, self.len) };
        }
    }
}

/// Merges runs until one is left, in `places`. `ends` begins with 0.
///
/// # Safety
/// Both buffers have length `ends.last()`, nobody else uses them, and the one that `held` names is initialised.
unsafe fn merge<T: Copy + Send + Sync>(
    workers: Workers<'_>,
    places: Places<T>,
    spare: Places<T>,
    held: Side,
    mut ends: Vec<usize>,
    compare: &(impl Fn(&T, &T) -> Ordering + Sync),
) {
    let len = ends[ends.len() - 1];
    let home = Home { workers, places, spare, len, held: Cell::new(held) };
    ends.dedup();
    while ends.len() > 2 {
        let (from, to, then) = match home.held.get() {
            Side::Here => (places, spare, Side::Spare),
            Side::Spare => (spare, places, Side::Here),
        };
        // SAFETY: these are initialised, and nobody writes them in this round.
        let runs = unsafe { from.slice(len) };
        let ordered = |end: &usize| compare(&runs[end - 1], &runs[*end]) != Ordering::Greater;
        if ends[1..ends.len() - 1].iter().all(ordered) {
            break;
        }
        // About four pieces for each worker, so that none waits long for another.
        let piece = (len / (4 * workers.count())).max(FEW);
        let mut pieces = Vec::new();
        for pair in ends.windows(3).step_by(2) {
            cut(&runs[pair[0]..pair[1]], &runs[pair[1]..pair[2]], pair[0], piece, compare, &mut pieces);
        }
        let left = ends.len().is_multiple_of(2).then(|| ends[ends.len() - 2]..len);
        workers.share_out(pieces.len() + usize::from(left.is_some()), &|number| match pieces.get(number) {
            // SAFETY: the pieces go to disjoint places, as many as they have elements.
            Some(piece) => unsafe { piece.merge(to, compare) },
            None => {
                let left = left.clone().unwrap_or_default();
                // SAFETY: the last run goes to the places that no piece goes to.
                unsafe { to.from(left.start).copy(from.from(left.start), left.len()) };
            }
        });
        home.held.set(then);
        let last = ends[ends.len() - 1];
        ends = ends.into_iter().step_by(2).collect();
        if ends.last() != Some(&last) {
            ends.push(last);
        }
    }
}

/// Parts of two runs that merge into a part of the result.
struct Piece<'r, T> {
    one: &'r [T],
    other: &'r [T],
    /// The start of the result.
    at: usize,
}

/// Divides the merge of two runs into pieces of about `piece` elements. The result begins at `at`.
fn cut<'r, T>(
    one: &'r [T],
    other: &'r [T],
    at: usize,
    piece: usize,
    compare: &impl Fn(&T, &T) -> Ordering,
    pieces: &mut Vec<Piece<'r, T>>,
) {
    let len = one.len() + other.len();
    let (mut first, mut second) = (0, 0);
    for end in (1..=len.div_ceil(piece)).map(|number| (number * piece).min(len)) {
        // If the comparison is no order, this still keeps the pieces disjoint.
        let least = first.max(end.saturating_sub(other.len()));
        let most = one.len().min(end - second);
        let to = before(one, other, end, compare).clamp(least, most);
        pieces.push(Piece { one: &one[first..to], other: &other[second..end - to], at: at + first + second });
        (first, second) = (to, end - to);
    }
}

/// The number of elements from `one` among the first `end` elements of the merge. Equal elements of `one` come first.
fn before<T>(one: &[T], other: &[T], end: usize, compare: &impl Fn(&T, &T) -> Ordering) -> usize {
    let (mut least, mut most) = (end.saturating_sub(other.len()), end.min(one.len()));
    while least < most {
        let middle = least.midpoint(most);
        if compare(&other[end - middle - 1], &one[middle]) == Ordering::Less {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    least
}

impl<T: Copy> Piece<'_, T> {
    /// Merges the two parts.
    ///
    /// # Safety
    /// The buffer has space for both parts from `at` on, and nobody else uses it.
    unsafe fn merge(&self, to: Places<T>, compare: &impl Fn(&T, &T) -> Ordering) {
        let Piece { one, other, at } = *self;
        let (mut i, mut j) = (0, 0);
        while i < one.len() && j < other.len() {
            let later = compare(&other[j], &one[i]) == Ordering::Less;
            // SAFETY: the caller's promise: `i + j` is less than both have.
            unsafe { to.set(at + i + j, if later { other[j] } else { one[i] }) };
            i += usize::from(!later);
            j += usize::from(later);
        }
        let at = at + i + j;
        for (k, element) in one[i..].iter().chain(&other[j..]).enumerate() {
            // SAFETY: as above.
            unsafe { to.set(at + k, *element) };
        }
    }
}
