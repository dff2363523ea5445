//! This rank's blocks: some are in memory, the others in the store.

use super::link::Link;
use super::mail::{Mailbox, Post};
use super::store::{Extent, Store, fingerprint};
use crate::lock::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::type_name;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What a block may be: serde writes and reads it, and workers pass it on.
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

/// How blocks are written and read.
struct Format<B> {
    write: fn(&B) -> postcard::Result<Vec<u8>>,
    read: fn(&[u8]) -> postcard::Result<B>,
}

impl<B: BlockData> Format<B> {
    fn new() -> Self {
        Format { write: |block| postcard::to_stdvec(block), read: |bytes| postcard::from_bytes(bytes) }
    }
}

/// This rank's blocks, and what belongs to each of them. That they are [`BlockData`] is asked once, where they are made.
pub struct Collection<B> {
    /// The number of the first one.
    pub(super) first: usize,
    /// How many there are on all ranks.
    pub(super) total: usize,
    pub(super) links: Vec<Arc<[Link]>>,
    pub(super) mailboxes: Vec<Arc<Mailbox>>,
    limit: Option<NonZeroUsize>,
    table: Mutex<Table<B>>,
    changed: Condvar,
    format: Format<B>,
    store: Arc<Store>,
}

/// Where the blocks are.
struct Table<B> {
    places: Vec<Place<B>>,
    /// How many are in memory.
    here: usize,
    /// Those in memory that nobody has open. The one that was closed last is the first that leaves: where blocks are worked on in turns,
    /// the others come sooner again.
    idle: Vec<usize>,
    /// How often a block was written so far.
    written: u64,
    /// How often one was read.
    read: u64,
}

/// What moved between memory and the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// How often a block was written. A block that serde writes as the bytes that were read is not written again.
    pub written: u64,
    /// How often a block was read.
    pub read: u64,
    /// How many bytes of blocks and messages were written.
    pub bytes_written: u64,
    /// How many bytes of them were read.
    pub bytes_read: u64,
}

/// Where a block is.
enum Place<B> {
    /// In memory, with the number of readers that have it open; and its bytes in the store, unless it was written since.
    Here(Arc<B>, usize, Option<Stored>),
    /// In memory, and somebody has it open to write.
    Open,
    /// In the store.
    Away(Extent),
    /// On its way to or from the store.
    Moving,
}

/// The bytes from which a block in memory was read. A reader may change the block through `&`, for example an atomic or a mutex in it.
/// Only the bytes themselves tell whether the block is still the one in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stored {
    extent: Extent,
    fingerprint: u64,
}

/// A block that is open to write.
#[derive(Debug)]
pub(super) struct Opened<B> {
    pub data: Arc<B>,
    stored: Option<Stored>,
}

type Locked<'t, B> = MutexGuard<'t, Table<B>>;

