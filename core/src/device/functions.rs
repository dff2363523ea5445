//! Functions of the user that loops call: `#[forall::device]`.
//!
//! A loop knows only the names of its callees, and assumes their signatures. rustc resolves the names: the body passes each callee's unique
//! type ([`noted`]). Marked functions are collected over all crates of the program. At the first launch, each callee is looked up, compared
//! with the assumed signature, and linked with the program.

use forall_contract::{Call, Query, Type};
pub use inventory;
use std::any::TypeId;
use std::marker::PhantomData;

/// A function in the language of devices.
///
/// Its text defines `fn fa_function(..)`, which takes the components of its arguments (tuples are flattened). It returns the components of
/// the result, and then the final values of all `&mut` arguments. That is nothing, one value, or a `struct fa_result` with the fields `f0`,
/// `f1` and so on. It may call `fa_value_K`, `fa_table_K`, `fa_table_len_K` and `fa_call_K` with its own numbers. It may also call all
/// functions that programs may call.
///
/// An `Option` has two components: whether there is a value, and the value.
///
/// A slice is two arguments: the first index in its array, and the number of elements. The call names the array: in
/// `fa_call_0<fa_load_2, fa_table_1>(..)` there is a load function for each slice argument. The text of the function calls `fa_load_given_K`
/// and `fa_store_given_K` for slice `K`, and passes these names on for parts of the slice. The function is instantiated for each choice of
/// arrays, because WGSL has no pointers to all of them.
#[derive(Debug)]
pub struct Function {
    /// Its path, for messages.
    pub name: &'static str,
    /// The identity of the function.
    pub id: fn() -> TypeId,
    /// For a method, the type of its receiver.
    pub owner: fn() -> Option<Type>,
    /// For a trait method, the last segment of the trait's path.
    pub of_trait: Option<&'static str>,
    /// The signature, in the form that calls assume. Types from queries are holes, as in the source.
    pub signature: &'static str,
    /// The type of the result, or of the value in an `Option`, if it is a single value.
    pub result: Option<Type>,
    /// The body, in WGSL.
    pub source: &'static str,
    /// Helper functions, which several texts may define identically.
    pub helpers: &'static [&'static str],
    /// Constants that it reads.
    pub values: &'static [Constant],
    /// Constant arrays that it reads.
    pub tables: &'static [Constant],
    /// Its calls.
    pub calls: &'static [Call],
    /// The callees.
    pub callees: fn() -> Callees,
    /// The queries for types, and the given answers.
    pub queries: &'static [Query],
    /// The answers in the order of the queries.
    pub given: fn() -> Vec<Option<Type>>,
    /// Whether its build has overflow checks.
    pub overflow: bool,
    /// Whether its body has loops.
    pub loops: bool,
}

/// A constant that a function reads.
#[derive(Debug)]
pub struct Constant {
    /// Its name in the source.
    pub name: &'static str,
    /// The assumed type; for an array, the type of its elements.
    pub ty: Type,
    /// Its type and its bytes.
    pub found: fn() -> Option<(Type, &'static [u8])>,
}

inventory::collect!(Function);

/// For each call in a text: its name in the source, and the identity of the function.
pub type Callees = Vec<(&'static str, TypeId)>;

/// The function that a call calls.
#[derive(Debug)]
pub struct Callee<F>(PhantomData<fn() -> F>);

impl<F> Callee<F> {
    /// The callee that [`noted`] receives together with this.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Callee(PhantomData)
    }

    /// The identity.
    pub fn id(&self) -> TypeId {
        typeid::of::<F>()
    }
}

/// Returns the function, and records it as the callee.
#[inline(always)]
pub fn noted<F>(_: &Callee<F>, function: F) -> F {
    function
}

/// The identity of a function.
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

/// The marked methods of a type with this name.
pub(super) fn methods(name: &str, owner: Type) -> Vec<&'static Function> {
    let named = inventory::iter::<Function>().filter(|function| function.name.rsplit("::").next() == Some(name));
    named.filter(|function| (function.owner)() == Some(owner)).collect()
}

/// A callee with a name of std; its type identifies the function.
#[derive(Debug)]
pub struct Called<F>(PhantomData<fn(F)>);

impl<F> Called<F> {
    /// A callee that has not been recorded yet.
    #[allow(clippy::new_without_default)]
    #[inline(always)]
    pub fn new() -> Self {
        Called(PhantomData)
    }

    /// Returns the function, and records it.
    #[inline(always)]
    pub fn of(&self, function: F) -> F {
        function
    }

    /// Whether the function is that of std: at this path, or a method of the trait with this path.
    pub fn is(&self, path: &str) -> bool {
        let name = std::any::type_name::<F>();
        name.starts_with(path) || name.contains(&format!(" as {path}"))
    }
}
