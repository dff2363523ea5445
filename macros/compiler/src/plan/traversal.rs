//! The plan of a traversal, as plain data.

use crate::ir::{Expr, Id};
use crate::plan::Plan;
use std::collections::HashMap;

/// A recursive function, made ready: a loop over its calls, each of which may ask for more of them.
pub struct Traversal {
    /// What a call does, as an iteration of that loop.
    pub body: Plan,
    /// The parameters that a call hands down, by their names. The others are the same in all calls.
    pub own: Vec<String>,
    /// The calls that the body makes, each with what it hands down.
    pub calls: HashMap<Id, Vec<Expr>>,
    pub later: Later,
}

/// What a body may collect after a call that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    Nothing,
    /// Sums and the like, of which the order makes no difference but for rounding.
    Sums,
    Anything,
}
