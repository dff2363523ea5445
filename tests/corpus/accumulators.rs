//! Scalars that loops accumulate, in the spellings in which they are found.

use crate::support::*;
use forall::{distributed_scan, kary_reduce};

/// How deep brackets are nested: no chunk of the text knows how deep it begins.
#[distributed_scan]
fn bracket_depth(text: &[u8], out: &mut [usize]) -> usize {
    let mut depth = 0;
    for i in 0..text.len() {
        let c = text[i];
        if c == b'(' {
            depth += 1
        } else if c == b')' {
            depth -= 1
        }
        out[i] = depth;
    }
    depth
}

/// The open values at the end.
#[kary_reduce]
fn open_files(events: &[u8]) -> u32 {
    let mut open = 0u32;
    for e in events {
        if *e == b'(' {
            open += 1;
        } else {
            open -= 1;
        }
    }
    open
}

#[kary_reduce]
fn balance(amounts: &[u32], start: u32) -> u32 {
    let mut balance = start;
    for (i, amount) in amounts.iter().enumerate() {
        if i % 2 == 0 {
            balance += amount;
        } else {
            balance -= amount;
        }
    }
    balance
}

/// The stock of each article after all sales.
#[kary_reduce]
fn stock_left(sold: &[u8], stock: &mut [u32; 4]) {
    for article in sold {
        stock[(*article % 4) as usize] -= 1;
    }
}

#[kary_reduce]
fn returned_too(sold: &[u8], back: &[bool], mut stock: [u32; 4]) -> [u32; 4] {
    for i in 0..sold.len() {
        let article = (sold[i] % 4) as usize;
        stock[article] = stock[article] - 2;
        if back[i] {
            stock[article] += 1;
        }
    }
    stock
}

#[kary_reduce]
fn paid_twice(prices: &[u8], budget: u64) -> u64 {
    let mut left = budget;
    for price in prices {
        left = left - *price as u64 - 1;
    }
    left
}

/// A tank that is filled up now and then.
#[distributed_scan]
fn tank(used: &[u32], left: &mut [u32]) {
    let mut tank = 5000u32;
    for i in 0..used.len() {
        if used[i] % 7 == 0 {
            tank = 5000;
        }
        tank -= used[i] % 8;
        left[i] = tank;
    }
}

#[kary_reduce]
fn any_above(x: &[i64], level: i64) -> bool {
    let mut any = false;
    for v in x {
        if *v > level {
            any = true;
        }
    }
    any
}

#[kary_reduce]
fn all_below(x: &[i64], level: i64) -> bool {
    let mut all = true;
    for v in x {
        if *v >= level {
            all = false;
        }
    }
    all
}

/// Both branches set the value.
#[kary_reduce]
fn most_by_branches(x: &[f64]) -> (f64, f64) {
    let (mut most, mut least) = (f64::MIN, f64::MAX);
    for v in x {
        most = if most > *v { most } else { *v };
        least = if *v < least { *v } else { least };
    }
    (most, least)
}

/// A NaN wins, and loses to whatever comes next.
#[kary_reduce]
fn most_since_what_is_none(x: &[f32]) -> f32 {
    let mut most = 7.0;
    for v in x {
        most = if most >= *v { most } else { *v };
    }
    most
}

#[distributed_scan]
fn running_most_by_branches(x: &[f32], out: &mut [f32]) {
    let mut most = f32::MIN;
    for i in 0..x.len() {
        most = if x[i] < most { most } else { x[i] };
        out[i] = most;
    }
}

#[distributed_scan]
fn segments_by_branches(x: &[i32], starts: &[bool], out: &mut [i32]) {
    let mut sum = 0;
    for (i, v) in x.iter().enumerate() {
        sum = if starts[i] { *v } else { sum + v };
        out[i] = sum;
    }
}

#[distributed_scan]
fn by_match(x: &[u32], out: &mut [u32]) -> u32 {
    let mut open = 10;
    for i in 0..x.len() {
        open = match x[i] {
            0 | 1 => open + 2,
            2 => 10,
            _ => open,
        };
        out[i] = open;
    }
    open
}

/// Whether a place is inside of the outline.
#[distributed_scan]
fn inside_outline(edges: &[bool], out: &mut [bool]) -> bool {
    let mut inside = false;
    for i in 0..edges.len() {
        if edges[i] {
            inside = !inside;
        }
        out[i] = inside;
    }
    inside
}

