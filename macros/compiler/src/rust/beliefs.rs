//! What the analysis believed of the author's code, written so that rustc refuses what is not so. None of it leaves machine code.

use crate::analysis::aliases::Aliases;
use crate::front::function::Function;
use crate::front::lower::names_in;
use crate::ir::names::bindings;
use crate::ir::print::{Edit, located};
use crate::ir::{Block, Child, Expr, Kind, Statement, StatementKind};
use crate::language::methods;
use crate::plan::{Class, Merge, Operator, Plan, SlotKind, Step};
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
        // Of an element, `rotate_left` counts as the number's.
        let element = matches!(&receiver.bare().kind, Kind::Index(_, index) if !matches!(index.bare().kind, Kind::Range(..)))
            && methods::reads(method);
        (element || methods::only_reads(method))
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

/// Asks all that is believed of a loop's values, in code that does nothing.
pub(super) fn beliefs(function: &Function, found: &Plan) -> TokenStream {
    let (nothing_shared, known) = (nothing_shared(function, found), known_operators(function, found));
    quote!({
        #[allow(unused_imports)]
        use ::forall::__private::beliefs::{self as __beliefs, SharesNothing as _, SharesState as _};
        #nothing_shared
        #(#known)*
    })
}

/// Operators are those of std's types: nothing is known of `max`, `<` or `|` of other types.
fn known_operators(function: &Function, found: &Plan) -> Vec<TokenStream> {
    let mut known = Vec::new();
    for accumulator in &found.accumulators {
        let (at, place) = (accumulator.at, located(accumulator.place.clone(), accumulator.at));
        let value = |value: TokenStream| quote_spanned!(at=> let _ = || __beliefs::fa032_operators_are_known(&#value););
        match &accumulator.class {
            Class::Parity
            | Class::Idempotent { merge: Merge::By(_) }
            | Class::Segmented { merge: Merge::By(_), .. } => {
                known.push(value(place));
            }
            Class::Combine { merge: Merge::By(_) } => known.push(value(place)),
            Class::Idempotent { merge: Merge::Written(operator, called) }
            | Class::Combine { merge: Merge::Written(operator, called) }
            | Class::Segmented { merge: Merge::Written(operator, called), .. } => {
                known.push(value(place.clone()));
                known.push(function_of_std(operator, called, &place));
            }
            Class::Best { variables, fields, .. } => {
                let best = variables.first().and_then(|best| best.parse::<TokenStream>().ok()).unwrap_or_default();
                let fields = fields.iter().map(|field| field.parse::<TokenStream>().unwrap_or_default());
                known.push(value(quote!(#best #(.#fields)*)));
            }
            Class::Bins { leaves, share: true, .. } => {
                let share = function.shares.iter().find(|share| share.name == accumulator.text);
                let plain = leaves.iter().filter(|leaf| leaf.path.iter().all(|step| *step == Step::Element));
                for (share, _) in share.into_iter().zip(plain) {
                    let element = &share.element;
                    known.push(quote_spanned!(at=> __beliefs::fa032_operators_of_elements_are_known::<#element>();));
                }
            }
            Class::Bins { leaves, .. } => {
                for leaf in leaves {
                    let steps = leaf.path.iter().map(|step| match step {
                        Step::Element => quote!([0]),
                        Step::Field(name) => {
                            let name: TokenStream = name.parse().unwrap_or_default();
                            quote!(.#name)
                        }
                    });
                    known.push(value(quote!(#place[0] #(#steps)*)));
                }
            }
            _ => {}
        }
    }
    known
}

/// The function that the author calls for an operator is std's: two functions have one type only if they are the same.
fn function_of_std(operator: &Operator, called: &Expr, place: &TokenStream) -> TokenStream {
    let (at, text, path) = (called.span, called.text(), &called.tokens);
    let name = Ident::new(operator.text(), at);
    let segments: Vec<&str> = text.split("::").map(str::trim).collect();
    let same = |function: TokenStream| quote_spanned!(at=> let _ = || __beliefs::fa032_this_is_the_function_of_std(&#place, #path, #function););
    match segments.as_slice() {
        [_] | [.., "cmp", _] => same(quote!(::core::cmp::#name)),
        [.., "Ord", _] => same(quote!(::core::cmp::Ord::#name)),
        [of @ .., _] => {
            // Of the type itself: `f64::max`.
            let ty: TokenStream = of.join("::").parse().unwrap_or_default();
            quote_spanned!(at=> let _ = || { let _: &#ty = &#place; };)
        }
        [] => TokenStream::new(),
    }
}

/// Values that all iterations read hold nothing that they could change all the same: no lock, no atomic, no channel.
fn nothing_shared(function: &Function, found: &Plan) -> TokenStream {
    let captured = found.captures.iter().map(|(name, span)| (name.clone(), *span));
    let mut values: BTreeMap<String, _> = captured.collect();
    // Constants and statics have no declaration here.
    let mut inside: HashSet<String> = found.f.pattern.names.iter().map(|b| b.name.clone()).collect();
    bindings(&found.f.body, &mut |pattern| inside.extend(pattern.names.iter().map(|b| b.name.clone())));
    inside.extend(items_in(&found.f.body));
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
            __beliefs::fa017_iterations_share_nothing((&__beliefs::Held(&#name)).shares());
        )
    });
    quote!(#(#values)*)
}

/// The names that items of a body mention, at any depth: what they declare is not seen outside of it.
fn items_in(body: &Block) -> HashSet<String> {
    let mut names = Vec::new();
    let mut of_block = |block: &Block| {
        for statement in &block.statements {
            if matches!(statement.kind, StatementKind::Item(_)) {
                names_in(statement.tokens.clone(), &mut names);
            }
        }
    };
    of_block(body);
    body.walk(&mut |e| {
        for child in e.children() {
            if let Child::Block(block) = child {
                of_block(block);
            }
        }
        true
    });
    names.into_iter().map(|(name, _)| name).collect()
}
