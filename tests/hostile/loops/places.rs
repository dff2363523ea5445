//! Places that meet, or that wrap around in a narrow type.

mod right {
    mod part_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], long: &mut [i64]) {
            for (i, g) in x.chunks(4).enumerate() {
                long[4 * i..4 * i + 4].rotate_left(1);
            }
        }
    }
    mod part_set_and_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], long: &mut [i64]) {
            for (i, g) in x.chunks(4).enumerate() {
                long[4 * i] = g[0];
                long[4 * i..4 * i + 4].rotate_left(1);
            }
        }
    }
    mod part_rotated_in_a_recurrence {
        #[forall::distributed_scan]
        pub fn program(x: &[i64], long: &mut [i64]) -> i64 {
            let mut v = 0_i64;
            for (i, g) in x.chunks(4).enumerate() {
                v = 3_i64 - v;
                long[4 * i] = v;
                long[4 * i..4 * i + 4].rotate_left(1);
            }
            v
        }
    }
    mod part_rotated_in_a_scan {
        #[forall::distributed_scan]
        pub fn program(x: &[i64], long: &mut [i64]) -> i64 {
            let mut v = 0_i64;
            for (i, g) in x.chunks(4).enumerate() {
                v += g[0];
                long[4 * i] = v;
                long[4 * i..4 * i + 4].rotate_left(1);
            }
            v
        }
    }
    mod rest_rotated_once {
        #[forall::distributed_scan]
        pub fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut v = 0_i64;
            for i in 0..x.len().min(1) {
                v = 3 - v;
                out[i] = v;
                out[i..].rotate_left(1);
            }
            v
        }
    }
    mod part_of_a_local_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let mut v = [x[i], 1, 2, 3];
                v[1..].rotate_left(1);
                v.rotate_right(2);
                out[i] = v[0] * 10 + v[2];
            }
        }
    }
    mod part_of_a_scratch_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut s = vec![0; 4];
            for i in 0..x.len() {
                s.fill(x[i]);
                s[0] = 1;
                s[..3].rotate_left(1);
                out[i] = s[2] + s[3];
            }
        }
    }
    mod place_behind_a_box {
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut wrap = Box::new(3u64);
            for i in 0..x.len() {
                *wrap += x[i];
            }
            *wrap
        }
    }

    mod place_behind_a_guard {
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let m = std::sync::Mutex::new(0u64);
            {
                let mut g = m.lock().unwrap();
                for i in 0..x.len() {
                    *g += x[i];
                }
            }
            m.into_inner().unwrap()
        }
    }

    mod place_beside_a_deref {
        struct P {
            sum: u64,
            n: u64,
        }
        impl std::ops::Deref for P {
            type Target = u64;
            fn deref(&self) -> &u64 {
                &self.n
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut w = P { sum: 0, n: 1 };
            for i in 0..x.len() {
                w.sum += x[i];
            }
            w.sum + w.n
        }
    }

    mod place_behind_a_reference {
        struct P {
            sum: u64,
            n: u64,
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut p = P { sum: 0, n: 1 };
            let w = &mut p;
            for i in 0..x.len() {
                w.sum += x[i];
            }
            p.sum + p.n
        }
    }

    mod place_in_a_box_of_an_array {
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut s = [Box::new(2_u64), Box::new(3)];
            for i in 0..x.len() {
                *s[1] += x[i];
            }
            *s[0] + *s[1]
        }
    }

    mod place_fact_of_other_n {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let n = 5;
                if i < n {
                    out[i] = x[i + n];
                }
            }
        }
    }

    mod place_fact_then_shadow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                if i + 1 < n {
                    let i = i + 1;
                    out[i - 1] = x[i + 1];
                }
            }
        }
    }

    mod place_release_underflow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let j = i - 5;
                if j < n {
                    out[j] = x[i];
                }
            }
        }
    }

    mod index_chosen {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let c = x[i] > 0;
                let i = if c { i } else { i };
                out[i] = x[i];
            }
        }
    }

    mod index_chosen_match {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let j = match x[i] { 0 => i, 1 => i, _ => i };
                out[j] = x[i];
            }
        }
    }

    mod index_chosen_blocks {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let j = if x[i] > 3 { let a = i + 1; a - 1 } else { i };
                out[j] += x[j];
            }
        }
    }

    mod index_chosen_inline {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                out[if x[i] > 3 { i } else { i }] = 3 * x[i];
            }
        }
    }
}

