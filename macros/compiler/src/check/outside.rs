//! Statements outside of the expanded loops: their permitted uses of elements of distributed slices.

use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::ir::obligation::{self, Obligation, Reason};
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Expr, Id, Kind};
use crate::language::methods;
use quote::quote;

/// Methods that write a part of a slice as a whole. Each rank writes the elements of its share.
const OF_PARTS: [&str; 3] = ["fill", "copy_from_slice", "clone_from_slice"];

/// Methods that write elements or a part of a slice, and are supported outside of loops.
const UNDERSTOOD: [&str; 6] = ["fill", "copy_from_slice", "clone_from_slice", "first_mut", "last_mut", "swap"];

/// The written slice and the index of `out[k]`; the index may be a range.
fn place_of<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'e Expr)> {
    let Kind::Index(slice, index) = &e.bare().kind else { return None };
    let share = function.shares.iter().find(|s| s.mutable && s.array.is_none() && slice.name() == Some(s.name))?;
    Some((share, &**index))
}

/// Methods of the handle of a slice itself. They do not need all elements.
const OF_HANDLES: [&str; 16] = [
    "len",
    "is_empty",
    "first",
    "last",
    "get",
    "to_vec",
    "fill",
    "copy_from_slice",
    "clone_from_slice",
    "swap_with_slice",
    "first_mut",
    "last_mut",
    "swap",
    "split_at",
    "split_at_mut",
    "clone",
];

/// Whether the receiver of a method is the slice and not its handle. The method may be std's or one of a user's trait.
pub fn is_of_slice(function: &Function, receiver: &Expr, method: &str) -> bool {
    let is = |s: &&Share| s.array.is_none() && receiver.name() == Some(s.name);
    !OF_HANDLES.contains(&method) && function.shares.iter().any(|share| is(&share))
}

/// The slice and the range of `out[a..b]`.
fn part_of<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'e Expr)> {
    place_of(function, e).filter(|(_, range)| matches!(range.bare().kind, Kind::Range(..)))
}

/// The slice, the index and the value of `out[k] = value`.
pub fn element_written<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'e Expr, &'e Expr)> {
    let Kind::Assign(place, None, value) = &e.kind else { return None };
    let (share, index) = place_of(function, place)?;
    Some((share, index, value))
}

/// The slice, the range, the method and the arguments of `out[a..b].fill(e)` and similar calls.
pub fn part_written<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'e Expr, &'e str, &'e [Expr])> {
    let Kind::Method(part, method, arguments, _) = &e.kind else { return None };
    if !OF_PARTS.contains(&method.as_str()) {
        return None;
    }
    let (share, range) = part_of(function, part)?;
    Some((share, range, method, arguments))
}

/// An operation on two whole distributed slices: the first slice, the method of `core`, and the other slice.
pub fn wholes_written<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'static str, &'e Share)> {
    let (one, method, other) = match &e.kind {
        Kind::Method(one, method, arguments, _) => match (method.as_str(), arguments.as_slice()) {
            ("copy_from_slice" | "clone_from_slice", [other]) => (&**one, "copy_from", other),
            ("swap_with_slice", [other]) => (&**one, "swap_with", other),
            _ => return None,
        },
        // The compiler assumes that it is std's `mem::swap`, and rustc checks the assumption.
        Kind::Call(called, arguments) => match arguments.as_slice() {
            [one, other] if called.last_name() == "swap" && !called.text().ends_with('>') => (one, "swap_with", other),
            _ => return None,
        },
        _ => return None,
    };
    let swaps = method == "swap_with";
    let slice = |e: &'e Expr, mutable: bool| {
        let whole = whole(e)?;
        let share = function.shares.iter().find(|s| s.array.is_none() && whole.name() == Some(s.name))?;
        let fits = share.mutable || !mutable;
        fits.then_some(share)
    };
    if matches!(e.kind, Kind::Method(..)) {
        one.name()?;
    }
    Some((slice(one, true)?, method, slice(other, swaps)?))
}

/// The assumptions about the functions that swap whole slices.
pub fn swaps(function: &Function) -> Vec<Obligation> {
    let mut all = Vec::new();
    for e in function.body.nodes() {
        if let Kind::Call(called, _) = &e.kind
            && wholes_written(function, e).is_some()
        {
            let is = quote!(::core::mem::swap::<u8>);
            all.push(Obligation::Function(obligation::Function {
                reason: Reason::Swap,
                ..obligation::Function::read_as(called, is)
            }));
        }
    }
    all
}

