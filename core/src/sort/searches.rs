//! Many binary searches in one sorted slice.
//!
//! A binary search in a slice that does not fit the cache waits for memory in most of its steps. So the values are first divided among parts of the
//! slice. Then the searches of one part follow each other, while the part is in the cache.

use super::workers::Workers;

/// The number of values that are divided among the parts at once. Their results stay in the cache.
const BLOCK: usize = 1 << 18;

/// The length of a part in bytes.
const PART: usize = 1 << 17;

/// A shorter slice is not divided: the processor runs several searches at once, and waits little for each.
const LEAST: usize = 1 << 23;

/// The largest number of parts. The elements between them stay in the first cache.
const MOST_PARTS: usize = 2048;

/// Searches in a sorted slice. `before` says whether an element is before the place of a value.
pub(super) struct Searches<'s, T, B> {
    elements: &'s [T],
    before: &'s B,
    /// The first element of each part but the first.
    first: Vec<T>,
}

impl<'s, T: Copy + Send + Sync, B: Fn(&T, &T) -> bool + Sync> Searches<'s, T, B> {
    pub(super) fn new(elements: &'s [T], before: &'s B) -> Self {
        let bytes = size_of_val(elements);
        Searches::in_parts(elements, before, if bytes < LEAST { 1 } else { bytes / PART })
    }

    fn in_parts(elements: &'s [T], before: &'s B, parts: usize) -> Self {
        let parts = parts.clamp(1, MOST_PARTS);
        let first = (1..parts).map(|part| elements[start(elements, parts, part)]).collect();
        Searches { elements, before, first }
    }

    /// For each value, the number of elements before it.
    pub(super) fn run(&self, workers: Workers<'_>, values: &[T]) -> Vec<usize> {
        // To divide few values among many parts costs more than it saves.
        if self.first.is_empty() || values.len() < 16 * self.first.len() * workers.count() {
            return workers.filled(values.len(), |number| self.place(self.elements, &values[number]));
        }
        let block = values.len().div_ceil(workers.count()).min(BLOCK);
        workers.filled_in_blocks(values.len(), block, |range| self.divided(&values[range]))
    }

    /// The same: the values of one part follow each other.
    fn divided(&self, values: &[T]) -> Vec<usize> {
        let parts = self.first.len() + 1;
        // The place of a value is behind the first elements of all parts up to its own, and not behind the next one.
        let part_of: Vec<usize> = values.iter().map(|value| self.place(&self.first, value)).collect();
        let mut ends = vec![0; parts + 1];
        part_of.iter().for_each(|part| ends[part + 1] += 1);
        for part in 0..parts {
            ends[part + 1] += ends[part];
        }
        let (mut next, mut order, mut sorted) = (ends.clone(), vec![0u32; values.len()], values.to_vec());
        for (number, (part, value)) in (0..).zip(part_of.iter().zip(values)) {
            let at = next[*part];
            (order[at], sorted[at]) = (number, *value);
            next[*part] += 1;
        }
        let mut found = part_of;
        for part in 0..parts {
            let [from, to] = [part, part + 1].map(|part| start(self.elements, parts, part));
            let of_part = ends[part]..ends[part + 1];
            for (number, value) in order[of_part.clone()].iter().zip(&sorted[of_part]) {
                found[*number as usize] = from + self.place(&self.elements[from..to], value);
            }
        }
        found
    }

    /// The number of these elements before a value.
    fn place(&self, elements: &[T], value: &T) -> usize {
        elements.partition_point(|element| (self.before)(element, value))
    }
}

/// The start of a part.
fn start<T>(elements: &[T], parts: usize, part: usize) -> usize {
    (elements.len() as u128 * part as u128 / parts as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, MOST_PARTS, Searches};
    use crate::sort::workers::Workers;

    /// Numbers without an order, below a bound.
    fn numbers(n: usize, below: u64) -> Vec<u64> {
        let next = |k: usize| (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xd129_0dd3);
        (0..n).map(|k| (next(k) >> 7) % below).collect()
    }

    #[track_caller]
    fn same(elements: usize, values: usize, below: u64, parts: usize) {
        let (mut elements, values) = (numbers(elements, below), numbers(values, below + 2));
        elements.sort_unstable();
        elements.iter_mut().for_each(|element| *element += 1);
        for before in [(|element, value| element < value) as fn(&u64, &u64) -> bool, |element, value| element <= value]
        {
            let found = Searches::in_parts(&elements, &before, parts).run(Workers::alone(), &values);
            let expected = values.iter().map(|value| elements.partition_point(|element| before(element, value)));
            assert!(
                found.into_iter().eq(expected),
                "{} values in {} elements below {below}",
                values.len(),
                elements.len()
            );
        }
    }

    #[test]
    fn searches_part_by_part_find_the_same() {
        for elements in [0, 1, 2, 3, 31, 1000] {
            for parts in [1, 2, 3, 7, 50] {
                for (values, below) in [(0, 1), (1, 700), (1001, 700), (3001, 2), (3001, 1 << 30)] {
                    same(elements.max(parts), values, below, parts);
                }
            }
        }
        same(5000, BLOCK + 11, 1 << 20, MOST_PARTS);
    }

    #[test]
    fn an_order_with_gaps_is_no_error() {
        let mut elements: Vec<f64> = (0..5000).map(f64::from).collect();
        elements[1000..4000].fill(f64::NAN);
        let values: Vec<f64> = (0..5000).map(|k| if k % 7 == 0 { f64::NAN } else { f64::from(k) }).collect();
        let before = |element: &f64, value: &f64| element < value;
        let found = Searches::in_parts(&elements, &before, 40).run(Workers::alone(), &values);
        assert!(found.iter().all(|place| *place <= elements.len()));
    }
}
