//! The values of floating-point sums, with which `FORALL_VERIFY` estimates rounding errors.

use super::number::{Counted, CountedProduct, Number};

/// Finds the value of a variable by method resolution, if it is a floating-point sum.
#[derive(Debug)]
pub struct Value<'a, V>(pub &'a V);

/// Method resolution finds this trait for numbers.
pub trait ValueOfNumber {
    /// The value.
    fn __value(&self) -> f64;
}

impl<V: Number> ValueOfNumber for &&Value<'_, V> {
    fn __value(&self) -> f64 {
        self.0.rounded()
    }
}

/// Method resolution finds this trait for sums that detect overflow.
pub trait ValueOfCounted {
    /// The value.
    fn __value(&self) -> f64;
}

impl<V: Number> ValueOfCounted for &Value<'_, Counted<V>> {
    fn __value(&self) -> f64 {
        self.0.sum.rest.rounded()
    }
}

impl<V: Number> ValueOfCounted for &Value<'_, CountedProduct<V>> {
    fn __value(&self) -> f64 {
        self.0.product.rounded()
    }
}

/// Method resolution finds this trait for all other types.
pub trait NoValue {
    /// Zero.
    fn __value(&self) -> f64 {
        0.0
    }
}

impl<V> NoValue for Value<'_, V> {}
