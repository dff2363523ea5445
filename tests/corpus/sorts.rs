//! Sorts: by the type's order, by comparisons, by keys of many kinds.

use crate::support::*;
use forall::distributed_sort;

#[distributed_sort]
fn integers_up(x: &mut [i64]) {
    x.sort();
}

#[distributed_sort]
fn words_up(x: &mut Vec<u32>) {
    x.sort_unstable();
}

#[distributed_sort]
fn integers_down(x: &mut [i64]) {
    x.sort_by(|a, b| b.cmp(a));
}

#[distributed_sort]
fn floats_up(x: &mut [f64]) {
    x.sort_by(|a, b| a.total_cmp(b));
}

#[distributed_sort]
fn floats_by_path(x: &mut [f32]) {
    x.sort_unstable_by(f32::total_cmp);
}

#[distributed_sort]
fn floats_without_nan(x: &mut [f64]) {
    x.sort_by(|a, b| a.partial_cmp(b).unwrap());
}

/// A record with its key and where it was.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Record {
    key: i32,
    place: u32,
    rest: [f64; 4],
}

same_fields!(Record { key, place, rest });

fn records(n: usize, below: u64) -> Vec<Record> {
    let key = |bits: u64| (bits % below) as i32 - 10;
    let keys = made(n, 7, key);
    let record = |(place, key)| Record { key, place: place as u32, rest: [place as f64; 4] };
    keys.into_iter().enumerate().map(record).collect()
}

#[distributed_sort]
fn records_by_key(records: &mut [Record]) {
    records.sort_by_key(|record| record.key);
}

#[distributed_sort]
fn records_by_two_keys(records: &mut [Record]) {
    // The closure's parameter has the name of the slice.
    records.sort_by_key(|records| (records.key % 5, std::cmp::Reverse(records.place % 7)));
}

#[distributed_sort]
fn records_by_text(records: &mut [Record], prefix: &str) {
    let digits = 2;
    records.sort_by_cached_key(|record| format!("{prefix}{:0digits$}", record.key.abs()));
}

#[distributed_sort]
fn by_rank(x: &mut [u32], #[replicated] rank: &[u8]) {
    x.sort_by_key(|v| rank[*v as usize % rank.len()]);
}

#[distributed_sort]
fn of_any_type<T: Copy, K: Ord>(x: &mut [T], key: impl Fn(&T) -> K + Sync + Copy) {
    x.sort_by_key(key);
}

/// Values along with their keys.
#[distributed_sort]
fn with_values(keys: &mut [u32], values: &mut [f64]) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| keys[i]);
    keys.copy_from_slice(&order.iter().map(|&i| keys[i]).collect::<Vec<_>>());
    values.copy_from_slice(&order.iter().map(|&i| values[i]).collect::<Vec<_>>());
}

/// Vectors, by two keys; one of them stays as it is.
#[distributed_sort]
fn by_two_columns(day: &[u8], hour: &mut Vec<i16>, place: &mut Vec<usize>) {
    let mut order = (0..hour.len()).collect::<Vec<usize>>();
    order.sort_by(|&a, &b| day[b].cmp(&day[a]).then(hour[a].cmp(&hour[b])));
    *place = order.iter().map(|&i| place[i]).collect();
    *hour = order.iter().map(|&i| hour[i]).collect();
}

/// Where each element comes from.
#[distributed_sort]
fn permutation(records: &[Record], place: &mut [u32], #[replicated] weight: &[f64]) {
    let mut order: Vec<usize> = (0..place.len()).collect();
    let heaviest = 3;
    order.sort_by_cached_key(|&i| {
        let record = records[i];
        let text = format!("{}", record.key);
        (text.len() > heaviest, (weight[0] * record.rest[0]) as u8)
    });
    place.copy_from_slice(&order.iter().map(|&i| place[i]).collect::<Vec<_>>());
}

struct Table {
    width: u64,
}

impl Table {
    #[distributed_sort]
    fn by_column(&self, x: &mut [i64]) {
        x.sort_by_key(|v| v.unsigned_abs() % self.width);
    }

    #[distributed_sort(associated)]
    fn by_sign(x: &mut [i64]) {
        x.sort_by_key(|v| v.signum());
    }
}

/// Numbers of all kinds that sorts find hard: random, equal, and nine in ten equal.
fn hard(n: usize) -> [Vec<i64>; 3] {
    [integers(n, 1), vec![5; n], made(n, 2, |bits| if bits % 10 == 0 { bits as i64 } else { 0 })]
}

cases! {
    numbers_of_all_kinds(n) {
        for x in hard(n) {
            check!(integers_up(&mut x); writes x);
            check!(integers_down(&mut x); writes x);
            let x: Vec<u32> = x.iter().map(|v| *v as u32).collect();
            check!(words_up(&mut x); writes x);
        }
    }
    floats(n) {
        let mut x = reals(n, 4);
        check!(floats_without_nan(&mut x); writes x);
        for (place, special) in [f64::NAN, -f64::NAN, 0.0, -0.0, f64::INFINITY, f64::MIN_POSITIVE].into_iter().enumerate() {
            x.extend(std::iter::repeat_n(special, place * n % 5));
        }
        check!(floats_up(&mut x); writes x);
        let x: Vec<f32> = x.iter().map(|v| *v as f32).collect();
        check!(floats_by_path(&mut x); writes x);
    }
    records_keep_their_order(n) {
        for below in [1, 3, 1000, u64::MAX] {
            let x = records(n, below);
            check!(records_by_key(&mut x); writes x);
            check!(records_by_two_keys(&mut x); writes x);
            check!(records_by_text(&mut x, "k"); writes x);
        }
    }
    what_all_ranks_have(n) {
        let x = naturals(n, 5, 100_000);
        let rank = made(251, 6, |bits| bits as u8);
        check!(by_rank(&mut x, &rank); writes x);
    }
    several_by_one_order(n) {
        for below in [3, 1 << 31] {
            let keys = naturals(n, 9, below);
            let values: Vec<f64> = (0..n).map(|i| i as f64).collect();
            check!(with_values(&mut keys, &mut values); writes keys, values);
            let day = made(n, 10, |bits| (bits % 7) as u8);
            let hour = made(n, 11, |bits| (bits % below as u64) as i16);
            let place: Vec<usize> = (0..n).collect();
            check!(by_two_columns(&day, &mut hour, &mut place); shares day; writes hour, place);
            let (records, place) = (records(n, below as u64), naturals(n, 12, n));
            let weight = [0.37];
            check!(permutation(&records, &mut place, &weight); shares records; writes place);
        }
    }
    of_any_element(n) {
        let x = records(n, 40);
        check!(of_any_type(&mut x, |record: &Record| record.key as i8); writes x);
    }
    methods(n) {
        let (x, table) = (integers(n, 8), Table { width: 37 });
        check!(table.by_column(&mut x) like by_column_sequential; writes x);
        let (expected, mut found) = (x.clone(), forall::DistVec::from_global(&x));
        let mut expected = expected;
        Table::by_sign_sequential(&mut expected);
        Table::by_sign(&mut found);
        assert_eq!(found.to_all(), expected);
    }
}
