//! Printing: from the intermediate representation back to tokens. Code without edits stays as the user wrote it.

pub use super::edit::{Additions, CallWith, CheckOfMethod, Checks, Edit, Renamed};

use super::edit::Shown;
use crate::ir::{Block, Child, Counted, Expr, For, Id, Kind, Moved, Op, Statement, StatementKind, Unknown};
use crate::language::macros;
use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};

/// Collects the conditions that bind names, of `if let .. && let ..`.
fn conditions_that_bind(condition: &Expr, to: &mut Vec<Id>) {
    match &condition.kind {
        Kind::Let(..) => to.push(condition.id),
        Kind::Paren(inner) => conditions_that_bind(inner, to),
        Kind::Binary(Op::AndAnd, one, two) => [one, two].into_iter().for_each(|e| conditions_that_bind(e, to)),
        _ => {}
    }
}

/// The checks of the names that a condition binds.
fn bound_by(condition: &Expr, edit: &dyn Edit) -> Option<TokenStream> {
    let mut binding = Vec::new();
    conditions_that_bind(condition, &mut binding);
    let checks: Vec<TokenStream> = binding.into_iter().filter_map(|id| edit.bound(id, 0)).collect();
    (!checks.is_empty()).then(|| checks.into_iter().collect())
}

/// Whether an edit checks the names that an expression binds.
fn checks_names(e: &Expr, edit: &dyn Edit) -> bool {
    match &e.kind {
        Kind::If(condition, ..) | Kind::While(_, condition, _) => bound_by(condition, edit).is_some(),
        Kind::Match(_, arms) => (0..arms.len()).any(|number| edit.bound(e.id, number).is_some()),
        Kind::For(_) | Kind::Closure(..) => edit.bound(e.id, 0).is_some(),
        _ => false,
    }
}

/// Whether a macro may depend on the spelling of its arguments: it shows them, or matches some forms of them.
pub fn keeps_arguments(e: &Expr) -> bool {
    match &e.kind {
        Kind::Macro(name, ..) => matches!(name.as_str(), "assert" | "debug_assert" | "dbg"),
        Kind::Opaque(opaque) => opaque.what.is_macro(),
        _ => false,
    }
}

/// Whether an edit replaces anything in an expression.
fn touches(e: &Expr, edit: &dyn Edit) -> bool {
    let checked = || edit.check(&|checks| checks.is_checked(e).then_some(()));
    edit.edits(e) || checked().is_some() || !edit.calls(e).is_empty() || touches_parts(e, edit)
}

fn touches_parts(e: &Expr, edit: &dyn Edit) -> bool {
    let itself = match &e.kind {
        Kind::Method(receiver, method, ..) => {
            edit.is_of_slice(receiver, method) || edit.check_of_method(e, &receiver.tokens).is_some()
        }
        Kind::For(f) => edit.counter(&f.source).is_some() || edit.first(&f.source).is_some(),
        Kind::Closure(_, _, body) => edit.first(body).is_some(),
        _ => false,
    };
    let shown = Shown(edit);
    let edit = if keeps_arguments(e) { &shown } else { edit };
    itself
        || checks_names(e, edit)
        || e.children().iter().any(|child| match child {
            Child::Expr(e) => touches(e, edit),
            Child::Block(b) => b.statements.iter().any(|s| touches_statement(s, edit)),
        })
}

fn touches_statement(s: &Statement, edit: &dyn Edit) -> bool {
    edit.edits_statement(s)
        || match &s.kind {
            StatementKind::Item(_) => false,
            StatementKind::Let(_, value, otherwise) => {
                edit.bound(s.id, 0).is_some() || value.iter().chain(otherwise).any(|e| touches(e, edit))
            }
            StatementKind::Expr(e, _) => touches(e, edit),
        }
}

