//! Variables that collect something: reductions, best values, recurrences.

use super::{Classifier, Linear, assigned, assignment, called};
use crate::analysis::scalar::{Form, Update, as_linear, conjuncts, operands, part_of_update, through, updates};
use crate::analysis::walk::{Event, What};
use crate::front::function::Attribute;
use crate::ir::report::{Code, Place, Report, shown};
use crate::ir::{Expr, For, Id, Kind, Op, StatementKind};
use crate::plan::{Accumulator, Class, LAST, Operator, Plan};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

impl Classifier<'_> {
    /// The variables that are assigned, changed by methods, or borrowed.
    pub(super) fn scalars(
        &self,
        f: &Rc<For>,
        scalars: Vec<(&str, Vec<&Event>)>,
        result: &mut Plan,
        report: &mut Report,
    ) {
        let combine = self.function.args.combine.as_ref().map(|path| path.to_string());
        let mut grouped: HashSet<String> = HashSet::new();
        // The places that are assigned, in order of their first assignment.
        let mut places: Vec<(String, &str, Vec<&Event>)> = Vec::new();
        for (name, events) in &scalars {
            // `all = all.then(x)` is an update like any other.
            let opaque = events.iter().any(|e| match e.what {
                What::Method { .. } => !self.inside_assignment(&f.body, name, e.id),
                What::BorrowMut => true,
                _ => false,
            });
            let parts: BTreeSet<String> = events
                .iter()
                .filter_map(|e| match &e.what {
                    What::Assign { place, .. } => Some(place.clone()),
                    _ => None,
                })
                .collect();
            if self.function.pushes.iter().any(|p| p.name == *name) || opaque || self.function.state_named(name) {
                self.state(name, events, result, report);
                continue;
            }
            for place in parts {
                places.push((place, name, events.clone()));
            }
        }
        // Groups first: their members have no class of their own.
        for (place, _, _) in &places {
            for update in updates(place, &f.body, combine.as_deref()) {
                if let Form::Looks(member, read) = &update.form
                    && !grouped.contains(place)
                {
                    self.looks(place, member, read, &update, report);
                    grouped.insert(place.clone());
                    grouped.extend(set_in(update.node));
                }
                if let Form::Best(op, group, condition) = &update.form {
                    let known = group.iter().all(|member| places.iter().any(|(p, _, _)| p == member));
                    if known && !grouped.contains(place) {
                        self.best(place, *op, group, condition, &update, f, result, report);
                        grouped.extend(group.iter().cloned());
                    }
                }
            }
        }
        for (place, name, events) in &places {
            if !grouped.contains(place) {
                self.scalar(place, name, events, f, combine.as_deref(), result, report);
            }
        }
    }

    /// `if e > best { before = best; best = e; }`: what is kept depends on what the iterations before have kept.
    fn looks(&self, place: &str, member: &str, read: &Expr, update: &Update<'_>, report: &mut Report) {
        for name in set_in(update.node) {
            self.blame(&name);
        }
        self.blame(member);
        let (place, member) = (shown(place), shown(member));
        let besides = match place == member {
            true => ", the best value so far,".to_owned(),
            false => format!(", which goes with the best value `{place}`,"),
        };
        report.error(
            Code::FA014,
            read,
            format!("`{member}`{besides} is read where it is set: what it holds depends on the iterations before"),
            format!(
                "in the `if` that keeps the best value, compare with `{place}` once, and compute what is set from the iteration \
                 alone (`{{ {place} = e; place = i; }}`)"
            ),
        );
    }

    #[allow(clippy::too_many_arguments)]
    fn best(
        &self,
        place: &str,
        op: Op,
        group: &[String],
        condition: &Expr,
        update: &Update<'_>,
        f: &Rc<For>,
        result: &mut Plan,
        report: &mut Report,
    ) {
        let Kind::If(_, then, _) = &update.node.kind else { return };
        // All members are set here and nowhere else.
        for member in group {
            let (mut outside, mut set) = (false, false);
            let other = crate::ir::names::shadowed(&f.body, member);
            f.body.walk(&mut |e| {
                if e.id == update.node.id {
                    return false;
                }
                if !other.contains(&e.id) {
                    let here = |e: &Expr| e.text() == *member;
                    outside |= here(e)
                        && matches!(e.kind, Kind::Name(_) | Kind::Field(..) | Kind::Index(..) | Kind::Unary('*', _));
                    set |= match &e.kind {
                        Kind::Assign(place, ..) => match &place.bare().kind {
                            Kind::Tuple(parts) => parts.iter().any(here),
                            _ => here(place),
                        },
                        _ => false,
                    };
                }
                true
            });
            // A scan may look at what goes with the best value, but nothing else may set it.
            if set || outside && self.attribute != Attribute::DistributedScan {
                let (what, help) = match set {
                    true => ("set", "set all variables that go with the best value in that `if`, and nowhere else"),
                    false => ("used", "use it after the loop only"),
                };
                self.blame(member);
                report.error(
                    Code::FA014,
                    assignment(update),
                    format!("`{member}` goes with the best value so far, and is {what} elsewhere in the loop too"),
                    help,
                );
                return;
            }
        }
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        let fields = parts.iter().find_map(|part| match &part.bare().kind {
            Kind::Binary(o, a, b) if o.is_comparison() => crate::analysis::scalar::accessor_of(b, place)
                .or_else(|| crate::analysis::scalar::accessor_of(a, place)),
            _ => None,
        });
        let fields: TokenStream = fields
            .unwrap_or_default()
            .iter()
            .map(|field| format!(".{field}").parse::<TokenStream>().unwrap_or_default())
            .collect();
        let op: TokenStream = op.text().parse().unwrap_or_default();
        let hit = format_ident!("__hit_{}", update.node.id, span = Span::mixed_site());
        let mut edits = HashMap::new();
        let names: Vec<Ident> = (0..)
            .zip(group)
            .map(|(k, member)| match syn::parse_str::<Ident>(member) {
                Ok(name) => name,
                Err(_) => format_ident!("__best_{}_{k}", update.node.id, span = Span::mixed_site()),
            })
            .collect();
        edits.insert(update.node.id, {
            let places: Vec<(String, Ident)> = group.iter().cloned().zip(names.iter().cloned()).collect();
            let renamed = crate::rust::Kernel { places: &places, edits: HashMap::new(), dropped: None };
            let condition = crate::ir::print::expr(condition, &renamed);
            let statements = crate::ir::print::statements(then, &renamed);
            quote!(if #condition { #hit = true; #statements })
        });
        let tokens: TokenStream = place.parse().unwrap_or_default();
        result.accumulators.push(Accumulator {
            place: tokens,
            text: place.to_owned(),
            ident: format_ident!("__best_{}", update.node.id),
            class: Class::Best {
                variables: group.to_vec(),
                names,
                better: quote!(|__new, __old| (__new.0) #fields #op (__old.0) #fields),
                hit,
            },
            edits,
            nodes: vec![update.node.id],
            level: 0,
            at: assignment(update).start,
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn scalar(
        &self,
        place: &str,
        name: &str,
        events: &[&Event],
        f: &Rc<For>,
        combine: Option<&str>,
        result: &mut Plan,
        report: &mut Report,
    ) {
        let all = updates(place, &f.body, combine);
        let span = all.first().map_or_else(|| Place::from(f.span), |u| assignment(u));
        if all.is_empty() {
            return;
        }
        // A variable that every iteration sets before reading it is the iteration's own.
        let first = events.iter().find(|e| match &e.what {
            What::Assign { place: p, .. } => p == place,
            What::Use => true,
            _ => false,
        });
        let set_first = first.is_some_and(|e| {
            matches!(&e.what, What::Assign { op: None, value, .. } if !value.mentions(name))
                && !e.conditional
                && e.depth == 0
        });
        if set_first && place == name {
            if (self.live)(name) {
                report.error(
                    Code::FA013,
                    span,
                    format!("`{place}` is set by every iteration and read after the loop: the value of the last iteration is lost"),
                    format!("declare `let {place}` inside the loop; if the last value is wanted, compute it from the last element after the loop"),
                );
            } else {
                result.privates.push(place.to_owned());
            }
            return;
        }
        let forms: Vec<&Form<'_>> = all.iter().map(|u| &u.form).collect();
        let mut operators: Vec<&Operator> = Vec::new();
        for form in &forms {
            if let Form::Step(operator, _) = form
                && !operators.contains(&operator)
            {
                operators.push(operator);
            }
        }
        let resets = forms.iter().filter(|f| matches!(f, Form::Reset(_))).count();
        let steps = forms.iter().filter(|f| matches!(f, Form::Step(..))).count();
        let simple = steps + resets == forms.len();
        let scan = self.attribute == Attribute::DistributedScan;
        let ident = match place == name {
            true => format_ident!("{name}"),
            false => format_ident!("__acc_{}", all[0].assign, span = Span::mixed_site()),
        };
        let combine_path = self.function.args.combine.as_ref();
        let (mut edits, mut nodes) = (HashMap::new(), Vec::new());
        // What is computed from it on the way: `let b = a * y; y = b - y;`.
        let way = match all.as_slice() {
            [update] if scan => through(place, &f.body, update.assign),
            _ => HashMap::new(),
        };
        let by_way = assignment_of(f, all[0].assign).is_some_and(|e| way.keys().any(|name| e.mentions(name)));
        let simple = simple && !by_way;
        let class = if simple && operators.len() == 1 && resets == 0 && !matches!(operators[0], Operator::Follow(_)) {
            let operator = operators[0];
            match operator {
                Operator::Follow(_) => return,
                Operator::Add => {
                    let parts: Option<Vec<_>> = all
                        .iter()
                        .map(|u| Some((u.assign, operands(operator, assignment_of(f, u.assign)?)?)))
                        .collect();
                    // `a.mul_add(b, acc)` is for floats only.
                    let counts = parts.is_some() && !scan;
                    let parts = parts.unwrap_or_default();
                    let subtracts = |minus| parts.iter().flat_map(|(_, operands)| operands).any(|part| part.0 == minus);
                    match (subtracts(true), subtracts(false)) {
                        (true, false) => {
                            for (assign, operands) in &parts {
                                let operands = operands.iter().map(|(_, e)| &e.tokens);
                                edits.insert(
                                    *assign,
                                    match scan {
                                        true => quote!({ #(::forall::__private::add(&mut #ident, #operands);)* }),
                                        false => quote!({ #(#ident += #operands;)* }),
                                    },
                                );
                            }
                            Class::Difference { wraps: scan }
                        }
                        (both, _) => {
                            let wraps = both || scan;
                            if wraps {
                                let place = quote!(#ident);
                                edits.extend(
                                    parts.iter().map(|(id, parts)| (*id, part_of_update(operator, &place, parts))),
                                );
                            } else {
                                for (assign, operands) in &parts {
                                    let added = assignment_of(f, *assign);
                                    if added.is_some_and(|e| matches!(e.kind, Kind::Assign(_, None, _))) {
                                        let operands = operands.iter().map(|(_, e)| &e.tokens);
                                        edits.insert(*assign, quote!({ #(#ident += #operands;)* }));
                                    }
                                }
                            }
                            Class::Sum { wraps, counts }
                        }
                    }
                }
                Operator::Mul => {
                    for update in &all {
                        if let Some(parts) = assignment_of(f, update.assign).and_then(|e| operands(operator, e)) {
                            edits.insert(update.assign, part_of_update(operator, &quote!(#ident), &parts));
                        }
                    }
                    Class::Product
                }
                Operator::Xor => Class::Parity,
                Operator::Idempotent(_) | Operator::Keep(_) => {
                    Class::Idempotent { merge: merge_as_written(operator, &all) }
                }
                Operator::Wrapping(_) | Operator::Combine => {
                    let merge = operator.merge(combine_path);
                    for update in &all {
                        let Form::Step(_, Some(operand)) = &update.form else { continue };
                        let operand = &operand.tokens;
                        edits.insert(
                            update.assign,
                            quote!(::forall::__private::include(&mut #ident, #operand, |__a, __b| #merge)),
                        );
                    }
                    Class::Combine { merge }
                }
            }
        } else if simple && resets == forms.len() && scan {
            for update in &all {
                let Form::Reset(value) = &update.form else { continue };
                let value = &value.tokens;
                edits.insert(update.assign, quote!(#ident.restart(#value)));
            }
            Class::Segmented { merge: LAST.parse().unwrap_or_default(), exact: "always", resets: true }
        } else if simple && operators.len() == 1 && (scan || resets == 0) {
            let operator = operators[0];
            let merge = match operator {
                Operator::Idempotent(_) => merge_as_written(operator, &all),
                _ => operator.merge(combine_path),
            };
            let mut fits = true;
            for update in &all {
                match &update.form {
                    Form::Step(operator @ (Operator::Add | Operator::Mul), _) => {
                        let Some(parts) = assignment_of(f, update.assign).and_then(|e| operands(operator, e)) else {
                            fits = false;
                            continue;
                        };
                        let parts = parts.iter().map(|(minus, e)| {
                            let e = &e.tokens;
                            let e = quote!(::forall::__private::number(#e));
                            let e = if *minus { quote!(::forall::__private::negative(#e)) } else { e };
                            quote!(#ident.include(#e, |__a, __b| #merge);)
                        });
                        edits.insert(update.assign, quote!({ #(#parts)* }));
                    }
                    Form::Step(Operator::Follow(_), Some(operand)) => {
                        let operand = &operand.tokens;
                        edits.insert(update.node.id, quote!(#ident.follow(#operand, |__a, __b| #merge)));
                    }
                    Form::Step(operator, operand) => {
                        let operand = match (operator, operand) {
                            // `inside = !inside`.
                            (Operator::Xor, None) => quote!(true),
                            (_, Some(operand)) => operand.tokens.clone(),
                            (Operator::Keep(_), None) => match kept_value(update.node) {
                                Some(value) => value,
                                None => {
                                    fits = false;
                                    continue;
                                }
                            },
                            (_, None) => {
                                fits = false;
                                continue;
                            }
                        };
                        let node = if matches!(operator, Operator::Keep(_)) { update.node.id } else { update.assign };
                        edits.insert(node, quote!(#ident.include(#operand, |__a, __b| #merge)));
                    }
                    Form::Reset(value) => {
                        let value = &value.tokens;
                        edits.insert(update.assign, quote!(#ident.restart(#value)));
                    }
                    _ => fits = false,
                }
            }
            if !fits {
                self.blame(name);
                report.error(
                    Code::FA015,
                    span,
                    format!("the updates of `{place}` are not of the form `{place} = {place} op value`"),
                    "write each update as one operator with one value",
                );
                return;
            }
            Class::Segmented {
                merge,
                exact: match operator {
                    Operator::Idempotent(_) | Operator::Keep(_) | Operator::Follow(_) | Operator::Xor => "always",
                    Operator::Add | Operator::Mul => "as_number",
                    Operator::Wrapping(_) | Operator::Combine => "never",
                },
                resets: resets > 0,
            }
        } else if scan && let Some(maps) = linear_edits(&all, f, place, &ident) {
            edits = maps.edits;
            nodes = maps.nodes;
            Class::Linear { through: maps.through }
        } else {
            self.refuse_scalar(place, name, events, &all, &operators, resets, f, report);
            return;
        };
        nodes.extend(all.iter().map(|u| u.node.id));
        let tokens: TokenStream = place.parse().unwrap_or_default();
        let respanned = if place == name {
            let ident = format_ident!("{name}");
            quote!(#ident)
        } else {
            tokens
        };
        result.accumulators.push(Accumulator {
            place: respanned,
            text: place.to_owned(),
            ident,
            class,
            edits,
            nodes,
            level: 0,
            at: span.start,
        });
    }

    #[allow(clippy::too_many_arguments)]
    fn refuse_scalar(
        &self,
        place: &str,
        name: &str,
        events: &[&Event],
        all: &[Update<'_>],
        operators: &[&Operator],
        resets: usize,
        f: &Rc<For>,
        report: &mut Report,
    ) {
        self.blame(name);
        let at = |u: Option<&Update<'_>>| u.map_or_else(|| Place::from(f.span), assignment);
        let first = at(all.first());
        let sets = all.first().map(|u| shown(&assigned(f, u.assign))).unwrap_or_default();
        let linear = all.iter().all(|u| !matches!(u.form, Form::Opaque | Form::Best(..)))
            && !operators.iter().any(|o| !matches!(o, Operator::Add | Operator::Mul));
        let scan = linear && self.would_fit(Attribute::DistributedScan, f);
        if resets == all.len() {
            let Some(read) = events.iter().find(|e| matches!(e.what, What::Use)) else {
                report.error(
                    Code::FA013,
                    first,
                    format!(
                        "`{place}` keeps what the last iteration that sets it leaves (`{sets}`): which one that is depends on the \
                         order of the iterations"
                    ),
                    format!(
                        "under `#[kary_reduce]`, find the largest such iteration (`if i > last {{ last = i; }}`) and set `{place}` \
                         after the loop, or declare `{place}` inside the loop"
                    ),
                );
                return;
            };
            let (mut decides, mut compared) = (false, false);
            f.body.walk(&mut |e| {
                if let Kind::If(condition, then, _) = &e.kind {
                    let mut sets = false;
                    then.walk(&mut |inner| {
                        sets |= all.iter().any(|u| u.assign == inner.id);
                        true
                    });
                    decides |= sets && condition.mentions(name);
                    condition.walk(&mut |e| {
                        compared |= sets
                            && matches!(&e.kind, Kind::Binary(op, a, b) if op.is_comparison() && (a.text() == place || b.text() == place));
                        true
                    });
                }
                true
            });
            report.error(
                Code::FA010,
                read.place,
                format!("loop-carried dependence: `{place}` is read here, and an earlier iteration may have set it by `{sets}`"),
                if compared {
                    format!(
                        "to keep the best value, set `{place}` to what it is compared with, `if e > {place} {{ {place} = e; }}`, where \
                         both are the same words with the same meaning"
                    )
                } else if decides {
                    format!(
                        "to find the place of the best value under `#[kary_reduce]`, keep the value beside it: \
                         `if e > best {{ best = e; {place} = i; }}`"
                    )
                } else if place != name {
                    format!(
                        "set all of `{name}` (`{name} = ..`) before it is read, or declare it inside the loop: what is set of it part \
                         by part is not followed; what the iteration before had is read by its index (`x[i - 1]`)"
                    )
                } else {
                    format!(
                        "read what the iteration before had by its index (`x[i - 1]`); if every iteration sets `{place}` before \
                         reading it, declare it inside the loop"
                    )
                },
            );
        } else if operators.len() > 1 {
            let texts: Vec<String> = operators.iter().map(|o| format!("`{}`", o.text())).collect();
            report.error(
                Code::FA016,
                at(all.iter().find(|u| matches!(&u.form, Form::Step(o, _) if o != operators[0]))),
                format!(
                    "`{place}` is updated with different operators ({}), which together are not associative",
                    texts.join(" and ")
                ),
                if scan {
                    format!(
                        "use one variable for each operator; as a linear recurrence, `{place} = a * {place} + b`, \
                         `#[distributed_scan]` takes the loop"
                    )
                } else {
                    "use one variable for each operator, or one associative function: `combine = path`".to_owned()
                },
            );
        } else if linear {
            let what = if resets > 0 { "starts afresh in some iterations" } else { "is a linear recurrence" };
            report.error(
                Code::FA015,
                first,
                format!("`{sets}` is not associative as a reduction: `{place}` {what}"),
                if scan {
                    "a recurrence or a segmented scan is what `#[distributed_scan]` is for".to_owned()
                } else {
                    format!("write `{place}` as a reduction, `{place} += e`; or as a scan, under `#[distributed_scan]`")
                },
            );
        } else if matches!(self.attribute, Attribute::Foreach | Attribute::ForeachTls) {
            report.error(
                Code::FA010,
                first,
                format!("loop-carried dependence: `{sets}` computes `{place}` from what the iteration before left in it"),
                format!(
                    "compute `{place}` from the loop variable; or update it by one associative operator (`{place} += e`), which is \
                     what `#[kary_reduce]` and `#[distributed_scan]` are for"
                ),
            );
        } else {
            let function = all.iter().find_map(|u| called(f, u.assign, place));
            report.error(
                Code::FA015,
                first,
                format!("`{sets}` updates `{place}` by an operation that is not known to be associative"),
                if let Some(function) = function {
                    format!("if `{function}` is associative, say so: `#[{}(combine = {function})]`", self.attribute.name())
                } else { format!(
                    "write `{place} += e`, `*=`, `&=`, `|=`, `^=`, `{place} = {place}.max(e)`, `if e > {place} {{ {place} = e }}`, or name \
                     an associative function: `combine = path` with `{place} = path({place}, e)`"
                ) },
            );
        }
    }
}

/// The places that statements at the top of an `if` assign.
fn set_in(node: &Expr) -> Vec<String> {
    let Kind::If(_, then, _) = &node.kind else { return Vec::new() };
    let target = |s: &crate::ir::Statement| match &s.kind {
        StatementKind::Expr(Expr { kind: Kind::Assign(place, ..), .. }, _) => Some(place.text()),
        _ => None,
    };
    then.statements.iter().filter_map(target).collect()
}

/// An assignment.
fn assignment_of(f: &For, assign: Id) -> Option<&Expr> {
    let mut found = None;
    f.body.walk(&mut |e| {
        if e.id == assign {
            found = Some(e);
        }
        found.is_none()
    });
    found
}

/// `a op b` by the author's own function, where one is called: in `acc = f64::min(acc, e)` it alone may tell the type.
fn merge_as_written(operator: &Operator, updates: &[Update<'_>]) -> TokenStream {
    let function = updates.iter().find_map(|update| match &update.node.kind {
        Kind::Assign(_, None, value) => match &value.bare().kind {
            Kind::Call(function, _) => Some(&function.tokens),
            _ => None,
        },
        _ => None,
    });
    function.map_or_else(|| operator.merge(None), |function| quote!(#function(__a, __b)))
}

/// `e` of `if e > acc { acc = e; }`.
fn kept_value(node: &Expr) -> Option<TokenStream> {
    let Kind::If(condition, then, None) = &node.kind else { return None };
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    if parts.len() != 1 {
        return None;
    }
    then.statements.iter().find_map(|s| match &s.kind {
        StatementKind::Expr(Expr { kind: Kind::Assign(_, None, value), .. }, _) => Some(value.tokens.clone()),
        _ => None,
    })
}

/// The updates as maps, and the variables of the body that they are computed through.
fn linear_edits(all: &[Update<'_>], f: &For, place: &str, ident: &Ident) -> Option<Linear> {
    let through = match all {
        [update] => through(place, &f.body, update.assign),
        _ => HashMap::new(),
    };
    let (mut edits, mut nodes) = (HashMap::new(), Vec::new());
    for update in all {
        let parts = as_linear(&update.form, assignment_of(f, update.assign)?, &through)?;
        edits.insert(update.assign, parts.applied(ident));
    }
    // Where only the accumulators are wanted, these variables have no value.
    for statement in &f.body.statements {
        if let StatementKind::Let(pattern, Some(value), _) = &statement.kind
            && pattern.single().is_some_and(|b| through.contains_key(b.name.as_str()))
        {
            let none = if pattern.ty.is_some() { quote!(::core::default::Default::default()) } else { quote!(()) };
            edits.insert(value.id, none);
            nodes.push(value.id);
        }
    }
    Some(Linear { edits, through: through.into_keys().map(str::to_owned).collect(), nodes })
}
