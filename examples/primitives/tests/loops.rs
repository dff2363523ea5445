//! Every primitive, annotated and by hand, against a plain iterator. Under a launcher the annotated loops run on shares.

use forall::DistVec;
use primitives::*;

/// All small sizes, and some that make several chunks.
fn sizes() -> impl Iterator<Item = usize> {
    (0..=70).chain([1000, 32_768, 32_769, 100_003, 300_000])
}

fn integers(n: usize) -> Vec<i32> {
    (0..n).map(|i| (i * i % 7) as i32 - 3).collect()
}

/// Their sums are exact in any order.
fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * i % 9) as f32 * 0.25 - 1.0).collect()
}

/// Runs of 61, and in the second half a single one, which no chunk begins.
fn keys(n: usize) -> Vec<i32> {
    (0..n).map(|i| i.min(n / 2) as i32 / 61).collect()
}

/// Holds the annotated loop and the one by hand, both into an array that was something else before, against `expected`. One by hand
/// knows of no ranks: one of these runs it.
fn holds<T: forall::Element + Default + PartialEq + std::fmt::Debug>(
    expected: &[T],
    annotated: impl FnOnce(&mut DistVec<T>),
    by_hand: impl FnOnce(&mut [T]),
) {
    let n = expected.len();
    let mut out = DistVec::from_global(&vec![T::default(); n]);
    annotated(&mut out);
    assert_eq!(out.to_all(), expected, "annotated, of {n}");
    if forall::rank() > 0 {
        return;
    }
    let mut out = vec![T::default(); n];
    by_hand(&mut out);
    assert_eq!(out, expected, "by hand, of {n}");
}

#[forall::test]
fn maps() {
    for n in sizes() {
        let x = integers(n);
        let shares = DistVec::from_global(&x);
        holds(&x, |out| copy_i32(&shares, out), |out| by_hand::copy_i32(&x, out));
        let expected: Vec<i32> = x.iter().map(|x| 2 * x + 1).collect();
        holds(&expected, |out| transform_i32(&shares, out), |out| by_hand::transform_i32(&x, out));
    }
}

#[forall::test]
fn reductions() {
    for n in sizes() {
        let (x, y) = (integers(n), floats(n));
        let sum = x.iter().sum::<i32>();
        assert_eq!((reduce_i32(&DistVec::from_global(&x)), by_hand::reduce_i32(&x)), (sum, sum));
        let sum = y.iter().sum::<f32>();
        assert_eq!((reduce_f32(&DistVec::from_global(&y)), by_hand::reduce_f32(&y)), (sum, sum));
    }
}

#[forall::test]
fn pushes() {
    for n in sizes() {
        let x = integers(n);
        let mut expected = vec![-7];
        expected.extend(x.iter().filter(|x| **x > 0));
        let mut out = DistVec::from_global(&[-7]);
        copy_if_i32(&DistVec::from_global(&x), &mut out);
        assert_eq!(out.to_all(), expected);
        let mut out = vec![-7];
        by_hand::copy_if_i32(&x, &mut out);
        assert_eq!(out, expected);
    }
}

#[forall::test]
fn scans() {
    for n in sizes() {
        let x = integers(n);
        let shares = DistVec::from_global(&x);
        let mut sum = 0;
        let mut next = |x: &i32| {
            sum += x;
            sum
        };
        let with: Vec<i32> = x.iter().map(&mut next).collect();
        let before: Vec<i32> = with.iter().zip(&x).map(|(with, x)| with - x).collect();
        holds(&with, |out| inclusive_scan_i32(&shares, out), |out| by_hand::inclusive_scan_i32(&x, out));
        holds(&before, |out| exclusive_scan_i32(&shares, out), |out| by_hand::exclusive_scan_i32(&x, out));
        holds(
            &with,
            |out| {
                copy_i32(&shares, &mut *out);
                inplace_inclusive_scan_i32(out);
            },
            |out| {
                out.copy_from_slice(&x);
                by_hand::inplace_inclusive_scan_i32(out);
            },
        );
        let y = floats(n);
        let shares = DistVec::from_global(&y);
        let with: Vec<f32> = y
            .iter()
            .scan(0.0, |sum, y| {
                *sum += y;
                Some(*sum)
            })
            .collect();
        holds(&with, |out| inclusive_scan_f32(&shares, out), |out| by_hand::inclusive_scan_f32(&y, out));
    }
}

