//! From the author's expressions to typed nodes.
//!
//! The whole function is gone through once, since any statement may tell the type of a variable. Outside of the loop that is
//! all that is wanted, and what is not understood there does no harm; inside, it is an obstacle.

mod calls;
mod closures;
mod control;
mod items;
mod macros;
mod names;

use self::closures::Closure;
pub(super) use self::names::is_path;
use super::Obstacle;
use super::asks::{self, Source};
use super::functions::Called;
use super::ranges::Range;
use super::tree::{Array, ITERATION, Kind, Node, Statement, Target, Total, Var};
use super::types::{Ty, Type, Types, is_arithmetic};
use super::views::View;
use crate::analysis::slice::Sliced;
use crate::front::function::Function;
use crate::front::lower::Lower;
use crate::ir::report::{Place, shown};
use crate::ir::{self, Expr, Id, Op};
use crate::plan::Plan;
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep calls may be in each other, and how many of them are written out.
const DEPTH: usize = 12;
const CALLS: usize = 500;

/// What a name means.
#[derive(Debug, Clone)]
pub(super) enum Binding {
    Local(Var),
    /// A variable outside of the loop: which one, and its type.
    Outer(usize, Ty),
    /// Another name for elements.
    View(View),
    /// Another name for a place.
    Place(Node),
    Range(Range),
    /// What a `use` in the body calls by this name: its path.
    Use(TokenStream),
    Closure(Rc<Closure>),
    Function(Rc<syn::ItemFn>),
    /// A constant that the function declares: its number, if it is one, and its value, if it is not seen outside of the loop.
    Constant(Ty, Option<usize>, Option<TokenStream>),
}

/// The names that are seen, the last one first.
pub(super) type Scope = Option<Rc<Named>>;

#[derive(Debug)]
pub(super) struct Named {
    name: String,
    binding: Binding,
    before: Scope,
}

/// What a pattern is bound to.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Value(Node),
    Place(Node),
    View(View),
    Range(Range),
    Tuple(Vec<Item>),
}

/// A variable of the body.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
}

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
struct Frame {
    label: Option<String>,
    target: Target,
    is_loop: bool,
    ty: Ty,
}

/// A variable that the loop collects something in.
pub(super) struct Held {
    /// What each of its variables is called, by the author and in edits, and its type.
    pub variables: Vec<(Vec<String>, Ty)>,
    /// What tells that an iteration has set it.
    pub hit: Option<String>,
}

pub(super) struct Elaborate<'a> {
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
    pub held: Vec<Held>,
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
    around: Scope,
    /// Types of places outside of the loop, by their text.
    fields: HashMap<String, Ty>,
    frames: Vec<Frame>,
    targets: Target,
    pub lower: Lower,
    depth: usize,
    calls: usize,
    outers: usize,
    /// The copies of arrays that the loops around this place go over.
    pub copies: Vec<super::copies::Copied>,
    /// The closures that iterators have taken, with their copies of what they captured, by the expressions that hand them over.
    taken: HashMap<Id, Rc<Closure>>,
    /// What has become of the loop.
    pub parts: Option<super::Parts>,
    /// What is done where the loop stands.
    pub at_loop: Option<AtLoop<'a>>,
}

pub(super) type AtLoop<'a> = fn(&mut Elaborate<'a>, &'a Plan);

