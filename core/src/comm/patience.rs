//! How long a rank waits for another before it says so.
//!
//! A link that is cut, or a loop that does not end, leaves all other ranks waiting. A wait that lasts longer than the [`Stall`] allows is
//! reported once: who waits, in which call, for whom and for what. The rank that does not come says nothing.
//!
//! A communicator is used from one thread alone, so the limit, and where the rank is in the program, belong to that thread.

use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::Write;
use std::time::{Duration, Instant};

/// How long a wait may last, and what comes then: `FORALL_STALL`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// A wait that lasts longer is reported.
    pub limit: Duration,
    /// Whether it also ends the program.
    pub abort: bool,
}

impl Stall {
    /// Unless told otherwise.
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

/// How long the calling thread's rank waits from now on; returns how long it did before.
pub fn set_stall(stall: Stall) -> Stall {
    STALL.replace(stall)
}

/// Where in a function a rank is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before all calls.
    Start,
    /// In the call of this number.
    Call(u64),
    /// In a loop, counted from 1, of the call of this number.
    Loop(u32, u64),
    /// It has returned.
    End,
}

/// The calling thread's rank is in this function now.
pub fn set_place(function: &str, place: Place) {
    // At the end of a process its locals may be gone before its ranks have parted.
    let _ = PLACE.try_with(|current| {
        let (name, at) = &mut *current.borrow_mut();
        name.clear();
        name.push_str(function);
        *at = place;
    });
}

/// Where the calling thread's rank is, for messages.
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

/// What a rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// A message of this rank.
    MessageOf(usize),
    /// That this rank takes a message of so many bytes.
    Taking(usize, usize),
}

impl fmt::Display for Awaited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Awaited::MessageOf(rank) => write!(formatter, "no message came from rank {rank}"),
            Awaited::Taking(rank, bytes) => write!(formatter, "rank {rank} has not taken a message of {bytes} bytes"),
        }
    }
}

/// One wait of a rank.
#[derive(Debug, Default)]
pub struct Patience {
    looks: u32,
    since: Option<Instant>,
    told: bool,
    /// Whether others need this core too.
    crowded: bool,
}

/// How often a rank looks in vain before it lets others have its core.
const EAGER: u32 = 64;

/// How often a rank looks in vain for each look at the clock.
const LOOKS: u32 = 256;

/// What a crowded rank sleeps between two looks is this part of what it has waited, so that no wait gets longer by more than that.
const PART_ASLEEP: u32 = 8;

/// The longest sleep between two looks.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// Sleeps that are shorter take longer than they say.
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);

impl Patience {
    /// Of a rank that runs where there are more ranks than cores, or not. While such a rank looks, another one that it may wait for
    /// cannot compute: it sleeps in between, once it has waited for a while.
    pub fn where_crowded(crowded: bool) -> Patience {
        Patience { crowded, ..Patience::default() }
    }

    /// For those that look again and again: to be called after each look in vain.
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

    /// How long this rank sleeps until its next look, once it does.
    pub fn pause(&self) -> Option<Duration> {
        let waited = self.since.filter(|_| self.crowded)?.elapsed();
        Some((waited / PART_ASLEEP).min(LONGEST_SLEEP)).filter(|pause| *pause >= SHORTEST_SLEEP)
    }

    /// For those that sleep until they are woken: how long they may sleep before they are to [`check`](Patience::check).
    pub fn left(&mut self) -> Duration {
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.told { Duration::MAX } else { STALL.get().limit.saturating_sub(since.elapsed()) }
    }

    /// Reports the wait, the first time that it has lasted too long.
    ///
    /// # Errors
    /// The report, where it is to end the program.
    pub fn check(&mut self, rank: usize, ranks: usize, awaited: Awaited) -> Result<(), String> {
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        let Stall { limit, abort } = STALL.get();
        if self.told || waited < limit {
            return Ok(());
        }
        self.told = true;
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
