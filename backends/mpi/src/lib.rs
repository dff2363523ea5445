//! The MPI communicator: [`Mpi`] moves bytes between processes that an MPI launcher started.
//!
//! MPI is initialised by [`start`], on the thread that will use it, and finalised by [`finish`]. In between, handles come
//! from [`Mpi::world`].

mod exit;
mod machine;
pub mod quiet;

pub use exit::at_exit;

use forall_core::comm::Comm;
use mpi::Threading;
use mpi::datatype::Equivalence;
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::request::multiple_scope;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// The longest message handed to MPI at once: its counts are 32-bit.
const PIECE: usize = 1 << 29;

/// This process among all that the launcher started.
pub struct Mpi {
    world: SimpleCommunicator,
    rank: usize,
    ranks: usize,
    piece: usize,
}

/// Who calls MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// The thread that calls [`start`], alone.
    OneThread,
    /// Any thread, one at a time: a test harness, whose tests are threads.
    OneAtATime,
}

/// Why there is no MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It was finalised: a process can use MPI only once.
    Over,
    /// The library lets only one thread call it, ever.
    OneThreadOnly,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Refused::Over => "MPI has ended in this process and cannot start again",
            Refused::OneThreadOnly => {
                "this MPI library lets only one thread call it: run the tests with --test-threads=1"
            }
        })
    }
}

impl std::error::Error for Refused {}

/// MPI while it is initialised.
struct Session {
    universe: Universe,
    thread: ThreadId,
    callers: Callers,
}

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// Whether this process is being ended, so that nothing may call MPI on the way out.
static ABORTING: AtomicBool = AtomicBool::new(false);

fn session() -> MutexGuard<'static, Option<Session>> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Initialises MPI on the calling thread, or returns a further handle if that has happened.
///
/// Takes part in collective operations the first time: all ranks call it.
///
/// # Errors
/// When MPI is over, or cannot be called in the way asked for.
pub fn start(callers: Callers) -> Result<Mpi, Refused> {
    let mut session = session();
    if session.is_none() {
        let level = match callers {
            Callers::OneThread => Threading::Funneled,
            Callers::OneAtATime => Threading::Serialized,
        };
        let (universe, provided) = mpi::initialize_with_threading(level).ok_or(Refused::Over)?;
        let alone = std::thread::current().name() == Some("main");
        if callers == Callers::OneAtATime && provided < Threading::Serialized && !alone {
            return Err(Refused::OneThreadOnly);
        }
        machine::look(&universe.world());
        *session = Some(Session { universe, thread: std::thread::current().id(), callers });
    }
    drop(session);
    Ok(Mpi::world())
}

/// Whether MPI is initialised and the calling thread may call it.
pub fn usable() -> bool {
    let may =
        |session: &Session| session.callers == Callers::OneAtATime || session.thread == std::thread::current().id();
    !ABORTING.load(Ordering::Relaxed) && session().as_ref().is_some_and(may)
}

/// Finalises MPI, if it was initialised. All ranks call it, and no communication is under way.
pub fn finish() {
    if let Some(Session { universe, .. }) = session().take() {
        drop(universe);
    }
}

impl Mpi {
    /// All processes of the run.
    ///
    /// # Panics
    /// When MPI is not initialised: see [`start`].
    pub fn world() -> Mpi {
        assert!(session().is_some(), "MPI is not initialised");
        let world = SimpleCommunicator::world();
        Mpi { rank: world.rank() as usize, ranks: world.size() as usize, world, piece: PIECE }
    }

    /// Hands messages to MPI in pieces of at most so many bytes. All ranks use the same.
    pub fn with_pieces(self, piece: usize) -> Mpi {
        Mpi { piece: piece.clamp(1, PIECE), ..self }
    }

    /// The pieces of a message whose length the receiver does not know. It knows the last piece by its length: it is shorter than the
    /// others, or empty.
    fn pieces<'m>(&self, message: &'m [u8]) -> impl Iterator<Item = &'m [u8]> {
        let end: Option<&[u8]> = message.len().is_multiple_of(self.piece).then_some(&[]);
        message.chunks(self.piece).chain(end)
    }

    /// How many cores the launcher gave this rank: those it is bound to, divided by the ranks that are bound to the very
    /// same ones; at least one.
    pub fn cores(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / machine::ranks_on_these_cores()).max(1)
    }
}

