//! Maps points and normals: see `transform --help`.

use clap::Parser;
use forall::DistVec;
use forall_examples::cells::Cells;
use forall_examples::program::{Common, Failure, start};
use forall_examples::progress::{grouped, steps};
use forall_examples::read;
use forall_examples::report::{self, Machine};
use forall_examples::say;
use forall_examples::write::{self, CellFormat};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use transform::{MatrixError, Points, Transform};

/// Scales, rotates and moves points with their normals, in this order, and then maps them by a matrix.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Mesh to read: .vtu, .vtp, .vti, .vtk, .ply, .off, .stl or .obj; its point array `Normals` is mapped with the points, and all else stays as it is
    #[arg(long, value_name = "FILE", conflicts_with = "random")]
    input: Option<PathBuf>,

    /// Random points in the unit cube, with normals, in place of a file
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(0..1 << 31))]
    random: u32,

    /// Mesh to write: .vtu, or without volumes .vtp or .ply
    #[arg(long, value_name = "FILE", requires = "input")]
    output: Option<PathBuf>,

    /// Scale by one number, or along each axis
    #[arg(long, value_name = "S | X,Y,Z", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    scale: Vec<f64>,

    /// Rotate about an axis through the origin; may be given several times
    #[arg(long, value_name = "X,Y,Z,DEGREES", num_args = 1, allow_hyphen_values = true, value_parser = rotation)]
    rotate: Vec<[f64; 4]>,

    /// Move
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    translate: Vec<f64>,

    /// Map by a 4 x 4 matrix, row by row; points are columns
    #[arg(long, value_name = "16 NUMBERS", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    matrix: Vec<f64>,

    /// Map twice, the second time what the first one gives, and time both
    #[arg(long)]
    chain: bool,

    /// Time it so often, and take the median
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    repeat: u32,

    #[command(flatten)]
    common: Common,
}

fn rotation(text: &str) -> Result<[f64; 4], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| "give an axis and degrees: X,Y,Z,DEGREES".into())
}

impl Options {
    /// The map that the options describe.
    fn transform(&self) -> Result<Transform, Failure> {
        let of =
            |option: &str, made: Result<Transform, MatrixError>| made.map_err(|error| format!("{option}: {error}"));
        let mut all = Transform::IDENTITY;
        let mut then = |option: &str, next: Result<Transform, MatrixError>| -> Result<(), Failure> {
            all = of("the map as a whole", all.then(of(option, next)?))?;
            Ok(())
        };
        match self.scale[..] {
            [] => {}
            [all] => then("--scale", Transform::scale([all; 3]))?,
            [x, y, z] => then("--scale", Transform::scale([x, y, z]))?,
            _ => return Err("--scale takes one number, or three: --scale 1,1,2".into()),
        }
        for &[x, y, z, degrees] in &self.rotate {
            then("--rotate", Transform::rotate([x, y, z], degrees))?;
        }
        match self.translate[..] {
            [] => {}
            [x, y, z] => then("--translate", Transform::translate([x, y, z]))?,
            _ => return Err("--translate takes three numbers: --translate 0,0,-1.5".into()),
        }
        if !self.matrix.is_empty() {
            let (rows, rest) = self.matrix.as_chunks::<4>();
            let rows: Option<[[f64; 4]; 4]> = rows.try_into().ok().filter(|_| rest.is_empty());
            let matrix =
                rows.ok_or("--matrix takes 16 numbers, row by row: --matrix 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1")?;
            then("--matrix", Transform::new(matrix))?;
        }
        Ok(all)
    }
}

/// The contents of the report.
#[derive(Debug, Serialize)]
struct Report {
    input: String,
    points: usize,
    normals: usize,
    matrix: [[f64; 4]; 4],
    determinant: f64,
    repeat: u32,
    seconds: Seconds,
    #[serde(flatten)]
    machine: Machine,
}

/// Medians.
#[derive(Debug, Default, Serialize)]
struct Seconds {
    read: f64,
    transform: f64,
    /// Of a chain, that of what the first one gave.
    second: Option<f64>,
    write: f64,
}

fn main() -> ExitCode {
    start(|options: &Options| &options.common, run)
}

