//! Rejects code that the compiler does not follow, statics that iterations could change, and traits whose methods may hide those of std.

use crate::front::tokens::op;
use crate::front::tokens::{Find, named_by};
use crate::ir::Local;
use crate::ir::report::{Code, Location, Report};
use crate::language::macros::harmless_call;
use crate::language::methods;
use crate::language::types;
use crate::maps::HashSet;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::visit::Visit;

/// The same tokens, in which a name is written in one way: `r#i` is `i`, where that is no keyword.
pub fn plain_names(tokens: TokenStream) -> TokenStream {
    if !tokens.to_string().contains("r#") {
        return tokens;
    }
    let plain = |token| match token {
        TokenTree::Ident(ident) => TokenTree::Ident(plain_name(ident)),
        TokenTree::Group(group) => {
            let mut plain = Group::new(group.delimiter(), plain_names(group.stream()));
            plain.set_span(group.span());
            TokenTree::Group(plain)
        }
        token => token,
    };
    tokens.into_iter().map(plain).collect()
}

fn plain_name(ident: Ident) -> Ident {
    let plain = ident.unraw();
    // A keyword is no name without its `r#`.
    if plain != ident && syn::parse2::<Ident>(plain.to_token_stream()).is_ok() { plain } else { ident }
}

/// Rejects the parts of a body that the compiler does not follow. `variables` are the function's own.
pub fn refuse(function: &Ident, body: &syn::Block, variables: &HashSet<Local>, report: &mut Report) {
    Refuse { function, variables, depth: 0, report }.visit_block(body);
}

struct Refuse<'r> {
    function: &'r Ident,
    variables: &'r HashSet<Local>,
    /// The number of blocks around.
    depth: usize,
    report: &'r mut Report,
}

impl Refuse<'_> {
    fn refuse(&mut self, place: &impl ToTokens, what: &str, help: &str) {
        self.report.error(Code::FA022, Location::from(&place.to_token_stream()), what, help);
    }

    /// An item of the function's own name: the later stages know the calls of a traversal by it.
    fn item(&mut self, name: &Ident) {
        if name == self.function {
            let what = format!(
                "`{name}` is an item here and the function itself elsewhere: which of them is meant is not followed"
            );
            self.refuse(name, &what, "give one of them another name");
        }
    }

    /// A variable or the function, if the rules of a macro name it by themselves: `v`, and not `$v`.
    fn name_in(&self, rules: TokenStream) -> Option<Ident> {
        let mut handed = false;
        for token in rules {
            let found = match &token {
                TokenTree::Ident(name) if !handed => {
                    let known = name == self.function || self.variables.contains(&Local::from(name));
                    known.then(|| name.clone())
                }
                TokenTree::Group(group) => self.name_in(group.stream()),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
            handed = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '$');
        }
        None
    }

    /// A macro of the function must not have the name of one that the compiler knows: the obligations, which check such names, stand
    /// beside the loops.
    fn own_macro(&mut self, name: &Ident) {
        if harmless_call(&name.to_string()).is_some() {
            let what =
                format!("`{name}!` is a macro of the standard library, and this item gives the name to another macro");
            self.refuse(name, &what, "give the macro another name");
        }
    }

    /// An item of an inner block hides a name that the compiler takes for one of std, and a trait that it imports may have methods that
    /// rustc prefers to a slice's own. The assumptions about both are checked at the beginning of the function.
    fn inner_item(&mut self, item: &syn::Item, block: &syn::Block) {
        for name in named_by(item.to_token_stream()) {
            if types::is_known(&name) {
                let what =
                    format!("`{name}` is an item of this block, and a name of the standard library outside of it");
                let help = "put the item at the beginning of the function or in front of it, or give it another name";
                self.refuse(item, &what, help);
            }
        }
        let hides = matches!(item, syn::Item::Use(import) if may_bring_a_trait(&import.tree))
            && Find::in_block(block, calls_method_of_slices);
        if hides {
            self.refuse(
                item,
                "a trait that is in scope in this block alone may have a method of the name of a slice's own",
                "put it at the beginning of the function, or in front of it",
            );
        }
    }

    fn imported(&mut self, tree: &syn::UseTree, of_std: bool) {
        if let syn::UseTree::Name(syn::UseName { ident, .. })
        | syn::UseTree::Rename(syn::UseRename { rename: ident, .. }) = tree
        {
            self.item(ident);
        }
        match tree {
            syn::UseTree::Path(path) => self.imported(&path.tree, of_std),
            syn::UseTree::Name(_) if of_std => {}
            syn::UseTree::Name(name) => self.own_macro(&name.ident),
            syn::UseTree::Rename(name) => self.own_macro(&name.rename),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.imported(tree, of_std)),
            syn::UseTree::Glob(glob) => self.refuse(
                glob,
                "this import brings names that are not seen, and any of them may hide another",
                "name what is imported, or put the import outside of the function",
            ),
        }
    }
}

