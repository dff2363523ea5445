//! Macros: those of std have arguments with names in them, any other one is handed words.

use super::hygiene::Context;
use super::scopes::{Found, Namespace};
use super::walk::Resolver;
use crate::language::macros::{self, Arguments};
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;

/// `value`, or `name = value`.
struct Argument {
    name: Option<(Ident, syn::Token![=])>,
    value: syn::Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let named = input.peek(syn::Ident) && input.peek2(syn::Token![=]) && !input.peek2(syn::Token![==]);
        let name = if named { Some((input.parse()?, input.parse()?)) } else { None };
        Ok(Argument { name, value: input.parse()? })
    }
}

impl ToTokens for Argument {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if let Some((name, equals)) = &self.name {
            name.to_tokens(tokens);
            equals.to_tokens(tokens);
        }
        self.value.to_tokens(tokens);
    }
}

/// `value, pattern if guard`.
struct Matches {
    value: syn::Expr,
    comma: syn::Token![,],
    pattern: syn::Pat,
    guard: Option<(syn::Token![if], syn::Expr)>,
    end: Option<syn::Token![,]>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (value, comma) = (input.parse()?, input.parse()?);
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(syn::Token![if]) { Some((input.parse()?, input.parse()?)) } else { None };
        Ok(Matches { value, comma, pattern, guard, end: input.parse()? })
    }
}

impl ToTokens for Matches {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Matches { value, comma, pattern, guard, end } = self;
        value.to_tokens(tokens);
        comma.to_tokens(tokens);
        pattern.to_tokens(tokens);
        if let Some((with, guard)) = guard {
            with.to_tokens(tokens);
            guard.to_tokens(tokens);
        }
        end.to_tokens(tokens);
    }
}

/// `value; length`.
struct Repeated {
    value: syn::Expr,
    semicolon: syn::Token![;],
    length: syn::Expr,
}

impl Parse for Repeated {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Repeated { value: input.parse()?, semicolon: input.parse()?, length: input.parse()? })
    }
}

/// A part of `s![a..b;step, k]` of `ndarray`.
struct Axis {
    range: syn::Expr,
    step: Option<(syn::Token![;], syn::Expr)>,
}

impl Parse for Axis {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let range = input.parse()?;
        let step = if input.peek(syn::Token![;]) { Some((input.parse()?, input.parse()?)) } else { None };
        Ok(Axis { range, step })
    }
}

impl ToTokens for Axis {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.range.to_tokens(tokens);
        if let Some((semicolon, step)) = &self.step {
            semicolon.to_tokens(tokens);
            step.to_tokens(tokens);
        }
    }
}

impl Resolver {
    pub(super) fn call_of_macro(&mut self, mac: &mut syn::Macro) {
        let path = mac.path.to_token_stream().to_string().replace(' ', "");
        mac.tokens = match macros::arguments(&path).and_then(|arguments| self.arguments(arguments, mac)) {
            Some(tokens) => tokens,
            None => self.hand(mac.tokens.clone()),
        };
    }

    /// The arguments of a macro of std, resolved; `None` where they are not understood.
    fn arguments(&mut self, arguments: Arguments, mac: &syn::Macro) -> Option<TokenStream> {
        let format = match arguments {
            Arguments::Tokens => return Some(mac.tokens.clone()),
            Arguments::Format(count) => Some(count),
            Arguments::Write => Some(1),
            _ => None,
        };
        if arguments == Arguments::Pattern {
            let mut of: Matches = mac.parse_body().ok()?;
            self.visit_expr_mut(&mut of.value);
            self.scopes.enter();
            self.bind(&mut of.pattern, super::patterns::Match::Maybe, super::names::Declared::Variable);
            if let Some((_, guard)) = &mut of.guard {
                self.condition(guard);
            }
            self.scopes.leave();
            return Some(of.into_token_stream());
        }
        if arguments == Arguments::Elements
            && let Ok(Repeated { mut value, semicolon, mut length }) = mac.parse_body()
        {
            self.visit_expr_mut(&mut value);
            self.visit_expr_mut(&mut length);
            return Some(quote::quote!(#value #semicolon #length));
        }
        if arguments == Arguments::Values {
            let mut axes = mac.parse_body_with(Punctuated::<Axis, syn::Token![,]>::parse_terminated).ok()?;
            for Axis { range, step } in &mut axes {
                self.visit_expr_mut(range);
                step.iter_mut().for_each(|(_, step)| self.visit_expr_mut(step));
            }
            return Some(axes.into_token_stream());
        }
        let mut list = mac.parse_body_with(Punctuated::<Argument, syn::Token![,]>::parse_terminated).ok()?;
        let named: Vec<String> = list.iter().filter_map(|a| Some(a.name.as_ref()?.0.to_string())).collect();
        for (number, argument) in list.iter_mut().enumerate() {
            if Some(number) == format
                && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(format), .. }) = &mut argument.value
            {
                let text = self.format(&format.value(), &named, format);
                if text != format.value() {
                    let mut literal = Literal::string(&text);
                    literal.set_span(format.span());
                    *format = syn::parse2(literal.into_token_stream()).ok()?;
                }
                continue;
            }
            self.visit_expr_mut(&mut argument.value);
        }
        Some(list.into_token_stream())
    }

