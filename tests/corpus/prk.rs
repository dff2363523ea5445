//! The Parallel Research Kernels.

use crate::support::*;
use forall::{foreach, kary_reduce};

const R: usize = 2;

/// The star stencil of radius 2: adds to the output, as the original does.
#[foreach]
fn prk_stencil(n: usize, input: &[f64], output: &mut [f64], weight: &[[f64; 2 * R + 1]; 2 * R + 1]) {
    for i in R..n - R {
        for j in R..n - R {
            for jj in 0..=2 * R {
                output[i * n + j] += weight[R][jj] * input[i * n + j + jj - R];
            }
            for ii in 0..R {
                output[i * n + j] += weight[ii][R] * input[(i + ii - R) * n + j];
                output[i * n + j] += weight[ii + R + 1][R] * input[(i + ii + 1) * n + j];
            }
        }
    }
}

/// Adds one to all elements of the input of the stencil.
#[foreach]
fn prk_increment(input: &mut [f64]) {
    for value in input.iter_mut() {
        *value += 1.0;
    }
}

/// Sum of absolute values inside the border: PRK's check of the stencil.
#[kary_reduce]
fn prk_norm(n: usize, output: &[f64]) -> f64 {
    let mut norm = 0.0;
    for i in R..n - R {
        for j in R..n - R {
            norm += output[i * n + j].abs();
        }
    }
    norm / ((n - 2 * R) * (n - 2 * R)).max(1) as f64
}

#[foreach]
fn prk_transpose(order: usize, #[replicated] a: &[f64], b: &mut [f64]) {
    for i in 0..order {
        for j in 0..order {
            b[i * order + j] += a[j * order + i];
        }
    }
}

#[foreach]
fn prk_nstream(a: &mut [f64], b: &[f64], c: &[f64], scalar: f64) {
    let length = a.len();
    for j in 0..length {
        a[j] += b[j] + scalar * c[j];
    }
}

/// Sparse matrix with a fixed number of entries a row.
#[foreach]
fn prk_sparse(nent: usize, matrix: &[f64], col_index: &[u32], #[gather] vector: &[f64], result: &mut [f64]) {
    for row in 0..result.len() {
        let first = nent * row;
        let last = first + nent - 1;
        let mut temp = 0.0;
        for col in first..=last {
            temp += matrix[col] * vector[col_index[col] as usize];
        }
        result[row] += temp;
    }
}

/// The branch kernel: what an iteration does depends on its place.
#[foreach]
fn prk_branch(vector: &mut [i32], index: &[i32]) {
    for i in 0..vector.len() {
        let aux = -(3 - (i as i32 & 7));
        match index[i] % 4 {
            0 => vector[i] += aux,
            1 | -1 => vector[i] -= aux,
            2 => vector[i] = vector[i] * 2 + aux,
            _ => {
                if aux < 0 {
                    vector[i] = -vector[i];
                }
            }
        }
    }
}

/// Vector reduction: many vectors, added element by element.
#[foreach]
fn prk_reduce(vectors: &[f64], nodes: usize, length: usize, sum: &mut [f64]) {
    for i in 0..length {
        let mut total = 0.0;
        for node in 0..nodes {
            total += vectors[node * length + i];
        }
        sum[i] = total;
    }
}

#[foreach]
fn prk_dgemm(order: usize, #[replicated] b: &[f64], a: &[f64], c: &mut [f64]) {
    for i in 0..order {
        for k in 0..order {
            let aik = a[i * order + k];
            for j in 0..order {
                c[i * order + j] += aik * b[k * order + j];
            }
        }
    }
}

/// A charged particle of the PIC kernel.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Particle {
    x: f64,
    y: f64,
    vx: f64,
    vy: f64,
    q: f64,
}
same_fields!(Particle { x, y, vx, vy, q });

fn coulomb(dx: f64, dy: f64, q1: f64, q2: f64) -> (f64, f64) {
    let r2 = dx * dx + dy * dy;
    let r = r2.sqrt();
    let f = q1 * q2 / r2.max(1e-6);
    (f * dx / r.max(1e-3), f * dy / r.max(1e-3))
}

