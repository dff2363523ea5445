//! What the codes in the messages of the attributes mean: what is refused, why, and what to do instead.
//!
//! FA001 to FA031, FA034, FA035, and FA050 to FA053 come from the loop compiler, FA032, FA033, and FA040 to FA043 from the types
//! that a loop uses (FA041 at run time), FA060 to FA067 from calls. A code keeps its meaning in all versions.

/// Not a function that can be annotated.
///
/// # What
/// The attribute stands above something that is no function with a body, or above a function that is `async`,
/// `const`, variadic or of a foreign calling convention.
///
/// # Why
/// The attribute rewrites a loop in a body, and makes the function's slice parameters generic, so that callers may
/// pass a `DistVec`. An `async` function could be suspended inside the loop, a `const` one runs while compiling,
/// and callers in C know nothing of generic parameters.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// struct Field {
///     values: Vec<f64>,
/// }
/// ```
///
/// # Fix
/// Put the attribute above a free function or an inherent method; call it from the `async` or `extern` one. An attribute
/// does not see that it stands in an `impl` block: a function there that does not take `self` says so, by
/// `#[foreach(associated)]`. Without that word the compiler says that a struct "is not supported in `trait`s or `impl`s".
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
/// # What
/// An argument in the attribute's parentheses is not one that it has, stands there twice, or has a value that it
/// cannot have.
///
/// # Why
/// A misspelt argument that is silently ignored would change what the program does.
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
/// # Fix
/// `#[foreach]` has `explain`; `#[foreach_tls]` has `init = path` and `merge = path` (together) as well;
/// `#[distributed_scan]` and `#[kary_reduce]` have `combine = path` and `k = 8`.
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
/// # What
/// A parameter or the returned type cannot stay as it is when the slices are spread over ranks: `&mut self`, a
/// slice behind a pattern, bound as `mut` or given another name (`let y = &x[..]`), an array of `ndarray` by value or of a
/// number of dimensions that is not fixed, or a returned reference to an element.
///
/// # Why
/// Every iteration on every thread would write `self`; a slice without a name of its own cannot be followed through
/// the loop; an array by value is gone after the call, and which elements an index means depends on the dimensions; and
/// an element may lie on another rank, so nothing can refer to it.
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
/// # Fix
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
/// # What
/// The function has no `for` loop outside of closures and macros.
///
/// # Why
/// There is nothing to run in parallel, so the attribute is probably above the wrong function.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn clear(x: &mut [f64]) {
///     x.fill(0.0);
/// }
/// ```
///
/// # Fix
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
/// # What
/// What the `for` loop iterates over is no range and no iterator over slices whose items can be counted and reached
/// by their number. Or, when the program runs, the counter of a `while` loop inside (`while j < n { ..; j += 10; }`) leaves its type: it
/// would go on from the least number, in a build that does not look for overflow. Give it a larger type.
///
/// # Why
/// Iterations are cut into chunks before any of them runs, so their number must be known, and each must be reached
/// without the ones before. `filter` or `take_while` look at the data first.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn sum_of_positive(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for v in x.iter().filter(|v| **v > 0.0) {
///         sum += v;
///     }
///     sum
/// }
/// ```
///
/// # Fix
/// Loop over `a..b`, `a..=b`, `&x`, `x.iter()`, `x.iter_mut()`, `x.chunks_exact(n)`, `x.windows(n)`, with `rev`,
/// `step_by`, `zip`, `enumerate`, `skip` and `take`; leave items out by `continue` or `if`.
/// ```
/// #[forall::kary_reduce]
/// fn sum_of_positive(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for v in x.iter() {
///         if *v > 0.0 {
///             sum += v;
///         }
///     }
///     sum
/// }
/// ```
pub const FA005: &str = "a loop header that is not a counted loop";

