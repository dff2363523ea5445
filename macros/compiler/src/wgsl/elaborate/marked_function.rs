//! A function with `#[forall::device]` above it: its parameters and its body as nodes.

use crate::ir::report::Location;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::structs::WrittenTypes;
use crate::wgsl::tree::{Array, Base, Item, Node, Obstacle, Statement, Ty};
use quote::ToTokens;
use std::rc::Rc;

/// A function's parts as nodes.
pub struct FunctionBody {
    /// As in its signature, and the variables that hold them.
    pub arguments: Vec<(Ty, bool)>,
    pub variables: Vec<(usize, Ty, Location)>,
    /// The variables that hold the changed arguments in the end.
    pub changed: Vec<Node>,
    pub statements: Vec<Statement>,
    pub result: Ty,
    pub body: Node,
    pub at: Location,
}

/// The function as nodes, or what is in the way.
pub fn elaborated(item: &syn::ItemFn) -> Result<(Elaborate<'static>, FunctionBody), Vec<Obstacle>> {
    let obstacles = refused(&item.sig);
    if !obstacles.is_empty() {
        return Err(obstacles);
    }
    let mut elaborate = Elaborate::outside_of_loops();
    elaborate.quiet = false;
    let mut written = WrittenTypes::default();
    syn::visit::Visit::visit_item_fn(&mut written, item);
    elaborate.types.spelled = written.0;
    let at = Location::from(item.sig.ident.span());
    // Parameters.
    let (mut arguments, mut variables, mut changed, mut statements) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut given = 0;
    for input in &item.sig.inputs {
        let syn::FnArg::Typed(input) = input else { continue };
        let place = Location::from(&input.to_token_stream());
        let pattern = elaborate.input.lower.pattern(&input.pat);
        let ty = elaborate.written(&input.ty.to_token_stream());
        // The position and the length of a part of an array. A call tells the array.
        let ty = match ty {
            Ty::Slice(element) => {
                arguments.push((Ty::Slice(element.clone()), false));
                given += 1;
                Ty::View(Rc::new(Base::Array(Array::Given(given - 1))), element)
            }
            ty => {
                arguments.push((ty.clone(), is_changed(input)));
                ty
            }
        };
        let variable = elaborate.locals.add("argument", ty.clone(), false);
        let argument = elaborate.locals.read(variable, place);
        let item = match is_changed(input) && !matches!(ty, Ty::View(..)) {
            true => {
                let held = elaborate.locals.changing("changed", argument, &mut statements);
                changed.push(held.clone());
                Item::Place(held)
            }
            false => Item::Value(argument),
        };
        variables.push((variable, ty, place));
        elaborate.bind(&pattern, item, &mut statements);
    }
    let result = match &item.sig.output {
        syn::ReturnType::Default => Ty::unit(),
        syn::ReturnType::Type(_, ty) => elaborate.written(&ty.to_token_stream()),
    };
    let block = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: (*item.block).clone() });
    let body = elaborate.input.lower.expr(&block);
    let body = elaborate.function_body(&body, &result, at);
    elaborate.finish();
    Ok((elaborate, FunctionBody { arguments, variables, changed, statements, result, body, at }))
}

/// Whether a parameter is a `&mut`.
fn is_changed(input: &syn::PatType) -> bool {
    matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some())
}

/// Functions that no device runs, with any body.
fn refused(signature: &syn::Signature) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    let mut refuse = |at: &dyn ToTokens, what: &str| {
        obstacles.push(Obstacle { place: Location::from(&at.to_token_stream()), what: what.to_owned() });
    };
    let generic = "a generic function has no types that a device could be told: write one function for each type";
    if let Some(token) = &signature.asyncness {
        refuse(token, "an async function may be suspended: make it a plain function");
    }
    if let Some(abi) = &signature.abi {
        refuse(abi, "a function with a foreign calling convention is not for devices: remove `extern`");
    }
    let parameters = signature.generics.params.iter();
    parameters.filter(|p| !matches!(p, syn::GenericParam::Lifetime(_))).for_each(|p| refuse(p, generic));
    for input in &signature.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => {
                refuse(receiver, "a method is found by the type that has it: put `#[forall::device]` above the `impl`");
            }
            syn::FnArg::Typed(input) => {
                let mut ty = &*input.ty;
                let mut references = 0;
                while let syn::Type::Reference(reference) = ty {
                    (ty, references) = (&reference.elem, references + 1);
                }
                if references > 1 {
                    refuse(&input.ty, "a reference to a reference is not handed to a device: take the value");
                }
                if is_changed(input) && !matches!(&*input.pat, syn::Pat::Ident(name) if name.mutability.is_none()) {
                    refuse(&input.pat, "what is changed needs one name, which is not `mut` itself");
                }
                if matches!(ty, syn::Type::ImplTrait(_)) {
                    refuse(&input.ty, generic);
                }
            }
        }
    }
    obstacles
}
