//! The interface of communicators.

/// A number that is sent with a message: at most 32,767. 0 means none.
pub type Mark = u16;

/// The location of a received message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// In its buffer.
    InBuffer,
    /// In this vector, with its mark.
    Other(Mark, Vec<u8>),
}

/// Runs a piece of the work that overlaps with messages in transit. Returns whether there is more, and does not panic.
pub type OverlappedWork<'m> = dyn FnMut() -> bool + 'm;

/// The position in the program at which a rank has failed, comparable between ranks. Earlier positions are less.
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
    /// The position after all iterations: outside loops.
    pub const OUTSIDE: usize = usize::MAX;
}

/// Messages at any time: the receiver need not know of them beforehand. For exchanges whose messages the data decide.
///
/// Messages between two ranks keep their order, and no other operation of [`Comm`] receives them. A rank that has received all messages
/// for it may use the other operations again.
pub trait Stream {
    /// Begins to send a message of any length to another rank.
    fn post(&self, to: usize, message: Vec<u8>);

    /// The next message from any rank, if one has come. Also advances messages that this rank sends.
    fn poll(&self) -> Option<(usize, Vec<u8>)>;

    /// Waits until the messages of this rank have left their buffers.
    fn settle(&self) {}
}

/// The communicator of a program run.
///
/// All ranks make the same sequence of calls. A communicator is used only from the thread that made it.
pub trait Comm {
    /// `solo`, `local`, `mpi`.
    fn name(&self) -> &'static str;

    /// This rank, `0..ranks()`.
    fn rank(&self) -> usize;

    /// The number of ranks, at least one.
    fn ranks(&self) -> usize;

    /// The number of ranks on this machine, for the default number of threads.
    fn ranks_on_this_machine(&self) -> usize {
        self.ranks()
    }

    /// Sends and receives, all posted at once and all complete on return, so that no order of calls can deadlock.
    ///
    /// Each entry names the other rank. The receiver knows the length beforehand; messages between one pair of ranks
    /// arrive in the order of the entries. Any length works, also above 2 GiB. Neither list names this rank.
    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]);

    /// The same, overlapped with other work. The work does not access the buffers, and may be left unfinished. A communicator without
    /// asynchronous progress does the work first.
    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        while overlapped() {}
        self.exchange(sends, receives);
    }

    /// The same for messages whose lengths only the senders know: one from each of these ranks, in their order.
    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        let mut messages: Vec<Vec<u8>> =
            self.exchange_lengths(sends, from).into_iter().map(|length| vec![0; length]).collect();
        let mut receives: Vec<(usize, &mut [u8])> =
            from.iter().zip(&mut messages).map(|(&from, message)| (from, &mut message[..])).collect();
        self.exchange(sends, &mut receives);
        messages
    }

    /// Exchanges the lengths of messages.
    fn exchange_lengths(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<usize> {
        let lengths: Vec<[u8; 8]> = sends.iter().map(|(_, message)| (message.len() as u64).to_le_bytes()).collect();
        let own: Vec<(usize, &[u8])> = sends.iter().zip(&lengths).map(|((to, _), length)| (*to, &length[..])).collect();
        let mut lengths = vec![[0; 8]; from.len()];
        let mut received: Vec<(usize, &mut [u8])> =
            from.iter().zip(&mut lengths).map(|(&from, length)| (from, &mut length[..])).collect();
        self.exchange(&own, &mut received);
        lengths.into_iter().map(|length| u64::from_le_bytes(length) as usize).collect()
    }

    /// The same for messages that are at most as long as their buffers. Calls `arrived` for each message with the number of its entry, in the
    /// order of the entries, as soon as it has arrived, while later ones are in transit. `arrived` does not panic.
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

    /// The same for messages whose lengths and marks only the senders know: one from each of these ranks, overlapped with
    /// [other work](Comm::exchange_overlapped). A message arrives in its buffer if it has the length of the buffer and the same
    /// nonzero mark as this rank's messages.
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
                return Came::InBuffer;
            }
            Came::Other(theirs, message)
        });
        came.collect()
    }

    /// The messages at any time, if the communicator has them. All ranks return the same.
    fn stream(&self) -> Option<&dyn Stream> {
        None
    }

    /// This rank has completed the loops up to this number, and cannot fail in them any more.
    fn passed(&self, _loops: u64) {}

    /// Ends all ranks: the message is printed once, and the process exits with a non-zero status
    /// (in-process ranks unwind instead).
    fn abort(&self, message: &str) -> !;

    /// The same for a rank that has failed at this position. If several ranks fail, the one with the first position reports it. If the
    /// communicator supports it, it waits for ranks with earlier iterations, because they may still fail.
    fn abort_at(&self, _at: FailedAt, message: &str) -> ! {
        self.abort(message)
    }
}
