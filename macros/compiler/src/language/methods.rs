//! The effects of the methods of `std` and of `ndarray` on their receivers: one table for all stages.
//!
//! A method without a row may have any effect on all memory that it can reach. The table knows only names: whether a
//! call is a call of the method in the table depends on the receiver, and stages may not know the receiver. A query
//! with a kind of receiver is about that kind. A query without one is about all kinds with a method of the name.

/// The kind of a method's receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A number, `bool`, `char`, or another value that can be ordered or compared.
    Number,
    /// `[T]`, and types that deref to it.
    Slice,
    /// `Vec`, `VecDeque`, `String`: items in an order.
    Sequence,
    /// `str`.
    Text,
    /// `HashMap`, `BTreeMap`.
    Map,
    /// `HashSet`, `BTreeSet`, `BinaryHeap`, `LinkedList`: items without an index.
    Set,
    /// `Option` and `Result`.
    Option,
    Iterator,
    /// An array of `ndarray`, or a view of one.
    Array,
    /// A vector or matrix of a fixed, small size, as crates for geometry define it.
    Vector,
    /// State that all threads may change: atomics, mutexes, cells.
    Shared,
}

/// The effect of a method on its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Does not change it.
    Reads,
    /// Reads only the number of its elements.
    Measures,
    /// Does not change it, and returns a reference to a part of it.
    Views,
    /// Does not change it, and returns an iterator over it.
    Iterates,
    /// Consumes an iterator and returns another one.
    Adapts,
    /// Takes items from an iterator, which then continues after them.
    Advances,
    /// Returns mutable elements, and cannot change their number.
    Lends,
    /// Returns mutable elements one after the other, and cannot change their number.
    LendsEach,
    /// Changes elements in place, and not their number.
    Changes,
    /// Overwrites all elements, and does not change their number.
    Sets,
    /// Sets the number of elements.
    Resizes,
    /// Appends: supported for vectors that iterations collect.
    Pushes,
    /// Adds, independently of the present contents.
    Adds,
    /// Reserves memory, without a visible effect.
    Reserves,
    /// Depends on the contents, and removes or moves some of them.
    Takes,
    /// Removes all contents.
    Clears,
    /// Changes the target of a shared reference.
    Shares,
}

/// The arguments of the closure of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// An item.
    Item,
    /// A reference to an item.
    Reference,
    /// The previous result, and an item.
    Fold,
    /// References to two items.
    Two,
    /// There is no closure, or its argument is no item.
    Nothing,
}

use Effect::{
    Adapts, Adds, Advances, Changes, Clears, Iterates, Lends, LendsEach, Measures, Pushes, Reads, Reserves, Resizes,
    Sets, Shares, Takes, Views,
};
use Of::{Array, Iterator, Map, Number, Option, Sequence, Set, Shared, Slice, Text, Vector};