/// The tokens of an expression after editing; `None` if no edit changes it.
fn changed(e: &Expr, edit: &dyn Edit) -> Option<TokenStream> {
    if !touches(e, edit) {
        return None;
    }
    let tokens = match edit.expr(e) {
        Some(tokens) => tokens,
        None if touches_parts(e, edit) => of_parts(e, edit),
        None => e.tokens.clone(),
    };
    let tokens = edit.check(&|checks| checks.checked(e, &tokens)).unwrap_or(tokens);
    Some(edit.calls(e).iter().fold(tokens, |tokens, CallWith { function, before, after }| {
        let tokens = Moved::from(tokens);
        quote_spanned!(e.span=> #function(#before #tokens #after))
    }))
}

/// The tokens of an expression with edited subexpressions.
fn of_parts(e: &Expr, edit: &dyn Edit) -> TokenStream {
    let shown = Shown(edit);
    let edit = if keeps_arguments(e) { &shown } else { edit };
    of_value(e, edit).or_else(|| of_call(e, edit)).or_else(|| of_control(e, edit)).unwrap_or_else(|| e.tokens.clone())
}

/// The tokens of an expression, from those of its subexpressions.
pub fn print_parts(e: &Expr) -> TokenStream {
    of_parts(e, &Renamed { places: &[], additions: None })
}

/// Operators, places and composed values. Messages about the subexpressions point to the span of the expression.
fn of_value(e: &Expr, edit: &dyn Edit) -> Option<TokenStream> {
    let p = |e: &Expr| Moved::from(expr(e, edit));
    let at = e.span;
    Some(match &e.kind {
        Kind::Paren(e) => {
            let e = p(e);
            quote_spanned!(at=> (#e))
        }
        Kind::Unary(op, e) => {
            let e = p(e);
            match op {
                '*' => quote!(*#e),
                '!' => quote!(!#e),
                _ => quote!(-#e),
            }
        }
        Kind::Binary(op, x, y) => {
            let (x, y, op) = (p(x), p(y), operator_of(e, x, op.text()));
            quote!(#x #op #y)
        }
        Kind::Assign(x, None, y) => {
            let (x, y, op) = (p(x), p(y), operator_of(e, x, "="));
            quote!(#x #op #y)
        }
        Kind::Assign(x, Some(op), y) => {
            let (x, y, op) = (p(x), p(y), operator_of(e, x, &format!("{}=", op.text())));
            quote!(#x #op #y)
        }
        Kind::Index(x, y) => {
            let (x, index) = (p(x), last_group(e, Delimiter::Bracket, expr(y, edit)));
            quote!(#x #index)
        }
        Kind::Range(x, y, inclusive) => {
            let (x, y) = (x.as_ref().map(|e| p(e)), y.as_ref().map(|e| p(e)));
            if *inclusive { quote!(#x..=#y) } else { quote!(#x..#y) }
        }
        Kind::Field(x, name) => {
            let x = p(x);
            match name.parse::<usize>() {
                Ok(number) => {
                    let number = proc_macro2::Literal::usize_unsuffixed(number);
                    quote!(#x.#number)
                }
                Err(_) => {
                    let name = format_ident!("{name}", span = last(e).map_or(at, |name| name.span()));
                    quote_spanned!(at=> #x.#name)
                }
            }
        }
        Kind::Cast(x, _, ty) => {
            let x = p(x);
            quote_spanned!(at=> #x as #ty)
        }
        Kind::Ref(mutable, x) => {
            let x = p(x);
            if *mutable { quote!(&mut #x) } else { quote!(&#x) }
        }
        Kind::Tuple(xs) => {
            let xs = xs.iter().map(p);
            quote!((#(#xs,)*))
        }
        Kind::Array(xs) => {
            let xs = xs.iter().map(p);
            quote!([#(#xs),*])
        }
        Kind::Repeat(x, n) => {
            let (x, n) = (p(x), p(n));
            quote!([#x; #n])
        }
        Kind::Struct(path, fields, rest) => {
            let fields = fields.iter().map(|(name, e)| {
                let e = p(e);
                quote!(#name: #e)
            });
            let rest = rest.as_ref().map(|e| {
                let e = p(e);
                quote!(..#e)
            });
            quote!(#path { #(#fields,)* #rest })
        }
        _ => return None,
    })
}

/// Calls, closures, and code that receives variables.
fn of_call(e: &Expr, edit: &dyn Edit) -> Option<TokenStream> {
    let p = |e: &Expr| Moved::from(expr(e, edit));
    Some(match &e.kind {
        Kind::Method(x, method, args, call) => {
            let of_slice = edit.is_of_slice(x, method);
            let (at, x, args) = (x.span, expr(x, edit), args.iter().map(p));
            let args = last_group(e, Delimiter::Parenthesis, quote!(#(#args),*));
            let check = edit.check_of_method(e, &x);
            let x = Moved::from(x);
            let x = match &check {
                Some(CheckOfMethod::OfValue(check)) => {
                    quote_spanned!(at=> __forall::obligations::checked_receiver(#x, #check)).into()
                }
                _ => x,
            };
            let x = if of_slice { quote_spanned!(at=> (&**#x)).into() } else { x };
            match check {
                Some(CheckOfMethod::OfPlace(check)) => {
                    quote_spanned!(at=> __forall::obligations::checked_call({ #check }, #x #call #args))
                }
                _ => quote!(#x #call #args),
            }
        }
        Kind::Call(f, args) => {
            let (f, args) = (p(f), args.iter().map(p));
            let args = last_group(e, Delimiter::Parenthesis, quote!(#(#args),*));
            quote!(#f #args)
        }
        Kind::Closure(_, head, body) => {
            let head = &head.tokens;
            let (first, body) = (edit.first(body), Moved::from(after(edit.bound(e.id, 0), expr(body, edit))));
            match first {
                Some(first) => quote!(#head { #first #body }),
                None => quote!(#head #body),
            }
        }
        Kind::Macro(name, args, before) => {
            let path = path_of(e);
            match (name.as_str(), args.as_slice()) {
                ("vec", [elements]) => {
                    let elements = p(elements);
                    quote!(#path! #elements)
                }
                // `matches!` expands to this `match`.
                ("matches", [tested]) => expr(tested, edit),
                (_, [Expr { kind: Kind::Method(to, _, args, _), .. }]) if macros::writes(name) => {
                    let args = std::iter::once(&**to).chain(args).map(p);
                    quote!(#path!(#(#before #args),*))
                }
                _ => {
                    let args = args.iter().map(p);
                    quote!(#path!(#(#before #args),*))
                }
            }
        }
        Kind::Opaque(opaque) => {
            let parts = opaque.parts.iter().map(p);
            match opaque.what {
                Unknown::Macro | Unknown::Statement if !opaque.parts.is_empty() => {
                    let path = path_of(e);
                    quote!(#path!(#(#parts),*))
                }
                Unknown::Unsafe => quote!(unsafe #(#parts)*),
                Unknown::Await => quote!(#(#parts)*.await),
                _ => e.tokens.clone(),
            }
        }
        _ => return None,
    })
}

/// Blocks, branches, loops and jumps.
fn of_control(e: &Expr, edit: &dyn Edit) -> Option<TokenStream> {
    let p = |e: &Expr| Moved::from(expr(e, edit));
    let b = |b: &Block| Moved::from(block(b, edit));
    Some(match &e.kind {
        Kind::Block(x) => block(x, edit),
        Kind::Labeled(_, label, x) => {
            let x = b(x);
            quote!(#label #x)
        }
        Kind::If(c, t, e) => {
            let (c, t) = (p(c), block_after(bound_by(c, edit), t, edit));
            match e {
                Some(e) => {
                    let e = p(e);
                    quote!(if #c #t else #e)
                }
                None => quote!(if #c #t),
            }
        }
        Kind::Let(pattern, e) => {
            let (pattern, e) = (&pattern.tokens, p(e));
            quote!(let #pattern = #e)
        }
        Kind::Match(value, arms) => {
            let (id, value) = (e.id, p(value));
            let arms = arms.iter().enumerate().map(|(number, arm)| {
                let pattern = &arm.pattern.tokens;
                let guard = arm.guard.as_ref().map(|g| {
                    let g = p(g);
                    quote!(if #g)
                });
                let body = Moved::from(after(edit.bound(id, number), expr(&arm.body, edit)));
                quote!(#pattern #guard => #body,)
            });
            quote!(match #value { #(#arms)* })
        }
        Kind::For(f) if f.counts_by_while => counting(f, edit),
        Kind::For(f) => {
            let (label, pattern, source) = (&f.label.tokens, &f.pattern.tokens, p(&f.source));
            let (first, bound, body) =
                (edit.first(&f.source), edit.bound(e.id, 0), Moved::from(iteration(f, edit, &quote!(break;))));
            match edit.counter(&f.source) {
                Some(counter) => {
                    quote!(#label for #counter in #source { let #pattern = #counter; #first #bound #body })
                }
                None => quote!(#label for #pattern in #source { #first #bound #body }),
            }
        }
        Kind::While(l, c, body) => {
            let (l, c, body) = (&l.tokens, p(c), block_after(bound_by(c, edit), body, edit));
            quote!(#l while #c #body)
        }
        Kind::Loop(l, body) => {
            let (l, body) = (&l.tokens, b(body));
            quote!(#l loop #body)
        }
        Kind::Break(l, e) => {
            let label = l.as_ref().map(|l| syn::Lifetime::new(&format!("'{l}"), proc_macro2::Span::call_site()));
            let e = e.as_ref().map(|e| p(e));
            quote!(break #label #e)
        }
        Kind::Return(e) => {
            let e = e.as_ref().map(|e| p(e));
            quote!(return #e)
        }
        Kind::Try(e) => {
            let e = p(e);
            quote!(#e?)
        }
        _ => return None,
    })
}

/// A counted loop, as the user wrote it.
/// The statements of an iteration, and the end of the loop by this code.
pub fn iteration(f: &For, edit: &dyn Edit, end: &TokenStream) -> TokenStream {
    let body = statements(&f.body, edit);
    match f.ends.as_ref().map(|condition| expr(condition, edit)) {
        Some(condition) => quote!(#body if #condition { #end }),
        None => body,
    }
}

fn counting(f: &For, edit: &dyn Edit) -> TokenStream {
    let Some(Counted { from, to, inclusive, step }) = f.source.counted() else { return TokenStream::new() };
    let (counter, first, body) = (&f.pattern.tokens, edit.first(&f.source), Moved::from(statements(&f.body, edit)));
    let (from, to) = (Moved::from(expr(from, edit)), Moved::from(expr(to, edit)));
    let advance = match step {
        // The counter is less than a number of its type, so that it cannot overflow.
        None if !inclusive => quote!(#counter += 1),
        step => {
            let step = step.map_or_else(|| quote!(1), |step| step.tokens.clone());
            quote_spanned!(f.span=> __forall::count_on(&mut #counter, #step, ::core::cfg!(debug_assertions)))
        }
    };
    let below = operator(if inclusive { "<=" } else { "<" });
    quote!({
        let mut #counter = #from;
        while #counter #below #to {
            #first
            #body
            #advance;
        }
    })
}

/// The path of the macro that an expression calls.
pub fn path_of(call: &Expr) -> TokenStream {
    let before = |token: &TokenTree| !matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!');
    call.tokens.clone().into_iter().take_while(before).collect()
}

/// The last token of an expression, as it was written.
fn last(e: &Expr) -> Option<TokenTree> {
    e.tokens.clone().into_iter().last()
}

/// The group that ends an expression, with other tokens inside. It keeps its place in the source. rustc then shows the same text in a message
/// about the expression as in one about the function as it was written, and drops the second of two equal messages.
fn last_group(e: &Expr, delimiter: Delimiter, inside: TokenStream) -> Group {
    let written = last(e).filter(|last| matches!(last, TokenTree::Group(group) if group.delimiter() == delimiter));
    let mut group = Group::new(delimiter, inside);
    group.set_span(written.map_or(e.span, |group| group.span()));
    group
}

/// The operator after the left operand of an expression, at its place in the source.
fn operator_of(e: &Expr, left: &Expr, text: &str) -> TokenStream {
    let after = e.tokens.clone().into_iter().skip(left.tokens.clone().into_iter().count());
    let spans = after.zip(text.chars()).map_while(|(token, mark)| match token {
        TokenTree::Punct(punct) if punct.as_char() == mark => Some(punct.span()),
        _ => None,
    });
    let spans: Vec<Span> = spans.collect();
    let all = spans.len() == text.len();
    let located = operator(text).into_iter().enumerate().map(|(number, mut mark)| {
        mark.set_span(if all { spans[number] } else { e.span });
        mark
    });
    located.collect()
}

fn operator(text: &str) -> TokenStream {
    let last = text.len() - 1;
    let mark = |(at, mark)| Punct::new(mark, if at < last { Spacing::Joint } else { Spacing::Alone });
    text.char_indices().map(mark).map(TokenTree::from).collect()
}

pub fn expr(e: &Expr, edit: &dyn Edit) -> TokenStream {
    changed(e, edit).unwrap_or_else(|| e.tokens.clone())
}

fn changed_statement(s: &Statement, edit: &dyn Edit) -> Option<TokenStream> {
    if !touches_statement(s, edit) {
        return None;
    }
    if let Some(tokens) = edit.statement(s) {
        return Some(tokens);
    }
    match &s.kind {
        StatementKind::Item(_) => None,
        StatementKind::Let(pattern, value, otherwise) => {
            let pattern = &pattern.tokens;
            let value = value.as_ref().map(|e| {
                let e = Moved::from(expr(e, edit));
                Moved::from(quote!(= #e))
            });
            let otherwise = otherwise.as_ref().map(|e| {
                let e = Moved::from(expr(e, edit));
                quote!(else #e)
            });
            let checks = edit.bound(s.id, 0);
            Some(quote!(let #pattern #value #otherwise; #checks))
        }
        StatementKind::Expr(e, semi) => changed(e, edit).map(|tokens| statement_of(e, tokens, *semi)),
    }
}

/// A statement that is an expression, from the tokens of the expression.
pub fn statement_of(e: &Expr, tokens: TokenStream, semi: bool) -> TokenStream {
    match &e.kind {
        Kind::Opaque(opaque) if opaque.what == Unknown::Statement => {
            let path = path_of(e);
            let args = tokens.into_iter().last().and_then(|args| match args {
                TokenTree::Group(args) => Some(args.stream()),
                _ => None,
            });
            // At this span, rather than the span of the whole call, rustc's message names this macro.
            let at = path.clone().into_iter().next().map_or(e.span, |first| first.span());
            let value = (!semi).then(|| quote!(value));
            quote_spanned!(at=>
                ::forall::__private::fa022_write_braces_around_a_macro_that_is_no_expression! { #value (#path) (#args) }
            )
        }
        _ if semi => {
            let tokens = Moved::from(tokens);
            quote!(#tokens;)
        }
        _ => tokens,
    }
}

pub fn statement(s: &Statement, edit: &dyn Edit) -> TokenStream {
    changed_statement(s, edit).unwrap_or_else(|| s.tokens.clone())
}

/// The statements without braces.
pub fn statements(b: &Block, edit: &dyn Edit) -> TokenStream {
    b.statements.iter().map(|s| statement(s, edit)).collect()
}

pub fn block(b: &Block, edit: &dyn Edit) -> TokenStream {
    block_after(None, b, edit)
}

/// A block that begins with other statements.
fn block_after(first: Option<TokenStream>, b: &Block, edit: &dyn Edit) -> TokenStream {
    let mut inside = first.unwrap_or_default();
    inside.extend(b.statements.iter().map(|s| statement(s, edit)));
    TokenTree::from(Group::new(Delimiter::Brace, inside)).into()
}

/// An expression after other statements.
fn after(first: Option<TokenStream>, e: TokenStream) -> TokenStream {
    match first {
        Some(first) => {
            let e = Moved::from(e);
            quote!({ #first #e })
        }
        None => e,
    }
}

/// The same tokens with another span: compiler messages about them point there.
pub fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|token| {
        let mut token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), located(group.stream(), at)).into(),
            token => token,
        };
        token.set_span(at);
        token
    });
    moved.collect()
}
