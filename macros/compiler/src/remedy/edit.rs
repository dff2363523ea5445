//! One change of a function, and the words for it.

use super::place::{Position, change_loop, position};
use super::program::Program;
use crate::front::attribute::Attribute;
use crate::ir::report::Location;
use crate::ir::text::{layout, shown_tokens};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FnArg, Ident, Pat, Stmt, parse_quote};

/// A change that keeps the result of the sequential function. Loops are known by the position of `for`.
#[derive(Clone, PartialEq)]
pub enum Edit {
    Attribute(Attribute),
    /// A marker before a parameter.
    Mark(Ident, &'static str),
    Unmark(Ident, String),
    Sequential(Position),
    /// This element is read from a copy of the array from before the loop.
    Copy(Position, Ident, Box<Expr>),
    /// The loop and the one that is its body, the other way around.
    Exchange(Position),
    /// The items of the loop are collected before it.
    Collect(Position),
}

/// The markers of parameters.
const MARKERS: [&str; 4] = ["gather", "halo", "replicated", "scatter"];

/// A marker, by its last segment.
fn marker(attribute: &syn::Attribute) -> Option<String> {
    let name = attribute.path().segments.last()?.ident.to_string();
    MARKERS.contains(&name.as_str()).then_some(name)
}

/// The name of a parameter and its markers; as an error the name of a slice that has none.
pub fn marker_of(input: &FnArg) -> Result<(Ident, Vec<String>), Ident> {
    let nobody = || Err(format_ident!("_"));
    let FnArg::Typed(typed) = input else { return nobody() };
    let Pat::Ident(name) = &*typed.pat else { return nobody() };
    let markers: Vec<String> = typed.attrs.iter().filter_map(marker).collect();
    if markers.is_empty() { Err(name.ident.clone()) } else { Ok((name.ident.clone(), markers)) }
}

pub fn has_markers(item: &syn::ImplItemFn) -> bool {
    item.sig.inputs.iter().any(|input| marker_of(input).is_ok())
}

/// The parameter of a name.
pub fn parameter<'i>(item: &'i syn::ImplItemFn, name: &Ident) -> Option<&'i syn::PatType> {
    item.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(pattern) if pattern.ident == *name => Some(typed),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

/// A function after changes; `None` if one of them does not fit.
pub fn applied(program: &Program, edits: &[Edit]) -> Option<Program> {
    let mut changed = program.clone();
    // Iterations of the inner loop are independent exactly if the exchanged nest is accepted as a map.
    let exchanges = edits.iter().any(|edit| matches!(edit, Edit::Exchange(_)));
    let in_order = edits.iter().any(|edit| matches!(edit, Edit::Sequential(_)));
    // Several reads of one array share a copy.
    let mut copies: Vec<(Position, &Ident, Vec<&Expr>)> = Vec::new();
    for edit in edits {
        if let Edit::Copy(at, array, read) = edit {
            match copies.iter_mut().find(|(other, name, _)| other == at && name == &array) {
                Some((_, _, all)) => all.push(read),
                None => copies.push((*at, array, vec![read])),
            }
        } else if !edit.apply(&mut changed) {
            return None;
        }
    }
    for (at, array, reads) in copies {
        copy(&mut changed, at, array, &reads).then_some(())?;
    }
    (!exchanges || !in_order && changed.attribute == Attribute::Foreach).then_some(changed)
}

