//! The distributed vector.

pub(super) mod make;
mod moves;

use super::buffer::Buffer;
use super::cuts::Cuts;
use super::redistribute::{Piece, collect, tell_one, together};
use super::shares::{Share, ShareMut, Shared, SharedMut};
use crate::comm::collective;
use crate::element::Element;
use crate::runtime::Value;
use std::fmt;
use std::ops::Range;

/// One long vector over all ranks. This rank owns a contiguous share.
///
/// The vector is the concatenation of the shares in rank order. Annotated functions take `&DistVec<T>` for `&[T]`,
/// `&mut DistVec<T>` for `&mut [T]` and for `&mut Vec<T>`, and see the whole. On one rank a `DistVec` is a `Vec`.
///
/// Unless a constructor says otherwise, the vector is cut as [`Cuts::even`] cuts it. Reductions over it then give the
/// same bits on any number of ranks once it is long enough, as that function says.
///
/// Methods that are *collective* communicate: all ranks call them, in the same order and with the same arguments. Otherwise
/// all ranks end with a message that names both sides. Other methods do not communicate.
///
/// On several ranks, the share's allocation has space for a halo around the share. Unused space costs only addresses.
///
/// ```
/// use forall_core::data::DistVec;
///
/// let mut squares = DistVec::from_fn(10, |i| i * i);
/// assert_eq!(squares.len(), 10);
/// assert_eq!(squares.to_all()[3], 9);
///
/// // The share of this rank, with global indices.
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

impl<T: Element> DistVec<T> {
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

    /// The global index of the first element of this rank's share.
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

    /// The number of elements on all ranks.
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

    /// The boundaries of all shares.
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
        let values = [self.global_length(), Value::same("the index", i as u64)];
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

    /// The global length, for the handshake of a collective operation.
    fn global_length(&self) -> Value<'static> {
        Value::same("the length of the vector", self.len() as u64)
    }

    /// The vector as a piece of a new vector that begins at index `place`.
    fn piece(&self, place: isize) -> Piece<'_, T> {
        Piece { local: self.local(), cuts: &self.cuts, place }
    }
}

/// A copy of the elements with the same cuts. Needs no communication.
impl<T: Element> Clone for DistVec<T> {
    fn clone(&self) -> Self {
        Self { cuts: self.cuts.clone(), rank: self.rank, share: self.share.clone() }
    }
}

/// Shows only this rank's share. Needs no communication, so a single rank may print.
impl<T: Element + fmt::Debug> fmt::Debug for DistVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistVec")
            .field("len", &self.len())
            .field("range", &self.range())
            .field("local", &self.local())
            .finish()
    }
}

/// Whether the vectors have equal elements in the same order; the cuts may differ. Collective, with the same result on all ranks.
///
/// Cost: one bit from each rank, in O(log ranks) messages. If the cuts differ, also the cost of [`DistVec::rebalance_like`].
impl<T: Element + PartialEq> PartialEq for DistVec<T> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.cuts.ranks() == 1 {
            return self.local() == other.local();
        }
        together("DistVec::eq", &[self.global_length()], |comm, _| {
            let here = if self.cuts == other.cuts {
                self.local() == other.local()
            } else {
                self.local() == collect(comm, &[other.piece(0)], &|rank| self.cuts.range(rank)).as_slice()
            };
            !collective::allgather(comm, &[here]).contains(&false)
        })
    }
}

// SAFETY: the space belongs to the share's allocation, which only the buffer accesses. The reference count in the cuts prevents the type
// from being `Sync` (and `Send`).
unsafe impl<T: Element> Shared<T> for DistVec<T> {
    fn share(&self) -> Share<'_, T> {
        Share { local: self.share.as_local(), cuts: Some(&self.cuts), room: self.share.room(), plain: false }
    }
}

// SAFETY: as for `Shared`.
unsafe impl<T: Element> SharedMut<T> for DistVec<T> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        let room = self.share.room();
        ShareMut { local: self.share.as_local_mut(), cuts: Some(&self.cuts), room }
    }
}

#[cfg(test)]
mod tests;
