//! Sizes and values that kernels are told: where they are among the words of a binding.

use crate::layout::{Cell, cell};
use forall_core::device::{Program, Type};

/// A word: an expression.
pub(crate) fn word(at: usize) -> String {
    format!("fa_words[{}].{}", at / 4, ["x", "y", "z", "w"][at % 4])
}

/// The first position, how many, how many leaves, workgroups of a pass, and whether there is a seed.
pub(crate) const START: usize = 0;
pub(crate) const COUNT: usize = 1;
pub(crate) const LEAVES: usize = 2;
pub(crate) const GROUPS: usize = 3;
pub(crate) const SEEDED: usize = 4;
const ARRAYS: usize = 5;

/// How many bins a histogram has, and at which word it begins where a workgroup holds it.
pub(crate) fn bins(program: &Program, number: usize) -> usize {
    value(program, program.values.len()) + 2 * number
}

/// The array's part: its first element, how many, the global length, and where it begins in the buffer; the first run of
/// the elements that lie apart, and how many runs there are.
pub(crate) fn array(number: usize) -> usize {
    ARRAYS + 6 * number
}

/// How many elements a table has.
pub(crate) fn table(program: &Program, number: usize) -> usize {
    array(program.arrays.len()) + number
}

/// Where a value begins.
pub(crate) fn value(program: &Program, number: usize) -> usize {
    table(program, program.tables.len()) + program.values[..number].iter().map(|of| of_type(*of)).sum::<usize>()
}

/// How many there are in all.
pub(crate) fn total(program: &Program) -> usize {
    bins(program, program.bins.len())
}

/// How many words a value takes.
fn of_type(of: Type) -> usize {
    of.scalars().into_iter().map(of_scalar).sum()
}

/// How many words a scalar takes.
pub(crate) fn of_scalar(base: Type) -> usize {
    match (base, cell(base)) {
        (Type::I64 | Type::U64 | Type::F64, _) | (_, Cell::Pair) => 2,
        _ => 1,
    }
}
