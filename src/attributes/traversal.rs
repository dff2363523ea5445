//! The attribute for recursive functions.

/// Runs a recursive function that collects: its calls run on all threads, and its results come in the order of the sequential traversal.
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
/// The function calls itself for the children of a node, in any order and number. What it becomes: a call that the body makes is
/// put off until the body is done, and the worker then goes on with the first of them. A worker that has nothing to do gets half
/// of the calls nearest to the root that another one has not made yet, those that come last in order. So there are as many tasks as
/// workers ask for, however many nodes there are, and there is no stack to overflow.
///
/// # Arguments and markers
/// - `explain` and `associated`, as for [`foreach`](macro@crate::foreach); `init`, `merge` as for [`foreach_tls`](macro@crate::foreach_tls), and `combine` as for [`kary_reduce`](macro@crate::kary_reduce).
/// - `depth = n`: how many calls may be inside of each other, 1,048,576 unless told. It ends trees with circles by an error.
/// - `local`: each rank traverses a tree of its own, and keeps what it finds: no rank hears of another. Slices need no marker then.
/// - `#[replicated] nodes: &[T]`: all ranks have all of it. They share the calls.
///
/// # Requirements
/// - The function returns nothing. It collects in parameters `&mut`, which all calls hand on as they are: by `out.push(e)`,
///   `*sum += e`, `*most = e.max(*most)`, `if e < *best { *best = e; *place = at; }`, or methods of a state that merges
///   ([`Merge`](crate::Merge)). No call looks at what was collected before.
/// - Other parameters are the same in all calls, and [`Sync`]; or a call hands them down by value, and they are `Clone` and `Send`.
///   What they refer to lives as long as the traversal does: a call may hand down a part of a slice, and nothing of its own body.
/// - It calls itself in statements, not in a closure. A method may be called on any value of its type that lives as long as the
///   traversal (`self.left.walk(out)`, `child.walk(out)`, in a `Box` or an `Arc` too); it takes `&self` then.
///
/// # GPU
/// `FORALL_BACKEND=gpu` makes the calls level by level, where what calls hand down are numbers or arrays of numbers, and what they collect is
/// pushed, added, multiplied, or the greatest or the least: a loop over the calls of a level notes what each of them collects and which
/// calls it makes. The host then collects all of it in order, with the merges of any other traversal. `EXPLAIN` says whether
/// that is so, and if not, why. Levels with fewer than 1,024 calls (`FORALL_GRAIN` chooses another number) run on threads, the first
/// ones and whatever is below the first level that has fewer again: where one of the first 32 levels does not have as many, the whole traversal does.
/// A call that panics, or is too deep, is left to the threads as well. The shared slices go to the device once for each level.
///
/// # Determinism
/// What is pushed is in the order of the sequential traversal, also what a call pushes between and after the calls that it makes.
/// Sums of floats are added up call by call: they have the same bits on any number of threads, and level by level.
///
/// # Cost
/// A call costs about as much as one of the plain recursion. Of sums of floats, and of operators of the author, one value is kept for each
/// call until all calls before it are done. On several ranks each makes the calls of the first levels, some hundred, and then its
/// part of those below; the values are put together in O(log ranks) messages, and what a rank pushes is its share.
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
///     /// How often each word is there.
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
/// Of the compiler, with a code that [`codes`](crate::codes) explains. A call that looks at what others have found, for example:
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
/// - Where a call panics: with what the sequential traversal panics with. The traversal is made again in order to find that out.
/// - Where a call is deeper than `depth` (FA064).
/// - Where the ranks make different calls.
pub use forall_macros::traverse;
