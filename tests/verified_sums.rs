//! `FORALL_VERIFY` and sums of floats: no alarm for another order of the terms, an alarm for another sum.

use forall::{DistVec, Settings, distributed_scan, foreach_tls, kary_reduce};
use ndarray::Array2;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs on all plans, with every call compared; what it says where it panics.
fn said(program: impl Fn() + Sync) -> Vec<String> {
    let mut all = Vec::new();
    for (ranks, threads, backend) in
        [(1, 1, "serial"), (1, 2, "threads"), (2, 1, "serial"), (3, 2, "threads"), (7, 1, "serial")]
    {
        let settings = Settings { verify: true, ..Settings::default() };
        let builder = forall::Runtime::builder().settings(settings).ranks(ranks).threads(threads).backend(backend);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| builder.run(&program))) {
            let text =
                panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            all.push(format!("{ranks} ranks, {threads} threads: {}", text.unwrap_or("a panic")));
        }
    }
    all
}

fn no_alarm(program: impl Fn() + Sync) {
    let said = said(program);
    assert!(said.is_empty(), "{}", said.join("\n"));
}

/// Numbers from 0 to 1 without an order.
fn noise(i: usize) -> f64 {
    (i.wrapping_mul(2_654_435_761) % 1_000_003) as f64 / 1e6
}

#[kary_reduce]
fn nest(x: &[f64], #[replicated] w: &[f64], inner: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for j in 0..inner {
            for k in 0..w.len() {
                sum += x[i] * w[k] / (j + 1) as f64;
            }
        }
    }
    sum
}

#[kary_reduce]
fn nest_f32(x: &[f32], inner: usize) -> (f32, f32) {
    let (mut sum, mut balance) = (0.0_f32, 0.0_f32);
    for i in 0..x.len() {
        for j in 0..inner {
            sum += x[i];
            if j % 2 == 0 {
                balance -= x[i] * 3.0;
            } else {
                balance += x[i] * 3.0;
            }
        }
    }
    (sum, balance)
}

/// One million of equal terms: in order, each addition is rounded in the same direction.
#[kary_reduce]
fn tenths(x: &[f64], y: &[f32], inner: usize) -> (f64, f32) {
    let (mut sum, mut single) = (0.0, 0.0);
    for i in 0..x.len() {
        let mut j = 0;
        while j < inner {
            sum += x[i];
            y[i..i + 1].iter().for_each(|v| single += v);
            j += 1;
        }
    }
    (sum, single)
}

#[derive(Clone, Copy, Default, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Cell {
    weight: f32,
    count: u32,
}

/// Parts of bins, bins of two dimensions, and sums by iterators.
#[kary_reduce]
fn cells(x: &[f32], inner: usize, table: &mut Array2<f32>) -> (Vec<Cell>, f32) {
    let mut cells = vec![Cell::default(); 3];
    let mut sum = 0.0;
    for i in 0..x.len() {
        for j in 0..inner {
            cells[i % 3].weight += x[i];
            cells[i % 3].count += 1;
            table[[j % 2, i % 3]] += x[i];
        }
        sum += (0..inner).map(|j| x[i] * j as f32).sum::<f32>();
    }
    (cells, sum)
}

#[kary_reduce]
fn product(x: &[f64], inner: usize) -> f64 {
    let mut product = 1.0;
    for v in x {
        for _ in 0..inner {
            product *= 1.0 + (v - 0.5) * 1e-4;
        }
    }
    product
}

#[kary_reduce]
fn bins(x: &[f32], inner: usize) -> Vec<f32> {
    let mut h = vec![0.0_f32; 4];
    for i in 0..x.len() {
        for j in 0..inner {
            h[j % 4] += x[i];
        }
    }
    h
}

#[kary_reduce]
fn scattered(x: &[f32], inner: usize, out: &mut [f32]) {
    for i in 0..x.len() {
        for j in 0..inner {
            out[(x[i] * 7.0) as usize + j % 2] += x[i];
        }
    }
}

