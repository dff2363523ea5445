//! The walk through a function.

use crate::analysis::dependency::Sliced;
use crate::front::function::Function;
use crate::front::lower::Lower;
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::text::shown_tokens;
use crate::ir::{Expr, Id, Local};
use crate::maps::HashMap;
use crate::plan::{Plan, Rewrite};
use crate::wgsl::contract::Given;
use crate::wgsl::elaborate::captured::{Capture, Captured};
use crate::wgsl::elaborate::environment::{Closure, Names, number_in};
use crate::wgsl::elaborate::exits::Exits;
use crate::wgsl::elaborate::locals::Locals;
use crate::wgsl::infer::types::Types;
use crate::wgsl::infer::unknowns::Origin;
use crate::wgsl::tree::{Array, LoopBody, Node, NodeKind, Obstacles, Ty};
use proc_macro2::TokenStream;
use std::rc::Rc;

/// A variable that the loop collects something in.
pub struct Collected {
    /// Its variables, with their types.
    pub variables: Vec<(Place, Ty)>,
}

/// The arrays and accumulators that iterations write.
#[derive(Default)]
pub struct Outputs {
    /// The types of the elements of the loop's arrays.
    pub arrays: Vec<Ty>,
    pub accumulators: Vec<Collected>,
    pub pushes: Vec<Pushed>,
    /// Writes at computed places: the accumulator, and the sequence of its places. The values follow in the next sequence.
    pub scatters: Vec<(usize, usize, Place)>,
    /// The histograms: which accumulator each is, its place, and the type of its elements.
    pub histograms: Vec<(usize, Place, Ty)>,
    /// The private variables of an iteration.
    pub privates: Vec<(Local, Ty)>,
}

/// A sequence that iterations push to.
pub struct Pushed {
    pub place: Place,
    /// The part of what is written at computed places that it has.
    pub part: &'static str,
    pub element: Ty,
}

/// The updates in a chunk, with their accumulators; nothing for updates that the chunk leaves out.
pub type Rewrites<'a> = HashMap<Id, (usize, Option<&'a Rewrite>)>;

/// The form of the body that is gone through: all of it, or what the totals of a level depend on.
#[derive(Default)]
pub struct Form<'a> {
    pub rewrites: Rewrites<'a>,
    /// The part of the body that is wanted, if that is not all.
    pub sliced: Option<Sliced>,
}

/// The calls whose bodies are written out.
#[derive(Default)]
pub struct Inlining {
    pub depth: usize,
    pub calls: usize,
    /// The closures that iterators have taken, with their copies of what they captured, by the expressions that hand them over.
    pub taken: HashMap<Id, Rc<Closure>>,
}

impl Inlining {
    /// Whether one more call may be written out.
    pub fn has_room(&self) -> bool {
        /// How deep calls may be in each other, and how many of them are written out.
        const DEPTH: usize = 12;
        const CALLS: usize = 500;
        self.depth < DEPTH && self.calls < CALLS
    }
}

/// The function that is translated.
#[derive(Default)]
pub struct Input<'a> {
    /// The annotated function and its loop. A function for devices is neither.
    pub function: Option<&'a Function>,
    pub plan: Option<&'a Plan>,
    pub lower: Lower,
}

/// The walk through a function. Each field has one role. The methods that walk through expressions are in other files, one file for
/// each kind of expression.
pub struct Elaborate<'a> {
    pub input: Input<'a>,
    /// Whether this is outside of the loop, where only types are wanted, and nothing is an obstacle.
    pub quiet: bool,
    pub names: Names,
    pub types: Types,
    pub locals: Locals,
    pub exits: Exits,
    pub outputs: Outputs,
    pub form: Form<'a>,
    pub inlining: Inlining,
    pub captured: Captured,
    pub obstacles: Obstacles,
    /// The translated loop.
    pub body: Option<LoopBody>,
}

impl<'a> Elaborate<'a> {
    /// For a loop.
    pub fn new(function: &'a Function, plan: &'a Plan) -> Self {
        let input = Input { function: Some(function), plan: Some(plan), lower: function.code.lower.clone() };
        Elaborate { input, ..Elaborate::outside_of_loops() }
    }

