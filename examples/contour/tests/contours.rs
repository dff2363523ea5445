//! Contours of meshes whose kinds of cells meet: closed, the same with the tree, on threads and ranks; figures are VTK's.

use contour::cases::Cases;
use contour::contour::{Contour, counts, measures};
use contour::cut::{Cut, looking_at};
use contour::parts::{boundary, feature_edges, threshold};
use contour::probe::probe;
use contour::tree::Ranges;
use contour::{Found, active_cells, by_value, pieces_of_all};
use forall::DistVec;
use forall_examples::cells::{Cells, Field, kind};
use std::collections::HashMap;
use std::sync::Mutex;

/// Corners along each side.
const SIDE: usize = 9;

/// All places of a cube of so many.
fn all(side: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..side.pow(3)).map(move |k| [k % side, k / side % side, k / side / side])
}

/// Six pyramids for one voxel.
fn add_pyramids(mesh: &mut Cells, voxel: [u32; 8]) {
    const FACES: [[usize; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let (low, high) = (mesh.points[voxel[0] as usize], mesh.points[voxel[7] as usize]);
    let top = mesh.points.len() as u32;
    mesh.points.push([0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis])));
    for [a, b, c, d] in FACES.map(|face| face.map(|corner| voxel[corner])) {
        mesh.push(kind::PYRAMID, &[a, b, c, d, top]);
    }
}

/// A cube of cells: hexahedra and voxels, some of them as six pyramids, and columns of wedges; or five tetrahedra in each. The value is the
/// distance from the middle.
fn mesh(tetrahedra: bool) -> Cells {
    let mut mesh = Cells::new();
    mesh.points.extend(all(SIDE).map(|place| place.map(|k| k as f32 / (SIDE - 1) as f32)));
    for [x, y, z] in all(SIDE - 1) {
        let at = |c: usize| ((x + (c & 1)) + SIDE * ((y + (c >> 1 & 1)) + SIDE * (z + (c >> 2)))) as u32;
        if tetrahedra {
            let turned = (x + y + z) % 2;
            for corners in [[0, 3, 5, 6], [0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 4, 6], [3, 5, 6, 7]] {
                mesh.push(kind::TETRAHEDRON, &corners.map(|c: usize| at(c ^ turned)));
            }
            continue;
        }
        let voxel = [0, 1, 2, 3, 4, 5, 6, 7].map(at);
        let [a, b, d, c, e, f, h, g] = voxel;
        match (x * 5 + y * 3) % 7 {
            0 | 1 => mesh.push(kind::VOXEL, &voxel),
            2 | 3 => {
                mesh.push(kind::WEDGE, &[a, b, c, e, f, g]);
                mesh.push(kind::WEDGE, &[a, c, d, e, g, h]);
            }
            4 if z % 2 == 0 => add_pyramids(&mut mesh, voxel),
            _ => mesh.push(kind::HEXAHEDRON, &[a, b, c, d, e, f, g, h]),
        }
    }
    with_values(mesh, |p| p.map(|x| (x - 0.5) * (x - 0.5)).iter().sum::<f32>().sqrt())
}

fn with_values(mut mesh: Cells, value: impl Fn([f32; 3]) -> f32) -> Cells {
    mesh.values = mesh.points.iter().map(|&point| value(point)).collect();
    mesh
}

/// The contours of a mesh, without the tree and with it.
fn pieces(mesh: &Cells, isos: &[f32]) -> DistVec<Found> {
    let (cases, mut found) = (Cases::new(), DistVec::from_local(Vec::new()));
    pieces_of_all(mesh, &cases, isos, &mut found);
    for leaf in [1, 32, 10_000] {
        let mut again = DistVec::from_local(Vec::new());
        Ranges::new(mesh, leaf).pieces(mesh, &cases, isos, &mut again);
        assert_eq!(again.to_all(), found.to_all());
    }
    found
}

