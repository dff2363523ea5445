//! Small tables that every rank has, passed as plain slices: an error on several ranks, unless they are marked.

use forall::{DistVec, distributed_scan, foreach, foreach_tls, kary_reduce};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a program that panics on so many ranks.
fn said<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> String {
    match catch_unwind(AssertUnwindSafe(|| forall::Runtime::builder().ranks(ranks).run(&program))) {
        Ok(_) => String::new(),
        Err(panic) => {
            let text =
                panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            text.unwrap_or("a panic").to_owned()
        }
    }
}

/// The call is an error on several ranks, and names the parameter, but not on one.
fn refused<R: Send>(parameter: &str, program: impl Fn() -> R + Sync) {
    assert_eq!(said(1, &program), "", "{parameter} on one rank");
    for ranks in [2, 3, 7] {
        let said = said(ranks, &program);
        let mark = format!("mark it `#[replicated] {parameter}`");
        assert!(
            said.contains("FA066") && said.contains(&mark) && said.contains("DistVec"),
            "{parameter}, {ranks}: {said}"
        );
    }
}

fn accepted<R: Send>(program: impl Fn() -> R + Sync) {
    for ranks in [1, 2, 3, 7] {
        assert_eq!(said(ranks, &program), "", "{ranks} ranks");
    }
}

fn numbers(n: usize) -> DistVec<f32> {
    DistVec::from_fn(n, |i| i as f32)
}

#[foreach]
fn blur(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    for i in 0..x.len() - 8 {
        for k in 0..kernel.len() {
            out[i] += x[i + k] * kernel[k];
        }
    }
}

#[foreach]
fn blur_marked(x: &[f32], out: &mut [f32], #[replicated] kernel: &[f32]) {
    for i in 0..x.len() - 8 {
        for k in 0..kernel.len() {
            out[i] += x[i + k] * kernel[k];
        }
    }
}

#[foreach]
fn by_iterator(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    for i in 0..x.len() {
        for w in &kernel[0..4] {
            out[i] += x[i] * w;
        }
    }
}

#[foreach]
fn by_sum(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    for i in 0..x.len() {
        out[i] = x[i] * kernel[1..5].iter().sum::<f32>();
    }
}

#[foreach]
fn by_zip(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    for i in 0..x.len() - 8 {
        out[i] = x[i..i + 9].iter().zip(&kernel[..9]).map(|(a, b)| a * b).sum::<f32>();
    }
}

#[foreach]
fn by_constant(x: &[f32], out: &mut [f32], scale: &[f32]) {
    for i in 0..x.len() {
        out[i] = x[i] * scale[0] + scale[1];
    }
}

#[foreach]
fn by_number(x: &[f32], out: &mut [f32], kernel: &[f32], taps: usize) {
    for (v, o) in x.iter().zip(out.iter_mut()) {
        for k in 1..taps {
            *o += v * kernel[k - 1];
        }
    }
}

#[foreach]
fn before_the_loop(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    let scale = kernel[0];
    let total: f32 = kernel.iter().sum();
    for i in 0..x.len() {
        out[i] = x[i] * scale / total;
    }
}

#[foreach]
fn by_length(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    for i in 0..x.len() {
        for k in 0..kernel.len() {
            out[i] += x[i] * k as f32;
        }
    }
}

#[kary_reduce]
fn reduced(x: &[f32], kernel: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for k in 0..kernel.len() {
            sum += x[i] * kernel[k];
        }
    }
    sum
}

#[distributed_scan]
fn scanned(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * kernel[kernel.len() - 1];
        out[i] = sum;
    }
}

#[foreach_tls]
fn pushed(x: &[f32], limits: &[f32], out: &mut Vec<f32>) {
    for i in 0..x.len() {
        if x[i] >= limits[0] && x[i] <= limits[1] {
            out.push(x[i]);
        }
    }
}

#[foreach]
fn product(a: &[f32], v: &[f32], out: &mut [f32], n: usize) {
    for i in 0..out.len() {
        for j in 0..n {
            out[i] += a[i * n + j] * v[j];
        }
    }
}

#[foreach]
fn passed_on(x: &[f32], out: &mut [f32], kernel: &[f32]) {
    blur(x, out, kernel);
    for i in 0..out.len() {
        out[i] += 1.0;
    }
}

/// A vector that the outer function uses as a share is one for the inner function too.
#[foreach]
fn share_passed_on(a: &[f32], v: &mut [f32], out: &mut [f32], n: usize) {
    product(a, &*v, out, n);
    for i in 0..v.len() {
        v[i] += 1.0;
    }
}

#[foreach]
fn halves(x: &[f32], out: &mut [f32], k: usize) {
    let (left, right) = x.split_at(k);
    for i in 0..left.len() {
        out[i] = left[i] + right[i];
    }
}

