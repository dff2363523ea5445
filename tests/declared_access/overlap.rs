//! Statements between `fetch` and `wait` run while the elements are in transit.

use forall::{Object, Runtime, Settings, foreach, foreach_tls, kary_reduce, ranks};
use forall_core::comm::{Comm, Local, OverlappedWork};
use forall_core::node::Serial;
use forall_core::runtime::{Context, install};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static IN_TRANSIT: Cell<bool> = const { Cell::new(false) };
}

/// A task's work. It is 1 if elements of this rank are in transit.
fn in_transit() -> i64 {
    i64::from(IN_TRANSIT.get())
}

/// Ranks that do all other work before their messages are sent.
struct Slow(Local);

impl Comm for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn exchange(&self, sends: &[(usize, &[u8])], receives: &mut [(usize, &mut [u8])]) {
        self.0.exchange(sends, receives);
    }

    fn exchange_overlapped(
        &self,
        sends: &[(usize, &[u8])],
        receives: &mut [(usize, &mut [u8])],
        overlapped: &mut OverlappedWork<'_>,
    ) {
        IN_TRANSIT.set(true);
        while overlapped() {}
        IN_TRANSIT.set(false);
        self.0.exchange(sends, receives);
    }

    fn abort(&self, message: &str) -> ! {
        self.0.abort(message)
    }
}

/// The data choose the range.
#[foreach]
fn chosen(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>, ran: &mut Object<i64, 1>) {
    for tile in out.tiles([3]) {
        let first = links[[tile.indices().start]];
        let later = data.fetch(first..first + 2);
        for i in tile.indices() {
            ran[[i]] = in_transit();
        }
        let view = later.wait();
        for i in tile.indices() {
            out[[i]] = view[[first]] - 3 * view[[first + 1]] + i as i64;
        }
    }
}

/// The range is known before the task runs.
#[foreach]
fn known(now: &Object<i64, 2>, next: &mut Object<i64, 2>, ran: &mut Object<i64, 2>, size: [usize; 2]) {
    let [ny, nx] = now.shape();
    for tile in next.tiles(size) {
        let later = now.fetch(tile.grown([1, 1]));
        let mut sum = 0;
        for y in tile.rows() {
            for x in tile.columns() {
                sum += now[[y, x]];
                ran[[y, x]] = in_transit();
            }
        }
        let near = later.wait();
        for y in tile.rows() {
            for x in tile.columns() {
                let (up, down) = (y.saturating_sub(1), (y + 1).min(ny - 1));
                next[[y, x]] = sum + near[[up, x]] + 2 * near[[down, (x + 1).min(nx - 1)]];
            }
        }
    }
}

/// The second range is fetched while the first one arrives.
#[foreach]
fn in_turn(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    for i in 0..out.len() {
        let at = links[[i]];
        let one = data.fetch(at..at + 1);
        let mut work = (0..i % 5).sum::<usize>();
        let other = links[[at % links.len()]];
        let two = data.fetch(other..other + 1);
        work += (0..i % 3).product::<usize>();
        let one = one.wait();
        work += 7 * work % 11;
        out[[i]] = one[[at]] + 5 * two.wait()[[other]] + work as i64;
    }
}

/// A sum in each part.
#[kary_reduce]
fn sums(links: &Object<usize, 1>, data: &Object<f64, 1>) -> (f64, f64) {
    let (mut own, mut fetched) = (0.1, 0.3);
    for tile in links.tiles([4]) {
        let at = links[[tile.indices().start]];
        let later = data.fetch(at..at + 1);
        for i in tile.indices() {
            own += 1.0 / (1.0 + links[[i]] as f64);
        }
        let view = later.wait();
        fetched += view[[at]] / 3.0;
    }
    (own, fetched)
}

/// Only some tasks fetch something, and some end before.
#[foreach_tls]
fn some(links: &Object<usize, 1>, data: &Object<i64, 1>, out: &mut Object<i64, 1>) {
    let mut room = Vec::new();
    for i in 0..out.len() {
        let at = links[[i]];
        if at % 5 == 0 {
            continue;
        }
        let later = (at % 2 == 0).then(|| data.fetch(at - 1..at + 1));
        room.clear();
        room.extend((0..i).map(|k| (k * k) as i64));
        let sum = room.iter().sum::<i64>();
        let got = match later {
            Some(later) => later.wait().elements().iter().sum(),
            None => -1,
        };
        out[[i]] = sum + got;
    }
}

fn line<T: forall::Element + bytemuck::Zeroable>(n: usize, of: impl Fn(usize) -> T) -> Object<T, 1> {
    Object::from_fn([n], |[i]| of(i))
}

