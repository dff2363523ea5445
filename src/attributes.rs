//! The attributes, with their documentation: the macros themselves are in a crate of their own.

mod traversal;

pub use traversal::traverse;

/// Runs a loop whose iterations are independent on all threads and ranks: a *map*.
///
/// # The loop before
/// ```
/// fn smooth(x: &[f64], out: &mut [f64]) {
///     for i in 1..x.len() - 1 {
///         out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
///     }
/// }
/// ```
///
/// # What it becomes
/// A function of the same name that callers use as before: `x: &[f64]` also takes [`DistVec`](crate::DistVec)s, and with
/// several ranks each slice is a rank's share of one long vector. Indices and `.len()` inside stay those of the whole
/// vector. The iterations are cut into chunks that the threads share. Elements that a rank needs of its neighbours (the
/// halo) are fetched before the loop, and elements that it writes for others are sent after it. Beside the function:
///
/// - `smooth::sequential(x, out)` is the loop as it was written;
/// - `smooth::PLAN` names the classes of each loop (`"foreach: 1 loop: map"`; with two loops ``"foreach: 2 loops: map; reduce by `+`"``),
///   in the words of `EXPLAIN`;
/// - `smooth::EXPLAIN` says for each loop what its classes are about, what is done with it and why, and what moves between ranks;
/// - `smooth::WGSL` is the loop as a GPU runs it (feature `gpu`).
///
/// # Arguments and markers
/// - `#[foreach(explain)]` shows `EXPLAIN` as a note of the compiler.
/// - `#[foreach(associated)]` is for a function in an `impl` block that does not take `self`, which an attribute does not see.
/// - `#[foreach(grain = 1024)]`: how many iterations a chunk has, the least that a worker takes at a time, in all loops of the function;
///   `grain = sqrt` is the square root of the number of iterations. It is for loops in which few iterations have nearly all the work, and
///   of which the usual pieces, which are as long as 50 microseconds of the average, would hold too much of it. Floating-point sums depend
///   on it. `FORALL_GRAIN` goes before it, and `FORALL_SCHEDULE` says [who takes which chunks](crate::Schedule). A trace
///   (`FORALL_TRACE`) shows a span for each worker of a loop, and in the field `imbalance` of a call how much longer its busiest worker
///   ran than the average one: 1 is balanced.
/// - `#[replicated] x: &[T]` on a parameter: every rank has the whole of `x`. What iterations add up or combine element by element may be
///   `&mut [T]` too: see [`kary_reduce`]. On several ranks, a table read as a whole needs it ([`FA066`](crate::codes::FA066)).
/// - `#[gather] x: &[T]`: the data choose which elements an iteration reads (`x[index[i]]`). On several ranks, each rank first
///   runs the part of the body that computes the indices, then fetches the elements that its iterations read, once each. Indices
///   that are gathered themselves (`x[column[k]]`) take two such rounds. The list of elements is cached (one bit for each element
///   of `x`, up to 64 MiB in all). Later calls move the elements alone, until an array or a number that the indices depend
///   on may have changed. Indices that a function computes are not cached. Where an index depends on what the loop writes or on
///   `x` itself, all of `x` is fetched. `EXPLAIN` tells which case holds. A matrix in compressed rows reads its own entries in this way
///   too: see below.
/// - `#[scatter] out: &mut [T]`: the data choose which elements an iteration writes (`out[index[i]] = e`; or by an operator, one of
///   them in a loop: `+=` and its kin, `out[k] = out[k].max(e)`, `if e > out[k] { out[k] = e }`). Where several iterations write to one
///   element, it holds what the sequential loop leaves there, to the last bit. An index out of range panics as there. One thread of one
///   rank writes at once. Others note what their iterations write, and after the loop the owners of the elements do it, in the order of
///   the iterations: that takes memory for a place (four bytes) and a value for each write. On several ranks, these move in one message
///   between each two ranks, and the places only when they are others than the last time (up to 64 MiB of them are kept for each pair of
///   ranks). A GPU computes places and values, and the processor's cores write them, in the order of the iterations (parts of elements,
///   `out[k].x += e`, run on the cores as a whole).
/// - `#[halo(expr)] x: &[T]`: iteration `i` reads no element of `x` that is more than `expr` away from `x[i]`. For an array of
///   several dimensions (feature `ndarray`), `expr` counts planes.
/// - `#[sequential]` above a loop of the function: its iterations run in order, the same on every rank, and the loops inside of it are
///   annotated. A loop that only repeats others (steps in time, sweeps) needs no marker, as long as its variable chooses no elements;
///   any other loop that is not parallel is refused with the reason, so that none runs in order without a word.
///
/// # Outside of loops
/// Statements use a slice as a slice. An element is read from its owner, and written by it; `out.fill(e)` and, with another slice that is cut
/// alike, `a.copy_from_slice(b)` and `a.swap_with_slice(b)` move nothing; what else asks for a whole slice (`x.iter().sum()`) fetches it on
/// every rank. The parts of `let (left, right) = x.split_at_mut(k);` are slices that loops go over as over `x`. `FORALL_EXPLAIN=1`
/// prints how many bytes that is.
///
/// # Requirements
/// - Each element is written by one iteration and read by no other. This is proved from the indices while the function is
///   compiled, or, where strides are known only at run time, once in each call. A loop for which neither works is refused.
/// - Elements are plain data ([`Element`](crate::Element)). Other values that the loop reads are [`Sync`].
/// - What the loop calls gives the same for the same arguments, and changes nothing for other iterations. Values are looked into by their types;
///   what functions, callbacks (`&dyn Fn(f64) -> f64`) and trait objects do inside is the author's word:
///   [what is not seen](crate::codes::FA017#what-is-not-seen).
/// - The loop may also reduce (`sum += x[i]`), push and scan: this attribute demands only that it writes elements.
///
/// # Determinism
/// Results have the same bits as those of the sequential loop, on any number of threads and ranks. Floating-point sums of
/// the same loop: see [`kary_reduce`].
///
/// # Cost
/// On one rank, the loop itself; a loop of a few microseconds stays on the calling thread. On several ranks, a handshake for each
/// loop (O(log ranks) messages), and the halos, one message to each neighbour: for the loop above, 8 bytes. Where the same was done
/// before, these are messages of the handshake, whose others are empty: on two ranks there are none, and on more every rank must hear
/// that none has panicked or is at another call. Of several arrays, halos from 128 KiB on go by themselves. From half a megabyte on,
/// where ranks are on several machines, the iterations that need nothing of them run meanwhile. Nothing else moves where the vectors
/// are cut at the same places, and a halo does not move again while its vector is as it was.
///
/// # Examples
/// ```
/// use forall::{DistVec, foreach};
///
/// #[foreach]
/// fn smooth(x: &[f64], out: &mut [f64]) {
///     for i in 1..x.len() - 1 {
///         out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
///     }
/// }
///
/// let x = DistVec::from_fn(1000, |i| (i * i) as f64);
/// let mut out = DistVec::zeroed_like(&x);
/// smooth(&x, &mut out);
/// assert_eq!(out.get(10), Some(100.5));
///
/// // Vectors and slices do as well; and this is the loop without the attribute.
/// let (x, mut out) = ([0.0, 4.0, 0.0], [0.0; 3]);
/// smooth::sequential(&x, &mut out);
/// assert_eq!(out, [0.0, 2.0, 0.0]);
/// ```
///
/// Several loops in one function, with plain statements between them, and a table that all ranks have:
/// ```
/// #[forall::foreach]
/// fn colour(x: &[f32], #[replicated] table: &[[u8; 3]], rgb: &mut [[u8; 3]]) -> f32 {
///     let mut most = f32::MIN;
///     for v in x {
///         most = most.max(*v);
///     }
///     let scale = (table.len() - 1) as f32 / most;
///     for i in 0..x.len() {
///         rgb[i] = table[(x[i] * scale) as usize];
///     }
///     most
/// }
///
/// let mut rgb = [[0; 3]; 3];
/// assert_eq!(colour(&[0.0, 2.0, 1.0], &[[0; 3], [9; 3], [255; 3]], &mut rgb), 2.0);
/// assert_eq!(rgb, [[0; 3], [255; 3], [9; 3]]);
/// ```
///
/// A matrix in compressed rows times a vector. Which entries are those of a row, only `rows` knows, so `column` and `a` are gathered as
/// well; `for k in rows[i]..rows[i + 1]` does the same. Entries that [lie with their rows](crate::DistVec::rebalance_rows) are not fetched:
/// ```
/// #[forall::foreach]
/// fn multiply(rows: &[usize], #[gather] column: &[u32], #[gather] a: &[f64], #[gather] x: &[f64], y: &mut [f64]) {
///     for i in 0..y.len() {
///         let row = rows[i]..rows[i + 1];
///         y[i] = a[row.clone()].iter().zip(&column[row]).map(|(a, c)| a * x[*c as usize]).sum();
///     }
/// }
///
/// let mut y = [0.0; 2];
/// multiply(&[0, 2, 3], &[0, 1, 1], &[1.0, 2.0, 3.0], &[10.0, 20.0], &mut y);
/// assert_eq!(y, [50.0, 60.0]);
/// ```
///
/// A function that calls annotated ones: outside of its loops, it hands its slices on as they are. Steps that depend on each other have a
/// loop around them that is marked:
/// ```
/// use forall::{foreach, kary_reduce};
///
/// #[kary_reduce]
/// fn total(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for x in x {
///         sum += x;
///     }
///     sum
/// }
///
/// #[foreach]
/// fn halve_in_rounds(x: &mut [f64], rounds: usize) -> f64 {
///     #[sequential]
///     for round in 0..rounds {
///         for i in (round % 2..x.len()).step_by(2) {
///             x[i] *= 0.5;
///         }
///     }
///     total(&*x)
/// }
///
/// assert_eq!(halve_in_rounds(&mut [2.0, 4.0, 6.0], 2), 6.0);
/// ```
/// In a loop's body such a call runs alone, on the thread that makes it.
///
/// # Errors
/// Of the compiler, with a code that [`codes`](crate::codes) explains. A dependence between iterations, for example:
/// ```compile_fail
/// #[forall::foreach]
/// fn totals(x: &mut [f64]) {
///     for i in 1..x.len() {
///         x[i] += x[i - 1]; // FA010: this is a scan
///     }
/// }
/// ```
///
/// # Panics
/// - Where the sequential loop panics: an index out of bounds, an overflow, a panic of the body. A panic ends all ranks, with
///   one message that names function, iteration and rank. Later iterations may have written their elements before.
/// - Where two iterations write the same element for the strides and bounds of this call (FA061).
/// - Where the ranks make different calls, or the same call with different lengths or bounds.
pub use forall_macros::foreach;

