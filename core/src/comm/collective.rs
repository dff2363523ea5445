//! Collective operations, written once over [`Comm::exchange`].
//!
//! All ranks call them, with the same arguments where the text says so. States of any type travel as bytes and merge in
//! rank order, so operators need to be associative and need not be commutative.
//!
//! | operation | messages a rank sends |
//! |---|---|
//! | [`allgather`], [`allgather_varied`], [`barrier`] | ceil(log2 ranks), twice that for varied lengths |
//! | [`broadcast`] | at most ceil(log2 ranks) |
//! | [`reduce_all`] | one up the tree, at most ceil(log2 ranks) down |
//! | [`exscan`] | at most ceil(log2 ranks) |
//! | [`gather`] | one, and the lengths as [`allgather`] |
//! | [`all_to_all`], [`all_to_all_known`] | at most one to each rank |

use super::seam::Comm;
use crate::element::{Element, bytes_of, from_bytes};

/// Returns on every rank after all ranks have called it.
pub fn barrier(comm: &dyn Comm) {
    allgather(comm, &[0_u8]);
}

/// The blocks of all ranks, in rank order. All blocks have the same length.
///
/// Bruck's algorithm: in each round a rank passes on all its blocks, so their number doubles.
pub fn allgather<T: Element>(comm: &dyn Comm, block: &[T]) -> Vec<T> {
    let bytes = bytes_of(block);
    from_bytes(&gather_blocks(comm, bytes, &|_| bytes.len()))
}

/// The blocks of all ranks, in rank order, and the length of each. The lengths may differ.
pub fn allgather_varied<T: Element>(comm: &dyn Comm, block: &[T]) -> (Vec<T>, Vec<usize>) {
    let lengths = lengths_of(comm, block.len());
    let all = gather_blocks(comm, bytes_of(block), &|rank| lengths[rank] * size_of::<T>());
    (from_bytes(&all), lengths)
}

fn lengths_of(comm: &dyn Comm, length: usize) -> Vec<usize> {
    allgather(comm, &[length as u64]).into_iter().map(|length| length as usize).collect()
}

fn gather_blocks(comm: &dyn Comm, block: &[u8], length: &dyn Fn(usize) -> usize) -> Vec<u8> {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    // Each rank begins with its own block. The length of `count` blocks from rank `first` on:
    let span = |first: usize, count: usize| (first..first + count).map(|other| length(other % ranks)).sum::<usize>();
    let mut all = Vec::with_capacity(span(rank, ranks));
    all.extend_from_slice(block);
    let mut have = 1;
    while have < ranks {
        let count = have.min(ranks - have);
        let (to, from) = ((rank + ranks - have) % ranks, (rank + have) % ranks);
        let old = all.len();
        all.resize(old + span(from, count), 0);
        let (mine, new) = all.split_at_mut(old);
        comm.exchange(&[(to, &mine[..span(rank, count)])], &mut [(from, new)]);
        have += count;
    }
    all.rotate_right(span(0, rank));
    all
}

/// The blocks of all ranks, in rank order, and the length of each, on rank `root`; `None` elsewhere.
pub fn gather<T: Element>(comm: &dyn Comm, root: usize, block: &[T]) -> Option<(Vec<T>, Vec<usize>)> {
    let lengths = lengths_of(comm, block.len());
    if comm.rank() != root {
        if !block.is_empty() {
            comm.exchange(&[(root, bytes_of(block))], &mut []);
        }
        return None;
    }
    let mut all = vec![0; lengths.iter().sum::<usize>() * size_of::<T>()];
    let mut receives = Vec::new();
    let mut rest = &mut all[..];
    for (rank, &length) in lengths.iter().enumerate() {
        let (part, after) = rest.split_at_mut(length * size_of::<T>());
        rest = after;
        if rank == root {
            part.copy_from_slice(bytes_of(block));
        } else if length > 0 {
            receives.push((rank, part));
        }
    }
    comm.exchange(&[], &mut receives);
    Some((from_bytes(&all), lengths))
}

/// The message of rank `root`, which alone passes one, on every rank. All ranks name the same root.
///
/// # Panics
/// If `root` passes no message.
pub fn broadcast(comm: &dyn Comm, root: usize, message: Option<Vec<u8>>) -> Vec<u8> {
    let ranks = comm.ranks();
    // A binomial tree over the ranks counted from the root: a rank hears from the one that lacks its lowest bit, and
    // speaks to those that add a bit below it, the farthest first.
    let place = (comm.rank() + ranks - root) % ranks;
    let rank_at = |place: usize| (place + root) % ranks;
    let lowest = if place == 0 { ranks.next_power_of_two() } else { 1 << place.trailing_zeros() };
    let message = if place == 0 {
        message.expect("the root of a broadcast has the message")
    } else {
        comm.exchange_messages(&[], &[rank_at(place - lowest)]).remove(0)
    };
    let mut bit = lowest / 2;
    while bit > 0 {
        if place + bit < ranks {
            comm.exchange_messages(&[(rank_at(place + bit), &message)], &[]);
        }
        bit /= 2;
    }
    message
}

