//! The arguments of the macros that the compiler knows, as `syn` has them.

use crate::language::macros::{self, Arguments};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;

/// The arguments of one call.
pub enum MacroArguments {
    Tokens(TokenStream),
    Values(Punctuated<Axis, syn::Token![,]>),
    /// `[a, b, c]`, or `[value; length]`.
    Elements(syn::Expr),
    Tested(Box<Tested>),
    /// So many expressions before the format string, and all arguments.
    Formatted(usize, Punctuated<Argument, syn::Token![,]>),
}

/// `value`, or `name = value`.
pub struct Argument {
    pub name: Option<(Ident, syn::Token![=])>,
    pub value: syn::Expr,
}

/// `value, pattern if guard`.
pub struct Tested {
    pub value: syn::Expr,
    comma: syn::Token![,],
    pub pattern: syn::Pat,
    pub guard: Option<(syn::Token![if], syn::Expr)>,
    end: Option<syn::Token![,]>,
}

/// An argument; in `s![a..b;step, k]` of `ndarray`, it may have a step.
pub struct Axis {
    pub range: syn::Expr,
    pub step: Option<(syn::Token![;], syn::Expr)>,
}

/// The path of a macro as text without spaces.
pub fn path_text(mac: &syn::Macro) -> String {
    mac.path.to_token_stream().to_string().replace(' ', "")
}

impl MacroArguments {
    /// Whether the compiler knows a macro, and understands these arguments.
    pub fn are_known(mac: &syn::Macro) -> bool {
        MacroArguments::of(mac).is_some()
    }

    /// The arguments of a call, if the compiler knows the macro and understands them.
    pub fn of(mac: &syn::Macro) -> Option<MacroArguments> {
        let formatted = |count: usize| {
            let list = mac.parse_body_with(Punctuated::<Argument, _>::parse_terminated).ok()?;
            let plain = list.len() >= count && list.iter().take(count + 1).all(|argument| argument.name.is_none());
            plain.then_some(MacroArguments::Formatted(count, list))
        };
        match macros::arguments(&path_text(mac))? {
            Arguments::Tokens => Some(MacroArguments::Tokens(mac.tokens.clone())),
            Arguments::Values => mac.parse_body_with(Punctuated::parse_terminated).ok().map(MacroArguments::Values),
            Arguments::Elements => {
                let tokens = &mac.tokens;
                let elements: syn::Expr = syn::parse2(quote!([#tokens])).ok()?;
                matches!(elements, syn::Expr::Array(_) | syn::Expr::Repeat(_))
                    .then_some(MacroArguments::Elements(elements))
            }
            Arguments::Pattern => mac.parse_body().ok().map(|tested| MacroArguments::Tested(Box::new(tested))),
            Arguments::Format(count) => formatted(count),
            Arguments::Write => formatted(1),
        }
    }
}

impl ToTokens for MacroArguments {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            MacroArguments::Tokens(all) => all.to_tokens(tokens),
            MacroArguments::Values(all) => all.to_tokens(tokens),
            MacroArguments::Elements(syn::Expr::Array(array)) => array.elems.to_tokens(tokens),
            MacroArguments::Elements(syn::Expr::Repeat(repeat)) => {
                repeat.expr.to_tokens(tokens);
                repeat.semi_token.to_tokens(tokens);
                repeat.len.to_tokens(tokens);
            }
            MacroArguments::Elements(other) => other.to_tokens(tokens),
            MacroArguments::Tested(tested) => tested.to_tokens(tokens),
            MacroArguments::Formatted(_, all) => all.to_tokens(tokens),
        }
    }
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

impl Parse for Tested {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (value, comma) = (input.parse()?, input.parse()?);
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(syn::Token![if]) { Some((input.parse()?, input.parse()?)) } else { None };
        Ok(Tested { value, comma, pattern, guard, end: input.parse()? })
    }
}

impl ToTokens for Tested {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Tested { value, comma, pattern, guard, end } = self;
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
