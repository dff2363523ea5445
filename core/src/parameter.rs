//! Handles for the parameters of an annotated function, with global indices.

mod fetched;
mod halves;
mod wholes;

use self::fetched::{Changing, Fetched};
use crate::call::Call;
use crate::comm::collective;
use crate::data::{FEW, Layout, Local, LocalMut, Share, ShareMut, Shared, SharedMut, check, overlap};
use crate::element::{Element, bytes_of, from_bytes};
use crate::grid::Linear;
use std::fmt;
use std::ops::{
    Bound, Deref, Index, IndexMut, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};
use std::panic::Location;

/// A parameter `&[T]` inside an annotated function: global indices and length.
pub struct Input<'a, T> {
    call: &'a Call,
    local: Local<'a, T>,
    place: Layout,
    fetched: Fetched<T>,
}

/// A parameter `&mut [T]` inside an annotated function.
pub struct Output<'a, T> {
    call: &'a Call,
    own: Changing<'a, T>,
    place: Layout,
    /// The target of writes to remote elements by statements outside loops.
    elsewhere: Vec<T>,
}

/// Methods without bounds on the elements, so that rustc reports a wrong type once.
impl<T> Input<'_, T> {
    /// The global length.
    #[inline]
    pub fn len(&self) -> usize {
        self.place.len
    }

    /// Whether there are no elements on any rank.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.place.len == 0
    }

    /// For [`Call::align`].
    #[inline]
    pub fn place_mut(&mut self) -> &mut Layout {
        &mut self.place
    }

    pub(crate) fn place(&self) -> &Layout {
        &self.place
    }
}

impl<'a, T: Element> Input<'a, T> {
    /// The handle of the argument's share.
    #[inline]
    pub fn new<S: Shared<T> + ?Sized>(call: &'a Call, argument: &'a S) -> Self {
        let Share { local, cuts, room, plain } = argument.share();
        if !call.context.node().may_have_device() {
            local.elements();
        }
        let place = Layout { plain, ..Layout::of_share(local.len(), cuts, room, call.alone()) };
        Input { call, local, place, fetched: Fetched::new() }
    }

    pub(crate) fn local(&self) -> Local<'_, T> {
        self.local
    }

    fn fetched(&self) -> &Fetched<T> {
        &self.fetched
    }

    /// The first element, on every rank.
    pub fn first(&self) -> Option<&T> {
        (!self.is_empty()).then(|| &self[0])
    }

    /// The last element, on every rank.
    pub fn last(&self) -> Option<&T> {
        (!self.is_empty()).then(|| &self[self.len() - 1])
    }

    /// An element, on every rank.
    pub fn get(&self, index: usize) -> Option<&T> {
        (index < self.len()).then(|| &self[index])
    }

    /// All elements, on every rank.
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        whole(self.call, &self.local, Location::caller())
    }
}

/// Methods without bounds on the elements, so that rustc reports a wrong type once.
impl<T> Output<'_, T> {
    /// The global length.
    #[inline]
    pub fn len(&self) -> usize {
        self.place.len
    }

    /// Whether there are no elements on any rank.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.place.len == 0
    }

    /// For [`Call::align`].
    #[inline]
    pub fn place_mut(&mut self) -> &mut Layout {
        &mut self.place
    }

    pub(crate) fn place(&self) -> &Layout {
        &self.place
    }
}

impl<'a, T: Element> Output<'a, T> {
    /// The handle of the argument's share.
    #[inline]
    pub fn new<S: SharedMut<T> + ?Sized>(call: &'a Call, argument: &'a mut S) -> Self {
        let ShareMut { mut local, cuts, room } = argument.share_mut();
        if !call.context.node().may_have_device() {
            let _: &mut [T] = &mut local;
        }
        let place = Layout::of_share(local.len(), cuts, room, call.alone());
        Output { call, own: Changing::new(local), place, elsewhere: Vec::new() }
    }

