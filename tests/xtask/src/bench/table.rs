//! A table of figures, as its file has it.

use crate::shell::Shell;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Figures of one comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub title: String,
    /// The section of the page.
    pub topic: String,
    /// Its place on the page.
    pub place: u32,
    pub date: String,
    pub machine: String,
    pub versions: String,
    /// The command that measures, or a description of the measurement.
    pub command: String,
    pub unit: String,
    pub columns: Vec<String>,
    /// The column of `forall`, if the table compares it with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<String>,
    /// The columns of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<String>,
    pub rows: Vec<Row>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A row: a number, a text or nothing for each column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row(pub String, pub Vec<Value>);

/// The time of another program by that of `forall`: above 1, `forall` is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio<'a> {
    pub row: &'a str,
    pub peer: &'a str,
    pub ratio: f64,
}

impl Table {
    /// Reads a file.
    pub fn read(file: &Path) -> Result<Table> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let table: Table = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
        let fits = table.rows.iter().all(|Row(_, values)| values.len() == table.columns.len());
        ensure!(fits, "{}: a row has more or fewer values than there are columns", file.display());
        let names: BTreeSet<_> = table.rows.iter().map(|Row(name, _)| name).collect();
        ensure!(names.len() == table.rows.len(), "{}: two rows have the same name", file.display());
        let known = |name: &String| table.columns.contains(name);
        let named = table.ours.iter().chain(&table.peers).all(known);
        ensure!(named, "{}: `ours` or `peers` names no column", file.display());
        Ok(table)
    }

    /// All tables of a folder with their names, in the order of the page.
    pub fn read_all(folder: &Path) -> Result<Vec<(String, Table)>> {
        let mut tables = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                tables.push((name, Table::read(&path)?));
            }
        }
        tables.sort_by(|(name, table), (other, after)| (table.place, name).cmp(&(after.place, other)));
        Ok(tables)
    }

    /// Writes a file: a row of the table is a line.
    pub fn write(&self, file: &Path) -> Result<()> {
        fs::write(file, self.text()?).with_context(|| file.display().to_string())
    }

    fn text(&self) -> Result<String> {
        let mut entries = Vec::new();
        let Value::Object(fields) =
            serde_json::to_value(Table { rows: Vec::new(), notes: Vec::new(), ..self.clone() })?
        else {
            unreachable!("a table is an object")
        };
        for (name, value) in fields.into_iter().filter(|(name, _)| name != "rows") {
            entries.push(format!("  \"{name}\": {value}"));
        }
        let lines = |values: Vec<String>| {
            values.into_iter().map(|value| format!("    {value}")).collect::<Vec<_>>().join(",\n")
        };
        let rows = self.rows.iter().map(serde_json::to_string).collect::<serde_json::Result<_>>()?;
        entries.push(format!("  \"rows\": [\n{}\n  ]", lines(rows)));
        if !self.notes.is_empty() {
            let notes = self.notes.iter().map(serde_json::to_string).collect::<serde_json::Result<_>>()?;
            entries.push(format!("  \"notes\": [\n{}\n  ]", lines(notes)));
        }
        Ok(format!("{{\n{}\n}}\n", entries.join(",\n")))
    }

    /// Takes other rows, which a command has measured now. The notes are about the old ones.
    pub fn replace(&mut self, rows: Vec<Row>, unit: &str, command: String, shell: &Shell) -> Result<()> {
        let read = |program: &str, arguments: &[&str]| -> Result<String> {
            let mut command = shell.command(program);
            command.args(arguments);
            Ok(shell.read(command)?.trim().to_owned())
        };
        self.date = read("date", &["-u", "+%F"])?;
        let version = read("rustc", &["--version"])?;
        self.versions = version.split(' ').take(2).collect::<Vec<_>>().join(" ");
        self.machine = machine();
        (self.rows, self.unit, self.command, self.notes) = (rows, unit.to_owned(), command, Vec::new());
        Ok(())
    }

    /// The ratios of all rows to all peers.
    pub fn ratios(&self) -> Vec<Ratio<'_>> {
        let at = |name: &String| self.columns.iter().position(|column| column == name);
        let Some(ours) = self.ours.as_ref().and_then(at) else { return Vec::new() };
        let mut ratios = Vec::new();
        for Row(row, values) in &self.rows {
            for peer in &self.peers {
                let time = |column: Option<usize>| column.and_then(|column| values[column].as_f64());
                if let (Some(theirs), Some(ours)) = (time(at(peer)), time(Some(ours))) {
                    ratios.push(Ratio { row, peer, ratio: theirs / ours });
                }
            }
        }
        ratios
    }
}

/// The cores of this machine.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown model", |model| model.trim_matches([' ', ':', '\t']));
    format!("{cores} cores, {model}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_leave_out_what_was_not_measured() {
        let text = r#"{"title": "t", "topic": "t", "place": 1, "date": "d", "machine": "m", "versions": "v", "command": "c",
            "unit": "ms", "columns": ["forall", "plain", "rayon"], "ours": "forall", "peers": ["plain", "rayon"],
            "rows": [["copy", [2.0, 4.0, null]], ["scan", [null, 1.0, 1.0]]], "notes": ["n"]}"#;
        let table: Table = serde_json::from_str(text).unwrap();
        assert_eq!(table.ratios(), [Ratio { row: "copy", peer: "plain", ratio: 2.0 }]);
        let again: Table = serde_json::from_str(&table.text().unwrap()).unwrap();
        assert_eq!(serde_json::to_value(&again).unwrap(), serde_json::to_value(&table).unwrap());
    }
}