impl<'ast> Visit<'ast> for Refuse<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.refuse(
                attribute,
                "whether this part of the function is there is decided after the loops have been checked",
                "put `#[cfg(..)]` above the function, or write `if cfg!(..) { .. }`",
            );
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        if self.depth > 0 {
            for statement in &block.stmts {
                if let syn::Stmt::Item(item) = statement {
                    self.inner_item(item, block);
                }
            }
        }
        self.depth += 1;
        syn::visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Use(import) => {
                let of_std =
                    |path: &syn::UsePath| ["std", "core", "alloc", "ndarray"].iter().any(|of| path.ident == of);
                let of_std = matches!(&import.tree, syn::UseTree::Path(path) if of_std(path));
                self.imported(&import.tree, of_std);
            }
            syn::Item::Const(syn::ItemConst { ident, .. })
            | syn::Item::Static(syn::ItemStatic { ident, .. })
            | syn::Item::Fn(syn::ItemFn { sig: syn::Signature { ident, .. }, .. }) => self.item(ident),
            syn::Item::Macro(item) => {
                item.ident.iter().for_each(|name| self.own_macro(name));
                if let Some(name) = self.name_in(item.mac.tokens.clone()) {
                    let kind = if name == *self.function { "the function" } else { "a variable of the function" };
                    let what = format!("this macro names `{name}`, {kind}: where it is called does not tell");
                    self.refuse(&item.mac.path, &what, &format!("hand `{name}` to the macro"));
                }
            }
            _ => {}
        }
        InItem(self).visit_item(item);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        if pattern.by_ref.is_some() && pattern.mutability.is_some() {
            let name = &pattern.ident;
            let what = format!("`ref mut {name}` borrows a part of the value: which part is not followed");
            self.refuse(pattern, &what, &format!("write `{name}`, and `&mut` before the value"));
        }
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        if matches!(pattern, syn::Pat::Macro(_) | syn::Pat::Verbatim(_)) {
            self.refuse(
                pattern,
                "this pattern is opaque to the compiler: it does not see which variables the pattern binds",
                "write the pattern itself, as in `let (a, b) = e;`",
            );
        }
        syn::visit::visit_pat(self, pattern);
    }

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        if matches!(e, syn::Expr::TryBlock(_) | syn::Expr::Verbatim(_)) {
            self.refuse(e, "this expression is not understood", "write it in another way");
        }
        if let syn::Expr::Assign(e) = e
            && let Some(pattern) = taken_apart(&e.left)
        {
            let what = "this takes a value apart into places, in a way that is not followed";
            self.refuse(pattern, what, "assign to each place by itself, or to a tuple of them: `(a, b) = e`");
        }
        let written = match e {
            syn::Expr::Assign(e) => Some(&e.left),
            // Also `+=`: a comparison of what a macro gives writes nothing.
            syn::Expr::Binary(e) => Some(&e.left).filter(|_| matches!(op(&e.op), Some((_, true)))),
            _ => None,
        };
        if let Some(syn::Expr::Macro(called)) = written.map(|place| place_of(place)) {
            let what = "a macro says which place is written here: it is not followed";
            self.refuse(called, what, "write the place itself, as `out[i] = e`");
        }
        syn::visit::visit_expr(self, e);
    }
}

