//! What names mean.

use crate::ir::{self, Expr, Id};
use crate::wgsl::infer::written::usize_of;
use crate::wgsl::tree::{Node, Range, Ty, Var, View};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;

/// What a name means.
#[derive(Debug, Clone)]
pub enum Binding {
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
pub type Scope = Option<Rc<Named>>;

#[derive(Debug)]
pub struct Named {
    pub name: String,
    pub binding: Binding,
    pub before: Scope,
}

pub fn lookup<'s>(scope: &'s Scope, name: &str) -> Option<&'s Binding> {
    let mut next = scope;
    while let Some(named) = next {
        if named.name == name {
            return Some(&named.binding);
        }
        next = &named.before;
    }
    None
}

/// The names that are seen where the walk is.
#[derive(Debug, Default)]
pub struct Names {
    pub scope: Scope,
    /// The scope right before the loop.
    around: Scope,
    /// How many variables there are outside of the loop.
    outers: usize,
}

impl Names {
    /// What a name means.
    pub fn get(&self, name: &str) -> Option<&Binding> {
        lookup(&self.scope, name)
    }

    pub fn bind(&mut self, name: &str, binding: Binding) {
        self.scope = Some(Rc::new(Named { name: name.to_owned(), binding, before: self.scope.clone() }));
    }

    /// Binds a name to a variable outside of the loop.
    pub fn declare(&mut self, name: &str, ty: Ty) {
        self.outers += 1;
        self.bind(name, Binding::Outer(self.outers, ty));
    }

    /// Remembers where the loop is: what is outside of it is captured from here.
    pub fn enter_loop(&mut self) {
        self.around = self.scope.clone();
    }

    /// Whether an expression is a function that is handed on.
    pub fn is_function(&self, e: &Expr) -> bool {
        match (&e.bare().kind, e.name()) {
            (ir::Kind::Closure(..) | ir::Kind::Path, _) => true,
            (_, Some(name)) => {
                matches!(self.get(&name), Some(Binding::Closure(_) | Binding::Function(_)))
            }
            _ => false,
        }
    }

    /// Whether a name means this variable right before the loop.
    pub fn is_as_before_the_loop(&self, name: &str, number: usize) -> bool {
        matches!(lookup(&self.around, name), Some(Binding::Outer(other, _)) if *other == number)
    }
}

/// A closure: its body is put in place of calls.
#[derive(Debug)]
pub struct Closure {
    pub parameters: Vec<TokenStream>,
    pub output: Option<syn::Type>,
    pub body: Expr,
    /// What it sees.
    pub scope: Scope,
    /// Whether it has copies of what it captured.
    pub moves: bool,
    /// The expression that made it outside of the loop.
    pub outside: Option<Id>,
}

/// The functions, constants and uses of a scope.
pub fn items_of(scope: &Scope) -> Scope {
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

/// The number that an expression of literals and constants is.
pub fn number_in(scope: &Scope, e: &syn::Expr) -> Option<usize> {
    match e {
        syn::Expr::Paren(inner) => number_in(scope, &inner.expr),
        syn::Expr::Group(inner) => number_in(scope, &inner.expr),
        syn::Expr::Lit(_) => usize_of(&e.to_token_stream().to_string()),
        syn::Expr::Path(path) => match lookup(scope, &path.path.get_ident()?.to_string()) {
            Some(Binding::Constant(_, number, _)) => *number,
            _ => None,
        },
        syn::Expr::Binary(both) => {
            let (a, b) = (number_in(scope, &both.left)?, number_in(scope, &both.right)?);
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
