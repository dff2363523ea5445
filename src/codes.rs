//! The codes in the messages of the attributes: the rejected code, the reason, and a remedy.
//!
//! FA001 to FA031, FA034, FA035, and FA050 to FA053 come from the loop compiler, FA032, FA033, and FA040 to FA043 from the
//! types of a loop (FA041 at run time), FA060 to FA067 from calls. A code keeps its meaning in all versions.
//!
//! The help of a message keeps the result of the function: another attribute, a marker, or a change of the loop, with which the compiler
//! has checked the function again. If none passes, the loop is sequential as written, and the help says which attribute to remove. The
//! pages show further forms, which may compute something else.

/// Not a function that can be annotated.
///
/// # Rejected code
/// The attribute is above an item that is not a function with a body, or above a function that is `async`, `const`, variadic or
/// of a foreign calling convention.
///
/// # Reason
/// The attribute rewrites a loop in a body, and makes the function's slice parameters generic, so that callers may pass a
/// `DistVec`. An `async` function could be suspended inside the loop, a `const` one runs at compile time, and callers in C do
/// not support generic parameters.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// struct Field {
///     values: Vec<f64>,
/// }
/// ```
///
/// # Remedy
/// Put the attribute above a free function or an inherent method, and call it from the `async` or `extern` one. An attribute
/// cannot see that it is in an `impl` block. So a function there that does not take `self` needs `#[foreach(associated)]`.
/// Without `associated`, the compiler reports that a struct "is not supported in `trait`s or `impl`s".
/// ```
/// struct Field {
///     scale: f64,
/// }
///
/// impl Field {
///     #[forall::foreach]
///     fn stretch(&self, values: &mut [f64]) {
///         for v in values.iter_mut() {
///             *v *= self.scale;
///         }
///     }
///
///     #[forall::foreach(associated)]
///     fn double(values: &mut [f64]) {
///         for v in values.iter_mut() {
///             *v *= 2.0;
///         }
///     }
/// }
/// ```
pub const FA001: &str = "not a function that can be annotated";

/// An unknown, repeated or malformed argument of an attribute.
///
/// # Rejected code
/// The attribute does not have an argument of this name, the argument occurs twice, or its value is not allowed.
///
/// # Reason
/// A misspelt argument that is silently ignored would change the behaviour of the program.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce(arity = 8)]
/// fn total(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for i in 0..x.len() {
///         sum += x[i];
///     }
///     sum
/// }
/// ```
///
/// # Remedy
/// All attributes for functions have `explain`, `associated` and `crate = path`, and those for loops `grain = 1024`. `#[foreach_tls]` has
/// `init = path` and `merge = path` (together), and `merge_all = path`. `#[distributed_scan]` has `combine = path` and `k = 8`.
/// `#[kary_reduce]` has these two, `identity = PATH`, `algorithm = word` with `regions`, `radices` or `slices`, `root = 0` and `order = name`.
/// `#[traverse]` has `init`, `merge`, `combine`, `depth = 1000` and `local`.
/// ```
/// #[forall::kary_reduce(k = 8)]
/// fn total(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for i in 0..x.len() {
///         sum += x[i];
///     }
///     sum
/// }
/// ```
pub const FA002: &str = "an unknown, repeated or malformed argument of an attribute";

/// A signature that cannot be distributed.
///
/// # Rejected code
/// A parameter or the returned type cannot stay as it is if the slices are distributed over ranks. It is a slice in a pattern, or a
/// slice bound as `mut` or under another name (`let y = &x[..]`). Or it is an array of `ndarray` by value or with a variable
/// number of dimensions, or a returned reference to an element.
///
/// # Reason
/// The compiler cannot track a slice without a name of its own through the
/// loop. An array by value no longer exists after the call, and the element of an index depends on the dimensions. An element
/// may be on another rank, so no reference can point to it.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn add((x, y): (&[f64], &[f64]), out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[i] + y[i];
///     }
/// }
/// ```
///
/// # Remedy
/// Take each slice as a parameter of its own, arrays as `ArrayView2<T>` or `&mut Array2<T>`, and return values or indices.
/// ```
/// #[forall::foreach]
/// fn add(x: &[f64], y: &[f64], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[i] + y[i];
///     }
/// }
/// ```
pub const FA003: &str = "a signature that cannot be distributed";

/// No loop to annotate.
///
/// # Rejected code
/// The function has no `for` loop outside of closures and macros.
///
/// # Reason
/// There are no iterations to run in parallel, so the attribute is probably above the wrong function.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn clear(x: &mut [f64]) {
///     x.fill(0.0);
/// }
/// ```
///
/// # Remedy
/// Write the loop, or remove the attribute.
/// ```
/// #[forall::foreach]
/// fn clear(x: &mut [f64]) {
///     for v in x.iter_mut() {
///         *v = 0.0;
///     }
/// }
/// ```
pub const FA004: &str = "no loop to annotate";

/// A loop header that is not a counted loop.
///
/// # Rejected code
/// The `for` loop does not iterate over a range or over slices, with a known number of items that can each be reached by its
/// number. Or, at run time, the counter of a `while` loop inside (`while j < n { ..; j += 10; }`) overflows: in a build without
/// overflow checks, it would continue from the least number. Give it a larger type.
///
/// # Reason
/// Iterations are divided into chunks before any of them runs, so their number must be known, and each must be reachable
/// without the previous ones. `skip_while` and `take_while` read the data first.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn sum_of_rest(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for v in x.iter().skip_while(|v| **v > 0.0) {
///         sum += v;
///     }
///     sum
/// }
/// ```
///
/// # Remedy
/// Loop over `a..b`, `a..=b`, `&x`, `x.iter()`, `x.iter_mut()`, `x.chunks_exact(n)`, `x.windows(n)`, with `rev`, `step_by`,
/// `zip`, `enumerate`, `skip` and `take`, and behind these `filter`, `map`, `filter_map` and `flat_map`. Skip other items by `continue` or `if`.
/// ```
/// #[forall::kary_reduce]
/// fn sum_of_rest(x: &[f64]) -> f64 {
///     let first = x.iter().position(|v| *v <= 0.0).unwrap_or(x.len());
///     let mut sum = 0.0;
///     for v in x[first..].iter() {
///         sum += v;
///     }
///     sum
/// }
/// ```
pub const FA005: &str = "a loop header that is not a counted loop";

/// A loop-carried dependence.
///
/// # Rejected code
/// An iteration reads an element of a slice, or a variable outside of the loop, that another iteration writes.
///
/// # Reason
/// Iterations run at the same time and in any order, so the value that is read would depend on timing.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn smooth(x: &mut [f64]) {
///     for i in 1..x.len() - 1 {
///         x[i] = 0.5 * (x[i - 1] + x[i + 1]);
///     }
/// }
/// ```
///
/// The distance may be a constant from outside of the function: rustc then evaluates it at the call of the function.
/// ```compile_fail
/// const DISTANCE: usize = 1;
///
/// #[forall::foreach]
/// fn shift(x: &mut [f64]) {
///     for i in 0..x.len() - DISTANCE {
///         x[i] = x[i + DISTANCE];
///     }
/// }
///
/// shift(&mut [0.0; 10]);
/// ```
///
/// # Remedy
/// If later iterations write the element, read it from a copy from before the loop (`let old_x = x.to_vec();`). If earlier iterations write
/// it, a copy computes something else: a Jacobi sweep in place of a Gauss-Seidel sweep. Under `#[distributed_scan]`, a value may come from the
/// previous iteration through an associative operator. If only an inner loop is parallel, put `#[sequential]` above the outer one. All other
/// loops are sequential: remove the attribute.
/// ```
/// #[forall::foreach]
/// fn smooth(x: &[f64], out: &mut [f64]) {
///     for i in 1..x.len() - 1 {
///         out[i] = 0.5 * (x[i - 1] + x[i + 1]);
///     }
/// }
/// ```
pub const FA010: &str = "a loop-carried dependence";

