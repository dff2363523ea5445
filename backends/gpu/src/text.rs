//! The text around a program: bindings, what the program may call, and the kernels.
//!
//! # Passes
//! Every loop runs as some passes over its positions, see [`kernels`](super::kernels). A part of the positions leaves a *leaf*: a state, or
//! the number of pushed elements. The leaves are folded over a tree of levels, until one is left. `fa_up` merges a span of leaves to one
//! element of the next level, in order, and leaves at each leaf the total of those before it in the span. If there is more than one
//! span, `fa_down` adds the totals of the spans before.
//!
//! | loop | passes |
//! |---|---|
//! | maps | `Iterate` |
//! | reduces | `Iterate`, up |
//! | pushes | `Count`, up, down, `Iterate` |
//! | scans | `Total`, up, down, for each level of running values, then `Iterate` |
//! | histograms | `Iterate`, with rows filled before and joined after it, where there are rows: see [`bins`](crate::bins) |
//!
//! A loop that does several of these has the passes of all of them, `Total` first and `Iterate` last. Of `n` elements, maps and
//! reduces move what the body reads and writes; scans and pushes read once more what their totals and counts depend on.
//!
//! # The files, each naming only those before it
//! `shape` is the way in which a program runs, `words` has sizes and values, and `writer` a text and its bindings. `values` and `elements`
//! have the ways to read and write them, and `facts` the facts about a program. The others are `look_back`, `arrays`, `pushes`,
//! `histograms`, `lanes`, `tree` and `kernels`, and `assemble`, which calls them all.

mod arrays;
pub(crate) mod assemble;
mod elements;
pub(crate) mod facts;
mod histograms;
pub(crate) mod kernels;
pub(crate) mod lanes;
pub(crate) mod look_back;
mod pushes;
pub(crate) mod shape;
pub(crate) mod tree;
mod values;
pub(crate) mod words;
pub(crate) mod writer;
