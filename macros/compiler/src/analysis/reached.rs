//! Values that all iterations read share no mutable state.
//!
//! Iterations could change such state for each other: by a method of a captured value, by a function that gets it, or by anything that a
//! path of methods, fields and patterns reaches from it. Only rustc knows the types. It checks each of these values, the captured ones before the loop
//! and the others in the body.

use super::captured::Parts;
use crate::front::function::Function;
use crate::front::tokens::{named_by, names_in};
use crate::ir::obligation::{HEADER, InBody, InPlace, Obligation, Property};
use crate::ir::{Block, Child, Expr, Id, Kind, Local, Pattern, Statement, StatementKind};
use crate::language::methods::{self, Given};
use crate::language::types;
use crate::maps::{HashMap, New as _};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;

/// Methods whose result may have a type that only the code around them tells.
const OF_ANY_TYPE: [&str; 18] = [
    "and_then",
    "collect",
    "default",
    "fold",
    "from",
    "from_iter",
    "into",
    "map",
    "map_or",
    "map_or_else",
    "new",
    "parse",
    "partition",
    "product",
    "sum",
    "then",
    "try_fold",
    "unzip",
];

/// Records the values that a body reaches from captured variables and from statics. `header` has a pattern and the value that it takes
/// apart.
pub fn record<'f>(
    function: &'f Function,
    body: &'f Block,
    header: Option<(&'f Pattern, &'f Expr)>,
    captures: &[(Local, Span)],
    to: &mut InBody,
) -> Vec<Obligation> {
    to.in_each_instance = !has_known_types(function);
    let mut reaching = Reaching {
        function,
        captures,
        items: Vec::new(),
        names: HashMap::new(),
        to,
        places: Vec::new(),
        wholes: Vec::new(),
    };
    if let Some((pattern, source)) = header {
        let taken = reaching.expr(source);
        reaching.bind(pattern, taken, true, (HEADER, 0));
    }
    reaching.block(body);
    let Reaching { places, wholes, .. } = reaching;
    let captures: Vec<_> = captures.iter().copied().chain(named_by_the_attribute(function)).collect();
    let Parts { places: parts, values } = Parts::of(function, &captures);
    let known = has_known_types(function);
    let is_known = |place: &Expr| known || place.root().is_some_and(|root| has_known_type(function, root));
    let mut all = Vec::new();
    let mut assume = |value: TokenStream, at: Span, inside: Option<bool>| {
        all.push(Obligation::Value { value: value.clone(), is: Property::SharesNothing, at });
        let inside = inside.map(|in_each_instance| Property::SharesNothingInside { in_each_instance });
        all.extend(inside.map(|is| Obligation::Value { value, is, at }));
    };
    for (name, at) in captures {
        assume(name.spanned(at).into_token_stream(), at, None);
    }
    for place in places {
        assume(place.tokens.clone(), place.span, Some(!is_known(place)));
    }
    for place in wholes.into_iter().chain(parts) {
        assume(place.tokens.clone(), place.span, is_known(place).then_some(false));
    }
    for value in values.into_iter().filter(|_| known) {
        assume(value.tokens.clone(), value.span, Some(false));
    }
    all
}

/// The variables of the function that name the attribute's functions, if they are closures.
fn named_by_the_attribute(function: &Function) -> Vec<(Local, Span)> {
    let args = &function.args;
    let paths = [&args.init, &args.merge, &args.merge_all, &args.combine].into_iter().flatten();
    let named = paths.filter_map(|path| syn::parse2::<Ident>(path.clone()).ok());
    let named = named.map(|name| (Local::from(&name), name.span()));
    named.filter(|(name, _)| function.declared.contains_key(name)).collect()
}

