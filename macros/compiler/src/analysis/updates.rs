//! The updates of an outer variable: their operator, and their form.

use crate::ir::place::Place;
use crate::ir::{Block, Expr, Id, Kind, Local, Op, Pattern, StatementKind};
use crate::language::methods;
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Amount, Better, ComparedBy, Key, Linear, Missing, Operand, Operator, accessor_of, part_of};
use proc_macro2::TokenStream;

/// A statement that changes the variable.
#[derive(Debug, Clone)]
pub struct Update<'e> {
    pub form: Form<'e>,
    /// The assignment, or the `if` around it.
    pub node: &'e Expr,
    /// The assignment itself.
    pub assign: Id,
}

/// Facts about a place, besides its updates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'g> {
    /// The function that `combine` names.
    pub combine: Option<&'g str>,
    /// Whether its declaration shows that it is a float.
    pub float: bool,
}

#[derive(Debug, Clone)]
pub enum Form<'e> {
    /// `acc = acc op e`; the operand, if it is a separate expression.
    Step(Operator, Option<&'e Expr>),
    /// `if e > acc { acc = e; ... }`, `if acc.is_none() && c { acc = Some(e); ... }`: all variables that are set
    /// together, and the condition.
    Best(Better, Vec<Place>, &'e Expr),
    /// Like `Best`, but the condition or another assigned value reads this variable, which the `if` sets; and that
    /// read.
    Looks(Place, &'e Expr),
    /// `acc = p * acc + q`.
    Linear,
    /// `acc = e`.
    Reset(&'e Expr),
    /// Any other update.
    Opaque,
}

/// The updates of a place.
pub fn updates<'e>(place: &Place, body: &'e Block, given: Given<'_>) -> Vec<Update<'e>> {
    let mut found = Vec::new();
    // An `if` that keeps the better value is an update together with its assignments.
    let mut kept: Vec<Id> = Vec::new();
    for e in body.nodes() {
        if let Some((form, assigns)) = keeps(place, e).or_else(|| finds(place, e))
            && let Some(&assign) = assigns.first()
        {
            kept.extend(&assigns);
            found.push(Update { form, node: e, assign });
        }
    }
    for e in body.nodes() {
        if let Kind::Assign(target, op, value) = &e.kind
            && !kept.contains(&e.id)
        {
            if target.is(place) {
                found.push(Update { form: form(place, *op, value, given), node: e, assign: e.id });
            } else if target.places().iter().any(|part| part.is(place)) {
                found.push(Update { form: Form::Opaque, node: e, assign: e.id });
            }
        }
    }
    flags(&mut found);
    found
}

/// `if c { any = true; }` is `any |= c`, and `if c { all = false; }` is `all &= !c`.
fn flags(updates: &mut [Update<'_>]) {
    for (literal, operators) in [("true", [Op::Or, Op::OrOr]), ("false", [Op::And, Op::AndAnd])] {
        let mut operator = operators[0];
        let fits = updates.iter().all(|update| match &update.form {
            Form::Reset(value) => value.is_code(literal),
            Form::Step(Operator::Logical(other), _) => {
                operator = *other;
                operators.contains(other)
            }
            _ => false,
        });
        if fits {
            for update in updates.iter_mut() {
                if let Form::Reset(value) = update.form {
                    update.form = Form::Step(Operator::Logical(operator), Some(value));
                }
            }
        }
    }
}

/// `if e > place { place = e; more = ..; }`, possibly with further conditions next to the comparison.
fn keeps<'e>(place: &Place, e: &'e Expr) -> Option<(Form<'e>, Vec<Id>)> {
    let Kind::If(condition, then, None) = &e.kind else { return None };
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    if let Some(found) = keeps_some(place, e, condition, then, &parts) {
        return Some(found);
    }
    let mut comparison = None;
    for part in &parts {
        if !part.mentions_place(place) {
            continue;
        }
        let (part, flag) = match &part.bare().kind {
            Kind::Binary(Op::OrOr, flag, rest) if !flag.mentions_place(place) => (&**rest, Some(&**flag)),
            Kind::Binary(Op::OrOr, rest, flag) if !flag.mentions_place(place) => (&**rest, Some(&**flag)),
            _ => (*part, None),
        };
        let (part, not) = match &part.bare().kind {
            Kind::Unary('!', inner) => (&**inner, true),
            _ => (part, false),
        };
        let Comparison { op, sides: [a, b], by } = comparison_in(part, false)?;
        let (op, new, old) = match (a.mentions_place(place), b.mentions_place(place)) {
            (false, true) => (op, a, b),
            (true, false) => (op.mirrored(), b, a),
            _ => return None,
        };
        if comparison.replace((op, new, old, by, not, flag)).is_some() {
            return None;
        }
    }
    let (op, new, old, by, not, flag) = comparison?;
    let key = Box::new(Key { place: place.clone(), of: old.clone() });
    let Together { members, assigns, value, mut fine } = set_together(place, then)?;
    // The compared value must be the key of the new value.
    let indexes = |e: &Expr| matches!(e.kind, Kind::Index(..)) && !e.is(place);
    let same = match accessor_of(old, place).and_then(|fields| part_of(value, &fields)) {
        Some(part) => part.is_written_as(new),
        None => {
            let is_new = |value: &Expr| joined(key.of_value(value)) == joined(new.tokens.clone());
            unwraps(old, place) && some_of(value).is_some_and(|value| value.is_written_as(new))
                || !old.nodes().any(indexes) && (is_new(value) || behind(value, old).is_some_and(is_new))
        }
    };
    if !same {
        return None;
    }
    fine.extend(ids_in(old));
    let flag = match flag {
        Some(flag) => {
            fine.extend(ids_in(flag));
            Some(set_flag(flag, &members, then)?)
        }
        None => None,
    };
    if let Some(looks) = looks(e, &members, &fine) {
        return Some((looks, assigns));
    }
    let alone = members.len() == 1 && old.is(place) && by.is_none();
    // The update is nothing else than the choice of a value.
    let operand = (parts.len() == 1 && then.statements.len() == 1).then_some(value);
    if alone && !not {
        return Some((Form::Step(Operator::Keep(op), operand), assigns));
    }
    if alone && operand.is_some() && !value.mentions(place.root) {
        return Some((Form::Step(Operator::Follow(op.mirrored()), operand), assigns));
    }
    // `!(new <= old)` is `new > old`, if all values compare.
    let total = not && !by.as_ref().is_some_and(ComparedBy::compares_all);
    let op = if not { op.negated() } else { op };
    Some((Form::Best(Better::Than { key, op, total, by, flag, tie: None }, members, condition), assigns))
}

/// `v` of the value `*v`: operators and methods of numbers find the number behind the reference.
fn behind<'e>(value: &'e Expr, key: &Expr) -> Option<&'e Expr> {
    let Kind::Unary('*', reference) = &value.bare().kind else { return None };
    let of_numbers = |e: &Expr| match &e.kind {
        Kind::Method(_, method, ..) => methods::is_of_numbers(method),
        Kind::Call(..) | Kind::Macro(..) | Kind::Closure(..) => false,
        _ => true,
    };
    key.nodes().all(of_numbers).then_some(reference)
}

/// Tokens as text, however they are spaced.
fn joined(tokens: TokenStream) -> String {
    tokens.to_string().split_whitespace().collect()
}

/// A comparison of two values.
struct Comparison<'e> {
    op: Op,
    sides: [&'e Expr; 2],
    /// The method that compares them, if it is not an operator.
    by: Option<ComparedBy>,
}

/// `a < b`, `a.lt(&b)`, `a.cmp(&b).is_lt()`, `a.total_cmp(&b) == Ordering::Less`; and `a.partial_cmp(&b).unwrap().is_lt()`, if it may be
/// `unwrapped`.
fn comparison_in(e: &Expr, unwrapped: bool) -> Option<Comparison<'_>> {
    /// `a.cmp(&b)`.
    fn called<'e>(e: &'e Expr, known: &[&str]) -> Option<([&'e Expr; 2], &'e str)> {
        let Kind::Method(a, method, arguments, _) = &e.bare().kind else { return None };
        let [Expr { kind: Kind::Ref(false, b), .. }] = arguments.as_slice() else { return None };
        known.contains(&method.as_str()).then_some(([&**a, &**b], method.as_str()))
    }
    /// `a.partial_cmp(&b).unwrap()`.
    fn ordered(e: &Expr, unwrapped: bool) -> Option<([&Expr; 2], &str)> {
        match &e.bare().kind {
            Kind::Method(partial, unwrap, _, _) if unwrapped && (unwrap == "unwrap" || unwrap == "expect") => {
                called(partial, &["partial_cmp"])
            }
            _ => called(e, &["cmp", "total_cmp"]),
        }
    }
    let by = |method: &str, ordering| Some(ComparedBy { method: method.to_owned(), ordering });
    match &e.bare().kind {
        Kind::Binary(op @ (Op::Lt | Op::Le | Op::Gt | Op::Ge), a, b) => {
            Some(Comparison { op: *op, sides: [&**a, &**b], by: None })
        }
        Kind::Binary(Op::Eq, one, two) => {
            let named = |e: &Expr| {
                let text: String = e.text().split_whitespace().collect();
                let (_, last) = text.rsplit_once("::")?;
                Some((if last == "Less" { Op::Lt } else { (last == "Greater").then_some(Op::Gt)? }, text))
            };
            let (compared, (op, ordering)) = match named(two) {
                Some(named) => (one, named),
                None => (two, named(one)?),
            };
            let (sides, method) = ordered(compared, unwrapped)?;
            Some(Comparison { op, sides, by: by(method, Some(ordering)) })
        }
        Kind::Method(compared, method, arguments, _) => {
            let op = match method.strip_prefix("is_").unwrap_or(method) {
                "lt" => Op::Lt,
                "le" => Op::Le,
                "gt" => Op::Gt,
                "ge" => Op::Ge,
                _ => return None,
            };
            let (sides, method) = match (method.starts_with("is_"), arguments.as_slice()) {
                (true, []) => ordered(compared, unwrapped)?,
                (false, [_]) => called(e, &["lt", "le", "gt", "ge"])?,
                _ => return None,
            };
            Some(Comparison { op, sides, by: by(method, None) })
        }
        _ => None,
    }
}

