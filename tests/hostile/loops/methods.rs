//! Methods of traits that have the names of methods of slices, vectors and numbers, and that rustc prefers to those. The loop is refused, or
//! gives what the sequential loop gives.

mod refused {
    mod grow {
        trait Grow {
            fn trunc(&mut self);
        }
        impl Grow for usize {
            fn trunc(&mut self) {
                *self += 2
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 8 {
                let mut j = 0usize;
                while j < 2 {
                    j.trunc();
                    out[2 * i + j] = x[i];
                    j += 1;
                }
            }
        }
    }
    mod grow_of_an_index {
        trait Grow {
            fn floor(&mut self);
        }
        impl Grow for usize {
            fn floor(&mut self) {
                *self /= 2
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let mut k = i;
                k.floor();
                out[k] = x[i];
            }
        }
    }
    mod grow_of_a_running_value {
        trait Grow {
            fn abs(&mut self);
        }
        impl Grow for usize {
            fn abs(&mut self) {
                *self += 7
            }
        }
        #[forall::distributed_scan]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut s = 0usize;
            for i in 0..out.len() {
                s += x[i] as usize & 1;
                s.abs();
                out[i] = s as i64;
            }
        }
    }
    mod len_of_mut_slice {
        trait L {
            fn len(&self) -> usize;
        }
        impl L for &mut [i64] {
            fn len(&self) -> usize {
                2
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] = x[i];
            }
        }
    }
    mod len_by_value {
        trait L {
            fn len(self) -> usize;
        }
        impl L for &mut [i64] {
            fn len(self) -> usize {
                2
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..(&mut *out).len() {
                out[i] = x[i];
            }
        }
    }
    mod len_outside {
        trait L {
            fn len(&self) -> usize {
                2
            }
        }
        impl<T> L for T {}
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = out.len();
            for i in 0..n {
                out[i] = x[i];
            }
        }
    }
    mod len_in_the_body {
        trait L {
            fn len(&self) -> usize {
                2
            }
        }
        impl<T> L for &mut [T] {}
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                if i < out.len() {
                    out[i] = x[i];
                }
            }
        }
    }
    mod is_empty_of_mut {
        trait L {
            fn is_empty(&self) -> bool {
                true
            }
        }
        impl<T> L for &mut [T] {}
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            if out.is_empty() {
                return;
            }
            for i in 0..out.len() {
                out[i] = x[i];
            }
        }
    }
    mod iter_of_mut {
        trait L {
            fn iter(&self) -> std::iter::Empty<&i64> {
                std::iter::empty()
            }
        }
        impl L for &mut [i64] {}
        #[forall::kary_reduce]
        pub fn program(out: &mut [i64]) -> i64 {
            let mut s = 0;
            for v in out.iter() {
                s += v;
            }
            s
        }
    }
    mod get_of_mut {
        trait L {
            fn get(&self, _: usize) -> Option<&i64>;
        }
        impl L for &mut [i64] {
            fn get(&self, _: usize) -> Option<&i64> {
                (**self).first()
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                out[i] += *out.get(i).unwrap() + x[i];
            }
        }
    }
    mod iter_of_vec {
        trait C {
            fn iter(&self) -> std::iter::Take<std::slice::Iter<'_, i64>>;
        }
        impl C for Vec<i64> {
            fn iter(&self) -> std::iter::Take<std::slice::Iter<'_, i64>> {
                self.as_slice().iter().take(1)
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let v = x.to_vec();
            let mut s = 0;
            for a in v.iter() {
                s += a;
            }
            s
        }
    }
    mod clear_of_vec {
        trait C {
            fn clear(self);
        }
        impl C for &mut Vec<i64> {
            fn clear(self) {
                self.pop();
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![0i64; 0];
            let b = &mut b;
            for i in 0..out.len() {
                b.clear();
                b.push(x[i]);
                out[i] = b.iter().sum();
            }
        }
    }
    mod max_of_another_type {
        #[derive(Clone, Copy)]
        struct N(i64);
        impl N {
            fn max(self, o: N) -> N {
                N(self.0 - o.0)
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let mut s = N(0);
            for i in 0..x.len() {
                s = s.max(N(x[i]));
            }
            s.0
        }
    }
    mod inner_trait {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                trait L {
                    fn len(&self) -> usize {
                        2
                    }
                }
                impl<T> L for &mut [T] {}
                if i < out.len() {
                    out[i] = x[i];
                }
            }
        }
    }
    mod inner_use_of_trait {
        mod far {
            pub trait L {
                fn len(&self) -> usize {
                    2
                }
            }
            impl<T> L for &mut [T] {}
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                use far::L as _;
                if i < out.len() {
                    out[i] = x[i];
                }
            }
        }
    }
    mod own_trait_in_function {
        mod far {
            pub trait L {
                fn len(&self) -> usize {
                    2
                }
            }
            impl<T> L for &mut [T] {}
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            use far::L;
            for i in 0..x.len() {
                if i < out.len() {
                    out[i] = x[i];
                }
            }
        }
    }
    mod function_trait_defined {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            trait L {
                fn len(&self) -> usize {
                    2
                }
            }
            impl<T> L for &mut [T] {}
            for i in 0..x.len() {
                if i < out.len() {
                    out[i] = x[i];
                }
            }
        }
    }
    mod vec_iter_of_trait {
        trait L {
            fn iter(&self) -> std::iter::Take<std::slice::Iter<'_, i64>>;
        }
        impl L for Vec<i64> {
            fn iter(&self) -> std::iter::Take<std::slice::Iter<'_, i64>> {
                self.as_slice().iter().take(1)
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &Vec<i64>) -> i64 {
            let mut s = 0;
            for v in x.iter() {
                s += v;
            }
            s
        }
    }
    mod vec_chunks_of_trait_mut {
        trait L {
            fn chunks_mut(&mut self, n: usize) -> std::slice::ChunksMut<'_, i64>;
        }
        impl L for Vec<i64> {
            fn chunks_mut(&mut self, n: usize) -> std::slice::ChunksMut<'_, i64> {
                self[1..].chunks_mut(n)
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut Vec<i64>) {
            for (i, c) in out.chunks_mut(2).enumerate() {
                for v in c {
                    *v = x[i];
                }
            }
        }
    }
    mod fill_of_a_buffer {
        trait F {
            fn fill(&mut self, v: i64);
        }
        impl F for Vec<i64> {
            fn fill(&mut self, v: i64) {
                self[0] = v;
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = vec![0i64; 3];
            for i in 0..out.len() {
                b.fill(0);
                b[0] += x[i];
                b[1] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod fill_of_an_array {
        trait F {
            fn fill(self, v: i64);
        }
        impl F for &mut [i64; 3] {
            fn fill(self, v: i64) {
                self[0] = v;
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = [0i64; 3];
            for i in 0..out.len() {
                b.fill(0);
                b[0] += x[i];
                b[1] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod clear_of_a_vector {
        trait F {
            fn clear(&self);
        }
        impl F for Vec<i64> {
            fn clear(&self) {}
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b: Vec<i64> = Vec::new();
            for i in 0..out.len() {
                b.clear();
                b.push(x[i]);
                let mut s = 0;
                for v in &b {
                    s += v;
                }
                out[i] = s;
            }
        }
    }
    mod push_of_a_vector {
        trait F {
            fn push(&self, _: i64);
        }
        impl F for Vec<i64> {
            fn push(&self, _: i64) {}
        }
        #[forall::foreach]
        pub fn program(x: &[i64]) -> Vec<i64> {
            let mut b: Vec<i64> = Vec::new();
            for i in 0..x.len() {
                b.push(x[i]);
            }
            b
        }
    }
    mod len_of_halves {
        trait L {
            fn len(&self) -> usize;
        }
        impl L for &mut [i64] {
            fn len(&self) -> usize {
                0
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let (a, b) = out.split_at_mut(x.len() / 2);
            for i in 0..a.len() {
                a[i] = x[i];
            }
            for i in 0..b.len() {
                b[i] = x[i];
            }
        }
    }
    mod split_at_mut_of_a_trait {
        trait L {
            fn split_at_mut(&mut self, n: usize) -> (&mut [i64], &mut [i64]);
        }
        impl L for Vec<i64> {
            fn split_at_mut(&mut self, _: usize) -> (&mut [i64], &mut [i64]) {
                self.as_mut_slice().split_at_mut(0)
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut Vec<i64>) {
            let (a, b) = out.split_at_mut(x.len() / 2);
            for i in 0..a.len() {
                a[i] = x[i];
            }
            for i in 0..b.len() {
                b[i] = 1;
            }
        }
    }
    mod split_at_of_a_mut_slice {
        trait L {
            fn split_at(&self, n: usize) -> (&[i64], &[i64]);
        }
        impl L for &mut [i64] {
            fn split_at(&self, _: usize) -> (&[i64], &[i64]) {
                <[i64]>::split_at(self, 0)
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &mut [i64]) -> i64 {
            let (a, _) = x.split_at(x.len() / 2);
            let mut s = 0;
            for i in 0..a.len() {
                s += a[i];
            }
            s
        }
    }
    mod fill_of_a_type {
        #[derive(Clone)]
        struct B([i64; 3]);
        impl B {
            fn fill(&mut self, _: i64) {
                self.0[0] = 0;
            }
        }
        impl std::ops::Index<usize> for B {
            type Output = i64;
            fn index(&self, i: usize) -> &i64 {
                &self.0[i]
            }
        }
        impl std::ops::IndexMut<usize> for B {
            fn index_mut(&mut self, i: usize) -> &mut i64 {
                &mut self.0[i]
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut b = B([0; 3]);
            for i in 0..out.len() {
                b.fill(0);
                b[0] += x[i];
                b[1] += x[i];
                out[i] = b[0] + b[1];
            }
        }
    }
    mod len_of_halves_2 {
        trait L {
            fn len(&self) -> usize;
        }
        impl L for &mut [i64] {
            fn len(&self) -> usize {
                0
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let (a, b) = out.split_at_mut(x.len() / 2);
            for i in 0..a.len() {
                a[i] = x[i];
            }
            for i in 0..b.len() {
                b[i] = x[i];
            }
        }
    }
    mod chunks_of_a_mut_slice {
        trait W {
            fn chunks(&self, n: usize) -> std::slice::Windows<'_, i64>;
        }
        impl W for &mut [i64] {
            fn chunks(&self, n: usize) -> std::slice::Windows<'_, i64> {
                (**self).windows(n)
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &mut [i64]) -> i64 {
            let mut s = 0;
            for w in x.chunks(2) {
                s += w[0];
            }
            s
        }
    }
    mod iter_by_value {
        trait W<'a> {
            fn iter(self) -> std::iter::Rev<std::slice::Iter<'a, i64>>;
        }
        impl<'a> W<'a> for &'a mut [i64] {
            fn iter(self) -> std::iter::Rev<std::slice::Iter<'a, i64>> {
                <[i64]>::iter(self).rev()
            }
        }
        #[forall::distributed_scan]
        pub fn program(x: &mut [i64], out: &mut [i64]) {
            let mut s = 0;
            for (v, o) in x.iter().zip(out) {
                s += v;
                *o = s;
            }
        }
    }
    mod local_last {
        trait L {
            fn last(&self) -> Option<&i64>;
        }
        impl L for Vec<i64> {
            fn last(&self) -> Option<&i64> {
                self.first()
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let v = x.to_vec();
            let mut s = 0;
            for a in v.iter() {
                s += a * v.last().unwrap();
            }
            s
        }
    }
}

mod right {
    mod vector_by_a_mutable_reference {
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let mut v = x.to_vec();
            let w = &mut v;
            for i in 0..w.len().min(out.len()) {
                out[i] += w[i];
            }
        }
    }
    mod trait_of_slices {
        trait Ext {
            fn total(&self) -> i64;
            fn second(&self) -> i64;
        }
        impl Ext for [i64] {
            fn total(&self) -> i64 {
                self.iter().sum()
            }
            fn second(&self) -> i64 {
                self[1]
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let t = x.to_vec().total();
            for (o, c) in out.iter_mut().zip(x.chunks(2)) {
                *o = c.total() + t;
            }
        }
    }
    mod trait_with_len_of_another {
        trait Len {
            fn len(&self) -> usize;
            fn first(&self) -> i64;
            fn fill(&mut self, v: i64);
            fn iter(&self) -> std::slice::Iter<'_, i64>;
        }
        struct Pair([i64; 2]);
        impl Len for Pair {
            fn len(&self) -> usize {
                2
            }
            fn first(&self) -> i64 {
                self.0[0]
            }
            fn fill(&mut self, v: i64) {
                self.0 = [v; 2];
            }
            fn iter(&self) -> std::slice::Iter<'_, i64> {
                self.0.iter()
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let p = Pair([1, 2]);
            for i in 0..out.len() {
                let mut q = Pair([x[i], 3]);
                q.fill(2);
                out[i] = x[i] + p.len() as i64 + p.first() + q.iter().sum::<i64>();
            }
        }
    }
    mod trait_of_floats {
        trait Real: Copy {
            fn min(self, o: Self) -> Self;
            fn abs(self) -> Self;
            fn floor(self) -> Self;
        }
        impl Real for f64 {
            fn min(self, o: f64) -> f64 {
                if o < self { o } else { self }
            }
            fn abs(self) -> f64 {
                f64::abs(self)
            }
            fn floor(self) -> f64 {
                f64::floor(self)
            }
        }
        fn twice<T: Real>(a: T, b: T) -> T {
            a.min(b).abs().floor()
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() {
                let v = x[i] as f64;
                out[i] = twice(v, 2.5).min(3.0).floor() as i64;
            }
        }
    }
    mod vectors {
        #[forall::foreach]
        pub fn program(x: &Vec<i64>, out: &mut Vec<i64>) {
            let n = out.len().min(x.len());
            for i in 0..n {
                out[i] = x[i];
            }
            for (o, a) in out.iter_mut().zip(x.iter()) {
                *o += *a;
            }
            for c in out.chunks_mut(2) {
                c[0] += 1;
            }
        }
    }
    mod itertools_like {
        trait Tools: Iterator {
            fn chunks(self, n: usize) -> Vec<Self::Item>
            where
                Self: Sized,
            {
                self.take(n).collect()
            }
            fn len(&self) -> usize
            where
                Self: Sized,
            {
                0
            }
            fn first(self) -> Option<Self::Item>
            where
                Self: Sized,
            {
                let mut s = self;
                s.next()
            }
        }
        impl<I: Iterator> Tools for I {}
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            let n = out.len();
            for (o, c) in out.iter_mut().zip(x.chunks(1)) {
                *o = c[0] + n as i64;
            }
        }
    }
    mod fill_of_a_part {
        trait L {
            fn fill(&mut self, v: i64);
        }
        impl L for [i64] {
            fn fill(&mut self, v: i64) {
                self[0] = v;
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..out.len() / 2 {
                let c = &mut out[2 * i..2 * i + 2];
                c.fill(x[i]);
            }
        }
    }
    mod fill_of_a_chunk {
        trait L {
            fn fill(&mut self, v: i64);
        }
        impl L for &mut [i64] {
            fn fill(&mut self, v: i64) {
                self[0] = v;
            }
        }
        #[forall::foreach]
        pub fn program(x: &[i64], out: &mut [i64]) {
            for c in out.chunks_mut(2) {
                let mut c = c;
                c.fill(x[0]);
            }
        }
    }
    mod references_to_a_vector {
        trait L {
            fn len(&self) -> usize;
        }
        impl L for Vec<i64> {
            fn len(&self) -> usize {
                1
            }
        }
        impl L for &Vec<i64> {
            fn len(&self) -> usize {
                2
            }
        }
        #[forall::kary_reduce]
        pub fn program(x: &[i64]) -> i64 {
            let v = x.to_vec();
            let w = &&v;
            let mut s = 0;
            for i in 0..w.len() {
                s += w[i];
            }
            s
        }
    }
}