/// Whether a parameter has the same type for all callers. The type of a method's parameter may mention generic parameters of the `impl`.
fn has_known_type(function: &Function, name: Local) -> bool {
    let signature = &function.original.sig;
    let generic: Vec<&Ident> = signature.generics.type_params().map(|of| &of.ident).collect();
    let known = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(input) => {
            let mut mentioned = Vec::new();
            names_in(input.ty.to_token_stream(), &mut mentioned);
            let own = matches!(&*input.pat, syn::Pat::Ident(pattern) if pattern.ident == name);
            own && mentioned.iter().all(|(name, _)| name != "impl" && !generic.iter().any(|of| *of == name))
        }
        syn::FnArg::Receiver(_) => false,
    };
    !function.method && signature.inputs.iter().any(known)
}

/// Whether the values of a function have the same types for all callers.
fn has_known_types(function: &Function) -> bool {
    let signature = &function.original.sig;
    let any = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(input) => matches!(&*input.ty, syn::Type::ImplTrait(_)),
        syn::FnArg::Receiver(_) => true,
    };
    !function.method && signature.generics.type_params().next().is_none() && !signature.inputs.iter().any(any)
}

/// A variable of the body, or one of the function that the body sets.
#[derive(Default)]
struct Name {
    /// Whether its value was reached from a captured one.
    reached: bool,
    /// Whether the body binds it.
    own: bool,
    mutable: bool,
    /// Whether its type may not be known before it is used.
    is_open: bool,
}

struct Reaching<'f, 'a> {
    function: &'f Function,
    captures: &'a [(Local, Span)],
    /// The items in scope.
    items: Vec<Local>,
    names: HashMap<Local, Name>,
    to: &'a mut InBody,
    /// Captured variables, items and their fields that other code gets.
    places: Vec<&'f Expr>,
    /// Captured variables that the body takes apart.
    wholes: Vec<&'f Expr>,
}

