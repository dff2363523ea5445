//! Finite-state machines, and words whose bits are computed from themselves.
//!
//! A chunk runs the body from each state in which it may begin, and keeps the states in which it ends (Ladner and Fischer 1980).

use super::accumulator::{Accumulator, no_shed};
use super::ordered::take;
use crate::codec::Codec;
use crate::runtime::Context;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

/// The most states that a table may give.
const STATES: usize = 64;

/// Variables that take a finite number of values, all in `starts`: an array, or a vector if a table gives them.
#[derive(Debug)]
pub struct Machine<S, A, C, E> {
    init: S,
    starts: A,
    codec: C,
    same: E,
}

/// The values after a chunk, for each value before it.
#[derive(Debug, Clone)]
pub struct Ends<A>(A);

impl<A> Ends<A> {
    /// The number of values before the chunk.
    #[inline(always)]
    #[must_use]
    pub fn starts<S>(&self) -> usize
    where
        A: AsRef<[S]>,
    {
        self.0.as_ref().len()
    }

    /// The values so far, for one of the values before the chunk.
    #[inline(always)]
    #[must_use]
    pub fn now<S: Clone>(&self, start: usize) -> S
    where
        A: AsRef<[S]>,
    {
        self.0.as_ref()[start].clone()
    }

    /// Replaces them.
    #[inline(always)]
    pub fn put<S>(&mut self, start: usize, now: S)
    where
        A: AsMut<[S]>,
    {
        self.0.as_mut()[start] = now;
    }
}

/// A machine with these values. `same` compares them.
pub fn machine<S, C, E, const N: usize>(init: S, codec: C, starts: [S; N], same: E) -> Machine<S, [S; N], C, E>
where
    S: Clone + Send + Sync,
    E: Fn(&S, &S) -> bool + Sync,
{
    Machine { init, starts, codec, same }
}

/// A machine whose values are these and the elements of tables. If there are more than 64, the iterations run in order.
pub fn machine_of_tables<S, C, E, const N: usize, const T: usize>(
    init: S,
    codec: C,
    constants: [S; N],
    same: E,
    tables: [&mut dyn Iterator<Item = S>; T],
) -> Machine<S, Vec<S>, C, E>
where
    S: Clone + Send + Sync,
    E: Fn(&S, &S) -> bool + Sync,
{
    let mut starts = vec![init.clone()];
    for state in constants.into_iter().chain(tables.into_iter().flatten()) {
        if !starts.iter().any(|start| same(start, &state)) {
            starts.push(state);
        }
        if starts.len() > STATES {
            starts.clear();
            break;
        }
    }
    Machine { init, starts, codec, same }
}

impl<S: Clone, A: AsRef<[S]>, C: Codec<S>, E: Fn(&S, &S) -> bool> Machine<S, A, C, E> {
    fn number(&self, of: &S) -> Option<usize> {
        self.starts.as_ref().iter().position(|start| (self.same)(start, of))
    }

    /// The number of a value, or a value that no chunk begins with.
    fn encode_number(&self, of: &S, to: &mut Vec<u8>) {
        match self.number(of).and_then(|number| u8::try_from(number).ok()) {
            Some(number) => to.push(number),
            None => {
                to.push(u8::MAX);
                self.codec.encode(of, to);
            }
        }
    }

    fn decode_number(&self, from: &mut &[u8]) -> S {
        match from.split_off_first().map(|number| usize::from(*number)) {
            Some(number) if number < usize::from(u8::MAX) => {
                self.starts.as_ref().get(number).unwrap_or(&self.init).clone()
            }
            _ => self.codec.decode(from),
        }
    }
}

/// For accumulators whose value is the user's variables.
macro_rules! whole_values {
    () => {
        no_shed!();
        type Carry = ();
        type Value = S;
        type Out = S;
        const EXACT: bool = true;

        fn carry(&self, _: bool) {}
        fn value(&self) -> S {
            self.init.clone()
        }
        fn finish(self, value: S, _: Vec<()>, _: &Context) -> S {
            value
        }
    };
}

