//! A picture of flat cells, as isosurfaces are drawn.

use crate::contour::normals;
use crate::parts::triangles;
use forall::DistVec;
use forall_examples::camera::{Camera, View};
use forall_examples::cells::Cells;
use forall_examples::mesh::Mesh;
use isosurface::measure::bounds;
use isosurface::picture::{Material, Paint, render};

/// The picture of what the ranks have, each a part, or one of them all. Lines and points are not drawn. All ranks call it together; rank 0 gets
/// the picture.
pub fn draw(mesh: &Cells, camera: Option<Camera>) -> Option<Vec<[u8; 3]>> {
    let points = DistVec::from_local(mesh.points.clone());
    // Triangles number the points of all ranks.
    let before = points.offset() as u32;
    let triangles = triangles(mesh).into_iter().map(|corners| corners.map(|corner| before + corner));
    let triangles = DistVec::from_local(triangles.collect());
    let normals = normals(&triangles, &points);
    let normals = DistVec::from_local(normals.local().iter().map(|normal| normal.0).collect());
    let (mut low, mut high) = bounds(&points);
    if low[0] > high[0] {
        (low, high) = ([0.0; 3], [1.0; 3]);
    }
    let camera = camera.unwrap_or(Camera { azimuth: 35.0, elevation: 25.0, zoom: 1.0 });
    let view = View::new(low, high, [1.0; 3], camera);
    let paint = Paint { material: Material::Plain, lowest: low[2], highest: high[2] };
    render(&[(&Mesh { value: 0.0, points, normals, triangles }, paint)], view, camera.zoom)
}
