//! One long vector over all ranks.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use bytemuck::Zeroable;

use super::buffer::Buffer;
use super::redistribute::{Part, redistribute, tell_one, together};
use super::{Cuts, PushTarget, Room, Share, ShareMut, Shared, SharedMut};
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
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::comm::Local;
    use crate::node::Serial;
    use crate::runtime::{self, Context};
    use crate::settings::Settings;

    /// Fewer under Miri, which is slow.
    const RANKS: &[usize] = if cfg!(miri) { &[1, 3] } else { &[1, 2, 3, 4, 7] };
    const LENGTHS: &[usize] = if cfg!(miri) { &[0, 1, 7] } else { &[0, 1, 2, 5, 7, 1023, 1024, 1025, 10_007] };

    /// An element with alignment, so that bytes that land in the wrong place show.
    type Triple = [f64; 3];

    fn triple(i: usize) -> Triple {
        [i as f64, -(i as f64), 0.5]
    }

    /// Runs `body` on ranks that are threads of this process.
    fn on_ranks<R: Send>(ranks: usize, body: impl Fn() -> R + Sync) -> Vec<R> {
        Local::run(ranks, |comm| {
            let context = Context::new(Box::new(comm), Arc::new(Serial), Settings::default());
            let _installed = runtime::install(context);
            body()
        })
    }

    /// Runs `test(rank, n)` on all numbers of ranks and for all lengths.
    fn everywhere(test: impl Fn(usize, usize) + Sync) {
        for &ranks in RANKS {
            for &n in LENGTHS {
                on_ranks(ranks, || test(with_comm(|comm| comm.rank()), n));
            }
        }
    }

    /// Uneven lengths that add up to `n`, different for each `seed`: some ranks own nothing.
    fn uneven(n: usize, seed: usize) -> Cuts {
        let ranks = ranks();
        let mut ends: Vec<usize> = (1..ranks).map(|rank| (rank * rank * 7919 + seed * 104_729) % (n + 1)).collect();
        ends.push(n);
        ends.sort_unstable();
        let lengths: Vec<usize> =
            (0..ranks).map(|rank| ends[rank] - if rank == 0 { 0 } else { ends[rank - 1] }).collect();
        Cuts::from_lengths(&lengths)
    }

    fn check<T: Element + PartialEq + fmt::Debug>(x: &DistVec<T>, expected: &[T]) {
        assert_eq!(x.len(), expected.len());
        assert_eq!(x.is_empty(), expected.is_empty());
        assert_eq!(x.local(), &expected[x.range()]);
        assert_eq!(x.local().len(), x.cuts().range(x.rank).len());
        assert_eq!(x.offset(), x.cuts().range(x.rank).start);
        assert_eq!(x.to_all(), expected);
        assert_eq!(x.to_root().as_deref(), (x.rank == 0).then_some(expected));
    }

    #[test]
    fn every_constructor_makes_the_same_vector() {
        everywhere(|rank, n| {
            let expected: Vec<Triple> = (0..n).map(triple).collect();
            let x = DistVec::from_fn(n, triple);
            check(&x, &expected);
            check(&DistVec::from_global(&expected), &expected);
            let root = || (rank == 0).then(|| expected.clone());
            check(&DistVec::from_root(root()), &expected);
            assert_eq!(*x.cuts(), Cuts::even(n, ranks()));
            for seed in 0..3 {
                let cuts = uneven(n, seed);
                check(&DistVec::from_fn_cut(&cuts, triple), &expected);
                let local = DistVec::from_local(expected[cuts.range(rank)].to_vec());
                check(&local, &expected);
                assert_eq!(*local.cuts(), cuts);
                let lengths: Vec<usize> = (0..ranks()).map(|rank| cuts.range(rank).len()).collect();
                let spread = DistVec::from_root_with(root(), &lengths).unwrap();
                check(&spread, &expected);
                assert_eq!(*spread.cuts(), cuts);
                let zeros = DistVec::<u8>::zeroed_like(&local);
                check(&zeros, &vec![0; n]);
                assert_eq!(*zeros.cuts(), cuts);
                check(&local.clone(), &expected);
            }
            check(&DistVec::<Triple>::zeroed(n), &vec![[0.0; 3]; n]);
            check(&DistVec::filled(n, true), &vec![true; n]);
            check(&DistVec::<char>::default(), &[]);
        });
    }

    #[test]
    fn planes_stay_whole() {
        everywhere(|_, n| {
            let expected: Vec<usize> = (0..n * 6).collect();
            let x = DistVec::from_fn_in_planes(n * 6, 6, |i| i);
            check(&x, &expected);
            let y = DistVec::from_global(&expected).in_planes(6);
            check(&y, &expected);
            assert_eq!(x.cuts(), y.cuts());
            assert!((0..ranks()).all(|rank| x.cuts().range(rank).start.is_multiple_of(6)));
        });
    }

    #[test]
    fn rebalancing_keeps_the_order() {
        everywhere(|_, n| {
            let expected: Vec<u16> = (0..n).map(|i| i as u16).collect();
            for seed in 0..3 {
                let mut x = DistVec::from_fn_cut(&uneven(n, seed), |i| i as u16);
                let y = DistVec::from_fn_cut(&uneven(n, seed + 1), triple);
                x.rebalance_like(&y);
                assert_eq!(x.cuts(), y.cuts());
                check(&x, &expected);
                x.rebalance();
                assert_eq!(*x.cuts(), Cuts::even(n, ranks()));
                check(&x, &expected);
                x.rebalance_to(&Cuts::at_root(n, ranks()));
                check(&x, &expected);
                x.rebalance_to(&uneven(n, seed));
                check(&x, &expected);
            }
        });
    }

    #[test]
    fn shifting_moves_drops_and_zeroes() {
        everywhere(|_, n| {
            let size = n as isize;
            let by = [
                0,
                1,
                -1,
                2,
                -3,
                size / 2,
                -size / 2,
                size - 1,
                1 - size,
                size,
                -size,
                size + 5,
                isize::MIN,
                isize::MAX,
            ];
            for k in BTreeSet::from(by) {
                for cuts in [Cuts::even(n, ranks()), uneven(n, 1)] {
                    let mut x = DistVec::from_fn_cut(&cuts, |i| i as i32 + 1);
                    x.shift(k);
                    let from = |i: usize| (i as isize).checked_sub(k).filter(|from| (0..size).contains(from));
                    let expected: Vec<i32> = (0..n).map(|i| from(i).map_or(0, |from| from as i32 + 1)).collect();
                    check(&x, &expected);
                    assert_eq!(*x.cuts(), cuts);
                }
            }
        });
    }

    #[test]
    fn single_elements_are_on_all_ranks() {
        everywhere(|_, n| {
            for cuts in [Cuts::even(n, ranks()), uneven(n, 2), Cuts::at_root(n, ranks())] {
                let x = DistVec::from_fn_cut(&cuts, triple);
                assert_eq!(x.front(), (n > 0).then(|| triple(0)));
                assert_eq!(x.back(), n.checked_sub(1).map(triple));
                for i in [0, n / 3, n.saturating_sub(1), n, n + 1, usize::MAX] {
                    assert_eq!(x.get(i), (i < n).then(|| triple(i)));
                }
            }
        });
    }

    #[test]
    fn pushed_elements_come_after_all_others() {
        everywhere(|rank, n| {
            for seed in 0..2 {
                let (old, pushed) = (uneven(n, seed), uneven(n + 3, seed + 1));
                let part = |start: usize| pushed.range(rank).map(|i| (start + i) as u32).collect::<Vec<_>>();
                let mut x = DistVec::default();
                x.append(part(0));
                assert_eq!(*x.cuts(), pushed);
                check(&x, &(0..n as u32 + 3).collect::<Vec<_>>());

                let mut x = DistVec::from_fn_cut(&old, |i| i as u32);
                x.append(part(n));
                check(&x, &(0..2 * n as u32 + 3).collect::<Vec<_>>());
                let cuts = x.cuts().clone();
                x.append(Vec::new());
                assert_eq!(*x.cuts(), cuts);
                x.append(if rank == 0 { vec![7] } else { Vec::new() });
                assert_eq!((x.len(), x.back()), (2 * n + 4, Some(7)));
                x.clear();
                check(&x, &[]);
            }
        });
    }

    #[test]
    fn equality_is_of_the_whole_and_the_same_on_all_ranks() {
        everywhere(|rank, n| {
            let x = DistVec::from_fn(n, |i| i as u64);
            let mut y = DistVec::from_fn_cut(&uneven(n, 1), |i| i as u64);
            assert_eq!(x, x.clone());
            assert_eq!(x, y);
            assert_ne!(x, DistVec::from_fn(n + 1, |i| i as u64));
            if y.range().contains(&(n / 2)) {
                let offset = y.offset();
                y.local_mut()[n / 2 - offset] = u64::MAX;
            }
            assert_eq!(x == y, n == 0, "rank {rank}");
        });
    }

    #[test]
    fn swapping_exchanges_the_whole() {
        everywhere(|_, n| {
            let (mut x, mut y) = (DistVec::from_fn(n, |i| i), DistVec::filled(3, 5));
            x.swap(&mut y);
            check(&x, &[5; 3]);
            check(&y, &(0..n).collect::<Vec<_>>());
        });
    }

    #[test]
    fn wrong_lengths_are_the_same_error_on_all_ranks() {
        for &ranks in RANKS {
            let errors = |lengths: fn(usize, usize) -> Vec<usize>, elements: Option<usize>| {
                on_ranks(ranks, || {
                    let rank = runtime::rank();
                    let whole = elements.filter(|_| rank == 0).map(|elements| vec![0u8; elements]);
                    DistVec::from_root_with(whole, &lengths(rank, ranks)).unwrap_err()
                })
            };
            let all = |error: FromRootError| vec![error; ranks];
            assert_eq!(
                errors(|_, ranks| vec![2; ranks], Some(1)),
                all(FromRootError::Sum { sum: 2 * ranks as u128, elements: 1 })
            );
            assert_eq!(
                errors(|_, ranks| vec![usize::MAX; ranks], Some(1)),
                all(FromRootError::Sum { sum: usize::MAX as u128 * ranks as u128, elements: 1 })
            );
            assert_eq!(
                errors(|_, ranks| vec![1; ranks + 1], Some(ranks + 1)),
                all(FromRootError::Ranks { lengths: ranks + 1, ranks })
            );
            assert_eq!(errors(|_, ranks| vec![0; ranks], None), all(FromRootError::NoVector));
            if ranks > 1 {
                let differ = |rank: usize, ranks: usize| (0..ranks).map(|r| (r == rank.min(1)) as usize).collect();
                assert_eq!(errors(differ, Some(1)), all(FromRootError::Differ { rank: 1 }));
            }
        }
    }

    #[test]
    fn shares_have_room_beside_them_on_several_ranks_only() {
        for ranks in [1, 3] {
            on_ranks(ranks, || {
                let mut x = DistVec::<f32>::zeroed(30_000);
                let len = x.local().len();
                let share = x.share();
                // Shares are staggered by less than a page.
                let roomy = |room: Room| match ranks {
                    1 => room == Room::default(),
                    _ => room.back == len && (len..len + 1024).contains(&room.front),
                };
                assert!(roomy(share.room) && share.local.len() == len, "{:?}", share.room);
                assert_eq!(share.cuts.unwrap().total(), 30_000);
                assert!(roomy(x.share_mut().room));
                x.shift(1);
                assert!(roomy(x.clone().share().room));
                assert_eq!(DistVec::from_local(vec![1u8; 5000]).share().room.front > 0, ranks > 1);
            });
        }
    }

    #[test]
    fn on_one_rank_vectors_are_taken_as_they_are() {
        let vec = vec![1, 2, 3];
        let start = vec.as_ptr();
        let x = DistVec::from_local(vec);
        assert_eq!(x.local().as_ptr(), start);
        let mut y = DistVec::default();
        y.append(x.share.into_vec());
        assert_eq!(y.local().as_ptr(), start);
    }

    #[test]
    fn ranks_that_do_different_things_are_told() {
        let message = |body: fn(usize)| {
            let failed = std::panic::catch_unwind(|| drop(on_ranks(3, || body(runtime::rank())))).unwrap_err();
            crate::error::panic_message(&*failed).to_owned()
        };
        let different = message(|rank| {
            let x = DistVec::from_fn(10, |i| i);
            if rank == 2 {
                x.to_root();
            } else {
                x.to_all();
            }
        });
        assert!(different.contains("DistVec::to_all") && different.contains("DistVec::to_root"), "{different}");
        let lengths = message(|rank| drop(DistVec::filled(10 + rank / 2, 0u8).to_all()));
        assert!(lengths.contains("10") && lengths.contains("11"), "{lengths}");
    }

    #[test]
    fn inside_a_loop_a_vector_is_of_one_rank() {
        on_ranks(3, || {
            let _in_loop = runtime::enter_loop(runtime::place());
            let x = DistVec::from_fn(10, |i| i);
            assert_eq!((x.local().len(), x.cuts().ranks(), x.back()), (10, 1, Some(9)));
        });
    }

    #[test]
    fn debug_shows_the_share() {
        let x = DistVec::from_fn(2, |i| i);
        assert_eq!(format!("{x:?}"), "DistVec { len: 2, range: 0..2, local: [0, 1] }");
        assert_eq!(format!("{:?}", Cuts::even(3, 2)), "[0..2, 2..3]");
    }

    #[test]
    #[should_panic(expected = "DistVec::from_root: rank 0 passed no vector")]
    fn nothing_to_spread_is_a_panic() {
        DistVec::<u8>::from_root(None);
    }

    #[test]
    #[should_panic(expected = "a vector of 3 elements cannot be cut as one of 4")]
    fn vectors_of_other_lengths_are_cut_otherwise() {
        DistVec::filled(3, 0).rebalance_like(&DistVec::filled(4, 0));
    }
}
