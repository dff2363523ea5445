//! Goes through a function and puts in place of each name a word that tells which one is meant.

use super::names::{Declared, Entity};
use super::patterns::Match;
use super::resolver::Resolver;
use super::scopes::{Found, Local, Namespace};
use super::{PathOfAttribute, no_constants};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::visit_mut::{self, VisitMut};

impl Resolver {
    /// Goes through a function. Variables and imports with the name of the attribute's operator keep it.
    pub fn function(&mut self, signature: &mut syn::Signature, block: &mut syn::Block, attribute: &[PathOfAttribute]) {
        self.scopes.enter();
        self.generics(&mut signature.generics, Declared::Fixed);
        self.parameters(signature, Declared::Parameter);
        self.scopes.enter();
        self.declare_items(block);
        self.statements(block);
        attribute.iter().for_each(|path| self.of_attribute(path));
        self.scopes.leave();
        self.scopes.leave();
    }

    /// The statements of a block. A name that patterns bind, and that an import of this block has as well, must not be a constant's. Only an item
    /// of the same block tells rustc what the import means.
    fn statements(&mut self, block: &mut syn::Block) {
        block.stmts.iter_mut().for_each(|statement| self.visit_stmt_mut(statement));
        let depth = self.scopes.depth();
        let imported = self.bound_beside_import.extract_if(.., |(import, _)| *import == depth);
        let names: BTreeMap<String, Ident> = imported.map(|(_, name)| (name.to_string(), name)).collect();
        let check = no_constants(names.values()).map(|check| syn::parse_quote!(const _: () = #check;));
        block.stmts.splice(0..0, check);
    }

    /// An item of the function with the name of one that its attribute names: the expansion cannot mention both.
    fn of_attribute(&mut self, of: &PathOfAttribute) {
        let Ok(path) = syn::parse2::<syn::Path>(of.path.clone()) else { return };
        let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) else { return };
        let (name, alone) = (first.ident.to_string(), path.segments.len() == 1);
        let namespace = if alone { Namespace::Values } else { Namespace::Types };
        let clashes = |entity: &Entity| match entity.declared {
            Declared::Item | Declared::Constant => alone,
            // Parameters of the function's own types are outside of its block.
            Declared::Fixed | Declared::Constructor => entity.depth > 1,
            Declared::Import => !(alone && of.is_combine),
            Declared::Variable | Declared::Parameter => !of.is_combine,
            Declared::Label => false,
        };
        let found =
            self.entities.iter().find(|entity| entity.namespace == namespace && entity.name == name && clashes(entity));
        match found {
            Some(entity) => self.of_attribute.push((name, entity.span)),
            None => self.named_by_item(of.path.clone()),
        }
    }

    /// A path of a value: a name alone is a value's, and the first one of several a type's or a module's.
    pub(super) fn value_path(&mut self, path: &mut syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() == 1 {
            let segment = &mut path.segments[0];
            self.mention(Namespace::Values, &mut segment.ident);
            self.visit_path_arguments_mut(&mut segment.arguments);
        } else {
            self.visit_path_mut(path);
        }
    }

    /// A condition: what it binds is seen in the rest of it, and in what is entered if it holds.
    pub(super) fn condition(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Binary(both) if matches!(both.op, syn::BinOp::And(_)) => {
                self.condition(&mut both.left);
                self.condition(&mut both.right);
            }
            syn::Expr::Let(binding) => {
                self.visit_expr_mut(&mut binding.expr);
                self.bind(&mut binding.pat, Match::Maybe, Declared::Variable);
            }
            other => self.visit_expr_mut(other),
        }
    }

    fn generics(&mut self, generics: &mut syn::Generics, declared: Declared) {
        for parameter in &mut generics.params {
            let (namespace, ident) = match parameter {
                syn::GenericParam::Type(parameter) => (Namespace::Types, &mut parameter.ident),
                syn::GenericParam::Const(parameter) => (Namespace::Values, &mut parameter.ident),
                _ => continue,
            };
            let local = self.declare(namespace, ident, declared);
            *ident = self.word(local, ident.span());
        }
        for parameter in &mut generics.params {
            match parameter {
                syn::GenericParam::Type(parameter) => {
                    parameter.bounds.iter_mut().for_each(|bound| self.visit_type_param_bound_mut(bound));
                }
                syn::GenericParam::Const(parameter) => self.visit_type_mut(&mut parameter.ty),
                _ => {}
            }
        }
        if let Some(clause) = &mut generics.where_clause {
            self.visit_where_clause_mut(clause);
        }
    }

    fn declare(&mut self, namespace: Namespace, ident: &Ident, declared: Declared) -> Local {
        let local = self.entity(namespace, ident, declared);
        let context = self.context(ident.span());
        self.scopes.declare(namespace, &ident.to_string(), context, local);
        local
    }

