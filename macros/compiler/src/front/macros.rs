//! Calls of macros. The arguments of macros that the compiler knows become ordinary expressions. All other code that the compiler does
//! not understand becomes [opaque](Opaque).

use crate::front::lower::Lower;
use crate::front::tokens::{names_in_format, receive};
use crate::ir::print::located;
use crate::ir::{Expr, Kind, Local, Opaque, Unknown};
use crate::language::macros;
use crate::maps::{HashSet, New as _};
use crate::resolve::arguments::{Argument, MacroArguments, Tested, path_text};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

type List = Punctuated<syn::Expr, syn::Token![,]>;

/// The names of variables in a format string that no argument has.
fn captured(format: &syn::Expr, all: &Punctuated<Argument, syn::Token![,]>) -> Vec<Ident> {
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = format else { return Vec::new() };
    let mut captured: Vec<Ident> = Vec::new();
    names_in_format(&text.value(), &mut |name| {
        let given = all.iter().filter_map(|argument| Some(&argument.name.as_ref()?.0));
        if let Ok(mut ident) = syn::parse_str::<Ident>(name)
            && !given.chain(&captured).any(|other| *other == ident)
        {
            ident.set_span(text.span());
            captured.push(ident);
        }
    });
    captured
}

impl Lower {
    /// A call of a macro as an expression, or as a statement beside others.
    pub(super) fn macro_call(&mut self, mac: &syn::Macro, unknown: Unknown) -> Kind {
        if let Some(kind) = self.known_macro(mac).filter(|_| path_text(mac) != macros::INDEX) {
            return kind;
        }
        let parts = mac.parse_body_with(List::parse_terminated).map(|list| self.list(&list)).unwrap_or_default();
        self.opaque(unknown, parts, mac.tokens.clone())
    }

    /// An argument of a method. `s![..]` is an index of `ndarray` as the argument of `slice` and its kin.
    pub(super) fn argument(&mut self, method: &Ident, argument: &syn::Expr) -> Expr {
        match argument {
            syn::Expr::Macro(call)
                if method.to_string().starts_with("slice") && path_text(&call.mac) == macros::INDEX =>
            {
                let known = self.known_macro(&call.mac);
                let kind = known.unwrap_or_else(|| self.macro_call(&call.mac, Unknown::Macro));
                self.node(kind, call.span(), call.to_token_stream())
            }
            _ => self.expr(argument),
        }
    }

    /// The call of a macro that the compiler knows, if it understands the arguments.
    fn known_macro(&mut self, mac: &syn::Macro) -> Option<Kind> {
        let name = macros::known_by(&path_text(mac)).to_owned();
        let args = match MacroArguments::of(mac)? {
            MacroArguments::Tokens(_) => Vec::new(),
            MacroArguments::Values(all) if all.iter().any(|axis| axis.step.is_some()) => return None,
            MacroArguments::Values(all) => self.list(all.iter().map(|axis| &axis.range)),
            MacroArguments::Elements(elements) => vec![self.expr(&elements)],
            MacroArguments::Tested(tested) => {
                let Tested { value, pattern, guard, .. } = *tested;
                let guard = guard.map(|(with, guard)| quote!(#with #guard));
                vec![self.expr(&syn::Expr::Match(syn::ExprMatch {
                    attrs: Vec::new(),
                    match_token: <syn::Token![match]>::default(),
                    expr: Box::new(value),
                    brace_token: syn::token::Brace::default(),
                    arms: vec![
                        syn::parse2(quote!(#pattern #guard => true,)).ok()?,
                        syn::parse2(quote!(_ => false,)).ok()?,
                    ],
                }))]
            }
            MacroArguments::Formatted(count, all) => {
                let (mut args, before) = self.formatted(count, &all);
                if macros::writes(&name) {
                    let to = Box::new(args.remove(0));
                    let call = Kind::Method(to, "write_fmt".to_owned(), args, quote!(.write_fmt));
                    args = vec![self.node(call, mac.span(), mac.to_token_stream())];
                }
                return Some(Kind::Macro(name, args, before));
            }
        };
        let before = args.iter().map(|_| TokenStream::new()).collect();
        Some(Kind::Macro(name, args, before))
    }

    /// All arguments, and the tokens before each. A variable in the format string is an argument as well: `x = x`.
    fn formatted(
        &mut self,
        format: usize,
        all: &Punctuated<Argument, syn::Token![,]>,
    ) -> (Vec<Expr>, Vec<TokenStream>) {
        let (mut args, mut before) = (Vec::new(), Vec::new());
        for Argument { name, value } in all {
            args.push(self.expr(value));
            before.push(name.as_ref().map(|(name, equals)| quote!(#name #equals)).unwrap_or_default());
        }
        for name in all.get(format).map(|format| captured(&format.value, all)).unwrap_or_default() {
            args.push(self.node(Kind::Name(Local::from(&name)), name.span(), name.to_token_stream()));
            before.push(quote!(#name =));
        }
        (args, before)
    }

    /// Code with known parts, and with the identifiers among all tokens.
    pub(super) fn opaque(&mut self, what: Unknown, parts: Vec<Expr>, tokens: TokenStream) -> Kind {
        let mut received = Vec::new();
        receive(tokens.clone(), &mut received);
        let mut seen: HashSet<String> = HashSet::new();
        let mut names = Vec::new();
        for (name, at) in received {
            if !parts.iter().any(|part| part.mentions(Local::named(&name))) && seen.insert(name.clone()) {
                let tokens = located(name.parse().unwrap_or_default(), at);
                names.push(self.node(Kind::Name(Local::named(&name)), at, tokens));
            }
        }
        let leaves = parts.is_empty() && leaves(tokens);
        Kind::Opaque(Box::new(Opaque { what, parts, names, leaves }))
    }
}

/// Whether tokens hold `break`, `continue`, `return`, `yield`, `?` or a label.
fn leaves(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => ["break", "continue", "return", "yield"].iter().any(|leaving| word == leaving),
        TokenTree::Punct(mark) => matches!(mark.as_char(), '?' | '\''),
        TokenTree::Group(group) => leaves(group.stream()),
        TokenTree::Literal(_) => false,
    })
}
