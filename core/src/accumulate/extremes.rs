//! Recurrences of sums and maxima, or of sums and minima: `here = (here + x).max(x)`, `best = best.max(here)`.
//!
//! They are linear over the semiring in which `max` adds and `+` multiplies (Baccelli et al. 1992, "Synchronization and Linearity").

use super::accumulator::{Accumulator, no_shed};
use super::affine::several_values;
use super::number::Operand;
use super::ordered::{Ordered, Reach, take};
use crate::codec::Codec;
use crate::runtime::Context;

/// `K` variables, computed in `R` rows. `MAX` says whether the recurrence has maxima or minima. The bits of `PRESENT` say which offsets and
/// terms of the rows may be present: `K + 1` bits for each row, the last one for its term.
#[derive(Debug)]
pub struct Extremes<V, C, const K: usize, const R: usize, const MAX: bool, const PRESENT: u64> {
    init: [V; K],
    codec: C,
    /// Whether sums start from a variable.
    summed: [bool; K],
}

/// A value on the way: the parts that are certainly absent are `None`, and cost nothing.
#[derive(Debug, Clone, Copy)]
pub struct Extreme<V: Ordered, const K: usize, const MAX: bool> {
    offsets: [Option<V::Wide>; K],
    term: Option<V::Wide>,
}

/// A value as a function of the variables before the chunk: the greatest, or the least, of `variable + offset` and `term`.
#[derive(Debug, Clone, Copy)]
struct ExtremeRow<V: Ordered, const K: usize, const MAX: bool> {
    offsets: [V::Wide; K],
    term: V::Wide,
}

/// The rows after a chunk.
#[derive(Debug, Clone, Copy)]
pub struct ExtremeMap<V: Ordered, const K: usize, const R: usize, const MAX: bool, const PRESENT: u64> {
    rows: [ExtremeRow<V, K, MAX>; R],
    reach: Reach<V>,
}

impl<V: Ordered, const K: usize, const MAX: bool> ExtremeRow<V, K, MAX> {
    const ABSENT: V::Wide = if MAX { V::LEAST } else { V::MOST };

    fn constant(term: V::Wide) -> Self {
        ExtremeRow { offsets: [Self::ABSENT; K], term }
    }

    #[inline(always)]
    fn better(one: V::Wide, other: V::Wide) -> V::Wide {
        let better = if MAX { other > one } else { other < one };
        if better { other } else { one }
    }

    fn or(self, other: Self) -> Self {
        ExtremeRow {
            offsets: std::array::from_fn(|k| Self::better(self.offsets[k], other.offsets[k])),
            term: Self::better(self.term, other.term),
        }
    }

    fn shifted(self, by: V::Wide) -> Self {
        ExtremeRow { offsets: self.offsets.map(|offset| V::sum(offset, by)), term: V::sum(self.term, by) }
    }

    fn is_present(offset: V::Wide) -> bool {
        if MAX { offset > V::LOW } else { offset < V::HIGH }
    }

    /// The value for these variables.
    fn at(&self, variables: &[V; K]) -> V {
        let offsets = self.offsets.iter().zip(variables).filter(|(offset, _)| Self::is_present(**offset));
        let sums = offsets.map(|(offset, variable)| {
            let same = (*offset == V::NOTHING).then_some(*variable);
            (V::sum(variable.wide(), *offset), same)
        });
        let terms = Self::is_present(self.term).then_some((self.term, None));
        let best = sums.chain(terms).reduce(|one, other| match Self::better(one.0, other.0) == one.0 {
            true => one,
            false => other,
        });
        best.map_or(V::ZERO, |(wide, same)| same.unwrap_or_else(|| V::narrow(wide)))
    }

    /// The value as a function of the variables before an earlier map.
    fn after<const R: usize, const PRESENT: u64>(&self, earlier: &ExtremeMap<V, K, R, MAX, PRESENT>) -> Self {
        let offsets = self.offsets.iter().zip(&earlier.rows).filter(|(offset, _)| Self::is_present(**offset));
        let row = offsets.fold(Self::constant(self.term), |best, (offset, row)| best.or(row.shifted(*offset)));
        // Sums of absent values must not leave the range.
        let cleaned = |value| if Self::is_present(value) { value } else { Self::ABSENT };
        ExtremeRow { offsets: row.offsets.map(cleaned), term: cleaned(row.term) }
    }
}

impl<V: Ordered, const K: usize, const MAX: bool> Extreme<V, K, MAX> {
    /// The greater, or the lesser, of two values.
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let better = |one: Option<V::Wide>, other: Option<V::Wide>| match (one, other) {
            (Some(one), Some(other)) => Some(ExtremeRow::<V, K, MAX>::better(one, other)),
            (one, other) => one.or(other),
        };
        Extreme {
            offsets: std::array::from_fn(|k| better(self.offsets[k], other.offsets[k])),
            term: better(self.term, other.term),
        }
    }

    #[inline(always)]
    fn shifted(self, by: V::Wide) -> Self {
        let sum = |value: Option<V::Wide>| value.map(|value| V::sum(value, by));
        Extreme { offsets: self.offsets.map(sum), term: sum(self.term) }
    }
}

