//! This rank's blocks. Some are resident in memory, the others are spilled to the store.

use super::link::Link;
use super::mail::{Mailbox, Post};
use super::store::{Extent, Store, fingerprint};
use super::waves::Waves;
use crate::lock::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
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

/// The functions that write and read blocks.
struct Format<B> {
    write: fn(&B) -> postcard::Result<Vec<u8>>,
    read: fn(&[u8]) -> postcard::Result<B>,
}

impl<B: BlockData> Format<B> {
    fn new() -> Self {
        Format { write: |block| postcard::to_stdvec(block), read: whole }
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
    /// The number of the first block.
    pub(super) first: usize,
    /// The number of blocks on all ranks.
    pub(super) total: usize,
    pub(super) links: Vec<Arc<[Link]>>,
    pub(super) mailboxes: Vec<Arc<Mailbox>>,
    pub(super) waves: Waves,
    limit: Option<NonZeroUsize>,
    table: Mutex<Table<B>>,
    changed: Condvar,
    format: Format<B>,
    store: Arc<Store>,
}

/// The states of all blocks.
struct Table<B> {
    places: Vec<Place<B>>,
    /// The number of resident blocks.
    here: usize,
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
    /// A collection with at most `limit` resident blocks; the others are spilled to a file in the folder.
    pub(super) fn new(first: usize, total: usize, limit: Option<NonZeroUsize>, folder: PathBuf) -> Self
    where
        B: BlockData,
    {
        let table = Table { places: Vec::new(), here: 0, idle: Vec::new(), written: 0, read: 0 };
        Collection {
            first,
            total,
            links: Vec::new(),
            mailboxes: Vec::new(),
            waves: Waves::default(),
            limit,
            table: Mutex::new(table),
            changed: Condvar::new(),
            format: Format::new(),
            store: Arc::new(Store::new(folder)),
        }
    }

    /// Appends a block.
    pub(super) fn push(&mut self, data: B, links: Vec<Link>) {
        self.links.push(links.into());
        self.mailboxes.push(Arc::new(Mailbox::new(self.store.clone())));
        let mut table = self.with_room(lock(&self.table));
        let at = table.places.len();
        table.places.push(Place::Here(Arc::new(data), 0, None));
        table.idle.push(at);
    }

    /// The mailboxes.
    pub(super) fn post(&self) -> Post<'_> {
        Post { mailboxes: &self.mailboxes, first: self.first, away: self.is_out_of_core() }
    }

    /// Whether blocks may be spilled. Long messages are then spilled too.
    pub(super) fn is_out_of_core(&self) -> bool {
        self.limit.is_some_and(|limit| limit.get() < self.mailboxes.len())
    }

    /// The largest number of resident blocks.
    pub(super) fn limit(&self) -> Option<NonZeroUsize> {
        self.limit
    }

    pub(super) fn moved(&self) -> Moved {
        let [bytes_written, bytes_read] = self.store.traffic();
        let Table { written, read, .. } = *lock(&self.table);
        Moved { written, read, bytes_written, bytes_read }
    }

