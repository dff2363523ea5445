//! In the step `docs`, cargo calls this program in place of rustdoc to test the examples of a crate. The program writes the documentation of
//! the crate first: `cargo doc` would compile all dependencies once more.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// The variable with the folder for the documentation.
pub const FOLDER: &str = "XTASK_DOCUMENT_IN";

/// Runs rustdoc with the arguments of this program, and before that writes the documentation.
pub fn run(folder: &OsStr) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(document) = documenting(&arguments) {
        let mut rustdoc = Command::new("rustdoc");
        rustdoc.args(["-D", "warnings", "--out-dir"]).arg(folder).args(document);
        if !succeeds(&mut rustdoc) {
            return ExitCode::FAILURE;
        }
    }
    if succeeds(Command::new("rustdoc").args(arguments)) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot start rustdoc: {error}");
            false
        }
    }
}

/// The arguments with which rustdoc documents the crate that it would test. `None` if it tests none, or one of the tests' own crates, which
/// only the tests use.
fn documenting(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let of_tests = arguments.iter().any(|argument| argument.to_string_lossy().starts_with("tests/"));
    if of_tests || !arguments.iter().any(|argument| argument == "--test") {
        return None;
    }
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--test-run-directory" {
            rest.next();
        } else if argument != "--test" {
            kept.push(argument.clone());
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<String> {
        let arguments: Vec<_> = line.split(' ').map(OsString::from).collect();
        documenting(&arguments).map(|kept| kept.join(OsStr::new(" ")).into_string().unwrap())
    }

    #[test]
    fn the_arguments_for_tests_are_left_out() {
        let line = "--crate-name forall src/lib.rs --test --test-run-directory /w --extern forall_core=x";
        assert_eq!(of(line).unwrap(), "--crate-name forall src/lib.rs --extern forall_core=x");
    }

    #[test]
    fn crates_of_tests_and_other_calls_write_no_documentation() {
        assert_eq!(of("--crate-name forall_hostile tests/hostile/src/lib.rs --test"), None);
        assert_eq!(of("-vV"), None);
    }
}
