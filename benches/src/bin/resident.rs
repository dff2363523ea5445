//! Times loops whose data stay on the GPU, beside a copy from one place in its memory to another, which is the most that
//! loops can reach.
//!
//! Usage: `resident [LOG2_N] [REPS] [ONLY]`; `FORALL_GPU` picks the GPU, `ONLY` is part of the names to run. The rows are those of the other drivers;
//! GB/s counts each element that is read or written once. Each time is that of some calls in a row until the device is done with all of them, for one
//! of them. The elements that `copy_if` keeps come to the host, as the loop has them in a `Vec`.

use forall::{Backend, DistVec, Settings, distributed_scan, foreach, foreach_tls, kary_reduce};
use forall_benches::argmax;
use forall_gpu::{Choice, Gpu};
use primitives::{inclusive_scan_f32, reduce_f32};
use std::process::ExitCode;
use std::time::Instant;
use wgpu::{BufferDescriptor, BufferUsages, CommandEncoderDescriptor, PollType};

#[foreach]
fn copy_u32(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = x[i];
    }
}

#[foreach]
fn transform_u32(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = x[i].wrapping_mul(2).wrapping_add(1);
    }
}

#[foreach]
fn transform_f32(x: &[f32], out: &mut [f32]) {
    for i in 0..x.len() {
        out[i] = 2.0 * x[i] + 1.0;
    }
}

#[kary_reduce]
fn reduce_u32(x: &[u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

#[distributed_scan]
fn inclusive_scan_u32(x: &[u32], out: &mut [u32]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

#[foreach_tls]
fn copy_if_u32(x: &[u32], out: &mut Vec<u32>) {
    for i in 0..x.len() {
        if x[i] > 2 {
            out.push(x[i]);
        }
    }
}

/// Calls in a row.
const CALLS: usize = 8;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize, most: usize| match arguments.next() {
        None => Some(default),
        Some(text) => text.parse().ok().filter(|number| (1..=most).contains(number)),
    };
    let (Some(log), Some(reps)) = (number(28, 31), number(15, 100_000)) else {
        eprintln!("usage: resident [LOG2_N] [REPS] [ONLY], the first two whole numbers from 1 on");
        return ExitCode::from(2);
    };
    let only = arguments.next().unwrap_or_default();
    let settings = match Settings::from_env() {
        Ok(settings) => Settings { backend: Backend::Gpu, require_gpu: true, ..settings },
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let choice = settings.gpu.as_deref().map_or(Choice::LocalRank(0), Choice::parse);
    let gpu = match Gpu::open(Box::new(forall_core::node::Serial), &choice) {
        Ok(gpu) => gpu,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("# {gpu:?}, n = 2^{log}, medians of {reps}");
    let bench = Bench { n: 1 << log, reps, only };
    bench.device_copy(&gpu);
    drop(gpu);
    forall::run(settings, || bench.loops());
    ExitCode::SUCCESS
}

struct Bench {
    n: usize,
    reps: usize,
    only: String,
}

impl Bench {
    /// Times some calls, which `wait` waits for, and prints a row.
    fn time(&self, way: &str, name: &str, bytes: usize, call: impl FnMut(), wait: impl FnMut()) {
        self.row(way, name, bytes, call, wait, || ());
    }

    /// The same for the host's part alone, of loops that nobody has to wait for.
    fn without_wait(&self, name: &str, bytes: usize, call: impl FnMut(), wait: impl FnMut()) {
        self.row("forall", name, bytes, call, || (), wait);
    }

    fn row(
        &self,
        way: &str,
        name: &str,
        bytes: usize,
        mut call: impl FnMut(),
        mut wait: impl FnMut(),
        mut after: impl FnMut(),
    ) {
        if !name.contains(&self.only) {
            return;
        }
        // Once to make the shaders, and once more until all is where it stays.
        for _ in 0..2 {
            call();
            wait();
            after();
        }
        let mut seconds: Vec<f64> = (0..self.reps)
            .map(|_| {
                let start = Instant::now();
                (0..CALLS).for_each(|_| call());
                wait();
                let spent = start.elapsed().as_secs_f64() / CALLS as f64;
                after();
                spent
            })
            .collect();
        seconds.sort_by(f64::total_cmp);
        let [median, min, max] = [seconds[seconds.len() / 2], seconds[0], seconds[seconds.len() - 1]];
        println!(
            "{way},{name},{},med_ms={:.4},min_ms={:.4},max_ms={:.4},Melem/s={:.0},GB/s={:.1}",
            self.n,
            median * 1e3,
            min * 1e3,
            max * 1e3,
            self.n as f64 / median / 1e6,
            (bytes * self.n) as f64 / median / 1e9
        );
    }

    /// From one place in the memory of the device to another.
    fn device_copy(&self, gpu: &Gpu) {
        let (device, queue) = gpu.raw();
        let size = 4 * self.n as u64;
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer = || device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        let (from, to) = (buffer(), buffer());
        let copy = || {
            let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&from, 0, &to, 0, size);
            queue.submit([encoder.finish()]);
        };
        self.time("device", "copy", 8, copy, || {
            device.poll(PollType::wait_indefinitely()).expect("the device is there");
        });
    }

    fn loops(&self) {
        let n = self.n;
        // A loop that gives a number waits for all before it.
        let one = DistVec::from_fn(1, |_| 1_u32);
        let wait = || assert_eq!(reduce_u32(&one), 1);
        {
            let x = DistVec::from_fn(n, |i| (i % 7) as u32);
            let mut out = DistVec::zeroed_like(&x);
            self.time("forall", "copy_u32", 8, || copy_u32(&x, &mut out), wait);
            self.time("forall", "transform_u32(2x+1)", 8, || transform_u32(&x, &mut out), wait);
            self.time("forall", "inclusive_scan_u32", 8, || inclusive_scan_u32(&x, &mut out), wait);
            let sum = (0..n).fold(0_u32, |sum, i| sum.wrapping_add((i % 7) as u32));
            self.time("forall", "reduce_u32", 4, || assert_eq!(reduce_u32(&x), sum), || ());
            let mut kept = Vec::with_capacity(n);
            let copy_if = || {
                kept.clear();
                copy_if_u32(&x, &mut kept);
            };
            self.time("forall", "copy_if_u32(x>2)", 4, copy_if, || ());
        }
        {
            let x = DistVec::from_fn(n, |i| (i % 7) as f32);
            let mut out = DistVec::zeroed_like(&x);
            self.time("forall", "transform_f32(2x+1)", 8, || transform_f32(&x, &mut out), wait);
            self.time("forall", "inclusive_scan_f32", 8, || inclusive_scan_f32(&x, &mut out), wait);
            self.time("forall", "reduce_f32", 4, || assert!(reduce_f32(&x) > 0.0), || ());
            self.time("forall", "argmax_f32", 4, || assert_eq!(argmax(&x).1, 6.min(n - 1)), || ());
        }
        let few = Bench { n: 1000, reps: self.reps.max(100), only: self.only.clone() };
        let x = DistVec::from_fn(few.n, |i| i as u32);
        let mut out = DistVec::zeroed_like(&x);
        println!("# what a call costs: of few elements, that stay there");
        few.time("forall", "call: transform_u32", 8, || transform_u32(&x, &mut out), wait);
        few.without_wait("call, until the host goes on: transform_u32", 8, || transform_u32(&x, &mut out), wait);
        few.time("forall", "call: inclusive_scan_u32", 8, || inclusive_scan_u32(&x, &mut out), wait);
        few.time("forall", "call: reduce_u32", 4, || assert_eq!(reduce_u32(&x), 499_500), || ());
    }
}
