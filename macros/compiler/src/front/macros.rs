//! Calls of macros. The arguments of macros that the compiler knows become ordinary expressions. All other code that the compiler does
//! not understand becomes [opaque](Opaque).

use crate::front::lower::Lower;
use crate::front::tokens::{names_in_format, receive};
use crate::ir::print::located;
use crate::ir::{Expr, Kind, Local, Opaque, Unknown};
use crate::language::macros;
use crate::resolve::arguments::{Argument, MacroArguments, Tested, path_text};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
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

    /// Code of which only the parts and the identifiers among all tokens are known.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::print::{Edit, expr};

    fn lowered(code: &str) -> Expr {
        Lower::default().expr(&syn::parse_str(code).unwrap())
    }

    /// The variables that an expression names, that it writes, and that opaque code in it receives.
    fn seen(code: &str) -> [String; 3] {
        let (mut named, mut written, mut received) = (Vec::<&str>::new(), Vec::<&str>::new(), Vec::new());
        lowered(code).walk(&mut |e| {
            match &e.kind {
                Kind::Name(name) => named.push(name.text()),
                Kind::Opaque(opaque) => received.extend(opaque.received().iter().map(|e| e.text())),
                _ => written.extend(e.written().map(Local::text)),
            }
            true
        });
        [named.join(" "), written.join(" "), received.join(" ")]
    }

    fn leaves(code: &str) -> bool {
        matches!(lowered(code).kind, Kind::Opaque(opaque) if opaque.leaves)
    }

    /// Renames a variable.
    struct Renamed;

    impl Edit for Renamed {
        fn expr(&self, e: &Expr) -> Option<TokenStream> {
            (e.name() == Some(Local::named("x")) && matches!(e.kind, Kind::Name(_))).then(|| quote!(y))
        }
    }

    fn renamed(code: &str) -> String {
        expr(&lowered(code), &Renamed).to_string().replace(' ', "")
    }

    #[test]
    fn arguments_of_known_macros_are_expressions() {
        for (code, named, written) in [
            ("vec![a, b]", "a b", ""),
            ("vec![{ k /= 2; 0 }; n]", "k n", "k"),
            ("vec![0; { n += 1; n }]", "n n", "n"),
            ("vec!(a)", "a", ""),
            ("vec![]", "", ""),
            ("matches!(v, Some(q) if { k = q; true })", "v k q", "k"),
            ("matches!(v[i], A | B,)", "v i", ""),
            ("matches!(v, | A)", "v", ""),
            ("assert!(i < n)", "i n", ""),
            ("assert!(i < n, \"{i} {}\", k)", "i n k i", ""),
            ("assert_eq!(a, b, \"{c:?}\",)", "a b c", ""),
            ("debug_assert_ne!({ k += 1; a }, b)", "k a b", "k"),
            ("std::println!(\"{x} {y:w$.p$} {{z}} {{{v}}}\")", "x y w p v", ""),
            ("println!(\"{0} {a} {b}\", c, a = d)", "c d b", ""),
            ("println!(\"{v}\", v = { k -= 1; k })", "k k", "k"),
            ("println!()", "", ""),
            ("format!(r\"{x}\")", "x", ""),
            ("panic!(\"{x} {x}\")", "x", ""),
            ("write!(to, \"{x}\")", "to x", "to"),
            ("writeln!(to.text)", "to", "to"),
            ("writeln!(to[{ k += 1; k }], \"{}\", x)", "to k k x", "to k"),
            ("dbg!(a, { b = 1; b })", "a b b", "b"),
            ("stringify!(a + b)", "", ""),
            ("cfg!(unix)", "", ""),
            ("&raw mut out[i]", "out i", "out"),
            ("unsafe { k = *p }", "k p", "k"),
        ] {
            assert_eq!(seen(code), [named, written, ""], "{code}");
        }
    }

    #[test]
    fn unknown_code_receives_each_identifier() {
        for (code, received) in [
            ("put!(out[i] = x[i])", "out i x i"),
            ("put!(k => v)", "k v"),
            ("put!(\"{a:w$}\")", "a w"),
            ("put!({ let z = a; z.b(c) } d)", "z a b c d"),
            ("put!()", ""),
            ("put!(r#type)", "r#type"),
            ("mine::vec![a; b]", "a b"),
            ("std::mem::vec![a]", "a"),
            // The compiler does not understand the arguments.
            ("vec![a => b]", "a b"),
            ("matches!(a)", "a"),
            ("assert_eq!(a)", "a"),
            ("assert!(name = a)", "name a"),
            ("println!(a b)", "a b"),
            // `s!` is an index only as the argument of `slice`.
            ("s![a, ..b]", "a b"),
            ("v.slice(s![a, ..b])", ""),
            ("v.slice_mut(s![a, ..;2, b])", "a b"),
            ("async { k += x[i]; }", "k x i"),
            ("async move { f(&mut k) }", "f k"),
            ("const { N + 1 }", "N"),
            ("&raw mut out[i]", ""),
            ("&raw const out[i]", ""),
            ("unsafe { *p = k }", ""),
        ] {
            assert_eq!(seen(code)[2], received, "{code}");
        }
    }

    #[test]
    fn code_with_words_that_leave_may_leave() {
        for code in ["m!(a => break)", "m!(a => { return })", "m!(a => b?)", "m!('l a)", "async { f().await?; }"] {
            assert!(leaves(code), "{code}");
        }
        for code in ["m!(a => b)", "m!(a)", "m!(c, \"break\")"] {
            assert!(!leaves(code), "{code}");
        }
        // An argument that is an expression is analysed itself.
        let mut found = false;
        lowered("m!(a, break)").walk(&mut |e| {
            found |= matches!(e.kind, Kind::Break(..));
            true
        });
        assert!(found);
    }

    #[test]
    fn edited_arguments_keep_their_form() {
        for (code, printed) in [
            ("vec![x; n]", "vec![y;n]"),
            ("vec![a, x]", "vec![a,y]"),
            ("matches!(x, Some(q) if q > x)", "matchy{Some(q)ifq>y=>true,_=>false,}"),
            ("println!(\"{} {b}\", x, b = a)", "println!(\"{}{b}\",y,b=a)"),
            ("println!(\"{x} {a}\")", "println!(\"{x}{a}\",x=y,a=a)"),
            ("write!(to, \"{}\", x)", "write!(to,\"{}\",y)"),
            ("assert_eq!(a, x)", "assert_eq!(a,y)"),
            ("mine!(a, x)", "mine!(a,y)"),
            ("mine!(a => b)", "mine!(a=>b)"),
        ] {
            assert_eq!(renamed(code), printed, "{code}");
        }
    }

    #[test]
    fn a_statement_must_be_an_expression_unless_it_is_alone() {
        let unknown = |code: &str| {
            let block = Lower::default().block(&syn::parse_str(code).unwrap());
            block.statements[0].tokens.to_string().contains("fa022")
        };
        for (code, wrapped) in [
            ("{ m!(a); f(a); }", true),
            ("{ m! { a } f(a); }", true),
            ("{ m!(a); }", false),
            ("{ m! { a } }", false),
            ("{ println!(\"{a}\"); f(a); }", false),
            ("{ println!(a b); f(a); }", true),
            ("{ let b = m!(a); f(b); }", false),
        ] {
            assert_eq!(unknown(code), wrapped, "{code}");
        }
    }
}
