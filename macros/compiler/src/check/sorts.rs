//! Finds the sort of a function, and rejects all other code.

use crate::analysis::in_body;
use crate::analysis::obligations::of_function;
use crate::analysis::walk::Names as _;
use crate::front::function::Function;
use crate::front::parameters::Share;
use crate::ir::names::names_of_closure;
use crate::ir::obligation::Obligation;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Block, Expr, Id, Kind, Local, Pattern, Statement, StatementKind};
use crate::maps::{HashMap, New as _};
use crate::plan::{Column, Order, Rows, Sort, Subject};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

/// The form of a function for `#[distributed_sort]`.
const FORM: &str =
    "the function is one call, as `x.sort()` or `x.sort_by_key(|v| v.key)`, on a parameter `x: &mut [T]`";

/// The form for several slices.
const ROWS: &str = "several slices are sorted together by `let mut order: Vec<usize> = (0..x.len()).collect();`, then \
    `order.sort_by_key(|&i| x[i]);`, then for each slice `x.copy_from_slice(&order.iter().map(|&i| x[i]).collect::<Vec<_>>());`";

/// The sort of a function. Reports all mistakes.
pub fn sort<'f>(function: &'f Function, report: &mut Report) -> Option<Sort<'f>> {
    let statements = &function.body.statements;
    let Some((number, call)) = statements.iter().enumerate().find_map(|(number, s)| Some((number, called(s)?))) else {
        no_sort(function, report);
        return None;
    };
    // The index vector is the last variable of its name that is declared before the sort.
    let declared = |name| statements[..number].iter().rposition(|s| declares(s, name));
    let vector = call.receiver.name().and_then(|name| Some((name, declared(name)?)));
    let (mut before, after) = (Vec::new(), &statements[number + 1..]);
    for (at, statement) in statements[..number].iter().enumerate() {
        match vector {
            Some((_, indices)) if indices == at => continue,
            Some((name, indices)) if indices < at && statement.mentions(name) => refuse_more(statement, report),
            _ if touches_slices(function, statement) && length_of(function, statement).is_none() => {
                refuse_more(statement, report);
            }
            _ => {}
        }
        before.push(statement);
    }
    let subject = match vector {
        Some((_, at)) => {
            let length =
                indices_below(&statements[at]).and_then(|end| slice_of_length(function, end, &statements[..at]));
            Subject::Rows(rows(function, &statements[at], length, &call, after, report)?)
        }
        None => {
            after.iter().for_each(|s| refuse_more(s, report));
            Subject::Slice(slice(function, &call, report)?)
        }
    };
    let Call { method, order, e, .. } = call;
    let (mut of_order, in_order) = match order.closure() {
        Some(closure) => in_body::of_order(function, &passed_on(closure), &captures(function, closure)),
        None => Default::default(),
    };
    // The obligations of the order have the method that sorts (FA032).
    let is_the_sort = |o: &Obligation| matches!(o, Obligation::Method(called) if called.name == method);
    let sort = Sort {
        before,
        subject,
        order,
        method,
        at: e.span,
        obligations: of_function(function).into_iter().filter(|o| !is_the_sort(o)).collect(),
        of_order: Vec::new(),
        in_order,
    };
    of_order.extend(methods_of_std(function, &sort));
    Some(Sort { of_order, ..sort })
}

/// An order as the argument of a call in a block.
fn passed_on(order: &Expr) -> Block {
    let tokens = order.tokens.clone();
    let made = |kind| Expr { id: Id::MAX, kind, span: order.span, tokens: tokens.clone() };
    let call = made(Kind::Call(Box::new(made(Kind::Path)), vec![order.clone()]));
    let kind = StatementKind::Expr(call, true);
    Block { statements: vec![Statement { id: Id::MAX, kind, tokens: order.tokens.clone() }] }
}

/// The variables of the function that an order captures.
fn captures(function: &Function, order: &Expr) -> Vec<(Local, Span)> {
    let mut captures: Vec<(Local, Span)> = Vec::new();
    order.walk(&mut |e| {
        if let Kind::Name(name) = e.kind
            && (function.declared.contains_key(&name) || name == "self")
            && function.shares.iter().all(|share| share.name != name)
            && captures.iter().all(|(other, _)| *other != name)
        {
            captures.push((name, e.span));
        }
        true
    });
    captures
}

