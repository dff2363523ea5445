//! Where the elements of an array are.

use super::cuts::Cuts;
use super::shares::Room;
use std::ops::Range;

/// Where the elements of one long vector are.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The global length.
    pub len: usize,
    /// The first element of this rank's share.
    pub offset: usize,
    /// All shares, on several ranks.
    pub(crate) cuts: Option<Cuts>,
    /// Space beside the share.
    pub room: Room,
    /// Whether it may be a slice that every rank has, passed as if it were a share: nothing says that it is one.
    pub(crate) plain: bool,
    /// Whether every rank has all elements.
    pub everywhere: bool,
    /// Where what the elements stand for cannot move to another rank: how many workers may work on it at a time.
    pub stays: Option<usize>,
}

impl Layout {
    /// Before the ranks have told each other the lengths of their shares, `len` is this share's.
    pub(crate) fn of_share(len: usize, cuts: Option<&Cuts>, room: Room, alone: bool) -> Self {
        let plain = cuts.is_none();
        let cuts = if alone { None } else { cuts.cloned() };
        Layout { len, offset: 0, cuts, room, plain, everywhere: false, stays: None }
    }

    /// Says where the shares are, and which of them this rank has.
    pub(crate) fn lie(&mut self, cuts: Option<Cuts>, rank: usize) {
        let cuts = cuts.unwrap_or_else(|| Cuts::from_lengths(&[self.len]));
        self.len = cuts.total();
        self.offset = cuts.range(rank).start;
        self.cuts = Some(cuts);
    }

    /// An array that every rank has whole.
    pub fn everywhere(len: usize) -> Self {
        Layout { len, offset: 0, cuts: None, room: Room::default(), plain: false, everywhere: true, stays: None }
    }

    /// Where the elements of a part are, seen by this rank. Beside it lie other elements: there is no room.
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
            stays: self.stays,
        }
    }

    /// How many ranks share the elements.
    pub fn ranks(&self) -> usize {
        self.cuts.as_ref().map_or(1, Cuts::ranks)
    }

    /// The elements of a rank.
    pub fn share_of(&self, rank: usize) -> Range<usize> {
        match &self.cuts {
            Some(cuts) => cuts.range(rank),
            None => 0..self.len,
        }
    }

    /// Where shares begin and end, on several ranks.
    pub(crate) fn cuts(&self) -> Option<&Cuts> {
        self.cuts.as_ref()
    }

    /// The rank that owns an element.
    pub fn owner(&self, element: usize) -> usize {
        self.cuts.as_ref().and_then(|cuts| cuts.owner(element)).unwrap_or(0)
    }
}

/// The elements that two ranges have in common.
pub(crate) fn overlap(one: &Range<usize>, two: &Range<usize>) -> Range<usize> {
    let start = one.start.max(two.start);
    start..one.end.min(two.end).max(start)
}
