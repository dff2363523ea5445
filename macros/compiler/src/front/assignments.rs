//! Assignments to several variables, or of a value that a condition chooses, as plain assignments.

use super::tokens::{Find, bare, count, mentions, name_of, root};
use crate::ir::Local;
use crate::maps::HashSet;
use quote::{ToTokens, quote};
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
    let (syn::Expr::Tuple(places), syn::Expr::Tuple(values)) = (&*assign.left, &*assign.right) else { return None };
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
    fits.then(|| pairs.map(|(place, value)| syn::Stmt::Expr(assigned(assign, place, value), Some(end))).collect())
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
    let chooses = |e: &syn::Expr| matches!(bare(e), syn::Expr::If(_) | syn::Expr::Match(_));
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
/// with the same value. As `least <= most` holds, or neither compares with anything, one condition at most holds.
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
        let ((one, lower, value), (two, upper, again)) = (kept(choice)?, kept(second)?);
        let uses = |tokens: &dyn ToTokens| [one, two].map(|name| count(tokens, &name.ident())).iter().sum::<usize>();
        let opposite = one != two && lower != upper && value == again && second.else_branch.is_none();
        let nowhere_else = || uses(self.before) == 2 && uses(self.whole) == uses(choice);
        let first = syn::ExprIf { else_branch: None, ..choice.clone() };
        (opposite && self.begin_alike(one, two) && nowhere_else()).then(|| [first, second.clone()])
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

/// `if e < acc { acc = e; }`: the variable, whether it keeps the lower value, and the value.
fn kept(choice: &syn::ExprIf) -> Option<(Local, bool, String)> {
    let (syn::Expr::Binary(condition), [statement]) = (&*choice.cond, &*choice.then_branch.stmts) else { return None };
    let less = match condition.op {
        syn::BinOp::Lt(_) => true,
        syn::BinOp::Gt(_) => false,
        _ => return None,
    };
    let (assign, text) = (assignment(statement)?, |e: &syn::Expr| e.to_token_stream().to_string());
    let (place, value) = (text(&assign.left), text(&assign.right));
    let (left, right) = (text(&condition.left), text(&condition.right));
    let lower = match (left == value && right == place, left == place && right == value) {
        (true, _) => less,
        (_, true) => !less,
        _ => return None,
    };
    let name = name_of(&assign.left).filter(|_| !value.contains('('))?;
    Some((Local::from(name), lower, value))
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
