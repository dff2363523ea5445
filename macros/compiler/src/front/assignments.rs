//! Assignments to several variables, or of a value that a condition chooses, as plain assignments.

use super::tokens::{Find, bare, changed, count, is_stable, mentions, name_of, root};
use crate::ir::Local;
use crate::language::types;
use crate::maps::HashSet;
use quote::{ToTokens, quote};
use std::cell::Cell;
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_block_mut};

fn assignment(statement: &syn::Stmt) -> Option<&syn::ExprAssign> {
    match statement {
        syn::Stmt::Expr(syn::Expr::Assign(assign), _) => Some(assign),
        _ => None,
    }
}

/// `(a, b) = (x, y)` is `a = x; b = y;`, unless a value mentions the variable of another place.
pub fn parts(statement: &syn::Stmt) -> Option<Vec<syn::Stmt>> {
    let assign = assignment(statement)?;
    let (places, values) = match (&*assign.left, &*assign.right) {
        (syn::Expr::Tuple(places), syn::Expr::Tuple(values)) => (places, values),
        (place, syn::Expr::Tuple(values)) => return members(assign, place, values),
        _ => return None,
    };
    let roots: Vec<&syn::Ident> = places.elems.iter().map(root).collect::<Option<_>>()?;
    let apart =
        values.elems.iter().enumerate().all(|(number, value)| {
            roots.iter().enumerate().all(|(other, root)| number == other || !mentions(value, root))
        });
    let different = roots.iter().collect::<HashSet<_>>().len() == roots.len()
        || places.elems.iter().all(|place| matches!(place, syn::Expr::Field(_)));
    let fits = apart && different && !roots.is_empty() && roots.len() == values.elems.len();
    let end = syn::Token![;](values.paren_token.span.close());
    let pairs = places.elems.iter().zip(&values.elems);
    let text = |e: &syn::Expr| e.to_token_stream().to_string();
    let differ = pairs.filter(|(place, value)| text(place) != text(value));
    fits.then(|| differ.map(|(place, value)| syn::Stmt::Expr(assigned(assign, place, value), Some(end))).collect())
}

/// `s = (s.0 + x, s.1 + 1)` is `s.0 = s.0 + x; s.1 = s.1 + 1;`, if each value mentions no other member.
fn members(assign: &syn::ExprAssign, place: &syn::Expr, values: &syn::ExprTuple) -> Option<Vec<syn::Stmt>> {
    let name = name_of(place)?;
    let member = |number: usize| -> syn::Expr {
        let number = syn::Index { index: u32::try_from(number).unwrap_or(u32::MAX), span: place.span() };
        syn::parse_quote!(#place.#number)
    };
    let (mut any, text) = (false, |e: &syn::Expr| e.to_token_stream().to_string());
    for (number, value) in values.elems.iter().enumerate() {
        let (own, found) = (text(&member(number)), Cell::new(0));
        Find::in_expr(value, |e| {
            found.set(found.get() + usize::from(text(e) == own));
            false
        });
        let all = count(value, name);
        (all == found.get()).then_some(())?;
        any |= all > 0;
    }
    let end = syn::Token![;](values.paren_token.span.close());
    let statement = |(number, value)| syn::Stmt::Expr(assigned(assign, &member(number), value), Some(end));
    any.then(|| values.elems.iter().enumerate().map(statement).collect())
}

/// The assignment of another value, or to another place.
fn assigned(assign: &syn::ExprAssign, place: &syn::Expr, value: &syn::Expr) -> syn::Expr {
    let (left, right) = (Box::new(place.clone()), Box::new(value.clone()));
    syn::Expr::Assign(syn::ExprAssign { left, right, ..assign.clone() })
}

/// `acc = if c { x } else { acc }` is `if c { acc = x; }`; the same of `match`. Only if the value mentions the variable: then it is an
/// update.
pub fn branches(statement: &syn::Stmt) -> Option<syn::Stmt> {
    let (assign, syn::Stmt::Expr(_, semi)) = (assignment(statement)?, statement) else { return None };
    let chooses = |e: &syn::Expr| matches!(bare(e), syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_));
    let chooses = chooses(&assign.right) || some_of(&assign.right).is_some_and(chooses);
    let places = match &*assign.left {
        syn::Expr::Tuple(places) => places.elems.iter().collect(),
        place => vec![place],
    };
    (chooses && places.into_iter().filter_map(root).any(|root| mentions(&assign.right, root))).then_some(())?;
    Some(syn::Stmt::Expr(assigned_in(assign, bare(&assign.right).clone(), false)?, *semi))
}

