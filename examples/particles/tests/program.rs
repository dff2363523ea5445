//! The program as its user runs it.

use forall_examples::cells::kind;
use forall_examples::read;
use serde_json::Value;
use std::f64::consts::TAU;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_particles"));
    let output = program.current_dir(folder).envs(settings.iter().copied()).args(arguments).output();
    output.expect("the program starts")
}

/// The report of a run.
fn report(folder: &TempDir, settings: &[(&str, &str)], arguments: &[&str]) -> Value {
    let output = run(folder.path(), settings, &[arguments, &["--report", "report.json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read(folder.path().join("report.json")).expect("a report");
    serde_json::from_slice(&report).expect("JSON")
}

const SMALL: [&str; 6] = ["--size", "12", "--particles", "40", "--steps", "60"];

#[test]
fn lines_are_traced_drawn_and_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let read_file = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let arguments = [&SMALL[..], &["--step", "0.1", "--output", "lines.vtp"]].concat();
    let found = report(&folder, &[], &arguments);
    for (key, value) in
        [("particles", 40), ("finished", 40), ("left_the_domain", 0), ("stopped", 0), ("steps", 2400), ("points", 2440)]
    {
        assert_eq!(found[key], value, "{key}");
    }
    assert!(found["rounds"].as_u64() > Some(1) && found["bytes"].as_u64() > Some(0));
    for phase in ["read", "trace", "write"] {
        assert!(found["seconds"][phase].as_f64() >= Some(0.0), "{phase}");
    }
    // Lines are cut where they leave the periodic domain, and no part of a line crosses it.
    let mesh = read::mesh(&folder.path().join("lines.vtp"), Some("speed")).expect("lines");
    assert_eq!((mesh.points.len(), mesh.corners.len()), (2440, 2440));
    assert!(mesh.len() > 40 && mesh.values.iter().all(|speed| *speed >= 0.0 && *speed < 5.0));
    for cell in (0..mesh.len()).filter(|cell| mesh.kinds[*cell] == kind::POLYLINE) {
        for pair in mesh.corners_of(cell).windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|corner| mesh.points[corner as usize]);
            assert!((0..3).all(|axis| (from[axis] - to[axis]).abs() < 0.5));
        }
    }

    // Blocks, threads and the disk make no difference.
    let files = || (read_file("lines.vtp"), read_file("particles.png"));
    let expected = files();
    for (settings, blocks) in
        [(&[("FORALL_BLOCKS", "1"), ("FORALL_THREADS", "2")][..], "8"), (&[("FORALL_THREADS", "3")], "1")]
    {
        let again = report(&folder, settings, &[&arguments[..], &["--blocks", blocks]].concat());
        assert_eq!((&again["checksum"], &again["steps"]), (&found["checksum"], &found["steps"]));
        assert!(files() == expected);
    }
    // Fewer points, and the same lines.
    let fewer = report(&folder, &[], &[&arguments[..], &["--every", "7"]].concat());
    assert_eq!(fewer["checksum"], found["checksum"]);
    assert_eq!(read::mesh(&folder.path().join("lines.vtp"), None).expect("lines").points.len(), 40 * 9);
}

#[test]
fn a_run_goes_on_where_it_was_saved() {
    let folder = TempDir::new().expect("a temporary folder");
    for more in [
        &["--step", "0.1"][..],
        &["--step", "0.1", "--adaptive", "1e-4", "--pathlines"],
        &["--step", "-0.1", "--domain", "bounded"],
    ] {
        let arguments = [&SMALL[..], more, &["--output", "lines.vtp"]].concat();
        let whole = report(&folder, &[], &arguments);
        let lines = std::fs::read(folder.path().join("lines.vtp")).expect("lines");
        let first =
            [&SMALL[..4], more, &["--steps", "35", "--save", "state", "--save-every", "15", "--blocks", "5"]].concat();
        report(&folder, &[], &first);
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .filter(|name| name.starts_with("state"))
            .collect();
        names.sort();
        assert_eq!(names, ["state.30", "state.35"]);
        for lost in ["state.35", ""] {
            // By the name of the run, or of the file.
            let state = if lost.is_empty() { "state.30" } else { "state" };
            let again = report(&folder, &[], &[&arguments[..], &["--restart", state]].concat());
            for key in ["checksum", "particles", "finished", "left_the_domain", "stopped", "steps", "points"] {
                assert_eq!(again[key], whole[key], "{key}");
            }
            assert!(std::fs::read(folder.path().join("lines.vtp")).expect("lines") == lines);
            // The one before it does as well.
            if !lost.is_empty() {
                std::fs::remove_file(folder.path().join(lost)).expect("the last state");
            }
        }
    }
}

