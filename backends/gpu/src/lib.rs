//! The gpu node: loops that were translated run on a graphics processor, all others on the node that it wraps.
//!
//! # What is the same as in Rust
//! Integers, casts, and the operations on floats that IEEE 754 defines (additions, products, remainders, roundings,
//! comparisons) give what Rust gives, or a panic. So do quotients and square roots that the library computes: where the device
//! does not round them to the nearest, which Vulkan does not demand, by integers (see `probe`). Elementary functions (sines, powers, ..) are off by some units in the last place.
//! Floats that are added up over iterations are added in another order than on the host, the same one each time.
//!
//! # Contents
//! By file: `adapter` chooses the processor, `memory` holds its buffers and `residence` the shares that stay there, `transfer` moves bytes there and back, `pick` some of a
//! share's elements, `layout` says
//! how values lie in them and `bins` how histograms do, `shader` makes pipelines of programs with the text that `template`, `kernels`, `look_back` and `library` put around them,
//! `spirv` says it to drivers of Vulkan (which promise what `controls` finds), `probe` tries what the device rounds as Rust
//! does, and `launch` runs loops.

mod adapter;
mod bins;
mod controls;
mod kernels;
mod launch;
mod layout;
mod library;
mod look_back;
mod memory;
mod pick;
mod probe;
mod residence;
mod shader;
mod spirv;
mod template;
mod transfer;

pub use adapter::Choice;

use forall_core::device::{Costs, Device, Launch, Outcome, Refusal};
use forall_core::node::Node;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use wgpu::{DeviceDescriptor, DeviceType, Features};

/// Why there is no gpu node.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The machine has none.
    #[error(
        "there is no graphics processor here that Vulkan, Metal or DirectX 12 knows; on Linux, is a Vulkan driver installed?"
    )]
    None,
    /// The one that was asked for is not there.
    #[error("there is no graphics processor {index}; this machine has {}", listed(names))]
    Index {
        /// What was asked for.
        index: usize,
        /// Those that are there.
        names: Vec<String>,
    },
    /// None has the name that was asked for.
    #[error("no graphics processor is called `{part}`; this machine has {}", listed(names))]
    Name {
        /// What was asked for.
        part: String,
        /// Those that are there.
        names: Vec<String>,
    },
    /// The driver gives no access to it.
    #[error("the graphics processor {name} cannot be used: {reason}")]
    Denied {
        /// The processor.
        name: String,
        /// What the driver says.
        reason: String,
    },
}

fn listed(names: &[String]) -> String {
    let numbered: Vec<String> =
        names.iter().enumerate().map(|(index, name)| format!("{name} (number {index})")).collect();
    numbered.join(", ")
}

/// How much a device is to be used for at once, at the most.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes of an array that a kernel looks at.
    pub binding: u64,
    /// Bytes that lie together.
    pub buffer: u64,
    /// Workgroups in a row.
    pub groups: u32,
    /// Bytes for which it has memory left.
    pub memory: u64,
}

impl Default for Room {
    fn default() -> Self {
        Room { binding: u64::MAX, buffer: u64::MAX, groups: u32::MAX, memory: u64::MAX }
    }
}

/// A graphics processor, beside the node for the loops that it does not run.
///
/// Several threads may launch loops on one; they take turns.
pub struct Gpu {
    cpu: Box<dyn Node>,
    name: String,
    /// Whether the host's own processor plays the graphics processor.
    simulated: bool,
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: wgpu::Limits,
    /// What its driver promises about floats.
    controls: Vec<controls::Control>,
    /// What it computes as Rust does; found out when a loop depends on it.
    native: OnceLock<library::Native>,
    /// Whether it keeps the signs of zeros; found out when a loop has a zero in it.
    zeros: OnceLock<bool>,
    /// Whether it is a card of its own, and whether all its subgroups have as many lanes.
    discrete: bool,
    even: bool,
    /// The ways in which it runs kernels; found out when a loop has something to fold.
    ways: OnceLock<Ways>,
    /// What went wrong where no call could say so: the device is of no use from then on.
    broken: Arc<Mutex<Option<String>>>,
    /// What it is to be used for at the most.
    room: Room,
    /// What it takes to use it; found out when there is a choice.
    costs: OnceLock<Costs>,
    kept: Mutex<Kept>,
    /// What picks elements out of shares; made when some are asked for.
    picker: Arc<OnceLock<wgpu::ComputePipeline>>,
}

/// Ways to run kernels that are faster where they work. All give the same results.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ways {
    /// Workgroups take tiles of positions, where a program can.
    pub tiles: bool,
    /// The lanes of a subgroup hand what they fold to each other.
    pub subgroups: bool,
    /// Scans of what is exact in any order read their input once.
    pub look_back: LookBack,
}

/// Whether tiles look back.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LookBack {
    /// They do not.
    No,
    /// They do.
    Yes,
    /// They do, and every third tile tells nothing, so that others have to help: for tests.
    Shy,
}

impl Ways {
    /// What every device can.
    pub const ALL: Ways = Ways { tiles: true, subgroups: false, look_back: LookBack::No };
}

