//! Copies and references: what a loop goes over, and what a closure has captured. A GPU gives what Rust gives.
// One thing is written in many ways here.
#![allow(clippy::all, unused_assignments)]

use crate::common::annotated::refusal;
use forall::{DeviceData, device, distributed_scan, foreach, kary_reduce};

#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable, DeviceData)]
#[repr(C)]
struct Pair {
    a: [u32; 3],
    n: u32,
}

#[device]
fn eaten(mut a: [u32; 3]) -> u32 {
    let mut s = 0;
    for v in a {
        a[2] += v;
        a[1] = 9;
        s = s * 7 + v;
    }
    s + a[2]
}
#[device]
fn eaten_in_place(a: &mut [u32; 3]) -> u32 {
    let mut s = 0;
    for v in *a {
        a[2] += v;
        s = s * 7 + v;
    }
    s
}
#[device]
fn doubled(a: &mut [u32; 3]) -> u32 {
    a[2] *= 2;
    a[1]
}

each! {
    array_by_value |x| {
        let mut a = [x % 4, 2, 3, 4];
        let mut s = 0;
        for v in a {
            a[3] += v;
            a[0] = 9;
            s = s * 7 + v;
        }
        s + a[3] * 1000 + a[0]
    };
    array_enumerated |x| {
        let mut a = [x % 4, 2, 3];
        let mut s = 0;
        for (k, v) in a.into_iter().enumerate() {
            a[2 - k] = 7;
            s = s * 9 + v;
        }
        s + a[0] * 1000
    };
    array_reversed |x| {
        let mut a = [x % 4, 2, 3];
        let mut s = 0;
        for v in a.into_iter().rev() {
            a[0] += v;
            s = s * 9 + v;
        }
        s + a[0] * 1000
    };
    arrays_zipped |x| {
        let mut a = [x % 4, 2, 3];
        let mut b = [5u32, 6, 7];
        let mut s = 0;
        for (p, q) in a.into_iter().zip(b) {
            a[2] = 1;
            b[1] += p;
            b[2] = 0;
            s = s * 9 + p * q;
        }
        s
    };
    rows_by_value |x| {
        let mut a = [[x % 4, 1], [2, 3]];
        let mut s = 0;
        for row in a {
            a[1][0] += row[0];
            a[1] = [7, 7];
            for v in row {
                s = s * 9 + v;
            }
        }
        s
    };
    one_row_by_value |x| {
        let mut a = [[x % 4, 1], [2, 3]];
        let (mut s, mut j) = (0, 0);
        for v in a[j] {
            j = 1;
            a[0][1] += 5;
            s = s * 9 + v;
        }
        s + a[0][1]
    };
    row_of_a_place_that_changes |x| {
        let a = [[x % 4, 1, 8], [2, 3, 5]];
        let (mut s, mut j) = (0, 0);
        for v in &a[j] {
            j = 1;
            s = s * 9 + v;
        }
        for v in a[j].iter() {
            j = 0;
            s = s * 9 + v;
        }
        s
    };
    tuples_by_value |x| {
        let mut a = [(x % 5, 2u32), (3, 4)];
        let mut s = 0;
        for (p, q) in a {
            a[1].0 = 9;
            a[1] = (7, q);
            s = s * 9 + p + q;
        }
        s * 10 + a[1].0 + a[1].1
    };
    changed_by_a_function |x| {
        let mut a = [x % 4, 2, 3];
        let mut s = 0;
        for v in a {
            s = s * 9 + v + doubled(&mut a);
        }
        s + a[2]
    };
    changed_by_a_closure |x| {
        let mut a = [x % 4, 2, 3];
        let mut s = 0;
        let mut change = |v: u32| {
            a[2] += v;
            a[2]
        };
        let b = [1, 2, 3];
        for v in b {
            s = s * 9 + change(v);
        }
        s + a
            .into_iter()
            .map(|v| {
                a[2] += v;
                v
            })
            .fold(0, |s, v| s * 5 + v)
            + a[2]
    };
    in_a_function |x| {
        let a = [x % 5, 2, 3];
        eaten(a) * 10 + a[2]
    };
    in_a_function_in_place |x| {
        let mut a = [x % 5, 2, 3];
        let s = eaten_in_place(&mut a);
        s * 10 + a[2]
    };
    field_by_value |x| {
        let mut p: Pair = Pair { a: [x % 5, 1, 2], n: 1 };
        let mut s = 0;
        for v in p.a {
            p.n += v;
            s = s * 5 + v;
        }
        for v in p.a {
            p.a[2] += 1;
            s = s * 5 + v;
        }
        for v in p.a {
            p = Pair { a: [7, 7, 7], n: 2 };
            s = s * 5 + v;
        }
        s + p.n
    };
    through_a_reference |x| {
        let mut a = [x % 5, 1, 2];
        let r = &mut a;
        let mut s = 0;
        for v in *r {
            r[2] += v;
            s = s * 5 + v;
        }
        s + a[2]
    };
    rows_by_reference |x| {
        let mut a = [[x % 5, 1], [2, 3]];
        for row in a.iter_mut() {
            for v in row {
                *v += 3;
            }
        }
        for row in &mut a {
            for v in row.iter_mut() {
                *v *= 2;
            }
        }
        a[0][0] + a[0][1] * 10 + a[1][0] * 100 + a[1][1] * 1000
    };
    unchanged |x| {
        let mut a = [x % 5, 1, 2];
        a[1] += x;
        let mut s = 0;
        for v in a {
            s = s * 3 + v;
        }
        s + a.into_iter().sum::<u32>()
    };
}

