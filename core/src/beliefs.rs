//! What the loop compiler believes of the author's types, as calls that do not compile where it is not so.
//!
//! A macro sees names and no types. What it concludes from a name is asked here, beside the loop, in code that does nothing.

mod instances;

use crate::data::{Local, LocalMut};
use crate::grid::Grid;
pub use crate::obligations::{any, like};
use crate::parameter::{Input, Output};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::DerefMut;
use std::panic::RefUnwindSafe;
use std::rc::Rc;
use std::sync::{Arc, atomic, mpsc};

/// A value that all iterations of a loop read.
#[derive(Debug)]
pub struct Captured<'a, T: ?Sized>(pub &'a T);

/// What iterations may change for each other through a shared reference.
pub trait State {}

macro_rules! states {
    ($($type:ty)*) => {$(impl State for $type {})*};
}
states! {
    atomic::AtomicBool atomic::AtomicI8 atomic::AtomicI16 atomic::AtomicI32 atomic::AtomicI64 atomic::AtomicIsize
    atomic::AtomicU8 atomic::AtomicU16 atomic::AtomicU32 atomic::AtomicU64 atomic::AtomicUsize
    std::sync::Barrier std::sync::Condvar
}
impl<T> State for atomic::AtomicPtr<T> {}
impl<T: ?Sized> State for std::sync::Mutex<T> {}
impl<T: ?Sized> State for std::sync::RwLock<T> {}
impl<T> State for std::sync::OnceLock<T> {}
impl<T> State for mpsc::Sender<T> {}
impl<T> State for mpsc::SyncSender<T> {}
impl<T> State for mpsc::Receiver<T> {}
impl<T> State for std::thread::LocalKey<T> {}
impl<T: ?Sized> State for std::cell::Cell<T> {}
impl<T: ?Sized> State for std::cell::RefCell<T> {}
impl<T: State + ?Sized> State for &T {}
impl<T: State + ?Sized> State for &mut T {}
impl<T: State + ?Sized> State for Box<T> {}
impl<T: State + ?Sized> State for Arc<T> {}
impl<T: State> State for Option<T> {}
impl<T: State> State for [T] {}
impl<T: State, const N: usize> State for [T; N] {}
impl<T: State> State for Vec<T> {}
impl<T, F> State for std::sync::LazyLock<T, F> {}
impl State for std::sync::Once {}
impl<T> State for std::cell::OnceCell<T> {}
impl<T, F> State for std::cell::LazyCell<T, F> {}
impl<T: ?Sized> State for std::cell::UnsafeCell<T> {}
impl<T: State + ?Sized> State for Rc<T> {}
impl<T: State, E> State for Result<T, E> {}
impl<T: State> State for std::collections::VecDeque<T> {}
impl<K, V: State> State for std::collections::BTreeMap<K, V> {}
impl<K, V: State, H> State for std::collections::HashMap<K, V, H> {}

/// Found for what iterations may change for each other.
pub trait SharesState {
    /// What was found.
    fn shares(&self) -> ChangedByAll;
}

impl<T: State + ?Sized> SharesState for Captured<'_, T> {
    #[inline(always)]
    fn shares(&self) -> ChangedByAll {
        ChangedByAll
    }
}

/// Found for all other types.
pub trait SharesNothing {
    /// What was found.
    fn shares(&self) -> Nothing;
}

impl<T: ?Sized> SharesNothing for &Captured<'_, T> {
    #[inline(always)]
    fn shares(&self) -> Nothing {
        Nothing
    }
}

/// A lock, an atomic, a channel or their kin.
#[derive(Debug)]
pub struct ChangedByAll;

/// A plain value.
#[derive(Debug)]
pub struct Nothing;

/// Asked of what a loop reads.
#[diagnostic::on_unimplemented(
    message = "FA017: all iterations can change this value (a lock, an atomic or a channel), in the order in which they happen to run",
    label = "the loop uses it",
    note = "read what the loop needs of it before the loop, and accumulate in a variable of the function (`sum += e`)"
)]
pub trait ReadAlone {}

