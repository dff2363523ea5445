//! How a loop uses the handle of its block.

use crate::front::tokens::{bare, mentions, name_of};
use crate::front::waves::RECEIVING;
use proc_macro2::Ident;
use quote::{ToTokens, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Macro, Token};

/// The messages of a loop.
#[derive(Default)]
pub(super) struct Uses {
    pub sends: bool,
    /// Whether it looks at messages that have arrived.
    pub takes: bool,
    /// Whether it visits blocks again.
    pub receives: bool,
}

const SENDS: [&str; 2] = ["send", "send_elements"];
const TAKES: &str = "inbox";

/// The other methods of a handle. All others are methods of the data.
const OF_HANDLES: [&str; 2] = ["number", "links"];

/// Methods that many types have, of a handle and of the data.
const OF_BOTH: [&str; 8] = ["deref", "deref_mut", "borrow", "borrow_mut", "into", "try_into", "as_any", "type_id"];

type Arguments = Punctuated<Expr, Token![,]>;

/// The uses of a handle, or the reason why they are unknown.
pub(super) fn uses(body: &Block, handle: &Ident) -> Result<Uses, String> {
    let mut find = Find { handle, uses: Uses::default(), is_known: true };
    find.visit_block(body);
    match find.is_known {
        true => Ok(find.uses),
        false => Err(format!("other code gets `{handle}`, which may send and receive")),
    }
}

struct Find<'h> {
    handle: &'h Ident,
    uses: Uses,
    is_known: bool,
}

impl Find<'_> {
    fn is_handle(&self, e: &Expr) -> bool {
        name_of(e) == Some(self.handle)
    }
}

impl<'ast> Visit<'ast> for Find<'_> {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::MethodCall(call) if self.is_handle(&call.receiver) => {
                let method = call.method.to_string();
                self.uses.sends |= SENDS.contains(&&*method);
                self.uses.takes |= method == TAKES;
                self.uses.receives |= RECEIVING.contains(&&*method);
                self.is_known &= !OF_BOTH.contains(&&*method);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::Field(field) if self.is_handle(&field.base) => {}
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) if self.is_handle(expr) => {}
            Expr::Index(index) if self.is_handle(&index.expr) => self.visit_expr(&index.index),
            e => {
                self.is_known &= name_of(e) != Some(self.handle) || matches!(e, Expr::Paren(_));
                visit::visit_expr(self, e);
            }
        }
    }

    fn visit_macro(&mut self, of: &'ast Macro) {
        if !mentions(&of.tokens, self.handle) {
            return;
        }
        match of.parse_body_with(Arguments::parse_terminated) {
            Ok(arguments) => {
                // A format string that names the handle.
                let is_text = |e: &Expr| matches!(e, Expr::Lit(_)) && mentions(e, self.handle);
                self.is_known &= !arguments.iter().any(is_text);
                let mut inner = Find { handle: self.handle, uses: Uses::default(), is_known: true };
                arguments.iter().for_each(|argument| inner.visit_expr(argument));
                let Find { uses, is_known, .. } = inner;
                self.uses.sends |= uses.sends;
                self.uses.takes |= uses.takes;
                self.uses.receives |= uses.receives;
                self.is_known &= is_known;
            }
            Err(_) => self.is_known = false,
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Calls the handle `new`, and methods of the data on the data: code that gets the handle by a trait does not compile, and so cannot send or
/// receive.
pub(super) fn use_data(body: &mut Block, handle: &Ident, new: &Ident) -> Result<(), String> {
    let mut rename = Rename { handle, new, is_renamed: true };
    rename.visit_block_mut(body);
    rename.is_renamed.then_some(()).ok_or_else(|| format!("other code gets `{handle}`, which may send and receive"))
}

struct Rename<'h> {
    handle: &'h Ident,
    new: &'h Ident,
    is_renamed: bool,
}

impl VisitMut for Rename<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::MethodCall(call) = e
            && name_of(&call.receiver) == Some(self.handle)
        {
            let method = call.method.to_string();
            let is_of_handle = SENDS.contains(&&*method) || method == TAKES || OF_HANDLES.contains(&&*method);
            if !is_of_handle {
                let (handle, at) = (self.handle, bare(&call.receiver).span());
                match syn::parse2(quote_spanned!(at=> (*#handle))) {
                    Ok(data) => *call.receiver = data,
                    Err(_) => self.is_renamed = false,
                }
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        if path.path.get_ident() == Some(self.handle)
            && let Some(segment) = path.path.segments.first_mut()
        {
            segment.ident = Ident::new(&self.new.to_string(), segment.ident.span());
        }
    }

    fn visit_macro_mut(&mut self, of: &mut Macro) {
        if !mentions(&of.tokens, self.handle) {
            return;
        }
        match of.parse_body_with(Arguments::parse_terminated) {
            Ok(mut arguments) => {
                arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
                of.tokens = arguments.to_token_stream();
            }
            Err(_) => self.is_renamed = false,
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
