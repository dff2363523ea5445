//! Reductions and scans under operators that select one of two values, and under functions of the user.

use super::accumulator::{Accumulator, LANES, plain_value};
use super::rounding;
use crate::codec::Codec;
use crate::device::Received;
use crate::runtime::Context;

/// An idempotent operator (`x op x` is `x`), such as `max`, `&` or `||`. Chunks start from the user's initial value, so no identity of the
/// type is needed.
#[derive(Debug)]
pub struct Idempotent<V, M, C> {
    init: V,
    merge: M,
    codec: C,
}

/// `acc = acc.max(e)`, `acc &= e`, `if e > acc { acc = e }` and similar updates.
pub fn idempotent<V, M, C>(init: V, codec: C, merge: M) -> Idempotent<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    Idempotent { init, merge, codec }
}

impl<V, M, C> Accumulator for Idempotent<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    plain_value!();
    type Chunk = V;
    const EXACT: bool = true;

    #[inline]
    fn chunk(&self) -> V {
        self.init.clone()
    }
    #[inline]
    fn merge(&self, earlier: V, later: V) -> V {
        (self.merge)(earlier, later)
    }
    #[inline]
    fn advance(&self, value: V, chunk: &V) -> V {
        (self.merge)(value, chunk.clone())
    }
    fn encode(&self, chunk: &V, to: &mut Vec<u8>) {
        self.codec.encode(chunk, to);
    }
    fn decode(&self, from: &mut &[u8]) -> V {
        self.codec.decode(from)
    }
}

/// A user's associative function: chunks start from nothing, so no identity is needed.
#[derive(Debug)]
pub struct Combine<V, M, C> {
    init: V,
    merge: M,
    codec: C,
    largest: fn(&V) -> f64,
}

/// `acc = combine(acc, e)`; `largest` tells how large the floats in a value are.
pub fn combine<V, M, C>(init: V, codec: C, merge: M, largest: fn(&V) -> f64) -> Combine<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    Combine { init, merge, codec, largest }
}

impl<V, M, C> Accumulator for Combine<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(V, V) -> V + Sync,
    C: Codec<V>,
{
    plain_value!();
    type Chunk = Option<V>;
    const EXACT: bool = false;
    const BY_FUNCTION: bool = true;

    #[inline]
    fn chunk(&self) -> Option<V> {
        None
    }
    #[inline]
    fn merge(&self, earlier: Option<V>, later: Option<V>) -> Option<V> {
        match (earlier, later) {
            (Some(earlier), Some(later)) => {
                // For partial results that are not recorded, this magnitude is assumed.
                rounding::partial(|| (self.largest)(&earlier).max((self.largest)(&later)).max(1.0));
                Some((self.merge)(earlier, later))
            }
            (one, None) | (None, one) => one,
        }
    }
    #[inline]
    fn advance(&self, value: V, chunk: &Option<V>) -> V {
        match chunk {
            Some(chunk) => (self.merge)(value, chunk.clone()),
            None => value,
        }
    }
    fn encode(&self, chunk: &Option<V>, to: &mut Vec<u8>) {
        encode_option(&self.codec, chunk.as_ref(), to);
    }
    fn decode(&self, from: &mut &[u8]) -> Option<V> {
        decode_option(&self.codec, from)
    }
    fn receive(&self, from: &mut Received<'_>) -> Option<V> {
        let value = self.codec.decode(&mut from.fields);
        flag(&mut from.fields).then_some(value)
    }
    fn send(&self, value: &V, fields: &mut Vec<u8>) {
        self.codec.encode(value, fields);
        fields.push(0);
    }
}

/// `acc = combine(acc, value)` in a chunk, which starts from nothing.
#[inline]
pub fn include<V>(accumulator: &mut Option<V>, value: V, merge: impl FnOnce(V, V) -> V) {
    *accumulator = Some(match accumulator.take() {
        Some(earlier) => merge(earlier, value),
        None => value,
    });
}

pub(super) fn encode_option<V>(codec: &impl Codec<V>, value: Option<&V>, to: &mut Vec<u8>) {
    to.push(u8::from(value.is_some()));
    if let Some(value) = value {
        codec.encode(value, to);
    }
}