/// `if place.is_none_or(|b| e < b) { place = Some(e); more = ..; }`, possibly with further conditions next to the
/// comparison.
fn keeps_some<'e>(
    place: &Place,
    e: &'e Expr,
    condition: &'e Expr,
    then: &'e Block,
    parts: &[&'e Expr],
) -> Option<(Form<'e>, Vec<Id>)> {
    let mut tests = parts.iter().filter(|part| part.mentions_place(place));
    let (Some(test), None) = (tests.next(), tests.next()) else { return None };
    let Kind::Method(receiver, method, arguments, _) = &test.bare().kind else { return None };
    let [Expr { kind: Kind::Closure(patterns, _, compared), .. }] = arguments.as_slice() else { return None };
    let [pattern] = patterns.as_slice() else { return None };
    if method != "is_none_or" || !receiver.is(place) || compared.mentions_place(place) {
        return None;
    }
    // `!(held <= new)` is `new < held`, if all values compare.
    let (compared, total) = match &compared.bare().kind {
        Kind::Unary('!', inner) => (inner.bare(), true),
        _ => (compared.bare(), false),
    };
    let Comparison { op, sides: [a, b], by } = comparison_in(compared, true)?;
    if total && by.is_some() {
        return None;
    }
    let op = if total { op.negated() } else { op };
    let old = |side: &Expr| pattern.names.iter().find_map(|held| held_in(pattern, held.name, side));
    let (op, new, fields) = match (old(a), old(b)) {
        (None, Some(fields)) => (op, a, fields),
        (Some(fields), None) => (op.mirrored(), b, fields),
        _ => return None,
    };
    let Together { members, assigns, value, mut fine } = set_together(place, then)?;
    let same = part_of(some_of(value)?, &fields).is_some_and(|part| part.is_written_as(new));
    if !same || pattern.names.iter().any(|held| new.mentions(held.name)) {
        return None;
    }
    fine.extend(ids_in(receiver));
    let form = looks(e, &members, &fine).unwrap_or_else(|| {
        Form::Best(Better::ThanSome { fields, op, shape: shape(pattern), total, by }, members, condition)
    });
    Some((form, assigns))
}