#[forall::test]
fn scans_by_key() {
    for n in sizes() {
        let (keys, x) = (keys(n), integers(n));
        let (shared_keys, shares) = (DistVec::from_global(&keys), DistVec::from_global(&x));
        let (mut before, mut with) = (Vec::new(), Vec::new());
        for run in keys.chunk_by(|a, b| a == b) {
            let mut sum = 0;
            for x in &x[with.len()..][..run.len()] {
                before.push(sum);
                sum += x;
                with.push(sum);
            }
        }
        holds(
            &with,
            |out| inclusive_scan_by_key_i32(&shared_keys, &shares, out),
            |out| by_hand::inclusive_scan_by_key_i32(&keys, &x, out),
        );
        holds(
            &before,
            |out| exclusive_scan_by_key_i32(&shared_keys, &shares, out),
            |out| by_hand::exclusive_scan_by_key_i32(&keys, &x, out),
        );
    }
}

/// Numbers of many lengths.
fn words(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_769) >> (i % 20)).collect()
}

#[forall::test]
fn sorts() {
    for n in sizes() {
        let (x, places) = (words(n), (0..n as u32).collect::<Vec<_>>());
        let holds = |expected: &[u32], annotated: fn(&mut DistVec<u32>), by_hand: fn(&mut [u32])| {
            let (mut shares, mut whole) = (DistVec::from_global(&x), x.clone());
            annotated(&mut shares);
            assert!(shares.to_all() == expected, "annotated, of {n}");
            if forall::rank() == 0 {
                by_hand(&mut whole);
                assert!(whole == expected, "by hand, of {n}");
            }
        };
        let mut expected = x.clone();
        expected.sort_unstable();
        holds(&expected, sort_u32, by_hand::sort_u32);
        let bounds: Vec<usize> = x.iter().map(|v| expected.partition_point(|e| e < v)).collect();
        assert_eq!(DistVec::from_global(&expected).lower_bound(&DistVec::from_global(&x)).to_all(), bounds);
        assert!(forall::rank() > 0 || by_hand::lower_bound_u32(&expected, &x) == bounds, "by hand, of {n}");
        expected.reverse();
        holds(&expected, stable_sort_u32_greater, by_hand::stable_sort_u32_greater);

        let records: Vec<Record> =
            x.iter().zip(&places).map(|(&key, &place)| Record { key, rest: [place; 24] }).collect();
        let mut expected = records.clone();
        expected.sort_by_key(|record| record.key);
        let (mut shares, mut whole) = (DistVec::from_global(&records), records);
        sort_by_key_records(&mut shares);
        assert!(shares.to_all() == expected, "annotated, of {n}");
        if forall::rank() == 0 {
            by_hand::sort_by_key_records(&mut whole);
            assert!(whole == expected, "by hand, of {n}");
        }

        let mut pairs: Vec<(u32, u32)> = x.iter().copied().zip(places.iter().copied()).collect();
        pairs.sort_by_key(|(key, _)| *key);
        let expected: (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let (mut keys, mut values) = (DistVec::from_global(&x), DistVec::from_global(&places));
        sort_by_key_u32_u32(&mut keys, &mut values);
        assert_eq!((keys.to_all(), values.to_all()), expected, "of {n}");
        if forall::rank() == 0 {
            let (mut keys, mut values) = (x, places);
            by_hand::sort_by_key_u32_u32(&mut keys, &mut values);
            assert_eq!((keys, values), expected, "by hand, of {n}");
        }
    }
}

#[forall::test]
fn gathers_scatters_and_runs() {
    for n in sizes() {
        let (x, keys) = (integers(n), keys(n));
        let places: Vec<i32> = (0..n).map(|i| (i * 7919 % n) as i32).collect();
        let expected: Vec<i32> = places.iter().map(|place| x[*place as usize]).collect();
        let (shares, asked) = (DistVec::from_global(&x), DistVec::from_global(&places));
        holds(&expected, |out| gather_i32(&asked, &shares, out), |out| by_hand::gather_i32(&places, &x, out));
        let mut expected = vec![0; n];
        places.iter().zip(&x).for_each(|(place, x)| expected[*place as usize] = *x);
        holds(&expected, |out| scatter_i32(&asked, &shares, out), |out| by_hand::scatter_i32(&places, &x, out));

        let run = |run: &[(i32, i32)]| [run[0].0, run.iter().map(|(_, x)| x).sum()];
        let rows: Vec<(i32, i32)> = keys.iter().copied().zip(x.iter().copied()).collect();
        let expected: Vec<[i32; 2]> = rows.chunk_by(|a, b| a.0 == b.0).map(run).collect();
        let (mut found, mut by_hand) = (DistVec::default(), Vec::new());
        reduce_by_key_i32(&DistVec::from_global(&keys), &shares, &mut found);
        by_hand::reduce_by_key_i32(&keys, &x, &mut by_hand);
        assert!(found.to_all() == expected && by_hand == expected, "of {n}");
    }
}
