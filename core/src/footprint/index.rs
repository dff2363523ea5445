//! The values of an index expression over a range of iterations.

use super::form::{Form, HUGE, Term};
use crate::computed::Scalar;

/// The values of an integer expression over a range of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// The interval of the values, both ends included.
    pub(super) lo: i64,
    pub(super) hi: i64,
    /// The largest value of the narrowest type involved. Arithmetic beyond it may have wrapped around.
    pub(super) limit: i64,
    /// Whether the type has negative values.
    pub(super) signed: bool,
    /// Whether the interval is assumed and not proved. Accesses must then be checked.
    pub(super) assumed: bool,
    /// Whether the interval holds because accesses are checked: any other value ends the program.
    pub(super) guarded: bool,
    pub(super) form: Form,
}

impl Index {
    /// An unknown value.
    pub const UNKNOWN: Index = Index::new(-HUGE, HUGE, i64::MAX, Form::interval(-HUGE, HUGE));

    /// No value: the counter of a loop that never runs, and expressions that depend on it.
    pub const NEVER: Index = Index::new(1, 0, i64::MIN, Form::interval(0, 0));

    const fn new(lo: i64, hi: i64, limit: i64, form: Form) -> Index {
        Index { lo, hi, limit, signed: false, assumed: false, guarded: false, form }
    }

    /// With the combined type and certainty of both operands.
    fn like(self, one: Index, other: Index) -> Index {
        Index {
            signed: one.signed || other.signed,
            assumed: one.assumed || other.assumed,
            guarded: one.guarded || other.guarded,
            ..self
        }
    }

    /// The same values, but not proved: an access that depends on them is checked.
    pub fn assumed(self) -> Index {
        Index { assumed: true, ..self }
    }

    /// A constant.
    pub const fn constant(value: i64) -> Index {
        if value > -HUGE && value < HUGE {
            Index::new(value, value, i64::MAX, Form::interval(value, value))
        } else {
            Index::UNKNOWN
        }
    }

    /// The value of an integer expression that is the same in all iterations.
    pub fn of(value: &impl Scalar) -> Index {
        let (value, limit, signed) = value.scalar();
        Index { limit, signed, ..Index::constant(value.unwrap_or(i64::MAX)) }
    }

    /// The loop variable `start + step * p` over the positions `positions`, of a type whose largest value is `limit`.
    pub fn outer(start: i64, step: i64, limit: i64, positions: &std::ops::Range<usize>) -> Index {
        if positions.is_empty() || positions.end as i64 >= HUGE || start.abs() >= HUGE || step.abs() >= HUGE >> 8 {
            return Index::UNKNOWN;
        }
        let first = start + step.saturating_mul(positions.start as i64);
        let last = start + step.saturating_mul(positions.end as i64 - 1);
        let mut form = Form::interval(start, start);
        form.a = step;
        Index::new(first.min(last), first.max(last), limit, form).checked()
    }

    /// The counter number `counter` of an inner loop from `from` to `to`, `to` excluded, in steps of `step`.
    ///
    /// For a loop that never runs the result is any interval, because its accesses never happen.
    pub fn inner(counter: u16, from: Index, to: Index, step: Index) -> Index {
        if from.is_unknown() || to.is_unknown() {
            return Index::UNKNOWN;
        }
        // If an end has wrapped around, the range is different: the loop panics, or continues until a checked access panics.
        let guarded = [&from, &to].iter().any(|end| end.guarded || end.may_wrap(from.signed || to.signed));
        if to.hi <= from.lo || from.is_never() || to.is_never() {
            return Index { guarded, ..Index::NEVER };
        }
        let (from, to) = (Index { guarded, ..from }, Index { guarded, ..to });
        let limit = from.limit.min(to.limit);
        let step = step.exact().filter(|&s| s > 0).unwrap_or(1);
        let last = (to.hi - 1).max(from.lo);
        let mut form = Form::interval(from.lo, from.lo);
        if let Some(start) = from.exact() {
            let extent = ((last - start) / step + 1).max(1);
            form.add_term(Term { counter, coefficient: step, from: 0, extent });
            Index::new(start, start + (extent - 1) * step, limit, form).like(from, to)
        } else if let Some(length) = to.form.above(&from.form) {
            // `k * n..(k + 1) * n`: the number of values does not depend on the start.
            let mut form = from.form;
            form.add_term(Term { counter, coefficient: step, from: 0, extent: ((length - 1) / step + 1).max(1) });
            Index::new(from.lo, last, limit, form).like(from, to)
        } else {
            form.add_term(Term { counter, coefficient: 1, from: 0, extent: last - from.lo + 1 });
            Index::new(from.lo, last, limit, form).like(from, to)
        }
    }

