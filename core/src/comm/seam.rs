//! The seam to what connects the ranks.

/// What is told beside a message: at most 32,767. 0 is nothing.
pub type Mark = u16;

/// Where a message is that has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// In the room for it.
    InRoom,
    /// Here, with its mark.
    Apart(Mark, Vec<u8>),
}

/// Does a piece of what there is to do while messages are under way, and says whether there is more. It does not panic.
pub type OverlappedWork<'m> = dyn FnMut() -> bool + 'm;

/// Where in the program a rank has failed, counted in the same way on all ranks; what comes first is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedAt {
    /// The number of the handshake with which the loop began.
    pub number: u64,
    /// The iteration, or [`OUTSIDE`](FailedAt::OUTSIDE).
    pub iteration: usize,
    /// Whether the last ranks run the first iterations.
    pub backwards: bool,
}

impl FailedAt {
    /// Behind all iterations: outside of loops.
    pub const OUTSIDE: usize = usize::MAX;
}

/// Connects the ranks of one program run.
///
/// All ranks make the same sequence of calls. A communicator is used only from the thread that made it.
pub trait Comm {
    /// `solo`, `local`, `mpi`.
    fn name(&self) -> &'static str;

    /// This rank, `0..ranks()`.
    fn rank(&self) -> usize;

    /// How many ranks there are, at least one.
    fn ranks(&self) -> usize;

    /// How many ranks of this run share this machine (for the number of threads by default).
    fn ranks_on_this_machine(&self) -> usize {
        self.ranks()
    }

    /// Sends and receives, all posted at once and all complete on return, so that no order of calls can deadlock.
    ///
    /// Each entry names the other rank. The receiver knows the length beforehand; messages between one pair of ranks
    /// arrive in the order of the entries. Any length works, also above 2 GiB. Neither list names this rank.
    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]);

    /// The same beside other work, which touches none of the rooms and changes no message. It may be left unfinished. A communicator
    /// whose messages do not travel by themselves has it done first.
    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        while overlapped() {}
        self.exchange(sends, receives);
    }

    /// The same for messages whose lengths the senders alone know: one from each of these ranks, in their order.
    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        let mut messages: Vec<Vec<u8>> =
            self.exchange_lengths(sends, from).into_iter().map(|length| vec![0; length]).collect();
        let mut receives: Vec<(usize, &mut [u8])> =
            from.iter().zip(&mut messages).map(|(&from, message)| (from, &mut message[..])).collect();
        self.exchange(sends, &mut receives);
        messages
    }

    /// How long the messages will be that come from these ranks, while they hear the same of what this rank sends.
    fn exchange_lengths(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<usize> {
        let lengths: Vec<[u8; 8]> = sends.iter().map(|(_, message)| (message.len() as u64).to_le_bytes()).collect();
        let told: Vec<(usize, &[u8])> =
            sends.iter().zip(&lengths).map(|((to, _), length)| (*to, &length[..])).collect();
        let mut lengths = vec![[0; 8]; from.len()];
        let mut heard: Vec<(usize, &mut [u8])> =
            from.iter().zip(&mut lengths).map(|(&from, length)| (from, &mut length[..])).collect();
        self.exchange(&told, &mut heard);
        lengths.into_iter().map(|length| u64::from_le_bytes(length) as usize).collect()
    }

    /// The same for messages that are at most as long as the room for them: each is handed to `arrived` with the number of its entry,
    /// in the order of the entries, as soon as it is there, while later ones are still under way. `arrived` does not panic.
    fn exchange_in_order(
        &self,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        arrived: &mut dyn FnMut(usize, &[u8]),
    ) {
        let from: Vec<usize> = rooms.iter().map(|(from, _)| *from).collect();
        for (number, message) in self.exchange_messages(sends, &from).iter().enumerate() {
            arrived(number, message);
        }
    }

    /// The same for messages with a mark, of which the senders alone know both: one from each of these ranks, beside
    /// [other work](Comm::exchange_beside). One that has the same mark as those of this rank, which is not 0, and the length of the
    /// room for it comes there.
    fn exchange_marked(
        &self,
        mark: Mark,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) -> Vec<Came> {
        while overlapped() {}
        let marked: Vec<Vec<u8>> =
            sends.iter().map(|(_, message)| [&mark.to_le_bytes()[..], message].concat()).collect();
        let sends: Vec<(usize, &[u8])> = sends.iter().zip(&marked).map(|((to, _), all)| (*to, &all[..])).collect();
        let from: Vec<usize> = rooms.iter().map(|(from, _)| *from).collect();
        let received = self.exchange_messages(&sends, &from);
        let came = received.into_iter().zip(rooms).map(|(mut message, (_, room))| {
            let theirs = message.split_first_chunk().map_or(0, |(mark, _)| Mark::from_le_bytes(*mark));
            message.drain(..message.len().min(size_of::<Mark>()));
            if theirs == mark && mark != 0 && message.len() == room.len() {
                room.copy_from_slice(&message);
                return Came::InRoom;
            }
            Came::Apart(theirs, message)
        });
        came.collect()
    }

    /// This rank has come past the loops up to this number, and will not fail in them any more.
    fn passed(&self, _loops: u64) {}

    /// Ends all ranks: the message is printed once, and the process exits with a non-zero status
    /// (in-process ranks unwind instead).
    fn abort(&self, message: &str) -> !;

    /// The same for a rank that has failed there. Of several ranks that fail, the one that comes first in the program says so. Where
    /// a communicator can ask the ranks with earlier iterations how far they are, it waits for them: they may come to fail.
    fn abort_at(&self, _at: FailedAt, message: &str) -> ! {
        self.abort(message)
    }
}