#[kary_reduce]
fn flips(edges: &[bool]) -> (bool, bool) {
    let (mut odd, mut even) = (false, true);
    for e in edges {
        if *e {
            (odd, even) = (!odd, !even);
        }
    }
    (odd, even)
}

#[distributed_scan]
fn between_marks(x: &[u32], out: &mut [u8]) {
    let mut inside = false;
    for i in 0..x.len() {
        if x[i] == 1 {
            inside = true;
        } else if x[i] == 2 {
            inside = false;
        }
        out[i] = if inside { 1 } else { 0 };
    }
}

/// How long ago the last mark was.
#[distributed_scan]
fn since_the_mark(x: &[u32], out: &mut [usize]) {
    let mut last = None;
    for i in 0..x.len() {
        if x[i] == 1 {
            last = Some(i)
        }
        out[i] = last.map_or(usize::MAX, |last| i - last);
    }
}

/// The last value that is a number, which no infinite one spoils.
#[distributed_scan]
fn fill_forward(x: &[f64], out: &mut [f64]) {
    let mut last = f64::INFINITY;
    for (o, v) in out.iter_mut().zip(x) {
        if *v > 0.0 {
            last = *v;
        }
        *o = last;
    }
}

#[kary_reduce]
fn nearest(x: &[f64], to: f64) -> (f64, usize) {
    let (mut best, mut at) = (f64::MAX, 0);
    for i in 0..x.len() {
        let d = (x[i] - to).abs();
        if d < best {
            (best, at) = (d, i);
        }
    }
    (best, at)
}

/// A hit of a ray.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    t: f64,
    id: usize,
    rays: u32,
}
same_fields!(Hit { t, id, rays });

#[kary_reduce]
fn first_hit(distances: &[f64]) -> Hit {
    let mut hit = Hit { t: 1.5, id: usize::MAX, rays: 1 };
    for i in 0..distances.len() {
        let t = distances[i];
        if t < hit.t {
            hit.t = t;
            hit.id = i;
        }
    }
    hit
}

#[kary_reduce]
fn first_in_a_tuple(x: &[i64], best: &mut (i64, usize)) {
    for i in 0..x.len() {
        let t = x[i];
        if t < best.0 && i % 3 != 0 {
            (best.0, best.1) = (t, i);
        }
    }
}

#[kary_reduce]
fn best_behind_references(x: &[i64], best: &mut i64, at: &mut usize) {
    for i in 0..x.len() {
        if x[i] >= *best {
            *best = x[i];
            *at = i;
        }
    }
}

#[distributed_scan]
fn place_of_the_least_so_far(x: &[i64], out: &mut [usize]) -> i64 {
    let mut hit = (i64::MAX, 0);
    for i in 0..x.len() {
        if x[i] < hit.0 {
            hit.0 = x[i];
            hit.1 = i;
        }
        out[i] = hit.1;
    }
    hit.0
}

#[kary_reduce]
fn place_if_any(x: &[f64]) -> Option<usize> {
    let mut most = 0.9;
    let mut at = None;
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
            at = Some(i);
        }
    }
    at
}

#[kary_reduce]
fn place_and_value_if_any(x: &[f64]) -> Option<(usize, f64)> {
    let (mut most, mut found): (f64, Option<(usize, f64)>) = (0.9, None);
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
            found = Some((i, -x[i]));
        }
    }
    found
}

#[distributed_scan]
fn smoothed(x: &[f64], alpha: f64, out: &mut [f64]) {
    let mut y = 0.0;
    for (o, v) in out.iter_mut().zip(x) {
        y += alpha * (v - y);
        *o = y;
    }
}

#[distributed_scan]
fn smoothed_in_other_words(x: &[f32], a: f32, one: &mut [f32], two: &mut [f32]) {
    let (mut y, mut z) = (0.0, 1.0);
    for i in 0..x.len() {
        let v = x[i];
        y = y + a * (v - y);
        z = (1.0 - a) * z + a * v;
        one[i] = y;
        two[i] = z;
    }
}

/// Livermore's kernel 19 in one expression.
#[distributed_scan]
fn genlin_at_once(sa: &[f64], sb: &[f64], b5: &mut [f64]) {
    let mut stb5 = 0.1;
    for k in 0..sa.len() {
        stb5 = sa[k] + stb5 * sb[k] - stb5;
        b5[k] = stb5;
    }
}

