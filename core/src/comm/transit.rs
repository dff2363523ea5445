//! Messages that own their buffers, so that they can overlap with a loop that begins later.

use super::seam::{Comm, OverlappedWork};

/// Messages of known lengths between this rank and others.
#[derive(Debug, Default)]
pub struct Transit {
    sends: Vec<(usize, Vec<u8>)>,
    rooms: Vec<(usize, Vec<u8>)>,
    is_complete: bool,
}

impl Transit {
    /// Adds messages to these ranks, and from ranks that send so many bytes.
    pub fn add(&mut self, sends: Vec<(usize, Vec<u8>)>, lengths: impl IntoIterator<Item = (usize, usize)>) {
        self.sends.extend(sends);
        self.rooms.extend(lengths.into_iter().map(|(from, length)| (from, vec![0; length])));
    }

    /// Sends and receives all messages, overlapped with other work. Later calls do nothing.
    pub fn complete(&mut self, comm: &dyn Comm, overlapped: &mut OverlappedWork<'_>) {
        if std::mem::replace(&mut self.is_complete, true) {
            return;
        }
        let sends: Vec<(usize, &[u8])> = self.sends.iter().map(|(to, message)| (*to, &message[..])).collect();
        let mut receives: Vec<(usize, &mut [u8])> =
            self.rooms.iter_mut().map(|(from, room)| (*from, &mut room[..])).collect();
        comm.exchange_overlapped(&sends, &mut receives, overlapped);
        drop(std::mem::take(&mut self.sends));
    }

    /// The messages that have arrived, in the order in which they were added.
    pub fn arrived(self) -> impl Iterator<Item = Vec<u8>> {
        assert!(self.is_complete, "the messages have arrived");
        self.rooms.into_iter().map(|(_, room)| room)
    }
}
