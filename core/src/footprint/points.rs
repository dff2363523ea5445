//! Accesses as sets of points, for the exact dependence test.

use super::index::Index;
use forall_contract::dependence::{Instances, Relation, Sum};

/// A sum of products. Each is a coefficient, the numbers of its values, and the number of a variable or [`NO_VARIABLE`].
pub type Terms = &'static [(i64, &'static [u16], u16)];

/// Marks a product without a variable.
pub const NO_VARIABLE: u16 = u16::MAX;

/// An access, as the set of points at which it happens. The loop's [`Values`] give the values.
#[derive(Debug)]
pub struct Points {
    /// The access's number in the footprint of its loop.
    pub access: usize,
    /// The number of variables. The first one is the position of the iteration.
    pub variables: u16,
    /// The conditions on the points: the comparison of a sum with 0. A condition holds only if none of the listed values has wrapped
    /// around.
    pub conditions: &'static [(Relation, Terms, &'static [u16])],
    /// The first element.
    pub first: Terms,
    /// The number of elements, if the access is a slice.
    pub length: Option<Terms>,
}

/// Computes the values in the points of a loop's accesses.
pub type Values<'v> = dyn Fn(std::ops::Range<usize>) -> Vec<Index> + Sync + 'v;

impl Points {
    /// The points with these values inserted; `None` if a value is unknown.
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
        // Without a condition there are more points, which is sound.
        let conditions = usable.filter_map(|(relation, terms, _)| Some((*relation, sum(terms)?))).collect();
        let length = match self.length {
            Some(length) => Some(sum(length)?),
            None => None,
        };
        Some(Instances { variables, conditions, first: sum(self.first)?, length })
    }
}
