//! The surfaces that a GPU extracts are those of the plain loops.
//!
//! Without any graphics processor these tests are left out, with a line that says so; `FORALL_REQUIRE_GPU=1` makes that a
//! failure.
#![cfg(feature = "gpu")]

mod sequential;

use forall::{Backend, DistVec, Runtime, Settings};
use forall_examples::camera::View;
use forall_examples::grid::Grid;
use forall_examples::read::Source;
use isosurface::measure::{area_and_volume, bounds, heights, range};
use isosurface::picture::{Material, Paint, draw};
use isosurface::{Extractor, land, tangle};
use std::num::NonZeroUsize;
use std::panic::catch_unwind;

/// Runs a program on so many ranks, on the graphics processor, where each of its loops must run; `None` where there is no
/// such processor.
fn on_gpu<R: Send>(ranks: usize, program: impl Fn() -> R + Sync) -> Option<Vec<R>> {
    let from_env = Settings::from_env().expect("settings");
    // Nodes of as many threads are one, which makes each shader once: the shares of a machine's cores differ with the ranks.
    let threads = NonZeroUsize::new(1);
    let settings = Settings { backend: Backend::Gpu, gpu: from_env.gpu.clone(), threads, ..Settings::default() };
    if catch_unwind(|| Runtime::builder().settings(settings.clone()).run(forall::rank)).is_err() {
        assert!(!from_env.require_gpu, "there is no graphics processor");
        eprintln!("SKIPPED: there is no graphics processor");
        return None;
    }
    Some(Runtime::builder().settings(Settings { require_gpu: true, ..settings }).ranks(ranks).run(program))
}

/// The tangle on a grid of this size, and a part of the ocean, with the values on their surfaces.
fn fields() -> Vec<(Vec<f32>, Grid, f32)> {
    let n = 67;
    let grid = tangle::grid(n);
    let mut values = vec![0.0; n * n * n];
    tangle::fill::sequential(n, &tangle::quartic(&grid.axes[0]), &mut values);
    let source = Source::sample(None).expect("the sample is readable");
    let ocean = source.planes(0..20, &mut |_| ()).expect("the sample is complete");
    vec![(values, grid, 0.2), (ocean, source.grid, 10.0)]
}

/// The greatest difference of two coordinates.
fn apart(a: &[[f32; 3]], b: &[[f32; 3]]) -> f32 {
    let pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn ranks_extract_the_mesh_of_the_plain_loops() {
    for (field, grid, iso) in fields() {
        let (expected, active) = sequential::extract(&field, &grid, iso);
        assert!(expected.triangles.len() > 10_000);
        let [nx, ny, _] = grid.shape();
        for ranks in [1, 2, 3] {
            let program = || {
                let field = DistVec::from_global(&field).in_planes(nx * ny);
                let mut extractor = Extractor::new(&grid);
                let mesh = extractor.extract(&field, iso).expect("few points");
                (mesh.to_part(), mesh.to_root(), extractor.active_cells())
            };
            for (rank, (_, whole, cells)) in on_gpu(ranks, program).into_iter().flatten().enumerate() {
                assert_eq!(cells, active, "{ranks} ranks");
                let Some(whole) = whole else { continue };
                assert_eq!(rank, 0);
                assert!(whole.triangles == expected.triangles, "{ranks} ranks give other triangles");
                assert_eq!(whole.points.len(), expected.points.len());
                // Divisions and roots of graphics processors may be off by some units in the last place.
                let span = grid.axes.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs())) as f32;
                let (points, normals) =
                    (apart(&whole.points, &expected.points), apart(&whole.normals, &expected.normals));
                eprintln!("{ranks} ranks: points are off by {points}, normals by {normals}");
                assert!(points <= 1e-6 * span && normals <= 1e-4, "points are off by {points}, normals by {normals}");
            }
        }
    }
}

