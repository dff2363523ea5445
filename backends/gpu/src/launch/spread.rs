//! How a program is spread over a device.

use crate::bins;
use crate::gpu::Gpu;
use crate::layout;
use crate::library::Native;
use crate::probe;
use crate::sync::lock;
use crate::text::kernels;
use crate::text::lanes;
use crate::text::shape::{Shape, TURNS, Walk, folds};
use crate::text::words;
use crate::ways::{LookBack, Ways};
use forall_core::device::{Bins, Launch, Program, Refusal};

/// Invocations of a workgroup, where the device allows so many.
const GROUP: u32 = 256;

/// The most words of histograms that a workgroup holds, and the most positions that it has an invocation take for them.
const NEAR: u64 = 4096;

const LONG: u32 = 64;

/// Positions of an invocation: so many that it waits for several of them at once, and, where something is merged after them,
/// that this is little beside them.
const EACH_OF_MAPS: u32 = 4;

const EACH_OF_FOLDS: u32 = 16;

const EACH_OF_RUNS: u32 = 8;

/// Where there are fewer positions than this, more workgroups at a time are worth more than that.
const FEW: usize = 1 << 17;

/// The most bytes of its memory that a workgroup takes, so that several find room beside each other.
const ROOM: u64 = 20 << 10;

/// The histograms of a launch, with how many bins each has.
pub(super) fn bins_of<'a>(launch: &'a Launch<'_>) -> impl Iterator<Item = (&'static Bins, u64)> + 'a {
    let program: &'static Program = launch.program;
    program.bins.iter().zip(launch.bins).map(|(of, bytes)| (of, (bytes.len() / of.element.size().max(1)) as u64))
}

/// The bytes of a cell of a row.
pub(super) fn cell_size(of: &Bins) -> u64 {
    layout::held(of.element).1 as u64
}

/// How many cells the rows of all histograms have, where an invocation takes so many positions.
pub(super) fn rows(launch: &Launch<'_>, each: u32, long: bool) -> u64 {
    let rows = (launch.positions.len() as u64).div_ceil(u64::from(each)).max(1);
    let cells =
        bins_of(launch).filter(|(of, _)| bins::way(of, long) == bins::Way::Rows).map(|(_, count)| count).sum::<u64>();
    // One row is there in any case.
    if rows == 1 { 0 } else { rows * cells }
}

impl Gpu {
    /// How a program is spread over this device.
    pub(super) fn shape(&self, launch: &Launch<'_>, ways: Ways) -> Result<Shape, Refusal> {
        let program = launch.program;
        let limits = &self.processor.limits;
        let group = GROUP.min(limits.max_compute_invocations_per_workgroup).min(limits.max_compute_workgroup_size_x);
        let most_lanes = 1 << group.ilog2();
        // A simulated device counts all turns of an invocation together, so that one with loops gets one position.
        let long = self.processor.long();
        let facts = lock(&self.kept).shaders.facts(program, long);
        let loops = facts.loops;
        let merges = folds(program) || !program.pushes.is_empty() || !program.bins.is_empty();
        let (_, state) = layout::state(program.state);
        let fits = |group: u32, each: u32| {
            kernels::room(program, group, each, state as u64)
                <= ROOM.min(limits.max_compute_workgroup_storage_size.into())
        };
        let few = launch.positions.len() < FEW;
        let (mut walk, mut group, mut each) =
            (Walk::Tiles, most_lanes, if merges { EACH_OF_FOLDS } else { EACH_OF_MAPS });
        if few {
            each /= 4;
        }
        while each > 1 && !fits(group, each) {
            each /= 2;
        }
        while group > 32 && !fits(group, each) {
            group /= 2;
        }
        if !ways.tiles || (self.processor.simulated && loops) || !fits(group, each) || !facts.in_tiles {
            (walk, group) = (Walk::Runs, most_lanes);
            each = if merges && !(self.processor.simulated && loops) { EACH_OF_RUNS } else { 1 };
        }
        let most = bins::most_cells(launch.positions.len() as u64);
        while rows(launch, each, long) > most {
            each *= 2;
        }
        if u64::from(each) > bins::LONGEST {
            return Err(Refusal::Cannot(format!(
                "floats, and what else is merged in order, are put into so many bins ({}) that {} would hold too many copies of them",
                bins_of(launch).map(|(_, count)| count).sum::<u64>(),
                self.processor.name
            )));
        }
        // In the memory of a workgroup where that is worth the way back.
        let near = bins_of(launch).map(|(of, count)| match bins::way(of, long) {
            // Only the device's memory has them.
            bins::Way::Long => u64::MAX >> 32,
            _ => bins::words(of, long) as u64 * count,
        });
        let near = near.sum::<u64>();
        let taken = if walk == Walk::Tiles { kernels::room(program, group, each, state as u64) } else { 0 };
        let room = (u64::from(limits.max_compute_workgroup_storage_size).saturating_sub(taken) / 4).min(NEAR);
        while each > 1 && each < LONG && near <= room && u64::from(group * each) < 4 * near && fits(group, 2 * each) {
            each *= 2;
        }
        let shared = match near > 0 && near <= room && near <= u64::from(group * each) {
            true => near.next_power_of_two().max(256).min(room) as u32,
            false => 0,
        };
        let most = limits.max_compute_workgroup_storage_size as usize / state.max(1);
        if most == 0 {
            return Err(Refusal::Cannot(format!("a state of {state} bytes is too large for {}", self.processor.name)));
        }
        let native = match facts.rounds {
            true => *self.native.get_or_init(|| probe::native(self)),
            // It does not matter.
            false => Native { single: true, double: true, zero: true, long },
        };
        // A driver that is not told what to keep makes of floats what it likes.
        let told = self.processor.device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS);
        let zero = !(facts.zeros && told) || *self.zeros.get_or_init(|| probe::keeps_zeros(self));
        let native = Native { zero, ..native };
        let fold = most_lanes.min(1 << most.min(1 << 16).ilog2());
        let turns = self.processor.simulated.then_some(TURNS - 4 * each.min(256));
        let uniform = 4 * words::total(program) as u64 + 16 <= limits.max_uniform_buffer_binding_size;
        let subgroups = ways.subgroups && lanes::shuffles(program);
        let look_back = match walk {
            Walk::Tiles if facts.looks_back => ways.look_back,
            _ => LookBack::No,
        };
        let window = limits.max_storage_buffer_binding_size.ilog2();
        Ok(Shape { walk, group, each, fold, turns, shared, uniform, subgroups, look_back, native, window })
    }
}
