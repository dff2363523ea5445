//! VTK's legacy files (`.vtk`), as text or binary.

use super::vtp::push_polygon;
use super::{ReadError, mesh::add_lattice};
use crate::cells::{Cells, Field, kind};
use std::path::Path;
use vtkio::IOBuffer;
use vtkio::model::{Attribute, Attributes, DataSet, ElementType, Extent, Piece, VertexNumbers, Vtk};

const REMEDY: &str = "write it again with ParaView or VTK, best as .vtu";

/// The mesh, and the name of the array that the file marks: the first of its scalars.
pub(super) fn open(path: &Path) -> Result<(Cells, Option<String>), ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, REMEDY);
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let vtk = Vtk::parse_legacy_be(&bytes[..])
        .map_err(|error| malformed(format!("it is damaged, cut off, or no legacy VTK file ({error})")))?;
    let several = || malformed("it has no piece of its own".into());
    let mut mesh = Cells::new();
    match vtk.data {
        DataSet::UnstructuredGrid { pieces, .. } => {
            let piece = inline(pieces).ok_or_else(several)?;
            add_points(path, &mut mesh, &piece.points)?;
            let mut kinds = piece.cells.types.iter();
            each_cell(path, &piece.cells.cell_verts, |corners| match kinds.next() {
                Some(kind) => {
                    mesh.push(*kind as u8, corners);
                    Ok(())
                }
                None => Err(malformed("it has more cells than types of cells".into())),
            })?;
            if kinds.next().is_some() {
                return Err(malformed("it has more types of cells than cells".into()));
            }
            add_fields(path, &mut mesh, piece.data)
        }
        DataSet::PolyData { pieces, .. } => {
            let piece = inline(pieces).ok_or_else(several)?;
            add_points(path, &mut mesh, &piece.points)?;
            let parts = [
                (&piece.verts, kind::VERTICES),
                (&piece.lines, kind::POLYLINE),
                (&piece.polys, kind::POLYGON),
                (&piece.strips, kind::STRIP),
            ];
            for (cells, kind) in parts {
                if let Some(cells) = cells {
                    each_cell(path, cells, |corners| {
                        push_polygon(&mut mesh, kind, corners);
                        Ok(())
                    })?;
                }
            }
            add_fields(path, &mut mesh, piece.data)
        }
        DataSet::ImageData { extent, origin, spacing, pieces, .. } => {
            let piece = inline(pieces).ok_or_else(several)?;
            let axes = [0, 1, 2].map(|axis| {
                let count = shape(&extent)[axis];
                (0..count).map(|k| origin[axis] + spacing[axis] * k as f32).collect()
            });
            add_grid(path, &mut mesh, axes)?;
            add_fields(path, &mut mesh, piece.data)
        }
        DataSet::RectilinearGrid { pieces, .. } => {
            let piece = inline(pieces).ok_or_else(several)?;
            let axes = [piece.coords.x, piece.coords.y, piece.coords.z]
                .map(|axis| axis.cast_into::<f32>().unwrap_or_default());
            add_grid(path, &mut mesh, axes)?;
            add_fields(path, &mut mesh, piece.data)
        }
        DataSet::StructuredGrid { extent, pieces, .. } => {
            let piece = inline(pieces).ok_or_else(several)?;
            add_points(path, &mut mesh, &piece.points)?;
            let shape = shape(&extent);
            if shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n)) != Some(mesh.points.len()) {
                return Err(malformed(format!(
                    "it has {} points, and its dimensions say otherwise",
                    mesh.points.len()
                )));
            }
            add_lattice(path, &mut mesh, shape, false)?;
            add_fields(path, &mut mesh, piece.data)
        }
        DataSet::Field { .. } => Err(malformed("it has fields, and no mesh".into())),
    }
    .map(|marked| (mesh, marked))
}

fn inline<P>(pieces: Vec<Piece<P>>) -> Option<P> {
    match pieces.into_iter().next() {
        Some(Piece::Inline(piece)) => Some(*piece),
        _ => None,
    }
}

fn shape(extent: &Extent) -> [usize; 3] {
    match extent {
        Extent::Dims(dims) => dims.map(|n| n as usize),
        Extent::Ranges(ranges) => [0, 1, 2]
            .map(|axis| (i64::from(*ranges[axis].end()) - i64::from(*ranges[axis].start()) + 1).max(0) as usize),
    }
}

