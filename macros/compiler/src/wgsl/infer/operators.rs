//! Operators between values whose types are not known while expanding, as `p.velocity * dt`.
//!
//! Between numbers both sides have one type, and that of the result; structs have the operators that their authors gave
//! them, with any right side and any result. Where neither is seen here, the program asks for it when it runs first.

use crate::ir::Op;
use crate::ir::report::Location;
use crate::wgsl::contract::Literal;
use crate::wgsl::infer::types::Types;
use crate::wgsl::infer::unknowns::{OpenOperator, Origin};
use crate::wgsl::tree::Ty;

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
            next.extend(of.flat_map(OpenOperator::sides));
        }
        false
    }

    /// The type of what an operator gives, and its number, if there is more to be known; nothing where its sides do not fit.
    pub fn operated(
        &mut self,
        op: Op,
        assigns: bool,
        [left, right]: [&Ty; 2],
        at: Option<Location>,
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
        self.source(&result, &name, Origin::Operator(number));
        let (left, right) = (left.clone(), right.clone());
        if assigns {
            self.same(&result, &left);
        }
        self.operators.push(OpenOperator { op, assigns, left, right, result: unknown, plain: false, at });
        Some((result, Some(number)))
    }

    /// The message about two types that should be one.
    pub fn meet(&self, a: &Ty, b: &Ty) -> String {
        let (a, b) = (self.text(a), self.text(b));
        format!("values of the types `{a}` and `{b}` meet, which a device cannot put together")
    }

    pub fn called(&self, ty: &Ty) -> String {
        match self.shallow(ty) {
            Ty::Unknown(number) if !self.unknowns[number].sources.is_empty() => {
                self.unknowns[number].sources[0].0.clone()
            }
            ty => self.text(&ty),
        }
    }

    /// Whether a type is that of one side of an operator.
    pub fn is_operand(&self, ty: &Ty) -> bool {
        let Ty::Unknown(number) = self.shallow(ty) else { return false };
        let is = |side: &Ty| matches!(self.shallow(side), Ty::Unknown(other) if other == number);
        self.operators.iter().any(|operator| operator.sides().into_iter().any(is))
    }

    /// The known types of operators.
    pub fn settle_operators(&mut self) {
        for number in 0..self.operators.len() {
            let OpenOperator { left, right, assigns, plain, .. } = &self.operators[number];
            if !plain && self.is_between_numbers(left, right, *assigns) {
                self.make_plain(number);
            }
        }
    }

    /// Where nobody tells the types of both sides, they are the same. A literal has the type that the other side asks for.
    pub fn finish_operators(&mut self) {
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
            let OpenOperator { left, right, plain, .. } = &self.operators[number];
            let sides = [left.clone(), right.clone()];
            if *plain {
                continue;
            }
            for (side, ty) in sides.iter().enumerate() {
                if is_literal(self, ty) && !self.has_answer(ty) {
                    let name = format!("the literal of {}", self.called(&Ty::Unknown(self.operators[number].result)));
                    self.source(ty, &name, Origin::Operand(number, side));
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

/// Whether both sides of an operator have the type of the result.
pub fn is_arithmetic(op: Op) -> bool {
    !op.is_comparison() && !matches!(op, Op::AndAnd | Op::OrOr | Op::Shl | Op::Shr)
}
