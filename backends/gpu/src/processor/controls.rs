//! The promises of a Vulkan driver about floats, on request.

/// A promise: a mode of SPIR-V, the capability that it needs, and the bits of the floats that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Control {
    pub mode: u32,
    pub capability: u32,
    pub bits: u32,
}

/// Numbers that are nearly zero stay what they are.
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
const SMALL: (u32, u32) = (4459, 4464);
/// So do the sign of zero, infinities, and what is no number.
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
const SPECIAL: (u32, u32) = (4461, 4466);
/// Results are the nearest there are, and the even one of two.
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
const NEAREST: (u32, u32) = (4462, 4467);

/// Those that the driver of this adapter makes.
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
pub(crate) fn of(adapter: &wgpu::Adapter) -> Vec<Control> {
    use ash::vk;
    // SAFETY: the handles are used while the adapter lives, and nothing of it is changed.
    let Some(known) = (unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }) else {
        return Vec::new();
    };
    // Before that it is an extension, which wgpu does not turn on.
    if known.physical_device_capabilities().properties().api_version < vk::API_VERSION_1_2 {
        return Vec::new();
    }
    let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut floats);
    let instance = known.shared_instance().raw_instance();
    // SAFETY: the device is of this instance, and the chain holds structures that Vulkan 1.2 knows.
    unsafe { instance.get_physical_device_properties2(known.raw_physical_device(), &mut properties) };
    let mut promised = Vec::new();
    let mut add = |(mode, capability): (u32, u32), one: vk::Bool32, two: vk::Bool32, free: bool| {
        // Where the widths depend on each other, it is both or none.
        for (bits, this, other) in [(32, one, two), (64, two, one)] {
            if this == vk::TRUE && (free || other == vk::TRUE) {
                promised.push(Control { mode, capability, bits });
            }
        }
    };
    let all = vk::ShaderFloatControlsIndependence::ALL;
    let free = |independence: vk::ShaderFloatControlsIndependence| independence == all;
    add(
        SPECIAL,
        floats.shader_signed_zero_inf_nan_preserve_float32,
        floats.shader_signed_zero_inf_nan_preserve_float64,
        true,
    );
    add(
        SMALL,
        floats.shader_denorm_preserve_float32,
        floats.shader_denorm_preserve_float64,
        free(floats.denorm_behavior_independence),
    );
    add(
        NEAREST,
        floats.shader_rounding_mode_rte_float32,
        floats.shader_rounding_mode_rte_float64,
        free(floats.rounding_mode_independence),
    );
    promised
}

/// Other systems have no such drivers.
#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
pub(crate) fn of(_: &wgpu::Adapter) -> Vec<Control> {
    Vec::new()
}
