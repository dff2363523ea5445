//! Draws volumes: see `volume --help`.

use clap::{Parser, ValueEnum};
use forall_examples::camera::Camera;
use forall_examples::colours::{self, Map};
use forall_examples::field::Field;
use forall_examples::picture::{PictureOptions, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{part, steps};
use forall_examples::read::Source;
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::say;
use forall_examples::volume::{VolumeOptions, planes};
use forall_examples::write;
use serde::Serialize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use volume::picture::{Bricks, bytes};
use volume::pixel::Rgba;
use volume::project::{Axis, Glow, composited, greatest};
use volume::scene::{DARK, Scene, Sight};
use volume::transfer::Transfer;

/// Draws a volume of samples that shine through, as a picture.
///
/// Without arguments: the temperatures of the world ocean, from the sample that comes with the program.
#[derive(Debug, Parser)]
#[command(version, mut_arg("image", |image| image.default_value("volume.png")))]
struct Options {
    #[command(flatten)]
    volume: VolumeOptions,

    /// Draw a formula instead of a file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["input", "variable"])]
    field: Option<Field>,

    /// Points along each side of the formula's grid
    #[arg(long, value_name = "N", requires = "field", default_value_t = 128, value_parser = clap::value_parser!(u32).range(2..=4096))]
    size: u32,

    /// Colours, from the least value to the greatest
    #[arg(long, value_name = "NAME", default_value = "bone")]
    transfer: Colours,

    /// Opacity of a layer as thick as the least distance of two points. One number is that of the greatest value, from 0 for the least;
    /// or at several values, as in 40:0,80:0.3 [default: up to 0.6, from a quarter of the range on; with --project, 0.1]
    #[arg(long, value_name = "A|V:A,V:A,..", allow_hyphen_values = true)]
    opacity: Option<Opacity>,

    /// Values of the first colour and of the last [default: the least and the greatest value]
    #[arg(long, value_name = "LEAST,GREATEST", allow_hyphen_values = true)]
    range: Option<Range>,

    #[command(flatten)]
    picture: PictureOptions,

    /// Pixels of the picture
    #[arg(long, value_name = "XxY", default_value = "512x512")]
    pixels: Pixels,

    /// From one sample of a ray to the next, as a part of the least distance of two points
    #[arg(long, value_name = "PART", default_value_t = 0.5, allow_negative_numbers = true, value_parser = step)]
    step: f32,

    /// End rays that let less light through than this; with more than the default, a picture depends on the ranks by as much
    #[arg(long, value_name = "PART", default_value_t = DARK, allow_negative_numbers = true, value_parser = dark)]
    dark: f32,

    /// How far the eye is from the middle, where the volume's corners are at 1: less is within
    #[arg(long, value_name = "FAR", default_value_t = 4.0, allow_negative_numbers = true, value_parser = distance)]
    distance: f32,

    /// Composite every value along an axis, from its beginning, instead of casting rays
    #[arg(long, value_name = "AXIS", conflicts_with = "mip")]
    project: Option<Axis>,

    /// Take the greatest value along an axis instead of casting rays
    #[arg(long, value_name = "AXIS")]
    mip: Option<Axis>,

    /// Draw so many times and report the median time
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Colours {
    /// Black to white
    Grey,
    /// Purple to yellow
    Viridis,
    /// The cool grey of X-ray pictures
    Bone,
    /// Black over red and yellow to white
    Fire,
    /// Dark red to cream
    Flesh,
    /// Dark blue to yellow
    Ocean,
}

impl Colours {
    fn map(self) -> Map {
        match self {
            Colours::Grey => colours::GREY,
            Colours::Viridis => colours::VIRIDIS,
            Colours::Bone => colours::BONE,
            Colours::Fire => colours::FIRE,
            Colours::Flesh => colours::FLESH,
            Colours::Ocean => colours::OCEAN,
        }
    }
}

/// The value of `--opacity`.
#[derive(Debug, Clone, PartialEq)]
enum Opacity {
    /// Of the greatest value, rising from the least.
    Most(f64),
    /// At values that rise.
    Points(Vec<(f32, f32)>),
}

impl std::str::FromStr for Opacity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse().ok().filter(|value: &f32| value.is_finite());
        let opacity = |text: &str| number(text).filter(|opacity| (0.0..=1.0).contains(opacity));
        let points = |text: &str| -> Option<Vec<(f32, f32)>> {
            text.split(',')
                .map(|point| point.split_once(':'))
                .map(|point| Some((number(point?.0)?, opacity(point?.1)?)))
                .collect()
        };
        if let Some(opacity) = text.trim().parse().ok().filter(|opacity| (0.0..=1.0).contains(opacity)) {
            return Ok(Opacity::Most(opacity));
        }
        let points = points(text).filter(|points| points.is_sorted_by(|(one, _), (next, _)| one < next));
        points.map(Opacity::Points).ok_or_else(|| {
            "give an opacity from 0 to 1, or values that rise with an opacity for each, as in 40:0,80:0.3".into()
        })
    }
}

