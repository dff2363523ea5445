//! Loops of LULESH, CloverLeaf, Rodinia, Parboil and of image processing, as they are written in Rust.

use crate::support::*;
use forall::{foreach, foreach_tls, kary_reduce};

#[kary_reduce]
fn hydro_constraint(vdov: &[f64], dvovmax: f64) -> f64 {
    let mut dthydro = 1.0e+20;
    for &v in vdov {
        if v == 0.0 {
            continue;
        }
        let dtdvov = dvovmax / (v.abs() + 1.0e-20);
        dthydro = f64::min(dthydro, dtdvov);
    }
    dthydro
}

/// Monotonic Q with the neighbours' flags.
#[foreach]
fn monotonic_q(
    delv_xi: &[f64],
    #[gather] dv: &[f64],
    lxim: &[usize],
    lxip: &[usize],
    bc: &[u32],
    qq: &mut [f64],
    limiter: f64,
) {
    for i in 0..qq.len() {
        let norm = 1. / (delv_xi[i] + 1e-36);
        let delvm = match bc[i] & 0x7 {
            0 => dv[lxim[i]],
            1 => delv_xi[i],
            2 => 0.0,
            _ => unreachable!("bad boundary"),
        } * norm;
        let delvp = match bc[i] >> 3 & 0x7 {
            0 => dv[lxip[i]],
            1 => delv_xi[i],
            _ => 0.0,
        } * norm;
        let mut phixi = 0.5 * (delvm + delvp);
        let (delvm, delvp) = (delvm * limiter, delvp * limiter);
        if delvm < phixi {
            phixi = delvm;
        }
        if delvp < phixi {
            phixi = delvp;
        }
        phixi = phixi.clamp(0.0, 1.0);
        qq[i] = phixi;
    }
}

fn elem_volume(x: &[f64; 8], y: &[f64; 8], z: &[f64; 8]) -> f64 {
    let dx61 = x[6] - x[1];
    let dy61 = y[6] - y[1];
    let dz61 = z[6] - z[1];
    let dx70 = x[7] - x[0];
    let dy70 = y[7] - y[0];
    let dz70 = z[7] - z[0];
    let dx30 = x[3] - x[0];
    let dy30 = y[3] - y[0];
    let dz30 = z[3] - z[0];
    dx61 * (dy70 * dz30 - dz70 * dy30) - dy61 * (dx70 * dz30 - dz70 * dx30) + dz61 * (dx70 * dy30 - dy70 * dx30)
}

#[foreach]
fn calc_kinematics(
    nodelist: &[usize],
    #[gather] x: &[f64],
    #[gather] y: &[f64],
    #[gather] z: &[f64],
    volo: &[f64],
    v: &[f64],
    vnew: &mut [f64],
    delv: &mut [f64],
    arealg: &mut [f64],
) {
    for k in 0..volo.len() {
        let mut x_local = [0.0; 8];
        let mut y_local = [0.0; 8];
        let mut z_local = [0.0; 8];
        for lnode in 0..8 {
            let gnode = nodelist[k * 8 + lnode];
            x_local[lnode] = x[gnode];
            y_local[lnode] = y[gnode];
            z_local[lnode] = z[gnode];
        }
        let volume = elem_volume(&x_local, &y_local, &z_local);
        let relative_volume = volume / volo[k];
        vnew[k] = relative_volume;
        delv[k] = relative_volume - v[k];
        arealg[k] = volume.abs().cbrt();
    }
}

/// The Courant time constraint with early `continue`.
#[kary_reduce]
fn courant(ss: &[f64], vdov: &[f64], arealg: &[f64], qqc: f64, dtcourant_old: f64) -> (f64, Option<usize>) {
    let qqc2 = 64.0 * qqc * qqc;
    let mut dtcourant = dtcourant_old;
    let mut courant_elem = None;
    for indx in 0..ss.len() {
        let mut dtf = ss[indx] * ss[indx];
        if vdov[indx] < 0. {
            dtf += qqc2 * arealg[indx] * arealg[indx] * vdov[indx] * vdov[indx];
        }
        dtf = arealg[indx] / dtf.sqrt();
        if vdov[indx] != 0. && dtf < dtcourant {
            dtcourant = dtf;
            courant_elem = Some(indx);
        }
    }
    (dtcourant, courant_elem)
}

