//! The assumptions that the compiler makes and only rustc can check, as data.

use crate::ir::{Expr, Id, Kind, Local};
use crate::language::methods::{self, Argument, Family, Of};
use crate::maps::HashMap;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// An assumption about a name or a value in the user's code. The stage that makes it records it. The expansion states
/// it next to the loop, as code that rustc rejects if the assumption is wrong.
#[derive(Debug, Clone)]
pub enum Obligation {
    /// A path is a function of std: `zip`, `cmp::min`.
    Function(Function),
    /// A type is one of std: `u64` is `::core::primitive::u64`.
    Type { written: TokenStream, is: TokenStream, at: Span },
    /// `Some` is the variant of std's `Option`, in expressions and in patterns.
    Some { at: Span },
    /// `None` is the variant of std's `Option`.
    None { at: Span },
    /// A method is an inherent method of the receiver's type, not a trait's.
    Method(Method),
    /// A macro is one of std, with a call of it that has no effect.
    Macro { path: TokenStream, arguments: TokenStream, at: Span },
    /// The type of a value has a property.
    Value { value: TokenStream, is: Property, at: Span },
    /// A pattern destructures a value, or has its type.
    Pattern { pattern: TokenStream, value: TokenStream, at: Span },
    /// A method that compares two values of this type is std's.
    Comparison { method: Ident, value: TokenStream },
    /// A path is this variant of std's `Ordering`.
    Ordering { path: TokenStream, is: Ident, at: Span },
    /// A method of a slice or a vector of this type is std's.
    MethodOfSlice { ty: TokenStream, method: Ident, arguments: TokenStream },
}

/// A property of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// The operators are std's (FA032).
    OperatorsOfStd,
    /// The comparisons are std's, and each value compares with all values or with none (FA032).
    ComparedAlike,
    /// All values compare (FA032).
    TotallyOrdered,
    /// It is a float (FA032).
    IsFloat,
    /// It is an `Option` (FA032).
    IsOption,
    /// Saturating operations are associative (FA015).
    SaturatesAtOneEnd,
    /// `clear` leaves no element (FA018).
    Clears,
    /// A method sets all elements (FA018).
    SetsAll,
    /// A method of a collection only adds to it, if the collection is of this kind (FA014).
    OnlyAdds(Of),
    /// Dereferencing has no side effect (FA014).
    PureDerefMut,
    /// The elements are those of a slice (FA022).
    AccessedAsSlice,
    /// Iterations share no mutable state in it (FA017).
    SharesNothing,
    /// Iterations share no mutable state in its values, at any depth (FA017). If types differ between callers, rustc
    /// checks each instance of the function.
    SharesNothingInside { in_each_instance: bool },
}

/// The assumptions about the values of a body. The expansion checks each of them at the value.
#[derive(Debug, Default)]
pub struct InBody {
    /// The checks of each expression, from the innermost one.
    pub values: HashMap<Id, Vec<InPlace>>,
    /// The names whose values share no mutable state, by the statement or the expression with the pattern and, for a
    /// `match`, the number of the arm.
    pub bound: HashMap<(Id, usize), Vec<Ident>>,
    /// The statements that the totals of a scan leave out.
    pub statements: HashMap<Id, Unchanged>,
    /// The accumulators that have checked operands.
    pub operands: Vec<(Ident, OperandsOf)>,
    /// Whether types differ between callers.
    pub in_each_instance: bool,
}

/// An assumption about the value of an expression.
#[derive(Debug, Clone)]
pub enum InPlace {
    /// A method that is called on it only reads (FA014).
    OnlyRead,
    /// The value is a copy (FA014).
    Copy,
    /// The value is not an output (FA014).
    NoOutput,
    /// Code that gets the borrow does not change the number of elements (FA018).
    KeepsLength,
    /// The operators with this operand are std's (FA032). The name is that of the accumulator.
    Operand(Ident),
    /// Iterations share no mutable state in a value that is passed on (FA017).
    SharesNothing,
    /// Iterations share no mutable state in a place (FA017).
    PlaceSharesNothing,
}

/// The type of the operands of an accumulator.
#[derive(Debug, Clone)]
pub enum OperandsOf {
    Value(TokenStream),
    Type(TokenStream),
    Any,
}

