//! Running values that feed other running values.

use crate::support::*;
use forall::distributed_scan;

#[distributed_scan]
fn sum_of_sums(x: &[i64], out: &mut [i64]) -> i64 {
    let mut sum = 0;
    let mut total = 0;
    for i in 0..x.len() {
        sum += x[i];
        total += sum;
        out[i] = total;
    }
    total
}

/// Nothing is stored: the running values only feed each other.
#[distributed_scan]
fn weighted(x: &[u32]) -> (u64, u64) {
    let (mut rank, mut offset) = (0u64, 0u64);
    for v in x {
        offset += rank * *v as u64;
        rank += (v % 3 == 0) as u64;
    }
    (rank, offset)
}

#[distributed_scan]
fn moved(a: &[f64], dt: f64, start: (f64, f64), v: &mut [f64], p: &mut [f64]) -> (f64, f64) {
    let (mut speed, mut place) = start;
    for i in 0..a.len() {
        speed += a[i] * dt;
        place += speed * dt;
        v[i] = speed;
        p[i] = place;
    }
    (speed, place)
}

/// The largest fall of a running sum below its highest point so far.
#[distributed_scan]
fn largest_fall(x: &[i64]) -> i64 {
    let (mut sum, mut peak, mut worst) = (0, 0, 0);
    for i in 0..x.len() {
        sum += x[i];
        peak = peak.max(sum);
        worst = worst.max(peak - sum);
    }
    worst
}

#[distributed_scan]
fn where_it_fell(x: &[i32], level: &mut [i32]) -> (i32, usize, i32) {
    let mut sum = 0;
    let mut peak = i32::MIN;
    let (mut worst, mut at) = (-1, 0);
    for i in 0..x.len() {
        sum += x[i];
        if sum > peak {
            peak = sum;
        }
        let fall = peak - sum;
        if fall > worst {
            worst = fall;
            at = i;
        }
        level[i] = peak;
    }
    (worst, at, sum)
}

/// Four levels, and the author writes the highest first.
#[distributed_scan]
fn moments(x: &[u64], out: &mut [u64]) -> u64 {
    let (mut a, mut b, mut c, mut d) = (1u64, 2u64, 3u64, 4u64);
    for i in 0..x.len() {
        out[i] = d;
        d = d.wrapping_add(c);
        c = c.wrapping_add(b);
        b = b.wrapping_mul(3).wrapping_add(a);
        a = a.wrapping_add(x[i]);
    }
    d
}

/// A running value decides where another one starts afresh, and the elements of a histogram.
#[distributed_scan]
fn restarted(x: &[u32], out: &mut [u32]) -> [u32; 5] {
    let mut found = [0u32; 5];
    let mut marks = 0usize;
    let mut since = 0u32;
    for i in 0..x.len() {
        if x[i] % 4 == 0 {
            marks += 1;
        }
        if marks % 3 == 2 {
            since = 0;
        } else {
            since += x[i] % 10;
        }
        found[marks % 5] += 1;
        out[i] = since;
    }
    found
}

/// A recurrence whose factor is a running value, and one that starts where the other has come to.
#[distributed_scan]
fn recurrences(x: &[f64], out: &mut [f64]) -> f64 {
    let mut most = 0.1;
    let mut y = 1.0;
    let mut z = 0.0;
    for i in 0..x.len() {
        if x[i] > most {
            most = x[i];
        }
        y = y * (most - 0.9) * 0.5 + x[i];
        if x[i] < -0.9 {
            z = y;
        } else {
            z = 0.5 * z + most;
        }
        out[i] = z - y;
    }
    y
}

#[derive(Clone, Copy)]
struct Body {
    speed: f64,
    place: f64,
}

/// Parts of a variable, and what a parameter refers to.
#[distributed_scan]
fn fall(force: &[f64], dt: f64, path: &mut f64, out: &mut [f64]) -> f64 {
    let mut body = Body { speed: 0.5, place: 2.0 };
    for i in 0..force.len() {
        body.speed += force[i] * dt;
        body.place += body.speed * dt;
        *path += body.speed.abs() * dt;
        out[i] = body.place - *path;
    }
    body.place
}

/// In place, with an inner loop, and pushes of what is found.
#[distributed_scan]
fn in_place(x: &mut [i64], found: &mut Vec<i64>) {
    let (mut low, mut high) = (0, 0);
    for i in 0..x.len() {
        let v = x[i];
        for bit in 0..3 {
            low += (v >> bit) & 1;
            high += low;
        }
        if high % 7 == 0 {
            found.push(low);
        }
        x[i] = high;
    }
}

/// Both values change under the same condition, and the larger changes first.
#[distributed_scan]
fn together(x: &[i64], out: &mut [i64]) -> i64 {
    let (mut count, mut sum) = (0, 0);
    for i in 0..x.len() {
        if x[i] % 2 == 0 {
            sum += count * x[i];
            count += 1;
        }
        if count > 3 {
            sum -= 1;
        }
        match x[i] % 5 {
            0 => sum += count,
            1 => count += 2,
            _ => {}
        }
        out[i] = sum;
    }
    sum
}

#[distributed_scan]
fn backwards(x: &[i64], out: &mut [i64]) {
    let (mut sum, mut most) = (0, i64::MIN);
    for i in (0..x.len()).rev() {
        sum += x[i];
        most = most.max(sum);
        out[i] = most;
    }
}

/// The element before, read after its place in line has been taken.
#[distributed_scan]
fn through_an_array(x: &mut [i64], above: &mut [i64]) -> i64 {
    let mut count = 0;
    for i in 1..x.len() {
        x[i] = x[i - 1] + x[i];
        if x[i - 1] > 0 {
            count += 1;
        }
        above[i] = count;
    }
    count
}

