//! Footprints: which elements a range of iterations can touch, in abstract form.
//!
//! The macro emits every index expression a second time, over [`Index`] instead of integers. Evaluating it for a range
//! of iterations gives an interval that contains every index of that range, and for the whole loop the affine form
//! `a * p + sum(c_k * t_k) + [lo, hi]` with `p` the iteration's position and `0 <= t_k < extent_k` the inner counters.
//! From these follow the halo, the proof that iterations write disjoint places, and hoisted bounds checks.
//!
//! Nothing is guessed: what cannot be held in this form becomes [`Index::UNKNOWN`], which lies inside no slice.

/// How many inner counters an affine form can hold; more become part of its interval.
const TERMS: usize = 4;

/// Values beyond this are unknown, so that the arithmetic below cannot overflow.
const HUGE: i64 = 1 << 46;

/// All values that an integer expression can have over a range of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// The interval of the values, both ends included.
    lo: i64,
    hi: i64,
    /// The largest value of the narrowest type involved: arithmetic beyond it may have wrapped.
    limit: i64,
    /// Whether the type has negative values.
    signed: bool,
    /// Whether this is assumed, not proved: accesses must be checked.
    assumed: bool,
    /// Whether it holds because accesses are checked, which ends the program at any other value.
    guarded: bool,
    form: Form,
}

/// `a * p + sum(coefficient * t) + [lo, hi]`: holds all values for all iterations of the evaluated range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The coefficient of the iteration's position.
    pub a: i64,
    /// The smallest constant.
    pub lo: i64,
    /// The largest constant.
    pub hi: i64,
    terms: [Term; TERMS],
    count: u8,
}

/// One inner counter, `from <= t < extent`, times its coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Term {
    counter: u16,
    coefficient: i64,
    /// 0 but where the values at which the counter is looked at begin later.
    from: i64,
    extent: i64,
}

impl Term {
    /// The smallest and the largest value.
    fn reach(&self) -> (i64, i64) {
        let (one, two) = (self.coefficient * self.from, self.coefficient * (self.extent - 1));
        (one.min(two), one.max(two))
    }
}

impl Form {
    const fn interval(lo: i64, hi: i64) -> Form {
        Form { a: 0, lo, hi, terms: [Term { counter: 0, coefficient: 0, from: 0, extent: 0 }; TERMS], count: 0 }
    }

    fn terms(&self) -> &[Term] {
        &self.terms[..self.count as usize]
    }

    fn add(&mut self, other: &Form, sign: i64) {
        self.a += sign * other.a;
        let (lo, hi) = if sign > 0 { (other.lo, other.hi) } else { (-other.hi, -other.lo) };
        self.lo += lo;
        self.hi += hi;
        for term in other.terms() {
            self.add_term(Term { coefficient: sign * term.coefficient, ..*term });
        }
    }

    fn add_term(&mut self, term: Term) {
        if let Some(same) = self.terms[..self.count as usize].iter_mut().find(|t| t.counter == term.counter) {
            same.coefficient += term.coefficient;
            same.from = same.from.min(term.from);
            same.extent = same.extent.max(term.extent);
        } else if (self.count as usize) < TERMS {
            self.terms[self.count as usize] = term;
            self.count += 1;
        } else {
            let (lo, hi) = term.reach();
            self.lo += lo;
            self.hi += hi;
        }
    }

    /// `false` where the product is too large.
    fn scale(&mut self, factor: i64) -> bool {
        let biggest = [self.a, self.lo, self.hi].into_iter().chain(self.terms().iter().map(|t| t.coefficient));
        if !biggest.into_iter().all(|v| v.checked_mul(factor).is_some_and(|v| v.abs() < HUGE)) {
            return false;
        }
        self.a *= factor;
        (self.lo, self.hi) =
            if factor >= 0 { (self.lo * factor, self.hi * factor) } else { (self.hi * factor, self.lo * factor) };
        for term in &mut self.terms[..self.count as usize] {
            term.coefficient *= factor;
        }
        true
    }

