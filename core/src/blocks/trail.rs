//! The order in which a loop in waves would process the messages.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One message on the way to another one: the work on it has sent the next one.
///
/// In waves, a block processes the messages of a wave first by sender, then in the order of sending. This is the order in which the sender has
/// processed the messages before them. So the ways of two messages decide which of them comes first: [`in_order`].
#[derive(Debug)]
pub struct Trail {
    /// The wave that would process the message.
    wave: u32,
    /// The block that processes it.
    block: u64,
    /// Its number among the messages that the work on the one before has sent; in the first wave, its number in the inbox.
    number: u64,
    before: Option<Arc<Trail>>,
    /// Its position in its wave, as far as [`in_order`] has found it.
    position: AtomicU64,
}

/// The positions of a trail that [`in_order`] has not seen, and of one that has none yet.
const UNSEEN: u64 = u64::MAX;
const SEEN: u64 = u64::MAX - 1;

impl Trail {
    fn new(block: u64, number: u64, before: Option<Arc<Trail>>) -> Arc<Trail> {
        let wave = before.as_ref().map_or(0, |before| before.wave + 1);
        Arc::new(Trail { wave, block, number, before, position: AtomicU64::new(UNSEEN) })
    }

    /// The work of a block in the first wave: 0 is what the first visit does without a message, and then come the messages in its inbox.
    pub(super) fn first(block: usize, number: usize) -> Arc<Trail> {
        Trail::new(block as u64, number as u64, None)
    }

    /// The message with this number that the work on this one sends to a block.
    pub(super) fn next(self: &Arc<Trail>, block: usize, number: usize) -> Arc<Trail> {
        Trail::new(block as u64, number as u64, Some(self.clone()))
    }

    /// The wave that would process the message.
    pub fn wave(&self) -> u32 {
        self.wave
    }

    /// From this message back to the first one.
    fn back(self: &Arc<Trail>) -> impl Iterator<Item = &Arc<Trail>> {
        std::iter::successors(Some(self), |trail| trail.before.as_ref())
    }

    /// The blocks and numbers, from the last message to the first.
    pub(super) fn steps(self: &Arc<Trail>) -> Vec<(u64, u64)> {
        self.back().map(|trail| (trail.block, trail.number)).collect()
    }

    /// The trail with these [steps](Trail::steps).
    pub(super) fn of_steps(steps: &[(u64, u64)]) -> Option<Arc<Trail>> {
        let next = |before, &(block, number): &(u64, u64)| Some(Trail::new(block, number, before));
        steps.iter().rev().fold(None, next)
    }

    fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// The block, the position of the message before, and the number: they compare as the messages of a wave do.
    fn key(&self) -> (u64, u64, u64) {
        (self.block, self.before.as_ref().map_or(0, |before| before.position()), self.number)
    }
}

/// One after the other: a long trail is a deep chain.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(mut trail) = before.and_then(Arc::into_inner) {
            before = trail.before.take();
        }
    }
}

/// Sorts results in the order of the waves.
///
/// Finds the positions of all messages in a wave from those in the wave before. Cost: a sort of the messages that led to these results.
pub(crate) fn in_order<R>(results: &mut [R], trail: impl Fn(&R) -> &Arc<Trail>) {
    let mut waves: BTreeMap<u32, Vec<&Arc<Trail>>> = BTreeMap::new();
    for result in &*results {
        let is_new = |trail: &&Arc<Trail>| trail.position.swap(SEEN, Ordering::Relaxed) == UNSEEN;
        for trail in trail(result).back().take_while(is_new) {
            waves.entry(trail.wave).or_default().push(trail);
        }
    }
    for mut wave in waves.into_values() {
        wave.sort_by_cached_key(|trail| trail.key());
        let mut last = None;
        let mut position = 0;
        for trail in wave {
            // Trails that came from another rank in two messages may be two copies.
            let key = trail.key();
            position += u64::from(last.replace(key).is_some_and(|last| last != key));
            trail.position.store(position, Ordering::Relaxed);
        }
    }
    results.sort_by_cached_key(|result| (trail(result).wave, trail(result).position()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_equal() {
        let trail = Trail::first(7, 3).next(5, 2).next(9, 0);
        let steps = trail.steps();
        assert_eq!(steps, [(9, 0), (5, 2), (7, 3)]);
        let copy = Trail::of_steps(&steps).unwrap();
        assert_eq!((copy.wave(), copy.steps()), (2, steps));
        assert!(Trail::of_steps(&[]).is_none());
    }

    #[test]
    fn the_earliest_difference_decides_after_the_senders() {
        let first = |block, number| Trail::first(block, number);
        let expected = [
            first(1, 0),
            first(1, 2),
            first(2, 1),
            // Block 1, by sender, then by the senders of their messages, then by the numbers from the first one on.
            first(4, 1).next(3, 0).next(1, 9),
            first(5, 0).next(3, 4).next(1, 0),
            first(5, 0).next(3, 4).next(1, 1),
            first(5, 0).next(3, 5).next(1, 0),
            first(5, 1).next(3, 0).next(1, 0),
            first(0, 0).next(4, 0).next(1, 0),
            first(0, 0).next(4, 0).next(2, 0),
        ];
        let mut shuffled: Vec<(usize, Arc<Trail>)> = expected.into_iter().enumerate().collect();
        shuffled.sort_by_key(|(number, _)| number * 7 % 10);
        // Some of them are copies.
        let copied = shuffled.iter_mut().filter(|(number, _)| number % 2 == 0);
        copied.for_each(|(_, trail)| *trail = Trail::of_steps(&trail.steps()).unwrap());
        in_order(&mut shuffled, |(_, trail)| trail);
        assert!(shuffled.iter().map(|(number, _)| *number).eq(0..10), "{shuffled:?}");
    }

    #[test]
    fn long_trails_end_without_recursion() {
        let mut trail = Trail::first(0, 0);
        for number in 0..1_000_000 {
            trail = trail.next(1, number);
        }
        in_order(&mut [trail.clone()], |trail| trail);
        assert_eq!((trail.wave(), trail.position()), (1_000_000, 0));
    }
}