/// A loop-carried dependence.
///
/// # What
/// An iteration reads what another one writes: an element of a slice, or a variable outside of the loop.
///
/// # Why
/// Iterations run at the same time and in any order, so what is read would depend on chance.
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
/// The distance may be a constant from outside of the function: rustc then evaluates it where the function is called.
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
/// # Fix
/// Read one slice and write another. What must come from the iteration before can come through an associative
/// operator, under `#[distributed_scan]`. Where only an inner loop is parallel, put `#[sequential]` above the outer
/// one.
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
/// # What
/// Two iterations write the same element.
///
/// # Why
/// Which of the two values stays would depend on which thread is faster.
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
/// # Fix
/// Write at `a * i + b`, where neither `a` nor `b` changes from iteration to iteration. To add up into the same
/// element, write `out[k] += e` under `#[kary_reduce]`: that is a histogram.
/// ```
/// #[forall::foreach]
/// fn odd_half(x: &[f64], out: &mut [f64]) {
///     for i in 0..out.len() {
///         out[i] = x[2 * i + 1];
///     }
/// }
/// ```
pub const FA011: &str = "writes that overlap between iterations";

/// A write at a place that the data choose.
///
/// # What
/// The index of a written element is computed from data, or the whole slice is handed to code that may write any of
/// its elements, in a loop or outside of it (`out.sort()`).
///
/// # Why
/// It cannot be proved that two iterations never choose the same element, nor which rank holds it.
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
/// # Fix
/// Write at a place that follows from the loop variable; to keep some of the elements, push them; to add up at
/// places that the data choose, write `h[k] += e`; to write there in the order of the iterations, mark the parameter
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
pub const FA012: &str = "a write at a place that the data choose";

/// A last value that is lost.
///
/// # What
/// A variable is set and read by every iteration, and read after the loop; or calls of a traversal set it.
///
/// # Why
/// Each worker has a variable of its own for what every iteration sets before it reads it, and none of them is that of the last
/// iteration. Of calls, none is known to be the last one.
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
/// # Fix
/// Declare it inside the loop, and set another one where the last value is wanted: a variable that iterations do nothing with but
/// set it, under a condition or not, has the value of the last that did.
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

/// An accumulator that is read where it may not be.
///
/// # What
/// The loop reads a variable, a histogram, a target of pushes or a state while its iterations are still adding to it, also by
/// the value of a method (`if seen.insert(v)`), or takes away what others have added (`out.pop()`).
///
/// # Why
/// What it holds depends on the iterations before, and a chunk does not know those.
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
/// # Fix
/// Read it after the loop. Under `#[distributed_scan]` a running value may be stored, and another one may be computed
/// from it; only what it is itself may not decide how it goes on.
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
pub const FA014: &str = "an accumulator that is read where it may not be";

/// An operator that is not associative.
///
/// # What
/// A variable is updated by an operation for which `(a op b) op c` may differ from `a op (b op c)`.
///
/// # Why
/// Chunks of iterations are computed apart and then put together, which regroups the operations. `saturating_add` regroups for unsigned
/// numbers only: with a sign there are two ends, and what is cut off at one of them counts on the way to the other.
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
/// # Fix
/// Use `+`, `*`, `&`, `|`, `^`, `&&`, `||`, `min` or `max`; name an associative function of your own by `combine =
/// path`; or use `#[distributed_scan]`, which takes linear recurrences `acc = a * acc + b`.
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
/// # What
/// One variable is updated with different operators in the same loop.
///
/// # Why
/// Each operator is associative, but a mixture of them is not.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn mixed(x: &[i64]) -> i64 {
///     let mut acc = 0;
///     for i in 0..x.len() {
///         acc += x[i];
///         acc = acc.max(100);
///     }
///     acc
/// }
/// ```
///
/// # Fix
/// Use one variable for each operator.
/// ```
/// #[forall::kary_reduce]
/// fn mixed(x: &[i64]) -> (i64, i64) {
///     let mut sum = 0;
///     let mut most = 100;
///     for i in 0..x.len() {
///         sum += x[i];
///         most = most.max(x[i]);
///     }
///     (sum, most)
/// }
/// ```
pub const FA016: &str = "an accumulator with several operators";