    fn divided(mut self, divisor: i64) -> Option<Form> {
        let exact = self.a % divisor == 0 && self.terms().iter().all(|t| t.coefficient % divisor == 0);
        exact.then(|| {
            self.a /= divisor;
            self.lo = self.lo.div_euclid(divisor);
            self.hi = self.hi.div_euclid(divisor);
            for term in &mut self.terms[..self.count as usize] {
                term.coefficient /= divisor;
            }
            self
        })
    }

    /// The values relative to `a * p`: constants and inner counters together.
    pub fn spread(&self) -> (i64, i64) {
        let reaches = self.terms().iter().map(Term::reach);
        reaches.fold((self.lo, self.hi), |(lo, hi), (low, high)| (lo + low, hi + high))
    }

    /// The same values where they are known to lie in `lo..=hi`.
    fn trimmed(mut self, lo: i64, hi: i64) -> Form {
        let (low, high) = self.spread();
        if self.a != 0 || lo <= low && high <= hi {
            return self;
        }
        match &mut self.terms[..self.count as usize] {
            // What is left of one counter still counts.
            [term] if term.coefficient > 0 && self.lo == self.hi => {
                term.from = term.from.max((lo - self.lo + term.coefficient - 1).div_euclid(term.coefficient));
                term.extent = term.extent.min((hi - self.lo).div_euclid(term.coefficient) + 1).max(term.from + 1);
                self
            }
            _ => Form::interval(lo, hi),
        }
    }
}

fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Index {
    /// A value of which nothing is known.
    pub const UNKNOWN: Index = Index::new(-HUGE, HUGE, i64::MAX, Form::interval(-HUGE, HUGE));

    /// No value at all: a counter of a loop that never runs, and what is computed from it.
    pub const NEVER: Index = Index::new(1, 0, i64::MIN, Form::interval(0, 0));

    const fn new(lo: i64, hi: i64, limit: i64, form: Form) -> Index {
        Index { lo, hi, limit, signed: false, assumed: false, guarded: false, form }
    }

    /// With what both operands say of the type, and how sure they are.
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

    /// One known value.
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
    /// A loop that never runs gives a value too: its accesses do not happen, so any interval is right.
    pub fn inner(counter: u16, from: Index, to: Index, step: Index) -> Index {
        if from.is_unknown() || to.is_unknown() {
            return Index::UNKNOWN;
        }
        if to.hi <= from.lo || from.is_never() || to.is_never() {
            return Index::NEVER;
        }
        let limit = from.limit.min(to.limit);
        let step = step.exact().filter(|&s| s > 0).unwrap_or(1);
        let last = (to.hi - 1).max(from.lo);
        let mut form = Form::interval(from.lo, from.lo);
        if let Some(start) = from.exact() {
            let extent = ((last - start) / step + 1).max(1);
            form.add_term(Term { counter, coefficient: step, from: 0, extent });
            Index::new(start, start + (extent - 1) * step, limit, form).like(from, to)
        } else {
            form.add_term(Term { counter, coefficient: 1, from: 0, extent: last - from.lo + 1 });
            Index::new(from.lo, last, limit, form).like(from, to)
        }
    }

    fn is_unknown(&self) -> bool {
        self.lo <= -HUGE || self.hi >= HUGE
    }

    fn is_never(&self) -> bool {
        self.limit == i64::MIN
    }

    /// What both operands say of the type, and how sure they are.
    fn join(&mut self, other: &Index) {
        self.limit = self.limit.min(other.limit);
        self.signed |= other.signed;
        self.assumed |= other.assumed;
        self.guarded |= other.guarded;
    }

    /// The result of an operation on values of which one may be unknown or none at all.
    fn undefined(&self, other: &Index) -> Option<Index> {
        if self.is_never() || other.is_never() {
            Some(Index::NEVER)
        } else if self.is_unknown() || other.is_unknown() {
            Some(Index::UNKNOWN)
        } else {
            None
        }
    }

    fn exact(&self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn is_far(&self) -> bool {
        let far = |v: i64| v.abs() >= HUGE;
        self.is_unknown() || far(self.form.a) || far(self.form.lo) || far(self.form.hi)
    }

    fn checked(self) -> Index {
        if self.is_far() { Index::UNKNOWN } else { self }
    }

    /// Before an operation that does not commute with wrapping: a value that may have wrapped is unknown.
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

    /// `self + sign * other`. These two make most of a footprint: they copy as little as they can.
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
        if sum.is_far() { Index::UNKNOWN } else { sum }
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
            // The remainder is below the divisor whatever the dividend is, if that has not wrapped below zero.
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
            // A signed difference goes below zero.
            return Index::UNKNOWN;
        }
        Index::hull((a.lo - b.hi).max(0), (a.hi - b.lo).max(0), self.limit.min(other.limit)).like(self, other)
    }

    /// Either value: what `if c { self } else { other }` has.
    pub fn or(self, other: Index) -> Index {
        if self.is_never() || other.is_never() {
            return if self.is_never() { other } else { self };
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

    /// The same value of a type that has negative values.
    pub fn as_signed(self) -> Index {
        Index { signed: true, ..self }
    }

    /// The value of a bound in a comparison of which `side` is one side: nothing is known where that may have wrapped.
    pub fn unless_wrapped(self, side: Index) -> Index {
        let least = if side.signed { !side.limit } else { 0 };
        let exact = !side.is_never() && side.lo >= least && side.hi <= side.limit;
        if exact && !side.assumed { self } else { Index::UNKNOWN }
    }

    /// The value where `self < bound` is known.
    pub fn below(self, bound: Index) -> Index {
        self.clipped(-HUGE, bound.hi.saturating_sub(1))
    }

    /// The value where `self <= bound` is known.
    pub fn at_most(self, bound: Index) -> Index {
        self.clipped(-HUGE, bound.hi)
    }

    /// The value where `self > bound` is known.
    pub fn above(self, bound: Index) -> Index {
        self.clipped(bound.lo.saturating_add(1), HUGE)
    }

    /// The value where `self >= bound` is known.
    pub fn at_least(self, bound: Index) -> Index {
        self.clipped(bound.lo, HUGE)
    }

    /// The value where `self == bound` is known.
    pub fn equal(self, bound: Index) -> Index {
        self.clipped(bound.lo, bound.hi)
    }

    /// The value where `self != bound` is known.
    pub fn other_than(self, bound: Index) -> Index {
        match bound.exact() {
            Some(value) if value == self.lo => self.clipped(value + 1, HUGE),
            Some(value) if value == self.hi => self.clipped(-HUGE, value - 1),
            _ => self,
        }
    }

    /// Narrows the interval. The affine form stays: it holds more values than there are, which is safe.
    fn clipped(self, lo: i64, hi: i64) -> Index {
        if self.is_unknown() || self.is_never() {
            return self;
        }
        let (lo, hi) = (self.lo.max(lo), self.hi.min(hi));
        // A condition that is never true guards accesses that never happen: any value in range will do.
        if lo > hi { self } else { Index { lo, hi, ..self } }
    }

    /// The value as an index along an inner axis of `extent` elements. A checked access goes no further than the axis:
    /// what is not proved to stay there still holds, under that guard.
    pub fn within(self, extent: Index) -> Index {
        if self.is_never() || extent.is_never() {
            return Index::NEVER;
        }
        let Some(extent) = extent.exact().filter(|_| !extent.is_unknown()) else { return Index::UNKNOWN };
        let last = extent - 1;
        let certain = !self.assumed && !self.is_unknown() && self.hi <= self.limit;
        let (lo, hi) = if certain { (self.lo.max(0), self.hi.min(last)) } else { (0, last) };
        let inside = certain && (lo, hi) == (self.lo, self.hi);
        // Where no value is allowed at all, no access happens: any interval will do.
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0, last.max(0)) };
        let form = if certain { self.form.trimmed(lo, hi) } else { Form::interval(lo, hi) };
        Index { guarded: self.guarded || !inside, ..Index::new(lo, hi, i64::MAX, form) }
    }

    /// The same values, which move from iteration to iteration as those of `other` do.
    pub fn formed_like(self, other: Index) -> Index {
        if self.undefined(&other).is_some() { self } else { Index { form: other.form, ..self } }
    }

    /// Any index along an inner axis of `extent` elements: a checked access finds it there, or ends the program.
    pub fn anywhere(extent: Index) -> Index {
        Index::UNKNOWN.within(extent)
    }

    /// The interval that holds all values, both ends included; `None` when nothing is known.
    pub fn interval(&self) -> Option<(i64, i64)> {
        (self.is_never() || !self.is_unknown() && self.hi <= self.limit).then_some((self.lo, self.hi))
    }

    /// The affine form, `None` when nothing is known.
    pub fn form(&self) -> Option<&Form> {
        self.interval().filter(|_| !self.is_never() && !self.assumed).map(|_| &self.form)
    }
}

