use super::{Algorithm, Does, Operator, Own, Partners, Piece, Rooms, Round, Whither, broadcast, reduce};
use crate::comm::{Comm, Local, Metered, collective};
use crate::node::{Node, Serial};
use std::collections::HashMap;
use std::ops::Range;

/// All algorithms, with all arities.
fn algorithms() -> Vec<Algorithm> {
    let mut all = vec![Algorithm::BinarySwap, Algorithm::DirectSend, Algorithm::SerialDirectSend];
    for k in 2..=16 {
        all.push(Algorithm::Tree { k });
        all.push(Algorithm::RadixK { radices: vec![k] });
        all.push(Algorithm::RadixK { radices: vec![k; 6] });
        all.extend([2, k, 16].map(|regions| Algorithm::TodTree { regions, k }));
    }
    all.extend([[4, 3, 2], [2, 3, 5], [7, 2, 2]].map(|radices| Algorithm::RadixK { radices: radices.to_vec() }));
    all.push(Algorithm::TodTree { regions: 1, k: 3 });
    all.extend([1, 2, 5, 16, 100].map(|slices| Algorithm::Pipeline { slices }));
    all
}

fn rounds_of_all(partners: &Partners) -> Vec<Vec<Round>> {
    (0..partners.ranks).map(|rank| partners.rounds(rank)).collect()
}

/// The members whose frames are merged in an element, as a range of their indices.
type Held = Option<Range<usize>>;

/// Simulates the rounds with member indices as elements, and checks all invariants. Returns the final frames of all ranks.
fn played(partners: &Partners, rounds: &[Vec<Round>]) -> Vec<Vec<Held>> {
    let place: HashMap<usize, usize> =
        partners.members.iter().enumerate().map(|(place, rank)| (*rank, place)).collect();
    let mut frames: Vec<Vec<Held>> = (0..partners.ranks)
        .map(|rank| vec![place.get(&rank).map(|place| *place..place + 1); partners.length])
        .collect();
    assert!(rounds.iter().all(|own| own.len() == rounds[0].len()), "all ranks have the same number of rounds");
    for number in 0..rounds[0].len() {
        let before = frames.clone();
        for (rank, own) in rounds.iter().enumerate() {
            let Round { does, sends, receives, merges, .. } = &own[number];
            for (from, piece) in sends.iter().map(|sent| (rank, sent)) {
                let (other, at_other) = (piece.rank, &rounds[piece.rank][number]);
                assert_ne!(other, from, "no rank sends to itself");
                assert!(at_other.receives.contains(&Piece { rank: from, ..piece.clone() }), "what is sent is expected");
                let apart =
                    |region: &Range<usize>| piece.region.end <= region.start || region.end <= piece.region.start;
                assert!(*does == Does::Copy || apart(merges), "a region that is sent does not merge in the same round");
                assert!(*does == Does::Merge || receives.iter().all(|piece| apart(&piece.region)));
            }
            for piece in receives {
                assert!(!piece.region.is_empty(), "no message is empty");
                let expected = Piece { rank, ..piece.clone() };
                let sent = rounds[piece.rank][number].sends.iter().filter(|sent| **sent == expected).count();
                assert_eq!(sent, 1, "what is expected is sent, once");
                assert!(*does == Does::Copy || piece.region == *merges, "all pieces merge with one region");
                for element in piece.region.clone() {
                    let came = before[piece.rank][element].clone().expect("what is sent is there");
                    let here = &mut frames[rank][element];
                    *here = Some(match (does, here.clone()) {
                        (Does::Copy, _) => came,
                        (Does::Merge, Some(here)) if piece.earlier && came.end == here.start => came.start..here.end,
                        (Does::Merge, Some(here)) if !piece.earlier && here.end == came.start => here.start..came.end,
                        (Does::Merge, here) => panic!("{came:?} does not follow {here:?}"),
                    });
                }
            }
        }
    }
    frames
}

/// Checks a reduction on some ranks, with or without a frame on each.
fn check(partners: &Partners) {
    let rounds = rounds_of_all(partners);
    for (rank, rounds) in rounds.iter().enumerate() {
        assert_eq!(partners.count(), rounds.len(), "{partners:?}");
        assert_eq!(partners.round(rank, rounds.len() / 2).as_ref(), rounds.get(rounds.len() / 2));
    }
    let frames = played(partners, &rounds);
    let holds = |rank: usize| rounds[rank].last().map_or(0..partners.length, |round: &Round| round.keeps.clone());
    let wanted: Vec<(usize, Range<usize>)> = match partners.whither {
        Whither::Scattered => partners.owners(),
        Whither::Root(root) => vec![(root, 0..partners.length)],
        Whither::All => (0..partners.ranks).map(|rank| (rank, 0..partners.length)).collect(),
    };
    for (rank, region) in &wanted {
        let whole = |held: &Held| *held == Some(0..partners.members.len());
        assert!(frames[*rank][region.clone()].iter().all(whole), "rank {rank} has all of {region:?}: {partners:?}");
        assert_eq!(holds(*rank), *region, "rank {rank} knows what it has: {partners:?}");
    }
    if partners.whither == Whither::Scattered {
        let mut covered = 0;
        for (_, region) in &wanted {
            assert_eq!(region.start, covered, "the regions follow each other");
            covered = region.end;
        }
        assert_eq!(covered, partners.length);
    }
}

