//! What a device must know of a program to choose how it runs it.

use super::look_back;
use super::shape::{Pass, body_of, folds};
use crate::bins::{self, Way};
use crate::library;
use forall_core::device::Program;

/// Whether a pass of the program before the last one stores elements of an array that it reads, so that it has to be made
/// what it was.
fn disturbs(program: &Program, array: usize) -> bool {
    let early = match program.pushes.is_empty() {
        false => true,
        true => (0..program.depth()).any(|level| stores_early(program, Pass::Total(level), array)),
    };
    program.arrays[array].writes && early && program.source.contains(&format!("fa_load_{array}("))
}

/// Whether a pass that is not the last stores elements of an array: such that are read later by the same iteration.
pub(crate) fn stores_early(program: &Program, pass: Pass, array: usize) -> bool {
    program.source.contains(&format!("fa_load_{array}("))
        && body_of(program, pass).contains(&format!("fa_store_{array}("))
}

/// What the text of a program says, which is looked through once.
#[derive(Debug)]
pub(crate) struct Facts {
    pub loops: bool,
    pub in_tiles: bool,
    pub looks_back: bool,
    /// Whether it depends on what the device rounds.
    pub rounds: bool,
    /// Whether it depends on what the device makes of zeros.
    pub zeros: bool,
    /// For each array, see [`disturbs`].
    pub disturbs: Vec<bool>,
}

impl Facts {
    /// For `long` see [`bins::way`].
    pub(crate) fn of(program: &Program, long: bool) -> Facts {
        let rounds = ["fa_div_f", "fa_sqrt_f", "fa_recip_", "fa_powi_", "div_euclid_f"];
        Facts {
            loops: loops(program),
            in_tiles: in_tiles(program, long),
            looks_back: look_back::fits(program),
            zeros: library::has_zeros(program.source),
            rounds: rounds.iter().any(|name| program.source.contains(name)),
            disturbs: (0..program.arrays.len()).map(|array| disturbs(program, array)).collect(),
        }
    }
}

/// Whether the body has loops of its own, or calls functions of the library that have.
pub(crate) fn loops(program: &Program) -> bool {
    ["fa_trip(", "fa_pow", "fa_rem_", "_euclid_"].iter().any(|name| program.source.contains(name))
}

/// Whether workgroups can take tiles of this program. For `long` see [`bins::way`].
fn in_tiles(program: &Program, long: bool) -> bool {
    let pushes = !program.pushes.is_empty();
    let twice = program.running || pushes;
    let alone =
        !(program.running && (pushes || program.depth() > 1)) && !(pushes && folds(program) && !program.commutative);
    let rows = program.bins.iter().any(|of| bins::way(of, long) == Way::Rows);
    alone && !rows && !(twice && (0..program.arrays.len()).any(|array| disturbs(program, array)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forall_core::device::{Array, Type};

    const SCAN: Program = Program {
        source: "fn fa_total(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); }
fn fa_iteration(p: u32, s: ptr<function, State>) { (*s).f0 += fa_load_0(p); fa_store_0(p, (*s).f0); }",
        arrays: &[Array { element: Type::U32, writes: true }],
        state: &[Type::U32],
        running: true,
        commutative: true,
        ..Program::EMPTY
    };

    #[test]
    fn only_what_is_stored_before_the_last_pass_is_made_what_it_was() {
        let facts = Facts::of(&SCAN, false);
        assert!(facts.in_tiles && !facts.disturbs[0], "the totals store nothing");
        assert!(!facts.looks_back, "what they read is written");
        let early =
            Program { source: leaked(SCAN.source.replace("(*s).f0 +=", "fa_store_0(p, 1u); (*s).f0 +=")), ..SCAN };
        let facts = Facts::of(&early, false);
        assert!(!facts.in_tiles && facts.disturbs[0]);
        let other = Program {
            source: leaked(SCAN.source.replace("fa_store_0", "fa_store_1")),
            arrays: vec![Array { element: Type::U32, writes: false }, SCAN.arrays[0]].leak(),
            ..SCAN
        };
        assert!(Facts::of(&other, false).looks_back);
        assert!(!Facts::of(&Program { state: &[Type::F32], ..other }, false).looks_back, "floats depend on the order");
        assert!(!Facts::of(&Program { commutative: false, ..other }, false).looks_back);
        let pushing = Program { pushes: &[Type::U32], ..other };
        assert!(!Facts::of(&pushing, false).in_tiles, "counts that depend on running values");
    }

    fn leaked(text: String) -> &'static str {
        text.leak()
    }
}
