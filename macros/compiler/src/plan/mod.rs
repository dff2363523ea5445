//! The plan of a loop, as plain data. [`classify`](crate::classify) fills it, and both translations read it.

mod class;
mod operator;
mod rewrite;
mod sort;
mod transfer;

pub use class::{
    Accumulator, Better, Class, ComparedBy, Described, Key, Leaf, Missing, StateMerge, Step, System, Tie, Written,
    accessor_of, path_below,
};
pub use operator::{Merge, Operator, Update};
pub use rewrite::{Amount, Linear, Operand, Rewrite};
pub use sort::{Column, Order, Rows, Sort, Subject};
pub use transfer::{Assignments, Semiring, States, Transfer, Values};

use crate::front::barriers::Cut;
use crate::front::header::Source;
use crate::index::poly::Poly;
use crate::index::{Bound, Invariant, Known, Points, Value};
use crate::ir::obligation::{InBody, Obligation};
use crate::ir::report::Location;
use crate::ir::{Block, Expr, For, Id, Local, Statement};
use crate::maps::HashMap;
use proc_macro2::{Ident, Span, TokenStream};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A loop, ready for both translations.
pub struct Plan {
    pub f: Rc<For>,
    /// The loop as the user wrote it. In [`Plan::f`], a recurrence through an array is rewritten.
    pub written: Rc<For>,
    pub source: Source,
    /// The boxes of objects, if the iterations are tasks.
    pub region: Option<Region>,
    pub slots: Vec<Slot>,
    pub accesses: Vec<Access>,
    pub accumulators: Vec<Accumulator>,
    /// Variables that every iteration sets before it reads them.
    pub privates: Vec<Local>,
    /// Whether the body reads a scan state.
    pub running: bool,
    /// Whether a chunk of the iterations may panic although the sequential loop does not, and the loop can then run
    /// again in order.
    pub guarded: bool,
    /// Whether the compiler has proved that iterations write increasing indices.
    pub ordered: bool,
    pub weight: Weight,
    /// Whether the body calls macros that may have any effect.
    pub macros: bool,
    pub captures: Vec<(Local, Span)>,
    /// The arrays whose length the loop reads.
    pub lengths: BTreeSet<Local>,
    /// Written indices that read the length of the array itself: `out[out.len() - 1 - i] = e`. Rust reads the length of
    /// a slice before it borrows the slice, but not that of a handle, so the expansion reads the length before the loop.
    pub own_lengths: HashMap<Id, Local>,
    /// The arrays whose shape the loop reads.
    pub shapes: BTreeSet<Local>,
    /// Array elements of the previous iteration, held in variables.
    pub carried: Vec<Carried>,
    /// The code that computes the requested indices of gathered arrays.
    pub asking: Option<Asking>,
    /// The distances between accesses that only rustc can compute.
    pub distances: Vec<Distance>,
    /// How the expansion computes the indices of elements.
    pub computed: ComputedIndices,
    /// The assumptions about the loop.
    pub obligations: Vec<Obligation>,
    /// The assumptions about the values of its body.
    pub in_body: InBody,
}

/// How the expansion computes the indices of elements from bindings that the user's tokens cannot name.
#[derive(Debug, Default)]
pub struct ComputedIndices {
    /// The index of each node; `None` for a node that is the index of several accesses.
    pub indices: HashMap<Id, Option<ComputedIndex>>,
    /// The additions to loops, by their sources, and to closures, by their bodies.
    pub bounds: HashMap<Id, Vec<Bound>>,
    /// The nodes whose value is the same in all iterations.
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

/// A rough estimate of the work of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Light,
    /// It calls functions.
    Medium,
    /// It has loops.
    Heavy,
}

/// The part of a body that computes the requested indices of gathered arrays.
pub struct Asking {
    /// The code that runs before each fetch, and the slots for which it requests elements.
    pub stages: Vec<(TokenStream, Vec<usize>)>,
    /// The slots that each of these stages reads.
    pub looks: Vec<Vec<usize>>,
    /// The captured variables on which the code depends, except for the arrays; `None` if it depends on more than
    /// variables.
    pub captures: Option<BTreeSet<Local>>,
    /// The reads that it serves, by slot.
    pub reads: Vec<(usize, Vec<String>)>,
}

