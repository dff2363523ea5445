//! Arrays that every rank has, and iterations fold into, element by element.

use crate::support::*;
use forall::{foreach_tls, kary_reduce};

/// Premultiplied colour and opacity.
type Pixel = [f32; 4];

const CLEAR: Pixel = [0.0; 4];

/// The nearer pixel is `front`.
fn over(front: Pixel, back: Pixel) -> Pixel {
    std::array::from_fn(|k| front[k] + (1.0 - front[3]) * back[k])
}

/// Layers, front to back.
#[kary_reduce(combine = over, identity = CLEAR)]
fn composite(layers: &[Pixel], #[replicated] frame: &mut [Pixel]) {
    for layer in layers.chunks(frame.len()) {
        for (d, s) in frame.iter_mut().zip(layer) {
            *d = over(*d, *s);
        }
    }
}

/// The same, and how many layers there are.
#[kary_reduce(combine = over, identity = CLEAR)]
fn composite_and_count(layers: &[Pixel], #[replicated] frame: &mut [Pixel]) -> usize {
    let mut count = 0;
    for layer in layers.chunks(frame.len()) {
        for (d, s) in frame.iter_mut().zip(layer) {
            *d = over(*d, *s);
        }
        count += 1;
    }
    count
}

/// A function `x -> factor x + term`: one after the other is another one, exactly, and the order matters.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Affine {
    factor: u32,
    term: u32,
}

impl Affine {
    const SAME: Affine = Affine { factor: 1, term: 0 };

    fn then(self, later: Affine) -> Affine {
        let Affine { factor, term } = later;
        Affine { factor: self.factor.wrapping_mul(factor), term: self.term.wrapping_mul(factor).wrapping_add(term) }
    }
}

same_fields!(Affine { factor, term });

fn steps(n: usize, seed: u64) -> Vec<Affine> {
    // Every third changes nothing.
    made(n, seed, |bits| match bits % 3 {
        0 => Affine::SAME,
        _ => Affine { factor: bits as u32 | 1, term: (bits >> 32) as u32 },
    })
}

#[kary_reduce(combine = Affine::then, identity = Affine::SAME, algorithm = tod_tree, regions = 2, k = 2)]
fn along_rows(steps: &[Affine], columns: usize, #[replicated] total: &mut [Affine]) {
    for i in 0..steps.len() / columns {
        for j in 0..columns {
            total[j] = Affine::then(total[j], steps[i * columns + j]);
        }
    }
}

#[kary_reduce(combine = then, identity = Affine::SAME, algorithm = binary_swap)]
fn called_as_a_method(steps: &[Affine], columns: usize) -> Vec<Affine> {
    let mut total = vec![Affine::SAME; columns];
    for row in steps.chunks_exact(columns) {
        for (j, t) in total.iter_mut().enumerate() {
            *t = (*t).then(row[j]);
        }
    }
    total
}

fn then(earlier: Affine, later: Affine) -> Affine {
    earlier.then(later)
}

#[kary_reduce(combine = then, identity = Affine::SAME, algorithm = radix_k, radices = [3, 2])]
fn where_it_matters(steps: &[Affine], columns: usize, #[replicated] total: &mut [Affine]) {
    for row in steps.chunks_exact(columns) {
        for (t, step) in total.iter_mut().zip(row) {
            if step.term % 2 == 1 {
                *t = then(*t, *step);
            }
        }
    }
}

/// Slices pass through a row of ranks and back; more slices than there are elements, at times.
#[kary_reduce(combine = then, identity = Affine::SAME, algorithm = pipeline, slices = 5)]
fn through_a_row(steps: &[Affine], columns: usize, #[replicated] total: &mut [Affine]) {
    for row in steps.chunks_exact(columns) {
        for (t, step) in total.iter_mut().zip(row) {
            *t = then(*t, *step);
        }
    }
}

