//! This rank's blocks. Some are resident in memory, the others are spilled to the store.

use super::link::Link;
use super::mail::{Mailbox, Post};
use super::size::size_of_value;
use super::store::{Extent, Store, fingerprint};
use super::waves::Waves;
use super::written::Written;
use crate::lock::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;
use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The requirements on a block: serde can write and read it, and workers can share it.
///
/// The trait is implemented for all such types; there is nothing to write but the derives:
///
/// ```
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Region {
///     values: Vec<f32>,
///     name: String,
/// }
///
/// fn is_block<B: forall_core::blocks::BlockData>() {}
/// is_block::<Region>();
/// ```
#[diagnostic::on_unimplemented(
    message = "FA043: `{Self}` cannot be a block: blocks are written to disk and sent, and worked on by any thread",
    label = "not a block",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, after `cargo add serde --features derive`, and hold nothing in it that is not `Send` and `Sync`, as `Rc` or `Cell`"
)]
pub trait BlockData: Serialize + DeserializeOwned + Send + Sync {}

impl<B: Serialize + DeserializeOwned + Send + Sync> BlockData for B {}

/// The functions that need to know what blocks are.
struct Format<B> {
    write: fn(&B) -> postcard::Result<Vec<u8>>,
    read: fn(&[u8]) -> postcard::Result<B>,
    size: fn(&B) -> u64,
    parts: fn(&B) -> Option<Written>,
}

impl<B> Clone for Format<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Format<B> {}

/// The most that may be resident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    blocks: usize,
    bytes: u64,
}

impl Limit {
    /// At most this number of blocks and of bytes.
    pub(super) fn new(blocks: Option<NonZeroUsize>, bytes: Option<NonZeroU64>) -> Self {
        Limit { blocks: blocks.map_or(usize::MAX, NonZeroUsize::get), bytes: bytes.map_or(u64::MAX, NonZeroU64::get) }
    }

    /// Whether sizes are measured.
    fn has_bytes(&self) -> bool {
        self.bytes < u64::MAX
    }
}

impl<B: BlockData> Format<B> {
    fn new() -> Self {
        Format {
            write: |block| postcard::to_stdvec(block),
            read: whole,
            size: |block| size_of_value(block),
            parts: |block| Written::of(block),
        }
    }
}

/// A value whose bytes are all of these.
fn whole<B: BlockData>(bytes: &[u8]) -> postcard::Result<B> {
    match postcard::take_from_bytes(bytes)? {
        (block, []) => Ok(block),
        _ => Err(postcard::Error::DeserializeBadEncoding),
    }
}

/// This rank's blocks with their links and mailboxes. The constructor checks that they are [`BlockData`].
pub struct Collection<B> {
    /// The numbers of the blocks, in order.
    pub(super) numbers: Vec<usize>,
    /// The number of blocks on all ranks.
    pub(super) total: usize,
    pub(super) links: Vec<Arc<[Link]>>,
    pub(super) mailboxes: Vec<Arc<Mailbox>>,
    pub(super) waves: Waves,
    limit: Limit,
    table: Mutex<Table<B>>,
    changed: Condvar,
    format: Format<B>,
    store: Arc<Store>,
    /// Whether a block has been spilled.
    has_spilled: AtomicBool,
}

/// The states of all blocks.
struct Table<B> {
    places: Vec<Place<B>>,
    /// The number of resident blocks.
    here: usize,
    /// The sizes of all blocks, and the sum of those that are resident. Zero without a limit in bytes.
    sizes: Vec<u64>,
    bytes: u64,
    /// The resident blocks that are not open. The block closed last is evicted first: if loops visit the blocks in order, the others are
    /// needed again earlier.
    idle: Vec<usize>,
    /// The number of writes so far.
    written: u64,
    /// The number of reads.
    read: u64,
}

/// The traffic between memory and the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of blocks written. A block whose bytes have not changed is not written again.
    pub written: u64,
    /// The number of blocks read.
    pub read: u64,
    /// The number of bytes of blocks and messages written.
    pub bytes_written: u64,
    /// The number of bytes of blocks and messages read.
    pub bytes_read: u64,
}

