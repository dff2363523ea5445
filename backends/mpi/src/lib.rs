//! The MPI communicator: [`Mpi`] moves bytes between processes that an MPI launcher started.
//!
//! MPI is initialised by [`start`], on the thread that will use it, and finalised by [`finish`]. In between, handles come
//! from [`Mpi::world`].

mod exit;
mod first;
mod machine;
pub mod quiet;
mod stream;

pub use exit::at_exit;

use first::Failures;
use forall_core::comm::{Awaited, Came, Comm, FailedAt, Mark, OverlappedWork, Patience, Stream};
use mpi::Threading;
use mpi::datatype::Equivalence;
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Message, Source, Status};
use mpi::request::{Request, Scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;
use stream::{Channel, Sends};

/// The longest message handed to MPI at once: its counts are 32-bit.
const PIECE: usize = 1 << 29;

/// The number of looks in vain for messages at any time for each look for failures.
const LOOKS: u32 = 16;

/// This process among all that the launcher started.
pub struct Mpi {
    world: SimpleCommunicator,
    rank: usize,
    ranks: usize,
    piece: usize,
    sends: Sends,
}

/// A request, and what it waits for.
type Awaiting<'m, S> = (Awaited, Request<'m, [u8], S>);

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
    /// Their communicators end before MPI does: fields end in their order.
    failures: Failures,
    channel: Channel,
    _universe: Universe,
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
        let failures = Failures::new(&universe.world());
        let channel = Channel::new(&universe.world());
        *session =
            Some(Session { failures, channel, _universe: universe, thread: std::thread::current().id(), callers });
    }
    drop(session);
    Ok(Mpi::world())
}

/// The MPI library of this build, with its version: `Open MPI v4.1.4`, `MPICH 4.0.2`.
pub fn library() -> String {
    let version = mpi::environment::library_version().unwrap_or_default();
    // MPICH says `MPICH Version:`, spaces, and the number; others go on after a comma or on further lines.
    let first = version.lines().next().unwrap_or_default();
    let name = first.split(',').next().unwrap_or_default().replace("Version:", "");
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.is_empty() { "an unknown MPI library".to_owned() } else { words.join(" ") }
}

/// Whether MPI is initialised and the calling thread may call it.
pub fn usable() -> bool {
    let may =
        |session: &Session| session.callers == Callers::OneAtATime || session.thread == std::thread::current().id();
    !ABORTING.load(Ordering::Relaxed) && session().as_ref().is_some_and(may)
}

/// Finalises MPI, if it was initialised. All ranks call it, and no communication is under way.
pub fn finish() {
    // The order of its fields is that in which it ends.
    drop(session().take());
}

/// Tells why all ranks end. Not by `eprintln!`, which a test harness captures and would lose.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "{message}");
}

/// How many bytes a message has.
fn length(status: &Status) -> usize {
    status.count(u8::equivalent_datatype()) as usize
}

impl Mpi {
    /// All processes of the run.
    ///
    /// # Panics
    /// When MPI is not initialised: see [`start`].
    pub fn world() -> Mpi {
        assert!(session().is_some(), "MPI is not initialised");
        let world = SimpleCommunicator::world();
        Mpi { rank: world.rank() as usize, ranks: world.size() as usize, world, piece: PIECE, sends: Sends::default() }
    }

    /// Hands messages to MPI in pieces of at most so many bytes. All ranks use the same.
    pub fn with_pieces(self, piece: usize) -> Mpi {
        Mpi { piece: piece.clamp(1, PIECE), ..self }
    }

