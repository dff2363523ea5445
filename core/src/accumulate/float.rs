//! `max` and `min` of two floats, as functions whose type follows from their arguments.

/// The larger one; of a number and a value that is no number, the number.
#[inline]
pub fn max<T: PartialOrd>(a: T, b: T) -> T {
    if a >= b || !is_number(&b) { a } else { b }
}

/// The smaller one; of a number and a value that is no number, the number.
#[inline]
pub fn min<T: PartialOrd>(a: T, b: T) -> T {
    if a <= b || !is_number(&b) { a } else { b }
}

#[allow(clippy::eq_op)]
fn is_number<T: PartialOrd>(a: &T) -> bool {
    a == a
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_kept() {
        for (a, b) in [(1.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, f64::NEG_INFINITY)] {
            assert_eq!(super::max(a, b).to_bits(), f64::max(a, b).to_bits());
            assert_eq!(super::min(a, b).to_bits(), f64::min(a, b).to_bits());
        }
        assert!(super::max(f64::NAN, f64::NAN).is_nan());
    }
}
