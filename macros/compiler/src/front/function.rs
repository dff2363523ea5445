//! The annotated function: its attribute, its parameters, its variables.

use crate::front::array::Array;
use crate::front::lower::Lower;
use crate::ir::names::shadowed;
use crate::ir::report::{Code, Place, Report};
use crate::ir::{Block, Expr, Kind, Pattern, StatementKind};
use crate::language::{methods, types};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::HashMap;
use syn::parse::Parser;
use syn::spanned::Spanned;

/// One of the four attributes for loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// `#[foreach]`: elements, each written by one iteration.
    Foreach,
    /// `#[foreach_tls]`: what iterations collect.
    ForeachTls,
    /// `#[distributed_scan]`: running values.
    DistributedScan,
    /// `#[kary_reduce]`: what iterations accumulate.
    KaryReduce,
}

impl Attribute {
    /// All four.
    pub const ALL: [Attribute; 4] =
        [Attribute::Foreach, Attribute::ForeachTls, Attribute::DistributedScan, Attribute::KaryReduce];

    /// As it is written, without `#[` and `]`.
    pub fn name(self) -> &'static str {
        match self {
            Attribute::Foreach => "foreach",
            Attribute::ForeachTls => "foreach_tls",
            Attribute::DistributedScan => "distributed_scan",
            Attribute::KaryReduce => "kary_reduce",
        }
    }
}

/// The arguments of the attribute.
#[derive(Debug, Default)]
pub struct Args {
    pub init: Option<TokenStream>,
    pub merge: Option<TokenStream>,
    pub combine: Option<TokenStream>,
    pub arity: Option<usize>,
    pub explain: bool,
    /// Whether the function stands in an `impl` without taking `self`, which nothing else tells.
    pub associated: bool,
}

/// A word about a parameter.
#[derive(Debug, Clone)]
pub enum Marker {
    Gather,
    Halo(TokenStream),
}

/// A distributed parameter.
#[derive(Debug, Clone)]
pub struct Share {
    pub name: String,
    pub element: TokenStream,
    pub mutable: bool,
    pub marker: Option<Marker>,
    /// Where it is an array with a shape.
    pub array: Option<Array>,
    pub span: Span,
}

impl Share {
    /// One of its elements, as a person writes it.
    pub fn element_text(&self) -> String {
        let (name, indices) = (&self.name, ["i", "j", "k", "l", "m", "n"]);
        match self.array.as_ref().and_then(|array| indices.get(..array.dims)) {
            Some([_]) | None => format!("{name}[i]"),
            Some(indices) => format!("{name}[[{}]]", indices.join(", ")),
        }
    }
}

/// A parameter `&mut Vec<T>` that loops push to.
#[derive(Debug, Clone)]
pub struct Push {
    pub name: String,
    pub element: TokenStream,
}

/// A variable of the function.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    pub mutable: bool,
    pub parameter: bool,
    /// `&mut T`.
    pub reference: bool,
    /// The length that its declaration gives: `n` of `[0; n]` and `vec![0; n]`.
    pub length: Option<String>,
    /// Whether it is a vector or an array.
    pub buffer: bool,
    /// Whether it is an iterator, of which it is not known what it gives.
    pub iterator: bool,
    /// The collection of the standard library that it is, if its items have no index: `HashMap`.
    pub collection: Option<&'static str>,
    /// Whether another variable of the function has the same name.
    pub again: bool,
    /// The function that made it, of `let a = path(..)`.
    pub made_by: Option<String>,
    /// The array of which it is the shape, of `let s = a.shape()`.
    pub shape_of: Option<String>,
}

pub struct Function {
    pub attribute: Attribute,
    pub args: Args,
    /// As the author wrote it, without our markers.
    pub original: syn::ImplItemFn,
    pub method: bool,
    pub shares: Vec<Share>,
    pub pushes: Vec<Push>,
    pub declared: HashMap<String, Declared>,
    pub closures: HashMap<String, (Vec<Pattern>, Expr)>,
    pub body: Block,
    /// The signature that callers see.
    pub signature: syn::Signature,
}