impl ReadAlone for Nothing {}

/// Refuses what iterations change for each other (FA017).
#[inline(always)]
pub fn fa017_iterations_share_nothing<T: ReadAlone>(_: T) {}

/// Nothing, of any type. That a constant of it lives on says that no part of the type changes behind a shared reference.
pub const fn nothing<T>() -> [MaybeUninit<T>; 0] {
    []
}

/// Asks that no part of a value changes behind a shared reference, whatever type it is inside of (FA017): only then is a constant
/// of its type there after the statement that mentions it.
#[inline(always)]
pub fn fa017_nothing_in_it_is_shared<T>(_: Kind<T>, nothing: &[MaybeUninit<T>; 0]) -> &[MaybeUninit<T>; 0] {
    nothing
}

/// The same of a type that only the callers of a function know: rustc answers when it compiles the function for one of them.
#[inline(always)]
pub fn fa017_no_instance_shares<T>(_: Kind<T>) {
    instances::no_instance_shares::<T>();
}

/// The type of a value.
#[derive(Debug)]
pub struct Kind<T>(PhantomData<fn(&T)>);

impl<T> Kind<T> {
    /// That of this one.
    #[inline(always)]
    pub fn of(_: &T) -> Self {
        Kind(PhantomData)
    }
}

/// Holds values of one type behind a pointer, or as a part of itself.
pub trait Holder {
    /// The type of what it holds.
    type Of;
}

macro_rules! holders {
    ($($type:ty)*) => {$(
        impl<T> Holder for $type {
            type Of = T;
        }
    )*};
}
holders! {
    &T &[T] &mut T &mut [T] Box<T> Box<[T]> Arc<T> Arc<[T]> Rc<T> Rc<[T]> Option<T> Vec<T>
    std::pin::Pin<T> std::collections::VecDeque<T> std::collections::LinkedList<T> std::slice::Iter<'_, T>
}
impl<T, E> Holder for Result<T, E> {
    type Of = T;
}
impl<K, V> Holder for std::collections::BTreeMap<K, V> {
    type Of = V;
}
impl<K, V, H> Holder for std::collections::HashMap<K, V, H> {
    type Of = V;
}
impl<T, const N: usize> Holder for [T; N] {
    type Of = T;
}

/// Found for types that hold others.
pub trait HoldsOthers<T> {
    /// The type of what it holds.
    fn inside(&self) -> Kind<T>;
}

impl<H: Holder> HoldsOthers<H::Of> for Kind<H> {
    #[inline(always)]
    fn inside(&self) -> Kind<H::Of> {
        Kind(PhantomData)
    }
}

/// Found for all other types.
pub trait IsItself<T> {
    /// The type itself.
    fn inside(&self) -> Kind<T>;
}

impl<T> IsItself<T> for &Kind<T> {
    #[inline(always)]
    fn inside(&self) -> Kind<T> {
        Kind(PhantomData)
    }
}

/// Is used.
#[inline(always)]
pub fn is_there<T>(_: T) {}

/// Asks what [`fa017_nothing_in_it_is_shared`] does of a place. A macro, since rustc's message about a constant names nothing else.
#[doc(hidden)]
#[macro_export]
macro_rules! fa017_iterations_share_what_is_in_it {
    ($place:expr) => {{
        use $crate::beliefs::{
            HoldsOthers as _, IsItself as _, Kind, fa017_nothing_in_it_is_shared, is_there, nothing,
        };
        let kind = (&(&(&(&(&Kind::of(&$place)).inside()).inside()).inside()).inside()).inside();
        let nothing = fa017_nothing_in_it_is_shared(kind, &const { nothing() });
        is_there(nothing);
    }};
}

