//! The contract with `core` as code: types, queries and calls as a `Program` or a `Function` has them.

use crate::ir::text::shown;
use crate::wgsl::contract::{Call, Given, Literal, Query, Source, Table, Taken, Type};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

/// A type, for a `Program`.
pub fn ty(ty: &Type) -> TokenStream {
    match ty {
        Type::Array(element, length) => {
            let element = self::ty(element);
            quote!(__device::Type::Array(&#element, #length))
        }
        Type::Queried(number, literal) => {
            let literal = kind(*literal);
            quote!(__device::Type::Queried(#number, #literal))
        }
        scalar => {
            let name = scalar.name();
            let (first, rest) = name.split_at(1);
            let name = format_ident!("{}{rest}", first.to_uppercase());
            quote!(__device::Type::#name)
        }
    }
}

/// The type that a literal shows.
fn kind(literal: Literal) -> TokenStream {
    let literal = format_ident!("{literal:?}");
    quote!(__device::Literal::#literal)
}

/// Queries, for a `Program` or a `Function`.
pub fn queries(queries: &[Query]) -> Vec<TokenStream> {
    let queries = queries.iter().map(|Query { name, source, taken }| {
        let name = shown(name);
        let source = match source {
            Source::Given(_) => quote!(__device::Source::Given(())),
            Source::Part(of, part) => quote!(__device::Source::Part(#of, #part)),
            Source::Unsigned(of) => quote!(__device::Source::Unsigned(#of)),
            Source::Bits(of) => quote!(__device::Source::Bits(#of)),
            Source::Result(call) => quote!(__device::Source::Result(#call)),
            Source::Number(call, argument, part) => quote!(__device::Source::Number(#call, #argument, #part)),
            Source::Operator(name, left, right) => {
                let (left, right) = (ty(left), ty(right));
                quote!(__device::Source::Operator(#name, #left, #right))
            }
            Source::Operand(name, other, side) => {
                let other = ty(other);
                quote!(__device::Source::Operand(#name, #other, #side))
            }
        };
        let taken = match taken {
            Taken::Kind(literal) => {
                let literal = kind(*literal);
                quote!(__device::Taken::Kind(#literal))
            }
            Taken::Type(taken) => {
                let taken = ty(taken);
                quote!(__device::Taken::Type(#taken))
            }
        };
        quote!(__device::Query { name: #name, source: #source, taken: #taken })
    });
    queries.collect()
}

/// The code that answers those of the queries that are given.
pub fn answers(queries: &[Query]) -> TokenStream {
    let answers = queries.iter().filter_map(|query| match &query.source {
        Source::Given(given) => Some(answer(given)),
        _ => None,
    });
    quote!(::std::vec![#(#answers),*])
}

/// The code that gives a type.
pub fn answer(given: &Given) -> TokenStream {
    match given {
        Given::Type(ty) => quote!((&__device::Elements::<#ty>::new()).__ty()),
        Given::Place(place) => quote!((&__device::Probe(&(#place))).__ty()),
        Given::Elements(table, axes) => {
            let elements = elements(table, *axes);
            quote!(#elements.map(|(ty, _)| ty))
        }
        Given::Part(table, part) => {
            let elements = part_of_elements(table, *part);
            quote!(#elements.map(|(ty, _)| ty))
        }
        Given::Array(element, length) => {
            let element = ty(element);
            quote!(__forall::Some(__device::Type::Array(&#element, #length)))
        }
    }
}

/// The code that finds the type and the bytes of a table's elements; of a part, bytes that it owns.
pub fn found(table: &Table) -> TokenStream {
    match table.part {
        Some(part) => part_of_elements(&table.tokens, part),
        None => elements(&table.tokens, table.axes),
    }
}

fn elements(table: &TokenStream, axes: usize) -> TokenStream {
    let elements = quote!((&&&&&__device::Table(&#table)).__elements());
    match axes.saturating_sub(1) {
        0 => elements,
        inner => quote!(__device::opened(#elements, #inner)),
    }
}

fn part_of_elements(table: &TokenStream, part: usize) -> TokenStream {
    quote!((&&&&&__device::Table(&#table)).__part(#part))
}

/// A call as messages show it.
pub fn name_of(call: &Call) -> String {
    shown(&call.path.to_token_stream().to_string())
}

/// Calls, for a `Program` or a `Function`.
pub fn calls(calls: &[Call]) -> Vec<TokenStream> {
    let calls = calls.iter().map(|call| {
        let (name, line, signature) = (name_of(call), call.line as u32, &call.signature);
        let method = match &call.method {
            Some(method) => {
                let method = ty(method);
                quote!(__forall::Some(#method))
            }
            None => quote!(__forall::None),
        };
        quote!(__device::Call {
            name: #name,
            line: #line,
            method: #method,
            signature: #signature,
        })
    });
    calls.collect()
}
