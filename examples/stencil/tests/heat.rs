//! Heat on ranks and tiles is the heat of a plain loop.

use forall::Object;
use stencil::{checksum, start, step, step_in_place};

/// The planes after some steps of a plain loop.
fn plain(n: usize, steps: usize) -> Vec<f32> {
    let mut now: Vec<f32> = (0..n * n).map(|at| start(n, [at / n, at % n])).collect();
    let mut next = now.clone();
    for _ in 0..steps {
        for y in 1..n.saturating_sub(1) {
            for x in 1..n - 1 {
                let at = y * n + x;
                next[at] = 0.2 * (now[at] + now[at - 1] + now[at + 1] + now[at - n] + now[at + n]);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    now
}

fn compare() {
    for (n, tile) in [(1, 1), (2, 1), (3, 2), (17, 4), (40, 16), (33, 50)] {
        let mut planes = [0, 1].map(|_| Object::from_fn([n, n], |at| start(n, at)));
        for _ in 0..6 {
            let [now, next] = &mut planes;
            step(now, next, [tile, tile]);
            planes.swap(0, 1);
        }
        let mut single = Object::from_fn([n, n], |at| start(n, at));
        (0..6).for_each(|_| step_in_place(&mut single, [tile, tile]));
        let expected = plain(n, 6);
        assert_eq!(single.to_all().elements(), expected, "{n} points, tiles of {tile}, one buffer");
        assert_eq!(planes[0].to_all().elements(), expected, "{n} points, tiles of {tile}");
        let weight = |at: usize| (1 + (at / n * 31 + at % n) % 7) as f64;
        let sum: f64 = expected.iter().enumerate().map(|(at, heat)| f64::from(*heat) * weight(at)).sum();
        assert!((checksum(&planes[0]) - sum).abs() <= 1e-9 * sum.abs());
    }
}

#[forall::test]
fn heat_is_right_on_this_launch() {
    compare();
}

#[forall::test(ranks = 3)]
fn heat_is_right_on_three_ranks() {
    compare();
}

#[forall::test(ranks = 7)]
fn heat_is_right_on_seven_ranks() {
    compare();
}
