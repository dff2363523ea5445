//! Finds clusters of documents: see `documents --help`.

use clap::Parser;
use documents::clusters::{Agreement, NONE, agreement, clusters, heaviest};
use documents::flock::Flock;
use documents::labels::Labels;
use documents::output;
use documents::picture::{self, Film};
use documents::read::Source;
use documents::rows::Rows;
use documents::terms::{self, Bundle, Vocabulary, bundles, frequencies};
use forall::Blocks;
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{counted, grouped, steps};
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::{say, write};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Finds clusters of documents: each document is a boid that flies with similar ones.
///
/// Terms are weighed by tf-icf. Documents whose term vectors have a large cosine attract each other, others keep away. FORALL_BLOCKS bounds
/// the texts in memory: they lie in bundles, which are blocks.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Documents: a folder of text files or mails, a Maildir folder, an mbox file, or JSON lines with the field `text`
    #[arg(long, value_name = "PATH")]
    input: PathBuf,

    /// Labels of documents: a line for each, with its name, a tab or a comma, and the label [default: the names of folders]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Documents that say how frequent terms are [default: the input]
    #[arg(long, value_name = "PATH")]
    reference: Option<PathBuf>,

    /// Steps of the flock
    #[arg(long, value_name = "K", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,

    /// Number from which the places of documents at the start follow
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Picture of the flock after the last step to write: .png
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// Frames of the flock to write, as an animated picture: .png
    #[arg(long, value_name = "FILE")]
    frames: Option<PathBuf>,

    /// Names, clusters and labels of all documents to write, separated by tabs
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Vectors by which documents are compared to write, in the format of SVMlight
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

/// The content of the report.
#[derive(Debug, Serialize)]
struct Report {
    documents: usize,
    /// Documents without terms are in no cluster.
    without_terms: usize,
    terms: usize,
    clusters: usize,
    /// `None` without labels.
    purity: Option<f64>,
    f_measure: Option<f64>,
    steps: u32,
    steps_per_second: f64,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    terms: f64,
    /// The steps, and the clusters that are read off.
    flock: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    [&options.common.report, &options.output, &options.vectors]
        .into_iter()
        .flatten()
        .try_for_each(|file| write::check_place(file))?;
    [&options.image, &options.frames]
        .into_iter()
        .flatten()
        .try_for_each(|file| forall_examples::picture::check(file))?;
    let mut seconds = Seconds::default();
    let (bundles, vocabulary, documents) = weighed(options, &mut seconds)?;
    say!("{}, {}", counted(documents, "document"), counted(vocabulary.len(), "term"));

    let begin = Instant::now();
    let rows = Rows::new(&bundles, &vocabulary);
    if let Some(path) = &options.vectors {
        output::vectors(path, &rows.documents, &rows.rows)?;
    }
    let mut flock = Flock::new(&rows, options.seed);
    drop(rows);
    let (film, steps_per_second) = fly(&mut flock, options);
    let clusters = clusters(&flock, &bundles, &vocabulary);
    seconds.flock = begin.elapsed().as_secs_f64();

    let sizes = sizes(&clusters);
    let agreement = agreement(&bundles, &clusters);
    tell(&sizes, &heaviest(&bundles, &clusters, &vocabulary, 8), agreement, steps_per_second);
    draw(options, &flock, &film, &clusters, &sizes)?;
    if let Some(path) = &options.output {
        output::clusters(path, &bundles, &clusters)?;
        say!("wrote {}", path.display());
    }
    let report = Report {
        documents,
        without_terms: clusters.iter().filter(|cluster| **cluster == NONE).count(),
        terms: vocabulary.len(),
        clusters: sizes.len(),
        purity: agreement.map(|agreement| agreement.purity),
        f_measure: agreement.map(|agreement| agreement.f_measure),
        steps: options.steps,
        steps_per_second,
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes: peak_memory(),
    };
    if let Some(path) = &options.common.report {
        report::write(path, &report)?;
    }
    Ok(())
}

