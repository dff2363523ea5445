//! Exchanges elements of an array between ranks: halos before the loop, and remote writes after it.
//!
//! Elements move as bytes, so this code is compiled once for all types.

use crate::data::{Elements, Layout, LocalBytes, overlap};
use crate::view::RawWindow;
use std::alloc;
use std::ops::Range;

/// The elements of a range, as bytes.
pub(super) type Fetched<'b> = (Range<usize>, &'b [u8]);

/// Memory for a window that does not fit into the halo of the share's allocation. Initially uninitialised.
#[derive(Debug)]
pub(super) struct SeparateBuffer {
    address: *mut u8,
    layout: alloc::Layout,
    /// The elements of the share that are not copied yet, because a device has them.
    missing: Elements,
}

impl SeparateBuffer {
    /// No memory.
    #[inline]
    pub(super) fn new() -> Self {
        SeparateBuffer {
            address: std::ptr::null_mut(),
            layout: alloc::Layout::new::<()>(),
            missing: Elements::default(),
        }
    }

    /// Memory for `count` elements. The elements in `missing` are copied later.
    fn with_capacity(count: usize, element: alloc::Layout, missing: Elements) -> Self {
        // SAFETY: the allocator is called with a size that is not zero.
        Self::allocated(count, element, missing, |layout| unsafe { alloc::alloc(layout) })
    }

    fn allocated(
        count: usize,
        element: alloc::Layout,
        missing: Elements,
        allocate: impl FnOnce(alloc::Layout) -> *mut u8,
    ) -> Self {
        let size = element.size().checked_mul(count).expect("the elements of an array fit into memory");
        let layout =
            alloc::Layout::from_size_align(size, element.align()).expect("the elements of an array fit into memory");
        let address = match size {
            0 => std::ptr::without_provenance_mut(layout.align()),
            _ => allocate(layout),
        };
        if address.is_null() {
            alloc::handle_alloc_error(layout);
        }
        SeparateBuffer { address, layout, missing }
    }

    pub(super) fn is_used(&self) -> bool {
        self.layout.size() > 0
    }

    /// Copies the missing elements of the share to the window, which is in this memory.
    pub(super) fn complete(&mut self, window: &RawWindow, local: &LocalBytes<'_>, offset: usize) {
        let size = local.element().size();
        for missing in std::mem::take(&mut self.missing).ranges() {
            let own = &local.all()[(missing.start - offset) * size..(missing.end - offset) * size];
            // SAFETY: the missing elements are inside the window, and nothing else refers to its memory yet.
            unsafe { window.put(missing.start, own) };
        }
    }
}

/// Memory for packed elements. It is initialised with zero bytes.
#[derive(Debug)]
pub(super) struct PackedBuffer(SeparateBuffer);

impl PackedBuffer {
    /// No memory.
    pub(super) fn new() -> Self {
        PackedBuffer(SeparateBuffer::new())
    }

    pub(super) fn with_capacity(count: usize, element: alloc::Layout) -> Self {
        // SAFETY: the allocator is called with a size that is not zero.
        let allocate = |layout| unsafe { alloc::alloc_zeroed(layout) };
        PackedBuffer(SeparateBuffer::allocated(count, element, Elements::default(), allocate))
    }

    /// Its bytes.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        if !self.0.is_used() {
            return &mut [];
        }
        // SAFETY: the memory has this size and was initialised. Nothing else refers to it: windows are addresses.
        unsafe { std::slice::from_raw_parts_mut(self.0.address, self.0.layout.size()) }
    }

    /// The window of its elements, of an array with `len` elements.
    pub(super) fn window(&self, count: usize, len: usize, size: usize) -> RawWindow {
        RawWindow::new(self.0.address, 0, count, len, size)
    }
}

impl Drop for SeparateBuffer {
    fn drop(&mut self) {
        if self.is_used() {
            // SAFETY: the memory was allocated with this layout, and nobody uses the window any more.
            unsafe { alloc::dealloc(self.address, self.layout) };
        }
    }
}

/// The remote ones among some elements, in order: `(owner, elements)`.
pub(super) fn remote<'a>(
    place: &'a Layout,
    rank: usize,
    elements: &'a Elements,
) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
    let owners = |range: Range<usize>| place.owner(range.start)..=place.owner(range.end - 1);
    elements
        .ranges()
        .flat_map(move |range| owners(range.clone()).map(move |owner| (owner, overlap(&range, &place.share_of(owner)))))
        .filter(move |(owner, range)| *owner != rank && !range.is_empty())
}

/// The remote ones among some elements, by owner, in order.
pub(super) fn given(place: &Layout, rank: usize, elements: &Elements) -> Vec<(usize, Vec<Range<usize>>)> {
    let mut all: Vec<(usize, Vec<Range<usize>>)> = Vec::new();
    for (owner, range) in remote(place, rank, elements) {
        match all.last_mut().filter(|(last, _)| *last == owner) {
            Some((_, ranges)) => ranges.push(range),
            None => all.push((owner, vec![range])),
        }
    }
    all
}

