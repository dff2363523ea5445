//! Where the points of a volume lie: three axes, evenly spaced or not, rising or falling.

/// The coordinates of an evenly spaced axis.
pub fn even(origin: f64, spacing: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| origin + spacing * i as f64).collect()
}

/// Whether the coordinates rise or fall throughout, and are finite.
pub fn is_monotonic(coordinates: &[f64]) -> bool {
    let finite = coordinates.iter().all(|c| (*c as f32).is_finite());
    let rises = coordinates.windows(2).all(|pair| (pair[0] as f32) < pair[1] as f32);
    let falls = coordinates.windows(2).all(|pair| pair[0] as f32 > pair[1] as f32);
    finite && (rises || falls)
}

/// The axes of a volume.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The coordinates along x, y and z.
    pub axes: [Vec<f64>; 3],
}

impl Grid {
    /// An evenly spaced grid.
    pub fn even(shape: [usize; 3], origin: [f64; 3], spacing: [f64; 3]) -> Self {
        Grid { axes: std::array::from_fn(|axis| even(origin[axis], spacing[axis], shape[axis])) }
    }

    /// The number of points along x, y and z.
    pub fn shape(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.axes[axis].len())
    }

    /// From one point to the next along each axis, if all are as far apart there, but for a ten-thousandth. Where there is one point it is 1.
    pub fn spacing(&self) -> Option<[f64; 3]> {
        let along = |axis: &Vec<f64>| {
            let steps = axis.len() - 1;
            let step = if steps == 0 { 1.0 } else { (axis[steps] - axis[0]) / steps as f64 };
            let is_even =
                axis.iter().enumerate().all(|(i, at)| (at - axis[0] - step * i as f64).abs() <= 1e-4 * step.abs());
            is_even.then_some(step)
        };
        let [x, y, z] = &self.axes;
        Some([along(x)?, along(y)?, along(z)?])
    }

    /// Whether the axes form a left-handed frame: an odd number of them falls.
    pub fn is_mirrored(&self) -> bool {
        let falls = |axis: &Vec<f64>| axis.len() > 1 && axis[0] > axis[1];
        self.axes.iter().filter(|axis| falls(axis)).count() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falling_axes_mirror() {
        let grid = Grid::even([3, 3, 3], [0.0; 3], [1.0, 1.0, -1.0]);
        assert!(grid.is_mirrored());
        assert!(is_monotonic(&grid.axes[2]));
        assert!(!is_monotonic(&[0.0, 1.0, 1.0]));
    }
}
