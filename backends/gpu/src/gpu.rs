//! A graphics processor beside another node, and what it keeps from launch to launch.

use crate::error::GpuError;
use crate::library::Native;
use crate::memory::pool::Memory;
use crate::processor::Processor;
use crate::processor::adapter::{self, Choice};
use crate::shader::Shaders;
use crate::sort::kernels::Sorters;
use crate::ways::{Room, Ways};
use forall_core::device::Costs;
use forall_core::node::Node;
use std::sync::{Mutex, OnceLock};
use wgpu::Features;

/// A graphics processor, beside the node for the loops that it does not run.
///
/// Several threads may launch loops on one; they take turns.
pub struct Gpu {
    pub(crate) cpu: Box<dyn Node>,
    pub(crate) processor: Processor,
    /// The operations that it computes as Rust does; tested when a loop depends on it.
    pub(crate) native: OnceLock<Native>,
    /// Whether it keeps the signs of zeros; found out when a loop has a zero in it.
    pub(crate) zeros: OnceLock<bool>,
    /// The ways in which it runs kernels; found out when a loop has something to fold.
    pub(crate) ways: OnceLock<Ways>,
    /// The cost of using it; measured when there is a choice.
    pub(crate) costs: OnceLock<Costs>,
    pub(crate) kept: Mutex<Kept>,
    /// The sort of numbers.
    pub(crate) sorters: Sorters,
}

/// The values that outlive a launch.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) shaders: Shaders,
    pub(crate) memory: Memory,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("name", &self.processor.name).field("cpu", &self.cpu.name()).finish_non_exhaustive()
    }
}

impl Gpu {
    /// The names of the graphics processors of this machine, in the order in which [`Choice::Index`] numbers them.
    pub fn list() -> Vec<String> {
        adapter::all().iter().map(|adapter| adapter.get_info().name).collect()
    }

    /// Opens the graphics processor of the choice. `cpu` runs the loops that it does not.
    ///
    /// # Errors
    /// Where there is no such processor, or the driver refuses it.
    pub fn open(cpu: Box<dyn Node>, choice: &Choice) -> Result<Gpu, GpuError> {
        Self::open_within(cpu, choice, Room::default())
    }

    /// The same with less room than there is, to see what happens where data are larger.
    #[doc(hidden)]
    pub fn open_within(cpu: Box<dyn Node>, choice: &Choice, room: Room) -> Result<Gpu, GpuError> {
        Ok(Gpu {
            cpu,
            processor: Processor::open(choice, room)?,
            native: OnceLock::new(),
            zeros: OnceLock::new(),
            ways: OnceLock::new(),
            costs: OnceLock::new(),
            kept: Mutex::default(),
            sorters: Sorters::default(),
        })
    }

    /// Loses the device, to see what happens then.
    #[doc(hidden)]
    pub fn lose(&self) {
        self.processor.device.destroy();
    }

    /// Whether the device is lost: its driver has failed. Another one has to be opened.
    pub fn is_lost(&self) -> bool {
        self.processor.broken().is_err()
    }

    /// Its description by wgpu: for measurements.
    #[doc(hidden)]
    pub fn raw(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.processor.device, &self.processor.queue)
    }

    /// Whether it has what these ways need.
    #[doc(hidden)]
    pub fn has(&self, ways: Ways) -> bool {
        !ways.subgroups || (self.processor.even && self.processor.device.features().contains(Features::SUBGROUP))
    }

    /// It in these ways, whatever it would choose: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn in_ways(mut self, ways: Ways) -> Gpu {
        self.ways = OnceLock::from(ways);
        self
    }
}
