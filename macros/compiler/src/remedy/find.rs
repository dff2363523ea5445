//! The changes that may help against a diagnostic.

use super::edit::{Edit, marker_of, names, parameter};
use super::place::{expression_at, loops_around, position, root};
use super::program::Program;
use crate::front::attribute::Attribute;
use crate::ir::report::{Code, Diagnostic, Report};
use proc_macro2::Ident;
use quote::ToTokens;

/// The other attributes, the plain ones first. A function that calls itself has none.
pub fn attributes(program: &Program, report: &Report) -> Vec<Edit> {
    use Attribute::{DistributedScan, DistributedSort, Foreach, ForeachTls, KaryReduce, Traverse};
    let all: &[Attribute] = match program.attribute {
        Traverse => &[],
        _ if report.has(&[Code::FA004]) => &[DistributedSort, Traverse],
        _ => &[Foreach, KaryReduce, ForeachTls, DistributedScan],
    };
    all.iter().filter(|other| **other != program.attribute).map(|other| Edit::Attribute(*other)).collect()
}

/// `#[sequential]` above each loop around a diagnostic.
pub fn sequential(program: &Program, diagnostic: &Diagnostic) -> Vec<Edit> {
    let loops = loops_around(program, diagnostic.place);
    loops.iter().map(|f| Edit::Sequential(position(f.for_token.span))).collect()
}

/// The changes by the kind of a diagnostic, each with its parts, the best one first.
pub fn of_diagnostic(program: &Program, diagnostic: &Diagnostic) -> Vec<Vec<Edit>> {
    let e = expression_at(program, diagnostic.place);
    let name = e.as_ref().and_then(root).filter(|name| parameter(&program.item, name).is_some());
    let around = loops_around(program, diagnostic.place);
    let outermost = around.first().map(|f| position(f.for_token.span));
    let mark = |marker| name.map(|name| vec![Edit::Mark(name.clone(), marker)]);
    match diagnostic.code {
        Code::FA050 if name.is_none() => {
            // A closure that reads a parameter.
            let all = program.item.sig.inputs.iter().filter_map(|input| marker_of(input).err());
            all.map(|name| vec![Edit::Mark(name, "replicated")]).collect()
        }
        Code::FA050 => ["gather", "replicated"].into_iter().filter_map(mark).collect(),
        Code::FA011 | Code::FA012 => mark("scatter").into_iter().collect(),
        Code::FA051 | Code::FA040 => {
            let marked = program.item.sig.inputs.iter().filter_map(|input| marker_of(input).ok());
            let removed = marked.flat_map(|(name, markers)| {
                markers.into_iter().map(move |marker| vec![Edit::Unmark(name.clone(), marker)])
            });
            let all = program.item.sig.inputs.iter().filter_map(|input| marker_of(input).err());
            let added = all.filter(|_| diagnostic.code == Code::FA040).map(|name| vec![Edit::Mark(name, "replicated")]);
            removed.chain(added).collect()
        }
        Code::FA010 => {
            let copied = |f| Some(vec![Edit::Copy(position(f), name?.clone(), e.clone()?.into())]);
            let copied = diagnostic.read_before_it_is_written.and_then(copied);
            copied.into_iter().chain(outermost.map(|at| vec![Edit::Exchange(at)])).collect()
        }
        Code::FA005 if around.first().is_some_and(|f| is_collected(program, f)) => {
            outermost.map(|at| vec![Edit::Collect(at)]).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the items of a loop can be collected before it: the header begins with a parameter, and mentions no slice. Slices
/// are distributed, and ranks see the items of a hash map in different orders.
fn is_collected(program: &Program, f: &syn::ExprForLoop) -> bool {
    let header = names(f.expr.to_token_stream());
    let slice = |name: &Ident| parameter(&program.item, name).is_some_and(|typed| is_slice(&typed.ty));
    let hashed = |name: &Ident| ["HashMap", "HashSet", "keys", "values"].iter().any(|word| name == word);
    let begins = root(&f.expr).is_some_and(|name| parameter(&program.item, name).is_some());
    begins && !header.iter().any(slice) && !names(program.item.to_token_stream()).iter().any(hashed)
}

fn is_slice(ty: &syn::Type) -> bool {
    let syn::Type::Reference(reference) = ty else { return false };
    match &*reference.elem {
        syn::Type::Slice(_) => true,
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Vec"),
        _ => false,
    }
}