/// Runs a loop that collects (`out.push(..)`, a state of its own, scratch buffers) with one collection for each worker,
/// put together in the order of the iterations.
///
/// # The loop before
/// ```
/// fn above(x: &[f64], level: f64, places: &mut Vec<usize>) {
///     for i in 0..x.len() {
///         if x[i] > level {
///             places.push(i);
///         }
///     }
/// }
/// ```
///
/// # What it becomes
/// A function whose parameter `places` takes a `Vec` or a [`DistVec`](crate::DistVec). Each piece of the iterations pushes to
/// a vector of its own; these are appended in order. On several ranks, each rank's target receives what the rank's
/// iterations pushed. The shares in rank order are then the sequence of the sequential loop: a `DistVec` keeps it as one
/// long vector, and [`rebalance`](crate::DistVec::rebalance) evens it out. Elements that a target held before stay in front: in a
/// `DistVec` in front of all that is pushed, in a plain `Vec` in front of what this rank pushes. (So plain `Vec`s that are not empty on
/// several ranks do not end in the sequential order.) `above::sequential`, `PLAN` and `EXPLAIN` are as for [`foreach`].
///
/// A state is a value of your own that the function makes before the loop, changes in it and returns. Each worker gets one, and another
/// one whenever it takes over iterations that another worker has not come to. They are
/// merged in order over threads and ranks, and every rank returns the result. A buffer that each iteration clears before it uses
/// it (`buffer.clear()`, `buffer = Vec::new()`, on every path) is scratch: each worker has one and uses it again and again.
///
/// For maps, the loop itself shows how two are merged: `*m.entry(k).or_insert(0) += e` adds up (integers),
/// `m.entry(k).or_insert(e)` keeps the first value, `m.insert(k, e)` the last, and `m.entry(k).or_default().push(e)` appends.
///
/// # Arguments
/// - `init = path, merge = path`: the functions that make a state and merge two, `fn() -> S` and `fn(&mut S, S)`. Without them,
///   the state's type implements [`Merge`](crate::Merge).
/// - `merge_all = path`, beside these: a function that puts the states of all workers together at once, `fn(Vec<S>) -> S`. It gets them in
///   the order of the iterations, at least one of them, and gives what merging them one by one gives. It is called outside of the loop, so
///   that an annotated loop in it runs on all workers: bucket by bucket, say, where merging two by two would have one worker go
///   through all buckets. On one rank the state from before the loop is the first one of them. On several ranks each rank puts the states
///   of its own workers together so, the annotated calls in it are of this rank alone, and what the ranks have is merged by `merge`.
/// - `explain`, `associated`, `grain` and the markers of parameters are those of [`foreach`].
///
/// # Requirements
/// - The loop only adds to a collection or state. It does not look at the contents (FA014), as `out.len()`, `out.pop()` or
///   `if seen.insert(v)` would.
/// - `merge(a, b)`, where `b` comes from later iterations, gives what one state would hold after all of them. It is associative,
///   and the fresh state is its identity. It need not commute.
/// - A state is [`Send`]. On several ranks it also implements `serde`'s `Serialize` and `Deserialize` (FA041).
///
/// # Determinism
/// The order of pushes is that of the sequential loop, on any number of threads and ranks. A state has the same value
/// wherever `merge` is associative.
///
/// # Cost
/// With several threads, one copy of what was pushed. With several ranks, the handshakes of [`foreach`], and for a returned state
/// O(log ranks) messages for each rank, each of the state's size.
///
/// # Examples
/// ```
/// use forall::{DistVec, foreach_tls};
///
/// #[foreach_tls]
/// fn above(x: &[f64], level: f64, places: &mut Vec<usize>) {
///     for i in 0..x.len() {
///         if x[i] > level {
///             places.push(i);
///         }
///     }
/// }
///
/// let x = DistVec::from_fn(100, |i| (i % 10) as f64);
/// let mut places = DistVec::default();
/// above(&x, 8.5, &mut places);
/// assert_eq!(places.to_all(), [9, 19, 29, 39, 49, 59, 69, 79, 89, 99]);
/// ```
///
/// A state of one's own:
/// ```
/// use std::collections::BTreeSet;
///
/// fn join(all: &mut BTreeSet<u64>, later: BTreeSet<u64>) {
///     all.extend(later);
/// }
///
/// #[forall::foreach_tls(init = BTreeSet::new, merge = join)]
/// fn primes_among(x: &[u64]) -> BTreeSet<u64> {
///     let mut primes = BTreeSet::new();
///     for v in x {
///         if *v > 1 && (2..*v).all(|d| *v % d != 0) {
///             primes.insert(*v);
///         }
///     }
///     primes
/// }
///
/// assert_eq!(primes_among(&[4, 7, 3, 7]), BTreeSet::from([3, 7]));
/// ```
///
/// # Errors
/// Of the compiler, see [`codes`](crate::codes): nothing is collected (FA030), a collection that is looked at (FA014), a type
/// without [`Merge`](crate::Merge) (FA033).
///
/// # Panics
/// As [`foreach`]. The vectors are then empty: what was pushed and what they held before is lost.
pub use forall_macros::foreach_tls;

