//! The class of a loop's update to an outer variable: reduction, histogram, scatter, scan and others.

use crate::ir::place::Place;
use crate::ir::print::{Edit, expr};
use crate::ir::{Expr, Id, Kind, Local, Op};
use crate::maps::{HashMap, New as _};
use crate::plan::operator::{Merge, Operator};
use crate::plan::rewrite::Rewrite;
use crate::plan::transfer::{Assignments, Semiring, States};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// An outer variable that the iterations of the loop update.
pub struct Accumulator {
    pub place: Place,
    /// The place as the user wrote it.
    pub tokens: TokenStream,
    /// The variable's name inside the kernel.
    pub ident: Ident,
    pub class: Class,
    /// The replacements of its updates in a chunk that starts from the identity.
    pub rewrites: HashMap<Id, Rewrite>,
    /// The statements that update it.
    pub nodes: Vec<Id>,
    /// The first update.
    pub at: Span,
    /// In a scan: the updates read only scan states of lower levels.
    pub level: usize,
}

impl Accumulator {
    /// A variable of this class, without replacements of its updates.
    pub fn new(place: impl Into<Place>, ident: Ident, class: Class, at: Span) -> Self {
        let place = place.into();
        let tokens = place.tokens();
        Accumulator { place, tokens, ident, class, rewrites: HashMap::new(), nodes: Vec::new(), at, level: 0 }
    }

    /// The places that it updates.
    pub fn variables(&self) -> &[Place] {
        match &self.class {
            Class::Best { variables, .. } | Class::Machine { variables, .. } => variables,
            Class::System(system) => &system.variables,
            _ => std::slice::from_ref(&self.place),
        }
    }
}

pub enum Class {
    /// Partial sums of integers wrap around if they may leave the range although the whole sum does not. With overflow
    /// checks, they can count the overflows.
    Sum {
        wraps: bool,
        counts: bool,
    },
    /// The sum of the subtracted values.
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
    /// The best value, or the first match, and the values that belong to it.
    Best {
        /// The compared value, and then the others.
        variables: Vec<Place>,
        /// The names of these variables inside the kernel.
        names: Vec<Ident>,
        better: Better,
        hit: Ident,
        /// Whether iterations record that they have set the values. Otherwise the values after the chunk tell.
        records: bool,
        /// The variables of the body that are computed from them.
        through: Vec<Local>,
    },
    Segmented {
        merge: Merge,
        /// Whether an iteration can reset the accumulator.
        resets: bool,
    },
    Linear {
        /// The variables of the body through which the recurrence is computed.
        through: Vec<Local>,
    },
    /// Variables that are computed from each other.
    System(System),
    /// Variables that take a finite number of values.
    Machine {
        variables: Vec<Place>,
        /// The names of these variables inside the kernel.
        names: Vec<Ident>,
        states: States,
    },
    /// A histogram.
    Bins {
        leaves: Vec<Leaf>,
        share: bool,
        /// Whether only a part of the iterations may be out of range.
        wraps: bool,
        /// Whether all updates of an element have the form `h[k] -= e`.
        falls: bool,
    },
    /// An array into which every rank folds its iterations, in order. The ranks then merge their elements.
    Frame {
        merge: Merge,
        /// Whether only a part of the iterations may be out of range.
        wraps: bool,
        /// Whether all updates of an element have the form `frame[k] -= e`.
        falls: bool,
        /// Whether iterations only fold whole layers into the array.
        layers: bool,
    },
    Pushes {
        element: TokenStream,
    },
    /// Writes at indices that depend on data.
    Scatter {
        element: TokenStream,
        /// The written part of an element: `x` of `out[k].x`.
        path: Vec<Step>,
        written: Written,
    },
    State(StateMerge),
    Scratch,
}

/// Variables whose transfer functions compose.
pub struct System {
    pub variables: Vec<Place>,
    /// The names of these variables inside the kernel.
    pub names: Vec<Ident>,
    /// The variables of the body through which they are computed. Their rows follow those of the variables.
    pub locals: Vec<Local>,
    pub semiring: Semiring,
    /// Whether sums start from each variable.
    pub summed: Vec<bool>,
    /// Which parts of the rows may be present, of maxima or minima: bits for `core`.
    pub present: u64,
    /// Which bounds there may be: bits for `core`.
    pub bounds: u8,
    /// One iteration, if the factors are the same in all iterations.
    pub step: Vec<Assignments>,
}

/// When the values of an iteration replace the previous best values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Better {
    /// `new op old`, for the keys of the values. If `total`, a new key that compares with nothing replaces the old values too. The flag is the
    /// number of the variable that says whether there are old values, with the condition that there are none.
    Than {
        key: Box<Key>,
        op: Op,
        total: bool,
        by: Option<ComparedBy>,
        flag: Option<(usize, Missing)>,
        tie: Option<Tie>,
    },
    /// The same comparison for the value in an `Option`, if it is `Some`, with this shape: `(_, _)`.
    ThanSome { fields: Vec<String>, op: Op, shape: String, total: bool, by: Option<ComparedBy> },
    /// Only if there is no earlier match.
    First(Missing),
}

