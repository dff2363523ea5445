//! Pictures of small volumes, against a renderer that knows no bricks, leaps nowhere and ends no ray early.

use forall::DistVec;
use forall_examples::camera::Camera;
use forall_examples::colours::{FIRE, VIRIDIS};
use forall_examples::grid::Grid;
use volume::picture::{Bricks, Prepared};
use volume::pixel::Rgba;
use volume::project::{Axis, Glow, composited, greatest};
use volume::ray::place;
use volume::scene::{DARK, Scene, Sight, direction, lit};
use volume::slope;
use volume::transfer::{Transfer, entry};

/// About where the values are.
const RANGE: [f32; 2] = [0.0, 1.1];

/// A volume, and how it is looked at.
struct Case {
    grid: Grid,
    values: Vec<f32>,
    sight: Sight,
    transfer: Transfer,
}

impl Case {
    /// Two blobs in a void of noise, with a hole in which values are missing.
    fn new(shape: [usize; 3], camera: &str, distance: f32, step: f32) -> Self {
        let value = |i: usize| {
            let [x, y, z] = [i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]];
            let at = [(x, 0), (y, 1), (z, 2)].map(|(i, axis)| i as f32 / (shape[axis] - 1) as f32);
            let blob = |middle: [f32; 3]| {
                let apart: f32 = (0..3).map(|k| (at[k] - middle[k]) * (at[k] - middle[k])).sum();
                (-40.0 * apart).exp()
            };
            let noise = (i * 7919 % 101) as f32 / 101.0;
            let is_missing = at.iter().all(|at| (0.55..0.75).contains(at));
            if is_missing { f32::NAN } else { blob([0.3, 0.4, 0.35]) + blob([0.7, 0.6, 0.65]) + 0.04 * noise }
        };
        Case {
            grid: Grid::even(shape, [-3.0, 5.0, 1.0], [0.5, -0.7, 1.0]),
            values: (0..shape.iter().product()).map(value).collect(),
            sight: Sight {
                size: [41, 33],
                camera: camera.parse::<Camera>().expect("a camera"),
                distance,
                step,
                dark: DARK,
                stretch: [1.0, 1.0, 0.8],
            },
            transfer: Transfer {
                colours: if step < 1.0 { FIRE } else { VIRIDIS },
                opacity: vec![(0.02, 0.0), (0.5, 0.9), (0.9, 0.2)],
                range: RANGE,
            },
        }
    }

    fn scene(&self) -> Scene {
        Scene::new(&self.grid, &self.sight)
    }

    /// The picture, on all ranks.
    fn picture(&self) -> Vec<Rgba> {
        self.drawn().composite()
    }

    fn drawn(&self) -> Prepared {
        let (scene, shape) = (self.scene(), self.grid.shape());
        let read = |part: [std::ops::Range<usize>; 3]| -> Result<Vec<f32>, ()> {
            let [x, y, z] = part;
            let rows = z.flat_map(|z| y.clone().map(move |y| (z * shape[1] + y) * shape[0]));
            Ok(rows.flat_map(|row| &self.values[row + x.start..row + x.end]).copied().collect())
        };
        let bricks = Bricks::read(shape, scene.eye, read).expect("nothing fails");
        let mut prepared = bricks.prepare(scene, &self.transfer, RANGE, self.sight.step);
        prepared.draw();
        prepared
    }

    /// The value at a point; missing beyond the volume.
    fn at(&self, [x, y, z]: [isize; 3]) -> f32 {
        let shape = self.grid.shape();
        let is_there = [x, y, z].iter().zip(shape).all(|(&i, count)| (0..count as isize).contains(&i));
        if is_there { self.values[(z as usize * shape[1] + y as usize) * shape[0] + x as usize] } else { f32::NAN }
    }

    /// The gradient at a point, its length, and the value.
    fn all_of(&self, scene: &Scene, p: [isize; 3]) -> [f32; 5] {
        let beside = |axis: usize, by: isize| {
            let mut beside = p;
            beside[axis] += by;
            self.at(beside)
        };
        let along = |axis| scene.cells[axis] * slope(beside(axis, -1), self.at(p), beside(axis, 1));
        let [x, y, z] = [along(0), along(1), along(2)];
        [x, y, z, (x * x + y * y + z * z).sqrt(), self.at(p)]
    }

    /// The colour of a pixel, sample by sample.
    fn ray(&self, scene: &Scene, x: usize, y: usize) -> Rgba {
        let (seen, shape) = (direction(scene, x, y), self.grid.shape());
        let table = self.transfer.table(RANGE, self.sight.step);
        let along = [0, 1, 2].map(|axis| seen[axis] * scene.step * scene.cells[axis]);
        let finest = scene.cells.iter().fold(0.0, |most: f32, cells| most.max(cells.abs()));
        let steep = 0.03 * (self.transfer.range[1] - self.transfer.range[0]) * finest;
        let (mut colour, mut through) = ([0.0; 3], 1.0);
        // More than there are in any of these volumes.
        for k in 1..1500 {
            let at = place(scene.eye, along, k);
            if (0..3).any(|axis| at[axis] < 0.0 || at[axis] >= (shape[axis] - 1) as f32) {
                continue;
            }
            let part = at.map(|at| at.fract());
            let mut corners: Vec<[f32; 5]> =
                (0..8).map(|c| self.all_of(scene, [0, 1, 2].map(|axis| at[axis] as isize + (c >> axis & 1)))).collect();
            for part in part {
                let mixed = |pair: &[[f32; 5]]| -> [f32; 5] {
                    std::array::from_fn(|k| pair[0][k] + part * (pair[1][k] - pair[0][k]))
                };
                corners = corners.chunks(2).map(mixed).collect();
            }
            let [gx, gy, gz, length, value] = corners[0];
            if value.is_nan() {
                continue;
            }
            let [r, g, b, opaque] = table.entries[entry(value, table.least, table.scale)];
            let (own, shine) = lit(scene, [gx, gy, gz, length], seen, steep);
            for (sum, part) in colour.iter_mut().zip([r, g, b]) {
                *sum += through * f64::from(part * own + shine * opaque);
            }
            through *= 1.0 - f64::from(opaque);
        }
        [colour[0] as f32, colour[1] as f32, colour[2] as f32, (1.0 - through) as f32]
    }

    fn plain(&self) -> Vec<Rgba> {
        let (scene, [width, height]) = (self.scene(), self.sight.size);
        (0..width * height).map(|i| self.ray(&scene, i % width, i / width)).collect()
    }
}

