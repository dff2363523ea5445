//! VTK's XML images (`.vti`).

use super::pieces::Piece;
use super::xml::{self, File};
use super::{ReadError, Source, Values, checked_points};
use crate::grid::Grid;
use roxmltree::{Document, Node};
use std::path::Path;

const REMEDY: &str = "write it again with ParaView or vtkXMLImageDataWriter";

pub(super) fn open(path: &Path, wanted: Option<&str>) -> Result<Source, ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, REMEDY);
    let failed = |source| ReadError::Io { path: path.into(), source };
    let (head, data) = xml::head(path).map_err(failed)?;
    let head = String::from_utf8_lossy(&head);
    let document = Document::parse(&head).map_err(|error| malformed(format!("it is not well-formed XML ({error})")))?;
    let (file, image) = File::of(path, document.root_element(), &[], ["ImageData", "image"], REMEDY)?;

    let whole = extent(&file, image, "WholeExtent")?;
    let shape = lengths(&whole).ok_or_else(|| malformed("the extent is empty or absurd".into()))?;
    let points = checked_points(path, shape)?;
    let mut input = std::fs::File::open(path).map_err(failed)?;
    let length = input.metadata().map_err(failed)?.len();
    if points as u64 / 1100 > length {
        return Err(malformed(format!("its {points} points cannot be in {length} bytes")));
    }
    let origin: [f64; 3] = file.numbers(image, "Origin")?.unwrap_or([0.0; 3]);
    let spacing: [f64; 3] = file.numbers(image, "Spacing")?.unwrap_or([1.0; 3]);
    let direction: [f64; 9] = file.numbers(image, "Direction")?.unwrap_or([1., 0., 0., 0., 1., 0., 0., 0., 1.]);
    if [1, 2, 3, 5, 6, 7].iter().any(|&k| direction[k] != 0.0) {
        let remedy = "resample it along its axes first";
        return Err(ReadError::malformed(path, "the image is rotated", remedy));
    }
    let step = [0, 1, 2].map(|axis| spacing[axis] * direction[4 * axis]);
    if step.iter().any(|step| *step == 0.0 || !step.is_finite()) {
        return Err(malformed(format!("the spacing is {} {} {}", spacing[0], spacing[1], spacing[2])));
    }
    let start = [0, 1, 2].map(|axis| origin[axis] + step[axis] * whole[2 * axis] as f64);

    let name = choose(path, image, wanted)?;
    let pieces = image.children().filter(|node| node.tag_name().name() == "Piece").map(|piece| {
        let extent = extent(&file, piece, "Extent")?;
        let inside =
            (0..3).all(|axis| whole[2 * axis] <= extent[2 * axis] && extent[2 * axis + 1] <= whole[2 * axis + 1]);
        let size = lengths(&extent).filter(|_| inside);
        let size = size.ok_or_else(|| malformed("a piece lies outside the image".into()))?;
        let array = arrays(piece).find(|array| array.attribute("Name").unwrap_or("") == name);
        let array = array.ok_or_else(|| malformed(format!("a piece lacks the array `{name}`")))?;
        let at = [0, 1, 2].map(|axis| (extent[2 * axis] - whole[2 * axis]) as usize);
        Ok((at, size, array))
    });
    let pieces: Vec<([usize; 3], [usize; 3], Node)> = pieces.collect::<Result<_, ReadError>>()?;
    if pieces.is_empty() {
        return Err(malformed("it has no piece".into()));
    }
    let values = match data {
        Some(data) if pieces.iter().all(|(_, _, array)| file.is_apart(*array)) => {
            let located = pieces.into_iter().map(|(at, size, array)| {
                let packed = file.locate(array, size.iter().product(), data, &mut input)?;
                Ok(Piece { at, size, packed })
            });
            Values::Pieces(path.into(), located.collect::<Result<_, ReadError>>()?)
        }
        _ => {
            let bytes = std::fs::read(path).map_err(failed)?;
            let (file, _) =
                File::of(path, document.root_element(), xml::split(&bytes).1, ["ImageData", "image"], REMEDY)?;
            Values::Loaded(loaded(&file, &pieces, shape)?)
        }
    };
    let grid = Grid::even(shape, start, step);
    Ok(Source { name, units: None, grid, is_ocean: false, times: Vec::new(), between_times: 0, values })
}

/// All values of an image whose arrays are text.
fn loaded(file: &File, pieces: &[([usize; 3], [usize; 3], Node)], shape: [usize; 3]) -> Result<Vec<f32>, ReadError> {
    let mut values = vec![f32::NAN; shape.iter().product()];
    for (at, size, array) in pieces {
        let part = file.array(*array, size.iter().product())?;
        for (row, part) in part.chunks_exact(size[0]).enumerate() {
            let (y, z) = (at[1] + row % size[1], at[2] + row / size[1]);
            let first = (z * shape[1] + y) * shape[0] + at[0];
            values[first..first + size[0]].iter_mut().zip(part).for_each(|(to, value)| *to = *value as f32);
        }
    }
    Ok(values)
}

fn extent(file: &File, node: Node, name: &str) -> Result<[i64; 6], ReadError> {
    file.numbers(node, name)?.ok_or_else(|| file.malformed(format!("the attribute {name} is missing")))
}

fn lengths(extent: &[i64; 6]) -> Option<[usize; 3]> {
    let length = |axis: usize| extent[2 * axis + 1].checked_sub(extent[2 * axis])?.checked_add(1);
    let length = |axis: usize| usize::try_from(length(axis)?).ok().filter(|&n| n > 0);
    Some([length(0)?, length(1)?, length(2)?])
}

/// The arrays of point values with one component.
fn arrays<'a, 'input>(piece: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    let data = piece.children().filter(|node| node.tag_name().name() == "PointData");
    let arrays = data.flat_map(|node| node.children()).filter(|node| node.tag_name().name() == "DataArray");
    arrays.filter(|array| matches!(array.attribute("NumberOfComponents").map(str::trim), None | Some("1" | "0" | "")))
}

/// The array of that name, or the one that the file marks as its scalars, or the first.
fn choose(path: &Path, image: Node, wanted: Option<&str>) -> Result<String, ReadError> {
    let piece = image.children().find(|node| node.tag_name().name() == "Piece");
    let names: Vec<_> = piece.into_iter().flat_map(arrays).map(|array| array.attribute("Name").unwrap_or("")).collect();
    let marked = piece.and_then(|p| p.children().find(|node| node.tag_name().name() == "PointData"));
    let marked = marked.and_then(|data| data.attribute("Scalars")).filter(|name| names.contains(name));
    match (wanted, names.first()) {
        (_, None) => Err(ReadError::malformed(path, "it has no point array with one component", REMEDY)),
        (None, Some(first)) => Ok(marked.unwrap_or(first).to_owned()),
        (Some(wanted), _) if names.contains(&wanted) => Ok(wanted.to_owned()),
        (Some(wanted), _) => Err(ReadError::malformed(
            path,
            format!("there is no point array `{wanted}` with one component"),
            format!("choose with --variable among {}", names.join(", ")),
        )),
    }
}
