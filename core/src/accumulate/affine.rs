//! Systems of linear recurrences.
//!
//! Several variables are computed from each other by products with values of the iteration and by sums, as the outputs of a
//! second-order filter or the coordinates of an oscillator. A chunk is the composition of its iterations' affine maps.

use super::accumulator::{Accumulator, no_shed};
use super::number::{Number, Operand};
use crate::codec::Codec;
use crate::runtime::Context;
use std::sync::OnceLock;

/// The number of blocks of a chunk that a worker interleaves, for instruction-level parallelism.
pub const BLOCKS: usize = 4;

/// A system of `K` variables. The body computes them in `R` rows: the variables, and values from which they are computed.
#[derive(Debug)]
pub struct Affine<V, C, const K: usize, const R: usize> {
    init: [V; K],
    codec: C,
}

/// A value as an affine function of the variables before the chunk: `factors * variables + term`.
#[derive(Debug, Clone, Copy)]
pub struct AffineRow<V, const K: usize> {
    factors: [V; K],
    term: V,
}

/// The affine map of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct AffineMap<V, const K: usize, const R: usize> {
    rows: [AffineRow<V, K>; R],
}

impl<V: Number, const K: usize> AffineRow<V, K> {
    fn constant(term: V) -> Self {
        AffineRow { factors: [V::ZERO; K], term }
    }

    #[inline(always)]
    fn with(self, other: Self, by: impl Fn(V, V) -> V) -> Self {
        AffineRow {
            factors: std::array::from_fn(|k| by(self.factors[k], other.factors[k])),
            term: by(self.term, other.term),
        }
    }

    /// The sum of two values.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, V::plus)
    }

    /// The difference of two values.
    #[inline(always)]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.with(other, V::minus)
    }

    /// The product with a value of the iteration.
    #[inline(always)]
    #[must_use]
    pub fn times(self, factor: impl Operand<V>) -> Self {
        let factor = factor.value();
        AffineRow { factors: self.factors.map(|own| factor.times(own)), term: factor.times(self.term) }
    }

    /// The negative value.
    #[inline(always)]
    #[must_use]
    pub fn negative(self) -> Self {
        AffineRow { factors: self.factors.map(|own| V::ZERO.minus(own)), term: V::ZERO.minus(self.term) }
    }

    /// The value for these variables.
    fn at(&self, variables: &[V; K]) -> V {
        self.factors.iter().zip(variables).fold(self.term, |sum, (factor, value)| sum.plus(factor.times(*value)))
    }

    /// The value as a function of the variables before an earlier map.
    fn after<const R: usize>(&self, earlier: &AffineMap<V, K, R>) -> Self {
        let term = Self::constant(self.term);
        self.factors.iter().zip(&earlier.rows).fold(term, |sum, (factor, row)| sum.plus(row.times(*factor)))
    }
}

impl<V: Number, const K: usize, const R: usize> AffineMap<V, K, R> {
    /// The map that changes nothing.
    #[must_use]
    pub fn identity() -> Self {
        let unit = |row: usize| std::array::from_fn(|k| if k == row { V::ONE } else { V::ZERO });
        AffineMap { rows: std::array::from_fn(|row| AffineRow { factors: unit(row), term: V::ZERO }) }
    }

    /// The value of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> AffineRow<V, K> {
        self.rows[row]
    }

    /// A value of the iteration.
    #[inline(always)]
    #[must_use]
    pub fn constant(&self, value: impl Operand<V>) -> AffineRow<V, K> {
        AffineRow::constant(value.value())
    }

    /// No value.
    #[must_use]
    pub fn nothing(&self) -> AffineRow<V, K> {
        AffineRow::constant(V::ZERO)
    }

    /// Assigns a row.
    #[inline(always)]
    pub fn put(&mut self, row: usize, value: AffineRow<V, K>) {
        self.rows[row] = value;
    }

    fn then(&self, later: &Self) -> Self {
        AffineMap { rows: std::array::from_fn(|row| later.rows[row].after(self)) }
    }

    fn at(&self, variables: &[V; K]) -> [V; K] {
        std::array::from_fn(|row| self.rows[row].at(variables))
    }
}

