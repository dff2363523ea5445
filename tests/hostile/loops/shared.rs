//! Shared mutable state that a body reaches from a captured value, on any path.

mod refused {
    mod value_of_an_update {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Deep {
            n: Arc<AtomicI64>,
        }
        impl Deep {
            fn next(&self) -> i64 {
                self.n.fetch_add(1, Ordering::Relaxed)
            }
            fn count(&self) -> &AtomicI64 {
                &self.n
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let deep = Box::new(Deep { n: Arc::new(AtomicI64::new(0)) });
            let mut sum = deep.n.load(Ordering::Relaxed) - deep.next();
            for i in 0..x.len() {
                sum += deep.count().fetch_add(1, Ordering::Relaxed) * x[i];
            }
            sum
        }
    }
    mod static_in_small_letters {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Counter {
            n: AtomicI64,
        }
        impl Counter {
            fn next(&self) -> i64 {
                self.n.fetch_add(1, Ordering::Relaxed)
            }
        }
        #[allow(non_upper_case_globals)]
        static counter: Counter = Counter { n: AtomicI64::new(0) };
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i] = x[i] + counter.next();
            }
        }
    }
    mod field_of_a_struct {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Counter {
            c: AtomicI64,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let a = &Counter { c: AtomicI64::new(0) };
            for i in 0..x.len() {
                let Counter { c } = a;
                out[i] = c.fetch_add(1, Ordering::Relaxed) + x[i];
            }
        }
    }
    mod reference_in_a_tuple {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = AtomicI64::new(0);
            let pair = (3, &n);
            for i in 0..x.len() {
                let (by, c) = pair;
                out[i] = c.fetch_add(by, Ordering::Relaxed) + x[i];
            }
        }
    }
    mod elements_of_an_array {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let pair = [AtomicI64::new(0), AtomicI64::new(5)];
            for i in 0..x.len() {
                let [a, _] = &pair;
                let [_, ref b] = pair;
                out[i] = x[i] + b.fetch_add(1, Ordering::Relaxed) + a.load(Ordering::Relaxed);
            }
        }
    }
    mod elements_of_a_slice {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let all = vec![AtomicI64::new(0), AtomicI64::new(5)];
            let all: Box<Vec<AtomicI64>> = Box::new(all);
            for i in 0..x.len() {
                if let [a, .., b] = &all[..] {
                    out[i] = x[i] + a.fetch_add(1, Ordering::Relaxed) + b.load(Ordering::Relaxed);
                }
            }
        }
    }
    mod arm_of_a_match {
        use std::sync::atomic::{AtomicI64, Ordering};
        enum Kind {
            Plain,
            Counted(Box<AtomicI64>),
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let kind = if x.is_empty() { Kind::Plain } else { Kind::Counted(Box::new(AtomicI64::new(0))) };
            for i in 0..x.len() {
                out[i] = match &kind {
                    Kind::Plain => x[i],
                    Kind::Counted(n) => n.fetch_add(1, Ordering::Relaxed),
                };
            }
        }
    }
    mod option_in_a_condition {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct State {
            n: Option<Box<AtomicI64>>,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let state = State { n: Some(Box::new(AtomicI64::new(0))) };
            let mut sum = 0;
            for i in 0..x.len() {
                if let Some(n) = &state.n {
                    sum += x[i] * n.fetch_add(1, Ordering::Relaxed);
                }
            }
            sum
        }
    }
    mod nested_patterns {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Inner {
            list: Vec<AtomicI64>,
        }
        struct Outer {
            inner: Box<Inner>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let outer = (1, Outer { inner: Box::new(Inner { list: vec![AtomicI64::new(0)] }) });
            for i in 0..x.len() {
                let (_, Outer { inner }) = &outer;
                let Inner { list } = &**inner;
                out[i] = x[i] + list[0].fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod method_that_lends {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Hidden {
            n: Box<AtomicI64>,
        }
        impl Hidden {
            fn part(&self) -> &AtomicI64 {
                &self.n
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let hidden = Hidden { n: Box::new(AtomicI64::new(0)) };
            for i in 0..x.len() {
                out[i] = x[i] + hidden.part().fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod name_for_what_a_method_lends {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Hidden {
            n: Box<Counter>,
        }
        struct Counter(AtomicI64);
        impl Counter {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        impl Hidden {
            fn part(&self) -> Option<&Counter> {
                Some(&self.n)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let hidden = Hidden { n: Box::new(Counter(AtomicI64::new(0))) };
            for i in 0..x.len() {
                let part = hidden.part().unwrap();
                out[i] = x[i] + part.next();
            }
        }
    }
    mod argument_that_a_method_lends {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Hidden {
            n: Box<Counter>,
        }
        struct Counter(AtomicI64);
        fn next(of: &Counter) -> i64 {
            of.0.fetch_add(1, Ordering::Relaxed)
        }
        impl Hidden {
            fn part(&self) -> &Counter {
                &self.n
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let hidden = Hidden { n: Box::new(Counter(AtomicI64::new(0))) };
            for i in 0..x.len() {
                out[i] = x[i] + next(hidden.part());
            }
        }
    }
    mod name_for_what_a_function_lends {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Hidden {
            n: Box<Counter>,
        }
        struct Counter(AtomicI64);
        impl Counter {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        fn part(of: &Hidden) -> &Counter {
            &of.n
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let hidden = Hidden { n: Box::new(Counter(AtomicI64::new(0))) };
            for i in 0..x.len() {
                let c = part(&hidden);
                out[i] = x[i] + c.next();
            }
        }
    }
    mod field_behind_an_index {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Counter(AtomicI64);
        impl Counter {
            fn abs(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        struct Item {
            counter: Box<Counter>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let items = vec![Item { counter: Box::new(Counter(AtomicI64::new(0))) }];
            for i in 0..x.len() {
                out[i] = x[i] + items[i % 1].counter.abs();
            }
        }
    }
    mod field_of_a_name {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Counter(AtomicI64);
        impl Counter {
            fn abs(&self) -> i64 {
                self.0.fetch_add(1, Ordering::Relaxed)
            }
        }
        struct Item {
            counter: Box<Counter>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let items = vec![Item { counter: Box::new(Counter(AtomicI64::new(0))) }];
            for i in 0..x.len() {
                let item = &items[0];
                out[i] = x[i] + item.counter.abs();
            }
        }
    }
    mod items_of_an_inner_loop {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Many {
            all: Vec<Box<AtomicI64>>,
        }
        impl Many {
            fn iter(&self) -> impl Iterator<Item = &Box<AtomicI64>> {
                self.all.iter()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let many = Many { all: vec![Box::new(AtomicI64::new(0)), Box::new(AtomicI64::new(1))] };
            for i in 0..x.len() {
                let mut v = x[i];
                for n in many.iter() {
                    v += n.fetch_add(1, Ordering::Relaxed);
                }
                out[i] = v;
            }
        }
    }
    mod parameter_of_a_closure {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Many {
            all: Vec<Box<AtomicI64>>,
        }
        impl Many {
            fn iter(&self) -> impl Iterator<Item = &Box<AtomicI64>> {
                self.all.iter()
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let many = Many { all: vec![Box::new(AtomicI64::new(0)), Box::new(AtomicI64::new(1))] };
            for i in 0..x.len() {
                out[i] = x[i] + many.iter().map(|n| n.fetch_add(1, Ordering::Relaxed)).sum::<i64>();
            }
        }
    }
    mod values_of_a_map {
        use std::collections::BTreeMap;
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let counts: BTreeMap<i64, AtomicI64> = (0..5).map(|k| (k, AtomicI64::new(0))).collect();
            for i in 0..x.len() {
                let n = counts.get(&(x[i].rem_euclid(5))).unwrap();
                out[i] = n.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod pair_of_statics {
        use std::sync::atomic::{AtomicI64, Ordering};
        static PAIR: [AtomicI64; 2] = [AtomicI64::new(0), AtomicI64::new(0)];
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let [a, _] = &PAIR;
                out[i] = x[i] + a.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod once_per_program {
        use std::sync::OnceLock;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let first = OnceLock::new();
            let lent = (&first, 3);
            for i in 0..x.len() {
                let (first, by) = lent;
                out[i] = *first.get_or_init(|| x[i]) + by;
            }
        }
    }
    mod assigned_inside {
        use std::sync::atomic::{AtomicI64, Ordering};
        struct Hidden {
            n: Box<AtomicI64>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let hidden = Hidden { n: Box::new(AtomicI64::new(0)) };
            for i in 0..x.len() {
                let n;
                n = &hidden.n;
                out[i] = x[i] + n.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    mod sort_by_a_lock {
        use std::sync::Mutex;
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let numbers = Mutex::new(0);
            x.sort_by_cached_key(|v| {
                let mut numbers = numbers.lock().unwrap();
                *numbers += 1;
                v / 3 + *numbers
            });
        }
    }
    mod sort_by_a_static {
        use std::sync::atomic::{AtomicU64, Ordering};
        static COUNT: AtomicU64 = AtomicU64::new(0);
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            x.sort_by_key(|v| v ^ COUNT.fetch_add(1, Ordering::Relaxed));
        }
    }
    mod sort_by_a_named_closure {
        use std::sync::atomic::{AtomicU64, Ordering};
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let count = AtomicU64::new(0);
            let key = |v: &u64| v ^ count.fetch_add(1, Ordering::Relaxed);
            x.sort_by_cached_key(key);
        }
    }
    mod sort_by_a_counter {
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let mut n = 0;
            x.sort_by_key(|v| {
                n += 1;
                v ^ n
            });
        }
    }
    mod sort_by_what_is_seen {
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let mut seen = Vec::new();
            x.sort_by_key(|v| {
                seen.push(*v);
                v ^ seen.len() as u64
            });
        }
    }
    mod sort_by_a_cell {
        use std::cell::Cell;
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let n = Cell::new(0);
            x.sort_by_key(|v| {
                n.set(n.get() + 1);
                v ^ n.get()
            });
        }
    }
    mod sort_of_indices_by_an_atomic {
        use std::sync::atomic::{AtomicU64, Ordering};
        struct Counter {
            n: Box<AtomicU64>,
        }
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let counter = Counter { n: Box::new(AtomicU64::new(0)) };
            let mut order: Vec<usize> = (0..x.len()).collect();
            order.sort_by_key(|&i| {
                let Counter { n } = &counter;
                x[i] ^ n.fetch_add(1, Ordering::Relaxed)
            });
            *x = order.iter().map(|&i| x[i]).collect();
        }
    }
    mod combine_with_a_counter {
        use std::sync::atomic::{AtomicI64, Ordering};
        #[forall::kary_reduce(combine = add)]
        fn program(x: &[i64]) -> i64 {
            let n = AtomicI64::new(0);
            let add = |a: i64, b: i64| a + b + n.fetch_add(1, Ordering::Relaxed);
            let mut sum = 0;
            for i in 0..x.len() {
                sum = add(sum, x[i]);
            }
            sum
        }
    }
}

mod right {
    mod patterns_of_plain_values {
        struct Params {
            by: i64,
            inner: Box<Inner>,
        }
        struct Inner {
            table: Vec<i64>,
            least: Option<i64>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            let params = Params { by: k, inner: Box::new(Inner { table: vec![3, 1, 4], least: Some(2) }) };
            for i in 0..x.len() {
                let Params { by, inner } = &params;
                let mut v = x[i] + by + inner.table[i % 3].abs();
                if let Some(least) = inner.least {
                    v = v.max(least);
                }
                for t in &inner.table {
                    v += t;
                }
                v += params.inner.table.iter().map(|t| t * 2).sum::<i64>();
                out[i] = match params.inner.table.first() {
                    Some(first) if *first > 2 => v,
                    _ => -v,
                };
            }
        }
    }
    mod cells_of_the_iteration {
        use std::cell::Cell;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: i64) {
            for i in 0..x.len() {
                let cell = Cell::new(k);
                let lent = &cell;
                lent.set(lent.get() + x[i]);
                let (one, _) = (lent, 3);
                out[i] = one.get();
            }
        }
    }
    mod collected_from_captured_values {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let words = vec!["one".to_owned(), "two".to_owned()];
            for i in 0..x.len() {
                let lengths: Vec<_> = words.iter().map(|word| word.len()).collect();
                let all = words.iter().fold(Vec::new(), |mut all, word| {
                    all.push(word.as_str());
                    all
                });
                let sum: usize = words.iter().map(String::len).sum();
                out[i] = x[i] + (lengths[0] + sum + all.concat().len()) as i64;
            }
        }
    }
    mod types_that_the_use_tells {
        struct Params {
            by: f32,
            all: Vec<f32>,
            text: String,
        }
        fn made<T: From<i16>>(from: &Params) -> T {
            T::from(from.text.len() as i16)
        }
        #[forall::foreach]
        fn program(x: &[f32], out: &mut [f32]) {
            let params = Params { by: 0.5, all: vec![1.5, 2.5], text: "3".to_owned() };
            for i in 0..x.len() {
                let number = made(&params);
                let parsed = params.text.parse().unwrap();
                let most = params.all.iter().fold(0.0, |a: f32, &b| a.max(b));
                out[i] = params.all.iter().fold(0.0, |a, &b| a + b);
                out[i] += params.all.first().map_or(0.0, |v| v * 2.0);
                out[i] = out[i].max(made(&params)) + params.by.max(x[i]) + most;
                let v: f32 = parsed;
                let w: f32 = number;
                out[i] += v + w + params.all.iter().copied().sum::<f32>();
            }
        }
    }
    mod sort_by_captured_values {
        use std::collections::BTreeMap;
        #[forall::distributed_sort]
        fn program(x: &mut Vec<u64>) {
            let turn = 5;
            let weights: BTreeMap<u64, u64> = (0..9).map(|k| (k, k * 7 % 9)).collect();
            x.sort_by_key(|v| (weights.get(&(v % 9)).copied(), v.abs_diff(turn)));
        }
    }
}