pub(super) fn decode_option<V>(codec: &impl Codec<V>, from: &mut &[u8]) -> Option<V> {
    let (some, rest) = from.split_first()?;
    *from = rest;
    (*some == 1).then(|| codec.decode(from))
}

/// The flag behind the fields of a chunk that may be empty.
pub(super) fn flag(fields: &mut &[u8]) -> bool {
    fields.split_off_first().is_some_and(|&flag| flag == 1)
}

/// The best value and the values stored with it: `if e > best { best = e; place = i }`.
#[derive(Debug)]
pub struct Best<V, M, C> {
    init: V,
    better: M,
    codec: C,
}

/// Whether the value that a later chunk stored in an `Option` is better than that of an earlier chunk. `compared` gives the compared part.
///
/// # Panics
/// If the later value is unordered, such as NaN. Its chunk stored it because there was no value before, and cannot know the value in the
/// sequential loop. The loop then runs in order.
pub fn better_some<T, K: PartialOrd>(
    new: &Option<T>,
    old: &Option<T>,
    compared: impl Fn(&T) -> &K,
    better: impl Fn(&K, &K) -> bool,
) -> bool {
    let (Some(new), Some(old)) = (new, old) else { return new.is_some() };
    let (new, old) = (compared(new), compared(old));
    assert!(new.partial_cmp(new).is_some(), "what a chunk kept compares with nothing");
    better(new, old)
}

/// Whether an iteration of a chunk has set the best value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// No iteration has.
    No,
    /// An iteration has.
    Yes,
    /// To a key that compares with nothing, such as NaN: `if key <= best { continue; } best = key;` then sets the next one too, whatever it
    /// is. The values before have no influence.
    Unordered,
    /// The first one to such a key: `if first || key > best { best = key; first = false; }` keeps it. If there are values before, the loop does
    /// not set it. Or an iteration has set values that say that there are none.
    Kept,
}

impl Hit {
    /// After a chunk that ends with this key, and in which the first one is set in any case.
    #[inline]
    #[must_use]
    pub fn first<K: PartialOrd>(self, key: &K) -> Hit {
        if self == Hit::Yes && key.partial_cmp(key).is_none() { Hit::Kept } else { self }
    }

    /// After an iteration that has set values, and left the condition that there are none as this says. If it holds, the next iteration sets
    /// them again, whatever they are: the values before have an influence only if the chunk is the first one.
    #[inline]
    #[must_use]
    pub fn held(self, missing: bool) -> Hit {
        if self == Hit::Kept || missing { Hit::Kept } else { Hit::Yes }
    }

    /// After an iteration that has set values that say that there are none. This hardly happens.
    #[cold]
    #[inline(never)]
    #[must_use]
    pub fn kept() -> Hit {
        Hit::Kept
    }

    /// After a chunk that ends with this key and leaves the condition that there are no values as this says. If it holds, no iteration has set
    /// values, or one has set such that say so.
    #[inline]
    #[must_use]
    pub fn at_end<K: PartialOrd>(self, missing: bool, key: &K) -> Hit {
        match self {
            Hit::Kept => Hit::Kept,
            _ if missing => Hit::No,
            _ => Hit::Yes.first(key),
        }
    }

    /// After an iteration that has set this key.
    #[inline]
    #[must_use]
    pub fn by<K: PartialOrd>(self, key: &K) -> Hit {
        if self == Hit::Unordered || key.partial_cmp(key).is_none() { Hit::Unordered } else { Hit::Yes }
    }
}

/// Numbers with std's `max` and `min`, which return one of the two.
#[diagnostic::on_unimplemented(
    message = "FA032: `forall` does not know `max` and `min` of `{Self}`",
    label = "the greatest or the least value in an `Option`",
    note = "use numbers"
)]
pub trait MaxAndMin: Sized {
    /// The greater value.
    fn greater(self, other: Self) -> Self;
    /// The lesser value.
    fn lesser(self, other: Self) -> Self;
}

macro_rules! max_and_min {
    ($($number:ty)*) => {$(
        impl MaxAndMin for $number {
            #[inline]
            fn greater(self, other: $number) -> $number {
                self.max(other)
            }
            #[inline]
            fn lesser(self, other: $number) -> $number {
                self.min(other)
            }
        }
    )*};
}

max_and_min!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

/// The value of two options, or the greater one of two values.
#[inline]
pub fn max_in_option<T: MaxAndMin>(earlier: Option<T>, later: Option<T>) -> Option<T> {
    both(earlier, later, T::greater)
}

