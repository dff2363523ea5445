//! Access that a task declares while it runs: boxes that it asks for, its private changes, and the ones that it declares as modified.

use super::area::{Area, Ranges, copy};
use super::memory::Patch;
use super::view::{Changes, View, ViewMut};
use crate::element::{Element, bytes_of};
use crate::lock::lock;
use bytemuck::Zeroable;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::{Arc, Mutex, OnceLock};

/// The elements of a box, once they have arrived.
type Arriving<T> = Arc<Mutex<Option<Vec<T>>>>;

/// The declarations of a task on an object.
pub(super) struct Private<T> {
    /// Changes that only the task sees, and the elements as they were before.
    changed: Patch<T>,
    before: Patch<T>,
    /// Changes that others see after the region.
    published: Patch<T>,
    /// The boxes that the task has asked for since the last cut, and before.
    requests: Vec<(Area, Arriving<T>)>,
    asked: Vec<(Area, Arriving<T>)>,
}

impl<T> Default for Private<T> {
    fn default() -> Self {
        let [changed, before, published] = [(); 3].map(|()| Patch::default());
        Private { changed, before, published, requests: Vec::new(), asked: Vec::new() }
    }
}

impl<T: Element + Zeroable> Private<T> {
    /// Copies the task's own changes over the elements of a box.
    pub fn cover(&self, area: Area, to: &mut [T]) {
        self.published.cover(area, to);
        self.changed.cover(area, to);
    }

    /// Publishes the task's changes in a box.
    pub fn modified(&mut self, area: Area) {
        for (part, elements) in self.changed.within(area) {
            self.published.change(part, &elements);
        }
        self.changed.drop(area);
        self.before.drop(area);
    }

    /// The task gets elements that it may change.
    fn begin(&mut self, area: Area, elements: &[T]) {
        for part in self.before.missing(area) {
            let mut own = vec![T::zeroed(); part.len()];
            copy(elements, &area, &mut own, &part, &part);
            self.before.change(part, &own);
        }
    }

    /// An element that the task has changed and not published.
    fn unpublished(&self) -> Option<[usize; 3]> {
        let first = |area: Area| {
            let [mut now, mut before] = [(); 2].map(|()| vec![T::zeroed(); area.len()]);
            self.changed.cover(area, &mut now);
            self.before.cover(area, &mut before);
            // The bytes, because a NaN is not equal to itself.
            let at = now
                .iter()
                .zip(&before)
                .position(|(now, before)| bytes_of(from_ref(now)) != bytes_of(from_ref(before)))?;
            let [_, height, width] = area.extents();
            let [z, y, x] = [at / (height * width), at / width % height, at % width];
            Some([area.start[0] + z, area.start[1] + y, area.start[2] + x])
        };
        self.changed.areas().filter_map(first).min()
    }

    /// The boxes whose changes are published.
    pub fn published(&self) -> Vec<Area> {
        self.published.areas().collect()
    }

    /// Takes the changes that are published.
    pub fn take_published(&mut self) -> Patch<T> {
        std::mem::take(&mut self.published)
    }

    /// The boxes that the task has asked for since the last cut.
    pub fn requested(&self) -> impl Iterator<Item = Area> + '_ {
        self.requests.iter().map(|(area, _)| *area)
    }

    /// The same, when the owners are asked.
    pub fn ask(&mut self) -> Vec<Area> {
        let areas = self.requested().collect();
        self.asked.append(&mut self.requests);
        areas
    }

    /// Gives the task the elements that the owners have been asked for.
    pub fn fill(&mut self, mut elements: impl FnMut(Area) -> Vec<T>) {
        for (area, arriving) in std::mem::take(&mut self.asked) {
            let mut elements = elements(area);
            self.cover(area, &mut elements);
            *lock(&arriving) = Some(elements);
        }
    }
}

/// The changes of a task.
#[doc(hidden)]
pub struct OfTask<T>(Arc<Mutex<Private<T>>>);

