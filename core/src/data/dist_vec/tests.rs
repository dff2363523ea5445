use std::collections::BTreeSet;
use std::sync::Arc;

use super::make::{FromRootError, ranks};
use super::*;
use crate::comm::Local;
use crate::data::push_target::PushTarget;
use crate::data::shares::Room;
use crate::node::Serial;
use crate::runtime::with_comm;
use crate::runtime::{self, Context};
use crate::settings::Settings;

/// Fewer under Miri, which is slow.
const RANKS: &[usize] = if cfg!(miri) { &[1, 3] } else { &[1, 2, 3, 4, 7] };
const LENGTHS: &[usize] = if cfg!(miri) { &[0, 1, 7] } else { &[0, 1, 2, 5, 7, 1023, 1024, 1025, 10_007] };

/// An element with alignment, so that bytes that land in the wrong place show.
type Triple = [f64; 3];

fn triple(i: usize) -> Triple {
    [i as f64, -(i as f64), 0.5]
}

/// Runs `body` on ranks that are threads of this process.
fn on_ranks<R: Send>(ranks: usize, body: impl Fn() -> R + Sync) -> Vec<R> {
    Local::run(ranks, |comm| {
        let context = Context::new(Box::new(comm), Arc::new(Serial), Settings::default());
        let _installed = runtime::install(context);
        body()
    })
}

/// Runs `test(rank, n)` on all numbers of ranks and for all lengths.
fn everywhere(test: impl Fn(usize, usize) + Sync) {
    for &ranks in RANKS {
        for &n in LENGTHS {
            on_ranks(ranks, || test(with_comm(|comm| comm.rank()), n));
        }
    }
}

/// Uneven lengths that add up to `n`, different for each `seed`: some ranks own nothing.
fn uneven(n: usize, seed: usize) -> Cuts {
    let ranks = ranks();
    let mut ends: Vec<usize> = (1..ranks).map(|rank| (rank * rank * 7919 + seed * 104_729) % (n + 1)).collect();
    ends.push(n);
    ends.sort_unstable();
    let lengths: Vec<usize> = (0..ranks).map(|rank| ends[rank] - if rank == 0 { 0 } else { ends[rank - 1] }).collect();
    Cuts::from_lengths(&lengths)
}

fn check<T: Element + PartialEq + fmt::Debug>(x: &DistVec<T>, expected: &[T]) {
    assert_eq!(x.len(), expected.len());
    assert_eq!(x.is_empty(), expected.is_empty());
    assert_eq!(x.local(), &expected[x.range()]);
    assert_eq!(x.local().len(), x.cuts().range(x.rank).len());
    assert_eq!(x.offset(), x.cuts().range(x.rank).start);
    assert_eq!(x.to_all(), expected);
    assert_eq!(x.to_root().as_deref(), (x.rank == 0).then_some(expected));
}

#[test]
fn every_constructor_makes_the_same_vector() {
    everywhere(|rank, n| {
        let expected: Vec<Triple> = (0..n).map(triple).collect();
        let x = DistVec::from_fn(n, triple);
        check(&x, &expected);
        check(&DistVec::from_global(&expected), &expected);
        let root = || (rank == 0).then(|| expected.clone());
        check(&DistVec::from_root(root()), &expected);
        assert_eq!(*x.cuts(), Cuts::even(n, ranks()));
        for seed in 0..3 {
            let cuts = uneven(n, seed);
            check(&DistVec::from_fn_cut(&cuts, triple), &expected);
            let local = DistVec::from_local(expected[cuts.range(rank)].to_vec());
            check(&local, &expected);
            assert_eq!(*local.cuts(), cuts);
            let lengths: Vec<usize> = (0..ranks()).map(|rank| cuts.range(rank).len()).collect();
            let spread = DistVec::from_root_with(root(), &lengths).unwrap();
            check(&spread, &expected);
            assert_eq!(*spread.cuts(), cuts);
            let zeros = DistVec::<u8>::zeroed_like(&local);
            check(&zeros, &vec![0; n]);
            assert_eq!(*zeros.cuts(), cuts);
            check(&local.clone(), &expected);
        }
        check(&DistVec::<Triple>::zeroed(n), &vec![[0.0; 3]; n]);
        check(&DistVec::filled(n, true), &vec![true; n]);
        check(&DistVec::<char>::default(), &[]);
    });
}

