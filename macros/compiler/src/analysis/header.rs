//! The accesses in the header of the annotated loop, and its bindings for the body.

use crate::front::array::keeps_its_shape;
use crate::front::header::{Source, SourceKind};
use crate::index::poly::{Poly, position};
use crate::index::{Known, Meaning, Scope};
use crate::ir::names::bounds_variables;
use crate::ir::{Local, Pattern, Statement};
use quote::quote;

/// An array that the header itself accesses.
#[derive(Debug)]
pub struct HeaderAccess {
    pub array: Local,
    pub mutable: bool,
    /// The first element, and the one after the last.
    pub first: Known,
    pub end: Known,
    pub element: bool,
}

/// The item of an iteration, for the analysis.
enum Item {
    Integer(Known),
    Element {
        array: Local,
        extents: Vec<Known>,
    },
    Index(Vec<Known>),
    /// A separate value about which nothing is known.
    Block,
    /// A tile, its bounds and its number.
    Tile(Known),
    Pair(Box<Item>, Box<Item>),
}

impl Source {
    /// Binds the pattern's names for the analysis of the body, and returns the accesses of the header itself.
    pub fn bind(&self, pattern: &Pattern, body: &[Statement], scope: &mut Scope<'_>) -> Vec<HeaderAccess> {
        let mut accesses = Vec::new();
        let position = Known { value: Some(scope.position()), poly: Some(Poly::symbol(position())), least: None };
        let item = self.describe(&position, scope, &mut accesses);
        bind_item(pattern, item, body, scope);
        accesses
    }

    fn length_known(&self, scope: &mut Scope<'_>) -> Known {
        let len = self.len();
        let (value, symbol) = (Some(scope.variable(len)), format!("#{len}"));
        scope.keep(Local::named(&symbol), &value);
        Known { value, poly: Some(Poly::symbol(Local::named(&symbol))), least: None }
    }

