//! Programs made ready to run.

mod spirv;

use crate::bins;
use crate::processor::Processor;
use crate::text::assemble::text;
use crate::text::facts::Facts;
use crate::text::shape::{Leaf, Pass, Shape, Variant, leaf};
use crate::text::writer::{Access, Slot};
use forall_core::device::{Program, Refusal};
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Features, PassthroughShaderEntryPoint, PipelineCompilationOptions,
    PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderModuleDescriptorPassthrough, ShaderSource, ShaderStages,
};

/// The shaders of all programs that ran here.
#[derive(Default)]
pub(crate) struct Shaders {
    /// By the address of the program, of which there is one for as long as the process runs.
    made: HashMap<(usize, Variant, Shape), Result<Arc<Shader>, String>>,
    /// What their texts say, by the same.
    facts: HashMap<usize, Arc<Facts>>,
}

/// The kernels of one variant of a program.
pub(crate) struct Shader {
    pub pass: Kernel,
    /// Those of the tree over its leaves, where it has leaves.
    pub up: Option<Kernel>,
    pub down: Option<Kernel>,
    /// Those of the histograms that have rows.
    pub rows: Vec<Rows>,
    /// Whether an iteration may raise something.
    pub raises: bool,
}

/// The kernels of the rows of a histogram.
pub(crate) struct Rows {
    pub number: usize,
    /// Makes them.
    pub fill: Kernel,
    /// Merges some of them to one.
    pub join: Kernel,
}

/// A kernel, and what it is to be given.
pub(crate) struct Kernel {
    pub pipeline: ComputePipeline,
    pub layout: BindGroupLayout,
    /// What is bound, by number.
    pub slots: Vec<(u32, Slot)>,
}

impl Shaders {
    /// What the text of a program says, on a device that has atomic minima and maxima of 64 bits or not.
    pub(crate) fn facts(&mut self, program: &'static Program, long: bool) -> Arc<Facts> {
        let facts = self.facts.entry(std::ptr::from_ref(program).addr());
        Arc::clone(facts.or_insert_with(|| Arc::new(Facts::of(program, long))))
    }

    /// The kernels of a variant; made when it is asked for first.
    pub(crate) fn get(
        &mut self,
        processor: &Processor,
        program: &'static Program,
        variant: Variant,
        shape: Shape,
    ) -> Result<Arc<Shader>, Refusal> {
        let key = (std::ptr::from_ref(program).addr(), variant, shape);
        if let Some(made) = self.made.get(&key) {
            return made.clone().map_err(Refusal::Cannot);
        }
        // The translator of wgpu may panic over a text that it should refuse.
        let made = std::panic::catch_unwind(AssertUnwindSafe(|| make(processor, program, variant, shape)))
            .unwrap_or_else(|_| Err(Refusal::Cannot("the translation of its shader panicked".into())));
        let made = made.map(Arc::new);
        match &made {
            Ok(shader) => {
                self.made.insert(key, Ok(Arc::clone(shader)));
            }
            Err(Refusal::Cannot(message)) => {
                self.made.insert(key, Err(message.clone()));
            }
            // A device without memory may have some later.
            Err(_) => {}
        }
        made
    }
}

