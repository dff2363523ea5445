//! Volumes as VTK images (`.vti`), which all ranks write together.

use super::{WriteError, aside, check_place, write_floats};
use crate::grid::Grid;
use forall::DistVec;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Fails when a volume on this grid cannot be written: better known before the work than after it.
///
/// # Errors
/// When the name is not that of an image in a folder that exists, or the points are unevenly spaced.
pub fn check_image(path: &Path, grid: &Grid) -> Result<(), WriteError> {
    check_place(path)?;
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vti")) {
        return Err(WriteError::Image(path.into()));
    }
    grid.spacing().map(|_| ()).ok_or_else(|| WriteError::Uneven(path.into()))
}

/// Writes one value a point, x fastest. All ranks call it together, each with runs of planes and the number of the first one of each; every
/// plane is given by one rank. They write to the same file, each what it has, so that no rank needs room for all.
///
/// # Errors
/// As [`check_image`], and when the operating system refuses; nothing is left behind then.
///
/// # Panics
/// When the volume does not have such planes.
pub fn image(
    path: &Path,
    name: &str,
    grid: &Grid,
    planes: impl Iterator<Item = (usize, Vec<f32>)>,
) -> Result<(), WriteError> {
    check_image(path, grid)?;
    // One name on all ranks: that of the first one's process.
    let process = DistVec::from_local(vec![u64::from(std::process::id())]).to_all()[0];
    let aside = aside(path, process);
    let failed = |source: io::Error| {
        // The file may never have come to be, so a failure to remove it says nothing new.
        let _ = std::fs::remove_file(&aside);
        WriteError::Io { path: path.into(), source }
    };
    let head = head(name, grid);
    let [nx, ny, nz] = grid.shape();
    let begin = || {
        let mut file = File::create(&aside)?;
        file.write_all(&head)?;
        file.seek(SeekFrom::Start((head.len() + 4 * nx * ny * nz) as u64))?;
        file.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    };
    if forall::rank() == 0 {
        begin().map_err(failed)?;
    }
    wait_for_all();
    let write = || {
        let mut file = OpenOptions::new().write(true).open(&aside)?;
        for (z, values) in planes {
            assert!(z + values.len() / (nx * ny) <= nz, "planes from {z} on of a volume that has {nz}");
            file.seek(SeekFrom::Start((head.len() + 4 * nx * ny * z) as u64))?;
            write_floats(&mut file, &values)?;
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