impl Function {
    /// Whether the attribute's `init` made this variable.
    pub fn state_named(&self, name: &str) -> bool {
        let (Some(init), Some(declared)) = (&self.args.init, self.declared.get(name)) else { return false };
        declared.made_by.as_deref() == Some(init.to_string().as_str())
    }

    /// The array that a method is called on which arrays do not have here.
    pub fn misused(&self, e: &Expr) -> Option<&Share> {
        let Kind::Method(receiver, method, args, _) = &e.kind else { return None };
        let name = receiver.name()?;
        let share = self.shares.iter().find(|share| share.name == name)?;
        let supported = share.array.as_ref()?.supports(method, args);
        (!supported && !shadowed(&self.body, name).contains(&receiver.id)).then_some(share)
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

    pub fn parse(attribute: Attribute, args: TokenStream, item: TokenStream, report: &mut Report) -> Option<Function> {
        let args = parse_args(attribute, args, report);
        let original: syn::ImplItemFn = match syn::parse2(item.clone()) {
            Ok(function) => function,
            Err(_) => {
                let span = item.into_iter().next().map_or_else(Span::call_site, |t| t.span());
                report.error(
                    Code::FA001,
                    span,
                    format!("`#[{}]` is for functions with a body", attribute.name()),
                    "put it above a free function or an inherent method",
                );
                return None;
            }
        };
        let mut original = original;
        let signature = original.sig.clone();
        refuse_signature(&signature, report);
        let mut lower = Lower::default();
        let body = lower.block(&crate::front::normal::normal(&original.sig, &original.block));
        let associated = args.associated;
        let mut function = Function {
            attribute,
            args,
            method: signature.receiver().is_some() || associated,
            shares: Vec::new(),
            pushes: Vec::new(),
            declared: HashMap::new(),
            closures: HashMap::new(),
            body,
            signature,
            original: original.clone(),
        };
        function.parameters(&mut original.sig, &mut lower, report);
        strip_markers(&mut original.block);
        function.original = original;
        function.variables();
        function.refuse_rebinding(&function.body, report);
        Some(function)
    }

    fn parameters(&mut self, original: &mut syn::Signature, lower: &mut Lower, report: &mut Report) {
        let mut bounds = Vec::new();
        let type_params: Vec<String> = original.generics.type_params().map(|p| p.ident.to_string()).collect();
        for (input, plain) in self.signature.inputs.iter_mut().zip(original.inputs.iter_mut()) {
            let (input, plain) = match (input, plain) {
                (syn::FnArg::Typed(input), syn::FnArg::Typed(plain)) => (input, plain),
                (syn::FnArg::Receiver(receiver), _) => {
                    let mutable = receiver.mutability.is_some();
                    let declared = Declared { mutable, parameter: true, reference: mutable, ..Declared::default() };
                    self.declared.insert("self".into(), declared);
                    continue;
                }
                _ => continue,
            };
            let (marker, replicated) = markers(&mut input.attrs, report);
            let _ = markers(&mut plain.attrs, &mut Report::default());
            let place = Place::from(&plain.to_token_stream());
            let pattern = lower.pattern(&input.pat);
            for binding in &pattern.names {
                let declared = Declared { mutable: binding.mutable, parameter: true, ..Declared::default() };
                self.declared.insert(binding.name.clone(), declared);
            }
            let Some(name) = pattern.single().map(|b| b.name.clone()) else {
                if marker.is_some() || replicated {
                    report.error(
                        Code::FA051,
                        place,
                        "a marker needs a parameter with a plain name",
                        "name the parameter",
                    );
                } else if holds_slice(&input.ty) {
                    report.error(
                        Code::FA003,
                        place,
                        "a slice behind a pattern has no name, so it cannot be distributed",
                        "take each slice as a parameter of its own: `x: &[T], y: &[T]`",
                    );
                }
                continue;
            };
            let (array, mut element) = match Array::parse(&input.ty) {
                Some(Ok((array, element))) => (Some(array), Some(element)),
                Some(Err(_)) if replicated => {
                    let mutable = matches!(&*input.ty, syn::Type::Reference(r) if r.mutability.is_some());
                    if let Some(declared) = self.declared.get_mut(&name) {
                        declared.mutable |= mutable;
                        declared.reference = mutable;
                    }
                    continue;
                }
                Some(Err((message, help))) => {
                    report.error(Code::FA003, place, message, help);
                    continue;
                }
                None => (None, None),
            };
            let reference = match &*input.ty {
                syn::Type::Reference(reference) => Some(reference),
                _ => None,
            };
            let mutable = match &array {
                Some(array) => array.writable,
                None => reference.is_some_and(|reference| reference.mutability.is_some()),
            };
            let held = reference.map_or(&*input.ty, |reference| &*reference.elem);
            let text = match held {
                // What is said of the type elsewhere.
                syn::Type::Path(path)
                    if path.path.get_ident().is_some_and(|ty| type_params.contains(&ty.to_string())) =>
                {
                    let (params, clause) = (&original.generics.params, &original.generics.where_clause);
                    quote!(#params #clause).to_string()
                }
                other => other.to_token_stream().to_string(),
            };
            let is_vec = vec_element(held).is_some();
            if element.is_none() && reference.is_some() {
                element = match held {
                    syn::Type::Slice(slice) => Some((*slice.elem).clone()),
                    other => vec_element(other),
                };
            }
            if let Some(declared) = self.declared.get_mut(&name) {
                declared.mutable |= mutable;
                declared.reference = mutable;
                declared.iterator = element.is_none() && (text.contains("Iterator") || text.contains("Range"));
                declared.collection = collection_of(held);
                declared.buffer = element.is_some() || is_vec || matches!(held, syn::Type::Array(_));
                if let syn::Type::Array(array) = held {
                    declared.length = Some(array.len.to_token_stream().to_string());
                }
            }
            let Some(element) = element else {
                if marker.is_some() || replicated {
                    report.error(
                        Code::FA051,
                        place,
                        format!("`{name}` is not a slice, so every rank has it anyway"),
                        "remove the marker",
                    );
                }
                continue;
            };
            if replicated {
                if mutable {
                    report.error(
                        Code::FA051,
                        place,
                        format!("`{name}` may be written, so it cannot be marked for reading: every rank would write a copy of its own"),
                        "take `&[T]`, or remove the marker: written slices are distributed",
                    );
                }
                if marker.is_some() {
                    report.error(
                        Code::FA051,
                        place,
                        format!("`{name}` has two markers that exclude each other"),
                        "`#[replicated]` says that every rank has all of it; keep one",
                    );
                }
                continue;
            }
            if is_vec && mutable && pushed(&self.body, &name) {
                self.pushes.push(Push { name: name.clone(), element: element.to_token_stream() });
                accept(&mut input.ty, quote!(::forall::__private::PushTarget<#element>));
                continue;
            }
            let tokens = element.to_token_stream();
            if let syn::Type::Reference(_) = &element {
                report.error(
                    Code::FA040,
                    &tokens,
                    format!("`{}` refers to memory of this rank, so it cannot be an element of a distributed slice", crate::ir::report::shown(&tokens.to_string())),
                    format!("mark the parameter `#[replicated] {name}` if every rank has all of it, or take the elements themselves"),
                );
                continue;
            }
            let mut named = Vec::new();
            crate::front::lower::names_in(tokens.clone(), &mut named);
            if named.iter().any(|(n, _)| type_params.contains(n)) {
                bounds.push(tokens.clone());
            }
            let bound = match &array {
                Some(array) => array.bound(&element),
                None if mutable => quote!(::forall::__private::SharedMut<#element>),
                None => quote!(::forall::__private::Shared<#element>),
            };
            accept(&mut input.ty, bound);
            if marker.is_some() && mutable {
                report.error(
                    Code::FA051,
                    place,
                    format!("`{name}` may be written, so it cannot be marked for reading"),
                    "take `&[T]`, or remove the marker: the footprints of written slices are derived",
                );
            }
            let span = match plain.pat.as_ref() {
                syn::Pat::Ident(ident) => ident.ident.span(),
                other => other.span(),
            };
            let by_value = array.as_ref().is_some_and(|array| !array.reference);
            if let syn::Pat::Ident(ident) = &mut *input.pat {
                let bound_again = ident.mutability.take().is_some();
                if by_value {
                    // A view is written through `&mut` of the parameter.
                    ident.mutability = mutable.then(Default::default);
                } else if bound_again {
                    report.error(
                        Code::FA003,
                        span,
                        format!("`{name}` is a slice that is bound again (`mut {name}`), so it is not seen which elements it holds"),
                        "remove `mut`, and index the whole slice",
                    );
                }
            }
            self.shares.push(Share { name, element: tokens, mutable, marker, array, span });
        }
        let clause = self.signature.generics.make_where_clause();
        for bound in bounds {
            clause.predicates.push(syn::parse_quote!(#bound: ::forall::__private::Element));
        }
        if let syn::ReturnType::Type(_, ty) = &self.signature.output
            && !self.shares.is_empty()
            && ty.to_token_stream().to_string().starts_with('&')
        {
            report.error(
                Code::FA003,
                &ty.to_token_stream(),
                "a reference to an element cannot be returned: the element may be on another rank",
                "return the value, or the index",
            );
        }
    }

    /// A variable with the name of a slice would be taken for the slice.
    fn refuse_rebinding(&self, block: &Block, report: &mut Report) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Let(pattern, value, _) => {
                    if let Some(share) = value.as_ref().and_then(|value| self.another_name(pattern, value)) {
                        let (name, other) = (&share.name, crate::ir::report::shown(&pattern.tokens.to_string()));
                        report.error(
                            Code::FA003,
                            &pattern.tokens,
                            format!("`{other}` is another name for `{name}`: what loops do by it is not seen"),
                            format!("use `{name}` itself"),
                        );
                    }
                    for binding in pattern.names.iter().filter(|b| self.shares.iter().any(|s| s.name == b.name)) {
                        let name = &binding.name;
                        report.error(
                            Code::FA003,
                            &pattern.tokens,
                            format!("`{name}` is bound again, so it is not seen which elements of the slice `{name}` it holds"),
                            "give it another name; a loop over a part goes over `a..b` or `x[a..b]`, or into a function of its own",
                        );
                    }
                }
                StatementKind::Expr(e, _) => match &e.kind {
                    Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::Loop(_, b) | Kind::While(_, _, b) => {
                        self.refuse_rebinding(b, report);
                    }
                    Kind::If(_, then, _) => self.refuse_rebinding(then, report),
                    _ => {}
                },
                StatementKind::Item(_) => {}
            }
        }
    }

    /// The slice or array that a variable would be another name for in the loops.
    fn another_name(&self, pattern: &Pattern, value: &Expr) -> Option<&Share> {
        let name = whole(value)?;
        let share = self.shares.iter().find(|share| share.name == name)?;
        if pattern.names.iter().any(|binding| binding.name == name) {
            return None;
        }
        let mut used = false;
        self.body.walk(&mut |e| {
            used |= matches!(e.kind, Kind::For(_)) && pattern.names.iter().any(|binding| e.mentions(&binding.name));
            !used
        });
        used.then_some(share)
    }

    /// Collects the variables that statements outside of loops declare.
    fn variables(&mut self) {
        let (mut declared, mut closures) = (HashMap::new(), HashMap::new());
        // Items are seen in all of the block.
        for statement in &self.body.statements {
            if let StatementKind::Item(Some(nested)) = &statement.kind {
                declared.insert(nested.name.clone(), Declared::default());
                closures.insert(nested.name.clone(), (nested.parameters.clone(), nested.body.clone()));
            }
        }
        collect(&self.body, &mut declared, &mut closures);
        // Parameters lose against variables of the same name, except shares, whose loops come first.
        for (name, variable) in declared {
            if !self.shares.iter().any(|s| s.name == name) {
                let again = variable.again || self.declared.contains_key(&name);
                self.declared.insert(name, Declared { again, ..variable });
            }
        }
        self.closures = closures;
    }
}

fn collect(
    block: &Block,
    declared: &mut HashMap<String, Declared>,
    closures: &mut HashMap<String, (Vec<Pattern>, Expr)>,
) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Let(pattern, value, _) => {
                for binding in &pattern.names {
                    let mut variable = Declared { mutable: binding.mutable, ..Declared::default() };
                    if let (Some(value), Some(_)) = (value, pattern.single()) {
                        describe(value, &mut variable);
                        if let Kind::Closure(patterns, _, body) = &value.bare().kind {
                            closures.insert(binding.name.clone(), (patterns.clone(), (**body).clone()));
                        }
                    }
                    variable.again = declared.contains_key(&binding.name);
                    declared.insert(binding.name.clone(), variable);
                }
            }
            StatementKind::Expr(e, _) => collect_in(e, declared, closures),
            // Another item of the name, which is seen in a part of the function.
            StatementKind::Item(nested) => {
                let mut names = Vec::new();
                crate::front::lower::names_in(statement.tokens.clone(), &mut names);
                let found = |name: &String| closures.get(name).map(|(_, body)| body.id);
                for (name, _) in names.iter().filter(|(name, _)| found(name).is_some()) {
                    let same = nested.as_ref().is_some_and(|nested| found(name) == Some(nested.body.id));
                    if let Some(variable) = declared.get_mut(name).filter(|_| !same) {
                        variable.again = true;
                    }
                }
            }
        }
    }
}

fn collect_in(
    e: &Expr,
    declared: &mut HashMap<String, Declared>,
    closures: &mut HashMap<String, (Vec<Pattern>, Expr)>,
) {
    match &e.kind {
        Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::While(_, _, b) | Kind::Loop(_, b) => {
            collect(b, declared, closures)
        }
        Kind::If(_, then, otherwise) => {
            collect(then, declared, closures);
            if let Some(otherwise) = otherwise {
                collect_in(otherwise, declared, closures);
            }
        }
        Kind::For(f) => {
            for binding in &f.pattern.names {
                declared.entry(binding.name.clone()).or_default();
            }
            collect(&f.body, declared, closures);
        }
        _ => {}
    }
}

fn collection_of(ty: &syn::Type) -> Option<&'static str> {
    match ty {
        syn::Type::Path(path) => types::unindexed(&path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

fn describe(value: &Expr, variable: &mut Declared) {
    match &value.bare().kind {
        Kind::Repeat(_, length) => {
            variable.buffer = true;
            variable.length = Some(length.text());
        }
        Kind::Array(elements) => {
            variable.buffer = true;
            variable.length = Some(elements.len().to_string());
        }
        Kind::Macro(name, _, _) if name == "vec" => {
            variable.buffer = true;
            let tokens = value.tokens.clone();
            if let Ok(mac) = syn::parse2::<syn::ExprMacro>(tokens) {
                let parser = |input: syn::parse::ParseStream<'_>| {
                    let _: syn::Expr = input.parse()?;
                    let _: syn::Token![;] = input.parse()?;
                    input.parse::<syn::Expr>()
                };
                if let Ok(length) = parser.parse2(mac.mac.tokens) {
                    variable.length = Some(length.to_token_stream().to_string());
                }
            }
        }
        Kind::Call(function, _) => {
            let text = function.text();
            variable.buffer |= text.starts_with("Vec");
            variable.collection = text.split(" :: ").find_map(types::unindexed);
            variable.made_by = Some(text);
        }
        Kind::Method(_, name, _, _) if methods::gives_iterator(name) => variable.iterator = true,
        Kind::Method(array, name, _, _) if name == "shape" || name == "raw_dim" => {
            variable.shape_of = array.name().map(str::to_owned);
        }
        Kind::Method(_, name, _, _) if name == "to_vec" || name == "collect" || name == "clone" => {
            variable.buffer = true
        }
        _ => {}
    }
}

/// The variable of which an expression is all: `x`, `&x`, `&x[..]`, `x.view()`.
fn whole(e: &Expr) -> Option<&str> {
    match &e.bare().kind {
        Kind::Name(name) => Some(name),
        Kind::Ref(_, inner) | Kind::Unary('*', inner) => whole(inner),
        Kind::Index(inner, index) if matches!(index.bare().kind, Kind::Range(None, None, _)) => whole(inner),
        Kind::Method(inner, name, args, _) if args.is_empty() && (name == "view" || name == "view_mut") => whole(inner),
        _ => None,
    }
}

/// Whether anything is pushed to the vector.
fn pushed(body: &Block, name: &str) -> bool {
    let mut found = false;
    body.walk(&mut |e| {
        if let Kind::Method(receiver, method, _, _) = &e.kind {
            found |= receiver.root() == Some(name) && methods::pushes(method);
        }
        !found
    });
    found
}

/// Lets callers pass whatever meets a bound, behind the reference that the author wrote.
fn accept(ty: &mut syn::Type, bound: TokenStream) {
    match ty {
        syn::Type::Reference(reference) => *reference.elem = syn::parse_quote!((impl #bound + ?Sized)),
        by_value => *by_value = syn::parse_quote!(impl #bound),
    }
}

/// Whether a slice is part of a type.
fn holds_slice(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(reference) => {
            matches!(&*reference.elem, syn::Type::Slice(_)) || holds_slice(&reference.elem)
        }
        syn::Type::Tuple(tuple) => tuple.elems.iter().any(holds_slice),
        syn::Type::Array(array) => holds_slice(&array.elem),
        syn::Type::Paren(inner) => holds_slice(&inner.elem),
        _ => false,
    }
}

fn vec_element(ty: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != "Vec" {
        return None;
    }
    match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => match args.args.first()? {
            syn::GenericArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn markers(attrs: &mut Vec<syn::Attribute>, report: &mut Report) -> (Option<Marker>, bool) {
    let (mut marker, mut replicated) = (None, false);
    attrs.retain(|attr| {
        let Some(name) = attr.path().segments.last().map(|s| s.ident.to_string()) else { return true };
        let found = match name.as_str() {
            "replicated" => {
                replicated = true;
                return false;
            }
            "gather" => Marker::Gather,
            "halo" => match attr.parse_args::<syn::Expr>() {
                Ok(width) => Marker::Halo(width.to_token_stream()),
                Err(_) => {
                    report.error(
                        Code::FA051,
                        &attr.to_token_stream(),
                        "`#[halo(..)]` needs a width",
                        "say how many elements away an iteration may read, `#[halo(nx)]`",
                    );
                    return false;
                }
            },
            _ => return true,
        };
        if marker.replace(found).is_some() {
            report.error(
                Code::FA051,
                &attr.to_token_stream(),
                "a parameter has one marker",
                "keep `#[gather]` or `#[halo(..)]`",
            );
        }
        false
    });
    (marker, replicated)
}

fn strip_markers(block: &mut syn::Block) {
    struct Strip;
    impl syn::visit_mut::VisitMut for Strip {
        fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
            f.attrs.retain(|a| a.path().segments.last().is_none_or(|s| s.ident != "sequential"));
            syn::visit_mut::visit_expr_for_loop_mut(self, f);
        }
    }
    syn::visit_mut::VisitMut::visit_block_mut(&mut Strip, block);
}

/// `impl Trait` in a type: its place, and its first words.
fn opaque_in(ty: TokenStream) -> Option<(Place, String)> {
    let mut tokens = ty.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            proc_macro2::TokenTree::Ident(word) if word == "impl" => {
                let of = tokens.peek().map_or_else(String::new, |of| format!(" {of}"));
                return Some((Place::from(token.span()), format!("impl{of}")));
            }
            proc_macro2::TokenTree::Group(group) => {
                if let Some(found) = opaque_in(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

fn refuse_signature(signature: &syn::Signature, report: &mut Report) {
    let mut refuse = |span: Span, what: &str, help: &str| report.error(Code::FA001, span, what, help);
    if let Some(token) = &signature.asyncness {
        refuse(
            token.span(),
            "an async function cannot be annotated: its loop could be suspended",
            "make it a plain function and call it from async code",
        );
    }
    if let Some(token) = &signature.constness {
        refuse(
            token.span(),
            "a const function cannot be annotated: nothing runs in parallel while compiling",
            "remove `const`",
        );
    }
    if let Some(abi) = &signature.abi {
        refuse(
            abi.span(),
            "a function with a foreign calling convention cannot be annotated: its parameters become generic",
            "annotate a Rust function and call it from this one",
        );
    }
    if let Some(variadic) = &signature.variadic {
        refuse(variadic.span(), "a variadic function cannot be annotated", "take slices");
    }
    if let syn::ReturnType::Type(_, ty) = &signature.output
        && let Some((place, text)) = opaque_in(ty.to_token_stream())
    {
        report.error(
            Code::FA003,
            place,
            format!("`{text} ..` is a type that only the body tells, and the function has two bodies: its own, and the sequential one"),
            "return the type itself, or annotate a function that does and call it from this one",
        );
    }
    if let Some(syn::FnArg::Receiver(receiver)) = signature.inputs.first()
        && matches!(receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
    {
        report.error(
            Code::FA003,
            &receiver.to_token_stream(),
            "`&mut self` would be shared by all iterations",
            "take `&self`, and what is written as parameters",
        );
    }
}

fn parse_args(attribute: Attribute, tokens: TokenStream, report: &mut Report) -> Args {
    let mut args = Args::default();
    let mut seen: Vec<String> = Vec::new();
    type List = syn::punctuated::Punctuated<syn::Meta, syn::Token![,]>;
    let allowed: &[&str] = match attribute {
        Attribute::Foreach => &["explain", "associated"],
        Attribute::ForeachTls => &["explain", "associated", "init", "merge"],
        Attribute::DistributedScan => &["explain", "associated", "combine", "k"],
        Attribute::KaryReduce => &["explain", "associated", "combine", "k"],
    };
    let list = match List::parse_terminated.parse2(tokens.clone()) {
        Ok(list) => list,
        Err(error) => {
            report.error(
                Code::FA002,
                error.span(),
                format!("the arguments of `#[{}]` cannot be read: {error}", attribute.name()),
                format!("arguments are {}", shown(allowed)),
            );
            return args;
        }
    };
    for meta in list {
        let name = meta.path().to_token_stream().to_string();
        if seen.contains(&name) {
            report.error(Code::FA002, &meta.to_token_stream(), format!("`{name}` is given twice"), "keep one");
            continue;
        }
        seen.push(name.clone());
        let malformed = |report: &mut Report, what: &str| {
            let found = crate::ir::report::shown(&meta.to_token_stream().to_string());
            report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`{found}` is not what `{name}` takes"),
                format!("write `{what}`"),
            );
        };
        if !allowed.contains(&name.as_str()) {
            report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`#[{}]` has no argument `{name}`", attribute.name()),
                format!("it has {}", shown(allowed)),
            );
            continue;
        }
        let value = match &meta {
            syn::Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        };
        match (name.as_str(), value) {
            ("explain", None) if matches!(meta, syn::Meta::Path(_)) => args.explain = true,
            ("explain", _) => malformed(report, "explain"),
            ("associated", None) if matches!(meta, syn::Meta::Path(_)) => args.associated = true,
            ("associated", _) => malformed(report, "associated"),
            ("k", Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(k), .. }))) => {
                match k.base10_parse::<usize>() {
                    Ok(k) if k >= 2 => args.arity = Some(k),
                    _ => report.error(Code::FA002, k.span(), "`k` is the arity of a tree, at least 2", "write `k = 8`"),
                }
            }
            ("k", _) => malformed(report, "k = 8"),
            (_, Some(syn::Expr::Path(path))) => {
                let path = path.to_token_stream();
                match name.as_str() {
                    "init" => args.init = Some(path),
                    "merge" => args.merge = Some(path),
                    _ => args.combine = Some(path),
                }
            }
            _ => report.error(
                Code::FA002,
                &meta.to_token_stream(),
                format!("`{name}` names a function"),
                format!("write `{name} = path::to::function`"),
            ),
        }
    }
    if args.init.is_some() != args.merge.is_some() {
        report.error(
            Code::FA002,
            &tokens,
            "`init` and `merge` belong together",
            "give both: `init` is `fn() -> S`, `merge` is `fn(&mut S, S)`; or implement `forall::Merge` and give none",
        );
    }
    args
}

fn shown(allowed: &[&str]) -> String {
    allowed.iter().map(|a| format!("`{a}`")).collect::<Vec<_>>().join(", ")
}

/// The name under which a sibling item of a method goes.
pub fn sibling(function: &syn::Ident, suffix: &str) -> syn::Ident {
    format_ident!("{}_{suffix}", function)
}