fn make(processor: &Processor, program: &'static Program, variant: Variant, shape: Shape) -> Result<Shader, Refusal> {
    let text = text(program, variant, shape);
    tracing::trace!(program = program.name, ?variant, source = %text.source, "a shader");
    let named = |error: Refusal| match error {
        Refusal::Cannot(message) => Refusal::Cannot(format!("{} does not take the shader: {message}", processor.name)),
        other => other,
    };
    for (types, feature) in [(&["f64"][..], Features::SHADER_F64), (&["i64", "u64"][..], Features::SHADER_INT64)] {
        if let Some(of) =
            types.iter().find(|of| text.source.contains(**of) && !processor.device.features().contains(feature))
        {
            return Err(Refusal::Cannot(format!("{} has no {of}, which this loop computes with", processor.name)));
        }
    }
    let cannot = |message: String| named(Refusal::Cannot(message));
    let understood = match processor.device.features().contains(Features::PASSTHROUGH_SHADERS) {
        true => Some(spirv::understand(&text.source, processor.device.features()).map_err(cannot)?),
        false => None,
    };
    let whole = match understood {
        Some(_) => None,
        None => {
            let source = ShaderSource::Wgsl(Cow::Borrowed(&text.source));
            let descriptor = ShaderModuleDescriptor { label: Some(program.name), source };
            Some(processor.guarded(|| processor.device.create_shader_module(descriptor)).map_err(named)?)
        }
    };
    let module = |name: &str, bindings: &[u32]| match (&understood, &whole) {
        (Some(understood), _) => {
            let words = understood.kernel(name, bindings, &processor.controls).map_err(cannot)?;
            let descriptor = ShaderModuleDescriptorPassthrough {
                label: Some(program.name),
                entry_points: Cow::Owned(vec![PassthroughShaderEntryPoint {
                    name: Cow::Borrowed(name),
                    workgroup_size: (1, 1, 1),
                }]),
                spirv: Some(Cow::Owned(words)),
                ..ShaderModuleDescriptorPassthrough::default()
            };
            // SAFETY: the words come from a module that was validated, with all accesses restricted to the bindings.
            processor
                .guarded(|| unsafe { processor.device.create_shader_module_passthrough(descriptor) })
                .map_err(named)
        }
        (None, Some(whole)) => Ok(whole.clone()),
        (None, None) => Err(cannot("no text".into())),
    };
    let kernel = |name: &str, wants: &dyn Fn(Slot) -> bool| {
        let bound: Vec<(u32, Slot, Access)> = (0..)
            .zip(&text.slots)
            .filter(|(_, (slot, _))| wants(*slot))
            .map(|(k, (slot, access))| (k, *slot, *access))
            .collect();
        let bindings: Vec<u32> = bound.iter().map(|(binding, ..)| *binding).collect();
        let module = module(name, &bindings)?;
        let entries: Vec<BindGroupLayoutEntry> = bound
            .iter()
            .map(|(binding, _, access)| BindGroupLayoutEntry {
                binding: *binding,
                visibility: ShaderStages::COMPUTE,
                ty: BindingType::Buffer {
                    ty: match access {
                        Access::Same => BufferBindingType::Uniform,
                        _ => BufferBindingType::Storage { read_only: *access == Access::Read },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        processor
            .guarded(|| {
                let layout = processor.device.create_bind_group_layout(&BindGroupLayoutDescriptor {
                    label: Some(program.name),
                    entries: &entries,
                });
                let pipeline_layout = processor.device.create_pipeline_layout(&PipelineLayoutDescriptor {
                    label: Some(program.name),
                    bind_group_layouts: &[Some(&layout)],
                    immediate_size: 0,
                });
                let pipeline = processor.device.create_compute_pipeline(&ComputePipelineDescriptor {
                    label: Some(program.name),
                    layout: Some(&pipeline_layout),
                    module: &module,
                    entry_point: Some(name),
                    // Everything in workgroup memory is written before it is read.
                    compilation_options: PipelineCompilationOptions {
                        zero_initialize_workgroup_memory: false,
                        ..PipelineCompilationOptions::default()
                    },
                    cache: None,
                });
                let slots = bound.iter().map(|(binding, slot, _)| (*binding, *slot)).collect();
                Kernel { pipeline, layout, slots }
            })
            .map_err(named)
    };
    let tree = |slot: Slot| matches!(slot, Slot::Words | Slot::Flags | Slot::Lower | Slot::Upper);
    let in_rows = |number: &usize| bins::way(&program.bins[*number], shape.native.long) == bins::Way::Rows;
    let with_rows = (0..program.bins.len()).filter(|_| variant.pass == Pass::Iterate).filter(in_rows);
    let rows = with_rows.map(|number| {
        let fill = [Slot::Words, Slot::Bins(number), Slot::Fresh(number)];
        let join = [Slot::Words, Slot::Flags, Slot::LowerRows(number), Slot::UpperRows(number)];
        Ok(Rows {
            number,
            fill: kernel(&format!("fa_fill_{number}"), &|slot| fill.contains(&slot))?,
            join: kernel(&format!("fa_join_{number}"), &|slot| join.contains(&slot))?,
        })
    });
    let leaves = leaf(program, variant.pass) != Leaf::Nothing;
    Ok(Shader {
        pass: kernel("fa_pass", &|slot| {
            let others = matches!(slot, Slot::Lower | Slot::Upper | Slot::Fresh(_));
            !others && !matches!(slot, Slot::LowerRows(_) | Slot::UpperRows(_))
        })?,
        rows: rows.collect::<Result<_, Refusal>>()?,
        raises: text.raises,
        up: leaves.then(|| kernel("fa_up", &tree)).transpose()?,
        down: (leaves && variant.pass != Pass::Iterate).then(|| kernel("fa_down", &tree)).transpose()?,
    })
}
