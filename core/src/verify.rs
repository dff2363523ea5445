//! `FORALL_VERIFY=1`: compares each call with the reference implementation, the sequential function. The first difference ends the program.
//!
//! The documentation of each class defines the tolerance: maps are equal bit by bit, integers exactly, and floats that merge chunk by chunk
//! within the error of their sum.

use crate::accumulate::rounding::{self, Rounded};
use crate::blocks::{Blocks, Written};
use crate::comm::{Solo, collective};
use crate::data::Shared;
use crate::element::{Element, bytes_of};
use crate::runtime::{Context, Header, MERGING, Value};
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};

thread_local! {
    /// Set while a call is compared. Calls inside of it are not compared separately.
    static COMPARING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this call is compared with the sequential function.
#[inline]
pub fn wanted(starter: fn() -> Context) -> bool {
    crate::runtime::with_current(starter, |context| context.settings().verify) && !COMPARING.get()
}

/// While it exists, calls are parts of a call that is compared.
#[derive(Debug)]
pub struct Comparing(());

impl Comparing {
    /// Starts the comparison.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        COMPARING.set(true);
        rounding::begin();
        Comparing(())
    }

    /// Runs the sequential function. Each rank has the whole arrays, so annotated functions that it calls must not take them for shares.
    pub fn on_this_rank<R>(&self, sequential: impl FnOnce() -> R, starter: fn() -> Context) -> R {
        crate::runtime::on_this_rank(&crate::runtime::current_or(starter), sequential)
    }

    /// The tolerance, after the parallel call. All ranks of the call call this method.
    pub fn allowed(&self, local: bool, starter: fn() -> Context) -> Allowed {
        let (device, rounded) = crate::runtime::with_current(starter, |context| {
            let device = context.node().may_have_device();
            let comm = if local { Solo::comm() } else { context.comm() };
            (device, rounding::noted(comm, device))
        });
        if device {
            // A device rounds divisions, functions and fused multiply-adds differently.
            Allowed::Within(Rounded { terms: rounded.terms.max(ON_DEVICES), ..rounded })
        } else if rounded.terms > 0 {
            Allowed::Within(rounded)
        } else {
            Allowed::Nothing
        }
    }
}

/// The number of roundings that a device may do differently.
const ON_DEVICES: u64 = 1 << 10;

/// The tolerance of a comparison.
#[derive(Debug, Clone, Copy)]
pub enum Allowed {
    /// Floats have equal bits.
    NoBit,
    /// Floats are equal, and the two zeros are equal.
    Nothing,
    /// Floats differ by at most the rounding error of a reordered sum.
    Within(Rounded),
}

impl Allowed {
    /// The tolerance for arrays of a loop whose elements do not depend on its accumulators.
    #[must_use]
    pub fn of_maps(self, starter: fn() -> Context) -> Allowed {
        match crate::runtime::with_current(starter, |context| context.node().may_have_device()) {
            true => self,
            false => Allowed::NoBit,
        }
    }

    /// Whether two floats are within the tolerance. `epsilon` is the distance between 1 and the next number of the type.
    fn holds(self, epsilon: f64, expected: f64, found: f64) -> bool {
        if expected.is_nan() && found.is_nan() {
            return true;
        }
        match self {
            Allowed::NoBit => expected.to_bits() == found.to_bits(),
            Allowed::Nothing => expected == found,
            Allowed::Within(Rounded { terms, counted, largest, weight }) => {
                // The largest error of this number of roundings, relative to the largest partial sum.
                let terms = terms.max(if counted { LEAST_COUNTED } else { LEAST });
                let error = (2.0 * terms as f64 * epsilon).min(MOST);
                let scale = largest.max(expected.abs()).max(found.abs());
                let bound = (error * scale).max(2.0 * weight * epsilon);
                expected == found || (expected - found).abs() <= bound
            }
        }
    }
}

/// The least number of terms of a sum whose terms are not counted: iterations may contain loops.
const LEAST: u64 = 1 << 9;