/// Runs a loop whose running value is stored or read: a *scan*, also segmented, reversed, exclusive, or a linear
/// recurrence.
///
/// # The loop before
/// ```
/// fn running_total(x: &[u64], out: &mut [u64]) {
///     let mut sum = 0;
///     for i in 0..x.len() {
///         sum += x[i];
///         out[i] = sum;
///     }
/// }
/// ```
///
/// # What it becomes
/// First, each chunk is reduced to its total. Then the totals are scanned over chunks, threads and ranks. At last each chunk runs
/// as written, from the value that it starts with. `running_total::sequential`, `PLAN` and `EXPLAIN` are as for [`foreach`].
///
/// # Forms
/// | in the loop | is |
/// |---|---|
/// | `sum += x[i]; out[i] = sum;` | inclusive |
/// | `out[i] = sum; sum += x[i];` | exclusive |
/// | `x[i] += x[i - 1]` | in place |
/// | `for i in (0..n).rev()` | from the end |
/// | `if starts[i] { sum = 0; }` | segmented, where the condition depends on inputs |
/// | `y = a[i] * y + x[i]` | a linear recurrence |
/// | `most = most.max(x[i])`, `if x[i] > most { most = x[i] }` | with another operator |
/// | `all = f(all, x[i])` with `combine = f` | with one's own |
///
/// Operators: `+ - * & | ^ && ||`, `min`, `max`, and the methods that [`kary_reduce`] knows. A loop may have several running values, with maps and reductions beside them. One
/// running value may feed another, over any number of levels (`speed += a[i] * dt; place += speed * dt`), but no running value may
/// feed itself through others.
///
/// # Arguments
/// - `combine = path`: an associative `fn(S, S) -> S`. The value before the loop must be its identity.
/// - `k = 8`: the arity of the tree across ranks.
/// - `explain`, `associated`, `grain` and the markers of parameters are those of [`foreach`].
///
/// # Requirements
/// The operator is associative. The built-in operators are (floating-point sums up to rounding). For `combine`, the author says so;
/// `FORALL_VERIFY=1` checks it.
///
/// # Determinism
/// Integers are those of the sequential loop. Floats have the same bits on any number of threads, and on any number of ranks where
/// shares are cut at chunks, as [`DistVec`](crate::DistVec) does. They may differ from the sequential loop's by rounding, because
/// sums of chunks are added, and so a condition on such a float may be decided the other way. A linear recurrence
/// `y = a * y + b` multiplies the factors of a chunk. A chunk for which numbers are too small runs in order, and the later ones too;
/// so do sums and products of floats. A loop that is on a GPU runs on the processor then.
///
/// # Cost
/// With one worker, the loop itself, in one pass. With more, two passes over the inputs and one over the outputs, and O(log ranks)
/// messages of a few bytes for each rank, whatever the length. Each further level of running values takes one more pass over the
/// inputs, and as many messages again.
///
/// # Examples
/// ```
/// use forall::{DistVec, distributed_scan};
///
/// #[distributed_scan]
/// fn running_total(x: &[u64], out: &mut [u64]) -> u64 {
///     let mut sum = 0;
///     for i in 0..x.len() {
///         sum += x[i];
///         out[i] = sum;
///     }
///     sum
/// }
///
/// let x = DistVec::from_fn(1_000_000, |i| i as u64);
/// let mut out = DistVec::zeroed_like(&x);
/// assert_eq!(running_total(&x, &mut out), 499_999_500_000);
/// assert_eq!(out.get(9), Some(45));
/// ```
///
/// # Errors
/// Of the compiler, see [`codes`](crate::codes): a running value that feeds itself other than by an associative operator (FA010,
/// FA015), and loops without one (FA030), for which [`kary_reduce`] is.
///
/// # Panics
/// As [`foreach`]. Where a function that combines running values panics for what a part of the iterations comes to, the loop runs in
/// order from there, and panics where the sequential loop does.
pub use forall_macros::distributed_scan;

