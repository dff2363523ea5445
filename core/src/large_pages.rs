//! Large arrays request large pages from the operating system.
//!
//! The first write to a page of new memory is a page fault, which takes as long as some thousand additions. A loop that writes new memory
//! spends most of its time on faults. A large page is one fault instead of 512. Like NumPy, `forall` requests large pages from 4 MiB on.

/// Shorter arrays contain too few large pages.
pub(crate) const WORTH_LARGE_PAGES: usize = 4 << 20;

/// The size of a large page on most machines.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Requests large pages for the capacity of this vector, which will be written. Does nothing if the system has no large pages, or uses them
/// for all memory.
pub(crate) fn request_large_pages<T>(vector: &mut Vec<T>) {
    request_at(vector.as_mut_ptr().cast(), vector.capacity().saturating_mul(size_of::<T>()));
}

/// Makes the pages of memory that will be written. Otherwise two workers that fault at the same page would both clear it, one of them in
/// vain. The contents stay the same. Does nothing if the system does not support the advice.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn make_pages(start: *mut u8, bytes: usize) {
    // SAFETY: this advice changes no contents. If the system refuses it, nothing happens.
    unsafe { libc::madvise(start.cast(), bytes, libc::MADV_POPULATE_WRITE) };
}

/// Does nothing: there is no such advice on this system.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn make_pages(_: *mut u8, _: usize) {}

/// Requests large pages for a part of an allocation.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn request_at(start: *mut u8, bytes: usize) {
    if !(WORTH_LARGE_PAGES..isize::MAX as usize).contains(&bytes) {
        return;
    }
    // The advice is for whole pages. The pages at both ends are included, because a mapping in two parts cannot move as one when it grows.
    // SAFETY: this call only returns the page size.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(1);
    let before = start.addr() % page;
    // SAFETY: this advice changes no contents, also not those beside the vector. If the system refuses it, nothing happens.
    unsafe { libc::madvise(start.wrapping_sub(before).cast(), before + bytes, libc::MADV_HUGEPAGE) };
}

/// Does nothing: there is no such advice on this system.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn request_at(_: *mut u8, _: usize) {}
