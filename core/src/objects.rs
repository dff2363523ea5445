//! Distributed objects: arrays of one to three dimensions without a fixed owner.
//!
//! The programming model is that of Zhang, Mueller, Cui and Potok (2010). Data belong to the rank that has modified them last, copies are
//! cached until they become invalid, and tasks run where most of their input is. An [`Object`] is the container.
//!
//! Tasks on objects are a [`Region`]: each declares the boxes that it reads and writes.
//!
//! # The protocol
//! Each operation on an object is collective: all ranks make it, in the same order, each with its own box. So a rank never has to be ready
//! for a message at another time, and needs no thread for messages: MPI is called only from the thread that initialised it.
//!
//! An operation begins with a handshake, in which each rank tells all others to which ranks it will send. A rank that has nothing to ask and
//! to answer sends only the handshake's messages. These are the same for all collective operations, and are not counted. A region that repeats
//! an earlier one sends its elements in the handshake's messages.
//!
//! | operation | control messages |
//! |---|---|
//! | get a box that this rank holds, or that nobody has written | none |
//! | get a box whose owner this rank knows | a request to the owner, which sends the elements |
//! | get another box | a question to the directory and its answer, then as above |
//! | run a region whose owners all ranks know | none; one message with elements from each rank that has some of what another lacks |
//! | declare a box as modified | a claim to the directory; one invalidation for each rank that knew the owner |
//!
//! A box in several cells of the directory, or of several owners, takes these messages for each rank concerned. Several fetches travel
//! together.
//!
//! # The directory
//! The indices of an object are divided into cells. A rank keeps the entries of the cells that a hash gives it (`FORALL_DIRECTORY=hashed`),
//! or rank 0 keeps all of them (`root`). An entry has the owner of a box, and the ranks that have learnt it.
//!
//! # Invariants
//! - **Each index has one owner, or nobody has written it.** The last rank to claim it owns it. Claims of one operation count in the order
//!   of the ranks. Claims split the boxes that they overlap; adjacent boxes of one owner are joined.
//! - **A rank knows the right owner, or knows that it does not know.** The directory lists each rank that has learnt an owner. A claim tells
//!   these ranks before the operation ends, so no rank asks the wrong owner.
//! - **A copy is valid while its rank knows the owner.** A rank that learns about a claim drops its copy, its knowledge and its private changes
//!   of the box. So no rank reads a stale copy, and reading a valid one needs no message.
//! - **The owner holds its boxes.** A rank can only claim elements that it has.
//! - **No rank waits for a message that another rank does not know of.** The recipients of each round are part of a handshake that all ranks
//!   make before it. Ranks that own nothing and ask for nothing take part in the handshake alone. If a rank panics, the others learn it in
//!   the next handshake, or from the communicator.
//! - **All ranks know for each index whether its owner is common knowledge.** It is, at the beginning and after a step that all ranks know,
//!   until a rank alone claims the index. Then the directory tells all ranks.
//! - **All ranks decide alike where tasks run.** The decision is a function of the declared boxes and of common knowledge. So all ranks know
//!   which elements each rank lacks, which rank sends them, and who owns what the tasks write. A step of a region sends no control messages,
//!   unless a rank has claimed some of its boxes alone since the last step.
//! - **Tasks do not communicate.** Their input has arrived before the first one runs, or with a task that moves. No element that a task writes is in another task's
//!   box.
//! - **Memory is at most twice the elements that are held.** An allocation with less than half of its elements valid is cut to its valid boxes.

mod access;
mod area;
mod barrier;
mod carried;
mod copies;
mod declared;
mod dense;
mod exchange;
mod knowledge;
mod map;
mod memory;
mod named;
mod names;
mod object;
mod on_device;
mod opened;
mod opening;
mod order;
mod placement;
mod region;
mod requests;
mod running;
mod saved;
mod slab;
mod state;
mod stealing;
mod task;
mod tile;
mod transfer;
mod unions;
mod view;
mod window;

pub use area::{Boxed, Ranges, hull};
pub use barrier::{Barrier, Kept, Values, barrier};
pub use declared::{Fetched, OfTask};
pub use object::{Fetch, Object};
pub use on_device::{Candidate, Describe, Launched, Run, first_and_count};
pub use opened::Opened;
pub use order::Token;
pub use region::Region;
pub use running::Times;
pub use state::Counters;
pub use task::{Read, Task, Tasks, Write};
pub use tile::{Tile, Tiles, each, parts};
pub use view::{Changes, OfRank, View, ViewMut};
pub use window::{Place, Reads, Writes};

#[cfg(test)]
mod tests;
