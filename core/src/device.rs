//! What a device with a memory of its own, such as a graphics processor, is told about a loop.
//!
//! The macro translates a loop's body to WGSL when it expands, and leaves a [`Program`]. A [`Device`] builds a shader around
//! it and runs it over positions. What one iteration does is the program's, how iterations are spread and merged is the
//! device's, and which elements they may touch is the driver's ([`crate::fold`]), as on every other node.
//!
//! # What a program's text defines
//! `p` is a position; `State` holds what the accumulators of the loop have so far. Its fields that are `usize` or `isize` are
//! `vec2<u32>`: their 64 bits, the lower ones first.
//!
//! | name | where | is |
//! |---|---|---|
//! | `struct State { f0: .., f1: .. }` | with accumulators | a field for each entry of [`Program::state`]; `bool` is held as `u32` |
//! | `fn fa_identity() -> State` | with accumulators | the operators' identities |
//! | `fn fa_merge(earlier: State, later: State) -> State` | with accumulators | both, in order |
//! | `fn fa_iteration(p: u32)` or `fn fa_iteration(p: u32, s: ptr<function, State>)` | always | the whole body |
//! | `fn fa_total(p: u32, s: ptr<function, State>)` | where [`Program::running`] | the part of the body that the running values depend on |
//! | `fn fa_total_L(p: u32, s: ptr<function, State>)` | for each level `L` above 0 | the same for the running values of the level: those of lower levels are values in `s`, and the fields of higher ones stay what they are |
//! | `fn fa_advance(value: State, chunk: State) -> State` | where [`Program::running`] | the running value after a chunk |
//!
//! A `State` is a *chunk*, what some positions that follow each other have together, from `fa_identity()` on; chunks merge.
//! Where the loop is a scan, there is also the running *value* before a position: `fa_iteration` gets that in `s`, and
//! `fa_advance` takes it past a chunk. What `fa_iteration` leaves in `s` is the value before the next position.
//!
//! The body may run several times for a position: a device counts pushes, or adds up totals, before it does what counts. An
//! element that an iteration reads after it wrote it has the new value each time, and all others have the old ones.
//!
//! A call of one of the author's functions names the arrays whose parts it hands over: see [`Function`].
//!
//! # What the device defines for it
//! `K` is the number of an entry, from 0. Integers of 8 and 16 bits are held as `i32` and `u32`, `usize` as `u32`, `isize` as
//! `i32`, `f16` as `f32`, `bool` as `bool`. [`usize::MAX`] is held as `0xffffffff`; any other `usize` that has no room below that raises
//! [`Cause::Wide`].
//!
//! | name | is |
//! |---|---|
//! | `fa_load_K(i: u32) -> T`, `fa_store_K(i: u32, v: T)`, `fa_len_K() -> u32` | [`Program::arrays`], by global index; the global length |
//! | `fa_value_K() -> T` | [`Program::values`] |
//! | `fa_table_K(i: u32) -> T`, `fa_table_len_K() -> u32` | [`Program::tables`] |
//! | `fa_push_K(v: T)` | [`Program::pushes`] |
//! | `fa_bin_K(i: u32, v: T)`, `fa_bins_len_K() -> u32` | [`Program::bins`]: puts a value into a bin; how many bins there are |
//! | `fa_raise(cause: u32)` | the iteration panics in Rust, for the [`Cause`]; it goes on with any values, and what it raises later does not count |
//! | `fa_trip() -> bool` | called at the start of each turn of a loop in the body; the loop ends where it is true, as it is once the iteration raised |
//! | `fa_OP_TYPE(..)` | operators and methods that WGSL lacks or does otherwise; TYPE is Rust's name of the type |

mod asks;
mod functions;
mod residence;
mod tuples;
mod variants;

pub use crate::element::Element;
use crate::element::{bytes_of, from_bytes};
pub use crate::fold::Captured;
pub use asks::{Ask, Source, Taken};
pub(crate) use asks::{is, resolved};
pub(crate) use functions::composed;
pub use functions::{Call, Callee, Callees, Constant, Function, id_of, inventory, noted};
pub use residence::{Memory, Moved, Residence, Valid};
use std::marker::PhantomData;
use std::ops::Deref;
pub use tuples::{Parted, lasting};
pub use variants::{Compared, Variants};

