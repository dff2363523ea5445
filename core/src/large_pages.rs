//! Large arrays ask the system for large pages.
//!
//! The first write to a page of new memory is a fault, which takes as long as some thousand additions: what a loop writes first is then
//! mostly faults. A large page is one fault for 512 small ones. NumPy asks for them from 4 MiB on, and so do we.

/// Fewer bytes have too few pages that are large.
pub(crate) const WORTH_ASKING: usize = 4 << 20;

/// How many bytes a large page has, where it has as many as on most machines.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Says that the room of this vector will be written to. A system that has no large pages, or gives them to all, does nothing.
pub(crate) fn ask_for_large_pages<T>(vector: &mut Vec<T>) {
    ask_at(vector.as_mut_ptr().cast(), vector.capacity().saturating_mul(size_of::<T>()));
}

/// Makes the pages of room that will be written to. Two workers that fault at the same page would both clear it, one of them in
/// vain. The room's bytes are as they were. A system that does not know the advice does nothing.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn make_pages(start: *mut u8, bytes: usize) {
    // SAFETY: this advice changes no contents. That it is refused makes no difference.
    unsafe { libc::madvise(start.cast(), bytes, libc::MADV_POPULATE_WRITE) };
}

/// The same: no advice is known here.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn make_pages(_: *mut u8, _: usize) {}

/// The same of so many bytes of an allocation.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn ask_at(start: *mut u8, bytes: usize) {
    if !(WORTH_ASKING..isize::MAX as usize).contains(&bytes) {
        return;
    }
    // The advice is for whole pages. Those at the ends are taken as a whole: a mapping in two parts cannot move as one when it grows.
    // SAFETY: it only asks how large pages are.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(1);
    let before = start.addr() % page;
    // SAFETY: this advice changes no contents, not of what is beside the vector either. That it is refused makes no difference.
    unsafe { libc::madvise(start.wrapping_sub(before).cast(), before + bytes, libc::MADV_HUGEPAGE) };
}

/// The same of so many bytes of an allocation: no advice is known here.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn ask_at(_: *mut u8, _: usize) {}
