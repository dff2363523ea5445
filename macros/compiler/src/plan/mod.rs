//! The plan of a loop, as plain data: what analysis asks about, [`classify`](crate::classify) fills, and both translations read.

mod class;
mod operator;
mod rewrite;
mod sort;

pub use class::{
    Accumulator, Better, Class, ComparedBy, Described, Leaf, Missing, StateMerge, Step, Written, path_below,
};
pub use operator::{Merge, Operator};
pub use rewrite::{Amount, Linear, Operand, Rewrite};
pub use sort::{Column, Order, Rows, Sort, Subject};

use crate::front::header::Source;
use crate::index::poly::Poly;
use crate::index::{Bound, Invariant, Known, Points, Value};
use crate::ir::obligation::Obligation;
use crate::ir::{Expr, For, Id, Local};
use proc_macro2::{Ident, Span, TokenStream};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A loop made ready for both translations.
pub struct Plan {
    pub f: Rc<For>,
    /// As the author wrote it; a recurrence through an array is rewritten.
    pub written: Rc<For>,
    pub source: Source,
    pub slots: Vec<Slot>,
    pub accesses: Vec<Access>,
    pub accumulators: Vec<Accumulator>,
    /// Variables that every iteration sets before it reads them.
    pub privates: Vec<Local>,
    /// Whether the body sees a running value.
    pub running: bool,
    /// Whether a part of the iterations may panic where the loop does not, and the loop can be run again in order then.
    pub guarded: bool,
    /// Whether iterations are proved to write ordered places while compiling.
    pub ordered: bool,
    pub weight: Weight,
    /// Whether the body calls macros that may do anything.
    pub macros: bool,
    pub captures: Vec<(Local, Span)>,
    /// Arrays whose length is asked for.
    pub lengths: BTreeSet<Local>,
    /// Where places to write at ask for the length of their array: `out[out.len() - 1 - i] = e`. A slice is asked before it
    /// is borrowed, what stands for one in a kernel is not.
    pub own_lengths: HashMap<Id, Local>,
    /// Arrays whose shape is asked for.
    pub shapes: BTreeSet<Local>,
    /// Array elements of the previous iteration, held in variables.
    pub carried: Vec<Carried>,
    /// What asks for the elements of gathered arrays.
    pub asking: Option<Asking>,
    /// Distances between accesses that only rustc knows.
    pub distances: Vec<Distance>,
    /// How the expansion computes the indices of elements.
    pub computed: ComputedIndices,
    /// What is assumed of names in the loop.
    pub obligations: Vec<Obligation>,
}

/// How the expansion computes the indices of elements from bindings that the user's tokens cannot name.
#[derive(Debug, Default)]
pub struct ComputedIndices {
    /// By the nodes of the indices; nothing for a node that stands for several accesses.
    pub indices: HashMap<Id, Option<ComputedIndex>>,
    /// What is added to loops, by their sources, and to closures, by their bodies.
    pub bounds: HashMap<Id, Vec<Bound>>,
    /// Nodes that are the same in all iterations.
    pub invariants: HashMap<Id, Invariant>,
}

/// The index of an element, as the expansion computes it.
#[derive(Debug, Clone)]
pub struct ComputedIndex {
    pub array: Local,
    pub form: IndexForm,
    /// One value, or one for each axis of an array with a shape.
    pub along: Vec<Rc<Value>>,
}

/// How an index is written: `x[i]`, `a[[y, x]]` or `a[(y, x)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexForm {
    Number,
    Array,
    Tuple,
}

/// How much an iteration does, at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Light,
    /// It calls functions.
    Medium,
    /// It has loops.
    Heavy,
}

/// The part of a body that asks for the elements of gathered arrays.
pub struct Asking {
    /// What runs before each fetch, and the slots that it asks for.
    pub stages: Vec<(TokenStream, Vec<usize>)>,
    /// The slots that each of these parts looks at.
    pub looks: Vec<Vec<usize>>,
    /// Private variables that it sets.
    pub privates: Vec<Local>,
    /// The variables from outside of the loop that it hangs on beside the arrays; nothing where it hangs on more.
    pub captures: Option<BTreeSet<Local>>,
    /// The reads that it is for, by slot.
    pub reads: Vec<(usize, Vec<String>)>,
}

