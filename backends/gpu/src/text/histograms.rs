//! Histograms in a text: see [`bins`].

use super::shape::{Pass, Shape};
use super::words::{self, word};
use super::writer::{Access, Binding, Writer, put};
use crate::bins::{self, Way};
use forall_core::device::Cause;
use std::fmt::Write;

impl Writer<'_> {
    /// The code that puts values into a histogram.
    pub(crate) fn bins(&mut self, number: usize) {
        let of = self.program.bins[number];
        let (at, value) = (words::bins(self.program, number), of.element.wgsl());
        let len = word(at);
        put!(self, "fn fa_bins_len_{number}() -> u32 {{ return {len}; }}");
        if self.variant.pass != Pass::Iterate {
            put!(self, "fn fa_bin_{number}(i: u32, v: {value}) {{ }}");
            return;
        }
        let name = format!("fa_histogram_{number}");
        let long = self.shape.native.long;
        let body = match bins::way(&of, long) {
            Way::Rows => {
                self.bind(Binding::Bins(number), Access::Write, &name, &format!("array<{}>", bins::cell(&of)));
                let both = bins::both(&of, &format!("{name}[at]"), "v");
                format!("let at = fa_row * {len} + i; {name}[at] = {both};")
            }
            Way::Long => {
                self.bind(Binding::Bins(number), Access::Write, &name, &format!("array<atomic<{value}>>"));
                format!("{}(&{name}[i], v);", bins::atomic(of.operator))
            }
            Way::Word | Way::Pair => {
                self.bind(Binding::Bins(number), Access::Write, &name, "array<atomic<u32>>");
                let width = bins::words(&of, long);
                let (array, first) = match self.shape.shared {
                    0 => (&*name, format!("i * {width}u")),
                    _ => ("fa_near", format!("{} + i * {width}u", word(at + 1))),
                };
                format!("let w = {}; let at = {first}; {}", bins::as_words(&of), bins::put(&of, array, "at"))
            }
        };
        let skip = if self.counts_ahead() { "if (fa_counting) { return; }" } else { "" };
        put!(
            self,
            "fn fa_bin_{number}(i: u32, v: {value}) {{\n  {skip} if (i >= {len}) {{ fa_raise({}u); return; }}\n  {body}\n}}",
            Cause::Index as u32
        );
    }

    /// The kernels that make the rows of a histogram, and merge them.
    pub(crate) fn rows(&mut self, number: usize) {
        let of = self.program.bins[number];
        let (len, cell, group) = (word(words::bins(self.program, number)), bins::cell(&of), self.shape.group);
        for (binding, access, name) in [
            (Binding::Fresh(number), Access::Read, "fresh"),
            (Binding::LowerRows(number), Access::Read, "lower_rows"),
            (Binding::UpperRows(number), Access::Write, "upper_rows"),
        ] {
            self.bind(binding, access, &format!("fa_{name}_{number}"), &format!("array<{cell}>"));
        }
        let head = format!(
            "(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) lane: u32) {{
  let at = (group.y * groups.x + group.x) * {group}u + lane;
  let bins = {len};"
        );
        put!(
            self,
            "@compute @workgroup_size({group})
fn fa_fill_{number}{head}
  if (at < arrayLength(&fa_histogram_{number})) {{ fa_histogram_{number}[at] = fa_fresh_{number}[at % bins]; }}
}}
@compute @workgroup_size({group})
fn fa_join_{number}{head}
  if (at >= arrayLength(&fa_upper_rows_{number})) {{ return; }}
  fa_position = {} + max({}, 1u) - 1u;
  let first = at / bins * {FAN}u;
  let end = min(first + {FAN}u, arrayLength(&fa_lower_rows_{number}) / bins);
  let bin = at % bins;
  var both = fa_lower_rows_{number}[first * bins + bin];
  for (var row = first + 1u; row < end; row += 1u) {{
    both = {};
  }}
  fa_upper_rows_{number}[at] = both;
}}",
            word(words::START),
            word(words::COUNT),
            bins::both(&of, "both", &format!("fa_lower_rows_{number}[row * bins + bin]")),
            FAN = bins::FAN,
        );
    }

    /// For the histograms that a workgroup holds: what makes them, and what puts them into the device's memory.
    pub(crate) fn near(&mut self) -> (String, String) {
        let Shape { group, shared, .. } = self.shape;
        if shared == 0 || self.variant.pass != Pass::Iterate {
            return Default::default();
        }
        put!(self, "var<workgroup> fa_near: array<atomic<u32>, {shared}>;");
        let (mut before, mut after) = (String::new(), String::from("  workgroupBarrier();\n"));
        for (number, of) in self.program.bins.iter().enumerate().filter(|(_, of)| bins::words(of, false) > 0) {
            let (at, width) = (words::bins(self.program, number), bins::words(of, false));
            let (count, first, nothing) = (word(at), word(at + 1), bins::nothing(of));
            let _ = writeln!(
                before,
                "  for (var at = lane; at < {count} * {width}u; at += {group}u) {{ atomicStore(&fa_near[{first} + at], {nothing}); }}"
            );
            let (words, none) = match bins::way(of, false) {
                Way::Pair => (
                    format!(
                        "vec2<u32>(atomicLoad(&fa_near[{first} + i * 2u]), atomicLoad(&fa_near[{first} + i * 2u + 1u]))"
                    ),
                    format!("all(w == vec2<u32>({nothing}))"),
                ),
                _ => (format!("atomicLoad(&fa_near[{first} + i])"), format!("w == {nothing}")),
            };
            let put = bins::put(of, &format!("fa_histogram_{number}"), "at");
            let _ = writeln!(
                after,
                "  for (var i = lane; i < {count}; i += {group}u) {{
    let w = {words}; let at = i * {width}u;
    if (!({none})) {{ {put} }}
  }}"
            );
        }
        before.push_str("  workgroupBarrier();\n");
        (before, after)
    }
}
