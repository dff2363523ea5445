//! Changes of a variable of the body under another name.

mod right {
    mod closure_moved_state {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut c = x[i];
                let mut f = move || {
                    c += 1;
                    c
                };
                f();
                out[i] = c + f();
            }
        }
    }

    mod local_at_pattern {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut s = [x[i], 2, 3];
                if let [a, rest @ ..] = &mut s {
                    *a = 4;
                    rest[0] = 9;
                }
                v += s[0] + s[1];
                out[i] = v;
            }
        }
    }

    mod local_binding_mode {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut s = (x[i], Some(2));
                let p = &mut s;
                if let (a, Some(b)) = p {
                    *a = 4;
                    *b = 5;
                }
                v += s.0 + s.1.unwrap();
                out[i] = v;
            }
        }
    }

    mod local_cell_from_mut {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let c = &std::cell::Cell::from_mut(&mut t);
                c.set(4);
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_label_break_borrow {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let (mut t, mut u) = (x[i], 3);
                let r = 'a: {
                    if x[i] > 3 {
                        break 'a &mut t;
                    }
                    &mut u
                };
                *r = 4;
                v += t + u;
                out[i] = v;
            }
        }
    }

    mod local_loop_break_borrow {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let r = loop {
                    break &mut t;
                };
                *r = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_match_borrow {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let o = Some(&mut t);
                let r = match o {
                    Some(r) => r,
                    None => continue,
                };
                *r = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_pushed_borrow {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let mut s = Vec::new();
                s.push(&mut t);
                *s[0] = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_pushed_borrow_popped {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let mut s = Vec::new();
                s.push(&mut t);
                if let Some(r) = s.pop() {
                    *r = 4;
                }
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_raw_cast {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let r = &mut t as *mut i64;
                unsafe {
                    *r = 4;
                }
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_returned_by_closure {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = [x[i], 3];
                let at = |a: &mut [i64; 2]| a[0] = 4;
                at(&mut t);
                v += t[0];
                out[i] = v;
            }
        }
    }

    mod local_slice_from_mut {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                std::slice::from_mut(&mut t)[0] = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_struct_pattern_borrow {
        struct S {
            a: i64,
            b: i64,
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut s = S { a: x[i], b: 1 };
                let S { a, .. } = &mut s;
                *a = 4;
                v += s.a + s.b;
                out[i] = v;
            }
        }
    }

    mod local_sum_of_iterator_by_ref {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut it = x[i..].iter();
                let _: i64 = it.by_ref().take(1).sum();
                v += it.len() as i64;
                out[i] = v;
            }
        }
    }

    mod local_via_trait_object {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let mut b: Box<dyn FnMut(i64)> = Box::new(|e| t = e);
                b(4);
                drop(b);
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_bool_operator_effect {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let _ = x[i] > 4 && {
                    t = 2;
                    true
                };
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_closure_stored {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let fs: [Box<dyn FnMut()>; 1] = [Box::new(|| t += 4)];
                for mut f in fs {
                    f();
                }
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_drop_guard {
        struct D<'a>(&'a mut i64);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 += 5;
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                {
                    let _d = D(&mut t);
                }
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_iterator_with_effect {
        struct It<'a>(&'a mut i64, i64);
        impl Iterator for It<'_> {
            type Item = i64;
            fn next(&mut self) -> Option<i64> {
                *self.0 += 1;
                self.1 -= 1;
                (self.1 >= 0).then_some(1)
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                for _ in It(&mut t, 3) {}
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_lent_in_option {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let mut s = [Some(&mut t)];
                if let Some(r) = s[0].take() {
                    *r = 4;
                }
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_lent_in_struct {
        struct S<'a> {
            r: &'a mut i64,
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let s = S { r: &mut t };
                *s.r = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_lent_to_function {
        fn pick<'a>(a: &'a mut i64, _: i64) -> &'a mut i64 {
            a
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let p = pick;
                *p(&mut t, 3) += 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_nested_function {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                fn bump(t: &mut i64) {
                    *t += 3;
                }
                let mut t = x[i];
                bump(&mut t);
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_pattern_assign_struct {
        struct P {
            a: i64,
            b: i64,
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let (mut t, mut q) = (x[i], 0);
                P { a: t, b: q } = P { a: 3, b: t };
                v += t + q;
                out[i] = v;
            }
        }
    }

    mod scan_sort_local {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut b = [x[i], 3, 9];
                b.sort();
                v += b[1];
                out[i] = v;
            }
        }
    }

    mod scan_swap_renamed {
        use std::mem::swap as max;
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let (mut t, mut q) = (x[i], 4);
                max(&mut t, &mut q);
                v += t;
                out[i] = v;
            }
        }
    }
    mod deref_len_of_a_user {
        use std::ops::Deref;
        pub struct Wrap(Vec<i64>);
        impl Deref for Wrap {
            type Target = Vec<i64>;
            fn deref(&self) -> &Vec<i64> {
                &self.0
            }
        }
        impl Wrap {
            fn len(&self) -> usize {
                1
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let w = Wrap(x.to_vec());
            for i in 0..w.len().min(out.len()) {
                out[i] = w[i];
            }
        }
    }
}

mod refused {
    mod closure_called_later {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut c = 0i64;
            let mut f = |e: i64| {
                c += e;
                c
            };
            for i in 0..x.len() {
                out[i] = f(x[i]);
            }
            c
        }
    }

    mod closure_writes_output {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut put = |i: usize, e: i64| out[i / 2] = e;
            for i in 0..x.len() {
                put(i, x[i]);
            }
        }
    }

    mod local_assign_operator_in_index {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = 0usize;
                let b = [x[i], 5];
                out[i] = b[{
                    t += 1;
                    t
                }];
                v += t as i64;
                out[i] += v;
            }
        }
    }

    mod local_box_moved {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let s = Box::new(&mut t);
                let r = *s;
                *r = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_iterator_advanced {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut it = x[i..].iter().peekable();
                let _ = it.next_if(|e| **e > 3);
                v += it.count() as i64;
                out[i] = v;
            }
        }
    }

    mod local_operator_keeps_borrow {
        struct L<'a>(&'a mut i64);
        impl<'a> std::ops::Add<i64> for L<'a> {
            type Output = L<'a>;
            fn add(self, _: i64) -> L<'a> {
                self
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let s = L(&mut t) + 3;
                *s.0 = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod local_operator_keeps_borrow_later {
        struct L<'a>(&'a mut i64);
        impl<'a> std::ops::Neg for L<'a> {
            type Output = L<'a>;
            fn neg(self) -> L<'a> {
                self
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let s = L(&mut t);
                let s = -s;
                *s.0 = 4;
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_drop_guard_method {
        struct D<'a>(&'a mut i64);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                *self.0 += 5;
            }
        }
        trait G {
            fn last(&mut self) -> D<'_>;
        }
        impl G for i64 {
            fn last(&mut self) -> D<'_> {
                D(self)
            }
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = x[i];
                let _ = t.last();
                v += t;
                out[i] = v;
            }
        }
    }
    mod deref_of_a_user {
        use std::ops::{Deref, DerefMut};
        pub struct Wrap(Vec<i64>);
        impl Deref for Wrap {
            type Target = Vec<i64>;
            fn deref(&self) -> &Vec<i64> {
                &self.0
            }
        }
        impl DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut Vec<i64> {
                self.0.push(1);
                &mut self.0
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut w = Wrap(vec![0; x.len()]);
            for i in 0..x.len() {
                w[i] = x[i];
            }
            for (i, o) in out.iter_mut().enumerate() {
                *o = w.0.len() as i64 + i as i64;
            }
        }
    }
    mod index_of_a_user {
        use std::ops::{Index, IndexMut};
        pub struct Ring {
            v: Vec<i64>,
        }
        impl Index<usize> for Ring {
            type Output = i64;
            fn index(&self, i: usize) -> &i64 {
                &self.v[i % 3]
            }
        }
        impl IndexMut<usize> for Ring {
            fn index_mut(&mut self, i: usize) -> &mut i64 {
                let n = self.v.len();
                &mut self.v[i % n.min(3)]
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut w = Ring { v: vec![0; 3] };
            for i in 0..x.len() {
                w[i] = x[i];
            }
            for (i, o) in out.iter_mut().enumerate() {
                *o = w.v[i % 3];
            }
        }
    }
    mod deref_iter_of_a_user {
        use std::ops::{Deref, DerefMut};
        pub struct Wrap(Vec<i64>);
        impl Deref for Wrap {
            type Target = Vec<i64>;
            fn deref(&self) -> &Vec<i64> {
                &self.0
            }
        }
        impl DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut Vec<i64> {
                self.0.push(1);
                &mut self.0
            }
        }
        impl Wrap {
            fn iter(&self) -> std::iter::Rev<std::slice::Iter<'_, i64>> {
                self.0.iter().rev()
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut w = Wrap(x.to_vec());
            for (o, v) in out.iter_mut().zip(w.iter()) {
                *o = *v;
            }
            for v in w.iter_mut() {
                *v += 1;
            }
            w.0.len() as i64
        }
    }
    mod drop_effects {
        pub struct D<'a>(&'a std::cell::Cell<i64>);
        impl Drop for D<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() * 3 % 1000 + 1);
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let c = std::cell::Cell::new(0);
            for i in 0..out.len().min(x.len()) {
                let _d = D(&c);
                out[i] = c.get() + x[i];
            }
        }
    }
    mod static_in_drop {
        static N: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
        pub struct D;
        impl Drop for D {
            fn drop(&mut self) {
                N.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            N.store(0, std::sync::atomic::Ordering::SeqCst);
            for i in 0..out.len().min(x.len()) {
                let _d = D;
                out[i] = N.load(std::sync::atomic::Ordering::SeqCst) + x[i];
            }
        }
    }
    mod user_ord {
        #[derive(Clone, Copy, PartialEq)]
        pub struct P(i64);
        impl PartialOrd for P {
            fn partial_cmp(&self, o: &P) -> Option<std::cmp::Ordering> {
                if (self.0 ^ o.0) & 1 == 0 { Some(std::cmp::Ordering::Greater) } else { None }
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = P(1);
            for i in 0..x.len() {
                if P(x[i]) > s {
                    s = P(x[i]);
                }
            }
            s.0
        }
    }
}
