//! Writing meshes of cells: `.vtu` with cells of any kind, `.vtp` and `.ply` without those that have a volume.

use super::{WriteError, atomically, piece_path};
use crate::cells::{Cells, Field, dimensions, kind};
use bytemuck::cast_slice;
use std::io::{self, Write};
use std::path::Path;

/// The format of a file of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellFormat {
    /// VTK's unstructured grids, appended raw.
    Vtu,
    /// VTK's polygons, appended raw.
    Vtp,
    /// An index of `.vtp` pieces, one for each rank.
    Pvtp,
    /// Binary, little-endian.
    Ply,
}

impl CellFormat {
    /// The format that the name tells.
    ///
    /// # Errors
    /// When it tells none.
    pub fn of(path: &Path) -> Result<Self, WriteError> {
        match path.extension().map(|e| e.to_ascii_lowercase()).as_ref().and_then(|e| e.to_str()) {
            Some("vtu") => Ok(CellFormat::Vtu),
            Some("vtp") => Ok(CellFormat::Vtp),
            Some("pvtp") => Ok(CellFormat::Pvtp),
            Some("ply") => Ok(CellFormat::Ply),
            _ => Err(WriteError::CellFormat(path.into())),
        }
    }
}

/// Writes a mesh in the format that the name tells. For [`CellFormat::Pvtp`], every rank calls it with its part, and all parts have the same
/// fields; for others, one rank does.
///
/// # Errors
/// When the name tells no format, the format has no such cells, or the operating system refuses.
pub fn cells(path: &Path, mesh: &Cells) -> Result<(), WriteError> {
    let format = CellFormat::of(path)?;
    if format != CellFormat::Vtu && mesh.kinds.iter().any(|&kind| dimensions(kind) == 3) {
        return Err(WriteError::Volumes(path.into()));
    }
    match format {
        CellFormat::Vtu => vtu(path, mesh),
        CellFormat::Vtp => vtp(path, mesh),
        CellFormat::Ply => ply(path, mesh),
        CellFormat::Pvtp => {
            vtp(&piece_path(path, forall::rank()), mesh)?;
            if forall::rank() == 0 { pvtp_index(path, mesh, forall::ranks()) } else { Ok(()) }
        }
    }
}

/// Fails if the name is not that of a format that has cells with a volume, or if its folder does not exist.
///
/// # Errors
/// [`WriteError::Volumes`], [`WriteError::Place`].
pub fn check_volumes(path: &Path) -> Result<(), WriteError> {
    match CellFormat::of(path) {
        Ok(CellFormat::Vtu) => super::check_place(path),
        _ => Err(WriteError::Volumes(path.into())),
    }
}

/// Polyhedra, which have no corners in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Polyhedra {
    /// The corners of all polyhedra, one polyhedron after the other.
    pub points: Vec<[f32; 3]>,
    /// For each polyhedron, the number after its last corner.
    pub ends: Vec<u32>,
    /// The faces of each polyhedron: their number, and for each face the number of its corners and these, as numbers of points.
    pub faces: Vec<Vec<u32>>,
    /// All that is known of the polyhedra.
    pub fields: Vec<Field>,
}

/// Writes polyhedra as `.vtu`, on one rank.
///
/// # Errors
/// [`WriteError::Volumes`] if the name is that of another format, or [`WriteError::Io`].
pub fn polyhedra(path: &Path, mesh: &Polyhedra) -> Result<(), WriteError> {
    check_volumes(path)?;
    let mut arrays = Appended::default();
    let places = arrays.floats("Points", 3, mesh.points.as_flattened());
    let fields: String =
        mesh.fields.iter().map(|field| arrays.floats(&field.name, field.components, &field.values)).collect();
    let corners = arrays.numbers("connectivity", 0..mesh.points.len() as u32);
    let ends = arrays.numbers("offsets", mesh.ends.iter().copied());
    let kinds = arrays.element("UInt8", "types", 1, vec![kind::POLYHEDRON; mesh.ends.len()]);
    let faces = arrays.numbers("faces", mesh.faces.iter().flatten().copied());
    let mut end = 0;
    let faces_end = arrays.numbers(
        "faceoffsets",
        mesh.faces.iter().map(|faces| {
            end += faces.len() as u32;
            end
        }),
    );
    atomically(path, |file| {
        write!(
            file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n\
             <Points>\n{places}</Points>\n<CellData>\n{fields}</CellData>\n\
             <Cells>\n{corners}{ends}{kinds}{faces}{faces_end}</Cells>\n</Piece>\n</UnstructuredGrid>\n",
            mesh.points.len(),
            mesh.ends.len(),
        )?;
        arrays.write(file)
    })
}

