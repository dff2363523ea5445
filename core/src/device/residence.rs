//! Which copy of a share is valid: the host's, a device's, or both.

use super::Refusal;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;

/// A copy of a share in a device's memory.
pub trait Memory: Any {
    /// Copies all of it to the host.
    ///
    /// # Safety
    /// There is room for the share's bytes at `to`, which nothing else touches meanwhile.
    ///
    /// # Errors
    /// When the device is lost.
    unsafe fn download(&self, to: *mut u8) -> Result<(), Refusal>;
}

/// Where the valid copies of a share are.
#[derive(Default)]
pub struct Residence {
    valid: Cell<Valid>,
    memory: RefCell<Option<Box<dyn Memory>>>,
}

/// Which copies are valid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Valid {
    /// The host's.
    #[default]
    Host,
    /// The host's and the device's.
    Both,
    /// The device's.
    Device,
}

impl Residence {
    /// Which copies are valid.
    pub fn valid(&self) -> Valid {
        self.valid.get()
    }

    /// The device's copy, valid or not, for as long as `look` takes. A device that makes one leaves it here.
    pub fn with_memory<R>(&self, look: impl FnOnce(&mut Option<Box<dyn Memory>>) -> R) -> R {
        look(&mut self.memory.borrow_mut())
    }

    /// The device has got the host's copy.
    pub fn uploaded(&self) {
        self.valid.set(Valid::Both);
    }

    /// The device has changed its copy.
    pub fn device_wrote(&self) {
        self.valid.set(Valid::Device);
    }

    /// The host is about to change its copy, which is valid.
    #[inline]
    pub(crate) fn host_writes(&self) {
        self.valid.set(Valid::Host);
    }

    /// Makes the host's copy valid.
    ///
    /// # Safety
    /// `to` is the share that this belongs to; no slice of it is alive if the device alone has a valid copy.
    ///
    /// # Panics
    /// When the device is lost, and the elements with it.
    #[inline]
    pub(crate) unsafe fn bring_back(&self, to: *mut u8) {
        if self.valid.get() == Valid::Device {
            // SAFETY: the caller's promise.
            unsafe { self.download(to) };
        }
    }

    #[cold]
    unsafe fn download(&self, to: *mut u8) {
        let memory = self.memory.borrow();
        // SAFETY: the caller's promise.
        let result = memory.as_ref().map(|memory| unsafe { memory.download(to) });
        match result {
            Some(Ok(())) => self.valid.set(Valid::Both),
            Some(Err(error)) => panic!("elements that only the device has are lost: {error}"),
            None => unreachable!("elements that only the device has are in its memory"),
        }
    }
}

impl fmt::Debug for Residence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.valid.get().fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{DistVec, Shared, SharedMut};
    use crate::device::Held;

    /// A device's copy, here in the host's memory.
    struct Copied(Vec<u8>);

    impl Memory for Copied {
        unsafe fn download(&self, to: *mut u8) -> Result<(), Refusal> {
            if self.0.is_empty() {
                return Err(Refusal::Failed("the device is gone".to_owned()));
            }
            // SAFETY: the caller's promise.
            unsafe { std::ptr::copy_nonoverlapping(self.0.as_ptr(), to, self.0.len()) };
            Ok(())
        }
    }

    /// What a device does that runs a loop over a share: takes the elements where it has not got them, and changes its copy.
    fn launched(x: &mut DistVec<u8>, change: impl Fn(&mut Vec<u8>)) {
        let share = x.share_mut();
        let Held { residence, address, first, count } = share.local.as_local().held(0).expect("a share may stay");
        assert_eq!((first, count), (0, 4));
        residence.with_memory(|memory| {
            let mut bytes = match residence.valid() {
                // SAFETY: the share's own elements.
                Valid::Host => unsafe { std::slice::from_raw_parts(address, count) }.to_vec(),
                _ => {
                    let memory: &dyn Any = &**memory.as_ref().expect("it was there before");
                    memory.downcast_ref::<Copied>().expect("it is this device's").0.clone()
                }
            };
            change(&mut bytes);
            *memory = Some(Box::new(Copied(bytes)));
        });
        residence.device_wrote();
    }

    fn valid(x: &DistVec<u8>) -> Valid {
        x.share().local.held(0).expect("a share may stay").residence.valid()
    }

    #[test]
    fn the_host_sees_what_the_device_wrote() {
        let mut x = DistVec::from_fn(4, |i| i as u8);
        launched(&mut x, |bytes| bytes[0] = 9);
        launched(&mut x, |bytes| bytes[1] = 8);
        assert_eq!(valid(&x), Valid::Device);
        assert_eq!(x.local(), [9, 8, 2, 3]);
        assert_eq!(valid(&x), Valid::Both);
        x.local_mut()[2] = 7;
        assert_eq!(valid(&x), Valid::Host);
        launched(&mut x, |bytes| bytes[3] = 6);
        assert_eq!(x.clone().to_all(), [9, 8, 7, 6]);
        launched(&mut x, |bytes| bytes[3] = 5);
        assert_eq!(crate::data::PushTarget::take(&mut x), Some(vec![9, 8, 7, 5]));
    }

    #[test]
    #[should_panic(expected = "are lost: the device is gone")]
    fn elements_that_are_lost_are_not_made_up() {
        let mut x = DistVec::from_fn(4, |i| i as u8);
        launched(&mut x, Vec::clear);
        x.local();
    }
}
