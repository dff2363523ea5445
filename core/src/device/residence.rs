//! The residence of a share: which copies are valid, the host's, a device's, or both.

use super::refusal::Refusal;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A copy of a share in a device's memory.
pub trait Memory: Any {
    /// The size of the share in bytes.
    fn bytes(&self) -> usize;

    /// Copies parts to the host. Offsets are in bytes.
    ///
    /// # Errors
    /// If the device is lost.
    fn download(&self, parts: &mut [(usize, &mut [u8])]) -> Result<(), Refusal>;

    /// Gathers elements of this size to the host, one after the other.
    ///
    /// # Errors
    /// If the device is lost, or has no memory left.
    fn gather(&self, places: &[usize], size: usize) -> Result<Vec<u8>, Refusal> {
        let mut all = vec![0; places.len() * size];
        let mut parts: Vec<(usize, &mut [u8])> =
            places.iter().map(|place| place * size).zip(all.chunks_exact_mut(size)).collect();
        self.download(&mut parts)?;
        Ok(all)
    }

    /// Writes a part. The offset is in bytes.
    ///
    /// # Errors
    /// If the device is lost, or has no memory left.
    fn upload(&self, at: usize, bytes: &[u8]) -> Result<(), Refusal>;

    /// Fills a part with copies of these bytes. The offset is in bytes.
    ///
    /// # Errors
    /// If the device is lost, or has no memory left.
    fn fill(&self, at: usize, bytes: &[u8], times: usize) -> Result<(), Refusal> {
        self.upload(at, &bytes.repeat(times))
    }

    /// Clones the copy in the memory of the same device.
    ///
    /// # Errors
    /// If the device is lost, or has no memory left.
    fn duplicate(&self) -> Result<Box<dyn Memory>, Refusal>;
}

/// The number of bytes copied to and from devices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// To devices.
    pub up: u64,
    /// Back from them.
    pub down: u64,
}

thread_local! {
    static MOVED: Cell<Moved> = const { Cell::new(Moved { up: 0, down: 0 }) };
}

impl Moved {
    /// The bytes copied so far by this thread. One thread of a rank uses its device.
    pub fn so_far() -> Moved {
        MOVED.get()
    }

    /// Adds to the counters. Devices call it for each copy.
    pub fn count(self) {
        let Moved { up, down } = MOVED.get();
        MOVED.set(Moved { up: up + self.up, down: down + self.down });
    }

    /// The bytes copied since then.
    pub fn since(earlier: Moved) -> Moved {
        let now = Moved::so_far();
        Moved { up: now.up - earlier.up, down: now.down - earlier.down }
    }
}

/// The valid copies of a share.
#[derive(Default)]
pub struct Residence {
    valid: Cell<Valid>,
    memory: RefCell<Option<Box<dyn Memory>>>,
    /// The byte ranges of the host's copy that are newer than the device's copy: single elements that the host changed.
    newer: RefCell<Vec<Range<usize>>>,
    /// The version of the share; 0 if nobody has read it since the last change.
    version: Cell<u64>,
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

