//! The owners of elements apply the recorded writes: see [`Output::deliver`].
//!
//! A rank sends to each other rank the values that are written to its share, and their indices. Loops of iterative methods write to the
//! same indices again and again. So both ranks cache the indices, and if they are the same as in the previous call, only the values are
//! sent. The two caches stay equal without communication, because all ranks deliver the same arrays in the same order.

use super::notes::{Noted, Notes, Parts};
use crate::call::Call;
use crate::comm::{Traffic, collective};
use crate::data::{Layout, overlap};
use crate::element::{Element, bytes_of, from_bytes};
use crate::lock::lock;
use crate::parameter::Output;
use crate::runtime::{LruCache, enter_loop};
use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The key of an array in a loop: the address of the function's metadata, the number of the loop and that of the variable.
type Key = (usize, usize, usize);

/// The indices that this rank and each other rank cached in the previous call.
#[derive(Debug, Default)]
struct Places {
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
}

/// The indices of earlier calls.
type IndexCache = LruCache<Key, RefCell<Places>>;

/// The number of writes from which several workers apply them.
const WORTH_SHARING: usize = 1 << 16;

/// Longer lists of indices, in bytes, are not cached. Both ranks decide equally.
const TOO_MANY: usize = 64 << 20;

impl<T: Element> Output<'_, T> {
    /// Applies the writes that this rank's iterations have recorded, and those of other ranks to this rank's share. The loop and the
    /// variable have these numbers in their function.
    pub fn deliver<V: Element, W: Fn(&mut T, V) + Sync>(
        &mut self,
        call: &Call,
        (number, variable): (usize, usize),
        noted: Noted<V, W>,
    ) {
        let Noted { parts, write, notes } = noted;
        let (local, place) = self.parts();
        let arrived = match call.alone() {
            true => notes,
            false => {
                let (before, ranks) = (call.context.traffic(), call.context.ranks());
                let key = (std::ptr::from_ref(call.meta).addr(), number, variable);
                let arrived = exchanged(call, key, place, parts, notes);
                if call.context.settings().explain && call.context.rank() == 0 {
                    let Traffic { bytes_sent, bytes_received, .. } = call.context.traffic() - before;
                    let (number, size) = (number + 1, size_of::<V>());
                    let what = "of what is written at places that only the data know";
                    crate::explain::measured(call.meta, (number, variable), || {
                        format!(
                            ", loop {number}: rank 0 of {ranks} sends {bytes_sent} bytes {what} ({size} bytes a value, and its \
                             place) and receives {bytes_received}"
                        )
                    });
                }
                arrived
            }
        };
        if !arrived.is_empty() {
            let share = place.offset..place.offset + local.len();
            write_all(call, parts, local.into_elements(), share, &arrived, &write);
        }
    }
}

/// Applies writes to a share. The writes to each part of the array are applied in their order.
///
/// # Panics
/// If `write` panics, after all workers have stopped.
fn write_all<T: Element, V: Element>(
    call: &Call,
    parts: Parts,
    mut elements: &mut [T],
    share: Range<usize>,
    arrived: &[Notes<V>],
    write: &(impl Fn(&mut T, V) + Sync),
) {
    let mut shares: Vec<(usize, usize, Mutex<&mut [T]>)> = Vec::new();
    for part in 0..parts.count() {
        let range = overlap(&parts.range(part), &share);
        if !range.is_empty() {
            let (these, others) = elements.split_at_mut(range.len());
            // The offset of the share in the part.
            shares.push((part, range.start - parts.range(part).start, Mutex::new(these)));
            elements = others;
        }
    }
    let write_part = |(part, first, elements): &(usize, usize, Mutex<&mut [T]>)| {
        let mut elements = lock(elements);
        for (at, value) in arrived.iter().flat_map(|notes| notes.of(*part)) {
            write(&mut elements[*at as usize - first], *value);
        }
    };
    let (next, panicked) = (AtomicUsize::new(0), Mutex::new(None));
    let place = call.context().this_rank();
    let work = |_: usize| {
        let _inside = enter_loop(place);
        while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
            // `+=` may overflow.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| write_part(share))) {
                next.store(shares.len(), Ordering::Relaxed);
                lock(&panicked).get_or_insert(payload);
            }
        }
    };
    let (node, count) = (call.context().node(), arrived.iter().flat_map(Notes::counts).sum::<usize>());
    let workers = if count < WORTH_SHARING { 1 } else { node.workers().min(shares.len()).max(1) };
    node.run(workers, &work);
    if let Some(payload) = panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
        resume_unwind(payload);
    }
}

