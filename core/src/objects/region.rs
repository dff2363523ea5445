//! Regions of tasks.

use super::access::{Access, Use, Used};
use super::area::{Area, Boxed, Ranges};
use super::declared::Accessed;
use super::map::Areas;
use super::object::{Held, Object};
use super::task::{Declared, Read, Write};
use super::tile::Tile;
use crate::element::Element;
use crate::runtime;
use bytemuck::Zeroable;
use std::fmt;
use std::marker::PhantomData;

/// Tasks that run at the same time, with the boxes of objects that each of them reads and writes.
///
/// All ranks declare the same tasks and boxes. So they decide alike on which rank each task runs, without messages, and know who owns what
/// the tasks write. Elements that a rank lacks are sent before the tasks run: one message from each rank that has some. The tasks of a
/// rank run on its workers.
///
/// ```
/// use forall_core::objects::{Object, Region};
///
/// let now = Object::from_fn([30, 40], |[y, x]| (y * x) as f32);
/// let mut next = Object::<f32, 2>::zeroed([30, 40]);
///
/// let mut region = Region::new("blur", next.tiles([8, 8]));
/// let from = region.reads(&now, |tile| tile.grown([0, 1]));
/// let to = region.writes(&mut next, |tile| tile.ranges());
/// region.run(|task| {
///     let (from, mut to) = (task.read(&from), task.write(&to));
///     for y in task.tile().rows() {
///         for x in task.tile().columns() {
///             let (left, right) = (x.saturating_sub(1), (x + 1).min(39));
///             to[[y, x]] = 0.5 * (from[[y, left]] + from[[y, right]]);
///         }
///     }
/// });
/// assert_eq!(next.get([2..3, 5..7]).elements(), [10.0, 12.0]);
/// ```
///
/// # Placement
/// The criteria are, in this order: the ranks of the tasks in the last region of the same name; equal load; the rank that holds most of a
/// task's input. A task whose input is nowhere yet runs beside tasks that use the same boxes. `FORALL_PLACEMENT` switches them off. With
/// `FORALL_PLACEMENT=stealing`, tasks that have not begun move to ranks that run out of them, and the next region of the name starts from
/// there. `FORALL_EXPLAIN=1` prints where tasks run, and why.
///
/// # Ownership
/// A rank owns the boxes that its tasks write. All ranks know that without messages.
///
/// # Cost
/// Each rank takes part in one handshake. It sends one message to each rank that lacks elements of it. If the region has run before with the
/// same boxes and objects, the handshake's messages have these elements. If the owner of a box that tasks use is not known to all ranks, because
/// one of them has declared it by [`Object::modified`], the ranks exchange the owners first.
pub struct Region<'r, const D: usize> {
    pub(super) name: &'r str,
    pub(super) tiles: Vec<Tile<D>>,
    pub(super) costs: Vec<u64>,
    /// For each task, whether the expansion computes all indices that the task uses, and they are in its boxes.
    pub(super) proved: Vec<bool>,
    pub(super) accesses: Vec<Box<dyn Access + 'r>>,
    /// The number of declarations.
    pub(super) declared: usize,
    /// A bit for each object whose boxes tasks declare as modified, and for each object whose boxes they ask for.
    pub(super) modifies: u64,
    pub(super) requests: u64,
}

impl<'r, const D: usize> Region<'r, D> {
    /// A region with a task for each tile. The name is that of the region in messages, and identifies it in later calls. Collective: all
    /// ranks make the same region.
    #[track_caller]
    pub fn new(name: &'r str, tiles: impl IntoIterator<Item = Tile<D>>) -> Self {
        let tiles: Vec<Tile<D>> = tiles.into_iter().collect();
        Region {
            name,
            costs: vec![1; tiles.len()],
            proved: vec![true; tiles.len()],
            tiles,
            accesses: Vec::new(),
            declared: 0,
            modifies: 0,
            requests: 0,
        }
    }

