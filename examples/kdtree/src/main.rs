//! Builds a tree over points and asks what is near: see `kdtree --help`.

use clap::{Parser, ValueEnum};
use forall::DistVec;
use forall_core::runtime::current;
use forall_examples::picture::{PictureOptions, png};
use forall_examples::points::{Input, points};
use forall_examples::program::{Common, Failure, start};
use forall_examples::report::{self, Machine};
use forall_examples::{say, write};
use kdtree::{Point, by_levels, depth, directly, draw, misplaced, nearest, pairs, sum};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Builds a balanced tree over points of all ranks, and finds what is nearest to each.
#[derive(Debug, Parser)]
#[command(version, mut_arg("image", |image| image.default_value("kdtree.png")))]
struct Options {
    /// Points to read: hip2.dat (the Hipparcos catalogue), .ply, a mesh, or columns of text
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    input: Option<PathBuf>,

    /// Random points in a unit cube, in place of a file
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(0..1 << 31))]
    random: u32,

    /// Which columns of text hold the coordinates, from 1
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',', default_value = "1,2,3", value_parser = clap::value_parser!(u16).range(1..))]
    columns: Vec<u16>,

    /// Of a catalogue of stars, those within so many parsecs
    #[arg(long, value_name = "PC", default_value_t = f64::INFINITY)]
    within: f64,

    /// Axes that divide points in turn
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    dimensions: u8,

    /// How to build
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Method::Direct)]
    method: Method,

    /// Which of the neighbours to take the distance to
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    nearest: u16,

    /// Find all pairs of points within this distance
    #[arg(long, value_name = "DISTANCE")]
    pairs: Option<f64>,

    /// Where to write the pairs: two numbers of points a line
    #[arg(long, value_name = "FILE.csv", default_value = "pairs.csv", requires = "pairs")]
    pairs_output: PathBuf,

    /// Where to write the tree: for each point in its order, its number (u64) and three coordinates (f64), little-endian
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Where to write the boxes of the first levels: .vtp or .ply
    #[arg(long, value_name = "FILE")]
    boxes: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureOptions,

    #[command(flatten)]
    common: Common,
}

/// How a tree is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    /// Over all ranks until each has whole nodes, then each alone
    Direct,
    /// All nodes of a level at once, over all ranks
    Levels,
    /// First by levels, then directly: that both give the same tree is checked
    Both,
}

/// The times of building a tree in one way.
#[derive(Debug, Serialize)]
struct Built {
    method: Method,
    seconds: f64,
    /// Messages that all ranks sent, and their bytes.
    messages: u64,
    bytes_sent: u64,
}

impl Built {
    /// Brings points into the order of a tree.
    fn by(method: Method, tree: &mut DistVec<Point>, dims: usize, threads: usize) -> Built {
        let sent = || current().map(|context| context.traffic()).unwrap_or_default();
        let (begin, before) = (Instant::now(), sent());
        match method {
            Method::Levels => by_levels(tree, dims),
            Method::Direct | Method::Both => directly(tree, dims, threads),
        }
        tree.rebalance();
        let sent = sent() - before;
        let seconds = begin.elapsed().as_secs_f64();
        let of_ranks = DistVec::from_local(vec![[sent.messages, sent.bytes_sent]]).to_all();
        let [messages, bytes_sent] = [0, 1].map(|number| of_ranks.iter().map(|sent| sent[number]).sum());
        Built { method, seconds, messages, bytes_sent }
    }
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    points: usize,
    dimensions: usize,
    method: Method,
    builds: Vec<Built>,
    depth: usize,
    mean_nearest: Option<f64>,
    pairs: Option<usize>,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
}