/// `e` of `Some(e)`.
pub fn some_of(e: &syn::Expr) -> Option<&syn::Expr> {
    let syn::Expr::Call(call) = e else { return None };
    let some = name_of(&call.func).is_some_and(|name| name == "Some") && call.args.len() == 1;
    call.args.first().filter(|_| some)
}

/// An expression whose branches assign their values, or `Some` of them.
fn assigned_in(assign: &syn::ExprAssign, mut e: syn::Expr, some: bool) -> Option<syn::Expr> {
    if let (false, Some(choice @ (syn::Expr::If(_) | syn::Expr::Match(_)))) = (some, some_of(&e).map(bare)) {
        return assigned_in(assign, choice.clone(), true);
    }
    match &mut e {
        syn::Expr::If(choice) if choice.attrs.is_empty() => {
            assigned_at_end(assign, &mut choice.then_branch, some)?;
            let (_, otherwise) = choice.else_branch.as_mut()?;
            **otherwise = assigned_in(assign, (**otherwise).clone(), some)?;
            if matches!(&**otherwise, syn::Expr::Block(block) if block.block.stmts.is_empty()) {
                choice.else_branch = None;
            }
        }
        syn::Expr::Match(choice) if choice.attrs.is_empty() => {
            for arm in &mut choice.arms {
                arm.comma.get_or_insert_default();
                *arm.body = assigned_in(assign, (*arm.body).clone(), some)?;
            }
        }
        syn::Expr::Block(inner) if inner.attrs.is_empty() && inner.label.is_none() => {
            assigned_at_end(assign, &mut inner.block, some)?;
        }
        value => {
            let mut block: syn::ExprBlock = syn::parse_quote!({ #value });
            assigned_at_end(assign, &mut block.block, some)?;
            e = syn::Expr::Block(block);
        }
    }
    Some(e)
}

fn assigned_at_end(assign: &syn::ExprAssign, block: &mut syn::Block, some: bool) -> Option<()> {
    let syn::Stmt::Expr(value, None) = block.stmts.pop()? else { return None };
    let end = Some(syn::Token![;](block.brace_token.span.close()));
    block.stmts.push(match value {
        syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_) => {
            syn::Stmt::Expr(assigned_in(assign, value, some)?, None)
        }
        syn::Expr::Continue(_) | syn::Expr::Break(_) | syn::Expr::Return(_) | syn::Expr::Macro(_) => return None,
        // The variable keeps its value.
        same if !some && same.to_token_stream().to_string() == assign.left.to_token_stream().to_string() => {
            return Some(());
        }
        value if some => syn::Stmt::Expr(assigned(assign, &assign.left, &syn::parse_quote!(Some(#value))), end),
        value => match some_of(&value).map(bare) {
            Some(syn::Expr::If(_) | syn::Expr::Match(_)) => syn::Stmt::Expr(assigned_in(assign, value, false)?, None),
            _ => syn::Stmt::Expr(assigned(assign, &assign.left, &value), end),
        },
    });
    Some(())
}

/// In a loop, `if e < least { least = e } else if e > most { most = e }` is two `if`s, if the two variables are used nowhere else and begin
/// with the same value. As `least <= most` holds, or neither compares with anything, one condition at most holds. The same is true of the
/// elements of two arrays at one index. The branches may set other variables.
pub fn extrema(before: &[syn::Stmt], f: &mut syn::ExprForLoop) {
    let has_two = |e: &syn::Expr| match e {
        syn::Expr::If(choice) => {
            matches!(&choice.else_branch, Some((_, second)) if matches!(**second, syn::Expr::If(_)))
        }
        _ => false,
    };
    if !Find::in_block(&f.body, has_two) {
        return;
    }
    let declared = before.iter().map(declared).collect();
    let (before, whole) = (quote!(#(#before)*), f.clone());
    Extrema { declared, before: &before, whole: &whole }.visit_block_mut(&mut f.body);
}

struct Extrema<'a> {
    /// The variables that each statement before the loop declares, with the text of their values.
    declared: Vec<Vec<(Local, String)>>,
    before: &'a dyn ToTokens,
    whole: &'a dyn ToTokens,
}

impl VisitMut for Extrema<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let split = |statement| match &statement {
            syn::Stmt::Expr(syn::Expr::If(choice), semi) => match self.apart(choice) {
                Some(apart) => apart.map(|choice| syn::Stmt::Expr(syn::Expr::If(choice), *semi)).to_vec(),
                None => vec![statement],
            },
            _ => vec![statement],
        };
        block.stmts = std::mem::take(&mut block.stmts).into_iter().flat_map(split).collect();
        visit_block_mut(self, block);
    }

    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
}

impl Extrema<'_> {
    fn apart(&self, choice: &syn::ExprIf) -> Option<[syn::ExprIf; 2]> {
        let (_, otherwise) = choice.else_branch.as_ref()?;
        let syn::Expr::If(second) = &**otherwise else { return None };

        let (one, two) = (kept(choice)?, kept(second)?);

        let first = syn::ExprIf { else_branch: None, ..choice.clone() };
        if one.lower == two.lower || second.else_branch.is_some() {
            return None;
        }
        // `if v < 0.0 { v = 0.0 } else if v > 1.0 { v = 1.0 }`: after the first one, the second one does nothing.
        if one.name == two.name {
            let (least, most) = if one.lower { (&two, &one) } else { (&one, &two) };
            let (least, most) = (number(&least.value)?, number(&most.value)?);
            let alone = one.alone && two.alone && one.part.is_empty() && two.part.is_empty();
            return (alone && (least < most || one.value == two.value)).then(|| [first, second.clone()]);
        }
        let names = [one.name, two.name].map(|name| name.ident());
        let uses = |tokens: &dyn ToTokens| names.iter().map(|name| count(tokens, name)).sum::<usize>();
        let alike = one.value == two.value && one.part == two.part && self.begin_alike(one.name, two.name);
        // The branches leave alone all that the conditions read.
        let sets = |e: &syn::Expr| {
            changed(e).is_some_and(|place| {
                let read = |root| mentions(&choice.cond, root) || mentions(&second.cond, root);
                let array = match place {
                    syn::Expr::Index(element) => &element.expr,
                    place => place,
                };
                root(array).is_none_or(|root| read(root) && !names.contains(root))
            })
        };
        let apart = || [choice, second].into_iter().all(|choice| !Find::in_block(&choice.then_branch, sets));
        let nowhere_else = || uses(self.before) == 2 && uses(self.whole) == 4;
        (alike && nowhere_else() && apart()).then(|| [first, second.clone()])
    }

    /// Whether one statement, or two next to each other, declare two variables with the same value. A call may give another value the
    /// next time.
    fn begin_alike(&self, one: Local, two: Local) -> bool {
        let value = |name: Local| {
            let of = |(at, declared): (usize, &Vec<(Local, String)>)| {
                declared.iter().find(|(other, _)| *other == name).map(|(_, value)| (at, value.clone()))
            };
            self.declared.iter().enumerate().find_map(of)
        };
        match (value(one), value(two)) {
            (Some((first, one)), Some((second, two))) => first.abs_diff(second) < 2 && one == two && !one.contains('('),
            _ => false,
        }
    }
}

/// In a loop, `if key != last { sum = 0.0; last = key; }` sets `last` to the key in any case, if equal values of its type are the same.
pub fn keys(before: &[syn::Stmt], f: &mut syn::ExprForLoop) {
    struct Keys(HashSet<Local>);
    impl VisitMut for Keys {
        fn visit_block_mut(&mut self, block: &mut syn::Block) {
            visit_block_mut(self, block);
            let apart = |mut statement: syn::Stmt| {
                let kept = kept_key(&mut statement, &self.0);
                std::iter::once(statement).chain(kept)
            };
            block.stmts = std::mem::take(&mut block.stmts).into_iter().flat_map(apart).collect();
        }

        fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}
    }
    let discrete: HashSet<Local> = before.iter().flat_map(discrete).collect();
    if !discrete.is_empty() {
        Keys(discrete).visit_block_mut(&mut f.body);
    }
}

/// Takes `last = key;` out of `if key != last { .. }`.
fn kept_key(statement: &mut syn::Stmt, discrete: &HashSet<Local>) -> Option<syn::Stmt> {
    let syn::Stmt::Expr(syn::Expr::If(choice), _) = statement else { return None };
    let syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::Ne(_), right, .. }) = bare(&choice.cond) else {
        return None;
    };
    let is_last = |e: &syn::Expr| name_of(bare(e)).filter(|name| discrete.contains(&Local::from(*name))).cloned();
    let (last, key) = match (is_last(left), is_last(right)) {
        (Some(last), None) => (last, bare(right)),
        (None, Some(last)) => (last, bare(left)),
        _ => return None,
    };
    let text = |e: &syn::Expr| bare(e).to_token_stream().to_string();
    let sets = |statement: &syn::Stmt| {
        let sets = |assign: &&syn::ExprAssign| name_of(&assign.left) == Some(&last) && text(&assign.right) == text(key);
        assignment(statement).filter(sets).is_some()
    };
    let at = choice.then_branch.stmts.iter().position(sets)?;
    // The branch uses it nowhere else, leaves the key as it is, and runs to its end.
    let is_part = |place: &syn::Expr| root(place).is_none_or(|root| mentions(key, root));
    let others = |e: &syn::Expr| {
        changed(e).is_some_and(|place| is_part(place) && name_of(place) != Some(&last))
            || matches!(e, syn::Expr::Continue(_) | syn::Expr::Break(_) | syn::Expr::Return(_) | syn::Expr::Try(_))
            || matches!(e, syn::Expr::Macro(_) | syn::Expr::Call(_) | syn::Expr::Closure(_))
    };
    let macros = choice.then_branch.stmts.iter().any(|statement| matches!(statement, syn::Stmt::Macro(_)));
    let is_stable_key = match key {
        syn::Expr::Index(element) => is_stable(&element.expr) && is_stable(&element.index),
        key => is_stable(key),
    };
    let fits = choice.else_branch.is_none()
        && is_stable_key
        && count(choice, &last) == 2
        && !macros
        && !Find::in_block(&choice.then_branch, others);
    fits.then(|| choice.then_branch.stmts.remove(at))
}

