//! The tangle field: a closed form with handles and, at low isovalues, eight components. The usual measure of
//! contouring.

use forall_examples::grid::Grid;

/// The grid of the field: `n` points a side over `[-3, 3]`.
pub fn grid(n: usize) -> Grid {
    // The last coordinate is exactly 3, as in the reference.
    let step = 6.0 / (n.max(2) - 1) as f64;
    let axis: Vec<f64> = (0..n).map(|i| if i + 1 == n { 3.0 } else { -3.0 + step * i as f64 }).collect();
    Grid { axes: [axis.clone(), axis.clone(), axis] }
}

/// `x^4 - 5 x^2` along one axis, in single precision.
pub fn quartic(axis: &[f64]) -> Vec<f32> {
    let value = |&x: &f64| {
        let x = x as f32;
        let (square, fourth) = (x * x, f64::from(x).powi(4) as f32);
        fourth - 5.0 * square
    };
    axis.iter().map(value).collect()
}

/// Fills `field` with `(x^4 - 5x^2 + y^4 - 5y^2 + z^4 - 5z^2 + 11.8) * 0.2 + 0.5`, given the [`quartic`] of the axes.
#[forall::foreach]
pub fn fill(n: usize, #[replicated] q: &[f32], field: &mut [f32]) {
    for r in 0..n * n {
        let (y, z) = (q[r % n], q[r / n]);
        let row = &mut field[r * n..(r + 1) * n];
        for x in 0..n {
            row[x] = (q[x] + y + z + 11.8) * 0.2 + 0.5;
        }
    }
}
