//! Calls of functions and closures that are seen: their bodies are put in place of them.

use crate::ir::report::Location;
use crate::ir::{self, Expr};
use crate::wgsl::elaborate::context::Elaborate;
use crate::wgsl::elaborate::environment::{Binding, Environment};
use crate::wgsl::elaborate::exits::Frame;
use crate::wgsl::tree::{Item, Node, NodeKind, Statement, Target, Ty};
use proc_macro2::TokenStream;
use quote::ToTokens;

/// Parameters with their types, the type of the result, the body, and the names that it sees.
type NestedParts = (Vec<(TokenStream, Option<syn::Type>)>, Option<syn::Type>, Expr, Environment);

impl Elaborate<'_> {
    pub fn call(&mut self, function: &Expr, args: &[Expr], at: Location) -> Node {
        if let Some(name) = function.name() {
            match self.names.get(name).cloned() {
                Some(Binding::Closure(closure)) => {
                    self.refuse_stale(&name, &closure, at);
                    let parameters: Vec<_> = closure.parameters.iter().map(|p| (p.clone(), None)).collect();
                    return self.inline(
                        &name,
                        &parameters,
                        closure.output.as_ref(),
                        &closure.body,
                        args,
                        closure.environment.clone(),
                        at,
                    );
                }
                Some(Binding::Function(function)) => {
                    let Some((parameters, output, body, scope)) = self.nested(&function) else {
                        return self.stuck(
                            at,
                            format!(
                                "`{name}` has parameters that are numbers: a device calls functions of types alone"
                            ),
                        );
                    };
                    return self.inline(&name, &parameters, output.as_ref(), &body, args, scope, at);
                }
                _ => {}
            }
        }
        self.call_known(function, args, at)
    }

    /// What a function inside of the function takes and gives, its body, and what it sees, unless numbers are among its parameters.
    pub fn nested(&mut self, function: &syn::ItemFn) -> Option<NestedParts> {
        let mut parameters = Vec::new();
        for input in &function.sig.inputs {
            if let syn::FnArg::Typed(input) = input {
                parameters.push((input.pat.to_token_stream(), Some((*input.ty).clone())));
            }
        }
        if function.sig.generics.const_params().next().is_some() {
            return None;
        }
        // What depends on its parameters follows from what it is given.
        let generic: Vec<String> = function.sig.generics.type_params().map(|param| param.ident.to_string()).collect();
        let depends = |ty: &syn::Type| {
            let mut names = Vec::new();
            crate::front::tokens::names_in(ty.to_token_stream(), &mut names);
            names.iter().any(|(name, _)| generic.contains(name)) || matches!(ty, syn::Type::ImplTrait(_))
        };
        for (_, ty) in &mut parameters {
            *ty = ty.take().filter(|ty| !depends(ty));
        }
        self.types.generic.extend(generic.iter().cloned());
        let block = (*function.block).clone();
        let body = syn::Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
        let body = self.lower.expr(&body);
        let output = match &function.sig.output {
            syn::ReturnType::Type(_, ty) => Some((**ty).clone()).filter(|ty| !depends(ty)),
            syn::ReturnType::Default => Some(syn::parse_quote!(())),
        };
        Some((parameters, output, body, self.names.environment.clone()))
    }

    /// The body of a function that is translated by itself: its value, however it is left.
    pub fn function_body(&mut self, body: &Expr, result: &Ty, at: Location) -> Node {
        let target = self.exits.target();
        self.exits.frames = vec![Frame { label: None, target, is_loop: false, ty: result.clone() }];
        let value = self.expr(body);
        self.exits.frames.clear();
        self.left(body, value, target, result, at)
    }

    /// The value of a body that `return` may leave.
    pub fn left(&mut self, body: &Expr, value: Node, target: Target, returned: &Ty, at: Location) -> Node {
        self.same(returned, &value.ty.clone(), at);
        let mut leaves = false;
        body.walk(&mut |e| {
            leaves |= matches!(e.kind, ir::Kind::Return(_) | ir::Kind::Try(_));
            !leaves
        });
        match leaves {
            true => Node::new(NodeKind::Labeled(target, value.boxed()), returned.clone(), at),
            false => Node { ty: returned.clone(), ..value },
        }
    }

    /// The body of a function in place of a call.
    #[allow(clippy::too_many_arguments)]
    fn inline(
        &mut self,
        name: &str,
        parameters: &[(TokenStream, Option<syn::Type>)],
        output: Option<&syn::Type>,
        body: &Expr,
        args: &[Expr],
        scope: Environment,
        at: Location,
    ) -> Node {
        if !self.inlining.has_room() {
            return self.stuck(
                at,
                format!("`{name}` calls itself, or too many calls are inside of each other: they are all written out for a device"),
            );
        }
        if parameters.len() != args.len() {
            return self.stuck(at, format!("`{name}` does not take {} arguments", args.len()));
        }
        let mut statements = Vec::new();
        let items: Vec<Item> = args
            .iter()
            .map(|arg| {
                let item = self.item(arg, &mut statements);
                match item {
                    // In their order, before the body.
                    Item::Value(node) if args.len() > 1 && !self.quiet => {
                        Item::Value(self.locals.hold("argument", node, &mut statements))
                    }
                    other => other,
                }
            })
            .collect();
        self.inline_items(parameters, output, body, items, statements, scope, at)
    }

    #[allow(clippy::too_many_arguments)]
    pub fn inline_items(
        &mut self,
        parameters: &[(TokenStream, Option<syn::Type>)],
        output: Option<&syn::Type>,
        body: &Expr,
        items: Vec<Item>,
        mut statements: Vec<Statement>,
        scope: Environment,
        at: Location,
    ) -> Node {
        let outside = std::mem::replace(&mut self.names.environment, scope);
        for ((pattern, ty), item) in parameters.iter().zip(items) {
            if let Some(ty) = ty {
                let ty = self.written(ty);
                match &item {
                    Item::Value(node) | Item::Place(node) => self.same(&node.ty.clone(), &ty, at),
                    Item::View(view) => self.same(&Ty::Slice(Box::new(view.element.clone())), &ty, at),
                    Item::Tuple(_) | Item::Range(_) => {}
                }
            }
            self.bind_tokens(pattern, item, &mut statements);
        }
        let returned = match output {
            Some(ty) => self.written(ty),
            None => self.types.unknown(),
        };
        let target = self.exits.target();
        let frame = Frame { label: None, target, is_loop: false, ty: returned.clone() };
        let frames = std::mem::replace(&mut self.exits.frames, vec![frame]);
        self.inlining.depth += 1;
        self.inlining.calls += 1;
        let sliced = self.form.sliced.take();
        let value = self.expr(body);
        self.form.sliced = sliced;
        self.inlining.depth -= 1;
        self.exits.frames = frames;
        self.names.environment = outside;
        let value = self.left(body, value, target, &returned, at);
        value.after(statements)
    }
}
