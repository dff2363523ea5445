//! The handle of an object.

use super::area::{Area, Ranges};
use super::dense::Dense;
use super::names;
use super::state::{Counters, Pending, State};
use super::tile::Tiles;
use super::view::{OfRank, View, ViewMut};
use crate::comm::OverlappedWork;
use crate::data::Cuts;
use crate::element::Element;
use crate::runtime;
use bytemuck::Zeroable;
use std::cell::{RefCell, RefMut};
use std::fmt;
use std::ops::{Index, IndexMut, Range};
use std::rc::Rc;

/// An array of one to three dimensions without a fixed owner: the rank that has modified a box last owns it.
///
/// On one rank, an object is an array: `plane[[y, x]]` is an element. On several ranks, a rank has memory for the boxes that it owns, and
/// for copies of boxes that it has fetched. A copy is valid until another rank modifies it.
///
/// ```
/// use forall_core::objects::Object;
///
/// let mut plane = Object::from_fn([4, 6], |[y, x]| (y + x) as f32);
/// let mut view = plane.get_mut([1..3, 0..6]);
/// view[[1, 0]] = 7.0;
/// drop(view);
/// plane.modified([1..3, 0..6]);
/// assert_eq!(plane.get([0..2, 0..1]).elements(), [0.0, 7.0]);
/// ```
///
/// Methods that are *collective* communicate: all ranks call them, in the same order. Each rank passes its own range, which may be
/// empty. Without [`modified`](Object::modified), changes stay on the rank that made them.
///
/// Without attributes, a loop over tiles is a sequential program on one rank:
///
/// ```
/// use forall_core::objects::Object;
///
/// let now = Object::from_fn([8, 10], |[y, x]| (y * x) as f32);
/// let mut next = Object::<f32, 2>::zeroed([8, 10]);
/// for tile in next.tiles([4, 4]) {
///     let [rows, columns] = tile.inside([1, 1]);
///     for y in rows {
///         for x in columns.clone() {
///             next[[y, x]] = 0.25 * (now[[y - 1, x]] + now[[y + 1, x]] + now[[y, x - 1]] + now[[y, x + 1]]);
///         }
///     }
/// }
/// assert_eq!(next[[3, 5]], 15.0);
/// ```
///
/// # In tasks
/// The body of an annotated loop over tiles may declare its access, where no index describes it. The methods then belong to the task, and
/// are not collective:
///
/// ```
/// # use forall_core::objects::Object;
/// // With the attribute `#[foreach]`, the iterations are tasks.
/// fn follow(links: &Object<usize, 1>, data: &Object<f32, 1>, out: &mut Object<f32, 1>) {
///     for tile in out.tiles([64]) {
///         let first = links[[tile.indices().start]];
///         let view = data.get(first..first + 1);
///         for i in tile.indices() {
///             out[[i]] = view[[first]];
///         }
///     }
/// }
/// # let (links, data) = (Object::from_fn([3], |_| 2), Object::from_fn([3], |[i]| i as f32));
/// # let mut out = Object::zeroed([3]);
/// # follow(&links, &data, &mut out);
/// # assert_eq!(out[[0]], 2.0);
/// ```
///
/// - `get(range)` returns a copy. If the range depends only on the tile, on loop variables and on numbers from outside, it is a part of the
///   task's box. If a statement of the loop's own body gets a range that the data choose, the compiler cuts the tasks there: all tasks state
///   their ranges, and the elements travel together. In a branch, an inner loop or a closure, an axis of unknown range counts as a whole.
/// - `fetch(range)`, anywhere, asks for a range that the task waits for in a later statement, by `wait()`. The compiler cuts the tasks
///   before that statement. So a task may fetch any number of ranges: `fetches.push(object.fetch(at..at + 1))`. The statements between the two
///   run before the elements travel.
/// - `get_mut(range)` returns a private copy. The task sees its changes by `get`. `modified(range)` publishes them: after the region, the rank
///   of the task owns the elements. A task declares all its changes. Otherwise the compiler rejects the loop, or the call panics, because
///   later iterations of the sequential loop would see the changes. To change a copy, write `object.get(range).into_elements()`.
///
/// No task may use an element that another task writes or declares as modified, before the same [`barrier`](super::barrier). Otherwise the call
/// panics with the numbers of both tasks.
///
/// The object stays on the thread whose rank it belongs to.
pub struct Object<T: Element + Zeroable, const D: usize> {
    shape: [usize; D],
    state: Rc<RefCell<State<T>>>,
    dense: Dense<T>,
}

