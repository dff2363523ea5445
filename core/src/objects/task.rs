//! The tasks of a region: each has a tile, and views of its boxes.

use super::barrier::Running;
use super::declared::Slot;
use super::stealing::Stealing;
use super::tile::Tile;
use super::window::{Reads, Window, Writes};
use crate::comm::Comm;
use crate::element::Element;
use crate::fold::Moves;
use bytemuck::Zeroable;
use smallvec::SmallVec;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

/// The place of an object in a region, and the number of the declaration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    pub number: usize,
    pub slot: usize,
}

/// An object that the tasks of a region read: see [`Task::read`].
#[derive(Debug)]
pub struct Read<T, const D: usize> {
    pub(super) declared: Declared,
    pub(super) element: PhantomData<fn(T)>,
}

/// An object that the tasks of a region write: see [`Task::write`].
#[derive(Debug)]
pub struct Write<T, const D: usize> {
    pub(super) declared: Declared,
    pub(super) element: PhantomData<fn(T)>,
}

macro_rules! for_expansions {
    ($($handle:ident)*) => {$(
        #[doc(hidden)]
        impl<T, const D: usize> $handle<T, D> {
            /// The place of the object in the region.
            pub fn number(&self) -> usize {
                self.declared.number
            }

            /// An element, for its type.
            pub fn zero(&self) -> T
            where
                T: Zeroable,
            {
                T::zeroed()
            }
        }
    )*};
}

for_expansions! { Read Write }

/// The tasks of an open region, in the order of the ranks that run them.
#[doc(hidden)]
#[derive(Debug)]
pub struct Tasks<const D: usize> {
    tiles: Vec<Tile<D>>,
    /// The name of the region, and the titles of its objects if tasks may change views of them.
    pub(super) title: &'static str,
    pub(super) titles: Vec<String>,
    /// This rank's tasks.
    pub(super) own: Vec<usize>,
    /// For each of them, whether all indices that the expansion computes are in its boxes.
    proved: Vec<bool>,
    /// The boxes of this rank's tasks, by object.
    opened: Vec<Vec<Window>>,
    /// Their declarations, by object.
    pub(super) declared: Vec<Vec<Slot>>,
    begun: Vec<AtomicBool>,
    /// The position of this rank's first task.
    first: usize,
    /// Tasks may move to other ranks.
    pub(super) stealing: Option<Stealing>,
}

impl<const D: usize> Tasks<D> {
    /// This rank's tasks: `own` of all tiles, with the position of the first one. `proved` tells of each task whether its indices are proved.
    pub(super) fn new(
        tiles: Vec<Tile<D>>,
        own: Vec<usize>,
        proved: &[bool],
        opened: Vec<Vec<Window>>,
        declared: Vec<Vec<Slot>>,
        first: usize,
    ) -> Self {
        let begun = own.iter().map(|_| AtomicBool::new(false)).collect();
        let proved = own.iter().map(|task| proved[*task]).collect();
        let (title, titles, stealing) = ("", Vec::new(), None);
        Tasks { tiles, title, titles, own, proved, opened, declared, begun, first, stealing }
    }

    /// The number of this rank's tasks.
    pub(super) fn count(&self) -> usize {
        self.own.len()
    }

    pub(super) fn tile(&self, number: usize) -> &Tile<D> {
        &self.tiles[self.own[number]]
    }

    /// The number of the task among those of all ranks.
    pub(super) fn number(&self, number: usize) -> usize {
        self.own[number]
    }

    pub(super) fn is_proved(&self, number: usize) -> bool {
        self.proved[number]
    }

    pub(super) fn own_window(&self, object: usize, number: usize) -> &Window {
        &self.opened[object][number]
    }

    /// A task that needs not run on the workers.
    pub(super) fn skip(&self, number: usize) {
        self.begun[number].store(true, Ordering::Relaxed);
    }

    /// All tasks have to run on the workers: their boxes are as before.
    pub(super) fn begin_again(&self) {
        self.begun.iter().for_each(|begun| begun.store(false, Ordering::Relaxed));
    }