each! {
    moved_before_a_change |x| {
        let mut k = x % 9;
        let f = move |v: u32| v + k;
        k += 100;
        f(1) * 3 + k
    };
    moved_array |x| {
        let mut a = [x % 4, 1];
        let f = move || a[0] * 2;
        a[0] = 77;
        f() + a[0] * 100
    };
    own_copy_changes |x| {
        let mut c = x % 4;
        let mut next = move || {
            c += 1;
            c
        };
        let p = next();
        let q = next();
        p * 100 + q * 10 + c
    };
    closures_in_closures |x| {
        let mut k = 1 + x % 3;
        let g = move |v: u32| v * k;
        let h = move |v: u32| g(v) + k;
        k = 100;
        h(2) * 1000 + g(1) + k
    };
    copies_of_closures |x| {
        let mut k = x % 3;
        let mut count = move || {
            k += 1;
            k
        };
        count();
        let mut twice = move || count() + count();
        let t = twice();
        count() * 1000 + t * 10 + k
    };
    borrowed_by_a_moved_closure |x| {
        let mut k = x % 3;
        let mut count = |v: u32| {
            k += v;
            k
        };
        let mut twice = move || count(1) + count(2);
        let t = twice();
        t * 10 + k
    };
    made_when_called |x| {
        let mut k = x % 3;
        let outer = |v: u32| {
            let g = move |w: u32| w * k + v;
            g(2)
        };
        let s = outer(1);
        k += 5;
        s * 100 + k
    };
    borrowing |x| {
        let mut s = x % 5;
        let mut add = |v: u32| {
            s = s * 3 + v;
            s
        };
        let y = add(1) * 100 + add(x % 7);
        y ^ s
    };
    handed_to_an_iterator |x| {
        let mut c = x % 5;
        let s = [3u32, 1, 4]
            .iter()
            .map(move |e| {
                c += e;
                c
            })
            .fold(0, |s, v| s * 10 + v);
        s * 10 + c
    };
    changed_down_the_chain |x| {
        let mut c = x % 5;
        [3u32, 1, 4].iter().map(move |e| e + c).for_each(|v| c = c * 3 + v);
        c
    };
    left_and_gone_on_with |x| {
        let mut sum = 0;
        for v in [3u32, 1, 4, 1, 5].iter().map(|e| e * (x % 7)).filter(|v| v % 2 == 0) {
            if v == 8 {
                continue;
            }
            if v > 20 {
                break;
            }
            sum = sum * 3 + v;
        }
        sum
    };
    left_from_within |x| {
        let mut sum = 0;
        'rows: for k in (0..9u32).map(|k| k * 3).take_while(|k| *k < 20) {
            for j in (0..4u32).filter(|j| j % 2 == 1) {
                if (k + j + x) % 7 == 0 {
                    continue 'rows;
                }
                sum = sum * 3 + k + j;
            }
        }
        sum
    };
    handed_by_name |x| {
        let mut c = x % 5;
        let add = move |e: u32| {
            c += e;
            c
        };
        let p: u32 = (1..4u32).map(add).sum();
        let q: u32 = (2..4u32).map(add).sum();
        c = 7;
        p * 100 + q * 10 + c
    };
    handed_to_an_option |x| {
        let mut c = x % 5;
        let p = (x % 2 == 0)
            .then_some(3u32)
            .map(move |e| {
                c += e;
                c
            })
            .unwrap_or(1);
        p * 10 + c
    };
    handed_to_an_array |x| {
        let mut c = x % 5;
        let a = [1u32, 2, 3].map(move |e| {
            c += e;
            c
        });
        let b = [1u32; 20].map(move |e| {
            c += e;
            c
        });
        c = 2;
        a[0] + a[1] * 7 + a[2] * 31 + b[19] * 1000 + c
    };
    shadowed_inside |x| {
        let mut k = x % 5;
        let f = move |k: u32| {
            let k = k + 1;
            k * 2
        };
        k += 1;
        f(k) * 10 + k
    };
}

