//! Scans that start afresh under a condition, which depends on other scan states. Their totals are searched from the end of a chunk.

use forall::{DistVec, distributed_scan};

/// Sums by key, with the last key in a variable.
#[distributed_scan]
fn by_key(key: &[u32], x: &[f64], sums: &mut [f64]) {
    let mut sum = 0.0;
    let mut last = u32::MAX;
    for i in 0..x.len() {
        if key[i] != last {
            sum = 0.0;
            last = key[i];
        }
        sum += x[i];
        sums[i] = sum;
    }
}

/// The position in a run begins anew at each boundary; the boundary is only set there.
#[distributed_scan]
fn since_boundary(key: &[u32], x: &[i64], out: &mut [i64]) {
    let mut boundary = 0;
    let mut sum = 0;
    for i in 0..key.len() {
        if key[i] < 20 {
            boundary = i as i64;
        }
        if i as i64 == boundary {
            sum = x[i];
        } else {
            sum += x[i];
        }
        out[i] = sum + boundary;
    }
}

/// Three levels: the key, the place in its run, and a sum that starts afresh at the second of each three places.
#[distributed_scan]
fn by_place(key: &[u32], x: &[f64], out: &mut [f64]) -> f64 {
    let (mut last, mut place, mut sum) = (u32::MAX, 0u64, 0.0);
    for i in 0..key.len() {
        place = if key[i] == last { place + 1 } else { 0 };
        last = key[i];
        sum = if place % 3 == 1 { x[i] } else { sum + x[i] };
        out[i] = sum;
    }
    sum
}

/// The lower state is a sum of floats: its bits depend on where it starts.
#[distributed_scan]
fn by_weight(x: &[f64], out: &mut [f64]) {
    let (mut weight, mut sum) = (0.0, 0.0);
    for i in 0..x.len() {
        weight = if x[i] < -0.9 { x[i] } else { weight + x[i] };
        sum = if weight > 1.5 { 1.0 } else { sum + 0.25 };
        out[i] = sum;
    }
}

/// Keys in runs of about this length, and numbers of few bits, whose sums are exact.
fn data(n: usize, run: u64) -> (Vec<u32>, Vec<f64>) {
    let mut seed = n as u64 * 31 + run;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 33
    };
    let mut key = 1;
    let keys = (0..n).map(|_| {
        key = if next() % run < 1 { next() as u32 % 100 } else { key };
        key
    });
    let keys: Vec<u32> = keys.collect();
    (keys, (0..n).map(|_| (next() % 4096) as f64 / 1024.0 - 2.0).collect())
}

#[test]
fn scans_by_scan_states_start_where_the_loop_starts_them() {
    for n in [0, 1, 257, 4_099, 40_009] {
        for run in [2, 700, 1_000_000] {
            let (key, x) = data(n, run);
            let whole: Vec<i64> = x.iter().map(|x| (x * 1024.0) as i64).collect();
            let [mut sums, mut places, mut weights] = [(); 3].map(|()| vec![0.0; n]);
            let mut since = vec![0; n];
            by_key::sequential(&key, &x, &mut sums);
            since_boundary::sequential(&key, &whole, &mut since);
            let last = by_place::sequential(&key, &x, &mut places);
            by_weight::sequential(&x, &mut weights);
            for (ranks, threads, grain) in [(1, 1, 1), (1, 2, 64), (1, 7, 1_000), (2, 1, 500), (3, 2, 300), (7, 1, 1)] {
                let on = forall::Runtime::builder().ranks(ranks).threads(threads).grain(grain);
                on.run(|| {
                    let at = format!("{n} elements in runs of {run}, {ranks} ranks, {threads} threads, grain {grain}");
                    let (key, x) = (DistVec::from_fn(n, |i| key[i]), DistVec::from_fn(n, |i| x[i]));
                    let mut found = DistVec::from_fn(n, |_| 0.0);
                    by_key(&key, &x, &mut found);
                    assert_eq!(found.to_all(), sums, "{at}");
                    assert_eq!(by_place(&key, &x, &mut found), last, "{at}");
                    assert_eq!(found.to_all(), places, "{at}");
                    by_weight(&x, &mut found);
                    assert_eq!(found.to_all(), weights, "{at}");
                    let x = DistVec::from_fn(n, |i| whole[i]);
                    let mut found = DistVec::from_fn(n, |_| 0);
                    since_boundary(&key, &x, &mut found);
                    assert_eq!(found.to_all(), since, "{at}");
                });
            }
        }
    }
}
