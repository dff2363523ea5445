//! Tests of resident and spilled blocks.

use super::*;

fn blocks(limit: usize) -> Limit {
    Limit::new(NonZeroUsize::new(limit), None)
}

fn collection(count: usize, limit: usize) -> Collection<Vec<u32>> {
    let mut collection = Collection::new(10 + count, blocks(limit), std::env::temp_dir());
    (0..count).for_each(|block| collection.push(10 + block, vec![block as u32; 100], Vec::new()));
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
        let mut collection = Collection::new(4, blocks(limit), std::env::temp_dir());
        for number in 0..4 {
            let nested = vec![None, Some(Box::new(std::sync::RwLock::new(0)))];
            let block = Counted { count: AtomicU64::new(0), names: Mutex::default(), nested };
            collection.push(number, block, Vec::new());
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
    let mut collection = Collection::new(2, blocks(1), std::env::temp_dir());
    (0..2).for_each(|block| collection.push(block, Even(2 * block as u32), Vec::new()));
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
    let mut collection = Collection::new(3, blocks(2), "/nonexistent/folder".into());
    (0..2).for_each(|block| collection.push(block, block, Vec::new()));
    let fails = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| collection.push(2, 2, Vec::new())));
    let message = crate::error::panic_message(&*fails.unwrap_err()).to_owned();
    assert!(message.contains("/nonexistent/folder") && message.contains("FORALL_STORE"), "{message}");
    for at in 0..2 {
        let opened = collection.open(at);
        assert_eq!(*opened, at);
        collection.close(at, opened);
    }
}

/// The sizes of blocks count, also if they grow.
#[test]
fn a_limit_in_bytes_holds() {
    for limit in [1, 500, 1000, 2000, 4000] {
        let limits = Limit::new(None, NonZeroU64::new(limit));
        let mut collection = Collection::new(5, limits, std::env::temp_dir());
        // 24 + 8 * 40 bytes each; postcard writes 41.
        (0..5).for_each(|block| collection.push(block, vec![block as u64; 40], Vec::new()));
        let check = |collection: &Collection<Vec<u64>>| {
            let table = lock(&collection.table);
            assert!(table.bytes <= limit.max(*table.sizes.iter().max().unwrap()), "{limit}: {}", table.bytes);
            let here = table.places.iter().zip(&table.sizes).filter(|(place, _)| matches!(place, Place::Here(..)));
            assert_eq!(here.map(|(_, size)| size).sum::<u64>(), table.bytes);
        };
        for turn in 0..4 {
            for at in 0..5 {
                let mut opened = collection.take(at);
                Arc::get_mut(&mut opened.data).unwrap().extend([turn; 10]);
                collection.put_back(at, opened, true);
                let next = (at + 1) % 5;
                let opened = collection.open(next);
                collection.close(next, opened);
                check(&collection);
            }
        }
        for at in 0..5 {
            let opened = collection.open(at);
            assert_eq!(opened[..40], [at as u64; 40]);
            assert_eq!(opened[40..], (0..4).flat_map(|turn| [turn; 10]).collect::<Vec<_>>());
            collection.close(at, opened);
        }
    }
}

#[test]
fn a_file_that_is_cut_short_is_an_error_that_names_the_block() {
    let collection = collection(6, 2);
    collection.store.damage();
    let failed = (0..6).filter(|at| {
        let fails = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| look(&collection, *at)));
        let message = fails.err().map(|fails| crate::error::panic_message(&*fails).to_owned());
        let text = format!("block {} cannot be read back", 10 + at);
        assert!(message.as_ref().is_none_or(|message| message.contains(&text)), "{message:?}");
        message.is_some()
    });
    assert_eq!(failed.count(), 4, "the two blocks in memory stay");
}
