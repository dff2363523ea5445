//! The attributes for loops, sorts and traversals: parse, check, plan, translate, expand.

use crate::check::levels::levels;
use crate::check::loops::Planned;
use crate::check::{check, sorts, traversals};
use crate::front::attribute::Attribute;
use crate::front::chains::Chains;
use crate::front::function::Function;
use crate::ir::report::{Code, Report};
use crate::plan::Traversal;
use crate::resolve::Writer;
use crate::rust::{ByLevels, Loop, expand, expand_sort, expand_traversal, with_errors};
use crate::wgsl::translate;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;

/// Expands an attribute of a function.
pub fn annotate(attribute: Attribute, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let parse = |chains, report: &mut Report| Function::parse(attribute, chains, args.clone(), item.clone(), report);
    let [first, second] = match attribute {
        Attribute::KaryReduce => [Chains::AreLoops, Chains::Stay],
        _ => [Chains::Stay, Chains::AreLoops],
    };
    let Some(function) = parse(first, &mut report) else {
        let errors = report.finish();
        return quote!(#errors #item);
    };
    if attribute == Attribute::DistributedSort {
        return match sorts::sort(&function, &mut report) {
            Some(sort) if report.is_empty() => expand_sort(&function, &sort),
            _ => with_errors(&function, report.finish()),
        };
    }
    if attribute == Attribute::Traverse {
        return match traversals::traversal(&function, &mut report) {
            Some(traversal) if report.is_empty() => {
                expand_traversal(&function, &traversal, &by_levels(&function, &traversal))
            }
            _ => with_errors(&function, report.finish()),
        };
    }
    let planned = check(&function, &mut report);
    if report.is_empty() {
        return expanded(&function, planned, &report);
    }
    let others = [(function.code.has_chains, second), (function.code.has_passes, Chains::StayInPasses)];
    for (_, form) in others.into_iter().filter(|(has, _)| *has) {
        let mut other = Report::default();
        if let Some(function) = parse(form, &mut other)
            && let planned = check(&function, &mut other)
            && other.is_empty()
        {
            return expanded(&function, planned, &other);
        }
    }
    // A running value that an iteration looks at is no mistake everywhere.
    if report.has(&[Code::FA010, Code::FA014])
        && let Some(other) =
            Attribute::FOR_LOOPS.iter().find(|other| **other != attribute && accepts(**other, &args, &item))
    {
        report.help_with_attribute(other.name());
    }
    with_errors(&function, report.finish())
}

fn expanded(function: &Function, planned: Planned, report: &Report) -> TokenStream {
    let translated = |plan| Loop { translation: translate(function, &plan), plan };
    let loops = planned.loops.into_iter().map(|(id, plan)| (id, translated(plan))).collect();
    expand(function, &loops, &planned.in_order, &planned.obligations, &report.warnings())
}

/// The calls of a level as a loop for devices, or why there is none.
fn by_levels(function: &Function, traversal: &Traversal) -> Result<ByLevels, String> {
    let levels = levels(function, traversal)?;
    let mut report = Report::default();
    // It stands beside a method, or in the struct that shares a function's name.
    let args = match function.original.sig.receiver() {
        Some(_) => TokenStream::new(),
        None => quote!(associated),
    };
    let parsed = Function::written_by(
        Writer::Compiler,
        Attribute::ForeachTls,
        Chains::Stay,
        args,
        levels.item.clone(),
        &mut report,
    );
    let planned = parsed.map(|function| (check(&function, &mut report), function));
    if let Some(reason) = report.first() {
        return Err(reason.to_owned());
    }
    let Some((planned, function)) = planned else { return Err("it is no loop over calls".to_owned()) };
    let mut loops = HashMap::new();
    for (id, plan) in planned.loops {
        let translation = translate(&function, &plan);
        if let Err(obstacles) = &translation {
            let reasons: Vec<&str> = obstacles.iter().map(|obstacle| obstacle.what.as_str()).collect();
            return Err(reasons.join("; "));
        }
        loops.insert(id, Loop { translation, plan });
    }
    if loops.len() != 1 {
        return Err("its calls are no single loop".to_owned());
    }
    let item = expand(&function, &loops, &planned.in_order, &planned.obligations, &TokenStream::new());
    let shader = loops.values().filter_map(|found| found.translation.as_ref().ok()).map(|found| &*found.source);
    Ok(ByLevels { shader: shader.collect(), item, levels })
}

/// Whether there is nothing to say against a function under an attribute.
fn accepts(attribute: Attribute, args: &TokenStream, item: &TokenStream) -> bool {
    let mut report = Report::default();
    if let Some(function) = Function::parse(attribute, Chains::AreLoops, args.clone(), item.clone(), &mut report) {
        check(&function, &mut report);
    }
    report.is_empty()
}