/// Writes that overlap between iterations.
///
/// # Rejected code
/// Two iterations write the same element.
///
/// # Reason
/// The final value would depend on which thread is faster.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn halves(x: &[f64], out: &mut [f64]) {
///     for i in 0..x.len() {
///         out[i / 2] = x[i];
///     }
/// }
/// ```
///
/// # Remedy
/// Write at `a * i + b`, with `a` and `b` the same in all iterations. To accumulate into the same element, write `out[k] += e`
/// under `#[kary_reduce]`: that is a histogram.
/// ```
/// #[forall::foreach]
/// fn odd_half(x: &[f64], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[2 * i + 1];
///     }
/// }
/// ```
pub const FA011: &str = "writes that overlap between iterations";

/// A write at an index that depends on data.
///
/// # Rejected code
/// The index of a written element is computed from data, or the whole slice is passed to code that may write any of its
/// elements, in a loop or outside of it (`out.sort()`).
///
/// # Reason
/// The compiler cannot prove that two iterations never select the same element, nor determine which rank owns it.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn keep_positive(x: &[f64], out: &mut [f64]) {
///     let mut count = 0;
///     for i in 0..x.len() {
///         if x[i] > 0.0 {
///             out[count] = x[i];
///             count += 1;
///         }
///     }
/// }
/// ```
///
/// # Remedy
/// Write at an index that is computed from the loop variable. To keep some of the elements, push them. To accumulate at indices
/// that depend on data, write `h[k] += e`. To write at these indices in the order of the iterations, mark the parameter
/// (`#[scatter] out: &mut [f64]`).
/// ```
/// #[forall::foreach_tls]
/// fn keep_positive(x: &[f64], out: &mut Vec<f64>) {
///     for i in 0..x.len() {
///         if x[i] > 0.0 {
///             out.push(x[i]);
///         }
///     }
/// }
/// ```
pub const FA012: &str = "a write at an index that depends on data";

/// A last value that is lost.
///
/// # Rejected code
/// Every iteration sets and reads a variable, and later code reads it; or calls of a traversal set a variable.
///
/// # Reason
/// If each iteration sets a variable on every path before it reads it, each iteration has a variable of its own. Its value is dropped when
/// the iteration ends. An example is `let mut t;` before the loop, and `t = x[i * n + j];` in it, also in inner loops and branches. The
/// same holds for buffers that each iteration clears or fills, one for each worker. None of these values is that of the last iteration.
/// Calls of a traversal have no last one.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn squares(x: &[f64], out: &mut [f64]) -> f64 {
///     let mut square = 0.0;
///     for i in 0..x.len() {
///         square = x[i] * x[i];
///         out[i] = square;
///     }
///     square
/// }
/// ```
///
/// # Remedy
/// Declare the variable inside the loop, and set another one if you need the last value. If iterations only set a variable,
/// under a condition or not, it has the value of the last iteration that did.
/// ```
/// #[forall::foreach]
/// fn squares(x: &[f64], out: &mut [f64]) -> f64 {
///     let mut last = 0.0;
///     for i in 0..x.len() {
///         let square = x[i] * x[i];
///         out[i] = square;
///         last = square;
///     }
///     last
/// }
/// assert_eq!(squares(&[1.0, 2.0, 3.0], &mut [0.0; 3]), 9.0);
/// ```
pub const FA013: &str = "a last value that is lost";

/// An accumulator that the loop reads.
///
/// # Rejected code
/// The loop reads a variable, a histogram, a target of pushes or a state while its iterations are still adding to it. The result of
/// a method (`if seen.insert(v)`) reads it too. Or an iteration removes values that others have added (`out.pop()`).
///
/// # Reason
/// The contents depend on earlier iterations, and a chunk does not know those.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn fill_up(x: &[f64], limit: f64) -> f64 {
///     let mut sum = 0.0;
///     for i in 0..x.len() {
///         if sum + x[i] < limit {
///             sum += x[i];
///         }
///     }
///     sum
/// }
/// ```
///
/// # Remedy
/// Read it after the loop. Under `#[distributed_scan]`, a loop may store a scan state, and compute another one from it. But the
/// update of a state must not depend on the state itself.
/// ```
/// #[forall::distributed_scan]
/// fn fitting(x: &[f64], limit: f64, so_far: &mut [f64]) -> usize {
///     let (mut sum, mut count) = (0.0, 0);
///     for i in 0..x.len() {
///         sum += x[i];
///         if sum < limit {
///             count += 1;
///         }
///         so_far[i] = sum;
///     }
///     count
/// }
/// ```
pub const FA014: &str = "an accumulator that the loop reads";

/// An operator that is not associative.
///
/// # Rejected code
/// A variable is updated by an operation for which `(a op b) op c` may differ from `a op (b op c)`.
///
/// # Reason
/// Chunks of iterations are computed separately and then merged, which regroups the operations. `saturating_add` is associative
/// for unsigned numbers only: signed numbers have two limits, and the part that is cut off at one of them is missing on the way
/// to the other.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn alternating(x: &[f64]) -> f64 {
///     let mut acc = 0.0;
///     for i in 0..x.len() {
///         acc = x[i] - acc;
///     }
///     acc
/// }
/// ```
///
/// # Remedy
/// Use `+`, `*`, `&`, `|`, `^`, `&&`, `||`, `min` or `max`; name an associative function of your own by `combine = path`; or
/// use `#[distributed_scan]`, which accepts linear recurrences `acc = a * acc + b`.
/// ```
/// #[forall::distributed_scan]
/// fn alternating(x: &[f64]) -> f64 {
///     let mut acc = 0.0;
///     for i in 0..x.len() {
///         acc = x[i] - acc;
///     }
///     acc
/// }
/// assert_eq!(alternating(&[1.0, 2.0, 4.0]), 3.0);
/// ```
pub const FA015: &str = "an operator that is not associative";

/// An accumulator with several operators.
///
/// # Rejected code
/// One variable is updated with different operators in the same loop.
///
/// # Reason
/// Each operator is associative, but a mixture of them is not, except for sums with `*`, `max` or `min`.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn mixed(x: &[i64]) -> i64 {
///     let mut acc = 0;
///     for i in 0..x.len() {
///         acc += x[i];
///         acc |= 1;
///     }
///     acc
/// }
/// ```
///
/// # Remedy
/// Use one variable for each operator.
/// ```
/// #[forall::kary_reduce]
/// fn mixed(x: &[i64]) -> (i64, i64) {
///     let mut sum = 0;
///     let mut bits = 1;
///     for i in 0..x.len() {
///         sum += x[i];
///         bits |= x[i];
///     }
///     (sum, bits)
/// }
/// ```
pub const FA016: &str = "an accumulator with several operators";

