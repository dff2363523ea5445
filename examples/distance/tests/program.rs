//! The program as its user runs it.

use forall_examples::read::{Choice, Source};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_distance"));
    let output = program.current_dir(folder).envs(settings.iter().copied()).args(arguments).output();
    output.expect("the program starts")
}

/// The output of the program, and its report.
fn report(folder: &TempDir, settings: &[(&str, &str)], arguments: &[&str]) -> (String, Value) {
    let output = run(folder.path(), settings, &[arguments, &["--report", "report.json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read(folder.path().join("report.json")).expect("a report");
    (String::from_utf8_lossy(&output.stdout).into_owned(), serde_json::from_slice(&report).expect("JSON"))
}

#[test]
fn distances_are_measured_drawn_and_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments =
        ["--field", "tangle", "--size", "21", "--iso", "0.5", "--unit", "--blocks", "6", "--output", "d.vti"];
    let (said, found) = report(&folder, &[], &arguments);
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names, ["d.vti", "distance.png", "report.json"]);
    assert!(said.contains("points inside, above 0.5"), "{said}");
    let source = Source::open(&folder.path().join("d.vti"), &Choice::default()).expect("a volume");
    assert_eq!((source.name.as_str(), source.grid.shape()), ("distance", [21; 3]));
    let written = source.planes(0..21, &mut |_| {}).expect("values");
    let squares = |inside: bool| {
        let of_side = written.iter().filter(move |distance| (**distance < 0.0) == inside);
        of_side.map(|distance| (f64::from(*distance).powi(2)).round()).collect::<Vec<_>>()
    };
    for (inside, [count, most, sum]) in
        [(true, ["inside", "most_inside", "sum_inside"]), (false, ["outside", "most_outside", "sum_outside"])]
    {
        let squares = squares(inside);
        assert!(!squares.is_empty());
        assert_eq!(found[count].as_u64(), Some(squares.len() as u64));
        assert_eq!(found[most].as_f64(), squares.iter().copied().reduce(f64::max));
        assert_eq!(found[sum].as_f64(), Some(squares.iter().sum()));
    }

    // The distances are those of the other format, and a volume of it is read by the next program.
    let array = [&arguments[..9], &["--output", "d.npy"]].concat();
    report(&folder, &[], &array);
    let again = Source::open(&folder.path().join("d.npy"), &Choice::default()).expect("an array");
    assert_eq!(again.planes(0..21, &mut |_| {}).expect("values"), written);
    let (_, outside) = report(&folder, &[], &["--input", "d.npy", "--iso", "0", "--blocks", "6"]);
    assert_eq!(outside["inside"], found["outside"]);

    // Blocks on the disk make no difference.
    let written = std::fs::read(folder.path().join("d.vti")).expect("distances");
    let (said, again) = report(&folder, &[("FORALL_BLOCKS", "1"), ("FORALL_THREADS", "2")], &arguments);
    assert!(said.contains("to the disk") && again["written_to_disk_bytes"].as_u64() > Some(0), "{said}");
    for key in ["inside", "sum_inside", "sum_outside", "iso"] {
        assert_eq!(again[key], found[key], "{key}");
    }
    assert_eq!(std::fs::read(folder.path().join("d.vti")).expect("distances"), written);
}

#[test]
fn the_sample_of_the_ocean_is_measured() {
    let folder = TempDir::new().expect("a temporary folder");
    let (said, found) = report(&folder, &[], &["--image", "ocean.png", "--plane", "3"]);
    assert!(said.contains("degC") && said.contains("of the plane 3"), "{said}");
    assert_eq!(found["inside"].as_u64().zip(found["outside"].as_u64()).map(|(a, b)| a + b), Some(360 * 180 * 20));
}

#[test]
fn a_volume_without_a_surface_is_no_mistake() {
    let folder = TempDir::new().expect("a temporary folder");
    let (said, found) = report(&folder, &[], &["--field", "waves", "--size", "5", "--iso", "7"]);
    assert!(said.contains("--iso says where the surface is"), "{said}");
    assert_eq!((&found["inside"], &found["outside"]), (&0.into(), &125.into()));
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_nothing_is_left_behind() {
    let folder = TempDir::new().expect("a temporary folder");
    std::fs::write(folder.path().join("nan.raw"), [f32::NAN.to_le_bytes(); 8].concat()).expect("a file");
    for (arguments, message) in [
        (&["--input", "none.nii"][..], "cannot read none.nii"),
        (&["--image", "x.jpg"], "pictures are .png files"),
        (&["--output", "x.vtk"], "volumes are .vti or .npy files"),
        (&["--output", "x.vti"], "lie unevenly"),
        (&["--unit", "--output", "no/x.vti"], "give the name of a file in a folder that exists"),
        (&["--plane", "20"], "the volume has 20 planes, from 0 to 19"),
        (&["--iso", "nan"], "give a number"),
        (&["--blocks", "0"], "--blocks"),
        (&["--input", "nan.raw", "--raw", "2x2x2:f32le"], "all values of"),
        (&["--field", "tangle", "--input", "x.nii"], "cannot be used with"),
    ] {
        let output = run(folder.path(), &[], arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && !text.contains("panicked") && text.contains(message),
            "{arguments:?}: {text}"
        );
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1, "{arguments:?}");
    }
}