    fn parameters(&mut self, signature: &mut syn::Signature, declared: Declared) {
        self.visit_return_type_mut(&mut signature.output);
        for input in &mut signature.inputs {
            if let syn::FnArg::Typed(parameter) = input {
                self.visit_type_mut(&mut parameter.ty);
                self.bind(&mut parameter.pat, Match::Always, declared);
            }
        }
    }

    /// Declares the items of a block, which are seen in all of it.
    fn declare_items(&mut self, block: &mut syn::Block) {
        for statement in &mut block.stmts {
            let syn::Stmt::Item(item) = statement else { continue };
            match item {
                syn::Item::Const(item) => self.declare_item(&mut item.ident, Declared::Constant),
                syn::Item::Static(item) => self.declare_item(&mut item.ident, Declared::Constant),
                // What another macro makes of it may ask for its name.
                syn::Item::Fn(item) if is_for_macros(&item.attrs) => {
                    self.declare(Namespace::Values, &item.sig.ident, Declared::Fixed);
                }
                syn::Item::Fn(item) => self.declare_item(&mut item.sig.ident, Declared::Item),
                syn::Item::Struct(item) => {
                    self.declare(Namespace::Types, &item.ident, Declared::Fixed);
                    if !matches!(item.fields, syn::Fields::Named(_)) {
                        self.declare(Namespace::Values, &item.ident, Declared::Constructor);
                    }
                }
                syn::Item::Enum(syn::ItemEnum { ident, .. })
                | syn::Item::Type(syn::ItemType { ident, .. })
                | syn::Item::Trait(syn::ItemTrait { ident, .. })
                | syn::Item::TraitAlias(syn::ItemTraitAlias { ident, .. })
                | syn::Item::Union(syn::ItemUnion { ident, .. })
                | syn::Item::Mod(syn::ItemMod { ident, .. }) => {
                    self.declare(Namespace::Types, ident, Declared::Fixed);
                }
                syn::Item::Use(item) => self.declare_imported(&item.tree),
                _ => {}
            }
        }
    }

    fn declare_item(&mut self, ident: &mut Ident, declared: Declared) {
        if *ident != "_" {
            let local = self.declare(Namespace::Values, ident, declared);
            *ident = self.word(local, ident.span());
        }
    }

    fn declare_imported(&mut self, tree: &syn::UseTree) {
        let ident = match tree {
            syn::UseTree::Path(path) => return self.declare_imported(&path.tree),
            syn::UseTree::Group(group) => return group.items.iter().for_each(|tree| self.declare_imported(tree)),
            syn::UseTree::Glob(_) => return,
            syn::UseTree::Name(name) => &name.ident,
            syn::UseTree::Rename(name) => &name.rename,
        };
        if *ident != "_" {
            self.declare(Namespace::Types, ident, Declared::Import);
            self.declare(Namespace::Values, ident, Declared::Import);
        }
    }

    /// Tokens in an item that the walk leaves out: their names stay as they are.
    fn named_by_item(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    for namespace in [Namespace::Values, Namespace::Types] {
                        let found = self.scopes.find(namespace, &ident.to_string(), &self.context(ident.span()));
                        if let Found::Local(local) = found {
                            self.entities[local].named_by_item = true;
                        }
                    }
                }
                TokenTree::Group(group) => self.named_by_item(group.stream()),
                _ => {}
            }
        }
    }

    fn label(&mut self, label: &mut Option<syn::Label>) {
        if let Some(label) = label {
            let local = self.declare(Namespace::Labels, &label.name.ident, Declared::Label);
            label.name.ident = self.word(local, label.name.ident.span());
        }
    }

    fn mention_label(&mut self, label: &mut Option<syn::Lifetime>) {
        if let Some(label) = label {
            self.mention(Namespace::Labels, &mut label.ident);
        }
    }
}

/// Whether an item goes to a macro as it is.
fn is_for_macros(attributes: &[syn::Attribute]) -> bool {
    const INERT: [&str; 10] =
        ["allow", "warn", "deny", "expect", "forbid", "inline", "cold", "doc", "must_use", "track_caller"];
    attributes.iter().any(|attribute| !INERT.iter().any(|inert| attribute.path().is_ident(inert)))
}

