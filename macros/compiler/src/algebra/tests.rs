//! The classes of variables that are computed from each other.

use crate::testing::classes;

#[test]
fn systems_of_linear_recurrences() {
    let filter = "#[distributed_scan] fn f(x: &[f64], out: &mut [f64], b: f64, a1: f64, a2: f64) {
        let (mut y1, mut y2) = (0.0, 0.0);
        for i in 0..x.len() { let y = b * x[i] - a1 * y1 - a2 * y2; y2 = y1; y1 = y; out[i] = y; }
    }";
    assert_eq!(classes(filter), "map, system of linear recurrences");
    let fibonacci = "#[distributed_scan] fn f(out: &mut [u64]) {
        let (mut a, mut b) = (0, 1);
        for i in 0..out.len() { out[i] = a; let next = a + b; a = b; b = next; }
    }";
    assert_eq!(classes(fibonacci), "map, system of linear recurrences");
}

#[test]
fn recurrences_of_sums_and_extremes() {
    let subarray = "#[kary_reduce] fn f(x: &[i64]) -> i64 {
        let (mut here, mut best) = (0, i64::MIN);
        for i in 0..x.len() { here = (here + x[i]).max(x[i]); best = best.max(here); }
        best
    }";
    assert_eq!(classes(subarray), "recurrence of `+` and `max`");
    let queue = "#[distributed_scan] fn f(a: &[i64], s: &[i64], out: &mut [i64]) {
        let mut q = 0;
        for i in 0..a.len() { q = (q + a[i] - s[i]).max(0); out[i] = q; }
    }";
    assert_eq!(classes(queue), "map, recurrence of `+` within bounds");
}

#[test]
fn machines() {
    let csv = "#[distributed_scan] fn f(x: &[u8]) -> usize {
        let (mut quoted, mut fields) = (false, 0);
        for i in 0..x.len() {
            if x[i] == b'\"' { quoted = !quoted; } else if x[i] == b',' && !quoted { fields += 1; }
        }
        fields
    }";
    assert_eq!(classes(csv), "recurrence of bits, scan by `+`");
    let bits = "#[distributed_scan] fn f(m: &[u32], s: &[u32], out: &mut [u32]) {
        let mut b = 0;
        for i in 0..m.len() { b = (b & m[i]) | s[i]; out[i] = b; }
    }";
    assert_eq!(classes(bits), "map, recurrence of bits");
    let carry = "#[distributed_scan] fn f(x: &[u64], out: &mut [u64]) {
        let mut carry = false;
        for i in 0..x.len() {
            let (t, c1) = x[i].overflowing_mul(3);
            let (t, c2) = t.overflowing_add(carry as u64);
            out[i] = t;
            carry = c1 || c2;
        }
    }";
    assert_eq!(classes(carry), "map, finite-state machine");
}
