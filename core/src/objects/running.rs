//! Runs regions without an annotated loop.

use super::carried::Carried;
use super::declared::Slot;
use super::map::Areas;
use super::named::Named;
use super::opened::Opened;
use super::opening::Order;
use super::region::Region;
use super::task::Task;
use super::window::Window;
use crate::call::Call;
use crate::fold::{At, Kernel};
use crate::footprint::{Accesses, Index};
use crate::runtime;
use std::ops::Range;
use std::time::{Duration, Instant};

impl<const D: usize> Region<'_, D> {
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
            self.refuse_overlaps();
            self.refuse_other_ranks();
            return self.run_alone(body);
        }
        let named = Named::of(self.name);
        let call = Call::begin(&named.meta, || unreachable!("there is a context"));
        let opened = self.open_by(named.meta.name, &call, Order::Any, true, Carried::default());
        self::run(&opened, named, &call, body);
        opened.close(&call);
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
}

/// Runs the tasks of an open region, as a loop over the tasks of all ranks.
fn run<const D: usize>(
    opened: &Opened<'_, D>,
    named: &'static Named,
    call: &Call,
    body: &(impl Fn(&Task<'_, D>) + Sync),
) {
    let tasks = opened.tasks();
    // SAFETY: the region is open, and none of its tasks is running.
    unsafe { tasks.bring_back() };
    let run = |positions: Range<usize>| {
        let mut at = At::new();
        for position in positions {
            at.position = position;
            body(&tasks.task(position));
        }
        at.done();
    };
    let footprint = |positions: Range<usize>, accesses: &mut Accesses| {
        accesses.element(0, false, &Index::outer(0, 1, i64::MAX, &positions));
    };
    let tokens = opened.tokens(call);
    let mut slots = (tokens.read_slot(), ());
    let mut kernel = Kernel::new(call, &named.site, opened.count(), &mut slots, &footprint);
    kernel.may_move(tasks.moves());
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

/// The time that a region took on this rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Messages, with the time that this rank waited for others.
    pub communication: Duration,
    /// All other time.
    pub computation: Duration,
}
