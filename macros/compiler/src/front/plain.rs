//! Closures of iterators that loops can run in their bodies.

use super::tokens::{Find, assigns, name_of};
use crate::language::methods;
use crate::resolve::arguments::MacroArguments;

/// Whether an expression is a closure that only returns its value, or a value without side effects on the chain.
pub fn is_plain(e: &syn::Expr) -> bool {
    let syn::Expr::Closure(closure) = e else { return true };
    let leaves = Find::in_expr(&closure.body, |e| match e {
        syn::Expr::Return(_) | syn::Expr::Try(_) | syn::Expr::Await(_) | syn::Expr::Yield(_) => true,
        syn::Expr::Macro(called) => !MacroArguments::are_known(&called.mac),
        _ => false,
    });
    // What it moves may be a copy.
    let shares = closure.capture.is_none() || is_pure(&closure.body);
    let plain = shares && closure.asyncness.is_none() && closure.lifetimes.is_none();
    plain && closure.attrs.is_empty() && matches!(closure.output, syn::ReturnType::Default) && !leaves
}

/// Whether the closures in an expression have no side effects, as far as it shows: it may be evaluated more or less often.
pub fn is_pure(e: &syn::Expr) -> bool {
    !Find::in_expr(e, |e| match e {
        syn::Expr::Assign(_) | syn::Expr::Macro(_) | syn::Expr::Unsafe(_) => true,
        syn::Expr::Reference(reference) => reference.mutability.is_some(),
        syn::Expr::Binary(binary) => assigns(binary),
        syn::Expr::MethodCall(call) => {
            let method = call.method.to_string();
            !ADAPTERS.contains(&&*method) && !methods::only_reads(&method)
        }
        _ => false,
    })
}

/// Adapters of iterators.
const ADAPTERS: [&str; 9] =
    ["map", "filter", "filter_map", "flat_map", "flatten", "zip", "windows", "chunks", "chunks_exact"];

/// The condition and the value of an option that is `Some(value)` if the condition holds.
pub fn chosen(e: &syn::Expr) -> Option<(&syn::Expr, &syn::Expr)> {
    fn block(block: &syn::Block) -> Option<&syn::Expr> {
        match block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => Some(value),
            _ => None,
        }
    }
    match e {
        syn::Expr::Paren(inner) => chosen(&inner.expr),
        syn::Expr::If(choice) if !matches!(&*choice.cond, syn::Expr::Let(_)) => {
            let syn::Expr::Block(otherwise) = &*choice.else_branch.as_ref()?.1 else { return None };
            name_of(block(&otherwise.block)?).filter(|none| *none == "None")?;
            let syn::Expr::Call(some) = block(&choice.then_branch)? else { return None };
            name_of(&some.func).filter(|name| *name == "Some" && some.args.len() == 1)?;
            Some((&choice.cond, &some.args[0]))
        }
        syn::Expr::MethodCall(call) if call.method == "then" && call.args.len() == 1 => match &call.args[0] {
            syn::Expr::Closure(value) if value.inputs.is_empty() => Some((&call.receiver, &value.body)),
            _ => None,
        },
        _ => None,
    }
}
