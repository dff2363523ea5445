//! Changes to the user's code: replaced nodes, checks by rustc, and the expansion's own statements.
//!
//! Edits are layers. A layer passes each question that it does not answer to the layer below it.

use crate::ir::place::Place;
use crate::ir::{Expr, Id, Kind, Statement};
use crate::maps::HashMap;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Replaces nodes.
pub trait Edit {
    /// The layer below, if there is one.
    fn inner(&self) -> Option<&dyn Edit> {
        None
    }

    /// Whether an expression, without its subexpressions, is replaced. Cheap.
    fn edits(&self, e: &Expr) -> bool {
        self.inner().map_or_else(|| self.expr(e).is_some(), |inner| inner.edits(e))
    }

    /// Whether a statement is replaced. Cheap.
    fn edits_statement(&self, s: &Statement) -> bool {
        self.inner().map_or_else(|| self.statement(s).is_some(), |inner| inner.edits_statement(s))
    }

    /// The replacement of an expression.
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        self.inner()?.expr(e)
    }

    /// The replacement of a whole statement.
    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        self.inner()?.statement(s)
    }

    /// The checks of this layer alone.
    fn checks(&self) -> Option<&dyn Checks> {
        None
    }

    fn additions(&self) -> Option<&Additions> {
        self.inner()?.additions()
    }
}

/// Checks of assumptions about types: code that rustc rejects if an assumption is wrong.
pub trait Checks {
    /// Whether a method is the method of the slice to which the receiver is a handle.
    fn is_of_slice(&self, _receiver: &Expr, _method: &str) -> bool {
        false
    }

    /// The check that a method is the assumed one. `receiver` is the printed receiver.
    fn check_of_method(&self, _call: &Expr, _receiver: &TokenStream) -> Option<CheckOfMethod> {
        None
    }

    /// An expression inside of code that checks its type.
    fn checked(&self, _e: &Expr, _tokens: &TokenStream) -> Option<TokenStream> {
        None
    }

    /// Whether [`Checks::checked`] returns tokens. Cheap.
    fn is_checked(&self, _e: &Expr) -> bool {
        false
    }

    /// Statements that check the types of the names that a pattern binds: the pattern of this statement or expression and, of a `match`, of
    /// the arm with this number.
    fn bound(&self, _id: Id, _arm: usize) -> Option<TokenStream> {
        None
    }
}

/// The check that a method is the one that the compiler assumes.
pub enum CheckOfMethod {
    /// A statement that mentions the receiver, which is a place.
    OfPlace(TokenStream),
    /// A function that is called with a reference to the receiver.
    OfValue(TokenStream),
}

/// The additions to a body by which the expansion computes indices from its own bindings.
#[derive(Debug, Default)]
pub struct Additions {
    /// The functions to call with an expression, from the innermost.
    pub calls: HashMap<Id, Vec<CallWith>>,
    /// The counters of inner loops over these sources.
    pub counters: HashMap<Id, Ident>,
    /// The first statements of loops over these sources, and of closures with these bodies.
    pub first: HashMap<Id, TokenStream>,
}

/// A call of a function with an expression.
#[derive(Debug, Clone)]
pub struct CallWith {
    pub function: TokenStream,
    pub before: TokenStream,
    pub after: TokenStream,
}

impl<'a> dyn Edit + 'a {
    /// The first answer of the checks of a layer.
    pub(super) fn check<T>(&self, ask: &dyn Fn(&dyn Checks) -> Option<T>) -> Option<T> {
        self.checks().and_then(ask).or_else(|| self.inner()?.check(ask))
    }

    pub(super) fn is_of_slice(&self, receiver: &Expr, method: &str) -> bool {
        self.check(&|checks| checks.is_of_slice(receiver, method).then_some(())).is_some()
    }

    pub(super) fn check_of_method(&self, call: &Expr, receiver: &TokenStream) -> Option<CheckOfMethod> {
        self.check(&|checks| checks.check_of_method(call, receiver))
    }

    pub(super) fn bound(&self, id: Id, arm: usize) -> Option<TokenStream> {
        self.check(&|checks| checks.bound(id, arm))
    }

    pub(super) fn calls(&self, e: &Expr) -> &[CallWith] {
        self.additions().and_then(|additions| additions.calls.get(&e.id)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn counter(&self, source: &Expr) -> Option<&Ident> {
        self.additions()?.counters.get(&source.id)
    }

    pub(super) fn first(&self, body: &Expr) -> Option<&TokenStream> {
        self.additions()?.first.get(&body.id)
    }
}

/// The arguments of a macro that may depend on how they are written: the expansion adds nothing to them, and checks
/// their accesses.
pub(super) struct Shown<'a>(pub &'a dyn Edit);

impl Edit for Shown<'_> {
    fn inner(&self) -> Option<&dyn Edit> {
        Some(self.0)
    }

    fn additions(&self) -> Option<&Additions> {
        None
    }
}

/// Renames places that are not plain variables.
#[derive(Clone, Copy)]
pub struct Renamed<'a> {
    pub places: &'a [(Place, Ident)],
    pub additions: Option<&'a Additions>,
}

impl Edit for Renamed<'_> {
    fn additions(&self) -> Option<&Additions> {
        self.additions
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        if self.places.is_empty() || !matches!(e.kind, Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _)) {
            return None;
        }
        let (_, ident) = self.places.iter().find(|(place, _)| e.is(place))?;
        Some(quote!(#ident))
    }
}