    /// For a function that reads only its parameters and constants.
    pub fn outside_of_loops() -> Self {
        Elaborate {
            input: Input::default(),
            quiet: true,
            names: Names::default(),
            types: Types::default(),
            locals: Locals::default(),
            exits: Exits::default(),
            outputs: Outputs::default(),
            form: Form::default(),
            inlining: Inlining::default(),
            captured: Captured::default(),
            obstacles: Obstacles::default(),
            body: None,
        }
    }
}

impl Elaborate<'_> {
    pub fn obstacle(&mut self, at: Location, what: impl Into<String>) {
        if !self.quiet {
            self.obstacles.add(at, what);
        }
    }

    /// In place of what is not understood.
    pub fn stuck(&mut self, at: Location, what: impl Into<String>) -> Node {
        self.obstacle(at, what);
        Node::new(NodeKind::Default, self.types.unknown(), at)
    }

    /// Says that two types are one.
    pub fn same(&mut self, a: &Ty, b: &Ty, at: Location) {
        if !self.types.same(a, b) {
            let what = self.types.meet(a, b);
            self.obstacle(at, what);
        }
    }

    /// A type that the user wrote.
    pub fn written(&mut self, ty: &TokenStream) -> Ty {
        match syn::parse2(ty.clone()) {
            Ok(ty) => self.written_type(&ty),
            Err(_) => self.types.unknown(),
        }
    }

    fn written_type(&mut self, ty: &syn::Type) -> Ty {
        if let (syn::Type::Array(array), false) = (ty, self.quiet) {
            let length = self.input.lower.expr(&array.len);
            if number_in(&self.names.environment, &length).is_none() && self.is_seen_outside(&length) {
                let element = self.written_type(&array.elem);
                return self.types.array_by(&element, &length.tokens);
            }
        }
        let (environment, lower) = (&self.names.environment, &self.input.lower);
        self.types.written(ty, &|length| number_in(environment, &lower.clone().expr(length)))
    }

    /// A value outside of the loop, which all iterations read.
    pub fn capture(&mut self, text: &str, tokens: &TokenStream, ty: Ty, at: Location) -> Node {
        if self.quiet {
            return Node::new(NodeKind::Default, ty, at);
        }
        self.types.source(&ty, text, Origin::Captured(Given::Place(tokens.clone())));
        let number = self.captured.value(text, tokens, &ty, at);
        let known = self.captured.values[number].ty.clone();
        self.same(&known, &ty, at);
        Node::new(NodeKind::Value(number), ty, at)
    }

    /// An array outside of the loop that is only read. Of a constant, so many of its axes are put one after the other.
    pub fn table(&mut self, text: &str, tokens: &TokenStream, element: Ty, at: Location, axes: usize) -> Array {
        if let Some(number) = self.captured.table(text, axes) {
            let known = self.captured.tables[number].ty.clone();
            self.same(&known, &element, at);
            return Array::Table(number);
        }
        if !self.quiet {
            let given = Given::Elements(tokens.clone(), axes);
            self.types.source(&element, &format!("{text}[..]"), Origin::Captured(given));
            let table = Capture { text: text.to_owned(), tokens: tokens.clone(), ty: element, at, axes };
            self.captured.tables.push(table);
        }
        Array::Table(self.captured.tables.len().saturating_sub(1))
    }

    /// An expression that is no part of the body: all of it is wanted.
    pub fn apart(&mut self, e: &Expr) -> Node {
        let sliced = self.form.sliced.take();
        let node = self.expr(e);
        self.form.sliced = sliced;
        node
    }

    /// Code of the analysis.
    pub fn code(&mut self, tokens: &TokenStream, at: Location) -> Node {
        match syn::parse2::<syn::Expr>(tokens.clone()) {
            Ok(e) => {
                let e = self.input.lower.expr(&e);
                self.apart(&e)
            }
            Err(_) => self.stuck(at, format!("`{}` is not understood", shown_tokens(tokens))),
        }
    }

    /// The type of a place outside of the loop.
    pub fn place_type(&mut self, tokens: &TokenStream) -> Ty {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let held = std::mem::take(&mut self.outputs.accumulators);
        let ty = self.code(tokens, Location::from(tokens)).ty;
        self.outputs.accumulators = held;
        self.quiet = quiet;
        ty
    }

    pub fn slot(&self, name: Local) -> Option<usize> {
        self.input.plan?.slots.iter().position(|slot| slot.name == name)
    }
}
