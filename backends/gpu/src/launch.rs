//! One loop of one call: up, through its passes, and back.
//!
//! # The files, each naming only those before it
//! `region` (buffers), `windows`, `spread` (the shape in which a program runs), `run` (a launch while it runs), `read`, `upload`, `passes` and
//! `download`.

mod download;
mod passes;
mod read;
mod region;
mod run;
mod spread;
mod upload;
mod windows;

use crate::bins;
use crate::gpu::{Gpu, Kept};
use crate::probe;
use crate::sync::lock;
use crate::text::shape::{Shape, TURNS_ALONE, Walk, folds};
use crate::ways::{LookBack, Ways};
use forall_core::device::{Cause, Launch, Outcome, Refusal};
use run::Run;
use spread::rows;

impl Gpu {
    /// See [`Device::run`](forall_core::device::Device::run).
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn launch(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        let program = launch.program;
        let count = launch.positions.len();
        if launch.positions.end >= u32::MAX as usize || count > (u32::MAX - 0xffff) as usize {
            return Err(Refusal::Cannot(format!(
                "{} numbers at most 4,294,901,760 iterations; here are {count}",
                self.processor.name
            )));
        }
        if let Some(part) = launch.arrays.iter().find(|part| part.len >= u32::MAX as usize) {
            return Err(Refusal::Cannot(format!("{} numbers no array of {} elements", self.processor.name, part.len)));
        }
        if count == 0 && !folds(program) && program.bins.is_empty() {
            return Ok(Outcome { pushes: vec![Vec::new(); program.pushes.len()], ..Outcome::default() });
        }
        self.processor.broken()?;
        let plain = !folds(program) && program.pushes.is_empty();
        let ways = if plain { Ways::ALL } else { *self.ways.get_or_init(|| probe::ways(self)) };
        // SAFETY: as the caller promises.
        unsafe { self.launch_in(ways, launch) }
    }

    /// The same, in these ways.
    ///
    /// # Safety
    /// As there.
    pub(crate) unsafe fn launch_in(&self, ways: Ways, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        let count = launch.positions.len();
        let shape = self.shape(launch, ways)?;
        // SAFETY: as the caller promises.
        let outcome = unsafe { self.attempt(launch, shape)? };
        match (outcome.raised, shape.turns) {
            // Nothing was written. A lane that is alone in its workgroup has more turns.
            (Some((_, Cause::Trips)), Some(_)) => {
                let alone = Shape {
                    walk: Walk::Runs,
                    group: 1,
                    each: 1,
                    turns: Some(TURNS_ALONE),
                    shared: 0,
                    subgroups: false,
                    look_back: LookBack::No,
                    ..shape
                };
                if rows(launch, alone.each, shape.native.long) > bins::most_cells(count as u64) {
                    return Ok(outcome);
                }
                // SAFETY: as above.
                unsafe { self.attempt(launch, alone) }
            }
            _ => Ok(outcome),
        }
    }

    /// One run of the launch.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    unsafe fn attempt(&self, launch: &Launch<'_>, shape: Shape) -> Result<Outcome, Refusal> {
        let mut kept = lock(&self.kept);
        let Kept { shaders, memory } = &mut *kept;
        memory.begin();
        let mut run = Run::new(&self.processor, launch, shape, memory, shaders)?;
        run.prepare()?;
        // SAFETY: the parts are memory that nothing else touches, as the caller promises.
        let resident = unsafe { run.upload()? };
        // SAFETY: as above.
        let outcome = unsafe { run.compute(&resident) };
        if !matches!(outcome, Ok(Outcome { raised: None, .. })) {
            run.take_back(&resident);
        }
        let outcome = outcome?;
        run.end();
        Ok(outcome)
    }
}