fn cases() -> Vec<Case> {
    // Fewer cells than ranks.
    let mut least = Case::new([2, 2, 3], "35,25", 4.0, 0.25);
    least.transfer.opacity = vec![(0.0, 0.3)];
    vec![
        Case::new([23, 19, 26], "35,25", 4.0, 0.5),
        Case::new([40, 9, 12], "-160,-60,1.3", 1.5, 1.0),
        // Along an axis, from within, and from the very middle.
        Case::new([12, 17, 14], "0,0", 2.0, 0.7),
        Case::new([23, 19, 26], "100,10", 0.4, 0.5),
        Case::new([16, 16, 16], "20,80", 0.0, 1.0),
        least,
    ]
}

/// How far two pictures are apart, at most.
fn apart(one: &[Rgba], other: &[Rgba]) -> f32 {
    assert_eq!(one.len(), other.len());
    one.as_flattened().iter().zip(other.as_flattened()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[forall::test]
fn pictures_are_those_of_the_plain_renderer() {
    for (number, case) in cases().iter().enumerate() {
        let found = case.picture();
        // Every rank has the picture: one looks at it.
        if forall::rank() > 0 {
            continue;
        }
        let expected = case.plain();
        let off = apart(&found, &expected);
        assert!(off <= 1e-5, "case {number} is off by {off}");
        let opaque = expected.iter().map(|pixel| pixel[3]).fold(0.0, f32::max);
        assert!(opaque > 0.1, "in case {number} nothing is to be seen: {opaque}");
    }
}

#[test]
fn ranks_and_threads_draw_one_picture() {
    for (number, case) in cases().iter().enumerate() {
        let on = |ranks, threads| forall::Runtime::builder().ranks(ranks).threads(threads).run(|| case.picture());
        let expected = on(1, 1).swap_remove(0);
        assert!(on(1, 2)[0] == expected, "case {number} on two threads");
        for (ranks, threads) in [(2, 1), (3, 2), (4, 1), (7, 1), (13, 1)] {
            for found in on(ranks, threads) {
                let off = apart(&found, &expected);
                assert!(off <= 1e-5, "case {number} on {ranks} ranks is off by {off}");
            }
        }
    }
}

#[test]
fn a_ray_ends_where_nothing_comes_through() {
    let mut case = Case::new([30, 30, 30], "35,25", 4.0, 0.5);
    case.transfer.opacity = vec![(0.0, 0.999)];
    let (found, expected) = (case.picture(), case.plain());
    assert!(apart(&found, &expected) <= 1e-5 && found.iter().any(|pixel| pixel[3] > 1.0 - DARK));
}

#[test]
fn what_is_missing_or_clear_is_not_drawn() {
    let mut case = Case::new([9, 9, 9], "35,25", 4.0, 0.5);
    case.transfer.opacity = vec![(0.0, 0.0)];
    assert!(case.picture().iter().all(|pixel| *pixel == [0.0; 4]));
    case.transfer.opacity = vec![(0.0, 1.0)];
    case.values.fill(f32::NAN);
    assert!(case.picture().iter().all(|pixel| *pixel == [0.0; 4]));
}

/// Front to back along an axis, in double precision.
fn projected(values: &[f32], shape: [usize; 3], axis: Axis, glow: Glow) -> Vec<([f64; 2], f32)> {
    let [nx, ny, nz] = shape;
    let value = |x: usize, y: usize, z: usize| values[(z * ny + y) * nx + x];
    let ways: Vec<Vec<f32>> = match axis {
        Axis::X => (0..ny * nz).map(|i| (0..nx).map(|x| value(x, i % ny, i / ny)).collect()).collect(),
        Axis::Y => (0..nx * nz).map(|i| (0..ny).map(|y| value(i % nx, y, i / nx)).collect()).collect(),
        Axis::Z => (0..nx * ny).map(|i| (0..nz).map(|z| value(i % nx, i / nx, z)).collect()).collect(),
    };
    let fold = |way: Vec<f32>| {
        let (mut colour, mut through) = (0.0, 1.0);
        for value in way.iter().filter(|value| !value.is_nan()) {
            let part = f64::from((value - glow.least) / (glow.most - glow.least)).clamp(0.0, 1.0);
            colour += through * glow.opacity * part * part;
            through *= 1.0 - glow.opacity * part;
        }
        ([colour, through], way.into_iter().fold(f32::NEG_INFINITY, f32::max))
    };
    ways.into_iter().map(fold).collect()
}

fn check_projections() {
    let Case { grid, values, .. } = Case::new([11, 7, 9], "0,0", 4.0, 1.0);
    let shape = grid.shape();
    let glow = Glow { least: 0.0, most: 1.1, opacity: 0.1 };
    let shares = DistVec::from_global(&values).in_planes(shape[0] * shape[1]);
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let expected = projected(&values, shape, axis, glow);
        for (found, (light, _)) in composited(&shares, shape, axis, glow).iter().zip(&expected) {
            assert!((found[0] - light[0]).abs() < 1e-7 && (found[1] - light[1]).abs() < 1e-7, "{found:?}, {light:?}");
        }
        let most: Vec<f32> = expected.into_iter().map(|(_, most)| most).collect();
        assert_eq!(greatest(&shares, shape, axis), most);
    }
}

#[forall::test]
fn projections_are_those_of_plain_loops() {
    check_projections();
}

#[test]
fn ranks_project_alike() {
    for ranks in [2, 3, 4, 7, 12] {
        forall::Runtime::builder().ranks(ranks).threads(1).run(check_projections);
    }
}

/// The layers that a graphics processor draws are those of the workers, but for the last bits of floats: a value may then have the
/// colour of the next entry of the table. Without any such processor the test is left out, with a line that says so;
/// `FORALL_REQUIRE_GPU=1` makes that a failure.
#[cfg(feature = "gpu")]
#[test]
fn a_graphics_processor_draws_the_same() {
    use forall::{Backend, Runtime, Settings};
    let from_env = Settings::from_env().expect("settings");
    let settings = Settings { backend: Backend::Gpu, gpu: from_env.gpu.clone(), ..Settings::default() };
    let probe = || Runtime::builder().settings(settings.clone()).run(forall::rank);
    if std::panic::catch_unwind(probe).is_err() {
        assert!(!from_env.require_gpu, "there is no graphics processor");
        eprintln!("SKIPPED: there is no graphics processor");
        return;
    }
    let case = cases().swap_remove(0);
    let expected = case.plain();
    // Each of these loops must run there.
    let runtime = Runtime::builder().settings(Settings { require_gpu: true, ..settings.clone() });
    for found in runtime.run(|| case.drawn().layers()) {
        let off = apart(&found, &expected);
        assert!(off <= 2e-3, "the layer is off by {off}");
    }
}
