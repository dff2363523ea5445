//! Twenty small loops, annotated: what `benches/build` compiles.
use forall::{distributed_scan, foreach, foreach_tls, kary_reduce};

#[foreach]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

#[foreach]
fn daxpy(alpha: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        y[i] = alpha * x[i] + y[i];
    }
}

#[foreach]
fn iaxpy(k: i32, from: &[i32], to: &mut [i32]) {
    for j in 0..from.len() {
        to[j] += k * from[j];
    }
}

#[foreach]
fn axpby(a: f64, x: &[f64], b: f64, y: &[f64], z: &mut [f64]) {
    for i in 0..z.len() {
        z[i] = a * x[i] + b * y[i];
    }
}

#[foreach]
fn laplace(u: &[f64], nx: usize, ny: usize, out: &mut [f64]) {
    for y in 1..ny - 1 {
        for x in 1..nx - 1 {
            let at = y * nx + x;
            out[at] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - 4.0 * u[at];
        }
    }
}

#[foreach]
fn heat(t: &[f32], width: usize, height: usize, rate: f32, next: &mut [f32]) {
    for row in 1..height - 1 {
        for col in 1..width - 1 {
            let c = row * width + col;
            next[c] = t[c] + rate * (t[c - 1] + t[c + 1] + t[c - width] + t[c + width] - 4.0 * t[c]);
        }
    }
}

#[foreach]
fn blur(image: &[u32], w: usize, h: usize, out: &mut [u32]) {
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let i = y * w + x;
            out[i] = (image[i] + image[i - 1] + image[i + 1] + image[i - w] + image[i + w]) / 5;
        }
    }
}

#[foreach]
fn jacobi(x: &[f64], b: &[f64], n: usize, m: usize, out: &mut [f64]) {
    for j in 1..m - 1 {
        for i in 1..n - 1 {
            out[j * n + i] =
                0.25 * (b[j * n + i] + x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i]);
        }
    }
}

#[distributed_scan]
fn running_total(x: &[u64], out: &mut [u64]) {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        out[i] = sum;
    }
}

#[distributed_scan]
fn offsets(counts: &[usize], starts: &mut [usize]) {
    let mut next = 0;
    for i in 0..counts.len() {
        starts[i] = next;
        next += counts[i];
    }
}

#[distributed_scan]
fn cumulative(p: &[f64], cdf: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for k in 0..p.len() {
        total += p[k];
        cdf[k] = total;
    }
    total
}

#[distributed_scan]
fn highest_so_far(prices: &[f32], out: &mut [f32]) {
    let mut high = f32::NEG_INFINITY;
    for i in 0..prices.len() {
        high = high.max(prices[i]);
        out[i] = high;
    }
}

#[kary_reduce]
fn argmax(x: &[f32]) -> (f32, usize) {
    let mut best = f32::NEG_INFINITY;
    let mut place = 0;
    for i in 0..x.len() {
        if x[i] > best {
            best = x[i];
            place = i;
        }
    }
    (best, place)
}

#[kary_reduce]
fn hottest(days: &[i32]) -> (usize, i32) {
    let (mut day, mut most) = (0, i32::MIN);
    for d in 0..days.len() {
        if days[d] > most {
            most = days[d];
            day = d;
        }
    }
    (day, most)
}

#[kary_reduce]
fn nearest(xs: &[f64], at: f64) -> usize {
    let mut least = f64::INFINITY;
    let mut found = 0;
    for i in 0..xs.len() {
        let distance = (xs[i] - at).abs();
        if distance < least {
            least = distance;
            found = i;
        }
    }
    found
}

#[kary_reduce]
fn longest(lengths: &[u64]) -> (u64, usize) {
    let mut length = 0;
    let mut index = 0;
    for i in 0..lengths.len() {
        if lengths[i] > length {
            length = lengths[i];
            index = i;
        }
    }
    (length, index)
}

#[foreach_tls]
fn positive(x: &[f32], out: &mut Vec<f32>) {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            out.push(x[i]);
        }
    }
}

#[foreach_tls]
fn places_above(values: &[f64], limit: f64, found: &mut Vec<usize>) {
    for i in 0..values.len() {
        if values[i] > limit {
            found.push(i);
        }
    }
}

#[foreach_tls]
fn even(numbers: &[u64], out: &mut Vec<u64>) {
    for k in 0..numbers.len() {
        if numbers[k] % 2 == 0 {
            out.push(numbers[k]);
        }
    }
}

#[foreach_tls]
fn marked(flags: &[u8], weights: &[i32], out: &mut Vec<(usize, i32)>) {
    for i in 0..flags.len() {
        if flags[i] != 0 {
            out.push((i, weights[i]));
        }
    }
}

#[forall::main]
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
