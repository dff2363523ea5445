//! What the analysis believed of the author's code, written so that rustc refuses what is not so. None of it leaves machine code.

use super::methods::MethodsOfStd;
use super::obligations::printed;
use super::shared::{has_known_types, nothing_shared};
use crate::analysis::aliases::Aliases;
use crate::analysis::collected::{Sort, calls, given};
use crate::analysis::inside;
use crate::analysis::obligations::arrays;
use crate::analysis::reached::Reached;
use crate::analysis::unchanged::Unchanged;
use crate::front::function::Function;
use crate::front::tokens::names_in;
use crate::ir::names::{bindings, each_let, unraw};
use crate::ir::obligation::{self, Obligation, Reason};
use crate::ir::place::Place;
use crate::ir::print::{CheckOfMethod, Checks, Edit, located, statement};
use crate::ir::{Expr, Id, Kind, Local, Pattern, Statement};
use crate::language::methods::{self, Effect, Of};
use crate::language::types;
use crate::plan::{
    Accumulator, Better, Class, ComparedBy, Merge, Missing, Operator, Plan, SlotKind, StateMerge, Step, Written,
    path_below,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is believed of the expressions of a body.
pub(super) struct Believed {
    /// The variables that it may change: methods that are believed to read are lent these for reading alone.
    changeable: HashSet<Local>,
    /// Those of them that are iterators wherever they are bound.
    iterators: HashSet<Local>,
    /// What comes to accumulators by operators that are believed to be std's, each with what its accumulator is called.
    operands: HashMap<Id, Ident>,
    /// In a scan: what is believed to lend nothing.
    copies: HashSet<Id>,
    /// What is believed to be no output.
    given: HashSet<Id>,
    /// The functions that a program for devices takes for std's.
    functions: HashMap<Id, Ident>,
    /// The calls of methods that are assumed to be std's.
    methods: MethodsOfStd,
}

impl Believed {
    pub(super) fn of(function: &Function, found: &Plan, of_std: &[OfStd<'_>], translated: bool) -> Self {
        let functions = of_std.iter().map(|of| (of.called.id, of.ident.clone())).collect();
        let copies = if found.running { Aliases::of(&found.f).copies(&found.f) } else { HashSet::new() };
        let changed = found.accumulators.iter().flat_map(|accumulator| accumulator.variables());
        let given = given(&found.f.body, &changed.map(|place| place.root).collect());
        Believed {
            changeable: changeable(found),
            iterators: iterators(found),
            operands: operands(found),
            copies,
            given,
            functions,
            methods: MethodsOfStd::of(function, found, translated),
        }
    }
}

/// Writes a body so that what is believed of its expressions is checked.
pub(super) struct Lending<'a> {
    edit: &'a dyn Edit,
    believed: &'a Believed,
}

impl<'a> Lending<'a> {
    pub(super) fn new(edit: &'a dyn Edit, believed: &'a Believed) -> Self {
        Lending { edit, believed }
    }
}

impl Edit for Lending<'_> {
    fn inner(&self) -> Option<&dyn Edit> {
        Some(self.edit)
    }

    fn expr(&self, e: &Expr) -> Option<TokenStream> {
        let tokens = self.edit.expr(e)?;
        match self.believed.methods.checks_of_replaced(e, self.edit) {
            Some(checks) => Some(quote_spanned!(e.span=> { #checks #tokens })),
            None => Some(tokens),
        }
    }

    fn checks(&self) -> Option<&dyn Checks> {
        Some(self)
    }
}

impl Checks for Lending<'_> {
    fn lends(&self, receiver: &Expr, method: &str) -> bool {
        // Of an element, `rotate_left` counts as the number's.
        let element = matches!(&receiver.bare().kind, Kind::Index(_, index) if !matches!(index.bare().kind, Kind::Range(..)))
            && methods::reads(method);
        (element || methods::only_reads(method))
            // An iterator that is used up cannot be lent.
            && !methods::may_adapt(method)
            && receiver.root().is_some_and(|root| {
                let used_up = methods::uses_up(method) && self.believed.iterators.contains(&root);
                self.believed.changeable.contains(&root) && !used_up
            })
    }

    fn check_of_method(&self, call: &Expr, receiver: &TokenStream) -> Option<CheckOfMethod> {
        self.believed.methods.check(call, receiver)
    }

    fn believed(&self, e: &Expr) -> Option<TokenStream> {
        if let Some(accumulator) = self.believed.operands.get(&e.id) {
            return Some(operand_of(accumulator, e.span));
        }
        if let Some(function) = self.believed.functions.get(&e.id) {
            return Some(quote_spanned!(e.span=> #function.of));
        }
        if self.believed.copies.contains(&e.id) {
            return Some(quote_spanned!(e.span=> ::forall::__private::obligations::fa014_this_is_a_copy));
        }
        let no_output = quote_spanned!(e.span=> ::forall::__private::obligations::fa014_this_is_no_output);
        self.believed.given.contains(&e.id).then_some(no_output)
    }
}

/// Lends variables for reading while statements run that are believed to leave them as they are, and asks of others whether they
/// are cells.
pub(super) struct Asking<'a> {
    edit: &'a dyn Edit,
    unchanged: Unchanged,
    /// Whether types are known where the function is compiled: then they are asked what is inside of them.
    types_are_known: bool,
}

impl<'a> Asking<'a> {
    pub(super) fn new(edit: &'a dyn Edit, unchanged: Unchanged, function: &Function) -> Self {
        Asking { edit, unchanged, types_are_known: has_known_types(function) }
    }
}

impl Edit for Asking<'_> {
    fn inner(&self) -> Option<&dyn Edit> {
        Some(self.edit)
    }

    fn edits_statement(&self, s: &Statement) -> bool {
        let Unchanged { lent, looked_into } = &self.unchanged;
        lent.contains_key(&s.id) || looked_into.contains_key(&s.id) || self.edit.edits_statement(s)
    }

    fn statement(&self, s: &Statement) -> Option<TokenStream> {
        let Unchanged { lent, looked_into } = &self.unchanged;
        if !lent.contains_key(&s.id) && !looked_into.contains_key(&s.id) {
            return self.edit.statement(s);
        }
        let at = s.tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let names = |of: &HashMap<Id, BTreeSet<Local>>| {
            let names = of.get(&s.id).into_iter().flatten();
            names.map(|name| Ident::new(name, at)).collect::<Vec<_>>()
        };
        let (lent, looked_into, statement) = (names(lent), names(looked_into), statement(s, self.edit));
        let deep = self.types_are_known.then(|| {
            quote_spanned!(at=> #(::forall::__private::obligations::fa014_a_scan_state_depends_on_no_cell(
                (&::forall::__private::obligations::Captured(&#looked_into)).changes()
            );)*)
        });
        let held = Ident::new("__lent", at.resolved_at(Span::mixed_site()));
        Some(quote_spanned!(at=>
            #(::forall::__private::obligations::fa014_a_scan_state_depends_on_no_cell(
                (&::forall::__private::obligations::Captured(&#looked_into)).shares()
            );)*
            #deep
            let #held = (#(&#lent,)*);
            #statement;
            ::forall::__private::obligations::fa014_this_changes_no_input_of_a_scan_state(#held);
        ))
    }
}

/// The variables that a body may change: those that it binds as `mut` or to what borrows, and from outside of it those that the
/// loop writes.
fn changeable(found: &Plan) -> HashSet<Local> {
    let mut names = Aliases::of(&found.f).into_borrows();
    let mut own = |pattern: &Pattern| {
        names.extend(pattern.names.iter().filter(|binding| binding.mutable).map(|binding| binding.name));
    };
    own(&found.f.pattern);
    bindings(&found.f.body, &mut own);
    // The variable that a `while` counts with is declared as `mut`.
    let mut counters = Vec::new();
    found.f.body.walk(&mut |e| {
        if let Kind::For(f) = &e.kind
            && f.counts_by_while
        {
            counters.extend(f.pattern.names.iter().map(|binding| binding.name));
        }
        true
    });
    names.extend(counters);
    let written = found.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere));
    names.extend(written.map(|slot| slot.name));
    names.extend(
        found.accumulators.iter().flat_map(|accumulator| accumulator.variables().iter().map(|place| place.root)),
    );
    names.extend(found.privates.iter().cloned());
    names
}

/// The variables of a body that are bound once, to what gives items.
fn iterators(found: &Plan) -> HashSet<Local> {
    let (mut iterators, mut bound) = (HashSet::new(), HashMap::<Local, usize>::new());
    bindings(&found.f.body, &mut |pattern| {
        pattern.names.iter().for_each(|binding| *bound.entry(binding.name).or_default() += 1);
    });
    each_let(&found.f.body, &mut |pattern, value| {
        if let (Some(binding), Kind::Method(_, method, ..)) = (pattern.single(), &value.bare().kind)
            && methods::gives_iterator(method)
            && bound.get(&binding.name) == Some(&1)
        {
            iterators.insert(binding.name);
        }
    });
    iterators
}

/// What comes to accumulators by an operator of the language: the operator is std's only if both of its sides are of types of std.
fn operands(found: &Plan) -> HashMap<Id, Ident> {
    let mut all = HashMap::new();
    for accumulator in &found.accumulators {
        let keyed = matches!(accumulator.class, Class::State(StateMerge::Keyed(_)));
        let mut operands = HashSet::new();
        found.f.body.walk(&mut |e| {
            let Kind::Assign(place, op, value) = &e.kind else { return true };
            let entry = keyed && place.root().is_none() && place.mentions(accumulator.place.root);
            match op {
                _ if !entry && !accumulator.nodes.contains(&e.id) => {}
                Some(_) => _ = operands.insert(value.id),
                None => operands_beside(place, value, &mut operands),
            }
            true
        });
        all.extend(operands.into_iter().map(|id| (id, accumulator.ident.clone())));
    }
    all
}

/// What takes the operands of an accumulator: a variable beside the loop, which knows the accumulator's type.
pub(super) fn operand_of(accumulator: &Ident, at: Span) -> TokenStream {
    let operands = taker_of_operands(accumulator, at);
    quote_spanned!(at=> #operands.fa032_operand_is_known)
}

fn taker_of_operands(accumulator: &Ident, at: Span) -> Ident {
    let name = accumulator.to_string();
    format_ident!("__operands_of_{}", unraw(&name), span = at.resolved_at(Span::mixed_site()))
}

/// These variables.
pub(super) fn takers_of_operands(function: &Function, found: &Plan) -> Vec<TokenStream> {
    let asked: HashSet<Ident> = operands(found).into_values().collect();
    let asked = found.accumulators.iter().filter(|accumulator| asked.contains(&accumulator.ident));
    let takers = asked.map(|accumulator| {
        let operands = taker_of_operands(&accumulator.ident, Span::mixed_site());
        let place = &accumulator.tokens;
        let kind = match &accumulator.class {
            Class::Bins { leaves, share: true, .. } if leaves.iter().any(|leaf| leaf.path.is_empty()) => {
                let share = function.shares.iter().find(|share| accumulator.place == share.name);
                let element = share.map(|share| &share.element);
                quote!(::forall::__private::obligations::Operands::<#element>::new())
            }
            class if class.is_reduction() && !matches!(class, Class::Bins { .. }) => {
                quote!(::forall::__private::obligations::Operands::of(&#place))
            }
            // Of no type that is known here: then each operand is of one.
            _ => quote!(::forall::__private::obligations::Operands::<()>::new()),
        };
        quote!(
            #[allow(unused_variables)]
            let #operands = (&#kind).of_known();
        )
    });
    takers.collect()
}

/// The parts of `acc + a - b`, `e.max(acc)` that are not the accumulator.
fn operands_beside(place: &Expr, e: &Expr, to: &mut HashSet<Id>) {
    let mut mentions = false;
    e.walk(&mut |e| {
        mentions |= e.is_written_as(place);
        !mentions
    });
    match &e.bare().kind {
        _ if !mentions => _ = to.insert(e.id),
        Kind::Binary(_, one, two) => [one, two].into_iter().for_each(|e| operands_beside(place, e, to)),
        // Arguments have the type that the receiver's method asks for.
        Kind::Method(receiver, ..) => operands_beside(place, receiver, to),
        _ => {}
    }
}

/// Asks all that is believed of a loop's values, in code that does nothing.
pub(super) fn beliefs(function: &Function, found: &Plan, reached: &Reached<'_>) -> TokenStream {
    let inside = inside::declared(&found.f);
    let nothing_shared = nothing_shared(function, &found.captures, &found.f.body, &inside, reached);
    let known = known_operators(function, found);
    let (obligations, collections) = (printed(found.obligations.iter()), collections_that_grow(function, found));
    let (lent, slices) = (places_only_lent(function, found), arrays_as_slices(found));
    quote!({
        #[allow(unused_imports)]
        use ::forall::__private::obligations::{self as __obligations, HoldsOthers as _, IsItself as _, OfCollections as _, OfOthers as _};
        #nothing_shared
        #(#known)*
        #obligations
        #(#collections)*
        #(#lent)*
        #(#slices)*
    })
}

/// The places that are updated are lent by nothing of the author's: a `DerefMut` of theirs would run with each update.
fn places_only_lent(function: &Function, found: &Plan) -> Vec<TokenStream> {
    fn ways(place: &syn::Expr, to: &mut Vec<TokenStream>) {
        let base = match place {
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => expr,
            syn::Expr::Field(syn::ExprField { base, .. }) => base,
            syn::Expr::Index(syn::ExprIndex { expr, .. }) => expr,
            syn::Expr::Paren(syn::ExprParen { expr, .. }) => return ways(expr, to),
            _ => return,
        };
        to.push(base.to_token_stream());
        ways(base, to);
    }
    let mut asked = Vec::new();
    for accumulator in &found.accumulators {
        let updated = match &accumulator.class {
            class if !class.is_reduction() => continue,
            Class::Best { variables, better, .. } => {
                let best = variables.first().map(Place::tokens).unwrap_or_default();
                let fields = match better {
                    Better::Than { fields, .. } => fields.as_slice(),
                    Better::ThanSome { .. } | Better::First(_) => &[],
                };
                let fields = fields.iter().map(|field| field.parse::<TokenStream>().unwrap_or_default());
                vec![quote!(#best #(.#fields)*)]
            }
            Class::Bins { leaves, .. } => {
                leaves.iter().map(|leaf| changed_by(function, accumulator, &leaf.path)).collect()
            }
            _ => vec![changed_by(function, accumulator, &[])],
        };
        let at = accumulator.at;
        for place in updated {
            let mut on_the_way = Vec::new();
            if let Ok(place) = syn::parse2::<syn::Expr>(place) {
                ways(&place, &mut on_the_way);
            }
            asked.extend(on_the_way.into_iter().map(|place| {
                quote_spanned!(at=> let _ = || __obligations::fa014_deref_mut_has_no_side_effect((&__obligations::Captured(&#place)).dereferences());)
            }));
        }
    }
    asked
}

/// The arrays of the header, and those that are written, have the elements, the length and the iterators of a slice. Parameters that
/// are slices become handles, which are known.
fn arrays_as_slices(found: &Plan) -> Vec<TokenStream> {
    let arrays: BTreeSet<Local> = arrays(found).into_iter().collect();
    let at = found.f.source.span;
    let asked = arrays.iter().map(|name| {
        // The name is the author's; the mistake is shown at the header.
        let array = format_ident!("{name}");
        quote_spanned!(at=> let _ = || { let __lent = &#array; __obligations::fa022_elements_are_those_of_a_slice(__lent) };)
    });
    asked.collect()
}

/// Collections of std that go by another name get nothing but what adds to them, and what is cleared is one of std.
fn collections_that_grow(function: &Function, found: &Plan) -> Vec<TokenStream> {
    let mut asked = Vec::new();
    for accumulator in &found.accumulators {
        let merged = matches!(&accumulator.class, Class::State(StateMerge::OfType | StateMerge::Keyed(_)));
        let name = accumulator.place.root;
        if let (Class::Scratch, of) = (&accumulator.class, &accumulator.tokens) {
            let cleared = calls(&found.f.body, name, |method| method == "clear");
            let set = calls(&found.f.body, name, methods::sets);
            asked.extend(
                cleared.map(|at| quote_spanned!(at=> let _ = || __obligations::fa018_clear_leaves_nothing(&#of);)),
            );
            asked
                .extend(set.map(|at| quote_spanned!(at=> let _ = || __obligations::fa018_all_elements_are_set(&#of);)));
        }
        if !merged || matches!(Sort::of(function, name), Sort::Std(_)) {
            continue;
        }
        let mut ask = |kinds: &[Of], place: &Expr, at: Span| {
            for of in kinds {
                let wanted = format_ident!("fa014_this_only_adds_to_a_{}", format!("{of:?}").to_lowercase(), span = at);
                let place = &place.tokens;
                asked.push(
                    quote_spanned!(at=> let _ = || __obligations::#wanted((&__obligations::Captured(&#place)).collection());),
                );
            }
        };
        const KINDS: [Of; 3] = [Of::Sequence, Of::Map, Of::Set];
        found.f.body.walk(&mut |e| {
            match &e.kind {
                Kind::Method(receiver, method, ..) if is_part(receiver, &name) && !receiver.is_left_by(method) => {
                    let adds = |of: Of| methods::adds(of, method) || methods::does(of, method, Effect::Reserves);
                    let others: Vec<Of> = KINDS.into_iter().filter(|of| !adds(*of) && method != "entry").collect();
                    ask(&others, receiver, e.span);
                }
                Kind::Index(base, _) if is_part(base, &name) => ask(&KINDS, base, e.span),
                Kind::Ref(true, place) if is_part(place, &name) => ask(&KINDS, place, e.span),
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
    let (mut known, mut known_to_saturate) = (functions_of_std(function, found), Vec::new());
    for accumulator in &found.accumulators {
        let at = accumulator.at;
        let mut ask = |value: TokenStream| {
            known.push(quote_spanned!(at=> let _ = || __obligations::fa032_operators_are_known(&#value);));
        };
        let by = |merge: &Merge| match merge {
            Merge::By(operator) | Merge::Written(operator, _) => operator.saturates(),
            Merge::Combine(_) | Merge::Last => false,
        };
        let saturates = match &accumulator.class {
            Class::Combine { merge } | Class::Segmented { merge, .. } if by(merge) => Some(&[][..]),
            Class::Bins { leaves, .. } => {
                leaves.iter().find(|leaf| leaf.operator.saturates()).map(|leaf| leaf.path.as_slice())
            }
            _ => None,
        };
        known_to_saturate.extend(saturates.map(|path| {
            let place = changed_by(function, accumulator, path);
            quote_spanned!(at=> let _ = || __obligations::fa015_it_saturates_at_one_end(&#place);)
        }));
        match &accumulator.class {
            Class::Parity
            | Class::Idempotent { merge: Merge::By(_) | Merge::Written(..) }
            | Class::Combine { merge: Merge::By(_) | Merge::Written(..) }
            | Class::Segmented { merge: Merge::By(_) | Merge::Written(..), .. }
            | Class::Frame { merge: Merge::By(_) | Merge::Written(..), .. } => {
                ask(changed_by(function, accumulator, &[]));
            }
            Class::Scatter { written: Written::Merge(_), path, .. } => ask(changed_by(function, accumulator, path)),
            Class::Best { variables, better, .. } => {
                let best = variables.first().map(Place::tokens).unwrap_or_default();
                match better {
                    Better::Than { fields, by, .. } => {
                        let fields = fields.iter().map(|field| field.parse::<TokenStream>().unwrap_or_default());
                        let compared = quote!(#best #(.#fields)*);
                        ask(compared.clone());
                        known.extend(by.iter().map(|by| compares_as_std(by, &compared, at)));
                    }
                    Better::ThanSome { fields, shape, total, .. } => {
                        let held = quote!(::core::option::Option::unwrap(::core::option::Option::as_ref(&#best)));
                        // Where `None` says nothing of its type, rustc knows the fields from here on.
                        let shape: TokenStream = shape.parse().unwrap_or_default();
                        let fields: Vec<TokenStream> =
                            fields.iter().map(|field| field.parse().unwrap_or_default()).collect();
                        known.push(quote_spanned!(at=>
                            let _ = || { let #shape = #held; };
                            let _ = || __obligations::fa032_operators_are_known(&(*#held) #(.#fields)*);
                        ));
                        if *total {
                            known.push(quote_spanned!(at=>
                                let _ = || __obligations::fa032_all_values_compare(&(*#held) #(.#fields)*);
                            ));
                        }
                    }
                    Better::First(Missing::None) => {
                        known.push(quote_spanned!(at=> let _ = || __obligations::fa032_this_is_an_option(&#best);));
                    }
                    Better::First(Missing::False) => {
                        known.push(quote_spanned!(at=> let _ = || { let _: &bool = &#best; };));
                    }
                }
            }
            Class::Bins { leaves, .. } => {
                leaves.iter().for_each(|leaf| ask(changed_by(function, accumulator, &leaf.path)));
            }
            _ => {}
        }
    }
    known.append(&mut known_to_saturate);
    known
}

/// A method that compares is std's: none that takes its receiver by value comes before it, and its result is compared with what that
/// name is taken for. What is compared has the type of what is kept, since it becomes that.
fn compares_as_std(by: &ComparedBy, compared: &TokenStream, at: Span) -> TokenStream {
    let method = Ident::new(&by.method, at);
    let ordering = by.ordering.as_ref().map(|written| {
        let name = if written.ends_with("Less") { quote!(Less) } else { quote!(Greater) };
        let written = located(written.parse().unwrap_or_default(), at);
        quote_spanned!(at=> const {
            __obligations::fa032_this_is_an_ordering_of_std(#written);
            ::core::assert!(
                ::core::matches!(::core::cmp::Ordering::#name, #written),
                "FA032: this is not what the standard library calls so"
            )
        };)
    });
    quote_spanned!(at=>
        let _ = || {
            use __obligations::Fa032MethodsOfStd as _;
            __obligations::fa032_this_method_is_of_std(__obligations::like(&#compared).#method(&#compared));
        };
        #ordering
    )
}

/// What the updates of an accumulator change, in code that never runs: the variable, or the part of an element to which a path
/// leads.
fn changed_by(function: &Function, accumulator: &Accumulator, path: &[Step]) -> TokenStream {
    let place = located(accumulator.tokens.clone(), accumulator.at);
    let at = accumulator.at;
    let steps = path.iter().map(|step| match step {
        Step::Element => quote_spanned!(at=> [0]),
        Step::Field(name) => {
            let name = located(name.parse().unwrap_or_default(), at);
            quote_spanned!(at=> .#name)
        }
    });
    let share = || function.shares.iter().find(|share| accumulator.place == share.name);
    match (&accumulator.class, share()) {
        (Class::Bins { share: true, .. } | Class::Scatter { .. }, Some(share)) => {
            let element = &share.element;
            quote_spanned!(at=> __obligations::any::<#element>() #(#steps)*)
        }
        (Class::Bins { .. } | Class::Frame { .. }, _) => quote_spanned!(at=> #place[0] #(#steps)*),
        _ => place,
    }
}

/// The functions that the author calls for operators are std's, in all updates.
fn functions_of_std(function: &Function, found: &Plan) -> Vec<TokenStream> {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().trim().to_owned();
    let combine = function.args.combine.as_ref().map(|path| last(&path.to_string()));
    let mut known = Vec::new();
    for accumulator in &found.accumulators {
        found.f.body.walk(&mut |e| {
            if (accumulator.nodes.contains(&e.id) || accumulator.rewrites.contains_key(&e.id))
                && let Kind::Assign(target, None, value) = &e.kind
                && let Kind::Call(called, arguments) = &value.bare().kind
                && arguments.iter().any(|argument| argument.is_written_as(target))
                && let name = last(&called.text())
                && combine.as_ref() != Some(&name)
                && let Some(operator) = Operator::named(&name)
            {
                let path = path_below(target, accumulator.place.root).unwrap_or_default();
                known.push(function_of_std(&operator, called, &changed_by(function, accumulator, &path)));
            }
            true
        });
    }
    known
}

/// A call that a program for devices takes for one of std's.
pub(super) struct OfStd<'e> {
    called: &'e Expr,
    /// What knows the function beside the loop.
    pub ident: Ident,
    /// Where std has it.
    pub path: &'static str,
}

impl OfStd<'_> {
    /// As its author wrote it.
    pub fn shown(&self) -> String {
        self.called.shown()
    }
}

/// The functions that a program for devices takes for std's by their names. Those that update accumulators are asked about in any case.
pub(super) fn functions_on_devices<'p>(function: &Function, found: &'p Plan) -> Vec<OfStd<'p>> {
    let inside = inside::declared(&found.f);
    let mut all = Vec::new();
    let mut updates = HashSet::new();
    found.f.body.walk(&mut |e| {
        if let Kind::Assign(place, _, value) = &e.kind
            && let Kind::Call(called, arguments) = &value.bare().kind
            && arguments.iter().any(|argument| argument.is_written_as(place))
        {
            updates.insert(called.id);
        }
        let Kind::Call(called, _) = &e.kind else { return true };
        let text: String = called.text().split_whitespace().collect();
        let of_number = text.rsplit("::").nth(1).is_some_and(types::is_primitive);
        let path = match text.rsplit("::").next().unwrap_or_default() {
            "swap" => "core::mem::swap",
            "replace" => "core::mem::replace",
            "min" | "max" if text.ends_with("Ord::min") || text.ends_with("Ord::max") => "core::cmp::Ord",
            "min" if !of_number => "core::cmp::min",
            "max" if !of_number => "core::cmp::max",
            "default" => "core::default::Default",
            _ => return true,
        };
        if !updates.contains(&called.id)
            && !called.name().is_some_and(|name| inside.contains(&name) || function.declared.contains_key(&name))
        {
            let ident = format_ident!("__function_{}", called.id, span = Span::mixed_site());
            all.push(OfStd { called, ident, path });
        }
        true
    });
    all
}

/// The numbers of the language that a body names: a type of the author's may have such a name. What `f16` is, the translation asks itself.
pub(super) fn numbers_named(found: &Plan) -> BTreeSet<String> {
    let mut names = Vec::new();
    found.f.body.statements.iter().for_each(|s| names_in(s.tokens.clone(), &mut names));
    names.into_iter().map(|(name, _)| name).filter(|name| name != "f16" && types::is_primitive(name)).collect()
}

/// The function that the author calls for an operator is std's: two functions have one type only if they are the same.
fn function_of_std(operator: &Operator, called: &Expr, place: &TokenStream) -> TokenStream {
    let (at, text, path) = (called.span, called.text(), &called.tokens);
    let read = obligation::Function::read_as(called, TokenStream::new());
    let name = Ident::new(operator.text(), at);
    let segments: Vec<&str> = text.split("::").map(str::trim).collect();
    let same = |is: TokenStream| {
        let function = obligation::Function { is, of: Some(place.clone()), reason: Reason::Operator, ..read.clone() };
        printed([Obligation::Function(function)].iter())
    };
    // Of the type itself: `f64::max`.
    let of_the_type = |ty: TokenStream| {
        let ty = located(ty, at);
        quote_spanned!(at=> let _ = || { let _: &#ty = &#place; };)
    };
    // `<f64>::max`, and `<i64 as Ord>::max`.
    if let Ok(syn::ExprPath { qself: Some(qualified), .. }) = syn::parse2(path.clone()) {
        return match qualified.as_token {
            None => of_the_type(qualified.ty.to_token_stream()),
            Some(_) => same(quote!(::core::cmp::Ord::#name)),
        };
    }
    // A module has a name in small letters, as numbers have.
    let in_module = |of: &str| of.starts_with(|c: char| c.is_lowercase()) && !types::is_primitive(of);
    match segments.as_slice() {
        [_] => same(quote!(::core::cmp::#name)),
        [.., of, _] if in_module(of) => same(quote!(::core::cmp::#name)),
        [.., "Ord", _] => same(quote!(::core::cmp::Ord::#name)),
        [of @ .., _] => of_the_type(of.join("::").parse().unwrap_or_default()),
        [] => TokenStream::new(),
    }
}
