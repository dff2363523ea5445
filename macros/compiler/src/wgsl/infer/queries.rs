//! Queries for types that inference does not find, and for all fields of structs.
//!
//! The runtime answers the queries when the loop first runs. It inserts the answers into the text of the program, or compares them with
//! the inferred types.

use crate::maps::{HashMap, New as _};
use crate::wgsl::contract::{Given, Literal, Query, Source, Taken, Type};
use crate::wgsl::infer::types::{Spelling, Types};
use crate::wgsl::infer::unknowns::{Origin, Unknown};
use crate::wgsl::tree::Ty;
use proc_macro2::TokenStream;

impl Types {
    /// Says where the type of something comes from, if nothing tells it.
    pub fn source(&mut self, ty: &Ty, name: &str, source: Origin) {
        if let Ty::Unknown(number) = self.shallow(ty) {
            self.unknowns[number].sources.push((name.to_owned(), source));
        }
    }

    /// The same, where this comes before what has been said.
    pub fn source_first(&mut self, ty: &Ty, name: &str, source: Origin) {
        if let Ty::Unknown(number) = self.shallow(ty) {
            self.unknowns[number].sources.insert(0, (name.to_owned(), source));
        }
    }

    /// An array whose length is not a number that is written, but code.
    pub fn array_by(&mut self, element: &Ty, length: &TokenStream) -> Ty {
        let array = self.unknown();
        if let Some(part) = self.part(&array, "[]") {
            self.same(&part, element);
        }
        let name = format!("an array of {length}");
        self.source(&array, &name, Origin::Lengthened(element.clone(), length.clone()));
        array
    }

    /// The elements of such an array, and its length.
    pub fn lengthened(&self, ty: &Ty) -> Option<(Ty, TokenStream)> {
        let Ty::Unknown(end) = self.shallow(ty) else { return None };
        self.sources_of(end).find_map(|(_, _, source)| match source {
            Origin::Lengthened(element, length) => Some((element.clone(), length.clone())),
            _ => None,
        })
    }

    /// A type that is written, by its text.
    pub fn given(&mut self, name: &str, written: &TokenStream) -> Ty {
        if let Some(number) = self.given.get(&Spelling(name.to_owned())) {
            return Ty::Unknown(*number);
        }
        let ty = self.unknown();
        self.source(&ty, name, Origin::Written(written.clone()));
        if let Ty::Unknown(number) = ty {
            self.given.insert(Spelling(name.to_owned()), number);
        }
        ty
    }

    /// The field of a struct, the part of a tuple, or the elements of an array, as `[]`.
    pub fn part(&mut self, of: &Ty, key: &str) -> Option<Ty> {
        match self.shallow(of) {
            Ty::Tuple(parts) => parts.get(key.parse::<usize>().ok()?).cloned(),
            Ty::Array(element, _) | Ty::Slice(element) | Ty::View(_, element) if key == "[]" => Some(*element),
            Ty::Unknown(number) if self.unknowns[number].literal == Literal::Any => {
                if let Some((_, part)) = self.unknowns[number].parts.iter().find(|(known, _)| known == key) {
                    return Some(part.clone());
                }
                let name = match self.unknowns[number].sources.first() {
                    Some((name, _)) => name.clone(),
                    None => self.text(of),
                };
                let part = self.unknown();
                let text = if key == "[]" { format!("{name}[..]") } else { format!("{name}.{key}") };
                self.source(&part, &text, Origin::Part(number, key.to_owned()));
                self.unknowns[number].parts.push((key.to_owned(), part.clone()));
                Some(part)
            }
            _ => None,
        }
    }

    /// The least number of fields of an unknown. All fields have numbers, and only its source shows its type.
    pub fn numbered_fields(&self, ty: &Ty) -> Option<usize> {
        let Ty::Unknown(end) = self.shallow(ty) else { return None };
        if self.is_operand(ty) || self.sources_of(end).any(|(_, _, source)| matches!(source, Origin::Written(_))) {
            return None;
        }
        let fields: Option<Vec<usize>> = self.unknowns[end].parts.iter().map(|(name, _)| name.parse().ok()).collect();
        fields?.into_iter().max().map(|most| most + 1)
    }

