//! Blocks in checkpoints.

use super::collection::BlockData;
use super::link::Link;
use super::set::Blocks;
use crate::checkpoint::{Bytes, CheckpointError, Load, Loading, Part, Piece, Save, Saving, load, save};
use std::any::type_name;
use std::path::Path;

/// The pieces of a block: its data, its links, and the messages that it has received or sent.
const PIECES: usize = 3;

impl<B: BlockData> Blocks<B> {
    /// Saves all blocks with their links and messages in one file, which all ranks write side by side:
    /// [`checkpoint::save`](crate::checkpoint::save). Collective. Spilled blocks and messages are copied from the store, and do not become
    /// resident.
    ///
    /// ```
    /// use forall_core::blocks::{Blocks, Link};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("ring");
    /// let mut blocks = Blocks::linked(3, |number| (number as u32, vec![Link::to((number + 1) % 3)]));
    /// for block in blocks.iter_mut() {
    ///     block.links().for_each(|link| block.send(link, &*block));
    /// }
    /// blocks.save(&path)?;
    ///
    /// let mut blocks = Blocks::<u32>::load(&path)?;
    /// for mut block in blocks.iter_mut() {
    ///     for message in block.inbox() {
    ///         *block += 10 * message.read::<u32>();
    ///     }
    /// }
    /// assert_eq!(blocks.to_all(), [20, 1, 12]);
    /// # Ok::<(), forall_core::checkpoint::CheckpointError>(())
    /// ```
    ///
    /// # Errors
    /// As [`checkpoint::save`](crate::checkpoint::save). An error with a block has its number.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        save(path, self)
    }

    /// Loads blocks that [`Blocks::save`] has written, on any number of ranks. Collective. Each rank gets as many blocks as by
    /// [`Blocks::from_fn`]; blocks beyond `FORALL_BLOCKS` are spilled.
    ///
    /// # Errors
    /// As [`checkpoint::load`](crate::checkpoint::load). If blocks of another type were saved, the error names both types.
    ///
    /// # Panics
    /// If a block or a message has to be spilled and this fails.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        load(path)
    }

    /// A piece of this rank's blocks.
    fn piece(&self, at: usize, kind: usize, path: &Path) -> Result<Bytes, CheckpointError> {
        let (blocks, number) = (self.collection(), self.numbers()[at]);
        let bytes = match kind {
            0 => blocks.bytes(at),
            1 => postcard::to_stdvec(&blocks.links[at][..]).map_err(|error| error.to_string()),
            _ => blocks.mailboxes[at]
                .saved(number)
                .map_err(|error| format!("has a message that cannot be read: {error}")),
        };
        let error =
            |reason| CheckpointError::Value { path: path.to_owned(), reason: format!("block {number} {reason}") };
        Ok((vec![number as u64, kind as u64], bytes.map_err(error)?))
    }

    /// Reads the blocks of this rank.
    fn read(&mut self, from: &mut Loading<'_>, pieces: &[Piece]) -> Result<(), CheckpointError> {
        let range = self.placement().tokens(self.rank());
        let away = self.collection().spills(range.len());
        let mut mine =
            pieces.iter().filter(|piece| piece.key.first().is_some_and(|number| range.contains(&(*number as usize))));
        let mut mine: Vec<&Piece> = mine.by_ref().collect();
        mine.sort_by(|one, other| one.key.cmp(&other.key));
        if mine.len() != PIECES * range.len() {
            return Err(from.misfit("blocks are missing".to_owned()));
        }
        for (number, pieces) in range.zip(mine.chunks(PIECES)) {
            let what = || format!("block {number}");
            let [data, links, mail] = [0, 1, 2].map(|kind| from.read(pieces[kind], &what));
            let misfit = || from.misfit(format!("block {number} cannot be read as a `{}`", type_name::<B>()));
            let data = self.collection().block_of(&data?).ok_or_else(misfit)?;
            let links: Vec<Link> = postcard::from_bytes(&links?).map_err(|_| misfit())?;
            self.push(number, data, links);
            let mailbox = self.collection().mailboxes.last().ok_or_else(misfit)?;
            mailbox.restore(&mail?, away).ok_or_else(misfit)?;
        }
        Ok(())
    }
}

fn name<B>() -> String {
    format!("Blocks<{}>", type_name::<B>())
}

impl<B: BlockData> Save for Blocks<B> {
    fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
        let ranks = self.placement().ranks();
        assert_eq!(ranks, to.ranks(), "blocks on {ranks} ranks are saved by all of them, outside of loops");
        let (path, count) = (to.path().to_owned(), self.numbers().len());
        let mut pieces = (0..count).flat_map(|at| (0..PIECES).map(move |kind| (at, kind)));
        let part = Part { name: name::<B>(), len: self.len() as u64, size: 0, lengths: Vec::new() };
        to.part(part, &mut || pieces.next().map(|(at, kind)| self.piece(at, kind, &path)))
    }
}

impl<B: BlockData> Load for Blocks<B> {
    fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
        let (part, pieces) = from.part(&name::<B>(), 0)?;
        let mut blocks = Blocks::none_of(part.len as usize);
        let read = blocks.read(from, &pieces);
        from.agreed(read)?;
        Ok(blocks)
    }
}
