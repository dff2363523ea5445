//! The program as its user runs it.

use forall_examples::read::{Choice, Source};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tessellation"));
    let output = program.current_dir(folder).envs(settings.iter().copied()).args(arguments).output();
    output.expect("the program starts")
}

/// The output of the program, and its report.
fn report(folder: &TempDir, settings: &[(&str, &str)], arguments: &[&str]) -> (String, Value) {
    let few_points = if arguments.contains(&"--points") { &[][..] } else { &["--points", "9"] };
    let output = run(folder.path(), settings, &[arguments, few_points, &["--report", "report.json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read(folder.path().join("report.json")).expect("a report");
    (String::from_utf8_lossy(&output.stdout).into_owned(), serde_json::from_slice(&report).expect("JSON"))
}

#[test]
fn cells_are_made_drawn_and_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let arguments = [
        "--random", "300", "--blocks", "6", "--points", "20", "--output", "d.vti", "--cells", "c.csv", "--image",
        "p.png",
    ];
    let (said, found) = report(&folder, &[], &arguments);
    assert!(said.contains("random: 300 particles, 6 blocks"), "{said}");
    assert_eq!((&found["cells"], &found["size"]), (&300.into(), &serde_json::json!([20, 20, 20])));
    let near = |key: &str, expected: f64, within: f64| {
        let value = found[key].as_f64().expect("a number");
        assert!((value - expected).abs() <= within, "{key}: {value}");
    };
    near("volume", 1.0, 1e-12);

    // A line for each particle, whose volumes make up the whole.
    let cells = String::from_utf8(read("c.csv")).expect("text");
    let mut lines = cells.lines();
    assert_eq!(lines.next(), Some("particle,x,y,z,volume,neighbours"));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|field| field.parse().expect("a number")).collect()).collect();
    assert!(rows.iter().enumerate().all(|(number, row)| row.len() == 6 && row[0] == number as f64));
    assert_eq!(rows.iter().map(|row| row[5]).sum::<f64>(), found["faces"].as_f64().expect("a number"));
    near("volume", rows.iter().map(|row| row[4]).sum(), 1e-12);

    // Densities, and what they come to.
    let source = Source::open(&folder.path().join("d.vti"), &Choice::default()).expect("a volume");
    assert_eq!((source.name.as_str(), source.grid.shape()), ("density", [20; 3]));
    let densities = source.planes(0..20, &mut |_| {}).expect("values");
    let least = 1.0 / found["greatest_volume"].as_f64().expect("a number");
    assert!(densities.iter().all(|density| f64::from(*density) >= least * 0.999_999));
    near("mass", densities.iter().map(|density| f64::from(*density)).sum::<f64>() / 8000.0, 1e-6 * 300.0);

    // Blocks on the disk, threads and the number of blocks make no difference.
    let (densities, picture) = (read("d.vti"), read("p.png"));
    for settings in [&[("FORALL_BLOCKS", "1"), ("FORALL_THREADS", "2")][..], &[("FORALL_THREADS", "3")]] {
        let arguments = arguments.map(|argument| if argument == "6" { "11" } else { argument });
        report(&folder, settings, &arguments);
        assert_eq!(String::from_utf8(read("c.csv")).expect("text"), cells);
        assert_eq!((read("d.vti"), read("p.png")), (densities.clone(), picture.clone()));
    }
}

#[test]
fn meshes_and_polyhedra_are_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    for periodic in [false, true] {
        let mut arguments = vec![
            "--random",
            "200",
            "--blocks",
            "1",
            "--delaunay",
            "m.vtu",
            "--polyhedra",
            "c.vtu",
            "--estimator",
            "tetrahedra",
            "--output",
            "d.vti",
        ];
        arguments.extend(periodic.then_some("--periodic"));
        let (_, found) = report(&folder, &[], &arguments);
        let mesh = forall_examples::read::mesh(&folder.path().join("m.vtu"), Some("density")).expect("a mesh");
        assert_eq!(mesh.len() as u64, found["tetrahedra"].as_u64().expect("a number"));
        assert_eq!(mesh.points.len() == 200, !periodic);
        assert!(mesh.values.iter().all(|density| *density > 0.0));
        let (mesh, cells) = (read("m.vtu"), read("c.vtu"));
        let text = String::from_utf8_lossy(&cells).into_owned();
        assert!(text.contains("NumberOfCells=\"200\"") && text.contains("Name=\"faceoffsets\""));
        if periodic {
            assert!((found["mesh_volume"].as_f64().expect("a number") - 1.0).abs() < 1e-12);
        }
        // On any number of blocks, in memory or not.
        arguments[3] = "7";
        report(&folder, &[("FORALL_BLOCKS", "1"), ("FORALL_THREADS", "2")], &arguments);
        assert!(read("m.vtu") == mesh && read("c.vtu") == cells);
    }
}

