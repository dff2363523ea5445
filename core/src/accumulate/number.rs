//! Numbers, the operands of sums and products, and partial results.

use super::accumulator::LANES;
use crate::element::Element;
use std::cell::Cell;

/// A number with an additive and a multiplicative identity.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that `+` or `*` of `{Self}` is associative, nor its identity",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait Number:
    Copy
    + Send
    + Sync
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
{
    /// `ZERO + x` is `x`, bit by bit.
    const ZERO: Self;
    /// `ONE * x` is `x`, bit by bit.
    const ONE: Self;
    /// Whether sums and products are exact: any grouping gives the same bits.
    const EXACT: bool;
    /// Whether overflow is an error.
    const OVERFLOWS: bool = false;

    /// The value of a float; zero for integers.
    fn rounded(self) -> f64 {
        0.0
    }
    /// The magnitude of a float; zero for integers.
    fn magnitude(self) -> f64 {
        self.rounded().abs()
    }
    /// For floats: the least normal number, and the machine epsilon.
    fn digits() -> [f64; 2] {
        [0.0; 2]
    }
    /// `self + other`. Integers wrap around, because a chunk may be out of range although the whole sum never is.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, likewise.
    fn minus(self, other: Self) -> Self;
    /// `self * other`, likewise.
    fn times(self, other: Self) -> Self;
    /// `self + other`, and the number of times that it wrapped around: 1 upwards, -1 downwards.
    fn plus_counted(self, other: Self) -> (Self, i64);
    /// `self - other`, likewise.
    fn minus_counted(self, other: Self) -> (Self, i64);
    /// The number as an integer without a type.
    fn far(self) -> Far;
    /// Whether an integer is in the range of this type.
    fn holds(far: Far) -> bool;
}

/// An integer type with overflow checks.
pub trait Integer: Number + Element {}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Integer for $type {}
        impl Number for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const EXACT: bool = true;
            const OVERFLOWS: bool = true;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline]
            fn plus_counted(self, other: Self) -> (Self, i64) {
                let (sum, wraps) = self.overflowing_add(other);
                (sum, if !wraps { 0 } else if other < Self::ZERO { -1 } else { 1 })
            }
            #[inline]
            fn minus_counted(self, other: Self) -> (Self, i64) {
                let (difference, wraps) = self.overflowing_sub(other);
                (difference, if !wraps { 0 } else if other < Self::ZERO { 1 } else { -1 })
            }
            #[inline]
            #[allow(unused_comparisons, clippy::cast_lossless)]
            fn far(self) -> Far {
                // The conversion extends the sign, so that the negation is the absolute value of the least number, too.
                let negative = self < 0;
                Far { negative, size: Some(if negative { (self as u128).wrapping_neg() } else { self as u128 }) }
            }
            #[inline]
            #[allow(clippy::cast_lossless)]
            fn holds(far: Far) -> bool {
                let most = if far.negative { Self::MIN.far().size } else { Self::MAX.far().size };
                far.size.is_some_and(|size| Some(size) <= most)
            }
        }
        impl Number for std::num::Wrapping<$type> {
            const ZERO: Self = std::num::Wrapping(0);
            const ONE: Self = std::num::Wrapping(1);
            const EXACT: bool = true;
            plain_operators!();
        }
        impl Operand<std::num::Wrapping<$type>> for $type {
            #[inline(always)]
            fn value(self) -> std::num::Wrapping<$type> {
                std::num::Wrapping(self)
            }
        }
    )*};
}

macro_rules! plain_operators {
    () => {
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self + other
        }
        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            self - other
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            self * other
        }
        #[inline]
        fn plus_counted(self, other: Self) -> (Self, i64) {
            (self + other, 0)
        }
        #[inline]
        fn minus_counted(self, other: Self) -> (Self, i64) {
            (self - other, 0)
        }
        #[inline]
        fn far(self) -> Far {
            Far::ONE
        }
        #[inline]
        fn holds(_: Far) -> bool {
            true
        }
    };
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floats {
    ($($type:ty: $minus_zero:expr, $one:expr;)*) => {$(
        impl Number for $type {
            // Minus zero is the identity of float addition: `0.0 + -0.0` is `0.0`.
            const ZERO: Self = $minus_zero;
            const ONE: Self = $one;
            const EXACT: bool = false;
            fn rounded(self) -> f64 {
                f64::from(self)
            }
            fn digits() -> [f64; 2] {
                [<$type>::MIN_POSITIVE, <$type>::EPSILON].map(f64::from)
            }
            plain_operators!();
        }
    )*};
}
floats! {
    f32: -0.0, 1.0;
    f64: -0.0, 1.0;
}
#[cfg(feature = "half")]
floats! {
    half::f16: half::f16::NEG_ZERO, half::f16::ONE;
    half::bf16: half::bf16::NEG_ZERO, half::bf16::ONE;
}

