//! The same twenty loops by hand with rayon.
use rayon::prelude::*;

fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    y.par_iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

fn daxpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    y.par_iter_mut().zip(x).for_each(|(y, x)| *y = alpha * x + *y);
}

fn iaxpy(k: i32, from: &[i32], to: &mut [i32]) {
    to.par_iter_mut().zip(from).for_each(|(to, from)| *to += k * from);
}

fn axpby(a: f64, x: &[f64], b: f64, y: &[f64], z: &mut [f64]) {
    z.par_iter_mut().zip(x).zip(y).for_each(|((z, x), y)| *z = a * x + b * y);
}

fn laplace(u: &[f64], nx: usize, ny: usize, out: &mut [f64]) {
    out.par_chunks_mut(nx).enumerate().skip(1).take(ny - 2).for_each(|(y, out)| {
        for x in 1..nx - 1 {
            let at = y * nx + x;
            out[x] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - 4.0 * u[at];
        }
    });
}

fn heat(t: &[f32], width: usize, height: usize, rate: f32, next: &mut [f32]) {
    next.par_chunks_mut(width).enumerate().skip(1).take(height - 2).for_each(|(row, next)| {
        for col in 1..width - 1 {
            let c = row * width + col;
            next[col] = t[c] + rate * (t[c - 1] + t[c + 1] + t[c - width] + t[c + width] - 4.0 * t[c]);
        }
    });
}

fn blur(image: &[u32], w: usize, h: usize, out: &mut [u32]) {
    out.par_chunks_mut(w).enumerate().skip(1).take(h - 2).for_each(|(y, out)| {
        for x in 1..w - 1 {
            let i = y * w + x;
            out[x] = (image[i] + image[i - 1] + image[i + 1] + image[i - w] + image[i + w]) / 5;
        }
    });
}

fn jacobi(x: &[f64], b: &[f64], n: usize, m: usize, out: &mut [f64]) {
    out.par_chunks_mut(n).enumerate().skip(1).take(m - 2).for_each(|(j, out)| {
        for i in 1..n - 1 {
            out[i] =
                0.25 * (b[j * n + i] + x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
        }
    });
}

fn chunk(n: usize) -> usize {
    n.div_ceil(4 * rayon::current_num_threads()).max(1)
}

fn running_total(x: &[u64], out: &mut [u64]) {
    let chunk = chunk(x.len());
    let mut before = 0;
    let totals: Vec<u64> = x.par_chunks(chunk).map(|x| x.iter().sum()).collect();
    let starts: Vec<u64> = totals
        .iter()
        .map(|total| {
            before += total;
            before - total
        })
        .collect();
    out.par_chunks_mut(chunk).zip(x.par_chunks(chunk)).zip(starts).for_each(|((out, x), mut sum)| {
        for (out, x) in out.iter_mut().zip(x) {
            sum += x;
            *out = sum;
        }
    });
}

fn offsets(counts: &[usize], starts: &mut [usize]) {
    let chunk = chunk(counts.len());
    let mut before = 0;
    let totals: Vec<usize> = counts.par_chunks(chunk).map(|x| x.iter().sum()).collect();
    let firsts: Vec<usize> = totals
        .iter()
        .map(|total| {
            before += total;
            before - total
        })
        .collect();
    starts.par_chunks_mut(chunk).zip(counts.par_chunks(chunk)).zip(firsts).for_each(|((starts, counts), mut next)| {
        for (start, count) in starts.iter_mut().zip(counts) {
            *start = next;
            next += count;
        }
    });
}

fn cumulative(p: &[f64], cdf: &mut [f64]) -> f64 {
    let chunk = chunk(p.len());
    let totals: Vec<f64> = p.par_chunks(chunk).map(|p| p.iter().sum()).collect();
    let mut before = 0.0;
    let starts: Vec<f64> = totals
        .iter()
        .map(|total| {
            let start = before;
            before += total;
            start
        })
        .collect();
    cdf.par_chunks_mut(chunk).zip(p.par_chunks(chunk)).zip(starts).for_each(|((cdf, p), mut total)| {
        for (cdf, p) in cdf.iter_mut().zip(p) {
            total += p;
            *cdf = total;
        }
    });
    before
}

fn highest_so_far(prices: &[f32], out: &mut [f32]) {
    let chunk = chunk(prices.len());
    let highest: Vec<f32> =
        prices.par_chunks(chunk).map(|p| p.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b))).collect();
    let mut before = f32::NEG_INFINITY;
    let starts: Vec<f32> = highest
        .iter()
        .map(|high| {
            let start = before;
            before = before.max(*high);
            start
        })
        .collect();
    out.par_chunks_mut(chunk).zip(prices.par_chunks(chunk)).zip(starts).for_each(|((out, prices), mut high)| {
        for (out, price) in out.iter_mut().zip(prices) {
            high = high.max(*price);
            *out = high;
        }
    });
}

