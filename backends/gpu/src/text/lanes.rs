//! The shared data of the lanes of a workgroup.

use super::shape::{Monoid, STATES};
use super::writer::{Writer, put};
use forall_core::device::{Program, Type};
use std::fmt::Write;

/// A value from its numbers, each from its path: an expression. Fields of a `State` are so.
fn gather_from(of: Type, path: &str, made: &impl Fn(&str) -> String) -> String {
    match of {
        Type::Array(element, len) => {
            let elements = (0..len).map(|k| gather_from(*element, &format!("{path}[{k}]"), made)).collect::<Vec<_>>();
            format!("{}({})", of.wgsl(), elements.join(", "))
        }
        _ => made(path),
    }
}

/// Whether the lanes of a subgroup can hand what they fold to each other: its numbers have 32 bits, and are no
/// structs. (Others are more than a driver has to know.)
pub(crate) fn shuffles(program: &Program) -> bool {
    fn are_words(of: Type) -> bool {
        match of {
            Type::Array(element, _) => !matches!(*element, Type::Bool) && are_words(*element),
            Type::Struct(_) | Type::I64 | Type::U64 | Type::F64 => false,
            _ => true,
        }
    }
    program.state.iter().all(|of| are_words(*of))
}

impl Writer<'_> {
    /// Functions that put together what the lanes of a workgroup have: `fa_all_ROLE` all of it, for lane 0, and
    /// `fa_before_ROLE` what the lanes before this one have, in order.
    pub(crate) fn lanes(&mut self, monoid: Monoid, group: u32, role: &str) {
        let Monoid { of, none, merge } = monoid;
        put!(self, "var<workgroup> fa_lanes_{role}: array<{of}, {group}>;");
        if self.shape.subgroups {
            self.shift(monoid, role);
            // The last lane of each subgroup tells what its lanes have. How many lanes a subgroup has is known when it runs.
            put!(
                self,
                "fn fa_before_{role}(lane: u32, own: {of}) -> {of} {{
  var sum = own;
  for (var step = 1u; step < fa_subgroup_size; step *= 2u) {{
    let earlier = fa_shift_{role}(sum, step);
    if (fa_subgroup_lane >= step) {{ sum = {merge}(earlier, sum); }}
  }}
  let earlier = fa_shift_{role}(sum, 1u);
  let number = lane / fa_subgroup_size;
  if (fa_subgroup_lane == fa_subgroup_size - 1u) {{ fa_lanes_{role}[number] = sum; }}
  workgroupBarrier();
  var before = {none};
  for (var k = 0u; k < number; k += 1u) {{ before = {merge}(before, fa_lanes_{role}[k]); }}
  if (fa_subgroup_lane > 0u) {{ before = {merge}(before, earlier); }}
  return before;
}}
fn fa_all_{role}(lane: u32, own: {of}) -> {of} {{
  var sum = own;
  for (var step = 1u; step < fa_subgroup_size; step *= 2u) {{
    let earlier = fa_shift_{role}(sum, step);
    if (fa_subgroup_lane >= step) {{ sum = {merge}(earlier, sum); }}
  }}
  if (fa_subgroup_lane == fa_subgroup_size - 1u) {{ fa_lanes_{role}[lane / fa_subgroup_size] = sum; }}
  workgroupBarrier();
  var all = {none};
  for (var k = 0u; k < ({group}u + fa_subgroup_size - 1u) / fa_subgroup_size; k += 1u) {{ all = {merge}(all, fa_lanes_{role}[k]); }}
  return all;
}}"
            );
            return;
        }
        put!(
            self,
            "fn fa_all_{role}(lane: u32, own: {of}) -> {of} {{
  fa_lanes_{role}[lane] = own;
  workgroupBarrier();
  for (var step = 1u; step < {group}u; step *= 2u) {{
    if (lane % (2u * step) == 0u) {{ fa_lanes_{role}[lane] = {merge}(fa_lanes_{role}[lane], fa_lanes_{role}[lane + step]); }}
    workgroupBarrier();
  }}
  return fa_lanes_{role}[0];
}}
fn fa_before_{role}(lane: u32, own: {of}) -> {of} {{
  var sum = own;
  fa_lanes_{role}[lane] = sum;
  workgroupBarrier();
  for (var step = 1u; step < {group}u; step *= 2u) {{
    if (lane >= step) {{ sum = {merge}(fa_lanes_{role}[lane - step], sum); }}
    workgroupBarrier();
    fa_lanes_{role}[lane] = sum;
    workgroupBarrier();
  }}
  if (lane == 0u) {{ return {none}; }}
  return fa_lanes_{role}[lane - 1u];
}}"
        );
    }

    /// `fa_shift_ROLE`: the value of the lane of the subgroup that is so many before this one.
    pub(crate) fn shift(&mut self, of: Monoid, role: &str) {
        let shifted = |path: &str| format!("subgroupShuffleUp({path}, by)");
        let fields: Vec<String> = match of {
            STATES => {
                let fields = self.program.state.iter().enumerate();
                fields.map(|(k, of)| gather_from(*of, &format!("value.f{k}"), &shifted)).collect()
            }
            _ => (0..self.program.pushes.len()).map(|k| shifted(&format!("value.c{k}"))).collect(),
        };
        let (of, fields) = (of.of, fields.join(", "));
        put!(self, "fn fa_shift_{role}(value: {of}, by: u32) -> {of} {{ return {of}({fields}); }}");
    }
}