/// Runs a loop that accumulates: a *reduction*, combined up a tree of arity `k` across ranks.
///
/// # The loop before
/// ```
/// fn range_of(x: &[f32]) -> (f32, f32) {
///     let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
///     for v in x {
///         least = least.min(*v);
///         most = most.max(*v);
///     }
///     (least, most)
/// }
/// ```
///
/// # What it becomes
/// Every chunk accumulates from the operator's identity, built-in commutative operators in a fixed number of lanes side by side; the
/// chunks' results merge in a fixed tree, and so do those of the ranks. All ranks return the result.
/// `range_of::sequential`, `PLAN` and `EXPLAIN` are as for [`foreach`].
///
/// # Forms
/// `acc += e`, `acc -= e`, `acc = acc + e`, `acc = acc.max(e)`, `if e > acc { acc = e }`, the place of the extreme beside it (`{ acc = e;
/// place = i }`, ties as in the sequential loop), `count += 1` under a condition, histograms `h[f(i)] += e` in an array
/// of one's own or a shared one, and `acc = f(acc, e)` with `combine = f`. Operators: `+ - * & | ^ && ||`, `min`, `max`, `wrapping_add`,
/// `wrapping_mul`, and of unsigned numbers `saturating_add` and `saturating_mul`. Values may be compared by methods as well, floats also by
/// their total order: `if e.total_cmp(&best).is_gt() { best = e }`. The best value may stand in an `Option`, `if best.is_none_or(|b| v < b) { best = Some(v) }` (as well by `map_or`, `match` or `if let`), and so may the first
/// one: `first = first.or(e)`.
/// Any number of accumulators.
///
/// An accumulator may be an array that every rank has: one of the function, or a slice marked `#[replicated]`, whose elements
/// iterations update by their index (`totals[j] += a[i * n + j]`) or as items (`for (t, x) in totals.iter_mut().zip(row) { *t += x; }`).
/// With `combine` or `algorithm`, each rank runs its iterations in order into its own array, and then the arrays of the ranks merge,
/// element by element, in rank order. Image compositing is this loop: see the last example. Where iterations do nothing but fold
/// whole chunks by the function, as there, or add whole chunks of `f32` or `f64`, the threads of a rank share the elements, and a rank's
/// only chunk is sent from where it lies.
///
/// # Arguments
/// - `combine = path`: an associative `fn(S, S) -> S`, also on structs; the value before the loop must be its identity. It need
///   not commute: the order of iterations is kept.
/// - `k = 8`: how many ranks combine at each step of the tree, at least 2.
/// - `identity = PATH`: for arrays that are combined by a function, the element that changes no other, on either side of it. What
///   equals it does not travel where that saves time.
/// - `algorithm = tod_tree`: how arrays of ranks merge, one of `tree` (of arity `k`), `binary_swap`, `radix_k` (`radices = [8, 4]`,
///   else `k` again and again), `direct_send`, `serial_direct_send`, `tod_tree` (direct send in groups of `regions = 16`, then
///   trees of arity `k`) and `pipeline` (a row of ranks, through which the array passes in `slices = 16`). With `auto`, and without the argument, the one that should be done first, by what messages, bytes and merging
///   take (measured once, all ranks together, when an array is long enough) and by how much of the arrays differs from `identity`:
///   `FORALL_EXPLAIN` tells which, and why.
/// - `root = 0`: this rank alone has the merged array, which saves telling the others. On these it holds nothing of use.
/// - `order = depth`: the arrays of ranks merge from the least `depth` to the greatest, and in rank order where these are the same.
///   It is a variable of the function, a number that each rank has its own of (`f32`, `f64` or a whole number of 32 bits at most), such
///   as how far the rank's part of a scene is from the eye. What the array holds before the loop counts on the rank that comes first.
///   A NaN has no place in an order: where one rank gives it, all panic.
///   `FORALL_VERIFY` does not compare such calls: the loop as it is written merges in rank order.
/// - `explain`, `associated`, `grain` and the markers of parameters are those of [`foreach`].
///
/// # Requirements
/// The operator is associative, as for [`distributed_scan`].
///
/// # Determinism
/// As for [`distributed_scan`]: integers as the sequential loop, floats the same bits on any number of threads, and of ranks
/// where shares are cut at chunks. Where the largest or least value is zero and `0.0` and `-0.0` are both there, either may
/// be kept. Parts of the iterations start from zero or one: a part of a product may be infinite where the sequential loop's value, which
/// begins with zero, stays zero. Arrays under `combine` or `algorithm` have the same bits on any number of threads; on several ranks,
/// floats are grouped by ranks.
///
/// In builds with overflow checks, a sum or product of integers panics if the sequential loop's leaves its type on the way, and so do the
/// bins of a histogram and the elements of an array under `algorithm`. On a graphics processor, a sum of signed numbers panics if the
/// total leaves its type. In such builds, loops that add integers to parts of bins (structs, inner arrays) run in order.
///
/// # Cost
/// One pass over the inputs. On several ranks, the tree takes `log_k(ranks)` rounds up and as many down, with one message of the
/// accumulators' size each. Of a histogram whose bins are a vector or a slice of at least 8 KiB for each rank, a rank puts together a part,
/// and tells it the others: it sends and receives about twice the size of all bins, in `2 (ranks - 1)` messages; a smaller one goes up and
/// down the tree. An array of n bytes under `algorithm` is sent in parts: with `direct_send`, `binary_swap` and `radix_k` a rank sends and
/// receives about n bytes, and as many again to have the result on all ranks. With `pipeline` it sends and receives n bytes at most, and the
/// root, if it is the first or the last rank, gets the result with them: that is least where links are slow and ranks few.
///
/// # Examples
/// ```
/// use forall::{DistVec, kary_reduce};
///
/// /// The deepest point: the first, if there are several.
/// #[kary_reduce(k = 8)]
/// fn deepest(depth: &[f32]) -> (f32, usize) {
///     let (mut most, mut place) = (f32::NEG_INFINITY, 0);
///     for i in 0..depth.len() {
///         if depth[i] > most {
///             most = depth[i];
///             place = i;
///         }
///     }
///     (most, place)
/// }
///
/// let depth = DistVec::from_fn(10_000, |i| (i % 100) as f32);
/// assert_eq!(deepest(&depth), (99.0, 99));
/// ```
///
/// One's own operator, which does not commute:
/// ```
/// fn then(f: [i64; 2], g: [i64; 2]) -> [i64; 2] {
///     // x -> g0 * (f0 * x + f1) + g1
///     [g[0] * f[0], g[0] * f[1] + g[1]]
/// }
///
/// #[forall::kary_reduce(combine = then)]
/// fn composed(maps: &[[i64; 2]]) -> [i64; 2] {
///     let mut all = [1, 0];
///     for map in maps {
///         all = then(all, *map);
///     }
///     all
/// }
///
/// assert_eq!(composed(&[[2, 1], [3, 5]]), [6, 8]);
/// ```
///
/// Layers of an image, front to back. Each rank may have any number of them:
/// ```
/// type Pixel = [f32; 4];
/// const CLEAR: Pixel = [0.0; 4];
///
/// fn over(front: Pixel, back: Pixel) -> Pixel {
///     std::array::from_fn(|k| front[k] + (1.0 - front[3]) * back[k])
/// }
///
/// #[forall::kary_reduce(combine = over, identity = CLEAR, algorithm = tod_tree, regions = 16, k = 8)]
/// fn composite(layers: &[Pixel], #[replicated] frame: &mut [Pixel]) {
///     for layer in layers.chunks(frame.len()) {
///         for (d, s) in frame.iter_mut().zip(layer) {
///             *d = over(*d, *s);
///         }
///     }
/// }
///
/// let mut frame = [CLEAR; 2];
/// composite(&[[0.5, 0.0, 0.0, 0.5], CLEAR, [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]], &mut frame);
/// assert_eq!(frame, [[0.5, 0.5, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]);
/// ```
///
/// # Errors
/// Of the compiler, see [`codes`](crate::codes): an operator that is not associative (FA015), and running values that are stored,
/// for which [`distributed_scan`] is.
/// ```compile_fail
/// #[forall::kary_reduce]
/// fn smoothed(x: &[f64]) -> f64 {
///     let mut acc = 0.0;
///     for v in x {
///         acc = 0.5 * acc + v; // FA015
///     }
///     acc
/// }
/// ```
///
/// # Panics
/// As [`foreach`]. A function that combines is called with what parts of the iterations come to. Where it panics for these, the loop runs
/// in order, and panics where the sequential loop does; but a loop that pushes, or changes elements in place, cannot be run again,
/// and of arrays that are combined element by element the panic ends the program. Where it panics for values that the sequential loop
/// comes to and for no part of the iterations (`assert!(total < 300)`), the call returns: look at the result instead.
pub use forall_macros::kary_reduce;

