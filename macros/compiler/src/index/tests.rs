//! Indices that only one iteration uses, and near misses.

use crate::testing::plans;

fn function(loops: &str) -> syn::ImplItemFn {
    let text = format!("#[foreach] fn f(u: &[u32], o: &mut [u32], w: usize, h: usize, k: usize) {{ {loops} }}");
    syn::parse_str(&text).unwrap()
}

/// The codes of the errors for the function with these loops.
fn refused(loops: &str) -> Vec<&'static str> {
    plans(function(loops)).err().unwrap_or_default()
}

fn rows(width: &str, stride: &str) -> String {
    format!("for y in 0..h {{ for x in 0..{width} {{ o[y * {stride} + x] = u[y * w + x]; }} }}")
}

fn flat(range: &str, place: &str) -> String {
    format!("for i in {range} {{ let (x, y) = (i % w, i / w); {place} = u[y * w + x]; }}")
}

#[test]
fn strides_that_do_not_change_may_be_computed() {
    for width in [
        "(w / 2)",
        "(w >> 1)",
        "((w + 1) / 2)",
        "(w % 4)",
        "(w & 3)",
        "w.div_ceil(2)",
        "w.min(k)",
        "w.max(k)",
        "w.clamp(1, k)",
        "w.saturating_sub(k)",
        "w.div_euclid(k)",
        "w.rem_euclid(k)",
        "std::cmp::min(w, k)",
        "usize::max(w, k)",
        "(u.len() / 2)",
        "(w / 2 / k)",
    ] {
        assert!(refused(&rows(width, width)).is_empty(), "{width}");
        assert!(refused(&format!("for i in 0..h {{ o[{width} + i] = i as u32; }}")).is_empty(), "{width}");
    }
}

#[test]
fn strides_that_change_are_refused() {
    for place in [
        "y * w / 2 + x",
        "y * (y / 2) + x",
        "y * (x / 2)",
        "(y / 2) * w + x",
        "y / 2",
        "y % k",
        "y.min(k)",
        "y.max(k) * w",
    ] {
        let loops = format!("for y in 0..h {{ for x in 0..w / 2 {{ o[{place}] = u[x]; }} }}");
        assert_eq!(refused(&loops), ["FA011"], "{place}");
    }
    // The stride is half the width.
    assert_eq!(refused(&rows("w", "(w / 2)")), ["FA011"]);
    assert_eq!(refused(&rows("(w / 2 + 1)", "(w / 2)")), ["FA011"]);
    assert!(refused(&rows("w", "(w / 2 * 2 + 1)")).is_empty());
}

#[test]
fn halves_of_one_array_are_told_from_overlapping_ones() {
    assert!(refused("for i in 0..w / 2 { o[i] = o[i + w / 2]; }").is_empty());
    assert_eq!(refused("for i in 0..w { o[i] = o[i + w / 2]; }"), ["FA010"]);
    assert_eq!(refused("for i in 1..w { o[w / 2 + i] = o[w / 2 + i - 1]; }"), ["FA010"]);
}

#[test]
fn one_number_taken_apart_is_as_two() {
    for place in
        ["o[x * h + y]", "o[y + h * x]", "o[x * h + (h - 1 - y)]", "o[(w - 1 - x) * h + y]", "o[k + x * h + y]"]
    {
        for range in ["0..w * h", "0..h * w"] {
            assert!(refused(&flat(range, place)).is_empty(), "{place} in {range}");
        }
    }
    for place in ["o[y * w + x]", "o[y * w + (w - 1 - x)]", "o[(h - 1 - y) * w + x]"] {
        assert!(refused(&flat("0..k", place)).is_empty(), "{place}");
    }
    let half = "for i in 0..(w / 2) * h { let (x, y) = (i % (w / 2), i / (w / 2)); o[x * h + y] = u[i]; }";
    assert!(refused(half).is_empty());
}

#[test]
fn near_misses_of_a_pair_are_refused() {
    for range in [
        "0..w * h + 1",
        "0..=w * h",
        "0..k",
        "0..u.len()",
        "0..w * w",
        "0..w * h * 2",
        "1..w * h",
        "(0..w * h).step_by(2)",
    ] {
        assert_eq!(refused(&flat(range, "o[x * h + y]")), ["FA011"], "{range}");
    }
    for place in [
        "x * w + y",
        "x * h",
        "x + y",
        "x * h + 2 * y",
        "x * (h - 1) + y",
        "2 * x * h + y",
        "x * h + y * y",
        "x * k + y",
        "x * h + y / 2",
        "y * w + 2 * x",
        "x * y",
    ] {
        assert_eq!(refused(&flat("0..w * h", &format!("o[{place}]"))), ["FA011"], "{place}");
    }
    let other_width = "for i in 0..w * h { let (x, y) = (i % w, i / h); o[x * h + y] = u[i]; }";
    assert_eq!(refused(other_width), ["FA011"]);
    let moved = "for i in 0..w * h { let (x, y) = ((i + 1) % w, i / w); o[x * h + y] = u[i]; }";
    assert_eq!(refused(moved), ["FA011"]);
    let narrow = "for i in 0..w * h { let (x, y) = ((i % w) as u8 as usize, i / w); o[x * h + y] = u[i]; }";
    assert_eq!(refused(narrow).len(), 1);
    let inner = "for i in 0..w * h { let (x, y) = (i % w, i / w); for j in 0..2 { o[x * h + y + j] = u[i]; } }";
    assert_eq!(refused(inner), ["FA011"]);
    let part = "for i in 0..w * h { let (x, y) = (i % w, i / w); o[x * h + y..x * h + y + 2].fill(0); }";
    assert_eq!(refused(part), ["FA011"]);
    let in_place = "for i in 0..w * h { let (x, y) = (i % w, i / w); o[x * h + y] = o[y * w + x]; }";
    assert_eq!(refused(in_place), ["FA010"]);
    let twice = "for i in 0..w * h { let (x, y) = (i % w, i / w); o[x * h + y] = u[i]; o[x * h + y + 1] = 0; }";
    assert_eq!(refused(twice), ["FA011"]);
}
