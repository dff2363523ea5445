//! The processor as a node, and as its device.

use crate::gpu::Gpu;
use crate::memory::transfer;
use forall_core::device::{Costs, Device, Launch, Outcome, Refusal, Sorting};
use forall_core::node::Node;

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
        &self.processor.name
    }

    fn simulated(&self) -> bool {
        self.processor.simulated
    }

    fn costs(&self) -> Costs {
        *self.costs.get_or_init(|| transfer::costs(&self.processor).unwrap_or_default())
    }

    fn holds(&self, bytes: usize) -> bool {
        // Beside it, there is room for a halo.
        bytes as u64 + bytes as u64 / 8 + 4096 <= self.processor.limits.max_buffer_size
    }

    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal> {
        // SAFETY: as the caller promises.
        unsafe { self.launch(launch) }
    }

    unsafe fn sort(&self, sorting: Sorting<'_>) -> Result<(), Refusal> {
        // SAFETY: as the caller promises.
        unsafe { self.sort_numbers(sorting) }
    }
}
