//! `FORALL_VERIFY=1`: the sequential twin runs beside every call, and the first difference ends the program.
//!
//! Integers must be equal; floats may differ by what another order of additions can cause.

use crate::comm::collective;
use crate::data::Shared;
use crate::element::{Element, bytes_of};
use crate::runtime::Context;
use std::cell::Cell;

thread_local! {
    /// Set while a call is compared: the calls inside of it are not compared once more.
    static COMPARING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this call is to be compared with its sequential twin.
#[inline]
pub fn wanted(starter: fn() -> Context) -> bool {
    crate::runtime::with_current(starter, |context| context.settings().verify) && !COMPARING.get()
}

/// Marks the calls made meanwhile as parts of one that is compared.
#[derive(Debug)]
pub struct Comparing(());

impl Comparing {
    /// From now on.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        COMPARING.set(true);
        Comparing(())
    }
}

impl Drop for Comparing {
    fn drop(&mut self) {
        COMPARING.set(false);
    }
}

/// All elements of an argument, on every rank.
pub fn whole<T: Element, S: Shared<T> + ?Sized>(argument: &S) -> Vec<T> {
    crate::runtime::with_comm(|comm| collective::allgather_varied(comm, &argument.share().local).0)
}

/// A whole array, on every rank; `None` where the ranks' parts do not fit together, which the call itself reports.
#[cfg(feature = "ndarray")]
pub fn array<T: Element, const D: usize>(
    argument: &(impl crate::data::Shaped<T, D> + ?Sized),
) -> Option<ndarray::Array<T, ndarray::Dim<[usize; D]>>>
where
    [usize; D]: ndarray::IntoDimension<Dim = ndarray::Dim<[usize; D]>>,
    ndarray::Dim<[usize; D]>: ndarray::Dimension,
{
    let elements = whole(argument);
    let mut shape = argument.extents();
    let planes = crate::runtime::with_comm(|comm| collective::allgather_varied(comm, &[shape[0]]).0);
    shape[0] = planes.iter().sum();
    ndarray::Array::from_shape_vec(shape, elements).ok()
}

/// The elements of an array that [`array()`] made.
#[cfg(feature = "ndarray")]
pub fn elements<T, D: ndarray::Dimension>(array: ndarray::Array<T, D>) -> Vec<T> {
    array.into_raw_vec_and_offset().0
}

/// Ends the program at a difference between what the sequential function and the parallel one leave.
///
/// # Panics
/// At a difference, naming the function and where it is.
pub fn same(function: &str, what: &str, difference: Option<String>) {
    if let Some(difference) = difference {
        panic!(
            "FA062: `{function}` differs from its sequential twin in {what}: {difference}; \
             is an operator not associative, or does a marker promise too much?"
        );
    }
}

/// Values that can be compared up to the order of floating-point additions.
pub trait Close {
    /// What differs; `None` when nothing does.
    fn difference(&self, found: &Self) -> Option<String>;
}

macro_rules! floats {
    ($($type:ty, $bound:literal;)*) => {$(
        impl Close for $type {
            fn difference(&self, found: &Self) -> Option<String> {
                let scale = self.abs().max(found.abs()).max(1.0);
                let same = self == found || (self.is_nan() && found.is_nan()) || (self - found).abs() <= $bound * scale;
                (!same).then(|| format!("expected {self}, found {found}"))
            }
        }
    )*};
}
floats! { f32, 1e-3; f64, 1e-7; }

macro_rules! exact {
    ($($type:ty)*) => {$(
        impl Close for $type {
            fn difference(&self, found: &Self) -> Option<String> {
                (self != found).then(|| format!("expected {self:?}, found {found:?}"))
            }
        }
    )*};
}
exact!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool char String);
exact!(());

impl<T: Close> Close for [T] {
    fn difference(&self, found: &Self) -> Option<String> {
        if self.len() != found.len() {
            return Some(format!("expected {} elements, found {}", self.len(), found.len()));
        }
        let pairs = self.iter().zip(found).enumerate();
        pairs.into_iter().find_map(|(k, (a, b))| a.difference(b).map(|d| format!("element {k}: {d}")))
    }
}

