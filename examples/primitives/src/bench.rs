//! The primitives on vectors of one size: each is held against the plain loop, and timed.

use forall::{DistVec, Element};
use forall_examples::say;
use primitives::measure::{Measured, Way, time};
use primitives::*;
use std::fmt::Debug;

/// Why a result is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    #[error("{name}: the {way} result differs from the plain loop's")]
    Differs { name: String, way: &'static str },
    #[error("{name}: the {way} result is {error:.1e} of the value off the sum of the same numbers in f64")]
    Inexact { name: String, way: &'static str, error: f64 },
}

/// All of them.
pub fn benchmarks(bench: &mut Bench<'_>) -> Result<(), Wrong> {
    integers(bench)?;
    floats(bench)?;
    by_key(bench)?;
    sorts(bench)
}

/// Numbers without a pattern: the `i`-th of a series.
fn random(series: u64, i: usize) -> u64 {
    let mut z = (i as u64 ^ (series << 56)).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn integers(bench: &mut Bench) -> Result<(), Wrong> {
    let n = bench.size.n;
    let x = DistVec::from_fn(n, |i| (random(1, i) % 7) as i32 - 3);
    let mut out = DistVec::zeroed_like(&x);
    macro_rules! map {
        ($name:expr, $f:ident) => {
            bench.map(
                $name,
                8,
                [&x],
                &mut out,
                Ways {
                    forall: |[x], out| $f(x, out),
                    plain: |[x], out| $f::sequential(x, out),
                    rayon: |[x], out| by_hand::$f(x, out),
                },
            )?
        };
    }
    map!("copy_i32", copy_i32);
    map!("inclusive_scan_i32", inclusive_scan_i32);
    map!("exclusive_scan_i32", exclusive_scan_i32);
    bench.reduce(
        "reduce_i32",
        &x,
        Sums { forall: |x| reduce_i32(x), plain: reduce_i32::sequential, rayon: by_hand::reduce_i32 },
    )?;
    map!("transform_i32(2x+1)", transform_i32);
    bench.push(
        "copy_if_i32(x>0)",
        4,
        [&x],
        Pushes {
            forall: |[x], out| copy_if_i32(x, out),
            plain: |[x], out| copy_if_i32::sequential(x, out),
            rayon: |[x], out| by_hand::copy_if_i32(x, out),
        },
    )?;
    drop(out);
    bench.change(
        "inplace_inclusive_scan_i32",
        8,
        [&x],
        Changes {
            forall: |[x]| inplace_inclusive_scan_i32(x),
            plain: |[x]| inplace_inclusive_scan_i32::sequential(x),
            rayon: |[x]| by_hand::inplace_inclusive_scan_i32(x),
        },
    )
}

fn floats(bench: &mut Bench) -> Result<(), Wrong> {
    let n = bench.size.n;
    let x = DistVec::from_fn(n, |i| (random(2, i) & 0xff_ffff) as f32 * (1.0 / 16_777_216.0));
    let mut out = DistVec::zeroed_like(&x);
    bench.map(
        "inclusive_scan_f32",
        8,
        [&x],
        &mut out,
        Ways {
            forall: |[x], out| inclusive_scan_f32(x, out),
            plain: |[x], out| inclusive_scan_f32::sequential(x, out),
            rayon: |[x], out| by_hand::inclusive_scan_f32(x, out),
        },
    )?;
    bench.reduce(
        "reduce_f32",
        &x,
        Sums { forall: |x| reduce_f32(x), plain: reduce_f32::sequential, rayon: by_hand::reduce_f32 },
    )
}

fn by_key(bench: &mut Bench) -> Result<(), Wrong> {
    let n = bench.size.n;
    // Keys count the segments, of which one begins at one element in 64.
    let heads = DistVec::from_fn(n, |i| i32::from(random(3, i).is_multiple_of(64)));
    let mut keys = DistVec::zeroed_like(&heads);
    inclusive_scan_i32(&heads, &mut keys);
    let x = DistVec::from_fn(n, |i| (i % 5) as i32);
    let mut out = heads;
    macro_rules! map {
        ($name:expr, $f:ident) => {
            bench.map(
                $name,
                12,
                [&keys, &x],
                &mut out,
                Ways {
                    forall: |[keys, x], out| $f(keys, x, out),
                    plain: |[keys, x], out| $f::sequential(keys, x, out),
                    rayon: |[keys, x], out| by_hand::$f(keys, x, out),
                },
            )?
        };
    }
    map!("exclusive_scan_by_key_i32(seg~64)", exclusive_scan_by_key_i32);
    map!("inclusive_scan_by_key_i32(seg~64)", inclusive_scan_by_key_i32);
    bench.push(
        "reduce_by_key_i32(seg~64)",
        8,
        [&keys, &x],
        Pushes {
            forall: |[keys, x], out| reduce_by_key_i32(keys, x, out),
            plain: |[keys, x], out| reduce_by_key_i32::sequential(keys, x, out),
            rayon: |[keys, x], out| by_hand::reduce_by_key_i32(keys, x, out),
        },
    )?;
    let places = DistVec::from_fn(n, |i| (random(4, i) % n as u64) as i32);
    bench.map(
        "gather_i32(random)",
        12,
        [&places, &x],
        &mut out,
        Ways {
            forall: |[places, x], out| gather_i32(places, x, out),
            plain: |[places, x], out| gather_i32::sequential(places, x, out),
            rayon: |[places, x], out| by_hand::gather_i32(places, x, out),
        },
    )?;
    bench.map(
        "scatter_i32(random)",
        12,
        [&places, &x],
        &mut out,
        Ways {
            forall: |[places, x], out| scatter_i32(places, x, out),
            plain: |[places, x], out| scatter_i32::sequential(places, x, out),
            rayon: |[places, x], out| by_hand::scatter_i32(places, x, out),
        },
    )
}

/// Half as many elements: these take longer.
fn sorts(bench: &mut Bench) -> Result<(), Wrong> {
    let n = bench.size.n.div_ceil(2);
    let x = DistVec::from_fn(n, |i| random(5, i) as u32);
    bench.change(
        "sort_u32",
        8,
        [&x],
        Changes { forall: |[x]| sort_u32(x), plain: |[x]| sort_u32::sequential(x), rayon: |[x]| by_hand::sort_u32(x) },
    )?;
    let values = DistVec::from_fn(n, |i| i as u32);
    bench.change(
        "sort_by_key_u32_u32",
        16,
        [&x, &values],
        Changes {
            forall: |[keys, values]| sort_by_key_u32_u32(keys, values),
            plain: |[keys, values]| sort_by_key_u32_u32::sequential(keys, values),
            rayon: |[keys, values]| by_hand::sort_by_key_u32_u32(keys, values),
        },
    )?;
    drop(values);
    // As many bytes as the others sort.
    let records = DistVec::from_fn(n.div_ceil(25), |i| Record { key: random(6, i) as u32, rest: [i as u32; 24] });
    bench.change(
        "sort_by_key_records(100 bytes)",
        200,
        [&records],
        Changes {
            forall: |[records]| sort_by_key_records(records),
            plain: |[records]| sort_by_key_records::sequential(records),
            rayon: |[records]| by_hand::sort_by_key_records(records),
        },
    )?;
    drop(records);
    bench.change(
        "stable_sort_u32_greater(comparison)",
        8,
        [&x],
        Changes {
            forall: |[x]| stable_sort_u32_greater(x),
            plain: |[x]| stable_sort_u32_greater::sequential(x),
            rayon: |[x]| by_hand::stable_sort_u32_greater(x),
        },
    )?;
    let mut sorted = x.clone();
    sort_u32(&mut sorted);
    bench.search("lower_bound_u32(random)", &sorted, &x)
}

/// One primitive from `K` arrays to another, three ways.
struct Ways<T: Value, const K: usize> {
    forall: fn([&DistVec<T>; K], &mut DistVec<T>),
    plain: fn([&[T]; K], &mut [T]),
    rayon: fn([&[T]; K], &mut [T]),
}

/// One reduction, three ways.
struct Sums<T: Value> {
    forall: fn(&DistVec<T>) -> T,
    plain: fn(&[T]) -> T,
    rayon: fn(&[T]) -> T,
}

/// One primitive from `K` arrays to as many elements as there happen to be, three ways.
struct Pushes<T: Value, U: Value, const K: usize> {
    forall: fn([&DistVec<T>; K], &mut Vec<U>),
    plain: fn([&[T]; K], &mut Vec<U>),
    rayon: fn([&[T]; K], &mut Vec<U>),
}

/// One primitive that changes `K` arrays, three ways.
struct Changes<T: Value, const K: usize> {
    forall: fn([&mut DistVec<T>; K]),
    plain: fn([&mut [T]; K]),
    rayon: fn([&mut [T]; K]),
}

/// The timed loop, and the results so far.
pub struct Bench<'a> {
    pub size: Size<'a>,
    pub ways: &'static [Way],
    pub rows: Vec<Measured>,
}

/// How much is timed.
#[derive(Debug, Clone, Copy)]
pub struct Size<'a> {
    /// Elements of each vector.
    pub n: usize,
    /// How often each primitive runs.
    pub reps: u32,
    /// Primitives whose names do not contain this are left out.
    pub only: &'a str,
}

