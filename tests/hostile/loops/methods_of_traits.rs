//! Methods that are called as those of slices, vectors, options and numbers, and belong to a trait of the user.

mod refused {
    mod abs_of_usize {
        trait Half {
            fn abs(&mut self) -> usize;
        }
        impl Half for usize {
            fn abs(&mut self) -> usize {
                *self /= 2;
                *self
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                let _q = k.abs();
                out[k] = x[i];
            }
        }
    }
    mod floor_of_usize_by_value {
        trait Half {
            fn floor(self) -> usize;
        }
        impl Half for usize {
            fn floor(self) -> usize {
                self / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.floor()] = x[i];
            }
        }
    }
    mod floor_of_the_loop_variable {
        trait Half {
            fn floor(&mut self);
        }
        impl Half for usize {
            fn floor(&mut self) {
                *self /= 2;
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for mut i in 0..x.len() {
                let v = x[i];
                i.floor();
                out[i] = v;
            }
        }
    }
    mod sqrt_of_a_sum {
        trait Cut {
            fn sqrt(&mut self);
        }
        impl Cut for i64 {
            fn sqrt(&mut self) {
                *self %= 17
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                s.sqrt();
            }
            s
        }
    }
    mod is_nan_of_a_sum {
        trait Cut {
            fn is_nan(&mut self) -> bool;
        }
        impl Cut for i64 {
            fn is_nan(&mut self) -> bool {
                *self %= 17;
                true
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                let _ = s.is_nan();
            }
            s
        }
    }
    mod floor_of_an_element {
        trait Cut {
            fn floor(&mut self);
        }
        impl Cut for i64 {
            fn floor(&mut self) {
                *self += 1
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i];
                out[i / 2].floor();
            }
        }
    }
    mod floor_of_an_element_in_an_expression {
        trait Cut {
            fn round(&mut self) -> i64;
        }
        impl Cut for i64 {
            fn round(&mut self) -> i64 {
                *self += 1;
                *self
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let v = out[i / 2].round();
                out[i] = x[i] + v;
            }
        }
    }
    mod len_of_the_parameter_in_an_index {
        trait L {
            fn len(&self) -> usize;
        }
        impl L for &mut [i64] {
            fn len(&self) -> usize {
                1
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[out.len() - 1] = x[i];
            }
        }
    }
    mod clone_of_the_parameter {
        #[allow(noop_method_call, suspicious_double_ref_op)]
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let y = x.clone();
            for i in 0..y.len() {
                out[i] = y[i];
            }
        }
    }
    mod len_of_an_array_in_a_range {
        trait F {
            fn len(&self) -> usize;
        }
        impl F for [i64; 3] {
            fn len(&self) -> usize {
                7
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            let b = [1i64, 2, 3];
            for i in 0..x.len() {
                for j in 0..b.len() {
                    let k = 3 * i + j;
                    if k < wide.len() {
                        wide[k] = x[i];
                    }
                }
            }
        }
    }
    mod swap_of_a_vec {
        trait F {
            fn swap(&mut self, a: usize, b: usize);
        }
        impl F for Vec<i64> {
            fn swap(&mut self, a: usize, b: usize) {
                self[a] += self[b] + 1;
                self[a] %= 100;
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![0i64; 3];
            for i in 0..x.len() {
                b[1] = x[i];
                b.swap(0, 1);
                out[i] = b[0];
            }
        }
    }
    mod sort_of_the_parameter {
        trait F {
            fn sort_by_key2(&mut self);
        }
        impl F for [i64] {
            fn sort_by_key2(&mut self) {
                self.reverse();
            }
        }
        #[forall::distributed_sort]
        fn program(out: &mut [i64]) {
            out.sort_by_key2();
            out.sort();
        }
    }
    mod max_of_a_type_of_its_own {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
        struct P(i64);
        impl Ord for P {
            fn cmp(&self, o: &P) -> std::cmp::Ordering {
                self.0.cmp(&o.0)
            }
            fn max(self, o: P) -> P {
                P((self.0 * 2 + o.0) % 100)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = P(0);
            for i in 0..x.len() {
                s = s.max(P(x[i]));
            }
            s.0
        }
    }
    mod max_of_a_function_of_a_type_of_its_own {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
        struct P(i64);
        impl Ord for P {
            fn cmp(&self, o: &P) -> std::cmp::Ordering {
                self.0.cmp(&o.0)
            }
            fn max(self, o: P) -> P {
                P((self.0 * 2 + o.0) % 100)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = P(0);
            for i in 0..x.len() {
                s = std::cmp::max(s, P(x[i]));
            }
            s.0
        }
    }
    mod less_of_a_type_of_its_own {
        #[derive(Clone, Copy, PartialEq)]
        struct P(i64);
        impl PartialOrd for P {
            fn partial_cmp(&self, o: &P) -> Option<std::cmp::Ordering> {
                (self.0 % 5).partial_cmp(&(o.0 % 7))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = P(50);
            for i in 0..x.len() {
                if P(x[i]) < s {
                    s = P(x[i]);
                }
            }
            s.0
        }
    }
    mod deref_of_its_own {
        struct W {
            v: Vec<i64>,
            n: std::cell::Cell<i64>,
        }
        impl std::ops::Deref for W {
            type Target = [i64];
            fn deref(&self) -> &[i64] {
                self.n.set(self.n.get() + 1);
                &self.v
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let w = W { v: vec![1, 2, 3], n: std::cell::Cell::new(0) };
            for i in 0..x.len() {
                out[i] = x[i] + w[i % 3] + w.n.get();
            }
        }
    }
    mod index_of_its_own {
        struct W(Vec<i64>);
        impl std::ops::Index<usize> for W {
            type Output = i64;
            fn index(&self, k: usize) -> &i64 {
                &self.0[k / 2]
            }
        }
        impl std::ops::IndexMut<usize> for W {
            fn index_mut(&mut self, k: usize) -> &mut i64 {
                &mut self.0[k / 2]
            }
        }
        #[forall::foreach]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut w = W(vec![0; x.len()]);
            for i in 0..x.len() {
                w[i] = x[i];
            }
            w.0
        }
    }
    mod iterator_of_its_own_in_a_loop {
        struct C<'a>(std::slice::Iter<'a, i64>);
        impl Iterator for C<'_> {
            type Item = i64;
            fn next(&mut self) -> Option<i64> {
                self.0.next_back().copied()
            }
        }
        trait Its {
            fn iter2(&self) -> C<'_>;
        }
        impl Its for [i64] {
            fn iter2(&self) -> C<'_> {
                C(self.iter())
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (o, v) in out.iter_mut().zip(x.iter2()) {
                *o = v;
            }
        }
    }
    mod iterator_adaptor_of_its_own {
        trait Ext: Iterator + Sized {
            fn enumerate2(self) -> std::iter::Enumerate<Self> {
                self.enumerate()
            }
        }
        impl<I: Iterator> Ext for I {}
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, v) in x.iter().skip(1).enumerate2() {
                out[i] = *v;
            }
        }
    }
    mod add_assign_of_a_reference {
        #[derive(Clone, Copy)]
        struct P(i64);
        impl std::ops::Add<i64> for P {
            type Output = P;
            fn add(self, o: i64) -> P {
                P((self.0 * 3 + o) % 100)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = P(0);
            for v in x {
                s = s + *v;
            }
            s.0
        }
    }
    mod push_of_a_trait_on_vec {
        trait Pu {
            fn push_all(&mut self, v: i64);
        }
        impl Pu for Vec<i64> {
            fn push_all(&mut self, v: i64) {
                self.insert(0, v);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            for i in 0..x.len() {
                to.push_all(x[i]);
                to.push(1);
            }
        }
    }
    mod extend_of_a_trait_on_a_reference {
        trait Pu {
            fn extend_from_within2(&mut self, v: i64);
        }
        impl Pu for &mut Vec<i64> {
            fn extend_from_within2(&mut self, v: i64) {
                self.insert(0, v);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], mut to: &mut Vec<i64>) {
            for i in 0..x.len() {
                to.extend_from_within2(x[i]);
            }
        }
    }
    mod len_of_the_pushed {
        trait Pu {
            fn is_empty(&self) -> bool;
        }
        impl Pu for &mut Vec<i64> {
            fn is_empty(&self) -> bool {
                self.len() % 2 == 0
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64], to: &mut Vec<i64>) {
            for i in 0..x.len() {
                if to.is_empty() {
                    to.push(x[i]);
                } else {
                    to.push(0);
                }
            }
        }
    }
    mod is_none_of_an_option {
        trait O {
            fn is_none_of(&mut self) -> bool;
        }
        impl O for Option<i64> {
            fn is_none_of(&mut self) -> bool {
                *self = None;
                true
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b = None;
            for i in 0..x.len() {
                if b.is_none_of() {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod clamp_of_floats_of_a_trait {
        trait C {
            fn powi(self, k: i32) -> usize;
        }
        impl C for usize {
            fn powi(self, k: i32) -> usize {
                self / k as usize
            }
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += out[i.powi(2)];
            }
        }
    }
    mod to_bits_of_usize {
        trait C {
            fn to_bits(self) -> usize;
        }
        impl C for usize {
            fn to_bits(self) -> usize {
                self / 2
            }
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += out[i.to_bits()];
            }
        }
    }
    mod as_ref_of_usize {
        trait C {
            fn as_ref(&self) -> usize;
        }
        impl C for usize {
            fn as_ref(&self) -> usize {
                self / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.as_ref()] = x[i];
            }
        }
    }
    mod index_of_usize {
        trait C {
            fn unwrap(self) -> usize;
            fn copied(self) -> usize;
            fn cloned(self) -> usize;
            fn get(self) -> usize;
        }
        impl C for usize {
            fn unwrap(self) -> usize {
                self / 2
            }
            fn copied(self) -> usize {
                self / 2
            }
            fn cloned(self) -> usize {
                self / 2
            }
            fn get(self) -> usize {
                self / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.unwrap()] = x[i];
            }
        }
    }
    mod copied_of_usize {
        trait C {
            fn copied(self) -> usize;
        }
        impl C for usize {
            fn copied(self) -> usize {
                self / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.copied()] = x[i];
            }
        }
    }
    mod value_of_a_wrapper {
        #[derive(Clone, Copy)]
        struct U(usize);
        impl U {
            fn get(self) -> usize {
                self.0 / 2
            }
            fn min(self, k: usize) -> usize {
                self.0.max(k)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                let k = U(i).min(3);
                wide[k] = x[i];
            }
        }
    }
    mod min_of_a_wrapper_in_a_bound {
        #[derive(Clone, Copy)]
        struct U(usize);
        impl U {
            fn min(self, k: usize) -> usize {
                self.0.max(k)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for t in (0..x.len()).step_by(4) {
                for j in t..U(t + 4).min(x.len()) {
                    wide[j] += x[t];
                }
            }
        }
    }
    mod saturating_of_a_wrapper {
        #[derive(Clone, Copy)]
        struct U(u64);
        impl U {
            fn saturating_add(self, k: u64) -> U {
                U((self.0 * 2 + k) % 100)
            }
            fn wrapping_add(self, k: u64) -> U {
                U((self.0 * 2 + k) % 100)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[u64]) -> u64 {
            let mut s = U(0);
            for i in 0..x.len() {
                s = s.wrapping_add(x[i]);
            }
            s.0
        }
    }
    mod chunks_of_a_range {
        trait Ch {
            fn chunks(self, k: usize) -> std::vec::IntoIter<usize>;
        }
        impl Ch for std::ops::Range<usize> {
            fn chunks(self, k: usize) -> std::vec::IntoIter<usize> {
                self.map(|i| i / k).collect::<Vec<_>>().into_iter()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len()).chunks(2) {
                out[i] = x[i];
            }
        }
    }
    mod range_of_a_trait {
        trait Ch {
            fn iter(&self) -> std::vec::IntoIter<usize>;
        }
        impl Ch for std::ops::Range<usize> {
            fn iter(&self) -> std::vec::IntoIter<usize> {
                self.clone().map(|i| i / 2).collect::<Vec<_>>().into_iter()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..x.len()).iter() {
                out[i] = x[i];
            }
        }
    }
    mod for_each_of_a_trait {
        trait Fe {
            fn for_each2(self, f: impl FnMut(usize));
        }
        impl Fe for std::ops::Range<usize> {
            fn for_each2(self, mut f: impl FnMut(usize)) {
                for i in self {
                    f(i / 2)
                }
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            (0..x.len()).for_each2(|i| out[i] = x[i]);
        }
    }
    mod best_of_a_wrapper {
        #[derive(Clone, Copy)]
        struct W(i64);
        impl W {
            fn is_none_or(self, f: impl Fn(i64) -> bool) -> bool {
                !f(self.0)
            }
        }
        #[allow(non_snake_case)]
        fn Some(v: i64) -> W {
            W(v)
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = W(3);
            for i in 0..x.len() {
                if b.is_none_or(|b| x[i] > b) {
                    b = Some(x[i]);
                }
            }
            b.0
        }
    }
    mod swap_method_of_a_cell {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = std::cell::RefCell::new(0i64);
            for i in 0..x.len() {
                out[i] = c.replace(x[i]);
            }
        }
    }
    mod clone_that_counts {
        use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
        static N: AtomicI64 = AtomicI64::new(0);
        struct C;
        impl Clone for C {
            fn clone(&self) -> C {
                N.fetch_add(1, Relaxed);
                C
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            N.store(0, Relaxed);
            let c = C;
            for i in 0..x.len() {
                let _d = c.clone();
                out[i] = x[i];
            }
            for i in 0..out.len() {
                out[i] += N.load(Relaxed);
            }
        }
    }
}