/// Whether the variables after a map of floats are right up to rounding, for this matrix and these terms.
fn fits<V: Number, const K: usize>(
    rows: impl Iterator<Item = AffineRow<V, K>>,
    before: &[V; K],
    after: &[V; K],
) -> bool {
    let [least, last] = V::digits();
    let most = after.iter().map(|value| value.magnitude()).fold(0.0, f64::max);
    rows.zip(after).all(|(row, after)| {
        let products = row.factors.iter().zip(before).map(|(factor, value)| factor.magnitude() * value.magnitude());
        let (made, distance) = (products.sum::<f64>(), row.at(before).minus(*after).magnitude());
        let factors = row.factors.iter().map(|factor| factor.magnitude());
        let (term, factor) = (row.term.magnitude(), factors.clone().fold(0.0, f64::max));
        // Cancellation: growing factors and a term of the opposite sign leave few correct digits.
        let cancelled = factor > 16.0 && made > 64.0 * most;
        // The value from the composition of all chunks differs from the value from this chunk alone.
        let drifted = distance > 4096.0 * last * made.max(term).max(most);
        // Underflow of all factors: they have lost their digits, and the term does not dominate.
        let lost = factor < least
            && factor > 0.0
            && term < before.iter().map(|value| value.magnitude()).fold(0.0, f64::max) * least / last;
        factor.is_finite() && term.is_finite() && after.magnitude().is_finite() && !cancelled && !drifted && !lost
    })
}

/// A system whose factors differ from iteration to iteration.
pub fn affine<V: Number, C: Codec<V>, const K: usize, const R: usize>(init: [V; K], codec: C) -> Affine<V, C, K, R> {
    Affine { init, codec }
}

/// For accumulators of several variables of one type.
macro_rules! several_values {
    () => {
        no_shed!();
        type Carry = ();
        type Value = [V; K];
        type Out = [V; K];

        fn carry(&self, _: bool) {}
        fn value(&self) -> [V; K] {
            self.init
        }
        fn encode_value(&self, value: &[V; K], to: &mut Vec<u8>) {
            value.iter().for_each(|value| self.codec.encode(value, to));
        }
        fn decode_value(&self, from: &mut &[u8]) -> [V; K] {
            std::array::from_fn(|_| self.codec.decode(from))
        }
        fn finish(self, value: [V; K], _: Vec<()>, _: &Context) -> [V; K] {
            value
        }
    };
}
pub(super) use several_values;

impl<V: Number, C: Codec<V>, const K: usize, const R: usize> Accumulator for Affine<V, C, K, R> {
    several_values!();
    type Chunk = AffineMap<V, K, R>;
    type Lanes = [Self::Chunk; BLOCKS];
    const EXACT: bool = V::EXACT;
    const LIMITED: bool = !V::EXACT;

    #[inline]
    fn chunk(&self) -> Self::Chunk {
        AffineMap::identity()
    }
    #[inline]
    fn lanes(&self) -> Self::Lanes {
        [self.chunk(); BLOCKS]
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes.into_iter().reduce(|earlier, later| self.merge(earlier, later)).unwrap_or_else(|| self.chunk())
    }
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        earlier.then(&later)
    }
    fn advance(&self, value: [V; K], chunk: &Self::Chunk) -> [V; K] {
        chunk.at(&value)
    }
    fn fits(&self, before: &[V; K], chunk: &Self::Chunk, after: &[V; K]) -> bool {
        V::EXACT || fits(chunk.rows[..K].iter().copied(), before, after)
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        for row in &chunk.rows[..K] {
            row.factors.iter().chain([&row.term]).for_each(|value| self.codec.encode(value, to));
        }
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let mut chunk = AffineMap::identity();
        for row in &mut chunk.rows[..K] {
            let factors = std::array::from_fn(|_| self.codec.decode(from));
            *row = AffineRow { factors, term: self.codec.decode(from) };
        }
        chunk
    }
}

/// A system whose factors are the same in all iterations, as a filter's are.
///
/// A chunk then needs only its number of iterations, and the variables after it if they are zero before it: the body runs once, with
/// plain numbers.
#[derive(Debug)]
pub struct Filter<V, C, const K: usize, const R: usize> {
    init: [V; K],
    codec: C,
    /// The map of one iteration, without its terms.
    step: AffineMap<V, K, K>,
    /// The maps of 1, 2, 4, .. iterations.
    powers: OnceLock<Vec<AffineMap<V, K, K>>>,
}

/// A value of a chunk that starts from zero.
#[derive(Debug, Clone, Copy)]
pub struct Response<V>(V);

/// The rows after a chunk that starts from zero.
#[derive(Debug, Clone, Copy)]
pub struct Responses<V, const R: usize> {
    rows: [V; R],
    iterations: u64,
}

impl<V: Number> Response<V> {
    /// The sum of two values.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Response(self.0.plus(other.0))
    }

    /// The difference of two values.
    #[inline(always)]
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Response(self.0.minus(other.0))
    }

    /// The product with a value of the iteration.
    #[inline(always)]
    #[must_use]
    pub fn times(self, factor: impl Operand<V>) -> Self {
        Response(factor.value().times(self.0))
    }

    /// The negative value.
    #[inline(always)]
    #[must_use]
    pub fn negative(self) -> Self {
        Response(V::ZERO.minus(self.0))
    }
}

