//! The values that a body reaches from captured ones: what its patterns bind, what its calls give, and the places that it uses.
//!
//! A method of such a value, or a function that gets it, may change shared mutable state in it. Only rustc knows the types: the stage
//! `rust` has it check each of these values, whatever the path that leads there.

use crate::front::tokens::named_by;
use crate::ir::{Block, Expr, Id, Kind, Local, Pattern, Statement, StatementKind};
use crate::language::methods::{self, Given};
use crate::language::types;
use std::collections::{HashMap, HashSet};

/// The id under which the names of the loop's header are found.
pub const HEADER: Id = Id::MAX;

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

/// How a value is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    /// It is a value, which is passed on.
    Value,
    /// It is a place, which is lent for reading.
    Place,
}

/// The values that a body reaches.
#[derive(Debug, Default)]
pub struct Reached<'f> {
    /// The names that patterns bind, by the statement or the expression that has the pattern and, of a `match`, the number of the arm.
    pub bound: HashMap<(Id, usize), Vec<(&'f str, &'f Pattern)>>,
    /// The values and places inside of the body.
    pub used: HashMap<Id, Used>,
    /// Captured variables and their fields, which are known outside of the body too.
    pub captured: Vec<&'f Expr>,
}

impl<'f> Reached<'f> {
    /// Finds the values that a body reaches from captured variables and from statics. `header` has a pattern and the value that it takes apart.
    pub fn of(body: &'f Block, header: Option<(&'f Pattern, &'f Expr)>, captured: &dyn Fn(Local) -> bool) -> Self {
        let mut reaching =
            Reaching { captured, names: Vec::new(), assigned: HashSet::new(), reached: Reached::default() };
        if let Some((pattern, source)) = header {
            let taken = reaching.expr(source);
            reaching.bind(pattern, taken, true, (HEADER, 0));
        }
        reaching.block(body);
        reaching.reached
    }
}

/// A variable of the body.
struct Name {
    name: Local,
    /// Whether its value was reached from a captured one.
    reached: bool,
    mutable: bool,
    /// Whether its type may not be known before it is used.
    is_open: bool,
}

struct Reaching<'f, 'c> {
    captured: &'c dyn Fn(Local) -> bool,
    /// The variables in scope, the last one first.
    names: Vec<Name>,
    /// Variables of the function that the body sets to what it has reached.
    assigned: HashSet<Local>,
    reached: Reached<'f>,
}

