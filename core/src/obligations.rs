//! The assumptions that the loop compiler makes, as code that rustc rejects if an assumption is wrong.
//!
//! A macro sees names and no types. The expansion states each assumption beside the loop, in code that leaves no machine code.

mod collections;
mod dereference;
mod instances;
mod methods;
mod names;
mod operators;
mod outputs;
mod probe;
mod shared_state;

pub use collections::*;
pub use dereference::*;
pub use methods::*;
pub use names::*;
pub use operators::*;
pub use outputs::*;
pub use probe::{Captured, Kind, Nothing};
pub use shared_state::*;

/// The traits by whose methods obligations test types, without names: an import of all of them hides no name of the user.
pub mod tests_of_types {
    pub use super::collections::{OfCollections as _, OfOthers as _};
    pub use super::dereference::{CallsDerefMut as _, CallsNoFunction as _};
    pub use super::operators::{KnownOperands as _, OtherOperands as _};
    pub use super::shared_state::{
        ChangesNowhere as _, HoldsOthers as _, IsItself as _, MayChange as _, SharesNothing as _, SharesState as _,
    };
}

/// Applies [`fa017_nothing_in_it_is_shared`] to a place expression. It is a macro, because rustc's message about the constant shows only its
/// name.
#[doc(hidden)]
#[macro_export]
macro_rules! fa017_iterations_share_what_is_in_it {
    ($place:expr) => {{
        use $crate::obligations::{
            HoldsOthers as _, IsItself as _, Kind, fa017_nothing_in_it_is_shared, mark_used, nothing,
        };
        let kind = (&(&(&(&(&Kind::of(&$place)).__inside()).__inside()).__inside()).__inside()).__inside();
        let nothing = fa017_nothing_in_it_is_shared(kind, &const { nothing() });
        mark_used(nothing);
    }};
}