impl Edit {
    /// Changes a function. Returns whether the change fits.
    fn apply(&self, program: &mut Program) -> bool {
        match self {
            Edit::Attribute(attribute) => program.attribute = *attribute,
            Edit::Mark(name, marker) => {
                let marker = Ident::new(marker, Span::call_site());
                let Some(typed) = parameter_mut(&mut program.item, name) else { return false };
                if !matches!(&*typed.ty, syn::Type::Reference(_))
                    || typed.attrs.iter().any(|a| self::marker(a).is_some())
                {
                    return false;
                }
                typed.attrs.push(parse_quote!(#[#marker]));
            }
            Edit::Unmark(name, word) => {
                let Some(typed) = parameter_mut(&mut program.item, name) else { return false };
                let before = typed.attrs.len();
                typed.attrs.retain(|attribute| marker(attribute).as_ref() != Some(word));
                return typed.attrs.len() < before;
            }
            Edit::Sequential(at) | Edit::Exchange(at) | Edit::Collect(at) => {
                return change_loop(&mut program.item.block, *at, &mut |f| self.statements(f));
            }
            Edit::Copy(..) => {}
        }
        true
    }

    /// The statements in place of a loop.
    fn statements(&self, mut f: syn::ExprForLoop) -> Option<Vec<Stmt>> {
        match self {
            Edit::Sequential(_) if f.attrs.is_empty() => {
                f.attrs.push(parse_quote!(#[sequential]));
                Some(vec![Stmt::Expr(Expr::ForLoop(f), None)])
            }
            Edit::Exchange(_) => Some(vec![exchanged(&f)?]),
            Edit::Collect(_) => Some(collected(f)),
            _ => None,
        }
    }
}

fn parameter_mut<'i>(item: &'i mut syn::ImplItemFn, name: &Ident) -> Option<&'i mut syn::PatType> {
    item.sig.inputs.iter_mut().find_map(|input| match input {
        FnArg::Typed(typed) if matches!(&*typed.pat, Pat::Ident(pattern) if pattern.ident == *name) => Some(typed),
        _ => None,
    })
}

/// The name for the copy of an array.
fn copy_of(array: &Ident) -> Ident {
    format_ident!("old_{}", array)
}

fn copy(program: &mut Program, at: Position, array: &Ident, reads: &[&Expr]) -> bool {
    struct Replace<'r>(&'r [Position], &'r Ident, usize);
    impl VisitMut for Replace<'_> {
        fn visit_expr_mut(&mut self, e: &mut Expr) {
            if let Expr::Index(index) = e
                && let Expr::Path(path) = &mut *index.expr
                && let Some(name) = path.path.get_ident()
                && self.0.contains(&position(name.span()))
            {
                let copy = Ident::new(&copy_of(self.1).to_string(), name.span());
                *path = parse_quote!(#copy);
                self.2 += 1;
            }
            visit_mut::visit_expr_mut(self, e);
        }
    }
    let taken = copy_of(array);
    if names(program.item.to_token_stream()).contains(&taken) {
        return false;
    }
    let places = reads.iter().map(|read| position(Location::from(&read.to_token_stream()).start));
    let places: Vec<Position> = places.collect();
    change_loop(&mut program.item.block, at, &mut |mut f| {
        let mut replace = Replace(&places, array, 0);
        replace.visit_expr_for_loop_mut(&mut f);
        let copied = parse_quote!(let #taken = #array.to_vec(););
        (replace.2 == reads.len()).then(|| vec![copied, Stmt::Expr(Expr::ForLoop(f), None)])
    })
}

/// The names in code.
pub fn names(tokens: TokenStream) -> Vec<Ident> {
    let inside = |token| match token {
        TokenTree::Ident(name) => vec![name],
        TokenTree::Group(group) => names(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(inside).collect()
}

/// A loop nest with the two loops interchanged, if the inner one is all of the body and its header does not depend on the outer one.
fn exchanged(f: &syn::ExprForLoop) -> Option<Stmt> {
    let [Stmt::Expr(Expr::ForLoop(inner), _)] = f.body.stmts.as_slice() else { return None };
    let header = names(inner.expr.to_token_stream());
    if names(f.pat.to_token_stream()).iter().any(|name| header.contains(name)) {
        return None;
    }
    let (mut outer, mut body) = (inner.clone(), f.clone());
    body.body = inner.body.clone();
    outer.body.stmts = vec![Stmt::Expr(Expr::ForLoop(body), None)];
    Some(Stmt::Expr(Expr::ForLoop(outer), None))
}

/// A loop over the items that its header gives, collected.
fn collected(mut f: syn::ExprForLoop) -> Vec<Stmt> {
    let items = match &*f.expr {
        Expr::MethodCall(call) => Expr::MethodCall(call.clone()),
        Expr::Path(path) => parse_quote!(#path.into_iter()),
        other => parse_quote!((#other).into_iter()),
    };
    *f.expr = parse_quote!(items.iter().cloned());
    vec![parse_quote!(let items: Vec<_> = #items.collect();), Stmt::Expr(Expr::ForLoop(f), None)]
}

/// The words for changes.
pub fn text(program: &Program, edits: &[&Edit]) -> String {
    let marks: Vec<String> = edits.iter().filter_map(|edit| edit.mark()).collect();
    let mut parts = match marks.as_slice() {
        [] => Vec::new(),
        [one] => vec![format!("mark the parameter: {one}")],
        all => vec![format!("mark the parameters: {}", all.join(", "))],
    };
    // Code is last.
    let is_code = |edit: &&&Edit| matches!(edit, Edit::Exchange(_) | Edit::Collect(_));
    let edits: Vec<&Edit> = edits.iter().filter(|e| !is_code(e)).chain(edits.iter().filter(is_code)).copied().collect();
    let mut copied: Vec<&Ident> = Vec::new();
    for edit in &edits {
        match edit {
            Edit::Mark(..) => {}
            Edit::Copy(_, array, _) if copied.contains(&array) => {}
            Edit::Copy(at, array, _) => {
                copied.push(array);
                parts.push(of_copy(program, *at, array, &edits));
            }
            other => parts.push(other.text(program)),
        }
    }
    parts.join("; and ")
}

/// The words for the reads from the copy of an array.
fn of_copy(program: &Program, at: Position, array: &Ident, edits: &[&Edit]) -> String {
    let (header, _) = header(program, at);
    let reads = edits.iter().filter_map(|edit| match edit {
        Edit::Copy(_, of, read) if of == array => Some(shown_tokens(&read.to_token_stream())),
        _ => None,
    });
    let reads: Vec<String> = reads.map(|read| format!("`old_{read}` in place of `{read}`")).collect();
    format!("copy `{array}` before `{header}`, `let old_{array} = {array}.to_vec();`, and read {}", reads.join(", "))
}

impl Edit {
    /// A marker as it is written.
    fn mark(&self) -> Option<String> {
        match self {
            Edit::Mark(name, marker) => Some(format!("`#[{marker}] {name}`")),
            _ => None,
        }
    }

    fn text(&self, program: &Program) -> String {
        let rewritten = |at: &Position, what: &str| {
            let mut changed = program.item.block.clone();
            let mut code = String::new();
            change_loop(&mut changed, *at, &mut |f| {
                let statements = self.statements(f)?;
                code = statements.iter().map(|s| layout(s.to_token_stream())).collect();
                Some(statements)
            });
            format!("{what}:{}", code.trim_end().replace('\n', "\n          "))
        };
        match self {
            Edit::Attribute(other) => {
                format!("write `#[{}]` in place of `#[{}]`", other.name(), program.attribute.name())
            }
            Edit::Unmark(name, marker) => format!("remove `#[{marker}]` before `{name}`"),
            Edit::Sequential(at) => {
                let (header, has_loops) = header(program, *at);
                let others = if has_loops { "the loops inside" } else { "the other loops" };
                format!("put `#[sequential]` above `{header}`: it runs in order, and {others} run in parallel")
            }
            Edit::Exchange(at) => rewritten(at, "exchange the two loops"),
            Edit::Collect(at) => rewritten(at, "collect the items before the loop"),
            Edit::Mark(..) | Edit::Copy(..) => String::new(),
        }
    }
}

/// The header of a loop, and whether the loop contains others.
fn header(program: &Program, at: Position) -> (String, bool) {
    let (mut header, mut has_loops) = (String::new(), false);
    change_loop(&mut program.item.block.clone(), at, &mut |f| {
        has_loops =
            names(f.body.to_token_stream()).iter().any(|name| name == "for" || name == "while" || name == "loop");
        header =
            format!("for {} in {}", shown_tokens(&f.pat.to_token_stream()), shown_tokens(&f.expr.to_token_stream()));
        None
    });
    (header, has_loops)
}