impl<T: Close> Close for Vec<T> {
    fn difference(&self, found: &Self) -> Option<String> {
        self[..].difference(found)
    }
}

impl<T: Close, const N: usize> Close for [T; N] {
    fn difference(&self, found: &Self) -> Option<String> {
        self[..].difference(found)
    }
}

impl<T: Close> Close for Option<T> {
    fn difference(&self, found: &Self) -> Option<String> {
        match (self, found) {
            (Some(a), Some(b)) => a.difference(b),
            (None, None) => None,
            _ => Some("one is there and the other is not".to_owned()),
        }
    }
}

macro_rules! tuples {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Close),*> Close for ($($name,)*) {
            fn difference(&self, found: &Self) -> Option<String> {
                None$(.or_else(|| self.$place.difference(&found.$place).map(|d| format!("part {}: {d}", $place))))*
            }
        }
    };
}
tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Asks how two values of one type can be compared: as [`Close`], as printed, as bytes, or not at all.
#[derive(Debug)]
pub struct Compare<'a, T>(pub &'a T, pub &'a T);

/// Found for what is [`Close`].
pub trait CompareClose {
    /// What differs.
    fn compare(&self) -> Option<String>;
}

impl<T: Close> CompareClose for &&&Compare<'_, T> {
    fn compare(&self) -> Option<String> {
        self.0.difference(self.1)
    }
}

/// Found for what can be printed: numbers in the text are compared as numbers.
pub trait ComparePrinted {
    /// What differs.
    fn compare(&self) -> Option<String>;
}

impl<T: std::fmt::Debug> ComparePrinted for &&Compare<'_, T> {
    fn compare(&self) -> Option<String> {
        let (expected, found) = (format!("{:?}", self.0), format!("{:?}", self.1));
        (!alike(&expected, &found)).then(|| format!("expected {expected}, found {found}"))
    }
}

/// Whether two texts are equal but for the last digits of numbers with a decimal point.
fn alike(one: &str, two: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let mut words: Vec<String> = vec![String::new()];
        for c in text.chars() {
            let part = c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
            match words.last_mut() {
                Some(word) if part => word.push(c),
                _ => words.extend([c.to_string(), String::new()]),
            }
        }
        words
    };
    let (one, two) = (words(one), words(two));
    one.len() == two.len()
        && one.iter().zip(&two).all(|(a, b)| {
            let float = |word: &str| word.parse::<f64>().ok().filter(|v| word.contains('.') || v.is_nan());
            match (float(a), float(b)) {
                (Some(a), Some(b)) => (a as f32).difference(&(b as f32)).is_none(),
                _ => a == b,
            }
        })
}

/// Found for plain data.
pub trait CompareBytes {
    /// What differs.
    fn compare(&self) -> Option<String>;
}

impl<T: Element> CompareBytes for &Compare<'_, T> {
    fn compare(&self) -> Option<String> {
        let bytes = |value: &T| bytes_of(std::slice::from_ref(value)).to_vec();
        (bytes(self.0) != bytes(self.1))
            .then(|| format!("two values of type `{}` have different bytes", std::any::type_name::<T>()))
    }
}

/// Found for the rest, which is not compared.
pub trait CompareNothing {
    /// Nothing.
    fn compare(&self) -> Option<String> {
        None
    }
}

impl<T> CompareNothing for Compare<'_, T> {}

/// Asks for a copy of an argument.
#[derive(Debug)]
pub struct Copier<'a, T>(pub &'a T);

/// Found for what can be cloned.
pub trait CopyClone {
    /// The copy's type.
    type Copy;
    /// The copy.
    fn copy(&self) -> Option<Self::Copy>;
}

impl<T: Clone> CopyClone for &Copier<'_, T> {
    type Copy = T;
    fn copy(&self) -> Option<T> {
        Some(self.0.clone())
    }
}

/// Found for the rest: such calls are not compared.
pub trait CopyNothing {
    /// The copy's type.
    type Copy;
    /// Nothing.
    fn copy(&self) -> Option<Self::Copy>;
}

impl<T> CopyNothing for Copier<'_, T> {
    type Copy = T;
    fn copy(&self) -> Option<T> {
        None
    }
}
