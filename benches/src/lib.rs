//! Loops of every class, each three ways: as written, annotated, and by hand with rayon.
//!
//! [`cases`] lists them for the criterion benches (`cargo bench -p forall-benches`) and for the table of ratios
//! (`cargo xtask bench`), which both run the same closures on the same arrays.

pub mod by_hand;
pub mod nas;

use forall::{foreach, kary_reduce};
pub use primitives::measure::Way;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Runs a table of ratios: what is annotated and what is by hand both have `FORALL_THREADS` threads.
///
/// Bad settings, and threads that cannot be had, are told on standard error; then the exit code is not zero.
pub fn side_by_side(table: impl FnOnce()) -> ExitCode {
    let settings = match forall::Settings::from_env() {
        Ok(settings) => settings,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let threads = settings.threads.map_or(0, NonZeroUsize::get);
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global() {
        eprintln!("error: no threads: {error}");
        return ExitCode::FAILURE;
    }
    forall::run(settings, table)
}

/// `y += a x`.
#[foreach]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

/// The mean of the six neighbours in a grid of `nx * ny * nz`, away from its border.
#[foreach]
pub fn stencil(x: &[f32], nx: usize, ny: usize, nz: usize, out: &mut [f32]) {
    for iz in 1..nz - 1 {
        for iy in 1..ny - 1 {
            for ix in 1..nx - 1 {
                let at = (iz * ny + iy) * nx + ix;
                out[at] = (x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx] + x[at - nx * ny] + x[at + nx * ny]) / 6.0;
            }
        }
    }
}

/// The scalar product.
#[kary_reduce]
pub fn dot_f32(x: &[f32], y: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * y[i];
    }
    sum
}

/// The scalar product.
#[kary_reduce]
pub fn dot_f64(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * y[i];
    }
    sum
}

/// The largest element and its first place.
#[kary_reduce]
pub fn argmax(x: &[f32]) -> (f32, usize) {
    let mut best = f32::NEG_INFINITY;
    let mut place = 0;
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            place = i;
        }
    }
    (best, place)
}

/// The least element and its first place.
#[kary_reduce]
pub fn argmin(x: &[i64]) -> (i64, usize) {
    let (mut best, mut place) = (i64::MAX, 0);
    for i in 0..x.len() {
        if x[i] < best {
            best = x[i];
            place = i;
        }
    }
    (best, place)
}

/// How often each byte occurs.
#[kary_reduce]
pub fn histogram(x: &[u8]) -> [u32; 256] {
    let mut counts = [0; 256];
    for i in 0..x.len() {
        counts[x[i] as usize] += 1;
    }
    counts
}

/// A loop with its data.
pub struct Case {
    /// The loop in words, and its class.
    pub name: &'static str,
    /// Iterations.
    pub iterations: usize,
    /// Bytes read and written.
    pub bytes: usize,
    /// Runs it once.
    pub run: Box<dyn FnMut(Way)>,
}

/// Numbers without a pattern, from a fixed seed.
fn random(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    })
}

fn floats(count: usize) -> Vec<f32> {
    random(count).map(|bits| (bits >> 8) as f32 / (1 << 24) as f32).collect()
}

fn integers(count: usize) -> Vec<i32> {
    random(count).map(|bits| (bits % 7) as i32 - 3).collect()
}

/// Picks the function of a way: the annotated one, its sequential twin, or the one of the same name by hand.
macro_rules! three {
    ($way:expr, $by_hand:path, $($f:ident)::+, ($($argument:expr),*)) => {
        match $way {
            Way::Plain => $($f)::+::sequential($($argument),*),
            Way::Forall => $($f)::+($($argument),*),
            Way::Rayon => $by_hand($($argument),*),
        }
    };
}

