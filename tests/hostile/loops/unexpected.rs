//! Early ends, overflow, panics, orders and scatters that give what the sequential loop gives.

mod right {
    mod guard_that_continues {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                match x[i] {
                    v if v > 9 && {
                        if v % 2 == 0 {
                            continue;
                        }
                        true
                    } =>
                    {
                        s += v
                    }
                    v => s += v + 1,
                }
                out[i] = s;
            }
        }
    }
    mod value_or_continue {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += if x[i] > 9 { continue } else { x[i] };
                out[i] = s;
            }
        }
    }
    mod operand_or_continue {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                let positive = x[i] > 3 || continue;
                s += x[i] + i64::from(positive);
                out[i] = s;
            }
        }
    }
    mod continue_of_the_outer_loop {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            'outer: for i in 0..x.len() {
                for k in 0..3 {
                    if x[i] == k + 4 {
                        continue 'outer;
                    }
                    s += x[i] - k;
                }
                out[i] = s;
            }
        }
    }
    mod running_value_chooses_an_element {
        #[forall::distributed_scan]
        fn program(x: &[i64], #[replicated] table: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += x[i];
                out[i] = table[s as usize];
            }
        }
    }
    mod running_value_panics_late {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += x[i];
                assert!(s < 2000, "too much: {s} at {i}");
                out[i] = s;
            }
        }
    }
    mod count_that_goes_below_zero {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> usize {
            let mut c = 3_usize;
            for i in 0..x.len() {
                if x[i] > 5 {
                    c += 1;
                } else if x[i] < -5 {
                    c -= 1;
                }
            }
            c
        }
    }
    mod unsigned_sum_and_difference {
        #[forall::kary_reduce]
        fn program(x: &[u64], y: &[u64]) -> u64 {
            let mut s = 100;
            for i in 0..x.len() {
                s = s + x[i] - y[i];
            }
            s
        }
    }
    mod product_with_zero_behind_an_overflow {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut p = 1;
            for i in 0..x.len() {
                p *= x[i];
            }
            p
        }
    }
    mod bool_sums_as_u8 {
        #[forall::kary_reduce]
        fn program(on: &[bool]) -> u8 {
            let mut c = 0_u8;
            for i in 0..on.len() {
                c += u8::from(!on[i]);
            }
            c
        }
    }
    mod place_from_the_end_one_too_far {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = out.len();
            for i in 0..x.len() {
                out[n - i] = x[i];
            }
        }
    }
    mod compared_by_a_panic {
        #[forall::distributed_sort]
        fn program(x: &mut [i64]) {
            x.sort_by_key(|v| {
                assert!(*v != 17, "seventeen");
                -*v
            });
        }
    }
    mod order_of_a_user_type {
        #[derive(PartialEq, Eq)]
        struct By(i64);
        impl PartialOrd for By {
            fn partial_cmp(&self, other: &By) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
        impl Ord for By {
            fn cmp(&self, other: &By) -> std::cmp::Ordering {
                (other.0 % 10).cmp(&(self.0 % 10))
            }
        }
        #[forall::distributed_sort]
        fn program(x: &mut [i64]) {
            x.sort_by_key(|v| By(*v));
        }
    }
    mod scatter_to_a_few {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..idx.len() {
                out[idx[i] / 5] = x[i];
            }
        }
    }
    mod scatter_of_subtractions {
        #[forall::foreach]
        fn program(x: &[u64], idx: &[usize], #[scatter] out: &mut [u64]) {
            for i in 0..idx.len() {
                out[idx[i]] -= x[i] % 3;
            }
        }
    }
    mod gather_that_depends_on_the_output {
        #[forall::foreach]
        fn program(#[gather] x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                out[i] += 1;
                out[i] = x[out[i].unsigned_abs() as usize % n];
            }
        }
    }
    mod gather_by_a_running_value {
        #[forall::distributed_scan]
        fn program(#[gather] x: &[i64], y: &[u64], out: &mut [i64]) {
            let n = x.len();
            let mut s = 0_u64;
            for i in 0..n {
                s += y[i];
                out[i] = x[s as usize % n];
            }
        }
    }
    mod gather_behind_a_continue {
        #[forall::foreach]
        fn program(#[gather] x: &[i64], idx: &[usize], on: &[bool], out: &mut [i64]) {
            for i in 0..idx.len() {
                if !on[i] {
                    continue;
                }
                out[i] = x[idx[i] + 1];
            }
        }
    }
    mod gather_through_itself {
        #[forall::foreach]
        fn program(#[gather] idx: &[usize], out: &mut [usize]) {
            for i in 0..idx.len() {
                let mut at = i;
                for _ in 0..4 {
                    at = idx[at];
                }
                out[i] = at;
            }
        }
    }
    mod swap_of_neighbours_by_chunks {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for c in out.chunks_mut(2) {
                c.swap(0, 1);
            }
        }
    }
    mod flag_that_turns {
        #[forall::distributed_scan]
        fn program(on: &[bool], out: &mut [bool]) {
            let mut inside = false;
            for i in 0..on.len() {
                if on[i] {
                    inside = !inside;
                }
                out[i] = inside;
            }
        }
    }
    mod count_since_the_last_match {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut since = 0;
            for i in 0..x.len() {
                since = if x[i] == 4 { 0 } else { since + 1 };
                out[i] = since;
            }
        }
    }
    mod mean_of_what_came_before {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut s, mut c) = (0, 0);
            for i in 0..x.len() {
                out[i] = if c > 0 { s / c } else { 0 };
                s += x[i];
                if x[i] > 0 {
                    c += 1;
                }
            }
        }
    }
    mod two_sums_that_feed_each_other {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b) = (0_i64, 0_i64);
            for i in 0..x.len() {
                a += x[i];
                b = b.wrapping_add(a);
                out[i] = b;
            }
        }
    }
    mod in_place_and_a_narrow_sum_before_a_panic {
        #[forall::kary_reduce]
        fn program(out: &mut [i64]) -> i16 {
            let mut s = 0_i16;
            for i in 0..out.len() {
                out[i] += 1000;
                s += (out[i] / 1000 * 1000) as i16;
                assert!(i < 20, "stop");
            }
            s
        }
    }
    mod in_place_and_a_count_before_a_panic {
        #[forall::kary_reduce]
        fn program(out: &mut [i64]) -> u8 {
            let mut s = 200_u8;
            for i in 0..out.len() {
                out[i] += 1000;
                if out[i] > 1500 {
                    s += 40;
                }
                assert!(i < 20, "stop");
            }
            s
        }
    }
    mod sum_overflows_before_an_index {
        #[forall::kary_reduce]
        fn program(x: &[i64], short: &[i64]) -> i8 {
            let mut s = 100_i8;
            for i in 0..x.len() {
                s += 3;
                s = s + short[i] as i8 % 2;
            }
            s
        }
    }
    mod ord_by_path_of_the_type {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                m = <i64 as Ord>::max(m, x[i]);
            }
            m
        }
    }
    mod ord_by_path_of_the_type_mapped {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = <i64 as Ord>::max(3, x[i]) + <i64>::min(4, x[i]);
            }
        }
    }
    mod float_sum_that_is_too_much_in_several_chunks {
        #[forall::distributed_scan]
        fn program(x: &[f32], out: &mut [f32]) {
            let mut v = 0_f32;
            for i in 0..x.len() {
                v += x[i];
                assert!(v < 500.0, "too much at {i}");
                out[i] = v;
            }
        }
    }
}
