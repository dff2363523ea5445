//! What is known while a loop is classified.

use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{For, Id, Local};
use std::cell::RefCell;
use std::collections::HashSet;

/// What happens to variables after a loop.
#[derive(Clone, Copy)]
pub struct After<'f> {
    /// Whether a variable is mentioned.
    pub live: &'f dyn Fn(Local) -> bool,
    /// Whether what a buffer holds makes a difference: other code may set it anew first.
    pub looked_at: &'f dyn Fn(Local) -> bool,
}

pub(super) struct Classifier<'f> {
    pub function: &'f Function,
    /// The attribute that the loop is held against.
    pub attribute: Attribute,
    pub live: &'f dyn Fn(Local) -> bool,
    pub after: After<'f>,
    /// Whether this is only a question, to find the attribute that fits: then no such question is asked again.
    pub trial: bool,
    /// Variables that a mistake has been found with.
    pub blamed: RefCell<HashSet<Local>>,
    /// Reads that no footprint describes: the node, its place, the message and the help.
    pub opaque: RefCell<Vec<(Id, Location, String, String)>>,
}

impl<'f> Classifier<'f> {
    pub fn new(function: &'f Function, attribute: Attribute, after: After<'f>, trial: bool) -> Self {
        let (blamed, opaque) = (RefCell::default(), RefCell::default());
        Classifier { function, attribute, live: after.live, after, trial, blamed, opaque }
    }

    pub fn blame(&self, name: Local) {
        self.blamed.borrow_mut().insert(name);
    }

    /// Reports the reads that no footprint describes, but those at a place which a variable chooses that is a mistake
    /// itself: mending the one mends the other.
    pub fn opaque_reads(&self, f: &For, report: &mut Report) {
        let blamed = self.blamed.borrow();
        for (id, place, message, help) in self.opaque.take() {
            let follows = f.body.nodes().any(|e| e.id == id && blamed.iter().any(|name| e.mentions(*name)));
            if !follows {
                report.error(Code::FA050, place, message, help);
            }
        }
    }
}