impl Comm for Mpi {
    fn name(&self) -> &'static str {
        "mpi"
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn ranks_on_this_machine(&self) -> usize {
        machine::ranks_here()
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        let pieces = |length: usize| length.div_ceil(self.piece);
        let count = sends.iter().map(|(_, message)| pieces(message.len())).sum::<usize>()
            + receives.iter().map(|(_, buffer)| pieces(buffer.len())).sum::<usize>();
        if count == 0 {
            return;
        }
        // MPI keeps the order of messages between two ranks, so the pieces need no tags to find their places.
        multiple_scope(count, |scope, requests| {
            for (from, buffer) in receives {
                let from = self.world.process_at_rank(*from as i32);
                for piece in buffer.chunks_mut(self.piece) {
                    requests.add(from.immediate_receive_into(scope, piece));
                }
            }
            for (to, message) in sends {
                let to = self.world.process_at_rank(*to as i32);
                for piece in message.chunks(self.piece) {
                    requests.add(to.immediate_send(scope, piece));
                }
            }
            requests.wait_all(&mut Vec::with_capacity(count));
        });
    }

    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        let count = sends.iter().map(|(_, message)| message.len() / self.piece + 1).sum();
        let mut received = vec![Vec::new(); from.len()];
        multiple_scope(count, |scope, requests| {
            for (to, message) in sends {
                let to = self.world.process_at_rank(*to as i32);
                for piece in self.pieces(message) {
                    requests.add(to.immediate_send(scope, piece));
                }
            }
            for (from, bytes) in from.iter().zip(&mut received) {
                let from = self.world.process_at_rank(*from as i32);
                loop {
                    let (message, status) = from.matched_probe();
                    let (start, length) = (bytes.len(), status.count(u8::equivalent_datatype()) as usize);
                    bytes.resize(start + length, 0_u8);
                    message.matched_receive_into(&mut bytes[start..]);
                    if length < self.piece {
                        break;
                    }
                }
            }
            requests.wait_all(&mut Vec::with_capacity(count));
        });
        received
    }

    fn exchange_in_order(
        &self,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        arrived: &mut dyn FnMut(usize, &[u8]),
    ) {
        if rooms.iter().any(|(_, room)| room.len() >= self.piece) {
            let from: Vec<usize> = rooms.iter().map(|(from, _)| *from).collect();
            let messages = self.exchange_messages(sends, &from);
            return messages.iter().enumerate().for_each(|(number, message)| arrived(number, message));
        }
        // As `exchange_messages` sends them: what is shorter than a piece is one message.
        mpi::request::scope(|scope| {
            let receives: Vec<_> = rooms
                .iter_mut()
                .map(|(from, room)| self.world.process_at_rank(*from as i32).immediate_receive_into(scope, &mut **room))
                .collect();
            let pieces = sends.iter().flat_map(|(to, message)| self.pieces(message).map(move |piece| (*to, piece)));
            let sends: Vec<_> =
                pieces.map(|(to, piece)| self.world.process_at_rank(to as i32).immediate_send(scope, piece)).collect();
            for (number, mut receive) in receives.into_iter().enumerate() {
                let (status, room) = loop {
                    match receive.test_with_data() {
                        Ok(there) => break there,
                        Err(waiting) => receive = waiting,
                    }
                    // Another rank may need this core.
                    std::thread::yield_now();
                };
                arrived(number, &room[..status.count(u8::equivalent_datatype()) as usize]);
            }
            sends.into_iter().for_each(|send| send.wait_without_status());
        });
    }

    fn abort(&self, message: &str) -> ! {
        if message.is_empty() {
            // The rank that knows why ends this one meanwhile; if it cannot, this one still ends them all.
            std::thread::sleep(Duration::from_secs(3));
        } else {
            // Ranks often fail all at once, for the same reason. The launcher ends the others at the first abort, so
            // taking turns is enough for the message to come once.
            let turn = if self.rank == 0 { 0 } else { 100 + 400 * self.rank / self.ranks };
            std::thread::sleep(Duration::from_millis(turn as u64));
            // Not `eprintln!`, which a test harness captures and would lose.
            let _ = writeln!(std::io::stderr(), "{message}");
        }
        ABORTING.store(true, Ordering::Relaxed);
        self.world.abort(1)
    }
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mpi").field("rank", &self.rank).field("ranks", &self.ranks).finish_non_exhaustive()
    }
}
