//! The program as its user runs it.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The output of the program, if it succeeds; otherwise its error.
fn run(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_contour"));
    let output = program.current_dir(folder).args(arguments).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn report(folder: &Path, name: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join(name)).expect("a report")).expect("JSON")
}

#[test]
fn the_tangle_is_contoured_as_vtk_does() {
    let folder = TempDir::new().expect("a temporary folder");
    let folder = folder.path();
    let field = ["--field", "tangle", "--size", "32", "--iso", "0.2", "--normals"];
    let with = |more: &[&str]| run(folder, &[&field[..], more].concat()).expect("success");
    let said = with(&["--output", "voxels.vtp", "--report", "voxels.json", "--repeat", "2"]);
    assert!(said.contains("2,784 points, 5,536 triangles"), "{said}");
    let figures = report(folder, "voxels.json");
    assert!((figures["area"].as_f64().unwrap() / 67.055241 - 1.0).abs() < 1e-5, "{figures}");
    assert!((figures["volume"].as_f64().unwrap() / 16.830496 - 1.0).abs() < 1e-2, "{figures}");
    for key in ["read", "tree", "contour", "merge"] {
        assert!(figures["seconds"][key].as_f64().expect(key) >= 0.0);
    }
    with(&["--tetrahedra", "--output", "plain.vtp"]);
    with(&["--tetrahedra", "--output", "tree.vtp", "--tree", "--leaf", "5", "--threads", "2"]);
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a mesh");
    assert!(read("plain.vtp") == read("tree.vtp"));
    for name in ["mesh.ply", "mesh.vtu", "mesh.pvtp"] {
        with(&["--output", name]);
    }
    assert!(!read("mesh_0.vtp").is_empty());
}

const MESH: &str = r#"<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<PointData><DataArray type="Float32" Name="v" format="ascii">0 1 2 V</DataArray></PointData>
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 0 0 Z</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 N</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">K</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>"#;

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let folder = folder.path();
    let with = |value: &str, z: &str, corner: &str, kind: &str, more: &[&str]| {
        let text =
            MESH.replace('V', value).replace("UTK", "VTK").replace('Z', z).replace(" N<", &format!(" {corner}<"));
        let text = text.replace(&format!("{value}TKFile"), "VTKFile").replace(">K<", &format!(">{kind}<"));
        std::fs::write(folder.join("mesh.vtu"), text).expect("a mesh");
        let result = run(folder, &[&["--input", "mesh.vtu", "--output", "out.vtp"], more].concat());
        assert_eq!(folder.join("out.vtp").exists(), result.is_ok(), "{result:?}");
        let _ = std::fs::remove_file(folder.join("out.vtp"));
        result
    };
    let iso = ["--iso", "0.5"];
    assert!(with("3", "1", "3", "10", &iso).unwrap().contains("3 points, 1 triangles"));
    for (value, z, corner, kind, more, said) in [
        ("3", "1", "4", "10", &iso[..], "mesh.vtu: cell 0 names point 4, and there are 4"),
        ("3", "1", "3", "12", &iso, "mesh.vtu: cell 0 has 4 corners, and its kind (12) 8"),
        ("3", "1", "3", "24", &iso, "mesh.vtu: cell 0 is of the kind 24"),
        ("3", "nan", "3", "10", &iso, "mesh.vtu: point 3 of cell 0 has a coordinate that is not a number"),
        ("", "1", "3", "10", &iso, "mesh.vtu: the file ends before the array is complete"),
        (
            "3",
            "1",
            "3",
            "10",
            &["--iso", "1", "--variable", "w"],
            "no point array `w` with one component: choose with --variable among v",
        ),
        ("3", "1", "3", "10", &["--iso", "nan"], "give a finite number"),
    ] {
        let error = with(value, z, corner, kind, more).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    // A value that is missing is no error.
    assert!(with("nan", "1", "3", "10", &iso).unwrap().contains("0 triangles"));
    let error = run(folder, &["--field", "tangle", "--iso", "1", "--output", "out.stl"]).unwrap_err();
    assert!(error.contains("end the name in .vtp, .pvtp, .vtu or .ply"), "{error}");
}

#[test]
fn parts_cuts_and_probes_are_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let folder = folder.path();
    let with = |more: &[&str]| {
        let options = ["--field", "tangle", "--size", "9", "--report", "report.json"];
        let said = run(folder, &[&options[..], more].concat()).unwrap_or_else(|error| panic!("{more:?}: {error}"));
        (said, report(folder, "report.json"))
    };
    let (_, figures) = with(&["--boundary", "--output", "surface.vtp", "--image", "surface.png"]);
    assert_eq!((figures["triangles"].as_u64(), figures["points"].as_u64()), (Some(6 * 64), Some(6 * 64 + 2)));
    assert!((figures["area"].as_f64().unwrap() - 216.0).abs() < 1e-6);
    assert!(std::fs::read(folder.join("surface.png")).unwrap().starts_with(b"\x89PNG"));
    let (_, figures) = with(&["--edges", "45"]);
    assert_eq!(figures["lines"].as_u64(), Some(12 * 8));
    let (_, figures) = with(&["--tetrahedra", "--cut", "plane:0,0,0.1,0,0,1", "--normals", "--output", "cut.vtp"]);
    assert!((figures["area"].as_f64().unwrap() - 36.0).abs() < 1e-4);
    let (_, figures) = with(&["--threshold", ":1.5"]);
    let kept = figures["active_cells"].as_u64().unwrap();
    assert!(kept > 0 && kept < 512 && folder.join("contour.vtu").exists());
    let (_, figures) = with(&["--threshold", ":1.5", "--boundary"]);
    assert!(figures["triangles"].as_u64().unwrap() > 0);
    let (_, figures) = with(&["--probe", "cut.vtp", "--output", "probed.vtp"]);
    assert_eq!(figures["vertices"], figures["points"]);
    for (wrong, said) in [
        (&["--iso", "1", "--cut", "sphere:0,0,0,1"][..], "cannot be used with"),
        (&[], "required"),
        (&["--threshold", "3:1"], "give the lowest and the highest value"),
        (&["--cut", "cone:1"], "write plane:"),
        (&["--threshold", "-1000:1000", "--output", "cells.vtp"], "end the name in .vtu"),
        (&["--probe", "absent.vtp"], "absent.vtp"),
        (&["--boundary", "--image", "picture.jpg"], "pictures are .png files"),
    ] {
        let error = run(folder, &[&["--field", "tangle", "--size", "5"][..], wrong].concat()).unwrap_err();
        assert!(error.contains(said), "{wrong:?}: {error}");
    }
    assert!(!folder.join("cells.vtp").exists());
}
