//! Histograms: what the bins of a chunk start from, and how two of them become one.

use super::updates::{by_operator, code, in_range};
use crate::plan::{Leaf, Operator, Step, Update};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The initial bins of a chunk, where `__target` is the user's array, and `a op b` of two of them.
pub(super) fn fresh_and_merge(leaves: &[Leaf], wraps: bool) -> (TokenStream, TokenStream) {
    let merge_of = |operator: &Operator| match operator {
        Operator::Add if !wraps => quote!(__a + __b),
        _ => by_operator(operator),
    };
    if let [Leaf { path, operator }] = leaves
        && path.is_empty()
    {
        let fresh = format_ident!(
            "{}",
            match operator {
                operator if operator.adds() => "zero_of",
                operator if operator.multiplies() => "one_of",
                Operator::Xor => "xor_identity",
                _ => "initial",
            }
        );
        return (quote!(__forall::accumulate::#fresh(&__target[..])), merge_of(operator));
    }
    let (mut exact, mut fresh, mut merge) = (quote!(()), TokenStream::new(), TokenStream::new());
    for Leaf { path, operator } in leaves {
        let (leaf, of_merge) = (first_of(path), merge_of(operator));
        if operator.adds() || operator.multiplies() {
            let number = match operator {
                Operator::Add | Operator::Mul => quote!(number_in),
                _ => quote!(number_in_range),
            };
            exact = quote!((__forall::accumulate::#number(&__target[..], |__e| &__e #leaf), #exact));
        }
        let identity = match operator {
            operator if operator.adds() => quote!(*__a = __forall::zero();),
            operator if operator.multiplies() => quote!(*__a = __forall::one();),
            Operator::Xor => quote!(*__a = *__a ^ *__a;),
            _ => TokenStream::new(),
        };
        fresh.extend(each(path, &quote!(__e), None, &identity));
        let merged = quote!(*__a = {
            let (__a, __b) = (__forall::Clone::clone(&*__a), __forall::Clone::clone(__b));
            #of_merge
        };);
        merge.extend(each(path, &quote!(__all), Some(&quote!(__later)), &merged));
    }
    let exact = in_range(&quote!(__forall::accumulate::checked(#exact)), &exact);
    (
        quote!(__forall::accumulate::parts_of(&__target[..], #exact, |__e| { #fresh })),
        quote!({ let (mut __all, __later) = (__a, __b); #merge __all }),
    )
}

/// Bins that know whether the author's were ever out of range: of numbers, and not of parts of structs.
pub(super) fn counted(leaves: &[Leaf], wraps: bool, falls: bool) -> Option<TokenStream> {
    let [Leaf { path, operator }] = leaves else { return None };
    let by = match (operator, wraps) {
        (Operator::Add, false) => "Adding",
        (Operator::Add, true) if falls => "Subtracting",
        (Operator::Add, true) => "Both",
        (Operator::Mul, _) => "",
        _ => return None,
    };
    if !path.is_empty() {
        return None;
    }
    let make = match by {
        "" => quote!(multiplied_bins(__target, __codec)),
        by => {
            let by = format_ident!("{by}");
            quote!(counted_bins(__target, __codec, __forall::accumulate::By::#by))
        }
    };
    // The start of a chunk is computed as in other builds, which refuse a type without one.
    Some(quote!({
        let _ = __fresh;
        __forall::accumulate::#make
    }))
}

/// Bins whose updates all apply one function.
pub(super) fn repeated(update: &Update) -> TokenStream {
    let Update { code, may_panic, .. } = update;
    let make = |late: bool| {
        quote!({
            let __same = (&__forall::accumulate::SameBits::of(&__target[..])).__same();
            __forall::accumulate::repeated::<#late, _, _, _>(__target, __codec, __same, |__element| { #code })
        })
    };
    if *may_panic { make(true) } else { in_range(&make(true), &make(false)) }
}

fn field(name: &str) -> TokenStream {
    code(&format!(".{name}"))
}

/// Code that runs for each part of an element that a path leads to, as `__a`, beside the same part of another, `__b`.
fn each(path: &[Step], one: &TokenStream, other: Option<&TokenStream>, run: &TokenStream) -> TokenStream {
    match path.split_first() {
        None => {
            let other = other.map(|other| quote!(let __b = &#other;));
            quote!({ let __a = &mut #one; #other #run })
        }
        Some((Step::Field(name), rest)) => {
            let name = field(name);
            each(rest, &quote!(#one #name), other.map(|other| quote!(#other #name)).as_ref(), run)
        }
        Some((Step::Element, rest)) => {
            let depth = rest.len();
            let (a, b) = (format_ident!("__a{depth}"), format_ident!("__b{depth}"));
            let inner = each(rest, &quote!((*#a)), other.map(|_| quote!((*#b))).as_ref(), run);
            match other {
                Some(other) => quote!(for (#a, #b) in #one.iter_mut().zip(#other.iter()) { #inner }),
                None => quote!(for #a in #one.iter_mut() { #inner }),
            }
        }
    }
}

/// One of the parts that a path leads to, for its type.
fn first_of(path: &[Step]) -> TokenStream {
    path.iter()
        .map(|step| match step {
            Step::Field(name) => field(name),
            Step::Element => quote!([0]),
        })
        .collect()
}