impl<S, A, C, E> Accumulator for Machine<S, A, C, E>
where
    S: Clone + Send + Sync,
    C: Codec<S>,
    A: AsRef<[S]> + AsMut<[S]> + Clone + Send + Sync,
    E: Fn(&S, &S) -> bool + Sync,
{
    whole_values!();
    type Chunk = Ends<A>;
    type Lanes = Ends<A>;
    const LIMITED: bool = true;

    fn chunk(&self) -> Self::Chunk {
        Ends(self.starts.clone())
    }
    fn lanes(&self) -> Self::Lanes {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes
    }
    fn merge(&self, mut earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        earlier.0.as_mut().iter_mut().for_each(|value| *value = self.advance(value.clone(), &later));
        earlier
    }
    fn advance(&self, value: S, chunk: &Self::Chunk) -> S {
        self.number(&value).and_then(|number| chunk.0.as_ref().get(number)).cloned().unwrap_or(value)
    }
    fn fits(&self, before: &S, _: &Self::Chunk, after: &S) -> bool {
        self.number(before).is_some() && self.number(after).is_some()
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        chunk.0.as_ref().iter().for_each(|value| self.encode_number(value, to));
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let mut chunk = self.chunk();
        chunk.0.as_mut().iter_mut().for_each(|value| *value = self.decode_number(from));
        chunk
    }
    fn encode_value(&self, value: &S, to: &mut Vec<u8>) {
        self.encode_number(value, to);
    }
    fn decode_value(&self, from: &mut &[u8]) -> S {
        self.decode_number(from)
    }
}

/// A word of bits.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that `&`, `|` and `!` of `{Self}` change each bit by itself",
    note = "a recurrence of bits, `b = (b & m) | s`, has an integer or a `bool` as its variable"
)]
pub trait Word: Copy + Send + Sync + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// No bit is set.
    const NONE: Self;
    /// The bits of a number.
    fn number(self) -> u128;
    /// The word with these bits.
    fn of(number: u128) -> Self;
}

macro_rules! words {
    ($($type:ty)*) => {$(
        #[allow(clippy::cast_lossless, clippy::cast_sign_loss, clippy::cast_possible_truncation)]
        impl Word for $type {
            const NONE: Self = 0;
            fn number(self) -> u128 {
                self as u128
            }
            fn of(number: u128) -> Self {
                number as $type
            }
        }
    )*};
}
impl Word for bool {
    const NONE: Self = false;
    fn number(self) -> u128 {
        u128::from(self)
    }
    fn of(number: u128) -> Self {
        number == 1
    }
}
words!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// A word whose bits are each computed from themselves and from values of the iteration: `b = (b & mask) | set`.
#[derive(Debug)]
pub struct Bits<V> {
    init: V,
}

/// A recurrence of bits.
pub fn bits<V: Word>((init,): (V,)) -> Bits<V> {
    Bits { init }
}

impl<V: Word> Accumulator for Bits<V> {
    no_shed!();
    type Carry = ();
    type Value = (V,);
    type Out = (V,);
    type Chunk = Ends<[(V,); 2]>;
    type Lanes = Self::Chunk;
    const EXACT: bool = true;

    fn carry(&self, _: bool) {}
    fn value(&self) -> (V,) {
        (self.init,)
    }
    fn finish(self, value: (V,), _: Vec<()>, _: &Context) -> (V,) {
        value
    }
    fn chunk(&self) -> Self::Chunk {
        Ends([(V::NONE,), (!V::NONE,)])
    }
    fn lanes(&self) -> Self::Lanes {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes
    }
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        Ends(earlier.0.map(|value| self.advance(value, &later)))
    }
    fn advance(&self, (value,): (V,), Ends([(from_none,), (from_all,)]): &Self::Chunk) -> (V,) {
        ((!value & *from_none) | (value & *from_all),)
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        chunk.0.iter().for_each(|value| self.encode_value(value, to));
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        Ends(std::array::from_fn(|_| self.decode_value(from)))
    }
    fn encode_value(&self, (value,): &(V,), to: &mut Vec<u8>) {
        to.extend_from_slice(&value.number().to_le_bytes());
    }
    fn decode_value(&self, from: &mut &[u8]) -> (V,) {
        (V::of(u128::from_le_bytes(take(from))),)
    }
}

/// Finds how values are compared: by their variant, and by `==` if the type has it. The user's `==` alone may call two variants equal.
#[derive(Debug)]
pub struct Compared<S>(PhantomData<fn(&S)>);

impl<S> Compared<S> {
    /// For the type of this value.
    pub fn of(_: &S) -> Self {
        Compared(PhantomData)
    }
}

/// Method resolution finds this trait for types with `==`.
pub trait ByValue<S> {
    /// Whether two values are the same.
    fn __same(&self, one: &S, other: &S) -> bool;
}

impl<S: PartialEq> ByValue<S> for Compared<S> {
    #[inline(always)]
    fn __same(&self, one: &S, other: &S) -> bool {
        std::mem::discriminant(one) == std::mem::discriminant(other) && one == other
    }
}

/// Method resolution finds this trait for all other types.
pub trait ByVariant<S> {
    /// Whether two values are the same variant.
    fn __same(&self, one: &S, other: &S) -> bool;
}

impl<S> ByVariant<S> for &Compared<S> {
    #[inline(always)]
    fn __same(&self, one: &S, other: &S) -> bool {
        std::mem::discriminant(one) == std::mem::discriminant(other)
    }
}
