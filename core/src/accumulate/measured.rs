//! The values of variables that floats are added to, as `FORALL_VERIFY` measures how far updates move them.

use super::number::{Counted, CountedProduct, Number};

/// Asks for the value of a variable, where its type is known to be a float that is added up.
#[derive(Debug)]
pub struct Value<'a, V>(pub &'a V);

/// Found for numbers.
pub trait ValueOfNumber {
    /// The value.
    fn value(&self) -> f64;
}

impl<V: Number> ValueOfNumber for &&Value<'_, V> {
    fn value(&self) -> f64 {
        self.0.rounded()
    }
}

/// Found for sums that tell whether they were out of range.
pub trait ValueOfCounted {
    /// The value.
    fn value(&self) -> f64;
}

impl<V: Number> ValueOfCounted for &Value<'_, Counted<V>> {
    fn value(&self) -> f64 {
        self.0.sum.rest.rounded()
    }
}

impl<V: Number> ValueOfCounted for &Value<'_, CountedProduct<V>> {
    fn value(&self) -> f64 {
        self.0.product.rounded()
    }
}

/// Found for the rest.
pub trait NoValue {
    /// Nothing is known of it.
    fn value(&self) -> f64 {
        0.0
    }
}

impl<V> NoValue for Value<'_, V> {}