impl<'f> Reaching<'f, '_> {
    fn bind(&mut self, pattern: &'f Pattern, reached: bool, is_typed: bool, at: (Id, usize)) {
        for binding in &pattern.names {
            // A constant or a variant is no variable.
            let is_item = binding.name.starts_with(char::is_uppercase);
            if reached && is_typed && !is_item {
                self.reached.bound.entry(at).or_default().push((&binding.name, pattern));
            }
            self.names.push(Name { name: binding.name, reached, mutable: binding.mutable, is_open: !is_typed });
        }
    }

    fn is_reached(&self, name: Local) -> bool {
        match self.names.iter().rfind(|other| other.name == name) {
            Some(own) => own.reached,
            None => self.assigned.contains(&name) || (self.captured)(name),
        }
    }

    /// Whether a name means a captured variable, which is there before the body too.
    fn is_captured(&self, name: Local) -> bool {
        !self.names.iter().any(|other| other.name == name) && (self.captured)(name)
    }

    /// Whether an expression is a reference to a captured variable.
    fn is_alias(&self, e: &Expr) -> bool {
        match &e.bare().kind {
            Kind::Ref(false, inner) => matches!(&inner.bare().kind, Kind::Name(name) if self.is_captured(*name)),
            _ => false,
        }
    }

    fn scoped(&mut self, visit: impl FnOnce(&mut Self) -> bool) -> bool {
        let outer = self.names.len();
        let reached = visit(self);
        self.names.truncate(outer);
        reached
    }

    fn block(&mut self, block: &'f Block) -> bool {
        self.scoped(|all| {
            // Items of a block are known in all of it, and not before it.
            for statement in &block.statements {
                if matches!(statement.kind, StatementKind::Item(_)) && statement.nested().is_none() {
                    let named = named_by(statement.tokens.clone()).into_iter();
                    all.names.extend(named.map(|name| Name {
                        reached: is_static(&name),
                        name: Local::named(&name),
                        mutable: false,
                        is_open: false,
                    }));
                }
            }
            let reached = block.statements.iter().map(|statement| all.statement(statement));
            reached.last().unwrap_or(false)
        })
    }

    /// Whether the statement's value, if it has one, was reached.
    fn statement(&mut self, statement: &'f Statement) -> bool {
        match &statement.kind {
            StatementKind::Let(pattern, value, otherwise) => {
                let reached = value.as_ref().is_some_and(|value| self.expr(value));
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise);
                }
                let number = pattern.ty.as_deref().is_some_and(types::is_primitive);
                let is_typed = value.as_ref().is_some_and(is_typed);
                // Another name for a variable that is checked.
                let alias = pattern.single().is_some() && value.as_ref().is_some_and(|value| self.is_alias(value));
                if alias {
                    self.names.extend(pattern.names.iter().map(|binding| Name {
                        name: binding.name,
                        reached,
                        mutable: binding.mutable,
                        is_open: false,
                    }));
                } else {
                    self.bind(pattern, reached && !number, is_typed, (statement.id, 0));
                }
                false
            }
            StatementKind::Expr(e, semicolon) => self.expr(e) && !semicolon,
            StatementKind::Item(_) => false,
        }
    }

    fn all(&mut self, all: impl IntoIterator<Item = &'f Expr>) -> bool {
        all.into_iter().filter(|e| self.expr(e)).count() > 0
    }

    /// Visits an expression. Whether its value was reached from a captured one.
    fn expr(&mut self, e: &'f Expr) -> bool {
        match &e.kind {
            Kind::Name(name) => self.is_reached(*name),
            Kind::Path => is_static(&e.text()),
            Kind::Paren(inner) | Kind::Try(inner) | Kind::Field(inner, _) => self.expr(inner),
            Kind::Unary(op, inner) => self.expr(inner) && *op == '*',
            Kind::Index(base, index) => {
                self.expr(index);
                self.expr(base)
            }
            Kind::Ref(mutable, inner) => {
                let reached = self.expr(inner);
                if reached && !mutable {
                    self.lent(inner);
                }
                reached
            }
            Kind::Method(receiver, method, arguments, _) => self.method(receiver, method, arguments),
            Kind::Call(function, arguments) => {
                // A closure may give what it has captured; a constructor or another item has captured nothing.
                let is_item = match &function.kind {
                    Kind::Name(name) => name.starts_with(char::is_uppercase),
                    Kind::Path => true,
                    _ => false,
                };
                let called = !is_item && self.expr(function);
                let reached = arguments.iter().filter(|argument| self.argument(argument)).count() > 0;
                called || reached
            }
            Kind::Assign(place, _, value) => {
                self.expr(place);
                if self.argument(value)
                    && let Some(root) = place.root()
                {
                    match self.names.iter_mut().rfind(|other| other.name == root) {
                        Some(own) => own.reached = true,
                        None => _ = self.assigned.insert(root),
                    }
                }
                false
            }
            Kind::Tuple(all) | Kind::Array(all) => self.all(all),
            Kind::Opaque(opaque) => self.all(opaque.children()),
            Kind::Macro(name, all, _) => self.all(all) && name == "vec",
            Kind::Struct(_, fields, rest) => {
                let reached = self.all(fields.iter().map(|(_, e)| e));
                self.all(rest.iter().map(|e| &**e)) || reached
            }
            Kind::Repeat(one, count) => {
                self.expr(count);
                self.expr(one)
            }
            Kind::Block(block) | Kind::Labeled(_, _, block) | Kind::Loop(_, block) => self.block(block),
            Kind::If(condition, then, otherwise) => self.scoped(|all| {
                all.expr(condition);
                let reached = all.block(then);
                otherwise.as_ref().is_some_and(|e| all.expr(e)) || reached
            }),
            Kind::Let(pattern, value) => {
                let reached = self.expr(value);
                self.bind(pattern, reached, true, (e.id, 0));
                false
            }
            Kind::Match(value, arms) => {
                let taken = self.expr(value);
                arms.iter().enumerate().fold(false, |reached, (number, arm)| {
                    self.scoped(|all| {
                        all.bind(&arm.pattern, taken, true, (e.id, number));
                        all.all(&arm.guard);
                        all.expr(&arm.body)
                    }) || reached
                })
            }
            Kind::For(f) => {
                let taken = self.expr(&f.source);
                self.scoped(|all| {
                    all.bind(&f.pattern, taken, true, (e.id, 0));
                    all.block(&f.body)
                });
                false
            }
            Kind::While(_, condition, body) => self.scoped(|all| {
                all.expr(condition);
                all.block(body);
                false
            }),
            Kind::Closure(patterns, _, body) => self.closure(e.id, patterns, body, |_| false),
            Kind::Binary(_, one, two) => {
                self.all([&**one, &**two]);
                false
            }
            Kind::Cast(value, ..) => {
                self.expr(value);
                false
            }
            Kind::Range(from, to, _) => {
                self.all(from.iter().chain(to).map(|e| &**e));
                false
            }
            Kind::Break(_, value) | Kind::Return(value) => {
                self.all(value.iter().map(|e| &**e));
                false
            }
            Kind::Int(_) | Kind::Literal | Kind::Continue(_) => false,
        }
    }

    /// A closure, whose parameters of some numbers were reached. Whether what it returns was.
    fn closure(&mut self, id: Id, patterns: &'f [Pattern], body: &'f Expr, taken: impl Fn(usize) -> bool) -> bool {
        self.scoped(|all| {
            for (number, pattern) in patterns.iter().enumerate() {
                all.bind(pattern, taken(number), true, (id, 0));
            }
            all.expr(body)
        })
    }

    fn method(&mut self, receiver: &'f Expr, method: &str, arguments: &'f [Expr]) -> bool {
        let mut reached = self.expr(receiver);
        if reached {
            self.called_on(receiver, method);
        }
        let others: Vec<bool> = arguments
            .iter()
            .map(|argument| !matches!(argument.kind, Kind::Closure(..)) && self.argument(argument))
            .collect();
        reached |= others.contains(&true);
        for argument in arguments {
            if let Kind::Closure(patterns, _, body) = &argument.kind {
                // What was returned before may have a type that is not known yet.
                let first = usize::from(methods::given(method) == Given::Fold || method == "try_fold");
                let items = reached;
                reached |= self.closure(argument.id, patterns, body, |number| items && number >= first);
            }
        }
        // A number is no part of what it is computed from.
        reached && !(methods::measures(method) || method == "powi")
    }

    /// An argument, or a value that is assigned.
    fn argument(&mut self, e: &'f Expr) -> bool {
        let reached = self.expr(e);
        if reached {
            match &e.bare().kind {
                Kind::Name(name) if self.is_captured(*name) => self.reached.captured.push(e.bare()),
                Kind::Field(..) if e.root().is_some_and(|root| self.is_captured(root)) && !has_index(e) => {
                    self.reached.captured.push(e.bare());
                }
                Kind::Field(..) => _ = self.reached.used.insert(e.id, Used::Value),
                Kind::Method(..) | Kind::Try(_) if is_typed(e) => {
                    self.reached.used.insert(e.id, Used::Value);
                }
                _ => {}
            }
        }
        reached
    }

    /// The receiver of a method.
    fn called_on(&mut self, receiver: &'f Expr, method: &str) {
        match &receiver.kind {
            Kind::Paren(inner) => self.called_on(inner, method),
            // A slice of the body's own type is checked with the variable that it belongs to.
            Kind::Index(..) if methods::reads(method) => {}
            _ => self.lent(receiver),
        }
    }

    /// A value that other code gets a reference to.
    fn lent(&mut self, e: &'f Expr) {
        match &e.kind {
            Kind::Paren(inner) => self.lent(inner),
            Kind::Name(name) => {
                let is_open = |own: &Name| own.reached && own.is_open && !own.mutable;
                if self.is_captured(*name) {
                    self.reached.captured.push(e);
                } else if self.names.iter().rfind(|other| other.name == *name).is_some_and(is_open) {
                    self.reached.used.insert(e.id, Used::Place);
                }
            }
            Kind::Path => self.reached.captured.push(e),
            Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _) => match root_of_place(e) {
                Root::Variable(name) => {
                    let own = self.names.iter().rfind(|other| other.name == name);
                    match own {
                        // What a variable that may be written lends may be lent to be written.
                        Some(own) if own.mutable => {}
                        Some(_) => _ = has_field(e).then(|| self.reached.used.insert(e.id, Used::Place)),
                        None if !self.is_captured(name) => {}
                        None if !has_index(e) => self.reached.captured.push(e),
                        None => _ = self.reached.used.insert(e.id, Used::Place),
                    }
                }
                Root::Value(value) => self.given(value),
                Root::Item => {}
            },
            _ => self.given(e),
        }
    }

    /// A value that a call gives.
    fn given(&mut self, e: &'f Expr) {
        let checked = match &e.kind {
            // Each item of an iterator is checked where a pattern binds it.
            Kind::Method(_, method, ..) => !methods::gives_iterator(method) && is_typed(e),
            Kind::Call(..) | Kind::Try(_) => true,
            _ => false,
        };
        if checked {
            self.reached.used.insert(e.id, Used::Value);
        }
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
