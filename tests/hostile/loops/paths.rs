//! Paths that end as those of std do, and name something else.

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
    mod ordering_of_another {
        #[derive(PartialEq)]
        enum Ordering {
            Less,
            Greater,
        }
        trait Cmp {
            fn cmp_to(&self, o: &i64) -> Ordering;
        }
        impl Cmp for i64 {
            fn cmp_to(&self, o: &i64) -> Ordering {
                if self % 5 < o % 7 { Ordering::Less } else { Ordering::Greater }
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 100i64;
            for i in 0..x.len() {
                if x[i].cmp_to(&b) == Ordering::Less {
                    b = x[i];
                }
            }
            b
        }
    }
    mod ordering_of_another_of_cmp {
        #[allow(non_upper_case_globals, dead_code)]
        mod m {
            pub const Less: std::cmp::Ordering = std::cmp::Ordering::Greater;
            pub const Greater: std::cmp::Ordering = std::cmp::Ordering::Less;
        }
        use m as Ordering;
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut b = 3i64;
            for i in 0..x.len() {
                if x[i].cmp(&b) == Ordering::Less {
                    b = x[i];
                }
            }
            b
        }
    }
    mod range_of_another {
        #[allow(non_snake_case)]
        fn range(a: usize, b: usize) -> std::ops::Range<usize> {
            a / 2..b
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in range(4, x.len()) {
                out[i] = x[i];
            }
        }
    }
    mod range_struct_of_another {
        struct Range {
            start: usize,
            end: usize,
        }
        impl Iterator for Range {
            type Item = usize;
            fn next(&mut self) -> Option<usize> {
                self.start += 1;
                if self.start > self.end { None } else { Some((self.start - 1) / 2) }
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in (Range { start: 0, end: x.len() }) {
                out[i] = x[i];
            }
        }
    }
    mod range_inclusive_of_a_function {
        struct R(usize);
        impl R {
            fn new(a: usize, b: usize) -> std::ops::RangeInclusive<usize> {
                a..=b / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in R::new(0, x.len() - 1) {
                out[i] = x[i];
            }
            let _ = R(0).0;
        }
    }
    mod repeat_of_another {
        fn repeat(v: i64) -> std::vec::IntoIter<i64> {
            vec![v, v + 1, v + 2].into_iter()
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for (o, v) in out.iter_mut().zip(repeat(3)) {
                *o = v;
            }
        }
    }
    mod identity_of_another {
        fn identity(k: usize) -> usize {
            k / 2
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += out[identity(i)];
            }
        }
    }
    mod usize_from_of_another {
        trait From2 {
            fn from(k: u8) -> usize;
        }
        struct Usize;
        impl From2 for Usize {
            fn from(k: u8) -> usize {
                k as usize / 2
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[Usize::from(i as u8)] = x[i];
            }
        }
    }
    mod size_of_of_another {
        fn size_of<T>() -> usize {
            1
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * size_of::<i64>() / 2] = x[i];
            }
        }
    }
    mod static_counts {
        use std::sync::atomic::{AtomicI64, Ordering};
        static N: AtomicI64 = AtomicI64::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            N.store(0, Ordering::Relaxed);
            for i in 0..x.len() {
                out[i] = x[i] + N.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod static_by_a_path {
        mod m {
            use std::sync::atomic::AtomicI64;
            pub static N: AtomicI64 = AtomicI64::new(0);
        }
        use std::sync::atomic::Ordering::Relaxed;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            m::N.store(0, Relaxed);
            for i in 0..x.len() {
                out[i] = x[i] + m::N.fetch_add(1, Relaxed);
            }
        }
    }
    mod static_mut {
        static mut N: i64 = 0;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            unsafe {
                N = 0;
            }
            for i in 0..x.len() {
                unsafe {
                    N += x[i];
                    out[i] = N;
                }
            }
        }
    }
    mod static_mut_in_the_body {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                static mut N: i64 = 0;
                unsafe {
                    if i == 0 {
                        N = 0;
                    }
                    N += x[i];
                    out[i] = N;
                }
            }
        }
    }
    mod const_with_a_cell {
        use std::cell::Cell;
        #[allow(clippy::declare_interior_mutable_const)]
        const C: Cell<i64> = Cell::new(0);
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let c = C;
                c.set(c.get() + x[i]);
                out[i] = c.get();
            }
        }
    }
    mod self_path {
        mod m {
            pub fn at(i: usize) -> usize {
                i / 2
            }
        }
        fn at(i: usize) -> usize {
            m::at(i)
        }
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += out[self::at(i)];
            }
        }
    }
    mod macro_brings_max {
        use std::cmp::max;
        macro_rules! mk {
            () => {
                fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = max(0i64, 0);
            for i in 0..x.len() {
                mk!();
                s = max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_max_before {
        #[allow(unused_imports)]
        use std::cmp::max;
        macro_rules! mk {
            () => {
                fn max(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            mk!();
            let mut s = 0i64;
            for i in 0..x.len() {
                s = max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_a_use {
        use std::cmp::max;
        mod m {
            pub fn max(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
        }
        macro_rules! mk {
            () => {
                use m::max;
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = max(0i64, 0);
            for i in 0..x.len() {
                mk!();
                s = max(s, x[i]);
            }
            s
        }
    }
    mod macro_brings_a_module {
        mod m {
            pub const K: i64 = 1;
        }
        macro_rules! mk {
            () => {
                mod m {
                    pub const K: i64 = 3;
                }
            };
        }
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s = s * m::K + x[i];
                s %= 100;
                out[i] = s;
            }
        }
    }
    mod macro_brings_a_type {
        #[allow(non_camel_case_types)]
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            macro_rules! mk {
                () => {
                    type i32 = i8;
                };
            }
            mk!();
            let mut s: i32 = 0;
            for i in 0..x.len() {
                s = s.wrapping_add(x[i] as i32);
            }
            s as i64
        }
    }
    mod macro_brings_some {
        macro_rules! mk {
            () => {
                #[allow(non_snake_case)]
                fn Some(v: i64) -> Option<i64> {
                    Option::Some(v / 2)
                }
            };
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut b: Option<i64> = None;
            for i in 0..x.len() {
                mk!();
                if b.is_none_or(|b| x[i] > b) {
                    b = Some(x[i]);
                }
            }
            b
        }
    }
    mod macro_brings_a_constant_value {
        macro_rules! mk {
            () => {
                const k: i64 = 3;
            };
        }
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s += x[i] * k;
                out[i] = s;
            }
            let _ = k;
        }
    }
    mod macro_brings_a_factor {
        macro_rules! mk {
            () => {
                const k: i64 = 3;
            };
        }
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[i64], out: &mut [i64]) {
            let k = 1i64;
            let mut s = 0i64;
            for i in 0..x.len() {
                mk!();
                s = s * k % 100 + x[i];
                out[i] = s;
            }
            let _ = k;
        }
    }
    mod macro_brings_a_linear_factor {
        macro_rules! mk {
            () => {
                const k: f64 = 0.5;
            };
        }
        #[forall::distributed_scan]
        #[allow(non_upper_case_globals)]
        fn program(x: &[f64], out: &mut [f64]) {
            let k = 0.9;
            let mut s = 0.0;
            for i in 0..x.len() {
                mk!();
                s = s * k + x[i];
                out[i] = s;
            }
            let _ = k;
        }
    }
    mod linear_factor_of_an_inner_type {
        struct S;
        impl S {
            const K: f64 = 0.9;
        }
        #[forall::distributed_scan]
        fn program(x: &[f64], out: &mut [f64]) {
            let mut s = 0.0;
            for i in 0..x.len() {
                s = s * S::K + x[i];
                out[i] = s;
                struct S;
                impl S {
                    const K: f64 = 0.5;
                }
            }
            let _ = S::K;
        }
    }
    mod threshold_of_an_inner_type {
        struct S;
        impl S {
            const K: i64 = 1;
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = S::K;
            for i in 0..x.len() {
                struct S;
                impl S {
                    const K: i64 = 5;
                }
                s = s.max(x[i].min(S::K));
            }
            s
        }
    }
}
