//! Order of evaluation, copies and references, and names. A GPU gives what Rust gives.
// One thing is written in many ways here, and some of it is what nobody should write.
#![allow(clippy::all, unused_assignments, unused_braces, path_statements)]

use crate::common::annotated::refusal;
use forall::{DeviceData, device, foreach};

#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable, DeviceData)]
#[repr(C)]
struct Pair {
    a: [u32; 2],
    n: u32,
}

#[device]
fn three(a: u32, b: u32, c: u32) -> u32 {
    a * 10000 + b * 100 + c
}
#[device]
fn bump(v: &mut u32) -> u32 {
    *v += 3;
    *v % 13
}
#[device]
fn set(p: &mut Pair, n: u32) -> u32 {
    p.n = n;
    p.a[1] += n;
    p.a[0]
}

each! {
    place_after_value |x| {
        let mut a = [1u32, 2, 3, 4];
        let mut k = 0usize;
        a[k] = {
            k += 1;
            x
        };
        a[0] + a[1] * 100 + k as u32
    };
    place_of_rows |x| {
        let mut a = [[1u32, 2], [3, 4]];
        let mut k = 0usize;
        a[k][1 - k] = {
            k = 1;
            x
        };
        a[0][0] + a[0][1] * 7 + a[1][0] * 31 + a[1][1] * 100
    };
    changed_place |x| {
        let mut a = [1u32, 2, 3, 4];
        let mut k = 2usize;
        a[k] *= {
            k = 1;
            x + 5
        };
        a[0] + a[1] * 3 + a[2] * 7 + a[3] * 11
    };
    parts_of_tuples |x| {
        let mut v = x;
        let t = (
            v,
            {
                v += 1;
                v
            },
            v,
        );
        let u = [
            v,
            {
                v *= 2;
                v
            },
            v,
        ];
        t.0 + t.1 * 3 + t.2 * 7 + u[0] * 11 + u[1] * 13 + u[2] * 17
    };
    fields_in_their_order |x| {
        let mut v = x;
        let p = Pair {
            n: {
                v += 1;
                v
            },
            a: [v, {
                v += 1;
                v
            }],
        };
        let q: Pair = Pair {
            n: {
                v += 5;
                v
            },
            ..p
        };
        p.n + p.a[0] * 3 + p.a[1] * 7 + q.n * 11 + q.a[1]
    };
    arguments |x| {
        let mut v = x;
        three(
            v,
            {
                v += 1;
                v
            },
            v,
        ) + three(
            v % 10,
            {
                let b: u32 = bump(&mut v);
                b
            },
            v % 50,
        )
    };
    receivers |x| {
        let mut v = x;
        let a = v.wrapping_add({
            v += 1;
            v
        });
        let b = v.max({
            v += 3;
            v
        });
        let c = v.min({
            v += 4;
            v
        });
        let d = v.wrapping_sub({
            v += 1;
            v
        });
        a ^ b << 5 ^ c << 10 ^ d
    };
    comparisons |x| {
        let mut v = x;
        let a = v < {
            v += 1;
            v
        };
        let b = v == {
            v += 1;
            v
        };
        let c = v >= {
            v -= 1;
            v
        };
        a as u32 + b as u32 * 2 + c as u32 * 4 + v * 8
    };
    operators |x| {
        let mut v = x;
        let a = v - {
            v = 0;
            v
        } + {
            v += 4;
            v
        } * v;
        let b = v << {
            v = 2;
            v
        } | v;
        let c = !v & {
            v ^= 5;
            v
        } ^ v;
        a ^ b << 9 ^ c
    };
    calls_and_operators |x| {
        let mut v = x;
        let a = v + bump(&mut v) * v;
        let b = bump(&mut v) + v + bump(&mut v);
        a * 1000 + b
    };
    indices |x| {
        let a = [x, 2, 3, 5, 7];
        let mut k = 0usize;
        let s = a[{
            k += 1;
            k
        }] + a[k] * 10
            + a[{
                k += 2;
                k
            }] * 100;
        s + a[k] * 1000
    };
    loads_before_stores |x| {
        let mut a = [x % 5, 2, 3];
        let s =
            a[0] + {
                a[0] = 9;
                a[0]
            } + a[0];
        let p = a[1] * {
            a = [4; 3];
            1
        } + a[1];
        s * 100 + p
    };
    loads_before_stores_of_fields |x| {
        let mut p: Pair = Pair { a: [x % 5, 2], n: 1 };
        let s = p.n + {
            p.n = 9;
            p.n
        } * p.n;
        let t = p.a[1] + set(&mut p, 4) + p.a[1] + p.n;
        s * 1000 + t
    };
    logic |x| {
        let mut c = x % 5;
        let r = {
            c += 1;
            c > 2
        } && {
            c += 1;
            c % 2 == 0
        } || {
            c += 7;
            c > 12
        };
        let s = (c > 3) & {
            c += 1;
            c > 5
        };
        let t = (c > 6) | {
            c *= 2;
            false
        };
        r as u32 + s as u32 * 2 + t as u32 * 4 + c * 8
    };
    logic_assigned |x| {
        let mut c = x % 5;
        let mut r = c > 2;
        r &= {
            c += 1;
            c < 5
        };
        let mut s = false;
        s |= {
            c += 1;
            c > 4
        };
        r ^= s;
        r as u32 + s as u32 * 2 + c * 8
    };
    clamped |x| {
        let mut v = x;
        let a = v.clamp(
            {
                v += 1;
                v
            },
            {
                v += 9;
                v
            },
        );
        a * 100 + v
    };
    powers |x| {
        let mut v = x % 4 + 1;
        let a = v.pow({
            v += 1;
            v % 4
        });
        let b = v.rotate_left({
            v += 1;
            v
        });
        a ^ b << 3 ^ v
    };
    scrutinee_changes |x| {
        let mut v = x % 6;
        match {
            v += 1;
            v
        } {
            n if n > 3 => {
                v += 2;
                v * n
            }
            n => {
                v += 5;
                v * 10 + n
            }
        }
    };
    scrutinee_of_array |x| {
        let mut a = [x % 4, 1];
        let s = match a[0] {
            0 => {
                a[0] = 7;
                a[0]
            }
            n => {
                a[0] = 9;
                n + a[0]
            }
        };
        s * 10 + a[0]
    };
    scrutinee_of_tuple |x| {
        let mut v = x % 4;
        let mut w = 1;
        match (v, w) {
            (0, k) => {
                w = 5;
                k + w
            }
            (k, l) => {
                v = 8;
                w = 3;
                k * 100 + l * 10 + v + w
            }
        }
    };
    guards |x| {
        let mut c = 0;
        let r = match x % 5 {
            3 if {
                c += 1;
                false
            } =>
            {
                1
            }
            3 | 4
                if {
                    c += 10;
                    c > 10
                } =>
            {
                2
            }
            n @ 1..=4
                if {
                    c += 100;
                    n > 1
                } =>
            {
                3
            }
            _ => 4,
        };
        r * 1000 + c
    };
    if_let_copies |x| {
        let mut o = if x % 3 > 0 { Some(x) } else { None };
        let r = if let Some(v) = o {
            o = None;
            v + 1
        } else {
            o = Some(4);
            0
        };
        r * 10 + o.unwrap_or(3)
    };
    let_else |x| {
        let o = (x % 3 > 0).then_some(x);
        let mut s = 0;
        for k in 0..3 {
            let Some(v) = o else {
                s += 100;
                continue;
            };
            s += v + k;
        }
        s
    };
    while_let |x| {
        let mut n = x % 6;
        let mut s = 0;
        while let Some(m) = n.checked_sub(1) {
            s = s * 3 + n;
            n = m;
        }
        s * 10 + n
    };
    returns_of_closures |x| {
        let f = |k: u32| {
            if k == 2 {
                return 100;
            }
            k * x
        };
        (0..5u32)
            .map(|k| {
                if k == 3 {
                    return 7;
                }
                f(k)
            })
            .sum()
    };
    breaks_in_closures |x| {
        (1..5u32)
            .map(|k| {
                let mut s = 0;
                for j in 0..10 {
                    if j == k {
                        continue;
                    }
                    if j * k > x {
                        break;
                    }
                    s += j;
                }
                s
            })
            .fold(0, |a, b| a * 7 + b)
    };
    labels |x| {
        let mut s = 0;
        'a: for i in 0..4u32 {
            for j in 0..4u32 {
                if i * j == x % 7 {
                    continue 'a;
                }
                if i + j > 5 {
                    break 'a;
                }
                s = s * 3 + j;
            }
            s += 100;
        }
        let v = 'b: {
            if s % 2 == 0 {
                break 'b 3;
            }
            s % 5
        };
        let w = loop {
            s += 1;
            if s % 3 == 0 {
                break s * {
                    s += 1;
                    2
                };
            }
        };
        s + v + w
    };
    shadows |x| {
        let mut s = 0;
        let x = x + 1;
        {
            let x = x * 2;
            s += x;
            let x = x + s;
            s += x;
        }
        for x in x..x + 3 {
            let s2 = x;
            let x = s2 * 2;
            s += x;
        }
        s + x
    };
    copies_of_arrays |x| {
        let mut a = [x, 2];
        let b = a;
        a[0] = 99;
        let mut c = b;
        c[1] = 50;
        a[0] + b[0] * 3 + b[1] * 5 + c[1]
    };
    copies_in_tuples |x| {
        let mut a = [x, 2];
        let t = (a, 1u32);
        let o = Some(a);
        let r = [a, a];
        a[0] = 99;
        t.0[0] + o.unwrap()[0] * 100 + r[1][0] * 10000 + a[0] + t.1
    };
    copies_of_rows |x| {
        let mut a = [[x, 1], [2, 3]];
        let e = a[0];
        a[0][0] = 99;
        a[1] = a[0];
        a[0] = e;
        let f = a;
        a[1][1] = 7;
        e[0] + f[1][0] * 3 + f[1][1] * 5 + a[1][1] * 7 + a[0][0] * 100
    };
    copies_of_structs |x| {
        let mut p: Pair = Pair { a: [x, 1], n: 2 };
        let q = p;
        let t = (p, 5u32);
        p.n = 7;
        p.a[0] = 50;
        q.n + q.a[0] * 3 + t.0.n * 5 + t.0.a[0] * 7 + p.n * 100
    };
    patterns_copy |x| {
        let mut a = [x, 2];
        let [p, q] = a;
        a = [9, 9];
        let mut t = (x, a);
        let (u, v) = t;
        t.0 = 77;
        t.1[0] = 5;
        let mut s: Pair = Pair { a: [x, 1], n: 3 };
        let Pair { a: w, n } = s;
        s.n = 4;
        s.a[0] = 66;
        p + q * 3 + u * 5 + v[0] * 7 + w[0] * 11 + n * 13 + t.0 + s.n
    };
    swaps_by_tuples |x| {
        let (mut a, mut b) = (x, 2);
        (a, b) = (b, a + b);
        (a, b) = (b, a);
        let mut r = [a, b, 3];
        (r[0], r[2]) = (r[2], r[0]);
        let mut k = 0usize;
        (k, r[k]) = (1, 50);
        a + b * 7 + r[0] * 31 + r[1] * 77 + r[2] * 101 + k as u32
    };
    references_stay |x| {
        let mut a = [x, 2, 3];
        let mut k = 0usize;
        let r = &mut a[k];
        k = 2;
        *r += 10;
        *r *= 2;
        a[0] + a[2] * 100 + k as u32
    };
    references_to_fields |x| {
        let mut p: Pair = Pair { a: [x, 1], n: 2 };
        let m = &mut p.a;
        m[1] = 5;
        m[0] += m[1];
        let n = &mut p.n;
        *n += 3;
        p.a[0] + p.a[1] * 100 + p.n * 1000
    };
    references_to_references |x| {
        let mut v = x;
        {
            let r = &mut v;
            let s = &mut *r;
            *s += 1;
            *r *= 2;
        }
        let a = &v;
        let b = &a;
        **b + *a
    };
    shared_references |x| {
        let a = [x, 2, 3];
        let r = &a;
        let s = &r[1..];
        let t = &a[0];
        let u = *t;
        r[0] + s[1] * 10 + u + *t + s.len() as u32 * 100
    };
    memory |x| {
        let mut a = [x, 2, 3];
        let mut k = 0usize;
        let t = std::mem::replace(&mut a[k], {
            k += 1;
            50
        });
        a.swap(0, 2);
        let u = std::mem::replace(&mut a[k], 0);
        t + a[0] * 3 + a[2] * 7 + u * 100
    };
    swapped_places |x| {
        let mut a = [x, 2, 3, 4];
        let mut k = 0usize;
        a.swap(
            {
                k += 1;
                k
            },
            {
                k += 2;
                k
            },
        );
        let (mut p, mut q) = ([x, 1], [5, 6]);
        std::mem::swap(&mut p, &mut q);
        a[1] + a[3] * 10 + p[0] * 100 + q[0] * 1000
    };
    function_of_places |x| {
        let mut a = [x, 2, 3];
        let mut k = 0usize;
        let s = bump(
            &mut a[{
                k += 1;
                k
            }],
        ) + bump(&mut a[k]) * a[1];
        let mut p: Pair = Pair { a: [x, 1], n: 2 };
        let t = set(&mut p, {
            k = 5;
            k as u32
        }) + p.n;
        s * 100 + t
    };
    nested_functions |x| {
        fn inner(v: &mut u32, w: u32) -> u32 {
            *v += w;
            if *v > 20 {
                return 1;
            }
            *v * 2
        }
        let mut v = x;
        let s = inner(&mut v, 3) + v * inner(&mut v, 7);
        s * 100 + v
    };
    changed_while_counting |x| {
        let mut n = x % 6;
        let mut s = 0;
        for k in 0..n {
            n += 2;
            s += k * 2 + n;
        }
        for k in (0..n).rev() {
            n /= 2;
            s += k;
        }
        s * 64 + n
    };
    assigned_blocks |x| {
        let mut v = x;
        v = {
            let w = v;
            v = 100;
            w + v
        };
        v += {
            v = 1;
            v
        };
        let u = {
            v += 1;
            v
        } + {
            v += 1;
            v
        };
        u * 1000 + v
    };
    late_values |x| {
        let v;
        let w: u32;
        if x % 2 == 0 {
            v = x;
            w = 1;
        } else {
            v = 2;
            w = x;
        }
        let u = if v > w {
            let t = v - w;
            t * 2
        } else {
            w
        };
        u + v * 100
    };
    unit_values |x| {
        let mut v = x;
        let u = v += 1;
        let _ = {
            v += 2;
            v
        };
        let b: u32 = bump(&mut v);
        _ = b;
        u;
        v
    };
    consts |x| {
        const A: u32 = 5;
        const B: [u32; 3] = [A, A * 2, 7];
        let mut b = B;
        b[0] = x;
        let mut s = 0;
        for v in B {
            s = s * 3 + v;
        }
        for v in b {
            s = s * 3 + v;
        }
        s + B[0]
    };
}

