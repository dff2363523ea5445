//! Operations that move elements between ranks.

use super::DistVec;
use super::make::default_cuts;
use crate::comm::collective;
use crate::data::buffer::Buffer;
use crate::data::cuts::Cuts;
use crate::data::push_target::PushTarget;
use crate::data::redistribute::{Piece, collect, redistribute, room, together};
use crate::data::shares::Room;
use crate::element::Element;
use crate::runtime::Value;
use bytemuck::Zeroable;
use std::ops::Range;

impl<T: Element> DistVec<T> {
    /// The whole vector on rank 0, `None` on all other ranks. Collective.
    ///
    /// Cost: one message from each other rank to rank 0.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// if let Some(whole) = DistVec::from_fn(3, |i| i).to_root() {
    ///     assert_eq!(whole, [0, 1, 2]);
    /// }
    /// ```
    pub fn to_root(&self) -> Option<Vec<T>> {
        let n = self.len();
        let whole = self.fetch("DistVec::to_root", |rank| if rank == 0 { 0..n } else { n..n });
        (self.rank == 0).then_some(whole)
    }

    /// The whole vector on all ranks. Collective.
    ///
    /// Cost: one message between each pair of ranks; each rank receives, and needs memory for, the whole.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert_eq!(DistVec::from_fn(3, |i| i).to_all(), [0, 1, 2]);
    /// ```
    pub fn to_all(&self) -> Vec<T> {
        let n = self.len();
        self.fetch("DistVec::to_all", |_| 0..n)
    }

    /// Fetches the range `wanted(rank)` of the vector on each rank.
    fn fetch(&self, name: &str, wanted: impl Fn(usize) -> Range<usize>) -> Vec<T> {
        if self.cuts.ranks() == 1 {
            return self.local()[wanted(0)].to_vec();
        }
        together(name, &[self.global_length()], |comm, _| {
            // SAFETY: the single piece is the whole vector, so there are no gaps.
            unsafe { redistribute(comm, &[self.piece(0)], &wanted, |_| Room::default()) }
        })
        .into_vec()
    }

    /// Redistributes the elements to the cuts of [`Cuts::even`]. Collective.
    ///
    /// Cost: only elements that change their rank are sent.
    ///
    /// ```
    /// use forall_core::data::{Cuts, DistVec};
    ///
    /// let mut x = DistVec::from_local(vec![1, 2, 3]);
    /// x.rebalance();
    /// assert_eq!(*x.cuts(), Cuts::even(3, 1));
    /// ```
    pub fn rebalance(&mut self) {
        self.rebalance_to(&default_cuts(self.len()));
    }

    /// Redistributes the elements to the cuts of `other`.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let mut x = DistVec::filled(3, 1.0);
    /// let y = DistVec::from_local(vec![7u8, 8, 9]);
    /// x.rebalance_like(&y);
    /// assert_eq!(x.cuts(), y.cuts());
    /// ```
    ///
    /// # Panics
    /// If the vectors have different lengths.
    #[track_caller]
    pub fn rebalance_like<U: Element>(&mut self, other: &DistVec<U>) {
        self.rebalance_to(&other.cuts);
    }

    /// Redistributes the elements to these cuts.
    ///
    /// ```
    /// use forall_core::data::{Cuts, DistVec};
    ///
    /// let mut x = DistVec::from_fn(3, |i| i);
    /// x.rebalance_to(&Cuts::from_lengths(&[3]));
    /// assert_eq!(x.to_all(), [0, 1, 2]);
    /// ```
    ///
    /// # Panics
    /// If `cuts` is for another length, or not for as many ranks as there are.
    #[track_caller]
    pub fn rebalance_to(&mut self, cuts: &Cuts) {
        let ranks = self.cuts.ranks();
        assert_eq!(cuts.ranks(), ranks, "the cuts are for {} ranks, but there are {ranks}", cuts.ranks());
        assert_eq!(
            cuts.total(),
            self.len(),
            "a vector of {} elements cannot be cut as one of {}",
            self.len(),
            cuts.total()
        );
        if *cuts != self.cuts {
            self.share = together("DistVec::rebalance", &[self.global_length()], |comm, _| {
                collect(comm, &[self.piece(0)], &|rank| cuts.range(rank))
            });
            self.cuts = cuts.clone();
        }
    }

