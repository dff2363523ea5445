//! The objects of a region of tasks, and the memory that its tasks use.
//!
//! Tasks use the memory of objects from several workers, so this module holds raw pointers.

use super::area::Area;
use super::map::Areas;
use super::state::{Counters, State};
use crate::element::{Element, bytes_of, from_bytes};
use bytemuck::Zeroable;
use std::any::TypeId;
use std::cell::RefMut;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

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
    /// The memory of these tasks' boxes. Elements that the tasks read have been received.
    fn open(&mut self, tasks: &[usize]) -> Vec<Window>;
    /// Stores what these tasks have written, if it is not in the object's memory already.
    fn store(&mut self, tasks: &[usize]);
}

/// The state of an object, with the type of its elements erased.
pub(super) trait Shared {
    fn title(&self) -> &str;
    fn knowledge(&mut self) -> &mut super::knowledge::Knowledge;
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
    state: RefMut<'r, State<T>>,
    used: Use,
    areas: Vec<Area>,
    /// Private memory of tasks whose boxes are too far apart for one allocation, by task.
    apart: Vec<(usize, Vec<T>)>,
}

impl<'r, T: Element + Zeroable> Used<'r, T> {
    pub fn new(state: RefMut<'r, State<T>>, used: Use, areas: Vec<Area>) -> Self {
        Used { state, used, areas, apart: Vec::new() }
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
        &mut *self.state
    }

    fn used(&self) -> Use {
        self.used
    }

    fn areas(&self) -> &[Area] {
        &self.areas
    }

    fn open(&mut self, tasks: &[usize]) -> Vec<Window> {
        for group in self.groups(tasks) {
            let (hull, used) = self.state.memory.united(&group);
            // Otherwise most of the allocation would be empty.
            if hull.len() <= 2 * used {
                self.state.memory.unite(hull);
            }
        }
        let mut apart = Vec::new();
        for task in tasks {
            let area = self.areas[*task];
            if !area.is_empty() && self.state.memory.slab(area).is_none() {
                let mut elements = vec![T::zeroed(); area.len()];
                self.state.read_valid(area, &mut elements, area);
                apart.push((*task, elements));
            }
        }
        self.apart = apart;
        let (writes, mut apart) = (self.used.writes(), self.apart.iter_mut());
        let mut window = |task: &usize| {
            let area = self.areas[*task];
            match self.state.memory.slab(area) {
                _ if area.is_empty() => Window::new::<T>(std::ptr::dangling_mut(), area, area, writes),
                // `as_mut_ptr` makes no reference to the elements, so the pointers of earlier windows stay valid.
                Some(slab) => Window::new(slab.data.as_mut_ptr(), slab.area, area, writes),
                None => {
                    let (_, elements) = apart.next().expect("a task without a common allocation has its own");
                    Window::new(elements.as_mut_ptr(), area, area, writes)
                }
            }
        };
        tasks.iter().map(&mut window).collect()
    }

    fn store(&mut self, tasks: &[usize]) {
        if !self.used.writes() {
            return self.apart.clear();
        }
        for task in tasks {
            self.state.memory.ensure(self.areas[*task]);
        }
        for (task, elements) in std::mem::take(&mut self.apart) {
            let area = self.areas[task];
            self.state.memory.write(area, &elements, area);
        }
    }
}

/// The memory of a task's box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    start: *mut u8,
    /// The indices of the allocation.
    slab: Area,
    /// The task's box in it.
    pub area: Area,
    element: TypeId,
    pub writes: bool,
}

// SAFETY: a window is a pointer to elements that are `Send` and `Sync`. Tasks reach the elements only through `Reads` and `Writes`, whose makers
// guarantee that nobody else accesses written elements.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// The box `area` in an allocation that starts here and has the indices `slab`.
    fn new<T: Element>(start: *mut T, slab: Area, area: Area, writes: bool) -> Window {
        debug_assert!(slab.contains(&area));
        Window { start: start.cast(), slab, area, element: TypeId::of::<T>(), writes }
    }

    /// Whether the elements have this type.
    pub fn is_of<T: 'static>(&self) -> bool {
        self.element == TypeId::of::<T>()
    }

    /// The element at an index of the box, and the number of elements from it to the end of its row.
    ///
    /// # Panics
    /// If the index is outside of the box.
    #[inline]
    fn at<T, const D: usize>(&self, index: [usize; D]) -> (*mut T, usize) {
        let mut padded = [0; 3];
        padded[3 - D..].copy_from_slice(&index);
        let inside = (0..3).all(|axis| self.area.start[axis] <= padded[axis] && padded[axis] < self.area.end[axis]);
        if !inside {
            outside(index, self.area.ranges::<D>());
        }
        // SAFETY: the index is inside the box, which is inside the allocation.
        let element = unsafe { self.start.cast::<T>().add(self.slab.position(padded)) };
        (element, self.area.end[2] - padded[2])
    }
}