/// The assumption that the sorting methods are std's, and also the methods that permute several slices. The inherent
/// methods of a slice always take precedence.
fn methods_of_std(function: &Function, sort: &Sort<'_>) -> Vec<Obligation> {
    let (at, vector) = (sort.at, quote!(::std::vec::Vec<usize>));
    let arguments = sort.order.closure().map_or_else(TokenStream::new, |_| quote!(()));
    let method = |ty: TokenStream, method: &str, arguments: &TokenStream| Obligation::MethodOfSlice {
        ty,
        method: Ident::new(method, at),
        arguments: arguments.clone(),
    };
    let rows = match &sort.subject {
        Subject::Slice(name) => {
            let ty = type_of_vector(function, *name).map(ToTokens::to_token_stream);
            return ty.map(|ty| method(ty, sort.method, &arguments)).into_iter().collect();
        }
        Subject::Rows(rows) => rows,
    };
    let sorted = rows.columns.iter().filter(|column| column.sorted);
    let vectors = sorted.filter_map(|column| type_of_vector(function, column.name));
    let named = Ident::new("Vec", at);
    // The indices are a vector of std, and the loop over them is as it is written.
    let (indices, order) = (&rows.indices.tokens, rows.order.spanned(at));
    let value = quote!({
        #indices
        let _: &#vector = &#order;
        let _: ::core::slice::Iter<'_, usize> = #order.iter();
    });
    let mut all = vec![
        method(vector.clone(), sort.method, &arguments),
        Obligation::Type { written: quote!(#named<u8>), is: quote!(::std::vec::Vec<u8>), at },
        Obligation::Pattern { pattern: quote!(()), value, at },
    ];
    all.extend(vectors.map(|ty| method(ty.to_token_stream(), "copy_from_slice", &quote!(()))));
    all
}

/// The type of a parameter behind its reference, unless it is a slice.
fn type_of_vector(function: &Function, name: Local) -> Option<&syn::Type> {
    let ty = function.original.sig.inputs.iter().find_map(|input| {
        let syn::FnArg::Typed(input) = input else { return None };
        let (syn::Pat::Ident(ident), syn::Type::Reference(ty)) = (&*input.pat, &*input.ty) else { return None };
        (ident.ident == name).then_some(&*ty.elem)
    });
    ty.filter(|ty| !matches!(ty, syn::Type::Slice(_)))
}

/// Reports a statement that is not part of the sort.
fn refuse_more(statement: &Statement, report: &mut Report) {
    report.error(
        Code::FA031,
        match &statement.kind {
            // The last token of the statement may come from elsewhere.
            StatementKind::Expr(e, _) => Location::from(e),
            _ => Location::from(&statement.tokens),
        },
        "a function under `#[distributed_sort]` does nothing with its slices but sort",
        "put this into a function of its own, with the attribute that fits it",
    );
}

/// The slice to sort.
fn slice<'f>(function: &'f Function, call: &Call<'f>, report: &mut Report) -> Option<Local> {
    let share = share(function, call.receiver).filter(|share| share.mutable);
    if share.is_none() {
        let receiver = call.receiver.shown();
        report.error(
            Code::FA031,
            call.receiver,
            format!("`{receiver}` is no parameter `&mut [T]` or `&mut Vec<T>`, so there is nothing to sort over ranks"),
            FORM,
        );
    }
    let asked = call.order.closure();
    for share in &function.shares {
        if let Some(place) = asked.and_then(|asked| looked_at(asked, share.name)) {
            refuse_look(share.name, place, report);
        }
    }
    if let Some(closure) = asked {
        refuse_changes(function, closure, report);
    }
    Some(share?.name)
}

/// Rejects an order that changes an outer variable: its effect would depend on the number and sequence of comparisons.
fn refuse_changes(function: &Function, closure: &Expr, report: &mut Report) {
    let Kind::Closure(patterns, _, body) = &closure.bare().kind else { return };
    let own = names_of_closure(patterns, body);
    for e in body.nodes() {
        let any = matches!(e.kind, Kind::Assign(..) | Kind::Ref(..));
        // Elements of slices are checked elsewhere: the order reads a copy.
        let outer = |name: &Local| {
            let slice = function.shares.iter().any(|share| share.name == *name);
            !own.contains(name) && !slice && (any || function.mutable(*name))
        };
        if let Some(name) = e.changes().into_iter().find(outer) {
            report.error(
                Code::FA031,
                e,
                format!("what elements are sorted by changes `{name}`, so it depends on which elements are compared, and when"),
                "an order depends on nothing but what it compares",
            );
        }
    }
}

/// The mention of a slice in an expression.
fn looked_at(e: &Expr, name: Local) -> Option<&Expr> {
    e.nodes().find(|e| matches!(&e.kind, Kind::Name(other) if other == name))
}

/// Reports that the order reads a slice in an unsupported way.
fn refuse_look(name: Local, at: &Expr, report: &mut Report) {
    report.error(
        Code::FA050,
        at,
        format!("the order depends on `{name}`, which is distributed over the ranks"),
        format!(
            "mark it `#[replicated] {name}` if every rank has all of it; or sort indices, and look at `{name}[i]` in the order"
        ),
    );
}

/// The slice with this name.
fn share<'f>(function: &'f Function, e: &Expr) -> Option<&'f Share> {
    let name = e.name()?;
    function.shares.iter().find(|share| share.name == name && share.array.is_none())
}

