//! VTK's XML meshes of cells (`.vtu`).

use super::ReadError;
use super::xml::{self, File};
use crate::cells::Cells;
use roxmltree::{Document, Node};
use std::path::Path;

const REMEDY: &str = "write it again with ParaView or vtkXMLUnstructuredGridWriter";

/// Reads a mesh, with the point values of this name, or those that the file marks as its scalars, or the first.
///
/// # Errors
/// When the file cannot be read, is malformed, names points that it does not have, or lacks the array.
pub fn read(path: &Path, wanted: Option<&str>) -> Result<Cells, ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, REMEDY);
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let (head, appended) = xml::split(&bytes);
    let head = String::from_utf8_lossy(&head);
    let document = Document::parse(&head).map_err(|error| malformed(format!("it is not well-formed XML ({error})")))?;
    let (file, grid) =
        File::of(path, document.root_element(), appended, ["UnstructuredGrid", "mesh of cells"], REMEDY)?;
    let mut all = Cells { first: vec![0], ..Cells::default() };
    for piece in grid.children().filter(|node| node.tag_name().name() == "Piece") {
        add_piece(&file, piece, wanted, &mut all)?;
    }
    Ok(all)
}

fn add_piece(file: &File, piece: Node, wanted: Option<&str>, all: &mut Cells) -> Result<(), ReadError> {
    let count = |name: &str| file.numbers::<usize, 1>(piece, name).map(|count| count.map_or(0, |[count]| count));
    let (points, cells) = (count("NumberOfPoints")?, count("NumberOfCells")?);
    let part = |name: &str| piece.children().find(move |node| node.tag_name().name() == name);
    let arrays = |part: Option<Node<'_, '_>>| {
        let arrays = part.into_iter().flat_map(|part| part.children().collect::<Vec<_>>());
        let arrays = arrays.filter(|node| node.tag_name().name() == "DataArray").map(|node| node.id());
        arrays.filter_map(|id| piece.document().get_node(id)).collect::<Vec<_>>()
    };
    let of_cells = |name: &str| {
        let array = arrays(part("Cells")).into_iter().find(|array| array.attribute("Name") == Some(name));
        array.ok_or_else(|| file.malformed(format!("a piece lacks the array `{name}` of its cells")))
    };
    let scalars: Vec<_> = arrays(part("PointData")).into_iter().filter(|array| is_scalar(*array)).collect();
    let marked = part("PointData").and_then(|data| data.attribute("Scalars"));
    let name_of = |array: &Node<'_, '_>| array.attribute("Name").unwrap_or("").to_owned();
    let named = |name: &str| scalars.iter().find(|array| name_of(array) == name);
    let values = match wanted {
        Some(wanted) => named(wanted),
        None => marked.and_then(named).or(scalars.first()),
    };
    let values = values.ok_or_else(|| {
        let names: Vec<String> = scalars.iter().map(name_of).collect();
        match wanted {
            Some(wanted) => file.malformed(format!(
                "there is no point array `{wanted}` with one component (there are: {})",
                names.join(", ")
            )),
            None => file.malformed("it has no point array with one component"),
        }
    })?;
    let places = arrays(part("Points"));
    let places = places.first().ok_or_else(|| file.malformed("a piece has no points"))?;
    let places = file.array(*places, 3 * points)?;
    let (ends, kinds) = (file.array(of_cells("offsets")?, cells)?, file.array(of_cells("types")?, cells)?);
    let mut last = 0.0;
    for (cell, &end) in ends.iter().enumerate() {
        if end < last {
            return Err(file.malformed(format!("cell {cell} ends before it begins")));
        }
        last = end;
    }
    let count = ends.last().map_or(0, |end| *end as usize);
    let corners = file.array(of_cells("connectivity")?, count)?;
    let before = all.points.len();
    let too_many = u32::try_from(before + points).is_err() || u32::try_from(all.corners.len() + count).is_err();
    if too_many {
        return Err(file.malformed("it has more points than 32 bits can number"));
    }
    if let Some(at) = corners.iter().position(|corner| !(0.0..points as f64).contains(corner)) {
        let cell = ends.iter().position(|end| *end as usize > at).unwrap_or(0);
        let corner = corners[at];
        return Err(file.malformed(format!("cell {cell} names point {corner}, and there are {points}")));
    }
    all.name = name_of(values);
    all.values.extend(file.array(*values, points)?.into_iter().map(|value| value as f32));
    all.points.extend(places.as_chunks::<3>().0.iter().map(|place| place.map(|x| x as f32)));
    let start = all.corners.len();
    all.first.extend(ends.iter().map(|end| (start + *end as usize) as u32));
    all.corners.extend(corners.iter().map(|corner| (before + *corner as usize) as u32));
    all.kinds.extend(kinds.iter().map(|kind| *kind as u8));
    Ok(())
}

fn is_scalar(array: Node) -> bool {
    matches!(array.attribute("NumberOfComponents").map(str::trim), None | Some("1" | "0" | ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of a mesh with these cells.
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
        read(&path, None).map_err(|error| error.to_string().split_once(".vtu: ").unwrap_or_default().1.to_owned())
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
