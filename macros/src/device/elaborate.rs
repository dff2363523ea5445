//! From the author's expressions to typed nodes.
//!
//! The whole function is gone through once, since any statement may tell the type of a variable. Outside of the loop that is
//! all that is wanted, and what is not understood there does no harm; inside, it is an obstacle.

use super::Obstacle;
use super::asks::{self, Source};
use super::functions::Called;
use super::ranges::Range;
use super::tree::{Array, Count, ITERATION, Kind, Node, Part, Statement, Target, Total, Var};
use super::types::{Ty, Type, Types, is_arithmetic, usize_of};
use super::views::View;
use crate::classify::Loop;
use crate::function::Function;
use crate::ir::{self, Expr, Id, Op};
use crate::lower::Lower;
use crate::report::{Place, shown};
use crate::slice::Sliced;
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

#[derive(Debug)]
pub(super) struct Closure {
    parameters: Vec<TokenStream>,
    output: Option<syn::Type>,
    body: Expr,
    scope: Scope,
}

/// The names that are seen, the last one first.
pub(super) type Scope = Option<Rc<Named>>;

#[derive(Debug)]
pub(super) struct Named {
    name: String,
    binding: Binding,
    before: Scope,
}

/// Parameters with their types, the type of the result, the body, and the names that it sees.
type NestedParts = (Vec<(TokenStream, Option<syn::Type>)>, syn::Type, Expr, Scope);

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
    pub found: Option<&'a Loop>,
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
    /// What has become of the loop.
    pub parts: Option<super::Parts>,
    /// What is done where the loop stands.
    pub at_loop: Option<AtLoop<'a>>,
}

pub(super) type AtLoop<'a> = fn(&mut Elaborate<'a>, &'a Loop);

