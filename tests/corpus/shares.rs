//! The arguments that a case is run with, as one type: each loop is then compiled once.

use crate::support::odd_share;
use forall_core::data::{DistVec, PushTarget, Share, ShareMut, Shared, SharedMut};
use forall_core::element::Element;

/// How the vectors of a case are passed.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// The shares that `DistVec` cuts by itself.
    DistVec,
    /// Plain vectors: the whole on one rank, and on several ranks shares of odd and different lengths.
    Vec,
}

impl Form {
    pub(crate) const ALL: [Form; 2] = [Form::DistVec, Form::Vec];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::DistVec => "DistVec",
            Form::Vec => "Vec",
        }
    }

    /// This rank's share of a whole vector; the lengths of odd ones depend on the salt.
    pub(crate) fn shares<T: Element>(self, whole: &[T], salt: u64) -> Shares<T> {
        match self {
            Form::DistVec => Shares::DistVec(DistVec::from_global(whole)),
            Form::Vec => Shares::Vec(odd_share(whole, salt)),
        }
    }
}

/// This rank's share of a vector.
pub(crate) enum Shares<T: Element> {
    DistVec(DistVec<T>),
    Vec(Vec<T>),
}

impl<T: Element> Shares<T> {
    /// The whole, on every rank.
    pub(crate) fn to_all(&self) -> Vec<T> {
        match self {
            Shares::DistVec(vector) => vector.to_all(),
            Shares::Vec(vector) => DistVec::from_local(vector.clone()).to_all(),
        }
    }
}

// SAFETY: as for the vector inside; with a `DistVec` inside, this is as little `Sync`.
unsafe impl<T: Element> Shared<T> for Shares<T> {
    fn share(&self) -> Share<'_, T> {
        match self {
            Shares::DistVec(vector) => vector.share(),
            Shares::Vec(vector) => vector.share(),
        }
    }
}

// SAFETY: as above.
unsafe impl<T: Element> SharedMut<T> for Shares<T> {
    fn share_mut(&mut self) -> ShareMut<'_, T> {
        match self {
            Shares::DistVec(vector) => vector.share_mut(),
            Shares::Vec(vector) => vector.share_mut(),
        }
    }
}

impl<T: Element> PushTarget<T> for Shares<T> {
    fn append(&mut self, part: Vec<T>) {
        match self {
            Shares::DistVec(vector) => PushTarget::append(vector, part),
            Shares::Vec(vector) => PushTarget::append(vector, part),
        }
    }

    fn take(&mut self) -> Option<Vec<T>> {
        match self {
            Shares::DistVec(vector) => PushTarget::take(vector),
            Shares::Vec(vector) => PushTarget::take(vector),
        }
    }

    fn clear(&mut self) {
        match self {
            Shares::DistVec(vector) => PushTarget::clear(vector),
            Shares::Vec(vector) => PushTarget::clear(vector),
        }
    }

    fn len(&self) -> usize {
        match self {
            Shares::DistVec(vector) => PushTarget::len(vector),
            Shares::Vec(vector) => PushTarget::len(vector),
        }
    }

    fn reserve(&mut self, additional: usize) {
        match self {
            Shares::DistVec(vector) => PushTarget::reserve(vector, additional),
            Shares::Vec(vector) => PushTarget::reserve(vector, additional),
        }
    }
}