    /// The pieces of a message whose length the receiver does not know. It knows the last piece by its length: it is shorter than the
    /// others, or empty.
    fn pieces<'m, T>(&self, message: &'m [T]) -> impl Iterator<Item = &'m [T]> {
        let end: Option<&[T]> = message.len().is_multiple_of(self.piece).then_some(&[]);
        message.chunks(self.piece).chain(end)
    }

    /// Begins to send a piece. The mark is its tag, which MPI lets be at least as large as marks are.
    fn send<'m, S: Scope<'m>>(&self, scope: S, mark: Mark, to: usize, piece: &'m [u8]) -> Awaiting<'m, S> {
        let request = self.world.process_at_rank(to as i32).immediate_send_with_tag(scope, piece, i32::from(mark));
        (Awaited::Taking(to, piece.len()), request)
    }

    /// Begins to send messages whose lengths the receivers do not know.
    fn send_all<'m, S: Scope<'m> + Copy>(
        &self,
        scope: S,
        mark: Mark,
        sends: &[(usize, &'m [u8])],
    ) -> Vec<Awaiting<'m, S>> {
        let pieces = |&(to, message): &(usize, &'m [u8])| {
            self.pieces(message).map(move |piece| self.send(scope, mark, to, piece))
        };
        sends.iter().flat_map(pieces).collect()
    }

    /// Waits for the next piece of a rank.
    fn probe(&self, from: usize) -> (Message, Status) {
        let process = self.world.process_at_rank(from as i32);
        self.until(Awaited::MessageOf(from), &mut || false, || process.immediate_matched_probe())
    }

    /// The message that begins with this piece.
    fn whole(&self, first: (Message, Status), next: impl Fn() -> (Message, Status)) -> Vec<u8> {
        let (mut bytes, mut piece) = (Vec::new(), first);
        loop {
            let (message, status) = piece;
            let (start, length) = (bytes.len(), length(&status));
            bytes.resize(start + length, 0_u8);
            message.matched_receive_into(&mut bytes[start..]);
            if length < self.piece {
                return bytes;
            }
            piece = next();
        }
    }

    /// Looks again and again until something is there, and does what there is to do in between. Messages move while it looks.
    fn until<R>(
        &self,
        awaited: Awaited,
        overlapped: &mut OverlappedWork<'_>,
        mut look: impl FnMut() -> Option<R>,
    ) -> R {
        let (mut patience, mut waits) = (Patience::where_crowded(machine::is_crowded()), first::Waits::default());
        loop {
            if let Some(found) = look() {
                return found;
            }
            if overlapped() {
                continue;
            }
            // A rank that sleeps looks less often: then it listens each time.
            if (patience.pause().is_some() || waits.is_to_listen())
                && let Some(session) = &*session()
            {
                session.failures.answer(&mut waits);
            }
            if let Err(report) = patience.spend(self.rank, self.ranks, awaited) {
                self.abort(&report);
            }
        }
    }

    /// The result of a request, once it is done.
    fn done<'m, S: Scope<'m>>(
        &self,
        request: Request<'m, [u8], S>,
        awaited: Awaited,
        overlapped: &mut OverlappedWork<'_>,
    ) -> (Status, &'m [u8]) {
        let mut request = Some(request);
        self.until(awaited, overlapped, || match request.take()?.test_with_data() {
            Ok(done) => Some(done),
            Err(waiting) => {
                request = Some(waiting);
                None
            }
        })
    }

    fn finish<'m, S: Scope<'m>>(&self, requests: Vec<Awaiting<'m, S>>, overlapped: &mut OverlappedWork<'_>) {
        for (awaited, request) in requests {
            let _ = self.done(request, awaited, overlapped);
        }
    }

    /// Ends all ranks.
    fn end(&self) -> ! {
        ABORTING.store(true, Ordering::Relaxed);
        exit::wait_for_output();
        self.world.abort(1)
    }

    /// How many cores the launcher gave this rank: those it is bound to, divided by the ranks that are bound to the very
    /// same ones; at least one.
    pub fn cores(&self) -> usize {
        (machine::cores() / machine::ranks_on_these_cores()).max(1)
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
        self.exchange_overlapped(sends, receives, &mut || false);
    }

    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        let pieces = |length: usize| length.div_ceil(self.piece);
        let count = sends.iter().map(|(_, message)| pieces(message.len())).sum::<usize>()
            + receives.iter().map(|(_, buffer)| pieces(buffer.len())).sum::<usize>();
        // MPI keeps the order of messages between two ranks, so the pieces need no tags to find their places.
        mpi::request::scope(|scope| {
            let mut requests = Vec::with_capacity(count);
            for (from, buffer) in receives {
                let process = self.world.process_at_rank(*from as i32);
                for piece in buffer.chunks_mut(self.piece) {
                    requests.push((Awaited::MessageOf(*from), process.immediate_receive_into(scope, piece)));
                }
            }
            for (to, message) in sends {
                requests.extend(message.chunks(self.piece).map(|piece| self.send(scope, 0, *to, piece)));
            }
            self.finish(requests, overlapped);
        });
    }

    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        mpi::request::scope(|scope| {
            let sends = self.send_all(scope, 0, sends);
            let received = from.iter().map(|&from| self.whole(self.probe(from), || self.probe(from))).collect();
            self.finish(sends, &mut || false);
            received
        })
    }

    fn exchange_marked(
        &self,
        mark: Mark,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) -> Vec<Came> {
        mpi::request::scope(|scope| {
            let mut requests = self.send_all(scope, mark, sends);
            let mut came: Vec<Came> = rooms.iter().map(|_| Came::InBuffer).collect();
            // A long message moves only once it is received: so whichever comes first is.
            let mut left: Vec<_> = rooms.iter_mut().map(|(from, room)| (*from, &mut **room)).zip(&mut came).collect();
            while let Some(((from, _), _)) = left.first() {
                let look = |(nth, ((from, _), _)): (usize, &((usize, &mut [u8]), &mut Came))| {
                    Some((nth, self.world.process_at_rank(*from as i32).immediate_matched_probe()?))
                };
                let (nth, (message, status)) =
                    self.until(Awaited::MessageOf(*from), overlapped, || left.iter().enumerate().find_map(look));
                let ((from, room), came) = left.remove(nth);
                let theirs = Mark::try_from(status.tag()).unwrap_or(0);
                let fits = theirs == mark && mark != 0;
                if fits && length(&status) == room.len() && room.len() < self.piece {
                    // While it comes, others do.
                    let request = message.immediate_matched_receive_into(scope, room);
                    requests.push((Awaited::MessageOf(from), request));
                    continue;
                }
                let message = self.whole((message, status), || self.probe(from));
                if fits && message.len() == room.len() {
                    room.copy_from_slice(&message);
                } else {
                    *came = Came::Other(theirs, message);
                }
            }
            self.finish(requests, overlapped);
            came
        })
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
                .map(|(from, room)| {
                    let process = self.world.process_at_rank(*from as i32);
                    (Awaited::MessageOf(*from), process.immediate_receive_into(scope, &mut **room))
                })
                .collect();
            let sends = self.send_all(scope, 0, sends);
            for (number, (awaited, receive)) in receives.into_iter().enumerate() {
                let (status, room) = self.done(receive, awaited, &mut || false);
                arrived(number, &room[..length(&status)]);
            }
            self.finish(sends, &mut || false);
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
            say(message);
        }
        self.end()
    }

    fn stream(&self) -> Option<&dyn Stream> {
        Some(self)
    }

    fn passed(&self, loops: u64) {
        first::passed(loops);
    }

    fn abort_at(&self, at: FailedAt, message: &str) -> ! {
        if let Some(session) = &*session()
            && !session.failures.is_first(self.rank, self.ranks, at)
        {
            // The first one ends all; if it cannot, this one still does.
            std::thread::sleep(first::PATIENCE);
        }
        say(message);
        self.end()
    }
}

