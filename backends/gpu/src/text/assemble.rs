//! The text of a program's variant, put together.

use super::facts::loops;
use super::shape::{Monoid, Pass, Shape, Variant, leaf};
use super::words;
use super::writer::{Access, Binding, Writer, put};
use crate::bins::{self, Way};
use crate::library;
use forall_core::device::{Cause, Program};
use std::fmt::Write;

/// The text of a variant, and which bindings it has, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Text {
    pub source: String,
    /// Whether an iteration may raise something.
    pub raises: bool,
    pub bindings: Vec<(Binding, Access)>,
}

/// Whether anything calls `fa_raise`, other than where overflow is checked and is not, or where an index is proved.
fn raises(source: &str, overflow: bool, proved: bool) -> bool {
    let mut calls = source.lines().filter(|line| line.contains("fa_raise(") && !line.starts_with("fn fa_raise("));
    calls.any(|line| (overflow || !line.contains("fa_checked")) && (!proved || !line.contains("!fa_proved")))
}

impl Writer<'_> {
    /// The parts of all variants: sizes, flags, raising, and counting turns.
    pub(crate) fn frame(&mut self) {
        let total = words::total(self.program);
        let access = if self.shape.uniform { Access::Same } else { Access::Read };
        self.bind(Binding::Words, access, "fa_words", &format!("array<vec4<u32>, {}>", total.div_ceil(4)));
        self.bind(Binding::Flags, Access::Write, "fa_flags", "array<atomic<u32>, 8>");
        put!(self, "const fa_checked = {};\nconst fa_proved = {};", self.variant.overflow, self.variant.proved);
        // An invocation that raised ends its loops, and what it raises later follows from that.
        put!(self, "var<private> fa_position: u32;\nvar<private> fa_stop: bool;\nvar<private> fa_turns: u32;");
        put!(
            self,
            "fn fa_raise(cause: u32) {{\n  if (!fa_stop) {{ fa_stop = true; atomicMin(&fa_flags[cause], fa_position); }}\n}}"
        );
        let turns = self.shape.turns.filter(|_| loops(self.program));
        let count = turns.map_or_else(String::new, |most| {
            format!("fa_turns += 1u; if (fa_turns > {most}u) {{ fa_raise({}u); }}", Cause::Trips as u32)
        });
        if self.counts_ahead() {
            put!(self, "var<private> fa_counting: bool;");
        }
        if self.shape.subgroups {
            put!(self, "var<private> fa_subgroup_size: u32;\nvar<private> fa_subgroup_lane: u32;");
        }
        put!(self, "fn fa_trip() -> bool {{ {count} return fa_stop; }}");
    }
}

/// The text of a program's variant.
pub(crate) fn text(program: &Program, variant: Variant, shape: Shape) -> Text {
    let mut writer = Writer { program, variant, shape, out: String::new(), bindings: Vec::new() };
    writer.frame();
    if variant.apart != 0 {
        writer.runs();
    }
    for number in 0..program.arrays.len() {
        writer.array(number);
    }
    for number in 0..program.tables.len() {
        writer.table(number);
    }
    for number in 0..program.values.len() {
        writer.value(number);
    }
    for number in 0..program.pushes.len() {
        writer.push(number);
    }
    for number in 0..program.bins.len() {
        writer.bins(number);
    }
    writer.pass();
    if variant.pass == Pass::Iterate {
        (0..program.bins.len())
            .filter(|k| bins::way(&program.bins[*k], shape.native.long) == Way::Rows)
            .for_each(|k| writer.rows(k));
    }
    if let Some(of) = Monoid::of(leaf(program, variant.pass)) {
        writer.tree(of);
    }
    let mut source = writer.out;
    // Parts of a proved index stay in their range.
    let body = program.source.replace("fa_index_", if variant.proved { "fa_wrapping_" } else { "fa_" });
    match shape.native.zero {
        true => source.push_str(&body),
        false => source.push_str(&library::told_zeros(&body)),
    }
    library::complete(&mut source, shape.native);
    let raises = raises(&source, variant.overflow, variant.proved);
    Text { source, raises, bindings: writer.bindings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_raised_is_known() {
        let text = "fn fa_raise(cause: u32) {\n}\nfn a() { if (fa_checked && b) { fa_raise(1u); } }";
        assert!(!raises(text, false, false) && raises(text, true, true));
        assert!(raises("fn a() { fa_raise(0u); }", false, true));
        let text = "fn a() { if (!fa_proved) { fa_raise(0u); } }";
        assert!(!raises(text, true, true) && raises(text, false, false));
    }
}