#[foreach]
fn stale(x: &[u32], o: &mut [u32]) {
    let mut w = 3u32;
    let f = move |j: u32| j * w;
    for i in 0..x.len() {
        o[i] = f(x[i]);
    }
    w = 100;
    for i in 0..x.len() {
        o[i] += w;
    }
}
#[kary_reduce]
fn stale_in_a_reduction(x: &[u32], k: u32) -> u32 {
    let mut w = 5 + k;
    let f = move |j: u32| j ^ w;
    w = 1000;
    let mut s = 0u32;
    for i in 0..x.len() {
        s = s.wrapping_add(f(x[i]));
    }
    s ^ w
}
#[foreach]
fn stale_array(x: &[u32], o: &mut [u32]) {
    let mut t = [1u32, 2, 3];
    let f = move |j: usize| t[j % 3];
    t[1] = 50;
    for i in 0..x.len() {
        o[i] = f(i) + t[1];
    }
}
#[foreach]
fn not_stale(x: &[u32], o: &mut [u32]) {
    let mut w = 3u32;
    w += x.len() as u32;
    let f = move |j: u32| j * w;
    for i in 0..x.len() {
        o[i] = f(x[i]) + w;
    }
}
/// The copies of a running value.
#[distributed_scan]
fn running(x: &[u32], o: &mut [u32]) {
    let mut s = 0u32;
    for i in 0..x.len() {
        let f = move |v: u32| v ^ s;
        s = s.wrapping_add(x[i]);
        o[i] = f(1).wrapping_add(s);
    }
}

#[test]
fn closures_from_outside_of_the_loop() {
    let x: Vec<u32> = (0..50).collect();
    for reason in [
        refusal(|| stale(&x, &mut vec![0; 50])),
        refusal(|| stale_in_a_reduction(&x, 3)),
        refusal(|| stale_array(&x, &mut vec![0; 50])),
    ] {
        let Some(reason) = reason else { return };
        assert!(reason.contains("is a `move` closure with a copy of"), "{reason}");
    }
    same!(not_stale(&x) => vec![0; 50]);
    same!(running(&x) => vec![0; 50]);
}

#[foreach]
fn element_by_value(x: &[[u32; 3]], o: &mut [[u32; 3]]) {
    for i in 0..x.len() {
        o[i] = x[i];
        let mut s = 0u32;
        for v in o[i] {
            o[i][2] += v;
            s = s * 9 + v;
        }
        o[i][1] = s;
    }
}
#[distributed_scan]
fn in_a_scan(x: &[[u32; 3]], o: &mut [[u32; 3]]) {
    let mut s = 0u32;
    for i in 0..x.len() {
        let mut r = x[i];
        for v in r {
            r[2] = 1;
            s = s.wrapping_add(v);
        }
        o[i] = [s, r[1], r[2]];
    }
}

#[test]
fn elements_of_arrays() {
    let x: Vec<[u32; 3]> = (0..50).map(|i| [i % 7, i % 5, i % 11]).collect();
    same!(element_by_value(&x) => vec![[0; 3]; x.len()]);
    same!(in_a_scan(&x) => vec![[0; 3]; x.len()]);
}
