//! Variables that determine which code of an iteration runs. A chunk does not know their earlier values, so it may run
//! code that the sequential loop skips, and this code may panic.

use crate::front::items::Items;
use crate::ir::names::bindings;
use crate::ir::{Binding, Expr, Id, Kind, Local, Op, StatementKind};
use crate::language::methods;
use crate::maps::{HashSet, New as _};
use crate::plan::{Accumulator, Better, Class, ComparedBy, Merge, Missing, Operator, Plan, Slot, SlotKind};

/// The code that may panic although the sequential loop skips it.
pub enum Guards<'e> {
    /// There is no such code.
    Nothing,
    /// There is such code, and the loop can run again then: it reads no elements that it writes, and its only results
    /// are values of accumulators.
    Again,
    /// This expression, and the loop cannot run again.
    Once(&'e Expr),
    /// This variable holds the best value, and its first value may be one that cannot be compared; the loop cannot run
    /// again.
    Held(&'e Accumulator),
}

/// The code that may panic in a chunk although the sequential loop does not panic.
pub fn guards(found: &Plan) -> Guards<'_> {
    if found.running {
        return Guards::Nothing;
    }
    let leaves_values = found.accumulators.iter().all(|a| !a.class.is_carried() || matches!(a.class, Class::Scratch));
    let again = leaves_values && can_run_again(found, false);
    // The chunks call the user's function with other values than the sequential loop does.
    let by_function = |class: &Class| matches!(class, Class::Combine { merge: Merge::Combine(_) });
    // A value that cannot be compared is kept if it comes first, but not later.
    let held = |a: &&Accumulator| match &a.class {
        Class::Best { better: Better::ThanSome { total, by, .. }, .. } => {
            !total && !by.as_ref().is_some_and(ComparedBy::compares_all)
        }
        Class::Best { better: Better::Than { flag: Some((_, Missing::Where(_))), .. }, .. } => true,
        _ => false,
    };
    let held = found.accumulators.iter().find(held);
    let replaces = |class: &Class| matches!(class, Class::Best { better, .. } if better.compares_all());
    let ordered = |a: &Accumulator| by_function(&a.class) || replaces(&a.class);
    // Iterations after the end of the loop may panic.
    if let Some(ends) = &found.f.ends {
        return if again { Guards::Again } else { Guards::Once(ends) };
    }
    match panics_behind_a_variable(found) {
        Some(_) if again => Guards::Again,
        Some(e) => Guards::Once(e),
        None if again && (held.is_some() || found.accumulators.iter().any(ordered)) => Guards::Again,
        None => held.map_or(Guards::Nothing, Guards::Held),
    }
}

fn panics_behind_a_variable(found: &Plan) -> Option<&Expr> {
    let decides = |class: &Class| match class {
        Class::Idempotent { merge: Merge::By(operator) } => {
            matches!(operator, Operator::Logical(Op::AndAnd | Op::OrOr) | Operator::Keep(_))
        }
        class => matches!(class, Class::Best { .. }),
    };
    let deciding = found.accumulators.iter().filter(|accumulator| decides(&accumulator.class));
    let guarded: HashSet<Id> = deciding.flat_map(|accumulator| &accumulator.nodes).copied().collect();
    let mut guarded = found.f.body.nodes().filter(|e| guarded.contains(&e.id));
    let mut left = false;
    guarded.find_map(|e| {
        // Code behind one that may leave the iteration need not be reached.
        let whole = left;
        left |= e.nodes().any(leaves);
        let Behind { conditions, values, computed } = if whole { Behind::all(e) } else { Behind::of(e) };
        let nothing = HashSet::new();
        let condition = conditions.into_iter().find(|e| may_panic(e, &nothing));
        condition.or_else(|| values.into_iter().find(|e| may_panic(e, &computed)))
    })
}

/// The parts of an update that run only for certain values of its variable.
#[derive(Default)]
struct Behind<'e> {
    conditions: Vec<&'e Expr>,
    values: Vec<&'e Expr>,
    /// The expressions that have been computed before the values.
    computed: HashSet<Computed>,
}

fn leaves(e: &Expr) -> bool {
    matches!(e.kind, Kind::Continue(_) | Kind::Break(..) | Kind::Return(_) | Kind::Try(_) | Kind::Opaque(_))
}

