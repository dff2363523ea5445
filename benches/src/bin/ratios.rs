//! Prints how each annotated loop compares with the plain loop and with the one by hand, run in turn.
//!
//! Usage: `ratios [N] [REPS] [ONLY]`; `FORALL_THREADS` sets the threads of both, `ONLY` is part of the names to run.

use forall_benches::{Way, cases, saxpy, side_by_side};
use primitives::measure::{in_turn, median};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u32| match arguments.next() {
        None => Some(default),
        Some(text) => text.parse().ok().filter(|number| *number > 0),
    };
    let (Some(n), Some(reps)) = (number(1 << 24), number(15)) else {
        eprintln!("usage: ratios [N] [REPS] [ONLY], the first two whole numbers from 1 on");
        return ExitCode::from(2);
    };
    let only = arguments.next().unwrap_or_default();
    side_by_side(|| ratios(n as usize, reps, &only))
}

fn ratios(n: usize, reps: u32, only: &str) {
    println!("medians of {reps} runs in turn, {n} elements, {} threads", rayon::current_num_threads());
    println!("| loop | plain ms | annotated ms | rayon ms | GB/s | against plain | against rayon |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for mut case in cases(n).into_iter().filter(|case| case.name.contains(only)) {
        let times = in_turn(Way::ALL.len(), reps, |way| {
            let start = Instant::now();
            (case.run)(Way::ALL[way]);
            start.elapsed().as_secs_f64()
        });
        let [annotated, plain, by_hand] = [0, 1, 2].map(|way| median(&times[way]));
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.1} | {:.2} | {:.2} |",
            case.name,
            plain * 1e3,
            annotated * 1e3,
            by_hand * 1e3,
            case.bytes as f64 / annotated / 1e9,
            plain / annotated,
            by_hand / annotated
        );
    }
    let [plain, annotated] = small_call(reps);
    println!();
    println!(
        "a call on 100 elements: sequential {plain:.0} ns, annotated {annotated:.0} ns: {:.0} ns more",
        annotated - plain
    );
}

/// Nanoseconds of a plain and of an annotated call on 100 elements.
fn small_call(reps: u32) -> [f64; 2] {
    const CALLS: usize = 20_000;
    let (x, mut y) = ([1.0f32; 100], [2.0f32; 100]);
    let times = in_turn(2, reps, |way| {
        let start = Instant::now();
        for _ in 0..CALLS {
            let (a, x, y) = (black_box(1e-6), black_box(&x), black_box(&mut y));
            if way == 0 { saxpy::sequential(a, x, y) } else { saxpy(a, x, y) }
        }
        start.elapsed().as_nanos() as f64 / CALLS as f64
    });
    [0, 1].map(|way| median(&times[way]))
}
