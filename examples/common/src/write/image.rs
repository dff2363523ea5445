//! Volumes as VTK images (`.vti`) and NumPy arrays (`.npy`), which all ranks write together.

use super::{WriteError, aside, check_place, write_floats};
use crate::grid::Grid;
use forall::DistVec;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// The format of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Vti,
    Npy,
}

impl Format {
    fn of(path: &Path) -> Result<Self, WriteError> {
        match path.extension().map(|e| e.to_ascii_lowercase()).as_ref().and_then(|e| e.to_str()) {
            Some("vti") => Ok(Format::Vti),
            Some("npy") => Ok(Format::Npy),
            _ => Err(WriteError::Image(path.into())),
        }
    }
}

/// Fails when a volume on this grid cannot be written: better known before the work than after it.
///
/// # Errors
/// When the name is not that of an image in a folder that exists, or the points are unevenly spaced.
pub fn check_image(path: &Path, grid: &Grid) -> Result<(), WriteError> {
    check_place(path)?;
    match Format::of(path)? {
        Format::Vti if grid.spacing().is_none() => Err(WriteError::Uneven(path.into())),
        _ => Ok(()),
    }
}

/// A part of a volume: the points along each axis, and their values, x fastest.
pub type Part = ([Range<usize>; 3], Vec<f32>);

/// Writes one value a point like [`parts`], where each rank has runs of planes, with the number of the first one of each.
///
/// # Errors
/// As [`parts`].
///
/// # Panics
/// As [`parts`].
pub fn image(
    path: &Path,
    name: &str,
    grid: &Grid,
    planes: impl Iterator<Item = (usize, Vec<f32>)>,
) -> Result<(), WriteError> {
    let [nx, ny, _] = grid.shape();
    let part = |(z, values): (usize, Vec<f32>)| ([0..nx, 0..ny, z..z + values.len() / (nx * ny)], values);
    parts(path, name, grid, planes.map(part))
}

/// Writes a volume of one value a point. All ranks call it together, each with some parts of the volume. One rank has each point. They write to the
/// same file, each its parts, so that no rank needs room for all.
///
/// # Errors
/// As [`check_image`], and when the operating system refuses; nothing is left behind then.
///
/// # Panics
/// If the volume does not have such a part, or a part has another number of values.
pub fn parts(path: &Path, name: &str, grid: &Grid, parts: impl Iterator<Item = Part>) -> Result<(), WriteError> {
    check_image(path, grid)?;
    // One name on all ranks: that of the first one's process.
    let process = DistVec::from_local(vec![u64::from(std::process::id())]).to_all()[0];
    let aside = aside(path, process);
    let failed = |source: io::Error| {
        // The file may never have come to be, so a failure to remove it says nothing new.
        let _ = std::fs::remove_file(&aside);
        WriteError::Io { path: path.into(), source }
    };
    let (head, tail) = match Format::of(path)? {
        Format::Vti => (head(name, grid), &b"\n  </AppendedData>\n</VTKFile>\n"[..]),
        Format::Npy => (npy_head(grid.shape()), &[][..]),
    };
    let shape = grid.shape();
    let begin = || {
        let mut file = File::create(&aside)?;
        file.write_all(&head)?;
        let end = (head.len() + 4 * shape.iter().product::<usize>()) as u64;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        file.write_all(tail)
    };
    if forall::rank() == 0 {
        begin().map_err(failed)?;
    }
    wait_for_all();
    let write = || {
        let mut file = OpenOptions::new().write(true).open(&aside)?;
        for (part, values) in parts {
            put(&mut file, head.len(), shape, &part, &values)?;
        }
        file.sync_all()
    };
    write().map_err(failed)?;
    wait_for_all();
    if forall::rank() == 0 {
        std::fs::rename(&aside, path).map_err(failed)?;
    }
    Ok(())
}

/// Writes the values of a part where they belong.
fn put(file: &mut File, head: usize, shape: [usize; 3], part: &[Range<usize>; 3], values: &[f32]) -> io::Result<()> {
    let [x, y, z] = part;
    let fits = part.iter().zip(shape).all(|(range, count)| range.start <= range.end && range.end <= count);
    assert!(fits && values.len() == x.len() * y.len() * z.len(), "{} values in {part:?} of {shape:?}", values.len());
    if values.is_empty() {
        return Ok(());
    }
    // Whole rows lie one after the other, and whole planes.
    let run = match (x.len() == shape[0], y.len() == shape[1]) {
        (true, true) => values.len(),
        (true, false) => x.len() * y.len(),
        _ => x.len(),
    };
    for (number, values) in values.chunks(run).enumerate() {
        let first = number * run;
        let (row, plane) = (first / x.len() % y.len(), first / x.len() / y.len());
        let at = ((z.start + plane) * shape[1] + y.start + row) * shape[0] + x.start;
        file.seek(SeekFrom::Start((head + 4 * at) as u64))?;
        write_floats(file, values)?;
    }
    Ok(())
}

/// The header of a NumPy array of such a volume: its axes are z, y and x. The values begin at a multiple of 64 bytes.
fn npy_head([nx, ny, nz]: [usize; 3]) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({nz}, {ny}, {nx}), }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let head = format!("{text:<width$}\n", width = length - 1);
    [b"\x93NUMPY\x01\x00", &(length as u16).to_le_bytes()[..], head.as_bytes()].concat()
}

fn wait_for_all() {
    DistVec::from_local(vec![0_u8]).to_all();
}

/// The part of the file before the values.
fn head(name: &str, grid: &Grid) -> Vec<u8> {
    let three = |numbers: [f64; 3]| format!("{} {} {}", numbers[0], numbers[1], numbers[2]);
    let spacing = grid.spacing().unwrap_or([1.0; 3]);
    let extent = grid.shape().map(|n| format!("0 {}", n - 1)).join(" ");
    let origin = three([0, 1, 2].map(|axis| grid.axes[axis][0]));
    // Spacings are positive: an axis that falls has a direction.
    let [x, y, z] = spacing.map(f64::signum);
    let direction = format!("{x} 0 0 0 {y} 0 0 0 {z}");
    let spacing = three(spacing.map(f64::abs));
    let bytes = 4 * grid.shape().iter().product::<usize>() as u64;
    let mut head = format!(
        r#"<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{extent}" Origin="{origin}" Spacing="{spacing}" Direction="{direction}">
    <Piece Extent="{extent}">
      <PointData Scalars="{name}">
        <DataArray type="Float32" Name="{name}" format="appended" offset="0"/>
      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
_"#
    )
    .into_bytes();
    head.extend_from_slice(&bytes.to_le_bytes());
    head
}
