//! One long vector over all ranks.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use bytemuck::Zeroable;

use super::buffer::Buffer;
use super::cuts::Cuts;
use super::push_target::PushTarget;
use super::redistribute::{Part, redistribute, tell_one, together};
use super::shares::{Room, Share, ShareMut, Shared, SharedMut};
use crate::comm::{Comm, collective};
use crate::element::Element;
use crate::runtime::{Value, with_comm};

/// One long vector over all ranks, of which this rank owns a contiguous share.
///
/// Shares lie in rank order, so the vector is their concatenation. Annotated functions take `&DistVec<T>` for `&[T]`,
/// `&mut DistVec<T>` for `&mut [T]` and for `&mut Vec<T>`, and see the whole. On one rank a `DistVec` is a `Vec`.
///
/// Unless a constructor says otherwise, the vector is cut as [`Cuts::even`] cuts it. Reductions over it then give the
/// same bits on any number of ranks once it is long enough, as that function says.
///
/// Methods that are *collective* communicate: all ranks call them, in the same order and with the same arguments; where
/// they do not, all ranks end with a message that names both sides. Other methods do not communicate.
///
/// On several ranks, the share's allocation has room beside the share for a halo: that costs addresses, and memory only
/// when it is used.
///
/// ```
/// use forall_core::data::DistVec;
///
/// let mut squares = DistVec::from_fn(10, |i| i * i);
/// assert_eq!(squares.len(), 10);
/// assert_eq!(squares.to_all()[3], 9);
///
/// // What this rank has, and where it lies in the whole.
/// for (i, square) in (squares.offset()..).zip(squares.local_mut()) {
///     *square += i;
/// }
/// assert_eq!(squares.back(), Some(90));
/// ```
///
/// The vector stays on the thread whose rank it belongs to: it is neither [`Send`] nor [`Sync`].
///
/// ```compile_fail,E0277
/// fn share_with_other_threads(_: impl Sync) {}
/// share_with_other_threads(forall_core::data::DistVec::filled(3, 0));
/// ```
pub struct DistVec<T: Element> {
    cuts: Cuts,
    /// This rank, whose share it is.
    rank: usize,
    share: Buffer<T>,
}

/// Why [`DistVec::from_root_with`] could not cut a vector. All ranks get the same error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FromRootError {
    /// Rank 0 passed `None`.
    #[error("rank 0 passed no vector: it passes `Some`, all other ranks `None`")]
    NoVector,
    /// There is not one length for each rank.
    #[error("{lengths} lengths of shares were given for {ranks} ranks")]
    Ranks {
        /// How many lengths there are.
        lengths: usize,
        /// How many ranks there are.
        ranks: usize,
    },
    /// The lengths are not the vector's.
    #[error("the lengths of the shares add up to {sum}, but rank 0 passed {elements} elements")]
    Sum {
        /// What the lengths add up to.
        sum: u128,
        /// How many elements rank 0 passed.
        elements: usize,
    },
    /// Ranks passed different lengths.
    #[error("rank {rank} passed other lengths of shares than rank 0")]
    Differ {
        /// The first rank that differs from rank 0.
        rank: usize,
    },
}

/// The room beside a share of `len` elements: none on one rank, where there are no halos.
fn room<T>(ranks: usize, len: usize) -> Room {
    if ranks == 1 { Room::default() } else { Room::beside::<T>(len).staggered::<T>() }
}

impl<T: Element> DistVec<T> {
    /// A vector with the given cuts, whose share `make` makes from its length and room.
    fn make(cuts: Cuts, make: impl FnOnce(Range<usize>, Room) -> Buffer<T>) -> Self {
        // The communicator is not held while `make` runs: it may run the user's code.
        let (rank, ranks) = with_comm(|comm| (comm.rank(), comm.ranks()));
        assert_eq!(cuts.ranks(), ranks, "the cuts are for {} ranks, but there are {ranks}", cuts.ranks());
        let range = cuts.range(rank);
        let room = room::<T>(ranks, range.len());
        let share = make(range, room);
        Self { cuts, rank, share }
    }

    /// `f(0)`, `f(1)`, .. `f(n - 1)`: each rank calls `f` for its own share, in order. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_fn(5, |i| i as f32 / 2.0);
    /// assert_eq!(x.to_all(), [0.0, 0.5, 1.0, 1.5, 2.0]);
    /// ```
    pub fn from_fn(n: usize, f: impl FnMut(usize) -> T) -> Self {
        Self::from_fn_cut(&default_cuts(n), f)
    }

