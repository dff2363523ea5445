//! Detection of stalls: reports if a rank waits too long for another one.
//!
//! After a network failure, or if a loop does not end, all other ranks wait. A wait that is longer than the limit of [`Stall`] is reported
//! once: the waiting rank, its call, the other rank, and the message.
//!
//! One thread uses a communicator, so the limit and the position in the program are thread-local.

use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::Write;
use std::time::{Duration, Instant};

/// The limit for waits, and the reaction: `FORALL_STALL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// Longer waits are reported.
    pub limit: Duration,
    /// Whether they also end the program.
    pub abort: bool,
}

impl Stall {
    /// The default.
    pub const DEFAULT: Stall = Stall { limit: Duration::from_secs(60), abort: false };
}

impl Default for Stall {
    fn default() -> Stall {
        Stall::DEFAULT
    }
}

thread_local! {
    static STALL: Cell<Stall> = const { Cell::new(Stall::DEFAULT) };
    static PLACE: RefCell<(String, Place)> = const { RefCell::new((String::new(), Place::Start)) };
}

/// Sets the limit of the calling thread's rank; returns the previous one.
pub fn set_stall(stall: Stall) -> Stall {
    STALL.replace(stall)
}

/// The position of a rank in a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the first call.
    Start,
    /// In the call of this number.
    Call(u64),
    /// In a loop, counted from 1, of the call of this number.
    Loop(u32, u64),
    /// After its return.
    End,
}

/// Sets the position of the calling thread's rank.
pub fn set_place(function: &str, place: Place) {
    // At the end of a process its locals may be gone before its ranks have parted.
    let _ = PLACE.try_with(|current| {
        let (name, at) = &mut *current.borrow_mut();
        name.clear();
        name.push_str(function);
        *at = place;
    });
}

/// The position of the calling thread's rank, for messages.
pub(crate) fn place() -> String {
    let text = |function: &str, place: Place| match place {
        Place::Start => "at the start of the program".to_owned(),
        Place::Call(call) => format!("in `{function}` (call {call})"),
        Place::Loop(number, call) => format!("in loop {number} of `{function}` (call {call})"),
        Place::End => format!("at the end of {function}"),
    };
    let current = PLACE.try_with(|place| text(&place.borrow().0, place.borrow().1));
    current.unwrap_or_else(|_| text("the process", Place::End))
}

/// The event that a rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// A message from this rank.
    MessageOf(usize),
    /// A message of any rank, or the end of the work on all ranks.
    MessageOfAny,
    /// The receipt of a message of this size by this rank.
    Taking(usize, usize),
}

impl fmt::Display for Awaited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Awaited::MessageOf(rank) => write!(formatter, "no message came from rank {rank}"),
            Awaited::MessageOfAny => {
                write!(formatter, "other ranks have not ended their work, and no message came from them")
            }
            Awaited::Taking(rank, bytes) => write!(formatter, "rank {rank} has not taken a message of {bytes} bytes"),
        }
    }
}

/// One wait of a rank.
#[derive(Debug, Default)]
pub struct Patience {
    looks: u32,
    since: Option<Instant>,
    reported: bool,
    /// Whether there are more ranks than cores.
    crowded: bool,
}

/// The number of polls before a rank yields its core.
const EAGER: u32 = 64;

/// The number of polls for each reading of the clock.
const LOOKS: u32 = 256;

/// If there are more ranks than cores, a rank sleeps between polls for this fraction of its waiting time, which bounds the extra delay.
const PART_ASLEEP: u32 = 8;

/// The longest sleep between polls.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// Shorter sleeps are inaccurate.
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);

impl Patience {
    /// `crowded` says whether there are more ranks than cores. While a rank polls, the rank that it waits for cannot use the core, so after
    /// some time it sleeps between polls.
    pub fn where_crowded(crowded: bool) -> Patience {
        Patience { crowded, ..Patience::default() }
    }

