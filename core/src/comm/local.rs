//! Ranks as threads of one process, for tests without a launcher.

use super::patience::{Awaited, Patience};
use super::seam::{Comm, FailedAt, OverlappedWork, Stream};
use crate::error::{AnotherRankFailed, panic_message};
use crate::lock::lock;
use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A rank that is a thread of this process.
///
/// A rank that panics or aborts ends all ranks, and so does a deadlock. After a stall, the rank that did not send ends at its next wait.
#[derive(Debug)]
pub struct Local {
    rank: usize,
    world: Arc<World>,
}

/// The error of [`Local::try_run`]: the first failure of any rank.
pub struct Failure {
    /// The rank that failed first.
    pub rank: usize,
    /// The message.
    pub message: String,
    /// Its position in the program, if known.
    at: Option<FailedAt>,
    /// The payload of its panic, if any.
    payload: Option<Box<dyn Any + Send>>,
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Failure").field("rank", &self.rank).field("message", &self.message).finish()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "rank {}: {}", self.rank, self.message)
    }
}

impl std::error::Error for Failure {}

/// The state that the ranks share. One lock protects all of it, which makes deadlock detection simple. Messages are copied outside the lock.
#[derive(Debug)]
struct World {
    ranks: usize,
    state: Mutex<State>,
    /// Wakes the rank with this index.
    wake: Vec<Condvar>,
}

#[derive(Debug)]
struct State {
    /// Messages in transit, at `to * ranks + from`.
    queues: Vec<VecDeque<Vec<u8>>>,
    /// The messages of [`Stream`] to each rank, with their senders.
    streams: Vec<VecDeque<(usize, Vec<u8>)>>,
    doing: Vec<Doing>,
    /// The positions at which ranks failed.
    fails_at: Vec<Option<FailedAt>>,
    failure: Option<Failure>,
    failed: bool,
}

/// The number of polls for a message before a rank sleeps.
const LOOKS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Running,
    WaitingFor(usize),
    Ended,
}

impl Local {
    /// Runs `body` once on each rank, each on a thread of its own, and returns the results in rank order.
    ///
    /// # Panics
    /// If a rank fails: with the payload or the message of the first one that failed.
    pub fn run<R: Send>(ranks: usize, body: impl Fn(Local) -> R + Sync) -> Vec<R> {
        match Local::try_run(ranks, body) {
            Ok(results) => results,
            Err(Failure { payload: Some(payload), .. }) => resume_unwind(payload),
            Err(failure) => panic!("{}", failure.message),
        }
    }

    /// The same, with the failure as an error.
    ///
    /// # Errors
    /// The first failure of any rank.
    ///
    /// # Panics
    /// If `ranks` is zero, or a thread cannot be created.
    pub fn try_run<R: Send>(ranks: usize, body: impl Fn(Local) -> R + Sync) -> Result<Vec<R>, Failure> {
        let results: Vec<Mutex<Option<R>>> = (0..ranks).map(|_| Mutex::new(None)).collect();
        Local::on_threads(ranks, &|local| {
            let rank = local.rank;
            let result = body(local);
            *lock(&results[rank]) = Some(result);
        })?;
        let silent = |(rank, result): (usize, Mutex<Option<R>>)| {
            let message = || "ended without saying why".to_owned();
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            result.ok_or_else(|| Failure { rank, message: message(), at: None, payload: None })
        };
        results.into_iter().enumerate().map(silent).collect()
    }

    /// Compiled once for all result types.
    fn on_threads(ranks: usize, body: &(dyn Fn(Local) + Sync)) -> Result<(), Failure> {
        assert!(ranks > 0, "at least one rank is needed");
        let world = Arc::new(World::new(ranks));
        std::thread::scope(|scope| {
            for rank in 0..ranks {
                let world = world.clone();
                let run = move || {
                    let local = Local { rank, world: world.clone() };
                    world.end(rank, catch_unwind(AssertUnwindSafe(|| body(local))));
                };
                let thread = std::thread::Builder::new().name(format!("rank {rank}"));
                thread.spawn_scoped(scope, run).expect("the operating system refuses a thread for a rank");
            }
        });
        world.state().failure.take().map_or(Ok(()), Err)
    }
}