/// A state that iterations share.
///
/// # Rejected code
/// The loop changes a variable in a way that is neither a reduction nor a push, such as `pop` or `insert`. Or it uses a value that
/// all iterations can change: a lock, an atomic, a channel.
///
/// # Reason
/// All iterations share the variable, and would see each other's changes.
///
/// # Checked cases
/// `rustc` checks the type of each value that a body reaches from outside: captured variables and statics, their fields,
/// variables in patterns, results of methods and functions, and items of iterators. This includes the closures of sorts and the
/// calls of a traversal. A type must not contain an atomic, a lock, a cell or a channel, also not in boxes, references, vectors
/// and maps. The types of a generic function, or of a method, are checked when a program calls it; the message then names
/// `FA017_ITERATIONS_SHARE_NOTHING`:
/// ```compile_fail
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// trait Next: Sync {
///     fn next(&self) -> u64;
/// }
///
/// struct Counter(AtomicU64);
///
/// impl Next for Counter {
///     fn next(&self) -> u64 {
///         self.0.fetch_add(1, Ordering::Relaxed)
///     }
/// }
///
/// #[forall::foreach]
/// fn numbered<N: Next>(out: &mut [u64], of: &N) {
///     for i in 0..out.len() {
///         out[i] = of.next();
///     }
/// }
///
/// numbered(&mut [0; 3], &Counter(AtomicU64::new(0)));
/// ```
///
/// `self` has the type of the `impl`, which the attribute does not see either:
/// ```compile_fail
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// struct Counter(AtomicU64);
///
/// impl Counter {
///     fn next(&self) -> u64 {
///         self.0.fetch_add(1, Ordering::Relaxed)
///     }
///
///     #[forall::foreach]
///     fn numbered(&self, out: &mut [u64]) {
///         for i in 0..out.len() {
///             out[i] = self.next();
///         }
///     }
/// }
///
/// Counter(AtomicU64::new(0)).numbered(&mut [0; 3]);
/// ```
///
/// # Limits of the check
/// `forall` does not look inside the functions that a loop calls. You guarantee that they return the same result for the same
/// arguments, on every thread and rank, and that they do not change values that another iteration reads. This holds for:
/// - Functions and methods that use a `static`, a thread-local, a file or the clock.
/// - Callbacks and trait objects that are arguments: `f: impl Fn(f64) -> f64`, `&dyn Fn(f64) -> f64`, `Box<dyn Shape>`.
/// - Methods of a type with a private lock or atomic behind a reference or a box (`struct Counter<'a>(&'a AtomicU64)`).
///
/// `FORALL_VERIFY=1` finds most violations: it also runs the sequential loop for each call, and compares the results.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn distinct(x: &[u32], seen: &mut std::collections::BTreeSet<u32>) {
///     for i in 0..x.len() {
///         seen.insert(x[i]);
///     }
/// }
/// ```
///
/// # Remedy
/// If the order of the changes matters, as for random numbers, the loop is sequential: remove the attribute. Otherwise collect into a state
/// of each worker, and define how two states merge: implement `forall::Merge`, or name two functions.
/// ```
/// use std::collections::BTreeSet;
///
/// fn merge(all: &mut BTreeSet<u32>, more: BTreeSet<u32>) {
///     all.extend(more);
/// }
///
/// #[forall::foreach_tls(init = BTreeSet::new, merge = merge)]
/// fn distinct(x: &[u32]) -> BTreeSet<u32> {
///     let mut seen = BTreeSet::new();
///     for i in 0..x.len() {
///         seen.insert(x[i]);
///     }
///     seen
/// }
/// ```
pub const FA017: &str = "a state that iterations share";

/// A scratch buffer that is read before it is written.
///
/// # Rejected code
/// An iteration may read a buffer outside of the loop, which later code does not read, before the iteration has written it: on
/// at least one path, or in part. `truncate` and `resize` keep elements, and `fill` keeps the length. Or a function gets the buffer as
/// `&mut Vec<T>` after `fill`: it may change the length.
///
/// # Reason
/// Each worker has its own buffer, so its contents depend on the earlier iterations of the same worker.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn medians(x: &[f64], out: &mut [f64]) {
///     let mut buffer = vec![0.0; 3];
///     for i in 1..x.len() - 1 {
///         buffer.swap(0, 1);
///         buffer[2] = x[i];
///         out[i] = buffer[1];
///     }
/// }
/// ```
///
/// # Remedy
/// If no iteration needs what earlier ones left in the buffer, clear or fill it at the start of every iteration, on every path. Otherwise the
/// loop is sequential. A loop over its whole length that sets each element fills it
/// too. Functions that get a filled buffer take a slice (`&mut [T]`); otherwise set the length as well (`x.clear(); x.resize(n, 0.0);`).
/// ```
/// #[forall::foreach_tls]
/// fn medians(x: &[f64], out: &mut [f64]) {
///     let mut buffer = vec![0.0; 3];
///     for i in 1..x.len() - 1 {
///         buffer.clear();
///         buffer.extend_from_slice(&x[i - 1..i + 2]);
///         buffer.sort_by(f64::total_cmp);
///         out[i] = buffer[1];
///     }
/// }
/// ```
pub const FA018: &str = "a scratch buffer that is read before it is written";

/// Control flow that leaves the loop.
///
/// # Rejected code
/// An iteration ends the annotated loop by `break`, `return`, `?` or a label, and the loop leaves more than accumulated values: written
/// elements, pushes, a histogram or a scan. Or values so far decide about the exit (`if sum > limit { break; }`). Or the exit is no
/// statement of its own (`?`), or returns a value that is no plain data. Or the body calls a macro of yours, which may end the loop too.
///
/// # Reason
/// Iterations that run at the same time cannot know that an earlier one has ended the loop. Accumulated values of later chunks can be
/// dropped, so `#[kary_reduce]` accepts `break` and `return`. Elements that later iterations have written cannot be restored, and a chunk does
/// not know the values before it.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn roots(x: &[f64], out: &mut [f64]) {
///     for i in 0..x.len() {
///         if x[i] < 0.0 {
///             break;
///         }
///         out[i] = x[i].sqrt();
///     }
/// }
/// ```
///
/// # Remedy
/// Compute the end of the loop first, and then loop up to there. `break` out of inner loops is always allowed.
/// ```
/// #[forall::kary_reduce]
/// fn first_negative(x: &[f64]) -> usize {
///     for i in 0..x.len() {
///         if x[i] < 0.0 {
///             return i;
///         }
///     }
///     x.len()
/// }
///
/// #[forall::foreach]
/// fn roots(x: &[f64], out: &mut [f64], end: usize) {
///     for i in 0..end {
///         out[i] = x[i].sqrt();
///     }
/// }
/// let (x, mut out) = ([1.0, 4.0, -1.0, 9.0], [0.0; 4]);
/// roots(&x, &mut out, first_negative(&x));
/// assert_eq!(out, [1.0, 2.0, 0.0, 0.0]);
/// ```
pub const FA020: &str = "control flow that leaves the loop";

