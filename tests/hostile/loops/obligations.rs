//! Names of functions, types, constants and macros that stand for something else than the compiler takes them for. The loop is refused,
//! or gives what the sequential loop gives.

mod refused {
    mod primitive_alias {
        #[allow(non_camel_case_types)]
        type u64 = u8;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i as u64 as usize] = x[i];
            }
        }
    }
    mod primitive_alias_in_annotation {
        #[allow(non_camel_case_types)]
        type u32 = u8;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let k: u32 = (i % 300) as u32;
                out[i] = x[i] + k as i64;
            }
        }
    }
    mod primitive_alias_of_a_sum {
        #[allow(non_camel_case_types)]
        type f64 = f32;
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> core::primitive::f64 {
            let mut s = 0.0 as f64;
            for i in 0..x.len() {
                s += x[i] as f64;
            }
            s as core::primitive::f64
        }
    }
    mod primitive_module {
        #[allow(non_snake_case)]
        mod usize {
            pub fn min(a: core::primitive::usize, b: core::primitive::usize) -> core::primitive::usize {
                a.max(b)
            }
            pub const MAX: core::primitive::usize = 3;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 8 {
                for j in 0..usize::min(3, 7) {
                    out[3 * i + j] = x[i];
                }
            }
        }
    }
    mod module_cmp {
        mod cmp {
            pub fn min(a: usize, b: usize) -> usize {
                a.max(b)
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 8 {
                for j in 0..cmp::min(3, 7) {
                    out[3 * i + j] = x[i];
                }
            }
        }
    }
    mod function_min {
        fn min(a: usize, b: usize) -> usize {
            a.max(b)
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 8 {
                for j in 0..min(3, 7) {
                    out[3 * i + j] = x[i];
                }
            }
        }
    }
    mod function_max_of_an_accumulator {
        fn max(a: i64, b: i64) -> i64 {
            a - b
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = max(s, x[i]);
            }
            s
        }
    }
    mod function_min_of_an_index {
        fn min(a: usize, b: usize) -> usize {
            a * 2 % b
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = x[min(i + 1, x.len() - 1)];
            }
        }
    }
    mod function_zip {
        fn zip<'a>(a: &'a [i64], b: &'a [i64]) -> impl Iterator<Item = (&'a i64, &'a i64)> {
            a.iter().rev().zip(b)
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut s = 0i64;
            for (a, b) in zip(x, y) {
                s += a * b;
            }
            s
        }
    }
    mod function_zip_of_a_module {
        mod iter {
            pub fn zip<'a>(a: &'a mut [i64], b: &'a [i64]) -> impl Iterator<Item = (&'a mut i64, &'a i64)> {
                a.iter_mut().zip(b).skip(1)
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for (o, a) in iter::zip(out, x) {
                *o = *a;
            }
        }
    }
    mod function_swap_of_wholes {
        mod mem {
            pub fn swap(a: &mut [i64], _b: &mut [i64]) {
                a[0] += 1;
            }
        }
        #[forall::foreach]
        pub fn program(a: &mut [i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += 1;
            }
            for i in 0..a.len() {
                a[i] += 1;
            }
            mem::swap(a, out);
        }
    }
    mod constant_of_a_struct {
        struct S;
        impl S {
            const K: usize = 1;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                struct S;
                impl S {
                    const K: usize = 0;
                }
                out[i * S::K] = x[i];
            }
        }
    }
    mod constant_of_a_trait {
        trait K {
            const K: usize;
        }
        impl K for u16 {
            const K: usize = 1;
        }
        mod far {
            pub trait K {
                const K: usize;
            }
            impl K for u32 {
                const K: usize = 0;
            }
        }
        #[allow(non_camel_case_types)]
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            type T = u16;
            for i in 0..out.len() {
                use far::K as _;
                type T = u32;
                out[i * T::K] = x[i];
            }
        }
    }
    mod constant_of_a_module {
        mod m {
            pub const K: usize = 1;
        }
        mod n {
            pub mod m {
                pub const K: usize = 0;
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                use n::m;
                out[i * m::K] = x[i];
            }
        }
    }
    mod constant_of_an_inner_loop {
        struct S;
        impl S {
            const K: usize = 4;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 4 {
                for j in 0..4 {
                    struct S;
                    impl S {
                        const K: usize = 2;
                    }
                    out[i * S::K + j] = x[i];
                }
            }
        }
    }
    mod constant_glob {
        mod n {
            pub struct S;
            impl S {
                pub const K: usize = 0;
            }
        }
        struct S;
        impl S {
            const K: usize = 1;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                use n::S;
                out[i * S::K] = x[i];
            }
        }
    }
    mod use_in_the_body {
        use std::cmp::min;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 4 {
                use std::cmp::max as min;
                for j in 0..min(2, 3) {
                    out[2 * i + j] = x[i];
                }
            }
        }
    }
    mod module_used_in_the_function {
        mod far {
            pub fn min(a: usize, b: usize) -> usize {
                a.max(b)
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            use far::*;
            for i in 0..out.len() / 4 {
                for j in 0..min(2, 3) {
                    out[2 * i + j] = x[i];
                }
            }
        }
    }
    mod renamed_import {
        use std::cmp::max as min;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 4 {
                for j in 0..min(2, 3) {
                    out[2 * i + j] = x[i];
                }
            }
        }
    }
    mod some_of_another {
        #[allow(non_snake_case)]
        fn Some(v: i64) -> Option<i64> {
            Option::Some(v + 1)
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                best = match best {
                    Option::Some(b) if b <= x[i] => best,
                    _ => Some(x[i]),
                };
            }
            best
        }
    }
    mod none_of_another {
        #[allow(non_upper_case_globals)]
        const None: Option<i64> = Some(3);
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> Option<i64> {
            let mut found = Option::None;
            for i in 0..x.len() {
                if found == None && x[i] > 2 {
                    found = Some(x[i]);
                }
            }
            found
        }
    }
    mod inner_type {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                #[allow(non_camel_case_types)]
                type u64 = u8;
                out[i as u64 as usize] = x[i];
            }
        }
    }
    mod inner_use_of_type {
        mod far {
            #[allow(non_camel_case_types)]
            pub type u32 = u8;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                use far::u32;
                out[i] = x[(i as u32) as usize];
            }
        }
    }
    mod inner_cmp {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 8 {
                mod cmp {
                    pub fn min(a: usize, b: usize) -> usize {
                        a.max(b)
                    }
                }
                for j in 0..cmp::min(3, 7) {
                    out[3 * i + j] = x[i];
                }
            }
        }
    }
    mod function_type {
        #[allow(non_camel_case_types)]
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            type u64 = u8;
            for i in 0..out.len() {
                out[i as u64 as usize] = x[i];
            }
        }
    }
    mod min_of_ord {
        trait Ord {
            fn min(a: usize, b: usize) -> usize {
                a + b
            }
        }
        impl Ord for usize {}
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 16 {
                for j in 0..<usize as Ord>::min(3, 7) {
                    out[10 * i + j] = x[i];
                }
            }
        }
    }
    mod max_of_a_renamed_module {
        mod far {
            pub mod cmp {
                pub fn max(a: usize, b: usize) -> usize {
                    a * b
                }
            }
        }
        use far::cmp;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in cmp::max(0, 2)..out.len() {
                out[i] = x[i];
            }
        }
    }
    mod index_by_cmp {
        mod cmp {
            pub fn min(a: usize, b: usize) -> usize {
                a / 2 % b
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = x[cmp::min(i, x.len() - 1)];
            }
        }
    }
    mod bool_of_another {
        #[allow(non_camel_case_types)]
        type bool = u8;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let b: bool = (x[i] & 255) as bool;
                out[i] = b as i64;
            }
        }
    }
    mod float_of_another {
        #[allow(non_camel_case_types)]
        type f32 = f64;
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> core::primitive::f64 {
            let mut s: f32 = 0.0;
            for i in 0..x.len() {
                s += x[i] as f32 / 3.0;
            }
            s
        }
    }
    mod usize_of_a_struct {
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        struct i64(core::primitive::i64);
        impl std::ops::AddAssign for i64 {
            fn add_assign(&mut self, o: i64) {
                self.0 = self.0 * 3 + o.0;
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[core::primitive::i64]) -> core::primitive::i64 {
            let mut s: i64 = i64(0);
            for i in 0..x.len().min(9) {
                s += i64(x[i] % 3);
            }
            s.0
        }
    }
    mod some_of_another_best {
        #[derive(Clone, Copy)]
        enum Opt {
            Some(i64),
            None,
        }
        use Opt::{None, Some};
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut best = None;
            for i in 0..x.len() {
                match best {
                    None => best = Some(x[i]),
                    Some(b) => {
                        if x[i] < b {
                            best = Some(x[i]);
                        }
                    }
                }
            }
            match best {
                Some(b) => b,
                None => 0,
            }
        }
    }
    mod macro_vec {
        macro_rules! vec { ($e:expr; $n:expr) => { std::vec![$e + 1; $n] } }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let mut b = vec![0i64; 2];
                b[0] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod macro_assert {
        macro_rules! assert {
            ($e:expr) => {
                if !$e {
                    return;
                }
            };
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                assert!(x[i] > 0);
                out[i] = x[i];
            }
        }
    }
    mod swap_renamed {
        mod far {
            pub fn swap(a: &mut [i64], b: &mut [i64]) {
                a.reverse();
                b.reverse();
            }
        }
        use far::swap;
        #[forall::foreach]
        pub fn program(a: &mut [i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += 1;
            }
            for i in 0..a.len() {
                a[i] += 1;
            }
            swap(a, out);
        }
    }
    mod zip_in_a_body {
        fn zip<'a>(a: &'a [i64], b: &'a mut [i64]) -> impl Iterator<Item = (&'a i64, &'a mut i64)> {
            a.iter().rev().zip(b)
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 2 {
                for (a, b) in zip(&x[2 * i..2 * i + 2], &mut out[2 * i..2 * i + 2]) {
                    *b = *a;
                }
            }
        }
    }
    mod constant_of_self {
        struct S;
        impl S {
            const K: usize = 2;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 2 {
                {
                    struct S;
                    impl S {
                        const K: usize = 1;
                    }
                    out[i * S::K] = x[i];
                }
                out[i * S::K + 1] = x[i];
            }
        }
    }
}