/// The state of a block.
enum Place<B> {
    /// Resident, with the number of readers that have it open, and its bytes in the store unless it was written since.
    Here(Arc<B>, usize, Option<Stored>),
    /// Resident, and open for writing.
    Open,
    /// Spilled.
    Away(Extent),
    /// Being loaded or spilled.
    Moving,
}

/// The bytes from which a resident block was loaded. A reader may change the block through `&`, such as an atomic or a mutex in it, so only a
/// comparison of the bytes shows whether the stored copy is up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stored {
    extent: Extent,
    fingerprint: u64,
}

/// A block that is open for writing.
#[derive(Debug)]
pub(super) struct Opened<B> {
    pub data: Arc<B>,
    stored: Option<Stored>,
}

type Locked<'t, B> = MutexGuard<'t, Table<B>>;

impl<B> Collection<B> {
    /// A collection with at most this much resident. It spills the other blocks to a file in the folder.
    pub(super) fn new(total: usize, limit: Limit, folder: PathBuf) -> Self
    where
        B: BlockData,
    {
        Collection::of(total, limit, Format::new(), folder)
    }

    /// An empty collection for as many blocks in total, with the same limit.
    pub(super) fn like(&self) -> Self {
        Collection::of(self.total, self.limit, self.format, self.store.folder().to_owned())
    }

    fn of(total: usize, limit: Limit, format: Format<B>, folder: PathBuf) -> Self {
        let table =
            Table { places: Vec::new(), here: 0, sizes: Vec::new(), bytes: 0, idle: Vec::new(), written: 0, read: 0 };
        Collection {
            numbers: Vec::new(),
            total,
            links: Vec::new(),
            mailboxes: Vec::new(),
            waves: Waves::default(),
            limit,
            table: Mutex::new(table),
            changed: Condvar::new(),
            format,
            store: Arc::new(Store::new(folder)),
            has_spilled: AtomicBool::new(false),
        }
    }

    /// The position of a block, if this rank has it.
    pub(super) fn at(&self, number: usize) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// Appends a block. Their numbers are in order, at the latest after [`Collection::arrange`].
    pub(super) fn push(&mut self, number: usize, data: B, links: Vec<Link>) {
        self.numbers.push(number);
        self.links.push(links.into());
        self.mailboxes.push(Arc::new(Mailbox::new(self.store.clone())));
        let size = self.size(&data);
        let mut table = self.with_room(size, lock(&self.table));
        table.sizes.push(size);
        let at = table.places.len();
        table.places.push(Place::Here(Arc::new(data), 0, None));
        table.idle.push(at);
    }

    /// Keeps the blocks that are wanted, in the order of their numbers.
    pub(super) fn arrange(&mut self, is_kept: impl Fn(usize) -> bool) {
        let numbers = std::mem::take(&mut self.numbers);
        let mut order: Vec<usize> = (0..numbers.len()).filter(|at| is_kept(numbers[*at])).collect();
        order.sort_unstable_by_key(|at| numbers[*at]);
        let table = self.table.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut places: Vec<Option<Place<B>>> = table.places.drain(..).map(Some).collect();
        table.places = order.iter().filter_map(|at| places[*at].take()).collect();
        // The others have left.
        for (at, place) in places.into_iter().enumerate() {
            match place {
                None => continue,
                Some(Place::Away(extent)) => self.store.free(extent),
                Some(place) => {
                    if let Place::Here(_, _, Some(stored)) = place {
                        self.store.free(stored.extent);
                    }
                    table.leave(at);
                }
            }
        }
        let mut moved: Vec<Option<usize>> = vec![None; numbers.len()];
        order.iter().enumerate().for_each(|(to, at)| moved[*at] = Some(to));
        moved.iter().zip(&self.mailboxes).filter(|(to, _)| to.is_none()).for_each(|(_, mailbox)| mailbox.clear());
        table.idle = table.idle.iter().filter_map(|at| moved[*at]).collect();
        table.sizes = order.iter().map(|at| table.sizes[*at]).collect();
        self.links = order.iter().map(|at| self.links[*at].clone()).collect();
        self.mailboxes = order.iter().map(|at| self.mailboxes[*at].clone()).collect();
        self.numbers = order.iter().map(|at| numbers[*at]).collect();
    }

