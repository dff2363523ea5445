//! Surfaces of polygons: `.ply`, `.off`, `.stl` and `.obj`.

use super::ReadError;
use super::vtp::push_polygon;
use crate::cells::{Cells, Field, kind};
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::DefaultElement;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

const REMEDY: &str = "write it again, or convert it to .vtp";

fn open(path: &Path) -> Result<BufReader<File>, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

/// Polygon files: vertices with any properties, faces, and edges.
pub(super) fn ply(path: &Path) -> Result<Cells, ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, REMEDY);
    let ply = Parser::<DefaultElement>::new().read_ply(&mut open(path)?).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => ReadError::Truncated { path: path.into(), what: "its last element".into() },
        _ => malformed(format!(
            "it is no sound PLY file ({})",
            error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
        )),
    })?;
    let mut mesh = Cells::new();
    let vertices = ply.payload.get("vertex").map_or(&[][..], |vertices| &vertices[..]);
    let scalar = |vertex: &DefaultElement, name: &str| vertex.get(name).and_then(|property| property.to_f32_lossy());
    for (number, vertex) in vertices.iter().enumerate() {
        let place = ["x", "y", "z"].map(|axis| scalar(vertex, axis));
        let [Some(x), Some(y), Some(z)] = place else {
            return Err(malformed(format!("vertex {number} lacks x, y or z")));
        };
        mesh.points.push([x, y, z]);
    }
    let names: Vec<String> =
        vertices.first().into_iter().flat_map(|vertex| vertex.iter().map(|(name, _)| name.to_string())).collect();
    let has_normals = ["nx", "ny", "nz"].iter().all(|name| names.iter().any(|other| other == name));
    let is_known = |name: &str| ["x", "y", "z"].contains(&name) || (has_normals && ["nx", "ny", "nz"].contains(&name));
    let values = |name: &str| vertices.iter().map(|vertex| scalar(vertex, name)).collect::<Option<Vec<f32>>>();
    for name in names.iter().filter(|name| !is_known(name)) {
        // Lists are nothing that a field could be.
        if let Some(values) = values(name) {
            mesh.fields.push(Field { name: name.clone(), components: 1, values });
        }
    }
    if has_normals {
        let normal = |vertex: &DefaultElement| ["nx", "ny", "nz"].map(|name| scalar(vertex, name).unwrap_or(0.0));
        let values = vertices.iter().flat_map(normal).collect();
        mesh.fields.push(Field { name: "Normals".into(), components: 3, values });
    }
    for (number, face) in ply.payload.get("face").into_iter().flatten().enumerate() {
        let corners = face.get("vertex_indices").or_else(|| face.get("vertex_index"));
        let corners = corners.and_then(|corners| corners.to_u32_list());
        let corners =
            corners.ok_or_else(|| malformed(format!("face {number} has no list of vertices, or one below 0")))?;
        push_polygon(&mut mesh, kind::POLYGON, &corners);
    }
    for (number, edge) in ply.payload.get("edge").into_iter().flatten().enumerate() {
        use ply_rs_bw::ply::Property::{Int, Short, UChar, UInt, UShort};
        let end = |name: &str| match edge.get(name) {
            Some(&Int(end)) => u32::try_from(end).ok(),
            Some(&UInt(end)) => Some(end),
            Some(&Short(end)) => u32::try_from(end).ok(),
            Some(&UShort(end)) => Some(end.into()),
            Some(&UChar(end)) => Some(end.into()),
            _ => None,
        };
        let (Some(a), Some(b)) = (end("vertex1"), end("vertex2")) else {
            return Err(malformed(format!("edge {number} lacks one of its vertices")));
        };
        mesh.push(kind::LINE, &[a, b]);
    }
    Ok(mesh)
}

