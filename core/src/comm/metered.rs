//! A communicator that counts messages and bytes.

use super::seam::{Came, Comm, FailedAt, Mark, OverlappedWork, Stream};
use std::cell::Cell;
use std::ops::Sub;
use std::time::{Duration, Instant};

/// The traffic of a rank so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The number of messages sent.
    pub messages: u64,
    /// The number of bytes sent.
    pub bytes_sent: u64,
    /// The number of bytes received.
    pub bytes_received: u64,
    /// The time spent on communication, including waiting.
    pub time: Duration,
}

/// The difference of two counters.
impl Sub for Traffic {
    type Output = Traffic;

    fn sub(self, earlier: Traffic) -> Traffic {
        Traffic {
            messages: self.messages - earlier.messages,
            bytes_sent: self.bytes_sent - earlier.bytes_sent,
            bytes_received: self.bytes_received - earlier.bytes_received,
            time: self.time - earlier.time,
        }
    }
}

/// A communicator that counts messages and bytes.
pub struct Metered {
    inner: Box<dyn Comm>,
    traffic: Cell<Traffic>,
}

impl Metered {
    /// Starts counting.
    pub fn new(inner: Box<dyn Comm>) -> Self {
        Metered { inner, traffic: Cell::default() }
    }

    /// The counters.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    fn count(&self, sends: &[(usize, &[u8])], received: usize, spent: Duration) {
        let Traffic { messages, bytes_sent, bytes_received, time } = self.traffic.get();
        self.traffic.set(Traffic {
            messages: messages + sends.len() as u64,
            bytes_sent: bytes_sent + sends.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>(),
            bytes_received: bytes_received + received as u64,
            time: time + spent,
        });
    }
}

/// Overlapped work, whose time is subtracted from the communication time.
struct Work<'w, 'm> {
    work: &'w mut OverlappedWork<'m>,
    /// Whether there may be more work.
    more: bool,
    spent: Duration,
}

impl<'w, 'm> Work<'w, 'm> {
    fn new(work: &'w mut OverlappedWork<'m>) -> Self {
        Work { work, more: true, spent: Duration::ZERO }
    }

    fn go_on(&mut self) -> bool {
        if self.more {
            let start = Instant::now();
            self.more = (self.work)();
            self.spent += start.elapsed();
        }
        self.more
    }
}

impl Comm for Metered {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn rank(&self) -> usize {
        self.inner.rank()
    }

    fn ranks(&self) -> usize {
        self.inner.ranks()
    }

    fn ranks_on_this_machine(&self) -> usize {
        self.inner.ranks_on_this_machine()
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        let start = Instant::now();
        self.inner.exchange(sends, receives);
        self.count(sends, receives.iter().map(|(_, bytes)| bytes.len()).sum(), start.elapsed());
    }

    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        let (start, mut work) = (Instant::now(), Work::new(overlapped));
        self.inner.exchange_overlapped(sends, receives, &mut || work.go_on());
        let spent = start.elapsed().saturating_sub(work.spent);
        self.count(sends, receives.iter().map(|(_, bytes)| bytes.len()).sum(), spent);
    }

    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        let start = Instant::now();
        let received = self.inner.exchange_messages(sends, from);
        self.count(sends, received.iter().map(Vec::len).sum(), start.elapsed());
        received
    }

    /// The time in `arrived` is not communication time.
    fn exchange_in_order(
        &self,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        arrived: &mut dyn FnMut(usize, &[u8]),
    ) {
        let (start, mut received, mut elsewhere) = (Instant::now(), 0, Duration::ZERO);
        self.inner.exchange_in_order(sends, rooms, &mut |number, message| {
            let start = Instant::now();
            received += message.len();
            arrived(number, message);
            elsewhere += start.elapsed();
        });
        self.count(sends, received, start.elapsed().saturating_sub(elsewhere));
    }

    /// Marks are not counted.
    fn exchange_marked(
        &self,
        mark: Mark,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) -> Vec<Came> {
        let (start, mut work) = (Instant::now(), Work::new(overlapped));
        let came = self.inner.exchange_marked(mark, sends, rooms, &mut || work.go_on());
        let received = came.iter().zip(rooms).map(|(came, (_, room))| match came {
            Came::InBuffer => room.len(),
            Came::Other(_, message) => message.len(),
        });
        self.count(sends, received.sum(), start.elapsed().saturating_sub(work.spent));
        came
    }

    fn stream(&self) -> Option<&dyn Stream> {
        self.inner.stream().map(|_| self as &dyn Stream)
    }

    fn passed(&self, loops: u64) {
        self.inner.passed(loops);
    }

    fn abort_at(&self, at: FailedAt, message: &str) -> ! {
        self.inner.abort_at(at, message)
    }

    fn abort(&self, message: &str) -> ! {
        self.inner.abort(message)
    }
}

impl Metered {
    fn inner(&self) -> &dyn Stream {
        self.inner.stream().expect("the communicator has streams if this one has")
    }
}

/// The time between messages is not communication time.
impl Stream for Metered {
    fn post(&self, to: usize, message: Vec<u8>) {
        let start = Instant::now();
        let length = message.len() as u64;
        self.inner().post(to, message);
        let Traffic { messages, bytes_sent, bytes_received, time } = self.traffic.get();
        let (messages, bytes_sent, time) = (messages + 1, bytes_sent + length, time + start.elapsed());
        self.traffic.set(Traffic { messages, bytes_sent, bytes_received, time });
    }

    fn poll(&self) -> Option<(usize, Vec<u8>)> {
        let start = Instant::now();
        let found = self.inner().poll()?;
        self.count(&[], found.1.len(), start.elapsed());
        Some(found)
    }

    fn settle(&self) {
        self.inner().settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::Local;

    #[test]
    fn messages_and_bytes_are_counted() {
        let traffic = Local::run(2, |comm| {
            let comm = Metered::new(Box::new(comm));
            let (other, before) = (1 - comm.rank(), comm.traffic());
            let mut received = [0; 3];
            comm.exchange(&[(other, &[1, 2, 3])], &mut [(other, &mut received)]);
            comm.traffic() - before
        });
        for Traffic { messages, bytes_sent, bytes_received, .. } in traffic {
            assert_eq!((messages, bytes_sent, bytes_received), (1, 3, 3));
        }
    }
}
