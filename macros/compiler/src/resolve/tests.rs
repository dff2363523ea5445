//! Bodies before and after: `resolved("let i = 1; let i = i;", "let i = 1; let i_2 = i;")`.

use super::{PathOfAttribute, Writer, resolve};
use crate::ir::report::{Code, Report};
use crate::testing::text;
use proc_macro2::TokenStream;
use quote::quote;

/// The resolved body, and the codes of rejected code. The function has the parameters `n`, `x` and `out`.
fn after(body: &str) -> (String, Vec<Code>) {
    let body: TokenStream = body.parse().unwrap();
    let mut function = syn::parse_quote!(fn f(n: usize, x: &[f64], out: &mut [f64]) { #body });
    let mut report = Report::default();
    let attribute = [(quote!(combine_of), true), (quote!(init_of), false), (quote!(AccOf::new), false)];
    let attribute = attribute.map(|(path, is_combine)| PathOfAttribute { path, is_combine });
    resolve(&mut function, &attribute, Writer::User, &mut report);
    let block = &function.block;
    (text(quote!(#block)), report.codes())
}

#[track_caller]
fn resolved(before: &str, expected: &str) {
    let (found, codes) = after(before);
    let expected: TokenStream = expected.parse().unwrap();
    assert_eq!(found, text(quote!({ #expected })));
    assert_eq!(codes, []);
}

/// Each variable has its own name already.
#[track_caller]
fn same(body: &str) {
    resolved(body, body);
}

#[track_caller]
fn refused(body: &str) {
    assert_eq!(after(body).1, [Code::FA022]);
}

#[test]
fn declarations() {
    same("let i = 1; let j = i; j");
    resolved("let i = 1; let i = i + 1; i", "let i = 1; let i_2 = i + 1; i_2");
    resolved("let n = n / 2; n", "let n_2 = n / 2; n_2");
    resolved("let i = { let i = 1; i }; i", "let i = { let i_2 = 1; i_2 }; i");
    resolved("{ let i = 1; i } { let i = 2; i }", "{ let i = 1; i } { let i_2 = 2; i_2 }");
    resolved("let (i, j) = (1, 2); let (j, i) = (i, j);", "let (i, j) = (1, 2); let (j_2, i_2) = (i, j);");
    resolved("let i_2 = 1; let i = 1; let i = i;", "let i_2 = 1; let i = 1; let i_3 = i;");
    resolved("let i; { let i = 1; } i = 2;", "let i; { let i_2 = 1; } i = 2;");
    resolved("let i: [u8; i] = i; let i = 1;", "let i_2: [u8; i] = i; let i_3 = 1;");
}

#[test]
fn patterns() {
    resolved("let [a, .., b] = n; let P { a, b: c } = a;", "let [a, .., b] = n; let P { a: a_2, b: c } = a;");
    same("let P { a, ref b, mut c } = n; a + b + c");
    resolved("let a = 1; let P { a } = a; Q { a }", "let a = 1; let P { a: a_2 } = a; Q { a: a_2 }");
    same("match n { 0 | 1 => 0, k @ 2..=9 => k, k2 => k2 }");
    resolved("match n { k @ 0 => k, k => k }", "match n { k @ 0 => k, k_2 => k_2 }");
    same("match n { A(k) | B(k, _) => k, C { k: j, .. } => j }");
    same("if let Some(N) = n { N }");
    same("let N = 1; N");
    resolved("let N = 1; match n { N => N }", "let N = 1; match n { N_2 => N_2 }");
    resolved(
        "let k = 1; match n { Some(k) if k > 0 => k, _ => k }",
        "let k = 1; match n { Some(k_2) if k_2 > 0 => k_2, _ => k }",
    );
    resolved("let k = 1; match k { k => k } k", "let k = 1; match k { k_2 => k_2 } k");
    resolved("let k = 1; let a @ (b, k) = k;", "let k = 1; let a @ (b, k_2) = k;");
    same("let Some(k) = n else { return; }; k");
    resolved(
        "let k = 1; let Some(k) = k else { return k; }; k",
        "let k = 1; let Some(k_2) = k else { return k; }; k_2",
    );
}

#[test]
fn patterns_compare_with_constants() {
    same("const k: u8 = 1; match n { k => 0, j => j }");
    same("if let Some(k) = n { k } const k: u8 = 1;");
    same("const k: u8 = 1; let Some(k) = n else { return; }; matches!(n, k)");
    resolved("{ const k: u8 = 1; match n { k => k } } k", "{ const k_2: u8 = 1; match n { k_2 => k_2 } } k");
    same("struct done; match n { (done, k) => k }");
    // Variables hide constants, and functions are no constants.
    resolved("const k: u8 = 1; let k = 2; match n { k => k }", "const k: u8 = 1; let k_2 = 2; match n { k_3 => k_3 }");
    resolved("const k: u8 = 1; match n { k @ 3 => k, _ => k }", "const k: u8 = 1; match n { k_2 @ 3 => k_2, _ => k }");
    resolved("fn k() {} match n { k => k } k()", "fn k() {} match n { k_2 => k_2 } k()");
    // Only rustc knows what is imported.
    let check =
        "const _: () = match (::forall::__private::obligations::Fa022ANameInAPatternIsNoConstant,) { (k,) => {} };";
    resolved("use a::k; match n { k => k }", &format!("{check} use a::k; match n {{ k_2 => k_2 }}"));
    resolved(
        "{ use a::k; if let Some(k) = n { k } }",
        &format!("{{ {check} use a::k; if let Some(k_2) = n {{ k_2 }} }}"),
    );
}

#[test]
fn conditions() {
    resolved("let s = 1; if let Some(s) = s { s } else { s }", "let s = 1; if let Some(s_2) = s { s_2 } else { s }");
    resolved(
        "let s = 1; if let Some(s) = s && let Some(s) = s && s > 0 { s } else { s }",
        "let s = 1; if let Some(s_2) = s && let Some(s_3) = s_2 && s_3 > 0 { s_3 } else { s }",
    );
    resolved(
        "let s = 1; if { if let Some(s) = s { s > 0 } else { false } } { s }",
        "let s = 1; if { if let Some(s_2) = s { s_2 > 0 } else { false } } { s }",
    );
    resolved(
        "let s = 1; if a || (s > 0 && b) { let s = s; s } s",
        "let s = 1; if a || (s > 0 && b) { let s_2 = s; s_2 } s",
    );
    resolved(
        "let s = 1; while let Some(s) = s.next() && s > 0 { s } s",
        "let s = 1; while let Some(s_2) = s.next() && s_2 > 0 { s_2 } s",
    );
    resolved(
        "let s = 1; if a {} else if let Some(s) = s { s } else { s }",
        "let s = 1; if a {} else if let Some(s_2) = s { s_2 } else { s }",
    );
    resolved(
        "match n { Some(s) if let Some(s) = s && s > 0 => s, _ => 0 }",
        "match n { Some(s) if let Some(s_2) = s && s_2 > 0 => s_2, _ => 0 }",
    );
}

#[test]
fn loops_and_labels() {
    resolved("for i in 0..i { let i = i / 2; out[i] }", "for i_2 in 0..i { let i_3 = i_2 / 2; out[i_3] }");
    resolved("let i = 3; for i in 0..i { i } i", "let i = 3; for i_2 in 0..i { i_2 } i");
    resolved("for i in 0..n {} for i in 0..n { i }", "for i in 0..n {} for i_2 in 0..n { i_2 }");
    same("'a: for i in 0..n { 'b: loop { break 'b; } continue 'a; }");
    resolved(
        "'a: loop { 'a: while c { break 'a; } break 'a; }",
        "'a: loop { 'a_2: while c { break 'a_2; } break 'a; }",
    );
    resolved("'a: { break 'a 1 } 'a: { break 'a 2 }", "'a: { break 'a 1 } 'a_2: { break 'a_2 2 }");
    resolved("let a = 1; 'a: loop { break 'a; } let a = a;", "let a = 1; 'a: loop { break 'a; } let a_2 = a;");
}

#[test]
fn closures() {
    resolved("let k = 1; let f = |k: u32| k + 1; f(k)", "let k = 1; let f = |k_2: u32| k_2 + 1; f(k)");
    resolved("let k = 1; let f = || k; let k = 2; f() + k", "let k = 1; let f = || k; let k_2 = 2; f() + k_2");
    resolved(
        "x.iter().map(|v| v).zip(y.map(|v| { let v = v; v }))",
        "x.iter().map(|v| v).zip(y.map(|v_2| { let v_3 = v_2; v_3 }))",
    );
    resolved("|(a, b), &c| a + b + c + d(a)", "|(a, b), &c| a + b + c + d(a)");
    resolved("let k = 1; async { let k = k; k }; k", "let k = 1; async { let k_2 = k; k_2 }; k");
    resolved("let k = 1; unsafe { let k = k; k }", "let k = 1; unsafe { let k_2 = k; k_2 }");
}

#[test]
fn items() {
    same("const K: usize = 1; out[K]");
    // An item is seen before it is written.
    resolved("let k = 1; { out[k]; const k: usize = 0; } k", "let k = 1; { out[k_2]; const k_2: usize = 0; } k");
    resolved(
        "{ const K: usize = 1; K } { const K: usize = 2; K } ",
        "{ const K: usize = 1; K } { const K_2: usize = 2; K_2 }",
    );
    resolved("{ const K: usize = 1; K } K", "{ const K_2: usize = 1; K_2 } K");
    resolved("const K: usize = 1; let K = 2; K", "const K: usize = 1; let K_2 = 2; K_2");
    resolved("fn g(n: usize) -> usize { n } g(n)", "fn g(n_2: usize) -> usize { n_2 } g(n)");
    resolved("{ fn g() {} g() } { fn g() {} g() }", "{ fn g() {} g() } { fn g_2() {} g_2() }");
    resolved("let g = 1; { g(); fn g() {} }", "let g = 1; { g_2(); fn g_2() {} }");
    resolved("static S: u8 = 0; { static S: u8 = 1; S } S", "static S: u8 = 0; { static S_2: u8 = 1; S_2 } S");
    resolved("const K: usize = 1; match n { K => 0, _ => 1 }", "const K: usize = 1; match n { K => 0, _ => 1 }");
    resolved(
        "let a = 1; let b = { const a: u8 = 2; [0; a as usize] };",
        "let a = 1; let b = { const a_2: u8 = 2; [0; a_2 as usize] };",
    );
    same("use std::cmp::min; min(n, 1)");
    resolved("use std::cmp::min; let min = min(n, 1); min", "use std::cmp::min; let min_2 = min(n, 1); min_2");
    same("struct S(u8); S(1); impl S { fn f(n: u8) {} }");
    same("#[forall::foreach] fn g(n: usize) { let n = n; } g(n)");
    resolved("fn g<T, const M: usize>(a: T) -> T { a }", "fn g<T, const M: usize>(a: T) -> T { a }");
}

#[test]
fn names_from_outside_stay() {
    resolved("let k = min(n, 1); let min = k; min", "let k = min(n, 1); let min_2 = k; min_2");
    same("let k = cmp::min(n, 1); let cmp = k; let S = Self::K; S::<u8>::new(crate::x)");
    resolved("{ let x0 = 1; x0 } x0", "{ let x0_2 = 1; x0_2 } x0");
    same("x.len(); let len = 1; x.len; len");
    same("let r#type = 1; r#type");
    resolved("let r#type = 1; let r#type = r#type;", "let r#type = 1; let type_2 = r#type;");
}

#[test]
fn items_that_have_the_name_of_something_else_are_refused() {
    refused("{ struct S; impl S { const K: usize = 0; } out[S::K]; } S::K");
    refused("{ use a::min; min(1, 2); } min(3, 4)");
    refused("{ type u64 = u8; 1 as u64; } 2 as u64");
    refused("{ struct S; } { struct S; }");
    refused("for i in 0..n { mod m {} m::f(); } m::f()");
    refused("{ enum E { A } E::A; } E::A");
}

#[test]
fn macros_of_std() {
    resolved(
        "let k = 1; let k = k; assert!(k > 0, \"{k} {}\", k)",
        "let k = 1; let k_2 = k; assert!(k_2 > 0, \"{k_2} {}\", k_2)",
    );
    resolved(
        "let w = 1; let w = w; println!(\"{w:w$.w$} {{w}} {w:>0w$} {} {v:?}\", w, v = w)",
        "let w = 1; let w_2 = w; println!(\"{w_2:w_2$.w_2$} {{w}} {w_2:>0w_2$} {} {v:?}\", w_2, v = w_2)",
    );
    resolved("let q = 1; matches!(q, Some(q) if q > 0) && q", "let q = 1; matches!(q, Some(q_2) if q_2 > 0) && q");
    resolved("let k = 1; let k = k; vec![{ k }; k]", "let k = 1; let k_2 = k; vec![{ k_2 }; k_2]");
    resolved("let k = 1; vec![{ let k = 2; k }, k]", "let k = 1; vec![{ let k_2 = 2; k_2 }, k]");
    same("panic!(\"no {n}\")");
    // No format strings, which rustc reports.
    same("println!(\"{n:→n$} {n:\", n)");
    // It says what is written.
    resolved("let n = n; assert!(n > 0)", "let n_2 = n; assert!(n_2 > 0, \"assertion failed: n > 0\")");
    resolved(
        "let n = n; assert_eq!(n, 0); assert!(n > 0, \"no\")",
        "let n_2 = n; assert_eq!(n_2, 0); assert!(n_2 > 0, \"no\")",
    );
    resolved(
        "let k = 1; { let k = 2; assert_eq!(\"{k}\", k, \"{k}\") }",
        "let k = 1; { let k_2 = 2; assert_eq!(\"{k}\", k_2, \"{k_2}\") }",
    );
}

#[test]
fn other_macros_are_handed_names() {
    resolved("let k = 1; { let k = 2; m!(k) }", "let k_2 = 1; { let k = 2; m!(k) }");
    resolved("let k = 1; { let k = 2; info!(\"{k}\") } k", "let k = 1; { let k_2 = 2; info!(\"{k_2}\") } k");
    resolved(
        "let k = 1; { let k = 2; m!({\"k\": 1}, \"{k} }\") } k",
        "let k = 1; { let k_2 = 2; m!({\"k\": 1}, \"{k} }\") } k",
    );
    resolved("let k = 1; m!(a.k, 0..k); { let k = k; k }", "let k = 1; m!(a.k, 0..k); { let k_2 = k; k_2 }");
    resolved(
        "{ let k = 1; m!(k); } { let k = 2; m!(k, [k]); }",
        "{ let k = 1; m!(k); } { let k_2 = 2; m!(k_2, [k_2]); }",
    );
    // It asks for what has the name outside.
    resolved("m!(k); let k = 1; k", "m!(k); let k_2 = 1; k_2");
    resolved("let n = n; m!(n)", "let n_2 = n; m!(n_2)");
    resolved("'a: loop { m!('a); 'a: loop { m!('a); } }", "'a: loop { m!('a); 'a_2: loop { m!('a_2); } }");
    resolved(
        "for k in 0..3 { a[s![k, ..;2]]; } for k in 0..n { s![0..k;k] }",
        "for k in 0..3 { a[s![k, ..;2]]; } for k_2 in 0..n { s![0..k_2;k_2] }",
    );
}

#[test]
fn names_in_the_attribute() {
    for item in ["fn combine_of() {}", "const combine_of: u8 = 1;", "static init_of: u8 = 1;", "fn init_of() {}"] {
        refused(&format!("{item} n"));
        refused(&format!("{{ {item} n }}"));
    }
    for item in
        ["struct AccOf;", "mod AccOf {}", "enum AccOf {}", "type AccOf = u8;", "trait AccOf {}", "use a::AccOf;"]
    {
        refused(&format!("{item} n"));
    }
    refused("let init_of = 1; n");
    refused("use a::init_of; n");
    same("use a::combine_of; combine_of(n)");
    same("let new = 1; fn combine_of_2() {} let AccOf = 2; new");
    resolved(
        "let combine_of = 1; let combine_of = |a| a; combine_of(1)",
        "let combine_of_2 = 1; let combine_of = |a| a; combine_of(1)",
    );
}

#[test]
fn names_of_the_expansion() {
    resolved("let __call = 1; __call", "let call_2 = 1; call_2");
    resolved("for __p in 0..n { const __K: u8 = 1; __p + __K }", "for p_2 in 0..n { const K_2: u8 = 1; p_2 + K_2 }");
    same("a.__b; __m::f::<__T>(); let _x = 1; _x");
    refused("__call(n)");
    refused("use a::__b; n");
}

#[test]
fn words_that_are_no_names_stay() {
    same("a.n; a.n(); n.x.out; P { n: 1, x: n }; n::out; 1.max(n)");
    resolved("let x = x.x; P { x, ..x }", "let x_2 = x.x; P { x: x_2, ..x_2 }");
}
