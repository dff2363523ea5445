//! VTK's XML meshes of cells (`.vtu`).

use super::ReadError;
use super::xml::{self, File};
use crate::cells::{Cells, Field};
use roxmltree::{Document, Node};
use std::ops::Range;
use std::path::Path;

const REMEDY: &str = "write it again with ParaView or vtkXMLUnstructuredGridWriter";

/// The mesh, and the name of the array that the file marks.
pub(super) fn open(path: &Path) -> Result<(Cells, Option<String>), ReadError> {
    document(path, ["UnstructuredGrid", "mesh of cells"], REMEDY, add_cells)
}

/// The points of all pieces of a file, and their cells, which `add_cells` adds in VTK's order; and the name of the array that the file marks.
pub(super) fn document(
    path: &Path,
    what: [&str; 2],
    remedy: &'static str,
    add_cells: fn(&File, Node, &mut Cells) -> Result<(), ReadError>,
) -> Result<(Cells, Option<String>), ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, remedy);
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let (head, appended) = xml::split(&bytes);
    let head = String::from_utf8_lossy(&head);
    let document = Document::parse(&head).map_err(|error| malformed(format!("it is not well-formed XML ({error})")))?;
    let (file, grid) = File::of(path, document.root_element(), appended, what, remedy)?;
    let (mut all, mut marked) = (Cells::new(), None);
    for piece in grid.children().filter(|node| node.tag_name().name() == "Piece") {
        let scalars = add_points(&file, piece, &mut all)?;
        marked = marked.or(scalars);
        let before = all.len();
        add_cells(&file, piece, &mut all)?;
        add_fields(&file, piece, ["CellData", "cells"], before..all.len(), &mut all.cell_fields)?;
    }
    Ok((all, marked))
}

/// A number that a piece states, 0 where it does not.
pub(super) fn count(file: &File, piece: Node, name: &str) -> Result<usize, ReadError> {
    file.numbers::<usize, 1>(piece, name).map(|count| count.map_or(0, |[count]| count))
}

/// The arrays of a part of a piece.
fn arrays<'a, 'input>(piece: Node<'a, 'input>, part: &str) -> Vec<Node<'a, 'input>> {
    let part = piece.children().find(|node| node.tag_name().name() == part);
    let arrays = part.into_iter().flat_map(|part| part.children());
    arrays.filter(|node| node.tag_name().name() == "DataArray").collect()
}

/// Adds the points of a piece, and what is known of them; returns the name of the array that it marks.
fn add_points(file: &File, piece: Node, all: &mut Cells) -> Result<Option<String>, ReadError> {
    let (points, before) = (count(file, piece, "NumberOfPoints")?, all.points.len());
    let places = arrays(piece, "Points");
    let places = match places.first() {
        Some(places) => file.array(*places, points.saturating_mul(3))?,
        None if points == 0 => Vec::new(),
        None => return Err(file.malformed("a piece has no points")),
    };
    if u32::try_from(before + points).is_err() {
        return Err(file.malformed("it has more points than 32 bits can number"));
    }
    all.points.extend(places.as_chunks::<3>().0.iter().map(|place| place.map(|x| x as f32)));
    add_fields(file, piece, ["PointData", "points"], before..all.points.len(), &mut all.fields)?;
    let marked = piece.children().find(|node| node.tag_name().name() == "PointData");
    Ok(marked.and_then(|data| data.attribute("Scalars")).map(str::to_owned))
}

/// Adds what a piece knows of its points, or of its cells: those with these numbers.
fn add_fields(
    file: &File,
    piece: Node,
    [part, what]: [&str; 2],
    numbers: Range<usize>,
    all: &mut Vec<Field>,
) -> Result<(), ReadError> {
    for array in arrays(piece, part) {
        let name = array.attribute("Name").unwrap_or("");
        let components = file.numbers::<usize, 1>(array, "NumberOfComponents")?.map_or(1, |[count]| count.max(1));
        // Text says nothing of a point in between.
        if array.attribute("type").is_some_and(|kind| kind == "String") {
            continue;
        }
        let values = file.array(array, numbers.len().saturating_mul(components))?;
        let values = values.into_iter().map(|value| value as f32);
        match all.iter_mut().find(|field| field.name == name && field.components == components) {
            Some(field) if field.values.len() == numbers.start * components => field.values.extend(values),
            None if numbers.start == 0 => {
                all.push(Field { name: name.to_owned(), components, values: values.collect() });
            }
            _ => return Err(file.malformed(format!("not every piece has the array `{name}` of its {what} once"))),
        }
    }
    match all.iter().find(|field| field.values.len() != numbers.end * field.components) {
        Some(field) => Err(file.malformed(format!("a piece lacks the array `{}` of its {what}", field.name))),
        None => Ok(()),
    }
}

