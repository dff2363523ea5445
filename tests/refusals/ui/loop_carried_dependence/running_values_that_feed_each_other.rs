// A running value may feed another one, but not, by a detour or directly, what decides how it goes on itself.
use forall::{distributed_scan, kary_reduce};

#[distributed_scan]
fn capped(x: &[u32], out: &mut [u32]) {
    let (mut sum, mut full) = (0, 0);
    for i in 0..x.len() {
        if sum < 1000 {
            sum += x[i];
        }
        full += sum / 1000;
        out[i] = full;
    }
}

#[distributed_scan]
fn predator_and_prey(out: &mut [f64]) {
    let (mut hares, mut foxes, mut seen) = (10.0, 5.0, 0.0);
    for o in out.iter_mut() {
        seen += hares;
        hares += 0.1 * hares - 0.01 * foxes;
        foxes += 0.02 * hares * foxes;
        *o = seen;
    }
}

#[distributed_scan]
fn around_three(x: &[i64], out: &mut [i64]) {
    let (mut a, mut b, mut c) = (0, 0, 0);
    for i in 0..x.len() {
        a += x[i] + c;
        b = b.max(a);
        if b > 7 {
            c += 1;
        }
        out[i] = c;
    }
}

#[distributed_scan]
fn stored_before(x: &[i64], out: &mut [i64]) -> i64 {
    let (mut sum, mut total) = (0, 0);
    for i in 0..x.len() {
        sum += x[i];
        if x[i] > 0 {
            out[i] = sum;
        }
        total += out[i];
    }
    total
}

#[distributed_scan]
fn changed_on_the_way(x: &mut [i64]) -> i64 {
    let (mut sum, mut total) = (0, 0);
    for i in 0..x.len() {
        sum += x[i];
        total += {
            x[i] = sum;
            sum
        };
    }
    total
}

#[distributed_scan]
fn number_of_pushes(x: &[i64], found: &mut Vec<i64>) -> usize {
    let (mut sum, mut total) = (0, 0);
    for i in 0..x.len() {
        sum += x[i];
        if sum > 0 {
            found.push(sum);
        }
        total += found.len();
    }
    total
}

#[distributed_scan]
fn bins_of_bins(x: &[u32], out: &mut [u32]) {
    let mut bins = [0u32; 4];
    let mut sum = 0;
    for i in 0..x.len() {
        bins[x[i] as usize % 4] += 1;
        sum += bins[0];
        out[i] = sum;
    }
}

#[kary_reduce]
fn area(x: &[f64]) -> f64 {
    let (mut sum, mut area) = (0.0, 0.0);
    for v in x {
        sum += v;
        area += sum;
    }
    area
}

fn main() {}