/// A state that the attribute does not allow.
///
/// # What
/// The loop changes a variable in a way that is neither a reduction nor a push, such as `pop` or `insert`; or it uses a value that
/// all iterations can change: a lock, an atomic, a channel.
///
/// # Why
/// All iterations share the variable, and would see each other's changes.
///
/// # What is checked
/// `rustc` checks the type of each value that a body reaches from outside: captured variables and statics, their fields, what patterns bind, what
/// methods and functions give, and items of iterators. The closures of sorts and the calls of a traversal have bodies too. A type may not hold
/// an atomic, a lock, a cell or a channel, also not in boxes, references, vectors and maps. The types of a generic function, or of a method, are
/// checked when a program calls it; the message then names `FA017_ITERATIONS_SHARE_NOTHING`:
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
/// # What is not seen
/// `forall` does not look inside the functions that a loop calls. You guarantee that they give the same result for the same arguments, on every
/// thread and rank, and that they change nothing that another iteration reads. This holds for:
/// - Functions and methods that use a `static`, a thread-local, a file or the clock.
/// - Callbacks and trait objects that the function gets: `f: impl Fn(f64) -> f64`, `&dyn Fn(f64) -> f64`, `Box<dyn Shape>`.
/// - Methods of a type with a private lock or atomic behind a reference or a box (`struct Counter<'a>(&'a AtomicU64)`).
///
/// `FORALL_VERIFY=1` finds most of those that break it: the sequential loop, run beside each call, gives another result.
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
/// # Fix
/// Collect into a state of each worker, and say how two states are put together: implement `forall::Merge`, or name
/// two functions.
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
pub const FA017: &str = "a state that the attribute does not allow";

