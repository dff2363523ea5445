//! The accesses that a call may have to compare: their texts for messages, and their points as data for the dependence test.

use crate::index::poly::Poly;
use crate::index::{Points, Value, emit};
use crate::maps::HashSet;
use crate::plan::{Distance, Plan};
use forall_contract::dependence::Relation;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::rc::Rc;

/// The accesses in the site of a loop, and the code of the values that they need.
pub(super) struct Compared {
    /// Fields of the site.
    pub fields: TokenStream,
    /// Before the kernel is made, and after.
    pub before: TokenStream,
    pub after: TokenStream,
}

/// Values by their numbers, and the code that computes them.
#[derive(Default)]
struct Values {
    idents: Vec<Ident>,
    code: TokenStream,
    emitted: HashSet<Ident>,
}

impl Values {
    fn number(&mut self, value: &Rc<Value>) -> u16 {
        let ident = emit(value, &mut self.emitted, &mut self.code);
        let number = self.idents.iter().position(|other| *other == ident).unwrap_or_else(|| {
            self.idents.push(ident);
            self.idents.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }
}

impl Compared {
    pub fn of(found: &Plan) -> Compared {
        let mut values = Values::default();
        let accesses = found.accesses.iter().map(|access| {
            let text = &access.text;
            quote_spanned!(access.span=> (#text, __forall::Location::caller()))
        });
        let points = found.accesses.iter().enumerate().filter_map(|(number, access)| {
            let points = access.points.as_ref()?;
            Some(described(number, points, &mut values))
        });
        let tasks = found.region.iter().map(|_| quote_spanned!(found.f.span=> ("tasks", __forall::Location::caller())));
        let (accesses, points): (Vec<_>, Vec<_>) = (accesses.chain(tasks).collect(), points.collect());
        let refuse = quote_spanned!(found.f.span=> |__message| __forall::fold::refuse(__message));
        let fields = quote!(accesses: &[#(#accesses),*], points: &[#(#points),*], refuse: #refuse,);
        let distances = found.distances.iter().map(apart);
        let distances: TokenStream = distances.collect();
        let Values { idents, code, .. } = values;
        let (before, after) = match points.is_empty() {
            true => (distances, TokenStream::new()),
            false => (
                quote!(#distances let __values = |__positions: __forall::Range<usize>| { #code ::std::vec![#(#idents),*] };),
                quote!(__kernel.compare_by(&__values);),
            ),
        };
        Compared { fields, before, after }
    }
}

/// Has rustc compute whether iterations meet, which depends on constants that are not seen here.
fn apart(distance: &Distance) -> TokenStream {
    let Distance { step, difference, iterations, message, span } = distance;
    let number = |poly: &Poly| {
        let terms = poly.terms().map(|(symbols, factor)| {
            let symbols = symbols.iter().map(|symbol| format_ident!("{symbol}", span = *span));
            quote!(+ #factor as i128 #(* #symbols as i128)*)
        });
        quote!((0 #(#terms)*))
    };
    let iterations = iterations.as_ref().map_or(quote!(::core::primitive::i128::MAX), number);
    let (step, difference, message) = (number(step), number(difference), message.replace('{', "{{").replace('}', "}}"));
    quote_spanned!(*span=> const {
        ::core::assert!(!__forall::fold::meet(#step, #difference, #iterations), #message);
    };)
}

fn described(number: usize, points: &Points, values: &mut Values) -> TokenStream {
    let conditions = points.conditions.iter().map(|condition| {
        let relation = match condition.relation {
            Relation::Zero => quote!(Zero),
            Relation::NotNegative => quote!(NotNegative),
            Relation::NotZero => quote!(NotZero),
        };
        let unwrapped = condition.unwrapped.iter().map(|value| values.number(value)).collect::<Vec<_>>();
        let terms = terms(&condition.sum, points, values);
        quote!((__fp::Relation::#relation, #terms, &[#(#unwrapped),*]))
    });
    let conditions: Vec<TokenStream> = conditions.collect();
    let first = terms(&points.first, points, values);
    let length = match &points.length {
        Some(length) => {
            let length = terms(length, points, values);
            quote!(__forall::Some(#length))
        }
        None => quote!(__forall::None),
    };
    let variables = u16::try_from(points.variables.len()).unwrap_or(u16::MAX);
    quote!(__fp::Points {
        access: #number,
        variables: #variables,
        conditions: &[#(#conditions),*],
        first: #first,
        length: #length,
    })
}

/// A sum as products of values, and a variable each.
fn terms(sum: &Poly, points: &Points, values: &mut Values) -> TokenStream {
    let terms = sum.terms().map(|(symbols, factor)| {
        let (mut variable, mut of) = (quote!(__fp::NO_VARIABLE), Vec::new());
        for symbol in symbols {
            if let Some(number) = points.variables.iter().position(|other| other == symbol) {
                let number = u16::try_from(number).unwrap_or(u16::MAX);
                variable = quote!(#number);
            } else if let Some((_, value)) = points.values.iter().find(|(other, _)| other == symbol) {
                of.push(values.number(value));
            }
        }
        quote!((#factor, &[#(#of),*], #variable))
    });
    let terms: Vec<TokenStream> = terms.collect();
    quote!(&[#(#terms),*])
}