impl Local {
    /// A handle of this rank, to report its panic.
    pub fn witness(&self) -> Witness {
        Witness { rank: self.rank, world: self.world.clone() }
    }
}

/// Reports the position at which a rank panicked.
#[derive(Debug)]
pub struct Witness {
    rank: usize,
    world: Arc<World>,
}

impl Witness {
    /// Records that the rank is about to end with a panic at this position. Of several panics, the first one counts.
    pub fn panicked_at(&self, at: FailedAt) {
        self.world.state().fails_at[self.rank] = Some(at);
    }
}

impl World {
    fn new(ranks: usize) -> World {
        World {
            ranks,
            state: Mutex::new(State {
                queues: (0..ranks * ranks).map(|_| VecDeque::new()).collect(),
                streams: (0..ranks).map(|_| VecDeque::new()).collect(),
                doing: vec![Doing::Running; ranks],
                fails_at: vec![None; ranks],
                failure: None,
                failed: false,
            }),
            wake: (0..ranks).map(|_| Condvar::new()).collect(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no rank panics while it holds the lock")
    }

    /// Records the end of a rank, and wakes the ranks that wait for it.
    fn end(&self, rank: usize, result: std::thread::Result<()>) {
        let mut state = self.state();
        state.doing[rank] = Doing::Ended;
        match result {
            // The rank that failed says why, perhaps only after this one has ended.
            Err(payload) if !payload.is::<AnotherRankFailed>() => {
                let message = panic_message(&*payload).to_owned();
                let at = state.fails_at[rank];
                state.fail(Failure { rank, message, at, payload: Some(payload) });
            }
            _ => {}
        }
        self.wake.iter().for_each(Condvar::notify_all);
    }

    /// Ends all ranks, this one first.
    fn fail(&self, rank: usize, mut state: MutexGuard<'_, State>, message: String) -> ! {
        state.fail(Failure { rank, message, at: None, payload: None });
        drop(state);
        self.wake.iter().for_each(Condvar::notify_all);
        AnotherRankFailed::unwind()
    }

    /// Ends a rank that waits in vain, with the failure of another rank or its own.
    fn stuck(&self, rank: usize, state: MutexGuard<'_, State>, message: String) -> ! {
        if state.failed {
            drop(state);
            AnotherRankFailed::unwind();
        }
        self.fail(rank, state, message)
    }

    /// The next message from one rank to another, if it is there.
    fn arrived(&self, rank: usize, from: usize) -> Option<Vec<u8>> {
        self.state().queues[rank * self.ranks + from].pop_front()
    }

    /// Waits for the next message from one rank to another.
    fn receive(&self, rank: usize, from: usize) -> Vec<u8> {
        // The message arrives soon in most cases. Yielding the core is cheaper than sleeping.
        for _ in 0..LOOKS {
            if let Some(message) = self.arrived(rank, from) {
                return message;
            }
            std::thread::yield_now();
        }
        let (mut state, mut patience) = (self.state(), Patience::default());
        loop {
            // A rank that can continue does so although another one has failed: its own failure may come first in the sequential order.
            if let Some(message) = state.queues[rank * self.ranks + from].pop_front() {
                state.doing[rank] = Doing::Running;
                return message;
            }
            if state.doing[from] == Doing::Ended {
                self.stuck(rank, state, format!("rank {rank} waits for a message from rank {from}, which has ended"));
            }
            state.doing[rank] = Doing::WaitingFor(from);
            if let Some(everyone) = state.deadlock(self.ranks) {
                self.stuck(rank, state, format!("all ranks wait for messages that nobody sends: {everyone}"));
            }
            let left = patience.left();
            state = self.wake[rank].wait_timeout(state, left).expect("no rank panics while it holds the lock").0;
            if let Err(report) = patience.check(rank, self.ranks, Awaited::MessageOf(from)) {
                self.stuck(rank, state, report);
            }
        }
    }
}

impl State {
    /// Keeps the failure with the first position in the program, or the first in time if positions are unknown.
    fn fail(&mut self, failure: Failure) {
        self.failed = true;
        let earlier = |other: &Failure| failure.at.zip(other.at).is_some_and(|(at, other)| at < other);
        if self.failure.as_ref().is_none_or(earlier) {
            self.failure = Some(failure);
        }
    }

    /// The waiting ranks, if there is a deadlock: every running rank waits for a message that is not in transit.
    fn deadlock(&self, ranks: usize) -> Option<String> {
        let stuck = |(rank, doing): (usize, &Doing)| match *doing {
            Doing::Running => false,
            Doing::WaitingFor(from) => self.queues[rank * ranks + from].is_empty(),
            Doing::Ended => true,
        };
        if !self.doing.iter().enumerate().all(stuck) {
            return None;
        }
        let wait = |(rank, doing): (usize, &Doing)| match *doing {
            Doing::WaitingFor(from) => Some(format!("rank {rank} for rank {from}")),
            Doing::Running | Doing::Ended => None,
        };
        let waits: Vec<String> = self.doing.iter().enumerate().filter_map(wait).collect();
        Some(waits.join(", "))
    }
}

impl Local {
    fn send(&self, sends: &[(usize, &[u8])]) {
        for &(to, message) in sends {
            debug_assert_ne!(to, self.rank, "a rank does not send to itself");
            let message = message.to_vec();
            let mut state = self.world.state();
            state.queues[to * self.world.ranks + self.rank].push_back(message);
            // A rank that waits for another one would only poll and sleep again.
            let awaited = state.doing[to] == Doing::WaitingFor(self.rank);
            drop(state);
            if awaited {
                self.world.wake[to].notify_one();
            }
        }
    }
}

impl Comm for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.world.ranks
    }

    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        self.send(sends);
        from.iter().map(|&from| self.world.receive(self.rank, from)).collect()
    }

    fn exchange_in_order(
        &self,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        arrived: &mut dyn FnMut(usize, &[u8]),
    ) {
        self.send(sends);
        for (number, (from, _)) in rooms.iter().enumerate() {
            arrived(number, &self.world.receive(self.rank, *from));
        }
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        self.exchange_overlapped(sends, receives, &mut || false);
    }

    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        self.send(sends);
        for (from, buffer) in receives {
            let message = loop {
                if let Some(message) = self.world.arrived(self.rank, *from) {
                    break message;
                }
                if !overlapped() {
                    break self.world.receive(self.rank, *from);
                }
            };
            if message.len() != buffer.len() {
                let (rank, sent, expected) = (self.rank, message.len(), buffer.len());
                let message = format!("rank {rank} expects {expected} bytes from rank {from}, which sent {sent}");
                self.world.fail(rank, self.world.state(), message);
            }
            buffer.copy_from_slice(&message);
        }
    }

    fn stream(&self) -> Option<&dyn Stream> {
        Some(self)
    }

    /// Unwinds all ranks. The caller of [`Local::run`] panics with the first message.
    fn abort(&self, message: &str) -> ! {
        if message.is_empty() {
            AnotherRankFailed::unwind();
        }
        self.world.fail(self.rank, self.world.state(), message.to_owned())
    }
}

