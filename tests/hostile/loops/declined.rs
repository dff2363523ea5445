//! Loops with state behind a guard, a cell, an operator or an iterator, and places that nobody can tell apart.

mod refused {
    mod guard_that_adds_when_dropped {
        struct Adds<'a>(&'a mut i64, i64);
        impl Drop for Adds<'_> {
            fn drop(&mut self) {
                *self.0 += self.1;
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut total = 0;
            for i in 0..x.len() {
                {
                    let _g = Adds(&mut total, x[i]);
                }
                out[i] = total;
            }
        }
    }
    mod counts_in_a_cell_when_indexed {
        use std::cell::Cell;
        struct Grid {
            data: [i64; 4],
            asked: Cell<i64>,
        }
        impl std::ops::Index<usize> for Grid {
            type Output = i64;
            fn index(&self, i: usize) -> &i64 {
                self.asked.set(self.asked.get() + 1);
                &self.data[i]
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let g = Grid { data: [1, 2, 3, 4], asked: Cell::new(0) };
            for i in 0..x.len() {
                out[i] = g[i % 4] + g.asked.get();
            }
        }
    }
    mod counts_when_dereferenced {
        use std::cell::Cell;
        struct W(i64, Cell<i64>);
        impl std::ops::Deref for W {
            type Target = i64;
            fn deref(&self) -> &i64 {
                self.1.set(self.1.get() + 1);
                &self.0
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = W(3, Cell::new(0));
            for i in 0..x.len() {
                out[i] = *w + x[i] + w.1.get();
            }
        }
    }
    mod header_with_take_while {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, v) in x.iter().take_while(|v| **v < 20).enumerate() {
                out[i] = *v;
            }
        }
    }
    mod header_from_a_variable {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let it = (0..x.len()).map(|i| i / 2);
            for i in it {
                out[i] += x[i];
            }
        }
    }
    mod while_let_of_an_iterator {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = x.iter().enumerate();
            while let Some((i, v)) = it.next() {
                if *v > 3 {
                    it.next();
                }
                out[i] = *v;
            }
        }
    }
    mod from_fn_in_a_header {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 0;
            let n = x.len();
            for i in std::iter::from_fn(move || {
                k += 1;
                (k <= n).then_some((k - 1) / 2)
            }) {
                out[i] += x[i];
            }
        }
    }
    mod replaced_by_mem_replace {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut prev = 0;
            for i in 0..x.len() {
                let old = std::mem::replace(&mut prev, x[i]);
                out[i] = x[i] - old;
            }
        }
    }
    mod taken_by_mem_take {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += x[i];
                if x[i] == 5 {
                    out[i] = std::mem::take(&mut s);
                } else {
                    out[i] = s;
                }
            }
        }
    }
    mod taken_from_the_one_before {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 1..out.len() {
                out[i] = std::mem::take(&mut out[i - 1]);
            }
        }
    }
    mod cell_in_a_struct {
        use std::cell::Cell;
        struct S {
            c: Cell<i64>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let s = S { c: Cell::new(0) };
            for i in 0..x.len() {
                s.c.set(s.c.get() + x[i]);
                out[i] = s.c.get();
            }
        }
    }
    mod cell_by_reference {
        use std::cell::Cell;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = Cell::new(0);
            let r = &c;
            for i in 0..x.len() {
                out[i] = r.replace(x[i]);
            }
        }
    }
    mod once_cell {
        use std::cell::OnceCell;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = OnceCell::new();
            for i in 0..x.len() {
                out[i] = *c.get_or_init(|| x[i]);
            }
        }
    }
    mod once_lock {
        use std::sync::OnceLock;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = OnceLock::new();
            for i in 0..x.len() {
                out[i] = *c.get_or_init(|| x[i]);
            }
        }
    }
    mod cell_slice {
        use std::cell::Cell;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = [0i64; 4];
            let c = Cell::from_mut(&mut k[..]).as_slice_of_cells();
            for i in 0..x.len() {
                c[i % 4].set(x[i]);
                out[i] = c[(i + 1) % 4].get();
            }
        }
    }
    mod destructured_swap {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut a, mut b) = (0, 1);
            for i in 0..x.len() {
                (a, b) = (b, a ^ x[i]);
                out[i] = a;
            }
        }
    }
    mod destructured_into_an_element {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                (out[i], s) = (s, s + x[i]);
            }
        }
    }
    mod update_inside_an_update {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += {
                    s ^= 3;
                    x[i]
                };
                out[i] = s;
            }
        }
    }
    mod update_in_an_index {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                out[{
                    s += x[i];
                    i
                }] = s;
            }
        }
    }
    mod saturating_add_alone {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i8 {
            let mut s = 0i8;
            for i in 0..x.len() {
                s = s.saturating_add(x[i] as i8);
            }
            s
        }
    }
    mod saturating_type {
        use std::num::Saturating;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i8 {
            let mut s = Saturating(0i8);
            for i in 0..x.len() {
                s += x[i] as i8;
            }
            s.0
        }
    }
    mod polynomial_hash {
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut h = 7u64;
            for i in 0..x.len() {
                h = h.wrapping_mul(31).wrapping_add(x[i]);
            }
            h
        }
    }
    mod set_that_says_new {
        use std::collections::BTreeSet;
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> usize {
            let mut seen = BTreeSet::new();
            let mut c = 0;
            for i in 0..idx.len() {
                if seen.insert(idx[i] % 7) {
                    c += 1;
                }
            }
            c
        }
    }
    mod entry_and_modify {
        use std::collections::BTreeMap;
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> BTreeMap<usize, i64> {
            let mut m = BTreeMap::new();
            for i in 0..idx.len() {
                m.entry(idx[i] % 7).and_modify(|v| *v += 2).or_insert(1i64);
            }
            m
        }
    }
    mod rchunks_of_out {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (k, r) in out.rchunks_mut(4).enumerate() {
                r[0] = x[k];
            }
        }
    }
    mod closure_declared_outside {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut t = 0;
            {
                let mut add = |v: i64| t += v;
                for i in 0..x.len() {
                    add(x[i]);
                }
            }
            t
        }
    }
    mod pattern_of_first_and_last {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if let [first, .., last] = &mut out[..] {
                    *first = x[i];
                    *last = x[i];
                }
            }
        }
    }
    mod labelled_value {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += 'v: {
                    if x[i] > 3 {
                        break 'v 2;
                    }
                    if x[i] > 1 {
                        s += 100;
                    }
                    x[i]
                };
                out[i] = s;
            }
        }
    }
    mod const_table_of_places {
        const T: [usize; 4] = [3, 1, 1, 0];
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 4 {
                for j in 0..4 {
                    out[4 * i + T[j]] = x[4 * i + j];
                }
            }
        }
    }
    mod guard_on_the_sum_that_divides {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                if m < 15 && x[i] > m {
                    m = x[i];
                    assert!(100 / (x[i] - 20) != 77);
                }
            }
            m
        }
    }
    mod indices_below_zero {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in -3..x.len() as i64 - 3 {
                out[i.unsigned_abs() as usize % x.len()] = i;
            }
        }
    }
    mod indices_truncated {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i as u8 as usize] = x[i];
            }
        }
    }
    mod indices_squared {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if i * i < x.len() {
                    out[i * i] = x[i];
                }
            }
        }
    }
    mod pointer_to_an_element {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                unsafe {
                    *out.as_mut_ptr().add(i / 2) = x[i];
                }
            }
        }
    }
    mod get_mut_next {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if let Some(o) = out.get_mut(i + 1) {
                    *o = x[i];
                }
            }
        }
    }
    mod get_mut_and_the_one_before {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 1..x.len() {
                let before = out.get(i - 1).copied().unwrap_or(0);
                if let Some(o) = out.get_mut(i) {
                    *o = x[i] + before;
                }
            }
        }
    }
    mod copied_within {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 1..out.len() {
                out.copy_within(i - 1..i, i);
            }
        }
    }
    mod replace_in_an_option {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r: Option<i64> = None;
            for i in 0..x.len() {
                out[i] = r.replace(x[i]).unwrap_or(0);
            }
        }
    }
    mod insert_in_an_option {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r: Option<i64> = None;
            for i in 0..x.len() {
                out[i] = *r.get_or_insert(x[i]);
            }
        }
    }
    mod order_of_a_type {
        #[derive(Clone, Copy, PartialEq)]
        struct Odd(i64);
        impl PartialOrd for Odd {
            fn partial_cmp(&self, o: &Odd) -> Option<std::cmp::Ordering> {
                (self.0 * 7 % 5).partial_cmp(&(o.0 * 3 % 4))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = Odd(0);
            for i in 0..x.len() {
                if Odd(x[i]) > m {
                    m = Odd(x[i]);
                }
            }
            m.0
        }
    }
    mod not_of_a_type {
        #[derive(Clone, Copy)]
        struct T(i64);
        impl std::ops::BitXor for T {
            type Output = T;
            fn bitxor(self, o: T) -> T {
                T(self.0 * 2 - o.0)
            }
        }
        impl std::ops::BitXorAssign for T {
            fn bitxor_assign(&mut self, o: T) {
                self.0 = self.0 * 2 % 1000 - o.0;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut t = T(1);
            for i in 0..x.len() {
                t ^= T(x[i]);
            }
            t.0
        }
    }
    mod and_of_a_type {
        #[derive(Clone, Copy)]
        struct T(i64);
        impl std::ops::BitAndAssign<i64> for T {
            fn bitand_assign(&mut self, o: i64) {
                self.0 = self.0 / 2 + o;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut t = T(1);
            for i in 0..x.len() {
                t &= x[i];
            }
            t.0
        }
    }
    mod box_looked_at {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = Box::new(0i64);
            for i in 0..x.len() {
                *b = *b / 2 + x[i];
                out[i] = *b;
            }
        }
    }
    mod shared_reference_in_a_vector {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut slots = vec![0i64; 3];
            {
                let mut rs: Vec<&mut i64> = slots.iter_mut().collect();
                for i in 0..x.len() {
                    *rs[i % 3] += x[i];
                    out[i] = *rs[0];
                }
            }
        }
    }
    mod array_of_arrays {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut g = [[0i64; 2]; 2];
            for i in 0..x.len() {
                g[i % 2][0] = x[i];
                out[i] = g[(i + 1) % 2][0];
            }
        }
    }
    mod counter_named_like_the_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut i = 0;
            for v in x.iter() {
                out[i] = *v;
                i += 1;
                if *v == 3 {
                    i -= 1;
                }
            }
        }
    }
    mod rows_and_the_row_before {
        #[forall::foreach]
        fn program(wide: &mut [i64]) {
            let n = wide.len() / 3;
            for i in 1..n {
                let (a, b) = wide.split_at_mut(3 * i);
                b[..3].copy_from_slice(&a[3 * i - 3..]);
            }
        }
    }
    mod mirrored_too_far {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let n = out.len();
            for i in 0..n {
                out.swap(i, n - 1 - i);
            }
        }
    }
    mod wrong_swaps_of_two {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() / 2 {
                out.swap(i, i + 1);
            }
        }
    }
    mod own_from_fn_that_counts_on {

        mod array {
            pub fn from_fn<T, const N: usize, F: FnMut(usize) -> T>(mut f: F) -> [T; N] {
                let mut k = 0;
                [(); N].map(|()| {
                    k += 2;
                    f(k)
                })
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() / 6 {
                let a: [i64; 2] = array::from_fn(|k| x[6 * i + k]);
                out[i] = a[0] + a[1];
            }
        }
    }
}
mod right {
    mod guard_that_divides_in_a_reduction {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut m = 0;
            for i in 0..x.len() {
                match x[i] {
                    v if v > m && 100 / (v - 20) > -200 => m = v,
                    _ => {}
                }
            }
            m
        }
    }
    mod header_with_flat_map {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for v in x.iter().flat_map(|v| [*v, *v + 1]) {
                s += v;
            }
            s
        }
    }
    mod header_with_inspect {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0;
            let n = x.len();
            for i in (0..n).inspect(|_| c += 1) {
                out[i] = x[i];
            }
            let _ = c;
        }
    }
    mod view_behind_the_first {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            if out.is_empty() {
                return;
            }
            let v = &mut out[1..];
            for i in 0..v.len() {
                v[i] = x[i];
            }
        }
    }
    mod saturating_sum {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> u8 {
            let mut s = 0u8;
            for i in 0..x.len() {
                s = if x[i] > 10 { s.saturating_add(40) } else { s.saturating_sub(9) };
            }
            s
        }
    }
}