/// Halo update of a field: the left and right columns mirrored.
#[foreach]
fn update_halo_columns(field: &mut [f64], nx: usize, ny: usize, depth: usize) {
    let stride = nx + 2 * depth;
    for k in 0..ny {
        for j in 0..depth {
            field[k * stride + depth - 1 - j] = field[k * stride + depth + j];
            field[k * stride + depth + nx + j] = field[k * stride + depth + nx - 1 - j];
        }
    }
}

/// Thomas algorithm for many independent systems: the system is the fast index.
#[foreach]
fn batched_tridiagonal(a: &[f64], b: &[f64], c: &[f64], d: &mut [f64], cp: &mut [f64], systems: usize, n: usize) {
    for s in 0..systems {
        cp[s] = c[s] / b[s];
        d[s] = d[s] / b[s];
        for i in 1..n {
            let k = i * systems + s;
            let m = 1.0 / (b[k] - a[k] * cp[k - systems]);
            cp[k] = c[k] * m;
            d[k] = (d[k] - a[k] * d[k - systems]) * m;
        }
        for i in (0..n - 1).rev() {
            let k = i * systems + s;
            d[k] -= cp[k] * d[k + systems];
        }
    }
}

/// Jacobi until it converges: a `while` around, with the error reduced inside and the arrays swapped by role.
#[foreach]
fn jacobi(a: &mut [f64], b: &mut [f64], nx: usize, ny: usize, tol: f64, max_iter: usize) -> usize {
    let mut iter = 0;
    let mut err = f64::MAX;
    while err > tol && iter < max_iter {
        err = 0.0f64;
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                b[j * nx + i] =
                    0.25 * (a[j * nx + i + 1] + a[j * nx + i - 1] + a[(j - 1) * nx + i] + a[(j + 1) * nx + i]);
                err = err.max((b[j * nx + i] - a[j * nx + i]).abs());
            }
        }
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                a[j * nx + i] = b[j * nx + i];
            }
        }
        iter += 1;
    }
    iter
}

/// lavaMD: particles of a box with those of its neighbours.
#[foreach]
fn lavamd(
    alpha: f64,
    #[gather] rv: &[[f64; 4]],
    #[gather] qv: &[f64],
    fv: &mut [[f64; 4]],
    nn: &[usize],
    #[gather] nei: &[usize],
    per_box: usize,
) {
    let a2 = 2.0 * alpha * alpha;
    for l in 0..nn.len() {
        for k in 0..1 + nn[l] {
            let pointer = if k == 0 { l } else { nei[l * 26 + k - 1] };
            for i in 0..per_box {
                let ra = rv[l * per_box + i];
                for j in 0..per_box {
                    let rb = rv[pointer * per_box + j];
                    let r2 = ra[0] + rb[0] - (ra[1] * rb[1] + ra[2] * rb[2] + ra[3] * rb[3]);
                    let vij = (-a2 * r2).exp();
                    let fs = 2.0 * vij;
                    let d = [ra[1] - rb[1], ra[2] - rb[2], ra[3] - rb[3]];
                    let q = qv[pointer * per_box + j];
                    fv[l * per_box + i][0] += q * vij;
                    fv[l * per_box + i][1] += q * fs * d[0];
                    fv[l * per_box + i][2] += q * fs * d[1];
                    fv[l * per_box + i][3] += q * fs * d[2];
                }
            }
        }
    }
}

