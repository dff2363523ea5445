//! Opens regions.

use super::area::Area;
use super::barrier::Kept;
use super::carried::Carried;
use super::declared::{Slot, refuse_conflict};
use super::exchange::{read, written};
use super::map::Areas;
use super::opened::Opened;
use super::order::Ordered;
use super::placement::{Earlier, Placed, Problem, in_parts, place};
use super::region::Region;
use super::state::Counters;
use super::stealing::{SLOTS, Stealing};
use super::task::Tasks;
use super::window::Window;
use crate::call::Call;
use crate::comm::Comm;
use crate::runtime::{self, Context, Header, Value};
use crate::settings::{Placement, Strategies};
use std::collections::BTreeMap;

impl<'r, const D: usize> Region<'r, D> {
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
    pub(super) fn open_by(
        mut self,
        name: &'static str,
        call: &Call,
        order: Order<'_>,
        mut carried: Carried,
    ) -> Opened<'r, D> {
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
        if let Some(transit) = carried.outstanding.transit.take() {
            call.overlap(transit);
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
        Opened { region: self, name, tasks, order, slots, placed: placed.ranks, carried }
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
        let earlier = cache.ranks.get(name).map(Vec::as_slice);
        let problem = Problem { ranks, costs: &self.costs, input: &input, boxes: &boxes, earlier };
        let placed = match order {
            Order::Any => place(&problem, context.settings().placement),
            Order::OfTasks => in_parts(&problem),
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