/// The vector in `x.clone()`: the call must clone its elements, not its handle.
pub fn cloned<'e>(function: &'e Function, e: &'e Expr) -> Option<&'e Share> {
    let Kind::Method(vector, method, arguments, _) = &e.kind else { return None };
    let share = function.shares.iter().find(|s| s.array.is_none() && vector.name() == Some(s.name))?;
    let fits = method == "clone" && arguments.is_empty();
    (fits && function.is_vector(share.name)).then_some(share)
}

/// The variable that an expression denotes as a whole: `x`, `&x`, `&mut x[..]`.
fn whole(e: &Expr) -> Option<&Expr> {
    match &e.bare().kind {
        Kind::Name(_) => Some(e),
        Kind::Ref(_, inner) | Kind::Unary('*', inner) => whole(inner),
        Kind::Index(inner, range) if matches!(range.bare().kind, Kind::Range(None, None, _)) => whole(inner),
        _ => None,
    }
}

/// Functions of std for all types that inspect the type of their argument.
const OF_TYPES: [&str; 5] = ["size_of_val", "align_of_val", "type_name_of_val", "from_ref", "from_mut"];

/// Rejects functions that would inspect the handle in place of the slice.
pub fn refuse_questions(function: &Function, is_expanded: impl Fn(Id) -> bool, report: &mut Report) {
    function.body.walk(&mut |e| {
        if let Kind::Call(called, arguments) = &e.kind
            && OF_TYPES.contains(&called.last_name().as_str())
            && let Some(share) = arguments.iter().find_map(|argument| {
                let name = whole(argument)?;
                let is_slice = matches!(argument.bare().kind, Kind::Ref(_, ref inner) if matches!(inner.bare().kind, Kind::Index(..)));
                let share = function.shares.iter().find(|s| s.array.is_none() && name.name() == Some(s.name))?;
                (!is_slice).then_some(share)
            })
        {
            let name = &share.name;
            report.error(
                Code::FA022,
                Location::from(e),
                format!("`{}` asks what `{name}` is made of: a handle stands for the slice in an annotated function", e.shown()),
                format!("hand it the slice itself: `&{name}[..]`"),
            );
        }
        !is_expanded(e.id)
    });
}

/// Rejects code that would write elements of other ranks.
pub fn refuse_writes(function: &Function, is_expanded: impl Fn(Id) -> bool, report: &mut Report) {
    function.body.walk(&mut |e| {
        let written = match &e.kind {
            Kind::Method(..) if function.splits(e) || wholes_written(function, e).is_some() => None,
            Kind::Method(receiver, method, ..) => {
                let mutable = methods::writes_elements(method) && !UNDERSTOOD.contains(&method.as_str());
                let whole = || function.shares.iter().find(|s| s.mutable && receiver.name() == Some(s.name));
                let whole = whole().filter(|s| s.array.is_none());
                whole.or_else(|| Some(part_of(function, receiver)?.0)).filter(|_| mutable)
            }
            Kind::Ref(true, part) => part_of(function, part).map(|(share, _)| share),
            // They would swap or take the handle in place of the caller's data.
            Kind::Call(called, arguments)
                if ["swap", "take", "replace"].contains(&called.last_name().as_str())
                    && wholes_written(function, e).is_none() =>
            {
                arguments.iter().find_map(|argument| {
                    let whole = whole(argument)?;
                    let share = function.shares.iter().find(|s| s.mutable && whole.name() == Some(s.name))?;
                    Some(share)
                })
            }
            _ => return !is_expanded(e.id),
        };
        if let (Some(share), Kind::Call(..)) = (written, &e.kind) {
            let name = &share.name;
            report.error(
                Code::FA012,
                Location::from(e),
                format!(
                    "`{}` would take what stands for the distributed slice `{name}`, and not what the caller gave",
                    e.shown()
                ),
                format!(
                    "exchange two whole slices of one length by `{name}.swap_with_slice(other)`, and set one by `{name}.fill(e)` or \
                     `{name}.copy_from_slice(from)`"
                ),
            );
        } else if let Some(share) = written {
            let name = &share.name;
            report.error(
                Code::FA012,
                Location::from(e),
                format!(
                    "`{}` may write elements of the distributed slice `{name}` outside of the loops that run in parallel",
                    e.shown()
                ),
                format!(
                    "write them in a loop of their own (`for i in a..b {{ {name}[i] = e; }}`); outside of loops, write one element \
                     (`{name}[k] = e`), or a part by `{name}[a..b].fill(e)` or `{name}[a..b].copy_from_slice(from)`"
                ),
            );
        }
        written.is_none()
    });
}
