//! Traces particles in a vector field: see `particles --help`.

use clap::{Parser, ValueEnum};
use forall::checkpoint::{Same, load};
use forall::{Blocks, DistVec, checkpoint, restart};
use forall_examples::picture::{PictureOptions, png};
use forall_examples::points::points;
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::grouped;
use forall_examples::random::random;
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::{say, write};
use particles::brick::Brick;
use particles::drawing;
use particles::field::Field;
use particles::flow::Flow;
use particles::lines::{mesh, periods, sorted};
use particles::particle::{Particle, Point};
use particles::stepping::Stepping;
use particles::visit::{Limit, Totals};
use particles::{bricks, seed, seeds, trace, waiting};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Traces streamlines and pathlines: the ways of particles in a vector field.
///
/// The field is divided into blocks, which are on all ranks and threads. With FORALL_BLOCKS=4, each rank has four of its blocks in memory,
/// and the others on the disk. The lines have the same bits on any number of blocks, ranks and threads.
#[derive(Debug, Parser)]
#[command(version, mut_arg("image", |image| image.default_value("particles.png")))]
struct Options {
    /// The field: `abc`, a formula with chaotic lines, or a file with three components: NetCDF-3 (.nc) or VTK image (.vti)
    #[arg(long, value_name = "abc|FILE", default_value = "abc")]
    field: PathBuf,

    /// The variables or arrays of a file that are the velocities along x, y and z
    #[arg(long, value_name = "U,V,W", value_delimiter = ',', default_value = "u,v,w")]
    variable: Vec<String>,

    /// Cells along each side of the formula's grid
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..=4096))]
    size: u32,

    /// Whether particles that leave on one side come back on the other one [default: periodic for the formula, bounded for files]
    #[arg(long, value_name = "KIND")]
    domain: Option<Domain>,

    /// The field changes with time: the lines are pathlines. The variables of a NetCDF file have a fourth dimension then, time
    #[arg(long)]
    pathlines: bool,

    /// Seeds to read: columns of text, .ply, or the corners of a mesh
    #[arg(long, value_name = "FILE", conflicts_with_all = ["particles", "restart"])]
    input: Option<PathBuf>,

    /// Which columns of text hold the coordinates, from 1
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', default_value = "1,2,3", value_parser = clap::value_parser!(u16).range(1..))]
    columns: Vec<u16>,

    /// Random seeds in the domain, in place of a file
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..1 << 31))]
    particles: u32,

    /// Steps of each particle
    #[arg(long, value_name = "K", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..1 << 31))]
    steps: u32,

    /// Length of a step in units of time, and of the first one with --adaptive; negative steps go against the flow
    #[arg(long, value_name = "H", allow_negative_numbers = true, default_value_t = 0.02)]
    step: f64,

    /// Steps as long as this error of each allows, in units of length [default: steps of one length]
    #[arg(long, value_name = "TOLERANCE")]
    adaptive: Option<f64>,

    /// Blocks to divide the field into
    #[arg(long, value_name = "B", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    blocks: u32,

    /// Keep the first point of each line and each N-th one after it, for --output and --image; 0 keeps none
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: u32,

    /// Save the state each so many steps, as FILE.100, FILE.200 and so on; the last two stay
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Steps from one state that is saved to the next [default: a tenth of all]
    #[arg(long, value_name = "N", requires = "save", value_parser = clap::value_parser!(u32).range(1..))]
    save_every: Option<u32>,

    /// Go on from the newest state that --save has written with this name, or from the file of one, on any number of ranks and blocks, also with more --steps
    #[arg(long, value_name = "FILE")]
    restart: Option<PathBuf>,

    /// Lines to write, with the speed of each point: .vtp, .vtu or .ply
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    picture: PictureOptions,

    #[command(flatten)]
    common: Common,
}

/// The behaviour of particles at the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Domain {
    /// They end
    Bounded,
    /// They come back on the other side
    Periodic,
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    field: String,
    particles: u64,
    finished: u64,
    left_the_domain: u64,
    stopped: u64,
    steps: u64,
    rejected_steps: u64,
    points: u64,
    blocks: u32,
    /// One more than the most blocks that a particle has left.
    rounds: u64,
    /// Bytes of particles that changed blocks.
    bytes: u64,
    /// A checksum of the bits of all points.
    checksum: String,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// Wall-clock time by phase.
