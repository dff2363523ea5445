//! The output of a program that runs on a graphics processor of a machine without a screen: nothing but its own.

use crate::common::gpu;
use forall::DistVec;
use std::process::Command;

#[forall::foreach]
fn doubled(x: &[u32], out: &mut [u32]) {
    for i in 0..out.len() {
        out[i] = 2 * x[i];
    }
}

/// The program: this file again, with one test that runs alone.
const PROGRAM: &str = "QUIET_PROGRAM";

#[test]
fn nothing_is_printed_where_there_is_no_screen() {
    if gpu().is_none() {
        return;
    }
    if std::env::var_os(PROGRAM).is_some() {
        let settings = forall::Settings { backend: forall::Backend::Gpu, require_gpu: true, ..Default::default() };
        let code = forall::run(settings, || {
            let x = DistVec::from_fn(1000, |i| i as u32);
            let mut out = DistVec::zeroed_like(&x);
            doubled(&x, &mut out);
            assert_eq!(out.to_all()[999], 1998);
        });
        assert_eq!(code, std::process::ExitCode::SUCCESS);
        return;
    }
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args(["--exact", "quiet::nothing_is_printed_where_there_is_no_screen", "--nocapture"])
        .env(PROGRAM, "1")
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("NODEVICE_SELECT")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
