//! Prints how annotated loops compare with plain ones for each way to write an index: with one thread, so that only the code of the
//! loop counts.
//!
//! Usage: `indices [N] [REPS] [ONLY]`; run it with `FORALL_THREADS=1`.

use forall::{foreach, kary_reduce};
use ndarray::{Array2, Array3};
use primitives::measure::{in_turn, median};
use std::hint::black_box;
use std::time::Instant;

/// The width of a picture, in a struct.
pub struct Size {
    width: usize,
    height: usize,
}

#[foreach]
fn shifted(x: &[f32], y: &mut [f32]) {
    for i in 2..x.len() - 2 {
        y[i] = x[i - 2] - 4.0 * x[i - 1] + 6.0 * x[i] - 4.0 * x[i + 1] + x[i + 2];
    }
}

#[foreach]
fn items(x: &[f32], y: &mut [f32]) {
    for (a, b) in y.iter_mut().zip(x) {
        *a += 0.5 * *b;
    }
}

#[foreach]
fn enumerated(x: &[f32], y: &mut [f32]) {
    for (i, v) in y.iter_mut().enumerate() {
        *v += x[i];
    }
}

#[foreach]
fn laplace(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    for j in 1..h - 1 {
        for i in 1..w - 1 {
            let at = j * w + i;
            y[at] = x[at - w] + x[at - 1] - 4.0 * x[at] + x[at + 1] + x[at + w];
        }
    }
}

#[foreach]
fn of_fields(size: &Size, x: &[f32], y: &mut [f32]) {
    for j in 1..size.height - 1 {
        for i in 1..size.width - 1 {
            y[j * size.width + i] =
                x[(j - 1) * size.width + i] + x[j * size.width + i - 1] + x[(j + 1) * size.width + i];
        }
    }
}

#[foreach]
fn by_closure(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let at = |i: usize, j: usize| j * w + i;
    for j in 1..h - 1 {
        for i in 1..w - 1 {
            y[j * w + i] = x[at(i, j - 1)] + x[at(i, j + 1)] + x[at(i - 1, j)] + x[at(i + 1, j)];
        }
    }
}

#[foreach]
fn guarded(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    for j in 0..h {
        for i in 0..w {
            let mut sum = x[j * w + i];
            if i > 0 {
                sum += x[j * w + i - 1];
            }
            if i + 1 < w {
                sum += x[j * w + i + 1];
            }
            y[j * w + i] = sum;
        }
    }
}

#[foreach]
fn periodic(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    for j in 0..h {
        for i in 0..w {
            let left = if i == 0 { w - 1 } else { i - 1 };
            let right = (i + 1) % w;
            y[j * w + i] = x[j * w + left] + x[j * w + right];
        }
    }
}

#[foreach]
fn clamped(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    for j in 0..h {
        for i in 0..w {
            y[j * w + i] = x[j * w + i.saturating_sub(1)] + x[j * w + (i + 1).min(w - 1)];
        }
    }
}

#[foreach]
fn flat(w: usize, x: &[f32], y: &mut [f32]) {
    for k in 0..y.len() {
        let (i, j) = (k % w, k / w);
        y[k] = x[j * w + (w - 1 - i)];
    }
}

#[foreach]
fn in_u32(w: u32, h: u32, x: &[f32], y: &mut [f32]) {
    for j in 1..h - 1 {
        for i in 1..w - 1 {
            y[(j * w + i) as usize] = x[((j - 1) * w + i) as usize] + x[((j + 1) * w + i) as usize];
        }
    }
}

#[foreach]
fn triples(x: &[f32], y: &mut [f32]) {
    for i in 0..x.len() / 3 {
        for k in 0..3 {
            y[3 * i + k] = 2.0 * x[3 * i + (k + 1) % 3];
        }
    }
}

