//! Loops over blocks: the rank that owns a block processes it, once.

use super::nodes::header;
use crate::ir::Local;
use crate::ir::report::{Code, Location, Report};
use crate::plan::{Class, Plan};

/// Rejects elements that a loop pushes from the last block to the first: each rank keeps its elements, and the last rank would have the first.
pub(super) fn refuse_reversed(plan: &Plan, report: &mut Report) {
    let Some(blocks) = plan.source.reversed_blocks() else { return };
    let pushes = plan.accumulators.iter().find(|accumulator| matches!(accumulator.class, Class::Pushes { .. }));
    if let Some(pushes) = pushes {
        let vector = &pushes.place;
        report.error(
            Code::FA023,
            header(&plan.f),
            format!("each rank keeps the elements of `{vector}` that its blocks push, so they are in the order of the blocks, not from the last to the first"),
            format!("go through `{blocks}` without `.rev()`, and reverse `{vector}` afterwards"),
        );
    }
}

/// Rejects all uses of blocks except iterating over them: inside of the function, a number represents each block.
pub fn refuse_other_use(name: Local, place: Location, report: &mut Report) {
    report.error(
        Code::FA023,
        place,
        format!("an annotated function only goes through the blocks `{name}`, in the headers of its parallel loops"),
        format!(
            "write `for mut block in {name}.iter_mut()` or `for block in {name}.iter()`; what one block needs of another, that one sends \
             to it; anything else belongs into the function that calls this one"
        ),
    );
}