    /// Sets the expected cost of each task, in any unit. By default all tasks cost the same.
    #[must_use]
    pub fn costs(mut self, cost: impl FnMut(&Tile<D>) -> u64) -> Self {
        self.costs = self.tiles.iter().map(cost).collect();
        self
    }

    /// The tasks read these boxes of an object, which no task writes.
    ///
    /// # Panics
    /// If a box is outside of the object, or the region uses the object already.
    #[track_caller]
    pub fn reads<T: Element + Zeroable, const E: usize, R: Ranges<E>>(
        &mut self,
        object: &'r Object<T, E>,
        boxes: impl FnMut(&Tile<D>) -> R,
    ) -> Read<T, E> {
        self.read(object, declared(boxes))
    }

    /// The same, with boxes that the expansion computes from the indices of the accesses.
    #[doc(hidden)]
    #[track_caller]
    pub fn reads_by<T: Element + Zeroable, const E: usize>(
        &mut self,
        object: &'r Object<T, E>,
        boxes: impl FnMut(usize, &Tile<D>) -> Boxed<E>,
    ) -> Read<T, E> {
        self.read(object, boxes)
    }

    /// Each task writes all elements of its box of an object, and no other task uses them. An element that a task leaves out has any
    /// value.
    ///
    /// # Panics
    /// As [`Region::reads`].
    #[track_caller]
    pub fn writes<T: Element + Zeroable, const E: usize, R: Ranges<E>>(
        &mut self,
        object: &'r mut Object<T, E>,
        boxes: impl FnMut(&Tile<D>) -> R,
    ) -> Write<T, E> {
        self.write(object, Use::Writes, declared(boxes))
    }

    /// Each task reads and writes its box of an object, and no other task uses its elements.
    ///
    /// # Panics
    /// As [`Region::reads`].
    #[track_caller]
    pub fn updates<T: Element + Zeroable, const E: usize, R: Ranges<E>>(
        &mut self,
        object: &'r mut Object<T, E>,
        boxes: impl FnMut(&Tile<D>) -> R,
    ) -> Write<T, E> {
        self.write(object, Use::Updates, declared(boxes))
    }

    /// The same, with boxes that the expansion computes from the indices of the accesses.
    #[doc(hidden)]
    #[track_caller]
    pub fn updates_by<T: Element + Zeroable, const E: usize>(
        &mut self,
        object: &'r mut Object<T, E>,
        boxes: impl FnMut(usize, &Tile<D>) -> Boxed<E>,
    ) -> Write<T, E> {
        self.write(object, Use::Updates, boxes)
    }

    /// The tasks may declare boxes of this object as modified.
    #[doc(hidden)]
    pub fn modifies(&mut self, object: usize) {
        self.modifies |= 1 << object;
    }

    /// The tasks may ask for boxes of this object.
    #[doc(hidden)]
    pub fn requests(&mut self, object: usize) {
        self.requests |= 1 << object;
    }

    /// The box of each task.
    #[track_caller]
    fn areas<T: Element + Zeroable, const E: usize>(
        &mut self,
        object: &Object<T, E>,
        mut boxes: impl FnMut(usize, &Tile<D>) -> Boxed<E>,
    ) -> Vec<Area> {
        assert!(self.accesses.len() < 64, "a region uses at most 64 objects");
        let mut areas = Vec::with_capacity(self.tiles.len());
        for ((number, tile), proved) in self.tiles.iter().enumerate().zip(&mut self.proved) {
            let boxed = boxes(number, tile);
            *proved &= boxed.is_proved();
            areas.push(object.area(&boxed.ranges()));
        }
        areas
    }

