//! The program as its user runs it.

use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &TempDir, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_advection"));
    let output = program.current_dir(folder.path()).envs(settings.iter().copied()).args(arguments).output();
    output.expect("the program starts")
}

#[test]
fn mass_is_the_same_with_one_block_in_memory() {
    let masses = |settings: &[(&str, &str)]| {
        let folder = TempDir::new().expect("a temporary folder");
        let arguments =
            ["--size", "16", "--blocks", "4", "--steps", "5", "--report", "report.json", "--image", "cloud.png"];
        let output = run(&folder, settings, &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(folder.path().join("cloud.png").exists());
        let report = std::fs::read(folder.path().join("report.json")).expect("a report");
        let report: Value = serde_json::from_slice(&report).expect("JSON");
        assert_eq!(report["boxes"].as_array().map(Vec::len), Some(3));
        let [before, behind] = [0, 1].map(|at| report["mass"][at].as_f64().expect("a mass"));
        assert!((before - behind).abs() < 1e-15, "{before} {behind}");
        report["mass"].to_string()
    };
    assert_eq!(masses(&[("FORALL_THREADS", "2")]), masses(&[("FORALL_THREADS", "1"), ("FORALL_BLOCKS", "1")]));
}

#[test]
fn mistakes_are_named() {
    let folder = TempDir::new().expect("a temporary folder");
    for (arguments, message) in [
        (&["--levels", "0"][..], "0 is not in 1..=8"),
        (&["--blocks", "0"], "0 is not in 1..=65536"),
        (&["--image", "cloud.txt"], "cloud.txt"),
    ] {
        let output = run(&folder, &[], arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(message), "{said}");
    }
}
