//! Counters of iterations: a loop that ends with `k += 2` and writes `out[k]` writes `out[first + 2 * number]`.
//!
//! After the loop, the counter is `first` and two for each iteration. So the loop around it may count by the same variable.

use super::parameters::slices;
use super::tokens::{bare, changed, name_of, names_in, op};
use crate::ir::Local;
use crate::language::macros;
use crate::maps::{HashMap, HashSet, New as _};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// Computes counters from the numbers of the iterations. The result has each new name with the counter's, for messages.
pub fn number_counters(signature: &syn::Signature, block: &mut syn::Block) -> Vec<(String, String)> {
    let slices = slices(signature).map(|slice| (slice.name, slice.mutable)).collect();
    let sizes = Sizes::default();
    let mut counters = Counters { slices, mentions: HashMap::new(), known: HashSet::new(), sizes, names: Vec::new() };
    let mut candidates = Candidates { counters: &counters, found: false };
    candidates.visit_block(block);
    if candidates.found {
        counters.mentions = mentions(block.to_token_stream());
        counters.sizes = Sizes::of(signature, block);
        counters.visit_block_mut(block);
    }
    counters.names
}

/// Looks for statements that may count.
struct Candidates<'a> {
    counters: &'a Counters,
    found: bool,
}

impl<'ast> Visit<'ast> for Candidates<'_> {
    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        let any = Changes::default();
        let counts =
            |statement| counted(statement).is_some_and(|(_, step, _)| is_kept(step, &any, &self.counters.slices));
        self.found |= f.body.stmts.iter().any(counts);
        syn::visit::visit_expr_for_loop(self, f);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// How often tokens mention each variable.
fn mentions(tokens: TokenStream) -> HashMap<Local, usize> {
    let (mut names, mut mentions) = (Vec::new(), HashMap::new());
    names_in(tokens, &mut names);
    names.iter().for_each(|(name, _)| *mentions.entry(Local::named(name)).or_default() += 1);
    mentions
}

struct Counters {
    /// The parameters that are slices, and whether they are mutable.
    slices: HashMap<Local, bool>,
    mentions: HashMap<Local, usize>,
    /// The counters of the loops inside, which are of type `usize`.
    known: HashSet<Local>,
    sizes: Sizes,
    names: Vec<(String, String)>,
}

/// Slices, and variables of type `usize`: parameters of that type, and what is computed from them and the lengths of slices.
#[derive(Default)]
struct Sizes(HashSet<Local>);

impl Sizes {
    fn of(signature: &syn::Signature, block: &syn::Block) -> Sizes {
        let mut sizes = Sizes::default();
        sizes.visit_signature(signature);
        sizes.visit_block(block);
        sizes
    }

    fn contains(&self, e: &syn::Expr) -> bool {
        match bare(e) {
            syn::Expr::Binary(binary) => self.contains(&binary.left) || self.contains(&binary.right),
            syn::Expr::MethodCall(call) if call.method == "len" => {
                name_of(&call.receiver).is_some_and(|name| self.0.contains(&Local::from(name)))
            }
            syn::Expr::MethodCall(call) if call.method == "isqrt" || keeps_the_type(&call.method) => {
                self.contains(&call.receiver)
            }
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.suffix() == "usize",
            e => name_of(e).is_some_and(|name| self.0.contains(&Local::from(name))),
        }
    }
}

