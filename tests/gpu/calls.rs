//! Behaviour of the GPU beside the corpus: it panics as Rust does, reports unsupported loops, and keeps shares.
//!
//! Without any graphics processor these tests are left out, with a line that says so; `FORALL_REQUIRE_GPU=1` makes that a
//! failure.

use forall::{Backend, DistVec, Runtime, Settings, distributed_scan, foreach, foreach_tls, kary_reduce};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn settings() -> Settings {
    Settings { backend: Backend::Gpu, gpu: Settings::from_env().unwrap().gpu, ..Settings::default() }
}

/// Runs on so many ranks; `None` where there is no graphics processor.
fn on_gpu<R: Send>(settings: Settings, ranks: usize, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    let there = Runtime::builder().settings(Settings { require_gpu: false, ..settings.clone() });
    if let Err(missing) = catch_unwind(|| there.run(forall::rank)) {
        assert!(!Settings::from_env().unwrap().require_gpu, "{}", message(&*missing));
        eprintln!("SKIPPED: {}", message(&*missing));
        return None;
    }
    Some(Runtime::builder().settings(settings).ranks(ranks).run(program))
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}

/// The panic of a call on the GPU, and the panic of the loop as written.
fn panics_alike(annotated: impl Fn() + Sync, sequential: impl Fn()) {
    let expected = message(&*catch_unwind(AssertUnwindSafe(sequential)).expect_err("the plain loop panics"));
    let found = catch_unwind(AssertUnwindSafe(|| on_gpu(settings(), 1, annotated).is_some()));
    match found {
        Ok(ran) => assert!(!ran, "the annotated loop did not panic"),
        Err(panic) => assert_eq!(message(&*panic), expected),
    }
}

#[foreach]
fn picked(x: &[f32], #[replicated] at: &[u32], out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = x[i] + at[at[i] as usize] as f32;
    }
}

#[foreach]
fn divided(x: &[i32], y: &[i32], out: &mut [i32]) {
    for i in 0..x.len() {
        out[i] = x[i] / y[i];
    }
}

#[test]
fn panics_are_those_of_rust() {
    let (x, at) = (vec![1.0; 10], vec![0, 1, 2, 3, 99, 98, 0, 0, 0, 0]);
    panics_alike(|| picked(&x, &at, &mut vec![0.0; 10]), || picked::sequential(&x, &at, &mut [0.0; 10]));
    let (x, y) = (vec![7, 8, 9, i32::MIN], vec![1, 2, 3, -1]);
    panics_alike(|| divided(&x, &y, &mut vec![0; 4]), || divided::sequential(&x, &y, &mut [0; 4]));
    let (x, y) = (vec![7, 8, 9], vec![1, 0, 3]);
    panics_alike(|| divided(&x, &y, &mut vec![0; 3]), || divided::sequential(&x, &y, &mut [0; 3]));
}

/// Something that no device has.
#[foreach]
fn letters(x: &[u32], out: &mut [u32]) {
    for i in 0..x.len() {
        out[i] = x[i].to_string().len() as u32;
    }
}

#[test]
fn loops_that_cannot_run_there_run_on_threads() {
    assert!(letters::WGSL.starts_with("// Loop 1 is not translated:"), "{}", letters::WGSL);
    assert!(letters::EXPLAIN.contains("gpu: no, "), "{}", letters::EXPLAIN);
    let x: Vec<u32> = (0..1000).map(|i| i * i).collect();
    let mut expected = vec![0; 1000];
    letters::sequential(&x, &mut expected);
    let run = || {
        let mut out = vec![0; 1000];
        letters(&x, &mut out);
        out
    };
    let Some(found) = on_gpu(settings(), 1, run) else { return };
    assert_eq!(found, [expected.clone()]);
    let required = Settings { require_gpu: true, ..settings() };
    let refused = catch_unwind(AssertUnwindSafe(|| on_gpu(required.clone(), 1, run))).expect_err("it cannot run there");
    assert!(message(&*refused).starts_with("`letters` cannot run on the GPU: "), "{}", message(&*refused));
    // Where the choice is left to the runtime, only a machine without a GPU is an error.
    let free = Settings { backend: Backend::Auto, ..required };
    assert_eq!(on_gpu(free, 1, run), Some(vec![expected]));
}