/// The variables of a declaration that are integers, characters or `bool`, as it shows.
fn discrete(statement: &syn::Stmt) -> Vec<Local> {
    let is_discrete = |ty: &str| types::is_primitive(ty) && !matches!(ty, "f32" | "f64");
    fn is_whole(e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Lit(syn::ExprLit { lit, .. }) => match lit {
                syn::Lit::Int(number) => !number.suffix().starts_with('f'),
                syn::Lit::Byte(_) | syn::Lit::Char(_) | syn::Lit::Bool(_) => true,
                _ => false,
            },
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => is_whole(expr),
            _ => false,
        }
    }
    let constant = |e: &syn::Expr| match e {
        syn::Expr::Path(path) => {
            let mut segments = path.path.segments.iter().map(|segment| segment.ident.to_string());
            let ty = segments.next().filter(|_| path.path.segments.len() == 2);
            ty.is_some_and(|ty| is_discrete(&ty)) && segments.next().is_some_and(|name| name == "MAX" || name == "MIN")
        }
        other => is_whole(other),
    };
    let one = |(pattern, value): (&syn::Pat, &syn::Expr)| match pattern {
        syn::Pat::Ident(name) => constant(value).then(|| Local::from(&name.ident)),
        syn::Pat::Type(typed) => match &*typed.pat {
            syn::Pat::Ident(name) => {
                is_discrete(&typed.ty.to_token_stream().to_string()).then(|| Local::from(&name.ident))
            }
            _ => None,
        },
        _ => None,
    };
    let syn::Stmt::Local(syn::Local { pat, init: Some(init), .. }) = statement else { return Vec::new() };
    match (pat, &*init.expr) {
        (syn::Pat::Tuple(names), syn::Expr::Tuple(values)) => {
            names.elems.iter().zip(&values.elems).filter_map(one).collect()
        }
        pair => one(pair).into_iter().collect(),
    }
}

