//! Operations on sorted vectors: binary search and set operations.

use super::order::{Natural, Order};
use super::searches::Searches;
use super::workers::Workers;
use crate::comm::collective;
use crate::data::{DistVec, PushTarget, together};
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::{self, Value, enter_loop};

impl<T: Element> DistVec<T> {
    /// For each value, the number of elements of this sorted vector that are less. The result has the cuts of `values`. Collective.
    ///
    /// Cost: each value is sent to one rank and an index is sent back, plus one element from each rank; a binary search for each value. Where a rank
    /// searches many values in more than 8 MiB, each worker first divides 2^18 of them among parts that fit the cache. It needs memory for these
    /// values, and 12 bytes for each.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_global(&[1, 3, 3, 7]);
    /// let values = DistVec::from_global(&[3, 0, 9]);
    /// assert_eq!(x.lower_bound(&values).to_all(), [1, 0, 4]);
    /// ```
    pub fn lower_bound(&self, values: &DistVec<T>) -> DistVec<usize>
    where
        T: PartialOrd,
    {
        self.bounds("DistVec::lower_bound", values, &|element, value| element < value)
    }

    /// For each value, the number of elements of this sorted vector that are less or equal. Collective, as [`DistVec::lower_bound`].
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let x = DistVec::from_global(&[1, 3, 3, 7]);
    /// let values = DistVec::from_global(&[3, 0, 9]);
    /// assert_eq!(x.upper_bound(&values).to_all(), [3, 0, 4]);
    /// ```
    pub fn upper_bound(&self, values: &DistVec<T>) -> DistVec<usize>
    where
        T: PartialOrd,
    {
        self.bounds("DistVec::upper_bound", values, &|element, value| element <= value)
    }

    /// For each value, the number of elements before it.
    fn bounds(&self, name: &str, values: &DistVec<T>, before: &(impl Fn(&T, &T) -> bool + Sync)) -> DistVec<usize> {
        let (own, queries) = (self.local(), values.local());
        let context = runtime::current();
        let workers = context.as_ref().map_or(Workers::alone(), |context| Workers::of(context));
        let search = |queries: &[T]| Searches::new(own, before).run(workers, queries);
        if self.cuts().ranks() == 1 {
            return DistVec::from_share(values.cuts(), search(queries));
        }
        let lengths = [
            Value::same("the length of the vector", self.len() as u64),
            Value::same("the number of values", values.len() as u64),
        ];
        let found = together(name, &lengths, |comm, _| {
            let ranks: Vec<usize> = (0..comm.ranks()).filter(|&rank| !self.cuts().range(rank).is_empty()).collect();
            let (lasts, _) = collective::allgather_varied(comm, &own[own.len().saturating_sub(1)..]);
            // The rank whose share contains the position of a value, if it is not behind all elements.
            let rank_of = workers.filled(queries.len(), |k| lasts.partition_point(|last| before(last, &queries[k])));
            let mut parts: Vec<Vec<T>> = vec![Vec::new(); comm.ranks()];
            for (value, rank) in queries.iter().zip(&rank_of).filter(|(_, rank)| **rank < ranks.len()) {
                parts[ranks[*rank]].push(*value);
            }
            let queries = collective::all_to_all(comm, &parts.iter().map(|part| bytes_of(part)).collect::<Vec<_>>());
            let places = queries.iter().map(|values| {
                let mut places = search(&from_bytes(values));
                places.iter_mut().for_each(|place| *place += self.offset());
                bytes_of(&places).to_vec()
            });
            let places: Vec<Vec<usize>> = collective::all_to_all(comm, &places.collect::<Vec<_>>())
                .iter()
                .map(|places| from_bytes(places))
                .collect();
            let mut next = vec![0; comm.ranks()];
            let place = |rank: &usize| match ranks.get(*rank) {
                Some(&rank) => {
                    next[rank] += 1;
                    places[rank][next[rank] - 1]
                }
                None => self.len(),
            };
            rank_of.iter().map(place).collect()
        });
        DistVec::from_share(values.cuts(), found)
    }