    fn describe(&self, position: &Known, scope: &mut Scope<'_>, to: &mut Vec<HeaderAccess>) -> Item {
        let one = Known {
            value: Some(scope.computed(quote!(__fp::Index::constant(1)), Vec::new(), quote!(1))),
            poly: Some(Poly::constant(1)),
            least: None,
        };
        match self.kind() {
            SourceKind::Range { range, from, .. } => {
                let mut start = scope.known(from);
                // The range holds the start, with its type.
                start.value = Some(scope.value(quote!(__forall::Counted::start(&#range)), Vec::new()));
                scope.keep(Local::named(&format!("#{range}")), &start.value);
                start.poly = start.poly.or_else(|| Some(Poly::symbol(Local::named(&format!("#{range}")))));
                let item = scope.plus(&start, position);
                Item::Integer(scope.computed_from(item, position, |position| Source::counted_at(range, from, position)))
            }
            SourceKind::Elements { array, mutable, .. } => {
                let end = scope.plus(position, &one);
                to.push(HeaderAccess { array: *array, mutable: *mutable, first: position.clone(), end, element: true });
                Item::Element { array: *array, extents: Vec::new() }
            }
            SourceKind::Blocks { array, mutable } => {
                let (array, end) = (*array, scope.plus(position, &one));
                to.push(HeaderAccess { array, mutable: *mutable, first: position.clone(), end, element: true });
                Item::Block
            }
            SourceKind::Tiles { .. } => Item::Tile(position.clone()),
            SourceKind::Chunks { array, mutable, shorter, length, held } => {
                let mut length = scope.known(length);
                length.value = Some(scope.variable(held));
                let first = scope.times(position, &length);
                let end = scope.plus(&first, &length);
                to.push(HeaderAccess { array: *array, mutable: *mutable, first, end, element: false });
                if *shorter {
                    let zero = scope.zero();
                    length = scope.either(&zero, &length);
                }
                Item::Element { array: *array, extents: vec![length] }
            }
            SourceKind::Parts { array, mutable } => {
                let extents = scope.extents_of_part(*array);
                let length = scope.product(&extents);
                let first = scope.times(position, &length);
                let end = scope.plus(&first, &length);
                to.push(HeaderAccess { array: *array, mutable: *mutable, first, end, element: false });
                Item::Element { array: *array, extents }
            }
            SourceKind::Windows { array, length, .. } => {
                let length = scope.known(length);
                let end = scope.plus(position, &length);
                to.push(HeaderAccess { array: *array, mutable: false, first: position.clone(), end, element: false });
                Item::Element { array: *array, extents: vec![length] }
            }
            SourceKind::Zip(a, b) => {
                let a = a.describe(position, scope, to);
                Item::Pair(Box::new(a), Box::new(b.describe(position, scope, to)))
            }
            SourceKind::Indexed(array, inner) => {
                let (index, inner) =
                    (scope.indices(Local::named(array), position), inner.describe(position, scope, to));
                Item::Pair(Box::new(Item::Index(index)), Box::new(inner))
            }
            SourceKind::Enumerate(inner) => {
                let inner = inner.describe(position, scope, to);
                Item::Pair(Box::new(Item::Integer(position.clone())), Box::new(inner))
            }
            SourceKind::Rev(inner) => {
                let len = inner.length_known(scope);
                let last = scope.minus(&len, &one);
                let turned = scope.minus(&last, position);
                inner.describe(&turned, scope, to)
            }
            SourceKind::StepBy(inner, _, held, step) => {
                let mut step = scope.known(step);
                step.value = Some(scope.variable(held));
                scope.keep(Local::named(&format!("#{held}")), &step.value);
                step.poly = step.poly.or_else(|| Some(Poly::symbol(Local::named(&format!("#{held}")))));
                let scaled = scope.times(position, &step);
                inner.describe(&scaled, scope, to)
            }
            SourceKind::Skip(inner, _, held, count) => {
                let mut count = scope.known(count);
                count.value = Some(scope.variable(held));
                let shifted = scope.plus(position, &count);
                inner.describe(&shifted, scope, to)
            }
            SourceKind::Take(inner, ..) => inner.describe(position, scope, to),
        }
    }
}

fn bind_item(pattern: &Pattern, item: Item, body: &[Statement], scope: &mut Scope<'_>) {
    match item {
        Item::Pair(a, b) if pattern.parts().len() == 2 => {
            bind_item(&pattern.parts()[0], *a, body, scope);
            bind_item(&pattern.parts()[1], *b, body, scope);
        }
        Item::Tile(number) => bind_tile(pattern, number, scope),
        Item::Index(mut index) if index.len() == 1 => bind_item(pattern, Item::Integer(index.remove(0)), body, scope),
        Item::Index(index) if pattern.parts().len() == index.len() => {
            for (part, known) in pattern.parts().iter().zip(index) {
                bind_item(part, Item::Integer(known), body, scope);
            }
        }
        Item::Integer(known) => match pattern.single().filter(|binding| !binding.mutable) {
            Some(binding) => scope.bind(binding.name, Meaning::Integer(known)),
            None => scope.bind_unknown(pattern),
        },
        Item::Element { array, extents } if !pattern.is_reference() => {
            match pattern.single().filter(|b| !b.mutable || keeps_its_shape(b.name, body)) {
                Some(binding) => scope.bind(binding.name, Meaning::Element { array, extents }),
                None => scope.bind_unknown(pattern),
            }
        }
        _ => scope.bind_unknown(pattern),
    }
}

/// Binds the bounds of a tile and its number.
fn bind_tile(pattern: &Pattern, number: Known, scope: &mut Scope<'_>) {
    scope.bind_unknown(pattern);
    let [_, bounds, of_tile] = pattern.parts() else { return };
    if let Some(binding) = of_tile.single() {
        scope.bind(binding.name, Meaning::Integer(number));
    }
    for (axis, bounds) in bounds.parts().iter().enumerate() {
        for (bound, variable) in bounds.parts().iter().zip(bounds_variables(axis)) {
            let Some(binding) = bound.single() else { continue };
            let (value, symbol) = (Some(scope.variable(&variable)), Local::named(&format!("#{}", binding.name)));
            scope.keep(symbol, &value);
            let poly = Some(Poly::symbol(symbol));
            scope.bind(binding.name, Meaning::Integer(Known { value, poly, least: None }));
        }
    }
}
