//! Names in the arguments of macros. The compiler parses the arguments of std's macros; any other macro receives identifiers.

use super::arguments::{Axis, MacroArguments};
use super::names::Declared;
use super::patterns::Match;
use super::resolver::Resolver;
use super::scopes::{Found, Namespace};
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;

impl Resolver {
    pub(super) fn call_of_macro(&mut self, mac: &mut syn::Macro) {
        mac.tokens = match MacroArguments::of(mac) {
            Some(mut given) => {
                self.arguments(&mut given);
                given.into_token_stream()
            }
            None => self.hand(mac.tokens.clone()),
        };
    }

    /// The arguments of a macro that the compiler knows.
    fn arguments(&mut self, given: &mut MacroArguments) {
        match given {
            MacroArguments::Tokens(_) => {}
            MacroArguments::Values(all) => {
                for Axis { range, step } in all {
                    self.visit_expr_mut(range);
                    step.iter_mut().for_each(|(_, step)| self.visit_expr_mut(step));
                }
            }
            MacroArguments::Elements(elements) => self.visit_expr_mut(elements),
            MacroArguments::Tested(tested) => {
                self.visit_expr_mut(&mut tested.value);
                self.scopes.enter();
                self.bind(&mut tested.pattern, Match::Maybe, Declared::Variable);
                if let Some((_, guard)) = &mut tested.guard {
                    self.condition(guard);
                }
                self.scopes.leave();
            }
            MacroArguments::Formatted(count, all) => {
                let named: Vec<String> = all.iter().filter_map(|a| Some(a.name.as_ref()?.0.to_string())).collect();
                for (number, argument) in all.iter_mut().enumerate() {
                    match &mut argument.value {
                        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(format), .. }) if number == *count => {
                            let text = self.format(&format.value(), &named, format);
                            if text != format.value() {
                                *format = syn::LitStr::new(&text, format.span());
                            }
                        }
                        value => self.visit_expr_mut(value),
                    }
                }
            }
        }
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
                    let word = count.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
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

    /// Resolves the tokens that opaque code receives: each identifier may be a name.
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
        let (name, context) = (ident.to_string(), self.context(ident.span()));
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