/// BFS, pull form.
#[kary_reduce]
fn bfs_pull(
    starting: &[usize],
    #[gather] edges: &[usize],
    #[gather] frontier: &[bool],
    visited: &mut [bool],
    cost: &mut [i32],
    next: &mut [bool],
    level: i32,
) -> bool {
    let mut over = false;
    for v in 0..visited.len() {
        next[v] = false;
        if !visited[v] {
            for e in starting[v]..starting[v + 1] {
                if frontier[edges[e]] {
                    visited[v] = true;
                    cost[v] = level + 1;
                    next[v] = true;
                    over = true;
                    break;
                }
            }
        }
    }
    over
}

/// tpacf: angular correlation into a local histogram of bins, a binary search per pair.
#[kary_reduce]
fn tpacf(#[replicated] data: &[[f32; 3]], #[replicated] binb: &[f32], n: usize) -> Vec<u64> {
    let nbins = binb.len() - 1;
    let mut bins = vec![0u64; nbins + 2];
    for i in 0..n {
        let [xi, yi, zi] = data[i];
        for j in i + 1..n {
            let dot = xi * data[j][0] + yi * data[j][1] + zi * data[j][2];
            let mut min = 0;
            let mut max = nbins;
            while max > min + 1 {
                let k = (min + max) / 2;
                if dot >= binb[k] {
                    max = k;
                } else {
                    min = k;
                }
            }
            if dot >= binb[min] {
                bins[min] += 1;
            } else if dot < binb[max] {
                bins[max + 1] += 1;
            } else {
                bins[max] += 1;
            }
        }
    }
    bins
}

fn find_index(cdf: &[f64], value: f64) -> usize {
    cdf.iter().position(|c| *c >= value).unwrap_or(cdf.len() - 1)
}

#[foreach]
fn particle_resample(#[replicated] cdf: &[f64], u: &[f64], #[gather] array_x: &[f64], xj: &mut [f64]) {
    for j in 0..xj.len() {
        let i = find_index(cdf, u[j]);
        xj[j] = array_x[i];
    }
}

fn sample(field: &[f32], nx: usize, ny: usize, x: f32, y: f32) -> f32 {
    let xi = (x.max(0.0) as usize).min(nx - 2);
    let yi = (y.max(0.0) as usize).min(ny - 2);
    let (u, v) = (x - xi as f32, y - yi as f32);
    let a = field[yi * nx + xi] * (1.0 - u) + field[yi * nx + xi + 1] * u;
    let b = field[(yi + 1) * nx + xi] * (1.0 - u) + field[(yi + 1) * nx + xi + 1] * u;
    a * (1.0 - v) + b * v
}

/// All points of the streamlines, pushed with their line.
#[foreach_tls]
fn streamline_points(
    #[replicated] vx: &[f32],
    #[replicated] vy: &[f32],
    nx: usize,
    ny: usize,
    seeds: &[[f32; 2]],
    points: &mut Vec<[f32; 2]>,
    lines: &mut Vec<u32>,
) {
    for s in 0..seeds.len() {
        let [mut x, mut y] = seeds[s];
        for _step in 0..20 {
            points.push([x, y]);
            lines.push(s as u32);
            let (u, v) = (sample(vx, nx, ny, x, y), sample(vy, nx, ny, x, y));
            if u * u + v * v < 1e-6 {
                break;
            }
            x += 0.3 * u;
            y += 0.3 * v;
        }
    }
}