    /// The same, cut along planes of `plane` elements ([`Cuts::in_planes`]), for n-dimensional data that is linearised
    /// as `(z * ny + y) * nx + x`. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (nz, ny, nx) = (4, 3, 2);
    /// let heights = DistVec::from_fn_in_planes(nz * ny * nx, ny * nx, |i| i / (ny * nx));
    /// assert_eq!(heights.offset() % (ny * nx), 0);
    /// assert_eq!(heights.back(), Some(3));
    /// ```
    ///
    /// # Panics
    /// When `plane` is zero.
    pub fn from_fn_in_planes(n: usize, plane: usize, f: impl FnMut(usize) -> T) -> Self {
        Self::from_fn_cut(&Cuts::in_planes(n, plane, ranks()), f)
    }

    /// The same, with shares as `cuts` says. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_fn(5, |i| i);
    /// let y = DistVec::from_fn_cut(x.cuts(), |i| 10 * i);
    /// assert_eq!(x.cuts(), y.cuts());
    /// ```
    ///
    /// # Panics
    /// When `cuts` is not for as many ranks as there are.
    pub fn from_fn_cut(cuts: &Cuts, mut f: impl FnMut(usize) -> T) -> Self {
        Self::make(cuts.clone(), |range, room| Buffer::from_fn(range.len(), room, |i| f(range.start + i)))
    }

    /// `n` zeros. Needs no communication, and long shares do not even touch their memory.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert_eq!(DistVec::<f64>::zeroed(3).to_all(), [0.0; 3]);
    /// ```
    pub fn zeroed(n: usize) -> Self
    where
        T: Zeroable,
    {
        Self::make(default_cuts(n), |range, room| Buffer::zeroed(range.len(), room))
    }

    /// As many zeros as `other` has elements, cut at the same places. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_local(vec![1u8, 2, 3]);
    /// let y = DistVec::<f64>::zeroed_like(&x);
    /// assert_eq!(y.cuts(), x.cuts());
    /// ```
    pub fn zeroed_like<U: Element>(other: &DistVec<U>) -> Self
    where
        T: Zeroable,
    {
        Self::make(other.cuts.clone(), |range, room| Buffer::zeroed(range.len(), room))
    }

    /// `n` times `value`. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert_eq!(DistVec::filled(3, -1).to_all(), [-1; 3]);
    /// ```
    pub fn filled(n: usize, value: T) -> Self {
        Self::from_fn(n, |_| value)
    }

    /// Each rank passes the whole vector and keeps a copy of its share. Needs no communication.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let whole = [3, 1, 4, 1, 5];
    /// assert_eq!(DistVec::from_global(&whole).to_all(), whole);
    /// ```
    pub fn from_global(whole: &[T]) -> Self {
        Self::make(default_cuts(whole.len()), |range, room| Buffer::copied(&whole[range], room))
    }

    /// Each rank passes its share, of any length. Collective: the ranks tell each other the lengths. On one rank the
    /// vector is taken as it is; on several it is copied once, to have room beside it.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_local(vec![1, 2, 3]);
    /// assert_eq!(x.local(), [1, 2, 3]);
    /// ```
    pub fn from_local(local: Vec<T>) -> Self {
        if ranks() == 1 {
            return Self::make(Cuts::from_lengths(&[local.len()]), |_, _| Buffer::from_vec(local));
        }
        let values = [Value::own("the length of the share", local.len() as u64)];
        let cuts = together("DistVec::from_local", &values, |_, agreed| {
            Cuts::from_lengths(&agreed.of(0).map(|len| len as usize).collect::<Vec<_>>())
        });
        Self::make(cuts, |_, room| Buffer::copied(&local, room))
    }

    /// Spreads a vector that rank 0 has; the other ranks pass `None`. Collective.
    ///
    /// Cost: one message from rank 0 to each other rank, and O(log ranks) short ones.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// // Rank 0 alone has read this from a file; the other ranks pass `None`.
    /// let x = DistVec::from_root(Some(vec![2, 7, 1, 8]));
    /// assert_eq!(x.to_all(), [2, 7, 1, 8]);
    /// ```
    ///
    /// # Panics
    /// On all ranks, when rank 0 passes `None`.
    pub fn from_root(whole: Option<Vec<T>>) -> Self {
        Self::spread("DistVec::from_root", whole, |elements, ranks| Ok(Cuts::even(elements, ranks)), [0, 0])
            .unwrap_or_else(|error| panic!("DistVec::from_root: {error}"))
    }

