//! What elaboration knows while it goes through a function, and what it has found.

use crate::analysis::slice::Sliced;
use crate::front::function::Function;
use crate::front::lower::Lower;
use crate::ir::Id;
use crate::ir::report::{Place, shown};
use crate::plan::Plan;
use crate::wgsl::contract::Given;
use crate::wgsl::elaborate::scope::{Binding, Closure, Named, Scope, number_in};
use crate::wgsl::infer::types::Types;
use crate::wgsl::infer::unknowns::Origin;
use crate::wgsl::tree::{Array, ITERATION, LoopBody, Node, NodeKind, Obstacle, Statement, Target, Ty, Var, Variable};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep calls may be in each other, and how many of them are written out.
pub const DEPTH: usize = 12;

pub const CALLS: usize = 500;

/// Something outside of the loop that iterations read.
#[derive(Debug)]
pub struct Capture {
    pub text: String,
    pub tokens: TokenStream,
    pub ty: Ty,
    pub at: Place,
    /// Of a table that is a constant: how many of its axes are put one after the other.
    pub axes: usize,
}

/// A loop or a block that can be left.
pub struct Frame {
    pub label: Option<String>,
    pub target: Target,
    pub is_loop: bool,
    pub ty: Ty,
}

/// A variable that the loop collects something in.
pub struct Collected {
    /// What each of its variables is called, by the author and in edits, and its type.
    pub variables: Vec<(Vec<String>, Ty)>,
    /// What tells that an iteration has set it.
    pub hit: Option<String>,
}

/// A call of a function that is not seen.
#[derive(Debug, Clone)]
pub struct Called {
    pub path: syn::Path,
    /// It is handed on, as in `map(helper)`.
    pub handed: bool,
    /// It is written as a method, of a value of this type.
    pub method: Option<Ty>,
    /// What it takes, and whether it may change that.
    pub arguments: Vec<(Ty, bool)>,
    pub result: Ty,
    pub at: Place,
}

/// A variable that holds a copy, and what it is a copy of.
#[derive(Debug)]
pub struct ArrayCopy {
    pub variable: Var,
    pub place: Node,
}

pub struct Elaborate<'a> {
    /// The annotated function and its loop. A function for devices is neither.
    pub function: Option<&'a Function>,
    pub found: Option<&'a Plan>,
    pub types: Types,
    pub variables: Vec<Variable>,
    pub obstacles: Vec<Obstacle>,
    pub values: Vec<Capture>,
    pub tables: Vec<Capture>,
    pub called: Vec<Called>,
    /// The types of the elements of the loop's arrays.
    pub slots: Vec<Ty>,
    pub held: Vec<Collected>,
    pub pushes: Vec<(String, Ty)>,
    /// The histograms: which accumulator each is, its name, and the type of its elements.
    pub bins: Vec<(usize, String, Ty)>,
    /// Types that the function writes, as text.
    pub written_types: std::collections::HashSet<String>,
    /// What replaces updates, and the part of the body that is wanted.
    pub edits: HashMap<Id, TokenStream>,
    pub sliced: Option<Sliced>,
    pub scope: Scope,
    /// Whether what is not understood does no harm.
    pub quiet: bool,
    /// Whether the body may end the iteration.
    pub may_end: bool,
    /// The scope right before the loop.
    pub around: Scope,
    /// Types of places outside of the loop, by their text.
    pub fields: HashMap<String, Ty>,
    pub frames: Vec<Frame>,
    pub targets: Target,
    pub lower: Lower,
    pub depth: usize,
    pub calls: usize,
    pub outers: usize,
    /// The copies of arrays that the loops around this place go over.
    pub copies: Vec<ArrayCopy>,
    /// The closures that iterators have taken, with their copies of what they captured, by the expressions that hand them over.
    pub taken: HashMap<Id, Rc<Closure>>,
    /// What has become of the loop.
    pub parts: Option<LoopBody>,
}

impl<'a> Elaborate<'a> {
    /// For a loop.
    pub fn new(function: &'a Function, found: &'a Plan) -> Self {
        Elaborate { function: Some(function), found: Some(found), ..Elaborate::outside_of_loops() }
    }

    /// For a function whose parameters are all that it has, beside constants.
    pub fn outside_of_loops() -> Self {
        Elaborate {
            function: None,
            found: None,
            types: Types::default(),
            variables: Vec::new(),
            obstacles: Vec::new(),
            values: Vec::new(),
            tables: Vec::new(),
            called: Vec::new(),
            slots: Vec::new(),
            held: Vec::new(),
            pushes: Vec::new(),
            bins: Vec::new(),
            written_types: std::collections::HashSet::new(),
            edits: HashMap::new(),
            sliced: None,
            scope: None,
            quiet: true,
            may_end: true,
            around: None,
            fields: HashMap::new(),
            frames: Vec::new(),
            targets: ITERATION,
            // Above all numbers of the function's own nodes.
            lower: Lower::starting_at(1 << 30),
            depth: 0,
            calls: 0,
            outers: 0,
            copies: Vec::new(),
            taken: HashMap::new(),
            parts: None,
        }
    }
}