impl Plan {
    /// How many levels of running values there are, each of which is computed from the inputs and the levels below.
    pub fn levels(&self) -> usize {
        self.accumulators.iter().map(|a| a.level + 1).max().unwrap_or(1)
    }

    /// Whether it writes to arrays.
    pub fn writes(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere))
    }

    /// Whether it writes to arrays at places that only the data know.
    pub fn scatters(&self) -> bool {
        self.accumulators.iter().any(|accumulator| matches!(accumulator.class, Class::Scatter { .. }))
    }

    /// Its classes, in the words of the documentation: ``map, reduce by `+` ``.
    pub fn classes(&self) -> String {
        let of_arrays = self.writes().then(|| "map".to_owned());
        let of_variables = self.accumulators.iter().map(|accumulator| {
            let Described { name, by, .. } = accumulator.class.described(self.running);
            format!("{name}{by}")
        });
        let of_privates = self.privates.first().map(|_| "scratch".to_owned());
        let of_reads = self.asking.as_ref().map(|_| "gather".to_owned());
        let mut all: Vec<String> = Vec::new();
        for class in of_arrays.into_iter().chain(of_variables).chain(of_privates).chain(of_reads) {
            if !all.contains(&class) {
                all.push(class);
            }
        }
        if all.is_empty() { "nothing is left".to_owned() } else { all.join(", ") }
    }

    /// Whether its iterations see running values, or may have to: then each starts from what the ones before have left.
    pub fn runs_in_order(&self) -> bool {
        self.running || self.guarded
    }

    /// Whether the reductions run in interleaved lanes: straight code with nothing but operators that forall knows.
    pub fn in_lanes(&self) -> bool {
        let plain = |a: &Accumulator| {
            matches!(a.class, Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Idempotent { .. })
        };
        self.weight == Weight::Light
            && !self.macros
            && !self.guarded
            && self.levels() == 1
            && self.accumulators.iter().any(plain)
            && self.accumulators.iter().all(|a| plain(a) || self.running && !a.class.is_reduction())
    }
}

/// An array of the loop.
#[derive(Debug, Clone)]
pub struct Slot {
    pub name: Local,
    pub element: Option<TokenStream>,
    pub kind: SlotKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    Read,
    /// A writable parameter that this loop only reads.
    ReadOutput,
    /// `#[gather]`, of which iterations ask for elements beforehand.
    Gather,
    Write,
    /// An array that every rank has whole.
    Everywhere,
}

/// One access, in the footprint.
#[derive(Debug, Clone)]
pub struct Access {
    pub slot: usize,
    pub writes: bool,
    pub single: bool,
    pub first: Known,
    pub end: Known,
    /// `#[halo(e)]` stands for an index that is not known.
    pub halo: Option<TokenStream>,
    /// Whether it is one of those that fill a triangle, or a square matrix from one: these never meet.
    pub apart: bool,
    /// The access as a person writes it.
    pub text: String,
    /// Where that is.
    pub span: Span,
    /// The points at which it happens, if a call may have to compare them with those of other accesses.
    pub points: Option<Rc<Points>>,
}

/// Two accesses whose distance is made of constants from outside of the function.
#[derive(Debug, Clone)]
pub struct Distance {
    /// From one iteration to the next.
    pub step: Poly,
    /// From one access to the other.
    pub difference: Poly,
    /// The number of iterations, if it is made of constants too.
    pub iterations: Option<Poly>,
    /// What is wrong if iterations meet.
    pub message: String,
    pub span: Span,
}

/// An element of the previous iteration.
#[derive(Debug, Clone)]
pub struct Carried {
    pub variable: Ident,
    /// The element that the first iteration reads.
    pub first: TokenStream,
    /// The element that an iteration sets, as a person writes it.
    pub set: String,
    /// The element that it reads.
    pub read: String,
}

/// A recursive function, made ready: a loop over its calls, each of which may ask for more of them.
pub struct Traversal {
    /// What a call does, as an iteration of that loop.
    pub body: Plan,
    /// The parameters that a call hands down, by their names. The others are the same in all calls.
    pub own: Vec<Local>,
    /// The calls that the body makes, each with what it hands down.
    pub calls: HashMap<Id, Vec<Expr>>,
    pub later: Later,
    /// What is assumed of names.
    pub obligations: Vec<Obligation>,
}

/// What a body may collect after a call that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    Nothing,
    /// Sums and the like, of which the order makes no difference but for rounding.
    Sums,
    Anything,
}
