//! What the analysis believed of the author's code, written so that rustc refuses what is not so. None of it leaves machine code.

use crate::analysis::aliases::Aliases;
use crate::analysis::collected::Sort;
use crate::analysis::unchanged::Unchanged;
use crate::front::function::Function;
use crate::front::lower::names_in;
use crate::ir::names::{bindings, shadowed};
use crate::ir::print::{Edit, located, path_of, statement};
use crate::ir::{Block, Child, Expr, Kind, Statement, StatementKind};
use crate::language::macros;
use crate::language::methods::{self, Effect, Of};
use crate::plan::{Class, Merge, Operator, Plan, SlotKind, StateMerge, Step};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
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

/// Lends variables for reading while statements run that are believed to leave them as they are, and asks of others whether they
/// are cells.
pub(super) struct Asking<'a> {
    edit: &'a dyn Edit,
    unchanged: Unchanged,
}

impl<'a> Asking<'a> {
    pub(super) fn new(edit: &'a dyn Edit, unchanged: Unchanged) -> Self {
        Asking { edit, unchanged }
    }
}

impl Edit for Asking<'_> {
    fn edits(&self, e: &Expr) -> bool {
        self.edit.edits(e)
    }

    fn edits_statement(&self, s: &Statement) -> bool {
        let Unchanged { lent, made } = &self.unchanged;
        lent.contains_key(&s.id) || made.contains_key(&s.id) || self.edit.edits_statement(s)
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        self.edit.expr(e)
    }

    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        let at = s.tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let name = |name: &String| Ident::new(name, at);
        if let Some(made) = self.unchanged.made.get(&s.id) {
            let (made, statement) = (name(made), statement(s, self.edit));
            return Some(quote_spanned!(at=>
                #statement
                ::forall::__private::beliefs::fa014_a_running_value_needs_no_cell(
                    (&::forall::__private::beliefs::Captured(&#made)).shares()
                );
            ));
        }
        let Some(names) = self.unchanged.lent.get(&s.id) else { return self.edit.statement(s) };
        let (names, statement) = (names.iter().map(name), statement(s, self.edit));
        let lent = Ident::new("__lent", at.resolved_at(Span::mixed_site()));
        Some(quote_spanned!(at=>
            let #lent = (#(&#names,)*);
            #statement;
            ::forall::__private::beliefs::fa014_this_changes_nothing_that_a_running_value_needs(#lent);
        ))
    }

    fn lends(&self, receiver: &Expr, method: &str) -> bool {
        self.edit.lends(receiver, method)
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
    let (macros, collections) = (macros_of_std(found), collections_that_grow(function, found));
    quote!({
        #[allow(unused_imports)]
        use ::forall::__private::beliefs::{self as __beliefs, OfCollections as _, OfOthers as _};
        #nothing_shared
        #(#known)*
        #macros
        #(#collections)*
    })
}

/// The macros that are known by their names are those of std: a name that an import of all of these and something nearer both
/// give is none.
fn macros_of_std(found: &Plan) -> TokenStream {
    let mut called: BTreeMap<String, TokenStream> = BTreeMap::new();
    found.f.body.walk(&mut |e| {
        if let Kind::Macro(name, ..) = &e.kind
            && let Some(handed) = macros::harmless_call(name)
        {
            let path = path_of(e);
            called.entry(path.to_string()).or_insert_with(|| {
                let handed: TokenStream = handed.parse().unwrap_or_default();
                quote_spanned!(e.span=> let _ = #path!(#handed);)
            });
        }
        true
    });
    if called.is_empty() {
        return TokenStream::new();
    }
    let calls = called.into_values().map(|call| quote!(let _ = || { #call };));
    quote!({
        #[allow(unused_imports)]
        use ::std::io::Write as _;
        #[allow(unused_imports)]
        use ::forall::__private::beliefs::fa022_macros_of_std::*;
        #[allow(unreachable_code, clippy::all)]
        { #(#calls)* }
    })
}

/// Collections of std that go by another name get nothing but what adds to them.
fn collections_that_grow(function: &Function, found: &Plan) -> Vec<TokenStream> {
    let mut asked = Vec::new();
    for accumulator in &found.accumulators {
        let merged = matches!(&accumulator.class, Class::State(StateMerge::OfType | StateMerge::Keyed(_)));
        let name = accumulator.text.as_str();
        if !merged || matches!(Sort::of(function, name), Sort::Std(_)) {
            continue;
        }
        let other = shadowed(&found.f.body, name);
        let mut ask = |kinds: &[Of], place: &Expr, at: Span| {
            for of in kinds {
                let wanted = format_ident!("fa014_this_only_adds_to_a_{}", format!("{of:?}").to_lowercase(), span = at);
                let place = &place.tokens;
                asked.push(
                    quote_spanned!(at=> let _ = || __beliefs::#wanted((&__beliefs::Captured(&#place)).collection());),
                );
            }
        };
        const KINDS: [Of; 3] = [Of::Sequence, Of::Map, Of::Set];
        found.f.body.walk(&mut |e| {
            if other.contains(&e.id) {
                return false;
            }
            match &e.kind {
                Kind::Method(receiver, method, ..) if is_part(receiver, name) && !methods::reads(method) => {
                    let adds = |of: Of| methods::adds(of, method) || methods::does(of, method, Effect::Reserves);
                    let others: Vec<Of> = KINDS.into_iter().filter(|of| !adds(*of) && method != "entry").collect();
                    ask(&others, receiver, e.span);
                }
                Kind::Index(base, _) if is_part(base, name) => ask(&KINDS, base, e.span),
                Kind::Ref(true, place) if is_part(place, name) => ask(&KINDS, place, e.span),
                _ => {}
            }
            true
        });
    }
    asked
}

/// Whether an expression is a variable or a part of it that is known by its fields.
fn is_part(e: &Expr, of: &str) -> bool {
    match &e.kind {
        Kind::Name(name) => name == of,
        Kind::Field(inner, _) | Kind::Paren(inner) => is_part(inner, of),
        _ => false,
    }
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
    // Of numbers nothing more is asked.
    let mut looked_into: HashSet<String> = HashSet::new();
    // Constants and statics have no declaration here.
    let mut inside: HashSet<String> = found.f.pattern.names.iter().map(|b| b.name.clone()).collect();
    bindings(&found.f.body, &mut |pattern| inside.extend(pattern.names.iter().map(|b| b.name.clone())));
    inside.extend(items_in(&found.f.body));
    found.f.body.walk(&mut |e| {
        let used: Vec<&Expr> = match &e.kind {
            Kind::Method(receiver, _, args, _) => std::iter::once(&**receiver).chain(args).collect(),
            Kind::Call(_, args) => args.iter().collect(),
            Kind::Ref(_, place) | Kind::Index(place, _) | Kind::Field(place, _) | Kind::Unary('*', place) => {
                vec![place]
            }
            _ => Vec::new(),
        };
        for used in used {
            looked_into.extend(used.root().map(str::to_owned));
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
    let known = has_known_types(function);
    let values = values.into_iter().map(|(text, span)| {
        let name = Ident::new(&text, span);
        let inside = (known && looked_into.contains(&text)).then(|| {
            let value =
                if is_lent(function, &text) { quote_spanned!(span=> *#name) } else { quote_spanned!(span=> #name) };
            quote_spanned!(span=> let _ = || {
                let __nothing = __beliefs::fa017_nothing_in_it_is_shared(&#value, &const { __beliefs::nothing() });
                __beliefs::is_there(__nothing);
            };)
        });
        quote_spanned!(span=>
            __beliefs::fa017_iterations_share_nothing((&__beliefs::Captured(&#name)).shares());
            #inside
        )
    });
    quote!(#(#values)*)
}

/// Whether the types of a function's values are known where it is compiled, whoever calls it.
fn has_known_types(function: &Function) -> bool {
    let signature = &function.original.sig;
    let any = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(input) => matches!(&*input.ty, syn::Type::ImplTrait(_)),
        syn::FnArg::Receiver(_) => true,
    };
    !function.method && signature.generics.type_params().next().is_none() && !signature.inputs.iter().any(any)
}

/// Whether a variable is a parameter that refers to one value: `&T`.
fn is_lent(function: &Function, name: &str) -> bool {
    let refers = |ty: &syn::Type| match ty {
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Path(path) => !path.path.is_ident("str") && reference.mutability.is_none(),
            _ => false,
        },
        _ => false,
    };
    function.declared.get(name).is_some_and(|declared| declared.parameter && !declared.again)
        && function.original.sig.inputs.iter().any(|input| match input {
            syn::FnArg::Typed(input) => {
                matches!(&*input.pat, syn::Pat::Ident(pattern) if pattern.ident == name) && refers(&input.ty)
            }
            syn::FnArg::Receiver(_) => false,
        })
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
