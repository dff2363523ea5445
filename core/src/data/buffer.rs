//! The memory of a share, with space on both sides for a halo. It has all unsafe code of [`DistVec`](super::DistVec).

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use bytemuck::Zeroable;

use super::local::{Local, LocalMut};
use super::shares::Room;
use crate::device::Residence;
use crate::element::Element;
use crate::large_pages;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A share in one allocation: `room.front` uninitialised elements, the share, `room.back` uninitialised elements.
///
/// The pointer from the allocator stays raw, so that a halo may be written through [`Buffer::start`] while the share is borrowed.
pub(super) struct Buffer<T: Element> {
    /// The first element of the allocation; dangling if there is none.
    base: NonNull<T>,
    /// The number of elements in the allocation.
    capacity: usize,
    /// The number of elements before the share.
    front: usize,
    /// The number of elements of the share, all initialised.
    len: usize,
    /// Which copies of the share are valid, on the host and on a device.
    residence: Residence,
    owns: PhantomData<T>,
}

impl Room {
    /// The space for the halo of a share of `len` elements on several ranks.
    ///
    /// On each side it is as long as the share, so any halo from the neighbours fits, but at least a few pages and at most 256 MiB. The
    /// operating system commits memory at the first access, so unused space costs only addresses.
    pub(super) fn around<T>(len: usize) -> Self {
        let most = (256 << 20) / size_of::<T>().max(1);
        let side = len.max(4096).min(most);
        Self { front: side, back: side }
    }

    /// The space around a share of `len` elements on one rank, which has no halo: none, except to avoid cache conflicts.
    pub(super) fn alone<T>(len: usize) -> Self {
        let bytes = len.saturating_mul(size_of::<T>());
        if bytes > 0 && bytes.is_multiple_of(1 << 20) { Self::default().staggered::<T>() } else { Self::default() }
    }

    /// Adds space at the front that differs from allocation to allocation. Otherwise shares whose lengths are powers of two map equal indices
    /// to the same set of the first-level cache (a scan over three vectors of 2^25 elements took more than twice as long).
    ///
    /// Some lines change the set. Some pages avoid conflicts in way predictors, which hash the page number: on AMD processors, lines 2^27
    /// bytes and a page apart have the same hash (Lipp et al. 2020, Take A Way). The differences are far from all powers of two.
    pub(super) fn staggered<T>(self) -> Self {
        static SHARES: AtomicUsize = AtomicUsize::new(0);
        let turn = SHARES.fetch_add(1, Ordering::Relaxed) % 8;
        Self { front: self.front + turn * (5 * 4096 + 7 * 64) / size_of::<T>().max(1), ..self }
    }
}

impl<T: Element> Buffer<T> {
    /// Wraps a vector without a copy. Its spare capacity becomes space at the back.
    pub(super) fn from_vec(vec: Vec<T>) -> Self {
        const { assert!(size_of::<T>() > 0, "elements of a distributed vector have at least one byte") };
        let mut vec = ManuallyDrop::new(vec);
        Self {
            base: NonNull::new(vec.as_mut_ptr()).expect("a vector's pointer is not null"),
            capacity: vec.capacity(),
            front: 0,
            len: vec.len(),
            residence: Residence::default(),
            owns: PhantomData,
        }
    }

    /// The share as a vector; without a copy if there is no space at the front.
    pub(super) fn into_vec(self) -> Vec<T> {
        if self.front > 0 {
            return self.as_slice().to_vec();
        }
        self.as_slice();
        let mut buffer = ManuallyDrop::new(self);
        drop(std::mem::take(&mut buffer.residence));
        // SAFETY: the allocation is that of a vector: from the global allocator, with `capacity` elements of T (or dangling if that is zero).
        // The first `len` elements are initialised, and `self` is not dropped.
        unsafe { Vec::from_raw_parts(buffer.base.as_ptr(), buffer.len, buffer.capacity) }
    }

