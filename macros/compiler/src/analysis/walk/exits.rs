//! The ways out of a place in a loop's body.

use crate::analysis::leaving::Instead;

/// A labelled block, or a loop.
pub struct Around {
    label: Option<String>,
    is_loop: bool,
}

/// The ways out of the place where the walk is.
#[derive(Default)]
pub struct Exits {
    /// The label of the annotated loop.
    pub own_label: Option<String>,
    /// Labelled blocks and loops inside of it, from the outermost.
    around: Vec<Around>,
    /// Whether something that was walked over may end the iteration: a `continue`, or a macro that may hold one.
    pub ended: bool,
    /// What to write instead of leaving.
    pub instead: Instead,
}

impl Exits {
    pub fn enter(&mut self, label: Option<&String>, is_loop: bool) {
        self.around.push(Around { label: label.cloned(), is_loop });
    }

    pub fn leave(&mut self) {
        self.around.pop();
    }

    /// Whether `break` or `continue` with this label leads to a place inside of the annotated loop.
    pub fn is_inside(&self, label: &Option<String>) -> bool {
        match label {
            None => self.around.iter().any(|around| around.is_loop),
            Some(_) => self.around.iter().any(|around| around.label == *label),
        }
    }

    /// Closures have exits of their own. Gives those around one.
    pub fn enter_closure(&mut self) -> Vec<Around> {
        std::mem::take(&mut self.around)
    }

    pub fn leave_closure(&mut self, around: Vec<Around>) {
        self.around = around;
    }
}
