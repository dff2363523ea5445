//! Tests on several ranks.

use crate::local::Runtime;
use crate::outcome::Outcome;
use crate::start::settings_or_exit;
use forall_core::runtime::launch::Launches;

/// What `#[forall::test]` knows of a test.
#[derive(Debug, Clone, Copy)]
pub struct TestSpec {
    /// The test with its path: `concat!(module_path!(), "::name")`.
    pub name: &'static str,
    /// How many ranks it asks for where no launcher is.
    pub ranks: Option<usize>,
}

/// What `#[forall::test]` calls: runs a test on the launcher's ranks, or on in-process ranks, or alone.
///
/// # Panics
/// When the test fails, on any rank.
#[track_caller]
pub fn run_test<R: Outcome>(spec: TestSpec, test: impl Fn() -> R + Sync) {
    let launches = Launches::of_environment();
    // A process that is a program by itself has no launcher.
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
/// That harness starts tests in the order of their names, some at once, each on a thread. Ranks bring up the same tests,
/// but not at the same moments, and perhaps not the same number at once. So the ranks agree on one test at a time: those
/// that wait for their turn on each rank are told to all, and the first that waits on all ranks runs. The first test that
/// has not run is always among those that a rank starts next, so every rank comes to it, whatever the others do.
///
/// MPI is asked to let any thread call it, one at a time, because the harness makes the threads; whoever has the turn
/// calls it. It ends when the process does, once all ranks have run all their tests.
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

    /// Who waits and who runs on this rank.
    struct Desk {
        waiting: BTreeSet<&'static str>,
        /// Tests that will not get a turn, and why.
        refused: BTreeMap<&'static str, String>,
        turn: Turn,
        /// Since when the ranks have had no test in common.
        apart: Option<Instant>,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Turn {
        Nobody,
        /// One thread asks the other ranks what to run next.
        Asking,
        Test(&'static str),
    }

    static DESK: Mutex<Desk> =
        Mutex::new(Desk { waiting: BTreeSet::new(), refused: BTreeMap::new(), turn: Turn::Nobody, apart: None });
    static CHANGED: Condvar = Condvar::new();

    /// How long a rank waits before it asks again.
    const PAUSE: Duration = Duration::from_millis(1);

    /// After this long without agreement the ranks run different tests, and the first of those that wait fails.
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

    /// What a rank says of itself when it asks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum State {
        Waiting,
        /// It has waited for too long.
        Impatient,
        /// It has run all its tests.
        Done,
    }

    /// What the ranks do next.
    #[derive(Debug, PartialEq, Eq)]
    enum Answer {
        /// They run this test.
        Next(String),
        /// They ask again.
        NotYet,
        /// They give up this test, the first of all that wait: some rank would have come to it before those it waits with.
        Absent(String),
        /// This rank has run all its tests, and others wait with tests that it does not have.
        Missing(usize),
        /// All have run all their tests.
        Over,
    }

    /// Tells all ranks which tests wait here, or that there will be none any more.
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

    /// What follows from the states and the waiting tests of all ranks, one test on each line.
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

    /// How a test ended on all ranks.
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
            // The ranks run one program with one environment: the node is missing on all of them.
            Err(error) => return Verdict::Failed(error.to_string()),
        };
        forget_calls();
        let context = install(Context::new(Box::new(comm), node, settings).on_failure(OnFailure::Unwind));
        let (comm, place) = (context.comm(), context.this_rank());

        let mut payload = None;
        let mut error = None;
        match catch_unwind(AssertUnwindSafe(|| test().error())) {
            Ok(result) => error = result,
            // The ranks unwound together: what broke is known to all.
            Err(panic) if panic.is::<AnotherRankFailed>() && context.broken().is_some() => {}
            // In the middle of a call the others wait for messages that will not come: nothing can go on.
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
        // All ranks are here, those that failed and those that heard of it, so the message can be told to all.
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

    /// The end of the process: this rank has run all its tests and waits until all have.
    extern "C" fn leave() {
        // A test that left by `std::process::exit` has the turn still; the launcher ends the others.
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