    /// Makes the host's copies of the boxes valid, for the tasks that run on the workers.
    ///
    /// # Safety
    /// The region is open, and none of its tasks is running.
    pub(super) unsafe fn bring_back(&self) {
        let left = || self.begun.iter().enumerate().filter(|(_, begun)| !begun.load(Ordering::Relaxed));
        for windows in &self.opened {
            // SAFETY: the caller's promise.
            left().for_each(|(number, _)| unsafe { windows[number].bring_back() });
        }
    }

    /// Whether the task at a position has run on a device.
    #[inline]
    pub fn has_run(&self, position: usize) -> bool {
        self.at(position).is_some_and(|number| self.begun[number].load(Ordering::Relaxed))
    }

    /// Begins the task at a position.
    ///
    /// # Panics
    /// If it has begun already, or is another rank's and has not moved.
    #[inline]
    pub fn task(&self, position: usize) -> Task<'_, D> {
        match self.at(position) {
            Some(number) => self.begin(number),
            None => self.begin_arrived(position),
        }
    }

    /// Examines a task of a loop that has ended: it has declared all its changes.
    ///
    /// # Panics
    /// If it has not, because later iterations of the sequential loop would see the changes.
    #[inline]
    pub fn end(&self, task: &Task<'_, D>) {
        for (object, (_, declared)) in task.windows.iter().enumerate() {
            if let Some(element) = declared.unpublished() {
                let title = self.titles.get(object).map_or("an object", String::as_str);
                panic!(
                    "task {} of `{}` changes elements of {title}, such as the one at {element:?}, and does not declare them as modified. Later \
                     iterations of the sequential loop would see the changes: write `object.modified(range)` behind them, or change a copy, \
                     `object.get(range).into_elements()`",
                    task.number, self.title,
                );
            }
        }
    }

    /// The place of a position among this rank's tasks.
    #[inline]
    fn at(&self, position: usize) -> Option<usize> {
        position.checked_sub(self.first).filter(|number| *number < self.own.len())
    }

    /// Begins a task of this rank, by its place among them.
    #[inline]
    fn begin(&self, number: usize) -> Task<'_, D> {
        // The views are sound under any driver of the loop.
        assert!(!self.begun[number].swap(true, Ordering::Relaxed), "a task runs once");
        let with_declared = self.opened.iter().zip(&self.declared);
        let windows = with_declared.map(|(windows, declared)| (windows[number], &declared[number])).collect();
        let task = self.own[number];
        Task {
            tile: &self.tiles[task],
            number: task,
            proved: self.proved[number],
            windows,
            taken: Cell::new(0),
            _running: Running::begin(),
        }
    }

    /// Begins a task that has come from another rank. All indices are checked: the proof is about the boxes of this rank's tasks.
    #[cold]
    fn begin_arrived(&self, position: usize) -> Task<'_, D> {
        let stealing = self.stealing.as_ref().expect("the task is another rank's");
        let (task, arrived) = stealing.begin(position);
        let windows = arrived.windows.iter().copied().zip(&arrived.slots).collect();
        Task::new(&self.tiles[task], task, windows)
    }

    /// If tasks may move.
    pub(super) fn moves(&self) -> Option<&dyn Moves> {
        self.stealing.as_ref().map(|_| self as &dyn Moves)
    }

    /// The place of a task among those that were this rank's at first.
    fn place(&self, task: usize) -> Option<usize> {
        self.own.binary_search(&task).ok()
    }

    /// A task's box of an object.
    pub(super) fn window(&self, stealing: &Stealing, object: usize, task: usize) -> Window {
        match self.place(task) {
            Some(number) => self.opened[object][number],
            None => stealing.arrived(task).expect("a task is here, or has arrived").windows[object],
        }
    }
}

impl<const D: usize> Moves for Tasks<D> {
    fn home(&self, position: usize) -> usize {
        self.stealing.as_ref().map_or(0, |stealing| stealing.home(position))
    }

    fn run(&self, comm: Option<&dyn Comm>, run: &mut dyn FnMut(usize) -> bool) {
        if let Some(stealing) = &self.stealing {
            stealing.run(comm, &|object, task| self.window(stealing, object, task), run);
        }
    }
}

