//! Values put together of their scalars, and taken apart: expressions.

use crate::layout::{Cell, cell};
use forall_core::device::Type;

/// The small value in the lower bits of a word: an expression.
pub(crate) fn narrow(base: Type, word: &str) -> String {
    match base {
        Type::Bool => format!("(({word} & 0xffu) != 0u)"),
        Type::F16 => format!("fa_from_bits_f16({word})"),
        Type::I8 | Type::I16 => format!("fa_wrap_{}(bitcast<i32>({word}))", base.word()),
        _ => format!("fa_wrap_{}({word})", base.word()),
    }
}

/// The index of a scalar: `offset` in element `element`.
pub(crate) fn place(element: &str, width: usize, offset: usize) -> String {
    match (width, offset) {
        (1, _) => element.into(),
        (_, 0) => format!("{element} * {width}u"),
        _ => format!("{element} * {width}u + {offset}u"),
    }
}

/// The types of the scalars of a value, each once.
pub(crate) fn kinds(of: Type) -> Vec<Type> {
    let mut kinds = Vec::new();
    for scalar in of.scalars() {
        if !kinds.contains(&scalar) {
            kinds.push(scalar);
        }
    }
    kinds
}

/// A scalar in one word, or two: an expression. Its bits are the lower ones.
pub(crate) fn of_words(base: Type, low: &str, high: &str) -> String {
    let both = || format!("(u64({low}) | (u64({high}) << 32u))");
    match (cell(base), base) {
        (Cell::Pair, _) => format!("fa_narrow_{}(vec2<u32>({low}, {high}))", base.word()),
        (_, Type::U64) => both(),
        (_, Type::I64 | Type::F64) => format!("bitcast<{}>({})", base.wgsl(), both()),
        (_, Type::U32 | Type::Usize) => low.into(),
        (_, Type::I32 | Type::Isize | Type::F32) => format!("bitcast<{}>({low})", base.wgsl()),
        _ => narrow(base, low),
    }
}

/// The words of a scalar: expressions. Other bits than its own are zero.
pub(crate) fn as_words(base: Type, value: &str) -> Vec<String> {
    let both = |bits: String| vec![format!("u32({bits} & 0xfffffffflu)"), format!("u32({bits} >> 32u)")];
    match (cell(base), base) {
        (Cell::Pair, Type::Isize) => vec![format!("bitcast<u32>({value})"), format!("bitcast<u32>({value} >> 31u)")],
        (Cell::Pair, _) => vec![value.into(), format!("select(0u, 0xffffffffu, {value} == 0xffffffffu)")],
        (_, Type::U64) => both(value.into()),
        (_, Type::I64 | Type::F64) => both(format!("bitcast<u64>({value})")),
        (_, Type::U32 | Type::Usize) => vec![value.into()],
        (_, Type::Bool) => vec![format!("select(0u, 1u, {value})")],
        (Cell::Bits(bits), Type::I8 | Type::I16) => {
            vec![format!("(bitcast<u32>({value}) & {}u)", (1_u32 << bits) - 1)]
        }
        (_, Type::F16) => vec![format!("fa_to_bits_f16({value})")],
        (Cell::Bits(_), _) => vec![value.into()],
        _ => vec![format!("bitcast<u32>({value})")],
    }
}

/// A value put together of its scalars: an expression.
pub(crate) fn gather(of: Type, next: &mut impl FnMut(Type) -> String) -> String {
    let parts: Vec<String> = match of {
        Type::Array(element, len) => (0..len).map(|_| gather(*element, next)).collect(),
        Type::Struct(of) => of.fields.iter().map(|(_, field)| gather(*field, next)).collect(),
        scalar => return next(scalar),
    };
    format!("{}({})", of.wgsl(), parts.join(", "))
}

/// Tells each scalar of a value: its type, and the expression that takes it.
pub(crate) fn scatter(of: Type, value: &str, each: &mut impl FnMut(Type, &str)) {
    match of {
        Type::Array(element, len) => (0..len).for_each(|k| scatter(*element, &format!("{value}[{k}]"), each)),
        Type::Struct(of) => {
            of.fields.iter().for_each(|(name, field)| scatter(*field, &format!("{value}.m_{name}"), each));
        }
        scalar => each(scalar, value),
    }
}
