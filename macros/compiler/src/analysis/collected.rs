//! The uses of a buffer, a collection or a state in an iteration: whether the iteration resets it before any other use,
//! only adds to it, or reads values that earlier iterations have left in it.

use crate::front::function::Function;
use crate::ir::names::names_of_closure;
use crate::ir::report::Location;
use crate::ir::{Block, Expr, For, Id, Kind, Local, Op, Pattern, Statement, StatementKind, Unknown, Written};
use crate::language::methods::{self, Effect, Of};
use crate::language::{macros, types};
use proc_macro2::Span;
use std::collections::HashSet;

/// An occurrence of a variable.
#[derive(Debug, Clone)]
pub struct Mention {
    pub place: Location,
    pub text: String,
}

/// How a statement changes a variable without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// `s.method(..)`, with the number of arguments; `+=` counts as one.
    Method(String, usize),
    /// `s.entry(k)..`, with the function of `core` that merges two maps with such updates, if there is one.
    Entry(Option<&'static str>),
    /// `s.part = e`, `s.part.method(..)`; `numeric` is whether the name of the part is a number.
    Part { numeric: bool, method: String, arguments: usize },
    /// `s[k] = e`, `s[k].method(..)`.
    Element,
    /// `f(&mut s)`.
    Lent,
    /// `write!(s, ..)`.
    Written,
}

/// The uses of a variable in a piece of code, until the code resets the variable.
#[derive(Debug, Default)]
pub struct Flow {
    /// The resets: `s.clear()`, `s = e`.
    pub resets: Vec<Mention>,
    pub reads: Vec<Mention>,
    pub updates: Vec<(Mention, How)>,
}

impl Flow {
    /// The uses in the body of a loop.
    pub fn of_iteration(f: &For, name: Local, array: bool) -> Flow {
        Self::of(&f.body, name, array)
    }

    /// The uses in statements; `array` is whether the variable has a fixed length.
    pub fn of_statements(statements: &[Statement], name: Local, array: bool) -> Flow {
        Self::of(&Block { statements: statements.to_vec() }, name, array)
    }

    fn of(body: &Block, name: Local, array: bool) -> Flow {
        let fixed = array || keeps_length(body, name);
        let mut tracer = Tracer { name, fixed, fresh: false, flow: Flow::default() };
        tracer.block(body, Value::Unused);
        tracer.flow
    }

    /// Whether every iteration resets the variable before any other use.
    pub fn private(&self) -> bool {
        !self.resets.is_empty() && self.reads.is_empty() && self.updates.is_empty()
    }

    /// Whether the code depends on the earlier value of the variable, or changes it.
    pub fn looks(&self) -> bool {
        !self.reads.is_empty() || !self.updates.is_empty()
    }
}

/// Whether statements depend on the earlier contents of a buffer.
pub fn looked_at(function: &Function, statements: &[Statement], name: Local) -> bool {
    Flow::of_statements(statements, name, is_array(function, name)).looks()
}

/// Whether a body cannot change the number of elements of a buffer.
pub fn keeps_its_length(function: &Function, body: &Block, name: Local) -> bool {
    is_array(function, name) || keeps_length(body, name)
}

/// The first call of one of these methods of a variable in a body.
pub fn calls(body: &Block, name: Local, methods: impl Fn(&str) -> bool) -> Option<Span> {
    let called =
        |e: &&Expr| matches!(&e.kind, Kind::Method(of, method, ..) if methods(method) && of.name() == Some(name));
    body.nodes().find(called).map(|e| e.span)
}

/// Knowledge about a variable's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A collection of the standard library.
    Std(Of),
    /// A type outside of the standard library.
    Own,
    Unknown,
}

