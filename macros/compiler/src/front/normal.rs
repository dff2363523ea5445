//! Other spellings of the same statements, brought to one: the analysis then knows one form of each.
//!
//! What accumulates: `acc = if c { e } else { acc }` becomes `if c { acc = e }`, `(best, at) = (e, i)` becomes
//! `best = e; at = i`, and `if e < least { .. } else if e > most { .. }` two `if`s. What loops go over: `for i in r`, of a range
//! that a variable holds, becomes `for i in r.start..r.end`, and `xs.iter().for_each(|x| ..)` a `for`. The sequential twin keeps the author's words.

use super::each::as_loop;
use super::lent::lend_fields;
use super::moved::move_closures;
use super::named::unname_iterators;
use super::optional::optional;
use super::tokens::{bare, mentions};
use quote::{ToTokens, quote_spanned};
use std::collections::{HashMap, HashSet};
use syn::visit::Visit;
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_for_loop_mut};

/// Rewrites the statements of a function.
pub fn normal(signature: &syn::Signature, block: &syn::Block) -> syn::Block {
    let mut ranges = Ranges::default();
    ranges.visit_signature(signature);
    ranges.visit_block(block);
    let mut block = block.clone();
    lend_fields(signature, &mut block);
    unname_iterators(signature, &mut block);
    move_closures(signature, &mut block, &ranges.slices);
    Normal { ranges }.visit_block_mut(&mut block);
    block
}

/// Variables that hold a range.
#[derive(Default)]
struct Ranges {
    /// Whether both ends are included, by name.
    held: HashMap<String, bool>,
    /// Parameters that are slices.
    slices: HashSet<String>,
    /// Variables that are seen to be an `Option` where they are declared.
    options: HashSet<String>,
}