/// What a method that is taken to read is called on. A macro, so that rustc's message about one that changes it has its name.
#[doc(hidden)]
#[macro_export]
macro_rules! fa014_this_method_is_taken_to_read {
    ($place:expr) => {
        (*&$place)
    };
}

/// A macro that the compiler does not know, as a statement. rustc must parse it as an expression: then it cannot bind names or define items
/// for the statements around it. In braces of its own it may do so, as no other statement sees them. Without a semicolon, the statement may
/// be the value of its block.
#[doc(hidden)]
#[macro_export]
macro_rules! fa022_write_braces_around_a_macro_that_is_no_expression {
    (($($path:tt)*) ($($args:tt)*)) => {
        #[allow(clippy::let_unit_value, let_underscore_drop, semicolon_in_expressions_from_macros, unused_must_use)]
        let _ = $($path)* ! ($($args)*);
    };
    (value ($($path:tt)*) ($($args:tt)*)) => {
        ($($path)* ! ($($args)*))
    };
}

/// Found for what changes only where it may be written, at any depth: no cell is in it.
pub trait ChangesNowhere {
    /// What was found.
    fn changes(&self) -> Nothing;
}

impl<T: RefUnwindSafe + ?Sized> ChangesNowhere for Captured<'_, T> {
    #[inline(always)]
    fn changes(&self) -> Nothing {
        Nothing
    }
}

/// Found for all other types.
pub trait MayChange {
    /// What was found.
    fn changes(&self) -> ChangedByAll;
}

impl<T: ?Sized> MayChange for &Captured<'_, T> {
    #[inline(always)]
    fn changes(&self) -> ChangedByAll {
        ChangedByAll
    }
}

/// Asked of what a running value is computed from.
#[diagnostic::on_unimplemented(
    message = "FA014: this may change though it is only read (a cell, a lock or an atomic), so it is not seen what a running value that is computed from it depends on",
    label = "the loop makes it",
    note = "use a plain variable (`let mut`)"
)]
pub trait NoCell {}

impl NoCell for Nothing {}

/// Refuses what changes behind a shared reference (FA014).
#[inline(always)]
pub fn fa014_a_running_value_needs_no_cell<T: NoCell>(_: T) {}

/// Found for types that lend what is behind them by a function: `*guard`, `guard.field`.
pub trait LendsByFunction<T: ?Sized> {
    /// What was found.
    fn lends(&self) -> Lends<T>;
}

impl<T: DerefMut + ?Sized> LendsByFunction<T> for Captured<'_, T> {
    #[inline(always)]
    fn lends(&self) -> Lends<T> {
        Lends(PhantomData)
    }
}

/// Found for all other types.
pub trait LendsItself {
    /// What was found.
    fn lends(&self) -> Nothing;
}

impl<T: ?Sized> LendsItself for &Captured<'_, T> {
    #[inline(always)]
    fn lends(&self) -> Nothing {
        Nothing
    }
}

/// A type that lends what is behind it.
#[derive(Debug)]
pub struct Lends<T: ?Sized>(PhantomData<fn(&T)>);

/// Asked of the parts of a place that a loop updates.
#[diagnostic::on_unimplemented(
    message = "FA014: each update calls a function of its own type first (`deref_mut`), which may do more than lend the place",
    label = "the place is behind this",
    note = "lend it once, before the loop: `let total = &mut *place;`, and in the loop `*total += e`"
)]
pub trait OnlyLends {}

impl OnlyLends for Nothing {}

macro_rules! only_lends {
    ($($type:ty)*) => {$(impl<T: ?Sized> OnlyLends for Lends<$type> {})*};
}
only_lends! {
    &mut T Box<T> std::sync::MutexGuard<'_, T> std::sync::RwLockWriteGuard<'_, T> std::cell::RefMut<'_, T>
    std::mem::ManuallyDrop<T>
}
impl<T> OnlyLends for Lends<Vec<T>> {}
impl<T> OnlyLends for Lends<std::panic::AssertUnwindSafe<T>> {}