impl Sort {
    pub fn of(function: &Function, name: Local) -> Sort {
        for input in &function.original.sig.inputs {
            if let syn::FnArg::Typed(input) = input
                && let syn::Pat::Ident(ident) = &*input.pat
                && ident.ident == name
                && function.declared.get(&name).is_some_and(|d| d.parameter)
            {
                return Self::of_type(&input.ty);
            }
        }
        let Some((ty, value)) = declaration(&function.body, name) else { return Sort::Unknown };
        if let Some(ty) = ty.and_then(|ty| syn::parse_str::<syn::Type>(&ty).ok()) {
            let found = Self::of_type(&ty);
            if found != Sort::Unknown {
                return found;
            }
        }
        match value.as_ref().map(|value| &value.bare().kind) {
            Some(Kind::Call(path, _)) => {
                let Ok(path) = syn::parse_str::<syn::Path>(&path.text()) else { return Sort::Unknown };
                match path.segments.iter().rev().nth(1) {
                    Some(ty) => Self::of_name(&ty.ident.to_string()),
                    None => Sort::Unknown,
                }
            }
            Some(Kind::Struct(..)) => Sort::Own,
            Some(Kind::Repeat(..) | Kind::Array(_)) => Sort::Std(Of::Sequence),
            Some(Kind::Macro(name, ..)) if matches!(name.as_str(), "vec" | "format") => Sort::Std(Of::Sequence),
            Some(Kind::Method(_, name, ..)) if matches!(name.as_str(), "to_vec" | "to_string") => {
                Sort::Std(Of::Sequence)
            }
            _ => Sort::Unknown,
        }
    }

    fn of_type(ty: &syn::Type) -> Sort {
        match ty {
            syn::Type::Reference(reference) => Self::of_type(&reference.elem),
            syn::Type::Paren(inner) => Self::of_type(&inner.elem),
            syn::Type::Group(inner) => Self::of_type(&inner.elem),
            syn::Type::Array(_) | syn::Type::Slice(_) => Sort::Std(Of::Sequence),
            syn::Type::Path(path) => {
                path.path.segments.last().map_or(Sort::Unknown, |last| Self::of_name(&last.ident.to_string()))
            }
            _ => Sort::Unknown,
        }
    }

    fn of_name(name: &str) -> Sort {
        match types::collection(name) {
            Some(of) => Sort::Std(of),
            None if name != "Default" && name.starts_with(char::is_uppercase) => Sort::Own,
            None => Sort::Unknown,
        }
    }

    /// Whether `Merge` can merge such updates of two workers: it adds the later collection to the earlier.
    pub fn merges(self, how: &How) -> bool {
        let adds = |of: Of, method: &str| methods::adds(of, method) || methods::does(of, method, Effect::Reserves);
        match (how, self) {
            (How::Written, _) => true,
            (How::Method(method, _), Sort::Std(of)) => of == Of::Sequence && method == "+=" || adds(of, method),
            (How::Method(method, _), _) => !methods::takes_away(method),
            // The updates of the entries determine the merge of maps.
            (How::Entry(_), _) => true,
            (How::Part { numeric: true, method, arguments }, _) => {
                !matches!(method.as_str(), "=" | "entry")
                    && !methods::takes_away(method)
                    && (method != "insert" || *arguments < 2)
            }
            (How::Part { numeric: false, .. } | How::Lent, Sort::Own | Sort::Unknown) => true,
            (How::Element, Sort::Own) => true,
            (How::Part { .. } | How::Lent | How::Element, _) => false,
        }
    }
}

/// Whether a variable is an array, so that its length cannot change.
pub fn is_array(function: &Function, name: Local) -> bool {
    if function.declared.get(&name).is_none_or(|d| d.parameter) {
        return false;
    }
    declaration(&function.body, name).is_some_and(|(ty, value)| {
        ty.is_some_and(|ty| ty.starts_with('['))
            || value.is_some_and(|value| matches!(value.bare().kind, Kind::Repeat(..) | Kind::Array(_)))
    })
}

