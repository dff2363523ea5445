//! Finds the sort of a function, and refuses whatever else it does.

use crate::front::function::Function;
use crate::ir::names::shadowed;
use crate::ir::report::{Code, Place, Report};
use crate::ir::{Expr, Kind, Statement, StatementKind};
use crate::plan::{Order, Sort};

/// What `#[distributed_sort]` is for.
const FORM: &str =
    "the function is one call, as `x.sort()` or `x.sort_by_key(|v| v.key)`, on a parameter `x: &mut [T]`";

/// The sort of a function. All that is wrong is reported.
pub fn sort<'f>(function: &'f Function, report: &mut Report) -> Option<Sort<'f>> {
    let statements = &function.body.statements;
    let Some((number, call)) = statements.iter().enumerate().find_map(|(number, s)| Some((number, called(s)?))) else {
        no_sort(function, report);
        return None;
    };
    let Call { receiver, method, order, e } = call;
    for statement in
        statements[..number].iter().filter(|s| touches_slices(function, s)).chain(&statements[number + 1..])
    {
        report.error(
            Code::FA031,
            match &statement.kind {
                // What ends the statement may be from elsewhere.
                StatementKind::Expr(e, _) => Place::from(e),
                _ => Place::from(&statement.tokens),
            },
            "a function under `#[distributed_sort]` does nothing with its slices but sort",
            "put this into a function of its own, with the attribute that fits it",
        );
    }
    let other = receiver.name().map_or_else(Default::default, |name| shadowed(&function.body, name));
    let share = function.shares.iter().find(|share| receiver.name() == Some(&share.name));
    let share = share.filter(|share| share.mutable && share.array.is_none() && !other.contains(&receiver.id));
    if share.is_none() {
        report.error(
            Code::FA031,
            receiver,
            format!(
                "`{}` is no parameter `&mut [T]` or `&mut Vec<T>`, so there is nothing to sort over ranks",
                receiver.shown()
            ),
            FORM,
        );
    }
    if let Order::By(asked) | Order::Total(asked) | Order::Key(asked) | Order::CachedKey(asked) = order {
        for share in function.shares.iter().filter(|share| asked.mentions(&share.name)) {
            let name = &share.name;
            report.error(
                Code::FA050,
                asked,
                format!("what elements are sorted by hangs on `{name}`, of which each rank has a share"),
                format!("mark it `#[replicated] {name}` if every rank has all of it, or keep the key in the element"),
            );
        }
    }
    Some(Sort { before: &statements[..number], name: &share?.name, order, method, at: e.span })
}

/// A call of one of std's sorts.
struct Call<'f> {
    receiver: &'f Expr,
    method: &'f str,
    order: Order<'f>,
    e: &'f Expr,
}

/// The sort that a statement is.
fn called(statement: &Statement) -> Option<Call<'_>> {
    let StatementKind::Expr(e, _) = &statement.kind else { return None };
    sorts(e.bare())
}

/// The sort that an expression is.
fn sorts(e: &Expr) -> Option<Call<'_>> {
    let Kind::Method(receiver, method, arguments, _) = &e.kind else { return None };
    let order = match (method.as_str(), arguments.as_slice()) {
        ("sort" | "sort_unstable", []) => Order::Natural,
        ("sort_by" | "sort_unstable_by", [by]) if is_total(by) => Order::Total(by),
        ("sort_by" | "sort_unstable_by", [by]) => Order::By(by),
        ("sort_by_key" | "sort_unstable_by_key", [key]) => Order::Key(key),
        ("sort_by_cached_key", [key]) => Order::CachedKey(key),
        _ => return None,
    };
    Some(Call { receiver, method, order, e })
}

/// Whether a comparison is spelled `|a, b| a.total_cmp(b)`.
fn is_total(compare: &Expr) -> bool {
    let Kind::Closure(parameters, _, body) = &compare.bare().kind else { return false };
    let Kind::Method(one, method, arguments, _) = &body.bare().kind else { return false };
    let [first, second] = parameters.as_slice() else { return false };
    let (Some(first), Some(second), [other]) = (first.single(), second.single(), arguments.as_slice()) else {
        return false;
    };
    let plain = parameters.iter().all(|parameter| !parameter.reference && parameter.ty.is_none());
    let named = one.name() == Some(&first.name) && other.name() == Some(&second.name);
    plain && named && method == "total_cmp" && first.name != second.name
}

/// Whether a statement names one of the slices, or may.
fn touches_slices(function: &Function, statement: &Statement) -> bool {
    let item = matches!(statement.kind, StatementKind::Item(_));
    !item && function.shares.iter().any(|share| statement.mentions(&share.name))
}

/// There is no sort among the statements of a function.
fn no_sort(function: &Function, report: &mut Report) {
    let mut inside = None;
    function.body.walk(&mut |e| {
        inside = inside.or_else(|| sorts(e).map(|call| call.e));
        inside.is_none()
    });
    match inside {
        Some(e) => report.error(
            Code::FA031,
            Place::from(e),
            "this sort is a part of another statement, so whether it is called, and on what, is not followed",
            FORM,
        ),
        None => report.error(
            Code::FA031,
            function.signature.ident.span(),
            "`#[distributed_sort]` is for a function that calls one of std's sorts, and there is none here",
            FORM,
        ),
    }
}