/// The type of an element or a value, as Rust names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Isize,
    Usize,
    /// `half::f16`. Devices compute with `f32` and round, as that crate does.
    F16,
    F32,
    F64,
    /// `[T; N]`.
    Array(&'static Type, usize),
    /// A struct with named fields, or a tuple struct.
    Struct(&'static Struct),
    /// The type that a program asks for under this number: see [`Program::asks`]. A device never sees it.
    Asked(usize),
}

/// A struct as Rust holds it: field after field, in this order, with no room between them. An enum whose variants have no
/// fields is one with a number.
#[derive(Debug)]
pub struct Struct {
    /// Its path.
    pub name: &'static str,
    /// The types that its parameters stand for.
    pub arguments: &'static [Type],
    /// The names of its fields, and their types. Those of a tuple struct are called by their numbers.
    pub fields: &'static [(&'static str, Type)],
    /// Of an enum: how its variants compare.
    pub variants: Option<Compared>,
}

impl PartialEq for Struct {
    fn eq(&self, other: &Struct) -> bool {
        (self.name, self.arguments, self.fields) == (other.name, other.arguments, other.fields)
    }
}

impl Eq for Struct {}

impl std::hash::Hash for Struct {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.name, self.arguments, self.fields).hash(state);
    }
}

impl Struct {
    /// Its path as one word, which no other path gives.
    fn word(&self) -> String {
        let arguments = self.arguments.iter().map(|ty| format!("_2{}", ty.word()));
        self.name.replace('_', "__").replace("::", "_1") + &arguments.collect::<String>()
    }
}

impl Type {
    /// Bytes of a value in Rust's memory.
    pub const fn size(self) -> usize {
        match self {
            Type::Bool | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 | Type::F16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
            Type::Isize | Type::Usize => size_of::<usize>(),
            Type::Array(element, len) => element.size() * len,
            Type::Struct(of) => {
                let (mut size, mut field) = (0, 0);
                while field < of.fields.len() {
                    size += of.fields[field].1.size();
                    field += 1;
                }
                size
            }
            Type::Asked(_) => 0,
        }
    }

    /// The numbers and `bool`s that a value is made of, in the order in which Rust holds them.
    pub fn scalars(self) -> Vec<Type> {
        match self {
            Type::Array(element, len) => element.scalars().repeat(len),
            Type::Struct(of) => of.fields.iter().flat_map(|(_, field)| field.scalars()).collect(),
            scalar => vec![scalar],
        }
    }

    /// Its name in those of functions: `f32` in `fa_add_f32`.
    pub fn word(self) -> String {
        match self {
            Type::Array(element, len) => format!("x{len}_{}", element.word()),
            Type::Struct(of) => of.word(),
            Type::Asked(number) => format!("${number}$"),
            scalar => format!("{scalar:?}").to_lowercase(),
        }
    }

    /// The type that holds it in WGSL.
    pub fn wgsl(self) -> String {
        match self {
            Type::I8 | Type::I16 | Type::I32 | Type::Isize => "i32".into(),
            Type::U8 | Type::U16 | Type::U32 | Type::Usize => "u32".into(),
            Type::F16 => "f32".into(),
            Type::Array(element, len) => format!("array<{}, {len}>", element.wgsl()),
            Type::Struct(of) => format!("fa_struct_{}", of.word()),
            Type::Asked(number) => format!("${number}:type$"),
            scalar => scalar.word(),
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Array(element, len) => write!(formatter, "[{element}; {len}]"),
            Type::Struct(Struct { name, arguments: [], .. }) => formatter.write_str(name),
            Type::Struct(Struct { name, arguments, .. }) => {
                let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
                write!(formatter, "{name}<{}>", arguments.join(", "))
            }
            scalar => formatter.write_str(&scalar.word()),
        }
    }
}

