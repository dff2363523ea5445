//! Which functions a text calls: the compiler says so.
//!
//! A name does not tell which function it stands for: others may hide it, and a `use` may have renamed it. So each callee in
//! the text is handed through `noted`, together with a variable that thereby has the function's own type.

use crate::rust::contract::name_of;
use crate::wgsl::contract::Call;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::cell::RefCell;

/// The callees of a text that has these calls.
pub struct Callees {
    /// The tokens of their paths, as text; whether they are handed on, as in `map(helper)`; and how messages show them.
    paths: Vec<(Vec<String>, bool, String)>,
    /// The recorded calls, in order.
    noted: RefCell<Vec<String>>,
}

impl Callees {
    pub fn of(calls: &[Call]) -> Self {
        let path = |call: &Call| (words(call.path.to_token_stream()), call.handed, name_of(call));
        // Methods are found by the type that has them.
        let calls = calls.iter().filter(|call| call.method.is_none());
        Callees { paths: calls.map(path).collect(), noted: RefCell::default() }
    }

    /// The same text, in which each callee is noted.
    pub fn note(&self, text: TokenStream) -> TokenStream {
        if self.paths.is_empty() { text } else { self.noting(text, None, false) }
    }

    /// `around` is the delimiter of the group that the text fills, and `called` says whether that is called: `(helper)(x)`.
    fn noting(&self, text: TokenStream, around: Option<Delimiter>, called: bool) -> TokenStream {
        let tokens: Vec<TokenTree> = text.into_iter().collect();
        let words: Vec<String> = tokens.iter().map(word).collect();
        let mut noted = TokenStream::new();
        let mut at = 0;
        while at < tokens.len() {
            if let Some(end) = item_end(&tokens, at) {
                // What stands in an item of its own sees no variables.
                noted.extend(tokens[at..end].iter().cloned());
                noted.extend(self.copied(&tokens[at..end]));
                at = end;
                continue;
            }
            let before = at.checked_sub(1).map(|before| &*words[before]);
            // `a::helper` and `a.helper`, but not `S { x: helper(v) }`, `..helper(v)`.
            let twice = at >= 2 && before == Some(&*words[at - 2]);
            let begins = match before {
                Some(":") => !twice,
                Some(".") => twice,
                before => before != Some("fn"),
            };
            let callee = self.paths.iter().find(|(path, handed, _)| {
                let after = tokens.get(at + path.len());
                let alone = around == Some(Delimiter::Parenthesis)
                    && before.is_none_or(|before| before == ",")
                    && after.is_none_or(|after| word(after) == ",");
                let whole = path.len() == tokens.len();
                words[at..].starts_with(path)
                    && (begins && is_group(after, Delimiter::Parenthesis) || alone && (*handed || called && whole))
            });
            if let Some((path, _, name)) = callee {
                let number = self.noted.borrow().len();
                self.noted.borrow_mut().push(name.clone());
                let (callee, path) = (variable(number), &tokens[at..at + path.len()]);
                noted.extend(quote!(__forall::device::noted(&#callee, #(#path)*)));
                at += path.len();
                continue;
            }
            noted.extend([match &tokens[at] {
                TokenTree::Group(group) => {
                    let called = is_group(tokens.get(at + 1), Delimiter::Parenthesis);
                    let inner = self.noting(group.stream(), Some(group.delimiter()), called);
                    let mut inner = Group::new(group.delimiter(), inner);
                    inner.set_span(group.span());
                    TokenTree::Group(inner)
                }
                token => token.clone(),
            }]);
            at += 1;
        }
        noted
    }

    /// Of a function inside of the text that calls what is noted, a copy that never runs and tells the compiler.
    fn copied(&self, item: &[TokenTree]) -> TokenStream {
        let [
            TokenTree::Ident(keyword),
            TokenTree::Ident(_),
            TokenTree::Group(inputs),
            output @ ..,
            TokenTree::Group(body),
        ] = item
        else {
            return TokenStream::new();
        };
        let calls = |text: TokenStream| {
            let words = words_in(text);
            self.paths.iter().any(|(path, ..)| words.windows(path.len()).any(|words| words == path))
        };
        // A closure names no types that are left open, and no lifetimes.
        let plain = |tokens: &TokenTree| !matches!(&*word(tokens), "impl" | "&" | "where");
        let typed = words_in(inputs.stream()).iter().all(|word| word != "impl");
        if keyword != "fn" || !typed || !output.iter().all(plain) || !calls(body.stream()) {
            return TokenStream::new();
        }
        let inputs = unnamed(inputs.stream());
        let body = self.noting(body.stream(), None, false);
        quote!(
            #[allow(warnings, clippy::all, clippy::pedantic)]
            let _ = |#inputs| #(#output)* { #body };
        )
    }

    /// The same for functions that stand before a loop, in the block that has it.
    pub fn copies(&self, block: &syn::Block) -> TokenStream {
        let functions = block.stmts.iter().filter_map(|statement| match statement {
            syn::Stmt::Item(syn::Item::Fn(function)) if function.sig.generics.params.is_empty() => {
                let syn::Signature { ident, inputs, output, .. } = &function.sig;
                let body = &function.block;
                Some(quote!(fn #ident(#inputs) #output #body))
            }
            _ => None,
        });
        functions.map(|function| self.copied(&function.into_iter().collect::<Vec<_>>())).collect()
    }

    /// Declares what the noted text names.
    pub fn declared(&self) -> TokenStream {
        let variables = (0..self.noted.borrow().len()).map(variable);
        quote!(#(let #variables = __forall::device::Callee::new();)*)
    }

    /// For each callee its name, and which function it is.
    pub fn list(&self) -> TokenStream {
        let noted = self.noted.borrow();
        let each = noted.iter().enumerate().map(|(number, name)| {
            let callee = variable(number);
            quote!((#name, #callee.id()))
        });
        quote!(::std::vec![#(#each),*])
    }
}

/// The same types with lifetimes that are left to the compiler.
pub fn unnamed(types: TokenStream) -> TokenStream {
    let (mut left_out, mut is_lifetime) = (TokenStream::new(), false);
    for token in types {
        let named = std::mem::replace(&mut is_lifetime, matches!(&token, TokenTree::Punct(p) if p.as_char() == '\''));
        left_out.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), unnamed(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            TokenTree::Ident(name) if named && name != "static" => TokenTree::Ident(Ident::new("_", name.span())),
            token => token,
        }]);
    }
    left_out
}

/// Where an item ends that begins here and has a body.
fn item_end(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let is_item = match &*word(&tokens[at]) {
        "fn" => matches!(tokens.get(at + 1), Some(TokenTree::Ident(_))),
        "impl" | "trait" | "mod" => at == 0 || !matches!(&*word(&tokens[at - 1]), ":" | ">" | "&"),
        _ => false,
    };
    let end = tokens[at..].iter().position(|token| is_group(Some(token), Delimiter::Brace) || word(token) == ";")?;
    is_item.then_some(at + end + 1)
}

/// All tokens of a text as words, also those in groups.
fn words_in(text: TokenStream) -> Vec<String> {
    let mut all = Vec::new();
    for token in text {
        match &token {
            TokenTree::Group(group) => {
                all.push(String::new());
                all.extend(words_in(group.stream()));
                all.push(String::new());
            }
            token => all.push(word(token)),
        }
    }
    all
}

fn variable(number: usize) -> Ident {
    format_ident!("__callee{number}", span = Span::mixed_site())
}

fn is_group(token: Option<&TokenTree>, delimiter: Delimiter) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
}

/// A token as text; groups are no words.
fn word(token: &TokenTree) -> String {
    match token {
        TokenTree::Group(_) => String::new(),
        token => token.to_string(),
    }
}

fn words(tokens: TokenStream) -> Vec<String> {
    tokens.into_iter().map(|token| word(&token)).collect()
}
