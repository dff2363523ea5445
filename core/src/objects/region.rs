//! Regions of tasks.

use super::access::{Access, Use, Used};
use super::area::{Area, Boxed, Ranges};
use super::barrier::Kept;
use super::declared::{Accessed, Carried, Slot, refuse_conflict};
use super::exchange::{read, written};
use super::map::Areas;
use super::named::Named;
use super::object::{Held, Object};
use super::order::{Ordered, Token};
use super::placement::{Placed, Problem, in_parts, place};
use super::state::Counters;
use super::stealing::{SLOTS, Stealing};
use super::task::{Declared, Read, Task, Tasks, Write};
use super::tile::Tile;
use super::window::Window;
use crate::call::Call;
use crate::comm::{Comm, collective};
use crate::data::together;
use crate::element::Element;
use crate::fold::{At, Kernel};
use crate::footprint::{Accesses, Index};
use crate::parameter::Input;
use crate::runtime::{self, Context, Header, Value};
use crate::settings::{Placement, Strategies};
use bytemuck::Zeroable;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::{Duration, Instant};

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
/// The criteria are, in this order: where the tasks of the last region of the same name ran; equal load; the rank that holds most of a
/// task's input; and for tasks whose input is nowhere yet, beside tasks that use the same boxes. `FORALL_PLACEMENT` switches them off.
/// With `FORALL_PLACEMENT=stealing`, tasks that have not begun move to ranks that run out of them, and the next region of the name starts from
/// there.
/// `FORALL_EXPLAIN=1` prints where tasks run, and why.
///
/// # Ownership
/// A rank owns the boxes that its tasks write. All ranks know that without messages.
///
/// # Cost
/// Each rank takes part in two handshakes. It sends one message to each rank that lacks elements of it. If the owner of a box that tasks
/// read is not known to all ranks, because one of them has declared it by [`Object::modified`], the ranks exchange what they know
/// first.
pub struct Region<'r, const D: usize> {
    name: &'r str,
    tiles: Vec<Tile<D>>,
    costs: Vec<u64>,
    /// For each task, whether the expansion computes all indices that the task uses, and they are in its boxes.
    proved: Vec<bool>,
    accesses: Vec<Box<dyn Access + 'r>>,
    /// The number of declarations.
    declared: usize,
    /// A bit for each object whose boxes tasks declare as modified, and for each object whose boxes they ask for.
    modifies: u64,
    requests: u64,
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

    /// Runs all tasks, and returns the time that it took. Collective.
    ///
    /// # Panics
    /// If two tasks write the same element, if the ranks declare different tasks or boxes, or if a task panics.
    pub fn run(self, body: impl Fn(&Task<'_, D>) + Sync) -> Times {
        let begin = Instant::now();
        let spent = || runtime::current().map_or(Duration::ZERO, |context| context.traffic().time);
        let before = spent();
        self.run_all(&body);
        let communication = spent() - before;
        Times { communication, computation: begin.elapsed().saturating_sub(communication) }
    }

    fn run_all(mut self, body: &(impl Fn(&Task<'_, D>) + Sync)) {
        if runtime::current().is_none() || self.tiles.is_empty() {
            self.refuse_mistakes();
            return self.run_alone(body);
        }
        let named = Named::of(self.name);
        let call = Call::begin(&named.meta, || unreachable!("there is a context"));
        let opened = self.open_by(named.meta.name, &call, Order::Any, Carried::default());
        self::run(&opened, named, &call, body);
        opened.close(&call);
    }

    /// Places the tasks, fetches the elements that they read, and gives each task its boxes. `name` identifies the region in later calls. If `in_order`,
    /// the tasks of a rank follow those of the ranks before it.
    #[doc(hidden)]
    #[track_caller]
    pub fn open(self, name: &'static str, call: &Call, in_order: bool) -> Opened<'r, D> {
        self.open_by(name, call, if in_order { Order::OfTasks } else { Order::Any }, Carried::default())
    }

    /// The same on the ranks that have the values of these tasks.
    #[doc(hidden)]
    #[track_caller]
    pub fn open_with<T>(self, kept: &Kept<T>, name: &'static str, call: &Call) -> Opened<'r, D> {
        self.open_by(name, call, kept.placed().map_or(Order::OfTasks, Order::Given), kept.carried().take())
    }

    #[track_caller]
    fn open_by(mut self, name: &'static str, call: &Call, order: Order<'_>, mut carried: Carried) -> Opened<'r, D> {
        self.refuse_mistakes();
        for now in self.accessed() {
            carried.accessed.iter().for_each(|earlier| refuse_conflict(name, earlier, &now));
        }
        let context = call.context();
        let values = [
            Value::same("the number of tasks", self.tiles.len() as u64),
            Value::same("the boxes of the tasks", self.fingerprint()),
        ];
        context.agree(&Header { function: name, number: 0, values: &values });
        for access in &mut self.accesses {
            let areas = Areas::of(access.areas().iter().copied());
            access.state().know_in_common(&areas);
        }
        let steals = matches!(order, Order::Any);
        let placed = self.place(name, context, order);
        self.transfer(context.comm(), &placed.ranks);
        let order = Ordered::new(&placed.ranks, context.ranks());
        let own = order.of(context.rank());
        let opened: Vec<Vec<Window>> = self.accesses.iter_mut().map(|access| access.open(own)).collect();
        let first = order.cuts.range(context.rank()).start;
        let addresses: Vec<usize> = self.accesses.iter().map(|access| access.address()).collect();
        let of_object = |address: &usize| own.iter().map(|task| carried.take(*address, *task)).collect();
        let declared: Vec<Vec<Slot>> = addresses.iter().map(of_object).collect();
        let own = own.to_vec();
        let mut tasks = Tasks::new(self.tiles.clone(), own.clone(), &self.proved, opened, declared, first);
        let slots = self.windows_to_move(context, steals).map(|objects| {
            tasks.stealing = runtime::current().map(|context| Stealing::new(&context, &own, objects, self.tiles.len()));
            let ranks = context.ranks();
            Ordered::new(&(0..ranks * SLOTS).map(|slot| slot / SLOTS).collect::<Vec<_>>(), ranks)
        });
        let handed_out = Cell::new(false);
        Opened { region: self, name, tasks, order, slots, placed: placed.ranks, carried, handed_out }
    }

    /// If tasks may move while the region runs: for each object a window without memory, and all boxes. All ranks decide alike.
    fn windows_to_move(&self, context: &Context, steals: bool) -> Option<Vec<(Window, Vec<Area>)>> {
        let settings = context.settings();
        let wanted = settings.placement == Placement::Stealing && steals && context.ranks() > 1;
        // A loop that runs rank after rank has its tasks before it begins.
        let plain = settings.strategies == Strategies::default();
        let declares = self.modifies | self.requests != 0;
        if !wanted || !plain || declares {
            return None;
        }
        self.accesses.iter().map(|access| Some((access.empty_window()?, access.areas().to_vec()))).collect()
    }

    /// The accesses that all ranks know before the tasks run.
    fn accessed(&mut self) -> Vec<Accessed> {
        let of = |access: &mut Box<dyn Access + 'r>| Accessed {
            address: access.address(),
            title: access.state().title().to_owned(),
            writes: access.used().writes(),
            boxes: access.areas().iter().copied().enumerate().collect(),
        };
        self.accesses.iter_mut().map(of).collect()
    }

    fn refuse_mistakes(&mut self) {
        self.refuse_overlaps();
        let ranks = runtime::current().map_or(1, |context| context.ranks());
        for access in &mut self.accesses {
            let state = access.state();
            let of = state.knowledge().ranks;
            assert!(of == ranks, "{} is on {of} ranks, and a region that runs on {ranks} cannot use it", state.title());
        }
    }

    /// Before the program is started, the tasks run one after the other.
    fn run_alone(&mut self, body: &(impl Fn(&Task<'_, D>) + Sync)) {
        let all: Vec<usize> = (0..self.tiles.len()).collect();
        let windows: Vec<Vec<Window>> = self.accesses.iter_mut().map(|access| access.open(&all)).collect();
        // SAFETY: the region is open, and no task is running.
        windows.iter().flatten().for_each(|window| unsafe { window.bring_back() });
        for (at, tile) in self.tiles.iter().enumerate() {
            let slot = Slot::default();
            let windows = windows.iter().map(|windows| (windows[at], &slot)).collect();
            body(&Task::new(tile, at, windows));
        }
        for access in &mut self.accesses {
            access.store(&all);
            if access.used().writes() {
                let written = Areas::of(access.areas().iter().copied());
                written.areas().for_each(|area| access.state().give(area, 0));
            }
        }
    }

    /// Refuses two tasks that write the same element.
    fn refuse_overlaps(&mut self) {
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
    fn fingerprint(&self) -> u64 {
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

    /// Where each task runs.
    fn place(&mut self, name: &'static str, context: &Context, order: Order<'_>) -> Placed {
        let ranks = context.ranks();
        let mut input = vec![vec![0; ranks]; self.tiles.len()];
        let mut boxes = vec![Vec::new(); self.tiles.len()];
        for (object, access) in self.accesses.iter_mut().enumerate() {
            let (reads, size) = (access.used().reads(), access.state().size());
            for (task, area) in access.areas().to_vec().into_iter().enumerate() {
                boxes[task].push((object, area));
                if reads && ranks > 1 {
                    let knowledge = access.state().knowledge();
                    for (rank, bytes) in input[task].iter_mut().enumerate() {
                        *bytes += (size * knowledge.count_held(area, rank)) as u64;
                    }
                }
            }
        }
        let mut cache = context.cache().get::<Earlier>();
        let earlier = cache.0.get(name).map(Vec::as_slice);
        let problem = Problem { ranks, costs: &self.costs, input: &input, boxes: &boxes, earlier };
        let placed = match order {
            Order::Any => place(&problem, context.settings().placement),
            Order::OfTasks => in_parts(&problem),
            Order::Given(ranks) => Placed { ranks: ranks.to_vec(), reason: "where they ran before the barrier" },
        };
        if context.settings().explain
            && context.rank() == 0
            && cache.1.insert(name, placed.reason) != Some(placed.reason)
        {
            let loads = (0..ranks).map(|rank| placed.ranks.iter().filter(|at| **at == rank).count().to_string());
            let loads: Vec<String> = loads.collect();
            eprintln!(
                "`{name}`: {} tasks on {ranks} ranks ({}), {}",
                self.tiles.len(),
                loads.join(", "),
                placed.reason
            );
        }
        placed
    }

    /// Sends the elements that tasks lack: one message from each rank that owns some.
    fn transfer(&mut self, comm: &dyn Comm, placed: &[usize]) {
        let (rank, ranks) = (comm.rank(), comm.ranks());
        if ranks == 1 {
            return;
        }
        // The boxes for each rank, by their owner and object.
        type Parts = BTreeMap<usize, BTreeMap<usize, Vec<Area>>>;
        let (mut sends, mut receives, mut copies) = (Parts::new(), Vec::new(), Vec::new());
        for (number, access) in self.accesses.iter_mut().enumerate().filter(|(_, access)| access.used().reads()) {
            let mut needed = vec![Areas::default(); ranks];
            access.areas().iter().zip(placed).for_each(|(area, rank)| needed[*rank].add(*area));
            let knowledge = access.state().knowledge();
            for (to, areas) in needed.iter().enumerate() {
                for (part, owner) in areas.areas().flat_map(|area| knowledge.needed(area, to)) {
                    if owner == rank {
                        sends.entry(to).or_default().entry(number).or_default().push(part);
                    }
                    if to == rank {
                        receives.push(owner);
                    }
                    copies.push((number, part, to));
                }
            }
        }
        receives.sort_unstable();
        receives.dedup();
        let mut messages = Vec::new();
        for (to, parts) in &sends {
            let mut message = written(parts);
            let header = message.len();
            for (number, areas) in parts {
                self.accesses[*number].state().pack(areas, &mut message);
            }
            let counters = Counters { control: 0, data: 1, bytes: (message.len() - header) as u64 };
            let first = parts.keys().next().copied().unwrap_or(0);
            self.accesses[first].state().count(counters);
            messages.push((*to, message));
        }
        let sends: Vec<(usize, &[u8])> = messages.iter().map(|(to, message)| (*to, &message[..])).collect();
        for message in comm.exchange_messages(&sends, &receives) {
            let mut rest = &message[..];
            let parts: BTreeMap<usize, Vec<Area>> = read(&mut rest);
            for (number, areas) in parts {
                self.accesses[number].state().unpack(&areas, &mut rest);
            }
        }
        for (number, part, to) in copies {
            self.accesses[number].state().knowledge().copied_in_common(part, to);
        }
    }
}

/// Runs the tasks of an open region, as a loop over the tasks of all ranks.
fn run<const D: usize>(
    opened: &Opened<'_, D>,
    named: &'static Named,
    call: &Call,
    body: &(impl Fn(&Task<'_, D>) + Sync),
) {
    let tasks = opened.tasks();
    let run = |positions: Range<usize>| {
        let at = At::new();
        for position in positions {
            at.set(position);
            tasks.each(position, |task| body(&task));
        }
        at.done();
    };
    let footprint = |positions: Range<usize>, accesses: &mut Accesses| {
        accesses.element(0, false, &Index::outer(0, 1, i64::MAX, &positions));
    };
    let tokens = opened.tokens(call);
    let mut slots = (tokens.read_slot(), ());
    let mut kernel = Kernel::new(call, &named.site, opened.count(), &mut slots, &footprint);
    kernel.fold(
        (),
        |_, _, positions| {
            run(positions);
            ((), ())
        },
        |_, _, positions| {
            run(positions);
            ((), ())
        },
    );
}

/// Boxes that the user declares.
fn declared<R: Ranges<E>, const E: usize, const D: usize>(
    mut boxes: impl FnMut(&Tile<D>) -> R,
) -> impl FnMut(usize, &Tile<D>) -> Boxed<E> {
    move |_, tile| Boxed::declared(boxes(tile).ranges())
}

/// The ranks that run the tasks.
#[derive(Clone, Copy)]
enum Order<'o> {
    /// By the criteria of placement.
    Any,
    /// The tasks of a rank follow those of the ranks before it.
    OfTasks,
    /// These ranks.
    Given(&'o [usize]),
}

/// A region whose tasks run.
#[doc(hidden)]
#[derive(Debug)]
pub struct Opened<'r, const D: usize> {
    region: Region<'r, D>,
    name: &'static str,
    tasks: Tasks<D>,
    order: Ordered,
    /// If tasks may move, the iterations in which they run.
    slots: Option<Ordered>,
    placed: Vec<usize>,
    /// The declarations of the tasks before a cut that they have not taken.
    carried: Carried,
    /// Whether workers may run tasks.
    handed_out: Cell<bool>,
}

impl<const D: usize> Opened<'_, D> {
    /// The tasks for the workers, in the order of the ranks that run them.
    pub fn tasks(&self) -> &Tasks<D> {
        if !self.handed_out.replace(true) {
            // SAFETY: the region is open, and this is the first time that its tasks are handed out.
            unsafe { self.tasks.bring_back() };
        }
        &self.tasks
    }

    /// The tasks before they are handed out.
    ///
    /// # Panics
    /// If they are.
    pub(super) fn all(&self) -> &Tasks<D> {
        assert!(!self.handed_out.get(), "a device runs tasks before the workers do");
        &self.tasks
    }

    /// The number of iterations on all ranks: one for each task, unless tasks may move.
    pub fn count(&self) -> usize {
        self.iterations().tasks.len()
    }

    fn iterations(&self) -> &Ordered {
        self.slots.as_ref().unwrap_or(&self.order)
    }

    /// An array with an element for each task. The iterations of a loop over it run on the ranks of the tasks.
    pub fn tokens<'a>(&'a self, call: &'a Call) -> Input<'a, Token> {
        let mut tokens = Input::new(call, self.iterations());
        let place = tokens.place_mut();
        place.stays = Some(usize::MAX);
        // All ranks know where the tasks are.
        if !call.alone() {
            let cuts = place.cuts.take();
            place.lie(cuts, call.context().rank());
        }
        tokens
    }

    /// Remembers where the tasks run, for those that take their values.
    pub fn keep<T>(&self, kept: &Kept<T>) {
        kept.place(&self.placed);
    }

    /// Ends the region: all ranks know who owns what the tasks have written.
    pub fn close(self, call: &Call) {
        self.end(call, false);
    }

    /// The same where tasks are cut. They get the elements that they have asked for.
    pub fn close_into<T>(self, kept: &Kept<T>, call: &Call) {
        let carried = self.end(call, kept.is_joined());
        kept.carried().replace(carried);
    }

    fn end(mut self, call: &Call, joined: bool) -> Carried {
        let context = call.context();
        self.settle_moves(context);
        let (ranks, own) = (context.ranks(), self.order.of(context.rank()));
        for access in &mut self.region.accesses {
            access.store(own);
        }
        for access in self.region.accesses.iter_mut().filter(|access| access.used().writes()) {
            let areas = access.areas().to_vec();
            for rank in 0..ranks {
                let of_rank = Areas::of(self.order.of(rank).iter().map(|task| areas[*task]));
                of_rank.areas().for_each(|area| access.state().give(area, rank));
            }
        }
        if self.region.modifies | self.region.requests != 0 || joined {
            self.declare(joined);
        }
        if !joined {
            self.carried.accessed.clear();
        }
        let Opened { region: Region { mut accesses, .. }, name, placed, mut carried, tasks, .. } = self;
        for (access, slots) in accesses.iter_mut().zip(tasks.declared) {
            let address = access.address();
            carried.slots.extend(tasks.own.iter().zip(slots).map(|(task, slot)| ((address, *task), slot)));
            access.state().trim();
        }
        context.cache().get::<Earlier>().0.insert(name, placed);
        if ranks > 1 {
            context.done();
        }
        carried
    }

    /// Ends the moves of tasks. All ranks learn where each task has run.
    fn settle_moves(&mut self, context: &Context) {
        let Some(stealing) = self.tasks.stealing.take() else { return };
        let (rank, ranks) = (context.rank(), context.ranks());
        let tasks = &self.tasks;
        stealing.take_part(context.comm(), &|object, task| tasks.window(&stealing, object, task), None);
        let (ran, lengths) = together("objects: tasks that have moved", &[], |comm, _| {
            collective::allgather_varied(comm, &stealing.ran().iter().map(|task| *task as u64).collect::<Vec<_>>())
        });
        let of = lengths.iter().enumerate().flat_map(|(rank, length)| std::iter::repeat_n(rank, *length));
        let mut placed = self.placed.clone();
        ran.iter().zip(of).for_each(|(task, rank)| placed[*task as usize] = rank);
        let moved = placed.iter().zip(&self.placed).filter(|(now, before)| now != before).count();
        if context.settings().explain && rank == 0 && moved > 0 {
            let count = |rank| placed.iter().filter(|at| **at == rank).count().to_string();
            let counts: Vec<String> = (0..ranks).map(count).collect();
            eprintln!(
                "`{}`: {moved} of {} tasks moved, ran on {ranks} ranks ({})",
                self.name,
                placed.len(),
                counts.join(", ")
            );
        }
        for (number, access) in self.region.accesses.iter_mut().enumerate().filter(|(_, access)| access.used().writes())
        {
            for task in (0..placed.len()).filter(|task| placed[*task] == rank && self.placed[*task] != rank) {
                let mut elements = Vec::new();
                tasks.window(&stealing, number, task).pack(&mut elements);
                access.put(task, &elements);
            }
        }
        self.order = Ordered::new(&placed, ranks);
        self.placed = placed;
    }

    /// Publishes what the tasks have declared as modified, and fetches the boxes that they have asked for. `joined`: the accesses stay
    /// comparable with those of the next part of the tasks.
    fn declare(&mut self, joined: bool) {
        let own = self.tasks.own.clone();
        let mut now = self.region.accessed();
        let with = |number: usize, writes: bool, boxes: Vec<(usize, Area)>, now: &[Accessed]| Accessed {
            writes,
            boxes,
            ..now[number].clone()
        };
        let mut later: Vec<Accessed> = Vec::new();
        for number in (0..self.region.accesses.len()).filter(|number| self.region.modifies >> number & 1 == 1) {
            let (access, slots) = (&self.region.accesses[number], &self.tasks.declared[number]);
            let published = own
                .iter()
                .zip(slots)
                .flat_map(|(task, slot)| access.published(slot).into_iter().map(|area| (*task, area)));
            let all = of_all_ranks("objects: modified", &published.collect());
            later.push(with(number, true, all.clone(), &now));
            for (task, area) in all {
                self.region.accesses[number].state().give(area, self.placed[task]);
            }
            for slot in &self.tasks.declared[number] {
                self.region.accesses[number].publish(slot);
            }
        }
        for number in (0..self.region.accesses.len()).filter(|number| self.region.requests >> number & 1 == 1) {
            let (access, slots) = (&self.region.accesses[number], &self.tasks.declared[number]);
            let requested = own
                .iter()
                .zip(slots)
                .flat_map(|(task, slot)| access.requested(slot).into_iter().map(|area| (*task, area)));
            later.push(with(number, false, requested.collect(), &now));
        }
        for (at, one) in later.iter().enumerate() {
            let others = now.iter().chain(&later[..=at]).chain(&self.carried.accessed);
            others.for_each(|other| refuse_conflict(self.name, one, other));
        }
        for number in (0..self.region.accesses.len()).filter(|number| self.region.requests >> number & 1 == 1) {
            self.region.accesses[number].bring(&self.tasks.declared[number]);
        }
        if joined {
            self.carried.accessed.append(&mut now);
            self.carried.accessed.append(&mut later);
        }
    }
}

/// The boxes of all ranks, each with its task, in the order of the tasks.
fn of_all_ranks(name: &str, own: &Vec<(usize, Area)>) -> Vec<(usize, Area)> {
    let alone = runtime::current().is_none_or(|context| context.ranks() == 1);
    if alone {
        return own.clone();
    }
    let (all, lengths) = together(name, &[], |comm, _| collective::allgather_varied(comm, &written(own)));
    let (mut rest, mut boxes) = (&all[..], Vec::new());
    for length in lengths {
        let (mut own, others) = rest.split_at(length);
        boxes.extend(read::<Vec<(usize, Area)>>(&mut own));
        rest = others;
    }
    boxes.sort_by_key(|(task, _)| *task);
    boxes
}

/// The time that a region took on this rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Messages, with the time that this rank waited for others.
    pub communication: Duration,
    /// All other time.
    pub computation: Duration,
}

/// Shows the name and the number of tasks.
impl<const D: usize> fmt::Debug for Region<'_, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Region");
        shown.field("name", &self.name).field("tasks", &self.tiles.len()).finish_non_exhaustive()
    }
}

/// Where the tasks of earlier regions ran, and why.
#[derive(Default)]
struct Earlier(HashMap<&'static str, Vec<usize>>, HashMap<&'static str, &'static str>);