impl Better {
    /// Whether a chunk that has set nothing changes nothing when it merges: its values are those before the loop, and no better than any
    /// others. Without a value before the loop, the flag tells.
    pub fn merges_unset(&self) -> bool {
        match self {
            Better::Than { op, total, tie, .. } => {
                let strict = |op: &Op| matches!(op, Op::Lt | Op::Gt);
                !total && strict(op) && tie.as_ref().is_none_or(|tie| strict(&tie.op))
            }
            // rustc checks that all values compare, if that matters.
            Better::ThanSome { op, .. } => matches!(op, Op::Lt | Op::Gt),
            // A match may leave the condition as it is.
            Better::First(Missing::Where(_)) => false,
            Better::First(_) => true,
        }
    }

    /// Whether a key that compares with nothing has another effect in a chunk than in the sequential loop.
    pub fn compares_all(&self) -> bool {
        matches!(self, Better::Than { total: true, .. } | Better::Than { flag: Some(_), .. })
    }
}

/// The compared key of a place's value, as an expression: `best`, `best.0`, `best.abs()`.
#[derive(Debug, Clone)]
pub struct Key {
    pub place: Place,
    pub of: Expr,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.place == other.place && self.of.is_written_as(&other.of)
    }
}

impl Eq for Key {}

impl Key {
    /// The key of the place.
    pub fn as_written(&self) -> TokenStream {
        let of = &self.of.tokens;
        if accessor_of(&self.of, &self.place).is_some() { of.clone() } else { quote!((#of)) }
    }

    /// The key of another value, which these tokens give.
    pub fn of_tokens(&self, value: &TokenStream) -> TokenStream {
        let value = Expr { id: 0, kind: Kind::Path, span: self.of.span, tokens: value.clone() };
        self.of_value(&value)
    }

    /// The key of another value.
    pub fn of_value(&self, value: &Expr) -> TokenStream {
        struct Put<'a>(&'a Key, &'a Expr);
        impl Edit for Put<'_> {
            fn edits(&self, e: &Expr) -> bool {
                accessor_of(e, &self.0.place).is_some_and(|fields| part_of(self.1, &fields).is_some())
            }

            fn expr(&self, e: &Expr) -> Option<TokenStream> {
                let fields = accessor_of(e, &self.0.place)?;
                part_of(self.1, &fields).map(|part| part.tokens.clone())
            }
        }
        expr(&self.of, &Put(self, value))
    }
}

/// The fields that lead from a place to an expression.
pub fn accessor_of(e: &Expr, place: &Place) -> Option<Vec<String>> {
    if e.is(place) {
        return Some(Vec::new());
    }
    match &e.bare().kind {
        Kind::Field(base, name) => {
            let mut fields = accessor_of(base, place)?;
            fields.push(name.clone());
            Some(fields)
        }
        _ => None,
    }
}

/// The part of a tuple or struct expression at the end of this path of fields.
fn part_of<'e>(e: &'e Expr, fields: &[String]) -> Option<&'e Expr> {
    let Some((first, rest)) = fields.split_first() else { return Some(e) };
    match &e.bare().kind {
        Kind::Tuple(parts) => part_of(parts.get(first.parse::<usize>().ok()?)?, rest),
        Kind::Struct(_, parts, None) => {
            let (_, part) = parts.iter().find(|(name, _)| name.to_string() == *first)?;
            part_of(part, rest)
        }
        _ => None,
    }
}

/// A method of std that compares two values as an operator does, or two floats by their total order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedBy {
    /// `lt`, `cmp`, `total_cmp`.
    pub method: String,
    /// The `Ordering` with which the result is compared, as written: `Ordering::Less`.
    pub ordering: Option<String>,
}

impl ComparedBy {
    /// Whether it compares all values, also those that are not numbers.
    pub fn compares_all(&self) -> bool {
        self.is_total() || self.method == "cmp"
    }

    /// Whether its order differs from the order of the operators.
    pub fn is_total(&self) -> bool {
        self.method == "total_cmp"
    }
}

/// The second key of values whose first keys are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tie {
    /// The number of the variable.
    pub number: usize,
    pub key: Box<Key>,
    pub op: Op,
    /// Whether an iteration whose first key is equal leaves the first key as it is: equal keys must be the same.
    pub equal: bool,
}

/// The condition by which a loop tests a variable for that there is no value yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// `at.is_none()`.
    None,
    /// `!found`.
    False,
    /// `first`.
    True,
    /// Another condition on the variable: `at == usize::MAX`.
    Where(Box<Key>),
}