    /// The mailboxes.
    pub(super) fn post(&self) -> Post<'_> {
        Post { mailboxes: &self.mailboxes, numbers: &self.numbers, away: self.is_out_of_core() }
    }

    /// Whether blocks are spilled. Long messages are then spilled too.
    pub(super) fn is_out_of_core(&self) -> bool {
        self.spills(self.mailboxes.len())
    }

    /// The same for a collection that will have this number of blocks.
    pub(super) fn spills(&self, blocks: usize) -> bool {
        self.limit.blocks < blocks || self.has_spilled.load(Ordering::Relaxed)
    }

    /// The number of workers that may have a block open at the same time.
    pub(super) fn workers(&self) -> usize {
        let largest = lock(&self.table).sizes.iter().copied().max().unwrap_or(0).max(1);
        let fit = if self.limit.has_bytes() { (self.limit.bytes / largest).max(1) } else { u64::MAX };
        self.limit.blocks.min(usize::try_from(fit).unwrap_or(usize::MAX))
    }

    /// The size of a block, if there is a limit in bytes.
    fn size(&self, data: &B) -> u64 {
        if self.limit.has_bytes() { (self.format.size)(data) } else { 0 }
    }

    pub(super) fn moved(&self) -> Moved {
        let [bytes_written, bytes_read] = self.store.traffic();
        let Table { written, read, .. } = *lock(&self.table);
        Moved { written, read, bytes_written, bytes_read }
    }

    fn wait<'t>(&self, table: Locked<'t, B>) -> Locked<'t, B> {
        self.changed.wait(table).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves space for one more resident block of this size. If all resident blocks are open, the limit is exceeded, because waiting could
    /// deadlock.
    fn with_room<'t>(&'t self, size: u64, table: Locked<'t, B>) -> Locked<'t, B> {
        let mut table = self.with_at_most(self.limit_without(size), table);
        table.here += 1;
        table.bytes += size;
        table
    }

    /// The limit less a block of this size.
    fn limit_without(&self, size: u64) -> Limit {
        Limit { blocks: self.limit.blocks.saturating_sub(1), bytes: self.limit.bytes.saturating_sub(size) }
    }

    /// Spills blocks that are not open, until at most `most` is resident.
    fn with_at_most<'t>(&'t self, most: Limit, mut table: Locked<'t, B>) -> Locked<'t, B> {
        while table.here > most.blocks || table.bytes > most.bytes {
            let Some(at) = table.idle.pop() else { break };
            let Place::Here(data, 0, stored) = std::mem::replace(&mut table.places[at], Place::Moving) else {
                unreachable!("an idle block is in memory, and nobody has it open")
            };
            drop(table);
            let extent;
            (extent, table) = Leaving { collection: self, at, data: Some(data), stored }.write();
            table.places[at] = Place::Away(extent);
            table.leave(at);
            self.has_spilled.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
        table
    }

    /// Loads a spilled block, whose space is reserved.
    fn load<'t>(&'t self, at: usize, extent: Extent, mut table: Locked<'t, B>) -> Locked<'t, B> {
        table.places[at] = Place::Moving;
        drop(table);
        let (block, stored) = self.read(at, extent);
        let mut table = lock(&self.table);
        table.places[at] = Place::Here(Arc::new(block), 0, Some(stored));
        self.changed.notify_all();
        table
    }

    /// Loads a spilled block. Its space is reserved, and its state belongs to the caller.
    fn read(&self, at: usize, extent: Extent) -> (B, Stored) {
        let coming = Coming { collection: self, at, extent };
        let bytes = self.store.read(extent).unwrap_or_else(|error| {
            panic!(
                "block {} cannot be read back from the folder {}: {error}; restart the run, from a checkpoint if there is one",
                self.numbers[at],
                self.store.folder().display()
            )
        });
        let block = self.read_from(self.numbers[at], &bytes);
        std::mem::forget(coming);
        lock(&self.table).read += 1;
        (block, Stored { extent, fingerprint: fingerprint(&bytes) })
    }

    /// The bytes of a block for a checkpoint. A spilled block stays where it is.
    ///
    /// # Errors
    /// The reason in words, if serde cannot write the block, or the store cannot read it.
    pub(super) fn bytes(&self, at: usize) -> Result<Vec<u8>, String> {
        let away = match lock(&self.table).places[at] {
            Place::Away(extent) => Some(extent),
            _ => None,
        };
        if let Some(extent) = away {
            return self.store.read(extent).map_err(|error| {
                format!("cannot be read back from the folder {}: {error}", self.store.folder().display())
            });
        }
        let data = self.open(at);
        let bytes = (self.format.write)(&data);
        self.close(at, data);
        bytes.map_err(|error| format!("cannot be written as a `{}`: {error}", type_name::<B>()))
    }

    /// The fingerprints of the resident blocks' bytes.
    ///
    /// # Panics
    /// If serde cannot write a block.
    pub(super) fn fingerprints(&self) -> Vec<Option<u64>> {
        let fingerprint = |at| {
            let is_here = matches!(lock(&self.table).places[at], Place::Here(..));
            is_here.then(|| {
                let data = self.open(at);
                let print = fingerprint(&self.written(self.numbers[at], &data));
                self.close(at, data);
                print
            })
        };
        (0..self.mailboxes.len()).map(fingerprint).collect()
    }

    /// The parts of a block; `None` if serde cannot write it.
    pub(super) fn parts_of(&self, block: &B) -> Option<Written> {
        (self.format.parts)(block)
    }

    /// A block from its bytes; `None` if they are no block of this type.
    pub(super) fn block_of(&self, bytes: &[u8]) -> Option<B> {
        (self.format.read)(bytes).ok()
    }

    /// Serializes a block.
    ///
    /// # Panics
    /// If serde cannot write it.
    pub(super) fn written(&self, number: usize, block: &B) -> Vec<u8> {
        (self.format.write)(block)
            .unwrap_or_else(|error| panic!("block {number} cannot be written as a `{}`: {error}", type_name::<B>()))
    }

    /// Deserializes a block.
    ///
    /// # Panics
    /// If serde cannot read it.
    pub(super) fn read_from(&self, number: usize, bytes: &[u8]) -> B {
        (self.format.read)(bytes).unwrap_or_else(|error| {
            panic!("block {number} cannot be read as it was written, as a `{}`: {error}", type_name::<B>())
        })
    }

    /// Loads a block unless it is resident, and calls `take` with its state.
    fn load_for<R>(&self, at: usize, take: impl Fn(&mut Place<B>) -> Option<R>) -> R {
        // More blocks than the limit are resident if more were open at the same time.
        let mut table = self.with_at_most(self.limit, lock(&self.table));
        loop {
            if let Some(taken) = take(&mut table.places[at]) {
                table.idle.retain(|idle| *idle != at);
                return taken;
            }
            match table.places[at] {
                Place::Away(_) => {
                    let size = table.sizes[at];
                    table = self.with_room(size, table);
                    // Another thread may have loaded the block while this one reserved the space.
                    let Place::Away(extent) = table.places[at] else {
                        table.leave(at);
                        continue;
                    };
                    table = self.load(at, extent, table);
                    table.idle.push(at);
                }
                Place::Moving => table = self.wait(table),
                Place::Here(..) | Place::Open => {
                    drop(table);
                    panic!(
                        "block {} is open already: a block is worked on by one iteration at a time",
                        self.numbers[at]
                    )
                }
            }
        }
    }

    /// Opens a block for reading.
    pub(super) fn open(&self, at: usize) -> Arc<B> {
        self.load_for(at, |place| match place {
            Place::Here(data, readers, _) => {
                *readers += 1;
                Some(data.clone())
            }
            _ => None,
        })
    }

    /// Closes a block opened by [`Collection::open`].
    pub(super) fn close(&self, at: usize, data: Arc<B>) {
        drop(data);
        let mut table = lock(&self.table);
        if let Place::Here(_, readers, _) = &mut table.places[at] {
            *readers -= 1;
            if *readers == 0 {
                table.idle.push(at);
            }
        }
    }

    /// Opens a block for writing.
    pub(super) fn take(&self, at: usize) -> Opened<B> {
        self.load_for(at, |place| match std::mem::replace(place, Place::Open) {
            Place::Here(data, 0, stored) => Some(Opened { data, stored }),
            other => {
                *place = other;
                None
            }
        })
    }

    /// Closes a block opened by [`Collection::take`].
    pub(super) fn put_back(&self, at: usize, opened: Opened<B>, changed: bool) {
        let Opened { data, stored } = opened;
        let stored = stored.filter(|stored| {
            if changed {
                self.store.free(stored.extent);
            }
            !changed
        });
        let size = changed.then(|| self.size(&data));
        let mut table = lock(&self.table);
        if let Some(size) = size {
            table.bytes = table.bytes + size - std::mem::replace(&mut table.sizes[at], size);
        }
        table.places[at] = Place::Here(data, 0, stored);
        table.idle.push(at);
    }
}