    /// The same with shares of the given lengths, which all ranks pass.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_root_with(Some(vec![2, 7, 1, 8]), &[4]).unwrap();
    /// assert_eq!(x.local(), [2, 7, 1, 8]);
    ///
    /// let error = DistVec::from_root_with(Some(vec![2, 7, 1, 8]), &[5]).unwrap_err();
    /// assert_eq!(error.to_string(), "the lengths of the shares add up to 5, but rank 0 passed 4 elements");
    /// ```
    ///
    /// # Errors
    /// On all ranks alike, when rank 0 passes `None`, when there is not one length for each rank, when the lengths do not
    /// add up to the vector's, or when ranks pass different lengths.
    pub fn from_root_with(whole: Option<Vec<T>>, lengths: &[usize]) -> Result<Self, FromRootError> {
        let mut digest = DefaultHasher::new();
        lengths.hash(&mut digest);
        let cut = |elements, ranks| {
            let sum = lengths.iter().map(|&length| length as u128).sum::<u128>();
            if lengths.len() != ranks {
                Err(FromRootError::Ranks { lengths: lengths.len(), ranks })
            } else if sum != elements as u128 {
                Err(FromRootError::Sum { sum, elements })
            } else {
                Ok(Cuts::from_lengths(lengths))
            }
        };
        Self::spread("DistVec::from_root_with", whole, cut, [lengths.len() as u64, digest.finish()])
    }

    /// Spreads what rank 0 has as `cut(elements, ranks)` says, after the ranks agreed on `argument`.
    fn spread(
        name: &str,
        whole: Option<Vec<T>>,
        cut: impl FnOnce(usize, usize) -> Result<Cuts, FromRootError>,
        argument: [u64; 2],
    ) -> Result<Self, FromRootError> {
        if ranks() == 1 {
            let whole = whole.ok_or(FromRootError::NoVector)?;
            return Ok(Self::make(cut(whole.len(), 1)?, |_, _| Buffer::from_vec(whole)));
        }
        let values = [
            Value::own("whether there is a vector", whole.is_some() as u64),
            Value::own("the length of the vector", whole.as_ref().map_or(0, Vec::len) as u64),
            Value::own("the number of shares", argument[0]),
            Value::own("the lengths of the shares", argument[1]),
        ];
        together(name, &values, |comm, agreed| {
            let (rank, ranks) = (comm.rank(), comm.ranks());
            let differs = |&rank: &usize| (2..4).any(|value| agreed.value(rank, value) != agreed.value(0, value));
            if let Some(rank) = (1..ranks).find(differs) {
                return Err(FromRootError::Differ { rank });
            }
            if agreed.value(0, 0) == 0 {
                return Err(FromRootError::NoVector);
            }
            let elements = agreed.value(0, 1) as usize;
            let cuts = cut(elements, ranks)?;
            let at_root = Cuts::at_root(elements, ranks);
            let local = whole.filter(|_| rank == 0).unwrap_or_default();
            let part = Part { local: &local, cuts: &at_root, place: 0 };
            let share = collect(comm, &[part], |rank| cuts.range(rank));
            Ok(Self { cuts, rank, share })
        })
    }

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

    /// What each rank wants of the whole, as a plain vector.
    fn fetch(&self, name: &str, wanted: impl Fn(usize) -> Range<usize>) -> Vec<T> {
        if self.cuts.ranks() == 1 {
            return self.local()[wanted(0)].to_vec();
        }
        together(name, &[self.told_length()], |comm, _| {
            // SAFETY: this one part fills all that can be wanted.
            unsafe { redistribute(comm, &[self.part(0)], wanted, |_| Room::default()) }
        })
        .into_vec()
    }

    /// This rank's share.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_fn(10, |i| i);
    /// assert_eq!(x.local().first(), x.range().next().as_ref());
    /// ```
    pub fn local(&self) -> &[T] {
        self.share.as_slice()
    }

    /// This rank's share.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let mut x = DistVec::filled(4, 1.5);
    /// x.local_mut().fill(2.5);
    /// assert_eq!(x.to_all(), [2.5; 4]);
    /// ```
    pub fn local_mut(&mut self) -> &mut [T] {
        self.share.as_mut_slice()
    }

