//! Iterators that are used in part before a loop or in it, and headers with side effects.

mod refused {
    mod by_ref_take {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            for i in r.by_ref().take(2) {
                out[i] += x[i];
            }
            for i in r {
                out[i] += 10 * x[i];
            }
        }
    }
    mod by_ref_take_of_items {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref().take(2) {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod by_ref_all {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref() {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod mutable_reference_all {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in &mut it {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod range_all_then_again {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            for i in &mut r {
                out[i] += x[i];
            }
            for i in r {
                out[i] += 10 * x[i];
            }
        }
    }
    mod zip_takes_one_more {
        #[forall::kary_reduce]
        fn program(x: &[i64], short: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for (a, b) in it.by_ref().zip(short) {
                s += a * b;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod next_before {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = it.next().copied().unwrap_or(0);
            for v in it {
                s = s.max(*v * 2);
            }
            s
        }
    }
    mod next_before_a_map {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = out.iter_mut();
            it.next();
            for (o, v) in it.zip(x) {
                *o = *v;
            }
        }
    }
    mod next_before_enumerate {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = x.iter().enumerate();
            it.next();
            for (i, v) in it {
                out[i] = *v;
            }
        }
    }
    mod enumerate_after_next {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = x.iter();
            it.next();
            for (i, v) in it.enumerate() {
                out[i] = *v;
            }
        }
    }
    mod next_back_before {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = x.iter().enumerate();
            it.next_back();
            for (i, v) in it {
                out[i] = *v;
            }
        }
    }
    mod nth_before {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            r.nth(2);
            for i in r {
                out[i] = x[i];
            }
        }
    }
    mod range_start_changed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            r.start += 2;
            for i in r {
                out[i] = x[i];
            }
        }
    }
    mod range_end_changed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            r.end /= 2;
            for i in r {
                out[i] = x[i];
            }
        }
    }
    mod range_changed_through_a_reference {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            {
                let q = &mut r;
                q.end /= 2;
            }
            for i in r {
                out[i] = x[i];
            }
        }
    }
    mod range_cloned_before {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            let q = r.clone();
            r.end /= 2;
            for i in q {
                out[i] = x[i];
            }
            for i in r {
                out[i] += 1;
            }
        }
    }
    mod range_len_after {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            for i in r.by_ref().take(3) {
                out[i] = x[i];
            }
            let k = r.len() as i64;
            for i in 0..out.len() {
                out[i] += k;
            }
        }
    }
    mod iterator_len_after {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref().take(3) {
                s += v;
            }
            s * 100 + it.len() as i64
        }
    }
    mod take_while_takes_one_more {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref().take_while(|v| **v < 20) {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod step_by_by_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref().take(5).step_by(2) {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod skip_by_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref().skip(2).take(2) {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod chunks_by_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.chunks(3);
            let mut s = 0i64;
            for c in it.by_ref().take(2) {
                s += c[0];
            }
            for c in it {
                s += 10 * c[0];
            }
            s
        }
    }
    mod chunks_exact_remainder_after {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.chunks_exact(4);
            let mut s = 0i64;
            for c in it.by_ref() {
                s += c[0];
            }
            for v in it.remainder() {
                s += 10 * v;
            }
            s
        }
    }
    mod chunks_exact_mut_into_remainder {
        #[forall::foreach]
        fn program(out: &mut [i64]) {
            let mut it = out.chunks_exact_mut(4);
            for c in it.by_ref() {
                c[0] = 1;
            }
            for v in it.into_remainder() {
                *v = 7;
            }
        }
    }
    mod peekable {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter().peekable();
            let mut s = 0i64;
            while let Some(v) = it.next() {
                if let Some(w) = it.peek() {
                    s += v * **w;
                }
            }
            s
        }
    }
    mod windows_after_next {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.windows(2);
            let f = it.next().map_or(0, |w| w[0]);
            let mut s = 0i64;
            for w in it {
                s += w[0] * w[1];
            }
            s + f
        }
    }
    mod used_in_the_loop {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = x.iter();
            for i in 0..out.len() {
                if i % 2 == 0 {
                    out[i] = *it.next().unwrap();
                }
            }
        }
    }
    mod used_in_every_iteration {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = x.iter();
            for i in 0..out.len() {
                out[i] = *it.next().unwrap();
            }
        }
    }
    mod range_used_in_every_iteration {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..;
            for i in 0..out.len() {
                let k: usize = r.next().unwrap();
                out[k / 2] = x[i];
            }
        }
    }
    mod cycle {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let t = [1i64, 2, 3];
            for ((o, v), w) in out.iter_mut().zip(x).zip(t.iter().cycle()) {
                *o = v * w;
            }
        }
    }
    mod any_partly {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let a = it.any(|v| *v > 20);
            let mut s = a as i64;
            for v in it {
                s += v;
            }
            s
        }
    }
    mod position_partly {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let a = it.position(|v| *v > 10);
            let mut s = a.map_or(0, |a| a as i64);
            for v in it {
                s += v;
            }
            s
        }
    }
    mod inner_writes_by_ref {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                let mut r = 0..3usize;
                for j in r.by_ref().take(1) {
                    wide[3 * i + j] = x[i];
                }
                for j in r {
                    wide[3 * i + j] += 10 * x[i];
                }
            }
        }
    }
    mod inner_range_of_the_outside {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            let mut r = 0..3usize;
            for i in 0..x.len() {
                for j in &mut r {
                    wide[3 * i + j] = x[i];
                }
            }
        }
    }
    mod header_with_an_effect {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut k = 1;
            for i in 0.. {
                k = 0;
                x.len()
            }
            {
                out[i * k] = x[i];
            }
        }
    }
    mod header_with_an_effect_on_a_value {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for v in {
                s += 3;
                x
            } {
                s = s.max(*v);
            }
            s
        }
    }
    mod header_with_an_effect_on_an_accumulator {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for i in (s as usize).. {
                s = 100;
                x.len()
            }
            {
                s += x[i];
            }
            s
        }
    }
    mod iterator_kept_in_a_tuple {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut p = (x.iter(), 0);
            p.0.next();
            let mut s = p.1;
            for v in p.0 {
                s += v;
            }
            s
        }
    }
    mod iterator_moved {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            it.next();
            let jt = it;
            let mut s = 0i64;
            for v in jt {
                s += v;
            }
            s
        }
    }
    mod iterator_reassigned {
        #[forall::kary_reduce]
        fn program(x: &[i64], y: &[i64]) -> i64 {
            let mut it = x.iter();
            if x.len() > 5 {
                it = y.iter();
            }
            let mut s = 0i64;
            for v in it {
                s += v;
            }
            s
        }
    }
    mod iterator_passed_to_a_function {
        fn eat<'a>(it: &mut impl Iterator<Item = &'a i64>) -> i64 {
            it.next().map_or(0, |v| *v)
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = eat(&mut it);
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod drain {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = x.to_vec();
            let mut s = 0i64;
            for w in v.drain(..2.min(x.len())) {
                s += w;
            }
            for w in v {
                s += 10 * w;
            }
            s
        }
    }
    mod filter_by_ref {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut it = x.iter();
            let mut s = 0i64;
            for v in it.by_ref().filter(|v| **v > 3).take(3) {
                s += v;
            }
            for v in it {
                s += 10 * v;
            }
            s
        }
    }
    mod map_with_state {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut c = 0i64;
            let mut s = 0i64;
            for v in x.iter().map(|v| {
                c += 1;
                v * c
            }) {
                s += v;
            }
            s
        }
    }
    mod map_with_state_written {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0i64;
            for (o, v) in out.iter_mut().zip(x.iter().map(|v| {
                c += v;
                c
            })) {
                *o = v;
            }
        }
    }
    mod inspect_with_state {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut c = 0i64;
            for (o, v) in out.iter_mut().zip(x.iter().inspect(|v| {
                c += **v;
            })) {
                *o = *v;
            }
            out[0] = c;
        }
    }
    mod filter_with_state {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut c = 0i64;
            let mut s = 0i64;
            for v in x.iter().filter(|_| {
                c += 1;
                c % 3 == 0
            }) {
                s += v;
            }
            s
        }
    }
    mod scan_adaptor {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (o, v) in out.iter_mut().zip(x.iter().scan(0i64, |s, v| {
                *s += v;
                Some(*s)
            })) {
                *o = v;
            }
        }
    }
    mod map_while_adaptor {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for v in x.iter().map_while(|v| if *v < 25 { Some(v * 2) } else { None }) {
                s += v;
            }
            s
        }
    }
    mod skip_while_adaptor {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            for v in x.iter().skip_while(|v| **v < 25) {
                s += v;
            }
            s
        }
    }
    mod rev_after_next {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            r.next();
            for (k, i) in r.rev().enumerate() {
                out[k] = x[i];
            }
        }
    }
    mod range_inclusive_used {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut s = 0i64;
            let mut r = 0..=3usize;
            for i in r.by_ref() {
                if i < x.len() {
                    s += x[i];
                }
            }
            for i in r {
                s += i as i64 * 100;
            }
            s
        }
    }
    mod range_of_u8 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for (i, v) in (250u8..).zip(x) {
                out[i as usize % 10] = *v;
            }
        }
    }
    mod while_let_next {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut r = 0..x.len();
            while let Some(i) = r.next() {
                r.next();
                out[i] = x[i];
            }
        }
    }
    mod loop_in_a_loop_shares_an_iterator {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut it = out.iter_mut();
            for i in 0..x.len() / 3 {
                for o in it.by_ref().take(2) {
                    *o = x[i];
                }
            }
        }
    }
}
