//! Headers of loops: `for c in chunks` with `let chunks = x.chunks_exact(8);` is `for c in x.chunks_exact(8)`, `for i in r` of a range `r` is
//! `for i in r.start..r.end`, and `xs.iter().for_each(|x| ..)` is `for x in xs.iter() { .. }`.

use super::tokens::{bare, declaration, mentions, name_of, names_in};
use crate::ir::Local;
use crate::language::methods;
use crate::maps::{HashMap, HashSet, New as _};
use crate::resolve::arguments::MacroArguments;
use proc_macro2::Span;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_for_loop_mut, visit_expr_mut};

/// Methods that make an iterator over a slice, and those that adapt one.
const MAKE: [&str; 4] = ["iter", "chunks", "chunks_exact", "windows"];
const ADAPT: [&str; 8] = ["chunks", "copied", "cloned", "enumerate", "zip", "rev", "skip", "take"];

/// Visits the expressions at the beginnings of a header, each with the method that is called on it: `x` and `y` of `x.iter().zip(&y).rev()`.
pub fn each_source(e: &mut syn::Expr, method: Option<&str>, visit: &mut dyn FnMut(&mut syn::Expr, Option<&str>)) {
    match e {
        syn::Expr::Paren(inner) => each_source(&mut inner.expr, method, visit),
        syn::Expr::MethodCall(call) => {
            let method = call.method.to_string();
            if method == "zip" {
                call.args.iter_mut().for_each(|other| each_source(other, None, visit));
            }
            each_source(&mut call.receiver, Some(&method), visit);
            // A copy of a range is the range.
            if (method == "clone" || method == "into_iter") && matches!(bare(&call.receiver), syn::Expr::Range(_)) {
                *e = (*call.receiver).clone();
            }
        }
        source => visit(source, method),
    }
}

/// Puts iterators and ranges in place of their names in the headers of loops.
pub fn inline_headers(signature: &syn::Signature, block: &mut syn::Block) {
    let mut named = Named::default();
    named.visit_signature(signature);
    named.visit_block(block);
    let Named { mut iterators, ranges, changing } = named;
    // A variable in it may change before the loop.
    iterators.retain(|_, iterator| changing.iter().all(|name| !mentions(iterator, &name.ident())));
    Inline { iterators, ranges, inlined: HashSet::new() }.visit_block_mut(block);
}

/// The iterators and ranges that variables hold.
#[derive(Default)]
struct Named {
    iterators: HashMap<Local, syn::Expr>,
    /// Whether both ends are included.
    ranges: HashMap<Local, bool>,
    /// Variables that may change.
    changing: HashSet<Local>,
}

/// Whether an expression is an iterator over slices, which names and numbers choose.
fn is_named_iterator(e: &syn::Expr) -> bool {
    let syn::Expr::MethodCall(call) = bare(e) else { return false };
    let method = call.method.to_string();
    let number = |e: &syn::Expr| matches!(bare(e), syn::Expr::Lit(_)) || name_of(e).is_some();
    if name_of(&call.receiver).is_some() && MAKE.contains(&method.as_str()) {
        return call.args.iter().all(number);
    }
    let fits = |argument| number(argument) && method != "zip" || is_named_iterator(argument);
    ADAPT.contains(&method.as_str()) && is_named_iterator(&call.receiver) && call.args.iter().all(fits)
}

impl<'ast> Visit<'ast> for Named {
    fn visit_pat_type(&mut self, parameter: &'ast syn::PatType) {
        let held = match &*parameter.ty {
            syn::Type::Reference(reference) if reference.mutability.is_none() => &*reference.elem,
            other => other,
        };
        // Part of an inclusive range may be consumed, which its two ends do not tell.
        if let (syn::Pat::Ident(name), syn::Type::Path(path)) = (&*parameter.pat, held)
            && path.path.segments.last().is_some_and(|last| last.ident == "Range")
            && name.mutability.is_none()
        {
            self.ranges.insert(Local::from(&name.ident), false);
        }
        syn::visit::visit_pat_type(self, parameter);
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        if let Some((name, value)) = declaration(statement) {
            match bare(value) {
                syn::Expr::Range(range) if range.start.is_some() && range.end.is_some() => {
                    self.ranges.insert(Local::from(name), matches!(range.limits, syn::RangeLimits::Closed(_)));
                }
                value if is_named_iterator(value) => _ = self.iterators.insert(Local::from(name), value.clone()),
                _ => {}
            }
        }
        syn::visit::visit_stmt(self, statement);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.changing.extend(pattern.mutability.map(|_| Local::from(&pattern.ident)));
        syn::visit::visit_pat_ident(self, pattern);
    }

