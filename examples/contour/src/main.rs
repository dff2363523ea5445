//! Contours a mesh of cells: see `contour --help`.

use clap::{Parser, ValueEnum};
use contour::cases::Cases;
use contour::contour::{Contour, counts, measures};
use contour::tree::Ranges;
use contour::{active_cells, pieces_of_all, tangle};
use forall::DistVec;
use forall_examples::cells::Cells;
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, steps};
use forall_examples::read::vtu;
use forall_examples::report::{self, Machine};
use forall_examples::say;
use forall_examples::write::{self, CellFormat};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Extracts contours from a mesh of linear cells of any kind.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Mesh to read: .vtu
    #[arg(long, value_name = "FILE", required_unless_present = "field")]
    input: Option<PathBuf>,

    /// Point values to contour [default: those that the file marks, or the first]
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,

    /// Contour a formula instead of a file
    #[arg(long, value_name = "NAME", conflicts_with_all = ["input", "variable"])]
    field: Option<Formula>,

    /// Points along each side of the formula's grid
    #[arg(long, value_name = "N", requires = "field", default_value_t = 97, value_parser = clap::value_parser!(u32).range(2..=600))]
    size: u32,

    /// Five tetrahedra for each cell of the formula's grid
    #[arg(long, requires = "field")]
    tetrahedra: bool,

    /// Value on the contour; may be given several times
    #[arg(long, value_name = "VALUE", required = true, allow_negative_numbers = true, value_parser = finite)]
    iso: Vec<f32>,

    /// Give each point its normal, towards lower values
    #[arg(long)]
    normals: bool,

    /// Leave out parts of the mesh by a tree of the values' ranges
    #[arg(long)]
    tree: bool,

    /// Cells below each leaf of the tree
    #[arg(long, value_name = "N", requires = "tree", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    leaf: u32,

    /// Mesh to write: .vtp, .pvtp, .vtu or .ply
    #[arg(long, value_name = "FILE", default_value = "contour.vtp")]
    output: PathBuf,

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

/// What the report holds.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    variable: String,
    cells: usize,
    #[serde(flatten)]
    figures: Figures,
    contours: Vec<Figures>,
    seconds: Seconds,
    repeat: u32,
    #[serde(flatten)]
    machine: Machine,
}

/// The figures of a contour, or of all.
#[derive(Debug, Default, Serialize)]
struct Figures {
    #[serde(skip_serializing_if = "Option::is_none")]
    iso: Option<f32>,
    points: u64,
    triangles: u64,
    lines: u64,
    vertices: u64,
    active_cells: u64,
    area: f64,
    volume: f64,
    length: f64,
}

#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    tree: f64,
    contour: f64,
    merge: f64,
}

/// Runs something, and adds the time that it takes.
fn timed<R>(seconds: &mut f64, run: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = run();
    *seconds += start.elapsed().as_secs_f64();
    result
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    // An output that cannot be written is better known before the work than after it.
    CellFormat::of(&options.output)?;
    for file in std::iter::once(&options.output).chain(&options.common.report) {
        write::check_place(file)?;
    }
    let mut seconds = Seconds::default();
    let (input, mesh) = timed(&mut seconds.read, || read(options))?;
    if mesh.values.is_empty() && !mesh.is_empty() {
        return Err(format!("{input}: {}", forall_examples::cells::MeshError::NoVariable).into());
    }
    let cases = Cases::new();
    let contours = contours(options, &mesh, &cases, &mut seconds);
    let mut out = Cells::new();
    let parts = CellFormat::of(&options.output)? == CellFormat::Pvtp;
    for contour in &contours {
        contour.add_to(&mut out, parts);
    }
    if parts {
        out = out.compacted();
    }
    if parts || forall::rank() == 0 {
        write::cells(&options.output, &out)?;
    }
    let all: Vec<Figures> = contours.iter().map(|contour| figures(&mesh, contour)).collect();
    for figures in &all {
        let Figures { iso, points, triangles, lines, vertices, active_cells, area, .. } = figures;
        let [points, triangles, lines, vertices, active] =
            [points, triangles, lines, vertices, active_cells].map(|count| grouped(*count));
        say!(
            "{} = {}: {points} points, {triangles} triangles, {lines} lines, {vertices} vertices in {active} cells, area {area:.5}",
            mesh.name,
            iso.unwrap_or_default(),
        );
    }
    let Some(path) = &options.common.report else { return Ok(()) };
    let total = |of: fn(&Figures) -> u64| all.iter().map(of).sum();
    let sum = |of: fn(&Figures) -> f64| all.iter().map(of).sum();
    let figures = Figures {
        iso: None,
        points: total(|f| f.points),
        triangles: total(|f| f.triangles),
        lines: total(|f| f.lines),
        vertices: total(|f| f.vertices),
        active_cells: total(|f| f.active_cells),
        area: sum(|f| f.area),
        volume: sum(|f| f.volume),
        length: sum(|f| f.length),
    };
    let machine = Machine::of(settings);
    let (variable, cells) = (mesh.name.clone(), mesh.len());
    report::write(
        path,
        &Report { input, variable, cells, figures, contours: all, seconds, repeat: options.repeat, machine },
    )?;
    Ok(())
}

/// The mesh, and what it is called.
fn read(options: &Options) -> Result<(String, Cells), Failure> {
    match &options.input {
        Some(path) => Ok((path.display().to_string(), vtu::read(path, options.variable.as_deref())?)),
        None => Ok(("formula".into(), tangle::mesh(options.size as usize, options.tetrahedra))),
    }
}

/// All contours, as often as asked.
fn contours(options: &Options, mesh: &Cells, cases: &Cases, seconds: &mut Seconds) -> Vec<Contour> {
    let bar = steps(u64::from(options.repeat) * options.iso.len() as u64, "contouring");
    bar.enable_steady_tick(Duration::from_millis(200));
    let (mut times, mut contours) = (Vec::new(), Vec::new());
    for _ in 0..options.repeat {
        contours.clear();
        let mut time = Seconds::default();
        let ranges = options.tree.then(|| timed(&mut time.tree, || Ranges::new(mesh, options.leaf as usize)));
        for &iso in &options.iso {
            let mut pieces = DistVec::from_local(Vec::new());
            timed(&mut time.contour, || match &ranges {
                Some(ranges) => ranges.pieces(mesh, cases, iso, &mut pieces),
                None => pieces_of_all(mesh, cases, iso, &mut pieces),
            });
            contours.push(timed(&mut time.merge, || Contour::new(mesh, iso, &pieces, options.normals)));
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
    (seconds.tree, seconds.contour, seconds.merge) = (median(|s| s.tree), median(|s| s.contour), median(|s| s.merge));
    contours
}

fn figures(mesh: &Cells, contour: &Contour) -> Figures {
    let (area, volume, length) = measures(&contour.pieces, &contour.points);
    let (triangles, lines, vertices) = counts(&contour.pieces);
    let (points, active_cells) = (contour.points.len() as u64, active_cells(mesh, contour.value));
    Figures {
        iso: Some(contour.value),
        points,
        triangles,
        lines,
        vertices,
        active_cells,
        area,
        volume: volume.abs(),
        length,
    }
}
