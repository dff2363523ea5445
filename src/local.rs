//! Ranks as threads of this process.

use crate::backend;
use crate::outcome::Outcome;
use crate::start::{report_panic, settings_or_exit};
use forall_core::comm::Local;
use forall_core::error::Error;
use forall_core::node::Node;
use forall_core::runtime::{Context, End, close, current, install};
use forall_core::settings::{Backend, Schedule, Settings, Strategies};
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Runs a program on ranks that are threads of this process. Each rank has its own threads for its loops.
///
/// ```
/// let ranks = forall::Runtime::builder().ranks(3).threads(2).run(|| (forall::rank(), forall::ranks()));
/// assert_eq!(ranks, [(0, 3), (1, 3), (2, 3)]);
/// ```
#[derive(Debug)]
pub struct Runtime;

impl Runtime {
    /// One rank with the settings of the environment, as a starting point.
    pub fn builder() -> Builder {
        Builder { ranks: 1, settings: settings_or_exit(), node: None }
    }
}

/// Runs a closure on this rank alone: annotated calls in it treat the slices and vectors of this rank as the whole, and
/// communicate with no other rank. Ranks may run different closures.
///
/// ```
/// use forall::{DistVec, kary_reduce, on_this_rank};
///
/// #[kary_reduce]
/// fn sum(x: &[u64]) -> u64 {
///     let mut sum = 0;
///     for i in 0..x.len() {
///         sum += x[i];
///     }
///     sum
/// }
///
/// let sums = forall::Runtime::builder().ranks(3).run(|| {
///     let x = DistVec::from_local(vec![forall::rank() as u64 + 1; 2]);
///     (sum(&x), on_this_rank(|| sum(x.local())))
/// });
/// assert_eq!(sums, [(12, 2), (12, 4), (12, 6)]);
/// ```
pub fn on_this_rank<R>(run: impl FnOnce() -> R) -> R {
    match current() {
        Some(context) => forall_core::runtime::on_this_rank(&context, run),
        None => run(),
    }
}

/// The backend of a [`Runtime`].
#[derive(Clone)]
pub struct Builder {
    ranks: usize,
    settings: Settings,
    node: Option<Arc<dyn Node>>,
}

// A run that panics does not change the builder; a node is responsible for its own state.
impl std::panic::UnwindSafe for Builder {}
impl std::panic::RefUnwindSafe for Builder {}

impl fmt::Debug for Builder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Builder { ranks, settings, node } = self;
        let node = node.as_ref().map(|node| node.name());
        formatter
            .debug_struct("Builder")
            .field("ranks", ranks)
            .field("settings", settings)
            .field("node", &node)
            .finish()
    }
}

impl Builder {
    /// The number of ranks, at least one.
    pub fn ranks(self, ranks: usize) -> Builder {
        Builder { ranks: ranks.max(1), ..self }
    }

    /// The number of threads of each rank; zero, the default, is the number of cores divided by the number of ranks.
    pub fn threads(mut self, threads: usize) -> Builder {
        self.settings.threads = NonZeroUsize::new(threads);
        self
    }

    /// The number of iterations in a chunk; zero, the default, lets each loop choose.
    pub fn grain(mut self, grain: usize) -> Builder {
        self.settings.grain = NonZeroUsize::new(grain);
        self
    }

    /// How workers share the iterations of a loop.
    pub fn schedule(mut self, schedule: Schedule) -> Builder {
        self.settings.schedule = schedule;
        self
    }

    /// Elements that a loop sets without reading them go past the caches if they have more bytes than this. Zero: always.
    #[must_use]
    pub fn cache(mut self, bytes: usize) -> Builder {
        self.settings.cache = Some(bytes);
        self
    }

    /// The strategies by which loops may run: see [`Strategy`](crate::Strategy).
    #[must_use]
    pub fn strategies(mut self, strategies: Strategies) -> Builder {
        self.settings.strategies = strategies;
        self
    }

    /// The backend that runs the loops of each rank: `serial`, `threads` or `auto`.
    ///
    /// # Panics
    /// If there is no backend of this name.
    pub fn backend(mut self, name: &str) -> Builder {
        self.settings.backend = name.parse::<Backend>().unwrap_or_else(|error| panic!("{error}"));
        self
    }

