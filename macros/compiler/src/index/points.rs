//! Accesses as sets of points, for the dependence test. The variables are the iteration, the counters of inner loops,
//! quotients and similar values. The conditions are those under which the access happens. All conditions are linear;
//! leaving out a nonlinear one makes the set larger.

use crate::index::poly::{Poly, Symbol};
use crate::index::value::Value;
use crate::ir::Local;
use crate::maps::HashMap;
use forall_contract::dependence::{self, Relation, Sum};
use std::rc::Rc;

/// A condition: how a sum compares to 0. The test uses it only if none of the values in `unwrapped` has wrapped around.
#[derive(Debug, Clone)]
pub struct Condition {
    pub relation: Relation,
    pub sum: Poly,
    pub unwrapped: Vec<Rc<Value>>,
}

/// An access, as the set of points at which it happens.
#[derive(Debug)]
pub struct Points {
    /// The symbols that are variables, with the position first.
    pub variables: Vec<Symbol>,
    pub conditions: Vec<Condition>,
    pub first: Poly,
    /// The number of elements, if the access is a slice.
    pub length: Option<Poly>,
    /// The values of the other symbols.
    pub values: Vec<(Symbol, Rc<Value>)>,
    /// Whether each variable has an end, and no comparison was left out.
    pub complete: bool,
}

/// The comparisons of the counter of an inner loop.
#[derive(Debug, Clone)]
pub(super) struct Inner {
    /// The start of the range, if it moves: the counter is `start` plus the symbol.
    pub start: Poly,
    pub from: (Poly, Rc<Value>),
    pub end: Option<(Poly, Rc<Value>)>,
    pub step: Option<Poly>,
}

/// The knowledge about the symbols, and the conditions that hold here.
#[derive(Debug, Default, Clone)]
pub struct Facts {
    /// The values of symbols that are the same in all iterations, and of quotients and similar values that are not.
    pub(super) values: HashMap<Local, Rc<Value>>,
    pub(super) loops: HashMap<Local, Inner>,
    /// The enclosing loops, with the number of scopes.
    pub(super) active: Vec<(usize, Symbol)>,
    pub(super) conditions: Vec<(usize, Condition)>,
    /// The numbers of scopes of nonlinear conditions.
    pub(super) partial: Vec<usize>,
    /// The facts before the calls of the closures under analysis.
    before: Vec<Facts>,
}

impl Facts {
    /// Leaves a scope: drops the facts of all deeper scopes.
    pub(super) fn leave(&mut self, scopes: usize) {
        self.active.retain(|(scope, _)| *scope <= scopes);
        self.conditions.retain(|(scope, _)| *scope <= scopes);
        self.partial.retain(|scope| *scope <= scopes);
    }

    /// Enters the body of a closure: the facts at the call hold in the whole body.
    pub(super) fn enter_closure(&mut self) {
        let before = Facts { before: Vec::new(), ..self.clone() };
        self.active.iter_mut().for_each(|(scope, _)| *scope = 0);
        self.conditions.iter_mut().for_each(|(scope, _)| *scope = 0);
        self.partial.iter_mut().for_each(|scope| *scope = 0);
        self.before.push(before);
    }

    pub(super) fn leave_closure(&mut self) {
        if let Some(Facts { active, conditions, partial, .. }) = self.before.pop() {
            (self.active, self.conditions, self.partial) = (active, conditions, partial);
        }
    }
}

impl Points {
    /// The set of points if the symbols that are not variables have these values.
    pub fn of_values(&self, values: &HashMap<Local, i64>) -> Option<dependence::Instances> {
        let sum = |poly: &Poly| -> Option<Sum> {
            let mut sum = Sum { constant: 0, factors: vec![0; self.variables.len()] };
            for (symbols, factor) in poly.terms() {
                let (mut product, mut variable) = (i128::from(factor), None);
                for symbol in symbols {
                    match self.variables.iter().position(|other| other == symbol) {
                        Some(number) => variable = Some(number),
                        None => product = product.checked_mul(i128::from(*values.get(symbol)?))?,
                    }
                }
                match variable {
                    Some(number) => sum.factors[number] += product,
                    None => sum.constant += product,
                }
            }
            Some(sum)
        };
        let conditions = self.conditions.iter().map(|condition| Some((condition.relation, sum(&condition.sum)?)));
        let length = match &self.length {
            Some(length) => Some(sum(length)?),
            None => None,
        };
        Some(dependence::Instances {
            variables: self.variables.len(),
            conditions: conditions.collect::<Option<_>>()?,
            first: sum(&self.first)?,
            length,
        })
    }
}
