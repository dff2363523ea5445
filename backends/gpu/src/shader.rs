//! Programs made ready to run.

mod spirv;

use crate::bins;
use crate::processor::Processor;
use crate::text::assemble::{Text, text};
use crate::text::facts::Facts;
use crate::text::shape::{Leaf, Pass, Shape, Variant, leaf};
use crate::text::writer::{Access, Binding};
use forall_core::device::{Program, Refusal};
use spirv::Understood;
use std::borrow::Cow;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Features, PassthroughShaderEntryPoint, PipelineCompilationOptions,
    PipelineLayoutDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderModuleDescriptorPassthrough, ShaderSource,
    ShaderStages,
};

/// The shaders of all programs that ran here.
#[derive(Default)]
pub(crate) struct Shaders {
    /// By the address of the program, which stays for as long as the process runs.
    made: HashMap<(usize, Variant, Shape), Result<Arc<Shader>, String>>,
    /// The facts in their texts, by the same key.
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
    /// The bindings, by number.
    pub bindings: Vec<(u32, Binding)>,
}

impl Shaders {
    /// The facts in the text of a program, on a device that has atomic minima and maxima of 64 bits or not.
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

/// A text on its way to kernels.
struct Making<'t> {
    processor: &'t Processor,
    program: &'static Program,
    text: Text,
    modules: Modules,
}

/// The parts of kernels.
enum Modules {
    /// One for each kernel, in the language of Vulkan.
    Each(Box<Understood>),
    /// One for all, which wgpu translates.
    All(ShaderModule),
}

impl<'t> Making<'t> {
    fn new(processor: &'t Processor, program: &'static Program, text: Text) -> Result<Self, Refusal> {
        let features = processor.device.features();
        for (types, feature) in [(&["f64"][..], Features::SHADER_F64), (&["i64", "u64"][..], Features::SHADER_INT64)] {
            if let Some(of) = types.iter().find(|of| text.source.contains(**of) && !features.contains(feature)) {
                let message = format!("{} has no {of}, which this loop computes with", processor.name);
                return Err(Refusal::Cannot(message));
            }
        }
        let modules = match features.contains(Features::PASSTHROUGH_SHADERS) {
            true => {
                let understood = spirv::understand(&text.source, program.loops, features);
                Modules::Each(Box::new(understood.map_err(|message| not_taken(processor, Refusal::Cannot(message)))?))
            }
            false => {
                let source = ShaderSource::Wgsl(Cow::Borrowed(&text.source));
                let descriptor = ShaderModuleDescriptor { label: Some(program.name), source };
                let made = processor.guarded(|| processor.device.create_shader_module(descriptor));
                Modules::All(made.map_err(|refusal| not_taken(processor, refusal))?)
            }
        };
        Ok(Making { processor, program, text, modules })
    }

    /// The module that has a kernel with these bindings.
    fn module(&self, name: &str, bindings: &[u32]) -> Result<ShaderModule, Refusal> {
        let processor = self.processor;
        let understood = match &self.modules {
            Modules::Each(understood) => understood,
            Modules::All(module) => return Ok(module.clone()),
        };
        let words = understood.kernel(name, bindings, &processor.controls).map_err(Refusal::Cannot)?;
        let descriptor = ShaderModuleDescriptorPassthrough {
            label: Some(self.program.name),
            entry_points: Cow::Owned(vec![PassthroughShaderEntryPoint {
                name: Cow::Borrowed(name),
                workgroup_size: (1, 1, 1),
            }]),
            spirv: Some(Cow::Owned(words)),
            ..ShaderModuleDescriptorPassthrough::default()
        };
        // SAFETY: the words come from a module that was validated, with all accesses restricted to the bindings.
        processor.guarded(|| unsafe { processor.device.create_shader_module_passthrough(descriptor) })
    }

    /// A kernel with the bindings that it wants.
    fn kernel(&self, name: &str, wants: &dyn Fn(Binding) -> bool) -> Result<Kernel, Refusal> {
        self.try_kernel(name, wants).map_err(|refusal| not_taken(self.processor, refusal))
    }

    fn try_kernel(&self, name: &str, wants: &dyn Fn(Binding) -> bool) -> Result<Kernel, Refusal> {
        let label = Some(self.program.name);
        let bound: Vec<(u32, Binding, Access)> = (0..)
            .zip(&self.text.bindings)
            .filter(|(_, (binding, _))| wants(*binding))
            .map(|(number, (binding, access))| (number, *binding, *access))
            .collect();
        let numbers: Vec<u32> = bound.iter().map(|(number, ..)| *number).collect();
        let module = self.module(name, &numbers)?;
        let entries: Vec<BindGroupLayoutEntry> =
            bound.iter().map(|(number, _, access)| entry(*number, *access)).collect();
        let device = &self.processor.device;
        self.processor.guarded(|| {
            let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor { label, entries: &entries });
            let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
                label,
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
            let bindings = bound.iter().map(|(number, binding, _)| (*number, *binding)).collect();
            Kernel { pipeline, layout, bindings }
        })
    }
}

/// The allowed access of a kernel to a binding, for wgpu.
fn entry(binding: u32, access: Access) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: match access {
                Access::Same => BufferBindingType::Uniform,
                _ => BufferBindingType::Storage { read_only: access == Access::Read },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

/// A refusal that names the processor.
fn not_taken(processor: &Processor, refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Cannot(message) => Refusal::Cannot(format!("{} does not take the shader: {message}", processor.name)),
        other => other,
    }
}

/// The kernels of a variant.
fn make(processor: &Processor, program: &'static Program, variant: Variant, shape: Shape) -> Result<Shader, Refusal> {
    let text = text(program, variant, shape);
    tracing::trace!(program = program.name, ?variant, source = %text.source, "a shader");
    let raises = text.raises;
    let making = Making::new(processor, program, text)?;
    let tree = |binding: Binding| matches!(binding, Binding::Words | Binding::Flags | Binding::Lower | Binding::Upper);
    let in_rows = |number: &usize| bins::way(&program.bins[*number], shape.native.long) == bins::Way::Rows;
    let with_rows = (0..program.bins.len()).filter(|_| variant.pass == Pass::Iterate).filter(in_rows);
    let rows = with_rows.map(|number| {
        let fill = [Binding::Words, Binding::Bins(number), Binding::Fresh(number)];
        let join = [Binding::Words, Binding::Flags, Binding::LowerRows(number), Binding::UpperRows(number)];
        Ok(Rows {
            number,
            fill: making.kernel(&format!("fa_fill_{number}"), &|binding| fill.contains(&binding))?,
            join: making.kernel(&format!("fa_join_{number}"), &|binding| join.contains(&binding))?,
        })
    });
    let leaves = leaf(program, variant.pass) != Leaf::Nothing;
    Ok(Shader {
        pass: making.kernel("fa_pass", &|binding| {
            let others = matches!(binding, Binding::Lower | Binding::Upper | Binding::Fresh(_));
            !others && !matches!(binding, Binding::LowerRows(_) | Binding::UpperRows(_))
        })?,
        rows: rows.collect::<Result<_, Refusal>>()?,
        raises,
        up: leaves.then(|| making.kernel("fa_up", &tree)).transpose()?,
        down: (leaves && variant.pass != Pass::Iterate).then(|| making.kernel("fa_down", &tree)).transpose()?,
    })
}
