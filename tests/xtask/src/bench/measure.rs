//! The programs that measure tables, and their output.

use super::table::Row;
use crate::shell::Shell;
use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// How a table is measured.
pub struct Run {
    /// The file of the table.
    pub table: &'static str,
    program: Program,
    arguments: &'static str,
    /// The variable `FORALL_THREADS`.
    threads: &'static str,
}

/// A program that measures.
#[derive(Clone, Copy)]
struct Program {
    package: &'static str,
    name: &'static str,
    unit: &'static str,
    output: Output,
    /// Columns of the program's output, and those of the table.
    columns: &'static [(&'static str, &'static str)],
}

/// The form of a program's output.
#[derive(Clone, Copy, PartialEq)]
enum Output {
    /// A table in Markdown.
    Markdown,
    /// The file of `--report`, with a row for each way to compute a result. The table has only some of them.
    Report,
}

const RATIOS: Program = Program {
    package: "forall-benches",
    name: "ratios",
    unit: "Milliseconds",
    output: Output::Markdown,
    columns: &[("annotated ms", "forall"), ("plain ms", "plain"), ("rayon ms", "rayon")],
};
const NAS: Program = Program { name: "nas_ratios", ..RATIOS };
const INDICES: Program = Program {
    name: "indices",
    unit: "Microseconds",
    columns: &[("annotated us", "forall"), ("plain us", "plain")],
    ..RATIOS
};
const PRIMITIVES: Program = Program {
    package: "primitives",
    name: "primitives",
    unit: "Milliseconds",
    output: Output::Report,
    columns: &[("forall", "forall"), ("plain", "plain"), ("rayon", "rayon")],
};

const fn run(table: &'static str, program: Program, arguments: &'static str, threads: &'static str) -> Run {
    Run { table, program, arguments, threads }
}

/// All tables that this program measures.
pub const RUNS: [Run; 9] = [
    run("loops-two-threads", RATIOS, "16777216 15", "2"),
    run("loops-one-thread", RATIOS, "16777216 15", "1"),
    run("nas-two-threads", NAS, "7", "2"),
    run("nas-one-thread", NAS, "7", "1"),
    run("indices", INDICES, "262144 41", "1"),
    run("vectors-two-threads", PRIMITIVES, "--reps 9", "2"),
    run("vectors-one-thread", PRIMITIVES, "--reps 7", "1"),
    run("indexed", PRIMITIVES, "--n 33554432 --reps 5", "2"),
    run("sorts", PRIMITIVES, "--n 33554432 --reps 5 --only sort", "2"),
];

impl Run {
    /// The command that measures, for readers.
    pub fn command(&self) -> String {
        format!("FORALL_THREADS={} {} {}", self.threads, self.program.name, self.arguments)
    }

    /// The unit of the figures.
    pub fn unit(&self) -> &'static str {
        self.program.unit
    }

    /// The columns of the table.
    #[cfg(test)]
    pub fn columns(&self) -> Vec<&'static str> {
        self.program.columns.iter().map(|(_, column)| *column).collect()
    }

    /// Builds the program, runs it, and reads its figures. A report has rows for several tables: those that this one has by now are kept.
    pub fn rows(&self, shell: &Shell, programs: &Path, known: &[Row]) -> Result<Vec<Row>> {
        let Program { package, name, output, columns, .. } = self.program;
        let mut build = shell.command("cargo");
        build.args(["build", "--release", "--quiet", "--package", package, "--bin", name]);
        shell.run(build)?;
        let mut command = shell.command(programs.join(name));
        command.args(self.arguments.split(' ')).env("FORALL_THREADS", self.threads);
        if output == Output::Markdown {
            return Ok(of_markdown(&shell.output(command)?, columns));
        }
        let scratch = tempfile::tempdir()?;
        let report = scratch.path().join("report.json");
        command.arg("--report").arg(&report);
        shell.run(command)?;
        if shell.dry_run {
            return Ok(Vec::new());
        }
        let mut rows = of_report(&fs::read_to_string(&report)?, columns)?;
        rows.retain(|Row(name, _)| known.iter().any(|Row(known, _)| known == name));
        Ok(rows)
    }
}

/// The rows of a report, with the medians of the ways.
fn of_report(report: &str, columns: &[(&str, &str)]) -> Result<Vec<Row>> {
    #[derive(Deserialize)]
    struct Report {
        rows: Vec<Measured>,
    }
    #[derive(Deserialize)]
    struct Measured {
        way: String,
        name: String,
        median_ms: f64,
    }
    let report: Report = serde_json::from_str(report)?;
    let mut rows: Vec<Row> = Vec::new();
    for Measured { way, name, median_ms } in report.rows {
        let Some(column) = columns.iter().position(|(known, _)| *known == way) else { continue };
        let at = rows.iter().position(|Row(row, _)| *row == name).unwrap_or_else(|| {
            rows.push(Row(name, vec![Value::Null; columns.len()]));
            rows.len() - 1
        });
        rows[at].1[column] = Value::from((median_ms * 1e3).round() / 1e3);
    }
    Ok(rows)
}

/// The rows of the first table in Markdown that has all of these columns.
fn of_markdown(output: &str, columns: &[(&str, &str)]) -> Vec<Row> {
    let cells = |line: &'_ str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = output.lines().skip_while(|line| !line.starts_with('|'));
    let Some(header) = lines.next().map(cells) else { return Vec::new() };
    let at = |column: &&(&str, &str)| header.iter().position(|cell| cell == column.0);
    let Some(at) = columns.iter().map(|column| at(&column)).collect::<Option<Vec<_>>>() else { return Vec::new() };
    let rows = lines.skip(1).take_while(|line| line.starts_with('|')).map(cells);
    let value =
        |cell: Option<&String>| cell.and_then(|cell| serde_json::from_str::<Value>(cell).ok()).unwrap_or(Value::Null);
    rows.map(|row| Row(row[0].clone(), at.iter().map(|&column| value(row.get(column))).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_that_a_program_prints() {
        let output = "medians of 3\n| loop | plain us | annotated us |\n|---|---:|---:|\n| copy | 1.5 | 0.5 |\n| scan | 2 | |\n\nend";
        let rows = of_markdown(output, &[("annotated us", "forall"), ("plain us", "plain")]);
        let text = serde_json::to_string(&rows).unwrap();
        assert_eq!(text, r#"[["copy",[0.5,1.5]],["scan",[null,2]]]"#);
        assert!(of_markdown("| a |\n|---|\n", &[("b", "b")]).is_empty());
    }
    #[test]
    fn the_rows_of_a_report() {
        let report = r#"{"n": 4, "rows": [{"way": "plain", "name": "copy", "median_ms": 2.0}, {"way": "forall", "name": "copy", "median_ms": 1.0}]}"#;
        let rows = of_report(report, &[("forall", "forall"), ("plain", "plain")]).unwrap();
        assert_eq!(serde_json::to_string(&rows).unwrap(), r#"[["copy",[1.0,2.0]]]"#);
    }
}
