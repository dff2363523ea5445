//! The codes of the mistakes in a function.

use crate::front::attribute::Attribute;
use crate::testing::classes;
use proc_macro2::TokenStream;

#[track_caller]
fn refused(function: &str, codes: &str) {
    assert_eq!(classes(function), codes, "{function}");
}

#[test]
fn functions_without_a_loop() {
    refused("#[foreach] fn f(x: &mut [f64]) { x.fill(0.0); }", "FA004");
    refused("#[foreach] fn f(x: &mut [f64]) { while x[0] > 0.0 { x[0] -= 1.0; } }", "FA021");
    refused("#[foreach] fn f(x: &mut [f64]) { for v in g(x) { *v = 0.0; } }", "FA005");
}

#[test]
fn loops_that_do_not_end_with_their_header() {
    refused("#[foreach] fn f(x: &mut [f64]) { for v in x.iter_mut() { if *v > 1.0 { break; } *v = 0.0; } }", "FA020");
    refused("#[foreach] fn f(x: &mut [f64]) { for v in x.iter_mut() { if *v > 1.0 { return; } *v = 0.0; } }", "FA020");
    refused("#[foreach] fn f(x: &mut [f64]) { for v in x.iter_mut() { if *v > 1.0 { continue; } *v = 0.0; } }", "map");
    refused("#[foreach] fn f(x: &mut [f64]) { 'a: for v in x.iter_mut() { 'a: loop { break 'a; } *v = 0.0; } }", "map");
    refused(
        "#[foreach] fn f(x: &mut [f64]) { 'a: for v in x.iter_mut() { 'b: loop { break 'a; } *v = 0.0; } }",
        "FA020",
    );
}

#[test]
fn writes_outside_of_loops() {
    refused("#[foreach] fn f(x: &mut [f64]) { for v in x.iter_mut() { *v = 0.0; } x.sort_unstable_by(g); }", "FA012");
    refused("#[foreach] fn f(x: &mut [f64]) { for v in x.iter_mut() { *v = 0.0; } x[0] = 1.0; x.swap(0, 1); }", "map");
}

#[test]
fn attributes_that_do_not_fit() {
    refused("#[foreach] fn f(x: &[f64]) -> f64 { let mut s = 0.0; for v in x { s += v; } s }", "FA030");
    refused("#[foreach(combine = g)] fn f(x: &mut [f64]) { for v in x.iter_mut() { *v = 0.0; } }", "FA002");
}

#[test]
fn markers_without_an_effect_are_warnings() {
    let warned = |parameters: &str, body: &str| {
        let item = format!("fn f({parameters}) {{ for i in 0..y.len() {{ {body} }} }}").parse().unwrap();
        crate::annotate(Attribute::Foreach, TokenStream::new(), item)
            .to_string()
            .contains("deprecated (note = \"FA051: ")
    };
    assert!(warned("#[gather] x: &[f64], y: &mut [f64]", "y[i] = x[i];"));
    assert!(warned("#[halo(1)] x: &[f64], y: &mut [f64]", "y[i] = x[i];"));
    assert!(warned("#[scatter] x: &[f64], y: &mut [f64]", "y[i] = x[i];"));
    assert!(warned("x: &[f64], #[scatter] y: &mut [f64]", "y[i] = x[i];"));
    assert!(warned("x: &[f64], #[halo(2)] y: &mut [f64]", "y[i] = x[i];"));
    assert!(warned("#[replicated] n: usize, y: &mut [f64]", "y[i] = n as f64;"));
    assert!(!warned("#[gather] x: &[f64], y: &mut [f64]", "y[i] = x[i * i % x.len()];"));
    assert!(!warned("x: &[f64], y: &mut [f64]", "y[i] = x[i];"));
}

#[test]
fn names_of_two_things() {
    refused("#[foreach] fn f(x: &mut [f64]) { for i in 0..x.len() { use a::b; b(); x[i] = 0.0; } b(); }", "FA022");
    refused(
        "#[foreach] fn f(x: &mut [f64]) { for i in 0..x.len() { struct S; x[i + S::K] = 0.0; } g(S::K); }",
        "FA022",
    );
}