/// An integer that an index expression reads from outside the loop.
pub trait Scalar {
    /// The value if it is an integer that fits, the largest value of the type, and whether the type is signed.
    fn scalar(&self) -> (Option<i64>, i64, bool);
}

macro_rules! scalars {
    ($($type:ty)*) => {$(
        impl Scalar for $type {
            fn scalar(&self) -> (Option<i64>, i64, bool) {
                (i64::try_from(*self).ok(), i64::try_from(<$type>::MAX).unwrap_or(i64::MAX), <$type>::MIN != 0)
            }
        }
    )*};
}
scalars!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl<S: Scalar + ?Sized> Scalar for &S {
    fn scalar(&self) -> (Option<i64>, i64, bool) {
        (**self).scalar()
    }
}

impl<S: Scalar + ?Sized> Scalar for &mut S {
    fn scalar(&self) -> (Option<i64>, i64, bool) {
        (**self).scalar()
    }
}

macro_rules! not_integers {
    ($($type:ty)*) => {$(
        impl Scalar for $type {
            fn scalar(&self) -> (Option<i64>, i64, bool) {
                (None, i64::MAX, true)
            }
        }
    )*};
}
not_integers!(f32 f64 bool char);

/// A range that a loop counts through.
pub trait Counted {
    /// What an iteration gets.
    type Item;

    /// How many iterations there are.
    fn count(&self) -> usize;

    /// What the iteration at a position gets; the position is below the count.
    fn at(&self, position: usize) -> Self::Item;

    /// The first value, in abstract form.
    fn start(&self) -> Index;
}

/// An integer that can count.
pub trait Counter: Copy + Default + Scalar {
    /// How many values lie in `self..end`.
    fn distance(self, end: Self) -> usize;

    /// The value `steps` after this one, which exists.
    fn forward(self, steps: usize) -> Self;

    /// The same of a range without an end.
    ///
    /// # Panics
    /// Where overflow is looked for, and there is no value after that one: as the range does, which then steps on.
    fn forward_in_open(self, steps: usize) -> Self;
}

macro_rules! counters {
    ($($type:ty)*) => {$(
        impl Counter for $type {
            #[inline(always)]
            fn distance(self, end: Self) -> usize {
                if self < end { (end as i128).wrapping_sub(self as i128) as usize } else { 0 }
            }

            #[inline(always)]
            fn forward(self, steps: usize) -> Self {
                self.wrapping_add(steps as $type)
            }

            #[inline(always)]
            fn forward_in_open(self, steps: usize) -> Self {
                let left = (<$type>::MAX as u128).wrapping_sub(self as u128);
                if cfg!(debug_assertions) && left <= steps as u128 {
                    panic!("attempt to add with overflow");
                }
                self.forward(steps)
            }
        }
    )*};
}
counters!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// What the iteration at a position gets of a range that starts at a literal zero, which is then one for the compiler too.
#[inline(always)]
pub fn from_zero<C: Counter>(_: &impl Counted<Item = C>, position: usize) -> C {
    C::default().forward(position)
}

impl<C: Counter> Counted for std::ops::Range<C> {
    type Item = C;

    #[inline(always)]
    fn count(&self) -> usize {
        self.start.distance(self.end)
    }

    #[inline(always)]
    fn at(&self, position: usize) -> C {
        self.start.forward(position)
    }

    #[inline]
    fn start(&self) -> Index {
        Index::of(&self.start)
    }
}

