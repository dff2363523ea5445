//! The plan of a sort, as plain data.

use crate::ir::obligation::{InBody, Obligation};
use crate::ir::{Expr, Id, Local, Statement};
use crate::maps::HashMap;
use proc_macro2::Span;

/// A call of one of std's sorts, ready for translation.
pub struct Sort<'f> {
    /// The statements before the call. They access no slice.
    pub before: Vec<&'f Statement>,
    pub subject: Subject<'f>,
    pub order: Order<'f>,
    /// The called method, and its position.
    pub method: &'f str,
    pub at: Span,
    /// The assumptions about the function.
    pub obligations: Vec<Obligation>,
    /// The assumptions about the sort and the values of its order.
    pub of_order: Vec<Obligation>,
    pub in_order: InBody,
}

/// The slices to sort.
pub enum Subject<'f> {
    /// A single slice.
    Slice(Local),
    /// Several slices, in the order of a vector of indices.
    Rows(Rows<'f>),
}

/// Slices that are sorted together: the program sorts the indices by the elements at these indices.
pub struct Rows<'f> {
    /// The vector of indices: its name and its declaration.
    pub order: Local,
    pub indices: &'f Statement,
    pub columns: Vec<Column>,
    /// The accesses in the comparison or the key, each with its column.
    pub accesses: HashMap<Id, usize>,
    /// The parameters of the closure that compares, or computes a key: they are indices.
    pub parameters: Vec<Local>,
    pub body: &'f Expr,
}

/// One of the slices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub name: Local,
    /// Whether the program sorts this slice too, or only reads it.
    pub sorted: bool,
}

/// The order of the elements.
#[derive(Clone, Copy)]
pub enum Order<'f> {
    /// The order of their type.
    Natural,
    /// A comparison.
    By(&'f Expr),
    /// A comparison that is written as `|a, b| a.total_cmp(b)`.
    Total(&'f Expr),
    Key(&'f Expr),
    /// A key that is computed once for each element.
    CachedKey(&'f Expr),
}

impl<'f> Order<'f> {
    /// The order in words, to follow "sort".
    pub fn described(self) -> &'static str {
        match self {
            Order::Natural => "",
            Order::By(_) => " by a comparison",
            Order::Total(_) => " by `total_cmp`",
            Order::Key(_) => " by a key",
            Order::CachedKey(_) => " by a cached key",
        }
    }

    /// The closure that compares, or computes a key.
    pub fn closure(self) -> Option<&'f Expr> {
        match self {
            Order::Natural => None,
            Order::By(by) | Order::Total(by) | Order::Key(by) | Order::CachedKey(by) => Some(by),
        }
    }
}
