//! Distributed vectors in checkpoints.

use super::error::CheckpointError;
use super::format::{Part, Piece};
use super::loading::{Load, Loading, load};
use super::saving::{Save, Saving, save};
use crate::data::{Cuts, DistVec};
use crate::element::{Element, bytes_of};
use bytemuck::CheckedBitPattern;
use bytemuck::checked::{CheckedCastError, try_cast_slice, try_pod_read_unaligned};
use std::any::type_name;
use std::ops::Range;
use std::path::Path;

/// The approximate number of bytes of a piece.
const PIECE: usize = 1 << 20;

impl<T: Element> DistVec<T> {
    /// Saves the vector in one file, which all ranks write side by side: [`checkpoint::save`](crate::checkpoint::save). Collective.
    ///
    /// ```
    /// use forall_core::data::DistVec;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("squares");
    /// DistVec::from_fn(1000, |i| i * i).save(&path)?;
    /// assert_eq!(DistVec::<usize>::load(&path)?.back(), Some(998_001));
    /// # Ok::<(), forall_core::checkpoint::CheckpointError>(())
    /// ```
    ///
    /// # Errors
    /// As [`checkpoint::save`](crate::checkpoint::save).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        save(path, self)
    }

    /// Loads a vector that [`DistVec::save`] has written, on any number of ranks. Collective. On the same number of ranks, the cuts are
    /// those of the saved vector; on another one, the vector is cut as by [`Cuts::even`].
    ///
    /// # Errors
    /// As [`checkpoint::load`](crate::checkpoint::load), and if bytes are no value of the type, as 2 for a `bool`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CheckpointError>
    where
        T: CheckedBitPattern,
    {
        load(path)
    }
}

fn name<T>() -> String {
    format!("DistVec<{}>", type_name::<T>())
}

impl<T: Element> Save for DistVec<T> {
    fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
        let ranks = self.cuts().ranks();
        assert_eq!(ranks, to.ranks(), "a vector on {ranks} ranks is saved by all of them, outside of loops");
        let lengths = (0..ranks).map(|rank| self.cuts().range(rank).len() as u64).collect();
        let part = Part { name: name::<T>(), len: self.len() as u64, size: size_of::<T>() as u64, lengths };
        let mut start = self.offset();
        let mut pieces = self.local().chunks(PIECE.checked_div(size_of::<T>()).unwrap_or(usize::MAX).max(1));
        to.part(part, &mut || {
            let piece = pieces.next()?;
            let key = vec![start as u64, piece.len() as u64];
            start += piece.len();
            Some(Ok((key, bytes_of(piece).to_vec())))
        })
    }
}

impl<T: Element + CheckedBitPattern> Load for DistVec<T> {
    fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
        let (part, pieces) = from.part(&name::<T>(), size_of::<T>())?;
        let cuts = match part.lengths.len() == from.ranks() {
            true => Cuts::from_lengths(&part.lengths.iter().map(|length| *length as usize).collect::<Vec<_>>()),
            false => Cuts::even(part.len as usize, from.ranks()),
        };
        let mut local = Vec::with_capacity(cuts.range(from.rank()).len());
        let read = read(from, &pieces, cuts.range(from.rank()), &mut local);
        from.agreed(read)?;
        Ok(DistVec::from_share(&cuts, local))
    }
}

/// Appends the elements of this range. Pieces are in the order of their places, and those of a rank in the order of the elements.
fn read<T: CheckedBitPattern + Element>(
    from: &mut Loading<'_>,
    pieces: &[Piece],
    wanted: Range<usize>,
    to: &mut Vec<T>,
) -> Result<(), CheckpointError> {
    let mut pieces: Vec<(usize, usize, &Piece)> = pieces
        .iter()
        .filter_map(|piece| Some((*piece.key.first()? as usize, *piece.key.get(1)? as usize, piece)))
        .collect();
    pieces.sort_unstable_by_key(|(start, ..)| *start);
    for (start, count, piece) in pieces {
        let (first, last) = (start.max(wanted.start), (start + count).min(wanted.end));
        if first >= last {
            continue;
        }
        let what = || format!("the elements {start} to {}", start + count - 1);
        let bytes = from.read(piece, &what)?;
        let values =
            elements(&bytes, count).ok_or_else(|| from.misfit(format!("{} are no `{}`", what(), type_name::<T>())))?;
        to.extend_from_slice(&values[first - start..last - start]);
    }
    match to.len() == wanted.len() {
        true => Ok(()),
        false => Err(from.misfit("elements are missing".to_owned())),
    }
}

/// Elements of a checked type from their bytes; `None` if these are not values of the type.
pub(crate) fn elements<T: CheckedBitPattern>(bytes: &[u8], count: usize) -> Option<Vec<T>> {
    if count.checked_mul(size_of::<T>()) != Some(bytes.len()) {
        return None;
    }
    if size_of::<T>() == 0 {
        return (0..count).map(|_| try_pod_read_unaligned(&[]).ok()).collect();
    }
    match try_cast_slice(bytes) {
        Ok(values) => Some(values.to_vec()),
        Err(CheckedCastError::InvalidBitPattern) => None,
        // The bytes are not aligned.
        Err(CheckedCastError::PodCastError(_)) => {
            bytes.chunks_exact(size_of::<T>()).map(|one| try_pod_read_unaligned(one).ok()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn bytes_that_are_no_values_are_refused() {
        assert_eq!(elements::<bool>(&[1, 0], 2), Some(vec![true, false]));
        assert_eq!(elements::<bool>(&[1, 2], 2), None);
        assert_eq!(elements::<u32>(&[0; 7], 2), None);
        assert_eq!(elements::<char>(&[0xff; 4], 1), None);
        assert_eq!(elements::<()>(&[], 3), Some(vec![(); 3]));
        let bytes = [0, 1, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(elements::<u32>(&bytes[1..], 2), Some(vec![u32::from_le(1), u32::from_le(2)]));
    }
}
