//! Extracts isosurfaces and shows them: see `isosurface --help`.

use clap::{Parser, ValueEnum};
use forall::DistVec;
use forall_examples::camera::{Camera, View};
use forall_examples::mesh::Mesh;
use forall_examples::picture::{PictureOptions, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, steps};
use forall_examples::report::{self, Machine, peak_memory};
use forall_examples::say;
use forall_examples::volume::{Volume, VolumeOptions};
use forall_examples::write::{self, Format};
use isosurface::measure::{area_and_volume, bounds, heights, range};
use isosurface::picture::{self, Material, Paint};
use isosurface::{Extractor, land, tangle};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Extracts isosurfaces from a volume, as a triangle mesh and as a picture.
///
/// Without arguments: the 10 °C surface of the world ocean, from the sample that comes with the program.
#[derive(Debug, Parser)]
#[command(version, mut_arg("image", |image| image.default_value("isosurface.png")))]
struct Options {
    #[command(flatten)]
    volume: VolumeOptions,

    /// Contour a formula instead of a file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["input", "variable"])]
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

    #[command(flatten)]
    picture: PictureOptions,

    /// Extract so many times and report the median time; the working arrays are kept from one time to the next
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Field {
    /// A quartic surface with handles.
    Tangle,
}

fn finite(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(|| "give a finite number".into())
}

/// The contents of the report.
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
    #[serde(flatten)]
    machine: Machine,
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

/// The surface, and the median time of its extraction.
struct Surfaces {
    meshes: Vec<Mesh>,
    active_cells: Vec<u64>,
    seconds: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    // An output that cannot be written is better known before the work than after it.
    Format::of(&options.output)?;
    for file in std::iter::once(&options.output).chain(&options.common.report) {
        write::check_place(file)?;
    }
    options.picture.check()?;
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
        vec![usual_iso(options).unwrap_or(0.5 * least + 0.5 * most)]
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
    if let Some(image) = draw(&volume, &meshes, options.picture.camera)? {
        png(&options.picture.image, picture::SIZE, &image)?;
    }
    seconds.image = start.elapsed().as_secs_f64();

    let start = Instant::now();
    write::meshes(&options.output, "iso", &meshes)?;
    seconds.write = start.elapsed().as_secs_f64();
    say!("wrote {} and {}", options.output.display(), options.picture.image.display());
    say!(
        "read {:.3} s, surface {:.4} s, image {:.3} s, write {:.3} s",
        seconds.read,
        seconds.surface,
        seconds.image,
        seconds.write
    );

    let peak_memory_bytes = peak_memory();
    if let Some(path) = &options.common.report {
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
            machine: Machine::of(settings),
            peak_memory_bytes,
        };
        report::write(path, &report)?;
    }
    Ok(())
}

fn read(options: &Options) -> Result<Volume, Failure> {
    let Some(Field::Tangle) = options.field else {
        return Ok(options.volume.read()?);
    };
    let n = options.size as usize;
    let grid = tangle::grid(n);
    let mut values = DistVec::from_fn_in_planes(n * n * n, n * n, |_| 0.0);
    tangle::fill(n, &tangle::quartic(&grid.axes[0]), &mut values);
    let (input, name) = ("formula".into(), "tangle".into());
    Ok(Volume { input, name, units: String::new(), grid, values, is_ocean: false })
}

/// The isovalue to take when none is given, where there is a usual one.
fn usual_iso(options: &Options) -> Option<f32> {
    match (options.field, &options.volume.input) {
        (Some(Field::Tangle), _) => Some(0.2),
        (None, None) => Some(10.0),
        (None, Some(_)) => None,
    }
}

/// Extracts all surfaces, as often as asked.
fn surfaces(volume: &Volume, isos: &[f32], repeat: u32) -> Result<Surfaces, Failure> {
    let bar = steps(u64::from(repeat) * isos.len() as u64, "extracting");
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
        iso: mesh.value,
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
