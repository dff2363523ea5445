//! Operators between values of which the types are not known while expanding, as `p.velocity * dt`.
//!
//! Between numbers both sides have one type, and that of the result; structs have the operators that their authors gave
//! them, with any right side and any result. Where neither is seen here, the program asks for it when it runs first.

use super::asks::Source;
use super::elaborate::Elaborate;
use super::tree::{Kind, Node};
use super::types::{Literal, Ty, Types};
use crate::ir::Op;
use crate::ir::report::Place;

/// One such operator.
#[derive(Debug)]
pub(super) struct Operator {
    op: Op,
    /// `+=` and its kin: the result is the new left side.
    assigns: bool,
    left: Ty,
    right: Ty,
    /// The number of the unknown that is its result.
    result: usize,
    /// Both sides and the result have one type.
    plain: bool,
    /// Where it stands, if what does not fit there is said.
    at: Option<Place>,
}

impl Operator {
    /// The name of its method.
    pub fn name(&self) -> &'static str {
        match (self.op, self.assigns) {
            (Op::Add, false) => "add",
            (Op::Sub, false) => "sub",
            (Op::Mul, false) => "mul",
            (_, false) => "div",
            (Op::Add, true) => "add_assign",
            (Op::Sub, true) => "sub_assign",
            (Op::Mul, true) => "mul_assign",
            (_, true) => "div_assign",
        }
    }

    pub fn sides(&self) -> [&Ty; 2] {
        [&self.left, &self.right]
    }

    pub fn result(&self) -> usize {
        self.result
    }

    pub fn is_plain(&self) -> bool {
        self.plain
    }
}

impl Types {
    /// Whether both sides of an operator have one type, as far as that is known.
    fn is_between_numbers(&self, left: &Ty, right: &Ty, assigns: bool) -> bool {
        let is_float = |ty: &Ty| match ty {
            Ty::Scalar(ty) => ty.is_float(),
            Ty::Unknown(number) => self.unknowns[*number].literal == Literal::Float,
            _ => false,
        };
        let is_open = |ty: &Ty| matches!(ty, Ty::Unknown(number) if self.unknowns[*number].literal == Literal::Any);
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (is_open(&left), is_open(&right)) {
            (true, true) => false,
            // Beside integers, what is not known is one mostly: an index, a count.
            (true, false) => !is_float(&right) && !self.may_be_struct(&left),
            // A number is not changed by what is no number.
            (false, true) => assigns || !is_float(&left) && !self.may_be_struct(&right),
            (false, false) => true,
        }
    }

    /// Whether a type is one that the author has given a name, or has parts, or is what an operator gives of such.
    fn may_be_struct(&self, ty: &Ty) -> bool {
        let (mut next, mut seen) = (vec![ty], Vec::new());
        while let Some(ty) = next.pop() {
            let Ty::Unknown(number) = self.shallow(ty) else { continue };
            if seen.contains(&number) {
                continue;
            }
            seen.push(number);
            let is = |other: usize| matches!(self.shallow(&Ty::Unknown(other)), Ty::Unknown(other) if other == number);
            if !self.unknowns[number].parts.is_empty() || self.given.values().any(|named| is(*named)) {
                return true;
            }
            let of = self.operators.iter().filter(|operator| !operator.plain && is(operator.result));
            next.extend(of.flat_map(Operator::sides));
        }
        false
    }