/// k nearest by brute force, with an insertion into a small array.
#[foreach]
fn knn(#[replicated] points: &[[f32; 2]], queries: &[[f32; 2]], nearest: &mut [[u32; 4]]) {
    for (q, out) in queries.iter().zip(nearest.iter_mut()) {
        let mut best = [(f32::INFINITY, u32::MAX); 4];
        for (i, p) in points.iter().enumerate() {
            let d = (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
            if d < best[3].0 {
                let mut at = 3;
                while at > 0 && best[at - 1].0 > d {
                    best[at] = best[at - 1];
                    at -= 1;
                }
                best[at] = (d, i as u32);
            }
        }
        for k in 0..4 {
            out[k] = best[k].1;
        }
    }
}

/// One sweep of label propagation: the least label of the four neighbours in the same region, and whether any changed.
#[kary_reduce]
fn label_sweep(mask: &[bool], labels: &[u32], next: &mut [u32], w: usize, h: usize) -> bool {
    let mut changed = false;
    for y in 0..h {
        for x in 0..w {
            let i = y * w + x;
            let mut least = labels[i];
            if mask[i] {
                if x > 0 && mask[i - 1] {
                    least = least.min(labels[i - 1]);
                }
                if x + 1 < w && mask[i + 1] {
                    least = least.min(labels[i + 1]);
                }
                if y > 0 && mask[i - w] {
                    least = least.min(labels[i - w]);
                }
                if y + 1 < h && mask[i + w] {
                    least = least.min(labels[i + w]);
                }
            }
            if least != labels[i] {
                changed = true;
            }
            next[i] = least;
        }
    }
    changed
}

#[foreach]
fn bilateral(src: &[f32], dst: &mut [f32], w: usize, h: usize, radius: i32, ss: f32, sr: f32) {
    for y in 0..h as i32 {
        for x in 0..w as i32 {
            let centre = src[(y * w as i32 + x) as usize];
            let mut sum = 0.0;
            let mut weight = 0.0;
            for dy in -radius..=radius {
                for dx in -radius..=radius {
                    let sy = (y + dy).clamp(0, h as i32 - 1);
                    let sx = (x + dx).clamp(0, w as i32 - 1);
                    let v = src[(sy * w as i32 + sx) as usize];
                    let g = (-((dx * dx + dy * dy) as f32) / ss - (v - centre).powi(2) / sr).exp();
                    sum += g * v;
                    weight += g;
                }
            }
            dst[(y * w as i32 + x) as usize] = sum / weight;
        }
    }
}

#[foreach]
fn row_distance(mask: &[bool], dist: &mut [u32], w: usize) {
    for (r, row) in dist.chunks_mut(w).enumerate() {
        for x in 0..row.len() {
            row[x] = (0..w).filter(|&k| mask[r * w + k]).map(|k| k.abs_diff(x) as u32).min().unwrap_or(u32::MAX);
        }
    }
}

#[kary_reduce]
fn sobel(src: &[f32], mag: &mut [f32], w: usize, h: usize) -> f32 {
    let mut most = 0.0f32;
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let p = |dx: usize, dy: usize| src[(y + dy - 1) * w + (x + dx - 1)];
            let gx = p(2, 0) + 2.0 * p(2, 1) + p(2, 2) - p(0, 0) - 2.0 * p(0, 1) - p(0, 2);
            let gy = p(0, 2) + 2.0 * p(1, 2) + p(2, 2) - p(0, 0) - 2.0 * p(1, 0) - p(2, 0);
            let m = (gx * gx + gy * gy).sqrt();
            mag[y * w + x] = m;
            most = most.max(m);
        }
    }
    most
}

#[kary_reduce]
fn otsu(image: &[u8]) -> u8 {
    let mut hist = [0u64; 256];
    for &p in image {
        hist[p as usize] += 1;
    }
    let total: u64 = hist.iter().sum();
    let sum: f64 = hist.iter().enumerate().map(|(i, h)| i as f64 * *h as f64).sum();
    let (mut wb, mut sumb, mut best, mut at) = (0u64, 0.0, 0.0, 0u8);
    for t in 0..256usize {
        wb += hist[t];
        if wb == 0 {
            continue;
        }
        let wf = total - wb;
        if wf == 0 {
            break;
        }
        sumb += t as f64 * hist[t] as f64;
        let mb = sumb / wb as f64;
        let mf = (sum - sumb) / wf as f64;
        let between = wb as f64 * wf as f64 * (mb - mf) * (mb - mf);
        if between > best {
            best = between;
            at = t as u8;
        }
    }
    at
}

