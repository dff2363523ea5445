//! Messages between ranks that are processed as they arrive. One thread of each rank sends and receives them, between two visits to blocks.

use super::arrivals::{Arrivals, Arrived, Visit};
use super::ending::{Ending, Word};
use super::mail::{damaged, unpacked};
use super::trail::Trail;
use crate::comm::{Awaited, Comm, Patience, Stream};
use crate::element::{bytes_of, elements_in};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The first byte of a message between ranks.
const WORK: u8 = 0;
const ASK: u8 = 1;
const TOLD: u8 = 2;
const END: u8 = 3;

/// The number of messages that are received between two pieces of work.
const RECEIVES: usize = 64;

/// The time for visits between two looks for messages.
const SLICE: Duration = Duration::from_micros(100);

/// The time between two looks for messages while other workers of the rank are at work.
const PAUSE: Duration = Duration::from_micros(20);

/// A word as a message.
fn written(word: Word) -> Vec<u8> {
    match word {
        Word::Ask => vec![ASK],
        Word::Told(counts) => [&[TOLD], bytes_of(&counts)].concat(),
        Word::End => vec![END],
    }
}

/// The thread that moves the messages of a rank.
struct Lead<'a> {
    arrivals: &'a Arrivals,
    stream: &'a dyn Stream,
    ending: Ending,
}

impl Arrivals {
    /// Moves messages between ranks, and works on blocks, until the loop is over on all ranks.
    ///
    /// # Panics
    /// If another rank has failed.
    pub(crate) fn lead(&self, comm: &dyn Comm, visit: &mut Visit<'_>) {
        let Some(stream) = comm.stream() else { return self.work(true, visit) };
        let (rank, ranks, crowded) = (comm.rank(), comm.ranks(), comm.ranks_on_this_machine() > 1);
        let mut lead = Lead { arrivals: self, stream, ending: Ending::new(rank, ranks) };
        let mut patience = Patience::where_crowded(crowded);
        while let Some(received) = lead.receive() {
            let worked = lead.work(visit);
            if self.is_over() {
                return;
            }
            let sent = lead.send();
            let is_idle = self.is_idle();
            if received || worked || sent || !is_idle {
                patience = Patience::where_crowded(crowded);
                if !(received || worked || sent) {
                    // Other workers of this rank are at work.
                    std::thread::sleep(PAUSE);
                }
                continue;
            }
            if lead.idle() {
                break;
            }
            if let Err(report) = patience.spend(rank, ranks, Awaited::MessageOfAny) {
                comm.abort(&report);
            }
        }
        self.finish();
        stream.settle();
    }
}

impl Lead<'_> {
    /// Receives messages that have come. Returns whether there were any; `None` if the loop is over.
    fn receive(&mut self) -> Option<bool> {
        let stream = self.stream;
        for number in 0..RECEIVES {
            let Some((from, message)) = stream.poll() else { return Some(number > 0) };
            let word = match message.split_first().unwrap_or_else(|| damaged(from)) {
                (&WORK, parcel) => {
                    self.ending.received();
                    self.arrivals.unpack(from, parcel);
                    continue;
                }
                (&ASK, _) => Word::Ask,
                (&TOLD, counts) => match elements_in::<[u64; 2]>(counts)[..] {
                    [counts] => Word::Told(counts),
                    _ => damaged(from),
                },
                (&END, _) => Word::End,
                _ => damaged(from),
            };
            if self.ending.heard(word, &mut |to, word| stream.post(to, written(word))) {
                return None;
            }
        }
        Some(true)
    }

    /// Visits blocks for a while. Returns whether there were any.
    fn work(&self, visit: &mut Visit<'_>) -> bool {
        let start = Instant::now();
        let mut any = false;
        while let Some(at) = self.arrivals.next_block() {
            self.arrivals.serve(at, 1, visit);
            any = true;
            if start.elapsed() > SLICE || self.arrivals.is_over() {
                break;
            }
        }
        any
    }

    /// Sends the messages to other ranks. Returns whether there were any.
    fn send(&mut self) -> bool {
        let mut parcels: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for (to, arrived) in self.arrivals.take_out() {
            let parcel = parcels.entry(self.arrivals.owner(to)).or_insert_with(|| vec![WORK]);
            self.arrivals.pack(to, arrived, parcel);
        }
        let any = !parcels.is_empty();
        for (rank, parcel) in parcels {
            self.ending.sent();
            self.stream.post(rank, parcel);
        }
        any
    }

    /// This rank is idle. Returns whether the loop is over.
    fn idle(&mut self) -> bool {
        let stream = self.stream;
        self.ending.idle(&mut |to, word| stream.post(to, written(word)))
    }
}

impl Arrivals {
    /// Packs a message behind its trail.
    fn pack(&self, to: usize, Arrived { letter, trail }: Arrived, parcel: &mut Vec<u8>) {
        let steps = trail.map_or_else(Vec::new, |trail| trail.steps());
        let steps = postcard::to_stdvec(&steps).unwrap_or_else(|error| panic!("numbers cannot be written: {error}"));
        parcel.extend_from_slice(&steps);
        // All mailboxes of a rank have one store.
        if let Some(mailbox) = self.mailboxes.first() {
            mailbox.opened(letter).pack(to, parcel);
        }
    }

    /// Brings the messages of a parcel to their blocks.
    fn unpack(&self, from: usize, mut parcel: &[u8]) {
        while !parcel.is_empty() {
            let (to, arrived);
            (to, arrived, parcel) = self.unpacked(parcel).unwrap_or_else(|| damaged(from));
            self.bring(to, arrived);
        }
    }

    fn unpacked<'p>(&self, parcel: &'p [u8]) -> Option<(usize, Arrived, &'p [u8])> {
        let (steps, rest): (Vec<(u64, u64)>, _) = postcard::take_from_bytes(parcel).ok()?;
        let (to, message, rest) = unpacked(rest)?;
        let mailbox = self.mailboxes.get(self.at(to)?)?;
        let letter = mailbox.letter(message, self.away);
        Some((to, Arrived { letter, trail: Trail::of_steps(&steps) }, rest))
    }
}
