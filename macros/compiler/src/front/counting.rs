//! Loops that count by `while` or `loop`: `let mut i = a; while i < n { ..; i += 1; }` is `for i in a..n { .. }`. Only loops outside of others: loops
//! inside run as they are written.

use super::counters::{Changes, counted, indexes, is_kept, literal};
use super::parameters::slices;
use super::rename::Rename;
use super::tokens::{Find, bare, mentions, name_of};
use crate::ir::Local;
use crate::language::types;
use crate::maps::{HashMap, HashSet};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

/// Writes `for` in place of `while` and `loop`, where they count. The result has each new name with that of the counter, for messages.
pub fn write_ranges(signature: &syn::Signature, block: &mut syn::Block) -> Vec<(String, String)> {
    if !Find::in_block(block, |e| matches!(e, syn::Expr::While(_) | syn::Expr::Loop(_))) {
        return Vec::new();
    }
    let slices = slices(signature).map(|slice| (slice.name, slice.mutable)).collect();
    let signed = Signed::of(signature, block);
    let mut counting = Counting { slices, signed, names: Vec::new() };
    counting.visit_block_mut(block);
    counting.names
}

struct Counting {
    /// The parameters that are slices.
    slices: HashMap<Local, bool>,
    signed: Signed,
    names: Vec<(String, String)>,
}

/// Variables that are signed integers: parameters, and those that are computed from signed numbers.
#[derive(Default)]
struct Signed(HashSet<Local>);

impl Signed {
    fn of(signature: &syn::Signature, block: &syn::Block) -> Signed {
        let mut signed = Signed::default();
        signed.visit_signature(signature);
        signed.visit_block(block);
        signed
    }

    fn contains(&self, e: &syn::Expr) -> bool {
        match bare(e) {
            syn::Expr::Cast(cast) => is_signed(&cast.ty),
            syn::Expr::Binary(binary) => self.contains(&binary.left) || self.contains(&binary.right),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), .. }) => true,
            e => name_of(e).is_some_and(|name| self.0.contains(&Local::from(name))),
        }
    }
}

