//! Runs every case of the corpus on every plan: backends, threads, chunk lengths, ranks.
//!
//! `CORPUS=scan cargo test -p forall-corpus` runs the cases whose names contain `scan`. Under a launcher,
//! `on_this_launch` runs them all on the launcher's ranks; the other tests make their own ranks and are then left out.

use forall::{Strategies, Strategy};
use forall_corpus::{Oracle, SIZES, cases, float_bits};
use minimal_backend::Scoped;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One way to run a loop.
#[derive(Clone, Copy, Debug)]
struct Plan {
    backend: &'static str,
    ranks: usize,
    threads: usize,
    /// Iterations a chunk; `None` leaves the choice to the runtime.
    grain: Option<usize>,
    strategies: Strategies,
}

/// A plan with all strategies.
fn plan(backend: &'static str, ranks: usize, threads: usize, grain: Option<usize>) -> Plan {
    Plan { backend, ranks, threads, grain, strategies: Strategies::default() }
}

impl Plan {
    fn runtime(&self) -> forall::Builder {
        // Whether there must be a GPU is one thing; not every loop of the corpus can run on it.
        let settings = forall::Settings { require_gpu: false, ..forall::Settings::from_env().expect("good settings") };
        let builder = forall::Runtime::builder().settings(settings).ranks(self.ranks).threads(self.threads);
        let builder = builder.strategies(self.strategies);
        let builder = match self.backend {
            "scoped" => builder.node(Scoped { workers: self.threads }),
            backend => builder.backend(backend),
        };
        match self.grain {
            // Then the elements of short loops go past the caches, too.
            Some(grain) => builder.grain(grain).cache(0),
            None => builder,
        }
    }
}

/// Runs a case at all sizes on plans, and collects what failed.
fn failures(plans: &[Plan], name: &str, case: fn(usize)) -> Vec<String> {
    let oracles: Vec<Oracle> = SIZES.iter().map(|_| Oracle::default()).collect();
    // One run for all sizes: the loops of a program follow each other on the same ranks and threads, too.
    let all_sizes = || {
        for (&n, oracle) in SIZES.iter().zip(&oracles) {
            catch_unwind(AssertUnwindSafe(|| oracle.answer(|| case(n))))
                .unwrap_or_else(|panic| panic!("at size {n}: {}", message(&*panic)));
        }
    };
    let failure = |plan: &Plan| {
        let run = catch_unwind(AssertUnwindSafe(|| plan.runtime().run(all_sizes)));
        run.err().map(|panic| format!("{name} with {plan:?}: {}", message(&*panic)))
    };
    plans.iter().filter_map(failure).collect()
}

/// Whether a launcher such as mpirun started this process, so that the ranks are already there.
fn launched() -> bool {
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"].iter().any(|name| std::env::var_os(name).is_some())
}

/// The message of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_string()
}

/// Runs all chosen cases on plans, and reports all failures together.
fn run(plans: impl IntoIterator<Item = Plan>) {
    if launched() {
        return;
    }
    let plans: Vec<Plan> = plans.into_iter().collect();
    let wanted = std::env::var("CORPUS").unwrap_or_default();
    let chosen = cases().filter(|(name, _)| name.contains(&wanted));
    let failures: Vec<String> = chosen.flat_map(|(name, case)| failures(&plans, name, case)).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn serial() {
    run([None, Some(1), Some(5), Some(100)].map(|grain| plan("serial", 1, 1, grain)));
}

#[test]
fn threads() {
    let plans =
        [(1, None), (1, Some(37)), (2, None), (2, Some(1)), (2, Some(37)), (7, None), (7, Some(1)), (7, Some(1000))];
    run(plans.map(|(threads, grain)| plan("threads", 1, threads, grain)));
}

#[test]
fn ranks() {
    let plans = [(2, None), (2, Some(10)), (3, None), (4, Some(10)), (7, None), (7, Some(10))];
    run(plans.map(|(ranks, grain)| plan("serial", ranks, 1, grain)));
}

#[test]
fn ranks_of_threads() {
    run([(2, 2), (3, 2), (7, 3)].map(|(ranks, threads)| plan("threads", ranks, threads, Some(16))));
}

/// On one worker, on two, and on ranks, with these strategies.
fn with_strategies(strategies: Strategies) {
    let plans = [(1, 1, None), (1, 2, Some(37)), (3, 2, Some(16))];
    run(plans.map(|(ranks, threads, grain)| Plan { backend: "threads", ranks, threads, grain, strategies }));
}

#[test]
fn each_strategy_is_forbidden() {
    for strategy in Strategy::ALL {
        with_strategies(Strategies::default().without(strategy));
    }
}

#[test]
fn one_piece_and_order_are_forced() {
    for strategy in [Strategy::OnePiece, Strategy::InOrder] {
        with_strategies(Strategies::only(strategy));
    }
}

/// A node that is none of the project's own, as a program may bring one along.
#[test]
fn minimal_backend() {
    run([(1, 3), (3, 2)].map(|(ranks, threads)| plan("scoped", ranks, threads, Some(37))));
}

/// The loops that can be translated run on the GPU that there is, the others on threads.
#[test]
#[cfg(feature = "gpu")]
fn gpu() {
    let builder = forall::Runtime::builder().backend("gpu");
    if let Err(missing) = catch_unwind(|| builder.run(forall::rank)) {
        assert!(std::env::var_os("FORALL_REQUIRE_GPU").is_none_or(|value| value != "1"), "{}", message(&*missing));
        eprintln!("SKIPPED: {}", message(&*missing));
        return;
    }
    run([1, 3].map(|ranks| plan("gpu", ranks, 2, None)));
}

/// Floats have the same bits on every plan whose shares are cut at chunks.
#[test]
fn same_bits() {
    if launched() {
        return;
    }
    // Enough elements for seven ranks to own at least sixteen chunks each, and not a whole number of chunks.
    let n = 200_003;
    let on = |backend, ranks, threads| {
        forall::Runtime::builder().ranks(ranks).threads(threads).backend(backend).run(|| float_bits(n))
    };
    let expected = on("serial", 1, 1).remove(0);
    for (backend, ranks, threads) in [("threads", 1, 2), ("threads", 1, 7), ("serial", 3, 1), ("threads", 7, 2)] {
        for (rank, found) in on(backend, ranks, threads).iter().enumerate() {
            let first = expected.iter().zip(found).position(|(a, b)| a != b);
            assert!(
                expected.len() == found.len() && first.is_none(),
                "result {first:?} differs on rank {rank} of {ranks} with {backend}, {threads} threads"
            );
        }
    }
}

#[forall::test]
fn on_this_launch() {
    let wanted = std::env::var("CORPUS").unwrap_or_default();
    for (name, case) in cases().filter(|(name, _)| name.contains(&wanted)) {
        for &n in SIZES {
            // A rank that fails ends the whole launch, so its message must say where it was.
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| case(n))) {
                panic!("{name}({n}) on rank {} of {}: {}", forall::rank(), forall::ranks(), message(&*panic));
            }
        }
    }
}
