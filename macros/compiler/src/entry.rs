//! The attributes' entry points.

use crate::classify::{After, classify, explain, header};
use crate::front::function::{Attribute, Function};
use crate::ir::report::{Code, Place, Report};
use crate::ir::{Block, Expr, For, Id, Kind, Statement, StatementKind};
use crate::plan::{Class, Plan, SlotKind};
use crate::rust::{Loop, expand};
use crate::wgsl::{Obstacle, Translation};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;
use std::rc::Rc;
use syn::parse::Parser;
use syn::spanned::Spanned;

/// A function with its annotated loops, and what is told of each.
struct Analysis {
    function: Function,
    loops: HashMap<Id, Loop>,
    explain: Vec<(proc_macro2::Span, Vec<String>)>,
}

/// What one of the four loop attributes finds in a function; nothing where that is no function. All that is wrong is reported.
fn analyse(attribute: Attribute, args: TokenStream, item: TokenStream, report: &mut Report) -> Option<Analysis> {
    let function = Function::parse(attribute, args, item, report)?;
    crate::check::arrays::refuse_methods(&function, report);
    let several = several(&function, &function.body);
    let mut finder = Finder {
        function: &function,
        several,
        loops: HashMap::new(),
        whiles: Vec::new(),
        explain: Vec::new(),
        apart: Vec::new(),
    };
    finder.block(&function.body, &[], report);
    let Finder { loops, whiles, mut explain, apart, .. } = finder;
    for (span, mistakes) in apart {
        if loops.is_empty() {
            report.absorb(mistakes);
        } else {
            explain.push((
                span,
                vec!["runs in order, the same on every rank: it is not parallel, and touches no share".to_owned()],
            ));
        }
    }
    explain.sort_by_key(|(span, _)| (span.start().line, span.start().column));
    if loops.is_empty() && report.is_empty() {
        match whiles.first() {
            Some(&place) => report.error(
                Code::FA021,
                place,
                "the iterations of `while` and `loop` cannot be counted before they run",
                "write a `for` loop over a range or a slice; `while` and `loop` may stand inside of its body",
            ),
            None => report.error(
                Code::FA004,
                function.signature.ident.span(),
                format!("`{}` has no loop for `#[{}]` to run in parallel", function.signature.ident, attribute.name()),
                "write a `for` loop in it, or remove the attribute",
            ),
        }
    }
    if report.is_empty() {
        crate::check::arrays::refuse_parts_outside(&function, |id| loops.contains_key(&id), report);
        crate::check::outside::refuse_writes(&function, |id| loops.contains_key(&id), report);
        class_of_function(&function, &loops, report);
        refuse_unused_combine(&function, &loops, report);
    }
    Some(Analysis { function, loops, explain })
}

