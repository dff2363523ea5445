//! Extracts isosurfaces and shows them: see `isosurface --help`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum};
use forall::{Backend, DistVec};
use indicatif::{ProgressBar, ProgressStyle};
use isosurface::grid::Grid;
use isosurface::measure::{area_and_volume, bounds, heights, range};
use isosurface::picture::{self, Camera, Material, Paint, View};
use isosurface::read::raw::Raw;
use isosurface::read::{Choice, Source};
use isosurface::write::{self, Format};
use isosurface::{Extractor, Mesh, Part, land, tangle};
use serde::Serialize;
use std::error::Error;
use std::fmt;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Extracts isosurfaces from a volume, as a triangle mesh and as a picture.
///
/// Without arguments: the 10 °C surface of the world ocean, from the sample that comes with the program.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Volume to read: NetCDF-3 (.nc), NIfTI (.nii, .nii.gz), VTK image (.vti), or anything with --raw
    #[arg(long, value_name = "FILE", conflicts_with = "field")]
    input: Option<PathBuf>,

    /// Variable or array to contour [default: the first that is a volume]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["field", "raw"])]
    variable: Option<String>,

    /// Contour a formula instead of a file
    #[arg(long, value_name = "NAME")]
    field: Option<Field>,

    /// Points along each side of the formula's grid
    #[arg(long, value_name = "N", requires = "field", default_value_t = 128, value_parser = clap::value_parser!(u32).range(2..=4096))]
    size: u32,

    /// Value on the surface; may be given several times [default: 10 for the ocean, 0.2 for tangle, or mid-range]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite)]
    iso: Vec<f32>,

    /// Mesh to write: .vtp, .pvtp or .ply
    #[arg(long, value_name = "FILE", default_value = "isosurface.vtp")]
    output: PathBuf,

    /// Picture to write: .png
    #[arg(long, value_name = "FILE", default_value = "isosurface.png")]
    image: PathBuf,

    /// From where to look: degrees counter-clockwise from the front, degrees above the horizon, magnification
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true)]
    camera: Option<Camera>,

    /// Shape and type of a file without a header, as in 256x256x108:i16le
    #[arg(long, value_name = "XxYxZ:TYPE", requires = "input")]
    raw: Option<Raw>,

    /// Distance of neighbouring points of a raw file
    #[arg(long, value_name = "X,Y,Z", requires = "raw", value_parser = spacing, default_value = "1,1,1")]
    spacing: Spacing,

    /// Bytes before the first value of a raw file
    #[arg(long, value_name = "BYTES", requires = "raw", default_value_t = 0)]
    offset: u64,

    /// What runs the loops
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(Backend::ALL.map(Backend::name)).try_map(|name| name.parse::<Backend>())
    )]
    backend: Option<Backend>,

    /// Threads for each rank [default: the cores it was given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,

    /// Extract so many times and report the median time; the working arrays are kept from one time to the next
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,

    /// Write figures and times as JSON
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Field {
    /// A quartic surface with handles.
    Tangle,
}

/// Prints a line, on one rank; a reader that has gone away, as `head` does, is no failure.
macro_rules! say {
    ($($what:tt)*) => {{
        if forall::rank() == 0 {
            let _ = writeln!(std::io::stdout(), $($what)*);
        }
    }};
}

/// A distance along each axis.
#[derive(Debug, Clone, Copy)]
struct Spacing([f64; 3]);

fn spacing(text: &str) -> Result<Spacing, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok()) {
        Some(spacing) if spacing.iter().all(|d| d.is_finite() && *d > 0.0) => Ok(Spacing(spacing)),
        _ => Err("give three positive distances, as in 1,1,1.5".into()),
    }
}

fn finite(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(|| "give a finite number".into())
}

/// What the report holds.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    size: [usize; 3],
    points: usize,
    triangles: usize,
    active_cells: u64,
    crossing_edges: usize,
    area: f64,
    volume: f64,
    surfaces: Vec<Surface>,
    seconds: Seconds,
    repeat: u32,
    ranks: usize,
    threads: usize,
    backend: String,
    peak_memory_bytes: Option<u64>,
}

/// The figures of one isovalue.
#[derive(Debug, Serialize)]
struct Surface {
    iso: f32,
    points: usize,
    triangles: usize,
    active_cells: u64,
    area: f64,
    volume: f64,
}

/// Wall-clock time by phase.
#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    surface: f64,
    image: f64,
    write: f64,
}

