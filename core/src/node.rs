//! One machine: the node that runs the workers of a loop.

use crate::device::Device;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs kernels on one machine.
///
/// The drivers of loops hand out chunks themselves: workers take what there is to do from each other. A node only has to
/// run several of them, best at the same time. The two threads of this one live as long as a loop:
///
/// ```
/// use forall_core::node::Node;
///
/// struct Pair;
///
/// impl Node for Pair {
///     fn name(&self) -> &'static str {
///         "pair"
///     }
///
///     fn workers(&self) -> usize {
///         2
///     }
///
///     fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             (1..workers).for_each(|worker| drop(scope.spawn(move || work(worker))));
///             work(0);
///         });
///     }
/// }
/// ```
pub trait Node: Send + Sync {
    /// `serial`, `threads`.
    fn name(&self) -> &'static str;

    /// The number of workers that run at the same time, at least one.
    fn workers(&self) -> usize;

    /// Runs `work(0)`, `work(1)`, .. `work(workers - 1)` at the same time, the first on the calling thread, and returns when all are done.
    /// `workers` is at least two, and at most [`Node::workers`].
    ///
    /// A node may omit workers, or run them one after the other: the others then do their work. At least one has to run.
    ///
    /// # Panics
    /// `work` does not panic: the drivers catch panics of the loop's body themselves.
    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync));

    /// Whether [`Node::device`] may return a device.
    fn may_have_device(&self) -> bool {
        false
    }

    /// The device for loops that can be translated, if there is one. This call may open it, which takes long.
    fn device(&self) -> Option<&dyn Device> {
        None
    }
}

impl<N: Node + ?Sized> Node for Arc<N> {
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

/// A node as the drivers see it. Its guarantees do not depend on [`Node::run`]: a single worker runs here, so it is alone. Of several
/// workers at least one has finished, so no work is left.
#[derive(Clone)]
pub(crate) struct AnyNode(pub Arc<dyn Node>);

impl Node for AnyNode {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn workers(&self) -> usize {
        self.0.workers()
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        if workers == 1 {
            return work(0);
        }
        let done = AtomicBool::new(false);
        self.0.run(workers, &|worker| {
            work(worker);
            done.store(true, Ordering::Relaxed);
        });
        assert!(done.into_inner(), "the node `{}` ran no worker", self.name());
    }

    fn may_have_device(&self) -> bool {
        self.0.may_have_device()
    }

    fn device(&self) -> Option<&dyn Device> {
        self.0.device()
    }
}

/// The workers of a node, without its device.
pub(crate) struct WithoutDevice(pub Arc<dyn Node>);

impl Node for WithoutDevice {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn workers(&self) -> usize {
        self.0.workers()
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        self.0.run(workers, work);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Runs this number of workers, in place of the requested one.
    struct Stubborn(usize);

    impl Node for Stubborn {
        fn name(&self) -> &'static str {
            "stubborn"
        }

        fn workers(&self) -> usize {
            3
        }

        fn run(&self, _: usize, work: &(dyn Fn(usize) + Sync)) {
            (0..self.0).for_each(work);
        }
    }

    fn times(node: Stubborn, workers: usize) -> usize {
        let times = AtomicUsize::new(0);
        AnyNode(Arc::new(node)).run(workers, &|_| {
            times.fetch_add(1, Ordering::Relaxed);
        });
        times.into_inner()
    }

    #[test]
    fn one_worker_is_alone_and_of_several_one_runs() {
        assert_eq!(times(Stubborn(5), 1), 1);
        assert_eq!(times(Stubborn(0), 1), 1);
        assert_eq!(times(Stubborn(1), 3), 1);
    }

    #[test]
    #[should_panic(expected = "the node `stubborn` ran no worker")]
    fn a_node_that_does_nothing_is_found_out() {
        times(Stubborn(0), 2);
    }
}
