//! The communicator itself, on several ranks: this binary runs itself under `mpirun`.

mod common;

use common::{cannot_launch, launch};
use forall_core::comm::{Came, Comm, collective};
use forall_mpi::{Callers, Mpi};

fn main() {
    if forall_core::runtime::launch::launched().is_some() {
        return rank();
    }
    if cannot_launch() {
        return;
    }
    for ranks in [1, 2, 3, 4, 7] {
        let run = launch(ranks, &[], &[]);
        print!("{}", run.text);
        assert_eq!(run.status, Some(0), "{ranks} ranks");
    }
}

/// The work of a rank. With `HUGE_MESSAGES`, it also sends more than 2 GiB at once, which takes 5 GiB of memory.
fn rank() {
    let comm = forall_mpi::start(Callers::OneThread).expect("MPI starts");
    let (rank, ranks) = (comm.rank(), comm.ranks());
    collectives(&comm);
    // Tiny pieces stand for messages beyond 2 GiB.
    collectives(&Mpi::world().with_pieces(3));
    in_order(&comm);
    in_order(&Mpi::world().with_pieces(3));
    marked(&comm);
    marked(&Mpi::world().with_pieces(3));
    at_any_time(&comm);
    at_any_time(&Mpi::world().with_pieces(3));
    ring(&Mpi::world().with_pieces(1 << 20), 5 << 20);
    if std::env::var_os("HUGE_MESSAGES").is_some() {
        ring(&comm, (2 << 30) + 12_345);
    }
    assert!(comm.cores() >= 1 && comm.ranks_on_this_machine() >= 1 && forall_mpi::usable());
    collective::barrier(&comm);
    if rank == 0 {
        println!("ok on {ranks} ranks, {} on this machine, {} cores each", comm.ranks_on_this_machine(), comm.cores());
    }
    forall_mpi::finish();
}

/// A text that differs in length from rank to rank.
fn text(rank: usize) -> String {
    format!("<{}>", rank.to_string().repeat(1 + 150 * rank))
}

fn collectives(comm: &Mpi) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let texts = |ranks: std::ops::Range<usize>| ranks.map(text).collect::<String>();
    let encode = |text: &String| text.clone().into_bytes();
    let decode = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");

    let ranks_in_order: Vec<u64> = (0..ranks as u64).collect();
    assert_eq!(collective::allgather(comm, &[rank as u64]), ranks_in_order);
    let (all, lengths) = collective::allgather_varied(comm, text(rank).as_bytes());
    assert_eq!((decode(&all), lengths.len()), (texts(0..ranks), ranks));
    let gathered = collective::gather(comm, ranks - 1, text(rank).as_bytes());
    assert_eq!(gathered.is_some(), rank == ranks - 1);
    assert_eq!(collective::reduce_all(comm, 3, text(rank), encode, decode, |a, b| a + &b), texts(0..ranks));
    let before = collective::exscan(comm, text(rank), encode, decode, |a, b| a + &b);
    assert_eq!(before, (rank > 0).then(|| texts(0..rank)));
    let parts: Vec<String> = (0..ranks).map(|to| text(rank) + &text(to)).collect();
    let received = collective::all_to_all(comm, &parts);
    assert!(received.iter().enumerate().all(|(from, part)| decode(part) == text(from) + &text(rank)));
    let message = (rank == 0).then(|| text(9).into_bytes());
    assert_eq!(collective::broadcast(comm, 0, message), text(9).into_bytes());
}

/// Messages that the receivers do not know of: from one rank they come in the order of sending, and no other operation receives them.
fn at_any_time(comm: &Mpi) {
    let (rank, ranks, stream) = (comm.rank(), comm.ranks(), comm.stream().expect("MPI sends at any time"));
    let lengths = [0, 1, 2, 3, 5, 6, 7, 20_000];
    let message = |from: usize, number: usize| vec![(from * 10 + number) as u8; lengths[number]];
    for number in 0..lengths.len() {
        (0..ranks).filter(|to| *to != rank).for_each(|to| stream.post(to, message(rank, number)));
    }
    assert_eq!(collective::allgather(comm, &[rank as u64]).len(), ranks);
    let mut next = vec![0; ranks];
    while next.iter().sum::<usize>() < (ranks - 1) * lengths.len() {
        let Some((from, bytes)) = stream.poll() else { continue };
        assert!(bytes == message(from, next[from]), "message {} of rank {from} on rank {rank}", next[from]);
        next[from] += 1;
    }
    stream.settle();
    collective::barrier(comm);
    assert!(stream.poll().is_none());
    collective::barrier(comm);
}