/// The least number of counted terms: a result computed from a sum may have a larger error than the sum.
const LEAST_COUNTED: u64 = 1 << 6;

/// An error of more than this part of the largest sum is a mistake, for sums of any length.
const MOST: f64 = 1.0 / 16.0;

impl Drop for Comparing {
    fn drop(&mut self) {
        rounding::end();
        COMPARING.set(false);
    }
}

/// Lets the ranks compare the arguments that must be equal on all ranks: scalars and `#[replicated]` parameters. An argument has a checksum
/// if its type allows one.
pub fn replicated(function: &'static str, values: &[(&'static str, Option<u64>)], starter: fn() -> Context) {
    crate::runtime::with_current(starter, |context| {
        if context.ranks() == 1 {
            return;
        }
        let texts: Vec<String> = values
            .iter()
            .map(|(name, _)| format!("`{name}`, which must be the same on all ranks (by its checksum),"))
            .collect();
        let each = texts.iter().zip(values);
        let values: Vec<Value<'_>> =
            each.map(|(text, (_, checksum))| Value::same(text.as_str(), checksum.unwrap_or(0))).collect();
        context.agree_before(&Header { function, number: MERGING, values: &values });
    });
}

/// All elements of an argument, on every rank.
pub fn whole<T: Element, S: Shared<T> + ?Sized>(argument: &S) -> Vec<T> {
    crate::runtime::with_comm(|comm| collective::allgather_varied(comm, &argument.share().local).0)
}

/// A whole array, on every rank. `None` if the ranks' parts do not fit together; the call itself reports this error.
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

/// Ends the program if the results of the sequential and the parallel function differ.
///
/// # Panics
/// If there is a difference. The message names the function and the position.
#[track_caller]
pub fn same(function: &str, what: &str, difference: Option<String>) {
    if let Some(difference) = difference {
        panic!(
            "FA062: `{function}` differs from its sequential twin in {what}: {difference}; \
             is an operator not associative, or does a marker promise too much?"
        );
    }
}

/// The difference of a block of this rank.
fn of_block<B>(expected: &Blocks<B>, found: &Blocks<B>, number: usize, allowed: Allowed) -> Option<String> {
    /// A set of two elements has one of two orders.
    const TRIES: usize = 16;
    let (one, two) = (expected.parts(number)?, found.parts(number)?);
    if let Some(difference) = of_parts(&one, &two, allowed) {
        // Hash sets have no order, so the same block may be written in another order.
        let text = |part: &Written| format!("{part:?}");
        let before = text(&two);
        let unordered = (0..TRIES).any(|_| found.parts_again(number).is_some_and(|again| text(&again) != before));
        if !unordered || of_parts(&one.sorted(), &two.sorted(), allowed).is_some() {
            return Some(difference);
        }
    }
    let (one, two) = (expected.pending(number), found.pending(number));
    // Messages may hold floats.
    let exact = matches!(allowed, Allowed::NoBit | Allowed::Nothing);
    let alike = one.len() == two.len()
        && one.iter().zip(&two).all(|(one, two)| {
            let heads = [one, two].map(|message| (message.to, message.from, message.sort, message.bytes.len()));
            heads[0] == heads[1] && (!exact || one.bytes == two.bytes)
        });
    let count = |messages: usize| format!("{messages} messages wait");
    (!alike).then(|| format!("its messages: expected that {}, found that {}", count(one.len()), count(two.len())))
}

/// The difference of two parts of a block.
fn of_parts(expected: &Written, found: &Written, allowed: Allowed) -> Option<String> {
    match (expected, found) {
        (Written::Single(one), Written::Single(two)) => one.difference(two, allowed),
        (Written::Double(one), Written::Double(two)) => one.difference(two, allowed),
        (Written::List(one), Written::List(two)) => of_items(one, two, |one, two| of_parts(one, two, allowed)),
        (Written::Map(one), Written::Map(two)) => of_items(one, two, |one, two| {
            of_parts(&one.0, &two.0, allowed).or_else(|| of_parts(&one.1, &two.1, allowed))
        }),
        (one, two) => (one != two).then(|| format!("expected {one}, found {two}")),
    }
}