/// Refuses places behind a function of the author's (FA014).
#[inline(always)]
pub fn fa014_the_place_is_only_lent<T: OnlyLends>(_: T) {}

/// A type that lends its elements, their number and its iterators as a slice does: nothing of the author's runs on the way.
#[diagnostic::on_unimplemented(
    message = "FA022: forall does not know how `{Self}` lends its elements: functions of that type may do more, or lend others",
    label = "the loop goes through its elements",
    note = "lend them once, before the loop, and write the loop over the slice: `let elements = &mut place[..];`, or `&place[..]`"
)]
pub trait LendsAsSlice {}

impl<T> LendsAsSlice for [T] {}
impl<T, const N: usize> LendsAsSlice for [T; N] {}
impl<T> LendsAsSlice for Vec<T> {}
impl<T> LendsAsSlice for Input<'_, T> {}
impl<T> LendsAsSlice for Output<'_, T> {}
impl<T: LendsAsSlice, const D: usize> LendsAsSlice for Grid<T, D> {}
impl<T> LendsAsSlice for Local<'_, T> {}
impl<T> LendsAsSlice for LocalMut<'_, T> {}
impl<T: Clone> LendsAsSlice for std::borrow::Cow<'_, [T]> {}

macro_rules! lend_as_slices {
    ($($type:ty)*) => {$(impl<T: LendsAsSlice + ?Sized> LendsAsSlice for $type {})*};
}
lend_as_slices! {
    &T &mut T Box<T> Rc<T> Arc<T> std::mem::ManuallyDrop<T> std::cell::Ref<'_, T> std::cell::RefMut<'_, T>
    std::sync::MutexGuard<'_, T> std::sync::RwLockReadGuard<'_, T> std::sync::RwLockWriteGuard<'_, T>
}

/// Refuses arrays whose elements, length or iterators may be the author's (FA022).
#[inline(always)]
pub fn fa022_elements_are_lent_as_of_a_slice<T: LendsAsSlice + ?Sized>(_: &T) {}

/// A type whose comparisons, `max`, `min`, `&`, `|` and `^` are std's.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that this operator of `{Self}` is associative",
    label = "of type `{Self}`",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait OperatorsOfStd {}

macro_rules! known {
    ($($type:ty)*) => {$(impl OperatorsOfStd for $type {})*};
}
known! {
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String
    std::cmp::Ordering std::time::Duration std::time::Instant std::time::SystemTime
}
#[cfg(feature = "half")]
known!(half::f16 half::bf16);
impl OperatorsOfStd for () {}
impl<T: OperatorsOfStd + ?Sized> OperatorsOfStd for &T {}
impl<T: OperatorsOfStd + ?Sized> OperatorsOfStd for &mut T {}
impl<T: OperatorsOfStd> OperatorsOfStd for Option<T> {}
impl<T: OperatorsOfStd> OperatorsOfStd for std::cmp::Reverse<T> {}
impl<T: OperatorsOfStd> OperatorsOfStd for std::num::Wrapping<T> {}
impl<T: OperatorsOfStd> OperatorsOfStd for std::num::Saturating<T> {}
impl<T: OperatorsOfStd> OperatorsOfStd for [T] {}
impl<T: OperatorsOfStd, const N: usize> OperatorsOfStd for [T; N] {}
impl<T: OperatorsOfStd> OperatorsOfStd for Vec<T> {}
impl<A: OperatorsOfStd, B: OperatorsOfStd> OperatorsOfStd for (A, B) {}
impl<A: OperatorsOfStd, B: OperatorsOfStd, C: OperatorsOfStd> OperatorsOfStd for (A, B, C) {}
impl<A: OperatorsOfStd, B: OperatorsOfStd, C: OperatorsOfStd, D: OperatorsOfStd> OperatorsOfStd for (A, B, C, D) {}

/// Refuses operators of types that are not std's (FA032).
#[inline(always)]
pub fn fa032_operators_are_known<T: OperatorsOfStd + ?Sized>(_: &T) {}

