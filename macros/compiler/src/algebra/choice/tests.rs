//! Which loops keep the best of values. How the parallel loops run, `tests/hostile/loops/choices.rs` tells.

use crate::testing::classes;

const BEST: &str = "reduce (best value and place)";
const FIRST: &str = "reduce (first match)";

/// The class of variables that a loop over `x` sets, by how they are declared.
fn class(variables: &str, body: &str) -> String {
    let (pattern, _) = variables.split_once('=').unwrap();
    let (names, _) = pattern.split_once(':').unwrap_or((pattern, ""));
    let names = names.replace("mut ", "");
    classes(&format!(
        "#[kary_reduce] fn f(x: &[f64]) {{ let {variables}; for i in 0..x.len() {{ {body} }} show({names}); }}"
    ))
}

#[test]
fn an_option_that_holds_the_best() {
    for body in [
        "best = match best { None => Some(x[i]), Some(b) if x[i] < b => Some(x[i]), same => same };",
        "best = best.filter(|b| !(x[i] < *b)).or(Some(x[i]));",
        "best = best.is_none_or(|b| x[i] < b).then_some(x[i]).or(best);",
        "if best.is_none() || Some(x[i]) < best { best = Some(x[i]); }",
        "let Some(b) = best else { best = Some(x[i]); continue; }; if x[i] < b { best = Some(x[i]); }",
        "if let Some(b) = best { if !(x[i] < b) { continue; } } best = Some(x[i]);",
        "let c = if x[i] > 0.0 { Some(x[i]) } else { None };
         match (best, c) { (None, Some(v)) => best = Some(v), (Some(b), Some(v)) if v < b => best = Some(v), _ => {} }",
    ] {
        assert_eq!(class("mut best: Option<f64> = None", body), BEST, "{body}");
    }
}

#[test]
fn a_value_and_what_goes_with_it() {
    for body in [
        "(b, at) = if x[i] < b { (x[i], i) } else { (b, at) };",
        "let better = x[i] < b; at = if better { i } else { at }; b = if better { x[i] } else { b };",
        "let mut better = false; if x[i] < b { better = true; } if better { b = x[i]; } if better { at = i; }",
    ] {
        assert_eq!(class("(mut b, mut at) = (f64::MAX, 0)", body), BEST, "{body}");
    }
    let flag = "if first { b = x[i]; first = false; } else if x[i] < b { b = x[i]; }";
    assert_eq!(class("(mut b, mut first) = (0.0, true)", flag), BEST);
}

#[test]
fn the_first_match() {
    for body in [
        "at = at.or_else(|| if x[i] > 7.0 { Some(i) } else { None });",
        "match at { Some(_) => {} None if x[i] > 7.0 => at = Some(i), None => {} }",
    ] {
        assert_eq!(class("mut at: Option<usize> = None", body), FIRST, "{body}");
    }
    let flag = "if x[i] > 7.0 { if found { continue; } found = true; at = i; }";
    assert_eq!(class("(mut found, mut at) = (false, 0)", flag), FIRST);
}

#[test]
fn values_that_say_that_there_is_none() {
    for body in
        ["if at == 77 || x[i] < b { b = x[i]; at = i; }", "if at != 77 && x[i] >= b { continue; } b = x[i]; at = i;"]
    {
        assert_eq!(class("(mut b, mut at) = (0.0, 77)", body), BEST, "{body}");
    }
    for body in
        ["if at < 0 && x[i] > 7.0 { at = i as i64; }", "if x[i] > 7.0 { if at >= 0 { continue; } at = i as i64; }"]
    {
        assert_eq!(class("mut at = -1", body), FIRST, "{body}");
    }
}

#[test]
fn ties() {
    for body in [
        "if x[i] < b || x[i] == b && i < at { b = x[i]; at = i; }",
        "if x[i] < b { b = x[i]; at = i; } else if x[i] == b && i > at { b = x[i]; at = i; }",
        "if (x[i], i) < (b, at) { b = x[i]; at = i; }",
        "match x[i].total_cmp(&b) { std::cmp::Ordering::Less => { b = x[i]; at = i; } _ => {} }",
    ] {
        assert_eq!(class("(mut b, mut at) = (0.0, 77)", body), BEST, "{body}");
    }
}

#[test]
fn loops_that_keep_something_else() {
    let pair = "(mut b, mut n) = (9.0, 0)";
    for (variables, body) in [
        // Other candidates where there is no value, and where there is one.
        (
            "mut best: Option<f64> = None",
            "match best {
                None => if x[i] > 0.0 { best = Some(x[i]); },
                Some(b) => if x[i] > 1.0 && x[i] < b { best = Some(x[i]); }
             }",
        ),
        ("mut best: Option<f64> = None", "best = match best { Some(b) if b < x[i] => None, _ => Some(x[i]) };"),
        // Not all variables are set.
        (pair, "let c = x[i] < b; if c { b = x[i]; if x[i] > 0.0 { n = i; } }"),
        (pair, "let c = x[i] < b; if c { b = x[i]; n += 1; }"),
        // Another key than the compared one.
        (pair, "let c = x[i] < b; if c { b = x[n]; }"),
        (pair, "let mut v = x[i]; let c = v < b; v += 1.0; if c { b = v; n = i; }"),
        (pair, "let c = x[i] < b; if c || x[i] > 100.0 { b = x[i]; n = i; }"),
        (pair, "let c = x[i] == b; if c { b = x[i]; n = i; }"),
        // Both keys must be better.
        (pair, "if x[i] < b && i < n { b = x[i]; n = i; }"),
        (pair, "if x[i] < b || i < n { b = x[i]; n = i; }"),
        (pair, "if x[i] < b || x[i] == b && i < n { b = x[i]; n = i + 1; }"),
        // Other values say that there is none.
        (pair, "if n == 7 || n == 8 || x[i] < b { b = x[i]; n = i; }"),
        (pair, "if n == i || x[i] < b { b = x[i]; n = i; }"),
        (pair, "if x[i] > 0.0 { if i == 0 || x[i] < b { b = x[i]; n = i; } }"),
    ] {
        let found = class(variables, body);
        assert!(found.starts_with("FA0"), "{body}: {found}");
    }
}