/// The merge of the states of all ranks, in rank order, on every rank.
///
/// States merge up a tree in which each rank takes up to `arity - 1` others at a time, and the result comes back as the
/// bytes that rank 0 makes of it. The shape of the tree depends on `arity` and the number of ranks alone. An arity below
/// two counts as two.
pub fn reduce_all<S>(
    comm: &dyn Comm,
    arity: usize,
    mut state: S,
    encode: impl Fn(&S) -> Vec<u8>,
    decode: impl Fn(&[u8]) -> S,
    mut merge: impl FnMut(S, S) -> S,
) -> S {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    if ranks == 1 {
        return state;
    }
    let arity = arity.clamp(2, ranks);
    let mut stride = 1;
    while stride < ranks {
        let head = rank - rank % (stride * arity);
        if head != rank {
            comm.exchange_messages(&[(head, &encode(&state))], &[]);
            break;
        }
        let others: Vec<usize> =
            (1..arity).map(|other| rank + other * stride).take_while(|&other| other < ranks).collect();
        for bytes in comm.exchange_messages(&[], &others) {
            state = merge(state, decode(&bytes));
        }
        stride *= arity;
    }
    let result = broadcast(comm, 0, (rank == 0).then(|| encode(&state)));
    if rank == 0 { state } else { decode(&result) }
}

/// The merge of the states of all ranks before this one, in rank order; `None` on rank 0.
///
/// In each round a rank passes on the merge of a window of ranks that ends with itself; the window doubles. `merge` runs
/// at most 2 ceil(log2 ranks) times.
pub fn exscan<S>(
    comm: &dyn Comm,
    state: S,
    encode: impl Fn(&S) -> Vec<u8>,
    decode: impl Fn(&[u8]) -> S,
    mut merge: impl FnMut(S, S) -> S,
) -> Option<S> {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (mut window, mut before) = (state, None);
    let mut distance = 1;
    while distance < ranks {
        let message = (rank + distance < ranks).then(|| encode(&window));
        let sends: Vec<(usize, &[u8])> = message.iter().map(|message| (rank + distance, &message[..])).collect();
        let from: Vec<usize> = rank.checked_sub(distance).into_iter().collect();
        for bytes in comm.exchange_messages(&sends, &from) {
            before = Some(match before {
                None => decode(&bytes),
                Some(later) => merge(decode(&bytes), later),
            });
            if rank + 2 * distance < ranks {
                window = merge(decode(&bytes), window);
            }
        }
        distance *= 2;
    }
    before
}

/// Sends each part to its rank and returns the expected parts. Every rank knows beforehand the senders and the lengths, and names the
/// senders in the order in which it wants the parts; entries may name this rank.
///
/// # Panics
/// If the part that this rank sends to itself differs from the expected one.
pub fn all_to_all_known(comm: &dyn Comm, sends: &[(usize, &[u8])], expected: &[(usize, usize)]) -> Vec<Vec<u8>> {
    let rank = comm.rank();
    let mut own = sends.iter().filter(|(to, _)| *to == rank).map(|(_, part)| *part);
    let sends: Vec<(usize, &[u8])> = sends.iter().filter(|(to, _)| *to != rank).copied().collect();
    let mut parts: Vec<Vec<u8>> = expected.iter().map(|&(_, length)| vec![0; length]).collect();
    let mut receives = Vec::new();
    for (&(from, _), part) in expected.iter().zip(&mut parts) {
        if from == rank {
            part.copy_from_slice(own.next().expect("a rank expects what it sends to itself"));
        } else {
            receives.push((from, &mut part[..]));
        }
    }
    comm.exchange(&sends, &mut receives);
    parts
}

