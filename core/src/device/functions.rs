//! Functions of the author's that loops call: `#[forall::device]`.
//!
//! A loop names what it calls and knows neither its text nor its types: it takes a signature for granted. Which function the
//! name stands for is the compiler's to say: the body hands over each callee's type ([`noted`]), which is its function's
//! alone. Those that are marked are collected over all crates of the program. What is found at the first launch is compared
//! with the signature, and put together to one program.

use forall_contract::{Ask, Call, Type};
pub use inventory;
use std::any::TypeId;
use std::marker::PhantomData;

/// A function in the language of devices.
///
/// Its text defines `fn fa_function(..)`, which takes the parts of its arguments (a tuple is taken apart). It gives back the
/// parts of its result, and then those that each `&mut` argument has in the end: nothing, one value, or a `struct fa_result`
/// with the fields `f0`, `f1`, .. of several. It may call `fa_value_K`, `fa_table_K`, `fa_table_len_K` and `fa_call_K` with
/// numbers of its own, and what every program may call.
///
/// An `Option` is two parts: whether there is a value, and the value.
///
/// A slice is two arguments: the first index, in the array that it is a part of, and how many elements there are. Which array
/// that is, a call says: `fa_call_0<fa_load_2, fa_table_1>(..)` names what loads its elements, for each slice that it hands
/// over. The text of the function calls `fa_load_given_K` and `fa_store_given_K` for the slice `K`, and names them where it
/// hands a part of that on. There is one function for each choice of arrays, since no language of devices has pointers to all
/// of them.
#[derive(Debug)]
pub struct Function {
    /// Its path, for messages.
    pub name: &'static str,
    /// Which function it is.
    pub id: fn() -> TypeId,
    /// Of a method, the type that has it.
    pub owner: fn() -> Option<Type>,
    /// The last name of the trait that it is of.
    pub of_trait: Option<&'static str>,
    /// The types of its parameters and of its result, as a call takes them for granted. Those that it asks for are holes, as
    /// in its source.
    pub signature: &'static str,
    /// Its result, if that is one value, or what may be in an `Option` that is it.
    pub result: Option<Type>,
    /// The author's body, in WGSL.
    pub source: &'static str,
    /// Functions that texts of several bodies may define alike.
    pub helpers: &'static [&'static str],
    /// Constants that it reads.
    pub values: &'static [Constant],
    /// Constant arrays that it reads.
    pub tables: &'static [Constant],
    /// What it calls.
    pub calls: &'static [Call],
    /// Which functions these are.
    pub callees: fn() -> Callees,
    /// The types that it does not know, and those of them that are given.
    pub asks: &'static [Ask],
    /// In the order of the asks.
    pub given: fn() -> Vec<Option<Type>>,
    /// Whether its build checks sums of integers.
    pub overflow: bool,
    /// Whether its body has loops.
    pub loops: bool,
}

/// A constant that a function reads.
#[derive(Debug)]
pub struct Constant {
    /// As it is written.
    pub name: &'static str,
    /// The type that it was taken for; of an array, that of its elements.
    pub ty: Type,
    /// Its type and its bytes.
    pub found: fn() -> Option<(Type, &'static [u8])>,
}

inventory::collect!(Function);

/// For each call in a text its name, as it is written, and which function that is.
pub type Callees = Vec<(&'static str, TypeId)>;

/// The function that a call calls.
#[derive(Debug)]
pub struct Callee<F>(PhantomData<fn() -> F>);

impl<F> Callee<F> {
    /// The one that [`noted`] is given together with this.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Callee(PhantomData)
    }

    /// Which one it is.
    pub fn id(&self) -> TypeId {
        typeid::of::<F>()
    }
}

/// The function itself: the compiler learns that it is the callee.
#[inline(always)]
pub fn noted<F>(_: &Callee<F>, function: F) -> F {
    function
}

/// Which function this is.
pub fn id_of<F>(_: F) -> TypeId {
    typeid::of::<F>()
}

/// The trait of an operator: `AddAssign` has `add_assign`.
pub(super) fn trait_of(name: &str) -> String {
    if name == "eq" {
        return "PartialEq".to_owned();
    }
    let word = |word: &str| match word {
        "bitand" => "BitAnd".to_owned(),
        "bitor" => "BitOr".to_owned(),
        "bitxor" => "BitXor".to_owned(),
        plain => plain[..1].to_uppercase() + &plain[1..],
    };
    name.split('_').map(word).collect()
}

/// The marked methods of a type that have this name.
pub(super) fn methods(name: &str, owner: Type) -> Vec<&'static Function> {
    let named = inventory::iter::<Function>().filter(|function| function.name.rsplit("::").next() == Some(name));
    named.filter(|function| (function.owner)() == Some(owner)).collect()
}

/// Stands for a function that the body calls by a name of std's: knows which one it is by its type.
#[derive(Debug)]
pub struct Called<F>(PhantomData<fn(F)>);

impl<F> Called<F> {
    /// One that has still to be called.
    #[allow(clippy::new_without_default)]
    #[inline(always)]
    pub fn new() -> Self {
        Called(PhantomData)
    }

    /// The function, which is the one that is called.
    #[inline(always)]
    pub fn of(&self, function: F) -> F {
        function
    }

    /// Whether std has it here: `core::cmp::max`, or a trait of this path.
    pub fn is(&self, path: &str) -> bool {
        let name = std::any::type_name::<F>();
        name.starts_with(path) || name.contains(&format!(" as {path}"))
    }
}