/// Wall-clock time by phase.
#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    build: f64,
    nearest: f64,
    pairs: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    let written = options.output.iter().chain(&options.boxes).chain(&options.common.report);
    written.chain(options.pairs.map(|_| &options.pairs_output)).try_for_each(|file| write::check_place(file))?;
    options.boxes.as_deref().map(write::Format::of).transpose()?;
    options.picture.check()?;
    let (machine, dims) = (Machine::of(settings), usize::from(options.dimensions));
    let mut seconds = Seconds::default();

    let begin = Instant::now();
    let input = read(options)?;
    let n = input.at.len();
    let flat = |mut at: [f64; 3]| {
        at[dims..].fill(0.0);
        at
    };
    let mut tree = DistVec::from_fn(n, |i| Point::new(flat(input.at[i]), i as u32));
    seconds.read = begin.elapsed().as_secs_f64();

    let mut builds = Vec::new();
    let by_levels = (options.method == Method::Both).then(|| {
        let mut tree = tree.clone();
        builds.push(Built::by(Method::Levels, &mut tree, dims, machine.threads));
        tree.to_all()
    });
    let method = if options.method == Method::Both { Method::Direct } else { options.method };
    let built = Built::by(method, &mut tree, dims, machine.threads);
    seconds.build = built.seconds;
    builds.push(built);

    // Every rank searches the whole tree for its own points.
    let whole = tree.to_all();
    let ids = |tree: &[Point]| tree.iter().map(|point| point.id).collect::<Vec<_>>();
    if by_levels.is_some_and(|tree| ids(&tree) != ids(&whole)) {
        return Err("the two methods give different trees: this is a mistake of the program".into());
    }
    let wrong = misplaced(&tree, &whole, dims);
    if wrong > 0 {
        return Err(format!("{wrong} points are on the wrong side of a node: this is a mistake of the program").into());
    }
    for Built { method, seconds, messages, bytes_sent } in &builds {
        let how = if *method == Method::Levels { "level by level" } else { "directly" };
        let (ms, mb) = (1e3 * seconds, *bytes_sent as f64 / 1e6);
        say!("{n} points, {} levels, built {how} in {ms:.1} ms, with {messages} messages of {mb:.1} MB", depth(n));
    }

    let begin = Instant::now();
    let k = usize::from(options.nearest);
    let mean_nearest = (n > k).then(|| {
        let mut distances = DistVec::zeroed_like(&tree);
        nearest(&tree, &whole, dims, k, &mut distances);
        sum(&distances) / n as f64
    });
    seconds.nearest = begin.elapsed().as_secs_f64();
    if let Some(mean) = mean_nearest {
        say!("mean distance to neighbour {k}: {mean:.4}, found in {:.1} ms", 1e3 * seconds.nearest);
    }

    let begin = Instant::now();
    let found = options.pairs.map(|distance| {
        let mut found = DistVec::default();
        pairs(&tree, &whole, dims, distance, &mut found);
        found
    });
    seconds.pairs = begin.elapsed().as_secs_f64();
    if let Some(found) = &found {
        say!("{} pairs within {}", found.len(), options.pairs.unwrap_or_default());
        if let Some(found) = found.to_root() {
            write::atomically(&options.pairs_output, |file| {
                found.iter().try_for_each(|[one, other]| writeln!(file, "{one},{other}"))
            })?;
        }
    }

    if forall::rank() == 0 {
        outputs(options, &whole, dims, &input.magnitude)?;
    }
    if let Some(path) = &options.common.report {
        let (depth, method, pairs) = (depth(n), options.method, found.map(|found| found.len()));
        report::write(
            path,
            &Report { points: n, dimensions: dims, method, builds, depth, mean_nearest, pairs, seconds, machine },
        )?;
    }
    Ok(())
}

/// The points: every rank reads the file.
fn read(options: &Options) -> Result<Input, Failure> {
    if let Some(path) = &options.input {
        let columns: Vec<usize> = options.columns.iter().map(|column| usize::from(*column)).collect();
        if columns.len() < usize::from(options.dimensions) {
            return Err(
                format!("--columns names {} columns for {} dimensions", columns.len(), options.dimensions).into()
            );
        }
        let input = points(path, &columns, options.within)?;
        return match u32::try_from(input.at.len()) {
            Ok(_) => Ok(input),
            Err(_) => Err(format!("{}: more than 2^32 points", path.display()).into()),
        };
    }
    let coordinate = |i: usize| {
        let mut z = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let at = (0..options.random as usize).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(coordinate)).collect();
    Ok(Input { at, magnitude: Vec::new() })
}

fn outputs(options: &Options, tree: &[Point], dims: usize, magnitude: &[f64]) -> Result<(), Failure> {
    if let Some(path) = &options.output {
        write::atomically(path, |file| {
            tree.iter().try_for_each(|point| {
                file.write_all(&u64::from(point.id).to_le_bytes())?;
                point.at.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))
            })
        })?;
    }
    if let Some(path) = &options.boxes {
        let boxes = draw::boxes(tree, dims);
        match write::Format::of(path)? {
            write::Format::Ply => write::ply(path, "level", &boxes)?,
            _ => write::vtp(path, "level", &boxes)?,
        }
    }
    let (size, image) = draw::picture(tree, dims, magnitude);
    png(&options.picture.image, size, &image)?;
    Ok(())
}
