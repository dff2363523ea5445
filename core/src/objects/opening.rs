//! Opens regions.

use super::access::Access;
use super::area::Area;
use super::barrier::Kept;
use super::carried::Carried;
use super::declared::{Slot, refuse_conflict};
use super::opened::Opened;
use super::order::Ordered;
use super::placement::{Earlier, Placed, Problem, in_parts, place, place_by_number};
use super::region::Region;
use super::stealing::Stealing;
use super::task::Tasks;
use super::transfer::Transfer;
use super::unions::Unions;
use super::window::Window;
use crate::call::Call;
use crate::runtime::{Along, Context, Header, Value};
use crate::settings::{Placement, Strategies};
use std::rc::Rc;

impl<'r, const D: usize> Region<'r, D> {
    /// Places the tasks, fetches the elements that they read, and gives each task its boxes. `name` identifies the region in later calls. If `in_order`,
    /// the tasks of a rank follow those of the ranks before it. If `cut`, they stay on their ranks.
    #[doc(hidden)]
    #[track_caller]
    pub fn open(self, name: &'static str, call: &Call, [in_order, cut]: [bool; 2]) -> Opened<'r, D> {
        let order = if in_order { Order::OfTasks } else { Order::Any };
        self.open_by(name, call, order, !cut, Carried::default())
    }

    /// The same on the ranks that have the values of these tasks.
    #[doc(hidden)]
    #[track_caller]
    pub fn open_with<T>(self, kept: &Kept<T>, name: &'static str, call: &Call) -> Opened<'r, D> {
        self.open_by(name, call, kept.placed().map_or(Order::OfTasks, Order::Given), false, kept.carried().take())
    }

    #[track_caller]
    pub(super) fn open_by(
        mut self,
        name: &'static str,
        call: &Call,
        order: Order<'_>,
        moves: bool,
        mut carried: Carried,
    ) -> Opened<'r, D> {
        let context = call.context();
        let unions = self.unions(name, context);
        for earlier in &carried.accessed {
            self.accessed().iter().for_each(|now| refuse_conflict(name, earlier, now));
        }
        let (placed, unions) = self.prepare(name, context, order, unions);
        call.set_agreed(true);
        if let Some(transit) = carried.outstanding.transit.take() {
            call.overlap(transit);
        }
        let order = Ordered::new(&placed.ranks, context.ranks());
        let own = order.of(context.rank());
        let opened: Vec<Vec<Window>> = self.accesses.iter_mut().map(|access| access.open(own)).collect();
        let first = order.cuts.range(context.rank()).start;
        let addresses: Vec<usize> = self.accesses.iter().map(|access| access.address()).collect();
        let of_object = |address: &usize| own.iter().map(|task| carried.take(*address, *task)).collect();
        let declared: Vec<Vec<Slot>> = addresses.iter().map(of_object).collect();
        let own = own.to_vec();
        let mut tasks = Tasks::new(self.tiles.clone(), own.clone(), &self.proved, opened, declared, first);
        tasks.title = name;
        if !moves || self.modifies != 0 {
            tasks.titles = self.accesses.iter_mut().map(|access| access.state().title().to_owned()).collect();
        }
        tasks.stealing = self.windows_to_move(context, moves).map(|objects| Stealing::new(&order, &own, objects));
        Opened { region: self, name, tasks, order, placed: placed.ranks, unions, carried }
    }

    /// The unions of the boxes. Refuses mistakes.
    #[track_caller]
    fn unions(&mut self, name: &'static str, context: &Context) -> Rc<Unions> {
        self.refuse_other_ranks();
        let earlier = context.cache().get::<Earlier>().unions.get(name).cloned();
        if let Some(unions) = earlier.filter(|unions| unions.are_of(&self.accesses)) {
            return unions;
        }
        self.refuse_overlaps();
        Unions::new(&self.accesses)
    }

    /// Makes the handshake, places the tasks and fetches the elements that they read.
    ///
    /// If all ranks know the owners of all boxes, they know who sends elements to whom before the handshake, and the messages are
    /// attached to it.
    fn prepare(
        &mut self,
        name: &'static str,
        context: &Context,
        order: Order<'_>,
        unions: Rc<Unions>,
    ) -> (Placed, Rc<Unions>) {
        let number = |access: &mut Box<dyn Access + 'r>| access.state().number();
        let objects = self
            .accesses
            .iter_mut()
            .map(number)
            .fold(0, |all: u64, number| (all ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        let fetches: usize = self.accesses.iter_mut().map(|access| access.state().pending()).sum();
        let values = [
            Value::same("the number of tasks", self.tiles.len() as u64),
            Value::same("the boxes of the tasks", self.fingerprint()),
            Value::same("the objects of the tasks", objects),
            Value::same("the number of fetches that have begun", fetches as u64),
        ];
        let header = Header { function: name, number: 0, values: &values };
        let boxes = &unions.all;
        let known = self.accesses.iter_mut().zip(boxes).all(|(access, boxes)| access.state().knows_in_common(boxes));
        let ready = known && fetches == 0;
        if !ready {
            context.agree_along(&header, &mut Along::default());
            self.accesses.iter_mut().zip(boxes).for_each(|(access, boxes)| access.state().know_in_common(boxes));
        }
        let placed = self.place(name, context, order);
        let unions = unions.placed(&placed.ranks, context.ranks());
        context.cache().get::<Earlier>().unions.insert(name, unions.clone());
        let transfer = Transfer::new(&mut self.accesses, &unions, context.this_rank());
        transfer.run(&mut self.accesses, context.comm(), |along| ready && context.agree_along(&header, along));
        (placed, unions)
    }

    /// If tasks may move while the region runs: for each object a window without memory, and all boxes. All ranks decide alike.
    fn windows_to_move(&self, context: &Context, moves: bool) -> Option<Vec<(Window, Vec<Area>)>> {
        let settings = context.settings();
        let wanted = settings.placement == Placement::Stealing && moves && context.ranks() > 1;
        // A loop that runs rank after rank has its tasks before it begins.
        let plain = settings.strategies == Strategies::default();
        let declares = self.modifies | self.requests != 0;
        if !wanted || !plain || declares {
            return None;
        }
        self.accesses.iter().map(|access| Some((access.empty_window()?, access.areas().to_vec()))).collect()
    }

    /// Where each task runs.
    fn place(&mut self, name: &'static str, context: &Context, order: Order<'_>) -> Placed {
        let ranks = context.ranks();
        let placement = context.settings().placement;
        let mut cache = context.cache().get::<Earlier>();
        let earlier = cache.ranks.get(name).map(Vec::as_slice);
        let placed = match order {
            Order::Any => place_by_number(self.tiles.len(), ranks, earlier, placement).unwrap_or_else(|| {
                let (input, boxes) = self.inputs(ranks);
                let problem = Problem { ranks, costs: &self.costs, input: &input, boxes: &boxes, earlier };
                place(&problem, placement)
            }),
            Order::OfTasks => in_parts(&self.costs, ranks),
            Order::Given(ranks) => Placed { ranks: ranks.to_vec(), reason: "where they ran before the barrier" },
        };
        if context.settings().explain
            && context.rank() == 0
            && cache.shown.insert(name, placed.reason) != Some(placed.reason)
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

    /// For each task the bytes of its input on each rank, and its boxes.
    fn inputs(&mut self, ranks: usize) -> (Vec<Vec<u64>>, Vec<BoxesOfTask>) {
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
        (input, boxes)
    }
}

/// The boxes of a task, each with the number of its object.
type BoxesOfTask = Vec<(usize, Area)>;

/// The ranks that run the tasks.
#[derive(Clone, Copy)]
pub(super) enum Order<'o> {
    /// By the criteria of placement.
    Any,
    /// The tasks of a rank follow those of the ranks before it.
    OfTasks,
    /// These ranks.
    Given(&'o [usize]),
}
