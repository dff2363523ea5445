//! Arrays with a shape: the lengths of their axes, and the element of an index.

use crate::front::array::axis;
use crate::index::poly::{Poly, position};
use crate::index::scope::{Known, Meaning, Scope};
use crate::ir::names::shape_variable;
use crate::ir::{Expr, Kind, Local};
use quote::quote;

impl Scope<'_> {
    /// The array and the number of dimensions, if the expression is a parameter with a shape or a part of one.
    pub(super) fn dims(&self, e: &Expr) -> Option<(Local, usize)> {
        let name = e.name()?;
        let dims = match self.local(name) {
            Some(Meaning::Element { extents, .. }) if !extents.is_empty() => extents.len(),
            Some(_) => return None,
            None => (*self.outside.shares.get(&name)?)?,
        };
        Some((name, dims))
    }

    /// The array and the axis, if the expression is the length of an axis.
    pub(super) fn extent_in(&self, e: &Expr) -> Option<(String, usize)> {
        let number = |e: &Expr| match &e.bare().kind {
            Kind::Int(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        let asked = |e: &Expr, wanted: &str| match &e.bare().kind {
            Kind::Method(array, method, args, _) if method == wanted && args.is_empty() => self.dims(array),
            _ => None,
        };
        let (found, axis) = match &e.kind {
            Kind::Field(dim, axis) => (asked(dim, "dim")?, axis.parse().ok()?),
            Kind::Index(shape, axis) => (asked(shape, "shape")?, number(axis)?),
            Kind::Method(array, method, args, _) => match (method.as_str(), args.as_slice()) {
                ("nrows", []) => (asked(e, method)?, 0),
                ("ncols", []) => (asked(e, method)?, 1),
                ("dim", []) => (asked(e, method).filter(|(_, dims)| *dims == 1)?, 0),
                ("len_of", [along]) => {
                    let (array, dims) = self.dims(array)?;
                    ((array, dims), axis(along)?)
                }
                _ => return None,
            },
            _ => return None,
        };
        let (array, dims) = found;
        (axis < dims).then_some((array.to_string(), axis))
    }

    /// The length of an axis. For a parameter, it is the global length.
    pub(super) fn extent(&mut self, array: Local, axis: usize) -> Known {
        if let Some(Meaning::Element { extents, .. }) = self.local(array) {
            return extents.get(axis).cloned().unwrap_or_default();
        }
        self.held.shapes.insert(array);
        let shape = shape_variable(&array);
        let text = format!("{array}.shape()[{axis}]");
        let value = Some(self.variable(&quote!(#shape[#axis])));
        self.keep(Local::named(&text), &value);
        Known { value, poly: Some(Poly::symbol(Local::named(&text))), least: None }
    }

    /// The lengths of the axes of a part of an array along its first axis.
    pub fn extents_of_part(&mut self, array: Local) -> Vec<Known> {
        let dims = self.outside.shares.get(&array).copied().flatten().unwrap_or(1);
        (1..dims).map(|axis| self.extent(array, axis)).collect()
    }

    /// The number of elements of a part with these lengths.
    pub fn product(&mut self, extents: &[Known]) -> Known {
        let one = self.constant(1);
        extents.iter().fold(one, |length, extent| self.times(&length, extent))
    }

    /// The parts of an array along its first axis that an index or a range selects: their first index and their end.
    pub fn places_of_parts(&mut self, array: Local, index: &Expr) -> (Known, Known) {
        let extents = self.extents_of_part(array);
        let (length, one) = (self.product(&extents), self.constant(1));
        let (first, end) = match &index.bare().kind {
            Kind::Range(from, to, inclusive) => {
                let first = match from {
                    Some(from) => self.known(from),
                    None => self.constant(0),
                };
                let end = match to {
                    Some(to) => self.known(to),
                    None => self.extent(array, 0),
                };
                (first, if *inclusive { self.plus(&end, &one) } else { end })
            }
            _ => {
                let first = self.known(index);
                let end = self.plus(&first, &one);
                (first, end)
            }
        };
        (self.times(&first, &length), self.times(&end, &length))
    }

    /// The knowledge about the parts of a tuple.
    pub fn parts(&mut self, e: &Expr) -> Vec<Known> {
        match &e.bare().kind {
            Kind::Tuple(parts) => parts.iter().map(|part| self.known(part)).collect(),
            Kind::Method(array, method, args, _) if method == "dim" && args.is_empty() => {
                let found = self.dims(array);
                found.map_or_else(Vec::new, |(array, dims)| {
                    (0..dims).map(|axis| self.extent(Local::named(&array), axis)).collect()
                })
            }
            _ => Vec::new(),
        }
    }

    /// The element of an array at an index: its index in row-major order, if the array has a shape.
    pub fn place(&mut self, array: Local, index: &Expr) -> Known {
        let (Kind::Array(indices) | Kind::Tuple(indices)) = &index.bare().kind else { return self.known(index) };
        if self.is_local(array) || self.outside.shares.get(&array) != Some(&Some(indices.len())) {
            return self.known(index);
        }
        let mut place = self.known(&indices[0]);
        for (axis, index) in indices.iter().enumerate().skip(1) {
            let (extent, index) = (self.extent(array, axis), self.known(index));
            let along = self.along(&index, &extent);
            let rows = self.times(&place, &extent);
            place = self.plus(&rows, &along);
        }
        // These are the indices of the current item of `a.indexed_iter()`: the index moves by one between iterations.
        if place.poly == Some(Poly::symbol(position())) {
            let position = Known { value: Some(self.position()), ..Known::default() };
            place.value = self.combine_by("formed_like", None, &place, &position);
        }
        place
    }

    /// An index along an inner axis. A checked access stays inside of the axis for any index.
    pub(super) fn along(&mut self, index: &Known, extent: &Known) -> Known {
        let value = self.combine_by("within", None, index, extent).or_else(|| {
            let extent = extent.value.clone()?;
            let ident = &extent.ident;
            Some(self.value(quote!(__fp::Index::anywhere(#ident)), vec![extent.clone()]))
        });
        self.next += 1;
        let unknown = || Poly::symbol(Local::named(&format!("#along{}", self.next)));
        Known { value, poly: Some(index.poly.clone().unwrap_or_else(unknown)), least: None }
    }

    /// The indices of the iteration's position in an array, as `a.indexed_iter()` yields them.
    pub fn indices(&mut self, array: Local, position: &Known) -> Vec<Known> {
        let dims = self.outside.shares.get(&array).copied().flatten().unwrap_or(1);
        let mut left = position.clone();
        let mut indices = Vec::new();
        for axis in (1..dims).rev() {
            let extent = self.extent(array, axis);
            let value = self.combine("modulo", &left, &extent);
            self.next += 1;
            let rows = Known {
                value: self.combine("over", &left, &extent),
                poly: Some(Poly::symbol(Local::named(&format!("#rows{}", self.next)))),
                least: None,
            };
            // The remainder, written so that the index simplifies to `rows * extent + index`.
            let whole = self.times(&rows, &extent);
            indices.push(Known { value, poly: self.minus(&left, &whole).poly, least: None });
            left = rows;
        }
        indices.push(left);
        indices.reverse();
        indices
    }
}
