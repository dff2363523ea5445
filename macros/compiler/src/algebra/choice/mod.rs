//! Variables that keep the best of values, or the first match, however the loop is written.
//!
//! One iteration runs on symbols ([`run`]), once for each combination of answers to the questions that it asks ([`Question`]). The
//! variables keep the best values if the answers about values of the iteration alone decide whether there is a candidate, and a
//! candidate replaces the values exactly if there are none or if its key is better. So a class follows from what an iteration computes,
//! and not from how it is spelled.

mod methods;
mod patterns;
mod questions;
mod run;
#[cfg(test)]
mod tests;
mod value;

use super::tracked::bound_in;
use crate::ir::place::{Place, Projection};
use crate::ir::{Block, Expr, For, Id, Kind, Op, StatementKind};
use crate::maps::HashSet;
use crate::plan::{Better, ComparedBy, Key, Missing, Operator};
use questions::{Answers, Compared, Order, Question};
use run::{Changes, Finished, Run, Stop};
use std::collections::BTreeSet;
use value::{CONTENT, Value};

/// The most tests of an iteration: each doubles the number of runs.
const TESTS: usize = 6;
/// The most ways through an iteration.
const WAYS: usize = 512;

/// Variables that keep the best values, or the greatest or the least one.
pub struct Choice {
    /// The compared variable, and then the others.
    pub members: Vec<Place>,
    pub kept: Kept,
    /// The assignments, or the values at the ends of their branches, that take new values.
    pub takes: Vec<Id>,
    /// The statements that read the variables or set them, or that the values before decide about.
    pub nodes: Vec<Id>,
}

/// The values that variables keep.
pub enum Kept {
    Best(Better),
    /// The greatest value in an option, or the least one.
    Extreme(Operator),
}

/// The choice that a variable makes, with others of `all` that are set together with it. `changes` says whether code that the loop may run
/// more often, or not at all, has side effects.
pub fn choice(f: &For, of: &Place, all: &[Place], changes: Changes<'_>) -> Option<Choice> {
    let mut places = vec![of.clone()];
    let (block, mut ways) = loop {
        if f.label.name.is_some() || places.iter().any(|place| !place.is_fixed()) {
            return None;
        }
        let block = innermost(&f.body, &places)?;
        match ways(block, &places, all, changes) {
            Ok(ways) => break (block, ways),
            Err(Stop::Joins(place)) => places.push(place),
            Err(_) => return None,
        }
    };
    let places = places.as_slice();
    let read: HashSet<Id> = ways.iter().flat_map(|way| way.finished.read.iter().copied()).collect();
    let nodes = block.statements.iter().flat_map(|statement| statement.exprs()).map(|e| e.id);
    let nodes: Vec<Id> = nodes.filter(|id| read.contains(id)).collect();
    if let Some(operator) = extreme(&ways) {
        let takes = ways.iter().flat_map(|way| &way.finished.assigned).map(|(_, id)| *id).collect();
        return Some(Choice { members: places.to_vec(), kept: Kept::Extreme(operator), takes, nodes });
    }
    let judged = Judged::of(&mut ways, places)?;
    let members = judged.order.iter().map(|number| places[*number].clone()).collect();
    let assigned =
        |way: &Way| way.finished.assigned.clone().into_iter().filter(|(number, _)| *number == judged.order[0]);
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
    Some(Choice { members, kept: Kept::Best(judged.better), takes: takes.into_iter().collect(), nodes })
}

/// The body of the innermost loop that has all mentions of the places, or the iteration itself.
fn innermost<'e>(block: &'e Block, places: &[Place]) -> Option<&'e Block> {
    let mentions = |e: &Expr| places.iter().any(|place| e.mentions(place.root));
    let mut all = block.statements.iter().filter(|statement| statement.exprs().any(mentions));
    if let (Some(one), None) = (all.next(), all.next())
        && let StatementKind::Expr(e, _) = &one.kind
        && let Kind::For(inner) = &e.kind
    {
        return (!mentions(&inner.source) && inner.label.name.is_none()).then(|| innermost(&inner.body, places))?;
    }
    Some(block)
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