#[kary_reduce]
fn covariance(points: &[[f64; 3]]) -> [[f64; 3]; 3] {
    let n = points.len() as f64;
    let mut mean = [0.0; 3];
    for p in points {
        for k in 0..3 {
            mean[k] += p[k];
        }
    }
    for k in 0..3 {
        mean[k] /= n;
    }
    let mut cov = [[0.0; 3]; 3];
    for p in points {
        for a in 0..3 {
            for b in 0..3 {
                cov[a][b] += (p[a] - mean[a]) * (p[b] - mean[b]);
            }
        }
    }
    for row in cov.iter_mut() {
        for c in row.iter_mut() {
            *c /= n;
        }
    }
    cov
}

#[kary_reduce]
fn bounding_box_if(points: &[[f32; 3]]) -> [f32; 6] {
    let mut b = [f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for p in points.iter() {
        if p[0] < b[0] {
            b[0] = p[0];
        }
        if p[1] < b[1] {
            b[1] = p[1];
        }
        if p[2] < b[2] {
            b[2] = p[2];
        }
        if p[0] > b[3] {
            b[3] = p[0];
        }
        if p[1] > b[4] {
            b[4] = p[1];
        }
        if p[2] > b[5] {
            b[5] = p[2];
        }
    }
    b
}

/// Nearest depth of each pixel: a minimum at places that the data choose.
#[kary_reduce]
fn splat_depth(at: &[usize], z: &[f32], depth: &mut [f32]) {
    for i in 0..at.len() {
        if z[i] < depth[at[i]] {
            depth[at[i]] = z[i];
        }
    }
}

#[foreach]
fn best_column(a: &[f64], c: &mut [usize], n: usize) {
    for i in 0..n {
        c[i] = (0..n).max_by(|&x, &y| a[i * n + x].total_cmp(&a[i * n + y])).unwrap();
    }
}

#[foreach]
fn nearest_of(a: &[f64], c: &mut [usize], n: usize) {
    for i in 0..n {
        c[i] = (0..n).rev().filter(|k| k % 2 == 0).find(|&k| a[i * n + k] > 0.0).unwrap_or(n);
    }
}

#[foreach]
fn closure_in_closure(a: &[f64], c: &mut [f64], n: usize) {
    for i in 0..n {
        let at = |k: usize| i * n + k;
        let v = |k: usize| a[at(k)] * 2.0;
        c[i] = (0..n).map(|k| v(k) + 1.0).sum::<f64>() + v(0);
    }
}

#[foreach]
fn row_times_vector(a: &[f64], b: &[f64], c: &mut [f64], n: usize) {
    for i in 0..n {
        c[i] = (0..n).map(|k| a[i * n + k] * b[k]).sum();
    }
}

#[foreach]
fn row_times_vector_by_fold(a: &[f64], b: &[f64], c: &mut [f64], n: usize) {
    for i in 0..n {
        c[i] = (0..n).fold(0.0, |s, k| s + a[i * n + k] * b[k]);
    }
}

#[foreach]
fn rows_with_any(a: &[bool], c: &mut [bool], n: usize) {
    for i in 0..n {
        c[i] = (0..n).any(|k| a[i * n + k]);
    }
}

#[foreach]
fn set_in_row(a: &[bool], c: &mut [usize], n: usize) {
    for i in 0..n {
        c[i] = (0..n).filter(|&k| a[i * n + k]).count();
    }
}

#[kary_reduce]
fn least_per_axis(p: &[[f32; 3]]) -> [f32; 3] {
    let mut lo = [f32::MAX; 3];
    for q in p {
        for k in 0..3 {
            if q[k] < lo[k] {
                lo[k] = q[k];
            }
        }
    }
    lo
}

#[kary_reduce]
fn extremes_in_one_array(p: &[[f32; 3]]) -> [f32; 2] {
    let mut b = [f32::MAX, f32::MIN];
    for q in p {
        if q[0] < b[0] {
            b[0] = q[0];
        }
        if q[0] > b[1] {
            b[1] = q[0];
        }
    }
    b
}

#[kary_reduce]
fn sum_and_most_in_one_array(p: &[f64]) -> [f64; 2] {
    let mut b = [0.0f64; 2];
    for q in p {
        b[0] += q;
        b[1] = b[1].max(*q);
    }
    b
}

#[foreach]
fn above_median_bin(x: &[f64], y: &mut [f64]) -> f64 {
    let mut h = [0usize; 10];
    for v in x {
        h[(*v * 10.0) as usize] += 1;
    }
    let mut c = 0;
    let mut m = 0;
    for b in 0..10 {
        c += h[b];
        if c * 2 > x.len() {
            m = b;
            break;
        }
    }
    for i in 0..y.len() {
        y[i] = x[i] - m as f64;
    }
    m as f64
}

#[foreach]
fn least_beside_a_map(p: &[[f32; 3]], out: &mut [f32]) -> [f32; 3] {
    let mut lo = [f32::MAX; 3];
    for i in 0..p.len() {
        for k in 0..3 {
            if p[i][k] < lo[k] {
                lo[k] = p[i][k];
            }
        }
        out[i] = p[i][0];
    }
    lo
}

/// The first value is the least and the most, so that no later one can be both.
#[kary_reduce]
fn range_by_else(x: &[f64]) -> (f64, f64) {
    let mut least = x[0];
    let mut most = x[0];
    for &v in x {
        if v < least {
            least = v;
        } else if v > most {
            most = v;
        }
    }
    (least, most)
}

#[kary_reduce]
fn range_of_rows(x: &[i32], width: usize) -> (i32, i32) {
    let (mut most, mut least) = (0, 0);
    for row in x.chunks(width) {
        for i in 0..row.len() {
            if most < row[i] {
                most = row[i];
            } else if row[i] < least {
                least = row[i];
            }
        }
    }
    (most, least)
}

cases! {

    hydrodynamics(n) {
        let (a, b, c, d, e, f) = (reals(n, 1), reals(n, 2), reals(n, 3), reals(n, 4), reals(n, 5), reals(n, 6));
        check!(hydro_constraint(&a, 0.1); shares a);
        check!(courant(&a, &b, &c, 0.5, 1e20); shares a, b, c);
        let (left, right, kind) = (indices(n, 4, n), indices(n, 5, n), made(n, 3, |b| (b % 3 + 8 * ((b >> 9) % 3)) as u32));
        check!(monotonic_q(&a, &b, &left, &right, &kind, &mut c, 2.0); shares a, b, left, right, kind; writes c);
        let (nodes, g, h) = (indices(8 * n, 7, n), a.clone(), b.clone());
        check!(calc_kinematics(&nodes, &a, &b, &c, &d, &e, &mut f, &mut g, &mut h); shares nodes, a, b, c, d, e; writes f, g, h);
        let m = square(n).min(20) + 4;
        let (a, b, c, d, e) = (positives(m * m, 1), positives(m * m, 2), positives(m * m, 3), reals(m * m, 4), reals(m * m, 5));
        check!(update_halo_columns(&mut d, m - 4, m, 2); writes d);
        check!(batched_tridiagonal(&a, &b, &c, &mut d, &mut e, m, m); shares a, b, c; writes d, e);
        let (a, b) = (d.clone(), e.clone());
        check!(jacobi(&mut a, &mut b, m, m, 1e-2, 10); writes a, b);
    }
    particles(n) {
        let boxes = (n / 8).min(16);
        let (rv, qv) = (made(4 * boxes, 3, |b| [unit(b), unit(b >> 3), unit(b >> 1), 0.2]), reals(4 * boxes, 3));
        let (fv, near, which) = (rv.clone(), indices(boxes, 3, 5), indices(26 * boxes, 7, boxes));
        check!(lavamd(0.5, &rv, &qv, &mut fv, &near, &which, 4); shares rv, qv, near, which; writes fv);
        let n = n.min(100);
        let (places, bins) = (&made(n, 3, |b| [unit(b) as f32, unit(b >> 3) as f32, 0.5]), &[1.0, 0.8, 0.6, 0.4, 0.2, 0.0]);
        check!(tpacf(places, bins, n));
        let (sums, u, x, y) = (&(1..30).map(|k| k as f64 / 29.0).collect::<Vec<_>>(), positives(n, 4), reals(40, 1), reals(n, 2));
        check!(particle_resample(sums, &u, &x, &mut y); shares u, x; writes y);
    }
    graphs(n) {
        let (first, edges) = ((0..=n).map(|i| 3 * i).collect::<Vec<_>>(), indices(3 * n, 4, n));
        let (front, seen, cost, next) = (flags(n, 3, 4), flags(n, 4, 3), vec![-1; n], vec![true; n]);
        check!(bfs_pull(&first, &edges, &front, &mut seen, &mut cost, &mut next, 2); shares first, edges, front; writes seen, cost, next);
    }
    images(n) {
        let m = square(n).min(40);
        let (a, b) = (singles(m * m, 1), singles(m * m, 2));
        check!(bilateral(&a, &mut b, m, m, 2, 3.0, 0.5); shares a; writes b);
        if m > 2 {
            check!(sobel(&a, &mut b, m, m); shares a; writes b);
        }
        let (grey, inside, distance) = (made(m * m, 1, |b| b as u8), flags(m * m, 3, 3), vec![7; m * m]);
        check!(otsu(&grey); shares grey);
        let labels = naturals(m * m, 3, 1000);
        check!(label_sweep(&inside, &labels, &mut distance, m, m); shares inside, labels; writes distance);
        if m > 0 {
            check!(row_distance(&inside, &mut distance, m); shares inside; writes distance);
        }
        let (at, z, depth) = (indices(n, 3, 50), singles(n, 3), singles(50, 9));
        check!(splat_depth(&at, &z, &mut depth); shares at, z; writes depth);
    }
    ranges(n) {
        let (x, y) = (reals(n + 1, 1), integers32(n, 2));
        check!(range_by_else(&x); shares x);
        check!(range_of_rows(&y, 7); shares y);
    }
    points(n) {
        let p = made(n, 1, |b| [unit(b) as f32, unit(b >> 3) as f32, unit(b >> 6) as f32]);
        check!(bounding_box_if(&p); shares p);
        check!(least_per_axis(&p); shares p);
        check!(extremes_in_one_array(&p); shares p);
        let least = singles(n, 3);
        check!(least_beside_a_map(&p, &mut least); shares p; writes least);
        let p = made(n, 1, |b| [unit(b), unit(b >> 3), unit(b >> 6)]);
        check!(covariance(&p) within 1e-9; shares p);
        let (x, y) = (made(n, 4, unit), reals(n, 2));
        check!(sum_and_most_in_one_array(&x) within 1e-9; shares x);
        check!(above_median_bin(&x, &mut y); shares x; writes y);
        let (u, v) = (&singles(400, 1), &singles(400, 2));
        let seeds = made(n.min(200), 3, |b| [unit(b) as f32 * 19.0, unit(b >> 5) as f32 * 19.0]);
        let (points, lines) = (vec![], vec![]);
        check!(streamline_points(u, v, 20, 20, &seeds, &mut points, &mut lines); shares seeds; writes points, lines);
        let (all, four) = (&seeds, vec![[0; 4]; seeds.len()]);
        check!(knn(all, &seeds, &mut four); shares seeds; writes four);
    }
    iterators(n) {
        let m = square(n).min(30);
        let (a, b, c) = (reals(m * m, 1), reals(m, 2), reals(m, 3));
        check!(row_times_vector(&a, &b, &mut c, m); shares a; vectors b; writes c);
        check!(row_times_vector_by_fold(&a, &b, &mut c, m); shares a; vectors b; writes c);
        check!(closure_in_closure(&a, &mut c, m); shares a; writes c);
        let (set, any, many) = (flags(m * m, 2, 5), vec![true; m], vec![0; m]);
        check!(rows_with_any(&set, &mut any, m); shares set; writes any);
        check!(set_in_row(&set, &mut many, m); shares set; writes many);
        check!(best_column(&a, &mut many, m); shares a; writes many);
        check!(nearest_of(&a, &mut many, m); shares a; writes many);
    }
}
