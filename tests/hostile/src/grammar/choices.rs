//! Statements that keep a value, or take another one: best values and first matches in many forms, and what looks like them.

use super::random::Random;

/// The variables that such statements set.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kept {
    /// `o`, an option.
    Option,
    /// `pair`, whose first part is the compared one.
    Pair,
    /// `v`, and `c`, which goes with it.
    Both,
    /// `v` and `c`, and `ok`, which says that there is no value yet.
    Flag,
    /// `v` and `c`, whose value, or the first iteration, says that there is no value yet.
    Mark,
    /// `v` and `b`, which decides where two values are equal, and `c`.
    Tie,
}

/// Makes one statement, with `e` as the candidate.
pub struct Choices<'r> {
    random: &'r mut Random,
    kept: Kept,
    /// The comparisons that occur: most loops have one.
    ops: &'static [&'static str],
}

impl<'r> Choices<'r> {
    pub fn new(random: &'r mut Random) -> Choices<'r> {
        let kept = *random.of(&[Kept::Option, Kept::Pair, Kept::Both, Kept::Flag, Kept::Mark, Kept::Tie]);
        let ops = *random.of(&[&["<"][..], &[">"], &["<="], &["<", ">="], &["<", ">", "<="]]);
        Choices { random, kept, ops }
    }

    /// The statements of a body.
    pub fn statements(&mut self) -> String {
        let keys: &[&str] = match self.kept {
            Kept::Option => &[],
            Kept::Pair => &["pair.0"],
            Kept::Both | Kept::Flag | Kept::Mark => &["v"],
            Kept::Tie => &["b", "v"],
        };
        let mut text = self.statement(keys, 0);
        if self.random.percent(20) {
            text = format!("{text} {}", self.statement(keys, 1));
        }
        if self.kept == Kept::Flag && self.random.percent(20) {
            text.push_str(" ok = false;");
        }
        text
    }

    /// The candidate, or sometimes another value.
    fn taken(&mut self) -> &'static str {
        if self.random.percent(8) { "(e * 2_@)" } else { "e" }
    }

    fn compared(&mut self, key: &str) -> String {
        let op = *self.random.of(self.ops);
        let e = if key == "b" { "y[i]" } else { "e" };
        let comparison = match self.random.percent(70) {
            true => format!("{e} {op} {key}"),
            false => format!("{key} {op} {e}"),
        };
        let ordering = *self.random.of(&["Less", "Less", "Greater", "Equal"]);
        match self.random.below(10) {
            0 | 1 => format!("!({comparison})"),
            2 => format!("{e}.partial_cmp(&{key}) == Some(std::cmp::Ordering::{ordering})"),
            _ => comparison,
        }
    }

    fn condition(&mut self, keys: &[&str], depth: usize) -> String {
        if depth < 2 && self.random.percent(25) {
            let (one, two) = (self.condition(keys, depth + 1), self.condition(keys, depth + 1));
            return format!("({one} {} {two})", self.random.of(&["&&", "||"]));
        }
        if self.kept == Kept::Tie && self.random.percent(60) {
            let (first, second) = (self.compared("v"), self.compared("b"));
            let equal = *self.random.of(&["e == v", "v == e", "!(e != v)", "e == v", "e <= v"]);
            return match self.random.below(8) {
                0 => format!("(e, y[i]) {} (v, b)", self.random.of(self.ops)),
                1 => format!("{equal} && {second}"),
                2 => format!("({first} && {second})"),
                _ => format!("({first} || {equal} && {second})"),
            };
        }
        let state = match self.kept {
            Kept::Mark if self.random.percent(60) => {
                let marks = ["c == 0", "c == 0", "0 == c", "c != 0", "c == 3", "c < 2", "i == 0", "i == 0", "i > 0"];
                let mark = (*self.random.of(&marks)).to_owned();
                let or = if mark.contains('>') || mark.contains("!=") { "&&" } else { "||" };
                match self.random.percent(70) {
                    true => format!("({mark} {or} {})", self.compared("v")),
                    false => mark,
                }
            }
            Kept::Option => match self.random.below(4) {
                0 => "o.is_none()".to_owned(),
                1 => format!("o.is_none_or(|h| {})", self.compared("h")),
                2 => format!("o.is_some_and(|h| {})", self.compared("h")),
                _ => "o.is_some()".to_owned(),
            },
            Kept::Flag if self.random.percent(40) => (*self.random.of(&["ok", "!ok"])).to_owned(),
            _ => String::new(),
        };
        let candidate = *self.random.of(&["e > 5_@", "i % 3 == 0", "on[i]"]);
        match keys {
            _ if self.random.percent(30) => candidate.to_owned(),
            [.., key] if state.is_empty() || self.random.percent(60) => self.compared(key),
            _ if state.is_empty() => candidate.to_owned(),
            _ => state,
        }
    }

