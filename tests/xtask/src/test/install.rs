//! The step `install`: the packages of Debian and Ubuntu, and the components of Rust that are missing.

use super::Job;
use crate::shell::is_installed;
use anyhow::{Result, ensure};
use std::process::Stdio;

/// Installs missing packages.
pub fn run(job: &Job) -> Result<()> {
    let missing = missing();
    if !missing.is_empty() {
        let names = missing.join(" ");
        ensure!(is_installed("apt-get"), "missing: {names}. This is not Debian or Ubuntu: install them by hand");
        let is_root = job.shell.read({
            let mut id = job.shell.command("id");
            id.arg("-u");
            id
        })?;
        let root: &[&str] = if is_root.trim() == "0" { &[] } else { &["sudo"] };
        ensure!(
            root.is_empty() || is_installed("sudo"),
            "missing: {names}. Install them as root: apt-get install {names}"
        );
        let as_root = |words: &[&str]| {
            let all = [root, words].concat();
            let mut command = job.shell.command(all[0]);
            command.args(&all[1..]);
            command
        };
        job.shell.run(as_root(&["apt-get", "update"]))?;
        let mut install = as_root(&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y"]);
        install.arg("--no-install-recommends").args(missing);
        job.shell.run(install)?;
    }
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let mut version = job.shell.cargo();
        version.args([command, "--version"]).stderr(Stdio::null());
        if job.shell.read(version).is_err() {
            let mut add = job.shell.command("rustup");
            add.args(["component", "add", component]);
            job.shell.run(add)?;
        }
    }
    Ok(())
}

/// The packages that are missing.
fn missing() -> Vec<&'static str> {
    let program = |name: &str| is_installed(name);
    // rsmpi reads the headers of MPI with libclang, which needs the headers that come with clang.
    let libclang = exists(&["/usr/lib/llvm-*/lib/libclang*.so*", "/usr/lib/*/libclang*.so*"]);
    let headers = exists(&["/usr/lib/llvm-*/lib/clang/*/include", "/usr/lib/clang/*/include"]);
    // Without a GPU, loops run on one in software.
    let driver = exists(&["/usr/share/vulkan/icd.d/*.json", "/etc/vulkan/icd.d/*.json"]);
    let vulkan = exists(&[
        "/lib/*/libvulkan.so.1",
        "/usr/lib/*/libvulkan.so.1",
        "/usr/lib*/libvulkan.so.1",
        "/usr/local/lib/libvulkan.so.1",
    ]);
    let needed = [
        ("openmpi-bin", program("mpirun")),
        ("libopenmpi-dev", program("mpicc")),
        ("build-essential", program("cc")),
        ("libclang-dev", libclang),
        ("clang", headers),
        ("mesa-vulkan-drivers", driver),
        ("libvulkan1", vulkan),
    ];
    needed.into_iter().filter(|(_, found)| !found).map(|(package, _)| package).collect()
}

/// Whether a file fits one of the patterns.
fn exists(patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| glob::glob(pattern).is_ok_and(|mut files| files.next().is_some()))
}