/// Adds the points of a grid along the axes, and the cells between them.
fn add_grid(path: &Path, mesh: &mut Cells, axes: [Vec<f32>; 3]) -> Result<(), ReadError> {
    let shape = [0, 1, 2].map(|axis| axes[axis].len());
    add_lattice(path, mesh, shape, true)?;
    let [xs, ys, zs] = &axes;
    for &z in zs {
        for &y in ys {
            mesh.points.extend(xs.iter().map(|&x| [x, y, z]));
        }
    }
    Ok(())
}

fn add_points(path: &Path, mesh: &mut Cells, points: &IOBuffer) -> Result<(), ReadError> {
    let points: Option<Vec<f32>> = points.cast_into();
    let (points, rest) = points.as_deref().unwrap_or_default().as_chunks::<3>();
    if !rest.is_empty() {
        return Err(ReadError::malformed(path, "its last point has no three coordinates", REMEDY));
    }
    mesh.points.extend_from_slice(points);
    Ok(())
}

/// Hands out the corners of each cell.
fn each_cell(
    path: &Path,
    cells: &VertexNumbers,
    mut add: impl FnMut(&[u32]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let cut_off =
        |cell: usize| ReadError::malformed(path, format!("cell {cell} has fewer corners than it says"), REMEDY);
    match cells {
        VertexNumbers::Legacy { vertices, .. } => {
            let (mut rest, mut cell) = (&vertices[..], 0);
            while let Some((&count, after)) = rest.split_first() {
                let (corners, next) = after.split_at_checked(count as usize).ok_or_else(|| cut_off(cell))?;
                add(corners)?;
                (rest, cell) = (next, cell + 1);
            }
        }
        VertexNumbers::XML { connectivity, offsets } => {
            let mut from = 0;
            for (cell, &end) in offsets.iter().enumerate() {
                let corners = connectivity.get(from..end as usize).ok_or_else(|| cut_off(cell))?;
                let corners: Option<Vec<u32>> = corners.iter().map(|&corner| u32::try_from(corner).ok()).collect();
                add(&corners.ok_or_else(|| cut_off(cell))?)?;
                from = end as usize;
            }
        }
    }
    Ok(())
}

/// Adds what is known of the points and of the cells; the name of the first scalars of points.
fn add_fields(path: &Path, mesh: &mut Cells, data: Attributes) -> Result<Option<String>, ReadError> {
    let points = mesh.points.len();
    let marked = add_attributes(path, data.point, points, "points", &mut mesh.fields)?;
    // A grid of a single point has no cells here.
    if !mesh.is_empty() {
        add_attributes(path, data.cell, mesh.len(), "cells", &mut mesh.cell_fields)?;
    }
    Ok(marked)
}

/// Adds fields of so many points, or cells; the name of the first scalars.
fn add_attributes(
    path: &Path,
    attributes: Vec<Attribute>,
    count: usize,
    what: &str,
    all: &mut Vec<Field>,
) -> Result<Option<String>, ReadError> {
    let mut marked = None;
    let mut add = |name: String, components: usize, values: &IOBuffer| {
        let Some(values) = values.cast_into::<f32>() else { return Ok(()) };
        if components == 0 || values.len() != components * count {
            let problem = format!("the array `{name}` has {} numbers, and there are {count} {what}", values.len());
            return Err(ReadError::malformed(path, problem, REMEDY));
        }
        all.push(Field { name, components, values });
        Ok(())
    };
    for attribute in attributes {
        match attribute {
            // Colours by number are nothing of the points.
            Attribute::DataArray(array) if array.elem == ElementType::LookupTable => {}
            Attribute::DataArray(array) => {
                if matches!(array.elem, ElementType::Scalars { num_comp: 1, .. }) && marked.is_none() {
                    marked = Some(array.name.clone());
                }
                add(array.name.clone(), array.num_comp(), &array.data)?;
            }
            Attribute::Field { data_array, .. } => {
                for array in data_array {
                    add(array.name.clone(), array.num_comp(), &array.data)?;
                }
            }
        }
    }
    Ok(marked)
}