/// The class of the variables of a scan over `x`, whose iterations write one of them.
fn scanned(variables: &str, body: &str) -> String {
    classes(&format!(
        "#[distributed_scan] fn f(x: &[u64], out: &mut [u64]) {{ let {variables}; for i in 0..x.len() {{ {body} }} }}"
    ))
}

#[test]
fn iterations_of_a_scan_read_the_best_values() {
    let pair = "(mut b, mut at) = (9, 0)";
    for body in [
        "if x[i] < b { b = x[i]; at = i; } out[i] = at;",
        "let c = x[i] < b; if c { b = x[i]; at = i; } out[i] = at;",
        "(b, at) = if x[i] < b { (x[i], i) } else { (b, at) }; let d = at - i; out[i] = d;",
        "out[i] = b; if x[i] < b { b = x[i]; at = i; }",
        "if i > 3 && x[i] > b { out[i] = 1; } match x[i].cmp(&b) { std::cmp::Ordering::Less => { b = x[i]; at = i; } _ => {} }",
        "for j in 0..3 { if x[i] < j { continue; } let v = x[i] + j; if v < b { b = v; at = i; } } out[i] = at;",
        "if x[i] > 7 { if x[i] < b { b = x[i]; at = i; } } out[i] = at;",
    ] {
        let found = scanned(pair, body);
        assert!(found.starts_with("map, scan"), "{body}: {found}");
    }
    let option = "mut best: Option<u64> = None";
    let body = "best = best.filter(|b| !(x[i] < *b)).or(Some(x[i])); out[i] = best.unwrap();";
    assert_eq!(scanned(option, body), "map, scan");
    let body = "match at { None if x[i] > 7 => at = Some(i), _ => {} } out[i] = at.unwrap();";
    assert_eq!(scanned("mut at: Option<usize> = None", body), "map, scan");
    // Floats need not compare: this is a recurrence.
    let body = "most = if x[i] < most { most } else { x[i] }; out[i] = most;";
    assert_eq!(scanned("mut most = 0", body), "map, recurrence of `+` within bounds");
    for body in [
        // Another variable that the values before decide about.
        "let c = x[i] < b; if c { b = x[i]; at += 1; } out[i] = at;",
        "if x[i] >= b { continue; } b = x[i]; at += 1; out[i] = at;",
        // The values after the chunk depend on an update in between.
        "if x[i] < b { b = x[i]; out[i] = 1; }",
        "b = if x[i] < b { x[i] } else { b + 1 }; out[i] = b;",
    ] {
        let found = scanned(pair, body);
        assert!(found.starts_with("FA0"), "{body}: {found}");
    }
}

/// The class of the variables of a traversal.
fn traversed(body: &str) -> String {
    let text = format!("fn visit(#[replicated] nodes: &[Node], k: usize, b: &mut f64, at: &mut usize) {{ {body} }}");
    let item: proc_macro2::TokenStream = text.parse().unwrap();
    let mut report = crate::ir::report::Report::default();
    let attribute = crate::front::attribute::Attribute::Traverse;
    let stay = crate::front::chains::Chains::Stay;
    let function = crate::front::function::Function::parse(attribute, stay, Default::default(), item, &mut report);
    let found = crate::check::traversals::traversal(&function.unwrap(), &mut report);
    match found.filter(|_| report.is_empty()) {
        Some(found) => found.body.classes(),
        None => report.codes().iter().map(|code| code.name()).collect::<Vec<_>>().join(", "),
    }
}

#[test]
fn calls_keep_the_best_values() {
    let calls = "visit(nodes, nodes[k].left, b, at); visit(nodes, nodes[k].right, b, at);";
    for body in [
        "let v = nodes[k].value; if v < *b { *b = v; *at = k; }",
        "let v = nodes[k].value; let c = v < *b; if c { *b = v; *at = k; }",
        "let v = nodes[k].value; (*b, *at) = if v < *b { (v, k) } else { (*b, *at) };",
    ] {
        assert_eq!(traversed(&format!("{body} {calls}")), BEST, "{body}");
        assert_eq!(traversed(&format!("{calls} {body}")), BEST, "{body}");
    }
    for body in [
        // Another call is between the comparison and the assignment, or depends on the comparison.
        format!("let v = nodes[k].value; let c = v < *b; {calls} if c {{ *b = v; *at = k; }}"),
        format!("let v = nodes[k].value; if v >= *b {{ return; }} *b = v; *at = k; {calls}"),
        format!("let v = nodes[k].value; if v < *b {{ *b = v; *at = k; {calls} }}"),
    ] {
        let found = traversed(&body);
        assert!(found.starts_with("FA0"), "{body}: {found}");
    }
}

#[test]
fn code_is_compared_word_by_word() {
    let joined = |code: &str| super::value::joined(&code.parse().unwrap());
    assert_eq!(joined("v as f64 + w . x"), "v as f64+w.x");
    assert_ne!(joined("v as f64"), joined("vasf64"));
    let with = super::value::with;
    assert_eq!(with("a+aa*a_2-a.x", "a", "b"), "b+aa*a_2-b.x");
    assert_eq!(with("-a", "a", "b+c"), "-(b+c)");
    assert_eq!(with("a", "a", "b+c"), "b+c");
}