/// Where cells end and which points they name, of the part of a piece that says so.
pub(super) fn connectivity(
    file: &File,
    piece: Node,
    part: &str,
    cells: usize,
    points: usize,
) -> Result<(Vec<usize>, Vec<u32>), ReadError> {
    let of_cells = |name: &str| {
        let array = arrays(piece, part).into_iter().find(|array| array.attribute("Name") == Some(name));
        array.ok_or_else(|| file.malformed(format!("a piece lacks the array `{name}` of its cells")))
    };
    let ends = file.array(of_cells("offsets")?, cells)?;
    let mut last = 0.0;
    for (cell, &end) in ends.iter().enumerate() {
        if end < last || end.is_nan() {
            return Err(file.malformed(format!("cell {cell} ends before it begins")));
        }
        last = end;
    }
    let corners = file.array(of_cells("connectivity")?, last as usize)?;
    if u32::try_from(corners.len()).is_err() {
        return Err(file.malformed("its cells have more corners than 32 bits can number"));
    }
    if let Some(at) = corners.iter().position(|corner| !(0.0..points as f64).contains(corner)) {
        let cell = ends.iter().position(|end| *end as usize > at).unwrap_or(0);
        let corner = corners[at];
        return Err(file.malformed(format!("cell {cell} names point {corner}, and there are {points}")));
    }
    Ok((ends.iter().map(|end| *end as usize).collect(), corners.iter().map(|corner| *corner as u32).collect()))
}

fn add_cells(file: &File, piece: Node, all: &mut Cells) -> Result<(), ReadError> {
    let (points, cells) = (count(file, piece, "NumberOfPoints")?, count(file, piece, "NumberOfCells")?);
    if cells == 0 {
        return Ok(());
    }
    let before = (all.points.len() - points) as u32;
    let (ends, corners) = connectivity(file, piece, "Cells", cells, points)?;
    let types = arrays(piece, "Cells").into_iter().find(|array| array.attribute("Name") == Some("types"));
    let types = types.ok_or_else(|| file.malformed("a piece lacks the array `types` of its cells"))?;
    let kinds = file.array(types, cells)?;
    let start = all.corners.len();
    if u32::try_from(start + corners.len()).is_err() {
        return Err(file.malformed("its cells have more corners than 32 bits can number"));
    }
    all.first.extend(ends.iter().map(|end| (start + end) as u32));
    all.corners.extend(corners.iter().map(|corner| before + corner));
    all.kinds.extend(kinds.iter().map(|kind| *kind as u8));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrays of a mesh with these cells.
    fn cells(corners: &str, ends: &str) -> Result<Cells, String> {
        let array = |name: &str, text: &str| {
            format!("<DataArray type=\"Float64\" Name=\"{name}\" format=\"ascii\">{text}</DataArray>")
        };
        let text = format!(
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\
             <PointData Scalars=\"b\">{}{}</PointData><Points>{}</Points><Cells>{}{}{}</Cells>\
             </Piece></UnstructuredGrid></VTKFile>",
            array("a", "1 2 3 4"),
            array("b", "5 6 7 8"),
            array("places", "0 0 0 1 0 0 0 1 0 0 0 1"),
            array("connectivity", corners),
            array("offsets", ends),
            array("types", "10"),
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mesh.vtu");
        std::fs::write(&path, text).unwrap();
        crate::read::mesh(&path, None)
            .map_err(|error| error.to_string().split_once(".vtu: ").unwrap_or_default().1.to_owned())
    }

    #[test]
    fn points_values_and_cells_are_read() {
        let mesh = cells("0 1 2 3", "4").unwrap();
        assert_eq!((mesh.name.as_str(), mesh.values.as_slice()), ("b", &[5.0, 6.0, 7.0, 8.0][..]));
        assert_eq!((mesh.len(), mesh.corners_of(0), mesh.points[3]), (1, &[0, 1, 2, 3][..], [0.0, 0.0, 1.0]));
    }

    #[test]
    fn cells_that_cannot_be_are_refused() {
        let said = |corners: &str, ends: &str| cells(corners, ends).unwrap_err();
        assert!(said("0 1 2 4", "4").starts_with("cell 0 names point 4, and there are 4"));
        assert!(said("0 1 -2 3", "4").starts_with("cell 0 names point -2, and there are 4"));
        assert!(said("0 1 2", "4").starts_with("the file ends before the array is complete"));
        assert!(said("0 1 2 3", "-4").starts_with("cell 0 ends before it begins"));
    }
}