/// Values whose floats are known from their types.
pub trait Close {
    /// The difference, if there is one.
    fn difference(&self, found: &Self, allowed: Allowed) -> Option<String>;
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Close for $type {
            fn difference(&self, found: &Self, allowed: Allowed) -> Option<String> {
                let same = allowed.holds(<$type>::EPSILON.into(), (*self).into(), (*found).into());
                (!same).then(|| format!("expected {self}, found {found}"))
            }
        }
    )*};
}
floats! { f32 f64 }

macro_rules! exact {
    ($($type:ty)*) => {$(
        impl Close for $type {
            fn difference(&self, found: &Self, _: Allowed) -> Option<String> {
                (self != found).then(|| format!("expected {self:?}, found {found:?}"))
            }
        }
    )*};
}
exact!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool char String);
exact!(());

impl<T: Close> Close for [T] {
    fn difference(&self, found: &Self, allowed: Allowed) -> Option<String> {
        of_items(self, found, |expected, found| expected.difference(found, allowed))
    }
}

impl<T: Close> Close for Vec<T> {
    fn difference(&self, found: &Self, allowed: Allowed) -> Option<String> {
        self[..].difference(found, allowed)
    }
}

impl<T: Close, const N: usize> Close for [T; N] {
    fn difference(&self, found: &Self, allowed: Allowed) -> Option<String> {
        self[..].difference(found, allowed)
    }
}

impl<T: Close> Close for Option<T> {
    fn difference(&self, found: &Self, allowed: Allowed) -> Option<String> {
        match (self, found) {
            (Some(a), Some(b)) => a.difference(b, allowed),
            (None, None) => None,
            _ => Some("one is there and the other is not".to_owned()),
        }
    }
}

macro_rules! tuples {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Close),*> Close for ($($name,)*) {
            fn difference(&self, found: &Self, allowed: Allowed) -> Option<String> {
                None$(.or_else(|| {
                    self.$place.difference(&found.$place, allowed).map(|d| format!("part {}: {d}", $place))
                }))*
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

/// The first difference of two sequences.
fn of_items<T>(expected: &[T], found: &[T], difference: impl Fn(&T, &T) -> Option<String>) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("expected {} elements, found {}", expected.len(), found.len()));
    }
    let pairs = expected.iter().zip(found).enumerate();
    pairs.into_iter().find_map(|(k, (a, b))| difference(a, b).map(|d| format!("element {k}: {d}")))
}

/// Compares two values of one type in the best way for the type: as [`Close`], as plain data, by their `Debug` text, or not at all.
#[derive(Debug)]
pub struct Compare<'a, T>(pub &'a T, pub &'a T, pub Allowed);

/// Method resolution finds this trait for types that are [`Close`].
pub trait CompareClose {
    /// The difference, if there is one.
    fn __compare(&self) -> Option<String>;
}

impl<T: Close> CompareClose for &&&&Compare<'_, T> {
    fn __compare(&self) -> Option<String> {
        self.0.difference(self.1, self.2)
    }
}

/// Method resolution finds this trait for blocks.
pub trait CompareBlocks {
    /// The difference of the first block that differs, or its messages. All ranks call it and get the same difference.
    fn __compare(&self) -> Option<String>;
}

impl<B> CompareBlocks for &&&&Compare<'_, Blocks<B>> {
    fn __compare(&self) -> Option<String> {
        let (expected, found, allowed) = (self.0, self.1, self.2);
        let own = found.numbers().iter().find_map(|&number| {
            of_block(expected, found, number, allowed).map(|difference| format!("block {number}: {difference}"))
        });
        let own = own.unwrap_or_default().into_bytes();
        let (texts, lengths) = crate::runtime::with_comm(|comm| collective::allgather_varied(comm, &own));
        let first = lengths.into_iter().find(|length| *length > 0).unwrap_or(0);
        Some(String::from_utf8_lossy(&texts[..first]).into_owned()).filter(|text| !text.is_empty())
    }
}

