//! Commands: in the environment of all tasks, printed in place of run, or with their output in a file.

use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;

/// Variables that begin with one of these do not reach commands. The first make every test a rank, if a rank of an MPI program starts the
/// task. Then the settings of the user, and those that `cargo run` sets for this program.
const UNSET: [&str; 9] = [
    "OMPI_COMM_",
    "PMI_",
    "PMIX_",
    "MPI_LOCAL",
    "SLURM_STEP",
    "FORALL_",
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_BIN_NAME",
];

/// Runs commands.
#[derive(Debug)]
pub struct Shell {
    /// Prints commands in place of running them.
    pub dry_run: bool,
    /// The file for the output of commands, or the terminal.
    log: Option<File>,
    /// By how much the priority of commands is lower.
    nice: usize,
}

impl Shell {
    /// Commands with output on the terminal.
    pub fn new(dry_run: bool) -> Shell {
        Shell { dry_run, log: None, nice: 0 }
    }

    /// Commands with output in a file and a lower priority.
    pub fn with_log(&self, log: &Path, nice: usize) -> Result<Shell> {
        let log = File::create(log).with_context(|| log.display().to_string())?;
        Ok(Shell { dry_run: self.dry_run, log: Some(log), nice })
    }

    /// A command in the folder of the project.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = match self.nice {
            0 => Command::new(program),
            nice => {
                let mut command = Command::new("nice");
                command.arg("-n").arg(nice.to_string()).arg(program);
                command
            }
        };
        let unset = |name: &String| UNSET.iter().any(|prefix| name.starts_with(prefix));
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in names.filter(unset) {
            command.env_remove(name);
        }
        command.current_dir(root());
        command
    }

    /// A command of cargo. The compiler of clippy compiles the packages of the workspace: it is rustc, and checks the code on its way. `cargo
    /// clippy` by itself would compile everything once more.
    pub fn cargo(&self) -> Command {
        let mut command = self.command("cargo");
        command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings");
        // lavapipe compiles shaders with vectors of four numbers in a seventh less time than with eight. The results are the same.
        // Code that is compiled once needs no notes for the next change of a line.
        let defaults = [("CARGO_TERM_COLOR", "auto"), ("CARGO_INCREMENTAL", "0"), ("LP_NATIVE_VECTOR_WIDTH", "128")];
        for (name, value) in defaults {
            if std::env::var_os(name).is_none_or(|value| value.is_empty()) {
                command.env(name, value);
            }
        }
        command
    }

    /// Runs a command.
    ///
    /// # Errors
    /// If it cannot be started or fails.
    pub fn run(&self, mut command: Command) -> Result<()> {
        let text = shown(&command);
        if self.dry_run {
            self.print(&format!("{text}\n"));
            return Ok(());
        }
        if let Some(log) = &self.log {
            command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?);
        }
        self.wait(command, &text, None)
    }

    /// Runs a command, also in a dry run, and returns the text that it prints.
    ///
    /// # Errors
    /// If it cannot be started, fails, or prints something other than text.
    pub fn read(&self, mut command: Command) -> Result<String> {
        let text = shown(&command);
        command.stdout(Stdio::piped());
        if let Some(log) = &self.log {
            command.stdin(Stdio::null()).stderr(log.try_clone()?);
        }
        let mut output = String::new();
        self.wait(command, &text, Some(&mut output))?;
        Ok(output)
    }

    /// Runs a command, and returns the text that it prints, which is shown too. Nothing in a dry run.
    ///
    /// # Errors
    /// If it cannot be started, fails, or prints something other than text.
    pub fn output(&self, command: Command) -> Result<String> {
        if self.dry_run {
            self.run(command)?;
            return Ok(String::new());
        }
        let output = self.read(command)?;
        self.print(&output);
        Ok(output)
    }

    fn wait(&self, mut command: Command, text: &str, output: Option<&mut String>) -> Result<()> {
        let own_group = self.log.is_some();
        if own_group {
            in_own_group(&mut command);
        }
        let mut child = command.spawn().with_context(|| format!("cannot start: {text}"))?;
        let running = Running { process: child.id(), own_group };
        lock().push(running);
        let read = match (output, &mut child.stdout) {
            (Some(output), Some(from)) => from.read_to_string(output),
            _ => Ok(0),
        };
        let status = child.wait();
        lock().retain(|other| other.process != running.process);
        read.with_context(|| format!("the output of: {text}"))?;
        let status: ExitStatus = status.with_context(|| text.to_owned())?;
        ensure!(status.success(), "failed with {status}: {text}");
        Ok(())
    }

    /// Prints a heading.
    pub fn say(&self, heading: &str) {
        self.print(&format!("\n\x1b[1m== {heading} ==\x1b[0m\n"));
    }

    /// Prints a text to where the output of commands goes.
    pub fn print(&self, text: &str) {
        // A terminal or a disk that takes no more text must not hide the result of a step.
        let _ = match &self.log {
            Some(log) => (&*log).write_all(text.as_bytes()),
            None => std::io::stdout().write_all(text.as_bytes()),
        };
    }
}

/// The folder of the project.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("this package is in `tests/xtask`").to_owned()
}

/// Whether a program can be found.
pub fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// A command as a line for a shell.
fn shown(command: &Command) -> String {
    let quoted = |text: &OsStr| shell_words::quote(&text.to_string_lossy()).into_owned();
    let mut line = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            let _ = write!(line, "{}={} ", name.to_string_lossy(), quoted(value));
        }
    }
    line += &quoted(command.get_program());
    command.get_args().for_each(|argument| line += &format!(" {}", quoted(argument)));
    line
}

/// A process that this program waits for.
#[derive(Debug, Clone, Copy)]
struct Running {
    process: u32,
    /// Whether the processes that it starts are a group, which an interrupt of the terminal does not reach.
    own_group: bool,
}

static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());

fn lock() -> std::sync::MutexGuard<'static, Vec<Running>> {
    RUNNING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Ends all commands that run, with the processes that they have started.
pub fn end_all() {
    for Running { process, own_group } in lock().iter() {
        let sign = if *own_group { "-" } else { "" };
        // It may have ended by itself.
        let _ = Command::new("kill").arg("--").arg(format!("{sign}{process}")).stderr(Stdio::null()).status();
    }
}

#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_a_shell_reads_them() {
        let mut command = Command::new("cargo");
        command.env("RUNNER", "mpirun -n 2").args(["test", "it's"]);
        assert_eq!(shown(&command), r#"RUNNER='mpirun -n 2' cargo test 'it'\''s'"#);
    }

    #[test]
    fn the_output_of_a_command() {
        let mut command = Command::new("cargo");
        command.arg("--version");
        assert!(Shell::new(true).read(command).unwrap().starts_with("cargo "));
    }

    #[test]
    fn a_command_that_fails_is_an_error_with_its_line() {
        let mut command = Shell::new(false).command("cargo");
        command.args(["--quiet", "no-such-command"]).stderr(Stdio::null());
        let error = Shell::new(false).run(command).unwrap_err().to_string();
        assert!(error.ends_with("cargo --quiet no-such-command"), "{error}");
    }
}