/// A number that saturates at one end only: sums and products that stay there are the same in any grouping.
#[diagnostic::on_unimplemented(
    message = "FA015: saturating operations of `{Self}` are not associative: it has two ends, and what is cut off at one of them counts on \
               the way to the other",
    label = "`{Self}` may have a sign",
    note = "add in a wider type (`acc += e as i128`) and cut the sum after the loop; or use an unsigned type"
)]
pub trait SaturatesAtOneEnd {}

macro_rules! unsigned {
    ($($type:ty)*) => {$(impl SaturatesAtOneEnd for $type {})*};
}
unsigned! { u8 u16 u32 u64 u128 usize }

/// Refuses saturating operations of other types (FA015).
#[inline(always)]
pub fn fa015_it_saturates_at_one_end<T: SaturatesAtOneEnd>(_: &T) {}

/// The type of what such an operator changes.
#[derive(Debug)]
pub struct Operands<V>(PhantomData<fn(&V)>);

impl<V> Operands<V> {
    /// This one.
    #[allow(clippy::new_without_default)]
    #[inline(always)]
    pub fn new() -> Self {
        Operands(PhantomData)
    }

    /// That of a value.
    #[inline(always)]
    pub fn of(_: &V) -> Self {
        Operands(PhantomData)
    }
}

/// Takes what such an operator takes: of another type than std's, it may be another operator.
#[derive(Debug, Clone, Copy)]
pub struct OfKnown;

/// The same beside a type that is refused already.
#[derive(Debug, Clone, Copy)]
pub struct OfOther;

impl OfKnown {
    /// The operand, if it is of a type of std's (FA032).
    #[inline(always)]
    pub fn fa032_operand_is_known<T: OperatorsOfStd>(self, operand: T) -> T {
        operand
    }
}

impl OfOther {
    /// The operand.
    #[inline(always)]
    pub fn fa032_operand_is_known<T>(self, operand: T) -> T {
        operand
    }
}

/// Found for types whose operators are std's.
pub trait KnownOperands {
    /// What takes operands.
    fn of_known(&self) -> OfKnown;
}

impl<V: OperatorsOfStd> KnownOperands for Operands<V> {
    #[inline(always)]
    fn of_known(&self) -> OfKnown {
        OfKnown
    }
}

/// Found for all other types.
pub trait OtherOperands {
    /// What takes operands.
    fn of_known(&self) -> OfOther;
}

impl<V> OtherOperands for &Operands<V> {
    #[inline(always)]
    fn of_known(&self) -> OfOther {
        OfOther
    }
}

/// The methods of std's slices that are taken for granted, as they are tried out: what is found before std's own is found before
/// these too, or is as near.
pub trait MethodsOfSlices {
    /// Nothing.
    fn sort(&self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_unstable(&self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_by<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_unstable_by<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_by_key<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_unstable_by_key<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn sort_by_cached_key<F>(&self, _: F) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn copy_from_slice<F>(&self, _: F) -> OfStd {
        OfStd
    }
}

impl<T> MethodsOfSlices for [T] {}

/// What these methods return.
#[derive(Debug)]
pub struct OfStd;

/// Asked of what a method returns that is tried out.
#[diagnostic::on_unimplemented(
    message = "FA032: this is not the method of std's slices: a trait in scope has one of the same name",
    label = "the trait's",
    note = "take `&mut [T]`, whose own methods come first"
)]
pub trait IsOfStd {}

impl IsOfStd for OfStd {}

/// Refuses a method that has the name of one of std's slices and is another one.
#[inline(always)]
pub fn fa032_this_is_the_method_of_std<T: IsOfStd>(_: T) {}