/// Sends `parts[r]` to rank `r` and returns the parts that all ranks sent to this one, in rank order.
///
/// # Panics
/// If there is not one part for each rank.
pub fn all_to_all(comm: &dyn Comm, parts: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    assert_eq!(parts.len(), ranks, "one part for each rank");
    let others: Vec<usize> = (0..ranks).filter(|&other| other != rank).collect();
    let sends: Vec<(usize, &[u8])> = others.iter().map(|&other| (other, parts[other].as_ref())).collect();
    let mut received = comm.exchange_messages(&sends, &others);
    received.insert(rank, parts[rank].as_ref().to_vec());
    received
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{Local, Solo};

    const RANKS: std::ops::RangeInclusive<usize> = 1..=9;

    /// A text that names its rank; on some ranks it is long, and on some empty.
    fn text(rank: usize) -> String {
        match rank % 4 {
            3 => String::new(),
            2 => format!("<{rank}:{}>", "long ".repeat(rank * 100)),
            _ => format!("<{rank}>"),
        }
    }

    fn texts(ranks: std::ops::Range<usize>) -> String {
        ranks.map(text).collect()
    }

    #[expect(clippy::ptr_arg, reason = "a state is a `String` here")]
    fn encode(text: &String) -> Vec<u8> {
        text.clone().into_bytes()
    }

    fn decode(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn allgather_keeps_rank_order() {
        for ranks in RANKS {
            let expected: Vec<u32> = (0..ranks as u32).flat_map(|rank| [rank, 10 * rank]).collect();
            for all in Local::run(ranks, |comm| allgather(&comm, &[comm.rank() as u32, 10 * comm.rank() as u32])) {
                assert_eq!(all, expected);
            }
        }
    }

    #[test]
    fn varied_lengths_are_gathered_in_rank_order() {
        for ranks in RANKS {
            let lengths: Vec<usize> = (0..ranks).map(|rank| text(rank).len()).collect();
            let everything = (texts(0..ranks).into_bytes(), lengths);
            let root = ranks / 2;
            let results = Local::run(ranks, |comm| {
                let own = text(comm.rank()).into_bytes();
                (allgather_varied(&comm, &own), gather(&comm, root, &own))
            });
            for (rank, (all, gathered)) in results.into_iter().enumerate() {
                assert_eq!(all, everything);
                assert_eq!(gathered, (rank == root).then(|| everything.clone()));
            }
        }
    }

    #[test]
    fn elements_of_no_size_keep_nothing() {
        assert_eq!(allgather_varied(&Solo, &[(); 3]).1, [3]);
        assert_eq!(Local::run(3, |comm| allgather_varied::<u64>(&comm, &[]).0.len()), [0; 3]);
    }

    #[test]
    fn a_broadcast_reaches_all_from_any_root() {
        for ranks in RANKS {
            for root in 0..ranks {
                for length in [0, 1, 248, 10_000] {
                    let message: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
                    let results = Local::run(ranks, |comm| {
                        broadcast(&comm, root, (comm.rank() == root).then(|| message.clone()))
                    });
                    assert!(results.iter().all(|received| *received == message), "{ranks} ranks, root {root}");
                }
            }
        }
    }

    #[test]
    fn a_reduction_merges_in_rank_order_for_any_arity() {
        for ranks in RANKS {
            for arity in [0, 2, 3, 4, 8, usize::MAX] {
                let concat = |a: String, b: String| a + &b;
                let results =
                    Local::run(ranks, |comm| reduce_all(&comm, arity, text(comm.rank()), encode, decode, concat));
                assert_eq!(results, vec![texts(0..ranks); ranks], "{ranks} ranks, arity {arity}");
            }
        }
    }

    #[test]
    fn a_prefix_holds_all_ranks_before() {
        for ranks in RANKS {
            let results = Local::run(ranks, |comm| exscan(&comm, text(comm.rank()), encode, decode, |a, b| a + &b));
            let expected: Vec<Option<String>> = (0..ranks).map(|rank| (rank > 0).then(|| texts(0..rank))).collect();
            assert_eq!(results, expected);
        }
    }

    #[test]
    fn every_part_reaches_its_rank() {
        for ranks in RANKS {
            let part = |from: usize, to: usize| text(from * 3 + to).into_bytes();
            let results = Local::run(ranks, |comm| {
                let parts: Vec<Vec<u8>> = (0..ranks).map(|to| part(comm.rank(), to)).collect();
                let sends: Vec<(usize, &[u8])> = parts.iter().map(|part| &part[..]).enumerate().collect();
                let expected: Vec<(usize, usize)> =
                    (0..ranks).rev().map(|from| (from, part(from, comm.rank()).len())).collect();
                let mut known = all_to_all_known(&comm, &sends, &expected);
                known.reverse();
                (all_to_all(&comm, &parts), known)
            });
            for (to, (received, known)) in results.into_iter().enumerate() {
                let expected: Vec<Vec<u8>> = (0..ranks).map(|from| part(from, to)).collect();
                assert_eq!(received, expected);
                assert_eq!(known, expected);
            }
        }
    }

    /// Counts messages, to hold the table above.
    struct Counting {
        inner: Local,
        sent: std::cell::Cell<usize>,
    }

    impl Comm for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }
        fn rank(&self) -> usize {
            self.inner.rank()
        }
        fn ranks(&self) -> usize {
            self.inner.ranks()
        }
        fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
            self.sent.set(self.sent.get() + sends.len());
            self.inner.exchange(sends, receives);
        }
        fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
            self.sent.set(self.sent.get() + sends.len());
            self.inner.exchange_messages(sends, from)
        }
        fn abort(&self, message: &str) -> ! {
            self.inner.abort(message)
        }
    }

    #[test]
    fn messages_grow_with_the_logarithm_of_the_ranks() {
        for ranks in RANKS {
            let rounds = ranks.next_power_of_two().trailing_zeros() as usize;
            let counts = Local::run(ranks, |inner| {
                let comm = Counting { inner, sent: 0.into() };
                barrier(&comm);
                let gathered = comm.sent.take();
                exscan(&comm, 1_u8, |state| vec![*state], |bytes| bytes[0], |a, b| a + b);
                let scanned = comm.sent.take();
                reduce_all(&comm, 2, 1_u8, |state| vec![*state], |bytes| bytes[0], |a, b| a + b);
                (gathered, scanned, comm.sent.take())
            });
            for (gathered, scanned, reduced) in counts {
                assert!(gathered == rounds && scanned <= rounds && reduced <= 1 + rounds, "{ranks} ranks");
            }
        }
    }
}