#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    trace: f64,
    write: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    check(options)?;
    let mut seconds = Seconds::default();
    let (field, flow) = open(options)?;
    let mut bricks = timed(&mut seconds.read, || bricks(&flow, |time, part| field.part(time, part)))?;
    let mut run = timed(&mut seconds.read, || begin(options, &flow, &mut bricks))?;
    say!("{}, {} blocks, {} particles", field.origin, options.blocks, grouped(run.particles));
    timed(&mut seconds.trace, || run.finish(options, &flow, &mut bricks))?;
    let totals = run.totals;
    say!(
        "  {} have taken all steps, {} have left the domain, and {} have stopped at missing values",
        grouped(totals.finished),
        grouped(totals.left_the_domain),
        grouped(totals.stopped)
    );
    say!("  {} steps, {} rounds, checksum {:016x}", grouped(totals.steps), totals.rounds, totals.checksum);
    timed(&mut seconds.write, || write_lines(options, &flow, run.points))?;
    let Seconds { read, trace, write } = seconds;
    say!("read {read:.3} s, trace {trace:.3} s, write {write:.3} s");

    let peak_memory_bytes = peak_memory();
    let Some(path) = &options.common.report else { return Ok(()) };
    let report = Report {
        field: field.origin,
        particles: run.particles,
        finished: totals.finished,
        left_the_domain: totals.left_the_domain,
        stopped: totals.stopped,
        steps: totals.steps,
        rejected_steps: totals.rejected_steps,
        points: totals.points,
        blocks: options.blocks,
        rounds: totals.rounds,
        bytes: totals.bytes,
        checksum: format!("{:016x}", totals.checksum),
        seconds,
        machine: Machine::of(settings),
        peak_memory_bytes,
    };
    report::write(path, &report)?;
    Ok(())
}

/// An option that makes no sense, or an output that cannot be written, is better known before the work than after it.
fn check(options: &Options) -> Result<(), Failure> {
    options.common.report.iter().chain(&options.save).try_for_each(|file| write::check_place(file))?;
    options.picture.check()?;
    if let Some(file) = &options.output {
        write::check_place(file)?;
        if write::CellFormat::of(file)? == write::CellFormat::Pvtp {
            return Err(format!("cannot write {}: end the name in .vtp, .vtu or .ply", file.display()).into());
        }
    }
    if options.step == 0.0 || !options.step.is_finite() {
        return Err(format!("--step {}: give a length of steps other than 0, as in --step 0.02", options.step).into());
    }
    match options.adaptive {
        Some(tolerance) if !(tolerance > 0.0 && tolerance.is_finite()) => {
            Err(format!("--adaptive {tolerance}: give a positive error, as in --adaptive 1e-6").into())
        }
        _ => Ok(()),
    }
}

/// The field of the options, and how particles move in it.
fn open(options: &Options) -> Result<(Field, Flow), Failure> {
    let field = if options.field == Path::new("abc") {
        let is_periodic = options.domain != Some(Domain::Bounded);
        Field::abc(options.size as usize, is_periodic, options.pathlines)
            .map_err(|error| format!("the formula {error}"))?
    } else {
        let variables = <[String; 3]>::try_from(options.variable.clone())
            .map_err(|_| "--variable: give three variables, such as u,v,w")?;
        Field::open(&options.field, &variables, options.domain == Some(Domain::Periodic), options.pathlines)?
    };
    let step = options.step;
    let stepping = match options.adaptive {
        None => Stepping::Fixed { step },
        Some(tolerance) => Stepping::Adaptive { step, tolerance },
    };
    let flow = Flow::new(field.axes.clone(), field.times.clone(), stepping, options.blocks as usize);
    Ok((field, flow))
}

/// A run between two calls.
struct Run {
    particles: u64,
    totals: Totals,
    /// The points of this rank.
    points: Vec<Point>,
    /// Steps that all particles have taken.
    steps: u32,
}

/// The options on which the lines depend, for the state that is saved.
fn description(options: &Options) -> Vec<(String, String)> {
    let Options { field, variable, size, domain, pathlines, step, adaptive, every, .. } = options;
    let options: [(&str, String); 8] = [
        ("field", field.display().to_string()),
        ("variable", variable.join(",")),
        ("size", size.to_string()),
        ("domain", format!("{domain:?}")),
        ("pathlines", pathlines.to_string()),
        ("step", step.to_string()),
        ("adaptive", adaptive.map_or("none".to_owned(), |tolerance| tolerance.to_string())),
        ("every", every.to_string()),
    ];
    options.map(|(name, value)| (name.to_owned(), value)).into()
}

/// All that is saved: the options, the totals, the numbers of particles and of steps, the particles that wait, and the points so far.
type State = (Same<Vec<(String, String)>>, Same<Totals>, u64, u32, DistVec<Particle>, DistVec<Point>);

