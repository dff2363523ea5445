//! Types that are not known while expanding: where the answers come from when the loop runs first.
//!
//! What a type is follows from what is done with its values, as far as that tells it. Of the rest, and of all fields of structs,
//! a program asks: the answers are put into its text, or compared with what was inferred.

use super::types::{Literal, Ty, Type, Types, Unknown};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::{HashMap, HashSet};

/// Where the type of an unknown comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// Code that gives it, as an `Option` of `core`'s `device::Type`.
    Given(TokenStream),
    /// The same for what is handed to the device, and compared then.
    Place(TokenStream),
    /// An array of these, of which code gives the length.
    Lengthened(Ty, TokenStream),
    /// The part of another unknown: a field, or `[]` for the elements.
    Part(usize, String),
    Unsigned(usize),
    Bits(usize),
    /// What a call gives, by the number of the call; of a method, with the type that has it.
    Result(usize, Option<Ty>),
    /// A number that a call takes or gives: the call, the type that has it as a method, the argument (what it gives comes
    /// after them), and which of the numbers that this is made of.
    Number(usize, Option<Ty>, usize, usize),
    /// What an operator gives, by its number.
    Operator(usize),
    /// One of its sides: a literal of which only the other side tells the type.
    Operand(usize, usize),
    /// The same as a question: the operator's name, and the types of its sides.
    Operated(&'static str, Type, Type),
    /// The name, the type of the other side, and which side it is.
    Side(&'static str, Type, usize),
}

/// A question of a program: what it is about, where the answer comes from, with numbers of questions in place of unknowns, and
/// what the text takes for granted.
#[derive(Debug, Clone)]
pub struct Ask {
    pub name: String,
    pub source: Source,
    taken: Taken,
}

#[cfg(test)]
impl std::fmt::Display for Ask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let source = match &self.source {
            Source::Given(_) | Source::Place(_) => "given".to_owned(),
            Source::Lengthened(_, length) => format!("of length {length}"),
            Source::Part(of, part) => format!("`{part}` of {of}"),
            Source::Unsigned(of) => format!("{of} without a sign"),
            Source::Bits(of) => format!("the bits of {of}"),
            Source::Result(call, _) => format!("what call {call} gives"),
            Source::Number(call, _, argument, part) => format!("number {part} of argument {argument} of call {call}"),
            Source::Operator(number) | Source::Operand(number, _) => format!("operator {number}"),
            Source::Operated(name, left, right) => format!("{name} of {} and {}", left.name(), right.name()),
            Source::Side(name, other, side) => format!("side {side} of {name} beside {}", other.name()),
        };
        write!(formatter, "`{}`, {source}: {:?}", crate::ir::report::shown(&self.name), self.taken)
    }
}

#[derive(Debug, Clone)]
enum Taken {
    Kind(Literal),
    Type(Type),
}

/// The questions so far.
#[derive(Debug, Default)]
pub struct Asks {
    all: Vec<Ask>,
    /// The question about each unknown, if there can be one.
    numbers: HashMap<usize, Option<usize>>,
    /// What has become a question: an unknown, and which of its sources.
    asked: HashSet<(usize, usize)>,
    /// The question about each operator.
    operators: HashMap<usize, usize>,
}

impl Types {
    /// Says where the type of something comes from, if nothing tells it.
    pub fn source(&mut self, ty: &Ty, name: &str, source: Source) {
        if let Ty::Unknown(number) = self.shallow(ty) {
            self.unknowns[number].sources.push((name.to_owned(), source));
        }
    }

    /// The same, where this comes before what has been said.
    pub fn source_first(&mut self, ty: &Ty, name: &str, source: Source) {
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
        self.source(&array, &name, Source::Lengthened(element.clone(), length.clone()));
        array
    }

    /// The elements of such an array, and its length.
    pub fn lengthened(&self, ty: &Ty) -> Option<(Ty, TokenStream)> {
        let Ty::Unknown(end) = self.shallow(ty) else { return None };
        self.sources_of(end).find_map(|(_, _, source)| match source {
            Source::Lengthened(element, length) => Some((element.clone(), length.clone())),
            _ => None,
        })
    }