/// Whether an import may bring a trait from elsewhere than the standard library.
fn may_bring_a_trait(tree: &syn::UseTree) -> bool {
    match tree {
        syn::UseTree::Path(path) => {
            !["std", "core", "alloc"].iter().any(|root| path.ident == root) && may_bring_a_trait(&path.tree)
        }
        syn::UseTree::Name(syn::UseName { ident, .. }) | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
            // `METRE` is a constant.
            let name = ident.to_string();
            name.starts_with(char::is_uppercase) && (name.len() < 3 || name.contains(char::is_lowercase))
        }
        syn::UseTree::Group(group) => group.items.iter().any(may_bring_a_trait),
        syn::UseTree::Glob(_) => false,
    }
}

/// Whether an expression calls a method that the compiler assumes to be one of a slice, a collection or an option.
fn calls_method_of_slices(e: &syn::Expr) -> bool {
    let syn::Expr::MethodCall(call) = e else { return false };
    let method = call.method.to_string();
    methods::is_known(&method) && !methods::is_of_numbers(&method) && !methods::assumed(&method).is_empty()
}

/// The left side of an assignment that is neither a place, nor a tuple of places, nor an expression of variables alone.
fn taken_apart(e: &syn::Expr) -> Option<&syn::Expr> {
    match e {
        syn::Expr::Paren(inner) => taken_apart(&inner.expr),
        syn::Expr::Tuple(parts) => parts.elems.iter().find_map(|part| match part {
            syn::Expr::Tuple(_) if has_elements(part) => Some(part),
            part => taken_apart(part),
        }),
        syn::Expr::Array(_) | syn::Expr::Call(_) | syn::Expr::Struct(_) if has_elements(e) => Some(e),
        _ => None,
    }
}

/// Whether elements, or what a reference leads to, are among the places.
fn has_elements(e: &syn::Expr) -> bool {
    Find::in_expr(e, |e| matches!(e, syn::Expr::Index(_) | syn::Expr::Unary(_) | syn::Expr::Macro(_)))
}

/// The variable that contains a place.
fn place_of(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Paren(inner) => place_of(&inner.expr),
        syn::Expr::Field(field) => place_of(&field.base),
        syn::Expr::Index(index) => place_of(&index.expr),
        other => other,
    }
}

/// Visits all code of an item. Its variables are no variables of the function.
struct InItem<'a, 'r>(&'a mut Refuse<'r>);

impl<'ast> Visit<'ast> for InItem<'_, '_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        self.0.visit_attribute(attribute);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        if matches!(item.mutability, syn::StaticMutability::Mut(_)) || !is_constant(&item.ty) {
            let name = &item.ident;
            self.0.report.error(
                Code::FA017,
                Location::from(&name.to_token_stream()),
                format!("iterations share the static `{name}`, and may change it in any order"),
                format!("write `const {name}`, if it does not change; else accumulate in a variable of the function"),
            );
        }
        syn::visit::visit_item_static(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = &item.ident;
        let what =
            format!("the methods of the trait `{name}`, which is declared in the function, may hide those of std");
        self.0.refuse(name, &what, &format!("declare `{name}` outside of the function"));
        syn::visit::visit_item_trait(self, item);
    }
}

/// Whether a type has no shared mutable state: numbers, text, and arrays, tuples and references of them.
fn is_constant(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|name| types::is_primitive(&name.to_string()) || name == "char" || name == "str"),
        syn::Type::Array(array) => is_constant(&array.elem),
        syn::Type::Slice(slice) => is_constant(&slice.elem),
        syn::Type::Tuple(tuple) => tuple.elems.iter().all(is_constant),
        syn::Type::Reference(reference) => is_constant(&reference.elem),
        syn::Type::Paren(inner) => is_constant(&inner.elem),
        _ => false,
    }
}