/// All loops, on vectors of `n` elements. The 3-D grid has about as many points.
pub fn cases(n: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, bytes: usize, iterations: usize, run: Box<dyn FnMut(Way)>| {
        cases.push(Case { name, iterations, bytes: bytes * iterations, run });
    };

    let (x, mut y) = (floats(n), floats(n));
    case("saxpy f32 (map)", 12, n, Box::new(move |way| three!(way, by_hand::saxpy, saxpy, (1e-6, &x, &mut y))));

    let side = (n as f64).cbrt().round().max(3.0) as usize;
    let (x, mut y) = (floats(side.pow(3)), vec![0.0; side.pow(3)]);
    let run = move |way| three!(way, by_hand::stencil, stencil, (&x, side, side, side, &mut y));
    case("stencil 3-D f32 (map)", 8, side.pow(3), Box::new(run));

    let (x, y) = (floats(n), floats(n));
    let run = move |way| {
        black_box(three!(way, by_hand::dot_f32, dot_f32, (&x, &y)));
    };
    case("dot f32 (reduce)", 8, n, Box::new(run));

    let (x, y): (Vec<f64>, Vec<f64>) = floats(2 * n).chunks_exact(2).map(|p| (p[0] as f64, p[1] as f64)).unzip();
    let run = move |way| {
        black_box(three!(way, by_hand::dot_f64, dot_f64, (&x, &y)));
    };
    case("dot f64 (reduce)", 16, n, Box::new(run));

    let x = floats(n);
    let run = move |way| {
        black_box(three!(way, by_hand::argmax, argmax, (&x)));
    };
    case("argmax f32 (reduce)", 4, n, Box::new(run));

    let x: Vec<i64> = random(n).map(i64::from).collect();
    let run = move |way| {
        black_box(three!(way, by_hand::argmin, argmin, (&x)));
    };
    case("argmin i64 (reduce)", 8, n, Box::new(run));

    let (x, mut y) = (integers(n), vec![0; n]);
    let run = move |way| {
        three!(way, primitives::by_hand::inclusive_scan_i32, primitives::inclusive_scan_i32, (&x, &mut y));
    };
    case("inclusive scan i32 (scan)", 8, n, Box::new(run));

    let (x, mut y) = (floats(n), vec![0.0; n]);
    let run = move |way| {
        three!(way, primitives::by_hand::inclusive_scan_f32, primitives::inclusive_scan_f32, (&x, &mut y));
    };
    case("inclusive scan f32 (scan)", 8, n, Box::new(run));

    let (x, mut y) = (integers(n), vec![0; n]);
    let mut key = 0;
    let keys: Vec<i32> = random(n)
        .map(|bits| {
            key += i32::from(bits % 64 == 0);
            key
        })
        .collect();
    let run = move |way| {
        let (hand, x, y) = (primitives::by_hand::inclusive_scan_by_key_i32, &x, &mut y);
        match way {
            Way::Plain => primitives::inclusive_scan_by_key_i32::sequential(&keys, x, y),
            Way::Forall => primitives::inclusive_scan_by_key_i32(&keys, x, y),
            Way::Rayon => hand(&keys, x, y),
        }
    };
    case("scan by key i32 (segmented scan)", 12, n, Box::new(run));

    let (x, mut y) = (integers(n), Vec::with_capacity(n));
    let run = move |way| {
        y.clear();
        three!(way, primitives::by_hand::copy_if_i32, primitives::copy_if_i32, (&x, &mut y));
    };
    case("copy_if i32 (push)", 4, n, Box::new(run));

    let x: Vec<u8> = random(n).map(|bits| bits as u8).collect();
    let run = move |way| {
        black_box(three!(way, by_hand::histogram, histogram, (&x)));
    };
    case("histogram u8 (histogram)", 1, n, Box::new(run));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_ways_agree() {
        for n in [1, 2, 60, 1000, 70_000, 200_001] {
            let (x, y) = (floats(n), integers(n));
            // Sums are compared where they are exact: on small whole numbers.
            let whole: Vec<f32> = y.iter().map(|v| *v as f32).collect();
            let wide: Vec<f64> = y.iter().map(|v| *v as f64).collect();
            let bytes: Vec<u8> = random(n).map(|bits| bits as u8).collect();
            for way in [Way::Forall, Way::Rayon] {
                let (mut expected, mut found) = (x.clone(), x.clone());
                saxpy::sequential(0.5, &whole, &mut expected);
                three!(way, by_hand::saxpy, saxpy, (0.5, &whole, &mut found));
                assert_eq!(found, expected);
                assert_eq!(
                    three!(way, by_hand::dot_f32, dot_f32, (&whole, &whole)),
                    dot_f32::sequential(&whole, &whole)
                );
                assert_eq!(three!(way, by_hand::dot_f64, dot_f64, (&wide, &wide)), dot_f64::sequential(&wide, &wide));
                assert_eq!(three!(way, by_hand::argmax, argmax, (&whole)), argmax::sequential(&whole));
                let long: Vec<i64> = y.iter().map(|v| i64::from(*v)).collect();
                assert_eq!(three!(way, by_hand::argmin, argmin, (&long)), argmin::sequential(&long));
                assert_eq!(three!(way, by_hand::histogram, histogram, (&bytes)), histogram::sequential(&bytes));
            }
        }
        let x = floats(9 * 7 * 5);
        let (mut expected, mut annotated, mut by_hand) = (x.clone(), x.clone(), x.clone());
        stencil::sequential(&x, 9, 7, 5, &mut expected);
        stencil(&x, 9, 7, 5, &mut annotated);
        by_hand::stencil(&x, 9, 7, 5, &mut by_hand);
        assert_eq!((&annotated, &by_hand), (&expected, &expected));
    }

    #[test]
    fn every_case_runs() {
        for mut case in cases(5000) {
            for way in Way::ALL {
                (case.run)(way);
            }
        }
    }
}