impl Stream for Local {
    fn post(&self, to: usize, message: Vec<u8>) {
        debug_assert_ne!(to, self.rank, "a rank does not send to itself");
        self.world.state().streams[to].push_back((self.rank, message));
    }

    fn poll(&self) -> Option<(usize, Vec<u8>)> {
        let mut state = self.world.state();
        let message = state.streams[self.rank].pop_front();
        if message.is_none() && state.failed {
            drop(state);
            AnotherRankFailed::unwind();
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails instead of hanging when the ranks do.
    fn failure<R: Send + 'static>(ranks: usize, body: impl Fn(Local) -> R + Send + Sync + 'static) -> Failure {
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(Local::try_run(ranks, body).err()));
        receive.recv_timeout(std::time::Duration::from_secs(20)).expect("the ranks hang").expect("the ranks succeed")
    }

    #[test]
    fn messages_of_a_pair_keep_their_order() {
        let results = Local::run(4, |comm| {
            let (rank, ranks) = (comm.rank() as u8, comm.ranks());
            let others: Vec<usize> = (0..ranks).filter(|&other| other != comm.rank()).collect();
            let messages: Vec<Vec<u8>> = (0..3).map(|round| vec![rank; round + 1]).collect();
            let sends: Vec<(usize, &[u8])> =
                others.iter().flat_map(|&other| messages.iter().map(move |message| (other, &message[..]))).collect();
            let mut buffers: Vec<(usize, Vec<u8>)> =
                others.iter().flat_map(|&other| (0..3).map(move |round| (other, vec![99; round + 1]))).collect();
            let mut receives: Vec<(usize, &mut [u8])> =
                buffers.iter_mut().map(|(from, buffer)| (*from, &mut buffer[..])).collect();
            comm.exchange(&sends, &mut receives);
            buffers.iter().all(|(from, buffer)| buffer.iter().all(|&byte| byte as usize == *from))
        });
        assert_eq!(results, [true; 4]);
    }

