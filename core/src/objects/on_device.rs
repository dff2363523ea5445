//! Tasks that run on a device: one launch for each, whose positions are the iterations of the loops in it.

use super::copies::evict;
use super::opened::Opened;
use super::task::Tasks;
use super::tile::Tile;
use super::window::{Place, Window};
use crate::call::Call;
use crate::device::{Cause, Device, Part, Program, Refusal, Residence};
use crate::fold::{Captured, Site, refused};
use crate::settings::Backend;
use std::fmt;
use std::ops::{Bound, RangeBounds};

/// A task that a device may run.
#[doc(hidden)]
pub struct Candidate<'t, const D: usize> {
    tile: &'t Tile<D>,
    number: usize,
    windows: Vec<&'t Window>,
}

impl<const D: usize> Candidate<'_, D> {
    /// The tile of the task.
    pub fn tile(&self) -> &Tile<D> {
        self.tile
    }

    /// The number of the task, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Along each axis the first index of the tile, the end, and the length of the object.
    pub fn bounds(&self) -> [(usize, usize, usize); D] {
        self.tile.bounds()
    }

    /// Where the task's box of an object is in its allocation. `array` is its number in the program.
    pub fn place<const E: usize>(&self, array: usize) -> Place<E> {
        self.windows[array].place()
    }
}

impl<const D: usize> fmt::Debug for Candidate<'_, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Candidate").field("tile", &self.tile).finish_non_exhaustive()
    }
}

/// Takes the number of positions of a task, and the values that they read.
#[doc(hidden)]
pub type Run<'r> = dyn FnMut(usize, Captured<'_>) + 'r;

/// The first index of a loop over elements, and the number of its iterations.
#[doc(hidden)]
pub fn first_and_count(range: impl RangeBounds<usize>) -> (usize, usize) {
    let first = match range.start_bound() {
        Bound::Included(first) => *first,
        Bound::Excluded(before) => before + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => first,
    };
    (first, end.saturating_sub(first))
}

impl<const D: usize> Opened<'_, D> {
    /// Runs this rank's tasks on its device, if the settings choose it and it can run them. The others are left to the workers. `objects` has
    /// the number of each array's object. `describe` computes the number of positions of a task, from the ranges of its loops, and the values.
    pub fn on_device(
        &self,
        call: &Call,
        site: &'static Site,
        objects: &[usize],
        describe: &dyn Fn(&Candidate<'_, D>, &'static Program, &mut Run<'_>),
    ) {
        let context = call.context();
        let strategies = &context.settings().strategies;
        if context.settings().backend != Backend::Gpu || !strategies.has(crate::settings::Strategy::Device) {
            return;
        }
        let Some(device) = context.node().device() else { return };
        let program = match &site.program {
            Ok(program) => program,
            Err(reason) => return refused(call, site.name, &Refusal::Cannot((*reason).to_owned())),
        };
        let tasks = self.all();
        if tasks.stealing.is_some() {
            return tracing::debug!(kernel = site.name, "tasks that move between ranks run on the workers");
        }
        for number in 0..tasks.count() {
            let candidate = tasks.candidate(number, objects);
            let mut outcome = Ok(None);
            describe(&candidate, program, &mut |positions, captured| {
                if positions > 0 {
                    // SAFETY: the region is open, no task has been handed out, and only this thread accesses the memory. The expansion
                    // and the probes have checked the types.
                    outcome = unsafe { candidate.run(device, &captured, positions, tasks.is_proved(number)) };
                }
            });
            match outcome {
                Ok(None) => tasks.skip(number),
                Ok(Some((position, cause))) if matches!(cause, Cause::Wide | Cause::Trips) => {
                    let refusal = Refusal::Cannot(format!("element {position} of a task needs {cause}"));
                    return refused(call, site.name, &refusal);
                }
                // The workers panic as the sequential loop does.
                Ok(Some(_)) => return,
                Err(refusal) => return refused(call, site.name, &refusal),
            }
        }
    }
}

impl<const D: usize> Candidate<'_, D> {
    /// Runs the task. If the memory of the device is full, allocations leave it that it has not used for the longest time, and last
    /// those of the task, which the device then receives and returns. Returns the first position that panics.
    ///
    /// # Safety
    /// The region is open, none of its tasks is running, and the windows have elements of the program's types.
    unsafe fn run(
        &self,
        device: &dyn Device,
        captured: &Captured<'_>,
        positions: usize,
        proved: bool,
    ) -> Result<Option<(usize, Cause)>, Refusal> {
        let tables = captured.tables()?;
        // SAFETY: the caller's promise.
        let launch = |arrays: &[Part<'_>]| unsafe {
            device.run(&captured.launch(0..positions, proved, arrays, &tables)).map(|outcome| outcome.raised)
        };
        // SAFETY: the caller's promise.
        let arrays: Vec<Part<'_>> = self.windows.iter().map(|window| unsafe { window.part(device) }).collect();
        let used: Vec<&Residence> = arrays.iter().filter_map(|part| Some(part.share?.residence)).collect();
        loop {
            match launch(&arrays) {
                Err(Refusal::Failed(_) | Refusal::TooMuch(_)) => {
                    // SAFETY: no task is running.
                    if !unsafe { evict(&used) } {
                        break;
                    }
                }
                outcome => return outcome,
            }
        }
        // SAFETY: the caller's promise.
        let lent: Vec<Part<'_>> = self.windows.iter().map(|window| unsafe { window.lent() }).collect();
        // SAFETY: no task is running.
        while unsafe { evict(&[]) } {}
        launch(&lent)
    }
}

impl<const D: usize> Tasks<D> {
    fn candidate(&self, number: usize, objects: &[usize]) -> Candidate<'_, D> {
        let windows = objects.iter().map(|object| self.own_window(*object, number)).collect();
        Candidate { tile: self.tile(number), number: self.number(number), windows }
    }
}
