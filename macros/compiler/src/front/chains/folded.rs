//! `fold` and `reduce`.

use super::super::tokens::{bare, mentions, name_of};
use super::Statements;
use super::body::Body;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;

/// The declaration, the body of the loop, and the value.
type Written = (TokenStream, TokenStream, TokenStream);

impl Statements {
    /// `fold(init, |acc, v| e)`, and a statement behind each update.
    pub(super) fn folded(
        &mut self,
        name: &Ident,
        init: &syn::Expr,
        combine: &syn::Expr,
        body: &mut Body,
        and: &TokenStream,
    ) -> Option<Written> {
        if let syn::Expr::Path(_) = combine {
            let update = body.run(&|value| quote!(#name = #combine(#name, #value); #and));
            return Some((quote!(let mut #name = #init;), update, quote!(#name)));
        }
        let syn::Expr::Closure(closure) = combine else { return None };
        let (Some(held), Some(item), 2) = (closure.inputs.first(), closure.inputs.get(1), closure.inputs.len()) else {
            return None;
        };
        if let Some(Parted { pattern, init, next, value }) = self.in_parts(name, init, held, closure) {
            let (declared, update, _) = in_variables(name, &init, &pattern, item, &next, body, and)?;
            return Some((declared, update, value));
        }
        in_variables(name, init, held, item, &closure.body, body, and)
    }

    /// `|acc, v| (acc.0 + v, acc.1 + 1)` with a variable for each part, also of an array.
    fn in_parts(
        &mut self,
        name: &Ident,
        init: &syn::Expr,
        held: &syn::Pat,
        closure: &syn::ExprClosure,
    ) -> Option<Parted> {
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, .. }) = held else { return None };
        let of_array = matches!(bare(init), syn::Expr::Array(_));
        let (init, mut next) = (elements(init)?.clone(), (*closure.body).clone());
        at_last(&mut next, &mut |last| {
            let set = elements(last).filter(|set| set.len() == init.len())?.clone();
            *last = syn::parse_quote!((#set));
            Some(())
        })?;
        let names: Vec<Ident> = init.iter().map(|_| self.named("part", name.span())).collect();
        Parts { of: ident, names: &names, of_array }.visit_expr_mut(&mut next);
        // Another mention is all of them.
        (!mentions(&next, ident)).then_some(())?;
        Some(Parted {
            pattern: syn::Pat::parse_single.parse2(quote!((#(#names),*))).ok()?,
            init: syn::parse_quote!((#init)),
            next,
            value: if of_array { quote!([#(#names),*]) } else { quote!((#(#names),*)) },
        })
    }

    /// `reduce(|a, b| a.max(b))`, from the identity element on.
    pub(super) fn reduced(
        &mut self,
        name: &Ident,
        combine: &syn::Expr,
        ty: Option<&syn::Type>,
        body: &mut Body,
    ) -> Option<Written> {
        let (operator, of) = operator(combine)?;
        let ty = of.or(ty.cloned())?;
        let text = ty.to_token_stream().to_string();
        let float = matches!(&*text, "f32" | "f64");
        (float || crate::language::types::is_primitive(&text) && text != "bool" && text != "char").then_some(())?;
        let identity = match (&*operator, float) {
            ("max" | "min", true) => quote!(#ty::NAN),
            ("max", false) => quote!(#ty::MIN),
            ("min", false) => quote!(#ty::MAX),
            ("+", true) => quote!(-0.0),
            ("*", true) => quote!(1.0),
            ("+" | "wrapping_add" | "^" | "|", false) => quote!(0),
            ("*" | "wrapping_mul", false) => quote!(1),
            ("&", false) => quote!(!0),
            _ => return None,
        };
        let found = self.named("found", name.span());
        let init = syn::parse2(identity).ok()?;
        let (_, update, value) = self.folded(name, &init, combine, body, &quote!(#found = true;))?;
        let declared = match combine {
            syn::Expr::Closure(closure) => {
                let syn::Pat::Ident(held) = plain(closure.inputs.first()?) else { return None };
                let held = &held.ident;
                quote!(let mut #found = false; let mut #held: #ty = #init;)
            }
            _ => quote!(let mut #found = false; let mut #name: #ty = #init;),
        };
        Some((declared, update, quote!(if #found { Some(#value) } else { None })))
    }
}

fn plain(pattern: &syn::Pat) -> &syn::Pat {
    match pattern {
        syn::Pat::Type(typed) => plain(&typed.pat),
        other => other,
    }
}

/// The operator of a function of two values, and their type if it shows.
fn operator(combine: &syn::Expr) -> Option<(String, Option<syn::Type>)> {
    let known = |name: &str| matches!(name, "max" | "min" | "wrapping_add" | "wrapping_mul").then(|| name.to_owned());
    match combine {
        syn::Expr::Path(path) => {
            let segments: Vec<_> = path.path.segments.iter().collect();
            let [.., ty, method] = segments.as_slice() else { return None };
            let text = ty.ident.to_string();
            let ty = crate::language::types::is_primitive(&text).then(|| syn::parse_str(&text).ok())?;
            Some((known(&method.ident.to_string())?, ty))
        }
        syn::Expr::Closure(closure) if closure.inputs.len() == 2 => {
            let [a, b] = [closure.inputs.first()?, closure.inputs.get(1)?].map(|input| match plain(input) {
                syn::Pat::Ident(name) => Some(&name.ident),
                _ => None,
            });
            let (a, b) = (a?, b?);
            let both = |one, two| {
                let (one, two) = (name_of(one), name_of(two));
                (one, two) == (Some(a), Some(b)) || (one, two) == (Some(b), Some(a))
            };
            match bare(&closure.body) {
                syn::Expr::MethodCall(call) if call.args.len() == 1 && both(&call.receiver, &call.args[0]) => {
                    Some((known(&call.method.to_string())?, None))
                }
                syn::Expr::Binary(binary) if both(&binary.left, &binary.right) => {
                    let op = binary.op.to_token_stream().to_string();
                    ["+", "*", "^", "|", "&"].contains(&&*op).then_some((op, None))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// A fold over the parts of a tuple or an array, where each part is a variable.
struct Parted {
    pattern: syn::Pat,
    init: syn::Expr,
    /// The closure, which gives a tuple.
    next: syn::Expr,
    /// The accumulated value.
    value: TokenStream,
}

/// The elements of a tuple or an array with several.
fn elements(e: &syn::Expr) -> Option<&Punctuated<syn::Expr, syn::Token![,]>> {
    match bare(e) {
        syn::Expr::Tuple(syn::ExprTuple { elems, .. }) | syn::Expr::Array(syn::ExprArray { elems, .. }) => {
            Some(elems).filter(|elements| elements.len() > 1)
        }
        _ => None,
    }
}

/// Applies a change to the expression that a block ends with.
fn at_last<R>(e: &mut syn::Expr, change: &mut dyn FnMut(&mut syn::Expr) -> R) -> R {
    let ends = |block: &syn::ExprBlock| {
        block.label.is_none() && matches!(block.block.stmts.last(), Some(syn::Stmt::Expr(_, None)))
    };
    if let syn::Expr::Block(block) = e
        && ends(block)
        && let Some(syn::Stmt::Expr(value, None)) = block.block.stmts.last_mut()
    {
        return at_last(value, change);
    }
    change(e)
}

/// The loop that sets the variables of a pattern.
fn in_variables(
    name: &Ident,
    init: &syn::Expr,
    held: &syn::Pat,
    item: &syn::Pat,
    next: &syn::Expr,
    body: &mut Body,
    and: &TokenStream,
) -> Option<Written> {
    let (pattern, value) = match held {
        syn::Pat::Wild(_) => (quote!(mut #name), name.to_token_stream()),
        held => {
            let mut pattern = held.clone();
            let value = changing(&mut pattern)?;
            (pattern.to_token_stream(), value)
        }
    };
    body.take(item);
    let set = match next {
        syn::Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
            let (last, before) = block.block.stmts.split_last()?;
            let syn::Stmt::Expr(last, None) = last else { return None };
            let set = (last.to_token_stream().to_string() != value.to_string()).then(|| quote!(#value = #last;));
            quote!(#(#before)* #set)
        }
        e => quote!(#value = #e;),
    };
    Some((quote!(let #pattern = #init;), body.run(&|_| quote!(#set #and)), value))
}

/// Makes the names of a pattern mutable. The result is the pattern as a value.
fn changing(pattern: &mut syn::Pat) -> Option<TokenStream> {
    match pattern {
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            name.mutability = Some(Default::default());
            Some(name.ident.to_token_stream())
        }
        syn::Pat::Type(typed) => changing(&mut typed.pat),
        syn::Pat::Tuple(tuple) => {
            let values: Vec<TokenStream> = tuple.elems.iter_mut().map(changing).collect::<Option<_>>()?;
            Some(quote!((#(#values),*)))
        }
        _ => None,
    }
}

/// Puts variables in place of the parts of one.
struct Parts<'a> {
    of: &'a Ident,
    names: &'a [Ident],
    of_array: bool,
}

impl VisitMut for Parts<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let number = match e {
            syn::Expr::Field(syn::ExprField { base, member: syn::Member::Unnamed(field), .. })
                if !self.of_array && name_of(base) == Some(self.of) =>
            {
                Some(field.index as usize)
            }
            syn::Expr::Index(syn::ExprIndex { expr, index, .. }) if self.of_array && name_of(expr) == Some(self.of) => {
                match bare(index) {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
                    _ => None,
                }
            }
            _ => None,
        };
        match number.and_then(|number| self.names.get(number)) {
            Some(name) => *e = syn::parse_quote!(#name),
            None => syn::visit_mut::visit_expr_mut(self, e),
        }
    }
}