/// Livermore's kernel 19: general linear recurrence equations.
#[distributed_scan]
fn genlin(sa: &[f64], sb: &[f64], b5: &mut [f64]) -> f64 {
    let mut stb5 = 0.1;
    for k in 0..sa.len() {
        let b = sa[k] + stb5 * sb[k];
        b5[k] = b;
        stb5 = b - stb5;
    }
    stb5
}

#[distributed_scan]
fn string_hash(text: &[u8]) -> u64 {
    let mut hash = 7u64;
    for b in text {
        hash = hash.wrapping_mul(31).wrapping_add(*b as u64);
    }
    hash
}

#[distributed_scan]
fn congruential(seed: u64, out: &mut [u64]) {
    let mut state = seed;
    for i in 0..out.len() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        out[i] = state >> 33;
    }
}

/// Unsigned, and back and forth.
#[distributed_scan]
fn mirrored(x: &[u32], out: &mut [u32]) {
    let mut y = 3u32;
    for i in 0..x.len() {
        y = 100 - y;
        if x[i] % 7 == 0 {
            y = x[i] % 50;
        }
        out[i] = y;
    }
}

/// A recurrence that begins anew after what is infinite.
#[distributed_scan]
fn restarted(x: &[f64], out: &mut [f64]) {
    let mut y = f64::INFINITY;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            y = x[i];
        }
        y = 0.5 * y + 1.0;
        out[i] = y;
    }
}

/// Several results in one struct.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    n: u32,
    sum: [f64; 2],
    most: f64,
}
same_fields!(Moments { n, sum, most });

#[kary_reduce]
fn moments(points: &[[f64; 2]]) -> Moments {
    let mut s = Moments::default();
    for q in points {
        s.n += 1;
        s.sum[0] += q[0];
        s.sum[1] += q[1] * q[1];
        s.most = s.most.max(q[0]);
    }
    s
}

/// The predictions for each class.
#[kary_reduce]
fn confusion(truth: &[usize], guess: &[usize]) -> [[u32; 3]; 3] {
    let mut m = [[0u32; 3]; 3];
    for i in 0..truth.len() {
        let (t, g) = (truth[i], guess[i]);
        m[t][g] += 1;
    }
    m
}

/// The sums of a step of k-means.
#[kary_reduce]
fn sums_by_label(label: &[usize], points: &[[f64; 2]]) -> ([[f64; 2]; 3], [u32; 3]) {
    let (mut sums, mut counts) = ([[0.0; 2]; 3], [0; 3]);
    for i in 0..label.len() {
        let (l, p) = (label[i], points[i]);
        sums[l][0] += p[0];
        sums[l][1] += p[1];
        counts[l] += 1;
    }
    (sums, counts)
}

#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Bin {
    n: u64,
    sum: [f64; 2],
    most: f64,
    left: u64,
    id: u64,
}
same_fields!(Bin { n, sum, most, left, id });

/// A histogram whose elements have fields.
#[kary_reduce]
fn binned(key: &[usize], x: &[f64], bins: &mut [Bin; 4]) {
    for i in 0..key.len() {
        let k = key[i];
        bins[k].n += 1;
        bins[k].sum[1] += x[i];
        bins[k].most = bins[k].most.max(x[i]);
        bins[k].left -= 1;
    }
}

// Sums that would leave their type if a chunk's part were all of them. The author's never do.

