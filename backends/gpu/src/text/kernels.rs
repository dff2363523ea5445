//! The kernels around a body: which positions an invocation takes, and how what it leaves is folded.
//!
//! # Tiles
//! A workgroup takes a *tile* of positions. Neighbouring invocations (*lanes*) take neighbouring positions, step by step, because the memory
//! of a device is fast if they read and write side by side. A workgroup leaves one leaf.
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
//! Other loops take *runs*: each lane takes some positions that follow each other, and leaves a leaf. These are
//! running values that depend on others, bodies that read elements which they wrote before, and states for which a workgroup
//! has no room.

use super::facts::loops;
use super::shape::{COUNTS, Leaf, Monoid, Pass, STATES, Shape, Walk, folds, leaf};
use super::words::{self, word};
use super::writer::{Access, Binding, Writer, put};
use crate::bins::{self, Way};
use forall_core::device::Program;
use std::fmt::Write;

/// Bytes of the text of a body that is long.
const LONG: usize = 4096;

/// The results of the positions of a tile in the memory of the workgroup, before the body runs for good.
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

impl Writer<'_> {
    /// The arguments of a kernel, and the lines with which it begins.
    pub(crate) fn head(&mut self) -> (String, &'static str) {
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

    /// The result of each position of a tile, in the memory of the workgroup.
    pub(crate) fn tile(&mut self, of: Monoid) {
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
    pub(crate) fn value_before_leaf(&mut self, known: usize) -> String {
        let chunks: Vec<String> = (0..known)
            .map(|level| {
                let name = format!("fa_states_before_{level}");
                self.bind(Binding::StatesBefore(level), Access::Read, &name, "array<State>");
                format!("{name}[number]")
            })
            .collect();
        self.value_before(known, &chunks)
    }

    /// The text that makes `state` the running value after these chunks, of the levels below `known`.
    pub(crate) fn value_before(&mut self, known: usize, chunks: &[String]) -> String {
        let mut text = String::new();
        if known > 0 {
            self.bind(Binding::Seed, Access::Read, "fa_seed", "State");
            let _ = writeln!(text, "  if ({} != 0u) {{ state = fa_seed; }}", word(words::SEEDED));
        }
        for chunk in chunks {
            let _ = writeln!(text, "  if ({} > 1u) {{ state = fa_advance(state, {chunk}); }}", word(words::LEAVES));
        }
        text
    }

    /// The text that makes `counts` what was pushed before leaf `number`.
    pub(crate) fn counts_before(&mut self) -> String {
        self.bind(Binding::CountsBefore, Access::Read, "fa_counts_before", "array<fa_Counts>");
        format!("  if ({} > 1u) {{ counts = fa_counts_before[number]; }}\n", word(words::LEAVES))
    }

    /// Binds the leaves, of a pass that leaves some.
    pub(crate) fn leaves(&mut self, of: Option<Monoid>) {
        if let Some(Monoid { of, .. }) = of {
            self.bind(Binding::Leaves, Access::Write, "fa_leaves", &format!("array<{of}>"));
        }
    }

    /// Runs a part of the body for all positions of a tile, and puts what those before each have together in its place.
    fn look_ahead(&mut self, of: Monoid, fresh: &str, body: &str) -> String {
        let each = self.shape.each;
        let look = match of {
            STATES => {
                "var chunk = fa_identity(); fa_total(fa_position, &chunk); fa_tile[fa_place(at)] = chunk;".to_owned()
            }
            _ => format!("{fresh} fa_push_from(fa_Counts()); {body} fa_tile[fa_place(at)] = fa_pushed();"),
        };
        let flag = |value| if of == COUNTS { format!("  fa_counting = {value};\n") } else { String::new() };
        let mut text = flag(true);
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
        text
    }

    /// The text that makes `state` the running value before the tile; what has to be done for it comes first.
    fn values_before_tile(&mut self, text: &mut String) -> String {
        if !self.looks_back() {
            return self.value_before_leaf(1);
        }
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
            last = self.shape.group - 1,
            groups = word(words::GROUPS)
        );
        put!(self, "var<workgroup> fa_sum: State;");
        self.value_before(1, &["tiles_before".to_owned()])
    }

    pub(crate) fn pass_in_tiles(&mut self) {
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
            text.push_str(&self.look_ahead(of, fresh, body));
        }
        match (ahead, left) {
            (Some(STATES), _) => {
                let before = self.values_before_tile(&mut text);
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

    pub(crate) fn pass_in_runs(&mut self) {
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
        if program.bins.iter().any(|of| bins::way(of, self.shape.native.long) == Way::Rows) {
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
    pub(crate) fn pass_with(&mut self, text: &str) {
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
}
