//! Finds the recursive calls of a function, and rejects arguments that they cannot pass down.
//!
//! A traversal is a loop over calls, and the compiler classifies a call as it classifies an iteration. The
//! classification proves that calls affect each other only by collecting. A recursive call is represented by its
//! arguments, and `return` by the end of the iteration.

use crate::analysis::{in_body, obligations};
use crate::classify::{After, classify};
use crate::front::attribute::Attribute;
use crate::front::function::Function;
use crate::front::receiver::THIS;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Block, Child, Expr, For, Id, Kind, Label, Local, Op, StatementKind};
use crate::maps::{HashMap, New as _};
use crate::plan::{Accumulator, Class, Later, Merge, Operator, Plan, SlotKind, Traversal};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};
use std::borrow::Cow;
use std::rc::Rc;

/// The label of the loop over calls.
const LABEL: &str = "__call";

/// The form of a function for `#[traverse]`.
const FORM: &str = "a traversal calls itself for the children of a node (`visit(nodes, node.left, out);`), and collects by \
    `out.push(e)` or `*sum += e` in parameters that it hands on";

/// The traversal in a function. Reports all mistakes.
pub fn traversal(function: &Function, report: &mut Report) -> Option<Traversal> {
    refuse_shares(function, report);
    refuse_value(function, report);
    let parameters = parameters(function, report)?;
    let calls = Calls::of(function, report);
    if calls.found.is_empty() && report.is_empty() {
        let name = &function.signature.ident;
        report.error(Code::FA034, name.span(), format!("`{name}` does not call itself"), FORM);
    }
    let own = handed_down(&parameters, &calls, report);
    if !report.is_empty() {
        return None;
    }
    let handed = |arguments: &[Expr]| {
        let each = parameters.iter().zip(arguments).filter(|(parameter, _)| own.contains(&parameter.name));
        each.map(|(_, argument)| argument.clone()).collect::<Vec<_>>()
    };
    let calls: HashMap<Id, Vec<Expr>> = calls.found.iter().map(|(id, (_, given))| (*id, handed(given))).collect();
    let patterns = parameters.iter().filter(|parameter| own.contains(&parameter.name));
    let f = as_loop(function, patterns.map(|parameter| &*parameter.pattern), &calls);
    let body = classified(function, &f, report)?;
    refuse_other_changes(&parameters, &body, report);
    let found_after = |which: fn(&Accumulator) -> bool| {
        let names = body.accumulators.iter().filter(|a| which(a)).map(|a| a.place.root).collect();
        let mut search = Search { names, calls: &calls, found: false };
        search.block(&function.body, false);
        search.found
    };
    let later = if found_after(|accumulator| has_an_order(&accumulator.class)) {
        Later::Anything
    } else if found_after(|_| true) {
        Later::Sums
    } else {
        Later::Nothing
    };
    let (obligations, in_body) = in_body::of_calls(function, &body);
    let body = Plan { obligations: [body.obligations, obligations].concat(), in_body, ..body };
    let obligations = obligations::of_function(function);
    report.is_empty().then_some(Traversal { body, own, calls, later, obligations })
}

/// Rejects unmarked slices: each rank has only a part of one, and a traversal may visit any element.
fn refuse_shares(function: &Function, report: &mut Report) {
    for share in &function.shares {
        let name = &share.name;
        match share.mutable {
            false => report.error(
                Code::FA050,
                share.span,
                format!("which elements of `{name}` calls read is not known beforehand, and each rank has only a share of them"),
                format!(
                    "mark it `#[replicated] {name}` if every rank has all of it: then the ranks share the calls; or write \
                     `#[traverse(local)]`: then each rank traverses what it has"
                ),
            ),
            true => report.error(
                Code::FA035,
                share.span,
                format!("`{name}` may be written by all calls, and it is not seen that they write different elements"),
                "",
            ),
        }
    }
}