impl Plan {
    /// The number of levels of scan states. Each level is computed from the inputs and the levels below.
    pub fn levels(&self) -> usize {
        self.accumulators.iter().map(|a| a.level + 1).max().unwrap_or(1)
    }

    /// Whether the loop writes to arrays or objects.
    pub fn writes(&self) -> bool {
        let objects = self.region.iter().flat_map(|region| &region.boxes);
        objects.into_iter().any(|boxes| boxes.written)
            || self.slots.iter().any(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere))
    }

    /// The arrays of the loop's program for devices.
    pub fn device_arrays(&self) -> Vec<DeviceArray> {
        let slots = self.slots.iter().map(|slot| DeviceArray {
            name: slot.name,
            writes: matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere),
        });
        let boxes = self
            .region
            .iter()
            .flat_map(|region| &region.boxes)
            .map(|boxes| DeviceArray { name: boxes.object, writes: boxes.written });
        slots.chain(boxes).collect()
    }

    /// Whether the loop writes, collects or accumulates.
    pub fn has_result(&self) -> bool {
        self.writes() || !self.accumulators.is_empty()
    }

    /// The states that merge by `forall::Merge`.
    pub fn states(&self) -> impl Iterator<Item = Local> {
        let by_type = |a: &&Accumulator| matches!(a.class, Class::State(StateMerge::OfType));
        self.accumulators.iter().filter(by_type).map(|accumulator| accumulator.place.root)
    }

    /// Whether the loop writes to arrays at indices that depend on data.
    pub fn scatters(&self) -> bool {
        self.accumulators.iter().any(|accumulator| matches!(accumulator.class, Class::Scatter { .. }))
    }

    /// The classes of the loop as the documentation names them: ``map, reduce by `+` ``.
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

    /// Whether its iterations read scan states, or may have to: then each starts from the state that the previous one
    /// left.
    pub fn runs_in_order(&self) -> bool {
        self.running || self.guarded
    }

    /// Whether a part of the body computes the totals of scan states. A loop over blocks has no such part: it would load and process each block
    /// twice. It runs block after block, each from the scan state before it.
    pub fn has_totals(&self) -> bool {
        self.running && self.source.blocks().is_empty()
    }

    /// Whether the reductions run in interleaved lanes: the body is straight code, and its operators are known to
    /// forall.
    pub fn in_lanes(&self) -> bool {
        self.all_reductions(&|class| {
            matches!(class, Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Idempotent { .. })
        })
    }

    /// Whether the totals run in interleaved blocks of a chunk: each iteration waits for the results of the one before.
    pub fn in_blocks(&self) -> bool {
        self.all_reductions(
            &|class| matches!(class, Class::System(system) if matches!(system.semiring, Semiring::Linear { .. })),
        )
    }

    /// Whether the body is straight code, and all reductions have such a class.
    fn all_reductions(&self, of: &dyn Fn(&Class) -> bool) -> bool {
        let plain = |a: &Accumulator| of(&a.class);
        self.weight == Weight::Light
            && !self.macros
            && !self.guarded
            && self.f.ends.is_none()
            && self.levels() == 1
            && self.accumulators.iter().any(plain)
            && self.accumulators.iter().all(|a| plain(a) || self.running && !a.class.is_reduction())
    }
}

/// The tasks of a loop over objects.
#[derive(Debug)]
pub struct Region {
    /// The number of dimensions of the tiles, if the loop goes over tiles.
    pub tiles: Option<usize>,
    /// The expressions that keep values where tasks are cut, or take them again.
    pub cuts: Vec<(Id, Cut)>,
    pub boxes: Vec<Boxes>,
    /// How a device runs a task, or the reason why it cannot run the loops over its elements at the same time.
    pub launches: Result<Launches, (Location, String)>,
}

/// A task on a device: the host runs its statements, and launches the loops over its elements.
#[derive(Debug, Default)]
pub struct Launches {
    pub steps: Vec<TaskStep>,
    /// The launched loops.
    pub elements: Vec<Elements>,
    /// Whether the host runs the iterations of the annotated loop. Otherwise they are elements too.
    pub each: bool,
}

impl Launches {
    /// Whether a task may take several launches.
    pub fn are_several(&self) -> bool {
        self.each
            || !matches!(self.steps.split_last(), Some((TaskStep::Launch(_), before)) if before.iter().all(TaskStep::is_statement))
    }

