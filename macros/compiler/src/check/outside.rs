//! Statements outside of the loops that are expanded: what they may do with the elements of distributed slices.

use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::ir::obligation::{self, Obligation, Reason};
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Expr, Id, Kind};
use crate::language::methods;
use quote::quote;

/// Methods that write a part of a slice as a whole, each rank what it has of it.
const OF_PARTS: [&str; 3] = ["fill", "copy_from_slice", "clone_from_slice"];

/// Methods that write elements of a slice, or a part of it, and are understood outside of loops.
const UNDERSTOOD: [&str; 6] = ["fill", "copy_from_slice", "clone_from_slice", "first_mut", "last_mut", "swap"];

/// The slice that is written and the index of `out[k]`, be it one or a range.
fn place_of<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'e Expr)> {
    let Kind::Index(slice, index) = &e.bare().kind else { return None };
    let share = function.shares.iter().find(|s| s.mutable && s.array.is_none() && slice.name() == Some(s.name))?;
    Some((share, &**index))
}

/// Methods that the handle of a slice has itself, since they need not all elements.
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

/// Whether a method is called on a slice, be it std's or one of a trait of the author's, and not on the handle that stands for it.
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

/// The slice, the range, the method and the arguments of `out[a..b].fill(e)` and its kin.
pub fn part_written<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'e Expr, &'e str, &'e [Expr])> {
    let Kind::Method(part, method, arguments, _) = &e.kind else { return None };
    if !OF_PARTS.contains(&method.as_str()) {
        return None;
    }
    let (share, range) = part_of(function, part)?;
    Some((share, range, method, arguments))
}

/// What is done with a whole slice and another one, of both of which each rank has its share: the first, the method of `core` and
/// the other.
pub fn wholes_written<'e>(function: &'e Function, e: &'e Expr) -> Option<(&'e Share, &'static str, &'e Share)> {
    let (one, method, other) = match &e.kind {
        Kind::Method(one, method, arguments, _) => match (method.as_str(), arguments.as_slice()) {
            ("copy_from_slice" | "clone_from_slice", [other]) => (&**one, "copy_from", other),
            ("swap_with_slice", [other]) => (&**one, "swap_with", other),
            _ => return None,
        },
        // That it is std's `mem::swap` is believed, and checked by rustc.
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

/// What is assumed of the functions that exchange whole slices.
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

/// The vector that is cloned by `x.clone()`: its elements are wanted, and no second handle.
pub fn cloned<'e>(function: &'e Function, e: &'e Expr) -> Option<&'e Share> {
    let Kind::Method(vector, method, arguments, _) = &e.kind else { return None };
    let share = function.shares.iter().find(|s| s.array.is_none() && vector.name() == Some(s.name))?;
    let fits = method == "clone" && arguments.is_empty();
    (fits && function.is_vector(share.name)).then_some(share)
}

/// The variable that an expression is all of: `x`, `&x`, `&mut x[..]`.
fn whole(e: &Expr) -> Option<&Expr> {
    match &e.bare().kind {
        Kind::Name(_) => Some(e),
        Kind::Ref(_, inner) | Kind::Unary('*', inner) => whole(inner),
        Kind::Index(inner, range) if matches!(range.bare().kind, Kind::Range(None, None, _)) => whole(inner),
        _ => None,
    }
}

/// Functions of std that ask what they are given is made of, and take all types.
const OF_TYPES: [&str; 5] = ["size_of_val", "align_of_val", "type_name_of_val", "from_ref", "from_mut"];

/// Refuses functions that would say of a handle what the slice is asked.
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

/// Refuses what would write elements of other ranks.
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
            // What they exchange or take would be the handle, and not what the caller has.
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
