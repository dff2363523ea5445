//! Records the locations of panics, so that a rank can report them in one message when it ends all ranks.
//!
//! The payload of a panic has no location. On several ranks, the default hook would print a message for every rank and thread. So our hook
//! is silent there, and records a note for the message.

use super::thread::in_loop;
use crate::error::panic_message;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// The record of a panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanicNote {
    /// The file, line and column.
    pub place: String,
    /// The stack, if `RUST_BACKTRACE` is set.
    pub backtrace: Option<String>,
    message: String,
}

/// Enough for all threads of a rank to panic at once.
const NOTES: usize = 1024;

static RECORD: Once = Once::new();
static QUIET_LOOPS: AtomicBool = AtomicBool::new(false);
static RECENT: Mutex<Vec<PanicNote>> = Mutex::new(Vec::new());

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static TRYING: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook that records panics.
pub fn record_panics() {
    RECORD.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let message = panic_message(info.payload());
            let backtrace = Backtrace::capture();
            let note = PanicNote {
                place: info.location().map(ToString::to_string).unwrap_or_default(),
                backtrace: (backtrace.status() == BacktraceStatus::Captured).then(|| shorten(&backtrace.to_string())),
                message: message.to_owned(),
            };
            let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
            if recent.len() == NOTES {
                recent.remove(0);
            }
            recent.push(note);
            drop(recent);
            // Without unwinding, the note is not read.
            let quiet = TRYING.get() || WATCHED.get() || (in_loop() && QUIET_LOOPS.load(Ordering::Relaxed));
            if !quiet || cfg!(panic = "abort") {
                usual(info);
            }
        }));
    });
}

/// Panics of the calling thread, and in loop bodies on any thread, are recorded and not printed; the caller prints them.
pub fn watch_panics() {
    record_panics();
    QUIET_LOOPS.store(true, Ordering::Relaxed);
    WATCHED.set(true);
}

/// Runs a speculative function, whose panics are not printed.
pub fn tried<R>(run: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            TRYING.set(self.0);
        }
    }
    record_panics();
    let _before = Before(TRYING.replace(true));
    run()
}

/// The record of the latest panic with this message.
pub fn panic_note(message: &str) -> Option<PanicNote> {
    let recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.iter().rev().find(|note| note.message == message).cloned()
}

/// The program's own part of a stack, as the usual message shows it; `RUST_BACKTRACE=full` keeps all.
fn shorten(stack: &str) -> String {
    if std::env::var("RUST_BACKTRACE").is_ok_and(|value| value == "full") {
        return stack.to_owned();
    }
    let (mut shown, mut inside) = (String::new(), false);
    for line in stack.lines() {
        if line.contains("__rust_begin_short_backtrace") || line.contains("forall::start::run_rank") {
            break;
        }
        if inside {
            shown.push_str(line);
            shown.push('\n');
        }
        inside |= line.contains("__rust_end_short_backtrace");
    }
    // The line after the mark says where the mark is, not where the program is.
    let first = shown.lines().next().is_some_and(|line| line.trim_start().starts_with("at "));
    shown.lines().skip(usize::from(first)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_short_stack_is_the_programs_own() {
        let stack = "   0: hook\n      at hook.rs:1\n   1: std::__rust_end_short_backtrace::<f>\n      at std.rs:2\n   \
                     2: app::kernel\n      at app.rs:3\n   3: std::__rust_begin_short_backtrace\n      at std.rs:4\n";
        assert_eq!(super::shorten(stack), "   2: app::kernel\n      at app.rs:3");
    }
}