    /// Assignments that take the candidate, perhaps not all of them.
    fn take(&mut self) -> String {
        let value = self.taken();
        let mut all = match self.kept {
            Kept::Option => vec![format!("o = Some({value});")],
            Kept::Pair => vec![format!("pair = ({value}, k);")],
            Kept::Both | Kept::Mark => vec![format!("v = {value};"), "c = i;".to_owned()],
            Kept::Tie => vec![format!("v = {value};"), "b = y[i];".to_owned(), "c = i;".to_owned()],
            Kept::Flag => vec![format!("v = {value};"), "c = i;".to_owned(), "ok = false;".to_owned()],
        };
        if self.random.percent(10) {
            all.remove(self.random.below(all.len()));
        }
        if self.random.percent(30) {
            all.reverse();
        }
        all.join(" ")
    }

    fn statement(&mut self, keys: &[&str], depth: usize) -> String {
        if depth >= 3 || self.random.percent(if depth == 0 { 5 } else { 35 }) {
            return match self.random.below(5) {
                0 if depth > 0 => "continue;".to_owned(),
                1 | 2 if depth > 0 => String::new(),
                _ => self.take(),
            };
        }
        match (self.kept, self.random.below(10)) {
            (Kept::Option, 0..=4) => self.matched(keys, depth),
            (Kept::Option, 5) => {
                let (value, condition) = (self.taken(), self.condition(&["h"], 1));
                let rest = *self.random.of(&["same", "same", "Some(e)"]);
                format!("o = match o {{ None => Some(e), Some(h) if {condition} => Some({value}), same => {rest} }};")
            }
            (Kept::Option, 6) => {
                let condition = self.compared("*h");
                format!("o = o.filter(|h| {condition}).or(Some(e));")
            }
            (Kept::Pair, 0..=3) => {
                let (condition, value) = (self.condition(keys, 1), self.taken());
                format!("pair = if {condition} {{ ({value}, k) }} else {{ pair }};")
            }
            (Kept::Both, 0..=2) => {
                let (condition, value) = (self.condition(keys, 1), self.taken());
                format!("(v, c) = if {condition} {{ ({value}, i) }} else {{ (v, c) }};")
            }
            (_, 0..=6) => {
                let (condition, then) = (self.condition(keys, 0), self.statement(keys, depth + 1));
                let otherwise = match self.random.percent(50) {
                    true => format!("else {{ {} }}", self.statement(keys, depth + 1)),
                    false => String::new(),
                };
                format!("if {condition} {{ {then} }} {otherwise}")
            }
            _ => {
                let not = if self.random.percent(30) { "!" } else { "" };
                let (condition, then) = (self.condition(keys, 0), self.statement(keys, depth + 1));
                format!("let better = {condition}; if {not}better {{ {then} }}")
            }
        }
    }

    fn matched(&mut self, keys: &[&str], depth: usize) -> String {
        let none = self.statement(keys, depth + 1);
        let guarded = match self.random.percent(50) {
            true => format!("Some(h) if {} => {{ {} }}", self.condition(&["h"], 1), self.statement(&["h"], depth + 1)),
            false => String::new(),
        };
        let rest = self.statement(&["h"], depth + 1);
        match self.random.percent(70) {
            true => format!("match o {{ None => {{ {none} }} {guarded} Some(h) => {{ {rest} }} }}"),
            false => format!("if let Some(h) = o {{ {rest} }} else {{ {none} }}"),
        }
    }
}
