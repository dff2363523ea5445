//! Random programs over a grammar of constructs with which wrong loops slip through.

mod choices;
mod exits;
mod hostile;
mod names;
mod pieces;
mod random;
mod scopes;

use crate::program::Program;
use choices::Choices;
use exits::Exits;
use forall_compiler::Attribute;
use hostile::HOSTILE;
use names::{INNER, ITEMS, PARAMETERS, USES, VARIABLES};
use pieces::{AROUND, HEADERS, NATURAL, ODD_HEADERS, Piece};
use random::Random;
use scopes::SCOPES;
use std::collections::{BTreeSet, HashMap};

/// The program of a seed, under an attribute that the macro accepts it with, if there is one.
pub fn program(seed: u64) -> Program {
    let mut maker = Maker::new(seed);
    let source = maker.source();
    let kinds: Vec<String> = maker.kinds.iter().map(|kind| (*kind).to_owned()).collect();
    let first = Attribute::FOR_LOOPS[(seed % 4) as usize];
    let mut program = Program::parse(&source, first, kinds, maker.natural)
        .unwrap_or_else(|error| panic!("the grammar makes what is not Rust ({error}):\n{source}"));
    for next in 0..4 {
        program.attribute = Attribute::FOR_LOOPS[((seed + next) % 4) as usize];
        if program.refused().is_none() {
            return program;
        }
    }
    program.attribute = first;
    program
}

/// Makes one program.
struct Maker {
    random: Random,
    natural: bool,
    /// A few programs only keep values, or take others.
    chooses: bool,
    /// A few have loops that end early.
    leaves: bool,
    /// The type of the elements.
    of: &'static str,
    kinds: BTreeSet<&'static str>,
    /// Items that pieces asked for.
    items: BTreeSet<&'static str>,
    /// Variables that are declared in the body.
    inner: BTreeSet<&'static str>,
    /// Local names of the type of the elements that can be read.
    locals: Vec<String>,
    fresh: usize,
}

impl Maker {
    fn new(seed: u64) -> Maker {
        let mut random = Random::new(seed);
        let natural = random.percent(30);
        let chooses = Random::new(!seed).percent(10);
        let leaves = Random::new(seed.rotate_left(32)).percent(6);
        let of = random.of(&["i64", "i64", "i64", "i64", "i64", "i32", "u64", "u32", "f64", "f32"]);
        Maker {
            random,
            natural,
            chooses,
            leaves,
            of,
            kinds: [].into(),
            items: [].into(),
            inner: [].into(),
            locals: vec![],
            fresh: 0,
        }
    }

    /// The items and the function.
    fn source(&mut self) -> String {
        if self.chooses {
            self.kinds.insert("choice");
            let statements = Choices::new(&mut self.random).statements();
            return self.function(&format!("for i in 0..x.len() {{ let e = x[i]; {statements} }}"));
        }
        if self.leaves {
            self.kinds.insert("exit");
            let body = Exits::new(&mut self.random).whole_loop();
            return self.function(&body);
        }
        let mut body = self.whole_loop();
        // What a body declares would be declared for the other loop as well.
        if self.inner.is_empty() && self.random.percent(12) {
            self.locals.clear();
            let next = self.whole_loop();
            body = format!("{body} {next}");
            self.inner.clear();
        }
        if self.random.percent(4) {
            body = format!("for round in 0..2 {{ {body} }}");
        }
        self.function(&body)
    }

    /// One loop.
    fn whole_loop(&mut self) -> String {
        let headers = if self.natural || self.random.percent(65) { HEADERS } else { ODD_HEADERS };
        let (header, first) = *self.random.of(headers);
        let begin = self.fill(first, 0).replace('@', self.of);
        let mut body = Vec::new();
        let naturals = 1 + self.random.below(2);
        let mut statements: Vec<Option<&Piece>> = vec![None; naturals];
        if !self.natural {
            let count = *self.random.of(&[1, 1, 1, 2, 2, 3]);
            for _ in 0..count {
                let place = self.random.below(statements.len() + 1);
                let pieces = if self.random.percent(25) { SCOPES } else { HOSTILE };
                statements.insert(place, Some(self.random.of(pieces)));
            }
        }
        for statement in statements {
            let text = self.statement(statement);
            body.push(text);
        }
        let body = self.inside(body.join("\n")).replace('@', self.of);
        let header = header.replace('@', self.of);
        let e = mentions(&format!("{begin} {body}"), "e") && !mentions(&header, "e") && !begin.contains("let e ");
        let e = if e { "let e = x[i];" } else { "" };
        // Where the beginning names the index, the element comes after it.
        let [one, two] = if begin.contains("let i ") { [begin.as_str(), e] } else { [e, begin.as_str()] };
        format!("{header} {{ {one} {two} {body} }}")
    }

