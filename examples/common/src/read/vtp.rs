//! VTK's XML polygons (`.vtp`).

use super::ReadError;
use super::vtu::{connectivity, count, document};
use super::xml::File;
use crate::cells::{Cells, kind};
use roxmltree::Node;
use std::path::Path;

/// The parts of a piece, in the order in which VTK numbers their cells, how it states their sizes, and the kind of their cells.
const PARTS: [(&str, &str, u8); 4] = [
    ("Verts", "NumberOfVerts", kind::VERTICES),
    ("Lines", "NumberOfLines", kind::POLYLINE),
    ("Polys", "NumberOfPolys", kind::POLYGON),
    ("Strips", "NumberOfStrips", kind::STRIP),
];

/// The mesh, and the name of the array that the file marks.
pub(super) fn open(path: &Path) -> Result<(Cells, Option<String>), ReadError> {
    document(path, ["PolyData", "mesh of polygons"], "write it again with ParaView or vtkXMLPolyDataWriter", add_cells)
}

fn add_cells(file: &File, piece: Node, all: &mut Cells) -> Result<(), ReadError> {
    let points = count(file, piece, "NumberOfPoints")?;
    let before = (all.points.len() - points) as u32;
    for (part, number, kind) in PARTS {
        let cells = count(file, piece, number)?;
        if cells > 0 {
            let (ends, corners) = connectivity(file, piece, part, cells, points)?;
            let corners: Vec<u32> = corners.iter().map(|corner| before + corner).collect();
            let mut from = 0;
            for end in ends {
                push_polygon(all, kind, &corners[from..end]);
                from = end;
            }
        }
    }
    Ok(())
}

/// Adds a cell of one of the kinds that may have any number of corners: where it has few, as the kind that has so many.
pub(super) fn push_polygon(mesh: &mut Cells, kind: u8, corners: &[u32]) {
    let kind = match (kind, corners.len()) {
        (_, 0) => kind::VERTICES,
        (_, 1) => kind::VERTEX,
        (kind::POLYLINE | kind::POLYGON | kind::STRIP, 2) => kind::LINE,
        (kind::POLYGON | kind::STRIP, 3) => kind::TRIANGLE,
        (kind::POLYGON, 4) => kind::QUAD,
        _ => kind,
    };
    mesh.push(kind, corners);
}
