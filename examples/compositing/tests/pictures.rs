//! The same picture by every algorithm, on any number of ranks, as one processor gets.

use compositing::pixel::{CLEAR, FAR, Rgba, over};
use compositing::workload::Workload;
use compositing::{blend, depth};
use forall::DistVec;

/// Only the ranks for which `has` is true have a picture.
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
            if forall::rank() > 0 {
                continue;
            }
            let error = work.error_of_blend(&frame);
            // Each layer rounds: of sixteen, the sequential blend itself is as far off.
            if error > if layers < 10 { 2e-7 } else { 3e-7 } {
                wrong.push(format!("{name} is {error:e} off"));
            }
        }
        for (name, composite) in depth::ALL {
            let mut frame = vec![FAR; work.pixels()];
            composite(&fragments, &mut frame);
            let error = if forall::rank() == 0 { work.wrong_fragments(&frame) } else { 0 };
            if error > 0 {
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

/// A loop that asks for the frame's length, in a frame of its own.
#[forall::kary_reduce(combine = over, identity = CLEAR, algorithm = tod_tree, regions = 2, k = 2)]
fn pixels_and_picture(layers: &[Rgba], pixels: usize) -> (usize, Vec<Rgba>) {
    let (mut all, mut frame) = (0, vec![CLEAR; pixels]);
    for layer in layers.chunks_exact(pixels) {
        all += frame.len();
        for (d, s) in frame.iter_mut().zip(layer.iter()) {
            *d = over(*d, *s);
        }
    }
    (all, frame)
}

#[test]
fn what_else_a_loop_does_is_done_too() {
    for ranks in 1..4 {
        let work = Workload { width: 30, height: 20, fraction: 0.4, layers: 40 };
        let pixel = |place: usize| work.rgba(place / work.pixels(), place % work.pixels());
        let layers: Vec<Rgba> = (0..40 * work.pixels()).map(pixel).collect();
        let expected = pixels_and_picture::sequential(&layers, work.pixels());
        let results = forall::Runtime::builder()
            .ranks(ranks)
            .threads(2)
            .run(|| pixels_and_picture(&DistVec::from_fn(layers.len(), |place| layers[place]), work.pixels()));
        for (all, frame) in results {
            assert_eq!(all, expected.0);
            assert!(work.error_of_blend(&frame) < 1e-6);
        }
    }
}

/// Ranks that stand in the scene in another order than they are numbered.
#[forall::kary_reduce(combine = over, identity = CLEAR, algorithm = direct_send, order = depth)]
fn from_the_nearest(layers: &[Rgba], depth: f32, #[replicated] frame: &mut [Rgba]) {
    for layer in layers.chunks(frame.len()) {
        for (d, s) in frame.iter_mut().zip(layer) {
            *d = over(*d, *s);
        }
    }
}

#[forall::kary_reduce(combine = over, identity = CLEAR, order = depth)]
fn one_by_one(layers: &[Rgba], depth: i32, #[replicated] frame: &mut [Rgba]) {
    for layer in layers.chunks(frame.len()) {
        for j in 0..frame.len() {
            frame[j] = over(frame[j], layer[j]);
        }
    }
}

#[test]
fn ranks_merge_in_the_order_of_their_depths() {
    let work = Workload { width: 31, height: 17, fraction: 1.0, layers: 8 };
    // What the frame holds is in front of all; several ranks are as deep, and some have no layer, or two.
    let depth = |rank: usize| [3.5_f32, -0.0, 7.25, 0.0, -2.0, 3.5, 1.0][rank];
    let layers = |rank: usize| [1, 1, 2, 0, 1, 1, 2][rank];
    let held = |pixel: usize| work.rgba(7, pixel).map(|part| part / 4.0);
    for ranks in [1, 2, 3, 4, 7] {
        let results = forall::Runtime::builder().ranks(ranks).threads(1).run(|| {
            let rank = forall::rank();
            let pixels = (0..layers(rank)).flat_map(|layer| (0..work.pixels()).map(move |pixel| (rank + layer, pixel)));
            let layers = DistVec::from_local(pixels.map(|(layer, pixel)| work.rgba(layer % 7, pixel)).collect());
            let mut frames = [(); 2].map(|()| (0..work.pixels()).map(held).collect::<Vec<Rgba>>());
            from_the_nearest(&layers, depth(rank), &mut frames[0]);
            one_by_one(&layers, (4.0 * depth(rank)) as i32, &mut frames[1]);
            frames
        });
        let mut order: Vec<usize> = (0..ranks).collect();
        order.sort_by(|one, other| depth(*one).partial_cmp(&depth(*other)).unwrap());
        let expected = |pixel: usize| {
            let all = order.iter().flat_map(|&rank| (0..layers(rank)).map(move |layer| (rank + layer) % 7));
            all.fold(held(pixel), |front, layer| over(front, work.rgba(layer, pixel)))
        };
        for (pixel, frame) in results.iter().flatten().flat_map(|frame| frame.iter().enumerate()) {
            let off = frame.iter().zip(expected(pixel)).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
            assert!(off < 1e-6, "{ranks} ranks, pixel {pixel}: {off:e} off");
        }
    }
}

#[test]
fn a_rank_without_a_place_in_the_order_is_told() {
    let failed = std::panic::catch_unwind(|| {
        forall::Runtime::builder().ranks(3).threads(1).run(|| {
            let depth = if forall::rank() == 2 { f32::NAN } else { 0.0 };
            from_the_nearest(&DistVec::from_local(vec![CLEAR; 4]), depth, &mut [CLEAR; 4]);
        });
    });
    let message = *failed.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("`depth`, which is no number on rank 2"), "{message}");
}

/// Equal shares of all pixels, which end somewhere in a picture, and workers that share the elements.
#[test]
fn several_pictures_of_a_rank_are_those_of_one_processor() {
    for (ranks, layers, fraction) in [(1, 3, 1.0), (2, 5, 1.0), (3, 20, 0.3), (4, 3, 0.5)] {
        let wrong = forall::Runtime::builder().ranks(ranks).threads(2).run(|| {
            let work = Workload { width: 300, height: 200, fraction, layers };
            let pixel = |place: usize| work.rgba(place / work.pixels(), place % work.pixels());
            let colours = DistVec::from_fn(layers * work.pixels(), pixel);
            let errors = blend::ALL.iter().map(|(_, composite)| {
                let mut frame = vec![CLEAR; work.pixels()];
                composite(&colours, &mut frame);
                if forall::rank() == 0 { work.error_of_blend(&frame) } else { 0.0 }
            });
            errors.fold(0.0, f64::max)
        });
        assert!(wrong[0] < 4e-7, "{layers} pictures on {ranks} ranks are {} off", wrong[0]);
    }
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
