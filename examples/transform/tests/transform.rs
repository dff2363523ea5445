//! Maps of points and normals, against linear algebra by hand and the sequential loops.

use forall::DistVec;
use forall_examples::cells::{Cells, Field, kind};
use forall_examples::read;
use forall_examples::write;
use std::process::Command;
use transform::{MatrixError, PointError, Points, Transform};

fn near(a: [f32; 3], b: [f64; 3]) -> bool {
    (0..3).all(|k| (f64::from(a[k]) - b[k]).abs() <= 1e-6 * (1.0 + b[k].abs()))
}

fn sheared() -> Transform {
    let shear =
        Transform::new([[1.0, 0.5, 0.0, 3.0], [0.0, 2.0, 0.25, -1.0], [0.0, 0.0, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    Transform::rotate([1.0, 2.0, 3.0], 40.0).unwrap().then(shear.unwrap()).unwrap()
}

fn in_perspective() -> Transform {
    Transform::new([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5], [0.0, 0.0, 0.25, 1.0]]).unwrap()
}

#[test]
fn points_go_where_the_options_say() {
    assert_eq!(Transform::IDENTITY.point([1.5, -2.0, 3.0]), [1.5, -2.0, 3.0]);
    assert_eq!(Transform::scale([2.0, 3.0, -1.0]).unwrap().point([1.0, 1.0, 1.0]), [2.0, 3.0, -1.0]);
    assert_eq!(Transform::translate([2.0, 3.0, -1.0]).unwrap().point([1.0, 1.0, 1.0]), [3.0, 4.0, 0.0]);
    let quarter = Transform::rotate([0.0, 0.0, 7.0], 90.0).unwrap();
    assert!(near(quarter.point([1.0, 0.0, 5.0]), [0.0, 1.0, 5.0]));
    // First the one, then the other.
    let moved = quarter.then(Transform::translate([10.0, 0.0, 0.0]).unwrap()).unwrap();
    assert!(near(moved.point([1.0, 0.0, 0.0]), [10.0, 1.0, 0.0]));
    // Large coordinates lose no more than they have lost already.
    let back = Transform::translate([-5e6, 0.0, 0.0]).unwrap();
    assert_eq!(back.point([5_000_000.5, 0.0, 0.0]), [0.5, 0.0, 0.0]);
}

/// A normal is what stands upright on two directions of a surface: so is the mapped one, to the mapped directions.
#[test]
fn normals_stay_upright_under_any_map() {
    let mirrored = Transform::scale([-1.0, 2.0, 0.5]).unwrap();
    let points = Points::random(200);
    for map in [Transform::IDENTITY, sheared(), mirrored, in_perspective()] {
        let out = points.mapped(&map);
        let (at, normals) = (points.at.local(), points.normals.local());
        for i in 0..at.len() {
            let [x, y, z] = normals[i].map(f64::from);
            // Two directions across the normal.
            let u = if x.abs() < 0.5 { [0.0, z, -y] } else { [-z, 0.0, x] };
            let v = [y * u[2] - z * u[1], z * u[0] - x * u[2], x * u[1] - y * u[0]];
            let n = out.normals.local()[i].map(f64::from);
            assert!((n.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-6);
            // Where a small step goes, by the map itself in 64 bits.
            let m = map.matrix();
            let place = |p: [f64; 3]| {
                let row = |r: usize| m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3];
                [0, 1, 2].map(|r| row(r) / row(3))
            };
            let start = at[i].map(f64::from);
            for direction in [u, v] {
                let step = [0, 1, 2].map(|k| start[k] + 1e-6 * direction[k]);
                let (a, b) = (place(start), place(step));
                let moved: [f64; 3] = [0, 1, 2].map(|k| (b[k] - a[k]) / 1e-6);
                let (across, length) =
                    (0..3).fold((0.0, 0.0), |(s, l), k| (s + moved[k] * n[k], l + moved[k] * moved[k]));
                assert!(across.abs() < 2e-5 * f64::sqrt(length), "{across} of {length} at {i}");
            }
            // The front stays the front: to the normal's side.
            let front = [0, 1, 2].map(|k| start[k] + 1e-6 * [x, y, z][k]);
            let (a, b) = (place(start), place(front));
            assert!((0..3).map(|k| (b[k] - a[k]) * n[k]).sum::<f64>() > 0.0);
        }
    }
}

#[test]
fn any_threads_and_ranks_give_the_same() {
    for n in [0, 1, 2, 4099] {
        for map in [sheared(), in_perspective()] {
            let of = |ranks: usize, threads: usize| {
                let builder = forall::Runtime::builder().backend("threads").ranks(ranks).threads(threads);
                let mut all = builder.run(|| {
                    let out = Points::random(n).mapped(&map);
                    out.check_mapped().unwrap();
                    (out.at.to_all(), out.normals.to_all())
                });
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
                all.remove(0)
            };
            let expected = of(1, 1);
            assert_eq!(expected.0.len(), n);
            for (ranks, threads) in [(1, 2), (1, 7), (2, 1), (3, 2), (4, 1), (7, 1)] {
                assert_eq!(of(ranks, threads), expected, "{ranks} ranks of {threads} threads");
            }
        }
    }
}

#[test]
fn maps_without_an_inverse_are_refused() {
    let singular =
        |made: Result<Transform, MatrixError>| assert!(matches!(made, Err(MatrixError::Singular { .. })), "{made:?}");
    singular(Transform::scale([1.0, 0.0, 1.0]));
    singular(Transform::rotate([0.0, 0.0, 0.0], 10.0));
    singular(Transform::new([[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0], [7.0, 8.0, 9.0, 0.0], [0.0, 0.0, 0.0, 1.0]]));
    singular(Transform::new([[0.1, 0.2, 0.3, 0.0], [0.3, 0.6, 0.9, 0.0], [0.0, 0.1, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]));
    let not_finite = Transform::translate([0.0, f64::NAN, 0.0]).unwrap_err();
    assert_eq!(not_finite.to_string(), "row 2, column 4 of the matrix is NaN: give 16 finite numbers, row by row");
    assert!(matches!(Transform::rotate([f64::INFINITY, 0.0, 0.0], 10.0), Err(MatrixError::NotFinite { .. })));
    // Small units are no reason, and neither is a far place.
    for map in [Transform::scale([1e-9; 3]), Transform::scale([1e9, 1e-9, 1.0]), Transform::translate([1e12, 0.0, 0.0])]
    {
        assert!(map.is_ok(), "{map:?}");
    }
}

#[test]
fn points_without_a_place_are_named() {
    let mut points = Points::random(10);
    points.at.local_mut()[7] = [0.0, f32::NAN, 0.0];
    assert_eq!(points.check(), Err(PointError::NotFinite(7)));
    points.normals = DistVec::from_local(vec![[0.0; 3]; 3]);
    assert_eq!(points.check(), Err(PointError::Normals { points: 10, normals: 3 }));
    // In the plane of the eye.
    let eye = Points { at: DistVec::from_local(vec![[0.0, 0.0, 1.0], [1.0, 1.0, -4.0]]), ..Points::default() };
    assert_eq!(eye.mapped(&in_perspective()).check_mapped(), Err(PointError::Infinite(1)));
    // A normal of length 0 has no direction, and gets none.
    assert_eq!(sheared().normal([0.0; 3]), [0.0; 3]);
}

fn run(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_transform")).args(arguments).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_program_says_what_is_wrong() {
    for (arguments, message) in [
        (vec!["--scale", "1,0,1"], "--scale: the matrix is singular"),
        (vec!["--scale", "1,2"], "--scale takes one number, or three"),
        (vec!["--rotate", "0,0,0,30"], "--rotate: the matrix is singular"),
        (vec!["--rotate", "30"], "give an axis and degrees"),
        (vec!["--translate", "1"], "--translate takes three numbers"),
        (vec!["--translate", "1,inf,2"], "--translate: row 2, column 4 of the matrix is inf"),
        (vec!["--matrix", "1,2,3"], "--matrix takes 16 numbers"),
    ] {
        let (success, said) = run(&[&["--random", "10"], &arguments[..]].concat());
        assert!(!success && said.contains(message), "{arguments:?}: {said}");
    }
}

/// A tetrahedron with normals, a field of vectors and one of numbers.
fn tetrahedron() -> Cells {
    let field = |name: &str, components: usize, values: &[f32]| Field {
        name: name.to_owned(),
        components,
        values: values.to_vec(),
    };
    Cells {
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        fields: vec![
            field("heat", 1, &[1.0, 2.0, 3.0, 4.0]),
            field("Normals", 3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.8, 0.0]),
            field("wind", 3, &[1.0; 12]),
        ],
        corners: vec![0, 1, 2, 3],
        kinds: vec![kind::TETRAHEDRON],
        first: vec![0, 4],
        ..Cells::default()
    }
}

#[test]
fn points_and_normals_of_a_mesh_are_mapped_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = ["from.vtu", "to.vtu"].map(|name| folder.path().join(name));
    write::cells(&from, &tetrahedron()).unwrap();
    let [input, output] = [&from, &to].map(|path| path.to_str().unwrap());
    let (success, said) = run(&["--input", input, "--scale", "2,1,1", "--translate", "0,0,5", "--output", output]);
    assert!(success, "{said}");
    let (before, after) = (read::mesh(&from, None).unwrap(), read::mesh(&to, None).unwrap());
    assert_eq!(after.points, [[0.0, 0.0, 5.0], [2.0, 0.0, 5.0], [0.0, 1.0, 5.0], [0.0, 0.0, 6.0]]);
    assert_eq!((&after.corners, &after.kinds), (&before.corners, &before.kinds));
    for (old, new) in before.fields.iter().zip(&after.fields) {
        assert_eq!(old.name, new.name);
        if old.name == "Normals" {
            // A plane across (3, 4, 0) that is drawn out along x is across (1.5, 4, 0).
            let length = f32::hypot(1.5, 4.0);
            let last = [1.5 / length, 4.0 / length, 0.0];
            assert!(new.values[9..].iter().zip(last).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", new.values);
            assert_eq!(new.values[..9], old.values[..9]);
        } else {
            assert_eq!(old.values, new.values, "{}", old.name);
        }
    }
    // Nothing is left behind where something is wrong.
    let lost = folder.path().join("lost.vtu");
    let mut broken = tetrahedron();
    broken.points[2] = [0.0, f32::INFINITY, 0.0];
    write::cells(&from, &broken).unwrap();
    let (success, said) = run(&["--input", input, "--output", lost.to_str().unwrap()]);
    assert!(
        !success && said.contains("point 2 of cell 0 has a coordinate that is not a number") && !lost.exists(),
        "{said}"
    );
    let (success, said) = run(&["--input", folder.path().join("none.vtu").to_str().unwrap()]);
    assert!(!success && said.contains("cannot read"), "{said}");
    let (success, said) = run(&["--input", input, "--output", "lost.pvtp"]);
    assert!(!success && said.contains("name a .vtp"), "{said}");
}

#[test]
fn the_report_has_the_times() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let (success, said) = run(&[
        "--random",
        "1000",
        "--rotate",
        "0,0,1,90",
        "--translate",
        "1,-2,3",
        "--chain",
        "--repeat",
        "3",
        "--report",
        report.to_str().unwrap(),
    ]);
    assert!(success, "{said}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!((&report["points"], &report["normals"]), (&1000.into(), &1000.into()));
    assert_eq!(report["matrix"][1][3], -2.0);
    assert!((report["determinant"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!(report["seconds"]["transform"].as_f64().unwrap() > 0.0);
    assert!(report["seconds"]["second"].as_f64().unwrap() > 0.0);
}