#[test]
fn planes_stay_whole() {
    everywhere(|_, n| {
        let expected: Vec<usize> = (0..n * 6).collect();
        let x = DistVec::from_fn_in_planes(n * 6, 6, |i| i);
        check(&x, &expected);
        let y = DistVec::from_global(&expected).in_planes(6);
        check(&y, &expected);
        assert_eq!(x.cuts(), y.cuts());
        assert!((0..ranks()).all(|rank| x.cuts().range(rank).start.is_multiple_of(6)));
    });
}

#[test]
fn rebalancing_keeps_the_order() {
    everywhere(|_, n| {
        let expected: Vec<u16> = (0..n).map(|i| i as u16).collect();
        for seed in 0..3 {
            let mut x = DistVec::from_fn_cut(&uneven(n, seed), |i| i as u16);
            let y = DistVec::from_fn_cut(&uneven(n, seed + 1), triple);
            x.rebalance_like(&y);
            assert_eq!(x.cuts(), y.cuts());
            check(&x, &expected);
            x.rebalance();
            assert_eq!(*x.cuts(), Cuts::even(n, ranks()));
            check(&x, &expected);
            x.rebalance_to(&Cuts::at_root(n, ranks()));
            check(&x, &expected);
            x.rebalance_to(&uneven(n, seed));
            check(&x, &expected);
        }
    });
}

#[test]
fn shifting_moves_drops_and_zeroes() {
    everywhere(|_, n| {
        let size = n as isize;
        let by =
            [0, 1, -1, 2, -3, size / 2, -size / 2, size - 1, 1 - size, size, -size, size + 5, isize::MIN, isize::MAX];
        for k in BTreeSet::from(by) {
            for cuts in [Cuts::even(n, ranks()), uneven(n, 1)] {
                let mut x = DistVec::from_fn_cut(&cuts, |i| i as i32 + 1);
                x.shift(k);
                let from = |i: usize| (i as isize).checked_sub(k).filter(|from| (0..size).contains(from));
                let expected: Vec<i32> = (0..n).map(|i| from(i).map_or(0, |from| from as i32 + 1)).collect();
                check(&x, &expected);
                assert_eq!(*x.cuts(), cuts);
            }
        }
    });
}

#[test]
fn single_elements_are_on_all_ranks() {
    everywhere(|_, n| {
        for cuts in [Cuts::even(n, ranks()), uneven(n, 2), Cuts::at_root(n, ranks())] {
            let x = DistVec::from_fn_cut(&cuts, triple);
            assert_eq!(x.front(), (n > 0).then(|| triple(0)));
            assert_eq!(x.back(), n.checked_sub(1).map(triple));
            for i in [0, n / 3, n.saturating_sub(1), n, n + 1, usize::MAX] {
                assert_eq!(x.get(i), (i < n).then(|| triple(i)));
            }
        }
    });
}

#[test]
fn rows_go_where_the_elements_are_that_they_belong_to() {
    everywhere(|rank, n| {
        for seed in 0..3 {
            let ends = (0..n).scan(0, |end, i| {
                *end += (i * 7 + seed) as u32 % 5;
                Some(*end)
            });
            let starts: Vec<u32> = [0].into_iter().chain(ends).collect();
            let entries = starts[n] as usize;
            let cut_starts = DistVec::from_fn_cut(&uneven(n + 1, seed), |i| starts[i]);
            let like = DistVec::from_fn_cut(&uneven(n, seed + 1), |_| 0u8);
            let mut x = DistVec::from_fn(entries, |k| k as u64);
            x.rebalance_rows(&cut_starts, &like);
            let Range { start, end } = like.range();
            let mine = if start < end { starts[start]..starts[end] } else { 0..0 };
            assert_eq!(x.local().len(), mine.len(), "rank {rank}");
            assert!(mine.is_empty() || x.offset() == mine.start as usize, "rank {rank}");
            check(&x, &(0..entries as u64).collect::<Vec<_>>());
        }
    });
}