    /// A format string whose names are resolved: `x`, `w` and `p` of `{x:w$.p$}`. The names of arguments stay.
    fn format(&mut self, text: &str, named: &[String], literal: &syn::LitStr) -> String {
        let (mut all, mut rest) = (String::new(), text);
        while let Some(start) = rest.find('{') {
            let (before, from) = rest.split_at(start);
            all.push_str(before);
            if let Some(after) = from.strip_prefix("{{") {
                all.push_str("{{");
                rest = after;
                continue;
            }
            let (inside, after) = from.split_at(from.find('}').unwrap_or(from.len()));
            let (value, how) = inside.split_at(inside.find(':').unwrap_or(inside.len()));
            all.push('{');
            all.push_str(&self.word_of_format(&value[1..], named, literal));
            // `width$` and `precision$`.
            for part in how.split_inclusive('$') {
                let count = part.strip_suffix('$');
                let from = count.map_or(part.len(), |count| {
                    let word = count.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
                    word + usize::from(count[word..].starts_with('0'))
                });
                all.push_str(&part[..from]);
                if let Some(count) = count {
                    all.push_str(&self.word_of_format(&count[from..], named, literal));
                    all.push('$');
                }
            }
            rest = after;
        }
        all + rest
    }

    fn word_of_format(&mut self, word: &str, named: &[String], literal: &syn::LitStr) -> String {
        let Ok(mut ident) = syn::parse_str::<Ident>(word.trim()) else { return word.to_owned() };
        if named.contains(&ident.to_string()) {
            return word.to_owned();
        }
        ident.set_span(literal.span());
        self.mention(Namespace::Values, &mut ident);
        ident.to_string()
    }

    /// What something that is not understood is handed: each word that may be a name is one.
    pub(super) fn hand(&mut self, tokens: TokenStream) -> TokenStream {
        let mut before = ' ';
        let one = |token| {
            let (mut mark, mut token) = (' ', token);
            match &mut token {
                TokenTree::Punct(punct) => mark = punct.as_char(),
                TokenTree::Ident(ident) => {
                    // `.name` is a field or a method.
                    if before != '.' {
                        self.hand_name(ident, before == '\'');
                    }
                }
                TokenTree::Group(group) => {
                    let mut handed = Group::new(group.delimiter(), self.hand(group.stream()));
                    handed.set_span(group.span());
                    *group = handed;
                }
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse2::<syn::LitStr>(literal.to_token_stream())
                        && is_format(&text.value())
                        && let named = self.format(&text.value(), &[], &text)
                        && named != text.value()
                    {
                        *literal = Literal::string(&named);
                        literal.set_span(text.span());
                    }
                }
            }
            // `..name` is the end of a range.
            before = if before == '.' && mark == '.' { ' ' } else { mark };
            token
        };
        tokens.into_iter().map(one).collect()
    }

    fn hand_name(&mut self, ident: &mut Ident, label: bool) {
        let (name, context) = (ident.to_string(), Context::from(ident.span()));
        let namespaces = [Namespace::Labels, Namespace::Values, Namespace::Types];
        for namespace in if label { &namespaces[..1] } else { &namespaces[1..] } {
            match self.scopes.find(*namespace, &name, &context) {
                Found::Local(local) => {
                    self.entities[local].handed = true;
                    *ident = self.word(local, ident.span());
                    return;
                }
                Found::Ambiguous(_) => self.ambiguous.push((name.clone(), ident.span())),
                Found::Outside if *namespace == Namespace::Values => {
                    self.mention_outside(*namespace, name.clone(), ident.span())
                }
                Found::Outside => {}
            }
        }
    }
}

/// Whether text is what macros such as `format!` take, as far as its braces tell.
fn is_format(text: &str) -> bool {
    let text = text.replace("{{", "").replace("}}", "");
    let mut parts = text.split('{');
    let closed =
        |part: &str| part.split_once('}').is_some_and(|(inside, after)| !inside.contains(' ') && !after.contains('}'));
    parts.next().is_some_and(|first| !first.contains('}')) && parts.all(closed)
}
