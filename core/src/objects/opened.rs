//! Regions whose tasks run, and their end.

use super::area::Area;
use super::barrier::{Cut, Kept};
use super::carried::Carried;
use super::declared::{Accessed, refuse_conflict};
use super::exchange::{read, written};
use super::order::{Ordered, Token};
use super::placement::Earlier;
use super::region::Region;
use super::requests::Outstanding;
use super::stealing::Stealing;
use super::task::Tasks;
use super::unions::Unions;
use crate::call::Call;
use crate::comm::collective;
use crate::data::{Stays, together};
use crate::parameter::Input;
use crate::runtime::{self, Context};
use std::rc::Rc;

/// A region whose tasks run.
#[doc(hidden)]
#[derive(Debug)]
pub struct Opened<'r, const D: usize> {
    pub(super) region: Region<'r, D>,
    pub(super) name: &'static str,
    pub(super) tasks: Tasks<D>,
    pub(super) order: Ordered,
    pub(super) placed: Vec<usize>,
    pub(super) unions: Rc<Unions>,
    /// The declarations of the tasks before a cut that they have not taken.
    pub(super) carried: Carried,
}

impl<const D: usize> Opened<'_, D> {
    /// This rank's tasks.
    pub fn tasks(&self) -> &Tasks<D> {
        &self.tasks
    }

    /// The number of iterations on all ranks: one for each task.
    pub fn count(&self) -> usize {
        self.order.tasks.len()
    }

    /// An array with an element for each task. The iterations of a loop over it run on the ranks of the tasks.
    pub fn tokens<'a>(&'a self, call: &'a Call) -> Input<'a, Token> {
        let mut tokens = Input::new(call, &self.order);
        let place = tokens.place_mut();
        place.stays = Some(Stays { workers: usize::MAX, owners: None });
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
        let _ = self.end(call, Cut::End);
    }

    /// The same where tasks are cut. They get the elements that they have asked for.
    pub fn close_into<T>(self, kept: &Kept<T>, call: &Call) {
        let carried = self.end(call, kept.cut());
        kept.carried().replace(carried);
    }

    fn end(mut self, call: &Call, cut: Cut) -> Carried {
        let (context, joined) = (call.context(), matches!(cut, Cut::Wait | Cut::Begin));
        let transit = call.take_transit();
        call.set_agreed(false);
        self.settle_moves(context);
        let (ranks, own) = (context.ranks(), self.order.of(context.rank()));
        for access in &mut self.region.accesses {
            access.store(own);
        }
        let unions = self.unions.clone().placed(&self.placed, ranks);
        for (number, access) in self.region.accesses.iter_mut().enumerate().filter(|(_, access)| access.used().writes())
        {
            for (rank, of_rank) in unions.of_ranks[number].iter().enumerate() {
                of_rank.areas().for_each(|area| access.state().give(area, rank));
            }
        }
        if self.region.modifies | self.region.requests != 0 || joined {
            self.declare(joined);
        }
        if !joined {
            self.carried.accessed.clear();
        }
        let Opened { region: Region { mut accesses, requests, .. }, name, placed, mut carried, tasks, .. } = self;
        for (access, slots) in accesses.iter_mut().zip(tasks.declared) {
            let address = access.address();
            carried.slots.extend(tasks.own.iter().zip(slots).map(|(task, slot)| ((address, *task), slot)));
            access.state().trim();
        }
        let requested = (0..accesses.len()).filter(|number| requests >> number & 1 == 1);
        let requests = requested.map(|number| accesses[number].requests()).collect();
        drop(accesses);
        std::mem::take(&mut carried.outstanding).arrive(&carried.slots, transit);
        let mut outstanding = Outstanding::ask(requests, &carried.slots);
        match cut {
            Cut::Begin => carried.outstanding = outstanding,
            _ => {
                let mut transit = outstanding.transit.take();
                transit.iter_mut().for_each(|transit| transit.complete(context.comm(), &mut || false));
                outstanding.arrive(&carried.slots, transit);
            }
        }
        context.cache().get::<Earlier>().ranks.insert(name, placed);
        if ranks > 1 {
            context.done();
        }
        carried
    }

    /// Ends the moves of tasks. All ranks learn where each task has run.
    fn settle_moves(&mut self, context: &Context) {
        let Some(stealing) = self.tasks.stealing.take().filter(Stealing::has_run) else { return };
        let (rank, ranks) = (context.rank(), context.ranks());
        let tasks = &self.tasks;
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

    /// Publishes what the tasks have declared as modified. `joined`: the accesses stay
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
