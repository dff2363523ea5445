//! Aliases, names of std, early ends, captured state, strides, sorts and scatters that are refused.

mod refused {
    mod reborrowed_output_then_neighbour {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let o = &mut *out;
                o[i] = x[i];
                o[i] += o[(i + 1) % n];
            }
        }
    }
    mod halves_of_the_output_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let (a, b) = out.split_at_mut(i);
                b[0] = x[i] + a.last().copied().unwrap_or(0);
            }
        }
    }
    mod index_rebound {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let v = x[i];
                let i = i / 2;
                out[i] = v;
            }
        }
    }
    mod input_rebound_to_output {
        #[forall::foreach]
        fn program(x: &mut [i64], y: &mut [i64]) {
            let n = y.len();
            for i in 1..n {
                let y = &mut *x;
                y[i] = y[i - 1] + 1;
            }
            y[0] = 1;
        }
    }
    mod local_macro_writes_the_neighbour {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            macro_rules! put {
                ($at:expr, $v:expr) => {
                    out[$at] = $v
                };
            }
            for i in 0..n {
                put!(i / 2, x[i]);
            }
        }
    }
    mod own_vec_that_hashes {
        struct Vec(i64);
        impl Vec {
            fn new() -> Vec {
                Vec(1)
            }
            fn push(&mut self, v: i64) {
                self.0 = self.0.wrapping_mul(2).wrapping_add(v);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> i64 {
            let mut list = Vec::new();
            for i in 0..x.len() {
                list.push(x[i]);
            }
            list.0
        }
    }
    mod own_vec_imported_by_a_glob {
        mod mine {
            #[derive(Clone, Default)]
            pub struct Vec<T>(pub T);
            impl Vec<i64> {
                pub fn new() -> Vec<i64> {
                    Vec(1)
                }
                pub fn push(&mut self, v: i64) {
                    self.0 = self.0.wrapping_mul(2).wrapping_add(v);
                }
            }
        }
        use mine::*;
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> i64 {
            let mut list: Vec<i64> = Vec::new();
            for i in 0..x.len() {
                list.push(x[i]);
            }
            list.0
        }
    }
    mod own_hash_map {
        struct HashMap(i64);
        impl HashMap {
            fn new() -> HashMap {
                HashMap(0)
            }
            fn insert(&mut self, k: i64, v: i64) {
                self.0 = self.0.wrapping_mul(3) ^ (k + v);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> i64 {
            let mut m = HashMap::new();
            for i in 0..x.len() {
                m.insert(x[i], x[i] + 1);
            }
            m.0
        }
    }
    mod own_option_that_counts {
        enum Option {
            None,
            Some(i64),
        }
        use Option::{None, Some};
        impl Option {
            fn is_none(&self) -> bool {
                matches!(self, None) || matches!(self, Some(v) if *v % 2 == 0)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut first = None;
            for i in 0..x.len() {
                if first.is_none() {
                    first = Some(x[i]);
                }
            }
            match first {
                None => -1,
                Some(v) => v,
            }
        }
    }
    mod trait_that_pushes_to_a_number {
        trait Push {
            fn push(&mut self, v: i64);
        }
        impl Push for i64 {
            fn push(&mut self, v: i64) {
                *self = self.wrapping_mul(31) ^ v;
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> i64 {
            let mut total = 0_i64;
            for i in 0..x.len() {
                total.push(x[i]);
            }
            total
        }
    }
    mod trait_that_extends_vectors {
        trait Longer {
            fn push_both(&mut self, v: i64);
        }
        impl Longer for Vec<i64> {
            fn push_both(&mut self, v: i64) {
                let last = self.last().copied().unwrap_or(0);
                self.push(last + v);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut list: Vec<i64> = Vec::new();
            for i in 0..x.len() {
                list.push_both(x[i]);
            }
            list
        }
    }
    mod extend_from_itself {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut list: Vec<i64> = Vec::new();
            for i in 0..x.len() {
                list.extend([x[i], list.len() as i64]);
            }
            list
        }
    }
    mod dedup_by_the_last {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut list: Vec<i64> = Vec::new();
            for &v in x {
                if list.last() != Some(&v) {
                    list.push(v);
                }
            }
            list
        }
    }
    mod popped_when_smaller {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut stack: Vec<i64> = Vec::new();
            for &v in x {
                while stack.last().is_some_and(|top| *top > v) {
                    stack.pop();
                }
                stack.push(v);
            }
            stack
        }
    }
    mod break_with_the_running_value {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                out[i] = 'found: {
                    if x[i] > s {
                        break 'found s;
                    }
                    s += x[i];
                    s + 1
                };
            }
        }
    }
    mod inner_while_by_the_running_value {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += x[i];
                while s > 50 {
                    s -= 50;
                }
                out[i] = s;
            }
        }
    }
    mod three_elements_by_two {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len().saturating_sub(3)).step_by(2) {
                out[i] = x[i];
                out[i + 1] = x[i + 1];
                out[i + 2] += x[i + 2];
            }
        }
    }
    mod while_by_the_data {
        #[forall::foreach]
        fn program(x: &[u64], out: &mut [u64]) {
            let mut i = 0;
            while i < x.len() {
                out[i] = x[i];
                i += 1 + x[i] as usize % 3;
            }
        }
    }
    mod while_with_two_steps {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut i = 0;
            while i < x.len() {
                out[i] = x[i];
                i += 2;
                if i % 3 == 0 {
                    i += 1;
                }
            }
        }
    }
    mod places_by_a_product_modulo {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = out.len();
            for i in 0..x.len() {
                out[(i * 6) % n] = x[i];
            }
        }
    }
    mod place_with_the_last_bit_set {
        #[forall::foreach]
        fn program(x: &[i64], long: &mut [i64]) {
            for i in 0..x.len() {
                long[i | 1] = x[i];
            }
        }
    }
    mod place_without_the_last_bit {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i & !1] = x[i];
            }
        }
    }
    mod stride_of_the_width_and_one {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64], w: usize) {
            let n = x.len();
            for i in 0..n {
                for k in 0..=w {
                    let at = i * w + k;
                    if at < n * w {
                        wide[at] = x[i];
                    }
                }
            }
        }
    }
    mod stride_that_the_body_changes {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64], w: usize) {
            let mut step = w;
            for i in 0..x.len() {
                wide[i * step] = x[i];
                step = 2;
            }
        }
    }
    mod iterator_made_before_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) {
            let mut it = y.iter();
            for i in 0..x.len() {
                if x[i] > 3 {
                    out[i] = *it.next().unwrap();
                }
            }
        }
    }
    mod closure_that_moved_a_counter {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0;
            let mut next = move || {
                c += 1;
                c
            };
            for i in 0..x.len() {
                out[i] = x[i] + next();
            }
        }
    }
    mod closure_that_sums {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut total = 0;
            let mut last = 0;
            let mut add = |v: i64| {
                total += v * last;
                last = v;
            };
            for i in 0..x.len() {
                add(x[i]);
            }
            total
        }
    }
    mod closure_handed_by_reference {
        fn twice(f: &mut dyn FnMut(i64) -> i64, v: i64) -> i64 {
            f(v) + f(v)
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0;
            for i in 0..x.len() {
                out[i] = twice(
                    &mut |v| {
                        c += v;
                        c
                    },
                    x[i],
                );
            }
        }
    }
    mod atomic_in_the_function {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            use std::sync::atomic::{AtomicI64, Ordering};
            let c = AtomicI64::new(0);
            for i in 0..x.len() {
                out[i] = x[i] + c.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod thread_local_counter {
        use std::cell::Cell;
        thread_local! {
            static COUNT: Cell<i64> = const { Cell::new(0) };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            COUNT.set(0);
            for i in 0..x.len() {
                COUNT.set(COUNT.get() + 1);
                out[i] = x[i] + COUNT.get();
            }
        }
    }
    mod generator_of_random_numbers {
        struct Lcg(u64);
        impl Lcg {
            fn next(&mut self) -> u64 {
                self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
                self.0 >> 33
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut random = Lcg(7);
            let mut s = 0_u64;
            for i in 0..x.len() {
                s += random.next() % (x[i] + 1);
            }
            s
        }
    }
    mod map_that_adds_while_it_maps {
        #[forall::kary_reduce]
        fn program(x: &[i64], w: usize) -> i64 {
            let (mut s, mut t) = (0, 0);
            for i in 0..x.len() {
                t += (0..w as i64)
                    .map(|k| {
                        s += k;
                        s + x[i]
                    })
                    .sum::<i64>();
            }
            s + t
        }
    }
    mod inspect_that_counts {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0;
            for i in 0..x.len() {
                out[i] = [x[i], 3, 9].iter().inspect(|v| c += **v).filter(|v| **v > 4).count() as i64 + c;
            }
        }
    }
    mod take_while_that_counts {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0;
            for i in 0..x.len() {
                let s: i64 = [x[i], 3, 9]
                    .iter()
                    .take_while(|_| {
                        c += 1;
                        c % 5 != 0
                    })
                    .sum();
                out[i] = s;
            }
        }
    }
    mod outermost_for_each {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            x.iter().for_each(|v| s = s * 2 + v);
            s
        }
    }
    mod sorted_windows_of_the_output {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let n = out.len();
            for i in 0..n.saturating_sub(3) {
                out[i..i + 3].sort();
            }
        }
    }
    mod sort_by_a_key_that_counts {
        #[forall::distributed_sort]
        fn program(x: &mut [i64]) {
            let mut c = 0;
            x.sort_by_cached_key(|v| {
                c += 1;
                v ^ c
            });
        }
    }
    mod half_sorted {
        #[forall::distributed_sort]
        fn program(x: &mut [i64]) {
            let n = x.len();
            x[..n / 2].sort();
        }
    }
    mod sorted_and_reversed {
        #[forall::distributed_sort]
        fn program(x: &mut [i64]) {
            x.sort();
            x.reverse();
        }
    }
    mod scatter_that_reads_itself {
        #[forall::foreach]
        fn program(idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..idx.len() {
                out[idx[i]] = out[idx[i]] * 2 + i as i64;
            }
        }
    }
    mod scatter_beside_a_read {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..idx.len() {
                out[idx[i]] = x[i] + out[i];
            }
        }
    }
    mod scatter_by_two_operators {
        #[forall::foreach]
        fn program(x: &[i64], idx: &[usize], #[scatter] out: &mut [i64]) {
            for i in 0..idx.len() {
                if x[i] > 3 {
                    out[idx[i]] += x[i];
                } else {
                    out[idx[i]] = x[i];
                }
            }
        }
    }
    mod halo_that_is_too_small {
        fn near(x: &[i64], i: usize) -> i64 {
            x[i - 2] + x[i]
        }
        #[forall::foreach]
        fn program(#[halo(1)] x: &[i64], out: &mut [i64]) {
            for i in 2..x.len() {
                out[i] = near(x, i);
            }
        }
    }
    mod question_mark {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut s = 0_i64;
            for i in 0..x.len() {
                s += x[i].checked_sub(3)?;
            }
            Some(s)
        }
    }
    mod checked_running_sum {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> Option<u8> {
            let mut s = Some(0_u8);
            for i in 0..x.len() {
                s = s.and_then(|s| s.checked_add(x[i] / 32));
            }
            s
        }
    }
    mod overflowing_flag {
        #[forall::kary_reduce]
        fn program(x: &[u8]) -> (u8, bool) {
            let (mut s, mut over) = (0_u8, false);
            for i in 0..x.len() {
                let (next, now) = s.overflowing_add(x[i]);
                s = next;
                over |= now;
            }
            (s, over)
        }
    }
    mod use_in_the_body_shadows_a_function {
        mod own {
            pub fn min(a: i64, b: i64) -> i64 {
                a - b
            }
        }
        use std::cmp::min;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = min(0, 1);
            for i in 0..x.len() {
                use own::min;
                m = min(m, x[i]);
            }
            m
        }
    }
    mod method_by_path_of_a_trait {
        trait Max {
            fn max(self, other: i64) -> i64;
        }
        impl Max for i64 {
            fn max(self, other: i64) -> i64 {
                self - other
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                m = <i64 as Max>::max(m, x[i]);
            }
            m
        }
    }
    mod last_value_kept {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut last = 0;
            for i in 0..x.len() {
                if x[i] > 5 && x[i] != last {
                    last = x[i];
                }
            }
            last
        }
    }
    mod reset_by_a_sum {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += x[i];
                if s > 60 {
                    s = 0;
                }
                out[i] = s;
            }
        }
    }
    mod max_of_a_trait_by_its_name {
        trait Max {
            fn max(self, other: i64) -> i64;
        }
        impl Max for i64 {
            fn max(self, other: i64) -> i64 {
                self - other
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                m = Max::max(m, x[i]);
            }
            m
        }
    }
    mod carried_at_an_index_that_is_rebound {
        #[forall::distributed_scan]
        fn program(wide2: &[i64], wide: &mut [i64], n: usize) {
            let mut k = 0;
            while k < n {
                let i = k;
                k += 1;
                for j in 1..3 {
                    let i = i * 3 + j;
                    wide[i] = wide[i - 1] + wide2[i];
                }
            }
        }
    }
    mod carried_at_an_index_that_is_rebound_to_the_next {
        #[forall::distributed_scan]
        fn program(x: &[i64], long: &mut [i64]) {
            for i in 0..x.len() {
                let i = i + 1;
                long[i] = long[i - 1] + x[i - 1];
            }
        }
    }
}

mod right {
    mod maximum_that_decays {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut peak = i64::MIN + 1000;
            for i in 0..x.len() {
                peak = (peak - 1).max(x[i]);
                out[i] = peak;
            }
        }
    }
}
