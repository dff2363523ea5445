//! Knowledge about the variables that a body binds.

use super::{Walk, Where};
use crate::front::array::{keeps_its_shape, part};
use crate::front::items::{Form, Items};
use crate::front::tiles::is_view;
use crate::index::{Known, Meaning};
use crate::ir::{Binding, Expr, For, Id, Kind, Local, Op, Pattern, Statement, StatementKind};
use crate::language::methods::{self, Given};
use proc_macro2::{Literal, Span};
use quote::ToTokens;

impl Walk<'_, '_> {
    /// `(0..n).map(|k| ..)`: the closure is the body of an inner loop, and `k` its counter.
    pub(super) fn closure_over(&mut self, range: &Expr, method: &str, patterns: &[Pattern], body: &Expr, at: Where) {
        let items = match methods::given(method) {
            Given::Fold => 1..2,
            Given::Two => 0..2,
            Given::Item | Given::Reference => 0..1,
            Given::Nothing => 0..0,
        };
        self.scope.enter();
        for (place, pattern) in patterns.iter().enumerate() {
            match (pattern.names.as_slice(), range.counted()) {
                ([binding], Some(range))
                    if items.contains(&place) && pattern.parts().is_empty() && !binding.mutable =>
                {
                    self.counters += 1;
                    let (from, to) = (self.scope.known(range.from), self.scope.known(range.to));
                    let inclusive = range.inclusive;
                    let known = self.scope.counter(self.counters, binding.name, range);
                    let known = self.copied(known, body.id, (pattern, binding.name), (&from, &to, inclusive));
                    self.scope.bind(binding.name, Meaning::Integer(known));
                }
                _ => self.scope.bind_unknown(pattern),
            }
        }
        self.closure_body(body, Where { depth: at.depth + 1, ..at });
        self.scope.leave();
    }

    pub(super) fn bind_let(&mut self, pattern: &Pattern, value: Option<&Expr>, rest: &[Statement]) {
        let Some(binding) = pattern.single() else {
            // `let (a, b) = (x, y);`, `let (ny, nx) = a.dim();`
            let known = value.map(|value| self.scope.parts(value)).unwrap_or_default();
            if known.len() == pattern.parts().len() && !known.is_empty() && pattern.names.iter().all(|b| !b.mutable) {
                for (part, known) in pattern.parts().iter().zip(known) {
                    match part.single() {
                        Some(binding) => self.scope.bind(binding.name, Meaning::Integer(known)),
                        None => self.scope.bind_unknown(part),
                    }
                }
                return;
            }
            self.scope.bind_unknown(pattern);
            return;
        };
        let keeps = |binding: &Binding| !binding.mutable || keeps_its_shape(binding.name, rest);
        if let Some(array) = value.and_then(|value| self.part_in(value)).filter(|_| keeps(binding)) {
            let extents = self.scope.extents_of_part(Local::named(&array));
            self.scope.bind(binding.name, Meaning::Element { array: Local::named(&array), extents });
            return;
        }
        let local = match value.map(|v| (&v.bare().kind, v)) {
            Some((_, value)) if is_view(value) => Meaning::View,
            Some((Kind::Closure(patterns, _, body), _)) => {
                Meaning::Closure(patterns.clone(), body.clone(), self.scope.names())
            }
            Some((Kind::Ref(_, inner), _)) => match (&inner.bare().kind, inner.root()) {
                (Kind::Index(_, index), Some(array)) => {
                    let extents = match &index.bare().kind {
                        Kind::Range(Some(from), Some(to), inclusive) => {
                            let (from, mut to) = (self.scope.known(from), self.scope.known(to));
                            if *inclusive {
                                to = self.one_more(&to);
                            }
                            vec![self.scope.minus(&to, &from)]
                        }
                        _ => Vec::new(),
                    };
                    let array = match self.scope.local(array) {
                        Some(Meaning::Element { array, .. }) => *array,
                        _ => array,
                    };
                    Meaning::Element { array, extents }
                }
                _ => Meaning::Integer(Known::default()),
            },
            Some((_, value)) if binding.mutable => match steps(binding.name, rest) {
                Some(steps) => {
                    self.steps.extend(steps);
                    Meaning::Integer(self.scope.known(value))
                }
                None => Meaning::Joined(self.settled(binding.name, value, rest)),
            },
            Some((_, value)) => Meaning::Integer(self.scope.known(value)),
            None => {
                self.steps.extend(steps(binding.name, rest).into_iter().flatten());
                Meaning::Integer(Known::default())
            }
        };
        self.scope.bind(binding.name, local);
    }

