//! A backend in one file: a node whose threads live as long as one loop.
//!
//! A [`Node`] says how many workers it has, and runs them. The drivers of `forall` give them work. Workers take chunks of a
//! loop's iterations from each other until there are none left, and the results are merged in an order that does not depend
//! on the workers. So a node holds no algorithm, and knows no class of loops and no rank. Every annotated function runs on
//! it, with the same results as on any other. The project's corpus of loops runs on this one too (`tests/corpus/plans.rs`).
//!
//! A program brings its node along, by [`forall::run_on`] as in this example's `main.rs`, or for ranks that are threads of
//! one process by [`Runtime::builder().node(..)`](forall::Builder::node).

use forall::Node;
use std::thread;

/// So many workers: the calling thread, and others that are started anew for each loop.
#[derive(Debug, Clone, Copy)]
pub struct Scoped {
    /// How many, at least one.
    pub workers: usize,
}

impl Node for Scoped {
    fn name(&self) -> &'static str {
        "scoped"
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| {
            for worker in 1..workers {
                // A thread that the system refuses is no failure: the other workers do its work.
                let _ = thread::Builder::new().spawn_scoped(scope, move || work(worker));
            }
            work(0);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forall::{DistVec, Runtime, distributed_scan};

    /// Sums of the elements up to each, and with it.
    #[distributed_scan]
    fn running_total(x: &[f32], out: &mut [f32]) {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i];
            out[i] = sum;
        }
    }

    /// The bits of sums, which depend on the order of the additions.
    fn totals() -> Vec<u32> {
        let x = DistVec::from_fn(200_003, |i| (i * 7919 % 10_007) as f32 * 0.1);
        let mut out = DistVec::zeroed_like(&x);
        running_total(&x, &mut out);
        out.to_all().into_iter().map(f32::to_bits).collect()
    }

    #[test]
    fn sums_have_the_bits_that_they_have_on_one_thread() {
        for (ranks, workers) in [(1, 1), (1, 2), (1, 7), (3, 2)] {
            let on = Runtime::builder().ranks(ranks).grain(1000);
            let expected = on.clone().backend("serial").run(totals);
            let found = on.node(Scoped { workers }).run(totals);
            assert!(found == expected, "{workers} workers on {ranks} ranks");
        }
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_panic_is_that_of_the_loop() {
        Runtime::builder()
            .node(Scoped { workers: 3 })
            .grain(10)
            .run(|| running_total(&[1.0; 1000], &mut [0.0; 999][..]));
    }
}
