//! The order of the project's files: see `imports.rs` for what counts as an import.

use forall_architecture::Imports;
use std::path::Path;

#[test]
fn there_are_no_circles_of_files() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let crates = ["core", "backends/threads", "backends/mpi", "backends/gpu", "."];
    let mut found = String::new();
    for name in crates {
        let imports = Imports::of(&project.join(name).join("src/lib.rs"));
        for circle in imports.circles() {
            found += &format!("{name}/src: a circle of {} files\n{}", circle.len(), imports.among(&circle));
        }
    }
    assert!(found.is_empty(), "{found}");
}
