//! Programs on all plans: numbers of ranks, of threads, and of blocks in memory.

#![allow(dead_code, reason = "each test uses a part")]

use forall::{Runtime, Settings};
use std::num::NonZeroUsize;

/// Ranks, threads, and blocks in memory.
pub type Plan = (usize, usize, Option<usize>);

pub const PLANS: [Plan; 12] = [
    (1, 1, None),
    (1, 1, Some(1)),
    (1, 2, Some(1)),
    (1, 7, Some(3)),
    (1, 7, None),
    (2, 1, Some(2)),
    (2, 2, None),
    (3, 1, None),
    (3, 2, Some(1)),
    (4, 1, Some(1)),
    (7, 1, None),
    (7, 3, Some(2)),
];

pub fn runtime((ranks, threads, blocks): Plan) -> forall::Builder {
    let settings = Settings { blocks: blocks.and_then(NonZeroUsize::new), ..Settings::from_env().unwrap() };
    Runtime::builder().settings(settings).ranks(ranks).threads(threads)
}

/// The results of a program are the same on all ranks of all plans.
pub fn everywhere<R: PartialEq + std::fmt::Debug + Send>(program: impl Fn() -> R + Sync) -> R {
    let mut first = None;
    for plan in PLANS {
        for result in runtime(plan).run(&program) {
            match &first {
                None => first = Some(result),
                Some(first) => assert_eq!(result, *first, "{plan:?}"),
            }
        }
    }
    first.unwrap()
}