/// The name, the kinds of receivers, and the effect. A name that ends in `*` is a prefix.
type Row = (&'static str, &'static [Of], Effect);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Numbers and other comparable values.
    ("abs", &[Number], Reads),
    ("abs_diff", &[Number], Reads),
    ("acos", &[Number], Reads),
    ("asin", &[Number], Reads),
    ("atan", &[Number], Reads),
    ("atan2", &[Number], Reads),
    ("bits", &[Number], Reads),
    ("cbrt", &[Number], Reads),
    ("ceil", &[Number], Reads),
    ("checked_add", &[Number], Reads),
    ("checked_div", &[Number], Reads),
    ("checked_mul", &[Number], Reads),
    ("checked_sub", &[Number], Reads),
    ("clamp", &[Number], Reads),
    ("cmp", &[Number], Reads),
    ("copysign", &[Number], Reads),
    ("cos", &[Number], Reads),
    ("cosh", &[Number], Reads),
    ("count_ones", &[Number], Reads),
    ("count_zeros", &[Number], Reads),
    ("div_ceil", &[Number], Reads),
    ("div_euclid", &[Number], Reads),
    ("eq", &[Number], Reads),
    ("exp", &[Number], Reads),
    ("exp2", &[Number], Reads),
    ("exp_m1", &[Number], Reads),
    ("floor", &[Number], Reads),
    ("fract", &[Number], Reads),
    ("ge", &[Number], Reads),
    ("gt", &[Number], Reads),
    ("hypot", &[Number], Reads),
    ("ilog10", &[Number], Reads),
    ("ilog2", &[Number], Reads),
    ("is_eq", &[Number], Reads),
    ("is_finite", &[Number], Reads),
    ("is_ge", &[Number], Reads),
    ("is_gt", &[Number], Reads),
    ("is_infinite", &[Number], Reads),
    ("is_le", &[Number], Reads),
    ("is_lt", &[Number], Reads),
    ("is_nan", &[Number], Reads),
    ("is_ne", &[Number], Reads),
    ("is_negative", &[Number], Reads),
    ("is_positive", &[Number], Reads),
    ("is_power_of_two", &[Number], Reads),
    ("is_sign_negative", &[Number], Reads),
    ("is_sign_positive", &[Number], Reads),
    ("is_zero", &[Number], Reads),
    ("isqrt", &[Number], Reads),
    ("le", &[Number], Reads),
    ("leading_zeros", &[Number], Reads),
    ("ln", &[Number], Reads),
    ("ln_1p", &[Number], Reads),
    ("log", &[Number], Reads),
    ("log10", &[Number], Reads),
    ("log2", &[Number], Reads),
    ("lt", &[Number], Reads),
    ("mul_add", &[Number], Reads),
    ("ne", &[Number], Reads),
    ("neg", &[Number], Reads),
    ("next_power_of_two", &[Number], Reads),
    ("overflowing_add", &[Number], Reads),
    ("overflowing_mul", &[Number], Reads),
    ("overflowing_neg", &[Number], Reads),
    ("overflowing_sub", &[Number], Reads),
    ("partial_cmp", &[Number], Reads),
    ("pow", &[Number], Reads),
    ("powf", &[Number], Reads),
    ("powi", &[Number], Reads),
    ("recip", &[Number], Reads),
    ("rem_euclid", &[Number], Reads),
    ("rotate_left", &[Number], Reads),
    ("rotate_right", &[Number], Reads),
    ("round", &[Number], Reads),
    ("saturating_add", &[Number], Reads),
    ("saturating_mul", &[Number], Reads),
    ("saturating_sub", &[Number], Reads),
    ("signum", &[Number], Reads),
    ("sin", &[Number], Reads),
    ("sin_cos", &[Number], Reads),
    ("sinh", &[Number], Reads),
    ("sqrt", &[Number], Reads),
    ("swap_bytes", &[Number], Reads),
    ("tan", &[Number], Reads),
    ("tanh", &[Number], Reads),
    ("to_bits", &[Number], Reads),
    ("to_degrees", &[Number], Reads),
    ("to_le_bytes", &[Number], Reads),
    ("to_radians", &[Number], Reads),
    ("total_cmp", &[Number], Reads),
    ("trailing_zeros", &[Number], Reads),
    ("trunc", &[Number], Reads),
    ("wrapping_add", &[Number], Reads),
    ("wrapping_mul", &[Number], Reads),
    ("wrapping_neg", &[Number], Reads),
    ("wrapping_shl", &[Number], Reads),
    ("wrapping_shr", &[Number], Reads),
    ("wrapping_sub", &[Number], Reads),
    ("max", &[Number, Iterator], Reads),
    ("min", &[Number, Iterator], Reads),

    // Anything.
    ("clone", &[Number, Sequence, Text], Reads),
    ("into", &[Number, Sequence, Text], Reads),
    ("to_owned", &[Number, Sequence, Text], Reads),
    ("to_string", &[Number, Sequence, Text], Reads),

    // Slices, sequences and texts.
    ("as_ref", &[Slice, Sequence], Views),
    ("as_slice", &[Slice, Sequence], Views),
    ("binary_search", &[Slice, Sequence], Reads),
    ("chunks", &[Slice, Sequence], Iterates),
    ("chunks_exact", &[Slice, Sequence], Iterates),
    ("concat", &[Slice, Sequence], Reads),
    ("join", &[Slice, Sequence], Reads),
    ("partition_point", &[Slice, Sequence], Reads),
    ("split_at", &[Slice, Sequence], Views),
    ("to_vec", &[Slice, Sequence], Reads),
    ("windows", &[Slice, Sequence], Iterates),
    ("contains", &[Slice, Sequence, Set, Text], Reads),
    ("ends_with", &[Slice, Text], Reads),
    ("starts_with", &[Slice, Text], Reads),
    ("find", &[Text], Reads),
    ("first", &[Slice, Array], Views),
    ("last", &[Slice, Array, Iterator], Reads),
    ("get", &[Slice, Sequence, Map, Array], Views),
    ("iter", &[Slice, Sequence, Map, Set, Array, Option], Iterates),
    ("len", &[Slice, Sequence, Map, Set, Text, Array], Measures),
    ("is_empty", &[Slice, Sequence, Map, Set, Text, Array], Measures),
    ("as_mut_slice", &[Slice], Lends),
    ("chunks_exact_mut", &[Slice], LendsEach),
    ("chunks_mut", &[Slice], LendsEach),
    ("first_mut", &[Slice], Lends),
    ("last_mut", &[Slice], Lends),
    ("rchunks_mut", &[Slice], LendsEach),
    ("split_at_mut", &[Slice], Lends),
    ("get_mut", &[Slice, Sequence, Map, Array], Lends),
    ("iter_mut", &[Slice, Sequence, Map, Array, Option], LendsEach),
    ("copy_within", &[Slice], Changes),
    ("reverse", &[Slice], Changes),
    ("rotate_left", &[Slice], Changes),
    ("rotate_right", &[Slice], Changes),
    ("select_nth*", &[Slice], Changes),
    ("sort*", &[Slice], Changes),
    ("swap_with_slice", &[Slice], Changes),
    ("swap", &[Slice, Array], Changes),
    ("clone_from_slice", &[Slice], Sets),
    ("copy_from_slice", &[Slice], Sets),
    ("fill_with", &[Slice], Sets),
    ("fill", &[Slice, Array], Sets),
    ("resize", &[Sequence], Resizes),
    ("resize_*", &[Sequence], Resizes),
    ("truncate", &[Sequence], Resizes),
    ("push", &[Sequence], Pushes),
    ("extend_from_slice", &[Sequence], Pushes),
    ("push_str", &[Sequence], Pushes),
    ("write_fmt", &[Sequence], Pushes),
    ("push_back", &[Sequence], Pushes),
    ("append", &[Sequence], Pushes),
    ("extend", &[Sequence], Pushes),
    ("write_all", &[Sequence], Adds),
    ("write_char", &[Sequence], Adds),
    ("write_str", &[Sequence], Adds),
    ("reserve", &[Sequence, Map, Set], Reserves),
    ("dedup", &[Sequence], Takes),
    ("dedup_*", &[Sequence], Takes),
    ("drain", &[Sequence, Map, Set], Takes),
    ("pop", &[Sequence, Map, Set], Takes),
    ("pop_*", &[Sequence, Map, Set], Takes),
    ("push_front", &[Sequence], Takes),
    ("remove", &[Sequence, Map, Set], Takes),
    ("remove_*", &[Sequence, Map, Set], Takes),
    ("retain", &[Sequence, Map, Set], Takes),
    ("retain_*", &[Sequence, Map, Set], Takes),
    ("split_off", &[Sequence, Map, Set], Takes),
    ("swap_remove", &[Sequence], Takes),
    ("swap_remove_*", &[Sequence], Takes),
    ("clear", &[Sequence, Map, Set], Clears),

    // Maps and sets.
    ("contains_key", &[Map], Reads),
    ("keys", &[Map], Iterates),
    ("values", &[Map], Iterates),
    ("insert", &[Map, Set], Adds),
    ("extend", &[Map, Set], Adds),
    ("append", &[Map, Set], Adds),
    ("push", &[Set], Adds),
    ("push_back", &[Set], Adds),

    // Options and results.
    ("and_then", &[Option], Reads),
    ("cloned", &[Option], Reads),
    ("copied", &[Option], Reads),
    ("expect", &[Option], Reads),
    ("filter", &[Option], Reads),
    ("flatten", &[Option], Reads),
    ("is_none", &[Option], Reads),
    ("is_none_or", &[Option], Reads),
    ("is_some", &[Option], Reads),
    ("is_some_and", &[Option], Reads),
    ("map", &[Option], Reads),
    ("map_or", &[Option], Reads),
    ("map_or_else", &[Option], Reads),
    ("unwrap", &[Option], Reads),
    ("unwrap_or", &[Option], Reads),
    ("unwrap_or_default", &[Option], Reads),
    ("unwrap_or_else", &[Option], Reads),
    ("zip", &[Option], Reads),
    ("take", &[Option], Takes),

    // Iterators.
    ("all", &[Iterator], Advances),
    ("any", &[Iterator], Advances),
    ("chain", &[Iterator], Adapts),
    ("cloned", &[Iterator], Adapts),
    ("copied", &[Iterator], Adapts),
    ("count", &[Iterator], Reads),
    ("enumerate", &[Iterator], Adapts),
    ("filter", &[Iterator], Adapts),
    ("filter_map", &[Iterator], Adapts),
    ("find", &[Iterator], Advances),
    ("find_map", &[Iterator], Advances),
    ("flat_map", &[Iterator], Adapts),
    ("flatten", &[Iterator], Adapts),
    ("fold", &[Iterator], Reads),
    ("for_each", &[Iterator], Reads),
    ("inspect", &[Iterator], Adapts),
    ("map", &[Iterator], Adapts),
    ("max_by", &[Iterator], Reads),
    ("max_by_key", &[Iterator], Reads),
    ("min_by", &[Iterator], Reads),
    ("min_by_key", &[Iterator], Reads),
    ("position", &[Iterator], Advances),
    ("product", &[Iterator], Reads),
    ("rev", &[Iterator], Adapts),
    ("skip", &[Iterator], Adapts),
    ("skip_while", &[Iterator], Adapts),
    ("step_by", &[Iterator], Adapts),
    ("sum", &[Iterator], Reads),
    ("take", &[Iterator], Adapts),
    ("take_while", &[Iterator], Adapts),
    ("zip", &[Iterator], Adapts),
    ("into_iter", &[Slice, Sequence, Array, Iterator], LendsEach),

    // Arrays of `ndarray`.
    ("dim", &[Array], Measures),
    ("len_of", &[Array], Measures),
    ("ncols", &[Array], Measures),
    ("ndim", &[Array], Measures),
    ("nrows", &[Array], Measures),
    ("raw_dim", &[Array], Measures),
    ("shape", &[Array], Measures),
    ("axis_iter", &[Array], Iterates),
    ("column", &[Array], Views),
    ("columns", &[Array], Iterates),
    ("index_axis", &[Array], Views),
    ("indexed_iter", &[Array], Iterates),
    ("mapv", &[Array], Reads),
    ("mean", &[Array], Reads),
    ("outer_iter", &[Array], Iterates),
    ("row", &[Array], Views),
    ("rows", &[Array], Iterates),
    ("slice", &[Array], Views),
    ("view", &[Array], Views),
    ("as_slice_mut", &[Array], Lends),
    ("column_mut", &[Array], Lends),
    ("index_axis_mut", &[Array], Lends),
    ("row_mut", &[Array], Lends),
    ("slice_mut", &[Array], Lends),
    ("indexed_iter_mut", &[Array], LendsEach),
    ("view_mut", &[Array], Lends),
    ("rows_mut", &[Array], LendsEach),
    ("outer_iter_mut", &[Array], LendsEach),
    ("axis_iter_mut", &[Array], LendsEach),
    ("map_inplace", &[Array], Changes),
    ("mapv_inplace", &[Array], Changes),
    ("scaled_add", &[Array], Changes),
    ("zip_mut_with", &[Array], Changes),
    ("assign", &[Array], Changes),

    // Small vectors and matrices.
    ("cross", &[Vector], Reads),
    ("dot", &[Vector], Reads),
    ("length", &[Vector], Reads),
    ("norm", &[Vector], Reads),

    // State that all threads share.
    ("borrow_mut", &[Shared], Shares),
    ("compare_exchange*", &[Shared], Shares),
    ("fetch_*", &[Shared], Shares),
    ("get_or_init", &[Shared], Shares),
    ("get_or_insert_with", &[Shared], Shares),
    ("lock", &[Shared], Shares),
    ("store", &[Shared], Shares),
    ("try_borrow_mut", &[Shared], Shares),
    ("try_lock", &[Shared], Shares),
];

