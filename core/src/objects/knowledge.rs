//! Who owns which box: what a rank knows, and the part of the directory that it keeps. Nothing here communicates.

use super::area::Area;
use super::map::{Areas, Map};
use crate::settings::Directory;
use std::collections::BTreeSet;

/// The owner of a box. `None` if nobody has written it, and its elements are zero.
pub(super) type Owner = Option<usize>;

/// The owner of a box, as far as this rank has learnt it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub owner: Owner,
    /// Whether all ranks know this owner, and know that all know it.
    pub common: bool,
}

/// An entry of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub owner: Owner,
    knowers: Knowers,
}

/// The ranks that have learnt the owner of a box. Only they can have copies of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Knowers {
    All,
    These(BTreeSet<usize>),
}

/// The knowledge of a rank about the boxes of an object.
///
/// - A rank's part of the directory has an entry for each index of its cells.
/// - If `sources` has an owner for a box, the directory has the same owner, and lists this rank as one that knows it.
/// - The elements in `held` are equal to the owner's. Each is owned by this rank, or its owner is in `sources`.
/// - `common` is the same on all ranks, and so are `copies`.
#[derive(Debug)]
pub(super) struct Knowledge {
    pub rank: usize,
    pub ranks: usize,
    pub whole: Area,
    pub sources: Map<Source>,
    /// The valid elements in this rank's memory: the ones that it owns, and copies.
    pub held: Areas,
    /// The copies that each rank has received in steps that all ranks know.
    copies: Vec<Areas>,
    cells: Cells,
    directory: Map<Entry>,
}

/// An answer of the directory: boxes with their owners.
pub(super) type Owners = Vec<(Area, Owner)>;

impl Knowledge {
    /// An object whose parts have these owners, and are held by them. All ranks know the parts.
    pub fn new(number: u64, whole: Area, rank: usize, ranks: usize, kind: Directory, parts: &[(Area, Owner)]) -> Self {
        let mut knowledge = Knowledge {
            rank,
            ranks,
            whole,
            sources: Map::filled(whole, Source { owner: None, common: true }),
            held: Areas::default(),
            copies: vec![Areas::default(); ranks],
            cells: Cells::new(number, whole, ranks, kind),
            directory: Map::default(),
        };
        for (part, keeper) in knowledge.cells.parts(whole) {
            if keeper == rank {
                knowledge.directory.set(part, Entry { owner: None, knowers: Knowers::All });
            }
        }
        for (area, owner) in parts {
            knowledge.owned_in_common(*area, *owner);
        }
        knowledge
    }

    /// The parts of a box, with the rank that keeps the directory's entries for each.
    pub fn keepers(&self, area: Area) -> Vec<(Area, usize)> {
        self.cells.parts(area.common(&self.whole))
    }

    /// The parts of a box whose owner this rank does not know.
    pub fn unknown(&self, area: Area) -> Vec<Area> {
        self.sources.missing(area)
    }

    /// Whether all ranks know who owns each part of a box. All ranks give the same answer.
    pub fn is_common(&self, area: Area) -> bool {
        let common = self.sources.within(area).filter(|(_, source)| source.common);
        common.map(|(part, _)| part.len()).sum::<usize>() == area.len()
    }

    /// Answers a rank's question, and notes that it knows.
    pub fn answer(&mut self, area: Area, asker: usize) -> Owners {
        let found: Vec<(Area, Entry)> =
            self.directory.within(area).map(|(part, entry)| (part, entry.clone())).collect();
        let answer = found.iter().map(|(part, entry)| (*part, entry.owner)).collect();
        for (part, mut entry) in found {
            if let Knowers::These(ranks) = &mut entry.knowers {
                ranks.insert(asker);
                self.directory.set(part, entry);
            }
        }
        answer
    }

    /// Learns an answer of the directory.
    pub fn learn(&mut self, owners: Owners) {
        for (area, owner) in owners {
            self.sources.set(area, Source { owner, common: false });
        }
    }

    /// This rank's entries of the directory in a box that not all ranks know.
    pub fn entries(&self, area: Area) -> Owners {
        let of_some = self.directory.within(area).filter(|(_, entry)| entry.knowers != Knowers::All);
        of_some.map(|(part, entry)| (part, entry.owner)).collect()
    }

    /// Makes owners common: all ranks learn them at the same time.
    pub fn learn_in_common(&mut self, owners: &Owners) {
        for (area, owner) in owners {
            self.sources.set(*area, Source { owner: *owner, common: true });
            self.enter(*area, Entry { owner: *owner, knowers: Knowers::All });
        }
    }

