//! Annotated functions on the graphics processor.

use forall_gpu::Gpu;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a program on so many ranks with the graphics processor, on which each of its loops must run; says why, where one does
/// not. Nothing where there is no graphics processor.
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

/// A call that changes its last argument gives and leaves the same as the sequential loop.
macro_rules! same {
    ($function:ident($($input:expr),*) => $out:expr) => {{
        let out = $out;
        let run = || {
            let mut out = out.clone();
            let result = $function($($input,)* &mut out);
            (result, out)
        };
        if let Some(result) = $crate::common::annotated::on_ranks(1, run) {
            let mut expected = out.clone();
            let returned = $function::sequential($($input,)* &mut expected);
            assert!(result.as_ref() == Ok(&(returned, expected)), "{:?}", result.map(|_| "other results"));
        }
    }};
}

/// Functions of one number, on the GPU as in Rust.
macro_rules! each {
    ($($name:ident |$x:ident| $body:expr;)*) => {$(
        #[test]
        fn $name() {
            #[foreach]
            fn $name(xs: &[u32], out: &mut [u32]) {
                for i in 0..xs.len() {
                    let $x = xs[i];
                    let r: u32 = $body;
                    out[i] = r;
                }
            }
            let xs: Vec<u32> = (0..60).map(|i| i * 7 % 23).collect();
            same!($name(&xs) => vec![0u32; xs.len()]);
        }
    )*};
}

/// The same results as those that are expected, on one rank.
pub fn gives<R: Send + PartialEq + std::fmt::Debug>(expected: &R, program: impl Fn() -> R + Sync) {
    gives_on(1..=1, expected, program);
}

/// The same on each of these numbers of ranks.
pub fn gives_on<R: Send + PartialEq + std::fmt::Debug>(
    ranks: std::ops::RangeInclusive<usize>,
    expected: &R,
    program: impl Fn() -> R + Sync,
) {
    for ranks in ranks {
        match on_ranks(ranks, &program) {
            Some(Ok(result)) => assert!(result == *expected, "{ranks} ranks: {result:?} is not {expected:?}"),
            Some(Err(reason)) => panic!("{ranks} ranks: {reason}"),
            None => return,
        }
    }
}

/// Why a loop does not run on the graphics processor. Nothing where there is none.
pub fn refusal<R: Send>(program: impl FnMut() -> R + Send) -> Option<String> {
    let program = std::sync::Mutex::new(program);
    let run = || drop((program.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))());
    match on_ranks(1, run)? {
        Ok(()) => panic!("it runs"),
        Err(reason) => Some(reason),
    }
}
