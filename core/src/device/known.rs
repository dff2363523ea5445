//! Types that devices support, and their detection by method resolution.

use crate::element::{Element, bytes_of, from_bytes};
use forall_contract::Type;
use std::marker::PhantomData;
use std::ops::Deref;

/// Plain data that devices support: numbers, `bool`, arrays of them, and structs that derive `forall::DeviceData`.
#[diagnostic::on_unimplemented(
    message = "FA053: `{Self}` is no type that a device has",
    label = "not known to devices",
    note = "there are numbers, `bool`, arrays `[T; N]`, and structs with `#[derive(forall::DeviceData)]`"
)]
pub trait Known: Element {
    /// Its type.
    const TYPE: Type;
    /// Evaluates only if the memory layout is the expected one.
    const FITS: () = ();
}

macro_rules! known {
    ($($rust:ty: $name:ident)*) => {$(
        impl Known for $rust {
            const TYPE: Type = Type::$name;
        }
    )*};
}

known!(bool: Bool i8: I8 u8: U8 i16: I16 u16: U16 i32: I32 u32: U32 i64: I64 u64: U64 isize: Isize usize: Usize f32: F32 f64: F64);

#[cfg(feature = "half")]
known!(half::f16: F16);

impl<T: Known, const N: usize> Known for [T; N]
where
    [T; N]: Element,
{
    const TYPE: Type = Type::Array(&T::TYPE, N);
}

/// Implemented only for types that devices support.
pub const fn known<T: Known>() {}

/// A type and the bytes of values, or `None` for types that devices do not support.
pub type Found<'a> = Option<(Type, &'a [u8])>;

/// Finds the type of a variable: `(&Probe(&variable)).__found()`.
#[derive(Debug)]
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// Method resolution finds this trait for types that devices support.
pub trait ProbeKnown<'a> {
    /// The type, and the value's bytes.
    fn __found(&self) -> Found<'a>;
    /// The type.
    fn __ty(&self) -> Option<Type> {
        self.__found().map(|(ty, _)| ty)
    }
}

/// The type of a private variable. It is known before the loop.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<fn() -> T>);

impl<T> TypeOf<T> {
    /// Any type.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        TypeOf(PhantomData)
    }

    /// The type of a value.
    pub fn is_of(&self, _: &T) {}

    /// A value, in code that never runs.
    pub fn value(&self) -> T {
        unreachable!()
    }
}

impl<'a, T: Known> ProbeKnown<'a> for Probe<'a, TypeOf<T>> {
    fn __found(&self) -> Found<'a> {
        Some((T::TYPE, &[]))
    }
}

/// Method resolution finds this trait for all other types.
pub trait ProbeUnknown {
    /// `None`.
    fn __found(&self) -> Found<'static> {
        None
    }
    /// `None`.
    fn __ty(&self) -> Option<Type> {
        None
    }
}

/// The elements of nested arrays, with this number of axes flattened.
pub fn opened(found: Found<'_>, axes: usize) -> Found<'_> {
    let (mut ty, bytes) = found?;
    for _ in 0..axes {
        let Type::Array(element, _) = ty else { return None };
        ty = *element;
    }
    Some((ty, bytes))
}

/// The length of the elements of a table along an axis, from 1; 0 if there is no such axis.
pub fn length_within(table: Found<'_>, axis: usize) -> usize {
    match opened(table, axis - 1) {
        Some((Type::Array(_, length), _)) => length,
        _ => 0,
    }
}

/// The value of a constant, leaked.
pub fn leaked<T: Copy>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

impl<'a, T: Known> ProbeKnown<'a> for Probe<'a, T> {
    fn __found(&self) -> Found<'a> {
        let () = T::FITS;
        Some((T::TYPE, bytes_of(std::slice::from_ref(self.0))))
    }
}

/// The type of a slice's elements.
impl<'a, T: Known> ProbeKnown<'a> for Probe<'a, [T]> {
    fn __found(&self) -> Found<'a> {
        let () = T::FITS;
        Some((T::TYPE, bytes_of(self.0)))
    }
}

impl<T: ?Sized> ProbeUnknown for &Probe<'_, T> {}

/// Finds the elements of an indexed value, which need not be a slice: `(&&&&&Table(&variable)).__elements()`.
#[derive(Debug)]
pub struct Table<'a, S: ?Sized>(pub &'a S);

macro_rules! tables {
    ($($name:ident: $(#[$doc:meta])* [$($generics:tt)*] $holder:ty, $self:ident => $elements:expr;)*) => {$(
        $(#[$doc])*
        pub trait $name<'a> {
            /// The type of the elements, and their bytes.
            fn __elements(&self) -> Found<'a>;
        }

        impl<'a, $($generics)*> $name<'a> for $holder {
            fn __elements(&self) -> Found<'a> {
                let () = T::FITS;
                let $self: &'a _ = self.0;
                Some((T::TYPE, bytes_of($elements)))
            }
        }
    )*};
}

tables! {
    TableOfSlice: /// Slices, vectors, and what else is a slice.
        [T: Known, S: Deref<Target = [T]>] &&&&Table<'a, S>, held => held;
    TableOfArray: /// Arrays.
        [T: Known, const N: usize] &&&Table<'a, [T; N]>, held => held;
    TableOfArrayBehind: /// References to arrays.
        [T: Known, S: Deref<Target = [T; N]>, const N: usize] &&Table<'a, S>, held => &held[..];
    TableOfVecBehind: /// References to vectors.
        [T: Known, S: Deref<Target = Vec<T>>] &Table<'a, S>, held => &held[..];
}

/// Method resolution finds this trait for all other types.
pub trait TableUnknown {
    /// `None`.
    fn __elements(&self) -> Found<'static> {
        None
    }
}

impl<S: ?Sized> TableUnknown for Table<'_, S> {}

/// Finds the conversion from bytes to elements of a sequence: `(&Elements::<T>::new()).__maker()`.
#[derive(Debug)]
pub struct Elements<T>(PhantomData<fn(T)>);

impl<T> Elements<T> {
    /// For this type.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Elements(PhantomData)
    }
}

/// The type of elements, and the conversion from their bytes.
pub type Maker<T> = (Type, fn(&[u8]) -> Vec<T>);

/// Method resolution finds this trait for types that devices support.
pub trait ElementsKnown<T> {
    /// The maker.
    fn __maker(&self) -> Option<Maker<T>>;
    /// The type.
    fn __ty(&self) -> Option<Type> {
        self.__maker().map(|(ty, _)| ty)
    }
}

/// Method resolution finds this trait for all other types.
pub trait ElementsUnknown<T> {
    /// `None`.
    fn __maker(&self) -> Option<Maker<T>> {
        None
    }
    /// `None`.
    fn __ty(&self) -> Option<Type> {
        None
    }
}

impl<T: Known> ElementsKnown<T> for Elements<T> {
    fn __maker(&self) -> Option<Maker<T>> {
        let () = T::FITS;
        Some((T::TYPE, from_bytes))
    }
}

impl<T> ElementsUnknown<T> for &Elements<T> {}
