//! Obligation: iterations share no mutable state.

use super::instances;
use super::probe::{Captured, Kind, Nothing};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::RefUnwindSafe;
use std::rc::Rc;
use std::sync::{Arc, atomic, mpsc};

/// A type whose values change through a shared reference.
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
// A name that rustc does not know has this type, as long as nothing requires another one: see `OfUnknownName`.
impl State for OfUnknownName {}
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

/// Implemented for types with interior mutability.
pub trait SharesState<T: ?Sized> {
    /// The answer.
    fn __shares(&self) -> ChangedByAll<T>;
}

impl<T: State + ?Sized> SharesState<T> for Captured<'_, T> {
    #[inline(always)]
    fn __shares(&self) -> ChangedByAll<T> {
        ChangedByAll(PhantomData)
    }
}

/// Implemented for all other types.
pub trait SharesNothing {
    /// The answer.
    fn __shares(&self) -> Nothing;
}

impl<T: ?Sized> SharesNothing for &Captured<'_, T> {
    #[inline(always)]
    fn __shares(&self) -> Nothing {
        Nothing
    }
}

/// The answer for a lock, an atomic, a channel and similar types.
#[derive(Debug)]
pub struct ChangedByAll<T: ?Sized>(PhantomData<fn(&T)>);

/// The type of a name that rustc does not know: of all types, the only one that satisfies the requirements. So rustc reports the name, and
/// nothing else. No value has this type.
#[derive(Debug)]
pub enum OfUnknownName {}

/// Required of the values that a loop reads.
#[diagnostic::on_unimplemented(
    message = "FA017: all iterations can change this value (a lock, an atomic or a channel), in the order in which they happen to run",
    label = "the loop uses it",
    note = "read what the loop needs of it before the loop, and accumulate in a variable of the function (`sum += e`)"
)]
pub trait OnlyRead {}

#[diagnostic::do_not_recommend]
impl OnlyRead for Nothing {}
#[diagnostic::do_not_recommend]
impl OnlyRead for ChangedByAll<OfUnknownName> {}

/// Refuses values that iterations can change for each other (FA017).
#[inline(always)]
pub fn fa017_iterations_share_nothing<T: OnlyRead>(_: T) {}

/// An empty array of the type. rustc promotes this constant to a static only if no part of the type changes behind a shared reference.
pub const fn nothing<T>() -> [MaybeUninit<T>; 0] {
    []
}

/// Requires that no part of a value changes behind a shared reference, at any depth (FA017). Only then does a constant of its type live
/// longer than the statement that mentions it.
#[inline(always)]
pub fn fa017_nothing_in_it_is_shared<T>(_: Kind<T>, nothing: &[MaybeUninit<T>; 0]) -> &[MaybeUninit<T>; 0] {
    nothing
}

/// The same requirement for a generic type. rustc checks it when it compiles an instance of the function.
#[inline(always)]
pub fn fa017_no_instance_shares<T>(_: Kind<T>) {
    instances::no_instance_shares::<T>();
}

/// A type that contains or points to values of one type.
pub trait Holder {
    /// The type of these values.
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

/// Implemented for types that contain or point to others.
pub trait HoldsOthers<T> {
    /// The type of the values inside.
    fn __inside(&self) -> Kind<T>;
}

impl<H: Holder> HoldsOthers<H::Of> for Kind<H> {
    #[inline(always)]
    fn __inside(&self) -> Kind<H::Of> {
        Kind(PhantomData)
    }
}

/// Implemented for all other types.
pub trait IsItself<T> {
    /// The type itself.
    fn __inside(&self) -> Kind<T>;
}

impl<T> IsItself<T> for &Kind<T> {
    #[inline(always)]
    fn __inside(&self) -> Kind<T> {
        Kind(PhantomData)
    }
}

/// Uses a value.
#[inline(always)]
pub fn mark_used<T>(_: T) {}

/// Implemented for types without interior mutability, at any depth.
pub trait ChangesNowhere {
    /// The answer.
    fn __changes(&self) -> Nothing;
}

impl<T: RefUnwindSafe + ?Sized> ChangesNowhere for Captured<'_, T> {
    #[inline(always)]
    fn __changes(&self) -> Nothing {
        Nothing
    }
}

/// Implemented for all other types.
pub trait MayChange<T: ?Sized> {
    /// The answer.
    fn __changes(&self) -> ChangedByAll<T>;
}

impl<T: ?Sized> MayChange<T> for &Captured<'_, T> {
    #[inline(always)]
    fn __changes(&self) -> ChangedByAll<T> {
        ChangedByAll(PhantomData)
    }
}

/// Required of the inputs of a scan state.
#[diagnostic::on_unimplemented(
    message = "FA014: this value has interior mutability (a cell, a lock or an atomic), so the inputs of the scan state that is computed from it are unknown",
    label = "the scan state depends on it",
    note = "use a plain variable (`let mut`)"
)]
pub trait NoCell {}

#[diagnostic::do_not_recommend]
impl NoCell for Nothing {}
#[diagnostic::do_not_recommend]
impl NoCell for ChangedByAll<OfUnknownName> {}

/// Refuses inputs that change behind a shared reference (FA014).
#[inline(always)]
pub fn fa014_a_scan_state_depends_on_no_cell<T: NoCell>(_: T) {}
