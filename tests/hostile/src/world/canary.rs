//! An allocator that puts canaries around each block of memory, and finds out whether they have changed: then a program has written
//! outside of its slices.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Allocates by the system's allocator, with canaries before and behind each block.
pub struct Canaries;

/// How many blocks were found with a canary that has changed.
static CHANGED: AtomicUsize = AtomicUsize::new(0);

const CANARY: u8 = 0xa5;

/// Bytes on each side of a block: of a slice as many as an index that is wrong by some hundred elements may reach.
fn side(layout: Layout) -> usize {
    if layout.size() < 512 { 64 } else { 8192 }
}

/// The layout with canaries, and how many bytes of it lie before the block and behind it.
fn around(layout: Layout) -> Option<(Layout, [usize; 2])> {
    let side = side(layout);
    let front = side.next_multiple_of(layout.align());
    let size = layout.size().checked_add(front)?.checked_add(side)?;
    Some((Layout::from_size_align(size, layout.align()).ok()?, [front, side]))
}

// SAFETY: a block lies inside of one that the system's allocator gave for a larger layout of the same alignment, at a multiple of it.
unsafe impl GlobalAlloc for Canaries {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((all, [front, back])) = around(layout) else { return std::ptr::null_mut() };
        // SAFETY: the size is not zero.
        let memory = unsafe { System.alloc(all) };
        if memory.is_null() {
            return memory;
        }
        // SAFETY: the memory has `front` bytes, the block, and `back` bytes.
        unsafe {
            memory.write_bytes(CANARY, front);
            let block = memory.add(front);
            block.add(layout.size()).write_bytes(CANARY, back);
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((all, [front, back])) = around(layout) else { return };
        // SAFETY: the block was given by `alloc` for this layout.
        unsafe {
            let memory = block.sub(front);
            let sides =
                [std::slice::from_raw_parts(memory, front), std::slice::from_raw_parts(block.add(layout.size()), back)];
            if sides.iter().any(|side| side.iter().any(|byte| *byte != CANARY)) {
                CHANGED.fetch_add(1, Ordering::Relaxed);
            }
            System.dealloc(memory, all);
        }
    }
}

/// How many blocks were found since the last call with a canary that has changed.
pub(super) fn changed() -> usize {
    CHANGED.swap(0, Ordering::Relaxed)
}
