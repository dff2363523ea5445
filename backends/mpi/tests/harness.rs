//! `#[forall::test]`'s harness: these tests run alone, and on several ranks, where this binary runs itself.

mod common;

use common::{cannot_launch, count, launch};
use forall::__private::{TestSpec, ambient, run_test};
use forall_core::comm::collective;
use forall_core::runtime::{Header, Value, with_current};

/// The expansion of `#[forall::test]` for a function, without the attribute's crate.
macro_rules! on_ranks {
    ($(#[$attribute:meta])* fn $name:ident() $(-> $result:ty)? $body:block) => {
        #[test]
        $(#[$attribute])*
        fn $name() {
            let spec = TestSpec { name: concat!(module_path!(), "::", stringify!($name)), ranks: None };
            fn body() $(-> $result)? $body
            run_test(spec, body);
        }
    };
}

fn call(function: &str, length: usize) {
    with_current(ambient, |context| {
        let values = [Value::same("the length of `x`", length as u64)];
        context.agree(&Header { function, number: 0, values: &values });
        collective::barrier(context.comm());
        context.done();
    });
}

/// The last rank where there are several, and none where there is one.
fn odd_one_out() -> bool {
    forall::rank() + 1 == forall::ranks() && forall::ranks() > 1
}

on_ranks! {
    fn a_many_calls() {
        (0..100).for_each(|length| call("f", length));
        println!("the output of a test that passes is not shown");
    }
}

#[test]
fn b_a_plain_test_of_different_lengths() {
    let rank = forall_core::runtime::launch::launched().map_or(0, |launch| launch.rank);
    std::thread::sleep(std::time::Duration::from_millis(100 * rank as u64));
}

on_ranks! {
    #[should_panic(expected = "everywhere")]
    fn c_a_panic_on_all_ranks() {
        call("f", 1);
        panic!("everywhere");
    }
}

on_ranks! {
    #[should_panic(expected = "only here")]
    fn d_a_panic_on_one_rank_while_others_call() {
        call("f", 1);
        assert!(!odd_one_out() && forall::ranks() > 1, "only here");
        call("f", 2);
        call("f", 3);
    }
}

on_ranks! {
    #[should_panic(expected = "the length of `x`")]
    fn e_different_lengths() {
        assert!(forall::ranks() > 1, "the length of `x`");
        call("f", forall::rank());
    }
}

on_ranks! {
    fn f_after_the_failures_all_is_well() -> Result<(), String> {
        call("f", 1);
        Ok(())
    }
}

#[test]
fn g_in_process_ranks_where_no_launcher_is() {
    run_test(TestSpec { name: concat!(module_path!(), "::g"), ranks: Some(3) }, || {
        if forall_core::runtime::launch::launched().is_none() {
            assert_eq!(forall::ranks(), 3);
        }
        call("f", 1);
    });
}

on_ranks! {
    #[ignore = "fails on purpose"]
    fn failing_on_one_rank() {
        call("f", 1);
        assert!(!odd_one_out(), "odd one out");
        call("f", 1);
    }
}

on_ranks! {
    #[ignore = "fails on purpose"]
    fn failing_with_a_result() -> Result<(), String> {
        if odd_one_out() { Err("no such file".to_owned()) } else { Ok(()) }
    }
}

on_ranks! {
    #[ignore = "fails on purpose"]
    fn failing_with_one_call_fewer() {
        if !odd_one_out() {
            call("f", 1);
        }
    }
}

#[test]
#[ignore = "fails on purpose"]
fn failing_plain_on_one_rank() {
    let launch = forall_core::runtime::launch::launched().expect("on several ranks");
    assert_ne!(launch.rank, 1, "a plain test");
}

on_ranks! {
    #[ignore = "ends all ranks on purpose"]
    fn fatal_in_a_call() {
        with_current(ambient, |context| {
            context.agree(&Header { function: "kernel", number: 0, values: &[] });
            if odd_one_out() {
                context.set_location("kernel", 7);
                panic!("in the middle");
            }
            collective::barrier(context.comm());
            context.done();
        });
    }
}

#[test]
fn the_ranks_run_the_same_tests_and_report_once() {
    if cannot_launch() {
        return;
    }
    for ranks in [1, 2, 3, 4, 7] {
        for arguments in [&[][..], &["--test-threads=1"], &["--test-threads=8"], &["all", "--exact", "a_many_calls"]] {
            let run = launch(ranks, arguments, &[]);
            assert_eq!(run.status, Some(0), "{ranks} ranks, {arguments:?}:\n{}", run.text);
            assert_eq!(count(&run.text, "test result: "), 1, "{ranks} ranks, {arguments:?}:\n{}", run.text);
            assert_eq!(count(&run.text, "not shown"), 0, "{ranks} ranks, {arguments:?}:\n{}", run.text);
        }
    }
}

#[test]
fn failures_on_any_rank_fail_the_run_and_are_reported_by_rank_0() {
    if cannot_launch() {
        return;
    }
    for (test, says) in [
        ("failing_on_one_rank", "rank 2 of 3: odd one out"),
        ("failing_with_a_result", "rank 2 of 3: Error: \"no such file\""),
        ("failing_with_one_call_fewer", "rank 0 calls `f` (call 1), rank 2 reached the end of harness::failing"),
        ("failing_plain_on_one_rank", "tests that failed on rank 1:"),
        ("fatal_in_a_call", "ended: rank 2 of 3 panicked in `kernel`, iteration 7: in the middle"),
    ] {
        let run = launch(3, &["--ignored", "--exact", test], &[]);
        assert!(run.status.is_some_and(|status| status != 0 && status != 124), "{:?}:\n{}", run.status, run.text);
        assert_eq!(count(&run.text, says), 1, "{test}:\n{}", run.text);
    }
}
