//! The threads node: workers are the calling thread and those of a rayon pool.

mod job;

use forall_core::node::Node;
use job::Job;

/// The calling thread and `workers - 1` threads of a pool of its own.
///
/// Several threads may run kernels on one node at once; they share the pool's threads.
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

    /// The workers take iterations from each other. So the call does not wait for a thread that wakes up after the
    /// others have done all of them: a loop of some microseconds does not pay for the wake-up.
    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        match &self.pool {
            Some(pool) if workers > 1 => Job::run(work, |job| {
                for worker in 1..workers {
                    let job = job.clone();
                    pool.spawn(move || job.help(worker));
                }
            }),
            _ => (0..workers).for_each(work),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::AssertUnwindSafe;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    /// Takes numbers until there are none, as the drivers take chunks.
    fn take_all(node: &Threads, count: usize, each: impl Fn(usize, usize) + Sync) {
        let next = AtomicUsize::new(0);
        node.run(node.workers(), &|worker| {
            while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count) {
                each(worker, number);
            }
        });
    }

    #[test]
    fn everything_is_done_once_before_run_returns() {
        for workers in [1, 2, 3, 8] {
            let node = Threads::new(workers).unwrap();
            for count in [0, 1, 5, 1000] {
                let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                take_all(&node, count, |worker, number| {
                    assert!(worker < workers);
                    done[number].fetch_add(1, Ordering::Relaxed);
                });
                assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
            }
        }
    }

    #[test]
    fn workers_run_at_the_same_time() {
        let node = Threads::new(3).unwrap();
        let seen = Mutex::new(Vec::new());
        take_all(&node, 12, |worker, _| {
            std::thread::sleep(Duration::from_millis(20));
            seen.lock().unwrap().push(worker);
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [0, 1, 2]);
    }

    #[test]
    fn several_threads_share_a_node() {
        let node = Threads::new(2).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let sum = AtomicUsize::new(0);
                        take_all(&node, 50, |_, number| {
                            sum.fetch_add(number, Ordering::Relaxed);
                        });
                        assert_eq!(sum.into_inner(), 50 * 49 / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn a_worker_may_call_the_node_again() {
        let node = Threads::new(2).unwrap();
        let sum = AtomicUsize::new(0);
        take_all(&node, 8, |_, _| {
            take_all(&node, 8, |_, _| {
                sum.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(sum.into_inner(), 64);
    }

    #[test]
    fn a_panic_of_the_calling_thread_waits_for_the_others() {
        let node = Threads::new(2).unwrap();
        let busy = AtomicUsize::new(0);
        let started = AtomicUsize::new(0);
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
            node.run(2, &|worker| match worker {
                0 => {
                    while started.load(Ordering::Acquire) == 0 {
                        std::thread::yield_now();
                    }
                    std::panic::resume_unwind(Box::new(()));
                }
                _ => {
                    busy.store(1, Ordering::Release);
                    started.store(1, Ordering::Release);
                    std::thread::sleep(Duration::from_millis(50));
                    busy.store(0, Ordering::Release);
                }
            });
        }));
        assert!(result.is_err());
        assert_eq!(busy.load(Ordering::Acquire), 0);
    }
}