    /// The body with some of its variables declared in it, and used at its end.
    fn inside(&mut self, mut body: String) -> String {
        if self.natural || !self.random.percent(55) {
            return body;
        }
        for (name, declaration, value) in INNER {
            if mentions(&body, name) && self.random.percent(75) {
                self.inner.insert(name);
                let use_of_it = self.random.of(USES).replace("$r", value);
                let use_of_it = self.fill(&use_of_it, 0);
                body = format!("{declaration}\n{body}\n{use_of_it}");
            }
        }
        body
    }

    /// A statement of the body, perhaps inside of another one.
    fn statement(&mut self, hostile: Option<&Piece>) -> String {
        let text = match hostile {
            Some(Piece(kind, text, items)) => {
                self.kinds.insert(kind);
                self.items.extend(items.iter());
                *text
            }
            None => *self.random.of(NATURAL),
        };
        if !self.natural && self.random.percent(15) {
            let around = *self.random.of(AROUND);
            let locals = self.locals.len();
            let inner = self.fill(text, 0);
            self.locals.truncate(locals);
            let around = around.replacen("$b", &inner, 1);
            return self.fill(&around, 0);
        }
        self.fill(text, 0)
    }

    /// The text with its holes filled.
    fn fill(&mut self, template: &str, depth: usize) -> String {
        let (mut text, mut named) = (String::new(), HashMap::<(char, char), String>::new());
        let mut rest = template;
        let mut declared = Vec::new();
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            let mut letters = rest[at + 1..].chars();
            let hole = letters.next().expect("a hole has a letter");
            let digit = letters.next().filter(char::is_ascii_digit);
            rest = &rest[at + 2 + usize::from(digit.is_some())..];
            // Names are the same throughout a template.
            let key = (hole, digit.unwrap_or('0'));
            let same = digit.is_some() || matches!(hole, 't' | 'v');
            if let Some(known) = named.get(&key).filter(|_| same) {
                text.push_str(known);
                continue;
            }
            let filled = self.hole(hole, depth);
            if hole == 't' && text.trim_end().ends_with("let") && rest.starts_with(" = $x") {
                declared.push(filled.clone());
            }
            text.push_str(&filled);
            named.insert(key, filled);
        }
        text.push_str(rest);
        self.locals.extend(declared);
        text
    }

    fn hole(&mut self, hole: char, depth: usize) -> String {
        match hole {
            'e' => self.value(depth, !self.natural),
            'x' => self.value(depth, false),
            'c' => self.condition(depth, !self.natural),
            'd' => self.condition(depth, false),
            'u' => (*self.random.of(&["i", "i", "idx[i]", "(i + 3)", "(i / 2)", "(n - i)"])).to_owned(),
            'v' => (*self.random.of(&["v", "v", "v", "m", "a"])).to_owned(),
            's' => format!("{}_@", self.random.below(9)),
            't' => {
                self.fresh += 1;
                format!("t{}", self.fresh)
            }
            'p' => "out[i]".to_owned(),
            'q' => (*self.random.of(&["out[(i + 1) % n]", "out[i ^ 1]", "out[i / 2]", "out[n - 1 - i]", "out[i % w]"]))
                .to_owned(),
            'b' => {
                let locals = self.locals.len();
                let text = self.statement(None);
                self.locals.truncate(locals);
                text
            }
            other => panic!("`${other}` is no hole"),
        }
    }

    /// A value of the type of the elements.
    fn value(&mut self, depth: usize, running: bool) -> String {
        if running && self.random.percent(25) {
            return (*self.random.of(&["v", "v", "m", "a", "buf[i % 4]", "out[i]", "v + e", "(v - a)"])).to_owned();
        }
        if !self.locals.is_empty() && self.random.percent(15) {
            return self.random.of(&self.locals).clone();
        }
        const SIMPLE: &[&str] = &["x[i]", "x[i]", "e", "e", "y[i]", "k", "$s", "(i as @)"];
        const NESTED: &[&str] = &[
            "($x + $x)",
            "($x - $x)",
            "($x * 2_@)",
            "$x.max($x)",
            "(if $d { $x } else { $x })",
            "(-($x))",
            "($x).min($x + k)",
            "({ let q = $x; q + q })",
            "y[idx[i]]",
            "x[(i + 1) % n]",
            "(match idx[i] % 3 { 0 => $x, _ => $x })",
            "y.get(i + 1).copied().unwrap_or($x)",
            "[$x, $x][i % 2]",
        ];
        if depth < 2 && self.random.percent(35) {
            let template = *self.random.of(NESTED);
            let negative = template.contains('-') && self.of.starts_with('u');
            return if negative { "e".to_owned() } else { self.fill(template, depth + 1) };
        }
        let template = *self.random.of(SIMPLE);
        self.fill(template, depth + 1)
    }

    fn condition(&mut self, depth: usize, running: bool) -> String {
        if running && self.random.percent(25) {
            return (*self.random.of(&["v > 9_@", "m < e", "c > 3", "ok", "c % 2 == 0", "o.is_some()", "e > a"]))
                .to_owned();
        }
        const SIMPLE: &[&str] = &[
            "on[i]",
            "on[i]",
            "$x > 8_@",
            "$x < y[i]",
            "i % 3 == 1",
            "i > 4",
            "idx[i] % 4 == 2",
            "(on[i] && $x > 2_@)",
            "(!on[i] || i % 5 == 0)",
            "e == 4_@",
        ];
        let template = *self.random.of(SIMPLE);
        self.fill(template, depth + 1)
    }

    /// The function around a loop, with what the loop mentions.
    fn function(&mut self, body: &str) -> String {
        let mut before = String::new();
        let (mut results, mut types) = (Vec::new(), Vec::new());
        for (name, declaration, result, of) in VARIABLES {
            if mentions(body, name) && !self.inner.contains(name) {
                let string = *name == "mutex" && self.items.contains("text mutex");
                before.push_str(declaration);
                before.push('\n');
                if !result.is_empty() && self.random.percent(85) {
                    results.push(*result);
                    types.push(if string { "String" } else { of });
                }
            }
        }
        let returned = match types.len() {
            0 => String::new(),
            1 => format!("-> {}", types[0]),
            _ => format!("-> ({})", types.join(", ")),
        };
        let result = if results.len() == 1 { results[0].to_owned() } else { format!("({})", results.join(", ")) };
        let result = if results.is_empty() { String::new() } else { result };
        let inside = format!("{before} {body} {result}");
        let mut parameters = Vec::new();
        for (name, of, markers) in PARAMETERS {
            if mentions(&inside, name) {
                let marker = self.random.of(markers);
                parameters.push(format!("{marker}{name}: {of}"));
            }
        }
        let function = format!("fn program({}) {returned} {{ {inside} }}", parameters.join(", "));
        format!("{}\n{function}", self.items(&function)).replace('@', self.of)
    }

    /// The items that the function mentions, and those that they mention.
    fn items(&self, function: &str) -> String {
        let mut items = String::new();
        loop {
            let so_far = format!("{items} {function}");
            let missing = ITEMS.iter().find(|(name, item)| {
                let wanted = self.items.contains(name) || !name.contains(' ') && mentions(&so_far, name);
                wanted && !items.contains(item)
            });
            match missing {
                // Macros are known below their definition.
                Some((_, item)) => items = format!("{item}\n{items}"),
                None => return items,
            }
        }
    }
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        !part(text[..at].chars().next_back())
            && !part(text[at + word.len()..].chars().next())
            && !text[..at].ends_with("r#")
            || text[..at].ends_with("r#") && !part(text[at + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_seed_makes_rust() {
        for seed in 0..3000 {
            let source = super::Maker::new(seed).source();
            assert!(syn::parse_file(&source).is_ok(), "{source}");
        }
    }
}
