//! Tasks that run on a device. A launch runs a nest of loops of a task: its positions are their iterations. A task with several nests takes
//! several launches, and the host runs the statements between them.

use super::copies::evict;
use super::opened::Opened;
use super::task::Tasks;
use super::tile::Tile;
use super::window::{Place, Window};
use crate::call::Call;
use crate::device::{Cause, Device, Launch, Memory, Outcome, Part, Program, Refusal, Residence};
use crate::fold::{Captured, Launches, Moves, Site, TakeOfTask, refused};
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

/// Runs the statements of a task on the host, and computes for each launch the number of positions and the values that they read.
#[doc(hidden)]
pub type Describe<'o, const D: usize> = dyn Fn(&Candidate<'_, D>, &'static Program, &mut Run<'_>) + 'o;

/// The tasks of a region, for a device or for the workers.
#[doc(hidden)]
#[allow(missing_debug_implementations)] // It holds a closure.
pub struct Launched<'o, 'r, const D: usize> {
    opened: &'o Opened<'r, D>,
    site: &'static Site,
    /// The number of each array's object.
    objects: &'o [usize],
    overflow: bool,
    /// Whether a task may take several launches.
    several: bool,
    describe: &'o Describe<'o, D>,
}

impl<'r, const D: usize> Opened<'r, D> {
    /// Launches of the tasks. `objects` has the number of each array's object. The flags are whether the build has overflow checks, and whether
    /// a task may take several launches.
    pub fn launches<'o>(
        &'o self,
        site: &'static Site,
        objects: &'o [usize],
        [overflow, several]: [bool; 2],
        describe: &'o Describe<'o, D>,
    ) -> Launched<'o, 'r, D> {
        Launched { opened: self, site, objects, overflow, several, describe }
    }
}

impl<const D: usize> Launches for Launched<'_, '_, D> {
    fn overflow(&self) -> bool {
        self.overflow
    }

    fn missing(&self, device: &dyn Device) -> [u64; 2] {
        let tasks = self.opened.tasks();
        let (mut there, mut back, mut seen) = (0, 0, Vec::new());
        for window in (0..tasks.count()).flat_map(|number| tasks.candidate(number, self.objects).windows) {
            // SAFETY: the region is open.
            match unsafe { window.missing(device) } {
                Some((allocation, _)) if seen.contains(&allocation) => {}
                Some((allocation, [up, down])) => {
                    seen.push(allocation);
                    (there, back) = (there + up, back + down);
                }
                None => there += 2 * window.bytes(window.area) as u64,
            }
        }
        [there, back]
    }

    fn run(&self, call: &Call, device: &dyn Device, bins: &[Vec<u8>], take: &mut TakeOfTask<'_>) -> bool {
        let tasks = self.opened.tasks();
        if !self.several {
            return (0..tasks.count()).all(|number| self.task(number, call, device, bins, None, take));
        }
        let candidates: Vec<_> = (0..tasks.count()).map(|number| tasks.candidate(number, self.objects)).collect();
        // SAFETY: the region is open, and no task is running.
        let before = match unsafe { Before::of(&candidates, device) } {
            Ok(before) => before,
            Err(refusal) => {
                refused(call, self.site.name, &refusal);
                return false;
            }
        };
        let mut outcomes = Vec::new();
        let mut keep = |program: &'static Program, outcome: Outcome| outcomes.push((program, outcome));
        let ran = (0..tasks.count()).all(|number| self.task(number, call, device, bins, Some(&before), &mut keep));
        match ran {
            true => outcomes.into_iter().for_each(|(program, outcome)| take(program, outcome)),
            false => {
                // SAFETY: as before.
                unsafe { before.restore() };
                tasks.begin_again();
            }
        }
        ran
    }

    fn leave(&self) {
        // SAFETY: the region is open, and the drivers of the loop call this before they run the body.
        unsafe { self.opened.tasks().bring_back() };
    }

    fn moves(&self) -> Option<&dyn Moves> {
        self.opened.tasks().moves()
    }
}

