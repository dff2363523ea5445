//! What a body does to a variable from outside of the loop.

use crate::index::{Known, Points};
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::{Expr, Id, Local, Op};
use std::rc::Rc;

/// Something that the body does to a variable from outside.
#[derive(Debug, Clone)]
pub struct Event {
    pub name: Local,
    pub what: What,
    /// The node that does it.
    pub id: Id,
    pub place: Location,
    /// The node as a person writes it.
    pub text: String,
    /// Whether it happens under a condition, or in a closure.
    pub conditional: bool,
    /// Whether something before it in the body may have ended the iteration.
    pub skippable: bool,
    /// How many inner loops are around it.
    pub depth: usize,
    /// The points at which it happens, if it is an access to elements and they are known.
    pub points: Option<Rc<Points>>,
}

#[derive(Debug, Clone)]
pub enum What {
    /// Mentioned as a value.
    Use,
    /// Its length is asked for.
    Len,
    /// Elements, from `first` to before `end`.
    Elements { first: Known, end: Known, single: bool, writes: bool, reads: bool, op: Option<Op>, index: String },
    /// The variable, or a part of it that is not an element, is assigned.
    Assign { place: Place, op: Option<Op>, value: Expr },
    /// A method that may change it is called.
    Method { method: String },
    /// It is borrowed as `&mut`.
    BorrowMut,
}