    /// A type that is called by this name, of which code tells what it is.
    pub fn given(&mut self, name: &str, found: TokenStream) -> Ty {
        if let Some(number) = self.given.get(name) {
            return Ty::Unknown(*number);
        }
        let ty = self.unknown();
        self.source(&ty, name, Source::Given(found));
        if let Ty::Unknown(number) = ty {
            self.given.insert(name.to_owned(), number);
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
                self.source(&part, &text, Source::Part(number, key.to_owned()));
                self.unknowns[number].parts.push((key.to_owned(), part.clone()));
                Some(part)
            }
            _ => None,
        }
    }

    /// How many fields an unknown has at least, of which all have numbers, if nothing but where it is found tells what it is.
    pub fn numbered_fields(&self, ty: &Ty) -> Option<usize> {
        let Ty::Unknown(end) = self.shallow(ty) else { return None };
        if self.is_operand(ty) || self.sources_of(end).any(|(_, _, source)| matches!(source, Source::Given(_))) {
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
            Source::Given(_) | Source::Place(_) | Source::Result(_, None) | Source::Number(_, None, ..) => true,
            Source::Part(of, _) | Source::Unsigned(of) | Source::Bits(of) => self.answered(self.end(*of), seen),
            Source::Result(_, Some(of)) | Source::Number(_, Some(of), ..) => {
                matches!(of, Ty::Unknown(of) if self.answered(self.end(*of), seen))
            }
            Source::Operator(number) => {
                let operator = &self.operators[*number];
                !operator.is_plain() && operator.sides().into_iter().all(|side| self.told(side, seen))
            }
            Source::Operand(number, side) => {
                let operator = &self.operators[*number];
                !operator.is_plain() && self.told(operator.sides()[1 - side], seen)
            }
            Source::Operated(..) | Source::Side(..) | Source::Lengthened(..) => true,
        });
        seen.insert(end, answer);
        answer
    }

    /// Whether the type of one side of an operator is known, or there is an answer: a literal goes by the other side.
    fn told(&self, side: &Ty, seen: &mut HashMap<usize, bool>) -> bool {
        match self.shallow(side) {
            Ty::Unknown(number) => {
                self.unknowns[number].literal != Literal::Any || self.answered(self.end(number), seen)
            }
            _ => true,
        }
    }

    /// The question about an operator, which holds the place of its function in the text.
    pub(super) fn question_of(&self, number: usize) -> Option<usize> {
        let operator = &self.operators[number];
        // Its result may be one that stands for others, or known.
        let result = self.known(&Ty::Unknown(operator.result()))?;
        let known = self.asks.borrow().operators.get(&number).copied();
        known.or_else(|| {
            operator.sides().into_iter().try_for_each(|side| self.known(side).map(|_| ()))?;
            let key = (operator.result(), 0);
            let name = &self.unknowns[key.0].sources[key.1].0;
            Some(self.ask(Some(key), name, &Source::Operator(number), 0, Taken::Type(result)))
        })
    }

    /// The unknown that stands for an unknown and for all that are the same.
    fn end(&self, mut number: usize) -> usize {
        while let Some(Ty::Unknown(next)) = self.unknowns[number].is {
            number = next;
        }
        number
    }

    /// All sources of unknowns that are the same.
    fn sources_of(&self, end: usize) -> impl Iterator<Item = ((usize, usize), &String, &Source)> {
        let same = (0..self.unknowns.len()).filter(move |number| self.end(*number) == end);
        same.flat_map(|number| {
            let sources = self.unknowns[number].sources.iter().enumerate();
            sources.map(move |(k, (name, source))| ((number, k), name, source))
        })
    }

    /// The number of the question what an unknown is, which stands for others. That may be known: then its parts are asked for.
    pub(super) fn asked(&self, end: usize) -> Option<usize> {
        if let Some(known) = self.asks.borrow().numbers.get(&end) {
            return *known;
        }
        self.asks.borrow_mut().numbers.insert(end, None);
        let Unknown { is, literal, .. } = &self.unknowns[end];
        for (key, name, source) in self.sources_of(end) {
            let of = match source {
                Source::Part(of, _) | Source::Unsigned(of) | Source::Bits(of) => self.asked(self.end(*of)),
                // Whose method it is comes before what that gives.
                Source::Result(_, Some(of)) | Source::Number(_, Some(of), ..) => self.known(of).map(|_| 0),
                Source::Given(_) | Source::Place(_) | Source::Result(_, None) | Source::Number(_, None, ..) => Some(0),
                Source::Operator(number) | Source::Operand(number, _) if self.operators[*number].is_plain() => None,
                Source::Operator(number) => {
                    self.operators[*number].sides().into_iter().all(|side| self.known(side).is_some()).then_some(0)
                }
                Source::Operand(number, side) => self.known(self.operators[*number].sides()[1 - side]).map(|_| 0),
                Source::Lengthened(of, _) => self.known(of).filter(|ty| !matches!(ty, Type::Asked(..))).map(|_| 0),
                Source::Operated(..) | Source::Side(..) => None,
            };
            if let Some(of) = of {
                // What is known is compared later.
                let key = is.is_none().then_some(key);
                let number = self.ask(key, name, source, of, Taken::Kind(*literal));
                self.asks.borrow_mut().numbers.insert(end, Some(number));
                return Some(number);
            }
        }
        self.asks.borrow_mut().numbers.remove(&end);
        None
    }

    /// Adds a question; `of` is the one that its source is a part of.
    fn ask(&self, key: Option<(usize, usize)>, name: &str, source: &Source, of: usize, taken: Taken) -> usize {
        let known = |ty: &Ty| self.known(ty).unwrap_or(Type::I32);
        let operator = match source {
            Source::Operator(number) => Some(*number),
            _ => None,
        };
        let source = match source {
            Source::Operator(number) => {
                let operator = &self.operators[*number];
                let [left, right] = operator.sides().map(known);
                Source::Operated(operator.name(), left, right)
            }
            Source::Operand(number, side) => {
                let operator = &self.operators[*number];
                Source::Side(operator.name(), known(operator.sides()[1 - side]), *side)
            }
            Source::Lengthened(element, length) => {
                let element = super::types::tokens(&known(element));
                Source::Given(quote!(::core::option::Option::Some(
                    ::forall::__private::device::Type::Array(&#element, #length)
                )))
            }
            Source::Part(_, part) => Source::Part(of, part.clone()),
            Source::Unsigned(_) => Source::Unsigned(of),
            Source::Bits(_) => Source::Bits(of),
            other => other.clone(),
        };
        let mut asks = self.asks.borrow_mut();
        asks.asked.extend(key);
        asks.all.push(Ask { name: name.to_owned(), source, taken });
        let question = asks.all.len() - 1;
        asks.operators.extend(operator.map(|operator| (operator, question)));
        question
    }

    /// All questions, with those that compare what was inferred.
    pub fn asks(&self) -> Vec<Ask> {
        let asks = &self.asks;
        loop {
            let before = asks.borrow().all.len();
            for (number, unknown) in self.unknowns.iter().enumerate() {
                for (k, (name, source)) in unknown.sources.iter().enumerate() {
                    if asks.borrow().asked.contains(&(number, k)) {
                        continue;
                    }
                    // What nobody wants to know is not asked.
                    let known = |number: usize| asks.borrow().numbers.get(&self.end(number)).copied().flatten();
                    let of = match source {
                        Source::Part(of, _) | Source::Unsigned(of) | Source::Bits(of) => known(*of),
                        Source::Result(_, Some(of)) => self.known(of).map(|_| 0),
                        Source::Result(_, None) | Source::Given(_) => Some(0),
                        // The signature is compared as a whole, and so is an operator.
                        Source::Place(_) | Source::Number(..) | Source::Lengthened(..) => None,
                        Source::Operator(_) | Source::Operand(..) | Source::Operated(..) | Source::Side(..) => None,
                    };
                    let Some(of) = of else { continue };
                    let end = &self.unknowns[self.end(number)];
                    let taken = match &end.is {
                        None => known(number).map(|number| Type::Asked(number, end.literal)),
                        Some(is) => self.known(is),
                    };
                    if let Some(taken) = taken {
                        self.ask(Some((number, k)), name, source, of, Taken::Type(taken));
                    }
                }
            }
            if asks.borrow().all.len() == before {
                return asks.borrow().all.clone();
            }
        }
    }
}