/// A number that is written as such.
fn number(text: &str) -> Option<f64> {
    match syn::parse_str(text).ok()? {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_digits().parse().ok(),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => number.base10_digits().parse().ok(),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
            number(&expr.to_token_stream().to_string()).map(std::ops::Neg::neg)
        }
        _ => None,
    }
}

/// A value that a variable, or an element of an array, keeps.
struct Keeps {
    name: Local,
    /// The index of the element, as it is written.
    part: String,
    /// Whether it keeps the lower value.
    lower: bool,
    value: String,
    /// Whether the branch does nothing else.
    alone: bool,
}

/// Whether it is `if e < acc { acc = e; } else { .. }`.
pub fn keeps_value(choice: &syn::ExprIf) -> bool {
    kept(choice).is_some_and(|keeps| keeps.alone && keeps.part.is_empty())
}

/// `if e < acc { acc = e; }`. Other assignments of values may be around it.
fn kept(choice: &syn::ExprIf) -> Option<Keeps> {
    let syn::Expr::Binary(condition) = &*choice.cond else { return None };
    let less = match condition.op {
        syn::BinOp::Lt(_) => true,
        syn::BinOp::Gt(_) => false,
        _ => return None,
    };
    let text = |e: &syn::Expr| e.to_token_stream().to_string();
    let (left, right) = (text(&condition.left), text(&condition.right));
    let keeps = |assign: &syn::ExprAssign| {
        let (place, value) = (text(&assign.left), text(&assign.right));
        let lower = match (left == value && right == place, left == place && right == value) {
            (true, _) => less,
            (_, true) => !less,
            _ => return None,
        };
        let (name, part) = match &*assign.left {
            syn::Expr::Index(element)
                if name_of(&element.index).is_some() || number(&text(&element.index)).is_some() =>
            {
                (name_of(&element.expr)?, text(&element.index))
            }
            place => (name_of(place)?, String::new()),
        };
        let alone = choice.then_branch.stmts.len() == 1;
        (!value.contains('(')).then(|| Keeps { name: Local::from(name), part, lower, value, alone })
    };
    let assigns: Vec<_> = choice.then_branch.stmts.iter().map(assignment).collect::<Option<_>>()?;
    assigns.into_iter().find_map(keeps)
}

/// The variables of a `let`, each with the text of its value.
fn declared(statement: &syn::Stmt) -> Vec<(Local, String)> {
    let syn::Stmt::Local(syn::Local { pat, init: Some(init), .. }) = statement else { return Vec::new() };
    let one = |(pattern, value): (&syn::Pat, &syn::Expr)| {
        let name = match pattern {
            syn::Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        match name {
            syn::Pat::Ident(name) => Some((Local::from(&name.ident), value.to_token_stream().to_string())),
            _ => None,
        }
    };
    match (pat, &*init.expr) {
        (syn::Pat::Tuple(names), syn::Expr::Tuple(values)) => {
            names.elems.iter().zip(&values.elems).filter_map(one).collect()
        }
        pair => one(pair).into_iter().collect(),
    }
}
