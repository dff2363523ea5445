//! Texts as drivers of Vulkan take them, which round after each operation.
//!
//! By default a driver may put a product and a sum together, and take sums in another order. WGSL has no word against that, so
//! the shader is translated here, and each operation on floats is marked as one that stands as it is written. Metal and
//! DirectX get the text as it is, with what their drivers make of it.

use crate::processor::controls::Control;
use naga::back::spv::{self, BindingInfo, PipelineOptions, WriterFlags, ZeroInitializeWorkgroupMemoryMode};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ResourceBinding, ShaderStage};
use std::ops::Range;
use wgpu::Features;

/// A text that was understood.
pub(crate) struct Understood {
    module: Module,
    info: ModuleInfo,
    /// Whether there are loops of the author's.
    loops: bool,
}

/// Reads a text, for a device with these features.
///
/// # Errors
/// The problem with it.
pub(crate) fn understand(text: &str, loops: bool, features: Features) -> Result<Understood, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::FLOAT64, features.contains(Features::SHADER_F64));
    capabilities.set(Capabilities::SHADER_INT64, features.contains(Features::SHADER_INT64));
    let long = features.contains(Features::SHADER_INT64_ATOMIC_MIN_MAX);
    capabilities.set(Capabilities::SHADER_INT64_ATOMIC_MIN_MAX, long);
    capabilities.set(Capabilities::SUBGROUP, features.contains(Features::SUBGROUP));
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| error.emit_to_string(text))?;
    Ok(Understood { module, info, loops })
}

impl Understood {
    /// One of its kernels, which is given these bindings (wgpu numbers them anew, in their order), and asks for these promises.
    ///
    /// # Errors
    /// The request that the driver does not support.
    pub(crate) fn kernel(&self, name: &str, bindings: &[u32], controls: &[Control]) -> Result<Vec<u32>, String> {
        let number = |(new, old): (u32, &u32)| {
            let info = BindingInfo { descriptor_set: 0, binding: new, binding_array_size: None };
            (ResourceBinding { group: 0, binding: *old }, info)
        };
        let options = spv::Options {
            lang_version: (1, 3),
            flags: WriterFlags::empty(),
            binding_map: (0..).zip(bindings).map(number).collect(),
            // Bindings that this kernel does not use have no number.
            fake_missing_bindings: true,
            bounds_check_policies: BoundsCheckPolicies {
                index: BoundsCheckPolicy::Restrict,
                buffer: BoundsCheckPolicy::Restrict,
                image_load: BoundsCheckPolicy::Restrict,
                binding_array: BoundsCheckPolicy::Restrict,
            },
            // Everything in workgroup memory is written before it is read.
            zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::None,
            // The loops of the kernels and of the library end, which a counter beside each would keep drivers from seeing.
            // Those of the author may not.
            force_loop_bounding: self.loops,
            ..spv::Options::default()
        };
        let of = PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: name.into() };
        let words = spv::write_vec(&self.module, &self.info, &options, Some(&of)).map_err(|error| error.to_string())?;
        Ok(promised(&as_written(&words), controls))
    }
}

/// Words before the first instruction.
const HEADER: usize = 5;

/// Marks each operation on floats, makes `!=` true of a NaN, as in Rust, and declares that no two buffers of a kernel are the
/// same. They never are if the kernel writes to one of them.
fn as_written(words: &[u32]) -> Vec<u32> {
    const DECORATE: u32 = 71;
    const NO_CONTRACTION: u32 = 42;
    /// The instructions that declare types, which come after all marks.
    const TYPES: Range<u32> = 19..40;
    /// Addition, subtraction, multiplication, division, remainders, and those of vectors.
    const OPERATIONS: [u32; 13] = [127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 148];
    /// "Is less or greater", and "is not equal".
    const ORDERED: u32 = 182;
    const UNEQUAL: u32 = 183;
    const VARIABLE: u32 = 59;
    const BUFFER: u32 = 12;
    const RESTRICT: u32 = 19;
    let mut marked = words.to_vec();
    let mut marks = Vec::new();
    let mut types = words.len();
    let mut at = HEADER;
    while let Some(first) = words.get(at) {
        let (length, operation) = ((first >> 16) as usize, first & 0xffff);
        if TYPES.contains(&operation) {
            types = types.min(at);
        }
        if let Some(result) = words.get(at + 2).filter(|_| OPERATIONS.contains(&operation)) {
            marks.extend([3 << 16 | DECORATE, *result, NO_CONTRACTION]);
        }
        if let (VARIABLE, Some([result, BUFFER])) = (operation, words.get(at + 2..at + 4)) {
            marks.extend([3 << 16 | DECORATE, *result, RESTRICT]);
        }
        if operation == ORDERED {
            marked[at] = first & !0xffff | UNEQUAL;
        }
        at += length.max(1);
    }
    marked.splice(types..types, marks);
    marked
}