/// A NetCDF-3 file with the variables u, v and w over `[time,] z, y, x`: a wind along x that grows with time, on an axis that falls.
fn netcdf(folder: &TempDir, name: &str, times: usize) {
    let word = |number: usize| (number as u32).to_be_bytes().to_vec();
    let text = |text: &str| {
        let mut bytes = [word(text.len()), text.as_bytes().to_vec()].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let n = [9, 3, 4];
    let all = [("time", times.max(1)), ("z", n[2]), ("y", n[1]), ("x", n[0])];
    let dimensions = all.iter().map(|(name, length)| [text(name), word(*length)].concat());
    let doubles = |values: Vec<f64>| values.into_iter().flat_map(f64::to_be_bytes).collect::<Vec<u8>>();
    let along = |n: usize| (0..n).map(|i| i as f64).collect::<Vec<f64>>();
    let of = if times > 0 { vec![0, 1, 2, 3] } else { vec![1, 2, 3] };
    let field =
        |speed: fn(usize) -> f64| doubles((0..times.max(1)).flat_map(|t| vec![speed(t); n.iter().product()]).collect());
    let variables: [(&str, Vec<usize>, Vec<u8>); 5] = [
        ("time", vec![0], doubles(along(times.max(1)))),
        // From 8 down to 0.
        ("x", vec![3], doubles(along(9).into_iter().rev().collect())),
        ("u", of.clone(), field(|t| 1.0 + t as f64)),
        ("v", of.clone(), field(|_| 0.0)),
        ("w", of, field(|_| 0.0)),
    ];
    let header = |offsets: &[usize]| {
        let described = variables.iter().zip(offsets).map(|((name, of, data), offset)| {
            let of: Vec<u8> = [word(of.len()), of.iter().flat_map(|d| word(*d)).collect()].concat();
            [text(name), of, vec![0; 8], word(6), word(data.len()), word(*offset)].concat()
        });
        let described: Vec<u8> = described.flatten().collect();
        let dimensions: Vec<u8> = dimensions.clone().flatten().collect();
        [b"CDF\x01".to_vec(), word(0), word(10), word(4), dimensions, vec![0; 8], word(11), word(5), described].concat()
    };
    let mut offsets = vec![header(&[0; 5]).len()];
    variables.iter().for_each(|(_, _, data)| offsets.push(offsets[offsets.len() - 1] + data.len()));
    let data: Vec<u8> = variables.iter().flat_map(|(_, _, data)| data.clone()).collect();
    std::fs::write(folder.path().join(name), [header(&offsets[..5]), data].concat()).expect("a file");
}

/// The points of the lines of one particle that the program writes.
fn line(folder: &TempDir) -> Vec<[f32; 3]> {
    read::mesh(&folder.path().join("lines.vtp"), None).expect("lines").points
}

#[test]
fn fields_are_read_from_netcdf() {
    let folder = TempDir::new().expect("a temporary folder");
    netcdf(&folder, "steady.nc", 0);
    netcdf(&folder, "wind.nc", 3);
    std::fs::write(folder.path().join("seed.txt"), "0.5 1 1.5\n").expect("a file");
    let common = ["--input", "seed.txt", "--output", "lines.vtp", "--step", "0.25", "--blocks", "4"];
    let found = report(&folder, &[], &[&common[..], &["--field", "steady.nc"]].concat());
    // From 0.5 to 8.
    assert_eq!((&found["left_the_domain"], &found["steps"]), (&1.into(), &30.into()));
    assert_eq!(line(&folder).last(), Some(&[8.0, 1.0, 1.5]));

    // The wind is 1 + t from 0 to 2: x = 0.5 + t + t^2 / 2, which the scheme follows exactly.
    let found = report(&folder, &[], &[&common[..], &["--field", "wind.nc", "--pathlines"]].concat());
    assert_eq!((&found["left_the_domain"], &found["steps"]), (&1.into(), &8.into()));
    for (k, point) in line(&folder).iter().enumerate() {
        let t = k as f32 * 0.25;
        assert!((point[0] - (0.5 + t + 0.5 * t * t)).abs() < 1e-6, "{point:?} at {t}");
    }
    // Its streamlines are those of the first time.
    let found =
        report(&folder, &[], &[&common[..], &["--field", "wind.nc", "--domain", "periodic", "--steps", "50"]].concat());
    assert_eq!((&found["finished"], &found["steps"]), (&1.into(), &50.into()));
    assert_eq!(line(&folder).last(), Some(&[4.0, 1.0, 1.5]));
}

/// The components of a rotation in three arrays.
#[test]
fn fields_are_read_from_vtk_images() {
    let folder = TempDir::new().expect("a temporary folder");
    let points =
        || (0..3).flat_map(|_| (0..9).flat_map(|y| (0..9).map(move |x| [x, y].map(|i| f64::from(i) * 0.5 - 2.0))));
    let array = |name: &str, value: fn([f64; 2]) -> f64| {
        let values: Vec<String> = points().map(|at| value(at).to_string()).collect();
        format!("<DataArray type=\"Float64\" Name=\"{name}\" format=\"ascii\">{}</DataArray>\n", values.join(" "))
    };
    let arrays = [array("vx", |[_, y]| -y), array("vy", |[x, _]| x), array("vz", |_| 0.0)].concat();
    let text = format!(
        "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\"><ImageData WholeExtent=\"0 8 0 8 0 2\" Origin=\"-2 -2 0\" \
         Spacing=\"0.5 0.5 1\"><Piece Extent=\"0 8 0 8 0 2\"><PointData>{arrays}</PointData></Piece></ImageData></VTKFile>"
    );
    std::fs::write(folder.path().join("turn.vti"), text).expect("a file");
    std::fs::write(folder.path().join("seed.txt"), "1 0 1\n").expect("a file");
    let step = (TAU / 100.0).to_string();
    let arguments =
        ["--field", "turn.vti", "--variable", "vx,vy,vz", "--input", "seed.txt", "--steps", "100", "--step", &step];
    let found = report(&folder, &[], &[&arguments[..], &["--output", "lines.vtp"]].concat());
    assert_eq!(found["finished"], 1);
    let line = line(&folder);
    let ([x, y, _], [ahead, turned, _]) = (line[100], line[25]);
    assert!((x - 1.0).abs() < 1e-5 && y.abs() < 1e-5 && ahead.abs() < 1e-5 && (turned - 1.0).abs() < 1e-5, "{line:?}");
}

#[test]
fn what_is_wrong_is_said_in_one_line_and_nothing_is_left_behind() {
    let folder = TempDir::new().expect("a temporary folder");
    netcdf(&folder, "steady.nc", 0);
    std::fs::write(folder.path().join("seeds.txt"), "0 0 0\n1 nan 2\n").expect("a file");
    report(&folder, &[], &[&SMALL[..], &["--save", "state"]].concat());
    std::fs::write(folder.path().join("cut.7"), "forall").expect("a file");
    let names = || {
        let entries = std::fs::read_dir(folder.path()).expect("the folder");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    for (arguments, message) in [
        (&["--field", "none.nc"][..], "cannot read none.nc"),
        (&["--field", "field.dat"], "the name does not tell the format"),
        (&["--field", "steady.nc", "--variable", "a,v,w"], "there is no variable `a`"),
        (&["--field", "steady.nc", "--variable", "u,v"], "give three variables"),
        (&["--field", "steady.nc", "--pathlines"], "has values at one time only"),
        (&["--input", "none.txt"], "cannot read none.txt"),
        (&["--input", "seeds.txt"], "seeds.txt, line 2: `nan` is no finite number"),
        (&["--input", "seeds.txt", "--columns", "1,2"], "give three columns"),
        (&["--step", "0"], "--step 0: give a length"),
        (&["--step", "inf"], "--step inf: give a length"),
        (&["--adaptive", "0"], "--adaptive 0: give a positive error"),
        (&["--adaptive", "nan"], "--adaptive NaN: give a positive error"),
        (&["--blocks", "0"], "--blocks"),
        (&["--size", "1"], "--size"),
        (&["--image", "x.jpg"], "pictures are .png files"),
        (&["--output", "x.pvtp"], "end the name in .vtp, .vtu or .ply"),
        (&["--output", "x.txt"], "end the name in"),
        (&["--save", "no/state"], "give the name of a file in a folder that exists"),
        (&["--save-every", "5"], "--save"),
        (&["--restart", "nothing"], "there is no state nothing.N to go on from"),
        (&["--restart", "cut"], "cut.7"),
        (
            &["--restart", "state", "--size", "12", "--step", "0.5"],
            "saved with --step 0.02, and this run has --step 0.5",
        ),
        (&["--restart", "state", "--size", "12", "--steps", "59"], "have taken 60 steps; give at least as many"),
        (&["--restart", "state", "--input", "seeds.txt"], "cannot be used with"),
    ] {
        let output = run(folder.path(), &[], arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && !text.contains("panicked") && text.contains(message),
            "{arguments:?}: {text}"
        );
        assert_eq!(names(), before, "{arguments:?}");
    }
}
