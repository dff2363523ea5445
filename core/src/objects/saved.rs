//! Objects in checkpoints.

use super::area::{Area, copy};
use super::object::Object;
use super::slab::zeros;
use crate::checkpoint::{CheckpointError, Load, Loading, Part, Piece, Save, Saving, elements, load, save};
use crate::data::Cuts;
use crate::element::{Element, bytes_of};
use bytemuck::{CheckedBitPattern, Zeroable};
use std::any::type_name;
use std::path::Path;

/// The approximate number of bytes of a piece.
const PIECE: usize = 1 << 20;

impl<T: Element + Zeroable, const D: usize> Object<T, D> {
    /// Saves the published elements in one file. Each rank writes the boxes that it owns: [`checkpoint::save`](crate::checkpoint::save).
    /// Collective. Boxes that nobody has written take no space. Private changes of views, copies and the name are not saved.
    ///
    /// ```
    /// use forall_core::objects::Object;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("plane");
    /// Object::from_fn([40, 60], |[y, x]| (y * x) as f32).save(&path)?;
    /// let plane = Object::<f32, 2>::load(&path)?;
    /// assert_eq!((plane.shape(), plane.get([20..21, 3..5]).elements()), ([40, 60], &[60.0, 80.0][..]));
    /// # Ok::<(), forall_core::checkpoint::CheckpointError>(())
    /// ```
    ///
    /// # Errors
    /// As [`checkpoint::save`](crate::checkpoint::save).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        save(path, self)
    }

    /// Loads an object that [`Object::save`] has written, on any number of ranks. Collective. The ranks own planes of the first axis, as by
    /// [`Object::from_fn`]. The object has no name.
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

fn name<T, const D: usize>() -> String {
    format!("Object<{}, {D}>", type_name::<T>())
}

/// Appends parts of a box of at most this number of elements each.
fn cut(area: Area, most: usize, to: &mut Vec<Area>) {
    let extents = area.extents();
    match (0..3).find(|axis| extents[*axis] > 1).filter(|_| area.len() > most) {
        None => to.push(area),
        Some(axis) => {
            let (mut before, mut after) = (area, area);
            before.end[axis] = area.start[axis] + extents[axis] / 2;
            after.start[axis] = before.end[axis];
            cut(before, most, to);
            cut(after, most, to);
        }
    }
}

impl<T: Element + Zeroable, const D: usize> Save for Object<T, D> {
    fn save_to(&self, to: &mut Saving<'_>) -> Result<(), CheckpointError> {
        let held = self.for_reading();
        let ranks = held.state.knowledge.ranks;
        assert_eq!(ranks, to.ranks(), "an object on {ranks} ranks is saved by all of them, outside of loops");
        let most = PIECE.checked_div(size_of::<T>()).unwrap_or(usize::MAX).max(1);
        let mut areas = Vec::new();
        held.state.knowledge.owned().filter(|area| !area.is_empty()).for_each(|area| cut(area, most, &mut areas));
        let mut areas = areas.into_iter();
        let lengths = self.shape().iter().map(|length| *length as u64).collect();
        let part = Part { name: name::<T, D>(), len: self.len() as u64, size: size_of::<T>() as u64, lengths };
        to.part(part, &mut || {
            let area = areas.next()?;
            let key = area.start.iter().chain(&area.end).map(|index| *index as u64).collect();
            Some(Ok((key, bytes_of(&held.state.memory.elements(area)).to_vec())))
        })
    }
}

impl<T: Element + Zeroable + CheckedBitPattern, const D: usize> Load for Object<T, D> {
    fn load_from(from: &mut Loading<'_>) -> Result<Self, CheckpointError> {
        let (part, pieces) = from.part(&name::<T, D>(), size_of::<T>())?;
        let shape: [usize; D] = std::array::from_fn(|axis| part.lengths.get(axis).map_or(0, |length| *length as usize));
        let cuts = Cuts::in_planes(shape[0], 1, from.ranks());
        let planes = |rank: usize| {
            let mut ranges = shape.map(|length| 0..length);
            ranges[0] = cuts.range(rank);
            Area::of(&ranges)
        };
        let areas: Vec<Area> = pieces.iter().map(area_of).collect();
        let is_full = areas.iter().map(Area::len).sum::<usize>() == part.len as usize;
        let all = (0..from.ranks()).flat_map(|rank| {
            let own = planes(rank);
            let parts = if is_full { vec![own] } else { areas.iter().map(|area| area.common(&own)).collect() };
            parts.into_iter().filter(|part| !part.is_empty()).map(move |part| (part, Some(rank)))
        });
        let object = Object::make(shape, String::new(), &all.collect::<Vec<_>>());
        let own = planes(from.rank());
        if is_full {
            object.for_reading().state.memory.ensure(own);
        }
        let read = pieces.iter().zip(areas).try_for_each(|(piece, area)| object.fill_from(from, piece, area, own));
        from.agreed(read)?;
        Ok(object)
    }
}

/// The box of a piece.
fn area_of(piece: &Piece) -> Area {
    let index = |at: usize| piece.key.get(at).map_or(0, |index| *index as usize);
    Area { start: [0, 1, 2].map(index), end: [3, 4, 5].map(index) }
}

impl<T: Element + Zeroable + CheckedBitPattern, const D: usize> Object<T, D> {
    /// Reads the elements of a piece that are in this rank's planes.
    fn fill_from(&self, from: &mut Loading<'_>, piece: &Piece, area: Area, own: Area) -> Result<(), CheckpointError> {
        let part = area.common(&own);
        if part.is_empty() {
            return Ok(());
        }
        let what = || format!("the box {:?}", area.ranges::<D>());
        let bytes = from.read(piece, &what)?;
        let all: Vec<T> = elements(&bytes, area.len())
            .ok_or_else(|| from.misfit(format!("{} has no `{}`", what(), type_name::<T>())))?;
        let mut mine = zeros(part.len());
        copy(&all, &area, &mut mine, &part, &part);
        self.for_reading().state.fill(part, &mine);
        Ok(())
    }
}
