//! How the variable `s` is updated: a body, and the form of each update.

use super::{Form, Given, updates};
use crate::front::lower::Lower;
use crate::ir::Local;
use crate::ir::place::Place;

/// The forms of the updates of `s` in a body.
fn forms(body: &str) -> Vec<String> {
    let block = Lower::default().body(&syn::parse_str(&format!("{{ {body} }}")).unwrap());
    let form = |form: &Form<'_>| match form {
        Form::Step(operator, operand) => format!("{} {}", operator.text(), operand.map_or("..".into(), |e| e.shown())),
        Form::Linear => "linear".into(),
        Form::Reset(value) => format!("= {}", value.shown()),
        Form::Opaque => "opaque".into(),
    };
    updates(&Place::from(Local::named("s")), &block, Given::default()).iter().map(|update| form(&update.form)).collect()
}

#[test]
fn steps() {
    assert_eq!(forms("s += e;"), ["+ e"]);
    assert_eq!(forms("s = s + e;"), ["+ e"]);
    assert_eq!(forms("s = e + s;"), ["+ e"]);
    assert_eq!(forms("s -= e;"), ["+ e"]);
    assert_eq!(forms("s *= e; s *= g;"), ["* e", "* g"]);
    assert_eq!(forms("s = s.max(e);"), ["max e"]);
    assert_eq!(forms("s = e.min(s);"), ["min e"]);
    assert_eq!(forms("s = i64::max(s, e);"), ["max e"]);
    assert_eq!(forms("s |= e;"), ["| e"]);
    assert_eq!(forms("if c { s += e; }"), ["+ e"]);
    assert_eq!(forms("s = s.wrapping_add(e);"), ["wrapping_add e"]);
}

#[test]
fn better_values() {
    assert_eq!(forms("if e > s { s = e; }"), ["max e"]);
    assert_eq!(forms("if e > s { s = g; }"), ["= g"]);
    assert_eq!(forms("if c && e > s { s = e; }"), ["max .."]);
    assert_eq!(forms("if !(e <= s) { s = e; }"), ["max e"]);
    assert_eq!(forms("if s.lt(&e) { s = e; at = i; }"), ["= e"]);
    assert_eq!(forms("if c || e > s { s = e; }"), ["= e"]);
    assert_eq!(forms("s = Some(s.map_or(e, |held| held.max(e)));"), ["max e"]);
    assert_eq!(forms("s = Some(s.map_or(g, |held| held.max(e)));"), ["opaque"]);
    assert_eq!(forms("s = Some(s.unwrap_or(0).min(e));"), ["min e"]);
    assert_eq!(forms("s = Some(s.unwrap_or(g).min(e));"), ["opaque"]);
}

#[test]
fn other_updates() {
    assert_eq!(forms("s = e;"), ["= e"]);
    assert_eq!(forms("s = 2.0 * s + e;"), ["linear"]);
    assert_eq!(forms("s = s * s;"), ["opaque"]);
    assert_eq!(forms("(s, t) = e;"), ["opaque"]);
    assert_eq!(forms("t = s;"), [""; 0]);
    assert_eq!(forms("if any { s = true; }"), ["| true"]);
}
