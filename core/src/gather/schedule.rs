//! Communication schedules, and their reuse in later calls.
//!
//! To compute a schedule, the *inspector* runs and the ranks exchange the requested indices. Loops of iterative methods request the same
//! indices again and again, so schedules are cached. A cached schedule is valid as long as the inputs of the inspector are the same on all
//! ranks: its arrays, compared by their [versions](crate::device::Residence::version), and the plain values that it captures. From Saltz,
//! Crowley, Mirchandaney and Berryman, "Run-time scheduling and execution of loops on message passing machines", Journal of
//! Parallel and Distributed Computing 8 (1990).

use super::requested::Requested;
use crate::data::{Cuts, Layout};
use crate::device::Type;
use crate::runtime::LruCache;
use std::ops::Range;
use std::rc::Rc;

/// The communication schedule of one array.
#[derive(Debug)]
pub struct Schedule {
    pub(crate) requested: Requested,
    /// The range from the first to the last requested element.
    pub(crate) hull: Range<usize>,
    /// Whether all elements of this range are fetched.
    pub(crate) dense: bool,
    /// For each owner: its rank, the range of its elements that contains the requested ones, and their number.
    pub(crate) wanted: Vec<(usize, Range<usize>, usize)>,
    /// The request of each rank to this one.
    pub(crate) requests: Vec<Vec<u8>>,
}

impl Schedule {
    /// Its approximate size in memory.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.requested.words() + self.requests.iter().map(Vec::len).sum::<usize>()
    }
}

/// The inputs of a schedule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The address of the loop's instance, and the number of the inspector.
    pub loop_at: usize,
    pub stage: usize,
    /// The positions of this rank.
    pub mine: Range<usize>,
    /// The layouts of all arrays.
    pub places: Vec<(usize, usize, Option<Cuts>)>,
    /// The versions of the arrays that the inspector reads.
    pub versions: Vec<u64>,
    /// The plain values that it captures.
    pub captured: Rc<[u8]>,
}

impl Key {
    /// The layout of an array, as a part of a key.
    pub(crate) fn place(layout: &Layout) -> (usize, usize, Option<Cuts>) {
        (layout.len, layout.offset, layout.cuts().cloned())
    }
}

/// The bytes of captured values; `None` if one of them is not plain data, or too long.
pub fn captured(values: &[Option<(Type, &[u8])>]) -> Option<Rc<[u8]>> {
    const LONG: usize = 256;
    let mut all = Vec::new();
    for value in values {
        let (_, bytes) = value.filter(|(_, bytes)| bytes.len() <= LONG)?;
        all.extend_from_slice(bytes);
    }
    Some(all.into())
}

/// The cached schedules of a rank.
pub(crate) type Schedules = LruCache<Key, Vec<Schedule>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_long_or_not_plain_are_no_key() {
        assert_eq!(captured(&[]).as_deref(), Some(&[][..]));
        assert_eq!(captured(&[Some((Type::U8, &[1])), Some((Type::U8, &[2]))]).as_deref(), Some(&[1, 2][..]));
        assert_eq!(captured(&[Some((Type::U8, &[1])), None]), None);
        assert_eq!(captured(&[Some((Type::U8, &[0; 257]))]), None);
    }
}