/// The address of a state, which is that of one object.
pub(super) fn address_of<T>(state: &Rc<RefCell<State<T>>>) -> usize {
    Rc::as_ptr(state).cast::<u8>() as usize
}

/// An object that a region uses.
pub(super) struct Held<'o, T> {
    pub state: RefMut<'o, State<T>>,
    /// The same, for what is left to do when the region has ended.
    pub shared: Rc<RefCell<State<T>>>,
    /// Its elements as an array, if the region writes them.
    pub dense: Option<&'o mut Dense<T>>,
}

impl<T: Element + Zeroable, const D: usize> Object<T, D> {
    const DIMENSIONS: () = assert!(D >= 1 && D <= 3, "an object has one, two or three dimensions");

    /// An object that nobody has written: all elements are zero. On several ranks, no rank has memory for them. Collective, without
    /// messages.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// let volume = Object::<f32, 3>::zeroed([10, 20, 30]);
    /// assert_eq!(volume.len(), 6000);
    /// assert_eq!(volume.get([3..4, 5..6, 7..9]).elements(), [0.0, 0.0]);
    /// ```
    ///
    /// # Panics
    /// If there are more than `isize::MAX` elements.
    #[track_caller]
    pub fn zeroed(shape: [usize; D]) -> Self {
        Self::make(shape, String::new(), &[])
    }

    #[track_caller]
    pub(super) fn make(shape: [usize; D], name: String, parts: &[(Area, Option<usize>)]) -> Self {
        let () = Self::DIMENSIONS;
        let count = shape.iter().try_fold(1_usize, |count, length| count.checked_mul(*length));
        let fits = count.is_some_and(|count| isize::try_from(count).is_ok());
        assert!(fits, "an object of shape {shape:?} has more elements than there are addresses");
        let title = match name.is_empty() {
            true => format!("the object of shape {shape:?}"),
            false => format!("the object `{name}`"),
        };
        let state = State::new(names::number(), title, Area::whole(shape), parts);
        Self::of(shape, Rc::new(RefCell::new(state)))
    }

    /// The handle of a state.
    fn of(shape: [usize; D], state: Rc<RefCell<State<T>>>) -> Self {
        let dense = {
            let mut state = state.borrow_mut();
            let (whole, ranks) = (state.knowledge.whole, state.knowledge.ranks);
            Dense::of(&mut state.memory, whole, ranks)
        };
        Object { shape, state, dense }
    }

    /// `f` of each index. The ranks own planes of the first axis, each about as many, and call `f` for their own indices, in order.
    /// Collective, without messages.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// let squares = Object::from_fn([5], |[i]| i * i);
    /// assert_eq!(squares.to_all().elements(), [0, 1, 4, 9, 16]);
    /// ```
    ///
    /// # Panics
    /// As [`Object::zeroed`].
    #[track_caller]
    pub fn from_fn(shape: [usize; D], mut f: impl FnMut([usize; D]) -> T) -> Self {
        let this = runtime::current().map_or(runtime::Rank::SOLO, |context| context.this_rank());
        let cuts = Cuts::in_planes(shape[0], 1, this.ranks);
        let part = |rank: usize| {
            let mut ranges = shape.map(|length| 0..length);
            ranges[0] = cuts.range(rank);
            Area::of(&ranges)
        };
        let parts: Vec<_> = (0..this.ranks).map(|rank| (part(rank), Some(rank))).collect();
        let object = Self::make(shape, String::new(), &parts);
        let own = part(this.rank);
        let mut index = own.ranges::<D>().map(|range| range.start);
        let (starts, mut elements) = (index, Vec::with_capacity(own.len()));
        while elements.len() < own.len() {
            elements.push(f(index));
            for axis in (0..D).rev() {
                index[axis] += 1;
                if axis == 0 || index[axis] < shape[axis] {
                    break;
                }
                index[axis] = starts[axis];
            }
        }
        object.state.borrow_mut().fill(own, &elements);
        object
    }

