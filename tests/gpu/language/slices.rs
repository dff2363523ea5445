//! Parts of arrays that loops choose, hold and hand to functions: a GPU gives what Rust gives.

use crate::common::annotated::on_ranks;
use forall::{device, foreach, foreach_tls, kary_reduce};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message with which a call panics on the graphics processor, which must be that of the plain loop.
macro_rules! panics {
    ($function:ident($($input:expr),*) => $out:expr) => {{
        let out = $out;
        let plain = catch_unwind(AssertUnwindSafe(|| $function::sequential($($input,)* &mut out.clone())));
        let plain = plain.map(|_| ()).unwrap_err();
        let plain = plain.downcast_ref::<String>().cloned().unwrap_or_default();
        if let Some(result) = on_ranks(1, || _ = $function($($input,)* &mut out.clone())) {
            let found = result.unwrap_err();
            assert!(found.contains(&plain), "{found} is not {plain}");
        }
    }};
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i % 11 == 5 { f32::NAN } else { ((i * 37) % 101) as f32 - 50.25 }).collect()
}

// Views chosen at run time.

#[foreach]
fn beside(x: &[i32], n: usize, ny: usize, out: &mut [i32]) {
    for r in 0..x.len() / n {
        let (has_south, has_north) = (r % ny > 0, r % ny + 1 < ny);
        let here = &x[r * n..(r + 1) * n];
        let north = if has_north { &x[(r + 1) * n..(r + 2) * n] } else { here };
        let corner = match (has_south, has_north) {
            (true, true) => &x[(r - 1) * n..r * n],
            (true, false) => &here[n / 2..],
            _ => north,
        };
        let out = &mut out[r * n..(r + 1) * n];
        out.fill(-1);
        for (k, v) in corner.iter().enumerate() {
            out[k] = v - north[k] + here[n - 1 - k];
        }
    }
}

#[test]
fn rows_that_are_chosen() {
    for (n, rows) in [(1, 1), (3, 0), (4, 3), (7, 61), (64, 33), (65, 257)] {
        let x: Vec<i32> = (0..(n * rows) as i32).map(|i| i * i % 1009 - 300).collect();
        same!(beside(&x, n, rows) => vec![0; n * rows]);
    }
}

#[foreach]
fn steepest(x: &[u32], n: usize, m: usize, out: &mut [u32]) {
    for r in 0..out.len() {
        let all = &x[r * n * m..(r + 1) * n * m];
        let mut row = &all[..n];
        let mut last = row;
        for k in 1..m {
            let next = &all[k * n..(k + 1) * n];
            if next[0] > row[0] {
                (last, row) = (row, next);
            } else if next[n - 1] < last[0] {
                last = &next[1..];
            }
        }
        out[r] = row[n - 1] * 1000 + last[0] + last.len() as u32;
    }
}

#[test]
fn rows_that_change_in_a_loop() {
    for (n, m, rows) in [(2, 1, 5), (3, 7, 100), (16, 3, 65)] {
        let x: Vec<u32> = (0..(n * m * rows) as u32).map(|i| i * 7919 % 1013).collect();
        same!(steepest(&x, n, m) => vec![0; rows]);
    }
}

#[foreach]
fn halves(x: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        let mut held = [0; 8];
        for k in 0..8 {
            held[k] = x[i] >> k & 3;
        }
        let half = if x[i] & 1 == 0 { &held[..4] } else { &held[4..] };
        let (a, b) = if x[i] % 3 == 1 { (half, &held[1..3]) } else { (&held[2..7], half) };
        out[i] = half.iter().sum::<u32>() * 100 + a[1] * 10 + b[0] + a.len() as u32;
    }
}

#[test]
fn parts_of_an_array_that_the_iteration_holds() {
    same!(halves(&(0..1000).map(|i| i * 4_000_037).collect::<Vec<u32>>()) => vec![0; 1000]);
}

#[foreach]
fn stays(x: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        let held = [[x[i], x[i] + 1], [x[i] + 10, x[i] + 11]];
        let mut at = (x[i] % 2) as usize;
        let part = &held[at][..1];
        at = 1 - at;
        let other = &held[at][1..];
        at = 0;
        out[i] = part[0] * 1000 + other[other.len() - 1] + held[at][1];
    }
}

