//! The plan of a sort, as plain data.

use crate::ir::obligation::Obligation;
use crate::ir::{Expr, Id, Local, Statement};
use proc_macro2::Span;
use std::collections::HashMap;

/// A call of one of std's sorts, made ready.
pub struct Sort<'f> {
    /// What stands before it, and touches no slice.
    pub before: Vec<&'f Statement>,
    pub subject: Subject<'f>,
    pub order: Order<'f>,
    /// The method that is called, and where.
    pub method: &'f str,
    pub at: Span,
    /// What is assumed of names.
    pub obligations: Vec<Obligation>,
}

/// What is sorted.
pub enum Subject<'f> {
    /// A slice.
    Slice(Local),
    /// Several, in the order of their indices.
    Rows(Rows<'f>),
}

/// Slices that are sorted together: the indices of their elements are sorted, by what stands there.
pub struct Rows<'f> {
    /// The indices: what they are called, and how they are declared.
    pub order: Local,
    pub indices: &'f Statement,
    pub columns: Vec<Column>,
    /// The accesses in the order, each with its column.
    pub accesses: HashMap<Id, usize>,
    /// The indices of the closure that compares, or makes a key.
    pub parameters: Vec<Local>,
    pub body: &'f Expr,
}

/// One of the slices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Column {
    pub name: Local,
    /// Whether it is brought into the order too, or only looked at.
    pub sorted: bool,
}

/// What elements are sorted by.
#[derive(Clone, Copy)]
pub enum Order<'f> {
    /// As their type has it.
    Natural,
    /// A comparison.
    By(&'f Expr),
    /// A comparison that is spelled `|a, b| a.total_cmp(b)`.
    Total(&'f Expr),
    Key(&'f Expr),
    /// A key that is computed once.
    CachedKey(&'f Expr),
}

impl<'f> Order<'f> {
    /// In words, after "sort".
    pub fn described(self) -> &'static str {
        match self {
            Order::Natural => "",
            Order::By(_) => " by a comparison",
            Order::Total(_) => " by `total_cmp`",
            Order::Key(_) => " by a key",
            Order::CachedKey(_) => " by a cached key",
        }
    }

    /// What compares, or makes a key.
    pub fn closure(self) -> Option<&'f Expr> {
        match self {
            Order::Natural => None,
            Order::By(by) | Order::Total(by) | Order::Key(by) | Order::CachedKey(by) => Some(by),
        }
    }
}
