//! Blocks: a function may only iterate over them, in the headers of its loops.

use crate::classify::refuse_other_use;
use crate::front::function::Function;
use crate::front::items::Items;
use crate::ir::report::{Location, Report};
use crate::ir::{Id, Kind, Local};
use crate::maps::{HashSet, New as _};

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
            _ => {}
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
