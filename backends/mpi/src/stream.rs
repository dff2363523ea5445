//! Messages at any time. Each owns its bytes until MPI has taken them.
//!
//! They have a communicator of their own, so that no other receive takes them.

use crate::first::Waits;
use forall_core::comm::Awaited;
use mpi::point_to_point::{Destination, Message, Source, Status};
use mpi::request::{Request, StaticScope};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::mem::ManuallyDrop;

/// The communicator of all messages at any time.
pub(crate) struct Channel(SimpleCommunicator);

// SAFETY: MPI's handles mean the same on all threads of a process. Whoever has the turn to call MPI uses this one: see `Callers`.
unsafe impl Send for Channel {}

/// The messages of a rank that MPI has not taken yet, in the order of their sending.
#[derive(Default)]
pub(crate) struct Sends {
    under_way: RefCell<VecDeque<Sending>>,
    /// Whether this rank is past the loops in which others have failed.
    pub(crate) waits: RefCell<Waits>,
    /// The number of looks in vain.
    pub(crate) looks: Cell<u32>,
}

/// A message on its way. A rank that ends before MPI has taken it leaves the bytes where they are.
struct Sending {
    to: usize,
    pieces: ManuallyDrop<VecDeque<Request<'static, [u8], StaticScope>>>,
    bytes: *mut [u8],
}

impl Sending {
    /// Begins to send these pieces of a message.
    fn begin(channel: &Channel, to: usize, message: Vec<u8>, cut: &dyn Fn(usize) -> Vec<usize>) -> Sending {
        let lengths = cut(message.len());
        let bytes = Box::into_raw(message.into_boxed_slice());
        // SAFETY: the bytes stay there, unchanged, until `is_done` has seen the end of all pieces.
        let mut rest: &'static [u8] = unsafe { &*bytes };
        let process = channel.0.process_at_rank(to as i32);
        let send = |length: usize| {
            let (piece, others) = rest.split_at(length);
            rest = others;
            process.immediate_send(StaticScope, piece)
        };
        let pieces = lengths.into_iter().map(send).collect();
        Sending { to, pieces: ManuallyDrop::new(pieces), bytes }
    }

    /// Whether MPI has taken the message. The bytes are then gone.
    fn is_done(&mut self) -> bool {
        while let Some(piece) = self.pieces.pop_front() {
            if let Err(piece) = piece.test() {
                self.pieces.push_front(piece);
                return false;
            }
        }
        // SAFETY: the bytes are from `Box::into_raw`, no request uses them any more, and this is the last use: see `advance`.
        drop(unsafe { Box::from_raw(self.bytes) });
        true
    }
}

impl Channel {
    /// All ranks call it.
    pub(crate) fn new(world: &SimpleCommunicator) -> Channel {
        Channel(world.duplicate())
    }

    /// Begins to send a message in pieces of these lengths.
    pub(crate) fn post(&self, sends: &Sends, to: usize, message: Vec<u8>, cut: &dyn Fn(usize) -> Vec<usize>) {
        sends.under_way.borrow_mut().push_back(Sending::begin(self, to, message, cut));
    }

    /// The next piece of any rank, or of this one, if it has come.
    pub(crate) fn look(&self, from: Option<usize>) -> Option<(Message, Status)> {
        match from {
            Some(from) => self.0.process_at_rank(from as i32).immediate_matched_probe(),
            None => self.0.any_process().immediate_matched_probe(),
        }
    }
}

impl Sends {
    /// Drops the messages that MPI has taken. Returns the first one that it has not taken.
    pub(crate) fn advance(&self) -> Option<Awaited> {
        let mut under_way = self.under_way.borrow_mut();
        while let Some(mut first) = under_way.pop_front() {
            if !first.is_done() {
                let awaited = Awaited::Taking(first.to, first.bytes.len());
                under_way.push_front(first);
                return Some(awaited);
            }
        }
        None
    }
}
