//! The order of the project's files: see `imports.rs` for what counts as an import.

use forall_architecture::Imports;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The crates, by their folders.
const CRATES: [&str; 7] =
    ["macros", "macros/compiler", "core", "backends/threads", "backends/mpi", "backends/gpu", "."];

/// Crates in which circles are left. One without any must not be here.
const CIRCLES_LEFT: [&str; 1] = ["backends/gpu"];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn there_are_no_circles_of_files() {
    let (mut found, mut left) = (String::new(), BTreeSet::new());
    for name in CRATES {
        let imports = Imports::of(&project().join(name).join("src/lib.rs"));
        for circle in imports.circles() {
            left.insert(name);
            if !CIRCLES_LEFT.contains(&name) {
                found += &format!("{name}/src: a circle of {} files\n{}", circle.len(), imports.among(&circle));
            }
        }
    }
    assert!(found.is_empty(), "{found}");
    assert_eq!(left, BTreeSet::from(CIRCLES_LEFT), "the crates in which circles are left");
}