/// The recorded writes of all ranks to this rank's share, in the order of the ranks, which is that of the iterations.
fn exchanged<V: Element>(call: &Call, key: Key, place: &Layout, parts: Parts, notes: Vec<Notes<V>>) -> Vec<Notes<V>> {
    let (ranks, rank) = (call.context().ranks(), call.context().rank());
    let mut outgoing = by_owner(place, parts, notes, ranks);
    let own = std::mem::replace(&mut outgoing[rank], Notes::none());
    let known = cached_indices(call, key, ranks);
    let mut known = known.borrow_mut();
    let messages = outgoing.iter().zip(&mut known.sent).map(|(notes, sent)| packed(notes, sent));
    let messages: Vec<Vec<u8>> = messages.collect();
    let received = collective::all_to_all(call.context().comm(), &messages);
    let arrived = received.iter().zip(&mut known.received).map(|(message, places)| unpacked(message, places, parts));
    let mut arrived: Vec<Notes<V>> = arrived.collect();
    arrived[rank] = own;
    arrived
}

/// The cached indices of the previous call.
fn cached_indices(call: &Call, key: Key, ranks: usize) -> Rc<RefCell<Places>> {
    let mut cache = call.context().cache().get::<IndexCache>();
    if let Some((_, places)) = cache.get(&key) {
        return places;
    }
    let none = || vec![Vec::new(); ranks];
    let places = Rc::new(RefCell::new(Places { sent: none(), received: none() }));
    // Eviction depends only on the number of entries, which is the same on all ranks.
    cache.insert(key, 0, Rc::clone(&places), 0);
    places
}

/// The recorded writes, by owner.
fn by_owner<V: Element>(place: &Layout, parts: Parts, notes: Vec<Notes<V>>, ranks: usize) -> Vec<Notes<V>> {
    let mut outgoing: Vec<Notes<V>> = (0..ranks).map(|_| Notes::none()).collect();
    for (part, notes) in notes.into_iter().flat_map(Notes::into_parts) {
        let Range { start, end } = parts.range(part);
        let (first, last) = (place.owner(start), place.owner(end - 1));
        if first == last {
            outgoing[first].to(parts, part).extend(notes);
            continue;
        }
        for (at, value) in notes {
            outgoing[place.owner(start + at as usize)].to(parts, part).push((at, value));
        }
    }
    outgoing
}

/// Encodes the message for another rank: the number of values, the values, and their indices, unless they are `sent` already.
fn packed<V: Element>(notes: &Notes<V>, sent: &mut Vec<u8>) -> Vec<u8> {
    let values: Vec<V> = notes.iter().map(|(_, value)| *value).collect();
    if values.is_empty() {
        sent.clear();
        return Vec::new();
    }
    let (counts, at): (Vec<usize>, Vec<u32>) = (notes.counts().collect(), notes.iter().map(|(at, _)| *at).collect());
    let mut places = [bytes_of(&counts), bytes_of(&at)].concat();
    let mut message = [bytes_of(&[values.len()]), bytes_of(&values)].concat();
    if places != *sent {
        message.extend_from_slice(&places);
    }
    if places.len() > TOO_MANY {
        places.clear();
    }
    *sent = places;
    message
}

/// Decodes another rank's message. `known` are the cached indices, and is updated.
fn unpacked<V: Element>(message: &[u8], known: &mut Vec<u8>, parts: Parts) -> Notes<V> {
    let mut notes = Notes::none();
    if message.is_empty() {
        known.clear();
        return notes;
    }
    let (count, rest) = message.split_at(size_of::<usize>());
    let (values, places) = rest.split_at(from_bytes::<usize>(count)[0] * size_of::<V>());
    if !places.is_empty() {
        *known = places.to_vec();
    }
    let (counts, at) = known.split_at(parts.count() * size_of::<usize>());
    let mut all = from_bytes::<u32>(at).into_iter().zip(from_bytes::<V>(values));
    for (part, count) in from_bytes::<usize>(counts).into_iter().enumerate().filter(|(_, count)| *count > 0) {
        notes.to(parts, part).extend(all.by_ref().take(count));
    }
    if known.len() > TOO_MANY {
        known.clear();
    }
    notes
}
