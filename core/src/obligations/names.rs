//! Obligations: names of functions, types, macros and methods stand for the items of std.
//!
//! The code is in a closure that nobody calls.

/// Implemented for the same type only. Every function has a type of its own.
#[diagnostic::on_unimplemented(
    message = "FA022: this path has the name of a function of the standard library and stands for another one, `{Self}`",
    label = "another function",
    note = "give your function another name, or call it by a path that does not look like the standard library's"
)]
pub trait IsFunction<F> {}

#[diagnostic::do_not_recommend]
impl<F> IsFunction<F> for F {}

/// Refuses another function with the name of one of std's (FA022).
pub fn fa022_this_is_the_function_of_std<F, G: IsFunction<F>>(_: F, _: G) {}

/// Implemented for the same type only.
#[diagnostic::on_unimplemented(
    message = "FA022: this name is that of the standard library's `{T}`, and stands for `{Self}` here",
    label = "this is `{Self}`",
    note = "give your type another name"
)]
pub trait IsType<T: ?Sized> {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> IsType<T> for T {}

/// Refuses another type with the name of one of std's (FA022).
pub fn fa022_this_is_the_type_of_std<T: ?Sized, U: IsType<T> + ?Sized>() {}

/// Refuses a `None` that is not the variant of std's `Option` (FA022).
pub fn fa022_this_is_none_of_std(_: Option<u8>) {}

/// A name that a pattern binds, as long as it is no constant: a constant has another type, and the pattern would compare with it (FA022).
#[derive(Debug)]
pub struct Fa022ANameInAPatternIsNoConstant;

/// Refuses another function with the name `swap` (FA012).
pub fn fa012_this_swaps<F: Fn(&mut u8, &mut u8)>(_: F, _: F) {}

/// Refuses another operator with the name of one of std's functions (FA032). std's function comes first: if a function
/// pointer came first, std's function would coerce to its type, and rustc would accept both.
pub fn fa032_this_is_the_function_of_std<T, F: Fn(T, T) -> T>(_: &T, _: F, _: F) {}

/// The macros of std that the compiler knows by their names. The expansion imports all of them by a glob, so that another macro with one
/// of these names is an ambiguity error.
pub mod fa022_macros_of_std {
    pub use ::{core, std};
    #[cfg(feature = "ndarray")]
    pub use ::ndarray::s;
    pub use ::std::{
        assert, assert_eq, assert_ne, cfg, column, concat, dbg, debug_assert, debug_assert_eq, debug_assert_ne, eprint,
        eprintln, file, format, format_args, line, matches, module_path, panic, print, println, stringify, todo,
        unimplemented, unreachable, vec, write, writeln,
    };
}

/// A statement that is a macro unknown to the compiler. rustc must parse it as an expression, so that it can neither bind names nor define
/// items for the statements around it. In braces of its own it may do so. Without a semicolon, the statement may be the value of its block.
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

/// A value of any type, for code that is compiled and never runs.
///
/// # Panics
/// Always.
pub fn any<T>() -> T {
    unreachable!("this code is there for its types")
}

/// A value of the same type.
///
/// # Panics
/// Always.
pub fn like<T>(_: &T) -> T {
    any()
}
