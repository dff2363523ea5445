//! A graphics processor, opened: its device and its queue, and what its driver says of it.

pub(crate) mod adapter;
pub(crate) mod controls;

use crate::error::GpuError;
use crate::sync::{block_on, lock};
use crate::ways::Room;
use adapter::Choice;
use controls::Control;
use forall_core::device::Refusal;
use std::sync::{Arc, Mutex, OnceLock};
use wgpu::{DeviceDescriptor, DeviceType, Features};

/// An opened graphics processor.
pub(crate) struct Processor {
    pub name: String,
    /// Whether the host's own processor plays the graphics processor.
    pub simulated: bool,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: wgpu::Limits,
    /// The promises of its driver about floats.
    pub controls: Vec<Control>,
    /// Whether it is a card of its own, and whether all its subgroups have as many lanes.
    pub discrete: bool,
    pub even: bool,
    /// The error that no call could return: the device is of no use from then on.
    pub broken: Arc<Mutex<Option<String>>>,
    /// Its greatest use.
    pub room: Room,
    /// The kernel that picks elements out of shares; made at its first use.
    pub picker: Arc<OnceLock<wgpu::ComputePipeline>>,
}

impl Processor {
    /// Opens the graphics processor of the choice, for use within this room.
    pub(crate) fn open(choice: &Choice, room: Room) -> Result<Processor, GpuError> {
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
        Ok(Processor {
            name: info.name,
            simulated: info.device_type == DeviceType::Cpu,
            controls,
            discrete: info.device_type == DeviceType::DiscreteGpu,
            even: info.subgroup_min_size == info.subgroup_max_size,
            limits: device.limits(),
            device,
            queue,
            broken,
            room,
            picker: Arc::default(),
        })
    }

    /// Whether it has atomic minima and maxima of 64 bits.
    pub(crate) fn long(&self) -> bool {
        self.device.features().contains(Features::SHADER_INT64_ATOMIC_MIN_MAX)
    }

    /// The reason for which it was last lost.
    pub(crate) fn broken(&self) -> Result<(), Refusal> {
        match &*lock(&self.broken) {
            Some(message) => Err(Refusal::Failed(format!("{}: {message}", self.name))),
            None => Ok(()),
        }
    }

    /// Does `work`, and says what the driver has against it.
    pub(crate) fn guarded<T>(&self, work: impl FnOnce() -> T) -> Result<T, Refusal> {
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