impl<'a> Elaborate<'a> {
    /// For a loop.
    pub fn new(function: &'a Function, found: &'a Plan, at_loop: AtLoop<'a>) -> Self {
        Elaborate {
            function: Some(function),
            found: Some(found),
            at_loop: Some(at_loop),
            ..Elaborate::outside_of_loops()
        }
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
            at_loop: None,
        }
    }

    /// Goes through the function.
    pub fn run(&mut self) {
        let Some(function) = self.function else { return };
        let signature = &function.original.sig;
        let mut written = super::structs::Written::default();
        syn::visit::Visit::visit_impl_item_fn(&mut written, &function.original);
        self.written_types = written.0;
        self.types.generic = signature.generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(_) => self.declare("self", Ty::Other("Self".to_owned())),
                syn::FnArg::Typed(input) => {
                    let name = input.pat.to_token_stream().to_string();
                    let grid = function.shares.iter().find(|share| share.name == name && share.array.is_some());
                    let ty = match grid.map(|share| syn::parse2::<syn::Type>(share.element.clone())) {
                        Some(Ok(element)) => Ty::Slice(Box::new(self.written(&element))),
                        _ => self.written(&input.ty),
                    };
                    self.bind(
                        &input.pat,
                        Item::Value(self.node(Kind::Unit, ty, Place::from(&TokenStream::new()))),
                        &mut Vec::new(),
                    );
                }
            }
        }
        let body = &function.body;
        let returned = match &signature.output {
            syn::ReturnType::Default => Ty::unit(),
            syn::ReturnType::Type(_, ty) => self.written(ty),
        };
        self.frames.push(Frame { label: None, target: ITERATION, is_loop: false, ty: returned.clone() });
        let value = self.block(body, Place::from(&TokenStream::new()));
        self.types.same(&value.ty, &returned);
        self.finish();
    }

    // What is common to all of it.

    pub fn node(&self, kind: Kind, ty: Ty, at: Place) -> Node {
        Node { kind, ty, at }
    }

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
        self.node(Kind::Default, ty, at)
    }

    pub fn same(&mut self, a: &Ty, b: &Ty, at: Place) {
        if !self.types.same(a, b) {
            let what = self.types.meet(a, b);
            self.obstacle(at, what);
        }
    }

    pub fn written(&mut self, ty: &syn::Type) -> Ty {
        let scope = self.scope.clone();
        let number = |text: &str| items::number_in(&scope, &syn::parse_str(text).ok()?);
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
        self.node(Kind::Variable(variable), self.variables[variable].ty.clone(), at)
    }

    /// Holds a value in a variable, so that it can be used more than once.
    pub fn hold(&mut self, name: &str, value: Node, to: &mut Vec<Statement>) -> Node {
        if matches!(value.kind, Kind::Variable(v) if !self.variables[v].mutable)
            || matches!(value.kind, Kind::Integer(_) | Kind::Value(_) | Kind::Length(_))
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

    /// A value outside of the loop, which all iterations read.
    pub fn capture(&mut self, text: &str, tokens: &TokenStream, ty: Ty, at: Place) -> Node {
        if self.quiet {
            return self.node(Kind::Default, ty, at);
        }
        self.types.source(&ty, text, Source::Place(asks::of_place(tokens)));
        let number = self.values.iter().position(|v| v.text == text).unwrap_or_else(|| {
            self.values.push(Capture { text: text.to_owned(), tokens: tokens.clone(), ty: ty.clone(), at, axes: 0 });
            self.values.len() - 1
        });
        let known = self.values[number].ty.clone();
        self.same(&known, &ty, at);
        self.node(Kind::Value(number), ty, at)
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
                let found = super::Table::found_of(&table);
                let found = quote::quote!(#found.map(|(ty, _)| ty));
                self.types.source(&element, &format!("{text}[..]"), Source::Place(found));
                self.tables.push(table);
            }
            self.tables.len().saturating_sub(1)
        }))
    }

    /// Remembers where the loop is: what is outside of it is captured from here.
    pub fn enter_loop(&mut self, found: &Plan) {
        self.around = self.scope.clone();
        self.quiet = false;
        self.frames =
            vec![Frame { label: found.f.label.name.clone(), target: ITERATION, is_loop: true, ty: Ty::unit() }];
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

    pub fn slot(&self, name: &str) -> Option<usize> {
        self.found?.slots.iter().position(|slot| slot.name == name)
    }

    // Blocks and statements.

    pub fn block(&mut self, block: &ir::Block, at: Place) -> Node {
        let scope = self.scope.clone();
        self.items(block);
        let (mut statements, mut value) = (Vec::new(), None);
        let last = block.statements.len().saturating_sub(1);
        let mut ends = false;
        for (number, statement) in block.statements.iter().enumerate() {
            if self.sliced.as_ref().is_some_and(|sliced| !self.quiet && !sliced.keeps(statement)) {
                continue;
            }
            match &statement.kind {
                ir::StatementKind::Item(_) => {}
                ir::StatementKind::Let(pattern, init, otherwise) => match (init, otherwise) {
                    (Some(init), Some(otherwise)) => {
                        self.let_else(&pattern.tokens, init, otherwise, &mut statements);
                    }
                    (Some(init), None) => self.let_value(&pattern.tokens, init, &mut statements),
                    (None, _) => self.let_later(&pattern.tokens, &mut statements),
                },
                ir::StatementKind::Expr(e, semicolon) => {
                    let node = self.expr(e);
                    let never = matches!(self.types.shallow(&node.ty), Ty::Never);
                    if number == last && !semicolon {
                        value = Some(node);
                    } else {
                        if !semicolon && !never {
                            self.types.same(&node.ty, &Ty::unit());
                        }
                        statements.push(Statement::Do(node));
                    }
                    ends |= never;
                }
            }
        }
        self.scope = scope;
        let value = value.unwrap_or_else(|| self.node(Kind::Unit, if ends { Ty::Never } else { Ty::unit() }, at));
        if statements.is_empty() {
            return value;
        }
        let ty = if ends { Ty::Never } else { value.ty.clone() };
        self.node(Kind::Block(statements, value.boxed()), ty, at)
    }

    fn let_later(&mut self, tokens: &TokenStream, to: &mut Vec<Statement>) {
        let Some((pattern, ty)) = self.pattern(tokens) else { return };
        let ty = match ty {
            Some(ty) => self.written(&ty),
            None => self.types.unknown(),
        };
        let syn::Pat::Ident(ident) = &pattern else {
            self.obstacle(Place::from(tokens), "several variables are declared without a value");
            return;
        };
        let name = ident.ident.to_string();
        if self.quiet {
            self.declare(&name, ty);
            return;
        }
        let variable = self.variable(&name, ty, true);
        to.push(Statement::Let(variable, None));
        self.name(&name, Binding::Local(variable));
    }

    fn let_value(&mut self, pattern: &TokenStream, value: &Expr, to: &mut Vec<Statement>) {
        if let Some(closure) = self.closure(value, to) {
            if let Some((syn::Pat::Ident(ident), _)) = self.pattern(pattern) {
                self.name(&ident.ident.to_string(), Binding::Closure(closure));
            }
            return;
        }
        let item = self.item(value, to);
        self.bind_tokens(pattern, item, to);
    }

    /// What a variable is bound to: another name for elements, or a value.
    pub fn item(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Item {
        let at = Place::from(e);
        let edited = !self.quiet && self.edits.contains_key(&e.id);
        if !edited && !self.quiet {
            if let Some(item) = self.range_item(e, to) {
                return item;
            }
            if let Some(item) = self.split(e, to) {
                return item;
            }
            match &e.bare().kind {
                // What a block gives is a value of its own.
                ir::Kind::Ref(_, inner) if inner.is_block() => {
                    let value = self.expr(inner);
                    if matches!(self.types.shallow(&value.ty), Ty::View(..)) {
                        return self.item_of(value, to);
                    }
                    let variable = self.variable("value", value.ty.clone(), true);
                    to.push(Statement::Let(variable, Some(value)));
                    return Item::Place(self.read(variable, at));
                }
                ir::Kind::Ref(mutable, inner) => {
                    let element = matches!(&inner.bare().kind, ir::Kind::Index(_, index) if !matches!(index.bare().kind, ir::Kind::Range(..)));
                    if let Some(view) = self.view_but_element(inner, element, to) {
                        return Item::View(view);
                    }
                    if *mutable {
                        let place = self.expr(inner);
                        return Item::Place(self.fixed(place, to));
                    }
                }
                ir::Kind::Name(name) => {
                    if let Some(Binding::View(view)) = lookup(&self.scope, name) {
                        return Item::View(view.clone());
                    }
                    if let Some(Binding::Place(node)) = lookup(&self.scope, name) {
                        return Item::Place(node.clone());
                    }
                    // A slice of another name.
                    if let Some(Binding::Outer(_, ty)) = lookup(&self.scope, name).cloned()
                        && (self.slot(name).is_some() || matches!(self.types.shallow(&ty), Ty::Slice(_)))
                        && let Some(view) = self.view(e, to)
                    {
                        return Item::View(view);
                    }
                }
                _ => {}
            }
        }
        let node = self.expr(e);
        self.item_of(node, to)
    }

    /// A value: a part of an array, once chosen, is another name for elements.
    pub fn item_of(&mut self, node: Node, to: &mut Vec<Statement>) -> Item {
        match self.types.shallow(&node.ty) {
            Ty::View(..) => match self.local_view(node.clone(), to) {
                Some(view) => Item::View(view),
                None => Item::Value(node),
            },
            _ => Item::Value(node),
        }
    }

    fn view_but_element(&mut self, e: &Expr, element: bool, to: &mut Vec<Statement>) -> Option<View> {
        if element { None } else { self.view(e, to) }
    }

    /// A place whose indices do not change any more.
    pub fn fixed(&mut self, place: Node, to: &mut Vec<Statement>) -> Node {
        let Node { kind, ty, at } = place;
        let kind = match kind {
            Kind::Load(array, index) => Kind::Load(array, self.hold("index", *index, to).boxed()),
            Kind::Element(base, index) => {
                let base = self.fixed(*base, to);
                Kind::Element(base.boxed(), self.hold("index", *index, to).boxed())
            }
            Kind::Member(base, number) => Kind::Member(self.fixed(*base, to).boxed(), number),
            Kind::Field(base, field) => Kind::Field(self.fixed(*base, to).boxed(), field),
            other => other,
        };
        Node { kind, ty, at }
    }

    // Expressions.

    pub fn expr(&mut self, e: &Expr) -> Node {
        let at = Place::from(e);
        if !self.quiet
            && let Some(tokens) = self.edits.get(&e.id).cloned()
        {
            return self.code(&tokens, at);
        }
        if let Some((number, part)) = self.accumulator(e) {
            return self.state(number, part, at);
        }
        if let Some(node) = self.bin(e, at) {
            return node;
        }
        match &e.kind {
            ir::Kind::Paren(inner) | ir::Kind::Unary('*', inner) | ir::Kind::Ref(_, inner) => self.expr(inner),
            ir::Kind::Name(name) => self.name_of(name, e, at),
            ir::Kind::Path => self.path(e, at),
            ir::Kind::Int(_) | ir::Kind::Literal => self.literal(&e.tokens, at),
            ir::Kind::Unary(op, inner) => {
                let inner = self.expr(inner);
                let ty = inner.ty.clone();
                let kind = if *op == '!' { Kind::Not(inner.boxed()) } else { Kind::Negative(inner.boxed()) };
                self.node(kind, ty, at)
            }
            ir::Kind::Binary(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.operation(*op, a, b, at)
            }
            ir::Kind::Assign(place, op, value) => self.assign(place, *op, value, at),
            ir::Kind::Index(base, index) => self.indexed(e, base, index, at),
            ir::Kind::Field(base, field) => {
                if let Some(node) = self.end_of_range(base, field) {
                    return node;
                }
                if let Some(node) = self.outside(e) {
                    return node;
                }
                let base = self.expr(base);
                match (self.types.shallow(&base.ty), field.parse::<usize>()) {
                    (Ty::Tuple(parts), Ok(number)) if number < parts.len() => {
                        self.node(Kind::Member(base.boxed(), number), parts[number].clone(), at)
                    }
                    _ => self.field(&base, field, at),
                }
            }
            ir::Kind::Method(receiver, name, args, call) => self.method(receiver, name, args, call, at),
            ir::Kind::Call(function, args) => self.call(function, args, at),
            ir::Kind::Cast(inner, _, tokens) => {
                let literal = matches!(inner.bare().kind, ir::Kind::Int(_))
                    || matches!(&inner.bare().kind, ir::Kind::Unary('-', i) if matches!(i.bare().kind, ir::Kind::Int(_)));
                let inner = self.expr(inner);
                let ty = match syn::parse2::<syn::Type>(tokens.clone()) {
                    Ok(ty) => self.written(&ty),
                    Err(_) => self.types.unknown(),
                };
                if literal && matches!(&ty, Ty::Scalar(ty) if ty.is_integer()) {
                    self.types.same(&inner.ty, &ty);
                }
                self.node(Kind::Cast(inner.boxed()), ty, at)
            }
            ir::Kind::Tuple(parts) => {
                let parts: Vec<Node> = parts.iter().map(|part| self.expr(part)).collect();
                let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
                if parts.is_empty() { self.node(Kind::Unit, ty, at) } else { self.node(Kind::Tuple(parts), ty, at) }
            }
            ir::Kind::Array(parts) => {
                let parts: Vec<Node> = parts.iter().map(|part| self.expr(part)).collect();
                let element = self.types.unknown();
                for part in &parts {
                    self.same(&element, &part.ty, part.at);
                }
                let ty = Ty::Array(Box::new(element), parts.len());
                self.node(Kind::Array(parts), ty, at)
            }
            ir::Kind::Repeat(value, length) => {
                let value = self.expr(value);
                let number = syn::parse2::<syn::Expr>(length.tokens.clone()).ok();
                match number.as_ref().and_then(|number| items::number_in(&self.scope, number)) {
                    Some(length) if length > 0 => {
                        let ty = Ty::Array(Box::new(value.ty.clone()), length);
                        self.node(Kind::Repeat(value.boxed(), length), ty, at)
                    }
                    _ if self.quiet => self.node(Kind::Unit, Ty::Slice(Box::new(value.ty)), at),
                    None if number.is_some_and(|number| self.is_seen_outside(&number)) => {
                        let ty = self.types.array_by(&value.ty, &length.tokens);
                        self.node(Kind::Repeat(value.boxed(), 0), ty, at)
                    }
                    _ => self.stuck(
                        at,
                        format!("the length of `{}` is not a number that is written here", shown(&e.text())),
                    ),
                }
            }
            ir::Kind::Block(block) => self.block(block, at),
            ir::Kind::Labeled(label, _, block) => {
                let (target, ty) = (self.target(), self.types.unknown());
                self.frames.push(Frame { label: Some(label.clone()), target, is_loop: false, ty: ty.clone() });
                let block = self.block(block, at);
                self.frames.pop();
                self.same(&ty, &block.ty.clone(), at);
                self.node(Kind::Labeled(target, block.boxed()), ty, at)
            }
            ir::Kind::If(condition, then, otherwise) => self.choice(condition, then, otherwise.as_deref(), at),
            ir::Kind::Match(value, arms) => self.matched(value, arms, at),
            ir::Kind::For(f) => self.for_loop(f, at),
            ir::Kind::While(label, condition, body) => self.while_loop(label, condition, body, at),
            ir::Kind::Loop(label, body) => {
                let (target, ty) = (self.target(), self.types.unknown());
                self.frames.push(Frame { label: label.name.clone(), target, is_loop: true, ty: ty.clone() });
                let body = self.block(body, at);
                self.frames.pop();
                // Nothing leaves it with a value.
                if matches!(self.types.shallow(&ty), Ty::Unknown(_)) {
                    self.types.same(&ty, &Ty::unit());
                }
                self.node(Kind::Loop(target, body.boxed()), ty, at)
            }
            ir::Kind::Break(label, value) => {
                let value = match value {
                    Some(value) => self.expr(value),
                    None => self.node(Kind::Unit, Ty::unit(), at),
                };
                match self.frame(label.as_deref()) {
                    Some((target, ty)) if target != ITERATION => {
                        self.same(&ty, &value.ty.clone(), at);
                        self.node(Kind::Break(target, value.boxed()), Ty::Never, at)
                    }
                    _ => self.stuck(at, "`break` leaves what is not a loop of the body"),
                }
            }
            ir::Kind::Continue(label) => match self.frame(label.as_deref()) {
                Some((target, _)) => self.node(Kind::Continue(target), Ty::Never, at),
                None => self.stuck(at, "`continue` leads to no loop of the body"),
            },
            ir::Kind::Return(value) => {
                let value = match value {
                    Some(value) => self.expr(value),
                    None => self.node(Kind::Unit, Ty::unit(), at),
                };
                // The frame of the function that is inlined, or of the annotated one.
                let Some((target, ty)) = self.frames.first().map(|frame| (frame.target, frame.ty.clone())) else {
                    return self.stuck(at, "`return` leaves the loop");
                };
                if self.quiet {
                    self.types.same(&ty, &value.ty);
                    return self.node(Kind::Unit, Ty::Never, at);
                }
                self.same(&ty, &value.ty.clone(), at);
                self.node(Kind::Break(target, value.boxed()), Ty::Never, at)
            }
            ir::Kind::Macro(name, args, _) => self.macro_call(name, args, e, at),
            ir::Kind::Other("unsafe", parts) if parts.len() == 1 => self.expr(&parts[0]),
            ir::Kind::Struct(path, fields, rest) => self.made(path, fields, rest.as_deref(), at),
            ir::Kind::Try(inner) => self.tried(inner, at),
            ir::Kind::Closure(..) => self.stuck(
                at,
                "a closure is handed on: a device calls only those that have a name, or that iterators take",
            ),
            ir::Kind::Let(..) => self.stuck(at, "`let` in a condition takes apart what a device does not have"),
            ir::Kind::Range(from, end, _) => {
                for e in from.iter().chain(end) {
                    self.expr(e);
                }
                self.stuck(
                    at,
                    "a range is a value here: a device has ranges in the headers of loops and in `x[a..b]` only",
                )
            }
            ir::Kind::Other(what, parts) => {
                for part in parts {
                    self.expr(part);
                }
                self.stuck(at, format!("`{what}` is not translated"))
            }
        }
    }

    /// What `return` leads to, and what it gives, in a function that the body calls.
    pub fn returns(&self) -> Option<(Target, Ty)> {
        let frame = self.frames.first().filter(|frame| frame.target != ITERATION && !frame.is_loop)?;
        Some((frame.target, frame.ty.clone()))
    }

    fn frame(&self, label: Option<&str>) -> Option<(Target, Ty)> {
        let frame = self.frames.iter().rev().find(|frame| match label {
            Some(label) => frame
                .label
                .as_deref()
                .is_some_and(|name| name.trim_start_matches('\'') == label.trim_start_matches('\'')),
            None => frame.is_loop,
        })?;
        Some((frame.target, frame.ty.clone()))
    }

    fn literal(&mut self, tokens: &TokenStream, at: Place) -> Node {
        let number = |this: &mut Self, digits: &str, suffix: &str, float: bool| {
            let ty = match Type::named(suffix) {
                Some(ty) => Ty::Scalar(ty),
                None if float => this.types.float(),
                None if suffix.is_empty() => this.types.integer(),
                None => return this.stuck(at, format!("`{suffix}` is a type that a device does not have")),
            };
            match digits.parse::<u128>() {
                Ok(value) if !float => this.node(Kind::Integer(value), ty, at),
                _ => this.node(Kind::Float(digits.to_owned()), ty, at),
            }
        };
        match syn::parse2::<syn::Lit>(tokens.clone()) {
            Ok(syn::Lit::Int(int)) => number(self, int.base10_digits(), int.suffix(), false),
            Ok(syn::Lit::Float(float)) => number(self, float.base10_digits(), float.suffix(), true),
            Ok(syn::Lit::Bool(value)) => self.node(Kind::Bool(value.value), Ty::BOOL, at),
            Ok(syn::Lit::Byte(byte)) => self.node(Kind::Integer(byte.value().into()), Ty::Scalar(Type::U8), at),
            _ => self.stuck(at, "text is not handed to a device"),
        }
    }

    pub fn operation(&mut self, op: Op, a: Node, b: Node, at: Place) -> Node {
        if let Some(node) = self.equal_options(op, a.clone(), b.clone(), at) {
            return node;
        }
        if let Some(node) = self.compared_tuples(op, a.clone(), b.clone(), at) {
            return node;
        }
        let ty = match op {
            Op::AndAnd | Op::OrOr => {
                self.same(&a.ty, &Ty::BOOL, at);
                self.same(&b.ty, &Ty::BOOL, at);
                Ty::BOOL
            }
            _ if op.is_comparison() => {
                self.same(&a.ty, &b.ty, at);
                Ty::BOOL
            }
            _ if is_arithmetic(op) => return self.operation_of_values(op, a, b, at),
            _ => a.ty.clone(),
        };
        self.node(Kind::Binary(op, a.boxed(), b.boxed()), ty, at)
    }

    fn assign(&mut self, place: &Expr, op: Option<Op>, value: &Expr, at: Place) -> Node {
        let place = match &place.bare().kind {
            ir::Kind::Name(name) if name == "_" => return self.expr(value),
            ir::Kind::Other(..) if place.text() == "_" => return self.expr(value),
            ir::Kind::Tuple(parts) if op.is_none() => {
                let value = self.expr(value);
                let types: Vec<Ty> = parts.iter().map(|_| self.types.unknown()).collect();
                self.same(&value.ty.clone(), &Ty::Tuple(types.clone()), at);
                let mut statements = Vec::new();
                let variable = self.variable("parts", value.ty.clone(), false);
                statements.push(Statement::Let(variable, Some(value)));
                for (number, (part, ty)) in parts.iter().zip(types).enumerate() {
                    if part.text() == "_" {
                        continue;
                    }
                    let place = self.expr(part);
                    self.same(&place.ty, &ty, at);
                    self.check_place(&place);
                    let whole = self.read(variable, at).boxed();
                    let member = self.node(Kind::Member(whole, number), ty, at);
                    let assign = self.node(Kind::Assign(place.boxed(), None, member.boxed()), Ty::unit(), at);
                    statements.push(Statement::Do(assign));
                }
                let unit = self.node(Kind::Unit, Ty::unit(), at);
                return self.node(Kind::Block(statements, unit.boxed()), Ty::unit(), at);
            }
            _ => self.expr(place),
        };
        let value = self.expr(value);
        self.check_place(&place);
        match op {
            None => self.same(&place.ty, &value.ty, at),
            Some(op) if is_arithmetic(op) => return self.change(op, place, value, at),
            Some(_) => {}
        }
        self.node(Kind::Assign(place.boxed(), op, value.boxed()), Ty::unit(), at)
    }

    pub fn check_place(&mut self, place: &Node) {
        let fine = match &place.kind {
            Kind::Variable(_) | Kind::State(..) | Kind::Load(Array::Slot(_) | Array::Given(_), _) => true,
            Kind::Element(base, _) | Kind::Member(base, _) | Kind::Field(base, _) => {
                self.check_place(base);
                true
            }
            _ => false,
        };
        if !fine {
            self.obstacle(place.at, "something is changed that a device does not hold for the iteration");
        }
    }

    /// Statements, and then a value.
    pub fn after(&self, statements: Vec<Statement>, node: Node) -> Node {
        if statements.is_empty() {
            return node;
        }
        let (ty, at) = (node.ty.clone(), node.at);
        self.node(Kind::Block(statements, node.boxed()), ty, at)
    }

    pub fn if_else(&mut self, condition: Node, then: Node, otherwise: Node, at: Place) -> Node {
        self.same(&condition.ty.clone(), &Ty::BOOL, condition.at);
        let never = |this: &Self, node: &Node| matches!(this.types.shallow(&node.ty), Ty::Never);
        let ty = if never(self, &then) { otherwise.ty.clone() } else { then.ty.clone() };
        if let (Ty::View(one, _), Ty::View(other, _)) =
            (self.types.shallow(&then.ty), self.types.shallow(&otherwise.ty))
            && !one.is(&other)
        {
            return self
                .stuck(at, "slices of different arrays are chosen between: a device chooses parts of one array");
        }
        self.same(&then.ty, &otherwise.ty, at);
        self.node(Kind::If(condition.boxed(), then.boxed(), otherwise.boxed()), ty, at)
    }

    /// Sums as the accumulators do them.
    pub fn total(&self, how: Total, a: Node, b: Node) -> Node {
        let (ty, at) = (a.ty.clone(), a.at);
        self.node(Kind::Total(how, a.boxed(), b.boxed()), ty, at)
    }
}

/// Whether evaluating a node earlier or later makes no difference.
pub(super) fn is_plain(node: &Node) -> bool {
    matches!(node.kind, Kind::Integer(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Value(_))
}

pub(super) fn lookup<'s>(scope: &'s Scope, name: &str) -> Option<&'s Binding> {
    let mut next = scope;
    while let Some(named) = next {
        if named.name == name {
            return Some(&named.binding);
        }
        next = &named.before;
    }
    None
}
