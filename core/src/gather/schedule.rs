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
use crate::runtime::LruCache;
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
    pub(crate) fn bytes(&self) -> usize {
        8 * self.asked.words() + self.requests.iter().map(Vec::len).sum::<usize>()
    }
}

/// What a schedule hangs on, beside the loop's own text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The loop, by the address of its instance, and which of its inspectors.
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

/// The schedules of earlier calls of a rank.
pub(crate) type Schedules = LruCache<Key, Vec<Schedule>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_plain_or_long_are_no_key() {
        assert_eq!(captured(&[]).as_deref(), Some(&[][..]));
        assert_eq!(captured(&[Some((Type::U8, &[1])), Some((Type::U8, &[2]))]).as_deref(), Some(&[1, 2][..]));
        assert_eq!(captured(&[Some((Type::U8, &[1])), None]), None);
        assert_eq!(captured(&[Some((Type::U8, &[0; 257]))]), None);
    }
}