impl<T: Element + Zeroable> OfTask<T> {
    /// The task may change the elements of a view.
    fn view<const D: usize>(private: Arc<Mutex<Private<T>>>, view: View<T, D>) -> ViewMut<T, D, Self> {
        lock(&private).begin(Area::of(&view.ranges()), view.elements());
        ViewMut::new(OfTask(private), view)
    }
}

impl<T: Element + Zeroable> Changes<T> for OfTask<T> {
    fn change(&self, start: [usize; 3], end: [usize; 3], elements: &[T]) {
        lock(&self.0).changed.change(Area { start, end }, elements);
    }
}

/// Room for what a task declares on an object. Most tasks declare nothing.
#[derive(Debug, Default)]
pub(super) struct Slot(OnceLock<OfAnyType>);

/// Declarations whose type is erased.
#[derive(Debug, Clone)]
struct OfAnyType {
    private: Arc<dyn Any + Send + Sync>,
    unpublished: fn(&Slot) -> Option<[usize; 3]>,
}

impl Slot {
    /// The declarations of the task, if there are any.
    pub fn get<T: Element>(&self) -> Option<Arc<Mutex<Private<T>>>> {
        self.0.get().and_then(|of| of.private.clone().downcast().ok())
    }

    fn make<T: Element + Zeroable>(&self) -> Arc<Mutex<Private<T>>> {
        let make = || OfAnyType {
            private: Arc::new(Mutex::new(Private::<T>::default())),
            unpublished: |slot| slot.get::<T>().and_then(|private| lock(&private).unpublished()),
        };
        self.0.get_or_init(make).private.clone().downcast().expect("the elements of an object have one type")
    }

    /// An element that the task has changed and not declared as modified.
    pub fn unpublished(&self) -> Option<[usize; 3]> {
        self.0.get().and_then(|of| (of.unpublished)(self))
    }
}

/// A box that a task has asked for: what [`Object::fetch`](super::Object::fetch) is inside of a task.
pub struct Fetched<T, const D: usize> {
    ranges: [Range<usize>; D],
    arriving: Arriving<T>,
    private: Arc<Mutex<Private<T>>>,
}

impl<T: Element + Zeroable, const D: usize> Fetched<T, D> {
    /// The elements.
    ///
    /// # Panics
    /// If the compiler has not seen that the task waits here.
    #[track_caller]
    pub fn wait(self) -> View<T, D> {
        let elements = lock(&self.arriving).take();
        let Some(elements) = elements else {
            panic!(
                "the elements of the range {:?} have not arrived: write `.wait()` in a statement of the loop's own body, behind the one \
                 with `fetch`",
                self.ranges
            );
        };
        View::new(self.ranges, elements)
    }

    /// The same. `work` runs first: it does a piece of its work and returns whether there is more.
    #[track_caller]
    pub fn wait_while(self, mut work: impl FnMut() -> bool) -> View<T, D> {
        while work() {}
        self.wait()
    }

    /// The elements, to change them.
    #[doc(hidden)]
    #[track_caller]
    pub fn wait_mut(self) -> ViewMut<T, D, OfTask<T>> {
        let private = self.private.clone();
        OfTask::view(private, self.wait())
    }
}

/// Shows the range.
impl<T, const D: usize> fmt::Debug for Fetched<T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Fetched").field("ranges", &self.ranges).finish_non_exhaustive()
    }
}

/// Declared access to an object of this shape. `copied` copies elements of the task's box.
pub(super) struct Declaring<'s, const D: usize> {
    pub slot: &'s Slot,
    pub shape: [usize; D],
}

