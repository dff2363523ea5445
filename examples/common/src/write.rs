//! Writing meshes: `.vtp`, `.pvtp` and `.vtu` for ParaView, `.ply` for everything else; and volumes: `.vti` and `.npy`.
//!
//! A file is written under another name beside its own and then renamed, so that nobody finds half a mesh. Several
//! meshes become one, with the value of each as a scalar of its points.

mod cells;
mod image;

pub use cells::{CellFormat, Polyhedra, cells, check_volumes, polyhedra};
pub use image::{Part as VolumePart, check_image, image, parts};

use crate::mesh::{Mesh, Part};
use bytemuck::cast_slice;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The operating system refuses.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The name does not tell the format.
    #[error("cannot write {}: end the name in .vtp, .pvtp or .ply", .0.display())]
    Format(PathBuf),
    /// The name does not tell the format of a mesh of cells.
    #[error("cannot write {}: end the name in .vtp, .pvtp, .vtu or .ply", .0.display())]
    CellFormat(PathBuf),
    /// The format has no cells with a volume.
    #[error("cannot write {}: the format has no cells with a volume; end the name in .vtu", .0.display())]
    Volumes(PathBuf),
    /// The name is not that of a picture.
    #[error("cannot write {}: pictures are .png files", .0.display())]
    Picture(PathBuf),
    /// The name is not that of a volume.
    #[error("cannot write {}: volumes are .vti or .npy files", .0.display())]
    Image(PathBuf),
    /// The format has no room for where the points lie.
    #[error("cannot write {}: the points of the volume lie unevenly, and .vti files have no room for where; --unit has them one unit apart", .0.display())]
    Uneven(PathBuf),
    /// The name is not that of a chart.
    #[error("cannot write {}: charts are .svg files", .0.display())]
    Chart(PathBuf),
    /// There is no such folder, or the name is that of a folder.
    #[error("cannot write {}: give the name of a file in a folder that exists", .0.display())]
    Place(PathBuf),
}

/// Fails when the folder that a file is to be written to does not exist.
///
/// # Errors
/// [`WriteError::Place`].
pub fn check_place(file: &Path) -> Result<(), WriteError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match folder.is_dir() && file.file_name().is_some() && !file.is_dir() {
        true => Ok(()),
        false => Err(WriteError::Place(file.into())),
    }
}

/// The format of a mesh file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// VTK polygons, appended raw.
    Vtp,
    /// An index of `.vtp` pieces, one for each rank.
    Pvtp,
    /// Binary, little-endian.
    Ply,
}

impl Format {
    /// The format that the name tells.
    ///
    /// # Errors
    /// When it tells none.
    pub fn of(path: &Path) -> Result<Self, WriteError> {
        match path.extension().map(|e| e.to_ascii_lowercase()).as_ref().and_then(|e| e.to_str()) {
            Some("vtp") => Ok(Format::Vtp),
            Some("pvtp") => Ok(Format::Pvtp),
            Some("ply") => Ok(Format::Ply),
            _ => Err(WriteError::Format(path.into())),
        }
    }
}

/// Where a process writes a file until it is complete.
fn aside(path: &Path, process: u64) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{process}.part"));
    path.with_file_name(name)
}

/// Writes a file aside and renames it when it is complete.
///
/// # Errors
/// When the operating system refuses; nothing is left behind then.
pub fn atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let aside = aside(path, std::process::id().into());
    let attempt = || {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&aside)?);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&aside, path)
    };
    attempt().map_err(|source| {
        // The file may never have come to be, so a failure to remove it says nothing new.
        let _ = std::fs::remove_file(&aside);
        WriteError::Io { path: path.into(), source }
    })
}

/// Writes meshes in the format that the name tells, with the value of each as the points' `scalar`. All ranks call it
/// together: [`Format::Pvtp`] has a piece for each, other formats have all on one.
///
/// # Errors
/// When the name tells no format, or the operating system refuses.
pub fn meshes(path: &Path, scalar: &str, meshes: &[Mesh]) -> Result<(), WriteError> {
    let format = Format::of(path)?;
    if format == Format::Pvtp {
        let parts: Vec<_> = meshes.iter().map(Mesh::to_part).collect();
        vtp(&piece_path(path, forall::rank()), scalar, &parts)?;
        return if forall::rank() == 0 { pvtp_index(path, scalar, forall::ranks()) } else { Ok(()) };
    }
    // All ranks take part in the gathering of every mesh, so it comes before the question who has the result.
    let gathered: Vec<_> = meshes.iter().map(Mesh::to_root).collect();
    let parts: Option<Vec<Part>> = gathered.into_iter().collect();
    match (parts, format) {
        (Some(parts), Format::Ply) => ply(path, scalar, &parts),
        (Some(parts), _) => vtp(path, scalar, &parts),
        (None, _) => Ok(()),
    }
}