impl<B> Table<B> {
    /// A block is no longer resident.
    fn leave(&mut self, at: usize) {
        self.here -= 1;
        self.bytes -= self.sizes[at];
    }
}

/// A block that is being spilled. It is always in memory or in the store, also after a failure.
struct Leaving<'c, B> {
    collection: &'c Collection<B>,
    at: usize,
    data: Option<Arc<B>>,
    stored: Option<Stored>,
}

impl<'c, B> Leaving<'c, B> {
    /// Spills the block. If the stored bytes are up to date, nothing is written.
    fn write(mut self) -> (Extent, Locked<'c, B>) {
        let (collection, number) = (self.collection, self.collection.numbers[self.at]);
        let bytes = self.data.as_deref().map_or(Vec::new(), |block| collection.written(number, block));
        if let Some(Stored { extent, fingerprint: before }) = self.stored
            && extent.has_length(&bytes)
            && fingerprint(&bytes) == before
        {
            self.data = None;
            return (extent, lock(&collection.table));
        }
        match collection.store.write(&bytes) {
            Ok(extent) => {
                self.data = None;
                if let Some(stored) = self.stored {
                    collection.store.free(stored.extent);
                }
                let mut table = lock(&collection.table);
                table.written += 1;
                (extent, table)
            }
            Err(error) => panic!(
                "block {number} cannot be written to the folder {}: {error}; choose one with more space with FORALL_STORE, or let \
                 more blocks stay in memory with FORALL_BLOCKS",
                collection.store.folder().display()
            ),
        }
    }
}

impl<B> Drop for Leaving<'_, B> {
    fn drop(&mut self) {
        if let Some(data) = self.data.take() {
            let mut table = lock(&self.collection.table);
            table.places[self.at] = Place::Here(data, 0, self.stored);
            table.idle.push(self.at);
            self.collection.changed.notify_all();
        }
    }
}

/// A block that is being loaded. After a failure it is still in the store.
struct Coming<'c, B> {
    collection: &'c Collection<B>,
    at: usize,
    extent: Extent,
}

impl<B> Drop for Coming<'_, B> {
    fn drop(&mut self) {
        let mut table = lock(&self.collection.table);
        table.places[self.at] = Place::Away(self.extent);
        table.leave(self.at);
        self.collection.changed.notify_all();
    }
}

impl<B> fmt::Debug for Collection<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = lock(&self.table);
        formatter
            .debug_struct("Collection")
            .field("numbers", &self.numbers)
            .field("blocks", &table.places.len())
            .field("in_memory", &table.here)
            .field("written", &table.written)
            .field("read", &table.read)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