#[test]
fn starts_that_are_none_of_rows_are_refused_alike() {
    for starts in [[0, 5, 2], [1, 2, 4], [0, 2, 3], [0, -1, 4]] {
        let failure = Local::try_run(2, |comm| {
            let _installed = runtime::install(Context::new(Box::new(comm), Arc::new(Serial), Settings::default()));
            let like = DistVec::from_local(vec![0u8]);
            DistVec::filled(4, 1.5).rebalance_rows(&DistVec::from_global(&starts), &like);
        });
        let message = failure.unwrap_err().message;
        assert!(message.contains("the starts of rows ascend from 0 to 4"), "{starts:?}: {message}");
    }
}

#[test]
fn pushed_elements_come_after_all_others() {
    everywhere(|rank, n| {
        for seed in 0..2 {
            let (old, pushed) = (uneven(n, seed), uneven(n + 3, seed + 1));
            let part = |start: usize| pushed.range(rank).map(|i| (start + i) as u32).collect::<Vec<_>>();
            let mut x = DistVec::default();
            x.append(part(0));
            assert_eq!(*x.cuts(), pushed);
            check(&x, &(0..n as u32 + 3).collect::<Vec<_>>());

            let mut x = DistVec::from_fn_cut(&old, |i| i as u32);
            x.append(part(n));
            check(&x, &(0..2 * n as u32 + 3).collect::<Vec<_>>());
            let cuts = x.cuts().clone();
            x.append(Vec::new());
            assert_eq!(*x.cuts(), cuts);
            x.append(if rank == 0 { vec![7] } else { Vec::new() });
            assert_eq!((x.len(), x.back()), (2 * n + 4, Some(7)));
            x.clear();
            check(&x, &[]);
        }
    });
}

#[test]
fn equality_is_of_the_whole_and_the_same_on_all_ranks() {
    everywhere(|rank, n| {
        let x = DistVec::from_fn(n, |i| i as u64);
        let mut y = DistVec::from_fn_cut(&uneven(n, 1), |i| i as u64);
        assert_eq!(x, x.clone());
        assert_eq!(x, y);
        assert_ne!(x, DistVec::from_fn(n + 1, |i| i as u64));
        if y.range().contains(&(n / 2)) {
            let offset = y.offset();
            y.local_mut()[n / 2 - offset] = u64::MAX;
        }
        assert_eq!(x == y, n == 0, "rank {rank}");
    });
}

#[test]
fn swapping_exchanges_the_whole() {
    everywhere(|_, n| {
        let (mut x, mut y) = (DistVec::from_fn(n, |i| i), DistVec::filled(3, 5));
        x.swap(&mut y);
        check(&x, &[5; 3]);
        check(&y, &(0..n).collect::<Vec<_>>());
    });
}

#[test]
fn wrong_lengths_are_the_same_error_on_all_ranks() {
    for &ranks in RANKS {
        let errors = |lengths: fn(usize, usize) -> Vec<usize>, elements: Option<usize>| {
            on_ranks(ranks, || {
                let rank = runtime::rank();
                let whole = elements.filter(|_| rank == 0).map(|elements| vec![0u8; elements]);
                DistVec::from_root_with(whole, &lengths(rank, ranks)).unwrap_err()
            })
        };
        let all = |error: FromRootError| vec![error; ranks];
        assert_eq!(
            errors(|_, ranks| vec![2; ranks], Some(1)),
            all(FromRootError::Sum { sum: 2 * ranks as u128, elements: 1 })
        );
        assert_eq!(
            errors(|_, ranks| vec![usize::MAX; ranks], Some(1)),
            all(FromRootError::Sum { sum: usize::MAX as u128 * ranks as u128, elements: 1 })
        );
        assert_eq!(
            errors(|_, ranks| vec![1; ranks + 1], Some(ranks + 1)),
            all(FromRootError::Ranks { lengths: ranks + 1, ranks })
        );
        assert_eq!(errors(|_, ranks| vec![0; ranks], None), all(FromRootError::NoVector));
        if ranks > 1 {
            let differ = |rank: usize, ranks: usize| (0..ranks).map(|r| (r == rank.min(1)) as usize).collect();
            assert_eq!(errors(differ, Some(1)), all(FromRootError::Differ { rank: 1 }));
        }
    }
}