/// Rejects return values: the caller would have to wait for them.
fn refuse_value(function: &Function, report: &mut Report) {
    let syn::ReturnType::Type(_, ty) = &function.signature.output else { return };
    if !matches!(&**ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) {
        report.error(
            Code::FA034,
            &ty.to_token_stream(),
            "what a call returns is waited for by the one that made it",
            "collect it in a parameter: `*sum += e` with `sum: &mut T` in place of the value",
        );
    }
}

/// A parameter with a name.
struct Parameter<'f> {
    name: Local,
    pattern: Cow<'f, syn::Pat>,
    /// Whether its type is a mutable reference.
    written: bool,
    /// Whether the function may assign it.
    mutable: bool,
}

fn parameters<'f>(function: &'f Function, report: &mut Report) -> Option<Vec<Parameter<'f>>> {
    let mut all = Vec::new();
    let this = format_ident!("{THIS}");
    let this: Cow<'_, syn::Pat> = Cow::Owned(syn::parse_quote!(#this));
    for input in &function.original.sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) if !matches!(receiver.kind, syn::ReceiverKind::Reference(..)) => {
                report.error(Code::FA035, &receiver.to_token_stream(), "`self` is handed down by value", "take `&self`")
            }
            syn::FnArg::Receiver(receiver) if function.hands_self_down => {
                if receiver.to_token_stream().to_string().contains("mut") {
                    let message = "`self` is lent to all calls for writing, and it is not seen that they collect in it";
                    report.error(Code::FA035, &receiver.to_token_stream(), message, "take `&self`");
                }
                all.push(Parameter { name: Local::named(THIS), pattern: this.clone(), written: false, mutable: false });
            }
            syn::FnArg::Receiver(_) => {}
            syn::FnArg::Typed(input) => match &*input.pat {
                syn::Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => all.push(Parameter {
                    name: Local::from(&ident.ident),
                    pattern: Cow::Borrowed(&*input.pat),
                    written: matches!(&*input.ty, syn::Type::Reference(reference) if reference.mutability.is_some()),
                    mutable: ident.mutability.is_some(),
                }),
                other => report.error(
                    Code::FA035,
                    &other.to_token_stream(),
                    "a parameter without a name cannot be handed down",
                    "name it, and take it apart in the body",
                ),
            },
        }
    }
    report.is_empty().then_some(all)
}

/// The recursive calls of a function, with their arguments.
struct Calls<'f> {
    function: &'f Function,
    name: Local,
    found: HashMap<Id, (&'f Expr, &'f [Expr])>,
}

impl<'f> Calls<'f> {
    fn of(function: &'f Function, report: &mut Report) -> Self {
        let name = function.signature.ident.to_string();
        let mut calls = Calls { function, name: Local::named(&name), found: HashMap::new() };
        calls.block(&function.body, false, report);
        calls
    }

    fn block(&mut self, block: &'f Block, closure: bool, report: &mut Report) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Let(_, value, otherwise) => {
                    value.iter().chain(otherwise).for_each(|e| self.expr(e, closure, report));
                }
                StatementKind::Expr(e, _) => self.expr(e, closure, report),
                StatementKind::Item(_) => {}
            }
        }
    }

    fn expr(&mut self, e: &'f Expr, closure: bool, report: &mut Report) {
        let arguments = self.arguments(e);
        let name = &self.name;
        if let Some(arguments) = arguments {
            if closure {
                report.error(
                    Code::FA034,
                    e,
                    format!("`{}` is called in a closure: when that runs, and how often, is not followed", e.shown()),
                    "call it in the body itself; children are gone over by `for child in ..`",
                );
            }
            self.found.insert(e.id, (e, arguments));
            return arguments.iter().for_each(|e| self.expr(e, closure, report));
        }
        let mentioned = match &e.kind {
            Kind::Name(found) => found == name,
            Kind::Path => e.is_code(&format!("Self :: {name}")),
            _ => false,
        };
        if mentioned {
            report.error(
                Code::FA034,
                e,
                format!("`{}` means the function itself, and when that is called is not followed", e.shown()),
                "call it in a statement of its own, with all its arguments",
            );
        }
        let closure = closure || matches!(e.kind, Kind::Closure(..));
        for child in e.children() {
            match child {
                Child::Expr(e) => self.expr(e, closure, report),
                Child::Block(b) => self.block(b, closure, report),
            }
        }
    }

    /// The arguments, if an expression is a recursive call.
    fn arguments(&self, e: &'f Expr) -> Option<&'f [Expr]> {
        let Calls { function, name, .. } = self;
        let receiver = function.signature.receiver().is_some();
        match &e.kind {
            Kind::Call(called, arguments) if called.name() == Some(*name) && !function.method => Some(arguments),
            Kind::Call(called, arguments) if function.method && called.is_code(&format!("Self :: {name}")) => {
                match (receiver && !function.hands_self_down, arguments.as_slice()) {
                    (false, arguments) => Some(arguments),
                    (true, [this, arguments @ ..]) => (this.name() == Some(Local::named("self"))).then_some(arguments),
                    (true, []) => None,
                }
            }
            Kind::Method(this, method, arguments, _) if receiver && *name == **method => {
                (this.name() == Some(Local::named("self"))).then_some(arguments)
            }
            _ => None,
        }
    }
}

