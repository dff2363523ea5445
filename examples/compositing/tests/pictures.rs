//! The same picture by every algorithm, on any number of ranks, as one processor gets.

use compositing::pixel::{CLEAR, FAR};
use compositing::workload::Workload;
use compositing::{blend, depth};
use forall::DistVec;

/// Of the ranks, only those of which `has` says so have a picture.
fn check(ranks: usize, width: usize, height: usize, fraction: f64, has: fn(usize) -> bool) {
    let results = forall::Runtime::builder().ranks(ranks).threads(1).run(|| {
        let own = (0..forall::rank()).filter(|rank| has(*rank)).count();
        let layers = (0..forall::ranks()).filter(|rank| has(*rank)).count();
        let work = Workload { width, height, fraction, layers };
        let pixels = 0..if has(forall::rank()) { work.pixels() } else { 0 };
        let colours = DistVec::from_local(pixels.clone().map(|pixel| work.rgba(own, pixel)).collect());
        let fragments = DistVec::from_local(pixels.map(|pixel| work.fragment(own, pixel)).collect());
        let mut wrong = Vec::new();
        for (name, composite) in blend::ALL {
            let mut frame = vec![CLEAR; work.pixels()];
            composite(&colours, &mut frame);
            let error = work.error_of_blend(&frame);
            // Each layer rounds: of sixteen, the sequential blend itself is as far off.
            if forall::rank() == 0 && error > if layers < 10 { 2e-7 } else { 3e-7 } {
                wrong.push(format!("{name} is {error:e} off"));
            }
        }
        for (name, composite) in depth::ALL {
            let mut frame = vec![FAR; work.pixels()];
            composite(&fragments, &mut frame);
            let error = work.wrong_fragments(&frame);
            if forall::rank() == 0 && error > 0 {
                wrong.push(format!("{name}: {error} fragments are wrong"));
            }
        }
        wrong
    });
    let wrong: Vec<String> = results.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{width}x{height}, {fraction}, {ranks} ranks: {wrong:?}");
}

const RANKS: [usize; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16];

#[test]
fn pictures_of_any_size_are_those_of_one_processor() {
    for ranks in RANKS {
        check(ranks, 1, 1, 1.0, |_| true);
        check(ranks, 997, 1, 1.0, |_| true);
        check(ranks, 1, 997, 0.25, |_| true);
    }
    check(5, 509, 503, 1.0, |_| true);
    check(12, 509, 503, 0.25, |_| true);
}

#[test]
fn ranks_without_a_picture_take_no_part() {
    for ranks in RANKS {
        check(ranks, 61, 53, 0.5, |rank| rank % 3 == 1);
        check(ranks, 61, 53, 1.0, |rank| rank % 4 != 2);
        check(ranks, 7, 5, 0.0, |rank| rank == 2);
    }
    check(4, 9, 9, 1.0, |_| false);
}
