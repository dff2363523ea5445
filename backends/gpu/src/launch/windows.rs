//! Through how many windows kernels look at arrays that are too long for one.

use crate::memory::residence;
use crate::processor::Processor;
use crate::text::shape::Windows;
use forall_core::device::{Launch, Refusal, Type};

/// Through how many windows of this size kernels look at each array, and at each table and the runs. An array that is too long for one is cut
/// with the positions, where that makes it shorter.
pub(super) fn windows(processor: &Processor, launch: &Launch<'_>, size: u64) -> Result<[Windows; 2], Refusal> {
    let most = processor.limits.max_storage_buffer_binding_size;
    let count = |element: Type, bytes: u64, before: u64| {
        if bytes + before <= most {
            return Ok(1);
        }
        let smallest = element.scalars().into_iter().map(Type::size).min().unwrap_or(1).max(1);
        match u32::try_from(bytes / smallest as u64) {
            Ok(_) => Ok((bytes + before).div_ceil(size)),
            Err(_) => Err(Refusal::Cannot(format!("{} numbers no array of {bytes} bytes", processor.name))),
        }
    };
    let mut arrays = Vec::with_capacity(launch.arrays.len());
    for (part, array) in launch.arrays.iter().zip(launch.program.arrays) {
        let sparse = part.sparse.map_or(0, |sparse| sparse.count);
        let bytes = ((part.count + sparse) * array.element.size()) as u64;
        // Of a share that stays, what is bound may begin a little earlier.
        let before = part
            .share
            .map_or(0, |_| residence::step(array.element.size(), processor.limits.min_storage_buffer_offset_alignment));
        let windows = count(array.element, bytes, before)?;
        if windows > 1 && !part.whole {
            return Err(Refusal::TooMuch(format!(
                "{} looks at no more than {most} bytes of an array at once; here are {bytes}",
                processor.name
            )));
        }
        arrays.push(windows);
    }
    let runs = launch.arrays.iter().filter_map(|part| part.sparse).map(|sparse| 8 * sparse.runs.len() as u64).sum();
    let tables = launch.tables.iter().zip(launch.program.tables).map(|(table, of)| (*of, table.len() as u64));
    let tables =
        tables.chain([(Type::U64, runs)]).map(|(of, bytes)| count(of, bytes, 0)).collect::<Result<Vec<_>, _>>()?;
    let all = [arrays, tables].map(|counts| Windows::new(counts.into_iter()));
    let [Some(arrays), Some(tables)] = all else {
        return Err(Refusal::Cannot(format!(
            "iterations read an array as a whole that is too long: {} looks at {size} bytes of one at a time, and at \
             no more than {} times as much in all",
            processor.name,
            Windows::MOST
        )));
    };
    Ok([arrays, tables])
}