fn active(mesh: &Cells, isos: &[f32]) -> Vec<u64> {
    let mut counts = vec![0; isos.len()];
    active_cells(mesh, isos, &mut counts);
    counts
}

fn contour(mesh: &Cells, iso: f32) -> Contour {
    Contour::new(mesh, iso, &pieces(mesh, &[iso]), true)
}

/// Fails unless each side of each triangle is a side of one other, which turns the same way.
fn assert_closed(triangles: &[[u32; 3]]) {
    let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in triangles {
        assert!(a != b && b != c && c != a);
        for side in [[a, b], [b, c], [c, a]] {
            *sides.entry(side).or_default() += 1;
        }
    }
    assert!(sides.iter().all(|(&[a, b], &count)| count == 1 && sides.get(&[b, a]) == Some(&1)));
}

/// Runs something on so many ranks of so many threads, and fails unless all ways give what one gives.
fn the_same_everywhere<T: PartialEq + Send>(run: impl Fn() -> T + Sync) -> T {
    let on = |ranks, threads| {
        let found = Mutex::new(Vec::new());
        forall::Runtime::builder().ranks(ranks).threads(threads).run(|| {
            let result = run();
            found.lock().unwrap().push(result);
        });
        found.into_inner().unwrap()
    };
    let expected = on(1, 1).pop().unwrap();
    for (ranks, threads) in [(1, 2), (1, 7), (2, 1), (3, 1), (4, 2), (7, 1)] {
        assert!(on(ranks, threads).iter().all(|found| *found == expected), "{ranks} ranks of {threads} threads");
    }
    expected
}

/// Points, what is between them, and fields, as bits.
type Bits = (Vec<[u32; 3]>, Vec<[u32; 3]>, Vec<Vec<u32>>);

/// All that a contour has.
fn bits(contour: &Contour) -> Bits {
    let bits = |point: [f32; 3]| point.map(f32::to_bits);
    let points = contour.points.to_all().into_iter().map(bits).collect();
    let of_field = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect();
    let mut fields: Vec<Vec<u32>> = contour.fields.iter().map(|field| of_field(field.2.to_all())).collect();
    let normals = contour.normals.as_ref().map(|normals| normals.to_all().into_iter().flat_map(|n| n.0).collect());
    fields.extend(normals.map(of_field));
    (points, contour.pieces.to_all(), fields)
}

#[test]
fn a_sphere_is_closed_whatever_cells_it_crosses() {
    // As VTK has it: vtkContourFilter.
    let expected = [(206, 408, 1.660_993_028), (378, 752, 1.667_954_565)];
    for (tetrahedra, expected) in [false, true].into_iter().zip(expected) {
        let mut mesh = mesh(tetrahedra);
        assert_eq!(mesh.check(), Ok(()));
        let doubled = mesh.points.iter().flat_map(|p| [2.0 * p[0], p[1] - p[2]]).collect();
        mesh.fields.push(Field { name: "doubled".into(), components: 2, values: doubled });
        the_same_everywhere(|| {
            let sphere = contour(&mesh, 0.37);
            let (area, volume, length) = measures(&sphere.pieces, &sphere.points);
            let triangles = sphere.pieces.to_all();
            assert_closed(&triangles);
            assert_eq!(sphere.points.len() + triangles.len(), 3 * triangles.len() / 2 + 2, "a sphere has no handle");
            assert_eq!((sphere.points.len(), triangles.len(), length), (expected.0, expected.1, 0.0));
            assert!((area / expected.2 - 1.0).abs() < 1e-6, "{area}");
            // Inside, where the values are lower, is the front.
            assert!((-volume / 0.2121747 - 1.0).abs() < 0.08, "{volume}");
            assert!(active(&mesh, &[0.37])[0] > 100);
            bits(&sphere)
        });
        let sphere = contour(&mesh, 0.37);
        let (points, doubled) = (sphere.points.to_all(), sphere.fields[0].2.to_all());
        for ((point, normal), [x, y]) in points.iter().zip(sphere.normals.unwrap().to_all()).zip(doubled.as_chunks().0)
        {
            assert!((2.0 * point[0] - x).abs() < 1e-5 && (point[1] - point[2] - y).abs() < 1e-5);
            let towards: f32 = (0..3).map(|axis| (0.5 - point[axis]) / 0.37 * normal.0[axis]).sum();
            assert!(towards > 0.85, "{towards}");
        }
    }
}

