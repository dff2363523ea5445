//! The assumptions that the loop compiler makes about names, as calls that do not compile if an assumption is wrong.
//!
//! A macro sees the name of a function, a type or a method, and not the item that it stands for. The expansion states each assumption
//! once, in a closure that nobody calls: rustc checks it, and it leaves no machine code.

/// Holds for one type: the same. Every function has a type of its own.
#[diagnostic::on_unimplemented(
    message = "FA022: this path has the name of a function of the standard library and stands for another one, `{Self}`",
    label = "another function",
    note = "give your function another name, or call it by a path that does not look like the standard library's"
)]
pub trait IsFunction<F> {}

impl<F> IsFunction<F> for F {}

/// Refuses a function that has the name of one of std's and is another one (FA022).
pub fn fa022_this_is_the_function_of_std<F, G: IsFunction<F>>(_: F, _: G) {}

/// Holds for one type: the same.
#[diagnostic::on_unimplemented(
    message = "FA022: this name is that of the standard library's `{T}`, and stands for `{Self}` here",
    label = "this is `{Self}`",
    note = "give your type another name"
)]
pub trait IsType<T: ?Sized> {}

impl<T: ?Sized> IsType<T> for T {}

/// Refuses a type that has the name of one of std's and is another one (FA022).
pub fn fa022_this_is_the_type_of_std<T: ?Sized, U: IsType<T> + ?Sized>() {}

/// Refuses a `None` that is no variant of std's `Option` (FA022).
pub fn fa022_this_is_none_of_std(_: Option<u8>) {}

/// Refuses a function by the name of `swap` that is not std's (FA012).
pub fn fa012_this_swaps<F: Fn(&mut u8, &mut u8)>(_: F, _: F) {}

/// Refuses an operator that has the name of one of std's functions and is another one (FA032). That of std comes first, since it becomes
/// a pointer where a pointer is expected.
pub fn fa032_this_is_the_function_of_std<T, F: Fn(T, T) -> T>(_: &T, _: F, _: F) {}

/// The macros of std that the compiler knows by their names. Imported beside the user's own names, so that a name that both give is an
/// error.
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

/// All types have these methods, by value, by reference and by mutable reference. rustc looks for a method in that order, and takes one
/// that the type has itself before one of a trait. If it finds one of these and one of the user's in the same step, it says so (E0034):
/// the user's would be called in place of the type's own, which are found in a later step.
macro_rules! methods {
    ($($name:ident($($argument:ty),*))*) => {
        /// By value.
        #[allow(clippy::wrong_self_convention)] // They have the names of methods that take references.
        pub trait Fa022OwnMethodsComeFirst: Sized {
            $(
                /// Nothing.
                fn $name(self, $(_: $argument),*) {}
            )*
        }
        impl<T> Fa022OwnMethodsComeFirst for T {}

        /// By reference.
        pub trait Fa022OwnMethodsComeFirstByReference: Sized {
            $(
                /// Nothing.
                fn $name(&self, $(_: $argument),*) {}
            )*
        }
        impl<T> Fa022OwnMethodsComeFirstByReference for T {}

        /// By mutable reference.
        pub trait Fa022OwnMethodsComeFirstByMutableReference: Sized {
            $(
                /// Nothing.
                fn $name(&mut self, $(_: $argument),*) {}
            )*
        }
        impl<T> Fa022OwnMethodsComeFirstByMutableReference for T {}
    };
}
methods! {
    as_mut_slice()
    as_slice()
    chunks(usize)
    chunks_exact(usize)
    chunks_exact_mut(usize)
    chunks_mut(usize)
    clear()
    clone_from_slice(())
    column(usize)
    columns()
    copy_from_slice(())
    dim()
    fill(())
    first()
    first_mut()
    get(usize)
    get_mut(usize)
    indexed_iter()
    indexed_iter_mut()
    is_empty()
    iter()
    iter_mut()
    last()
    last_mut()
    len()
    ncols()
    ndim()
    nrows()
    outer_iter()
    outer_iter_mut()
    pop()
    push(())
    raw_dim()
    rchunks_mut(usize)
    reverse()
    row(usize)
    row_mut(usize)
    rows()
    rows_mut()
    shape()
    split_at(usize)
    split_at_mut(usize)
    swap(usize, usize)
    swap_with_slice(())
    to_vec()
    truncate(usize)
    view()
    view_mut()
    windows(usize)
}
