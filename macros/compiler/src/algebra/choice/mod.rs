//! Variables that keep the best of values, or the first match, however the loop is written.
//!
//! One iteration runs on symbols ([`run`]), once for each combination of answers to the questions that it asks ([`Question`]). The
//! variables keep the best values under two conditions. Answers about values of the iteration alone decide whether there is a
//! candidate. A candidate replaces the values exactly if there are none or if its key is better. So a class follows from what an
//! iteration computes, and not from how it is spelled.

mod keys;
mod methods;
mod patterns;
mod questions;
mod run;
mod slice;
#[cfg(test)]
mod tests;
mod value;

use super::tracked::bound_in;
use crate::ir::place::Place;
use crate::ir::{Block, Expr, For, Id, Kind, Local, Op, Statement, StatementKind};
use crate::maps::HashSet;
use crate::plan::{Better, ComparedBy, Key, Missing, Operator, Tie};
use proc_macro2::TokenStream;
use questions::{Absent, Answers, Compared, Order, Question, Sign};
use quote::quote;
use run::{Changes, Finished, Ran, Run, Setting, Stop};
use slice::Slice;
use std::collections::BTreeSet;
use value::{CONTENT, Value, is_default, joined};

/// The most tests of an iteration: each doubles the number of runs.
const TESTS: usize = 6;
/// The most ways through an iteration.
const WAYS: usize = 512;

/// Variables that keep the best values, or the greatest or the least one.
pub struct Choice<'f> {
    /// The compared variable, and then the others.
    pub members: Vec<Place>,
    pub kept: Kept,
    /// The assignments, or the values at the ends of their branches, that take new values.
    pub takes: Vec<Id>,
    /// The statements that read the variables or set them, or that the values before decide about.
    pub nodes: Vec<Id>,
    /// The statements from the first of these to the last one.
    pub statements: &'f [Statement],
    /// The variables of the body that are computed from them.
    pub through: Vec<Local>,
}

/// The values that variables keep.
pub enum Kept {
    Best(Better),
    /// The greatest value in an option, or the least one.
    Extreme(Operator),
}

