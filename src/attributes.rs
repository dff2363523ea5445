//! The attributes, with their documentation. The macros themselves are in a separate crate.

mod devices;
mod programs;
mod traversal;

pub use devices::{DeviceData, device};
pub use programs::{main, test};
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
/// # Expansion
/// A function of the same name, with the same arguments for its callers. `x: &[f64]` also takes [`DistVec`](crate::DistVec)s, and with
/// several ranks each slice is a rank's share of one long vector. Indices and `.len()` inside the function are those of the whole vector.
/// The iterations are divided into chunks, which the threads share. Before the loop, each rank fetches the elements of its neighbours that
/// it needs (the halo). After the loop, it sends the elements that it has written for other ranks. The attribute also defines:
///
/// - `smooth::sequential(x, out)` is the loop as it was written;
/// - `smooth::PLAN`: the classes of each loop (`"foreach: 1 loop: map"`; with two loops ``"foreach: 2 loops: map; reduce by `+`"``), as
///   `EXPLAIN` names them;
/// - `smooth::EXPLAIN`: for each loop, the variables of its classes, how the loop runs and why, and the data that ranks exchange;
/// - `smooth::WGSL` is the loop as a GPU runs it (feature `gpu`).
///
/// # Arguments and markers
/// - `#[foreach(explain)]` shows `EXPLAIN` as a note of the compiler.
/// - `#[foreach(associated)]` is for a function in an `impl` block that does not take `self`, because the attribute cannot see the block.
/// - `#[foreach(crate = facade::forall)]` is for a program that gets `forall` from another library, which re-exports it. `#[forall::main]`,
///   `#[forall::test]` and `#[forall::device]` take this argument too, and `#[device_data(crate = facade::forall)]` stands below
///   `#[derive(DeviceData)]`. A dependency with another name (`fa = { package = "forall" }`) needs no argument.
/// - `#[foreach(grain = 1024)]` sets the number of iterations in a chunk, for all loops of the function. A worker takes at least a chunk at
///   a time. `grain = sqrt` is the square root of the number of iterations. Use it if few iterations have nearly all the work: the usual
///   chunks, which take 50 microseconds on average, would contain too many of these. Floating-point sums depend on the grain.
///   `FORALL_GRAIN` overrides it, and `FORALL_SCHEDULE` sets [how workers share the chunks](crate::Schedule). A trace (`FORALL_TRACE`)
///   shows a span for each worker of a loop. The field `imbalance` of a call is the time of its busiest worker, divided by the average
///   time: 1 is balanced.
/// - `#[replicated] x: &[T]` on a parameter: every rank holds the whole of `x`. An array into which iterations add or combine values,
///   element by element, may be `&mut [T]` too: see [`kary_reduce`]. On several ranks, a table that the loop reads as a whole needs this
///   marker ([`FA066`](crate::codes::FA066)).
/// - `#[gather] x: &[T]`: the indices of the elements that an iteration reads depend on data (`x[index[i]]`). On several ranks, each rank
///   first runs the part of the body that computes the indices, and then fetches the elements that its iterations read, once each. If the
///   indices are gathered themselves (`x[column[k]]`), this takes two rounds. The requested indices are cached (one bit for each element of
///   `x`, up to 64 MiB in all). Later calls transfer only the elements, until an array or a number on which the indices depend may have
///   changed. Indices that a function computes are not cached. If an index depends on values that the loop writes or on `x` itself, all of
///   `x` is fetched. `EXPLAIN` reports which case applies. A matrix in compressed rows reads its own entries in this way too: see below.
///   If `x` is a `&mut [T]`, the marker is for the loops that do not write it, and nothing is cached.
/// - `#[scatter] out: &mut [T]`: the indices of the elements that an iteration writes depend on data (`out[index[i]] = e`; or an update by
///   one operator in the whole loop: `+=` and similar ones, `out[k] = out[k].max(e)`, `if e > out[k] { out[k] = e }`). If several
///   iterations write to one element, it has the value of the sequential loop, to the last bit. An index out of range panics as in the
///   sequential loop. A single thread of a single rank writes directly. Otherwise workers record the writes of their iterations, and after
///   the loop the owners of the elements perform them, in the order of the iterations. The record takes an index (four bytes) and a value
///   for each write. On several ranks, each pair of ranks exchanges one message. It contains the indices only if they differ from those of
///   the previous call (up to 64 MiB of them are cached for each pair of ranks). A GPU computes indices and values, and the cores of the
///   processor write them, in the order of the iterations. Loops that write parts of elements, `out[k].x += e`, run entirely on the cores.
/// - `#[halo(expr)] x: &[T]`: iteration `i` reads only elements of `x` that are at most `expr` away from `x[i]`. For an array of several
///   dimensions (feature `ndarray`), `expr` counts planes.
/// - `#[sequential]` above a loop of the function, also a `while` or `loop`: its iterations run in order, the same ones on every rank, and the attribute applies to
///   the loops inside of it. A loop that only repeats loops over slices (time steps, sweeps) needs no marker if its variable selects no
///   elements. The compiler rejects any other loop that is not parallel, with the reason, so that no loop becomes sequential silently.
///
/// # Outside of loops
/// Statements use a slice as a slice. Reading an element fetches it from its owner, and only its owner writes it. `out.fill(e)` transfers
/// no data, nor do `a.copy_from_slice(b)` and `a.swap_with_slice(b)` if both slices are cut alike. Any other use of a whole slice
/// (`x.iter().sum()`) fetches it on every rank; `FORALL_EXPLAIN=1` prints the number of bytes. The parts of
/// `let (left, right) = x.split_at_mut(k);` are slices that loops can use like `x`.
///
/// # Objects
/// In `for tile in next.tiles([64, 64])`, for a parameter `next: &mut Object<T, D>`, an iteration is a task. It accesses elements of
/// [objects](crate::Object) by their indices, `next[[y, x]] = now[[y - 1, x]]`, which are computed from the ranges of the tile: `tile.rows()`,
/// `tile.columns()`, `tile.planes()`, `tile.indices()`, `tile.inside([1, 1])`, `tile.grown([1, 1])` and `tile.ranges()`, or from `tile.number()`. From the indices follow
/// the boxes that a task reads and writes. An axis of unknown index counts as a whole. Tasks run on the rank that has most of their input;
/// if the loop reduces, they run in their order, so that sums have the same bits on any number of ranks. No task may access an element that
/// another task writes ([FA024](crate::codes::FA024)), before the same [`barrier`](crate::barrier). If this depends on the shape of the tiles, the call checks it. Slices have the marker
/// `#[replicated]`. A loop over tiles cannot be a scan: let each task write its
/// result to `results[[tile.number()]]`, and go through these. A loop over indices, `for y in 0..ny { .. next[[y, x]] .. }`, is a region of tasks too: a
/// task is a range of iterations.
///
/// A task may also declare its access: `let view = object.get(range);`, `object.get_mut(range)` and `object.modified(range)`, and
/// `let wanted = object.fetch(range);` with `wanted.wait()` in a later statement. The
/// statements in between run while the elements are in transit. A task declares all elements that it changes. See [`Object`](crate::Object).
///
/// # Requirements
/// - At most one iteration writes an element, and then no other iteration reads it. The compiler proves this from the indices. If strides
///   are known only at run time, each call proves it once. A loop for which neither proof works is rejected.
/// - Elements are plain data ([`Element`](crate::Element)). Other values that the loop reads are [`Sync`].
/// - The functions that the loop calls return the same result for the same arguments, and have no side effects on other iterations. The
///   compiler checks values by their types. You guarantee the behaviour of functions, callbacks (`&dyn Fn(f64) -> f64`) and trait objects,
///   because the compiler does not look inside them: [the limits of the check](crate::codes::FA017#limits-of-the-check).
/// - The loop may also reduce (`sum += x[i]`), push and scan: this attribute only requires that it writes elements. A counter that each
///   iteration moves by the same number (`out[k] = x[i]; k += 2;`) is computed from the number of the iteration.
///
/// # Determinism
/// The results have the same bits as those of the sequential loop, on any number of threads and ranks. For floating-point sums of the same
/// loop, see [`kary_reduce`].
///
/// # Cost
/// On one rank, the cost of the loop itself; a loop of a few microseconds stays on the calling thread. On several ranks, each loop needs a
/// handshake (O(log ranks) messages), and the halos, one message to each neighbour: for the loop above, 8 bytes. Repeated calls send the
/// halo inside the messages of the handshake. The remaining messages of the handshake are empty: on two ranks there are none, and on more
/// every rank must learn that no other has panicked or is at another call. With several arrays, each halo of at least 128 KiB is a message
/// of its own. From half a megabyte on, if ranks are on several machines, the communication overlaps with the iterations that do not need
/// the halos. If the vectors are cut at the same places, no other data move. A halo is not sent again while its vector is unchanged.
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
/// // Vectors and slices work as well. This is the loop without the attribute:
/// let (x, mut out) = ([0.0, 4.0, 0.0], [0.0; 3]);
/// smooth::sequential(&x, &mut out);
/// assert_eq!(out, [0.0, 2.0, 0.0]);
/// ```
///
/// Several loops in one function, with plain statements between them, and a table that every rank holds:
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
/// A matrix in compressed rows times a vector. Only `rows` determines the entries of a row, so `column` and `a` are gathered as well.
/// `for k in rows[i]..rows[i + 1]` works in the same way. Entries that [have the same owner as their rows](crate::DistVec::rebalance_rows)
/// are not fetched:
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
/// A function that calls annotated functions: outside of its loops, it passes its slices on as they are. Mark the loop around steps that
/// depend on each other:
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
/// In a loop's body, such a call runs on the calling thread alone.
///
/// # Errors
/// The compiler reports errors with a code that [`codes`](crate::codes) explains. An example is a dependence between iterations:
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
/// - If the sequential loop panics: an index out of bounds, an overflow, a panic of the body. A panic ends all ranks, with one message that
///   names the function, the iteration and the rank. Later iterations may already have written their elements.
/// - If two iterations write the same element for the strides and bounds of this call (FA061).
/// - If the ranks make different calls, or the same call with different lengths or bounds.
pub use forall_macros::foreach;

