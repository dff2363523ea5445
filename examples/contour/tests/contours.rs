//! Contours of meshes whose kinds of cells meet: closed, the same with the tree, on threads and ranks.

use contour::cases::Cases;
use contour::tree::Ranges;
use contour::{Triangle, active_cells, area, check, triangles_of_all, welded};
use forall::DistVec;
use forall_examples::cells::Cells;
use std::collections::HashMap;

/// Corners along each side.
const SIDE: usize = 9;

struct Mesh(Cells);

impl Mesh {
    fn add(&mut self, kind: u8, corners: &[u32]) {
        self.0.corners.extend_from_slice(corners);
        self.0.first.push(self.0.corners.len() as u32);
        self.0.kinds.push(kind);
    }

    /// Six pyramids for one voxel.
    fn add_pyramids(&mut self, voxel: [u32; 8]) {
        const FACES: [[usize; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let (low, high) = (self.0.points[voxel[0] as usize], self.0.points[voxel[7] as usize]);
        let top = self.0.points.len() as u32;
        self.0.points.push([0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis])));
        for [a, b, c, d] in FACES.map(|face| face.map(|corner| voxel[corner])) {
            self.add(14, &[a, b, c, d, top]);
        }
    }
}

/// A cube of cells: hexahedra and voxels, some of them as six pyramids, and columns of wedges; or five tetrahedra in each.
fn mesh(tetrahedra: bool) -> Cells {
    let mut mesh = Mesh(Cells { first: vec![0], ..Cells::default() });
    let all = |side: usize| (0..side.pow(3)).map(move |k| [k % side, k / side % side, k / side / side]);
    mesh.0.points.extend(all(SIDE).map(|place| place.map(|k| k as f32 / (SIDE - 1) as f32)));
    for [x, y, z] in all(SIDE - 1) {
        let at = |c: usize| ((x + (c & 1)) + SIDE * ((y + (c >> 1 & 1)) + SIDE * (z + (c >> 2)))) as u32;
        if tetrahedra {
            let turned = (x + y + z) % 2;
            for corners in [[0, 3, 5, 6], [0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 4, 6], [3, 5, 6, 7]] {
                mesh.add(10, &corners.map(|c: usize| at(c ^ turned)));
            }
            continue;
        }
        let voxel = [0, 1, 2, 3, 4, 5, 6, 7].map(at);
        let [a, b, d, c, e, f, h, g] = voxel;
        match (x * 5 + y * 3) % 7 {
            0 | 1 => mesh.add(11, &voxel),
            2 | 3 => {
                mesh.add(13, &[a, b, c, e, f, g]);
                mesh.add(13, &[a, c, d, e, g, h]);
            }
            4 if z % 2 == 0 => mesh.add_pyramids(voxel),
            _ => mesh.add(12, &[a, b, c, d, e, f, g, h]),
        }
    }
    let distance = |p: &[f32; 3]| p.map(|x| (x - 0.5) * (x - 0.5)).iter().sum::<f32>().sqrt();
    mesh.0.values = mesh.0.points.iter().map(distance).collect();
    mesh.0
}

fn contour(mesh: &Cells, iso: f32, leaf: Option<usize>) -> DistVec<Triangle> {
    let (cases, mut triangles) = (Cases::new(), DistVec::from_local(Vec::new()));
    match leaf {
        Some(leaf) => Ranges::new(mesh, leaf).triangles(mesh, &cases, iso, &mut triangles),
        None => triangles_of_all(mesh, &cases, iso, &mut triangles),
    }
    triangles
}

/// The points and triangles of a sphere, the same with the tree.
fn sphere(mesh: &Cells) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let iso = 0.37;
    let triangles = contour(mesh, iso, None);
    for leaf in [1, 32, 10_000] {
        assert_eq!(contour(mesh, iso, Some(leaf)).to_all(), triangles.to_all());
    }
    let surface = welded(mesh, iso, &triangles);
    let points = surface.points.to_all();
    let (expected, found) = (4.0 * std::f64::consts::PI * f64::from(iso * iso), area(&surface.triangles, &points));
    assert!((found / expected - 1.0).abs() < 0.05, "{found} and {expected}");
    assert!(active_cells(mesh, iso) > 100);
    (points, surface.triangles.to_all())
}

#[test]
fn a_sphere_is_closed_whatever_cells_it_crosses() {
    for tetrahedra in [false, true] {
        let mesh = mesh(tetrahedra);
        assert_eq!(check(&mesh, &Cases::new()), Ok(()));
        let run = |ranks, threads| {
            forall::Runtime::builder().ranks(ranks).threads(threads).run(|| {
                let (points, triangles) = sphere(&mesh);
                let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
                for [a, b, c] in &triangles {
                    for (from, to) in [(a, b), (b, c), (c, a)] {
                        *sides.entry([*from.min(to), *from.max(to)]).or_default() += 1;
                    }
                }
                assert!(sides.values().all(|count| *count == 2));
                assert_eq!(points.len() + triangles.len(), sides.len() + 2, "a sphere has no handle");
                let bits: Vec<u32> = points.iter().flatten().map(|x| x.to_bits()).collect();
                *FOUND.lock().unwrap() = (bits, triangles);
            });
            FOUND.lock().unwrap().clone()
        };
        let expected = run(1, 1);
        for (ranks, threads) in [(1, 2), (1, 7), (2, 1), (3, 1), (4, 2), (7, 1)] {
            assert!(run(ranks, threads) == expected, "{ranks} ranks of {threads} threads");
        }
    }
}

/// What the last rank that was asked has found.
static FOUND: std::sync::Mutex<(Vec<u32>, Vec<[u32; 3]>)> = std::sync::Mutex::new((Vec::new(), Vec::new()));

#[test]
fn values_that_are_missing_leave_a_hole_and_nothing_else() {
    let mut mesh = mesh(false);
    let before = contour(&mesh, 0.37, None).len();
    mesh.values[4 + SIDE * (4 + SIDE)] = f32::NAN;
    let after = contour(&mesh, 0.37, None);
    assert!(!after.is_empty() && after.len() < before);
    assert_eq!(contour(&mesh, 0.37, Some(8)).to_all(), after.to_all());
}

#[test]
fn cells_that_are_not_understood_are_named() {
    let mut mesh = mesh(true);
    let said = |mesh: &Cells| check(mesh, &Cases::new()).unwrap_err().to_string();
    mesh.kinds[7] = 42;
    assert!(said(&mesh).starts_with("cell 7 is of the kind 42"), "{}", said(&mesh));
    mesh.kinds[7] = 12;
    assert_eq!(said(&mesh), "cell 7 has 4 corners, and its kind 8");
}

#[test]
fn a_mesh_without_cells_has_no_contour() {
    let mesh = Cells { first: vec![0], ..Cells::default() };
    assert_eq!(contour(&mesh, 0.0, None).len() + contour(&mesh, 0.0, Some(4)).len(), 0);
}
