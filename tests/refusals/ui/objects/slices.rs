// FA024: the elements of a slice are not where the tasks are.

use forall::{Object, distributed_scan, foreach};

#[foreach]
fn weighted(weights: &[f64], plane: &mut Object<f64, 2>) {
    for tile in plane.tiles([8, 8]) {
        for y in tile.rows() {
            for x in tile.columns() {
                plane[[y, x]] *= weights[x];
            }
        }
    }
}

#[foreach]
fn sums(plane: &Object<f64, 2>, sums: &mut [f64]) {
    for (number, tile) in plane.tiles([8, 8]).enumerate() {
        let mut sum = 0.0;
        for y in tile.rows() {
            for x in tile.columns() {
                sum += plane[[y, x]];
            }
        }
        sums[number] = sum;
    }
}

#[distributed_scan]
fn integral(line: &mut Object<u64, 1>) {
    let mut sum = 0;
    for tile in line.tiles([100]) {
        for i in tile.indices() {
            sum += line[[i]];
            line[[i]] = sum;
        }
    }
}

#[foreach]
fn pairs(one: &Object<u64, 1>, two: &mut Object<u64, 1>) {
    for (from, to) in one.tiles([8]).zip(two.tiles([8])) {
        for (i, j) in from.indices().zip(to.indices()) {
            two[[j]] = one[[i]];
        }
    }
}

// FA012: the data choose the place.
#[foreach]
fn placed(#[replicated] order: &[usize], from: &Object<u64, 1>, to: &mut Object<u64, 1>) {
    for tile in to.tiles([8]) {
        for i in tile.indices() {
            to[[order[i]]] = from[[i]];
        }
    }
}

// The same inside of a loop over time.
#[foreach]
fn counted(a: &Object<u64, 1>, out: &mut Object<u64, 1>) {
    let n = out.len();
    for _ in 0..2 {
        for i in 0..n {
            let k = a[[i]] as usize % n;
            out[[k]] += 1;
        }
    }
}

fn main() {}
