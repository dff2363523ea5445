//! Counts the updates of variables whose sums depend on the order, while `FORALL_VERIFY` compares a call.

use crate::front::function::Function;
use crate::ir::print::{Renamed, expr};
use crate::ir::{Expr, Id, Kind};
use crate::language::{methods, types};
use crate::maps::{HashMap, New as _};
use crate::plan::{Accumulator, Class, Operator, Plan, Rewrite};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// An update that is counted.
struct Counted {
    /// The number of its accumulator in the loop.
    variable: usize,
    /// The variable with its value, if the code can read it.
    place: Option<TokenStream>,
    /// The index of the bin.
    bin: Option<TokenStream>,
}

/// The updates of a loop that are counted.
#[derive(Default)]
pub(super) struct Updates(HashMap<Id, Counted>);

impl Updates {
    /// Those whose order may change a float.
    pub(super) fn of(function: &Function, found: &Plan, renamed: &Renamed<'_>) -> Updates {
        let mut counted = HashMap::new();
        if !may_have_floats(function) {
            return Updates(counted);
        }
        for (variable, accumulator) in found.accumulators.iter().enumerate().filter(|(_, a)| rounds(&a.class)) {
            let nodes = accumulator.nodes.iter().chain(accumulator.rewrites.keys());
            let mut nodes: HashMap<Id, Option<&Expr>> = nodes.map(|id| (*id, None)).collect();
            found.f.body.walk(&mut |e| {
                nodes.entry(e.id).and_modify(|node| *node = Some(e));
                true
            });
            for (id, node) in nodes {
                let unused = matches!(accumulator.rewrites.get(&id), Some(Rewrite::Unused { .. }));
                if let (Some(node), false) = (node, unused)
                    && let Some(update) = update(variable, accumulator, node, renamed)
                {
                    counted.insert(id, update);
                }
            }
        }
        Updates(counted)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, e: &Expr) -> bool {
        self.0.contains_key(&e.id)
    }

    /// An update that notes the value before and after it, if it is one.
    pub(super) fn noted(&self, e: &Expr, update: TokenStream) -> TokenStream {
        let Some(Counted { variable, place, bin }) = self.0.get(&e.id) else { return update };
        let value = place
            .as_ref()
            .map_or_else(|| quote!(0.0), |place| quote!((&&&__forall::accumulate::measured::Value(&#place)).__value()));
        let bin = bin.as_ref().map_or_else(|| quote!(0), |bin| quote!(__forall::accumulate::rounding::bin(&(#bin))));
        quote!({
            let (__before, __bin) = (#value, #bin);
            let __updated = #update;
            __counting.note(#variable, __bin, __before, #value);
            __updated
        })
    }
}

fn update(variable: usize, accumulator: &Accumulator, node: &Expr, renamed: &Renamed<'_>) -> Option<Counted> {
    let index = |e: &Expr| match &e.bare().kind {
        Kind::Index(_, index) if is_simple(index) => Some(expr(index, renamed)),
        _ => None,
    };
    let ident = &accumulator.ident;
    let (place, bin) = match (&accumulator.class, accumulator.rewrites.get(&node.id), &node.kind) {
        (_, Some(Rewrite::Scatter { place, .. }), _) => (None, is_simple(place).then(|| expr(place, renamed))),
        (Class::Bins { .. }, rewrite, Kind::Assign(left, ..)) => {
            let place = match rewrite {
                Some(Rewrite::Wrap { place: Some(place), .. }) => place,
                _ => left,
            };
            let bin = indexed(left).and_then(index);
            let looked_at = bin.is_some() && !matches!(rewrite, Some(r) if !matches!(r, Rewrite::Wrap { .. }));
            (looked_at.then(|| expr(place, renamed)), bin)
        }
        (Class::Sum { .. } | Class::Difference { .. } | Class::Product, _, Kind::Assign(..)) => {
            (Some(ident.to_token_stream()), None)
        }
        (Class::Bins { .. } | Class::Sum { .. } | Class::Difference { .. } | Class::Product, ..) => return None,
        _ => (None, None),
    };
    Some(Counted { variable, place, bin })
}

/// The outermost access to an element in a place such as `h[k].x`.
fn indexed(place: &Expr) -> Option<&Expr> {
    match &place.bare().kind {
        Kind::Index(..) => Some(place),
        Kind::Field(place, _) => indexed(place),
        _ => None,
    }
}

/// Whether an expression may be evaluated once more.
fn is_simple(e: &Expr) -> bool {
    let mut simple = true;
    e.walk(&mut |e| {
        simple &= match &e.kind {
            Kind::Method(_, method, ..) => methods::reads(method),
            Kind::Call(..)
            | Kind::Macro(..)
            | Kind::Opaque(..)
            | Kind::Assign(..)
            | Kind::Block(..)
            | Kind::Closure(..) => false,
            Kind::Ref(mutable, _) => !mutable,
            _ => true,
        };
        simple
    });
    simple
}

/// Whether floats may come to something else in another order.
fn rounds(class: &Class) -> bool {
    let adds = |operator: &Operator| operator.adds() || operator.multiplies();
    match class {
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Linear { .. } | Class::System(_) => true,
        Class::Combine { .. } | Class::Segmented { .. } | Class::Frame { .. } | Class::Scatter { .. } => true,
        Class::Bins { leaves, .. } => leaves.iter().any(|leaf| adds(&leaf.operator)),
        _ => false,
    }
}

/// Whether a function may add up floats, as far as its tokens tell: it names a float, or a type that may have some.
fn may_have_floats(function: &Function) -> bool {
    fn any(tokens: TokenStream, of: &dyn Fn(&str) -> bool) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => any(group.stream(), of),
            token => of(&token.to_string()),
        })
    }
    let float = |text: &str| {
        let number = text.starts_with(|c: char| c.is_ascii_digit()) && (text.contains('.') || text.ends_with("f32"));
        number || text.ends_with("f64") || types::is_float(text)
    };
    // A type that is neither an integer's nor std's.
    let other =
        |text: &str| text.starts_with(char::is_uppercase) && !matches!(text, "Vec" | "Option" | "Some" | "None");
    let original = &function.original;
    any(original.sig.to_token_stream(), &|text| float(text) || other(text))
        || any(original.block.to_token_stream(), &float)
        || function.method
}
