//! The requirements of annotated loops on types, by the names that messages of rustc show. Programs do not use them.
//!
//! The expansion of an attribute states what a loop requires of its types, and rustc checks it. Each message begins with a
//! [code](crate::codes), which has a page.

pub use forall_core::accumulate::by_merge;
pub use forall_core::accumulate::keyed::{Whole, products, sums};
pub use forall_core::bounds::{KnownNumber, PlainData, RefuseElement, RefuseNumber};
pub use forall_core::codec::Optional;
pub use forall_core::obligations::{
    AValue, AccessedAsSlice, AnOutput, ChangedByAll, Clears, ComparedAlike, FloatOfStd, IsFunction, IsOfStd, IsType,
    KeepsLength, NoCell, NoMap, NoOutput, NoSequence, NoSet, OfKnown, OnlyRead, OperatorsOfStd, PureDerefMut,
    SaturatesAtOneEnd, SetsAll, TotallyOrdered, fa012_this_swaps, fa014_a_scan_state_depends_on_no_cell,
    fa014_deref_mut_has_no_side_effect, fa014_this_changes_no_input_of_a_scan_state, fa014_this_is_a_copy,
    fa014_this_is_no_output, fa014_this_only_adds_to_a_map, fa014_this_only_adds_to_a_sequence,
    fa014_this_only_adds_to_a_set, fa015_it_saturates_at_one_end, fa017_iterations_share_nothing,
    fa017_no_instance_shares, fa017_nothing_in_it_is_shared, fa018_all_elements_are_set, fa018_clear_leaves_nothing,
    fa018_length_stays, fa022_elements_are_those_of_a_slice, fa022_this_is_none_of_std,
    fa022_this_is_the_function_of_std, fa022_this_is_the_type_of_std, fa032_all_values_compare,
    fa032_operators_are_known, fa032_this_is_a_float, fa032_this_is_a_vector_of_std, fa032_this_is_an_option,
    fa032_this_is_an_ordering_of_std, fa032_this_is_the_function_of_std, fa032_this_is_the_method_of_std,
    fa032_this_method_is_of_std, fa032_values_compare_alike,
};
pub use forall_core::traverse::{LeadsTo, fa034_the_method_is_the_nodes};

/// A variable that all iterations of a loop read, whichever thread they run on.
#[diagnostic::on_unimplemented(
    message = "FA042: `{Self}` cannot be read by several threads at once, so a loop cannot use it",
    label = "all iterations use this",
    note = "read what the loop needs of it before the loop, or take a value that is `Sync`: `Arc` for `Rc`"
)]
pub trait ReadByAll {}

impl<T: Sync + ?Sized> ReadByAll for T {}

/// Requires that several threads may read a variable that a loop reads (FA042).
#[inline(always)]
pub fn fa042_captured_values_must_be_sync<T: ReadByAll + ?Sized>(_: &T) {}