/// Whether a statement declares a variable, alone or in a pattern.
fn declares(statement: &Statement, name: Local) -> bool {
    matches!(&statement.kind, StatementKind::Let(pattern, ..) if pattern.binds(name))
}

/// Several slices that are sorted by a vector of indices.
fn rows<'f>(
    function: &'f Function,
    indices: &'f Statement,
    length: Option<&'f Share>,
    call: &Call<'f>,
    after: &'f [Statement],
    report: &mut Report,
) -> Option<Rows<'f>> {
    let Some((length, closure)) = length.zip(call.order.closure()) else {
        report.error(
            Code::FA031,
            &indices.tokens,
            "the vector that is sorted does not hold the indices of all elements of a slice, from 0 on",
            ROWS,
        );
        return None;
    };
    refuse_changes(function, closure, report);
    let order = call.receiver.name()?;
    let mut columns: Vec<Column> = Vec::new();
    for statement in after {
        match put(function, statement, order) {
            Some(name) if !columns.iter().any(|c| c.name == name) => columns.push(Column { name, sorted: true }),
            _ => refuse_more(statement, report),
        }
    }
    if columns.is_empty() {
        report.error(Code::FA031, call.e, "no slice is brought into this order", ROWS);
    }
    let Kind::Closure(patterns, _, body) = &closure.bare().kind else {
        report.error(Code::FA031, closure, "what indices are sorted by is not seen here", ROWS);
        return None;
    };
    let mut parameters: Vec<Local> = Vec::new();
    for pattern in patterns {
        match pattern.single() {
            Some(binding) if pattern.is_reference() => parameters.push(binding.name),
            _ => report.error(
                Code::FA031,
                &pattern.tokens,
                "an index is taken by `&` here",
                "write `|&i|`, or `|&a, &b|`",
            ),
        }
    }
    if let Kind::Ref(_, place) = &body.bare().kind {
        let (place, help) = (place.shown(), "a key is a value");
        report.error(Code::FA031, &**body, format!("this key refers to `{place}`, which may be on another rank"), help);
    }
    let mut accesses = HashMap::new();
    look(function, body, &parameters, &mut columns, &mut accesses, report);
    // The expansion compares the lengths of the columns at run time, but not the length of another slice.
    if !columns.iter().any(|column| column.name == length.name) {
        let (message, help) = (
            format!("`{order}` holds the indices of `{}`, which is neither sorted nor compared", length.name),
            columns
                .first()
                .map_or_else(|| ROWS.to_owned(), |column| format!("write `(0..{}.len()).collect()`", column.name)),
        );
        report.error(Code::FA031, &indices.tokens, message, help);
    }
    Some(Rows { order, indices, columns, accesses, parameters, body })
}

