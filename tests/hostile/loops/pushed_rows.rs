//! Vectors of vectors to which iterations push, and maps under kary_reduce.

mod refused {
    mod cells_read {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                let c = idx[i] % 40;
                let k = cells[c].len();
                cells[c].push(k);
            }
            cells
        }
    }
    mod cells_read_in {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                let c = idx[i] % 40;
                cells[c].push(cells[0].len());
            }
            cells
        }
    }
    mod cells_set {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                let c = idx[i] % 40;
                cells[c].push(i);
                if i % 10 == 3 {
                    cells[c] = vec![1];
                }
            }
            cells
        }
    }
    mod cells_clear {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                let c = idx[i] % 40;
                cells[c].push(i);
                if i % 10 == 3 {
                    cells[c].clear();
                }
            }
            cells
        }
    }
    mod cells_outer_push {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]];
            for i in 0..idx.len() {
                cells[0].push(i);
                if i % 10 == 3 {
                    cells.push(vec![1]);
                }
            }
            cells
        }
    }
    mod cells_own {
        #[derive(Clone, Default, Debug, PartialEq)]
        pub struct P(Vec<usize>);
        impl P {
            fn push(&mut self, i: usize) {
                if self.0.len() < 3 {
                    self.0.push(i);
                }
            }
        }
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<usize> {
            let mut cells = vec![P::default(); 40];
            for i in 0..idx.len() {
                cells[idx[i] % 40].push(i);
            }
            cells.iter().map(|c| c.0.len()).collect()
        }
    }
    mod cells_append {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                let mut v = vec![i];
                cells[idx[i] % 40].append(&mut v);
            }
            cells
        }
    }
    mod cells_foreach {
        #[forall::foreach]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                cells[idx[i] % 40].push(i);
            }
            cells
        }
    }
    mod buckets_kary {
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                cells[idx[i] % 40].push(i);
            }
            cells
        }
    }
    mod cells_field {
        #[derive(Clone)]
        pub struct G {
            rows: Vec<Vec<usize>>,
        }
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut g = G { rows: vec![vec![]; 40] };
            for i in 0..idx.len() {
                g.rows[idx[i] % 40].push(i);
            }
            g.rows
        }
    }
    mod entry_kary_push {
        use std::collections::BTreeMap;
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> BTreeMap<usize, Vec<usize>> {
            let mut m: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for i in 0..idx.len() {
                m.entry(idx[i] % 7).or_default().push(i);
            }
            m
        }
    }
    mod entry_kary_read {
        use std::collections::BTreeMap;
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> BTreeMap<usize, usize> {
            let mut m: BTreeMap<usize, usize> = BTreeMap::new();
            for i in 0..idx.len() {
                let k = m.len();
                *m.entry(idx[i]).or_insert(0) += k;
            }
            m
        }
    }
    mod entry_kary_foreach {
        use std::collections::BTreeMap;
        #[forall::foreach]
        fn program(idx: &[usize]) -> BTreeMap<usize, usize> {
            let mut m = BTreeMap::new();
            for &i in idx {
                *m.entry(i).or_insert(0usize) += 1;
            }
            m
        }
    }
}
mod right {
    mod cells {
        #[forall::foreach_tls]
        fn program(x: &[f64], n: usize) -> Vec<Vec<usize>> {
            let m = n / 4 + 1;
            let mut cells = vec![Vec::new(); m];
            for i in 0..x.len() {
                let c = ((x[i] + 20.0) as usize).min(m - 1);
                cells[c].push(i);
            }
            cells
        }
    }
    mod cells_typed {
        #[forall::foreach_tls]
        fn program(x: &[f64], idx: &[usize]) -> Vec<Vec<f64>> {
            let m = 7;
            let mut cells: Vec<Vec<f64>> = vec![vec![]; m];
            for i in 0..x.len() {
                cells[idx[i] % m].push(x[i]);
            }
            cells
        }
    }
    mod cells_arr {
        #[forall::foreach_tls]
        fn program(x: &[f64], idx: &[usize]) -> [Vec<f64>; 4] {
            let mut cells: [Vec<f64>; 4] = Default::default();
            for (x, i) in x.iter().zip(idx) {
                cells[i % 4].push(*x);
            }
            cells
        }
    }
    mod cells_2d {
        #[forall::foreach_tls]
        fn program(x: &[f64], idx: &[usize]) -> Vec<Vec<Vec<usize>>> {
            let mut cells = vec![vec![Vec::new(); 3]; 4];
            for i in 0..x.len() {
                cells[idx[i] % 4][i % 3].push(i);
            }
            cells
        }
    }
    mod cells_initial {
        #[forall::foreach_tls]
        fn program(x: &[f64], idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![9, 8]; 4];
            for i in 0..x.len() {
                cells[idx[i] % 4].push(i);
            }
            cells
        }
    }
    mod cells_oob {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                cells[idx[i]].push(i);
            }
            cells
        }
    }
    mod cells_extend {
        #[forall::foreach_tls]
        fn program(idx: &[usize]) -> Vec<Vec<usize>> {
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                cells[idx[i] % 40].extend_from_slice(&[i, i + 1]);
                cells[3].extend([7]);
            }
            cells
        }
    }
    mod cells_tuple {
        #[forall::foreach_tls]
        fn program(x: &[f64], idx: &[usize]) -> (Vec<Vec<usize>>, f64) {
            let mut s = 0.0;
            let mut cells = vec![vec![]; 40];
            for i in 0..idx.len() {
                cells[idx[i] % 40].push(i);
                s += x[i];
            }
            (cells, s)
        }
    }
    mod entry_kary {
        use std::collections::BTreeMap;
        #[forall::kary_reduce]
        fn program(idx: &[usize], n: &[u64]) -> BTreeMap<usize, u64> {
            let mut m = BTreeMap::new();
            for i in 0..idx.len() {
                *m.entry(idx[i]).or_insert(0) += n[i];
            }
            m
        }
    }
    mod entry_kary_hash {
        use std::collections::HashMap;
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> usize {
            let mut m: HashMap<usize, usize> = HashMap::new();
            for &i in idx {
                *m.entry(i).or_default() += 1;
            }
            m.values().map(|v| v * v).sum()
        }
    }
    mod entry_kary_two {
        use std::collections::BTreeMap;
        #[forall::kary_reduce]
        fn program(idx: &[usize], n: &[u64]) -> (BTreeMap<usize, u64>, u64) {
            let mut m = BTreeMap::new();
            let mut s = 0;
            for i in 0..idx.len() {
                *m.entry(idx[i]).or_insert(0) += n[i];
                s += n[i];
            }
            (m, s)
        }
    }
    mod entry_kary_modify {
        use std::collections::BTreeMap;
        #[forall::kary_reduce]
        fn program(idx: &[usize]) -> BTreeMap<usize, usize> {
            let mut m = BTreeMap::new();
            for &i in idx {
                m.entry(i).and_modify(|c| *c += 1).or_insert(1);
            }
            m
        }
    }
}
