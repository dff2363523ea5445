//! Inputs of programs, told by the name and the type of a parameter.

use forall::{DistVec, Element};

/// A number that looks random and depends on nothing but the seed and the place.
fn mix(seed: u64, place: usize) -> u64 {
    let mut z = (seed << 32).wrapping_add(place as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The value of `w`, the elements in a row of a `wide` array.
const WIDTH: usize = 3;

/// How many elements a parameter has, by its name.
fn length(name: &str, n: usize) -> usize {
    match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "wide" => n * WIDTH,
        "short" => n / 2,
        "long" => n + 4,
        "bins" => 64,
        "table" | "frame" => 16,
        _ => n,
    }
}

/// Types whose values can be made: from random bits, from the place for data that rise, in an array of `n` elements.
pub trait Made: Element {
    /// A value. With even seeds it depends on the bits, with odd ones it mostly rises with the place.
    fn made(bits: u64, place: usize, n: usize, rises: bool) -> Self;
}

macro_rules! made_numbers {
    ($($type:ty: $from:literal),*) => {$(
        impl Made for $type {
            fn made(bits: u64, place: usize, _: usize, rises: bool) -> Self {
                let value = if rises { (place / 3 % 90) as i32 + (bits % 4) as i32 } else { (bits % 41) as i32 };
                (value + $from) as $type
            }
        }
    )*};
}
made_numbers!(i32: -12, i64: -12, u32: 0, u64: 0);

macro_rules! made_floats {
    ($($type:ty),*) => {$(
        impl Made for $type {
            fn made(bits: u64, place: usize, n: usize, rises: bool) -> Self {
                (i64::made(bits, place, n, rises) as $type) / 8.0 + (bits >> 40) as $type / 1e9
            }
        }
    )*};
}
made_floats!(f32, f64);

impl Made for u8 {
    fn made(bits: u64, _: usize, _: usize, _: bool) -> Self {
        bits as u8
    }
}

impl Made for usize {
    fn made(bits: u64, place: usize, n: usize, rises: bool) -> Self {
        let any = (bits % n.max(1) as u64) as usize;
        if rises { (place + any % 3).min(n.saturating_sub(1)) } else { any }
    }
}

impl Made for bool {
    fn made(bits: u64, _: usize, _: usize, _: bool) -> Self {
        bits.is_multiple_of(3)
    }
}

/// The whole vector for a parameter.
pub fn made<T: Made>(name: &str, n: usize, seed: u64) -> Vec<T> {
    let salt = name.bytes().fold(seed, |salt, byte| salt.wrapping_mul(31).wrapping_add(u64::from(byte)));
    (0..length(name, n)).map(|place| T::made(mix(salt, place), place, n, seed % 2 == 1)).collect()
}

/// This rank's part of a vector cut at places that fit nothing else, with empty parts among them.
pub fn share<T: Element>(whole: &[T], salt: u64) -> DistVec<T> {
    let (rank, ranks) = (forall::rank(), forall::ranks());
    if salt.is_multiple_of(3) {
        return DistVec::from_global(whole);
    }
    let mut cuts: Vec<usize> = (1..ranks).map(|cut| (mix(salt, cut) % (whole.len() as u64 + 1)) as usize).collect();
    cuts.sort_unstable();
    cuts.insert(0, 0);
    cuts.push(whole.len());
    DistVec::from_local(whole[cuts[rank]..cuts[rank + 1]].to_vec())
}

/// Types of parameters that are one number.
pub trait Scalar {
    /// The value for a parameter.
    fn scalar(name: &str, n: usize) -> Self;
}

macro_rules! scalars {
    ($($type:ty),*) => {$(
        impl Scalar for $type {
            fn scalar(name: &str, n: usize) -> Self {
                (match name {
                    "w" => WIDTH,
                    "n" => n,
                    "k" => 2,
                    _ => 5,
                }) as $type
            }
        }
    )*};
}
scalars!(i32, i64, u8, u32, u64, usize, f32, f64);

/// The value for a parameter.
pub fn scalar<T: Scalar>(name: &str, n: usize) -> T {
    T::scalar(name, n)
}
