//! Slices marked `#[scatter]`: what is written at places that only the data know.

use super::buffers::assignment_to;
use super::context::Classifier;
use crate::analysis::walk::{Event, What};
use crate::front::parameters::Share;
use crate::ir::report::{Code, Report};
use crate::ir::{Block, Kind, Op};
use crate::plan::{Accumulator, Class, Plan, Rewrite};
use quote::{format_ident, quote};
use std::collections::HashMap;

impl Classifier<'_> {
    /// Whether the marker would do for an array that is touched so.
    pub(super) fn could_scatter(&self, name: &str, events: &[&Event], body: &Block) -> bool {
        let written = |event: &&Event| match event.what {
            What::Elements { writes: true, single: true, .. } => assignment_to(body, event.id).is_some(),
            What::Len => true,
            _ => false,
        };
        let slice = self.function.shares.iter().any(|share| share.name == name && share.array.is_none());
        slice && events.iter().all(written)
    }

    /// `out[index] = e` or `out[index] op= e`, wherever the slice is touched.
    pub(super) fn scatter(&self, share: &Share, events: &[&Event], result: &mut Plan, report: &mut Report) {
        let name = &share.name;
        let mut rewrites = HashMap::new();
        let mut first: Option<(&Event, Option<Op>)> = None;
        for event in events {
            let written = match &event.what {
                What::Elements { writes: true, single: true, .. } => assignment_to(&result.f.body, event.id),
                What::Len => continue,
                _ => None,
            };
            let parts = written.and_then(|(target, assign)| match (&target.bare().kind, &assign.kind) {
                (Kind::Index(array, place), Kind::Assign(_, operator, value)) if array.name() == Some(name) => {
                    Some((assign.id, *operator, place, value))
                }
                _ => None,
            });
            let Some((id, operator, place, value)) = parts else {
                self.blame(name);
                return report.error(
                    Code::FA010,
                    event.place,
                    format!(
                        "`{}` touches `{name}`, to which iterations write at places that only the data know: what is there depends \
                         on other iterations",
                        event.text
                    ),
                    format!("write whole elements (`{name}[place] = e`, `{name}[place] += e`), and read other slices"),
                );
            };
            match &first {
                Some((before, other)) if *other != operator => {
                    self.blame(name);
                    return report.error(
                        Code::FA010,
                        event.place,
                        format!(
                            "`{}` and `{}` write to `{name}` by different operators, at places that only the data know",
                            before.text, event.text
                        ),
                        "write by one operator in a loop, and by the other in a loop after it",
                    );
                }
                _ => _ = first.get_or_insert((event, operator)),
            }
            rewrites.insert(id, Rewrite::Scatter { place: (**place).clone(), value: (**value).clone() });
        }
        let Some((event, operator)) = first else { return };
        let ident = format_ident!("{name}");
        result.accumulators.push(Accumulator {
            place: quote!(#ident),
            text: name.clone(),
            ident,
            class: Class::Scatter { element: share.element.clone(), operator },
            rewrites,
            // No running value hangs on what is written.
            nodes: Vec::new(),
            level: 0,
            at: event.place.start,
        });
    }
}