impl<V: Number, const R: usize> Responses<V, R> {
    /// The value of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> Response<V> {
        Response(self.rows[row])
    }

    /// A value of the iteration.
    #[inline(always)]
    #[must_use]
    pub fn constant(&self, value: impl Operand<V>) -> Response<V> {
        Response(value.value())
    }

    /// Assigns a row.
    #[inline(always)]
    pub fn put(&mut self, row: usize, value: Response<V>) {
        self.rows[row] = value.0;
    }

    /// Counts an iteration.
    #[inline(always)]
    pub fn count(&mut self) {
        self.iterations += 1;
    }
}

/// A system whose factors are the same in all iterations. `step` computes one iteration without its terms.
pub fn filter<V: Number, C: Codec<V>, const K: usize, const R: usize>(
    init: [V; K],
    codec: C,
    step: impl FnOnce(&mut AffineMap<V, K, R>),
) -> Filter<V, C, K, R> {
    let mut map = AffineMap::identity();
    step(&mut map);
    let step = AffineMap { rows: std::array::from_fn(|row| map.rows[row]) };
    Filter { init, codec, step, powers: OnceLock::new() }
}

impl<V: Number, C, const K: usize, const R: usize> Filter<V, C, K, R> {
    /// The maps of 1, 2, 4, .. iterations whose numbers add up to this one, without terms.
    fn powers(&self, iterations: u64) -> impl Iterator<Item = &AffineMap<V, K, K>> {
        let doubled = |power: &AffineMap<V, K, K>| Some(power.then(power));
        let powers = || std::iter::successors(Some(self.step), doubled).take(u64::BITS as usize).collect();
        let powers = self.powers.get_or_init(powers);
        let mut rest = iterations;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            powers.get(bit)
        })
    }

    /// The map of a chunk.
    fn map(&self, chunk: &Responses<V, R>) -> AffineMap<V, K, K> {
        let mut map = AffineMap::identity();
        for (number, power) in self.powers(chunk.iterations).enumerate() {
            map = if number == 0 { *power } else { map.then(power) };
        }
        map.rows.iter_mut().zip(&chunk.rows).for_each(|(row, response)| row.term = *response);
        map
    }

    /// The variables after a chunk.
    fn after(&self, before: [V; K], chunk: &Responses<V, R>) -> [V; K] {
        let mut after = before;
        for power in self.powers(chunk.iterations) {
            after = power.at(&after);
        }
        std::array::from_fn(|row| after[row].plus(chunk.rows[row]))
    }
}

impl<V: Number, C: Codec<V>, const K: usize, const R: usize> Accumulator for Filter<V, C, K, R> {
    several_values!();
    type Chunk = Responses<V, R>;
    type Lanes = [Self::Chunk; BLOCKS];
    const EXACT: bool = V::EXACT;
    const LIMITED: bool = !V::EXACT;

    #[inline]
    fn chunk(&self) -> Self::Chunk {
        Responses { rows: [V::ZERO; R], iterations: 0 }
    }
    #[inline]
    fn lanes(&self) -> Self::Lanes {
        [self.chunk(); BLOCKS]
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes.into_iter().reduce(|earlier, later| self.merge(earlier, later)).unwrap_or_else(|| self.chunk())
    }
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        if later.iterations == 0 {
            return earlier;
        }
        let before = std::array::from_fn(|row| earlier.rows[row]);
        let (mut both, after) = (later, self.after(before, &later));
        both.rows.iter_mut().zip(after).for_each(|(row, after)| *row = after);
        both.iterations += earlier.iterations;
        both
    }
    fn advance(&self, value: [V; K], chunk: &Self::Chunk) -> [V; K] {
        self.after(value, chunk)
    }
    fn fits(&self, before: &[V; K], chunk: &Self::Chunk, after: &[V; K]) -> bool {
        V::EXACT || fits(self.map(chunk).rows.into_iter(), before, after)
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        to.extend_from_slice(&chunk.iterations.to_le_bytes());
        chunk.rows[..K].iter().for_each(|value| self.codec.encode(value, to));
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let mut chunk = self.chunk();
        if let Some((iterations, rest)) = from.split_first_chunk() {
            (chunk.iterations, *from) = (u64::from_le_bytes(*iterations), rest);
        }
        chunk.rows[..K].iter_mut().for_each(|value| *value = self.codec.decode(from));
        chunk
    }
}