    /// Analyses `k += 1`, for a variable that is changed only by such statements of its own block.
    pub(super) fn step(&mut self, place: &Expr, op: Option<Op>, value: &Expr) {
        let known = match op {
            Some(op) => self.scope.binary(op, place, value),
            None => self.scope.known(value),
        };
        if let Some(name) = place.name() {
            self.scope.bind(name, Meaning::Integer(known));
        }
    }

    /// The length of the assigned array, if it is an element of a share.
    pub(super) fn parts_of(&self, place: &Expr) -> Option<i64> {
        let array = match &place.bare().kind {
            Kind::Index(array, _) => array.name()?,
            Kind::Unary('*', item) => match self.scope.local(item.name()?)? {
                Meaning::Element { array, .. } => *array,
                _ => return None,
            },
            _ => return None,
        };
        self.is_outer(array).then(|| self.names.parts_of_elements(array))?
    }

    /// Analyses `let p: [T; 3] = from_fn(|k| x[3 * i + k])`: the argument of the closure is less than the array's
    /// length, if `from_fn` is std's. Returns whether the call has this form.
    pub(super) fn elements_made(&mut self, length: Option<i64>, function: &Expr, args: &[Expr], at: Where) -> bool {
        let ([Expr { kind: Kind::Closure(patterns, _, body), .. }], Some(length)) = (args, length) else {
            return false;
        };
        let Some(binding) = patterns.first().and_then(Pattern::single).filter(|binding| !binding.mutable) else {
            return false;
        };
        if function.last_name() != "from_fn" {
            return false;
        }
        self.counters += 1;
        let tokens = Literal::i64_unsuffixed(length).into_token_stream();
        let end = self.scope.known(&Expr { id: 0, kind: Kind::Int(length), span: Span::call_site(), tokens });
        self.scope.enter();
        let known = self.scope.counter_to(self.counters, binding.name, &end);
        let assumed = self.scope.assumed(&known);
        self.scope.bind(binding.name, Meaning::Integer(assumed));
        self.closure_body(body, Where { depth: at.depth + 1, ..at });
        self.scope.leave();
        true
    }

    /// The array, if the expression is one whole part of it along the first axis.
    pub(super) fn part_in(&self, e: &Expr) -> Option<Local> {
        let Kind::Method(array, method, args, _) = &e.bare().kind else { return None };
        let array = array.name().filter(|name| self.is_outer(*name) && self.names.array(*name))?;
        let part = part(method, args)?;
        let single = !matches!(part.index.bare().kind, Kind::Range(..));
        (single && part.whole).then_some(array)
    }

    pub(super) fn one_more(&mut self, known: &Known) -> Known {
        let one = self.one();
        self.scope.plus(known, &one)
    }

    pub(super) fn one_less(&mut self, known: &Known) -> Known {
        let one = self.one();
        self.scope.minus(known, &one)
    }

    fn one(&mut self) -> Known {
        let one = Expr { id: 0, kind: Kind::Int(1), span: Span::call_site(), tokens: quote::quote!(1) };
        self.scope.known(&one)
    }