impl<const D: usize> Declaring<'_, D> {
    #[track_caller]
    fn ranges(&self, ranges: impl Ranges<D>) -> [Range<usize>; D] {
        let (ranges, shape) = (ranges.ranges(), self.shape);
        let inside = |(range, length): (&Range<usize>, usize)| range.start <= range.end && range.end <= length;
        assert!(
            ranges.iter().zip(shape).all(inside),
            "the range {ranges:?} is outside of an object of shape {shape:?}"
        );
        ranges
    }

    /// Elements that the task has, as it sees them.
    #[track_caller]
    pub fn get<T: Element + Zeroable>(
        &self,
        ranges: impl Ranges<D>,
        copied: impl FnOnce(&[Range<usize>; D]) -> Vec<T>,
    ) -> View<T, D> {
        let ranges = self.ranges(ranges);
        let mut elements = copied(&ranges);
        if let Some(private) = self.slot.get::<T>() {
            lock(&private).cover(Area::of(&ranges), &mut elements);
        }
        View::new(ranges, elements)
    }

    /// A box of elements that the task has.
    pub fn fetched<T: Element + Zeroable>(&self, view: View<T, D>) -> Fetched<T, D> {
        let ranges = view.ranges();
        let arriving = Arc::new(Mutex::new(Some(view.into_elements())));
        Fetched { ranges, arriving, private: self.slot.make() }
    }

    /// Asks for a box, which the task gets when it is cut.
    #[track_caller]
    pub fn request<T: Element + Zeroable>(&self, ranges: impl Ranges<D>) -> Fetched<T, D> {
        let ranges = self.ranges(ranges);
        let (arriving, private) = (Arriving::default(), self.slot.make());
        lock(&private).requests.push((Area::of(&ranges), arriving.clone()));
        Fetched { ranges, arriving, private }
    }

    pub fn get_mut<T: Element + Zeroable>(&self, view: View<T, D>) -> ViewMut<T, D, OfTask<T>> {
        OfTask::view(self.slot.make(), view)
    }

    /// Publishes the task's changes in a box.
    #[track_caller]
    pub fn modified<T: Element + Zeroable>(&self, ranges: impl Ranges<D>) {
        let area = Area::of(&self.ranges(ranges));
        if let Some(private) = self.slot.get::<T>() {
            lock(&private).modified(area);
        }
    }
}

/// The use of an object by tasks: for each box its task.
#[derive(Debug, Clone)]
pub(super) struct Accessed {
    /// The address of the object.
    pub address: usize,
    pub title: String,
    pub writes: bool,
    pub boxes: Vec<(usize, Area)>,
}

impl Accessed {
    /// A task that writes elements, and another one that uses some of them.
    pub fn conflict(&self, other: &Accessed) -> Option<(usize, usize)> {
        if self.address != other.address || !(self.writes || other.writes) {
            return None;
        }
        let (writes, uses) = if self.writes { (self, other) } else { (other, self) };
        // By their first index along the slowest axis that tells boxes apart, so that few of them are compared.
        let axis = (0..3).max_by_key(|axis| (uses.boxes.iter().map(|(_, area)| area.end[*axis]).max(), 2 - axis))?;
        let mut sorted: Vec<&(usize, Area)> = writes.boxes.iter().filter(|(_, area)| !area.is_empty()).collect();
        sorted.sort_by_key(|(task, area)| (area.start[axis], *task));
        let longest = sorted.iter().map(|(_, area)| area.extents()[axis]).max()?;
        uses.boxes.iter().find_map(|(user, area)| {
            let first = sorted.partition_point(|(_, write)| write.start[axis] + longest <= area.start[axis]);
            let near = sorted[first..].iter().take_while(|(_, write)| write.start[axis] < area.end[axis]);
            let mut others = near.filter(|(writer, write)| writer != user && write.meets(area));
            others.next().map(|(writer, _)| (*writer, *user))
        })
    }
}

/// The declarations of tasks, by the address of an object and the task.
pub(super) type Slots = HashMap<(usize, usize), Slot>;

/// Ends the call if two tasks use the same elements, and one of them writes them.
///
/// # Panics
/// Then.
pub(super) fn refuse_conflict(name: &str, one: &Accessed, other: &Accessed) {
    if let Some((writer, user)) = one.conflict(other) {
        panic!(
            "task {writer} of `{name}` modifies elements of {} that task {user} uses too: write `barrier();` between the two accesses, or let \
             tasks read one object and write another",
            one.title
        );
    }
}
