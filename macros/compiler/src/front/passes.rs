//! Additions at several indices of one array: `for e in 0..n { r[e] += a; r[e + 1] += b; }` is one loop for each index. The loop of the
//! largest index comes first, so that each element gets its additions in the order of the iterations.

use super::counters::literal;
use super::tokens::{Find, assigns, bare, changed, name_of};
use crate::ir::Local;
use crate::maps::{HashMap, HashSet, New as _};
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// More loops would compute too much again.
const FEW: usize = 8;

/// Writes one loop for each index. Returns whether there were loops with several indices.
pub fn split_passes(block: &mut syn::Block, slices: &HashSet<Local>) -> bool {
    let mut split = Split { slices, found: false };
    split.visit_block_mut(block);
    split.found
}

struct Split<'a> {
    slices: &'a HashSet<Local>,
    found: bool,
}

impl VisitMut for Split<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut statements = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            let passes = match &statement {
                syn::Stmt::Expr(syn::Expr::ForLoop(f), _) => passes(f, self.slices),
                _ => None,
            };
            match passes {
                Some(loops) => {
                    self.found = true;
                    statements.extend(loops.into_iter().map(|f| syn::Stmt::Expr(syn::Expr::ForLoop(f), None)));
                }
                None => {
                    syn::visit_mut::visit_stmt_mut(self, &mut statement);
                    statements.push(statement);
                }
            }
        }
        block.stmts = statements;
    }

    /// Rounds of the loops inside.
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        if matches!(*f.pat, syn::Pat::Wild(_)) {
            self.visit_block_mut(&mut f.body);
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// One loop for each index, if the loop only adds at indices that rise by the same step.
fn passes(f: &syn::ExprForLoop, slices: &HashSet<Local>) -> Option<Vec<syn::ExprForLoop>> {
    let f = &unrolled(f);
    // An index before the beginning panics in the first iteration, and not after a loop over the others.
    let mut first = Found::of(slices, None);
    first.of_loop(f, 0)?;
    first.indices.values().flatten().all(|index| *index >= 0).then_some(())?;
    let variables = std::mem::take(&mut first.variables);
    for variable in variables.keys() {
        let own = variables.values().flatten().map(|update| count(update, *variable)).sum::<usize>();
        (own == mentions_of(f, *variable)).then_some(())?;
    }
    let mut order: HashMap<Local, Vec<Vec<i64>>> = HashMap::new();
    for case in 0..4 {
        let (mut found, mut next) = (Found::of(slices, Some(case)), Found::of(slices, Some(case)));
        let now = found.of_loop(f, 0)?;
        next.of_loop(f, 1)?;
        for (array, indices) in &found.indices {
            let steps: HashSet<i64> = indices.iter().zip(&next.indices[array]).map(|(now, next)| next - now).collect();
            let rises = steps.len() == 1 && steps.iter().all(|step| *step > 0);
            let only = found.updates[array] == mentions_of(f, *array);
            (rises && only).then(|| order.entry(*array).or_default().push(indices.clone()))?;
        }
        now.then_some(())?;
    }
    // The number of the loop that has an update: how many of the indices are larger, in all cases.
    let mut numbers: HashMap<Local, Vec<usize>> = HashMap::new();
    for (array, cases) in &order {
        let numbers_in = |indices: &Vec<i64>| -> Vec<usize> {
            let larger = |index: &i64| indices.iter().filter(|other| *other > index).collect::<HashSet<_>>().len();
            indices.iter().map(larger).collect()
        };
        let first = numbers_in(&cases[0]);
        cases.iter().all(|case| numbers_in(case) == first).then_some(())?;
        numbers.insert(*array, first);
    }
    let count = numbers.values().flatten().max()? + 1;
    if !(2..=FEW).contains(&count) {
        return None;
    }
    let pass = |number| {
        let mut f = f.clone();
        let seen = HashMap::new();
        Keep { numbers: &numbers, variables: &variables, number, seen }.visit_block_mut(&mut f.body);
        f
    };
    Some((0..count).map(pass).collect())
}

/// The array, the index and the value of `r[k] += e` and `r[k] -= e`.
fn update(e: &syn::Expr) -> Option<(&syn::Ident, &syn::Expr, &syn::Expr)> {
    let syn::Expr::Binary(binary) = e else { return None };
    let syn::Expr::Index(place) = bare(&binary.left) else { return None };
    let adds = matches!(binary.op, syn::BinOp::AddAssign(_) | syn::BinOp::SubAssign(_));
    adds.then_some((name_of(&place.expr)?, &*place.index, &*binary.right))
}

/// The variable that `s += e`, `s = s.max(e)` and their kin update, without side effects.
fn updated(e: &syn::Expr) -> Option<&syn::Ident> {
    match e {
        syn::Expr::Binary(binary) if assigns(binary) => name_of(&binary.left).filter(|_| is_pure(&binary.right)),
        syn::Expr::Assign(assign) => name_of(&assign.left).filter(|_| is_pure(&assign.right)),
        _ => None,
    }
}

fn mentions_of(f: &syn::ExprForLoop, array: Local) -> usize {
    count(&syn::Expr::ForLoop(f.clone()), array)
}

fn count(e: &syn::Expr, name: Local) -> usize {
    struct Count(Local, usize);
    impl<'ast> Visit<'ast> for Count {
        fn visit_ident(&mut self, name: &'ast syn::Ident) {
            self.1 += usize::from(Local::from(name) == self.0);
        }
    }
    let mut count = Count(name, 0);
    count.visit_expr(e);
    count.1
}

/// The loop with a copy of the body for each value of a counter of few: `for a in 0..2 { r[e + a] += v[a]; }`.
fn unrolled(f: &syn::ExprForLoop) -> syn::ExprForLoop {
    struct Put<'a> {
        name: &'a syn::Ident,
        value: usize,
        fits: bool,
    }
    impl VisitMut for Put<'_> {
        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            // A literal has a type only beside other numbers.
            self.fits &= match e {
                syn::Expr::MethodCall(call) => name_of(&call.receiver) != Some(self.name),
                syn::Expr::Macro(_) | syn::Expr::Closure(_) => false,
                _ => true,
            };
            if name_of(e) == Some(self.name) {
                let value = syn::LitInt::new(&self.value.to_string(), e.span());
                *e = syn::parse_quote!(#value);
            } else {
                syn::visit_mut::visit_expr_mut(self, e);
            }
        }
    }
    fn copies(inner: &syn::ExprForLoop) -> Option<Vec<syn::Stmt>> {
        let (syn::Pat::Ident(name), syn::Expr::Range(range)) = (&*inner.pat, bare(&inner.expr)) else { return None };
        let (start, end) = (literal(range.start.as_ref()?)?, literal(range.end.as_ref()?)?);
        let end = end + usize::from(matches!(range.limits, syn::RangeLimits::Closed(_)));
        let is_plain = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Expr(..));
        if inner.label.is_some() || !(start..start + FEW).contains(&end) || !inner.body.stmts.iter().all(is_plain) {
            return None;
        }
        let mut all = Vec::new();
        for value in start..end {
            let mut put = Put { name: &name.ident, value, fits: true };
            for mut statement in inner.body.stmts.clone() {
                put.visit_stmt_mut(&mut statement);
                if let syn::Stmt::Expr(_, end) = &mut statement {
                    end.get_or_insert_default();
                }
                all.push(statement);
            }
            put.fits.then_some(())?;
        }
        Some(all)
    }
    let mut f = f.clone();
    let mut statements = Vec::new();
    for statement in std::mem::take(&mut f.body.stmts) {
        match &statement {
            syn::Stmt::Expr(syn::Expr::ForLoop(inner), _) => {
                let inner = unrolled(inner);
                match copies(&inner) {
                    Some(copies) => statements.extend(copies),
                    None => statements.push(syn::Stmt::Expr(syn::Expr::ForLoop(inner), None)),
                }
            }
            _ => statements.push(statement),
        }
    }
    f.body.stmts = statements;
    f
}