/// What outlives a launch.
#[derive(Default)]
struct Kept {
    shaders: shader::Shaders,
    memory: memory::Memory,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("name", &self.name).field("cpu", &self.cpu.name()).finish_non_exhaustive()
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
        let adapter = adapter::choose(adapter::all(), choice)?;
        let info = adapter.get_info();
        let mut wanted = Features::SHADER_INT64 | Features::SHADER_F64 | Features::SUBGROUP;
        wanted |= Features::SHADER_INT64_ATOMIC_MIN_MAX;
        if info.backend == wgpu::Backend::Vulkan {
            wanted |= Features::PASSTHROUGH_SHADERS;
        }
        let mut limits = adapter.limits();
        limits.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size.min(room.binding);
        limits.max_buffer_size = limits.max_buffer_size.min(room.buffer);
        limits.max_compute_workgroups_per_dimension = limits.max_compute_workgroups_per_dimension.min(room.groups);
        let descriptor = DeviceDescriptor {
            label: Some("forall"),
            required_features: adapter.features() & wanted,
            required_limits: limits,
            ..DeviceDescriptor::default()
        };
        let controls = controls::of(&adapter);
        let (device, queue) = block_on(adapter.request_device(&descriptor))
            .map_err(|error| GpuError::Denied { name: info.name.clone(), reason: error.to_string() })?;
        let broken = Arc::new(Mutex::new(None));
        let lost = Arc::clone(&broken);
        device.set_device_lost_callback(move |reason, message| {
            // It comes too when a device is dropped, after which nobody asks.
            lock(&lost).get_or_insert(format!("the device is lost ({reason:?}): {message}"));
        });
        let uncaptured = Arc::clone(&broken);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            tracing::error!(%error, "an error of the graphics processor");
            lock(&uncaptured).get_or_insert(error.to_string());
        }));
        tracing::debug!(name = %info.name, driver = %info.driver, backend = %info.backend, ?controls, "opened a graphics processor");
        Ok(Gpu {
            cpu,
            name: info.name,
            simulated: info.device_type == DeviceType::Cpu,
            controls,
            native: OnceLock::new(),
            zeros: OnceLock::new(),
            discrete: info.device_type == DeviceType::DiscreteGpu,
            even: info.subgroup_min_size == info.subgroup_max_size,
            ways: OnceLock::new(),
            limits: device.limits(),
            device,
            queue,
            broken,
            room,
            picker: Arc::default(),
            costs: OnceLock::new(),
            kept: Mutex::default(),
        })
    }

    /// Loses the device, to see what happens then.
    #[doc(hidden)]
    pub fn lose(&self) {
        self.device.destroy();
    }

    /// What it is to wgpu: for measurements.
    #[doc(hidden)]
    pub fn raw(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }

    /// Whether it has what these ways need.
    #[doc(hidden)]
    pub fn has(&self, ways: Ways) -> bool {
        !ways.subgroups || (self.even && self.device.features().contains(Features::SUBGROUP))
    }

    /// It in these ways, whatever it would choose: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn in_ways(mut self, ways: Ways) -> Gpu {
        self.ways = OnceLock::from(ways);
        self
    }

    /// What it was last lost by.
    fn broken(&self) -> Result<(), Refusal> {
        match &*lock(&self.broken) {
            Some(message) => Err(Refusal::Failed(format!("{}: {message}", self.name))),
            None => Ok(()),
        }
    }

    /// Does `work`, and says what the driver has against it.
    fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, Refusal> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let scopes = [OutOfMemory, Internal, Validation].map(|filter| self.device.push_error_scope(filter));
        let done = work();
        // They are popped in the reverse order.
        let [memory, internal, validation] = scopes;
        let validation = block_on(validation.pop());
        let internal = block_on(internal.pop());
        let memory = block_on(memory.pop());
        match (memory, validation.or(internal)) {
            (Some(_), _) => Err(Refusal::Failed(format!("{} has no memory left", self.name))),
            (None, Some(error)) => Err(Refusal::Cannot(error.to_string())),
            (None, None) => Ok(done),
        }
    }
}

impl Node for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn workers(&self) -> usize {
        self.cpu.workers()
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        self.cpu.run(workers, work);
    }

    fn may_have_device(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn Device> {
        Some(self)
    }
}

// SAFETY: kernels are translations of loops whose types were verified, and their elements are decoded as those types.
unsafe impl Device for Gpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn simulated(&self) -> bool {
        self.simulated
    }

    fn costs(&self) -> Costs {
        *self.costs.get_or_init(|| transfer::costs(self).unwrap_or_default())
    }

    fn holds(&self, bytes: usize) -> bool {
        // Beside it, there is room for a halo.
        bytes as u64 + bytes as u64 / 8 + 4096 <= self.limits.max_buffer_size
    }

    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        // SAFETY: as the caller promises.
        unsafe { self.launch(launch) }
    }
}

/// The value of a mutex, also after a panic of another thread: what is in it is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the futures of wgpu, which are ready at once except in browsers.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