/// Sorts a slice over all threads and ranks: a function that calls one of std's sorts.
///
/// # The function before
/// ```
/// struct Particle {
///     cell: u32,
/// }
///
/// fn by_cell(particles: &mut [Particle]) {
///     particles.sort_by_key(|p| p.cell);
/// }
/// ```
///
/// # What it becomes
/// A function of the same name that also takes [`DistVec`](crate::DistVec)s. With several ranks each slice is a rank's share of one
/// long vector, and the whole is sorted. **A sort keeps the cuts**: element `i` of the sorted whole lies where element `i` lay, so
/// each share is as long as before whatever the keys are, and vectors that were cut alike stay so. Shares of very different
/// lengths are evened out by [`rebalance`](crate::DistVec::rebalance), before or after. `by_cell::sequential`, `PLAN` and `EXPLAIN`
/// are as for [`foreach`].
///
/// The sorts are `sort`, `sort_by`, `sort_by_key`, `sort_by_cached_key`, `sort_unstable`, `sort_unstable_by` and
/// `sort_unstable_by_key`. Statements before the call may prepare what the order needs (`let place = 7;`), but touch no slice.
///
/// Several slices are sorted together, as rows, by sorting the indices of their elements:
/// ```
/// #[forall::distributed_sort]
/// fn by_mass(mass: &mut [u32], name: &mut [u64]) {
///     let mut order: Vec<usize> = (0..mass.len()).collect();
///     order.sort_by_key(|&i| mass[i]);
///     mass.copy_from_slice(&order.iter().map(|&i| mass[i]).collect::<Vec<_>>());
///     name.copy_from_slice(&order.iter().map(|&i| name[i]).collect::<Vec<_>>());
/// }
///
/// let (mut mass, mut name) = ([3, 1, 2], [30, 10, 20]);
/// by_mass(&mut mass, &mut name);
/// assert_eq!(name, [10, 20, 30]);
/// ```
/// Of a `Vec`, `*mass = order.iter().map(|&i| mass[i]).collect();` does as well. The order may look at elements of any of the
/// slices, those that stay as they are too, at the indices that it compares. There is no vector of indices then: the
/// elements themselves are sorted. Slices that are cut in another way than the first one are cut like it meanwhile.
///
/// # Arguments and markers
/// `explain` and `associated`, and the marker `#[replicated]`, as for [`foreach`].
///
/// # Requirements
/// - The function does nothing else, and its parameter is `&mut [T]` or `&mut Vec<T>`.
/// - Elements are plain data ([`Element`](crate::Element)); a key may be anything.
/// - The closure changes nothing, and what it uses is [`Sync`]: all threads call it.
///
/// # Determinism
/// Elements that compare equal keep their order, over all ranks, in the unstable forms too. So the result is the same on any number
/// of threads and ranks. A comparison that is no order gives, as with std, some order of the same elements or a panic.
///
/// # Cost
/// On a rank: where elements or keys are integers, or floats are sorted by `|a, b| a.total_cmp(b)` or `f64::total_cmp`, they are sorted
/// by their digits; else each thread sorts a part as std does, and the parts merge. Both need room for a copy of the share. Of elements
/// of 32 bytes or more with a number as key, and of rows of several slices that are as long, the numbers are sorted, in room for these;
/// then each element moves once, over ranks too. A GPU sorts a rank's share by digits too where a number has 32 or 64 bits: a `DistVec` of such
/// numbers stays there; of elements with such a key (a shorter one counts as 32 bits), words go there and places come back. What is sorted
/// by comparing is sorted on the cores. On several ranks, some rounds of short messages follow (about log n / log 64), which find
/// exactly where the sorted whole is to be cut. Then each element goes to its rank in one exchange: it moves once at most.
///
/// # Examples
/// ```
/// use forall::{DistVec, distributed_sort};
///
/// #[distributed_sort]
/// fn by_distance(points: &mut [[f64; 2]], from: [f64; 2]) {
///     let square = |p: &[f64; 2]| (p[0] - from[0]).powi(2) + (p[1] - from[1]).powi(2);
///     points.sort_by(|a, b| square(a).total_cmp(&square(b)));
/// }
///
/// let mut points = DistVec::from_fn(1000, |i| [i as f64, 0.0]);
/// by_distance(&mut points, [500.2, 0.0]);
/// assert_eq!(points.get(1), Some([501.0, 0.0]));
/// ```
///
/// # Errors
/// Of the compiler, with a code that [`codes`](crate::codes) explains. Something else beside the sort, for example:
/// ```compile_fail
/// #[forall::distributed_sort]
/// fn largest(x: &mut [u64]) {
///     x.sort(); // FA031: the function does nothing but sort
///     x[0] = 0;
/// }
/// ```
///
/// # Panics
/// - Where slices that are sorted together have different lengths.
/// - Where the closure panics: all ranks end with one message. On one rank, all elements are still there, in some order.
/// - Where the ranks make different calls.
pub use forall_macros::distributed_sort;