    #[track_caller]
    fn read<T: Element + Zeroable, const E: usize>(
        &mut self,
        object: &'r Object<T, E>,
        boxes: impl FnMut(usize, &Tile<D>) -> Boxed<E>,
    ) -> Read<T, E> {
        let areas = self.areas(object, boxes);
        // Tasks may read one object by several parameters.
        let same = self.accesses.iter().position(|access| access.address() == object.address());
        let declared = match same.filter(|number| !self.accesses[*number].used().writes()) {
            Some(number) => {
                let all = self.accesses[number].areas_mut().iter_mut();
                all.zip(&areas).for_each(|(area, other)| *area = area.hull(other));
                self.next(number)
            }
            None => self.add(object.for_reading(), Use::Reads, areas),
        };
        Read { declared, element: PhantomData }
    }

    #[track_caller]
    fn write<T: Element + Zeroable, const E: usize>(
        &mut self,
        object: &'r mut Object<T, E>,
        used: Use,
        boxes: impl FnMut(usize, &Tile<D>) -> Boxed<E>,
    ) -> Write<T, E> {
        let areas = self.areas(object, boxes);
        Write { declared: self.add(object.for_writing(), used, areas), element: PhantomData }
    }

    fn add<T: Element + Zeroable>(&mut self, held: Held<'r, T>, used: Use, areas: Vec<Area>) -> Declared {
        self.accesses.push(Box::new(Used::new(held, used, areas)));
        self.next(self.accesses.len() - 1)
    }

    /// The next declaration, of this object.
    fn next(&mut self, number: usize) -> Declared {
        let slot = self.declared;
        self.declared += 1;
        Declared { number, slot }
    }

    /// The accesses that all ranks know before the tasks run.
    pub(super) fn accessed(&mut self) -> Vec<Accessed> {
        let of = |access: &mut Box<dyn Access + 'r>| Accessed {
            address: access.address(),
            title: access.state().title().to_owned(),
            writes: access.used().writes(),
            boxes: access.areas().iter().copied().enumerate().collect(),
        };
        self.accesses.iter_mut().map(of).collect()
    }

    /// Refuses objects of another set of ranks.
    #[track_caller]
    pub(super) fn refuse_other_ranks(&mut self) {
        let ranks = runtime::current().map_or(1, |context| context.ranks());
        for access in &mut self.accesses {
            let state = access.state();
            let of = state.knowledge().ranks;
            assert!(of == ranks, "{} is on {of} ranks, and a region that runs on {ranks} cannot use it", state.title());
        }
    }

    /// Refuses two tasks that write the same element.
    #[track_caller]
    pub(super) fn refuse_overlaps(&mut self) {
        for access in self.accesses.iter_mut().filter(|access| access.used().writes()) {
            let areas = access.areas().to_vec();
            let (mut all, mut count) = (Areas::default(), 0);
            for (task, area) in areas.iter().enumerate() {
                all.add(*area);
                count += area.len();
                if all.count() != count {
                    let other = areas[..task].iter().position(|other| other.meets(area)).unwrap_or(0);
                    let what = match access.used() {
                        Use::Updates => "use the same elements of",
                        Use::Reads | Use::Writes => "both write elements of",
                    };
                    panic!(
                        "tasks {other} and {task} of `{}` {what} {}: each element is written by one task, and no other reads it",
                        self.name,
                        access.state().title()
                    );
                }
            }
        }
    }

    /// A number of all boxes: the same on all ranks if they declare the same.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |word: usize| hash = (hash ^ word as u64).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        for access in &self.accesses {
            add(access.used() as usize);
            for area in access.areas() {
                area.start.iter().chain(&area.end).for_each(|at| add(*at));
            }
        }
        hash
    }
}

/// Boxes that the user declares.
fn declared<R: Ranges<E>, const E: usize, const D: usize>(
    mut boxes: impl FnMut(&Tile<D>) -> R,
) -> impl FnMut(usize, &Tile<D>) -> Boxed<E> {
    move |_, tile| Boxed::declared(boxes(tile).ranges())
}

/// Shows the name and the number of tasks.
impl<const D: usize> fmt::Debug for Region<'_, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Region");
        shown.field("name", &self.name).field("tasks", &self.tiles.len()).finish_non_exhaustive()
    }
}