    /// A `let mut` that is only assigned values known here holds one of them.
    fn settled(&mut self, name: Local, value: &Expr, rest: &[Statement]) -> Known {
        let mut values = vec![value];
        let mut plain = true;
        for statement in rest {
            statement.walk(&mut |e| {
                match &e.kind {
                    // The variable may be part of a destructuring assignment, be changed by a method, or be received by
                    // opaque code.
                    Kind::Assign(place, ..) if place.root() != Some(name) && place.mentions(name) => {
                        plain &= matches!(place.kind, Kind::Index(..) | Kind::Field(..));
                    }
                    Kind::Method(receiver, method, ..) if receiver.root() == Some(name) => {
                        plain &= receiver.is_left_by(method)
                    }
                    Kind::Opaque(opaque) => plain &= !opaque.receives(name),
                    Kind::Assign(place, op, value) if place.root() == Some(name) => {
                        plain &= op.is_none() && place.name() == Some(name);
                        values.push(value);
                    }
                    Kind::Ref(true, inner) if inner.root() == Some(name) => plain = false,
                    _ => {}
                }
                plain
            });
        }
        // The analysis evaluates each value here, before its assignment. So the variables in it must not change.
        let changes = |variable: Local| rest.iter().flat_map(Statement::nodes).any(|e| e.changes().contains(&variable));
        if !plain || values[1..].iter().flat_map(|value| value.variables()).any(changes) {
            return Known::default();
        }
        let mut known = self.scope.known(values[0]);
        if values.len() == 1 {
            return known;
        }
        for value in &values[1..] {
            let other = self.scope.known(value);
            known = self.scope.either(&known, &other);
        }
        Known { poly: None, ..known }
    }

    /// `for d in [h - 1, 0, 1]`, `for (dy, dx) in [(0, 1), (1, 0)]`.
    pub(super) fn bind_one_of(&mut self, pattern: &Pattern, values: Vec<&Expr>) {
        if let Some(binding) = pattern.single().filter(|binding| !binding.mutable && !pattern.is_reference()) {
            let known: Vec<Known> = values.into_iter().map(|value| self.scope.known(value)).collect();
            let known = known.into_iter().reduce(|one, other| self.scope.either(&one, &other)).unwrap_or_default();
            return self.scope.bind(binding.name, Meaning::Integer(Known { poly: None, ..known }));
        }
        let tuple = |e: &&Expr| matches!(&e.bare().kind, Kind::Tuple(parts) if parts.len() == pattern.parts().len());
        if pattern.parts().is_empty() || !values.iter().all(tuple) {
            return self.scope.bind_unknown(pattern);
        }
        for (number, part) in pattern.parts().iter().enumerate() {
            let parts = values.iter().filter_map(|e| match &e.bare().kind {
                Kind::Tuple(parts) => parts.get(number),
                _ => None,
            });
            self.bind_one_of(part, parts.collect());
        }
    }

    /// `for (number, j) in (a..b).enumerate()`.
    pub(super) fn bind_numbered(&mut self, f: &For, number: u16, range: &Expr) {
        self.scope.bind_unknown(&f.pattern);
        let ([count, item], Some(range)) = (f.pattern.parts(), range.counted()) else { return };
        if range.step.is_some() {
            return;
        }
        let (from, to, inclusive, zero) =
            (self.scope.known(range.from), self.scope.known(range.to), range.inclusive, self.scope.zero());
        let end = if inclusive { self.one_more(&to) } else { to.clone() };
        let length = self.scope.minus(&end, &from);
        if let Some(count) = count.single().filter(|count| !count.mutable) {
            let known = self.scope.counter_to(number, count.name, &length);
            let known = self.copied(known, f.source.id, (&f.pattern, count.name), (&zero, &length, false));
            self.scope.bind(count.name, Meaning::Integer(known));
        }
        if let Some(item) = item.single().filter(|item| !item.mutable) {
            self.counters += 1;
            let known = self.scope.counter(self.counters, item.name, range);
            let known = self.copied(known, f.source.id, (&f.pattern, item.name), (&from, &to, inclusive));
            self.scope.bind(item.name, Meaning::Integer(known));
        }
    }