/// `while` or `loop` as the annotated loop.
///
/// # Rejected code
/// The only loop of the function is a `while` or a `loop` that does not count by a fixed step.
///
/// # Reason
/// The number of its iterations is unknown before it runs, so it cannot be divided into chunks. A `while` that only counts,
/// `while i < x.len() { ..; i += 1; }`, is read as a `for` loop.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn double(x: &mut [f64]) {
///     let mut i = 0;
///     while i < x.len() {
///         x[i] *= 2.0;
///         i += if x[i] > 1.0 { 1 } else { 2 };
///     }
/// }
/// ```
///
/// # Remedy
/// Write a counted `for` loop. `while` and `loop` are allowed inside of its body, and around it. If the number of iterations depends on
/// the iterations, the loop is sequential: remove the attribute.
/// ```
/// #[forall::foreach]
/// fn double(x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= 2.0;
///     }
/// }
/// ```
pub const FA021: &str = "`while` or `loop` as the annotated loop";

/// Code that the compiler cannot analyse.
///
/// # Rejected code
/// The function contains one of these:
/// - `#[cfg(..)]` inside of it, an import by `*`, an item with the name of a variable, or a pattern with `ref mut`.
/// - A loop that declares or imports the function by which it updates a variable.
/// - A macro as a pattern, a macro as a statement that may bind names or define items, or an item with the name of a macro of the
///   standard library.
/// - A loop over the elements of a type that lends them by its own functions (`Deref`, `DerefMut`, `Index`). The loop is divided by
///   indices into a slice, and those functions may have side effects, or lend other elements.
/// - A statement outside of the loops that inspects the type of a slice (`size_of_val(x)`) instead of its contents. Inside of the
///   function, a handle replaces the slice.
///
/// Or a name has another meaning than the compiler assumed. It reads the names of some functions (`zip`, `cmp::min`), types
/// (`u64`, `Vec`, `Some`) and macros as those of the standard library. It reads the methods of slices and vectors (`len`, `iter`,
/// `fill`) as inherent ones. Each such assumption is checked by rustc. It rejects a function `zip` of yours, an alias `type u64 = u8`,
/// or a trait in scope if rustc would call its method `len` in place of the slice's own.
///
/// # Limits of the check
/// A generic function of yours that takes references to any type (`fn f<T: ?Sized>(_: &T)`) gets that handle, if a statement
/// outside of the loops calls it with a parameter. Pass it the slice: `f(&x[..])`.
///
/// # Reason
/// The attribute runs before the compiler removes disabled code and resolves names. Its assumptions could be wrong.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn scaled(x: &[f64], out: &mut [f64]) {
///     for i in 0..x.len() {
///         #[cfg(unix)]
///         let factor = 2.0;
///         #[cfg(not(unix))]
///         let factor = 3.0;
///         out[i] = factor * x[i];
///     }
/// }
/// ```
///
/// # Remedy
/// Put `#[cfg(..)]` above the function, or write `cfg!(..)`. Name each import. Give items and variables different names. Write
/// braces around a macro that is more than one expression (`{ log!(i); }`): there, it cannot change the meaning of other names.
/// Write `&mut` before the value in place of `ref mut`. Borrow the elements once, before the loop: `let rows = &mut rows[..];`.
/// Give your own function, type or method another name, and move items of inner blocks before the function.
/// ```
/// #[forall::foreach]
/// fn scaled(x: &[f64], out: &mut [f64]) {
///     for i in 0..x.len() {
///         let factor = if cfg!(unix) { 2.0 } else { 3.0 };
///         out[i] = factor * x[i];
///     }
/// }
/// ```
pub const FA022: &str = "code that the compiler cannot analyse";

/// Blocks in another use than a loop over them.
///
/// # Rejected code
/// The function uses [`Blocks`](crate::Blocks) other than by iterating over them in the header of a parallel loop, or by
/// reading their number. Or a loop over blocks pushes elements from the last block to the first (`.rev()`).
///
/// # Reason
/// Each block is on one rank, and may be spilled to its disk: an iteration can only access its own block. Pushed elements stay on the rank
/// of their block, in the order of the ranks.
///
/// # Example
/// ```compile_fail
/// use forall::Blocks;
///
/// #[forall::foreach_tls]
/// fn long_ones(blocks: &Blocks<Vec<f64>>, found: &mut Vec<usize>) {
///     for block in blocks.iter().rev() {
///         if block.len() > 10 {
///             found.push(block.number());
///         }
///     }
/// }
/// ```
///
/// # Remedy
/// Go through the blocks from the first to the last. Send data that another block needs as a message.
/// ```
/// use forall::Blocks;
///
/// #[forall::foreach_tls]
/// fn long_ones(blocks: &Blocks<Vec<f64>>, found: &mut Vec<usize>) {
///     for block in blocks.iter() {
///         if block.len() > 10 {
///             found.push(block.number());
///         }
///     }
/// }
///
/// let blocks = Blocks::from_fn(3, |number| vec![0.0; 10 * number]);
/// let mut found = Vec::new();
/// long_ones(&blocks, &mut found);
/// assert_eq!(found, [2]);
/// ```
pub const FA023: &str = "blocks in another use than a loop over them";

/// An object that the tasks of a loop use in a way that they cannot.
///
/// # Rejected code
/// In a loop over the tiles of an [object](crate::Object), an iteration is a task. The code is raised if
///
/// - a task uses an object other than by its elements, `now[[y, x]]`;
/// - a task writes elements that a neighbouring task reads or writes;
/// - tasks depend on values that earlier tasks leave, as in a scan;
/// - tasks access a distributed slice;
/// - a [`barrier`](crate::barrier) stands in a branch or in an inner loop;
/// - a task changes a view, `object.get_mut(range)`, and declares nothing as modified.
///
/// # Reason
/// Tasks run at the same time, each on the rank that has most of its input. Before they run, the ranks send the elements that tasks lack. So
/// the compiler must see which elements these are, and no task may access what another one writes.
///
/// # Example
/// ```compile_fail
/// use forall::{Object, foreach};
///
/// #[foreach]
/// fn relaxed(plane: &mut Object<f64, 2>) {
///     for tile in plane.tiles([64, 64]) {
///         let [rows, columns] = tile.inside([1, 1]);
///         for y in rows {
///             for x in columns.clone() {
///                 plane[[y, x]] = 0.5 * (plane[[y - 1, x]] + plane[[y + 1, x]]);
///             }
///         }
///     }
/// }
/// ```
///
/// # Remedy
/// Read one object and write another, and exchange the two after the loop. Mark a slice `#[replicated]` if every rank has all of it.
/// ```
/// use forall::{Object, foreach};
///
/// #[foreach]
/// fn relaxed(now: &Object<f64, 2>, next: &mut Object<f64, 2>) {
///     for tile in next.tiles([64, 64]) {
///         let [rows, columns] = tile.inside([1, 1]);
///         for y in rows {
///             for x in columns.clone() {
///                 next[[y, x]] = 0.5 * (now[[y - 1, x]] + now[[y + 1, x]]);
///             }
///         }
///     }
/// }
///
/// let now = Object::from_fn([9, 7], |[y, _]| (y * y) as f64);
/// let mut next = Object::zeroed([9, 7]);
/// relaxed(&now, &mut next);
/// assert_eq!(next[[3, 2]], 10.0);
/// ```
pub const FA024: &str = "an unsupported use of an object by tasks";

