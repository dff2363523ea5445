//! Steps of a stencil over rows that are long, so that halos are: how long a step takes, and what it sends.
//!
//! Usage: `mpirun -n RANKS halos [KIBIBYTES OF A ROW] [ROWS OF A RANK] [STEPS]`.

use forall::{DistVec, foreach};
use forall_examples::say;
use primitives::measure::median;
use std::process::ExitCode;
use std::time::Instant;

/// The mean of an element and the four beside it.
#[foreach]
fn smoothed(x: &[f64], out: &mut [f64], width: usize) {
    for row in 1..x.len() / width - 1 {
        for i in 1..width - 1 {
            let at = row * width + i;
            out[at] = 0.2 * (x[at] + x[at - 1] + x[at + 1] + x[at - width] + x[at + width]);
        }
    }
}

#[forall::main]
fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>().ok().filter(|number| *number > 0));
    let mut next = |default: usize| numbers.next().unwrap_or(Some(default));
    let (Some(kibibytes), Some(rows), Some(steps)) = (next(1024), next(32), next(101)) else {
        eprintln!("usage: halos [KIBIBYTES OF A ROW] [ROWS OF A RANK] [STEPS], all whole and from 1 on");
        return ExitCode::from(2);
    };
    let width = kibibytes * 1024 / size_of::<f64>();
    let length = width * rows * forall::ranks();
    let mut x = DistVec::from_fn(length, |i| (i * 7 % 1013) as f64).in_planes(width);
    let mut out = x.clone();
    let mut times = Vec::new();
    for _ in 0..=steps {
        let start = Instant::now();
        smoothed(&x, &mut out, width);
        x.swap(&mut out);
        times.push(start.elapsed().as_secs_f64());
    }
    // The first step is that in which the ranks come to know each other.
    times.remove(0);
    times.sort_unstable_by(f64::total_cmp);
    let sum: f64 = x.local().iter().sum();
    say!(
        "{kibibytes} KiB, {rows} rows a rank, {} ranks: {:.3} ms a step ({sum})",
        forall::ranks(),
        median(&times) * 1e3
    );
    ExitCode::SUCCESS
}
