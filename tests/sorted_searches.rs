//! Searches in sorted vectors, on several ranks and cuts, against the results of std.

use forall::{DistVec, foreach_tls};

/// Numbers that look random.
fn made(n: usize, seed: u64, below: u64) -> Vec<u64> {
    let mut state = seed;
    let number = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..n).map(number).collect()
}

fn sorted(n: usize, seed: u64, below: u64) -> Vec<u64> {
    let mut made = made(n, seed, below);
    made.sort_unstable();
    made
}

/// How a vector is cut.
#[derive(Debug, Clone, Copy)]
enum Shares {
    /// Each rank has as much as the others.
    Even,
    /// The last rank has all.
    Last,
    /// Ranks with odd numbers have nothing, the first one half of all, and each other one half of what is left.
    Skewed,
}

const SHARES: [Shares; 3] = [Shares::Even, Shares::Last, Shares::Skewed];

/// The same vector, cut in this way.
fn cut<T: forall::Element>(whole: &[T], how: Shares) -> DistVec<T> {
    let (rank, ranks) = (forall::rank(), forall::ranks());
    let own = match how {
        Shares::Even => return DistVec::from_global(whole),
        Shares::Last if rank + 1 == ranks => whole,
        Shares::Last => &[],
        Shares::Skewed if rank % 2 == 1 => &[],
        Shares::Skewed => {
            let before = (0..rank / 2).fold(0, |before, _| before + (whole.len() - before).div_ceil(2));
            let is_last = rank + 2 >= ranks;
            let end = if is_last { whole.len() } else { before + (whole.len() - before).div_ceil(2) };
            &whole[before..end]
        }
    };
    DistVec::from_local(own.to_vec())
}

/// Few, such as there are ranks and one less or more, and many.
const SIZES: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 8, 1000, 65_537];

/// Sizes, and below what numbers are: all are equal, some, or few.
fn cases() -> impl Iterator<Item = (usize, u64)> {
    let below = |n| if n > 1000 { &[5000][..] } else { &[1, 50, 1 << 30] };
    SIZES.into_iter().flat_map(move |n| below(n).iter().map(move |below| (n, *below)))
}

fn on_all(check: impl Fn() + Sync) {
    for ranks in [1, 2, 3, 4, 7] {
        forall::Runtime::builder().ranks(ranks).threads(1 + ranks % 2).run(&check);
    }
}

#[test]
fn bounds_are_those_of_partition_point() {
    for (n, below) in cases() {
        let (x, values) = (sorted(n, 1, below), made(n / 2 + 1, 2, below + 1));
        let lower: Vec<usize> = values.iter().map(|v| x.partition_point(|e| e < v)).collect();
        let upper: Vec<usize> = values.iter().map(|v| x.partition_point(|e| e <= v)).collect();
        on_all(|| {
            for how in SHARES {
                let other = if matches!(how, Shares::Even) { Shares::Last } else { Shares::Even };
                let (shares, asked) = (cut(&x, how), cut(&values, other));
                assert!(shares.lower_bound(&asked).to_all() == lower, "{n} below {below}, {how:?}");
                assert!(shares.upper_bound(&asked).to_all() == upper, "{n} below {below}, {how:?}");
            }
        });
    }
}

/// How often each value is in a sorted slice, at least or at most.
fn sets(x: &[u64], y: &[u64], times: fn(usize, usize) -> usize) -> Vec<u64> {
    let mut all: Vec<u64> = x.iter().chain(y).copied().collect();
    all.sort_unstable();
    all.dedup();
    let count = |of: &[u64], v: u64| of.partition_point(|e| *e <= v) - of.partition_point(|e| *e < v);
    all.into_iter().flat_map(|v| std::iter::repeat_n(v, times(count(x, v), count(y, v)))).collect()
}

