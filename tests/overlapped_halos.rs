//! Iterations that need nothing of other ranks run while long halos are under way. The sequential function is the oracle.

use bytemuck::Zeroable;
use forall::{Cuts, DistVec, Settings, foreach, kary_reduce};
use forall_core::comm::{Came, Comm, Local, Mark, OverlappedWork};
use forall_core::node::{Node, Serial};
use forall_core::runtime::{Context, install};
use forall_core::settings::Schedule;
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// An element of 4 KiB.
type Wide = [u32; 1024];

/// So many elements are a long halo.
const PLANE: usize = 256;

/// The first number of an element at which an iteration panics.
const BAD: u32 = u32::MAX;

thread_local! {
    /// How many pieces this rank's iterations ran in while messages were under way.
    static PIECES: Cell<usize> = const { Cell::new(0) };
}

/// Ranks that run some of the iterations while messages are in transit, at most so many pieces of them for each. The elements in
/// transit are nonsense until then.
struct Slow {
    comm: Local,
    pieces: usize,
    apart: bool,
}

impl Slow {
    fn work(&self, rooms: &mut [(usize, &mut [u8])], overlapped: &mut OverlappedWork<'_>) {
        rooms.iter_mut().for_each(|(_, room)| room.fill(0x5a));
        for _ in 0..self.pieces {
            let more = overlapped();
            PIECES.set(PIECES.get() + usize::from(more));
            if !more {
                break;
            }
        }
    }
}

impl Comm for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn ranks(&self) -> usize {
        self.comm.ranks()
    }

    /// Each has a machine of its own: between those of one there is nothing to wait for.
    fn ranks_on_this_machine(&self) -> usize {
        if self.apart { 1 } else { self.comm.ranks() }
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        self.comm.exchange(sends, receives);
    }

    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        self.work(receives, overlapped);
        self.comm.exchange(sends, receives);
    }

    fn exchange_messages(&self, sends: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        self.comm.exchange_messages(sends, from)
    }

    fn exchange_marked(
        &self,
        mark: Mark,
        sends: &[(usize, &[u8])],
        rooms: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) -> Vec<Came> {
        self.work(rooms, overlapped);
        self.comm.exchange_marked(mark, sends, rooms, &mut || false)
    }

    fn abort(&self, message: &str) -> ! {
        self.comm.abort(message)
    }
}

/// Two threads for each loop.
struct Pair;

impl Node for Pair {
    fn name(&self) -> &'static str {
        "pair"
    }

    fn workers(&self) -> usize {
        2
    }

    fn run(&self, workers: usize, work: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            (1..workers).for_each(|worker| drop(scope.spawn(move || work(worker))));
            work(0);
        });
    }
}

/// Where a program runs.
#[derive(Clone, Copy)]
struct World {
    ranks: usize,
    /// Pieces beside each exchange.
    pieces: usize,
    /// Whether they are on several machines.
    apart: bool,
    threads: bool,
    schedule: Schedule,
    verify: bool,
}

const WORLD: World =
    World { ranks: 1, pieces: usize::MAX, apart: true, threads: false, schedule: Schedule::Steal, verify: false };

impl World {
    /// The results of all ranks, or what the first one that fails says.
    fn run<R: Send>(self, program: impl Fn() -> R + Sync) -> Result<Vec<R>, String> {
        let World { ranks, pieces, apart, threads, schedule, verify } = self;
        let on_rank = |comm: Local| {
            let node: Arc<dyn Node> = if threads { Arc::new(Pair) } else { Arc::new(Serial) };
            // Short chunks: there are many pieces.
            let settings = Settings { schedule, verify, grain: NonZeroUsize::new(16), ..Settings::default() };
            let _installed = install(Context::new(Box::new(Slow { comm, pieces, apart }), node, settings));
            program()
        };
        Local::try_run(ranks, on_rank).map_err(|failure| failure.message)
    }
}

/// How many pieces this rank ran beside messages meanwhile.
fn pieces(work: impl FnOnce()) -> usize {
    let before = PIECES.get();
    work();
    PIECES.get() - before
}

fn wide(i: usize) -> Wide {
    let mut element = Wide::zeroed();
    (element[0], element[1], element[1023]) = (i as u32 * 7 % 1013, i as u32, i as u32);
    element
}

fn mixed(before: &Wide, here: &Wide, after: &Wide) -> Wide {
    assert!(here[0] != BAD, "element {} is bad", here[1]);
    let mut element = *here;
    let around = [before[0], before[1023], after[0], after[1023]];
    element[0] = around.iter().fold(7_u32, |all, number| all.wrapping_mul(31).wrapping_add(*number)) % 100_003;
    element
}

