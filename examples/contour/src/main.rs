//! Contours a mesh of cells: see `contour --help`.

use clap::Parser;
use contour::cases::Cases;
use contour::tree::Ranges;
use contour::{active_cells, area, check, triangles_of_all, welded};
use forall::DistVec;
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::grouped;
use forall_examples::read::vtu;
use forall_examples::report::{self, Machine};
use forall_examples::say;
use forall_examples::write::{self, Format};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Extracts contours from a mesh of tetrahedra, voxels, hexahedra, wedges and pyramids.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Mesh to read: .vtu
    #[arg(long, value_name = "FILE")]
    input: PathBuf,

    /// Point values to contour [default: those that the file marks, or the first]
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,

    /// Value on the contour; may be given several times
    #[arg(long, value_name = "VALUE", required = true, allow_negative_numbers = true, value_parser = finite)]
    iso: Vec<f32>,

    /// Leave out parts of the mesh by a tree of the values' ranges
    #[arg(long)]
    tree: bool,

    /// Cells below each leaf of the tree
    #[arg(long, value_name = "N", requires = "tree", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    leaf: u32,

    /// Mesh to write: .vtp, .pvtp or .ply
    #[arg(long, value_name = "FILE", default_value = "contour.vtp")]
    output: PathBuf,

    #[command(flatten)]
    common: Common,
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
    points: usize,
    triangles: usize,
    active_cells: u64,
    area: f64,
    contours: Vec<Contour>,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
}

/// One of the contours.
#[derive(Debug, Serialize)]
struct Contour {
    iso: f32,
    points: usize,
    triangles: usize,
    active_cells: u64,
    area: f64,
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
    Format::of(&options.output)?;
    write::check_place(&options.output)?;
    let mut seconds = Seconds::default();
    let (mesh, cases) =
        (timed(&mut seconds.read, || vtu::read(&options.input, options.variable.as_deref()))?, Cases::new());
    check(&mesh, &cases).map_err(|error| format!("{}: {error}", options.input.display()))?;
    let ranges = options.tree.then(|| timed(&mut seconds.tree, || Ranges::new(&mesh, options.leaf as usize)));
    let (mut meshes, mut contours) = (Vec::new(), Vec::new());
    for &iso in &options.iso {
        let mut triangles = DistVec::from_local(Vec::new());
        timed(&mut seconds.contour, || match &ranges {
            Some(ranges) => ranges.triangles(&mesh, &cases, iso, &mut triangles),
            None => triangles_of_all(&mesh, &cases, iso, &mut triangles),
        });
        let contour = timed(&mut seconds.merge, || welded(&mesh, iso, &triangles));
        contours.push(Contour {
            iso,
            points: contour.points.len(),
            triangles: contour.triangles.len(),
            active_cells: active_cells(&mesh, iso),
            area: area(&contour.triangles, &contour.points.to_all()),
        });
        meshes.push(contour);
    }
    write::meshes(&options.output, &mesh.name, &meshes)?;
    for contour in &contours {
        let Contour { iso, points, triangles, active_cells, area } = contour;
        let [points, triangles, active] = [*points as u64, *triangles as u64, *active_cells].map(grouped);
        say!("{} = {iso}: {points} points, {triangles} triangles in {active} cells, area {area:.5}", mesh.name);
    }
    let Some(path) = &options.common.report else { return Ok(()) };
    let report = Report {
        input: options.input.display().to_string(),
        variable: mesh.name.clone(),
        cells: mesh.len(),
        points: contours.iter().map(|contour| contour.points).sum(),
        triangles: contours.iter().map(|contour| contour.triangles).sum(),
        active_cells: contours.iter().map(|contour| contour.active_cells).sum(),
        area: contours.iter().map(|contour| contour.area).sum(),
        contours,
        seconds,
        machine: Machine::of(settings),
    };
    report::write(path, &report)?;
    Ok(())
}