/// What was extracted, and the median time that it took.
struct Surfaces {
    meshes: Vec<Mesh>,
    active_cells: Vec<u64>,
    seconds: f64,
}

/// A volume, of which each rank has its share of planes.
struct Volume {
    /// Where it is from, for the summary.
    input: String,
    name: String,
    units: String,
    grid: Grid,
    values: DistVec<f32>,
    is_ocean: bool,
    /// The isovalue to take when none is given.
    usual_iso: Option<f32>,
}

/// What went wrong, as it is shown.
struct Failure(Box<dyn Error>);

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

impl<E: Into<Box<dyn Error>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.into())
    }
}

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        // All ranks were given the same arguments; one says what is wrong with them, or helps.
        Err(error) => {
            return forall::run(forall::Settings::default(), || {
                if forall::rank() == 0 {
                    let _ = error.print();
                }
                ExitCode::from(error.exit_code() as u8)
            });
        }
    };
    match settings(&options) {
        Ok(settings) => forall::run(settings.clone(), || run(&options, &settings)),
        Err(error) => forall::run(forall::Settings::default(), || {
            if forall::rank() == 0 {
                eprintln!("Error: {error:?}");
            }
            // As for arguments that cannot be had.
            ExitCode::from(2)
        }),
    }
}

/// The settings of the environment, with those of the command line instead where they are given.
fn settings(options: &Options) -> Result<forall::Settings, Failure> {
    let mut settings = forall::Settings::from_env()?;
    settings.backend = options.backend.unwrap_or(settings.backend);
    settings.threads = options.threads.and_then(|threads| NonZeroUsize::new(threads as usize)).or(settings.threads);
    Ok(settings)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    // An output that cannot be written is better known before the work than after it.
    let format = Format::of(&options.output)?;
    for file in [Some(&options.output), Some(&options.image), options.report.as_ref()].into_iter().flatten() {
        check_folder(file)?;
    }
    if !options.image.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(format!("cannot write {}: pictures are .png files", options.image.display()).into());
    }
    let mut seconds = Seconds::default();

    let start = Instant::now();
    let volume = read(options)?;
    seconds.read = start.elapsed().as_secs_f64();

    let [nx, ny, nz] = volume.grid.shape();
    let (least, most, valid) = range(&volume.values);
    say!("{}: {}, {nx} x {ny} x {nz}", volume.input, volume.name);
    if valid == 0 {
        let Volume { input, name, .. } = &volume;
        return Err(format!("{input}: all values of {name} are missing; --variable chooses another one").into());
    }
    say!("  {} values from {least} to {most}{}", grouped(valid), volume.units);
    let isos = if options.iso.is_empty() {
        vec![volume.usual_iso.unwrap_or(0.5 * least + 0.5 * most)]
    } else {
        options.iso.clone()
    };

    let Surfaces { meshes, active_cells, seconds: surface } = surfaces(&volume, &isos, options.repeat)?;
    seconds.surface = surface;
    let figures: Vec<_> = meshes.iter().zip(&active_cells).map(|(mesh, &cells)| figures(mesh, cells)).collect();
    for figures in &figures {
        say!(
            "surface at {}{}: {} points, {} triangles in {} cells, area {:.6}, volume {:.6}",
            figures.iso,
            volume.units,
            grouped(figures.points as u64),
            grouped(figures.triangles as u64),
            grouped(figures.active_cells),
            figures.area,
            figures.volume,
        );
    }
    if figures.iter().all(|figures| figures.triangles == 0) {
        match least == most {
            true => say!("all values are the same: there is no surface"),
            false => say!("no cell has values on both sides: try --iso between {least} and {most}"),
        }
    }

    let start = Instant::now();
    if let Some(image) = draw(&volume, &meshes, options.camera)? {
        picture::png(&options.image, &image)?;
    }
    seconds.image = start.elapsed().as_secs_f64();

    let start = Instant::now();
    if format == Format::Pvtp {
        let parts: Vec<_> = meshes.iter().map(Mesh::to_part).collect();
        write::vtp(&write::piece_path(&options.output, forall::rank()), &parts)?;
        if forall::rank() == 0 {
            write::pvtp_index(&options.output, forall::ranks())?;
        }
    } else {
        // All ranks take part in the gathering of every mesh, so it comes before the question who has the result.
        let gathered: Vec<_> = meshes.iter().map(Mesh::to_root).collect();
        let parts: Option<Vec<Part>> = gathered.into_iter().collect();
        match (parts, format) {
            (Some(parts), Format::Ply) => write::ply(&options.output, &parts)?,
            (Some(parts), _) => write::vtp(&options.output, &parts)?,
            (None, _) => {}
        }
    }
    seconds.write = start.elapsed().as_secs_f64();
    say!("wrote {} and {}", options.output.display(), options.image.display());
    say!(
        "read {:.3} s, surface {:.4} s, image {:.3} s, write {:.3} s",
        seconds.read,
        seconds.surface,
        seconds.image,
        seconds.write
    );

    let peak_memory_bytes = peak_memory();
    if let Some(path) = options.report.as_ref().filter(|_| forall::rank() == 0) {
        let (backend, threads) = machine(settings);
        let report = Report {
            input: volume.input,
            size: [nx, ny, nz],
            points: figures.iter().map(|f| f.points).sum(),
            triangles: figures.iter().map(|f| f.triangles).sum(),
            active_cells: figures.iter().map(|f| f.active_cells).sum(),
            // Each crossed edge carries one point.
            crossing_edges: figures.iter().map(|f| f.points).sum(),
            area: figures.iter().map(|f| f.area).sum(),
            volume: figures.iter().map(|f| f.volume).sum(),
            surfaces: figures,
            seconds,
            repeat: options.repeat,
            ranks: forall::ranks(),
            threads,
            backend: backend.into(),
            peak_memory_bytes,
        };
        write::atomically(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &report)?;
            writeln!(file)
        })?;
    }
    Ok(())
}

