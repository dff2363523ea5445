//! Pushes and states.

use crate::support::*;
use forall::foreach_tls;

/// None, one or several pushes an iteration.
#[foreach_tls]
fn repeat_each(times: &[u32], out: &mut Vec<u32>) {
    for i in 0..times.len() {
        for _ in 0..times[i] {
            out.push(i as u32);
        }
    }
}

/// Returns what it pushes to.
#[foreach_tls]
fn positives_of(x: &[i64]) -> Vec<i64> {
    let mut kept = Vec::new();
    for &v in x {
        if v > 0 {
            kept.push(v);
        }
    }
    kept
}

/// Only pushed values: none, about half, nearly all, for a while each; to several targets, under conditions of all kinds.
#[foreach_tls]
fn selected(
    x: &[i32],
    w: &[[f32; 2]],
    least: i32,
    high: &mut Vec<[f32; 2]>,
    places: &mut Vec<usize>,
    digits: &mut Vec<u8>,
) -> i64 {
    let mut sum = 0;
    for i in 1..x.len() {
        let v = x[i];
        if v > least + (i / 3000 % 3) as i32 * 20 - 20 {
            high.push([v as f32, w[i][1]]);
            places.push(i);
        }
        if let Some(digit) = v.checked_rem(10) {
            digits.push(digit as u8);
        }
        if i > 1 && x[i - 1] < v {
            high.push([x[i - 1] as f32, 0.5]);
        }
        sum += v as i64;
    }
    sum
}

/// Two targets with different counts.
#[foreach_tls]
fn split(x: &[i32], even: &mut Vec<i32>, odd: &mut Vec<[i32; 2]>) -> usize {
    let mut zeros = 0;
    for (i, &v) in x.iter().enumerate() {
        match v.rem_euclid(2) {
            0 if v == 0 => zeros += 1,
            0 => even.push(v),
            _ => odd.push([i as i32, v]),
        }
    }
    zeros
}

/// `extend` by a few, over a scalar bound.
#[foreach_tls]
fn pythagorean(limit: u32, out: &mut Vec<[u32; 3]>) {
    for a in 1..limit {
        for b in a..limit {
            let c2 = a * a + b * b;
            let c = (c2 as f64).sqrt() as u32;
            if c * c == c2 && c < limit {
                out.push([a, b, c]);
            }
        }
    }
}

/// The values that each worker has seen.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Tally {
    seen: u64,
    longest: String,
    names: Vec<u32>,
}
same_fields!(Tally { seen, longest, names });

impl Tally {
    fn new() -> Self {
        Tally::default()
    }

    fn add(&mut self, value: u32) {
        self.seen += 1;
        let text = value.to_string();
        if text.len() > self.longest.len() {
            self.longest = text;
        }
        if value.is_multiple_of(7) {
            self.names.push(value);
        }
    }

    fn absorb(&mut self, later: Self) {
        self.seen += later.seen;
        if later.longest.len() > self.longest.len() {
            self.longest = later.longest;
        }
        self.names.extend(later.names);
    }
}

impl forall::Merge for Tally {
    fn fresh() -> Self {
        Tally::new()
    }

    fn merge(&mut self, later: Self) {
        self.absorb(later);
    }
}

#[foreach_tls(init = Tally::new, merge = Tally::absorb)]
fn tally_by_paths(x: &[u32]) -> Tally {
    let mut tally = Tally::new();
    for i in 0..x.len() {
        tally.add(x[i]);
    }
    tally
}

#[foreach_tls]
fn tally_by_trait(x: &[u32]) -> Tally {
    let mut tally = Tally::default();
    for v in x {
        tally.add(*v);
    }
    tally
}

/// Text in the order of the iterations.
#[foreach_tls]
fn spell(x: &[u8]) -> String {
    let mut text = String::new();
    for &byte in x {
        if byte % 3 != 0 {
            text.push((b'a' + byte % 26) as char);
        }
    }
    text
}

cases! {
    repeat_each(n) {
        let (times, out) = (naturals(n, 1, 4), Vec::<u32>::new());
        check!(repeat_each(&times, &mut out); shares times; writes out);
    }
    positives_of(n) {
        // On several ranks, a vector that is returned holds what all ranks pushed.
        let x = integers(n, 1);
        check!(positives_of(&x); shares x);
    }
    selected(n) {
        let (x, w) = (integers32(20 * n, 1), made(20 * n, 2, |bits| [(bits % 64) as f32, (bits / 64 % 64) as f32]));
        let (high, places, digits) = (Vec::<[f32; 2]>::new(), Vec::<usize>::new(), Vec::<u8>::new());
        check!(selected(&x, &w, 0, &mut high, &mut places, &mut digits); shares x, w; writes high, places, digits);
    }
    split(n) {
        let (x, even, odd) = (integers32(n, 1), Vec::<i32>::new(), Vec::<[i32; 2]>::new());
        check!(split(&x, &mut even, &mut odd); shares x; writes even, odd);
    }
    pythagorean(n) {
        let out = Vec::<[u32; 3]>::new();
        check!(pythagorean(square(n) as u32, &mut out); writes out);
    }
    push_after_what_is_there(n) {
        // A `DistVec` keeps the order of the whole vector; plain shares would not.
        let times = naturals(n, 1, 3);
        let mut expected = vec![9, 8, 7];
        repeat_each::sequential(&times, &mut expected);
        let mut found = forall::DistVec::from_global(&[9, 8, 7]);
        repeat_each(&forall::DistVec::from_global(&times), &mut found);
        compare("repeat_each", "DistVec", &expected, &found.to_all(), 0.0);
    }
    tally_by_paths(n) {
        let x = naturals(n, 1, 5000);
        check!(tally_by_paths(&x); shares x);
    }
    tally_by_trait(n) {
        let x = naturals(n, 1, 5000);
        check!(tally_by_trait(&x); shares x);
    }
    spell(n) {
        let x = made(n, 1, |bits| bits as u8);
        check!(spell(&x); shares x);
    }
}