/// Method resolution finds this trait for plain data.
pub trait CompareBytes {
    /// The difference, if there is one.
    fn __compare(&self) -> Option<String>;
}

impl<T: Element> CompareBytes for &&&Compare<'_, T> {
    fn __compare(&self) -> Option<String> {
        data_difference(self.0, self.1, self.2)
    }
}

/// Method resolution finds this trait for vectors of plain data.
pub trait CompareItems {
    /// The difference, if there is one.
    fn __compare(&self) -> Option<String>;
}

impl<T: Element> CompareItems for &&Compare<'_, Vec<T>> {
    fn __compare(&self) -> Option<String> {
        of_items(self.0, self.1, |expected, found| data_difference(expected, found, self.2))
    }
}

/// The difference of two values of plain data, from their bytes.
fn data_difference<T: Element>(expected: &T, found: &T, allowed: Allowed) -> Option<String> {
    let bytes = |value: &T| bytes_of(std::slice::from_ref(value)).to_vec();
    let (one, two) = (bytes(expected), bytes(found));
    let same = one == two
        || match align_of::<T>() {
            4 => words_alike(&one, &two, f32::EPSILON.into(), allowed, |word| f32::from_ne_bytes(word).into()),
            8 => words_alike(&one, &two, f64::EPSILON, allowed, f64::from_ne_bytes),
            _ => false,
        };
    (!same).then(|| format!("two values of type `{}` are not the same", std::any::type_name::<T>()))
}

/// Whether two words are equal, or are floats within the tolerance. Small integers would be subnormal floats, and negative ones NaN, so
/// such words must be equal.
fn words_alike<const N: usize>(
    one: &[u8],
    two: &[u8],
    epsilon: f64,
    allowed: Allowed,
    float: impl Fn([u8; N]) -> f64,
) -> bool {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0.0, &float);
    let plain = |value: f64| value == 0.0 || value.is_finite() && value.abs() > f64::from(f32::MIN_POSITIVE);
    one.chunks(N).zip(two.chunks(N)).all(|(one, two)| {
        let (a, b) = (word(one), word(two));
        one == two || plain(a) && plain(b) && allowed.holds(epsilon, a, b)
    })
}

/// Method resolution finds this trait for types that implement `Debug`. Numbers in the text are compared as numbers.
pub trait ComparePrinted {
    /// The difference, if there is one.
    fn __compare(&self) -> Option<String>;
}

impl<T: std::fmt::Debug> ComparePrinted for &Compare<'_, T> {
    fn __compare(&self) -> Option<String> {
        let (expected, found) = (format!("{:?}", self.0), format!("{:?}", self.1));
        (!alike(&expected, &found, self.2)).then(|| {
            let (expected, found) = (in_order(&expected), in_order(&found));
            let same = expected.chars().zip(found.chars()).take_while(|(one, other)| one == other).count();
            format!("expected {}, found {}", part_of(&expected, same), part_of(&found, same))
        })
    }
}

/// The part of a long text around a character.
fn part_of(text: &str, at: usize) -> String {
    const BEFORE: usize = 40;
    const LONGEST: usize = 120;
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let first = at.saturating_sub(BEFORE);
    let part: String = text.chars().skip(first).take(LONGEST).collect();
    let [before, after] = [first > 0, first + LONGEST < length].map(|cut| if cut { ".." } else { "" });
    format!("{before}{part}{after}")
}