#[test]
fn every_element_is_merged_in_order_on_any_number_of_ranks() {
    for ranks in 1..=64 {
        for algorithm in algorithms() {
            check(&Partners::of_all(algorithm, ranks, 67, Whither::Scattered));
        }
    }
}

#[test]
fn the_result_comes_to_the_root_or_to_all() {
    for ranks in [1, 2, 3, 5, 8, 13, 16, 17, 31, 48, 64] {
        for algorithm in algorithms() {
            for whither in [Whither::Root(0), Whither::Root(ranks / 2), Whither::Root(ranks - 1), Whither::All] {
                check(&Partners::of_all(algorithm.clone(), ranks, 37, whither));
            }
        }
    }
}

#[test]
fn frames_may_be_shorter_than_there_are_ranks() {
    for length in [0, 1, 2, 7] {
        for algorithm in algorithms() {
            for whither in [Whither::Scattered, Whither::Root(3), Whither::All] {
                check(&Partners::of_all(algorithm.clone(), 19, length, whither));
            }
        }
    }
}

#[test]
fn ranks_without_a_frame_take_no_part_but_get_the_result() {
    for members in [vec![0], vec![4], vec![1, 2, 5], vec![6, 3, 4, 0], vec![0, 1, 2, 3, 4, 5, 6]] {
        let tod_tree = Algorithm::TodTree { regions: 2, k: 2 };
        for algorithm in [Algorithm::Tree { k: 3 }, Algorithm::BinarySwap, tod_tree, Algorithm::Pipeline { slices: 3 }]
        {
            for whither in [Whither::Scattered, Whither::Root(0), Whither::Root(6), Whither::All] {
                let algorithm = algorithm.clone();
                check(&Partners { algorithm, ranks: 7, members: members.clone(), length: 11, whither });
            }
        }
    }
}

#[test]
fn a_broadcast_reaches_all_from_any_root() {
    for (ranks, k) in [(1, 2), (2, 2), (7, 3), (9, 2), (16, 4), (33, 16)] {
        for root in 0..ranks {
            let rounds: Vec<Vec<Round>> = (0..ranks).map(|rank| broadcast(k, ranks, 5, root, rank)).collect();
            let frames = played(&Partners::of_all(Algorithm::DirectSend, ranks, 5, Whither::All), &rounds);
            assert!(
                frames.iter().flatten().all(|held| *held == Some(root..root + 1)),
                "{ranks} ranks, k {k}, root {root}"
            );
            assert!(rounds.iter().flatten().all(|round| round.sends.len() < k));
        }
    }
}

/// If all ranks send their messages one after the other: the largest number that arrive at one rank at the same time.
fn most_at_once(rounds: &[Vec<Round>], number: usize) -> usize {
    let longest = rounds.iter().map(|own| own[number].sends.len()).max().unwrap_or(0);
    let at_once = |turn: usize| {
        let mut counts = vec![0; rounds.len()];
        rounds.iter().filter_map(|own| own[number].sends.get(turn)).for_each(|piece| counts[piece.rank] += 1);
        counts.into_iter().max().unwrap_or(0)
    };
    (0..longest).map(at_once).max().unwrap_or(0)
}

#[test]
fn nobody_is_flooded() {
    for ranks in 1..=64 {
        for (algorithm, most) in [
            (Algorithm::BinarySwap, 2),
            (Algorithm::DirectSend, 1),
            (Algorithm::RadixK { radices: vec![4, 4, 4] }, 2),
            (Algorithm::TodTree { regions: 16, k: 2 }, 2),
            (Algorithm::TodTree { regions: 5, k: 4 }, 3),
            (Algorithm::Tree { k: 8 }, 7),
            (Algorithm::Pipeline { slices: 6 }, 1),
        ] {
            // Regions of equal lengths: none is empty.
            let rounds = rounds_of_all(&Partners::of_all(algorithm.clone(), ranks, 3_628_800, Whither::Scattered));
            for number in 0..rounds[0].len() {
                let found = most_at_once(&rounds, number);
                assert!(found <= most, "{found} at once: {algorithm} on {ranks} ranks, round {number}");
            }
        }
    }
}