/// The nearest of all, with its colour.
#[kary_reduce(combine = nearer, identity = FAR, algorithm = direct_send)]
fn depth(layers: &[Fragment], #[replicated] frame: &mut [Fragment]) {
    for layer in layers.chunks_exact(frame.len()) {
        for (d, s) in frame.iter_mut().zip(layer.iter()) {
            *d = nearer(*d, *s);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Fragment {
    colour: [u8; 4],
    depth: f32,
}

const FAR: Fragment = Fragment { colour: [0; 4], depth: 1.0 };

fn nearer(one: Fragment, other: Fragment) -> Fragment {
    if other.depth < one.depth { other } else { one }
}

same_fields!(Fragment { colour, depth });

/// Sums of columns.
#[kary_reduce]
fn column_sums(a: &[f64], columns: usize, #[replicated] totals: &mut [f64]) {
    for i in 0..a.len() / columns {
        for j in 0..columns {
            totals[j] += a[i * columns + j];
        }
    }
}

#[kary_reduce(algorithm = tree, k = 3)]
fn by_a_tree(a: &[f64], columns: usize, #[replicated] totals: &mut [f64]) {
    for row in a.chunks_exact(columns) {
        for (total, x) in totals.iter_mut().zip(row) {
            *total += x;
        }
    }
}

#[kary_reduce(algorithm = serial_direct_send)]
fn largest(a: &[i64], columns: usize, #[replicated] most: &mut [i64], #[replicated] less: &mut [i64]) {
    for row in a.chunks_exact(columns) {
        for ((m, l), x) in most.iter_mut().zip(less.iter_mut()).zip(row) {
            *m = (*m).max(*x);
            *l -= x;
        }
    }
}

/// Items, and not indices.
#[kary_reduce]
fn mean_profile(a: &[f32], columns: usize) -> Vec<f32> {
    let mut profile = vec![0.0f32; columns];
    let mut rows = 0;
    for row in a.chunks_exact(columns) {
        rows += 1;
        for (p, x) in profile.iter_mut().zip(row).rev() {
            *p += x;
        }
    }
    profile.iter_mut().for_each(|p| *p /= rows.max(1) as f32);
    profile
}

/// Arrays that the ranks merge in parts, beside a number, which they do not.
#[kary_reduce]
fn wide(a: &[i64], columns: usize, #[replicated] totals: &mut [i64], #[replicated] most: &mut [i64]) -> i64 {
    let mut sum = 0;
    for i in 0..a.len() / columns {
        for j in 0..columns {
            totals[j] -= a[i * columns + j];
            most[j] = most[j].max(a[i * columns + j]);
            sum += a[i * columns + j];
        }
    }
    sum
}

/// How many, their sum and the sum of squares, of each class.
#[foreach_tls]
fn moments_of_classes(x: &[f64], class: &[u32], #[replicated] sums: &mut [[f64; 3]], seen: &mut Vec<u32>) {
    for i in 0..x.len() {
        let k = class[i] as usize;
        sums[k][0] += 1.0;
        sums[k][1] += x[i];
        sums[k][2] += x[i] * x[i];
        if x[i] > 0.99 {
            seen.push(class[i]);
        }
    }
}

#[kary_reduce]
fn histogram_of(x: &[u32], #[replicated] bins: &mut [u64]) {
    for v in x {
        bins[*v as usize % 16] += 1;
    }
}

fn pixels(n: usize, seed: u64) -> Vec<Pixel> {
    made(n, seed, |bits| {
        let alpha = if bits % 4 == 0 { 0.0 } else { 0.4 * unit(bits) as f32 };
        [alpha * 0.5, alpha * 0.25, alpha * ((bits % 5) as f32 / 4.0), alpha]
    })
}

fn fragments(n: usize, seed: u64) -> Vec<Fragment> {
    made(n, seed, |bits| match bits % 3 {
        0 => FAR,
        _ => Fragment { colour: (bits as u32).to_ne_bytes(), depth: unit(bits) as f32 },
    })
}

/// Rows of about as many elements as there are rows.
fn columns(n: usize) -> usize {
    square(n).max(1)
}

cases! {
    composite(n) {
        let (columns, frame) = (columns(n), vec![[0.05, 0.1, 0.0, 0.125]; columns(n)]);
        let layers = pixels(n, 1);
        check!(composite(&layers, &mut frame) within 1e-6; shares layers; keeps frame);
        let (layers, frame) = (pixels(9 * columns, 2), vec![CLEAR; columns]);
        check!(composite(&layers, &mut frame) within 1e-6; shares layers; keeps frame);
    }
    composite_and_count(n) {
        let (columns, frame) = (columns(n), vec![[0.05, 0.1, 0.0, 0.125]; columns(n)]);
        let layers = pixels(n, 1);
        check!(composite_and_count(&layers, &mut frame) within 1e-6; shares layers; keeps frame);
        let (layers, frame) = (pixels(9 * columns, 2), vec![CLEAR; columns]);
        check!(composite_and_count(&layers, &mut frame) within 1e-6; shares layers; keeps frame);
    }
    along_rows(n) {
        let (columns, steps) = (columns(n), steps(n, 1));
        let total = self::steps(columns, 2);
        check!(along_rows(&steps, columns, &mut total); shares steps; keeps total);
    }
    called_as_a_method(n) {
        let (columns, steps) = (columns(n), steps(n, 1));
        check!(called_as_a_method(&steps, columns); shares steps);
    }
    where_it_matters(n) {
        let (columns, steps) = (columns(n), steps(n, 1));
        let total = self::steps(columns, 2);
        check!(where_it_matters(&steps, columns, &mut total); shares steps; keeps total);
    }
    through_a_row(n) {
        let (columns, steps) = (columns(n), steps(n, 1));
        let total = self::steps(columns, 2);
        check!(through_a_row(&steps, columns, &mut total); shares steps; keeps total);
    }
    depth(n) {
        let frame = fragments(columns(n), 1);
        let layers = fragments(n, 2);
        check!(depth(&layers, &mut frame); shares layers; keeps frame);
    }
    column_sums(n) {
        let (columns, a) = (columns(n), reals(n, 1));
        let totals = reals(columns, 2);
        check!(column_sums(&a, columns, &mut totals) within 1e-11; shares a; keeps totals);
    }
    wide(n) {
        let columns = if n > 4000 { 2 * n } else { columns(n) };
        let (a, most) = (integers(3 * columns, 1), vec![-500; columns]);
        let totals = integers(columns, 2);
        check!(wide(&a, columns, &mut totals, &mut most); shares a; keeps totals, most);
    }
    by_a_tree(n) {
        let (columns, a) = (columns(n), reals(n, 1));
        let totals = reals(columns, 2);
        check!(by_a_tree(&a, columns, &mut totals) within 1e-11; shares a; keeps totals);
    }
    largest(n) {
        let (columns, a) = (columns(n), integers(n, 1));
        let (most, less) = (vec![-500; columns], integers(columns, 2));
        check!(largest(&a, columns, &mut most, &mut less); shares a; keeps most, less);
    }
    mean_profile(n) {
        let (columns, a) = (columns(n), singles(n, 1));
        check!(mean_profile(&a, columns) within 1e-5; shares a);
    }
    moments_of_classes(n) {
        let (x, class) = (reals(n, 1), naturals(n, 2, 7));
        let (sums, seen) = (vec![[0.0, 1.0, 2.0]; 7], Vec::<u32>::new());
        check!(moments_of_classes(&x, &class, &mut sums, &mut seen) within 1e-10; shares x, class; writes seen; keeps sums);
    }
    histogram_of(n) {
        let (x, bins) = (naturals(n, 1, 1000), vec![3; 16]);
        check!(histogram_of(&x, &mut bins); shares x; keeps bins);
    }
}