/// A `Debug` text whose maps and sets have their entries in order: those of a `HashMap` come in any order, also inside of a struct.
fn in_order(text: &str) -> String {
    /// An open bracket: the entries before the last comma, and the text after it. Only maps and sets have entries of their own.
    struct Open {
        is_map: bool,
        entries: Vec<String>,
        text: String,
    }
    let open = |is_map| Open { is_map, entries: Vec::new(), text: String::new() };
    let (mut outer, mut inner, mut chars) = (Vec::new(), open(false), text.chars());
    while let Some(char) = chars.next() {
        match char {
            '{' | '(' | '[' => {
                // The name of a struct stands before its bracket.
                let named = inner.text.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'));
                let nested = open(char == '{' && !named);
                inner.text.push(char);
                outer.push(std::mem::replace(&mut inner, nested));
            }
            '}' | ')' | ']' => {
                // A type may print brackets that do not match.
                let Some(around) = outer.pop() else {
                    return text.to_owned();
                };
                let Open { is_map, mut entries, text } = std::mem::replace(&mut inner, around);
                if is_map {
                    entries.push(text.trim().to_owned());
                    entries.sort_unstable();
                    inner.text.push_str(&entries.join(", "));
                } else {
                    inner.text.push_str(&text);
                }
                inner.text.push(char);
            }
            ',' if inner.is_map => {
                let entry = std::mem::take(&mut inner.text);
                inner.entries.push(entry.trim().to_owned());
            }
            '"' => {
                inner.text.push(char);
                while let Some(char) = chars.next() {
                    inner.text.push(char);
                    match char {
                        '\\' => inner.text.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            // A bracket or a comma as a character.
            '\'' if chars.as_str().chars().nth(1) == Some('\'') => {
                inner.text.push(char);
                inner.text.extend(chars.by_ref().take(2));
            }
            _ => inner.text.push(char),
        }
    }
    if outer.is_empty() { inner.text } else { text.to_owned() }
}

/// Whether two texts are equal, except for floats within the tolerance and for the order of maps and sets.
fn alike(one: &str, two: &str, allowed: Allowed) -> bool {
    let (one, two) = (in_order(one), in_order(two));
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
    let (one, two) = (words(&one), words(&two));
    one.len() == two.len() && one.iter().zip(&two).all(|(a, b)| a == b || alike_floats(a, b, allowed))
}

/// Whether two words are floats within the tolerance. `Debug` prints as many digits as are needed to identify a float: at most 9 for an
/// `f32`.
fn alike_floats(one: &str, two: &str, allowed: Allowed) -> bool {
    let float = |word: &str| word.parse::<f64>().ok().filter(|v| word.contains(['.', 'e']) || !v.is_finite());
    let digits =
        |word: &str| word.split('e').next().map_or(0, |word| word.matches(|c: char| c.is_ascii_digit()).count());
    let single = digits(one).max(digits(two)) <= 9;
    let epsilon = if single { f32::EPSILON.into() } else { f64::EPSILON };
    float(one).zip(float(two)).is_some_and(|(one, two)| allowed.holds(epsilon, one, two))
}

/// Method resolution finds this trait for all other types, which are not compared.
pub trait CompareNothing {
    /// Nothing.
    fn __compare(&self) -> Option<String> {
        None
    }
}

impl<T> CompareNothing for Compare<'_, T> {}

/// The checksum of an argument: of the bytes of plain data, or of the serde output for other types.
#[derive(Debug)]
pub struct Checksum<'a, T: ?Sized>(pub &'a T);

fn checksum(of: &(impl Hash + ?Sized)) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    Some(hasher.finish())
}

/// Method resolution finds this trait for plain data.
pub trait ChecksumOfData {
    /// The checksum of the bytes.
    fn __checksum(&self) -> Option<u64>;
}

impl<T: Element> ChecksumOfData for &&&Checksum<'_, T> {
    fn __checksum(&self) -> Option<u64> {
        checksum(bytes_of(std::slice::from_ref(self.0)))
    }
}

/// Method resolution finds this trait for sequences of plain data and for strings.
pub trait ChecksumOfItems {
    /// The checksum of the length and the bytes.
    fn __checksum(&self) -> Option<u64>;
}