fn link(i: usize, n: usize) -> usize {
    (7 * i + i * i) % (n - 1)
}

fn forms(n: usize) -> (Vec<i64>, [u64; 2]) {
    let (links, data) = (line(n, |i| link(i, n)), line(n, |i| (i * i) as i64));
    let numbers = line(n, |i| 1.0 / (1.0 + i as f64));
    let mut out = [(); 3].map(|()| Object::zeroed([n]));
    let mut ran = Object::zeroed([n]);
    let plane = Object::from_fn([n, 5], |[y, x]| (y * x % 11) as i64);
    let [mut next, mut ran_there] = [(); 2].map(|()| Object::zeroed([n, 5]));
    match ranks() {
        1 => {
            chosen::sequential(&links, &data, &mut out[0], &mut ran);
            in_turn::sequential(&links, &data, &mut out[1]);
            some::sequential(&links, &data, &mut out[2]);
            known::sequential(&plane, &mut next, &mut ran_there, [2, 3]);
        }
        _ => {
            chosen(&links, &data, &mut out[0], &mut ran);
            in_turn(&links, &data, &mut out[1]);
            some(&links, &data, &mut out[2]);
            known(&plane, &mut next, &mut ran_there, [2, 3]);
        }
    }
    let sums = sums(&links, &numbers);
    let mut all: Vec<i64> = out.iter().flat_map(|object| object.to_all().into_elements()).collect();
    all.extend(next.to_all().into_elements());
    (all, [sums.0, sums.1].map(f64::to_bits))
}

#[test]
fn results_do_not_depend_on_what_overlaps() {
    for n in [2, 9, 40] {
        let expected = &Runtime::builder().ranks(1).threads(1).run(|| forms(n))[0];
        for ranks in [2, 3, 4, 7] {
            for threads in [1, 3] {
                for result in Runtime::builder().ranks(ranks).threads(threads).run(|| forms(n)) {
                    assert_eq!(result, *expected, "{n} elements on {ranks} ranks");
                }
            }
        }
    }
}

#[test]
fn tasks_work_while_elements_are_in_transit() {
    for ranks in [2, 3] {
        let results = Local::run(ranks, |comm| {
            let _installed = install(Context::new(Box::new(Slow(comm)), Arc::new(Serial), Settings::default()));
            let n = 24;
            // The elements of another rank.
            let (links, data) = (line(n, |i| (i + n / 2) % (n - 1)), line(n, |i| (i * i) as i64));
            let [mut out, mut ran] = [(); 2].map(|()| Object::zeroed([n]));
            chosen(&links, &data, &mut out, &mut ran);
            let plane = Object::from_fn([12, 5], |[y, x]| (y * x % 11) as i64);
            let [mut next, mut ran_there] = [(); 2].map(|()| Object::zeroed([12, 5]));
            known(&plane, &mut next, &mut ran_there, [2, 5]);
            (ran.to_all().into_elements(), ran_there.to_all().into_elements())
        });
        for (ran, ran_there) in results {
            assert!(ran.iter().chain(&ran_there).all(|ran| *ran == 1), "{ran:?} {ran_there:?}");
        }
    }
}

/// A task that panics while elements are in transit ends all ranks.
#[foreach]
fn failing(data: &Object<i64, 1>, out: &mut Object<i64, 1>, bad: usize) {
    for i in 0..out.len() {
        let at = (3 * i + 5) % data.len();
        let later = data.fetch(at..at + 1);
        let work = (0..i).map(|k| k as i64).sum::<i64>();
        assert!(i != bad, "task {i} has had enough");
        out[[i]] = work + later.wait()[[at]];
    }
}

#[test]
fn a_panic_ends_all_ranks() {
    for bad in [0, 11, 20] {
        let run = || {
            Runtime::builder().ranks(3).threads(1).run(|| {
                failing(&line(21, |i| i as i64), &mut Object::zeroed([21]), bad);
            })
        };
        let failure = std::panic::catch_unwind(run).expect_err("a task panics");
        let message = failure.downcast_ref::<String>().expect("a message");
        assert!(message.contains(&format!("task {bad} has had enough")), "{message}");
    }
}

/// The number of the results on one rank: it is the same for any launch.
#[forall::test]
fn on_this_launch() {
    let (numbers, sums) = forms(40);
    let all = numbers.into_iter().map(|number| number as u64).chain(sums);
    let number = all.fold(0_u64, |number, bits| (number ^ bits).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(number, 9_220_723_048_699_803_349);
}
