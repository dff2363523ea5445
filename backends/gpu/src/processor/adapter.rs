//! Which graphics processor a rank takes.

use crate::error::GpuError;
use crate::sync::block_on;
#[cfg(not(target_os = "linux"))]
use wgpu::InstanceDescriptor;
use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceFlags};
#[cfg(target_os = "linux")]
use wgpu::{BackendOptions, MemoryBudgetThresholds};

/// Which graphics processor to take, of those that the machine has.
///
/// They are numbered as [`Gpu::list`](crate::Gpu::list) names them: dedicated ones first, those that compute on the host's
/// processor last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The one with this number.
    Index(usize),
    /// The first whose name has this in it; case does not matter.
    Name(String),
    /// The ranks of a machine, which have these numbers on it, share the best kind of processors in turn.
    LocalRank(usize),
}

impl Choice {
    /// The user's text: a number, or a part of the name.
    pub fn parse(text: &str) -> Choice {
        match text.trim().parse() {
            Ok(index) => Choice::Index(index),
            Err(_) => Choice::Name(text.trim().to_owned()),
        }
    }
}

/// The adapters of this machine, the best first.
pub(crate) fn all() -> Vec<Adapter> {
    let mut adapters =
        instance().map_or_else(Vec::new, |instance| block_on(instance.enumerate_adapters(Backends::all())));
    adapters.sort_by_key(|adapter| rank(adapter.get_info().device_type));
    adapters
}

#[cfg(not(target_os = "linux"))]
fn instance() -> Option<Instance> {
    Some(Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN | Backends::METAL | Backends::DX12,
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    }))
}

/// Vulkan without Wayland. Where an instance has both, Mesa's layer that chooses devices looks for a Wayland server, and its library prints
/// `error: XDG_RUNTIME_DIR is invalid` for each processor on a machine without one.
#[cfg(target_os = "linux")]
fn instance() -> Option<Instance> {
    use ash::khr::wayland_surface;
    use wgpu::hal;
    let descriptor = hal::InstanceDescriptor {
        name: "forall",
        flags: InstanceFlags::empty(),
        memory_budget_thresholds: MemoryBudgetThresholds::default(),
        backend_options: BackendOptions::default(),
        telemetry: None,
        display: None,
    };
    let without_wayland: Box<hal::vulkan::CreateInstanceCallback<'_>> =
        Box::new(|arguments| arguments.extensions.retain(|name| *name != wayland_surface::NAME));
    // SAFETY: the extension that is left out is for windows alone: wgpu-hal asks whether it is there before it makes a surface with it, and
    // no other extension needs it. The instance is used by wgpu alone.
    let made = unsafe { hal::vulkan::Instance::init_with_callback(&descriptor, Some(without_wayland)) };
    match made {
        // SAFETY: it was made just now, and nothing else has it.
        Ok(made) => Some(unsafe { Instance::from_hal::<hal::api::Vulkan>(made) }),
        Err(error) => {
            tracing::debug!(%error, "no Vulkan");
            None
        }
    }
}

fn rank(kind: DeviceType) -> u32 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

/// One of the adapters.
pub(crate) fn choose(mut adapters: Vec<Adapter>, choice: &Choice) -> Result<Adapter, GpuError> {
    let infos: Vec<_> = adapters.iter().map(Adapter::get_info).collect();
    let names = || infos.iter().map(|info| info.name.clone()).collect::<Vec<_>>();
    let Some(best) = infos.first() else {
        return Err(GpuError::None);
    };
    let index = match choice {
        Choice::Index(index) if *index < infos.len() => *index,
        Choice::Index(index) => return Err(GpuError::Index { index: *index, names: names() }),
        Choice::Name(part) => {
            let part = part.to_lowercase();
            let found = infos.iter().position(|info| info.name.to_lowercase().contains(&part));
            found.ok_or_else(|| GpuError::Name { part: part.clone(), names: names() })?
        }
        Choice::LocalRank(local) => {
            // One processor may be there twice, by two interfaces; those of the first have it once.
            let alike = |info: &wgpu::AdapterInfo| (info.device_type, info.backend) == (best.device_type, best.backend);
            let of_this_kind: Vec<usize> = (0..infos.len()).filter(|index| alike(&infos[*index])).collect();
            of_this_kind[local % of_this_kind.len()]
        }
    };
    Ok(adapters.swap_remove(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_indices_and_other_words_names() {
        assert_eq!(Choice::parse(" 2 "), Choice::Index(2));
        assert_eq!(Choice::parse("NVIDIA"), Choice::Name("NVIDIA".into()));
    }

    #[test]
    fn without_adapters_there_is_none_to_choose() {
        assert!(matches!(choose(Vec::new(), &Choice::LocalRank(0)), Err(GpuError::None)));
    }
}
