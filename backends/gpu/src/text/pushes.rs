//! The sequences that iterations push to.

use super::elements::Cells;
use super::shape::{Pass, Walk};
use super::writer::{Access, Binding, Writer, put};
use std::fmt::Write;

impl Writer<'_> {
    /// Whether the body also runs to count what it pushes, in the same pass.
    pub(crate) fn counts_ahead(&self) -> bool {
        let pushes = !self.program.pushes.is_empty();
        pushes && self.variant.pass == Pass::Iterate && self.shape.walk == Walk::Tiles
    }

    pub(crate) fn push(&mut self, number: usize) {
        let of = self.program.pushes[number];
        put!(self, "var<private> fa_pushed_{number}: u32;");
        let count = format!("fa_pushed_{number} += 1u;");
        let body = match self.variant.pass {
            Pass::Total(_) => String::new(),
            Pass::Count => count,
            Pass::Iterate => {
                let name = format!("fa_sequence_{number}");
                let cells = Cells { name: &name, windows: 1 };
                self.bind(Binding::Push(number), Access::Write, &name, &Self::cells(of, true));
                let stores =
                    self.put_element(of, cells, &format!("fa_append_{number}"), &format!("fa_pushed_{number}"));
                match self.counts_ahead() {
                    true => format!("if (!fa_counting) {{ {stores} }} {count}"),
                    false => stores + &count,
                }
            }
        };
        put!(self, "fn fa_push_{number}(v: {}) {{ {body} }}", of.wgsl());
    }

    /// The code that merges two counts of pushed elements.
    pub(crate) fn counts(&mut self) {
        let pushes = self.program.pushes.len();
        if pushes == 0 {
            return;
        }
        let list = |text: &dyn Fn(usize) -> String| (0..pushes).map(text).collect::<Vec<_>>().join(", ");
        put!(self, "struct fa_Counts {{ {} }}", list(&|k| format!("c{k}: u32")));
        // More than can be counted stays the greatest number, which is refused.
        put!(self, "fn fa_sum(a: u32, b: u32) -> u32 {{ let c = a + b; return select(c, 0xffffffffu, c < a); }}");
        let sums = list(&|k| format!("fa_sum(a.c{k}, b.c{k})"));
        put!(self, "fn fa_merge_counts(a: fa_Counts, b: fa_Counts) -> fa_Counts {{ return fa_Counts({sums}); }}");
        let own = list(&|k| format!("fa_pushed_{k}"));
        put!(self, "fn fa_pushed() -> fa_Counts {{ return fa_Counts({own}); }}");
        let set: String = (0..pushes).map(|k| format!("fa_pushed_{k} = counts.c{k}; ")).collect();
        put!(self, "fn fa_push_from(counts: fa_Counts) {{ {set}}}");
    }
}