/// A loop in the language of devices: see the [module](self).
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The function, and the number of the loop in it.
    pub name: &'static str,
    /// The author's body, in WGSL.
    pub source: &'static str,
    /// The loop's arrays, in the order of its slots.
    pub arrays: &'static [Array],
    /// Plain values that all iterations read.
    pub values: &'static [Type],
    /// Arrays that every rank has whole, and that are only read: the types of their elements.
    pub tables: &'static [Type],
    /// The fields of `State`.
    pub state: &'static [Type],
    /// The level of each of these fields. Where running values are computed from others, those of level 0 are computed from
    /// the inputs alone, and others from the inputs and the levels below.
    pub levels: &'static [usize],
    /// How many of these fields, the last ones, count how often a sum of integers wrapped around where overflow is checked:
    /// `i32`, for each accumulator that asks for it in a build that checks.
    pub counted: usize,
    /// The elements of the sequences that iterations push to.
    pub pushes: &'static [Type],
    /// The histograms that iterations put values into, in the order of the accumulators. A loop whose body sees running
    /// values has none.
    pub bins: &'static [Bins],
    /// The author's functions that the body calls.
    pub calls: &'static [Call],
    /// The types that are not known before the loop runs first. Where they are meant, there is [`Type::Asked`], and in the
    /// source `$K$` for the type's name in those of functions, `$K:type$` for the type in WGSL, `$K:length$` for how many
    /// elements an array has, `$K:=2.5$` for a literal of the type, `$K:zero$` for what changes nothing when it is added,
    /// `$K:operator$` for what follows `fa_` in the name of the function that an operator is, and `$K:held$` for what a `State` holds it as, with `fa_hold_$K$` and `fa_take_$K$` from the one to the other.
    pub asks: &'static [Ask],
    /// Whether the body sees the running values: then the loop is a scan.
    pub running: bool,
    /// Whether chunks may merge in any order, and iterations be added to a chunk in any order, as with the built-in operators
    /// (where these are exact, with the same result). Else they are merged in the order of the positions.
    pub commutative: bool,
}

impl Program {
    /// A program that does nothing, to fill in what another one lacks.
    pub const EMPTY: Program = Program {
        name: "",
        source: "",
        arrays: &[],
        values: &[],
        tables: &[],
        state: &[],
        levels: &[],
        counted: 0,
        pushes: &[],
        bins: &[],
        calls: &[],
        asks: &[],
        running: false,
        commutative: false,
    };

    /// How many levels of running values there are.
    pub fn depth(&self) -> usize {
        self.levels.iter().max().map_or(1, |level| level + 1)
    }
}

/// An array of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Its elements.
    pub element: Type,
    /// Whether iterations write to it.
    pub writes: bool,
}

/// A histogram of a loop: numbers, each of which iterations change by one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bins {
    /// A number, or a `bool`.
    pub element: Type,
    /// What a bin and a value come to.
    pub operator: Operator,
    /// Whether sums of integers wrap around where a part of the iterations is out of range, even if overflow is checked.
    pub wraps: bool,
}

/// The operator of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    /// Integers wrap around.
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// What is said of a variable that is not of the type that it was taken for.
pub(crate) fn differs(name: &str, expected: Type, found: Option<Type>) -> String {
    match found {
        Some(found) => format!("`{name}` was taken for `{expected}`, and is `{found}`"),
        None if expected.scalars().contains(&Type::F16) => format!(
            "`{name}` was taken for `{expected}` of the crate `half`, and is another type, or `forall` is built without its \
             feature `half`"
        ),
        None => asks::unknown(name),
    }
}

/// Why an iteration panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Cause {
    /// An index beyond the end.
    Index = 0,
    /// A sum, difference, product, negation or shift out of range, where Rust checks it.
    Overflow = 1,
    /// A division, or a remainder, by zero.
    DivisionByZero = 2,
    /// A `usize` that the device has no room for, though Rust has.
    Wide = 3,
    /// A loop inside of the body with more turns than this device is known to run.
    Trips = 4,
    /// `assert!`, `panic!`, `unreachable!`, or a method that panics, such as `clamp` and `unwrap`.
    Explicit = 5,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Cause::Index => "index out of bounds",
            Cause::Overflow => "attempt to calculate with overflow",
            Cause::DivisionByZero => "attempt to divide by zero",
            Cause::Wide => "a `usize` of more than the 32 bits that it has on the GPU",
            Cause::Trips => {
                "more turns of a loop inside of the body than this driver is known to run (it would stop without an error)"
            }
            Cause::Explicit => "an assertion, or a method that panics, on the GPU",
        })
    }
}

