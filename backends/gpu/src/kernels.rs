//! The kernels around a body: which positions an invocation takes, and how what it leaves is folded.
//!
//! # Tiles
//! A workgroup takes a *tile* of positions, of which neighbouring invocations (*lanes*) take neighbouring ones, step by step: they
//! read and write side by side, which is what the memory of a device is fast at. A workgroup leaves one leaf.
//!
//! | loop | of a tile |
//! |---|---|
//! | maps | each lane runs its positions |
//! | reduces | each lane has a chunk of its positions, and the lanes' chunks merge; where the order counts, each position has a chunk in the memory of the workgroup, and these merge |
//! | scans, pushes | *ahead*: each position's chunk (or count) goes to the memory of the workgroup, and is replaced by what all positions of the tile before it have together. Then each position runs from that |
//!
//! A position of a scan or a push runs twice in its last pass, then: the second time its elements are in the caches.
//!
//! # Runs
//! What a tile cannot do is done in *runs*: each lane takes some positions that follow each other, and leaves a leaf. These are
//! running values that depend on others, bodies that read elements which they wrote before, and states for which a workgroup
//! has no room.

use crate::bins::{self, Way};
use crate::template::{Access, Leaf, Pass, Shape, Slot, Walk, Writer, folds, leaf, loops, put, word, words};
use forall_core::device::{Program, Type};
use std::fmt::Write;

/// Leaves that an invocation of the tree takes.
pub(crate) const LEAVES: u32 = 8;

/// Bytes of the text of a body that is long.
const LONG: usize = 4096;

/// What is folded: its type, what changes nothing, and what puts two together, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Monoid {
    of: &'static str,
    none: &'static str,
    merge: &'static str,
}

pub(crate) const STATES: Monoid = Monoid { of: "State", none: "fa_identity()", merge: "fa_merge" };
const COUNTS: Monoid = Monoid { of: "fa_Counts", none: "fa_Counts()", merge: "fa_merge_counts" };

impl Monoid {
    /// Of these leaves, where there are some.
    pub(crate) fn of(leaf: Leaf) -> Option<Monoid> {
        match leaf {
            Leaf::Nothing => None,
            Leaf::State => Some(STATES),
            Leaf::Counts => Some(COUNTS),
        }
    }
}

/// What the positions of a tile leave in the memory of the workgroup before the body runs for good.
pub(crate) fn ahead(program: &Program, pass: Pass) -> Option<Monoid> {
    match pass {
        Pass::Iterate if program.running => Some(STATES),
        Pass::Iterate if !program.pushes.is_empty() => Some(COUNTS),
        _ => None,
    }
}

/// Whether the chunks of a tile merge in the order of the positions.
fn ordered(program: &Program, pass: Pass) -> bool {
    leaf(program, pass) == Leaf::State && !program.commutative
}

/// Bytes of the memory of a workgroup that a loop's passes need, where states and counts have so many bytes.
pub(crate) fn room(program: &Program, group: u32, each: u32, state: u64) -> u64 {
    let (group, each) = (u64::from(group), u64::from(each));
    let counts = 4 * program.pushes.len() as u64;
    // Of the leaves and of what is ahead, or looked back at.
    let lanes = group * (2 * state + counts);
    let apart = program.running || !program.commutative;
    let tile = group * (each + 1) * if apart { state.max(counts) } else { counts };
    lanes + tile
}