impl<'a> Elaborate<'a> {
    /// For a loop.
    pub fn new(function: &'a Function, found: &'a Loop, at_loop: AtLoop<'a>) -> Self {
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
        self.types.written(ty, &|name| match lookup(&scope, name) {
            Some(Binding::Constant(_, value, _)) => *value,
            _ => None,
        })
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
    pub fn enter_loop(&mut self, found: &Loop) {
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

    // Names.

    /// The accumulator that an expression is, and which part of it.
    pub fn accumulator(&self, e: &Expr) -> Option<(usize, Part)> {
        if self.held.is_empty()
            || !matches!(
                e.kind,
                ir::Kind::Name(_) | ir::Kind::Field(..) | ir::Kind::Index(..) | ir::Kind::Unary('*', _)
            )
        {
            return None;
        }
        let outside = e.root().is_some_and(|root| matches!(lookup(&self.scope, root), None | Some(Binding::Outer(..))));
        if !outside {
            return None;
        }
        let text = e.text();
        self.held.iter().enumerate().find_map(|(number, held)| {
            if held.hit.as_ref() == Some(&text) {
                return Some((number, Part::Hit));
            }
            let variable = held.variables.iter().position(|(names, _)| names.contains(&text))?;
            Some((number, Part::Variable(variable)))
        })
    }

    /// Whether an expression is an accumulator's variable, or a part of one.
    pub fn is_in_accumulator(&self, e: &Expr) -> bool {
        self.accumulator(e.bare()).is_some()
            || match &e.bare().kind {
                ir::Kind::Field(inner, _) | ir::Kind::Index(inner, _) | ir::Kind::Unary('*', inner) => {
                    self.is_in_accumulator(inner)
                }
                _ => false,
            }
    }

    pub fn state(&self, number: usize, part: Part, at: Place) -> Node {
        let ty = match part {
            Part::Variable(variable) => self.held[number].variables[variable].1.clone(),
            Part::Factor => self.held[number].variables[0].1.clone(),
            Part::Some | Part::Hit | Part::Reset => Ty::BOOL,
        };
        self.node(Kind::State(number, part), ty, at)
    }

    /// Whether a name means the same right before the loop.
    pub fn seen_outside(&self, name: &str, number: usize) -> bool {
        matches!(lookup(&self.around, name), Some(Binding::Outer(other, _)) if *other == number)
    }

    /// A place outside of the loop: `n`, `self.n`, `p.0`.
    fn outside(&mut self, e: &Expr) -> Option<Node> {
        let root = e.root().filter(|_| is_path(e) && !self.is_in_accumulator(e))?;
        let Some(Binding::Outer(number, ty)) = lookup(&self.scope, root).cloned() else { return None };
        let at = Place::from(e);
        if !self.quiet && !self.seen_outside(root, number) {
            return Some(self.stuck(at, format!("`{root}` is not what it was where the closure was made")));
        }
        let ty = self.outside_type(e, root, &ty);
        let text = e.text();
        Some(self.capture(&text, &e.bare().tokens, ty, at))
    }

    pub fn outside_type(&mut self, e: &Expr, root: &str, ty: &Ty) -> Ty {
        match &e.bare().kind {
            ir::Kind::Name(name) if name == root => ty.clone(),
            ir::Kind::Unary(_, inner) => self.outside_type(inner, root, ty),
            ir::Kind::Field(inner, field) => {
                let inner = self.outside_type(inner, root, ty);
                if let (Ty::Tuple(parts), Ok(number)) = (self.types.shallow(&inner), field.parse::<usize>())
                    && let Some(part) = parts.get(number)
                {
                    return part.clone();
                }
                let text = e.text();
                if let Some(known) = self.fields.get(&text) {
                    return known.clone();
                }
                let ty = self.types.unknown();
                self.fields.insert(text, ty.clone());
                ty
            }
            _ => self.types.unknown(),
        }
    }

    pub fn slot(&self, name: &str) -> Option<usize> {
        self.found?.slots.iter().position(|slot| slot.name == name)
    }

    // Blocks and statements.

    /// Functions and constants are seen in all of the block.
    fn items(&mut self, block: &ir::Block) {
        for statement in &block.statements {
            if !matches!(statement.kind, ir::StatementKind::Item(_)) {
                continue;
            }
            match syn::parse2::<syn::Item>(statement.tokens.clone()) {
                Ok(syn::Item::Fn(function)) => {
                    self.name(&function.sig.ident.to_string(), Binding::Function(Rc::new(function)));
                }
                Ok(syn::Item::Const(constant)) => self.constant_item(&constant.ident, &constant.ty, &constant.expr),
                Ok(syn::Item::Static(item)) if matches!(item.mutability, syn::StaticMutability::None) => {
                    self.constant_item(&item.ident, &item.ty, &item.expr);
                }
                Ok(syn::Item::Use(item)) if !self.quiet => {
                    let root = item.leading_colon.map(|colons| colons.to_token_stream()).unwrap_or_default();
                    self.used(&item.tree, root, Place::from(&statement.tokens));
                }
                // What is asked of names is asked where the loop stands.
                Ok(syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_))
                | Ok(syn::Item::Type(_) | syn::Item::Mod(_) | syn::Item::Static(_) | syn::Item::Macro(_))
                    if !self.quiet =>
                {
                    let what = "only this block knows the names of this item: put it before the loop, or outside of the function";
                    self.obstacle(Place::from(&statement.tokens), what);
                }
                _ => {}
            }
        }
    }

    /// The names of a `use`. Types and all that a `*` stands for would be asked for where the loop stands.
    fn used(&mut self, tree: &syn::UseTree, path: TokenStream, at: Place) {
        let joined =
            |name: &syn::Ident| if path.is_empty() { quote::quote!(#name) } else { quote::quote!(#path #name) };
        match tree {
            syn::UseTree::Path(next) => {
                let path = joined(&next.ident);
                self.used(&next.tree, quote::quote!(#path ::), at);
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.used(tree, path.clone(), at)),
            syn::UseTree::Name(syn::UseName { ident }) if ident != "self" => self.used_name(ident, joined(ident), at),
            syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) if ident != "self" => {
                self.used_name(rename, joined(ident), at);
            }
            _ => self.obstacle(
                at,
                "a `use` of `*` or `self` in the body: name what it stands for, or put it before the loop",
            ),
        }
    }

    fn used_name(&mut self, name: &syn::Ident, path: TokenStream, at: Place) {
        let text = name.to_string();
        let is_type = text.starts_with(char::is_uppercase) && text.contains(char::is_lowercase);
        match is_type && text != "Ordering" {
            true => {
                self.obstacle(at, format!("only this block knows the type `{text}`: put the `use` before the loop"))
            }
            false => self.name(&text, Binding::Use(path)),
        }
    }

    /// What a name means where a `use` of the body gave it.
    fn of_use(&mut self, path: &TokenStream, at: Place) -> Node {
        // Its path is seen from outside.
        let scope = self.scope.take();
        let node = self.code(path, at);
        self.scope = scope;
        node
    }

    fn constant_item(&mut self, name: &syn::Ident, ty: &syn::Type, value: &syn::Expr) {
        let (ty, tokens) = (self.written(ty), value.to_token_stream());
        let number = usize_of(&tokens.to_string());
        let inside = (!self.quiet).then_some(tokens);
        self.name(&name.to_string(), Binding::Constant(ty, number, inside));
    }

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
        if let Some(closure) = self.closure(value) {
            if let Some((syn::Pat::Ident(ident), _)) = self.pattern(pattern) {
                self.name(&ident.ident.to_string(), Binding::Closure(Rc::new(closure)));
            }
            return;
        }
        let item = self.item(value, to);
        self.bind_tokens(pattern, item, to);
    }

    fn closure(&mut self, value: &Expr) -> Option<Closure> {
        let ir::Kind::Closure(patterns, head, body) = &value.bare().kind else { return None };
        // Types that the head gives.
        let output = match syn::parse2::<syn::ExprClosure>(value.bare().tokens.clone()) {
            Ok(syn::ExprClosure { output: syn::ReturnType::Type(_, ty), .. }) => Some(*ty),
            _ => None,
        };
        let _ = head;
        let parameters = patterns.iter().map(|pattern| pattern.tokens.clone()).collect();
        Some(Closure { parameters, output, body: (**body).clone(), scope: self.scope.clone() })
    }

    /// What a variable is bound to: another name for elements, or a value.
    pub fn item(&mut self, e: &Expr, to: &mut Vec<Statement>) -> Item {
        let edited = !self.quiet && self.edits.contains_key(&e.id);
        if !edited && !self.quiet {
            if let Some(item) = self.range_item(e, to) {
                return item;
            }
            if let Some(item) = self.split(e, to) {
                return item;
            }
            match &e.bare().kind {
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
                let length = usize_of(&length.text()).or_else(|| match lookup(&self.scope, length.name()?) {
                    Some(Binding::Constant(_, value, _)) => *value,
                    _ => None,
                });
                match length {
                    Some(length) if length > 0 => {
                        let ty = Ty::Array(Box::new(value.ty.clone()), length);
                        self.node(Kind::Repeat(value.boxed(), length), ty, at)
                    }
                    _ if self.quiet => self.node(Kind::Unit, Ty::Slice(Box::new(value.ty)), at),
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
            ir::Kind::While(label, condition, body) if let ir::Kind::Let(pattern, value) = &condition.bare().kind => {
                let target = self.target();
                let scope = self.scope.clone();
                self.refuse_changed(value);
                self.frames.push(Frame { label: label.name.clone(), target, is_loop: true, ty: Ty::unit() });
                let value = self.expr(value);
                let (mut before, mut binds) = (Vec::new(), Vec::new());
                let value = if self.quiet { value } else { self.hold("value", value, &mut before) };
                let test = self.test(&pattern.tokens, &value, &mut binds);
                let body = self.block(body, at);
                self.frames.pop();
                self.scope = scope;
                let body = self.after(binds, body);
                let unit = self.node(Kind::Unit, Ty::unit(), at);
                let leave = self.node(Kind::Break(target, unit.boxed()), Ty::Never, at);
                let turn = match test {
                    Some(test) => self.if_else(test, body, leave, at),
                    None => body,
                };
                let turn = self.after(before, turn);
                self.node(Kind::Loop(target, turn.boxed()), Ty::unit(), at)
            }
            ir::Kind::While(label, condition, body) => {
                let target = self.target();
                self.frames.push(Frame { label: label.name.clone(), target, is_loop: true, ty: Ty::unit() });
                let condition = self.expr(condition);
                self.same(&condition.ty.clone(), &Ty::BOOL, condition.at);
                let body = self.block(body, at);
                self.frames.pop();
                self.node(Kind::While(target, condition.boxed(), body.boxed()), Ty::unit(), at)
            }
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

    fn name_of(&mut self, name: &str, e: &Expr, at: Place) -> Node {
        if self.is_none_name(e) {
            let inner = self.types.unknown();
            return self.none(inner, at);
        }
        match lookup(&self.scope, name).cloned() {
            Some(Binding::Local(variable)) => self.read(variable, at),
            Some(Binding::Place(node)) => node,
            Some(Binding::Constant(ty, _, Some(value))) => {
                let node = self.code(&value, at);
                self.same(&node.ty.clone(), &ty, at);
                node
            }
            Some(Binding::Constant(ty, ..)) => {
                let tokens = e.tokens.clone();
                self.capture(name, &tokens, ty, at)
            }
            Some(Binding::Outer(_, ty)) => {
                if !self.quiet && (self.slot(name).is_some() || matches!(self.types.shallow(&ty), Ty::Slice(_))) {
                    let collected = self.pushes.iter().any(|(push, _)| push == name);
                    let tokens = e.tokens.clone();
                    return match self.view_of_array(name, &tokens, at).filter(|_| !collected) {
                        Some(view) => self.pair(&view, at),
                        None => self
                            .stuck(at, format!("`{name}` is used as a whole: a device takes its elements one by one")),
                    };
                }
                match self.outside(e) {
                    Some(node) => node,
                    None => self.stuck(at, format!("`{name}` is not understood")),
                }
            }
            Some(Binding::View(view)) => self.pair(&view, at),
            Some(Binding::Range(_)) => self.stuck(
                at,
                format!("the range `{name}` is handed on: a device has ranges in headers of loops and in `x[{name}]`"),
            ),
            Some(Binding::Use(path)) => self.of_use(&path, at),
            Some(Binding::Closure(_) | Binding::Function(_)) => {
                self.stuck(at, format!("`{name}` is handed on: a device can only call it"))
            }
            None if self.quiet => {
                let ty = self.types.unknown();
                self.node(Kind::Default, ty, at)
            }
            // A constant outside of the function.
            None => {
                let ty = match self.fields.get(name) {
                    Some(ty) => ty.clone(),
                    None => {
                        let ty = self.types.unknown();
                        self.fields.insert(name.to_owned(), ty.clone());
                        ty
                    }
                };
                let tokens = e.tokens.clone();
                self.capture(name, &tokens, ty, at)
            }
        }
    }

    /// `f64::MAX`, `std::f64::consts::PI`, `Self::WIDTH`.
    fn path(&mut self, e: &Expr, at: Place) -> Node {
        let text: String = e.tokens.to_string().split_whitespace().collect();
        if self.is_none_name(e) {
            let inner = self.types.unknown();
            return self.none(inner, at);
        }
        if let Some(node) = self.ordering(&text, at) {
            return node;
        }
        if let Some((first, rest)) = text.split_once("::")
            && let Some(Binding::Use(path)) = lookup(&self.scope, first)
            && let Ok(rest) = rest.parse::<TokenStream>()
        {
            let path = quote::quote!(#path :: #rest);
            return self.of_use(&path, at);
        }
        let segments: Vec<&str> = text.split("::").collect();
        let owner = segments.iter().rev().skip(1).find_map(|segment| Type::named(segment));
        let ty = match (owner, segments.last()) {
            (Some(_), Some(&("BITS" | "MANTISSA_DIGITS" | "RADIX" | "DIGITS"))) => Ty::Scalar(Type::U32),
            (Some(_), Some(&("MAX_EXP" | "MIN_EXP" | "MAX_10_EXP" | "MIN_10_EXP"))) => Ty::Scalar(Type::I32),
            (Some(owner), _) => Ty::Scalar(owner),
            _ => match self.fields.get(&text) {
                Some(ty) => ty.clone(),
                None => {
                    let ty = self.types.unknown();
                    self.fields.insert(text.clone(), ty.clone());
                    ty
                }
            },
        };
        let tokens = e.tokens.clone();
        self.capture(&text, &tokens, ty, at)
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

    fn choice(&mut self, condition: &Expr, then: &ir::Block, otherwise: Option<&Expr>, at: Place) -> Node {
        if let ir::Kind::Let(pattern, value) = &condition.bare().kind {
            let scope = self.scope.clone();
            self.refuse_changed(value);
            let value = self.expr(value);
            let mut before = Vec::new();
            let value = if self.quiet { value } else { self.hold("value", value, &mut before) };
            let mut binds = Vec::new();
            let condition = self.test(&pattern.tokens, &value, &mut binds);
            let then = self.block(then, at);
            let then = self.after(binds, then);
            self.scope = scope;
            let otherwise = match otherwise {
                Some(otherwise) => self.expr(otherwise),
                None => self.node(Kind::Unit, Ty::unit(), at),
            };
            let condition = condition.unwrap_or_else(|| self.node(Kind::Bool(true), Ty::BOOL, at));
            let choice = self.if_else(condition, then, otherwise, at);
            return self.after(before, choice);
        }
        let condition = self.expr(condition);
        let then = self.block(then, at);
        match otherwise {
            Some(otherwise) => {
                let otherwise = self.expr(otherwise);
                self.if_else(condition, then, otherwise, at)
            }
            None => {
                self.same(&condition.ty.clone(), &Ty::BOOL, condition.at);
                self.types.same(&then.ty, &Ty::unit());
                let nothing = self.node(Kind::Unit, Ty::unit(), at);
                self.node(Kind::If(condition.boxed(), then.boxed(), nothing.boxed()), Ty::unit(), at)
            }
        }
    }

    fn matched(&mut self, value: &Expr, arms: &[ir::Arm], at: Place) -> Node {
        self.refuse_changed(value);
        let value = self.expr(value);
        let mut before = Vec::new();
        let value = if self.quiet { value } else { self.hold("value", value, &mut before) };
        // Condition, what is bound, guard and body of each arm.
        let mut all = Vec::new();
        for (number, arm) in arms.iter().enumerate() {
            let scope = self.scope.clone();
            let mut binds = Vec::new();
            let test = self.test(&arm.pattern.tokens, &value, &mut binds);
            let guard = arm.guard.as_ref().map(|guard| self.expr(guard));
            let body = self.expr(&arm.body);
            self.scope = scope;
            // One of the arms fits: where no other one did, the last.
            let last = number + 1 == arms.len() && guard.is_none();
            all.push((if last { None } else { test }, binds, guard, body));
        }
        let mut rest: Option<Node> = None;
        for (test, binds, guard, body) in all.into_iter().rev() {
            let choice = |this: &mut Self, condition, body, rest: Option<Node>| {
                let rest = rest.unwrap_or_else(|| this.node(Kind::Unit, Ty::Never, at));
                this.if_else(condition, body, rest, at)
            };
            rest = Some(match (test, guard) {
                (None, None) => self.after(binds, body),
                (Some(test), None) => {
                    let body = self.after(binds, body);
                    choice(self, test, body, rest)
                }
                (test, Some(guard)) => {
                    let condition = match test {
                        Some(test) => self.operation(Op::AndAnd, test, guard, at),
                        None => guard,
                    };
                    let node = choice(self, condition, body, rest);
                    self.after(binds, node)
                }
            });
        }
        let node = rest.unwrap_or_else(|| self.node(Kind::Unit, Ty::Never, at));
        self.after(before, node)
    }

    // Calls.

    fn call(&mut self, function: &Expr, args: &[Expr], at: Place) -> Node {
        if let Some(name) = function.name() {
            match lookup(&self.scope, name).cloned() {
                Some(Binding::Closure(closure)) => {
                    let parameters: Vec<_> = closure.parameters.iter().map(|p| (p.clone(), None)).collect();
                    return self.inline(
                        name,
                        &parameters,
                        closure.output.as_ref(),
                        &closure.body,
                        args,
                        closure.scope.clone(),
                        at,
                    );
                }
                Some(Binding::Function(function)) => {
                    let Some((parameters, output, body, scope)) = self.nested(&function) else {
                        return self.stuck(at, format!("`{name}` is generic: a device calls functions of plain types"));
                    };
                    return self.inline(name, &parameters, Some(&output), &body, args, scope, at);
                }
                _ => {}
            }
        }
        self.call_known(function, args, at)
    }

    /// What a function inside of the function takes and gives, its body, and what it sees, unless it is generic.
    fn nested(&mut self, function: &syn::ItemFn) -> Option<NestedParts> {
        let mut parameters = Vec::new();
        for input in &function.sig.inputs {
            if let syn::FnArg::Typed(input) = input {
                parameters.push((input.pat.to_token_stream(), Some((*input.ty).clone())));
            }
        }
        if function.sig.generics.type_params().next().is_some() {
            return None;
        }
        let block = (*function.block).clone();
        let body = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
        let body = self.lower.expr(&body);
        let output = match &function.sig.output {
            syn::ReturnType::Type(_, ty) => (**ty).clone(),
            syn::ReturnType::Default => syn::parse_quote!(()),
        };
        // It sees functions and constants, and no variables.
        Some((parameters, output, body, items_of(&self.scope)))
    }

    /// The body of a function that is translated by itself: its value, however it is left.
    pub fn function_body(&mut self, body: &Expr, result: &Ty, at: Place) -> Node {
        let target = self.target();
        self.frames = vec![Frame { label: None, target, is_loop: false, ty: result.clone() }];
        let value = self.expr(body);
        self.frames.clear();
        self.left(body, value, target, result, at)
    }

    /// The value of a body that `return` may leave.
    fn left(&mut self, body: &Expr, value: Node, target: Target, returned: &Ty, at: Place) -> Node {
        self.same(returned, &value.ty.clone(), at);
        let mut leaves = false;
        body.walk(&mut |e| {
            leaves |= matches!(e.kind, ir::Kind::Return(_) | ir::Kind::Try(_));
            !leaves
        });
        match leaves {
            true => self.node(Kind::Labeled(target, value.boxed()), returned.clone(), at),
            false => Node { ty: returned.clone(), ..value },
        }
    }

    /// The body of a function in place of a call.
    #[allow(clippy::too_many_arguments)]
    pub fn inline(
        &mut self,
        name: &str,
        parameters: &[(TokenStream, Option<syn::Type>)],
        output: Option<&syn::Type>,
        body: &Expr,
        args: &[Expr],
        scope: Scope,
        at: Place,
    ) -> Node {
        if self.depth >= DEPTH || self.calls >= CALLS {
            return self.stuck(
                at,
                format!("`{name}` calls itself, or too many calls are inside of each other: they are all written out for a device"),
            );
        }
        if parameters.len() != args.len() {
            return self.stuck(at, format!("`{name}` does not take {} arguments", args.len()));
        }
        let mut statements = Vec::new();
        let items: Vec<Item> = args
            .iter()
            .map(|arg| {
                let item = self.item(arg, &mut statements);
                match item {
                    // In their order, before the body.
                    Item::Value(node) if args.len() > 1 && !self.quiet => {
                        Item::Value(self.hold("argument", node, &mut statements))
                    }
                    other => other,
                }
            })
            .collect();
        self.inline_items(parameters, output, body, items, statements, scope, at)
    }

    #[allow(clippy::too_many_arguments)]
    pub fn inline_items(
        &mut self,
        parameters: &[(TokenStream, Option<syn::Type>)],
        output: Option<&syn::Type>,
        body: &Expr,
        items: Vec<Item>,
        mut statements: Vec<Statement>,
        scope: Scope,
        at: Place,
    ) -> Node {
        let outside = std::mem::replace(&mut self.scope, scope);
        for ((pattern, ty), item) in parameters.iter().zip(items) {
            if let Some(ty) = ty {
                let ty = self.written(ty);
                match &item {
                    Item::Value(node) | Item::Place(node) => self.same(&node.ty.clone(), &ty, at),
                    Item::View(view) => self.same(&Ty::Slice(Box::new(view.element.clone())), &ty, at),
                    Item::Tuple(_) | Item::Range(_) => {}
                }
            }
            self.bind_tokens(pattern, item, &mut statements);
        }
        let returned = match output {
            Some(ty) => self.written(ty),
            None => self.types.unknown(),
        };
        let target = self.target();
        let frame = Frame { label: None, target, is_loop: false, ty: returned.clone() };
        let frames = std::mem::replace(&mut self.frames, vec![frame]);
        self.depth += 1;
        self.calls += 1;
        let sliced = self.sliced.take();
        let value = self.expr(body);
        self.sliced = sliced;
        self.depth -= 1;
        self.frames = frames;
        self.scope = outside;
        let value = self.left(body, value, target, &returned, at);
        self.after(statements, value)
    }

    /// What a closure gives for values; it is written where it is called.
    pub fn apply(&mut self, closure: &Expr, items: Vec<Item>, at: Place) -> Node {
        if let Some(name) = closure.name()
            && let Some(Binding::Closure(known)) = lookup(&self.scope, name).cloned()
            && self.depth < DEPTH
            && self.calls < CALLS
        {
            let parameters: Vec<_> = known.parameters.iter().map(|p| (p.clone(), None)).collect();
            return self.inline_items(
                &parameters,
                known.output.as_ref(),
                &known.body,
                items,
                Vec::new(),
                known.scope.clone(),
                at,
            );
        }
        if let Some(name) = closure.name()
            && let Some(Binding::Function(function)) = lookup(&self.scope, name).cloned()
            && self.depth < DEPTH
            && self.calls < CALLS
            && let Some((parameters, output, body, scope)) = self.nested(&function)
            && parameters.len() == items.len()
        {
            return self.inline_items(&parameters, Some(&output), &body, items, Vec::new(), scope, at);
        }
        // `f64::max`, handed to `fold`.
        if let ir::Kind::Path = closure.bare().kind
            && items.iter().all(|item| matches!(item, Item::Value(_) | Item::Place(_)))
        {
            let values = items.iter().filter_map(|item| match item {
                Item::Value(node) | Item::Place(node) => Some(node.clone()),
                _ => None,
            });
            if let Some(node) = self.path_of_number(closure, values.collect(), at) {
                return node;
            }
        }
        match self.closure(closure) {
            Some(known) if known.parameters.len() == items.len() && self.depth < DEPTH && self.calls < CALLS => {
                let parameters: Vec<_> = known.parameters.iter().map(|p| (p.clone(), None)).collect();
                self.inline_items(&parameters, known.output.as_ref(), &known.body, items, Vec::new(), known.scope, at)
            }
            _ => self.apply_marked(closure, items, at).unwrap_or_else(|| {
                self.stuck(
                    at,
                    format!("`{}` is handed on: a device calls closures that stand here", shown(&closure.text())),
                )
            }),
        }
    }

    // Loops.

    fn for_loop(&mut self, f: &Rc<ir::For>, at: Place) -> Node {
        if self.quiet
            && let Some(found) = self.found
            && Rc::ptr_eq(f, &found.written)
            && let Some(at_loop) = self.at_loop.take()
        {
            let (scope, frames) = (self.scope.clone(), std::mem::take(&mut self.frames));
            at_loop(self, found);
            (self.scope, self.frames, self.quiet) = (scope, frames, true);
            (self.edits, self.sliced) = (HashMap::new(), None);
            self.held.clear();
            return self.node(Kind::Unit, Ty::unit(), at);
        }
        let scope = self.scope.clone();
        let mut before = Vec::new();
        let Some(iter) = self.iterator(&f.source, &mut before) else {
            if !self.quiet {
                return self.stuck(
                    Place::from(&f.source),
                    format!("the loop over `{}` does not count over a range or over elements", shown(&f.source.text())),
                );
            }
            for binding in &f.pattern.names {
                let ty = self.types.unknown();
                self.declare(&binding.name, ty);
            }
            self.block(&f.body, at);
            self.scope = scope;
            return self.node(Kind::Unit, Ty::unit(), at);
        };
        let target = self.target();
        let frame = Frame { label: f.label.name.clone(), target, is_loop: true, ty: Ty::unit() };
        let node = self.counted(&f.pattern.tokens, iter, target, frame.label, at, &mut |this| this.block(&f.body, at));
        self.scope = scope;
        self.after(before, node)
    }

    /// A loop over the items of an iterator.
    #[allow(clippy::too_many_arguments)]
    pub fn counted(
        &mut self,
        pattern: &TokenStream,
        iter: super::iterate::Iter,
        target: Target,
        label: Option<String>,
        at: Place,
        body: &mut dyn FnMut(&mut Self) -> Node,
    ) -> Node {
        use super::iterate::Iter;
        let name = self.pattern(pattern).and_then(|(pattern, _)| match pattern {
            syn::Pat::Ident(ident) => Some(ident.ident.to_string()),
            _ => None,
        });
        let name = name.as_deref().unwrap_or("item");
        let (range, down) = match iter {
            Iter::Range { from, to, inclusive } => (Ok((from, to, inclusive)), false),
            Iter::Rev(inner, length) => match *inner {
                Iter::Range { from, to, inclusive } => (Ok((from, to, inclusive)), true),
                inner => (Err(Iter::Rev(Box::new(inner), length)), false),
            },
            other => (Err(other), false),
        };
        let mut statements = Vec::new();
        let (variable, from, to, inclusive) = match range {
            Ok((from, to, inclusive)) => {
                let variable = self.variable(name, from.ty.clone(), false);
                let item = self.read(variable, at);
                self.bind_tokens(pattern, Item::Value(item), &mut statements);
                (variable, from, to, inclusive)
            }
            Err(iter) => {
                let length = self.count(&iter, at);
                let variable = self.variable("k", Ty::USIZE, false);
                let position = self.read(variable, at);
                let item = self.at(&iter, position, &mut statements);
                self.bind_tokens(pattern, item, &mut statements);
                (variable, self.number(0, at), length, false)
            }
        };
        self.frames.push(Frame { label, target, is_loop: true, ty: Ty::unit() });
        let body = body(self);
        self.frames.pop();
        let body = self.after(statements, body);
        let count = Count { target, variable, from, to, inclusive, down, body };
        self.node(Kind::Count(Box::new(count)), Ty::unit(), at)
    }

    // Macros.

    fn macro_call(&mut self, name: &str, args: &[Expr], e: &Expr, at: Place) -> Node {
        if name == "matches" {
            return self.matches(e, at);
        }
        let arg = |number: usize| args.get(number);
        if self.quiet {
            // `vec![e; n]` and `vec![a, b]` tell the type of their elements.
            if name == "vec"
                && let Ok(mac) = syn::parse2::<syn::ExprMacro>(e.tokens.clone())
            {
                let tokens = &mac.mac.tokens;
                if let Ok(list) = syn::parse2::<syn::Expr>(quote::quote!([#tokens])) {
                    let list = self.lower.expr(&list);
                    let ty = self.expr(&list).ty;
                    let element = self.types.element(&ty);
                    return self.node(Kind::Unit, Ty::Slice(Box::new(element)), at);
                }
            }
            args.iter().for_each(|arg| _ = self.expr(arg));
            let ty = match name {
                "panic" | "unreachable" | "todo" | "unimplemented" => Ty::Never,
                _ => self.types.unknown(),
            };
            return self.node(Kind::Unit, ty, at);
        }
        let condition = match (name, arg(0), arg(1)) {
            ("panic" | "unreachable" | "todo" | "unimplemented", ..) => return self.panics(at),
            ("assert" | "debug_assert", Some(condition), _) => self.expr(condition),
            ("assert_eq" | "debug_assert_eq", Some(a), Some(b)) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.operation(Op::Eq, a, b, at)
            }
            ("assert_ne" | "debug_assert_ne", Some(a), Some(b)) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.operation(Op::Ne, a, b, at)
            }
            _ => {
                return self.stuck(at, format!("`{name}!` does what a device cannot do"));
            }
        };
        let mut fails = self.node(Kind::Not(condition.boxed()), Ty::BOOL, at);
        if name.starts_with("debug") {
            let checks =
                self.capture("cfg!(debug_assertions)", &quote::quote!(::core::cfg!(debug_assertions)), Ty::BOOL, at);
            fails = self.operation(Op::AndAnd, checks, fails, at);
        }
        let panics = self.panics(at);
        let nothing = self.node(Kind::Unit, Ty::unit(), at);
        self.node(Kind::If(fails.boxed(), panics.boxed(), nothing.boxed()), Ty::unit(), at)
    }

    /// `matches!(value, pattern if guard)`.
    fn matches(&mut self, e: &Expr, at: Place) -> Node {
        let parser = |input: syn::parse::ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<syn::Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let parsed = syn::parse2::<syn::ExprMacro>(e.tokens.clone());
        let Ok((value, pattern, guard)) =
            parsed.and_then(|call| syn::parse::Parser::parse2(parser, call.mac.tokens.clone()))
        else {
            return self.stuck(at, "what `matches!` is given is not understood");
        };
        let scope = self.scope.clone();
        let value = self.lower.expr(&value);
        let value = self.expr(&value);
        let mut before = Vec::new();
        let value = if self.quiet { value } else { self.hold("value", value, &mut before) };
        let test = self.test_pattern(&pattern, &value, &mut before);
        let test = test.unwrap_or_else(|| self.node(Kind::Bool(true), Ty::BOOL, at));
        let node = match guard {
            Some(guard) => {
                let guard = self.lower.expr(&guard);
                let guard = self.expr(&guard);
                self.operation(Op::AndAnd, test, guard, at)
            }
            None => test,
        };
        self.scope = scope;
        self.after(before, node)
    }

    /// Ends the iteration, which panics.
    pub fn panics(&mut self, at: Place) -> Node {
        if !self.may_end {
            self.obstacle(at, "what puts results together may panic");
        }
        let raise = self.node(Kind::Raise(5), Ty::unit(), at);
        let end = self.node(Kind::Continue(ITERATION), Ty::Never, at);
        self.node(Kind::Block(vec![Statement::Do(raise)], end.boxed()), Ty::Never, at)
    }

    /// Sums as the accumulators do them.
    pub fn total(&self, how: Total, a: Node, b: Node) -> Node {
        let (ty, at) = (a.ty.clone(), a.at);
        self.node(Kind::Total(how, a.boxed(), b.boxed()), ty, at)
    }
}

/// Whether an expression names a place by fields alone.
pub(super) fn is_path(e: &Expr) -> bool {
    match &e.kind {
        ir::Kind::Name(_) => true,
        ir::Kind::Field(e, _) | ir::Kind::Paren(e) | ir::Kind::Unary('*', e) => is_path(e),
        _ => false,
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

/// The functions, constants and uses of a scope.
fn items_of(scope: &Scope) -> Scope {
    let mut kept = Vec::new();
    let mut next = scope;
    while let Some(named) = next {
        if matches!(named.binding, Binding::Function(_) | Binding::Constant(..) | Binding::Use(_)) {
            kept.push(named);
        }
        next = &named.before;
    }
    kept.into_iter().rev().fold(None, |before, named| {
        Some(Rc::new(Named { name: named.name.clone(), binding: named.binding.clone(), before }))
    })
}
