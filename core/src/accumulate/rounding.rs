//! The tolerance for floats that were added in another order, recorded while `FORALL_VERIFY` compares a call.
//!
//! Two sums of the same n terms in different orders differ by at most n * epsilon * (the sum of the absolute values of the terms). While a
//! call is compared, the checked form of each body counts its updates of each variable and each bin, and adds up their sizes.

use crate::comm::{Comm, collective};
use crate::element::{Element, bytes_of};
use crate::lock::lock;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Whether a call is compared in this process. Other calls may record sums at the same time, which only increases the tolerance.
static NOTING: AtomicBool = AtomicBool::new(false);

/// The number of calls that are compared now: ranks and tests may be threads of one process.
static COMPARED: Mutex<usize> = Mutex::new(0);

/// The number of iterations of the longest loop that merged inexact values.
static ITERATIONS: AtomicU64 = AtomicU64::new(0);

/// The number of terms of the longest sum outside the bodies of loops.
static OTHERS: AtomicU64 = AtomicU64::new(0);

/// The bits of the largest partial sum. The bits of nonnegative floats are in the order of the floats.
static LARGEST: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The updates of the call that this thread compares.
    static COUNTS: RefCell<Option<Arc<Mutex<Counts>>>> = const { RefCell::new(None) };
}

/// Results whose merges depend on the grouping.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rounded {
    /// The number of terms; 0 if all merges were exact.
    pub terms: u64,
    /// Whether the terms were counted. Otherwise their number is that of the iterations.
    pub counted: bool,
    /// The largest partial sum.
    pub largest: f64,
    /// The largest product of the number of terms of a sum and the sum of their absolute values.
    pub weight: f64,
}

/// The updates of a variable of a loop, or of one of its bins.
#[derive(Debug, Clone, Copy, Default)]
struct Updates {
    count: u64,
    /// The sum of the absolute changes.
    sizes: f64,
}

/// The updates by the function and the number of the loop, the number of the variable in the loop, and the bin.
type Counts = HashMap<(&'static str, usize, usize, u64), Updates>;

/// Counts the updates of one loop, if this call is compared.
#[derive(Debug)]
pub struct Counter {
    counts: Option<Arc<Mutex<Counts>>>,
    function: &'static str,
    number: usize,
}

impl Counter {
    /// A counter for the loop of this number in a function.
    pub fn of(function: &'static str, number: usize) -> Counter {
        let counts = if noting() { COUNTS.with_borrow(Clone::clone) } else { None };
        Counter { counts, function, number }
    }

    /// Begins a range of iterations; `None` if updates are not counted.
    #[inline]
    pub fn begin(&self) -> Option<Counting<'_>> {
        self.counts.as_ref().map(|counts| Counting { counts, counter: self, noted: RefCell::default() })
    }
}

/// The updates of a range of iterations on one worker.
#[derive(Debug)]
pub struct Counting<'c> {
    counts: &'c Mutex<Counts>,
    counter: &'c Counter,
    noted: RefCell<HashMap<(usize, u64), Updates>>,
}

impl Counting<'_> {
    /// Records an update of a variable, or of one of its bins, from one value to another.
    pub fn note(&self, variable: usize, bin: u64, before: f64, after: f64) {
        let size = (after - before).abs();
        let mut noted = self.noted.borrow_mut();
        let updates = noted.entry((variable, bin)).or_default();
        updates.count += 1;
        updates.sizes += if size.is_finite() { size } else { 0.0 };
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        let Counter { function, number, .. } = *self.counter;
        let mut counts = lock(self.counts);
        for ((variable, bin), updates) in self.noted.take() {
            let all = counts.entry((function, number, variable, bin)).or_default();
            all.count += updates.count;
            all.sizes += updates.sizes;
        }
    }
}

/// The number of a bin: a hash of its index.
pub fn bin(index: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    index.hash(&mut hasher);
    hasher.finish()
}

/// Records sums for one more call, until [`end`].
pub fn begin() {
    let mut compared = lock(&COMPARED);
    if *compared == 0 {
        ITERATIONS.store(0, Ordering::Relaxed);
        OTHERS.store(0, Ordering::Relaxed);
        LARGEST.store(0, Ordering::Relaxed);
        NOTING.store(true, Ordering::Relaxed);
    }
    *compared += 1;
    COUNTS.set(Some(Arc::default()));
}

/// Stops recording for one call.
pub fn end() {
    let mut compared = lock(&COMPARED);
    *compared -= 1;
    if *compared == 0 {
        NOTING.store(false, Ordering::Relaxed);
    }
    COUNTS.set(None);
}

/// The records of all ranks since [`begin`]. Collective. If a device may have run loops, the number of terms is that of the iterations.
pub fn noted(comm: &dyn Comm, device: bool) -> Rounded {
    let (count, weight) = counted(comm);
    let iterations = ITERATIONS.load(Ordering::Relaxed);
    let others = OTHERS.load(Ordering::Relaxed);
    let counted = count > 0 && others == 0 && !device;
    let terms = if counted { count } else { count.max(iterations) };
    Rounded {
        terms: if iterations == 0 { others } else { terms.max(others) },
        counted,
        largest: f64::from_bits(LARGEST.load(Ordering::Relaxed)),
        weight,
    }
}