/// The operand of `acc += e`: a number, or a reference to one.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know how to add `{Self}` to `{V}`, nor that the operator is associative",
    label = "of type `{Self}`",
    note = "of two number types, convert one: `acc += e as f64`",
    note = "write any other operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait Operand<V> {
    /// The number.
    fn value(self) -> V;
}

impl<V: Number> Operand<V> for V {
    #[inline(always)]
    fn value(self) -> V {
        self
    }
}

impl<V: Number> Operand<V> for &V {
    #[inline(always)]
    fn value(self) -> V {
        *self
    }
}

/// [`Number::plus`], as a function.
#[inline(always)]
pub fn plus<V: Number>(earlier: V, later: V) -> V {
    earlier.plus(later)
}

/// [`Number::minus`], as a function.
#[inline(always)]
pub fn minus<V: Number>(number: V, other: V) -> V {
    number.minus(other)
}

/// [`Number::times`], as a function.
#[inline(always)]
pub fn times<V: Number>(earlier: V, later: V) -> V {
    earlier.times(later)
}

/// A partial sum. It may be out of range although the whole sum never is.
pub trait Partial<V> {
    /// Adds a number.
    fn add(&mut self, value: V);
    /// Subtracts a number.
    fn subtract(&mut self, value: V);
}

impl<V: Number> Partial<V> for V {
    #[inline(always)]
    fn add(&mut self, value: V) {
        *self = self.plus(value);
    }
    #[inline(always)]
    fn subtract(&mut self, value: V) {
        *self = self.minus(value);
    }
}

/// A number outside the range of its type: the number of times that it wrapped around, and the rest.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Wide<V> {
    pub(super) wraps: i64,
    pub(super) rest: V,
}

impl<V: Number> Wide<V> {
    pub(super) fn of(rest: V) -> Self {
        Wide { wraps: 0, rest }
    }

    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        let (rest, wraps) = self.rest.plus_counted(other.rest);
        Wide { wraps: self.wraps + other.wraps + wraps, rest }
    }

    #[inline]
    pub(super) fn minus(self, other: Self) -> Self {
        let (rest, wraps) = self.rest.minus_counted(other.rest);
        Wide { wraps: self.wraps - other.wraps + wraps, rest }
    }
}

/// A tally: a partial sum, and its least and greatest value on the way. It wraps around, and shows whether the whole sum overflowed.
#[derive(Debug, Clone, Copy)]
pub struct Counted<V> {
    pub(super) sum: Wide<V>,
    pub(super) least: Wide<V>,
    pub(super) most: Wide<V>,
    /// Whether anything was added, and whether anything was subtracted.
    pub(super) steps: [bool; 2],
    pub(super) alarm: Option<Alarm<V>>,
}

/// The current value of the user's variable, for a part that starts from a known value. It panics as soon as the variable overflows.
#[derive(Debug, Clone, Copy)]
pub struct Alarm<V> {
    value: V,
    /// Whether the sum is subtracted from the variable.
    subtracts: bool,
}

impl<V: Number> Alarm<V> {
    pub(super) fn of(value: V, subtracts: bool) -> Option<Self> {
        V::EXACT.then_some(Alarm { value, subtracts })
    }

    #[inline]
    fn add(&mut self, value: V) {
        let wraps;
        (self.value, wraps) = self.value.plus_counted(value);
        if wraps != 0 {
            overflows("add");
        }
    }

    #[inline]
    fn subtract(&mut self, value: V) {
        let wraps;
        (self.value, wraps) = self.value.minus_counted(value);
        if wraps != 0 {
            overflows("subtract");
        }
    }

    #[inline]
    fn multiply(&mut self, value: V) {
        if !V::holds(self.value.far().times(value.far())) {
            overflows("multiply");
        }
        self.value = self.value.times(value);
    }
}

