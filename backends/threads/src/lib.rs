//! The threads node: workers are the calling thread and those of a rayon pool.

use forall_core::node::Node;

/// The calling thread and `workers - 1` threads of a pool of its own.
#[derive(Debug)]
pub struct Threads {
    workers: usize,
    pool: Option<rayon::ThreadPool>,
}

impl Threads {
    /// A node with this many workers, at least one.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn new(workers: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let workers = workers.max(1);
        let pool = match workers {
            1 => None,
            _ => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(workers - 1)
                    .thread_name(|worker| format!("forall-{}", worker + 1))
                    .build()?,
            ),
        };
        Ok(Threads { workers, pool })
    }
}

impl Node for Threads {
    fn name(&self) -> &'static str {
        "threads"
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        match &self.pool {
            Some(pool) if workers > 1 => pool.in_place_scope(|scope| {
                for worker in 1..workers {
                    scope.spawn(move |_| work(worker));
                }
                work(0);
            }),
            _ => (0..workers).for_each(work),
        }
    }
}