/// A loop over blocks that receives in a form that has no waves.
///
/// # Rejected code
/// A loop calls [`block.receive()`](crate::blocks::BlockMut::receive) or
/// [`block.is_first_visit()`](crate::blocks::BlockMut::is_first_visit), and goes through more than the blocks
/// (`blocks.iter_mut().zip(..)`, `.enumerate()`, `.rev()`), or it also takes messages by [`block.inbox()`](crate::blocks::BlockMut::inbox).
///
/// # Reason
/// A loop that receives visits a block again when messages have come, so its iterations have no fixed number and no fixed order in which
/// another iterator could go along.
///
/// # Example
/// ```compile_fail
/// # use forall::blocks::Blocks;
/// #[forall::foreach]
/// fn counted(blocks: &mut Blocks<u64>, count: &mut [u64]) {
///     for (block, count) in blocks.iter_mut().zip(count.iter_mut()) {
///         while let Some(message) = block.receive() {
///             *count += message.read::<u64>();
///         }
///     }
/// }
/// ```
///
/// # Remedy
/// Keep what belongs to a block in the block.
/// ```
/// # use forall::blocks::Blocks;
/// #[forall::foreach]
/// fn counted(blocks: &mut Blocks<u64>) {
///     for mut block in blocks.iter_mut() {
///         while let Some(message) = block.receive() {
///             *block += message.read::<u64>();
///         }
///     }
/// }
/// # counted(&mut Blocks::from_fn(2, |_| 0));
/// ```
pub const FA025: &str = "an unsupported loop that receives";

/// A loop of another class than that of the attribute.
///
/// # Rejected code
/// The loop is parallel, but not in the way that the attribute states: a scan under `#[kary_reduce]`, a push under
/// `#[foreach]`.
///
/// # Reason
/// The attribute states the user's intention for the loop. If the two differ, either the attribute or the loop is wrong.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn running_total(x: &[u64], out: &mut [u64]) {
///     let mut sum = 0;
///     for i in 0..x.len() {
///         sum += x[i];
///         out[i] = sum;
///     }
/// }
/// ```
///
/// # Remedy
/// Use the attribute that the message names.
/// ```
/// #[forall::distributed_scan]
/// fn running_total(x: &[u64], out: &mut [u64]) {
///     let mut sum = 0;
///     for i in 0..x.len() {
///         sum += x[i];
///         out[i] = sum;
///     }
/// }
/// ```
pub const FA030: &str = "a loop of another class than that of the attribute";

/// A body that is not a sort.
///
/// # Rejected code
/// `#[distributed_sort]` is above a function that calls none of std's sorts, calls one on a variable that is not a parameter,
/// calls it inside of another statement, or uses its slices in another way.
///
/// # Reason
/// Each rank has a share of the slice. All ranks sort the whole slice together. The contents of a part of the slice are known
/// only afterwards, and on another rank.
///
/// # Example
/// ```compile_fail
/// #[forall::distributed_sort]
/// fn order(x: &mut [u64], downwards: bool) {
///     if downwards {
///         x.sort_by(|a, b| b.cmp(a));
///     } else {
///         x.sort();
///     }
/// }
/// ```
///
/// # Remedy
/// Write a function that is one call on a parameter `x: &mut [T]` or `x: &mut Vec<T>`: `x.sort()`, `sort_by`, `sort_by_key`,
/// `sort_by_cached_key` or the unstable form of one. Put variations into the comparison, and other steps into separate
/// functions.
/// ```
/// #[forall::distributed_sort]
/// fn order(x: &mut [u64], downwards: bool) {
///     x.sort_by(|a, b| if downwards { b.cmp(a) } else { a.cmp(b) });
/// }
/// ```
pub const FA031: &str = "a body that is not a sort";

/// An operator of a type that forall does not know.
///
/// # Rejected code
/// A loop accumulates into a user-defined type by `+=`, `*=`, `max`, `min`, a comparison or another operator; or by a function
/// of yours that has the name of a function of the standard library.
///
/// # Reason
/// Accumulation in chunks needs an associative operator, and a sum also needs its identity. For an operator of a user-defined
/// type, `forall` cannot know that. Comparisons of tuples with a float behind their first part, and of options and arrays of floats, are not
/// associative: `(1.0, NAN)` compares with `(0.0, 1.0)` and not with `(1.0, 1.0)`.
///
/// # Example
/// ```compile_fail
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Metres(f64);
///
/// impl std::ops::AddAssign for Metres {
///     fn add_assign(&mut self, more: Metres) {
///         self.0 += more.0;
///     }
/// }
///
/// #[forall::kary_reduce]
/// fn total(x: &[Metres]) -> f64 {
///     let mut sum = Metres(0.0);
///     for i in 0..x.len() {
///         sum += x[i];
///     }
///     sum.0
/// }
/// ```
///
/// # Remedy
/// Write the operator as a function, and declare by `combine` that it is associative.
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Metres(f64);
///
/// fn add(a: Metres, b: Metres) -> Metres {
///     Metres(a.0 + b.0)
/// }
///
/// #[forall::kary_reduce(combine = add)]
/// fn total(x: &[Metres]) -> f64 {
///     let mut sum = Metres(0.0);
///     for i in 0..x.len() {
///         sum = add(sum, x[i]);
///     }
///     sum.0
/// }
/// ```
pub const FA032: &str = "an operator of a type that forall does not know";

/// A state without `Merge`.
///
/// # Rejected code
/// A loop under `#[foreach_tls]` collects into a state whose type does not define a merge; or into the entries of a map whose
/// values forall cannot merge, such as sums of floats.
///
/// # Reason
/// Each worker fills its own state, but the function returns a single one.
///
/// # Example
/// ```compile_fail
/// struct Extent {
///     all: Vec<f64>,
/// }
///
/// impl Extent {
///     fn add(&mut self, v: f64) {
///         self.all.push(v);
///     }
/// }
///
/// #[forall::foreach_tls]
/// fn extent(x: &[f64]) -> usize {
///     let mut extent = Extent { all: Vec::new() };
///     for i in 0..x.len() {
///         extent.add(x[i]);
///     }
///     extent.all.len()
/// }
/// ```
///
/// # Remedy
/// Implement `forall::Merge`, or name two functions: `#[foreach_tls(init = path, merge = path)]`.
/// ```
/// struct Extent {
///     all: Vec<f64>,
/// }
///
/// impl Extent {
///     fn add(&mut self, v: f64) {
///         self.all.push(v);
///     }
/// }
///
/// impl forall::Merge for Extent {
///     fn fresh() -> Self {
///         Extent { all: Vec::new() }
///     }
///     fn merge(&mut self, mut later: Self) {
///         self.all.append(&mut later.all);
///     }
/// }
///
/// #[forall::foreach_tls]
/// fn extent(x: &[f64]) -> usize {
///     let mut extent = Extent { all: Vec::new() };
///     for i in 0..x.len() {
///         extent.add(x[i]);
///     }
///     extent.all.len()
/// }
/// ```
pub const FA033: &str = "a state without `Merge`";

/// A function that is not a traversal.
///
/// # Rejected code
/// `#[traverse]` is above a function that does not call itself, that returns a value, or that calls itself in a closure or by
/// another name.
///
/// # Reason
/// A traversal makes the calls for the children of a node in any order, on any thread. A caller would have to wait for a
/// returned value. And for a closure, the time and number of its calls are unknown.
///
/// # Example
/// ```compile_fail
/// #[forall::traverse]
/// fn size(#[replicated] children: &[Vec<usize>], at: usize) -> u64 {
///     let mut sum = 1;
///     for &child in &children[at] {
///         sum += size(children, child);
///     }
///     sum
/// }
/// ```
///
/// # Remedy
/// Collect in a parameter, and make each recursive call a statement.
/// ```
/// #[forall::traverse]
/// fn size(#[replicated] children: &[Vec<usize>], at: usize, sum: &mut u64) {
///     *sum += 1;
///     for &child in &children[at] {
///         size(children, child, sum);
///     }
/// }
///
/// let mut sum = 0;
/// size(&[vec![1, 2], vec![], vec![3], vec![]], 0, &mut sum);
/// assert_eq!(sum, 4);
/// ```
pub const FA034: &str = "a function that is not a traversal";