/// The type and the value of the last `let` of this name, outside of the loop bodies.
fn declaration(block: &Block, name: Local) -> Option<(Option<Written>, Option<Expr>)> {
    let mut found = None;
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Let(pattern, value, _) if pattern.single().is_some_and(|b| b.name == name) => {
                found = Some((pattern.ty.clone(), value.clone()));
            }
            StatementKind::Let(pattern, Some(value), _) if !pattern.parts().is_empty() => {
                // `let (mut a, mut b) = (e, f);`
                let Kind::Tuple(values) = &value.bare().kind else { continue };
                for (part, value) in pattern.parts().iter().zip(values) {
                    if part.single().is_some_and(|b| b.name == name) {
                        found = Some((part.ty.clone(), Some(value.clone())));
                    }
                }
            }
            StatementKind::Expr(e, _) => {
                let inner = e.nodes().find_map(|e| match &e.kind {
                    Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::While(_, _, b) | Kind::Loop(_, b) => {
                        declaration(b, name)
                    }
                    Kind::If(_, b, _) => declaration(b, name),
                    Kind::For(f) => declaration(&f.body, name),
                    _ => None,
                });
                found = found.or(inner);
            }
            _ => {}
        }
    }
    found
}

/// Whether a body does not change the length of a buffer.
pub fn keeps_length(body: &Block, name: Local) -> bool {
    let whole = |place: &Expr| place.root() == Some(name) && element(place).is_none();
    body.nodes().all(|e| match &e.kind {
        Kind::Method(receiver, method, ..) => !whole(receiver) || methods::keeps_length(method),
        Kind::Ref(true, inner) => !whole(inner),
        Kind::Assign(place, ..) => {
            let mut named = false;
            place.walk(&mut |part| {
                named |= part.name() == Some(name);
                !matches!(part.kind, Kind::Index(..))
            });
            !named
        }
        Kind::Opaque(opaque) => !opaque.receives(name),
        _ => true,
    })
}

/// The index in a place.
fn element(place: &Expr) -> Option<&Expr> {
    match &place.kind {
        Kind::Index(_, index) => Some(index),
        Kind::Paren(inner) | Kind::Field(inner, _) | Kind::Unary('*', inner) | Kind::Ref(_, inner) => element(inner),
        _ => None,
    }
}