#[test]
fn particles_are_read() {
    let folder = TempDir::new().expect("a temporary folder");
    // The corners of a cube, and its middle: the octahedron around that is half of a cube of twice the distance.
    let corners = (0..8).map(|corner| format!("{} {} {}\n", corner & 1, corner >> 1 & 1, corner >> 2));
    let text = format!("# x y z\n{}0.5 0.5 0.5\n", corners.collect::<String>());
    std::fs::write(folder.path().join("nine.txt"), text).expect("a file");
    let (_, found) =
        report(&folder, &[], &["--input", "nine.txt", "--bounds=0,1,0,1,0,1", "--blocks", "3", "--cells", "c.csv"]);
    assert_eq!((&found["particles"], &found["cells"]), (&9.into(), &9.into()));
    let cells = std::fs::read_to_string(folder.path().join("c.csv")).expect("cells");
    let middle: Vec<&str> = cells.lines().last().expect("a line").split(',').collect();
    assert!((middle[4].parse::<f64>().expect("a volume") - 0.5).abs() < 1e-12 && middle[5] == "8", "{middle:?}");

    // In a periodic space it has those of all sides as well: a truncated octahedron.
    report(&folder, &[], &["--input", "nine.txt", "--bounds=0,2,0,2,0,2", "--periodic", "--cells", "c.csv"]);
    let (_, found) = report(&folder, &[], &["--input", "nine.txt"]);
    assert_eq!(found["cells"], 9);
    // A mesh of two points, and none at all.
    std::fs::write(folder.path().join("two.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a file");
    assert_eq!(report(&folder, &[], &["--input", "two.obj"]).1["cells"], 3);
    for arguments in [&["--random", "0"][..], &["--random", "0", "--periodic"], &["--random", "1", "--periodic"]] {
        report(&folder, &[], arguments);
    }
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_nothing_is_left_behind() {
    let folder = TempDir::new().expect("a temporary folder");
    std::fs::write(folder.path().join("twins.txt"), "0 0 0\n1 2 3\n2 0 1\n1 2 3\n").expect("a file");
    std::fs::write(folder.path().join("far.txt"), "1e300 0 0\n1e300 1 0\n1e300 2 3\n").expect("a file");
    for (arguments, message) in [
        (&["--input", "none.txt"][..], "cannot read none.txt"),
        (&["--input", "twins.txt"], "particles 1 and 3 are both at [1.0, 2.0, 3.0]"),
        (&["--input", "twins.txt", "--periodic"], "particles 1 and 3 are both at"),
        (&["--input", "twins.txt", "--bounds=0,1,0,1,0,1"], "particle 1 is at [1.0, 2.0, 3.0], outside of the bounds"),
        (&["--input", "far.txt"], "too far away"),
        (&["--input", "twins.txt", "--columns", "1,2"], "give three columns"),
        (&["--bounds=0,1,0,1"], "give the least and the greatest"),
        (&["--bounds=0,1,0,0,0,1"], "give the least and the greatest"),
        (&["--image", "x.jpg"], "pictures are .png files"),
        (&["--output", "x.vtk"], "volumes are .vti or .npy files"),
        (&["--delaunay", "x.vtp"], "end the name in .vtu"),
        (&["--polyhedra", "no/x.vtu"], "give the name of a file in a folder that exists"),
        (&["--cells", "no/c.csv"], "give the name of a file in a folder that exists"),
        (&["--blocks", "0"], "--blocks"),
        (&["--random", "5", "--input", "twins.txt"], "cannot be used with"),
    ] {
        let output = run(folder.path(), &[], arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && !text.contains("panicked") && text.contains(message),
            "{arguments:?}: {text}"
        );
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 2, "{arguments:?}");
    }
}