impl<'ast> Visit<'ast> for Signed {
    fn visit_pat_type(&mut self, typed: &'ast syn::PatType) {
        if let syn::Pat::Ident(name) = &*typed.pat
            && is_signed(&typed.ty)
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

impl VisitMut for Counting {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut first = 0;
        while first < block.stmts.len() {
            if let Some(statements) = self.counted_from(&block.stmts[first..]) {
                block.stmts.splice(first.., statements);
            }
            first += 1;
        }
        syn::visit_mut::visit_block_mut(self, block);
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

/// A loop that counts.
struct Counted {
    range: TokenStream,
    body: Vec<syn::Stmt>,
    /// The bounds and the step, which must stay the same.
    kept: Vec<syn::Expr>,
    /// The value of the counter afterwards.
    end: Option<TokenStream>,
    passes: Passes,
    /// The number of steps as code, which panics if they are not those of a range.
    steps: Option<TokenStream>,
}

/// How far the counter goes.
#[derive(Clone, Copy)]
enum Passes {
    ToTheEnd,
    /// Some steps behind the end.
    Beyond,
    /// A step that is known when the loop is called.
    ByVariable,
    /// Below the end, which may be zero.
    Below,
}

fn is_signed(ty: &syn::Type) -> bool {
    ["i8", "i16", "i32", "i64", "i128", "isize"].contains(&&*ty.to_token_stream().to_string())
}

/// Whether tokens convert a value to a signed integer.
fn is_cast_to_signed(start: &TokenStream) -> bool {
    let start = syn::parse2::<syn::Expr>(start.clone());
    start.is_ok_and(|start| Find::in_expr(&start, |e| matches!(e, syn::Expr::Cast(cast) if is_signed(&cast.ty))))
}

impl Counting {
    /// The statements from the declaration of a counter on, if each mention of it belongs to a loop that counts.
    fn counted_from(&mut self, statements: &[syn::Stmt]) -> Option<Vec<syn::Stmt>> {
        let syn::Stmt::Local(syn::Local { pat, init: Some(init), attrs, .. }) = statements.first()? else {
            return None;
        };
        let (pattern, ty) = match pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(typed.ty.to_token_stream().to_string())),
            pattern => (pattern, None),
        };
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: Some(_), subpat: None, ident: name, .. }) =
            pattern
        else {
            return None;
        };
        let known =
            ty.as_ref().is_none_or(|ty| types::is_primitive(ty) && !matches!(&**ty, "f32" | "f64" | "bool" | "char"));
        if init.diverge.is_some() || !attrs.is_empty() || !known {
            return None;
        }
        let (mut written, mut start, mut ends) = (Vec::new(), Some((*init.expr).clone()), None);
        let (mut between, mut loops) = (Changes::default(), 0);
        for statement in &statements[1..] {
            if !mentions(statement, name) {
                between.visit_stmt(statement);
                written.push(statement.clone());
                continue;
            }
            if let syn::Stmt::Expr(syn::Expr::Assign(assign), Some(_)) = statement
                && name_of(&assign.left) == Some(name)
                && !mentions(&assign.right, name)
            {
                // A loop before must have read the value.
                (start, between) = (Some((*assign.right).clone()), Changes::default());
                continue;
            }
            if let Some(from) = start.take_if(|start| is_kept(start, &between, &self.slices))
                && let Some((counting, end)) = self.counting(statement, name, ty.as_deref(), &from, loops)
            {
                written.extend(counting);
                (ends, loops) = (end, loops + 1);
                continue;
            }
            // The loop before has left a value.
            let end = ends.take()?;
            let value = self.renamed(name);
            written.push(syn::parse2(quote_spanned!(name.span()=> let #value = #end;)).ok()?);
            if let Some((counting, end)) =
                self.counting(statement, name, ty.as_deref(), &syn::parse_quote!(#value), loops)
            {
                written.extend(counting);
                (ends, loops) = (end, loops + 1);
                continue;
            }
            let mut statement = statement.clone();
            let mut rename = Rename { name, to: &value, hidden: false, changed: false };
            rename.visit_stmt_mut(&mut statement);
            (!rename.hidden && !rename.changed).then_some(())?;
            written.push(statement);
            ends = Some(value.to_token_stream());
        }
        (loops > 0).then_some(written)
    }

    /// Another name for a counter.
    fn renamed(&mut self, name: &Ident) -> Ident {
        let other = format_ident!("__{name}_{}", self.names.len(), span = name.span());
        self.names.push((other.to_string(), name.to_string()));
        other
    }

    /// The loop that a statement is.
    fn counting(
        &mut self,
        statement: &syn::Stmt,
        name: &Ident,
        ty: Option<&str>,
        start: &syn::Expr,
        number: usize,
    ) -> Option<(Vec<syn::Stmt>, Option<TokenStream>)> {
        let (condition, body, at) = condition_and_body(statement)?;
        let by = format_ident!("__step_{name}_{number}", span = name.span());
        let start = match (literal(start), ty) {
            (Some(_), Some(ty)) => format!("{}{ty}", start.to_token_stream()).parse().ok()?,
            _ => start.to_token_stream(),
        };
        let Counted { range, mut body, kept, end, passes, steps } =
            upwards(name, &start, &condition, &body, &by).or_else(|| downwards(name, &start, &condition, &body))?;
        let mut changes = Changes::default();
        body.iter().for_each(|statement| changes.visit_stmt(statement));
        let inside = syn::Block { brace_token: Default::default(), stmts: body.clone() };
        let is_number = |bound: &syn::Expr| match bare(bound) {
            syn::Expr::Unary(minus) => literal(&minus.expr).is_some(),
            bound => literal(bound).is_some(),
        };
        let literal_bound = kept.iter().any(is_number);
        let is_index = indexes(&inside, name) || ty == Some("usize");
        let is_integer = ty.is_some() || literal_bound || is_integer(&start) || is_index;
        // Far from the ends of its type, the counter does not overflow.
        let is_near = syn::parse2(start.clone()).is_ok_and(|start: syn::LitInt| start.base10_digits().len() < 10);
        let is_negative = kept.iter().any(|bound| matches!(bare(bound), syn::Expr::Unary(_)));
        let of_signed = || syn::parse2(start.clone()).is_ok_and(|start| self.signed.contains(&start));
        let is_signed =
            ty.is_some_and(|ty| ty.starts_with('i')) || is_negative || is_cast_to_signed(&start) || of_signed();
        // Otherwise a call checks it. A loop that is left early need not get there.
        let is_checked = match passes {
            Passes::ByVariable => true,
            Passes::Beyond => !(is_index && is_near),
            _ => false,
        };
        let never_overflows = match passes {
            Passes::ToTheEnd => true,
            Passes::Beyond | Passes::ByVariable => !is_checked || !changes.leaves,
            Passes::Below => is_signed,
        };
        let of_slice = |e: &syn::Expr| match e {
            syn::Expr::MethodCall(call) if call.method == "len" => {
                name_of(&call.receiver).is_some_and(|name| self.slices.contains_key(&Local::from(name)))
            }
            _ => true,
        };
        let fits = is_integer
            && never_overflows
            && changes.keep(Local::from(name))
            && kept.iter().all(|e| {
                !mentions(e, name) && is_kept(e, &changes, &self.slices) && !Find::in_expr(e, |e| !of_slice(e))
            });
        fits.then_some(())?;
        let mut variable = name.clone();
        if number > 0 {
            variable = self.renamed(name);
            let mut rename = Rename { name, to: &variable, hidden: false, changed: false };
            body.iter_mut().for_each(|statement| rename.visit_stmt_mut(statement));
            (!rename.hidden).then_some(())?;
        }
        // A loop that is left early has another value.
        let end = end.filter(|_| is_index && !changes.leaves);
        let mut statements = Vec::new();
        if let Some(steps) = steps.filter(|_| is_checked) {
            self.names.push((by.to_string(), format!("the step of `{name}`")));
            statements.push(syn::parse2(quote_spanned!(at=> let #by = #steps;)).ok()?);
        }
        statements.push(syn::parse2(quote_spanned!(at=> for #variable in #range { #(#body)* })).ok()?);
        Some((statements, end))
    }
}

/// Whether tokens are an integer.
fn is_integer(start: &TokenStream) -> bool {
    matches!(syn::parse2(start.clone()), Ok(syn::Lit::Int(_)))
}

/// The condition under which a loop goes on, and its body: `while c { .. }`, `loop { if !c { break; } .. }`.
fn condition_and_body(statement: &syn::Stmt) -> Option<(syn::Expr, Vec<syn::Stmt>, proc_macro2::Span)> {
    let syn::Stmt::Expr(e, _) = statement else { return None };
    match e {
        syn::Expr::While(f) if f.label.is_none() && f.attrs.is_empty() => {
            Some(((*f.cond).clone(), f.body.stmts.clone(), f.while_token.span()))
        }
        syn::Expr::Loop(f) if f.label.is_none() && f.attrs.is_empty() => {
            let (first, rest) = f.body.stmts.split_first()?;
            let syn::Stmt::Expr(syn::Expr::If(leave), _) = first else { return None };
            let leaves = match leave.then_branch.stmts.as_slice() {
                [syn::Stmt::Expr(syn::Expr::Break(leaves), _)] => leaves.label.is_none() && leaves.expr.is_none(),
                _ => false,
            };
            let syn::Expr::Binary(condition) = bare(&leave.cond) else { return None };
            let (left, right) = (&condition.left, &condition.right);
            let condition = match condition.op {
                syn::BinOp::Ge(_) => syn::parse_quote!(#left < #right),
                syn::BinOp::Gt(_) => syn::parse_quote!(#left <= #right),
                syn::BinOp::Le(_) => syn::parse_quote!(#left > #right),
                syn::BinOp::Lt(_) => syn::parse_quote!(#left >= #right),
                syn::BinOp::Eq(_) => syn::parse_quote!(#left != #right),
                _ => return None,
            };
            (leaves && leave.else_branch.is_none()).then(|| (condition, rest.to_vec(), f.loop_token.span()))
        }
        _ => None,
    }
}

/// The comparison of a counter with a bound, with the counter on the left, and what is added to it.
fn comparison(condition: &syn::Expr, name: &Ident) -> Option<(syn::BinOp, usize, syn::Expr)> {
    use syn::BinOp as B;
    let syn::Expr::Binary(condition) = bare(condition) else { return None };
    let of_counter = |e: &syn::Expr| match bare(e) {
        e if name_of(e) == Some(name) => Some(0),
        syn::Expr::Binary(sum) if matches!(sum.op, B::Add(_)) && name_of(&sum.left) == Some(name) => {
            literal(&sum.right)
        }
        _ => None,
    };
    if let Some(more) = of_counter(&condition.left) {
        return Some((condition.op, more, (*condition.right).clone()));
    }
    let op: B = match condition.op {
        B::Lt(_) => syn::parse_quote!(>),
        B::Le(_) => syn::parse_quote!(>=),
        B::Gt(_) => syn::parse_quote!(<),
        B::Ge(_) => syn::parse_quote!(<=),
        B::Ne(_) => syn::parse_quote!(!=),
        _ => return None,
    };
    Some((op, of_counter(&condition.right)?, (*condition.left).clone()))
}

/// A loop whose last statement adds to the counter. `by` is the name of a step that is no number.
fn upwards(
    name: &Ident,
    start: &TokenStream,
    condition: &syn::Expr,
    body: &[syn::Stmt],
    by: &Ident,
) -> Option<Counted> {
    use syn::BinOp as B;
    let (op, more, end) = comparison(condition, name)?;
    let (step, before) = body.split_last()?;
    let stride = match counted(step)? {
        (counter, stride, false) if counter == name => stride,
        _ => return None,
    };
    let number = literal(stride);
    if number.is_some_and(|number| !(1..1 << 16).contains(&number)) {
        return None;
    }
    let at = name.span();
    let from_zero = syn::parse2(start.clone()).is_ok_and(|start: syn::LitInt| start.base10_digits() == "0");
    let less = match (op, more) {
        (B::Lt(_), more) => more,
        (B::Le(_), more) => more.saturating_sub(1),
        (B::Ne(_), 0) if number == Some(1) && from_zero => 0,
        _ => return None,
    };
    let inclusive = matches!(op, B::Le(_)) && more == 0;
    let last = match less {
        0 => quote_spanned!(at=> #end),
        less => {
            let less = proc_macro2::Literal::usize_unsuffixed(less);
            quote_spanned!(at=> (#end).saturating_sub(#less))
        }
    };
    let range = if inclusive { quote_spanned!(at=> #start..=#last) } else { quote_spanned!(at=> #start..#last) };
    let mut body = before.to_vec();
    let mut ends = Ends { step, fits: true };
    ends.statements(&mut body);
    ends.fits.then_some(())?;
    let strides = match number {
        Some(number) => proc_macro2::Literal::usize_unsuffixed(number).into_token_stream(),
        None => by.to_token_stream(),
    };
    let after = match number {
        _ if inclusive || matches!(op, B::Ne(_)) => None,
        Some(1) => Some(quote_spanned!(at=> ::core::cmp::Ord::max(#start, #last))),
        _ => Some(
            quote_spanned!(at=> #start + ::core::primitive::usize::div_ceil((#last).saturating_sub(#start), #strides) * #strides),
        ),
    };
    let range = if number == Some(1) { range } else { quote_spanned!(at=> (#range).step_by(#strides)) };
    let passes = match number {
        None => Passes::ByVariable,
        Some(1) if !matches!(op, B::Le(_)) => Passes::ToTheEnd,
        Some(_) => Passes::Beyond,
    };
    let steps = quote_spanned!(at=> ::forall::__private::step_of(#start, #last, #stride, #inclusive));
    let mut kept = vec![end];
    kept.extend(number.is_none().then(|| stride.clone()));
    Some(Counted { range, body, kept, end: after, passes, steps: Some(steps) })
}

/// The greatest step down. The counter of a loop with a small end stays in the range of each signed type.
const FAR: usize = 64;

/// A loop that subtracts a number from the counter, at the beginning of the body or at its end.
fn downwards(name: &Ident, start: &TokenStream, condition: &syn::Expr, body: &[syn::Stmt]) -> Option<Counted> {
    use syn::BinOp as B;
    let (op, 0, end) = comparison(condition, name)? else { return None };
    let step_of = |statement: &syn::Stmt| match counted(statement)? {
        (counter, step, true) if counter == name => literal(step).filter(|step| (1..=FAR).contains(step)),
        _ => None,
    };
    let (first, rest) = body.split_first()?;
    let at = name.span();
    let of =
        |range, body, passes| Some(Counted { range, body, kept: vec![end.clone()], end: None, passes, steps: None });
    if step_of(first) == Some(1) {
        let range = match op {
            B::Gt(_) => quote_spanned!(at=> (#end..#start).rev()),
            B::Ne(_) if literal(&end) == Some(0) => quote_spanned!(at=> (#end..#start).rev()),
            _ => return None,
        };
        return of(range, rest.to_vec(), Passes::ToTheEnd);
    }
    let (step, before) = body.split_last()?;
    let stride = step_of(step)?;
    let mut body = before.to_vec();
    let mut ends = Ends { step, fits: true };
    ends.statements(&mut body);
    ends.fits.then_some(())?;
    let is_below_zero = matches!(bare(&end), syn::Expr::Unary(minus) if literal(&minus.expr) == Some(1));
    // The least value of the counter in the loop.
    let least = match (op, literal(&end)) {
        (B::Ge(_), _) => end.to_token_stream(),
        (B::Gt(_), Some(end)) => proc_macro2::Literal::usize_unsuffixed(end + 1).into_token_stream(),
        (B::Gt(_), None) if is_below_zero => quote!(0),
        _ => return None,
    };
    let range = quote_spanned!(at=> (#least..=#start).rev());
    let strides = proc_macro2::Literal::usize_unsuffixed(stride);
    let range = if stride == 1 { range } else { quote_spanned!(at=> #range.step_by(#strides)) };
    let passes = match (op, literal(&end)) {
        (B::Gt(_), Some(end)) if end + 1 >= stride => Passes::ToTheEnd,
        (B::Ge(_), Some(end)) if end >= stride => Passes::ToTheEnd,
        _ => Passes::Below,
    };
    of(range, body, passes)
}

/// Removes the step before each `continue`.
struct Ends<'a> {
    step: &'a syn::Stmt,
    fits: bool,
}

impl Ends<'_> {
    fn statements(&mut self, statements: &mut Vec<syn::Stmt>) {
        let is_end = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Expr(syn::Expr::Continue(end), _) if end.label.is_none());
        let step = self.step.to_token_stream().to_string();
        let mut at = 0;
        while at < statements.len() {
            if is_end(&statements[at]) {
                if at > 0 && statements[at - 1].to_token_stream().to_string() == step {
                    statements.remove(at - 1);
                    continue;
                }
                self.fits = false;
            } else {
                self.visit_stmt_mut(&mut statements[at]);
            }
            at += 1;
        }
    }
}

impl VisitMut for Ends<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.statements(&mut block.stmts);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            // Inside, it ends an iteration of another loop.
            syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_) | syn::Expr::Closure(_) => {}
            syn::Expr::Continue(end) if end.label.is_none() => self.fits = false,
            e => syn::visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
