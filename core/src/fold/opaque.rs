//! Values whose types the drivers do not know, so that they are compiled once for all loops.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::MaybeUninit;

/// A value of a type that only the accumulators know which made it: what a chunk collects, a running value, what a worker
/// carries.
///
/// Small values lie inside, so that a call on few elements allocates nothing for them.
pub(super) struct Opaque {
    room: MaybeUninit<Room>,
    /// How to drop the value, where it is there.
    drop: Option<unsafe fn(*mut u8)>,
    /// Where the value does not fit inside, the memory that it has.
    memory: Option<Layout>,
}

type Room = [usize; 4];

// SAFETY: only values of types that are `Send` are put into one.
unsafe impl Send for Opaque {}

// SAFETY: a shared one gives references to values of types that are `Sync` alone.
unsafe impl Sync for Opaque {}

/// Whether values of a type lie inside.
const fn fits<T>() -> bool {
    size_of::<T>() <= size_of::<Room>() && align_of::<T>() <= align_of::<Room>()
}

impl Opaque {
    #[inline]
    pub fn new<T: Send>(value: T) -> Self {
        let mut opaque = Opaque { room: MaybeUninit::uninit(), drop: None, memory: None };
        if const { !fits::<T>() } {
            opaque.allocate(Layout::new::<T>());
        }
        opaque.put(value);
        opaque
    }

    fn allocate(&mut self, layout: Layout) {
        let address = match layout.size() {
            0 => std::ptr::without_provenance_mut(layout.align()),
            // SAFETY: the size is not zero.
            _ => unsafe { alloc(layout) },
        };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        self.memory = Some(layout);
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
        self.drop = None;
        // SAFETY: the caller's promise; the value is not there any more.
        unsafe { self.address::<T>().read() }
    }

    /// Puts a value into the room that one of its type was taken from.
    #[inline]
    pub fn put<T: Send>(&mut self, value: T) {
        unsafe fn drop_in_place<T>(address: *mut u8) {
            // SAFETY: whoever calls it has a value of this type there.
            unsafe { address.cast::<T>().drop_in_place() }
        }
        // SAFETY: the room is for a value of this type, and holds none.
        unsafe { self.address::<T>().write(value) };
        self.drop = if std::mem::needs_drop::<T>() { Some(drop_in_place::<T>) } else { None };
    }
}

impl Drop for Opaque {
    fn drop(&mut self) {
        let address = match self.memory {
            // SAFETY: then the address is in the room.
            Some(_) => unsafe { self.outside().read() },
            None => self.room.as_mut_ptr().cast(),
        };
        if let Some(drop) = self.drop.take() {
            // SAFETY: the value is there, and this is the last that is heard of it.
            unsafe { drop(address) };
        }
        if let Some(layout) = self.memory.filter(|layout| layout.size() > 0) {
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