#[test]
fn a_part_stays_where_it_is() {
    same!(stays(&(0..100).collect::<Vec<u32>>()) => vec![0; 100]);
}

#[foreach]
fn beyond(x: &[f32], n: usize, limit: usize, out: &mut [f32]) {
    for r in 0..out.len() {
        let row = if r < limit { &x[r * n..(r + 1) * n] } else { &x[r * n + 1..(r + 1) * n + 1] };
        out[r] = row[n - 1];
    }
}

#[test]
fn a_part_that_is_not_there_panics_as_in_rust() {
    let x: Vec<f32> = (0..400).map(|i| i as f32).collect();
    same!(beyond(&x[..399], 4, 100) => vec![0.0; 99]);
    panics!(beyond(&x, 4, 70) => vec![0.0; 100]);
}

// Functions that take slices.

/// On which side of the isovalue up to 64 values lie, as bits.
#[device]
fn sides(values: &[f32], iso: f32) -> (u64, u64) {
    let (mut inside, mut valid) = (0, 0);
    for (k, &v) in values.iter().enumerate() {
        inside |= u64::from(v > iso) << k;
        valid |= u64::from(!v.is_nan()) << k;
    }
    (inside, valid)
}

#[foreach]
fn classify(field: &[f32], nx: usize, rows: usize, iso: f32, inside: &mut [u64], valid: &mut [u64]) {
    let words = nx.div_ceil(64);
    for r in 0..rows {
        let inside = &mut inside[r * words..(r + 1) * words];
        let valid = &mut valid[r * words..(r + 1) * words];
        for ((values, inside), valid) in field[r * nx..(r + 1) * nx].chunks(64).zip(inside).zip(valid) {
            (*inside, *valid) = sides(values, iso);
        }
    }
}

#[test]
fn words_of_rows() {
    for (nx, rows) in [(1, 1), (63, 5), (64, 4), (65, 70), (129, 300)] {
        let field = floats(nx * rows);
        let words: usize = nx.div_ceil(64) * rows;
        let run = || {
            let (mut inside, mut valid) = (vec![7; words], vec![7; words]);
            classify(&field, nx, rows, 3.0, &mut inside, &mut valid);
            (inside, valid)
        };
        let mut expected = (vec![7; words], vec![7; words]);
        classify::sequential(&field, nx, rows, 3.0, &mut expected.0, &mut expected.1);
        for ranks in [1, 2, 3] {
            let program = || {
                let field = forall::DistVec::from_fn_in_planes(nx * rows, nx, |i| field[i]);
                let words = || forall::DistVec::from_fn_in_planes(words, nx.div_ceil(64), |_| 7);
                let (mut inside, mut valid) = (words(), words());
                classify(&field, nx, rows, 3.0, &mut inside, &mut valid);
                (inside.to_all(), valid.to_all())
            };
            if let Some(found) = on_ranks(ranks, program) {
                assert!(found.as_ref() == Ok(&expected), "{:?}", found.map(|_| "other words"));
            }
        }
        if let Some(found) = on_ranks(1, run) {
            assert!(found.as_ref() == Ok(&expected), "{:?}", found.map(|_| "other words"));
        }
    }
}

const TAPS: [f32; 3] = [0.25, 0.5, 0.25];

/// A product of the shorter length, through another function.
#[device]
fn product(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum + first(&b[1..]) - first(a)
}

#[device]
fn first(values: &[f32]) -> f32 {
    if values.is_empty() {
        return -1.0;
    }
    values[0] * TAPS[values.len() % TAPS.len()]
}

#[foreach]
fn products(x: &[f32], #[replicated] weights: &[f32], n: usize, out: &mut [f32]) {
    for r in 0..out.len() {
        let row = &x[r * n..(r + 1) * n];
        let part = if row[0] > 0.0 { &row[1..] } else { row };
        out[r] = product(row, weights) - product(weights, part) + first(&row[n / 2..]);
    }
}

