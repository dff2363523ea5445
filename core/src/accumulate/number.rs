//! What sums and products are made of: numbers, what may be added to them, and partial sums.

/// A number with an additive and a multiplicative identity.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that `+` or `*` of `{Self}` is associative, nor its identity",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait Number:
    Copy + Send + Sync + std::ops::Add<Output = Self> + std::ops::Sub<Output = Self> + std::ops::Mul<Output = Self>
{
    /// `ZERO + x` is `x`, bit by bit.
    const ZERO: Self;
    /// `ONE * x` is `x`, bit by bit.
    const ONE: Self;
    /// Whether sums and products have the same bits in any grouping.
    const EXACT: bool;

    /// How large it is, where its sums depend on their order: else nothing.
    fn magnitude(self) -> f64 {
        0.0
    }
    /// `self + other`. Integers wrap around: what a chunk adds up may be out of range where the whole never is.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, likewise.
    fn minus(self, other: Self) -> Self;
    /// `self * other`, likewise.
    fn times(self, other: Self) -> Self;
    /// `self + other`, and how often the sum wrapped around: once upwards, or once downwards, which counts as minus one.
    fn plus_counted(self, other: Self) -> (Self, i64);
    /// `self - other`, likewise.
    fn minus_counted(self, other: Self) -> (Self, i64);
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Number for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const EXACT: bool = true;

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
    };
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floats {
    ($($type:ty: $minus_zero:expr, $one:expr;)*) => {$(
        impl Number for $type {
            // Minus zero is the one float that changes no other: `0.0 + -0.0` is `0.0`.
            const ZERO: Self = $minus_zero;
            const ONE: Self = $one;
            const EXACT: bool = false;
            fn magnitude(self) -> f64 {
                f64::from(self).abs()
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

/// What may stand on the right of `acc += e`: a number, or a reference to one.
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

/// What numbers are added to in a part of the iterations. It may be out of range where the whole never is.
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

/// A partial sum that wraps around and counts how often, upwards less downwards.
#[derive(Debug, Clone, Copy)]
pub struct Counted<V> {
    pub(super) sum: V,
    pub(super) wraps: i64,
}

impl<V: Number> Partial<V> for Counted<V> {
    #[inline]
    fn add(&mut self, value: V) {
        let (sum, wraps) = self.sum.plus_counted(value);
        *self = Counted { sum, wraps: self.wraps + wraps };
    }
    #[inline]
    fn subtract(&mut self, value: V) {
        let (sum, wraps) = self.sum.minus_counted(value);
        *self = Counted { sum, wraps: self.wraps + wraps };
    }
}

impl<V: Number, E: Operand<V>> std::ops::AddAssign<E> for Counted<V> {
    #[inline]
    fn add_assign(&mut self, e: E) {
        self.add(e.value());
    }
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
pub fn multiply<V: Number>(number: &mut V, value: impl Operand<V>) {
    *number = number.times(value.value());
}

/// One, of whatever number type the place asks for.
pub fn one<V: Number>() -> V {
    V::ONE
}

/// `e`, of whatever number type the place asks for.
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

/// Zero, of whatever number type the place asks for.
pub fn zero<V: Number>() -> V {
    V::ZERO
}
