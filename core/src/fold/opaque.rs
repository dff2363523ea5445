//! Values whose types the drivers do not know, so that they are compiled once for all loops.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::MaybeUninit;

/// A value of a type that only the accumulators know which made it: what a chunk collects, a running value, what a worker
/// carries.
///
/// Small values lie inside, so that a call on few elements allocates nothing for them.
pub(super) struct Opaque {
    room: MaybeUninit<Room>,
    /// What is to be done at the end, if anything.
    end: Option<&'static End>,
}

type Room = [usize; 4];

/// What is to be done at the end of a value.
struct End {
    /// How to drop it, where it is there.
    drop: Option<unsafe fn(*mut u8)>,
    /// Where it does not fit inside, the memory that it has.
    memory: Option<Layout>,
}

// SAFETY: only values of types that are `Send` are put into one.
unsafe impl Send for Opaque {}

// SAFETY: a shared one gives references to values of types that are `Sync` alone.
unsafe impl Sync for Opaque {}

/// Whether values of a type lie inside.
const fn fits<T>() -> bool {
    size_of::<T>() <= size_of::<Room>() && align_of::<T>() <= align_of::<Room>()
}

/// # Safety
/// There is a value of this type at the address, of which nothing more is heard.
unsafe fn drop_in_place<T>(address: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { address.cast::<T>().drop_in_place() }
}

/// What is to be done at the end of a value of a type, which is there or not.
const fn end<T>(is_there: bool) -> Option<&'static End> {
    const fn memory<T>() -> Option<Layout> {
        if fits::<T>() { None } else { Some(Layout::new::<T>()) }
    }
    if is_there && std::mem::needs_drop::<T>() {
        Some(const { &End { drop: Some(drop_in_place::<T>), memory: memory::<T>() } })
    } else if fits::<T>() {
        None
    } else {
        Some(const { &End { drop: None, memory: memory::<T>() } })
    }
}

impl Opaque {
    #[inline]
    pub fn new<T: Send>(value: T) -> Self {
        let mut opaque = Opaque { room: MaybeUninit::uninit(), end: None };
        if const { !fits::<T>() } {
            opaque.allocate(Layout::new::<T>());
        }
        opaque.put(value);
        opaque
    }

    /// Memory for a value that does not lie inside.
    fn allocate(&mut self, layout: Layout) {
        let address = match layout.size() {
            0 => std::ptr::without_provenance_mut(layout.align()),
            // SAFETY: the size is not zero.
            _ => unsafe { alloc(layout) },
        };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: the room is larger than an address, and aligned for one.
        unsafe { self.outside().write(address) };
    }

    /// Where the address of the value is, if that has memory of its own.
    #[inline]
    fn outside(&mut self) -> *mut *mut u8 {
        self.room.as_mut_ptr().cast()
    }

    #[inline]
    fn address<T>(&mut self) -> *mut T {
        match const { fits::<T>() } {
            true => self.room.as_mut_ptr().cast(),
            // SAFETY: the address was put there when this was made.
            false => unsafe { self.outside().read() }.cast(),
        }
    }

    /// The value.
    ///
    /// # Safety
    /// It is there, and of this type.
    #[inline]
    pub unsafe fn get<T: Sync>(&self) -> &T {
        // SAFETY: the caller's promise; what does not lie inside is where the address says.
        unsafe {
            match const { fits::<T>() } {
                true => &*self.room.as_ptr().cast(),
                false => &**self.room.as_ptr().cast::<*const T>(),
            }
        }
    }

    /// The value, to change.
    ///
    /// # Safety
    /// As [`Opaque::get`].
    #[inline]
    pub unsafe fn get_mut<T>(&mut self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.address() }
    }

    /// The value itself.
    ///
    /// # Safety
    /// As [`Opaque::get`].
    #[inline]
    pub unsafe fn into<T>(mut self) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.take() }
    }

    /// Takes the value out. The room stays, for [`Opaque::put`].
    ///
    /// # Safety
    /// As [`Opaque::get`].
    #[inline]
    pub unsafe fn take<T>(&mut self) -> T {
        self.end = const { end::<T>(false) };
        // SAFETY: the caller's promise; the value is not there any more.
        unsafe { self.address::<T>().read() }
    }

    /// Puts a value into the room that one of its type was taken from.
    #[inline]
    pub fn put<T: Send>(&mut self, value: T) {
        // SAFETY: the room is for a value of this type, and holds none.
        unsafe { self.address::<T>().write(value) };
        self.end = const { end::<T>(true) };
    }
}

impl Drop for Opaque {
    #[inline]
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            self.finish(end);
        }
    }
}

impl Opaque {
    fn finish(&mut self, end: &End) {
        let address = match end.memory {
            // SAFETY: then the address is in the room.
            Some(_) => unsafe { self.outside().read() },
            None => self.room.as_mut_ptr().cast(),
        };
        if let Some(drop) = end.drop {
            // SAFETY: the value is there, and this is the last that is heard of it.
            unsafe { drop(address) };
        }
        if let Some(layout) = end.memory.filter(|layout| layout.size() > 0) {
            // SAFETY: the memory was allocated so, for this value alone.
            unsafe { dealloc(address, layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[repr(align(64))]
    struct Nothing;

    #[test]
    fn values_of_any_size_come_out_as_they_went_in() {
        let large = Opaque::new([7_u64; 100]);
        let (small, wide, nothing) = (Opaque::new((1_u8, 2_u32)), Opaque::new(5_u128), Opaque::new(Nothing));
        // SAFETY: these are their types.
        unsafe {
            assert_eq!(*large.get::<[u64; 100]>(), [7; 100]);
            assert_eq!((small.into::<(u8, u32)>(), wide.into::<u128>()), ((1, 2), 5));
            let Nothing = nothing.into::<Nothing>();
        }
    }

    #[test]
    fn what_is_taken_out_is_dropped_once() {
        let counted = Arc::new(());
        let mut one = Opaque::new(counted.clone());
        let mut many = Opaque::new([(); 9].map(|()| counted.clone()));
        assert_eq!(Arc::strong_count(&counted), 11);
        // SAFETY: these are their types.
        unsafe {
            one.take::<Arc<()>>();
            let all = many.take::<[Arc<()>; 9]>();
            assert_eq!(Arc::strong_count(&counted), 10);
            many.put(all);
            one.put(counted.clone());
            assert!(Arc::ptr_eq(one.get_mut::<Arc<()>>(), &counted));
        }
        drop((one, many));
        assert_eq!(Arc::strong_count(&counted), 1);
        let mut gone = Opaque::new([(); 9].map(|()| counted.clone()));
        // SAFETY: as above.
        drop(unsafe { gone.take::<[Arc<()>; 9]>() });
        drop(gone);
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