    /// Whether all values are in the interval, also if no access is checked.
    pub(crate) fn is_proved(&self) -> bool {
        !self.assumed && !self.guarded
    }

    fn is_unknown(&self) -> bool {
        self.lo <= -HUGE || self.hi >= HUGE
    }

    pub(crate) fn is_never(&self) -> bool {
        self.limit == i64::MIN
    }

    /// Whether a value may be outside the range of its type.
    fn may_wrap(&self, signed: bool) -> bool {
        let least = if signed { !self.limit } else { 0 };
        !self.is_never() && (self.lo < least || self.hi > self.limit)
    }

    /// The end of a range whose last value is `last`, which may have wrapped around.
    pub fn behind(self, last: Index) -> Index {
        Index { guarded: self.guarded || last.guarded || last.may_wrap(last.signed), ..self }
    }

    /// Combines the type and the certainty of both operands.
    fn join(&mut self, other: &Index) {
        self.limit = self.limit.min(other.limit);
        self.signed |= other.signed;
        self.assumed |= other.assumed;
        self.guarded |= other.guarded;
    }

    /// The result of an operation if one operand is unknown or has no value.
    fn undefined(&self, other: &Index) -> Option<Index> {
        if self.is_never() || other.is_never() {
            Some(Index { guarded: self.guarded || other.guarded, ..Index::NEVER })
        } else if self.is_unknown() || other.is_unknown() {
            Some(Index::UNKNOWN)
        } else {
            None
        }
    }

