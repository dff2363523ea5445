//! The wording of the pages and of all documentation comments: see `words.rs` for the rules.

use forall_architecture::words::{Finding, in_file, in_markdown, in_rust};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders whose documentation is checked.
const FOLDERS: [&str; 7] = ["backends", "benches", "core", "examples", "macros", "src", "tests"];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages at the top level, and all pages and Rust files in the folders, but for those that cargo has made.
fn texts() -> Vec<PathBuf> {
    let is_text = |file: &Path| file.extension().is_some_and(|extension| extension == "md" || extension == "rs");
    let mut folders: Vec<_> = FOLDERS.iter().map(|folder| project().join(folder)).collect();
    let mut files: Vec<_> = fs::read_dir(project()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.is_file());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true if path.ends_with("target") => {}
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|file| is_text(file));
    files.sort();
    files
}

#[test]
fn sentences_are_plain() {
    let mut found = String::new();
    for file in texts() {
        let name = file.strip_prefix(project()).unwrap().to_string_lossy().replace('\\', "/");
        for Finding { line, rule, sentence } in in_file(&file) {
            found += &format!("{name}:{line}: {rule}: {sentence}\n");
        }
    }
    assert!(found.is_empty(), "{found}{} sentences break a rule", found.lines().count());
}

#[test]
fn the_check_finds_the_patterns() {
    let rules = |text: &str| in_markdown(text).into_iter().map(|finding| finding.rule).collect::<Vec<_>>();
    let long = "word ".repeat(36);
    assert_eq!(rules("It runs. What it does is fast.\n\n# What it is\n"), ["begins with `What`"; 2]);
    assert_eq!(rules("A loop, the iterations\nof which run.\n"), ["has `of which`"]);
    assert_eq!(rules(&format!("- {long}\n")), ["has more than 35 words"]);
    assert_eq!(rules(&format!("| a | {long} |\n")), ["has more than 35 words"]);
    assert_eq!(in_rust(&format!("/// One.\n///\n/// {long}\nfn f() {{}}")).first().map(|found| found.line), Some(3));
    for right in [
        &format!("```\n{long}\n```\n"),
        &format!("`{long}` is code.\n"),
        &format!("- {}\n- {}\n", "word ".repeat(20), "word ".repeat(20)),
        &format!("{}. {}.\n", "Word ".repeat(20), "Word ".repeat(20)),
        "It says what it does, e.g. [a link](https://example.org/what).\n",
    ] {
        assert_eq!(rules(right), [""; 0], "{right}");
    }
    assert!(in_rust("// What is no documentation.\nlet what = 1;").is_empty());
}
