//! The facts about a program by which a device chooses how to run it.

use super::look_back;
use super::shape::{Pass, folds};
use crate::bins::{self, Way};
use crate::library;
use forall_core::device::{Array, Program, Touched};

/// The accesses of a pass to the program's arrays.
fn touched(program: &Program, pass: Pass) -> Option<&'static Touched> {
    let (iteration, totals) = program.touched.split_last()?;
    match pass {
        Pass::Total(level) => totals.get(level),
        Pass::Count | Pass::Iterate => Some(iteration),
    }
}

/// Whether the totals load elements of an array.
fn total_loads(program: &Program, array: usize) -> bool {
    touched(program, Pass::Total(0)).is_some_and(|touched| touched.loads.contains(&array))
}

/// Whether a pass that is not the last stores elements of an array: such that are read later by the same iteration.
pub(crate) fn stores_early(program: &Program, pass: Pass, array: usize) -> bool {
    program.touched.iter().any(|touched| touched.loads.contains(&array))
        && touched(program, pass).is_some_and(|touched| touched.stores.contains(&array))
}

/// Whether a pass of the program before the last one stores elements of an array that it reads, so that it has to be made
/// what it was.
fn disturbs(program: &Program, array: usize) -> bool {
    let counts = !program.pushes.is_empty() && program.touched.iter().any(|touched| touched.loads.contains(&array));
    let early = counts || (0..program.depth()).any(|level| stores_early(program, Pass::Total(level), array));
    program.arrays[array].writes && early
}

/// The facts about a program, computed once.
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
        Facts {
            loops: loops(program),
            in_tiles: in_tiles(program, long),
            looks_back: looks_back(program),
            zeros: library::has_zeros(program.source),
            rounds: library::rounds(program.source),
            disturbs: (0..program.arrays.len()).map(|array| disturbs(program, array)).collect(),
        }
    }
}

/// Whether the body has loops of its own, or calls functions of the library that have.
pub(crate) fn loops(program: &Program) -> bool {
    program.loops || library::has_loops(program.source)
}

/// Whether tiles can look back: what the totals depend on is read again later than others write.
fn looks_back(program: &Program) -> bool {
    let changes = |(number, array): (usize, &Array)| array.writes && total_loads(program, number);
    look_back::fits(program) && !program.arrays.iter().enumerate().any(changes)
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
    use forall_core::device::Type;

    const SCAN: Program = Program {
        arrays: &[Array { element: Type::U32, writes: true }],
        state: &[Type::U32],
        running: true,
        commutative: true,
        touched: &[Touched { loads: &[0], stores: &[] }, Touched { loads: &[0], stores: &[0] }],
        ..Program::EMPTY
    };

    #[test]
    fn only_what_is_stored_before_the_last_pass_is_made_what_it_was() {
        let facts = Facts::of(&SCAN, false);
        assert!(facts.in_tiles && !facts.disturbs[0], "the totals store nothing");
        assert!(!facts.looks_back, "what they read is written");
        let early = Program { touched: &[Touched { loads: &[0], stores: &[0] }; 2], ..SCAN };
        let facts = Facts::of(&early, false);
        assert!(!facts.in_tiles && facts.disturbs[0]);
        let other = Program {
            touched: &[Touched { loads: &[0], stores: &[] }, Touched { loads: &[0], stores: &[1] }],
            arrays: vec![Array { element: Type::U32, writes: false }, SCAN.arrays[0]].leak(),
            ..SCAN
        };
        assert!(Facts::of(&other, false).looks_back);
        assert!(!Facts::of(&Program { state: &[Type::F32], ..other }, false).looks_back, "floats depend on the order");
        assert!(!Facts::of(&Program { commutative: false, ..other }, false).looks_back);
        let pushing = Program { pushes: &[Type::U32], ..other };
        assert!(!Facts::of(&pushing, false).in_tiles, "counts that depend on running values");
    }
}