fn argmax(x: &[f32]) -> (f32, usize) {
    let later = |a: (f32, usize), b: (f32, usize)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
    x.par_iter().enumerate().map(|(i, x)| (*x, i)).reduce(|| (f32::NEG_INFINITY, 0), later)
}

fn hottest(days: &[i32]) -> (usize, i32) {
    let later = |a: (usize, i32), b: (usize, i32)| if b.1 > a.1 || (b.1 == a.1 && b.0 < a.0) { b } else { a };
    days.par_iter().enumerate().map(|(i, x)| (i, *x)).reduce(|| (0, i32::MIN), later)
}

fn nearest(xs: &[f64], at: f64) -> usize {
    let nearer = |a: (f64, usize), b: (f64, usize)| if b.0 < a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
    xs.par_iter().enumerate().map(|(i, x)| ((x - at).abs(), i)).reduce(|| (f64::INFINITY, 0), nearer).1
}

fn longest(lengths: &[u64]) -> (u64, usize) {
    let later = |a: (u64, usize), b: (u64, usize)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
    lengths.par_iter().enumerate().map(|(i, x)| (*x, i)).reduce(|| (0, 0), later)
}

fn positive(x: &[f32], out: &mut Vec<f32>) {
    out.par_extend(x.par_iter().copied().filter(|x| *x > 0.0));
}

fn places_above(values: &[f64], limit: f64, found: &mut Vec<usize>) {
    found.par_extend(values.par_iter().enumerate().filter(|(_, value)| **value > limit).map(|(i, _)| i));
}

fn even(numbers: &[u64], out: &mut Vec<u64>) {
    out.par_extend(numbers.par_iter().copied().filter(|n| n % 2 == 0));
}

fn marked(flags: &[u8], weights: &[i32], out: &mut Vec<(usize, i32)>) {
    out.par_extend(
        flags.par_iter().zip(weights).enumerate().filter(|(_, (flag, _))| **flag != 0).map(|(i, (_, w))| (i, *w)),
    );
}

fn main() {
    let n = std::env::args().len() * 30;
    let f: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
    let d: Vec<f64> = f.iter().map(|x| f64::from(*x)).collect();
    let i: Vec<i32> = (0..n * n).map(|i| (i % 11) as i32).collect();
    let w: Vec<u32> = i.iter().map(|i| *i as u32).collect();
    let u: Vec<u64> = i.iter().map(|i| *i as u64).collect();
    let s: Vec<usize> = i.iter().map(|i| *i as usize).collect();
    let b: Vec<u8> = i.iter().map(|i| *i as u8 % 2).collect();
    let (mut fo, mut dout, mut io, mut wo) = (f.clone(), d.clone(), i.clone(), w.clone());
    let (mut uo, mut so) = (u.clone(), s.clone());
    saxpy(2.0, &f, &mut fo);
    daxpy(2.0, &d, &mut dout);
    iaxpy(2, &i, &mut io);
    axpby(1.0, &d, 2.0, &d, &mut dout);
    println!("{:?} {:?} {:?}", fo.last(), dout.last(), io.last());
    laplace(&d, n, n, &mut dout);
    heat(&f, n, n, 0.1, &mut fo);
    blur(&w, n, n, &mut wo);
    println!("{:?} {:?} {:?}", fo[n + 1], dout[n + 1], wo[n + 1]);
    jacobi(&d, &d, n, n, &mut dout);
    println!("{:?}", dout[n + 1]);
    running_total(&u, &mut uo);
    offsets(&s, &mut so);
    println!("{:?} {:?} {}", uo.last(), so.last(), cumulative(&d, &mut dout));
    highest_so_far(&f, &mut fo);
    println!("{:?} {:?}", fo.last(), dout.last());
    println!("{:?} {:?} {:?} {:?}", argmax(&f), hottest(&i), nearest(&d, 0.6), longest(&u));
    let (mut fv, mut sv, mut uv, mut pv) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    positive(&f, &mut fv);
    places_above(&d, 1.5, &mut sv);
    even(&u, &mut uv);
    marked(&b, &i, &mut pv);
    println!("{} {} {} {}", fv.len(), sv.len(), uv.len(), pv.len());
}
