//! What `EXPLAIN` tells of a function.

use crate::classify::explain;
use crate::front::function::Function;
use crate::ir::Id;
use crate::rust::kernel::Loop;
use crate::wgsl::{Obstacle, Translation};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::HashMap;

/// The text: its loops in their order, and those that run `in_order`.
pub fn explained(function: &Function, loops: &HashMap<Id, Loop>, in_order: &[Span]) -> String {
    let sequential = "runs in order, the same on every rank: it is not parallel, and touches no share".to_owned();
    let parallel = loops.values().map(|found| {
        let mut lines = explain(&found.plan);
        lines.push(on_gpu(&found.translation));
        (found.plan.f.span, lines)
    });
    let mut all: Vec<(Span, Vec<String>)> =
        parallel.chain(in_order.iter().map(|span| (*span, vec![sequential.clone()]))).collect();
    all.sort_by_key(|(span, _)| (span.start().line, span.start().column));
    let mut text = format!("`{}` is annotated with #[{}]\n", function.signature.ident, function.attribute.name());
    for (number, (span, lines)) in all.iter().enumerate() {
        text.push_str(&format!("loop {} (line {}):\n", number + 1, span.start().line));
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

/// What a GPU does with a loop.
fn on_gpu(translation: &Result<Translation, Vec<Obstacle>>) -> String {
    match translation {
        Ok(_) => "gpu: yes, where the feature `gpu` is built in and FORALL_BACKEND=gpu asks for it".to_owned(),
        Err(obstacles) => {
            let reasons: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
            format!("gpu: no, {}; it runs on threads", reasons.join("; "))
        }
    }
}

/// The text as a warning. One of ours would need an unstable interface: the deprecation of a constant shows it instead.
pub fn warning(function: &Function, text: &str) -> TokenStream {
    let note = format!("forall explains `{}`\n{text}", function.signature.ident);
    quote!(
        const _: () = {
            #[deprecated(note = #note)]
            const EXPLAIN: () = ();
            EXPLAIN
        };
    )
}