    /// Whether there is an answer to what an unknown is.
    pub fn has_answer(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Unknown(number) if self.answered(self.end(*number), &mut HashMap::new()))
    }

    fn answered(&self, end: usize, seen: &mut HashMap<usize, bool>) -> bool {
        if let Some(known) = seen.get(&end) {
            return *known;
        }
        // What leads back to itself is no answer.
        seen.insert(end, false);
        let answer = self.sources_of(end).any(|(_, _, source)| match source {
            Origin::Written(_) | Origin::Captured(_) | Origin::Result(_, None) | Origin::Number(_, None, ..) => true,
            Origin::Part(of, _) | Origin::Unsigned(of) | Origin::Bits(of) => self.answered(self.end(*of), seen),
            Origin::Result(_, Some(of)) | Origin::Number(_, Some(of), ..) => {
                matches!(of, Ty::Unknown(of) if self.answered(self.end(*of), seen))
            }
            Origin::Operator(number) => {
                let operator = &self.operators[*number];
                !operator.is_plain() && operator.sides().into_iter().all(|side| self.told(side, seen))
            }
            Origin::Operand(number, side) => {
                let operator = &self.operators[*number];
                !operator.is_plain() && self.told(operator.sides()[1 - side], seen)
            }
            Origin::Lengthened(..) => true,
        });
        seen.insert(end, answer);
        answer
    }

    /// Whether the type of one side of an operator is known, or there is an answer: a literal goes by the other side.
    pub fn told(&self, side: &Ty, seen: &mut HashMap<usize, bool>) -> bool {
        match self.shallow(side) {
            Ty::Unknown(number) => {
                self.unknowns[number].literal != Literal::Any || self.answered(self.end(number), seen)
            }
            _ => true,
        }
    }

    /// The query about an operator, which holds the place of its function in the text.
    pub fn query_of_operator(&self, number: usize) -> Option<usize> {
        let operator = &self.operators[number];
        // Its result may be one that stands for others, or known.
        let result = self.known(&Ty::Unknown(operator.result()))?;
        let known = self.queries.borrow().operators.get(&number).copied();
        known.or_else(|| {
            operator.sides().into_iter().try_for_each(|side| self.known(side).map(|_| ()))?;
            let key = (operator.result(), 0);
            let name = &self.unknowns[key.0].sources[key.1].0;
            Some(self.add_query(Some(key), name, &Origin::Operator(number), 0, Taken::Type(result)))
        })
    }

    /// The unknown that stands for an unknown and for all that are the same.
    pub fn end(&self, mut number: usize) -> usize {
        while let Some(Ty::Unknown(next)) = self.unknowns[number].is {
            number = next;
        }
        number
    }

    /// All sources of unknowns that are the same.
    fn sources_of(&self, end: usize) -> impl Iterator<Item = ((usize, usize), &String, &Origin)> {
        let same = (0..self.unknowns.len()).filter(move |number| self.end(*number) == end);
        same.flat_map(|number| {
            let sources = self.unknowns[number].sources.iter().enumerate();
            sources.map(move |(k, (name, source))| ((number, k), name, source))
        })
    }

    /// The number of the query for the type of a representative unknown. If its type is known, its parts still have queries.
    pub fn query_of(&self, end: usize) -> Option<usize> {
        if let Some(known) = self.queries.borrow().numbers.get(&end) {
            return *known;
        }
        self.queries.borrow_mut().numbers.insert(end, None);
        let Unknown { is, literal, .. } = &self.unknowns[end];
        for (key, name, source) in self.sources_of(end) {
            let of = match source {
                Origin::Part(of, _) | Origin::Unsigned(of) | Origin::Bits(of) => self.query_of(self.end(*of)),
                // Whose method it is comes before what that gives.
                Origin::Result(_, Some(of)) | Origin::Number(_, Some(of), ..) => self.known(of).map(|_| 0),
                Origin::Written(_) | Origin::Captured(_) | Origin::Result(_, None) | Origin::Number(_, None, ..) => {
                    Some(0)
                }
                Origin::Operator(number) | Origin::Operand(number, _) if self.operators[*number].is_plain() => None,
                Origin::Operator(number) => {
                    self.operators[*number].sides().into_iter().all(|side| self.known(side).is_some()).then_some(0)
                }
                Origin::Operand(number, side) => self.known(self.operators[*number].sides()[1 - side]).map(|_| 0),
                Origin::Lengthened(of, _) => self.known(of).filter(|ty| !matches!(ty, Type::Queried(..))).map(|_| 0),
            };
            if let Some(of) = of {
                // Known types are compared later.
                let key = is.is_none().then_some(key);
                let number = self.add_query(key, name, source, of, Taken::Kind(*literal));
                self.queries.borrow_mut().numbers.insert(end, Some(number));
                return Some(number);
            }
        }
        self.queries.borrow_mut().numbers.remove(&end);
        None
    }

    /// Adds a query; `of` is the query for the whole, if its source is a part.
    pub fn add_query(
        &self,
        key: Option<(usize, usize)>,
        name: &str,
        source: &Origin,
        of: usize,
        taken: Taken,
    ) -> usize {
        let known = |ty: &Ty| self.known(ty).unwrap_or(Type::I32);
        let operator = match source {
            Origin::Operator(number) => Some(*number),
            _ => None,
        };
        let source = match source {
            Origin::Operator(number) => {
                let operator = &self.operators[*number];
                let [left, right] = operator.sides().map(known);
                Source::Operator(operator.name(), left, right)
            }
            Origin::Operand(number, side) => {
                let operator = &self.operators[*number];
                Source::Operand(operator.name(), known(operator.sides()[1 - side]), *side)
            }
            Origin::Lengthened(element, length) => Source::Given(Given::Array(known(element), length.clone())),
            Origin::Written(ty) => Source::Given(Given::Type(ty.clone())),
            Origin::Captured(given) => Source::Given(given.clone()),
            Origin::Part(_, part) => Source::Part(of, part.clone()),
            Origin::Unsigned(_) => Source::Unsigned(of),
            Origin::Bits(_) => Source::Bits(of),
            Origin::Result(call, _) => Source::Result(*call),
            Origin::Number(call, _, argument, part) => Source::Number(*call, *argument, *part),
        };
        let mut queries = self.queries.borrow_mut();
        queries.queried.extend(key);
        queries.all.push(Query { name: name.to_owned(), source, taken });
        let query = queries.all.len() - 1;
        queries.operators.extend(operator.map(|operator| (operator, query)));
        query
    }

    /// All queries, also those that compare the inferred types; `calls` are the numbers of the calls in the program.
    pub fn queries(&self, calls: &[usize]) -> Vec<Query> {
        self.complete();
        let mut queries = self.queries.borrow().all.clone();
        for query in &mut queries {
            if let Source::Result(call) | Source::Number(call, ..) = &mut query.source {
                *call = calls.get(*call).copied().unwrap_or_default();
            }
        }
        queries
    }

    /// Adds the queries that compare the inferred types.
    fn complete(&self) {
        let queries = &self.queries;
        loop {
            let before = queries.borrow().all.len();
            for (number, unknown) in self.unknowns.iter().enumerate() {
                for (k, (name, source)) in unknown.sources.iter().enumerate() {
                    if queries.borrow().queried.contains(&(number, k)) {
                        continue;
                    }
                    // An unknown that the program does not use has no query.
                    let known = |number: usize| queries.borrow().numbers.get(&self.end(number)).copied().flatten();
                    let of = match source {
                        Origin::Part(of, _) | Origin::Unsigned(of) | Origin::Bits(of) => known(*of),
                        Origin::Result(_, Some(of)) => self.known(of).map(|_| 0),
                        Origin::Result(_, None) | Origin::Written(_) => Some(0),
                        // The signature is compared as a whole, and so is an operator.
                        Origin::Captured(_) | Origin::Number(..) | Origin::Lengthened(..) => None,
                        Origin::Operator(_) | Origin::Operand(..) => None,
                    };
                    let Some(of) = of else { continue };
                    let end = &self.unknowns[self.end(number)];
                    let taken = match &end.is {
                        None => known(number).map(|number| Type::Queried(number, end.literal)),
                        Some(is) => self.known(is),
                    };
                    if let Some(taken) = taken {
                        self.add_query(Some((number, k)), name, source, of, Taken::Type(taken));
                    }
                }
            }
            if queries.borrow().all.len() == before {
                return;
            }
        }
    }
}
