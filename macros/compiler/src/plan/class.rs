//! What a loop does to an outer variable.

use crate::ir::{Id, Op};
use crate::plan::operator::{Merge, Operator};
use crate::plan::rewrite::Rewrite;
use proc_macro2::{Ident, Span, TokenStream};
use std::collections::HashMap;

/// A variable that collects something.
pub struct Accumulator {
    /// The author's place, as code.
    pub place: TokenStream,
    /// Its text.
    pub text: String,
    /// What it is called inside the kernel.
    pub ident: Ident,
    pub class: Class,
    /// What stands for its updates in a chunk that starts from the identity.
    pub rewrites: HashMap<Id, Rewrite>,
    /// The statements that update it.
    pub nodes: Vec<Id>,
    /// Where it is updated first.
    pub at: Span,
    /// In a scan: its updates look at running values of lower levels only.
    pub level: usize,
}

impl Accumulator {
    /// The variables that it is about.
    pub fn variables(&self) -> &[String] {
        match &self.class {
            Class::Best { variables, .. } => variables,
            _ => std::slice::from_ref(&self.text),
        }
    }
}

pub enum Class {
    /// Partial sums of integers wrap around where they may be out of range and the whole is not; where overflow is looked
    /// for, they can count how often.
    Sum {
        wraps: bool,
        counts: bool,
    },
    /// A sum of what is subtracted.
    Difference {
        wraps: bool,
    },
    Product,
    Parity,
    Idempotent {
        merge: Merge,
    },
    Combine {
        merge: Merge,
    },
    /// The best value, and what goes with it.
    Best {
        /// The value, and then the others.
        variables: Vec<String>,
        /// What they are called inside the kernel.
        names: Vec<Ident>,
        /// What is compared: the value, or a field of it.
        fields: Vec<String>,
        /// `new op old`.
        op: Op,
        hit: Ident,
    },
    Segmented {
        merge: Merge,
        /// Whether the author starts afresh somewhere.
        resets: bool,
    },
    Linear {
        /// Variables of the body that it is computed through.
        through: Vec<String>,
    },
    /// A histogram.
    Bins {
        leaves: Vec<Leaf>,
        share: bool,
        /// Whether a part of the iterations may be out of range.
        wraps: bool,
    },
    Pushes {
        element: TokenStream,
    },
    State(StateMerge),
    Scratch,
}

/// A part of a histogram's elements, and the operator of its updates.
pub struct Leaf {
    /// How it is reached from an element.
    pub path: Vec<Step>,
    pub operator: Operator,
}

/// A step from an element of an array to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Field(String),
    /// Any element.
    Element,
}

/// How the states of two workers become one.
pub enum StateMerge {
    /// The author's functions: `init = path, merge = path`.
    Named { init: TokenStream, merge: TokenStream },
    /// Maps, whose entries are put together by this function of `core`.
    Keyed(&'static str),
    /// By `forall::Merge`.
    OfType,
}

impl Class {
    pub fn is_reduction(&self) -> bool {
        !matches!(self, Class::Pushes { .. } | Class::State(_) | Class::Scratch)
    }

    /// Whether values are put together by the function of this path.
    pub fn merges_by(&self, path: &TokenStream) -> bool {
        match self {
            Class::Idempotent { merge } | Class::Combine { merge } | Class::Segmented { merge, .. } => {
                merge.is_by(path)
            }
            Class::Bins { leaves, .. } => leaves.iter().any(|leaf| Merge::By(leaf.operator.clone()).is_by(path)),
            _ => false,
        }
    }

    /// The operator of a histogram whose elements, or the elements of arrays that they are, are updated as a whole.
    pub fn operator_of_bins(&self) -> Option<&Operator> {
        match self {
            Class::Bins { leaves, .. } => match leaves.as_slice() {
                [Leaf { path, operator }] if path.iter().all(|step| *step == Step::Element) => Some(operator),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Class::Sum { .. }
            | Class::Difference { .. }
            | Class::Product
            | Class::Parity
            | Class::Idempotent { .. }
            | Class::Combine { .. }
            | Class::Segmented { resets: false, .. } => "reduce",
            Class::Best { .. } => "reduce (best value and place)",
            Class::Segmented { .. } => "segmented scan",
            Class::Linear { .. } => "linear recurrence",
            Class::Bins { .. } => "histogram",
            Class::Pushes { .. } => "push",
            Class::State(_) => "state",
            Class::Scratch => "scratch",
        }
    }

    /// How its values are put together, as a person says it.
    pub fn how(&self) -> String {
        let by = |merge: &Merge| format!(" by `{}`", merge.text());
        match self {
            Class::Sum { .. } => " by `+`".to_owned(),
            Class::Difference { .. } => " by `-`".to_owned(),
            Class::Product => " by `*`".to_owned(),
            Class::Parity => " by `^`".to_owned(),
            Class::Idempotent { merge } | Class::Combine { merge } => by(merge),
            Class::Bins { leaves, .. } => {
                let mut operators: Vec<&str> = Vec::new();
                for leaf in leaves {
                    if !operators.contains(&leaf.operator.text()) {
                        operators.push(leaf.operator.text());
                    }
                }
                format!(" by `{}`", operators.join("`, `"))
            }
            Class::Segmented { merge, resets: false } => by(merge),
            Class::Segmented { merge: Merge::Last, .. } => format!(", {}", Merge::Last.text()),
            Class::Segmented { merge, .. } => format!("{}, which starts afresh under a condition", by(merge)),
            Class::Best { variables, .. } => {
                format!(", with {}", variables.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "))
            }
            Class::Linear { .. } => " = a * itself + b".to_owned(),
            Class::Pushes { .. } => ", in the order of the iterations".to_owned(),
            Class::State(_) => ", one for each worker, merged in the order of the iterations".to_owned(),
            Class::Scratch => ", one for each worker".to_owned(),
        }
    }
}
