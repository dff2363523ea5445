//! Traversals: recursive functions whose calls accumulate results, run as a fold over the calls.
//!
//! A worker makes the calls as plain recursion does, on its stack. If another worker is idle, it defers all further calls, so its stack
//! unwinds quickly, and the pending calls of all frames are in a list (`calls`). The idle worker then steals calls from this list (`pool`):
//! of the calls nearest to the root, the later half in sequential order. Tasks are thus created only on demand, and a call costs one load of
//! a counter. If the recursion is deep, calls are deferred too, so the stack does not overflow.
//!
//! The results of a task form a part. A stolen part directly follows its origin, so the parts are in the order of the sequential traversal,
//! and they merge in this order. If the operator is not exact, the results between two calls merge as one unit: the grouping depends only on
//! the tree.
//!
//! If the user chose a device and it can run the body, it makes the calls of one level at once, as long as the level is large (`levels`).
//!
//! On several ranks, every rank makes the calls near the root, and then its part of the remaining ones (`over_ranks`).
//!
//! A traversal modifies the user's variables only at its end. After a panic the sequential traversal runs, and its result counts.

mod calls;
mod child;
mod collected;
mod levels;
mod over_ranks;
mod pool;
mod traversal;

pub use calls::{Argument, Calls, Shown, Unshown};
pub use child::{Itself, LeadsTo, fa034_the_method_is_the_nodes};
pub use levels::{BEGIN, ByLevels, CALL, COLLECT, Laws, Level, Levels, Listed, levels};
pub use traversal::{DEPTH, Later, Traversal, share_of_repetition};
