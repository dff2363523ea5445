//! Ranges that end at the lesser of two numbers, and places that iterations turn.

mod right {
    mod tiles {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            let tile = 8;
            for t in 0..n.div_ceil(tile) {
                for i in t * tile..((t + 1) * tile).min(n) {
                    out[i] = x[i] + t as i64;
                }
            }
        }
    }
    mod tiles_constant {
        const TILE: usize = 8;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in 0..n.div_ceil(TILE) {
                let end = ((t + 1) * TILE).min(n);
                for i in t * TILE..end {
                    out[i] = x[i] + t as i64;
                }
            }
        }
    }
    mod tiles_std_min {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in (0..n).step_by(8) {
                for i in t..std::cmp::min(t + 8, n) {
                    out[i] = x[i] + t as i64;
                }
            }
        }
    }
    mod tiles_in_two_dimensions {
        #[forall::foreach]
        pub fn program(wide: &mut [i64], w: usize) {
            let n = wide.len() / w;
            for t in (0..n).step_by(4) {
                for y in t..(t + 4).min(n) {
                    for x in 0..w {
                        wide[y * w + x] += (y * 10 + x) as i64;
                    }
                }
            }
        }
    }
    mod tiles_by_slices {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in (0..n).step_by(8) {
                let e = (t + 8).min(n);
                for (o, v) in out[t..e].iter_mut().zip(&x[t..e]) {
                    *o = v * 2;
                }
            }
        }
    }
    mod tiles_scratch {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            let mut s = vec![0; n + 8];
            for t in (0..n).step_by(8) {
                for i in t..(t + 8).min(n - 1) {
                    s[i] = x[i];
                }
                for i in t..t + 8 {
                    if i < n {
                        out[i] = s[i];
                    }
                }
            }
        }
    }
    mod tiles_inclusive {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in (0..n).step_by(8) {
                for i in t..=(t + 7).min(n - 1) {
                    out[i] = x[i] + t as i64;
                }
            }
        }
    }
    mod tiles_read_next {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in (0..n).step_by(8) {
                let e = (t + 8).min(n);
                for i in t..e {
                    out[i] = x[i] + x[e - 1] + x[(t + 8).min(n - 1)];
                }
            }
        }
    }
    mod tiles_in_place {
        #[forall::foreach]
        pub fn program(out: &mut [i64]) {
            let n = out.len();
            for t in (0..n).step_by(8) {
                let e = (t + 8).min(n);
                for i in t + 1..e {
                    out[i] += out[i - 1];
                }
            }
        }
    }
    mod wrapped {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[(i + 1) % n] = x[i];
            }
        }
    }
    mod wrapped_len {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(i + 5) % x.len()] = x[i];
            }
        }
    }
    mod wrapped_by {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: usize) {
            let n = x.len();
            for i in 0..n {
                out[(i + k) % n] = x[i];
            }
        }
    }
    mod wrapped_back {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: usize) {
            let n = x.len();
            for i in 0..n {
                out[(i + n - k) % n] = x[i];
            }
        }
    }
    mod wrapped_from_one {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 1..n {
                out[(i + 1) % n] = x[i];
            }
        }
    }
    mod wrapped_from_one_fits {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 1..n + 1 {
                out[i % n] = x[i - 1];
            }
        }
    }
    mod wrapped_mirrored {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[n - 1 - (i + 2) % n] = x[i];
            }
        }
    }
    mod xor {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 2 * 2 {
                out[i ^ 1] = x[i];
            }
        }
    }
    mod xor_of_more {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 8 * 8 {
                out[i ^ 5] = x[i];
            }
        }
    }
    mod xor_beyond {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i ^ 1] = x[i];
            }
        }
    }
}

mod refused {
    mod tiles_overlap {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in (0..n).step_by(8) {
                for i in t..(t + 9).min(n) {
                    out[i] = x[i] + t as i64;
                }
            }
        }
    }
    mod tiles_overlap_slices {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in (0..n).step_by(8) {
                let e = (t + 9).min(n);
                for (o, v) in out[t..e].iter_mut().zip(&x[t..e]) {
                    *o = v * 2 + t as i64;
                }
            }
        }
    }
    mod tiles_min_wraps {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for t in 0..n {
                for i in t * 4..(t * 4 + 4).min(n.wrapping_sub(50)) {
                    out[i] = x[i] + t as i64;
                }
            }
        }
    }
    mod tiles_in_place_beyond {
        #[forall::foreach]
        pub fn program(out: &mut [i64]) {
            let n = out.len();
            for t in (0..n).step_by(8) {
                let e = (t + 8).min(n);
                for i in t..e {
                    if i > 0 {
                        out[i] += out[i - 1];
                    }
                }
            }
        }
    }
    mod tiles_reads_beyond {
        #[forall::foreach]
        pub fn program(out: &mut [i64]) {
            let n = out.len();
            for t in (0..n).step_by(8) {
                let e = (t + 8).min(n);
                for i in t..e {
                    out[i] += out[e.min(n - 1)];
                }
            }
        }
    }
    mod wrapped_too_far {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n + 1 {
                out[(i + 1) % n] = i as i64;
            }
        }
    }
    mod wrapped_twice {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[(2 * i) % n] = x[i];
            }
        }
    }
    mod wrapped_by_two {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[(i + 1) % (n - 1)] = x[i];
            }
        }
    }
    mod wrapped_and_read {
        #[forall::foreach]
        pub fn program(out: &mut [i64]) {
            let n = out.len();
            for i in 0..n {
                out[(i + 1) % n] = out[i] + 1;
            }
        }
    }
    mod wrapped_and_written {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[(i + 1) % n] = x[i];
                out[i] += 1;
            }
        }
    }
    mod wrapped_by_counter {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                for k in 0..2 {
                    out[(i + k) % n] = x[i];
                }
            }
        }
    }
    mod wrapped_twice_doubled {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[i % n + i % n] = x[i];
            }
        }
    }
    mod wrapped_and_i {
        #[forall::foreach]
        pub fn program(x: &[i64], long: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let p = (i + 1) % n;
                if n > 5 {
                    long[(p + i) / 2] = x[i];
                }
            }
        }
    }
    mod wrapped_plus_i {
        #[forall::foreach]
        pub fn program(x: &[i64], wide: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                wide[(i + 1) % n + i] = x[i];
            }
        }
    }
    mod xor_twice {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 2 * 2 {
                out[i ^ 1] = x[i];
                out[i] += 1;
            }
        }
    }
    mod xor_plus_i {
        #[forall::foreach]
        pub fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                wide[(i ^ 1) + i] = x[i];
            }
        }
    }
    mod xor_minus_i {
        #[forall::foreach]
        pub fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                wide[i + 1 - (i ^ 1)] = x[i];
            }
        }
    }
    mod xor_reads {
        #[forall::foreach]
        pub fn program(out: &mut [i64]) {
            for i in 0..out.len() / 2 * 2 {
                out[i ^ 1] = out[i];
            }
        }
    }
    mod xor_of_half {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 4 {
                out[(i / 2) ^ 1] = x[i];
            }
        }
    }
    mod xor_of_i {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i ^ i] = x[i];
            }
        }
    }
    mod xor_of_counter {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 2 * 2 {
                for k in 0..2 {
                    out[(i + k) ^ 1] = x[i];
                }
            }
        }
    }
}
