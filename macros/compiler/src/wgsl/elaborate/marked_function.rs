//! A function with `#[forall::device]` above it: its parameters and its body as nodes.

use crate::ir::report::Location;
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::structs::WrittenTypes;
use crate::wgsl::tree::{Array, Base, Item, Node, Obstacle, Statement, Ty};
use proc_macro2::TokenStream;
use quote::ToTokens;
use std::rc::Rc;

/// A function's parts as nodes.
pub struct FunctionBody {
    /// As in its signature, and the variables that hold them.
    pub arguments: Vec<(Ty, bool)>,
    pub variables: Vec<(usize, Ty, Location)>,
    /// What has the changed arguments in the end.
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
        let ty = elaborate.written(&input.ty);
        if let Ty::Slice(element) = ty {
            // Where it starts and how long it is; which array it is a part of, a call says.
            arguments.push((Ty::Slice(element.clone()), false));
            let base = Rc::new(Base::Array(Array::Given(given)));
            given += 1;
            let ty = Ty::View(base, element);
            let variable = elaborate.locals.add("argument", ty.clone(), false);
            variables.push((variable, ty, place));
            let part = elaborate.locals.read(variable, place);
            elaborate.bind(&input.pat, Item::Value(part), &mut statements);
            continue;
        }
        let variable = elaborate.locals.add("argument", ty.clone(), false);
        let mutable = matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some());
        arguments.push((ty.clone(), mutable));
        variables.push((variable, ty.clone(), place));
        let argument = elaborate.locals.read(variable, place);
        let item = match mutable {
            true => {
                let held = elaborate.locals.add("changed", ty, true);
                statements.push(Statement::Let(held, Some(argument)));
                changed.push(elaborate.locals.read(held, place));
                Item::Place(elaborate.locals.read(held, place))
            }
            false => Item::Value(argument),
        };
        elaborate.bind(&input.pat, item, &mut statements);
    }
    let result = match &item.sig.output {
        syn::ReturnType::Default => Ty::unit(),
        syn::ReturnType::Type(_, ty) => elaborate.written(ty),
    };
    let block = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block: (*item.block).clone() });
    let body = elaborate.lower.expr(&block);
    let body = elaborate.function_body(&body, &result, at);
    elaborate.finish();
    Ok((elaborate, FunctionBody { arguments, variables, changed, statements, result, body, at }))
}

/// Functions that no device runs, whatever their bodies are.
pub fn refused(signature: &syn::Signature) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    let mut refuse = |tokens: TokenStream, what: &str| {
        obstacles.push(Obstacle { place: Location::from(&tokens), what: what.to_owned() });
    };
    if let Some(token) = &signature.asyncness {
        refuse(token.to_token_stream(), "an async function may be suspended: make it a plain function");
    }
    if let Some(abi) = &signature.abi {
        refuse(
            abi.to_token_stream(),
            "a function with a foreign calling convention is not for devices: remove `extern`",
        );
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, syn::GenericParam::Lifetime(_)) {
            refuse(
                parameter.to_token_stream(),
                "a generic function has no types that a device could be told: write one function for each type",
            );
        }
    }
    for input in &signature.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => refuse(
                receiver.to_token_stream(),
                "a method is found by the type that has it: put `#[forall::device]` above the `impl`",
            ),
            syn::FnArg::Typed(input) => {
                let mut ty = &*input.ty;
                let mut references = 0;
                while let syn::Type::Reference(reference) = ty {
                    (ty, references) = (&reference.elem, references + 1);
                }
                let changes = matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some());
                if references > 1 {
                    refuse(
                        input.ty.to_token_stream(),
                        "a reference to a reference is not handed to a device: take the value",
                    );
                }
                if changes && !matches!(&*input.pat, syn::Pat::Ident(name) if name.mutability.is_none()) {
                    refuse(input.pat.to_token_stream(), "what is changed needs one name, which is not `mut` itself");
                }
                if matches!(ty, syn::Type::ImplTrait(_)) {
                    refuse(
                        input.ty.to_token_stream(),
                        "a generic function has no types that a device could be told: write one function for each type",
                    );
                }
            }
        }
    }
    obstacles
}