    /// The version of the share's content. It changes with each write, and is unique in this process.
    pub fn version(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if self.version.get() == 0 {
            self.version.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        self.version.get()
    }

    /// Ends the version. Cached halos and schedules of it become invalid.
    #[inline]
    pub(crate) fn end_version(&self) {
        self.version.set(0);
    }

    /// Calls a function with the device's copy, valid or not. A device stores a new copy here.
    pub fn with_memory<R>(&self, look: impl FnOnce(&mut Option<Box<dyn Memory>>) -> R) -> R {
        look(&mut self.memory.borrow_mut())
    }

    /// Records that the device has received the host's copy.
    pub fn uploaded(&self) {
        self.valid.set(Valid::Both);
    }

    /// Records that the device has changed its copy.
    pub fn device_wrote(&self) {
        self.end_version();
        self.valid.set(Valid::Device);
    }

    /// Records that the host is about to change its valid copy.
    #[inline]
    pub(crate) fn host_writes(&self) {
        self.end_version();
        if self.valid.replace(Valid::Host) != Valid::Host {
            self.newer.borrow_mut().clear();
        }
    }

    /// Makes the host's copy valid.
    ///
    /// # Safety
    /// `to` is the share of this residence. No slice of it is alive if only the device has a valid copy.
    ///
    /// # Panics
    /// If the device is lost, and the elements with it.
    #[inline]
    pub(crate) unsafe fn bring_back(&self, to: *mut u8) {
        if self.valid.get() == Valid::Device {
            // SAFETY: the caller's promise.
            unsafe {
                self.settle(to);
                self.download(to);
            }
        }
    }

    #[cold]
    unsafe fn download(&self, to: *mut u8) {
        self.with_memory(|memory| {
            let Some(memory) = memory else { unreachable!("elements that only the device has are in its memory") };
            // SAFETY: the caller's promise; the share's bytes are initialised.
            let all = unsafe { std::slice::from_raw_parts_mut(to, memory.bytes()) };
            memory.download(&mut [(0, all)]).unwrap_or_else(|error| lost(&error));
        });
        self.valid.set(Valid::Both);
    }

    /// Prepares a part of the host's copy that will change, or be `replaced`. Only this part is copied to the host. The change is copied to
    /// the device when it is [settled](Residence::settle).
    ///
    /// # Safety
    /// As for [`Residence::bring_back`].
    ///
    /// # Panics
    /// If the device is lost, and the elements with it.
    pub(crate) unsafe fn host_writes_part(&self, all: *mut u8, part: Range<usize>, replaced: bool) {
        self.end_version();
        if self.valid.get() == Valid::Host || self.may_be_newer(&part) {
            return;
        }
        if self.valid.get() == Valid::Device && !replaced {
            // SAFETY: the caller's promise; the share's bytes are initialised.
            let bytes = unsafe { std::slice::from_raw_parts_mut(all.add(part.start), part.len()) };
            self.read(&mut [(part.start, bytes)]);
        }
        self.newer.borrow_mut().push(part);
    }

    /// Whether this part of the host's copy may be newer than the device's copy.
    pub(crate) fn may_be_newer(&self, part: &Range<usize>) -> bool {
        self.newer.borrow().contains(part)
    }

    /// The number of parts that may be newer on the host.
    pub(crate) fn newer_parts(&self) -> usize {
        self.newer.borrow().len()
    }

    /// Copies the parts that may be newer on the host to the device, if it has a valid copy.
    ///
    /// # Safety
    /// `all` is the share of this residence, and nothing changes it concurrently.
    ///
    /// # Panics
    /// If the device is lost, and elements with it.
    pub(crate) unsafe fn settle(&self, all: *const u8) {
        for part in self.newer.take() {
            // SAFETY: the caller's promise; the changed parts are initialised.
            let bytes = unsafe { std::slice::from_raw_parts(all.add(part.start), part.len()) };
            // The version ended when the part was prepared.
            self.change(&|device| device.upload(part.start, bytes));
        }
    }

    /// Copies parts of the device's copy, which is the only valid one. Offsets are in bytes.
    ///
    /// # Panics
    /// If the device is lost, and the elements with it.
    pub(crate) fn read(&self, parts: &mut [(usize, &mut [u8])]) {
        self.with_memory(|memory| {
            let Some(memory) = memory else { unreachable!("elements that only the device has are in its memory") };
            memory.download(parts).unwrap_or_else(|error| lost(&error));
        });
    }

    /// Gathers elements of this size from the device's copy, which is the only valid one.
    ///
    /// # Panics
    /// If the device is lost, and the elements with it.
    pub(crate) fn gather(&self, places: &[usize], size: usize) -> Vec<u8> {
        self.with_memory(|memory| {
            let Some(memory) = memory else { unreachable!("elements that only the device has are in its memory") };
            memory.gather(places, size).unwrap_or_else(|error| lost(&error))
        })
    }

    /// Writes a part of the device's copy, if it is valid. The caller writes the host's copy.
    ///
    /// # Panics
    /// If the device is lost, and elements with it.
    pub(crate) fn write(&self, at: usize, bytes: &[u8]) {
        self.end_version();
        self.change(&|device| device.upload(at, bytes));
    }

    /// Fills a part with copies of these bytes, in the same way.
    ///
    /// # Panics
    /// As [`Residence::write`].
    pub(crate) fn fill(&self, at: usize, bytes: &[u8], times: usize) {
        self.end_version();
        self.change(&|device| device.fill(at, bytes, times));
    }

    fn change(&self, how: &dyn Fn(&dyn Memory) -> Result<(), Refusal>) {
        self.with_memory(|memory| match (self.valid.get(), &memory) {
            (Valid::Host, _) | (Valid::Both, None) => self.valid.set(Valid::Host),
            (Valid::Both, Some(device)) => {
                if how(&**device).is_err() {
                    *memory = None;
                    self.valid.set(Valid::Host);
                }
            }
            (Valid::Device, Some(device)) => how(&**device).unwrap_or_else(|error| lost(&error)),
            (Valid::Device, None) => unreachable!("elements that only the device has are in its memory"),
        });
    }

    /// A snapshot for [`Residence::restore`], taken before several launches. A later launch may fail.
    ///
    /// # Errors
    /// If only the device has the share, and no memory for a second copy.
    pub(crate) fn remember(&self) -> Result<Option<Box<dyn Memory>>, Refusal> {
        match self.valid.get() {
            Valid::Host | Valid::Both => Ok(None),
            Valid::Device => self.with_memory(|memory| memory.as_ref().map(|memory| memory.duplicate()).transpose()),
        }
    }

    /// Restores the snapshot. Devices have written only to their copy.
    pub(crate) fn restore(&self, before: Option<Box<dyn Memory>>) {
        self.end_version();
        self.valid.set(if before.is_some() { Valid::Device } else { Valid::Host });
        self.with_memory(|memory| *memory = before);
    }
}

#[cold]
fn lost<R>(error: &Refusal) -> R {
    panic!("elements that only the device has are lost: {error}")
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
    use crate::device::Resident;

    /// A device's copy, here in the host's memory.
    struct Copied(RefCell<Vec<u8>>, usize);

    impl Memory for Copied {
        fn bytes(&self) -> usize {
            self.1
        }

        fn download(&self, parts: &mut [(usize, &mut [u8])]) -> Result<(), Refusal> {
            for (from, to) in parts {
                let part = self.0.borrow().get(*from..*from + to.len()).map(<[u8]>::to_vec);
                to.copy_from_slice(&part.ok_or_else(|| Refusal::Failed("the device is gone".to_owned()))?);
            }
            Ok(())
        }

        fn upload(&self, at: usize, bytes: &[u8]) -> Result<(), Refusal> {
            let mut all = self.0.borrow_mut();
            let part = all.get_mut(at..at + bytes.len());
            part.ok_or_else(|| Refusal::Failed("the device is gone".to_owned()))?.copy_from_slice(bytes);
            Ok(())
        }

        fn duplicate(&self) -> Result<Box<dyn Memory>, Refusal> {
            Ok(Box::new(Copied(self.0.clone(), self.1)))
        }
    }

    /// Simulates a device that runs a loop over a share: it copies the elements unless it has them, and changes its copy.
    fn launched(x: &mut DistVec<u8>, change: impl Fn(&mut Vec<u8>)) {
        let share = x.share_mut();
        let Resident { residence, address, first, count } =
            share.local.as_local().as_bytes().held(0).expect("a share may stay");
        assert_eq!(first, 0);
        residence.with_memory(|memory| {
            let mut bytes = match residence.valid() {
                // SAFETY: the share's own elements.
                Valid::Host => unsafe { std::slice::from_raw_parts(address, count) }.to_vec(),
                _ => {
                    let memory: &dyn Any = &**memory.as_ref().expect("it was there before");
                    memory.downcast_ref::<Copied>().expect("it is this device's").0.borrow().clone()
                }
            };
            change(&mut bytes);
            *memory = Some(Box::new(Copied(RefCell::new(bytes), count)));
        });
        residence.device_wrote();
    }

    fn valid(x: &DistVec<u8>) -> Valid {
        x.share().local.as_bytes().held(0).expect("a share may stay").residence.valid()
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

    #[test]
    fn parts_are_read_and_written_where_they_are_valid() {
        let mut x = DistVec::from_fn(4, |i| i as u8);
        let look = |x: &DistVec<u8>, range: std::ops::Range<usize>| {
            x.share().local.bytes(std::slice::from_ref(&range))[0].to_vec()
        };
        assert_eq!(look(&x, 1..3), [1, 2]);
        x.share_mut().local.write(3, &[33]);
        assert_eq!(valid(&x), Valid::Host);
        launched(&mut x, |bytes| bytes[0] = 9);
        assert_eq!((look(&x, 0..2), look(&x, 4..4), look(&x, 3..4)), (vec![9, 1], vec![], vec![33]));
        x.share_mut().local.write(1, &[8, 7]);
        assert_eq!(valid(&x), Valid::Device, "nothing but these parts moves");
        assert_eq!(x.local(), [9, 8, 7, 33]);
        x.share_mut().local.write(2, &[6]);
        assert_eq!((valid(&x), x.local()), (Valid::Both, &[9, 8, 6, 33][..]));
        launched(&mut x, |bytes| bytes[3] = 5);
        assert_eq!(x.local(), [9, 8, 6, 5], "the device has heard of it too");
    }

    #[test]
    fn single_elements_are_changed_on_the_host_and_heard_of_later() {
        let mut x = DistVec::from_fn(4, |i| i as u8);
        launched(&mut x, |bytes| bytes[0] = 9);
        let mut share = x.share_mut();
        *share.local.one_mut(1) += 7;
        share.local.put(2, 77);
        *share.local.one_mut(2) += 1;
        assert_eq!([0, 1, 2, 3].map(|index| share.local.as_local().one(index)), [9, 8, 78, 3]);
        assert_eq!(valid(&x), Valid::Device, "nothing else moves");
        launched(&mut x, |bytes| assert_eq!(bytes[..], [9, 8, 78, 3], "it has heard of them"));
        // The last write counts, by any method.
        let mut share = x.share_mut();
        share.local.put(0, 1);
        share.local.put(1, 2);
        share.local.write(1, &[22, 33]);
        share.local.put(3, 4);
        share.local.fill(2..4, 44);
        assert_eq!(x.local(), [1, 22, 44, 44]);
        assert_eq!(valid(&x), Valid::Both);
        let mut share = x.share_mut();
        share.local.put(0, 5);
        share.local.fill(1..3, 6);
        *share.local.one_mut(3) += 1;
        assert_eq!(x.local(), [5, 6, 6, 45]);
        launched(&mut x, |bytes| assert_eq!(bytes[..], [5, 6, 6, 45], "in both copies"));
        x.share_mut().local.put(0, 8);
        x.share_mut().local.write(0, &[1, 2, 3, 4]);
        assert_eq!((valid(&x), x.local()), (Valid::Host, &[1, 2, 3, 4][..]), "nothing else is left of it");
        launched(&mut x, |bytes| assert_eq!(bytes[..], [1, 2, 3, 4]));
        x.share_mut().local.put(0, 8);
        x.local_mut()[1] = 9;
        launched(&mut x, |bytes| assert_eq!(bytes[..], [8, 9, 3, 4]));
    }

    #[test]
    fn many_elements_come_as_a_whole() {
        let mut x = DistVec::from_fn(4, |i| i as u8);
        launched(&mut x, |bytes| bytes[0] = 9);
        for turn in 0..100 {
            let mut share = x.share_mut();
            share.local.put(turn % 4, turn as u8);
        }
        assert_eq!(valid(&x), Valid::Device, "few parts have changed");
        let mut x = DistVec::from_fn(100, |i| i as u8);
        launched(&mut x, |bytes| bytes[0] = 9);
        for index in 0..100 {
            x.share_mut().local.put(index, 1);
        }
        assert_eq!(valid(&x), Valid::Host);
        assert_eq!(x.local(), [1; 100]);
    }

    #[test]
    fn each_way_to_write_ends_the_version_and_no_way_to_read_does() {
        let version = |x: &DistVec<u8>| x.share().local.as_bytes().version().expect("a share has a version");
        let changes: [fn(&mut DistVec<u8>); 11] = [
            |x| x.local_mut()[0] = 1,
            |x| x.share_mut().local[0] = 1,
            |x| x.share_mut().local.put(1, 5),
            |x| *x.share_mut().local.one_mut(1) += 1,
            |x| x.share_mut().local.fill(1..2, 7),
            |x| x.share_mut().local.write(3, &[1]),
            |x| x.share_mut().local.write(0, &[1, 2, 3, 4]),
            |x| x.share_mut().local.into_elements()[2] = 1,
            |x| _ = x.share_mut().local.reborrow().into_bytes(),
            // SAFETY: the vector is borrowed alone.
            |x| unsafe { x.share_mut().local.into_bytes().all_mut()[0] = 1 },
            |x| launched(x, |bytes| bytes[0] += 1),
        ];
        let reads: [fn(&DistVec<u8>); 7] = [
            |x| _ = x.share().local.bytes(std::slice::from_ref(&(0..2))),
            |x| _ = x.share().local.one(1),
            |x| _ = x.share().local.gather(&[0]),
            |x| _ = x.share().local.as_bytes().held(0),
            |x| _ = x.share().local.address(),
            |x| _ = x.local(),
            |x| _ = x.clone(),
        ];
        for away in [false, true] {
            let mut x = DistVec::from_fn(4, |i| i as u8);
            for (number, change) in changes.iter().enumerate() {
                if away {
                    launched(&mut x, |_| ());
                }
                let before = version(&x);
                change(&mut x);
                let after = version(&x);
                assert_ne!(after, before, "change {number}");
                for (number, read) in reads.iter().enumerate() {
                    read(&x);
                    assert_eq!(version(&x), after, "read {number}");
                }
            }
        }
        // A borrow that was taken before the version still ends it.
        let mut x = DistVec::from_fn(4, |i| i as u8);
        let mut share = x.share_mut();
        let before = share.local.as_local().as_bytes().version();
        share.local.put(0, 1);
        assert_ne!(share.local.as_local().as_bytes().version(), before);
        assert_eq!(share.local.into_bytes().version(), None, "others may still write there");
    }

    #[test]
    fn a_share_becomes_what_it_was() {
        let mut x = DistVec::from_fn(4, |i| i as u8);
        for wanted in [[0, 1, 2, 3], [9, 1, 2, 3]] {
            let before = x.share().local.as_bytes().held(0).expect("a share may stay").residence.remember().unwrap();
            launched(&mut x, |bytes| bytes[1] = 77);
            x.share().local.as_bytes().held(0).expect("a share may stay").residence.restore(before);
            assert_eq!(x.local(), wanted);
            launched(&mut x, |bytes| bytes[0] = 9);
        }
    }
}