impl<T: Element> ChecksumOfItems for &&Checksum<'_, [T]> {
    fn __checksum(&self) -> Option<u64> {
        checksum(bytes_of(self.0))
    }
}

impl<T: Element> ChecksumOfItems for &&Checksum<'_, Vec<T>> {
    fn __checksum(&self) -> Option<u64> {
        checksum(bytes_of(self.0))
    }
}

impl ChecksumOfItems for &&Checksum<'_, str> {
    fn __checksum(&self) -> Option<u64> {
        checksum(self.0)
    }
}

impl ChecksumOfItems for &&Checksum<'_, String> {
    fn __checksum(&self) -> Option<u64> {
        checksum(self.0)
    }
}

/// Method resolution finds this trait for types that serde can write.
pub trait ChecksumOfSerde {
    /// The checksum of the serde output.
    fn __checksum(&self) -> Option<u64>;
}

impl<T: serde::Serialize + ?Sized> ChecksumOfSerde for &Checksum<'_, T> {
    fn __checksum(&self) -> Option<u64> {
        let name = std::any::type_name::<T>();
        // Values with interior mutability may differ between ranks.
        if ["Atomic", "Cell<", "Mutex<", "RwLock<"].iter().any(|part| name.contains(part)) {
            return None;
        }
        let mut bytes = postcard::to_stdvec(self.0).ok()?;
        // The order of a `HashMap` differs between ranks, and a struct may contain one.
        let plain = name.split(|c: char| !c.is_alphanumeric() && c != ':' && c != '_').all(|part| {
            let known = ["alloc::", "core::"].iter().any(|of| part.starts_with(of));
            known || !part.contains("::")
        });
        if !plain {
            bytes.sort_unstable();
        }
        checksum(&bytes)
    }
}

/// Method resolution finds this trait for all other types, which are not compared.
pub trait NoChecksum {
    /// Nothing.
    fn __checksum(&self) -> Option<u64> {
        None
    }
}

impl<T: ?Sized> NoChecksum for Checksum<'_, T> {}

/// Copies an argument, if its type is `Clone`.
#[derive(Debug)]
pub struct Copier<'a, T>(pub &'a T);

/// Method resolution finds this trait for types that are `Clone`.
pub trait CopyClone {
    /// The copy's type.
    type Copy;
    /// The copy.
    fn __copy(&self) -> Option<Self::Copy>;
}

impl<T: Clone> CopyClone for &Copier<'_, T> {
    type Copy = T;
    fn __copy(&self) -> Option<T> {
        Some(self.0.clone())
    }
}

/// Method resolution finds this trait for blocks.
pub trait CopyBlocks {
    /// The copy's type.
    type Copy;
    /// A copy of the blocks of all ranks.
    fn __copy(&self) -> Option<Self::Copy>;
}

impl<B> CopyBlocks for &Copier<'_, Blocks<B>> {
    type Copy = Blocks<B>;
    fn __copy(&self) -> Option<Blocks<B>> {
        Some(self.0.copied())
    }
}

/// Method resolution finds this trait for all other types: such calls are not compared.
pub trait CopyNothing {
    /// The copy's type.
    type Copy;
    /// Nothing.
    fn __copy(&self) -> Option<Self::Copy>;
}

impl<T> CopyNothing for Copier<'_, T> {
    type Copy = T;
    fn __copy(&self) -> Option<T> {
        None
    }
}

