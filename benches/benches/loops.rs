//! Criterion benches: every loop three ways at three sizes, and what a call on 100 elements costs.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use forall_benches::{Way, cases, saxpy};
use std::hint::black_box;

/// From a cache of one core to main memory.
const SIZES: [usize; 3] = [1 << 12, 1 << 18, 1 << 24];

fn loops(criterion: &mut Criterion) {
    for n in SIZES {
        for mut case in cases(n) {
            let mut group = criterion.benchmark_group(case.name);
            group.throughput(Throughput::Bytes(case.bytes as u64));
            for way in Way::ALL {
                group.bench_function(BenchmarkId::new(way.name(), n), |bencher| bencher.iter(|| (case.run)(way)));
            }
            group.finish();
        }
    }
}

/// The difference of the two is what an annotated call costs beside its loop.
fn small_call(criterion: &mut Criterion) {
    let (x, mut y) = ([1.0f32; 100], [2.0f32; 100]);
    let mut group = criterion.benchmark_group("a call on 100 elements");
    let mut run = |name: &str, f: fn(f32, &[f32; 100], &mut [f32; 100])| {
        group.bench_function(name, |bencher| bencher.iter(|| f(black_box(1e-6), black_box(&x), black_box(&mut y))));
    };
    run("sequential", |a, x, y| saxpy::sequential(a, x, y));
    run("annotated", saxpy);
    group.finish();
}

criterion_group!(benches, loops, small_call);
criterion_main!(benches);