/// The value of two options, or the lesser one of two values.
#[inline]
pub fn min_in_option<T: MaxAndMin>(earlier: Option<T>, later: Option<T>) -> Option<T> {
    both(earlier, later, T::lesser)
}

fn both<T>(earlier: Option<T>, later: Option<T>, merge: impl FnOnce(T, T) -> T) -> Option<T> {
    match (earlier, later) {
        (Some(earlier), Some(later)) => Some(merge(earlier, later)),
        (earlier, later) => earlier.or(later),
    }
}

/// Numbers that std's `total_cmp` compares.
#[diagnostic::on_unimplemented(
    message = "FA032: `forall` does not know `total_cmp` of `{Self}`",
    label = "this is compared by `total_cmp`",
    note = "compare values of `f32` or `f64`"
)]
pub trait TotalOrder {
    /// The order of two values.
    fn total_order(&self, other: &Self) -> std::cmp::Ordering;
}

impl TotalOrder for f32 {
    fn total_order(&self, other: &Self) -> std::cmp::Ordering {
        self.total_cmp(other)
    }
}

impl TotalOrder for f64 {
    fn total_order(&self, other: &Self) -> std::cmp::Ordering {
        self.total_cmp(other)
    }
}

/// Whether the value in one option is better than that in another, by a total order.
pub fn better_some_by<T, K>(
    new: &Option<T>,
    old: &Option<T>,
    compared: impl Fn(&T) -> &K,
    better: impl Fn(&K, &K) -> bool,
) -> bool {
    let (Some(new), Some(old)) = (new, old) else { return new.is_some() };
    better(compared(new), compared(old))
}

/// `better(new, old)` is the user's condition.
pub fn best<V, M, C>(init: V, codec: C, better: M) -> Best<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(&V, &V) -> bool + Sync,
    C: Codec<V>,
{
    Best { init, better, codec }
}

impl<V, M, C> Accumulator for Best<V, M, C>
where
    V: Clone + Send + Sync,
    M: Fn(&V, &V) -> bool + Sync,
    C: Codec<V>,
{
    plain_value!();
    /// The values, and whether an iteration of the chunk set them.
    type Chunk = (V, Hit);
    const EXACT: bool = true;

    #[inline]
    fn chunk(&self) -> (V, Hit) {
        (self.init.clone(), Hit::No)
    }
    /// # Panics
    /// If the value of the later chunk depends on a value that is worse than the one before the loop. The loop then runs in order.
    #[inline]
    fn merge(&self, earlier: (V, Hit), later: (V, Hit)) -> (V, Hit) {
        match (earlier.1, later.1) {
            (_, Hit::Unordered) | (Hit::No, _) => later,
            (Hit::Unordered, _) | (_, Hit::Kept) => panic!("what a chunk kept compares with nothing"),
            (_, Hit::Yes) if (self.better)(&later.0, &earlier.0) => later,
            _ => earlier,
        }
    }
    #[inline]
    fn advance(&self, value: V, chunk: &(V, Hit)) -> V {
        match chunk.1 {
            Hit::Unordered => chunk.0.clone(),
            Hit::Yes | Hit::Kept if (self.better)(&chunk.0, &value) => chunk.0.clone(),
            _ => value,
        }
    }
    fn encode(&self, chunk: &(V, Hit), to: &mut Vec<u8>) {
        to.push(chunk.1 as u8);
        if chunk.1 != Hit::No {
            self.codec.encode(&chunk.0, to);
        }
    }
    fn decode(&self, from: &mut &[u8]) -> (V, Hit) {
        match from.split_off_first() {
            Some(1) => (self.codec.decode(from), Hit::Yes),
            Some(2) => (self.codec.decode(from), Hit::Unordered),
            Some(3) => (self.codec.decode(from), Hit::Kept),
            _ => self.chunk(),
        }
    }
    fn receive(&self, from: &mut Received<'_>) -> (V, Hit) {
        let value = self.codec.decode(&mut from.fields);
        (value, if flag(&mut from.fields) { Hit::Yes } else { Hit::No })
    }
    fn send(&self, value: &V, fields: &mut Vec<u8>) {
        self.codec.encode(value, fields);
        fields.push(0);
    }
}
