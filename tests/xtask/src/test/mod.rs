//! `cargo xtask test`: all checks of the project, in steps.

pub mod elsewhere;
mod examples;
mod groups;
mod install;
mod miri;
mod mpich;
mod ranks;
mod steps;

use crate::project::{Project, Selection};
use crate::shell::{self, Shell, is_installed};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;
use steps::Step;

/// Options of the task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`quick` stands for the steps that need no MPI. `list` prints the steps. The steps `mpich` and `miri` run only on request.\n\
    Steps in one argument run side by side: cargo xtask test \"unit docs\" gpu"
)]
pub struct Options {
    /// The steps to run; by default all but those that run on request
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
    /// Numbers of ranks for the steps `ranks` and `examples` [default: the variable RANKS, or 1,2,3,4,7]
    #[arg(long, value_name = "N,..")]
    ranks: Option<String>,
    /// Runs only the tests of this package, and no programs
    #[arg(long = "package", short, value_name = "NAME")]
    packages: Vec<String>,
    /// Prints the commands, and runs none
    #[arg(long)]
    dry_run: bool,
}

/// A step in progress: everything that it needs.
struct Job<'a> {
    shell: Shell,
    tests: &'a Tests<'a>,
    packages: Selection<'a>,
}

/// All steps of one call.
struct Tests<'a> {
    project: Project,
    options: &'a Options,
    ranks: Vec<usize>,
    /// A folder that is deleted at the end.
    scratch: &'a Path,
    /// A copy of this program. Cargo replaces the original while it compiles the tests.
    program: PathBuf,
    /// The variable with the command by which cargo starts programs of this machine.
    runner: String,
    /// The steps that have passed, with their seconds.
    times: Mutex<Vec<(&'static str, u64)>>,
    /// Held while the output of a step is printed.
    printing: Mutex<()>,
}

/// Runs steps.
pub fn run(options: &Options) -> Result<()> {
    if options.steps.first().is_some_and(|step| step == "list") {
        steps::all().for_each(|step| println!("{}", step.name));
        return Ok(());
    }
    let groups = groups::of(&options.steps)?;
    let start = Instant::now();
    let shell = Shell::new(options.dry_run);
    let scratch = tempfile::tempdir()?;
    let tests = Tests::new(options, &shell, scratch.path())?;
    // The names are checked before the first step.
    tests.project.select(&options.packages, true)?;
    end_cleanly(scratch.path().to_owned())?;
    for group in groups {
        let failed = match group[..] {
            [step] if tests.passes(step, Shell::new(options.dry_run))? => Vec::new(),
            [step] => vec![step.name],
            _ => tests.side_by_side(&shell, &group)?,
        };
        if !failed.is_empty() {
            let alone = |step: &&str| format!("{step} failed. Run it alone with: cargo xtask test {step}");
            bail!("{}", failed.iter().map(alone).collect::<Vec<_>>().join("\ncargo xtask: "));
        }
    }
    shell.say(&format!("all passed after {} s", start.elapsed().as_secs()));
    let times = tests.times.lock().expect("no step panics");
    times.iter().for_each(|(step, seconds)| println!("  {step} {seconds} s"));
    Ok(())
}

/// Ends all commands and deletes the folder if this program is interrupted.
fn end_cleanly(scratch: PathBuf) -> Result<()> {
    let end = move || {
        shell::end_all();
        let _ = fs::remove_dir_all(&scratch);
        std::process::exit(130);
    };
    Ok(ctrlc::set_handler(end)?)
}