/// Questions as code, for a `Program` or a `Function`; `calls` are the numbers of its calls.
pub fn tokens(asks: &[Ask], calls: &[usize]) -> TokenStream {
    let device = quote!(::forall::__private::device);
    let asks = asks.iter().map(|Ask { name, source, taken }| {
        let name = crate::ir::report::shown(name);
        let source = match source {
            Source::Given(_) | Source::Place(_) => quote!(#device::Source::Given),
            Source::Part(of, part) => quote!(#device::Source::Part(#of, #part)),
            Source::Unsigned(of) => quote!(#device::Source::Unsigned(#of)),
            Source::Bits(of) => quote!(#device::Source::Bits(#of)),
            Source::Result(call, _) => {
                let call = calls.get(*call).copied().unwrap_or_default();
                quote!(#device::Source::Result(#call))
            }
            Source::Number(call, _, argument, part) => {
                let call = calls.get(*call).copied().unwrap_or_default();
                quote!(#device::Source::Number(#call, #argument, #part))
            }
            Source::Operated(name, left, right) => {
                let (left, right) = (super::types::tokens(left), super::types::tokens(right));
                quote!(#device::Source::Operator(#name, #left, #right))
            }
            Source::Side(name, other, side) => {
                let other = super::types::tokens(other);
                quote!(#device::Source::Operand(#name, #other, #side))
            }
            // Questions have their types.
            Source::Operator(_) | Source::Operand(..) | Source::Lengthened(..) => quote!(),
        };
        let taken = match taken {
            Taken::Kind(Literal::Any) => quote!(#device::Taken::Any),
            Taken::Kind(Literal::Integer) => quote!(#device::Taken::Integer),
            Taken::Kind(Literal::Float) => quote!(#device::Taken::Float),
            Taken::Type(ty) => {
                let ty = super::types::tokens(ty);
                quote!(#device::Taken::Type(#ty))
            }
        };
        quote!(#device::Ask { name: #name, source: #source, taken: #taken })
    });
    quote!(&[#(#asks),*])
}

/// The code that answers those of the questions that are given.
pub fn given(asks: &[Ask]) -> impl Iterator<Item = &TokenStream> {
    asks.iter().filter_map(|ask| match &ask.source {
        Source::Given(found) | Source::Place(found) => Some(found),
        _ => None,
    })
}

/// The type of a value that an expression names.
pub fn of_place(place: &TokenStream) -> TokenStream {
    quote!((&::forall::__private::device::Probe(&(#place))).ty())
}

/// A type that is written.
pub fn of_type(ty: &TokenStream) -> TokenStream {
    quote!((&::forall::__private::device::Elements::<#ty>::new()).ty())
}
