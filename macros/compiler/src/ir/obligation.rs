//! The assumptions that the compiler makes about names, as data.

use crate::ir::Expr;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// An assumption about a name that the user wrote. The stage that makes it records it, and the expansion states it beside the loop, as
/// code that rustc rejects if it is wrong.
#[derive(Debug, Clone)]
pub enum Obligation {
    /// A path is a function of std: `zip`, `cmp::min`.
    Function(Function),
    /// A type is one of std: `u64` is `::core::primitive::u64`.
    Type { written: TokenStream, is: TokenStream, at: Span },
    /// `Some` is the variant of std's `Option`, in expressions and in patterns.
    Some { at: Span },
    /// The same of `None`.
    None { at: Span },
    /// A method is the one that the receiver's type has itself, and not a trait's.
    Method(Method),
    /// A macro is one of std. With a call of it that does nothing.
    Macro { path: TokenStream, arguments: TokenStream, at: Span },
}

/// A path that is assumed to be a function of std.
#[derive(Debug, Clone)]
pub struct Function {
    pub path: TokenStream,
    pub is: TokenStream,
    /// A value of the type that the function takes, where the path does not tell the type.
    pub of: Option<TokenStream>,
    pub reason: Reason,
    pub at: Span,
}

/// The use of a function: it decides which code a wrong assumption has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The compiler reads an index, or what a loop goes through (FA022).
    Meaning,
    /// Whole slices are exchanged (FA012).
    Swap,
    /// The operator of a reduction (FA032).
    Operator,
}

/// A method that is assumed to be the type's own.
#[derive(Debug, Clone)]
pub struct Method {
    pub receiver: TokenStream,
    /// The parameter that the receiver mentions, and its type as the user wrote it: inside the function, a handle has its name.
    pub parameter: Option<(Ident, TokenStream)>,
    pub name: Ident,
    pub arguments: TokenStream,
}

impl Function {
    /// What is assumed where the compiler reads a call as one of std's function `is`.
    pub fn read_as(called: &Expr, is: TokenStream) -> Function {
        Function { path: without_types(called), is, of: None, reason: Reason::Meaning, at: called.span }
    }
}

/// A path without what stands between `<` and `>` behind its last name.
pub fn without_types(path: &Expr) -> TokenStream {
    let tokens: Vec<TokenTree> = path.bare().tokens.clone().into_iter().collect();
    let (mut depth, mut end) = (0, tokens.len());
    for (number, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '<' => depth += 1,
            TokenTree::Punct(mark) if mark.as_char() == '>' => depth -= 1,
            TokenTree::Ident(_) if depth == 0 => end = number + 1,
            _ => {}
        }
    }
    tokens.into_iter().take(end).collect()
}
