//! The annotated function: its attribute, its parameters, its variables.

use crate::front::attribute::{Args, Attribute, parse_args};
use crate::front::canonical::{Form, canonical};
use crate::front::chains::Chains;
use crate::front::fragments::parenthesize_function;
use crate::front::fusion::Follower;
use crate::front::lower::Lower;
use crate::front::parameters::{Parameters, Push, Share};
use crate::front::receiver::handed_down;
use crate::front::signature::refuse_signature;
use crate::front::tiles::Tiles;
use crate::front::understood;
use crate::front::variables::{Declared, collect, each_statement};
use crate::ir::report::{self, Report};
use crate::ir::text::shown_tokens;
use crate::ir::{Block, Expr, Kind, Local, Pattern, StatementKind};
use crate::language::types;
use crate::maps::{HashMap, New as _};
use crate::resolve::{Resolved, Writer, resolve};
use proc_macro2::{Span, TokenStream};
use quote::format_ident;

pub struct Function {
    pub attribute: Attribute,
    pub args: Args,
    /// Without our markers; each variable has a name of its own.
    pub original: syn::ImplItemFn,
    pub method: bool,
    /// Whether a traversal calls itself on other values than `self`, which has a name of its own in the body then ([`THIS`](super::receiver::THIS)).
    pub hands_self_down: bool,
    /// The slices and arrays that are distributed over the ranks.
    pub shares: Vec<Share>,
    pub pushes: Vec<Push>,
    /// The loops over tiles of objects.
    pub tiles: Tiles,
    pub declared: HashMap<Local, Declared>,
    pub closures: HashMap<Local, (Vec<Pattern>, Expr)>,
    pub body: Block,
    pub code: Code,
    /// The signature that callers see.
    pub signature: syn::Signature,
}

/// The user's code, besides the body in canonical form.
pub struct Code {
    /// The body as its user wrote it, without our markers.
    pub written: syn::Block,
    /// The body before the compiler gives several spellings one form. Its nodes have numbers of their own.
    pub as_written: Block,
    pub resolved: Resolved,
    /// Numbers the nodes that later stages make.
    pub lower: Lower,
    /// The loops over the blocks of loops before them.
    pub followers: Vec<Follower>,
    /// Whether it has chains of iterators for which loops can stand.
    pub has_chains: bool,
    /// Whether it had counters that are computed from the number of the iteration.
    pub has_counters: bool,
    /// Whether the form differs from those that are tried before.
    pub is_another: bool,
}

/// Longer arrays are not copied for nothing.
const FEW: usize = 16;

/// Whether it is the type of a number, or of an array of few of them.
fn is_plain(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => {
            path.path.get_ident().is_some_and(|name| {
                // `f16` may be the type of a crate.
                types::is_primitive(&name.to_string()) && name != "f16" || name == "char"
            })
        }
        syn::Type::Array(array) => {
            let literal = |len: &syn::Expr| match len {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }) => len.base10_parse::<usize>().ok(),
                _ => None,
            };
            literal(&array.len).is_some_and(|len| len <= FEW) && is_plain(&array.elem)
        }
        _ => false,
    }
}

impl Function {
    /// Whether this is the name of a constant that the function does not declare: of its module, or of its generics.
    pub fn is_constant_from_outside(&self, name: Local) -> bool {
        let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let constant = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(upper);
        constant && !self.code.resolved.own.contains_key(&name)
    }

