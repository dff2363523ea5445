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
    let Class::Bins { operator: Some(operator), wraps, .. } = class else { return Err("is no histogram".to_owned()) };
    let (float, bool) = (element.is_float(), element == Type::Bool);
    let operator = match operator {
        Operator::Add | Operator::Wrapping("wrapping_add") if !bool => device::Operator::Add,
        Operator::Mul | Operator::Wrapping("wrapping_mul") if !bool => device::Operator::Mul,
        Operator::Idempotent("min") if !bool => device::Operator::Min,
        Operator::Idempotent("max") if !bool => device::Operator::Max,
        Operator::Keep(op) if element.is_integer() => match op {
            Op::Gt | Op::Ge => device::Operator::Max,
            _ => device::Operator::Min,
        },
        Operator::Keep(_) if float => {
            return Err("keeps the better float by a comparison: write `h[k] = h[k].max(e)`, or `min`".to_owned());
        }
        Operator::Idempotent("&") if !float => device::Operator::And,
        Operator::Idempotent("|") if !float => device::Operator::Or,
        Operator::Xor if !float => device::Operator::Xor,
        other => return Err(format!("is a histogram by `{}`, which devices do not have", other.text())),
    };
    Ok(Bins { whole, each: device::Bins { element, operator, wraps: *wraps || class_wraps(class) } })
}

pub fn class_wraps(class: &Class) -> bool {
    matches!(class, Class::Bins { operator: Some(Operator::Wrapping(_)), .. })
}
