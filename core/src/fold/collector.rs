//! The accumulators of a loop with their types erased.

use super::opaque::Opaque;
use crate::accumulate::{Accumulator, Settling, Shares};
use crate::device::Received;
use crate::runtime::Rank;

/// The object-safe form of [`Accumulator`], for all accumulators of a loop together.
///
/// The arguments of a method must come from the same accumulators, and must be of the right kind: a chunk, a carry, a scan state, or a part
/// of a carry.
pub(super) trait Collector: Sync {
    fn traits(&self) -> Traits;

    fn shed(&self, carry: &mut Opaque, empty: Option<Opaque>) -> Opaque;
    fn assign(&self, part: &mut Opaque);
    fn place(&self, part: &mut Opaque);

    fn chunk(&self) -> Opaque;
    fn chunk_from(&self, value: &Opaque) -> Opaque;
    fn carry(&self, first: bool) -> Opaque;
    fn is_untouched(&self, carry: &mut Opaque) -> bool;
    fn value(&self) -> Opaque;
    fn same_chunk(&self, chunk: &Opaque) -> Opaque;
    fn same_value(&self, value: &Opaque) -> Opaque;
    fn merge(&self, earlier: Opaque, later: Opaque) -> Opaque;
    fn settling(&self, chunk: &Opaque, with: &mut dyn FnMut(Settling));
    fn ends(&self, chunk: &Opaque) -> bool;
    fn advance(&self, value: Opaque, chunk: &Opaque) -> Opaque;
    fn fits(&self, before: &Opaque, chunk: &Opaque, after: &Opaque) -> bool;
    fn hides_mistakes(&self) -> bool;
    /// The value after all chunks; `total` is their merged result, if there are any.
    fn after(&self, total: Option<&Opaque>) -> Opaque;

    fn encode(&self, chunk: &Opaque, to: &mut Vec<u8>);
    fn decode(&self, from: &mut &[u8]) -> Opaque;
    fn collects(&self, to: &mut Vec<u64>);
    fn shares(&self, ranks: usize) -> Shares;
    fn encode_for(&self, rank: Rank, chunk: &Opaque, to: &mut Vec<u8>);
    fn own(&self, rank: Rank, chunk: Opaque) -> Opaque;
    fn decode_own(&self, rank: Rank, from: &mut &[u8]) -> Opaque;
    fn encode_part(&self, rank: Rank, own: &Opaque, to: &mut Vec<u8>);
    fn gathered(&self, rank: Rank, own: Opaque, parts: &mut [&[u8]]) -> Opaque;
    fn encode_value(&self, value: &Opaque, to: &mut Vec<u8>);
    fn decode_value(&self, from: &mut &[u8]) -> Opaque;

    fn moves(&self) -> bool;
    fn encode_carry(&self, carry: Opaque, to: &mut Vec<u8>);
    fn decode_carry(&self, from: &mut &[u8]) -> Opaque;

    fn receive(&self, from: &mut Received<'_>) -> Opaque;
    fn send(&self, value: &Opaque, fields: &mut Vec<u8>);
    fn bins(&self, to: &mut Vec<Vec<u8>>);
    fn pushed(&self, parts: &mut std::vec::IntoIter<Vec<u8>>) -> Opaque;
}

/// The constants of a loop's accumulators: see [`Accumulator`].
#[derive(Clone, Copy)]
pub(super) struct Traits {
    pub exact: bool,
    pub commutes: bool,
    pub one_per_worker: bool,
    pub bulky: bool,
    pub alone: bool,
    pub settles: bool,
    pub detects_late: bool,
    pub needs_order: bool,
    pub by_function: bool,
    pub limited: bool,
    /// Whether chunks have results.
    pub reduces: bool,
    /// Whether workers have a carry.
    pub carries: bool,
    /// Whether workers hand over parts of the carry during the loop.
    pub sheds: bool,
}

impl<A: Accumulator> Collector for A {
    fn traits(&self) -> Traits {
        Traits {
            exact: A::EXACT,
            commutes: A::COMMUTES,
            one_per_worker: A::ONE_PER_WORKER,
            bulky: A::BULKY,
            alone: A::ALONE,
            settles: A::SETTLES,
            detects_late: A::DETECTS_LATE,
            needs_order: A::NEEDS_ORDER,
            by_function: A::BY_FUNCTION,
            limited: A::LIMITED,
            reduces: size_of::<A::Chunk>() > 0,
            carries: size_of::<A::Carry>() > 0,
            sheds: size_of::<A::Shed>() > 0,
        }
    }

