//! Histograms: numbers that positions choose, each changed by one operator.
//!
//! If the order does not matter and the device can do it in one step, all invocations change the same bins, by *atomic*
//! operations. They use the memory of the workgroup first, if the bins fit there, and then that of the device. Otherwise, for
//! sums of floats above all, each invocation has a *row* of bins of its own. Rows are merged in the order of the positions, so
//! that the result has the same bits each time.

use crate::layout::{held, to_device as to_device_cell, to_host as to_host_cell};
use forall_core::device::{Bins, Cause, Operator, Type};

/// How the bins of a histogram are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A word for each bin.
    Word,
    /// Two words for each bin, the lower first.
    Pair,
    /// Two words for each bin, which the device changes at once.
    Long,
    /// As many rows as there are invocations.
    Rows,
}

/// How many rows an invocation merges at once.
pub(crate) const FAN: u32 = 32;

/// Positions of an invocation that has a row of its own: more of them would leave the device idle.
pub(crate) const LONGEST: u64 = 1024;

/// How the bins of a histogram are held. `long` says whether the device has atomic minima and maxima of 64 bits.
pub(crate) fn way(bins: &Bins, long: bool) -> Way {
    use Operator::{Add, And, Max, Min, Or, Xor};
    match (bins.element, bins.operator) {
        (Type::I64 | Type::U64, Add | And | Or | Xor) => Way::Pair,
        (Type::Isize | Type::Usize, Add | And | Or | Xor) if size_of::<usize>() == 8 => Way::Pair,
        (Type::F32, Min | Max) => Way::Word,
        (Type::I64 | Type::U64, Min | Max) if long => Way::Long,
        (Type::I64 | Type::U64 | Type::F16 | Type::F32 | Type::F64 | Type::Array(..), _) | (_, Operator::Mul) => {
            Way::Rows
        }
        (_, Add | And | Or | Xor | Min | Max) => Way::Word,
    }
}

/// How many words a bin takes that is changed by atomic operations.
pub(crate) fn words(bins: &Bins, long: bool) -> usize {
    match way(bins, long) {
        Way::Word => 1,
        Way::Pair | Way::Long => 2,
        Way::Rows => 0,
    }
}

/// How many cells there may be in all rows.
pub(crate) fn most_cells(positions: u64) -> u64 {
    (4 * positions).clamp(1 << 20, 1 << 24)
}

/// How the words of bins are ordered as the values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As they are.
    Plain,
    /// But for the sign.
    Signed,
    /// Floats: those below zero are ordered the other way round. One that is not a number changes no bin, and is the
    /// first to be replaced in one.
    Float,
}

fn order(bins: &Bins) -> Order {
    match (bins.operator, bins.element) {
        (Operator::Min | Operator::Max, Type::I8 | Type::I16 | Type::I32 | Type::Isize) => Order::Signed,
        (Operator::Min | Operator::Max, Type::F32) => Order::Float,
        _ => Order::Plain,
    }
}

/// The word of a value whose bits are these.
fn ordered(bins: &Bins, bits: u32) -> u32 {
    match order(bins) {
        Order::Plain => bits,
        Order::Signed => bits ^ SIGN,
        Order::Float if f32::from_bits(bits).is_nan() => neutral(bins),
        Order::Float if bits >= SIGN => !bits,
        Order::Float => bits ^ SIGN,
    }
}

/// The bits of the value whose word is this.
fn unordered(bins: &Bins, word: u32) -> u32 {
    match order(bins) {
        Order::Float if word < SIGN => !word,
        Order::Plain => word,
        _ => word ^ SIGN,
    }
}

/// Whether bins have the same bytes on the device as in Rust.
fn same(bins: &Bins) -> bool {
    way(bins, false) == Way::Pair || held(bins.element).0 == bins.element.size() && order(bins) == Order::Plain
}

const SIGN: u32 = 1 << 31;