    /// Where this rank's share begins in the whole.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_fn(10, |i| i);
    /// assert!(x.local().is_empty() || x.local()[0] == x.offset());
    /// ```
    pub fn offset(&self) -> usize {
        self.range().start
    }

    /// The indices in the whole of this rank's share.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_fn(10, |i| i);
    /// assert!(x.range().eq(x.local().iter().copied()));
    /// ```
    pub fn range(&self) -> Range<usize> {
        self.cuts.range(self.rank)
    }

    /// How many elements all ranks have together.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert_eq!(DistVec::filled(10, 0u8).len(), 10);
    /// ```
    pub fn len(&self) -> usize {
        self.cuts.total()
    }

    /// Whether no rank has an element.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert!(DistVec::<f32>::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where all shares begin and end.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::filled(10, 0u8);
    /// assert_eq!(x.cuts().total(), 10);
    /// ```
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// Element `i` of the whole on all ranks; `None` at and after the end. Collective: for single values, not for loops.
    ///
    /// Cost: O(log ranks) short messages a rank.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_fn(10, |i| 2 * i);
    /// assert_eq!([x.get(7), x.get(10)], [Some(14), None]);
    /// ```
    pub fn get(&self, i: usize) -> Option<T> {
        let owner = self.cuts.owner(i)?;
        let own = (owner == self.rank).then(|| self.share.as_local().one(i - self.offset()));
        if self.cuts.ranks() == 1 {
            return own;
        }
        let values = [self.told_length(), Value::same("the index", i as u64)];
        Some(together("DistVec::get", &values, |comm, _| tell_one(comm, owner, own)))
    }

    /// The first element, on all ranks. Collective, as [`DistVec::get`].
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert_eq!(DistVec::from_fn(3, |i| i).front(), Some(0));
    /// assert_eq!(DistVec::<u8>::default().front(), None);
    /// ```
    pub fn front(&self) -> Option<T> {
        self.get(0)
    }

    /// The last element, on all ranks. Collective, as [`DistVec::get`].
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// assert_eq!(DistVec::from_fn(3, |i| i).back(), Some(2));
    /// assert_eq!(DistVec::<u8>::default().back(), None);
    /// ```
    pub fn back(&self) -> Option<T> {
        self.len().checked_sub(1).and_then(|last| self.get(last))
    }

    /// Moves elements between ranks until the vector is cut as [`Cuts::even`] cuts it. Collective.
    ///
    /// Cost: only elements that change their rank are sent, and nothing happens when none does.
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

    /// The same, until the vector is cut as `other` is.
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
    /// When the vectors have different lengths.
    pub fn rebalance_like<U: Element>(&mut self, other: &DistVec<U>) {
        self.rebalance_to(&other.cuts);
    }

    /// The same, until the shares are as `cuts` says.
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
    /// When `cuts` is for another length, or not for as many ranks as there are.
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
            self.share = together("DistVec::rebalance", &[self.told_length()], |comm, _| {
                collect(comm, &[self.part(0)], |rank| cuts.range(rank))
            });
            self.cuts = cuts.clone();
        }
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
    /// When `plane` is zero.
    #[must_use]
    pub fn in_planes(mut self, plane: usize) -> Self {
        self.rebalance_to(&Cuts::in_planes(self.len(), plane, self.cuts.ranks()));
        self
    }

    /// Moves all elements `k` places towards the end, or `-k` places towards the front. What passes an end is dropped,
    /// and the places that become free are zeroed: element `i` becomes what element `i - k` was, or zero where there was
    /// none. Length and cuts stay. Collective.
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
        let values = [self.told_length(), Value::same("the number of places", k as u64)];
        self.share = together("DistVec::shift", &values, |comm, _| {
            // SAFETY: where no element goes, zero bytes are a value of T.
            unsafe {
                redistribute(comm, &[self.part(k)], |rank| self.cuts.range(rank), |len| room::<T>(comm.ranks(), len))
            }
        });
    }

    /// Exchanges the contents of two vectors, without touching an element. Needs no communication.
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

    /// Drops all elements on all ranks, so that a loop can push to the vector anew. Needs no communication.
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

    /// The share's allocation without its elements, where a vector can hold it; leaves no elements behind.
    fn emptied(&mut self) -> Vec<T> {
        let old = std::mem::replace(&mut self.share, Buffer::from_vec(Vec::new()));
        if old.room().front > 0 {
            return Vec::new();
        }
        let mut kept = old.into_vec();
        kept.clear();
        kept
    }

    /// What ranks say of the vector before they do something with it together.
    fn told_length(&self) -> Value<'static> {
        Value::same("the length of the vector", self.len() as u64)
    }

    /// This rank's part in a new vector in which the first element goes to `place`.
    fn part(&self, place: isize) -> Part<'_, T> {
        Part { local: self.local(), cuts: &self.cuts, place }
    }
}

