//! Chains of iterators that end in a value: `let s: f64 = x.iter().map(|v| v * v).sum();` is a loop that accumulates, and its result. The
//! loops stand in front of the statement.

use super::iterators::each_source;
use super::tokens::{Find, bare, mentions, name_of};
use crate::ir::Local;
use crate::language::types;
use crate::resolve::arguments::MacroArguments;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::{HashMap, HashSet};
use syn::visit_mut::VisitMut;

/// Methods of iterators that the header of a loop may have.
const OF_HEADERS: [&str; 12] = [
    "iter",
    "into_iter",
    "copied",
    "cloned",
    "zip",
    "enumerate",
    "rev",
    "skip",
    "take",
    "step_by",
    "windows",
    "chunks_exact",
];

/// Whether chains of iterators outside of loops, as `x.iter().sum()`, become loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chains {
    AreLoops,
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
    let words = words.clone();
    let output = match &signature.output {
        syn::ReturnType::Type(_, ty) => Some((**ty).clone()),
        syn::ReturnType::Default => None,
    };
    let elements = elements(signature);
    let (tail, names) = (output.clone(), Vec::new());
    let mut statements = Statements { elements, become_loops, words, names, has_chains: false, output, tail };
    statements.visit_block_mut(block);
    Loops { names: statements.names, has_chains: statements.has_chains }
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
    /// The words of the function that begin as the names of new variables do.
    words: HashSet<String>,
    names: Vec<(String, String)>,
    become_loops: Chains,
    has_chains: bool,
    /// The type that the function returns.
    output: Option<syn::Type>,
    /// The type of the value of the block.
    tail: Option<syn::Type>,
}

/// The items that a header gives.
struct Items {
    /// Whether they are references, or hold references.
    references: bool,
    /// The type of the elements, if they or references to them are the items.
    element: Option<syn::Type>,
    /// Whether they are of several slices.
    several: bool,
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