/// From the elements as Rust holds them to words, or to the cells of a row; nothing where a `usize` has no room there.
pub(crate) fn to_device(bins: &Bins, host: &[u8]) -> Option<Vec<u8>> {
    if same(bins) {
        return Some(host.to_vec());
    }
    let (size, _) = held(bins.element);
    let mut all = Vec::new();
    for element in host.chunks_exact(bins.element.size().max(1)) {
        let at = all.len();
        all.resize(at + size, 0);
        to_device_cell(bins.element, element, &mut all[at..])?;
        if let [word] = all[at..].as_chunks_mut::<4>().0 {
            *word = ordered(bins, u32::from_ne_bytes(*word)).to_ne_bytes();
        }
    }
    Some(all)
}

/// The way back.
pub(crate) fn to_host(bins: &Bins, device: &[u8]) -> Vec<u8> {
    if same(bins) {
        return device.to_vec();
    }
    let (size, _) = held(bins.element);
    let mut host = Vec::new();
    for cell in device.chunks_exact(size) {
        let mut cell = cell.to_vec();
        if let [word] = cell.as_chunks_mut::<4>().0 {
            *word = unordered(bins, u32::from_ne_bytes(*word)).to_ne_bytes();
        }
        to_host_cell(bins.element, &cell, &mut host);
    }
    host
}

/// The identity of the bins: a word.
fn neutral(bins: &Bins) -> u32 {
    match bins.operator {
        Operator::Min | Operator::And => u32::MAX,
        _ => 0,
    }
}

/// The merge of the bin `a` and the value `b`: an expression.
pub(crate) fn both(bins: &Bins, a: &str, b: &str) -> String {
    let name = bins.element.word();
    let float = matches!(bins.element, Type::F32 | Type::F64);
    match bins.operator {
        Operator::Add if float => format!("({a} + {b})"),
        Operator::Mul if float => format!("({a} * {b})"),
        Operator::Add if bins.wraps => format!("fa_wrapping_add_{name}({a}, {b})"),
        Operator::Add => format!("fa_add_{name}({a}, {b})"),
        Operator::Mul => format!("fa_wrapping_mul_{name}({a}, {b})"),
        Operator::Min => format!("fa_min_{name}({a}, {b})"),
        Operator::Max => format!("fa_max_{name}({a}, {b})"),
        Operator::And => format!("({a} & {b})"),
        Operator::Or => format!("({a} | {b})"),
        Operator::Xor => format!("({a} ^ {b})"),
    }
}

/// The words of the value `v`: an expression, of one word or of a `vec2`.
pub(crate) fn as_words(bins: &Bins) -> String {
    match (way(bins, false), bins.element) {
        (Way::Pair, element) => format!("fa_widen_{}(v)", element.word()),
        (_, Type::Bool) => "select(0u, 1u, v)".into(),
        (_, Type::I8 | Type::I16 | Type::I32 | Type::Isize) if order(bins) == Order::Signed => {
            format!("(bitcast<u32>(v) ^ {SIGN}u)")
        }
        (_, Type::F32) => {
            let bits = "bitcast<u32>(v)";
            let word = format!("select({bits} ^ {SIGN}u, ~{bits}, {bits} >= {SIGN}u)");
            format!("select({word}, {}u, ({bits} & 0x7fffffffu) > 0x7f800000u)", neutral(bins))
        }
        (_, Type::I8 | Type::I16 | Type::I32 | Type::Isize) => "bitcast<u32>(v)".into(),
        _ => "v".into(),
    }
}

/// The operation that changes a bin in one step.
pub(crate) fn atomic(operator: Operator) -> &'static str {
    match operator {
        Operator::Add | Operator::Mul => "atomicAdd",
        Operator::Min => "atomicMin",
        Operator::Max => "atomicMax",
        Operator::And => "atomicAnd",
        Operator::Or => "atomicOr",
        Operator::Xor => "atomicXor",
    }
}