thread_local! {
    static OVERFLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Panics as the user's operator does.
#[cold]
fn overflows(operator: &str) -> ! {
    OVERFLOWED.set(true);
    panic!("attempt to {operator} with overflow")
}

/// Notes that an update has panicked on this thread.
#[cold]
pub(super) fn note_mistake() {
    OVERFLOWED.set(true);
}

/// Whether an overflow was detected on this thread since the last call.
pub(crate) fn has_overflowed() -> bool {
    OVERFLOWED.take()
}

impl<V: Number> Counted<V> {
    /// The tally of a sum without excursions.
    pub(super) fn of(sum: Wide<V>) -> Self {
        Counted { sum, least: sum, most: sum, steps: [false; 2], alarm: None }
    }

    /// The tally of a wrapped sum with unknown history: its result is taken as right.
    pub(super) fn unknown(rest: V) -> Self {
        let far = |wraps| Wide { wraps, rest };
        Counted { sum: Wide::of(rest), least: far(1), most: far(-1), steps: [false; 2], alarm: None }
    }

    /// Unknown tallies are marked by a least value above the greatest one.
    pub(super) fn is_unknown(&self) -> bool {
        self.least > self.most
    }

    /// The current value.
    #[inline]
    fn reach(&mut self, sum: Wide<V>) {
        self.sum = sum;
        if V::EXACT {
            self.least = if sum < self.least { sum } else { self.least };
            self.most = if sum > self.most { sum } else { self.most };
        }
    }

    /// Merges two neighbouring tallies.
    pub(super) fn then(self, later: Self) -> Self {
        let (least, most) = (self.sum.plus(later.least), self.sum.plus(later.most));
        let sum = self.sum.plus(later.sum);
        if self.is_unknown() || later.is_unknown() {
            return Counted::unknown(sum.rest);
        }
        match V::EXACT {
            true => Counted {
                sum,
                least: if least < self.least { least } else { self.least },
                most: if most > self.most { most } else { self.most },
                steps: [0, 1].map(|step| self.steps[step] || later.steps[step]),
                alarm: later.alarm.or(self.alarm),
            },
            false => Counted::of(sum),
        }
    }
}

impl<V: Number> Partial<V> for Counted<V> {
    #[inline]
    fn add(&mut self, value: V) {
        if let Some(alarm) = &mut self.alarm {
            if alarm.subtracts { alarm.subtract(value) } else { alarm.add(value) }
        }
        self.steps[0] = true;
        self.reach(self.sum.plus(Wide::of(value)));
    }
    #[inline]
    fn subtract(&mut self, value: V) {
        if let Some(alarm) = &mut self.alarm {
            if alarm.subtracts { alarm.add(value) } else { alarm.subtract(value) }
        }
        self.steps[1] = true;
        self.reach(self.sum.minus(Wide::of(value)));
    }
}

impl<V: Number, E: Operand<V>> std::ops::AddAssign<E> for Counted<V> {
    #[inline]
    fn add_assign(&mut self, e: E) {
        self.add(e.value());
    }
}

impl<V: Number, E: Operand<V>> std::ops::MulAssign<E> for CountedProduct<V> {
    #[inline]
    fn mul_assign(&mut self, e: E) {
        self.multiply(e.value());
    }
}

/// An integer of any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Far {
    pub(super) negative: bool,
    /// The absolute value; `None` if no type holds it.
    pub(super) size: Option<u128>,
}

impl Far {
    pub(super) const ONE: Self = Far { negative: false, size: Some(1) };

    #[inline]
    pub(super) fn times(self, other: Self) -> Self {
        let size = match (self.size, other.size) {
            (Some(0), _) | (_, Some(0)) => return Far { negative: false, size: Some(0) },
            (Some(one), Some(other)) => one.checked_mul(other),
            _ => None,
        };
        Far { negative: self.negative != other.negative, size }
    }

    /// Whether it is less than another one. Numbers beyond all types are equal if they have the same sign.
    fn is_less(self, other: Self) -> bool {
        let further = |one: Option<u128>, other: Option<u128>| match (one, other) {
            (Some(one), Some(other)) => one > other,
            (one, other) => one.is_none() && other.is_some(),
        };
        match (self.negative, other.negative) {
            (false, false) => further(other.size, self.size),
            (true, true) => further(self.size, other.size),
            (negative, _) => negative,
        }
    }

