//! The attribute for recursive functions.

/// Runs a recursive function that collects: its calls run on all threads, and its results have the order of the sequential
/// traversal.
///
/// ```
/// use forall::traverse;
///
/// struct Node {
///     box_: [f64; 2],
///     children: std::ops::Range<usize>,
///     points: Vec<f64>,
/// }
///
/// /// The points between `from` and `to`.
/// #[traverse]
/// fn between(#[replicated] nodes: &[Node], at: usize, from: f64, to: f64, found: &mut Vec<f64>, visited: &mut u64) {
///     let node = &nodes[at];
///     *visited += 1;
///     if node.box_[1] < from || node.box_[0] > to {
///         return;
///     }
///     for &p in &node.points {
///         if from <= p && p <= to {
///             found.push(p);
///         }
///     }
///     for child in node.children.clone() {
///         between(nodes, child, from, to, found, visited);
///     }
/// }
///
/// let leaf = |points: [f64; 2]| Node { box_: points, children: 0..0, points: points.to_vec() };
/// let root = Node { box_: [0.0, 9.0], children: 1..4, points: Vec::new() };
/// let nodes = [root, leaf([0.0, 2.0]), leaf([3.0, 5.0]), leaf([6.0, 9.0])];
/// let (mut found, mut visited) = (Vec::new(), 0);
/// between(&nodes, 0, 1.0, 6.0, &mut found, &mut visited);
/// assert_eq!((found, visited), (vec![2.0, 3.0, 5.0, 6.0], 4));
/// ```
///
/// The function calls itself for the children of a node, in any order and number. The expansion defers each recursive call
/// until the body has ended, and the worker then continues with the first of these calls. An idle worker steals from another
/// one: of the pending calls nearest to the root, it takes half, those that come last in order. So there are as many tasks as
/// idle workers request, for any number of nodes, and no stack can overflow.
///
/// # Arguments and markers
/// - `explain`, `associated` and `crate`, as for [`foreach`](macro@crate::foreach); `init`, `merge` as for
///   [`foreach_tls`](macro@crate::foreach_tls), and `combine` as for [`kary_reduce`](macro@crate::kary_reduce).
/// - `depth = n`: the maximal depth of nested calls, by default 1,048,576. So a cycle in the tree is an error.
/// - `local`: each rank traverses its own tree and keeps its results, without communication. Slices then need no marker.
/// - `#[replicated] nodes: &[T]`: every rank holds the whole slice. The ranks share the calls.
///
/// # Requirements
/// - The function returns no value. It collects in `&mut` parameters, which all calls pass down unchanged: by `out.push(e)`,
///   `*sum += e`, `*most = e.max(*most)`, `if e < *best { *best = e; *place = at; }`, or methods of a state that merges
///   ([`Merge`](crate::Merge)). No call reads the results of earlier calls.
/// - Other parameters are the same in all calls, and [`Sync`]; or a call passes them down by value, and they are `Clone` and
///   `Send`. Their references live as long as the traversal: a call may pass down a part of a slice, but no reference to its
///   own body's variables.
/// - It calls itself in statements, not in a closure. A method takes `&self`. It may be called on any value of its type that
///   lives as long as the traversal (`self.left.walk(out)`, `child.walk(out)`, also in a `Box` or an `Arc`).
///
/// # GPU
/// `FORALL_BACKEND=gpu` runs the calls level by level. The arguments that calls pass down must be numbers or arrays of numbers.
/// The collected values must be pushed, added, multiplied, or reduced to the greatest or the least. A loop over the calls of a
/// level records the collected values and the recursive calls of each. The host then collects all values in order, with the
/// merges of any other traversal. `EXPLAIN` reports whether a traversal can run in this way, and if not, why. Levels with fewer
/// than 1,024 calls (`FORALL_GRAIN` sets another number) run on threads: the first levels, and all levels below the first later
/// one that is smaller again. If none of the first 32 levels is large enough, the whole traversal runs on threads. So does a
/// call that panics or is too deep. The shared slices are sent to the device once for each level.
///
/// # Determinism
/// The pushed elements have the order of the sequential traversal, including those that a call pushes between and after its
/// recursive calls. Sums of floats are added call by call: they have the same bits on any number of threads, also level by
/// level.
///
/// # Cost
/// A call costs about as much as one of the plain recursion. For sums of floats and user-defined operators, one value is kept
/// for each call until all earlier calls have ended. On several ranks, each rank runs the calls of the first levels, some
/// hundred, and then its part of the calls below. The ranks merge the values in O(log ranks) messages, and the elements that a
/// rank pushes are its share.
///
/// # Examples
/// A tree as a struct, and a state:
/// ```
/// use std::collections::BTreeMap;
///
/// struct Tree {
///     words: Vec<String>,
///     children: Vec<Tree>,
/// }
///
/// impl Tree {
///     /// The number of occurrences of each word.
///     #[forall::traverse]
///     fn count(&self, counts: &mut BTreeMap<String, u64>) {
///         for word in &self.words {
///             *counts.entry(word.clone()).or_insert(0) += 1;
///         }
///         for child in &self.children {
///             child.count(counts);
///         }
///     }
/// }
///
/// let leaf = || Tree { words: vec!["leaf".to_owned()], children: Vec::new() };
/// let tree = Tree { words: vec!["root".to_owned()], children: vec![leaf(), leaf()] };
/// let mut counts = BTreeMap::new();
/// tree.count(&mut counts);
/// assert_eq!(counts["leaf"], 2);
/// ```
///
/// # Errors
/// The compiler reports errors with a code that [`codes`](crate::codes) explains. An example is a call that reads the results
/// of others:
/// ```compile_fail
/// #[forall::traverse]
/// fn nearest(#[replicated] nodes: &[(f64, usize, usize)], at: usize, best: &mut f64) {
///     let (distance, left, right) = nodes[at];
///     if distance > *best {
///         return; // FA014: what `best` holds depends on the calls before
///     }
///     *best = distance.min(*best);
///     nearest(nodes, left, best);
///     nearest(nodes, right, best);
/// }
/// ```
///
/// # Panics
/// - If a call panics: with the panic of the sequential traversal. The traversal runs again in order to determine it.
/// - If a call is deeper than `depth` (FA064).
/// - If the ranks make different calls.
pub use forall_macros::traverse;
