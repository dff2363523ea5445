//! The context of classifying a loop.

use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{For, Id, Local};
use crate::maps::HashSet;
use std::cell::RefCell;

/// The uses of variables after a loop.
#[derive(Clone, Copy)]
pub struct After<'f> {
    /// Whether later code reads what the loop leaves in a variable.
    pub live: &'f dyn Fn(Local) -> bool,
}

pub(super) struct Classifier<'f> {
    pub function: &'f Function,
    /// The attribute whose class the loop must have.
    pub attribute: Attribute,
    pub live: &'f dyn Fn(Local) -> bool,
    pub after: After<'f>,
    /// Whether this is only a trial of another attribute: a trial starts no further trials.
    pub trial: bool,
    /// Whether variables that are computed from each other are classified together.
    pub composes: bool,
    /// Whether iterations may read the states of a scan. If none does, only the totals count, as in a reduction.
    pub states_are_read: bool,
    /// Variables with a reported mistake.
    pub blamed: RefCell<HashSet<Local>>,
    /// Reads without a footprint: the node, its location and the message.
    pub opaque: RefCell<Vec<(Id, Location, String)>>,
}

impl<'f> Classifier<'f> {
    pub fn new(function: &'f Function, attribute: Attribute, after: After<'f>, trial: bool) -> Self {
        let (blamed, opaque) = (RefCell::default(), RefCell::default());
        let states_are_read = attribute == Attribute::DistributedScan;
        Classifier {
            function,
            attribute,
            live: after.live,
            after,
            trial,
            composes: false,
            states_are_read,
            blamed,
            opaque,
        }
    }

    pub fn blame(&self, name: Local) {
        self.blamed.borrow_mut().insert(name);
    }

    /// Reports the reads without a footprint, except for those whose index contains a variable with a reported mistake:
    /// the same remedy fixes both.
    pub fn opaque_reads(&self, f: &For, report: &mut Report) {
        let blamed = self.blamed.borrow();
        for (id, place, message) in self.opaque.take() {
            let follows = f.body.nodes().any(|e| e.id == id && blamed.iter().any(|name| e.mentions(*name)));
            if !follows {
                report.error(Code::FA050, place, message, "");
            }
        }
    }
}
