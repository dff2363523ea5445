//! The class of each variable: a loop, and its classes as the documentation names them.

use crate::testing::{classes, plans};

/// The classes of a loop in a function with arrays `x`, `y` and `out` and a number `n`, which returns a value.
#[track_caller]
fn reduced(body: &str, expected: &str) {
    let text = format!("#[kary_reduce] fn f(x: &[i64], y: &[i64], n: usize) -> Any {{ {body} }}");
    assert_eq!(classes(&text), expected, "{body}");
}

#[track_caller]
fn mapped(body: &str, expected: &str) {
    let text = format!("#[foreach] fn f(x: &[i64], y: &[i64], out: &mut [i64], n: usize) {{ {body} }}");
    assert_eq!(classes(&text), expected, "{body}");
}

#[track_caller]
fn scanned(body: &str, expected: &str) {
    let text = format!("#[distributed_scan] fn f(x: &[i64], y: &[bool], out: &mut [i64], n: usize) {{ {body} }}");
    assert_eq!(classes(&text), expected, "{body}");
}

#[track_caller]
fn pushed(body: &str, expected: &str) {
    let text = format!("#[foreach_tls] fn f(x: &[i64], y: &[i64], list: &mut Vec<i64>, n: usize) {{ {body} }}");
    assert_eq!(classes(&text), expected, "{body}");
}

#[test]
fn maps() {
    mapped("for i in 0..x.len() { out[i] = x[i]; }", "map");
    mapped("for (o, v) in out.iter_mut().zip(x) { *o = *v; }", "map");
    mapped("for i in 1..x.len() { out[i] = x[i - 1]; } for o in out.iter_mut() { *o += 1; }", "map; map");
    mapped("for i in 0..x.len() { out[i + n] += x[i]; }", "map");
    mapped("for i in 0..x.len() { out[n] = x[i]; }", "FA011");
    mapped("for i in 0..x.len() { out[i / 2] = x[i]; }", "FA011");
    mapped("for i in 1..x.len() { out[i] = out[i - 1]; }", "FA010");
    mapped("for i in 0..x.len() { out[x[i] as usize] = 1; }", "FA012");
    mapped("for i in 0..x.len() { let x = x[i]; let out_i = x * 2; out[i] = out_i; }", "map");
    mapped("let mut t = [0; 4]; for i in 0..x.len() { t[0] = x[i]; out[i] = t[0]; }", "map, scratch");
}

/// How many elements of `out` each iteration of a loop sets before it reads any of it.
#[track_caller]
fn sets(body: &str, expected: usize) {
    let text = format!("#[foreach] fn f(x: &[f64], out: &mut [f64], n: usize, c: f64) {{ {body} }}");
    let (_, plans) = plans(syn::parse_str(&text).unwrap()).unwrap();
    let slot = plans[0].slots.iter().find(|slot| slot.name == "out").unwrap();
    assert_eq!(slot.sets, expected, "{body}");
}

#[test]
fn elements_that_iterations_set() {
    sets("for i in 0..n { out[i] = x[i] * 2.0; }", 1);
    sets("for i in 1..n { out[i + 1] = x[i - 1] * 2.0; }", 1);
    sets("for (o, v) in out.iter_mut().zip(x) { *o = v.sqrt(); }", 1);
    sets("for o in out.iter_mut() { *o = c; }", 1);
    sets("for i in 0..n { out[2 * i] = x[i].sin(); out[2 * i + 1] = x[i].cos(); }", 2);
    sets("for i in 0..n { if x[i] > c { out[i] = 1.0; } else { out[i] = -x[i]; } }", 1);
    sets("for i in 0..n { if x[i] > c { out[i] = 1.0; continue; } out[i] = -x[i]; }", 1);
    sets("for i in 0..n { out[i] = 0.0; for k in 0..3 { out[i] += x[3 * i + k]; } }", 1);
}