#[foreach]
fn between(x: &[Wide], out: &mut [Wide], plane: usize) {
    for i in plane..x.len() - plane {
        out[i] = mixed(&x[i - plane], &x[i], &x[i + plane]);
    }
}

/// Elements that are there are not written once more.
#[foreach]
fn added(x: &[Wide], y: &[Wide], out: &mut [Wide], plane: usize) {
    for i in plane..x.len() {
        // A loop of its own: it looks to take long, so that there are several pieces.
        for k in 0..2 {
            out[i][k] += x[i - plane][k] + y[i - plane][1023];
        }
    }
}

#[kary_reduce]
fn summed(x: &[Wide], out: &mut [Wide], plane: usize) -> f64 {
    let mut sum = 0.0;
    for i in plane..x.len() - plane {
        let value = f64::from(x[i - plane][0]) * 0.1 + f64::from(x[i + plane][1]) * 0.7;
        out[i][2] = x[i][1];
        sum += value;
    }
    sum
}

#[foreach]
fn turned(x: &[Wide], out: &mut [Wide], by: usize) {
    let n = x.len();
    for i in 0..n {
        out[i] = x[(i + by) % n];
    }
}

/// In place: what travels is written.
#[foreach]
fn in_place(x: &mut [Wide], plane: usize) {
    for i in 0..plane {
        let last = x.len() - 1 - i;
        x[i][0] += x[last][1];
    }
}

/// Cuts that are alike, and such with short and empty shares.
fn cuts(n: usize, ranks: usize) -> Vec<Vec<usize>> {
    let first = |first: usize| {
        let mut lengths = vec![0; ranks];
        lengths[0] = first.min(n);
        lengths[ranks - 1] += n - lengths[0];
        lengths
    };
    let even = |rank: usize| (rank + 1) * n / ranks - rank * n / ranks;
    let mut short: Vec<usize> = (0..ranks).map(|rank| if rank % 2 == 1 { PLANE / 3 } else { 0 }).collect();
    short[ranks - 1] += n - short.iter().sum::<usize>();
    vec![(0..ranks).map(even).collect(), short, first(0), first(n), first(n / 3)]
}

/// An array of all ranks, cut so.
fn shared(all: &[Wide], cuts: &[usize]) -> DistVec<Wide> {
    let mut x = DistVec::from_fn(all.len(), |i| all[i]);
    x.rebalance_to(&Cuts::from_lengths(cuts));
    x
}

#[test]
fn a_stencil_is_what_the_sequential_function_says_whenever_its_halos_come() {
    for ranks in [1, 2, 3, 4, 7] {
        let n = 4 * ranks * PLANE;
        let start: Vec<Wide> = (0..n).map(wide).collect();
        let (mut x, mut expected) = (start.clone(), vec![start.clone()]);
        for _ in 0..3 {
            let mut out = x.clone();
            between::sequential(&x, &mut out, PLANE);
            expected.push(out.clone());
            x = out;
        }
        for cuts in cuts(n, ranks) {
            for pieces in [0, 1, 3, usize::MAX] {
                let world = World { ranks, pieces, threads: pieces == 3, ..WORLD };
                let run = world.run(|| {
                    let mut x = shared(&start, &cuts);
                    let mut out = x.clone();
                    for expected in &expected[1..] {
                        between(&x, &mut out, PLANE);
                        assert!(out.local() == &expected[out.range()], "{ranks} ranks, {pieces} pieces");
                        x.swap(&mut out);
                    }
                });
                run.expect("no rank fails");
            }
        }
    }
}

#[test]
fn iterations_run_beside_long_halos_that_are_new_and_beside_no_others() {
    for threads in [false, true] {
        for schedule in [Schedule::Steal, Schedule::Static, Schedule::Guided] {
            let world = World { ranks: 3, threads, schedule, ..WORLD };
            let run = world.run(|| {
                let x = DistVec::from_fn(12 * PLANE, wide).in_planes(PLANE);
                let mut out = x.clone();
                assert!(pieces(|| between(&x, &mut out, PLANE)) > 0, "the first halo is new");
                let kept = pieces(|| between(&x, &mut out, PLANE));
                assert_eq!(kept, 0, "nothing is under way");
                out.local_mut()[0][0] += 1;
                assert_eq!(pieces(|| between(&out, &mut x.clone(), 3)), 0, "the halo is short");
                let mut changed = x.clone();
                changed.local_mut()[0][0] += 1;
                assert!(pieces(|| between(&changed, &mut out, PLANE)) > 0, "it has changed");
                assert_eq!(pieces(|| in_place(&mut out, PLANE)), 0, "what travels is written");
            });
            run.expect("no rank fails");
        }
    }
}