    /// A rank owns a box from now on, and all ranks know it. Copies end.
    pub fn owned_in_common(&mut self, area: Area, owner: Owner) {
        self.learn_in_common(&vec![(area, owner)]);
        self.copies.iter_mut().for_each(|copies| copies.cut(area));
        match owner == Some(self.rank) {
            true => self.held.add(area),
            false => self.held.cut(area),
        }
    }

    /// A rank gets a copy of a box, and all ranks know it.
    pub fn copied_in_common(&mut self, area: Area, to: usize) {
        self.copies[to].add(area);
        if to == self.rank {
            self.held.add(area);
        }
    }

    /// The parts of a box that a rank needs from their owners, given what all ranks know. The parts are common.
    pub fn needed(&self, area: Area, by: usize) -> Vec<(Area, usize)> {
        let remote = self.sources.within(area).filter_map(|(part, source)| Some((part, source.owner?)));
        let remote = remote.filter(|(_, owner)| *owner != by);
        remote
            .flat_map(|(part, owner)| self.copies[by].missing(part).into_iter().map(move |part| (part, owner)))
            .collect()
    }

    /// Whether a rank holds a part of a box, given what all ranks know: the number of elements.
    pub fn count_held(&self, area: Area, by: usize) -> usize {
        let owned = self.sources.within(area).filter(|(_, source)| source.owner == Some(by));
        owned.map(|(part, _)| part.len()).sum::<usize>() + self.copies[by].count_within(area)
    }

    /// The boxes that this rank owns.
    pub fn owned(&self) -> impl Iterator<Item = Area> + '_ {
        let own = self.sources.iter().filter(|(_, source)| source.owner == Some(self.rank));
        own.map(|(area, _)| area)
    }

    /// This rank owns a box from now on, and alone knows it.
    pub fn claim(&mut self, area: Area) {
        self.forget(area);
        self.sources.set(area, Source { owner: Some(self.rank), common: false });
        self.held.add(area);
    }

    /// Another rank owns a box from now on: what this rank knew of it is no longer true.
    pub fn forget(&mut self, area: Area) {
        self.sources.cut(area);
        self.held.cut(area);
        // Copies were noted only in boxes that were common, so all ranks are told of this claim.
        self.copies.iter_mut().for_each(|copies| copies.cut(area));
    }

    /// Enters claims, in this order, into this rank's part of the directory: the last one to claim an index owns it. Returns what each
    /// rank has to forget.
    pub fn enter_claims(&mut self, claims: &[(usize, Vec<Area>)]) -> Vec<Areas> {
        let mut forget = vec![Areas::default(); self.ranks];
        let all: Areas = Areas::of(claims.iter().flat_map(|(_, areas)| areas.iter().copied()));
        for area in all.areas() {
            let before: Vec<(Area, Entry)> =
                self.directory.within(area).map(|(part, entry)| (part, entry.clone())).collect();
            for (part, entry) in before {
                match entry.knowers {
                    Knowers::All => forget.iter_mut().for_each(|areas| areas.add(part)),
                    Knowers::These(ranks) => ranks.into_iter().for_each(|rank| forget[rank].add(part)),
                }
            }
        }
        for (claimant, areas) in claims {
            for area in areas {
                forget[*claimant].add(*area);
                let knowers = Knowers::These(BTreeSet::from([*claimant]));
                self.enter(*area, Entry { owner: Some(*claimant), knowers });
            }
        }
        for (rank, forget) in forget.iter_mut().enumerate() {
            for area in all.areas() {
                let own = self.directory.within(area).filter(|(_, entry)| entry.owner == Some(rank));
                own.for_each(|(part, _)| forget.cut(part));
            }
        }
        forget
    }

    /// Sets the part of an entry that this rank keeps.
    fn enter(&mut self, area: Area, entry: Entry) {
        for (part, keeper) in self.cells.parts(area) {
            if keeper == self.rank {
                self.directory.set(part, entry.clone());
            }
        }
    }
}

/// The cells of the directory: a rank keeps the entries of the boxes in a cell.
#[derive(Debug)]
struct Cells {
    /// The length of a cell along each axis.
    lengths: [usize; 3],
    number: u64,
    ranks: usize,
}

