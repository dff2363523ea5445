//! Contours a mesh of cells: see `contour --help`.

use clap::{ArgGroup, Parser, ValueEnum};
use contour::cases::Cases;
use contour::contour::{Contour, counts, measures};
use contour::cut::{Cut, looking_at};
use contour::parts::{area, boundary, feature_edges, threshold};
use contour::picture::draw;
use contour::probe::probe;
use contour::tree::Ranges;
use contour::{active_cells, by_value, pieces_of_all, tangle};
use forall::DistVec;
use forall_examples::camera::Camera;
use forall_examples::cells::{Cells, Field, MeshError, dimensions};
use forall_examples::picture::{PictureOptions, png};
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, steps};
use forall_examples::read;
use forall_examples::report::{self, Machine, peak_memory, timed};
use forall_examples::say;
use forall_examples::write::{self, CellFormat};
use isosurface::picture::SIZE;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Extracts contours from a mesh of linear cells of any kind, cuts it, or takes parts of it.
///
/// One of --iso, --cut, --boundary, --edges and --probe says what is made of the mesh; --threshold takes a part of it first, or is all.
#[derive(Debug, Parser)]
#[command(
    version,
    group(ArgGroup::new("result").args(["iso", "cut", "boundary", "edges", "probe"])),
    group(ArgGroup::new("what").args(["iso", "cut", "boundary", "edges", "probe", "threshold"]).required(true).multiple(true))
)]
struct Options {
    /// Mesh to read: .vtu, .vtp, .vti, .vtk, .ply, .off, .stl or .obj; or a volume: .nii, .nc
    #[arg(long, value_name = "FILE", required_unless_present = "field")]
    input: Option<PathBuf>,

    /// Point values to look at [default: those that the file marks, or the first]
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,

    /// Use a formula instead of a file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["input", "variable"])]
    field: Option<Formula>,

    /// Points along each side of the formula's grid
    #[arg(long, value_name = "N", requires = "field", default_value_t = 97, value_parser = clap::value_parser!(u32).range(2..=600))]
    size: u32,

    /// Five tetrahedra for each cell of the formula's grid
    #[arg(long, requires = "field")]
    tetrahedra: bool,

    /// Value on the contour; may be given several times
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = finite)]
    iso: Vec<f32>,

    /// Cut the mesh: plane:X,Y,Z,NX,NY,NZ (a point and the normal), sphere:X,Y,Z,R or box:X0,Y0,Z0,X1,Y1,Z1
    #[arg(long, value_name = "SURFACE")]
    cut: Option<Cut>,

    /// Take the mesh's surface: outer faces of cells, and flat cells
    #[arg(long)]
    boundary: bool,

    /// Take the edges of the surface where it ends, or bends by more than so many degrees
    #[arg(long, value_name = "DEGREES", value_parser = angle)]
    edges: Option<f64>,

    /// Look up all point values of the mesh at the points of another one
    #[arg(long, value_name = "FILE")]
    probe: Option<PathBuf>,

    /// Keep only cells whose corners all have values in a range; either end may be left out
    #[arg(long, value_name = "LOW:HIGH", allow_hyphen_values = true, value_parser = range)]
    threshold: Option<[f32; 2]>,

    /// Give each point of a contour or a cut its normal, towards lower values
    #[arg(long)]
    normals: bool,

    /// Leave out parts of the mesh by a tree of the values' ranges
    #[arg(long)]
    tree: bool,

    /// Cells below each leaf of the tree
    #[arg(long, value_name = "N", requires = "tree", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    leaf: u32,

    /// Mesh to write: .vtp, .pvtp, .vtu or .ply; cells with a volume need .vtu [default: contour.vtp, or contour.vtu]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Picture of the result to write: .png
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// From where to look: degrees counter-clockwise from the front, degrees above the horizon, magnification
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", allow_hyphen_values = true, requires = "image")]
    camera: Option<Camera>,

    /// Contour so many times and report the median times
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,

    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Formula {
    /// A quartic surface with handles.
    Tangle,
}

fn finite(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(|| "give a finite number".into())
}

fn angle(text: &str) -> Result<f64, String> {
    let angle = text.parse().ok().filter(|angle: &f64| (0.0..=180.0).contains(angle));
    angle.ok_or_else(|| "give degrees from 0 to 180".into())
}

