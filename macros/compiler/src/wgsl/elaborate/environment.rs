//! The meanings of the names of a function.

use crate::ir::{Constant, Expr, Id, Kind, Local, Nested, Op, Pattern, Written};
use crate::wgsl::tree::{Node, Range, Ty, Var, View};
use proc_macro2::TokenStream;
use std::rc::Rc;

/// The meaning of a name.
#[derive(Debug, Clone)]
pub enum Binding {
    Local(Var),
    /// A variable outside of the loop, with its type.
    Outer(Ty),
    /// Another name for elements.
    View(View),
    /// Another name for a place.
    Place(Node),
    Range(Range),
    /// The box of an object, by its number.
    Box(usize),
    /// The path of a name that a `use` in the body declares.
    Use(TokenStream),
    Closure(Rc<Closure>),
    Function(Rc<Nested>),
    /// A constant that the function declares: its number, if it is one, and the constant itself, if it is not seen outside of the loop.
    Constant(Ty, Option<usize>, Option<Rc<Constant>>),
}

/// The meanings of names, the last one first. As each variable has a name of its own, blocks are no scopes; a closure has the environment in
/// which it was made, as functions that take closures may be inlined into each other.
pub type Environment = Option<Rc<Named>>;

#[derive(Debug)]
pub struct Named {
    pub name: Local,
    pub binding: Binding,
    pub before: Environment,
}

pub fn lookup(environment: &Environment, name: Local) -> Option<&Binding> {
    let mut next = environment;
    while let Some(named) = next {
        if named.name == name {
            return Some(&named.binding);
        }
        next = &named.before;
    }
    None
}

/// The meanings of names at the position of the walk.
#[derive(Debug, Default)]
pub struct Names {
    pub environment: Environment,
}

impl Names {
    /// The meaning of a name.
    pub fn get(&self, name: Local) -> Option<&Binding> {
        lookup(&self.environment, name)
    }

    pub fn bind(&mut self, name: Local, binding: Binding) {
        self.environment = Some(Rc::new(Named { name, binding, before: self.environment.clone() }));
    }

    /// Binds a name to a variable outside of the loop.
    pub fn declare(&mut self, name: Local, ty: Ty) {
        self.bind(name, Binding::Outer(ty));
    }

    /// Whether an expression is a function that is handed on.
    pub fn is_function(&self, e: &Expr) -> bool {
        match (&e.bare().kind, e.name()) {
            (Kind::Closure(..) | Kind::Path, _) => true,
            (_, Some(name)) => matches!(self.get(name), Some(Binding::Closure(_) | Binding::Function(_))),
            _ => false,
        }
    }
}

/// A closure, or a function inside of the function: its body stands in place of calls.
#[derive(Debug, Clone)]
pub struct Closure {
    pub parameters: Vec<Pattern>,
    /// The type of the result, where one is written.
    pub output: Option<Written>,
    pub body: Expr,
    /// The names that it sees.
    pub environment: Environment,
    /// Whether it has copies of the captured variables.
    pub moves: bool,
    /// The expression that made it outside of the loop.
    pub outside: Option<Id>,
}

/// The number that an expression of literals and constants is.
pub fn number_in(environment: &Environment, e: &Expr) -> Option<usize> {
    match &e.kind {
        Kind::Paren(inner) => number_in(environment, inner),
        Kind::Int(number) => usize::try_from(*number).ok(),
        Kind::Name(name) => match lookup(environment, *name) {
            Some(Binding::Constant(_, number, _)) => *number,
            _ => None,
        },
        Kind::Binary(op, a, b) => {
            let (a, b) = (number_in(environment, a)?, number_in(environment, b)?);
            match op {
                Op::Add => a.checked_add(b),
                Op::Sub => a.checked_sub(b),
                Op::Mul => a.checked_mul(b),
                Op::Div => a.checked_div(b),
                Op::Rem => a.checked_rem(b),
                Op::Shl => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a << b),
                _ => None,
            }
        }
        _ => None,
    }
}