    /// The type of a parameter in a signature.
    fn type_in(signature: &syn::Signature, name: Local) -> Option<&syn::Type> {
        signature.inputs.iter().find_map(|input| match input {
            syn::FnArg::Typed(syn::PatType { pat, ty, .. }) => match &**pat {
                syn::Pat::Ident(pattern) if pattern.subpat.is_none() && pattern.ident == name => Some(&**ty),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        })
    }

    /// Whether this is a parameter that is a number, or an array of few.
    pub fn is_number(&self, name: Local) -> bool {
        Function::type_in(&self.signature, name).is_some_and(is_plain)
    }

    /// Whether a parameter is a `&Vec<T>` or a `&mut Vec<T>`.
    pub fn is_vector(&self, name: Local) -> bool {
        match Function::type_in(&self.original.sig, name) {
            Some(syn::Type::Reference(syn::TypeReference { elem, .. })) => match &**elem {
                syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Vec"),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the attribute's `init` made this variable.
    pub fn state_named(&self, name: Local) -> bool {
        let (Some(init), Some(declared)) = (&self.args.init, self.declared.get(&name)) else { return false };
        declared.made_by.as_deref() == Some(init.to_string().as_str())
    }

    /// The array that a method is called on which arrays do not have here.
    pub fn misused(&self, e: &Expr) -> Option<&Share> {
        let Kind::Method(receiver, method, args, _) = &e.kind else { return None };
        let name = receiver.name()?;
        let share = self.shares.iter().find(|share| share.name == name)?;
        let supported = share.array.as_ref()?.supports(method, args);
        (!supported).then_some(share)
    }

    /// Whether an array is misused somewhere in an expression: then it needs no other message.
    pub fn misuses(&self, e: &Expr) -> bool {
        let mut misuses = false;
        e.walk(&mut |e| {
            misuses |= self.misused(e).is_some();
            !misuses
        });
        misuses
    }

    /// A function of the user.
    pub fn parse(
        attribute: Attribute,
        chains: Chains,
        args: TokenStream,
        item: TokenStream,
        report: &mut Report,
    ) -> Option<Function> {
        Function::written_by(Writer::User, attribute, chains, args, item, report)
    }

    /// A function of the user, or one that the compiler has made of it.
    pub fn written_by(
        writer: Writer,
        attribute: Attribute,
        chains: Chains,
        args: TokenStream,
        item: TokenStream,
        report: &mut Report,
    ) -> Option<Function> {
        let args = parse_args(attribute, args, report);
        let item = understood::plain_names(item);
        let mut original: syn::ImplItemFn = match syn::parse2(item.clone()) {
            Ok(function) => function,
            Err(_) => {
                let span = item.into_iter().next().map_or_else(Span::call_site, |t| t.span());
                report.error(
                    report::Code::FA001,
                    span,
                    format!("`#[{}]` is for functions with a body", attribute.name()),
                    "put it above a free function or an inherent method",
                );
                return None;
            }
        };
        parenthesize_function(&mut original);
        let mut written = original.block.clone();
        strip_markers(&mut written);
        let mut resolved = resolve(&mut original, &args.paths(), writer, report);
        let mut signature = original.sig.clone();
        refuse_signature(&signature, report);
        understood::refuse(&signature.ident, &original.block, &resolved.variables, report);
        let mut lower = Lower::default();
        let on_children = match attribute {
            Attribute::Traverse => handed_down(&original.sig, &original.block),
            _ => None,
        };
        let block = on_children.as_ref().unwrap_or(&original.block);
        let Form { block, names, tiles, followers, has_chains, has_counters, is_another } =
            canonical(&original.sig, block, (attribute, chains), &resolved.words);
        resolved.renamed.extend(names);
        report.renamed = resolved.renamed.clone();
        let body = lower.block(&block);
        let as_written = if block == original.block { body.clone() } else { Lower::default().block(&original.block) };
        let parameters = Parameters::read(&mut signature, &mut original.sig, &body, args.local, &mut lower, report);
        strip_markers(&mut original.block);
        let method = signature.receiver().is_some() || args.associated;
        let Parameters { shares, pushes, declared, .. } = parameters;
        let mut function = Function {
            attribute,
            args,
            method,
            hands_self_down: on_children.is_some(),
            shares,
            pushes,
            declared,
            closures: HashMap::new(),
            body,
            tiles,
            code: Code { written, as_written, resolved, lower, followers, has_chains, has_counters, is_another },
            signature,
            original,
        };
        function.split_slices();
        function.variables();
        function.refuse_aliases(report);
        Some(function)
    }

    /// Refuses aliases of slices in the loops.
    fn refuse_aliases(&self, report: &mut Report) {
        each_statement(&self.body, &mut |statement| {
            let StatementKind::Let(pattern, Some(value), _) = statement else { return };
            let names = wholes(value);
            let share = self.shares.iter().find(|share| names.contains(&share.name));
            if let Some(Share { name, .. }) = share.filter(|_| !self.splits(value) && self.used_in_loops(pattern)) {
                let other = shown_tokens(&pattern.tokens);
                report.error(
                    report::Code::FA003,
                    &pattern.tokens,
                    format!("`{other}` is another name for `{name}`: what loops do by it is not seen"),
                    format!("use `{name}` itself"),
                );
            }
        });
    }

    /// Collects the variables that statements outside of loops declare.
    fn variables(&mut self) {
        let (mut declared, mut closures) = (HashMap::new(), HashMap::new());
        // Items are seen in all of the block.
        for statement in &self.body.statements {
            if let Some(nested) = statement.nested() {
                declared.insert(nested.name, Declared::default());
                closures.insert(nested.name, (nested.parameters.clone(), nested.body.clone()));
            }
        }
        collect(&self.body, &mut declared, &mut closures);
        // Parameters lose against variables of the same name, except shares, whose loops come first.
        for (name, variable) in declared {
            if !self.shares.iter().any(|s| s.name == name) {
                self.declared.insert(name, variable);
            }
        }
        self.closures = closures;
    }
}

/// The variables that may be the whole expression: `x`, `&x`, `&x[..]`, `x.view()`, `if c { x } else { y }`.
fn wholes(e: &Expr) -> Vec<Local> {
    match &e.bare().kind {
        Kind::Name(name) => vec![*name],
        Kind::Ref(_, inner) | Kind::Unary('*', inner) => wholes(inner),
        Kind::Index(inner, index) if matches!(index.bare().kind, Kind::Range(None, None, _)) => wholes(inner),
        Kind::Method(inner, name, args, _) if args.is_empty() && (name == "view" || name == "view_mut") => {
            wholes(inner)
        }
        Kind::Block(block) => block.value().map(wholes).unwrap_or_default(),
        Kind::If(_, then, Some(otherwise)) => then.value().into_iter().chain([&**otherwise]).flat_map(wholes).collect(),
        Kind::Match(_, arms) => arms.iter().flat_map(|arm| wholes(&arm.body)).collect(),
        _ => Vec::new(),
    }
}

fn strip_markers(block: &mut syn::Block) {
    struct Strip;
    impl syn::visit_mut::VisitMut for Strip {
        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            match e {
                syn::Expr::ForLoop(syn::ExprForLoop { attrs, .. })
                | syn::Expr::While(syn::ExprWhile { attrs, .. })
                | syn::Expr::Loop(syn::ExprLoop { attrs, .. }) => {
                    attrs.retain(|a| a.path().segments.last().is_none_or(|s| s.ident != "sequential"));
                }
                _ => {}
            }
            syn::visit_mut::visit_expr_mut(self, e);
        }
    }
    syn::visit_mut::VisitMut::visit_block_mut(&mut Strip, block);
}

/// The name under which a sibling item of a method goes.
pub fn sibling(function: &syn::Ident, suffix: &str) -> syn::Ident {
    format_ident!("{}_{suffix}", function)
}