#[test]
fn elements_that_iterations_may_keep_or_read() {
    sets("for i in 0..n { out[i] = x[i]; }", 0);
    sets("for i in 0..n { out[i] += x[i]; }", 0);
    sets("for i in 0..n { out[i] = out[i] * 2.0; }", 0);
    sets("for i in 0..n { if x[i] > c { out[i] = x[i] * 2.0; } }", 0);
    sets("for i in 0..n { if x[i] > c { continue; } out[i] = x[i] * 2.0; }", 0);
    sets("for i in 0..n { for k in 0..2 { out[2 * i + k] = x[i] * c; } }", 0);
    sets("for i in 0..n { while x[i] > c { out[i] = c * 2.0; break; } }", 0);
    sets("for (o, v) in out.iter_mut().zip(x) { *o = *o * 0.5 + *v; }", 0);
    sets("for (o, v) in out.iter_mut().zip(x) { if *v > c { *o = v + 1.0; } }", 0);
    sets("for i in 0..n { let o = &mut out[i]; *o = x[i] * 2.0; }", 0);
    sets("for i in 0..n { if x[i] > c { out[i] = 1.0; } else if x[i] < 0.0 { out[i] = c * 2.0; } }", 0);
    sets("for i in 0..n { out[i] = if x[i] > c { continue } else { x[i] * 2.0 }; }", 0);
    sets("for i in 0..n { let _ = x[i] > c && { out[i] = 1.0; true }; }", 0);
    sets("for i in 0..n { let Some(v) = x.get(i).map(|v| v * 2.0) else { continue; }; out[i] = v; }", 0);
    sets("'all: for i in 0..n { for k in 0..2 { if x[k] > c { continue 'all; } } out[i] = x[i] * 2.0; }", 0);
    sets(
        "for i in 0..n { match x[i] > c { true if x[i] > 2.0 * c => out[i] = 1.0, true => {} false => out[i] = 2.0 } }",
        0,
    );
}

#[test]
fn elements_that_only_another_array_sets() {
    let both = |body: &str| {
        let text = format!("#[foreach] fn f(x: &[f64], one: &mut [f64], two: &mut [f64]) {{ {body} }}");
        let (_, plans) = plans(syn::parse_str(&text).unwrap()).unwrap();
        plans[0].slots.iter().filter(|slot| slot.name != "x").map(|slot| slot.sets).collect::<Vec<usize>>()
    };
    assert_eq!(both("for (i, (a, _)) in one.iter_mut().zip(two.iter_mut()).enumerate() { *a = x[i] * 2.0; }"), [0, 0]);
    assert_eq!(both("for (a, b) in one.iter_mut().zip(two.iter_mut()) { *a = *b * 2.0; }"), [0, 0]);
    assert_eq!(both("for (i, a) in one.iter_mut().enumerate() { *a = x[i] * 2.0; two[i] = 1.0; }"), [1, 1]);
}

#[test]
fn elements_at_distances_that_are_known_in_a_call() {
    let apart = |places: &str| {
        let text = format!(
            "#[foreach] fn f(x: &[f64], out: &mut [f64], k: usize, m: usize) {{ for i in 0..x.len() {{ {places} }} }}"
        );
        let (_, plans) = plans(syn::parse_str(&text).unwrap()).unwrap();
        plans[0].slots.iter().find(|slot| slot.name == "out").unwrap().sets
    };
    // With `k == m == 2`, an iteration keeps the element in the middle.
    assert_eq!(apart("out[3 * i] = 1.0; out[3 * i + k] = x[i] * 2.0; out[3 * i + m] = x[i] * 3.0;"), 0);
    assert_eq!(apart("out[2 * i + k] = x[i] * 2.0; out[2 * i + k + 1] = x[i] * 3.0;"), 2);
}

