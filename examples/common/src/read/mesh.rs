//! Meshes of cells, whatever file they are in.

use super::{Choice, ReadError, Source, legacy, surfaces, vtp, vtu};
use crate::cells::{Cells, Field, MeshError, kind};
use std::path::Path;

/// Reads a mesh in the format that the name tells, with all that is known of its points. It looks at the values of this name, or those that the
/// file marks as its scalars, or the first; where it has none, at none. Volumes become voxels, or pixels where they are flat.
///
/// # Errors
/// If the file cannot be read, is malformed or of an unknown format, or lacks the array. Also if it has cells that are not linear, that name
/// points that it does not have, or whose corners lie nowhere.
pub fn mesh(path: &Path, wanted: Option<&str>) -> Result<Cells, ReadError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let ends = |ending: &str| name.ends_with(ending);
    let (mesh, marked) = match () {
        () if ends(".vtu") => vtu::open(path)?,
        () if ends(".vtp") => vtp::open(path)?,
        () if ends(".vtk") => legacy::open(path)?,
        () if ends(".ply") => (surfaces::ply(path)?, None),
        () if ends(".off") => (surfaces::off(path)?, None),
        () if ends(".stl") => (surfaces::stl(path)?, None),
        () if ends(".obj") => (surfaces::obj(path)?, None),
        () if [".vti", ".nii", ".nii.gz", ".nc", ".nc.gz", ".cdf"].into_iter().any(ends) => {
            (volume(path, wanted)?, None)
        }
        () => {
            let remedy = "use .vtu, .vtp, .vti, .vtk, .ply, .off, .stl or .obj, or a volume as .nii or .nc";
            return Err(ReadError::malformed(path, "the name does not tell the format", remedy));
        }
    };
    finished(path, mesh, wanted, marked.as_deref())
}

/// A mesh that has been read, checked, and looking at these values.
fn finished(path: &Path, mut mesh: Cells, wanted: Option<&str>, marked: Option<&str>) -> Result<Cells, ReadError> {
    let refused = |source| ReadError::Mesh { path: path.into(), source };
    mesh.check().map_err(refused)?;
    match mesh.select(wanted, marked) {
        // What needs values will ask for them.
        Err(MeshError::NoVariable) => Ok(mesh),
        selected => selected.map(|()| mesh).map_err(refused),
    }
}

fn volume(path: &Path, wanted: Option<&str>) -> Result<Cells, ReadError> {
    let source = Source::open(path, &Choice { variable: wanted, raw: None })?;
    let shape = source.grid.shape();
    let values = source.planes(0..shape[2], &mut |_| {})?;
    let [xs, ys, zs] = &source.grid.axes;
    let row = |y: f64, z: f64| xs.iter().map(move |&x| [x, y, z].map(|x| x as f32));
    let points = zs.iter().flat_map(|&z| ys.iter().flat_map(move |&y| row(y, z))).collect();
    let fields = vec![Field { name: source.name.clone(), components: 1, values }];
    let mut mesh = Cells { points, fields, ..Cells::new() };
    add_lattice(path, &mut mesh, shape, true)?;
    Ok(mesh)
}

/// Adds the cells between points that lie in rows and planes: along the axes, or anywhere.
pub(super) fn add_lattice(path: &Path, mesh: &mut Cells, shape: [usize; 3], along_axes: bool) -> Result<(), ReadError> {
    let spans = shape.map(|count| count.saturating_sub(1));
    let axes: Vec<usize> = (0..3).filter(|&axis| spans[axis] > 0).collect();
    let cells = spans.map(|span| span.max(1)).iter().try_fold(1usize, |product, &span| product.checked_mul(span));
    let corners = cells.and_then(|cells| cells.checked_mul(1 << axes.len()));
    if shape.contains(&0) || corners.is_none_or(|corners| u32::try_from(corners).is_err()) {
        let problem = format!(
            "its {} x {} x {} points are none, or more than 32 bits can number the corners of",
            shape[0], shape[1], shape[2]
        );
        return Err(ReadError::malformed(path, problem, "cut out a part of it"));
    }
    let strides = [1, shape[0], shape[0] * shape[1]];
    // The corners of a hexahedron and of a quad go around; those of voxels and pixels go in rows.
    let kind = match (axes.len(), along_axes) {
        (0, _) => return Ok(()),
        (1, _) => kind::LINE,
        (2, true) => kind::PIXEL,
        (2, false) => kind::QUAD,
        (_, true) => kind::VOXEL,
        (_, false) => kind::HEXAHEDRON,
    };
    let steps: Vec<usize> = (0..1usize << axes.len())
        .map(|corner| if along_axes { corner } else { corner ^ (corner >> 1 & 1) })
        .map(|corner| axes.iter().enumerate().map(|(bit, &axis)| (corner >> bit & 1) * strides[axis]).sum())
        .collect();
    for z in 0..spans[2].max(1) {
        for y in 0..spans[1].max(1) {
            for x in 0..spans[0].max(1) {
                let first = x + y * strides[1] + z * strides[2];
                let corners: Vec<u32> = steps.iter().map(|step| (first + step) as u32).collect();
                mesh.push(kind, &corners);
            }
        }
    }
    Ok(())
}