/// The shape of the value that a pattern destructures, as far as the pattern shows it: `(_, _)`.
fn shape(pattern: &Pattern) -> String {
    if pattern.is_reference() {
        return "_".into();
    }
    match pattern.parts().iter().map(shape).collect::<Vec<_>>().as_slice() {
        [] if pattern.tokens.to_string() == ".." => "..".into(),
        [] => "_".into(),
        [one] if one != ".." => format!("({one},)"),
        parts => format!("({})", parts.join(", ")),
    }
}

/// The fields that lead from the destructured value to one side of a comparison, if this side contains a variable of
/// the pattern.
fn held_in(pattern: &Pattern, name: Local, side: &Expr) -> Option<Vec<String>> {
    let side = match &side.bare().kind {
        Kind::Unary('*', inner) => inner,
        _ => side,
    };
    let below = accessor_of(side, &Place::from(name))?;
    fn path(pattern: &Pattern, name: Local) -> Option<Vec<String>> {
        if pattern.parts().is_empty() {
            return pattern.single().filter(|held| held.name == name).map(|_| Vec::new());
        }
        let (at, mut rest) = (0..).zip(pattern.parts()).find_map(|(at, part)| Some((at, path(part, name)?)))?;
        rest.insert(0, format!("{at}"));
        Some(rest)
    }
    let mut fields = path(pattern, name)?;
    fields.extend(below);
    Some(fields)
}