/// A step from a variable to an operation on it.
enum Link<'e> {
    Method(&'e str, &'e [Expr]),
    Field(&'e str),
    Index(&'e Expr),
}

/// The variable at the beginning of a place or a chain of methods, and the steps from it.
fn way(e: &Expr) -> Option<(&Expr, Vec<Link<'_>>)> {
    let (root, mut links) = match &e.kind {
        Kind::Name(_) => return Some((e, Vec::new())),
        Kind::Paren(inner) | Kind::Unary('*', inner) | Kind::Ref(_, inner) => return way(inner),
        Kind::Method(receiver, ..) => way(receiver)?,
        Kind::Field(inner, _) => way(inner)?,
        Kind::Index(base, _) => way(base)?,
        _ => return None,
    };
    links.push(match &e.kind {
        Kind::Method(_, name, args, _) => Link::Method(name, args),
        Kind::Field(_, name) => Link::Field(name),
        Kind::Index(_, index) => Link::Index(index),
        _ => return None,
    });
    Some((root, links))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Used,
    Unused,
}

/// Traces code in the order of its execution.
struct Tracer {
    name: Local,
    /// Whether the variable keeps its length, so that setting all elements is a reset.
    fixed: bool,
    /// Whether every path to this point has reset the variable.
    fresh: bool,
    flow: Flow,
}

impl Tracer {
    fn block(&mut self, block: &Block, value: Value) {
        for (number, statement) in block.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Item(_) => {}
                StatementKind::Let(pattern, initial, otherwise) => {
                    if let Some(initial) = initial {
                        let ignored = pattern.tokens.to_string() == "_";
                        self.expr(initial, if ignored { Value::Unused } else { Value::Used });
                    }
                    if let Some(otherwise) = otherwise {
                        self.apart(|tracer| tracer.expr(otherwise, Value::Unused));
                    }
                }
                StatementKind::Expr(e, semicolon) => {
                    let last = number + 1 == block.statements.len() && !semicolon;
                    self.expr(e, if last { value } else { Value::Unused });
                }
            }
        }
    }

    /// Traces code that may not run, or that jumps elsewhere: a reset in it does not hold for later code.
    fn apart(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = self.fresh;
        inside(self);
        self.fresh = before;
    }

    fn exprs<'e>(&mut self, es: impl IntoIterator<Item = &'e Expr>) {
        for e in es {
            self.expr(e, Value::Used);
        }
    }

    fn is_ours(&self, root: &Expr) -> bool {
        root.name() == Some(self.name)
    }

    fn mention(e: &Expr) -> Mention {
        Mention { place: Location::from(e), text: e.shown() }
    }

    fn read(&mut self, e: &Expr) {
        if !self.fresh {
            self.flow.reads.push(Self::mention(e));
        }
    }

    fn reset(&mut self, e: &Expr) {
        self.flow.resets.push(Self::mention(e));
        self.fresh = true;
    }

    fn update(&mut self, e: &Expr, how: Option<How>) {
        match how {
            Some(how) if !self.fresh => self.flow.updates.push((Self::mention(e), how)),
            Some(_) => {}
            None => self.read(e),
        }
    }

    fn expr(&mut self, e: &Expr, value: Value) {
        match &e.kind {
            Kind::Paren(inner) => self.expr(inner, value),
            Kind::Block(block) => self.block(block, value),
            Kind::Labeled(_, _, block) => self.apart(|tracer| tracer.block(block, value)),
            Kind::Opaque(opaque) if opaque.what == Unknown::Unsafe => {
                opaque.parts.iter().for_each(|inner| self.expr(inner, value));
            }
            Kind::Opaque(opaque) => {
                if opaque.receives(self.name) {
                    self.read(e);
                }
                self.children(e);
            }
            Kind::If(condition, then, otherwise) => {
                self.expr(condition, Value::Used);
                let before = self.fresh;
                self.block(then, value);
                let after = std::mem::replace(&mut self.fresh, before);
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise, value);
                }
                self.fresh &= after;
            }
            Kind::Match(matched, arms) => {
                self.expr(matched, Value::Used);
                let (before, mut after) = (self.fresh, true);
                for arm in arms {
                    self.fresh = before;
                    self.exprs(&arm.guard);
                    self.expr(&arm.body, value);
                    after &= self.fresh;
                }
                self.fresh = before || after && !arms.is_empty();
            }
            Kind::For(f) => {
                self.expr(&f.source, Value::Used);
                self.apart(|tracer| tracer.block(&f.body, Value::Unused));
            }
            Kind::While(_, condition, body) => {
                self.expr(condition, Value::Used);
                self.apart(|tracer| tracer.block(body, Value::Unused));
            }
            Kind::Loop(_, body) => self.apart(|tracer| tracer.block(body, Value::Unused)),
            Kind::Closure(_, _, body) => self.apart(|tracer| tracer.expr(body, Value::Used)),
            Kind::Binary(Op::AndAnd | Op::OrOr, left, right) => {
                self.expr(left, Value::Used);
                self.apart(|tracer| tracer.expr(right, Value::Used));
            }
            // Code after the jump does not run.
            Kind::Break(_, result) | Kind::Return(result) => {
                self.exprs(result.as_deref());
                self.fresh = true;
            }
            Kind::Continue(_) => self.fresh = true,
            Kind::Assign(place, op, assigned) => self.assign(e, place, *op, assigned),
            Kind::Call(function, args) => self.call(e, function, args, value),
            Kind::Macro(name, args, _) if macros::writes(name) => self.write(e, args, value),
            Kind::Name(_)
            | Kind::Method(..)
            | Kind::Field(..)
            | Kind::Index(..)
            | Kind::Unary('*', _)
            | Kind::Ref(..) => match way(e) {
                Some((root, links)) if self.is_ours(root) => self.ours(e, &links, value),
                _ => self.others(e, value),
            },
            _ => self.children(e),
        }
    }

    fn children(&mut self, e: &Expr) {
        for child in e.children() {
            match child {
                crate::ir::Child::Expr(e) => self.expr(e, Value::Used),
                crate::ir::Child::Block(b) => self.block(b, Value::Used),
            }
        }
    }

    /// A place or a chain of methods that does not begin with the variable.
    fn others(&mut self, e: &Expr, value: Value) {
        match &e.kind {
            // The result of writing to a string does not depend on its contents.
            Kind::Method(receiver, method, args, _)
                if matches!(method.as_str(), "unwrap" | "expect" | "ok")
                    && matches!(&receiver.kind, Kind::Macro(path, ..) if matches!(path.as_str(), "write" | "writeln")) =>
            {
                self.expr(receiver, value);
                self.exprs(args);
            }
            Kind::Method(receiver, method, args, _) if method == "for_each" && value == Value::Unused => {
                self.expr(receiver, Value::Used);
                for arg in args {
                    match &arg.kind {
                        Kind::Closure(_, _, body) => {
                            self.apart(|tracer| tracer.expr(body, Value::Unused));
                        }
                        _ => self.expr(arg, Value::Used),
                    }
                }
            }
            _ => self.children(e),
        }
    }

    /// A place or a chain of methods that begins with the variable.
    fn ours(&mut self, e: &Expr, links: &[Link<'_>], value: Value) {
        self.inside(links);
        // The capacity depends on earlier contents, even after a reset.
        if links.iter().any(|link| matches!(link, Link::Method("capacity" | "spare_capacity_mut", _))) {
            self.flow.reads.push(Self::mention(e));
        }
        match links {
            [Link::Method("clear", [])] => return self.reset(e),
            [Link::Method(method, _)] if self.fixed && methods::sets(method) => return self.reset(e),
            _ => {}
        }
        let call = matches!(links.last(), Some(Link::Method(..))) && matches!(e.kind, Kind::Method(..));
        let how = if value == Value::Unused && call { self.how(links, None) } else { None };
        self.update(e, how);
    }

    /// Traces the indices and arguments.
    fn inside(&mut self, links: &[Link<'_>]) {
        for link in links {
            match link {
                Link::Method(_, args) => self.exprs(*args),
                Link::Index(index) => self.expr(index, Value::Used),
                Link::Field(_) => {}
            }
        }
    }

    fn assign(&mut self, e: &Expr, place: &Expr, op: Option<Op>, value: &Expr) {
        if op.is_none() && place.tokens.to_string() == "_" {
            return self.expr(value, Value::Unused);
        }
        self.expr(value, Value::Used);
        match way(place) {
            Some((root, links)) if self.is_ours(root) => {
                self.inside(&links);
                if links.is_empty() && op.is_none() {
                    return self.reset(e);
                }
                let how = self.how(&links, Some((op, value)));
                self.update(e, how);
            }
            // `(a, b) = ..`
            _ => self.children(place),
        }
    }

    fn call(&mut self, e: &Expr, function: &Expr, args: &[Expr], value: Value) {
        self.expr(function, Value::Used);
        let ours = |arg: &Expr| {
            matches!(arg.kind, Kind::Ref(true, _))
                && way(arg).is_some_and(|(root, links)| links.is_empty() && self.is_ours(root))
        };
        let (lent, rest): (Vec<&Expr>, Vec<&Expr>) = args.iter().partition(|arg| ours(arg));
        if lent.len() == 1 && value == Value::Unused && !rest.iter().any(|arg| hands_out(arg)) {
            self.exprs(rest);
            self.update(e, Some(How::Lent));
        } else {
            self.exprs(args);
        }
    }

    /// `write!(to, ..)`.
    fn write(&mut self, e: &Expr, call: &[Expr], value: Value) {
        if let [Expr { kind: Kind::Method(to, _, args, _), .. }] = call
            && let Some((root, links)) = way(to)
            && self.is_ours(root)
            && links.iter().all(|link| matches!(link, Link::Field(_)))
        {
            self.exprs(args);
            let how = (value == Value::Unused).then_some(How::Written);
            return self.update(e, how);
        }
        self.exprs(call);
    }

    /// How a statement changes the variable; `None` if the statement may also read it.
    fn how(&self, links: &[Link<'_>], assigned: Option<(Option<Op>, &Expr)>) -> Option<How> {
        let appends = matches!(links, [Link::Method("append", _)]);
        let given = links.iter().flat_map(|link| match link {
            Link::Method(_, args) => *args,
            _ => &[],
        });
        if !appends && given.into_iter().any(hands_out) {
            return None;
        }
        let sign = assigned.map_or("=".to_owned(), |(op, _)| op.map_or("=".to_owned(), |op| format!("{}=", op.text())));
        match links {
            [] => Some(How::Method(sign, 1)),
            [Link::Method("entry", _), rest @ ..] => Some(How::Entry(entry(rest, assigned))),
            [Link::Method(method, args), ..] => {
                (!methods::reads(method)).then(|| How::Method((*method).to_owned(), args.len()))
            }
            [Link::Index(_), ..] => Some(How::Element),
            [Link::Field(field), rest @ ..] => {
                let numeric = field.starts_with(|c: char| c.is_ascii_digit());
                let indexed =
                    rest.iter().take_while(|l| !matches!(l, Link::Method(..))).any(|l| matches!(l, Link::Index(_)));
                let method = rest.iter().find_map(|link| match link {
                    Link::Method(method, args) => Some((*method, args.len())),
                    _ => None,
                });
                match method {
                    Some((method, _)) if methods::reads(method) => None,
                    _ if indexed && numeric => Some(How::Element),
                    Some((method, arguments)) => Some(How::Part { numeric, method: method.to_owned(), arguments }),
                    None => Some(How::Part { numeric, method: sign, arguments: 1 }),
                }
            }
        }
    }
}

/// Whether an argument allows a method or function to store values elsewhere. The compiler assumes that a plain value
/// does not: see [`given`].
fn hands_out(arg: &Expr) -> bool {
    match &arg.kind {
        Kind::Paren(inner) => hands_out(inner),
        Kind::Ref(true, _) => true,
        Kind::Closure(patterns, _, body) => acts_outside(patterns, body),
        _ => false,
    }
}

/// The values that a body passes to methods of these variables, and to functions that change one of them. The compiler
/// assumes that they are not outputs: `state.put(o)` could write values of earlier iterations from the state to `o`.
pub fn given(body: &Block, variables: &HashSet<Local>) -> HashSet<Id> {
    let is_one = |e: &Expr| way(e).and_then(|(root, _)| root.name()).is_some_and(|name| variables.contains(&name));
    let may_write = |arg: &&Expr| {
        !matches!(arg.kind, Kind::Ref(..) | Kind::Closure(..) | Kind::Path | Kind::Int(_) | Kind::Literal)
    };
    let mut given = HashSet::new();
    for e in body.nodes() {
        let args = match &e.kind {
            Kind::Method(receiver, _, args, _) if is_one(receiver) => args,
            Kind::Call(_, args) if args.iter().any(|arg| matches!(arg.kind, Kind::Ref(true, _)) && is_one(arg)) => args,
            _ => continue,
        };
        given.extend(args.iter().map(Expr::bare).filter(may_write).map(|arg| arg.id));
    }
    given
}

/// Whether a closure has other effects than computing a value and changing its arguments.
fn acts_outside(patterns: &[Pattern], body: &Expr) -> bool {
    let own = names_of_closure(patterns, body);
    let foreign = |place: &Expr| match way(place) {
        Some((root, _)) => root.name().is_none_or(|name| !own.contains(&name)),
        None => true,
    };
    body.nodes().any(|e| match &e.kind {
        Kind::Assign(place, ..) => foreign(place),
        Kind::Ref(true, inner) => foreign(inner),
        Kind::Method(receiver, method, ..) => {
            !receiver.is_left_by(method) && way(receiver).is_some() && foreign(receiver)
        }
        Kind::Macro(path, ..) => !matches!(path.as_str(), "vec" | "format" | "matches"),
        Kind::Opaque(..) => true,
        _ => false,
    })
}

/// The function that merges two maps, if all updates of their entries have this form: `m.entry(k)` with further methods
/// or an assignment.
fn entry(links: &[Link<'_>], assigned: Option<(Option<Op>, &Expr)>) -> Option<&'static str> {
    let by = |op: Op| match op {
        Op::Add => Some("sums"),
        Op::Mul => Some("products"),
        Op::Or => Some("ors"),
        Op::Xor => Some("xors"),
        Op::And => Some("ands"),
        _ => None,
    };
    // Every worker initializes an entry again, so the initial value must be the identity.
    let neutral = |op: Op, value: &Expr| {
        let text = value.text();
        let number = types::suffix_of(&text).and_then(|suffix| text.strip_suffix(suffix)).unwrap_or(&text);
        let number = number.trim_end_matches('_').trim_end_matches(".0").trim_end_matches('.');
        match op {
            Op::Add | Op::Or | Op::Xor => number == "0" || text == "false" && op != Op::Add,
            Op::Mul => number == "1",
            _ => false,
        }
    };
    let empty = |e: &Expr| {
        let text = match &e.kind {
            Kind::Closure(patterns, _, body) if patterns.is_empty() => body.text(),
            Kind::Call(path, args) if args.is_empty() => path.text(),
            _ => e.text(),
        };
        let text: String = text.split_whitespace().collect();
        let text = text.strip_suffix("()").unwrap_or(&text);
        text.ends_with("::new") || text.ends_with("::default") || matches!(text, "vec![]")
    };
    match (links, assigned) {
        ([Link::Method("or_insert" | "or_insert_with" | "or_insert_with_key" | "or_default", _)], None) => {
            Some("firsts")
        }
        ([Link::Method("or_insert" | "or_insert_with" | "or_default", _)], Some((None, _))) => Some("lasts"),
        ([Link::Method("or_default", _)], Some((Some(op @ (Op::Add | Op::Or | Op::Xor)), _))) => by(op),
        ([Link::Method("or_insert", [start])], Some((Some(op), _))) if neutral(op, start) => by(op),
        // `.and_modify(|c| *c += e).or_insert(e)`
        ([Link::Method("and_modify", [change]), Link::Method("or_insert", [start])], None) => {
            let Kind::Closure(patterns, _, body) = &change.kind else { return None };
            let given = patterns.first()?.single()?;
            let Kind::Assign(place, Some(op), value) = &body.bare().kind else { return None };
            let whole = matches!(&place.kind, Kind::Unary('*', inner) if inner.name() == Some(given.name));
            // The same name in the closure and in the inserted value would denote different values.
            let same = value.is_written_as(start) && !start.mentions(given.name);
            (whole && same).then(|| by(*op)).flatten()
        }
        ([Link::Method(made, from), Link::Method(method, args)], None)
            if *made == "or_default" || matches!(*made, "or_insert" | "or_insert_with") && from.iter().all(empty) =>
        {
            match (*method, args.len()) {
                ("insert", 2) => Some("maps"),
                ("insert" | "extend", 1) => Some("merges"),
                _ => methods::pushes(method).then_some("merges"),
            }
        }
        _ => None,
    }
}