impl Bench<'_> {
    fn skips(&self, name: &str) -> bool {
        !name.contains(self.size.only)
    }

    /// Times `run` and prints its rows.
    fn time(&mut self, name: &str, n: usize, bytes: usize, before: impl FnMut(), run: impl FnMut(Way)) {
        for row in time(name, n, bytes, self.size.reps, self.ways, before, run) {
            say!("{row}");
            self.rows.push(row);
        }
    }

    fn map<T: Value, const K: usize>(
        &mut self,
        name: &str,
        bytes: usize,
        x: [&DistVec<T>; K],
        out: &mut DistVec<T>,
        ways: Ways<T, K>,
    ) -> Result<(), Wrong> {
        if self.skips(name) {
            return Ok(());
        }
        let expected = on_root(x.map(DistVec::to_root), |x| {
            let mut out = vec![T::default(); x[0].len()];
            (ways.plain)(x, &mut out);
            (T::sums(x[0]), out)
        });
        let run = |way, out: &mut DistVec<T>| match way {
            Way::Forall => (ways.forall)(x, out),
            Way::Plain => (ways.plain)(x.map(DistVec::local), out.local_mut()),
            Way::Rayon => (ways.rayon)(x.map(DistVec::local), out.local_mut()),
        };
        for way in self.ways {
            out.local_mut().fill(T::default());
            run(*way, out);
            check(name, *way, out.to_root(), &expected)?;
        }
        drop(expected);
        self.time(name, out.len(), bytes, || (), |way| run(way, out));
        Ok(())
    }

    fn reduce<T: Value>(&mut self, name: &str, x: &DistVec<T>, ways: Sums<T>) -> Result<(), Wrong> {
        if self.skips(name) {
            return Ok(());
        }
        let expected = on_root([x.to_root()], |[x]| (vec![*T::sums(x).last().unwrap_or(&0.0)], vec![(ways.plain)(x)]));
        let run = |way| match way {
            Way::Forall => (ways.forall)(x),
            Way::Plain => (ways.plain)(x.local()),
            Way::Rayon => (ways.rayon)(x.local()),
        };
        for way in self.ways {
            check(name, *way, Some(vec![run(*way)]), &expected)?;
        }
        self.time(
            name,
            x.len(),
            4,
            || (),
            |way| {
                std::hint::black_box(run(way));
            },
        );
        Ok(())
    }

    fn push<T: Value, U: Value, const K: usize>(
        &mut self,
        name: &str,
        bytes: usize,
        x: [&DistVec<T>; K],
        ways: Pushes<T, U, K>,
    ) -> Result<(), Wrong> {
        if self.skips(name) {
            return Ok(());
        }
        let expected = on_root(x.map(DistVec::to_root), |x| {
            let mut out = Vec::new();
            (ways.plain)(x, &mut out);
            (Vec::new(), out)
        });
        let mut out = Vec::with_capacity(x[0].local().len());
        let run = |way, out: &mut Vec<U>| {
            out.clear();
            match way {
                Way::Forall => (ways.forall)(x, out),
                Way::Plain => (ways.plain)(x.map(DistVec::local), out),
                Way::Rayon => (ways.rayon)(x.map(DistVec::local), out),
            }
        };
        for way in self.ways {
            run(*way, &mut out);
            check(name, *way, DistVec::from_local(out.clone()).to_root(), &expected)?;
        }
        let kept = expected.map(|(_, out)| out.len());
        self.time(name, x[0].len(), bytes, || (), |way| run(way, &mut out));
        say!("# {name} kept {}", kept.unwrap_or(0));
        Ok(())
    }

    fn change<T: Value, const K: usize>(
        &mut self,
        name: &str,
        bytes: usize,
        x: [&DistVec<T>; K],
        ways: Changes<T, K>,
    ) -> Result<(), Wrong> {
        if self.skips(name) {
            return Ok(());
        }
        let expected = on_root(x.map(DistVec::to_root), |x| {
            let mut out = x.map(<[T]>::to_vec);
            (ways.plain)(out.each_mut().map(Vec::as_mut_slice));
            (Vec::new(), out.concat())
        });
        let out = std::cell::RefCell::new(x.map(Clone::clone));
        let restore = || {
            for (out, x) in out.borrow_mut().iter_mut().zip(x) {
                out.local_mut().copy_from_slice(x.local());
            }
        };
        let run = |way| {
            let mut out = out.borrow_mut();
            match way {
                Way::Forall => (ways.forall)(out.each_mut()),
                Way::Plain => (ways.plain)(out.each_mut().map(DistVec::local_mut)),
                Way::Rayon => (ways.rayon)(out.each_mut().map(DistVec::local_mut)),
            }
        };
        for way in self.ways {
            restore();
            run(*way);
            // All ranks take part in the gathering of every array, so it comes before the question who has them.
            let found: Vec<_> = out.borrow().iter().map(DistVec::to_root).collect();
            let found: Option<Vec<_>> = found.into_iter().collect();
            check(name, *way, found.map(|found| found.concat()), &expected)?;
        }
        drop(expected);
        self.time(name, x[0].len(), bytes, restore, run);
        Ok(())
    }

    fn search(&mut self, name: &str, sorted: &DistVec<u32>, values: &DistVec<u32>) -> Result<(), Wrong> {
        if self.skips(name) {
            return Ok(());
        }
        let plain = |[x, values]: [&[u32]; 2]| -> Vec<u64> {
            values.iter().map(|value| x.partition_point(|element| element < value) as u64).collect()
        };
        let expected = on_root([sorted.to_root(), values.to_root()], |whole| (Vec::new(), plain(whole)));
        let wide = |places: &[usize]| places.iter().map(|place| *place as u64).collect();
        let found = sorted.lower_bound(values).to_root().map(|places| wide(&places));
        check(name, Way::Forall, found, &expected)?;
        let run = |way| match way {
            Way::Forall => drop(std::hint::black_box(sorted.lower_bound(values))),
            Way::Plain => drop(std::hint::black_box(plain([sorted.local(), values.local()]))),
            Way::Rayon => drop(std::hint::black_box(by_hand::lower_bound_u32(sorted.local(), values.local()))),
        };
        self.time(name, values.len(), 12, || (), run);
        Ok(())
    }
}