/// The updates of a loop, with the values of their indices in a case.
struct Found<'a> {
    slices: &'a HashSet<Local>,
    /// The number of the case; `None` for the first iteration, where unknown numbers are zero.
    case: Option<i64>,
    values: HashMap<Local, i64>,
    indices: BTreeMap<Local, Vec<i64>>,
    updates: HashMap<Local, usize>,
    /// The updates of variables.
    variables: HashMap<Local, Vec<syn::Expr>>,
}

impl<'a> Found<'a> {
    fn of(slices: &'a HashSet<Local>, case: Option<i64>) -> Self {
        let (values, updates, variables) = (HashMap::new(), HashMap::new(), HashMap::new());
        Found { slices, case, values, indices: BTreeMap::new(), updates, variables }
    }

    /// Whether a loop consists of additions and of variables without side effects; the iteration is `later` than in other cases.
    fn of_loop(&mut self, f: &syn::ExprForLoop, later: i64) -> Option<bool> {
        let (syn::Pat::Ident(variable), syn::Expr::Range(range)) = (&*f.pat, bare(&f.expr)) else { return None };
        let ends = range.start.as_ref()?;
        (is_pure(ends) && range.end.as_ref().is_some_and(|end| is_pure(end)) && f.label.is_none()).then_some(())?;
        let value = match self.case {
            Some(_) => self.any(&variable.ident) + later,
            None => self.value(ends)?,
        };
        self.values.insert(Local::from(&variable.ident), value);
        for statement in &f.body.stmts {
            match statement {
                syn::Stmt::Local(syn::Local { pat, init: Some(init), .. }) if init.diverge.is_none() => {
                    is_pure(&init.expr).then_some(())?;
                    if let (syn::Pat::Ident(name), Some(value)) = (pat, self.value(&init.expr)) {
                        self.values.insert(Local::from(&name.ident), value);
                    }
                }
                syn::Stmt::Expr(syn::Expr::ForLoop(inner), _) => _ = self.of_loop(inner, 0)?,
                syn::Stmt::Expr(e, _) => {
                    let Some((array, index, value)) = update(e) else {
                        let of = self.variables.entry(Local::from(updated(e)?)).or_default();
                        of.push(e.clone());
                        continue;
                    };
                    let array = Local::from(array);
                    (self.slices.contains(&array) && is_pure(index) && is_pure(value)).then_some(())?;
                    let index = self.value(index)?;
                    self.indices.entry(array).or_default().push(index);
                    *self.updates.entry(array).or_default() += 1;
                }
                _ => return None,
            }
        }
        Some(true)
    }

