//! The uses of a buffer, a collection or a state in an iteration. The iteration resets it before any other use, only
//! adds to it, or reads values that earlier iterations have left in it.

use crate::analysis::walk::Names;
use crate::flow::fresh::{measures_memory, sets_each_element};
use crate::flow::{Access, Form, Fresh, Graph, Level, Link, hands_out, way};
use crate::front::function::Function;
use crate::ir::report::Location;
use crate::ir::{Block, Expr, For, Id, Kind, Local, Op, StatementKind, Written};
use crate::language::methods::{self, Effect, Of};
use crate::language::types;
use crate::maps::{HashSet, New as _};
use proc_macro2::Span;

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
    /// `s[k].push(e)`, with the number of indices.
    Row(usize),
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
    /// Whether every iteration sets the variable before it reads it.
    pub private: bool,
}

impl Flow {
    /// The uses in the body of a loop.
    pub fn of_iteration(function: &Function, f: &For, name: Local) -> Flow {
        let graph = Graph::of_iteration(f);
        let fresh = fresh(function, &f.body, &graph, name, &passed_on(&f.body, name));
        let levels = graph.solve(&fresh);
        let mut flow = Flow { private: fresh.holds(&graph) || sets_each_element(&graph, name), ..Flow::default() };
        for (number, access) in graph.accesses().filter(|(_, access)| access.root == name) {
            let Some(level) = levels[number] else { continue };
            let mention = Mention { place: Location::from(access.e), text: access.e.shown() };
            if measures_memory(access) {
                flow.reads.push(mention);
            } else if fresh.resets(access, level) {
                flow.resets.push(mention);
            } else if level < Level::Fresh {
                match how(access) {
                    Some(how) => flow.updates.push((mention, how)),
                    None => flow.reads.push(mention),
                }
            }
        }
        flow
    }
}

/// The problem whether a body sets a variable before it reads it. Code that gets these borrows keeps the variable's length.
pub fn fresh(function: &Function, body: &Block, graph: &Graph<'_>, name: Local, borrows: &HashSet<Id>) -> Fresh {
    let sized = is_array(function, name) || keeps_length(body, name, borrows);
    let is_length = |e: &Expr| is_length(function, e, name, borrows);
    Fresh::of_buffer(graph, name, if sized { Level::Sized } else { Level::Stale }, &is_length)
}

/// Whether an expression is the number of elements of a variable: `x.len()`, or `n` after `let mut x = vec![0; n];`.
fn is_length(function: &Function, e: &Expr, name: Local, borrows: &HashSet<Id>) -> bool {
    if let Kind::Method(of, method, ..) = &e.bare().kind {
        return method == "len" && of.name() == Some(name);
    }
    let declared = function.declared.get(&name).and_then(|declared| declared.length.as_ref());
    declared.is_some_and(|length| e.is_code(length))
        && e.variables().all(|name| !function.mutable(name))
        && e.nodes()
            .all(|e| matches!(e.kind, Kind::Name(_) | Kind::Int(_) | Kind::Path | Kind::Binary(..) | Kind::Paren(_)))
        && (is_array(function, name) || keeps_length(&function.body, name, borrows))
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
            (How::Element | How::Row(_), Sort::Own) => true,
            (How::Part { .. } | How::Lent | How::Element | How::Row(_), _) => false,
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

/// The type and the value of the last `let` of this name.
pub fn declaration(block: &Block, name: Local) -> Option<(Option<Written>, Option<Expr>)> {
    let mut found = None;
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Let(pattern, value, _) if pattern.single().is_some_and(|b| b.name == name) => {
                found = Some((pattern.ty.clone(), value.clone()));
            }
            StatementKind::Let(pattern, None, _) if pattern.binds(name) => found = Some((None, None)),
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

/// The borrows of a variable that a body passes to functions and methods.
fn passed_on(body: &Block, name: Local) -> HashSet<Id> {
    let args = body.nodes().flat_map(|e| match &e.kind {
        Kind::Call(_, args) | Kind::Method(_, _, args, _) => args.as_slice(),
        _ => &[],
    });
    args.filter(|arg| matches!(&arg.kind, Kind::Ref(true, of) if of.name() == Some(name))).map(|arg| arg.id).collect()
}

/// The borrows of a buffer that must keep its length, so that each iteration of a loop sets all elements.
pub fn keep_length(function: &Function, f: &For, name: Local) -> HashSet<Id> {
    let graph = Graph::of_iteration(f);
    let anew = Fresh::of_buffer(&graph, name, Level::Stale, &|_| false);
    match is_array(function, name) || anew.holds(&graph) {
        true => HashSet::new(),
        false => passed_on(&f.body, name),
    }
}

/// Whether a body does not change the length of a buffer, if code that gets these borrows does not.
pub fn keeps_length(body: &Block, name: Local, borrows: &HashSet<Id>) -> bool {
    let source = |e: &Expr| match &e.kind {
        Kind::For(f) => Some(f.source.id),
        _ => None,
    };
    let items: HashSet<Id> = body.nodes().filter_map(source).collect();
    let whole = |place: &Expr| place.root() == Some(name) && element(place).is_none();
    body.nodes().all(|e| match &e.kind {
        Kind::Method(receiver, method, ..) => !whole(receiver) || methods::keeps_length(method),
        Kind::Ref(true, inner) => !whole(inner) || borrows.contains(&e.id) || items.contains(&e.id),
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

/// How an access changes its variable; `None` if it may also read it.
fn how(access: &Access<'_>) -> Option<How> {
    let assigned = match access.form {
        Form::Opaque => return None,
        Form::Passed { alone } => return alone.then_some(How::Lent),
        Form::Written => return (!access.used).then_some(How::Written),
        Form::Assigned { op, value, .. } => Some((op, value)),
        Form::Chain if access.used || !matches!(access.e.kind, Kind::Method(..)) => return None,
        Form::Chain | Form::SetEach => None,
    };
    let links = access.links.as_slice();
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
        [Link::Index(_), rest @ ..] => {
            let further = rest.iter().take_while(|link| matches!(link, Link::Index(_))).count();
            match &rest[further..] {
                [Link::Method(method, _)] if methods::adds(Of::Sequence, method) => Some(How::Row(further + 1)),
                _ => Some(How::Element),
            }
        }
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
