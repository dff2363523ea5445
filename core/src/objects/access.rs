//! The objects of a region of tasks, and the memory that its tasks use.
//!
//! Tasks use the memory of objects from several workers, so they get it as windows.

use super::area::Area;
use super::declared::Slot;
use super::map::Areas;
use super::object::{Held, address_of};
use super::requests::{OfObject, Requests};
use super::state::{Counters, State};
use super::window::{Alone, Window};
use crate::element::{Element, bytes_of, from_bytes};
use crate::lock::lock;
use bytemuck::Zeroable;

/// The use that tasks make of their boxes of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// They read them.
    Reads,
    /// They write each element of them.
    Writes,
    /// They read and write them.
    Updates,
}

impl Use {
    pub fn reads(self) -> bool {
        self != Use::Writes
    }

    pub fn writes(self) -> bool {
        self != Use::Reads
    }
}

/// An object of a region, with its type erased.
pub(super) trait Access {
    fn state(&mut self) -> &mut dyn Shared;
    /// The use that the tasks make of it.
    fn used(&self) -> Use;
    /// The box of each task.
    fn areas(&self) -> &[Area];
    fn areas_mut(&mut self) -> &mut [Area];
    /// The address of the state, which is that of one object.
    fn address(&self) -> usize;
    /// The memory of these tasks' boxes. Elements that the tasks read have been received.
    fn open(&mut self, tasks: &[usize]) -> Vec<Window>;
    /// A window without memory; `None` if tasks with such elements cannot move.
    fn empty_window(&self) -> Option<Window>;
    /// Stores the elements of a task's box, which came from another rank.
    fn put(&mut self, task: usize, elements: &[u8]);
    /// The boxes that a task has asked for.
    fn requested(&self, slot: &Slot) -> Vec<Area>;
    /// Fetches the boxes that tasks have asked for, when the region does not hold the object any more.
    fn requests(&self) -> Box<dyn Requests>;
    /// The boxes that a task has declared as modified.
    fn published(&self, slot: &Slot) -> Vec<Area>;
    /// Stores the elements that a task has declared as modified, which this rank owns.
    fn publish(&mut self, slot: &Slot);
    /// Stores what these tasks, in rising order, have written, if it is not in the object's memory already.
    fn store(&mut self, tasks: &[usize]);
}

/// The state of an object, with the type of its elements erased.
pub(super) trait Shared {
    fn title(&self) -> &str;
    fn knowledge(&mut self) -> &mut super::knowledge::Knowledge;
    /// The number of the object, the same on all ranks.
    fn number(&self) -> u64;
    /// The number of fetches that have begun and not ended.
    fn pending(&self) -> usize;
    /// Whether all ranks know the owners of these boxes. All ranks give the same answer.
    fn knows_in_common(&self, areas: &Areas) -> bool;
    fn know_in_common(&mut self, areas: &Areas);
    fn size(&self) -> usize;
    /// The elements of boxes that this rank owns.
    fn pack(&self, areas: &[Area], to: &mut Vec<u8>);
    /// Stores copies, and moves past them.
    fn unpack(&mut self, areas: &[Area], from: &mut &[u8]);
    /// A box has a new owner, and all ranks know it.
    fn give(&mut self, area: Area, owner: usize);
    /// Frees memory whose elements are not valid.
    fn trim(&mut self);
    fn count(&mut self, counters: Counters);
}

impl<T: Element + Zeroable> Shared for State<T> {
    fn title(&self) -> &str {
        &self.title
    }

    fn knowledge(&mut self) -> &mut super::knowledge::Knowledge {
        &mut self.knowledge
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn pending(&self) -> usize {
        State::pending(self)
    }

    fn knows_in_common(&self, areas: &Areas) -> bool {
        State::knows_in_common(self, areas)
    }

    fn know_in_common(&mut self, areas: &Areas) {
        State::know_in_common(self, areas);
    }

    fn size(&self) -> usize {
        size_of::<T>()
    }

    fn pack(&self, areas: &[Area], to: &mut Vec<u8>) {
        for area in areas {
            to.extend_from_slice(bytes_of(&self.memory.elements(*area)));
        }
    }

    fn unpack(&mut self, areas: &[Area], from: &mut &[u8]) {
        for area in areas {
            let (own, rest) = from.split_at(area.len() * size_of::<T>());
            self.memory.ensure(*area);
            self.memory.write(*area, &from_bytes(own), *area);
            *from = rest;
        }
    }

    fn give(&mut self, area: Area, owner: usize) {
        self.knowledge.owned_in_common(area, Some(owner));
        self.drop_private(area);
    }

    fn trim(&mut self) {
        self.memory.keep(&self.knowledge.held);
    }

    fn count(&mut self, counters: Counters) {
        self.counters += counters;
    }
}

/// An object of a region.
pub(super) struct Used<'r, T> {
    held: Held<'r, T>,
    used: Use,
    areas: Vec<Area>,
    /// Private memory of tasks whose boxes are too far apart for one allocation, by task.
    apart: Vec<(usize, Vec<T>)>,
}

