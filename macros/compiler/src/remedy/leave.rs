//! A loop that leaves early, as one whose iterations all run: those after the exit do nothing.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprForLoop, Ident, Stmt, parse_quote};

/// The statements that stand for a loop with exits: by `break`, or by `return`. `None` if it has other exits, or in other places. `options` are
/// variables that may be `None` before the loop.
pub fn without_exits(f: &ExprForLoop, options: &[Ident]) -> Option<Vec<Stmt>> {
    let (breaks, returns) = exits(&f.body)?;
    let mut f = f.clone();
    if breaks
        && !returns
        && let Some(first) = options.iter().find(|option| sets_once(&f.body, option))
    {
        f.body.stmts = only_if(&parse_quote!(#first.is_none()), statements(&f.body.stmts, Exit::Nothing)?);
        return Some(vec![Stmt::Expr(Expr::ForLoop(f), None)]);
    }
    let returned = returned(&f.body);
    let options = returns && returned.iter().all(is_some);
    if !options && !returned.iter().all(is_plain) {
        // Iterations keep plain data only.
        return None;
    }
    let body = statements(&f.body.stmts, if options { Exit::Option } else { Exit::Flag })?;
    match (breaks, returns) {
        (true, false) => {
            f.body.stmts = only_if(&parse_quote!(!done), body);
            Some(vec![parse_quote!(let mut done = false;), Stmt::Expr(Expr::ForLoop(f), None)])
        }
        (false, true) => {
            f.body.stmts = only_if(&parse_quote!(found.is_none()), body);
            let last = match options {
                true => parse_quote!(if found.is_some() {
                    return found;
                }),
                false => parse_quote!(if let Some(found) = found {
                    return found;
                }),
            };
            Some(vec![parse_quote!(let mut found = None;), Stmt::Expr(Expr::ForLoop(f), None), last])
        }
        _ => None,
    }
}

/// The values that a body returns.
fn returned(body: &Block) -> Vec<Expr> {
    struct Returned(Vec<Expr>);
    impl<'ast> Visit<'ast> for Returned {
        fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
            self.0.extend(e.expr.as_deref().cloned());
        }
    }
    let mut returned = Returned(Vec::new());
    returned.visit_block(body);
    returned.0
}

/// Whether an expression is `Some(..)` of a plain value.
fn is_some(e: &Expr) -> bool {
    matches!(e, Expr::Call(call) if call.func == parse_quote!(Some) && call.args.iter().all(is_plain))
}

/// Statements that run only under a condition. Variables that are computed from elements are declared before it.
fn only_if(condition: &Expr, mut body: Vec<Stmt>) -> Vec<Stmt> {
    let is_plain = |s: &Stmt| match s {
        Stmt::Local(local) => local.init.as_ref().is_some_and(|init| init.diverge.is_none() && is_plain(&init.expr)),
        _ => false,
    };
    let lets = body.iter().take_while(|s| is_plain(s)).count();
    let inside = body.split_off(lets);
    match inside.as_slice() {
        [Stmt::Expr(Expr::If(choice), _)] if choice.else_branch.is_none() && !matches!(&*choice.cond, Expr::Let(_)) => {
            let (other, then) = (&choice.cond, &choice.then_branch);
            let either = matches!(&**other, Expr::Binary(binary) if matches!(binary.op, syn::BinOp::Or(_)));
            let other: Expr = if either { parse_quote!((#other)) } else { parse_quote!(#other) };
            body.push(parse_quote!(if #condition && #other #then));
        }
        _ => body.push(parse_quote!(if #condition { #(#inside)* })),
    }
    body
}

/// Whether an expression is computed from names, numbers and elements by operators that do not divide.
fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Index(index) => is_plain(&index.expr) && is_plain(&index.index),
        Expr::Field(field) => is_plain(&field.base),
        Expr::Paren(inner) => is_plain(&inner.expr),
        Expr::Cast(inner) => is_plain(&inner.expr),
        Expr::Unary(inner) => is_plain(&inner.expr),
        Expr::Reference(inner) => is_plain(&inner.expr),
        Expr::Binary(binary) => {
            !matches!(binary.op, syn::BinOp::Div(_) | syn::BinOp::Rem(_))
                && is_plain(&binary.left)
                && is_plain(&binary.right)
        }
        _ => false,
    }
}

/// Whether the only exit of a body is `option = Some(..); break;`, and the body sets the variable nowhere else.
fn sets_once(body: &Block, option: &Ident) -> bool {
    struct Sets<'o>(&'o Ident, usize, usize, usize);
    impl<'ast> Visit<'ast> for Sets<'_> {
        fn visit_block(&mut self, block: &'ast Block) {
            if let [.., set, Stmt::Expr(Expr::Break(_), _)] = block.stmts.as_slice() {
                let option = self.0;
                let some = matches!(set, Stmt::Expr(Expr::Assign(assign), _)
                    if assign.left == parse_quote!(#option) && is_some(&assign.right));
                self.1 += usize::from(some);
            }
            visit::visit_block(self, block);
        }
        fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
            self.2 += 1;
        }
        fn visit_ident(&mut self, name: &'ast Ident) {
            self.3 += usize::from(name == self.0);
        }
    }
    let mut sets = Sets(option, 0, 0, 0);
    sets.visit_block(body);
    (sets.1, sets.2, sets.3) == (1, 1, 1)
}

/// The statements in place of an exit.
#[derive(Clone, Copy, PartialEq)]
enum Exit {
    /// A flag or a value is set.
    Flag,
    /// A variable is set already.
    Nothing,
    /// A value is set that is an option already.
    Option,
}

/// Whether a body breaks and whether it returns; `None` if it leaves in another way.
fn exits(body: &Block) -> Option<(bool, bool)> {
    #[derive(Default)]
    struct Exits {
        breaks: bool,
        returns: bool,
        others: bool,
        inside: bool,
    }
    impl<'ast> Visit<'ast> for Exits {
        fn visit_expr(&mut self, e: &'ast Expr) {
            match e {
                Expr::Break(b) if b.label.is_none() && b.expr.is_none() => self.breaks |= !self.inside,
                Expr::Return(r) if r.expr.is_some() => self.returns = true,
                Expr::Break(_) | Expr::Return(_) | Expr::Try(_) | Expr::Macro(_) => self.others = true,
                Expr::Continue(_) => self.others |= !self.inside,
                Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {
                    let outside = std::mem::replace(&mut self.inside, true);
                    visit::visit_expr(self, e);
                    self.inside = outside;
                    return;
                }
                Expr::Closure(_) | Expr::Async(_) => return,
                _ => {}
            }
            visit::visit_expr(self, e);
        }
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut exits = Exits::default();
    exits.visit_block(body);
    (!exits.others).then_some((exits.breaks, exits.returns))
}

/// Statements with a flag in place of each exit, and nothing after it. `None` if an exit stands elsewhere than at the end of a branch.
fn statements(all: &[Stmt], exit: Exit) -> Option<Vec<Stmt>> {
    let Some((first, rest)) = all.split_first() else { return Some(Vec::new()) };
    let unchanged = |first: &Stmt| -> Option<Vec<Stmt>> {
        let alone = Block { brace_token: Default::default(), stmts: vec![first.clone()] };
        (exits(&alone) == Some((false, false))).then_some(())?;
        Some([first.clone()].into_iter().chain(statements(rest, exit)?).collect())
    };
    match first {
        Stmt::Expr(Expr::Break(_), _) if rest.is_empty() && exit == Exit::Nothing => Some(Vec::new()),
        Stmt::Expr(Expr::Break(_), _) if rest.is_empty() => Some(vec![parse_quote!(done = true;)]),
        Stmt::Expr(Expr::Return(r), _) if rest.is_empty() => {
            let value = r.expr.as_ref()?;
            if exit == Exit::Option {
                return Some(vec![parse_quote!(found = #value;)]);
            }
            Some(vec![parse_quote!(found = Some(#value);)])
        }
        Stmt::Expr(Expr::If(choice), end) => {
            if let Some(same) = unchanged(first) {
                return Some(same);
            }
            let mut choice = choice.clone();
            choice.then_branch.stmts = statements(&choice.then_branch.stmts, exit)?;
            match &mut choice.else_branch {
                None if rest.is_empty() => {}
                None if leaves(first) => {
                    let rest = Block { brace_token: Default::default(), stmts: statements(rest, exit)? };
                    choice.else_branch = Some((Default::default(), parse_quote!(#rest)));
                }
                Some((_, otherwise)) if rest.is_empty() => {
                    let inside = match &**otherwise {
                        Expr::Block(block) => statements(&block.block.stmts, exit)?,
                        other => statements(&[Stmt::Expr(other.clone(), None)], exit)?,
                    };
                    **otherwise = match (&**otherwise, inside.as_slice()) {
                        (Expr::If(_), [Stmt::Expr(alone @ Expr::If(_), None)]) => alone.clone(),
                        _ => parse_quote!({ #(#inside)* }),
                    };
                }
                _ => return None,
            }
            Some(vec![Stmt::Expr(Expr::If(choice), *end)])
        }
        _ => unchanged(first),
    }
}

/// Whether the branch of an `if` ends by an exit on every path.
fn leaves(s: &Stmt) -> bool {
    match s {
        Stmt::Expr(Expr::If(choice), _) => {
            matches!(choice.then_branch.stmts.last(), Some(Stmt::Expr(Expr::Break(_) | Expr::Return(_), _)))
        }
        _ => false,
    }
}
