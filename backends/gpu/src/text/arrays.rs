//! The data that a program reads and writes by an index: arrays, also such whose elements lie apart, tables, and values.

use super::elements::Cells;
use super::facts::stores_early;
use super::shape::{LONGEST_SEARCH, Pass};
use super::values::{gather, of_words};
use super::words::{self, word};
use super::writer::{Access, Binding, Writer, put};
use forall_core::device::{Cause, Type};
use std::fmt::Write;

impl Writer<'_> {
    pub(crate) fn array(&mut self, number: usize) {
        let of = self.program.arrays[number];
        let element = of.element.wgsl();
        let access = if of.writes { Access::Write } else { Access::Read };
        let name = format!("fa_array_{number}");
        let cells = Cells { name: &name, windows: self.variant.arrays.of(number) };
        self.bind_windows(|window| Binding::Array(number, window), access, cells, &Self::cells(of.element, of.writes));
        let at = words::array(number);
        let (first, from) = (word(at), word(at + 3));
        put!(self, "fn fa_len_{number}() -> u32 {{ return {}; }}", word(at + 2));
        let whole = self.element(of.element, cells, &format!("fa_get_{number}"), "k", of.writes);
        // An index before the part wraps to one far beyond it.
        let check = |fail: &str| match self.variant.proved {
            true => String::new(),
            false => format!("if (j >= {}) {{ fa_raise({}u); return{fail}; }}", word(at + 1), Cause::Index as u32),
        };
        let fail = check(&format!(" {element}()"));
        if self.variant.is_apart(number) {
            self.place(number);
            let fail = format!("if (j == 0xffffffffu) {{ fa_raise({}u); return {element}(); }}", Cause::Index as u32);
            put!(
                self,
                "fn fa_load_{number}(i: u32) -> {element} {{\n  let j = fa_place_{number}(i); {fail}\n  let k = j + {from};\n  return {whole};\n}}"
            );
            return;
        }
        put!(
            self,
            "fn fa_load_{number}(i: u32) -> {element} {{\n  let j = i - {first}; {fail}\n  let k = j + {from};\n  return {whole};\n}}"
        );
        if !of.writes {
            return;
        }
        let fail = check("");
        let mut stores = String::new();
        let pass = self.variant.pass;
        if pass == Pass::Iterate || stores_early(self.program, pass, number) {
            stores = self.put_element(of.element, cells, &format!("fa_set_{number}"), "k");
        }
        let skip = if self.counts_ahead() { "if (fa_counting) { return; }" } else { "" };
        put!(
            self,
            "fn fa_store_{number}(i: u32, v: {element}) {{\n  let j = i - {first}; {fail}\n  {skip}\n  let k = j + {from};\n  {stores}\n}}"
        );
    }

    /// The runs of elements that lie apart, of all arrays.
    pub(crate) fn runs(&mut self) {
        let cells = Cells { name: "fa_runs", windows: self.variant.tables.of(self.program.tables.len()) };
        self.bind_windows(Binding::Runs, Access::Read, cells, "array<vec2<u32>>");
        let one = self.in_window(cells, Type::U64, |name, at| format!("return {name}[{at}];"));
        put!(self, "fn fa_run(at: u32) -> vec2<u32> {{ {one} }}");
    }

    /// The place of an element of an array with some elements apart: these follow the others, in the order of the runs. The
    /// search has no loop: turns of loops are counted where the device counts them.
    pub(crate) fn place(&mut self, number: usize) {
        let at = words::array(number);
        let [first, count, runs, all] = [at, at + 1, at + 4, at + 5].map(word);
        let steps = (0..=LONGEST_SEARCH).rev().map(|step| {
            let step = 1_u32 << step;
            format!("  if (r + {step}u <= {all} && fa_run({runs} + r + {}u).x <= i) {{ r += {step}u; }}\n", step - 1)
        });
        let steps = steps.collect::<String>();
        put!(
            self,
            "fn fa_place_{number}(i: u32) -> u32 {{\n  let j = i - {first};\n  if (j < {count}) {{ return j; }}\n  \
             var r = 0u;\n{steps}  if (r == 0u) {{ return 0xffffffffu; }}\n  \
             let run = fa_run({runs} + r - 1u);\n  let k = i - run.x + run.y;\n  \
             return select({count} + k, 0xffffffffu, k >= fa_run({runs} + r).y);\n}}"
        );
    }

    pub(crate) fn table(&mut self, number: usize) {
        let of = self.program.tables[number];
        let element = of.wgsl();
        let name = format!("fa_cells_{number}");
        let cells = Cells { name: &name, windows: self.variant.tables.of(number) };
        self.bind_windows(|window| Binding::Table(number, window), Access::Read, cells, &Self::cells(of, false));
        let len = word(words::table(self.program, number));
        put!(self, "fn fa_table_len_{number}() -> u32 {{ return {len}; }}");
        let whole = self.element(of, cells, &format!("fa_look_{number}"), "i", false);
        let fail = format!("if (i >= {len}) {{ fa_raise({}u); return {element}(); }}", Cause::Index as u32);
        put!(self, "fn fa_table_{number}(i: u32) -> {element} {{\n  {fail}\n  return {whole};\n}}");
    }

    pub(crate) fn value(&mut self, number: usize) {
        let of = self.program.values[number];
        let mut at = words::value(self.program, number);
        let whole = gather(of, &mut |base| {
            let [low, high] = [at, at + 1].map(word);
            at += words::of_scalar(base);
            of_words(base, &low, &high)
        });
        put!(self, "fn fa_value_{number}() -> {} {{ return {whole}; }}", of.wgsl());
    }
}
