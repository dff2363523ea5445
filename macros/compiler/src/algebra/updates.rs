//! The updates of an outer variable: their operator, and their form.

use super::choice::{Keeping, keeping};
use crate::ir::place::Place;
use crate::ir::{Block, Expr, Id, Kind, Local, Op, StatementKind};
use crate::maps::{HashMap, HashSet, New as _};
use crate::plan::{Amount, Linear, Operand, Operator};

#[cfg(test)]
mod tests;

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
    // An `if` that keeps the better value is an update together with its assignment.
    let mut kept: Vec<Id> = Vec::new();
    for e in body.nodes() {
        if let Kind::If(condition, then, None) = &e.kind
            && condition.mentions_place(place)
            && let Some(Keeping { operator, operand, assign }) = keeping(e, place)
        {
            kept.extend(then.nodes().map(|e| e.id));
            found.push(Update { form: Form::Step(operator, operand), node: e, assign });
        }
    }
    for e in body.nodes() {
        if let Kind::Assign(target, op, value) = &e.kind
            && !kept.contains(&e.id)
        {
            if target.is(place) {
                let form = match form(place, *op, value, given) {
                    Form::Opaque => keeping(e, place)
                        .map_or(Form::Opaque, |Keeping { operator, operand, .. }| Form::Step(operator, operand)),
                    form => form,
                };
                found.push(Update { form, node: e, assign: e.id });
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
    if let Some((operator, operand)) = step(place, value, given.combine) {
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
