//! The program that is left when the attributes are deleted.

use forall_examples::grid::Grid;
use forall_examples::mesh::Part;
use isosurface::station::stations;
use isosurface::{
    Edges, WORD, classify, count_active, crossings, join_triangles, place_points, start_rows, whole_cells,
};

/// The steps of an extraction, each by its sequential twin; and how many cells the surface meets.
pub fn extract(field: &[f32], grid: &Grid, iso: f32) -> (Part, u64) {
    let [nx, ny, nz] = grid.shape();
    let [xs, ys, zs] = [0, 1, 2].map(|axis| stations(&grid.axes[axis]));
    let (rows, words) = (ny * nz, nx.div_ceil(WORD));
    let (mut inside, mut valid, mut whole) = (vec![0; rows * words], vec![0; rows * words], vec![0; rows * words]);
    let mut edges = vec![Edges::default(); rows * words];
    let (mut counts, mut starts) = (vec![[0; 3]; rows], vec![[0; 3]; rows]);
    classify::sequential(field, nx, rows, iso, &mut inside, &mut valid);
    whole_cells::sequential(&valid, words, ny, nz, &mut whole);
    crossings::sequential(&inside, &whole, words, ny, nz, &mut edges, &mut counts);
    let total = start_rows::sequential(&counts, &mut starts);
    let mut part = Part { value: iso, ..Part::default() };
    let (points, normals, triangles) = (&mut part.points, &mut part.normals, &mut part.triangles);
    place_points::sequential(field, &edges, &counts, iso, &xs, &ys, &zs, points, normals);
    let mirrored = grid.is_mirrored();
    join_triangles::sequential(&inside, &whole, &edges, &counts, &starts, words, ny, nz, mirrored, triangles);
    assert_eq!(total, part.points.len() as u64);
    (part, count_active::sequential(&inside, &whole, words, ny, nz))
}