/// The methods by which values of std's types are compared. Those of std take references: only a method of another trait that takes
/// the value itself comes before these, or is as near.
pub trait Fa032MethodsOfStd: Sized {
    /// Nothing.
    fn cmp(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn total_cmp(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn lt(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn le(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn gt(self, _: &Self) -> OfStd {
        OfStd
    }
    /// Nothing.
    fn ge(self, _: &Self) -> OfStd {
        OfStd
    }
}

impl<T> Fa032MethodsOfStd for T {}

/// Refuses a method that has the name of one of std's and is another one (FA032).
#[inline(always)]
pub fn fa032_this_method_is_of_std(_: OfStd) {}

/// Refuses a method that has the name of one of an `Option`, and is one of another type (FA032).
#[inline(always)]
pub fn fa032_this_is_an_option<T>(_: &Option<T>) {}

/// Refuses a type that has the name `Vec` and is another one (FA032).
#[inline(always)]
pub fn fa032_this_is_a_vector_of_std(_: Option<Vec<u8>>) {}

/// The same of an ordering.
pub const fn fa032_this_is_an_ordering_of_std(_: core::cmp::Ordering) {}

/// Asked of a buffer that each iteration clears first.
#[diagnostic::on_unimplemented(
    message = "FA018: `clear` of this type is a function of its own, which may leave something of what another iteration put in",
    label = "the loop clears it",
    note = "set it anew at the start of every iteration (`acc = Acc::default()`), or declare it inside the loop"
)]
pub trait Clears {}

macro_rules! clears {
    ($($($name:ident)::+ <$($of:ident),*>;)*) => {$(impl<$($of),*> Clears for ::std::$($name)::+<$($of),*> {})*};
}
clears! {
    vec::Vec<T>;
    string::String<>;
    collections::VecDeque<T>;
    collections::LinkedList<T>;
    collections::BinaryHeap<T>;
    collections::BTreeMap<K, V>;
    collections::BTreeSet<T>;
    collections::HashMap<K, V, S>;
    collections::HashSet<T, S>;
}
impl<C: Clears + ?Sized> Clears for &mut C {}

/// See [`Clears`].
#[inline(always)]
pub fn fa018_clear_leaves_nothing<C: Clears + ?Sized>(_: &C) {}

/// A buffer whose elements each iteration sets first.
#[diagnostic::on_unimplemented(
    message = "FA018: forall does not know whether this method of `{Self}` sets all elements",
    label = "the loop sets it anew by this method",
    note = "set it anew at the start of every iteration (`b = B::default()`), or declare it inside the loop"
)]
pub trait SetsAll {}

impl<T> SetsAll for [T] {}
impl<T, const N: usize> SetsAll for [T; N] {}
impl<T> SetsAll for Vec<T> {}
impl<T: SetsAll + ?Sized> SetsAll for &mut T {}
impl<T: SetsAll + ?Sized> SetsAll for Box<T> {}
impl<T> SetsAll for Output<'_, T> {}
#[cfg(feature = "ndarray")]
impl<S: ndarray::RawData, D> SetsAll for ndarray::ArrayBase<S, D> {}

/// See [`SetsAll`].
#[inline(always)]
pub fn fa018_all_elements_are_set<T: SetsAll + ?Sized>(_: &T) {}

/// A collection of std.
pub trait Collection {
    /// What its methods are those of.
    type Kind: Default;
}

/// Items in an order.
#[derive(Debug, Default)]
pub struct Sequence;

/// Values, each with a key.
#[derive(Debug, Default)]
pub struct Map;

/// Items without an index.
#[derive(Debug, Default)]
pub struct Set;

macro_rules! collections {
    ($($kind:ty: ($($generic:ident)*) $type:ty;)*) => {$(
        impl<$($generic),*> Collection for $type {
            type Kind = $kind;
        }
    )*};
}
collections! {
    Sequence: (T) Vec<T>;
    Sequence: (T) std::collections::VecDeque<T>;
    Sequence: () String;
    Sequence: (T) [T];
    Map: (K V H) std::collections::HashMap<K, V, H>;
    Map: (K V) std::collections::BTreeMap<K, V>;
    Set: (K H) std::collections::HashSet<K, H>;
    Set: (K) std::collections::BTreeSet<K>;
    Set: (K) std::collections::BinaryHeap<K>;
    Set: (K) std::collections::LinkedList<K>;
}
impl<T: Collection + ?Sized> Collection for &mut T {
    type Kind = T::Kind;
}