/// How many ranks vectors are cut for: inside the body of a loop, where the other ranks are busy, it is one.
fn ranks() -> usize {
    with_comm(|comm| comm.ranks())
}

/// The cut of a vector about which nothing else is said.
fn default_cuts(n: usize) -> Cuts {
    Cuts::even(n, ranks())
}

/// This rank's share of the vector that `parts` make up, one after the other from place 0 on, with room beside it.
fn collect<T: Element>(comm: &dyn Comm, parts: &[Part<'_, T>], wanted: impl Fn(usize) -> Range<usize>) -> Buffer<T> {
    let mut end = 0;
    for part in parts {
        assert_eq!(part.place, end, "the parts leave no place free");
        end += part.cuts.total() as isize;
    }
    // SAFETY: the parts go to ascending places and fill all of them.
    unsafe { redistribute(comm, parts, wanted, |len| room::<T>(comm.ranks(), len)) }
}

/// The empty vector. Needs no communication.
impl<T: Element> Default for DistVec<T> {
    fn default() -> Self {
        Self::make(default_cuts(0), |_, _| Buffer::from_vec(Vec::new()))
    }
}

/// A copy of the elements, cut at the same places. Needs no communication.
impl<T: Element> Clone for DistVec<T> {
    fn clone(&self) -> Self {
        Self { cuts: self.cuts.clone(), rank: self.rank, share: self.share.clone() }
    }
}

/// Shows this rank's share only. Needs no communication, so that one rank alone may print.
impl<T: Element + fmt::Debug> fmt::Debug for DistVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistVec")
            .field("len", &self.len())
            .field("range", &self.range())
            .field("local", &self.local())
            .finish()
    }
}

/// Whether the vectors have the same elements in the same order, wherever they are cut. Collective, and the answer is the
/// same on all ranks.
///
/// Cost: one bit from each rank, in O(log ranks) messages; where the cuts differ, also what
/// [`DistVec::rebalance_like`] costs.
impl<T: Element + PartialEq> PartialEq for DistVec<T> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.cuts.ranks() == 1 {
            return self.local() == other.local();
        }
        together("DistVec::eq", &[self.told_length()], |comm, _| {
            let here = if self.cuts == other.cuts {
                self.local() == other.local()
            } else {
                self.local() == collect(comm, &[other.part(0)], |rank| self.cuts.range(rank)).as_slice()
            };
            !collective::allgather(comm, &[here]).contains(&false)
        })
    }
}

// SAFETY: the room belongs to the share's allocation, of which the buffer alone knows; the reference count in the cuts
// keeps the type from being `Sync` (and `Send`).
unsafe impl<T: Element> Shared<T> for DistVec<T> {
    fn share(&self) -> Share<'_, T> {
        Share { local: self.share.as_local(), cuts: Some(&self.cuts), room: self.share.room() }
    }
}

// SAFETY: as for `Shared`.
unsafe impl<T: Element> SharedMut<T> for DistVec<T> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        let room = self.share.room();
        ShareMut { local: self.share.as_local_mut(), cuts: Some(&self.cuts), room }
    }
}

/// What a loop pushes comes after all elements that are there.
///
/// An empty vector takes each rank's part as its share, without copying. To a vector that is not empty, the parts of all
/// ranks are appended in rank order after its last element, and the result is cut as [`Cuts::even`] cuts it. Collective.
///
/// Cost: one exchange of lengths; where the vector is not empty, each element may move once, so many small appends are
/// dear on several ranks. On one rank it is `Vec::append`.
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
        let values = [self.told_length(), Value::own("the number of pushed elements", part.len() as u64)];
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
            let parts = [old.part(0), Part { local: &part, cuts: &pushed, place: n as isize }];
            let share = collect(comm, &parts, |rank| cuts.range(rank));
            Self { cuts, rank: old.rank, share }
        });
    }
}

#[cfg(test)]
mod tests;
