//! Counts, areas and volumes against figures that VTK and NumPy gave, and the shape of meshes.

mod sequential;

use forall::DistVec;
use forall_examples::grid::Grid;
use forall_examples::mesh::{Mesh, Part};
use forall_examples::read::Source;
use isosurface::measure::{area_and_volume, range};
use isosurface::{Extractor, tangle};
use std::collections::HashMap;

/// The surface, the same on all ranks.
struct Found {
    mesh: Part,
    active_cells: u64,
    area: f64,
    volume: f64,
}

/// Extracts a surface from a field that every rank has.
fn extract(field: &[f32], grid: &Grid, iso: f32) -> Found {
    let [nx, ny, _] = grid.shape();
    let field = DistVec::from_global(field).in_planes(nx * ny);
    let mut extractor = Extractor::new(grid);
    let mesh = extractor.extract(&field, iso).expect("the mesh is small");
    let (area, volume) = area_and_volume(&mesh.triangles, &mesh.points, [0.0; 3]);
    Found { mesh: whole(&mesh), active_cells: extractor.active_cells(), area, volume }
}

/// The whole mesh, on all ranks.
fn whole(mesh: &Mesh) -> Part {
    let (points, normals, triangles) = (mesh.points.to_all(), mesh.normals.to_all(), mesh.triangles.to_all());
    Part { value: mesh.value, points, normals, triangles }
}

fn tangle(n: usize) -> (Vec<f32>, Grid) {
    let grid = tangle::grid(n);
    let mut field = vec![0.0; n * n * n];
    tangle::fill::sequential(n, &tangle::quartic(&grid.axes[0]), &mut field);
    (field, grid)
}

/// The triangles' sides, with the corner opposite. Every side is drawn at most once in each direction.
fn sides(mesh: &Part) -> HashMap<(u32, u32), u32> {
    let mut sides = HashMap::new();
    for &[a, b, c] in &mesh.triangles {
        for (p, q, apex) in [(a, b, c), (b, c, a), (c, a, b)] {
            assert!(p != q, "a triangle has three corners");
            assert!(sides.insert((p, q), apex).is_none(), "side {p} to {q} is drawn twice");
        }
    }
    sides
}

/// Every side is drawn once in each direction, and the triangles around a point form one fan. Every rank has the mesh: one looks at it.
fn assert_closed_manifold(mesh: &Part) {
    if forall::rank() > 0 {
        return;
    }
    let sides = sides(mesh);
    assert!(sides.keys().all(|&(p, q)| sides.contains_key(&(q, p))), "the surface has a rim");
    let mut fan = vec![0; mesh.points.len()];
    let mut first = vec![None; mesh.points.len()];
    for &(p, q) in sides.keys() {
        fan[p as usize] += 1;
        first[p as usize] = Some(q);
    }
    for (p, first) in first.into_iter().enumerate() {
        let first = first.expect("every point belongs to a triangle");
        let (mut at, mut walked) = (first, 0);
        while walked == 0 || at != first {
            at = sides[&(p as u32, at)];
            walked += 1;
        }
        assert_eq!(walked, fan[p], "the triangles around point {p} form one fan");
    }
}

