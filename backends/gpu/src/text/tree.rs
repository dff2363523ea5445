//! The tree over leaves.

use super::shape::Monoid;
use super::words::{self, word};
use super::writer::{Access, Binding, Writer, put};
use std::fmt::Write;

/// Leaves that an invocation of the tree takes.
pub(crate) const LEAVES: u32 = 8;

impl Writer<'_> {
    /// The kernels of the tree over leaves. `fa_up` replaces each element of a level by the total of those before it in its
    /// span, and leaves the total of the span for the level above. `fa_down` adds the total of all spans before in front of
    /// that.
    pub(crate) fn tree(&mut self, of: Monoid) {
        let group = self.shape.fold;
        self.lanes(of, group, "tree");
        let Monoid { of, none, merge } = of;
        self.bind(Binding::Lower, Access::Write, "fa_lower", &format!("array<{of}>"));
        self.bind(Binding::Upper, Access::Write, "fa_upper", &format!("array<{of}>"));
        let (arguments, first) = self.head();
        let head = |name: &str| {
            format!(
                "@compute @workgroup_size({group})
fn {name}({arguments}) {{
{first}
  if (tile >= arrayLength(&fa_upper)) {{ return; }}
  // Where two parts cannot be merged, the place is not known; an iteration that raised is before it.
  fa_position = {start} + max({count}, 1u) - 1u;
  let count = arrayLength(&fa_lower);",
                start = word(words::START),
                count = word(words::COUNT),
            )
        };
        put!(
            self,
            "{}
  let first = min((tile * {group}u + lane) * {LEAVES}u, count);
  let end = min(first + {LEAVES}u, count);
  var sum = {none};
  for (var at = first; at < end; at += 1u) {{ sum = {merge}(sum, fa_lower[at]); }}
  var before = fa_before_tree(lane, sum);
  for (var at = first; at < end; at += 1u) {{
    let next = fa_lower[at];
    fa_lower[at] = before;
    before = {merge}(before, next);
  }}
  if (lane == {group}u - 1u) {{ fa_upper[tile] = before; }}
}}",
            head("fa_up")
        );
        put!(
            self,
            "{}
  let end = min((tile + 1u) * {span}u, count);
  for (var at = tile * {span}u + lane; at < end; at += {group}u) {{ fa_lower[at] = {merge}(fa_upper[tile], fa_lower[at]); }}
}}",
            head("fa_down"),
            span = group * LEAVES,
        );
    }
}