/// Asks for what the driver promises about the floats that the shader has.
fn promised(words: &[u32], controls: &[Control]) -> Vec<u32> {
    const EXTENSION: u32 = 10;
    const ENTRY: u32 = 15;
    const MODE: u32 = 16;
    const CAPABILITY: u32 = 17;
    const FLOAT: u32 = 22;
    let (mut capabilities, mut entries, mut entry) = (HEADER, HEADER, 0);
    let mut widths = Vec::new();
    let mut at = HEADER;
    while let Some(first) = words.get(at) {
        let length = ((first >> 16) as usize).max(1);
        match first & 0xffff {
            CAPABILITY => capabilities = at + length,
            ENTRY => (entries, entry) = (at + length, words.get(at + 2).copied().unwrap_or(0)),
            FLOAT => widths.extend(words.get(at + 2)),
            _ => {}
        }
        at += length;
    }
    let controls: Vec<&Control> = controls.iter().filter(|control| widths.contains(&control.bits)).collect();
    if controls.is_empty() {
        return words.to_vec();
    }
    let mut before = Vec::new();
    let mut wanted: Vec<u32> = controls.iter().map(|control| control.capability).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for capability in wanted {
        before.extend([2 << 16 | CAPABILITY, capability]);
    }
    let mut name = b"SPV_KHR_float_controls".to_vec();
    name.resize(name.len() / 4 * 4 + 4, 0);
    let name: Vec<u32> =
        name.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    before.push((name.len() as u32 + 1) << 16 | EXTENSION);
    before.extend(name);
    let modes = controls.iter().flat_map(|control| [4 << 16 | MODE, entry, control.mode, control.bits]);
    let mut with = words[..capabilities].to_vec();
    with.extend(before);
    with.extend(&words[capabilities..entries]);
    with.extend(modes);
    with.extend(&words[entries..]);
    with
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_on_floats_are_marked_before_the_types() {
        let text = "@group(0) @binding(3) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(1) fn main() { x[0] = x[1] * x[2] + x[3]; }";
        let words = understand(text, false, Features::empty()).unwrap().kernel("main", &[3], &[]).unwrap();
        let marks = words.windows(3).filter(|words| words[0] == (3 << 16 | 71) && words[2] == 42).count();
        assert_eq!(marks, 2);
    }

    #[test]
    fn buffers_are_said_to_be_apart() {
        let text = "@group(0) @binding(0) var<storage, read> x: array<f32>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32>;
            var<workgroup> z: u32;
            @compute @workgroup_size(1) fn main() { z = 1u; y[z] = x[0]; }";
        let words = understand(text, false, Features::empty()).unwrap().kernel("main", &[0, 1], &[]).unwrap();
        let marks = words.windows(3).filter(|words| words[0] == (3 << 16 | 71) && words[2] == 19).count();
        assert_eq!(marks, 2);
    }

    #[test]
    fn promises_are_asked_for_the_floats_that_are_there() {
        let text = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(1) fn main() { x[0] = x[1] + x[3]; }";
        let understood = understand(text, false, Features::empty()).unwrap();
        let control = |bits| Control { mode: 4461, capability: 4466, bits };
        let plain = understood.kernel("main", &[0], &[control(64)]).unwrap();
        let words = understood.kernel("main", &[0], &[control(32), control(64)]).unwrap();
        assert_eq!(words.len(), plain.len() + 2 + 7 + 4);
        assert!(words.windows(2).any(|words| words == [2 << 16 | 17, 4466]));
        assert!(words.windows(4).any(|words| words[0] == (4 << 16 | 16) && words[2..] == [4461, 32]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(understand("fn f() { nonsense }", false, Features::empty()).is_err());
        assert!(understand("fn f() -> f64 { return 1.0lf; }", false, Features::empty()).is_err());
    }
}