/// Lets loops call a function when they run on a GPU.
///
/// ```
/// use forall::{device, foreach};
///
/// #[device]
/// const STEPS: u32 = 100;
///
/// /// How long it takes to leave the circle.
/// #[device]
/// fn steps(c: (f32, f32)) -> u32 {
///     let (mut x, mut y) = (0.0_f32, 0.0_f32);
///     for step in 0..STEPS {
///         (x, y) = (x * x - y * y + c.0, 2.0 * x * y + c.1);
///         if x * x + y * y > 4.0 {
///             return step;
///         }
///     }
///     STEPS
/// }
///
/// #[foreach]
/// fn image(pixels: &mut [u32], width: usize) {
///     for i in 0..pixels.len() {
///         pixels[i] = steps(((i % width) as f32 * 0.01 - 2.0, (i / width) as f32 * 0.01 - 1.0));
///     }
/// }
///
/// let mut pixels = vec![0; 300 * 200];
/// image(&mut pixels, 300);
/// assert_eq!((pixels[0], pixels[100 * 300 + 200]), (0, 100));
/// ```
///
/// The function stays as it is. Loops and other functions with this attribute call it from any crate and by any name or path.
/// Functions inside the annotated function and closures need no attribute. A loop that calls any other function without it runs on
/// the processor, and `EXPLAIN` says so.
///
/// # Requirements
/// - It is a free function with plain types: numbers, `bool`, arrays `[T; N]` whose length is written as a number (or, taken by value, is
///   a constant), structs with [`DeviceData`](derive@DeviceData), tuples of these and arrays of tuples, `&T` and `&mut T` of them, and `&[T]` and `&mut [T]`: parts of the
///   loop's arrays, of what every rank has whole, and of slices that the function itself was given, but not of an array that
///   stands in a body. Type parameters are not handed to a device yet.
/// - Or it stands above an `impl` of such a struct, also of a trait: then all functions in it are marked. Loops call them as
///   `Vec3::dot(a, b)` or `a.dot(b)`, or, those of `std::ops` and of `PartialEq`, by the operator: `v * 2.0` is what the `impl` of
///   `Mul<f32>` says. Of an operator that is implemented for values and for references one is marked. A derived `==` is not seen,
///   but that of enums, and their order. What changes a value of which it is a method is called as `Vec3::normalize(&mut a)`.
/// - Its body does what annotated loops may do on a device; it may panic, `return`, and call other functions that are marked,
///   but not itself.
/// - Above a constant the attribute is allowed and does nothing: constants are known as they are.
/// - A device gets a function of its own for each choice of arrays whose parts it is handed.
/// - What it gives is one value, an `Option` of one, or a tuple that a loop takes apart where it calls it: `let (a, b) = f(x);`.
///
/// # Errors
/// A body or a signature that a device cannot run does not compile (FA052). A loop whose call does not fit the signature, or
/// whose function is built with other overflow checks than the loop, runs on the processor, and `EXPLAIN` says why.
///
/// # Panics
/// A panic in the function is one of the loop that calls it: see [`foreach`].
pub use forall_macros::device;

