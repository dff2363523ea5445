//! Items of a body that change what the rest of the body does: statics that iterations could change, and traits.

use crate::ir::report::{Code, Location, Report};
use crate::language::types;
use quote::ToTokens;
use syn::visit::Visit;

/// Refuses statics with shared mutable state, and traits, whose methods may hide those of std.
pub fn refuse(body: &syn::Block, report: &mut Report) {
    Items { report }.visit_block(body);
}

struct Items<'r> {
    report: &'r mut Report,
}

impl<'ast> Visit<'ast> for Items<'_> {
    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        let mutable = matches!(item.mutability, syn::StaticMutability::Mut(_));
        if mutable || !is_constant(&item.ty) {
            let name = &item.ident;
            self.report.error(
                Code::FA017,
                Location::from(&item.ident.to_token_stream()),
                format!("iterations share the static `{name}`, and may change it in any order"),
                format!("write `const {name}`, if it does not change; else accumulate in a variable of the function"),
            );
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = &item.ident;
        self.report.error(
            Code::FA022,
            Location::from(&item.ident.to_token_stream()),
            format!("the methods of the trait `{name}`, which is declared in the function, may hide those of std"),
            format!("declare `{name}` outside of the function"),
        );
    }
}

/// Whether a type has no shared mutable state: numbers, text, and arrays, tuples and references of them.
fn is_constant(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Path(path) => {
            let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
            types::is_primitive(&name) || matches!(name.as_str(), "char" | "str")
        }
        syn::Type::Array(array) => is_constant(&array.elem),
        syn::Type::Slice(slice) => is_constant(&slice.elem),
        syn::Type::Tuple(tuple) => tuple.elems.iter().all(is_constant),
        syn::Type::Reference(reference) => is_constant(&reference.elem),
        syn::Type::Paren(inner) => is_constant(&inner.elem),
        _ => false,
    }
}
