//! Traversals: a recursive function whose calls collect something, run as a fold over its calls.
//!
//! A worker makes the calls as the plain recursion does, one inside of the other. When another worker has nothing to do, it puts off the
//! calls that it would make next: so its stack is soon empty, and all calls that its bodies had still to make are in a list (`calls`).
//! From there the other worker gets some (`pool`): those nearest to the root, of which the last in sequential order come first. So
//! there are as many tasks as workers ask for, however many nodes there are, and a call costs one look at a number. Where calls
//! are many inside of each other, they are put off too: there is no stack to overflow.
//!
//! What a task collects is a part. A part that is split off stands right behind the one that it was split from, so the parts in
//! their order are what the sequential traversal collects, and they merge in this order. Where merging is not exact, what is
//! collected between two calls is merged as a whole, in order: the grouping depends on the tree alone.
//!
//! Where a device is asked for and can run the body, it makes the calls of each level at once, while these are many (`levels`).
//!
//! On several ranks, every rank makes the calls near the root, and each then takes its part of those that are left (`over_ranks`).
//!
//! A traversal changes nothing before its end. After a panic it is made again as it was written, in order: what that does holds.

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
