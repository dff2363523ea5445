//! Bounds on the user's types, so that rustc reports a wrong type once.
//!
//! A plain bound is reported at each of its uses in an expansion. The methods of [`Probe`] exist for all types. If a type does not meet
//! the bound, the method returns a value without a type, and rustc reports nothing about the later uses of this value.

use crate::accumulate::{
    Affine, AffineMap, Clamped, CountedSum, Difference, Extremes, Filter, Linear, Number, Ordered, Product,
    ProductInRange, Sum, affine, clamped, counted_balance, counted_difference, counted_product, counted_sum,
    difference, extremes, filter, linear, product, running_difference, running_sum, sum,
};
use crate::call::Call;
use crate::codec::Codec;
use crate::data::{Shared, SharedMut};
use crate::element::Element;
use crate::parameter::{Input, Output};
use std::marker::PhantomData;

/// A type whose bounds are checked.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn(&T)>);

impl<T> Probe<T> {
    /// The type `T`.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Probe(PhantomData)
    }

    /// The type of a value.
    pub fn of(_: &T) -> Self {
        Probe(PhantomData)
    }
}

/// Method resolution finds this trait for plain data.
pub trait AcceptElement<T> {
    /// The operations on elements of this type.
    fn __element(&self) -> Elements<T>;
}

impl<T: Element> AcceptElement<T> for Probe<T> {
    #[inline]
    fn __element(&self) -> Elements<T> {
        Elements(PhantomData)
    }
}

/// Method resolution finds this trait for all other types.
pub trait RefuseElement<T> {
    /// Does not compile.
    fn __element(&self) -> T::Nothing
    where
        T: PlainData;
}

impl<T> RefuseElement<T> for &Probe<T> {
    fn __element(&self) -> T::Nothing
    where
        T: PlainData,
    {
        T::nothing()
    }
}

/// The bound in the message for a type that is not [`Element`]. No type implements it.
#[diagnostic::on_unimplemented(
    message = "FA040: `{Self}` is not plain data, so it cannot be an element of a distributed slice",
    label = "not plain data",
    note = "a struct whose fields leave no gaps derives it, after `cargo add bytemuck --features derive`: `#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)] #[repr(C)]`",
    note = "for a tuple, take such a struct, as `struct Pair(u32, f32);` for `(u32, f32)`, or an array, as `[f32; 2]` for `(f32, f32)`",
    note = "mark the parameter `#[replicated]` if every rank has all of it"
)]
pub trait PlainData {
    /// Never a type.
    type Nothing;
    /// Never a value.
    fn nothing() -> Self::Nothing;
}

/// Operations on a type that shares may hold.
#[derive(Debug)]
pub struct Elements<T>(PhantomData<fn(&T)>);

impl<T: Element> Elements<T> {
    /// As [`Input::new`].
    #[inline]
    pub fn input<'a, S: Shared<T> + ?Sized>(self, call: &'a Call, argument: &'a S) -> Input<'a, T> {
        Input::new(call, argument)
    }

    /// As [`Output::new`].
    #[inline]
    pub fn output<'a, S: SharedMut<T> + ?Sized>(self, call: &'a Call, argument: &'a mut S) -> Output<'a, T> {
        Output::new(call, argument)
    }

    /// As [`crate::verify::whole`].
    pub fn whole<S: Shared<T> + ?Sized>(self, argument: &S) -> Vec<T> {
        crate::verify::whole(argument)
    }

    /// As [`crate::verify::array()`].
    #[cfg(feature = "ndarray")]
    pub fn array<const D: usize>(
        self,
        argument: &(impl crate::data::Shaped<T, D> + ?Sized),
    ) -> Option<ndarray::Array<T, ndarray::Dim<[usize; D]>>>
    where
        [usize; D]: ndarray::IntoDimension<Dim = ndarray::Dim<[usize; D]>>,
        ndarray::Dim<[usize; D]>: ndarray::Dimension,
    {
        crate::verify::array(argument)
    }
}

/// Method resolution finds this trait for numbers.
pub trait AcceptNumber<V> {
    /// The accumulators for numbers of this type.
    fn __number(&self) -> Numbers<V>;
}

impl<V: Number> AcceptNumber<V> for Probe<V> {
    #[inline]
    fn __number(&self) -> Numbers<V> {
        Numbers(PhantomData)
    }
}

/// Method resolution finds this trait for all other types.
pub trait RefuseNumber<V> {
    /// Does not compile.
    fn __number(&self) -> V::Nothing
    where
        V: KnownNumber;
}

impl<V> RefuseNumber<V> for &Probe<V> {
    fn __number(&self) -> V::Nothing
    where
        V: KnownNumber,
    {
        V::nothing()
    }
}

/// The bound in the message for a type that is not [`Number`]. No type implements it.
#[diagnostic::on_unimplemented(
    message = "FA032: forall does not know that `+` or `*` of `{Self}` is associative, nor its identity",
    label = "of type `{Self}`",
    note = "write the operator as a function and name it: `#[kary_reduce(combine = path)]`, with `acc = path(acc, value)`"
)]
pub trait KnownNumber {
    /// Never a type.
    type Nothing;
    /// Never a value.
    fn nothing() -> Self::Nothing;
}

/// The accumulators for a type whose sums and products `forall` knows.
#[derive(Debug)]
pub struct Numbers<V>(PhantomData<fn(&V)>);

macro_rules! collect {
    ($($name:ident -> $accumulator:ty;)*) => {
        impl<V: Number> Numbers<V> {
            $(
                /// As the function of that name in [`crate::accumulate`].
                #[inline]
                pub fn $name<C: Codec<V>>(self, init: V, codec: C) -> $accumulator {
                    $name(init, codec)
                }
            )*
        }
    };
}
collect! {
    sum -> Sum<V, C, false>;
    running_sum -> Sum<V, C, true>;
    difference -> Difference<V, C, false>;
    running_difference -> Difference<V, C, true>;
    counted_sum -> CountedSum<V, C>;
    counted_balance -> CountedSum<V, C>;
    counted_difference -> CountedSum<V, C>;
    product -> Product<V, C>;
    counted_product -> ProductInRange<V, C>;
    linear -> Linear<V, C>;
}

impl<V: Number> Numbers<V> {
    /// As [`affine`].
    pub fn affine<const K: usize, const R: usize, C: Codec<V>>(self, init: [V; K], codec: C) -> Affine<V, C, K, R> {
        affine(init, codec)
    }

    /// As [`filter`].
    pub fn filter<const K: usize, const R: usize, C: Codec<V>>(
        self,
        init: [V; K],
        codec: C,
        step: impl FnOnce(&mut AffineMap<V, K, R>),
    ) -> Filter<V, C, K, R> {
        filter(init, codec, step)
    }

    /// As [`extremes`].
    pub fn extremes<const K: usize, const R: usize, const MAX: bool, const PRESENT: u64, C: Codec<V>>(
        self,
        init: [V; K],
        codec: C,
        summed: [bool; K],
    ) -> Extremes<V, C, K, R, MAX, PRESENT>
    where
        V: Ordered,
    {
        extremes(init, codec, summed)
    }

    /// As [`clamped`].
    pub fn clamped<const K: usize, const R: usize, const BOUNDS: u8, C: Codec<V>>(
        self,
        init: [V; K],
        codec: C,
    ) -> Clamped<V, C, K, R, BOUNDS>
    where
        V: Ordered,
    {
        clamped(init, codec)
    }
}