fn ways(block: &Block, places: &[Place], all: &[Place], changes: Changes<'_>) -> Result<Vec<Way>, Stop> {
    let bound = bound_in(block);
    let (mut found, mut open) = (Vec::new(), vec![Answers::new()]);
    while let Some(answers) = open.pop() {
        match Run::new([places, all], &bound, &answers, changes).iteration(block) {
            Ok(finished) => found.push(Way { answers, finished }),
            Err(Stop::Asks(question)) => {
                let count = if question == Question::Order { 4 } else { 2 };
                for answer in 0..count {
                    let mut answers = answers.clone();
                    answers.insert(question.clone(), answer);
                    open.push(answers);
                }
            }
            Err(stop) => return Err(stop),
        }
        if found.len() + open.len() > WAYS {
            return Err(Stop::Unknown);
        }
    }
    Ok(found)
}

/// The operator by which an option holds the greatest value, or the least one: each candidate is there without a value before, and then
/// compares with it.
fn extreme(ways: &[Way]) -> Option<Operator> {
    let mut found: Option<bool> = None;
    for way in ways {
        if way.finished.compared.is_some() {
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
        match (&**value, way.answers.get(&Question::Held(0))?) {
            (Value::New(new), 0) => {
                matches!(partner(1)?, Value::Extreme(_, old, other) if *old == content && other == *new)
                    .then_some(())?;
            }
            (Value::Extreme(greater, old, new), 1) => {
                (**old == content && partner(0)? == Value::New(new.clone())).then_some(())?;
                (*found.get_or_insert(*greater) == *greater).then_some(())?;
            }
            _ => return None,
        }
    }
    let operator = if found? { Operator::Max } else { Operator::Min };
    Some(Operator::InOption(Box::new(operator)))
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
        let (compared, orderings) = compared(ways)?;
        let example = ways.iter().find_map(|way| way.finished.values.as_ref())?;
        // Each candidate sets all of the variables.
        let sets_all = |values: &Vec<Value>| values.iter().all(|value| !value.has_state());
        if !ways.iter().filter_map(|way| way.finished.values.as_ref()).all(sets_all) {
            return None;
        }
        // The answer if there is no value before.
        let missing = match held {
            Some(member) => Some((
                member,
                match example[member] {
                    Value::Some(_) => None,
                    Value::Bool(found) => Some(!found),
                    _ => return None,
                },
            )),
            None => None,
        };
        let taken = orders(ways, missing)?;
        let (op, unordered) = operator(&taken)?;
        let Some(compared) = compared else {
            // The first match.
            let (member, flag) = missing.filter(|_| taken.is_empty())?;
            let missing = match flag {
                None => Missing::None,
                Some(false) => Missing::False,
                Some(true) => return None,
            };
            return Some(Judged { better: Better::First(missing), order: first(member, places.len()) });
        };
        let op = op?;
        keys_are_kept(ways, &compared).then_some(())?;
        let by = compared.by.map(|method| ComparedBy { method: method.to_owned(), ordering: orderings });
        let total = unordered && !by.as_ref().is_some_and(ComparedBy::compares_all);
        let order = first(compared.member, places.len());
        let better = match compared.path.split_first() {
            Some((content, fields)) if content == CONTENT => {
                (missing == Some((compared.member, None))).then_some(())?;
                let Value::Some(value) = &example[compared.member] else { return None };
                Better::ThanSome { fields: fields.to_vec(), op, shape: value.shape(), total, by }
            }
            _ => {
                let place = &places[compared.member];
                let key = Box::new(Key { place: place.clone(), of: part(place, &compared.path)? });
                let flag = match missing {
                    Some((member, Some(value))) => Some((order.iter().position(|number| *number == member)?, value)),
                    Some((_, None)) => return None,
                    None => None,
                };
                Better::Than { key, op, total, by, flag }
            }
        };
        Some(Judged { better, order })
    }
}

/// The numbers of so many places, this one first.
fn first(member: usize, count: usize) -> Vec<usize> {
    std::iter::once(member).chain((0..count).filter(|number| *number != member)).collect()
}

