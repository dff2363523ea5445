//! A loop of the program, and what is known of it: when it is compiled, and from running it.

use crate::device::Program;
use crate::footprint::{Index, Points};
use crate::lock::lock;
use crate::runtime::PerInstance;
use std::collections::VecDeque;
use std::fmt::Arguments;
use std::ops::Deref;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What is known of a loop when it is compiled.
#[derive(Debug)]
pub struct Site {
    /// The function and the loop's number in it.
    pub name: &'static str,
    /// Which loop of the function, from 0.
    pub number: usize,
    /// How much work an iteration looks to be.
    pub weight: Weight,
    /// How many iterations a chunk has, as the author wants it.
    pub grain: Grain,
    /// Whether iterations are proved to write ordered, disjoint places already when compiling.
    pub ordered: bool,
    /// Whether iterations that have run come to the same sums when they run once more.
    pub again: bool,
    /// What may panic in chunks that run side by side.
    pub beside: Beside,
    /// Whether an iteration may panic by something else than its sums and such, where its indices are proved.
    pub panics_elsewhere: bool,
    /// The arrays that are read at places which only the data know, in the stages in which they are fetched.
    pub gathers: &'static [&'static [usize]],
    /// The arrays that the part of the body looks at which asks for these, in each stage.
    pub looks: &'static [&'static [usize]],
    /// The names of the arrays in the loop's list, for messages.
    pub arrays: &'static [&'static str],
    /// The accesses of its footprint as they are written, and where.
    pub accesses: &'static [(&'static str, &'static Location<'static>)],
    /// The points at which some of them happen.
    pub points: &'static [Points],
    /// Ends the program with a message, at the loop's place.
    pub refuse: fn(Arguments<'_>) -> !,
    /// The arity of the tree over ranks.
    pub arity: usize,
    /// Its translation for devices, or why there is none.
    pub program: Result<Program, &'static str>,
    /// The instances of the function that has the loop.
    pub instances: PerInstance<Instance>,
}

/// Ends the program with a message, at the place of the caller.
///
/// # Panics
/// Always.
#[cold]
#[track_caller]
pub fn refuse(message: Arguments<'_>) -> ! {
    panic!("{message}")
}

/// What the dependence test has shown in the latest calls: a program calls most loops with the same sizes again and again.
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

    /// Whether two accesses are independent: as shown before, or else by the test.
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

/// Whether two of so many iterations touch the same element, where an access moves by a step from one to the next, and another one is this
/// far away from it.
#[must_use]
pub const fn meet(step: i128, difference: i128, iterations: i128) -> bool {
    step != 0 && difference != 0 && difference % step == 0 && (difference / step).abs() < iterations
}

impl Site {
    /// The loop in the instance of its function that has this closure.
    #[inline]
    pub(super) fn instance<F>(&'static self, of: &F) -> &'static Instance {
        self.instances.of(of, &|| Instance {
            site: self,
            cost: AtomicU64::new(0),
            device_cost: AtomicU64::new(0),
            told: AtomicBool::new(false),
            moved: AtomicBool::new(false),
            shown: Shown::new(),
        })
    }
}

/// A loop in one instance of its function. Its address is the identity of the loop: instances have other constants and types, so that
/// they touch other elements and take other times.
#[derive(Debug)]
pub struct Instance {
    site: &'static Site,
    /// The measured cost of an iteration in picoseconds; 0 when not measured yet.
    pub(super) cost: AtomicU64,
    /// The same on a device, without what it takes to move elements there and back.
    pub(super) device_cost: AtomicU64,
    /// Whether it was told where the loop runs.
    pub(super) told: AtomicBool,
    /// Whether it was told what moves between ranks.
    pub(super) moved: AtomicBool,
    /// What the dependence test has shown of its accesses.
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
    /// Whether it is known what an iteration costs.
    pub(super) fn is_measured(&self) -> bool {
        self.cost.load(Ordering::Relaxed) != 0
    }

    /// What an iteration costs, in picoseconds: measured, or guessed.
    pub(super) fn cost(&self) -> u64 {
        match (self.cost.load(Ordering::Relaxed), self.weight) {
            (0, Weight::Light) => 1_000,
            (0, Weight::Medium) => 10_000,
            (0, Weight::Heavy) => 1_000_000,
            (measured, _) => measured,
        }
    }
}

/// What may panic in chunks that run side by side, each from the value before it: a later one may come to its panic before an earlier one
/// comes to where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Free,
    /// Something, and the chunks can run again, one after another.
    Again,
    /// Something, and they cannot: the loop reads what it writes.
    Never,
}

/// How much work an iteration looks to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Straight code.
    Light,
    /// Calls of functions.
    Medium,
    /// Loops of its own.
    Heavy,
}

/// How many iterations a chunk has, as the attribute says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// It says nothing.
    Any,
    /// So many.
    Of(usize),
    /// As many as there are chunks: the square root of all of them.
    Sqrt,
}

impl Grain {
    /// For a loop of so many iterations.
    pub(super) fn of(self, iterations: usize) -> Option<usize> {
        match self {
            Grain::Any => None,
            Grain::Of(grain) => Some(grain.max(1)),
            Grain::Sqrt => Some(iterations.isqrt().max(1)),
        }
    }
}