/// The traits whose methods compare, copy and sum up values of any type.
pub mod probes {
    pub use super::{
        ChecksumOfData as _, ChecksumOfItems as _, ChecksumOfSerde as _, CompareBlocks as _, CompareBytes as _,
        CompareClose as _, CompareItems as _, CompareNothing as _, ComparePrinted as _, CopyBlocks as _,
        CopyClone as _, CopyNothing as _, NoChecksum as _,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUM: Allowed = Allowed::Within(Rounded { terms: 1 << 19, counted: true, largest: 1e6, weight: 0.0 });

    fn differ<T>(difference: impl Fn(&T, &T, Allowed) -> Option<String>, pair: [T; 2]) -> [bool; 3] {
        [Allowed::NoBit, Allowed::Nothing, SUM].map(|allowed| difference(&pair[0], &pair[1], allowed).is_some())
    }

    #[test]
    fn long_texts_show_the_difference() {
        let (expected, mut found) = (vec![String::from("a"); 100], vec![String::from("a"); 100]);
        found[90] = "b".to_owned();
        let difference = (&&Compare(&expected, &found, Allowed::Nothing)).__compare().unwrap_or_default();
        assert!(difference.len() < 300 && difference.contains("\"b\""), "{difference}");
    }

    #[test]
    fn sums_may_be_off_by_what_their_terms_come_to() {
        assert_eq!(differ(f64::difference, [1.0, 1.0 + 1e-9]), [true, true, false]);
        // Large terms that cancel each other leave a small result.
        assert_eq!(differ(f64::difference, [1e-5, 3e-5]), [true, true, false]);
        assert_eq!(differ(f64::difference, [1.0, 1.1]), [true; 3]);
        assert_eq!(differ(f64::difference, [0.0, -0.0]), [true, false, false]);
        assert_eq!(differ(f64::difference, [f64::NAN, -f64::NAN]), [false; 3]);
        assert_eq!(differ(u32::difference, [7, 8]), [true; 3]);
    }

    #[test]
    fn so_may_those_in_plain_data_and_not_the_integers_beside_them() {
        #[derive(Clone, Copy, bytemuck::NoUninit)]
        #[repr(C)]
        struct Mean {
            sum: f64,
            count: u64,
        }
        let of = |sum, count| Mean { sum, count };
        assert_eq!(differ(data_difference, [of(1.0, 7), of(1.0 + 1e-9, 7)]), [true, true, false]);
        assert_eq!(differ(data_difference, [of(1.0, 7), of(1.0, 8)]), [true; 3]);
        assert_eq!(differ(data_difference, [of(1.0, 7), of(1.0, u64::MAX)]), [true; 3]);
        assert_eq!(differ(data_difference, [[1.0_f32, 2.0], [1.0, 2.000_001]]), [true, true, false]);
    }

    #[test]
    fn and_those_that_are_printed() {
        let alike = |one, other| [Allowed::NoBit, SUM].map(|allowed| alike(one, other, allowed));
        assert_eq!(alike("Mean { sum: 1.0, count: 7 }", "Mean { sum: 1.0000000001, count: 7 }"), [false, true]);
        assert_eq!(alike("Mean { sum: 1.0, count: 7 }", "Mean { sum: 1.0, count: 8 }"), [false; 2]);
        assert_eq!(alike("[1e16]", "[1.0000000000000002e16]"), [false, true]);
    }

    #[test]
    fn maps_and_sets_have_no_order() {
        let alike = |one, other| alike(one, other, Allowed::NoBit);
        assert!(alike("{1: [2, 3], 4: {}}", "{4: {}, 1: [2, 3]}"));
        assert!(alike("State { of: {(1, 2): {3, 4}}, n: 5 }", "State { of: {(1, 2): {4, 3}}, n: 5 }"));
        assert!(alike(r#"{"a, {": ',', "b\"}": '\''}"#, r#"{"b\"}": '\'', "a, {": ','}"#));
        assert!(!alike("{1: 2, 3: 4}", "{1: 4, 3: 2}") && !alike("{1}", "{1, 2}"));
        // Tuples, sequences and fields do have one.
        assert!(
            !alike("[1, 2]", "[2, 1]")
                && !alike("{(1, 2)}", "{(2, 1)}")
                && !alike("P { x: 1, y: 2 }", "P { x: 2, y: 1 }")
        );
        assert!(alike("odd } text {", "odd } text {") && !alike("odd } text", "odd } texts"));
    }
}
