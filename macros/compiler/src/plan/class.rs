//! What a loop does to an outer variable.

use crate::ir::place::Place;
use crate::ir::{Expr, Id, Kind, Local, Op};
use crate::plan::operator::{Merge, Operator};
use crate::plan::rewrite::Rewrite;
use proc_macro2::{Ident, Span, TokenStream};
use std::collections::HashMap;

/// A variable that collects something.
pub struct Accumulator {
    pub place: Place,
    /// The place as the user wrote it.
    pub tokens: TokenStream,
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
    /// A variable of this class, which nothing stands for yet.
    pub fn new(place: impl Into<Place>, ident: Ident, class: Class, at: Span) -> Self {
        let place = place.into();
        let tokens = place.tokens();
        Accumulator { place, tokens, ident, class, rewrites: HashMap::new(), nodes: Vec::new(), at, level: 0 }
    }

    /// The variables that it is about.
    pub fn variables(&self) -> &[Place] {
        match &self.class {
            Class::Best { variables, .. } => variables,
            _ => std::slice::from_ref(&self.place),
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
    /// The best value, or the first that is found, and what goes with it.
    Best {
        /// The value, and then the others.
        variables: Vec<Place>,
        /// What they are called inside the kernel.
        names: Vec<Ident>,
        better: Better,
        hit: Ident,
    },
    Segmented {
        merge: Merge,
        /// Whether the author starts afresh somewhere.
        resets: bool,
    },
    Linear {
        /// Variables of the body that it is computed through.
        through: Vec<Local>,
    },
    /// A histogram.
    Bins {
        leaves: Vec<Leaf>,
        share: bool,
        /// Whether a part of the iterations may be out of range.
        wraps: bool,
        /// Whether all that is done to an element is `h[k] -= e`.
        falls: bool,
    },
    /// An array that every rank folds its iterations into, in order, and whose elements ranks merge.
    Frame {
        merge: Merge,
        /// Whether a part of the iterations may be out of range.
        wraps: bool,
        /// Whether all that is done to an element is `frame[k] -= e`.
        falls: bool,
        /// Whether iterations do nothing but fold whole layers into it.
        layers: bool,
    },
    Pushes {
        element: TokenStream,
    },
    /// Writes at places that only the data know.
    Scatter {
        element: TokenStream,
        /// The part of an element that is written: `x` of `out[k].x`.
        path: Vec<Step>,
        written: Written,
    },
    State(StateMerge),
    Scratch,
}

/// When what an iteration found takes the place of what was found before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Better {
    /// `new op old`, of the value or of a field of it.
    Than { fields: Vec<String>, op: Op, by: Option<ComparedBy> },
    /// The same of what an `Option` holds, if it holds anything, which has a shape: `(_, _)`. If `total`, all values must compare.
    ThanSome { fields: Vec<String>, op: Op, shape: String, total: bool },
    /// Where nothing was found before.
    First(Missing),
}

/// A method of std that compares two values as an operator does, or two floats by their total order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedBy {
    /// `lt`, `cmp`, `total_cmp`.
    pub method: String,
    /// What its result is compared with, as written: `Ordering::Less`.
    pub ordering: Option<String>,
}

impl ComparedBy {
    /// Whether it is another order than that of the operators.
    pub fn is_total(&self) -> bool {
        self.method == "total_cmp"
    }
}

/// How a variable says that nothing was found yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// `at.is_none()`.
    None,
    /// `!found`.
    False,
}

/// What an iteration does with an element that the data choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// `place = e`.
    Set,
    /// `place op= e`.
    Assign(Op),
    /// `place = place op e`.
    Binary(Op),
    /// `place = place.max(e)`, `if e > place { place = e }`.
    Merge(Operator),
}

impl Written {
    /// The operator, as a person says it.
    pub fn operator(&self) -> Option<&'static str> {
        match self {
            Written::Set => None,
            Written::Assign(op) | Written::Binary(op) => Some(op.text()),
            Written::Merge(operator) => Some(operator.text()),
        }
    }
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