/// The types for which the compiler assumes that a method is std's. `core` has a trait for each (`obligations`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The receiver always has a type of std.
    Any,
    /// Numbers, slices, collections, options, and references to them.
    OfStd,
    /// Slices, vectors, arrays, options, and references to them.
    Indexed,
    /// Maps, sets, texts and ranges.
    Keyed,
    /// Types of std other than references, and iterators.
    Owned,
    /// Floats and references to them.
    Float,
}

/// The steps in which rustc finds a method: by value, by reference, by mutable reference.
pub const STEPS: usize = 3;

/// The types for which the compiler assumes that a method of this name is std's, each with the number of lookup steps
/// in which rustc may find another method first.
///
/// An inherent method of std comes before a trait's in its own step too, so that all steps are tried: std's is found in one of them. A
/// method of a trait of std, or a generic one, is not: only the steps before its own are tried, and only for types that are no references.
pub fn assumed(method: &str) -> &'static [(Family, usize)] {
    match method {
        // For numbers other than floats, these are methods of `Ord`. They take the receiver by value, so a second
        // method of the name is always ambiguous.
        "max" | "min" | "clamp" => &[(Family::Float, STEPS)],
        "as_ref" | "borrow" | "clone" | "cmp" | "contains_key" | "eq" | "ge" | "gt" | "hash" | "le" | "lt" | "ne"
        | "partial_cmp" | "to_owned" | "to_string" | "concat" | "join" | "size_hint" => &[(Family::Owned, 1)],
        "as_mut" | "borrow_mut" | "by_ref" | "clone_from" | "extend" | "write_all" | "write_char" | "write_fmt"
        | "write_str" | "splice" => &[(Family::Owned, 2)],
        "contains" | "ends_with" | "find" | "get" | "starts_with" => &[(Family::Indexed, STEPS), (Family::Keyed, 1)],
        "get_mut" | "get_or_insert_with" | "remove" | "remove_entry" | "take" => {
            &[(Family::Indexed, STEPS), (Family::Keyed, 2)]
        }
        _ if rows(method).next().is_some_and(|(_, kinds, _)| *kinds == [Iterator]) || method.starts_with("into") => &[],
        _ => &[(Family::OfStd, STEPS)],
    }
}

