//! CG: the least eigenvalue of a sparse matrix, by the inverse power method with conjugate gradients.

use crate::random::{SEED, next};
use crate::{Class, Outcome, error, timed};
use forall::{DistVec, foreach, kary_reduce};

/// Steps of conjugate gradients for each step of the power method.
const STEPS: usize = 25;

/// A matrix in compressed rows.
#[derive(Debug)]
pub struct Matrix {
    /// Where each row begins, and where the last one ends.
    pub rows: DistVec<usize>,
    /// The column of each entry.
    pub column: DistVec<u32>,
    /// Its value.
    pub a: DistVec<f64>,
}

/// `y` becomes the product of the matrix and `x`.
#[foreach]
pub fn multiply(rows: &[usize], #[gather] column: &[u32], #[gather] a: &[f64], #[gather] x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        let (j, k) = (rows[i], rows[i + 1]);
        y[i] = a[j..k].iter().zip(&column[j..k]).map(|(a, c)| a * x[*c as usize]).sum();
    }
}

/// The scalar product.
#[kary_reduce]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in x.iter().zip(y) {
        sum += x * y;
    }
    sum
}

/// The square of the distance.
#[kary_reduce]
pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        let d = x[i] - y[i];
        sum += d * d;
    }
    sum
}

/// From nothing: `z = 0`, `r = x`, `p = r`. Gives the square of `r`.
#[foreach]
pub fn begin(x: &[f64], z: &mut [f64], r: &mut [f64], p: &mut [f64]) -> f64 {
    let mut rho = 0.0;
    for i in 0..x.len() {
        z[i] = 0.0;
        r[i] = x[i];
        p[i] = x[i];
        rho += x[i] * x[i];
    }
    rho
}

/// Moves along the direction `p`; gives the square of what is left.
#[foreach]
pub fn advance(alpha: f64, p: &[f64], q: &[f64], z: &mut [f64], r: &mut [f64]) -> f64 {
    let mut rho = 0.0;
    for i in 0..p.len() {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        rho += r[i] * r[i];
    }
    rho
}

/// The next direction.
#[foreach]
pub fn turn(beta: f64, r: &[f64], p: &mut [f64]) {
    for i in 0..p.len() {
        p[i] = r[i] + beta * p[i];
    }
}

/// `x = scale * z`.
#[foreach]
pub fn scale(scale: f64, z: &[f64], x: &mut [f64]) {
    for (x, z) in x.iter_mut().zip(z) {
        *x = scale * z;
    }
}

/// Vectors of a solution on its way.
#[derive(Debug)]
struct Vectors {
    z: DistVec<f64>,
    r: DistVec<f64>,
    p: DistVec<f64>,
    q: DistVec<f64>,
}

/// Solves `A z = x`, nearly; gives how far it is off.
fn solve(matrix: &Matrix, x: &DistVec<f64>, Vectors { z, r, p, q }: &mut Vectors) -> f64 {
    let Matrix { rows, column, a } = matrix;
    let mut rho = begin(x, &mut *z, &mut *r, &mut *p);
    for _ in 0..STEPS {
        multiply(rows, column, a, &*p, &mut *q);
        let alpha = rho / dot(&*p, &*q);
        let before = rho;
        rho = advance(alpha, &*p, &*q, &mut *z, &mut *r);
        turn(rho / before, &*r, &mut *p);
    }
    multiply(rows, column, a, &*z, &mut *r);
    distance(x, &*r).sqrt()
}

/// A vector with `nonzero` random entries in random places, and 0.5 at `own`.
fn sparse_vector(seed: &mut u64, n: usize, nonzero: usize, own: usize) -> Vec<(usize, f64)> {
    let mut entries: Vec<(usize, f64)> = Vec::new();
    let places = n.next_power_of_two() as f64;
    while entries.len() < nonzero {
        let (value, place) = (next(seed), (places * next(seed)) as usize);
        if place < n && entries.iter().all(|(other, _)| *other != place) {
            entries.push((place, value));
        }
    }
    match entries.iter_mut().find(|(place, _)| *place == own) {
        Some((_, value)) => *value = 0.5,
        None => entries.push((own, 0.5)),
    }
    entries
}

/// The sum of the outer products of such vectors, each weighted less than the one before, less `shift` on the diagonal.
pub fn make_matrix(n: usize, nonzero: usize, shift: f64) -> Matrix {
    const CONDITION: f64 = 0.1;
    let mut seed = SEED;
    next(&mut seed);
    let ratio = CONDITION.powf(1.0 / n as f64);
    let mut weight = 1.0;
    let mut entries: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    for own in 0..n {
        let vector = sparse_vector(&mut seed, n, nonzero, own);
        for &(i, a) in &vector {
            for &(j, b) in &vector {
                let diagonal = if i == own && j == own { CONDITION - shift } else { 0.0 };
                entries[i].push((j as u32, b * (weight * a) + diagonal));
            }
        }
        weight *= ratio;
    }
    let (mut rows, mut column, mut a) = (vec![0], Vec::new(), Vec::new());
    for mut row in entries {
        // What falls on one place is added in the order in which it came.
        row.sort_by_key(|(j, _)| *j);
        for group in row.chunk_by(|one, other| one.0 == other.0) {
            column.push(group[0].0);
            a.push(group.iter().map(|(_, value)| value).sum::<f64>());
        }
        rows.push(a.len());
    }
    let rows = DistVec::from_global(&rows);
    let (mut column, mut a) = (DistVec::from_global(&column), DistVec::from_global(&a));
    // A rank has the entries of its rows, and asks nobody for them.
    let of_rows = DistVec::<f64>::zeroed(n);
    column.rebalance_rows(&rows, &of_rows);
    a.rebalance_rows(&rows, &of_rows);
    Matrix { rows, column, a }
}

/// Runs the benchmark.
pub fn run(class: Class) -> Outcome {
    let (n, nonzero, iterations, shift) = class.choose((1_400, 7, 15, 10.0), (14_000, 11, 15, 20.0));
    let matrix = make_matrix(n, nonzero, shift);
    let mut x = DistVec::filled(n, 1.0);
    let [z, r, p, q] = std::array::from_fn(|_| DistVec::zeroed(n));
    let mut vectors = Vectors { z, r, p, q };
    let mut zeta = 0.0;
    let mut iteration = |x: &mut DistVec<f64>| {
        solve(&matrix, x, &mut vectors);
        zeta = shift + 1.0 / dot(&*x, &vectors.z);
        scale(1.0 / dot(&vectors.z, &vectors.z).sqrt(), &vectors.z, x);
    };
    // Once before, which does not count.
    iteration(&mut x);
    x = DistVec::filled(n, 1.0);
    let ((), seconds) = timed(|| (0..iterations).for_each(|_| iteration(&mut x)));
    let published = class.choose(8.5971775078648, 17.130235054029);
    let row = (nonzero * (nonzero + 1)) as f64;
    let operations = 2.0 * f64::from(iterations) * n as f64 * (3.0 + row + 25.0 * (5.0 + row) + 3.0) * 1e-6;
    Outcome { seconds, operations, error: error(zeta, published), allowed: 1e-10 }
}
