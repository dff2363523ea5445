//! The attributes for loops, sorts and traversals: parse, check, plan, translate, expand.

use crate::analysis::collected::Sort;
use crate::check::levels::levels;
use crate::check::loops::Planned;
use crate::check::{check, sorts, traversals};
use crate::front::attribute::Attribute;
use crate::front::chains::Chains;
use crate::front::function::Function;
use crate::front::half_written::half_written;
use crate::front::unknown_names::writes_unknown_name;
use crate::ir::report::{Code, Report};
use crate::maps::{HashMap, New as _};
use crate::plan::{Plan, Traversal};
use crate::remedy::{self, Program};
use crate::resolve::Writer;
use crate::rust::{ByLevels, Loop, expand, expand_sort, expand_traversal, in_editor, with_errors};
use crate::wgsl::translate;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Expands an attribute of a function.
pub fn annotate(attribute: Attribute, args: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(stub) = half_written(&item) {
        return match Function::parse(attribute, Chains::Stay, args, stub.clone(), &mut Report::default()) {
            Some(function) => with_errors(&function, TokenStream::new()),
            None => stub,
        };
    }
    let examined = examined(attribute, &args, &item);
    let function = match &examined {
        Ok((function, _)) => Some(function),
        Err(Rejected { function, .. }) => function.as_deref(),
    };
    if let Some(function) = function.filter(|function| writes_unknown_name(function)) {
        return with_errors(function, TokenStream::new());
    }
    match examined {
        Ok((function, Accepted::Sort)) => match sorts::sort(&function, &mut Report::default()) {
            Some(sort) => expand_sort(&function, &sort),
            None => TokenStream::new(),
        },
        Ok((function, Accepted::Traversal(traversal))) => {
            expand_traversal(&function, &traversal, &by_levels(&function, &traversal))
        }
        Ok((function, Accepted::Loops(planned, report))) => expanded(&function, planned, &report),
        Err(Rejected { function, mut report }) => {
            if let Ok(item) = syn::parse2(item.clone()) {
                let program = Program { attribute, args, item };
                remedy::offer(&program, &mut report, &mistakes);
            }
            let errors = report.finish();
            match function {
                Some(function) => with_errors(&function, errors),
                None => quote!(#errors #item),
            }
        }
    }
}

/// Expands an attribute for an editor: the function as it was written, the signature that callers see, and the mistakes.
pub fn annotate_in_editor(attribute: Attribute, args: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(stub) = half_written(&item)
        && let Some(function) = Function::parse(attribute, Chains::Stay, args.clone(), stub, &mut Report::default())
    {
        return in_editor(function, &item, TokenStream::new());
    }
    match examined(attribute, &args, &item) {
        Ok((function, _)) => in_editor(function, &item, TokenStream::new()),
        Err(Rejected { function: Some(function), .. }) if writes_unknown_name(&function) => {
            in_editor(*function, &item, TokenStream::new())
        }
        Err(Rejected { function: Some(function), report }) => in_editor(*function, &item, report.finish()),
        Err(Rejected { function: None, report }) => {
            let errors = report.finish();
            quote!(#errors #item)
        }
    }
}

/// The codes of the mistakes of a function, without the search for remedies: for tests that examine many functions.
pub fn codes(attribute: Attribute, args: TokenStream, item: TokenStream) -> Vec<&'static str> {
    let rejected = examined(attribute, &args, &item).err();
    let mut places = rejected.map_or_else(Vec::new, |rejected| rejected.report.places());
    places.sort_by_key(|(_, position)| *position);
    places.into_iter().map(|(code, _)| code.name()).collect()
}

/// A rejected function after the changes that the messages offer, with its attribute: for tests. `None` if the function is accepted, or if no
/// change helps.
pub fn remedied(attribute: Attribute, args: TokenStream, item: TokenStream) -> Option<(Attribute, TokenStream)> {
    let Rejected { report, .. } = examined(attribute, &args, &item).err()?;
    let program = Program { attribute, args, item: syn::parse2(item).ok()? };
    let changed = remedy::remedied(&program, &report, &mistakes)?;
    Some((changed.attribute, changed.item.to_token_stream()))
}

/// The mistakes of a changed function. `None` if it has none, but rustc may reject it: it has no parallel loop, or a state of a type that may
/// lack `forall::Merge`.
fn mistakes(program: &Program) -> Option<Report> {
    match examined(program.attribute, &program.args, &program.item.to_token_stream()) {
        Ok((function, Accepted::Loops(planned, _))) => {
            let of_std = |name| matches!(Sort::of(&function, name), Sort::Std(_));
            let fits = |plan: &Plan| plan.has_result() && plan.states().all(of_std);
            (!planned.loops.is_empty() && planned.loops.values().all(fits)).then(Report::default)
        }
        Ok(_) => Some(Report::default()),
        Err(rejected) => Some(rejected.report),
    }
}

/// The plans of a function that an attribute accepts.
enum Accepted {
    Loops(Planned, Report),
    Sort,
    Traversal(Box<Traversal>),
}

/// A function that the compiler rejects, if it can be parsed, and the report on it.
struct Rejected {
    function: Option<Box<Function>>,
    report: Report,
}

/// Checks a function. Functions with chains of iterators have several forms, and the compiler must accept one of them. If it accepts none,
/// the report is on the first.
fn examined(attribute: Attribute, args: &TokenStream, item: &TokenStream) -> Result<(Function, Accepted), Rejected> {
    let mut report = Report::default();
    let parse = |chains, report: &mut Report| Function::parse(attribute, chains, args.clone(), item.clone(), report);
    let [first, second] = match attribute {
        Attribute::KaryReduce => [Chains::AreLoops, Chains::Stay],
        _ => [Chains::Stay, Chains::AreLoops],
    };
    let Some(function) = parse(first, &mut report) else { return Err(Rejected { function: None, report }) };
    let accepted = match attribute {
        Attribute::DistributedSort => sorts::sort(&function, &mut report).map(|_| Accepted::Sort),
        Attribute::Traverse => {
            traversals::traversal(&function, &mut report).map(|found| Accepted::Traversal(found.into()))
        }
        _ => {
            let planned = check(&function, &mut report);
            if report.is_empty() {
                return Ok((function, Accepted::Loops(planned, report)));
            }
            let others = [
                (function.code.has_chains, second),
                (true, Chains::StayInPasses),
                (true, Chains::AreLoopsWithoutExits),
                (true, Chains::AreLoopsWithFirst),
                (true, Chains::AreLoopsAfterFirst),
                (attribute == Attribute::DistributedScan, Chains::AreLoopsWithTests),
                (report.has(&[Code::FA004]) && attribute == Attribute::KaryReduce, Chains::OfFieldsAreLoops),
            ];
            for (_, form) in others.into_iter().filter(|(has, _)| *has) {
                let mut other = Report::default();
                if let Some(function) = parse(form, &mut other)
                    && function.code.is_another
                    && let planned = check(&function, &mut other)
                    && other.is_empty()
                {
                    return Ok((function, Accepted::Loops(planned, other)));
                }
            }
            None
        }
    };
    match accepted {
        Some(accepted) if report.is_empty() => Ok((function, accepted)),
        _ => Err(Rejected { function: Some(function.into()), report }),
    }
}

fn expanded(function: &Function, planned: Planned, report: &Report) -> TokenStream {
    let translated = |plan| {
        let translation = translate(function, &plan);
        Loop::new(plan, translation)
    };
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
        loops.insert(id, Loop::new(plan, translation));
    }
    if loops.len() != 1 {
        return Err("its calls are no single loop".to_owned());
    }
    let item = expand(&function, &loops, &planned.in_order, &planned.obligations, &TokenStream::new());
    let shader = loops.values().filter_map(|found| found.translation.as_ref().ok()).map(|found| &*found.source);
    Ok(ByLevels { shader: shader.collect(), item, levels })
}
