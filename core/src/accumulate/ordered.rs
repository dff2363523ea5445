//! Numbers for recurrences of sums and of maxima or minima.

use super::number::Number;
use std::fmt::Debug;

/// A number that recurrences of `+`, `max` and `min` compute with.
///
/// A chunk computes with wider integers, in which a value may be absent. `Reach` bounds the distance that sums of the chunk can cover. If
/// the sequential loop might overflow on the way, or if a float is infinite or not a number, the iterations run in order instead.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know recurrences of `+`, `max` and `min` of `{Self}`",
    note = "such a recurrence has an integer, an `f32` or an `f64` as its variable"
)]
pub trait Ordered: Number {
    /// The numbers of a chunk.
    type Wide: Copy + PartialOrd + Send + Sync + Debug;
    /// The bits of all summands of a chunk.
    type Bits: Copy + Send + Sync + Debug;
    /// Whether the type has negative numbers.
    const HAS_NEGATIVE: bool;
    /// No value, for a maximum.
    const LEAST: Self::Wide;
    /// No value, for a minimum.
    const MOST: Self::Wide;
    /// Sums with [`Ordered::LEAST`] are below this number, all others are above it.
    const LOW: Self::Wide;
    /// Sums with [`Ordered::MOST`] are above this number, all others are below it.
    const HIGH: Self::Wide;
    /// The bounds of the type.
    const LOWEST: Self::Wide;
    /// See [`Ordered::LOWEST`].
    const HIGHEST: Self::Wide;
    /// Nothing to add.
    const NOTHING: Self::Wide;
    /// No summands.
    const NO_BITS: Self::Bits;

    /// The number in a chunk.
    fn wide(self) -> Self::Wide;
    /// The number of a chunk as one of this type. It must be in range.
    fn narrow(wide: Self::Wide) -> Self;
    /// `one + other`.
    fn sum(one: Self::Wide, other: Self::Wide) -> Self::Wide;
    /// `-one`.
    fn opposite(one: Self::Wide) -> Self::Wide;
    /// Includes the bits of a number.
    fn noted(bits: Self::Bits, number: Self) -> Self::Bits;
    /// The bits of two chunks.
    fn both(one: Self::Bits, other: Self::Bits) -> Self::Bits;
    /// Whether so many summands with these bits stay in the range of the numbers of a chunk.
    fn stays(bits: Self::Bits, summands: u64) -> bool;
    /// Whether a variable of this value stays in the range of its type, too.
    fn stays_from(self, bits: Self::Bits, summands: u64) -> bool;
    /// Serializes bits.
    fn encode_bits(bits: Self::Bits) -> [u8; 16];
    /// Deserializes bits.
    fn decode_bits(bytes: [u8; 16]) -> Self::Bits;
    /// Serializes a number of a chunk.
    fn encode_wide(wide: Self::Wide) -> [u8; 16];
    /// Deserializes a number of a chunk.
    fn decode_wide(bytes: [u8; 16]) -> Self::Wide;
}

macro_rules! integers {
    ($($wide:ty, $bits:ty: $($type:ty)*;)*) => {$($(
        #[allow(clippy::cast_lossless, clippy::cast_possible_wrap, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        #[allow(unused_comparisons, trivial_numeric_casts)]
        impl Ordered for $type {
            type Wide = $wide;
            type Bits = $bits;
            const HAS_NEGATIVE: bool = <$type>::MIN < 0;
            const LEAST: $wide = <$wide>::MIN / 4;
            const MOST: $wide = -(<$wide>::MIN / 4);
            const LOW: $wide = <$wide>::MIN / 8;
            const HIGH: $wide = -(<$wide>::MIN / 8);
            const LOWEST: $wide = <$type>::MIN as $wide;
            const HIGHEST: $wide = if <$type>::MIN == 0 && size_of::<$type>() == size_of::<$wide>() { <$wide>::MAX } else { <$type>::MAX as $wide };
            const NOTHING: $wide = 0;
            const NO_BITS: $bits = 0;

            #[inline(always)]
            fn wide(self) -> $wide {
                // Greater numbers count as the greatest. A summand of this size has its bits noted.
                if <$type>::MIN == 0 && size_of::<$type>() == size_of::<$wide>() && self > <$type>::MAX / 2 {
                    return <$wide>::MAX;
                }
                self as $wide
            }
            #[inline]
            fn narrow(wide: $wide) -> Self {
                wide as Self
            }
            #[inline(always)]
            fn sum(one: $wide, other: $wide) -> $wide {
                one.wrapping_add(other)
            }
            #[inline(always)]
            fn opposite(one: $wide) -> $wide {
                one.wrapping_neg()
            }
            #[inline(always)]
            fn noted(bits: $bits, number: Self) -> $bits {
                bits | if <$type>::MIN < 0 { let wide = number as $wide; (wide ^ (wide >> (<$wide>::BITS - 1))) as $bits } else { number as $bits }
            }
            #[inline]
            fn both(one: $bits, other: $bits) -> $bits {
                one | other
            }
            #[inline]
            fn stays(bits: $bits, summands: u64) -> bool {
                distance(bits as u128, summands).is_some_and(|distance| distance < 1 << (<$wide>::BITS - 5))
            }
            #[inline]
            fn stays_from(self, bits: $bits, summands: u64) -> bool {
                let distance = distance(bits as u128, summands).and_then(|distance| <$type>::try_from(distance).ok());
                let stays = |distance| {
                    self.checked_add(distance).is_some() && (<$type>::MIN == 0 || self.checked_sub(distance).is_some())
                };
                distance.is_some_and(stays)
            }
            fn encode_bits(bits: $bits) -> [u8; 16] {
                (bits as u128).to_le_bytes()
            }
            fn decode_bits(bytes: [u8; 16]) -> $bits {
                u128::from_le_bytes(bytes) as $bits
            }
            fn encode_wide(wide: $wide) -> [u8; 16] {
                (wide as i128).to_le_bytes()
            }
            fn decode_wide(bytes: [u8; 16]) -> $wide {
                i128::from_le_bytes(bytes) as $wide
            }
        }
    )*)*};
}
integers! {
    i64, u64: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    i128, u128: i128 u128;
}