    // Name resolution leaves the variables of items such as `impl` as they are.
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

struct Inline {
    iterators: HashMap<Local, syn::Expr>,
    ranges: HashMap<Local, bool>,
    inlined: HashSet<Local>,
}

impl Inline {
    fn source(&mut self, e: &mut syn::Expr) {
        let Some(name) = name_of(e) else { return };
        let (local, span) = (Local::from(name), name.span());
        if let Some(iterator) = self.iterators.get(&local) {
            *e = iterator.clone();
            self.inlined.insert(local);
        } else if let Some(inclusive) = self.ranges.get(&local) {
            *e = match inclusive {
                true => syn::parse_quote_spanned!(span=> (*#name.start()..=*#name.end())),
                false => syn::parse_quote_spanned!(span=> (#name.start..#name.end)),
            };
        }
    }
}

impl VisitMut for Inline {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_block_mut(self, block);
        // A declaration that only headers mentioned goes.
        for number in (0..block.stmts.len()).rev() {
            let declared = declaration(&block.stmts[number]).map(|(name, _)| name.clone());
            if let Some(name) = declared.filter(|name| self.inlined.contains(&Local::from(name)))
                && !block.stmts[number + 1..].iter().any(|statement| mentions(statement, &name))
            {
                block.stmts.remove(number);
            }
        }
    }

    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        each_source(&mut f.expr, None, &mut |source, _| self.source(source));
        visit_expr_for_loop_mut(self, f);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The loop that `xs.iter().for_each(|x| ..);` is.
pub fn loop_over(statement: &syn::Stmt) -> Option<syn::Stmt> {
    let syn::Stmt::Expr(syn::Expr::MethodCall(call), _) = statement else { return None };
    let syn::ExprMethodCall { receiver, method, turbofish: None, args, .. } = call else { return None };
    let (Some(syn::Expr::Closure(closure)), 1) = (args.first(), args.len()) else { return None };
    let (Some(pattern), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
    let plain = closure.capture.is_none()
        && closure.asyncness.is_none()
        && closure.lifetimes.is_none()
        && closure.attrs.is_empty()
        && call.attrs.is_empty()
        && matches!(closure.output, syn::ReturnType::Default);
    if !plain || method != "for_each" || !is_iterator(receiver) {
        return None;
    }
    // The type of the parameter is that of the loop's variable.
    let (pattern, typed) = match pattern {
        syn::Pat::Type(typed) => match &*typed.pat {
            syn::Pat::Ident(name) if name.subpat.is_none() => (&*typed.pat, Some((&name.ident, &typed.ty))),
            _ => return None,
        },
        other => (other, None),
    };
    let at = receiver.span();
    let mut body = match &*closure.body {
        syn::Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => block.block.clone(),
        value => syn::parse2(quote_spanned!(value.span()=> { #value; })).ok()?,
    };
    let label = format_ident!("__each_{}_{}", at.start().line, at.start().column);
    let label = syn::Lifetime::new(&format!("'{label}"), at);
    let mut returns = Returns { label: &label, found: false, hidden: false };
    returns.visit_block_mut(&mut body);
    if returns.hidden {
        return None;
    }
    if let Some((name, ty)) = typed {
        body.stmts.insert(0, syn::parse2(quote_spanned!(ty.span()=> let _: #ty = #name;)).ok()?);
    }
    let label = returns.found.then(|| quote_spanned!(at=> #label:));
    // rustc's messages point to the beginning of the iterator.
    let first = receiver.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    syn::parse2(quote_spanned!(first=> #label for #pattern in #receiver #body)).ok()
}

fn is_iterator(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::Range(_) => true,
        syn::Expr::MethodCall(call) => {
            let begins = !matches!(bare(&call.receiver), syn::Expr::MethodCall(_) | syn::Expr::Range(_));
            methods::gives_iterator(&call.method.to_string()) && (begins || is_iterator(&call.receiver))
        }
        _ => false,
    }
}

/// Ends an iteration where a closure returns.
struct Returns<'l> {
    label: &'l syn::Lifetime,
    found: bool,
    /// Whether a macro that the compiler does not know may return.
    hidden: bool,
}

impl VisitMut for Returns<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Return(value) => {
                let (label, at) = (self.label, value.return_token.span);
                self.hidden |= value.expr.is_some();
                self.found = true;
                *e = syn::parse_quote_spanned!(at=> continue #label);
            }
            syn::Expr::Closure(_) | syn::Expr::Async(_) => {}
            _ => visit_expr_mut(self, e),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let mut names = Vec::new();
        names_in(mac.tokens.clone(), &mut names);
        self.hidden |= !MacroArguments::are_known(mac) || names.iter().any(|(name, _)| name == "return");
    }
}
