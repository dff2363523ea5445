//! What the names of a function stand for.

use crate::ir::{self, Expr, Id, Local};
use crate::wgsl::infer::written::usize_of;
use crate::wgsl::tree::{Node, Range, Ty, Var, View};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;

/// What a name means.
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
    /// What a `use` in the body calls by this name: its path.
    Use(TokenStream),
    Closure(Rc<Closure>),
    Function(Rc<syn::ItemFn>),
    /// A constant that the function declares: its number, if it is one, and its value, if it is not seen outside of the loop.
    Constant(Ty, Option<usize>, Option<TokenStream>),
}

/// What names stand for, the last one first. As each variable has a name of its own, blocks are no scopes; a closure has the environment in
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

/// What names stand for where the walk is.
#[derive(Debug, Default)]
pub struct Names {
    pub environment: Environment,
}

impl Names {
    /// What a name means.
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
            (ir::Kind::Closure(..) | ir::Kind::Path, _) => true,
            (_, Some(name)) => {
                matches!(self.get(name), Some(Binding::Closure(_) | Binding::Function(_)))
            }
            _ => false,
        }
    }
}

/// A closure: its body is put in place of calls.
#[derive(Debug)]
pub struct Closure {
    pub parameters: Vec<TokenStream>,
    pub output: Option<syn::Type>,
    pub body: Expr,
    /// What it sees.
    pub environment: Environment,
    /// Whether it has copies of what it captured.
    pub moves: bool,
    /// The expression that made it outside of the loop.
    pub outside: Option<Id>,
}

/// The number that an expression of literals and constants is.
pub fn number_in(environment: &Environment, e: &syn::Expr) -> Option<usize> {
    match e {
        syn::Expr::Paren(inner) => number_in(environment, &inner.expr),
        syn::Expr::Group(inner) => number_in(environment, &inner.expr),
        syn::Expr::Lit(_) => usize_of(&e.to_token_stream().to_string()),
        syn::Expr::Path(path) => match lookup(environment, path.path.get_ident()?.into()) {
            Some(Binding::Constant(_, number, _)) => *number,
            _ => None,
        },
        syn::Expr::Binary(both) => {
            let (a, b) = (number_in(environment, &both.left)?, number_in(environment, &both.right)?);
            match both.op {
                syn::BinOp::Add(_) => a.checked_add(b),
                syn::BinOp::Sub(_) => a.checked_sub(b),
                syn::BinOp::Mul(_) => a.checked_mul(b),
                syn::BinOp::Div(_) => a.checked_div(b),
                syn::BinOp::Rem(_) => a.checked_rem(b),
                syn::BinOp::Shl(_) => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a << b),
                _ => None,
            }
        }
        _ => None,
    }
}