    /// The greatest number of loops of a launch.
    pub fn depth(&self) -> usize {
        self.elements.iter().map(|elements| elements.loops.len()).max().unwrap_or_default()
    }
}

/// A step of the host.
#[derive(Debug)]
pub enum TaskStep {
    /// A statement that accesses no object.
    Statement(Box<Statement>),
    /// The launch with this number.
    Launch(usize),
    For(Rc<For>, Vec<TaskStep>),
    If(Box<Expr>, Vec<TaskStep>, Vec<TaskStep>),
}

impl TaskStep {
    fn is_statement(&self) -> bool {
        matches!(self, TaskStep::Statement(_))
    }
}

/// The loops of a task whose iterations are independent of each other.
#[derive(Debug)]
pub struct Elements {
    /// The loops, from the outside in. The number of iterations of each does not depend on the others.
    pub loops: Vec<Rc<For>>,
    /// The statements of an iteration of all of them.
    pub body: Block,
}

/// An array of a program for devices.
pub struct DeviceArray {
    pub name: Local,
    pub writes: bool,
}

/// The boxes of an object, one for each task.
#[derive(Debug)]
pub struct Boxes {
    pub view: Local,
    /// The expression that is the view.
    pub id: Id,
    pub object: Local,
    /// Whether the variable is a reference to the object.
    pub reference: bool,
    pub dims: usize,
    /// The type of the elements, if it is written.
    pub element: Option<TokenStream>,
    pub written: bool,
    /// Whether tasks declare ranges as modified.
    pub modified: bool,
    /// Whether tasks ask for ranges while they run.
    pub requested: bool,
    /// The index of each access along each axis. An axis of unknown index has all indices.
    pub accesses: Vec<Vec<Known>>,
    /// The accesses as text, each with whether it writes.
    pub texts: Vec<(String, bool)>,
}

/// An array of the loop.
#[derive(Debug, Clone)]
pub struct Slot {
    pub name: Local,
    pub element: Option<TokenStream>,
    pub kind: SlotKind,
    /// The number of elements that each iteration sets before it reads any of the array; 0 if it is not known.
    pub sets: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    Read,
    /// A writable parameter that this loop only reads.
    ReadOutput,
    /// `#[gather]`: the inspector computes the requested indices before the loop.
    Gather,
    Write,
    /// An array that every rank holds as a whole.
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
    /// The halo that `#[halo(e)]` states for an index that the compiler does not know.
    pub halo: Option<TokenStream>,
    /// Whether the access fills a triangle, or a square matrix from a triangle: such accesses never meet.
    pub apart: bool,
    /// The access as text for messages.
    pub text: String,
    /// Its position in the source.
    pub span: Span,
    /// The index range of the access, if a call may have to compare it with those of other accesses.
    pub points: Option<Rc<Points>>,
}

/// Two accesses whose distance depends on constants from outside of the function.
#[derive(Debug, Clone)]
pub struct Distance {
    /// From one iteration to the next.
    pub step: Poly,
    /// From one access to the other.
    pub difference: Poly,
    /// The number of iterations, if it depends on constants too.
    pub iterations: Option<Poly>,
    /// The message if iterations access the same element.
    pub message: String,
    pub span: Span,
}

/// An element of the previous iteration.
#[derive(Debug, Clone)]
pub struct Carried {
    pub variable: Ident,
    /// The element that the first iteration reads.
    pub first: TokenStream,
    /// The element that an iteration sets, as text for messages.
    pub set: String,
    /// The element that an iteration reads, as text for messages.
    pub read: String,
}

/// A recursive function, ready for translation: a loop over its calls. Each call may request further calls.
pub struct Traversal {
    /// The body of a call, as an iteration of that loop.
    pub body: Plan,
    /// The names of the parameters that a call passes down. The others are the same in all calls.
    pub own: Vec<Local>,
    /// The recursive calls in the body, each with the arguments that it passes down.
    pub calls: HashMap<Id, Vec<Expr>>,
    pub later: Later,
    /// The assumptions about names.
    pub obligations: Vec<Obligation>,
}

/// The accumulators that a body may update after a recursive call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    Nothing,
    /// Sums and other reductions whose order matters only for rounding.
    Sums,
    Anything,
}
