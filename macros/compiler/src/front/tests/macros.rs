//! Calls of macros, and other code that is opaque.

use crate::front::lower::Lower;
use crate::ir::print::{Edit, expr};
use crate::ir::{Expr, Kind, Local};
use proc_macro2::TokenStream;
use quote::quote;

fn lowered(code: &str) -> Expr {
    Lower::default().expr(&syn::parse_str(code).unwrap())
}

/// The variables that an expression names, that it writes, and that opaque code in it receives.
fn seen(code: &str) -> [String; 3] {
    let (mut named, mut written, mut received) = (Vec::<&str>::new(), Vec::<&str>::new(), Vec::new());
    lowered(code).walk(&mut |e| {
        match &e.kind {
            Kind::Name(name) => named.push(name.text()),
            Kind::Opaque(opaque) => received.extend(opaque.received().iter().map(|e| e.text())),
            _ => written.extend(e.changes().into_iter().map(Local::text)),
        }
        true
    });
    [named.join(" "), written.join(" "), received.join(" ")]
}

fn leaves(code: &str) -> bool {
    matches!(lowered(code).kind, Kind::Opaque(opaque) if opaque.leaves)
}

/// Renames a variable.
struct Renamed;

impl Edit for Renamed {
    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        (e.name() == Some(Local::named("x")) && matches!(e.kind, Kind::Name(_))).then(|| quote!(y))
    }
}

fn renamed(code: &str) -> String {
    expr(&lowered(code), &Renamed).to_string().replace(' ', "")
}

#[test]
fn arguments_of_known_macros_are_expressions() {
    for (code, named, written) in [
        ("vec![a, b]", "a b", ""),
        ("vec![{ k /= 2; 0 }; n]", "k n", "k"),
        ("vec![0; { n += 1; n }]", "n n", "n"),
        ("vec!(a)", "a", ""),
        ("vec![]", "", ""),
        ("matches!(v, Some(q) if { k = q; true })", "v k q", "k"),
        ("matches!(v[i], A | B,)", "v i", ""),
        ("matches!(v, | A)", "v", ""),
        ("assert!(i < n)", "i n", ""),
        ("assert!(i < n, \"{i} {}\", k)", "i n k i", ""),
        ("assert_eq!(a, b, \"{c:?}\",)", "a b c", ""),
        ("debug_assert_ne!({ k += 1; a }, b)", "k a b", "k"),
        ("std::println!(\"{x} {y:w$.p$} {{z}} {{{v}}}\")", "x y w p v", ""),
        ("println!(\"{0} {a} {b}\", c, a = d)", "c d b", ""),
        ("println!(\"{v}\", v = { k -= 1; k })", "k k", "k"),
        ("println!()", "", ""),
        ("format!(r\"{x}\")", "x", ""),
        ("panic!(\"{x} {x}\")", "x", ""),
        ("write!(to, \"{x}\")", "to x", "to"),
        ("writeln!(to.text)", "to", "to"),
        ("writeln!(to[{ k += 1; k }], \"{}\", x)", "to k k x", "to k"),
        ("dbg!(a, { b = 1; b })", "a b b", "b"),
        ("stringify!(a + b)", "", ""),
        ("cfg!(unix)", "", ""),
        ("&raw mut out[i]", "out i", "out"),
        ("unsafe { k = *p }", "k p", "k"),
    ] {
        assert_eq!(seen(code), [named, written, ""], "{code}");
    }
}

#[test]
fn unknown_code_receives_each_identifier() {
    for (code, received) in [
        ("put!(out[i] = x[i])", "out i x i"),
        ("put!(k => v)", "k v"),
        ("put!(\"{a:w$}\")", "a w"),
        ("put!({ let z = a; z.b(c) } d)", "z a b c d"),
        ("put!()", ""),
        ("put!(r#type)", "r#type"),
        ("mine::vec![a; b]", "a b"),
        ("std::mem::vec![a]", "a"),
        // The compiler does not understand the arguments.
        ("vec![a => b]", "a b"),
        ("matches!(a)", "a"),
        ("assert_eq!(a)", "a"),
        ("assert!(name = a)", "name a"),
        ("println!(a b)", "a b"),
        // `s!` is an index only as the argument of `slice`.
        ("s![a, ..b]", "a b"),
        ("v.slice(s![a, ..b])", ""),
        ("v.slice_mut(s![a, ..;2, b])", "a b"),
        ("async { k += x[i]; }", "k x i"),
        ("async move { f(&mut k) }", "f k"),
        ("const { N + 1 }", "N"),
        ("&raw mut out[i]", ""),
        ("&raw const out[i]", ""),
        ("unsafe { *p = k }", ""),
    ] {
        assert_eq!(seen(code)[2], received, "{code}");
    }
}

#[test]
fn code_with_words_that_leave_may_leave() {
    for code in ["m!(a => break)", "m!(a => { return })", "m!(a => b?)", "m!('l a)", "async { f().await?; }"] {
        assert!(leaves(code), "{code}");
    }
    for code in ["m!(a => b)", "m!(a)", "m!(c, \"break\")"] {
        assert!(!leaves(code), "{code}");
    }
    // An argument that is an expression is analysed itself.
    let mut found = false;
    lowered("m!(a, break)").walk(&mut |e| {
        found |= matches!(e.kind, Kind::Break(..));
        true
    });
    assert!(found);
}

#[test]
fn edited_arguments_keep_their_form() {
    for (code, printed) in [
        ("vec![x; n]", "vec![y;n]"),
        ("vec![a, x]", "vec![a,y]"),
        ("matches!(x, Some(q) if q > x)", "matchy{Some(q)ifq>y=>true,_=>false,}"),
        ("println!(\"{} {b}\", x, b = a)", "println!(\"{}{b}\",y,b=a)"),
        ("println!(\"{x} {a}\")", "println!(\"{x}{a}\",x=y,a=a)"),
        ("write!(to, \"{}\", x)", "write!(to,\"{}\",y)"),
        ("assert_eq!(a, x)", "assert_eq!(a,y)"),
        ("mine!(a, x)", "mine!(a,y)"),
        ("mine!(a => b)", "mine!(a=>b)"),
    ] {
        assert_eq!(renamed(code), printed, "{code}");
    }
}

#[test]
fn a_statement_must_be_an_expression_unless_it_is_alone() {
    let unknown = |code: &str| {
        let block = Lower::default().block(&syn::parse_str(code).unwrap());
        block.statements[0].tokens.to_string().contains("fa022")
    };
    for (code, wrapped) in [
        ("{ m!(a); f(a); }", true),
        ("{ m! { a } f(a); }", true),
        ("{ m!(a); }", false),
        ("{ m! { a } }", false),
        ("{ println!(\"{a}\"); f(a); }", false),
        ("{ println!(a b); f(a); }", true),
        ("{ let b = m!(a); f(b); }", false),
    ] {
        assert_eq!(unknown(code), wrapped, "{code}");
    }
}
