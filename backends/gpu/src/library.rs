//! Operators and methods of Rust's numbers that WGSL lacks or does otherwise.
//!
//! Each is a function `fa_OP_TYPE`. Only those that a text uses are put into it, with those that they use in turn.

mod cast;
mod derived;
mod elementary;
mod float;
mod half;
mod integer;
mod numbers;
mod pair;
use crate::text::words::{self, word};
use numbers::Int;
pub(crate) use numbers::Native;
use std::collections::HashSet;

/// Adds to a text the functions of the library that it uses.
pub(crate) fn complete(text: &mut String, native: Native) {
    let mut seen = HashSet::new();
    let mut added = String::new();
    let mut wanted = names(text);
    while let Some(name) = wanted.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        if let Some(function) = function(&name, native) {
            wanted.extend(names(&function));
            added.push_str(&function);
            added.push('\n');
        }
    }
    text.push('\n');
    text.push_str(&added);
}

/// The text of a function, where the library has it.
fn function(name: &str, native: Native) -> Option<String> {
    let name = name.strip_prefix("fa_")?;
    if let Some(function) = pair::function(name) {
        return Some(function);
    }
    if let Some(types) = name.strip_prefix("cast_") {
        let (from, to) = types.split_once('_')?;
        return cast::function(from, to);
    }
    let (op, of) = name.rsplit_once('_')?;
    if op == "zero" {
        return zero(of);
    }
    if let Some(function) = open(op, of) {
        return Some(function);
    }
    match Int::of(of) {
        Some(of) => integer::function(op, of).or_else(|| float::window(op, of.name)),
        None if of == "f16" => half::function(op),
        None => float::function(op, of, native),
    }
}

/// Whether a text calls functions that have loops.
pub(crate) fn has_loops(text: &str) -> bool {
    names(text)
        .iter()
        .any(|name| name.starts_with("fa_pow") || name.starts_with("fa_rem_") || name.contains("_euclid_"))
}

/// Whether a text calls functions that depend on how the device rounds.
pub(crate) fn rounds(text: &str) -> bool {
    let of_floats = ["fa_div_f", "fa_sqrt_f", "fa_recip_", "fa_powi_"];
    names(text).iter().any(|name| of_floats.iter().any(|stem| name.starts_with(stem)) || name.contains("div_euclid_f"))
}

/// Zeros as programs write them, and the functions that give them.
const ZEROS: [(&str, &str); 2] = [("0.0f", "fa_zero_f32()"), ("0.0lf", "fa_zero_f64()")];

/// The next zero of a text: where it is, its length, and the function that gives it.
fn next_zero(text: &str) -> Option<(usize, usize, &'static str)> {
    let inside = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let found = ZEROS.iter().flat_map(|(zero, told)| {
        let places = text.match_indices(zero).map(|(at, _)| at);
        places.map(move |at| (at, zero.len(), *told))
    });
    let apart = |(at, length, _): &(usize, usize, &str)| {
        !inside(text[..*at].chars().next_back()) && !inside(text[at + length..].chars().next())
    };
    found.filter(apart).min_by_key(|(at, ..)| *at)
}

/// Whether a text writes a zero of floats.
pub(crate) fn has_zeros(text: &str) -> bool {
    next_zero(text).is_some()
}

/// A text for a device that would do without the zeros that are added, and takes a product with one for one: they are told
/// when it runs, so that they are not known before.
pub(crate) fn told_zeros(text: &str) -> String {
    let (mut told, mut rest) = (String::new(), text);
    while let Some((at, length, function)) = next_zero(rest) {
        told.push_str(&rest[..at]);
        told.push_str(function);
        rest = &rest[at + length..];
    }
    told + rest
}

/// The function that gives a zero. Its word is one or zero.
fn zero(of: &str) -> Option<String> {
    let of = ["f32", "f64"].into_iter().find(|known| *known == of)?;
    Some(format!("fn fa_zero_{of}() -> {of} {{ return {of}(bitcast<f32>({} >> 1u)); }}", word(words::SEEDED)))
}

/// The functions without a name of their own, if the type is known before.
fn open(op: &str, of: &str) -> Option<String> {
    let held = match Int::of(of) {
        Some(of) => of.held,
        None if of == "f16" => "f32",
        None => ["f32", "f64", "bool"].into_iter().find(|held| *held == of)?,
    };
    if op == "not" && of == "bool" {
        return Some("fn fa_not_bool(a: bool) -> bool { return !a; }".to_owned());
    }
    if op == "eq" {
        return Some(format!("fn fa_eq_{of}(a: {held}, b: {held}) -> bool {{ return a == b; }}"));
    }
    if op == "rounded" {
        let whole = if of == "f16" { "fa_nearest_f16(a)" } else { "a" };
        return Some(format!("fn fa_rounded_{of}(a: {held}) -> {held} {{ return {whole}; }}"));
    }
    if let Some(sign) = [("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")].iter().find(|(name, _)| *name == op) {
        return (of != "bool")
            .then(|| format!("fn fa_{op}_{of}(a: {held}, b: {held}) -> bool {{ return a {} b; }}", sign.1));
    }
    let both = match op {
        "step_add" if of == "f16" => "a + b".to_owned(),
        "step_mul" if of == "f16" => "a * b".to_owned(),
        "step_add" | "step_mul" => format!("fa_{}_{of}(a, b)", op.trim_start_matches("step_")),
        "bitxor" if of == "bool" => "a != b".to_owned(),
        "bitxor" if !of.starts_with('f') => "a ^ b".to_owned(),
        "bitand" if !of.starts_with('f') => "a & b".to_owned(),
        "bitor" if !of.starts_with('f') => "a | b".to_owned(),
        _ => format!("fa_{}_{of}(a, b)", op.strip_suffix("_assign")?),
    };
    Some(format!("fn fa_{op}_{of}(a: {held}, b: {held}) -> {held} {{ return {both}; }}"))
}

/// The words of a text that begin with `fa_`.
fn names(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("fa_")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NATIVE: Native = Native { single: true, double: true, zero: true, long: true };

    #[test]
    fn what_is_used_is_added_once_with_what_it_uses() {
        let mut text = "fn f() { fa_add_u8(fa_add_u8(1u, 2u), fa_load_0(0u)); }".to_owned();
        complete(&mut text, NATIVE);
        assert_eq!(text.matches("fn fa_add_u8(").count(), 1);
        assert_eq!(text.matches("fn fa_wrap_u8(").count(), 1);
        assert!(!text.contains("fn fa_load_0("));
    }

    #[test]
    fn zeros_are_told_where_they_stand_alone() {
        let text = "let a = 0.0f + 10.0f - 0.0lf * -0.0f / 0.05f;";
        assert!(has_zeros(text) && !has_zeros("10.0f + 0.01f + v0.0f"));
        let told = "let a = fa_zero_f32() + 10.0f - fa_zero_f64() * -fa_zero_f32() / 0.05f;";
        assert_eq!(told_zeros(text), told);
    }

    #[test]
    fn what_is_not_there_is_not_added() {
        for name in ["fa_load_0", "fa_add_u7", "fa_neg_u8", "fa_pow", "fa_", "other", "fa_cast_u8"] {
            assert_eq!(function(name, NATIVE), None, "{name}");
        }
    }
}