/// How `place` is reached from an element of the array `name`.
pub fn path_below(place: &Expr, name: Local) -> Option<Vec<Step>> {
    match &place.bare().kind {
        Kind::Field(inner, field) => {
            let mut path = path_below(inner, name)?;
            path.push(Step::Field(field.clone()));
            Some(path)
        }
        Kind::Index(inner, _) if inner.name() == Some(name) => Some(Vec::new()),
        Kind::Index(inner, _) if matches!(&inner.bare().kind, Kind::Unary('*', array) if array.name() == Some(name)) => {
            Some(Vec::new())
        }
        Kind::Index(inner, _) => {
            let mut path = path_below(inner, name)?;
            path.push(Step::Element);
            Some(path)
        }
        _ => None,
    }
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
        !matches!(self, Class::Pushes { .. } | Class::Scatter { .. } | Class::State(_) | Class::Scratch)
    }

    /// Whether parts of a histogram's elements are added up or multiplied: a chunk cannot tell whether they leave their type.
    pub fn needs_order(&self) -> bool {
        let sums = |leaf: &Leaf| !leaf.path.is_empty() && matches!(leaf.operator, Operator::Add | Operator::Mul);
        matches!(self, Class::Bins { leaves, .. } if leaves.iter().any(sums))
    }

    /// Whether workers carry it from chunk to chunk.
    pub fn is_carried(&self) -> bool {
        matches!(self, Class::Frame { .. }) || !self.is_reduction()
    }

    /// Whether values are put together by the function of this path.
    pub fn merges_by(&self, path: &TokenStream) -> bool {
        match self {
            Class::Frame { merge, .. } => merge.is_by(path),
            Class::Idempotent { merge } | Class::Combine { merge } | Class::Segmented { merge, .. } => {
                merge.is_by(path)
            }
            Class::Bins { leaves, .. } => leaves.iter().any(|leaf| Merge::By(leaf.operator.clone()).is_by(path)),
            _ => false,
        }
    }

    /// Whether it is a histogram whose bins are a distributed array's, and all start from one value that their type alone tells: then
    /// no rank needs more of them than its share.
    pub fn counts_in_shares(&self) -> bool {
        let whole = |leaf: &Leaf| leaf.path.is_empty() && matches!(leaf.operator, Operator::Add | Operator::Mul);
        matches!(self, Class::Bins { leaves, share: true, .. } if leaves.len() == 1 && leaves.iter().all(whole))
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

    /// The class in the words of the documentation; `running` where iterations see running values.
    pub fn described(&self, running: bool) -> Described {
        let by = |operator: &str| format!(" by `{operator}`");
        let reduce = if running { "scan" } else { "reduce" };
        let (name, by, more) = match self {
            Class::Sum { .. } => (reduce, by("+"), ""),
            Class::Difference { .. } => (reduce, by("-"), ""),
            Class::Product => (reduce, by("*"), ""),
            Class::Parity => (reduce, by("^"), ""),
            Class::Idempotent { merge } | Class::Combine { merge } => (reduce, by(&merge.text()), ""),
            Class::Best { .. } if running => ("scan", String::new(), ""),
            Class::Best { better: Better::First(_), .. } => ("reduce (first match)", String::new(), ""),
            Class::Best { .. } => ("reduce (best value and place)", String::new(), ""),
            Class::Segmented { merge, resets: false } => (reduce, by(&merge.text()), ""),
            Class::Segmented { merge: Merge::Last, .. } if !running => ("reduce (last match)", String::new(), ""),
            Class::Segmented { merge: Merge::Last, .. } => {
                ("segmented scan", String::new(), ", the last value that was set")
            }
            Class::Segmented { merge, .. } => {
                ("segmented scan", by(&merge.text()), ", which starts afresh under a condition")
            }
            Class::Linear { .. } => ("linear recurrence", String::new(), " = a * itself + b"),
            Class::Bins { leaves, .. } => {
                let mut operators: Vec<&str> = Vec::new();
                for leaf in leaves {
                    if !operators.contains(&leaf.operator.text()) {
                        operators.push(leaf.operator.text());
                    }
                }
                ("histogram", by(&operators.join("`, `")), "")
            }
            Class::Frame { merge, .. } => {
                (reduce, by(&merge.text()), ", element by element; each rank in order, then the ranks")
            }
            Class::Pushes { .. } => ("push", String::new(), ", in the order of the iterations"),
            Class::Scatter { written, .. } => {
                let by = written.operator().map_or(String::new(), by);
                ("scatter", by, ", at places that only the data know, in the order of the iterations")
            }
            Class::State(_) => ("state", String::new(), ", one for each worker, merged in the order of the iterations"),
            Class::Scratch => ("scratch", String::new(), ", one for each worker"),
        };
        let more = match self {
            Class::Best { variables, .. } => {
                format!(", with {}", variables.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "))
            }
            _ => more.to_owned(),
        };
        Described { name, by, more }
    }
}

/// A class in the words of the documentation.
pub struct Described {
    pub name: &'static str,
    /// `` by `+` ``, where there is an operator.
    pub by: String,
    /// What else there is to tell.
    pub more: String,
}