/// Object files of Geomview, as text: places, and polygons between them. Colours and normals are left out.
pub(super) fn off(path: &Path) -> Result<Cells, ReadError> {
    let malformed = |problem: String| ReadError::malformed(path, problem, REMEDY);
    let bytes = std::fs::read(path).map_err(|source| ReadError::Io { path: path.into(), source })?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines =
        text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty()).peekable();
    let first = lines.peek().copied().unwrap_or("");
    let word = first.split_whitespace().next().unwrap_or("");
    let counts = if let Some(letters) = word.strip_suffix("OFF") {
        if letters.contains(['4', 'n']) || first.contains("BINARY") {
            return Err(malformed(format!("it is `{first}`: only text with places in space is read")));
        }
        lines.next();
        // The counts may stand on the line of the word.
        match first[word.len()..].trim() {
            "" => lines.next().unwrap_or(""),
            counts => counts,
        }
    } else {
        return Err(malformed("it does not begin with OFF".into()));
    };
    let numbers: Vec<Option<usize>> = counts.split_whitespace().map(|count| count.parse().ok()).collect();
    let &[Some(vertices), Some(faces), ..] = &numbers[..] else {
        return Err(malformed(format!("`{counts}` does not say how many vertices and faces there are")));
    };
    let cut_off =
        |what: &str, number: usize| ReadError::Truncated { path: path.into(), what: format!("{what} {number}") };
    let mut mesh = Cells::new();
    for number in 0..vertices {
        let line = lines.next().ok_or_else(|| cut_off("vertex", number))?;
        let place: Option<Vec<f32>> = line.split_whitespace().take(3).map(|x| x.parse().ok()).collect();
        match place.as_deref() {
            Some(&[x, y, z]) => mesh.points.push([x, y, z]),
            _ => return Err(malformed(format!("vertex {number} is `{line}`, and not three numbers"))),
        }
    }
    for number in 0..faces {
        let line = lines.next().ok_or_else(|| cut_off("face", number))?;
        let mut words = line.split_whitespace();
        let count: Option<usize> = words.next().and_then(|count| count.parse().ok());
        let corners: Option<Vec<u32>> =
            count.and_then(|count| words.take(count).map(|corner| corner.parse().ok()).collect());
        match corners {
            Some(corners) if Some(corners.len()) == count => push_polygon(&mut mesh, kind::POLYGON, &corners),
            _ => return Err(malformed(format!("face {number} is `{line}`, and not a count and so many vertices"))),
        }
    }
    Ok(mesh)
}

/// Triangles, as text or binary; corners at one place are one point.
pub(super) fn stl(path: &Path) -> Result<Cells, ReadError> {
    let read = stl_io::read_stl(&mut open(path)?).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => ReadError::Truncated { path: path.into(), what: "its last triangle".into() },
        _ => ReadError::malformed(path, format!("it is no sound STL file ({error})"), REMEDY),
    })?;
    let mut mesh = Cells { points: read.vertices.iter().map(|vertex| vertex.0).collect(), ..Cells::new() };
    for face in read.faces {
        mesh.push(kind::TRIANGLE, &face.vertices.map(|corner| corner as u32));
    }
    Ok(mesh)
}

/// Wavefront's objects: polygons and lines of all groups; corners at one place are one point.
pub(super) fn obj(path: &Path) -> Result<Cells, ReadError> {
    let options = tobj::LoadOptions { ignore_points: true, ..Default::default() };
    // Materials are colours.
    let no_materials = |_: &Path| Ok((Vec::new(), Default::default()));
    let (models, _) = tobj::load_obj_buf(&mut open(path)?, &options, no_materials)
        .map_err(|error| ReadError::malformed(path, format!("it is no sound OBJ file ({error})"), REMEDY))?;
    let (mut mesh, mut numbers) = (Cells::new(), HashMap::new());
    for tobj::Model { mesh: group, .. } in models {
        let mut number_of = |place: [f32; 3]| {
            *numbers.entry(place.map(f32::to_bits)).or_insert_with(|| {
                mesh.points.push(place);
                mesh.points.len() as u32 - 1
            })
        };
        let known: Vec<u32> = group.positions.as_chunks::<3>().0.iter().map(|&place| number_of(place)).collect();
        let arities = if group.face_arities.is_empty() { vec![3; group.indices.len() / 3] } else { group.face_arities };
        let mut rest = &group.indices[..];
        for arity in arities {
            let (corners, after) = rest.split_at_checked(arity as usize).unwrap_or((rest, &[]));
            rest = after;
            let corners: Vec<u32> =
                corners.iter().map(|&corner| known.get(corner as usize).copied().unwrap_or(u32::MAX)).collect();
            push_polygon(&mut mesh, kind::POLYGON, &corners);
        }
    }
    Ok(mesh)
}
