//! One machine: who runs the workers of a loop.

use crate::device::Device;

/// Runs kernels on one machine.
///
/// The fold drivers of [`crate::fold`] hand out chunks themselves; a node only has to run several workers at once.
pub trait Node: Send + Sync {
    /// `serial`, `threads`.
    fn name(&self) -> &'static str;

    /// How many workers run at once, at least one.
    fn workers(&self) -> usize;

    /// Runs `work(0)`, `work(1)`, .. `work(workers - 1)` at the same time, the first on the calling thread, and returns
    /// when all are done. `workers` is at most [`Node::workers`].
    ///
    /// # Panics
    /// `work` does not panic: the drivers catch panics of the loop's body themselves.
    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync));

    /// Whether [`Node::device`] may give one.
    fn may_have_device(&self) -> bool {
        false
    }

    /// Who runs the loops that can be translated, where there is such a device. It may be opened now, which takes long.
    fn device(&self) -> Option<&dyn Device> {
        None
    }
}

impl<N: Node + ?Sized> Node for std::sync::Arc<N> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn workers(&self) -> usize {
        (**self).workers()
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        (**self).run(workers, work);
    }

    fn may_have_device(&self) -> bool {
        (**self).may_have_device()
    }

    fn device(&self) -> Option<&dyn Device> {
        (**self).device()
    }
}

/// One worker: the calling thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Serial;

impl Node for Serial {
    fn name(&self) -> &'static str {
        "serial"
    }

    fn workers(&self) -> usize {
        1
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        for worker in 0..workers {
            work(worker);
        }
    }
}