/// Runs something, and tells how long that took.
fn timed<R>(seconds: &mut Vec<f64>, run: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = run();
    seconds.push(start.elapsed().as_secs_f64());
    result
}

fn median(mut seconds: Vec<f64>) -> Option<f64> {
    seconds.sort_unstable_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied()
}

/// The normals among what is known of the points.
fn normals(mesh: &Cells) -> Option<usize> {
    mesh.fields.iter().position(|field| field.components == 3 && field.name.eq_ignore_ascii_case("normals"))
}

/// The points of a mesh, which every rank has, in shares.
fn points_of(mesh: &Cells) -> Points {
    let normals: &[[f32; 3]] = normals(mesh).map_or(&[], |field| mesh.fields[field].values.as_chunks().0);
    Points {
        at: DistVec::from_fn(mesh.points.len(), |i| mesh.points[i]),
        normals: DistVec::from_fn(normals.len(), |i| normals[i]),
    }
}

/// Writes a mesh with other points and normals, on one rank.
fn write_with(mut mesh: Cells, points: &Points, path: &Path) -> Result<(), Failure> {
    if let (Some(at), Some(turned)) = (points.at.to_root(), points.normals.to_root()) {
        mesh.points = at;
        if let Some(field) = normals(&mesh) {
            mesh.fields[field].values = turned.into_flattened();
        }
        write::cells(path, &mesh)?;
    }
    Ok(())
}

fn run(options: &Options, settings: &forall::Settings) -> Result<(), Failure> {
    let transform = options.transform()?;
    if let Some(output) = &options.output {
        if CellFormat::of(output)? == CellFormat::Pvtp {
            return Err(format!("{}: one file is written: name a .vtp", output.display()).into());
        }
        write::check_place(output)?;
    }
    let (mut reading, mut first, mut second, mut written) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (input, mesh, points) = timed(&mut reading, || match &options.input {
        Some(path) => {
            let mesh = read::mesh(path, None)?;
            let points = points_of(&mesh);
            Ok((path.display().to_string(), Some(mesh), points))
        }
        None => Ok::<_, Failure>(("random points".to_owned(), None, Points::random(options.random as usize))),
    })?;
    points.check().map_err(|error| format!("{input}: {error}"))?;
    let bar = steps(u64::from(options.repeat), "mapping");
    // The vectors that are mapped to are made once. Their pages are new for the first time of them alone.
    let empty = || Points { at: DistVec::zeroed_like(&points.at), normals: DistVec::zeroed_like(&points.normals) };
    let (mut once, mut twice) = (empty(), options.chain.then(empty));
    for _ in 0..options.repeat {
        timed(&mut first, || points.map_to(&transform, &mut once));
        if let Some(twice) = &mut twice {
            once.check_mapped().map_err(|error| format!("{input}: {error}"))?;
            timed(&mut second, || once.map_to(&transform, twice));
        }
        bar.inc(1);
    }
    let mapped = twice.unwrap_or(once);
    bar.finish_and_clear();
    mapped.check_mapped().map_err(|error| format!("{input}: {error}"))?;
    if let (Some(path), Some(mesh)) = (&options.output, mesh) {
        timed(&mut written, || write_with(mesh, &mapped, path))?;
    }
    let seconds = Seconds {
        read: median(reading).unwrap_or_default(),
        transform: median(first).unwrap_or_default(),
        second: median(second),
        write: median(written).unwrap_or_default(),
    };
    let [count, turned] = [&points.at, &points.normals].map(|all| grouped(all.len() as u64));
    match seconds.second {
        Some(second) => {
            say!("{count} points and {turned} normals in {:.4} s, and once more in {second:.4} s", seconds.transform);
        }
        None => say!("{count} points and {turned} normals in {:.4} s", seconds.transform),
    }
    let Some(path) = &options.common.report else { return Ok(()) };
    let report = Report {
        input,
        points: points.at.len(),
        normals: points.normals.len(),
        matrix: transform.matrix(),
        determinant: transform.determinant(),
        repeat: options.repeat,
        seconds,
        machine: Machine::of(settings),
    };
    report::write(path, &report)?;
    Ok(())
}
