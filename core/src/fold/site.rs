//! A loop of the program, and what is known of it: when it is compiled, and from running it.

use crate::device::Program;
use crate::runtime::PerInstance;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    /// The arity of the tree over ranks.
    pub arity: usize,
    /// Its translation for devices, or why there is none.
    pub program: Result<Program, &'static str>,
    /// The instances of the function that has the loop.
    pub instances: PerInstance<Instance>,
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
