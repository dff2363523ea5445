//! Stores that bypass the caches.
//!
//! An ordinary store first reads the line of memory that it changes. If a loop writes whole lines of an array that is longer than the last cache, this
//! read is in vain. It is a third of the traffic of a copy, and the written lines displace others that the loop needs.

/// The length of a line of memory in bytes, which is also the unit of stores that bypass the caches.
pub(crate) const LINE: usize = 64;

/// A line of memory.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u8; LINE]);

/// The size of this processor's last cache in bytes; `None` if it is unknown, or if there are no such stores.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) fn last_cache() -> Option<usize> {
    static SIZE: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *SIZE.get_or_init(|| {
        let caches = raw_cpuid::CpuId::new().get_cache_parameters()?;
        let size = |cache: raw_cpuid::CacheParameter| {
            cache.associativity() * cache.physical_line_partitions() * cache.coherency_line_size() * cache.sets()
        };
        caches.map(size).max().filter(|size| *size > 0)
    })
}

/// None: there are no such stores on this processor.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(crate) fn last_cache() -> Option<usize> {
    None
}

/// Fills lines with copies of an element of this size.
///
/// # Safety
/// The element may be read.
pub(crate) unsafe fn fill(lines: &mut [Line], element: *const u8, size: usize) {
    let (start, bytes) = (lines.as_mut_ptr().cast::<u8>(), size_of_val(lines));
    let mut filled = size.min(bytes);
    // SAFETY: the caller guarantees that the element may be read, and the lines have room for the copies, which do not overlap their source.
    unsafe {
        std::ptr::copy_nonoverlapping(element, start, filled);
        while filled > 0 && filled < bytes {
            let more = filled.min(bytes - filled);
            std::ptr::copy_nonoverlapping(start, start.add(filled), more);
            filled += more;
        }
    }
}

/// Copies bytes, whole lines past the caches. They are visible to other threads after [`fence`].
///
/// # Safety
/// As `copy_nonoverlapping`.
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: these are three parts of the memory that the caller vouches for; the lines in the middle are aligned.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        copy_lines(from.add(head), to.add(head), lines);
        std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
    }
}

/// Copies whole lines past the caches.
///
/// # Safety
/// As `copy_nonoverlapping`, and `to` is at the beginning of a line.
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn copy_lines(from: *const u8, to: *mut u8, lines: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    let (from, to) = (from.cast::<__m128i>(), to.cast::<__m128i>());
    for part in 0..lines * (LINE / size_of::<__m128i>()) {
        // SAFETY: these sixteen bytes are in the caller's lines, and `to` is aligned. The bytes are initialised: elements have no padding.
        unsafe { _mm_stream_si128(to.add(part), _mm_loadu_si128(from.add(part))) };
    }
}

/// Copies whole lines.
///
/// # Safety
/// As `copy_nonoverlapping`.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
unsafe fn copy_lines(from: *const u8, to: *mut u8, lines: usize) {
    // SAFETY: the caller guarantees it.
    unsafe { std::ptr::copy_nonoverlapping(from, to, lines * LINE) };
}

/// Completes the stores of [`copy`] by this thread, before others read the elements.
pub(crate) fn fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: each processor of this architecture has this instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE, Line, copy, fence, fill, last_cache};

    #[test]
    fn bytes_of_any_length_arrive_at_any_place() {
        let from: Vec<u8> = (0..1000).map(|k| (k % 251) as u8).collect();
        for (start, bytes) in [(0, 0), (1, 1), (3, LINE - 1), (0, LINE), (5, LINE + 1), (63, 640), (64, 641), (17, 900)]
        {
            let mut to = vec![255; start + bytes + 3];
            // SAFETY: both vectors have this number of bytes, from these places on.
            unsafe { copy(from.as_ptr(), to.as_mut_ptr().add(start), bytes) };
            fence();
            assert_eq!(to[start..start + bytes], from[..bytes], "{bytes} bytes from {start} on");
            assert!(to[..start].iter().chain(&to[start + bytes..]).all(|byte| *byte == 255));
        }
    }

    #[test]
    fn lines_are_full_of_an_element() {
        for (size, lines) in [(1, 1), (2, 32), (12, 3), (24, 24), (64, 5)] {
            let element: Vec<u8> = (1..=size as u8).collect();
            let mut buffer = vec![Line([0; LINE]); lines];
            // SAFETY: the vector has this size.
            unsafe { fill(&mut buffer, element.as_ptr(), size) };
            let bytes = buffer.iter().flat_map(|line| line.0);
            assert!(bytes.zip(element.iter().cycle()).all(|(found, expected)| found == *expected), "{size}");
        }
    }

    #[test]
    fn the_last_cache_has_a_plausible_size() {
        assert!(last_cache().is_none_or(|size| (1 << 15..1 << 40).contains(&size)));
    }
}