/// A parameter that calls pass down in an unsupported way.
///
/// # Rejected code
/// A recursive call passes another variable for a parameter in which calls collect. Or a parameter is mutable, and calls do not
/// collect in it, or also use it in another way.
///
/// # Reason
/// Calls for siblings run at the same time, and each collects a part of the results. These parts are merged in order, which is
/// certainly right only if all calls add to the same variable.
///
/// # Example
/// ```compile_fail
/// #[forall::traverse]
/// fn names(#[replicated] children: &[Vec<usize>], at: usize, out: &mut Vec<usize>) {
///     let mut below = Vec::new();
///     for &child in &children[at] {
///         names(children, child, &mut below);
///     }
///     out.push(at);
///     out.extend(below);
/// }
/// ```
///
/// # Remedy
/// Pass the parameter itself on. Values that a call collects before, between and after its recursive calls keep their order.
/// ```
/// #[forall::traverse]
/// fn names(#[replicated] children: &[Vec<usize>], at: usize, out: &mut Vec<usize>) {
///     out.push(at);
///     for &child in &children[at] {
///         names(children, child, out);
///     }
/// }
///
/// let mut out = Vec::new();
/// names(&[vec![2, 1], vec![], vec![3], vec![]], 0, &mut out);
/// assert_eq!(out, [0, 2, 3, 1]);
/// ```
pub const FA035: &str = "a parameter that calls pass down in an unsupported way";

/// Elements that are not plain data.
///
/// # Rejected code
/// The elements of a distributed slice own memory, hold pointers or have padding, or are tuples.
///
/// # Reason
/// Ranks exchange elements as bytes. The memory layout of a tuple is unspecified.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn lengths(names: &[String], out: &mut [usize]) {
///     for i in 0..names.len() {
///         out[i] = names[i].len();
///     }
/// }
/// ```
///
/// # Remedy
/// Add `bytemuck` with its feature `derive` to the dependencies (`cargo add bytemuck --features derive`), and derive `Pod` and
/// `Zeroable` for a `#[repr(C)]` struct without padding. This also replaces a tuple, here `(u32, f32)`. If the parts of a tuple
/// have the same type, use an array: `[f32; 2]` for `(f32, f32)`.
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Pair {
///     key: u32,
///     value: f32,
/// }
///
/// #[forall::distributed_sort]
/// fn sort(pairs: &mut [Pair]) {
///     pairs.sort_by_key(|pair| pair.key);
/// }
///
/// let mut pairs = forall::DistVec::from_fn(10, |i| Pair { key: 9 - i as u32, value: 0.5 * i as f32 });
/// sort(&mut pairs);
/// assert_eq!(pairs.to_all()[0].value, 4.5);
/// ```
/// Or mark the parameter `#[replicated]`, if every rank holds the whole slice.
/// ```
/// #[forall::foreach]
/// fn lengths(#[replicated] names: &[String], out: &mut [usize]) {
///     for i in 0..out.len() {
///         out[i] = names[i].len();
///     }
/// }
/// ```
pub const FA040: &str = "elements that are not plain data";

/// An accumulated value that cannot be sent between ranks.
///
/// # Failure
/// At run time, on several ranks: the type of a state or an accumulated value is not plain data and does not implement
/// `serde`'s traits.
///
/// # Reason
/// The states of all ranks are merged, so ranks must exchange them as bytes. On one rank there is no exchange, and any type is
/// allowed.
///
/// # Example
/// ```should_panic
/// #[derive(Clone)]
/// struct Longest(String);
///
/// fn longer(a: Longest, b: Longest) -> Longest {
///     if b.0.len() > a.0.len() { b } else { a }
/// }
///
/// #[forall::kary_reduce(combine = longer)]
/// fn longest(x: &[u32]) -> String {
///     let mut longest = Longest(String::new());
///     for i in 0..x.len() {
///         longest = longer(longest, Longest(x[i].to_string()));
///     }
///     longest.0
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| longest(&forall::DistVec::from_fn(1000, |i| i as u32)));
/// ```
///
/// # Remedy
/// Derive `bytemuck::Pod`, or `serde::Serialize` and `serde::Deserialize`, for the type.
/// ```
/// fn longer(a: String, b: String) -> String {
///     if b.len() > a.len() { b } else { a }
/// }
///
/// #[forall::kary_reduce(combine = longer)]
/// fn longest(x: &[u32]) -> String {
///     let mut longest = String::new();
///     for i in 0..x.len() {
///         longest = longer(longest, x[i].to_string());
///     }
///     longest
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| longest(&forall::DistVec::from_fn(1000, |i| i as u32)));
/// ```
pub const FA041: &str = "an accumulated value that cannot be sent between ranks";

/// A captured value that is not `Sync`.
///
/// # Rejected code
/// The loop uses a variable of a type that several threads must not read at once, such as `Rc` or `Cell`.
///
/// # Reason
/// All threads run iterations, and each of them reads the variable.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn scaled(factor: std::rc::Rc<f64>, x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= *factor;
///     }
/// }
/// ```
///
/// # Remedy
/// Read the values that the loop needs before the loop, or use a type that several threads may read (`Arc` for `Rc`).
/// ```
/// #[forall::foreach]
/// fn scaled(factor: std::rc::Rc<f64>, x: &mut [f64]) {
///     let factor = *factor;
///     for i in 0..x.len() {
///         x[i] *= factor;
///     }
/// }
/// ```
pub const FA042: &str = "a captured value that is not `Sync`";