impl<const D: usize> Launched<'_, '_, D> {
    /// Runs a task. Returns whether it has run. `before`: a part of it may have run, and all boxes stay on the device.
    fn task(
        &self,
        number: usize,
        call: &Call,
        device: &dyn Device,
        bins: &[Vec<u8>],
        before: Option<&Before<'_>>,
        take: &mut TakeOfTask<'_>,
    ) -> bool {
        let (tasks, name) = (self.opened.tasks(), self.site.name);
        let Ok(program) = &self.site.program else { return false };
        let timed = call.context().settings().backend == Backend::Auto;
        let candidate = tasks.candidate(number, self.objects);
        let mut ran = Ok(None);
        (self.describe)(&candidate, program, &mut |positions, captured| {
            if positions == 0 || !matches!(ran, Ok(None)) {
                return;
            }
            let launch = (positions, tasks.is_proved(number), bins, timed);
            // SAFETY: the region is open, no task is running, and only this thread accesses the memory. The expansion and the probes have
            // checked the types.
            ran = unsafe { candidate.run(device, &captured, launch, before) }.map(|outcome| {
                let raised = outcome.raised;
                if raised.is_none() {
                    take(captured.program(), outcome);
                }
                raised
            });
        });
        match ran {
            Ok(None) => {
                tasks.skip(number);
                return true;
            }
            Ok(Some((position, cause))) if matches!(cause, Cause::Wide | Cause::Trips) => {
                refused(call, name, &Refusal::Cannot(format!("element {position} of a task needs {cause}")));
            }
            // The workers panic as the sequential loop does.
            Ok(Some(_)) => {}
            Err(refusal) => refused(call, name, &refusal),
        }
        false
    }
}

/// The boxes of tasks before their first launch, in case a later one fails. Allocations that the device has stay there.
struct Before<'b> {
    resident: Vec<&'b Residence>,
    written: Vec<(&'b Residence, Option<Box<dyn Memory>>)>,
    lent: Vec<(&'b Window, Vec<u8>)>,
}

impl<'b> Before<'b> {
    /// # Safety
    /// The region of these tasks is open, and no task is running.
    unsafe fn of<const D: usize>(tasks: &'b [Candidate<'b, D>], device: &dyn Device) -> Result<Self, Refusal> {
        let mut before = Before { resident: Vec::new(), written: Vec::new(), lent: Vec::new() };
        for window in tasks.iter().flat_map(|task| &task.windows).copied() {
            // SAFETY: the caller's promise.
            let Some(residence) = (unsafe { window.residence(device) }) else {
                if window.writes {
                    // SAFETY: the caller's promise.
                    before.lent.push((window, unsafe { window.bytes_of_lent() }));
                }
                continue;
            };
            let is_same = |other: &Residence| std::ptr::eq(other, residence);
            if !before.resident.iter().any(|other| is_same(other)) {
                before.resident.push(residence);
            }
            if window.writes && !before.written.iter().any(|(other, _)| is_same(other)) {
                let copy = residence.remember();
                before.written.push((residence, copy.map_err(|refusal| Refusal::Cannot(refusal.to_string()))?));
            }
        }
        Ok(before)
    }

    /// # Safety
    /// As for [`Before::of`].
    unsafe fn restore(self) {
        self.written.into_iter().for_each(|(residence, memory)| residence.restore(memory));
        for (window, bytes) in self.lent {
            // SAFETY: the caller's promise.
            unsafe { window.set_bytes_of_lent(&bytes) };
        }
    }
}

impl<const D: usize> Candidate<'_, D> {
    /// Runs the task. If the memory of the device is full, allocations leave it that it has not used for the longest time, and last
    /// those of the task, which the device then receives and returns.
    ///
    /// # Safety
    /// The region is open, none of its tasks is running, and the windows have elements of the program's types.
    unsafe fn run(
        &self,
        device: &dyn Device,
        captured: &Captured<'_>,
        (positions, proved, bins, timed): (usize, bool, &[Vec<u8>], bool),
        before: Option<&Before<'_>>,
    ) -> Result<Outcome, Refusal> {
        let tables = captured.tables()?;
        let launch = |arrays: &[Part<'_>]| {
            let launch = Launch { bins, timed, ..captured.launch(0..positions, proved, arrays, &tables) };
            // SAFETY: the caller's promise.
            unsafe { device.run(&launch) }
        };
        // SAFETY: the caller's promise.
        let arrays: Vec<Part<'_>> = self.windows.iter().map(|window| unsafe { window.part(device) }).collect();
        let mut used: Vec<&Residence> = arrays.iter().filter_map(|part| Some(part.share?.residence)).collect();
        used.extend(before.iter().flat_map(|before| &before.resident));
        loop {
            match launch(&arrays) {
                Err(Refusal::Failed(reason) | Refusal::TooMuch(reason)) => {
                    // SAFETY: no task is running.
                    if unsafe { evict(&used) } {
                        continue;
                    }
                    if before.is_some() {
                        return Err(Refusal::Cannot(reason));
                    }
                    break;
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
