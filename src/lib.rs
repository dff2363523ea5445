//! `forall` makes plain Rust loops parallel. You write a sequential loop and put one attribute above it. The same function then runs on all
//! cores, on all MPI ranks, and on a GPU. A loop that cannot run in parallel does not compile.
//!
//! ```
//! use forall::{DistVec, distributed_scan};
//!
//! /// Running total of `x`.
//! #[distributed_scan]
//! fn running_total(x: &[u64], out: &mut [u64]) {
//!     let mut sum = 0;
//!     for i in 0..x.len() {
//!         sum += x[i];
//!         out[i] = sum;
//!     }
//! }
//!
//! #[forall::main]
//! fn main() {
//!     let x = DistVec::from_fn(1_000_000, |i| i as u64);
//!     let mut out = DistVec::zeroed_like(&x);
//!     running_total(&x, &mut out); // also takes &[T], &Vec<T>, &[T; N]
//!     assert_eq!(out.back(), Some(499_999_500_000));
//! }
//! ```
//!
//! A slice parameter is this rank's contiguous share of one long vector, in rank order. [`DistVec`] owns a share. Indices and `.len()` inside
//! an annotated function are those of the whole vector, so the loop is independent of ranks. On one rank with plain slices, the function
//! behaves as without the attribute.
//!
//! | attribute | for |
//! |---|---|
//! | [`foreach`] | a loop that writes elements, each in one iteration |
//! | [`foreach_tls`] | a loop that collects: pushes, a state, scratch buffers |
//! | [`distributed_scan`] | a loop that stores or reads an accumulator in each iteration |
//! | [`kary_reduce`] | a loop that accumulates |
//! | [`distributed_sort`] | a function that calls a sort of the standard library |
//! | [`traverse`] | a recursive function that collects |
//! | [`device`] | a function that loops call on a GPU |
//! | [`DeviceData`] | a struct that loops use on a GPU |
//! | [`main`](macro@main) | the `main` of a program that runs on every rank |
//! | [`test`](macro@test) | a test that runs on every rank |
//!
//! The loop compiler rejects a loop that it cannot prove to be parallel, with a code that [`codes`] explains. The loop as written can still be
//! called as `f::sequential`. `f::PLAN` and `f::EXPLAIN` report the result of the analysis.
//!
//! The [guide] has a page for each subject. Begin with [Getting started](guide::start) and [Which attribute](guide::attributes).
//!
//! # Data
//!
//! | type | data | page |
//! |---|---|---|
//! | `&[T]`, `Vec<T>`, [`DistVec`] | a long vector of [elements](Element) | [Programs on several ranks](guide::ranks) |
//! | arrays and views of `ndarray` | arrays of one to six dimensions, with the feature `ndarray` | [Arrays](guide::arrays) |
//! | [`Blocks`] | pieces that move as a whole, such as regions of a mesh | [Blocks](guide::blocks) |
//! | [`Object`] | arrays without a fixed owner | [Objects](guide::objects) |
//!
//! Elements of slices are plain data of `bytemuck`. With the feature `half`, `f16` and `bf16` of that crate are numbers: loops can sum them. A
//! GPU computes with `f16` as the crate does, in `f32`, and rounds.
//!
//! [`checkpoint`](mod@checkpoint) saves vectors, blocks and objects in one file, which any number of ranks loads.
//!
//! # Settings
//!
//! | variable | values | default | meaning |
//! |---|---|---|---|
//! | `FORALL_BACKEND` | `auto`, `serial`, `threads`, `gpu` | `auto` | the backend that runs the loops of each rank; `auto` is `threads` if that is built in, and with the feature `gpu` the GPU for loops that are expected to run faster there |
//! | `FORALL_THREADS` | 1, 2, 3, .. | the cores given to the rank | the number of threads of each rank |
//! | `FORALL_GPU` | a number from 0, or part of a name | by the rank's number on its machine | the GPU to use |
//! | `FORALL_REQUIRE_GPU` | `0`, `1` | `0` | with `gpu`, a loop that the GPU cannot run is an error; with `gpu` and `auto`, a machine without a GPU is an error |
//! | `FORALL_GRAIN` | 1, 2, 3, .. | from the loop | the number of iterations in a chunk; results of floating-point sums depend on it |
//! | `FORALL_SCHEDULE` | `steal`, `static`, `guided` | `steal` | how the workers of a rank share the iterations of a loop: see [`Schedule`]; no result depends on it |
//! | `FORALL_CACHE` | 0, or a size: `512KiB`, `32MiB` | the last cache of the processor | written elements go past the caches if a loop sets more bytes of them than this, without reading them; no result depends on it |
//! | `FORALL_STRATEGY` | `device`, `arrivals`, `overlapped`, `speculative`, `chunks`, `one-piece` or `in-order`. Several need commas and a `-` each: `-device,-chunks` | all | the [`Strategy`] of all loops. With a `-`, no loop has it. If none is left that is right for a loop, its first right one runs. |
//! | `FORALL_BLOCKS` | 1, 2, 3, ..; or a size: `512MiB`, `4GiB`, `10GB` | all | the number of blocks of each [`Blocks`] that a rank keeps in memory, or their [size](mod@blocks#memory). A number also limits the workers on them. |
//! | `FORALL_STORE` | a folder | the system's for temporary files | the place of the other blocks: a file without a name for each rank |
//! | `FORALL_DIRECTORY` | `hashed`, `root` | `hashed` | the ranks that keep the owners of the boxes of [objects]: all, by a hash of the box, or rank 0 |
//! | `FORALL_PLACEMENT` | `locality`, `round-robin`, `stealing`, or some of `earlier`, `load`, `input`, `intersection` with commas | `locality` | the [`Criteria`] that place tasks on [objects]: `locality` is all of them, in this order. `stealing` moves tasks to ranks that have none left |
//! | `FORALL_EXPLAIN` | `0`, `1` | `0` | print how each annotated loop runs, and why, at its first call, and how many bytes of each array moved between ranks |
//! | `FORALL_VERIFY` | `0`, `1` | `0` | also run the sequential loop for every call and stop at the first difference: any bit of maps and integers, and for sums of floats more than their error bound. On several ranks, compare also the scalars and `#[replicated]` parameters that they pass |
//! | `FORALL_RANKS` | 1, 2, 3, .. | those of the launcher | the number of ranks of the program. If the launcher started another number, the program ends with an error. With 1, each process is an independent program under any launcher, and MPI is not used: for many independent runs by one `srun` or `mpirun` |
//! | `FORALL_STALL` | seconds; `,abort` after them | `60` | the time for which a rank waits for another before it reports this, with the call, the other rank and the awaited message; with `,abort` the program then ends |
//! | `FORALL_TRACE` | a file name | none | write a trace of all ranks and threads that <https://ui.perfetto.dev> opens: each call with its iterations, messages, bytes, and the time for computing and for communicating |
//!
//! `FORALL_VERIFY=1` compares the arguments of the ranks for scalars and for shared references to values that all ranks have,
//! if these are plain data, texts, or types that serde can serialize. It does not compare `&mut` parameters, `self`, closures
//! and other types.
//!
//! A launcher starts processes, and its MPI library connects them. If the program was built with another MPI library or without one, each
//! process finds no other rank. It then ends with exit status 2, and an error names the launcher and the program's MPI library. So does a
//! program whose `main` has no `#[forall::main]`. `FORALL_RANKS=1` states that each process is an independent program.
//!
//! An invalid value is an error that lists the valid ones, with exit status 2. So is a variable that begins with `FORALL_` and is no setting.
//! On several ranks, the settings of rank 0 apply to all. Programs with their own options for these set [`Settings`] and call [`run`].
//!
//! The allocator of the GNU C library keeps up to 256 MiB of freed memory for reuse. `MALLOC_TRIM_THRESHOLD_` and its other
//! settings take precedence.
//!
//! # Ranks
//!
//! With the feature `mpi`, a program that `mpirun` starts runs on all its ranks, and the same binary started alone is a single
//! rank. `#[forall::main]` and `#[forall::test]` start and end the runtime. [`Runtime`] runs ranks as threads of one process,
//! without a launcher. [`rank`] and [`ranks`] return the number of this rank and of all ranks, for messages and files: loops
//! never need them. The guide has pages on [programs on several ranks](guide::ranks) and on [clusters](guide::cluster).
//!
//! A panic on one rank ends all ranks with one message and an exit status other than 0, and so do ranks that make different
//! calls.