/// An argument of a method, in code that is compiled and never runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// A value of the type that the method takes.
    Any,
    Index,
    /// `..`
    All,
    Unit,
    /// A function with this number of parameters. Its result has the type that the method requires.
    Function(usize),
    /// A function with this number of parameters and a result of any type.
    ToUnit(usize),
}

/// The arguments of generic methods of std: they must determine the type parameters.
pub fn arguments(method: &str) -> std::option::Option<&'static [Argument]> {
    use Argument::{All, Any, Function, Index, ToUnit, Unit};
    Some(match method {
        "get" | "get_mut" => &[Index],
        "drain" | "extend_from_within" => &[All],
        "copy_within" => &[All, Any],
        "fill_with" | "or_else" | "unwrap_or_else" | "or_insert_with" => &[Function(0)],
        "resize_with" => &[Any, Function(0)],
        "retain" | "retain_mut" | "partition_point" | "binary_search_by" | "filter" | "is_none_or" | "is_some_and"
        | "and_modify" => &[Function(1)],
        "dedup_by" | "sort_by" | "sort_unstable_by" => &[Function(2)],
        "dedup_by_key" | "map" | "sort_by_cached_key" | "sort_by_key" | "sort_unstable_by_key" => &[ToUnit(1)],
        "map_or" => &[Unit, ToUnit(1)],
        "map_or_else" => &[ToUnit(0), ToUnit(1)],
        "ok_or" | "then_some" => &[Unit],
        "then" => &[ToUnit(0)],
        _ => return None,
    })
}

