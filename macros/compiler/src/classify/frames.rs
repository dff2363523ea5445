//! Arrays that inner loops fold into by their items: `for (d, s) in frame.iter_mut().zip(layer) { *d += *s; }`.

use super::buffers::Collected;
use super::context::Classifier;
use crate::analysis::walk::{Event, What};
use crate::front::items::{By, Form, Items};
use crate::ir::names::shadowed;
use crate::ir::{Binding, Expr, For, Kind, Pattern};
use crate::plan::Plan;
use std::rc::Rc;

impl Classifier<'_> {
    /// Takes an array of which nothing is done but that. Whether it is one.
    pub(super) fn folded(&self, name: &str, events: &[&Event], result: &mut Plan) -> bool {
        let by_items = |e: &&&Event| matches!(&e.what, What::Method { method } if method == "iter_mut");
        let Some(first) = events.iter().find(by_items) else { return false };
        let others = events.iter().filter(|e| !by_items(e) && !matches!(e.what, What::Len)).count();
        let plain = self.function.declared.get(name).is_some_and(|d| d.buffer && !d.again);
        let loops = loops_over(&result.f, name);
        if others > 0 || !plain || loops.len() != events.iter().filter(by_items).count() {
            return false;
        }
        let mut found = Collected::new(false, first.place.start);
        for (f, item) in &loops {
            let Some(assigns) = only_assigned(f, item) else { return false };
            if !assigns.into_iter().all(|assign| self.collect(&f.body, assign, Vec::new(), &mut found)) {
                return false;
            }
        }
        !found.leaves.is_empty() && self.collected(name, found, result)
    }
}

/// The inner loops that go over the elements of an array, each with what an element is called.
fn loops_over<'f>(f: &'f For, array: &str) -> Vec<(&'f Rc<For>, &'f str)> {
    let mut found = Vec::new();
    f.body.walk(&mut |e| {
        if let Kind::For(inner) = &e.kind
            && let Some(binding) = bound(&Items::of(&inner.source), &inner.pattern, array)
        {
            found.push((inner, &*binding.name));
        }
        true
    });
    found
}

/// What a pattern calls an element of the array, which it may write.
fn bound<'p>(items: &Items<'_>, pattern: &'p Pattern, array: &str) -> Option<&'p Binding> {
    match (&items.form, pattern.parts.as_slice()) {
        (Form::Elements { of, by: By::Mutable }, []) if of.name() == Some(array) => {
            pattern.single().filter(|binding| !binding.mutable && !pattern.reference)
        }
        (Form::Zip(one, two), [first, second]) => bound(one, first, array).or_else(|| bound(two, second, array)),
        (Form::Enumerate(inner), [_, item]) => bound(inner, item, array),
        (Form::Rev(inner) | Form::StepBy(inner, _) | Form::Skip(inner, _) | Form::Take(inner, _), _) => {
            bound(inner, pattern, array)
        }
        _ => None,
    }
}

/// The assignments to an element, where a loop does nothing else with it.
fn only_assigned<'f>(f: &'f For, item: &str) -> Option<Vec<&'f Expr>> {
    if !shadowed(&f.body, item).is_empty() {
        return None;
    }
    let is_element = |e: &Expr| matches!(&e.kind, Kind::Unary('*', inner) if inner.name() == Some(item));
    let (mut assigns, mut names, mut elements, mut plain) = (Vec::new(), 0, 0, true);
    f.body.walk(&mut |e| {
        match &e.kind {
            Kind::Name(name) if name == item => names += 1,
            Kind::Macro(_, _, mentioned) => plain &= mentioned.iter().all(|(name, _)| name != item),
            Kind::Closure(..) | Kind::Other(..) => plain &= !e.mentions(item),
            Kind::Assign(target, ..) if is_element(target) => assigns.push(e),
            _ => elements += usize::from(is_element(e)),
        }
        plain
    });
    // An update reads the element once, by its operator or beside it.
    let reads = assigns.iter().filter(|e| matches!(e.kind, Kind::Assign(_, None, _))).count();
    (plain && !assigns.is_empty() && names == elements && elements == assigns.len() + reads).then_some(assigns)
}
