//! Type-erased values, so that the drivers are compiled once for all loops.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::MaybeUninit;

/// A type-erased value of the accumulators: a chunk, a scan state, a carry.
///
/// Small values are stored inline, so a short call allocates nothing for them.
pub(super) struct Opaque {
    storage: MaybeUninit<Storage>,
    /// The destructor, if there is something to do.
    end: Option<&'static End>,
}

type Storage = [usize; 4];

/// The destructor of a value.
struct End {
    /// Drops the value, if there is one.
    drop: Option<unsafe fn(*mut u8)>,
    /// The allocation, if the value is not inline.
    memory: Option<Layout>,
}

// SAFETY: the value is `Send` (see `new` and `put`).
unsafe impl Send for Opaque {}

// SAFETY: a shared reference gives access only to `Sync` values (see `get`).
unsafe impl Sync for Opaque {}

/// Whether values of a type are stored inline.
const fn fits<T>() -> bool {
    size_of::<T>() <= size_of::<Storage>() && align_of::<T>() <= align_of::<Storage>()
}

/// # Safety
/// There is a value of this type at the address, and nobody uses it afterwards.
unsafe fn drop_in_place<T>(address: *mut u8) {
    // SAFETY: the caller guarantees it.
    unsafe { address.cast::<T>().drop_in_place() }
}

/// The destructor for a type, with or without a value.
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
        let mut opaque = Opaque { storage: MaybeUninit::uninit(), end: None };
        if const { !fits::<T>() } {
            opaque.allocate(Layout::new::<T>());
        }
        opaque.put(value);
        opaque
    }

    /// Allocates memory for a value that is not inline.
    fn allocate(&mut self, layout: Layout) {
        let address = match layout.size() {
            0 => std::ptr::without_provenance_mut(layout.align()),
            // SAFETY: the size is not zero.
            _ => unsafe { alloc(layout) },
        };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: the storage is larger than a pointer, and aligned for one.
        unsafe { self.outside().write(address) };
    }

    /// The pointer to the allocation of the value.
    #[inline]
    fn outside(&mut self) -> *mut *mut u8 {
        self.storage.as_mut_ptr().cast()
    }

    #[inline]
    fn address<T>(&mut self) -> *mut T {
        match const { fits::<T>() } {
            true => self.storage.as_mut_ptr().cast(),
            // SAFETY: `new` stored the pointer.
            false => unsafe { self.outside().read() }.cast(),
        }
    }

    /// The value.
    ///
    /// # Safety
    /// There is a value, and it has this type.
    #[inline]
    pub unsafe fn get<T: Sync>(&self) -> &T {
        // SAFETY: the caller guarantees it; a value that is not inline is at the stored pointer.
        unsafe {
            match const { fits::<T>() } {
                true => &*self.storage.as_ptr().cast(),
                false => &**self.storage.as_ptr().cast::<*const T>(),
            }
        }
    }

    /// The value, for writing.
    ///
    /// # Safety
    /// As [`Opaque::get`].
    #[inline]
    pub unsafe fn get_mut<T>(&mut self) -> &mut T {
        // SAFETY: the caller guarantees it.
        unsafe { &mut *self.address() }
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// As [`Opaque::get`].
    #[inline]
    pub unsafe fn into<T>(mut self) -> T {
        // SAFETY: the caller guarantees it.
        unsafe { self.take() }
    }

    /// Moves the value out. The storage stays, for [`Opaque::put`].
    ///
    /// # Safety
    /// As [`Opaque::get`].
    #[inline]
    pub unsafe fn take<T>(&mut self) -> T {
        self.end = const { end::<T>(false) };
        // SAFETY: the caller guarantees it; the value is marked as absent.
        unsafe { self.address::<T>().read() }
    }

    /// Stores a value of the same type as the one that was taken.
    #[inline]
    pub fn put<T: Send>(&mut self, value: T) {
        // SAFETY: the storage is for a value of this type, and empty.
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
            // SAFETY: the value is not inline, so the pointer is stored.
            Some(_) => unsafe { self.outside().read() },
            None => self.storage.as_mut_ptr().cast(),
        };
        if let Some(drop) = end.drop {
            // SAFETY: there is a value, and nobody uses it afterwards.
            unsafe { drop(address) };
        }
        if let Some(layout) = end.memory.filter(|layout| layout.size() > 0) {
            // SAFETY: the memory was allocated with this layout for this value.
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