impl Elaborate<'_> {
    // What is common to all of it.

    pub fn obstacle(&mut self, at: Place, what: impl Into<String>) {
        let what = what.into();
        if !self.quiet && !self.obstacles.iter().any(|o| o.what == what) {
            self.obstacles.push(Obstacle { place: at, what });
        }
    }

    /// In place of what is not understood.
    pub fn stuck(&mut self, at: Place, what: impl Into<String>) -> Node {
        self.obstacle(at, what);
        let ty = self.types.unknown();
        Node::new(NodeKind::Default, ty, at)
    }

    pub fn same(&mut self, a: &Ty, b: &Ty, at: Place) {
        if !self.types.same(a, b) {
            let what = self.types.meet(a, b);
            self.obstacle(at, what);
        }
    }

    pub fn written(&mut self, ty: &syn::Type) -> Ty {
        let scope = self.scope.clone();
        let number = |text: &str| number_in(&scope, &syn::parse_str(text).ok()?);
        if let (syn::Type::Array(array), false) = (ty, self.quiet)
            && number(&array.len.to_token_stream().to_string()).is_none()
            && self.is_seen_outside(&array.len)
        {
            let element = self.written(&array.elem);
            return self.types.array_by(&element, &array.len.to_token_stream());
        }
        self.types.written(ty, &number)
    }

    pub fn name(&mut self, name: &str, binding: Binding) {
        self.scope = Some(Rc::new(Named { name: name.to_owned(), binding, before: self.scope.clone() }));
    }

    /// A variable outside of the loop.
    pub fn declare(&mut self, name: &str, ty: Ty) {
        self.outers += 1;
        self.name(name, Binding::Outer(self.outers, ty));
    }

    pub fn variable(&mut self, name: &str, ty: Ty, mutable: bool) -> Var {
        self.variables.push(Variable { name: name.to_owned(), ty, mutable });
        self.variables.len() - 1
    }

    pub fn read(&self, variable: Var, at: Place) -> Node {
        Node::new(NodeKind::Variable(variable), self.variables[variable].ty.clone(), at)
    }

    /// Holds a value in a variable, so that it can be used more than once.
    pub fn hold(&mut self, name: &str, value: Node, to: &mut Vec<Statement>) -> Node {
        if matches!(value.kind, NodeKind::Variable(v) if !self.variables[v].mutable)
            || matches!(value.kind, NodeKind::Integer(_) | NodeKind::Value(_) | NodeKind::Length(_))
        {
            return value;
        }
        let at = value.at;
        let variable = self.variable(name, value.ty.clone(), false);
        to.push(Statement::Let(variable, Some(value)));
        self.read(variable, at)
    }

    pub fn target(&mut self) -> Target {
        self.targets += 1;
        self.targets
    }

    /// What `return` leads to, and what it gives, in a function that the body calls.
    pub fn returns(&self) -> Option<(Target, Ty)> {
        let frame = self.frames.first().filter(|frame| frame.target != ITERATION && !frame.is_loop)?;
        Some((frame.target, frame.ty.clone()))
    }

    pub fn frame(&self, label: Option<&str>) -> Option<(Target, Ty)> {
        let frame = self.frames.iter().rev().find(|frame| match label {
            Some(label) => frame
                .label
                .as_deref()
                .is_some_and(|name| name.trim_start_matches('\'') == label.trim_start_matches('\'')),
            None => frame.is_loop,
        })?;
        Some((frame.target, frame.ty.clone()))
    }

    /// A value outside of the loop, which all iterations read.
    pub fn capture(&mut self, text: &str, tokens: &TokenStream, ty: Ty, at: Place) -> Node {
        if self.quiet {
            return Node::new(NodeKind::Default, ty, at);
        }
        self.types.source(&ty, text, Origin::Captured(Given::Place(tokens.clone())));
        let number = self.values.iter().position(|v| v.text == text).unwrap_or_else(|| {
            self.values.push(Capture { text: text.to_owned(), tokens: tokens.clone(), ty: ty.clone(), at, axes: 0 });
            self.values.len() - 1
        });
        let known = self.values[number].ty.clone();
        self.same(&known, &ty, at);
        Node::new(NodeKind::Value(number), ty, at)
    }

    pub fn table(&mut self, text: &str, tokens: &TokenStream, element: Ty, at: Place) -> Array {
        self.table_of(text, tokens, element, at, 0)
    }

    pub fn table_of(&mut self, text: &str, tokens: &TokenStream, element: Ty, at: Place, axes: usize) -> Array {
        let number = self.tables.iter().position(|v| v.text == text && v.axes == axes);
        if let Some(number) = number {
            let known = self.tables[number].ty.clone();
            self.same(&known, &element, at);
        }
        Array::Table(number.unwrap_or_else(|| {
            if !self.quiet {
                let table = Capture { text: text.to_owned(), tokens: tokens.clone(), ty: element.clone(), at, axes };
                let given = Given::Elements(tokens.clone(), axes);
                self.types.source(&element, &format!("{text}[..]"), Origin::Captured(given));
                self.tables.push(table);
            }
            self.tables.len().saturating_sub(1)
        }))
    }

    /// Code that the analysis has made.
    pub fn code(&mut self, tokens: &TokenStream, at: Place) -> Node {
        match syn::parse2::<syn::Expr>(tokens.clone()) {
            Ok(e) => {
                let e = self.lower.expr(&e);
                // All of it is wanted.
                let sliced = self.sliced.take();
                let node = self.expr(&e);
                self.sliced = sliced;
                node
            }
            Err(_) => self.stuck(at, format!("`{}` is not understood", shown(&tokens.to_string()))),
        }
    }

    /// The type of a place outside of the loop.
    pub fn place_type(&mut self, tokens: &TokenStream) -> Ty {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let ty = match syn::parse2::<syn::Expr>(tokens.clone()) {
            Ok(e) => {
                let e = self.lower.expr(&e);
                let held = std::mem::take(&mut self.held);
                let ty = self.expr(&e).ty;
                self.held = held;
                ty
            }
            Err(_) => self.types.unknown(),
        };
        self.quiet = quiet;
        ty
    }

    pub fn slot(&self, name: &str) -> Option<usize> {
        self.found?.slots.iter().position(|slot| slot.name == name)
    }
}