    #[test]
    fn a_panic_ends_the_ranks_that_wait() {
        let failure = failure(3, |comm| {
            if comm.rank() == 1 {
                panic!("rank one has had enough");
            }
            comm.exchange(&[], &mut [(1, &mut [0; 4])]);
        });
        assert_eq!((failure.rank, &*failure.message), (1, "rank one has had enough"));
    }

    #[test]
    #[should_panic(expected = "the payload of the rank")]
    fn the_caller_sees_the_payload() {
        Local::run(2, |comm| {
            if comm.rank() == 0 {
                panic!("the payload of the rank");
            }
            comm.exchange(&[], &mut [(0, &mut [0; 4])]);
        });
    }

    #[test]
    fn an_abort_ends_the_ranks_that_wait_and_the_first_message_wins() {
        let failure = failure(3, |comm| {
            if comm.rank() == 2 {
                comm.abort("enough");
            }
            comm.exchange(&[], &mut [(2, &mut [0; 4])]);
        });
        assert_eq!(failure.to_string(), "rank 2: enough");
    }

    #[test]
    fn a_rank_that_ends_early_is_an_error() {
        let failure = failure(2, |comm| {
            if comm.rank() == 1 {
                comm.exchange(&[], &mut [(0, &mut [0; 4])]);
            }
        });
        assert_eq!(failure.message, "rank 1 waits for a message from rank 0, which has ended");
    }

    #[test]
    fn a_ring_of_waits_is_an_error() {
        let failure = failure(3, |comm| {
            let next = (comm.rank() + 1) % 3;
            comm.exchange(&[], &mut [(next, &mut [0; 4])]);
        });
        assert_eq!(
            failure.message,
            "all ranks wait for messages that nobody sends: rank 0 for rank 1, rank 1 for rank 2, rank 2 for rank 0"
        );
    }

    #[test]
    fn a_rank_that_does_not_come_in_time_is_an_error() {
        use crate::comm::{Stall, set_stall};
        use std::time::Duration;
        let failure = failure(2, |comm| {
            if comm.rank() == 1 {
                std::thread::sleep(Duration::from_millis(300));
            }
            set_stall(Stall { limit: Duration::from_millis(50), abort: true });
            comm.exchange(&[], &mut [(1 - comm.rank(), &mut [0; 4])]);
        });
        let message = "rank 0 of 2 has waited for 0.05 s at the start of the program: no message came from rank 1";
        assert_eq!((failure.rank, &*failure.message), (0, message));
    }

    #[test]
    fn lengths_that_differ_are_an_error() {
        let failure = failure(2, |comm| {
            if comm.rank() == 0 {
                comm.exchange(&[(1, &[1, 2, 3])], &mut []);
            } else {
                comm.exchange(&[], &mut [(0, &mut [0; 4])]);
            }
        });
        assert_eq!(failure.message, "rank 1 expects 4 bytes from rank 0, which sent 3");
    }
}
