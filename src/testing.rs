//! Tests on several ranks.

use crate::local::Runtime;
use crate::outcome::Outcome;
use crate::start::settings_or_exit;
use forall_core::runtime::launch::Launches;

/// The description of a test by `#[forall::test]`.
#[derive(Debug, Clone, Copy)]
pub struct TestSpec {
    /// The test with its path: `concat!(module_path!(), "::name")`.
    pub name: &'static str,
    /// The number of ranks of the test without a launcher.
    pub ranks: Option<usize>,
}

/// The entry point of `#[forall::test]`: runs a test on the launcher's ranks, or on in-process ranks, or alone.
///
/// # Panics
/// If the test fails on any rank.
#[track_caller]
pub fn run_test<R: Outcome>(spec: TestSpec, test: impl Fn() -> R + Sync) {
    let launches = Launches::of_environment();
    // A process that is an independent program has no launcher.
    let alone = launches.of_several().is_some() && settings_or_exit().ranks.is_some_and(|ranks| ranks.get() == 1);
    match spec.ranks {
        _ if launches.need_mpi() && !alone => launched_test(spec, test, &launches),
        Some(ranks) => Runtime::builder().ranks(ranks).run_test(test),
        None => {
            if let Some(error) = test().error() {
                panic!("{error}");
            }
        }
    }
}

#[cfg(not(feature = "mpi"))]
#[track_caller]
fn launched_test<R: Outcome>(_: TestSpec, _: impl Fn() -> R, launches: &Launches) {
    if let Err(error) = crate::start::connect_launched(launches, None) {
        panic!("{error}");
    }
}

#[cfg(feature = "mpi")]
#[track_caller]
fn launched_test<R: Outcome>(spec: TestSpec, test: impl Fn() -> R, launches: &Launches) {
    harness::run(spec.name, test, launches);
}

/// Tests of a binary that a launcher started: every rank runs the whole binary under the usual test harness.
///
/// The harness starts tests in the order of their names, some at once, each on a thread. All ranks start the same tests, but at
/// different times, and possibly not the same number at once. So the ranks agree on one test at a time: each rank announces its
/// waiting tests to all, and the first test that waits on all ranks runs. The first test that has not run is always among the
/// next tests of each rank. So every rank eventually starts it, independently of the others.
///
/// The harness creates the threads, so MPI must allow calls from any thread, one at a time; the thread whose test runs makes
/// them. MPI ends with the process, after all ranks have run all their tests.
#[cfg(feature = "mpi")]
mod harness {
    use crate::backend;
    use crate::outcome::Outcome;
    use crate::start::{CONNECTED, report_panic, settings_or_exit, start_mpi};
    use forall_core::comm::{Comm, collective};
    use forall_core::error::{AnotherRankFailed, Error, panic_message};
    use forall_core::runtime::launch::Launches;
    use forall_core::runtime::{
        Broken, Context, End, OnFailure, Rank, close, forget_calls, in_call, install, record_panics,
    };
    use forall_mpi::{Callers, Mpi, quiet};
    use std::any::Any;
    use std::collections::{BTreeMap, BTreeSet};
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::Ordering;
    use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
    use std::time::{Duration, Instant};

