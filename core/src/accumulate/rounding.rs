//! How far results may be off because floats were added in another order: noted while `FORALL_VERIFY` compares a call.

use crate::element::{Element, bytes_of};
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

/// How large the floats in a value of the author's are, as far as its type tells: asked as plain data, as printed, or not at all.
#[derive(Debug)]
pub struct Floats<'a, V>(pub &'a V);

/// Found for options, also where it is not known yet what they hold.
pub trait FloatsInOption {
    /// Nothing is known of them.
    fn largest(&self) -> f64 {
        0.0
    }
}

impl<V> FloatsInOption for &&&Floats<'_, Option<V>> {}

/// Found for plain data.
pub trait FloatsInData {
    /// The largest one.
    fn largest(&self) -> f64;
}

impl<V: Element> FloatsInData for &&Floats<'_, V> {
    fn largest(&self) -> f64 {
        of_data(self.0)
    }
}

/// The largest float in plain data whose words are floats, if any are.
pub fn of_data<V: Element>(value: &V) -> f64 {
    let bytes = bytes_of(std::slice::from_ref(value));
    // What is no float may have the bits of any.
    let plain = |value: f64| if value.is_finite() { value.abs() } else { 0.0 };
    let words =
        |of: usize, float: &dyn Fn(&[u8]) -> f64| bytes.chunks_exact(of).map(float).map(plain).fold(0.0, f64::max);
    match align_of::<V>() {
        4 => words(4, &|word| word.try_into().map_or(0.0, |word| f32::from_ne_bytes(word).into())),
        8 => words(8, &|word| word.try_into().map_or(0.0, f64::from_ne_bytes)),
        _ => 0.0,
    }
}

/// Found for what can be printed.
pub trait FloatsInText {
    /// The largest one.
    fn largest(&self) -> f64;
}

impl<V: std::fmt::Debug> FloatsInText for &Floats<'_, V> {
    fn largest(&self) -> f64 {
        let text = format!("{:?}", self.0);
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '+'));
        // Integers are not rounded.
        let floats = words.filter(|word| word.contains('.')).filter_map(|word| word.parse::<f64>().ok());
        floats.filter(|float| float.is_finite()).map(f64::abs).fold(0.0, f64::max)
    }
}

/// Found for the rest.
pub trait NoFloats {
    /// Nothing is known of them.
    fn largest(&self) -> f64 {
        0.0
    }
}

impl<V> NoFloats for Floats<'_, V> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, bytemuck::NoUninit)]
    #[repr(C)]
    struct Mean {
        sum: f64,
        count: u64,
    }

    #[derive(Debug)]
    #[allow(dead_code)] // It is printed.
    struct Named {
        name: &'static str,
        parts: Vec<f64>,
        count: i64,
    }

    struct Silent;

    // All are asked in the words of the expansion, which does not know the type.
    #[allow(clippy::needless_borrow)]
    #[test]
    fn floats_are_found_where_the_type_tells() {
        assert_eq!((&&&&Floats(&-3.5_f64)).largest(), 3.5);
        assert_eq!((&&&&Floats(&[1.0_f32, -7.0, 2.0])).largest(), 7.0);
        assert_eq!((&&&&Floats(&Mean { sum: -1e6, count: 9 })).largest(), 1e6);
        assert_eq!((&&&&Floats(&Mean { sum: f64::NAN, count: 9 })).largest(), 0.0 + f64::from_bits(9));
        let named = Named { name: "a.b", parts: vec![0.5, -2e9], count: 1 << 40 };
        assert_eq!((&&&&Floats(&named)).largest(), 2e9);
        assert_eq!((&&&&Floats(&(1.0, 2.5))).largest(), 2.5);
        assert_eq!((&&&&Floats(&Silent)).largest(), 0.0);
        assert_eq!((&&&&Floats(&Some(2.0))).largest(), 0.0);
    }
}