/// Expands one of the four loop attributes.
pub fn annotate(attribute: Attribute, args: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(Analysis { function, loops, explain }) = analyse(attribute, args.clone(), item.clone(), &mut report)
    else {
        let errors = report.finish();
        return quote!(#errors #item);
    };
    let text = explained(&function, &explain);
    if report.is_empty() {
        let expansion = expand(&function, &loops, &text);
        if function.args.explain {
            // A warning of ours would need an unstable interface: the deprecation of a constant shows the text instead.
            let note = format!("forall explains `{}`\n{text}", function.signature.ident);
            let shown = quote!(
                const _: () = {
                    #[deprecated(note = #note)]
                    const EXPLAIN: () = ();
                    EXPLAIN
                };
            );
            return if function.method { expansion } else { quote!(#expansion #shown) };
        }
        return expansion;
    }
    let fits = |other: &Attribute| {
        let mut report = Report::default();
        *other != attribute && analyse(*other, args.clone(), item.clone(), &mut report).is_some() && report.is_empty()
    };
    // A running value that an iteration looks at is no mistake everywhere.
    if report.has(&[Code::FA010, Code::FA014])
        && let Some(other) = Attribute::ALL.iter().find(|other| fits(other))
    {
        report.help_with_attribute(other.name());
    }
    let errors = report.finish();
    // The function stays, so that editors and the rest of the crate know it.
    let original = &function.original;
    if function.method || matches!(original.vis, syn::Visibility::Inherited) && function.signature.receiver().is_some()
    {
        let inner = &original.block;
        let (attrs, vis, sig) = (&original.attrs, &original.vis, &original.sig);
        return quote!(#(#attrs)* #[allow(unused)] #vis #sig { #errors #inner });
    }
    quote!(#errors #[allow(unused)] #original)
}

/// A function and its annotated loops, in their order, where there is nothing to say against them.
#[cfg(test)]
pub fn loops_of(attribute: Attribute, args: TokenStream, item: TokenStream) -> Option<(Function, Vec<Plan>)> {
    let mut report = Report::default();
    let Analysis { function, loops, .. } = analyse(attribute, args, item, &mut report)?;
    let mut loops: Vec<(Id, Loop)> = loops.into_iter().collect();
    loops.sort_by_key(|(id, _)| *id);
    let loops = loops.into_iter().map(|(_, found)| found.plan).collect();
    report.is_empty().then_some((function, loops))
}

/// The function of `combine = path` must be what values are combined by.
fn refuse_unused_combine(function: &Function, loops: &HashMap<Id, Loop>, report: &mut Report) {
    let Some(path) = &function.args.combine else { return };
    let by_path = |l: &Loop| l.plan.accumulators.iter().any(|a| a.class.merges_by(path));
    if !loops.values().any(by_path) {
        let (path_tokens, path) = (path, crate::ir::report::shown(&path.to_string()));
        report.error(
            Code::FA002,
            path_tokens,
            format!("`combine = {path}`, but no loop combines values by `{path}`"),
            format!("write `acc = {path}(acc, e)` in the loop, or remove the argument"),
        );
    }
}

/// The attribute must say what at least one loop does.
fn class_of_function(function: &Function, loops: &HashMap<Id, Loop>, report: &mut Report) {
    let any = |test: &dyn Fn(&Plan) -> bool| loops.values().any(|found| test(&found.plan));
    let writes = any(&|l| l.slots.iter().any(|s| matches!(s.kind, SlotKind::Write | SlotKind::Everywhere)));
    let reduces = any(&|l| l.accumulators.iter().any(|a| a.class.is_reduction()));
    let pushes = any(&|l| {
        l.accumulators.iter().any(|a| matches!(a.class, Class::Pushes { .. } | Class::State { .. } | Class::Scratch))
    });
    let running = any(&|l| l.running);
    let instead = if running {
        "distributed_scan"
    } else if pushes {
        "foreach_tls"
    } else if reduces {
        "kary_reduce"
    } else {
        "foreach"
    };
    let fits = match function.attribute {
        Attribute::Foreach => writes || instead == "foreach",
        Attribute::ForeachTls => pushes,
        Attribute::DistributedScan => running,
        Attribute::KaryReduce => reduces,
    };
    if !fits {
        let first = loops.iter().min_by_key(|(id, _)| **id);
        let place = first.map_or_else(|| Place::from(function.signature.ident.span()), |(_, l)| header(&l.plan.f));
        // An element that an earlier iteration may have written, or not: `x[i] += x[i - k]`.
        let unknown = loops.values().find_map(|Loop { plan, .. }| {
            let write = plan.accesses.iter().find(|a| a.writes && !plan.ordered)?;
            let read = plan.accesses.iter().find(|a| !a.writes && a.slot == write.slot && a.text != write.text)?;
            Some((&write.text, &read.text))
        });
        if let (Attribute::DistributedScan, Some((write, read))) = (function.attribute, unknown) {
            report.error(
                Code::FA030,
                place,
                format!(
                    "`#[distributed_scan]`, but whether `{read}` is what an earlier iteration has written as `{write}`, and how many \
                     iterations before, is known only when the loop runs"
                ),
                "a scan through an array reads the element just before its own (`x[i - 1]`); if no iteration reads what another one \
                 writes, `#[foreach]` is the attribute, and each call checks it",
            );
            return;
        }
        let what = match function.attribute {
            Attribute::ForeachTls => "pushes nothing and has no state or scratch buffer of its own",
            Attribute::Foreach => "leaves nothing but what it accumulates",
            Attribute::DistributedScan => "has no running value that an iteration looks at",
            _ => "accumulates nothing",
        };
        report.error(
            Code::FA030,
            place,
            format!("`#[{}]`, but the loop {what}", function.attribute.name()),
            format!("`#[{instead}]` is the attribute for it"),
        );
    }
}

/// Finds the loops that the attribute is about: those in statements of the function, not those inside of other loops,
/// unless the outer one is a loop over time steps.
struct Finder<'f> {
    function: &'f Function,
    /// Whether there is more than one loop to annotate.
    several: bool,
    loops: HashMap<Id, Loop>,
    whiles: Vec<Place>,
    explain: Vec<(proc_macro2::Span, Vec<String>)>,
    /// Loops that are not parallel but touch no share, with what is wrong with them.
    apart: Vec<(proc_macro2::Span, Report)>,
}

/// Whether statements outside of loops, or in a loop over time steps, hold more than one loop.
fn several(function: &Function, block: &Block) -> bool {
    fn count(function: &Function, block: &Block) -> usize {
        block
            .statements
            .iter()
            .map(|s| match &s.kind {
                StatementKind::Expr(e, _) | StatementKind::Let(_, Some(e), _) => in_expr(function, e),
                _ => 0,
            })
            .sum()
    }
    fn in_expr(function: &Function, e: &Expr) -> usize {
        match &e.kind {
            Kind::For(f) if f.sequential || steps(function, f) => count(function, &f.body),
            Kind::For(_) => 1,
            Kind::Block(b) | Kind::Labeled(_, _, b) | Kind::While(_, _, b) | Kind::Loop(_, b) => count(function, b),
            Kind::If(_, then, otherwise) => {
                count(function, then) + otherwise.as_ref().map_or(0, |e| in_expr(function, e))
            }
            _ => 0,
        }
    }
    count(function, block) > 1
}

/// The statements that run after a loop: the rest of each block around it.
type Rest<'s> = &'s [&'s [Statement]];

impl Finder<'_> {
    fn block(&mut self, block: &Block, after: Rest<'_>, report: &mut Report) {
        for (number, statement) in block.statements.iter().enumerate() {
            let mut rest: Vec<&[Statement]> = after.to_vec();
            rest.push(&block.statements[number + 1..]);
            match &statement.kind {
                StatementKind::Expr(e, _) => self.expr(e, &rest, report),
                StatementKind::Let(_, Some(value), _) => self.expr(value, &rest, report),
                _ => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr, after: Rest<'_>, report: &mut Report) {
        match &e.kind {
            Kind::For(f) => self.found(e.id, f, after, report),
            Kind::Block(b) | Kind::Labeled(_, _, b) => self.block(b, after, report),
            Kind::If(_, then, otherwise) => {
                self.block(then, after, report);
                if let Some(otherwise) = otherwise {
                    self.expr(otherwise, after, report);
                }
            }
            Kind::Match(_, arms) => {
                for arm in arms {
                    self.expr(&arm.body, after, report);
                }
            }
            Kind::While(_, _, b) | Kind::Loop(_, b) => {
                let head = Place::from(e.span);
                self.whiles.push(if let Kind::While(_, condition, _) = &e.kind { head.to(&**condition) } else { head });
                // What comes earlier in the body runs again after what comes later.
                let mut around = after.to_vec();
                around.push(&b.statements);
                self.block(b, &around, report);
            }
            _ => {}
        }
    }

    /// Holds a loop against the function's attribute; where the function has several loops, those beside the one that it
    /// is annotated for may be of another class.
    fn classify(&self, f: &Rc<For>, after: &After<'_>, report: &mut Report) -> Option<Plan> {
        let own = self.function.attribute;
        let found = classify(self.function, own, f, after, report);
        if found.is_some() || !self.several {
            return found;
        }
        [Attribute::Foreach, Attribute::KaryReduce, Attribute::ForeachTls, Attribute::DistributedScan]
            .into_iter()
            .filter(|attribute| *attribute != own)
            .find_map(|attribute| classify(self.function, attribute, f, after, &mut Report::default()))
    }

    fn found(&mut self, id: Id, f: &Rc<For>, after: Rest<'_>, report: &mut Report) {
        let parameter = |name: &str| self.function.declared.get(name).is_some_and(|d| d.parameter && d.reference);
        let seen = After {
            live: &|name| parameter(name) || after.iter().any(|statements| statements.iter().any(|s| s.mentions(name))),
            looked_at: &|name| {
                parameter(name)
                    || after.iter().any(|statements| crate::analysis::state::looked_at(self.function, statements, name))
            },
        };
        let mut mine = Report::default();
        if !f.sequential
            && let Some(plan) = self.classify(f, &seen, &mut mine)
        {
            let translation = crate::wgsl::translate(self.function, &plan);
            let mut lines = explain(&plan);
            lines.push(on_gpu(&translation));
            self.explain.push((f.span, lines));
            self.loops.insert(id, Loop { plan, translation });
            return;
        }
        // A loop over time steps runs in order, and the loops inside of it are annotated.
        if f.sequential || steps(self.function, f) {
            let mut inner = Report::default();
            let (loops, explain) = (self.loops.len(), self.explain.len());
            let mut around = after.to_vec();
            around.push(&f.body.statements);
            self.block(&f.body, &around, &mut inner);
            if self.loops.len() > loops || f.sequential {
                report.absorb(inner);
                return;
            }
            self.explain.truncate(explain);
            if !inner.is_empty() {
                report.absorb(if chooses_by_name(f) { mine } else { inner });
                return;
            }
        }
        if self.several && !f.sequential && self.touches_no_share(f) {
            self.apart.push((f.span, mine));
            return;
        }
        report.absorb(mine);
    }

    /// Whether a loop does the same on every rank: it may ask how long shares are, but for no element of them.
    fn touches_no_share(&self, f: &For) -> bool {
        let distributed = |name: &str| {
            self.function.shares.iter().any(|s| s.name == name) || self.function.pushes.iter().any(|p| p.name == name)
        };
        let mut apart = true;
        f.body.walk(&mut |e| {
            match &e.kind {
                Kind::Method(array, method, ..) if method == "len" && array.name().is_some() => return false,
                Kind::Name(name) => apart &= !distributed(name),
                Kind::Macro(_, _, names) => apart &= !names.iter().any(|(name, _)| distributed(name)),
                _ => {}
            }
            apart
        });
        let all = self.function.shares.iter().map(|s| &s.name).chain(self.function.pushes.iter().map(|p| &p.name));
        apart && all.into_iter().all(|name| !f.source.mentions(name))
    }
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

/// Whether a loop only repeats other loops: its variable chooses no elements, is none that may be written, and none of those
/// of which each rank has its share.
fn steps(function: &Function, f: &For) -> bool {
    let shared = |name: &str| function.shares.iter().any(|share| share.name == name);
    let mut chosen = false;
    f.source.walk(&mut |e| {
        chosen |= match &e.kind {
            Kind::Method(array, name, ..) if name == "len" && array.name().is_some() => return false,
            // One element.
            Kind::Index(array, index) if array.name().is_some() && !matches!(index.bare().kind, Kind::Range(..)) => {
                return false;
            }
            Kind::Method(_, name, ..) => name.ends_with("_mut"),
            Kind::Ref(mutable, _) => *mutable,
            Kind::Name(name) => shared(name),
            _ => false,
        };
        !chosen
    });
    let has_loops = f.body.statements.iter().any(|s| match &s.kind {
        StatementKind::Expr(e, _) => match &e.kind {
            Kind::For(_) => true,
            Kind::If(_, then, _) | Kind::Block(then) => then
                .statements
                .iter()
                .any(|s| matches!(&s.kind, StatementKind::Expr(e, _) if matches!(e.kind, Kind::For(_)))),
            _ => false,
        },
        _ => false,
    });
    f.body.walk(&mut |e| {
        if let Kind::Index(_, index) = &e.kind {
            chosen |= f.pattern.names.iter().any(|b| index.mentions(&b.name));
        }
        !chosen
    });
    has_loops && !chosen
}

/// Whether the variable of a loop chooses elements after all, by a name for what is computed from it: `let at = y * w + x;`.
/// What is wrong is then not that a loop inside is none of its own.
fn chooses_by_name(f: &For) -> bool {
    let mut chosen: Vec<String> = f.pattern.names.iter().map(|b| b.name.clone()).collect();
    let (mut names, mut chooses) = (chosen.len(), false);
    loop {
        f.body.statements.iter().for_each(|s| named_after(s, &mut chosen));
        if chosen.len() == names {
            break;
        }
        names = chosen.len();
    }
    f.body.walk(&mut |e| {
        if let Kind::Index(_, index) = &e.kind {
            chooses |= chosen.iter().any(|name| index.mentions(name));
        }
        !chooses
    });
    chooses
}

/// Adds the names that a statement gives to what is computed from one of these.
fn named_after(statement: &Statement, chosen: &mut Vec<String>) {
    if let StatementKind::Let(pattern, Some(value), _) = &statement.kind
        && chosen.iter().any(|name| value.mentions(name))
    {
        let new = pattern.names.iter().filter(|b| !chosen.contains(&b.name)).map(|b| b.name.clone());
        chosen.extend(new.collect::<Vec<_>>());
    }
    statement.walk(&mut |e| {
        let inside = match &e.kind {
            Kind::For(f) => &f.body,
            Kind::Block(b) | Kind::If(_, b, _) => b,
            _ => return true,
        };
        inside.statements.iter().for_each(|s| named_after(s, chosen));
        false
    });
}

fn explained(function: &Function, loops: &[(proc_macro2::Span, Vec<String>)]) -> String {
    let mut text = format!("`{}` is annotated with #[{}]\n", function.signature.ident, function.attribute.name());
    for (number, (span, lines)) in loops.iter().enumerate() {
        text.push_str(&format!("loop {} (line {}):\n", number + 1, span.start().line));
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

fn function_of(item: &TokenStream, what: &str) -> Result<syn::ItemFn, TokenStream> {
    syn::parse2::<syn::ItemFn>(item.clone()).map_err(|_| {
        let mut report = Report::default();
        let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |t| t.span());
        report.error(
            Code::FA001,
            span,
            format!("`#[forall::{what}]` is for functions"),
            "put it above a function without parameters",
        );
        let errors = report.finish();
        quote!(#errors #item)
    })
}

fn refuse_parameters(function: &syn::ItemFn, what: &str, report: &mut Report) {
    let sig = &function.sig;
    if !sig.inputs.is_empty() || sig.asyncness.is_some() || !sig.generics.params.is_empty() {
        report.error(
            Code::FA003,
            sig.ident.span(),
            format!("`#[forall::{what}]` is for plain functions without parameters"),
            "remove the parameters, `async` and the generics",
        );
    }
}

/// Expands `#[forall::main]`.
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function_of(&item, "main") {
        Ok(function) => function,
        Err(errors) => return errors,
    };
    let mut report = Report::default();
    refuse_parameters(&function, "main", &mut report);
    if !args.is_empty() {
        report.error(
            Code::FA002,
            args.span(),
            "`#[forall::main]` has no arguments",
            "settings are given by `FORALL_*` variables, or use `forall::run`",
        );
    }
    if !report.is_empty() {
        let errors = report.finish();
        return quote!(#errors #function);
    }
    let syn::ItemFn { attrs, vis, sig, block, .. } = &function;
    let (name, output) = (&sig.ident, &sig.output);
    quote!(
        #(#attrs)*
        #vis fn #name() -> ::std::process::ExitCode {
            fn program() #output #block
            ::forall::__private::run_main(program)
        }
    )
}

/// Expands `#[forall::device]`.
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    use crate::rust::marked;
    let mut report = Report::default();
    if !args.is_empty() {
        report.error(Code::FA002, args.span(), "`#[forall::device]` has no arguments", "remove them");
    }
    let function = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Fn(function)) => function,
        Ok(syn::Item::Impl(methods)) => {
            let marked = marked::methods(&methods, &mut report);
            let errors = report.finish();
            return quote!(#errors #item #marked);
        }
        // Loops and functions read constants as they are.
        Ok(syn::Item::Const(_) | syn::Item::Static(_)) => {
            let errors = report.finish();
            return quote!(#errors #item);
        }
        _ => {
            let first = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |t| t.span());
            report.error(
                Code::FA001,
                first,
                "`#[forall::device]` is for functions, constants, and an `impl`",
                "put it above a function, or above the `impl` that has the methods",
            );
            let errors = report.finish();
            return quote!(#errors #item);
        }
    };
    match crate::wgsl::translate_function(&function) {
        Ok(marked) if report.is_empty() => return marked::expand(&function, &marked),
        Ok(_) => {}
        Err(obstacles) => {
            for obstacle in obstacles {
                report.error(
                    Code::FA052,
                    obstacle.place,
                    obstacle.what,
                    "change it, or remove `#[forall::device]`: loops that call the function then run on threads",
                );
            }
        }
    }
    let errors = report.finish();
    quote!(#errors #function)
}

/// Expands `#[derive(forall::DeviceData)]`.
pub fn device_data(item: TokenStream) -> TokenStream {
    match syn::parse2::<syn::DeriveInput>(item) {
        Ok(item) => crate::rust::device_data::derive(&item),
        Err(error) => error.into_compile_error(),
    }
}

/// Expands `#[forall::test]`.
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function_of(&item, "test") {
        Ok(function) => function,
        Err(errors) => return errors,
    };
    let mut report = Report::default();
    refuse_parameters(&function, "test", &mut report);
    let mut ranks = quote!(::core::option::Option::None);
    type List = syn::punctuated::Punctuated<syn::MetaNameValue, syn::Token![,]>;
    let span = args.span();
    match List::parse_terminated.parse2(args) {
        Ok(list) => {
            for pair in list {
                match &pair.value {
                    syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(n), .. })
                        if pair.path.is_ident("ranks") && n.base10_parse::<usize>().is_ok_and(|n| n > 0) =>
                    {
                        ranks = quote!(::core::option::Option::Some(#n));
                    }
                    _ => report.error(
                        Code::FA002,
                        pair.span(),
                        "`#[forall::test]` has the argument `ranks`, a positive integer",
                        "write `#[forall::test(ranks = 3)]`",
                    ),
                }
            }
        }
        Err(_) => report.error(
            Code::FA002,
            span,
            "`#[forall::test]` has the argument `ranks`, a positive integer",
            "write `#[forall::test(ranks = 3)]`",
        ),
    }
    if !report.is_empty() {
        let errors = report.finish();
        return quote!(#errors #function);
    }
    let syn::ItemFn { attrs, vis, sig, block, .. } = &function;
    let (name, output, text) = (&sig.ident, &sig.output, sig.ident.to_string());
    quote!(
        #[::core::prelude::v1::test]
        #(#attrs)*
        #vis fn #name() {
            fn test() #output #block
            ::forall::__private::run_test(
                ::forall::__private::TestSpec { name: ::core::concat!(::core::module_path!(), "::", #text), ranks: #ranks },
                test,
            );
        }
    )
}
