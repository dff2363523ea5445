//! Comparison of enums without fields. A macro cannot see `derive`, but all pairs of variants can be compared.

use std::cmp::Ordering;

/// All variants of an enum, to compare them: `(&Variants(&[Kind::A, Kind::B])).__told_apart()`, and `(&&&Variants(..)).__are_ordered(&[0, 1])`
/// with their discriminants.
#[derive(Debug)]
pub struct Variants<'a, T>(pub &'a [T]);

/// Method resolution finds this trait for enums with `==`.
pub trait VariantsCompared {
    /// Whether each variant equals only itself.
    fn __told_apart(&self) -> bool;
}

impl<T: PartialEq> VariantsCompared for Variants<'_, T> {
    fn __told_apart(&self) -> bool {
        let all = || self.0.iter().enumerate();
        all().all(|(i, one)| all().all(|(j, other)| (one == other) == (i == j) && (one != other) == (i != j)))
    }
}

/// Method resolution finds this trait for all other types.
pub trait VariantsMatched {
    /// `false`: without `==`, only `match` distinguishes variants.
    fn __told_apart(&self) -> bool {
        true
    }
}

impl<T> VariantsMatched for &Variants<'_, T> {}

impl<T> Variants<'_, T> {
    /// Whether a predicate holds for all pairs of variants and the order of their discriminants.
    fn all(&self, numbers: &[i128], holds: impl Fn(&T, &T, Ordering) -> bool) -> bool {
        let all = || self.0.iter().zip(numbers);
        all().all(|(one, i)| all().all(|(other, j)| holds(one, other, i.cmp(j))))
    }
}

/// Method resolution finds this trait for enums with `Ord`.
pub trait VariantsInOrder {
    /// Whether the order is that of these discriminants.
    fn __are_ordered(&self, numbers: &[i128]) -> bool;
}

impl<T: Ord + Copy> VariantsInOrder for &&Variants<'_, T> {
    fn __are_ordered(&self, numbers: &[i128]) -> bool {
        (&**self).__are_ordered(numbers)
            && self.all(numbers, |&a, &b, order| {
                let (least, most) = if order == Ordering::Greater { (b, a) } else { (a, b) };
                a.cmp(&b) == order && a.min(b) == least && a.max(b) == most
            })
    }
}

/// Method resolution finds this trait for enums with only `PartialOrd`.
pub trait VariantsSomehow {
    /// Whether the order is that of these discriminants.
    fn __are_ordered(&self, numbers: &[i128]) -> bool;
}

impl<T: PartialOrd> VariantsSomehow for &Variants<'_, T> {
    fn __are_ordered(&self, numbers: &[i128]) -> bool {
        self.all(numbers, |a, b, order| {
            a.partial_cmp(b) == Some(order)
                && (a < b, a <= b, a > b, a >= b) == (order.is_lt(), order.is_le(), order.is_gt(), order.is_ge())
        })
    }
}

/// Method resolution finds this trait for all other types.
pub trait VariantsUnordered {
    /// `false`: there is no order.
    fn __are_ordered(&self, _: &[i128]) -> bool {
        false
    }
}

impl<T> VariantsUnordered for Variants<'_, T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Full {
        One = 1,
        Three = 3,
    }
    #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
    enum Some {
        One,
        Two,
    }
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum None {
        One,
    }
    /// An enum with the reverse order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Turned {
        One,
        Two,
    }
    impl PartialOrd for Turned {
        fn partial_cmp(&self, other: &Turned) -> Option<Ordering> {
            Option::Some(self.cmp(other))
        }
    }
    impl Ord for Turned {
        fn cmp(&self, other: &Turned) -> Ordering {
            (*other as u8).cmp(&(*self as u8))
        }
    }

    #[test]
    #[allow(clippy::needless_borrow)] // As expansions ask.
    fn orders_are_those_of_numbers_or_not() {
        assert!((&&&Variants(&[Full::One, Full::Three])).__are_ordered(&[1, 3]));
        assert!(!(&&&Variants(&[Full::One, Full::Three])).__are_ordered(&[3, 1]));
        assert!((&&&Variants(&[Some::One, Some::Two])).__are_ordered(&[0, 1]));
        assert!(!(&&&Variants(&[None::One])).__are_ordered(&[0]));
        assert!(!(&&&Variants(&[Turned::One, Turned::Two])).__are_ordered(&[0, 1]));
        assert!((&Variants(&[Turned::One, Turned::Two])).__told_apart());
    }
}
