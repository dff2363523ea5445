//! Wrong loops must not compile: what rustc itself says of them.
//!
//! The compiler's own tests check the messages of nearly all cases, in a moment (`macros/compiler/tests/refusals.rs`). rustc,
//! which takes longer, compiles the first case of each kind, so that the messages arrive as those tests assume. It also
//! compiles the cases whose mistake only rustc sees: it adds notes to them. Remedies may have new names (`old_x`), and only rustc
//! knows which macro a name comes from, so it compiles those cases too.
//!
//! After a change of its messages, `TRYBUILD=overwrite cargo test -p forall-refusals` writes them anew: read them as somebody
//! who has just made that mistake.

use std::path::{Path, PathBuf};

#[test]
fn wrong_loops_do_not_compile() {
    let tests = trybuild::TestCases::new();
    for kind in folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("ui")) {
        let cases = folder(&kind).into_iter().filter(|case| case.extension().is_some_and(|e| e == "rs"));
        for (number, case) in cases.enumerate() {
            let messages = std::fs::read_to_string(case.with_extension("stderr")).unwrap_or_default();
            let asked = ["= note: ", "error[E", "let old_"];
            if number == 0 || asked.iter().any(|words| messages.contains(words)) {
                tests.compile_fail(case.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap());
            }
        }
    }
}

/// The entries of a folder, in the order of the names.
fn folder(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
