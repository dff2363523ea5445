//! The program as its user runs it.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_volume"));
    program.current_dir(folder).args(arguments).output().expect("the program starts")
}

/// The output of the program, and its report.
fn report(folder: &TempDir, arguments: &[&str]) -> (String, serde_json::Value) {
    let output = run(folder.path(), &[arguments, &["--report", "report.json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read(folder.path().join("report.json")).expect("a report");
    (String::from_utf8_lossy(&output.stdout).into_owned(), serde_json::from_slice(&report).expect("JSON"))
}

/// The message with which the program refuses.
fn refusal(folder: &TempDir, arguments: &[&str]) -> String {
    let output = run(folder.path(), arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && !text.contains("panicked"), "{arguments:?}: {text}");
    text
}

/// Pixels along x and y of a picture, and its bytes.
fn picture(path: &Path) -> ([u32; 2], Vec<u8>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    ([info.width, info.height], bytes)
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("the folder is there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn write(folder: &TempDir, name: &str, values: impl Iterator<Item = f32>) {
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    std::fs::write(folder.path().join(name), bytes).expect("a file");
}

#[test]
fn a_picture_is_drawn_and_measured() {
    let folder = TempDir::new().expect("a temporary folder");
    let field = ["--field", "waves", "--size", "20", "--pixels", "60x40", "--transfer", "viridis", "--camera", "20,30"];
    let (_, found) = report(&folder, &field);
    assert_eq!(names(&folder), ["report.json", "volume.png"]);
    for key in ["read", "prepare", "render", "composite", "gather", "write"] {
        assert!(found["seconds"][key].as_f64().expect(key) >= 0.0, "{key}");
    }
    for key in ["mean_transmittance", "ranks", "threads"] {
        assert!(found[key].as_f64().expect(key) > 0.0, "{key}");
    }
    let (size, bytes) = picture(&folder.path().join("volume.png"));
    assert_eq!(size, [60, 40]);
    assert!(bytes.chunks(3).any(|pixel| pixel != &bytes[..3]));
    let (said, _) = report(&folder, &[&field[..], &["--opacity", "0.9:0,1:0.5,5:0.5", "--range", "-2,0.5"]].concat());
    assert!(said.contains("% of the light comes through"), "{said}");
    let (said, _) = report(&folder, &[&field[..], &["--opacity", "7:0,8:1", "--image", "clear.png"]].concat());
    assert!(said.contains("nothing is to be seen: --opacity makes"), "{said}");
}

#[test]
fn the_sample_of_the_ocean_is_drawn() {
    let folder = TempDir::new().expect("a temporary folder");
    let (said, _) = report(&folder, &["--pixels", "40x30", "--step", "2"]);
    assert!(said.contains("values from -2.02 to 29.74 degC") && said.contains("unevenly spaced"), "{said}");
}

#[test]
fn projections_are_measured() {
    let folder = TempDir::new().expect("a temporary folder");
    write(&folder, "v.raw", (0..24).map(|i| i as f32));
    let raw = ["--input", "v.raw", "--raw", "2x3x4:f32le"];
    let (_, found) = report(&folder, &[&raw[..], &["--mip", "z", "--image", "mip.png"]].concat());
    // The last plane holds 18 to 23.
    assert_eq!(found["sum"].as_f64(), Some(123.0));
    assert_eq!(picture(&folder.path().join("mip.png")).0, [2, 3]);
    let project = ["--project", "y", "--opacity", "0.5", "--range", "0,46"];
    let (_, found) = report(&folder, &[&raw[..], &project].concat());
    let mut means = [0.0; 2];
    for (x, z) in (0..8).map(|i| (i % 2, i / 2)) {
        let (mut colour, mut through) = (0.0, 1.0);
        for v in (0..3).map(|y| f64::from(x + 2 * y + 6 * z) / 46.0) {
            colour += through * 0.5 * v * v;
            through *= 1.0 - 0.5 * v;
        }
        means = [means[0] + colour / 8.0, means[1] + through / 8.0];
    }
    for (key, mean) in ["mean_colour", "mean_transmittance"].into_iter().zip(means) {
        assert!((found[key].as_f64().expect(key) - mean).abs() < 1e-12, "{key}");
    }
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_nothing_is_left_behind() {
    let folder = TempDir::new().expect("a temporary folder");
    let field = ["--field", "tangle", "--size", "4"];
    for (arguments, message) in [
        (&["--input", "none.nii"][..], "cannot read none.nii"),
        (&["--image", "x.jpg"], "pictures are .png files"),
        (&["--image", "no/x.png"], "give the name of a file in a folder that exists"),
        (&["--report", "no/x.json"], "give the name of a file in a folder that exists"),
        (&["--variable", "SALT"], "choose with --variable among TEMP"),
        (&["--transfer", "pink"], "grey"),
        (&["--opacity", "1.5"], "an opacity from 0 to 1"),
        (&["--opacity", "3:0,2:1"], "values that rise"),
        (&["--opacity", "3:0,4:nan"], "an opacity from 0 to 1"),
        (&["--range", "3,3"], "two numbers that rise"),
        (&["--camera", "1"], "AZIMUTH,ELEVATION"),
        (&["--distance", "-1"], "a number from 0 to 100"),
        (&["--step", "0"], "a number from 0.05 to 16"),
        (&["--dark", "1"], "a number from 0 to 0.5"),
        (&["--pixels", "0x4"], "two numbers from 1 to 32768"),
        (&["--field", "tangle", "--size", "1"], "--size"),
        (&["--project", "w"], "[possible values: x, y, z]"),
        (&["--project", "x", "--mip", "y"], "cannot be used with"),
        (&["--project", "x", "--opacity", "0:0,1:1"], "--project takes one --opacity"),
    ] {
        let field = if arguments.iter().any(|a| ["--input", "--variable", "--field"].contains(a)) {
            &[][..]
        } else {
            &field[..]
        };
        let text = refusal(&folder, &[field, arguments].concat());
        assert!(text.contains(message), "{arguments:?}: {text}");
    }
    assert_eq!(names(&folder), Vec::<String>::new());
}

#[test]
fn volumes_without_values_or_thickness_are_refused_by_name() {
    let folder = TempDir::new().expect("a temporary folder");
    write(&folder, "none.raw", (0..27).map(|_| f32::NAN));
    write(&folder, "cut.raw", (0..26).map(|_| 1.0));
    std::fs::write(folder.path().join("cut.nii.gz"), b"\x1f\x8b\x08\0\0\0\0\0").expect("a file");
    let cube = |name| ["--input", name, "--raw", "3x3x3:f32le"];
    assert!(refusal(&folder, &cube("none.raw")).contains("none.raw: all values of none are missing"));
    assert!(refusal(&folder, &cube("cut.raw")).contains("cut.raw: the file ends before the volume"));
    assert!(refusal(&folder, &["--input", "none.raw", "--raw", "0x3x3:f32le"]).contains("the volume is empty"));
    let flat = refusal(&folder, &["--input", "none.raw", "--raw", "9x1x3:f32le"]);
    assert!(flat.contains("one point along y, and rays need two; --project y shows it"), "{flat}");
    assert!(refusal(&folder, &["--input", "cut.nii.gz"]).contains("cut.nii.gz: "));
    assert_eq!(names(&folder), ["cut.nii.gz", "cut.raw", "none.raw"]);
    // One value everywhere is a volume as any other.
    write(&folder, "flat.raw", (0..27).map(|_| 5.0));
    let small = ["--pixels", "9x9"];
    let (said, _) = report(&folder, &[&cube("flat.raw")[..], &small].concat());
    assert!(said.contains("values from 5 to 5"), "{said}");
    report(&folder, &[&cube("flat.raw")[..], &["--project", "x"]].concat());
}
