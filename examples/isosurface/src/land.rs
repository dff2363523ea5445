//! Land and sea floor around an ocean's isosurface, for the picture: the isosurface of where values are missing.

use crate::{ExtractError, Extractor};
use forall::DistVec;
use forall_examples::grid::Grid;
use forall_examples::mesh::Mesh;

/// Marks missing values by 1 and others by 0, in a volume that is wider by one point on each side and has one plane on
/// top. The lowest of its `planes` other planes is all floor.
#[forall::foreach]
pub fn mark(field: &[f32], nx: usize, ny: usize, planes: usize, marks: &mut [f32]) {
    for r in 0..(planes + 1) * (ny + 2) {
        let (y, z) = (r % (ny + 2), r / (ny + 2));
        let row = &mut marks[r * (nx + 2)..(r + 1) * (nx + 2)];
        row.fill(0.0);
        if z > 0 && y > 0 && y <= ny {
            let values = &field[((z - 1) * ny + y - 1) * nx..((z - 1) * ny + y) * nx];
            for x in 0..nx {
                row[x + 1] = if values[x].is_nan() || z == planes { 1.0 } else { 0.0 };
            }
        }
    }
}

/// The land and the sea floor down to `floor`, the height of the lowest place to be shown.
///
/// # Errors
/// When the mesh has more points than can be numbered.
pub fn extract(field: &DistVec<f32>, grid: &Grid, floor: f64) -> Result<Mesh, ExtractError> {
    let [nx, ny, nz] = grid.shape();
    let [x, y, z] = &grid.axes;
    let planes = (z.iter().position(|&z| z <= floor).unwrap_or(nz - 1) + 1).max(2).min(nz);
    let plane = (nx + 2) * (ny + 2);
    let mut marks = DistVec::from_fn_in_planes(plane * (planes + 1), plane, |_| 0.0);
    mark(field, nx, ny, planes, &mut marks);
    // The shore stands a little above the water.
    let top = z[0] + 0.04 * (z[0] - z[planes - 1]).abs();
    let z = std::iter::once(top).chain(z[..planes].iter().copied()).collect();
    let grid = Grid { axes: [widened(x), widened(y), z] };
    Extractor::new(&grid).extract(&marks, 0.5)
}

fn widened(axis: &[f64]) -> Vec<f64> {
    let (first, last) = (axis[0], axis[axis.len() - 1]);
    let step = if axis.len() > 1 { (last - first) / (axis.len() - 1) as f64 } else { 1.0 };
    std::iter::once(first - step).chain(axis.iter().copied()).chain(std::iter::once(last + step)).collect()
}
