//! The program as its user runs it.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_isosurface"));
    program.current_dir(folder).args(arguments).output().expect("the program starts")
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("the folder is there");
    let name =
        |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name().to_string_lossy().into();
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn without_arguments_the_ocean_is_shown() {
    let folder = TempDir::new().expect("a temporary folder");
    let output = run(folder.path(), &["--report", "report.json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(&folder), ["isosurface.png", "isosurface.vtp", "report.json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("718,725 values from -2.02 to 29.74 degC"), "{text}");
    let report = std::fs::read(folder.path().join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    for key in ["points", "triangles", "active_cells", "crossing_edges", "area", "volume", "ranks", "threads"] {
        assert!(report[key].as_f64().expect(key) > 0.0, "{key}");
    }
    for key in ["read", "surface", "image", "write"] {
        assert!(report["seconds"][key].as_f64().expect(key) >= 0.0, "{key}");
    }
    assert!(report["peak_memory_bytes"].as_u64().expect("Linux tells") > 1 << 20);
    let picture = std::fs::read(folder.path().join("isosurface.png")).expect("a picture");
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 50_000);
}

#[test]
fn several_isovalues_make_one_mesh() {
    let folder = TempDir::new().expect("a temporary folder");
    let field = ["--field", "tangle", "--size", "32", "--iso", "0.2", "--iso", "0.5", "--camera", "-20,30,1.2"];
    for name in ["mesh.ply", "mesh.vtp", "mesh.pvtp"] {
        let output = run(folder.path(), &[&field[..], &["--output", name, "--repeat", "2"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(names(&folder), ["isosurface.png", "mesh.ply", "mesh.pvtp", "mesh.vtp", "mesh_0.vtp"]);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a mesh");
    // The piece numbers its points in another order.
    assert_eq!(read("mesh.vtp").len(), read("mesh_0.vtp").len());
    assert!(String::from_utf8_lossy(&read("mesh.pvtp")).contains(r#"<Piece Source="mesh_0.vtp"/>"#));
    // 2,784 points at the lower isovalue and the rest at the higher.
    let ply = read("mesh.ply");
    let end = ply.windows(11).position(|w| w == b"end_header\n").expect("a header") + 11;
    let header = String::from_utf8_lossy(&ply[..end]).into_owned();
    let count = |what: &str| -> usize {
        let line = header.lines().find_map(|line| line.strip_prefix(what)).expect("a count");
        line.trim().parse().expect("a number")
    };
    let (points, triangles) = (count("element vertex"), count("element face"));
    assert_eq!(ply.len(), end + 28 * points + 13 * triangles);
    let iso = |k: usize| f32::from_le_bytes(ply[end + 28 * k + 24..end + 28 * k + 28].try_into().expect("four bytes"));
    assert_eq!((iso(2_783), iso(2_784)), (0.2, 0.5));
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_nothing_is_left_behind() {
    let folder = TempDir::new().expect("a temporary folder");
    for (arguments, message) in [
        (&["--input", "none.nc"][..], "cannot read none.nc"),
        (&["--output", "mesh.stl"], "end the name in .vtp, .pvtp or .ply"),
        (&["--output", "no/such/mesh.vtp"], "give the name of a file in a folder that exists"),
        (&["--variable", "SALT"], "choose with --variable among TEMP (20 x 180 x 360)"),
        (&["--iso", "nan"], "give a finite number"),
        (&["--camera", "1"], "AZIMUTH,ELEVATION"),
        (&["--field", "tangle", "--size", "1"], "--size"),
        (&["--raw", "2x2x2:u8"], "--input"),
        (&["--repeat", "0"], "--repeat"),
        (&["--input", "a", "--raw", "2x2x2:u7"], "XxYxZ:TYPE"),
        (&["--image", "x.jpg"], "pictures are .png files"),
    ] {
        let output = run(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(message), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{text}");
    }
    assert_eq!(names(&folder), Vec::<String>::new());
}

#[test]
fn values_that_are_no_numbers_are_missing() {
    let folder = TempDir::new().expect("a temporary folder");
    let write = |name: &str, value: &dyn Fn(usize) -> f32| {
        let bytes: Vec<u8> = (0..64).flat_map(|i| value(i).to_le_bytes()).collect();
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    };
    write("none.raw", &|_| f32::NAN);
    write("some.raw", &|i| if i == 21 { f32::INFINITY } else { (i % 4) as f32 });
    write("flat.raw", &|_| 5.0);
    let read = |name: &str| run(folder.path(), &["--input", name, "--raw", "4x4x4:f32le", "--output", "mesh.ply"]);
    let none = read("none.raw");
    let text = String::from_utf8_lossy(&none.stderr);
    assert!(!none.status.success() && text.contains("all values of") && text.contains("are missing"), "{text}");
    let some = read("some.raw");
    let text = String::from_utf8_lossy(&some.stdout);
    assert!(some.status.success() && text.contains("63 values from 0 to 3"), "{text}");
    let mesh = std::fs::read(folder.path().join("mesh.ply")).expect("a mesh");
    let end = mesh.windows(11).position(|w| w == b"end_header\n").expect("a header") + 11;
    let header = String::from_utf8_lossy(&mesh[..end]).into_owned();
    let points = header.lines().find_map(|line| line.strip_prefix("element vertex ")).expect("a count");
    let points: usize = points.parse().expect("a number");
    let floats = mesh[end..end + 28 * points].chunks_exact(4).map(|f| f32::from_le_bytes(f.try_into().expect("four")));
    assert!(points > 0);
    floats.for_each(|float| assert!(float.is_finite(), "{float}"));
    let flat = read("flat.raw");
    assert!(String::from_utf8_lossy(&flat.stdout).contains("all values are the same"));
}

#[test]
fn settings_that_cannot_be_had_give_the_status_of_bad_arguments() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_isosurface"));
    let output = program.current_dir(folder.path()).env("FORALL_BACKEND", "gup").output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("FORALL_BACKEND"), "{text}");
}
