//! The copies of allocations on the host and on a device. Of those on a device, the least recently used one leaves first.

use crate::device::{Residence, Valid};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// The copies of one allocation.
#[derive(Debug)]
pub(super) struct Copies {
    pub residence: Residence,
    /// The host's copy. It stays where it is as long as this lives.
    start: *mut u8,
    this: Weak<Copies>,
}

thread_local! {
    /// The allocations that a device has received, the last used one last.
    static RECEIVED: RefCell<Vec<Weak<Copies>>> = const { RefCell::new(Vec::new()) };
}

impl Copies {
    /// The copies of an allocation that the host has.
    ///
    /// # Safety
    /// Memory for as many elements as a device may receive is at this address as long as the result lives.
    pub unsafe fn new(start: *mut u8) -> Rc<Copies> {
        Rc::new_cyclic(|this| Copies { residence: Residence::default(), start, this: this.clone() })
    }

    /// Makes the host's copy valid.
    ///
    /// # Safety
    /// No reference to the elements is alive if only a device has a valid copy.
    pub unsafe fn bring_back(&self) {
        // SAFETY: the memory belongs to this residence. The rest is the caller's promise.
        unsafe { self.residence.bring_back(self.start) };
    }

    /// Notes that a device uses the allocation.
    pub fn use_on_device(&self) {
        RECEIVED.with_borrow_mut(|received| {
            received.retain(|other| other.strong_count() > 0 && !other.ptr_eq(&self.this));
            received.push(self.this.clone());
        });
    }
}

/// Frees the device's copy of the allocation that it has not used for the longest time, other than those of `used`. Returns whether there was
/// one.
///
/// # Safety
/// No reference to elements that only a device has is alive on this thread.
pub(super) unsafe fn evict(used: &[&Residence]) -> bool {
    let oldest = RECEIVED.with_borrow(|received| {
        let other = |copies: &Rc<Copies>| !used.iter().any(|used| std::ptr::eq(*used, &copies.residence));
        received
            .iter()
            .filter_map(Weak::upgrade)
            .find(|copies| copies.residence.valid() != Valid::Host && other(copies))
    });
    let Some(oldest) = oldest else { return false };
    // SAFETY: the caller's promise.
    unsafe { oldest.bring_back() };
    oldest.residence.host_writes();
    oldest.residence.with_memory(|memory| *memory = None);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Memory, Refusal};

    /// A device's copy of four bytes.
    struct Four([u8; 4]);

    impl Memory for Four {
        fn bytes(&self) -> usize {
            4
        }

        fn download(&self, parts: &mut [(usize, &mut [u8])]) -> Result<(), Refusal> {
            parts.iter_mut().for_each(|(from, to)| to.copy_from_slice(&self.0[*from..*from + to.len()]));
            Ok(())
        }

        fn upload(&self, _: usize, _: &[u8]) -> Result<(), Refusal> {
            Err(Refusal::Failed("nothing is written here".to_owned()))
        }

        fn duplicate(&self) -> Result<Box<dyn Memory>, Refusal> {
            Ok(Box::new(Four(self.0)))
        }
    }

    #[test]
    fn the_least_recently_used_copy_leaves_first() {
        let mut hosts = [[0; 4]; 3];
        let starts = hosts.each_mut().map(|host| host.as_mut_ptr());
        // SAFETY: the arrays live longer than the copies.
        let all = starts.map(|start| unsafe { Copies::new(start) });
        for (number, copies) in (1..).zip(&all) {
            copies.residence.with_memory(|memory| *memory = Some(Box::new(Four([number; 4]))));
            copies.residence.device_wrote();
            copies.use_on_device();
        }
        all[0].use_on_device();
        let valid = || all.each_ref().map(|copies| copies.residence.valid());
        // SAFETY: nobody else uses the arrays.
        let leave = |used: &[&Residence]| unsafe { evict(used) };
        assert!(leave(&[&all[1].residence]));
        assert_eq!(valid(), [Valid::Device, Valid::Device, Valid::Host]);
        assert!(leave(&[]));
        assert_eq!(valid(), [Valid::Device, Valid::Host, Valid::Host]);
        assert!(!leave(&[&all[0].residence]) && leave(&[]) && !leave(&[]));
        drop(all);
        assert_eq!(hosts, [[1; 4], [2; 4], [3; 4]]);
    }
}