/// `if place.is_none() && c { place = Some(e); more = ..; }`, `if !place && c { place = true; more = ..; }`: keeps the
/// first match.
fn finds<'e>(place: &Place, e: &'e Expr) -> Option<(Form<'e>, Vec<Id>)> {
    let Kind::If(condition, then, None) = &e.kind else { return None };
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let missing = |part: &Expr| match &part.bare().kind {
        Kind::Method(found, name, args, _) if name == "is_none" && args.is_empty() && found.is(place) => {
            Some(Missing::None)
        }
        Kind::Unary('!', found) if found.is(place) => Some(Missing::False),
        _ => None,
    };
    let (test, missing) = parts.into_iter().find_map(|part| Some((part, missing(part)?)))?;
    let Together { members, assigns, value, mut fine } = set_together(place, then)?;
    // The assignment must record the match.
    let there = match (&missing, &value.bare().kind) {
        (Missing::None, Kind::Call(function, _)) => function.name() == Some(Local::named("Some")),
        (Missing::False, _) => value.is_code("true"),
        _ => false,
    };
    if !there {
        return None;
    }
    fine.extend(ids_in(test));
    let form = looks(e, &members, &fine).unwrap_or(Form::Best(Better::First(missing), members, condition));
    Some((form, assigns))
}

/// The assignments at the top level of a block. One of them assigns a certain place.
struct Together<'e> {
    /// The place, and then the others.
    members: Vec<Place>,
    assigns: Vec<Id>,
    /// The new value of the place.
    value: &'e Expr,
    /// The permitted mentions of the assigned places.
    fine: HashSet<Id>,
}

