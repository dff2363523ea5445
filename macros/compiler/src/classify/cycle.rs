//! The cycle of a dependence: how a value travels in an iteration, from the read to the write that a later iteration reads.

use crate::analysis::walk::Event;
use crate::ir::names::each_binding;
use crate::ir::report::Location;
use crate::ir::{Expr, For, Id, Kind, Local};
use std::collections::VecDeque;

/// A statement that sets variables or an element to a value.
struct Definition<'e> {
    variables: Vec<Local>,
    /// The element that an assignment sets.
    target: Option<&'e Expr>,
    value: &'e Expr,
}

/// Where a value is at.
#[derive(Clone, Copy)]
enum At<'e> {
    Read(Id),
    Variable(Local),
    Element(&'e Expr),
}

impl At<'_> {
    /// Whether an expression has the value.
    fn is(&self, e: &Expr) -> bool {
        match self {
            At::Read(id) => e.id == *id,
            At::Variable(name) => e.name() == Some(*name),
            At::Element(element) => e.is_written_as(element),
        }
    }
}

/// The end of a message: the variables and elements between the read and the write, each with the line that sets it. Empty if the value does not get there.
pub fn cycle(f: &For, read: &Event, write: &Event) -> String {
    match way(f, read, write) {
        None => String::new(),
        Some(way) if way.is_empty() => "; that write is computed from this read".to_owned(),
        Some(way) => format!("; the value goes from this read{way}, into that write"),
    }
}

fn way(f: &For, read: &Event, write: &Event) -> Option<String> {
    let mut all = Vec::new();
    each_binding(&f.body, &mut |pattern, value| {
        all.push(Definition { variables: pattern.variables().collect(), target: None, value });
    });
    all.extend(f.body.nodes().filter_map(|e| match &e.kind {
        Kind::Assign(target, _, value) => {
            Some(Definition { variables: target.name().into_iter().collect(), target: Some(target), value })
        }
        _ => None,
    }));
    let mut queue = VecDeque::from([(At::Read(read.id), String::new())]);
    let mut seen = Vec::new();
    while let Some((at, text)) = queue.pop_front() {
        for definition in &all {
            if !definition.value.nodes().any(|e| at.is(e)) {
                continue;
            }
            if definition.target.is_some_and(|target| target.nodes().any(|e| e.id == write.id)) {
                return Some(text);
            }
            let element = definition.target.filter(|target| matches!(target.bare().kind, Kind::Index(..)));
            let variables = definition.variables.iter().map(|name| (At::Variable(*name), name.to_string()));
            for (next, name) in variables.chain(element.map(|element| (At::Element(element), element.shown()))) {
                if !seen.contains(&name) {
                    let line = Location::from(definition.value).line();
                    queue.push_back((next, format!("{text}, by `{name}` (line {line})")));
                    seen.push(name);
                }
            }
        }
    }
    None
}
