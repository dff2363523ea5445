//! Derivatives along an axis that is evenly spaced or not, rising or falling.

use bytemuck::{Pod, Zeroable};

/// One place on an axis, with what a derivative there needs.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Station {
    /// The coordinate.
    pub at: f32,
    /// One over the (signed) distance from the station before; zero for the first.
    before: f32,
    /// One over the (signed) distance to the station after; zero for the last.
    after: f32,
    /// The share of the difference after in the derivative: half on an even axis.
    blend: f32,
}

/// The derivative from the values here and next to here, to second order, also where the spacing changes; one-sided at the
/// ends of the axis, where the caller repeats `here`. NaN beside a missing value.
#[forall::device]
#[inline(always)]
pub fn slope(station: &Station, before: f32, here: f32, after: f32) -> f32 {
    let (fall, rise) = ((here - before) * station.before, (after - here) * station.after);
    fall + station.blend * (rise - fall)
}

/// The same beside missing values: one-sided next to one, zero between two.
#[forall::device]
#[cold]
pub fn slope_beside_missing(station: &Station, before: f32, here: f32, after: f32) -> f32 {
    let (fall, rise) = ((here - before) * station.before, (after - here) * station.after);
    let slope = fall + station.blend * (rise - fall);
    if !slope.is_nan() {
        slope
    } else if !fall.is_nan() && station.before != 0.0 {
        fall
    } else if !rise.is_nan() && station.after != 0.0 {
        rise
    } else {
        0.0
    }
}

/// The stations of an axis, given its coordinates, which rise or fall throughout.
pub fn stations(coordinates: &[f64]) -> Vec<Station> {
    let inverse = |a: f64, b: f64| (1.0 / (b - a)) as f32;
    let count = coordinates.len();
    let station = |i: usize| {
        let at = coordinates[i];
        let (before, after) = ((i > 0).then(|| coordinates[i - 1]), (i + 1 < count).then(|| coordinates[i + 1]));
        let blend = match (before, after) {
            (Some(before), Some(after)) => (at - before) / (after - before),
            (None, Some(_)) => 1.0,
            _ => 0.0,
        };
        Station {
            at: at as f32,
            before: before.map_or(0.0, |before| inverse(before, at)),
            after: after.map_or(0.0, |after| inverse(at, after)),
            blend: blend as f32,
        }
    };
    (0..count).map(station).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_a_parabola_are_exact_on_uneven_axes() {
        let coordinates = [0.0, 1.0, 3.0, 3.5, 10.0];
        let stations = stations(&coordinates);
        let f = |i: usize| (coordinates[i] * coordinates[i]) as f32;
        for i in 1..4 {
            let slope = slope(&stations[i], f(i - 1), f(i), f(i + 1));
            assert!((slope - 2.0 * coordinates[i] as f32).abs() < 1e-4, "{slope} at {i}");
        }
        assert_eq!(slope(&stations[0], f(0), f(0), f(1)), 1.0);
        assert_eq!(slope_beside_missing(&stations[1], f32::NAN, f(1), f(2)), 4.0);
        assert_eq!(slope_beside_missing(&stations[1], f(0), f(1), f32::NAN), 1.0);
        assert_eq!(slope_beside_missing(&stations[1], f32::NAN, f(1), f32::NAN), 0.0);
        assert_eq!(slope_beside_missing(&stations[0], f(0), f(0), f32::NAN), 0.0);
    }
}