/// Without an end: as many as whatever it goes along with has.
impl<C: Counter> Counted for std::ops::RangeFrom<C> {
    type Item = C;

    #[inline(always)]
    fn count(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    fn at(&self, position: usize) -> C {
        self.start.forward_in_open(position)
    }

    #[inline]
    fn start(&self) -> Index {
        Index::of(&self.start)
    }
}

impl<C: Counter + PartialOrd> Counted for std::ops::RangeInclusive<C> {
    type Item = C;

    #[inline(always)]
    fn count(&self) -> usize {
        if self.is_empty() { 0 } else { self.start().distance(*self.end()).saturating_add(1) }
    }

    #[inline(always)]
    fn at(&self, position: usize) -> C {
        self.start().forward(position)
    }

    #[inline]
    fn start(&self) -> Index {
        Index::of(self.start())
    }
}

/// How many chunks a slice has, with what is left over as a shorter one or without it.
///
/// # Panics
/// When the chunks have no elements, as the iterator does.
#[track_caller]
pub fn chunks_of(len: usize, chunk: usize, shorter: bool) -> usize {
    assert!(chunk != 0, "chunk size must be non-zero");
    if shorter { len.div_ceil(chunk) } else { len / chunk }
}

/// The end of `first..end`, a part of a slice.
///
/// # Panics
/// When the slice has no such part, as indexing does.
#[track_caller]
pub fn part_of(len: usize, first: usize, end: usize) -> usize {
    assert!(first <= end, "slice index starts at {first} but ends at {end}");
    assert!(end <= len, "range end index {end} out of range for slice of length {len}");
    end
}

/// How many windows a slice has.
///
/// # Panics
/// When the windows have no elements, as the iterator does.
#[track_caller]
pub fn windows_of(len: usize, window: usize) -> usize {
    assert!(window != 0, "window size must be non-zero");
    (len + 1).saturating_sub(window)
}

/// How many items are left of `len` when only every `step`th is taken.
///
/// # Panics
/// When the step is zero, as the iterator does.
#[track_caller]
pub fn steps_of(len: usize, step: usize) -> usize {
    assert!(step != 0, "step_by: the step must not be zero");
    len.div_ceil(step)
}

/// One access of the loop's body to an array.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// The array's place in the loop's list.
    pub slot: usize,
    /// Whether the access writes.
    pub writes: bool,
    /// The elements, from this one ..
    pub first: Index,
    /// .. to this one, included (different from `first` for `x[a..b]`).
    pub last: Index,
    /// Whether it is one of those of which the macro has proved that they never meet, unless what they are computed from
    /// wraps around: of a square matrix that is filled from one triangle, or of a triangle that is packed row by row.
    pub apart: bool,
}

impl Access {
    /// Fills the places of a list before the accesses are evaluated.
    pub const NONE: Access =
        Access { slot: 0, writes: false, first: Index::UNKNOWN, last: Index::UNKNOWN, apart: false };

    /// As one of the accesses that never meet.
    pub fn as_apart(self) -> Access {
        Access { apart: true, ..self }
    }

    /// A single element.
    pub fn element(slot: usize, writes: bool, index: Index) -> Access {
        Access { slot, writes, first: index, last: index, ..Access::NONE }
    }

    /// The elements from `from` to `to`, `to` excluded.
    pub fn range(slot: usize, writes: bool, from: Index, to: Index) -> Access {
        Access { slot, writes, first: from, last: to.minus(Index::constant(1)), ..Access::NONE }
    }

    /// Any elements.
    pub fn everything(slot: usize, writes: bool) -> Access {
        Access { slot, writes, ..Access::NONE }
    }

    /// Elements at most `width` away from the iteration's own: `#[halo(width)]`. Of an array of several dimensions these
    /// are planes, of `plane` elements each.
    pub fn near(slot: usize, positions: &std::ops::Range<usize>, width: usize, plane: usize) -> Access {
        let number = |n: usize| Index::constant(i64::try_from(n).unwrap_or(i64::MAX));
        let (here, width, plane) = (Index::outer(0, 1, i64::MAX, positions), number(width), number(plane));
        let end = here.plus(width).plus(number(1)).times(plane);
        Access::range(slot, false, here.minus(width).times(plane), end)
    }