impl VisitMut for Resolver {
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scopes.enter();
        self.declare_items(block);
        self.statements(block);
        self.scopes.leave();
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let mut fits = Match::Always;
        if let Some(init) = &mut local.init {
            self.visit_expr_mut(&mut init.expr);
            if let Some((_, otherwise)) = &mut init.diverge {
                self.visit_expr_mut(otherwise);
                fits = Match::Maybe;
            }
        }
        self.bind(&mut local.pat, fits, Declared::Variable);
    }

    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        match item {
            syn::Item::Const(syn::ItemConst { ty, expr, .. }) | syn::Item::Static(syn::ItemStatic { ty, expr, .. }) => {
                self.visit_type_mut(ty);
                self.scopes.enter_item();
                self.visit_expr_mut(expr);
                self.scopes.leave();
            }
            syn::Item::Fn(item) if !is_for_macros(&item.attrs) => {
                self.scopes.enter_item();
                self.generics(&mut item.sig.generics, Declared::Item);
                self.parameters(&mut item.sig, Declared::Variable);
                self.visit_block_mut(&mut item.block);
                self.scopes.leave();
            }
            // Its names are refused if something else has them.
            syn::Item::Use(_) => {}
            syn::Item::Macro(rules) => self.named_by_item(rules.mac.tokens.clone()),
            other => {
                self.scopes.enter_item();
                self.named_by_item(other.to_token_stream());
                self.scopes.leave();
            }
        }
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        use syn::Expr as E;
        match e {
            E::Path(path) if path.qself.is_none() => self.value_path(&mut path.path),
            E::If(choice) => {
                self.scopes.enter();
                self.condition(&mut choice.cond);
                self.visit_block_mut(&mut choice.then_branch);
                self.scopes.leave();
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            E::While(repeated) => {
                self.scopes.enter();
                self.label(&mut repeated.label);
                self.condition(&mut repeated.cond);
                self.visit_block_mut(&mut repeated.body);
                self.scopes.leave();
            }
            E::Loop(repeated) => {
                self.scopes.enter();
                self.label(&mut repeated.label);
                self.visit_block_mut(&mut repeated.body);
                self.scopes.leave();
            }
            E::Block(labelled) => {
                self.scopes.enter();
                self.label(&mut labelled.label);
                self.visit_block_mut(&mut labelled.block);
                self.scopes.leave();
            }
            E::ForLoop(f) => {
                self.visit_expr_mut(&mut f.expr);
                self.scopes.enter();
                self.label(&mut f.label);
                self.bind(&mut f.pat, Match::Always, Declared::Variable);
                self.visit_block_mut(&mut f.body);
                self.scopes.leave();
            }
            E::Match(choice) => {
                self.visit_expr_mut(&mut choice.expr);
                for arm in &mut choice.arms {
                    self.scopes.enter();
                    self.bind(&mut arm.pat, Match::Maybe, Declared::Variable);
                    self.visit_expr_mut(&mut arm.body);
                    self.scopes.leave();
                }
            }
            // Outside of a condition it is a mistake, which rustc reports.
            E::Let(_) => {
                self.scopes.enter();
                self.condition(e);
                self.scopes.leave();
            }
            E::Closure(closure) => {
                self.scopes.enter();
                for input in &mut closure.inputs {
                    self.bind(input, Match::Always, Declared::Variable);
                }
                self.visit_return_type_mut(&mut closure.output);
                self.visit_expr_mut(&mut closure.body);
                self.scopes.leave();
            }
            E::Const(constant) => {
                self.scopes.enter_item();
                self.visit_block_mut(&mut constant.block);
                self.scopes.leave();
            }
            E::Struct(of) => {
                if of.qself.is_none() {
                    self.visit_path_mut(&mut of.path);
                }
                for field in &mut of.fields {
                    field.colon_token.get_or_insert_default();
                    self.visit_expr_mut(&mut field.expr);
                }
                of.rest.iter_mut().for_each(|rest| self.visit_expr_mut(rest));
            }
            E::Break(end) => {
                self.mention_label(&mut end.label);
                end.expr.iter_mut().for_each(|value| self.visit_expr_mut(value));
            }
            E::Continue(next) => self.mention_label(&mut next.label),
            E::Verbatim(tokens) => *tokens = self.hand(std::mem::take(tokens)),
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    /// A type's path, or one of several words: its first word is a type's, a trait's or a module's.
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        if path.leading_colon.is_none()
            && let Some(first) = path.segments.first_mut()
        {
            self.mention(Namespace::Types, &mut first.ident);
        }
        path.segments.iter_mut().for_each(|segment| self.visit_path_arguments_mut(&mut segment.arguments));
    }

    /// `N` of `f::<N>()` may be a type or a constant.
    fn visit_generic_argument_mut(&mut self, argument: &mut syn::GenericArgument) {
        if let syn::GenericArgument::Type(syn::Type::Path(of)) = argument
            && of.qself.is_none()
            && let Some(name) = of.path.get_ident().cloned()
            && let context = self.context(name.span())
            && self.scopes.find(Namespace::Types, &name.to_string(), &context) == Found::Outside
            && self.scopes.find(Namespace::Values, &name.to_string(), &context) != Found::Outside
        {
            return self.mention(Namespace::Values, &mut of.path.segments[0].ident);
        }
        visit_mut::visit_generic_argument_mut(self, argument);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        self.call_of_macro(mac);
    }
}
