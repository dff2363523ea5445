//! User-defined states of workers, and scratch buffers.

use super::accumulator::{Accumulator, no_chunk, no_shed};
use super::operators::{decode_option, encode_option};
use super::rounding;
use crate::codec::Codec;
use crate::runtime::{Context, on_this_rank};

/// A user-defined state. Each worker with work creates one; they merge in the order of iterations, and every rank receives the result.
#[derive(Debug)]
pub struct State<S, I, M> {
    state: S,
    init: I,
    merge: M,
    /// Merges the states of all workers at once, if the user provides such a function.
    all: Option<fn(Vec<S>) -> S>,
}

/// A state of a user-defined type.
pub fn state<S, I, M>(state: S, init: I, merge: M) -> State<S, I, M>
where
    S: Send + Sync,
    I: Fn() -> S + Sync,
    M: Fn(&mut S, S) + Sync,
{
    State { state, init, merge, all: None }
}

impl<S, I, M> State<S, I, M> {
    /// Sets a function that merges the states of all workers of a rank at once, in the order of the iterations.
    #[must_use]
    pub fn all_at_once(self, all: fn(Vec<S>) -> S) -> Self {
        State { all: Some(all), ..self }
    }
}

impl<S, I, M> Accumulator for State<S, I, M>
where
    S: Send + Sync,
    I: Fn() -> S + Sync,
    M: Fn(&mut S, S) + Sync,
{
    no_chunk!();
    no_shed!();
    type Carry = S;
    type Out = Collected<S, M>;
    const ONE_PER_WORKER: bool = true;

    fn carry(&self, _: bool) -> S {
        (self.init)()
    }
    fn finish(self, _: (), carries: Vec<S>, _: &Context) -> Collected<S, M> {
        let State { state, merge, all, .. } = self;
        // The sums in the user's merge are not recorded.
        rounding::merges_others(1 << 20);
        Collected { state, mine: carries, merge, all }
    }
}

/// The states of this rank's workers, and the state before the loop.
///
/// They merge over ranks in a second step, because the type of the elements, and thus the codec, may be inferred only from the loop's body.
#[derive(Debug)]
pub struct Collected<S, M> {
    state: S,
    /// The states of the workers, in the order of the iterations.
    mine: Vec<S>,
    merge: M,
    all: Option<fn(Vec<S>) -> S>,
}

impl<S, M: Fn(&mut S, S)> Collected<S, M> {
    /// The state before the loop.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// The state after the loop. All ranks take part.
    pub fn on_all_ranks(self, codec: impl Codec<S>, call: &crate::call::Call) -> S {
        let Collected { mut state, mut mine, merge, all } = self;
        if let Some(all) = all
            && !mine.is_empty()
        {
            if call.alone() {
                mine.insert(0, state);
                return on_this_rank(&call.context, || all(mine));
            }
            mine = vec![on_this_rank(&call.context, || all(mine))];
        }
        let mut mine = mine.into_iter().reduce(|mut earlier, later| {
            merge(&mut earlier, later);
            earlier
        });
        if !call.alone() {
            mine = crate::comm::collective::reduce_all(
                call.comm(),
                2,
                mine,
                |mine| {
                    let mut bytes = Vec::new();
                    encode_option(&codec, mine.as_ref(), &mut bytes);
                    bytes
                },
                |mut bytes| decode_option(&codec, &mut bytes),
                |earlier: Option<S>, later| match (earlier, later) {
                    (Some(mut earlier), Some(later)) => {
                        merge(&mut earlier, later);
                        Some(earlier)
                    }
                    (one, None) | (None, one) => one,
                },
            );
        }
        if let Some(mine) = mine {
            merge(&mut state, mine);
        }
        state
    }
}

/// A type that several workers can fill, and whose values merge in the order of iterations.
///
/// # Examples
/// ```
/// use forall_core::accumulate::Merge;
/// let mut all = vec![1, 2];
/// all.merge(vec![3]);
/// assert_eq!(all, [1, 2, 3]);
/// ```
#[diagnostic::on_unimplemented(
    message = "FA033: `{Self}` has no `Merge`, so states of several workers cannot be merged",
    note = "implement `forall::Merge`, or name functions: `#[foreach_tls(init = path, merge = path)]`"
)]
pub trait Merge: Sized {
    /// The identity element: merging it changes nothing.
    fn fresh() -> Self;
    /// Merges the state of later iterations.
    fn merge(&mut self, later: Self);
}

impl<T> Merge for Vec<T> {
    fn fresh() -> Self {
        Vec::new()
    }
    fn merge(&mut self, mut later: Self) {
        if self.is_empty() {
            *self = later;
        } else {
            self.append(&mut later);
        }
    }
}

impl Merge for String {
    fn fresh() -> Self {
        String::new()
    }
    fn merge(&mut self, later: Self) {
        self.push_str(&later);
    }
}

impl<T> Merge for std::collections::VecDeque<T> {
    fn fresh() -> Self {
        Self::new()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Ord, V> Merge for std::collections::BTreeMap<K, V> {
    fn fresh() -> Self {
        Self::new()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Ord> Merge for std::collections::BTreeSet<K> {
    fn fresh() -> Self {
        Self::new()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Eq + std::hash::Hash, V, H: std::hash::BuildHasher + Default> Merge for std::collections::HashMap<K, V, H> {
    fn fresh() -> Self {
        Self::default()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<K: Eq + std::hash::Hash, H: std::hash::BuildHasher + Default> Merge for std::collections::HashSet<K, H> {
    fn fresh() -> Self {
        Self::default()
    }
    fn merge(&mut self, later: Self) {
        self.extend(later);
    }
}

impl<A: Merge, B: Merge> Merge for (A, B) {
    fn fresh() -> Self {
        (A::fresh(), B::fresh())
    }
    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }
}

/// The functions that create and merge a state.
pub type Both<S> = (fn() -> S, fn(&mut S, S));

/// For states of the type of this one.
pub fn by_merge<S: Merge>(_: &S) -> Both<S> {
    (S::fresh, S::merge)
}

/// A scratch buffer, which each iteration fills before it reads it: each worker has its own.
#[derive(Debug)]
pub struct Scratch<V>(V);

/// A buffer like this one for each worker.
pub fn scratch<V: Clone + Send + Sync>(buffer: V) -> Scratch<V> {
    Scratch(buffer)
}

impl<V: Clone + Send + Sync> Accumulator for Scratch<V> {
    no_chunk!();
    no_shed!();
    type Carry = V;
    type Out = V;

    fn carry(&self, _: bool) -> V {
        self.0.clone()
    }
    // Iterations fill it before they read it.
    fn is_untouched(&self, _: &V) -> bool {
        true
    }
    fn moves(&self) -> bool {
        true
    }
    fn finish(self, _: (), mut carries: Vec<V>, _: &Context) -> V {
        carries.pop().unwrap_or(self.0)
    }
}