mod attributes;
mod backend;
pub mod codes;
pub mod guide;
mod local;
mod outcome;
pub mod requirements;
mod start;
mod testing;

pub use forall_core::accumulate::Merge;
pub use forall_core::blocks::{self, Blocks};
pub use forall_core::checkpoint::{self, CheckpointError, checkpoint, restart};
pub use forall_core::data::{
    Cuts, DistVec, FromRootError, PushTarget, Shaped, ShapedMut, SharePointer, Shared, SharedMut, share,
};
pub use forall_core::element::Element;
pub use forall_core::error::Error;
pub use forall_core::node::Node;
pub use forall_core::objects::{self, Object, barrier};
pub use forall_core::partners;
pub use forall_core::runtime::{backend, rank, ranks};
pub use forall_core::settings::{Backend, Criteria, Directory, Placement, Schedule, Settings, Strategies, Strategy};
pub use local::{Builder, Runtime, on_this_rank};
pub use outcome::Outcome;
pub use start::{run, run_on};

pub use attributes::{
    DeviceData, device, distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce, main, test, traverse,
};

/// The names that most programs use: `use forall::prelude::*;`.
///
/// `main` and `test` are not in the prelude: an attribute `#[test]` would be ambiguous after an import by `*`. Write
/// `#[forall::main]` and `#[forall::test]`.
///
/// ```
/// use forall::prelude::*;
///
/// #[kary_reduce]
/// fn sum(x: &[u64]) -> u64 {
///     let mut sum = 0;
///     for v in x {
///         sum += v;
///     }
///     sum
/// }
///
/// assert_eq!(sum(&DistVec::from_fn(10, |i| i as u64)), 45);
/// ```
pub mod prelude {
    pub use crate::attributes::{
        DeviceData, device, distributed_scan, distributed_sort, foreach, foreach_tls, kary_reduce, traverse,
    };
    pub use crate::{DistVec, Element, Merge};
}

