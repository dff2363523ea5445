//! Numbers that functions of the device's library take and give.

use forall_core::device::Type;
use half::f16;
use std::fmt::Debug;

pub trait Number: Copy + Debug + 'static {
    const TYPE: Type;
    const NAME: &'static str;

    /// Whether a shader has room for it.
    fn has_room(self) -> bool {
        true
    }

    /// How many steps of the type this is off. All NaN are alike.
    fn off(self, other: Self) -> u64;
}

macro_rules! exact {
    ($($type:ident $variant:ident $room:expr;)*) => {
        $(impl Number for $type {
            const TYPE: Type = Type::$variant;
            const NAME: &'static str = stringify!($type);

            fn has_room(self) -> bool {
                $room(self)
            }

            fn off(self, other: Self) -> u64 {
                if self == other { 0 } else { u64::MAX }
            }
        })*
    };
}

exact! {
    bool Bool |_| true;
    i8 I8 |_| true;
    u8 U8 |_| true;
    i16 I16 |_| true;
    u16 U16 |_| true;
    i32 I32 |_| true;
    u32 U32 |_| true;
    i64 I64 |_| true;
    u64 U64 |_| true;
    isize Isize |a| i32::try_from(a).is_ok();
    usize Usize |a| a < u32::MAX as usize || a == usize::MAX;
}

macro_rules! floats {
    ($($type:ident $variant:ident $bits:ident;)*) => {
        $(impl Number for $type {
            const TYPE: Type = Type::$variant;
            const NAME: &'static str = stringify!($type);

            fn off(self, other: Self) -> u64 {
                let size = |a: $type| u64::from(a.to_bits() & ($bits::MAX >> 1));
                match (self.is_nan() || other.is_nan(), self.is_sign_negative() == other.is_sign_negative()) {
                    (true, _) if self.is_nan() && other.is_nan() => 0,
                    (true, _) => u64::MAX,
                    (false, true) => size(self).abs_diff(size(other)),
                    (false, false) => size(self) + size(other) + 1,
                }
            }
        })*
    };
}

floats! {
    f16 F16 u16;
    f32 F32 u32;
    f64 F64 u64;
}

/// The numbers at which functions go wrong.
pub trait Edges: Number {
    fn edges() -> Vec<Self>;
}

macro_rules! integer_edges {
    ($($type:ident)*) => {
        $(impl Edges for $type {
            fn edges() -> Vec<Self> {
                let small = [0_i64, 1, 2, 3, 7, 10, 31, 32, 100, -1, -2, -7, -100];
                let mut all: Vec<$type> = small.iter().filter_map(|a| $type::try_from(*a).ok()).collect();
                let bits = $type::BITS;
                let half = (1 as $type) << (bits / 2);
                all.extend([$type::MIN, $type::MIN + 1, $type::MAX, $type::MAX - 1, $type::MAX / 2, $type::MAX / 2 + 1]);
                all.extend([half, half - 1, half + 1, $type::MAX / 3, (1 as $type) << (bits - 2)]);
                for more in [65_535_i64, 65_536, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, -0x8000_0000, -0x7fff_ffff] {
                    all.extend($type::try_from(more));
                }
                all.retain(|a| a.has_room());
                all.sort_unstable();
                all.dedup();
                all
            }
        })*
    };
}

integer_edges! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

macro_rules! float_edges {
    ($($type:ident)*) => {
        $(impl Edges for $type {
            fn edges() -> Vec<Self> {
                let mut all = vec![
                    0.0, 0.1, 0.25, 0.3, 0.49999997, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 7.25, 10.0, 100.7, 126.9,
                    127.0, 127.5, 128.0, 128.5, 255.0, 255.5, 256.0, 32767.5, 32768.5, 65535.5, 8388607.5, 8388608.0, 1e6, 16777217.0,
                    2147483500.0, 2147483647.0, 2147483648.0, 2147483904.0, 4294967040.0, 4294967295.0, 4294967296.0,
                    4503599627370495.5, 9.2e18, 9223372036854775808.0, 1.8e19, 18446744073709551616.0, 1e20, 1e30, 1e-3, 1e-10,
                    $type::MAX, $type::EPSILON, $type::MIN_POSITIVE, $type::MIN_POSITIVE / 4.0, $type::INFINITY, $type::NAN,
                ];
                let negative: Vec<$type> = all.iter().map(|a| -a).collect();
                all.extend(negative);
                all
            }
        })*
    };
}

float_edges! { f32 f64 }

impl Edges for f16 {
    fn edges() -> Vec<Self> {
        let mut all: Vec<f16> = f32::edges().into_iter().map(f16::from_f32).collect();
        // Around the least normal one, and the least and the greatest of all.
        all.extend([1, 2, 0x3fe, 0x3ff, 0x401, 0x7bfe, 0x8001, 0x83ff].map(f16::from_bits));
        all.sort_unstable_by(f16::total_cmp);
        all.dedup_by_key(|a| a.to_bits());
        all
    }
}

impl Edges for bool {
    fn edges() -> Vec<Self> {
        vec![false, true]
    }
}
