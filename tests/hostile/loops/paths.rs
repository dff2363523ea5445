//! Types and constants whose paths end as others do.

mod refused {
    mod type_i64_is_a_struct {
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        #[allow(non_camel_case_types)]
        struct i64(i32);
        impl std::ops::Add for i64 {
            type Output = i64;
            fn add(self, o: i64) -> i64 {
                i64((self.0 * 2 + o.0) % 100)
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> i32 {
            let mut s: i64 = i64(0);
            for i in 0..x.len() {
                s = s + i64(x[i]);
            }
            s.0
        }
    }
    mod type_i64_is_a_struct_of_add_assign {
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        #[allow(non_camel_case_types)]
        struct i64(i32);
        impl std::ops::AddAssign<i32> for i64 {
            fn add_assign(&mut self, o: i32) {
                self.0 = (self.0 * 2 + o) % 100;
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i32]) -> i32 {
            let mut s: i64 = i64(0);
            for i in 0..x.len() {
                s += x[i];
            }
            s.0
        }
    }
    mod alias_wide {
        type Wide = u8;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i as Wide as usize] = x[i];
            }
        }
    }
    mod alias_of_a_signed_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            type I = i8;
            for i in 0..x.len() {
                out[(i as I as i64 + 128) as usize % 4096] = x[i];
            }
        }
    }
    mod inner_impl_const_of_a_value {
        struct S;
        impl S {
            const K: i64 = 1;
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                struct S;
                impl S {
                    const K: i64 = 3;
                }
                s = s * S::K + x[i];
                s %= 1000;
                out[i] = s;
            }
        }
    }
    mod inner_impl_const_of_an_inner_range {
        struct S;
        impl S {
            const K: usize = 3;
        }
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                struct S;
                impl S {
                    const K: usize = 7;
                }
                for j in 0..S::K {
                    let k = 3 * i + j;
                    if k < wide.len() {
                        wide[k] = x[i];
                    }
                }
            }
        }
    }
    mod inner_enum_of_a_discriminant {
        enum E {
            A = 1,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                enum E {
                    A = 0,
                }
                out[i * E::A as usize] = x[i];
            }
            let _ = E::A;
        }
    }
    mod inner_trait_const {
        trait T {
            const K: usize = 1;
        }
        impl T for u8 {}
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                trait T {
                    const K: usize = 0;
                }
                impl T for u8 {}
                out[i * <u8 as T>::K] = x[i];
            }
        }
    }
    mod module_of_the_name_of_a_type {
        #[allow(dead_code)]
        mod u16 {
            pub const MAX: usize = 0;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.min(u16::MAX)] = x[i];
            }
        }
    }
    mod wrapping_of_another {
        mod num {
            #[derive(Clone, Copy)]
            pub struct Wrapping<T>(pub T);
            impl std::ops::AddAssign for Wrapping<i64> {
                fn add_assign(&mut self, o: Self) {
                    self.0 = (self.0 * 2 + o.0) % 100;
                }
            }
        }
        use num::Wrapping;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = Wrapping(0i64);
            for i in 0..x.len() {
                s += Wrapping(x[i]);
            }
            s.0
        }
    }
    mod cmp_min_of_a_module_as_a_reduction {
        mod cmp {
            pub fn min(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = cmp::min(s, x[i]);
            }
            s
        }
    }
    mod std_of_a_module {
        mod std {
            pub mod cmp {
                pub fn min(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = std::cmp::min(s, x[i]);
            }
            s
        }
    }
    mod std_swap_of_a_module {
        mod std {
            pub mod mem {
                pub fn swap(a: &mut i64, b: &mut i64) {
                    *a = *a * 2 % 100 + *b;
                }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut last = 0i64;
            for i in 0..x.len() {
                let mut v = x[i];
                std::mem::swap(&mut last, &mut v);
                s += v;
            }
            s + last
        }
    }
    mod mem_swap_of_a_module {
        mod mem {
            pub fn swap(a: &mut usize, b: &mut usize) {
                *a = *b;
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let (mut a, mut b) = (i, i / 2);
                mem::swap(&mut a, &mut b);
                out[b] = x[i];
            }
        }
    }
    mod mem_replace_of_a_module {
        mod mem {
            pub fn replace(a: &mut i64, b: i64) -> i64 {
                *a = *a * 2 % 100 + b;
                *a
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut last = 0i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                s += mem::replace(&mut last, x[i]);
            }
            s
        }
    }
    mod mem_take_of_a_module {
        mod mem {
            pub fn take(a: &mut Vec<i64>) -> Vec<i64> {
                a.clone()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut b = Vec::new();
            for i in 0..x.len() {
                b.push(x[i]);
                let t = mem::take(&mut b);
                out[i] = t.len() as i64;
            }
        }
    }
    mod use_of_swap {
        mod m {
            pub fn swap(a: &mut i64, b: &mut i64) {
                *a += *b;
            }
        }
        use m::swap;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut t = 0i64;
            for i in 0..x.len() {
                let mut v = x[i];
                swap(&mut t, &mut v);
                out[i] = t;
            }
        }
    }
    mod fn_min_alone {
        fn min(a: i64, b: i64) -> i64 {
            (a * 2 + b) % 100
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = min(s, x[i]);
            }
            s
        }
    }
    mod fn_min_in_a_bound {
        fn min(a: usize, b: usize) -> usize {
            a.max(b)
        }
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for t in (0..x.len()).step_by(4) {
                for j in t..min(t + 4, x.len()) {
                    wide[j] += x[t];
                }
            }
        }
    }
    mod closure_min_in_a_bound {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            let min = |a: usize, b: usize| a.max(b);
            for t in (0..x.len()).step_by(4) {
                for j in t..min(t + 4, x.len()) {
                    wide[j] += x[t];
                }
            }
        }
    }
    mod fn_drop {
        fn drop(k: &mut usize) {
            *k /= 2;
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut k = i;
                drop(&mut k);
                out[k] = x[i];
            }
        }
    }
    mod fn_some {
        #[allow(non_snake_case)]
        fn Some(v: i64) -> Option<i64> {
            if v > 3 { None } else { Option::Some(v) }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                if b.is_none() {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod fn_some_of_the_best {
        #[allow(non_snake_case)]
        fn Some(v: i64) -> Option<i64> {
            Option::Some(v / 2)
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                if b.is_none_or(|b| x[i] > b) {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod vec_of_another {
        pub struct Vec(std::vec::Vec<i64>);
        impl Vec {
            pub fn new() -> Vec {
                Vec(std::vec::Vec::new())
            }
            pub fn push(&mut self, v: i64) {
                if self.0.len() < 5 {
                    self.0.push(v);
                } else {
                    self.0[0] = v;
                }
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> std::vec::Vec<i64> {
            let mut v = Vec::new();
            for i in 0..x.len() {
                v.push(x[i]);
            }
            v.0
        }
    }
    mod vec_of_another_as_scratch {
        struct Vec(std::vec::Vec<i64>);
        impl Vec {
            fn new() -> Vec {
                Vec(std::vec::Vec::new())
            }
            fn push(&mut self, v: i64) {
                self.0.push(v);
            }
            fn clear(&mut self) {
                let k = self.0.len();
                self.0.truncate(k.min(3));
            }
            fn len(&self) -> usize {
                self.0.len()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = Vec::new();
            for i in 0..x.len() {
                v.clear();
                v.push(x[i]);
                out[i] = v.len() as i64;
            }
        }
    }
    mod map_of_another {
        use std::collections::BTreeMap as Inner;
        pub struct BTreeMap(Inner<usize, i64>);
        impl BTreeMap {
            pub fn new() -> Self {
                BTreeMap(Inner::new())
            }
            pub fn entry(&mut self, k: usize) -> E<'_> {
                E(self.0.entry(k / 2).or_insert(0))
            }
        }
        pub struct E<'a>(&'a mut i64);
        impl<'a> E<'a> {
            pub fn or_insert(self, v: i64) -> &'a mut i64 {
                *self.0 = *self.0 * 2 % 100 + v;
                self.0
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> Vec<i64> {
            let mut m = BTreeMap::new();
            for i in 0..x.len() {
                *m.entry(idx[i] % 7).or_insert(1) += x[i];
            }
            m.0.into_values().collect()
        }
    }
    mod string_of_another {
        pub struct String(Vec<char>);
        impl String {
            pub fn new() -> Self {
                String(Vec::new())
            }
            pub fn push(&mut self, c: char) {
                self.0.insert(0, c);
            }
        }
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<char> {
            let mut t = String::new();
            for i in 0..x.len() {
                t.push(if x[i] > 3 { 'a' } else { 'b' });
            }
            t.0
        }
    }
}