/// Runs a loop that collects (`out.push(..)`, a state, scratch buffers). Each worker has its own collection, and the collections are merged
/// in the order of the iterations.
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
/// # Expansion
/// A function whose parameter `places` takes a `Vec` or a [`DistVec`](crate::DistVec). Each chunk of iterations pushes to its own vector,
/// and these vectors are appended in order. On several ranks, each rank's target receives the elements that the rank's iterations pushed.
/// The shares in rank order are then the sequence of the sequential loop: a `DistVec` holds it as one long vector, and
/// [`rebalance`](crate::DistVec::rebalance) makes the shares equally long. Earlier elements of a target stay in front: in a `DistVec` in
/// front of all pushed elements, in a plain `Vec` in front of the elements that this rank pushes. (So plain `Vec`s that are not empty on
/// several ranks do not end in the sequential order.) `above::sequential`, `PLAN` and `EXPLAIN` are as for [`foreach`].
///
/// A state is a value of your own type that the function creates before the loop, changes in it and returns. Each worker gets one, and a
/// further one whenever it takes over iterations from another worker. The states are merged in order over threads and ranks, and every rank
/// returns the result. A buffer that each iteration clears before it uses it (`buffer.clear()`, `buffer = Vec::new()`, on every path) is
/// scratch: each worker has one and reuses it.
///
/// For maps, the update in the loop determines the merge: `*m.entry(k).or_insert(0) += e` adds (integers), `m.entry(k).or_insert(e)` keeps
/// the first value, `m.insert(k, e)` the last, and `m.entry(k).or_default().push(e)` appends. Vectors of vectors, and arrays of them, to which
/// the loop pushes (`cells[c].push(i)`), merge row by row.
///
/// # Arguments
/// - `init = path, merge = path`: the functions that create a state and merge two, `fn() -> S` and `fn(&mut S, S)`. Without them, the
///   state's type must implement [`Merge`](crate::Merge).
/// - `merge_all = path`, in addition to these: a function that merges the states of all workers at once, `fn(Vec<S>) -> S`. It receives at
///   least one state, in the order of the iterations, and returns the same result as merging them one by one. It is called outside of the
///   loop, so that an annotated loop in it runs on all workers: for example bucket by bucket, whereas pairwise merging would make one
///   worker process all buckets. On one rank, the first state is that from before the loop. On several ranks, each rank merges the states
///   of its own workers in this way. The annotated calls in the function then run on this rank alone, and `merge` merges the results of the
///   ranks.
/// - `explain`, `associated`, `crate`, `grain` and the markers of parameters are those of [`foreach`].
///
/// # Requirements
/// - The loop only adds to a collection or state. It does not read the contents (FA014), as `out.len()`, `out.pop()` or `if seen.insert(v)`
///   would.
/// - `merge(a, b)`, where `b` comes from later iterations, gives the state after all of these iterations. It is associative, and the newly
///   created state is its identity. It need not commute.
/// - A state is [`Send`]. On several ranks it also implements `serde`'s `Serialize` and `Deserialize` (FA041).
///
/// # Determinism
/// The order of pushes is that of the sequential loop, on any number of threads and ranks. A state has the same value if `merge` is
/// associative.
///
/// # Cost
/// With several threads, one copy of the pushed elements. With several ranks, the handshakes of [`foreach`], and for a returned state O(log
/// ranks) messages for each rank, each of the state's size.
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
/// A state of your own type:
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
/// For the compiler's errors, see [`codes`](crate::codes): a loop that collects nothing (FA030), a collection that the loop reads (FA014),
/// a type without [`Merge`](crate::Merge) (FA033).
///
/// # Panics
/// As for [`foreach`]. The vectors are then empty: the pushed and the earlier elements are lost.
pub use forall_macros::foreach_tls;

