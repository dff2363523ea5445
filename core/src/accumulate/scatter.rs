//! What iterations write at places that only the data know: `out[index[i]] = e`, `out[index[i]] += e`.
//!
//! A worker notes the writes of its iterations in order. After the loop the owners of the elements do them, in the order of the
//! iterations: what several iterations write to one element comes to what the sequential loop leaves there, to the last bit.

use super::accumulator::{Accumulator, no_chunk};
use crate::call::Call;
use crate::comm::collective;
use crate::element::{Element, bytes_of, from_bytes};
use crate::lock::lock;
use crate::parameter::Output;
use crate::runtime::Context;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Writes to an array that is as long, in the order of the iterations.
#[derive(Debug)]
pub struct Scattered<T> {
    len: usize,
    places: Vec<usize>,
    values: Vec<T>,
}

impl<T> Scattered<T> {
    fn new(len: usize) -> Self {
        Scattered { len, places: Vec::new(), values: Vec::new() }
    }

    /// The length of the array.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Notes a write. The value comes first, as in `out[index] = value`, where it is computed before the place.
    ///
    /// # Panics
    /// When the array has no such element, as the write does.
    #[inline(always)]
    #[track_caller]
    pub fn put(&mut self, value: T, index: usize) {
        let len = self.len;
        assert!(index < len, "index out of bounds: the len is {len} but the index is {index}");
        self.places.push(index);
        self.values.push(value);
    }
}

/// `out[index[i]] = e`, where `out` is a parameter marked `#[scatter]`.
#[derive(Debug)]
pub struct Scatter<T> {
    len: usize,
    /// What chunks have noted, in their order.
    noted: Mutex<Vec<Scattered<T>>>,
}

/// Writes at places that only the data know, to an array of so many elements.
pub fn scatter<T: Send>(len: usize) -> Scatter<T> {
    Scatter { len, noted: Mutex::new(Vec::new()) }
}

impl<T: Send> Accumulator for Scatter<T> {
    no_chunk!();
    type Carry = Scattered<T>;
    type Shed = Scattered<T>;
    type Out = Vec<Scattered<T>>;

    fn shed(&self, carry: &mut Scattered<T>, _: Option<Scattered<T>>) -> Scattered<T> {
        std::mem::replace(carry, Scattered::new(self.len))
    }

    fn assign(&self, part: &mut Scattered<T>) {
        let noted = std::mem::replace(part, Scattered::new(self.len));
        lock(&self.noted).push(noted);
    }

    fn place(&self, _: &mut Scattered<T>) {}

    fn carry(&self, _: bool) -> Scattered<T> {
        Scattered::new(self.len)
    }

    fn finish(self, _: (), carries: Vec<Scattered<T>>, _: &Context) -> Vec<Scattered<T>> {
        let noted = self.noted.into_inner().unwrap_or_else(PoisonError::into_inner);
        noted.into_iter().chain(carries).collect()
    }
}

/// From so many writes on, several workers do them, each those to a part of the share.
const WORTH_SHARING: usize = 1 << 16;

impl<T: Element> Output<'_, T> {
    /// Does what this rank's iterations have noted, and those of the others for this rank's share. `write` is what an iteration does
    /// with an element.
    pub fn scatter(&mut self, call: &Call, noted: Vec<Scattered<T>>, write: impl Fn(&mut T, T) + Sync) {
        let context = call.context();
        let (mut local, place) = self.parts();
        let arrived: Vec<(Vec<usize>, Vec<T>)> = match call.alone() {
            true => noted.into_iter().map(|noted| (noted.places, noted.values)).collect(),
            false => {
                let mut parts: Vec<(Vec<usize>, Vec<T>)> = vec![Default::default(); context.ranks()];
                for noted in noted {
                    for (index, value) in noted.places.into_iter().zip(noted.values) {
                        let owner = place.owner(index);
                        let (places, values) = &mut parts[owner];
                        places.push(index - place.share_of(owner).start);
                        values.push(value);
                    }
                }
                let parts: Vec<Vec<u8>> = parts
                    .iter()
                    .map(|(places, values)| [bytes_of(&[places.len()]), bytes_of(places), bytes_of(values)].concat())
                    .collect();
                // The ranks are in the order of their iterations.
                let arrived = collective::all_to_all(context.comm(), &parts);
                arrived.iter().map(|part| unpacked(part)).collect()
            }
        };
        let count: usize = arrived.iter().map(|(places, _)| places.len()).sum();
        let workers = if count < WORTH_SHARING { 1 } else { context.node().workers().max(1) };
        if count == 0 {
            return;
        }
        let each = local.len().div_ceil(workers);
        let parts: Vec<Mutex<&mut [T]>> = local.chunks_mut(each).map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        let work = |_: usize| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(part) = parts.get(number) else { return };
                let (mut part, first) = (lock(part), number * each);
                for (places, values) in &arrived {
                    for (place, value) in places.iter().zip(values) {
                        if let Some(element) = part.get_mut(place.wrapping_sub(first)) {
                            write(element, *value);
                        }
                    }
                }
            }
        };
        match workers {
            1 => work(0),
            _ => context.node().run(workers, &work),
        }
    }
}

/// Places and values from another rank's message.
fn unpacked<T: Element>(part: &[u8]) -> (Vec<usize>, Vec<T>) {
    let (count, rest) = part.split_at(size_of::<usize>());
    let (places, values) = rest.split_at(from_bytes::<usize>(count)[0] * size_of::<usize>());
    (from_bytes(places), from_bytes(values))
}