    /// The type of what an operator gives, and its number, if there is more to be known; nothing where its sides do not fit.
    fn operated(
        &mut self,
        op: Op,
        assigns: bool,
        [left, right]: [&Ty; 2],
        at: Option<Place>,
    ) -> Option<(Ty, Option<usize>)> {
        let takes_others = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div);
        if !takes_others || self.is_between_numbers(left, right, assigns) {
            return self.same(left, right).then(|| (left.clone(), None));
        }
        let number = self.operators.len();
        let result = self.unknown();
        let Ty::Unknown(unknown) = result else { return None };
        let name =
            format!("{} {}{} {}", self.called(left), op.text(), if assigns { "=" } else { "" }, self.called(right));
        self.source(&result, &name, Source::Operator(number));
        let (left, right) = (left.clone(), right.clone());
        if assigns {
            self.same(&result, &left);
        }
        self.operators.push(Operator { op, assigns, left, right, result: unknown, plain: false, at });
        Some((result, Some(number)))
    }

    /// What is said of two types that should be one.
    pub(super) fn meet(&self, a: &Ty, b: &Ty) -> String {
        let (a, b) = (self.text(a), self.text(b));
        format!("values of the types `{a}` and `{b}` meet, which a device cannot put together")
    }

    fn called(&self, ty: &Ty) -> String {
        match self.shallow(ty) {
            Ty::Unknown(number) if !self.unknowns[number].sources.is_empty() => {
                self.unknowns[number].sources[0].0.clone()
            }
            ty => self.text(&ty),
        }
    }

    /// Whether a type is that of one side of an operator.
    pub(super) fn is_operand(&self, ty: &Ty) -> bool {
        let Ty::Unknown(number) = self.shallow(ty) else { return false };
        let is = |side: &Ty| matches!(self.shallow(side), Ty::Unknown(other) if other == number);
        self.operators.iter().any(|operator| operator.sides().into_iter().any(is))
    }

    /// What has become known of operators.
    pub(super) fn settle_operators(&mut self) {
        for number in 0..self.operators.len() {
            let Operator { left, right, assigns, plain, .. } = &self.operators[number];
            if !plain && self.is_between_numbers(left, right, *assigns) {
                self.make_plain(number);
            }
        }
    }

    /// Where nobody tells the types of both sides, they are the same. A literal has the type that the other side asks for.
    pub(super) fn finish_operators(&mut self) {
        let is_literal = |this: &Self, ty: &Ty| matches!(this.shallow(ty), Ty::Unknown(number) if this.unknowns[number].literal != Literal::Any);
        let tells = |this: &Self, ty: &Ty| {
            let ty = this.shallow(ty);
            is_literal(this, &ty) || !matches!(ty, Ty::Unknown(_)) || this.has_answer(&ty)
        };
        loop {
            self.settle();
            let silent = self
                .operators
                .iter()
                .position(|operator| !operator.plain && !operator.sides().into_iter().all(|side| tells(self, side)));
            match silent {
                Some(number) => self.make_plain(number),
                None => break,
            }
        }
        for number in 0..self.operators.len() {
            let Operator { left, right, plain, .. } = &self.operators[number];
            let sides = [left.clone(), right.clone()];
            if *plain {
                continue;
            }
            for (side, ty) in sides.iter().enumerate() {
                if is_literal(self, ty) && !self.has_answer(ty) {
                    let name = format!("the literal of {}", self.called(&Ty::Unknown(self.operators[number].result)));
                    self.source(ty, &name, Source::Operand(number, side));
                }
            }
        }
    }

    fn make_plain(&mut self, number: usize) {
        let operator = &mut self.operators[number];
        operator.plain = true;
        let (left, right, result) = (operator.left.clone(), operator.right.clone(), Ty::Unknown(operator.result));
        let at = operator.at;
        if !(self.same(&left, &right) && self.same(&result, &left)) {
            let what = self.meet(&left, &right);
            self.apart.extend(at.map(|at| (at, what)));
        }
    }
}

impl Elaborate<'_> {
    /// `a op b` of numbers or of structs.
    pub fn operation_of_values(&mut self, op: Op, a: Node, b: Node, at: Place) -> Node {
        match self.types.operated(op, false, [&a.ty, &b.ty], (!self.quiet).then_some(at)) {
            Some((ty, Some(number))) => self.node(Kind::Operator(number, op, a.boxed(), b.boxed()), ty, at),
            Some((ty, None)) => self.node(Kind::Binary(op, a.boxed(), b.boxed()), ty, at),
            None => {
                self.same(&a.ty, &b.ty, at);
                let ty = a.ty.clone();
                self.node(Kind::Binary(op, a.boxed(), b.boxed()), ty, at)
            }
        }
    }

    /// `place op= value`.
    pub fn change(&mut self, op: Op, place: Node, value: Node, at: Place) -> Node {
        let kind = match self.types.operated(op, true, [&place.ty, &value.ty], (!self.quiet).then_some(at)) {
            Some((_, Some(number))) => Kind::Change(number, op, place.boxed(), value.boxed()),
            Some((_, None)) => Kind::Assign(place.boxed(), Some(op), value.boxed()),
            None => {
                self.same(&place.ty, &value.ty, at);
                Kind::Assign(place.boxed(), Some(op), value.boxed())
            }
        };
        self.node(kind, Ty::unit(), at)
    }
}
