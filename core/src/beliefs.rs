//! What the loop compiler believes of the author's types, as calls that do not compile where it is not so.
//!
//! A macro sees names and no types. What it concludes from a name is asked here, beside the loop, in code that does nothing.

use std::sync::{Arc, atomic, mpsc};

/// A value that all iterations of a loop read.
#[derive(Debug)]
pub struct Held<'a, T: ?Sized>(pub &'a T);

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

/// Found for what iterations may change for each other.
pub trait SharesState {
    /// What was found.
    fn shares(&self) -> ChangedByAll;
}

impl<T: State + ?Sized> SharesState for Held<'_, T> {
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

impl<T: ?Sized> SharesNothing for &Held<'_, T> {
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

/// A type whose comparisons, `max`, `min`, `&`, `|` and `^` are std's.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that this operator of `{Self}` is associative",
    label = "of type `{Self}`",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait Known {}

macro_rules! known {
    ($($type:ty)*) => {$(impl Known for $type {})*};
}
known! {
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String
    std::cmp::Ordering std::time::Duration std::time::Instant std::time::SystemTime
}
#[cfg(feature = "half")]
known!(half::f16 half::bf16);
impl Known for () {}
impl<T: Known + ?Sized> Known for &T {}
impl<T: Known + ?Sized> Known for &mut T {}
impl<T: Known> Known for Option<T> {}
impl<T: Known> Known for std::cmp::Reverse<T> {}
impl<T: Known> Known for std::num::Wrapping<T> {}
impl<T: Known> Known for std::num::Saturating<T> {}
impl<T: Known> Known for [T] {}
impl<T: Known, const N: usize> Known for [T; N] {}
impl<T: Known> Known for Vec<T> {}
impl<A: Known, B: Known> Known for (A, B) {}
impl<A: Known, B: Known, C: Known> Known for (A, B, C) {}
impl<A: Known, B: Known, C: Known, D: Known> Known for (A, B, C, D) {}

/// Refuses operators of types that are not std's (FA032).
#[inline(always)]
pub fn fa032_operators_are_known<T: Known + ?Sized>(_: &T) {}

/// The same, of a type.
#[inline(always)]
pub fn fa032_operators_of_elements_are_known<T: Known>() {}

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

/// Refuses a function that has the name of one of std's and is another one: both arguments have one type only if they are the
/// same function.
#[inline(always)]
pub fn fa032_this_is_the_function_of_std<T, F: Fn(T, T) -> T>(_: &T, _: F, _: F) {}
