use super::fuse;
use crate::ir::report::Report;
use crate::resolve::{Writer, resolve};
use crate::testing::text;
use proc_macro2::TokenStream;
use quote::quote;

/// The body after loops are fused, and the reasons for those that are not.
fn fused(body: &str) -> (String, Vec<String>) {
    let body: TokenStream = body.parse().unwrap();
    let mut function: syn::ImplItemFn = syn::parse_quote!(
        fn f(blocks: &mut Blocks<Vec<u64>>, others: &mut Blocks<u64>, by: u64, out: &mut [u64], x: &[u64]) { #body }
    );
    resolve(&mut function, &[], Writer::User, &mut Report::default());
    let followers = fuse(&function.sig, &mut function.block);
    (text(function.block), followers.into_iter().filter_map(|follower| follower.apart).collect())
}

#[track_caller]
fn becomes(before: &str, after: &str) {
    let after: TokenStream = after.parse().unwrap();
    assert_eq!(fused(before), (text(quote!({ #after })), Vec::new()), "{before}");
}

/// The loops stay, for a reason with these words.
#[track_caller]
fn stays(body: &str, reason: &str) {
    let (after, reasons) = fused(body);
    assert_eq!(after.matches("blocks.iter").count(), 2, "{after}");
    assert!(reasons.iter().any(|found| found.contains(reason)), "{reasons:?}");
}

#[test]
fn loops_over_the_same_blocks_become_one() {
    becomes(
        "for mut block in blocks.iter_mut() { block[0] += by; } for block in blocks.iter() { block.check(x); }",
        "for mut block in blocks.iter_mut() { { block[0] += by; } { (*block).check(x); } }",
    );
    becomes(
        "for block in blocks.iter() { if block.is_empty() { continue; } assert!(block[0] > 0); } let mut sum = 0; for block in blocks.iter() { sum += block.len(); }",
        "let mut sum = 0; for block in blocks.iter() { '__pass_block: { if (*block).is_empty() { break '__pass_block; } assert!(block[0] > 0); } { sum += (*block).len(); } }",
    );
    becomes(
        "for b in blocks.iter_mut() { b.send(0, &*b); } for mut c in blocks.iter_mut() { for i in 0..3 { if c[i] == 0 { continue; } c.push(x[i]); } }",
        "for mut b in blocks.iter_mut() { { b.send(0, &*b); } { for i in 0..3 { if b[i] == 0 { continue; } (*b).push(x[i]); } } }",
    );
    becomes(
        "for round in 0..3 { for a in blocks.iter() { g(&*a); } for b in blocks.iter() { h(&b.x); } for c in blocks.iter() { c.links(); } }",
        "for round in 0..3 { for a in blocks.iter() { { { g(&*a); } { h(&a.x); } } { a.links(); } } }",
    );
}

#[test]
fn loops_that_depend_on_each_other_stay() {
    let send = "for b in blocks.iter_mut() { b.send(0, &1); }";
    let add = "for mut b in blocks.iter_mut() { b[0] += 1; }";
    stays(
        &format!("{send} for mut b in blocks.iter_mut() {{ b[0] += b.inbox().len(); }}"),
        "messages of the first one",
    );
    stays(&format!("{send} {send}"), "both send");
    stays(&format!("{add} for b in blocks.iter_mut() {{ while let Some(m) = b.receive() {{ }} }}"), "receive");
    stays(&format!("{add} for b in blocks.iter_mut() {{ g(&b); }}"), "other code gets `b");
    stays(&format!("{add} for b in blocks.iter_mut() {{ println!(\"x\"); }}"), "`println!`");
    stays(&format!("{add} for b in blocks.iter_mut() {{ if b[0] == 1 {{ break; }} }}"), "may end the loop");
    stays(&format!("{add} for b in blocks.iter_mut() {{ if b[0] == 1 {{ return; }} }}"), "may end the loop");
    stays(
        "for b in blocks.iter() { out[b.number()] = 1; } for b in blocks.iter() { g(out[b.number()]); }",
        "both use `out`",
    );
    stays("let mut n = 0; for b in blocks.iter() { n += 1; } for b in blocks.iter() { n += 2; }", "both use `n`");
    stays("let n = out.last_mut(); for b in blocks.iter() { g(n); } for b in blocks.iter() { g(n); }", "both use `n`");
}

#[test]
fn other_loops_are_left_alone() {
    for body in [
        "for b in blocks.iter() { } for b in others.iter() { }",
        "for b in blocks.iter() { } by = 1; for b in blocks.iter() { }",
        "for b in blocks.iter() { } let n = x[0]; for b in blocks.iter() { }",
        "for (b, x) in blocks.iter().zip(x) { } for b in blocks.iter() { }",
        "for b in blocks.iter() { } for i in 0..3 { }",
    ] {
        let (after, reasons) = fused(body);
        assert_eq!(after.matches("for").count(), 2, "{after}");
        assert!(reasons.is_empty(), "{reasons:?}");
    }
}
