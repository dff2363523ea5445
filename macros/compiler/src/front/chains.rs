//! Chains of iterators that end in a value: `let s: f64 = x.iter().map(|v| v * v).sum();` is a loop that accumulates, and its result. The
//! loops stand in front of the statement.

mod body;
mod compared;
mod ends;
mod folded;
mod read;
mod shape;

use super::fusion::blocks_in;
use super::new_names::NewNames;
use super::tokens::name_of;
use crate::ir::Local;
use crate::maps::{HashMap, HashSet};
use proc_macro2::{Ident, Span};
use syn::visit_mut::VisitMut;

/// Whether chains of iterators outside of loops, as `x.iter().sum()`, become loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chains {
    AreLoops,
    /// The same, and exits from loops become conditions.
    AreLoopsWithoutExits,
    /// The same as `AreLoops`, and conditions that hold in the first iteration alone become variables.
    AreLoopsWithFirst,
    /// The same as `AreLoops`, and the first iteration of loops that ask for it runs in front of them.
    AreLoopsAfterFirst,
    /// The same as `AreLoops`, and comparisons whose branch changes an operand become variables.
    AreLoopsWithTests,
    /// The same as `AreLoops`, and those over fields are loops too.
    OfFieldsAreLoops,
    /// Each rank evaluates them as a whole, in their order, except for those that go over two slices.
    Stay,
    /// The same, and loops that add at several indices become one loop for each of them.
    StayInPasses,
}

/// The result of writing loops.
pub struct Loops {
    /// The new variables, each with the last method of its chain.
    pub names: Vec<(String, String)>,
    /// Whether there are chains for which loops can stand.
    pub has_chains: bool,
}

/// Puts loops in place of chains over slices.
pub fn write_loops(
    signature: &syn::Signature,
    block: &mut syn::Block,
    become_loops: Chains,
    words: &HashSet<String>,
) -> Loops {
    let output = match &signature.output {
        syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
        syn::ReturnType::Default => None,
    };
    let elements = elements(signature);
    let blocks = signature.inputs.iter().filter_map(blocks_in).collect();
    let (tail, names) = (output.clone(), NewNames::beside(words));
    let mut statements = Statements { elements, blocks, become_loops, names, has_chains: false, output, tail };
    statements.visit_block_mut(block);
    Loops { names: statements.names.into_names(), has_chains: statements.has_chains }
}

