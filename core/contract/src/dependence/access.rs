//! Accesses as sets of integer points.

/// A linear function: a constant, and a factor for each variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Sum {
    /// The constant.
    pub constant: i128,
    /// The factor of each variable; missing ones are 0.
    pub factors: Vec<i128>,
}

/// The comparison of a sum with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is 0.
    Zero,
    /// It is 0 or more.
    NotNegative,
    /// It is not 0.
    NotZero,
}

/// An access, as the set of points at which it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instances {
    /// The number of variables. The first one is the position of the iteration.
    pub variables: usize,
    /// The conditions on the variables.
    pub conditions: Vec<(Relation, Sum)>,
    /// The first element.
    pub first: Sum,
    /// The number of elements, if the access is a slice.
    pub length: Option<Sum>,
}