/// Calls `f` with whole vectors, on the rank that has them.
fn on_root<T, R, const K: usize>(x: [Option<Vec<T>>; K], f: impl FnOnce([&[T]; K]) -> R) -> Option<R> {
    let whole = x.iter().all(Option::is_some);
    whole.then(|| f(x.each_ref().map(|x| x.as_deref().unwrap_or_default())))
}

/// An element that results are made of.
trait Value: Element + Default + PartialEq + Debug {
    /// The running sums in f64, where the order of the additions makes a difference; else nothing.
    fn sums(x: &[Self]) -> Vec<f64>;
    /// In f64.
    fn wide(self) -> f64;
}

/// Elements whose sums are all exact, or none.
macro_rules! exact {
    ($($type:ty: |$value:ident| $wide:expr;)*) => {$(
        impl Value for $type {
            fn sums(_: &[$type]) -> Vec<f64> {
                Vec::new()
            }
            fn wide(self) -> f64 {
                let $value = self;
                $wide
            }
        }
    )*};
}
exact! {
    i32: |value| f64::from(value);
    u32: |value| f64::from(value);
    u64: |value| value as f64;
    [i32; 2]: |value| f64::from(value[1]);
    Record: |value| f64::from(value.key);
}

impl Value for f32 {
    fn sums(x: &[f32]) -> Vec<f64> {
        let running = x.iter().scan(0.0, |sum, x| {
            *sum += f64::from(*x);
            Some(*sum)
        });
        running.collect()
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

/// How far sums in f32 may be off, of their value. A sum of 2^24 no longer grows by numbers below 1, and a chunk has up to
/// 2^16 of these. The plain loop, which is one such chunk, may be farther off: it is what it is.
const TOLERANCE: f64 = 4e-3;

/// Compares a result with the plain loop's. Sums of floats depend on the order: they are held against those in f64.
fn check<T: Value>(
    name: &str,
    way: Way,
    found: Option<Vec<T>>,
    expected: &Option<(Vec<f64>, Vec<T>)>,
) -> Result<(), Wrong> {
    let (Some(found), Some((exact, plain))) = (found, expected) else {
        return Ok(());
    };
    if found == *plain {
        return Ok(());
    }
    if exact.len() != found.len() {
        return Err(Wrong::Differs { name: name.to_owned(), way: way.name() });
    }
    let off = |(found, exact): (&T, &f64)| (found.wide() - exact).abs() / exact.abs().max(1.0);
    let worst = |found: &[T]| found.iter().zip(exact).map(off).max_by(f64::total_cmp).unwrap_or(0.0);
    let error = worst(&found);
    if error.is_nan() || error > TOLERANCE {
        return Err(Wrong::Inexact { name: name.to_owned(), way: way.name(), error });
    }
    say!("# {name}: {} is off the sum in f64 by {error:.0e}, plain by {:.0e}", way.name(), worst(plain));
    Ok(())
}
