//! `cargo xtask bench`: runs the programs of `benches` and `examples` that compare annotated loops with others, keeps the figures in
//! `benches/results/*.json`, and writes the page `benches/RESULTS.md` with its charts from these files.

mod chart;
mod measure;
mod page;
mod table;

use crate::project::Project;
use crate::shell::{Shell, root};
use anyhow::{Context, Result, bail};
use measure::{RUNS, Run};
use std::fs;
use std::path::Path;
use table::Table;

/// The folder with the figures.
const FOLDER: &str = "benches/results";
/// The page.
const PAGE: &str = "benches/RESULTS.md";

/// Options of the task.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`list` prints the tables. The others of the page have peers that are no crates: their figures are kept by hand."
)]
pub struct Options {
    /// The tables to measure, all of them by default
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
    /// Measures nothing: writes the page from the figures
    #[arg(long)]
    render: bool,
    /// Prints the commands, and runs none
    #[arg(long)]
    dry_run: bool,
}

/// Measures tables, and writes the page.
pub fn run(options: &Options) -> Result<()> {
    if options.tables.first().is_some_and(|name| name == "list") {
        RUNS.iter().for_each(|run| println!("{}", run.table));
        return Ok(());
    }
    let shell = Shell::new(options.dry_run);
    if !options.render {
        let programs = Project::read(&shell)?.programs().with_file_name("release");
        for run in wanted(&options.tables)? {
            measure(&shell, &programs, run)?;
        }
    }
    if !options.dry_run {
        write(&root())?;
    }
    Ok(())
}

fn wanted(names: &[String]) -> Result<Vec<&'static Run>> {
    if names.is_empty() {
        return Ok(RUNS.iter().collect());
    }
    let known = || RUNS.iter().map(|run| run.table).collect::<Vec<_>>().join(" ");
    let find = |name: &String| RUNS.iter().find(|run| run.table == name);
    names.iter().map(|name| find(name).with_context(|| format!("no table `{name}`; there are: {}", known()))).collect()
}

/// Runs the program of a table, and puts its figures into the file.
fn measure(shell: &Shell, programs: &Path, run: &Run) -> Result<()> {
    shell.say(run.table);
    let file = root().join(FOLDER).join(format!("{}.json", run.table));
    let mut table = Table::read(&file)?;
    let rows = run.rows(shell, programs, &table.rows)?;
    if shell.dry_run {
        return Ok(());
    }
    if rows.is_empty() {
        bail!("`{}` printed no table", run.command());
    }
    table.replace(rows, run.unit(), run.command(), shell)?;
    table.write(&file)
}

/// Writes the page and its charts.
fn write(root: &Path) -> Result<()> {
    for (file, text) in pages(root)? {
        fs::write(root.join(&file), text).with_context(|| file)?;
    }
    Ok(())
}

/// The page and its charts, by their files.
fn pages(root: &Path) -> Result<Vec<(String, String)>> {
    let folder = root.join(FOLDER);
    let tables = Table::read_all(&folder)?;
    let experiments = fs::read_to_string(folder.join("experiments.md")).context("experiments.md")?;
    let is_measured = |name: &str| RUNS.iter().any(|run| run.table == name);
    let mut files = vec![(PAGE.to_owned(), page::page(&tables, &experiments, is_measured))];
    let charts = tables.iter().filter(|(_, table)| !table.ratios().is_empty());
    files.extend(charts.map(|(name, table)| (format!("{FOLDER}/{name}.svg"), chart::chart(table))));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_agrees_with_the_figures() {
        for (file, text) in pages(&root()).unwrap() {
            let written = fs::read_to_string(root().join(&file)).unwrap_or_default();
            assert!(written == text, "{file} differs from its figures: cargo xtask bench --render");
        }
    }

    #[test]
    fn each_run_has_a_table_with_its_columns() {
        for run in &RUNS {
            let table = Table::read(&root().join(FOLDER).join(format!("{}.json", run.table))).unwrap();
            assert_eq!(table.columns, run.columns(), "{}", run.table);
        }
    }
}