/// Whether a method compares two values.
pub fn compares(method: &str) -> bool {
    matches!(method, "cmp" | "partial_cmp" | "total_cmp" | "lt" | "le" | "gt" | "ge")
}

/// Whether a method is one of options, orderings or `bool` that gives one of its values, or compares two values.
pub fn chooses(method: &str) -> bool {
    #[rustfmt::skip]
    const METHODS: [&str; 29] = [
        "and_then", "as_ref", "copied", "expect", "filter", "is_eq", "is_ge", "is_gt", "is_le", "is_lt", "is_nan", "is_ne", "is_none",
        "is_none_or", "is_some", "is_some_and", "map", "map_or", "map_or_else", "max", "min", "or", "or_else", "reverse", "then",
        "then_some", "unwrap", "unwrap_or", "unwrap_or_else",
    ];
    compares(method) || METHODS.contains(&method)
}

/// Whether the compiler may assume that a method of this name is one of std or of `ndarray`.
pub fn is_known(method: &str) -> bool {
    rows(method).next().is_some() || arguments(method).is_some() || method == "entry"
}

/// Whether numbers have a method of this name.
pub fn is_of_numbers(method: &str) -> bool {
    does(Number, method, Reads)
}

/// Whether arrays of `ndarray` have a method of this name that takes no argument of a generic type.
pub fn is_plain_of_arrays(method: &str) -> bool {
    const GENERIC: [&str; 14] = [
        "assign",
        "get",
        "get_mut",
        "map_inplace",
        "mapv",
        "mapv_inplace",
        "mean",
        "scaled_add",
        "slice",
        "slice_mut",
        "split_at",
        "split_at_mut",
        "swap",
        "zip_mut_with",
    ];
    !GENERIC.contains(&method) && rows(method).any(|(_, kinds, _)| kinds.contains(&Array) || kinds.contains(&Slice))
}