#[foreach]
fn product(n: usize, a: &[f32], #[replicated] b: &[f32], c: &mut [f32]) {
    for i in 0..a.len() / n {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

#[foreach]
fn rows_of_matrix(n: usize, a: &[f32], #[replicated] b: &[f32], c: &mut [f32]) {
    for i in 0..a.len() / n {
        for k in 0..n {
            let v = a[i * n + k];
            for j in 0..n {
                c[i * n + j] += v * b[k * n + j];
            }
        }
    }
}

#[foreach]
fn summed(n: usize, a: &[f32], y: &mut [f32]) {
    for i in 0..y.len() {
        y[i] = (0..n).map(|k| a[i * n + k]).sum();
    }
}

#[foreach]
fn plane(a: &Array2<f32>, out: &mut Array2<f32>) {
    for y in 1..a.nrows() - 1 {
        for x in 1..a.ncols() - 1 {
            out[[y, x]] = a[[y - 1, x]] + a[[y + 1, x]] + a[[y, x - 1]] + a[[y, x + 1]];
        }
    }
}

#[foreach]
fn volume(a: &Array3<f32>, out: &mut Array3<f32>) {
    let (nz, ny, nx) = a.dim();
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                out[[z, y, x]] =
                    a[[z - 1, y, x]] + a[[z + 1, y, x]] + a[[z, y - 1, x]] + a[[z, y + 1, x]] + a[[z, y, x - 1]];
            }
        }
    }
}

#[foreach]
fn by_tuples(a: &Array3<f32>, out: &mut Array3<f32>) {
    for z in 1..a.dim().0 {
        for y in 0..a.shape()[1] {
            for x in 0..a.shape()[2] {
                out[(z, y, x)] = a[(z - 1, y, x)] + a[(z, y, x)];
            }
        }
    }
}

#[kary_reduce]
fn distance(w: usize, h: usize, x: &[f32], y: &[f32]) -> f32 {
    let mut sum = 0.0;
    for j in 0..h {
        for i in 0..w {
            let d = x[j * w + i] - y[j * w + i];
            sum += d * d;
        }
    }
    sum
}

#[kary_reduce]
fn differences(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        sum += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
    }
    sum
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (n, reps) = (number(1 << 18), number(31) as u32);
    let only = arguments.next().unwrap_or_default();
    let side = n.isqrt().max(8);
    let (w, h, size) = (side, side, Size { width: side, height: side });
    let n = side * side;
    let x: Vec<f32> = (0..n).map(|i| (i % 97) as f32 * 0.125).collect();
    let (mut y, m) = (vec![0.0f32; n], 96);
    let a = Array2::from_shape_fn((side, side), |(j, i)| (i + j) as f32);
    let mut out = a.clone();
    let edge = (n as f64).cbrt().round().max(4.0) as usize;
    let b = Array3::from_shape_fn((edge, edge, edge), |(k, j, i)| (i + j + k) as f32);
    let mut c = b.clone();
    let matrix = m * m;
    println!("medians of {reps} runs in turn, {n} elements");
    println!("| loop | plain us | annotated us | plain / annotated |");
    println!("|---|---:|---:|---:|");
    macro_rules! rows {
        ($($f:ident($($argument:expr),*);)*) => {$(
            if stringify!($f).contains(&only) {
                let times = in_turn(2, reps, |way| {
                    let start = Instant::now();
                    for _ in 0..4 {
                        if way == 0 {
                            black_box($f::sequential($(black_box($argument)),*));
                        } else {
                            black_box($f($(black_box($argument)),*));
                        }
                    }
                    start.elapsed().as_secs_f64() / 4.0
                });
                let [plain, annotated] = [0, 1].map(|way| median(&times[way]));
                println!("| {} | {:.1} | {:.1} | {:.2} |", stringify!($f), plain * 1e6, annotated * 1e6, plain / annotated);
            }
        )*};
    }
    rows! {
        shifted(&x, &mut y);
        items(&x, &mut y);
        enumerated(&x, &mut y);
        laplace(w, h, &x, &mut y);
        of_fields(&size, &x, &mut y);
        by_closure(w, h, &x, &mut y);
        guarded(w, h, &x, &mut y);
        periodic(w, h, &x, &mut y);
        clamped(w, h, &x, &mut y);
        flat(w, &x, &mut y);
        in_u32(w as u32, h as u32, &x, &mut y);
        triples(&x, &mut y);
        product(m, &x[..matrix], &x[..matrix], &mut y[..matrix]);
        rows_of_matrix(m, &x[..matrix], &x[..matrix], &mut y[..matrix]);
        summed(side, &x, &mut y[..side]);
        plane(&a, &mut out);
        volume(&b, &mut c);
        by_tuples(&b, &mut c);
        distance(w, h, &x, &y);
        differences(&x);
    }
}
