//! Recurrences of one variable with sums and bounds: `level = (level + x).clamp(low, high)`, `queue = (queue + a - s).max(0)`.
//!
//! Functions of the form `min(max(v + shift, low), high)` are closed under composition.

use super::accumulator::{Accumulator, no_shed};
use super::affine::several_values;
use super::number::Operand;
use super::ordered::{Ordered, Reach, take};
use crate::codec::Codec;
use crate::runtime::Context;

/// One variable, computed in `R` rows. The bits of `BOUNDS` say which bounds there may be: 1 for a lower one, 2 for an upper one, and 4 if
/// sums saturate.
#[derive(Debug)]
pub struct Clamped<V, C, const K: usize, const R: usize, const BOUNDS: u8> {
    init: [V; K],
    codec: C,
}

/// A value as a function of the variable before the chunk: `min(max(variable + shift, low), high)`.
#[derive(Debug, Clone, Copy)]
pub struct ClampedRow<V: Ordered> {
    shift: V::Wide,
    low: V::Wide,
    high: V::Wide,
}

/// The rows after a chunk.
#[derive(Debug, Clone, Copy)]
pub struct ClampedMap<V: Ordered, const R: usize, const BOUNDS: u8> {
    rows: [ClampedRow<V>; R],
    /// The sums that must stay in the range of the type, and all sums.
    reach: [Reach<V>; 2],
}

fn greater<W: PartialOrd>(one: W, other: W) -> W {
    if other > one { other } else { one }
}

fn lesser<W: PartialOrd>(one: W, other: W) -> W {
    if other < one { other } else { one }
}

impl<V: Ordered> ClampedRow<V> {
    const SAME: Self = ClampedRow { shift: V::NOTHING, low: V::LEAST, high: V::MOST };

    fn then(self, later: Self) -> Self {
        let bounded = |bound| lesser(greater(V::sum(bound, later.shift), later.low), later.high);
        let (low, high) = (bounded(self.low), bounded(self.high));
        ClampedRow {
            shift: V::sum(self.shift, later.shift),
            low: if low < V::LOW { V::LEAST } else { low },
            high: if high > V::HIGH { V::MOST } else { high },
        }
    }

    fn at(&self, variable: V) -> V {
        if self.shift == V::NOTHING && (self.low < V::LOW || self.low <= variable.wide()) {
            // Also for a number that is too great for a chunk.
            if self.high > V::HIGH || variable.wide() <= self.high {
                return variable;
            }
        }
        V::narrow(lesser(greater(V::sum(variable.wide(), self.shift), self.low), self.high))
    }
}

impl<V: Ordered, const R: usize, const BOUNDS: u8> ClampedMap<V, R, BOUNDS> {
    const SATURATES: bool = BOUNDS & 4 != 0;

    #[inline(always)]
    fn shifted(row: ClampedRow<V>, by: V::Wide) -> ClampedRow<V> {
        ClampedRow {
            shift: V::sum(row.shift, by),
            low: if BOUNDS & 1 != 0 { V::sum(row.low, by) } else { V::LEAST },
            high: if BOUNDS & 2 != 0 { V::sum(row.high, by) } else { V::MOST },
        }
    }

    #[inline(always)]
    fn at_least_wide(row: ClampedRow<V>, bound: V::Wide) -> ClampedRow<V> {
        let high = if BOUNDS & 2 != 0 { greater(row.high, bound) } else { V::MOST };
        ClampedRow { low: greater(row.low, bound), high, ..row }
    }

    #[inline(always)]
    fn at_most_wide(row: ClampedRow<V>, bound: V::Wide) -> ClampedRow<V> {
        let low = if BOUNDS & 1 != 0 { lesser(row.low, bound) } else { V::LEAST };
        ClampedRow { low, high: lesser(row.high, bound), ..row }
    }

    #[inline(always)]
    fn in_range(row: ClampedRow<V>) -> ClampedRow<V> {
        Self::at_most_wide(Self::at_least_wide(row, V::LOWEST), V::HIGHEST)
    }

    #[inline(always)]
    fn note(&mut self, value: V) {
        self.reach[0].add(value);
        if Self::SATURATES {
            self.reach[1].add(value);
        }
    }