/// Messages that are shorter than the room for them, or have none.
fn in_order(comm: &Mpi) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let others: Vec<usize> = (0..ranks).filter(|other| *other != rank).collect();
    let messages: Vec<String> = others.iter().map(|to| text(rank).repeat(*to)).collect();
    let sends: Vec<(usize, &[u8])> =
        others.iter().zip(&messages).map(|(to, message)| (*to, message.as_bytes())).collect();
    let mut rooms: Vec<(usize, Vec<u8>)> = others.iter().rev().map(|from| (*from, vec![0; 20_000])).collect();
    let mut receives: Vec<(usize, &mut [u8])> = rooms.iter_mut().map(|(from, room)| (*from, &mut room[..])).collect();
    let mut came = Vec::new();
    comm.exchange_in_order(&sends, &mut receives, &mut |number, message| came.push((number, message.to_vec())));
    let expected = others.iter().rev().map(|from| text(*from).repeat(rank).into_bytes()).enumerate();
    assert_eq!(came, expected.collect::<Vec<_>>());
}

/// Messages that come into their rooms where mark and length are those expected, and apart where not.
fn marked(comm: &Mpi) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let others: Vec<usize> = (0..ranks).filter(|other| *other != rank).collect();
    for (marks, longer) in [([7, 7], 0), ([7, 8], 0), ([7, 7], 1), ([0, 0], 0), ([4096, 4096], 0)] {
        let mark = |rank: usize| marks[rank % 2];
        let length = |from: usize, to: usize| 50 * from * to;
        let message = |from: usize, to: usize| vec![from as u8; length(from, to)];
        let messages: Vec<Vec<u8>> = others.iter().map(|to| message(rank, *to)).collect();
        let sends: Vec<(usize, &[u8])> = others.iter().zip(&messages).map(|(to, all)| (*to, &all[..])).collect();
        let mut rooms: Vec<Vec<u8>> = others.iter().map(|from| vec![99; length(*from, rank) + longer]).collect();
        let mut receives: Vec<(usize, &mut [u8])> =
            others.iter().zip(&mut rooms).map(|(from, room)| (*from, &mut room[..])).collect();
        // Work beside them, as much of it as there is time for.
        let mut left = 1000;
        let mut overlapped = || {
            left -= i32::from(left > 0);
            left > 0
        };
        let came = comm.exchange_marked(mark(rank), &sends, &mut receives, &mut overlapped);
        for ((from, came), room) in others.iter().zip(came).zip(&rooms) {
            let expected = message(*from, rank);
            if mark(*from) == mark(rank) && mark(rank) != 0 && longer == 0 {
                assert_eq!((came, room), (Came::InBuffer, &expected));
            } else {
                assert_eq!(came, Came::Other(mark(*from), expected));
            }
        }
    }
}

const BLOCK: usize = 1 << 16;

/// Each rank sends a long message to the next.
fn ring(comm: &Mpi, length: usize) {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    if ranks == 1 {
        return;
    }
    // A block that differs from rank to rank, with its number in front.
    let block = |rank: usize, number: usize, block: &mut [u8]| {
        block.fill(rank as u8);
        block.iter_mut().zip(number.to_le_bytes()).for_each(|(place, byte)| *place = byte);
    };
    let mut own = vec![0; length];
    own.chunks_mut(BLOCK).enumerate().for_each(|(number, part)| block(rank, number, part));
    let mut other = vec![0; length];
    let before = (rank + ranks - 1) % ranks;
    comm.exchange(&[((rank + 1) % ranks, &own)], &mut [(before, &mut other)]);
    let mut expected = vec![0; BLOCK];
    for (number, part) in other.chunks(BLOCK).enumerate() {
        block(before, number, &mut expected);
        assert!(*part == expected[..part.len()], "block {number}");
    }
}