/// Fails when the folder that a file is to be written to does not exist.
fn check_folder(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() && file.file_name().is_some() && !file.is_dir() {
        Ok(())
    } else {
        Err(format!("cannot write {}: give the name of a file in a folder that exists", file.display()).into())
    }
}

fn read(options: &Options) -> Result<Volume, Failure> {
    if let Some(Field::Tangle) = options.field {
        let n = options.size as usize;
        let grid = tangle::grid(n);
        let mut values = DistVec::from_fn_in_planes(n * n * n, n * n, |_| 0.0);
        tangle::fill(n, &tangle::quartic(&grid.axes[0]), &mut values);
        return Ok(Volume {
            input: "formula".into(),
            name: "tangle".into(),
            units: String::new(),
            grid,
            values,
            is_ocean: false,
            usual_iso: Some(0.2),
        });
    }
    let raw = options.raw.clone().map(|raw| Raw { spacing: options.spacing.0, offset: options.offset, ..raw });
    let source = match &options.input {
        Some(path) => Source::open(path, &Choice { variable: options.variable.as_deref(), raw: raw.as_ref() })?,
        None => Source::sample(options.variable.as_deref())?,
    };
    let bar = progress(1000, "{msg} {bar:40} {percent} %", "reading");
    // Every rank reads its own planes.
    let [nx, ny, nz] = source.grid.shape();
    let slab = source.planes(forall::share(nz), &mut |done| bar.set_position((1000.0 * done) as u64))?;
    let values = DistVec::from_local(slab).in_planes(nx * ny);
    bar.finish_and_clear();
    Ok(Volume {
        input: options.input.as_ref().map_or("ocean sample".into(), |path| path.display().to_string()),
        units: source.units.as_ref().map_or(String::new(), |units| format!(" {units}")),
        name: source.name,
        grid: source.grid,
        values,
        is_ocean: source.is_ocean,
        usual_iso: options.input.is_none().then_some(10.0),
    })
}

/// A progress bar on one rank; nothing is shown where there is no terminal.
fn progress(length: u64, template: &str, message: &'static str) -> ProgressBar {
    let bar = if forall::rank() == 0 { ProgressBar::new(length) } else { ProgressBar::hidden() };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(message);
    bar
}

/// Extracts all surfaces, as often as asked.
fn surfaces(volume: &Volume, isos: &[f32], repeat: u32) -> Result<Surfaces, Failure> {
    let bar = progress(u64::from(repeat) * isos.len() as u64, "{msg} {bar:40} {pos}/{len}", "extracting");
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut extractor = None;
    let mut times = Vec::new();
    let (mut meshes, mut active_cells) = (Vec::new(), Vec::new());
    for _ in 0..repeat {
        (meshes, active_cells) = (Vec::new(), Vec::new());
        let mut time = 0.0;
        for &iso in isos {
            let start = Instant::now();
            let extractor = extractor.get_or_insert_with(|| Extractor::new(&volume.grid));
            meshes.push(extractor.extract(&volume.values, iso)?);
            time += start.elapsed().as_secs_f64();
            active_cells.push(extractor.active_cells());
            bar.inc(1);
        }
        times.push(time);
    }
    bar.finish_and_clear();
    times.sort_by(f64::total_cmp);
    Ok(Surfaces { meshes, active_cells, seconds: times[times.len() / 2] })
}