/// The number of indices in a vector that a statement declares, from 0 on and in order: `n` of
/// `let mut order: Vec<usize> = (0..n).collect();`.
fn indices_below(statement: &Statement) -> Option<&Expr> {
    let StatementKind::Let(pattern, Some(value), None) = &statement.kind else { return None };
    let Kind::Method(range, method, arguments, called) = &value.bare().kind else { return None };
    // The receiver must be the range itself: `rev` or `map` would give other indices, or another order.
    let Kind::Range(Some(from), Some(to), false) = &range.bare().kind else { return None };
    let written = pattern.ty.as_deref().map_or_else(|| called.to_string(), str::to_owned);
    let vector =
        ["Vec < usize >", "Vec < _ >"].iter().any(|ty| written.ends_with(ty) || written.contains(&format!("< {ty} >")));
    let collected = method == "collect" && arguments.is_empty() && pattern.single().is_some();
    (collected && matches!(from.bare().kind, Kind::Int(0)) && vector).then_some(to)
}

/// The slice whose length an expression is: `x` of `x.len()`, and of `n` if the last declaration of `n` is `let n = x.len();`.
fn slice_of_length<'f>(function: &'f Function, length: &Expr, before: &[Statement]) -> Option<&'f Share> {
    match &length.bare().kind {
        Kind::Name(name) => length_of(function, before.iter().rfind(|statement| declares(statement, *name))?),
        Kind::Method(slice, len, arguments, _) if len == "len" && arguments.is_empty() => share(function, slice),
        _ => None,
    }
}

/// The slice whose length a statement binds to a name: `let n = x.len();`.
fn length_of<'f>(function: &'f Function, statement: &Statement) -> Option<&'f Share> {
    let StatementKind::Let(pattern, Some(value), None) = &statement.kind else { return None };
    let fixed = pattern.single().is_some_and(|binding| !binding.mutable) && !pattern.is_reference();
    let is_method = matches!(value.bare().kind, Kind::Method(..));
    let plain = pattern.ty.as_deref().is_none_or(|ty| ty == "usize");
    if fixed && plain && is_method { slice_of_length(function, value, &[]) } else { None }
}

/// The slice that a statement permutes: `*x = order.iter().map(|&i| x[i]).collect();`, or, if the slice cannot be
/// replaced by another vector, `x.copy_from_slice(&order.iter().map(|&i| x[i]).collect::<Vec<_>>());`.
fn put(function: &Function, statement: &Statement, order: Local) -> Option<Local> {
    let StatementKind::Expr(e, _) = &statement.kind else { return None };
    let (to, collected) = match &e.bare().kind {
        Kind::Assign(to, None, value) => match &to.bare().kind {
            Kind::Unary('*', to) => (to, &**value),
            _ => return None,
        },
        Kind::Method(to, method, arguments, _) if method == "copy_from_slice" => match arguments.as_slice() {
            [Expr { kind: Kind::Ref(false, value), .. }] => (to, &**value),
            _ => return None,
        },
        _ => return None,
    };
    let share = share(function, to).filter(|share| share.mutable)?;
    let Kind::Method(mapped, collect, _, into) = &collected.bare().kind else { return None };
    let Kind::Method(items, map, arguments, _) = &mapped.bare().kind else { return None };
    let Kind::Method(indices, iter, _, _) = &items.bare().kind else { return None };
    // A collection of another type may have its elements in another order.
    let into = into.to_string().replace(' ', "");
    let vector =
        into == ".collect" || ["Vec<", "std::vec::Vec<"].iter().any(|ty| into.starts_with(&format!(".collect::<{ty}")));
    let [closure] = arguments.as_slice() else { return None };
    let Kind::Closure(parameters, _, body) = &closure.bare().kind else { return None };
    let ([parameter], Kind::Index(from, at)) = (parameters.as_slice(), &body.bare().kind) else { return None };
    let index = parameter.single().filter(|_| parameter.is_reference())?;
    let methods = (collect.as_str(), map.as_str(), iter.as_str()) == ("collect", "map", "iter");
    let same = from.name() == Some(share.name) && at.name() == Some(index.name) && index.name != share.name;
    (methods && same && vector && indices.name() == Some(order)).then_some(share.name)
}