    /// The interval of the elements touched, both ends included.
    pub fn interval(&self) -> Option<(i64, i64)> {
        if self.never() {
            return Some((1, 0));
        }
        Some((self.first.interval()?.0, self.last.interval()?.1))
    }

    /// Whether the access stays in its interval even if nothing checks it.
    pub fn unguarded(&self) -> bool {
        self.proved() && (self.never() || !(self.first.guarded || self.last.guarded))
    }

    /// Whether the interval is proved.
    pub fn proved(&self) -> bool {
        self.never() || !(self.first.assumed || self.last.assumed)
    }

    /// Whether it does not happen at all.
    fn never(&self) -> bool {
        self.first.is_never() || self.last.is_never()
    }

    /// Coefficient of the iteration, and the elements relative to `a * p` that one iteration can touch.
    pub fn affine(&self) -> Option<(i64, i64, i64)> {
        let (first, last) = (self.first.form()?, self.last.form()?);
        (first.a == last.a).then(|| (first.a, first.spread().0, last.spread().1))
    }
}

/// What is known of two accesses to one array from different iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// They never meet, and the elements between the lowest and the highest of one iteration belong to it alone.
    Ordered,
    /// They never meet, but the elements of different iterations interleave.
    Interleaved,
    /// They may meet.
    Possible,
}

/// Whether `one` in an iteration and `two` in another can touch the same element of their array, over `count` iterations.
pub fn meeting(one: &Access, two: &Access, count: usize) -> Meeting {
    if count <= 1 || one.never() || two.never() {
        return Meeting::Ordered;
    }
    if one.apart && two.apart && one.interval().is_some() && two.interval().is_some() {
        return Meeting::Interleaved;
    }
    let (Some((a1, lo1, hi1)), Some((a2, lo2, hi2))) = (one.affine(), two.affine()) else { return Meeting::Possible };
    if a1 == a2 && a1.abs() > hi1.max(hi2) - lo1.min(lo2) {
        return Meeting::Ordered;
    }
    if !one.proved() || !two.proved() {
        return Meeting::Possible;
    }
    let (Some(i1), Some(i2)) = (one.interval(), two.interval()) else { return Meeting::Possible };
    if i1.1 < i2.0 || i2.1 < i1.0 || never_congruent(one, two, a1, a2) || mixed_radix(one, two, a1, a2, count) {
        return Meeting::Interleaved;
    }
    Meeting::Possible
}

/// Red and black points: all coefficients share a divisor that the difference of the constants does not have.
fn never_congruent(one: &Access, two: &Access, a1: i64, a2: i64) -> bool {
    let (Some(f1), Some(f2)) = (one.first.form(), two.first.form()) else { return false };
    let single = |access: &Access, form: &Form| access.first == access.last && form.lo == form.hi;
    if !single(one, f1) || !single(two, f2) {
        return false;
    }
    let coefficients = f1.terms().iter().chain(f2.terms()).map(|t| t.coefficient);
    let divisor = coefficients.fold(gcd(a1, a2), gcd);
    divisor > 1 && (f1.lo - f2.lo) % divisor != 0
}

/// Columns and middle axes: the inner counters fall into small ones, which stay below one step of the iteration, and
/// big ones, whose steps share a divisor larger than all iterations together. Only remainders by that divisor count, also
/// of the iteration's own step: the diagonal is in its column.
fn mixed_radix(one: &Access, two: &Access, a1: i64, a2: i64, count: usize) -> bool {
    let (Some(f1), Some(f2)) = (one.first.form(), two.first.form()) else { return false };
    let (Some(l1), Some(l2)) = (one.last.form(), two.last.form()) else { return false };
    let a = a1.abs().min(a2.abs());
    if a == 0 || f1.terms() != l1.terms() || f2.terms() != l2.terms() {
        return false;
    }
    let (mut big, mut small) = (0, [0, 0]);
    for (which, form) in [f1, f2].into_iter().enumerate() {
        for term in form.terms() {
            let reach = term.coefficient.abs() * (term.extent - 1);
            if reach < a && term.coefficient >= 0 {
                small[which] += reach;
            } else {
                big = gcd(big, term.coefficient);
            }
        }
    }
    if big == 0 || (a1 - a2) % big != 0 {
        return false;
    }
    // The constants may differ by a multiple of the big step (a row above): only the remainder counts.
    let shift = f2.lo - f1.lo;
    let shift = shift - (shift as f64 / big as f64).round() as i64 * big;
    let ends = [(0, l1.hi - f1.lo + small[0]), (shift, shift + l2.hi - f2.lo + small[1])];
    let width = ends[0].1.max(ends[1].1) - ends[0].0.min(ends[1].0);
    width < a && a * (count as i64 - 1) + width < big
}

