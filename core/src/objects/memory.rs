//! The elements of an object that are in this rank's memory.

use super::area::Area;
use super::map::Areas;
use super::slab::{Slab, in_line, next_line, zeros};
use crate::element::Element;
use bytemuck::Zeroable;

/// Elements of disjoint boxes, one allocation for each box.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    slabs: Vec<Slab<T>>,
    /// The line of a page at which large allocations begin.
    line: usize,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { slabs: Vec::new(), line: 0 }
    }
}

impl<T: Element + Zeroable> Memory<T> {
    /// The memory of a new object.
    pub fn of_object() -> Self {
        Memory { slabs: Vec::new(), line: next_line() }
    }

    /// The number of elements that have memory.
    pub fn count(&self) -> usize {
        self.slabs.iter().map(Slab::count).sum()
    }

    /// Makes memory for a box that has none yet.
    fn add(&mut self, area: Area) {
        debug_assert!(self.slabs.iter().all(|slab| !slab.area.meets(&area)));
        if !area.is_empty() {
            self.slabs.push(Slab::zeroed(area, self.line));
        }
    }

    /// Makes memory for the elements of a box that have none. They are zero.
    pub fn ensure(&mut self, area: Area) {
        let mut left = vec![area];
        for slab in self.slabs.iter().filter(|slab| slab.area.meets(&area)) {
            left = left.iter().flat_map(|part| part.without(&slab.area)).collect();
        }
        for part in left {
            self.add(part);
        }
    }

    /// The box that [`Memory::unite`] makes one allocation for, and the number of its elements that have memory or are in these boxes. The object
    /// has the indices `whole`.
    pub fn united(&self, areas: &Areas, whole: &Area) -> (Area, usize) {
        let mut hull = areas.areas().reduce(|one, two| one.hull(&two)).unwrap_or(Area { start: [0; 3], end: [0; 3] });
        if !self.slabs.iter().any(|slab| slab.area.contains(&hull)) {
            hull = with_lines::<T>(hull, whole);
        }
        while let Some(next) =
            self.slabs.iter().map(|slab| slab.area).find(|other| other.meets(&hull) && !hull.contains(other))
        {
            hull = hull.hull(&next);
        }
        let mut used = areas.clone();
        self.slabs.iter().filter(|slab| slab.area.meets(&hull)).for_each(|slab| used.add(slab.area));
        (hull, used.count())
    }

    /// Puts all elements of a box, and the allocations that overlap it, into one allocation.
    pub fn unite(&mut self, hull: Area) {
        if hull.is_empty() || self.slabs.iter().any(|slab| slab.area.contains(&hull)) {
            return;
        }
        let (mut inside, outside): (Vec<_>, Vec<_>) = self.slabs.drain(..).partition(|slab| slab.area.meets(&hull));
        let hull = inside.iter().fold(hull, |hull, slab| hull.hull(&slab.area));
        debug_assert!(outside.iter().all(|slab| !slab.area.meets(&hull)), "the box was computed by `united`");
        let mut all = Slab::zeroed(hull, self.line);
        for slab in &mut inside {
            let area = slab.area;
            all.write(area, slab.on_host(), &area);
        }
        self.slabs = outside;
        self.slabs.push(all);
    }

    /// The allocation that has all elements of a box.
    pub fn slab(&mut self, area: Area) -> Option<&mut Slab<T>> {
        self.slabs.iter_mut().find(|slab| slab.area.contains(&area))
    }

    /// Copies the elements of `part` into an array with the indices `of`. Elements without memory are left out.
    pub fn read(&self, part: Area, to: &mut [T], of: Area) {
        for slab in self.slabs.iter().filter(|slab| slab.area.meets(&part)) {
            slab.read(slab.area.common(&part), to, &of);
        }
    }

    /// The elements of a box. Elements without memory are zero.
    pub fn elements(&self, area: Area) -> Vec<T> {
        let mut elements = zeros(area.len());
        self.read(area, &mut elements, area);
        elements
    }

    /// Copies the elements of `part`, which have memory, from an array with the indices `of`.
    pub fn write(&mut self, part: Area, from: &[T], of: Area) {
        for slab in self.slabs.iter_mut().filter(|slab| slab.area.meets(&part)) {
            slab.write(slab.area.common(&part), from, &of);
        }
    }

    /// Frees memory whose elements are not valid. An allocation stays whole while at least half of it is valid, because loops often need
    /// the rest again.
    pub fn keep(&mut self, valid: &Areas) {
        let mut all = Vec::with_capacity(self.slabs.len());
        for mut slab in self.slabs.drain(..) {
            let count = valid.count_within(slab.area);
            if 2 * count >= slab.area.len() {
                all.push(slab);
                continue;
            }
            let area = slab.area;
            for (part, ()) in valid.within(area) {
                let mut kept = Slab::zeroed(part, self.line);
                kept.write(part, slab.on_host(), &area);
                all.push(kept);
            }
        }
        self.slabs = all;
    }
}

