//! Variables that take a finite number of values.

use super::tracked::Tracked;
use super::transfer::may_be_number;
use crate::analysis::inside;
use crate::flow::Definitions;
use crate::ir::names::each_let;
use crate::ir::place::Place;
use crate::ir::{Block, Expr, For, Kind, Local, Op, StatementKind};
use crate::maps::{HashSet, New as _};
use crate::plan::{States, Values};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The most states of all variables together.
const STATES: usize = 64;

/// The machine of these variables, if their values are few. The expansion checks the values while the loop runs.
pub fn machine(f: &For, places: &[Place], function: &Block) -> Option<States> {
    let rebinds = f.pattern.names.iter().any(|binding| binding.mutable);
    if rebinds || f.label.name.is_some() || places.iter().any(|place| !place.is_fixed()) {
        return None;
    }
    let all: Vec<Vec<&Expr>> = places.iter().map(|place| assigned(place, &f.body)).collect::<Option<_>>()?;
    let definitions = Definitions::of(&f.body);
    let declared: HashSet<Local> = definitions.declared().collect();
    let tracked = Tracked::of(places, &definitions);
    if let ([place], [all]) = (places, all.as_slice())
        && let Some(states) = from_tables(place, all, &declared, f, &tracked)
    {
        return Some(states);
    }
    let values: Option<Vec<_>> =
        all.iter().zip(places).map(|(of, place)| values(place, of, &declared, f, &tracked, function)).collect();
    if let Some(values) = values {
        let states: usize = values.iter().map(|of| of.assigned.len() + usize::from(of.others_before)).product();
        return (states <= STATES).then_some(States::Values(values));
    }
    let [place] = places else { return None };
    let bitwise = f.body.nodes().all(|e| match &e.kind {
        Kind::Assign(target, op, value) if target.is(place) => {
            let bits = |value: &&Expr| is_truth(value) || may_be_number(value);
            matches!(op, None | Some(Op::And | Op::Or | Op::Xor))
                && all.iter().flatten().all(bits)
                && is_bitwise(place, value, &tracked)
        }
        Kind::If(condition, ..) | Kind::While(_, condition, _) => !tracked.occurs_in(condition) || !decides(e, place),
        // Its call decides whether it runs.
        Kind::Closure(..) => !decides(e, place),
        Kind::For(f) => !tracked.occurs_in(&f.source) || !decides(e, place),
        Kind::Binary(Op::AndAnd | Op::OrOr, left, right) => !tracked.occurs_in(left) || !decides(right, place),
        Kind::Match(value, arms) => {
            let mut chosen = tracked.occurs_in(value);
            arms.iter().all(|arm| {
                chosen |= arm.guard.as_ref().is_some_and(|guard| tracked.occurs_in(guard));
                !chosen || !decides(&arm.body, place)
            })
        }
        _ => true,
    });
    bitwise.then_some(States::Bits)
}

/// Whether code assigns a place or ends the iteration, so that the place depends on whether the code runs.
fn decides(e: &Expr, place: &Place) -> bool {
    e.nodes().any(|e| match &e.kind {
        Kind::Assign(to, ..) => to.is(place),
        Kind::Continue(_) | Kind::Break(..) => true,
        _ => false,
    })
}

/// The values that the body assigns to a place, each at the end of its branches; `None` if it changes in other ways.
fn assigned<'e>(place: &Place, body: &'e Block) -> Option<Vec<&'e Expr>> {
    let mut values = Vec::new();
    for e in body.nodes() {
        match &e.kind {
            Kind::Assign(target, op, value) if target.is(place) => match op {
                None => ends(value, &mut values),
                // The result, which is no literal.
                Some(_) => values.push(e),
            },
            Kind::Assign(target, ..) if target.mentions(place.root) && !target.is(place) => {
                let apart = target.place().is_some_and(|target| target.is_apart_from(place));
                apart.then_some(())?;
            }
            _ => {}
        }
    }
    (!values.is_empty()).then_some(values)
}