#[test]
fn shares_have_room_beside_them_on_several_ranks_only() {
    for ranks in [1, 3] {
        on_ranks(ranks, || {
            let mut x = DistVec::<f32>::zeroed(30_000);
            let len = x.local().len();
            let share = x.share();
            // Shares are staggered by some pages.
            let roomy = |room: Room| match ranks {
                1 => room == Room::default(),
                _ => room.back == len && (len..len + 40 * 1024).contains(&room.front),
            };
            assert!(roomy(share.room) && share.local.len() == len, "{:?}", share.room);
            assert_eq!(share.cuts.unwrap().total(), 30_000);
            assert!(roomy(x.share_mut().room));
            x.shift(1);
            assert!(roomy(x.clone().share().room));
            assert_eq!(DistVec::from_local(vec![1u8; 5000]).share().room.front > 0, ranks > 1);
        });
    }
}

#[test]
fn on_one_rank_vectors_are_taken_as_they_are() {
    let vec = vec![1, 2, 3];
    let start = vec.as_ptr();
    let x = DistVec::from_local(vec);
    assert_eq!(x.local().as_ptr(), start);
    let mut y = DistVec::default();
    y.append(x.share.into_vec());
    assert_eq!(y.local().as_ptr(), start);
}

#[test]
fn ranks_that_do_different_things_are_told() {
    let message = |body: fn(usize)| {
        let failed = std::panic::catch_unwind(|| drop(on_ranks(3, || body(runtime::rank())))).unwrap_err();
        crate::error::panic_message(&*failed).to_owned()
    };
    let different = message(|rank| {
        let x = DistVec::from_fn(10, |i| i);
        if rank == 2 {
            x.to_root();
        } else {
            x.to_all();
        }
    });
    assert!(different.contains("DistVec::to_all") && different.contains("DistVec::to_root"), "{different}");
    let lengths = message(|rank| drop(DistVec::filled(10 + rank / 2, 0u8).to_all()));
    assert!(lengths.contains("10") && lengths.contains("11"), "{lengths}");
}

#[test]
fn inside_a_loop_a_vector_is_of_one_rank() {
    on_ranks(3, || {
        let _in_loop = runtime::enter_loop(runtime::this_rank());
        let x = DistVec::from_fn(10, |i| i);
        assert_eq!((x.local().len(), x.cuts().ranks(), x.back()), (10, 1, Some(9)));
    });
}

#[test]
fn debug_shows_the_share() {
    let x = DistVec::from_fn(2, |i| i);
    assert_eq!(format!("{x:?}"), "DistVec { len: 2, range: 0..2, local: [0, 1] }");
    assert_eq!(format!("{:?}", Cuts::even(3, 2)), "[0..2, 2..3]");
}

#[test]
#[should_panic(expected = "DistVec::from_root: rank 0 passed no vector")]
fn nothing_to_spread_is_a_panic() {
    DistVec::<u8>::from_root(None);
}

#[test]
#[should_panic(expected = "a vector of 3 elements cannot be cut as one of 4")]
fn vectors_of_other_lengths_are_cut_otherwise() {
    DistVec::filled(3, 0).rebalance_like(&DistVec::filled(4, 0));
}

/// The message of a panic names this file.
fn points_here(misuse: impl FnOnce() + std::panic::UnwindSafe) {
    let panic = std::panic::catch_unwind(misuse).unwrap_err();
    let note = runtime::panic_note(crate::error::panic_message(&*panic)).unwrap();
    assert!(note.place.contains("dist_vec/tests.rs"), "{note:?}");
}

#[test]
fn a_panic_points_at_its_caller() {
    runtime::record_panics();
    let two = || Cuts::from_lengths(&[1, 2]);
    points_here(|| drop(DistVec::from_fn_cut(&two(), |i| i)));
    points_here(|| drop(DistVec::from_fn_in_planes(3, 0, |i| i)));
    points_here(|| drop(DistVec::<u8>::from_root(None)));
    points_here(|| DistVec::filled(3, 0_u8).rebalance_to(&two()));
    points_here(|| DistVec::filled(3, 0_u8).rebalance_like(&DistVec::filled(4, 0_u8)));
    points_here(|| drop(DistVec::filled(3, 0_u8).in_planes(0)));
    points_here(|| drop(Cuts::from_lengths(&[])));
    points_here(|| drop(Cuts::even(3, 0)));
}
