//! A body as tokens: with other tokens for updates, without statements that a form leaves out, and with checks of its values.

use super::counting::Updates;
use super::methods::MethodsOfStd;
use super::obligations::{around, of_bound, unchanged};
use crate::analysis::dependency::Sliced;
use crate::ir::obligation::{InBody, InPlace};
use crate::ir::print::{CheckOfMethod, Checks, Edit, Renamed, statement};
use crate::ir::{Expr, Id, Statement, StatementKind};
use crate::maps::{HashMap, New as _};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::BTreeMap;

/// The edits of a body.
#[derive(Clone)]
pub(super) struct Body<'a> {
    pub renamed: Renamed<'a>,
    pub edits: HashMap<Id, TokenStream>,
    /// The statements that the totals of a level leave out.
    pub dropped: Option<&'a Sliced>,
    /// The updates that are counted.
    pub counted: Option<&'a Updates>,
    /// The functions that a program for devices assumes to be std's.
    pub functions: Option<&'a BTreeMap<Id, Ident>>,
    /// The calls of methods that are assumed to be std's.
    pub methods: Option<&'a MethodsOfStd>,
    /// Whether the statements that totals leave out are checked.
    pub unchanged: bool,
    /// Whether the operands of accumulators are checked.
    pub operands: bool,
    pub in_body: &'a InBody,
}

impl<'a> Body<'a> {
    pub fn of(renamed: Renamed<'a>, in_body: &'a InBody) -> Self {
        let edits = HashMap::new();
        Body {
            renamed,
            edits,
            dropped: None,
            counted: None,
            functions: None,
            methods: None,
            unchanged: false,
            operands: true,
            in_body,
        }
    }

    fn function(&self, e: &Expr) -> Option<&Ident> {
        self.functions?.get(&e.id)
    }
}

impl Edit for Body<'_> {
    fn inner(&self) -> Option<&dyn Edit> {
        Some(&self.renamed)
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let tokens = self.edits.get(&e.id).cloned().or_else(|| self.renamed.expr(e))?;
        match self.methods.and_then(|methods| methods.checks_of_replaced(e, &self.renamed)) {
            Some(checks) => Some(quote_spanned!(e.span=> { #checks #tokens })),
            None => Some(tokens),
        }
    }

    fn edits(&self, e: &Expr) -> bool {
        self.edits.contains_key(&e.id) || self.renamed.edits(e)
    }

    fn edits_statement(&self, s: &Statement) -> bool {
        self.dropped.is_some_and(|sliced| !sliced.keeps(s))
            || self.unchanged && self.in_body.statements.contains_key(&s.id)
    }

    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        if self.dropped.is_some_and(|sliced| !sliced.keeps(s)) {
            return Some(match &s.kind {
                StatementKind::Expr(_, false) => quote!({}),
                _ => TokenStream::new(),
            });
        }
        let checked = self.in_body.statements.get(&s.id).filter(|_| self.unchanged)?;
        let at = s.tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let tokens = statement(s, &Body { unchanged: false, ..self.clone() });
        Some(unchanged(checked, !self.in_body.in_each_instance, &tokens, at))
    }

    fn checks(&self) -> Option<&dyn Checks> {
        Some(self)
    }
}

impl Checks for Body<'_> {
    fn is_checked(&self, e: &Expr) -> bool {
        self.in_body.values.contains_key(&e.id)
            || self.function(e).is_some()
            || self.counted.is_some_and(|counted| counted.contains(e))
    }

    fn checked(&self, e: &Expr, tokens: &TokenStream) -> Option<TokenStream> {
        let mut tokens = tokens.clone();
        let checks = self.in_body.values.get(&e.id).into_iter().flatten();
        for check in checks.filter(|check| self.operands || !matches!(check, InPlace::Operand(_))) {
            tokens = around(check, self.in_body.in_each_instance, &tokens, e.span);
        }
        if let Some(function) = self.function(e) {
            tokens = quote_spanned!(e.span=> #function.of(#tokens));
        }
        Some(match self.counted {
            Some(counted) => counted.noted(e, tokens),
            None => tokens,
        })
    }

    fn check_of_method(&self, call: &Expr, receiver: &TokenStream) -> Option<CheckOfMethod> {
        self.methods?.check(call, receiver)
    }

    fn bound(&self, id: Id, arm: usize) -> Option<TokenStream> {
        Some(of_bound(self.in_body.bound.get(&(id, arm))?, self.in_body.in_each_instance))
    }
}