/// The parameters that calls pass down. The others are the same in all calls, and accumulators must be.
fn handed_down(parameters: &[Parameter<'_>], calls: &Calls<'_>, report: &mut Report) -> Vec<Local> {
    let mut own = Vec::new();
    for (number, parameter) in parameters.iter().enumerate() {
        let Parameter { name, written, mutable, .. } = parameter;
        let same = |argument: &Expr| {
            let given = if *written { lent(argument) } else { argument };
            given.name() == Some(*name)
        };
        let changed = calls.found.values().find_map(|(call, arguments)| {
            let argument = arguments.get(number)?;
            (!same(argument)).then_some((call, argument))
        });
        match changed {
            Some((call, argument)) if *written => report.error(
                Code::FA035,
                argument,
                format!(
                    "`{}` hands on `{}` as `{name}`, which calls may write: only where all calls collect in the same place is it \
                     seen what they leave",
                    call.shown(),
                    argument.shown()
                ),
                format!("hand on `{name}` as it is"),
            ),
            // A parameter that a call may assign is the call's own.
            Some(_) => own.push(*name),
            None if *mutable && !written => own.push(*name),
            None => {}
        }
    }
    own
}

/// `x` of `&mut *x`.
fn lent(argument: &Expr) -> &Expr {
    match &argument.bare().kind {
        Kind::Ref(true, place) => match &place.bare().kind {
            Kind::Unary('*', inner) => inner.bare(),
            _ => argument,
        },
        _ => argument,
    }
}

/// The function as a loop over its calls.
fn as_loop<'f>(
    function: &Function,
    own: impl Iterator<Item = &'f syn::Pat>,
    calls: &HashMap<Id, Vec<Expr>>,
) -> Rc<For> {
    let mut lower = function.code.lower.clone();
    let mut body = function.body.clone();
    body.walk_mut(&mut |e| {
        if let Some(arguments) = calls.get(&e.id) {
            e.kind = Kind::Tuple(arguments.clone());
        }
        match &e.kind {
            Kind::Return(None) => {
                e.kind = Kind::Continue(Some(LABEL.to_owned()));
                false
            }
            kind => !matches!(kind, Kind::Closure(..)),
        }
    });
    let pattern: syn::Pat = syn::parse_quote!((#(#own,)*));
    let source: syn::Expr = syn::parse_quote!(0..__calls);
    let f = For {
        label: Label { name: Some(LABEL.to_owned()), tokens: TokenStream::new() },
        pattern: lower.pattern(&pattern),
        source: lower.expr(&source),
        body,
        span: function.signature.ident.span(),
        sequential: false,
        counts_by_while: false,
        ends: None,
    };
    Rc::new(f)
}

/// The plan for the body of a call.
fn classified(function: &Function, f: &Rc<For>, report: &mut Report) -> Option<Plan> {
    let parameter = |name: Local| function.declared.get(&name).is_some_and(|d| d.parameter && d.reference);
    let pushed = |name: Local| function.pushes.iter().any(|push| push.name == name);
    let seen = |name: Local| parameter(name) || pushed(name);
    let mut mistakes = Report::default();
    let plan = classify(function, Attribute::ForeachTls, f, &After { live: &seen }, &mut mistakes);
    mistakes.speak_of_calls();
    report.absorb(mistakes);
    let mut plan = plan?;
    // A call must not change the values that other calls pass down.
    for binding in &plan.f.pattern.names {
        plan.captures.push((binding.name, function.signature.ident.span()));
    }
    Some(plan)
}

/// Rejects side effects of calls other than collecting in parameters.
fn refuse_other_changes(parameters: &[Parameter<'_>], plan: &Plan, report: &mut Report) {
    let at = |name: Local| {
        let found = parameters.iter().find(|parameter| parameter.name == name);
        found.map_or_else(
            || Location::from(plan.f.span),
            |parameter| Location::from(&parameter.pattern.to_token_stream()),
        )
    };
    for slot in plan.slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Write | SlotKind::Everywhere)) {
        let access = plan.accesses.iter().find(|access| access.writes && plan.slots[access.slot].name == slot.name);
        let text = access.map_or(&*slot.name, |access| &access.text);
        let message =
            format!("`{text}` is written by calls, and it is not seen that no two of them write the same element");
        report.error(Code::FA035, at(slot.name), message, "");
    }
    for accumulator in &plan.accumulators {
        let name = accumulator.place.root;
        if !is_collected(&accumulator.class) {
            let message = format!("what calls do to `{}` goes on from call to call", accumulator.place);
            report.error(Code::FA035, accumulator.at, message, "");
        } else if !parameters.iter().any(|parameter| parameter.name == name && parameter.written) {
            let message = format!("`{}` is no parameter `&mut T` that calls hand on", accumulator.place);
            report.error(Code::FA035, accumulator.at, message, "");
        }
    }
    let collected = |name: Local| plan.accumulators.iter().flat_map(|a| a.variables()).any(|place| place.root == name);
    for parameter in parameters.iter().filter(|parameter| parameter.written && !collected(parameter.name)) {
        let name = &parameter.name;
        let message = format!("`{name}` is lent to all calls for writing, and it is not seen that they collect in it");
        report.error(Code::FA035, at(*name), message, "");
    }
}

/// Whether calls may collect by this class.
fn is_collected(class: &Class) -> bool {
    match class {
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity => true,
        Class::Idempotent { .. } | Class::Combine { .. } | Class::Best { .. } => true,
        Class::Bins { share, .. } => !share,
        Class::Pushes { .. } | Class::State(_) => true,
        _ => false,
    }
}

/// Whether the order in which calls collect matters, beyond rounding.
fn has_an_order(class: &Class) -> bool {
    match class {
        Class::Sum { .. } | Class::Difference { .. } | Class::Product | Class::Parity => false,
        Class::Idempotent { merge: Merge::By(operator) } => {
            !matches!(operator, Operator::Max | Operator::Min | Operator::Logical(Op::And | Op::Or))
        }
        _ => true,
    }
}

/// A search for updates after a recursive call.
struct Search<'f> {
    names: Vec<Local>,
    calls: &'f HashMap<Id, Vec<Expr>>,
    found: bool,
}