    /// The loop of a chain, and its value.
    fn written(&mut self, e: &syn::Expr, ty: Option<&syn::Type>) -> Option<(Vec<syn::Stmt>, syn::Expr)> {
        let syn::Expr::MethodCall(call) = e else { return None };
        let (end, args) = (call.method.to_string(), call.args.iter().collect::<Vec<_>>());
        if !ENDS.contains(&(&*end, args.len())) || !args.iter().all(|e| is_plain(e)) {
            return None;
        }
        let (mut steps, mut header) = (Vec::new(), &*call.receiver);
        while let Some(step) = Step::of(header) {
            header = step.of;
            steps.insert(0, step);
        }
        let all: Vec<&syn::Expr> = steps.iter().filter_map(|step| step.closure.map(|closure| &*closure.body)).collect();
        let items = self.goes_over(header, &all, &args)?;
        self.has_chains = true;
        if self.become_loops != Chains::AreLoops && !items.several {
            return None;
        }
        let at = call.method.span();
        let name = self.named(&end, at)?;
        let mut body = Body { at, pattern: None, value: TokenStream::new(), parts: Vec::new() };
        let item = self.named("item", at)?;
        body.value = item.to_token_stream();
        for step in &steps {
            body.step(step)?;
        }
        let number = |given: Option<&syn::Type>| {
            let written = call.turbofish.as_ref().and_then(|turbofish| match turbofish.args.first()? {
                syn::GenericArgument::Type(syn::Type::Infer(_)) => None,
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let ty = written.or(given).or(items.element.as_ref().filter(|_| steps.is_empty()))?;
            let text = ty.to_token_stream().to_string();
            let float = matches!(&*text, "f32" | "f64");
            (types::is_primitive(&text) && text != "bool").then(|| (ty.clone(), float))
        };
        let mut header = header.clone();
        let (declared, update, value) = match (&*end, args.as_slice()) {
            ("sum", _) => {
                let (ty, float) = number(ty)?;
                let zero = if float { quote!(-0.0) } else { quote!(0) };
                (quote!(let mut #name: #ty = #zero;), body.run(&|value| quote!(#name += #value;)), quote!(#name))
            }
            ("product", _) => {
                let (ty, float) = number(ty)?;
                let one = if float { quote!(1.0) } else { quote!(1) };
                (quote!(let mut #name: #ty = #one;), body.run(&|value| quote!(#name *= #value;)), quote!(#name))
            }
            ("count", _) => (quote!(let mut #name = 0_usize;), body.run(&|_| quote!(#name += 1;)), quote!(#name)),
            ("max" | "min", _) => {
                let by_reference = items.references && steps.iter().all(|step| step.method == "filter");
                if by_reference {
                    (items.element.is_some()).then_some(())?;
                    let item = &body.value;
                    body.value = quote!(*#item);
                }
                let (held, better) = (self.named("held", at)?, if end == "max" { quote!(>=) } else { quote!(<) });
                let kept = |value: &TokenStream| quote!(if #name.is_none_or(|#held| #value #better #held) { #name = Some(#value); });
                let value = if by_reference { quote!(#name.as_ref()) } else { quote!(#name) };
                if !by_reference {
                    body.bind(&self.named("value", at)?);
                }
                (quote!(let mut #name = None;), body.run(&kept), value)
            }
            ("any" | "all", [closure]) => {
                let condition = body.condition(closure)?;
                let condition = if end == "all" { quote!(!(#condition)) } else { condition };
                let value = if end == "all" { quote!(!#name) } else { quote!(#name) };
                (quote!(let mut #name = false;), body.found(&quote!(!#name), &condition, &quote!(#name = true;)), value)
            }
            ("position", [closure]) if !steps.iter().any(|step| step.method == "filter") => {
                let (index, condition) = (self.named("index", at)?, body.condition(closure)?);
                let pattern = body.pattern.take().unwrap_or_else(|| quote!(#item));
                body.pattern = Some(quote!((#index, #pattern)));
                header = syn::parse2(quote!(#header.enumerate())).ok()?;
                let set = quote!(#name = Some(#index););
                (quote!(let mut #name = None;), body.found(&quote!(#name.is_none()), &condition, &set), quote!(#name))
            }
            ("fold", [init, combine]) => folded(&name, init, combine, &mut body)?,
            _ => return None,
        };
        let pattern = body.pattern.unwrap_or_else(|| quote!(#item));
        let first = header.to_token_stream().into_iter().next().map_or(at, |token| token.span());
        let declared = syn::parse2(declared).ok()?;
        let f = syn::parse2(quote_spanned!(first=> for #pattern in #header { #update })).ok()?;
        Some((vec![declared, f], syn::parse2(value).ok()?))
    }

    /// The items of a header that goes over distributed slices, or whose closures read one.
    fn goes_over(&self, header: &syn::Expr, closures: &[&syn::Expr], args: &[&syn::Expr]) -> Option<Items> {
        let (mut fits, mut distributed, mut element) = (true, false, None);
        each_source(&mut header.clone(), None, &mut |source, _| {
            let source = match bare(source) {
                syn::Expr::Reference(reference) if reference.mutability.is_none() => bare(&reference.expr),
                source => source,
            };
            let whole = match source {
                syn::Expr::Index(part) if matches!(bare(&part.index), syn::Expr::Range(_)) => bare(&part.expr),
                source => source,
            };
            match name_of(whole).and_then(|name| self.elements.get(&Local::from(name))) {
                Some(ty) => (distributed, element) = (true, Some(ty.clone())),
                None => {
                    fits &= matches!(source, syn::Expr::Range(range) if range.start.is_some() && range.end.is_some())
                }
            }
        });
        let reads = |e: &&syn::Expr| self.elements.keys().any(|name| mentions(*e, &name.ident()));
        let (methods, begins) = methods_of(header);
        let has = |method: &str| methods.iter().any(|other| other == method);
        let fits = fits && begins && methods.iter().all(|method| OF_HEADERS.contains(&method.as_str()));
        let plain = !["zip", "enumerate", "windows", "chunks_exact"].into_iter().any(has);
        let copied = has("copied") || has("cloned") || !distributed;
        (fits && (distributed || closures.iter().chain(args).any(reads))).then(|| Items {
            references: !(plain && copied),
            element: element.filter(|_| plain),
            several: has("zip"),
        })
    }

    /// A new name for a variable.
    fn named(&mut self, what: &str, at: Span) -> Option<Ident> {
        let name = (1..).map(|number| format!("__{what}_{number}")).find(|name| self.words.insert(name.clone()))?;
        self.names.push((name.clone(), what.to_owned()));
        Some(Ident::new(&name, at))
    }
}

/// The last methods of chains, each with the number of its arguments.
const ENDS: [(&str, usize); 9] = [
    ("sum", 0),
    ("product", 0),
    ("count", 0),
    ("max", 0),
    ("min", 0),
    ("any", 1),
    ("all", 1),
    ("position", 1),
    ("fold", 2),
];

/// The methods of a chain from the first one on, and whether an iterator begins it.
fn methods_of(e: &syn::Expr) -> (Vec<String>, bool) {
    match bare(e) {
        syn::Expr::MethodCall(call) => {
            let (mut methods, begins) = methods_of(&call.receiver);
            methods.push(call.method.to_string());
            (methods, begins || matches!(&*call.method.to_string(), "iter" | "into_iter" | "windows" | "chunks_exact"))
        }
        syn::Expr::Range(_) => (Vec::new(), true),
        _ => (Vec::new(), false),
    }
}

/// A step of a chain that the body of the loop takes: `map`, `filter`, `copied`.
struct Step<'e> {
    method: &'e Ident,
    of: &'e syn::Expr,
    closure: Option<&'e syn::ExprClosure>,
}

impl<'e> Step<'e> {
    fn of(e: &'e syn::Expr) -> Option<Step<'e>> {
        let syn::Expr::MethodCall(syn::ExprMethodCall { receiver, method, args, turbofish: None, .. }) = bare(e) else {
            return None;
        };
        match (&*method.to_string(), args.first()) {
            ("map" | "filter", Some(syn::Expr::Closure(closure))) if args.len() == 1 && is_plain(&args[0]) => {
                Some(Step { method, of: receiver, closure: Some(closure) })
            }
            // The header has it, unless another step comes first.
            ("copied" | "cloned", None) if Step::of(receiver).is_some() => {
                Some(Step { method, of: receiver, closure: None })
            }
            _ => None,
        }
    }
}

/// Whether an expression is a closure that only returns its value, or a value without side effects on the chain.
fn is_plain(e: &syn::Expr) -> bool {
    let syn::Expr::Closure(closure) = e else { return true };
    let leaves = Find::in_expr(&closure.body, |e| match e {
        syn::Expr::Return(_) | syn::Expr::Try(_) | syn::Expr::Await(_) | syn::Expr::Yield(_) => true,
        syn::Expr::Macro(called) => !MacroArguments::are_known(&called.mac),
        _ => false,
    });
    let plain = closure.capture.is_none() && closure.asyncness.is_none() && closure.lifetimes.is_none();
    plain && closure.attrs.is_empty() && matches!(closure.output, syn::ReturnType::Default) && !leaves
}

/// The code that a loop runs for an item.
struct Body {
    at: Span,
    /// The pattern of the loop, if it is no name.
    pattern: Option<TokenStream>,
    /// The item, or the value that the steps have made of it.
    value: TokenStream,
    parts: Vec<Do>,
}

enum Do {
    Let(TokenStream),
    If(TokenStream),
}

impl Body {
    /// Binds the value to a pattern.
    fn bind(&mut self, pattern: &dyn ToTokens) {
        let (value, at) = (&self.value, self.at);
        self.parts.push(Do::Let(quote_spanned!(at=> let #pattern = #value;)));
        self.value = pattern.to_token_stream();
    }

    /// Binds the item to the pattern of a closure.
    fn take(&mut self, pattern: &syn::Pat) {
        let first = self.parts.is_empty() && self.pattern.is_none();
        match pattern {
            syn::Pat::Type(typed) => self.bind(typed),
            pattern if first => self.pattern = Some(pattern.to_token_stream()),
            pattern => self.bind(pattern),
        }
    }

    fn step(&mut self, step: &Step<'_>) -> Option<()> {
        let Some(closure) = step.closure else {
            let value = &self.value;
            self.value = quote!((*#value));
            return Some(());
        };
        let (Some(pattern), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
        let body = &closure.body;
        if step.method == "map" {
            self.take(pattern);
            self.value = body.to_token_stream();
            return Some(());
        }
        if syn::parse2::<Ident>(self.value.clone()).is_err() {
            let name = format_ident!("__kept_{}", self.parts.len(), span = self.at);
            self.bind(&name);
        }
        let value = self.value.clone();
        let condition = match pattern {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                let mut body = (**body).clone();
                Behind { name: ident, value: &value }.visit_expr_mut(&mut body);
                quote!(#body)
            }
            syn::Pat::Reference(reference) => {
                let inner = &reference.pat;
                self.parts.push(Do::Let(quote!(let #inner = #value;)));
                quote!(#body)
            }
            pattern => {
                self.parts.push(Do::Let(quote!(let #pattern = &#value;)));
                quote!(#body)
            }
        };
        self.parts.push(Do::If(condition));
        Some(())
    }

    /// The condition that a closure computes of the value.
    fn condition(&mut self, closure: &syn::Expr) -> Option<TokenStream> {
        let syn::Expr::Closure(closure) = closure else { return None };
        let (Some(pattern), 1) = (closure.inputs.first(), closure.inputs.len()) else { return None };
        self.take(pattern);
        Some(closure.body.to_token_stream())
    }

    /// The body with an update at its end.
    fn run(&self, update: &dyn Fn(&TokenStream) -> TokenStream) -> TokenStream {
        self.parts.iter().rev().fold(update(&self.value), |rest, part| match part {
            Do::Let(binding) => quote!(#binding #rest),
            Do::If(condition) => quote!(if #condition { #rest }),
        })
    }

    /// The body that sets a variable once, if a condition holds. Nothing else runs afterwards.
    fn found(&self, missing: &TokenStream, condition: &TokenStream, set: &TokenStream) -> TokenStream {
        let last = Do::If(condition.clone());
        let inner = self.parts.iter().chain([&last]).rev().fold(None, |rest: Option<TokenStream>, part| {
            Some(match (part, rest) {
                (Do::Let(binding), rest) => quote!({ #binding #rest }),
                (Do::If(condition), None) => quote!((#condition)),
                (Do::If(condition), Some(rest)) => quote!((#condition) && #rest),
            })
        });
        quote!(if #missing && #inner { #set })
    }
}

/// Puts a value in place of the target of a reference.
struct Behind<'a> {
    name: &'a Ident,
    value: &'a TokenStream,
}

impl VisitMut for Behind<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let (name, value) = (self.name, self.value);
        match e {
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) if name_of(expr) == Some(name) => {
                *e = syn::parse_quote!(#value);
            }
            e if name_of(e) == Some(name) => *e = syn::parse_quote!((&#value)),
            e => syn::visit_mut::visit_expr_mut(self, e),
        }
    }
}

/// `fold(init, |acc, v| e)`: the declaration, the body of the loop, and the value.
fn folded(
    name: &Ident,
    init: &syn::Expr,
    combine: &syn::Expr,
    body: &mut Body,
) -> Option<(TokenStream, TokenStream, TokenStream)> {
    if let syn::Expr::Path(_) = combine {
        let update = body.run(&|value| quote!(#name = #combine(#name, #value);));
        return Some((quote!(let mut #name = #init;), update, quote!(#name)));
    }
    let syn::Expr::Closure(closure) = combine else { return None };
    let (Some(held), Some(item), 2) = (closure.inputs.first(), closure.inputs.get(1), closure.inputs.len()) else {
        return None;
    };
    let mut pattern = held.clone();
    let value = changing(&mut pattern)?;
    body.take(item);
    let set = match &*closure.body {
        syn::Expr::Block(block) if block.label.is_none() && block.attrs.is_empty() => {
            let (last, before) = block.block.stmts.split_last()?;
            let syn::Stmt::Expr(last, None) = last else { return None };
            let set = (last.to_token_stream().to_string() != value.to_string()).then(|| quote!(#value = #last;));
            quote!(#(#before)* #set)
        }
        e => quote!(#value = #e;),
    };
    Some((quote!(let #pattern = #init;), body.run(&|_| set.clone()), value))
}

/// Makes the names of a pattern mutable. The result is the pattern as a value.
fn changing(pattern: &mut syn::Pat) -> Option<TokenStream> {
    match pattern {
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            name.mutability = Some(Default::default());
            Some(name.ident.to_token_stream())
        }
        syn::Pat::Type(typed) => changing(&mut typed.pat),
        syn::Pat::Tuple(tuple) => {
            let values: Vec<TokenStream> = tuple.elems.iter_mut().map(changing).collect::<Option<_>>()?;
            Some(quote!((#(#values),*)))
        }
        _ => None,
    }
}
