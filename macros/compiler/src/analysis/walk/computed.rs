//! The indices and counters of a body that the expansion can compute itself.

use super::Walk;
use crate::index::{Bound, Known, Value, counter_variable};
use crate::ir::{Expr, Id, Kind, Local, Pattern};
use crate::plan::{ComputedIndex, IndexForm};
use std::rc::Rc;

impl Walk<'_, '_> {
    /// The counter of an inner loop. The expansion counts by a variable of its own if it can compute the ends.
    pub(super) fn counted(&mut self, known: Known, number: u16, source: &Expr) -> Known {
        if self.calls > 0 {
            return known;
        }
        let Some(counter) = self.scope.loop_counter(number, source) else { return known };
        let known = self.scope.counted_by(known, &counter.ident);
        self.computed.bounds.entry(source.id).or_default().push(Bound::Loop(counter));
        known
    }

    /// A counter between two ends. The expansion copies it in the body of a loop or of a closure.
    pub(super) fn copied(
        &mut self,
        known: Known,
        body: Id,
        (pattern, name): (&Pattern, Local),
        (from, to, inclusive): (&Known, &Known, bool),
    ) -> Known {
        let Some(of) = pattern.ident(name).filter(|_| self.calls == 0) else { return known };
        let ident = counter_variable(self.counters);
        let known = self.scope.copied_by(known, &ident, from, to, inclusive);
        self.computed.bounds.entry(body).or_default().push(Bound::Copy { ident, of });
        known
    }

    /// Records how the expansion computes the index of an element.
    pub(super) fn index(&mut self, array: Local, index: &Expr) {
        let [is_view, is_array] = [self.is_view(array), self.names.array(array)];
        let mut known = |along: &[Expr]| along.iter().map(|index| self.scope.known(index)).collect();
        let (along, form): (Vec<Known>, _) = match &index.bare().kind {
            Kind::Array(along) if is_view => (self.scope.of_iteration(along), IndexForm::Array),
            Kind::Array(along) if is_array => (known(along), IndexForm::Array),
            Kind::Tuple(along) if is_array => (known(along), IndexForm::Tuple),
            _ => (vec![self.scope.known(index)], IndexForm::Number),
        };
        let along: Option<Vec<Rc<Value>>> =
            along.into_iter().map(|known| known.value.filter(|value| value.is_computable())).collect();
        let computed = along
            .filter(|_| self.calls == 0 && !self.computed.indices.contains_key(&index.id))
            .map(|along| ComputedIndex { array, form, along });
        self.computed.indices.insert(index.id, computed);
    }
}