impl<'ast> Visit<'ast> for Ranges {
    fn visit_pat_type(&mut self, parameter: &'ast syn::PatType) {
        // Of a range with its last value a part may have been counted through, which its two ends do not tell.
        let (held, lent) = match &*parameter.ty {
            syn::Type::Reference(reference) => (&*reference.elem, reference.mutability.is_some()),
            other => (other, false),
        };
        // A range that may change is partly counted through where a loop begins.
        if let (syn::Pat::Ident(name), syn::Type::Path(path)) = (&*parameter.pat, held)
            && path.path.segments.last().is_some_and(|last| last.ident == "Range")
            && name.mutability.is_none()
            && !lent
        {
            self.held.insert(name.ident.to_string(), false);
        }
        // What has a marker is not a view of a share in a loop's body.
        if let (syn::Pat::Ident(name), syn::Type::Slice(_), []) = (&*parameter.pat, held, &*parameter.attrs) {
            self.slices.insert(name.ident.to_string());
        }
        syn::visit::visit_pat_type(self, parameter);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let pattern = match &local.pat {
            syn::Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        if let (syn::Pat::Ident(name), Some(init)) = (pattern, &local.init)
            && let syn::Expr::Range(range) = bare(&init.expr)
            && range.start.is_some()
            && range.end.is_some()
            && name.mutability.is_none()
        {
            self.held.insert(name.ident.to_string(), matches!(range.limits, syn::RangeLimits::Closed(_)));
        }
        options_in(&local.pat, local.init.as_ref().map(|init| &*init.expr), &mut self.options);
        syn::visit::visit_local(self, local);
    }
}

struct Normal {
    ranges: Ranges,
}

impl Ranges {
    /// `x[a..][..n]` of a slice is `x[a..a + n]`, but for what it says where there is no such part.
    fn part_of_the_rest(&self, e: &syn::Expr) -> Option<syn::Expr> {
        let syn::Expr::Index(part) = e else { return None };
        let syn::Expr::Index(rest) = &*part.expr else { return None };
        let (syn::Expr::Range(from), syn::Expr::Range(to)) = (&*rest.index, &*part.index) else { return None };
        let exclusive = matches!(to.limits, syn::RangeLimits::HalfOpen(_));
        let (Some(start), None, None, Some(length)) = (&from.start, &from.end, &to.start, &to.end) else { return None };
        let syn::Expr::Path(array) = &*rest.expr else { return None };
        let name = array.path.get_ident()?.to_string();
        if !exclusive || !plain(start) || !self.slices.contains(&name) {
            return None;
        }
        syn::parse2(quote_spanned!(part.bracket_token.span.join()=> #array[::forall::__private::view::part_of_rest(#start, #length)])).ok()
    }
}

impl Normal {
    /// Puts the two ends in place of a variable that holds a range, at the beginning of a header.
    fn header(&self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Paren(inner) => self.header(&mut inner.expr),
            syn::Expr::MethodCall(call) => {
                if call.method == "zip" {
                    call.args.iter_mut().for_each(|other| self.header(other));
                }
                self.header(&mut call.receiver);
                let same = call.method == "clone" || call.method == "into_iter";
                if same && matches!(bare(&call.receiver), syn::Expr::Range(_)) {
                    *e = (*call.receiver).clone();
                }
            }
            syn::Expr::Path(path) => {
                let Some(name) = path.path.get_ident() else { return };
                let Some(inclusive) = self.ranges.held.get(&name.to_string()) else { return };
                let span = name.span();
                *e = match inclusive {
                    true => syn::parse_quote_spanned!(span=> (*#name.start()..=*#name.end())),
                    false => syn::parse_quote_spanned!(span=> (#name.start..#name.end)),
                };
            }
            _ => {}
        }
    }
}

impl VisitMut for Normal {
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        self.header(&mut f.expr);
        visit_expr_for_loop_mut(self, f);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let is_option = |name: &syn::Ident| self.ranges.options.contains(&name.to_string());
        let statements = std::mem::take(&mut block.stmts).into_iter();
        block.stmts = statements.flat_map(|statement| one_form(statement, &is_option)).collect();
        for number in 0..block.stmts.len() {
            let (before, rest) = block.stmts.split_at_mut(number);
            if let syn::Stmt::Expr(syn::Expr::ForLoop(f), _) = &mut rest[0] {
                for pair in begin_alike(before) {
                    let uses = uses(f, &pair);
                    BothEnds { pair, uses }.visit_block_mut(&mut f.body);
                }
            }
        }
        visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        syn::visit_mut::visit_expr_mut(self, e);
        if let Some(part) = self.ranges.part_of_the_rest(e) {
            *e = part;
        }
    }

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

/// Whether an expression has the same value as long as none of its variables changes.
pub(super) fn plain(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Path(_) | syn::Expr::Lit(_) => true,
        syn::Expr::Paren(inner) => plain(&inner.expr),
        syn::Expr::Cast(cast) => plain(&cast.expr),
        syn::Expr::Field(field) => plain(&field.base),
        syn::Expr::Unary(unary) => plain(&unary.expr),
        syn::Expr::Binary(binary) => plain(&binary.left) && plain(&binary.right),
        syn::Expr::MethodCall(call) => {
            let pure = matches!(call.method.to_string().as_str(), "len" | "min" | "max" | "saturating_sub");
            pure && plain(&call.receiver) && call.args.iter().all(plain)
        }
        _ => false,
    }
}

/// The variables that are declared as `None`, or with the type of an `Option`.
fn options_in(pattern: &syn::Pat, value: Option<&syn::Expr>, to: &mut HashSet<String>) {
    match (pattern, value) {
        (syn::Pat::Tuple(parts), Some(syn::Expr::Tuple(values))) => {
            parts.elems.iter().zip(&values.elems).for_each(|(part, value)| options_in(part, Some(value), to));
        }
        (syn::Pat::Ident(name), Some(syn::Expr::Path(none))) if none.path.is_ident("None") => {
            to.insert(name.ident.to_string());
        }
        (syn::Pat::Type(typed), _) => {
            if let (syn::Pat::Ident(name), syn::Type::Path(of)) = (&*typed.pat, &*typed.ty)
                && of.path.segments.last().is_some_and(|last| last.ident == "Option")
            {
                to.insert(name.ident.to_string());
            }
        }
        _ => {}
    }
}

fn one_form(statement: syn::Stmt, is_option: &dyn Fn(&syn::Ident) -> bool) -> Vec<syn::Stmt> {
    if let Some(each) = as_loop(&statement) {
        return vec![each];
    }
    let syn::Stmt::Expr(syn::Expr::Assign(assign), semi) = &statement else {
        return vec![optional(&statement, is_option).unwrap_or(statement)];
    };
    if let Some(split) = split(assign) {
        return split;
    }
    if let Some(found) = optional(&statement, is_option) {
        return vec![found];
    }
    let Some(chosen) = chosen(assign) else { return vec![statement] };
    let statement = syn::Stmt::Expr(chosen, *semi);
    vec![optional(&statement, is_option).unwrap_or(statement)]
}

/// `if e < least { least = e } else if e > most { most = e }`, of two variables that the loop mentions nowhere else. As they
/// begin alike, `least <= most` holds ever after (or neither compares with anything): the second condition cannot hold where
/// the first one does.
struct BothEnds {
    pair: [String; 2],
    uses: usize,
}

impl VisitMut for BothEnds {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let split = |statement| match &statement {
            syn::Stmt::Expr(syn::Expr::If(choice), semi) if uses(choice, &self.pair) == self.uses => {
                match self.apart(choice) {
                    Some(apart) => apart.map(|choice| syn::Stmt::Expr(syn::Expr::If(choice), *semi)).to_vec(),
                    None => vec![statement],
                }
            }
            _ => vec![statement],
        };
        block.stmts = std::mem::take(&mut block.stmts).into_iter().flat_map(split).collect();
        visit_block_mut(self, block);
    }

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

impl BothEnds {
    fn apart(&self, choice: &syn::ExprIf) -> Option<[syn::ExprIf; 2]> {
        let (_, otherwise) = choice.else_branch.as_ref()?;
        let syn::Expr::If(second) = &**otherwise else { return None };
        let ((one, lower, value), (two, upper, again)) = (kept(choice)?, kept(second)?);
        let both = one != two && self.pair.contains(&one) && self.pair.contains(&two);
        let first = syn::ExprIf { else_branch: None, ..choice.clone() };
        (both && lower != upper && value == again && second.else_branch.is_none()).then(|| [first, second.clone()])
    }
}

/// What `if e < acc { acc = e; }` keeps: the variable, whether the lower value, and the value.
fn kept(choice: &syn::ExprIf) -> Option<(String, bool, String)> {
    let (syn::Expr::Binary(condition), [syn::Stmt::Expr(syn::Expr::Assign(assign), _)]) =
        (&*choice.cond, choice.then_branch.stmts.as_slice())
    else {
        return None;
    };
    let less = match condition.op {
        syn::BinOp::Lt(_) => true,
        syn::BinOp::Gt(_) => false,
        _ => return None,
    };
    let text = |e: &syn::Expr| e.to_token_stream().to_string();
    let (place, value) = (text(&assign.left), text(&assign.right));
    let (left, right) = (text(&condition.left), text(&condition.right));
    if value.contains('(') {
        return None;
    }
    match (left == value && right == place, left == place && right == value) {
        (true, _) => Some((place, less, value)),
        (_, true) => Some((place, !less, value)),
        _ => None,
    }
}

/// How often tokens mention one of two variables.
fn uses(tokens: &impl ToTokens, pair: &[String; 2]) -> usize {
    let mut names = Vec::new();
    crate::front::tokens::names_in(tokens.to_token_stream(), &mut names);
    names.iter().filter(|(name, _)| pair.contains(name)).count()
}

/// The pairs of variables that statements side by side, or one, begin with the same words and do nothing else with.
fn begin_alike(statements: &[syn::Stmt]) -> Vec<[String; 2]> {
    let begun: Vec<Vec<(String, String)>> = statements.iter().map(begun).collect();
    let mut pairs = Vec::new();
    for number in 0..begun.len() {
        let near: Vec<_> = begun[number..].iter().take(2).flatten().collect();
        for (k, (one, first)) in near.iter().enumerate() {
            // A call may give another value the next time.
            let alike = near[k + 1..].iter().filter(|(_, second)| first == second && !first.contains('('));
            pairs.extend(alike.map(|(two, _)| [one.clone(), two.clone()]));
        }
    }
    let everything = quote::quote!(#(#statements)*);
    pairs.retain(|pair| uses(&everything, pair) == 2);
    pairs.dedup();
    pairs
}

/// The variables of a `let`, each with the text of its value.
fn begun(statement: &syn::Stmt) -> Vec<(String, String)> {
    let syn::Stmt::Local(syn::Local { pat, init: Some(init), .. }) = statement else { return Vec::new() };
    let one = |(name, value): (&syn::Pat, &syn::Expr)| match name {
        syn::Pat::Ident(name) => Some((name.ident.to_string(), value.to_token_stream().to_string())),
        syn::Pat::Type(typed) => match &*typed.pat {
            syn::Pat::Ident(name) => Some((name.ident.to_string(), value.to_token_stream().to_string())),
            _ => None,
        },
        _ => None,
    };
    match (pat, &*init.expr) {
        (syn::Pat::Tuple(names), syn::Expr::Tuple(values)) => {
            names.elems.iter().zip(&values.elems).filter_map(one).collect()
        }
        (name, value) => one((name, value)).into_iter().collect(),
    }
}

/// The variable of a place that is a name or a part of one.
fn root(place: &syn::Expr) -> Option<String> {
    match place {
        syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Paren(inner) => root(&inner.expr),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => root(expr),
        _ => None,
    }
}

/// `(a, b) = (x, y)`, where neither value looks at the other place.
fn split(assign: &syn::ExprAssign) -> Option<Vec<syn::Stmt>> {
    let (syn::Expr::Tuple(places), syn::Expr::Tuple(values)) = (&*assign.left, &*assign.right) else { return None };
    if places.elems.len() != values.elems.len() || places.elems.is_empty() {
        return None;
    }
    let roots: Vec<String> = places.elems.iter().map(root).collect::<Option<_>>()?;
    let apart =
        values.elems.iter().enumerate().all(|(number, value)| {
            roots.iter().enumerate().all(|(other, root)| number == other || !mentions(value, root))
        });
    // `_` takes nothing, and twice the same variable is no form that is known.
    let mut different = roots.clone();
    different.sort_unstable();
    different.dedup();
    let fields = roots.len() != different.len() && places.elems.iter().all(|p| matches!(p, syn::Expr::Field(_)));
    if !apart || roots.iter().any(|root| root == "_") || roots.len() != different.len() && !fields {
        return None;
    }
    let pairs = places.elems.iter().zip(&values.elems);
    let one = |(place, value): (&syn::Expr, &syn::Expr)| {
        let assign =
            syn::ExprAssign { left: Box::new(place.clone()), right: Box::new(value.clone()), ..assign.clone() };
        syn::Stmt::Expr(syn::Expr::Assign(assign), Some(syn::Token![;](values.paren_token.span.close())))
    };
    Some(pairs.map(one).collect())
}

/// `acc = if c { x } else { y }`, where a branch or the condition looks at the accumulator.
fn chosen(assign: &syn::ExprAssign) -> Option<syn::Expr> {
    let place = &*assign.left;
    let root = root(place)?;
    if !matches!(&*assign.right, syn::Expr::If(_) | syn::Expr::Match(_))
        || !mentions(&assign.right, &root)
        || binds(&assign.right, &root)
    {
        return None;
    }
    into_branches(assign, &assign.right)
}

/// Whether an expression binds a name anew.
fn binds(e: &syn::Expr, name: &str) -> bool {
    struct Find<'a>(&'a str, bool);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            self.1 |= pattern.ident == self.0;
            syn::visit::visit_pat_ident(self, pattern);
        }
    }
    let mut find = Find(name, false);
    find.visit_expr(e);
    find.1
}

/// An expression whose value is assigned, as a statement that assigns it.
fn into_branches(assign: &syn::ExprAssign, e: &syn::Expr) -> Option<syn::Expr> {
    match e {
        syn::Expr::If(choice) if choice.attrs.is_empty() => {
            let mut choice = choice.clone();
            into_block(assign, &mut choice.then_branch)?;
            let (_, otherwise) = choice.else_branch.as_mut()?;
            **otherwise = into_branches(assign, otherwise)?;
            if matches!(&**otherwise, syn::Expr::Block(block) if block.block.stmts.is_empty()) {
                choice.else_branch = None;
            }
            Some(syn::Expr::If(choice))
        }
        syn::Expr::Match(choice) if choice.attrs.is_empty() => {
            let mut choice = choice.clone();
            for arm in &mut choice.arms {
                let body = into_branches(assign, &arm.body)?;
                arm.comma.get_or_insert_default();
                *arm.body = body;
            }
            Some(syn::Expr::Match(choice))
        }
        syn::Expr::Block(inner) if inner.attrs.is_empty() && inner.label.is_none() => {
            let mut inner = inner.clone();
            into_block(assign, &mut inner.block)?;
            Some(syn::Expr::Block(inner))
        }
        syn::Expr::Continue(_) | syn::Expr::Break(_) | syn::Expr::Return(_) | syn::Expr::Macro(_) => None,
        value => {
            let mut block = syn::ExprBlock {
                attrs: Vec::new(),
                label: None,
                block: syn::Block { brace_token: syn::token::Brace::default(), stmts: Vec::new() },
            };
            block.block.stmts.push(syn::Stmt::Expr(value.clone(), None));
            into_block(assign, &mut block.block)?;
            Some(syn::Expr::Block(block))
        }
    }
}

fn into_block(assign: &syn::ExprAssign, block: &mut syn::Block) -> Option<()> {
    let syn::Stmt::Expr(value, None) = block.stmts.pop()? else { return None };
    let place = &assign.left;
    // What keeps the accumulator as it is needs no assignment.
    if place.to_token_stream().to_string() == value.to_token_stream().to_string() {
        return Some(());
    }
    let statement = match &value {
        syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_) => {
            syn::Stmt::Expr(into_branches(assign, &value)?, None)
        }
        syn::Expr::Continue(_) | syn::Expr::Break(_) | syn::Expr::Return(_) | syn::Expr::Macro(_) => return None,
        _ => {
            let assign = syn::ExprAssign { right: Box::new(value), ..assign.clone() };
            syn::Stmt::Expr(syn::Expr::Assign(assign), Some(syn::Token![;](block.brace_token.span.close())))
        }
    };
    block.stmts.push(statement);
    Some(())
}
