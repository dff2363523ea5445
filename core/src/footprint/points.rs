//! Accesses as sets of points, as the macro describes them, for the dependence test.

use super::index::Index;
use forall_contract::dependence::{Instances, Relation, Sum};

/// A sum of products: each a number, values by their numbers, and a variable or [`NO_VARIABLE`].
pub type Terms = &'static [(i64, &'static [u16], u16)];

/// In place of the number of a variable.
pub const NO_VARIABLE: u16 = u16::MAX;

/// An access, as the set of points at which it happens. The values are those that a loop's [`Values`] gives.
#[derive(Debug)]
pub struct Points {
    /// The access's number in the footprint of its loop.
    pub access: usize,
    /// How many variables there are. The first one is the position of the iteration.
    pub variables: u16,
    /// The conditions on them: how a sum compares to 0, if none of these values has wrapped around.
    pub conditions: &'static [(Relation, Terms, &'static [u16])],
    /// The first element.
    pub first: Terms,
    /// The number of elements, if the access is a slice.
    pub length: Option<Terms>,
}

/// Computes the values that the points of a loop's accesses mention.
pub type Values<'v> = dyn Fn(std::ops::Range<usize>) -> Vec<Index> + Sync + 'v;

impl Points {
    /// The points for these values, if they are known.
    pub fn instances(&self, values: &[Index]) -> Option<Instances> {
        let variables = usize::from(self.variables);
        let sum = |terms: Terms| -> Option<Sum> {
            let mut sum = Sum { constant: 0, factors: vec![0; variables] };
            for (factor, of, variable) in terms {
                let mut product = i128::from(*factor);
                for value in *of {
                    product = product.checked_mul(i128::from(values.get(usize::from(*value))?.exact()?))?;
                }
                let to = match *variable {
                    NO_VARIABLE => &mut sum.constant,
                    variable => sum.factors.get_mut(usize::from(variable))?,
                };
                *to = to.checked_add(product)?;
            }
            Some(sum)
        };
        let unwrapped = |value: &u16| values.get(usize::from(*value)).is_some_and(Index::is_unwrapped);
        let usable = self.conditions.iter().filter(|(_, _, sides)| sides.iter().all(unwrapped));
        // The points without a condition are more.
        let conditions = usable.filter_map(|(relation, terms, _)| Some((*relation, sum(terms)?))).collect();
        let length = match self.length {
            Some(length) => Some(sum(length)?),
            None => None,
        };
        Some(Instances { variables, conditions, first: sum(self.first)?, length })
    }
}