/// The expressions whose values an expression may take.
fn ends<'e>(e: &'e Expr, to: &mut Vec<&'e Expr>) {
    let in_block = |block: &'e Block, to: &mut Vec<&'e Expr>| match block.statements.last().map(|last| &last.kind) {
        Some(StatementKind::Expr(value, false)) => ends(value, to),
        _ => to.push(e),
    };
    match &e.bare().kind {
        Kind::If(_, then, Some(otherwise)) => {
            in_block(then, to);
            ends(otherwise, to);
        }
        Kind::Match(_, arms) => {
            let values = arms.iter().filter(|arm| !leaves(&arm.body));
            values.for_each(|arm| ends(&arm.body, to));
        }
        Kind::Block(block) => in_block(block, to),
        _ => to.push(e.bare()),
    }
}

fn leaves(e: &Expr) -> bool {
    matches!(e.bare().kind, Kind::Continue(_) | Kind::Break(..) | Kind::Return(_))
        || matches!(&e.bare().kind, Kind::Macro(name, ..) if name == "unreachable" || name == "panic")
}

/// The values of a variable that is assigned elements of tables, at places that depend on its value.
fn from_tables(
    place: &Place,
    assigned: &[&Expr],
    declared: &HashSet<Local>,
    f: &For,
    tracked: &Tracked<'_>,
) -> Option<States> {
    let held = held(place, &f.body);
    let (mut constants, mut elements) = (Vec::new(), Vec::new());
    for e in assigned.iter().filter(|e| !e.is(place) && !e.name().is_some_and(|name| held.contains(&name))) {
        let (element, cast) = match &e.bare().kind {
            Kind::Cast(element, _, ty) => (element.bare(), Some(ty)),
            _ => (e.bare(), None),
        };
        let Kind::Index(..) = element.kind else {
            is_outside(e, declared, f).then(|| constants.push(e.tokens.clone()))?;
            continue;
        };
        let (mut table, mut depth, mut by_value) = (element, 0, false);
        while let Kind::Index(of, index) = &table.bare().kind {
            by_value |= tracked.occurs_in(index);
            (table, depth) = (of, depth + 1);
        }
        let table = table.bare();
        let unchanged = table.root().is_none_or(|root| !declared.contains(&root) && root != place.root);
        let path = matches!(table.kind, Kind::Path | Kind::Name(_) | Kind::Field(..));
        (by_value && unchanged && path && !names_an_item(table, f)).then_some(())?;
        let table = &table.tokens;
        let rows = (1..depth).map(|_| quote!(.flat_map(|__row| __row.iter())));
        let cast = cast.map(|ty| quote!(as #ty));
        elements.push(quote!((#table).iter() #(#rows)* .map(|__element| *__element #cast)));
    }
    (!elements.is_empty()).then_some(States::Table { constants, elements })
}

/// Whether an expression names an item of the body. Values are evaluated outside of the loop, where its items do not exist.
fn names_an_item(e: &Expr, f: &For) -> bool {
    inside::first_name(&e.tokens).is_some_and(|name| inside::items_in(&f.body).contains(&name))
}

/// Whether an expression is a constant outside of the loop.
fn is_outside(e: &Expr, declared: &HashSet<Local>, f: &For) -> bool {
    let constant = match &e.kind {
        Kind::Path | Kind::Int(_) | Kind::Literal => true,
        Kind::Name(name) => name.text().starts_with(char::is_uppercase) && !declared.contains(name),
        _ => false,
    };
    constant && !names_an_item(e, f)
}

/// The values of a variable that is assigned these expressions.
fn values(
    place: &Place,
    assigned: &[&Expr],
    declared: &HashSet<Local>,
    f: &For,
    tracked: &Tracked<'_>,
    function: &Block,
) -> Option<Values> {
    // A name that a `match` over the variable binds is the value before, or is checked while the loop runs.
    let held = held(place, &f.body);
    let same = |e: &&&Expr| !e.is(place) && !e.name().is_some_and(|name| held.contains(&name));
    let assigned: Vec<&Expr> = assigned.iter().filter(same).copied().collect();
    if assigned.iter().any(|e| is_truth(e)) {
        return Some(Values { assigned: vec![quote!(false), quote!(true)], others_before: false });
    }
    let count =
        assigned.iter().map(|e| below(e, tracked)).collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max());
    if let Some(count) = count.filter(|count| (1..STATES as i64).contains(count)) {
        let numbers = (0..count).map(Literal::i64_unsuffixed);
        return Some(Values { assigned: numbers.map(|number| quote!(#number)).collect(), others_before: true });
    }
    let mut found: Vec<&Expr> = Vec::new();
    for e in assigned {
        if !is_outside(e, declared, f) {
            return None;
        }
        if found.iter().all(|other| !other.is_written_as(e)) {
            found.push(e);
        }
    }
    let before = value_before(place, f, function);
    let others_before = !before.is_some_and(|before| found.iter().any(|e| e.is_written_as(before)));
    let assigned: Vec<TokenStream> = found.into_iter().map(|e| e.tokens.clone()).collect();
    (!assigned.is_empty()).then_some(Values { assigned, others_before })
}

/// The value with which a variable is declared, if only the loop assigns it.
fn value_before<'e>(place: &Place, f: &For, function: &'e Block) -> Option<&'e Expr> {
    let name = place.variable()?;
    let assigns = |block: &Block| block.nodes().filter(|e| e.changes().contains(&name)).count();
    let mut declared = None;
    each_let(function, &mut |pattern, value| {
        if pattern.single().is_some_and(|binding| binding.name == name) {
            declared = Some(value);
        }
    });
    declared.filter(|_| assigns(function) == assigns(&f.body))
}

/// The names that patterns bind to parts of the value of a place.
fn held(place: &Place, body: &Block) -> HashSet<Local> {
    let mut held = HashSet::new();
    for e in body.nodes() {
        match &e.kind {
            Kind::Match(value, arms) if value.mentions_place(place) => {
                held.extend(arms.iter().flat_map(|arm| arm.pattern.variables()));
            }
            _ => {}
        }
    }
    held
}

/// Whether an expression is a truth value, whatever its operands are.
fn is_truth(e: &Expr) -> bool {
    match &e.bare().kind {
        Kind::Binary(op, a, b) => {
            op.is_comparison()
                || matches!(op, Op::AndAnd | Op::OrOr)
                || matches!(op, Op::And | Op::Or | Op::Xor) && (is_truth(a) || is_truth(b))
        }
        Kind::Assign(_, _, value) => is_truth(value),
        Kind::Unary('!', inner) => is_truth(inner),
        Kind::Method(_, name, ..) => name.starts_with("is_") || name == "contains",
        Kind::Literal => e.is_code("true") || e.is_code("false"),
        Kind::Name(_) => e.is_code("true") || e.is_code("false"),
        Kind::Macro(name, ..) => name == "matches",
        _ => false,
    }
}

/// The number below which an expression is, if it is a remainder, a carry, or a small number.
fn below(e: &Expr, tracked: &Tracked<'_>) -> Option<i64> {
    match &e.bare().kind {
        Kind::Binary(Op::Rem, _, divisor) => number(divisor),
        Kind::Method(_, name, arguments, _) if name == "rem_euclid" => number(arguments.first()?),
        Kind::Binary(Op::And, a, b) => number(a).or_else(|| number(b))?.checked_add(1),
        // A carry: another one is found while the loop runs.
        Kind::Binary(Op::Shr | Op::Div, sum, _) if tracked.occurs_in(sum) => Some(2),
        Kind::Cast(inner, ..) if is_truth(inner) => Some(2),
        Kind::Cast(inner, ..) => below(inner, tracked),
        Kind::Int(value) => value.checked_add(1),
        _ => None,
    }
}

fn number(e: &Expr) -> Option<i64> {
    match e.bare().kind {
        Kind::Int(value) => Some(value),
        _ => None,
    }
}

/// Whether each bit of an expression depends on the same bit of the place only.
fn is_bitwise(place: &Place, e: &Expr, tracked: &Tracked<'_>) -> bool {
    if e.is(place) || !tracked.occurs_in(e) {
        return true;
    }
    match &e.bare().kind {
        Kind::Binary(Op::And | Op::Or | Op::Xor, a, b) => {
            is_bitwise(place, a, tracked) && is_bitwise(place, b, tracked)
        }
        Kind::Unary('!', inner) => is_bitwise(place, inner, tracked),
        _ => false,
    }
}