/// Normals have length one and stand on the front of the triangles.
fn assert_front(mesh: &Part) {
    for &[a, b, c] in &mesh.triangles {
        let [p, q, r] = [a, b, c].map(|corner| mesh.points[corner as usize]);
        let (u, v) = ([0, 1, 2].map(|k| q[k] - p[k]), [0, 1, 2].map(|k| r[k] - p[k]));
        let front = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        for corner in [a, b, c] {
            let normal = mesh.normals[corner as usize];
            assert!((normal.iter().map(|n| n * n).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!((0..3).map(|k| normal[k] * front[k]).sum::<f32>() >= 0.0, "{normal:?} and {front:?}");
        }
    }
}

fn close(found: f64, expected: f64, part: f64) {
    assert!((found - expected).abs() <= part * expected, "{found} is not {expected}");
}

#[forall::test]
fn the_tangle_has_the_counts_area_and_volume_of_vtk() {
    for (iso, n, points, triangles, area, volume) in [
        (0.2, 32, 2_784, 5_536, 67.055241, 16.830496),
        (0.2, 64, 11_664, 23_296, 68.407047, 17.492166),
        (0.5, 33, 4_368, 8_752, 99.807671, 28.915383),
        (0.5, 128, 68_592, 137_200, 100.868279, 29.878264),
    ] {
        let (field, grid) = tangle(n);
        let Found { mesh, area: a, volume: v, .. } = extract(&field, &grid, iso);
        assert_eq!((mesh.points.len(), mesh.triangles.len()), (points, triangles));
        close(a, area, 1e-5);
        // Lower values are inside, so the front is there, and the volume negative.
        close(-v, volume, 1e-5);
        assert_closed_manifold(&mesh);
        assert_front(&mesh);
    }
}

#[forall::test]
fn the_ocean_has_the_counts_of_vtk() {
    let source = Source::sample(None).expect("the sample is readable");
    let field = source.planes(0..20, &mut |_| ()).expect("the sample is complete");
    let (least, most, valid) = range::sequential(&field);
    assert_eq!((least, most, valid), (-2.02, 29.74, 718_725));
    for (iso, active_cells, points, triangles) in
        [(10.005, 29_862, 31_130, 59_718), (15.005, 26_695, 27_949, 53_394), (20.005, 21_461, 22_475, 42_930)]
    {
        let Found { mesh, active_cells: active, .. } = extract(&field, &source.grid, iso);
        assert_eq!((active, mesh.points.len(), mesh.triangles.len()), (active_cells, points, triangles));
        // Cells that meet in an edge, with missing ones on both sides, may leave a point with two fans; sides are as
        // ever.
        sides(&mesh);
    }
}

/// Numbers without a pattern.
fn noise(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[forall::test]
fn noise_in_a_frame_is_closed_and_manifold() {
    // More than one word a row, and every case of the table.
    let shape = [131, 19, 17];
    let mut field = noise(shape.iter().product(), 1);
    for (i, value) in field.iter_mut().enumerate() {
        let at = [i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]];
        if (0..3).any(|k| at[k] == 0 || at[k] + 1 == shape[k]) {
            *value = 0.0;
        }
    }
    let grid = Grid::even(shape, [0.0; 3], [1.0; 3]);
    let Found { mesh, .. } = extract(&field, &grid, 0.5);
    assert!(mesh.triangles.len() > 50_000);
    assert_closed_manifold(&mesh);
}

/// The surface by definition, cell by cell and edge by edge, without any cleverness.
fn counts_by_definition(field: &[f32], shape: [usize; 3], iso: f32) -> (u64, usize) {
    let [nx, ny, nz] = shape;
    let index = |x: usize, y: usize, z: usize| (z * ny + y) * nx + x;
    let mut active = 0;
    let mut edges = std::collections::HashSet::new();
    for z in 0..nz - 1 {
        for y in 0..ny - 1 {
            for x in 0..nx - 1 {
                let corner = |c: usize| index(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                if (0..8).any(|c| field[corner(c)].is_nan()) {
                    continue;
                }
                let above = |c: usize| field[corner(c)] > iso;
                active += u64::from((1..8).any(|c| above(c) != above(0)));
                for (a, b) in (0..8).flat_map(|a| [(a, a | 1), (a, a | 2), (a, a | 4)]) {
                    if above(a) != above(b) {
                        edges.insert((corner(a), corner(b)));
                    }
                }
            }
        }
    }
    (active, edges.len())
}

#[forall::test]
fn missing_values_leave_rims_and_no_stray_points() {
    for shape in [[70, 9, 8], [64, 5, 4], [65, 4, 5], [2, 2, 2], [128, 3, 3]] {
        let mut field = noise(shape.iter().product(), 7);
        let gaps = noise(field.len(), 8);
        for (value, gap) in field.iter_mut().zip(gaps) {
            if gap < 0.06 {
                *value = f32::NAN;
            }
        }
        let Found { mesh, active_cells: active, .. } = extract(&field, &Grid::even(shape, [0.0; 3], [1.0; 3]), 0.5);
        assert_eq!((active, mesh.points.len()), counts_by_definition(&field, shape, 0.5));
        assert!(mesh.points.as_flattened().iter().all(|c| c.is_finite()));
        assert!(mesh.normals.as_flattened().iter().all(|c| c.is_finite()));
        let mut used = vec![false; mesh.points.len()];
        mesh.triangles.as_flattened().iter().for_each(|&p| used[p as usize] = true);
        assert!(used.iter().all(|&used| used));
    }
}

#[forall::test]
fn uneven_and_falling_axes_place_points_and_turn_normals() {
    // A ball in coordinates that are uneven along x, and fall along y, or y and z.
    let xs: Vec<f64> = (0..40).map(|i| f64::from(i) / 20.0 - 1.0).map(|t| 1.3 * t * t * t + 0.3 * t).collect();
    let rising: Vec<f64> = (0..41).map(|i| f64::from(i) / 20.0 - 1.0).collect();
    let falling: Vec<f64> = rising.iter().rev().copied().collect();
    for axes in [
        [xs.clone(), rising.clone(), rising.clone()],
        [xs.clone(), falling.clone(), rising.clone()],
        [xs.clone(), falling.clone(), falling.clone()],
    ] {
        let mut field = Vec::new();
        for z in &axes[2] {
            for y in &axes[1] {
                field.extend(axes[0].iter().map(|x| -(x * x + y * y + z * z).sqrt() as f32));
            }
        }
        let Found { mesh, area, volume, .. } = extract(&field, &Grid { axes }, -0.75);
        assert_closed_manifold(&mesh);
        assert_front(&mesh);
        let ball = std::f64::consts::PI * 0.75 * 0.75;
        close(area, 4.0 * ball, 0.01);
        close(volume, ball, 0.01);
        for (point, normal) in mesh.points.iter().zip(&mesh.normals) {
            let outwards: f32 = point.iter().zip(normal).map(|(p, n)| p / 0.75 * n).sum();
            assert!(outwards > 0.99, "the normal {normal:?} at {point:?}");
        }
    }
}

#[forall::test]
fn empty_and_flat_volumes_have_no_surface() {
    for shape in [[1, 1, 1], [5, 1, 3], [3, 3, 3]] {
        let points = shape.iter().product();
        let grid = Grid::even(shape, [0.0; 3], [1.0; 3]);
        for value in [0.5, 1.0, f32::NAN, f32::INFINITY] {
            let Found { mesh, active_cells: active, .. } = extract(&vec![value; points], &grid, 0.5);
            assert_eq!((mesh.points.len(), mesh.triangles.len(), active), (0, 0, 0));
        }
    }
}

#[forall::test]
fn an_extractor_can_be_used_again() {
    let (field, grid) = tangle(40);
    let mut extractor = Extractor::new(&grid);
    let field = DistVec::from_global(&field).in_planes(40 * 40);
    let mut extract = |iso| whole(&extractor.extract(&field, iso).expect("small"));
    let first = extract(0.2);
    assert_ne!(first, extract(3.0));
    assert_eq!(first, extract(0.2));
}

#[test]
fn ranks_and_threads_give_the_mesh_of_the_plain_loops() {
    let (tangle, tangle_grid) = tangle(48);
    let source = Source::sample(None).expect("the sample is readable");
    let ocean = source.planes(0..20, &mut |_| ()).expect("the sample is complete");
    for (field, grid, iso) in [(tangle, tangle_grid, 0.2), (ocean, source.grid.clone(), 10.0)] {
        let (expected, _) = sequential::extract(&field, &grid, iso);
        assert!(expected.triangles.len() > 10_000);
        for (ranks, threads) in [(1, 1), (1, 2), (1, 5), (2, 1), (3, 2), (4, 1), (7, 1)] {
            let runtime = forall::Runtime::builder().ranks(ranks).threads(threads);
            for found in runtime.run(|| extract(&field, &grid, iso).mesh) {
                assert!(found == expected, "{ranks} ranks with {threads} threads give another mesh");
            }
        }
    }
}