fn figures(mesh: &Mesh, active_cells: u64) -> Surface {
    let (low, high) = bounds(&mesh.points);
    let amid = if mesh.points.is_empty() {
        [0.0; 3]
    } else {
        [0, 1, 2].map(|axis| 0.5 * (f64::from(low[axis]) + f64::from(high[axis])))
    };
    let (area, volume) = area_and_volume(&mesh.triangles, &mesh.points, amid);
    Surface {
        iso: mesh.iso,
        points: mesh.points.len(),
        triangles: mesh.triangles.len(),
        active_cells,
        area,
        // It is negative when the front is inside, around lower values.
        volume: volume.abs(),
    }
}

fn draw(volume: &Volume, meshes: &[Mesh], camera: Option<Camera>) -> Result<Option<Vec<[u8; 3]>>, Failure> {
    let ends = |axis: &Vec<f64>| {
        let (first, last) = (axis[0] as f32, axis[axis.len() - 1] as f32);
        (first.min(last), first.max(last))
    };
    let [(x0, x1), (y0, y1), (z0, z1)] = [0, 1, 2].map(|axis| ends(&volume.grid.axes[axis]));
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for mesh in meshes {
        let (least, most) = bounds(&mesh.points);
        low = [0, 1, 2].map(|axis| low[axis].min(least[axis]));
        high = [0, 1, 2].map(|axis| high[axis].max(most[axis]));
    }
    if low[0] > high[0] {
        (low, high) = ([x0, y0, z0], [x1, y1, z1]);
    }
    if !volume.is_ocean {
        let camera = camera.unwrap_or(Camera { azimuth: 35.0, elevation: 25.0, zoom: 1.0 });
        let view = View::new(low, high, [1.0; 3], camera);
        let paint = Paint { material: Material::Plain, lowest: low[2], highest: high[2] };
        let drawn: Vec<_> = meshes.iter().map(|mesh| (mesh, paint)).collect();
        return Ok(picture::render(&drawn, view, camera.zoom));
    }
    // The whole ocean down to a little below the surface, its depth exaggerated to a part of its width.
    let floor = (z1 - 1.15 * (z1 - low[2])).max(z0);
    let land = land::extract(&volume.values, &volume.grid, f64::from(floor))?;
    let (least, most) = bounds(&land.points);
    let (low, high) = ([x0, y0, least[2].min(low[2])], [x1, y1, most[2].max(z1)]);
    let exaggeration = 0.13 * (x1 - x0).max(y1 - y0) / (high[2] - low[2]).max(f32::MIN_POSITIVE);
    let camera = camera.unwrap_or(Camera { azimuth: 0.0, elevation: 56.0, zoom: 1.0 });
    let view = View::new(low, high, [1.0, 1.0, exaggeration], camera);
    let (lowest, highest) = usual_heights(meshes);
    let water = Paint { material: Material::Surface, lowest, highest };
    let ground = Paint { material: Material::Land, lowest: low[2], highest: z1 };
    let surfaces = meshes.iter().map(|mesh| (mesh, water));
    let drawn: Vec<_> = surfaces.chain(std::iter::once((&land, ground))).collect();
    Ok(picture::render(&drawn, view, camera.zoom))
}

/// The heights between which most points lie: two deviations around the mean.
fn usual_heights(meshes: &[Mesh]) -> (f32, f32) {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for mesh in meshes {
        let (s, q) = heights(&mesh.points);
        (count, sum, squares) = (count + mesh.points.len() as f64, sum + s, squares + q);
    }
    let mean = sum / f64::max(count, 1.0);
    let deviation = (squares / f64::max(count, 1.0) - mean * mean).max(0.0).sqrt();
    ((mean - 2.0 * deviation) as f32, (mean + 2.0 * deviation) as f32)
}

/// The backend that runs the loops, and its threads.
fn machine(settings: &forall::Settings) -> (&'static str, usize) {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    match forall::backend() {
        "serial" => ("serial", 1),
        backend => (backend, settings.threads.unwrap_or_else(cores).get()),
    }
}

/// The most memory that any rank ever held, where the system tells.
fn peak_memory() -> Option<u64> {
    let own = own_peak_memory().unwrap_or(0);
    DistVec::from_local(vec![own]).to_all().into_iter().max().filter(|&most| most > 0)
}

fn own_peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}