/// Arrays that stand in XML and follow it as bytes.
#[derive(Default)]
struct Appended {
    blocks: Vec<Vec<u8>>,
    offset: usize,
}

impl Appended {
    /// The element of an array.
    fn element(&mut self, kind: &str, name: &str, components: usize, bytes: Vec<u8>) -> String {
        let at = self.offset;
        self.offset += 8 + bytes.len();
        self.blocks.push(bytes);
        let name = escaped(name);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{at}\"/>\n"
        )
    }

    fn floats(&mut self, name: &str, components: usize, values: &[f32]) -> String {
        self.element("Float32", name, components, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn numbers(&mut self, name: &str, values: impl Iterator<Item = u32>) -> String {
        self.element("Int64", name, 1, values.flat_map(|value| u64::from(value).to_le_bytes()).collect())
    }

    fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        file.write_all(b"<AppendedData encoding=\"raw\">\n_")?;
        for block in &self.blocks {
            file.write_all(&(block.len() as u64).to_le_bytes())?;
            file.write_all(block)?;
        }
        writeln!(file, "\n</AppendedData>\n</VTKFile>")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// The elements with the points and what is known of them.
fn points(mesh: &Cells, arrays: &mut Appended) -> String {
    let places = arrays.floats("Points", 3, mesh.points.as_flattened());
    let fields: String =
        mesh.fields.iter().map(|field| arrays.floats(&field.name, field.components, &field.values)).collect();
    format!("<Points>\n{places}</Points>\n<PointData{}>\n{fields}</PointData>\n", marks(mesh))
}

/// The element with what is known of the cells, in this order.
fn of_cells(mesh: &Cells, order: impl Iterator<Item = usize> + Clone, arrays: &mut Appended) -> String {
    let fields = mesh.cell_fields.iter().map(|field| field.of(order.clone()));
    let fields: String = fields.map(|field| arrays.floats(&field.name, field.components, &field.values)).collect();
    if fields.is_empty() { fields } else { format!("<CellData>\n{fields}</CellData>\n") }
}

/// The attributes that say which field is what.
fn marks(mesh: &Cells) -> String {
    let has =
        |name: &str, components| mesh.fields.iter().any(|field| field.name == name && field.components == components);
    let mut marks = String::new();
    if has(&mesh.name, 1) {
        marks += &format!(" Scalars=\"{}\"", escaped(&mesh.name));
    }
    if has("Normals", 3) {
        marks += " Normals=\"Normals\"";
    }
    marks
}

fn vtu(path: &Path, mesh: &Cells) -> Result<(), WriteError> {
    let mut arrays = Appended::default();
    let points_element = points(mesh, &mut arrays);
    let cells_element = of_cells(mesh, 0..mesh.len(), &mut arrays);
    let corners = arrays.numbers("connectivity", mesh.corners.iter().copied());
    let ends = arrays.numbers("offsets", mesh.first.iter().skip(1).copied());
    let kinds = arrays.element("UInt8", "types", 1, mesh.kinds.clone());
    atomically(path, |file| {
        write!(
            file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n\
             {points_element}{cells_element}<Cells>\n{corners}{ends}{kinds}</Cells>\n</Piece>\n</UnstructuredGrid>\n",
            mesh.points.len(),
            mesh.len(),
        )?;
        arrays.write(file)
    })
}

/// The corners of a cell as a polygon has them, and a place in the file: points, lines, strips, polygons.
fn polygon(mesh: &Cells, cell: usize) -> (usize, Vec<u32>) {
    let mut corners = mesh.corners_of(cell).to_vec();
    let kind = mesh.kinds[cell];
    if kind == kind::PIXEL {
        corners.swap(2, 3);
    }
    let place = match kind {
        kind::STRIP => 2,
        kind => [0, 1, 3][dimensions(kind).min(2)],
    };
    (place, corners)
}

fn vtp(path: &Path, mesh: &Cells) -> Result<(), WriteError> {
    const PLACES: [&str; 4] = ["Verts", "Lines", "Strips", "Polys"];
    let mut arrays = Appended::default();
    let points_element = points(mesh, &mut arrays);
    let numbers = (0..mesh.len()).filter(|&cell| mesh.kinds[cell] != 0);
    let cells: Vec<_> = numbers.clone().map(|cell| polygon(mesh, cell)).collect();
    // VTK numbers polygons before strips, and writes them after.
    let of_place = |place: usize| numbers.clone().zip(&cells).filter(move |(_, cell)| cell.0 == place);
    let order = [0, 1, 3, 2].into_iter().flat_map(|place| of_place(place).map(|(number, _)| number));
    let cells_element = of_cells(mesh, order, &mut arrays);
    let (mut counts, mut elements) = (String::new(), String::new());
    for (place, name) in PLACES.into_iter().enumerate() {
        let these: Vec<&[u32]> = cells.iter().filter(|cell| cell.0 == place).map(|cell| &cell.1[..]).collect();
        let corners = arrays.numbers("connectivity", these.iter().copied().flatten().copied());
        let mut end = 0;
        let ends = arrays.numbers(
            "offsets",
            these.iter().map(|corners| {
                end += corners.len() as u32;
                end
            }),
        );
        counts += &format!(" NumberOf{name}=\"{}\"", these.len());
        elements += &format!("<{name}>\n{corners}{ends}</{name}>\n");
    }
    atomically(path, |file| {
        write!(
            file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\"{counts}>\n\
             {points_element}{cells_element}{elements}</Piece>\n</PolyData>\n",
            mesh.points.len(),
        )?;
        arrays.write(file)
    })
}

fn pvtp_index(path: &Path, mesh: &Cells, ranks: usize) -> Result<(), WriteError> {
    let array = |name: &str, components: usize| {
        format!("<PDataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{components}\"/>\n", escaped(name))
    };
    let all = |fields: &[Field]| fields.iter().map(|field| array(&field.name, field.components)).collect::<String>();
    let (fields, cell_fields) = (all(&mesh.fields), all(&mesh.cell_fields));
    let cell_fields =
        if cell_fields.is_empty() { cell_fields } else { format!("<PCellData>\n{cell_fields}</PCellData>\n") };
    atomically(path, |file| {
        write!(
            file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PPolyData GhostLevel=\"0\">\n<PPoints>\n{}</PPoints>\n<PPointData{}>\n{fields}</PPointData>\n{cell_fields}",
            array("Points", 3),
            marks(mesh),
        )?;
        for rank in 0..ranks {
            let piece = piece_path(path, rank);
            writeln!(
                file,
                "<Piece Source=\"{}\"/>",
                escaped(&piece.file_name().unwrap_or_default().to_string_lossy())
            )?;
        }
        writeln!(file, "</PPolyData>\n</VTKFile>")
    })
}

fn ply(path: &Path, mesh: &Cells) -> Result<(), WriteError> {
    // Words of the header end at spaces.
    let word = |name: &str| name.split_whitespace().collect::<Vec<_>>().join("_");
    let mut properties = String::new();
    for Field { name, components, .. } in &mesh.fields {
        match (name.as_str(), components) {
            ("Normals", 3) => properties += "property float nx\nproperty float ny\nproperty float nz\n",
            (name, 1) => properties += &format!("property float {}\n", word(name)),
            (name, _) => (0..*components).for_each(|k| properties += &format!("property float {}_{k}\n", word(name))),
        }
    }
    let (mut faces, mut edges): (Vec<Vec<u32>>, Vec<[u32; 2]>) = (Vec::new(), Vec::new());
    for cell in 0..mesh.len() {
        match polygon(mesh, cell) {
            (3, corners) => faces.push(corners),
            (2, corners) => faces.extend(corners.windows(3).enumerate().map(|(i, side)| match i % 2 {
                0 => side.to_vec(),
                _ => vec![side[1], side[0], side[2]],
            })),
            (1, corners) => edges.extend(corners.windows(2).map(|pair| [pair[0], pair[1]])),
            _ => {}
        }
    }
    if faces.iter().any(|face| u8::try_from(face.len()).is_err()) {
        let source = io::Error::other("a .ply file has no polygons of more than 255 corners; write .vtp");
        return Err(WriteError::Io { path: path.into(), source });
    }
    atomically(path, |file| {
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
             {properties}element face {}\nproperty list uchar uint vertex_indices\n",
            mesh.points.len(),
            faces.len(),
        )?;
        if !edges.is_empty() {
            writeln!(file, "element edge {}\nproperty uint vertex1\nproperty uint vertex2", edges.len())?;
        }
        writeln!(file, "end_header")?;
        for (i, point) in mesh.points.iter().enumerate() {
            super::write_floats(file, point)?;
            for field in &mesh.fields {
                super::write_floats(file, &field.values[i * field.components..(i + 1) * field.components])?;
            }
        }
        for face in &faces {
            file.write_all(&[face.len() as u8])?;
            face.iter().try_for_each(|corner| file.write_all(&corner.to_le_bytes()))?;
        }
        match cfg!(target_endian = "little") {
            true => file.write_all(cast_slice(&edges)),
            false => edges.iter().flatten().try_for_each(|corner| file.write_all(&corner.to_le_bytes())),
        }
    })
}