    /// Memory for `len` elements with space around them; without the space if memory is short.
    ///
    /// # Safety
    /// The caller writes all `len` elements before they are read, or requests zeroed memory and zero bytes are a value of T.
    unsafe fn allocate(len: usize, room: Room, zeroed: bool) -> Self {
        const { assert!(size_of::<T>() > 0, "elements of a distributed vector have at least one byte") };
        let capacity = len.checked_add(room.front).and_then(|sum| sum.checked_add(room.back));
        let layout = capacity.and_then(|capacity| Layout::array::<T>(capacity).ok());
        // Large allocations are untouched zero pages. Smaller ones may be recycled memory: only the share is cleared.
        let untouched = zeroed && layout.is_some_and(|layout| layout.size() >= 64 << 20);
        let base = match layout {
            Some(layout) if layout.size() == 0 => Some(NonNull::dangling()),
            Some(layout) => {
                // SAFETY: the layout's size is not zero.
                let memory = unsafe { if untouched { alloc_zeroed(layout) } else { alloc(layout) } };
                NonNull::new(memory.cast())
            }
            None => None,
        };
        let buffer = match (base, capacity) {
            (Some(base), Some(capacity)) => {
                let residence = Residence::default();
                Self { base, capacity, front: room.front, len, residence, owns: PhantomData }
            }
            // Without overcommit there may be memory only for the share.
            // SAFETY: as this call.
            _ if room != Room::default() => return unsafe { Self::allocate(len, Room::default(), zeroed) },
            _ => match layout {
                Some(layout) => handle_alloc_error(layout),
                None => panic!("a share of {len} elements of {} bytes is too long for memory", size_of::<T>()),
            },
        };
        large_pages::request_at(buffer.start().cast(), len * size_of::<T>());
        if zeroed && !untouched {
            // SAFETY: the allocation has `len` elements from `start` on.
            unsafe { buffer.start().write_bytes(0, len) };
        }
        buffer
    }

    /// `len` zero elements. Large buffers are not touched, because the operating system provides zeroed pages.
    pub(super) fn zeroed(len: usize, room: Room) -> Self
    where
        T: Zeroable,
    {
        // SAFETY: zero bytes are a value of T.
        unsafe { Self::allocate(len, room, true) }
    }

    /// A copy of `elements`.
    pub(super) fn copied(elements: &[T], room: Room) -> Self {
        // SAFETY: all elements are written here.
        let buffer = unsafe { Self::allocate(elements.len(), room, false) };
        // SAFETY: the allocation has `elements.len()` elements from `start` on, and is new, so it does not overlap.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), buffer.start(), elements.len()) };
        buffer
    }

    /// `f(0)`, `f(1)`, .. `f(len - 1)`.
    pub(super) fn from_fn(len: usize, room: Room, mut f: impl FnMut(usize) -> T) -> Self {
        // SAFETY: all elements are written here. If `f` panics, the buffer is dropped, which reads no element.
        let buffer = unsafe { Self::allocate(len, room, false) };
        for i in 0..len {
            let element = f(i);
            // SAFETY: the allocation has `len` elements from `start` on.
            unsafe { buffer.start().add(i).write(element) };
        }
        buffer
    }

    /// `len` elements whose bytes `fill` writes; they are zero before.
    ///
    /// # Safety
    /// After `fill` all bytes are those of valid values of T.
    pub(super) unsafe fn from_bytes(len: usize, room: Room, fill: impl FnOnce(&mut [u8])) -> Self {
        // SAFETY: `fill` writes the elements before anything reads them as T. If it panics, the buffer is dropped, which
        // reads no element.
        let buffer = unsafe { Self::allocate(len, room, true) };
        // SAFETY: `len` elements from `start` on belong to this buffer alone, and their bytes are initialised to zero.
        fill(unsafe { std::slice::from_raw_parts_mut(buffer.start().cast::<u8>(), len * size_of::<T>()) });
        buffer
    }

    /// A pointer to the first element of the share, with permission for the whole allocation.
    pub(super) fn start(&self) -> *mut T {
        // SAFETY: the share begins within the allocation, or at its end.
        unsafe { self.base.as_ptr().add(self.front) }
    }

    /// The space around the share.
    pub(super) fn room(&self) -> Room {
        Room { front: self.front, back: self.capacity - self.front - self.len }
    }

    /// The share, on the host or on a device.
    pub(super) fn as_local(&self) -> Local<'_, T> {
        // SAFETY: the share is initialised and inside the allocation, and shared borrows of the buffer only read it. A device changes its
        // copy only through a unique borrow, so no slice is alive then.
        unsafe { Local::resident(self.start(), self.len, &self.residence) }
    }

    /// The share, on the host or on a device.
    pub(super) fn as_local_mut(&mut self) -> LocalMut<'_, T> {
        // SAFETY: the share is initialised and within the allocation, and the buffer is borrowed alone.
        unsafe { LocalMut::resident(self.start(), self.len, &self.residence) }
    }

    /// The share.
    pub(super) fn as_slice(&self) -> &[T] {
        self.as_local().elements()
    }

    /// The share.
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        self.as_local_mut().into_elements()
    }
}