#[distributed_scan]
fn running(x: &[f32], inner: usize, out: &mut [f32]) {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for _ in 0..inner {
            sum += x[i];
        }
        out[i] = sum;
    }
}

#[distributed_scan]
fn filtered(x: &[f32], out: &mut [f32]) {
    let mut v = 0.0;
    for i in 0..x.len() {
        v = 0.999 * v + x[i];
        out[i] = v;
    }
}

/// Large terms that cancel each other inside of each chunk.
#[kary_reduce]
fn cancelled(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

fn plus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

#[kary_reduce(combine = plus)]
fn pairs(x: &[f64], inner: usize) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for i in 0..x.len() {
        for _ in 0..inner {
            sum = plus(sum, [x[i], -x[i]]);
        }
    }
    sum
}

#[test]
fn a_nest_has_the_terms_of_all_its_loops() {
    no_alarm(|| {
        let x = DistVec::from_fn(1000, noise);
        let w: Vec<f64> = (0..9).map(|k| noise(k) + 0.1).collect();
        nest(&x, &w, 200);
        nest_f32(&DistVec::from_fn(1000, |i| noise(i) as f32), 400);
        nest_f32(&DistVec::from_fn(0, |i| noise(i) as f32), 400);
        product(&x, 300);
        pairs(&x, 300);
    });
}

#[test]
fn terms_of_inner_loops_are_counted() {
    no_alarm(|| {
        tenths(&DistVec::from_fn(1000, |_| 0.1), &DistVec::from_fn(1000, |_| 0.1), 1000);
        cells(&DistVec::from_fn(1000, |_| 0.1), 300, &mut Array2::zeros((2, 3)));
    });
}

#[test]
fn so_have_bins_scattered_sums_and_running_ones() {
    no_alarm(|| {
        let x = DistVec::from_fn(1000, |i| noise(i) as f32);
        bins(&x, 400);
        scattered(&x, 200, &mut DistVec::from_fn(10, |_| 0.0));
        running(&x, 200, &mut DistVec::zeroed_like(&x));
        filtered(&x, &mut DistVec::zeroed_like(&x));
    });
}

#[test]
fn terms_that_cancel_count_with_their_sizes() {
    no_alarm(|| {
        cancelled(&DistVec::from_fn(100_000, |i| match i % 4 {
            0 => 1e12 * noise(i),
            1 => -1e12 * noise(i - 1),
            _ => noise(i),
        }));
    });
}

fn halve(a: f32, b: f32) -> f32 {
    (a + b) * 0.5
}

#[kary_reduce(combine = halve)]
fn mean(x: &[f32], inner: usize) -> f32 {
    let mut m = 0.0;
    for i in 0..x.len() {
        for _ in 0..inner {
            m = halve(m, x[i]);
        }
    }
    m
}

fn almost(a: f64, b: f64) -> f64 {
    // Not associative, by little.
    a + b * (1.0 + 1e-9)
}

#[kary_reduce(combine = almost)]
fn drifting(x: &[f64], inner: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for _ in 0..inner {
            sum = almost(sum, x[i]);
        }
    }
    sum
}

#[test]
fn another_sum_is_an_alarm() {
    let all = said(|| {
        mean(&DistVec::from_fn(100_000, |i| i as f32), 3);
    });
    assert_eq!(all.iter().filter(|said| said.contains("FA062")).count(), 5, "{}", all.join("\n"));
    let all = said(|| {
        drifting(&DistVec::from_fn(20_000, noise), 9);
    });
    assert!(all.iter().filter(|said| said.contains("FA062")).count() >= 4, "{}", all.join("\n"));
}

#[foreach_tls]
fn counts(x: &[u32]) -> HashMap<u32, u32> {
    let mut counts = HashMap::new();
    for v in x {
        *counts.entry(v % 100).or_insert(0) += 1;
    }
    counts
}

/// Two maps with the same entries rarely have them in the same order.
#[test]
fn maps_without_an_order_raise_no_alarm() {
    no_alarm(|| {
        let x = DistVec::from_fn(5000, |i| (i * i) as u32);
        assert_eq!(counts(&x).values().sum::<u32>(), 5000);
    });
}
