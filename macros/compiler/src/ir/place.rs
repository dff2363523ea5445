//! Places in memory as data.

use super::text::shown;
use super::{Expr, Kind, Local};
use proc_macro2::TokenStream;
use std::fmt;

/// A variable, or a part of one. Two expressions are the same place exactly if their `Place`s are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub root: Local,
    /// The path from the variable to the part, as it is written: a smart pointer and its target may each have a field
    /// `x`.
    pub projections: Vec<Projection>,
}

/// A step from a place to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Projection {
    Field(String),
    /// The element with this number.
    Element(i64),
    /// The element at the index that this code computes. Each variable has a name of its own, so equal code is the same
    /// index wherever its variables have the same values.
    ElementAt(String),
    /// The value behind a reference.
    Deref,
}

impl Projection {
    fn of_index(index: &Expr) -> Projection {
        match &index.bare().kind {
            Kind::Int(number) => Projection::Element(*number),
            _ => Projection::ElementAt(index.text()),
        }
    }
}

impl From<Local> for Place {
    fn from(root: Local) -> Place {
        Place { root, projections: Vec::new() }
    }
}

impl Place {
    fn with(mut self, projection: Projection) -> Place {
        self.projections.push(projection);
        self
    }

    /// The part at the end of a path of fields.
    #[must_use]
    pub fn part(&self, path: &[String]) -> Place {
        path.iter().fold(self.clone(), |place, field| place.with(Projection::Field(field.clone())))
    }

    /// The place as code.
    pub fn tokens(&self) -> TokenStream {
        self.to_string().parse().unwrap_or_default()
    }

    /// The variable, if the place is the whole variable.
    pub fn variable(&self) -> Option<Local> {
        self.projections.is_empty().then_some(self.root)
    }

    /// Whether the part does not depend on a variable.
    pub fn is_fixed(&self) -> bool {
        self.projections.iter().all(|step| !matches!(step, Projection::ElementAt(_)))
    }

    /// Whether two places are disjoint, as two fields of a variable are.
    pub fn is_apart_from(&self, other: &Place) -> bool {
        let different = |(one, two): (&Projection, &Projection)| match (one, two) {
            (Projection::Field(one), Projection::Field(two)) => one != two,
            (Projection::Element(one), Projection::Element(two)) => one != two,
            _ => false,
        };
        self.root != other.root
            || self
                .projections
                .iter()
                .zip(&other.projections)
                .take_while(|(one, two)| one == two || different((one, two)))
                .any(different)
    }
}

impl PartialEq<Local> for Place {
    fn eq(&self, other: &Local) -> bool {
        self.variable() == Some(*other)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.root.to_string();
        for (number, step) in self.projections.iter().enumerate() {
            text = match step {
                Projection::Field(name) => format!("{text}.{name}"),
                Projection::Element(number) => format!("{text}[{number}]"),
                Projection::ElementAt(index) => format!("{text}[{}]", shown(index)),
                Projection::Deref if number + 1 == self.projections.len() => format!("*{text}"),
                Projection::Deref => format!("(*{text})"),
            };
        }
        to.write_str(&text)
    }
}

impl Expr {
    /// The place that this expression denotes.
    pub fn place(&self) -> Option<Place> {
        let e = self.bare();
        match &e.kind {
            Kind::Name(name) => Some(Place::from(*name)),
            Kind::Field(base, field) => Some(base.place()?.with(Projection::Field(field.clone()))),
            Kind::Index(base, index) => Some(base.place()?.with(Projection::of_index(index))),
            Kind::Unary('*', base) => Some(base.place()?.with(Projection::Deref)),
            _ => None,
        }
    }

    /// Whether this expression is the place.
    pub fn is(&self, place: &Place) -> bool {
        self.root() == Some(place.root) && self.place().as_ref() == Some(place)
    }

    /// Whether two expressions have the same text. They have the same value wherever their variables have the same
    /// values.
    pub fn is_written_as(&self, other: &Expr) -> bool {
        self.text() == other.text()
    }

    /// Whether a place occurs in it.
    pub fn mentions_place(&self, place: &Place) -> bool {
        self.nodes().any(|e| e.is(place))
    }
}

#[cfg(test)]
mod tests {
    use crate::front::lower::Lower;
    use syn::parse_quote;

    #[test]
    fn places_are_the_same_however_they_are_spaced() {
        let place = |e: syn::Expr| Lower::default().expr(&e).place();
        assert_eq!(place(parse_quote!((s.x)[0])), place(parse_quote!(s.x[(0)])));
        // The pointer's own field, and that of its target.
        assert_ne!(place(parse_quote!((*s).x)), place(parse_quote!(s.x)));
        assert_ne!(place(parse_quote!(*s)), place(parse_quote!(s)));
        assert_eq!(place(parse_quote!(f(x).y)), None);
        let text = |e: syn::Expr| place(e).unwrap().to_string();
        assert_eq!(text(parse_quote!(*s.x)), "*s.x");
        assert_eq!(text(parse_quote!((*s).x[i + 1].0)), "(*s).x[i + 1].0");
    }

    #[test]
    fn parts_are_apart() {
        let apart = |one: syn::Expr, two: syn::Expr| {
            let place = |e| Lower::default().expr(e).place().unwrap();
            place(&one).is_apart_from(&place(&two))
        };
        assert!(apart(parse_quote!(s.x), parse_quote!(s.y.z)));
        assert!(apart(parse_quote!(s.x[1]), parse_quote!(s.x[2])));
        assert!(!apart(parse_quote!(s.x[i]), parse_quote!(s.x[2])));
        assert!(!apart(parse_quote!(s.x), parse_quote!(s)));
        assert!(!apart(parse_quote!(s[i].x), parse_quote!(s[j].y)));
        assert!(!apart(parse_quote!(s.x), parse_quote!((*s).y)));
    }
}