impl<'a> Tests<'a> {
    fn new(options: &'a Options, shell: &Shell, scratch: &'a Path) -> Result<Tests<'a>> {
        let variable = std::env::var("RANKS").ok().filter(|ranks| !ranks.is_empty());
        let ranks = ranks::parsed(options.ranks.as_deref().or(variable.as_deref()).unwrap_or("1 2 3 4 7"))?;
        let project = Project::read(shell)?;
        let program = scratch.join("xtask");
        fs::copy(std::env::current_exe()?, &program).context("a copy of this program")?;
        let mut rustc = shell.command("rustc");
        rustc.arg("-vV");
        let version = shell.read(rustc)?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("`rustc -vV` names no host")?;
        let runner = format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace('-', "_"));
        let (times, printing) = (Mutex::default(), Mutex::default());
        Ok(Tests { project, options, ranks, scratch, program, runner, times, printing })
    }

    /// Runs a step, and prints how it ended. Returns whether it has passed.
    fn passes(&self, step: &Step, shell: Shell) -> Result<bool> {
        let start = Instant::now();
        shell.say(step.name);
        // The first step may install MPI.
        let packages = self.project.select(&self.options.packages, is_installed("mpicc"))?;
        let job = Job { shell, tests: self, packages };
        let result = (step.run)(&job);
        let seconds = start.elapsed().as_secs();
        match &result {
            Ok(()) => {
                self.times.lock().expect("no step panics").push((step.name, seconds));
                job.shell.print(&format!("{}: passed after {seconds} s\n", step.name));
            }
            Err(error) => job.shell.print(&format!("\n{}: {error:#}\n", step.name)),
        }
        Ok(result.is_ok())
    }

    /// Runs steps side by side, also if one fails. Returns the names of those that fail. Each has priority over those before it: ranks that
    /// wait for a message poll for it, and would take all cores from each other and from the rank that must answer.
    fn side_by_side(&self, shell: &Shell, steps: &[&'static Step]) -> Result<Vec<&'static str>> {
        let names: Vec<_> = steps.iter().map(|step| step.name).collect();
        shell.say(&format!("side by side: {}", names.join(" ")));
        println!(
            "The output of a step is printed when it ends. Until then it is in {}/STEP.log.",
            self.scratch.display()
        );
        let nice = |at| 3 * (steps.len() - 1 - at);
        let passed = std::thread::scope(|scope| {
            let start = |(at, step)| scope.spawn(move || self.passes_in_file(shell, step, nice(at)));
            let running: Vec<_> = steps.iter().copied().enumerate().map(start).collect();
            let ended = running.into_iter().map(|step| step.join().expect("no step panics"));
            ended.collect::<Result<Vec<_>>>()
        })?;
        Ok(names.into_iter().zip(passed).filter(|(_, passed)| !passed).map(|(name, _)| name).collect())
    }

    /// Runs a step whose output is a file, which is printed in one piece.
    fn passes_in_file(&self, shell: &Shell, step: &Step, nice: usize) -> Result<bool> {
        let log = self.scratch.join(format!("{}.log", step.name));
        let passed = self.passes(step, shell.with_log(&log, nice)?)?;
        let output = fs::read(&log).with_context(|| log.display().to_string())?;
        let _one = self.printing.lock();
        shell.print(&String::from_utf8_lossy(&output));
        Ok(passed)
    }
}

impl Job<'_> {
    /// `cargo test` for the selected packages.
    fn cargo_test(&self) -> Command {
        let mut command = self.shell.cargo();
        command.arg("test").args(self.packages.arguments());
        command
    }

    /// Whether whole programs run, and not only the tests of some packages.
    fn is_whole(&self) -> bool {
        self.tests.options.packages.is_empty()
    }

    /// The same for the integration tests with these names. `None` if the selected packages have none of them.
    fn cargo_test_of(&self, names: &[&str]) -> Option<Command> {
        let targets = self.packages.targets("test", names);
        if targets.is_empty() {
            self.shell.print(&format!("the selected packages have none of the tests {}\n", names.join(" ")));
            return None;
        }
        let mut command = self.cargo_test();
        command.args(targets);
        Some(command)
    }

    /// Has cargo start test binaries by another command.
    fn start_by(&self, command: &mut Command, starter: &str) {
        command.env(&self.tests.runner, starter);
    }
}
