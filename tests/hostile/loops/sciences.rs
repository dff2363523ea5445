//! Loops of numerical programs.

mod right {
    mod heat_in_the_interior {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let n = x.len();
            for i in 1..n.max(1) - 1 + usize::from(n == 0) {
                let flux = |a: usize, b: usize| 0.5 * (x[b] - x[a]);
                out[i] = x[i] + flux(i, i + 1) - flux(i - 1, i);
            }
        }
    }
    mod histogram_with_clamped_bins {
        #[forall::kary_reduce]
        fn program(x: &[f64], #[replicated] bins: &mut [u64]) {
            let last = bins.len() - 1;
            for &v in x {
                let b = ((v + 2.0) * 4.0).floor().clamp(0.0, last as f64) as usize;
                bins[b] += 1;
            }
        }
    }
    mod particles_in_rows {
        #[forall::foreach]
        fn program(wide: &mut [f64], x: &[f64], k: f64) {
            for (p, v) in wide.chunks_exact_mut(3).zip(x) {
                p[0] += k * v;
                p[1] -= k * v;
                p[2] = (p[0] * p[0] + p[1] * p[1]).sqrt();
            }
        }
    }
    mod exponential_smoothing {
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut s = 0.0;
            for i in 0..x.len() {
                s = 0.875 * s + 0.125 * x[i];
                out[i] = s;
            }
        }
    }
    mod median_of_three {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for i in 1..x.len().saturating_sub(1) {
                let mut near = [x[i - 1], x[i], x[i + 1]];
                near.sort_by(|a, b| a.total_cmp(b));
                out[i] = near[1];
            }
        }
    }
    mod spring_energy {
        #[forall::kary_reduce]
        fn program(x: &[f64], k: f64) -> f64 {
            let mut energy = 0.0;
            for pair in x.windows(2) {
                let d = pair[1] - pair[0];
                energy += 0.5 * k * d * d;
            }
            energy
        }
    }
    mod newton {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            for (o, &v) in out.iter_mut().zip(x) {
                let mut r = v.abs().max(1.0);
                for _ in 0..20 {
                    let next = 0.5 * (r + v.abs() / r);
                    if (next - r).abs() < 1e-9 {
                        break;
                    }
                    r = next;
                }
                *o = r;
            }
        }
    }
    mod laplacian_in_two_dimensions {
        #[forall::foreach]
        fn program(wide: &[f64], wide2: &mut [f64], w: usize) {
            let rows = wide.len() / w;
            for r in 1..rows.saturating_sub(1) {
                for c in 1..w - 1 {
                    let at = r * w + c;
                    wide2[at] = wide[at - w] + wide[at + w] + wide[at - 1] + wide[at + 1] - 4.0 * wide[at];
                }
            }
        }
    }
    mod upwind {
        #[forall::foreach]
        fn program(x: &[f64], y: &[f64], out: &mut [f64]) {
            let n = x.len();
            for i in 0..n {
                let left = if i > 0 { x[i - 1] } else { x[n - 1] };
                let right = if i + 1 < n { x[i + 1] } else { x[0] };
                let slope = if y[i] > 0.0 { x[i] - left } else { right - x[i] };
                out[i] = x[i] - 0.1 * y[i] * slope;
            }
        }
    }
    mod legendre {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64], w: usize) {
            for i in 0..x.len() {
                let (mut p0, mut p1) = (1.0, x[i]);
                for k in 1..w {
                    let k = k as f64;
                    let p2 = ((2.0 * k + 1.0) * x[i] * p1 - k * p0) / (k + 1.0);
                    p0 = p1;
                    p1 = p2;
                }
                out[i] = p1;
            }
        }
    }
    mod scattered_charge {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for (&q, &cell) in x.iter().zip(idx) {
                out[cell] += q;
            }
        }
    }
    mod runs_of_equal_values {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<usize> {
            let mut starts = Vec::new();
            for i in 0..x.len() {
                if i == 0 || x[i] != x[i - 1] {
                    starts.push(i);
                }
            }
            starts
        }
    }
    mod bounding_box {
        #[forall::kary_reduce]
        fn program(wide: &[f64]) -> ([f64; 3], [f64; 3]) {
            let mut low = [f64::INFINITY; 3];
            let mut high = [f64::NEG_INFINITY; 3];
            for p in wide.chunks_exact(3) {
                for k in 0..3 {
                    low[k] = low[k].min(p[k]);
                    high[k] = high[k].max(p[k]);
                }
            }
            (low, high)
        }
    }
    mod softmax {
        #[forall::foreach]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut top = f64::NEG_INFINITY;
            for &v in x {
                top = top.max(v);
            }
            let mut sum = 0.0;
            for i in 0..x.len() {
                out[i] = (x[i] - top).exp();
                sum += out[i];
            }
            for o in out.iter_mut() {
                *o /= sum;
            }
        }
    }
    mod time_steps {
        #[forall::foreach]
        fn program(x: &mut [f64], y: &mut [f64], w: usize) {
            let n = x.len();
            for _ in 0..w {
                for i in 1..n.saturating_sub(1) {
                    y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
                }
                for i in 1..n.saturating_sub(1) {
                    x[i] = y[i];
                }
            }
        }
    }
    mod zero_crossings {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> usize {
            let mut count = 0;
            for pair in x.windows(2) {
                let [a, b] = pair else { unreachable!() };
                if (*a < 0.0) != (*b < 0.0) {
                    count += 1;
                }
            }
            count
        }
    }
    mod red_black {
        #[forall::foreach]
        fn program(x: &mut [f64], y: &[f64]) {
            let n = x.len();
            for i in (1..n.saturating_sub(1)).step_by(2) {
                x[i] = 0.5 * (x[i - 1] + x[i + 1] - y[i]);
            }
            for i in (2..n.saturating_sub(1)).step_by(2) {
                x[i] = 0.5 * (x[i - 1] + x[i + 1] - y[i]);
            }
        }
    }
    mod forces_between_all {
        #[forall::foreach]
        fn program(#[replicated] x: &[f64], out: &mut [f64]) {
            for i in 0..x.len() {
                let mut force = 0.0;
                for j in 0..x.len() {
                    if i != j {
                        let d = x[j] - x[i];
                        force += d / (d.abs().powi(3) + 1e-3);
                    }
                }
                out[i] = force;
            }
        }
    }
    mod interpolated_in_a_table {
        #[forall::foreach]
        fn program(x: &[f64], #[replicated] table: &[f64], out: &mut [f64]) {
            for (o, v) in out.iter_mut().zip(x) {
                let t = v.rem_euclid(1.0) * (table.len() - 1) as f64;
                let (k, f) = (t as usize, t.fract());
                *o = table[k] * (1.0 - f) + table[(k + 1).min(table.len() - 1)] * f;
            }
        }
    }
    mod ranked_by_key {
        #[forall::distributed_sort]
        fn program(idx: &mut [usize], x: &mut [f64]) {
            let mut order: Vec<usize> = (0..idx.len()).collect();
            order.sort_by_key(|&i| idx[i]);
            idx.copy_from_slice(&order.iter().map(|&i| idx[i]).collect::<Vec<_>>());
            x.copy_from_slice(&order.iter().map(|&i| x[i]).collect::<Vec<_>>());
        }
    }
    mod count_since_reset {
        #[forall::distributed_scan]
        fn program(on: &[bool], out: &mut [u32]) {
            let mut count = 0_u32;
            for (o, &on) in out.iter_mut().zip(on) {
                if on {
                    count = 0;
                }
                *o = count;
                count += 1;
            }
        }
    }
}