#[foreach]
fn step(x: &[f32], out: &mut [f32]) {
    for i in 1..x.len() - 1 {
        out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
    }
}

#[distributed_scan]
fn totals(x: &[u32], out: &mut [u32]) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
    sum
}

#[foreach_tls]
fn odd(x: &[u32], out: &mut Vec<u32>) {
    for &e in x {
        if e % 2 == 1 {
            out.push(e);
        }
    }
}

#[kary_reduce]
fn most(x: &[u32]) -> (u32, usize) {
    let (mut best, mut place) = (0, 0);
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            place = i;
        }
    }
    (best, place)
}

/// One loop after the other, with the host looking at and changing shares in between.
#[test]
fn shares_that_stay_there_are_the_same() {
    for ranks in [1, 2, 3] {
        let n = 10_007;
        let required = Settings { require_gpu: true, ..settings() };
        let ran = on_gpu(required, ranks, || {
            let mut x = DistVec::from_fn(n, |i| (i % 17) as f32);
            let mut y = x.clone();
            let mut plain: Vec<f32> = x.to_all();
            let mut other = plain.clone();
            for turn in 0..6 {
                step(&x, &mut y);
                step(&y, &mut x);
                step::sequential(&plain, &mut other);
                step::sequential(&other, &mut plain);
                if turn == 2 {
                    let offset = x.offset();
                    x.local_mut().iter_mut().enumerate().for_each(|(i, e)| *e += (offset + i) as f32);
                    plain.iter_mut().enumerate().for_each(|(i, e)| *e += i as f32);
                }
            }
            // A device may put a product and a sum together.
            let far = x.to_all().iter().zip(&plain).position(|(a, b)| (a - b).abs() > 1e-5 * b.abs().max(1.0));
            assert_eq!(far, None);

            let numbers = DistVec::from_fn(n, |i| (i as u32).wrapping_mul(2_654_435_761) % 1000);
            let all = numbers.to_all();
            let mut sums = DistVec::zeroed(n);
            let mut expected = vec![0; n];
            assert_eq!(totals(&numbers, &mut sums), totals::sequential(&all, &mut expected));
            assert_eq!(sums.to_all(), expected);
            assert_eq!(most(&sums), most::sequential(&expected));
            let (mut kept, mut kept_plain) = (DistVec::default(), Vec::new());
            odd(&sums, &mut kept);
            odd::sequential(&expected, &mut kept_plain);
            assert_eq!(kept.to_all(), kept_plain);
        });
        if ran.is_none() {
            return;
        }
    }
}

/// A launch that a device cannot do, or that panics, once the ranks know each other's totals.
#[distributed_scan]
fn late(x: &[u32], out: &mut [u32], limit: u32) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        let wide = sum as usize * 1_000_000_000;
        out[i] = (wide / 1000 % 1000) as u32 + (limit - sum);
    }
}

/// The same of a level above the first: the totals of `far` need what the device has no room for.
#[distributed_scan]
fn late_level(x: &[u32], out: &mut [u64]) {
    let (mut sum, mut far) = (0_u32, 0_u64);
    for i in 0..x.len() {
        sum += x[i];
        far += (sum as usize * 1_000_000_000 / 1000) as u64;
        out[i] = far;
    }
}

#[test]
fn a_scan_that_fails_late_runs_again_on_the_workers() {
    let x: Vec<u32> = (0..300).map(|i| i % 7).collect();
    let (mut sums, mut fars) = (vec![0; 300], vec![0; 300]);
    late::sequential(&x, &mut sums, 1000);
    late_level::sequential(&x, &mut fars);
    for ranks in 1..=3 {
        let run = || {
            let (x, mut sums) = (DistVec::from_global(&x), DistVec::zeroed(300));
            let mut fars = DistVec::zeroed(300);
            late(&x, &mut sums, 1000);
            late_level(&x, &mut fars);
            (sums.to_all(), fars.to_all())
        };
        let Some(found) = on_gpu(settings(), ranks, run) else { return };
        assert!(found.iter().all(|found| (&found.0, &found.1) == (&sums, &fars)), "{ranks} ranks");
        let panics = || on_gpu(settings(), ranks, || late(&DistVec::from_global(&x), &mut DistVec::zeroed(300), 800));
        let panic = catch_unwind(AssertUnwindSafe(panics)).expect_err("a sum is above the limit");
        assert_eq!(message(&*panic), "attempt to subtract with overflow", "{ranks} ranks");
    }
}