    /// Runs the loops of each rank on this node, in place of the backends of the settings.
    ///
    /// ```
    /// use forall::{Node, Runtime};
    ///
    /// /// Workers that run one after the other.
    /// struct Patient(usize);
    ///
    /// impl Node for Patient {
    ///     fn name(&self) -> &'static str {
    ///         "patient"
    ///     }
    ///
    ///     fn workers(&self) -> usize {
    ///         self.0
    ///     }
    ///
    ///     fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
    ///         (0..workers).for_each(work);
    ///     }
    /// }
    ///
    /// assert_eq!(Runtime::builder().node(Patient(3)).run(forall::backend), ["patient"]);
    /// ```
    pub fn node(self, node: impl Node + 'static) -> Builder {
        Builder { node: Some(Arc::new(node)), ..self }
    }

    /// Replaces all settings.
    pub fn settings(self, settings: Settings) -> Builder {
        Builder { settings, ..self }
    }

    /// Runs `program` on every rank and returns the results in rank order. `FORALL_TRACE` is for whole programs and has
    /// no effect here.
    ///
    /// # Panics
    /// If a rank panics, with the same payload; if the ranks make different calls, with a message that names both sides; if the
    /// backend is not built in.
    pub fn run<R: Send>(&self, program: impl Fn() -> R + Sync) -> Vec<R> {
        let node = match self.chosen_node() {
            Ok(node) => node,
            Err(error) => panic!("{error}"),
        };
        Local::run(self.ranks, |comm| {
            let witness = comm.witness();
            let context = install(Context::new(Box::new(comm), node.clone(), self.settings.clone()));
            let result = match catch_unwind(AssertUnwindSafe(&program)) {
                Ok(result) => result,
                Err(payload) => {
                    witness.panicked_at(context.panicked_at());
                    // The panic hook has already printed the usual message; only the iteration is missing.
                    if context.location().is_some() {
                        eprintln!("{}", report_panic(&context, &*payload));
                    }
                    resume_unwind(payload)
                }
            };
            if let Err(broken) = close(context.comm(), "the program", context.calls(), End::Finished) {
                context.comm().abort(&broken.message);
            }
            result
        })
    }

    /// Runs a test: like [`Builder::run`], but an error that a rank returns is a panic.
    pub(crate) fn run_test<R: Outcome>(&self, test: impl Fn() -> R + Sync) {
        self.run(|| {
            if let Some(error) = test().error() {
                panic!("{error}");
            }
        });
    }

    fn chosen_node(&self) -> Result<Arc<dyn Node>, Error> {
        match &self.node {
            Some(node) => Ok(node.clone()),
            None => backend::node(&self.settings, (backend::cores() / self.ranks).max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::__private::ambient;
    use forall_core::runtime::{self, Header, Value};

    fn call(function: &str, length: u64) {
        runtime::with_current(ambient, |context| {
            let values = [Value::same("the length of `x`", length)];
            context.agree(&Header { function, number: 0, values: &values });
            context.done();
        });
    }

    #[test]
    fn ranks_have_a_context_each() {
        let results = Runtime::builder().ranks(3).threads(2).grain(5).backend("serial").run(|| {
            call("f", 3);
            runtime::with_current(ambient, |context| {
                (crate::rank(), crate::ranks(), context.node().name(), context.settings().grain, context.calls())
            })
        });
        let expected: Vec<_> = (0..3).map(|rank| (rank, 3, "serial", NonZeroUsize::new(5), 1)).collect();
        assert_eq!(results, expected);
        assert_eq!((crate::rank(), crate::ranks()), (0, 1));
    }

    #[test]
    #[should_panic(expected = "rank 0 calls `f` (call 2), rank 1 reached the end of the program (after 1 calls)")]
    fn one_call_fewer_is_an_error() {
        Runtime::builder().ranks(2).run(|| {
            call("f", 3);
            if crate::rank() == 0 {
                call("f", 3);
            }
        });
    }

    #[test]
    #[should_panic(expected = "the length of `x` is 10 on rank 0 and 11 on rank 1")]
    fn other_lengths_are_an_error() {
        Runtime::builder().ranks(4).run(|| call("f", 10 + crate::rank() as u64 % 2));
    }

    #[test]
    #[should_panic(expected = "only rank 2")]
    fn a_panic_keeps_its_message() {
        Runtime::builder().ranks(4).run(|| {
            assert_ne!(crate::rank(), 2, "only rank 2");
            call("f", 3);
        });
    }

    #[test]
    #[should_panic(expected = "backend=\"cuda\" is not understood: use one of auto, serial, threads, gpu")]
    fn an_unknown_backend_is_an_error() {
        let _ = Runtime::builder().backend("cuda");
    }
}
