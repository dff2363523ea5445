//! Write the plain sequential loop. Add one line above it. The same function then runs on every core and on every MPI rank.
//! If the annotation is wrong, it does not compile.
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
//! A slice parameter is this rank's contiguous share of one long vector, in rank order; [`DistVec`] owns a share. Indices and
//! `.len()` inside an annotated function are those of the whole vector, so the loop is independent of ranks. On one rank with
//! plain slices, the function behaves as without the attribute.
//!
//! | attribute | for a loop that |
//! |---|---|
//! | [`foreach`] | writes elements, each in one iteration |
//! | [`foreach_tls`] | collects: pushes, a state, scratch buffers |
//! | [`distributed_scan`] | stores or reads an accumulator in each iteration |
//! | [`kary_reduce`] | accumulates |
//! | [`device`] | (above a function that loops call: a GPU runs it too) |
//! | [`DeviceData`] | (above a struct that loops hold: a GPU holds it too) |
//! | [`main`](macro@main) | starts and ends the program on every rank |
//! | [`test`](macro@test) | is a test that runs on every rank |
//!
//! The loop compiler rejects a loop that it cannot prove to be parallel, with a code that [`codes`] explains. The loop as
//! written can still be called as `f::sequential`. `f::PLAN` and `f::EXPLAIN` report the result of the analysis.
//!
//! # Elements
//!
//! Elements of slices are plain data of `bytemuck`. With the feature `half`, `f16` and `bf16` of that crate are numbers: loops
//! can sum them. A GPU computes with `f16` as the crate does, in `f32`, and rounds.
//!
//! # Arrays of several dimensions
//!
//! With the feature `ndarray`, parameters may be arrays and views of that crate, of one to six dimensions: `ArrayView2<T>`,
//! `ArrayViewMut3<T>`, `&Array2<T>`, `&mut Array<T, Ix4>`. A rank passes its planes, cut along the first axis and in standard
//! (row-major) layout. Inside of the function, indices and shape are those of the whole array.
//!
#![cfg_attr(feature = "ndarray", doc = "```")]
#![cfg_attr(not(feature = "ndarray"), doc = "```ignore")]
//! use ndarray::{Array2, ArrayView2, ArrayViewMut2};
//!
//! #[forall::foreach]
//! fn laplace(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
//!     let (ny, nx) = a.dim();
//!     for y in 1..ny - 1 {
//!         for x in 1..nx - 1 {
//!             out[[y, x]] = a[[y - 1, x]] + a[[y + 1, x]] + a[[y, x - 1]] + a[[y, x + 1]] - 4.0 * a[[y, x]];
//!         }
//!     }
//! }
//!
//! let a = Array2::from_shape_fn((30, 40), |(y, x)| (y * y + x) as f64);
//! let mut out = Array2::zeros(a.dim());
//! laplace(a.view(), out.view_mut());
//! assert_eq!(out[[7, 8]], 2.0);
//! ```
//!
//! Elements are indexed as `a[[y, x]]` or `a[(y, x)]`; `dim`, `shape`, `nrows`, `ncols`, `len_of` and `len` read the shape;
//! `iter`, `iter_mut`, `indexed_iter` and `indexed_iter_mut` may be a loop's header. An index along an inner axis stays inside
//! of that axis, or panics as in `ndarray`: even `a[[y, column[y]]]` needs no marker. `#[halo(n)]` counts planes.
//!
//! Parts along the first axis are views of `ndarray`, with all their methods. As the header of a loop: `outer_iter`,
//! `axis_iter(Axis(0))`, `rows` of two dimensions, and their `_mut` forms, alone or in a `zip`. In a loop's body: `row(y)`,
//! `index_axis(Axis(0), z)`, `slice(s![y - 1..=y + 1, ..])` and their `_mut` forms.
//!
#![cfg_attr(feature = "ndarray", doc = "```")]
#![cfg_attr(not(feature = "ndarray"), doc = "```ignore")]
//! use ndarray::{Array2, ArrayView2, ArrayViewMut2};
//!
//! #[forall::foreach]
//! fn differences(a: ArrayView2<f64>, mut out: ArrayViewMut2<f64>) {
//!     for (y, mut row) in out.outer_iter_mut().enumerate().skip(1) {
//!         row.assign(&a.row(y));
//!         row -= &a.row(y - 1);
//!     }
//! }
//!
//! let a = Array2::from_shape_fn((30, 40), |(y, x)| (y * y + x) as f64);
//! let mut out = Array2::zeros(a.dim());
//! differences(a.view(), out.view_mut());
//! assert_eq!(out[[7, 8]], 13.0);
//! ```
//!
//! # Blocks
//!
//! Data that do not form a long vector, such as the regions of a mesh or the bricks of a volume, are [`Blocks`]. There may be
//! more blocks than ranks, and more than fit into memory. A loop over blocks runs on the ranks that own them, on all their
//! threads. Messages between blocks have arrived when the next loop over `iter_mut` begins.
//!
//! ```
//! use forall::{Blocks, blocks::Decomposition, foreach};
//!
//! /// The greatest value around each block, including its own. Blocks without a greater value in a message stay unchanged.
//! #[foreach]
//! fn spread(blocks: &mut Blocks<f32>) -> bool {
//!     let mut changed = false;
//!     for mut block in blocks.iter_mut() {
//!         let before = *block;
//!         for message in block.inbox() {
//!             *block = block.max(message.read());
//!         }
//!         if *block > before {
//!             changed = true;
//!             for link in block.links() {
//!                 let value = *block;
//!                 block.send(link, &value);
//!             }
//!         }
//!     }
//!     changed
//! }
//!
//! #[foreach]
//! fn begin(blocks: &mut Blocks<f32>) {
//!     for mut block in blocks.iter_mut() {
//!         for link in block.links() {
//!             let value = *block;
//!             block.send(link, &value);
//!         }
//!     }
//! }
//!
//! let parts = Decomposition::new([90, 120], 12);
//! let mut blocks = Blocks::over(&parts, |part| part.number as f32);
//! begin(&mut blocks);
//! while spread(&mut blocks) {}
//! assert_eq!(blocks.to_all(), [11.0; 12]);
//! ```
//!
//! # Objects
//!
//! An [`Object`] is an array of one to three dimensions without a fixed owner: the rank that has modified a box last owns it. Ranks get the
//! boxes that they need, and keep copies until another rank modifies them. On one rank, an object is an array.
//!
//! ```
//! use forall::Object;
//!
//! let mut plane = Object::from_fn([40, 60], |[y, x]| (y * x) as f32);
//! let mut view = plane.get_mut([10..20, 0..60]);
//! view[[12, 5]] = 1.0;
//! drop(view);
//! plane.modified([10..20, 0..60]);
//! assert_eq!(plane.get([12..13, 4..7]).elements(), [48.0, 1.0, 72.0]);
//! ```
//!
//! An annotated loop over the tiles of an object runs each tile as a task. The compiler reads off the indices which boxes a task reads and
//! writes. A task runs on the rank that holds most of its input, and the ranks send each other only the elements that are missing:
//!
//! ```
//! use forall::{Object, foreach};
//!
//! #[foreach]
//! fn mean(now: &Object<f32, 2>, next: &mut Object<f32, 2>) {
//!     for tile in next.tiles([16, 16]) {
//!         let [rows, columns] = tile.inside([1, 0]);
//!         for y in rows {
//!             for x in columns.clone() {
//!                 next[[y, x]] = 0.5 * (now[[y - 1, x]] + now[[y + 1, x]]);
//!             }
//!         }
//!     }
//! }
//!
//! let now = Object::from_fn([40, 60], |[y, x]| (y * x) as f32);
//! let mut next = Object::zeroed([40, 60]);
//! mean(&now, &mut next);
//! assert_eq!(next.get([20..21, 3..5]).elements(), [60.0, 80.0]);
//! ```
//!
//! With `FORALL_BACKEND=gpu`, a task is a launch on the GPU, whose threads take the iterations of the loops over its elements. Sums of integers,
//! extrema, histograms and pushed elements are those of the cores. Sums of floats may differ in their last bits, because the GPU adds in another
//! order. `FORALL_EXPLAIN=1` gives the reason if the tasks of a loop run on the cores.
//!
//! A [`Region`](objects::Region) declares the boxes by itself, where no index describes them:
//!
//! ```
//! use forall::Object;
//! use forall::objects::Region;
//!
//! let now = Object::from_fn([40, 60], |[y, x]| (y * x) as f32);
//! let mut next = Object::<f32, 2>::zeroed([40, 60]);
//!
//! let mut region = Region::new("mean", next.tiles([16, 16]));
//! let from = region.reads(&now, |tile| tile.grown([1, 0]));
//! let to = region.writes(&mut next, |tile| tile.ranges());
//! region.run(|task| {
//!     let (from, mut to) = (task.read(&from), task.write(&to));
//!     for y in task.tile().rows() {
//!         for x in task.tile().columns() {
//!             let (above, below) = (y.saturating_sub(1), (y + 1).min(39));
//!             to[[y, x]] = 0.5 * (from[[above, x]] + from[[below, x]]);
//!         }
//!     }
//! });
//! assert_eq!(next.get([20..21, 3..5]).elements(), [60.0, 80.0]);
//! ```
//!
//! # Checkpoints
//!
//! Blocks, vectors and objects save their state in one file, which any number of ranks loads: see [`checkpoint`](mod@checkpoint).
//!
//! ```
//! use forall::{DistVec, checkpoint, foreach, restart};
//!
//! #[foreach]
//! fn cool(heat: &mut [f32]) {
//!     for i in 0..heat.len() {
//!         heat[i] *= 0.99;
//!     }
//! }
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("heat");
//! let (mut step, mut heat) = restart(&path)?.unwrap_or_else(|| (0, DistVec::filled(1000, 20.0)));
//! while step < 300 {
//!     cool(&mut heat);
//!     step += 1;
//!     checkpoint(100, &path, step, &heat)?; // after steps 100, 200 and 300
//! }
//! # Ok::<(), forall::CheckpointError>(())
//! ```
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
//! A launcher starts processes, and its MPI library connects them. If the program was built with another MPI library or without
//! one, each process finds no other rank: it ends with an error that names the launcher and the program's MPI library, with
//! exit status 2. So does a program whose `main` has no `#[forall::main]`. `FORALL_RANKS=1` states that each process is an
//! independent program.
//!
//! An invalid value is an error that lists the valid ones, with exit status 2. So is a variable that begins with `FORALL_` and is no
//! setting. On several ranks, the settings of rank 0 apply
//! to all. Programs with their own options for these set [`Settings`] and call [`run`].
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
    pub use forall_core::footprint::{self, Counted, chunks_of, count_on, part_of, steps_of, windows_of};
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

    /// The names that the expansion of a loop uses: short ones of modules, and traits whose methods it calls.
    pub mod probes {
        pub use forall_core::accumulate::{Counts as _, NeverOverflows as _};
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