#[test]
fn tables_that_every_iteration_reads_as_a_whole_are_refused() {
    let table = vec![0.5_f32; 9];
    let x = || numbers(100);
    let out = || numbers(100);
    refused("kernel", || blur(&x(), &mut out(), &table));
    refused("kernel", || blur(&x(), &mut out(), &table[..]));
    refused("kernel", || blur(&x(), &mut out(), &[0.5; 9]));
    refused("kernel", || by_iterator(&x(), &mut out(), &table));
    refused("kernel", || by_sum(&x(), &mut out(), &table));
    refused("kernel", || by_zip(&x(), &mut out(), &table));
    refused("scale", || by_constant(&x(), &mut out(), &table));
    refused("kernel", || by_number(&x(), &mut out(), &table, 5));
    refused("kernel", || before_the_loop(&x(), &mut out(), &table));
    refused("kernel", || by_length(&x(), &mut out(), &table));
    refused("kernel", || reduced(&x(), &table));
    refused("kernel", || scanned(&x(), &mut out(), &table));
    refused("limits", || pushed(&x(), &table, &mut Vec::new()));
    refused("v", || product(&numbers(900), &table, &mut out(), 9));
    refused("kernel", || passed_on(&x(), &mut out(), &table));
    refused("kernel", || blur(&numbers(8), &mut numbers(8), &[]));
}

#[test]
fn distributed_ones_and_marked_ones_are_right() {
    accepted(|| {
        let (x, kernel) = (numbers(100), DistVec::from_fn(9, |k| (k + 1) as f32));
        let mut expected = numbers(100).to_all();
        blur::sequential(&x.to_all(), &mut expected, &kernel.to_all());
        let mut out = numbers(100);
        blur(&x, &mut out, &kernel);
        assert_eq!(out.to_all(), expected);
        let mut out = numbers(100);
        blur_marked(&x, &mut out, &kernel.to_all());
        assert_eq!(out.to_all(), expected);
        product(&numbers(900), &numbers(9), &mut numbers(100), 9);
    });
}

#[foreach]
fn neighbours(x: &[f32], out: &mut [f32]) {
    for i in 1..x.len() - 1 {
        out[i] = x[i - 1] + x[i + 1] - x[0];
    }
}

#[kary_reduce]
fn mean(x: &[f32]) -> f32 {
    let n = x.len();
    let mut sum = 0.0;
    for v in x {
        sum += v;
    }
    sum / n as f32 + x[0] - x[n - 1]
}

#[foreach]
fn forces(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        for j in 0..x.len() {
            out[i] += x[j] - x[i];
        }
    }
}

#[foreach]
fn turned(x: &[f32], out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = x[x.len() - 1 - i];
    }
}

#[foreach]
fn looked_up(#[gather] x: &[f32], at: &[usize], out: &mut [f32]) {
    for i in 0..at.len() {
        out[i] = x[at[i]];
    }
}

#[foreach]
fn share_of_whole(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = i as f32 / x.len() as f32;
    }
}

#[test]
fn shares_are_plain_slices() {
    accepted(|| {
        let mine = vec![1.0_f32 + forall::rank() as f32; 10 + forall::rank()];
        let mut out = mine.clone();
        neighbours(&mine, &mut out);
        mean(&mine);
        forces(&mine, &mut out);
        turned(&mine, &mut out);
        looked_up(&mine, &vec![3; mine.len()], &mut out);
        share_of_whole(&mine, &mut out);
        let n = DistVec::from_local(mine.clone()).len();
        share_passed_on(&vec![1.0; mine.len() * n], &mut mine.clone(), &mut out, n);
        halves(&mine, &mut out, n / 2);
    });
}

#[allow(clippy::ptr_arg)]
#[kary_reduce]
fn weighed(
    x: &[f32],
    #[replicated] weights: &[f32],
    table: &[f32; 3],
    text: &str,
    range: (usize, f64),
    name: &String,
    list: Vec<(u8, f32)>,
    factor: f64,
) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += f64::from(x[i] * weights[i % 3] * table[i % 3]) * factor * range.1;
    }
    sum + (text.len() + name.len() + list.len() + range.0) as f64
}

/// The message of a call under `FORALL_VERIFY` if rank 1 passes another value for the parameter of this number.
fn with_another(parameter: usize, ranks: usize) -> String {
    let settings = forall::Settings { verify: true, ..forall::Settings::default() };
    let run = || {
        forall::Runtime::builder().settings(settings.clone()).ranks(ranks).run(|| {
            let other = |number: usize| forall::rank() == 1 && number == parameter;
            let x = numbers(30);
            weighed(
                &x,
                &[1.0, 2.0, if other(0) { -0.0 } else { 0.0 }],
                &[1.0, if other(1) { 2.5 } else { 2.0 }, 3.0],
                if other(2) { "ab" } else { "ba" },
                if other(3) { (3, 1.0) } else { (2, 1.0) },
                &(if other(4) { "x" } else { "y" }).to_owned(),
                if other(5) { vec![(1, 2.0)] } else { vec![(2, 2.0)] },
                if other(6) { 1.000_000_1 } else { 1.0 },
            );
        });
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(()) => String::new(),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

#[test]
fn verify_compares_what_ranks_pass_for_replicated_parameters_and_scalars() {
    for ranks in [1, 2, 3] {
        assert_eq!(with_another(9, ranks), "");
    }
    for (number, name) in ["weights", "table", "text", "range", "name", "list", "factor"].into_iter().enumerate() {
        for ranks in [2, 3] {
            let said = with_another(number, ranks);
            let differs = said.contains("rank 0") && said.contains("rank 1");
            assert!(
                said.contains(&format!("`{name}`")) && differs && said.contains("`weighed` (call 1)"),
                "{name}: {said}"
            );
        }
    }
}