#[test]
fn ranks_receive_no_more_than_the_table_says() {
    let received = |algorithm: Algorithm, ranks: usize| {
        let rounds = rounds_of_all(&Partners::of_all(algorithm, ranks, 1 << 12, Whither::Scattered));
        let of_round = |round: &Round| round.receives.iter().map(|piece| piece.region.len()).sum::<usize>();
        (0..rounds[0].len())
            .map(|number| rounds.iter().map(|own| of_round(&own[number])).max().unwrap_or(0))
            .collect::<Vec<usize>>()
    };
    let n = 1 << 12;
    assert_eq!(received(Algorithm::Tree { k: 4 }, 16), [3 * n, 3 * n]);
    assert_eq!(received(Algorithm::BinarySwap, 8), [n / 2, n / 4, n / 8]);
    assert_eq!(received(Algorithm::RadixK { radices: vec![4, 2] }, 8), [3 * n / 4, n / 8]);
    assert_eq!(received(Algorithm::DirectSend, 16), [15 * n / 16]);
    assert_eq!(received(Algorithm::SerialDirectSend, 5), [4 * n]);
    assert_eq!(received(Algorithm::TodTree { regions: 8, k: 4 }, 64), [7 * n / 8, 3 * n / 8, n / 8]);
}

/// A function `x -> factor x + term`. Its composition is associative, and does not commute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Affine {
    factor: u32,
    term: u32,
}

impl Affine {
    fn of(rank: usize, element: usize) -> Affine {
        let hash = |seed: usize| (seed as u32).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b);
        Affine { factor: hash(rank * 1009 + element) | 1, term: hash(rank + 31 * element) }
    }

    fn then(self, later: Affine) -> Affine {
        let Affine { factor, term } = later;
        Affine { factor: self.factor.wrapping_mul(factor), term: self.term.wrapping_mul(factor).wrapping_add(term) }
    }
}

/// Three threads.
struct Three;

impl Node for Three {
    fn name(&self) -> &'static str {
        "three"
    }

    fn workers(&self) -> usize {
        3
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..workers).for_each(|worker| drop(scope.spawn(move || work(worker)))));
    }
}

fn merged(partners: Partners, node: &'static (dyn Node + Sync)) -> Vec<(Vec<Affine>, Range<usize>)> {
    Local::run(partners.ranks, move |comm| {
        let mut frame: Vec<Affine> = (0..partners.length).map(|element| Affine::of(comm.rank(), element)).collect();
        let operator = Operator { merge: Affine::then, blank: None };
        let region = reduce(&comm, node, &partners, &operator, &mut frame[..], &mut Rooms::default());
        (frame, region)
    })
}

#[test]
fn frames_of_ranks_merge_in_order() {
    for ranks in 1..=64 {
        let algorithm = match ranks % 5 {
            0 => Algorithm::TodTree { regions: 4, k: 2 + ranks % 7 },
            1 => Algorithm::RadixK { radices: vec![2 + ranks % 5, 3] },
            2 => Algorithm::Tree { k: 2 + ranks % 9 },
            3 => Algorithm::Pipeline { slices: 1 + ranks % 11 },
            _ => Algorithm::BinarySwap,
        };
        for whither in [Whither::Scattered, Whither::Root(ranks - 1), Whither::Root(ranks / 3), Whither::All] {
            let partners = Partners::of_all(algorithm.clone(), ranks, 97, whither);
            let expected: Vec<Affine> = (0..97)
                .map(|element| (0..ranks).map(|rank| Affine::of(rank, element)).reduce(Affine::then).expect("a rank"))
                .collect();
            let mut covered = 0;
            for (frame, region) in merged(partners, &Serial) {
                assert_eq!(frame[region.clone()], expected[region.clone()], "{algorithm} on {ranks} ranks");
                covered += region.len();
            }
            assert_eq!(covered, if whither == Whither::All { 97 * ranks } else { 97 });
        }
    }
}

#[test]
fn several_workers_merge_large_pieces() {
    let length = 100_001;
    let expected: Vec<Affine> = (0..length)
        .map(|element| (1..4).fold(Affine::of(0, element), |all, rank| all.then(Affine::of(rank, element))))
        .collect();
    for algorithm in [Algorithm::SerialDirectSend, Algorithm::DirectSend] {
        let partners = Partners::of_all(algorithm, 4, length, Whither::Root(0));
        let results = merged(partners, &Three);
        assert!(results[0].0 == expected);
        assert_eq!(results[1].1, 0..0);
    }
}