#[test]
fn sets_are_those_of_multisets() {
    for (n, below) in cases() {
        let (x, y) = (sorted(n, 3, below), sorted(n / 2 + 1, 4, below));
        let [both, common, less, all, apart] =
            [|a, b| a + b, usize::min, usize::saturating_sub, usize::max, usize::abs_diff]
                .map(|times| sets(&x, &y, times));
        on_all(|| {
            let (a, b) = (cut(&x, Shares::Skewed), cut(&y, Shares::Last));
            assert_eq!(a.merge(&b).to_all(), both);
            assert_eq!(a.intersection(&b).to_all(), common);
            assert_eq!(a.difference(&b).to_all(), less);
            assert_eq!(a.union(&b).to_all(), all);
            assert_eq!(a.symmetric_difference(&b).to_all(), apart);
        });
    }
}

/// Each element that differs from the one before it.
#[foreach_tls]
fn unique(x: &[u64], out: &mut Vec<u64>) {
    for i in 0..x.len() {
        if i == 0 || x[i] != x[i - 1] {
            out.push(x[i]);
        }
    }
}

/// First those for which something holds, then the others.
#[foreach_tls]
fn partition(x: &[u64], below: u64, out: &mut Vec<u64>) {
    for i in 0..x.len() {
        if x[i] < below {
            out.push(x[i]);
        }
    }
    for i in 0..x.len() {
        if x[i] >= below {
            out.push(x[i]);
        }
    }
}

/// The key and the sum of each run of equal keys.
#[forall::distributed_scan]
fn reduce_by_key(keys: &[u64], x: &[u64], out_keys: &mut Vec<u64>, sums: &mut Vec<u64>) {
    let mut sum = 0;
    for i in 0..keys.len() {
        if i > 0 && keys[i] != keys[i - 1] {
            sum = 0;
        }
        sum += x[i];
        if i + 1 == keys.len() || keys[i] != keys[i + 1] {
            out_keys.push(keys[i]);
            sums.push(sum);
        }
    }
}

/// Records with equal keys, which an unstable sort may leave in any order.
#[forall::distributed_sort]
fn by_key(records: &mut [[u32; 2]]) {
    records.sort_unstable_by_key(|record| record[0]);
}

/// The same of two slices.
#[forall::distributed_sort]
fn with_places(keys: &mut Vec<u32>, places: &mut Vec<u32>) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_unstable_by_key(|&i| keys[i]);
    *keys = order.iter().map(|&i| keys[i]).collect();
    *places = order.iter().map(|&i| places[i]).collect();
}

/// The number of indices has a name, and the slice that has them is only compared.
#[forall::distributed_sort]
fn by_remainders(keys: &[u32], places: &mut Vec<u32>) {
    let n = keys.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| (keys[a] % 7).cmp(&(keys[b] % 7)));
    *places = order.iter().map(|&i| places[i]).collect();
}

#[test]
fn the_length_of_a_slice_may_have_a_name() {
    on_all(|| {
        for n in SIZES {
            let keys: Vec<u32> = made(n, 10, 1000).iter().map(|key| *key as u32).collect();
            let mut expected: Vec<u32> = (0..n as u32).collect();
            by_remainders::sequential(&keys, &mut expected);
            for how in SHARES {
                let mut places = cut(&(0..n as u32).collect::<Vec<_>>(), Shares::Skewed);
                by_remainders(&cut(&keys, how), &mut places);
                assert!(places.to_all() == expected, "{n}, {how:?}");
            }
        }
    });
}

#[test]
fn the_twin_of_an_unstable_sort_is_stable() {
    let settings = forall::Settings { verify: true, ..forall::Settings::default() };
    for ranks in [1, 3] {
        forall::Runtime::builder().settings(settings.clone()).ranks(ranks).threads(2).run(|| {
            let keys: Vec<u32> = made(5000, 7, 9).iter().map(|key| *key as u32).collect();
            let mut records = DistVec::from_fn(keys.len(), |i| [keys[i], i as u32]);
            by_key(&mut records);
            let (mut sorted, mut places) = (DistVec::from_global(&keys), DistVec::from_fn(keys.len(), |i| i as u32));
            with_places(&mut sorted, &mut places);
            let together: Vec<[u32; 2]> =
                sorted.to_all().into_iter().zip(places.to_all()).map(|(k, p)| [k, p]).collect();
            assert_eq!(records.to_all(), together);
            assert!(together.is_sorted());
        });
    }
}

