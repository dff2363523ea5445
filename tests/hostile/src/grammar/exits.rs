//! Loops that end early: updates of several variables before, between and after exits, in branches and in inner loops. Sometimes the values
//! before decide about an exit.

use super::random::Random;

const CONDITIONS: &[&str] =
    &["e < 1_@", "e > 8_@", "i % 7 == 3", "i == 4", "e == 5_@ && i > 2", "i > 40", "e > 7_@ || i % 9 == 8"];

/// Makes the loop, with `e` as the element.
pub struct Exits<'r> {
    random: &'r mut Random,
}

impl<'r> Exits<'r> {
    pub fn new(random: &'r mut Random) -> Exits<'r> {
        Exits { random }
    }

    /// The loop with its header.
    pub fn whole_loop(&mut self) -> String {
        let range = *self.random.of(&["0..x.len()", "0..x.len()", "(0..x.len()).rev()", "1..x.len()"]);
        format!("'l: for i in {range} {{ let e = x[i]; {} }}", self.statements(0))
    }

    fn statements(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    fn statement(&mut self, depth: usize) -> String {
        let condition = self.condition();
        match self.random.below(14) {
            // The values before decide about the exit.
            12 => {
                let exit = self.exit("break 'l;");
                let kept = *self.random.of(&[
                    "if e > m { m = e; $x }",
                    "if e < b { b = e; if i % 3 == 1 { $x } }",
                    "if e <= m { $x }",
                ]);
                kept.replace("$x", &exit)
            }
            13 => {
                let exit = self.exit("break 'l;");
                let kept = *self.random.of(&[
                    "if o.is_none() { if $c { o = Some(e); } } else { $x }",
                    "let first = o.is_none() && $c; if first { o = Some(e); } if first && i % 2 == 0 { $x }",
                    "ok = ok && e < 9_@; if !ok { $x }",
                ]);
                kept.replace("$c", condition).replace("$x", &exit)
            }
            0..=3 => self.update(),
            4..=6 => {
                let before = if self.random.percent(40) { self.update() } else { String::new() };
                format!("if {condition} {{ {before} {} }}", self.exit("break;"))
            }
            7 if depth < 2 => {
                let (then, otherwise) = (self.statements(depth + 1), self.statements(depth + 1));
                format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
            }
            8 => format!("if {condition} {{ continue; }}"),
            9 => {
                let (exit, update) = (self.exit("break 'l;"), self.update());
                format!("for j in 0..3_u8 {{ if e == j as @ {{ {exit} }} {update} }}")
            }
            10 => {
                let (exit, update) = (self.exit("break;"), self.update());
                format!("match i % 5 {{ 0 if {condition} => {{ {exit} }} 1 => {{ {update} }} _ => {{}} }}")
            }
            _ => {
                let exit = self.exit("break 'l;");
                format!("let Some(w) = Some(e).filter(|w| *w < 9_@) else {{ {exit} }}; v += w;")
            }
        }
    }

    fn condition(&mut self) -> &'static str {
        let condition: &&str = self.random.of(CONDITIONS);
        condition
    }

    fn update(&mut self) -> String {
        let condition = self.condition();
        let update = self.random.of(&[
            "v += e;",
            "v += e * 2_@;",
            "c += 1;",
            "if $c { c += 2; } else { v += 1_@; }",
            "if e > m { m = e; }",
            "if $c { a = e; }",
            "ok = ok && e < 9_@;",
            "if e < b { b = e; count8 = (i % 200) as u8; }",
            "if $c { o = Some(e); }",
            "let w = e + 1_@; v += w;",
        ]);
        update.replace("$c", condition)
    }

    /// An exit, and perhaps variables that are set there.
    fn exit(&mut self, exit: &str) -> String {
        let sets = *self.random.of(&["", "", "ok = false;", "a = e;", "ok = false; a = e;", "o = Some(e);"]);
        format!("{sets} {exit}")
    }
}