/// Frames with valid elements, followed by layers; the last layer may be short.
#[test]
fn layers_merge_after_what_frames_hold() {
    let length = 5_003;
    let of = |rank: usize, layer: usize, element: usize| Affine::of(rank * 7 + layer, element);
    let brings = |rank: usize| (rank % 3 != 1, [1, 1, 0, 3][rank % 4]);
    let ends = |layer: usize| if layer == 2 { length / 3 } else { length };
    for (ranks, root, algorithm) in [
        (1, 0, Algorithm::DirectSend),
        (2, 0, Algorithm::DirectSend),
        (5, 0, Algorithm::BinarySwap),
        (8, 0, Algorithm::Tree { k: 3 }),
        (9, 0, Algorithm::TodTree { regions: 3, k: 2 }),
        (5, 0, Algorithm::Pipeline { slices: 1 }),
        (8, 0, Algorithm::Pipeline { slices: 7 }),
        (8, 3, Algorithm::Pipeline { slices: 7 }),
        (9, 8, Algorithm::Pipeline { slices: 64 }),
    ] {
        let expected: Vec<Affine> = (0..length)
            .map(|element| {
                let of_rank = |rank: usize| {
                    let (holds, layers) = brings(rank);
                    let held = (holds || layers == 0).then(|| of(rank, 9, element));
                    let layers = (0..layers).filter(|layer| element < ends(*layer));
                    held.into_iter().chain(layers.map(move |layer| of(rank, layer, element)))
                };
                (0..ranks).flat_map(of_rank).reduce(Affine::then).expect("a rank")
            })
            .collect();
        let results = Local::run(ranks, move |comm| {
            let (rank, (holds, layers)) = (comm.rank(), brings(comm.rank()));
            let mut frame: Vec<Affine> = (0..length).map(|element| of(rank, 9, element)).collect();
            let layers: Vec<Vec<Affine>> =
                (0..layers).map(|layer| (0..ends(layer)).map(|element| of(rank, layer, element)).collect()).collect();
            let layers: Vec<&[Affine]> = layers.iter().map(|layer| &layer[..]).collect();
            let own = Own { frame: &mut frame, holds: holds || layers.is_empty(), layers: &layers };
            let partners = Partners::of_all(algorithm.clone(), ranks, length, Whither::Root(root));
            let operator = Operator { merge: Affine::then, blank: Some(Affine { factor: 1, term: 0 }) };
            reduce(&comm, &Three, &partners, &operator, own, &mut Rooms::default());
            frame
        });
        assert!(results[root] == expected, "{ranks} ranks");
    }
}

#[test]
fn blank_elements_stay_at_home() {
    const BLANK: Affine = Affine { factor: 1, term: 0 };
    let length = 10_000;
    // Each rank has its own band, and some ranks have none.
    let of =
        move |rank: usize, element: usize| match rank % 3 < 2 && (rank * 1500..rank * 1500 + 3000).contains(&element) {
            true => Affine::of(rank, element),
            false => BLANK,
        };
    let expected: Vec<Affine> =
        (0..length).map(|element| (0..6).fold(BLANK, |all, rank| all.then(of(rank, element)))).collect();
    let whithers = [Whither::Scattered, Whither::Root(4), Whither::All];
    for (algorithm, whither) in algorithms().into_iter().step_by(9).zip(whithers.into_iter().cycle()) {
        let sent = |blank: Option<Affine>| {
            let (algorithm, expected) = (algorithm.clone(), expected.clone());
            let sent = Local::run(6, move |comm| {
                let comm = Metered::new(Box::new(comm));
                let mut frame: Vec<Affine> = (0..length).map(|element| of(comm.rank(), element)).collect();
                let partners = Partners::of_all(algorithm.clone(), 6, length, whither);
                let operator = Operator { merge: Affine::then, blank };
                let region = reduce(&comm, &Serial, &partners, &operator, &mut frame[..], &mut Rooms::default());
                assert!(frame[region.clone()] == expected[region]);
                comm.traffic().bytes_sent
            });
            sent.into_iter().sum::<u64>()
        };
        let (all, some) = (sent(None), sent(Some(BLANK)));
        assert!(3 * some < 2 * all, "{algorithm} sends {some} bytes of {all}, {whither:?}");
    }
}

#[test]
fn an_operator_that_panics_leaves_nobody_waiting() {
    let failure = Local::try_run(6, |comm| {
        let partners = Partners::of_all(Algorithm::BinarySwap, 6, 10, Whither::All);
        let mut frame = [comm.rank() as u32; 10];
        let alone = |one: u32, other: u32| if other == 5 { panic!("five is too many") } else { one.max(other) };
        reduce(
            &comm,
            &Serial,
            &partners,
            &Operator { merge: alone, blank: None },
            &mut frame[..],
            &mut Rooms::default(),
        );
        collective::barrier(&comm);
    });
    assert_eq!(failure.expect_err("it panics").message, "five is too many");
}