impl<V: Ordered, const K: usize, const R: usize, const MAX: bool, const PRESENT: u64>
    ExtremeMap<V, K, R, MAX, PRESENT>
{
    fn identity() -> Self {
        let absent = ExtremeRow::<V, K, MAX>::ABSENT;
        let unit = |row: usize| std::array::from_fn(|k| if k == row { V::NOTHING } else { absent });
        let rows = std::array::from_fn(|row| ExtremeRow { offsets: unit(row), term: absent });
        ExtremeMap { rows, reach: Reach::nothing() }
    }

    /// Whether a part of a row may be present.
    #[inline(always)]
    fn may(row: usize, part: usize) -> bool {
        PRESENT >> (row * (K + 1) + part) & 1 == 1
    }

    /// The value of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> Extreme<V, K, MAX> {
        let ExtremeRow { offsets, term } = self.rows[row];
        Extreme {
            offsets: std::array::from_fn(|k| Self::may(row, k).then_some(offsets[k])),
            term: Self::may(row, K).then_some(term),
        }
    }

    /// A value of the iteration.
    #[inline(always)]
    pub fn constant(&mut self, value: impl Operand<V>) -> Extreme<V, K, MAX> {
        let value = value.value();
        self.reach.compare(value);
        Extreme { offsets: [None; K], term: Some(value.wide()) }
    }

    /// The sum with a value of the iteration.
    #[inline(always)]
    pub fn add(&mut self, row: Extreme<V, K, MAX>, value: impl Operand<V>) -> Extreme<V, K, MAX> {
        let value = value.value();
        self.reach.add(value);
        row.shifted(value.wide())
    }

    /// The difference from a value of the iteration.
    #[inline(always)]
    pub fn subtract(&mut self, row: Extreme<V, K, MAX>, value: impl Operand<V>) -> Extreme<V, K, MAX> {
        let value = value.value();
        self.reach.add(value);
        let row = row.shifted(V::opposite(value.wide()));
        self.reach.lower(if MAX { row.term.unwrap_or(V::LEAST) } else { V::LEAST });
        row
    }

    /// Assigns a row.
    #[inline(always)]
    pub fn put(&mut self, row: usize, value: Extreme<V, K, MAX>) {
        let absent = ExtremeRow::<V, K, MAX>::ABSENT;
        self.rows[row] = ExtremeRow {
            offsets: value.offsets.map(|offset| offset.unwrap_or(absent)),
            term: value.term.unwrap_or(absent),
        };
    }
}

/// A recurrence of sums and maxima (`MAX`), or of sums and minima. `summed` says which variables sums start from.
pub fn extremes<V: Ordered, C: Codec<V>, const K: usize, const R: usize, const MAX: bool, const PRESENT: u64>(
    init: [V; K],
    codec: C,
    summed: [bool; K],
) -> Extremes<V, C, K, R, MAX, PRESENT> {
    Extremes { init, codec, summed }
}

impl<V: Ordered, C: Codec<V>, const K: usize, const R: usize, const MAX: bool, const PRESENT: u64> Accumulator
    for Extremes<V, C, K, R, MAX, PRESENT>
{
    several_values!();
    type Chunk = ExtremeMap<V, K, R, MAX, PRESENT>;
    type Lanes = Self::Chunk;
    const EXACT: bool = V::EXACT;
    const LIMITED: bool = true;

    #[inline]
    fn chunk(&self) -> Self::Chunk {
        ExtremeMap::identity()
    }
    fn lanes(&self) -> Self::Lanes {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes
    }
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        let rows = std::array::from_fn(|row| later.rows[row].after(&earlier));
        ExtremeMap { rows, reach: earlier.reach.and(later.reach) }
    }
    fn advance(&self, value: [V; K], chunk: &Self::Chunk) -> [V; K] {
        std::array::from_fn(|row| chunk.rows[row].at(&value))
    }
    fn fits(&self, before: &[V; K], chunk: &Self::Chunk, _: &[V; K]) -> bool {
        let fits = |(summed, value): (&bool, &V)| !summed || chunk.reach.is_right_from(*value);
        chunk.reach.is_right() && self.summed.iter().zip(before).all(fits)
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        for row in &chunk.rows[..K] {
            row.offsets.iter().chain([&row.term]).for_each(|value| to.extend_from_slice(&V::encode_wide(*value)));
        }
        chunk.reach.encode(to);
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let mut chunk = ExtremeMap::identity();
        for row in &mut chunk.rows[..K] {
            let offsets = std::array::from_fn(|_| V::decode_wide(take(from)));
            *row = ExtremeRow { offsets, term: V::decode_wide(take(from)) };
        }
        chunk.reach = Reach::decode(from);
        chunk
    }
}