    /// The object of this name. If there is none, it is made as by [`Object::zeroed`]. Collective, without messages.
    ///
    /// The object has one handle at a time. When the handle is dropped, the object stays, until the program ends or
    /// [`Object::unnamed`] takes its name.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// let mut plane = Object::<f32, 2>::named("plane", [20, 30]);
    /// plane.get_mut([0..1, 0..1])[[0, 0]] = 5.0;
    /// plane.modified([0..1, 0..1]);
    /// drop(plane);
    /// assert_eq!(Object::<f32, 2>::named("plane", [20, 30]).get([0..1, 0..1])[[0, 0]], 5.0);
    /// ```
    ///
    /// # Panics
    /// If an object of this name has another shape or another type of elements, or another handle.
    #[track_caller]
    pub fn named(name: &str, shape: [usize; D]) -> Self {
        if let Some(state) = names::find::<RefCell<State<T>>, T>(name, D, Some(&shape)) {
            return Self::of(shape, state);
        }
        let object = Self::make(shape, name.to_owned(), &[]);
        names::give::<_, T>(name, &object.state, &shape);
        object
    }

    /// The object of this name, whatever its shape; `None` if there is none.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// assert!(Object::<u32, 1>::find("counts").is_none());
    /// drop(Object::<u32, 1>::named("counts", [12]));
    /// assert_eq!(Object::<u32, 1>::find("counts").map(|found| found.shape()), Some([12]));
    /// ```
    ///
    /// # Panics
    /// If an object of this name has another number of dimensions or another type of elements, or another handle.
    #[track_caller]
    pub fn find(name: &str) -> Option<Self> {
        let state = names::find::<RefCell<State<T>>, T>(name, D, None)?;
        let shape = state.borrow().knowledge.whole.ranges::<D>().map(|range| range.end);
        Some(Self::of(shape, state))
    }

    /// Takes the name of the object, if it has one. The object then ends with its handle, and the name is free. Collective, without messages.
    #[must_use]
    pub fn unnamed(self) -> Self {
        names::forget(&self.state);
        self
    }

    /// The number of elements along each axis.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tiles of this shape that divide the object, in row-major order.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// let plane = Object::<f32, 2>::zeroed([100, 60]);
    /// assert_eq!(plane.tiles([32, 32]).len(), 8);
    /// ```
    ///
    /// # Panics
    /// If a tile has no indices along an axis.
    #[track_caller]
    pub fn tiles(&self, tile: [usize; D]) -> Tiles<D> {
        Tiles::new(self.shape, tile)
    }