impl<'ast> Visit<'ast> for Sizes {
    fn visit_pat_type(&mut self, parameter: &'ast syn::PatType) {
        let is_slice = matches!(&*parameter.ty, syn::Type::Reference(of) if matches!(*of.elem, syn::Type::Slice(_)));
        if let syn::Pat::Ident(name) = &*parameter.pat
            && (is_slice || matches!(&*parameter.ty, syn::Type::Path(path) if path.path.is_ident("usize")))
        {
            self.0.insert(Local::from(&name.ident));
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        syn::visit::visit_local(self, local);
        if let (syn::Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && name.by_ref.is_none()
            && self.contains(&init.expr)
        {
            self.0.insert(Local::from(&name.ident));
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// A counter of a loop.
struct Counter {
    name: Ident,
    /// The statements that count, each with its step.
    steps: Vec<(usize, syn::Expr)>,
    down: bool,
}

/// The variables that a loop binds and changes.
#[derive(Default)]
pub(super) struct Changes {
    pub bound: HashSet<Local>,
    pub changed: Vec<Local>,
    /// Whether an iteration may end early, or leave the loop.
    pub leaves: bool,
    /// The number of loops around.
    depth: usize,
}

impl Changes {
    pub fn keep(&self, name: Local) -> bool {
        !self.bound.contains(&name) && !self.changed.contains(&name)
    }

    fn change(&mut self, place: &syn::Expr) {
        self.changed.extend(root(place).map(Local::from));
    }
}

/// The variable of a place.
fn root(e: &syn::Expr) -> Option<&Ident> {
    match bare(e) {
        syn::Expr::Field(syn::ExprField { base: of, .. })
        | syn::Expr::Index(syn::ExprIndex { expr: of, .. })
        | syn::Expr::Unary(syn::ExprUnary { expr: of, .. }) => root(of),
        e => name_of(e),
    }
}

impl<'ast> Visit<'ast> for Changes {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        use syn::Expr as E;
        let depth = self.depth;
        changed(e).into_iter().for_each(|place| self.change(place));
        match e {
            E::ForLoop(_) | E::While(_) | E::Loop(_) => self.depth += 1,
            E::Continue(syn::ExprContinue { label, .. }) | E::Break(syn::ExprBreak { label, .. }) => {
                self.leaves |= depth == 0 || label.is_some();
            }
            E::Return(_) | E::Try(_) | E::Await(_) | E::Yield(_) | E::Verbatim(_) => self.leaves = true,
            _ => {}
        }
        syn::visit::visit_expr(self, e);
        self.depth = depth;
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.bound.insert(Local::from(&pattern.ident));
    }

    fn visit_macro(&mut self, of: &'ast syn::Macro) {
        let mut names = Vec::new();
        names_in(of.tokens.clone(), &mut names);
        self.changed.extend(names.iter().map(|(name, _)| Local::named(name)));
        // Another macro may go on with the next iteration.
        self.leaves |= macros::arguments(&of.path.to_token_stream().to_string().replace(' ', "")).is_none();
    }
}

/// `k` and `e` of `k += e`, `k -= e`, `k = k + e` and their kin, and whether it counts down.
pub(super) fn counted(statement: &syn::Stmt) -> Option<(&Ident, &syn::Expr, bool)> {
    let syn::Stmt::Expr(e, Some(_)) = statement else { return None };
    let (place, operator, step) = match e {
        syn::Expr::Binary(binary) => (name_of(&binary.left)?, &binary.op, &*binary.right),
        syn::Expr::Assign(assign) => {
            let (name, syn::Expr::Binary(sum)) = (name_of(&assign.left)?, bare(&assign.right)) else { return None };
            let is_name = |e: &syn::Expr| name_of(e).is_some_and(|other| other == name);
            match sum.op {
                syn::BinOp::Add(_) | syn::BinOp::Sub(_) if is_name(&sum.left) => (name, &sum.op, &*sum.right),
                syn::BinOp::Add(_) if is_name(&sum.right) => (name, &sum.op, &*sum.left),
                _ => return None,
            }
        }
        _ => return None,
    };
    match operator {
        syn::BinOp::AddAssign(_) | syn::BinOp::Add(_) => Some((place, step, false)),
        syn::BinOp::SubAssign(_) | syn::BinOp::Sub(_) => Some((place, step, true)),
        _ => None,
    }
}

/// Whether a method of a number gives a number of its type, and never panics.
fn keeps_the_type(method: &Ident) -> bool {
    ["min", "max", "saturating_add", "saturating_sub", "wrapping_add", "wrapping_sub"].iter().any(|name| method == name)
}

/// Whether an index is computed from a variable, or from another one that is set to it or to a sum with it (`let at = k + 1;`). It then is a
/// `usize`.
pub(super) fn indexes(body: &syn::Block, name: &Ident) -> bool {
    indexes_by(body, name) || body.stmts.iter().filter_map(|s| moved_from(s, name)).any(|other| indexes_by(body, other))
}

/// The variable that a statement sets to another one, or to a sum or a difference with it.
fn moved_from<'s>(statement: &'s syn::Stmt, name: &Ident) -> Option<&'s Ident> {
    let (other, value) = set_to(statement)?;
    let is_sum = match bare(value) {
        syn::Expr::Binary(sum) => matches!(sum.op, syn::BinOp::Add(_) | syn::BinOp::Sub(_)),
        e => name_of(e).is_some(),
    };
    (is_sum && computes(value, name)).then_some(other)
}

/// The variable that a statement declares or sets, and its value.
pub(super) fn set_to(statement: &syn::Stmt) -> Option<(&Ident, &syn::Expr)> {
    match statement {
        syn::Stmt::Expr(syn::Expr::Assign(assign), Some(_)) => Some((name_of(&assign.left)?, &assign.right)),
        syn::Stmt::Local(syn::Local { pat, init: Some(syn::LocalInit { expr, diverge: None, .. }), .. }) => {
            let pattern = if let syn::Pat::Type(typed) = pat { &*typed.pat } else { pat };
            match pattern {
                syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, .. }) => Some((ident, expr)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn computes(e: &syn::Expr, name: &Ident) -> bool {
    match bare(e) {
        syn::Expr::Binary(binary) => computes(&binary.left, name) || computes(&binary.right, name),
        syn::Expr::Range(range) => range.start.iter().chain(&range.end).any(|end| computes(end, name)),
        syn::Expr::MethodCall(call) => keeps_the_type(&call.method) && computes(&call.receiver, name),
        e => name_of(e).is_some_and(|other| other == name),
    }
}

fn indexes_by(body: &syn::Block, name: &Ident) -> bool {
    super::tokens::Find::in_block(body, |e| match e {
        syn::Expr::Index(index) => computes(&index.index, name),
        _ => false,
    })
}

/// The number of an iteration, of a loop over a range of `usize`.
fn number_of(f: &syn::ExprForLoop, sizes: &Sizes) -> Option<TokenStream> {
    let (syn::Pat::Ident(name), syn::Expr::Range(range)) = (&*f.pat, bare(&f.expr)) else { return None };
    let (name, start) = (&name.ident, range.start.as_ref()?);
    let at = name.span();
    let of_usize = indexes(&f.body, name) || range.end.as_ref().is_some_and(|end| sizes.contains(end));
    of_usize.then(|| match literal(start) {
        Some(0) => quote_spanned!(at=> #name),
        _ => quote_spanned!(at=> (#name - (#start))),
    })
}

/// The value of a literal without a type.
pub(super) fn literal(e: &syn::Expr) -> Option<usize> {
    match bare(e) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) if int.suffix().is_empty() => {
            int.base10_parse().ok()
        }
        _ => None,
    }
}

/// Whether an expression has the same value in all iterations, without side effects.
pub(super) fn is_kept(e: &syn::Expr, changes: &Changes, slices: &HashMap<Local, bool>) -> bool {
    let is_kept = |e: &syn::Expr| is_kept(e, changes, slices);
    match bare(e) {
        syn::Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Int(_)),
        syn::Expr::Binary(binary) => {
            let computes = op(&binary.op).is_some_and(|(_, assigns)| !assigns);
            computes && is_kept(&binary.left) && is_kept(&binary.right)
        }
        syn::Expr::MethodCall(call) if call.method == "len" => {
            let slice = |name| slices.contains_key(&Local::from(name));
            name_of(&call.receiver).is_some_and(|name| slice(name) || changes.keep(Local::from(name)))
        }
        syn::Expr::MethodCall(call) if keeps_the_type(&call.method) => {
            is_kept(&call.receiver) && call.args.iter().all(&is_kept)
        }
        syn::Expr::Field(field) => is_kept(&field.base),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => literal(expr).is_some(),
        syn::Expr::Cast(cast) => is_kept(&cast.expr),
        e => name_of(e).is_some_and(|name| changes.keep(Local::from(name))),
    }
}

impl Counters {
    /// The same iterations as an iterator of std, and their number, if it is known.
    fn source(&self, f: &syn::ExprForLoop, changes: &Changes) -> Option<(TokenStream, Option<TokenStream>)> {
        let (e, at, of_usize) = (&*f.expr, f.expr.span(), number_of(f, &self.sizes).is_some());
        let of_slice = |name: &Ident, mutable: bool| {
            let iterator =
                if mutable { quote_spanned!(at=> #name.iter_mut()) } else { quote_spanned!(at=> #name.iter()) };
            (iterator, Some(quote_spanned!(at=> #name.len())))
        };
        match bare(e) {
            syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) => {
                let kept = is_kept(start, changes, &self.slices) && is_kept(end, changes, &self.slices);
                let one = usize::from(matches!(limits, syn::RangeLimits::Closed(_)));
                let length = match (literal(start), literal(end)) {
                    (Some(start), Some(end)) => {
                        Literal::usize_unsuffixed((end + one).saturating_sub(start)).into_token_stream()
                    }
                    (Some(0), None) if of_usize && one == 0 => quote_spanned!(at=> (#end)),
                    (_, None) if of_usize && one == 0 => quote_spanned!(at=> (#end).saturating_sub(#start)),
                    // The values may be of any type.
                    _ => quote_spanned!(at=> ::forall::__private::Counted::count(&(#e))),
                };
                Some((quote_spanned!(at=> (#e)), kept.then_some(length)))
            }
            syn::Expr::Reference(syn::ExprReference { expr: part, mutability: None, .. }) if matches!(bare(part), syn::Expr::Index(part) if matches!(bare(&part.index), syn::Expr::Range(_))) => {
                Some((quote_spanned!(at=> #part.iter()), None))
            }
            syn::Expr::Reference(reference) => {
                let name = name_of(&reference.expr).filter(|name| self.slices.contains_key(&Local::from(*name)))?;
                Some(of_slice(name, reference.mutability.is_some()))
            }
            syn::Expr::MethodCall(call) => {
                let of = name_of(&call.receiver).filter(|name| self.slices.contains_key(&Local::from(*name)));
                let items = matches!(call.method.to_string().as_str(), "iter" | "iter_mut");
                let length = of.filter(|_| items).map(|name| quote_spanned!(at=> #name.len()));
                Some((e.to_token_stream(), length))
            }
            e => {
                let name = name_of(e)?;
                Some(of_slice(name, *self.slices.get(&Local::from(name))?))
            }
        }
    }

    /// The statements of a loop whose counters are computed. `declared` are the variables of the block around it.
    fn numbered(&mut self, f: &syn::ExprForLoop, declared: &HashSet<Local>) -> Option<Vec<syn::Stmt>> {
        if f.label.is_some() || !f.attrs.is_empty() {
            return None;
        }
        let mut changes = Changes::default();
        changes.visit_pat(&f.pat);
        changes.visit_block(&f.body);
        if changes.leaves {
            return None;
        }
        let (source, length) = self.source(f, &changes)?;
        let of_usize = number_of(f, &self.sizes).is_some();
        let in_loop = mentions(f.to_token_stream());
        // Nobody asks for the value after the loop.
        let is_last = |name| declared.contains(&name) && self.mentions.get(&name) == Some(&(in_loop[&name] + 1));
        let mut counters: Vec<Counter> = Vec::new();
        for (at, (name, step, down)) in f.body.stmts.iter().enumerate().filter_map(|(at, s)| Some((at, counted(s)?))) {
            let step = (at, step.clone());
            match counters.iter_mut().find(|counter| counter.name == *name && counter.down == down) {
                Some(counter) => counter.steps.push(step),
                None => counters.push(Counter { name: name.clone(), steps: vec![step], down }),
            }
        }
        counters.retain(|Counter { name, steps, .. }| {
            let local = Local::from(name);
            !changes.bound.contains(&local)
                && changes.changed.iter().filter(|other| **other == local).count() == steps.len()
                && (length.is_some() || is_last(local))
                && steps.iter().all(|(_, step)| {
                    is_kept(step, &changes, &self.slices)
                        || Rows::of(step, f, of_usize, &changes, &self.slices).is_some()
                })
                && (self.known.contains(&local) || indexes(&f.body, name))
        });
        if counters.is_empty() {
            return None;
        }
        let after: Vec<bool> = counters.iter().map(|counter| !is_last(Local::from(&counter.name))).collect();
        let (number, here) = (self.names.len(), f.for_token.span);
        let (at, header) = match number_of(f, &self.sizes) {
            Some(at) => {
                let (pattern, source) = (&f.pat, &f.expr);
                (at, quote_spanned!(here=> for #pattern in #source))
            }
            None => {
                let (at, pattern) = (format_ident!("__number_{number}", span = here), &f.pat);
                (at.to_token_stream(), quote_spanned!(here=> for (#at, #pattern) in #source.enumerate()))
            }
        };
        let (mut before, mut first, mut last) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let mut body = f.body.clone();
        for (counter, after) in counters.iter().zip(after) {
            let Counter { name, steps, down } = counter;
            self.known.insert(Local::from(name));
            let here = f.body.stmts[steps[0].0].span();
            let mut named = |what: &str| {
                let new = format_ident!("__{what}_of_{name}_{number}", span = name.span());
                self.names.push((new.to_string(), name.to_string()));
                new
            };
            let (from, mut now) = (named("first"), named("value"));
            let operator = if *down { quote_spanned!(here=> -) } else { quote_spanned!(here=> +) };
            let rows: Vec<Rows> =
                steps.iter().filter_map(|(_, step)| Rows::of(step, f, of_usize, &changes, &self.slices)).collect();
            let all: Vec<&syn::Expr> =
                steps.iter().map(|(_, step)| step).filter(|step| is_kept(step, &changes, &self.slices)).collect();
            let by = |count: &TokenStream| {
                let rows = rows.iter().map(|rows| rows.before(count));
                match all.as_slice() {
                    [] => quote_spanned!(here=> (#(#rows)+*)),
                    [syn::Expr::Lit(one)] if rows.len() == 0 && one.to_token_stream().to_string() == "1" => {
                        quote_spanned!(here=> #count)
                    }
                    all => quote_spanned!(here=> (#((#all))+*) * #count #(+ #rows)*),
                }
            };
            let total = by(&at);
            before.extend(quote_spanned!(here=> let #from = #name;));
            first.extend(quote_spanned!(here=> let #now = #from #operator #total;));
            if let Some(length) = length.as_ref().filter(|_| after) {
                let total = by(length);
                last.extend(quote_spanned!(here=> #name = #name #operator #total;));
            }
            for (place, statement) in body.stmts.iter_mut().enumerate() {
                Rename { from: name, to: &now }.visit_stmt_mut(statement);
                if let Some(step) = steps.iter().position(|(at, _)| *at == place) {
                    let (next, (_, by)) = (named(&format!("value_{step}")), &steps[step]);
                    *statement = syn::parse_quote_spanned!(here=> let #next = #now #operator (#by););
                    now = next;
                }
            }
        }
        let statements = &body.stmts;
        let block: syn::Block = syn::parse2(quote_spanned!(here=> {
            #before
            #header { #first #(#statements)* }
            #last
        }))
        .ok()?;
        Some(block.stmts)
    }
}

impl VisitMut for Counters {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        syn::visit_mut::visit_block_mut(self, block);
        let (mut statements, mut declared) = (Vec::new(), Changes::default());
        for statement in std::mem::take(&mut block.stmts) {
            if let syn::Stmt::Local(local) = &statement {
                declared.visit_pat(&local.pat);
            }
            let numbered = match &statement {
                syn::Stmt::Expr(syn::Expr::ForLoop(f), _) => self.numbered(f, &declared.bound),
                _ => None,
            };
            match numbered {
                Some(numbered) => {
                    let now = mentions(numbered.iter().map(ToTokens::to_token_stream).collect());
                    for (name, count) in mentions(statement.to_token_stream()) {
                        *self.mentions.entry(name).or_default() -= count;
                    }
                    now.into_iter().for_each(|(name, count)| *self.mentions.entry(name).or_default() += count);
                    statements.extend(numbered);
                }
                None => statements.push(statement),
            }
        }
        block.stmts = statements;
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The lengths of the rows of a triangle, as the iterations go over them: `first`, `first + 1`, .., or `end - first`, `end - first - 1`, ..
struct Rows {
    end: Option<TokenStream>,
    first: usize,
}

impl Rows {
    /// The rows that a step counts, if it is a linear function of the number of an iteration.
    fn of(
        step: &syn::Expr,
        f: &syn::ExprForLoop,
        of_usize: bool,
        changes: &Changes,
        slices: &HashMap<Local, bool>,
    ) -> Option<Rows> {
        let (syn::Pat::Ident(name), syn::Expr::Range(outer)) = (&*f.pat, bare(&f.expr)) else { return None };
        let is_half_open = |range: &syn::ExprRange| matches!(range.limits, syn::RangeLimits::HalfOpen(_));
        let from = literal(outer.start.as_ref()?).filter(|_| is_half_open(outer))?;
        // `i + c`
        let after = |e: &syn::Expr| match bare(e) {
            syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Add(_), right, .. }) => {
                literal(right).filter(|_| name_of(left) == Some(&name.ident))
            }
            e => name_of(e).filter(|other| **other == name.ident).map(|_| 0),
        };
        let (start, end, closed) = match bare(step) {
            syn::Expr::Call(count) => {
                let syn::Expr::Reference(range) = count.args.first()? else { return None };
                let syn::Expr::Range(range) = bare(&range.expr) else { return None };
                (range.start.as_deref()?, range.end.as_deref()?, !is_half_open(range))
            }
            syn::Expr::MethodCall(call) if call.method == "saturating_sub" => (&call.args[0], &*call.receiver, false),
            e => {
                let length = after(e)? + from;
                return Some(Rows { end: None, first: length });
            }
        };
        if literal(start) == Some(0) {
            return Some(Rows { end: None, first: after(end)? + usize::from(closed) + from });
        }
        let (skipped, rows) = (after(start)?, outer.end.as_deref()?);
        let is_one_less = |e: &syn::Expr| match bare(e) {
            syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Sub(_), right, .. }) => {
                literal(right) == Some(1) && bare(left) == bare(end)
            }
            _ => false,
        };
        let fits = bare(rows) == bare(end) && skipped < 2 || is_one_less(rows) && skipped < 3;
        if closed || !fits || !is_kept(end, changes, slices) || !of_usize {
            return None;
        }
        Some(Rows { end: Some(end.to_token_stream()), first: skipped + from })
    }

    /// The number of elements in the rows before one.
    fn before(&self, row: &TokenStream) -> TokenStream {
        let first = Literal::usize_unsuffixed(self.first);
        match &self.end {
            None => quote!((#row * (#row + 1) / 2 + #first * #row - #row)),
            Some(end) => quote!(((#end) * #row + #row - #row * (#row + 1) / 2 - #first * #row)),
        }
    }
}

/// Gives a variable another name.
struct Rename<'a> {
    from: &'a Ident,
    to: &'a Ident,
}

impl VisitMut for Rename<'_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Path(path) = e
            && path.path.is_ident(self.from)
        {
            let name = Ident::new(&self.to.to_string(), path.span());
            *e = syn::parse_quote!(#name);
            return;
        }
        syn::visit_mut::visit_expr_mut(self, e);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        syn::visit_mut::visit_field_value_mut(self, field);
        field.colon_token.get_or_insert_with(Default::default);
    }
}
