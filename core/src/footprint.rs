//! Footprints: the elements that a range of iterations may access, by abstract interpretation.
//!
//! The macro emits every index expression a second time, over [`Index`] instead of integers. Evaluating it for a range of iterations gives
//! an interval that contains every index of that range. For the whole loop it gives the affine form `a * p + sum(c_k * t_k) + [lo, hi]`,
//! with `p` the iteration's position and `0 <= t_k < extent_k` the inner counters. They determine the halo, the proof that iterations write
//! disjoint elements, and hoisted bounds checks.
//!
//! The analysis is sound: an expression without this form becomes [`Index::UNKNOWN`], which is inside no slice.
//!
//! # The files, in the order of their imports
//! `form` has affine forms, `index` the values of an expression, `counted` the ranges of loops, and `access` an access to an array.
//! `meeting` is a dependence test for two accesses, and `points` has accesses in the form of the exact dependence test.

mod access;
mod counted;
mod form;
mod index;
mod meeting;
mod points;

pub use access::{Access, Accesses, Footprint, Steps, is_gap};
pub use counted::{Counted, Counter, chunks_of, count_on, from_zero, part_of, pulled, step_of, steps_of, windows_of};
pub use forall_contract::dependence::Relation;
pub use form::Form;
pub use index::Index;
pub use meeting::{Meeting, meeting};
pub use points::{NO_VARIABLE, Points, Terms, Values};