impl Missing {
    /// The condition on a value.
    pub fn holds(&self, value: &TokenStream) -> TokenStream {
        match self {
            Missing::None => quote!(#value.is_none()),
            Missing::False => quote!(!#value),
            Missing::True => value.clone(),
            Missing::Where(key) => {
                let condition = key.of_tokens(value);
                quote!((#condition))
            }
        }
    }
}

/// The update of an element at an index that depends on data.
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
    /// The operator, as text for messages.
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
    /// The path from an element to the part.
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

/// The path from an element of the array `name` to `place`.
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

/// How the loop merges the states of two workers.
pub enum StateMerge {
    /// The user's functions: `init = path, merge = path`.
    Named { init: TokenStream, merge: TokenStream },
    /// Maps. This function of `core` merges their entries.
    Keyed(&'static str),
    /// Vectors of vectors, to which the loop pushes behind so many indices. They merge row by row.
    Rows(usize),
    /// By `forall::Merge`.
    OfType,
}

impl Class {
    pub fn is_reduction(&self) -> bool {
        !matches!(self, Class::Pushes { .. } | Class::Scatter { .. } | Class::State(_) | Class::Scratch)
    }

    /// Whether the loop adds or multiplies parts of a histogram's elements: a chunk cannot detect whether they overflow
    /// their type.
    pub fn needs_order(&self) -> bool {
        let sums = |leaf: &Leaf| !leaf.path.is_empty() && matches!(leaf.operator, Operator::Add | Operator::Mul);
        matches!(self, Class::Bins { leaves, .. } if leaves.iter().any(sums))
    }

    /// Whether workers carry it from chunk to chunk.
    pub fn is_carried(&self) -> bool {
        matches!(self, Class::Frame { .. }) || !self.is_reduction()
    }

    /// Whether the function of this path merges the values.
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

    /// Whether it is a histogram in a distributed array whose bins all start from one value that their type determines.
    /// Each rank then needs only the bins of its share.
    pub fn counts_in_shares(&self) -> bool {
        let whole = |leaf: &Leaf| leaf.path.is_empty() && matches!(leaf.operator, Operator::Add | Operator::Mul);
        matches!(self, Class::Bins { leaves, share: true, .. } if leaves.len() == 1 && leaves.iter().all(whole))
    }

    /// The operator of a histogram whose updates change whole elements, or whole elements of arrays that are its
    /// elements.
    pub fn operator_of_bins(&self) -> Option<&Operator> {
        match self {
            Class::Bins { leaves, .. } => match leaves.as_slice() {
                [Leaf { path, operator }] if path.iter().all(|step| *step == Step::Element) => Some(operator),
                _ => None,
            },
            _ => None,
        }
    }

    /// The class as the documentation names it; `running` if iterations read scan states.
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
            Class::System(system) => (system.semiring.name(), String::new(), ""),
            Class::Machine { states: States::Bits, .. } => ("recurrence of bits", String::new(), ""),
            Class::Machine { .. } => ("finite-state machine", String::new(), ""),
            Class::Bins { leaves, .. } => {
                let mut operators: Vec<&str> = Vec::new();
                for leaf in leaves {
                    if !operators.contains(&leaf.operator.text()) {
                        operators.push(leaf.operator.text());
                    }
                }
                match leaves.first() {
                    Some(Leaf { operator: Operator::Repeated(_), .. }) => {
                        ("histogram", String::new(), ", each update applies the same function to an element")
                    }
                    _ => ("histogram", by(&operators.join("`, `")), ""),
                }
            }
            Class::Frame { merge, .. } => {
                (reduce, by(&merge.text()), ", element by element; each rank in order, then the ranks")
            }
            Class::Pushes { .. } => ("push", String::new(), ", in the order of the iterations"),
            Class::Scatter { written: Written::Merge(Operator::Repeated(_)), .. } => (
                "scatter",
                String::new(),
                ", each update applies the same function to an element, at places that only the data know",
            ),
            Class::Scatter { written, .. } => {
                let by = written.operator().map_or(String::new(), by);
                ("scatter", by, ", at places that only the data know, in the order of the iterations")
            }
            Class::State(_) => ("state", String::new(), ", one for each worker, merged in the order of the iterations"),
            Class::Scratch => ("scratch", String::new(), ", one for each worker"),
        };
        let more = match self {
            Class::System(System { variables, .. }) | Class::Machine { variables, .. } if variables.len() == 1 => {
                more.to_owned()
            }
            Class::Best { variables, .. }
            | Class::System(System { variables, .. })
            | Class::Machine { variables, .. } => {
                format!(", with {}", variables.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "))
            }
            _ => more.to_owned(),
        };
        Described { name, by, more }
    }
}

/// A class as the documentation names it.
pub struct Described {
    pub name: &'static str,
    /// `` by `+` ``, if there is an operator.
    pub by: String,
    /// Further details.
    pub more: String,
}