mod right {
    mod generic_min {
        fn larger<T: Copy + Ord>(a: T, b: T) -> T {
            if a > b { a } else { b }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = larger(x[i], 3);
            }
        }
    }
    mod cmp_min {
        use std::cmp;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 8 {
                for j in 0..cmp::min(3, 7) {
                    out[8 * i + j] = x[i];
                }
            }
        }
    }
    mod cmp_min_of_i64 {
        use std::cmp;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let k = cmp::min(x[i], 7i64);
                let l = cmp::max::<i32>(3, k as i32);
                out[i] = k + l as i64;
            }
        }
    }
    mod core_max {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in core::cmp::max(0, 2)..out.len() {
                out[i] = x[core::cmp::min(i, x.len() - 1)];
            }
        }
    }
    mod imported_min {
        use std::cmp::{max, min};
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = x[min(i, x.len() - 1)] + max(x[i], 3);
            }
        }
    }
    mod renamed {
        use std::cmp as order;
        use std::cmp::min as least;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = least(x[i], 4) + order::max(x[i], 3);
            }
        }
    }
    mod of_numbers {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..usize::min(out.len(), x.len()) {
                out[i] = i64::max(x[i], 3) + f64::max(x[i] as f64, 2.0) as i64 + Ord::min(x[i], 3);
            }
        }
    }
    mod inner_import {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            use std::cmp::min;
            use std::collections::HashMap;
            let m: HashMap<i64, i64> = HashMap::new();
            for i in 0..out.len() {
                use std::cmp::max;
                out[i] = max(min(x[i], 4), 2) + m.len() as i64;
            }
        }
    }
    mod own_functions {
        fn min(a: f64, b: f64) -> f64 {
            if b < a { b } else { a }
        }
        fn swap(a: &mut i64, b: &mut i64) {
            *a += *b;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let v = min(x[i] as f64, 2.5);
                let mut a = x[i];
                let mut b = v as i64;
                swap(&mut a, &mut b);
                out[i] = a;
            }
        }
    }
    mod min_by_hand {
        const fn min(a: usize, b: usize) -> usize {
            if a < b { a } else { b }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..min(out.len(), x.len()) {
                out[i] = x[i];
            }
        }
    }
    mod zips {
        use std::iter::zip;
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for (o, a) in zip(out, x) {
                *o = *a;
            }
        }
    }
    mod zip_by_path {
        #[forall::kary_reduce]
        pub fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut s = 0;
            for (a, b) in std::iter::zip(x.iter(), y) {
                s += a * b;
            }
            s
        }
    }
    mod constants {
        struct S;
        impl S {
            const K: usize = 2;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / S::K {
                const EPS: i64 = 3;
                out[S::K * i + 1] = x[i] + EPS + u8::MAX as i64;
            }
            for i in 0..out.len() / S::K {
                const EPS: i64 = 4;
                out[S::K * i] = x[i] + EPS;
            }
        }
    }
    mod modules_of_numbers {
        #[allow(deprecated)]
        use std::{f64, i64, u32};
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let k: u32 = 3;
                out[i] = (x[i] as f64 * f64::consts::PI) as i64 + (i64::MAX & 3) + (k as i64) + (u32::MAX as i64);
            }
        }
    }
    mod functions_of_the_function_that_swap {
        fn swap(a: &mut i64, _b: &mut i64) {
            *a += 1;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let (mut a, mut b) = (x[i], i as i64);
                swap(&mut a, &mut b);
                out[i] = a + 3 * b;
            }
        }
    }
    mod constant_of_a_module_by_the_name_of_a_number {
        #[allow(non_snake_case)]
        mod u8 {
            pub const MAX: usize = 3;
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 4 {
                out[i * u8::MAX] = x[i];
            }
        }
    }
    mod largest_by_hand {
        fn max(a: usize, b: usize) -> usize {
            if a < b { a } else { b }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in max(0, 2)..out.len() {
                out[i] = x[i];
            }
        }
    }
    mod type_by_the_name_of_an_option {
        #[derive(Clone, Copy, PartialEq)]
        struct Option<T>(T);
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let o: Option<i64> = Option(3);
            for i in 0..out.len() {
                out[i] = x[i] + o.0;
            }
        }
    }
}