    /// The value of a row.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: usize) -> ClampedRow<V> {
        self.rows[row]
    }

    /// A value of the iteration.
    #[inline(always)]
    pub fn constant(&mut self, value: impl Operand<V>) -> ClampedRow<V> {
        let value = self.bound(value.value());
        ClampedRow { shift: V::NOTHING, low: value, high: value }
    }

    #[inline(always)]
    fn bound(&mut self, value: V) -> V::Wide {
        self.reach[0].compare(value);
        if Self::SATURATES {
            self.reach[1].compare(value);
        }
        value.wide()
    }

    /// The sum with a value of the iteration.
    #[inline(always)]
    pub fn add(&mut self, row: ClampedRow<V>, value: impl Operand<V>) -> ClampedRow<V> {
        let value = value.value();
        self.note(value);
        Self::shifted(row, value.wide())
    }

    /// The difference from a value of the iteration.
    #[inline(always)]
    pub fn subtract(&mut self, row: ClampedRow<V>, value: impl Operand<V>) -> ClampedRow<V> {
        let value = value.value();
        self.note(value);
        let row = Self::shifted(row, V::opposite(value.wide()));
        self.reach[0].lower(row.low);
        row
    }

    /// The sum with a value of the iteration, or the bound of the type that it exceeds.
    #[inline(always)]
    pub fn saturating_add(&mut self, row: ClampedRow<V>, value: impl Operand<V>) -> ClampedRow<V> {
        let value = value.value();
        self.reach[1].add(value);
        Self::in_range(Self::shifted(row, value.wide()))
    }

    /// The difference from a value of the iteration, or the bound of the type that it exceeds.
    #[inline(always)]
    pub fn saturating_subtract(&mut self, row: ClampedRow<V>, value: impl Operand<V>) -> ClampedRow<V> {
        let value = value.value();
        self.reach[1].add(value);
        Self::in_range(Self::shifted(row, V::opposite(value.wide())))
    }

    /// The greater of two values.
    #[inline(always)]
    pub fn at_least(&mut self, row: ClampedRow<V>, value: impl Operand<V>) -> ClampedRow<V> {
        let bound = self.bound(value.value());
        Self::at_least_wide(row, bound)
    }

    /// The lesser of two values.
    #[inline(always)]
    pub fn at_most(&mut self, row: ClampedRow<V>, value: impl Operand<V>) -> ClampedRow<V> {
        let bound = self.bound(value.value());
        Self::at_most_wide(row, bound)
    }

    /// The value between two bounds.
    ///
    /// # Panics
    /// If the bounds are in the wrong order.
    #[inline(always)]
    pub fn between(&mut self, row: ClampedRow<V>, low: impl Operand<V>, high: impl Operand<V>) -> ClampedRow<V> {
        let (low, high) = (low.value(), high.value());
        assert!(low <= high, "`clamp` panics if its bounds are in the wrong order");
        let (low, high) = (self.bound(low), self.bound(high));
        Self::at_most_wide(Self::at_least_wide(row, low), high)
    }

    /// Assigns a row.
    #[inline(always)]
    pub fn put(&mut self, row: usize, value: ClampedRow<V>) {
        self.rows[row] = value;
    }
}

/// A recurrence of sums and bounds.
pub fn clamped<V: Ordered, C: Codec<V>, const K: usize, const R: usize, const BOUNDS: u8>(
    init: [V; K],
    codec: C,
) -> Clamped<V, C, K, R, BOUNDS> {
    Clamped { init, codec }
}

impl<V: Ordered, C: Codec<V>, const K: usize, const R: usize, const BOUNDS: u8> Accumulator
    for Clamped<V, C, K, R, BOUNDS>
{
    several_values!();
    type Chunk = ClampedMap<V, R, BOUNDS>;
    type Lanes = Self::Chunk;
    const EXACT: bool = V::EXACT;
    const LIMITED: bool = true;

    #[inline]
    fn chunk(&self) -> Self::Chunk {
        ClampedMap { rows: [ClampedRow::SAME; R], reach: [Reach::nothing(); 2] }
    }
    fn lanes(&self) -> Self::Lanes {
        self.chunk()
    }
    fn merge_lanes(&self, lanes: Self::Lanes) -> Self::Chunk {
        lanes
    }
    fn merge(&self, earlier: Self::Chunk, later: Self::Chunk) -> Self::Chunk {
        // Rows are functions of the first one, which is the variable.
        let reach = [earlier.reach[0].and(later.reach[0]), earlier.reach[1].and(later.reach[1])];
        ClampedMap { rows: later.rows.map(|row| earlier.rows[0].then(row)), reach }
    }
    fn advance(&self, value: [V; K], chunk: &Self::Chunk) -> [V; K] {
        value.map(|value| chunk.rows[0].at(value))
    }
    fn fits(&self, before: &[V; K], chunk: &Self::Chunk, _: &[V; K]) -> bool {
        let [checked, all] = &chunk.reach;
        let all = if ClampedMap::<V, R, BOUNDS>::SATURATES { all } else { checked };
        all.is_right() && before.iter().all(|value| checked.is_right_from(*value) && all.is_right_for(*value))
    }
    fn encode(&self, chunk: &Self::Chunk, to: &mut Vec<u8>) {
        let ClampedRow { shift, low, high } = chunk.rows[0];
        [shift, low, high].into_iter().for_each(|value| to.extend_from_slice(&V::encode_wide(value)));
        chunk.reach.iter().for_each(|reach| reach.encode(to));
    }
    fn decode(&self, from: &mut &[u8]) -> Self::Chunk {
        let [shift, low, high] = std::array::from_fn(|_| V::decode_wide(take(from)));
        let mut chunk = self.chunk();
        chunk.rows[0] = ClampedRow { shift, low, high };
        chunk.reach = std::array::from_fn(|_| Reach::decode(from));
        chunk
    }
}