impl<'f> Reaching<'f, '_> {
    fn bind(&mut self, pattern: &'f Pattern, reached: bool, is_typed: bool, at: (Id, usize)) {
        for binding in &pattern.names {
            // A constant or a variant is no variable.
            let is_item = binding.name.starts_with(char::is_uppercase);
            if reached && is_typed && !is_item {
                let mut all = Vec::new();
                names_in(pattern.tokens.clone(), &mut all);
                let written = all.iter().rfind(|(other, _)| binding.name == other.as_str());
                let name = binding.name.spanned(written.map_or_else(Span::call_site, |(_, at)| *at));
                let bound = self.to.bound.entry(at).or_default();
                if !bound.contains(&name) {
                    bound.push(name);
                }
            }
            let name = Name { reached, own: true, mutable: binding.mutable, is_open: !is_typed };
            self.names.insert(binding.name, name);
        }
    }

    fn own(&self, name: Local) -> Option<&Name> {
        self.names.get(&name).filter(|name| name.own)
    }

    fn is_reached(&self, name: Local) -> bool {
        match self.names.get(&name) {
            Some(found) if found.own || found.reached => found.reached,
            _ if self.items.contains(&name) || self.is_item(name) => is_static(&name),
            _ => self.is_captured(name),
        }
    }

    /// Visits a receiver or a borrowed place. Whether it was reached. Of items, it may be a static with any name.
    fn place(&mut self, e: &'f Expr) -> bool {
        self.expr(e) || e.root().is_some_and(|root| self.is_item(root) && self.is_captured(root))
    }

    /// Whether a name means a captured variable or an item from outside of the body.
    fn is_captured(&self, name: Local) -> bool {
        if self.own(name).is_some() || self.items.contains(&name) {
            return false;
        }
        match self.captures.iter().any(|(captured, _)| *captured == name) {
            true => !self.function.is_number(name) && self.function.shares.iter().all(|share| share.name != name),
            false => name == "self" || self.is_item(name) && name != "None",
        }
    }

    /// Whether a name has no declaration in the function: a constant, a static or a function.
    fn is_item(&self, name: Local) -> bool {
        let is_variable = name == "self" || self.function.declared.contains_key(&name) || self.own(name).is_some();
        !is_variable && self.captures.iter().all(|(captured, _)| *captured != name)
    }

    /// Whether an expression is a reference to a captured variable.
    fn is_alias(&self, e: &Expr) -> bool {
        match &e.bare().kind {
            Kind::Ref(false, inner) => matches!(&inner.bare().kind, Kind::Name(name) if self.is_captured(*name)),
            _ => false,
        }
    }

    fn block(&mut self, block: &'f Block) -> bool {
        let outer = self.items.len();
        // Items of a block are known in all of it, and not outside.
        for statement in &block.statements {
            if matches!(statement.kind, StatementKind::Item(_)) && statement.nested().is_none() {
                self.items.extend(named_by(statement.tokens.clone()).iter().map(|name| Local::named(name)));
            }
        }
        let reached = block.statements.iter().map(|statement| self.statement(statement)).last();
        self.items.truncate(outer);
        reached.unwrap_or(false)
    }

    /// Whether the statement's value, if it has one, was reached.
    fn statement(&mut self, statement: &'f Statement) -> bool {
        match &statement.kind {
            StatementKind::Let(pattern, value, otherwise) => {
                let reached = value.as_ref().is_some_and(|value| self.expr(value));
                self.all(otherwise);
                let number = pattern.ty.as_deref().is_some_and(types::is_primitive);
                let is_typed = value.as_ref().is_some_and(is_typed);
                self.bind(pattern, reached && !number, is_typed, (statement.id, 0));
                // The variable is checked, so its alias is not.
                if let (Some(binding), Some(value)) = (pattern.single(), value)
                    && self.is_alias(value)
                {
                    self.to.bound.remove(&(statement.id, 0));
                    let name = Name { reached, own: true, mutable: binding.mutable, is_open: false };
                    self.names.insert(binding.name, name);
                }
                false
            }
            StatementKind::Expr(e, semicolon) => self.expr(e) && !semicolon,
            StatementKind::Item(_) => false,
        }
    }

    /// Visits expressions. Whether a value of one of them was reached.
    fn all(&mut self, all: impl IntoIterator<Item = &'f Expr>) -> bool {
        all.into_iter().filter(|e| self.expr(e)).count() > 0
    }

    fn children(&mut self, e: &'f Expr) -> bool {
        let visit = |child| match child {
            Child::Expr(e) => self.expr(e),
            Child::Block(block) => self.block(block),
        };
        e.children().into_iter().map(visit).filter(|reached| *reached).count() > 0
    }

    /// Visits an expression. Whether its value was reached from a captured one.
    fn expr(&mut self, e: &'f Expr) -> bool {
        match &e.kind {
            Kind::Name(name) => self.is_reached(*name),
            Kind::Path => is_static(&e.text()),
            Kind::Field(base, _) | Kind::Unary('*', base) => {
                self.taken_apart(base);
                self.expr(base)
            }
            Kind::Index(base, index) => {
                self.taken_apart(base);
                self.expr(index);
                self.expr(base)
            }
            Kind::Ref(mutable, inner) => {
                let reached = self.place(inner);
                if reached && !mutable {
                    self.borrowed(inner);
                }
                reached
            }
            Kind::Method(receiver, method, arguments, _) => self.method(receiver, method, arguments),
            Kind::Call(function, arguments) => self.call(function, arguments),
            Kind::Assign(place, _, value) => {
                self.expr(place);
                if self.argument(value)
                    && let Some(root) = place.root()
                {
                    self.names.entry(root).or_default().reached = true;
                }
                false
            }
            Kind::Macro(name, ..) => self.children(e) && name == "vec",
            Kind::Repeat(one, count) => {
                self.expr(count);
                self.expr(one)
            }
            Kind::Block(block) | Kind::Labeled(_, _, block) | Kind::Loop(_, block) => self.block(block),
            Kind::If(..) | Kind::Let(..) | Kind::Match(..) | Kind::For(_) => self.branch(e),
            Kind::Closure(patterns, _, body) => self.closure(e.id, patterns, body, |_| false),
            // A part of a value, or a value that has others in it.
            Kind::Paren(_) | Kind::Try(_) | Kind::Tuple(_) | Kind::Array(_) | Kind::Opaque(_) | Kind::Struct(..) => {
                self.children(e)
            }
            // A number is no part of the value that it is computed from.
            _ => {
                self.children(e);
                false
            }
        }
    }

    /// An expression that binds names or has branches.
    fn branch(&mut self, e: &'f Expr) -> bool {
        match &e.kind {
            Kind::If(condition, then, otherwise) => {
                self.expr(condition);
                let reached = self.block(then);
                self.all(otherwise.as_deref()) || reached
            }
            Kind::Let(pattern, value) => {
                let reached = self.expr(value);
                self.bind(pattern, reached, true, (e.id, 0));
                false
            }
            Kind::Match(value, arms) => {
                let (taken, mut reached) = (self.expr(value), false);
                for (number, arm) in arms.iter().enumerate() {
                    self.bind(&arm.pattern, taken, true, (e.id, number));
                    self.all(&arm.guard);
                    reached |= self.expr(&arm.body);
                }
                reached
            }
            Kind::For(f) => {
                let taken = self.expr(&f.source);
                self.bind(&f.pattern, taken, true, (e.id, 0));
                self.block(&f.body);
                false
            }
            _ => false,
        }
    }

    /// Analyses a closure. `taken` tells for each parameter whether captured values reach it. Returns whether they reach the result.
    fn closure(&mut self, id: Id, patterns: &'f [Pattern], body: &'f Expr, taken: impl Fn(usize) -> bool) -> bool {
        for (number, pattern) in patterns.iter().enumerate() {
            self.bind(pattern, taken(number), true, (id, 0));
        }
        self.expr(body)
    }

    fn call(&mut self, function: &'f Expr, arguments: &'f [Expr]) -> bool {
        // A closure may return a value that it has captured. An item has captured nothing.
        let is_closure = function.name().is_none_or(|name| !self.is_item(name)) && !matches!(function.kind, Kind::Path);
        let called = is_closure && self.expr(function);
        if called {
            self.taken_apart(function);
        }
        let reached = arguments.iter().filter(|argument| self.argument(argument)).count() > 0;
        called || reached
    }

    fn method(&mut self, receiver: &'f Expr, method: &str, arguments: &'f [Expr]) -> bool {
        self.taken_apart(receiver);
        let mut reached = self.place(receiver);
        // A slice of the body's own type is checked with the variable that it belongs to.
        if reached && !(matches!(receiver.bare().kind, Kind::Index(..)) && methods::reads(method)) {
            self.borrowed(receiver);
        }
        let is_closure = |argument: &Expr| matches!(argument.kind, Kind::Closure(..));
        reached |= arguments.iter().filter(|argument| !is_closure(argument) && self.argument(argument)).count() > 0;
        for argument in arguments {
            if let Kind::Closure(patterns, _, body) = &argument.kind {
                // What was returned before may have a type that is not known yet.
                let first = usize::from(methods::given(method) == Given::Fold || method == "try_fold");
                let items = reached;
                reached |= self.closure(argument.id, patterns, body, |number| items && number >= first);
            }
        }
        reached && !(methods::measures(method) || method == "powi")
    }

    /// An argument, or a value that is assigned.
    fn argument(&mut self, e: &'f Expr) -> bool {
        let reached = self.expr(e);
        if reached {
            match &e.bare().kind {
                // A function has no state.
                Kind::Name(name) if self.is_item(*name) && !is_static(name) => {}
                Kind::Name(name) if self.is_captured(*name) => self.places.push(e.bare()),
                Kind::Field(..) if e.root().is_some_and(|root| self.is_captured(root)) && !has_index(e) => {
                    self.places.push(e.bare());
                }
                Kind::Field(..) => self.note(e, InPlace::SharesNothing),
                Kind::Method(..) | Kind::Try(_) if is_typed(e) => self.note(e, InPlace::SharesNothing),
                _ => {}
            }
        }
        reached
    }

    /// The owner of a part that the body uses: finding the part may run a function of its type.
    fn taken_apart(&mut self, e: &'f Expr) {
        match &e.kind {
            Kind::Name(name) if self.is_captured(*name) => self.wholes.push(e),
            Kind::Paren(e) | Kind::Unary('*', e) | Kind::Field(e, _) | Kind::Index(e, _) | Kind::Ref(_, e) => {
                self.taken_apart(e);
            }
            _ => {}
        }
    }

    /// A value to which other code gets a reference.
    fn borrowed(&mut self, e: &'f Expr) {
        match &e.kind {
            Kind::Paren(inner) => self.borrowed(inner),
            Kind::Name(name) => {
                let is_open = |own: &Name| own.reached && own.is_open && !own.mutable;
                if self.is_captured(*name) {
                    self.places.push(e);
                } else if self.own(*name).is_some_and(is_open) {
                    self.note(e, InPlace::PlaceSharesNothing);
                }
            }
            Kind::Path => self.places.push(e),
            Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _) => match root_of_place(e) {
                Root::Variable(name) => match self.own(name) {
                    // A mutable variable may be borrowed to be written.
                    Some(own) if own.mutable => {}
                    Some(_) if has_field(e) => self.note(e, InPlace::PlaceSharesNothing),
                    Some(_) => {}
                    None if !self.is_captured(name) => {}
                    None if !has_index(e) => self.places.push(e),
                    None => self.note(e, InPlace::PlaceSharesNothing),
                },
                Root::Value(value) => self.given(value),
                Root::Item => {}
            },
            _ => self.given(e),
        }
    }

    /// A value that a call returns.
    fn given(&mut self, e: &'f Expr) {
        let checked = match &e.kind {
            // Each item of an iterator is checked where a pattern binds it.
            Kind::Method(_, method, ..) => !methods::gives_iterator(method) && is_typed(e),
            Kind::Call(..) | Kind::Try(_) => true,
            _ => false,
        };
        if checked {
            self.note(e, InPlace::SharesNothing);
        }
    }

    fn note(&mut self, e: &Expr, value: InPlace) {
        self.to.values.insert(e.id, vec![value]);
    }
}

