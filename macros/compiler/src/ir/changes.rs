//! The variables that an expression changes.

use super::{Expr, Kind, Local};
use crate::language::methods;

impl Expr {
    /// Whether a method does not change its receiver here. If numbers and slices both have a method of the name
    /// (`rotate_left`), it is a slice's on a part of a slice, and otherwise counts as a number's.
    pub fn is_left_by(&self, method: &str) -> bool {
        match &self.bare().kind {
            Kind::Index(_, index) if matches!(index.bare().kind, Kind::Range(..)) => methods::only_reads(method),
            _ => methods::reads(method),
        }
    }

    /// The variables that this expression may change, without its subexpressions: `k` of `k += 1`, `(k, _) = pair`, `&mut k` and
    /// `k.push(1)`, and those that opaque code receives. Variables in an index are only read.
    pub fn changes(&self) -> Vec<Local> {
        match &self.kind {
            Kind::Assign(place, ..) => {
                let mut changed = Vec::new();
                place.walk(&mut |part| {
                    changed.extend(part.root());
                    !matches!(part.kind, Kind::Index(..))
                });
                changed
            }
            Kind::Ref(true, place) => place.root().into_iter().collect(),
            Kind::Method(receiver, method, ..) if !receiver.is_left_by(method) => receiver.root().into_iter().collect(),
            Kind::Opaque(opaque) => opaque.received().into_iter().filter_map(Expr::name).collect(),
            _ => Vec::new(),
        }
    }
}
