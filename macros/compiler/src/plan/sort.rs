//! The plan of a sort, as plain data.

use crate::ir::{Expr, Statement};
use proc_macro2::Span;

/// A call of one of std's sorts, made ready.
pub struct Sort<'f> {
    /// What stands before it, and touches no slice.
    pub before: &'f [Statement],
    /// The slice that is sorted.
    pub name: &'f str,
    pub order: Order<'f>,
    /// The method that is called, and where.
    pub method: &'f str,
    pub at: Span,
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

impl Order<'_> {
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
}