/// Writes meshes as one `.vtp` file, with the value of each as the points' `scalar`.
///
/// # Errors
/// When the operating system refuses.
pub fn vtp(path: &Path, scalar: &str, meshes: &[Part]) -> Result<(), WriteError> {
    let points: usize = meshes.iter().map(|mesh| mesh.points.len()).sum();
    let triangles: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    // Numbers that fit are written with 32 bits.
    let narrow = i32::try_from(points.max(3 * triangles)).is_ok();
    let (id, id_size) = if narrow { ("Int32", 4) } else { ("Int64", 8) };
    let sizes = [12 * points, 12 * points, 4 * points, 3 * id_size * triangles, id_size * triangles];
    let mut offset = 0;
    let [points_at, normals_at, values_at, corners_at, ends_at] = sizes.map(|size| {
        let at = offset;
        offset += 8 + size;
        at
    });
    let floats = |name: &str, components: usize, at: usize| {
        format!(
            "<DataArray type=\"Float32\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" \
             offset=\"{at}\"/>"
        )
    };
    let ids = |name: &str, at: usize| {
        format!("<DataArray type=\"{id}\" Name=\"{name}\" format=\"appended\" offset=\"{at}\"/>")
    };
    atomically(path, |file| {
        writeln!(file, r#"<?xml version="1.0"?>"#)?;
        writeln!(
            file,
            r#"<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PolyData>
    <Piece NumberOfPoints="{points}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{triangles}">
      <Points>{}</Points>
      <PointData Normals="Normals" Scalars="{scalar}">
        {}
        {}
      </PointData>
      <Polys>
        {}
        {}
      </Polys>
    </Piece>
  </PolyData>
  <AppendedData encoding="raw">"#,
            floats("Points", 3, points_at),
            floats("Normals", 3, normals_at),
            floats(scalar, 1, values_at),
            ids("connectivity", corners_at),
            ids("offsets", ends_at),
        )?;
        file.write_all(b"_")?;
        let length = |file: &mut dyn Write, k: usize| file.write_all(&(sizes[k] as u64).to_le_bytes());
        length(file, 0)?;
        for mesh in meshes {
            write_floats(file, cast_slice(&mesh.points))?;
        }
        length(file, 1)?;
        for mesh in meshes {
            write_floats(file, cast_slice(&mesh.normals))?;
        }
        length(file, 2)?;
        for mesh in meshes {
            for _ in &mesh.points {
                file.write_all(&mesh.value.to_le_bytes())?;
            }
        }
        let number = |file: &mut dyn Write, number: u64| {
            if narrow { file.write_all(&(number as u32).to_le_bytes()) } else { file.write_all(&number.to_le_bytes()) }
        };
        length(file, 3)?;
        let mut before = 0;
        for mesh in meshes {
            for &corner in mesh.triangles.as_flattened() {
                number(file, before + u64::from(corner))?;
            }
            before += mesh.points.len() as u64;
        }
        length(file, 4)?;
        for triangle in 1..=triangles as u64 {
            number(file, 3 * triangle)?;
        }
        writeln!(file, "\n  </AppendedData>\n</VTKFile>")
    })
}

/// The file of one rank beside a `.pvtp` index: `mesh.pvtp` has the pieces `mesh_0.vtp`, `mesh_1.vtp` and so on.
pub fn piece_path(index: &Path, rank: usize) -> PathBuf {
    let stem = index.file_stem().unwrap_or_default().to_string_lossy();
    index.with_file_name(format!("{stem}_{rank}.vtp"))
}

/// Writes the `.pvtp` index of the pieces that the ranks write with [`vtp`] at [`piece_path`].
///
/// # Errors
/// When the operating system refuses.
pub fn pvtp_index(path: &Path, scalar: &str, ranks: usize) -> Result<(), WriteError> {
    atomically(path, |file| {
        writeln!(
            file,
            r#"<?xml version="1.0"?>
<VTKFile type="PPolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PPolyData GhostLevel="0">
    <PPoints><PDataArray type="Float32" Name="Points" NumberOfComponents="3"/></PPoints>
    <PPointData Normals="Normals" Scalars="{scalar}">
      <PDataArray type="Float32" Name="Normals" NumberOfComponents="3"/>
      <PDataArray type="Float32" Name="{scalar}" NumberOfComponents="1"/>
    </PPointData>"#
        )?;
        for rank in 0..ranks {
            let piece = piece_path(path, rank);
            let name = piece.file_name().unwrap_or_default().to_string_lossy();
            let name = name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
            writeln!(file, r#"    <Piece Source="{name}"/>"#)?;
        }
        writeln!(file, "  </PPolyData>\n</VTKFile>")
    })
}

/// Writes meshes as one binary `.ply` file, with the value of each as the property `scalar` of its points.
///
/// # Errors
/// When the operating system refuses.
pub fn ply(path: &Path, scalar: &str, meshes: &[Part]) -> Result<(), WriteError> {
    let points: usize = meshes.iter().map(|mesh| mesh.points.len()).sum();
    let triangles: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    if u32::try_from(points).is_err() {
        let source = io::Error::other("a .ply file cannot number so many points; write .vtp");
        return Err(WriteError::Io { path: path.into(), source });
    }
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    atomically(path, |file| {
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\ncomment {program}\nelement vertex {points}\n\
             property float x\nproperty float y\nproperty float z\n\
             property float nx\nproperty float ny\nproperty float nz\nproperty float {scalar}\n\
             element face {triangles}\nproperty list uchar uint vertex_indices\nend_header\n"
        )?;
        for mesh in meshes {
            for (point, normal) in mesh.points.iter().zip(&mesh.normals) {
                write_floats(file, point)?;
                write_floats(file, normal)?;
                write_floats(file, &[mesh.value])?;
            }
        }
        let mut before = 0;
        for mesh in meshes {
            for triangle in &mesh.triangles {
                file.write_all(&[3])?;
                for corner in triangle {
                    file.write_all(&(before + corner).to_le_bytes())?;
                }
            }
            before += mesh.points.len() as u32;
        }
        Ok(())
    })
}

/// Floats, least significant byte first.
fn write_floats(file: &mut dyn Write, floats: &[f32]) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return file.write_all(cast_slice(floats));
    }
    floats.iter().try_for_each(|float| file.write_all(&float.to_le_bytes()))
}
