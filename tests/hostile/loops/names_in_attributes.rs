//! Items of a function with the names of items that its attribute names: those of the attribute are outside of the function.

mod refused {
    mod combine_item_of_function {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        pub fn program(x: &[i64]) -> i64 {
            fn add(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
            let mut s = 0i64;
            for i in 0..x.len() {
                s = add(s, x[i]);
            }
            s
        }
    }
    mod combine_item_after {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in 0..x.len() {
                s = add(s, x[i]);
            }
            return s;
            fn add(a: i64, b: i64) -> i64 {
                (a * 2 + b) % 100
            }
        }
    }
    mod combine_item_in_block {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        pub fn program(x: &[i64]) -> i64 {
            {
                fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
                let mut s = 0i64;
                for i in 0..x.len() {
                    s = add(s, x[i]);
                }
                s
            }
        }
    }
    mod combine_const_fnptr {
        fn add(a: i64, b: i64) -> i64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        pub fn program(x: &[i64]) -> i64 {
            const add: fn(i64, i64) -> i64 = |a, b| (a * 2 + b) % 100;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = add(s, x[i]);
            }
            s
        }
    }
    mod combine_module_path {
        mod m {
            pub fn add(a: i64, b: i64) -> i64 {
                a + b
            }
        }
        mod k {
            pub mod m {
                pub fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
        }
        #[forall::kary_reduce(combine = m::add)]
        pub fn program(x: &[i64]) -> i64 {
            use k::m;
            let mut s = 0i64;
            for i in 0..x.len() {
                s = m::add(s, x[i]);
            }
            s
        }
    }
    mod combine_module_inner {
        mod m {
            pub fn add(a: i64, b: i64) -> i64 {
                a + b
            }
        }
        #[forall::kary_reduce(combine = m::add)]
        pub fn program(x: &[i64]) -> i64 {
            mod m {
                pub fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
            let mut s = 0i64;
            for i in 0..x.len() {
                s = m::add(s, x[i]);
            }
            s
        }
    }
    mod combine_type_inner {
        struct S;
        impl S {
            fn add(a: i64, b: i64) -> i64 {
                a + b
            }
        }
        #[forall::kary_reduce(combine = S::add)]
        pub fn program(x: &[i64]) -> i64 {
            struct S;
            impl S {
                fn add(a: i64, b: i64) -> i64 {
                    (a * 2 + b) % 100
                }
            }
            let mut s = 0i64;
            for i in 0..x.len() {
                s = S::add(s, x[i]);
            }
            s
        }
    }
    mod combine_tuple_struct {
        #[derive(Clone, Copy)]
        struct P(i64);
        fn add(a: P, b: P) -> P {
            P(a.0 + b.0)
        }
        #[forall::kary_reduce(combine = add)]
        pub fn program(x: &[i64]) -> i64 {
            fn add(a: P, b: P) -> P {
                P((a.0 * 2 + b.0) % 100)
            }
            let mut s = P(0);
            for i in 0..x.len() {
                s = add(s, P(x[i]));
            }
            s.0
        }
    }
    mod frame_item {
        fn over(a: i64, b: i64) -> i64 {
            a.max(b)
        }
        const LEAST: i64 = i64::MIN;
        #[forall::kary_reduce(combine = over, identity = LEAST)]
        pub fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            fn over(a: i64, b: i64) -> i64 {
                a.min(b)
            }
            for layer in x.chunks(frame.len()) {
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }
    mod frame_identity_item {
        fn over(a: i64, b: i64) -> i64 {
            a.max(b)
        }
        const LEAST: i64 = i64::MIN;
        #[forall::kary_reduce(combine = over, identity = LEAST)]
        pub fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            const LEAST: i64 = 77;
            let _ = LEAST;
            for layer in x.chunks(frame.len()) {
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }
    mod frame_identity_type {
        struct T;
        impl T {
            const LEAST: i64 = i64::MIN;
        }
        fn over(a: i64, b: i64) -> i64 {
            a.max(b)
        }
        #[forall::kary_reduce(combine = over, identity = T::LEAST)]
        pub fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            struct T;
            impl T {
                const LEAST: i64 = 77;
            }
            let _ = T::LEAST;
            for layer in x.chunks(frame.len()) {
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }
    mod frame_identity_use {
        mod m {
            pub const LEAST: i64 = 77;
        }
        const LEAST: i64 = i64::MIN;
        fn over(a: i64, b: i64) -> i64 {
            a.max(b)
        }
        #[forall::kary_reduce(combine = over, identity = LEAST)]
        pub fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            use m::LEAST;
            let _ = LEAST;
            for layer in x.chunks(frame.len()) {
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }
    mod frame_identity_mod {
        mod m {
            pub const LEAST: i64 = i64::MIN;
        }
        fn over(a: i64, b: i64) -> i64 {
            a.max(b)
        }
        #[forall::kary_reduce(combine = over, identity = m::LEAST)]
        pub fn program(x: &[i64], #[replicated] frame: &mut [i64]) {
            mod m {
                pub const LEAST: i64 = 77;
            }
            let _ = m::LEAST;
            for layer in x.chunks(frame.len()) {
                for (d, s) in frame.iter_mut().zip(layer) {
                    *d = over(*d, *s);
                }
            }
        }
    }
    mod tls_init_item {
        fn init() -> Vec<i64> {
            Vec::new()
        }
        fn merge(a: &mut Vec<i64>, b: Vec<i64>) {
            a.extend(b)
        }
        #[forall::foreach_tls(init = init, merge = merge)]
        pub fn program(x: &[i64]) -> Vec<i64> {
            fn init() -> Vec<i64> {
                vec![7]
            }
            let mut b = init();
            for i in 0..x.len() {
                b.push(x[i]);
            }
            b
        }
    }
    mod tls_merge_item {
        fn init() -> Vec<i64> {
            Vec::new()
        }
        fn merge(a: &mut Vec<i64>, b: Vec<i64>) {
            a.extend(b)
        }
        #[forall::foreach_tls(init = init, merge = merge)]
        pub fn program(x: &[i64]) -> Vec<i64> {
            fn merge(a: &mut Vec<i64>, _: Vec<i64>) {
                a.push(7);
            }
            let _ = merge;
            let mut b = init();
            for i in 0..x.len() {
                b.push(x[i]);
            }
            b
        }
    }
    mod tls_init_let {
        fn init() -> Vec<i64> {
            Vec::new()
        }
        fn merge(a: &mut Vec<i64>, b: Vec<i64>) {
            a.extend(b)
        }
        #[forall::foreach_tls(init = init, merge = merge)]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let init = || vec![7];
            let mut b = init();
            for i in 0..x.len() {
                b.push(x[i]);
            }
            b
        }
    }
    mod tls_merge_let {
        fn init() -> Vec<i64> {
            Vec::new()
        }
        fn merge(a: &mut Vec<i64>, b: Vec<i64>) {
            a.extend(b)
        }
        #[forall::foreach_tls(init = init, merge = merge)]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let merge = |a: &mut Vec<i64>, _: Vec<i64>| a.push(7);
            let _ = merge;
            let mut b = init();
            for i in 0..x.len() {
                b.push(x[i]);
            }
            b
        }
    }
    mod tls_init_use {
        mod m {
            pub fn init() -> Vec<i64> {
                vec![7]
            }
        }
        fn init() -> Vec<i64> {
            Vec::new()
        }
        fn merge(a: &mut Vec<i64>, b: Vec<i64>) {
            a.extend(b)
        }
        #[forall::foreach_tls(init = init, merge = merge)]
        pub fn program(x: &[i64]) -> Vec<i64> {
            use m::init;
            let mut b = init();
            for i in 0..x.len() {
                b.push(x[i]);
            }
            b
        }
    }
    mod tls_type {
        #[derive(Default)]
        struct A(Vec<i64>);
        impl A {
            fn merge(&mut self, b: A) {
                self.0.extend(b.0)
            }
        }
        #[forall::foreach_tls(init = A::default, merge = A::merge)]
        pub fn program(x: &[i64]) -> Vec<i64> {
            #[derive(Default)]
            struct A(Vec<i64>);
            impl A {
                fn merge(&mut self, _: A) {
                    self.0.push(7)
                }
            }
            let mut b = A::default();
            b.merge(A::default());
            b.0.clear();
            for i in 0..x.len() {
                b.0.push(x[i]);
            }
            b.0
        }
    }
}

mod right {

    mod combine_is_outside {
        fn largest(a: i64, b: i64) -> i64 {
            a.max(b)
        }
        #[forall::kary_reduce(combine = largest)]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                s = largest(s, x[i]);
            }
            s
        }
    }
    mod combine_of_a_generic_type {
        trait Join: Copy {
            fn join(a: Self, b: Self) -> Self;
        }
        impl Join for i64 {
            fn join(a: i64, b: i64) -> i64 {
                a.max(b)
            }
        }
        struct Of<T>(T);
        impl Of<i64> {
            fn join(a: i64, b: i64) -> i64 {
                <i64 as Join>::join(a, b)
            }
        }
        #[forall::kary_reduce(combine = Of::join)]
        pub fn program(x: &[i64]) -> i64 {
            fn join(a: i64) -> i64 {
                a + 1
            }
            let mut s = 0;
            for i in 0..x.len() {
                s = Of::join(s, join(x[i]));
            }
            s
        }
    }
}
