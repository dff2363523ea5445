//! Files of results: the cluster of each document, and the term vectors.

use crate::clusters::NONE;
use crate::rows::Row;
use crate::terms::Bundle;
use forall::{Blocks, DistVec, foreach_tls};
use forall_examples::write::{WriteError, atomically};
use std::path::Path;

/// Writes a line for each document, with its name, its cluster and its label, separated by tabs. Collective.
///
/// # Errors
/// If the operating system refuses.
pub fn clusters(path: &Path, bundles: &Blocks<Bundle>, clusters: &[u32]) -> Result<(), WriteError> {
    let mut lines = DistVec::default();
    write_lines(bundles, clusters, &mut lines);
    on_one_rank(path, &lines)
}

/// Appends the lines of all documents.
#[foreach_tls]
fn write_lines(bundles: &Blocks<Bundle>, #[replicated] clusters: &[u32], lines: &mut Vec<u8>) {
    for bundle in bundles.iter() {
        for (number, document, _) in bundle.vectors() {
            let cluster = clusters[number as usize];
            let cluster = if cluster == NONE { String::new() } else { cluster.to_string() };
            let line = format!("{}\t{cluster}\t{}\n", document.name, document.label.as_deref().unwrap_or_default());
            for byte in line.bytes() {
                lines.push(byte);
            }
        }
    }
}

/// Writes the vectors by which documents are compared, in the format of SVMlight: a line for each document that flies, with its number and
/// `term:weight`. Collective.
///
/// # Errors
/// If the operating system refuses.
pub fn vectors(path: &Path, documents: &DistVec<u32>, rows: &DistVec<Row>) -> Result<(), WriteError> {
    let mut lines = DistVec::default();
    write_vectors(documents, rows, &mut lines);
    on_one_rank(path, &lines)
}

/// Appends the lines of all rows.
#[foreach_tls]
fn write_vectors(documents: &[u32], rows: &[Row], lines: &mut Vec<u8>) {
    for i in 0..rows.len() {
        let terms = rows[i].entries().map(|(term, weight)| format!(" {}:{weight}", term + 1));
        let line = terms.fold(documents[i].to_string(), |line, term| line + &term) + "\n";
        for byte in line.bytes() {
            lines.push(byte);
        }
    }
}

fn on_one_rank(path: &Path, lines: &DistVec<u8>) -> Result<(), WriteError> {
    match lines.to_root() {
        Some(lines) => atomically(path, |file| file.write_all(&lines)),
        None => Ok(()),
    }
}