/// A scratch buffer that is read before it is written.
///
/// # What
/// A buffer outside of the loop, which nothing reads afterwards, may be read by an iteration before that iteration
/// has written it: on some path at least, or in part. `truncate` and `resize` keep elements, and `fill` keeps the length.
///
/// # Why
/// Each worker has a buffer of its own, so what an iteration finds there depends on which iterations the same
/// worker ran before.
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
/// # Fix
/// Clear or fill the buffer at the start of every iteration, on every path.
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
/// # What
/// `break`, `return`, `?` or a label ends the annotated loop from inside an iteration.
///
/// # Why
/// Iterations that run at the same time cannot know that an earlier one has ended the loop.
///
/// # Example
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn until_negative(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for i in 0..x.len() {
///         if x[i] < 0.0 {
///             break;
///         }
///         sum += x[i];
///     }
///     sum
/// }
/// ```
///
/// # Fix
/// Let every iteration run: find where the loop would end first, and loop up to there. `break` out of inner loops
/// is fine.
/// ```
/// #[forall::kary_reduce]
/// fn first_negative(x: &[f64]) -> usize {
///     let mut first = x.len();
///     for i in 0..x.len() {
///         if x[i] < 0.0 {
///             first = first.min(i);
///         }
///     }
///     first
/// }
///
/// #[forall::kary_reduce]
/// fn until_negative(x: &[f64], end: usize) -> f64 {
///     let mut sum = 0.0;
///     for i in 0..end {
///         sum += x[i];
///     }
///     sum
/// }
/// let x = [1.0, 2.0, -1.0, 4.0];
/// assert_eq!(until_negative(&x, first_negative(&x)), 3.0);
/// ```
pub const FA020: &str = "control flow that leaves the loop";

/// `while` or `loop` as the annotated loop.
///
/// # What
/// The only loop of the function is a `while` or a `loop`.
///
/// # Why
/// How often it runs is not known before it runs, so it cannot be cut into chunks.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn double(x: &mut [f64]) {
///     let mut i = 0;
///     while i < x.len() {
///         x[i] *= 2.0;
///         i += 1;
///     }
/// }
/// ```
///
/// # Fix
/// Write a counted `for` loop. `while` and `loop` may stand inside of its body, and around it.
/// ```
/// #[forall::foreach]
/// fn double(x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= 2.0;
///     }
/// }
/// ```
pub const FA021: &str = "`while` or `loop` as the annotated loop";

/// Code that is not followed.
///
/// # What
/// The function holds something whose meaning the attribute cannot see: `#[cfg(..)]` inside of it, an import by `*`, an item
/// with the name of a variable, a pattern with `ref mut`, or a loop that declares or imports the function by which it updates a
/// variable. Or a macro stands for a pattern, or is a statement that may bind names or define items, or an item of the function has
/// the name of a macro of the standard library. Or it goes through the elements of a type that lends them by functions of its own (`Deref`, `DerefMut`, `Index`): the
/// loop is cut by positions in a slice, and those functions may do more, or lend other elements. Or a statement outside of the loops
/// asks what a slice is made of (`size_of_val(x)`), and not what it holds: inside of the function a handle stands for the slice.
///
/// Or a name stands for something else than the compiler assumed. It reads the names of some functions (`zip`, `cmp::min`), types (`u64`,
/// `Vec`, `Some`) and macros as those of the standard library, and the methods of slices and vectors (`len`, `iter`, `fill`) as their own.
/// rustc checks each such assumption, and rejects a function `zip` of yours, an alias `type u64 = u8`, or a trait in scope whose method `len`
/// rustc would call in place of the slice's own.
///
/// # What is not seen
/// A generic function of yours that takes references to any type (`fn f<T: ?Sized>(_: &T)`) gets that handle, where a statement outside of
/// the loops calls it with a parameter. Give it the slice: `f(&x[..])`.
///
/// # Why
/// The attribute runs before the compiler knows which parts are left out and what names mean. What it took for granted
/// could be wrong.
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
/// # Fix
/// Put `#[cfg(..)]` above the function, or write `cfg!(..)`; name what is imported; give items and variables names of their own;
/// write braces around a macro that is more than one expression (`{ log!(i); }`): there, it cannot change the meaning of other names;
/// write `&mut` before the value in place of `ref mut`; lend the elements once, before the loop: `let rows = &mut rows[..];`. Give a
/// function, type or method of yours a name of its own, and put items of inner blocks in front of the function.
/// ```
/// #[forall::foreach]
/// fn scaled(x: &[f64], out: &mut [f64]) {
///     for i in 0..x.len() {
///         let factor = if cfg!(unix) { 2.0 } else { 3.0 };
///         out[i] = factor * x[i];
///     }
/// }
/// ```
pub const FA022: &str = "code that is not followed";

/// Blocks that are not only gone through.
///
/// # What
/// The function does something else with [`Blocks`](crate::Blocks) than to go through them in the header of a loop that runs in parallel, or to
/// ask how many they are. Or a loop over blocks has a running value.
///
/// # Why
/// Each block is on one rank, and may lie on its disk: no iteration can reach any other block than its own. And a block is worked on
/// once: the messages that it takes are gone, and what it sends must not be sent twice. Running values are computed before the
/// loop, by a part of its body, which then runs once more.
///
/// # Example
/// ```compile_fail
/// use forall::Blocks;
///
/// #[forall::distributed_scan]
/// fn offsets(blocks: &mut Blocks<Vec<f64>>, first: &mut [usize]) {
///     let mut count = 0;
///     for (block, first) in blocks.iter().zip(first.iter_mut()) {
///         *first = count;
///         count += block.len();
///     }
/// }
/// ```
///
/// # Fix
/// Put what a block adds into a slice, in a loop of its own. What another block needs is sent to it as a message.
/// ```
/// use forall::Blocks;
///
/// #[forall::distributed_scan]
/// fn offsets(blocks: &Blocks<Vec<f64>>, lengths: &mut [usize], first: &mut [usize]) {
///     for (block, length) in blocks.iter().zip(lengths.iter_mut()) {
///         *length = block.len();
///     }
///     let mut count = 0;
///     for (length, first) in lengths.iter().zip(first.iter_mut()) {
///         *first = count;
///         count += *length;
///     }
/// }
///
/// let blocks = Blocks::from_fn(3, |number| vec![0.0; 10 * number]);
/// let (mut lengths, mut first) = ([0; 3], [0; 3]);
/// offsets(&blocks, &mut lengths, &mut first);
/// assert_eq!(first, [0, 0, 10]);
/// ```
pub const FA023: &str = "blocks that are not only gone through";

/// A loop of another class than the attribute says.
///
/// # What
/// The loop is parallel, but not in the way that the attribute states: a scan under `#[kary_reduce]`, a push under
/// `#[foreach]`.
///
/// # Why
/// The attribute says what the author believes of the loop. Where the two differ, either the attribute or the loop
/// is not what was meant.
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
/// # Fix
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
pub const FA030: &str = "a loop of another class than the attribute says";

/// A body that is not a sort.
///
/// # What
/// `#[distributed_sort]` stands above a function that calls none of std's sorts, calls it on something that is no parameter, calls it
/// inside of another statement, or does something else with its slices.
///
/// # Why
/// Each rank has a share of the slice. A sort is done by all of them together, from the first element to the last; what a part of the
/// slice holds is known only afterwards, and on another rank.
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
/// # Fix
/// Let the function be one call on a parameter `x: &mut [T]` or `x: &mut Vec<T>`: `x.sort()`, `sort_by`, `sort_by_key`,
/// `sort_by_cached_key` or an unstable one of them. What differs goes into the comparison, and other steps into functions of their own.
/// ```
/// #[forall::distributed_sort]
/// fn order(x: &mut [u64], downwards: bool) {
///     x.sort_by(|a, b| if downwards { b.cmp(a) } else { a.cmp(b) });
/// }
/// ```
pub const FA031: &str = "a body that is not a sort";

/// An operator of a type that forall does not know.
///
/// # What
/// A loop accumulates into a type of the user's by `+=`, `*=`, `max`, `min`, a comparison or another operator, or by a
/// function that has the name of one of the standard library's and is another one.
///
/// # Why
/// What is accumulated in chunks needs an operator that is associative, and a sum its identity. Nothing says so of an operator
/// of a type that forall has never seen.
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
/// # Fix
/// Write the operator as a function, and say by `combine` that it is associative.
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
/// # What
/// A loop under `#[foreach_tls]` collects into a state of a type that does not say how two states are put together; or
/// into the entries of a map whose values forall cannot put together, such as sums of floats.
///
/// # Why
/// Each worker fills a state of its own; the function returns one.
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
/// # Fix
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
/// # What
/// `#[traverse]` stands above a function that does not call itself, that returns a value, or that calls itself in a closure or by
/// another name.
///
/// # Why
/// A traversal makes the calls for the children of a node in any order, on any thread. A value that is returned is waited for by
/// the call around it; and of a closure it is not known when, and how often, it is called.
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
/// # Fix
/// Collect in a parameter, and call the function in a statement.
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

/// A parameter that calls do not hand on as a traversal can.
///
/// # What
/// A call of the function hands on another variable where calls collect; or a parameter may be written, and calls do more to it than
/// collect, or nothing.
///
/// # Why
/// Calls for siblings run at the same time, each with a part of what is collected. That is put together in their order, which
/// is only known to be right where all of them add to the same.
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
/// # Fix
/// Hand on the parameter itself. What is collected before, between and after calls stays in its place.
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
pub const FA035: &str = "a parameter that calls do not hand on as a traversal can";

/// Elements that are not plain data.
///
/// # What
/// The elements of a distributed slice own memory, hold pointers or have padding, or are tuples.
///
/// # Why
/// Elements travel between ranks as their bytes. How a tuple lies in memory is the compiler's business.
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
/// # Fix
/// Add `bytemuck` with its feature `derive` to the dependencies (`cargo add bytemuck --features derive`), and derive `Pod` and
/// `Zeroable` for a `#[repr(C)]` struct without padding, in place of a tuple too: here of `(u32, f32)`. Where the parts of a tuple have
/// one type, an array does: `[f32; 2]` for `(f32, f32)`.
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
/// Or mark the parameter `#[replicated]`, if every rank has all of it.
/// ```
/// #[forall::foreach]
/// fn lengths(#[replicated] names: &[String], out: &mut [usize]) {
///     for i in 0..out.len() {
///         out[i] = names[i].len();
///     }
/// }
/// ```
pub const FA040: &str = "elements that are not plain data";

/// An accumulated value that cannot travel between ranks.
///
/// # What
/// At run time, on several ranks: a state or an accumulated value is of a type that is neither plain data nor has
/// `serde`'s traits.
///
/// # Why
/// The states of all ranks are put together, so they must travel as bytes. On one rank nothing travels, and any
/// type will do.
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
/// # Fix
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
pub const FA041: &str = "an accumulated value that cannot travel between ranks";

/// A captured value that is not `Sync`.
///
/// # What
/// The loop uses a variable of a type that several threads may not read at once, such as `Rc` or `Cell`.
///
/// # Why
/// All threads run iterations, and all of them read the variable.
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
/// # Fix
/// Read what the loop needs before the loop, or take a type that several threads may read (`Arc` for `Rc`).
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
/// # What
/// A type of [`Blocks`](crate::Blocks) cannot be written and read by serde, or not be passed from thread to thread.
///
/// # Why
/// Blocks are written to the disk where memory is short, and sent to other ranks. Any thread may work on one.
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
/// # Fix
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
/// # What
/// An element is read at a place that the data choose, or the whole slice is handed to other code.
///
/// # Why
/// Before the loop runs, a rank fetches the elements that its iterations will read. It must know which.
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
/// # Fix
/// Mark the parameter: `#[gather]` fetches the elements that are asked for, `#[replicated]` says that every rank
/// has all of it, `#[halo(n)]` that what is read is at most `n` elements away from the iteration's own.
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
/// # What
/// `#[replicated]`, `#[gather]` or `#[halo(..)]` marks a parameter that is no slice or may be written (`#[replicated]`: but for
/// elements that iterations add up or combine), or two of them exclude each other; or no loop reads the slice in the way that `#[gather]` and `#[halo(..)]` are for.
///
/// # Why
/// The markers say where the elements of a slice are that the loop reads. Scalars are equal on all ranks anyway,
/// and written slices are distributed: of an array that every rank has, each rank would write other elements.
///
/// # Example
/// ```compile_fail
/// #[forall::foreach]
/// fn scaled(#[replicated] factor: f64, x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= factor;
///     }
/// }
/// ```
///
/// # Fix
/// Remove the marker.
/// ```
/// #[forall::foreach]
/// fn scaled(factor: f64, x: &mut [f64]) {
///     for i in 0..x.len() {
///         x[i] *= factor;
///     }
/// }
/// ```
pub const FA051: &str = "a marker that does not fit its parameter";

/// A function that a device cannot run.
///
/// # What
/// `#[forall::device]` stands above a function with a body, a parameter or a result that cannot be translated to the
/// language of graphics processors.
///
/// # Why
/// The attribute asks for the device. Without it, the loops that call the function would run on the processor's cores.
///
/// # Example
/// ```compile_fail
/// #[forall::device]
/// fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
///     x + x
/// }
/// ```
///
/// # Fix
/// Do what the message says, or remove the attribute.
/// ```
/// #[forall::device]
/// fn twice(x: f32) -> f32 {
///     x + x
/// }
/// ```
pub const FA052: &str = "a function that a device cannot run";

/// A struct that a device cannot hold.
///
/// # What
/// `#[derive(forall::DeviceData)]` stands above an enum whose variants have fields, a union, a struct with other parameters than
/// types, one without fields, or one whose layout Rust is free to choose.
///
/// # Why
/// A device reads the bytes that Rust left: each field must be where both look for it.
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
/// # Fix
/// Do what the message says. Elements are plain data anyway, and say so by another derive.
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
/// # What
/// At run time, on several ranks: a slice is marked `#[halo(n)]`, and an iteration reads an element that is more
/// than `n` away.
///
/// # Why
/// The rank has fetched as many elements as the marker says, and does not have this one.
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
/// # Fix
/// Give the true distance, or use `#[gather]`, which needs none.
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

/// Iterations that meet, for these lengths and bounds.
///
/// # What
/// At run time: a call's bounds and strides let two iterations write the same element, or one write what another
/// reads.
///
/// # Why
/// Whether they meet depends on values that the compiler does not know, so it is proved once at each call, before
/// any iteration runs. The proof knows the bounds of the loops and the linear conditions (`if j < i`, `if (i + j) % 2 == colour`) around
/// the accesses. The message names the accesses, the line of each, and what to write instead.
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
/// # Fix
/// Call it with bounds for which every element is written by one iteration, and read by no other. To read what other iterations write, read a copy from
/// before the loop, `old: &[f64]`.
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
pub const FA061: &str = "iterations that meet, for these lengths and bounds";

/// A result that differs from the sequential one.
///
/// # What
/// With `FORALL_VERIFY=1`, every call is made twice, once as it was written and once in parallel, and the two left
/// different results. Maps and integers must be the same to the bit. Sums of floats may differ by n * epsilon * (the sum of the absolute
/// values of the terms), where n is the number of terms that all loops of the nest added to the variable.
///
/// # Why
/// What the macro cannot prove it takes from the author: that the function named by `combine` is associative, that
/// `merge` keeps the order, that a slice is replicated. One of these is not so.
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
/// # Fix
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

/// A place that was another one the second time.
///
/// # What
/// At run time: an iteration read an element of a `#[gather]` slice that its rank had not asked for.
///
/// # Why
/// On several ranks, the part of the body that computes places runs once before the loop, so that each rank can ask the
/// owners for the elements. The loop then computed another place than that part had: it depends on the time, on random
/// numbers, or on something that the function called has changed.
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
/// # Fix
/// Compute places from the iteration and from what the loop reads.
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
pub const FA063: &str = "a place that was another one the second time";

/// A traversal that is too deep.
///
/// # What
/// At run time: more calls of a function under `#[traverse]` are inside of each other than it allows. The message says what the last
/// of them was called with.
///
/// # Why
/// A tree whose nodes lead back to each other has no end. The plain recursion ends at some time because the stack is full; a
/// traversal has its calls in a list, which could grow until the memory is.
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
/// # Fix
/// Mend the tree. If it is as deep as that, say so: `#[traverse(depth = 10_000_000)]`.
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

/// Blocks on other ranks than those beside them.
///
/// # What
/// At run time: a loop goes through the blocks of two sets side by side, and some of those that meet are on different ranks.
///
/// # Why
/// A block stays on its rank. The ranks share the blocks of each set by their number, so that two sets with as many blocks lie side by side,
/// and others do not.
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
/// # Fix
/// Make as many blocks in both sets, and go through both from the first one on; or send what is needed as messages.
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
pub const FA065: &str = "blocks on other ranks than those beside them";

/// A plain slice that every iteration reads as a whole.
///
/// # What
/// On more than one rank, a caller passes a slice, a `Vec`, an array or a view for a parameter of which every iteration reads the same
/// elements: a table, the weights of a filter, the vector of a matrix-vector product.
///
/// # Why
/// A plain slice is this rank's share of one long vector, and `len()` and indices are those of the whole vector. If each rank passes the
/// same table of 9 elements, two ranks would have a vector of 18, and each iteration would go over all of them. Nothing tells a table from
/// a share but the way in which the loop uses it.
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
/// # Fix
/// Mark the parameter, if every rank has all of it. A vector that is distributed over the ranks is a `DistVec`.
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
/// # What
/// At run time: the index of an access, or an end of an inner range, is another number than the one that `forall` has computed for it.
/// The call ends before the access.
///
/// # Why
/// `forall` reads the tokens of the loop before rustc resolves its names. Code that can give a name another meaning is rejected while
/// compiling (FA022). This check is the second safeguard: an access is unchecked only at the index that `forall` has computed, so that
/// no access leaves its slice.
///
/// # Fix
/// Find the macro or the item in the loop that changes the meaning of a name, and write its code in its place. Please report the loop:
/// no program is known that leads here.
pub const FA067: &str = "an index that the compiler has misread";