    /// The waiting tests and the running one on this rank.
    struct Desk {
        waiting: BTreeSet<&'static str>,
        /// The tests that will not run, and why.
        refused: BTreeMap<&'static str, String>,
        turn: Turn,
        /// The time since which the ranks have had no test in common.
        apart: Option<Instant>,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Turn {
        Nobody,
        /// One thread asks the other ranks for the next test.
        Asking,
        Test(&'static str),
    }

    static DESK: Mutex<Desk> =
        Mutex::new(Desk { waiting: BTreeSet::new(), refused: BTreeMap::new(), turn: Turn::Nobody, apart: None });
    static CHANGED: Condvar = Condvar::new();

    /// The time between two queries.
    const PAUSE: Duration = Duration::from_millis(1);

    /// After this time without agreement, the ranks run different tests, and the first of the waiting tests fails.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn desk() -> MutexGuard<'static, Desk> {
        DESK.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    pub(super) fn run<R: Outcome>(name: &'static str, test: impl Fn() -> R, launches: &Launches) {
        static STARTED: OnceLock<Result<(), Error>> = OnceLock::new();
        let started = STARTED.get_or_init(|| {
            CONNECTED.store(true, Ordering::Relaxed);
            record_panics();
            let wanted = settings_or_exit().ranks.map(usize::from);
            start_mpi(Callers::OneAtATime, launches, wanted).map(|_| forall_mpi::at_exit(leave))
        });
        if let Err(refused) = started {
            panic!("{refused}");
        }
        if let Err(reason) = wait_for_turn(name) {
            panic!("{reason}");
        }
        let verdict = run_ranks(name, test);
        quiet::reported_elsewhere(name);
        let mut desk = desk();
        desk.waiting.remove(name);
        desk.turn = Turn::Nobody;
        CHANGED.notify_all();
        drop(desk);
        match verdict {
            Verdict::Passed => {}
            Verdict::Panicked(payload) => resume_unwind(payload),
            Verdict::Failed(message) => panic!("{message}"),
        }
    }

    fn wait_for_turn(name: &'static str) -> Result<(), String> {
        let mut desk = desk();
        desk.waiting.insert(name);
        loop {
            if let Some(reason) = desk.refused.remove(name) {
                desk.waiting.remove(name);
                return Err(reason);
            }
            match desk.turn {
                Turn::Test(test) if test == name => return Ok(()),
                Turn::Nobody => {
                    desk.turn = Turn::Asking;
                    let waiting: Vec<&'static str> = desk.waiting.iter().copied().collect();
                    let impatient = desk.apart.is_some_and(|since| since.elapsed() > PATIENCE);
                    let state = if impatient { State::Impatient } else { State::Waiting };
                    drop(desk);
                    let answer = ask(&Mpi::world(), state, &waiting);
                    if matches!(answer, Answer::NotYet) {
                        std::thread::sleep(PAUSE);
                    }
                    desk = self::desk();
                    desk.settle(answer, &waiting);
                    CHANGED.notify_all();
                }
                _ => desk = CHANGED.wait(desk).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    impl Desk {
        fn settle(&mut self, answer: Answer, waiting: &[&'static str]) {
            self.turn = Turn::Nobody;
            let mut refuse = |only: Option<&str>, reason: &str| {
                let refused = waiting.iter().filter(|test| only.is_none_or(|only| only == **test));
                self.refused.extend(refused.map(|test| (*test, reason.to_owned())));
            };
            match answer {
                Answer::NotYet => {
                    self.apart.get_or_insert_with(Instant::now);
                    return;
                }
                Answer::Next(next) => {
                    self.turn =
                        waiting.iter().find(|test| **test == next).map_or(Turn::Nobody, |test| Turn::Test(test));
                }
                Answer::Absent(test) => refuse(Some(&test), "another rank went on to other tests without this one"),
                Answer::Missing(rank) => refuse(None, &format!("rank {rank} has finished its tests without this one")),
                Answer::Over => {}
            }
            self.apart = None;
        }
    }

    /// The state of a rank in a query.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum State {
        Waiting,
        /// It has waited for too long.
        Impatient,
        /// It has run all its tests.
        Done,
    }

    /// The next action of the ranks.
    #[derive(Debug, PartialEq, Eq)]
    enum Answer {
        /// Run this test.
        Next(String),
        /// Ask again.
        NotYet,
        /// Give up this test, the first of all waiting ones: some rank would have started it before its own waiting tests.
        Absent(String),
        /// End: this rank has run all its tests, and others wait with tests that this rank does not have.
        Missing(usize),
        /// End: all ranks have run all their tests.
        Over,
    }

    /// Announces to all ranks the tests that wait here, or the end of the tests.
    fn ask(comm: &dyn Comm, state: State, waiting: &[&str]) -> Answer {
        let states = collective::allgather(comm, &[state as u8]);
        let (all, lengths) = collective::allgather_varied(comm, waiting.join("\n").as_bytes());
        let mut rest = &all[..];
        let texts: Vec<String> = lengths
            .into_iter()
            .map(|length| {
                let (text, after) = rest.split_at(length);
                rest = after;
                String::from_utf8_lossy(text).into_owned()
            })
            .collect();
        answer(&states, &texts)
    }

    /// The next action for the states and the waiting tests of all ranks, one test on each line.
    fn answer(states: &[u8], texts: &[String]) -> Answer {
        let is = |wanted: State| move |state: &u8| *state == wanted as u8;
        if states.iter().all(is(State::Done)) {
            return Answer::Over;
        }
        if let Some(rank) = states.iter().position(is(State::Done)) {
            return Answer::Missing(rank);
        }
        let waits_everywhere = |test: &&str| texts.iter().all(|text| text.lines().any(|line| line == *test));
        match texts[0].lines().filter(waits_everywhere).min() {
            Some(test) => Answer::Next(test.to_owned()),
            None if states.iter().any(is(State::Impatient)) => {
                let first = texts.iter().flat_map(|text| text.lines()).min();
                first.map_or(Answer::NotYet, |test| Answer::Absent(test.to_owned()))
            }
            None => Answer::NotYet,
        }
    }

    /// The result of a test on all ranks.
    enum Verdict {
        Passed,
        /// It panicked here, and on no rank before.
        Panicked(Box<dyn Any + Send>),
        /// It failed in another way, or on another rank first.
        Failed(String),
    }

    fn run_ranks<R: Outcome>(name: &str, test: impl Fn() -> R) -> Verdict {
        let comm = Mpi::world();
        let settings = settings_or_exit();
        let node = match backend::node(&settings, comm.cores()) {
            Ok(node) => node,
            // All ranks run the same program with the same environment, so the node is missing on all of them.
            Err(error) => return Verdict::Failed(error.to_string()),
        };
        forget_calls();
        let context = install(Context::new(Box::new(comm), node, settings).on_failure(OnFailure::Unwind));
        let (comm, place) = (context.comm(), context.this_rank());

        let mut payload = None;
        let mut error = None;
        match catch_unwind(AssertUnwindSafe(|| test().error())) {
            Ok(result) => error = result,
            // The ranks unwound together, so all of them know the failure.
            Err(panic) if panic.is::<AnotherRankFailed>() && context.broken().is_some() => {}
            // During a call, the others wait for messages that will not arrive, so no rank can continue.
            Err(panic) if in_call() => {
                comm.abort_at(
                    context.panicked_at(),
                    &format!("test {name} ended: {}", report_panic(&context, &*panic)),
                );
            }
            Err(panic) => {
                error = Some(panic_message(&*panic).to_owned());
                payload = Some(panic);
            }
        }
        forget_calls();
        context.pass();

        let end = if error.is_some() { End::Failed } else { End::Finished };
        let broken = context.broken().map_or_else(|| close(comm, name, context.calls(), end).map(first_failure), Err);
        let first = match broken {
            Ok(None) => return Verdict::Passed,
            Ok(Some(rank)) => rank,
            Err(Broken { failed: Some(rank), .. }) => rank,
            Err(Broken { message, failed: None }) => return Verdict::Failed(message),
        };
        // All ranks are here, those that failed and those that were notified, so one can send the message to all.
        let message =
            collective::broadcast(comm, first, (place.rank == first).then(|| error.unwrap_or_default().into_bytes()));
        match payload {
            Some(payload) if place.rank == first => Verdict::Panicked(payload),
            _ => {
                let first = Rank { rank: first, ..place };
                Verdict::Failed(format!("{first}: {}", String::from_utf8_lossy(&message)))
            }
        }
    }

    fn first_failure(ends: Vec<End>) -> Option<usize> {
        ends.iter().position(|end| *end == End::Failed)
    }

    /// The end of the process: this rank has run all its tests and waits for the others.
    extern "C" fn leave() {
        // A test that ended by `std::process::exit` still has the turn; the launcher ends the other ranks.
        if !forall_mpi::usable() || desk().turn != Turn::Nobody {
            return;
        }
        let comm = Mpi::world();
        while ask(&comm, State::Done, &[]) != Answer::Over {
            std::thread::sleep(PAUSE);
        }
        forall_mpi::finish();
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn answer_to(state: State, texts: &[&str]) -> Answer {
            let states = vec![state as u8; texts.len()];
            answer(&states, &texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        }

        #[test]
        fn the_first_test_that_waits_everywhere_is_next() {
            assert_eq!(answer_to(State::Waiting, &["b\nc", "a\nb\nc", "b"]), Answer::Next("b".to_owned()));
            assert_eq!(answer_to(State::Impatient, &["b\nc", "b"]), Answer::Next("b".to_owned()));
            assert_eq!(answer_to(State::Waiting, &["b", "a"]), Answer::NotYet);
            assert_eq!(answer_to(State::Impatient, &["b\nc", "a\nd"]), Answer::Absent("a".to_owned()));
        }

        #[test]
        fn ranks_that_are_done_hold_nobody_up() {
            assert_eq!(answer_to(State::Done, &["", ""]), Answer::Over);
            let states = [State::Waiting as u8, State::Done as u8];
            assert_eq!(answer(&states, &["a".to_owned(), String::new()]), Answer::Missing(1));
        }
    }
}