    fn wait<'t>(&self, table: Locked<'t, B>) -> Locked<'t, B> {
        self.changed.wait(table).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves space for one more resident block. If all resident blocks are open, the limit is exceeded, because waiting could deadlock.
    fn with_room<'t>(&'t self, table: Locked<'t, B>) -> Locked<'t, B> {
        let mut table = self.with_at_most(self.limit.map_or(usize::MAX, |limit| limit.get() - 1), table);
        table.here += 1;
        table
    }

    /// Spills blocks that are not open, until at most `most` are resident.
    fn with_at_most<'t>(&'t self, most: usize, mut table: Locked<'t, B>) -> Locked<'t, B> {
        while table.here > most {
            let Some(at) = table.idle.pop() else { break };
            let Place::Here(data, 0, stored) = std::mem::replace(&mut table.places[at], Place::Moving) else {
                unreachable!("an idle block is in memory, and nobody has it open")
            };
            drop(table);
            let extent;
            (extent, table) = Leaving { collection: self, at, data: Some(data), stored }.write();
            table.places[at] = Place::Away(extent);
            table.here -= 1;
            self.changed.notify_all();
        }
        table
    }

    /// Loads a spilled block. Its space is reserved, and its state belongs to the caller.
    fn read(&self, at: usize, extent: Extent) -> (B, Stored) {
        let coming = Coming { collection: self, at, extent };
        let bytes = self.store.read(extent).unwrap_or_else(|error| {
            panic!(
                "block {} cannot be read back from the folder {}: {error}; the run has to be started again",
                self.first + at,
                self.store.folder().display()
            )
        });
        let block = self.read_from(at, &bytes);
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

    /// A block from its bytes; `None` if they are no block of this type.
    pub(super) fn block_of(&self, bytes: &[u8]) -> Option<B> {
        (self.format.read)(bytes).ok()
    }

    /// Serializes a block.
    ///
    /// # Panics
    /// If serde cannot write it.
    pub(super) fn written(&self, at: usize, block: &B) -> Vec<u8> {
        (self.format.write)(block).unwrap_or_else(|error| {
            panic!("block {} cannot be written as a `{}`: {error}", self.first + at, type_name::<B>())
        })
    }

    /// Deserializes a block.
    ///
    /// # Panics
    /// If serde cannot read it.
    pub(super) fn read_from(&self, at: usize, bytes: &[u8]) -> B {
        (self.format.read)(bytes).unwrap_or_else(|error| {
            panic!(
                "block {} cannot be read as it was written, as a `{}`: {error}",
                self.first.wrapping_add(at),
                type_name::<B>()
            )
        })
    }

    /// Loads a block unless it is resident, and calls `take` with its state.
    fn load_for<R>(&self, at: usize, take: impl Fn(&mut Place<B>) -> Option<R>) -> R {
        // More blocks than the limit are resident if more were open at the same time.
        let mut table = self.with_at_most(self.limit.map_or(usize::MAX, NonZeroUsize::get), lock(&self.table));
        loop {
            if let Some(taken) = take(&mut table.places[at]) {
                table.idle.retain(|idle| *idle != at);
                return taken;
            }
            match table.places[at] {
                Place::Away(_) => {
                    table = self.with_room(table);
                    // Another thread may have loaded the block while this one reserved the space.
                    let Place::Away(extent) = table.places[at] else {
                        table.here -= 1;
                        continue;
                    };
                    table.places[at] = Place::Moving;
                    drop(table);
                    let (block, stored) = self.read(at, extent);
                    table = lock(&self.table);
                    table.places[at] = Place::Here(Arc::new(block), 0, Some(stored));
                    table.idle.push(at);
                    self.changed.notify_all();
                }
                Place::Moving => table = self.wait(table),
                Place::Here(..) | Place::Open => {
                    drop(table);
                    panic!("block {} is open already: a block is worked on by one iteration at a time", self.first + at)
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
        let mut table = lock(&self.table);
        table.places[at] = Place::Here(data, 0, stored);
        table.idle.push(at);
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
        let (collection, number) = (self.collection, self.collection.first + self.at);
        let bytes = self.data.as_deref().map_or(Vec::new(), |block| collection.written(self.at, block));
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
        table.here -= 1;
        self.collection.changed.notify_all();
    }
}

impl<B> fmt::Debug for Collection<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = lock(&self.table);
        formatter
            .debug_struct("Collection")
            .field("first", &self.first)
            .field("blocks", &table.places.len())
            .field("in_memory", &table.here)
            .field("written", &table.written)
            .field("read", &table.read)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(blocks: usize, limit: usize) -> Collection<Vec<u32>> {
        let mut collection = Collection::new(10, 10 + blocks, NonZeroUsize::new(limit), std::env::temp_dir());
        (0..blocks).for_each(|block| collection.push(vec![block as u32; 100], Vec::new()));
        collection
    }

    fn add(collection: &Collection<Vec<u32>>, at: usize) {
        let mut opened = collection.take(at);
        Arc::get_mut(&mut opened.data).unwrap().iter_mut().for_each(|value| *value += 1000);
        collection.put_back(at, opened, true);
    }

    fn look(collection: &Collection<Vec<u32>>, at: usize) -> u32 {
        let opened = collection.open(at);
        let value = opened[99];
        collection.close(at, opened);
        value
    }

    #[test]
    fn blocks_beyond_the_limit_come_back_as_they_were() {
        for limit in 1..=6 {
            let collection = collection(5, limit);
            for turn in 0..3 {
                for at in 0..5 {
                    add(&collection, at);
                    assert!(lock(&collection.table).here <= limit);
                    assert_eq!(look(&collection, at), at as u32 + 1000 * (turn + 1));
                }
            }
            assert_eq!(collection.moved().written > 0, limit < 5);
        }
    }

    #[test]
    fn what_has_not_changed_is_not_written_again() {
        let collection = collection(4, 2);
        (0..4).for_each(|at| _ = look(&collection, at));
        let before = collection.moved();
        (0..8).for_each(|turn| _ = look(&collection, turn % 4));
        let after = collection.moved();
        assert!(after.read > before.read && after.written <= 4, "{after:?}");
    }

    /// A block with interior mutability, so that readers change it.
    #[derive(Serialize, serde::Deserialize)]
    struct Counted {
        count: std::sync::atomic::AtomicU64,
        names: Mutex<Vec<String>>,
        nested: Vec<Option<Box<std::sync::RwLock<i32>>>>,
    }

    #[test]
    fn changes_through_shared_references_are_written() {
        use std::sync::atomic::{AtomicU64, Ordering};
        for limit in 1..=4 {
            let mut collection = Collection::new(0, 4, NonZeroUsize::new(limit), std::env::temp_dir());
            for _ in 0..4 {
                let nested = vec![None, Some(Box::new(std::sync::RwLock::new(0)))];
                let block = Counted { count: AtomicU64::new(0), names: Mutex::default(), nested };
                collection.push(block, Vec::new());
            }
            let change = |block: &Counted, turn: usize| match turn % 3 {
                0 => _ = block.count.fetch_add(1, Ordering::Relaxed),
                1 => block.names.lock().unwrap().push("name".to_owned()),
                _ => *block.nested[1].as_ref().unwrap().write().unwrap() += 1,
            };
            for turn in 0..6 {
                for at in 0..4 {
                    // First with readers, then with writers that write nothing.
                    if turn < 3 {
                        let opened = collection.open(at);
                        change(&opened, turn);
                        collection.close(at, opened);
                    } else {
                        let opened = collection.take(at);
                        change(&opened.data, turn);
                        collection.put_back(at, opened, false);
                    }
                }
            }
            for at in 0..4 {
                let opened = collection.open(at);
                assert_eq!(opened.count.load(Ordering::Relaxed), 2, "limit {limit}");
                assert_eq!(opened.names.lock().unwrap().len(), 2, "limit {limit}");
                assert_eq!(*opened.nested[1].as_ref().unwrap().read().unwrap(), 2, "limit {limit}");
                collection.close(at, opened);
            }
        }
    }

    /// If `blocks` blocks are visited in turn, all resident ones except one stay in memory.
    #[test]
    fn turns_read_no_more_than_they_must() {
        let collection = collection(10, 6);
        (0..10).for_each(|at| add(&collection, at));
        let before = collection.moved().read;
        (0..30).for_each(|turn| add(&collection, turn % 10));
        assert!(collection.moved().read - before <= 3 * 5, "{:?}", collection.moved());
    }

    #[test]
    fn several_readers_and_one_more_than_the_limit() {
        let collection = collection(3, 1);
        let opened: Vec<_> = (0..3).map(|at| (at, collection.open(at), collection.open(at))).collect();
        assert_eq!(lock(&collection.table).here, 3);
        for (at, one, two) in opened {
            assert_eq!(one, two);
            collection.close(at, one);
            collection.close(at, two);
        }
        assert_eq!(look(&collection, 0), 0);
        assert_eq!(lock(&collection.table).here, 1);
    }

    #[test]
    fn workers_share_the_room() {
        let collection = collection(7, 2);
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let collection = &collection;
                scope.spawn(move || {
                    for turn in 0..50 {
                        // Each worker writes its own blocks.
                        for at in (0..7).filter(|at| (at + turn) % 3 == worker && at % 3 == worker) {
                            add(collection, at);
                        }
                        std::thread::yield_now();
                    }
                });
            }
        });
        let sum: u32 = (0..7).map(|at| look(&collection, at) / 1000).sum();
        let expected = (0..3_usize).flat_map(|worker| {
            (0..50_usize).flat_map(move |turn| (0..7).filter(move |at| (at + turn) % 3 == worker && at % 3 == worker))
        });
        assert_eq!(sum as usize, expected.count());
    }

    /// A number that serde refuses to write if it is odd.
    #[derive(Debug, serde::Deserialize)]
    struct Even(u32);

    impl Serialize for Even {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            match self.0 % 2 {
                0 => to.serialize_newtype_struct("Even", &self.0),
                _ => Err(serde::ser::Error::custom("odd")),
            }
        }
    }

    /// Each thread that needs the space of this block fails, repeatedly, and no thread waits for it.
    #[test]
    fn a_block_that_cannot_be_written_stays() {
        let mut collection = Collection::new(0, 2, NonZeroUsize::new(1), std::env::temp_dir());
        (0..2).for_each(|block| collection.push(Even(2 * block), Vec::new()));
        let mut opened = collection.take(0);
        Arc::get_mut(&mut opened.data).unwrap().0 = 7;
        collection.put_back(0, opened, true);
        for _ in 0..2 {
            let fails = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| collection.open(1)));
            let message = crate::error::panic_message(&*fails.unwrap_err()).to_owned();
            assert!(message.contains("block 0 cannot be written"), "{message}");
        }
        let mut opened = collection.take(0);
        assert_eq!(opened.data.0, 7);
        Arc::get_mut(&mut opened.data).unwrap().0 = 8;
        collection.put_back(0, opened, true);
        let opened = collection.open(1);
        assert_eq!(opened.0, 2);
        collection.close(1, opened);
    }

    #[test]
    fn a_full_disk_loses_nothing() {
        let mut collection = Collection::new(0, 3, NonZeroUsize::new(2), "/nonexistent/folder".into());
        (0..2).for_each(|block| collection.push(block, Vec::new()));
        let fails = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| collection.push(2, Vec::new())));
        let message = crate::error::panic_message(&*fails.unwrap_err()).to_owned();
        assert!(message.contains("/nonexistent/folder") && message.contains("FORALL_STORE"), "{message}");
        for at in 0..2 {
            let opened = collection.open(at);
            assert_eq!(*opened, at);
            collection.close(at, opened);
        }
    }
}
