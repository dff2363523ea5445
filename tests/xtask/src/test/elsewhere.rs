//! Which step runs a test binary. Cargo cannot leave out tests by name, so the step `unit` has it start each binary by this program.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Tests whose loops run on a GPU: the step `gpu`.
pub const ON_GPU: [&str; 5] = ["calls", "device", "idioms", "language", "gpu"];
/// Tests of functions that are wrong: the step `refusals`.
pub const WRONG: [&str; 4] = ["refusals", "rustc", "stress", "trials"];
/// Loops on all backends: the step `corpus`.
pub const CORPUS: [&str; 1] = ["corpus"];

/// Whether another step than `unit` runs this test binary. Cargo adds a hash to the name of the test.
fn is_elsewhere(binary: &Path) -> bool {
    let file = binary.file_stem().unwrap_or_default().to_string_lossy();
    let name = file.rsplit_once('-').map_or(&*file, |(name, _)| name);
    [&ON_GPU[..], &WRONG, &CORPUS].concat().contains(&name)
}

/// Runs a test binary with its arguments, unless another step does.
pub fn run(command: &[OsString]) -> ExitCode {
    let [binary, arguments @ ..] = command else { return ExitCode::FAILURE };
    if is_elsewhere(Path::new(binary)) {
        println!("another step runs this test");
        return ExitCode::SUCCESS;
    }
    match start(Command::new(binary).args(arguments)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("cannot start {}: {error}", binary.display());
            ExitCode::FAILURE
        }
    }
}

/// Continues as another program, so that signals and the exit status are those of the test.
#[cfg(unix)]
fn start(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn start(command: &mut Command) -> std::io::Result<ExitCode> {
    Ok(if command.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use crate::shell::Shell;
    use crate::test;

    #[test]
    fn a_binary_belongs_to_the_step_of_its_test() {
        for name in ["gpu-0123456789abcdef", "rustc-1.exe", "corpus-2"] {
            assert!(is_elsewhere(&Path::new("/t/debug/deps").join(name)), "{name}");
        }
        for name in ["blocks-0123456789abcdef", "forall_gpu-1", "diy_matrix-2", "corpora-3", "gpu_more-4"] {
            assert!(!is_elsewhere(&Path::new("/t/debug/deps").join(name)), "{name}");
        }
    }

    #[test]
    fn all_named_tests_exist() {
        let project = Project::read(&Shell::new(false)).unwrap();
        let known = project.tests();
        let mut named = [&ON_GPU[..], &WRONG, &CORPUS].concat();
        let of_steps = [&test::ranks::NAMED[..], &test::examples::NAMED, &test::mpich::NAMED];
        named.extend(of_steps.into_iter().flatten().copied().flatten());
        for name in named {
            assert!(known.contains(&name), "no package has a test `{name}`");
        }
    }
}