/// Plain data that devices know: numbers, `bool`, arrays of them, and structs that derive `forall::DeviceData`.
#[diagnostic::on_unimplemented(
    message = "FA053: `{Self}` is no type that a device has",
    label = "not known to devices",
    note = "there are numbers, `bool`, arrays `[T; N]`, and structs with `#[derive(forall::DeviceData)]`"
)]
pub trait Known: Element {
    /// Its type.
    const TYPE: Type;
    /// There only if it is held as its type says.
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

/// Is there for types that devices know alone.
pub const fn known<T: Known>() {}

/// The traits by which expansions ask for types: what is found depends on what a type is.
pub mod probes {
    pub use super::tuples::{
        PartsOfArray as _, PartsOfArrayBehind as _, PartsOfSlice as _, PartsOfVecBehind as _, PartsUnknown as _,
    };
    pub use super::variants::{
        VariantsCompared as _, VariantsInOrder as _, VariantsMatched as _, VariantsSomehow as _, VariantsUnordered as _,
    };
    pub use super::{
        ElementsKnown as _, ElementsUnknown as _, ProbeKnown as _, ProbeUnknown as _, TableOfArray as _,
        TableOfArrayBehind as _, TableOfSlice as _, TableOfVecBehind as _, TableUnknown as _,
    };
}

/// A type, and the bytes of values of it; nothing for types that devices do not know.
pub type Found<'a> = Option<(Type, &'a [u8])>;

/// Asks for the type of a variable, which the macro does not know: `(&Probe(&variable)).found()`.
#[derive(Debug)]
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// The answer for types that devices know.
pub trait ProbeKnown<'a> {
    /// The type, and the value's bytes.
    fn found(&self) -> Found<'a>;
    /// The type.
    fn ty(&self) -> Option<Type> {
        self.found().map(|(ty, _)| ty)
    }
}

/// The answer for all others.
pub trait ProbeUnknown {
    /// Nothing.
    fn found(&self) -> Found<'static> {
        None
    }
    /// Nothing.
    fn ty(&self) -> Option<Type> {
        None
    }
}

/// The elements of arrays that lie in each other, with so many axes put one after the other.
pub fn opened(found: Found<'_>, axes: usize) -> Found<'_> {
    let (mut ty, bytes) = found?;
    for _ in 0..axes {
        let Type::Array(element, _) = ty else { return None };
        ty = *element;
    }
    Some((ty, bytes))
}

/// How long the elements of a table of arrays are along one of their axes, from 1; 0 where there is no such axis.
pub fn length_within(table: Found<'_>, axis: usize) -> usize {
    match opened(table, axis - 1) {
        Some((Type::Array(_, length), _)) => length,
        _ => 0,
    }
}

/// A value of a constant, for as long as the process runs.
pub fn kept<T: Copy>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

impl<'a, T: Known> ProbeKnown<'a> for Probe<'a, T> {
    fn found(&self) -> Found<'a> {
        let () = T::FITS;
        Some((T::TYPE, bytes_of(std::slice::from_ref(self.0))))
    }
}

/// Of a slice, what its elements are.
impl<'a, T: Known> ProbeKnown<'a> for Probe<'a, [T]> {
    fn found(&self) -> Found<'a> {
        let () = T::FITS;
        Some((T::TYPE, bytes_of(self.0)))
    }
}

impl<T: ?Sized> ProbeUnknown for &Probe<'_, T> {}

/// Asks for the elements of something that is indexed, which may be no slice: `(&&&&&Table(&variable)).elements()`.
#[derive(Debug)]
pub struct Table<'a, S: ?Sized>(pub &'a S);