    fn shed(&self, carry: &mut Opaque, empty: Option<Opaque>) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        Opaque::new(unsafe { Accumulator::shed(self, carry.get_mut(), empty.map(|part| part.into())) })
    }
    fn assign(&self, part: &mut Opaque) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::assign(self, part.get_mut()) }
    }
    fn place(&self, part: &mut Opaque) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::place(self, part.get_mut()) }
    }

    fn chunk(&self) -> Opaque {
        Opaque::new(Accumulator::chunk(self))
    }
    fn chunk_from(&self, value: &Opaque) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        Opaque::new(Accumulator::chunk_from(self, unsafe { value.get() }))
    }
    fn carry(&self, first: bool) -> Opaque {
        Opaque::new(Accumulator::carry(self, first))
    }
    fn is_untouched(&self, carry: &mut Opaque) -> bool {
        // SAFETY: the contract of `Collector` gives the values their types.
        Accumulator::is_untouched(self, unsafe { carry.get_mut() })
    }
    fn value(&self) -> Opaque {
        Opaque::new(Accumulator::value(self))
    }
    fn same_chunk(&self, chunk: &Opaque) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        Opaque::new(unsafe { chunk.get::<A::Chunk>() }.clone())
    }
    fn same_value(&self, value: &Opaque) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        Opaque::new(unsafe { value.get::<A::Value>() }.clone())
    }
    fn merge(&self, mut earlier: Opaque, later: Opaque) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        let merged = unsafe { Accumulator::merge(self, earlier.take(), later.into()) };
        earlier.put::<A::Chunk>(merged);
        earlier
    }
    fn settling(&self, chunk: &Opaque, with: &mut dyn FnMut(Settling)) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::settling(self, chunk.get(), with) }
    }
    fn ends(&self, chunk: &Opaque) -> bool {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::ends(self, chunk.get()) }
    }
    fn advance(&self, mut value: Opaque, chunk: &Opaque) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        let after = unsafe { Accumulator::advance(self, value.take(), chunk.get()) };
        value.put::<A::Value>(after);
        value
    }
    fn hides_mistakes(&self) -> bool {
        Accumulator::hides_mistakes(self)
    }
    fn fits(&self, before: &Opaque, chunk: &Opaque, after: &Opaque) -> bool {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::fits(self, before.get(), chunk.get(), after.get()) }
    }
    fn after(&self, total: Option<&Opaque>) -> Opaque {
        let value = Accumulator::value(self);
        Opaque::new(match total {
            // SAFETY: the contract of `Collector` gives the values their types.
            Some(total) => unsafe { Accumulator::advance(self, value, total.get()) },
            None => value,
        })
    }

    fn encode(&self, chunk: &Opaque, to: &mut Vec<u8>) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::encode(self, chunk.get(), to) }
    }
    fn decode(&self, from: &mut &[u8]) -> Opaque {
        Opaque::new(Accumulator::decode(self, from))
    }
    fn collects(&self, to: &mut Vec<u64>) {
        Accumulator::collects(self, to);
    }
    fn shares(&self, ranks: usize) -> Shares {
        Accumulator::shares(self, ranks)
    }
    fn encode_for(&self, rank: Rank, chunk: &Opaque, to: &mut Vec<u8>) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::encode_for(self, rank, chunk.get(), to) }
    }
    fn own(&self, rank: Rank, chunk: Opaque) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        Opaque::new(unsafe { Accumulator::own(self, rank, chunk.into()) })
    }
    fn decode_own(&self, rank: Rank, from: &mut &[u8]) -> Opaque {
        Opaque::new(Accumulator::decode_own(self, rank, from))
    }
    fn encode_part(&self, rank: Rank, own: &Opaque, to: &mut Vec<u8>) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::encode_part(self, rank, own.get(), to) }
    }
    fn gathered(&self, rank: Rank, own: Opaque, parts: &mut [&[u8]]) -> Opaque {
        // SAFETY: the contract of `Collector` gives the values their types.
        Opaque::new(unsafe { Accumulator::gathered(self, rank, own.into(), parts) })
    }
    fn encode_value(&self, value: &Opaque, to: &mut Vec<u8>) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::encode_value(self, value.get(), to) }
    }
    fn decode_value(&self, from: &mut &[u8]) -> Opaque {
        Opaque::new(Accumulator::decode_value(self, from))
    }

    fn moves(&self) -> bool {
        Accumulator::moves(self)
    }
    fn encode_carry(&self, carry: Opaque, to: &mut Vec<u8>) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::encode_carry(self, carry.into(), to) }
    }
    fn decode_carry(&self, from: &mut &[u8]) -> Opaque {
        Opaque::new(Accumulator::decode_carry(self, from))
    }

    fn receive(&self, from: &mut Received<'_>) -> Opaque {
        Opaque::new(Accumulator::receive(self, from))
    }
    fn send(&self, value: &Opaque, fields: &mut Vec<u8>) {
        // SAFETY: the contract of `Collector` gives the values their types.
        unsafe { Accumulator::send(self, value.get(), fields) }
    }
    fn bins(&self, to: &mut Vec<Vec<u8>>) {
        Accumulator::bins(self, to);
    }
    fn pushed(&self, parts: &mut std::vec::IntoIter<Vec<u8>>) -> Opaque {
        Opaque::new(Accumulator::pushed(self, parts))
    }
}