/// The element before is looked at again after the next one has been set.
#[distributed_scan]
fn steps_kept(x: &mut [i64], before: &mut [i64]) {
    for i in 1..x.len() {
        x[i] += x[i - 1];
        before[i] = x[i - 1];
    }
}

/// A histogram at places that a running value chooses.
#[distributed_scan]
fn runs(x: &[u32], out: &mut [u32]) -> [usize; 8] {
    let mut lengths = [0; 8];
    let mut run = 0u32;
    for i in 0..x.len() {
        if x[i] % 2 == 0 {
            run = 0;
        } else {
            run += 1;
        }
        lengths[run.min(7) as usize] += 1;
        out[i] = run;
    }
    lengths
}

// Methods of the author's beside a running value: they change neither inputs nor what is captured.

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
struct Sample {
    value: u32,
    weight: u32,
}

#[forall::device]
impl Sample {
    fn scaled(&self) -> u32 {
        self.value * self.weight
    }

    fn beside(self, other: Sample) -> u32 {
        self.value + other.weight
    }
}

#[distributed_scan]
fn methods_before(g: &[Sample], out: &mut [u32]) {
    let mut sum = 0;
    for i in 0..g.len() {
        out[i] = sum + g[i].scaled();
        sum += g[i].weight;
    }
}

#[distributed_scan]
fn methods_of_items(g: &[Sample], scale: &Sample, out: &mut [u32]) -> u32 {
    let mut sum = 0;
    for (s, o) in g.iter().zip(out) {
        sum += s.value;
        *o = sum + s.scaled() + scale.beside(*s);
        sum += scale.value;
    }
    sum
}

#[distributed_scan]
fn methods_of_copies(g: &[Sample], out: &mut [u32], totals: &mut [u32]) {
    let mut sum = 0;
    for i in 0..g.len() {
        let s = g[i];
        out[i] = s.scaled();
        sum += s.weight;
        totals[i] = sum + s.beside(g[i]);
    }
}

/// This one does change what the running value is computed from.
#[distributed_scan]
fn methods_that_change(g: &[Sample], out: &mut [u32]) {
    let mut sum = 0;
    for i in 0..g.len() {
        let mut s = [g[i].weight, g[i].value, 3];
        s.reverse();
        sum += s[0] + s[1];
        out[i] = sum;
    }
}

cases! {
    sum_of_sums(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(sum_of_sums(&x, &mut out); shares x; writes out);
    }
    weighted(n) {
        let x = naturals(n, 1, 1000);
        check!(weighted(&x); shares x);
    }
    moved(n) {
        let (a, v, p) = (reals(n, 1), vec![0.0; n], vec![0.0; n]);
        check!(moved(&a, 0.01, (1.0, -3.0), &mut v, &mut p) within 1e-9; shares a; writes v, p);
    }
    largest_fall(n) {
        let x = integers(n, 1);
        check!(largest_fall(&x); shares x);
    }
    where_it_fell(n) {
        let (x, level) = (integers32(n, 1), vec![0; n]);
        check!(where_it_fell(&x, &mut level); shares x; writes level);
    }
    moments(n) {
        let (x, out) = (made(n, 1, |bits| bits), vec![0; n]);
        check!(moments(&x, &mut out); shares x; writes out);
    }
    restarted(n) {
        let (x, out) = (naturals(n, 1, 1000), vec![0; n]);
        check!(restarted(&x, &mut out); shares x; writes out);
    }
    recurrences(n) {
        let (x, out) = (reals(n, 1), vec![0.0; n]);
        check!(recurrences(&x, &mut out) within 1e-9; shares x; writes out);
    }
    fall(n) {
        let (force, out, path) = (reals(n, 1), vec![0.0; n], 0.25);
        check!(fall(&force, 0.01, &mut path, &mut out) within 1e-9; shares force; writes out; keeps path);
    }
    in_place(n) {
        let (x, found) = (integers(n, 1), Vec::new());
        check!(in_place(&mut x, &mut found); writes x, found);
    }
    together(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(together(&x, &mut out); shares x; writes out);
    }
    backwards(n) {
        let (x, out) = (integers(n, 1), vec![0; n]);
        check!(backwards(&x, &mut out); shares x; writes out);
    }
    through_an_array(n) {
        let (x, above) = (integers(n, 1), vec![0; n]);
        check!(through_an_array(&mut x, &mut above); writes x, above);
    }
    steps_kept(n) {
        let (x, before) = (integers(n, 1), vec![0; n]);
        check!(steps_kept(&mut x, &mut before); writes x, before);
    }
    runs(n) {
        let (x, out) = (naturals(n, 1, 1000), vec![0; n]);
        check!(runs(&x, &mut out); shares x; writes out);
    }
    methods_before(n) {
        let (g, out) = (samples(n), vec![0; n]);
        check!(methods_before(&g, &mut out); shares g; writes out);
    }
    methods_of_items(n) {
        let (g, out, scale) = (samples(n), vec![0; n], Sample { value: 2, weight: 5 });
        check!(methods_of_items(&g, &scale, &mut out); shares g; writes out);
    }
    methods_of_copies(n) {
        let (g, out, totals) = (samples(n), vec![0; n], vec![0; n]);
        check!(methods_of_copies(&g, &mut out, &mut totals); shares g; writes out, totals);
    }
    methods_that_change(n) {
        let (g, out) = (samples(n), vec![0; n]);
        check!(methods_that_change(&g, &mut out); shares g; writes out);
    }
}

fn samples(n: usize) -> Vec<Sample> {
    let (values, weights) = (naturals(n, 1, 100), naturals(n, 2, 9));
    values.iter().zip(&weights).map(|(value, weight)| Sample { value: *value, weight: *weight }).collect()
}