    /// Redistributes rows: row `i`, the elements `starts[i]..starts[i + 1]`, moves to the owner of element `i` of `like`. The entries of a
    /// sparse matrix are then on the rank that runs the loop over its rows, and no entry is fetched. Collective.
    ///
    /// Cost: O(log ranks) short messages a rank, and elements that change their rank.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (starts, mut entries) = (DistVec::from_global(&[0, 2, 2, 5]), DistVec::from_fn(5, |k| k as f64));
    /// let y = DistVec::<f64>::zeroed(3);
    /// entries.rebalance_rows(&starts, &y);
    /// assert_eq!(entries.len(), 5);
    /// ```
    ///
    /// # Panics
    /// If there is not one start more than there are elements of `like`, or the starts do not ascend from 0 to the vector's length.
    #[track_caller]
    pub fn rebalance_rows<I, U>(&mut self, starts: &DistVec<I>, like: &DistVec<U>)
    where
        I: Element + TryInto<usize>,
        U: Element,
    {
        let (rows, n) = (like.len(), self.len());
        assert_eq!(starts.len(), rows + 1, "{} starts are not those of {rows} rows and the end", starts.len());
        let ranks = self.cuts.ranks();
        let first_row = |rank: usize| if rank == ranks { rows } else { like.cuts.range(rank).start };
        let mine = starts.range();
        let requested = (0..=ranks).map(first_row).filter(|row| mine.contains(row)).map(|row| row - mine.start);
        let own = starts.share.as_local().gather(&requested.collect::<Vec<_>>());
        let own: Vec<u64> =
            own.into_iter().map(|start| start.try_into().map_or(u64::MAX, |start| start as u64)).collect();
        let ends = match ranks {
            1 => own,
            _ => together("DistVec::rebalance_rows", &[self.global_length()], |comm, _| {
                // The order of the ranks is the order of the rows.
                collective::allgather_varied(comm, &own).0
            }),
        };
        let ascends = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        assert!(
            ascends && ends.first() == Some(&0) && ends.last() == Some(&(n as u64)),
            "the starts of rows ascend from 0 to {n}, the length of the vector, but where the ranks' rows begin and end they are \
             {ends:?}"
        );
        let lengths: Vec<usize> = ends.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect();
        self.rebalance_to(&Cuts::from_lengths(&lengths));
    }

    /// The same vector, cut along planes of `plane` elements ([`Cuts::in_planes`]). Collective, as
    /// [`DistVec::rebalance`].
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let whole = [0, 1, 2, 10, 11, 12];
    /// let table = DistVec::from_global(&whole).in_planes(3);
    /// assert_eq!(table.offset() % 3, 0);
    /// ```
    ///
    /// # Panics
    /// If `plane` is zero.
    #[must_use]
    #[track_caller]
    pub fn in_planes(mut self, plane: usize) -> Self {
        self.rebalance_to(&Cuts::in_planes(self.len(), plane, self.cuts.ranks()));
        self
    }

    /// Shifts all elements by `k` indices: element `i` becomes the old element `i - k`, or zero if there is none. Elements that
    /// pass an end are dropped. Length and cuts stay. Collective.
    ///
    /// Cost: each rank sends about `k` elements.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let mut x = DistVec::from_global(&[1, 2, 3, 4]);
    /// x.shift(1);
    /// assert_eq!(x.to_all(), [0, 1, 2, 3]);
    /// x.shift(-2);
    /// assert_eq!(x.to_all(), [2, 3, 0, 0]);
    /// ```
    pub fn shift(&mut self, k: isize)
    where
        T: Zeroable,
    {
        let n = isize::try_from(self.len()).unwrap_or(isize::MAX);
        let k = k.clamp(-n, n);
        if k == 0 {
            return;
        }
        if self.cuts.ranks() == 1 {
            let local = self.local_mut();
            let places = k.unsigned_abs();
            if k > 0 {
                local.copy_within(..local.len() - places, places);
                local[..places].fill(T::zeroed());
            } else {
                local.copy_within(places.., 0);
                let kept = local.len() - places;
                local[kept..].fill(T::zeroed());
            }
            return;
        }
        let values = [self.global_length(), Value::same("the number of places", k as u64)];
        self.share = together("DistVec::shift", &values, |comm, _| {
            // SAFETY: zero bytes are a value of T, so gaps are valid.
            unsafe {
                redistribute(comm, &[self.piece(k)], &|rank| self.cuts.range(rank), |len| room::<T>(comm.ranks(), len))
            }
        });
    }