/// A task of a region, and its boxes.
pub struct Task<'t, const D: usize> {
    tile: &'t Tile<D>,
    number: usize,
    proved: bool,
    windows: SmallVec<[(Window, &'t Slot); 4]>,
    /// A bit for each object whose view the task has taken to write.
    taken: Cell<u64>,
    _running: Running,
}

impl<'t, const D: usize> Task<'t, D> {
    /// A task whose indices are checked.
    pub(super) fn new(tile: &'t Tile<D>, number: usize, windows: SmallVec<[(Window, &'t Slot); 4]>) -> Self {
        Task { tile, number, proved: false, windows, taken: Cell::new(0), _running: Running::begin() }
    }

    /// The tile of the task.
    pub fn tile(&self) -> &Tile<D> {
        self.tile
    }

    /// The number of the task, from 0.
    #[doc(hidden)]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Along each axis the first index of the tile, the end, and the length of the object.
    #[doc(hidden)]
    pub fn bounds(&self) -> [(usize, usize, usize); D] {
        self.tile.bounds()
    }

    /// Whether all indices that the expansion computes are in the boxes of the task.
    #[doc(hidden)]
    pub fn is_proved(&self) -> bool {
        self.proved
    }

    fn window<T: 'static>(&self, number: usize, writes: bool) -> &(Window, &'t Slot) {
        let window = self.windows.get(number).filter(|(window, _)| window.is_of::<T>() && window.writes == writes);
        window.expect("the object was declared for another region")
    }

    /// The box that the task reads.
    ///
    /// # Panics
    /// If the object was declared for another region.
    pub fn read<T: Element, const E: usize>(&self, object: &Read<T, E>) -> Reads<'_, T, E> {
        self.reads(object)
    }

    /// The same, with unchecked accesses at computed indices.
    #[doc(hidden)]
    pub fn read_proved<T: Element, const E: usize>(&self, object: &Read<T, E>) -> Reads<'_, T, E, false> {
        self.reads(object)
    }

    fn reads<T: Element, const E: usize, const CHECKED: bool>(&self, object: &Read<T, E>) -> Reads<'_, T, E, CHECKED> {
        assert!(CHECKED || self.proved, "the indices of the task are proved");
        let (window, declared) = self.window::<T>(object.declared.number, false);
        // SAFETY: the elements have this type. The tasks of the region only read this object. It borrows the object until all
        // tasks have ended. The proof is that of the expansion.
        unsafe { Reads::new(window, object.declared.slot, declared) }
    }

    /// The box that the task writes.
    ///
    /// # Panics
    /// If the task has taken it before, or the object was declared for another region.
    pub fn write<T: Element, const E: usize>(&self, object: &Write<T, E>) -> Writes<'_, T, E> {
        self.writes(object)
    }

    /// The same, with unchecked accesses at computed indices.
    #[doc(hidden)]
    pub fn write_proved<T: Element, const E: usize>(&self, object: &Write<T, E>) -> Writes<'_, T, E, false> {
        self.writes(object)
    }

    fn writes<T: Element, const E: usize, const CHECKED: bool>(
        &self,
        object: &Write<T, E>,
    ) -> Writes<'_, T, E, CHECKED> {
        assert!(CHECKED || self.proved, "the indices of the task are proved");
        let ((window, declared), bit) = (self.window::<T>(object.declared.number, true), 1 << object.declared.number);
        assert!(self.taken.get() & bit == 0, "a task takes the box that it writes once");
        self.taken.set(self.taken.get() | bit);
        // SAFETY: the elements have this type. Each task runs once, and takes the view once. The boxes of different tasks do not overlap, the
        // region has this object once, and it borrows the object until all tasks have ended. The proof is that of the expansion.
        unsafe { Writes::new(window, object.declared.slot, declared) }
    }
}

/// Shows the tile.
impl<const D: usize> fmt::Debug for Task<'_, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Task").field("tile", &self.tile).finish_non_exhaustive()
    }
}
