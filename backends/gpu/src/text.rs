//! The text around a program: bindings, what the program may call, and the kernels.
//!
//! # Passes
//! Every loop runs as some passes over its positions, see [`kernels`](super::kernels). What a part of the positions leaves (its *leaf*: a state, or
//! how many elements it pushed) is folded over a tree of levels, until one is left: `fa_up` merges a span of leaves to one
//! element of the next level, in order, and leaves at each leaf what those before it in the span have together; where there is
//! more than one span, `fa_down` adds what the spans before have.
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
//! `shape` (in which a program runs), `words` (sizes and values), `writer` (a text and its bindings), `values` and `elements` (how they are
//! read and written), `look_back`, `facts` (what a program says), `arrays`, `pushes`, `histograms`, `lanes`, `tree` and `kernels`, and
//! `assemble`, which calls them all.

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