    /// A value for a variable, another one in each case.
    fn any(&self, name: &syn::Ident) -> i64 {
        let Some(case) = self.case else { return 0 };
        let text = name.to_string();
        let mixed = text.bytes().fold(case + 7, |mixed, byte| (mixed * 31 + i64::from(byte)) % 9973);
        40 + mixed % 900
    }

    fn value(&self, e: &syn::Expr) -> Option<i64> {
        match bare(e) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
            syn::Expr::Cast(cast) => self.value(&cast.expr),
            syn::Expr::Binary(binary) => {
                let (a, b) = (self.value(&binary.left)?, self.value(&binary.right)?);
                match binary.op {
                    syn::BinOp::Add(_) => a.checked_add(b),
                    syn::BinOp::Sub(_) => a.checked_sub(b),
                    syn::BinOp::Mul(_) => a.checked_mul(b),
                    _ => None,
                }
            }
            e => {
                let name = name_of(e)?;
                Some(self.values.get(&Local::from(name)).copied().unwrap_or_else(|| self.any(name)))
            }
        }
    }
}

/// Whether an expression may be evaluated again without a side effect.
fn is_pure(e: &syn::Expr) -> bool {
    use syn::Expr as E;
    !Find::in_expr(e, |e| match e {
        E::Path(_) | E::Lit(_) | E::Paren(_) | E::Index(_) | E::Field(_) | E::Cast(_) | E::Tuple(_) => false,
        E::Unary(_) | E::Array(_) | E::Repeat(_) | E::Call(_) | E::If(_) | E::Block(_) => false,
        E::Binary(_) | E::Reference(_) | E::MethodCall(_) => changed(e).is_some(),
        _ => true,
    })
}

/// Keeps the updates of one loop. The first loop still evaluates the others, as they may panic.
struct Keep<'a> {
    numbers: &'a HashMap<Local, Vec<usize>>,
    /// Variables that only the first loop updates.
    variables: &'a HashMap<Local, Vec<syn::Expr>>,
    number: usize,
    /// How many updates of an array were visited.
    seen: HashMap<Local, usize>,
}

impl VisitMut for Keep<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut statements = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            let updates = match &statement {
                syn::Stmt::Expr(e, _) => {
                    update(e).filter(|(array, ..)| self.numbers.contains_key(&Local::from(*array)))
                }
                _ => None,
            };
            if let syn::Stmt::Expr(e, _) = &statement
                && self.number > 0
                && updated(e).is_some_and(|variable| self.variables.contains_key(&Local::from(variable)))
            {
                continue;
            }
            let Some((array, index, value)) = updates else {
                syn::visit_mut::visit_stmt_mut(self, &mut statement);
                statements.push(statement);
                continue;
            };
            let array = Local::from(array);
            let seen = self.seen.entry(array).or_default();
            *seen += 1;
            if self.numbers[&array][*seen - 1] == self.number {
                statements.push(statement);
            } else if self.number == 0 {
                let evaluated: syn::Block =
                    syn::parse_quote_spanned!(value.span()=> { let _ = #value; let _ = #index; });
                statements.extend(evaluated.stmts);
            }
        }
        block.stmts = statements;
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
}
