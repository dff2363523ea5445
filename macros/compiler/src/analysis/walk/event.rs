//! Accesses of a body to outer variables.

use crate::index::{Known, Points};
use crate::ir::place::Place;
use crate::ir::report::Location;
use crate::ir::{Id, Local, Op};
use std::rc::Rc;

/// An access of the body to an outer variable.
#[derive(Debug, Clone)]
pub struct Event {
    pub name: Local,
    pub what: What,
    /// The node of the access.
    pub id: Id,
    pub place: Location,
    /// The node as text for messages.
    pub text: String,
    /// Whether the access is under a condition, or in a closure.
    pub conditional: bool,
    /// Whether earlier code in the body may have ended the iteration.
    pub skippable: bool,
    /// The number of enclosing inner loops.
    pub depth: usize,
    /// The points at which it happens, if it is an access to elements with known indices.
    pub points: Option<Rc<Points>>,
}

/// An access of the body to an element of an object.
#[derive(Debug, Clone)]
pub struct Boxed {
    pub view: Local,
    /// The index along each axis; none if the index is not written as a list.
    pub along: Vec<Known>,
    /// Along each axis, whether the index goes through a range of a tile.
    pub through_tile: Vec<bool>,
    pub writes: bool,
    /// Whether the access is declared: `object.get(range)`.
    pub declared: bool,
    pub place: Location,
    /// The node as text for messages.
    pub text: String,
}

#[derive(Debug, Clone)]
pub enum What {
    /// The variable is used as a value.
    Use,
    /// Its length is read.
    Len,
    /// Its elements are accessed, from `first` to before `end`.
    Elements { first: Known, end: Known, single: bool, writes: bool, reads: bool, op: Option<Op>, index: String },
    /// The variable, or a part of it that is not an element, is assigned.
    Assign { place: Place, op: Option<Op> },
    /// A method that may change it is called.
    Method { method: String },
    /// It is borrowed as `&mut`.
    BorrowMut,
}
