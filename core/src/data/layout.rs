//! The layout of an array over the ranks.

use super::cuts::Cuts;
use super::shares::Room;
use std::ops::Range;
use std::sync::Arc;

/// The layout of a distributed vector.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The global length.
    pub len: usize,
    /// The index of the first element of this rank's share.
    pub offset: usize,
    /// The cuts, if there are several ranks.
    pub(crate) cuts: Option<Cuts>,
    /// The space around the share.
    pub room: Room,
    /// Whether the argument is a plain slice that may be replicated by mistake.
    pub(crate) plain: bool,
    /// Whether the array is replicated.
    pub everywhere: bool,
    /// For tokens of blocks, which cannot move to another rank.
    pub stays: Option<Stays>,
}

/// The blocks for which the elements of an array stand.
#[derive(Debug, Clone)]
pub struct Stays {
    /// The number of workers that may use them at a time.
    pub workers: usize,
    /// The rank of each block, if these are not the ranks of the tokens.
    pub owners: Option<Arc<[usize]>>,
}

impl Layout {
    /// The layout of a share. Until the handshake, `len` is the length of the share.
    pub(crate) fn of_share(len: usize, cuts: Option<&Cuts>, room: Room, alone: bool) -> Self {
        let plain = cuts.is_none();
        let cuts = if alone { None } else { cuts.cloned() };
        Layout { len, offset: 0, cuts, room, plain, everywhere: false, stays: None }
    }

    /// Sets the cuts and this rank's share.
    pub(crate) fn lie(&mut self, cuts: Option<Cuts>, rank: usize) {
        let cuts = cuts.unwrap_or_else(|| Cuts::from_lengths(&[self.len]));
        self.len = cuts.total();
        self.offset = cuts.range(rank).start;
        self.cuts = Some(cuts);
    }

    /// A replicated array.
    pub fn everywhere(len: usize) -> Self {
        Layout { len, offset: 0, cuts: None, room: Room::default(), plain: false, everywhere: true, stays: None }
    }

    /// The layout of a part. It has no space around its share, because other elements are there.
    pub(crate) fn part(&self, range: Range<usize>, rank: usize) -> Self {
        let lengths = |cuts: &Cuts| -> Vec<usize> {
            (0..cuts.ranks()).map(|rank| overlap(&cuts.range(rank), &range).len()).collect()
        };
        let cuts = self.cuts.as_ref().map(|cuts| Cuts::from_lengths(&lengths(cuts)));
        let offset = cuts.as_ref().map_or(0, |cuts| cuts.range(rank).start);
        Layout {
            len: range.len(),
            offset,
            cuts,
            room: Room::default(),
            plain: false,
            everywhere: self.everywhere,
            stays: self.stays.clone(),
        }
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.cuts.as_ref().map_or(1, Cuts::ranks)
    }

    /// The share of a rank.
    pub fn share_of(&self, rank: usize) -> Range<usize> {
        match &self.cuts {
            Some(cuts) => cuts.range(rank),
            None => 0..self.len,
        }
    }

    /// The cuts, if there are several ranks.
    pub(crate) fn cuts(&self) -> Option<&Cuts> {
        self.cuts.as_ref()
    }

    /// The rank of the block for which an element stands; otherwise the owner of the element.
    pub fn holder(&self, element: usize) -> usize {
        let owners = self.stays.as_ref().and_then(|stays| stays.owners.as_ref());
        owners.and_then(|owners| owners.get(element).copied()).unwrap_or_else(|| self.owner(element))
    }

    /// Whether the elements stand for blocks that are on other ranks.
    pub fn is_elsewhere(&self) -> bool {
        self.stays.as_ref().is_some_and(|stays| stays.owners.is_some())
    }

    /// The rank that owns an element.
    pub fn owner(&self, element: usize) -> usize {
        self.cuts.as_ref().and_then(|cuts| cuts.owner(element)).unwrap_or(0)
    }
}

/// The intersection of two ranges.
pub(crate) fn overlap(one: &Range<usize>, two: &Range<usize>) -> Range<usize> {
    let start = one.start.max(two.start);
    start..one.end.min(two.end).max(start)
}