/// The effects of all methods of this name, each with the kinds of receivers.
fn rows(method: &str) -> impl std::iter::Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |(name, ..)| match name.strip_suffix('*') {
        Some(beginning) => method.starts_with(beginning),
        None => *name == method,
    })
}

/// Whether some method of this name has one of these effects.
fn may(method: &str, effects: &[Effect]) -> bool {
    rows(method).any(|(.., effect)| effects.contains(effect))
}

/// Whether a method has this effect on a receiver of this kind.
pub fn does(of: Of, method: &str, effect: Effect) -> bool {
    rows(method).any(|(_, kinds, does)| kinds.contains(&of) && *does == effect)
}

/// Whether a method does not change its receiver.
///
/// A name that numbers and slices both have (`rotate_left`) counts as the number's.
pub fn reads(method: &str) -> bool {
    may(method, &[Reads, Views, Iterates, Measures, Advances]) || adapts(method)
}

/// Whether a method may return a part of its receiver, or an iterator over it.
pub fn lends(method: &str) -> bool {
    may(method, &[Views, Iterates])
}

/// Whether a method never changes a variable that is its receiver, for any type of the variable. `position` takes items
/// from an iterator, and `rotate_left` changes a slice.
pub fn only_reads(method: &str) -> bool {
    let mut rows = rows(method).peekable();
    rows.peek().is_some() && rows.all(|(.., effect)| matches!(effect, Reads | Views | Iterates | Measures | Adapts))
}

