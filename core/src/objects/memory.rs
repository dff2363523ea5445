//! The elements of an object that are in this rank's memory.

use super::area::{Area, copy};
use super::map::Areas;
use super::slab::{Slab, zeros};
use crate::element::Element;
use bytemuck::Zeroable;

/// Elements of disjoint boxes, one allocation for each box.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    slabs: Vec<Slab<T>>,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory { slabs: Vec::new() }
    }
}

impl<T: Element + Zeroable> Memory<T> {
    /// The number of elements that have memory.
    pub fn count(&self) -> usize {
        self.slabs.iter().map(Slab::count).sum()
    }

    /// Adds a box that has no memory yet.
    pub fn add(&mut self, area: Area, data: Vec<T>) {
        debug_assert!(self.slabs.iter().all(|slab| !slab.area.meets(&area)) && data.len() == area.len());
        if !area.is_empty() {
            self.slabs.push(Slab::new(area, data));
        }
    }

    /// Makes memory for the elements of a box that have none. They are zero.
    pub fn ensure(&mut self, area: Area) {
        let mut left = vec![area];
        for slab in self.slabs.iter().filter(|slab| slab.area.meets(&area)) {
            left = left.iter().flat_map(|part| part.without(&slab.area)).collect();
        }
        for part in left {
            self.add(part, zeros(part.len()));
        }
    }

    /// The box that [`Memory::unite`] makes one allocation for, and the number of its elements that have memory or are in these boxes.
    pub fn united(&self, areas: &Areas) -> (Area, usize) {
        let mut hull = areas.areas().reduce(|one, two| one.hull(&two)).unwrap_or(Area { start: [0; 3], end: [0; 3] });
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
        let mut data = zeros(hull.len());
        for slab in &mut inside {
            let area = slab.area;
            copy(slab.on_host(), &area, &mut data, &hull, &area);
        }
        self.slabs = outside;
        self.slabs.push(Slab::new(hull, data));
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
                let mut data = zeros(part.len());
                copy(slab.on_host(), &area, &mut data, &part, &part);
                all.push(Slab::new(part, data));
            }
        }
        self.slabs = all;
    }
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
        let (hull, used) = memory.united(&Areas::of([flat(1..3, 1..4)]));
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
}