    /// The state, for a region of tasks.
    ///
    /// # Panics
    /// If the object is in use: a region has each object once.
    #[track_caller]
    pub(super) fn state(&self) -> RefMut<'_, State<T>> {
        match self.state.try_borrow_mut() {
            Ok(state) => state,
            Err(_) => panic!(
                "a region uses an object of shape {:?} twice: use `updates` for what tasks read and write",
                self.shape
            ),
        }
    }

    /// The address of the state: that of one object.
    pub(super) fn address(&self) -> usize {
        address_of(&self.state)
    }

    /// The state, for a region that reads the object.
    #[track_caller]
    pub(super) fn for_reading(&self) -> Held<'_, T> {
        let (mut state, whole) = (self.state(), Area::whole(self.shape));
        // A device's copy may be older than what the host has written.
        if self.dense.is_written()
            && let Some(slab) = state.memory.slab(whole)
        {
            slab.changed_on_host();
        }
        Held { state, shared: self.state.clone(), dense: None }
    }

    /// The same for a region that writes it.
    #[track_caller]
    pub(super) fn for_writing(&mut self) -> Held<'_, T> {
        drop(self.for_reading());
        let Object { state, dense, .. } = self;
        Held { state: state.borrow_mut(), shared: state.clone(), dense: Some(dense) }
    }

    /// The box of a range.
    #[track_caller]
    pub(super) fn area(&self, ranges: &[Range<usize>; D]) -> Area {
        let inside = |(range, length): (&Range<usize>, usize)| range.start <= range.end && range.end <= length;
        assert!(
            ranges.iter().zip(self.shape).all(inside),
            "the range {ranges:?} is outside of {}, whose shape is {:?}",
            self.state.borrow().title,
            self.shape
        );
        Area::of(ranges)
    }

    /// The elements of a box, as this rank sees them. Collective; each rank passes its own range.
    ///
    /// Elements that this rank does not have come from their owners, and stay as copies. Elements that nobody has written are zero.
    ///
    /// # Panics
    /// If the range is outside of the object.
    #[track_caller]
    pub fn get(&self, ranges: impl Ranges<D>) -> View<T, D> {
        self.fetch(ranges).complete("Object::get", &mut || false)
    }

    /// The same, to change elements. The changes are stored on this rank when the view is dropped. Collective, as [`Object::get`].
    ///
    /// Only this rank sees the changes, in [`get`](Object::get), until it declares them by [`modified`](Object::modified). They are lost
    /// if another rank, or a loop, modifies the same elements first.
    ///
    /// # Panics
    /// As [`Object::get`].
    #[track_caller]
    pub fn get_mut(&mut self, ranges: impl Ranges<D>) -> ViewMut<T, D> {
        ViewMut::new(OfRank(self.state.clone()), self.get(ranges))
    }

    /// Starts to fetch a box. Collective; each rank passes its own range.
    ///
    /// Several fetches travel together, with the first one that is waited for. So start all of them first. The elements are the ones of the
    /// time at which they arrive: that is at [`wait`](Fetch::wait), or earlier at the next collective method that changes the object.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// let plane = Object::from_fn([4, 4], |[y, x]| y * x);
    /// let (first, last) = (plane.fetch([0..1, 0..4]), plane.fetch([3..4, 0..4]));
    /// let sum: usize = (0..100).sum();
    /// assert_eq!((sum, last.wait()[[3, 2]], first.wait()[[0, 2]]), (4950, 6, 0));
    /// ```
    ///
    /// # Panics
    /// As [`Object::get`].
    #[track_caller]
    #[must_use = "the elements arrive when the fetch is waited for"]
    pub fn fetch(&self, ranges: impl Ranges<D>) -> Fetch<'_, T, D> {
        let ranges = ranges.ranges();
        let area = self.area(&ranges);
        let pending = self.state.borrow_mut().fetch(area);
        Fetch { object: self, ranges, pending }
    }

    /// Declares a box as modified by this rank. Its changes are published, and this rank owns the box. Collective; each rank passes its own
    /// range, which may be empty. If the ranges of several ranks overlap, the last of these ranks owns the common elements.
    ///
    /// Copies on other ranks are no longer valid, and their memory is freed.
    ///
    /// # Panics
    /// If the range is outside of the object, or this rank does not have all elements of it. [`Object::get_mut`] provides them.
    #[track_caller]
    pub fn modified(&mut self, ranges: impl Ranges<D>) {
        let area = self.area(&ranges.ranges());
        self.state.borrow_mut().modified(area);
    }

    /// Completes all fetches, and returns when all ranks have come here. Collective.
    pub fn barrier(&self) {
        self.state.borrow_mut().barrier();
    }

    /// All published elements, on all ranks. Collective: for small objects.
    pub fn to_all(&self) -> View<T, D> {
        let elements = self.state.borrow_mut().all();
        View::new(self.shape.map(|length| 0..length), elements)
    }

    /// The messages that this rank has sent for the object so far.
    pub fn counters(&self) -> Counters {
        self.state.borrow().counters
    }

    /// The number of elements that have memory on this rank. It is at most twice the number that this rank holds.
    pub fn in_memory(&self) -> usize {
        self.state.borrow().in_memory()
    }

    /// The boxes that this rank owns.
    pub fn owned(&self) -> Vec<[Range<usize>; D]> {
        self.state.borrow().knowledge.owned().map(|area| area.ranges()).collect()
    }

    /// The knowledge of this rank, and the size of the memory that others see.
    #[cfg(test)]
    pub(super) fn knowledge<R>(&self, f: impl FnOnce(&super::knowledge::Knowledge, usize) -> R) -> R {
        let state = self.state.borrow();
        f(&state.knowledge, state.memory.count())
    }

    /// The boxes that this rank owns, with their elements. Does not communicate.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// let squares = Object::from_fn([5], |[i]| i * i);
    /// let sum: usize = squares.own_boxes().iter().flat_map(|view| view.elements()).sum();
    /// assert_eq!(sum, 30);
    /// ```
    pub fn own_boxes(&self) -> Vec<View<T, D>> {
        let state = self.state.borrow();
        let views = state.knowledge.owned().map(|area| View::new(area.ranges(), state.memory.elements(area)));
        views.collect()
    }

    /// The number of elements that this rank holds: the ones that it owns, and valid copies.
    pub fn held(&self) -> usize {
        self.state.borrow().knowledge.held.count()
    }
}