macro_rules! tables {
    ($($name:ident: $(#[$doc:meta])* [$($generics:tt)*] $holder:ty, $self:ident => $elements:expr;)*) => {$(
        $(#[$doc])*
        pub trait $name<'a> {
            /// The type of the elements, and their bytes.
            fn elements(&self) -> Found<'a>;
        }

        impl<'a, $($generics)*> $name<'a> for $holder {
            fn elements(&self) -> Found<'a> {
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

/// All others.
pub trait TableUnknown {
    /// Nothing.
    fn elements(&self) -> Found<'static> {
        None
    }
}

impl<S: ?Sized> TableUnknown for Table<'_, S> {}

/// Asks how the elements of a sequence come from a device: `(&Elements::<T>::new()).maker()`.
#[derive(Debug)]
pub struct Elements<T>(PhantomData<fn(T)>);

impl<T> Elements<T> {
    /// Of this type.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Elements(PhantomData)
    }
}

/// The type of elements, and what makes them of their bytes.
pub type Maker<T> = (Type, fn(&[u8]) -> Vec<T>);

/// The answer for types that devices know.
pub trait ElementsKnown<T> {
    /// The maker.
    fn maker(&self) -> Option<Maker<T>>;
    /// The type.
    fn ty(&self) -> Option<Type> {
        self.maker().map(|(ty, _)| ty)
    }
}

/// The answer for all others.
pub trait ElementsUnknown<T> {
    /// Nothing.
    fn maker(&self) -> Option<Maker<T>> {
        None
    }
    /// Nothing.
    fn ty(&self) -> Option<Type> {
        None
    }
}

impl<T: Known> ElementsKnown<T> for Elements<T> {
    fn maker(&self) -> Option<Maker<T>> {
        let () = T::FITS;
        Some((T::TYPE, from_bytes))
    }
}

impl<T> ElementsUnknown<T> for &Elements<T> {}

/// Elements of an array that other ranks own and that do not lie beside each other: this rank's iterations asked for them.
#[derive(Debug, Clone, Copy)]
pub struct Apart<'a> {
    /// Where they are in the host's memory, one after the other.
    pub address: *const u8,
    /// How many there are.
    pub count: usize,
    /// Where elements follow each other in the array, in order: the global index of the first one, and how many there are
    /// in all runs before. At the end there is [`u32::MAX`] with how many there are in all.
    pub runs: &'a [[u32; 2]],
}

/// The part of an array that the iterations of a launch touch.
///
/// Some of its elements may belong to a share that stays on the device: these are where the share's [`Residence`] says. All
/// others, such as a halo on one side of the share or both, are in the host's memory, before the launch and after it.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Where its first element is. Where the share has elements of the part, the host's memory may hold anything.
    pub address: *mut u8,
    /// The global index of that element.
    pub first: usize,
    /// How many elements there are.
    pub count: usize,
    /// The array's global length.
    pub len: usize,
    /// The share that has some of the elements, at least one, and that may stay on the device.
    pub share: Option<Held<'a>>,
    /// Further elements, of an array that is not written: then the part is this rank's share, or nothing. An index that is
    /// neither here nor there raises [`Cause::Index`].
    pub apart: Option<Apart<'a>>,
    /// Whether fewer positions touch about as much of it: then [`Refusal::TooMuch`] is of no use where the part alone is more
    /// than the device looks at at once.
    pub whole: bool,
}

impl Part<'_> {
    /// Its elements, by their global indices.
    pub fn elements(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// A share that may stay on a device from one launch to the next.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// Which of its copies are valid, and the device's one.
    pub residence: &'a Residence,
    /// Where its first element is.
    pub address: *mut u8,
    /// The global index of that element.
    pub first: usize,
    /// How many elements there are.
    pub count: usize,
}

impl Held<'_> {
    /// Its elements, by their global indices.
    pub fn elements(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// One loop of one call.
#[derive(Debug)]
pub struct Launch<'a> {
    /// What to run.
    pub program: &'static Program,
    /// The positions of this rank's iterations.
    pub positions: std::ops::Range<usize>,
    /// For each array, what the iterations touch.
    pub arrays: &'a [Part<'a>],
    /// Whether all indices are proved to lie inside of the parts, so that they need not be checked.
    pub proved: bool,
    /// Whether sums of integers that are out of range raise [`Cause::Overflow`], as in builds that check it; else they wrap.
    pub overflow: bool,
    /// The values, one after the other, as Rust holds them.
    pub values: &'a [u8],
    /// The elements of the tables.
    pub tables: &'a [&'a [u8]],
    /// For each histogram what its bins start from, as Rust holds them.
    pub bins: &'a [Vec<u8>],
    /// Where the loop is a scan, the running value before the first position, field after field, as Rust holds them; nothing
    /// for the identity. Other loops have none.
    pub state: Option<&'a [u8]>,
    /// Find out the totals of the levels up to this one alone, where the loop is a scan: nothing is written or pushed, and
    /// the fields of other levels mean nothing. The running values of the levels below are those of [`Launch::state`].
    pub totals: Option<usize>,
    /// Whether the caller takes the time of the launch: then it ends when the device is done, even where there is nothing to
    /// wait for.
    pub timed: bool,
}

