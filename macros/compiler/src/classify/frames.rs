//! Arrays that inner loops fold into by items: `for (d, s) in frame.iter_mut().zip(layer) { *d += *s; }`.

use super::buffers::Collected;
use super::context::Classifier;
use crate::analysis::walk::{Event, What};
use crate::front::header::SourceKind;
use crate::front::items::{By, Form, Items};
use crate::ir::{Binding, Expr, For, Id, Kind, Local, Op, Pattern, Statement, StatementKind};
use crate::plan::{Accumulator, Class, Plan, Rewrite};
use std::rc::Rc;

impl Classifier<'_> {
    /// Accepts an array if such loops are its only use. Returns whether it is one.
    pub(super) fn folded(&self, name: Local, events: &[&Event], result: &mut Plan) -> bool {
        let by_items = |e: &&&Event| matches!(&e.what, What::Method { method } if method == "iter_mut");
        let Some(first) = events.iter().find(by_items) else { return false };
        let others = events.iter().filter(|e| !by_items(e) && !matches!(e.what, What::Len)).count();
        let plain = self.function.declared.get(&name).is_some_and(|d| d.buffer);
        let f = Rc::clone(&result.f);
        let loops = loops_over(&f, name);
        if others > 0 || !plain || loops.len() != events.iter().filter(by_items).count() {
            return false;
        }
        let mut found = Collected::new(false, first.place.start);
        for Inner { f, item, .. } in &loops {
            let Some(assigns) = only_assigned(f, *item) else { return false };
            if !assigns.into_iter().all(|assign| self.collect(&f.body, assign, Vec::new(), &mut found)) {
                return false;
            }
        }
        if found.leaves.is_empty() || !self.collected(name, found, result) {
            return false;
        }
        self.layered(name, &loops, result);
        true
    }

    /// Marks inner loops that fold a whole layer, an item of the outer loop: each of them becomes one step.
    fn layered(&self, name: Local, loops: &[Inner<'_>], result: &mut Plan) {
        let SourceKind::Chunks { array, mutable: false, .. } = result.source.kind() else { return };
        let written = self.function.shares.iter().any(|share| share.name == *array && share.mutable);
        let item = result.f.pattern.single().filter(|item| !item.mutable);
        let (Some(item), false) = (item, written) else { return };
        // A macro that receives the layer's name may pass it to a value that the iteration drops at its end.
        let handed_on = result
            .f
            .body
            .nodes()
            .any(|e| matches!(e.kind, Kind::Macro(..) | Kind::Opaque(..)) && e.mentions(item.name));
        if handed_on {
            return;
        }
        // An integer sum may overflow in an iteration, and that iteration must then panic. Layers are only recorded,
        // and merge later.
        let floats = self.function.shares.iter().any(|share| share.name == *array && share.is_of_floats());
        let combine = self.function.args.combine.as_ref().map(ToString::to_string);
        let by = match &combine {
            Some(combine) => Fold::Function(combine),
            None if floats => Fold::Adding,
            None => return,
        };
        let layers = loops.iter().map(|inner| Some((inner.id, layer(inner.f, name, item.name, by)?.clone())));
        let Some(layers) = layers.collect::<Option<Vec<(Id, Expr)>>>() else { return };
        let Some(Accumulator { class: Class::Frame { layers: whole, .. }, rewrites, .. }) =
            result.accumulators.last_mut()
        else {
            return;
        };
        *whole = true;
        rewrites.extend(layers.into_iter().map(|(id, layer)| (id, Rewrite::Layer(layer))));
    }
}

/// A loop over the elements of an array.
struct Inner<'f> {
    id: Id,
    f: &'f Rc<For>,
    /// The name of an element in the loop.
    item: Local,
}

/// How the loop folds an element of a layer into an array.
#[derive(Clone, Copy)]
enum Fold<'c> {
    /// `*d = combine(*d, *s)`.
    Function(&'c str),
    /// `*d += *s`, or `*d += s`.
    Adding,
}