    pub(crate) fn local(&self) -> Local<'_, T> {
        self.own.local()
    }

    fn fetched(&self) -> &Fetched<T> {
        self.own.fetched()
    }

    pub(crate) fn parts(&mut self) -> (LocalMut<'_, T>, &Layout) {
        self.own.fetched().singles.set(0);
        (self.own.change().reborrow(), &self.place)
    }

    /// Sets all elements.
    pub fn fill(&mut self, value: T) {
        let all = 0..self.own.len();
        self.own.change().fill(all, value);
    }

    /// Sets an element. The value is the first argument, because `out[index] = value` evaluates it before the index.
    ///
    /// # Panics
    /// If the index is out of bounds.
    #[inline]
    #[track_caller]
    pub fn put(&mut self, value: T, index: usize) {
        let own = self.own.change();
        if self.call.alone() {
            return own.put(index, value);
        }
        check(index, self.place.len);
        if self.place.owner(index) == self.call.context.this_rank().rank {
            own.put(index - self.place.offset, value);
        }
    }

    /// Copies all elements from a replicated slice.
    #[track_caller]
    pub fn copy_from_slice(&mut self, whole: &[T]) {
        check_lengths(self.len(), whole.len());
        self.keep(whole);
    }

    /// As [`Output::copy_from_slice`].
    #[track_caller]
    pub fn clone_from_slice(&mut self, whole: &[T]) {
        self.copy_from_slice(whole);
    }

    /// Exchanges two elements.
    #[track_caller]
    pub fn swap(&mut self, one: usize, two: usize) {
        let (a, b) = (self[one], self[two]);
        self.put(b, one);
        self.put(a, two);
    }

    /// The first element.
    pub fn first_mut(&mut self) -> Option<&mut T> {
        (!self.is_empty()).then(|| &mut self[0])
    }

    /// The last element.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        let len = self.len();
        (len > 0).then(|| &mut self[len - 1])
    }

    /// An element, on every rank.
    pub fn get(&self, index: usize) -> Option<&T> {
        (index < self.len()).then(|| &self[index])
    }

    /// The first element, on every rank.
    pub fn first(&self) -> Option<&T> {
        (!self.is_empty()).then(|| &self[0])
    }

    /// The last element, on every rank.
    pub fn last(&self) -> Option<&T> {
        (!self.is_empty()).then(|| &self[self.len() - 1])
    }

    /// All elements, on every rank.
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        whole(self.call, &self.local(), Location::caller())
    }

    /// Keeps this rank's share of a whole that every rank has.
    pub fn keep(&mut self, whole: &[T]) {
        let range = self.place.offset..self.place.offset + self.own.len();
        self.own.change().write(0, &whole[range]);
    }
}

/// A part of a parameter `&mut [T]`, for statements outside of loops: `out[a..b].fill(e)`.
#[derive(Debug)]
pub struct OutputPart<'a, T> {
    local: LocalMut<'a, T>,
    /// The elements of the part that are in the share, as indices of the share.
    mine: Range<usize>,
    /// The index of the first of them in the part.
    first: usize,
    len: usize,
}

impl<T: Element> Output<'_, T> {
    /// The elements of a range.
    ///
    /// # Panics
    /// If the range is not inside, as a slice does.
    #[track_caller]
    pub fn part(&mut self, range: impl RangeBounds<usize>) -> OutputPart<'_, T> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len(),
        };
        let len = [(); usize::MAX][..self.len()][start..end].len();
        let share = self.place.offset..self.place.offset + self.own.len();
        let mine = overlap(&(start..end), &share);
        let local = self.own.change().reborrow();
        if mine.is_empty() {
            return OutputPart { mine: 0..0, first: 0, len, local };
        }
        let first = mine.start - start;
        OutputPart { mine: mine.start - share.start..mine.end - share.start, first, len, local }
    }
}

impl<T: Element> OutputPart<'_, T> {
    /// Sets all elements.
    pub fn fill(mut self, value: T) {
        self.local.fill(self.mine, value);
    }

    /// Copies all elements from a replicated slice.
    ///
    /// # Panics
    /// If it is not as long as the part.
    #[track_caller]
    pub fn copy_from_slice(mut self, whole: &[T]) {
        check_lengths(self.len, whole.len());
        let part = &whole[self.first..self.first + self.mine.len()];
        self.local.write(self.mine.start, part);
    }

    /// As [`OutputPart::copy_from_slice`].
    #[track_caller]
    pub fn clone_from_slice(self, whole: &[T]) {
        self.copy_from_slice(whole);
    }
}

#[track_caller]
fn check_lengths(len: usize, given: usize) {
    assert!(
        len == given,
        "copy_from_slice: source slice length ({given}) does not match destination slice length ({len})"
    );
}

fn whole<T: Element>(call: &Call, local: &[T], at: &'static Location<'static>) -> Vec<T> {
    if call.alone() {
        return local.to_vec();
    }
    let all = collective::allgather_varied(call.comm(), local).0;
    if call.context.settings().explain && call.context.rank() == 0 {
        let place = (at.line() as usize, at.column() as usize);
        let what = || format!(": every rank fetches a whole slice, {} bytes, at {at}", size_of_val(&*all));
        crate::explain::measured(call.meta, place, what);
    }
    all
}

/// Reads elements of a parameter: local ones, cached ones, and remote ones.
struct Reader<'r, T> {
    call: &'r Call,
    local: Local<'r, T>,
    place: &'r Layout,
    fetched: &'r Fetched<T>,
}

impl<'r, T: Element> Reader<'r, T> {
    /// An element of this rank's share. If only a device has a valid copy, single elements are copied, as long as they are few.
    fn own(&self, index: usize) -> T {
        let singles = self.fetched.singles.get();
        if singles >= FEW || !self.local.is_away() {
            return self.local[index];
        }
        self.fetched.singles.set(singles + 1);
        self.local.one(index)
    }