/// The state in a file, or the newest one whose file has this name and a number.
fn load_state(path: &Path) -> Result<State, Failure> {
    if path.is_file() {
        return Ok(load(path)?);
    }
    let state = restart::<State>(path)?.map(|(_, state)| state);
    Ok(state.ok_or_else(|| {
        format!("there is no state {}.N to go on from; give the name that --save was given", path.display())
    })?)
}

/// Gives the blocks their particles: at their seeds, or as they were saved.
fn begin(options: &Options, flow: &Flow, bricks: &mut Blocks<Brick>) -> Result<Run, Failure> {
    let new =
        |particles: usize| Run { particles: particles as u64, totals: Totals::default(), points: Vec::new(), steps: 0 };
    if let Some(path) = &options.restart {
        let (Same(saved), Same(totals), particles, steps, waiting, points) = load_state(path)?;
        if let Some(((name, was), (_, is))) = saved.iter().zip(&description(options)).find(|(was, is)| was != is) {
            return Err(format!(
                "{}: it was saved with --{name} {was}, and this run has --{name} {is}; give the same options",
                path.display()
            )
            .into());
        }
        if steps > options.steps {
            return Err(format!(
                "{}: its particles have taken {steps} steps; give at least as many by --steps, and not {}",
                path.display(),
                options.steps
            )
            .into());
        }
        let all = waiting.to_all();
        seed(bricks, all.len(), |at| all[at]);
        return Ok(Run { particles, totals, points: points.local().to_vec(), steps });
    }
    if let Some(path) = &options.input {
        let &[x, y, z] = &options.columns[..] else {
            return Err("--columns: give three columns, such as 1,2,3".into());
        };
        let places = points(path, &[x, y, z].map(usize::from), f64::INFINITY)?.at;
        seed(bricks, places.len(), seeds(flow, |id| places[id]));
        return Ok(new(places.len()));
    }
    let bounds = flow.axes.each_ref().map(|axis| axis.bounds());
    let place = |id: usize| {
        [0, 1, 2].map(|axis| {
            let [low, high] = bounds[axis];
            low + (high - low) * random(id as u64, axis as u64)
        })
    };
    let count = options.particles as usize;
    seed(bricks, count, seeds(flow, place));
    Ok(new(count))
}

impl Run {
    /// Moves the particles until they have taken all steps, and saves the state on the way.
    fn finish(&mut self, options: &Options, flow: &Flow, bricks: &mut Blocks<Brick>) -> Result<(), Failure> {
        let Options { steps, every, .. } = *options;
        if let Some(path) = &options.save {
            let interval = options.save_every.unwrap_or(steps.div_ceil(10)).max(1);
            while self.steps < steps {
                let steps_of_call = (self.steps / interval + 1).saturating_mul(interval).min(steps);
                self.go_on(flow, bricks, Limit { steps: u32::MAX, steps_of_call, every });
                let points = DistVec::from_local(std::mem::take(&mut self.points));
                let state = (
                    Same(description(options)),
                    Same(self.totals),
                    self.particles,
                    self.steps,
                    waiting(bricks),
                    points,
                );
                checkpoint(1, path, self.steps as usize, &state)?;
                let (.., points) = state;
                self.points = points.local().to_vec();
            }
        }
        self.go_on(flow, bricks, Limit { steps, steps_of_call: steps, every });
        Ok(())
    }

    fn go_on(&mut self, flow: &Flow, bricks: &mut Blocks<Brick>, limit: Limit) {
        self.totals = self.totals.and_then(trace(bricks, flow, limit, &mut self.points));
        self.steps = limit.steps_of_call;
    }
}

/// Draws the lines, and writes them.
fn write_lines(options: &Options, flow: &Flow, points: Vec<Point>) -> Result<(), Failure> {
    let (points, periods) = (sorted(points), periods(&flow.axes));
    let bounds = [0, 1].map(|end| flow.axes.each_ref().map(|axis| axis.bounds()[end] as f32));
    if let Some(image) = drawing::draw(&points, bounds, periods, options.picture.camera) {
        png(&options.picture.image, drawing::SIZE, &image)?;
    }
    say!("wrote {}", options.picture.image.display());
    if let Some(path) = &options.output {
        if u32::try_from(points.len()).is_err() {
            return Err(format!(
                "{}: the lines have {} points, too many for a file; keep fewer with --every",
                path.display(),
                points.len()
            )
            .into());
        }
        if let Some(points) = points.to_root() {
            write::cells(path, &mesh(&points, periods))?;
        }
        say!("wrote {}", path.display());
    }
    Ok(())
}