/// The value of `--range`.
#[derive(Debug, Clone, Copy)]
struct Range([f32; 2]);

impl std::str::FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[least, most]) if least < most && (most - least).is_finite() => Ok(Range([least, most])),
            _ => Err("give two numbers that rise, as in 0,255".into()),
        }
    }
}

/// The value of `--pixels`.
#[derive(Debug, Clone, Copy)]
struct Pixels([usize; 2]);

impl std::str::FromStr for Pixels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<usize>> = text.split('x').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[x, y]) if (1..=1 << 15).contains(&x) && (1..=1 << 15).contains(&y) => Ok(Pixels([x, y])),
            _ => Err("give two numbers from 1 to 32768, as in 640x480".into()),
        }
    }
}

fn within(text: &str, least: f32, most: f32) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give a number from {least} to {most}"))
}

fn step(text: &str) -> Result<f32, String> {
    within(text, 0.05, 16.0)
}

fn dark(text: &str) -> Result<f32, String> {
    within(text, 0.0, 0.5)
}

fn distance(text: &str) -> Result<f32, String> {
    within(text, 0.0, 100.0)
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    variable: String,
    size: [usize; 3],
    range: [f32; 2],
    pixels: [usize; 2],
    #[serde(flatten)]
    figures: Figures,
    seconds: Seconds,
    repeat: u32,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// The sums of a picture.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Figures {
    Rays { transfer: Colours, step: f32, mean_colour: [f64; 3], mean_transmittance: f64 },
    Projection { project: &'static str, opacity: f64, mean_colour: f64, mean_transmittance: f64 },
    Greatest { mip: &'static str, sum: f64 },
}

/// Wall-clock time by phase.
#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    prepare: f64,
    render: f64,
    composite: f64,
    gather: f64,
    write: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    // An output that cannot be written is better known before the work than after it.
    options.common.report.iter().try_for_each(|file| write::check_place(file))?;
    options.picture.check()?;
    let mut seconds = Seconds::default();
    let source = timed(&mut seconds.read, || open(options))?;
    let drawn = match (options.project, options.mip) {
        (None, None) => rays(options, &source, &mut seconds)?,
        (along, mip) => projection(options, &source, along, mip, &mut seconds)?,
    };
    let Drawn { pixels, image, range, figures } = drawn;
    timed(&mut seconds.write, || match &image {
        Some(image) => png(&options.picture.image, pixels, image),
        None => Ok(()),
    })?;
    match &figures {
        Figures::Rays { mean_transmittance, .. } if *mean_transmittance == 1.0 => {
            say!("nothing is to be seen: --opacity makes some of these values opaque");
        }
        Figures::Rays { mean_transmittance, .. } => {
            say!("{:.1} % of the light comes through", 100.0 * mean_transmittance);
        }
        Figures::Projection { mean_colour, mean_transmittance, .. } => {
            say!("mean colour {mean_colour:.9}, mean transmittance {mean_transmittance:.9}");
        }
        Figures::Greatest { sum, .. } => say!("sum of the greatest values {sum}"),
    }
    say!("wrote {}", options.picture.image.display());
    let Seconds { read, prepare, render, composite, gather, write } = seconds;
    say!(
        "read {read:.3} s, prepare {prepare:.3} s, render {render:.4} s, composite {composite:.4} s, gather {gather:.4} s, write {write:.3} s"
    );
    let peak_memory_bytes = peak_memory();
    let Some(path) = &options.common.report else { return Ok(()) };
    let report = Report {
        input: origin(options),
        variable: source.name.clone(),
        size: source.grid.shape(),
        range,
        pixels,
        figures,
        seconds,
        repeat: options.repeat,
        machine: Machine::of(settings),
        peak_memory_bytes,
    };
    report::write(path, &report)?;
    Ok(())
}

/// A picture, whose bytes the first rank has.
struct Drawn {
    pixels: [usize; 2],
    image: Option<Vec<[u8; 3]>>,
    range: [f32; 2],
    figures: Figures,
}

fn open(options: &Options) -> Result<Source, Failure> {
    let source = match options.field {
        Some(field) => field.on(options.size as usize),
        None => options.volume.open()?,
    };
    let [nx, ny, nz] = source.grid.shape();
    say!("{}: {}, {nx} x {ny} x {nz}", origin(options), source.name);
    Ok(source)
}

fn origin(options: &Options) -> String {
    if options.field.is_some() { "formula".into() } else { options.volume.origin() }
}

/// The least and the greatest value.
fn known(options: &Options, source: &Source, found: Option<[f32; 2]>) -> Result<[f32; 2], Failure> {
    let Some([least, most]) = found else {
        let (input, name) = (origin(options), &source.name);
        return Err(format!("{input}: all values of {name} are missing; --variable chooses another one").into());
    };
    let units = source.units.as_ref().map_or(String::new(), |units| format!(" {units}"));
    say!("  values from {least} to {most}{units}");
    Ok([least, most])
}

/// Casts rays.
fn rays(options: &Options, source: &Source, seconds: &mut Seconds) -> Result<Drawn, Failure> {
    let shape = source.grid.shape();
    if let Some(axis) = (0..3).find(|&axis| shape[axis] < 2) {
        let axis = ["x", "y", "z"][axis];
        return Err(format!(
            "{}: the volume has one point along {axis}, and rays need two; --project {axis} shows it",
            origin(options)
        )
        .into());
    }
    if source.grid.axes.iter().any(|axis| !is_even(axis)) {
        say!("  the points are unevenly spaced, and are drawn at even distances");
    }
    let sight = sight(options, source);
    let scene = Scene::new(&source.grid, &sight);
    let read = || part("reading", |progress| Bricks::read(shape, scene.eye, |part| source.part(part, progress)));
    let bricks = timed(&mut seconds.read, read)?;
    let start = Instant::now();
    let values = known(options, source, bricks.range())?;
    let range = options.range.map_or(values, |Range(range)| range);
    let transfer = Transfer { colours: options.transfer.map(), opacity: opacity(options, range), range };
    let mut prepared = bricks.prepare(scene, &transfer, values, options.step);
    seconds.prepare = start.elapsed().as_secs_f64();
    let bar = steps(u64::from(options.repeat), "drawing");
    bar.enable_steady_tick(Duration::from_millis(200));
    let (mut rendering, mut compositing) = (Vec::new(), Vec::new());
    let mut frame = Vec::new();
    for _ in 0..options.repeat {
        let (mut render, mut composite) = (0.0, 0.0);
        timed(&mut render, || prepared.draw());
        frame = timed(&mut composite, || prepared.composite());
        rendering.push(render);
        compositing.push(composite);
        bar.inc(1);
    }
    bar.finish_and_clear();
    (seconds.render, seconds.composite) = (median(rendering), median(compositing));
    let image = timed(&mut seconds.gather, || bytes(&frame, sight.size, WALL));
    let mean =
        |part: fn(&Rgba) -> f32| frame.iter().map(|pixel| f64::from(part(pixel))).sum::<f64>() / frame.len() as f64;
    let figures = Figures::Rays {
        transfer: options.transfer,
        step: options.step,
        mean_colour: [mean(|pixel| pixel[0]), mean(|pixel| pixel[1]), mean(|pixel| pixel[2])],
        mean_transmittance: mean(|pixel| 1.0 - pixel[3]),
    };
    Ok(Drawn { pixels: sight.size, image, range, figures })
}

/// The wall behind the volume, in linear light.
const WALL: [f32; 3] = [1.0; 3];

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Whether no point is farther than a hundredth of the usual distance from where it would be at even distances.
fn is_even(axis: &[f64]) -> bool {
    let step = (axis[axis.len() - 1] - axis[0]) / (axis.len() - 1) as f64;
    axis.iter().enumerate().all(|(k, at)| (at - axis[0] - step * k as f64).abs() <= 0.01 * step.abs())
}

fn sight(options: &Options, source: &Source) -> Sight {
    let width = |axis: &Vec<f64>| (axis[axis.len() - 1] - axis[0]).abs() as f32;
    let [x, y, z] = [0, 1, 2].map(|axis| width(&source.grid.axes[axis]));
    // The depth of an ocean is exaggerated to a part of its width.
    let (stretch, camera) = match source.is_ocean {
        true => ([1.0, 1.0, 0.13 * x.max(y) / z], Camera { azimuth: 0.0, elevation: 56.0, zoom: 1.0 }),
        false => ([1.0; 3], Camera { azimuth: 35.0, elevation: 25.0, zoom: 1.0 }),
    };
    Sight {
        size: options.pixels.0,
        camera: options.picture.camera.unwrap_or(camera),
        distance: options.distance,
        step: options.step,
        dark: options.dark,
        stretch,
    }
}

/// The opacities at values, for rays.
fn opacity(options: &Options, [least, most]: [f32; 2]) -> Vec<(f32, f32)> {
    match &options.opacity {
        Some(Opacity::Points(points)) => points.clone(),
        Some(Opacity::Most(opacity)) => vec![(least, 0.0), (most, *opacity as f32)],
        None => vec![(least + 0.25 * (most - least), 0.0), (most, 0.6)],
    }
}

/// Projects along an axis.
fn projection(
    options: &Options,
    source: &Source,
    along: Option<Axis>,
    mip: Option<Axis>,
    seconds: &mut Seconds,
) -> Result<Drawn, Failure> {
    let shape = source.grid.shape();
    let opacity = match &options.opacity {
        None => 0.1,
        Some(Opacity::Most(opacity)) => *opacity,
        Some(Opacity::Points(_)) => return Err("--project takes one --opacity, that of the greatest value".into()),
    };
    let values = timed(&mut seconds.read, || planes(source))?;
    let [least, most] = volume::range(&values);
    let found = known(options, source, Some([least, most]).filter(|_| least <= most))?;
    let range = options.range.map_or(found, |Range(range)| range);
    let axis = along.or(mip).unwrap_or(Axis::Z);
    let name = ["x", "y", "z"][axis as usize];
    let pixels = axis.size(shape);
    let start = Instant::now();
    let (greys, figures): (Vec<f64>, _) = match mip {
        None => {
            let glow = Glow { least: range[0], most: range[1], opacity };
            let frame = composited(&values, shape, axis, glow);
            let mean = |part: usize| frame.iter().map(|light| light[part]).sum::<f64>() / frame.len() as f64;
            let (mean_colour, mean_transmittance) = (mean(0), mean(1));
            let figures = Figures::Projection { project: name, opacity, mean_colour, mean_transmittance };
            (frame.iter().map(|light| light[0]).collect(), figures)
        }
        Some(_) => {
            let frame = greatest(&values, shape, axis);
            let grey =
                |most: &f32| f64::from((most.max(range[0]) - range[0]) / (range[1] - range[0]).max(f32::MIN_POSITIVE));
            let sum = frame.iter().filter(|most| most.is_finite()).map(|most| f64::from(*most)).sum();
            (frame.iter().map(grey).collect(), Figures::Greatest { mip: name, sum })
        }
    };
    seconds.composite = start.elapsed().as_secs_f64();
    // Rows are shown from the last, which is up.
    let rows = greys.chunks(pixels[0]).rev().flatten();
    let frame: Vec<Rgba> = rows.map(|grey| [*grey as f32, *grey as f32, *grey as f32, 1.0]).collect();
    let image = timed(&mut seconds.gather, || bytes(&frame, pixels, WALL));
    Ok(Drawn { pixels, image, range, figures })
}
