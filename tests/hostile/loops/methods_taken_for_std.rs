//! Methods of a trait of the user's with the name of one of std, for types of std and for references to them.

mod refused {
    mod contains_of_the_parameter {
        trait T {
            fn contains(&self, v: &i64) -> bool;
        }
        impl T for &mut [i64] {
            fn contains(&self, v: &i64) -> bool {
                self.iter().all(|a| a != v)
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.contains(&3) as i64;
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod starts_with_of_the_parameter {
        trait T {
            fn starts_with(&self, v: &[i64]) -> bool;
        }
        impl T for &mut [i64] {
            fn starts_with(&self, v: &[i64]) -> bool {
                let _ = v;
                true
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.starts_with(&[1, 2]) as i64;
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod ends_with_of_the_parameter {
        trait T {
            fn ends_with(&self, v: &[i64]) -> bool;
        }
        impl T for &mut [i64] {
            fn ends_with(&self, v: &[i64]) -> bool {
                let _ = v;
                true
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.ends_with(&[1, 2]) as i64;
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod binary_search_of_the_parameter {
        trait T {
            fn binary_search(&self, v: &i64) -> Result<usize, usize>;
        }
        impl T for &mut [i64] {
            fn binary_search(&self, v: &i64) -> Result<usize, usize> {
                let _ = v;
                Ok(7)
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.binary_search(&3).unwrap_or(100) as i64;
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod partition_point_of_the_parameter {
        trait T {
            fn partition_point<F: Fn(&i64) -> bool>(&self, f: F) -> usize;
        }
        impl T for &mut [i64] {
            fn partition_point<F: Fn(&i64) -> bool>(&self, f: F) -> usize {
                let _ = f;
                77
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.partition_point(|v| *v < 2) as i64;
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod repeat_of_the_parameter {
        trait T {
            fn repeat(&self, n: usize) -> Vec<i64>;
        }
        impl T for &mut [i64] {
            fn repeat(&self, n: usize) -> Vec<i64> {
                vec![n as i64 + 5]
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.repeat(2)[0];
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod split_first_of_the_parameter {
        trait T {
            fn split_first(&self) -> Option<(&i64, &[i64])>;
        }
        impl T for &mut [i64] {
            fn split_first(&self) -> Option<(&i64, &[i64])> {
                None
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.split_first().map_or(0, |p| *p.0);
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod is_sorted_of_the_parameter {
        trait T {
            fn is_sorted(&self) -> bool;
        }
        impl T for &mut [i64] {
            fn is_sorted(&self) -> bool {
                true
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.is_sorted() as i64;
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod rchunks_of_the_parameter {
        trait T {
            fn rchunks(&self, n: usize) -> std::slice::Chunks<'_, i64>;
        }
        impl T for &mut [i64] {
            fn rchunks(&self, n: usize) -> std::slice::Chunks<'_, i64> {
                (**self).chunks(n)
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.rchunks(2).map(|c| c[0]).sum::<i64>();
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod split_of_the_parameter {
        trait T {
            fn split<F: Fn(&i64) -> bool>(&self, f: F) -> std::slice::Chunks<'_, i64>;
        }
        impl T for &mut [i64] {
            fn split<F: Fn(&i64) -> bool>(&self, f: F) -> std::slice::Chunks<'_, i64> {
                let _ = f;
                (**self).chunks(1)
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.split(|v| *v == 0).map(|c| c.len() as i64).sum::<i64>();
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod method_of_its_own_of_the_parameter {
        trait T {
            fn total(&self) -> i64;
        }
        impl T for &mut [i64] {
            fn total(&self) -> i64 {
                1
            }
        }
        impl T for [i64] {
            fn total(&self) -> i64 {
                2
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.total();
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod first_chunk_of_the_parameter {
        trait T {
            fn first_chunk<const N: usize>(&self) -> Option<&[i64; N]>;
        }
        impl T for &mut [i64] {
            fn first_chunk<const N: usize>(&self) -> Option<&[i64; N]> {
                None
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.first_chunk::<2>().map_or(0, |c| c[0]);
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod to_owned_of_the_parameter {
        trait T {
            fn to_owned(&self) -> Vec<i64>;
        }
        impl T for &mut [i64] {
            fn to_owned(&self) -> Vec<i64> {
                vec![9]
            }
        }
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let h = x.to_owned()[0];
            for i in 0..out.len() {
                out[i] = x[i] + h;
                x[i] += 1;
            }
        }
    }
    mod fill_with_of_a_shared_vector {
        trait T {
            fn fill_with<F: FnMut() -> i64>(&self, f: F);
        }
        impl T for Vec<i64> {
            fn fill_with<F: FnMut() -> i64>(&self, f: F) {
                let _ = f;
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![0i64; 3];
            for i in 0..out.len() {
                b.fill_with(|| 0);
                b[0] += x[i];
                b[1] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod fill_with_of_a_vector {
        trait T {
            fn fill_with<F: FnMut() -> i64>(&mut self, mut f: F);
        }
        impl T for Vec<i64> {
            fn fill_with<F: FnMut() -> i64>(&mut self, mut f: F) {
                self[0] = f();
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![0i64; 3];
            for i in 0..out.len() {
                b.fill_with(|| 0);
                b[0] += x[i];
                b[1] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod fill_with_of_a_vector_by_a_path {
        trait T {
            fn fill_with<F: FnMut() -> i64>(&mut self, mut f: F);
        }
        impl T for Vec<i64> {
            fn fill_with<F: FnMut() -> i64>(&mut self, mut f: F) {
                self[0] = f();
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![0i64; 3];
            for i in 0..out.len() {
                b.fill_with(Default::default);
                b[0] += x[i];
                b[1] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod entry_of_a_map {
        #[allow(unused)]
        use std::collections::*;
        trait T {
            fn entry(&self, k: i64) -> std::collections::hash_map::Entry<'static, i64, i64>;
        }
        impl T for HashMap<i64, i64> {
            fn entry(&self, k: i64) -> std::collections::hash_map::Entry<'static, i64, i64> {
                Box::leak(Box::new(HashMap::new())).entry(k)
            }
        }
        #[forall::foreach_tls]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let mut b: HashMap<i64, i64> = HashMap::new();
            for i in 0..x.len() {
                *b.entry(x[i]).or_insert(0) += 1;
            }
            vec![b.len() as i64]
        }
    }
    mod reduced_by_min_f64_shared {
        trait M {
            fn min(&self, o: f64) -> f64;
        }
        impl M for f64 {
            fn min(&self, o: f64) -> f64 {
                let _ = o;
                3 as f64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[f64]) -> f64 {
            let mut s = 0 as f64;
            for v in x {
                s = v.min(s);
            }
            s
        }
    }
    mod reduced_by_wrapping_add_i64_shared {
        trait M {
            fn wrapping_add(&self, o: i64) -> i64;
        }
        impl M for i64 {
            fn wrapping_add(&self, o: i64) -> i64 {
                let _ = o;
                3 as i64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0 as i64;
            for v in x {
                s = v.wrapping_add(s);
            }
            s
        }
    }
    mod reduced_under_a_condition_by_saturating_add_u64_shared {
        trait M {
            fn saturating_add(&self, o: u64) -> u64;
        }
        impl M for u64 {
            fn saturating_add(&self, o: u64) -> u64 {
                let _ = o;
                3 as u64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> u64 {
            let mut s = 0 as u64;
            for v in x.iter() {
                if *v > 1 as u64 {
                    s = v.saturating_add(s);
                }
            }
            s
        }
    }
    mod reduced_by_a_variable_wrapping_mul_i64_shared {
        trait M {
            fn wrapping_mul(&self, o: i64) -> i64;
        }
        impl M for i64 {
            fn wrapping_mul(&self, o: i64) -> i64 {
                let _ = o;
                3 as i64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0 as i64;
            for i in 0..x.len() {
                let v = &x[i];
                s = v.wrapping_mul(s);
            }
            s
        }
    }
    mod reduced_by_a_reference_wrapping_mul_i64_shared {
        trait M {
            fn wrapping_mul(&self, o: i64) -> i64;
        }
        impl M for i64 {
            fn wrapping_mul(&self, o: i64) -> i64 {
                let _ = o;
                3 as i64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0 as i64;
            for i in 0..x.len() {
                s = (&x[i]).wrapping_mul(s);
            }
            s
        }
    }
    mod frame_by_wrapping_add_i64_shared {
        trait M {
            fn wrapping_add(&self, o: i64) -> i64;
        }
        impl M for i64 {
            fn wrapping_add(&self, o: i64) -> i64 {
                let _ = o;
                3 as i64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let mut s = vec![0 as i64; 3];
            for (i, v) in x.iter().enumerate() {
                s[i % 3] = v.wrapping_add(s[i % 3]);
            }
            s
        }
    }
    mod reduced_by_min_ref_f64_shared {
        trait M {
            fn min(&self, o: f64) -> f64;
        }
        impl M for &f64 {
            fn min(&self, o: f64) -> f64 {
                let _ = o;
                3 as f64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[f64]) -> f64 {
            let mut s = 0 as f64;
            for v in x {
                s = v.min(s);
            }
            s
        }
    }
    mod reduced_by_wrapping_add_ref_i64_by_value {
        trait M {
            fn wrapping_add(self, o: i64) -> i64;
        }
        impl M for &i64 {
            fn wrapping_add(self, o: i64) -> i64 {
                let _ = o;
                3 as i64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = 0 as i64;
            for v in x {
                s = v.wrapping_add(s);
            }
            s
        }
    }
    mod reduced_by_saturating_add_ref_u32_shared {
        trait M {
            fn saturating_add(&self, o: u32) -> u32;
        }
        impl M for &u32 {
            fn saturating_add(&self, o: u32) -> u32 {
                let _ = o;
                3 as u32
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u32]) -> u32 {
            let mut s = 0 as u32;
            for v in x {
                s = v.saturating_add(s);
            }
            s
        }
    }
    mod reduced_by_saturating_mul_ref_u32_by_value {
        trait M {
            fn saturating_mul(self, o: u32) -> u32;
        }
        impl M for &u32 {
            fn saturating_mul(self, o: u32) -> u32 {
                let _ = o;
                3 as u32
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[u32]) -> u32 {
            let mut s = 0 as u32;
            for v in x {
                s = v.saturating_mul(s);
            }
            s
        }
    }
    mod frame_by_wrapping_mul_ref_i64_shared {
        trait M {
            fn wrapping_mul(&self, o: i64) -> i64;
        }
        impl M for &i64 {
            fn wrapping_mul(&self, o: i64) -> i64 {
                let _ = o;
                3 as i64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let mut s = vec![0 as i64; 3];
            for (i, v) in x.iter().enumerate() {
                s[i % 3] = v.wrapping_mul(s[i % 3]);
            }
            s
        }
    }
    mod reduced_by_a_reference_min_ref_f64_shared {
        trait M {
            fn min(&self, o: f64) -> f64;
        }
        impl M for &f64 {
            fn min(&self, o: f64) -> f64 {
                let _ = o;
                3 as f64
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[f64]) -> f64 {
            let mut s = 0 as f64;
            for i in 0..x.len() {
                s = (&x[i]).min(s);
            }
            s
        }
    }
    mod is_none_of_an_option_by_value {
        trait M {
            fn is_none(self) -> bool;
        }
        impl M for Option<i64> {
            fn is_none(self) -> bool {
                false
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> Option<i64> {
            let mut best = None;
            for i in 0..x.len() {
                let v = x[i];
                if best.is_none() || v < best.unwrap() {
                    best = Some(v);
                }
            }
            best
        }
    }
    mod by_ref_of_a_range {
        trait M {
            fn by_ref(self) -> std::ops::Range<usize>;
        }
        impl M for std::ops::Range<usize> {
            fn by_ref(self) -> std::ops::Range<usize> {
                self.start..self.end / 2
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..out.len()).by_ref() {
                out[i] = x[i];
            }
        }
    }
    mod clone_of_a_range {
        trait M {
            fn clone(self) -> std::ops::Range<usize>;
        }
        impl M for std::ops::Range<usize> {
            fn clone(self) -> std::ops::Range<usize> {
                0..self.end / 2
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in (0..out.len()).clone() {
                out[i] = x[i];
            }
        }
    }
}

mod right {

    mod numbers_by_references {
        #[forall::kary_reduce]
        pub fn program(x: &[f64]) -> (f64, f64) {
            let (mut s, mut t) = (0.0f64, f64::INFINITY);
            for v in x {
                s = v.max(s);
                t = v.abs().min(t);
            }
            (s, t)
        }
    }
    mod numbers_by_mutable_references {
        #[forall::foreach]
        pub fn program(x: &[f64], out: &mut [f64]) {
            for (o, v) in out.iter_mut().zip(x) {
                *o = o.max(*v).clamp(-1.0, 2.0).mul_add(0.5, v.abs().sqrt());
            }
        }
    }
    mod wrapping_by_references {
        #[forall::kary_reduce]
        pub fn program(x: &[u64]) -> (u64, u64) {
            let (mut s, mut t) = (0u64, 1u64);
            for v in x.iter() {
                s = v.saturating_add(s);
                t = v.wrapping_mul(t);
            }
            (s, t)
        }
    }
    mod largest_of_tuples_and_texts {
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> (i64, usize) {
            let mut best = (i64::MIN, 0);
            for (i, v) in x.iter().enumerate() {
                let pair = (*v, i);
                best = pair.max(best);
            }
            best
        }
    }
    mod generic_numbers {
        trait Real: Copy + PartialOrd + std::ops::Add<Output = Self> {
            fn abs(self) -> Self;
            fn max(self, other: Self) -> Self;
            fn pow<T: Into<u32>>(self, n: T) -> Self;
        }
        impl Real for f64 {
            fn abs(self) -> f64 {
                f64::abs(self)
            }
            fn max(self, other: f64) -> f64 {
                f64::max(self, other)
            }
            fn pow<T: Into<u32>>(self, n: T) -> f64 {
                self.powi(n.into() as i32)
            }
        }
        fn largest<T: Real>(v: T, w: T) -> T {
            v.abs().max(w).pow(2u8)
        }
        #[forall::foreach]
        pub fn program(x: &[f64], out: &mut [f64]) {
            for i in 0..out.len() {
                let v = &x[i];
                out[i] = largest(*v, 1.0);
            }
        }
    }
    mod own_type_with_methods_of_numbers {
        #[derive(Clone, Copy)]
        struct P(i64, i64);
        trait Norm {
            fn abs(&self) -> i64;
            fn max<T: Into<i64>>(&self, other: T) -> i64;
            fn get<T: Into<i64>>(self, i: T) -> i64;
        }
        impl Norm for P {
            fn abs(&self) -> i64 {
                self.0.abs() + self.1.abs()
            }
            fn max<T: Into<i64>>(&self, other: T) -> i64 {
                self.0.max(other.into())
            }
            fn get<T: Into<i64>>(self, i: T) -> i64 {
                if i.into() == 0 { self.0 } else { self.1 }
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let p = P(x[i], 3);
                let r = &p;
                out[i] = p.abs() + r.max(2i32) + r.get(1u8);
            }
        }
    }
    mod sets_are_asked {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let set: std::collections::HashSet<i64> = (0..5).collect();
            let map: std::collections::BTreeMap<i64, i64> = (0..5).map(|k| (k, 2 * k)).collect();
            let range = -3..4;
            for i in 0..out.len() {
                out[i] = set.contains(&x[i]) as i64 + *map.get(&x[i]).unwrap_or(&7) + range.contains(&x[i]) as i64;
            }
        }
    }
    mod methods_of_slices_outside {
        #[forall::foreach]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let at = x.binary_search(&3).unwrap_or_else(|at| at) as i64;
            let before = x.partition_point(|v| *v < 2) as i64;
            let (found, begins) = (x.contains(&3) as i64, x.starts_with(&[1]) as i64);
            let first = x.split_first().map_or(0, |(first, _)| *first);
            for i in 0..out.len() {
                out[i] = x[i] + at + before + found + begins + first;
            }
        }
    }
    mod method_of_a_trait_of_slices_outside {
        trait Total {
            fn total(&self) -> i64;
        }
        impl Total for [i64] {
            fn total(&self) -> i64 {
                self.iter().sum()
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let (t, u) = (x.total(), out.total());
            for i in 0..out.len() {
                out[i] = x[i] + t + u;
            }
        }
    }
    mod buffers_are_set {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let (mut b, mut c, mut d) = (vec![0i64; 3], [0i64; 3], vec![]);
            for i in 0..out.len() {
                b.fill_with(|| 1);
                c.fill_with(Default::default);
                d.clear();
                d.extend_from_slice(&b);
                c[0] += x[i];
                b[1] += c[0];
                d.push(b[1]);
                out[i] = d.iter().sum::<i64>() + c[0];
            }
        }
    }
}
