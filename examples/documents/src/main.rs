//! Finds clusters of documents: see `documents --help`.

use clap::Parser;
use documents::labels::Labels;
use documents::read::Source;
use documents::terms::{self, Vocabulary, bundles, frequencies};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::grouped;
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::{say, write};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Weighs the terms of documents by tf-icf.
///
/// The input is a folder of text files, a Maildir folder, or a file of mbox messages or JSON lines.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Documents: a folder of text files or mails, an mbox file, or JSON lines
    #[arg(long, value_name = "PATH")]
    input: PathBuf,

    /// Labels of documents: a line for each, with its name, a tab or a comma, and the label [default: the names of folders]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Documents that say how frequent terms are [default: the input]
    #[arg(long, value_name = "PATH")]
    reference: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// The content of the report.
#[derive(Debug, Serialize)]
struct Report {
    documents: usize,
    terms: usize,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    terms: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    options.common.report.iter().try_for_each(|file| write::check_place(file))?;
    let mut seconds = Seconds::default();
    let labels = options.labels.as_deref().map(Labels::read).transpose()?;
    let open = |path: &Path| -> Result<Source, Failure> {
        let source = Source::open(path)?;
        if let Some(first) = source.binary().first() {
            say!("{}: {} binary files left out, such as {first}", path.display(), source.binary().len());
        }
        Ok(source)
    };
    let source = timed(&mut seconds.read, || open(&options.input))?;
    let mut bundles = timed(&mut seconds.read, || bundles(&source, labels))?;
    let reference = options.reference.as_deref().map(|path| {
        let source = timed(&mut seconds.read, || open(path))?;
        let mut corpus = timed(&mut seconds.read, || terms::bundles(&source, None))?;
        timed(&mut seconds.terms, || terms::count(&mut corpus));
        Ok::<_, Failure>((timed(&mut seconds.terms, || frequencies(&corpus)), source.len()))
    });
    let reference = reference.transpose()?;
    let vocabulary = timed(&mut seconds.terms, || {
        terms::count(&mut bundles);
        let vocabulary = Vocabulary::new(frequencies(&bundles), source.len(), reference);
        terms::weigh(&mut bundles, &vocabulary);
        vocabulary
    });
    say!("{} documents, {} terms", grouped(source.len() as u64), grouped(vocabulary.len() as u64));
    let report = Report {
        documents: source.len(),
        terms: vocabulary.len(),
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes: peak_memory(),
    };
    if let Some(path) = &options.common.report {
        report::write(path, &report)?;
    }
    Ok(())
}