#[test]
fn reductions() {
    reduced("let mut s = 0; for i in 0..x.len() { s += x[i]; } s", "reduce by `+`");
    reduced("let mut s = 0; for v in x { s = s + v; } s", "reduce by `+`");
    reduced("let mut s = 0; for v in x { s -= v; } s", "reduce by `-`");
    reduced("let mut s = 1; for v in x { s *= v; } s", "reduce by `*`");
    reduced("let mut s = 0; for v in x { s ^= v; } s", "reduce by `^`");
    reduced("let mut s = 0; for v in x { if *v > 0 { s += v; } } s", "reduce by `+`");
    reduced("let mut s = 0; for v in x { s = s.max(*v); } s", "reduce by `max`");
    reduced("let mut s = 0; for v in x { if *v < s { s = *v; } } s", "reduce by `min`");
    reduced("let mut any = false; for v in x { if *v > 3 { any = true; } } any", "reduce by `|`");
    reduced("let (mut s, mut t) = (0, 1); for v in x { s += v; t *= v; } (s, t)", "reduce by `+`, reduce by `*`");
    reduced("let mut s = 0; for v in x { s = s * 2 + v; } s", "FA015");
    reduced("let mut s = 0; for v in x { s += v; s *= 2; } s", "FA016");
    reduced("let mut s = 0; for v in x { s += s * v; } s", "FA015");
    // Each variable has its own class, also if another one has the same name.
    reduced("let mut s = 0; for v in x { let mut t = *v; { let s = t; t += s; } s += t; } s", "reduce by `+`");
    reduced(
        "let s = 1; let mut s = s; for v in x { s += v; } let mut s = s; for v in y { s *= v; } s",
        "reduce by `+`; reduce by `*`",
    );
}

#[test]
fn best_values() {
    reduced(
        "let (mut best, mut at) = (0, 0); for i in 0..x.len() { if x[i] > best { best = x[i]; at = i; } } (best, at)",
        "reduce (best value and place)",
    );
    reduced(
        "let mut best: Option<(i64, usize)> = None; for i in 0..x.len() { if best.is_none_or(|b| x[i] < b.0) { best = Some((x[i], i)); } } best",
        "reduce (best value and place)",
    );
    reduced(
        "let mut at = None; for i in 0..x.len() { if at.is_none() && x[i] > 3 { at = Some(i); } } at",
        "reduce (first match)",
    );
    reduced("let mut last = 0; for i in 0..x.len() { if x[i] > 3 { last = i; } } last", "reduce (last match)");
    reduced("let mut last = 0; for i in 0..x.len() { last = i; } last", "reduce (last match)");
}

#[test]
fn histograms() {
    reduced("let mut h = [0; 8]; for v in x { h[*v as usize] += 1; } h", "histogram by `+`");
    reduced(
        "let mut h = vec![0; n]; for v in x { h[*v as usize % n] = h[*v as usize % n].max(*v); } h",
        "histogram by `max`",
    );
    reduced("let mut h = vec![0; n]; for v in x { h[*v as usize % n] = *v; } h", "FA012");
}

#[test]
fn scans() {
    scanned("let mut s = 0; for i in 0..x.len() { s += x[i]; out[i] = s; }", "map, scan by `+`");
    scanned("let mut s = 0; for i in 0..x.len() { out[i] = s; s += x[i]; }", "map, scan by `+`");
    scanned("let mut s = 0; for i in 0..x.len() { s = s.max(x[i]); out[i] = s; }", "map, scan by `max`");
    scanned(
        "let mut s = 0; for i in 0..x.len() { if y[i] { s = 0; } s += x[i]; out[i] = s; }",
        "map, segmented scan by `+`",
    );
    scanned("let mut s = 0; for i in 0..x.len() { s = 2 * s + x[i]; out[i] = s; }", "map, linear recurrence");
    scanned("let mut s = 0; for i in 0..x.len() { s = s * s + x[i]; out[i] = s; }", "FA015");
}

#[test]
fn pushes() {
    pushed("for v in x { if *v > 0 { list.push(*v); } }", "push");
    pushed("for i in 0..x.len() { list.push(x[i]); list.push(y[i]); }", "push");
    pushed("let mut k = 0; for v in x { list.push(*v); k += list.len(); }", "FA014");
}
