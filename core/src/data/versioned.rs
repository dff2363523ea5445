//! The address of elements together with their version. Writing ends the version.

use crate::device::Residence;
use std::marker::PhantomData;

/// The address of elements, and the residence of the share, if they are a share.
///
/// The fields are private, so [`Versioned::writing`] is the only way to an address for writing. It ends the
/// [version](Residence::version). Cached halos and schedules are therefore valid as long as the share has their version. The residence
/// ends the version if a device's copy changes.
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
    /// The elements of a share at this address.
    #[inline]
    pub(super) fn share(address: *mut T, residence: &'a Residence) -> Self {
        Versioned { address, residence: Some(residence), elements: PhantomData }
    }

    /// Elements without a version: not a share, or only a part of one.
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

    /// The address for reading.
    #[inline]
    pub(super) fn reading(self) -> *const T {
        self.address
    }

    /// The address for writing. Ends the version.
    #[inline]
    pub(super) fn writing(&mut self) -> *mut T {
        if let Some(residence) = self.residence {
            residence.end_version();
        }
        self.address
    }

    /// The address with permission for the whole allocation. A window writes only the halo through it, and a device copies its equal elements
    /// to the host. The elements of the share change only through [`Versioned::writing`].
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