/// A value put together of its numbers, each of which is made of its path: an expression. Fields of a `State` are so.
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
    /// What puts two counts of pushed elements together.
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
    fn shift(&mut self, of: Monoid, role: &str) {
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

    /// The arguments of a kernel, and the lines with which it begins.
    fn head(&mut self) -> (String, &'static str) {
        let mut arguments = "@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, \
                             @builtin(local_invocation_index) lane: u32"
            .to_owned();
        let mut first = "  let tile = group.y * groups.x + group.x;";
        if self.shape.subgroups {
            arguments.push_str(", @builtin(subgroup_size) size_of_subgroup: u32, @builtin(subgroup_invocation_id) lane_of_subgroup: u32");
            first = "  let tile = group.y * groups.x + group.x;
  fa_subgroup_size = size_of_subgroup;
  fa_subgroup_lane = lane_of_subgroup;";
        }
        (arguments, first)
    }

    /// What each position of a tile leaves, in the memory of the workgroup.
    fn tile(&mut self, of: Monoid) {
        let (Shape { group, each, .. }, Monoid { of, none, merge }) = (self.shape, of);
        // One place more for each lane, so that lanes that go through their places at the same time use different banks.
        put!(
            self,
            "var<workgroup> fa_tile: array<{of}, {}>;
fn fa_place(at: u32) -> u32 {{ return at + at / {each}u; }}
// What the places of this lane have together, of those that follow each other.
fn fa_own(lane: u32) -> {of} {{
  var sum = {none};
  for (var k = 0u; k < {each}u; k += 1u) {{ sum = {merge}(sum, fa_tile[lane * {}u + k]); }}
  return sum;
}}",
            group * (each + 1),
            each + 1,
        );
    }

    /// Runs a text for each position `at` of the tile, and another one for the places behind the last position.
    pub(crate) fn walk(&self, run: &str, rest: &str) -> String {
        let Shape { group, each, .. } = self.shape;
        let at = format!("let at = k * {group}u + lane;");
        let position = format!("fa_position = {} + first + at;", word(words::START));
        let rest = if rest.is_empty() { String::new() } else { format!(" else {{ {rest} }}") };
        let part = format!(
            "  for (var k = 0u; k < {each}u; k += 1u) {{
    {at}
    if (at < size) {{ {position} {run} }}{rest}
  }}\n"
        );
        // Without conditions what several steps read is asked for at once. A body that is long or has loops has enough to do.
        if each == 1 || self.program.source.len() > LONG || loops(self.program) {
            return part;
        }
        format!(
            "  if (size == {}u) {{
  for (var k = 0u; k < {each}u; k += 1u) {{ {at} {position} {run} }}
  }} else {{
{part}  }}\n",
            group * each
        )
    }

    /// The kernel that runs the body.
    pub(crate) fn pass(&mut self) {
        self.counts();
        match self.shape.walk {
            Walk::Tiles => self.pass_in_tiles(),
            Walk::Runs => self.pass_in_runs(),
        }
    }

    /// The text that makes `state` the running value before leaf `number`, of the levels below `known`.
    fn value_before_leaf(&mut self, known: usize) -> String {
        let chunks: Vec<String> = (0..known)
            .map(|level| {
                let name = format!("fa_states_before_{level}");
                self.bind(Slot::StatesBefore(level), Access::Read, &name, "array<State>");
                format!("{name}[number]")
            })
            .collect();
        self.value_before(known, &chunks)
    }

    /// The text that makes `state` the running value after these chunks, of the levels below `known`.
    fn value_before(&mut self, known: usize, chunks: &[String]) -> String {
        let mut text = String::new();
        if known > 0 {
            self.bind(Slot::Seed, Access::Read, "fa_seed", "State");
            let _ = writeln!(text, "  if ({} != 0u) {{ state = fa_seed; }}", word(words::SEEDED));
        }
        for chunk in chunks {
            let _ = writeln!(text, "  if ({} > 1u) {{ state = fa_advance(state, {chunk}); }}", word(words::LEAVES));
        }
        text
    }

    /// The text that makes `counts` what was pushed before leaf `number`.
    fn counts_before(&mut self) -> String {
        self.bind(Slot::CountsBefore, Access::Read, "fa_counts_before", "array<fa_Counts>");
        format!("  if ({} > 1u) {{ counts = fa_counts_before[number]; }}\n", word(words::LEAVES))
    }

    /// Binds the leaves, of a pass that leaves some.
    fn leaves(&mut self, of: Option<Monoid>) {
        if let Some(Monoid { of, .. }) = of {
            self.bind(Slot::Leaves, Access::Write, "fa_leaves", &format!("array<{of}>"));
        }
    }

    fn pass_in_tiles(&mut self) {
        let (program, pass) = (self.program, self.variant.pass);
        let Shape { group, each, .. } = self.shape;
        let (ahead, left) = (ahead(program, pass), Monoid::of(leaf(program, pass)));
        self.leaves(left);
        let ordered = ordered(program, pass);
        if let Some(of) = ahead.or(left.filter(|_| ordered)) {
            self.tile(of);
        }
        if let Some(of) = ahead {
            self.lanes(of, group, "ahead");
        }
        if let Some(of) = left {
            self.lanes(of, group, "left");
        }
        let body = match pass {
            Pass::Total(_) => "fa_total(fa_position, &state);",
            _ if folds(program) => "fa_iteration(fa_position, &state);",
            _ => "fa_iteration(fa_position);",
        };
        let fresh = if folds(program) { "var state = fa_identity();" } else { "" };
        let (make, keep) = self.near();
        let mut text = make;
        if self.looks_back() {
            self.chain();
        }
        if let Some(of) = ahead {
            let look = match of {
                STATES => "var chunk = fa_identity(); fa_total(fa_position, &chunk); fa_tile[fa_place(at)] = chunk;"
                    .to_owned(),
                _ => format!("{fresh} fa_push_from(fa_Counts()); {body} fa_tile[fa_place(at)] = fa_pushed();"),
            };
            let flag = |value| if of == COUNTS { format!("  fa_counting = {value};\n") } else { String::new() };
            text.push_str(&flag(true));
            text.push_str(&self.walk(&look, &format!("fa_tile[fa_place(at)] = {};", of.none)));
            text.push_str(&flag(false));
            // What it raised counts, but an earlier position may raise something when it runs for good.
            let _ = writeln!(
                text,
                "  fa_stop = false;
  workgroupBarrier();
  var before = fa_before_ahead(lane, fa_own(lane));
  for (var k = 0u; k < {each}u; k += 1u) {{
    let next = fa_tile[lane * {stride}u + k];
    fa_tile[lane * {stride}u + k] = before;
    before = {merge}(before, next);
  }}
  workgroupBarrier();",
                stride = each + 1,
                merge = of.merge
            );
        }
        match (ahead, left) {
            (Some(STATES), _) => {
                let before = match self.looks_back() {
                    true => {
                        let _ = writeln!(
                            text,
                            "  if (lane == {last}u) {{ fa_sum = before; fa_tell_own(tile, before, select(1u, 2u, tile == 0u)); }}
  workgroupBarrier();
  let tiles_before = fa_look_back(tile, lane);
  if (lane == 0u) {{
    let all = fa_merge(tiles_before, fa_sum);
    fa_tell_own(tile, all, 2u);
    if (tile == {groups} - 1u) {{ fa_leaves[0] = all; }}
  }}",
                            last = group - 1,
                            groups = word(words::GROUPS)
                        );
                        put!(self, "var<workgroup> fa_sum: State;");
                        self.value_before(1, &["tiles_before".to_owned()])
                    }
                    false => self.value_before_leaf(1),
                };
                let _ = write!(text, "  {fresh}\n{before}  let value = state;\n");
                text.push_str(&self.walk(&format!("var state = fa_advance(value, fa_tile[fa_place(at)]); {body}"), ""));
            }
            _ => {
                let from = match ahead {
                    Some(_) => {
                        let before = self.counts_before();
                        let _ = write!(text, "  var counts = fa_Counts();\n{before}");
                        "fa_push_from(fa_merge_counts(counts, fa_tile[fa_place(at)])); "
                    }
                    None => "",
                };
                if ordered {
                    let run = format!("{from}{fresh} {body} fa_tile[fa_place(at)] = state;");
                    text.push_str(&self.walk(&run, "fa_tile[fa_place(at)] = fa_identity();"));
                    text.push_str("  workgroupBarrier();\n  let state = fa_own(lane);\n");
                } else {
                    let _ = writeln!(text, "  {fresh}");
                    text.push_str(&self.walk(&format!("{from}{body}"), ""));
                }
            }
        }
        text.push_str(&keep);
        if let Some(of) = left {
            let own = if of == STATES { "state" } else { "fa_pushed()" };
            let _ = writeln!(
                text,
                "  let all = fa_all_left(lane, {own});\n  if (lane == 0u) {{ fa_leaves[number] = all; }}"
            );
        }
        self.pass_with(&format!(
            "  let number = tile;
  let first = tile * {}u;
  let size = min({} - first, {}u);
{text}",
            group * each,
            word(words::COUNT),
            group * each
        ));
    }

    fn pass_in_runs(&mut self) {
        let (program, pass) = (self.program, self.variant.pass);
        let Shape { group, each, .. } = self.shape;
        let mut before = String::new();
        // The levels of running values that are known.
        let known = match pass {
            Pass::Total(level) => level,
            _ if program.running => program.depth(),
            _ => 0,
        };
        if folds(program) {
            before.push_str("  var state = fa_identity();\n");
        }
        before.push_str(&self.value_before_leaf(known));
        // A chunk of the level, beside values of the levels below: these are no part of what it leaves.
        let mut own = String::new();
        if let Pass::Total(level @ 1..) = pass {
            let fields = |of: &dyn Fn(usize) -> bool| -> String {
                let fields = program.levels.iter().enumerate().filter(|(_, level)| of(**level));
                fields.map(|(field, _)| format!(" state.f{field} = fresh.f{field};")).collect()
            };
            let _ = writeln!(before, "  let fresh = fa_identity();{}", fields(&|of| of >= level));
            own = fields(&|of| of < level);
        }
        if pass == Pass::Iterate && !program.pushes.is_empty() {
            let counts = self.counts_before();
            let _ = write!(before, "  var counts = fa_Counts();\n{counts}  fa_push_from(counts);\n");
        }
        let left = Monoid::of(leaf(program, pass));
        self.leaves(left);
        let after = match left {
            None => "",
            Some(STATES) => "fa_leaves[number] = state;",
            Some(_) => "fa_leaves[number] = fa_pushed();",
        };
        if program.bins.iter().any(|of| bins::way(of) == Way::Rows) {
            put!(self, "var<private> fa_row: u32;");
            if pass == Pass::Iterate {
                before.push_str("  fa_row = number;\n");
            }
        }
        let (make, keep) = self.near();
        let call = match (pass, folds(program)) {
            (Pass::Total(0), _) => "fa_total(fa_position, &state);".to_owned(),
            (Pass::Total(level), _) => format!("fa_total_{level}(fa_position, &state);"),
            (_, true) => "fa_iteration(fa_position, &state);".to_owned(),
            (_, false) => "fa_iteration(fa_position);".to_owned(),
        };
        self.pass_with(&format!(
            "  let number = tile * {group}u + lane;
{make}  if (number < {leaves}) {{
{before}  let end = min((number + 1u) * {each}u, {count});
  for (var at = number * {each}u; at < end; at += 1u) {{
    fa_position = {start} + at;
    {call}
    if (fa_stop) {{ break; }}
  }}
  {own} {after}
  }}
{keep}",
            leaves = word(words::LEAVES),
            count = word(words::COUNT),
            start = word(words::START),
        ));
    }

    /// The head of a pass, and its text.
    fn pass_with(&mut self, text: &str) {
        let (arguments, first) = self.head();
        let first = match self.looks_back() {
            true => first.replace("group.y * groups.x + group.x", "fa_take(lane)"),
            false => first.to_owned(),
        };
        put!(
            self,
            "@compute @workgroup_size({})
fn fa_pass({arguments}) {{
{first}
  if (tile >= {}) {{ return; }}
{text}}}",
            self.shape.group,
            word(words::GROUPS)
        );
    }

    /// The kernels of the tree over leaves. `fa_up` replaces each element of a level by what those before it in its span
    /// have together, and leaves what the span has for the level above; `fa_down` puts in front of that what all spans before
    /// have.
    pub(crate) fn tree(&mut self, of: Monoid) {
        let group = self.shape.fold;
        self.lanes(of, group, "tree");
        let Monoid { of, none, merge } = of;
        self.bind(Slot::Lower, Access::Write, "fa_lower", &format!("array<{of}>"));
        self.bind(Slot::Upper, Access::Write, "fa_upper", &format!("array<{of}>"));
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
