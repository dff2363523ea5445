//! Accesses to variables.

use crate::ir::{Expr, Kind, Local, Op};
use crate::language::methods;

/// An access to a variable: by a place or a chain of methods that begins with it.
pub struct Access<'e> {
    pub root: Local,
    /// The variable's mention.
    pub variable: &'e Expr,
    /// The place or the chain; for assignments, calls and macros, all of it.
    pub e: &'e Expr,
    pub links: Vec<Link<'e>>,
    pub form: Form<'e>,
    /// Whether the value of `e` is used.
    pub used: bool,
    /// Whether it is in the body of a closure.
    pub captured: bool,
}

/// A step from a variable to an operation on it.
pub enum Link<'e> {
    Method(&'e str, &'e [Expr]),
    Field(&'e str),
    Index(&'e Expr),
}

pub enum Form<'e> {
    /// A place as a value, a borrow of one, or a chain of methods.
    Chain,
    /// The place is assigned this value, or several places are.
    Assigned { place: &'e Expr, op: Option<Op>, value: &'e Expr },
    /// `f(&mut s)`, and whether the call can move no values from `s` elsewhere.
    Passed { alone: bool },
    /// `write!(s, ..)`.
    Written,
    /// A loop that sets all elements before it reads them: `for e in s.iter_mut() { *e = 0; }`.
    SetEach,
    /// Code that the compiler does not understand.
    Opaque,
}

impl<'e> Access<'e> {
    /// Whether it sets the whole variable.
    pub fn sets(&self) -> bool {
        matches!(&self.form, Form::Assigned { place, op: None, .. } if place.name().is_some()) && !self.captured
    }

    /// The only method that is called on the variable.
    pub fn method(&self) -> Option<(&'e str, &'e [Expr])> {
        match (&self.form, self.links.as_slice()) {
            (Form::Chain, [Link::Method(method, args)]) => Some((method, args)),
            _ => None,
        }
    }

    /// The index of the element that it accesses as a whole or in part.
    pub fn index(&self) -> Option<&'e Expr> {
        match self.links.first() {
            Some(Link::Index(index)) => Some(index),
            _ => None,
        }
    }

    /// The same, if it is a number.
    pub fn element(&self) -> Option<i64> {
        match self.index()?.bare().kind {
            Kind::Int(element) => Some(element),
            _ => None,
        }
    }

    /// Whether it only sets an element.
    pub fn sets_element(&self) -> bool {
        match (&self.form, self.links.as_slice()) {
            (Form::Assigned { op: None, .. }, [Link::Index(index)]) => !matches!(index.bare().kind, Kind::Range(..)),
            (Form::SetEach, _) => true,
            _ => false,
        }
    }

    /// Whether it only reads the number of elements.
    pub fn measures(&self) -> bool {
        self.method().is_some_and(|(method, _)| methods::measures(method))
    }
}

/// The variable at the beginning of a place or a chain of methods, and the steps from it.
pub fn way(e: &Expr) -> Option<(&Expr, Vec<Link<'_>>)> {
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
