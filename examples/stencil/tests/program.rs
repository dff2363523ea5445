//! The program as its user runs it.

use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &TempDir, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_stencil"));
    let output = program.current_dir(folder.path()).envs(settings.iter().copied()).args(arguments).output();
    output.expect("the program starts")
}

fn report(settings: &[(&str, &str)], arguments: &[&str]) -> Value {
    let folder = TempDir::new().expect("a temporary folder");
    let output = run(&folder, settings, &[arguments, &["--report", "report.json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read(folder.path().join("report.json")).expect("a report");
    serde_json::from_slice(&report).expect("JSON")
}

#[test]
fn tiles_and_threads_make_no_difference() {
    let checksum = |threads: &str, tile: &str| {
        let report = report(&[("FORALL_THREADS", threads)], &["--size", "100", "--steps", "7", "--tile", tile]);
        assert!(report["step_ms"].as_f64() > Some(0.0) && report["control_messages"] == 0 && report["bytes"] == 0);
        report["checksum"].to_string()
    };
    let whole = checksum("1", "100");
    for (threads, tile) in [("1", "7"), ("2", "32"), ("3", "1"), ("2", "500")] {
        assert_eq!(checksum(threads, tile), whole, "{threads} threads, tiles of {tile}");
    }
}

#[test]
fn a_picture_is_drawn_and_mistakes_are_named() {
    let folder = TempDir::new().expect("a temporary folder");
    let output = run(&folder, &[], &["--size", "40", "--steps", "3", "--tile", "16", "--image", "plane.png"]);
    assert!(output.status.success() && folder.path().join("plane.png").exists());
    for (arguments, message) in [
        (&["--tile", "0"][..], "0 is not in 1..=65536"),
        (&["--image", "plane.txt"], "plane.txt"),
        (&["--start", "cold"], "neither `peer` nor a file that ends in .png"),
        (&["--start", "none.png"], "none.png"),
        (&["--chart", "chart.svg"], "--sweep"),
        (&["--buffers", "3"], "3 is not in 1..=2"),
    ] {
        let output = run(&folder, &[], arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(message), "{said}");
    }
    let output = run(&folder, &[("FORALL_PLACEMENT", "nowhere")], &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("locality, round-robin"));
}

#[test]
fn one_plane_gives_what_two_give() {
    let checksum = |buffers: &str| {
        report(&[], &["--size", "90", "--steps", "5", "--tile", "32", "--buffers", buffers])["checksum"].to_string()
    };
    assert_eq!(checksum("1"), checksum("2"));
}

#[test]
fn a_picture_spreads_frame_by_frame() {
    let folder = TempDir::new().expect("a temporary folder");
    let drawn = |arguments: &[&str]| {
        let output = run(&folder, &[], arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    drawn(&["--size", "30", "--steps", "1", "--image", "first.png"]);
    drawn(&["--size", "50", "--steps", "4", "--start", "first.png", "--frames", "frames.png"]);
    let frames = std::fs::read(folder.path().join("frames.png")).expect("frames");
    assert!(frames.windows(4).any(|chunk| chunk == b"acTL"), "an animated picture");
}

#[test]
fn a_sweep_goes_through_the_sizes_of_tiles() {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments = ["--size", "100", "--steps", "2", "--sweep", "--chart", "chart.svg", "--report", "report.json"];
    let output = run(&folder, &[], &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reports = std::fs::read(folder.path().join("report.json")).expect("a report");
    let reports: Vec<Value> = serde_json::from_slice(&reports).expect("JSON");
    let tiles: Vec<u64> = reports.iter().filter_map(|report| report["tile"].as_u64()).collect();
    assert_eq!(tiles, [32, 64, 100]);
    assert!(reports.iter().all(|report| report["checksum"] == reports[0]["checksum"]));
    assert!(folder.path().join("chart.svg").exists());
}
