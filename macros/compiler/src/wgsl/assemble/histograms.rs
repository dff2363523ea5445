//! Histograms as devices have them.

use crate::ir::Op;
use crate::plan::{Class, Operator};
use crate::wgsl::contract::{Bins, Type};
use forall_contract as device;

/// A histogram as a device has it, or why it has none such.
pub fn of(class: &Class, whole: Type) -> Result<Bins, String> {
    let mut element = whole;
    while let Type::Array(inner, _) = element {
        element = *inner;
    }
    let (Class::Bins { wraps, .. }, Some(operator)) = (class, class.operator_of_bins()) else {
        return Err("is no histogram".to_owned());
    };
    let wraps = *wraps || matches!(operator, Operator::WrappingAdd | Operator::WrappingMul);
    let (float, bool) = (element.is_float(), element == Type::Bool);
    let operator = match operator {
        Operator::Add | Operator::WrappingAdd if !bool => device::Operator::Add,
        Operator::Mul | Operator::WrappingMul if !bool => device::Operator::Mul,
        Operator::Min if !bool => device::Operator::Min,
        Operator::Max if !bool => device::Operator::Max,
        Operator::Keep(op) if element.is_integer() => match op {
            Op::Gt | Op::Ge => device::Operator::Max,
            _ => device::Operator::Min,
        },
        Operator::Keep(_) if float => {
            return Err("keeps the better float by a comparison: write `h[k] = h[k].max(e)`, or `min`".to_owned());
        }
        Operator::Logical(Op::And) if !float => device::Operator::And,
        Operator::Logical(Op::Or) if !float => device::Operator::Or,
        Operator::Xor if !float => device::Operator::Xor,
        Operator::Repeated(_) => {
            return Err("is a histogram whose updates all apply one function, which devices do not have".to_owned());
        }
        other => return Err(format!("is a histogram by `{}`, which devices do not have", other.text())),
    };
    Ok(Bins { whole, each: device::Bins { element, operator, wraps } })
}
