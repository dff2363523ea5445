//! The methods of std as nodes.

mod arrays;
mod chains;
pub mod methods;
mod numbers;
pub mod options;
pub mod orderings;
mod searches;
mod tuples;

use crate::ir::Expr;
use crate::ir::report::Location;
use proc_macro2::TokenStream;

/// The call of a method. Each file translates one kind of methods.
#[derive(Clone, Copy)]
pub struct MethodCall<'e> {
    pub receiver: &'e Expr,
    pub name: &'e str,
    pub args: &'e [Expr],
    /// `.name::<T>`.
    pub tokens: &'e TokenStream,
    pub at: Location,
}

/// Names, with spaces between them.
#[derive(Clone, Copy)]
pub struct Words(pub &'static str);

impl Words {
    pub fn contain(self, name: &str) -> bool {
        self.0.split_whitespace().any(|word| word == name)
    }
}
