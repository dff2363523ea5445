//! The kernels that sort.

use crate::processor::Processor;
use forall_core::device::Refusal;
use std::sync::OnceLock;
use wgpu::{
    ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor, ShaderSource,
};

/// The bindings of the kernels, in their order.
pub(super) const KERNELS: [(&str, &[u32]); 7] = [
    ("begin", &[0, 1, 4, 9]),
    ("count", &[0, 3, 7]),
    ("add_spans", &[0, 7, 8]),
    ("add_all", &[0, 8]),
    ("add_counts", &[0, 7, 8]),
    ("spread", &[0, 3, 4, 7]),
    ("end", &[0, 2, 3]),
];

/// The kernels for words of one length, with places or without; made when they are asked for first.
#[derive(Debug, Default)]
pub(crate) struct Sorters([OnceLock<Vec<ComputePipeline>>; 4]);

impl Sorters {
    /// Those for words of 64 bits or 32.
    pub(super) fn get(&self, processor: &Processor, long: bool, places: bool) -> Result<&[ComputePipeline], Refusal> {
        let held = &self.0[2 * usize::from(long) + usize::from(places)];
        if let Some(made) = held.get() {
            return Ok(made);
        }
        let source = ShaderSource::Wgsl(text(long, places).into());
        let made = processor.guarded(|| {
            let descriptor = ShaderModuleDescriptor { label: Some("forall sort"), source };
            let module = processor.device.create_shader_module(descriptor);
            let pipeline = |(name, _): (&str, &[u32])| {
                processor.device.create_compute_pipeline(&ComputePipelineDescriptor {
                    label: Some("forall sort"),
                    layout: None,
                    module: &module,
                    entry_point: Some(name),
                    // Everything in workgroup memory is written before it is read.
                    compilation_options: PipelineCompilationOptions {
                        zero_initialize_workgroup_memory: false,
                        ..PipelineCompilationOptions::default()
                    },
                    cache: None,
                })
            };
            KERNELS.map(pipeline).to_vec()
        })?;
        Ok(held.get_or_init(|| made))
    }
}

/// The text of the kernels.
fn text(long: bool, places: bool) -> String {
    let words = match long {
        true => [("WORD", "vec2<u32>"), ("ONE_OF", "pair"), ("PAIR_OF", "word"), ("TOP_OF", "word.y")],
        false => [("WORD", "u32"), ("ONE_OF", "pair.x"), ("PAIR_OF", "vec2<u32>(word, 0u)"), ("TOP_OF", "word")],
    };
    let moves = match places {
        true => [("BEGIN_PLACE", "moved_places[at] = at;"), ("SPREAD_PLACE", "moved_places[to] = places[at];")],
        false => [("BEGIN_PLACE", ""), ("SPREAD_PLACE", "")],
    };
    words
        .into_iter()
        .chain(moves)
        .fold(include_str!("digits.wgsl").to_owned(), |text, (name, what)| text.replace(name, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_understood_in_all_forms() {
        for (long, places) in [(false, false), (false, true), (true, false), (true, true)] {
            let text = text(long, places);
            let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
            let all = naga::valid::ValidationFlags::all();
            let mut validator = naga::valid::Validator::new(all, naga::valid::Capabilities::empty());
            validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&text)));
        }
    }
}