#[test]
fn ranks_of_one_machine_do_not_wait_so_long() {
    let run = World { ranks: 2, apart: false, ..WORLD }.run(|| {
        let x = DistVec::from_fn(8 * PLANE, wide).in_planes(PLANE);
        pieces(|| between(&x, &mut x.clone(), PLANE))
    });
    assert_eq!(run, Ok(vec![0, 0]));
}

#[test]
fn halos_of_several_arrays_come_one_after_the_other_and_each_iteration_runs_once() {
    let (ranks, n) = (2, 8 * PLANE);
    let start: Vec<Wide> = (0..n).map(wide).collect();
    let mut expected = start.clone();
    (0..2).for_each(|_| added::sequential(&start, &start, &mut expected, PLANE));
    for pieces_each in [0, 1, 2, usize::MAX] {
        for verify in [false, true] {
            let world = World { ranks, pieces: pieces_each, verify, ..WORLD };
            let run = world.run(|| {
                let (mut x, mut y) = (shared(&start, &cuts(n, ranks)[0]), shared(&start, &cuts(n, ranks)[0]));
                let mut out = x.clone();
                let ran = pieces(|| {
                    for _ in 0..2 {
                        added(&x, &y, &mut out, PLANE);
                        // They are new each time.
                        x.local_mut();
                        y.local_mut();
                    }
                });
                assert!(out.local() == &expected[out.range()], "{pieces_each} pieces");
                assert!(pieces_each == 0 || ran > 0);
            });
            run.expect("no rank fails");
        }
    }
}

#[test]
fn a_sum_has_the_same_bits_whenever_halos_come() {
    for ranks in [2, 3, 4] {
        let sums: Vec<u64> = [(0, false), (1, false), (2, true), (usize::MAX, false), (usize::MAX, true)]
            .into_iter()
            .map(|(pieces, threads)| {
                let run = World { ranks, pieces, threads, ..WORLD }.run(|| {
                    let mut x = DistVec::from_fn(4 * ranks * PLANE, wide);
                    let mut out = x.clone();
                    let first = summed(&x, &mut out, PLANE);
                    x.local_mut();
                    let second = summed(&x, &mut out, PLANE);
                    assert_eq!(first.to_bits(), second.to_bits());
                    first.to_bits()
                });
                run.expect("no rank fails")[0]
            })
            .collect();
        assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?} on {ranks} ranks");
    }
}

#[test]
fn the_first_panic_is_told_wherever_it_is() {
    let (ranks, n) = (3, 12 * PLANE);
    // The second rank has the elements from 4 planes on, of which those of the two planes amid need no others.
    let (low, amid, high) = (4 * PLANE + 5, 5 * PLANE + 7, 7 * PLANE + 9);
    for bad in [
        vec![amid],
        vec![low, amid],
        vec![amid, high],
        vec![low, high],
        vec![amid, amid + PLANE],
        vec![low, amid, high],
    ] {
        for pieces in [0, 1, usize::MAX] {
            for threads in [false, true] {
                let run = World { ranks, pieces, threads, ..WORLD }.run(|| {
                    let element = |i: usize| {
                        let mut element = wide(i);
                        element[0] = if bad.contains(&i) { BAD } else { 0 };
                        element
                    };
                    let x = DistVec::from_fn(n, element).in_planes(PLANE);
                    let mut out = x.clone();
                    between(&x, &mut out, PLANE);
                });
                let first = bad[0];
                assert_eq!(run.expect_err("an iteration panics"), format!("element {first} is bad"), "{bad:?}");
            }
        }
    }
}

#[test]
fn ranks_that_pass_other_values_do_not_wait_for_each_other() {
    let run = World { ranks: 2, ..WORLD }.run(|| {
        let mut x = DistVec::from_fn(8 * PLANE, wide).in_planes(PLANE);
        let mut out = x.clone();
        turned(&x, &mut out, PLANE);
        x.local_mut();
        turned(&x, &mut out, PLANE + 1 - forall::rank());
    });
    let message = run.expect_err("the ranks do not pass the same");
    assert!(message.starts_with("the ranks pass different values in loop 1 of `turned` (call 2)"), "{message}");
}

#[test]
fn ranks_of_which_one_has_a_halo_that_the_other_lacks_fetch_it_anew() {
    let run = World { ranks: 2, ..WORLD }.run(|| {
        let start: Vec<Wide> = (0..8 * PLANE).map(wide).collect();
        let mut x = shared(&start, &cuts(8 * PLANE, 2)[0]);
        let (mut out, mut expected) = (x.clone(), start.clone());
        between(&x, &mut out, PLANE);
        // One share has a new version.
        if forall::rank() == 0 {
            x.local_mut();
        }
        for _ in 0..2 {
            between(&x, &mut out, PLANE);
        }
        between::sequential(&start, &mut expected, PLANE);
        assert!(out.local() == &expected[out.range()]);
    });
    run.expect("no rank fails");
}
