//! Constructors of distributed vectors.

use super::DistVec;
use crate::data::buffer::Buffer;
use crate::data::cuts::Cuts;
use crate::data::redistribute::{Piece, collect, room, together};
use crate::data::shares::Room;
use crate::element::Element;
use crate::runtime::{Rank, Value, with_comm};
use bytemuck::Zeroable;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The reason why [`DistVec::from_root_with`] could not cut a vector. All ranks get the same error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FromRootError {
    /// Rank 0 passed `None`.
    #[error("rank 0 passed no vector: it passes `Some`, all other ranks `None`")]
    NoVector,
    /// There is not one length for each rank.
    #[error("{lengths} lengths of shares were given for {ranks} ranks")]
    Ranks {
        /// The number of lengths.
        lengths: usize,
        /// The number of ranks.
        ranks: usize,
    },
    /// The sum of the lengths differs from the length of the vector.
    #[error("the lengths of the shares add up to {sum}, but rank 0 passed {elements} elements")]
    Sum {
        /// The sum of the lengths.
        sum: u128,
        /// The number of elements that rank 0 passed.
        elements: usize,
    },
    /// Ranks passed different lengths.
    #[error("rank {rank} passed other lengths of shares than rank 0")]
    Differ {
        /// The first rank that differs from rank 0.
        rank: usize,
    },
}

impl<T: Element> DistVec<T> {
    /// A vector with these cuts. `make` creates the share from its range and the space around it.
    #[track_caller]
    pub(super) fn make(cuts: Cuts, make: impl FnOnce(Range<usize>, Room) -> Buffer<T>) -> Self {
        let Rank { rank, ranks } = this_rank_of(&cuts);
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
    /// If `plane` is zero.
    #[track_caller]
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
    /// If `cuts` is not for as many ranks as there are.
    #[track_caller]
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

    /// Each rank passes its share, of any length. Collective: the ranks exchange the lengths. On one rank the vector is used
    /// without a copy. On several ranks it is copied once, to have space for a halo.
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

    /// The vector with these cuts and this rank's share. Needs no communication.
    pub(crate) fn from_share(cuts: &Cuts, local: Vec<T>) -> Self {
        Self::make(cuts.clone(), |range, room| {
            assert_eq!(range.len(), local.len(), "the share is as long as its cut");
            if ranks() == 1 { Buffer::from_vec(local) } else { Buffer::copied(&local, room) }
        })
    }

    /// Scatters a vector of rank 0; the other ranks pass `None`. Collective.
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
    /// On all ranks, if rank 0 passes `None`.
    #[track_caller]
    pub fn from_root(whole: Option<Vec<T>>) -> Self {
        match Self::spread("DistVec::from_root", whole, |elements, ranks| Ok(Cuts::even(elements, ranks)), [0, 0]) {
            Ok(spread) => spread,
            Err(error) => panic!("DistVec::from_root: {error}"),
        }
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

    /// Scatters the vector of rank 0 with the cuts `cut(elements, ranks)`, after a handshake with `argument`.
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
            let piece = Piece { local: &local, cuts: &at_root, place: 0 };
            let share = collect(comm, &[piece], &|rank| cuts.range(rank));
            Ok(Self { cuts, rank, share })
        })
    }
}

/// The number of ranks for new vectors. Inside the body of a loop, where other ranks are busy, it is one.
pub(super) fn ranks() -> usize {
    with_comm(|comm| comm.ranks())
}

/// This rank, among the ranks of the cuts.
#[track_caller]
fn this_rank_of(cuts: &Cuts) -> Rank {
    let this = with_comm(|comm| Rank { rank: comm.rank(), ranks: comm.ranks() });
    assert_eq!(cuts.ranks(), this.ranks, "the cuts are for {} ranks, but there are {}", cuts.ranks(), this.ranks);
    this
}

/// The default cuts.
pub(super) fn default_cuts(n: usize) -> Cuts {
    Cuts::even(n, ranks())
}

/// The empty vector. Needs no communication.
impl<T: Element> Default for DistVec<T> {
    fn default() -> Self {
        Self::make(default_cuts(0), |_, _| Buffer::from_vec(Vec::new()))
    }
}