/// Moves all particles by the force of the corners of their cells.
#[foreach]
fn prk_pic(particles: &mut [Particle], #[replicated] grid: &[f64], side: usize, dt: f64) {
    let l = side as f64;
    for p in particles.iter_mut() {
        let (x, y) = (p.x.floor() as usize % side, p.y.floor() as usize % side);
        let (rel_x, rel_y) = (p.x - x as f64, p.y - y as f64);
        let mut fx = 0.0;
        let mut fy = 0.0;
        for (cx, cy) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let charge = grid[(y + cy) % side * side + (x + cx) % side];
            let (tx, ty) = coulomb(rel_x - cx as f64, rel_y - cy as f64, p.q, charge);
            fx += tx;
            fy += ty;
        }
        p.x = (p.x + p.vx * dt + 0.5 * fx * dt * dt + l) % l;
        p.y = (p.y + p.vy * dt + 0.5 * fy * dt * dt + l) % l;
        p.vx += fx * dt;
        p.vy += fy * dt;
    }
}

cases! {
    prk_stencil(n) {
        let n = square(n).max(2 * R);
        let mut weight = [[0.0; 2 * R + 1]; 2 * R + 1];
        for ii in 1..=R {
            weight[R][R + ii] = 1.0 / (2 * ii * R) as f64;
            weight[R + ii][R] = 1.0 / (2 * ii * R) as f64;
            weight[R][R - ii] = -1.0 / (2 * ii * R) as f64;
            weight[R - ii][R] = -1.0 / (2 * ii * R) as f64;
        }
        let (input, output) = (reals(n * n, 1), reals(n * n, 2));
        check!(prk_stencil(n, &input, &mut output, &weight); shares input; writes output);
    }
    prk_increment(n) {
        let input = reals(n, 1);
        check!(prk_increment(&mut input); writes input);
    }
    prk_norm(n) {
        let n = square(n).max(2 * R);
        let output = reals(n * n, 1);
        check!(prk_norm(n, &output) within 1e-12; shares output);
    }
    prk_transpose(n) {
        let order = square(n);
        let (a, b) = (reals(order * order, 1), reals(order * order, 2));
        check!(prk_transpose(order, &a, &mut b); writes b);
    }
    prk_nstream(n) {
        let (a, b, c) = (reals(n, 1), reals(n, 2), reals(n, 3));
        check!(prk_nstream(&mut a, &b, &c, 3.0); shares b, c; writes a);
    }
    prk_sparse(n) {
        let nent = 5;
        let (matrix, col_index) = (reals(n * nent, 1), naturals(n * nent, 2, n));
        let (vector, result) = (reals(n, 3), reals(n, 4));
        check!(prk_sparse(nent, &matrix, &col_index, &vector, &mut result);
            shares matrix, col_index, vector; writes result);
    }
    prk_branch(n) {
        let (vector, index) = (integers32(n, 1), integers32(n, 2));
        check!(prk_branch(&mut vector, &index); shares index; writes vector);
    }
    prk_reduce(n) {
        let (nodes, length) = (5, n / 5);
        let (vectors, sum) = (reals(nodes * length, 1), vec![0.0; length]);
        check!(prk_reduce(&vectors, nodes, length, &mut sum); shares vectors; writes sum);
    }
    prk_dgemm(n) {
        let order = square(n);
        let (a, b, c) = (reals(order * order, 1), reals(order * order, 2), reals(order * order, 3));
        check!(prk_dgemm(order, &b, &a, &mut c); shares a; writes c);
    }
    prk_pic(n) {
        let side = 16;
        let grid = made(side * side, 1, |bits| if bits % 2 == 0 { 1.0 } else { -1.0 });
        let particles = made(n, 2, |bits| Particle {
            x: unit(bits) * 16.0,
            y: unit(bits.rotate_left(20)) * 16.0,
            vx: unit(bits.rotate_left(40)),
            vy: 0.0,
            q: 0.5,
        });
        check!(prk_pic(&mut particles, &grid, side, 0.1); writes particles);
    }
}
