//! An item or a macro in the body gives a name of an index another meaning. Whatever the compiler reads, no access leaves its slice, and
//! a call either gives what the sequential loop gives or ends with a message.

mod refused {
    mod constant_in_the_body {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: usize) {
            for i in 0..x.len().saturating_sub(k) {
                macro_rules! another {
                    () => {
                        #[allow(non_upper_case_globals)]
                        const k: usize = 1 << 20;
                    };
                }
                another!();
                out[i] = x[i + k];
            }
        }
    }
    mod constant_that_is_written_at {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: usize) {
            for i in 0..out.len().saturating_sub(k) {
                macro_rules! another {
                    () => {
                        #[allow(non_upper_case_globals)]
                        const k: usize = 700;
                    };
                }
                another!();
                out[i + k] = x[i];
            }
        }
    }
    mod constants_of_a_module {
        #[allow(non_upper_case_globals)]
        pub mod far {
            pub const k: usize = 5000;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: usize) {
            for i in 0..x.len().saturating_sub(k) {
                use far::*;
                out[i + k] = x[i] + 1;
            }
        }
    }
    mod variants_of_an_enumeration {
        #[allow(non_upper_case_globals)]
        pub mod far {
            pub static w: usize = 9000;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], w: usize) {
            for i in 0..x.len() / w {
                macro_rules! bring {
                    () => {
                        use far::w;
                    };
                }
                bring!();
                out[i] = x[i * w];
            }
        }
    }
    mod constant_in_an_inner_loop {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            for i in 0..out.len() {
                let mut t = 0;
                for j in 0..w {
                    macro_rules! another {
                        () => {
                            #[allow(non_upper_case_globals)]
                            const w: usize = 4096;
                        };
                    }
                    another!();
                    t += wide[i * w + j];
                }
                out[i] = t;
            }
        }
    }
    mod end_of_an_inner_range {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            for i in 0..out.len() {
                macro_rules! another {
                    () => {
                        #[allow(non_upper_case_globals)]
                        const w: usize = 700;
                    };
                }
                let first = i * w;
                another!();
                let mut t = first as i64;
                for j in 0..w {
                    t += wide[i * 3 + j];
                }
                out[i] = t;
            }
        }
    }
}

mod right {
    mod constant_of_another_block {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64], k: usize) {
            for i in 0..x.len().saturating_sub(k) {
                let far = {
                    const k: i64 = 1 << 20;
                    k
                };
                out[i] = x[i + k] + far;
            }
        }
    }
    mod an_assertion_in_its_own_words {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                assert!(x[i] < 27 && (0..3).all(|k| x[i] != 20 + k));
                out[i] = x[i];
            }
        }
    }
    mod an_end_that_wraps {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let mut t = 0;
                for j in 0..i - 1 {
                    t += x[j];
                }
                out[i] = t;
            }
        }
    }
    mod a_last_value_that_wraps {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let mut t = 0;
                for j in 0..=i - 2 {
                    t += x[j];
                }
                out[i] = t;
            }
        }
    }
    mod names_of_inner_bindings {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            for i in 0..out.len() {
                let mut t = 0;
                for j in 0..w {
                    let (i, j) = (j, i);
                    t += wide[j * w + i];
                }
                out[i] = t;
            }
        }
    }
    mod ends_of_ranges_by_other_names {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            for i in 0..out.len() {
                let (from, to) = (i * w, (i + 1) * w);
                let mut t = 0;
                for at in (from..to).rev() {
                    t = 3 * t + wide[at];
                }
                out[i] = t;
            }
        }
    }
    mod a_part_under_a_condition {
        #[forall::foreach_tls]
        pub fn program(x: &[i64], out: &mut Vec<i64>) {
            for i in 0..x.len() {
                if i > 0 && x[i] > x[i - 1] {
                    out.push(x[i - 1]);
                }
            }
        }
    }
    mod the_part_alone {
        #[forall::foreach_tls]
        pub fn program(x: &[i64], out: &mut Vec<i64>) {
            for i in 0..x.len() {
                if i > 2 {
                    out.push(x[i - 3]);
                }
            }
        }
    }
    mod neighbours_by_choice {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let left = if i == 0 { n - 1 } else { i - 1 };
                let right = if i + 1 < n { i + 1 } else { 0 };
                out[i] = x[left] - x[right];
            }
        }
    }
    mod bits_of_an_index {
        #[forall::foreach]
        pub fn program(table: &[i64], out: &mut [i64]) {
            for i in 0..16 {
                let j = (i << 1) & 15;
                if i < out.len() && table.len() == 16 {
                    out[i] = table[j] + table[i ^ 5] + table[(i >> 1) | 8];
                }
            }
        }
    }
    mod a_counter_of_a_closure {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            for i in 0..out.len() {
                out[i] = (0..w).map(|j| wide[i * w + j]).sum::<i64>()
                    + (1..=w).map(|j| wide[(i + 1) * w - j]).max().unwrap_or(0);
            }
        }
    }
    mod a_counted_while {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            for i in 0..out.len() {
                let mut t = 0;
                let mut j = 0;
                while j < w {
                    t += wide[i * w + j];
                    j += 1;
                }
                out[i] = t;
            }
        }
    }
    mod a_reference_to_a_number {
        #[forall::foreach]
        pub fn program(wide: &[i64], out: &mut [i64], w: usize) {
            let w = &w;
            for i in 0..out.len() {
                for j in 0..*w {
                    out[i] += wide[i * w + j];
                }
            }
        }
    }
}
