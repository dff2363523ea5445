//! Numbers as index expressions have them.

mod sealed {
    /// Only the types of this file implement it: memory safety depends on their methods.
    pub trait Sealed {}
}

/// An integer that an index expression reads from outside the loop.
pub trait Scalar: sealed::Sealed {
    /// The number itself.
    type Number: Number;

    /// The value if it is an integer that fits, the largest value of the type, and whether the type is signed.
    fn scalar(&self) -> (Option<i64>, i64, bool);

    /// The value.
    fn number(&self) -> Self::Number;
}

/// A number with the operations of index expressions, which wrap around.
///
/// Footprints know nothing of numbers that are no integers: their operations are never used for an index, and give one of the operands.
#[allow(missing_docs)] // Each is the operation of its name, listed in `computed`.
pub trait Number: Copy + Default + PartialOrd + sealed::Sealed {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn modulo(self, other: Self) -> Self;
    fn over_euclid(self, other: Self) -> Self;
    fn modulo_euclid(self, other: Self) -> Self;
    fn minus_or_zero(self, other: Self) -> Self;
    fn least(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn up(self, bits: u32) -> Self;
    fn down(self, bits: u32) -> Self;
}

macro_rules! scalar {
    ($type:ty, |$value:ident| $scalar:expr) => {
        impl sealed::Sealed for $type {}

        impl Scalar for $type {
            type Number = $type;

            fn scalar(&self) -> (Option<i64>, i64, bool) {
                let $value = *self;
                $scalar
            }

            #[inline(always)]
            fn number(&self) -> $type {
                *self
            }
        }
    };
}

macro_rules! operations {
    ($($name:ident |$one:ident, $other:ident| $value:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            let ($one, $other) = (self, other);
            $value
        }
    )*};
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        scalar!($type, |value| {
            (i64::try_from(value).ok(), i64::try_from(<$type>::MAX).unwrap_or(i64::MAX), <$type>::MIN != 0)
        });

        impl Number for $type {
            operations! {
                plus |a, b| a.wrapping_add(b);
                minus |a, b| a.wrapping_sub(b);
                times |a, b| a.wrapping_mul(b);
                // The user's own division runs first, and panics.
                over |a, b| if b == 0 { 0 } else { a.wrapping_div(b) };
                modulo |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
                over_euclid |a, b| if b == 0 { 0 } else { a.wrapping_div_euclid(b) };
                modulo_euclid |a, b| if b == 0 { 0 } else { a.wrapping_rem_euclid(b) };
                minus_or_zero |a, b| a.saturating_sub(b);
                least |a, b| Ord::min(a, b);
                greatest |a, b| Ord::max(a, b);
                and |a, b| a & b;
                or |a, b| a | b;
                xor |a, b| a ^ b;
            }

            #[inline(always)]
            fn up(self, bits: u32) -> Self {
                self.wrapping_shl(bits)
            }

            #[inline(always)]
            fn down(self, bits: u32) -> Self {
                self.wrapping_shr(bits)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! not_integers {
    ($($type:ty)*) => {$(
        scalar!($type, |_value| (None, i64::MAX, true));

        impl Number for $type {
            operations! {
                plus |a, _b| a;
                minus |a, _b| a;
                times |a, _b| a;
                over |a, _b| a;
                modulo |a, _b| a;
                over_euclid |a, _b| a;
                modulo_euclid |a, _b| a;
                minus_or_zero |a, _b| a;
                least |a, _b| a;
                greatest |a, _b| a;
                and |a, _b| a;
                or |a, _b| a;
                xor |a, _b| a;
            }

            #[inline(always)]
            fn up(self, _: u32) -> Self {
                self
            }

            #[inline(always)]
            fn down(self, _: u32) -> Self {
                self
            }
        }
    )*};
}

not_integers!(f32 f64 bool char);

macro_rules! references {
    ($($reference:ty)*) => {$(
        impl<S: Scalar + ?Sized> sealed::Sealed for $reference {}

        impl<S: Scalar + ?Sized> Scalar for $reference {
            type Number = S::Number;

            fn scalar(&self) -> (Option<i64>, i64, bool) {
                (**self).scalar()
            }

            #[inline(always)]
            fn number(&self) -> S::Number {
                (**self).number()
            }
        }
    )*};
}

references!(&S &mut S);
