//! Values that are kept, put in rows, and counted, in ways that are easily taken for others.

mod right {
    mod lt_method {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for v in x {
                if v.lt(&best) {
                    best = *v;
                }
            }
            best
        }
    }
    mod cmp_method {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut best = 40;
            for v in x {
                if v.cmp(&best) == std::cmp::Ordering::Less {
                    best = *v;
                }
            }
            best
        }
    }
    mod or_else_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut r = None;
            for &v in x {
                r = r.or_else(|| if 60 / (v - 9) > 2 { Some(v) } else { None });
            }
            r
        }
    }
    mod best_of_strings {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<String> {
            let mut best: Option<String> = None;
            for &v in x {
                let s = format!("{v}");
                if best.as_ref().is_none_or(|b| s < *b) {
                    best = Some(s);
                }
            }
            best
        }
    }
    mod unwrap_or {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if v < best.unwrap_or(5) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod bins_of_two {
        #[forall::kary_reduce]
        fn program(idx: &[usize], x: &[i64]) -> ([i64; 4], [i64; 4]) {
            let mut h = ([0; 4], [40; 4]);
            for i in 0..idx.len() {
                h.0[idx[i] % 4] += x[i];
                h.1[idx[i] % 4] = h.1[idx[i] % 4].min(x[i]);
            }
            h
        }
    }
    mod held_named_like_the_index {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                let v = x[i];
                if best.is_none_or(|i| v < i) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod or_that_panics {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut r = None;
            for i in 0..x.len() {
                r = r.or(if 30 / (x[i] - 28) > 3 { Some(x[i]) } else { None });
            }
            r
        }
    }
    mod or_that_counts {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, i64) {
            let (mut r, mut n) = (None, 0);
            for i in 0..x.len() {
                r = r.or({
                    n += 1;
                    if x[i] > 9 { Some(x[i]) } else { None }
                });
            }
            (r, n)
        }
    }
    mod divides_behind_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if best.is_none_or(|b| v > b) && 100 / (v - 2) != 3 {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod divides_before_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if 100 / (v - 2) != 3 && best.is_none_or(|b| v > b) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod value_divides_behind {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, i64) {
            let (mut best, mut q): (Option<i64>, i64) = (None, 0);
            for &v in x {
                if best.is_none_or(|b| v > b) {
                    best = Some(v);
                    q = 1000 / (v - 5);
                }
            }
            (best, q)
        }
    }
    mod best_in_an_inner_loop {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> Option<f64> {
            let mut best: Option<f64> = None;
            for i in 0..x.len() {
                for j in 0..3 {
                    let v = x[i] * j as f64;
                    if best.is_none_or(|b| v < b) {
                        best = Some(v);
                    }
                }
            }
            best
        }
    }
    mod best_beside_continue {
        #[forall::kary_reduce]
        fn program(x: &[f64], idx: &[usize]) -> Option<(f64, usize)> {
            let mut best: Option<(f64, usize)> = None;
            for i in 0..x.len() {
                if idx[i] % 3 == 1 {
                    continue;
                }
                if best.is_none_or(|b| x[i] >= b.0) {
                    best = Some((x[i], i));
                }
            }
            best
        }
    }
    mod signed_zeros {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> (u64, usize) {
            let mut best: Option<f64> = None;
            let mut at = 0;
            for i in 0..idx.len() {
                let v = if idx[i] % 2 == 0 { 0.0f64 } else { -0.0 };
                if best.is_none_or(|b| v <= b) {
                    best = Some(v);
                    at = i;
                }
            }
            (best.unwrap_or(1.0).to_bits(), at)
        }
    }
    mod best_of_tuples {
        #[forall::kary_reduce]
        fn program(x: &[f64], idx: &[usize]) -> Option<(u64, usize)> {
            let mut best: Option<(f64, usize)> = None;
            for i in 0..x.len() {
                let v = (if idx[i] % 5 == 0 { f64::NAN } else { x[i] }, idx[i]);
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                }
            }
            best.map(|(v, k)| (v.to_bits(), k))
        }
    }
    mod field_of_an_option {
        #[derive(Clone, Copy)]
        struct S {
            b: Option<i64>,
            n: usize,
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, usize) {
            let mut s = S { b: None, n: 0 };
            for &v in x {
                if s.b.is_none_or(|b| v < b) {
                    s.b = Some(v);
                }
                s.n += 1;
            }
            (s.b, s.n)
        }
    }
    mod replaced_in_a_row {
        #[forall::foreach]
        fn program(wide: &mut [i64], x: &[i64]) {
            for (row, v) in wide.chunks_mut(3).zip(x) {
                let old = std::mem::replace(&mut row[1], *v);
                row[0] = old;
            }
        }
    }
    mod rows_split_and_swapped {
        #[forall::foreach]
        fn program(wide: &mut [i64]) {
            for row in wide.chunks_exact_mut(3) {
                let (a, b) = row.split_at_mut(1);
                a.swap_with_slice(&mut b[1..]);
            }
        }
    }
    mod rows_select {
        #[forall::foreach]
        fn program(wide: &mut [i64]) {
            for row in wide.chunks_mut(3) {
                row.select_nth_unstable(row.len() / 2);
                row.sort_unstable();
            }
        }
    }
    mod rows_copied_within {
        #[forall::foreach]
        fn program(wide: &mut [i64]) {
            for row in wide.chunks_exact_mut(3) {
                row.copy_within(1.., 0);
            }
        }
    }
    mod rows_first_mut {
        #[forall::foreach]
        fn program(wide: &mut [i64]) {
            for row in wide.chunks_mut(3) {
                if let Some((a, rest)) = row.split_first_mut() {
                    *a = rest.iter().sum();
                }
            }
        }
    }
    mod two_outputs_swapped {
        #[forall::foreach]
        fn program(out: &mut [i64], out2: &mut [i64]) {
            for i in 0..out.len() {
                std::mem::swap(&mut out[i], &mut out2[i]);
            }
        }
    }
    mod two_outputs_zipped {
        #[forall::foreach]
        fn program(out: &mut [i64], out2: &mut [i64]) {
            for (a, b) in out.iter_mut().zip(out2.iter_mut().rev()) {
                *a += *b;
                *b = *a;
            }
        }
    }
    mod sum_of_match {
        #[forall::kary_reduce]
        fn program(x: &[i64], idx: &[usize]) -> i64 {
            let mut s = 0;
            for i in 0..x.len() {
                s += match idx[i] % 4 {
                    0 => x[i],
                    1 | 2 => -x[i],
                    _ => i as i64,
                };
            }
            s
        }
    }
    mod generic {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            fn twice<T: Copy + std::ops::Add<Output = T>>(a: T) -> T {
                a + a
            }
            for i in 0..x.len() {
                out[i] = twice(x[i]);
            }
        }
    }
    mod extended {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<i64> {
            let mut to = Vec::new();
            for i in 0..x.len() {
                to.extend_from_slice(&x[i..(i + 2).min(x.len())]);
                to.extend((0..x[i] % 3).map(|k| k * x[i]));
            }
            to
        }
    }
    mod bins_in_rows {
        #[forall::kary_reduce]
        fn program(idx: &[usize], x: &[i64]) -> [[i64; 3]; 4] {
            let mut h = [[0; 3]; 4];
            for i in 0..idx.len() {
                h[idx[i] % 4][i % 3] += x[i];
            }
            h
        }
    }
    mod reset_by_match {
        #[forall::distributed_scan]
        fn program(x: &[i64], idx: &[usize], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                match idx[i] % 6 {
                    0 => s = 0,
                    1 => s = x[i],
                    _ => s += x[i],
                }
                out[i] = s;
            }
        }
    }
    mod value_of_a_block {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                s += 'b: {
                    if x[i] > 9 {
                        break 'b 1;
                    }
                    if x[i] < 2 {
                        break 'b -1;
                    }
                    x[i]
                };
                out[i] = s;
            }
        }
    }
    mod total_cmp {
        #[forall::kary_reduce]
        fn program(x: &[f64]) -> f64 {
            let mut best = f64::INFINITY;
            for &v in x {
                if v.total_cmp(&best).is_lt() {
                    best = v;
                }
            }
            best
        }
    }
}