/// Finds the reads of an order: elements of the slices at the compared indices.
fn look<'f>(
    function: &'f Function,
    body: &'f Expr,
    parameters: &[Local],
    columns: &mut Vec<Column>,
    accesses: &mut HashMap<Id, usize>,
    report: &mut Report,
) {
    let known = |name: Local| parameters.contains(&name) || function.shares.iter().any(|share| share.name == name);
    let binds = |pattern: &Pattern| pattern.names.iter().any(|binding| known(binding.name));
    let mut others = Vec::new();
    body.walk(&mut |e| {
        match &e.kind {
            Kind::Index(slice, at) if at.name().is_some_and(|at| parameters.contains(&at)) => {
                if let Some(share) = share(function, slice) {
                    let column = columns.iter().position(|column| column.name == share.name).unwrap_or_else(|| {
                        columns.push(Column { name: share.name, sorted: false });
                        columns.len() - 1
                    });
                    accesses.insert(e.id, column);
                    return false;
                }
            }
            Kind::Name(name) if known(*name) => others.push((e, Some(*name))),
            Kind::Closure(patterns, ..) if patterns.iter().any(binds) => others.push((e, None)),
            Kind::For(f) if binds(&f.pattern) => others.push((e, None)),
            Kind::Let(pattern, _) if binds(pattern) => others.push((e, None)),
            Kind::Match(_, arms) if arms.iter().any(|arm| binds(&arm.pattern)) => others.push((e, None)),
            Kind::Block(block) if block.lets().any(|(pattern, _)| binds(pattern)) => others.push((e, None)),
            _ => {}
        }
        true
    });
    for (e, name) in others {
        if let Some(name) = name.filter(|name| function.shares.iter().any(|share| share.name == *name)) {
            refuse_look(name, e, report);
        } else {
            let message = format!("`{}` is more than an element at an index that is sorted", e.shown());
            report.error(
                Code::FA031,
                e,
                message,
                "an order looks at `x[i]`, for the slices `x` and the indices `i` that it compares",
            );
        }
    }
}

/// A call of one of std's sorts.
struct Call<'f> {
    receiver: &'f Expr,
    method: &'f str,
    order: Order<'f>,
    e: &'f Expr,
}

/// The sort in a statement.
fn called(statement: &Statement) -> Option<Call<'_>> {
    let StatementKind::Expr(e, _) = &statement.kind else { return None };
    sorts(e.bare())
}

/// The sort in an expression.
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

/// Whether a comparison is written as `|a, b| a.total_cmp(b)`.
fn is_total(compare: &Expr) -> bool {
    let Kind::Closure(parameters, _, body) = &compare.bare().kind else { return false };
    let Kind::Method(one, method, arguments, _) = &body.bare().kind else { return false };
    let [first, second] = parameters.as_slice() else { return false };
    let (Some(first), Some(second), [other]) = (first.single(), second.single(), arguments.as_slice()) else {
        return false;
    };
    let plain = parameters.iter().all(|parameter| !parameter.is_reference() && parameter.ty.is_none());
    let named = one.name() == Some(first.name) && other.name() == Some(second.name);
    plain && named && method == "total_cmp" && first.name != second.name
}

/// Whether a statement mentions, or may mention, one of the slices.
fn touches_slices(function: &Function, statement: &Statement) -> bool {
    let item = matches!(statement.kind, StatementKind::Item(_));
    !item && function.shares.iter().any(|share| statement.mentions(share.name))
}

/// Reports that no statement of a function is a sort.
fn no_sort(function: &Function, report: &mut Report) {
    match function.body.nodes().find_map(|e| Some(sorts(e)?.e)) {
        Some(e) => report.error(
            Code::FA031,
            Location::from(e),
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