mod refused {
    mod field_of_a_smart_pointer_and_of_its_target {
        struct Q {
            x: i64,
        }
        struct P {
            x: i64,
            q: Q,
        }
        impl std::ops::Deref for P {
            type Target = Q;
            fn deref(&self) -> &Q {
                &self.q
            }
        }
        impl std::ops::DerefMut for P {
            fn deref_mut(&mut self) -> &mut Q {
                &mut self.q
            }
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> [i64; 2] {
            let mut p = P { x: 1, q: Q { x: 2 } };
            for i in 0..x.len() {
                p.x += x[i];
                (*p).x += 10 * x[i];
            }
            [p.x, p.q.x]
        }
    }
    mod rest_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for (i, g) in x.chunks(4).enumerate() {
                let e = g[0];
                out[i] = e;
                out[i..].rotate_left(1);
            }
        }
    }
    mod whole_rotated_as_a_part {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut v = x.to_vec();
            for i in 0..x.len() {
                v[i] = x[i] + 1;
                v[..].rotate_left(1);
            }
            for i in 0..out.len() {
                out[i] = v[i];
            }
        }
    }
    mod next_part_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], long: &mut [i64]) {
            for i in 0..x.len() {
                long[i] = x[i];
                long[i + 1..i + 3].rotate_left(1);
            }
        }
    }
    mod part_of_an_old_scratch_rotated {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut s = vec![1, 2, 3, 4];
            for i in 0..x.len() {
                s[..3].rotate_left(1);
                out[i] = x[i] + s[2] + s[3];
            }
        }
    }
    mod place_behind_own_deref {
        struct Wrap(u64);
        impl std::ops::Deref for Wrap {
            type Target = u64;
            fn deref(&self) -> &u64 {
                &self.0
            }
        }
        impl std::ops::DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut u64 {
                self.0 += 1_u64;
                &mut self.0
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut wrap = Wrap(2_u64);
            for i in 0..x.len() {
                *wrap += x[i];
            }
            wrap.0
        }
    }

    mod place_of_own_deref_to_an_array {
        struct Wrap([u64; 4]);
        impl std::ops::Deref for Wrap {
            type Target = [u64; 4];
            fn deref(&self) -> &[u64; 4] {
                &self.0
            }
        }
        impl std::ops::DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut [u64; 4] {
                self.0[0] += 1_u64;
                &mut self.0
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> [u64; 4] {
            let mut wrap = Wrap([2; 4]);
            for i in 0..x.len() {
                wrap[i % 4] += x[i];
            }
            wrap.0
        }
    }

    mod place_of_a_field_behind_own_deref {
        struct Out(u64);
        struct Wrap(Out);
        impl std::ops::Deref for Wrap {
            type Target = Out;
            fn deref(&self) -> &Out {
                &self.0
            }
        }
        impl std::ops::DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut Out {
                self.0.0 += 1_u64;
                &mut self.0
            }
        }
        impl Wrap {
            fn new() -> Wrap {
                Wrap(Out(3))
            }
        }
        struct P {
            sum: u64,
        }
        struct Q(P);
        impl std::ops::Deref for Q {
            type Target = P;
            fn deref(&self) -> &P {
                &self.0
            }
        }
        impl std::ops::DerefMut for Q {
            fn deref_mut(&mut self) -> &mut P {
                self.0.sum += 1_u64;
                &mut self.0
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut wrap = Q(P { sum: 3 });
            for i in 0..x.len() {
                wrap.sum += x[i];
            }
            wrap.0.sum
        }
    }

    mod place_in_a_part_behind_own_deref {
        struct Wrap(u64);
        impl std::ops::Deref for Wrap {
            type Target = u64;
            fn deref(&self) -> &u64 {
                &self.0
            }
        }
        impl std::ops::DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut u64 {
                self.0 += 1_u64;
                &mut self.0
            }
        }
        struct S {
            w: Wrap,
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut s = S { w: Wrap(2_u64) };
            for i in 0..x.len() {
                *s.w += x[i];
            }
            s.w.0
        }
    }

    mod place_of_own_deref_in_a_scan {
        struct Wrap(u64);
        impl std::ops::Deref for Wrap {
            type Target = u64;
            fn deref(&self) -> &u64 {
                &self.0
            }
        }
        impl std::ops::DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut u64 {
                self.0 += 1_u64;
                &mut self.0
            }
        }
        #[forall::distributed_scan]
        pub fn program(x: &[u64], out: &mut [u64]) -> u64 {
            let mut wrap = Wrap(2_u64);
            for i in 0..x.len() {
                *wrap += x[i];
                out[i] = *wrap;
            }
            wrap.0
        }
    }

    mod place_in_a_box_that_the_iteration_chooses {
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> (u64, u64) {
            let i = 0usize;
            let mut s = [Box::new(2_u64), Box::new(3)];
            for i in 0..x.len() {
                *s[i % 2] += x[i];
            }
            (*s[0], *s[1] + i as u64)
        }
    }

    mod place_of_own_deref_combined {
        struct Wrap(u64);
        impl std::ops::Deref for Wrap {
            type Target = u64;
            fn deref(&self) -> &u64 {
                &self.0
            }
        }
        impl std::ops::DerefMut for Wrap {
            fn deref_mut(&mut self) -> &mut u64 {
                self.0 += 1_u64;
                &mut self.0
            }
        }
        fn add(a: u64, b: u64) -> u64 {
            a + b
        }
        #[forall::kary_reduce(combine = add)]
        pub fn program(x: &[u64]) -> u64 {
            let mut w = Wrap(0);
            for i in 0..x.len() {
                *w = add(*w, x[i]);
            }
            w.0
        }
    }

    mod place_changed_counter_after_fact {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len();
            for i in 0..n {
                let mut j = i;
                let mut t = 0;
                if j + 1 < n {
                    j += 1;
                    t = x[j + 1];
                }
                out[i] = t;
            }
        }
    }

    mod place_gray {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let j = i ^ (i >> 1);
                if j < out.len() {
                    out[j] = x[i];
                }
            }
        }
    }

    mod place_half_open_inclusive {
        #[forall::foreach]
        fn program(x: &[i64], wide: &mut [i64]) {
            for i in 0..x.len() {
                wide[i * 3..=i * 3 + 3].fill(x[i]);
            }
        }
    }

    mod place_max_of_usize {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.wrapping_add(usize::MAX)] = x[i];
            }
        }
    }

    mod place_mul_overflow {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i * (1usize << 63)] = x[i];
            }
        }
    }

    mod place_narrow_multiple {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..200u8 {
                out[(i * 2) as usize] = x[i as usize];
            }
        }
    }

    mod place_narrow_step {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64], k: u8) {
            for i in 0..250u8 {
                out[(i + k + 100) as usize] = x[i as usize];
            }
        }
    }

    mod place_narrow_wrapping_sub {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0u8..250 {
                out[(i - 100) as usize] = x[0];
            }
        }
    }

    mod place_prefix_then_index {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[..i + 1][i] = x[i];
            }
        }
    }

    mod place_saturating {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i.saturating_sub(3)] = x[i];
            }
        }
    }

    mod place_shift_out {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[(i << 40 << 20) >> 40 >> 20] = x[i];
            }
        }
    }

    mod place_signed_quotient {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n + 1..n {
                out[(i / 2 + n / 2) as usize] = i;
            }
        }
    }

    mod place_signed_remainder {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n..n {
                let j = i % n;
                if j >= 0 {
                    out[j as usize] = i;
                }
            }
        }
    }

    mod place_signed_shift {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n + 1..n {
                out[((i >> 1) + n / 2 + 1) as usize % x.len()] = i;
            }
        }
    }

    mod place_square_of_signed {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            let n = x.len() as i64;
            for i in -n..n {
                let j = (i * i) as usize;
                if j < out.len() {
                    out[j] = i;
                }
            }
        }
    }

    mod place_suffix_first {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i..][0] = x[i];
            }
        }
    }

    mod place_u128 {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[((i as u128) << 40 << 24) as usize] = x[i];
            }
        }
    }

    mod place_u8_cast {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[i as u8 as usize] = x[i];
            }
        }
    }

    mod place_u8_from {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                out[usize::from(i as u8)] = x[i];
            }
        }
    }

    mod place_u8_into {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                let j: usize = (i as u8).into();
                out[j] = x[i];
            }
        }
    }

    mod place_windows_overlap {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() - 1 {
                out[i..i + 2].copy_from_slice(&x[i..i + 2]);
            }
        }
    }

    mod index_chosen_from_two {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let j = match x[i] { 0 => i, 1 => i / 2, _ => i };
                out[j] += x[i];
            }
        }
    }

    mod index_chosen_by_another_name {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let j = match i / 2 { i if x[i] > 3 => i, _ => i };
                out[j] = x[i];
            }
        }
    }

    mod index_chosen_after_a_change {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len().min(out.len()) {
                let mut k = i;
                let j = if x[i] > 3 { k } else { k /= 2; k };
                out[j] = x[i];
            }
        }
    }
}
