//! Loops over fields: `for v in &self.data` is `let data = &self.data; for v in data`, as the later stages know arrays by their names. In a
//! loop that writes elements of fields, the other fields of the same struct get names as well.

use super::iterators::each_source;
use super::new_names::NewNames;
use super::tokens::{bare, changed, mentions, name_of};
use crate::ir::Local;
use crate::ir::names::unraw;
use crate::language::methods;
use crate::maps::HashSet;
use proc_macro2::Ident;
use quote::{ToTokens, quote_spanned};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_expr_mut};

/// Gives names to the fields that loops go over or write, except in loops inside of others, whose iterations may change the fields. The
/// result has each new name with the field's, for messages.
pub fn borrow_fields(block: &mut syn::Block, words: &HashSet<String>) -> Vec<(String, String)> {
    let mut borrow = Borrow(NewNames::beside(words));
    borrow.visit_block_mut(block);
    borrow.0.into_names()
}

struct Borrow(NewNames);

impl Borrow {
    /// A new name for a field.
    fn named(&mut self, field: &syn::Expr) -> Option<Ident> {
        let text = last_name(field)?;
        Some(self.0.named(&format!("field_{text}"), &text, field.span()))
    }

    /// Gives names to the fields that the header goes over. The result has their declarations.
    fn in_header(&mut self, f: &mut syn::ExprForLoop) -> Vec<syn::Stmt> {
        let mut borrows: Vec<syn::Stmt> = Vec::new();
        each_source(&mut f.expr, None, &mut |source, method| {
            let (of, mutable) = match (&*source, method) {
                (syn::Expr::Reference(reference), _) => (bare(&reference.expr), reference.mutability.is_some()),
                (field, Some(method)) if methods::refers(method) => (field, method.ends_with("_mut")),
                _ => return,
            };
            let Some(name) = self.named(of) else { return };
            borrows.push(borrowed(&name, of, mutable));
            *source = match (mutable, method) {
                (true, None) => syn::parse_quote_spanned!(of.span()=> #name.iter_mut()),
                _ => syn::parse_quote!(#name),
            };
        });
        borrows
    }

    /// Gives names to the fields whose elements the loop writes, and to the other fields of the same structs.
    fn in_body(&mut self, f: &mut syn::ExprForLoop, borrows: &[syn::Stmt]) -> Vec<syn::Stmt> {
        let mut found = Uses::default();
        found.visit_expr_for_loop(f);
        // The header may write fields too.
        let mutable = |borrow: &&syn::Stmt| matches!(borrow, syn::Stmt::Local(local) if is_mutable(local));
        let in_header = borrows.iter().filter(mutable).filter_map(|borrow| match borrow {
            syn::Stmt::Local(local) => root(bare(&local.init.as_ref()?.expr)).map(Local::from),
            _ => None,
        });
        let mut roots: HashSet<Local> = in_header.collect();
        roots.extend(
            found.written.values().filter(|(_, varies)| *varies).filter_map(|(path, _)| root(path)).map(Local::from),
        );
        roots.retain(|root| !found.inside.contains(root));
        if roots.is_empty() {
            return Vec::new();
        }
        let before = self.0.clone();
        let mut named = f.clone();
        let mut rename = Rename { borrow: self, roots: &roots, uses: &found, fields: BTreeMap::new() };
        rename.visit_expr_mut(&mut named.expr);
        rename.visit_block_mut(&mut named.body);
        let fields = rename.fields;
        let paths: Vec<&String> = fields.keys().collect();
        let overlap = paths.windows(2).any(|two| is_part(two[1], two[0]));
        if overlap || roots.iter().any(|root| mentions(&named, &root.ident())) {
            self.0 = before;
            return Vec::new();
        }
        *f = named;
        let declared = |(path, (name, field)): (&String, &(Ident, syn::Expr))| {
            borrowed(name, field, found.written.contains_key(path))
        };
        fields.iter().map(declared).collect()
    }
}

impl VisitMut for Borrow {
    fn visit_stmt_mut(&mut self, statement: &mut syn::Stmt) {
        let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = statement else {
            return syn::visit_mut::visit_stmt_mut(self, statement);
        };
        let mut borrows = self.in_header(f);
        borrows.extend(self.in_body(f, &borrows));
        if !borrows.is_empty() {
            let named = syn::parse_quote_spanned!(f.for_token.span()=> { #(#borrows)* #f });
            *statement = named;
        } else if matches!(*f.pat, syn::Pat::Wild(_)) {
            // Rounds of the loops inside.
            self.visit_block_mut(&mut f.body);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if !matches!(e, syn::Expr::Closure(_) | syn::Expr::ForLoop(_)) {
            visit_expr_mut(self, e);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// `let name = &mut field;`
fn borrowed(name: &Ident, field: &syn::Expr, mutable: bool) -> syn::Stmt {
    let mutable = mutable.then(|| quote_spanned!(field.span()=> mut));
    syn::parse_quote_spanned!(field.span()=> let #name = &#mutable #field;)
}

fn is_mutable(local: &syn::Local) -> bool {
    let value = local.init.as_ref().map(|init| &*init.expr);
    matches!(value, Some(syn::Expr::Reference(reference)) if reference.mutability.is_some())
}

/// The uses of fields in a loop, by their text.
#[derive(Default)]
struct Uses {
    /// Fields that the loop may write, and whether at indices that depend on the iteration.
    written: BTreeMap<String, (syn::Expr, bool)>,
    /// The variables of the loop.
    inside: HashSet<Local>,
}

impl Uses {
    fn writes(&mut self, place: &syn::Expr) {
        let (mut base, mut varies) = (bare(place), false);
        while last_name(base).is_none() {
            base = match base {
                syn::Expr::Index(index) => {
                    varies |= self.inside.iter().any(|name| mentions(&index.index, &name.ident()));
                    bare(&index.expr)
                }
                syn::Expr::Field(field) => bare(&field.base),
                _ => return,
            };
        }
        self.written.entry(text(base)).or_insert_with(|| (base.clone(), false)).1 |= varies;
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.inside.insert(Local::from(&pattern.ident));
    }

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        changed(e).into_iter().for_each(|place| self.writes(place));
        syn::visit::visit_expr(self, e);
    }
}

/// Puts names in place of the fields of some variables.
struct Rename<'a> {
    borrow: &'a mut Borrow,
    roots: &'a HashSet<Local>,
    uses: &'a Uses,
    fields: BTreeMap<String, (Ident, syn::Expr)>,
}

impl Rename<'_> {
    fn name(&mut self, e: &syn::Expr) -> Option<Ident> {
        let path = last_name(e).map(|_| text(e))?;
        let root = root(e).map(Local::from).filter(|root| self.roots.contains(root))?;
        if self.uses.inside.contains(&root) {
            return None;
        }
        if let Some((name, _)) = self.fields.get(&path) {
            return Some(name.clone());
        }
        let name = self.borrow.named(e)?;
        self.fields.insert(path, (name.clone(), bare(e).clone()));
        Some(name)
    }
}

impl VisitMut for Rename<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Index(syn::ExprIndex { expr: base, .. }) => {
                if let Some(name) = self.name(base) {
                    **base = syn::parse_quote!(#name);
                }
            }
            syn::Expr::MethodCall(call) if is_of_arrays(&call.method.to_string()) => {
                if let Some(name) = self.name(&call.receiver) {
                    *call.receiver = syn::parse_quote!(#name);
                }
            }
            syn::Expr::Field(_) => {
                if let Some(name) = self.name(e) {
                    *e = syn::parse_quote_spanned!(e.span()=> (*#name));
                    return;
                }
            }
            _ => {}
        }
        visit_expr_mut(self, e);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether arrays have a method of this name, which finds them behind a reference.
fn is_of_arrays(method: &str) -> bool {
    methods::refers(method) || methods::measures(method)
}

fn text(e: &syn::Expr) -> String {
    bare(e).to_token_stream().to_string()
}

/// Whether a field is a part of another one.
fn is_part(path: &str, of: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.starts_with(" ."))
}

/// The variable of `self.grid.data`.
fn root(e: &syn::Expr) -> Option<&Ident> {
    match bare(e) {
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Reference(reference) => root(&reference.expr),
        name => name_of(name),
    }
}

/// The last name of `self.grid.data`.
fn last_name(e: &syn::Expr) -> Option<String> {
    let syn::Expr::Field(syn::ExprField { base, member, .. }) = bare(e) else { return None };
    let name = || match member {
        syn::Member::Named(name) => unraw(&name.to_string()).to_owned(),
        syn::Member::Unnamed(index) => format!("field{}", index.index),
    };
    (name_of(base).is_some() || last_name(base).is_some()).then(name)
}
