//! What is asked of sorted vectors: where values stand in them, and what several of them make as sets.

use super::order::{Natural, Order};
use super::workers::Workers;
use crate::comm::collective;
use crate::data::{DistVec, PushTarget, together};
use crate::element::{Element, bytes_of, from_bytes};
use crate::runtime::{self, Value, enter_loop};

impl<T: Element> DistVec<T> {
    /// For each value, before which element of this sorted vector it would stand, the first where there are several: how many
    /// elements are less. Cut as `values`. Collective.
    ///
    /// Cost: each value goes to one rank and a place comes back, beside one element of each rank; a binary search for each.
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

    /// For each value, before which element of this sorted vector it would stand, the last where there are several: how many
    /// elements are not greater. Collective, as [`DistVec::lower_bound`].
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

    /// For each value, how many elements are before it.
    fn bounds(&self, name: &str, values: &DistVec<T>, before: &(impl Fn(&T, &T) -> bool + Sync)) -> DistVec<usize> {
        let (own, asked) = (self.local(), values.local());
        let context = runtime::current();
        let workers = context.as_ref().map_or(Workers::alone(), |context| Workers::of(context));
        let search = |asked: &[T]| workers.filled(asked.len(), |k| own.partition_point(|e| before(e, &asked[k])));
        if self.cuts().ranks() == 1 {
            return DistVec::from_share(values.cuts(), search(asked));
        }
        let lengths = [
            Value::same("the length of the vector", self.len() as u64),
            Value::same("the number of values", values.len() as u64),
        ];
        let found = together(name, &lengths, |comm, _| {
            let ranks: Vec<usize> = (0..comm.ranks()).filter(|&rank| !self.cuts().range(rank).is_empty()).collect();
            let (lasts, _) = collective::allgather_varied(comm, &own[own.len().saturating_sub(1)..]);
            // The rank in whose share a value would stand; none where it is behind all.
            let rank_of = workers.filled(asked.len(), |k| lasts.partition_point(|last| before(last, &asked[k])));
            let mut parts: Vec<Vec<T>> = vec![Vec::new(); comm.ranks()];
            for (value, rank) in asked.iter().zip(&rank_of).filter(|(_, rank)| **rank < ranks.len()) {
                parts[ranks[*rank]].push(*value);
            }
            let asked = collective::all_to_all(comm, &parts.iter().map(|part| bytes_of(part)).collect::<Vec<_>>());
            let places = asked.iter().map(|values| {
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

    /// The elements of this sorted vector and of another, sorted; of equal ones those of this vector first. Collective.
    ///
    /// Cost: each element moves once at most to where it is appended, and once at most as in a sort.
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

    /// The elements of this sorted vector that are in another sorted one too, each as often as in the one that has it less often.
    /// Collective.
    ///
    /// Cost of this and of the other operations on sets: three searches as [`DistVec::lower_bound`] for each element.
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

    /// The elements of this sorted vector that are not in another sorted one; of those that are, as many as it has more. Collective.
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

    /// The elements of this sorted vector and those that another sorted one has beside them, sorted. Collective.
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

    /// The elements that one of two sorted vectors has and the other has not, sorted. Collective, as [`DistVec::union`].
    #[must_use]
    pub fn symmetric_difference(&self, other: &DistVec<T>) -> DistVec<T>
    where
        T: Ord,
    {
        self.difference(other).merge(&other.difference(self))
    }

    /// The elements of which `keeps(number, times)` says so: the how manieth of its equals it is here, and how many another has.
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

    /// Sorts a vector, outside of any call.
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