fn set_together<'e>(place: &Place, block: &'e Block) -> Option<Together<'e>> {
    let (mut members, mut assigns, mut fine, mut set) = (Vec::new(), Vec::new(), HashSet::new(), None);
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Expr(assign, _) => {
                let Kind::Assign(target, op, value) = &assign.kind else { return None };
                let place_set = target.place().filter(|place| !members.contains(place))?;
                if op.is_none() {
                    fine.extend(ids_in(target));
                }
                let mut at = members.len();
                if target.is(place) {
                    (at, set) = (0, Some(&**value));
                }
                members.insert(at, place_set);
                assigns.insert(at, assign.id);
            }
            StatementKind::Let(..) => {}
            StatementKind::Item(_) => return None,
        }
    }
    Some(Together { members, assigns, value: set?, fine })
}

/// The member of a group that says whether there is a best value, by its number, and its value if there is none: `first` of
/// `if first || e > best { best = e; first = false; }`.
fn set_flag(flag: &Expr, members: &[Place], then: &Block) -> Option<(usize, Missing)> {
    let (flag, missing) = match &flag.bare().kind {
        Kind::Unary('!', found) => (&**found, false),
        _ => (flag, true),
    };
    let number = members.iter().position(|member| flag.is(member))?;
    let is_set = then.nodes().any(|e| match &e.kind {
        Kind::Assign(target, None, value) => {
            target.is(&members[number]) && value.is_code(if missing { "false" } else { "true" })
        }
        _ => false,
    });
    is_set.then_some((number, if missing { Missing::True } else { Missing::False }))
}

/// A read of one of these variables, which an `if` sets, outside of the nodes in `fine`.
fn looks<'e>(e: &'e Expr, members: &[Place], fine: &HashSet<Id>) -> Option<Form<'e>> {
    members.iter().find_map(|member| Some(Form::Looks(member.clone(), reads_besides(e, member, fine)?)))
}

fn ids_in(e: &Expr) -> Vec<Id> {
    let mut ids = Vec::new();
    for e in e.nodes() {
        ids.push(e.id);
    }
    ids
}

/// A mention of the variable of a place in an expression, outside of these nodes.
fn reads_besides<'e>(e: &'e Expr, place: &Place, fine: &HashSet<Id>) -> Option<&'e Expr> {
    let root = place.root;
    // A different part of the variable has a value of its own.
    let apart = |e: &Expr| {
        matches!(e.kind, Kind::Field(..))
            && e.place().is_some_and(|other| other.is_fixed() && place.is_apart_from(&other))
    };
    let mut found = None;
    e.walk(&mut |e| {
        if found.is_some() || fine.contains(&e.id) {
            return false;
        }
        let read = matches!(e.kind, Kind::Name(name) if name == root);
        if read {
            found = Some(e);
        }
        !read && !apart(e)
    });
    found
}

pub fn conjuncts<'e>(e: &'e Expr, to: &mut Vec<&'e Expr>) {
    match &e.bare().kind {
        Kind::Binary(Op::AndAnd, a, b) => {
            conjuncts(a, to);
            conjuncts(b, to);
        }
        _ => to.push(e),
    }
}

fn form<'e>(place: &Place, op: Option<Op>, value: &'e Expr, given: Given<'_>) -> Form<'e> {
    let linear = |value| affine(&Variable { place, float: given.float, through: &Through::new() }, value);
    if let Some(op) = op {
        return match (Operator::of(op), op) {
            // `y += a * (x - y)`.
            (_, Op::Add | Op::Sub) if value.mentions_place(place) => match linear(value) {
                Some(_) => Form::Linear,
                None => Form::Opaque,
            },
            _ if value.mentions_place(place) => Form::Opaque,
            (Some(operator), _) => Form::Step(operator, Some(value)),
            (None, Op::Div) if given.float || is_float(value) => Form::Linear,
            _ => Form::Opaque,
        };
    }
    if !value.mentions_place(place) {
        return Form::Reset(value);
    }
    if matches!(&value.bare().kind, Kind::Unary('!', inner) if inner.is(place)) {
        return Form::Step(Operator::Xor, None);
    }
    if let Some((operator, operand)) = step(place, value, given.combine).or_else(|| step_in_option(place, value)) {
        return Form::Step(operator, operand);
    }
    match linear(value) {
        Some(_) => Form::Linear,
        None => Form::Opaque,
    }
}

