//! Histograms as devices have them.

use crate::ir::Op;
use crate::plan::{Class, Operator};
use crate::wgsl::contract::{Bins, Type};

/// A histogram as a device has it, or why it has none such.
pub fn of(class: &Class, whole: Type) -> Result<Bins, String> {
    let mut element = whole.clone();
    while let Type::Array(inner, _) = element {
        element = *inner;
    }
    let Class::Bins { operator: Some(operator), wraps, .. } = class else { return Err("is no histogram".to_owned()) };
    let (float, bool) = (element.is_float(), element == Type::Bool);
    let operator = match operator {
        Operator::Add | Operator::Wrapping("wrapping_add") if !bool => "Add",
        Operator::Mul | Operator::Wrapping("wrapping_mul") if !bool => "Mul",
        Operator::Idempotent("min") if !bool => "Min",
        Operator::Idempotent("max") if !bool => "Max",
        Operator::Keep(op) if element.is_integer() => match op {
            Op::Gt | Op::Ge => "Max",
            _ => "Min",
        },
        Operator::Keep(_) if float => {
            return Err("keeps the better float by a comparison: write `h[k] = h[k].max(e)`, or `min`".to_owned());
        }
        Operator::Idempotent("&") if !float => "And",
        Operator::Idempotent("|") if !float => "Or",
        Operator::Xor if !float => "Xor",
        other => return Err(format!("is a histogram by `{}`, which devices do not have", other.text())),
    };
    Ok(Bins { whole, element, operator, wraps: *wraps || class_wraps(class) })
}

pub fn class_wraps(class: &Class) -> bool {
    matches!(class, Class::Bins { operator: Some(Operator::Wrapping(_)), .. })
}
