//! The cycle of a dependence: how a value travels in an iteration, from the read to the write that a later iteration reads.

use crate::analysis::walk::Event;
use crate::flow::{Definition, DefinitionForm, Definitions, Relation};
use crate::ir::report::Location;
use crate::ir::{Expr, For, Kind, Local};

/// The end of a message: the variables and elements between the read and the write, each with the line that sets it. Empty if the value does not get there.
pub fn cycle(f: &For, read: &Event, write: &Event) -> String {
    match way(f, read, write) {
        None => String::new(),
        Some(way) if way.is_empty() => "; that write is computed from this read".to_owned(),
        Some(way) => format!("; the value goes from this read{way}, into that write"),
    }
}

fn way(f: &For, read: &Event, write: &Event) -> Option<String> {
    let definitions = Definitions::of(&f.body);
    let all: Vec<&Definition<'_>> = definitions.iter().filter(|of| of.form != DefinitionForm::Changed).collect();
    let reads = |number: usize, is: &dyn Fn(&Expr) -> bool| all[number].values[0].nodes().any(is);
    // The variable or element that brings a value from a definition to the next one.
    let between = |number: usize, next: usize| {
        let Definition { place, variables, .. } = all[number];
        match place {
            Some(place) if matches!(place.bare().kind, Kind::Index(..)) => {
                reads(next, &|e| e.is_written_as(place)).then(|| place.shown())
            }
            Some(place) if place.name().is_none() => None,
            _ => variables.iter().find(|name| reads(next, &|e| e.name() == Some(**name))).map(Local::to_string),
        }
    };
    let mut follows = Relation::new();
    for next in 0..all.len() {
        if reads(next, &|e| e.id == read.id) {
            follows.follows(None, Some(next));
        }
        for number in (0..all.len()).filter(|number| between(*number, next).is_some()) {
            follows.follows(Some(number), Some(next));
        }
    }
    let writes = |of: &Definition<'_>| of.place.is_some_and(|place| place.nodes().any(|e| e.id == write.id));
    let way = follows.way(None, |number| number.is_some_and(|number| writes(all[number])))?;
    let way: Vec<usize> = way.into_iter().flatten().collect();
    let named = way.windows(2).filter_map(|pair| Some((pair[0], between(pair[0], pair[1])?)));
    let line = |number: usize| Location::from(all[number].values[0]).line();
    Some(named.map(|(number, name)| format!(", by `{name}` (line {})", line(number))).collect())
}