fn range(text: &str) -> Result<[f32; 2], String> {
    let ends = text.split_once(':').and_then(|(low, high)| {
        let end = |text: &str, open: f32| if text.is_empty() { Some(open) } else { finite(text).ok() };
        Some([end(low, f32::NEG_INFINITY)?, end(high, f32::INFINITY)?])
    });
    let ends = ends.filter(|[low, high]| low <= high);
    ends.ok_or_else(|| "give the lowest and the highest value, as in 300:400, 300: or :400".into())
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    variable: String,
    cells: usize,
    #[serde(flatten)]
    figures: Figures,
    /// One for each isovalue.
    contours: Vec<Figures>,
    seconds: Seconds,
    repeat: u32,
    #[serde(flatten)]
    machine: Machine,
    peak_memory_bytes: Option<u64>,
}

/// The figures of a result, or of all.
#[derive(Debug, Clone, Default, Serialize)]
struct Figures {
    #[serde(skip_serializing_if = "Option::is_none")]
    iso: Option<f32>,
    points: u64,
    /// Triangles, and other flat cells.
    triangles: u64,
    lines: u64,
    vertices: u64,
    /// The cells that a contour crosses, or those that were kept.
    active_cells: u64,
    area: f64,
    /// Of a contour: what it encloses, where it is closed.
    volume: f64,
    length: f64,
}

#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    tree: f64,
    contour: f64,
    merge: f64,
    write: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

impl Options {
    /// Whether cells are all that is taken.
    fn takes_cells(&self) -> bool {
        self.iso.is_empty() && self.cut.is_none() && !self.boundary && self.edges.is_none() && self.probe.is_none()
    }

    fn output(&self) -> PathBuf {
        let usual = if self.takes_cells() { "contour.vtu" } else { "contour.vtp" };
        self.output.clone().unwrap_or_else(|| usual.into())
    }

    /// Fails when an output cannot be written: better known before the work than after it.
    fn check(&self) -> Result<(), Failure> {
        CellFormat::of(&self.output())?;
        for file in std::iter::once(&self.output()).chain(&self.common.report) {
            write::check_place(file)?;
        }
        if let Some(image) = &self.image {
            PictureOptions { image: image.clone(), camera: self.camera }.check()?;
        }
        Ok(())
    }
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    options.check()?;
    let mut seconds = Seconds::default();
    let (input, mesh) = timed(&mut seconds.read, || read_mesh(options))?;
    say!("{input}: {} points, {} cells", grouped(mesh.points.len() as u64), grouped(mesh.len() as u64));
    if (!options.iso.is_empty() || options.threshold.is_some()) && mesh.values.is_empty() && !mesh.points.is_empty() {
        return Err(format!("{input}: {}", MeshError::NoVariable).into());
    }
    let probes = options.probe.as_ref().map(|path| read::mesh(path, None)).transpose()?;
    let cases = Cases::new();
    let (variable, cells) = (mesh.name.clone(), mesh.len());
    let mesh = match options.threshold {
        Some([low, high]) => timed(&mut seconds.contour, || threshold(&mesh, low, high)),
        None => mesh,
    };
    let output = options.output();
    let parts = CellFormat::of(&output)? == CellFormat::Pvtp;
    let (out, all) = if options.iso.is_empty() && options.cut.is_none() {
        let out = timed(&mut seconds.contour, || match (options.edges, &probes) {
            (Some(angle), _) => feature_edges(&mesh, &cases, angle),
            (None, Some(probes)) => probe(probes, &mesh),
            (None, None) if options.boundary => boundary(&mesh, &cases),
            (None, None) => mesh,
        });
        let figures = figures_of_cells(&out);
        // Every rank has it as a whole.
        (
            if forall::rank() == 0 {
                out
            } else {
                Cells {
                    fields: out.fields.iter().map(without_values).collect(),
                    cell_fields: out.cell_fields.iter().map(without_values).collect(),
                    ..Cells::new()
                }
            },
            vec![figures],
        )
    } else {
        let (mesh, isos) = match &options.cut {
            Some(cut) => (looking_at(mesh, cut), vec![0.0]),
            None => (mesh, options.iso.clone()),
        };
        let contours = contours(options, &mesh, &isos, &cases, &mut seconds);
        let mut out = Cells::new();
        contours.iter().for_each(|contour| contour.add_to(&mut out, parts));
        (if parts { out.compacted() } else { out }, {
            let mut active = vec![0; isos.len()];
            active_cells(&mesh, &isos, &mut active);
            contours.iter().zip(active).map(|(contour, active)| figures(contour, active)).collect()
        })
    };
    let what = if options.cut.is_some() { "distance" } else { &variable };
    all.iter().for_each(|figures| say_figures(what, figures));
    // All ranks draw, and one has the picture.
    let pixels = options.image.as_ref().and_then(|image| Some((image, draw(&out, options.camera)?)));
    if let Some((image, pixels)) = pixels {
        png(image, SIZE, &pixels)?;
    }
    timed(&mut seconds.write, || if parts || forall::rank() == 0 { write::cells(&output, &out) } else { Ok(()) })?;
    say!("wrote {}", output.display());
    let peak_memory_bytes = peak_memory();
    let Some(path) = &options.common.report else { return Ok(()) };
    let (figures, machine) = (total(&all), Machine::of(settings));
    let contours = all.into_iter().filter(|figures| figures.iso.is_some()).collect();
    let repeat = options.repeat;
    report::write(
        path,
        &Report { input, variable, cells, figures, contours, seconds, repeat, machine, peak_memory_bytes },
    )?;
    Ok(())
}

