//! The best value by a comparison or a key: `max_by(|a, b| a.total_cmp(b))`, `min_by_key(|v| v.abs())`.

use super::super::plain::is_pure;
use super::super::tokens::{bare, mentions, name_of};
use super::Statements;
use super::read::Chain;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::Visit;

/// How two values compare.
enum Compared {
    /// By the operators of their keys.
    ByOperator,
    /// `a.total_cmp(&b)`, `a.cmp(&b)`.
    By(Ident),
    /// `a.partial_cmp(&b).unwrap()`, with the call behind it.
    Unwrapped(TokenStream),
    /// `a.partial_cmp(&b).unwrap_or(Ordering::Equal)`.
    OrEqual,
}

/// The key of an item, with the method that compares it, and whether the order is reversed.
struct Comparison<'e> {
    key: Option<(&'e syn::Pat, &'e syn::Expr)>,
    by: Compared,
    reversed: bool,
}

impl Statements {
    /// The declaration, the body and the value of `max_by`, `min_by`, `max_by_key` and `min_by_key`.
    pub(super) fn best(
        &mut self,
        end: &str,
        closure: &syn::Expr,
        name: &Ident,
        chain: &mut Chain,
    ) -> Option<(TokenStream, TokenStream, TokenStream)> {
        let (at, of_max) = (name.span(), end.starts_with("max"));
        let comparison = if end.ends_with("_key") {
            let syn::Expr::Closure(key) = closure else { return None };
            let (Some(pattern), 1) = (key.inputs.first(), key.inputs.len()) else { return None };
            Comparison { key: Some((pattern, &*key.body)), by: Compared::ByOperator, reversed: false }
        } else {
            comparison(closure)?
        };
        let Comparison { key, by, reversed } = comparison;
        is_pure(closure).then_some(())?;
        let body = &mut chain.body;
        let (shape, of_range) = (body.shape.clone(), body.is_untouched());
        body.name(&self.named("value", at));
        let (of_item, of) = match key {
            Some((pattern, key)) => {
                // A single item is compared with nothing, so its key is not computed.
                let element = shape.element().map(|ty| ty.to_token_stream().to_string());
                let floats = matches!(&by, Compared::By(by) if by == "total_cmp")
                    || matches!(element.as_deref(), Some("f32" | "f64"));
                if !matches!(by, Compared::ByOperator) && !never_panics(key, floats, &chain.header, pattern) {
                    chain.alone = Some(alone(&chain.header).filter(|_| of_range)?);
                }
                body.looked_at(pattern, key)
            }
            None => (body.value.clone(), shape.clone()),
        };
        let of_item = match of.owned(&of_item, &mut || self.named("part", at))? {
            (pattern, owned) if pattern.is_empty() => owned,
            _ => return None,
        };
        let (key, held) = (self.named("key", at), self.named("held", at));
        body.parts.push(super::body::Do::Let(quote!(let #key = #of_item;)));
        body.own(&mut || self.named("part", at))?;
        // The later of equal items is the greatest, the earlier one the least. rustc knows the type of the key.
        let test = match (of_max, reversed) {
            (true, false) => quote!(is_ge),
            (true, true) => quote!(is_le),
            (false, false) => quote!(is_lt),
            (false, true) => quote!(is_gt),
        };
        let better = match by {
            Compared::ByOperator if of_max => quote!(!(#held > #key)),
            Compared::ByOperator => quote!(!(#held <= #key)),
            Compared::By(method) => quote!(#key.#method(&#held).#test()),
            Compared::Unwrapped(unwrap) => quote!(#key.partial_cmp(&#held)#unwrap.#test()),
            // Of values that do not compare, the earlier one stays.
            Compared::OrEqual if of_max => return None,
            Compared::OrEqual if reversed => quote!(#key > #held),
            Compared::OrEqual => quote!(#key < #held),
        };
        let keep =
            |value: &TokenStream| quote!(if #name.is_none_or(|(#held, _)| #better) { #name = Some((#key, #value)); });
        let update = chain.body.run(&keep);
        let (pattern, value) = shape.returned(&mut || self.named("part", at));
        Some((quote!(let mut #name = None;), update, quote!(#name.as_ref().map(|(_, #pattern)| #value))))
    }
}

/// The comparison that a closure or a function makes.
fn comparison(compare: &syn::Expr) -> Option<Comparison<'_>> {
    if let syn::Expr::Path(path) = compare {
        let last = &path.path.segments.last()?.ident;
        let known = path.path.segments.len() > 1 && (last == "total_cmp" || last == "cmp");
        return known.then(|| Comparison { key: None, by: Compared::By(last.clone()), reversed: false });
    }
    let syn::Expr::Closure(closure) = compare else { return None };
    let (Some(first), Some(second), 2) = (closure.inputs.first(), closure.inputs.get(1), closure.inputs.len()) else {
        return None;
    };
    let mut reversed = false;
    let mut call = method_call(&closure.body)?;
    if call.method == "reverse" && call.args.is_empty() {
        reversed = true;
        call = method_call(&call.receiver)?;
    }
    let (by, call) = match (&*call.method.to_string(), call.args.first()) {
        ("total_cmp" | "cmp", Some(_)) => (Compared::By(call.method.clone()), call),
        ("unwrap", None) | ("expect", Some(syn::Expr::Lit(_))) => {
            let (method, args) = (&call.method, &call.args);
            (Compared::Unwrapped(quote!(.#method(#args))), method_call(&call.receiver)?)
        }
        ("unwrap_or", Some(syn::Expr::Path(equal)))
            if equal.path.segments.last().is_some_and(|last| last.ident == "Equal") =>
        {
            (Compared::OrEqual, method_call(&call.receiver)?)
        }
        _ => return None,
    };
    let by_partial = matches!(by, Compared::Unwrapped(_) | Compared::OrEqual);
    let fits = (call.method == "partial_cmp") == by_partial && call.args.len() == 1 && call.turbofish.is_none();
    let (a, b) = (&*call.receiver, call.args.first().filter(|_| fits)?);
    let [of_first, of_second] = [first, second].map(names_of);
    let only = |e: &syn::Expr, names: &[Ident], others: &[Ident]| {
        names.iter().any(|name| mentions(e, name)) && !others.iter().any(|name| mentions(e, name))
    };
    // The same key of both.
    let renamed = |tokens: TokenStream| -> String {
        let name = |name: &Ident| of_second.iter().position(|other| other == name).and_then(|at| of_first.get(at));
        renamed(tokens, &name).to_string()
    };
    let same = renamed(second.to_token_stream()) == renamed(first.to_token_stream());
    let equal = |one: &syn::Expr, two: &syn::Expr| {
        renamed(value(one).to_token_stream()) == renamed(value(two).to_token_stream())
    };
    (same && of_first.len() == of_second.len() && equal(a, b)).then_some(())?;
    if only(a, &of_first, &of_second) && only(b, &of_second, &of_first) {
        Some(Comparison { key: Some((first, value(a))), by, reversed })
    } else if only(a, &of_second, &of_first) && only(b, &of_first, &of_second) {
        Some(Comparison { key: Some((first, value(b))), by, reversed: !reversed })
    } else {
        None
    }
}

fn method_call(e: &syn::Expr) -> Option<&syn::ExprMethodCall> {
    match bare(e) {
        syn::Expr::MethodCall(call) => Some(call),
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => method_call(value),
            _ => None,
        },
        _ => None,
    }
}

/// `v` of `&v`.
fn value(e: &syn::Expr) -> &syn::Expr {
    match bare(e) {
        syn::Expr::Reference(reference) if reference.mutability.is_none() => value(&reference.expr),
        e => e,
    }
}

/// The variables of a pattern, in their order.
fn names_of(pattern: &syn::Pat) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.0.push(pattern.ident.clone());
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pattern);
    names.0
}

/// Tokens with other names.
fn renamed<'a>(tokens: TokenStream, name: &dyn Fn(&Ident) -> Option<&'a Ident>) -> TokenStream {
    let token = |token| match token {
        proc_macro2::TokenTree::Ident(ident) => name(&ident).cloned().unwrap_or(ident).into(),
        proc_macro2::TokenTree::Group(group) => {
            proc_macro2::Group::new(group.delimiter(), renamed(group.stream(), name)).into()
        }
        other => other,
    };
    tokens.into_iter().map(token).collect()
}

/// Whether a key has a value for all items of a header.
fn never_panics(key: &syn::Expr, floats: bool, header: &syn::Expr, pattern: &syn::Pat) -> bool {
    use syn::Expr as E;
    let inner = |e: &syn::Expr| never_panics(e, floats, header, pattern);
    match key {
        E::Path(_) | E::Lit(_) => true,
        E::Paren(e) => inner(&e.expr),
        E::Field(e) => inner(&e.base),
        E::Reference(e) => inner(&e.expr),
        E::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => inner(expr),
        E::Tuple(parts) => parts.elems.iter().all(inner),
        E::Cast(cast) => never_panics(&cast.expr, false, header, pattern),
        E::Unary(e) => floats && inner(&e.expr),
        E::Binary(e) => {
            use syn::BinOp as B;
            let known = matches!(e.op, B::Add(_) | B::Sub(_) | B::Mul(_) | B::Div(_));
            floats && known && inner(&e.left) && inner(&e.right)
        }
        E::MethodCall(e) => {
            let known = ["abs", "sqrt", "powi", "exp", "ln", "sin", "cos", "hypot"];
            floats && known.iter().any(|name| e.method == name) && inner(&e.receiver) && e.args.iter().all(inner)
        }
        E::Index(e) => is_inside(e, header, pattern),
        _ => false,
    }
}

/// The condition that a range has one item, and this item.
fn alone(header: &syn::Expr) -> Option<(syn::Expr, syn::Expr)> {
    fn is_plain(e: &syn::Expr) -> bool {
        match bare(e) {
            syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
            syn::Expr::MethodCall(call) => call.method == "len" && call.args.is_empty() && is_plain(&call.receiver),
            _ => false,
        }
    }
    let syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) = bare(header) else {
        return None;
    };
    let fits = is_plain(start) && is_plain(end) && matches!(limits, syn::RangeLimits::HalfOpen(_));
    let is_zero = start.to_token_stream().to_string() == "0";
    let condition =
        if is_zero { syn::parse_quote!(#end == 1) } else { syn::parse_quote!(#start < #end && #end - #start == 1) };
    fits.then(|| (condition, (**start).clone()))
}

/// `x[i]` of `0..x.len()`.
fn is_inside(e: &syn::ExprIndex, header: &syn::Expr, pattern: &syn::Pat) -> bool {
    let (syn::Expr::Range(range), syn::Pat::Reference(by_reference)) = (bare(header), pattern) else { return false };
    let (Some(start), Some(end)) = (&range.start, &range.end) else { return false };
    let exclusive = matches!(range.limits, syn::RangeLimits::HalfOpen(_));
    let syn::Pat::Ident(variable) = &*by_reference.pat else { return false };
    let of_array = |end: &syn::Expr| match (bare(end), name_of(&e.expr)) {
        (syn::Expr::MethodCall(call), Some(array)) => call.method == "len" && name_of(&call.receiver) == Some(array),
        _ => false,
    };
    matches!(bare(start), syn::Expr::Lit(_)) && exclusive && of_array(end) && name_of(&e.index) == Some(&variable.ident)
}
