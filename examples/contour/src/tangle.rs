//! The tangle field on a cube of cells, to measure with: a closed form with handles and, at low isovalues, eight components.

use forall_examples::cells::{Cells, Field, kind};
use isosurface::tangle::{grid, quartic};

/// Points and values of `(x^4 - 5x^2 + y^4 - 5y^2 + z^4 - 5z^2 + 11.8) * 0.2 + 0.5` over `[-3, 3]`, `size` points a side; between them voxels, or
/// five tetrahedra for each, which alternate so that neighbours share their faces.
pub fn mesh(size: usize, tetrahedra: bool) -> Cells {
    let axis = &grid(size).axes[0];
    let quartic = quartic(axis);
    let all = |side: usize| (0..side.pow(3)).map(move |k| [k % side, k / side % side, k / side / side]);
    let points = all(size).map(|place| place.map(|k| axis[k] as f32)).collect();
    let values: Vec<f32> =
        all(size).map(|[x, y, z]| (quartic[x] + quartic[y] + quartic[z] + 11.8) * 0.2 + 0.5).collect();
    let fields = vec![Field { name: "tangle".into(), components: 1, values: values.clone() }];
    let mut mesh = Cells { name: "tangle".into(), points, values, fields, ..Cells::new() };
    for [x, y, z] in all(size.saturating_sub(1)) {
        let at = |c: usize| ((x + (c & 1)) + size * ((y + (c >> 1 & 1)) + size * (z + (c >> 2)))) as u32;
        if tetrahedra {
            let turned = (x + y + z) % 2;
            for corners in [[0, 3, 5, 6], [0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 4, 6], [3, 5, 6, 7]] {
                mesh.push(kind::TETRAHEDRON, &corners.map(|c: usize| at(c ^ turned)));
            }
        } else {
            mesh.push(kind::VOXEL, &[0, 1, 2, 3, 4, 5, 6, 7].map(at));
        }
    }
    mesh
}