each! {
    references_from_blocks |x| {
        let mut a = [x, 1];
        let r = {
            let s = &mut a;
            s
        };
        r[0] += 5;
        let b = &mut { a };
        b[0] = 99;
        a[0] + b[0] * 100
    };
    by_value_blocks |x| {
        let mut a = [x, 1];
        let mut s = 0;
        for v in { a } {
            a[1] = 50;
            s = s * 3 + v;
        }
        let mut b = { a };
        b[0] = 9;
        s + a[0] * 100
    };
}

/// References that a device does not follow: it says so, and changes nothing else instead.
macro_rules! refused {
    ($($name:ident $reason:literal |$x:ident| $body:expr;)*) => {$(
        #[test]
        fn $name() {
            #[foreach]
            fn $name(xs: &[u32], out: &mut [u32]) {
                for i in 0..xs.len() {
                    let $x = xs[i];
                    let r: u32 = $body;
                    out[i] = r;
                }
            }
            if let Some(reason) = refusal(|| $name(&[1, 2], &mut [0, 0])) {
                assert!(reason.contains($reason), "{reason}");
            }
        }
    )*};
}

refused! {
    chosen_references "what `r` refers to is changed" |x| {
        let (mut a, mut b) = ([x, 1], [2, 3]);
        let r = if x % 2 == 0 { &mut a } else { &mut b };
        r[0] = 50;
        a[0] + b[0] * 100
    };
    tuples_of_references "what `r` refers to is changed" |x| {
        let (mut a, mut b) = ([x, 1], [2, 3]);
        let (r, s) = (&mut a, &mut b);
        r[0] = 50;
        s[1] = 60;
        a[0] + b[1] * 100
    };
    chosen_numbers "does not hold for the iteration" |x| {
        let (mut a, mut b) = (x, 2);
        *(if x % 2 == 0 { &mut a } else { &mut b }) += 50;
        a + b * 100
    };
}
