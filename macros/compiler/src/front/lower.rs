//! From `syn` to the IR. Nothing is judged here, and nothing can fail.

use crate::front::exits::ends as ends_of;
use crate::front::tokens::{bare, names_in, op};
use crate::ir::print::statement_of;
use crate::ir::{
    Arm, Binding, Block, Constant, Expr, For, Form, Head, Id, Item, Kind, Label, Local, Nested, Pattern, Statement,
    StatementKind, Unknown, Written,
};
use crate::language::methods;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use std::cell::Cell;
use std::rc::Rc;
use syn::spanned::Spanned;

/// Hands out the numbers of nodes. Clones do not hand out the same ones: what is lowered later has numbers of its own.
#[derive(Debug, Clone, Default)]
pub struct Lower {
    last: Rc<Cell<Id>>,
    /// Whether this is inside of a loop.
    inside: bool,
}

/// The range that [`canonical`](super::canonical) has made of `x[a..][..n]`.
fn part_of_rest(e: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::Call(call) = e else { return None };
    let syn::Expr::Path(function) = &*call.func else { return None };
    let ours = function.path.leading_colon.is_some() && function.path.segments.last()?.ident == "part_of_rest";
    let (start, length) = (call.args.first().filter(|_| ours)?, call.args.last()?);
    Some(syn::parse_quote!(#start..(#start) + (#length)))
}

/// The spans of the first token of an expression and of its last one, if its parts tell them: to ask all of its tokens takes longer.
fn ends(e: &syn::Expr, kind: &Kind) -> Option<(Span, Span)> {
    use syn::Expr as E;
    let last = match e {
        E::Path(path) if path.attrs.is_empty() && path.qself.is_none() => {
            let span = path.path.get_ident()?.span();
            return Some((span, span));
        }
        E::Lit(literal) if literal.attrs.is_empty() => return Some((literal.lit.span(), literal.lit.span())),
        E::Index(index) if index.attrs.is_empty() => index.bracket_token.span.join(),
        E::Call(call) if call.attrs.is_empty() => call.paren_token.span.join(),
        E::MethodCall(call) if call.attrs.is_empty() => call.paren_token.span.join(),
        E::Binary(binary) if binary.attrs.is_empty() => match kind {
            Kind::Binary(_, _, right) | Kind::Assign(_, _, right) => right.span,
            _ => return None,
        },
        E::Assign(assign) if assign.attrs.is_empty() => match kind {
            Kind::Assign(_, _, right) => right.span,
            _ => return None,
        },
        _ => return None,
    };
    match kind {
        Kind::Index(first, _)
        | Kind::Call(first, _)
        | Kind::Method(first, ..)
        | Kind::Binary(_, first, _)
        | Kind::Assign(first, ..) => Some((first.span, last)),
        _ => None,
    }
}

/// `(&mut e).rotate_left(1)` of the statement `e.rotate_left(1);`. Numbers have a method of this name too, but the statement would have
/// no effect.
fn changes_receiver(e: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::MethodCall(call) = e else { return None };
    let part = matches!(bare(&call.receiver), syn::Expr::Index(_) | syn::Expr::Field(_));
    (methods::is_ambiguous(&call.method.to_string()) && part).then_some(())?;
    let (receiver, mut changed) = (&call.receiver, call.clone());
    changed.receiver = Box::new(syn::parse_quote_spanned!(receiver.span()=> (&mut #receiver)));
    Some(syn::Expr::MethodCall(changed))
}

impl Lower {
    pub fn id(&mut self) -> Id {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }

    /// A node that stands for these tokens.
    pub fn node(&mut self, kind: Kind, span: Span, tokens: TokenStream) -> Expr {
        Expr { id: self.id(), kind, span, tokens }
    }

    fn boxed(&mut self, e: &syn::Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    pub(super) fn list<'e>(&mut self, es: impl IntoIterator<Item = &'e syn::Expr>) -> Vec<Expr> {
        es.into_iter().map(|e| self.expr(e)).collect()
    }

    fn label(label: Option<&syn::Label>) -> Label {
        Label {
            name: label.map(|l| l.name.ident.to_string()),
            tokens: label.map(ToTokens::to_token_stream).unwrap_or_default(),
        }
    }

    /// An expression. A table, with an arm for each kind.
    pub fn expr(&mut self, e: &syn::Expr) -> Expr {
        use syn::Expr as E;
        let kind = match e {
            E::Path(p) => match (p.qself.is_none(), p.path.get_ident()) {
                (true, Some(ident)) => Kind::Name(Local::from(ident)),
                _ => Kind::Path,
            },
            E::Lit(l) => match &l.lit {
                syn::Lit::Int(int) => int.base10_parse().map_or(Kind::Literal, Kind::Int),
                _ => Kind::Literal,
            },
            E::Paren(p) => Kind::Paren(self.boxed(&p.expr)),
            E::Group(g) => Kind::Paren(self.boxed(&g.expr)),
            E::Unary(u) => {
                let op = match u.op {
                    syn::UnOp::Deref(_) => '*',
                    syn::UnOp::Not(_) => '!',
                    _ => '-',
                };
                Kind::Unary(op, self.boxed(&u.expr))
            }
            E::Binary(b) => {
                let (left, right) = (self.boxed(&b.left), self.boxed(&b.right));
                match op(&b.op) {
                    Some((op, true)) => Kind::Assign(left, Some(op), right),
                    Some((op, false)) => Kind::Binary(op, left, right),
                    None => self.opaque(Unknown::Syntax, vec![*left, *right], TokenStream::new()),
                }
            }
            E::Assign(a) => Kind::Assign(self.boxed(&a.left), None, self.boxed(&a.right)),
            E::Index(i) => Kind::Index(self.boxed(&i.expr), self.boxed(&i.index)),
            E::Range(r) => Kind::Range(
                r.start.as_ref().map(|e| self.boxed(e)),
                r.end.as_ref().map(|e| self.boxed(e)),
                matches!(r.limits, syn::RangeLimits::Closed(_)),
            ),
            E::Field(f) => Kind::Field(self.boxed(&f.base), f.member.to_token_stream().to_string()),
            E::MethodCall(m) => {
                let (name, turbofish) = (&m.method, &m.turbofish);
                let receiver = self.boxed(&m.receiver);
                let args = m.args.iter().map(|e| self.argument(name, e)).collect();
                Kind::Method(receiver, name.to_string(), args, quote!(.#name #turbofish))
            }
            E::Call(c) => Kind::Call(self.boxed(&c.func), self.list(&c.args)),
            E::Cast(c) => {
                let ty = &c.ty;
                Kind::Cast(self.boxed(&c.expr), ty.to_token_stream().to_string(), ty.to_token_stream())
            }
            E::Reference(r) => Kind::Ref(r.mutability.is_some(), self.boxed(&r.expr)),
            // Writes through a raw pointer are not visible.
            E::RawAddr(r) if matches!(r.mutability, syn::PointerMutability::Mut(_)) => {
                let borrow = Kind::Ref(true, self.boxed(&r.expr));
                let borrow = vec![self.node(borrow, r.span(), r.to_token_stream())];
                self.opaque(Unknown::RawPointer, borrow, TokenStream::new())
            }
            E::RawAddr(r) => Kind::Ref(false, self.boxed(&r.expr)),
            E::Tuple(t) => Kind::Tuple(self.list(&t.elems)),
            E::Array(a) => Kind::Array(self.list(&a.elems)),
            E::Repeat(r) => Kind::Repeat(self.boxed(&r.expr), self.boxed(&r.len)),
            E::Struct(s) => Kind::Struct(
                s.path.to_token_stream(),
                s.fields.iter().map(|f| (f.member.to_token_stream(), self.expr(&f.expr))).collect(),
                s.rest.as_ref().map(|e| self.boxed(e)),
            ),
            E::Block(b) => match &b.label {
                Some(label) => {
                    Kind::Labeled(label.name.ident.to_string(), label.to_token_stream(), self.block(&b.block))
                }
                None => Kind::Block(self.block(&b.block)),
            },
            E::If(i) => Kind::If(
                self.boxed(&i.cond),
                self.block(&i.then_branch),
                i.else_branch.as_ref().map(|(_, e)| self.boxed(e)),
            ),
            E::Let(l) => Kind::Let(self.pattern(&l.pat), self.boxed(&l.expr)),
            E::Match(m) => Kind::Match(
                self.boxed(&m.expr),
                m.arms
                    .iter()
                    .map(|arm| {
                        let (pattern, guard) = match &arm.pat {
                            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
                            pattern => (pattern, None),
                        };
                        Arm {
                            pattern: self.pattern(pattern),
                            guard: guard.map(|e| self.expr(e)),
                            body: self.expr(&arm.body),
                        }
                    })
                    .collect(),
            ),
            E::ForLoop(f) => Kind::For(Rc::new(self.for_loop(f))),
            E::While(w) => Kind::While(Self::label(w.label.as_ref()), self.boxed(&w.cond), self.body(&w.body)),
            E::Loop(l) => Kind::Loop(Self::label(l.label.as_ref()), self.body(&l.body)),
            E::Break(b) => {
                Kind::Break(b.label.as_ref().map(|l| l.ident.to_string()), b.expr.as_ref().map(|e| self.boxed(e)))
            }
            E::Continue(c) => Kind::Continue(c.label.as_ref().map(|l| l.ident.to_string())),
            E::Return(r) => Kind::Return(r.expr.as_ref().map(|e| self.boxed(e))),
            E::Try(t) => Kind::Try(self.boxed(&t.expr)),
            E::Closure(c) => {
                let mut head = c.clone();
                *head.body = syn::Expr::Verbatim(TokenStream::new());
                let output = match &c.output {
                    syn::ReturnType::Type(_, ty) => Some(Written::of(ty.to_token_stream())),
                    syn::ReturnType::Default => None,
                };
                let head = Head { tokens: head.to_token_stream(), moves: c.capture.is_some(), output };
                Kind::Closure(c.inputs.iter().map(|p| self.pattern(p)).collect(), Box::new(head), self.boxed(&c.body))
            }
            E::Macro(m) => self.macro_call(&m.mac, Unknown::Macro),
            E::Unsafe(u) => {
                let block = self.block(&u.block);
                let inner = self.node(Kind::Block(block), u.span(), u.block.to_token_stream());
                self.opaque(Unknown::Unsafe, vec![inner], TokenStream::new())
            }
            E::Await(a) => {
                let base = vec![self.expr(&a.base)];
                self.opaque(Unknown::Await, base, TokenStream::new())
            }
            E::Yield(y) => {
                let value = self.list(y.expr.as_deref());
                self.opaque(Unknown::Yield, value, TokenStream::new())
            }
            // The place `_`.
            E::Infer(_) => Kind::Path,
            _ => self.opaque(Unknown::Syntax, Vec::new(), e.to_token_stream()),
        };
        let kind = part_of_rest(e).map_or(kind, |range| self.expr(&range).kind);
        let tokens = match (e, &kind) {
            // The marker is ours: it must not reach the compiler.
            (E::ForLoop(f), Kind::For(lowered)) if lowered.sequential || lowered.ends.is_some() => {
                let mut f = f.clone();
                if let Some(condition) = ends_of(&f) {
                    f.body.stmts.push(syn::parse_quote!(if #condition { break; }));
                }
                f.attrs.clear();
                f.to_token_stream()
            }
            // These loops run in order with the marker and without it.
            (E::While(w), _) => syn::ExprWhile { attrs: Vec::new(), ..w.clone() }.to_token_stream(),
            (E::Loop(l), _) => syn::ExprLoop { attrs: Vec::new(), ..l.clone() }.to_token_stream(),
            _ => e.to_token_stream(),
        };
        let span = ends(e, &kind).map_or_else(|| tokens.span(), |(first, last)| first.join(last).unwrap_or(first));
        self.node(kind, span, tokens)
    }

    fn for_loop(&mut self, f: &syn::ExprForLoop) -> For {
        For {
            label: Self::label(f.label.as_ref()),
            pattern: self.pattern(&f.pat),
            source: self.expr(&f.expr),
            body: self.body(&f.body),
            span: f.for_token.span,
            sequential: f.attrs.iter().any(|a| a.path().segments.last().is_some_and(|s| s.ident == "sequential")),
            counts_by_while: false,
            ends: ends_of(f).map(|condition| self.expr(&condition)),
        }
    }

    /// A block that runs again and again.
    pub fn body(&mut self, block: &syn::Block) -> Block {
        let around = std::mem::replace(&mut self.inside, true);
        // Its value is nothing, so that its last statement may end without a semicolon.
        let block = match block.stmts.last() {
            Some(syn::Stmt::Expr(syn::Expr::MethodCall(call), None)) => {
                let mut block = block.clone();
                if let Some(syn::Stmt::Expr(_, end)) = block.stmts.last_mut() {
                    *end = Some(syn::Token![;](call.span()));
                }
                self.block(&block)
            }
            _ => self.block(block),
        };
        self.inside = around;
        block
    }

    pub fn block(&mut self, block: &syn::Block) -> Block {
        let unknown = if let [syn::Stmt::Macro(_)] = &*block.stmts { Unknown::Macro } else { Unknown::Statement };
        let mut statements: Vec<_> = block.stmts.iter().map(|s| self.statement(s, unknown)).collect();
        for at in (1..statements.len()).rev().filter(|_| self.inside).collect::<Vec<_>>() {
            if let Some(e) = self.counted(&statements[at - 1], &statements[at], &statements[at + 1..]) {
                let (id, tokens, kind) = (self.id(), e.tokens.clone(), StatementKind::Expr(e, false));
                statements.splice(at - 1..=at, [Statement { id, tokens, kind }]);
            }
        }
        Block { statements }
    }

    fn statement(&mut self, s: &syn::Stmt, unknown: Unknown) -> Statement {
        let kind = match s {
            syn::Stmt::Local(local) => {
                let (value, otherwise) = match &local.init {
                    Some(init) => {
                        let value = self.expr(&init.expr);
                        (Some(value), init.diverge.as_ref().map(|(_, e)| self.expr(e)))
                    }
                    None => (None, None),
                };
                StatementKind::Let(self.pattern(&local.pat), value, otherwise)
            }
            syn::Stmt::Item(item) => StatementKind::Item(self.item(item)),
            syn::Stmt::Expr(e, semi) => {
                let changed = semi.and_then(|_| changes_receiver(e));
                StatementKind::Expr(self.expr(changed.as_ref().unwrap_or(e)), semi.is_some())
            }
            syn::Stmt::Macro(m) => {
                let kind = self.macro_call(&m.mac, unknown);
                let e = self.node(kind, m.span(), m.mac.to_token_stream());
                StatementKind::Expr(e, m.semi_token.is_some())
            }
        };
        let tokens = match &kind {
            StatementKind::Expr(e, semi) => statement_of(e, e.tokens.clone(), *semi),
            _ => s.to_token_stream(),
        };
        Statement { id: self.id(), kind, tokens }
    }

    fn item(&mut self, item: &syn::Item) -> Item {
        let mut constant = |name, ty: &dyn ToTokens, value| {
            let ty = Written::of(ty.to_token_stream());
            Item::Constant(Rc::new(Constant { name: Local::from(name), ty, value: self.expr(value) }))
        };
        match item {
            syn::Item::Fn(function) => self.nested(function),
            syn::Item::Const(item) => constant(&item.ident, &item.ty, &item.expr),
            syn::Item::Static(item) if matches!(item.mutability, syn::StaticMutability::None) => {
                constant(&item.ident, &item.ty, &item.expr)
            }
            syn::Item::Use(item) => {
                let mut names = Vec::new();
                let all = used(&item.tree, item.leading_colon.to_token_stream(), &mut names);
                Item::Use(names, all)
            }
            syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_) | syn::Item::Type(_) => Item::Named,
            syn::Item::Mod(_) | syn::Item::Static(_) | syn::Item::Macro(_) => Item::Named,
            _ => Item::Other,
        }
    }

    fn nested(&mut self, function: &syn::ItemFn) -> Item {
        let (signature, body) = (&function.sig, &function.block);
        let generic: Vec<String> = signature.generics.type_params().map(|ty| ty.ident.to_string()).collect();
        // A type that depends on the parameters follows from the arguments of a call.
        let written = |ty: &syn::Type| {
            let (tokens, mut names) = (ty.to_token_stream(), Vec::new());
            names_in(tokens.clone(), &mut names);
            let depends = names.iter().any(|(name, _)| generic.contains(name)) || matches!(ty, syn::Type::ImplTrait(_));
            (!depends).then(|| Written::of(tokens))
        };
        let mut parameters = Vec::new();
        for input in &signature.inputs {
            let syn::FnArg::Typed(input) = input else { return Item::Other };
            parameters.push(Pattern { ty: written(&input.ty), ..self.pattern(&input.pat) });
        }
        let output = match &signature.output {
            syn::ReturnType::Type(_, ty) => written(ty),
            syn::ReturnType::Default => Some(Written::of(quote!(()))),
        };
        let block = self.block(body);
        let body = self.node(Kind::Block(block), body.span(), body.to_token_stream());
        let mut seen = signature.generics.params.is_empty() && signature.asyncness.is_none();
        body.walk(&mut |e| {
            seen &= !matches!(&e.kind, Kind::Call(function, _) if function.name().is_some());
            seen
        });
        let counts = signature.generics.const_params().next().is_some();
        let name = Local::from(&signature.ident);
        Item::Function(Rc::new(Nested { name, parameters, output, generic, body, counts, seen }))
    }

    /// A pattern. A table, with an arm for each kind.
    pub fn pattern(&mut self, p: &syn::Pat) -> Pattern {
        use syn::Pat as P;
        let mut all = |parts: &syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>| -> Vec<Pattern> {
            parts.iter().map(|p| self.pattern(p)).collect()
        };
        let (mut names, mut ty) = (Vec::new(), None);
        let form = match p {
            P::Wild(_) => Form::Any,
            P::Rest(_) => Form::Rest,
            P::Ident(i) => {
                let binding = Binding {
                    name: Local::from(&i.ident),
                    mutable: i.mutability.is_some(),
                    refers: i.by_ref.is_some(),
                };
                names.push(binding.clone());
                Form::Name(binding, i.subpat.as_ref().map(|(_, inner)| Box::new(self.pattern(inner))))
            }
            P::Reference(r) => Form::Reference(Box::new(self.pattern(&r.pat))),
            P::Tuple(t) => Form::Tuple(all(&t.elems)),
            P::Slice(s) => Form::Slice(all(&s.elems)),
            P::TupleStruct(t) => {
                let name = t.path.segments.last().map_or(Local::named(""), |name| Local::from(&name.ident));
                Form::Variant(name, all(&t.elems))
            }
            P::Struct(s) => {
                let fields = s.fields.iter();
                let fields = fields.map(|f| (f.member.to_token_stream().to_string(), self.pattern(&f.pat)));
                Form::Struct(fields.collect())
            }
            P::Or(o) => Form::Or(o.cases.iter().map(|p| self.pattern(p)).collect()),
            P::Range(r) => {
                let mut end = |e: &Option<Box<syn::Expr>>| e.as_ref().and_then(|e| self.value(e.to_token_stream()));
                Form::Range(end(&r.start), end(&r.end), matches!(r.limits, syn::RangeLimits::Closed(_)))
            }
            P::Lit(_) | P::Path(_) | P::Verbatim(_) | P::Const(_) => {
                self.value(p.to_token_stream()).map_or(Form::Other, Form::Value)
            }
            P::Paren(syn::PatParen { pat, .. }) | P::Type(syn::PatType { pat, .. }) => {
                let inner = self.pattern(pat);
                names.extend(inner.names);
                ty = inner.ty;
                inner.form
            }
            _ => Form::Other,
        };
        if let P::Type(t) = p {
            ty = Some(Written::of(t.ty.to_token_stream()));
        }
        match &form {
            Form::Name(_, Some(inner)) | Form::Reference(inner) => names.extend(inner.names.iter().cloned()),
            Form::Tuple(parts) | Form::Slice(parts) | Form::Variant(_, parts) | Form::Or(parts) => {
                names.extend(parts.iter().flat_map(|part| part.names.iter().cloned()));
            }
            Form::Struct(fields) => names.extend(fields.iter().flat_map(|(_, part)| part.names.iter().cloned())),
            _ => {}
        }
        Pattern { tokens: p.to_token_stream(), names, form, ty }
    }

    /// The value that a pattern stands for. A negative literal is one token of `syn` there, and an operation elsewhere.
    fn value(&mut self, tokens: TokenStream) -> Option<Box<Expr>> {
        syn::parse2(tokens).ok().map(|e| self.boxed(&e))
    }
}

/// The names of a `use`, with their paths. Whether these are all.
fn used(tree: &syn::UseTree, before: TokenStream, to: &mut Vec<(Local, TokenStream)>) -> bool {
    match tree {
        syn::UseTree::Path(syn::UsePath { ident, tree, .. }) => used(tree, quote!(#before #ident ::), to),
        syn::UseTree::Group(group) => group.items.iter().all(|tree| used(tree, before.clone(), to)),
        syn::UseTree::Name(syn::UseName { ident }) if ident != "self" => {
            to.push((Local::from(ident), quote!(#before #ident)));
            true
        }
        syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) if ident != "self" => {
            to.push((Local::from(rename), quote!(#before #ident)));
            true
        }
        _ => false,
    }
}
