//! Desugaring: one form for each meaning. The later stages analyse this form; the sequential function keeps the user's code.
//!
//! The rewrites rely on name resolution: each variable has a name of its own, so an expression means the same wherever its variables are
//! in scope and keep their values.

use super::adaptors::move_adaptors;
use super::assignments::{branches, extrema, keys, parts};
use super::attribute::Attribute;
use super::best_index::hold_best_elements;
use super::block_numbers::name_numbers;
use super::chains::{Chains, Loops, write_loops};
use super::closures::copy_closures;
use super::counters::number_counters;
use super::counting::write_ranges;
use super::declarations::declare_where_set;
use super::element_names::use_elements;
use super::exits::remove_exits;
use super::fields::borrow_fields;
use super::first_iteration::{name_first_iterations, peel_first_iterations};
use super::fusion::{Follower, fuse};
use super::iterators::{inline_headers, loop_over};
use super::linked_counters::step_directly;
use super::named_parts::split_parts;
use super::named_tests::name_tests;
use super::next_values::inline_values;
use super::parameters::slices;
use super::passes::split_passes;
use super::tiles::{Tiles, expose_tiles};
use super::tokens::{is_stable, name_of};
use super::waves::write_waves;
use super::whole_slices::use_slices;
use crate::ir::Local;
use crate::language::{methods, types};
use crate::maps::HashSet;
use quote::{ToTokens, quote_spanned};
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_mut};

/// The body of a function in canonical form.
pub struct Form {
    pub block: syn::Block,
    /// The variables of the compiler, each with its name in messages.
    pub names: Vec<(String, String)>,
    /// The loops over tiles of objects.
    pub tiles: Tiles,
    /// The loops over the blocks of loops before them.
    pub followers: Vec<Follower>,
    /// Whether it had chains for which loops can stand.
    pub has_chains: bool,
    /// Whether it had counters that are computed from the number of the iteration.
    pub has_counters: bool,
    /// Whether the form differs from those that are tried before.
    pub is_another: bool,
}

/// Brings the body of a function to canonical form. `words` are the words of the function that begin as the names of new variables do.
pub fn canonical(
    signature: &syn::Signature,
    block: &syn::Block,
    (attribute, chains): (Attribute, Chains),
    words: &HashSet<String>,
) -> Form {
    let mut block = block.clone();
    let followers = fuse(signature, &mut block);
    write_waves(signature, &mut block);
    let tiles = expose_tiles(signature, &mut block);
    let whole = slices(signature).map(|slice| slice.name).collect();
    use_slices(&mut block, &whole);
    declare_where_set(&mut block);
    let Loops { mut names, has_chains } = write_loops(signature, &mut block, chains, words);
    names.extend(tiles.names.iter().cloned());
    names.extend(name_numbers(signature, &mut block, words));
    names.extend(move_adaptors(signature, &mut block));
    names.extend(write_ranges(signature, &mut block));
    step_directly(signature, &mut block);
    let counters = number_counters(signature, &mut block);
    let has_counters = !counters.is_empty();
    names.extend(counters);
    names.extend(borrow_fields(&mut block, words));
    inline_headers(signature, &mut block);
    // With a marker, a slice is not a view of a share in a loop's body.
    let slices: HashSet<Local> = slices(signature).filter(|slice| !slice.marked).map(|slice| slice.name).collect();
    split_parts(&mut block, &slices);
    let new = match chains {
        Chains::AreLoopsWithoutExits => Some(remove_exits(signature, &mut block, words)),
        Chains::AreLoopsWithFirst => Some(name_first_iterations(&mut block, words)),
        Chains::AreLoopsWithTests => Some(name_tests(&mut block, words)),
        _ => None,
    };
    let is_another = match chains {
        Chains::StayInPasses => split_passes(&mut block, &slices),
        Chains::AreLoopsAfterFirst => peel_first_iterations(&mut block, &whole),
        _ => new.as_ref().is_none_or(|new| !new.is_empty()),
    };
    names.extend(new.into_iter().flatten());
    copy_closures(&mut block, &slices);
    names.extend(use_elements(signature, &mut block, attribute));
    Canonical { slices, numbers: numbers(signature) }.visit_block_mut(&mut block);
    names.extend(hold_best_elements(signature, &mut block));
    Form { block, names, tiles, followers, has_chains, has_counters, is_another }
}

/// The parameters that refer to one number that the function may change.
fn numbers(signature: &syn::Signature) -> HashSet<Local> {
    let number = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(syn::PatType { pat, ty, .. }) => match (&**pat, &**ty) {
            (syn::Pat::Ident(name), syn::Type::Reference(syn::TypeReference { mutability: Some(_), elem, .. })) => {
                types::is_primitive(&elem.to_token_stream().to_string()).then(|| Local::from(&name.ident))
            }
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    };
    signature.inputs.iter().filter_map(number).collect()
}

struct Canonical {
    slices: HashSet<Local>,
    numbers: HashSet<Local>,
}

impl Canonical {
    fn statement(&self, statement: syn::Stmt) -> Vec<syn::Stmt> {
        if let Some(loops) = loop_over(&statement) {
            return vec![loops];
        }
        if let Some(parts) = parts(&statement) {
            return parts;
        }
        vec![branches(&statement).unwrap_or(statement)]
    }

    /// `x[a..][..n]` of a slice is `x[a..a + n]`, up to the message of its panic.
    fn part_of_rest(&self, e: &syn::Expr) -> Option<syn::Expr> {
        let syn::Expr::Index(part) = e else { return None };
        let syn::Expr::Index(rest) = &*part.expr else { return None };
        let (syn::Expr::Range(from), syn::Expr::Range(to)) = (&*rest.index, &*part.index) else { return None };
        let (Some(start), None, None, Some(length)) = (&from.start, &from.end, &to.start, &to.end) else { return None };
        let array = name_of(&rest.expr)?;
        let exclusive = matches!(to.limits, syn::RangeLimits::HalfOpen(_));
        if !exclusive || !is_stable(start) || !self.slices.contains(&Local::from(array)) {
            return None;
        }
        let at = part.bracket_token.span.join();
        syn::parse2(quote_spanned!(at=> #array[::forall::__private::view::part_of_rest(#start, #length)])).ok()
    }
}

impl VisitMut for Canonical {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let canonical = |block: &mut syn::Block| {
            let statements = std::mem::take(&mut block.stmts).into_iter();
            block.stmts = statements.flat_map(|statement| self.statement(statement)).collect();
        };
        canonical(block);
        if inline_values(&mut block.stmts) {
            canonical(block);
        }
        for number in 0..block.stmts.len() {
            let (before, rest) = block.stmts.split_at_mut(number);
            if let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = &mut rest[0] {
                extrema(before, f);
                keys(before, f);
            }
        }
        visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_expr_mut(self, e);
        if let Some(part) = self.part_of_rest(e) {
            *e = part;
        }
        // `best.abs()` of a `best: &mut f64` is `(*best).abs()`.
        if let syn::Expr::MethodCall(call) = e
            && methods::is_of_numbers(&call.method.to_string())
            && let Some(name) = name_of(&call.receiver).filter(|name| self.numbers.contains(&Local::from(*name)))
        {
            *call.receiver = syn::parse_quote_spanned!(name.span()=> (*#name));
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}