#[kary_reduce]
fn up_from_the_bottom(x: &[i32]) -> i32 {
    let mut sum = i32::MIN;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

#[kary_reduce]
fn ups_and_downs(x: &[i8]) -> (i8, i8, i8) {
    let (mut one, mut two, mut three) = (0, -5i8, 7);
    for v in x {
        one += v;
        two = *v + two;
        three -= *v;
    }
    (one, two, three)
}

#[kary_reduce]
fn in_stock(stock: u32, sold: &[u32], bought: &[u32]) -> (u32, u32) {
    let (mut now, mut never_refilled) = (stock, stock);
    for i in 0..sold.len() {
        now = now - sold[i] + bought[i];
        never_refilled = never_refilled - sold[i];
    }
    (now, never_refilled)
}

struct Ledger {
    balance: i16,
    entries: u8,
}

/// Not in lanes: an iteration is a loop of its own.
#[kary_reduce]
fn booked(entries: &[i16], width: usize) -> (i16, u8) {
    let mut ledger = Ledger { balance: i16::MAX, entries: 0 };
    for i in 0..entries.len() / width {
        for j in 0..width {
            ledger.balance += entries[i * width + j];
        }
        ledger.entries += (i < 100) as u8;
    }
    (ledger.balance, ledger.entries)
}

cases! {
    bracket_depth(n) {
        let (pairs, out) = (n / 2, vec![0; n / 2 * 2]);
        let text: Vec<u8> = (0..pairs * 2).map(|i| if i < pairs { b'(' } else { b')' }).collect();
        check!(bracket_depth(&text, &mut out); shares text; writes out);
        let text: Vec<u8> = (0..pairs * 2).map(|i| b"()"[i % 2]).collect();
        check!(bracket_depth(&text, &mut out); shares text; writes out);
    }
    open_files(n) {
        let events: Vec<u8> = (0..n / 2 * 2).map(|i| if i < n / 2 { b'(' } else { b')' }).collect();
        check!(open_files(&events); shares events);
    }
    balance(n) {
        let amounts = naturals(n, 1, 1000);
        check!(balance(&amounts, u32::MAX / 2); shares amounts);
    }
    stock_left(n) {
        let (sold, stock) = (made(n, 1, |bits| bits as u8), [n as u32; 4]);
        check!(stock_left(&sold, &mut stock); shares sold; keeps stock);
    }
    returned_too(n) {
        let (sold, back) = (made(n, 1, |bits| bits as u8), flags(n, 2, 3));
        check!(returned_too(&sold, &back, [2 * n as u32; 4]); shares sold, back);
    }
    paid_twice(n) {
        let prices = made(n, 1, |bits| bits as u8);
        check!(paid_twice(&prices, 256 * n as u64); shares prices);
    }
    tank(n) {
        let (used, left) = (naturals(n, 1, 50), vec![0; n]);
        check!(tank(&used, &mut left); shares used; writes left);
    }
    any_above(n) {
        let x = integers(n, 1);
        check!(any_above(&x, 998); shares x);
        check!(any_above(&x, 2000); shares x);
    }
    all_below(n) {
        let x = integers(n, 1);
        check!(all_below(&x, 999); shares x);
        check!(all_below(&x, 2000); shares x);
    }
    most_by_branches(n) {
        let x = reals(n, 1);
        check!(most_by_branches(&x); shares x);
    }
    most_since_what_is_none(n) {
        let x = made(n, 1, |bits| if bits.is_multiple_of(97) { f32::NAN } else { (bits % 1000) as f32 });
        check!(most_since_what_is_none(&x); shares x);
    }
    running_most_by_branches(n) {
        let x = made(n, 1, |bits| if bits.is_multiple_of(97) { f32::NAN } else { (bits % 1000) as f32 });
        let out = vec![0.0; n];
        check!(running_most_by_branches(&x, &mut out); shares x; writes out);
    }
    segments_by_branches(n) {
        let (x, starts, out) = (integers32(n, 1), flags(n, 2, 40), vec![0; n]);
        check!(segments_by_branches(&x, &starts, &mut out); shares x, starts; writes out);
    }
    by_match(n) {
        let (x, out) = (naturals(n, 1, 50), vec![0; n]);
        check!(by_match(&x, &mut out); shares x; writes out);
    }
    inside_outline(n) {
        let (edges, out) = (flags(n, 1, 9), vec![false; n]);
        check!(inside_outline(&edges, &mut out); shares edges; writes out);
    }
    flips(n) {
        let edges = flags(n, 1, 9);
        check!(flips(&edges); shares edges);
    }
    between_marks(n) {
        let (x, out) = (naturals(n, 1, 40), vec![0; n]);
        check!(between_marks(&x, &mut out); shares x; writes out);
    }
    since_the_mark(n) {
        let (x, out) = (naturals(n, 1, 40), vec![0; n]);
        check!(since_the_mark(&x, &mut out); shares x; writes out);
    }
    fill_forward(n) {
        let x = made(n, 1, |bits| match bits % 11 { 0 => f64::INFINITY, k if k < 8 => f64::NAN, _ => unit(bits) });
        let out = vec![0.0; n];
        check!(fill_forward(&x, &mut out); shares x; writes out);
    }
    nearest(n) {
        let x = reals(n, 1);
        check!(nearest(&x, 0.3); shares x);
    }
    first_hit(n) {
        let distances = positives(n, 1);
        check!(first_hit(&distances); shares distances);
    }
    first_in_a_tuple(n) {
        let (x, best) = (integers(n, 1), (5, 77));
        check!(first_in_a_tuple(&x, &mut best); shares x; keeps best);
    }
    best_behind_references(n) {
        let (x, best, at) = (integers(n, 1), 5, 77);
        check!(best_behind_references(&x, &mut best, &mut at); shares x; keeps best, at);
    }
    place_of_the_least_so_far(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(place_of_the_least_so_far(&x, &mut out); shares x; writes out);
    }
    place_if_any(n) {
        let x = reals(n, 1);
        check!(place_if_any(&x); shares x);
    }
    place_and_value_if_any(n) {
        let x = reals(n, 1);
        check!(place_and_value_if_any(&x); shares x);
    }
    smoothed(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(smoothed(&x, 0.1, &mut out) within 1e-12; shares x; writes out);
    }
    smoothed_in_other_words(n) {
        let (x, one, two) = (singles(n, 1), vec![0.0; n], vec![0.0; n]);
        check!(smoothed_in_other_words(&x, 0.1, &mut one, &mut two) within 1e-5; shares x; writes one, two);
    }
    genlin_at_once(n) {
        let (sa, sb, b5) = (reals(n, 1), positives(n, 2), vec![0.0; n]);
        check!(genlin_at_once(&sa, &sb, &mut b5) within 1e-11; shares sa, sb; writes b5);
    }
    genlin(n) {
        let (sa, sb, b5) = (reals(n, 1), positives(n, 2), vec![0.0; n]);
        check!(genlin(&sa, &sb, &mut b5) within 1e-11; shares sa, sb; writes b5);
    }
    string_hash(n) {
        let text = made(n, 1, |bits| bits as u8);
        check!(string_hash(&text); shares text);
    }
    congruential(n) {
        let out = vec![0; n];
        check!(congruential(42, &mut out); writes out);
    }
    mirrored(n) {
        let (x, out) = (naturals(n, 1, 1000), vec![0; n]);
        check!(mirrored(&x, &mut out); shares x; writes out);
    }
    restarted(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(restarted(&x, &mut out) within 1e-12; shares x; writes out);
    }
    moments(n) {
        let (a, b) = (reals(n, 1), reals(n, 2));
        let points: Vec<[f64; 2]> = a.iter().zip(&b).map(|(a, b)| [*a, *b]).collect();
        check!(moments(&points) within 1e-11; shares points);
    }
    confusion(n) {
        let (truth, guess) = (indices(n, 1, 3), indices(n, 2, 3));
        check!(confusion(&truth, &guess); shares truth, guess);
    }
    sums_by_label(n) {
        let (label, a, b) = (indices(n, 3, 3), reals(n, 1), reals(n, 2));
        let points: Vec<[f64; 2]> = a.iter().zip(&b).map(|(a, b)| [*a, *b]).collect();
        check!(sums_by_label(&label, &points) within 1e-11; shares label, points);
    }
    binned(n) {
        let (key, x) = (indices(n, 3, 4), reals(n, 1));
        let bins = [0, 1, 2, 3].map(|id| Bin { n: id, left: n as u64, id, ..Bin::default() });
        check!(binned(&key, &x, &mut bins) within 1e-11; shares key, x; keeps bins);
    }
    up_from_the_bottom(n) {
        let x: Vec<i32> = (0..n).map(|i| if i + 3 > n { i32::MAX } else { 0 }).collect();
        check!(up_from_the_bottom(&x); shares x);
    }
    ups_and_downs(n) {
        let x: Vec<i8> = (0..n).map(|i| if i % 20 < 10 { 12 } else { -12 }).collect();
        check!(ups_and_downs(&x); shares x);
    }
    in_stock(n) {
        let (sold, bought) = (naturals(n, 1, 3), naturals(n, 2, 3));
        check!(in_stock(3 * n as u32, &sold, &bought); shares sold, bought);
    }
    booked(n) {
        let entries: Vec<i16> = (0..n).map(|i| if i % 16 < 8 { -5_000 } else { 5_000 }).collect();
        check!(booked(&entries, 4); shares entries);
    }
}