#[test]
fn cells_that_are_inside_out_or_collapsed_leave_no_trace() {
    let mut mesh = mesh(true);
    let expected = contour(&mesh, 0.37);
    let volume = measures(&expected.pieces, &expected.points).1;
    for cell in (0..mesh.len()).filter(|cell| cell % 3 == 0) {
        mesh.corners.swap(4 * cell, 4 * cell + 1);
    }
    let found = contour(&mesh, 0.37);
    assert_closed(&found.pieces.to_all());
    assert!((measures(&found.pieces, &found.points).1 / volume - 1.0).abs() < 1e-6);

    // The same tetrahedra, written as hexahedra, wedges and pyramids that have corners twice.
    let mut collapsed = Cells { points: mesh.points.clone(), values: mesh.values.clone(), ..Cells::new() };
    for cell in 0..mesh.len() {
        let &[a, b, c, d] = mesh.corners_of(cell) else { panic!("not a tetrahedron") };
        match cell % 4 {
            0 => collapsed.push(kind::HEXAHEDRON, &[a, b, c, c, d, d, d, d]),
            1 => collapsed.push(kind::WEDGE, &[a, b, c, d, d, d]),
            2 => collapsed.push(kind::PYRAMID, &[a, b, c, c, d]),
            _ => collapsed.push(kind::TETRAHEDRON, &[a, b, c, d]),
        }
    }
    let again = contour(&collapsed, 0.37);
    assert_closed(&again.pieces.to_all());
    assert_eq!(again.points.to_all(), found.points.to_all());
}

/// A bent sheet of flat cells of all kinds.
fn sheet() -> Cells {
    let side = 13;
    let mut mesh = Cells::new();
    let place = |k: usize| [k % side, k / side].map(|x| x as f32 / (side - 1) as f32);
    mesh.points.extend((0..side * side).map(place).map(|[x, y]| [x, y, x * x - 0.3 * y]));
    for k in (0..side * side).filter(|k| k % side + 1 < side && k / side + 1 < side) {
        let [a, b, c, d] = [k, k + 1, k + 1 + side, k + side].map(|k| k as u32);
        match (k % side * 3 + k / side) % 6 {
            0 => mesh.push(kind::QUAD, &[a, b, c, d]),
            1 => mesh.push(kind::PIXEL, &[a, b, d, c]),
            2 => mesh.push(kind::STRIP, &[a, b, d, c]),
            3 => mesh.push(kind::POLYGON, &[a, b, c, d]),
            4 => {
                mesh.push(kind::TRIANGLE, &[a, b, c]);
                mesh.push(kind::TRIANGLE, &[a, c, d]);
            }
            _ => {
                // An arrow head, and what it leaves.
                let amid = mesh.points.len() as u32;
                let [p, q] = [a, c].map(|k| mesh.points[k as usize]);
                mesh.points.push([0, 1, 2].map(|axis| 0.7 * p[axis] + 0.3 * q[axis]));
                mesh.push(kind::POLYGON, &[b, c, d, amid]);
                mesh.push(kind::POLYGON, &[a, b, amid]);
                mesh.push(kind::TRIANGLE, &[a, amid, d]);
            }
        }
    }
    with_values(mesh, |[x, y, _]| ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)).sqrt())
}

