//! What the analysis believed of the author's code, written so that rustc refuses what is not so. None of it leaves machine code.

use crate::analysis::aliases::Aliases;
use crate::front::function::Function;
use crate::ir::names::bindings;
use crate::ir::print::Edit;
use crate::ir::{Expr, Kind, Statement};
use crate::language::methods;
use crate::plan::{Plan, SlotKind};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::{BTreeMap, HashSet};

/// Lends what may be changed for reading alone to methods that are believed to read.
pub(super) struct Lending<'a> {
    edit: &'a dyn Edit,
    /// The variables of the body that may be changed.
    changeable: &'a HashSet<String>,
}

impl<'a> Lending<'a> {
    pub(super) fn new(edit: &'a dyn Edit, changeable: &'a HashSet<String>) -> Self {
        Lending { edit, changeable }
    }
}

impl Edit for Lending<'_> {
    fn edits(&self, e: &Expr) -> bool {
        self.edit.edits(e)
    }

    fn edits_statement(&self, s: &Statement) -> bool {
        self.edit.edits_statement(s)
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        self.edit.expr(e)
    }

    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        self.edit.statement(s)
    }

    fn lends(&self, receiver: &Expr, method: &str) -> bool {
        methods::only_reads(method)
            // An iterator that is used up cannot be lent.
            && !methods::may_adapt(method)
            && receiver.root().is_some_and(|root| self.changeable.contains(root))
    }
}

/// The variables that a body may change: those that it binds as `mut` or to what borrows, and from outside of it those that the
/// loop writes.
pub(super) fn changeable(found: &Plan) -> HashSet<String> {
    let mut names = Aliases::of(&found.f).into_borrows();
    let mut own = |pattern: &crate::ir::Pattern| {
        names.extend(pattern.names.iter().filter(|binding| binding.mutable).map(|binding| binding.name.clone()));
    };
    own(&found.f.pattern);
    bindings(&found.f.body, &mut own);
    let written = found.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere));
    names.extend(written.map(|slot| slot.name.clone()));
    names.extend(found.accumulators.iter().flat_map(|accumulator| accumulator.variables().iter().cloned()));
    names.extend(found.privates.iter().cloned());
    names
}

/// Values that all iterations read hold nothing that they could change all the same: no lock, no atomic, no channel.
pub(super) fn nothing_shared(function: &Function, found: &Plan) -> TokenStream {
    let captured = found.captures.iter().map(|(name, span)| (name.clone(), *span));
    let mut values: BTreeMap<String, _> = captured.collect();
    // Constants and statics have no declaration here.
    let mut inside: HashSet<String> = found.f.pattern.names.iter().map(|b| b.name.clone()).collect();
    bindings(&found.f.body, &mut |pattern| inside.extend(pattern.names.iter().map(|b| b.name.clone())));
    found.f.body.walk(&mut |e| {
        let used: Vec<&Expr> = match &e.kind {
            Kind::Method(receiver, _, args, _) => std::iter::once(&**receiver).chain(args).collect(),
            Kind::Call(_, args) => args.iter().collect(),
            Kind::Ref(_, place) => vec![place],
            _ => Vec::new(),
        };
        for used in used {
            if let Some(name) = used.root()
                && name.starts_with(char::is_uppercase)
                && name != "None"
                && !inside.contains(name)
                && !function.declared.contains_key(name)
            {
                values.insert(name.to_owned(), used.span);
            }
        }
        true
    });
    let values = values.into_iter().map(|(name, span)| {
        let name = Ident::new(&name, span);
        quote_spanned!(span=>
            ::forall::__private::beliefs::fa017_iterations_share_nothing((&::forall::__private::beliefs::Held(&#name)).shares());
        )
    });
    quote!(#(#values)*)
}