#[test]
fn slices_of_different_lengths_are_not_sorted_together() {
    let sorted = std::panic::catch_unwind(|| with_places(&mut vec![2, 1], &mut vec![1]));
    let message = *sorted.expect_err("it panics").downcast::<&str>().expect("a text");
    assert_eq!(message, "the vectors that are sorted together have different lengths");
}

#[test]
fn kin_of_sorts_are_loops() {
    on_all(|| {
        for n in SIZES {
            let (keys, x) = (sorted(n, 5, 50), made(n, 6, 1000));
            let (shares, values) = (cut(&keys, Shares::Skewed), cut(&x, Shares::Skewed));
            let (mut expected, mut found) = (Vec::new(), DistVec::default());
            unique::sequential(&keys, &mut expected);
            unique(&shares, &mut found);
            assert_eq!(found.to_all(), expected);
            let (mut expected, mut found) = (Vec::new(), DistVec::default());
            partition::sequential(&x, 300, &mut expected);
            partition(&values, 300, &mut found);
            assert_eq!(found.to_all(), expected);
            let (mut expected, mut found) = ((Vec::new(), Vec::new()), (DistVec::default(), DistVec::default()));
            reduce_by_key::sequential(&keys, &x, &mut expected.0, &mut expected.1);
            reduce_by_key(&shares, &values, &mut found.0, &mut found.1);
            assert_eq!((found.0.to_all(), found.1.to_all()), expected);
        }
    });
}

/// The order of the type, which digits tell.
#[forall::distributed_sort]
fn up(x: &mut [u64]) {
    x.sort_unstable();
}

/// The same by comparing, as no digits are known.
#[forall::distributed_sort]
fn down(x: &mut [u64]) {
    x.sort_by(|a, b| b.cmp(a));
}

#[test]
fn sorts_keep_shares_and_the_order_of_equal_keys() {
    on_all(|| {
        for (n, below) in cases() {
            let x = made(n, 8, below);
            let records: Vec<[u32; 2]> = x.iter().zip(0..).map(|(key, at)| [*key as u32, at]).collect();
            let (mut expected, mut expected_records) = (x.clone(), records.clone());
            expected.sort_unstable();
            expected_records.sort_by_key(|record| record[0]);
            for how in SHARES {
                let (mut shares, mut of_records) = (cut(&x, how), cut(&records, how));
                let own = shares.local().len();
                up(&mut shares);
                by_key(&mut of_records);
                assert_eq!(shares.local().len(), own, "{how:?}");
                assert!(shares.to_all() == expected && of_records.to_all() == expected_records, "{n}, {how:?}");
                down(&mut shares);
                assert!(shares.to_all().into_iter().rev().eq(expected.iter().copied()), "{n}, {how:?}");
            }
        }
    });
}

/// Each value at its place, and how many there are at each.
#[forall::foreach]
fn scattered(x: &[u64], #[scatter] last: &mut [u64], #[scatter] count: &mut [u64]) {
    for i in 0..x.len() {
        let place = x[i] as usize % last.len();
        last[place] = i as u64;
        count[place] += 1;
    }
}

#[test]
fn what_is_scattered_is_what_the_sequential_loop_leaves() {
    on_all(|| {
        for n in SIZES {
            let (x, among) = (made(n, 9, 1 << 30), n / 2 + 1);
            let mut expected = (vec![0; among], vec![0; among]);
            scattered::sequential(&x, &mut expected.0, &mut expected.1);
            for how in SHARES {
                let shares = cut(&x, how);
                let mut found = (cut(&vec![0; among], Shares::Skewed), cut(&vec![0; among], how));
                scattered(&shares, &mut found.0, &mut found.1);
                assert!((found.0.to_all(), found.1.to_all()) == expected, "{n}, {how:?}");
            }
        }
    });
}