#[test]
fn flat_cells_are_crossed_by_lines() {
    let mesh = sheet();
    assert_eq!(mesh.check(), Ok(()));
    the_same_everywhere(|| {
        let ring = contour(&mesh, 0.3);
        let pieces = ring.pieces.to_all();
        let mut ends: HashMap<u32, u32> = HashMap::new();
        pieces.iter().flat_map(|[a, b, _]| [a, b]).for_each(|&end| *ends.entry(end).or_default() += 1);
        assert!(ends.values().all(|count| *count == 2), "a ring goes on at each of its points");
        let (triangles, lines, vertices) = counts(&ring.pieces);
        assert_eq!((triangles, lines, vertices), (0, pieces.len() as u64, 0));
        let (_, _, length) = measures(&ring.pieces, &ring.points);
        assert_eq!(lines, 45);
        // VTK's figure. It divides polygons along other diagonals.
        assert!((length / 2.340_176_473 - 1.0).abs() < 1e-3, "{length}");
        bits(&ring)
    });
    // Divided as VTK does, they have its length.
    let mut divided = Cells { points: mesh.points.clone(), values: mesh.values.clone(), ..Cells::new() };
    for cell in 0..mesh.len() {
        match (mesh.kinds[cell], mesh.corners_of(cell)) {
            (kind::POLYGON, &[a, b, c, d]) => {
                let turned = (0..4).map(|by| {
                    let corner = |k: usize| [a, b, c, d][(by + k) % 4];
                    ([corner(0), corner(1), corner(2)], [corner(2), corner(3), corner(0)])
                });
                // An arrow head, whose last corner is drawn in, has its tip and its ends on different sides.
                let is_head = d as usize >= 13 * 13;
                let roundest = turned.filter(|(ear, _)| !is_head || (ear[0] == b) != (ear[0] == d));
                let (ear, rest) = roundest.min_by(|x, y| stretch(&mesh, x.0).total_cmp(&stretch(&mesh, y.0))).unwrap();
                divided.push(kind::TRIANGLE, &ear);
                divided.push(kind::TRIANGLE, &rest);
            }
            (kind, corners) => divided.push(kind, corners),
        }
    }
    let ring = contour(&divided, 0.3);
    let (_, _, length) = measures(&ring.pieces, &ring.points);
    assert!((length / 2.340_176_473 - 1.0).abs() < 1e-6, "{length}");
}