#[test]
fn a_function_takes_parts_of_several_arrays() {
    let x: Vec<f32> = (0..600).map(|i| (i * 17 % 31) as f32 * 0.5 - 4.0).collect();
    same!(products(&x, &[1.5, -2.0, 0.75, 8.0], 6) => vec![0.0; 100]);
    // The slice `b[1..]` of nothing.
    panics!(products(&x, &[], 6) => vec![0.0; 100]);
}

/// Sorts a row, and says how often two elements changed places.
#[device]
fn sort(row: &mut [i32], rounds: &mut u32) -> bool {
    let before = *rounds;
    for end in (1..row.len()).rev() {
        for k in 0..end {
            if row[k] > row[k + 1] {
                row.swap(k, k + 1);
                *rounds += 1;
            }
        }
    }
    *rounds == before
}

#[foreach]
fn sorted(x: &mut [i32], rounds: &mut [u32], n: usize, out: &mut [bool]) {
    for r in 0..out.len() {
        let mut count = 0;
        let row = &mut x[r * n..(r + 1) * n];
        let whole = sort(row, &mut count);
        let again = sort(&mut row[1..], &mut count);
        out[r] = whole && again;
        rounds[r] = count;
    }
}

#[test]
fn a_function_changes_a_part() {
    let x: Vec<i32> = (0..700).map(|i| if i < 70 { i } else { i * 7919 % 251 - 100 }).collect();
    let run = || {
        let (mut x, mut rounds, mut out) = (x.clone(), vec![0; 70], vec![false; 70]);
        sorted(&mut x, &mut rounds, 10, &mut out);
        (x, rounds, out)
    };
    let (mut sorted, mut rounds, mut out) = (x.clone(), vec![0; 70], vec![false; 70]);
    sorted::sequential(&mut sorted, &mut rounds, 10, &mut out);
    if let Some(found) = on_ranks(1, run) {
        assert_eq!(found, Ok((sorted, rounds, out)));
    }
}

#[foreach_tls]
fn crossed(bits: &[u64], words: usize, out: &mut Vec<u32>) {
    for r in 0..bits.len() / words {
        for w in 0..words {
            let mut left = bits[r * words + w];
            while left != 0 {
                out.push((w * 64) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

#[test]
fn pushes_for_each_bit_of_a_word() {
    let bits: Vec<u64> = (0..303).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & ((i << 40) | (i * i))).collect();
    same!(crossed(&bits, 3) => Vec::new());
}

#[kary_reduce]
fn counted(bits: &[u64], words: usize) -> u64 {
    let mut all = 0;
    for r in 0..bits.len() / words {
        let row = &bits[r * words..(r + 1) * words];
        let mut count = 0;
        for w in (0..words).rev() {
            count += u64::from((row[w] & !(row[0] >> 1)).count_ones());
        }
        all += count;
    }
    all
}

#[test]
fn bits_are_counted() {
    let bits: Vec<u64> = (0..999).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    if let Some(found) = on_ranks(1, || counted(&bits, 3)) {
        assert_eq!(found, Ok(counted::sequential(&bits, 3)));
    }
}

#[kary_reduce]
fn longest(x: &[u32], n: usize) -> u32 {
    let mut longest = 0;
    for r in 0..x.len() / n {
        let mut run = 0;
        for v in &x[r * n..(r + 1) * n] {
            run = if *v == 0 { 0 } else { run + 1 };
            longest = longest.max(run);
        }
    }
    longest
}

/// A driver that ends long loops without an error gives no wrong number: the loop runs on the workers, or it is an error.
#[test]
fn long_rows_are_whole() {
    for n in [8_000, 30_000, 70_000] {
        let x: Vec<u32> = (0..3 * n as u32).map(|i| u32::from(i % (n as u32) != 17)).collect();
        match on_ranks(1, || longest(&x, n)) {
            Some(Ok(found)) => assert_eq!(found, longest::sequential(&x, n)),
            Some(Err(reason)) => assert!(reason.contains("more turns"), "{reason}"),
            None => {}
        }
    }
}
