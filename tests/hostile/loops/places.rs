//! Places that meet, or that wrap around in a narrow type.

mod right {
    mod place_fact_of_other_n {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let n = 5;
                if i < n {
                    out[i] = x[i + n];
                }
            }
        }
    }

    mod place_fact_then_shadow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                if i + 1 < n {
                    let i = i + 1;
                    out[i - 1] = x[i + 1];
                }
            }
        }
    }

    mod place_release_underflow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let j = i - 5;
                if j < n {
                    out[j] = x[i];
                }
            }
        }
    }
}

mod refused {
    mod place_changed_counter_after_fact {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let mut j = i;
                let mut t = 0;
                if j + 1 < n {
                    j += 1;
                    t = x[j + 1];
                }
                out[i] = t;
            }
        }
    }

    mod place_gray {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let j = i ^ (i >> 1);
                if j < out.len() {
                    out[j] = x[i];
                }
            }
        }
    }

    mod place_half_open_inclusive {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                wide[i * 3..=i * 3 + 3].fill(x[i]);
            }
        }
    }

    mod place_max_of_usize {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.wrapping_add(usize::MAX)] = x[i];
            }
        }
    }

    mod place_mul_overflow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * (1usize << 63)] = x[i];
            }
        }
    }

    mod place_narrow_multiple {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..200u8 {
                out[(i * 2) as usize] = x[i as usize];
            }
        }
    }

    mod place_narrow_step {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: u8) {
            for i in 0..250u8 {
                out[(i + k + 100) as usize] = x[i as usize];
            }
        }
    }

    mod place_narrow_wrapping_sub {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0u8..250 {
                out[(i - 100) as usize] = x[0];
            }
        }
    }

    mod place_prefix_then_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[..i + 1][i] = x[i];
            }
        }
    }

    mod place_saturating {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.saturating_sub(3)] = x[i];
            }
        }
    }

    mod place_shift_out {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(i << 40 << 20) >> 40 >> 20] = x[i];
            }
        }
    }

    mod place_signed_quotient {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n + 1..n {
                out[(i / 2 + n / 2) as usize] = i;
            }
        }
    }

    mod place_signed_remainder {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n..n {
                let j = i % n;
                if j >= 0 {
                    out[j as usize] = i;
                }
            }
        }
    }

    mod place_signed_shift {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n + 1..n {
                out[((i >> 1) + n / 2 + 1) as usize % x.len()] = i;
            }
        }
    }

    mod place_square_of_signed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n..n {
                let j = (i * i) as usize;
                if j < out.len() {
                    out[j] = i;
                }
            }
        }
    }

    mod place_suffix_first {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i..][0] = x[i];
            }
        }
    }

    mod place_u128 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[((i as u128) << 40 << 24) as usize] = x[i];
            }
        }
    }

    mod place_u8_cast {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i as u8 as usize] = x[i];
            }
        }
    }

    mod place_u8_from {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[usize::from(i as u8)] = x[i];
            }
        }
    }

    mod place_u8_into {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let j: usize = (i as u8).into();
                out[j] = x[i];
            }
        }
    }

    mod place_windows_overlap {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() - 1 {
                out[i..i + 2].copy_from_slice(&x[i..i + 2]);
            }
        }
    }
}