/// The square of a triangle's perimeter over its area: small where it is round.
fn stretch(mesh: &Cells, triangle: [u32; 3]) -> f64 {
    let corner = |k: usize| mesh.points[triangle[k % 3] as usize].map(f64::from);
    let sides = [0, 1, 2].map(|k| {
        let (a, b) = (corner(k), corner(k + 1));
        (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
    });
    let half = sides.iter().sum::<f64>() / 2.0;
    half * half / sides.iter().fold(half, |area, side| area * (half - side)).sqrt()
}

#[test]
fn several_isovalues_at_once_are_each_of_them_alone() {
    let mesh = mesh(false);
    let isos = [0.37, 0.1, 0.37, 7.0, 0.25];
    the_same_everywhere(|| {
        let all = by_value(pieces(&mesh, &isos), isos.len());
        let one = |iso: f32| (bits(&contour(&mesh, iso)), active(&mesh, &[iso])[0]);
        let each = isos.iter().zip(all).zip(active(&mesh, &isos));
        let each: Vec<_> =
            each.map(|((&iso, found), active)| (bits(&Contour::new(&mesh, iso, &found, true)), active)).collect();
        assert!(each == isos.map(one));
        each
    });
}

/// A field that tells which cell it is, and one of two numbers.
fn numbers_of_cells(mesh: &Cells) -> Vec<Field> {
    let numbers: Vec<f32> = (0..mesh.len()).map(|cell| cell as f32).collect();
    let pairs = numbers.iter().flat_map(|&cell| [-cell, 0.5 * cell]).collect();
    vec![
        Field { name: "cell".into(), components: 1, values: numbers },
        Field { name: "pair".into(), components: 2, values: pairs },
    ]
}

/// Whether each cell lies in the one that it was made of: all of its points do in the box around that one's corners.
fn assert_carried(from: &Cells, to: &Cells) {
    assert_eq!(to.cell_fields[0].values.len(), to.len());
    for cell in 0..to.len() {
        let number = to.cell_fields[0].values[cell];
        assert_eq!(to.cell_fields[1].values[2 * cell..2 * cell + 2], [-number, 0.5 * number]);
        for &corner in to.corners_of(cell) {
            for axis in 0..3 {
                let own = from.corners_of(number as usize).iter().map(|&own| from.points[own as usize][axis]);
                let (low, high) = own.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
                assert!((low..=high).contains(&to.points[corner as usize][axis]));
            }
        }
    }
}

#[test]
fn what_is_known_of_cells_holds_for_what_is_made_of_them() {
    for mut mesh in [mesh(false), mesh(true), sheet()] {
        mesh.cell_fields = numbers_of_cells(&mesh);
        let cases = Cases::new();
        let kept = the_same_everywhere(|| threshold(&mesh, 0.0, 0.3));
        assert!(kept.len() > 10);
        assert_carried(&mesh, &kept);
        let surface = the_same_everywhere(|| boundary(&mesh, &cases));
        assert_carried(&mesh, &surface);
        assert_carried(&mesh, &the_same_everywhere(|| feature_edges(&mesh, &cases, 30.0)));
        // Of a part of the mesh too.
        assert_carried(&mesh, &boundary(&kept, &cases));
        for iso in [0.37, 0.21] {
            let crossing = the_same_everywhere(|| {
                let mut out = Cells::new();
                let contour = contour(&mesh, iso);
                contour.add_to(&mut out, true);
                // Each rank has what is known of its own.
                assert!(out.cell_fields[0].values.iter().map(|x| *x as u32).eq(contour.cells.local().iter().copied()));
                contour.cells.to_all()
            });
            assert!(crossing.len() > 10 && crossing.is_sorted());
        }
        let mut out = Cells::new();
        contour(&mesh, 0.3).add_to(&mut out, false);
        contour(&mesh, 0.2).add_to(&mut out, false);
        assert_carried(&mesh, &out);
        // Where points lie: in cells, for each of which its number is known.
        let middles = (0..mesh.len()).map(|cell| {
            let corners = mesh.corners_of(cell);
            let sum =
                |axis: usize| corners.iter().map(|&corner| f64::from(mesh.points[corner as usize][axis])).sum::<f64>();
            [0, 1, 2].map(|axis| (sum(axis) / corners.len() as f64) as f32)
        });
        let mut middles = Cells { points: middles.collect(), ..Cells::new() };
        middles.points.push([f32::MAX; 3]);
        let found = the_same_everywhere(|| {
            let found = probe(&middles, &mesh);
            let bits =
                |field: &Field| (field.name.clone(), field.values.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
            found.fields.iter().map(bits).collect::<Vec<_>>()
        });
        let (name, numbers) = &found[0];
        assert!(name == "cell" && f32::from_bits(*numbers.last().unwrap()).is_nan());
        // A bent quad or an arrow head has its middle beside itself.
        let own = (0..mesh.len()).filter(|&cell| f32::from_bits(numbers[cell]) == cell as f32).count();
        assert!(own * 3 > mesh.len() * 2, "{own} of {}", mesh.len());
    }
}

#[test]
fn lines_are_crossed_at_points() {
    let mut mesh = Cells { points: (0..9).map(|k| [k as f32, 0.0, 0.0]).collect(), ..Cells::new() };
    mesh.push(kind::VERTEX, &[0]);
    mesh.push(kind::LINE, &[0, 1]);
    mesh.push(kind::POLYLINE, &[1, 2, 3, 4, 5, 6, 7, 8]);
    mesh.push(kind::VERTICES, &[0, 1, 2]);
    let mesh = with_values(mesh, |[x, _, _]| (x - 4.25).abs());
    let found = contour(&mesh, 3.5);
    assert_eq!(counts(&found.pieces), (0, 0, 2));
    assert_eq!(found.points.to_all(), [[0.75, 0.0, 0.0], [7.75, 0.0, 0.0]]);
}

#[test]
fn values_that_are_missing_leave_a_hole_and_nothing_else() {
    for missing in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut mesh = mesh(false);
        let before = pieces(&mesh, &[0.37]).len();
        mesh.values[4 + SIDE * (4 + SIDE)] = missing;
        let after = pieces(&mesh, &[0.37]);
        assert!(!after.is_empty() && after.len() < before);
    }
}

#[test]
fn values_that_are_the_isovalue_leave_it_closed() {
    let mesh = with_values(mesh(false), |p| p.map(|x| (8.0 * x - 4.0).abs()).iter().fold(0.0f32, |a, b| a.max(*b)));
    let cube = contour(&mesh, 3.0);
    assert_closed(&cube.pieces.to_all());
    let (area, volume, _) = measures(&cube.pieces, &cube.points);
    assert!((area - 6.0 * 0.75 * 0.75).abs() < 1e-5 && (-volume - 0.75 * 0.75 * 0.75).abs() < 1e-5, "{area} {volume}");
}

#[test]
fn a_mesh_without_cells_has_no_contour() {
    assert!(pieces(&Cells::new(), &[0.0]).is_empty());
    let points = Cells { points: vec![[0.0; 3]; 3], values: vec![1.0, 2.0, 3.0], ..Cells::new() };
    assert!(contour(&points, 1.5).points.is_empty());
}

#[test]
fn a_threshold_keeps_whole_cells() {
    let mesh = mesh(false);
    let kept = the_same_everywhere(|| threshold(&mesh, 0.0, 0.3));
    let is_inside = |cell: &usize| mesh.corners_of(*cell).iter().all(|&corner| mesh.values[corner as usize] <= 0.3);
    assert_eq!(kept.len(), (0..mesh.len()).filter(is_inside).count());
    assert!(kept.values.iter().all(|value| *value <= 0.3) && kept.check().is_ok());
    assert!(threshold(&mesh, 7.0, 8.0).points.is_empty());
}

#[test]
fn the_boundary_of_a_cube_is_its_surface_and_its_edges_are_twelve() {
    for mesh in [mesh(false), mesh(true)] {
        let cases = Cases::new();
        let surface = the_same_everywhere(|| boundary(&mesh, &cases));
        let quads = surface.kinds.iter().filter(|kind| **kind == kind::QUAD).count();
        assert_eq!(surface.len() + quads, 2 * 6 * (SIDE - 1).pow(2));
        let mut sides: HashMap<[u32; 2], u32> = HashMap::new();
        for cell in 0..surface.len() {
            let corners = surface.corners_of(cell);
            for (k, &from) in corners.iter().enumerate() {
                *sides.entry([from, corners[(k + 1) % corners.len()]]).or_default() += 1;
            }
        }
        assert!(sides.iter().all(|(&[a, b], &count)| count == 1 && sides.get(&[b, a]) == Some(&1)));
        let lines = the_same_everywhere(|| feature_edges(&mesh, &cases, 30.0));
        assert_eq!((lines.len(), lines.points.len()), (12 * (SIDE - 1), 12 * (SIDE - 1) - 4));
        assert_eq!(feature_edges(&mesh, &cases, 100.0).len(), 0);
    }
    // Alone, the ends of a sheet are left.
    let ends = feature_edges(&sheet(), &Cases::new(), 170.0);
    assert_eq!(ends.len(), 4 * 12);
}

#[test]
fn cuts_have_the_area_of_what_cuts() {
    for mesh in [mesh(false), mesh(true)] {
        let area_of = |cut: &str| {
            let looking = looking_at(mesh.clone(), &cut.parse::<Cut>().unwrap());
            let found = contour(&looking, 0.0);
            measures(&found.pieces, &found.points).0
        };
        let plane = the_same_everywhere(|| area_of("plane:0.5,0.5,0.47,0,0,2").to_bits());
        assert!((f64::from_bits(plane) - 1.0).abs() < 1e-6);
        assert!((area_of("plane:0.5,0.5,0.5,1,0,1") - 2f64.sqrt()).abs() < 1e-6);
        assert!((area_of("box:0.25,0.25,0.25,0.75,0.75,0.75") - 1.5).abs() < 0.1);
        assert!((area_of("sphere:0.5,0.5,0.5,0.4") / (0.64 * std::f64::consts::PI) - 1.0).abs() < 0.05);
    }
}

#[test]
fn probes_find_what_is_linear_and_nothing_outside() {
    let linear = |p: [f32; 3]| 2.0 * p[0] - p[1] + 0.5 * p[2];
    // Places that are no corners, no corners of a cell's own, and some that are.
    let mut places: Vec<[f32; 3]> = (0..500).map(|k| [0.618, 0.414, 0.732].map(|x| (x * k as f32).fract())).collect();
    places.extend([[0.0; 3], [1.0; 3], [0.5; 3], [0.25, 0.5, 0.125], [0.3, 1.0, 0.3]]);
    let outside = [[1.1, 0.5, 0.5], [-3.0, 0.0, 0.0], [0.5, 0.5, 1e30], [f32::NAN; 3]];
    let probes = Cells { points: places.iter().chain(&outside).copied().collect(), ..Cells::new() };
    for (mesh, is_flat) in [(mesh(false), false), (mesh(true), false), (sheet(), true)] {
        let mut mesh = with_values(mesh, linear);
        let twice = mesh.points.iter().flat_map(|&p| [linear(p), -p[1]]).collect();
        mesh.fields = vec![Field { name: "both".into(), components: 2, values: twice }];
        // The points of a sheet lie on it.
        let mut probes = probes.clone();
        if is_flat {
            probes.points.truncate(places.len());
            probes.points.iter_mut().for_each(|p| p[2] = on_sheet(*p));
        }
        let found = the_same_everywhere(|| {
            let found = probe(&probes, &mesh);
            assert_eq!((found.len(), found.points.len()), (probes.points.len(), probes.points.len()));
            found.fields[0].values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>()
        });
        let found: Vec<[f32; 2]> = found.as_chunks().0.iter().map(|pair: &[u32; 2]| pair.map(f32::from_bits)).collect();
        for (point, found) in probes.points.iter().zip(&found) {
            if outside
                .iter()
                .any(|other| other[0].to_bits() == point[0].to_bits() && other[2].to_bits() == point[2].to_bits())
            {
                assert!(found[0].is_nan() && found[1].is_nan(), "{point:?}");
            } else {
                assert!(
                    (found[0] - linear(*point)).abs() < 1e-4 && (found[1] + point[1]).abs() < 1e-4,
                    "{point:?}: {found:?}"
                );
            }
        }
    }
    assert!(probe(&Cells::new(), &mesh(true)).is_empty());
    let lost = probe(
        &probes,
        &Cells { fields: vec![Field { name: "v".into(), components: 1, values: vec![] }], ..Cells::new() },
    );
    assert!(lost.fields[0].values.iter().all(|value| value.is_nan()));
}

/// The height of the sheet over a place: straight between the columns of its points.
fn on_sheet([x, y, _]: [f32; 3]) -> f32 {
    let column = (x * 12.0).floor().min(11.0);
    let (low, high) = (column / 12.0, (column + 1.0) / 12.0);
    low * low + (x - low) * (low + high) - 0.3 * y
}