/// The elements of this rank's share that each other rank touches, by rank, in order.
pub(super) fn taken(place: &Layout, rank: usize, elements: &[Elements]) -> Vec<(usize, Vec<Range<usize>>)> {
    let mine = place.share_of(rank);
    let others = elements.iter().enumerate().filter(|(other, _)| *other != rank);
    let ranges = others.map(|(other, elements)| (other, elements.inside(mine.clone()).collect::<Vec<_>>()));
    ranges.filter(|(_, ranges)| !ranges.is_empty()).collect()
}

/// Makes a window of the share and its halo. It is in the share's allocation if the halo fits, otherwise in separate memory with a copy of
/// the touched elements of the share. The halo is not fetched yet.
pub(super) fn assemble(
    place: &Layout,
    local: &LocalBytes<'_>,
    touched: &Elements,
    buffer: &mut SeparateBuffer,
) -> RawWindow {
    let (share, first, hull) = (place.offset..place.offset + local.len(), local.address(), touched.hull());
    let size = local.element().size();
    let in_place =
        hull.start + place.room.front >= share.start && hull.end <= share.end + place.room.back && local.len() > 0;
    let window = if in_place {
        // Elements between the share and a distant hull are not fetched.
        let distant = hull.end < share.start || hull.start > share.end;
        let (lo, hi) =
            if distant { (hull.start, hull.end) } else { (hull.start.min(share.start), hull.end.max(share.end)) };
        RawWindow::new(first.wrapping_add(lo * size).wrapping_sub(share.start * size), lo, hi, place.len, size)
    } else {
        let own = Elements::of(touched.inside(share.clone()));
        *buffer = SeparateBuffer::with_capacity(hull.len(), local.element(), own);
        RawWindow::new(buffer.address, hull.start, hull.end, place.len, size)
    };
    if !local.is_away() {
        buffer.complete(&window, local, share.start);
    }
    window
}

/// Copies fetched elements to such a window.
///
/// # Safety
/// The elements are touched and outside the share, and no worker runs.
pub(super) unsafe fn put<'f>(window: &RawWindow, fetched: impl Iterator<Item = Fetched<'f>>) {
    for (range, elements) in fetched {
        // SAFETY: the elements are in the halo of the share's allocation, which nothing else refers to (the contract of `Shared`), or in
        // separate memory, which belongs to the window.
        unsafe { window.put(range.start, elements) };
    }
}

/// Appends the runs of changed elements: for each run its first index, its length and its elements.
pub(super) fn note_changes(first: usize, before: &[u8], bytes: &[u8], size: usize, to: &mut Vec<u8>) {
    let size = size.max(1);
    let differs = |k: usize| before[k * size..(k + 1) * size] != bytes[k * size..(k + 1) * size];
    let mut k = 0;
    while k < bytes.len() / size {
        if !differs(k) {
            k += 1;
            continue;
        }
        let start = k;
        while k < bytes.len() / size && differs(k) {
            k += 1;
        }
        to.extend_from_slice(&((first + start) as u64).to_le_bytes());
        to.extend_from_slice(&((k - start) as u64).to_le_bytes());
        to.extend_from_slice(&bytes[start * size..k * size]);
    }
}

/// Writes these runs to the share, which starts at element `offset`.
///
/// # Safety
/// As [`LocalBytes::write`].
pub(super) unsafe fn apply_changes(mut changes: &[u8], offset: usize, local: &mut LocalBytes<'_>) {
    let size = local.element().size();
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8])) as usize;
    let mut runs: Vec<(usize, &[u8])> = Vec::new();
    while let Some((head, rest)) = changes.split_at_checked(16) {
        let (first, length) = (number(&head[..8]), number(&head[8..]));
        let (elements, rest) = rest.split_at(length * size);
        runs.push((first - offset, elements));
        changes = rest;
    }
    let end = runs.iter().map(|(first, elements)| first + elements.len() / size.max(1)).max();
    if let (true, [(start, _), _, ..], Some(end)) = (local.is_away(), &runs[..], end) {
        // One copy from and to the device is faster than a copy for each run.
        let start = *start;
        let covered = start..end;
        let mut all = local.some(std::slice::from_ref(&covered))[0].to_vec();
        runs.into_iter().for_each(|(at, run)| all[(at - start) * size..][..run.len()].copy_from_slice(run));
        // SAFETY: the caller guarantees it.
        unsafe { local.write(start, &all) };
        return;
    }
    // SAFETY: as above.
    runs.into_iter().for_each(|(first, elements)| unsafe { local.write(first, elements) });
}
