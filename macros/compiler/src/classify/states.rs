//! Collections and states: variables that grow while the loop runs.

use super::context::Classifier;
use crate::analysis::collected::{Flow, How, Mention, Sort};
use crate::analysis::walk::{Event, What};
use crate::front::attribute::Attribute;
use crate::ir::report::{Code, Location, Report};
use crate::ir::{Expr, For, Kind, Local};
use crate::language::methods::{self, Of};
use crate::plan::{Accumulator, Class, Plan, StateMerge};
use quote::format_ident;

impl Classifier<'_> {
    /// Classifies a variable that is changed by methods, by parts, or by reference.
    pub(super) fn state(&self, name: Local, events: &[&Event], result: &mut Plan, report: &mut Report) {
        let function = self.function;
        let ident = format_ident!("{name}");
        let changes = events.iter().find(|e| !matches!(e.what, What::Use | What::Len));
        let span = changes.map_or_else(|| Location::from(result.f.span), |e| e.place);
        if self.scratch(name, result, report) {
            return;
        }
        let attribute = self.attribute;
        let flow = Flow::of_iteration(function, &result.f, name);
        let add = |class: Class, result: &mut Plan| {
            result.accumulators.push(Accumulator::new(name, ident.clone(), class, span.start));
        };
        if let Some(event) = self.method_beside_combine(name, events, &result.f) {
            let What::Method { method } = &event.what else { return };
            self.blame(name);
            report.error(
                Code::FA014,
                event.place,
                format!("`{name}` is a scan state, and `{method}` may change it"),
                format!("call it on a copy: `let now = {name}; now.{method}(..)`"),
            );
            return;
        }
        let push = function.pushes.iter().find(|p| p.name == name);
        let pushes_only = push.is_some()
            || events.iter().all(|e| match &e.what {
                What::Method { method, .. } => methods::pushes(method),
                What::Use | What::Len => true,
                _ => false,
            }) && events.iter().any(|e| matches!(e.what, What::Method { .. }));
        let collects = matches!(attribute, Attribute::ForeachTls | Attribute::DistributedScan);
        let unfilled = self.unfilled_buffer(name, &flow);
        let merges_entries =
            |(_, how): &(Mention, How)| matches!(how, How::Entry(Some("sums" | "products" | "ors" | "ands" | "xors")));
        let reduces =
            attribute == Attribute::KaryReduce && !flow.updates.is_empty() && flow.updates.iter().all(merges_entries);
        if !collects && !reduces && push.is_none() {
            if let Some(place) = unfilled {
                return self.unfilled(name, place, report);
            }
            let code = if pushes_only { Code::FA030 } else { Code::FA017 };
            let why = match changes.map(|e| &*e.text).filter(|text| name != *text) {
                Some(text) => format!("`{text}` changes `{name}`, which all iterations share"),
                None => format!("`{name}` may be changed here, and all iterations share it"),
            };
            report.error(code, span, why, "");
            return;
        }
        if let Some(place) = unfilled.filter(|_| !pushes_only) {
            return self.unfilled(name, place, report);
        }
        if !self.only_adds(name, &flow, pushes_only, report) {
            return;
        }
        if let Some(push) = push {
            if collects {
                add(Class::Pushes { element: push.element.clone() }, result);
            } else {
                report.error(
                    Code::FA030,
                    span,
                    format!("this loop pushes to `{name}`, which `#[{}]` does not do", attribute.name()),
                    "",
                );
            }
            return;
        }
        if let (Some(init), Some(merge)) = (&function.args.init, &function.args.merge)
            && (!pushes_only || function.state_named(name))
        {
            add(Class::State(StateMerge::Named { init: init.clone(), merge: merge.clone() }), result);
            return;
        }
        if let Some(merge) = self.merge_of(name, &flow, report) {
            add(Class::State(merge), result);
        }
    }

    /// Accepts a vector of vectors if the loop only pushes to them. Returns whether it is one.
    pub(super) fn pushed_rows(&self, name: Local, result: &mut Plan) -> bool {
        let collects = matches!(self.attribute, Attribute::ForeachTls | Attribute::DistributedScan);
        let local = self.function.declared.get(&name).is_some_and(|declared| !declared.parameter);
        let flow = Flow::of_iteration(self.function, &result.f, name);
        let Some((_, How::Row(depth))) = flow.updates.first() else { return false };
        let same = flow.updates.iter().all(|(_, how)| *how == How::Row(*depth));
        if !(collects && local && same && flow.reads.is_empty() && flow.resets.is_empty()) {
            return false;
        }
        let class = Class::State(StateMerge::Rows(*depth));
        result.accumulators.push(Accumulator::new(name, format_ident!("{name}"), class, result.f.span));
        true
    }

    /// A method call on a variable that `combine = path` updates: `p = path(p, e); out[i] = p.sum();`.
    fn method_beside_combine<'e>(&self, name: Local, events: &[&'e Event], f: &For) -> Option<&'e Event> {
        let path = self.function.args.combine.as_ref()?.to_string();
        let combined = f.body.nodes().any(|e| match &e.kind {
            Kind::Assign(place, None, value) => {
                let by = |value: &Expr| matches!(&value.kind, Kind::Call(function, _) if function.is_code(&path));
                place.name() == Some(name) && by(value.bare())
            }
            _ => false,
        });
        let method = |e: &&&Event| matches!(&e.what, What::Method { method } if !methods::pushes(method));
        events.iter().find(method).filter(|_| combined).copied()
    }

    /// The access at which a local buffer may hold values of earlier iterations, if no code reads the buffer after the
    /// loop.
    fn unfilled_buffer(&self, name: Local, flow: &Flow) -> Option<Location> {
        let declared = self.function.declared.get(&name)?;
        let queue = declared.made_by.as_ref().is_some_and(|path| path.starts_with("VecDeque"));
        let own = !declared.parameter && declared.buffer && !queue && !(self.live)(name);
        let first = flow.reads.first().or_else(|| flow.updates.first().map(|(mention, _)| mention))?;
        let set = |(_, how): &(Mention, How)| matches!(how, How::Method(method, _) if methods::prepares(method));
        let meant = !matches!(self.attribute, Attribute::ForeachTls | Attribute::DistributedScan)
            || !flow.resets.is_empty()
            || flow.updates.iter().any(set);
        (own && meant).then_some(first.place)
    }

    /// Checks that a loop neither reads a collection or a state while it grows, nor removes its contents.
    fn only_adds(&self, name: Local, flow: &Flow, pushes_only: bool, report: &mut Report) -> bool {
        let function = self.function;
        let mut fine = true;
        if let Some(read) = flow.reads.first() {
            fine = false;
            let message = match pushes_only && read.text != *name {
                true => format!(
                    "`{}` reads `{name}` while iterations push to it: the elements that it has so far depend on their order",
                    read.text
                ),
                false if read.text == *name => {
                    format!("`{name}` is read while iterations change it: its value depends on the iterations before")
                }
                false => format!(
                    "`{}` reads `{name}` while iterations change it: its value depends on the iterations before",
                    read.text
                ),
            };
            report.error(Code::FA014, read.place, message, "");
        }
        if let Some(reset) = flow.resets.first() {
            report.error(
                Code::FA014,
                reset.place,
                format!(
                    "`{}` drops what `{name}` holds of the iterations before, which a part of the loop does not know",
                    reset.text
                ),
                "",
            );
            return false;
        }
        let (named, sort) = (function.args.init.is_some() && !pushes_only, Sort::of(function, name));
        let pushed = function.pushes.iter().any(|p| p.name == name);
        for (update, how) in &flow.updates {
            let adds = match how {
                How::Method(method, _) if pushed => methods::pushes(method),
                How::Written if pushed => true,
                _ if pushed => false,
                how => named || sort.merges(how),
            };
            if adds {
                continue;
            }
            report.error(
                Code::FA014,
                update.place,
                format!(
                    "`{}` does more than add to `{name}`: what it does depends on what earlier iterations have put there",
                    update.text
                ),
                "",
            );
            return false;
        }
        fine
    }

    /// How the states of two workers merge, if the attribute does not specify it.
    fn merge_of(&self, name: Local, flow: &Flow, report: &mut Report) -> Option<StateMerge> {
        let inserts = |how: &How| match how {
            How::Method(method, arguments) => match Sort::of(self.function, name) {
                Sort::Std(Of::Map) => methods::adds(Of::Map, method),
                Sort::Unknown => method == "insert" && *arguments == 2,
                _ => false,
            },
            _ => false,
        };
        let mut found: Option<(&Mention, &'static str)> = None;
        for (update, how) in &flow.updates {
            let by = match how {
                How::Entry(Some(by)) => by,
                How::Entry(None) => {
                    report.error(
                        Code::FA015,
                        update.place,
                        format!(
                            "`{}` changes an entry of `{name}` by an operation that is not known to be associative",
                            update.text
                        ),
                        "",
                    );
                    return None;
                }
                how if inserts(how) => "lasts",
                _ => continue,
            };
            match found {
                Some((first, other)) if other != by => {
                    report.error(
                        Code::FA016,
                        update.place,
                        format!(
                            "entries of `{name}` are changed in different ways (`{}` and `{}`), which together are not associative",
                            first.text, update.text
                        ),
                        "",
                    );
                    return None;
                }
                _ => found = Some((update, by)),
            }
        }
        Some(found.map_or(StateMerge::OfType, |(_, by)| StateMerge::Keyed(by)))
    }
}