#[test]
fn rows_of_any_length_are_extracted() {
    // One word or several, full or not, and some missing values.
    for shape in [[2, 2, 2], [63, 5, 4], [64, 4, 5], [65, 7, 3], [130, 3, 6], [9, 1, 1]] {
        let [nx, ny, nz]: [usize; 3] = shape;
        let value = |i: usize| if i % 29 == 3 { f32::NAN } else { (i * 7919 % 101) as f32 / 101.0 };
        let field: Vec<f32> = (0..nx * ny * nz).map(value).collect();
        let grid = Grid::even(shape, [0.0; 3], [1.0, 1.0, -1.0]);
        let (expected, active) = sequential::extract(&field, &grid, 0.5);
        let program = || {
            let field = DistVec::from_global(&field).in_planes(nx * ny);
            let mut extractor = Extractor::new(&grid);
            let mesh = extractor.extract(&field, 0.5).expect("few points").to_root().expect("one rank");
            (mesh, extractor.active_cells())
        };
        for (mesh, cells) in on_gpu(1, program).into_iter().flatten() {
            assert_eq!((mesh.points.len(), cells), (expected.points.len(), active), "{shape:?}");
            assert!(mesh.triangles == expected.triangles, "{shape:?}");
            assert!(apart(&mesh.points, &expected.points) <= 1e-5, "{shape:?}");
        }
    }
}

#[test]
fn measures_are_those_of_the_plain_loops() {
    let (field, grid, iso) = fields().swap_remove(1);
    let (part, _) = sequential::extract(&field, &grid, iso);
    let (low, high) = bounds::sequential(&part.points);
    let amid = [0, 1, 2].map(|axis| f64::from(low[axis] + high[axis]) / 2.0);
    let (area, volume) = area_and_volume::sequential(&part.triangles, &part.points, amid);
    let (sum, squares) = heights::sequential(&part.points);
    let program = || {
        let (points, triangles) = (DistVec::from_global(&part.points), DistVec::from_global(&part.triangles));
        (
            bounds(&points),
            area_and_volume(&triangles, &points, amid),
            heights(&points),
            range(&DistVec::from_global(&field)),
        )
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} is not {b}");
    let all = [1, 2, 3].into_iter().filter_map(|ranks| on_gpu(ranks, program)).flatten();
    for (box_, (found_area, found_volume), (found_sum, found_squares), of_range) in all {
        assert_eq!(box_, (low, high));
        assert_eq!(of_range, range::sequential(&field));
        // Sums are in another order.
        close(found_area, area);
        close(found_volume, volume);
        close(found_sum, sum);
        close(found_squares, squares);
    }
}

#[test]
fn land_is_extracted() {
    let (field, grid, _) = fields().swap_remove(1);
    let floor = grid.axes[2][5];
    let extract = || land::extract(&DistVec::from_global(&field), &grid, floor).expect("few points").to_part();
    let [expected] = &Runtime::builder().backend("serial").run(extract)[..] else { panic!("one rank") };
    for found in on_gpu(1, extract).into_iter().flatten() {
        assert!(found.triangles == expected.triangles);
        assert!(apart(&found.points, &expected.points) <= 1e-4);
    }
}

#[test]
fn ranks_draw_what_the_plain_loop_draws() {
    let (field, grid, iso) = fields().swap_remove(0);
    let (part, _) = sequential::extract(&field, &grid, iso);
    let (low, high) = bounds::sequential(&part.points);
    let view = View::new(low, high, [1.0; 3], "30,40".parse().expect("angles"));
    let paint = Paint { material: Material::Plain, lowest: low[2], highest: high[2] };
    let expected = draw::sequential(&part.triangles, &part.points, &part.normals, view, paint);
    let program = || {
        let [points, normals] = [&part.points, &part.normals].map(|all| DistVec::from_global(all));
        draw(&DistVec::from_global(&part.triangles), &points, &normals, view, paint)
    };
    for found in [1, 2, 3].into_iter().filter_map(|ranks| on_gpu(ranks, program)).flatten() {
        let differ = found.iter().zip(&expected).filter(|(found, expected)| found != expected).count();
        eprintln!("{differ} of {} fragments differ", expected.len());
        // As the mesh does, by some units in the last place.
        assert!(differ < expected.len() / 1000, "{differ} fragments differ");
    }
}
