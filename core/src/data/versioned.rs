//! The address of elements together with their version: writing them ends the version.

use crate::device::Residence;
use std::marker::PhantomData;

/// Where elements are, and the residence of the share that they are, if they are one.
///
/// The fields are private, so that [`Versioned::writing`] is the only way to an address for writing elements. It ends the
/// [version](Residence::version). A halo or a schedule that belongs to a version is therefore valid for as long as the share has this
/// version. The residence itself ends the version wherever a device's copy changes.
#[derive(Debug)]
pub(super) struct Versioned<'a, T> {
    address: *mut T,
    residence: Option<&'a Residence>,
    elements: PhantomData<&'a [T]>,
}

impl<T> Clone for Versioned<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Versioned<'_, T> {}

impl<'a, T> Versioned<'a, T> {
    /// The elements of a share, from this address on.
    #[inline]
    pub(super) fn share(address: *mut T, residence: &'a Residence) -> Self {
        Versioned { address, residence: Some(residence), elements: PhantomData }
    }

    /// Elements that are no share, or only a part of one: they have no version.
    #[inline]
    pub(super) fn slice(address: *mut T) -> Self {
        Versioned { address, residence: None, elements: PhantomData }
    }

    /// The same address, for another type of elements.
    #[inline]
    pub(super) fn cast<U>(self) -> Versioned<'a, U> {
        let Versioned { address, residence, .. } = self;
        Versioned { address: address.cast(), residence, elements: PhantomData }
    }

    /// The first element, to read.
    #[inline]
    pub(super) fn reading(self) -> *const T {
        self.address
    }

    /// The first element, to write: the version ends.
    #[inline]
    pub(super) fn writing(&mut self) -> *mut T {
        if let Some(residence) = self.residence {
            residence.end_version();
        }
        self.address
    }

    /// The first element, with permission for the whole allocation. Through this pointer a window writes the halo beside the share, and
    /// a device copies its elements to the host, which are the same ones. The elements of the share change only through
    /// [`Versioned::writing`].
    #[inline]
    pub(super) fn with_room(self) -> *mut T {
        self.address
    }

    /// Which copies of the share are valid.
    #[inline]
    pub(super) fn residence(self) -> Option<&'a Residence> {
        self.residence
    }

    /// The version of the share.
    pub(super) fn version(self) -> Option<u64> {
        self.residence.map(Residence::version)
    }
}