impl<B> Collection<B> {
    /// Blocks that are in memory as long as there are no more than `limit`; the rest goes to a file in the folder.
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
            limit,
            table: Mutex::new(table),
            changed: Condvar::new(),
            format: Format::new(),
            store: Arc::new(Store::new(folder)),
        }
    }

    /// Adds the next block.
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

    /// Whether not all blocks may be in memory: then long messages are not either.
    pub(super) fn is_out_of_core(&self) -> bool {
        self.limit.is_some_and(|limit| limit.get() < self.mailboxes.len())
    }

    /// How many may be in memory.
    pub(super) fn limit(&self) -> Option<NonZeroUsize> {
        self.limit
    }

    pub(super) fn moved(&self) -> Moved {
        let [bytes_written, bytes_read] = self.store.moved();
        let Table { written, read, .. } = *lock(&self.table);
        Moved { written, read, bytes_written, bytes_read }
    }

    fn wait<'t>(&self, table: Locked<'t, B>) -> Locked<'t, B> {
        self.changed.wait(table).unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for one more block in memory and counts it. Where all that are there are open, there is one more than the limit: to wait
    /// could be in vain.
    fn with_room<'t>(&'t self, table: Locked<'t, B>) -> Locked<'t, B> {
        let mut table = self.with_at_most(self.limit.map_or(usize::MAX, |limit| limit.get() - 1), table);
        table.here += 1;
        table
    }

    /// Writes blocks to the store that nobody has open, until no more than `most` are in memory.
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

    /// Reads a block that is in the store. It is counted, and its place is its own.
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

    /// The bytes of a block.
    ///
    /// # Panics
    /// When serde cannot write it.
    pub(super) fn written(&self, at: usize, block: &B) -> Vec<u8> {
        (self.format.write)(block).unwrap_or_else(|error| {
            panic!("block {} cannot be written as a `{}`: {error}", self.first + at, type_name::<B>())
        })
    }

    /// The block of these bytes.
    ///
    /// # Panics
    /// When serde cannot read it.
    pub(super) fn read_from(&self, at: usize, bytes: &[u8]) -> B {
        (self.format.read)(bytes).unwrap_or_else(|error| {
            panic!(
                "block {} cannot be read as it was written, as a `{}`: {error}",
                self.first.wrapping_add(at),
                type_name::<B>()
            )
        })
    }

    /// Brings a block into memory, unless it is there, and lets `take` take it out of its place.
    fn open<R>(&self, at: usize, take: impl Fn(&mut Place<B>) -> Option<R>) -> R {
        // There are more than the limit where more were open at once.
        let mut table = self.with_at_most(self.limit.map_or(usize::MAX, NonZeroUsize::get), lock(&self.table));
        loop {
            if let Some(taken) = take(&mut table.places[at]) {
                table.idle.retain(|idle| *idle != at);
                return taken;
            }
            match table.places[at] {
                Place::Away(_) => {
                    table = self.with_room(table);
                    // Others may have come first while room was made, and have brought it elsewhere.
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

    /// Opens a block to read it.
    pub(super) fn lend(&self, at: usize) -> Arc<B> {
        self.open(at, |place| match place {
            Place::Here(data, readers, _) => {
                *readers += 1;
                Some(data.clone())
            }
            _ => None,
        })
    }

    /// Ends what [`Collection::lend`] began.
    pub(super) fn give_back(&self, at: usize, data: Arc<B>) {
        drop(data);
        let mut table = lock(&self.table);
        if let Place::Here(_, readers, _) = &mut table.places[at] {
            *readers -= 1;
            if *readers == 0 {
                table.idle.push(at);
            }
        }
    }

    /// Opens a block to write it.
    pub(super) fn take(&self, at: usize) -> Opened<B> {
        self.open(at, |place| match std::mem::replace(place, Place::Open) {
            Place::Here(data, 0, stored) => Some(Opened { data, stored }),
            other => {
                *place = other;
                None
            }
        })
    }

    /// Ends what [`Collection::take`] began.
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

/// A block that is written to the store. Whatever happens, it is in memory or there.
struct Leaving<'c, B> {
    collection: &'c Collection<B>,
    at: usize,
    data: Option<Arc<B>>,
    stored: Option<Stored>,
}

impl<'c, B> Leaving<'c, B> {
    /// Ends with the block in the store. A block whose bytes are there already is not written.
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

/// A block that is read from the store: if that fails, it is still there.
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
        let lent = collection.lend(at);
        let value = lent[99];
        collection.give_back(at, lent);
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

    /// A block that its readers change, as serde writes it.
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
                    // To read, and to write without writing.
                    if turn < 3 {
                        let lent = collection.lend(at);
                        change(&lent, turn);
                        collection.give_back(at, lent);
                    } else {
                        let opened = collection.take(at);
                        change(&opened.data, turn);
                        collection.put_back(at, opened, false);
                    }
                }
            }
            for at in 0..4 {
                let lent = collection.lend(at);
                assert_eq!(lent.count.load(Ordering::Relaxed), 2, "limit {limit}");
                assert_eq!(lent.names.lock().unwrap().len(), 2, "limit {limit}");
                assert_eq!(*lent.nested[1].as_ref().unwrap().read().unwrap(), 2, "limit {limit}");
                collection.give_back(at, lent);
            }
        }
    }

    /// Of `blocks` blocks in turns, all but one that are in memory stay there.
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
        let lent: Vec<_> = (0..3).map(|at| (at, collection.lend(at), collection.lend(at))).collect();
        assert_eq!(lock(&collection.table).here, 3);
        for (at, one, two) in lent {
            assert_eq!(one, two);
            collection.give_back(at, one);
            collection.give_back(at, two);
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
                        // Each has blocks of its own to write.
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

    /// Whoever needs its room fails, again and again; nobody waits for it.
    #[test]
    fn a_block_that_cannot_be_written_stays() {
        let mut collection = Collection::new(0, 2, NonZeroUsize::new(1), std::env::temp_dir());
        (0..2).for_each(|block| collection.push(Even(2 * block), Vec::new()));
        let mut opened = collection.take(0);
        Arc::get_mut(&mut opened.data).unwrap().0 = 7;
        collection.put_back(0, opened, true);
        for _ in 0..2 {
            let fails = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| collection.lend(1)));
            let message = crate::error::panic_message(&*fails.unwrap_err()).to_owned();
            assert!(message.contains("block 0 cannot be written"), "{message}");
        }
        let mut opened = collection.take(0);
        assert_eq!(opened.data.0, 7);
        Arc::get_mut(&mut opened.data).unwrap().0 = 8;
        collection.put_back(0, opened, true);
        let lent = collection.lend(1);
        assert_eq!(lent.0, 2);
        collection.give_back(1, lent);
    }

    #[test]
    fn a_full_disk_loses_nothing() {
        let mut collection = Collection::new(0, 3, NonZeroUsize::new(2), "/nonexistent/folder".into());
        (0..2).for_each(|block| collection.push(block, Vec::new()));
        let fails = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| collection.push(2, Vec::new())));
        let message = crate::error::panic_message(&*fails.unwrap_err()).to_owned();
        assert!(message.contains("/nonexistent/folder") && message.contains("FORALL_STORE"), "{message}");
        for at in 0..2 {
            let lent = collection.lend(at);
            assert_eq!(*lent, at);
            collection.give_back(at, lent);
        }
    }
}