impl Search<'_> {
    /// Returns whether a recursive call may precede the end of the block, if `called` is whether one may precede its
    /// start.
    fn block(&mut self, block: &Block, called: bool) -> bool {
        block.statements.iter().fold(called, |called, statement| match &statement.kind {
            StatementKind::Let(_, value, otherwise) => {
                let called = value.iter().fold(called, |called, e| self.expr(e, called));
                otherwise.iter().fold(called, |called, e| self.expr(e, called) || called)
            }
            StatementKind::Expr(e, _) => self.expr(e, called),
            StatementKind::Item(_) => called,
        })
    }

    fn expr(&mut self, e: &Expr, called: bool) -> bool {
        if let Some(arguments) = self.calls.get(&e.id) {
            arguments.iter().fold(called, |called, e| self.expr(e, called));
            return true;
        }
        match &e.kind {
            Kind::Name(name) => self.found |= called && self.names.contains(name),
            Kind::If(condition, then, otherwise) => {
                let called = self.expr(condition, called);
                let otherwise = otherwise.as_ref().map_or(called, |e| self.expr(e, called));
                return self.block(then, called) || otherwise;
            }
            Kind::Match(value, arms) => {
                let called = self.expr(value, called);
                return arms.iter().fold(false, |any, arm| {
                    let called = arm.guard.iter().fold(called, |called, e| self.expr(e, called));
                    self.expr(&arm.body, called) || any
                });
            }
            Kind::For(_) | Kind::While(..) | Kind::Loop(..) => {
                // Each round may follow any other.
                let once = self.children(e, called) || called;
                return self.children(e, once) || once;
            }
            Kind::Return(None) => return false,
            _ => {}
        }
        self.children(e, called)
    }

    fn children(&mut self, e: &Expr, called: bool) -> bool {
        e.children().into_iter().fold(called, |called, child| match child {
            Child::Expr(e) => self.expr(e, called),
            Child::Block(b) => self.block(b, called),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::chains::Chains;
    use quote::quote;

    fn found(body: TokenStream) -> Result<Traversal, Vec<Code>> {
        let item = quote!(
            fn visit(#[replicated] nodes: &[Node], at: usize, out: &mut Vec<u32>, sum: &mut u64) { #body }
        );
        let mut report = Report::default();
        let function =
            Function::parse(Attribute::Traverse, Chains::Stay, TokenStream::new(), item, &mut report).unwrap();
        traversal(&function, &mut report).ok_or_else(|| report.codes())
    }

    #[test]
    fn what_is_handed_down_and_what_stays_the_same() {
        let found = found(quote!(
            out.push(nodes[at].value);
            *sum += 1;
            visit(nodes, nodes[at].left, out, sum);
            visit(nodes, nodes[at].right, &mut *out, sum);
        ));
        let found = found.ok().unwrap();
        assert_eq!(found.own, ["at"]);
        assert_eq!((found.calls.len(), found.later), (2, Later::Nothing));
        assert_eq!(found.body.accumulators.len(), 2);
    }

    #[test]
    fn what_is_collected_after_a_call_is_found() {
        let after = |body: TokenStream| {
            let body = quote!(*sum += 1; #body);
            found(body).map(|found| found.later)
        };
        let call = quote!(visit(nodes, nodes[at].left, out, sum););
        assert_eq!(after(quote!(if at > 3 { out.push(1); return; } #call #call)), Ok(Later::Nothing));
        assert_eq!(after(quote!(if at > 3 { #call return; } out.push(1);)), Ok(Later::Nothing));
        assert_eq!(after(quote!(if at > 3 { #call } out.push(1);)), Ok(Later::Anything));
        assert_eq!(after(quote!(#call out.push(1);)), Ok(Later::Anything));
        assert_eq!(after(quote!(for i in 0..2 { out.push(1); #call })), Ok(Later::Anything));
        assert_eq!(after(quote!(out.push(1); for i in 0..2 { #call } *sum += 2;)), Ok(Later::Sums));
    }

    #[test]
    fn calls_that_depend_on_each_other_are_refused() {
        let codes = |body: TokenStream| found(body).err().unwrap_or_default();
        assert_eq!(codes(quote!(out.push(1); *sum += 1;)), [Code::FA034]);
        assert_eq!(
            codes(quote!(out.push(1); *sum += 1; let mut other = Vec::new(); visit(nodes, 1, &mut other, sum);)),
            [Code::FA035]
        );
        assert_eq!(
            codes(quote!(out.push(1); if *sum > 3 { return; } *sum += 1; visit(nodes, 1, out, sum);)),
            [Code::FA014]
        );
        assert_eq!(codes(quote!(out.push(1); *sum += out.len() as u64; visit(nodes, 1, out, sum);)), [Code::FA014]);
        assert_eq!(codes(quote!(out.push(1); visit(nodes, 1, out, sum);)), [Code::FA035]);
    }
}
