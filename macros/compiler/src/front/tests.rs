//! One form for each meaning: a body before and after; and the forms of patterns and items.

mod macros;

use super::attribute::Attribute;
use super::canonical::canonical;
use super::chains::Chains;
use super::lower::Lower;
use crate::ir::report::Report;
use crate::ir::{Binding, Form, Item, Pattern, StatementKind};
use crate::resolve::{Writer, resolve};
use crate::testing::text;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;

/// The function has the parameters `n`, `x`, `y`, `r` and `out`.
#[track_caller]
fn normalized(before: &str, expected: &str) {
    let body: TokenStream = before.parse().unwrap();
    let mut function: syn::ImplItemFn = syn::parse_quote!(
        fn f(n: usize, x: &[i64], y: &[i64], r: std::ops::Range<usize>, out: &mut [i64]) { #body }
    );
    let resolved = resolve(&mut function, &[], Writer::User, &mut Report::default());
    let expected: TokenStream = expected.parse().unwrap();
    assert_eq!(
        text(
            canonical(&function.sig, &function.block, (Attribute::KaryReduce, Chains::AreLoops), &resolved.words).block
        ),
        text(quote!({ #expected })),
        "{before}"
    );
}

#[track_caller]
fn stays(body: &str) {
    normalized(body, body);
}

#[test]
fn choices_become_assignments_under_conditions() {
    normalized("a = if c { e } else { a };", "if c { a = e; };");
    normalized("a = if c { a + 1 } else { a };", "if c { a = a + 1; };");
    normalized("a = match c { 0 => a, k => k };", "match c { 0 => {}, k => { a = k; }, };");
    stays("a = if c { e } else { b };");
    normalized("(a, b) = (e, g);", "a = e; b = g;");
    stays("(a, b) = (b, a);");
    stays("(a, a) = (1, 2);");
}

#[test]
fn next_values_need_no_name() {
    normalized("let t = a + v; a = t;", "a = (a + v);");
    // It is used again, or has side effects, or may panic where it is not used.
    stays("let t = a + v; a = t; out[0] = t;");
    stays("let t = a + f(); a = t;");
    stays("let t = a / v; if v > 0 { a = t; }");
}

#[test]
fn ranges_with_names_are_ranges() {
    normalized("let s = 1..n; for i in s { out[i] = 0; }", "let s = 1..n; for i in (s.start..s.end) { out[i] = 0; }");
    normalized("for i in r.clone() { out[i] = 0; }", "for i in (r.start..r.end) { out[i] = 0; }");
    normalized("let s = 1..=n; for i in s.rev() {}", "let s = 1..=n; for i in (*s.start()..=*s.end()).rev() {}");
    // It may have been counted through.
    stays("let mut s = 1..n; s.next(); for i in s {}");
    // Another variable of the name is another range.
    normalized(
        "let s = 1..n; { let s = &x[s.clone()]; for v in s {} } for i in s {}",
        "let s = 1..n; { let s_2 = &x[s.clone()]; for v in s_2 {} } for i in (s.start..s.end) {}",
    );
}

#[test]
fn calls_for_each_item_are_loops() {
    normalized("x.iter().for_each(|v| s += v);", "for v in x.iter() { s += v; }");
    normalized("(0..n).for_each(|i| { out[i] = 0; });", "for i in (0..n) { out[i] = 0; }");
    normalized("(0..4).for_each(|k: i64| { s += k; });", "for k in (0..4) { let _: i64 = k; s += k; }");
    stays("x.iter().for_each(f);");
    stays("g(x).for_each(|v| s += v);");
}

#[test]
fn variables_of_items_are_others() {
    let item = "struct S; impl S { fn f(x: &[i64]) { let c = x.chunks(4); let t = 0..3; const K: usize = 3; } }";
    stays(&format!("{item} let c = g(x); for p in c {{}}"));
    stays(&format!("{item} let t = g(x); for p in t {{}}"));
    let block: syn::Block =
        syn::parse_str(&format!("{{ {item} const L: usize = 2 * M; const M: usize = 3; }}")).unwrap();
    let constants = crate::front::constants::constants(&block);
    assert_eq!(
        ["K", "L", "M"].map(|name| constants.get(&crate::ir::Local::named(name)).copied()),
        [None, Some(6), Some(3)]
    );
}

#[test]
fn fields_get_names_in_front_of_loops() {
    normalized(
        "for v in &s.data {} for (p, q) in s.a.iter_mut().zip(&s.data) {}",
        "{ let __field_data_1 = &s.data; for v in __field_data_1 {} } \
         { let __field_data_2 = &s.data; let __field_a_1 = &mut s.a; \
           for (p, q) in __field_a_1.iter_mut().zip(__field_data_2) {} }",
    );
    stays("for i in 0..n { for v in &s.data {} }");
    normalized(
        "for v in &mut s.data {}",
        "{ let __field_data_1 = &mut s.data; for v in __field_data_1.iter_mut() {} }",
    );
}

#[test]
fn fields_that_loops_write_get_names() {
    normalized(
        "for i in 0..s.data.len() { s.data[i] += s.next[i] * s.step; s.count += 1; }",
        "{ let __field_count_1 = &mut s.count; let __field_data_1 = &mut s.data; let __field_next_1 = &s.next; \
           let __field_step_1 = &s.step; \
           for i in 0..__field_data_1.len() \
           { __field_data_1[i] += __field_next_1[i] * (*__field_step_1); (*__field_count_1) += 1; } }",
    );
    // A method may read the same field, one field is a part of the other, and the struct is another one in each iteration.
    stays("for i in 0..n { s.data[i] = s.at(i); }");
    stays("for i in 0..n { s.grid.data[i] = i; g(&s.grid); }");
    stays("for i in 0..n { let p = &mut t[i]; p.data[i] = i; }");
    stays("for i in 0..n { s.bins[0] += x[i]; }");
}

#[test]
fn chains_over_slices_are_loops() {
    normalized(
        "let s: i64 = x.iter().zip(y).map(|(a, b)| a * b).sum();",
        "let mut __sum_1: i64 = 0; for (a, b) in x.iter().zip(y) { __sum_1 += a * b; } let s: i64 = __sum_1;",
    );
    normalized(
        "let c = n + x.iter().filter(|v| **v > 2).count();",
        "let mut __count_1 = 0_usize; for __item_1 in x.iter() { if *__item_1 > 2 { __count_1 += 1; } } let c = n + __count_1;",
    );
    normalized(
        "g(x.iter().any(|v| *v > 2));",
        "let mut __any_1 = false; for v in x.iter() { if !__any_1 && (*v > 2) { __any_1 = true; } } g(__any_1);",
    );
    normalized(
        "let (a, b) = x.iter().fold((0, 1), |(a, b), v| (a + v, b * v));",
        "let (mut a_2, mut b_2) = (0, 1); for v in x.iter() { a_2 = a_2 + v; b_2 = b_2 * v; } let (a, b) = (a_2, b_2);",
    );
    // The type of the sum is unknown, and the chain may not run, or only after something else.
    stays("let s = g(x.iter().map(|v| h(v)).sum());");
    stays("let s = c && x.iter().any(|v| *v > 2);");
    stays("let s = g(&mut n) + x.iter().sum::<i64>();");
    stays("let s = x.iter().map(|v| { if *v > 2 { return 1; } 2 }).sum::<i64>();");
    stays("let s = t.iter().sum::<i64>();");
    stays("for i in 0..n { out[i] = x.iter().sum::<i64>(); }");
}

#[test]
fn parts_of_written_slices_are_splits() {
    normalized(
        "let out = &mut out[1..n]; for o in out.iter_mut() { *o = 0; }",
        "let __start_of_out_2_1 = 1; let __end_of_out_2_1 = n; \
         let __length_of_out_2_1 = ::forall::__private::part_of(out.len(), __start_of_out_2_1..__end_of_out_2_1); \
         let (__rest_of_out_2_1, __back_of_out_2_1) = out.split_at_mut(__length_of_out_2_1); \
         let (__front_of_out_2_1, out_2) = __rest_of_out_2_1.split_at_mut(__start_of_out_2_1); \
         for o in out_2.iter_mut() { *o = 0; }",
    );
    stays("for i in 0..n { let o = &mut out[i..]; o[0] = 1; }");
    stays("let all = &mut t[..]; let part = &mut t[1..];");
}

#[test]
fn additions_at_several_indices_are_several_loops() {
    let passes = |body: &str| {
        let mut block: syn::Block = syn::parse_str(&format!("{{ {body} }}")).unwrap();
        let slices = ["r", "s"].map(crate::ir::Local::named).into_iter().collect();
        super::passes::split_passes(&mut block, &slices).then(|| text(block))
    };
    let split = |body: &str, expected: &str| {
        let expected: syn::Block = syn::parse_str(&format!("{{ {expected} }}")).unwrap();
        assert_eq!(passes(body), Some(text(expected)), "{body}");
    };
    split(
        "for e in 0..n { let h = x[e]; r[e] += h; r[e + 1] -= h; }",
        "for e in 0..n { let h = x[e]; let _ = h; let _ = e; r[e + 1] -= h; } for e in 0..n { let h = x[e]; r[e] += h; }",
    );
    for body in [
        "for e in 0..n { r[e] += x[e]; }",
        "for e in 0..n { r[e] += x[e]; r[e + 1] = x[e]; }",
        "for e in 0..n { r[e] += x[e]; r[e + 1] += r[e]; }",
        "for e in 0..n { r[n - e] += x[e]; r[n - e + 1] += x[e]; }",
        "for e in 0..n { r[e] += x[e]; r[2 * e] += x[e]; }",
        "for e in 0..n { r[e] += x[e]; r[k - e] += x[e]; }",
        "for e in 0..n { c += 1; r[e] += c; r[e + 1] += c; }",
        "for e in 0..n { r[e] += x[e]; t[e + 1] += x[e]; }",
    ] {
        assert_eq!(passes(body), None, "{body}");
    }
}

#[test]
fn iterators_with_names_go_where_they_are_used() {
    normalized("let c = x.chunks(4); for p in c { g(p); }", "for p in x.chunks(4) { g(p); }");
    normalized(
        "let c = x.iter(); let d = y.iter(); for (p, q) in c.zip(d) {}",
        "for (p, q) in x.iter().zip(y.iter()) {}",
    );
    // What it is made of changes before the loop.
    stays("let mut k = 4; let c = x.chunks(k); k = 2; for p in c { g(p, k); }");
    stays("let mut c = x.iter(); c.next(); for p in c {}");
}

#[test]
fn closures_that_read_slices_or_compute_go_into_loops() {
    normalized(
        "let at = |i: usize| x[i]; for i in 0..n { out[i] = at(i); }",
        "for i_2 in 0..n { let at = |i: usize| x[i]; out[i_2] = at(i_2); }",
    );
    normalized(
        "let at = |i: usize, j: usize| j * w + i; for i in 0..n { out[at(i, 0)] = 1.0; }",
        "for i_2 in 0..n { let at = |i: usize, j: usize| j * w + i; out[at(i_2, 0)] = 1.0; }",
    );
    stays("let at = move |i: usize| i + w; w = 2; for j in 0..n { out[at(j)] = 1.0; }");
    stays("let twice = |v: i64| 2 * v; for i in 0..n { out[i] = twice(x[i]); }");
    stays("let mut at = |i: usize| { k += 1; x[i] }; for j in 0..n { out[j] = at(j); }");
}

/// A pattern's form, without its tokens.
fn form(pattern: &Pattern) -> String {
    let all = |parts: &[Pattern]| parts.iter().map(form).collect::<Vec<_>>().join(" ");
    match &pattern.form {
        Form::Any => "any".to_owned(),
        Form::Rest => "rest".to_owned(),
        Form::Name(Binding { name, mutable, refers }, inner) => {
            let inner = inner.as_ref().map(|inner| format!("@{}", form(inner))).unwrap_or_default();
            format!("{}{}{name}{inner}", if *refers { "ref " } else { "" }, if *mutable { "mut " } else { "" })
        }
        Form::Reference(inner) => format!("&{}", form(inner)),
        Form::Tuple(parts) => format!("({})", all(parts)),
        Form::Slice(parts) => format!("[{}]", all(parts)),
        Form::Struct(fields) => {
            let fields = fields.iter().map(|(name, part)| format!("{name}={}", form(part)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(" "))
        }
        Form::Variant(name, parts) => format!("{name}({})", all(parts)),
        Form::Value(value) => format!("value {}", value.text()),
        Form::Range(from, to, inclusive) => {
            let [from, to] = [from, to].map(|end| end.as_ref().map(|end| end.text()).unwrap_or_default());
            format!("{from}{}{to}", if *inclusive { "..=" } else { ".." })
        }
        Form::Or(cases) => cases.iter().map(form).collect::<Vec<_>>().join("|"),
        Form::Other => "other".to_owned(),
    }
}

#[test]
fn patterns_are_data() {
    for (pattern, expected, names) in [
        ("_", "any", ""),
        ("mut a", "mut a", "a"),
        ("ref a", "ref a", "a"),
        ("(a, (ref mut b), ..)", "(a ref mut b rest)", "a b"),
        ("&[first, rest @ .., _]", "&[first rest@rest any]", "first rest"),
        ("Point { x, y: Some(v), .. }", "{x=x y=Some(v)}", "x v"),
        ("a::Pair(l, 3)", "Pair(l value 3)", "l"),
        ("whole @ (-1 | 2..=N)", "whole@value - 1|2..=N", "whole"),
        ("Some(a) | b::Both(a, _)", "Some(a)|Both(a any)", "a a"),
        ("i32::MAX", "value i32 :: MAX", ""),
        ("mine!(a)", "other", ""),
    ] {
        let parsed = syn::Pat::parse_multi_with_leading_vert.parse_str(pattern).unwrap();
        let lowered = Lower::default().pattern(&parsed);
        let bound: Vec<&str> = lowered.names.iter().map(|binding| binding.name.text()).collect();
        assert_eq!((form(&lowered), bound.join(" ")), (expected.to_owned(), names.to_owned()), "{pattern}");
    }
}

#[test]
fn the_names_of_a_use_have_their_paths() {
    let block: syn::Block = syn::parse_str("{ use ::a::{b, c::{d as e, f}}; use g::*; use h::{self, i}; }").unwrap();
    let uses = Lower::default().block(&block).statements.into_iter().map(|statement| match statement.kind {
        StatementKind::Item(Item::Use(names, all)) => {
            let names = names.iter().map(|(name, path)| format!("{name}={path}").replace(' ', ""));
            (names.collect::<Vec<_>>().join(" "), all)
        }
        other => panic!("{other:?}"),
    });
    let expected = [("b=::a::b e=::a::c::d f=::a::c::f", true), ("", false), ("", false)];
    assert_eq!(uses.collect::<Vec<_>>(), expected.map(|(names, all)| (names.to_owned(), all)));
}

#[test]
fn names_of_elements_become_elements_with_the_index_held() {
    let (before, after) = (
        "for i in 0..n { let s = &mut out[y[i]]; *s += x[i]; }",
        "for i in 0..n { let __place_0 = y[i]; out[__place_0] += x[i]; }",
    );
    normalized(before, after);
    normalized(
        "let mut sums = a; for i in 0..n { let (s, c) = (&mut sums[i].part[2], &mut out[i]); s.n += 1; c[0] += s[*c]; }",
        "let mut sums = a; for i in 0..n { let __place_0 = i; let __place_1 = 2; let __place_2 = i; \
         sums[__place_0].part[__place_1].n += 1; \
         out[__place_2][0] += sums[__place_0].part[__place_1][out[__place_2]]; }",
    );
    normalized(
        "for i in 0..n { let s = &mut out[i]; if c { for d in 0..3 { s[d] += 1; } } }",
        "for i in 0..n { let __place_0 = i; if c { for d in 0..3 { out[__place_0][d] += 1; } } }",
    );
    // std's `push` of a reference comes first, and other methods may be a trait's.
    normalized(
        "for i in 0..n { let s = &mut out[i]; s.push(1); }",
        "for i in 0..n { let __place_0 = i; out[__place_0].push(1); }",
    );
    stays("for i in 0..n { let s = &mut out[i]; *s = s.max(1); }");
    // Another variable or a function may change the element; a part of a slice is no element.
    stays("for i in 0..n { let s = &mut out[i]; f(s); }");
    stays("for i in 0..n { let s = &mut out[i]; assert!(s.n > 0); s.n += 1; }");
    stays("for i in 0..n { let s = &mut out[..i]; s[0] += 1; }");
    stays("for i in 0..n { let s: *mut i64 = &mut out[i]; *s += 1; }");
    stays("for i in 0..n { let mut own = [0; 3]; let s = &mut own[i]; *s += 1; }");
    stays("let s = &mut out[0]; *s += 1;");
}