/// `acc op e`, in any of its spellings.
fn step<'e>(place: &Place, value: &'e Expr, combine: Option<&str>) -> Option<(Operator, Option<&'e Expr>)> {
    let last = |text: &str| text.rsplit("::").next().unwrap_or_default().trim().to_owned();
    let words = |text: &str| text.split_whitespace().collect::<String>();
    match &value.bare().kind {
        Kind::Binary(op, a, b) => {
            let operator = Operator::of(*op)?;
            if a.is(place) && !b.mentions_place(place) {
                return Some((operator, Some(b)));
            }
            if b.is(place) && !a.mentions_place(place) && *op != Op::Sub {
                return Some((operator, Some(a)));
            }
            // `acc + a + b`, `acc * a * b`.
            if a.mentions_place(place) && !b.mentions_place(place) {
                let (inner, _) = step(place, a, combine)?;
                return (inner == operator && matches!(operator, Operator::Add | Operator::Mul))
                    .then_some((operator, None));
            }
            if b.mentions_place(place) && !a.mentions_place(place) && *op == Op::Add {
                let (inner, _) = step(place, b, combine)?;
                return (inner == operator).then_some((operator, None));
            }
            None
        }
        Kind::Method(receiver, name, args, _) => {
            let (mine, other) = match args.as_slice() {
                [other] if receiver.is(place) && !other.mentions_place(place) => (true, other),
                [other] if other.is(place) && !receiver.mentions_place(place) => (false, &**receiver),
                // `a.mul_add(b, acc)` is an addition.
                [b, c]
                    if name == "mul_add"
                        && c.is(place)
                        && !receiver.mentions_place(place)
                        && !b.mentions_place(place) =>
                {
                    return Some((Operator::Add, None));
                }
                _ => return None,
            };
            if combine.is_some_and(|path| last(path) == *name) && mine {
                return Some((Operator::Combine, Some(other)));
            }
            Some((Operator::named(name)?, Some(other)))
        }
        Kind::Call(function, args) => {
            let name = last(&function.text());
            let [a, b] = args.as_slice() else { return None };
            // `other::blend` is not `blend`.
            let called = words(&function.text());
            let is_called = |path: &str| words(path) == called || words(path).ends_with(&format!("::{called}"));
            if combine.is_some_and(is_called) {
                return (a.is(place) && !b.mentions_place(place)).then_some((Operator::Combine, Some(b)));
            }
            let other = match (a.is(place), b.is(place)) {
                (true, false) if !b.mentions_place(place) => b,
                (false, true) if !a.mentions_place(place) => a,
                _ => return None,
            };
            let operator = Operator::named(&name)?;
            matches!(operator, Operator::Max | Operator::Min).then_some((operator, Some(other)))
        }
        _ => None,
    }
}

/// `Some(acc.map_or(e, |held| held.max(e)))`, `Some(acc.unwrap_or(least).max(e))`.
fn step_in_option<'e>(place: &Place, value: &'e Expr) -> Option<(Operator, Option<&'e Expr>)> {
    let value = some_of(value)?;
    let Kind::Method(receiver, method, args, _) = &value.bare().kind else { return None };
    let (operator, operand) = match (method.as_str(), args.as_slice()) {
        ("map_or", [first, Expr { kind: Kind::Closure(patterns, _, both), .. }]) if receiver.is(place) => {
            let held = patterns.first()?.single().filter(|held| !held.mutable && !held.refers)?;
            let (operator, operand) = step(&Place::from(held.name), both, None)?;
            (operator, operand.filter(|operand| operand.is_written_as(first))?)
        }
        ("max" | "min", [operand]) if unwraps(receiver, place) => (Operator::named(method)?, operand),
        _ => return None,
    };
    let extreme = matches!(operator, Operator::Max | Operator::Min) && !operand.mentions_place(place);
    extreme.then(|| (Operator::InOption(Box::new(operator)), Some(operand)))
}