#[cold]
fn outside<const D: usize>(index: [usize; D], ranges: [Range<usize>; D]) -> ! {
    panic!("the index {index:?} is outside of the task's box {ranges:?}: declare all elements that the task uses")
}

/// The elements of an object that a task reads, with the indices of the object.
#[derive(Clone, Copy)]
pub struct Reads<'t, T, const D: usize> {
    window: Window,
    elements: PhantomData<&'t [T]>,
}

impl<T: Element, const D: usize> Reads<'_, T, D> {
    /// The view of a window.
    ///
    /// # Safety
    /// The window has elements of this type. Nobody writes its box during the lifetime.
    pub(super) unsafe fn new(window: Window) -> Self {
        Reads { window, elements: PhantomData }
    }

    /// The indices that the task reads.
    pub fn ranges(&self) -> [Range<usize>; D] {
        self.window.area.ranges()
    }

    /// The elements from an index to the end of its row in the box.
    ///
    /// # Panics
    /// If the index is outside of the box.
    #[inline]
    pub fn row(&self, from: [usize; D]) -> &[T] {
        let (start, count) = self.window.at(from);
        // SAFETY: these elements are in the box, and nobody writes them.
        unsafe { std::slice::from_raw_parts(start, count) }
    }
}

impl<T: Element, const D: usize> Index<[usize; D]> for Reads<'_, T, D> {
    type Output = T;

    #[inline]
    fn index(&self, index: [usize; D]) -> &T {
        // SAFETY: the element is in the box, and nobody writes it.
        unsafe { &*self.window.at(index).0 }
    }
}

/// Shows the ranges.
impl<T, const D: usize> fmt::Debug for Reads<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Reads").field(&self.window.area.ranges::<D>()).finish()
    }
}

/// The elements of an object that a task writes, with the indices of the object.
pub struct Writes<'t, T, const D: usize> {
    window: Window,
    elements: PhantomData<&'t mut [T]>,
}

impl<T: Element, const D: usize> Writes<'_, T, D> {
    /// The view of a window.
    ///
    /// # Safety
    /// The window has elements of this type. Nobody else accesses its box during the lifetime.
    pub(super) unsafe fn new(window: Window) -> Self {
        Writes { window, elements: PhantomData }
    }

    /// The indices that the task writes.
    pub fn ranges(&self) -> [Range<usize>; D] {
        self.window.area.ranges()
    }

    /// The elements from an index to the end of its row in the box.
    ///
    /// # Panics
    /// If the index is outside of the box.
    #[inline]
    pub fn row(&self, from: [usize; D]) -> &[T] {
        let (start, count) = self.window.at(from);
        // SAFETY: these elements are in the box, which this view has alone.
        unsafe { std::slice::from_raw_parts(start, count) }
    }

    /// The same, to write them.
    ///
    /// # Panics
    /// If the index is outside of the box.
    #[inline]
    pub fn row_mut(&mut self, from: [usize; D]) -> &mut [T] {
        let (start, count) = self.window.at(from);
        // SAFETY: as above, and the view is borrowed as long as the elements.
        unsafe { std::slice::from_raw_parts_mut(start, count) }
    }
}

impl<T: Element, const D: usize> Index<[usize; D]> for Writes<'_, T, D> {
    type Output = T;

    #[inline]
    fn index(&self, index: [usize; D]) -> &T {
        // SAFETY: the element is in the box, which this view has alone.
        unsafe { &*self.window.at(index).0 }
    }
}

impl<T: Element, const D: usize> IndexMut<[usize; D]> for Writes<'_, T, D> {
    #[inline]
    fn index_mut(&mut self, index: [usize; D]) -> &mut T {
        // SAFETY: as above, and the view is borrowed as long as the element.
        unsafe { &mut *self.window.at(index).0 }
    }
}

/// Shows the ranges.
impl<T, const D: usize> fmt::Debug for Writes<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Writes").field(&self.window.area.ranges::<D>()).finish()
    }
}
