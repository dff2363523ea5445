//! Scans that read their input once.
//!
//! Each tile publishes its own total in a chain in the memory of the device. Then it looks back over the tiles before it, as
//! many at once as it has lanes, until it finds one with the total of all positions up to its end. With this it publishes its
//! own total of that kind. Tiles are taken in the order in which workgroups begin. Nobody promises that a workgroup goes on
//! while others wait for it. If a tile has not published anything for some time, the waiting tile computes and publishes its
//! total (Smith, Levien and Owens, "Decoupled Fallback", 2025).
//!
//! How far a tile looks back depends on the moment, and with it the order in which chunks merge: so this is for operators that
//! are exact in any order. A state is published in words, each with a mark and a half of a word of the state: a state that is
//! half old and half new is detected by its marks.

use super::shape::{Pass, STATES, Shape, Walk};
use super::words::{self, word};
use super::writer::{Access, Binding, Writer, put};
use crate::ways::LookBack;
use forall_core::device::{Program, Type};
use std::fmt::Write;

/// The most words of a state.
const WORDS: usize = 4;

/// How often a tile looks for another one that tells nothing, before it helps.
const PATIENCE: u32 = 64;

/// The words of a `State`, each by its path and whether it has a sign; nothing where it is not exact, or too large.
fn state_words(program: &Program) -> Option<Vec<(String, bool)>> {
    let mut all = Vec::new();
    for (k, of) in program.state.iter().enumerate() {
        match of {
            Type::Bool | Type::U8 | Type::U16 | Type::U32 => all.push((format!("f{k}"), false)),
            Type::I8 | Type::I16 | Type::I32 => all.push((format!("f{k}"), true)),
            Type::Usize | Type::Isize => all.extend(["x", "y"].map(|half| (format!("f{k}.{half}"), false))),
            _ => return None,
        }
    }
    (all.len() <= WORDS).then_some(all)
}

/// Whether the states of a program can be told so.
pub(crate) fn fits(program: &Program) -> bool {
    program.running && program.commutative && state_words(program).is_some()
}

/// Bytes of the chain over so many tiles.
pub(crate) fn chain(program: &Program, tiles: u64) -> u64 {
    4 * (1 + 2 * tiles * state_words(program).map_or(0, |words| words.len()) as u64)
}

impl Writer<'_> {
    /// Whether this pass looks back.
    pub(crate) fn looks_back(&self) -> bool {
        let Shape { walk, look_back, .. } = self.shape;
        walk == Walk::Tiles && look_back != LookBack::No && self.variant.pass == Pass::Iterate && self.program.running
    }

    /// `fa_take`, the number of the next tile; `fa_tell` and `fa_look`, to and from the chain; and `fa_look_back`, what all tiles
    /// before this one have, for every lane. It is one text, and long for that.
    pub(crate) fn chain(&mut self) {
        let Shape { group, each, .. } = self.shape;
        let all = state_words(self.program).unwrap_or_default();
        self.bind(Binding::Chain, Access::Write, "fa_chain", "array<atomic<u32>>");
        self.bind(Binding::Leaves, Access::Write, "fa_leaves", "array<State>");
        let (mut tell, mut look) = (String::new(), String::new());
        for (k, (path, signed)) in all.iter().enumerate() {
            let own = if *signed { format!("bitcast<u32>(state.{path})") } else { format!("state.{path}") };
            let _ = write!(
                tell,
                "\n  atomicMax(&fa_chain[at + {}u], (mark << 30u) | ({own} & 0xffffu));
  atomicMax(&fa_chain[at + {}u], (mark << 30u) | ({own} >> 16u));",
                2 * k,
                2 * k + 1
            );
            let both = "(low & 0xffffu) | (high << 16u)";
            let value = if *signed { format!("bitcast<i32>({both})") } else { both.to_owned() };
            let _ = write!(
                look,
                "\n  {{
    let low = atomicLoad(&fa_chain[at + {}u]); let high = atomicLoad(&fa_chain[at + {}u]);
    told.mark = select(0u, low >> 30u, low >> 30u == high >> 30u && ({k}u == 0u || low >> 30u == told.mark));
    told.state.{path} = {value};
  }}",
                2 * k,
                2 * k + 1
            );
        }
        let (stride, none) = (2 * all.len(), "fa_identity()");
        let (shy, patience) = match self.shape.look_back {
            LookBack::Shy => ("if (tile % 3u == 1u) { return; } ", 1),
            _ => ("", PATIENCE),
        };
        let total = self.walk("fa_total(fa_position, &state);", "");
        self.lanes(STATES, group, "chain");
        put!(
            self,
            "var<workgroup> fa_ticket: u32;
var<workgroup> fa_known: atomic<u32>;
var<workgroup> fa_silent: atomic<u32>;
fn fa_take(lane: u32) -> u32 {{
  if (lane == 0u) {{ fa_ticket = atomicAdd(&fa_chain[0], 1u); }}
  return workgroupUniformLoad(&fa_ticket);
}}
// Mark 1: what the tile has; 2: what all up to its end have.
fn fa_tell(tile: u32, state: State, mark: u32) {{
  let at = 1u + tile * {stride}u;{tell}
}}
// Of its own tile.
fn fa_tell_own(tile: u32, state: State, mark: u32) {{
  {shy}fa_tell(tile, state, mark);
}}
struct fa_Told {{ mark: u32, state: State }}
fn fa_look(tile: u32) -> fa_Told {{
  let at = 1u + tile * {stride}u;
  var told = fa_Told(0u, {none});{look}
  return told;
}}
fn fa_help(tile: u32, lane: u32) {{
  let first = tile * {many}u;
  let size = min({count} - first, {many}u);
  var state = {none};
{total}  let all = fa_all_chain(lane, state);
  if (lane == 0u) {{ fa_tell(tile, all, 1u); }}
  workgroupBarrier();
}}
fn fa_look_back(tile: u32, lane: u32) -> State {{
  var all = {none};
  // The tiles before this one are looked for.
  var end = tile;
  var turns = 0u;
  loop {{
    // Before the first tile there is nothing.
    var told = fa_Told(2u, {none});
    if (lane < end) {{ told = fa_look(end - 1u - lane); }}
    if (lane == 0u) {{ atomicStore(&fa_known, {group}u); atomicStore(&fa_silent, {group}u); }}
    workgroupBarrier();
    if (told.mark == 2u) {{ atomicMin(&fa_known, lane); }}
    if (told.mark == 0u) {{ atomicMin(&fa_silent, lane); }}
    let known = workgroupUniformLoad(&fa_known);
    let silent = workgroupUniformLoad(&fa_silent);
    let seen = min(known + 1u, silent);
    if (seen > 0u) {{
      var own = {none};
      if (lane < seen) {{ own = told.state; }}
      all = fa_merge(fa_all_chain(lane, own), all);
      turns = 0u;
    }}
    if (known < silent) {{ break; }}
    end -= seen;
    turns += 1u;
    if (lane == 0u) {{ fa_ticket = turns; }}
    if (workgroupUniformLoad(&fa_ticket) > {patience}u) {{
      fa_help(end - 1u, lane);
      turns = 0u;
    }}
  }}
  return all;
}}",
            many = group * each,
            count = word(words::COUNT),
        );
    }
}