/// The box with whole lines of the cache: a margin of an element would otherwise shift each row by another number of bytes. Short rows stay.
fn with_lines<T>(mut area: Area, whole: &Area) -> Area {
    let ([start, end], width) = ([area.start[2], area.end[2]], area.extents()[2]);
    if let Some(line) = in_line::<T>().filter(|line| width >= 16 * line) {
        area.start[2] = start - start % line;
        area.end[2] = end.next_multiple_of(line).min(whole.end[2]);
    }
    area
}

/// Elements that have been changed, beside the valid ones.
#[derive(Debug)]
pub(crate) struct Patch<T> {
    memory: Memory<T>,
    areas: Areas,
}

impl<T> Default for Patch<T> {
    fn default() -> Self {
        Patch { memory: Memory::default(), areas: Areas::default() }
    }
}

impl<T: Element + Zeroable> Patch<T> {
    /// Changes the elements of a box.
    pub fn change(&mut self, area: Area, elements: &[T]) {
        self.memory.ensure(area);
        self.memory.write(area, elements, area);
        self.areas.add(area);
    }

    /// Drops the changes in a box.
    pub fn drop(&mut self, area: Area) {
        if self.areas.within(area).next().is_some() {
            self.areas.cut(area);
            self.memory.keep(&self.areas);
        }
    }

    /// The parts of a box that have changed, with their elements.
    pub fn within(&self, area: Area) -> Vec<(Area, Vec<T>)> {
        self.areas.within(area).map(|(part, ())| (part, self.memory.elements(part))).collect()
    }

    /// The parts of a box that have not changed.
    pub fn missing(&self, area: Area) -> Vec<Area> {
        self.areas.missing(area)
    }

    /// The boxes that have changed.
    pub fn areas(&self) -> impl Iterator<Item = Area> + '_ {
        self.areas.areas()
    }

    /// Copies the changed elements of a box over the elements in an array with its indices.
    pub fn cover(&self, area: Area, to: &mut [T]) {
        for (part, ()) in self.areas.within(area) {
            self.memory.read(part, to, area);
        }
    }

    /// The number of elements that have memory.
    pub fn count(&self) -> usize {
        self.memory.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(y: std::ops::Range<usize>, x: std::ops::Range<usize>) -> Area {
        Area::of(&[y, x])
    }

    #[test]
    fn boxes_become_one_allocation_and_are_freed() {
        let mut memory = Memory::<u32>::default();
        memory.ensure(flat(0..2, 0..4));
        memory.write(flat(0..2, 0..4), &[1, 2, 3, 4, 5, 6, 7, 8], flat(0..2, 0..4));
        memory.ensure(flat(1..4, 2..4));
        assert_eq!(memory.count(), 12);
        assert_eq!(memory.elements(flat(1..3, 1..4)), [6, 7, 8, 0, 0, 0]);
        let (hull, used) = memory.united(&Areas::of([flat(1..3, 1..4)]), &flat(0..4, 0..4));
        assert_eq!((hull, used), (flat(0..4, 0..4), 13));
        memory.unite(hull);
        assert_eq!((memory.slabs.len(), memory.count()), (1, 16));
        assert_eq!(memory.slab(flat(0..4, 0..4)).map(|slab| slab.on_host()[6]), Some(7));
        memory.keep(&Areas::of([flat(0..2, 0..4)]));
        assert_eq!(memory.count(), 16);
        memory.keep(&Areas::of([flat(0..1, 0..3), flat(2..3, 2..3)]));
        assert_eq!((memory.count(), memory.elements(flat(0..1, 0..4))), (4, vec![1, 2, 3, 0]));
        memory.keep(&Areas::default());
        assert_eq!(memory.count(), 0);
    }

    #[test]
    fn long_rows_have_whole_lines() {
        let (mut memory, whole) = (Memory::<u64>::default(), flat(0..40, 0..501));
        for (columns, expected) in [(99..401, 96..408), (7..500, 0..501), (8..16, 8..16), (96..480, 96..480)] {
            let (hull, _) = memory.united(&Areas::of([flat(2..39, columns)]), &whole);
            assert_eq!(hull, flat(2..39, expected));
        }
        // A box that has an allocation stays there.
        memory.ensure(flat(0..40, 99..401));
        let used = Areas::of([flat(0..40, 99..401)]);
        assert_eq!(memory.united(&used, &whole).0, flat(0..40, 99..401));
        let values: Vec<u64> = (0..40 * 302).collect();
        memory.write(flat(0..40, 99..401), &values, flat(0..40, 99..401));
        let (hull, _) = memory.united(&Areas::of([flat(0..40, 99..402)]), &whole);
        memory.unite(hull);
        assert_eq!((memory.slabs.len(), memory.elements(flat(0..40, 99..401))), (1, values));
        assert_eq!(memory.elements(flat(7..8, 401..403)), [0, 0]);
        // Large arrays begin at lines, and no two of them at the same place of a page.
        let starts = [(); 2].map(|()| {
            let mut memory = Memory::<u64>::of_object();
            memory.ensure(whole);
            memory.slabs[0].start().addr()
        });
        assert!(starts.iter().all(|start| start % 64 == 0), "{starts:?}");
        assert_eq!((starts[0] + 2048) % 4096, starts[1] % 4096);
    }
}
