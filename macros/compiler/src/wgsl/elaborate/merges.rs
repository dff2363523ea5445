//! How two chunks of an accumulator are put together.

use crate::ir::Op;
use crate::ir::report::Place;
use crate::plan::{Accumulator, Class};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::tree::{Item, Merge, Node, Total, Ty};
use proc_macro2::TokenStream;

/// How two chunks of an accumulator are put together.
pub fn merge(this: &mut Elaborate<'_>, number: usize, accumulator: &Accumulator) -> Option<Merge> {
    let at = Place::from(accumulator.at);
    let types: Vec<Ty> = this.outputs.accumulators[number].variables.iter().map(|(_, ty)| ty.clone()).collect();
    let ty = match (&accumulator.class, types.as_slice()) {
        (Class::Best { .. }, _) => Ty::Tuple(types),
        (_, [ty]) => ty.clone(),
        _ => return None,
    };
    let (earlier, later) = (this.locals.add("earlier", ty.clone(), false), this.locals.add("later", ty.clone(), false));
    let (a, b) = (this.locals.read(earlier, at), this.locals.read(later, at));
    let by = |this: &mut Elaborate<'_>, merge: &TokenStream| {
        let scope = this.names.scope.clone();
        let mut none = Vec::new();
        for (name, node) in [("__a", a.clone()), ("__b", b.clone())] {
            let ident = quote::format_ident!("{name}");
            this.bind(&syn::parse_quote!(#ident), Item::Place(node), &mut none);
        }
        let both = this.code(merge, at);
        this.names.scope = scope;
        let (both_ty, a_ty) = (both.ty.clone(), a.ty.clone());
        this.same(&both_ty, &a_ty, at);
        both
    };
    let both = match &accumulator.class {
        Class::Sum { wraps, .. } | Class::Difference { wraps, .. } => match wraps {
            true => Node::total(Total::Plus, a.clone(), b.clone()),
            false => this.operation(Op::Add, a.clone(), b.clone(), at),
        },
        Class::Product => Node::total(Total::Times, a.clone(), b.clone()),
        Class::Parity => this.operation(Op::Xor, a.clone(), b.clone(), at),
        Class::Idempotent { merge } | Class::Combine { merge } | Class::Segmented { merge, .. } => by(this, merge),
        Class::Best { better, .. } => {
            // Whether the later one is better.
            let Ok(closure) = syn::parse2::<syn::Expr>(better.clone()) else { return None };
            let closure = crate::front::lower::Lower::starting_at(1 << 29).expr(&closure);
            this.apply(&closure, vec![Item::Value(b.clone()), Item::Value(a.clone())], at)
        }
        _ => return None,
    };
    Some(Merge { earlier, later, both })
}