impl Cells {
    /// There are about four cells for each rank, so that the directory is even, and most boxes lie in few cells.
    fn new(number: u64, whole: Area, ranks: usize, kind: Directory) -> Self {
        let extents = whole.extents();
        let mut lengths = extents.map(|length| length.max(1));
        let wanted = if kind == Directory::Root || ranks == 1 { 1 } else { 4 * ranks };
        let count =
            |lengths: &[usize; 3]| -> usize { (0..3).map(|axis| extents[axis].div_ceil(lengths[axis])).product() };
        while count(&lengths) < wanted {
            // Among equal axes the slowest.
            let Some(longest) = (0..3).rev().max_by_key(|axis| lengths[*axis]).filter(|axis| lengths[*axis] > 1) else {
                break;
            };
            lengths[longest] = lengths[longest].div_ceil(2);
        }
        Cells { lengths, number, ranks: if kind == Directory::Root { 1 } else { ranks } }
    }

    /// The parts of a box, with the rank of the cell that each lies in.
    fn parts(&self, area: Area) -> Vec<(Area, usize)> {
        if area.is_empty() {
            return Vec::new();
        }
        if self.ranks == 1 {
            return vec![(area, 0)];
        }
        let cells: [_; 3] = std::array::from_fn(|axis| {
            area.start[axis] / self.lengths[axis]..area.end[axis].div_ceil(self.lengths[axis])
        });
        let mut parts: Vec<(Area, usize)> = Vec::new();
        for z in cells[0].clone() {
            for y in cells[1].clone() {
                for x in cells[2].clone() {
                    let start = [z * self.lengths[0], y * self.lengths[1], x * self.lengths[2]];
                    let end = std::array::from_fn(|axis| start[axis] + self.lengths[axis]);
                    parts.push((Area { start, end }.common(&area), self.keeper([z, y, x])));
                }
            }
        }
        parts
    }

    /// The rank of a cell: a hash, so that objects and cells are spread evenly.
    fn keeper(&self, cell: [usize; 3]) -> usize {
        let words = [self.number, cell[0] as u64, cell[1] as u64, cell[2] as u64];
        let hash = words.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |hash, word| {
            let mixed = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed ^ (mixed >> 29)
        });
        (hash % self.ranks as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(y: std::ops::Range<usize>, x: std::ops::Range<usize>) -> Area {
        Area::of(&[y, x])
    }

    #[test]
    fn the_cells_cover_each_index_once() {
        for (ranks, kind) in
            [(1, Directory::Hashed), (4, Directory::Hashed), (7, Directory::Hashed), (7, Directory::Root)]
        {
            for area in [flat(0..64, 0..50), flat(3..40, 7..8), flat(0..0, 3..4)] {
                let cells = Cells::new(5, flat(0..64, 0..50), ranks, kind);
                let parts = cells.parts(area);
                assert_eq!(Areas::of(parts.iter().map(|(part, _)| *part)).count(), area.len());
                assert_eq!(parts.iter().map(|(part, _)| part.len()).sum::<usize>(), area.len());
                assert!(parts.iter().all(|(_, keeper)| *keeper < ranks && (kind == Directory::Hashed || *keeper == 0)));
            }
        }
        let cells = Cells::new(5, flat(0..64, 0..64), 4, Directory::Hashed);
        let keepers: BTreeSet<usize> = cells.parts(flat(0..64, 0..64)).into_iter().map(|(_, keeper)| keeper).collect();
        assert!(keepers.len() > 2, "{keepers:?}");
        assert_eq!(Cells::new(5, flat(0..0, 0..9), 4, Directory::Hashed).parts(flat(0..0, 0..9)), []);
    }

    #[test]
    fn a_claim_ends_what_other_ranks_know() {
        let whole = flat(0..4, 0..4);
        let mut kept = Knowledge::new(
            0,
            whole,
            0,
            3,
            Directory::Root,
            &[(flat(0..2, 0..4), Some(0)), (flat(2..4, 0..4), Some(1))],
        );
        assert!(kept.is_common(whole));
        let forget = kept.enter_claims(&[(1, vec![flat(0..1, 0..4)]), (2, vec![flat(0..1, 2..4)])]);
        // All knew the old owner; the later claim wins.
        assert_eq!(forget.iter().map(Areas::count).collect::<Vec<_>>(), [4, 2, 2]);
        assert_eq!(kept.answer(flat(0..1, 0..4), 0), [(flat(0..1, 0..2), Some(1)), (flat(0..1, 2..4), Some(2))]);
        // Those that asked, and the owner, have to be told.
        let forget = kept.enter_claims(&[(1, vec![flat(0..1, 0..4)])]);
        assert_eq!(forget.iter().map(Areas::count).collect::<Vec<_>>(), [4, 0, 2]);
    }
}