    fn least(self, other: Self) -> Self {
        if other.is_less(self) { other } else { self }
    }

    fn most(self, other: Self) -> Self {
        if self.is_less(other) { other } else { self }
    }
}

/// A tally: a partial product, and its least and greatest value on the way from one.
#[derive(Debug, Clone, Copy)]
pub struct CountedProduct<V> {
    pub(super) product: V,
    pub(super) far: Far,
    pub(super) least: Far,
    pub(super) most: Far,
    pub(super) alarm: Option<Alarm<V>>,
}

impl<V: Number> CountedProduct<V> {
    /// The tally of no factors.
    pub(super) fn one() -> Self {
        CountedProduct { product: V::ONE, far: Far::ONE, least: Far::ONE, most: Far::ONE, alarm: None }
    }

    /// The least and the greatest value on the way, for this initial value.
    pub(super) fn from(&self, begin: Far) -> [Far; 2] {
        let [one, other] = [self.least, self.most].map(|end| end.times(begin));
        [one.least(other), one.most(other)]
    }

    /// Merges two neighbouring tallies.
    pub(super) fn then(self, later: Self) -> Self {
        let [least, most] = later.from(self.far);
        CountedProduct {
            product: self.product.times(later.product),
            far: self.far.times(later.far),
            least: self.least.least(least),
            most: self.most.most(most),
            alarm: later.alarm.or(self.alarm),
        }
    }
}

/// A partial product.
pub trait PartialProduct<V> {
    /// Multiplies by a number.
    fn multiply(&mut self, value: V);
}

impl<V: Number> PartialProduct<V> for V {
    #[inline(always)]
    fn multiply(&mut self, value: V) {
        *self = self.times(value);
    }
}

impl<V: Number> PartialProduct<V> for CountedProduct<V> {
    #[inline]
    fn multiply(&mut self, value: V) {
        if let Some(alarm) = &mut self.alarm {
            alarm.multiply(value);
        }
        self.product = self.product.times(value);
        if V::EXACT {
            self.far = self.far.times(value.far());
            self.least = self.least.least(self.far);
            self.most = self.most.most(self.far);
        }
    }
}

/// A chunk's partial sums in lanes.
pub trait Lanes {
    /// The lane of an iteration.
    fn of(&self, lane: usize) -> usize;
}

impl<V: Number> Lanes for [V; LANES] {
    #[inline(always)]
    fn of(&self, lane: usize) -> usize {
        lane
    }
}

impl<V: Number> Lanes for [Counted<V>; LANES] {
    /// Tallies need the order of the iterations, so they have no lanes.
    #[inline(always)]
    fn of(&self, lane: usize) -> usize {
        if V::EXACT { 0 } else { lane }
    }
}

impl<V: Number> Lanes for [CountedProduct<V>; LANES] {
    /// The same as for a sum.
    #[inline(always)]
    fn of(&self, lane: usize) -> usize {
        if V::EXACT { 0 } else { lane }
    }
}

/// The lane of an iteration.
#[inline(always)]
pub fn lane_of(lanes: &impl Lanes, lane: usize) -> usize {
    lanes.of(lane)
}

/// `acc += e` in a part of the iterations.
#[inline(always)]
pub fn add<V>(to: &mut impl Partial<V>, value: impl Operand<V>) {
    to.add(value.value());
}

/// `acc -= e` in a part of the iterations.
#[inline(always)]
pub fn subtract<V>(from: &mut impl Partial<V>, value: impl Operand<V>) {
    from.subtract(value.value());
}

/// `acc *= e` in a part of the iterations.
#[inline(always)]
pub fn multiply<V>(number: &mut impl PartialProduct<V>, value: impl Operand<V>) {
    number.multiply(value.value());
}

/// One, with an inferred type.
pub fn one<V: Number>() -> V {
    V::ONE
}

/// `e`, with an inferred type.
#[inline(always)]
pub fn number<V: Number>(e: impl Operand<V>) -> V {
    e.value()
}

/// `-e`. Unsigned numbers wrap around.
#[inline(always)]
pub fn negative<V: Number>(e: V) -> V {
    // Plus zero would make `-0.0` of `0.0` into `0.0`.
    V::ZERO.minus(e)
}

/// Zero, with an inferred type.
pub fn zero<V: Number>() -> V {
    V::ZERO
}