fn without_values(field: &Field) -> Field {
    Field { values: Vec::new(), ..field.clone() }
}

fn say_figures(variable: &str, figures: &Figures) {
    let Figures { iso, points, triangles, lines, vertices, active_cells, area, .. } = figures;
    let [points, triangles, lines, vertices, active] =
        [points, triangles, lines, vertices, active_cells].map(|count| grouped(*count));
    match iso {
        Some(iso) => say!(
            "{variable} = {iso}: {points} points, {triangles} triangles, {lines} lines, {vertices} vertices in {active} cells, area {area:.5}"
        ),
        None => say!(
            "{points} points, {triangles} flat cells, {lines} lines, {vertices} vertices of {active} cells, area {area:.5}"
        ),
    }
}

/// The sums of figures.
fn total(all: &[Figures]) -> Figures {
    let count = |of: fn(&Figures) -> u64| all.iter().map(of).sum();
    let sum = |of: fn(&Figures) -> f64| all.iter().map(of).sum();
    Figures {
        iso: None,
        points: count(|f| f.points),
        triangles: count(|f| f.triangles),
        lines: count(|f| f.lines),
        vertices: count(|f| f.vertices),
        active_cells: count(|f| f.active_cells),
        area: sum(|f| f.area),
        volume: sum(|f| f.volume),
        length: sum(|f| f.length),
    }
}

/// The mesh, and what it is called.
fn read_mesh(options: &Options) -> Result<(String, Cells), Failure> {
    match &options.input {
        Some(path) => Ok((path.display().to_string(), read::mesh(path, options.variable.as_deref())?)),
        None => Ok(("formula".into(), tangle::mesh(options.size as usize, options.tetrahedra))),
    }
}

/// All contours, as often as asked.
fn contours(options: &Options, mesh: &Cells, isos: &[f32], cases: &Cases, seconds: &mut Seconds) -> Vec<Contour> {
    // A step for each pass over the cells, and one for each contour.
    let bar = steps(u64::from(options.repeat) * (1 + isos.len() as u64), "contouring");
    bar.enable_steady_tick(Duration::from_millis(200));
    let (mut times, mut contours) = (Vec::new(), Vec::new());
    for _ in 0..options.repeat {
        contours.clear();
        let mut time = Seconds::default();
        let ranges = options.tree.then(|| timed(&mut time.tree, || Ranges::new(mesh, options.leaf as usize)));
        let mut found = DistVec::from_local(Vec::new());
        timed(&mut time.contour, || match &ranges {
            Some(ranges) => ranges.pieces(mesh, cases, isos, &mut found),
            None => pieces_of_all(mesh, cases, isos, &mut found),
        });
        bar.inc(1);
        let each = timed(&mut time.merge, || by_value(found, isos.len()));
        for (&iso, found) in isos.iter().zip(each) {
            contours.push(timed(&mut time.merge, || Contour::new(mesh, iso, &found, options.normals)));
            bar.inc(1);
        }
        times.push(time);
    }
    bar.finish_and_clear();
    let median = |of: fn(&Seconds) -> f64| {
        let mut all: Vec<f64> = times.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    seconds.contour += median(|s| s.contour);
    (seconds.tree, seconds.merge) = (median(|s| s.tree), median(|s| s.merge));
    contours
}

fn figures(contour: &Contour, active_cells: u64) -> Figures {
    let (area, volume, length) = measures(&contour.pieces, &contour.points);
    let (triangles, lines, vertices) = counts(&contour.pieces);
    let (points, iso, volume) = (contour.points.len() as u64, Some(contour.value), volume.abs());
    Figures { iso, points, triangles, lines, vertices, active_cells, area, volume, length }
}

fn figures_of_cells(mesh: &Cells) -> Figures {
    let of = |dimension| mesh.kinds.iter().filter(|kind| dimensions(**kind) == dimension).count() as u64;
    Figures {
        points: mesh.points.len() as u64,
        triangles: of(2),
        lines: of(1),
        vertices: of(0),
        active_cells: mesh.len() as u64,
        area: area(mesh),
        ..Figures::default()
    }
}