/// The choice that a variable makes, with others of `all` that are set together with it. `changes` says whether code that the loop may run
/// more often, or not at all, has side effects. If iterations may read the values, other variables may be computed from them.
pub fn choice<'f>(f: &'f For, of: &Place, all: &[Place], (changes, reads): (Changes<'_>, bool)) -> Option<Choice<'f>> {
    let varying = varying(f, all);
    let (mut places, mut apart) = (vec![of.clone()], Vec::new());
    if !of.is_fixed() {
        return None;
    }
    loop {
        let slice = Slice::of(f, &places);
        let open = all.iter().filter(|place| place.is_fixed() && !places.contains(place) && !apart.contains(*place));
        let found = match slice.set_by_others(&open.collect::<Vec<_>>()) {
            Some(place) => Err(Stop::Joins(place.clone())),
            None if !reads && !slice.others.is_empty() => Err(Stop::Unknown),
            None => {
                // Each of the others has a class of its own.
                let all: Vec<Place> = all.iter().filter(|place| !reads || !apart.contains(*place)).cloned().collect();
                let bound = bound_in(slice.block);
                let ends = slice.ends;
                chosen(&slice, &Setting { places: &places, all: &all, bound: &bound, varying: &varying, changes, ends })
            }
        };
        match found {
            Ok(found) => return Some(found),
            Err(Stop::Joins(place)) if place.is_fixed() && !apart.contains(&place) => places.push(place),
            Err(_) if places.len() > 1 => apart.extend(places.pop()),
            Err(_) => return None,
        }
    }
}

/// The choice that the statements of a slice make.
fn chosen<'f>(slice: &Slice<'f>, setting: &Setting<'_>) -> Ran<Choice<'f>> {
    let places = setting.places;
    let statements: Vec<&Statement> = slice.statements.iter().map(|number| &slice.block.statements[*number]).collect();
    let ways = ways(&statements, setting)?;
    let read: HashSet<Id> = ways.iter().flat_map(|way| way.finished.read.iter().copied()).collect();
    let is_read = |number: &&usize| slice.block.statements[**number].exprs().any(|e| read.contains(&e.id));
    let numbers = || slice.statements.iter().filter(is_read);
    let (Some(first), Some(last)) = (numbers().next(), numbers().next_back()) else { return Err(Stop::Unknown) };
    let (kept, order, takes) = kept(ways, slice.block, places).ok_or(Stop::Unknown)?;
    Ok(Choice {
        members: order.iter().map(|number| places[*number].clone()).collect(),
        kept,
        takes,
        nodes: numbers().flat_map(|number| slice.block.statements[*number].exprs()).map(|e| e.id).collect(),
        statements: &slice.block.statements[*first..=*last],
        through: slice.through.iter().copied().collect(),
    })
}

/// The values that variables keep, the numbers of the variables, the compared one first, and the nodes that take new values.
fn kept(mut ways: Vec<Way>, block: &Block, places: &[Place]) -> Option<(Kept, Vec<usize>, Vec<Id>)> {
    if let Some((operator, _)) = extreme(&ways) {
        let takes = ways.iter().flat_map(|way| &way.finished.assigned).map(|(_, id)| *id).collect();
        return Some((Kept::Extreme(operator), first(0, places.len()), takes));
    }
    let judged = Judged::of(&mut ways, places)?;
    // Iterations record assignments of the variable that says whether there is a value, or of the compared one.
    let recorded = match &judged.better {
        Better::Than { flag: Some((number, Missing::Where(_))), .. } => judged.order[*number],
        _ => judged.order[0],
    };
    let assigned = |way: &Way| way.finished.assigned.clone().into_iter().filter(|(number, _)| *number == recorded);
    let taking = ways.iter().filter(|way| way.takes());
    let takes: BTreeSet<Id> = taking.flat_map(assigned).map(|(_, id)| id).collect();
    let mut kept = ways.iter().filter(|way| !way.takes()).flat_map(assigned).map(|(_, id)| id);
    // An iteration without a candidate may assign the values before again.
    let exact = kept.all(|id| !takes.contains(&id));
    if !exact && (!judged.better.merges_unset() || judged.better.compares_all()) {
        return None;
    }
    // Whether a key compares with anything is known only where it has been assigned.
    let assigns = |id: &Id| block.node(*id).is_some_and(|e| matches!(e.kind, Kind::Assign(..)));
    if judged.better.compares_all() && !takes.iter().all(assigns) {
        return None;
    }
    Some((Kept::Best(judged.better), judged.order, takes.into_iter().collect()))
}

/// The variables that have different values in different iterations.
fn varying(f: &For, all: &[Place]) -> HashSet<Local> {
    let mut varying = bound_in(&f.body);
    varying.extend(f.pattern.variables().chain(all.iter().map(|place| place.root)));
    varying.extend(f.body.nodes().flat_map(Expr::changes));
    varying
}

/// A way through an iteration: the answers that lead there, and the result.
struct Way {
    answers: Answers,
    finished: Finished,
}

impl Way {
    fn takes(&self) -> bool {
        self.finished.values.is_some()
    }

    fn agrees(&self, answers: &Answers) -> bool {
        self.answers.iter().all(|(question, answer)| answers.get(question) == Some(answer))
    }
}

fn ways(statements: &[&Statement], setting: &Setting<'_>) -> Ran<Vec<Way>> {
    let (mut found, mut open) = (Vec::new(), vec![Answers::new()]);
    while let Some(answers) = open.pop() {
        match Run::new(setting, &answers).iteration(statements.iter().copied()) {
            Ok(finished) => found.push(Way { answers, finished }),
            Err(Stop::Asks(question)) => {
                let count = if matches!(question, Question::Order | Question::Tie) { 4 } else { 2 };
                for answer in 0..count {
                    let mut answers = answers.clone();
                    answers.insert(question.clone(), answer);
                    open.push(answers);
                }
            }
            // The loop runs again in order then.
            Err(Stop::Panics) => {}
            Err(stop) => return Err(stop),
        }
        if found.len() + open.len() > WAYS {
            return Err(Stop::Unknown);
        }
    }
    if all_compare(&found) {
        found.retain(|way| way.answers.get(&Question::Order) != Some(&(Order::Unordered as u8)));
    }
    Ok(found)
}

/// The operator by which an option holds the greatest value, or the least one, and the code of the new one: each candidate is there without a
/// value before, and then compares with it.
fn extreme(ways: &[Way]) -> Option<(Operator, String)> {
    let mut found: Option<(bool, String)> = None;
    for way in ways {
        if way.finished.compared.is_some() || way.finished.absent.is_some() {
            return None;
        }
        let Some(values) = &way.finished.values else {
            // A way for this candidate in one case is one in the other case.
            continue;
        };
        let [Value::Some(value)] = values.as_slice() else { return None };
        let partner = |held: u8| {
            let mut answers = way.answers.clone();
            answers.insert(Question::Held(0), held);
            let mut same = ways.iter().filter(|other| other.answers == answers);
            match same.next()?.finished.values.as_deref()? {
                [Value::Some(value)] => Some((**value).clone()),
                _ => None,
            }
        };
        let content = Value::Old(0, vec![CONTENT.to_owned()]);
        match (&**value, way.answers.get(&Question::Held(0))) {
            (Value::New(new), Some(0)) => {
                matches!(partner(1)?, Value::Extreme(_, old, other) if *old == content && other == *new)
                    .then_some(())?;
            }
            (Value::Extreme(greater, old, new), held) => {
                let fits = match held {
                    Some(1) => **old == content && partner(0)? == Value::New(new.clone()),
                    // A number in place of no value.
                    None => {
                        matches!(&**old, Value::Old(0, path) if matches!(path.as_slice(), [key] if is_default(key)))
                    }
                    Some(_) => false,
                };
                fits.then_some(())?;
                let (other, _) = found.get_or_insert_with(|| (*greater, new.clone()));
                (*other == *greater).then_some(())?;
            }
            _ => return None,
        }
    }
    let (greater, new) = found?;
    Some((Operator::InOption(Box::new(if greater { Operator::Max } else { Operator::Min })), new))
}

/// The form that all ways through an iteration agree on.
struct Judged {
    better: Better,
    /// The numbers of the places, the compared one first.
    order: Vec<usize>,
}

impl Judged {
    fn of(ways: &mut [Way], places: &[Place]) -> Option<Judged> {
        let held = held(ways)?;
        held.into_iter().for_each(|member| name_flags(ways, member));
        let equal = name_equal_keys(ways);
        let example = ways.iter().find_map(|way| way.finished.values.as_ref())?;
        // Each candidate sets all of the variables.
        let sets_all = |values: &Vec<Value>| values.iter().all(|value| !value.has_state());
        if !ways.iter().filter_map(|way| way.finished.values.as_ref()).all(sets_all) {
            return None;
        }
        let conditions = absences(ways, held, &example[held.unwrap_or(0)], places)?;
        conditions.into_iter().find_map(|absence| Judged::with(ways, (places, equal), example, absence))
    }

    /// The form of variables without a value where this condition holds.
    fn with(
        ways: &[Way],
        (places, equal): (&[Place], bool),
        example: &[Value],
        absence: Option<Absence>,
    ) -> Option<Judged> {
        let taken = orders(ways, absence.as_ref())?;
        let Some(compared) = compared(ways, |finished| finished.compared.as_ref())? else {
            // The first match.
            let Absence { member, missing, .. } = absence.filter(|_| taken.is_empty())?;
            return Some(Judged { better: Better::First(missing), order: first(member, places.len()) });
        };
        let (order, member) = (first(compared.member, places.len()), compared.member);
        let number = |member: usize| order.iter().position(|number| *number == member);
        let Taken { op, unordered: total, tie } = Taken::of(&taken, second_orders(ways).len())?;
        let by = match compared.by {
            Some(method) => Some(ComparedBy { method: method.to_owned(), ordering: ordering(ways)? }),
            None => None,
        };
        keys_are_kept(ways, &compared, |finished| finished.compared.as_ref()).then_some(())?;
        let tie = match tie {
            None => None,
            Some(op) => {
                let tied = self::compared(ways, |finished| finished.tie.as_ref())??;
                keys_are_kept(ways, &tied, |finished| finished.tie.as_ref()).then_some(())?;
                let fits = tied.by.is_none() && !by.as_ref().is_some_and(ComparedBy::is_total);
                let key = fits.then(|| key(ways, places, tied.member, &tied.path))??;
                Some(Tie { number: number(tied.member)?, key, op, equal })
            }
        };
        let better = match compared.path.split_first() {
            Some((content, fields)) if content == CONTENT => {
                let none = |absence: Absence| absence.member == member && absence.missing == Missing::None;
                (tie.is_none() && absence.is_some_and(none)).then_some(())?;
                let Value::Some(value) = &example[member] else { return None };
                Better::ThanSome { fields: fields.to_vec(), op, shape: value.shape(), total, by }
            }
            _ => {
                (!panics(ways)).then_some(())?;
                let flag = match absence {
                    Some(Absence { missing: Missing::None, .. }) => return None,
                    Some(Absence { member, missing, .. }) => Some((number(member)?, missing)),
                    None => None,
                };
                Better::Than { key: key(ways, places, member, &compared.path)?, op, total, by, flag, tie }
            }
        };
        Some(Judged { better, order })
    }
}

/// A condition on a variable that says that there is no value, and the answer to the question for it.
struct Absence {
    member: usize,
    missing: Missing,
    question: Question,
    answer: u8,
}

/// The conditions that may say that there is no value; one without a condition if the loop tests none. `example` is a new value of the
/// variable that is an option or a `bool`.
fn absences(ways: &[Way], held: Option<usize>, example: &Value, places: &[Place]) -> Option<Vec<Option<Absence>>> {
    let mut all = ways.iter().filter_map(|way| way.finished.absent.as_ref());
    let absent = all.next();
    all.all(|other| Some(other) == absent).then_some(())?;
    match (held, absent) {
        (None, None) => Some(vec![None]),
        (Some(member), None) => {
            let (missing, answer) = match example {
                Value::Some(_) => (Missing::None, 0),
                Value::Bool(true) => (Missing::False, 0),
                Value::Bool(false) => (Missing::True, 1),
                _ => return None,
            };
            Some(vec![Some(Absence { member, missing, question: Question::Held(member), answer })])
        }
        (None, Some(Absent { member, path, sign })) => {
            let (member, compared) = (*member, key(ways, places, *member, path)?);
            let part = &compared.of.tokens;
            let holds = match sign {
                Sign::Compares(op, with) => {
                    let (op, with) = (op.text().parse::<TokenStream>().ok()?, &with.tokens);
                    quote!(#part #op (#with))
                }
                Sign::IsNan => quote!(#part.is_nan()),
            };
            let condition = |answer: u8, condition: TokenStream| {
                let of = crate::front::lower::Lower::default().expr(&syn::parse2(condition).ok()?);
                let missing = Missing::Where(Box::new(Key { of, place: compared.place.clone() }));
                Some(Absence { member, missing, question: Question::Present, answer })
            };
            Some(vec![condition(0, holds.clone()), condition(1, quote!(!(#holds)))])
        }
        _ => None,
    }
}

/// The numbers of so many places, this one first.
fn first(member: usize, count: usize) -> Vec<usize> {
    std::iter::once(member).chain((0..count).filter(|number| *number != member)).collect()
}

/// Whether the method that compares keys compares all of them.
fn all_compare(ways: &[Way]) -> bool {
    let mut compared = ways.iter().filter_map(|way| way.finished.compared.as_ref());
    compared.any(|(compared, _)| matches!(compared.by, Some("cmp" | "total_cmp")))
}

/// Whether iterations panic whose key compares with nothing.
fn panics(ways: &[Way]) -> bool {
    let mut orders = ways.iter().filter_map(|way| way.answers.get(&Question::Order)).peekable();
    !all_compare(ways) && orders.peek().is_some() && orders.all(|order| *order != Order::Unordered as u8)
}

/// The key of all comparisons, if there are any.
fn compared(ways: &[Way], of: impl Fn(&Finished) -> Option<&(Compared, Value)>) -> Option<Option<Compared>> {
    let mut all = ways.iter().filter_map(|way| of(&way.finished));
    let first = all.next().map(|(compared, _)| compared);
    all.all(|(compared, _)| Some(compared) == first).then(|| first.cloned())
}

/// An ordering that a comparison is tested for, as it is written.
fn ordering(ways: &[Way]) -> Option<Option<String>> {
    let mut all = ways.iter().flat_map(|way| &way.finished.orderings);
    let ordering = all.next();
    // All orderings have the path of one: rustc checks it.
    let path = |ordering: &String| ordering.rsplit_once("::").map(|(path, _)| path.to_owned());
    all.all(|other| path(other) == ordering.and_then(path)).then(|| ordering.cloned())
}

/// The variable that says whether there is a value before.
fn held(ways: &[Way]) -> Option<Option<usize>> {
    let questions = ways.iter().flat_map(|way| way.answers.keys());
    let members: BTreeSet<usize> = questions
        .filter_map(|question| match question {
            Question::Held(member) => Some(*member),
            _ => None,
        })
        .collect();
    (members.len() <= 1).then(|| members.first().copied())
}

/// Gives a variable that is a `bool` its value where nothing has set it.
fn name_flags(ways: &mut [Way], member: usize) {
    let is_flag =
        |way: &Way| way.finished.values.as_ref().is_some_and(|values| matches!(values[member], Value::Bool(_)));
    if !ways.iter().any(is_flag) {
        return;
    }
    for way in ways {
        if let Some(answer) = way.answers.get(&Question::Held(member))
            && let Some(value) = way.finished.values.as_mut().map(|values| &mut values[member])
            && *value == Value::Old(member, Vec::new())
        {
            *value = Value::Bool(*answer == 1);
        }
    }
}

/// Gives a variable whose key equals the new one, while others are set, the new key. rustc checks that equal keys are the same.
/// Whether there is one.
fn name_equal_keys(ways: &mut [Way]) -> bool {
    let mut any = false;
    for way in ways.iter_mut().filter(|way| way.answers.get(&Question::Order) == Some(&(Order::Equal as u8))) {
        if let (Some(values), Some((Compared { member, path, by: _ }, new))) =
            (&mut way.finished.values, &way.finished.compared)
            && way.finished.tie.is_some()
            && path.is_empty()
            && values[*member] == Value::Old(*member, Vec::new())
        {
            values[*member] = new.clone();
            any = true;
        }
    }
    any
}

/// The orders of the first and the second key in which a candidate replaces the values before. They must be the same for all candidates, and
/// each candidate must be taken if there is no value before.
fn orders(ways: &[Way], absence: Option<&Absence>) -> Option<BTreeSet<(Order, Order)>> {
    let mut tests: BTreeSet<&Question> = ways.iter().flat_map(|way| way.answers.keys()).collect();
    let ties = second_orders(ways);
    tests.retain(|question| matches!(question, Question::Test(_)));
    (tests.len() <= TESTS).then_some(())?;
    let ordered = all_compare(ways) || panics(ways);
    let firsts = || Order::ALL.into_iter().filter(move |order| !ordered || *order != Order::Unordered);
    let all = || firsts().flat_map(|order| ties.iter().map(move |tie| (order, *tie)));
    let mut taken: Option<BTreeSet<(Order, Order)>> = None;
    for number in 0_u32..1 << tests.len() {
        let bits = tests.iter().enumerate().map(|(bit, test)| ((*test).clone(), (number >> bit & 1) as u8));
        let mut answers: Answers = bits.collect();
        let mut ask = |present: bool, (order, tie): (Order, Order)| {
            if let Some(absence) = absence {
                let absent = absence.answer;
                answers.insert(absence.question.clone(), if present { 1 - absent } else { absent });
            }
            answers.insert(Question::Order, order as u8);
            answers.insert(Question::Tie, tie as u8);
            let mut agreeing = ways.iter().filter(|way| way.agrees(&answers));
            agreeing.next().map(|way| way.finished.values.as_ref())
        };
        let absent: Vec<_> = match absence {
            Some(_) => all().map(|orders| ask(false, orders)).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        let present: Vec<_> = all().map(|orders| ask(true, orders)).collect::<Option<Vec<_>>>()?;
        let Some(candidate) = absent.iter().chain(&present).find_map(|values| *values) else { continue };
        let same = |values: &Option<&Vec<Value>>| *values == Some(candidate);
        if !absent.iter().all(same) || !present.iter().all(|values| values.is_none() || same(values)) {
            return None;
        }
        let here = all().zip(&present).filter(|(_, values)| values.is_some());
        let here = here.map(|(orders, _)| orders).collect();
        if *taken.get_or_insert_with(|| BTreeSet::clone(&here)) != here {
            return None;
        }
    }
    taken
}

/// The orders of the second key, or one if there is none.
fn second_orders(ways: &[Way]) -> &'static [Order] {
    let asks = ways.iter().any(|way| way.answers.contains_key(&Question::Tie));
    if asks { &Order::ALL } else { &[Order::Equal] }
}

/// When a candidate replaces the values before.
struct Taken {
    op: Op,
    /// Whether it does if its key compares with nothing.
    unordered: bool,
    /// The comparison of the second keys, if the first ones are equal.
    tie: Option<Op>,
}

impl Taken {
    /// `count` is the number of orders of the second key.
    fn of(orders: &BTreeSet<(Order, Order)>, count: usize) -> Option<Taken> {
        let ties = |order: Order| -> BTreeSet<Order> {
            orders.iter().filter(|(first, _)| *first == order).map(|(_, tie)| *tie).collect()
        };
        let whole = |order: &Order| ties(*order).is_empty() || ties(*order).len() == count;
        if Order::ALL.iter().all(whole) {
            let firsts = orders.iter().map(|(first, _)| *first).collect();
            return operator(&firsts).map(|(op, unordered)| Taken { op, unordered, tie: None });
        }
        let (equal, others): (BTreeSet<_>, BTreeSet<_>) = orders.iter().partition(|(first, _)| *first == Order::Equal);
        let (op, unordered) = operator(&others.iter().map(|(first, _)| *first).collect())?;
        // rustc checks that the second keys compare.
        let (tie, _) = operator(&equal.iter().map(|(_, tie)| *tie).collect())?;
        let strict = matches!(op, Op::Lt | Op::Gt);
        let each = others.iter().all(|(first, _)| ties(*first).len() == count);
        (strict && each).then_some(Taken { op, unordered, tie: Some(tie) })
    }
}

/// The comparison that holds in these orders, and whether it holds for keys that compare with nothing.
fn operator(orders: &BTreeSet<Order>) -> Option<(Op, bool)> {
    let unordered = orders.contains(&Order::Unordered);
    let ordered: Vec<Order> = orders.iter().copied().filter(|order| *order != Order::Unordered).collect();
    let op = match ordered.as_slice() {
        [Order::Less] => Op::Lt,
        [Order::Less, Order::Equal] => Op::Le,
        [Order::Greater] => Op::Gt,
        [Order::Equal, Order::Greater] => Op::Ge,
        _ => return None,
    };
    Some((op, unordered))
}

/// Whether the compared values are the keys of the new values.
fn keys_are_kept(ways: &[Way], key: &Compared, of: impl Fn(&Finished) -> Option<&(Compared, Value)>) -> bool {
    ways.iter().all(|way| match (&way.finished.values, of(&way.finished)) {
        (Some(values), Some((_, new))) => values[key.member].part(&key.path).as_ref() == Some(new),
        _ => true,
    })
}

/// A part of a variable that is compared, or a function of one.
fn key(ways: &[Way], places: &[Place], member: usize, path: &[String]) -> Option<Box<Key>> {
    let place = places[member].clone();
    let known = path.last().and_then(|step| ways.iter().find_map(|way| way.finished.keys.get(step)));
    let tokens = match known {
        Some(tokens) => tokens.clone(),
        None => place.part(path).tokens(),
    };
    let of = crate::front::lower::Lower::default().expr(&syn::parse2(tokens).ok()?);
    Some(Box::new(Key { place, of }))
}

/// Whether code compares by a method. rustc checks for best values that it is std's.
pub fn has_comparing_method(e: &Expr) -> bool {
    e.nodes().any(|e| matches!(&e.kind, Kind::Method(_, method, ..) if crate::language::methods::compares(method)))
}

/// An update of a place that keeps the better one of two values.
pub struct Keeping<'e> {
    pub operator: Operator,
    /// The other value, if the update depends on nothing else.
    pub operand: Option<&'e Expr>,
    pub assign: Id,
}

/// The update of a place by an assignment, or by an `if` around assignments, if it keeps the better one of two values.
pub fn keeping<'e>(e: &'e Expr, place: &Place) -> Option<Keeping<'e>> {
    let plain = |statement: &Statement| match &statement.kind {
        StatementKind::Let(..) => true,
        StatementKind::Expr(e, _) => matches!(e.kind, Kind::Assign(..)),
        StatementKind::Item(_) => false,
    };
    if matches!(&e.kind, Kind::If(_, then, _) if !then.statements.iter().all(plain)) || has_comparing_method(e) {
        return None;
    }
    let statement = Statement { id: 0, kind: StatementKind::Expr(e.clone(), true), tokens: TokenStream::new() };
    let block = Block { statements: vec![statement] };
    let places = std::slice::from_ref(place);
    let (bound, varying) = (bound_in(&block), e.variables().collect());
    let setting = Setting { places, all: places, bound: &bound, varying: &varying, changes: &|_, _| false, ends: None };
    let ways = ways(&[&block.statements[0]], &setting).ok()?;
    let tests = |way: &Way| way.answers.keys().any(|question| matches!(question, Question::Test(_)));
    let tested = ways.iter().any(tests);
    let alone = |operand: &Expr| !tested && !operand.variables().any(|name| bound.contains(&name));
    if let Some((operator, new)) = extreme(&ways) {
        let operand = e.nodes().find(|e| joined(&e.bare().tokens) == new)?;
        return alone(operand).then_some(Keeping { operator, operand: Some(operand), assign: e.id });
    }
    let (Kept::Best(Better::Than { key, op, total, by: None, flag: None, tie: None }), _, takes) =
        kept(ways, &block, places)?
    else {
        return None;
    };
    let [assign] = takes.as_slice() else { return None };
    let Kind::Assign(_, None, value) = &e.nodes().find(|e| e.id == *assign)?.kind else { return None };
    let operand = (alone(value) && !value.mentions(place.root)).then_some(&**value);
    let operator = match total {
        false => Operator::Keep(op),
        true => operand.map(|_| Operator::Follow(op.negated().mirrored()))?,
    };
    key.of.is(place).then_some(Keeping { operator, operand, assign: *assign })
}
