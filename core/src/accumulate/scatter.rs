//! Scatter: writes at indices that depend on data, `out[index[i]] = e`, `out[index[i]] += e`.
//!
//! If no other rank writes to the array, the first iterations write at once. All other writes are recorded by the workers, and the owners
//! of the elements apply them after the loop (`delivery`). Writes to one element are applied in the order of the iterations, so the result is
//! bitwise that of the sequential loop.

mod delivery;
mod notes;

pub use notes::Noted;

use super::accumulator::{Accumulator, no_chunk};
use crate::call::Call;
use crate::data::check;
use crate::element::{Element, from_bytes};
use crate::lock::lock;
use crate::parameter::Output;
use crate::runtime::Context;
use notes::{Notes, Parts};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// `out[index[i]] = e`, where `out` is a parameter marked `#[scatter]`.
#[allow(missing_debug_implementations)] // It holds a closure.
pub struct Scatter<'o, T, V, W> {
    parts: Parts,
    /// The update of an element with a value.
    write: W,
    /// The array, until the first iterations take it.
    array: Mutex<Option<&'o mut [T]>>,
    /// The recorded writes of the chunks, in order.
    noted: Mutex<Vec<Notes<V>>>,
}

/// A scatter to an array; `write` applies a write.
pub fn scatter<T, V, W>(to: Target<'_, T>, write: W) -> Scatter<'_, T, V, W>
where
    W: Fn(&mut T, V) + Copy + Send + Sync,
{
    let Target { len, array } = to;
    Scatter { parts: Parts::of(len), write, array: Mutex::new(array), noted: Mutex::default() }
}

/// The target array of a scatter.
#[derive(Debug)]
pub struct Target<'o, T> {
    len: usize,
    /// The whole array, if no other rank writes to it.
    array: Option<&'o mut [T]>,
}

impl<T: Element> Output<'_, T> {
    /// The target for [`scatter`].
    pub fn target(&mut self, call: &Call) -> Target<'_, T> {
        let (local, place) = self.parts();
        Target { len: place.len, array: call.alone().then(|| local.into_elements()) }
    }
}

/// The array inside the body of a loop.
pub struct Scattered<'o, T, V, W> {
    parts: Parts,
    write: W,
    /// The array itself, for the first iterations.
    array: Option<&'o mut [T]>,
    notes: Notes<V>,
}

impl<T, V, W> fmt::Debug for Scattered<'_, T, V, W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "writes to an array of {} elements", self.len())
    }
}

impl<T, V, W> Scattered<'_, T, V, W> {
    /// The length of the array.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.parts.len
    }

    /// Whether the array has no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.parts.len == 0
    }
}

impl<T, V, W: Fn(&mut T, V)> Scattered<'_, T, V, W> {
    /// Writes an element, or records the write. The value is the first argument, because `out[index] = value` evaluates it before the index.
    ///
    /// # Panics
    /// If the index is out of bounds.
    #[inline(always)]
    #[track_caller]
    pub fn put(&mut self, value: V, index: usize) {
        match &mut self.array {
            Some(array) => {
                check(index, array.len());
                (self.write)(&mut array[index], value);
            }
            None => {
                check(index, self.parts.len);
                self.notes.add(self.parts, index, value);
            }
        }
    }
}

impl<'o, T, V, W> Accumulator for Scatter<'o, T, V, W>
where
    T: Send,
    V: Element,
    W: Fn(&mut T, V) + Copy + Send + Sync,
{
    no_chunk!();
    type Carry = Scattered<'o, T, V, W>;
    type Shed = Notes<V>;
    type Out = Noted<V, W>;

    fn carry(&self, first: bool) -> Scattered<'o, T, V, W> {
        let array = if first { lock(&self.array).take() } else { None };
        let notes = if array.is_some() { Notes::none() } else { Notes::begun(self.parts) };
        Scattered { parts: self.parts, write: self.write, array, notes }
    }

    fn shed(&self, carry: &mut Scattered<'o, T, V, W>, _: Option<Notes<V>>) -> Notes<V> {
        std::mem::replace(&mut carry.notes, Notes::begun(self.parts))
    }

    fn assign(&self, part: &mut Notes<V>) {
        lock(&self.noted).push(std::mem::replace(part, Notes::none()));
    }

    fn place(&self, _: &mut Notes<V>) {}

    /// The writes of a device: it pushes indices and values, in the order of the iterations.
    fn pushed(&self, parts: &mut std::vec::IntoIter<Vec<u8>>) -> Scattered<'o, T, V, W> {
        let mut carry = self.carry(true);
        let (places, values) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        // The program's values are elements: it was asked whether they are.
        assert!(values.is_empty() || typeid::of::<T>() == typeid::of::<V>(), "a device pushed values of another type");
        for (place, value) in from_bytes::<usize>(&places).into_iter().zip(from_bytes(&values)) {
            carry.put(value, place);
        }
        carry
    }

    fn finish(self, _: (), carries: Vec<Scattered<'o, T, V, W>>, _: &Context) -> Noted<V, W> {
        let mut notes = self.noted.into_inner().unwrap_or_else(PoisonError::into_inner);
        notes.extend(carries.into_iter().map(|carry| carry.notes));
        notes.retain(|notes| !notes.is_empty());
        Noted { parts: self.parts, write: self.write, notes }
    }
}