impl<'e> Behind<'e> {
    fn all(update: &'e Expr) -> Behind<'e> {
        Behind { values: vec![update], ..Behind::default() }
    }

    fn of(update: &'e Expr) -> Behind<'e> {
        match &update.kind {
            Kind::Assign(_, None, value) => match &value.bare().kind {
                Kind::Binary(Op::AndAnd | Op::OrOr, _, operand) => {
                    Behind { values: vec![operand], ..Behind::default() }
                }
                _ => Behind::all(update),
            },
            Kind::Assign(..) => Behind::default(),
            Kind::If(condition, then, None) => {
                let mut conditions = Vec::new();
                conjuncts(condition, &mut conditions);
                // Other parts of a condition need not have been computed.
                let straight = |e: &Expr| {
                    !matches!(e.kind, Kind::Binary(Op::OrOr, ..) | Kind::If(..) | Kind::Match(..) | Kind::Closure(..))
                };
                let all = conditions.iter().filter(|condition| condition.nodes().all(straight));
                let computed = all.flat_map(|condition| condition.nodes()).map(|e| Computed(e.text())).collect();
                let values = then.statements.iter().filter_map(|s| match &s.kind {
                    StatementKind::Expr(Expr { kind: Kind::Assign(_, _, value), .. }, _) => Some(&**value),
                    StatementKind::Let(_, value, _) => value.as_ref(),
                    StatementKind::Expr(e, _) => Some(e),
                    StatementKind::Item(_) => None,
                });
                // The first condition may be the comparison itself.
                Behind { conditions: conditions.into_iter().skip(1).collect(), values: values.collect(), computed }
            }
            _ => Behind::all(update),
        }
    }
}

fn conjuncts<'e>(e: &'e Expr, to: &mut Vec<&'e Expr>) {
    match &e.bare().kind {
        Kind::Binary(Op::AndAnd, a, b) => {
            conjuncts(a, to);
            conjuncts(b, to);
        }
        _ => to.push(e),
    }
}

/// The text of an expression that has been computed.
#[derive(PartialEq, Eq, Hash)]
struct Computed(String);

/// Whether an expression has parts other than names, comparisons and others that cannot panic. A part that has been `computed` before did
/// not panic.
fn may_panic(e: &Expr, computed: &HashSet<Computed>) -> bool {
    let mut panics = false;
    e.walk(&mut |e| {
        if computed.contains(&Computed(e.text())) {
            return false;
        }
        panics |= may_panic_itself(e);
        !panics
    });
    panics
}

fn may_panic_itself(e: &Expr) -> bool {
    match &e.kind {
        Kind::Binary(op, ..) => {
            !op.is_comparison() && !matches!(op, Op::And | Op::Or | Op::Xor | Op::AndAnd | Op::OrOr)
        }
        Kind::Method(_, method, ..) => !methods::never_panics(method),
        Kind::Unary(op, _) => *op == '-',
        Kind::Call(function, _) => function.name() != Some(Local::named("Some")),
        Kind::Index(..) | Kind::Macro(..) | Kind::Closure(..) | Kind::Opaque(..) => true,
        Kind::Loop(..) | Kind::While(..) | Kind::For(_) => true,
        _ => false,
    }
}

/// Whether concurrent chunks may panic if each starts from the value before it: a later chunk may panic before an
/// earlier one reaches its own panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// They cannot panic.
    Free,
    /// They may panic, and the chunks can run again, one after the other.
    Again,
    /// They may panic, and the chunks cannot run again.
    Never,
}

/// Whether concurrent chunks with proved indices may panic, in a build with overflow checks and in one without.
pub fn beside(found: &Plan) -> [Beside; 2] {
    let again = if can_run_again(found, false) { Beside::Again } else { Beside::Never };
    let panics = panics_where_proved(found, true);
    panics.map(|panics| if panics { again } else { Beside::Free })
}

/// Whether an iteration with proved indices may panic outside of the updates of its accumulators, in a build with
/// overflow checks and in one without.
pub fn panics_elsewhere(found: &Plan) -> [bool; 2] {
    panics_where_proved(found, false)
}

/// Whether code may panic with overflow checks, and without; `sums` is whether updates of accumulators count.
fn panics_where_proved(found: &Plan, sums: bool) -> [bool; 2] {
    let floats = Floats::of(found);
    let updates = found.accumulators.iter().flat_map(|a| &a.nodes).copied();
    let updates: HashSet<Id> = updates.filter(|_| !sums).collect();
    let (mut at_overflow, mut always) = (false, false);
    found.f.body.walk(&mut |e| {
        match &e.kind {
            Kind::Assign(..) if updates.contains(&e.id) => {}
            Kind::Binary(Op::Div | Op::Rem, one, other) | Kind::Assign(one, Some(Op::Div | Op::Rem), other) => {
                let by_number = matches!(other.bare().kind, Kind::Int(number) if number != 0);
                always |= !by_number && !floats.has(one) && !floats.has(other);
            }
            Kind::Binary(op, one, other) | Kind::Assign(one, Some(op), other) => {
                at_overflow |= !never_overflows(*op) && !floats.has(one) && !floats.has(other);
            }
            Kind::Unary(op, of) => at_overflow |= *op == '-' && !floats.has(of),
            Kind::Method(_, method, ..) if OVERFLOWS.contains(&method.as_str()) => at_overflow = true,
            Kind::Method(_, method, ..) => always |= method != "len" && !methods::never_panics(method),
            Kind::Call(function, _) => always |= function.name() != Some(Local::named("Some")),
            Kind::Index(array, index) => {
                let proved = |slot: &Slot| array.name() == Some(slot.name) && slot.kind != SlotKind::Gather;
                let proved = !matches!(index.bare().kind, Kind::Range(..)) && found.slots.iter().any(proved);
                always |= !proved;
                // If a plain index is proved, the values in it do not overflow.
                return !(always || proved && is_plain_index(index));
            }
            Kind::Macro(..) | Kind::Closure(..) | Kind::Opaque(..) | Kind::Try(_) => always = true,
            Kind::Loop(..) | Kind::While(..) | Kind::For(_) => always = true,
            _ => {}
        }
        !always
    });
    [at_overflow || always, always]
}