/// The key of all comparisons, and an ordering that one is compared with, as it is written.
fn compared(ways: &[Way]) -> Option<(Option<Compared>, Option<String>)> {
    let mut all = ways.iter().filter_map(|way| way.finished.compared.as_ref());
    let first = all.next();
    all.all(|other| Some(&other.0) == first.map(|first| &first.0)).then_some(())?;
    let mut orderings = ways.iter().flat_map(|way| &way.finished.orderings);
    let ordering = orderings.next();
    // All orderings have the path of one: rustc checks it.
    let path = |ordering: &String| ordering.rsplit_once("::").map(|(path, _)| path.to_owned());
    orderings.all(|other| path(other) == ordering.and_then(path)).then_some(())?;
    Some((first.map(|(compared, _)| compared.clone()), ordering.cloned()))
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

/// The orders in which a candidate replaces the values before, if these are the same for all candidates, and if each candidate is taken where
/// there is no value before.
fn orders(ways: &[Way], missing: Option<(usize, Option<bool>)>) -> Option<BTreeSet<Order>> {
    let mut tests: BTreeSet<&Question> = ways.iter().flat_map(|way| way.answers.keys()).collect();
    tests.retain(|question| matches!(question, Question::Test(_)));
    (tests.len() <= TESTS).then_some(())?;
    let mut taken: Option<BTreeSet<Order>> = None;
    for number in 0_u32..1 << tests.len() {
        let bits = tests.iter().enumerate().map(|(bit, test)| ((*test).clone(), (number >> bit & 1) as u8));
        let mut answers: Answers = bits.collect();
        let ask = |present: bool, order: Order, answers: &mut Answers| {
            if let Some((member, flag)) = missing {
                answers.insert(Question::Held(member), u8::from(flag.map_or(present, |flag| flag != present)));
            }
            answers.insert(Question::Order, order as u8);
            let mut agreeing = ways.iter().filter(|way| way.agrees(answers));
            agreeing.next().map(|way| way.finished.values.as_ref())
        };
        let absent: Vec<_> = match missing {
            Some(_) => Order::ALL.iter().map(|order| ask(false, *order, &mut answers)).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        let present: Vec<_> =
            Order::ALL.iter().map(|order| ask(true, *order, &mut answers)).collect::<Option<Vec<_>>>()?;
        let Some(candidate) = absent.iter().chain(&present).find_map(|values| *values) else { continue };
        let all = |values: &Option<&Vec<Value>>| *values == Some(candidate);
        if !absent.iter().all(all) || !present.iter().all(|values| values.is_none() || all(values)) {
            return None;
        }
        let here = Order::ALL.into_iter().zip(&present).filter(|(_, values)| values.is_some());
        let here = here.map(|(order, _)| order).collect();
        if *taken.get_or_insert_with(|| BTreeSet::clone(&here)) != here {
            return None;
        }
    }
    taken
}

/// The comparison that holds in these orders, and whether it holds for keys that compare with nothing; no comparison for no order.
fn operator(orders: &BTreeSet<Order>) -> Option<(Option<Op>, bool)> {
    let unordered = orders.contains(&Order::Unordered);
    let ordered: Vec<Order> = orders.iter().copied().filter(|order| *order != Order::Unordered).collect();
    let op = match ordered.as_slice() {
        [Order::Less] => Some(Op::Lt),
        [Order::Less, Order::Equal] => Some(Op::Le),
        [Order::Greater] => Some(Op::Gt),
        [Order::Equal, Order::Greater] => Some(Op::Ge),
        [] if !unordered => None,
        _ => return None,
    };
    Some((op, unordered))
}

/// Whether the compared values are the keys of the new values.
fn keys_are_kept(ways: &[Way], compared: &Compared) -> bool {
    ways.iter().all(|way| match (&way.finished.values, &way.finished.compared) {
        (Some(values), Some((_, new))) => values[compared.member].part(&compared.path).as_ref() == Some(new),
        _ => true,
    })
}

/// A part of a place as an expression.
fn part(place: &Place, path: &[String]) -> Option<Expr> {
    let steps = path.iter().map(|field| Projection::Field(field.clone()));
    let part = Place { root: place.root, projections: place.projections.iter().cloned().chain(steps).collect() };
    Some(crate::front::lower::Lower::default().expr(&syn::parse2(part.tokens()).ok()?))
}