    /// For polling: call it after each unsuccessful poll.
    ///
    /// # Errors
    /// As [`check`](Patience::check).
    #[inline]
    pub fn spend(&mut self, rank: usize, ranks: usize, awaited: Awaited) -> Result<(), String> {
        self.looks = self.looks.wrapping_add(1);
        match self.pause() {
            // Another rank may need this core.
            None if self.looks > EAGER => std::thread::yield_now(),
            None => {}
            Some(pause) => {
                std::thread::sleep(pause);
                return self.check(rank, ranks, awaited);
            }
        }
        if self.looks.is_multiple_of(LOOKS) { self.check(rank, ranks, awaited) } else { Ok(()) }
    }

    /// The sleep before the next poll.
    pub fn pause(&self) -> Option<Duration> {
        let waited = self.since.filter(|_| self.crowded)?.elapsed();
        Some((waited / PART_ASLEEP).min(LONGEST_SLEEP)).filter(|pause| *pause >= SHORTEST_SLEEP)
    }

    /// For blocking waits: the longest sleep before the next [`check`](Patience::check).
    pub fn left(&mut self) -> Duration {
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.reported { Duration::MAX } else { STALL.get().limit.saturating_sub(since.elapsed()) }
    }

    /// Reports the wait once, if it has lasted too long.
    ///
    /// # Errors
    /// The report, if it has to end the program.
    pub fn check(&mut self, rank: usize, ranks: usize, awaited: Awaited) -> Result<(), String> {
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        let Stall { limit, abort } = STALL.get();
        if self.reported || waited < limit {
            return Ok(());
        }
        self.reported = true;
        let (seconds, place) = (limit.as_secs_f64(), place());
        let report = format!("rank {rank} of {ranks} has waited for {seconds} s {place}: {awaited}");
        if abort {
            return Err(report);
        }
        // Not `eprintln!`, which a test harness captures and would lose.
        let _ = writeln!(std::io::stderr(), "{report}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_tells_who_waits_where_and_for_what() {
        let before = set_stall(Stall { limit: Duration::ZERO, abort: true });
        let report = |awaited| Patience::default().check(2, 4, awaited).expect_err("it has lasted too long");
        let start = "rank 2 of 4 has waited for 0 s at the start of the program: no message came from rank 1";
        assert_eq!(report(Awaited::MessageOf(1)), start);
        set_place("sum", Place::Call(7));
        let taking = "rank 2 of 4 has waited for 0 s in `sum` (call 7): rank 0 has not taken a message of 8 bytes";
        assert_eq!(report(Awaited::Taking(0, 8)), taking);
        set_place("sum", Place::Loop(3, 7));
        assert!(report(Awaited::MessageOf(1)).contains(" in loop 3 of `sum` (call 7): "));
        set_place("main", Place::End);
        assert!(report(Awaited::MessageOf(1)).contains(" at the end of main: "));
        set_stall(before);
    }

    #[test]
    fn a_wait_is_reported_once() {
        let before = set_stall(Stall { limit: Duration::from_millis(5), abort: true });
        let mut patience = Patience::default();
        assert!(patience.left() > Duration::ZERO && patience.check(0, 2, Awaited::MessageOf(1)).is_ok());
        std::thread::sleep(Duration::from_millis(6));
        assert!(patience.left().is_zero() && patience.check(0, 2, Awaited::MessageOf(1)).is_err());
        assert!(patience.left() == Duration::MAX && patience.check(0, 2, Awaited::MessageOf(1)).is_ok());
        for crowded in [false, true] {
            let mut looks = Patience::where_crowded(crowded);
            let waits = (0..).take_while(|_| looks.spend(0, 2, Awaited::MessageOf(1)).is_ok()).count();
            assert!(waits as u32 >= LOOKS);
            assert_eq!(looks.pause().is_some(), crowded);
        }
        set_stall(before);
    }
}