    pub(super) fn exact(&self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn is_far(&self) -> bool {
        let far = |v: i64| v.abs() >= HUGE;
        self.is_unknown() || far(self.form.a) || far(self.form.lo) || far(self.form.hi)
    }

    fn checked(self) -> Index {
        if self.is_far() { Index::UNKNOWN } else { self }
    }

    /// For operations that do not commute with wrapping: a value that may have wrapped is unknown.
    fn settled(self) -> Index {
        if !self.is_never() && (self.lo < 0 || self.hi > self.limit) { Index::UNKNOWN } else { self }
    }

    fn hull(lo: i64, hi: i64, limit: i64) -> Index {
        Index::new(lo, hi, limit, Form::interval(lo, hi)).checked()
    }

    /// `self + other`.
    #[inline(always)]
    pub fn plus(self, other: Index) -> Index {
        self.sum(&other, 1)
    }

    /// `self - other`.
    #[inline(always)]
    pub fn minus(self, other: Index) -> Index {
        self.sum(&other, -1)
    }

    /// `self * other`.
    #[inline(always)]
    pub fn times(self, other: Index) -> Index {
        self.product(&other)
    }

    /// `self + sign * other`. Most operations of a footprint are these two, so they copy as little as possible.
    fn sum(&self, other: &Index, sign: i64) -> Index {
        if let Some(undefined) = self.undefined(other) {
            return undefined;
        }
        let mut sum = *self;
        let (lo, hi) = if sign > 0 { (other.lo, other.hi) } else { (-other.hi, -other.lo) };
        sum.lo += lo;
        sum.hi += hi;
        sum.form.add(&other.form, sign);
        sum.join(other);
        if sum.is_far() {
            sum = Index::UNKNOWN;
        }
        sum
    }

    fn product(&self, other: &Index) -> Index {
        if let Some(undefined) = self.undefined(other) {
            return undefined;
        }
        let ends = [
            self.lo.checked_mul(other.lo),
            self.lo.checked_mul(other.hi),
            self.hi.checked_mul(other.lo),
            self.hi.checked_mul(other.hi),
        ];
        if ends.iter().any(|e| e.is_none_or(|e| e.abs() >= HUGE)) {
            return Index::UNKNOWN;
        }
        let (mut product, other, factor) = match (self.exact(), other.exact()) {
            (_, Some(factor)) if other.form.a == 0 => (*self, other, Some(factor)),
            (Some(factor), _) if self.form.a == 0 => (*other, self, Some(factor)),
            _ => (*self, other, None),
        };
        product.lo = ends.iter().flatten().copied().min().unwrap_or(0);
        product.hi = ends.iter().flatten().copied().max().unwrap_or(0);
        product.join(other);
        match factor {
            Some(factor) if !product.form.scale(factor) => return Index::UNKNOWN,
            Some(_) => {}
            None => product.form = Form::interval(product.lo, product.hi),
        }
        if product.is_far() { Index::UNKNOWN } else { product }
    }

    /// `self / other`, for a divisor that is one positive value.
    pub fn over(self, other: Index) -> Index {
        let (value, divisor) = (self.settled(), other.settled());
        if let Some(undefined) = value.undefined(&divisor) {
            return undefined;
        }
        match divisor.exact() {
            Some(d) if d > 0 && !value.is_unknown() => {
                let (lo, hi) = (value.lo / d, value.hi / d);
                let form = value.form.divided(d).unwrap_or(Form::interval(lo, hi));
                Index::new(lo, hi, self.limit.min(other.limit), form).like(self, other)
            }
            _ => Index::UNKNOWN,
        }
    }

    /// `self % other`, for a divisor that is one positive value.
    pub fn modulo(self, other: Index) -> Index {
        let (value, divisor) = (self.settled(), other.settled());
        if let Some(undefined) = value.undefined(&divisor) {
            return undefined;
        }
        match divisor.exact() {
            Some(d) if d > 0 && !value.is_unknown() && value.lo / d == value.hi / d => {
                self.minus(Index::constant(value.lo / d * d))
            }
            // The remainder is below the divisor for any dividend that has not wrapped below zero.
            Some(d) if d > 0 && !value.is_unknown() => {
                Index::hull(0, d - 1, self.limit.min(other.limit)).like(self, other)
            }
            _ => Index::UNKNOWN,
        }
    }

    /// `min(self, other)`.
    pub fn least(self, other: Index) -> Index {
        let (a, b) = (self.settled(), other.settled());
        if let Some(undefined) = a.undefined(&b) {
            return undefined;
        }
        Index::hull(a.lo.min(b.lo), a.hi.min(b.hi), self.limit.min(other.limit)).like(self, other)
    }

    /// `min(self, other)` as the end of a range: at most `self`, and with the affine form of `self`.
    pub fn at_latest(self, other: Index) -> Index {
        let (a, b) = (self.settled(), other.settled());
        if let Some(undefined) = a.undefined(&b) {
            return undefined;
        }
        let (lo, hi, limit) = (a.lo.min(b.lo), a.hi.min(b.hi), self.limit.min(other.limit));
        Index { lo, hi, limit, ..a }.like(self, other)
    }

    /// `max(self, other)`.
    pub fn greatest(self, other: Index) -> Index {
        let (a, b) = (self.settled(), other.settled());
        if let Some(undefined) = a.undefined(&b) {
            return undefined;
        }
        Index::hull(a.lo.max(b.lo), a.hi.max(b.hi), self.limit.min(other.limit)).like(self, other)
    }

    /// `self.saturating_sub(other)` of an unsigned type.
    pub fn minus_or_zero(self, other: Index) -> Index {
        let (a, b) = (self.settled(), other.settled());
        if let Some(undefined) = a.undefined(&b) {
            return undefined;
        }
        if self.signed || other.signed {
            // A signed difference can be negative.
            return Index::UNKNOWN;
        }
        Index::hull((a.lo - b.hi).max(0), (a.hi - b.lo).max(0), self.limit.min(other.limit)).like(self, other)
    }

    /// The value of `if c { self } else { other }`.
    pub fn or(self, other: Index) -> Index {
        if self.is_never() || other.is_never() {
            let guarded = self.guarded || other.guarded;
            return Index { guarded, ..if self.is_never() { other } else { self } };
        }
        if let Some(undefined) = self.undefined(&other) {
            return undefined;
        }
        let limit = self.limit.min(other.limit);
        let (lo, hi) = (self.lo.min(other.lo), self.hi.max(other.hi));
        if self.form.a == other.form.a && self.form.terms() == other.form.terms() {
            let (l, h) = (self.form.lo.min(other.form.lo), self.form.hi.max(other.form.hi));
            return Index::new(lo, hi, limit, Form { lo: l, hi: h, ..self.form }).like(self, other);
        }
        Index::hull(lo, hi, limit).like(self, other)
    }

    /// `self as` an integer type that holds `0..=limit`.
    pub fn cast(self, limit: i64, signed: bool) -> Index {
        let value = self.settled();
        if value.is_never() {
            return value;
        }
        if value.is_unknown() || value.hi > limit { Index::UNKNOWN } else { Index { limit, signed, ..value } }
    }

    /// The same value in a signed type.
    pub fn as_signed(self) -> Index {
        Index { signed: true, ..self }
    }

    /// A bound for a comparison with the operand `side`. It is unknown if that operand may have wrapped.
    pub fn unless_wrapped(self, side: Index) -> Index {
        if side.is_unwrapped() { self } else { Index::UNKNOWN }
    }

    /// Whether all values are in the range of their type, so that none has wrapped.
    pub(super) fn is_unwrapped(&self) -> bool {
        let least = if self.signed { !self.limit } else { 0 };
        let inside = !self.is_never() && !self.is_unknown() && self.lo >= least && self.hi <= self.limit;
        inside && !self.assumed
    }

    /// The value if `self < bound`.
    pub fn below(self, bound: Index) -> Index {
        self.clipped(-HUGE, bound.hi.saturating_sub(1))
    }

    /// The value if `self <= bound`.
    pub fn at_most(self, bound: Index) -> Index {
        self.clipped(-HUGE, bound.hi)
    }

    /// The value if `self > bound`.
    pub fn above(self, bound: Index) -> Index {
        self.clipped(bound.lo.saturating_add(1), HUGE)
    }

    /// The value if `self >= bound`.
    pub fn at_least(self, bound: Index) -> Index {
        self.clipped(bound.lo, HUGE)
    }

    /// The value if `self == bound`.
    pub fn equal(self, bound: Index) -> Index {
        self.clipped(bound.lo, bound.hi)
    }

    /// The value if `self != bound`.
    pub fn other_than(self, bound: Index) -> Index {
        match bound.exact() {
            Some(value) if value == self.lo => self.clipped(value + 1, HUGE),
            Some(value) if value == self.hi => self.clipped(-HUGE, value - 1),
            _ => self,
        }
    }

    /// Narrows the interval. The affine form stays: it contains more values, which is sound.
    fn clipped(self, lo: i64, hi: i64) -> Index {
        if self.is_unknown() || self.is_never() {
            return self;
        }
        let (lo, hi) = (self.lo.max(lo), self.hi.min(hi));
        // A condition that is never true guards accesses that never happen, so any interval is sound.
        if lo > hi { self } else { Index { lo, hi, ..self } }
    }

    /// The value as an index along an inner axis of `extent` elements. A checked access stays in its axis: an interval that is not proved
    /// is guarded by this check.
    pub fn within(self, extent: Index) -> Index {
        if self.is_never() || extent.is_never() {
            return Index { guarded: self.guarded || extent.guarded, ..Index::NEVER };
        }
        let Some(extent) = extent.exact().filter(|_| !extent.is_unknown()) else { return Index::UNKNOWN };
        let last = extent - 1;
        let certain = !self.assumed && !self.is_unknown() && self.hi <= self.limit;
        let (lo, hi) = if certain { (self.lo.max(0), self.hi.min(last)) } else { (0, last) };
        let inside = certain && (lo, hi) == (self.lo, self.hi);
        // If no value is allowed, the access never happens, and any interval is sound.
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0, last.max(0)) };
        let form = if certain { self.form.trimmed(lo, hi) } else { Form::interval(lo, hi) };
        Index { guarded: self.guarded || !inside, ..Index::new(lo, hi, i64::MAX, form) }
    }

    /// The same values, with the affine form of `other`.
    pub fn formed_like(self, other: Index) -> Index {
        if self.undefined(&other).is_some() { self } else { Index { form: other.form, ..self } }
    }

    /// Any index along an inner axis of `extent` elements. A checked access is in the axis, or ends the program.
    pub fn anywhere(extent: Index) -> Index {
        Index::UNKNOWN.within(extent)
    }

    /// The interval that contains all values, both ends included; `None` if the value is unknown.
    pub fn interval(&self) -> Option<(i64, i64)> {
        (self.is_never() || !self.is_unknown() && self.hi <= self.limit).then_some((self.lo, self.hi))
    }

    /// The affine form; `None` if the value is unknown.
    pub fn form(&self) -> Option<&Form> {
        self.interval().filter(|_| !self.is_never() && !self.assumed).map(|_| &self.form)
    }
}