#[cfg(test)]
mod tests {
    use super::*;

    const NX: Index = Index::constant(10);

    fn counter(from: i64, to: i64) -> Index {
        Index::inner(1, Index::constant(from), Index::constant(to), Index::constant(1))
    }

    /// `a[[p, x]]` of rows of ten elements.
    fn element(x: Index) -> Access {
        let row = Index::outer(0, 1, i64::MAX, &(0..8));
        Access::element(0, true, row.times(NX).plus(x.within(NX)))
    }

    #[test]
    fn an_index_that_stays_in_its_axis_needs_no_guard() {
        let inside = element(counter(0, 10));
        assert!(inside.unguarded() && inside.interval() == Some((0, 79)));
        assert_eq!(meeting(&inside, &inside, 8), Meeting::Ordered);
        assert!(element(Index::NEVER).unguarded());
    }

    #[test]
    fn an_index_that_may_leave_its_axis_stays_there_under_a_guard() {
        let one = Index::constant(1);
        let beside = [counter(0, 10).minus(one), counter(0, 10).plus(one), Index::UNKNOWN, counter(0, 10).assumed()];
        for x in beside {
            let access = element(x);
            assert!(access.proved() && !access.unguarded());
            let (lo, hi) = access.interval().expect("it is known");
            assert!(lo >= 0 && hi <= 79);
            assert_eq!(meeting(&access, &element(counter(0, 10)), 8), Meeting::Ordered, "rows do not meet");
        }
        // What is left of a counter still counts as one, so that columns of a middle axis do not meet.
        let within = counter(0, 10).minus(one).within(NX);
        assert_eq!((within.form.count, within.form.spread(), within.interval()), (1, (0, 8), Some((0, 8))));
        assert_eq!(counter(0, 10).plus(one).within(NX).form.spread(), (1, 9));
    }

    #[test]
    fn a_comparison_of_what_may_have_wrapped_tells_nothing() {
        let (x, one) = (counter(0, 10), Index::constant(1));
        // `x + 1 < 10`, and `x - 1 >= 3`, which also holds for the largest number of all.
        let right = x.below(NX.minus(one).unless_wrapped(x.plus(one)).unless_wrapped(NX));
        assert_eq!(right.interval(), Some((0, 8)));
        let bound = Index::constant(4);
        assert_eq!(x.at_least(bound.unless_wrapped(x.minus(one))).interval(), x.interval());
        assert_eq!(x.at_least(bound.unless_wrapped(x.minus(one).as_signed())).interval(), Some((4, 9)));
        assert_eq!(x.below(bound.unless_wrapped(bound.assumed())).interval(), x.interval());
        assert_eq!(x.below(bound.unless_wrapped(Index::NEVER.as_signed())).interval(), x.interval());
    }

    #[test]
    fn an_axis_without_elements_has_no_index() {
        let none = Index::constant(0);
        assert_eq!(counter(0, 0).within(none), Index::NEVER);
        assert!(Index::constant(0).within(none).guarded && Index::anywhere(none).guarded);
    }

    #[test]
    fn a_halo_of_an_array_is_in_planes() {
        assert_eq!(Access::near(0, &(4..6), 2, 1).interval(), Some((2, 7)));
        assert_eq!(Access::near(0, &(4..6), 1, 10).interval(), Some((30, 69)));
    }
}
