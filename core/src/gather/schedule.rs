//! Who fetches what from whom, and when that is known from an earlier call.
//!
//! To find it out, a part of the loop's body runs (the *inspector*), and each rank tells the others what it asks for. Loops of
//! iterative methods ask for the same again and again: then the schedule of an earlier call holds, and elements alone move. It
//! does as long as all that the inspector looks at is the same on all ranks: its arrays, by their
//! [versions](crate::device::Residence::version), and the plain values that it captures. Reuse of schedules is from Saltz,
//! Crowley, Mirchandaney and Berryman, "Run-time scheduling and execution of loops on message passing machines", Journal of
//! Parallel and Distributed Computing 8 (1990).

use super::asked::Asked;
use crate::data::{Cuts, Layout};
use crate::device::Type;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// What the ranks fetch of one array.
#[derive(Debug)]
pub struct Schedule {
    pub(crate) asked: Asked,
    /// From the first to the last element that this rank asks for.
    pub(crate) hull: Range<usize>,
    /// Whether all of that is fetched.
    pub(crate) dense: bool,
    /// The owners of what this rank wants, where that lies among their elements, and how many they are.
    pub(crate) wanted: Vec<(usize, Range<usize>, usize)>,
    /// What each rank wants of this one.
    pub(crate) requests: Vec<Vec<u8>>,
}

impl Schedule {
    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        8 * self.asked.words() + self.requests.iter().map(Vec::len).sum::<usize>()
    }
}

/// What a schedule hangs on, beside the loop's own text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The loop, by the address of what is known of it when it is compiled, and which of its inspectors.
    pub loop_at: usize,
    pub stage: usize,
    /// The positions of this rank.
    pub mine: Range<usize>,
    /// Where the elements of all arrays are.
    pub places: Vec<(usize, usize, Option<Cuts>)>,
    /// What the inspector looks at.
    pub versions: Vec<u64>,
    /// The plain values that it captures.
    pub captured: Rc<[u8]>,
}

impl Key {
    /// Where the elements of an array are.
    pub(crate) fn place(layout: &Layout) -> (usize, usize, Option<Cuts>) {
        (layout.len, layout.offset, layout.cuts().cloned())
    }
}

/// The bytes of captured values; `None` where there is one that is not plain, or is long.
pub fn captured(values: &[Option<(Type, &[u8])>]) -> Option<Rc<[u8]>> {
    const LONG: usize = 256;
    let mut all = Vec::new();
    for value in values {
        let (_, bytes) = value.filter(|(_, bytes)| bytes.len() <= LONG)?;
        all.extend_from_slice(bytes);
    }
    Some(all.into())
}

/// The schedules of earlier calls of a rank, the one that was used last at the end.
#[derive(Debug, Default)]
pub(crate) struct Schedules(VecDeque<(Key, Rc<Vec<Schedule>>)>);

/// How many are kept, and how much memory they may take together: one may take more.
const MOST: usize = 32;
const MOST_BYTES: usize = 64 << 20;

impl Schedules {
    /// Those for the arrays of this key.
    pub(crate) fn of(&mut self, key: &Key) -> Option<Rc<Vec<Schedule>>> {
        let found = self.0.iter().position(|(known, _)| known == key)?;
        let found = self.0.remove(found)?;
        let schedules = Rc::clone(&found.1);
        self.0.push_back(found);
        Some(schedules)
    }

    /// Keeps those for the arrays of this key.
    pub(crate) fn keep(&mut self, key: Key, schedules: Rc<Vec<Schedule>>) {
        self.0.retain(|(known, _)| *known != key);
        self.0.push_back((key, schedules));
        let bytes = |(_, schedules): &(Key, Rc<Vec<Schedule>>)| schedules.iter().map(Schedule::bytes).sum::<usize>();
        let mut total: usize = self.0.iter().map(bytes).sum();
        while self.0.len() > MOST || total > MOST_BYTES && self.0.len() > 1 {
            total -= self.0.pop_front().as_ref().map_or(0, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(stage: usize) -> Key {
        Key { loop_at: 1, stage, mine: 0..3, places: Vec::new(), versions: vec![7], captured: Rc::new([]) }
    }

    fn schedules(words: usize) -> Rc<Vec<Schedule>> {
        let asked = crate::gather::asked::Asks::new([64 * words]).into_asked().remove(0);
        Rc::new(vec![Schedule { asked, hull: 0..0, dense: false, wanted: Vec::new(), requests: vec![vec![1, 2]] }])
    }

    #[test]
    fn the_ones_that_were_used_last_are_kept() {
        let mut kept = Schedules::default();
        for stage in 0..MOST {
            kept.keep(key(stage), schedules(1));
        }
        assert!(kept.of(&key(0)).is_some());
        kept.keep(key(MOST), schedules(1));
        assert!(kept.of(&key(0)).is_some() && kept.of(&key(1)).is_none() && kept.of(&key(2)).is_some());
        let other = Key { versions: vec![8], ..key(2) };
        assert!(kept.of(&other).is_none());
        // Large ones push the others out, but not themselves.
        kept.keep(key(0), schedules(MOST_BYTES / 8 + 1));
        assert_eq!(kept.0.len(), 1);
        assert!(kept.of(&key(0)).is_some());
    }

    #[test]
    fn values_that_are_not_plain_or_long_are_no_key() {
        assert_eq!(captured(&[]).as_deref(), Some(&[][..]));
        assert_eq!(captured(&[Some((Type::U8, &[1])), Some((Type::U8, &[2]))]).as_deref(), Some(&[1, 2][..]));
        assert_eq!(captured(&[Some((Type::U8, &[1])), None]), None);
        assert_eq!(captured(&[Some((Type::U8, &[0; 257]))]), None);
    }
}