    /// Merges this sorted vector and another one; equal elements of this vector come first. Collective.
    ///
    /// Cost: each element moves at most twice: once to append the vectors, and once as in a sort.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (x, y) = (DistVec::from_global(&[1, 4, 4]), DistVec::from_global(&[2, 4]));
    /// assert_eq!(x.merge(&y).to_all(), [1, 2, 4, 4, 4]);
    /// ```
    #[must_use]
    pub fn merge(&self, other: &DistVec<T>) -> DistVec<T>
    where
        T: Ord,
    {
        let mut merged = self.clone();
        if self.is_empty() {
            merged = other.clone();
        } else {
            merged.append(other.local().to_vec());
        }
        merged.sort_all("DistVec::merge", &Natural);
        merged
    }

    /// The multiset intersection with another sorted vector. Collective.
    ///
    /// Cost of all set operations: three searches for each element, as [`DistVec::lower_bound`].
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (x, y) = (DistVec::from_global(&[1, 4, 4]), DistVec::from_global(&[2, 4]));
    /// assert_eq!(x.intersection(&y).to_all(), [4]);
    /// ```
    #[must_use]
    pub fn intersection(&self, other: &DistVec<T>) -> DistVec<T>
    where
        T: PartialOrd,
    {
        self.those(other, |number, times| number < times)
    }

    /// The multiset difference: the elements of this sorted vector without those of another sorted one. Collective.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (x, y) = (DistVec::from_global(&[1, 4, 4]), DistVec::from_global(&[2, 4]));
    /// assert_eq!(x.difference(&y).to_all(), [1, 4]);
    /// ```
    #[must_use]
    pub fn difference(&self, other: &DistVec<T>) -> DistVec<T>
    where
        T: PartialOrd,
    {
        self.those(other, |number, times| number >= times)
    }

    /// The multiset union with another sorted vector, sorted. Collective.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// let (x, y) = (DistVec::from_global(&[1, 4, 4]), DistVec::from_global(&[2, 4]));
    /// assert_eq!(x.union(&y).to_all(), [1, 2, 4, 4]);
    /// assert_eq!(x.symmetric_difference(&y).to_all(), [1, 2, 4]);
    /// ```
    #[must_use]
    pub fn union(&self, other: &DistVec<T>) -> DistVec<T>
    where
        T: Ord,
    {
        self.merge(&other.difference(self))
    }

    /// The symmetric difference with another sorted vector, sorted. Collective, as [`DistVec::union`].
    #[must_use]
    pub fn symmetric_difference(&self, other: &DistVec<T>) -> DistVec<T>
    where
        T: Ord,
    {
        self.difference(other).merge(&other.difference(self))
    }

    /// Filters by `keeps(number, times)`: the number of the element among its equals here, and the number of equals in the other vector.
    fn those(&self, other: &DistVec<T>, keeps: impl Fn(usize, usize) -> bool) -> DistVec<T>
    where
        T: PartialOrd,
    {
        let (first, from, to) = (self.lower_bound(self), other.lower_bound(self), other.upper_bound(self));
        let places = first.local().iter().zip(from.local()).zip(to.local());
        let kept = (self.offset()..).zip(self.local()).zip(places);
        let kept = kept.filter(|((i, _), ((first, from), to))| keeps(i - *first, *to - *from));
        DistVec::from_local(kept.map(|((_, element), _)| *element).collect())
    }

    /// Sorts a vector, outside of an annotated call.
    fn sort_all(&mut self, name: &str, order: &impl Order<T>) {
        let cuts = self.cuts().clone();
        let Some(context) = runtime::current() else { return order.sort(Workers::alone(), self.local_mut()) };
        if cuts.ranks() == 1 {
            let _inside = enter_loop(context.this_rank());
            return order.sort(Workers::of(&context), self.local_mut());
        }
        let length = [Value::same("the length of the vector", self.len() as u64)];
        together(name, &length, |_, _| {
            let _inside = enter_loop(context.this_rank());
            super::over_ranks::sort(&context, self.local_mut(), &cuts, order);
        });
    }
}