/// A range without an end along with elements: std pulls a number more than there are elements.
#[foreach]
fn numbered(x: &[u32], out: &mut [u32]) {
    for (k, (o, v)) in (0u8..).zip(out.iter_mut().zip(x)) {
        *o = v + k as u32;
    }
}

/// The same inside of an iteration.
#[foreach]
fn numbered_inside(x: &[u32], out: &mut [u32], n: usize) {
    for i in 0..out.len() {
        let mut sum = 0;
        for (k, v) in (0u8..).zip(&x[..n]) {
            sum += v * k as u32;
        }
        out[i] = sum;
    }
}

#[test]
fn a_range_without_an_end_overflows_where_stds_does() {
    for n in [0, 1, 254, 255, 256, 613] {
        let x: Vec<u32> = (0..n).map(|i| i as u32 % 7).collect();
        let (mut numbers, mut sums) = (vec![0; n], vec![0; 3]);
        let fits = n < 255;
        if fits {
            numbered::sequential(&x, &mut numbers);
            numbered_inside::sequential(&x, &mut sums, n);
        }
        let found = catch_unwind(|| {
            on_gpu(settings(), 1, || {
                let mut found = vec![0; n];
                numbered(&x, &mut found);
                found
            })
        });
        let inside = catch_unwind(|| {
            on_gpu(settings(), 1, || {
                let mut found = vec![0; 3];
                numbered_inside(&x, &mut found, n);
                found
            })
        });
        for (what, found, expected) in [("header", found, &numbers), ("inside", inside, &sums)] {
            match found {
                Ok(None) => return,
                Ok(Some(found)) => assert!(fits && found == [expected.clone()], "{what}, {n} elements"),
                Err(panic) => {
                    assert!(!fits, "{what}, {n} elements");
                    assert_eq!(message(&*panic), "attempt to add with overflow", "{what}, {n} elements");
                }
            }
        }
    }
}

/// With the choice left to the runtime, results are the same whoever runs what.
#[test]
fn the_choice_makes_no_difference() {
    let free = Settings { backend: Backend::Auto, gpu: Some("0".to_owned()), ..Settings::default() };
    let n = 300_001;
    on_gpu(free, 1, || {
        let x = DistVec::from_fn(n, |i| i as u32 % 1000);
        let (mut sums, mut expected) = (DistVec::zeroed(n), vec![0; n]);
        totals::sequential(&x.to_all(), &mut expected);
        for _ in 0..4 {
            totals(&x, &mut sums);
            assert_eq!(sums.to_all(), expected);
        }
    });
}

mod calendar {
    /// As the other crate calls another one.
    #[forall::device]
    pub fn month(day: u32) -> u32 {
        day / 31
    }

    /// Both.
    #[forall::device]
    pub fn months(day: u32) -> u32 {
        100 * month(day) + forall_corpus::device::month(day)
    }
}

#[foreach]
fn months(out: &mut [u32]) {
    for i in 0..out.len() {
        let day = (i % 365) as u32;
        let both: u32 = calendar::months(day);
        out[i] = both + 10_000 * forall_corpus::device::month(day);
    }
}

#[test]
fn functions_of_other_crates() {
    let settings = Settings { require_gpu: true, ..settings() };
    let run = || {
        let mut out = vec![0; 1000];
        months(&mut out);
        out
    };
    let Some(mut found) = on_gpu(settings, 1, run) else { return };
    let mut expected = vec![0; 1000];
    months::sequential(&mut expected);
    assert_eq!(found.remove(0), expected);
    assert_eq!(expected[364], 10_000 * 11 + 100 * 11 + 11);
}
