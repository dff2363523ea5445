//! Elements that are picked out of a share that stays on the device.

use super::transfer::Wire;
use forall_core::device::Refusal;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, Buffer, BufferUsages, CommandEncoderDescriptor, ComputePassDescriptor,
    ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor, ShaderSource,
};

/// The places begin with how many words are picked at each of them, and how many places there are.
const TEXT: &str = "
@group(0) @binding(0) var<storage, read> share: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read_write> picked: array<u32>;
@compute @workgroup_size(64)
fn pick(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let at = (group.y * groups.x + group.x) * 64u + lane;
  if (at < places[0] * places[1]) { picked[at] = share[places[2u + at / places[0]] + at % places[0]]; }
}";

/// So few are copied one by one.
const FEW: usize = 32;

/// The most places at once.
const MOST: usize = 1 << 22;

/// Where elements are in a buffer: so many bytes after its start, each of so many bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elements {
    pub front: u64,
    pub size: usize,
}

impl Elements {
    fn at(self, place: usize) -> u64 {
        self.front + (place * self.size) as u64
    }

    /// How many words hold one, wherever it begins.
    fn words(self) -> usize {
        let before = match self.size % 4 {
            0 if self.front.is_multiple_of(4) => 0,
            0 | 2 if self.front.is_multiple_of(2) => 2,
            _ => 3,
        };
        (self.size + before).div_ceil(4)
    }
}

impl Wire {
    /// The elements at these places of a buffer, one after the other.
    pub(crate) fn pick(&self, buffer: &Buffer, of: Elements, places: &[usize]) -> Result<Vec<u8>, Refusal> {
        let mut all = vec![0; places.len() * of.size];
        let limits = self.device.limits();
        let (most, words) = (limits.max_storage_buffer_binding_size, of.words());
        let at_once = MOST.min((most / 4) as usize / words.max(1)).saturating_sub(2).max(1);
        if places.len() <= FEW || buffer.size() > most {
            let parts = places.iter().map(|place| of.at(*place)).zip(all.chunks_exact_mut(of.size));
            self.down(buffer, &mut parts.collect::<Vec<_>>())?;
            return Ok(all);
        }
        let pipeline = self.picker()?;
        for (places, all) in places.chunks(at_once).zip(all.chunks_mut(at_once * of.size)) {
            let mut told = vec![words as u32, places.len() as u32];
            told.extend(places.iter().map(|place| (of.at(*place) / 4) as u32));
            let told: &[u8] = bytemuck::cast_slice(&told);
            let there = self.buffer(told.len() as u64, BufferUsages::STORAGE | BufferUsages::COPY_DST)?;
            self.up(&there, 0, told)?;
            let count = places.len() * words;
            let picked = self.buffer(4 * count as u64, BufferUsages::STORAGE | BufferUsages::COPY_SRC)?;
            let bound = [buffer, &there, &picked];
            self.guarded(|| {
                let entries: Vec<BindGroupEntry> = (0..)
                    .zip(bound)
                    .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
                    .collect();
                let layout = pipeline.get_bind_group_layout(0);
                let descriptor = BindGroupDescriptor { label: Some("forall"), layout: &layout, entries: &entries };
                let group = self.device.create_bind_group(&descriptor);
                let mut encoder =
                    self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("forall") });
                let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                let groups = count.div_ceil(64) as u32;
                let x = groups.min(limits.max_compute_workgroups_per_dimension);
                pass.dispatch_workgroups(x, groups.div_ceil(x), 1);
                drop(pass);
                self.queue.submit([encoder.finish()]);
            })?;
            let mut found = vec![0; 4 * count];
            self.down(&picked, &mut [(0, &mut found)])?;
            for ((place, element), found) in
                places.iter().zip(all.chunks_exact_mut(of.size)).zip(found.chunks_exact(4 * words))
            {
                let skipped = (of.at(*place) % 4) as usize;
                element.copy_from_slice(&found[skipped..skipped + of.size]);
            }
        }
        Ok(all)
    }

    /// The kernel that picks elements; made at its first use.
    fn picker(&self) -> Result<ComputePipeline, Refusal> {
        if let Some(made) = self.picker.get() {
            return Ok(made.clone());
        }
        let made = self.guarded(|| {
            let source = ShaderSource::Wgsl(TEXT.into());
            let module = self.device.create_shader_module(ShaderModuleDescriptor { label: Some("forall"), source });
            self.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some("forall"),
                layout: None,
                module: &module,
                entry_point: Some("pick"),
                compilation_options: PipelineCompilationOptions::default(),
                cache: None,
            })
        })?;
        Ok(self.picker.get_or_init(|| made).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_in_so_many_words() {
        let words = |front, size| Elements { front, size }.words();
        assert_eq!([1, 2, 3, 4, 5, 6, 8, 12].map(|size| words(64, size)), [1, 1, 2, 1, 2, 2, 2, 3]);
        assert_eq!((words(66, 4), words(66, 2), words(63, 2), words(63, 4)), (2, 1, 2, 2));
    }
}