impl<'r, T: Element + Zeroable> Used<'r, T> {
    pub fn new(held: Held<'r, T>, used: Use, areas: Vec<Area>) -> Self {
        Used { held, used, areas, apart: Vec::new() }
    }

    /// Boxes that overlap, together. Each task reads or writes its box in one allocation, so overlapping boxes are in the same one.
    fn groups(&self, tasks: &[usize]) -> Vec<Areas> {
        let mut groups: Vec<(Area, Areas)> = Vec::new();
        for task in tasks {
            let area = self.areas[*task];
            if area.is_empty() {
                continue;
            }
            let (mut hull, mut all) = (area, Areas::of([area]));
            // A larger hull may meet further groups.
            while let Some(at) =
                groups.iter().position(|(other, _)| other.meets(&hull) || other.joined(&hull).is_some())
            {
                let (other, areas) = groups.swap_remove(at);
                hull = hull.hull(&other);
                areas.areas().for_each(|area| all.add(area));
            }
            groups.push((hull, all));
        }
        groups.into_iter().map(|(_, areas)| areas).collect()
    }
}

impl<T: Element + Zeroable> Access for Used<'_, T> {
    fn state(&mut self) -> &mut dyn Shared {
        &mut *self.held.state
    }

    fn used(&self) -> Use {
        self.used
    }

    fn areas(&self) -> &[Area] {
        &self.areas
    }

    fn areas_mut(&mut self) -> &mut [Area] {
        &mut self.areas
    }

    fn address(&self) -> usize {
        address_of(&self.held.shared)
    }

    fn open(&mut self, tasks: &[usize]) -> Vec<Window> {
        for group in self.groups(tasks) {
            let whole = self.held.state.knowledge.whole;
            let (hull, used) = self.held.state.memory.united(&group, &whole);
            // Otherwise most of the allocation would be empty.
            if hull.len() <= 2 * used {
                self.held.state.memory.unite(hull);
            }
        }
        let mut apart = Vec::new();
        for task in tasks {
            let area = self.areas[*task];
            if !area.is_empty() && self.held.state.memory.slab(area).is_none() {
                let mut elements = vec![T::zeroed(); area.len()];
                self.held.state.read_valid(area, &mut elements, area);
                apart.push((*task, elements));
            }
        }
        self.apart = apart;
        let (writes, mut apart) = (self.used.writes(), self.apart.iter_mut());
        let whole = self.held.state.knowledge.whole;
        let mut window = |task: &usize| {
            let area = self.areas[*task];
            match self.held.state.memory.slab(area) {
                _ if area.is_empty() => Window::new::<T>(std::ptr::dangling_mut(), area, area, whole, writes),
                Some(slab) => Window::of_slab(slab, area, whole, writes),
                None => {
                    let (_, elements) = apart.next().expect("a task without a common allocation has its own");
                    Window::new(elements.as_mut_ptr(), area, area, whole, writes)
                }
            }
        };
        tasks.iter().map(&mut window).collect()
    }

    fn empty_window(&self) -> Option<Window> {
        let (empty, whole) = (Area { start: [0; 3], end: [0; 3] }, self.held.state.knowledge.whole);
        let window = Window::new::<T>(std::ptr::dangling_mut(), empty, empty, whole, self.used.writes());
        (align_of::<T>() <= Alone::ALIGNMENT).then_some(window)
    }

    fn put(&mut self, task: usize, elements: &[u8]) {
        self.held.state.store(self.areas[task], &from_bytes(elements));
    }

    fn requested(&self, slot: &Slot) -> Vec<Area> {
        slot.get::<T>().map(|private| lock(&private).requested().collect()).unwrap_or_default()
    }

    fn requests(&self) -> Box<dyn Requests> {
        Box::new(OfObject::new(self.held.shared.clone()))
    }

    fn published(&self, slot: &Slot) -> Vec<Area> {
        slot.get::<T>().map(|private| lock(&private).published()).unwrap_or_default()
    }

    fn publish(&mut self, slot: &Slot) {
        let Some(private) = slot.get::<T>() else { return };
        let published = lock(&private).take_published();
        for area in published.areas() {
            for (part, elements) in published.within(area) {
                self.held.state.store(part, &elements);
            }
        }
    }

    fn store(&mut self, tasks: &[usize]) {
        if !self.used.writes() {
            return self.apart.clear();
        }
        for task in tasks {
            self.held.state.memory.ensure(self.areas[*task]);
        }
        let whole = self.held.state.knowledge.whole;
        if let Some(dense) = &mut self.held.dense
            && let Some(slab) = self.held.state.memory.slab(whole)
        {
            dense.tasks_write(!slab.is_away());
        }
        let apart = std::mem::take(&mut self.apart);
        for (task, elements) in apart.into_iter().filter(|(task, _)| tasks.binary_search(task).is_ok()) {
            let area = self.areas[task];
            self.held.state.memory.write(area, &elements, area);
        }
    }
}