/// The layer, if a loop is exactly `for (d, s) in array.iter_mut().zip(layer) { *d = combine(*d, *s); }`.
fn layer<'f>(f: &'f For, array: Local, layer: Local, by: Fold<'_>) -> Option<&'f Expr> {
    let (items, [first, second]) = (Items::of(&f.source), f.pattern.parts()) else { return None };
    let Form::Zip(one, two) = &items.form else { return None };
    let (Form::Elements { of: frame, by: By::Mutable }, Form::Elements { of, .. }) = (&one.form, &two.form) else {
        return None;
    };
    let plain =
        |pattern: &'f Pattern| pattern.single().filter(|b| !b.mutable && !pattern.is_reference()).map(|b| b.name);
    let (d, s) = (plain(first)?, plain(second)?);
    let [Statement { kind: StatementKind::Expr(e, _), .. }] = f.body.statements.as_slice() else { return None };
    let Kind::Assign(target, op, value) = &e.kind else { return None };
    let is = |e: &Expr, name: Local| matches!(&e.kind, Kind::Unary('*', inner) if inner.name() == Some(name));
    let folds = match (by, op) {
        (Fold::Function(combine), None) => {
            let Kind::Call(called, arguments) = &value.bare().kind else { return None };
            let [earlier, later] = arguments.as_slice() else { return None };
            is(earlier, d) && is(later, s) && called.tokens.to_string() == combine
        }
        (Fold::Adding, Some(Op::Add)) => is(value, s) || value.name() == Some(s),
        _ => false,
    };
    (folds && is(target, d) && frame.name() == Some(array) && of.name() == Some(layer)).then_some(of)
}

/// The inner loops over the elements of an array.
fn loops_over<'f>(f: &'f For, array: Local) -> Vec<Inner<'f>> {
    let mut found = Vec::new();
    for e in f.body.nodes() {
        if let Kind::For(inner) = &e.kind
            && let Some(binding) = bound(&Items::of(&inner.source), &inner.pattern, array)
        {
            found.push(Inner { id: e.id, f: inner, item: binding.name });
        }
    }
    found
}

/// The name that a pattern gives to a mutable element of the array.
fn bound<'p>(items: &Items<'_>, pattern: &'p Pattern, array: Local) -> Option<&'p Binding> {
    match (&items.form, pattern.parts()) {
        (Form::Elements { of, by: By::Mutable }, []) if of.name() == Some(array) => {
            pattern.single().filter(|binding| !binding.mutable && !pattern.is_reference())
        }
        (Form::Zip(one, two), [first, second]) => bound(one, first, array).or_else(|| bound(two, second, array)),
        (Form::Enumerate(inner), [_, item]) => bound(inner, item, array),
        (Form::Rev(inner) | Form::StepBy(inner, _) | Form::Skip(inner, _) | Form::Take(inner, _), _) => {
            bound(inner, pattern, array)
        }
        _ => None,
    }
}

/// The assignments to an element, if a loop uses it in no other way.
fn only_assigned(f: &For, item: Local) -> Option<Vec<&Expr>> {
    let is_element = |e: &Expr| matches!(&e.kind, Kind::Unary('*', inner) if inner.name() == Some(item));
    let (mut assigns, mut names, mut elements, mut plain) = (Vec::new(), 0, 0, true);
    f.body.walk(&mut |e| {
        match &e.kind {
            Kind::Name(name) if *name == item => names += 1,
            Kind::Closure(..) | Kind::Opaque(..) => plain &= !e.mentions(item),
            Kind::Assign(target, ..) if is_element(target) => assigns.push(e),
            _ => elements += usize::from(is_element(e)),
        }
        plain
    });
    // An update reads the element once, by its compound operator or in its value.
    let reads = assigns.iter().filter(|e| matches!(e.kind, Kind::Assign(_, None, _))).count();
    (plain && !assigns.is_empty() && names == elements && elements == assigns.len() + reads).then_some(assigns)
}
