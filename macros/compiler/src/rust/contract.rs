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
            quote!(::forall::__private::device::Type::Array(&#element, #length))
        }
        Type::Queried(number, literal) => {
            let literal = kind(*literal);
            quote!(::forall::__private::device::Type::Queried(#number, #literal))
        }
        scalar => {
            let name = scalar.name();
            let (first, rest) = name.split_at(1);
            let name = format_ident!("{}{rest}", first.to_uppercase());
            quote!(::forall::__private::device::Type::#name)
        }
    }
}

/// What a literal tells of its type.
fn kind(literal: Literal) -> TokenStream {
    let literal = format_ident!("{literal:?}");
    quote!(::forall::__private::device::Literal::#literal)
}

/// Queries, for a `Program` or a `Function`.
pub fn queries(queries: &[Query]) -> TokenStream {
    let device = quote!(::forall::__private::device);
    let queries = queries.iter().map(|Query { name, source, taken }| {
        let name = shown(name);
        let source = match source {
            Source::Given(_) => quote!(#device::Source::Given(())),
            Source::Part(of, part) => quote!(#device::Source::Part(#of, #part)),
            Source::Unsigned(of) => quote!(#device::Source::Unsigned(#of)),
            Source::Bits(of) => quote!(#device::Source::Bits(#of)),
            Source::Result(call) => quote!(#device::Source::Result(#call)),
            Source::Number(call, argument, part) => quote!(#device::Source::Number(#call, #argument, #part)),
            Source::Operator(name, left, right) => {
                let (left, right) = (ty(left), ty(right));
                quote!(#device::Source::Operator(#name, #left, #right))
            }
            Source::Operand(name, other, side) => {
                let other = ty(other);
                quote!(#device::Source::Operand(#name, #other, #side))
            }
        };
        let taken = match taken {
            Taken::Kind(literal) => {
                let literal = kind(*literal);
                quote!(#device::Taken::Kind(#literal))
            }
            Taken::Type(taken) => {
                let taken = ty(taken);
                quote!(#device::Taken::Type(#taken))
            }
        };
        quote!(#device::Query { name: #name, source: #source, taken: #taken })
    });
    quote!(&[#(#queries),*])
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
    let device = quote!(::forall::__private::device);
    match given {
        Given::Type(ty) => quote!((&#device::Elements::<#ty>::new()).ty()),
        Given::Place(place) => quote!((&#device::Probe(&(#place))).ty()),
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
            quote!(::core::option::Option::Some(#device::Type::Array(&#element, #length)))
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
    let device = quote!(::forall::__private::device);
    let elements = quote!((&&&&&#device::Table(&#table)).elements());
    match axes.saturating_sub(1) {
        0 => elements,
        inner => quote!(#device::opened(#elements, #inner)),
    }
}

fn part_of_elements(table: &TokenStream, part: usize) -> TokenStream {
    quote!((&&&&&::forall::__private::device::Table(&#table)).part(#part))
}

/// A call as messages show it.
pub fn name_of(call: &Call) -> String {
    shown(&call.path.to_token_stream().to_string())
}

/// Calls, for a `Program` or a `Function`.
pub fn calls(calls: &[Call]) -> TokenStream {
    let calls = calls.iter().map(|call| {
        let (name, line, signature) = (name_of(call), call.line as u32, &call.signature);
        let method = match &call.method {
            Some(method) => {
                let method = ty(method);
                quote!(::core::option::Option::Some(#method))
            }
            None => quote!(::core::option::Option::None),
        };
        quote!(::forall::__private::device::Call {
            name: #name,
            line: #line,
            method: #method,
            signature: #signature,
        },)
    });
    quote!(&[#(#calls)*])
}
