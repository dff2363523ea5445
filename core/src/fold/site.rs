//! A loop of the program: its static description, and the measurements of its runs.

use crate::device::Program;
use crate::footprint::{Index, Points};
use crate::lock::lock;
use crate::runtime::PerInstance;
use std::any::TypeId;
use std::collections::VecDeque;
use std::fmt::Arguments;
use std::ops::Deref;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The static description of a loop, from the compiler.
#[derive(Debug)]
pub struct Site {
    /// The name of the function.
    pub name: &'static str,
    /// The number of the loop in the function, from 0.
    pub number: usize,
    /// The estimated work of an iteration.
    pub weight: Weight,
    /// The number of iterations in a chunk, from the attribute.
    pub grain: Grain,
    /// Whether the compiler has proved that iterations write disjoint elements in increasing order.
    pub ordered: bool,
    /// Whether running iterations a second time gives the same sums.
    pub again: bool,
    /// Whether chunks may run interleaved.
    pub interleaving: Interleaving,
    /// Whether the totals are all that a scan computes: it writes no arrays, and its totals detect each mistake.
    pub totals_suffice: bool,
    /// Whether an iteration with proved indices may panic for other reasons than its accumulators.
    pub panics_elsewhere: bool,
    /// The gathered arrays, for each stage in which they are fetched.
    pub gathers: &'static [&'static [usize]],
    /// The arrays that the inspector of each stage reads.
    pub looks: &'static [&'static [usize]],
    /// The names of the arrays in the loop's list, for messages.
    pub arrays: &'static [&'static str],
    /// The source text and the location of each access of the footprint.
    pub accesses: &'static [(&'static str, &'static Location<'static>)],
    /// The accesses as sets of points, for the dependence test.
    pub points: &'static [Points],
    /// Panics with a message, at the location of the loop.
    pub refuse: fn(Arguments<'_>) -> !,
    /// The arity of the tree over ranks.
    pub arity: usize,
    /// The program for devices, or the reason why there is none.
    pub program: Result<Program, &'static str>,
    /// The instances of the function that has the loop.
    pub instances: PerInstance<Instance>,
}

/// Panics with a message, at the location of the caller.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn refuse(message: Arguments<'_>) -> ! {
    panic!("{message}")
}

/// Cached results of the dependence test. Most programs call a loop with the same sizes again and again.
#[derive(Debug)]
pub(super) struct Shown(Mutex<VecDeque<Case>>);

/// Two accesses that are independent for a number of iterations and for values.
#[derive(Debug)]
struct Case {
    accesses: [usize; 2],
    iterations: usize,
    values: Arc<[Index]>,
}

impl Shown {
    const MOST: usize = 16;

    const fn new() -> Shown {
        Shown(Mutex::new(VecDeque::new()))
    }

    /// Whether two accesses are independent: from the cache, or else by the test.
    pub(super) fn or_show(
        &self,
        accesses: [usize; 2],
        iterations: usize,
        values: &Arc<[Index]>,
        test: impl FnOnce() -> bool,
    ) -> bool {
        let same = |case: &Case| case.accesses == accesses && case.iterations == iterations && case.values == *values;
        if lock(&self.0).iter().any(same) {
            return true;
        }
        let shown = test();
        if shown {
            let mut cases = lock(&self.0);
            cases.truncate(Self::MOST - 1);
            cases.push_front(Case { accesses, iterations, values: values.clone() });
        }
        shown
    }
}

/// Whether two accesses with the same step touch a common element in different iterations. `difference` is the distance between them.
#[must_use]
pub const fn meet(step: i128, difference: i128, iterations: i128) -> bool {
    step != 0 && difference != 0 && difference % step == 0 && (difference / step).abs() < iterations
}

impl Site {
    /// The instance of the loop that the type of this closure identifies.
    #[inline]
    pub(super) fn instance<F>(&'static self, _: &F) -> &'static Instance {
        self.instance_of(typeid::of::<F>())
    }

    fn instance_of(&'static self, instance: TypeId) -> &'static Instance {
        self.instances.of(instance, &|| Instance {
            site: self,
            cost: AtomicU64::new(0),
            device_cost: AtomicU64::new(0),
            device_reported: AtomicBool::new(false),
            traffic_reported: AtomicBool::new(false),
            shown: Shown::new(),
        })
    }
}

/// A loop in one instance of a generic function; the address identifies it. Instances differ in constants and types, and therefore in
/// footprints and costs.
#[derive(Debug)]
pub struct Instance {
    site: &'static Site,
    /// The measured cost of an iteration in picoseconds; 0 before the first measurement.
    pub(super) cost: AtomicU64,
    /// The same on a device, without the transfer of elements.
    pub(super) device_cost: AtomicU64,
    /// Whether `FORALL_EXPLAIN` has reported on which device the loop runs.
    pub(super) device_reported: AtomicBool,
    /// Whether `FORALL_EXPLAIN` has reported the traffic between ranks.
    pub(super) traffic_reported: AtomicBool,
    /// The results of the dependence test.
    pub(super) shown: Shown,
}

impl Deref for Instance {
    type Target = Site;

    #[inline]
    fn deref(&self) -> &Site {
        self.site
    }
}

impl Instance {
    /// Whether the cost of an iteration has been measured.
    pub(super) fn is_measured(&self) -> bool {
        self.cost.load(Ordering::Relaxed) != 0
    }

    /// The cost of an iteration in picoseconds: measured, or else estimated.
    pub(super) fn cost(&self) -> u64 {
        match (self.cost.load(Ordering::Relaxed), self.weight) {
            (0, Weight::Light) => 1_000,
            (0, Weight::Medium) => 10_000,
            (0, Weight::Heavy) => 1_000_000,
            (measured, _) => measured,
        }
    }
}

/// Whether a worker may interleave chunks of a scan. If iterations can panic, a later chunk may panic before an earlier one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interleaving {
    /// No iteration panics.
    Free,
    /// Iterations may panic. The chunks then run again, one after another.
    Again,
    /// Never: iterations may panic, and the loop reads what it writes, so it cannot run again.
    Never,
}

/// The estimated work of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Straight code.
    Light,
    /// Calls of functions.
    Medium,
    /// Loops of its own.
    Heavy,
}

/// The number of iterations in a chunk, from the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// Not specified.
    Any,
    /// This number.
    Of(usize),
    /// The square root of the number of iterations.
    Sqrt,
}

impl Grain {
    /// The chunk length for this number of iterations, if specified.
    pub(super) fn of(self, iterations: usize) -> Option<usize> {
        match self {
            Grain::Any => None,
            Grain::Of(grain) => Some(grain.max(1)),
            Grain::Sqrt => Some(iterations.isqrt().max(1)),
        }
    }
}
