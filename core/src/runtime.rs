//! The ambient runtime of annotated calls.
//!
//! A [`Context`] belongs to one rank, and to the thread that runs the rank's program. It has the communicator
//! ([`Comm`](crate::comm::Comm)), the node ([`Node`](crate::node::Node)) and the [`Settings`](crate::settings::Settings). The start of the
//! program installs it ([`install`]). A thread without a context gets its own one at its first annotated call, as a single rank.
//!
//! Inside the body of an annotated loop ([`enter_loop`]), all ranks and threads are busy. Annotated calls there use a context with a single
//! rank and a serial node. If a loop over blocks leaves workers idle, the node of these calls has all workers (`helpers`).

mod agree;
mod ambient;
mod cache;
mod context;
mod helpers;
mod instances;
pub mod launch;
mod panics;
mod thread;

pub use agree::{Agreed, Broken, End, Header, Label, Value, close};
pub(crate) use agree::{Along, MERGING};
pub use ambient::{
    Installed, backend, current, current_or, install, on_this_rank, rank, ranks, this_rank, with_comm, with_current,
};
pub(crate) use cache::LruCache;
pub use context::{Context, Location, OnFailure};
pub(crate) use helpers::Helpers;
pub use instances::PerInstance;
pub use panics::{PanicNote, panic_note, record_panics, tried, watch_panics};
pub use thread::{InLoop, Rank, enter_loop, forget_calls, in_call, in_loop};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{Local, Solo};
    use crate::node::Serial;
    use crate::settings::Settings;
    use std::sync::Arc;

    fn solo() -> Context {
        Context::new(Box::new(Solo), Arc::new(Serial), Settings { explain: true, ..Settings::default() })
    }

    fn local(comm: Local) -> Context {
        Context::new(Box::new(comm), Arc::new(Serial), Settings::default())
    }

    #[test]
    fn a_thread_without_a_context_keeps_the_one_it_makes() {
        assert_eq!((rank(), ranks()), (0, 1));
        with_current(solo, |context| {
            context.agree(&Header { function: "f", number: 0, values: &[] });
        });
        with_current(|| unreachable!("the thread has a context"), |context| assert_eq!(context.calls(), 1));
    }

    #[test]
    fn contexts_nest() {
        let outer = install(solo());
        drop(install(Context::new(Box::new(Solo), Arc::new(Serial), Settings::default())));
        assert!(with_current(|| unreachable!("installed"), |context| context.settings().explain));
        assert_eq!(outer.comm().name(), "solo");
        drop(outer);
        assert!(current().is_none());
    }

    #[test]
    fn a_loop_body_is_a_single_rank_for_calls_and_keeps_the_rank_it_works_for() {
        let ranks = Local::run(3, |comm| {
            let context = install(local(comm));
            let place = context.this_rank();
            std::thread::scope(|scope| {
                scope
                    .spawn(|| {
                        let _loop = enter_loop(place);
                        let calls = with_current(|| unreachable!("in a loop"), |context| context.comm().ranks());
                        assert_eq!((calls, super::ranks(), in_loop()), (1, 3, true));
                        rank()
                    })
                    .join()
                    .unwrap()
            })
        });
        assert_eq!(ranks, [0, 1, 2]);
        assert!(!in_loop());
    }

    #[test]
    fn ranks_that_agree_learn_each_others_values() {
        let results = Local::run(3, |comm| {
            let context = install(local(comm));
            let values = [Value::same("the end of the loop", 12), Value::own("the length of `x`", rank() as u64)];
            let agreed = context.agree(&Header { function: "f", number: 0, values: &values });
            assert!(in_call());
            context.done();
            agreed.of(1).collect::<Vec<_>>()
        });
        assert_eq!(results, [[0, 1, 2], [0, 1, 2], [0, 1, 2]]);
    }

    fn disagreement(ranks: usize, program: impl Fn(&Context) + Sync) -> String {
        let failure = Local::try_run(ranks, |comm| {
            let context = install(local(comm));
            program(&context);
            match close(context.comm(), "main", context.calls(), End::Finished) {
                Ok(_) => {}
                Err(broken) => context.end(broken),
            }
        });
        failure.unwrap_err().message
    }

    #[test]
    fn different_functions_are_named() {
        let message = disagreement(3, |context| {
            context.agree(&Header { function: "first", number: 0, values: &[] });
            let function = if rank() == 2 { "there" } else { "here" };
            context.agree(&Header { function, number: 0, values: &[] });
        });
        assert_eq!(
            message,
            "the ranks do not make the same calls: rank 0 calls `here` (call 2), rank 2 calls `there` (call 2)"
        );
    }

    #[test]
    fn different_values_are_named() {
        let message = disagreement(3, |context| {
            let values = [Value::own("free", rank() as u64), Value::same("the length of `x`", 12 - rank() as u64 / 2)];
            context.agree(&Header { function: "f", number: 0, values: &values });
        });
        assert_eq!(
            message,
            "the ranks call `f` (call 1) differently: the length of `x` is 12 on rank 0 and 11 on rank 2"
        );
    }

    #[test]
    fn different_loops_are_named() {
        let message = disagreement(2, |context| {
            context.agree(&Header { function: "f", number: 0, values: &[] });
            context.agree(&Header { function: "f", number: 1 + rank() as u32, values: &[] });
        });
        assert_eq!(
            message,
            "the ranks do not make the same calls: rank 0 is at loop 1 of `f` (call 1), rank 1 is at loop 2 of `f` (call 1)"
        );
    }

    #[test]
    fn one_call_fewer_is_named() {
        let message = disagreement(4, |context| {
            for _ in 0..if rank() == 1 { 6 } else { 7 } {
                context.agree(&Header { function: "f", number: 0, values: &[] });
            }
        });
        assert_eq!(
            message,
            "the ranks do not make the same calls: rank 0 calls `f` (call 7), rank 1 reached the end of main (after 6 calls)"
        );
    }

    #[test]
    fn ranks_can_unwind_together() {
        let results = Local::run(3, |comm| {
            let context = install(local(comm).on_failure(OnFailure::Unwind));
            let function = if rank() == 1 { "a" } else { "b" };
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                context.agree(&Header { function, number: 0, values: &[] });
            }));
            (unwound.is_err(), in_call(), context.broken().map(|broken| broken.message))
        });
        let message = "the ranks do not make the same calls: rank 0 calls `b` (call 1), rank 1 calls `a` (call 1)";
        assert_eq!(results, vec![(true, false, Some(message.to_owned())); 3]);
    }
}
