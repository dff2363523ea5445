//! Annotated loops on the graphics processor.

use forall_gpu::Gpu;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a program on so many ranks with the graphics processor, on which each of its loops must run; says why, where one does
/// not. Nothing where there is no such processor.
pub fn on_ranks<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Option<Result<R, String>> {
    if Gpu::list().is_empty() {
        let required = std::env::var("FORALL_REQUIRE_GPU").as_deref() == Ok("1");
        assert!(!required, "there is no graphics processor");
        eprintln!("SKIPPED: there is no graphics processor");
        return None;
    }
    let settings = forall::Settings { backend: forall::Backend::Gpu, require_gpu: true, ..forall::Settings::default() };
    let run = || forall::Runtime::builder().ranks(ranks).settings(settings).run(program).remove(0);
    Some(catch_unwind(AssertUnwindSafe(run)).map_err(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().map_or(String::new(), |text| (*text).to_owned()),
    }))
}

/// The same results as from the sequential loop.
pub fn same<R: Send + PartialEq + std::fmt::Debug>(expected: &R, program: impl Fn() -> R + Sync) {
    match on_ranks(1, program) {
        Some(Ok(result)) => assert_eq!(result, *expected),
        Some(Err(reason)) => panic!("{reason}"),
        None => {}
    }
}

/// Why a loop does not run on the graphics processor.
pub fn reason<R: Send>(program: impl FnMut() -> R + Send) -> Option<String> {
    let program = std::sync::Mutex::new(program);
    let run = || drop((program.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))());
    match on_ranks(1, run)? {
        Ok(()) => panic!("it runs"),
        Err(reason) => Some(reason),
    }
}