impl Mpi {
    /// Tells ranks that have failed whether this one, which has no message to receive, is past their loops.
    fn answer_in_vain(&self) {
        let looks = self.sends.looks.get().wrapping_add(1);
        self.sends.looks.set(looks);
        if looks.is_multiple_of(LOOKS)
            && let Some(session) = &*session()
        {
            session.failures.answer(&mut self.sends.waits.borrow_mut());
        }
    }

    /// The next piece of a message at any time.
    fn next_piece(&self, from: Option<usize>) -> Option<(Message, Status)> {
        session().as_ref()?.channel.look(from)
    }
}

impl Stream for Mpi {
    fn post(&self, to: usize, message: Vec<u8>) {
        if let Some(session) = &*session() {
            let cut = |length: usize| self.pieces(&vec![(); length]).map(<[()]>::len).collect();
            session.channel.post(&self.sends, to, message, &cut);
        }
        self.sends.advance();
    }

    fn poll(&self) -> Option<(usize, Vec<u8>)> {
        self.sends.advance();
        let Some(first) = self.next_piece(None) else {
            self.answer_in_vain();
            return None;
        };
        *self.sends.waits.borrow_mut() = first::Waits::default();
        let from = first.1.source_rank() as usize;
        let next = || self.until(Awaited::MessageOf(from), &mut || false, || self.next_piece(Some(from)));
        Some((from, self.whole(first, next)))
    }

    fn settle(&self) {
        while let Some(awaited) = self.sends.advance() {
            self.until(awaited, &mut || false, || self.sends.advance().is_none().then_some(()));
        }
    }
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mpi").field("rank", &self.rank).field("ranks", &self.ranks).finish_non_exhaustive()
    }
}