mod refused {
    mod held_named_like_the_value {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                let b = x[i];
                if best.is_none_or(|b| b < b) {
                    best = Some(b);
                }
            }
            best
        }
    }
    mod two_options_in_one_condition {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> (Option<i64>, Option<i64>) {
            let (mut a, mut b) = (None::<i64>, None::<i64>);
            for i in 0..x.len() {
                if a.is_none_or(|h| x[i] < h) && b.is_none_or(|h| y[i] > h) {
                    a = Some(x[i]);
                    b = Some(y[i]);
                }
            }
            (a, b)
        }
    }
    mod or_of_a_counter {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<usize> {
            let (mut r, mut c) = (None, 0usize);
            for i in 0..x.len() {
                c += 1;
                r = r.or(if x[i] > 20 { Some(c) } else { None });
            }
            r
        }
    }
    mod divides_in_the_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if best.is_none_or(|b| v > b / (b - 3)) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod counts_in_the_closure {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, usize) {
            let (mut best, mut n): (Option<i64>, usize) = (None, 0);
            for &v in x {
                if best.is_none_or(|b| {
                    n += 1;
                    v > b
                }) {
                    best = Some(v);
                }
            }
            (best, n)
        }
    }
    mod member_reads_the_best {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (Option<i64>, Option<i64>) {
            let (mut best, mut second): (Option<i64>, Option<i64>) = (None, None);
            for &v in x {
                if best.is_none_or(|b| v > b) {
                    second = best;
                    best = Some(v);
                }
            }
            (best, second)
        }
    }
    mod best_set_again {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                }
                if v == 7 {
                    best = None;
                }
            }
            best
        }
    }
    mod best_taken {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if v == 7 {
                    best.take();
                }
                if best.is_none_or(|b| v < b) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod best_twice {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                if best.is_none_or(|b| x[i] < b) {
                    best = Some(x[i]);
                }
                if best.is_none_or(|b| y[i] < b) {
                    best = Some(y[i]);
                }
            }
            best
        }
    }
    mod best_up_and_down {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for i in 0..x.len() {
                if best.is_none_or(|b| x[i] < b) {
                    best = Some(x[i]);
                }
                if best.is_none_or(|b| y[i] > b) {
                    best = Some(y[i]);
                }
            }
            best
        }
    }
    mod map_or_false {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = Some(9);
            for &v in x {
                if best.map_or(false, |b| v < b) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod is_some_and {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if best.is_some_and(|b| v < b) {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod unwrap_alone {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = Some(50);
            for &v in x {
                if v < best.unwrap() {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod not_is_none {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best: Option<i64> = None;
            for &v in x {
                if !best.is_none() || v < best.unwrap() {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod or_the_other_way {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for &v in x {
                best = (if v > 5 { Some(v) } else { None }).or(best);
            }
            best
        }
    }
    mod or_of_a_result {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut r: Result<i64, i64> = Err(0);
            for &v in x {
                r = r.or(if v > 20 { Ok(v) } else { Err(v) });
            }
            match r {
                Ok(v) => v,
                Err(e) => -e,
            }
        }
    }
    mod scan_into_a_tuple {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0;
            for i in 0..x.len() {
                (out[i], s) = (s, s + x[i]);
            }
        }
    }
    mod fibonacci {
        #[forall::distributed_scan]
        fn program(out: &mut [i64]) {
            let (mut a, mut b) = (0i64, 1i64);
            for i in 0..out.len() {
                out[i] = a;
                [a, b] = [b, a.wrapping_add(b)];
            }
        }
    }
    mod rows_beyond {
        #[forall::foreach]
        fn program(wide: &mut [i64], x: &[i64]) {
            for i in 0..x.len() {
                wide[i * 2..i * 2 + 3].fill(x[i]);
            }
        }
    }
    mod count_of_what_is_better {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> (i64, usize) {
            let (mut best, mut n) = (0, 0);
            for &v in x {
                if v > best {
                    best = v;
                    n += 1;
                }
            }
            (best, n)
        }
    }
    mod euclid {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[x[i].rem_euclid(1) as usize + i] = x[i].abs_diff(3) as i64;
            }
        }
    }
    mod place_by_isqrt {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(i * i).isqrt()] = x[i];
            }
        }
    }
    mod place_by_midpoint {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[usize::midpoint(i, i)] = x[i];
            }
        }
    }
    mod place_by_max {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.max(3) - 3] = x[i];
            }
        }
    }
    mod place_by_bits {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.reverse_bits() >> 60] = x[i];
            }
        }
    }
    mod place_by_option {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.checked_sub(1).unwrap_or(0)] = x[i];
            }
        }
    }
    mod pushed_to_two {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> (Vec<i64>, Vec<usize>) {
            let (mut a, mut b) = (vec![7], Vec::new());
            for i in 0..x.len() {
                if x[i] % 2 == 0 {
                    a.push(x[i])
                } else {
                    b.push(i)
                }
                if x[i] > 20 {
                    a.push(-1);
                    b.push(a.capacity() * 0);
                }
            }
            (a, b)
        }
    }
    mod pushed_length {
        #[forall::foreach_tls]
        fn program(x: &[i64]) -> Vec<usize> {
            let mut a = Vec::new();
            for i in 0..x.len() {
                if x[i] % 2 == 0 {
                    let k = a.len();
                    a.push(k);
                }
            }
            a
        }
    }
    mod bins_that_look_at_each_other {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> [i64; 4] {
            let mut h = [1; 4];
            for i in 0..idx.len() {
                h[idx[i] % 4] += h[i % 4] % 2;
            }
            h
        }
    }
    mod static_mut_sum {
        static mut SUM: i64 = 0;
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                unsafe {
                    let p = &raw mut SUM;
                    *p += x[i];
                    out[i] = *p;
                }
            }
        }
    }
    mod method_with_an_atomic {
        struct C(std::sync::atomic::AtomicI64);
        impl C {
            fn next(&self) -> i64 {
                self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
            }
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let c = C(std::sync::atomic::AtomicI64::new(0));
            for i in 0..x.len() {
                out[i] = c.next() + x[i];
            }
        }
    }
    mod field_with_an_atomic {
        struct C {
            n: std::sync::atomic::AtomicI64,
        }
        struct D {
            c: Vec<C>,
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let d = D { c: vec![C { n: std::sync::atomic::AtomicI64::new(0) }] };
            for i in 0..x.len() {
                out[i] = d.c[0].n.fetch_add(x[i], std::sync::atomic::Ordering::Relaxed);
            }
        }
    }
}