/// A type that cannot be a block.
///
/// # Rejected code
/// A type of [`Blocks`](crate::Blocks) does not implement serde's traits, or must not be sent between threads.
///
/// # Reason
/// Blocks are spilled to disk if memory is short, and sent to other ranks. Any thread may process one.
///
/// # Example
/// ```compile_fail
/// struct Region {
///     values: Vec<f32>,
/// }
///
/// let blocks = forall::Blocks::from_fn(4, |_| Region { values: Vec::new() });
/// ```
///
/// # Remedy
/// Derive serde's traits, after `cargo add serde --features derive`. Replace `Rc` by the value itself, and `Cell` by an atomic or a plain field.
/// A block may hold atomics and locks. A loop may change them through `&`: if the block leaves memory, the change goes with it.
/// ```
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Region {
///     values: Vec<f32>,
/// }
///
/// let blocks = forall::Blocks::from_fn(4, |_| Region { values: Vec::new() });
/// ```
pub const FA043: &str = "a type that cannot be a block";

/// A read of a distributed slice that no footprint describes.
///
/// # Rejected code
/// The index of an element that is read depends on data, or the whole slice is passed to other code.
///
/// # Reason
/// Before the loop runs, a rank fetches the elements that its iterations will read. So it must know their indices.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn permuted(x: &[f64], place: &[usize], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[place[i]];
///     }
/// }
/// ```
///
/// # Remedy
/// Mark the parameter: `#[gather]` fetches the requested elements, `#[replicated]` states that every rank holds the whole
/// slice, `#[halo(n)]` that iterations read elements at most `n` away from their own.
/// ```
/// #[forall::foreach]
/// fn permuted(#[gather] x: &[f64], place: &[usize], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[place[i]];
///     }
/// }
/// let mut out = [0.0; 3];
/// permuted(&[1.0, 2.0, 3.0], &[2, 0, 1], &mut out);
/// assert_eq!(out, [3.0, 1.0, 2.0]);
/// ```
pub const FA050: &str = "a read of a distributed slice that no footprint describes";

/// A marker that does not fit its parameter.
///
/// # Rejected code
/// Two markers of a parameter exclude each other, or `#[replicated]` marks an array that the function writes. (`#[replicated]`
/// allows a mutable slice into which iterations add or combine values.)
///
/// A marker without an effect is a warning. That is a marker of a parameter that is not a slice, and `#[scatter]` of a slice without writes
/// that depend on data. It is also `#[gather]` or `#[halo(..)]` of a slice that the function writes, or reads only at indices that follow
/// from the loop variable.
///
/// # Reason
/// The markers state which ranks have the elements that the loop reads from a slice. Mutable arrays are distributed: each rank would write
/// different elements of a replicated array.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn scaled(#[replicated] #[gather] factors: &[f64], x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= factors[i % 3];
///     }
/// }
/// ```
///
/// # Remedy
/// Keep one marker.
/// ```
/// #[forall::foreach]
/// fn scaled(#[replicated] factors: &[f64], x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= factors[i % 3];
///     }
/// }
/// ```
pub const FA051: &str = "a marker that does not fit its parameter";

/// A function that a device cannot run.
///
/// # Rejected code
/// `#[forall::device]` is above a function whose body, parameters or result cannot be translated to the language of GPUs.
///
/// # Reason
/// The attribute requires the device. Without it, the loops that call the function would run on the processor's cores.
///
/// # Example
/// ```compile_fail
/// #[forall::device]
/// fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
///     x + x
/// }
/// ```
///
/// # Remedy
/// Follow the message, or remove the attribute.
/// ```
/// #[forall::device]
/// fn twice(x: f32) -> f32 {
///     x + x
/// }
/// ```
pub const FA052: &str = "a function that a device cannot run";

/// A struct that a device cannot hold.
///
/// # Rejected code
/// `#[derive(forall::DeviceData)]` is above an enum whose variants have fields, a union, a struct with parameters other than
/// types, a struct without fields, or a struct whose layout Rust may choose.
///
/// # Reason
/// A device reads the bytes that Rust has written: both must agree on the offset of each field.
///
/// # Example
/// ```compile_fail
/// #[derive(Clone, Copy, forall::DeviceData)]
/// struct Particle {
///     mass: f32,
///     charge: i32,
/// }
/// ```
///
/// # Remedy
/// Follow the message. Elements must be plain data anyway, as the other derives state.
/// ```
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
/// #[repr(C)]
/// struct Particle {
///     mass: f32,
///     charge: i32,
/// }
/// ```
pub const FA053: &str = "a struct that a device cannot hold";

/// A halo that is too small.
///
/// # Failure
/// At run time, on several ranks: a slice is marked `#[halo(n)]`, and an iteration reads an element that is more than `n` away.
///
/// # Reason
/// The rank has fetched only the elements within the halo, and does not have this one.
///
/// # Example
/// ```should_panic
/// #[forall::foreach]
/// fn shifted(#[halo(1)] x: &[f64], by: &[usize], out: &mut [f64]) {
///     for i in 0..out.len() - 10 {
///         out[i] = x[i + by[i]];
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     let x = forall::DistVec::from_fn(1000, |i| i as f64);
///     let by = forall::DistVec::from_fn(1000, |_| 10);
///     let mut out = forall::DistVec::zeroed_like(&x);
///     shifted(&x, &by, &mut out);
/// });
/// ```
///
/// # Remedy
/// Specify the true distance, or use `#[gather]`, which needs none.
/// ```
/// #[forall::foreach]
/// fn shifted(#[halo(10)] x: &[f64], by: &[usize], out: &mut [f64]) {
///     for i in 0..out.len() - 10 {
///         out[i] = x[i + by[i]];
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     let x = forall::DistVec::from_fn(1000, |i| i as f64);
///     let by = forall::DistVec::from_fn(1000, |_| 10);
///     let mut out = forall::DistVec::zeroed_like(&x);
///     shifted(&x, &by, &mut out);
/// });
/// ```
pub const FA060: &str = "a halo that is too small";

/// Iterations that conflict, for these lengths and bounds.
///
/// # Failure
/// At run time: the bounds and strides of a call allow two iterations to write the same element, or one to write an element
/// that another reads.
///
/// # Reason
/// The conflict depends on values that the compiler does not know, so each call proves once, before any iteration runs, that
/// there is none. The proof uses the bounds of the loops and the linear conditions (`if j < i`, `if (i + j) % 2 == colour`)
/// around the accesses. The message names the accesses, their lines, and a remedy.
///
/// # Example
/// ```should_panic
/// #[forall::foreach]
/// fn rows(n: usize, stride: usize, width: usize, out: &mut [f64]) {
///     for i in 0..n {
///         for j in 0..width {
///             out[i * stride + j] = i as f64;
///         }
///     }
/// }
///
/// rows(10, 2, 3, &mut [0.0; 100]);
/// ```
///
/// # Remedy
/// Call it with bounds such that one iteration writes each element, and no other reads it. To read elements that other
/// iterations write, read a copy from before the loop, `old: &[f64]`.
/// ```
/// #[forall::foreach]
/// fn rows(n: usize, stride: usize, width: usize, out: &mut [f64]) {
///     for i in 0..n {
///         for j in 0..width {
///             out[i * stride + j] = i as f64;
///         }
///     }
/// }
///
/// rows(10, 3, 3, &mut [0.0; 100]);
/// ```
pub const FA061: &str = "iterations that conflict, for these lengths and bounds";

/// A result that differs from the sequential one.
///
/// # Failure
/// With `FORALL_VERIFY=1`, every call runs twice, as it was written and in parallel, and the two results differed. Maps and
/// integers must be equal bit by bit. Sums of floats may differ by n * epsilon * (the sum of the absolute values of the terms),
/// where n is the number of terms that all loops of the nest added to the variable.
///
/// # Reason
/// The compiler relies on you for some properties that it cannot prove: that the function named by `combine` is associative,
/// that `merge` keeps the order, that a slice is replicated. One of these does not hold.
///
/// # Example
/// ```should_panic
/// fn halve(a: f64, b: f64) -> f64 {
///     (a + b) / 2.0
/// }
///
/// #[forall::kary_reduce(combine = halve)]
/// fn mean(x: &[f64]) -> f64 {
///     let mut m = 0.0;
///     for i in 0..x.len() {
///         m = halve(m, x[i]);
///     }
///     m
/// }
///
/// let settings = forall::Settings { verify: true, ..forall::Settings::default() };
/// forall::Runtime::builder().settings(settings).run(|| mean(&forall::DistVec::from_fn(100_000, |i| i as f64)));
/// ```
///
/// # Remedy
/// Name only functions that are associative.
/// ```
/// fn add(a: f64, b: f64) -> f64 {
///     a + b
/// }
///
/// #[forall::kary_reduce(combine = add)]
/// fn mean(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for i in 0..x.len() {
///         sum = add(sum, x[i]);
///     }
///     sum / x.len() as f64
/// }
///
/// let settings = forall::Settings { verify: true, ..forall::Settings::default() };
/// forall::Runtime::builder().settings(settings).run(|| mean(&forall::DistVec::from_fn(100_000, |i| i as f64)));
/// ```
pub const FA062: &str = "a result that differs from the sequential one";

/// An index that changed between two evaluations.
///
/// # Failure
/// At run time: an iteration read an element of a `#[gather]` slice that its rank had not requested.
///
/// # Reason
/// On several ranks, the part of the body that computes the indices runs once before the loop, so that each rank can request
/// the elements from their owners. The loop then computed a different index: it depends on the time, on random numbers, or on a
/// value that the called function has changed.
///
/// # Example
/// ```should_panic
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// fn next() -> usize {
///     static COUNT: AtomicUsize = AtomicUsize::new(0);
///     COUNT.fetch_add(1, Ordering::Relaxed)
/// }
///
/// #[forall::foreach]
/// fn drawn(#[gather] x: &[f64], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[next()];
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     let x = forall::DistVec::from_fn(1_000_000, |i| i as f64);
///     drawn(&x, &mut forall::DistVec::zeroed(200_000));
/// });
/// ```
///
/// # Remedy
/// Compute the indices only from the iteration and from values that the loop reads.
/// ```
/// fn hash(i: usize) -> usize {
///     (i * 2_654_435_761) >> 7
/// }
///
/// #[forall::foreach]
/// fn drawn(#[gather] x: &[f64], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[hash(i) % x.len()];
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     let x = forall::DistVec::from_fn(1000, |i| i as f64);
///     drawn(&x, &mut forall::DistVec::zeroed(100));
/// });
/// ```
pub const FA063: &str = "an index that changed between two evaluations";

/// A traversal that is too deep.
///
/// # Failure
/// At run time: the calls of a function under `#[traverse]` are nested more deeply than `depth` allows. The message shows the
/// arguments of the innermost call.
///
/// # Reason
/// A tree with a cycle has no end. The plain recursion ends when the stack is full. A traversal keeps its calls in a list,
/// which could grow until the memory is full.
///
/// # Example
/// ```should_panic
/// #[forall::traverse]
/// fn length(#[replicated] next: &[usize], at: usize, count: &mut u64) {
///     *count += 1;
///     length(next, next[at], count);
/// }
///
/// length(&[1, 2, 0], 0, &mut 0);
/// ```
///
/// # Remedy
/// Correct the tree. If it really is that deep, set the depth: `#[traverse(depth = 10_000_000)]`.
/// ```
/// #[forall::traverse(depth = 10_000_000)]
/// fn length(#[replicated] next: &[usize], at: usize, count: &mut u64) {
///     *count += 1;
///     if next[at] < next.len() {
///         length(next, next[at], count);
///     }
/// }
///
/// let mut count = 0;
/// length(&[1, 2, 3], 0, &mut count);
/// assert_eq!(count, 3);
/// ```
pub const FA064: &str = "a traversal that is too deep";

/// Two blocks of one iteration on different ranks.
///
/// # Failure
/// At run time: a loop iterates over the blocks of two sets in parallel, and the two blocks of an iteration are on different
/// ranks.
///
/// Also if an [`Assigner`](crate::blocks::Assigner) has given ranks other than consecutive blocks, and the results of a loop cannot be sent to the
/// ranks of the tokens. Such results are elements of a type that serde cannot write, frames, maps and values with a function for their merge.
/// A loop with `#[gather]` needs consecutive blocks too.
///
/// # Reason
/// A block stays on its rank. Ranks own the blocks of each set by their number, so two sets with the same number of blocks and equal assigners have
/// the same owners, and others do not. Results merge in the order of the numbers, so those of other ranks must be sent.
///
/// # Example
/// ```should_panic
/// use forall::Blocks;
///
/// #[forall::foreach]
/// fn add(sums: &mut Blocks<u64>, more: &Blocks<u64>) {
///     for (mut sum, more) in sums.iter_mut().zip(more.iter()) {
///         *sum += *more;
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     add(&mut Blocks::from_fn(4, |_| 0), &Blocks::from_fn(9, |number| number as u64));
/// });
/// ```
///
/// # Remedy
/// Create the same number of blocks in both sets, with the same assigner, and iterate over both from the first block on; or send the data as
/// messages. For other results, call `blocks.assign(&Assigner::Contiguous)` before the loop.
/// ```
/// use forall::Blocks;
///
/// #[forall::foreach]
/// fn add(sums: &mut Blocks<u64>, more: &Blocks<u64>) {
///     for (mut sum, more) in sums.iter_mut().zip(more.iter()) {
///         *sum += *more;
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     add(&mut Blocks::from_fn(4, |_| 0), &Blocks::from_fn(4, |number| number as u64));
/// });
/// ```
pub const FA065: &str = "two blocks of one iteration on different ranks";

/// A plain slice that every iteration reads as a whole.
///
/// # Failure
/// On more than one rank, a caller passes a slice, a `Vec`, an array or a view for a parameter whose elements every iteration
/// reads in the same way. Examples are a table, the weights of a filter, and the vector of a matrix-vector product.
///
/// # Reason
/// A plain slice is this rank's share of one long vector, and `len()` and indices are those of the whole vector. If each rank
/// passes the same table of 9 elements, two ranks would have a vector of 18, and each iteration would read all of them. Only
/// the use in the loop distinguishes a table from a share.
///
/// # Example
/// ```should_panic
/// #[forall::foreach]
/// fn blur(x: &[f32], out: &mut [f32], kernel: &[f32]) {
///     for i in 0..x.len() - 8 {
///         for k in 0..kernel.len() {
///             out[i] += x[i + k] * kernel[k];
///         }
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     let x = forall::DistVec::from_fn(100, |i| i as f32);
///     blur(&x, &mut forall::DistVec::zeroed_like(&x), &[0.1; 9]);
/// });
/// ```
///
/// # Remedy
/// Mark the parameter, if every rank holds the whole of it. A vector that is distributed over the ranks is a `DistVec`.
/// ```
/// #[forall::foreach]
/// fn blur(x: &[f32], out: &mut [f32], #[replicated] kernel: &[f32]) {
///     for i in 0..x.len() - 8 {
///         for k in 0..kernel.len() {
///             out[i] += x[i + k] * kernel[k];
///         }
///     }
/// }
///
/// forall::Runtime::builder().ranks(2).run(|| {
///     let x = forall::DistVec::from_fn(100, |i| i as f32);
///     blur(&x, &mut forall::DistVec::zeroed_like(&x), &[0.1; 9]);
/// });
/// ```
pub const FA066: &str = "a plain slice that every iteration reads as a whole";

/// An index that the compiler has misread.
///
/// # Failure
/// At run time: the index of an access, or an end of an inner range, differs from the number that `forall` has computed for it.
/// The call ends before the access.
///
/// # Reason
/// `forall` reads the tokens of the loop before rustc resolves its names. The compiler rejects code that can give a name
/// another meaning (FA022). This check is a second safeguard: only an access at the index that `forall` has computed is
/// unchecked, so no access leaves its slice.
///
/// # Remedy
/// Find the macro or the item in the loop that changes the meaning of a name, and write its code in its place. Please report
/// the loop: no program with this error is known.
pub const FA067: &str = "an index that the compiler has misread";
