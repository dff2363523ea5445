//! The page: a summary, the tables by topic, and the experiments without gain.

use super::table::{Ratio, Row, Table};
use serde_json::Value;
use std::fmt::Write;

/// The sections, and what their tables compare.
const TOPICS: [(&str, &str); 8] = [
    ("Loops", "Loops of each class beside the same loops without an attribute and beside hand-written rayon."),
    ("Vectors", "The primitives of Thrust: scans, reductions, pushes, gathers and searches on long vectors."),
    ("Sorts", "Sorts of numbers, of keys with values, and of records."),
    (
        "Meshes and pictures",
        "Contours, transformed meshes and volume pictures beside VTK, and composited pictures beside IceT.",
    ),
    ("Traversals", "Recursive functions beside the plain recursion and beside a task of rayon for each call."),
    (
        "Blocks and objects",
        "Loops over blocks beside DIY, and over distributed objects beside MPI by hand and Global Arrays.",
    ),
    ("Ranks", "Two ranks of one thread beside one rank of two threads: the cost of messages."),
    ("GPU", "Loops on a GPU. No other library was measured on this device."),
];
/// Ratios between this and its inverse count as equal.
const EQUAL: f64 = 1.05;

/// The page.
pub fn page(tables: &[(String, Table)], experiments: &str, is_measured: impl Fn(&str) -> bool) -> String {
    let mut page = String::from(
        "<!-- `cargo xtask bench` writes this page from benches/results/*.json. Change those files. -->\n\
         # Results\n\n\
         This page compares annotated loops with the libraries and programs that a user would otherwise choose. Each ratio is the time of\n\
         the other program divided by the time of `forall`: above 1, `forall` is faster. The programs of a row ran in turn. Each table has\n\
         the date, the machine and the command. Times on a virtual machine vary from run to run, so repeat the rows that matter to you.\n\n\
         `cargo xtask bench` measures the tables that say so, and writes this page with its charts. The peers of the other tables are\n\
         programs in C and C++ that are no part of this repository. Their figures are in [`benches/results`](results), entered by hand.\n\n",
    );
    summary(&mut page, tables);
    for (topic, about) in TOPICS {
        let _ = writeln!(page, "## {topic}\n\n{about}\n");
        for (name, table) in tables.iter().filter(|(_, table)| table.topic == topic) {
            section(&mut page, name, table, is_measured(name));
        }
    }
    page + experiments
}

/// The ratios of each table to each peer, and the rows in which the peer is faster.
fn summary(page: &mut String, tables: &[(String, Table)]) {
    page.push_str("## Summary\n\n");
    page.push_str("Ratios from 0.95 to 1.05 count as equal.\n\n");
    page.push_str("| table | compared with | faster | equal | slower | median ratio | least and largest |\n");
    page.push_str("|---|---|---:|---:|---:|---:|---|\n");
    let mut slower = Vec::new();
    for (_, table) in tables {
        let all = table.ratios();
        for peer in &table.peers {
            let of_peer: Vec<&Ratio> = all.iter().filter(|ratio| ratio.peer == peer).collect();
            let mut sorted: Vec<_> = of_peer.iter().map(|ratio| ratio.ratio).collect();
            sorted.sort_by(f64::total_cmp);
            let (Some(least), Some(largest)) = (sorted.first(), sorted.last()) else { continue };
            let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
            let faster = sorted.iter().filter(|ratio| **ratio > EQUAL).count();
            let behind: Vec<_> = of_peer.into_iter().filter(|ratio| ratio.ratio < 1.0 / EQUAL).collect();
            let equal = sorted.len() - faster - behind.len();
            let (title, link) = (&table.title, anchor(&table.title));
            let _ = writeln!(
                page,
                "| [{title}](#{link}) | {peer} | {faster} | {equal} | {} | {median:.2} | {least:.2} to {largest:.2} |",
                behind.len()
            );
            slower.extend(behind.iter().map(|ratio| (ratio.ratio, ratio.row.to_owned(), peer, title)));
        }
    }
    slower.sort_by(|one, other| one.0.total_cmp(&other.0));
    page.push_str("\n### Where `forall` is slower\n\n| row | table | compared with | ratio |\n|---|---|---|---:|\n");
    for (ratio, row, peer, title) in slower {
        let _ = writeln!(page, "| {row} | {title} | {peer} | {ratio:.2} |");
    }
    page.push('\n');
}

fn section(page: &mut String, name: &str, table: &Table, is_measured: bool) {
    let _ = writeln!(page, "### {}\n", table.title);
    let by = if is_measured { format!("`cargo xtask bench {name}`") } else { "entered by hand".to_owned() };
    let Table { date, machine, versions, command, unit, .. } = table;
    let _ = writeln!(page, "- {unit}; {date}; {machine}; {versions}\n- {command}\n- {by}\n");
    let ratios = table.ratios();
    if !ratios.is_empty() {
        let _ = writeln!(page, "![Ratios: {}](results/{name}.svg)\n", table.title);
    }
    let _ = write!(page, "| | {} |", table.columns.join(" | "));
    for peer in &table.peers {
        let _ = write!(page, " {peer} / forall |");
    }
    let _ = write!(page, "\n|---|{}\n", "---:|".repeat(table.columns.len() + table.peers.len()));
    for Row(row, values) in &table.rows {
        let cells: Vec<_> = values.iter().map(cell).collect();
        let _ = write!(page, "| {row} | {} |", cells.join(" | "));
        for peer in &table.peers {
            let ratio = ratios.iter().find(|ratio| ratio.row == row && ratio.peer == peer);
            let _ = match ratio {
                Some(ratio) => write!(page, " {:.2} |", ratio.ratio),
                None => write!(page, " |"),
            };
        }
        page.push('\n');
    }
    page.push('\n');
    for note in &table.notes {
        let _ = write!(page, "{note}\n\n");
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The link that GitHub gives a heading.
fn anchor(title: &str) -> String {
    let kept = title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .collect::<String>();
    kept.replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_and_its_link() {
        assert_eq!(anchor("Vectors of 2^26 elements, two threads"), "vectors-of-226-elements-two-threads");
    }
}
