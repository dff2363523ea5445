//! The variables of a function, and what their declarations tell of them.

use crate::ir::report::Location;
use crate::ir::{Block, Expr, Kind, Local, Pattern, StatementKind};
use crate::language::{methods, types};
use crate::maps::HashMap;

/// A variable of the function.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    pub mutable: bool,
    pub parameter: bool,
    /// `&mut T`.
    pub reference: bool,
    /// The length that its declaration gives: `n` of `[0; n]` and `vec![0; n]`.
    pub length: Option<String>,
    /// Whether it is a vector or an array.
    pub buffer: bool,
    /// Whether it is an array, which is copied where it is moved.
    pub array: bool,
    /// Whether it is an iterator with unknown items.
    pub iterator: bool,
    /// The collection of the standard library that it is, if its items have no index: `HashMap`.
    pub collection: Option<&'static str>,
    /// The function that made it, of `let a = path(..)`.
    pub made_by: Option<String>,
    /// The location of a slice that every rank has and that may be written.
    pub everywhere: Option<Location>,
    /// The array with this shape, for `let s = a.shape()`.
    pub shape_of: Option<Local>,
    /// Whether it begins as a float without a suffix: then rustc infers its type from later statements only.
    pub float: bool,
}

impl Declared {
    /// Whether a function or a method has made it: it may own what it holds.
    pub fn is_made(&self) -> bool {
        self.made_by.is_some() || self.buffer && !self.array || self.collection.is_some()
    }
}

/// Visits the statements of a block, and of the blocks and branches in it. Loops by `for` are visited, and not entered.
pub(super) fn each_statement<'e>(block: &'e Block, visit: &mut dyn FnMut(&'e StatementKind)) {
    fn enter<'e>(e: &'e Expr, visit: &mut dyn FnMut(&'e StatementKind)) {
        match &e.kind {
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::While(_, _, b) | Kind::Loop(_, b) => {
                each_statement(b, visit);
            }
            Kind::If(_, then, otherwise) => {
                each_statement(then, visit);
                otherwise.iter().for_each(|otherwise| enter(otherwise, visit));
            }
            _ => {}
        }
    }
    for statement in &block.statements {
        visit(&statement.kind);
        if let StatementKind::Expr(e, _) = &statement.kind {
            enter(e, visit);
        }
    }
}

/// Collects the variables that statements declare, and the closures among them.
pub fn collect(
    block: &Block,
    declared: &mut HashMap<Local, Declared>,
    closures: &mut HashMap<Local, (Vec<Pattern>, Expr)>,
) {
    each_statement(block, &mut |statement| match statement {
        StatementKind::Let(pattern, value, _) => declare(pattern, value.as_ref(), declared, closures),
        StatementKind::Expr(Expr { kind: Kind::For(f), .. }, _) => {
            for binding in &f.pattern.names {
                declared.entry(binding.name).or_default();
            }
            collect(&f.body, declared, closures);
        }
        _ => {}
    });
}

/// Collects what a pattern declares; `let (a, b) = (e, f)` is `let a = e` and `let b = f`.
fn declare(
    pattern: &Pattern,
    value: Option<&Expr>,
    declared: &mut HashMap<Local, Declared>,
    closures: &mut HashMap<Local, (Vec<Pattern>, Expr)>,
) {
    if let Some(Kind::Tuple(values)) = value.map(|value| &value.bare().kind)
        && values.len() == pattern.parts().len()
    {
        let parts = pattern.parts().iter().zip(values);
        return parts.for_each(|(part, value)| declare(part, Some(value), declared, closures));
    }
    for binding in &pattern.names {
        let mut variable = Declared { mutable: binding.mutable, ..Declared::default() };
        if let (Some(value), Some(_)) = (value, pattern.single()) {
            describe(value, &mut variable);
            variable.float = pattern.ty.is_none() && is_float(value, declared);
            if let Kind::Closure(patterns, _, body) = &value.bare().kind {
                closures.insert(binding.name, (patterns.clone(), (**body).clone()));
            }
        }
        declared.insert(binding.name, variable);
    }
}

/// Whether a value consists of literals without a suffix, one of them a float, and of variables with such values.
fn is_float(value: &Expr, declared: &HashMap<Local, Declared>) -> bool {
    let is_float = |e: &Expr| match &e.kind {
        Kind::Literal => e.text().parse::<f64>().is_ok(),
        Kind::Name(name) => declared.get(name).is_some_and(|variable| variable.float),
        _ => false,
    };
    let plain = |e: &Expr| {
        matches!(e.kind, Kind::Int(_) | Kind::Paren(_) | Kind::Unary('-', _) | Kind::Binary(..)) || is_float(e)
    };
    value.nodes().all(plain) && value.nodes().any(is_float)
}

/// The collection without an index that a type is.
pub fn collection_of(ty: &syn::Type) -> Option<&'static str> {
    match ty {
        syn::Type::Path(path) => types::unindexed(&path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

fn describe(value: &Expr, variable: &mut Declared) {
    match &value.bare().kind {
        Kind::Repeat(_, length) => {
            (variable.buffer, variable.array) = (true, true);
            variable.length = Some(length.text());
        }
        Kind::Array(elements) => {
            (variable.buffer, variable.array) = (true, true);
            variable.length = Some(elements.len().to_string());
        }
        Kind::Macro(name, args, _) if name == "vec" => {
            variable.buffer = true;
            if let [Expr { kind: Kind::Repeat(_, length), .. }] = args.as_slice() {
                variable.length = Some(length.text());
            }
        }
        Kind::Call(function, _) => {
            let text = function.text();
            variable.buffer |= text.starts_with("Vec");
            variable.collection = text.split(" :: ").find_map(types::unindexed);
            variable.made_by = Some(text);
        }
        Kind::Method(_, name, _, _) if methods::gives_iterator(name) => variable.iterator = true,
        Kind::Method(array, name, _, _) if name == "shape" || name == "raw_dim" => {
            variable.shape_of = array.name();
        }
        Kind::Method(_, name, _, _) if name == "to_vec" || name == "collect" || name == "clone" => {
            variable.buffer = true
        }
        _ => {}
    }
}
