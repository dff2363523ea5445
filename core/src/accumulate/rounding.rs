//! How far results may be off because floats were added in another order: noted while `FORALL_VERIFY` compares a call.

use crate::lock::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether a call is compared in this process. Others than that one may note as well: then more is allowed.
static NOTING: AtomicBool = AtomicBool::new(false);

/// How many calls are compared now: ranks and tests may be threads of one process.
static COMPARED: Mutex<usize> = Mutex::new(0);

/// How many terms the longest sum had; none where all merges were exact.
static TERMS: AtomicU64 = AtomicU64::new(0);

/// The bits of the largest partial sum: those of floats that are not negative are in the order of the floats.
static LARGEST: AtomicU64 = AtomicU64::new(0);

/// Results whose merges depend on the grouping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded {
    /// How many terms were added; 0 where all merges were exact.
    pub terms: u64,
    /// The largest partial sum.
    pub largest: f64,
}

/// From now on, until [`end`], sums are noted for one more call.
pub fn begin() {
    let mut compared = lock(&COMPARED);
    if *compared == 0 {
        TERMS.store(0, Ordering::Relaxed);
        LARGEST.store(0, Ordering::Relaxed);
        NOTING.store(true, Ordering::Relaxed);
    }
    *compared += 1;
}

/// One call less is compared.
pub fn end() {
    let mut compared = lock(&COMPARED);
    *compared -= 1;
    if *compared == 0 {
        NOTING.store(false, Ordering::Relaxed);
    }
}

/// What was noted since [`begin`].
pub fn noted() -> Rounded {
    Rounded { terms: TERMS.load(Ordering::Relaxed), largest: f64::from_bits(LARGEST.load(Ordering::Relaxed)) }
}

/// A loop merges what is not exact, of so many iterations.
pub fn merges(iterations: usize) {
    if noting() {
        TERMS.fetch_max(iterations as u64, Ordering::Relaxed);
    }
}

/// Whether partial sums are noted now.
#[inline(always)]
pub fn noting() -> bool {
    NOTING.load(Ordering::Relaxed)
}

/// A partial sum.
#[inline(always)]
pub fn partial(sum: impl FnOnce() -> f64) {
    if noting() {
        // What is not a number says nothing of the others.
        LARGEST.fetch_max(sum().abs().min(f64::MAX).to_bits(), Ordering::Relaxed);
    }
}