/// `e` of `Some(e)`.
fn some_of(e: &Expr) -> Option<&Expr> {
    let Kind::Call(function, values) = &e.bare().kind else { return None };
    let [value] = values.as_slice() else { return None };
    (function.name() == Some(Local::named("Some"))).then_some(value)
}

/// Whether the option that an expression unwraps is a place, with a number if it is `None`.
fn unwraps(e: &Expr, place: &Place) -> bool {
    let Kind::Method(best, method, args, _) = &e.bare().kind else { return false };
    let number =
        |e: &Expr| e.nodes().all(|e| matches!(e.kind, Kind::Path | Kind::Int(_) | Kind::Literal | Kind::Unary('-', _)));
    method == "unwrap_or" && best.is(place) && args.iter().all(number)
}

/// The operands of an update with one operator, beginning with those nearest to the accumulator, and whether each is
/// subtracted: `a` and `b` of `acc += a` and of `acc = a + acc - b`.
pub fn operands(operator: &Operator, assign: &Expr) -> Option<Vec<Operand>> {
    fn collect(sums: bool, place: &Place, e: &Expr, minus: bool, to: &mut Vec<Operand>) -> Option<()> {
        if e.is(place) {
            return (!minus).then_some(());
        }
        if !e.mentions_place(place) {
            to.push(Operand { minus, value: e.clone() });
            return Some(());
        }
        let (a, b, negative) = match &e.bare().kind {
            Kind::Binary(Op::Add, a, b) if sums => (a, b, minus),
            Kind::Binary(Op::Sub, a, b) if sums => (a, b, !minus),
            Kind::Binary(Op::Mul, a, b) if !sums => (a, b, minus),
            _ => return None,
        };
        let mut parts = [(a, minus), (b, negative)];
        if b.mentions_place(place) {
            parts.swap(0, 1);
        }
        parts.into_iter().try_for_each(|(part, minus)| collect(sums, place, part, minus, to))
    }
    let Kind::Assign(target, op, value) = &assign.kind else { return None };
    let sums = match operator {
        Operator::Add => true,
        Operator::Mul => false,
        _ => return None,
    };
    let mut found = Vec::new();
    match op {
        Some(op) => found.push(Operand { minus: *op == Op::Sub, value: (**value).clone() }),
        None => collect(sums, &target.place()?, value, false, &mut found)?,
    }
    Some(found)
}

/// Whether an expression shows that it is a float, by a literal or a cast.
pub fn is_float(e: &Expr) -> bool {
    e.nodes().any(|e| {
        matches!(&e.kind, Kind::Literal if e.tokens.to_string().contains('.'))
            || matches!(&e.kind, Kind::Cast(_, ty, _) if ty == "f32" || ty == "f64")
    })
}

/// Variables of the body that are computed from an accumulator before its update, with their values.
pub type Through<'e> = HashMap<Local, &'e Expr>;

/// The variable of a linear recurrence.
struct Variable<'v> {
    place: &'v Place,
    float: bool,
    through: &'v Through<'v>,
}