    /// Swaps two vectors, without a copy. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (mut old, mut new) = (DistVec::filled(2, 1), DistVec::filled(3, 2));
    /// old.swap(&mut new);
    /// assert_eq!((old.len(), new.len()), (3, 2));
    /// ```
    pub fn swap(&mut self, other: &mut Self) {
        std::mem::swap(self, other);
    }

    /// Removes all elements on all ranks, so that a loop can push to an empty vector. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let mut x = DistVec::filled(3, 1);
    /// x.clear();
    /// assert!(x.is_empty());
    /// ```
    pub fn clear(&mut self) {
        let kept = self.emptied();
        *self = Self { share: Buffer::from_vec(kept), ..Self::default() };
    }

    /// Removes all elements and returns the share's allocation for reuse, if a vector can use it.
    fn emptied(&mut self) -> Vec<T> {
        let old = std::mem::replace(&mut self.share, Buffer::from_vec(Vec::new()));
        if old.room().front > 0 {
            return Vec::new();
        }
        let mut kept = old.into_vec();
        kept.clear();
        kept
    }
}

/// A loop appends after the existing elements.
///
/// An empty vector takes each rank's part as its share, without copying. To a vector that is not empty, the parts of all
/// ranks are appended in rank order after its last element, and the result is cut as [`Cuts::even`] cuts it. Collective.
///
/// Cost: one exchange of lengths. If the vector is not empty, each element may move once, so many small appends are
/// expensive on several ranks. On one rank it is `Vec::append`.
///
/// ```
/// use forall_core::data::{DistVec, PushTarget};
///
/// let mut x = DistVec::from_global(&[1, 2]);
/// x.append(vec![3]);
/// assert_eq!(x.to_all(), [1, 2, 3]);
/// ```
impl<T: Element> PushTarget<T> for DistVec<T> {
    fn clear(&mut self) {
        DistVec::clear(self);
    }

    fn take(&mut self) -> Option<Vec<T>> {
        if self.is_empty() {
            return Some(self.emptied());
        }
        if self.cuts.ranks() > 1 {
            return None;
        }
        let old = std::mem::replace(&mut self.share, Buffer::from_vec(Vec::new()));
        self.cuts = Cuts::from_lengths(&[0]);
        Some(old.into_vec())
    }

    fn len(&self) -> usize {
        DistVec::len(self)
    }

    fn append(&mut self, mut part: Vec<T>) {
        if self.cuts.ranks() == 1 {
            if !self.is_empty() {
                let old = std::mem::replace(&mut self.share, Buffer::from_vec(Vec::new()));
                let mut whole = old.into_vec();
                whole.append(&mut part);
                part = whole;
            }
            self.cuts = Cuts::from_lengths(&[part.len()]);
            self.share = Buffer::from_vec(part);
            return;
        }
        let values = [self.global_length(), Value::own("the number of pushed elements", part.len() as u64)];
        let old = std::mem::take(self);
        *self = together("DistVec::append", &values, |comm, agreed| {
            let pushed = Cuts::from_lengths(&agreed.of(1).map(|len| len as usize).collect::<Vec<_>>());
            if pushed.total() == 0 {
                return old;
            }
            if old.is_empty() {
                return Self { cuts: pushed, rank: old.rank, share: Buffer::from_vec(part) };
            }
            let n = old.len();
            let cuts = Cuts::even(n + pushed.total(), comm.ranks());
            let pieces = [old.piece(0), Piece { local: &part, cuts: &pushed, place: n as isize }];
            let share = collect(comm, &pieces, &|rank| cuts.range(rank));
            Self { cuts, rank: old.rank, share }
        });
    }
}
