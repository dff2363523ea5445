//! Conditions, early ends and names in texts that running values hang on.

mod right {
    mod format_precision {
        #[forall::distributed_scan]
        fn program(x: &[usize], out: &mut [i64]) -> usize {
            let mut v = 0;
            let mut w = 0;
            for i in 0..x.len() {
                v = (v + x[i] % 3) % 7;
                w += format!("{:.v$}", 1.5).len();
                out[i] = w as i64;
            }
            v
        }
    }
    mod let_else_pushes {
        #[forall::distributed_scan]
        pub fn program(x: &[i32], #[replicated] y: &[i32], on: &[bool], out: &mut [i32]) -> (i32, bool, Vec<i32>) {
            let mut v = 0_i32;
            let mut ok = true;
            let mut list: Vec<i32> = Vec::new();
            let n = x.len();
            for i in (0..n).rev() {
                let mut c = i;
                let Some(q) = y.get(i + 2) else {
                    list.push(x[i]);
                    continue;
                };
                list.push(*q);
                c += 1;
                ok = ok && on[i];
                v = v.max((c as i32));
                out[i] = v;
            }
            (v, ok, list)
        }
    }

    mod let_else_continues {
        #[forall::distributed_scan]
        fn program(x: &[i64], y: &[i64], out: &mut [i64]) -> (i64, Vec<i64>) {
            let mut v = 0;
            let mut list = Vec::new();
            for i in 0..x.len() {
                let Some(q) = y.get(i + 2) else {
                    list.push(x[i]);
                    continue;
                };
                v += x[i];
                out[i] = v - *q;
            }
            (v, list)
        }
    }

    mod format_width_name_scan {
        #[forall::distributed_scan]
        fn program(x: &[usize], out: &mut [i64]) -> usize {
            let mut v = 0;
            for i in 0..x.len() {
                v += x[i] % 3;
                out[i] = format!("{:>v$}", 1).len() as i64;
            }
            v
        }
    }

    mod guard_lazy_or {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = 0;
                let _ = x[i] < 3 || {
                    t = x[i];
                    true
                };
                v += t;
                out[i] = v;
            }
        }
    }

    mod guard_let_chain {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut v, mut w) = (0i64, 0i64);
            for i in 0..x.len() {
                v += x[i];
                if let Some(t) = x.get(i)
                    && v > 30
                {
                    w += *t;
                }
                out[i] = w;
            }
        }
    }

    mod guard_let_chain_reset {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                if let Some(t) = x.get(i + 1)
                    && *t > 9
                {
                    v = 0;
                }
                v += x[i];
                out[i] = v;
            }
        }
    }

    mod guard_match_assigns_local {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                let mut t = x[i];
                match i % 3 {
                    0 if {
                        t = 9;
                        false
                    } => {}
                    _ => {}
                }
                v += t;
                out[i] = v;
            }
        }
    }

    mod guard_match_reads_running {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let (mut v, mut w) = (0i64, 0i64);
            for i in 0..x.len() {
                v += x[i];
                match x[i] {
                    t if v > 30 => w += t,
                    _ => {}
                }
                out[i] = w;
            }
        }
    }

    mod guard_while_condition {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let mut t = 0;
                while {
                    t += 1;
                    t < x[i]
                } {}
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_in_inner_loop {
        #[forall::distributed_scan]
        fn program(x: &[i64], wide: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                for j in 0..3 {
                    v += x[i] + j as i64;
                    wide[i * 3 + j] = v;
                }
            }
        }
    }

    mod scan_let_else {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let Some(t) = x[i].checked_rem(x[i] % 3) else {
                    v += 100;
                    continue;
                };
                v += t;
                out[i] = v;
            }
        }
    }

    mod scan_loop_label {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            'a: for i in 0..x.len() {
                for j in 0..3 {
                    if x[i] == j {
                        continue 'a;
                    }
                    v += j;
                }
                v += x[i];
                out[i] = v;
            }
        }
    }

    mod scan_reads_twice {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0;
            for i in 0..x.len() {
                let b = v;
                v += x[i];
                let c = v;
                v += 1;
                out[i] = b * 3 + c * 5 + v;
            }
        }
    }
}

mod refused {
    mod let_else_of_a_first_match {
        #[forall::distributed_scan]
        pub fn program(
            x: &[i32],
            y: &[i32],
            #[replicated] table: &[i32],
            idx: &[usize],
            on: &[bool],
            out: &mut [i32],
        ) -> (i32, Option<i32>, std::collections::BTreeMap<usize, i32>) {
            let mut v = 0_i32;
            let mut o: Option<i32> = None;
            let mut map = std::collections::BTreeMap::new();
            for i in 0..x.len() {
                let e = x[i];
                *map.entry(idx[i] % 5).or_insert(0_i32) += x[i];
                let Some(q) = o else {
                    o = Some(x[i]);
                    continue;
                };
                v += q;
                if on[i] {
                    continue;
                }
                out[i] = table[idx[i] % 16] * y.get(i + 1).copied().unwrap_or(e);
            }
            (v, o, map)
        }
    }

    mod format_escape {
        #[forall::kary_reduce]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v += x[i];
                out[i] = format!("{\u{76}}").len() as i64;
            }
            v
        }
    }


    mod format_raw_assert {
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v += x[i];
                assert!(i != 90, r"{v}");
            }
            v
        }
    }

    mod format_raw_string {
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) -> i64 {
            let mut v = 0i64;
            for i in 0..x.len() {
                v += x[i];
                out[i] = format!(r"{v}").len() as i64;
            }
            v
        }
    }

    mod format_width_name {
        #[forall::kary_reduce]
        fn program(x: &[usize], out: &mut [i64]) -> usize {
            let mut v = 0;
            for i in 0..x.len() {
                v += x[i] % 3;
                out[i] = format!("{:>v$}", 1).len() as i64;
            }
            v
        }
    }

    mod guard_match_assigns {
        #[forall::distributed_scan]
        fn program(x: &[i64], out: &mut [i64]) {
            let mut v = 0i64;
            for i in 0..x.len() {
                match x[i] {
                    t if {
                        v += t;
                        t > 3
                    } =>
                    {
                        out[i] = v
                    }
                    _ => out[i] = -v,
                }
            }
        }
    }

    mod macro_in_condition {
        macro_rules! above {
            ($v:ident) => {{
                $v += 1;
                $v > 3
            }};
        }
        #[forall::kary_reduce]
        fn program(x: &[i64]) -> i64 {
            let mut v = 0;
            let mut s = 0;
            for i in 0..x.len() {
                if above!(v) {
                    s += x[i];
                }
            }
            s + v
        }
    }

    mod macro_named_index {
        macro_rules! at {
            ($a:ident [ $i:expr ]) => {
                $a[$i / 2]
            };
        }
        #[forall::foreach]
        fn program(x: &[i64], out: &mut [i64]) {
            for i in 0..x.len() {
                at!(out[i]) = x[i];
            }
        }
    }
}
