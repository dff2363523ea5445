//! Blocks: a function may only iterate over them, in the headers of its loops.

use crate::classify::refuse_other_use;
use crate::front::function::Function;
use crate::front::items::Items;
use crate::front::waves::{ACTIVE, RECEIVING, RESTS};
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Expr, Id, Kind, Local};
use crate::maps::{HashSet, New as _};
use crate::plan::Plan;

/// Rejects all other uses of blocks: inside of the function, a number represents each block.
pub fn refuse_other_uses(function: &Function, is_planned: impl Fn(Id) -> bool, report: &mut Report) {
    let is_blocks = |name: Local| function.shares.iter().any(|share| share.blocks && share.name == name);
    let mut understood: HashSet<Id> = HashSet::new();
    for e in function.body.nodes() {
        match &e.kind {
            Kind::For(f) if is_planned(e.id) => {
                let mut through = Vec::new();
                Items::of(&f.source).gone_through(&mut through);
                understood.extend(through.iter().map(|of| of.id));
            }
            Kind::Method(receiver, method, args, _) if args.is_empty() && (method == "len" || method == "is_empty") => {
                understood.insert(receiver.bare().id);
            }
            _ => {
                understood.extend(wave(function, e).map(|blocks| blocks.id));
            }
        }
    }
    for e in function.body.nodes() {
        if let Kind::Name(name) = &e.kind
            && is_blocks(*name)
            && !understood.contains(&e.id)
        {
            refuse_other_use(*name, Location::from(e), report);
        }
    }
}

/// Rejects loops that receive, but not in waves, and those that take messages in two ways.
pub fn refuse_other_receiving<'p>(plans: impl Iterator<Item = &'p Plan>, report: &mut Report) {
    for plan in plans.filter(|plan| !plan.source.blocks().is_empty()) {
        let called = |names: &[&str]| {
            plan.f.body.nodes().find(|e| match &e.kind {
                Kind::Method(block, method, args, _) => {
                    let is_block = block.name().is_some_and(|name| plan.f.pattern.binds(name));
                    is_block && args.is_empty() && names.contains(&method.as_str())
                }
                _ => false,
            })
        };
        let Some(receives) = called(&RECEIVING) else { continue };
        if called(&[RESTS]).is_none() {
            report.error(
                Code::FA025,
                receives,
                "a loop that receives visits blocks again, so it goes through nothing but the blocks",
                "write `for block in blocks.iter_mut()` without other iterators; keep the values of a block in the block itself",
            );
        } else if let Some(inbox) = called(&["inbox"]) {
            report.error(
                Code::FA025,
                inbox,
                "this loop takes messages by `receive` and by `inbox`: `inbox` has the messages of one round, and `receive` those of all waves",
                "write `while let Some(message) = block.receive()` in place of `for message in block.inbox()`",
            );
        }
    }
}

/// The blocks whose next wave an expression begins.
pub fn wave<'e>(function: &Function, e: &'e Expr) -> Option<&'e Expr> {
    let Kind::Method(blocks, method, ..) = &e.kind else { return None };
    let blocks = blocks.bare();
    let is_blocks = |name: Local| function.shares.iter().any(|share| share.blocks && share.name == name);
    (method == ACTIVE && blocks.name().is_some_and(is_blocks)).then_some(blocks)
}
