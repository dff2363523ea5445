//! The text of `EXPLAIN` for a function.

use crate::check::outside::wholes_written;
use crate::classify::explain;
use crate::front::function::Function;
use crate::front::fusion::Follower;
use crate::ir::{Id, Kind};
use crate::maps::HashMap;
use crate::rust::planned::Loop;
use crate::wgsl::{Obstacle, Translation};
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// The text: its loops in their order, and those that run `in_order`.
pub fn explained(function: &Function, loops: &HashMap<Id, Loop>, in_order: &[Span]) -> String {
    let sequential = "runs in order, the same on every rank: it is not parallel, and touches no share".to_owned();
    // Loops that a split has made of one stand at its place, in their order.
    let mut numbers: Vec<&Id> = loops.keys().collect();
    numbers.sort_unstable();
    let parallel = numbers.into_iter().filter_map(|id| loops.get(id)).map(|found| {
        let mut lines = explain(&found.plan);
        lines.extend(passes(function, found.plan.f.span));
        lines.push(on_gpu(found.plan.scatters(), &found.translation));
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
    for (line, what) in between(function, loops) {
        text.push_str(&format!("between loops (line {line}): {what}\n"));
    }
    text
}

/// Whether a loop over blocks and those next to it are one pass.
fn passes(function: &Function, span: Span) -> Vec<String> {
    let place = |span: Span| (span.start().line, span.start().column);
    let line = |span: Span| span.start().line;
    let is_fused = |follower: &&Follower| follower.apart.is_none() && place(follower.first) == place(span);
    let fused: Vec<String> =
        function.code.followers.iter().filter(is_fused).map(|follower| line(follower.span).to_string()).collect();
    let mut lines = Vec::new();
    if !fused.is_empty() {
        let lines_of = if fused.len() == 1 { "line" } else { "lines" };
        lines.push(format!(
            "fused: with the loop in {lines_of} {}; each block is loaded once for all of them",
            fused.join(", ")
        ));
    }
    for follower in function.code.followers.iter().filter(|follower| place(follower.span) == place(span)) {
        if let Some(reason) = &follower.apart {
            lines.push(format!("not fused: with the loop before it (line {}), because {reason}", line(follower.first)));
        }
    }
    lines
}

/// The whole slices that statements outside of the loops move, with their lines.
fn between(function: &Function, loops: &HashMap<Id, Loop>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    function.body.walk(&mut |e| {
        if loops.contains_key(&e.id) {
            return false;
        }
        let line = e.span.start().line;
        if wholes_written(function, e).is_some() {
            let what = "moves nothing if both are cut alike, else each element once";
            found.push((line, format!("`{}` {what}", e.shown())));
            return false;
        }
        if let Kind::Method(slice, method, ..) = &e.kind
            && let Some(share) = function.shares.iter().find(|share| slice.name() == Some(share.name))
            && !BY_PARTS.contains(&method.as_str())
            && !function.splits(e)
            && share.array.is_none()
        {
            found.push((line, format!("`{}` fetches all of `{}` on every rank", e.shown(), share.name)));
        }
        true
    });
    found
}

/// Methods of slices that need no more than single elements, or a rank's own.
const BY_PARTS: [&str; 10] =
    ["len", "is_empty", "get", "first", "last", "first_mut", "last_mut", "fill", "swap", "copy_from_slice"];

/// The treatment of a loop on a GPU.
fn on_gpu(scatters: bool, translation: &Result<Translation, Vec<Obstacle>>) -> String {
    match translation {
        Ok(_) => {
            let mut yes = "gpu: yes, with the feature `gpu` and FORALL_BACKEND=gpu".to_owned();
            if scatters {
                yes += "; what it scatters comes back as places and values, which threads write in order";
            }
            yes
        }
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