/// The distance that so many summands with these bits can cover.
fn distance(bits: u128, summands: u64) -> Option<u128> {
    let most = if bits == 0 { 0 } else { u128::MAX >> bits.leading_zeros() };
    most.checked_mul(u128::from(summands))
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Ordered for $type {
            type Wide = $type;
            /// Zero, or not a number if a summand is not finite.
            type Bits = $type;
            const HAS_NEGATIVE: bool = true;
            const LEAST: $type = <$type>::NEG_INFINITY;
            const MOST: $type = <$type>::INFINITY;
            const LOW: $type = <$type>::MIN;
            const HIGH: $type = <$type>::MAX;
            const LOWEST: $type = <$type>::NEG_INFINITY;
            const HIGHEST: $type = <$type>::INFINITY;
            const NOTHING: $type = 0.0;
            const NO_BITS: $type = 0.0;

            #[inline(always)]
            fn wide(self) -> $type {
                self
            }
            #[inline]
            fn narrow(wide: $type) -> Self {
                wide
            }
            #[inline(always)]
            fn sum(one: $type, other: $type) -> $type {
                one + other
            }
            #[inline(always)]
            fn opposite(one: $type) -> $type {
                -one
            }
            #[inline(always)]
            fn noted(bits: $type, number: Self) -> $type {
                bits + (number - number)
            }
            fn both(one: $type, other: $type) -> $type {
                one + other
            }
            fn stays(bits: $type, _: u64) -> bool {
                !bits.is_nan()
            }
            fn stays_from(self, _: $type, _: u64) -> bool {
                !self.is_nan()
            }
            fn encode_bits(bits: $type) -> [u8; 16] {
                Self::encode_wide(bits)
            }
            fn decode_bits(bytes: [u8; 16]) -> $type {
                Self::decode_wide(bytes)
            }
            fn encode_wide(wide: $type) -> [u8; 16] {
                let mut bytes = [0; 16];
                bytes[..size_of::<$type>()].copy_from_slice(&wide.to_le_bytes());
                bytes
            }
            fn decode_wide(bytes: [u8; 16]) -> $type {
                let mut own = [0; size_of::<$type>()];
                own.copy_from_slice(&bytes[..size_of::<$type>()]);
                <$type>::from_le_bytes(own)
            }
        }
    )*};
}
floats!(f32 f64);

/// The distance that the sums of a chunk can cover.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach<V: Ordered> {
    bits: V::Bits,
    summands: u64,
    /// The least value before a maximum has been taken, for types without negative numbers.
    lowest: V::Wide,
}

impl<V: Ordered> Reach<V> {
    pub fn nothing() -> Self {
        Reach { bits: V::NO_BITS, summands: 0, lowest: V::MOST }
    }

    /// Includes a summand.
    #[inline(always)]
    pub fn add(&mut self, number: V) {
        self.bits = V::noted(self.bits, number);
        self.summands += 1;
    }

    /// Includes a value that a variable is compared with.
    #[inline(always)]
    pub fn compare(&mut self, number: V) {
        self.bits = V::noted(self.bits, number);
    }

    /// Includes the least value after a subtraction, of a type without negative numbers.
    #[inline(always)]
    pub fn lower(&mut self, value: V::Wide) {
        if V::HAS_NEGATIVE {
            return;
        }
        if value < self.lowest {
            self.lowest = value;
        }
    }

    pub fn and(self, later: Self) -> Self {
        let lowest = if later.lowest < self.lowest { later.lowest } else { self.lowest };
        Reach { bits: V::both(self.bits, later.bits), summands: self.summands + later.summands, lowest }
    }

    /// Whether the chunk is right.
    pub fn is_right(&self) -> bool {
        V::stays(self.bits, self.summands + 1)
    }

    /// Whether no sum that starts from this value overflows.
    pub fn is_right_from(&self, value: V) -> bool {
        value.stays_from(self.bits, self.summands + 1) && (V::HAS_NEGATIVE || V::ZERO.wide() <= self.lowest)
    }

    /// Whether all sums that start from this value stay in the range of the numbers of a chunk.
    pub fn is_right_for(&self, value: V) -> bool {
        V::stays(V::noted(V::NO_BITS, value), 1) && self.is_right()
    }

    pub fn encode(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&V::encode_bits(self.bits));
        to.extend_from_slice(&self.summands.to_le_bytes());
        to.extend_from_slice(&V::encode_wide(self.lowest));
    }

    pub fn decode(from: &mut &[u8]) -> Self {
        let bits = V::decode_bits(take(from));
        Reach { bits, summands: u64::from_le_bytes(take(from)), lowest: V::decode_wide(take(from)) }
    }
}

/// The next bytes; zeros where there are none.
pub(super) fn take<const N: usize>(from: &mut &[u8]) -> [u8; N] {
    match from.split_first_chunk() {
        Some((bytes, rest)) => {
            *from = rest;
            *bytes
        }
        None => [0; N],
    }
}
