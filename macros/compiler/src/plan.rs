//! The plan of a loop, as plain data: what analysis asks about, [`classify`](crate::classify) fills, and both translations read.

use crate::front::header::Source;
use crate::index::Known;
use crate::ir::report::shown;
use crate::ir::{For, Id, Op};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A loop made ready for both translations.
pub struct Plan {
    pub f: Rc<For>,
    /// As the author wrote it; a recurrence through an array is rewritten.
    pub written: Rc<For>,
    pub source: Source,
    pub slots: Vec<Slot>,
    pub accesses: Vec<Access>,
    pub accumulators: Vec<Accumulator>,
    /// Variables that every iteration sets before it reads them.
    pub privates: Vec<String>,
    /// Whether the body sees a running value.
    pub running: bool,
    /// Whether iterations are proved to write ordered places while compiling.
    pub ordered: bool,
    pub weight: &'static str,
    /// Whether the body calls macros that may do anything.
    pub macros: bool,
    pub captures: Vec<(String, Span)>,
    /// Arrays whose length is asked for.
    pub lengths: BTreeSet<String>,
    /// What replaces lengths in places to write at: `out[out.len() - 1 - i] = e`. A slice is asked before it is borrowed,
    /// what stands for one in a kernel is not.
    pub own_lengths: HashMap<Id, TokenStream>,
    /// Arrays whose shape is asked for.
    pub shapes: BTreeSet<String>,
    /// Array elements of the previous iteration, held in variables.
    pub carried: Vec<Carried>,
    /// What asks for the elements of gathered arrays.
    pub asking: Option<Asking>,
}

/// The part of a body that asks for the elements of gathered arrays.
pub struct Asking {
    /// What runs before each fetch, and the slots that it asks for.
    pub stages: Vec<(TokenStream, Vec<usize>)>,
    /// The slots that each of these parts looks at.
    pub looks: Vec<Vec<usize>>,
    /// Private variables that it sets.
    pub privates: Vec<String>,
    /// The variables from outside of the loop that it hangs on beside the arrays; nothing where it hangs on more.
    pub captures: Option<BTreeSet<String>>,
    /// The reads that it is for, by slot.
    pub reads: Vec<(usize, Vec<String>)>,
}

impl Plan {
    /// How many levels of running values there are, each of which is computed from the inputs and the levels below.
    pub fn levels(&self) -> usize {
        self.accumulators.iter().map(|a| a.level + 1).max().unwrap_or(1)
    }

    /// Whether the reductions run in interleaved lanes: straight code with nothing but operators that forall knows.
    pub fn in_lanes(&self) -> bool {
        let plain = |a: &Accumulator| {
            matches!(a.class, Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Idempotent { .. })
        };
        self.weight == "Light"
            && !self.macros
            && self.levels() == 1
            && self.accumulators.iter().any(plain)
            && self.accumulators.iter().all(|a| plain(a) || self.running && !a.class.is_reduction())
    }
}

/// An array of the loop.
#[derive(Debug, Clone)]
pub struct Slot {
    pub name: String,
    pub element: Option<TokenStream>,
    pub kind: SlotKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    Read,
    /// A writable parameter that this loop only reads.
    ReadOutput,
    /// `#[gather]`, of which iterations ask for elements beforehand.
    Gather,
    Write,
    /// An array that every rank has whole.
    Everywhere,
}

/// One access, in the footprint.
#[derive(Debug, Clone)]
pub struct Access {
    pub slot: usize,
    pub writes: bool,
    pub single: bool,
    pub first: Known,
    pub end: Known,
    /// `#[halo(e)]` stands for an index that is not known.
    pub halo: Option<TokenStream>,
    /// Whether it is one of those that fill a triangle, or a square matrix from one: these never meet.
    pub apart: bool,
    /// The access as a person writes it.
    pub text: String,
}

/// A variable that collects something.
pub struct Accumulator {
    /// The author's place, as code.
    pub place: TokenStream,
    /// Its text.
    pub text: String,
    /// What it is called inside the kernel.
    pub ident: Ident,
    pub class: Class,
    /// What replaces its updates in a chunk that starts from the identity.
    pub edits: HashMap<Id, TokenStream>,
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
        merge: TokenStream,
    },
    Combine {
        merge: TokenStream,
    },
    Best {
        variables: Vec<String>,
        /// What they are called inside the kernel.
        names: Vec<Ident>,
        better: TokenStream,
        hit: Ident,
    },
    Segmented {
        merge: TokenStream,
        exact: &'static str,
        /// Whether the author starts afresh somewhere.
        resets: bool,
    },
    Linear {
        /// Variables of the body that it is computed through.
        through: Vec<String>,
    },
    Bins {
        /// What the bins of a chunk start from, as code.
        fresh: TokenStream,
        merge: TokenStream,
        share: bool,
        /// The operator, where elements are updated as a whole, or the elements of arrays that they are.
        operator: Option<Operator>,
        /// Whether a part of the iterations may be out of range.
        wraps: bool,
    },
    Pushes {
        element: TokenStream,
    },
    /// `init` without `merge` is code that gives both.
    State {
        init: Option<TokenStream>,
        merge: Option<TokenStream>,
    },
    Scratch,
}

/// What merges values of which the later one counts.
pub const LAST: &str = "__b";

impl Class {
    pub fn is_reduction(&self) -> bool {
        !matches!(self, Class::Pushes { .. } | Class::State { .. } | Class::Scratch)
    }

