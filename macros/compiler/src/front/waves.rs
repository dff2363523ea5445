//! Loops over blocks that receive: `for block in blocks.iter_mut() { .. block.receive() .. }` visits blocks again, until no block has messages.
//! Each wave of it is a loop over the blocks that it visits.

use super::parameters::argument_of;
use super::tokens::{bare, name_of};
use crate::ir::Local;
use crate::maps::HashSet;
use proc_macro2::Ident;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// The methods of a block that make its loop visit blocks again.
pub const RECEIVING: [&str; 2] = ["receive", "is_first_visit"];

/// The method of blocks that begins the next wave.
pub const ACTIVE: &str = "__is_active";

/// The method of a block that a wave omits.
pub const RESTS: &str = "__rests";

/// Writes the waves of loops that receive.
pub fn write_waves(signature: &syn::Signature, block: &mut syn::Block) {
    let blocks = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(syn::PatType { pat, ty, .. }) => match (&**pat, &**ty) {
            (syn::Pat::Ident(name), syn::Type::Reference(syn::TypeReference { mutability: Some(_), elem, .. })) => {
                argument_of(elem, "Blocks").map(|_| Local::from(&name.ident))
            }
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    });
    let mut waves = Waves { blocks: blocks.collect() };
    if !waves.blocks.is_empty() {
        waves.visit_block_mut(block);
    }
}

struct Waves {
    /// The parameters that are mutable blocks.
    blocks: HashSet<Local>,
}

impl Waves {
    /// The blocks of a loop that receives, and the variable for each of them.
    fn of<'f>(&self, f: &'f syn::ExprForLoop) -> Option<(&'f Ident, &'f Ident)> {
        let syn::Expr::MethodCall(call) = bare(&f.expr) else { return None };
        let blocks = name_of(&call.receiver)?;
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, ident, subpat: None, .. }) = &*f.pat else { return None };
        let goes_through = call.method == "iter_mut" && call.args.is_empty();
        let mut receives = Receives { block: ident, found: false };
        receives.visit_block(&f.body);
        (goes_through && self.blocks.contains(&Local::from(blocks)) && receives.found).then_some((blocks, ident))
    }
}

impl VisitMut for Waves {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let syn::Expr::ForLoop(f) = e else { return visit_expr_mut(self, e) };
        let Some((blocks, block)) = self.of(f) else { return visit_expr_mut(self, e) };
        let at = f.for_token.span();
        let [active, rests] = [ACTIVE, RESTS].map(|name| Ident::new(name, at));
        let rest = syn::parse2(quote_spanned!(at=> if #block.#rests() { continue; }));
        let blocks = blocks.clone();
        if let Ok(rest) = rest {
            f.body.stmts.insert(0, syn::Stmt::Expr(rest, None));
            if let Ok(waves) = syn::parse2(quote_spanned!(at=> while #blocks.#active() { #f })) {
                *e = waves;
            }
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Looks for calls that make a loop visit blocks again.
struct Receives<'f> {
    block: &'f Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Receives<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let receives = RECEIVING.iter().any(|name| call.method == name);
        self.found |= receives && call.args.is_empty() && name_of(&call.receiver) == Some(self.block);
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