/// Describes the memory layout of a struct, so that loops can use it when they run on a GPU.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use forall::{DeviceData, foreach};
///
/// #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, DeviceData)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     velocity: [f32; 3],
///     mass: f32,
/// }
///
/// #[foreach]
/// fn fall(particles: &mut [Particle], dt: f32) {
///     for i in 0..particles.len() {
///         let Particle { velocity, mass, .. } = particles[i];
///         if mass > 0.0 {
///             particles[i].position[1] += dt * velocity[1];
///             particles[i] = Particle { velocity: [0.0, velocity[1] - 9.81 * dt, 0.0], ..particles[i] };
///         }
///     }
/// }
///
/// let mut particles = vec![Particle { position: [0.0; 3], velocity: [0.0, 1.0, 0.0], mass: 2.0 }; 10];
/// fall(&mut particles, 0.5);
/// assert_eq!(particles[9].position, [0.0, 0.5, 0.0]);
/// ```
///
/// The type of a literal is written somewhere in the function, as by a parameter here, or follows from what is done with the value
/// (`out[i] = Pair { a, b }`), or from `let p: Pair<f32> = ..`: a name alone does not tell whether it has type parameters.
///
/// What loops do with such a struct is what they do with numbers: it is an element, a captured value, an entry of a table or of
/// a constant, a variable, what a function with [`device`](macro@device) takes and gives, what a loop pushes, and what
/// `#[kary_reduce(combine = f)]` puts together. Its fields keep the places that Rust gives them. What types they have is known
/// when a loop runs first: until then, and in `f::WGSL`, they are holes such as `$0:type$`.
///
/// # Requirements
/// - It is a struct with fields, or a tuple struct, with `#[repr(C)]` or `#[repr(transparent)]`, and without parameters other than
///   types, of which each is such a type. Functions of a generic struct are marked for one type each: `impl Pair<f32>`.
/// - Or it is an enum whose variants have no fields, with `#[repr(u8)]` or another integer, whose `==` tells its variants apart.
/// - Its fields are numbers, `bool`, arrays `[T; N]`, and structs and enums with this derive.
/// - There is no room between its fields, nor after the last one: it is also [`bytemuck::NoUninit`] or `Pod`, as elements of a
///   `DistVec` are anyway.
///
/// # Errors
/// Of the compiler: what is no such struct (FA053). Loops with structs without this derive run on the processor's cores, and say
/// what to add.
///
/// [`bytemuck::NoUninit`]: https://docs.rs/bytemuck/latest/bytemuck/trait.NoUninit.html
pub use forall_macros::DeviceData;