/// The largest number of updates of a variable or a bin, and the largest product of their number and their sizes.
fn counted(comm: &dyn Comm) -> (u64, f64) {
    // A sum on several ranks has the terms of all of them. For bins, each rank sends its largest one.
    let mut mine: BTreeMap<(&str, usize, usize), Updates> = BTreeMap::new();
    let (mut count, mut weight) = (0, 0.0_f64);
    for ((function, number, variable, _), updates) in
        COUNTS.with_borrow(|counts| counts.as_ref().map(|c| lock(c).clone())).unwrap_or_default()
    {
        let most = mine.entry((function, number, variable)).or_default();
        most.count = most.count.max(updates.count);
        most.sizes = most.sizes.max(updates.sizes);
        count = count.max(updates.count);
        weight = weight.max(updates.count as f64 * updates.sizes);
    }
    if comm.ranks() == 1 {
        return (count, weight);
    }
    let entry = |((function, number, variable), updates): ((&str, usize, usize), Updates)| {
        [bin(&(function, number, variable)), updates.count, updates.sizes.to_bits()]
    };
    let mine: Vec<[u64; 3]> = mine.into_iter().map(entry).collect();
    let mut all: HashMap<u64, Updates> = HashMap::new();
    for [variable, count, sizes] in collective::allgather_varied(comm, &mine).0 {
        let sum = all.entry(variable).or_default();
        sum.count += count;
        sum.sizes += f64::from_bits(sizes);
    }
    all.values().fold((0, 0.0), |(count, weight), updates| {
        (count.max(updates.count), f64::max(weight, updates.count as f64 * updates.sizes))
    })
}

/// Records that a loop of this many iterations merges inexact values.
pub fn merges(iterations: usize) {
    if noting() {
        ITERATIONS.fetch_max(iterations as u64, Ordering::Relaxed);
    }
}

/// Records a sum of this many terms outside the bodies of loops.
pub fn merges_others(terms: usize) {
    if noting() {
        OTHERS.fetch_max(terms as u64, Ordering::Relaxed);
    }
}

/// Whether partial sums are recorded now.
#[inline(always)]
pub fn noting() -> bool {
    NOTING.load(Ordering::Relaxed)
}

/// Records a partial sum.
#[inline(always)]
pub fn partial(sum: impl FnOnce() -> f64) {
    if noting() {
        // A NaN does not change the largest sum.
        LARGEST.fetch_max(sum().abs().min(f64::MAX).to_bits(), Ordering::Relaxed);
    }
}

/// The magnitude of the floats in a value of the user's type: as plain data, from its `Debug` text, or unknown.
#[derive(Debug)]
pub struct Floats<'a, V>(pub &'a V);

/// Method resolution finds this trait for options, even if their type is not inferred yet.
pub trait FloatsInOption {
    /// Unknown.
    fn __largest(&self) -> f64 {
        0.0
    }
}

impl<V> FloatsInOption for &&&Floats<'_, Option<V>> {}

/// Method resolution finds this trait for plain data.
pub trait FloatsInData {
    /// The largest magnitude.
    fn __largest(&self) -> f64;
}

impl<V: Element> FloatsInData for &&Floats<'_, V> {
    fn __largest(&self) -> f64 {
        of_data(self.0)
    }
}

/// The largest float in plain data, if its words are floats.
pub fn of_data<V: Element>(value: &V) -> f64 {
    let bytes = bytes_of(std::slice::from_ref(value));
    // Words that are not floats may have any bits.
    let plain = |value: f64| if value.is_finite() { value.abs() } else { 0.0 };
    let words =
        |of: usize, float: &dyn Fn(&[u8]) -> f64| bytes.chunks_exact(of).map(float).map(plain).fold(0.0, f64::max);
    match align_of::<V>() {
        4 => words(4, &|word| word.try_into().map_or(0.0, |word| f32::from_ne_bytes(word).into())),
        8 => words(8, &|word| word.try_into().map_or(0.0, f64::from_ne_bytes)),
        _ => 0.0,
    }
}

/// Method resolution finds this trait for types that implement `Debug`.
pub trait FloatsInText {
    /// The largest magnitude.
    fn __largest(&self) -> f64;
}

impl<V: std::fmt::Debug> FloatsInText for &Floats<'_, V> {
    fn __largest(&self) -> f64 {
        let text = format!("{:?}", self.0);
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '+'));
        // Integers are not rounded.
        let floats = words.filter(|word| word.contains('.')).filter_map(|word| word.parse::<f64>().ok());
        floats.filter(|float| float.is_finite()).map(f64::abs).fold(0.0, f64::max)
    }
}

/// Method resolution finds this trait for all other types.
pub trait NoFloats {
    /// Unknown.
    fn __largest(&self) -> f64 {
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

    // The calls are those of the expansion, which does not know the type.
    #[allow(clippy::needless_borrow)]
    #[test]
    fn floats_are_found_where_the_type_tells() {
        assert_eq!((&&&&Floats(&-3.5_f64)).__largest(), 3.5);
        assert_eq!((&&&&Floats(&[1.0_f32, -7.0, 2.0])).__largest(), 7.0);
        assert_eq!((&&&&Floats(&Mean { sum: -1e6, count: 9 })).__largest(), 1e6);
        assert_eq!((&&&&Floats(&Mean { sum: f64::NAN, count: 9 })).__largest(), 0.0 + f64::from_bits(9));
        let named = Named { name: "a.b", parts: vec![0.5, -2e9], count: 1 << 40 };
        assert_eq!((&&&&Floats(&named)).__largest(), 2e9);
        assert_eq!((&&&&Floats(&(1.0, 2.5))).__largest(), 2.5);
        assert_eq!((&&&&Floats(&Silent)).__largest(), 0.0);
        assert_eq!((&&&&Floats(&Some(2.0))).__largest(), 0.0);
    }
}