/// Runs a loop that stores or reads an accumulator in each iteration: a *scan*, also segmented, reversed, exclusive, or a linear
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
/// # Expansion
/// First, each chunk is reduced to its total. Then the totals are scanned over chunks, threads and ranks. Finally, each chunk runs as
/// written, from its initial value. `running_total::sequential`, `PLAN` and `EXPLAIN` are as for [`foreach`].
///
/// # Forms
/// | in the loop | is |
/// |---|---|
/// | `sum += x[i]; out[i] = sum;` | inclusive |
/// | `out[i] = sum; sum += x[i];` | exclusive |
/// | `x[i] += x[i - 1]` | in place |
/// | `for i in (0..n).rev()` | from the end |
/// | `if starts[i] { sum = 0; }` | segmented, if the condition depends only on inputs |
/// | `y = a[i] * y + x[i]`, `n += 1.0; mean += (x[i] - mean) / n` | a linear recurrence |
/// | `let y = b * x[i] - a1 * y1 - a2 * y2; y2 = y1; y1 = y` | a system of linear recurrences: filters, oscillators, products of complex numbers |
/// | `y[i] = x[i] + a1 * y[i - 1] + a2 * y[i - 2]` | the same through an array, from up to four elements before |
/// | `queue = (queue + a[i] - s[i]).max(0)`, `v = (v + x[i]).clamp(low, high)` | a sum within bounds, also with `saturating_add` and `saturating_sub` |
/// | `here = (here + x[i]).max(x[i]); best = best.max(here)` | a recurrence of sums and maxima, or minima |
/// | `b = (b & m[i]) \| s[i]`, `on = !on` | a recurrence of bits |
/// | `state = match (state, c) { (A, 1) => B, .. }` | a finite-state machine: an enum without data, a `bool`, or few numbers; also by a table, `state = NEXT[state][c]` |
/// | `if x[i] > 0.0 { out[k] = x[i]; k += 1; }` | a compaction: `k` is the index that an iteration writes |
/// | `most = most.max(x[i])`, `if x[i] > most { most = x[i] }` | with another operator |
/// | `if x[i] < best { best = x[i]; at = i; } out[i] = at;` | the best value so far, in any spelling that [`kary_reduce`] accepts, except for special values |
/// | `all = f(all, x[i])` with `combine = f` | with your own operator |
///
/// Operators: `+ - * & | ^ && ||`, `min`, `max`, and the methods that [`kary_reduce`] supports. A loop may have several scan states, and
/// maps and reductions in addition. One state may depend on another, over any number of levels (`speed += a[i] * dt; place += speed * dt`),
/// and a condition may read a finite-state machine. States that depend on each other form a system: up to four of them, which are computed
/// by sums and products with values of the iteration, or by sums and one of `max` and `min`. The product of two of them is refused.
///
/// A finite-state machine takes at most 64 states: the constants that the loop assigns, truth values, remainders (`% n`) and carries
/// (`>> k`, `/ n`), and the elements of a table. If there are more, or if it takes another value in the end, the loop continues sequentially.
///
/// # Arguments
/// - `combine = path`: an associative `fn(S, S) -> S`, the one that the loop calls. The value before the loop must be its identity.
/// - `k = 8`: the arity of the tree across ranks.
/// - `explain`, `associated`, `crate`, `grain` and the markers of parameters are those of [`foreach`].
///
/// # Requirements
/// The operator is associative. The built-in operators are (floating-point sums up to rounding). For `combine`, you guarantee it;
/// `FORALL_VERIFY=1` checks it. A name in `combine` means what it means in the loop, also a closure or an import. Clones equal their values.
///
/// # Determinism
/// Integers are those of the sequential loop. Floats have the same bits on any number of threads. They also have the same bits on any
/// number of ranks if shares are cut at chunks, as [`DistVec`](crate::DistVec) cuts them. They may differ from the sequential loop's by
/// rounding, because sums of chunks are added. So a condition on such a float may have another result. A linear recurrence `y = a * y + b`
/// multiplies the factors of a chunk. If these products underflow, the recurrence continues sequentially from that chunk; so do sums and
/// products of floats. A loop on a GPU runs on the processor then. Systems do the same if factors grow so much that digits cancel; sums with
/// bounds or maxima, if an integer might overflow on the way, or if a float is infinite or NaN. The sums of a chunk are added before they
/// are compared: the error of a float is that of a sum over the chunk.
///
/// # Cost
/// With one worker, the cost of the loop itself, in one pass. With more, two passes over the inputs and one over the outputs, and O(log
/// ranks) messages of a few bytes for each rank, for any length. Each further level of scan states takes one more pass over the inputs, and
/// as many messages again.
///
/// A system of `k` variables with factors from the inputs computes `k + 1` numbers for each variable in the first pass, and one number if
/// the factors are the same in all iterations. A finite-state machine runs the first pass once for each of its states. GPUs do not run
/// systems and machines yet.
///
/// A compaction (`out[k] = x[i]; k += 1;` under a condition) records its writes and applies them after the loop, 8 bytes and a value for
/// each: on several threads it may take longer than the plain loop. `out.push(x[i])` under [`foreach_tls`] records nothing.
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
/// For the compiler's errors, see [`codes`](crate::codes): a scan state that depends on itself other than by an associative operator
/// (FA010, FA015), and loops without a scan state (FA030), which need [`kary_reduce`].
///
/// # Panics
/// As for [`foreach`]. If a function that combines scan states panics for the partial result of some iterations, the loop continues
/// sequentially from there, and panics if the sequential loop does.
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
/// # Expansion
/// Every chunk accumulates from the operator's identity. Built-in commutative operators use a fixed number of parallel lanes. The chunks'
/// results merge in a fixed tree, and so do those of the ranks. All ranks return the result. `range_of::sequential`, `PLAN` and `EXPLAIN`
/// are as for [`foreach`].
///
/// # Forms
/// | in the loop | is |
/// |---|---|
/// | `acc += e`, `acc -= e`, `acc = acc + e`, `acc = acc.max(e)`, `if e > acc { acc = e }` | a number |
/// | `if e > acc { acc = e; place = i }` | the best value with its index, ties as in the sequential loop |
/// | `count += 1` under a condition | a count |
/// | `h[f(i)] += e`, or `let bin = &mut h[f(i)]; *bin += e` | a histogram, in a local or a shared array |
/// | `if h[f(i)] < 255 { h[f(i)] += 1; }`, `h[f(i)] = (h[f(i)] + 1) % m` | a histogram whose updates all apply one function: a chunk counts them |
/// | `acc = f(acc, e)` with `combine = f` | a result of your own operator |
///
/// Operators: `+ - * & | ^ && ||`, `min`, `max`, `wrapping_add`, `wrapping_mul`, and for unsigned numbers `saturating_add` and
/// `saturating_mul`. Methods may compare the values, for floats also by their total order: `if e.total_cmp(&best).is_gt() { best = e }`.
///
/// A best value and the variables that are set with it need no particular form. The compiler runs an iteration on symbols. It accepts the
/// iteration if two conditions hold. Values of the iteration alone decide whether there is a candidate. A candidate is taken exactly if
/// there is no value yet, or if its key compares as better. So these are all the same:
/// `if e <= best { continue; } best = e;`, `(best, at) = if e < best { (e, i) } else { (best, at) }`, `match`, `let .. else`, and an `Option` by
/// `is_none_or`, `map_or`, `filter` or `or`. A flag may say that there is no value yet (`if first || e < best { .. first = false; }`), or a special
/// value (`if at == usize::MAX || ..`, `if best.is_nan() || ..`), or the first iteration (`if i == 0 { best = e; } else { .. }`). If an iteration takes
/// the special value itself, the loop runs in order. An `Option` may also hold the greatest number, `most = Some(most.map_or(v, |m| m.max(v)))`, or the first
/// match, `first = first.or(e)`. A key of several parts may have a float as its first part only, `(e, i) < best`: `(1.0, NAN)` compares
/// with `(0.0, 1.0)` and not with `(1.0, 1.0)`. A loop may have any number of accumulators.
///
/// An iteration may end the loop by `break` or `return value`: `if x[i] < x[i - 1] { return false; }`. Values so far must not decide about it. A chunk
/// stops at its first exit, workers skip later chunks, and panics there do not count. The loop leaves numbers, best values and matches, but no
/// written elements, pushes or histograms. It returns constants or plain data (numbers, also in tuples, `Some`, `Ok` or `Err`), and does not run on a GPU.
/// An accumulator may be a map, if the loop updates each entry by a sum or product of integers or by a bit operation: `*m.entry(k).or_insert(0) += e`.
///
/// An accumulator may be an array that every rank holds: a local one, or a slice marked `#[replicated]`. Iterations update its elements by
/// their index (`totals[j] += a[i * n + j]`) or as items (`for (t, x) in totals.iter_mut().zip(row) { *t += x; }`). With `combine` or
/// `algorithm`, each rank runs its iterations in order into its own array. Then the arrays of the ranks merge, element by element, in rank
/// order. Image compositing is this loop: see the last example. If iterations only fold whole chunks by the function, as there, or only add
/// whole chunks of `f32` or `f64`, the threads of a rank share the elements. If a rank has a single chunk, it sends it without a copy.
///
/// # Arguments
/// - `combine = path`: an associative `fn(S, S) -> S`, also on structs. The value before the loop must be its identity. It need not
///   commute: the order of iterations is kept.
/// - `k = 8`: the number of ranks that combine at each step of the tree, at least 2.
/// - `identity = PATH`: the identity of the function, on either side, for arrays that a function combines. Elements equal to it are not
///   sent if that saves time.
/// - `algorithm = tod_tree`: how arrays of ranks merge, one of `tree`, `binary_swap`, `radix_k`, `direct_send`, `serial_direct_send`,
///   `tod_tree`, `pipeline` and `auto`. `tree` has the arity `k`. `radix_k` has the factors `radices = [8, 4]`, by default `k` repeatedly.
///   `tod_tree` is direct send in groups of `regions = 16`, and then trees of arity `k`. `pipeline` is a row of ranks, through which the
///   array passes in `slices = 16`. `auto`, also the default, selects the algorithm with the least expected time. The estimate uses the cost of messages, bytes and merging (all ranks measure it once, together, when an
///   array is long enough) and the fraction of the arrays that differs from `identity`. `FORALL_EXPLAIN` reports the choice and the reason.
/// - `root = 0`: only this rank gets the merged array, which saves sending it to the others. Their arrays then have unspecified contents.
/// - `order = depth`: the arrays of ranks merge from the least `depth` to the greatest, and in rank order for equal ones. It is a variable
///   of the function, and a number that differs between ranks: an `f32`, an `f64` or an integer of at most 32 bits. An example is the
///   distance of the rank's part of a scene from the eye. Only on the first rank in this order, the initial contents of the array count. A NaN has no place
///   in an order: if one rank has it, all ranks panic. `FORALL_VERIFY` does not compare such calls, because the sequential loop merges in
///   rank order.
/// - `explain`, `associated`, `crate`, `grain` and the markers of parameters are those of [`foreach`].
///
/// # Requirements
/// The operator is associative, as for [`distributed_scan`].
///
/// # Determinism
/// As for [`distributed_scan`]: integers as in the sequential loop, floats with the same bits on any number of threads, and of ranks if
/// shares are cut at chunks. If the largest or least value is zero, and both `0.0` and `-0.0` occur, the result may be either. Chunks start
/// from zero or one: the product of a chunk may be infinite although the sequential loop's value, which begins with zero, stays zero.
/// Arrays under `combine` or `algorithm` have the same bits on any number of threads; on several ranks, floats are grouped by ranks.
///
/// In builds with overflow checks, a sum or product of integers panics if that of the sequential loop overflows at any point. The same
/// holds for the bins of a histogram, and for the elements of an array under `algorithm`. On a GPU, a sum of signed numbers panics if the total overflows. In
/// such builds, loops that add integers to parts of bins (structs, inner arrays) run sequentially.
///
/// # Cost
/// One pass over the inputs. On several ranks, the tree takes `log_k(ranks)` rounds up and as many down, with one message of the
/// accumulators' size each. If the bins of a histogram are a vector or a slice of at least 8 KiB for each rank, each rank merges a part of
/// them and sends it to the others. It sends and receives about twice the size of all bins, in `2 (ranks - 1)` messages; a smaller
/// histogram goes up and down the tree. An array of n bytes under `algorithm` is sent in parts: with `direct_send`, `binary_swap` and
/// `radix_k`, a rank sends and receives about n bytes, and as many again if all ranks get the result. With `pipeline`, it sends and
/// receives at most n bytes. These include the result for the root, if the root is the first or the last rank: this is the least for slow
/// links and few ranks.
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
/// Your own operator, which does not commute:
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
/// For the compiler's errors, see [`codes`](crate::codes): an operator that is not associative (FA015), and accumulators that the loop
/// stores in each iteration, which need [`distributed_scan`].
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
/// As for [`foreach`]. A function in `combine` is called with partial results of the iterations. If it panics for these, the loop runs
/// sequentially, and panics if the sequential loop does. But a loop that pushes, or changes elements in place, cannot run again: then the
/// panic ends the program, and so it does for arrays that are combined element by element. If the function panics only for values of the
/// sequential loop that are no partial result (`assert!(total < 300)`), the call returns: check the result instead.
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
/// # Expansion
/// A function of the same name that also takes [`DistVec`](crate::DistVec)s. With several ranks, each slice is a rank's share of one long
/// vector, and the whole vector is sorted. **A sort keeps the cuts**: element `i` of the sorted vector has the same owner as element `i`
/// before. So each share keeps its length for all keys, and vectors that were cut alike stay so. [`rebalance`](crate::DistVec::rebalance)
/// makes shares of very different lengths equal, before or after the sort. `by_cell::sequential`, `PLAN` and `EXPLAIN` are as for
/// [`foreach`].
///
/// The sorts are `sort`, `sort_by`, `sort_by_key`, `sort_by_cached_key`, `sort_unstable`, `sort_unstable_by` and `sort_unstable_by_key`.
/// Statements before the call may compute values for the order (`let place = 7;`), but must not access slices.
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
/// For a `Vec`, `*mass = order.iter().map(|&i| mass[i]).collect();` works as well. The order may read elements of any of the slices,
/// including unsorted ones, at the compared indices. The expansion has no vector of indices: it sorts the elements themselves. Slices that
/// are cut differently from the first one are redistributed like it during the sort.
///
/// # Arguments and markers
/// `explain`, `associated` and `crate`, and the marker `#[replicated]`, as for [`foreach`].
///
/// # Requirements
/// - The function does nothing else, and its parameter is `&mut [T]` or `&mut Vec<T>`.
/// - Elements are plain data ([`Element`](crate::Element)); a key may have any type.
/// - The closure has no side effects, and its captured variables are [`Sync`]: all threads call it.
///
/// # Determinism
/// Elements that compare equal keep their order, over all ranks, for the unstable methods too. So the result is the same on any number of
/// threads and ranks. A comparison that is not an order gives, as with std, the same elements in some order, or a panic.
///
/// # Cost
/// On a rank, integer elements or keys, and floats sorted by `|a, b| a.total_cmp(b)` or `f64::total_cmp`, are sorted by radix sort. For
/// other types, each thread sorts a part as std does, and the parts merge. Both need memory for a copy of the share. For elements of 32
/// bytes or more with a number as key, and for rows of several slices of this size, only the keys are sorted, with memory for these. Then
/// each element moves once, also between ranks. A GPU sorts a rank's share by radix sort too, for numbers of 32 or 64 bits: a `DistVec` of
/// such numbers stays on the GPU. For elements with such a key (a shorter one counts as 32 bits), the keys go to the GPU, and indices come
/// back. Sorts by comparison run on the cores. On several ranks, some rounds of short messages follow (about log n / log 64), which find
/// the exact cuts of the sorted vector. Then each element goes to its rank in one exchange: it moves at most once.
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
/// The compiler reports errors with a code that [`codes`](crate::codes) explains. An example is further code in addition to the sort:
/// ```compile_fail
/// #[forall::distributed_sort]
/// fn largest(x: &mut [u64]) {
///     x.sort(); // FA031: the function does nothing but sort
///     x[0] = 0;
/// }
/// ```
///
/// # Panics
/// - If slices that are sorted together have different lengths.
/// - If the closure panics: all ranks end with one message. On one rank, all elements are still there, in some order.
/// - If the ranks make different calls.
pub use forall_macros::distributed_sort;
