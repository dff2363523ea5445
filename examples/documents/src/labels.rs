//! Labels of documents from a file: a line for each, with the name of the document, a tab or a comma, and the label.

use crate::read::{Document, ReadError};
use forall::DistVec;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The labels of a file.
#[derive(Debug)]
pub struct Labels {
    path: PathBuf,
    /// The number of the line, from 1 on, and the label.
    of: HashMap<String, (u64, String)>,
    /// The numbers of the lines whose documents this rank has met.
    met: Vec<u64>,
}

impl Labels {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, if a line is no name and label, or if a document has two labels.
    pub fn read(path: &Path) -> Result<Labels, ReadError> {
        let text = std::fs::read_to_string(path).map_err(ReadError::io(path))?;
        let mut of = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let parts = line.split_once('\t').or_else(|| line.rsplit_once(','));
            let parts = parts.map(|(name, label)| (name.trim(), label.trim()));
            let Some((name, label)) = parts.filter(|(name, label)| !name.is_empty() && !label.is_empty()) else {
                let problem = format!("line {number} has no name and label");
                return Err(ReadError::malformed(
                    path,
                    problem,
                    "write the name of a document, a tab or a comma, and its label",
                ));
            };
            let earlier = of.insert(name.to_owned(), (number, label.to_owned()));
            if earlier.is_some_and(|(_, earlier)| earlier != label) {
                let problem = format!("line {number} gives `{name}` a second label");
                return Err(ReadError::malformed(path, problem, "keep one of them"));
            }
        }
        Ok(Labels { path: path.into(), of, met: Vec::new() })
    }

    /// Labels a document, if the file has its name. Other documents have no label then.
    pub fn put(&mut self, document: &mut Document) {
        let label = self.of.get(&document.name);
        self.met.extend(label.map(|(line, _)| *line));
        document.label = label.map(|(_, label)| label.clone());
    }

    /// Ends the labels. Collective.
    ///
    /// # Errors
    /// If no rank has met a document of the file.
    pub fn finish(self) -> Result<(), ReadError> {
        let mut met = DistVec::from_local(self.met).to_all();
        met.sort_unstable();
        let unmet = self.of.iter().filter(|(_, (line, _))| met.binary_search(line).is_err());
        match unmet.min_by_key(|(_, (line, _))| *line) {
            None => Ok(()),
            Some((name, (line, _))) => Err(ReadError::malformed(
                &self.path,
                format!("line {line} labels `{name}`, and there is no such document"),
                "name documents by their path below the input, as `folder/file.txt` or `mail.mbox#3`; --output lists them",
            )),
        }
    }
}