/// Found for collections of std.
pub trait OfCollections<K> {
    /// Which of them it is.
    fn collection(&self) -> K;
}

impl<T: Collection + ?Sized> OfCollections<T::Kind> for Captured<'_, T> {
    #[inline(always)]
    fn collection(&self) -> T::Kind {
        T::Kind::default()
    }
}

/// Found for all other types.
pub trait OfOthers {
    /// None of them.
    fn collection(&self) -> Nothing;
}

impl<T: ?Sized> OfOthers for &Captured<'_, T> {
    #[inline(always)]
    fn collection(&self) -> Nothing {
        Nothing
    }
}

macro_rules! only_adds {
    ($($trait:ident $function:ident: $($other:ty)*;)*) => {$(
        /// Asked of what is changed by a method that may do more than add to such a collection.
        #[diagnostic::on_unimplemented(
            message = "FA014: what this does to a collection of the standard library depends on what earlier iterations have put there",
            label = "the collection goes by another name, or by none",
            note = "only add to it (`push`, `extend`, of maps and sets `insert`); or say how two of them are put together: \
                    `#[foreach_tls(init = path, merge = path)]`"
        )]
        pub trait $trait {}
        $(impl $trait for $other {})*

        /// Refuses such a collection (FA014).
        #[inline(always)]
        pub fn $function<K: $trait>(_: K) {}
    )*};
}
only_adds! {
    NoSequence fa014_this_only_adds_to_a_sequence: Map Set Nothing;
    NoMap fa014_this_only_adds_to_a_map: Sequence Set Nothing;
    NoSet fa014_this_only_adds_to_a_set: Sequence Map Nothing;
}

/// A value that is believed to be a copy: one that borrows for writing is none (FA014).
#[inline(always)]
pub fn fa014_this_lends_nothing<T: Copy>(value: T) -> T {
    value
}

/// Holds for all types in one way. Those through which something is written have a second one, so that rustc cannot choose.
pub trait NothingToWriteTo<Why> {}

/// The one way.
#[derive(Debug)]
pub struct AValue;

/// The second way: by its number, the part that can be written to.
#[derive(Debug)]
pub struct AnOutput<const PART: usize>;

impl<T> NothingToWriteTo<AValue> for T {}
impl<T: ?Sized> NothingToWriteTo<AnOutput<0>> for &mut T {}
impl<T: ?Sized> NothingToWriteTo<AnOutput<0>> for Option<&mut T> {}
impl<T, const N: usize> NothingToWriteTo<AnOutput<0>> for [&mut T; N] {}
impl<A: ?Sized, B> NothingToWriteTo<AnOutput<0>> for (&mut A, B) {}
impl<A, B: ?Sized> NothingToWriteTo<AnOutput<1>> for (A, &mut B) {}
impl<A: ?Sized, B, C> NothingToWriteTo<AnOutput<0>> for (&mut A, B, C) {}
impl<A, B: ?Sized, C> NothingToWriteTo<AnOutput<1>> for (A, &mut B, C) {}
impl<A, B, C: ?Sized> NothingToWriteTo<AnOutput<2>> for (A, B, &mut C) {}

/// What a state is given is believed to be no output: a method could write what the state holds to it (FA014).
#[inline(always)]
pub fn fa014_this_is_no_output<T: NothingToWriteTo<Why>, Why>(value: T) -> T {
    value
}

/// What a running value is computed from is lent for reading while a statement runs that is believed not to change it.
#[inline(always)]
pub fn fa014_this_changes_nothing_that_a_running_value_needs<T>(_: T) {}
