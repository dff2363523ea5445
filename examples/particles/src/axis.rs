//! An axis of space or of time: where its points are, and in which cell a coordinate lies.

use std::fmt;

/// The points along an axis, and the cells between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The least and the greatest coordinate.
    bounds: [f64; 2],
    cells: u32,
    /// Cells for each unit, if all cells are equally long.
    per_unit: Option<f64>,
    /// The points of an axis with unequal cells. They rise.
    points: Vec<f64>,
    is_periodic: bool,
}

/// Why points are no axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisError {
    /// There are fewer than two.
    Few,
    /// There are more than 2^32.
    Many,
    /// They do not rise throughout, or are not finite.
    Falls,
    /// They are unevenly spaced, and the axis is periodic: nobody knows how long its last cell is.
    Uneven,
}

impl fmt::Display for AxisError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            AxisError::Few => "has fewer than two points; give the field at least two along each axis",
            AxisError::Many => "has more than 2^32 cells; use a part of the field",
            AxisError::Falls => "neither rises nor falls throughout; repair its coordinates",
            AxisError::Uneven => "is unevenly spaced, so it cannot be periodic; use --domain bounded",
        })
    }
}

impl Axis {
    /// An axis through points that rise. A periodic one has one more cell, from the last point to the first one.
    ///
    /// # Errors
    /// If there are fewer than two points, they do not rise, or those of a periodic axis are unevenly spaced.
    pub fn new(points: &[f64], is_periodic: bool) -> Result<Axis, AxisError> {
        let [first, .., last] = *points else { return Err(AxisError::Few) };
        if points.iter().any(|point| !point.is_finite()) || points.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(AxisError::Falls);
        }
        let length = (last - first) / (points.len() - 1) as f64;
        let is_even =
            points.iter().enumerate().all(|(i, point)| (point - first - length * i as f64).abs() <= 1e-4 * length);
        let (cells, high) = match (is_periodic, is_even) {
            (true, false) => return Err(AxisError::Uneven),
            (true, true) => (points.len(), first + length * points.len() as f64),
            (false, _) => (points.len() - 1, last),
        };
        let cells = u32::try_from(cells).map_err(|_| AxisError::Many)?;
        let per_unit = is_even.then_some(f64::from(cells) / (high - first));
        let points = if is_even { Vec::new() } else { points.to_vec() };
        Ok(Axis { bounds: [first, high], cells, per_unit, points, is_periodic })
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells as usize
    }

    /// Whether the last cell ends where the first one begins.
    pub fn is_periodic(&self) -> bool {
        self.is_periodic
    }

    /// The least and the greatest coordinate.
    pub fn bounds(&self) -> [f64; 2] {
        self.bounds
    }

    /// The same place between the bounds, if the axis is periodic.
    #[inline(always)]
    pub fn wrapped(&self, at: f64) -> f64 {
        let [low, high] = self.bounds;
        if !self.is_periodic || (low <= at && at < high) {
            return at;
        }
        low + (at - low).rem_euclid(high - low)
    }

    /// The cell of a coordinate, and how far it lies in the cell, from 0 to 1. `None` outside of the bounds, and for a NaN. A point belongs to the
    /// cell behind it, and the last point to the last cell.
    #[inline(always)]
    pub fn locate(&self, at: f64) -> Option<(usize, f64)> {
        let [low, high] = self.bounds;
        if !(low <= at && at <= high) {
            return None;
        }
        let Some(per_unit) = self.per_unit else { return Some(self.locate_by_search(at)) };
        let cells = (at - low) * per_unit;
        // Conversions of 32 bits take one instruction each.
        let cell = (cells as u32).min(self.cells - 1);
        Some((cell as usize, cells - f64::from(cell)))
    }

    #[inline(never)]
    fn locate_by_search(&self, at: f64) -> (usize, f64) {
        let cell = self.points.partition_point(|point| *point <= at).clamp(1, self.cells()) - 1;
        (cell, (at - self.points[cell]) / (self.points[cell + 1] - self.points[cell]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_lie_in_cells() {
        let axis = Axis::new(&[1.0, 1.5, 2.0, 2.5], false).unwrap();
        assert_eq!(axis.locate(1.0), Some((0, 0.0)));
        assert_eq!(axis.locate(2.0), Some((2, 0.0)));
        assert_eq!(axis.locate(2.5), Some((2, 1.0)));
        for outside in [0.999, 2.501, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(axis.locate(axis.wrapped(outside)), None);
        }
        let uneven = Axis::new(&[0.0, 1.0, 4.0], false).unwrap();
        assert_eq!(
            [0.0, 1.0, 2.5, 4.0].map(|at| uneven.locate(at)),
            [(0, 0.0), (1, 0.0), (1, 0.5), (1, 1.0)].map(Some)
        );
    }

    #[test]
    fn periodic_coordinates_come_back() {
        let axis = Axis::new(&[0.0, 0.25, 0.5, 0.75], true).unwrap();
        assert_eq!((axis.cells(), axis.bounds()), (4, [0.0, 1.0]));
        assert_eq!([1.0, -0.25, 3.5].map(|at| axis.wrapped(at)), [0.0, 0.75, 0.5]);
        // A rounded place is on the upper bound, which lies in the last cell.
        assert_eq!(axis.locate(axis.wrapped(-1e-20)), Some((3, 1.0)));
        assert_eq!(axis.locate(axis.wrapped(f64::INFINITY)), None);
    }

    #[test]
    fn points_that_are_no_axis() {
        assert_eq!(Axis::new(&[1.0], false), Err(AxisError::Few));
        assert_eq!(Axis::new(&[1.0, 1.0], false), Err(AxisError::Falls));
        assert_eq!(Axis::new(&[1.0, f64::NAN], false), Err(AxisError::Falls));
        assert_eq!(Axis::new(&[1.0, 2.0, 4.0], true), Err(AxisError::Uneven));
    }
}