/// The functions that the attributes' expansions call. They are not a public interface, and change without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::requirements::fa042_captured_values_must_be_sync;
    pub use crate::start::{ambient, run_main};
    pub use crate::testing::{TestSpec, run_test};
    pub use forall_core::accumulate::{
        self, add, include, minus, multiply, negative, number, one, plus, subtract, times, zero,
    };
    pub use forall_core::arguments;
    pub use forall_core::blocks;
    pub use forall_core::bounds;
    pub use forall_core::call::Call;
    pub use forall_core::codec;
    pub use forall_core::computed;
    pub use forall_core::data::{PushTarget, Shaped, ShapedMut, Shared, SharedMut};
    pub use forall_core::device;
    pub use forall_core::element::Element;
    pub use forall_core::fold::{self, At, Through, returned};
    pub use forall_core::footprint::{self, Counted, chunks_of, count_on, part_of, step_of, steps_of, windows_of};
    pub use forall_core::gather;
    pub use forall_core::grid::Grid;
    pub use forall_core::meta::{Meta, Use};
    pub use forall_core::objects;
    pub use forall_core::obligations;
    pub use forall_core::parameter::{Input, Output};
    pub use forall_core::partners;
    pub use forall_core::slot;
    pub use forall_core::sort;
    pub use forall_core::traverse;
    pub use forall_core::{
        fa014_this_method_is_taken_to_read, fa017_iterations_share_what_is_in_it,
        fa022_write_braces_around_a_macro_that_is_no_expression, verify, view,
    };

    // Expansions write short paths: most of the time of an expansion goes by its length.
    pub use core::clone::Clone;
    pub use core::ops::Range;
    pub use core::option::Option::{None, Some};
    pub use core::panic::Location;
    pub use core::result::Result::{Err, Ok};

    /// The traits of std whose methods expansions call. Modules with `#![no_implicit_prelude]` do not have them.
    pub mod traits_of_std {
        pub use core::clone::Clone as _;
        pub use core::cmp::{Ord as _, PartialOrd as _};
        pub use core::iter::{ExactSizeIterator as _, Extend as _, IntoIterator as _, Iterator as _};
    }

    /// The names that the expansion of a loop uses: short ones of modules, and traits whose methods it calls. These methods begin with `__`:
    /// rustc rejects a call (E0034) if a trait of the user has a method of the same name for all types.
    pub mod probes {
        pub use forall_core::accumulate::{BitsCompared as _, BitsUnknown as _, Counts as _, NeverOverflows as _};
        pub use forall_core::bounds::{AcceptNumber as _, RefuseNumber as _};
        pub use forall_core::codec::{
            ProbeOption as _, ProbePlain as _, ProbeSerde as _, ProbeStays as _, ProbeTuple as _, ProbeVec as _,
        };
        pub use forall_core::computed as __computed;
        pub use forall_core::device::{self as __device, probes::*};
        pub use forall_core::footprint as __fp;
        pub use forall_core::obligations::tests_of_types::*;
    }
}
