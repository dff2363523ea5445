//! Operators, and what stands for updates in a chunk, as Rust.

use super::obligations::operand_of;
use super::systems::Rows;
use crate::ir::print::{Edit, Renamed, expr};
use crate::ir::{Expr, Id, Kind};
use crate::plan::{
    Accumulator, Amount, Better, Class, Linear, Merge, Missing, Operand, Operator, Rewrite, System, Written,
};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// `a op b`, of two values named `__a` and `__b`.
pub(super) fn merged(merge: &Merge) -> TokenStream {
    match merge {
        Merge::By(operator) => by_operator(operator),
        Merge::Written(_, function) => {
            let function = &function.tokens;
            quote!(#function(__a, __b))
        }
        Merge::Combine(path) => quote!((#path)(__a, __b)),
        Merge::Last => quote!(__b),
    }
}

pub(super) fn by_operator(operator: &Operator) -> TokenStream {
    match operator {
        Operator::Add => quote!(__forall::plus(__a, __b)),
        Operator::Mul => quote!(__forall::times(__a, __b)),
        Operator::Xor => quote!(__a ^ __b),
        Operator::Logical(op) => {
            let op = code(op.text());
            quote!(__a #op __b)
        }
        Operator::Keep(op) => {
            let op = code(op.text());
            quote!(if __b #op __a { __b } else { __a })
        }
        Operator::Follow(op) => {
            let op = code(op.text());
            quote!(if __a #op __b { __a } else { __b })
        }
        Operator::InOption(inner) => {
            let function = format_ident!("{}_in_option", inner.text());
            quote!(__forall::accumulate::#function(__a, __b))
        }
        // Its updates are counted, and have no second operand.
        Operator::Repeated(_) => quote!(__a),
        Operator::Max
        | Operator::Min
        | Operator::WrappingAdd
        | Operator::WrappingMul
        | Operator::SaturatingAdd
        | Operator::SaturatingMul
        | Operator::Combine => {
            let method = format_ident!("{}", operator.text());
            quote!(__a.#method(__b))
        }
    }
}

/// Text that was code, or that the analysis has made of it.
pub(super) fn code(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The code that records the range of numbers, in a build that panics at overflow; without it in others.
pub(super) fn in_range(counted: &TokenStream, plain: &TokenStream) -> TokenStream {
    quote!({
        #[cfg(debug_assertions)]
        {
            #counted
        }
        #[cfg(not(debug_assertions))]
        {
            #plain
        }
    })
}

/// The code that replaces the updates of an accumulator.
pub(super) fn rewritten<'a>(
    accumulator: &'a Accumulator,
    edit: &'a dyn Edit,
) -> impl Iterator<Item = (Id, TokenStream)> + 'a {
    let updates = Updates { accumulator, edit };
    accumulator.rewrites.iter().map(move |(id, rewrite)| (*id, updates.rewrite(rewrite)))
}

/// The replacement of one update of an accumulator.
pub(super) fn by_placeholder(accumulator: &Accumulator, rewrite: &Rewrite) -> TokenStream {
    Updates { accumulator, edit: &Renamed { places: &[], additions: None } }.rewrite(rewrite)
}

struct Updates<'a> {
    accumulator: &'a Accumulator,
    edit: &'a dyn Edit,
}

impl Updates<'_> {
    fn rewrite(&self, rewrite: &Rewrite) -> TokenStream {
        let ident = &self.accumulator.ident;
        match rewrite {
            Rewrite::Add(values) => {
                let values = values.iter().map(|value| {
                    let (operand, value) = (operand_of(ident, value.span), self.expr(value));
                    quote!(#operand(#value))
                });
                quote!({ #(#ident += #values;)* })
            }
            Rewrite::Wrap { operator, operands, place } => {
                let place = place.as_ref().map_or_else(|| quote!(#ident), |place| place.tokens.clone());
                let steps = operands.iter().map(|operand| self.step(operator, &place, operand));
                quote!({ #(#steps)* })
            }
            Rewrite::Include(value) => {
                let value = value.as_ref().map_or_else(|| quote!(true), |value| self.expr(value));
                match &self.accumulator.class {
                    Class::Combine { merge } => {
                        // A method of a number may be called by a reference.
                        let value = match merge {
                            Merge::By(operator) if operator.adds() || operator.multiplies() => {
                                quote!(__forall::number(#value))
                            }
                            _ => value,
                        };
                        let merge = merged(merge);
                        quote!(__forall::include(&mut #ident, #value, |__a, __b| #merge))
                    }
                    // The update may be an `if` without a semicolon.
                    _ => {
                        let include = self.include(&value);
                        quote!({ #include; })
                    }
                }
            }
            Rewrite::IncludeNumbers(operands) => {
                let steps = operands.iter().map(|Operand { minus, value }| {
                    let value = self.number(value);
                    let value = if *minus { quote!(__forall::negative(#value)) } else { value };
                    let step = self.include(&value);
                    quote!(#step;)
                });
                quote!({ #(#steps)* })
            }
            Rewrite::Follow(value) => {
                let (value, merge) = (self.expr(value), self.merge());
                quote!({ #ident.follow(#value, |__a, __b| #merge); })
            }
            Rewrite::Restart(value) => {
                let value = self.expr(value);
                quote!(#ident.restart(#value))
            }
            Rewrite::Linear(Linear { factor, term }) => {
                let term = self.amount(term);
                match factor {
                    Amount::Zero => quote!(#ident.restart(#term)),
                    factor => {
                        let factor = self.amount(factor);
                        quote!(#ident.then(#factor, #term))
                    }
                }
            }
            Rewrite::Assignments { rows, declares } => {
                let Class::System(System { semiring, .. }) = &self.accumulator.class else { return TokenStream::new() };
                let value = |e: &Expr| self.expr(e);
                let assign = Rows { rows: ident, semiring: *semiring, value: &value, matrix: false }.assign(rows);
                match declares {
                    Some(true) => quote!({ #assign ::core::default::Default::default() }),
                    _ => quote!({ #assign }),
                }
            }
            Rewrite::Take(e) => {
                // A number of its own: the node itself is what is replaced.
                let taken = self.taken(&self.expr(&Expr { id: 0, ..e.clone() }));
                quote!({ #taken })
            }
            Rewrite::Layer(layer) => {
                let (layer, merge) = (self.expr(layer), self.merge());
                // As the loop that it stands for, it needs no semicolon behind it.
                quote!({ #ident.fold(&#layer[..], |__a, __b| #merge); })
            }
            Rewrite::Scatter { place, value } => {
                // What has a name may be a reference, which an operator takes as well. Elements are copies of themselves.
                let by_operator = matches!(
                    &self.accumulator.class,
                    Class::Scatter { written: Written::Assign(_) | Written::Binary(_), .. }
                );
                let named = matches!(value.bare().kind, Kind::Name(_) | Kind::Field(..) | Kind::Ref(..));
                let (place, value) = (self.expr(place), self.expr(value));
                let value = if by_operator && named { quote!((#value).clone()) } else { value };
                quote!(#ident.put(#value, #place))
            }
            Rewrite::Repeat(index) => {
                let index = self.expr(index);
                quote!({ #ident.update(#index); })
            }
            Rewrite::Unused { typed: true } => quote!(::core::default::Default::default()),
            Rewrite::Unused { typed: false } => quote!(()),
        }
    }

    fn expr(&self, e: &Expr) -> TokenStream {
        expr(e, self.edit)
    }

    /// The code that takes a new best value, and records that an iteration has.
    fn taken(&self, take: &TokenStream) -> TokenStream {
        let Class::Best { hit, better, records, .. } = &self.accumulator.class else { return TokenStream::new() };
        match better {
            Better::Than { flag: Some((_, Missing::Where(key))), .. } if !records => {
                let missing = self.expr(&key.of);
                quote!(#take; if #missing { #hit = __forall::accumulate::Hit::kept(); })
            }
            _ if !records => take.clone(),
            Better::Than { flag: Some((_, Missing::Where(key))), .. } => {
                let missing = self.expr(&key.of);
                quote!(#take; #hit = #hit.held(#missing);)
            }
            // A later key may replace one that compares with nothing.
            Better::Than { key, total: true, .. } => {
                let key = self.expr(&key.of);
                quote!(#take; #hit = #hit.by(&(#key));)
            }
            _ => quote!(#hit = __forall::accumulate::Hit::Yes; #take),
        }
    }

    fn merge(&self) -> TokenStream {
        match &self.accumulator.class {
            Class::Idempotent { merge }
            | Class::Combine { merge }
            | Class::Segmented { merge, .. }
            | Class::Frame { merge, .. } => merged(merge),
            _ => TokenStream::new(),
        }
    }

    fn include(&self, value: &TokenStream) -> TokenStream {
        let (ident, merge) = (&self.accumulator.ident, self.merge());
        quote!(#ident.include(#value, |__a, __b| #merge))
    }

    /// An update of a part of the iterations: integers wrap around there.
    fn step(&self, operator: &Operator, place: &TokenStream, operand: &Operand) -> TokenStream {
        let value = self.expr(&operand.value);
        // Where the operand is, so that what is wrong with its type is said there.
        let at = value.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        match (operator, operand.minus) {
            (Operator::Mul, _) => quote_spanned!(at=> __forall::multiply(&mut #place, #value);),
            (_, true) => quote_spanned!(at=> __forall::subtract(&mut #place, #value);),
            (_, false) => quote_spanned!(at=> __forall::add(&mut #place, #value);),
        }
    }

    /// A value of the type of the variable.
    fn number(&self, value: &Expr) -> TokenStream {
        let value = self.expr(value);
        quote!(__forall::number(#value))
    }

    fn amount(&self, amount: &Amount) -> TokenStream {
        let both = |parts: &[Amount; 2]| (self.amount(&parts[0]), self.amount(&parts[1]));
        match amount {
            Amount::Zero => quote!(__forall::zero()),
            Amount::One => quote!(__forall::one()),
            Amount::Of(value) => self.number(value),
            Amount::Inverse(value) => {
                let value = self.expr(value);
                quote!(__forall::number(1.0 / (#value)))
            }
            Amount::Negative(one) => {
                let one = self.amount(one);
                quote!(__forall::negative(#one))
            }
            Amount::Sum(parts) => {
                let (a, b) = both(parts);
                quote!(__forall::plus(#a, #b))
            }
            Amount::Difference(parts) => {
                let (a, b) = both(parts);
                quote!(__forall::minus(#a, #b))
            }
            Amount::Product(parts) => {
                let (a, b) = both(parts);
                quote!(__forall::times(#a, #b))
            }
        }
    }
}