impl<T: Element> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        let (has, around) = (self.room(), Room::around::<T>(self.len));
        let several = has.front >= around.front && has.back >= around.back;
        Self::copied(self.as_slice(), if several { around.staggered::<T>() } else { Room::alone::<T>(self.len) })
    }
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.capacity > 0 {
            let layout = Layout::array::<T>(self.capacity).expect("the allocation had this layout");
            // SAFETY: the global allocator gave this memory with this layout, and elements have no destructor.
            unsafe { dealloc(self.base.as_ptr().cast(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [usize; 4] = [0, 1, 5, 1025];
    const ROOMS: [Room; 3] = [Room { front: 0, back: 0 }, Room { front: 3, back: 2 }, Room { front: 0, back: 1 }];

    /// Writes a halo of the whole room while the share is borrowed, and reads all of it.
    fn use_room(buffer: &Buffer<u32>) {
        let (room, share) = (buffer.room(), buffer.as_slice());
        let sum = share.iter().sum::<u32>();
        for i in 0..room.front {
            // SAFETY: the room is this buffer's alone.
            unsafe { buffer.start().sub(i + 1).write(1) };
        }
        for i in 0..room.back {
            // SAFETY: as above.
            unsafe { buffer.start().add(share.len() + i).write(1) };
        }
        let all = room.front + share.len() + room.back;
        // SAFETY: all elements are initialised now, and nothing writes them at this time.
        let window = unsafe { std::slice::from_raw_parts(buffer.start().sub(room.front), all) };
        assert_eq!(window.iter().sum::<u32>(), sum + (room.front + room.back) as u32);
        assert_eq!(share.iter().sum::<u32>(), sum);
    }

    #[test]
    fn every_way_to_make_one() {
        for len in LENGTHS {
            for room in ROOMS {
                let expected: Vec<u32> = (0..len as u32).collect();
                let mut buffer = Buffer::from_fn(len, room, |i| i as u32);
                assert_eq!(buffer.as_slice(), expected);
                assert_eq!(buffer.room(), room);
                use_room(&buffer);
                assert_eq!(Buffer::copied(&expected, room).as_slice(), expected);
                assert!(Buffer::<u32>::zeroed(len, room).as_slice().iter().all(|&element| element == 0));
                // SAFETY: zero bytes are a u32, and any others are.
                let ones = unsafe { Buffer::<u32>::from_bytes(len, room, |bytes| bytes.fill(1)) };
                assert!(ones.as_slice().iter().all(|&element| element == 0x0101_0101));
                let copy = buffer.clone();
                buffer.as_mut_slice().fill(9);
                assert_eq!(copy.as_slice(), expected);
                use_room(&copy);
                assert_eq!(copy.into_vec(), expected);
                assert_eq!(buffer.into_vec(), vec![9; len]);
            }
        }
    }

    #[test]
    fn vectors_go_in_and_out_without_copying() {
        let mut vec = Vec::with_capacity(10);
        vec.extend([1u32, 2, 3]);
        let (start, capacity) = (vec.as_ptr(), vec.capacity());
        let buffer = Buffer::from_vec(vec);
        assert_eq!(buffer.room(), Room { front: 0, back: capacity - 3 });
        use_room(&buffer);
        let vec = buffer.into_vec();
        assert_eq!((vec.as_ptr(), vec.capacity(), vec.as_slice()), (start, capacity, &[1, 2, 3][..]));
        assert!(Buffer::<u64>::from_vec(Vec::new()).into_vec().is_empty());
    }

    #[test]
    fn a_panic_leaves_nothing_behind() {
        let result = std::panic::catch_unwind(|| {
            Buffer::from_fn(10, Room::default(), |i| if i < 5 { i } else { panic!("at {i}") });
        });
        assert!(result.is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "much memory")]
    fn large_room_is_bounded_and_costs_no_memory() {
        assert_eq!(Room::around::<u8>(10).front, 4096);
        assert_eq!(Room::around::<f64>(1 << 20).back, 1 << 20);
        assert_eq!(Room::around::<[f64; 4]>(1 << 40).front, 8 << 20);
        let buffer = Buffer::<f64>::zeroed(1 << 27, Room::default());
        assert_eq!(buffer.as_slice()[1 << 26], 0.0);
        // If the space does not fit in memory, the share has none.
        let buffer = Buffer::copied(&[1u64, 2], Room { front: 1 << 59, back: 0 });
        assert_eq!((buffer.as_slice(), buffer.room()), (&[1, 2][..], Room::default()));
    }
}