    /// Whether values are put together by this function.
    pub fn merges_by(&self, path: &TokenStream) -> bool {
        let merge = match self {
            Class::Idempotent { merge } | Class::Combine { merge } | Class::Bins { merge, .. } => merge,
            Class::Segmented { merge, .. } => merge,
            _ => return false,
        };
        merge.to_string().contains(&path.to_string())
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
            Class::State { .. } => "state",
            Class::Scratch => "scratch",
        }
    }

    /// How its values are put together, as a person says it.
    pub fn how(&self) -> String {
        let by = |merge: &TokenStream| {
            let text = merge.to_string();
            let words: Vec<&str> =
                text.split(|c: char| c.is_whitespace() || "().".contains(c)).filter(|word| !word.is_empty()).collect();
            let operator =
                ["max", "min", "&&", "||", "&", "|", "^", "+", "*"].into_iter().find(|op| words.contains(op));
            match operator {
                _ if words.contains(&"plus") => " by `+`".to_owned(),
                _ if words.contains(&"times") => " by `*`".to_owned(),
                Some(operator) => format!(" by `{operator}`"),
                None if text.contains("__b >") || text.contains("__a >") => " by `max`".to_owned(),
                None if text.contains("__b <") || text.contains("__a <") => " by `min`".to_owned(),
                None => {
                    let path = text.split("(__a").next().unwrap_or_default().trim().trim_matches(['(', ')', ' ']);
                    format!(" by `{}`", shown(path))
                }
            }
        };
        match self {
            Class::Sum { .. } => " by `+`".to_owned(),
            Class::Difference { .. } => " by `-`".to_owned(),
            Class::Product => " by `*`".to_owned(),
            Class::Parity => " by `^`".to_owned(),
            Class::Idempotent { merge } | Class::Combine { merge } | Class::Bins { merge, .. } => by(merge),
            Class::Segmented { merge, resets: false, .. } => by(merge),
            Class::Segmented { merge, .. } if merge.to_string() == LAST => ", the last value that was set".to_owned(),
            Class::Segmented { merge, .. } => format!("{}, which starts afresh under a condition", by(merge)),
            Class::Best { variables, .. } => {
                format!(", with {}", variables.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "))
            }
            Class::Linear { .. } => " = a * itself + b".to_owned(),
            Class::Pushes { .. } => ", in the order of the iterations".to_owned(),
            Class::State { .. } => ", one for each worker, merged in the order of the iterations".to_owned(),
            Class::Scratch => ", one for each worker".to_owned(),
        }
    }
}

/// An element of the previous iteration.
#[derive(Debug, Clone)]
pub struct Carried {
    pub variable: Ident,
    /// The element that the first iteration reads.
    pub first: TokenStream,
    /// The element that an iteration sets, as a person writes it.
    pub set: String,
    /// The element that it reads.
    pub read: String,
}

/// An associative operator that forall knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    Add,
    Mul,
    Xor,
    /// An operator `x op x = x`, by its text.
    Idempotent(&'static str),
    /// A comparison that keeps the better one: `if e > acc { acc = e }`, as `new op old`.
    Keep(Op),
    /// The same with the other branch, `if acc op e {} else { acc = e }`, as `old op new`: what cannot be compared is kept
    /// as well, and forgets what was before.
    Follow(Op),
    /// A method that wraps: associative, but not one of the plain operators.
    Wrapping(&'static str),
    /// The author's function.
    Combine,
}

impl Operator {
    pub fn of(op: Op) -> Option<Operator> {
        Some(match op {
            Op::Add | Op::Sub => Operator::Add,
            Op::Mul => Operator::Mul,
            Op::Xor => Operator::Xor,
            Op::And => Operator::Idempotent("&"),
            Op::Or => Operator::Idempotent("|"),
            Op::AndAnd => Operator::Idempotent("&&"),
            Op::OrOr => Operator::Idempotent("||"),
            _ => return None,
        })
    }

    pub fn text(&self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Mul => "*",
            Operator::Xor => "^",
            Operator::Idempotent(text) | Operator::Wrapping(text) => text,
            Operator::Keep(op) | Operator::Follow(op) => match op {
                Op::Gt | Op::Ge => "max",
                _ => "min",
            },
            Operator::Combine => "combine",
        }
    }

    /// `a op b` as code, of two values named `__a` and `__b`.
    pub fn merge(&self, combine: Option<&TokenStream>) -> TokenStream {
        match self {
            Operator::Add => quote!(::forall::__private::plus(__a, __b)),
            Operator::Mul => quote!(::forall::__private::times(__a, __b)),
            Operator::Xor => quote!(__a ^ __b),
            Operator::Idempotent("max") => quote!(__a.max(__b)),
            Operator::Idempotent("min") => quote!(__a.min(__b)),
            Operator::Idempotent(text) => {
                let op: TokenStream = text.parse().unwrap_or_default();
                quote!(__a #op __b)
            }
            Operator::Keep(op) => {
                let op: TokenStream = op.text().parse().unwrap_or_default();
                quote!(if __b #op __a { __b } else { __a })
            }
            Operator::Follow(op) => {
                let op: TokenStream = op.text().parse().unwrap_or_default();
                quote!(if __a #op __b { __a } else { __b })
            }
            Operator::Wrapping(method) => {
                let method = quote::format_ident!("{method}");
                quote!(__a.#method(__b))
            }
            Operator::Combine => quote!((#combine)(__a, __b)),
        }
    }
}