/// Puts the words `w` into the bin at word `at` of an array of atomic words: statements.
pub(crate) fn put(bins: &Bins, array: &str, at: &str) -> String {
    let function = atomic(bins.operator);
    let overflow = format!("fa_raise({}u);", Cause::Overflow as u32);
    let sums = bins.operator == Operator::Add;
    match way(bins, false) {
        Way::Pair if sums => {
            let over = match bins.element {
                Type::I64 | Type::Isize => {
                    "(((high ^ old) & 0x80000000u) == 0u && ((high ^ (old + high)) & 0x80000000u) != 0u) || (carry == 1u && high == 0x80000000u)"
                }
                _ => "old + high < old || high < carry",
            };
            let check = match bins.wraps {
                true => String::new(),
                false => format!("if (fa_checked && ({over})) {{ {overflow} }}"),
            };
            // The carries come to the same in any order.
            format!(
                "let low = atomicAdd(&{array}[{at}], w.x); let carry = select(0u, 1u, low + w.x < low);
  let high = w.y + carry;
  if (high != 0u || carry != 0u) {{ let old = atomicAdd(&{array}[{at} + 1u], high); {check} }}"
            )
        }
        Way::Pair => format!("{function}(&{array}[{at}], w.x); {function}(&{array}[{at} + 1u], w.y);"),
        Way::Word if sums && !bins.wraps => {
            let over = match bins.element {
                Type::U8 => "old + w > 0xffu",
                Type::U16 => "old + w > 0xffffu",
                Type::I8 => "abs(bitcast<i32>(old + w) * 2 + 1) > 0xff",
                Type::I16 => "abs(bitcast<i32>(old + w) * 2 + 1) > 0xffff",
                Type::I32 | Type::Isize => "((old ^ w) & 0x80000000u) == 0u && ((old ^ (old + w)) & 0x80000000u) != 0u",
                _ => "old + w < old",
            };
            format!("let old = atomicAdd(&{array}[{at}], w); if (fa_checked && ({over})) {{ {overflow} }}")
        }
        _ => format!("{function}(&{array}[{at}], w);"),
    }
}

/// The words of a bin that holds nothing yet: an expression.
pub(crate) fn nothing(bins: &Bins) -> String {
    format!("{}u", neutral(bins))
}

/// The cells of a row.
pub(crate) fn cell(bins: &Bins) -> String {
    match bins.element {
        Type::Bool => "u32".into(),
        element => element.wgsl(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_come_back_as_they_went() {
        let of = |element, operator| Bins { element, operator, wraps: false };
        let i16s: Vec<u8> = [-3_i16, 0, i16::MAX].iter().flat_map(|x| x.to_ne_bytes()).collect();
        for operator in [Operator::Add, Operator::Min, Operator::Mul] {
            let bins = of(Type::I16, operator);
            let held = to_device(&bins, &i16s).unwrap();
            assert_eq!(held.len(), 12);
            assert_eq!(to_host(&bins, &held), i16s);
        }
        let wide: Vec<u8> = [1_usize, 5_000_000_000, usize::MAX].iter().flat_map(|x| x.to_ne_bytes()).collect();
        let sum = of(Type::Usize, Operator::Add);
        assert_eq!(to_host(&sum, &to_device(&sum, &wide).unwrap()), wide);
        let floats: Vec<u8> = [-0.0_f32, 1.5, f32::NEG_INFINITY, -2.0].iter().flat_map(|x| x.to_ne_bytes()).collect();
        let most = of(Type::F32, Operator::Max);
        assert_eq!(to_host(&most, &to_device(&most, &floats).unwrap()), floats);
        let words = [f32::NAN, f32::NEG_INFINITY, -2.0, -0.0, 0.0, 1.5].map(|x| ordered(&most, x.to_bits()));
        assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
        // A word has no room for it.
        assert_eq!(to_device(&of(Type::Usize, Operator::Max), &wide), None);
    }
}