/// The coefficients of an expression, if it is linear in a variable.
fn affine(variable: &Variable<'_>, e: &Expr) -> Option<Linear> {
    let Variable { place, float, through } = *variable;
    if e.is(place) {
        return Some(Linear::variable());
    }
    if let Some(value) = e.name().and_then(|name| through.get(&name)) {
        return affine(&Variable { through: &Through::new(), ..*variable }, value);
    }
    let constant = |e: &Expr| !e.mentions_place(place) && !through.keys().any(|name| e.mentions(*name));
    if constant(e) {
        return Some(Linear::constant(e));
    }
    let inner = |e: &Expr| affine(variable, e);
    let product = |a: &Expr, b: &Expr| match (constant(a), constant(b)) {
        (true, false) => Some(inner(b)?.times(&Amount::Of(a.clone()))),
        (false, true) => Some(inner(a)?.times(&Amount::Of(b.clone()))),
        _ => None,
    };
    match &e.bare().kind {
        Kind::Binary(Op::Add, a, b) => Some(inner(a)?.plus(inner(b)?)),
        Kind::Binary(Op::Sub, a, b) => Some(inner(a)?.minus(inner(b)?)),
        Kind::Binary(Op::Mul, a, b) => product(a, b),
        Kind::Binary(Op::Div, a, b) if constant(b) && (float || is_float(b)) => {
            Some(inner(a)?.times(&Amount::Inverse((**b).clone())))
        }
        Kind::Unary('-', a) => Some(inner(a)?.negative()),
        Kind::Method(receiver, name, args, _) => match (name.as_str(), args.as_slice()) {
            ("mul_add", [factor, term]) => Some(product(receiver, factor)?.plus(inner(term)?)),
            ("wrapping_add", [other]) => Some(inner(receiver)?.plus(inner(other)?)),
            ("wrapping_sub", [other]) => Some(inner(receiver)?.minus(inner(other)?)),
            ("wrapping_mul", [other]) => product(receiver, other),
            ("wrapping_neg", []) => Some(inner(receiver)?.negative()),
            _ => None,
        },
        _ => None,
    }
}

/// An update as a step of a linear recurrence.
pub fn as_linear(form: &Form<'_>, assign: &Expr, float: bool, through: &Through<'_>) -> Option<Linear> {
    let known = match form {
        Form::Linear | Form::Reset(_) => true,
        Form::Step(operator, _) => {
            matches!(operator, Operator::Add | Operator::Mul | Operator::WrappingAdd | Operator::WrappingMul)
        }
        _ => false,
    };
    let Kind::Assign(target, op, value) = &assign.kind else { return None };
    let place = target.place()?;
    let inner = |e| affine(&Variable { place: &place, float, through }, e);
    match op {
        _ if !known => None,
        None => inner(value),
        Some(Op::Add) => Some(Linear::variable().plus(inner(value)?)),
        Some(Op::Sub) => Some(Linear::variable().minus(inner(value)?)),
        Some(Op::Mul) if !value.mentions_place(&place) => {
            Some(Linear::variable().times(&Amount::Of((**value).clone())))
        }
        Some(Op::Div) if float || is_float(value) => {
            Some(Linear::variable().times(&Amount::Inverse((**value).clone())))
        }
        _ => None,
    }
}

/// Variables at the top level of a body that are computed from an accumulator before its only update, and otherwise
/// only from values that the body does not change.
pub fn through<'e>(place: &Place, body: &'e Block, assign: Id) -> Through<'e> {
    let mut found = Through::new();
    let mut changed: HashSet<Local> = HashSet::new();
    let own = |e: &&Expr| matches!(&e.kind, Kind::Assign(target, ..) if target.is(place));
    changed.extend(body.nodes().filter(|e| !own(e)).flat_map(Expr::changes));
    for statement in &body.statements {
        match &statement.kind {
            StatementKind::Let(pattern, Some(value), None) if value.mentions_place(place) => {
                let Some(binding) = pattern.single() else { continue };
                let plain = value.nodes().all(|e| match &e.kind {
                    Kind::Name(name) => !changed.contains(name) && !found.contains_key(name),
                    Kind::Macro(..) | Kind::Opaque(..) | Kind::Closure(..) => false,
                    _ => true,
                });
                if plain && !binding.mutable {
                    found.insert(binding.name, value);
                }
            }
            StatementKind::Expr(e, _) if e.id == assign => return found,
            _ => {}
        }
    }
    // The update is not at the top level.
    Through::new()
}
