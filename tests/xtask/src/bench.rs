//! `cargo xtask bench`: annotated loops beside plain ones and hand-written rayon, in turn, with all cores and with one thread.

use crate::project::Project;
use crate::shell::Shell;
use anyhow::Result;

/// Options of the task.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Elements, repetitions, and a part of the names of the loops to run
    #[arg(value_name = "N REPS ONLY", num_args = 0..=3)]
    arguments: Vec<String>,
    /// Prints the commands, and runs none
    #[arg(long)]
    dry_run: bool,
}

/// Builds the program `ratios`, and runs it twice.
pub fn run(options: &Options) -> Result<()> {
    let shell = Shell::new(options.dry_run);
    let ratios = Project::read(&shell)?.programs().with_file_name("release").join("ratios");
    let mut build = shell.command("cargo");
    build.args(["build", "--release", "--quiet", "--package", "forall-benches", "--bin", "ratios"]);
    shell.run(build)?;
    let mut date = shell.command("date");
    date.args(["-u", "+%F %R UTC"]);
    shell.run(date)?;
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let models = processors
        .lines()
        .filter_map(|line| line.strip_prefix("model name"))
        .map(|model| model.trim_matches([' ', ':', '\t']));
    models.for_each(|model| shell.print(&format!("{model}\n")));
    for threads in [None, Some("1")] {
        let mut command = shell.command(&ratios);
        command.args(&options.arguments);
        if let Some(threads) = threads {
            command.env("FORALL_THREADS", threads);
        }
        shell.say(threads.map_or("all cores", |_| "one thread"));
        shell.run(command)?;
    }
    Ok(())
}
