//! The attributes for loops, sorts and traversals: parse, check, plan, translate, expand.

use crate::check::{check, sorts, traversals};
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::ir::report::{Code, Report};
use crate::rust::{Loop, expand, expand_sort, expand_traversal, with_errors};
use crate::wgsl::translate;
use proc_macro2::TokenStream;
use quote::quote;

/// Expands an attribute of a function.
pub fn annotate(attribute: Attribute, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(function) = Function::parse(attribute, args.clone(), item.clone(), &mut report) else {
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
            Some(traversal) if report.is_empty() => expand_traversal(&function, &traversal),
            _ => with_errors(&function, report.finish()),
        };
    }
    let planned = check(&function, &mut report);
    if report.is_empty() {
        let translated = |plan| Loop { translation: translate(&function, &plan), plan };
        let loops = planned.loops.into_iter().map(|(id, plan)| (id, translated(plan))).collect();
        return expand(&function, &loops, &planned.in_order);
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

/// Whether there is nothing to say against a function under an attribute.
fn accepts(attribute: Attribute, args: &TokenStream, item: &TokenStream) -> bool {
    let mut report = Report::default();
    if let Some(function) = Function::parse(attribute, args.clone(), item.clone(), &mut report) {
        check(&function, &mut report);
    }
    report.is_empty()
}