    /// An element, from its owner.
    #[cold]
    fn element(&self, index: usize) -> &'r T {
        if let Some(whole) = self.fetched.whole() {
            return &whole[index];
        }
        let own = || self.own(index - self.place.offset);
        let fetch = || {
            if self.call.alone() {
                return vec![own()];
            }
            let owner = self.place.owner(index);
            let mine = (owner == self.call.context.this_rank().rank).then(|| bytes_of(&[own()]).to_vec());
            from_bytes(&collective::broadcast(self.call.comm(), owner, mine))
        };
        &self.fetched.part(index..index + 1, fetch)[0]
    }

    /// The elements of a range, from their owners, if the range is short and few others were fetched before. All ranks decide alike.
    #[cold]
    fn part(&self, range: Range<usize>) -> Option<&'r [T]> {
        if self.fetched.are_many()
            || range.start > range.end
            || range.end > self.place.len
            || range.len() > self.place.len / 4
        {
            return None;
        }
        let share = self.place.offset..self.place.offset + self.local.len();
        let mine = overlap(&range, &share);
        let mine = match mine.is_empty() {
            true => 0..0,
            false => mine.start - share.start..mine.end - share.start,
        };
        let fetch = || {
            let own = &self.local.bytes(std::slice::from_ref(&mine))[0];
            if self.call.alone() {
                return from_bytes(own);
            }
            from_bytes(&collective::allgather_varied(self.call.comm(), own).0)
        };
        Some(self.fetched.part(range, fetch))
    }
}

/// Reads by statements outside loops, on every rank. Single elements and short ranges come from their owners. For all other methods of
/// slices the whole array is fetched once.
macro_rules! reading {
    ($($handle:ident)*) => {$(
        impl<T: Element> $handle<'_, T> {
            fn reader(&self) -> Reader<'_, T> {
                Reader { call: self.call, local: self.local(), place: &self.place, fetched: self.fetched() }
            }
        }

        impl<T: Element> Index<usize> for $handle<'_, T> {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, index: usize) -> &T {
                if self.call.alone() && !self.local().is_away() {
                    return &self.local().elements()[index];
                }
                check(index, self.len());
                self.reader().element(index)
            }
        }

        impl<T: Element> Deref for $handle<'_, T> {
            type Target = [T];

            #[inline]
            #[track_caller]
            fn deref(&self) -> &[T] {
                if self.call.alone() {
                    return self.local().elements();
                }
                let at = Location::caller();
                self.fetched().whole_or(|| whole(self.call, &self.local(), at))
            }
        }

        /// As the slice.
        impl<T: Element + fmt::Debug> fmt::Debug for $handle<'_, T> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(formatter)
            }
        }

        reading! { @parts $handle:
            Range<usize>, |range, _len| range.start..range.end;
            RangeInclusive<usize>, |range, _len| *range.start()..range.end().saturating_add(1);
            RangeFrom<usize>, |range, len| range.start..len;
            RangeTo<usize>, |range, _len| 0..range.end;
            RangeToInclusive<usize>, |range, _len| 0..range.end.saturating_add(1);
            RangeFull, |_range, len| 0..len;
        }
    )*};
    (@parts $handle:ident: $($range:ty, |$r:ident, $len:ident| $elements:expr;)*) => {$(
        impl<T: Element> Index<$range> for $handle<'_, T> {
            type Output = [T];

            #[track_caller]
            fn index(&self, $r: $range) -> &[T] {
                if self.call.alone() && !self.local().is_away() {
                    return &self.local().elements()[$r];
                }
                let $len = self.len();
                match self.reader().part($elements) {
                    Some(part) => part,
                    None => &(**self)[$r],
                }
            }
        }
    )*};
}

reading!(Input Output);

impl<T: Element> IndexMut<usize> for Output<'_, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        if self.call.alone() {
            return self.own.change().one_mut(index);
        }
        check(index, self.len());
        // Every rank receives the current value, so that `out[0] += 1` computes the same on all ranks. Only the owner stores it.
        let value = *self.reader().element(index);
        let own = self.own.change();
        if self.place.owner(index) == self.call.context.this_rank().rank {
            own.one_mut(index - self.place.offset)
        } else {
            self.elsewhere.clear();
            self.elsewhere.push(value);
            &mut self.elsewhere[0]
        }
    }
}

impl<T: Element> Linear for Input<'_, T> {
    const CHECKED: bool = true;
}

impl<T: Element> Linear for Output<'_, T> {
    const CHECKED: bool = true;
}

// SAFETY: the share is that of the argument, under the same contract; the handles are not `Sync`.
unsafe impl<T: Element> Shared<T> for Input<'_, T> {
    fn share(&self) -> Share<'_, T> {
        Share { local: self.local, cuts: self.place.cuts.as_ref(), room: self.place.room, plain: self.place.plain }
    }
}

// SAFETY: as above.
unsafe impl<T: Element> Shared<T> for Output<'_, T> {
    fn share(&self) -> Share<'_, T> {
        Share { local: self.local(), cuts: self.place.cuts.as_ref(), room: self.place.room, plain: self.place.plain }
    }
}

// SAFETY: as above.
unsafe impl<T: Element> SharedMut<T> for Output<'_, T> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        ShareMut { local: self.own.change().reborrow(), cuts: self.place.cuts.as_ref(), room: self.place.room }
    }
}