/// Starts what annotated functions need, runs the program on every rank, and ends it.
///
/// ```no_run
/// #[forall::main]
/// fn main() -> Result<(), std::io::Error> {
///     let x = forall::DistVec::from_fn(1_000_000, |i| i as f64);
///     if forall::rank() == 0 {
///         println!("{} elements on {} ranks", x.len(), forall::ranks());
///     }
///     Ok(())
/// }
/// ```
///
/// It stands above `fn main()`, which may return what a plain `main` may. With the feature `mpi` and a launcher (`mpirun`),
/// the program runs on the launcher's ranks; without a launcher it is one rank. Settings are the [variables](crate#settings)
/// `FORALL_*`; programs that take such options themselves use [`run`](crate::run) instead.
///
/// Every rank runs all of `main`, so what it prints is printed once for each: ask for [`rank`](crate::rank) first, as above, or print what all ranks
/// have from one of them. What a loop's body prints comes from the rank and the thread that runs the iteration, in no order.
/// `FORALL_EXPLAIN` and errors are printed once.
///
/// Without this attribute annotated functions work too, on one rank.
///
/// # Errors
/// An error that `main` returns is printed once and gives a status other than 0. A bad setting, or a launcher without the
/// feature `mpi`, is printed and gives status 2 before the program runs.
///
/// # Panics
/// A panic on one rank ends all ranks, with one message that names the rank, and the function and the iteration where it
/// came from a loop. So do ranks that make different calls, or not as many.
pub use forall_macros::main;

/// A test that runs on every rank.
///
/// ```
/// #[forall::test(ranks = 3)]
/// fn all_ranks_see_the_same() {
///     let x = forall::DistVec::from_fn(100, |i| i as u64);
///     assert_eq!(x.to_all()[99], 99);
/// }
/// # fn main() {}
/// ```
///
/// Where a launcher started the test binary, each test runs on the launcher's ranks, one test at a time and in the same
/// order everywhere, and is reported once:
/// ```sh
/// CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="mpirun -n 3" cargo test --features mpi
/// ```
/// Without a launcher it runs on `ranks` threads of the process that are ranks, or on one.
///
/// # Panics
/// The test fails when it panics or returns an error on any rank; the others do not wait for it.
pub use forall_macros::test;
