//! Blocks that move between ranks: so that all ranks have about equally much work, or to where an assigner has them.

use super::block::Block;
use super::collection::BlockData;
use super::link::Link;
use super::placement::{Assigner, Placement};
use super::set::Blocks;
use super::weights::by_weights;
use crate::comm::{Comm, collective};
use crate::data::together;
use crate::element::bytes_of;
use crate::runtime::Value;

/// About as many bytes as a rank sends at a time.
const PARCEL: usize = 1 << 26;

impl<B: BlockData> Blocks<B> {
    /// Moves blocks between ranks, so that the greatest sum of weights of a rank is as small as possible. Returns how many blocks have moved.
    /// Collective.
    ///
    /// The blocks of a rank have consecutive numbers afterwards. Links and messages move with their blocks; spilled blocks are copied
    /// from the store and do not become resident. A rank may end without blocks. On one rank, nothing moves. No result of a loop depends on
    /// where its blocks are.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let mut blocks = Blocks::from_fn(4, |number| vec![0_u8; 100 * number]);
    /// let moved = blocks.balance_by(|block| block.len());
    /// assert_eq!((moved, blocks.rank_of(3)), (0, Some(0)));
    /// ```
    ///
    /// Cost: the weights of all blocks on all ranks, and the bytes of the blocks that move, at most about 64 MiB at a time for each rank.
    ///
    /// # Panics
    /// If a block cannot be read from the store or written to it, or serde cannot write or read it.
    #[track_caller]
    pub fn balance_by(&mut self, mut weight: impl FnMut(&Block<'_, B>) -> usize) -> usize {
        if self.placement().ranks() == 1 {
            return 0;
        }
        let own: Vec<[u64; 2]> = self.iter().map(|block| [block.number() as u64, weight(&block) as u64]).collect();
        let values = [Value::same("the number of blocks", self.len() as u64)];
        together("Blocks::balance_by", &values, |comm, _| {
            let mut weights = collective::allgather_varied(comm, &own).0;
            weights.sort_unstable();
            let weights: Vec<u64> = weights.into_iter().map(|[_, weight]| weight).collect();
            self.move_to(comm, Placement::contiguous(by_weights(&weights, comm.ranks())))
        })
    }

    /// Moves blocks to the ranks that an assigner gives them, with their links and messages. Returns how many blocks have moved. Collective: all
    /// ranks give equal assigners.
    ///
    /// ```
    /// use forall_core::blocks::{Assigner, Blocks};
    ///
    /// let mut blocks = Blocks::from_fn(4, |number| number);
    /// assert_eq!(blocks.assign(&Assigner::Ranks(vec![0; 4])), 0);
    /// ```
    ///
    /// Cost: the bytes of the blocks that move, at most about 64 MiB at a time for each rank.
    ///
    /// # Panics
    /// As [`Blocks::balance_by`], and if the assigner does not fit the number of blocks or of ranks.
    #[track_caller]
    pub fn assign(&mut self, assigner: &Assigner) -> usize {
        let placement = assigner.place(self.len(), self.placement().ranks());
        self.place(placement)
    }

    /// Moves blocks to where this placement has them. Returns how many have moved. Collective.
    pub(super) fn place(&mut self, placement: Placement) -> usize {
        if placement.ranks() == 1 {
            return 0;
        }
        let owners: Vec<u64> =
            (0..placement.total()).filter_map(|block| Some(placement.owner(block)? as u64)).collect();
        let checksum = u64::from(crc32fast::hash(bytes_of(&owners)));
        let values = [
            Value::same("the number of blocks", self.len() as u64),
            Value::same("the assigner, by the checksum of its ranks,", checksum),
        ];
        together("Blocks::assign", &values, |comm, _| self.move_to(comm, placement))
    }

    /// `f(0)`, `f(1)`, .. for as many blocks as there are weights, each with its links. Each rank makes its own blocks, which have consecutive
    /// numbers, and the greatest sum of weights of a rank is as small as possible. All ranks give the same weights. Needs no communication.
    ///
    /// ```
    /// use forall_core::blocks::Blocks;
    ///
    /// let blocks = Blocks::by_weights(&[5, 1, 1, 3], |number| (number, Vec::new()));
    /// assert_eq!(blocks.to_all(), [0, 1, 2, 3]);
    /// ```
    ///
    /// # Panics
    /// As [`Blocks::linked`].
    #[track_caller]
    pub fn by_weights(weights: &[usize], f: impl FnMut(usize) -> (B, Vec<Link>)) -> Self {
        Self::assigned(weights.len(), &Assigner::ByWeights(weights.to_vec()), f)
    }

    /// The same on these ranks.
    fn move_to(&mut self, comm: &dyn Comm, placement: Placement) -> usize {
        let moved = moved(self.placement(), &placement);
        if moved == 0 {
            // A placement may have other tokens.
            self.arrange(placement);
            return 0;
        }
        let leaves = |number: &usize| placement.owner(*number) != Some(comm.rank());
        let leaving: Vec<usize> = self.numbers().iter().copied().filter(leaves).collect();
        let mut next = leaving.iter().peekable();
        loop {
            let mut parcels: Vec<Vec<u8>> = vec![Vec::new(); comm.ranks()];
            let mut size = 0;
            while size < PARCEL
                && let Some(number) = next.next()
            {
                let packed = self.packed(*number);
                size += packed.len();
                let to = placement.owner(*number).expect("all blocks have a rank");
                parcels[to].extend_from_slice(&(packed.len() as u64).to_le_bytes());
                parcels[to].extend_from_slice(&packed);
            }
            for parcel in collective::all_to_all(comm, &parcels) {
                let mut rest = &parcel[..];
                while let Some((length, behind)) = rest.split_first_chunk() {
                    let (packed, others) = behind.split_at(u64::from_le_bytes(*length) as usize);
                    self.unpack(packed);
                    rest = others;
                }
            }
            let more = collective::allgather(comm, &[u8::from(next.peek().is_some())]);
            if more.iter().all(|more| *more == 0) {
                break;
            }
        }
        self.arrange(placement);
        moved
    }
}

/// The number of blocks that are on another rank by these placements.
fn moved(before: &Placement, after: &Placement) -> usize {
    (0..before.total()).filter(|number| before.owner(*number) != after.owner(*number)).count()
}
