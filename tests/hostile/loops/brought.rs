//! Methods of traits that hide those of std.

mod refused {
    mod wrapping_mul_of_a_mutable_reference {
        trait M {
            fn wrapping_add(&mut self, o: i64) -> i64;
        }
        impl M for i64 {
            fn wrapping_add(&mut self, o: i64) -> i64 {
                (*self * 2 + o) % 100
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for v in x {
                let r = &mut s;
                *r = r.wrapping_add(*v);
            }
            s
        }
    }
    mod is_none_or_of_a_reference {
        trait N {
            fn is_none_or(&self, f: impl FnOnce(i64) -> bool) -> bool;
        }
        impl N for Option<i64> {
            fn is_none_or(&self, f: impl FnOnce(i64) -> bool) -> bool {
                match *self {
                    None => true,
                    Some(b) => !f(b),
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                if (&b).is_none_or(|b| x[i] > b) {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod is_some_by_value {
        trait N {
            fn is_some(self) -> bool;
        }
        impl N for Option<i64> {
            fn is_some(self) -> bool {
                false
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                if !b.is_some() {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod cmp_by_value {
        trait C {
            fn cmp(self, o: &i64) -> std::cmp::Ordering;
        }
        impl C for i64 {
            fn cmp(self, o: &i64) -> std::cmp::Ordering {
                std::cmp::Ord::cmp(&(self % 5), &(*o % 7))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 3i64;
            for i in 0..x.len() {
                if x[i].cmp(&b).is_lt() {
                    b = x[i];
                }
            }
            b
        }
    }
    mod partial_cmp_by_value {
        trait C {
            fn partial_cmp(self, o: &i64) -> Option<std::cmp::Ordering>;
        }
        impl C for i64 {
            fn partial_cmp(self, o: &i64) -> Option<std::cmp::Ordering> {
                Some(std::cmp::Ord::cmp(&(self % 5), &(*o % 7)))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 3i64;
            for i in 0..x.len() {
                if x[i].partial_cmp(&b) == Some(std::cmp::Ordering::Less) {
                    b = x[i];
                }
            }
            b
        }
    }
    mod total_cmp_by_value {
        trait C {
            fn total_cmp(self, o: &f64) -> std::cmp::Ordering;
        }
        impl C for f64 {
            fn total_cmp(self, o: &f64) -> std::cmp::Ordering {
                f64::total_cmp(&(self % 5.0), &(*o % 7.0))
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut b = 3.0f64;
            for i in 0..x.len() {
                if x[i].total_cmp(&b).is_gt() {
                    b = x[i];
                }
            }
            b
        }
    }
    mod lt_by_value {
        trait C {
            fn lt(self, o: &i64) -> bool;
        }
        impl C for i64 {
            fn lt(self, o: &i64) -> bool {
                self % 5 < o % 7
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 3i64;
            for i in 0..x.len() {
                if x[i].lt(&b) {
                    b = x[i];
                }
            }
            b
        }
    }
    mod gt_by_value_with_a_companion {
        trait C {
            fn gt(self, o: &i64) -> bool;
        }
        impl C for i64 {
            fn gt(self, o: &i64) -> bool {
                self % 5 > o % 7
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (usize, i64) {
            let mut b = 3i64;
            let mut k = 0;
            for i in 0..x.len() {
                if x[i].gt(&b) {
                    b = x[i];
                    k = i;
                }
            }
            (k, b)
        }
    }
    mod clone_of_an_accumulator {
        trait C {
            fn clone(&mut self) -> i64;
        }
        impl C for i64 {
            fn clone(&mut self) -> i64 {
                *self = *self * 2 % 31;
                *self
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s += x[i];
                let _ = C::clone(&mut s);
            }
            s
        }
    }
    mod range_len_by_value {
        trait C {
            fn len(self) -> usize;
        }
        impl C for std::ops::Range<usize> {
            fn len(self) -> usize {
                0
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(0..i).len()] = x[i];
            }
        }
    }
    mod binary_search_of_the_parameter {
        trait L {
            fn binary_search(&self, v: &i64) -> Result<usize, usize>;
        }
        impl L for &mut [i64] {
            fn binary_search(&self, _v: &i64) -> Result<usize, usize> {
                Ok(7)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], other: &mut [i64]) {
            for i in 0..x.len() {
                other[i] = out.binary_search(&x[i]).unwrap_or(0) as i64;
            }
        }
    }
    mod iter_mut_of_a_vec {
        trait F {
            fn iter_mut(&mut self) -> std::slice::IterMut<'_, i64>;
        }
        impl F for Vec<i64> {
            fn iter_mut(&mut self) -> std::slice::IterMut<'_, i64> {
                self[1..].iter_mut()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![1i64; 3];
            for i in 0..x.len() {
                for v in b.iter_mut() {
                    *v = 0;
                }
                b[0] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod iter_mut_for_each_of_a_vec {
        trait F {
            fn iter_mut(&mut self) -> std::slice::IterMut<'_, i64>;
        }
        impl F for Vec<i64> {
            fn iter_mut(&mut self) -> std::slice::IterMut<'_, i64> {
                self[1..].iter_mut()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![1i64; 3];
            for i in 0..x.len() {
                b.iter_mut().for_each(|v| *v = 0);
                b[0] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod len_of_an_array_that_is_cleared {
        trait F {
            fn len(&self) -> usize;
        }
        impl F for [i64; 3] {
            fn len(&self) -> usize {
                1
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = [0i64; 3];
            for i in 0..x.len() {
                for k in 0..b.len() {
                    b[k] = 0;
                }
                b[2] += x[i];
                out[i] = b[2];
            }
        }
    }
    mod default_assigned {
        trait Default2 {
            fn default() -> Self;
        }
        struct Buf;
        impl Buf {
            fn default() -> Vec<i64> {
                vec![1]
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b: Vec<i64> = Vec::new();
            for i in 0..x.len() {
                b = Buf::default();
                b.push(x[i]);
                out[i] = b.len() as i64;
            }
            let _ = b;
        }
    }
    mod deref_assigned_scratch {
        struct Buf {
            v: [i64; 2],
            n: i64,
        }
        impl Buf {
            fn clear(&mut self) {
                self.v = [0; 2];
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = Buf { v: [0; 2], n: 0 };
            for i in 0..x.len() {
                b.clear();
                b.v[0] += x[i];
                b.n += 1;
                out[i] = b.v[0] + b.n;
            }
        }
    }
    mod macro_brings_zip {
        use std::iter::zip;
        macro_rules! mk {
            () => {
                fn zip<'a>(a: &'a [i64], b: &'a [i64]) -> impl Iterator<Item = (&'a i64, &'a i64)> {
                    a.iter().rev().zip(b)
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let _ = || zip([1], [2]);
            let mut s = 0i64;
            {
                mk!();
                for (a, b) in zip(x, y) {
                    s += a * b;
                }
            }
            s
        }
    }
    mod macro_brings_swap {
        use std::mem::swap;
        macro_rules! mk {
            () => {
                fn swap(a: &mut i64, b: &mut i64) {
                    *a += *b;
                    *b = 1;
                }
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut q, mut r) = (1, 2);
            swap(&mut q, &mut r);
            for i in 0..x.len() {
                mk!();
                let (mut a, mut b) = (x[i], i as i64);
                swap(&mut a, &mut b);
                out[i] = a - b;
            }
        }
    }
    mod macro_brings_a_trait_for_max {
        mod m {
            pub trait M {
                fn max(&self, o: f64) -> f64;
            }
            impl M for f64 {
                fn max(&self, o: f64) -> f64 {
                    *self * 0.5 + o
                }
            }
        }
        macro_rules! mk {
            () => {
                use m::M;
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0f64;
            for v in x {
                mk!();
                s = v.max(s);
            }
            s
        }
    }
    mod trait_of_the_body_for_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut s = 0.0f64;
            for v in x {
                trait M {
                    fn max(&self, o: f64) -> f64;
                }
                impl M for f64 {
                    fn max(&self, o: f64) -> f64 {
                        *self * 0.5 + o
                    }
                }
                s = v.max(s);
            }
            s
        }
    }
    mod trait_of_the_function_for_max {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            trait M {
                fn max(&self, o: f64) -> f64;
            }
            impl M for f64 {
                fn max(&self, o: f64) -> f64 {
                    *self * 0.5 + o
                }
            }
            let mut s = 0.0f64;
            for v in x {
                s = v.max(s);
            }
            s
        }
    }
}
