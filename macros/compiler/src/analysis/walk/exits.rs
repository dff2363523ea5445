//! The targets of jumps in a loop's body.

/// A labelled block, or a loop.
pub struct Around {
    label: Option<String>,
    is_loop: bool,
}

/// The targets of jumps at the current point of the walk.
#[derive(Default)]
pub struct Exits {
    /// The label of the annotated loop.
    pub own_label: Option<String>,
    /// Labelled blocks and loops inside of it, from the outermost.
    around: Vec<Around>,
    /// Whether code before this point may end the iteration: a `continue`, or a macro that may contain one.
    pub ended: bool,
}

impl Exits {
    pub fn enter(&mut self, label: Option<&String>, is_loop: bool) {
        self.around.push(Around { label: label.cloned(), is_loop });
    }

    pub fn leave(&mut self) {
        self.around.pop();
    }

    /// Whether the target of `break` or `continue` with this label is inside of the annotated loop.
    pub fn is_inside(&self, label: &Option<String>) -> bool {
        match label {
            None => self.around.iter().any(|around| around.is_loop),
            Some(_) => self.around.iter().any(|around| around.label == *label),
        }
    }

    /// Enters a closure, which has its own jump targets. Returns the outer targets.
    pub fn enter_closure(&mut self) -> Vec<Around> {
        std::mem::take(&mut self.around)
    }

    pub fn leave_closure(&mut self, around: Vec<Around>) {
        self.around = around;
    }
}