/// Step 1: reads the documents and weighs their terms.
fn weighed(options: &Options, seconds: &mut Seconds) -> Result<(Blocks<Bundle>, Vocabulary, usize), Failure> {
    let labels = options.labels.as_deref().map(Labels::read).transpose()?;
    let source = timed(&mut seconds.read, || open(&options.input))?;
    let mut documents = timed(&mut seconds.read, || bundles(&source, labels))?;
    let reference = options.reference.as_deref().map(|path| {
        let source = timed(&mut seconds.read, || open(path))?;
        let mut corpus = timed(&mut seconds.read, || bundles(&source, None))?;
        timed(&mut seconds.terms, || terms::count(&mut corpus));
        Ok::<_, Failure>((timed(&mut seconds.terms, || frequencies(&corpus)), source.len()))
    });
    let reference = reference.transpose()?;
    let vocabulary = timed(&mut seconds.terms, || {
        terms::count(&mut documents);
        let vocabulary = Vocabulary::new(frequencies(&documents), source.len(), reference);
        terms::weigh(&mut documents, &vocabulary);
        vocabulary
    });
    Ok((documents, vocabulary, source.len()))
}

fn open(path: &Path) -> Result<Source, Failure> {
    let source = Source::open(path)?;
    if let [first, ..] = source.binary() {
        say!("{}: left out {} binary files, such as {first}", path.display(), source.binary().len());
    }
    Ok(source)
}

/// Step 2: the flock flies. Returns its places after some steps, if there are to be frames, and the steps in a second.
fn fly(flock: &mut Flock, options: &Options) -> (Film, f64) {
    let (mut film, begin) = (Film::default(), Instant::now());
    let bar = steps(options.steps.into(), "");
    for step in 1..=options.steps {
        flock.step();
        if options.frames.is_some() && Film::wants(step as usize, options.steps as usize) {
            film.add(flock.sky().boids().iter().map(|boid| boid.position));
        }
        let per_second = f64::from(step) / begin.elapsed().as_secs_f64();
        bar.set_message(format!("{} documents, {per_second:.0} steps/s", grouped(flock.documents().len() as u64)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    (film, f64::from(options.steps) / begin.elapsed().as_secs_f64())
}

/// The number of documents of each cluster.
fn sizes(clusters: &[u32]) -> Vec<usize> {
    let mut sizes = Vec::new();
    for cluster in clusters.iter().filter(|cluster| **cluster != NONE) {
        let cluster = *cluster as usize;
        sizes.resize(sizes.len().max(cluster + 1), 0);
        sizes[cluster] += 1;
    }
    sizes
}

fn tell(sizes: &[usize], terms: &[Vec<&str>], agreement: Option<Agreement>, steps_per_second: f64) {
    const SHOWN: usize = 20;
    say!("{} after {steps_per_second:.1} steps a second", counted(sizes.len(), "cluster"));
    for (size, terms) in sizes.iter().zip(terms).take(SHOWN) {
        say!("{:>8} {}", grouped(*size as u64), terms.join(" "));
    }
    if let Some(rest) = sizes.get(SHOWN..).filter(|rest| !rest.is_empty()) {
        say!("{:>8} in {} other clusters", grouped(rest.iter().sum::<usize>() as u64), grouped(rest.len() as u64));
    }
    if let Some(Agreement { purity, f_measure }) = agreement {
        say!("purity {purity:.3}, F-measure {f_measure:.3}");
    }
}

/// Writes the picture and the frames.
fn draw(options: &Options, flock: &Flock, film: &Film, clusters: &[u32], sizes: &[usize]) -> Result<(), Failure> {
    let sky = flock.sky();
    let colour = |document: &u32| {
        let cluster = clusters[*document as usize];
        picture::colour(cluster, sizes.get(cluster as usize).copied().unwrap_or(0))
    };
    let colours: Vec<[u8; 3]> = flock.documents().iter().map(colour).collect();
    if let Some(path) = &options.image {
        let places: Vec<[f32; 2]> = sky.boids().iter().map(|boid| boid.position).collect();
        picture::write(path, sky.side(), &places, &colours)?;
        say!("wrote {}", path.display());
    }
    if let Some(path) = &options.frames {
        film.write(path, sky.side(), &colours)?;
        say!("wrote {}", path.display());
    }
    Ok(())
}