/// The end of a path of fields, indices and dereferences.
enum Root<'e> {
    Variable(Local),
    Value(&'e Expr),
    Item,
}

fn root_of_place(e: &Expr) -> Root<'_> {
    match &e.kind {
        Kind::Name(name) => Root::Variable(*name),
        Kind::Path => Root::Item,
        Kind::Paren(inner) | Kind::Field(inner, _) | Kind::Unary('*', inner) | Kind::Index(inner, _) => {
            root_of_place(inner)
        }
        _ => Root::Value(e),
    }
}

fn has_index(e: &Expr) -> bool {
    match &e.kind {
        Kind::Index(..) => true,
        Kind::Paren(inner) | Kind::Field(inner, _) | Kind::Unary('*', inner) => has_index(inner),
        _ => false,
    }
}

fn has_field(e: &Expr) -> bool {
    match &e.kind {
        Kind::Field(..) => true,
        Kind::Paren(inner) | Kind::Index(inner, _) | Kind::Unary('*', inner) => has_field(inner),
        _ => false,
    }
}

/// Whether an expression has a type of its own, whatever the code around it needs.
fn is_typed(e: &Expr) -> bool {
    match &e.bare().kind {
        Kind::Method(receiver, method, ..) => {
            !OF_ANY_TYPE.contains(&method.as_str())
                && (!matches!(method.as_str(), "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default")
                    || is_typed(receiver))
        }
        Kind::Try(inner) => is_typed(inner),
        // A function may be generic over what it gives.
        Kind::Call(..) => false,
        Kind::Closure(..) => false,
        _ => true,
    }
}

/// Whether a path is that of a static or a constant, by its spelling.
fn is_static(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or_default().trim();
    name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase)
}