/// The variables that a statement leaves unchanged.
#[derive(Debug, Default)]
pub struct Unchanged {
    /// The variables of the body that the totals use later.
    pub inputs: BTreeSet<Local>,
    /// The variables of the body that the statement passes on: one may hold a cell, which changes behind a shared reference.
    pub passed: BTreeSet<Local>,
}

/// The id of the pattern of the loop's header.
pub const HEADER: Id = Id::MAX;

/// A path that is assumed to be a function of std.
#[derive(Debug, Clone)]
pub struct Function {
    pub path: TokenStream,
    pub is: TokenStream,
    /// A value of the type that the function takes, if the path does not determine the type.
    pub of: Option<TokenStream>,
    pub reason: Reason,
    pub at: Span,
}

/// The use of a function: it determines the code of the error for a wrong assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The compiler reads an index, or the range of a loop (FA022).
    Meaning,
    /// Whole slices are swapped (FA012).
    Swap,
    /// The operator of a reduction (FA032).
    Operator,
}

/// A method that is assumed to be std's.
#[derive(Debug, Clone)]
pub struct Method {
    pub receiver: TokenStream,
    /// The parameter that the receiver mentions, and its type as the user wrote it: inside the function, a handle has
    /// the parameter's name.
    pub parameter: Option<(Ident, TokenStream)>,
    pub name: Ident,
    pub arguments: Vec<Argument>,
    /// The types of receivers for which the compiler assumes it.
    pub family: Family,
    /// The number of steps in which rustc may find another method first.
    pub steps: usize,
}

impl Method {
    /// The assumptions about a call of a method. `receiver` is the receiver, in code that knows its type.
    pub fn called(call: &Expr, receiver: &TokenStream) -> Vec<Method> {
        let Kind::Method(_, method, arguments, _) = &call.kind else { return Vec::new() };
        let Some(arguments) = tried(method, arguments) else { return Vec::new() };
        let assumed = methods::assumed(method).iter();
        let all = assumed.map(|(family, steps)| Method {
            receiver: receiver.clone(),
            parameter: None,
            name: name_of(call, method),
            arguments: arguments.clone(),
            family: *family,
            steps: *steps,
        });
        all.collect()
    }

    /// Whether the receiver is a parameter that is a reference to a slice.
    pub fn is_of_slice(&self) -> bool {
        let Some((parameter, ty)) = &self.parameter else { return false };
        let is_slice = |ty: &TokenStream| match ty.clone().into_iter().last() {
            Some(TokenTree::Group(slice)) if slice.delimiter() == Delimiter::Bracket => {
                !slice.stream().into_iter().any(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ';'))
            }
            _ => false,
        };
        is_slice(ty) && *parameter == self.receiver.to_string()
    }
}

/// The arguments of a call that only rustc sees. There are none if the types of the user's arguments determine the
/// number of a function's parameters.
fn tried(method: &str, arguments: &[Expr]) -> Option<Vec<Argument>> {
    let known = methods::arguments(method).filter(|known| known.len() == arguments.len());
    let each = arguments.iter().enumerate().map(|(number, argument)| {
        let known = known.map_or(Argument::Any, |known| known[number]);
        Some(match (&argument.bare().kind, known) {
            (Kind::Closure(parameters, ..), Argument::ToUnit(_)) => Argument::ToUnit(parameters.len()),
            (Kind::Closure(parameters, ..), _) => Argument::Function(parameters.len()),
            (Kind::Range(..), Argument::Index) => Argument::All,
            _ if matches!(method, "map_or_else" | "or_else" | "unwrap_or_else") => return None,
            (_, known) => known,
        })
    });
    each.collect()
}

/// The name of a method as an identifier of the expansion, with the location of the user's: rustc's message then names
/// the attribute.
fn name_of(call: &Expr, method: &str) -> Ident {
    let written = match &call.kind {
        Kind::Method(_, _, _, name) => {
            name.clone().into_iter().find(|token| matches!(token, TokenTree::Ident(_))).map(|name| name.span())
        }
        _ => None,
    };
    let at = Span::mixed_site().located_at(written.unwrap_or(call.span));
    match method.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, at),
        None => Ident::new(method, at),
    }
}

impl Function {
    /// The assumption behind reading a call as a call of std's function `is`.
    pub fn read_as(called: &Expr, is: TokenStream) -> Function {
        Function { path: without_types(called), is, of: None, reason: Reason::Meaning, at: called.span }
    }
}

/// A path without the arguments between `<` and `>` after its last name.
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