impl<T: Element + Zeroable, const D: usize> Object<T, D> {
    /// The position of an element in the array of one rank.
    #[inline]
    #[track_caller]
    fn position(&self, index: [usize; D]) -> usize {
        let inside = std::iter::zip(index, self.shape).all(|(at, length)| at < length);
        assert!(inside, "the index {index:?} is outside of an object of shape {:?}", self.shape);
        std::iter::zip(index, self.shape).fold(0, |position, (at, length)| position * length + at)
    }

    /// The address of an element on one rank, after a device has written it.
    #[cold]
    #[track_caller]
    fn brought_back(&self, position: usize) -> *mut T {
        let mut state = self.state.borrow_mut();
        let (whole, ranks) = (state.knowledge.whole, state.knowledge.ranks);
        match state.memory.slab(whole).filter(|_| ranks == 1) {
            Some(slab) => {
                slab.on_host();
                slab.start().wrapping_add(position)
            }
            None => panic!(
                "{} is on {ranks} ranks, so its elements are not in one memory: get a box, or declare it for the tasks of a region",
                state.title
            ),
        }
    }

    /// The same, before the host writes it.
    #[cold]
    #[track_caller]
    fn first_written(&mut self, position: usize) -> *mut T {
        let start = self.brought_back(position);
        let mut state = self.state.borrow_mut();
        let whole = state.knowledge.whole;
        self.dense.begin_to_write(&mut state.memory, whole);
        start
    }
}

/// An element of an object on one rank. Private changes of a view are not in it.
///
/// # Panics
/// If the index is outside of the object, or the object is on several ranks.
impl<T: Element + Zeroable, const D: usize> Index<[usize; D]> for Object<T, D> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: [usize; D]) -> &T {
        let position = self.position(index);
        // SAFETY: the position is inside. The state lives as long as this handle, the only one. On one rank its memory stays where it is, and
        // only methods that borrow the handle as mutable write it.
        unsafe { self.dense.get(position).unwrap_or_else(|| &*self.brought_back(position)) }
    }
}

/// As for reading.
impl<T: Element + Zeroable, const D: usize> IndexMut<[usize; D]> for Object<T, D> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: [usize; D]) -> &mut T {
        let position = self.position(index);
        // SAFETY: as above, and this handle is borrowed as mutable, so nobody else reads or writes elements.
        unsafe {
            match self.dense.get_mut(position) {
                Some(element) => element,
                None => &mut *self.first_written(position),
            }
        }
    }
}

/// Shows the shape and the boxes of this rank.
impl<T: Element + Zeroable, const D: usize> fmt::Debug for Object<T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Object");
        shown.field("shape", &self.shape).field("owned", &self.owned()).finish_non_exhaustive()
    }
}

/// A fetch that has been started: see [`Object::fetch`].
pub struct Fetch<'o, T: Element + Zeroable, const D: usize> {
    object: &'o Object<T, D>,
    ranges: [Range<usize>; D],
    pending: Rc<Pending<T>>,
}

impl<T: Element + Zeroable, const D: usize> Fetch<'_, T, D> {
    /// The elements. Collective: all ranks wait for their fetches in the same order.
    pub fn wait(self) -> View<T, D> {
        self.complete("Object::fetch", &mut || false)
    }

    /// The same. `work` runs while elements are in transit: it does a piece of its work and returns whether there is more. It is finished on
    /// return, and it does not use objects.
    pub fn wait_while(self, mut work: impl FnMut() -> bool) -> View<T, D> {
        let mut more = true;
        let view = self.complete("Object::fetch", &mut || {
            more = more && work();
            more
        });
        while more {
            more = work();
        }
        view
    }

    fn complete(self, name: &str, overlapped: &mut OverlappedWork<'_>) -> View<T, D> {
        if !self.pending.is_complete() {
            self.object.state.borrow_mut().complete(name, overlapped);
        }
        let elements = self.pending.take();
        View::new(self.ranges, elements.expect("the exchange completes all fetches"))
    }
}

/// Shows the range.
impl<T: Element + Zeroable, const D: usize> fmt::Debug for Fetch<'_, T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Fetch").field("ranges", &self.ranges).finish_non_exhaustive()
    }
}