/// Whether a method of numbers has a result for all arguments.
pub fn never_panics(method: &str) -> bool {
    let checks = [
        "abs",
        "abs_diff",
        "clamp",
        "div_ceil",
        "div_euclid",
        "isqrt",
        "neg",
        "next_power_of_two",
        "pow",
        "rem_euclid",
    ];
    does(Number, method, Reads) && !checks.contains(&method) && !method.starts_with("ilog")
}

/// Whether a method may consume an iterator and return another one.
pub fn may_adapt(method: &str) -> bool {
    may(method, &[Adapts])
}

/// Whether only iterators have this method, and it returns another iterator.
fn adapts(method: &str) -> bool {
    let mut rows = rows(method).peekable();
    rows.peek().is_some() && rows.all(|(.., effect)| *effect == Adapts)
}

/// Whether numbers have a method of this name that returns a value, and slices one that changes their elements.
pub fn is_ambiguous(method: &str) -> bool {
    is_of_numbers(method) && does(Slice, method, Changes)
}

/// Whether a method reads only a length or a shape.
pub fn measures(method: &str) -> bool {
    may(method, &[Measures])
}

/// Whether a method reads only the shape of an array.
pub fn measures_shape(method: &str) -> bool {
    measures(method) && rows(method).all(|(_, kinds, _)| *kinds == [Array])
}

/// Whether a method cannot change the number of elements.
pub fn keeps_length(method: &str) -> bool {
    reads(method) || may(method, &[Lends, LendsEach, Changes, Sets])
}

/// Whether a method overwrites all elements of a buffer, and keeps its length.
pub fn sets(method: &str) -> bool {
    may(method, &[Sets])
}

/// Whether a method may change elements of a slice, at any index.
pub fn writes_elements(method: &str) -> bool {
    method.ends_with("_mut") || may(method, &[Lends, LendsEach, Changes, Sets])
}

/// Whether a method overwrites elements of a buffer or sets their number: the user calls it to prepare the buffer for
/// reuse.
pub fn prepares(method: &str) -> bool {
    may(method, &[Sets, Resizes])
}

/// Whether a method only appends to a sequence.
pub fn pushes(method: &str) -> bool {
    does(Sequence, method, Pushes)
}

/// Whether a method adds to a collection, so that merging it with another worker's collection gives the same result.
pub fn adds(of: Of, method: &str) -> bool {
    does(of, method, Pushes) || does(of, method, Adds)
}

/// Whether the effect of a method depends on the contents of a collection: another worker's additions are not in it.
pub fn takes_away(method: &str) -> bool {
    may(method, &[Takes, Clears, Resizes, Changes, Sets])
}

/// Whether a method changes the target of a shared reference.
pub fn changes_shared_state(method: &str) -> bool {
    may(method, &[Shares])
}

/// Whether the result of a method refers to elements of the receiver, or iterates over them.
pub fn refers(method: &str) -> bool {
    may(method, &[Views, Iterates, Lends, LendsEach, Adapts])
}

/// Whether the result of a method is an iterator.
pub fn gives_iterator(method: &str) -> bool {
    may(method, &[Iterates, LendsEach, Adapts])
}

/// Whether a method of iterators consumes its receiver.
pub fn uses_up(method: &str) -> bool {
    does(Iterator, method, Reads)
}

/// The arguments of the closure of an iterator's method.
pub fn given(method: &str) -> Given {
    match method {
        "all" | "any" | "filter_map" | "find_map" | "flat_map" | "for_each" | "map" | "position" => Given::Item,
        "filter" | "find" | "inspect" | "max_by_key" | "min_by_key" | "skip_while" | "take_while" => Given::Reference,
        "fold" => Given::Fold,
        "max_by" | "min_by" => Given::Two,
        _ => Given::Nothing,
    }
}