/// Whether an index is a sum or a product of variables and numbers.
fn is_plain_index(index: &Expr) -> bool {
    index.nodes().all(|e| match &e.kind {
        Kind::Binary(op, ..) => matches!(op, Op::Add | Op::Sub | Op::Mul),
        Kind::Name(_) | Kind::Path | Kind::Int(_) | Kind::Paren(_) | Kind::Field(..) | Kind::Cast(..) => true,
        _ => false,
    })
}

/// Methods that panic on overflow, but only in a build with overflow checks.
const OVERFLOWS: [&str; 5] = ["abs", "abs_diff", "neg", "next_power_of_two", "pow"];

fn never_overflows(op: Op) -> bool {
    op.is_comparison() || matches!(op, Op::And | Op::Or | Op::Xor | Op::AndAnd | Op::OrOr)
}

/// The expressions that are certainly floats.
struct Floats<'p> {
    found: &'p Plan,
    /// Variables of the body.
    names: HashSet<Local>,
}

impl<'p> Floats<'p> {
    fn of(found: &'p Plan) -> Self {
        let mut floats = Floats { found, names: HashSet::new() };
        let statements = &found.f.body.statements;
        for (number, statement) in statements.iter().enumerate() {
            if let StatementKind::Let(pattern, Some(value), _) = &statement.kind
                && let Some(Binding { name, .. }) = pattern.single()
                && !statements[..=number].iter().any(|earlier| earlier.mentions(*name))
                && floats.is_bound_once(*name)
                && floats.has(value)
            {
                floats.names.insert(*name);
            }
        }
        floats
    }

    /// Whether a name of the body is bound once: another variable of the name may not be a float.
    fn is_bound_once(&self, name: Local) -> bool {
        let mut count = 0;
        bindings(&self.found.f.body, &mut |pattern| count += usize::from(pattern.binds(name)));
        count == 1
    }

    fn has(&self, e: &Expr) -> bool {
        let is_float = |name: &str| matches!(name, "f32" | "f64");
        match &e.kind {
            Kind::Name(name) => self.names.contains(name),
            Kind::Literal => {
                let text = e.text();
                let number = text.starts_with(|first: char| first.is_ascii_digit());
                number && (text.contains('.') || text.ends_with("f32") || text.ends_with("f64"))
            }
            Kind::Paren(e) | Kind::Unary(_, e) => self.has(e),
            Kind::Binary(op, one, other) => !op.is_comparison() && (self.has(one) || self.has(other)),
            Kind::Index(array, _) => self.found.slots.iter().any(|slot| {
                let element = slot.element.as_ref().is_some_and(|element| is_float(&element.to_string()));
                element && array.name() == Some(slot.name)
            }),
            Kind::Cast(_, to, _) => is_float(to),
            Kind::Method(_, method, ..) => matches!(&method[..], "sqrt" | "exp" | "ln" | "sin" | "cos" | "tanh"),
            _ => false,
        }
    }
}

/// Whether iterations give the same sums if they run again: they read a written array only in its own update
/// (`out[i] += e`).
pub fn sums_again(found: &Plan) -> bool {
    can_run_again(found, true)
}

/// Whether the iterations can run again after some of them have run: they only set elements of written arrays, or with
/// `updated` also update them.
fn can_run_again(found: &Plan, updated: bool) -> bool {
    let written = found.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere));
    let mut names: HashSet<Local> = written.map(|slot| slot.name).collect();
    Items::of(&found.f.source).writable_names(&found.f.pattern, &mut names);
    let mut again = true;
    found.f.body.walk(&mut |e| {
        if let Kind::Assign(place, op, value) = &e.kind
            && (op.is_none() || updated)
            && let Kind::Index(base, index) = &place.kind
            && base.name().is_some_and(|name| names.contains(&name))
        {
            again &= names.iter().all(|name| !value.mentions(*name) && !index.mentions(*name));
            return false;
        }
        if let Kind::Method(array, method, ..) = &e.kind
            && method == "len"
            && array.name().is_some()
        {
            return false;
        }
        if let Kind::Assign(place, op, value) = &e.kind
            && (op.is_none() || updated)
            && let Kind::Unary('*', base) = &place.kind
            && base.name().is_some_and(|name| names.contains(&name))
        {
            again &= names.iter().all(|name| !value.mentions(*name));
            return false;
        }
        again &= !matches!(&e.kind, Kind::Name(name) if names.contains(name));
        again
    });
    again
}