/// What a launch leaves beside what it wrote to the arrays.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The chunk of all positions, field after field, as Rust holds them: of a scan too, not the value after the last one.
    pub state: Vec<u8>,
    /// What was pushed, in the order of the iterations: the elements as Rust holds them.
    pub pushes: Vec<Vec<u8>>,
    /// The bins of each histogram, as Rust holds them.
    pub bins: Vec<Vec<u8>>,
    /// The first position that panics in Rust, and why. Then the arrays are as they were, and the rest of this is of no use.
    /// Where it is the merging of chunks that panics, the position is the last.
    pub raised: Option<(usize, Cause)>,
}

impl Outcome {
    /// What accumulators receive of it.
    pub(crate) fn received(&self, program: &Program) -> Received<'_> {
        let at = self.state.len().saturating_sub(4 * program.counted);
        let (fields, wraps) = self.state.split_at(at);
        Received { fields, wraps, bins: self.bins.iter() }
    }
}

/// The chunk of all positions of a launch, which each accumulator takes its part of, in their order.
#[derive(Debug, Clone)]
pub struct Received<'o> {
    /// The fields of the state.
    pub fields: &'o [u8],
    /// How often sums wrapped around.
    pub wraps: &'o [u8],
    /// The histograms.
    pub bins: std::slice::Iter<'o, Vec<u8>>,
}

/// Why a device did not run a launch. Nothing was written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// This device cannot run this program, or not with so much data.
    #[error("{0}")]
    Cannot(String),
    /// So many positions at once are too much for it: they need more elements of an array than it can look at, or leave
    /// more than it has room for. It may be able to run a part of them, or all where it knows that the array is touched as a
    /// [`whole`](Part::whole).
    #[error("{0}")]
    TooMuch(String),
    /// The device is lost or has no memory left.
    #[error("{0}")]
    Failed(String),
}

/// What it takes to use a device, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// To start a launch, and to learn that it is done.
    pub launch: u64,
    /// To move a byte there or back.
    pub byte: u64,
}

impl Default for Costs {
    /// A guess: that of a card on a bus.
    fn default() -> Self {
        Costs { launch: 50_000_000, byte: 100 }
    }
}

/// A processor with a memory of its own.
pub trait Device: Send + Sync {
    /// As the driver names it.
    fn name(&self) -> &str;

    /// Whether the host's own processor plays the device.
    fn simulated(&self) -> bool {
        false
    }

    /// What it takes to use it, measured once.
    fn costs(&self) -> Costs {
        Costs::default()
    }

    /// Whether a share of so many bytes may stay in its memory.
    fn holds(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }

    /// Runs a loop, and returns when its results are in the host's memory, but for shares that stay on the device: where
    /// there is nothing else, and no iteration can raise anything, it may return before the device is done.
    ///
    /// # Safety
    /// Each part of [`Launch::arrays`] is memory of that many elements, which nothing else touches meanwhile; those of arrays
    /// that are not written may be shared with readers. Elements have the types that the program says.
    ///
    /// # Errors
    /// Where the device cannot run it; then nothing was written.
    unsafe fn run(&self, launch: &Launch<'_>) -> Result<Outcome, Refusal>;
}