    /// `for (j, v) in row.iter().enumerate()`, if the length of `row` is known.
    pub(super) fn bind_enumerated(&mut self, f: &For, number: u16) {
        self.scope.bind_unknown(&f.pattern);
        let (inner, count) = match (Items::of(&f.source).form, f.pattern.parts().first()) {
            (Form::Indexed { of, .. }, index) => return self.bind_indices(f, index, of),
            (Form::Enumerate(inner), Some(count)) => (inner, count),
            _ => return,
        };
        let Some(count) = count.single().filter(|count| !count.mutable) else { return };
        let mut longest = None;
        if self.rows(&inner, &mut longest).is_some()
            && let Some(extents) = longest
        {
            let (len, zero) = (self.scope.product(&extents), self.scope.zero());
            let known = self.scope.counter_to(number, count.name, &len);
            let known = self.copied(known, f.source.id, (&f.pattern, count.name), (&zero, &len, false));
            self.scope.bind(count.name, Meaning::Integer(known));
        }
    }

    /// The known upper bounds of the number of items: the extents of an iterated array.
    fn rows(&mut self, items: &Items<'_>, to: &mut Option<Vec<Known>>) -> Option<()> {
        match &items.form {
            Form::Elements { of, .. } => {
                let extents = match (self.part_in(of), of.name()) {
                    (Some(array), _) => Some(self.scope.extents_of_part(Local::named(&array))),
                    (None, Some(name)) => match self.scope.local(name) {
                        Some(Meaning::Element { extents, .. }) => {
                            Some(extents.clone()).filter(|known| !known.is_empty())
                        }
                        None if self.names.buffer(name) => Some(vec![self.scope.length(name)]),
                        _ => None,
                    },
                    (None, None) => return None,
                };
                if extents.is_some() {
                    *to = extents;
                }
                Some(())
            }
            Form::Rev(inner) | Form::Copied(inner) | Form::Skip(inner, _) | Form::Take(inner, _) => {
                self.rows(inner, to)
            }
            Form::Zip(one, two) => {
                self.rows(one, to)?;
                self.rows(two, to)
            }
            _ => None,
        }
    }

    /// `for ((y, x), v) in plane.indexed_iter()`, if the lengths of the axes of `plane` are known.
    fn bind_indices(&mut self, f: &For, index: Option<&Pattern>, part: &Expr) {
        let extents = match (self.part_in(part), part.name().and_then(|name| self.scope.local(name))) {
            (Some(array), _) => self.scope.extents_of_part(Local::named(&array)),
            (None, Some(Meaning::Element { extents, .. })) => extents.clone(),
            _ => return,
        };
        let Some(index) = index else { return };
        let counters = if index.parts().is_empty() { std::slice::from_ref(index) } else { index.parts() };
        if counters.len() != extents.len() {
            return;
        }
        for (counter, extent) in counters.iter().zip(&extents) {
            if let Some(binding) = counter.single().filter(|binding| !binding.mutable) {
                self.counters += 1;
                let (known, zero) = (self.scope.counter_to(self.counters, binding.name, extent), self.scope.zero());
                let known = self.copied(known, f.source.id, (counter, binding.name), (&zero, extent, false));
                self.scope.bind(binding.name, Meaning::Integer(known));
            }
        }
    }
}

/// The assignments to a variable, if there are some, and only these statements change it, one after the other.
fn steps(name: Local, rest: &[Statement]) -> Option<Vec<Id>> {
    let (mut steps, mut plain) = (Vec::new(), true);
    for statement in rest {
        let own = match &statement.kind {
            StatementKind::Expr(Expr { id, kind: Kind::Assign(place, ..), .. }, _) if place.name() == Some(name) => {
                Some(*id)
            }
            _ => None,
        };
        steps.extend(own);
        statement.walk(&mut |e| {
            plain &= match &e.kind {
                Kind::Assign(place, op, _) if Some(e.id) == own => {
                    matches!(op, None | Some(Op::Add | Op::Sub | Op::Mul)) && !matches!(place.kind, Kind::Unary(..))
                }
                Kind::Closure(..) | Kind::Opaque(..) => !e.mentions(name),
                _ => !e.changes().contains(&name),
            };
            plain
        });
    }
    (plain && !steps.is_empty()).then_some(steps)
}
