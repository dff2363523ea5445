//! Copies of arrays, made only where the array may change while the copy is read.
//!
//! `for v in a` goes over `a` as it was before the loop, and its body may change `a`. Whether it does is seen once the body
//! is a tree: until then the copy is there, and where nothing changes it gives way to the array itself.

use crate::wgsl::elaborate::locals::{ArrayCopy, Locals};
use crate::wgsl::tree::{Array, Base, Component, Node, NodeKind, Statement, Var, View};

/// The variable or the array that a place is a part of.
#[derive(Debug, PartialEq, Eq)]
enum Root {
    Variable(Var),
    State(usize, Component),
    Array(Array),
}

/// The root of a place, and the projections: fields by their names, and nothing for an element.
fn way(place: &Node) -> Option<(Root, Vec<Option<String>>)> {
    let (inner, step) = match &place.kind {
        NodeKind::Variable(variable) => return Some((Root::Variable(*variable), Vec::new())),
        NodeKind::State(number, part) => return Some((Root::State(*number, *part), Vec::new())),
        NodeKind::Load(array, _) => return Some((Root::Array(*array), Vec::new())),
        NodeKind::Element(base, _) => (base, None),
        NodeKind::Member(base, number) => (base, Some(number.to_string())),
        NodeKind::Field(base, name) => (base, Some(name.clone())),
        _ => return None,
    };
    let (root, mut steps) = way(inner)?;
    steps.push(step);
    Some((root, steps))
}

/// Whether a change of one place may be seen in another.
fn meet(a: &Node, b: &Node) -> bool {
    let (Some((a, to_a)), Some((b, to_b))) = (way(a), way(b)) else { return true };
    let apart = |(a, b): (&Option<String>, &Option<String>)| a.is_some() && b.is_some() && a != b;
    a == b && !to_a.iter().zip(&to_b).any(apart)
}

fn changes(node: &mut Node, place: &Node) -> bool {
    if let NodeKind::Assign(changed, ..) | NodeKind::Change(_, _, changed, _) = &node.kind
        && meet(changed, place)
    {
        return true;
    }
    let mut found = false;
    node.below(&mut |node| found = found || changes(node, place));
    found
}

fn put_back(node: &mut Node, copied: &ArrayCopy) {
    match node.kind {
        NodeKind::Variable(variable) if variable == copied.variable => node.kind = copied.place.kind.clone(),
        _ => node.below(&mut |node| put_back(node, copied)),
    }
}

impl Locals {
    /// The elements of an array as it is now.
    pub fn copied(&mut self, view: View, to: &mut Vec<Statement>) -> View {
        let Base::Local(place, length) = view.base.clone() else { return view };
        let copy = self.hold("copy", (*place).clone(), to);
        if let NodeKind::Variable(variable) = copy.kind
            && !matches!(place.kind, NodeKind::Variable(v) if v == variable)
        {
            self.copies.push(ArrayCopy { variable, place: *place });
        }
        View { base: Base::Local(copy.boxed(), length), ..view }
    }

    /// Leaves out the copies made since there were so many, where these statements do not change what they are copies of.
    pub fn leave_out_copies(&mut self, made: usize, statements: &mut Vec<Statement>) {
        for copied in self.copies.split_off(made) {
            let mut changed = false;
            for statement in statements.iter_mut() {
                statement.below(&mut |node| changed = changed || changes(node, &copied.place));
            }
            if changed {
                continue;
            }
            statements.retain(|statement| !matches!(statement, Statement::Let(v, _) if *v == copied.variable));
            for statement in statements.iter_mut() {
                statement.below(&mut |node| put_back(node, &copied));
            }
        }
    }
}