/// The parameters that are distributed slices, each with the type of its elements.
fn elements(signature: &syn::Signature) -> HashMap<Local, syn::Type> {
    let slice = |input: &syn::FnArg| {
        let syn::FnArg::Typed(syn::PatType { attrs, pat, ty, .. }) = input else { return None };
        let (syn::Pat::Ident(name), syn::Type::Reference(of)) = (&**pat, &**ty) else { return None };
        let element = match &*of.elem {
            syn::Type::Slice(slice) => (*slice.elem).clone(),
            syn::Type::Path(path) => match &path.path.segments.last().filter(|last| last.ident == "Vec")?.arguments {
                syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                    syn::GenericArgument::Type(ty) => ty.clone(),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        attrs.is_empty().then(|| (Local::from(&name.ident), element))
    };
    signature.inputs.iter().filter_map(slice).collect()
}

struct Statements {
    elements: HashMap<Local, syn::Type>,
    /// The parameters that are blocks.
    blocks: HashSet<Local>,
    names: NewNames,
    become_loops: Chains,
    has_chains: bool,
    /// The type that the function returns.
    output: Option<syn::Type>,
    /// The type of the value of the block.
    tail: Option<syn::Type>,
}

/// A part of a statement, with what is known of it.
struct Part<'a> {
    /// The loops in front of the statement.
    before: &'a mut Vec<syn::Stmt>,
    /// Whether the program evaluates everything before it without side effects.
    first: bool,
}

impl VisitMut for Statements {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let tail = self.tail.take();
        let mut statements = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            let mut part = Part { before: &mut statements, first: true };
            match &mut statement {
                syn::Stmt::Local(syn::Local { pat, init: Some(init), .. }) => {
                    let ty = match pat {
                        syn::Pat::Type(typed) => Some(&*typed.ty),
                        _ => None,
                    };
                    self.expr(&mut init.expr, ty, &mut part);
                }
                syn::Stmt::Expr(e, end) => self.expr(e, tail.as_ref().filter(|_| end.is_none()), &mut part),
                _ => {}
            }
            if matches!(statement, syn::Stmt::Expr(syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_), None))
            {
                self.tail = tail.clone();
            }
            syn::visit_mut::visit_stmt_mut(self, &mut statement);
            self.tail = None;
            statements.push(statement);
        }
        block.stmts = statements;
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        if let syn::Expr::Block(block) = &mut *arm.body {
            let tail = self.tail.clone();
            self.visit_block_mut(&mut block.block);
            self.tail = tail;
        }
    }

    fn visit_expr_if_mut(&mut self, choice: &mut syn::ExprIf) {
        let tail = self.tail.clone();
        self.visit_block_mut(&mut choice.then_branch);
        self.tail = tail;
        if let Some((_, otherwise)) = &mut choice.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    /// Rounds of the loops inside.
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        self.tail = None;
        if matches!(*f.pat, syn::Pat::Wild(_)) {
            self.visit_block_mut(&mut f.body);
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

impl Statements {
    /// Looks for chains in the parts of an expression that the program always evaluates, in their order.
    fn expr(&mut self, e: &mut syn::Expr, ty: Option<&syn::Type>, part: &mut Part<'_>) {
        use syn::Expr as E;
        if !part.first {
            return;
        }
        if let Some((loops, value)) = self.written(e, ty) {
            part.before.extend(loops);
            *e = value;
            return;
        }
        match e {
            E::Paren(inner) => self.expr(&mut inner.expr, ty, part),
            E::Tuple(tuple) => {
                let of = |at: usize| match ty {
                    Some(syn::Type::Tuple(types)) => types.elems.iter().nth(at),
                    _ => None,
                };
                (0..).zip(&mut tuple.elems).for_each(|(at, e)| self.expr(e, of(at), part));
            }
            E::Unary(unary) => self.expr(&mut unary.expr, None, part),
            E::Cast(cast) => self.expr(&mut cast.expr, None, part),
            E::Field(field) => self.expr(&mut field.base, None, part),
            E::Reference(reference) => self.expr(&mut reference.expr, None, part),
            E::MethodCall(call) => {
                self.expr(&mut call.receiver, None, part);
                call.args.iter_mut().for_each(|e| self.expr(e, None, part));
                part.first &= crate::language::methods::only_reads(&call.method.to_string());
            }
            E::Call(call) => {
                call.args.iter_mut().for_each(|e| self.expr(e, None, part));
                part.first &= matches!(&*call.func, E::Path(path) if path.path.is_ident("Some"));
            }
            E::Struct(made) => made.fields.iter_mut().for_each(|field| self.expr(&mut field.expr, None, part)),
            E::Return(value) => {
                let ty = self.output.clone();
                value.expr.iter_mut().for_each(|e| self.expr(e, ty.as_ref(), part));
            }
            E::Binary(binary) => {
                use syn::BinOp as B;
                self.expr(&mut binary.left, None, part);
                part.first &= !matches!(binary.op, B::And(_) | B::Or(_));
                self.expr(&mut binary.right, None, part);
            }
            E::Assign(assign) if name_of(&assign.left).is_some() => self.expr(&mut assign.right, None, part),
            E::If(choice) => {
                self.expr(&mut choice.cond, None, part);
                part.first = false;
            }
            E::Path(_) | E::Lit(_) => {}
            _ => part.first = false,
        }
    }

    /// A new name for a variable, which is the last method of its chain in messages.
    fn named(&mut self, method: &str, at: Span) -> Ident {
        self.names.named(method, method, at)
    }
}
