//! Writing meshes: `.vtp` and `.pvtp` for ParaView, `.ply` for everything else.
//!
//! A file is written under another name beside its own and then renamed, so that nobody finds half a mesh. Several
//! meshes, one for each isovalue, become one, with the isovalue as a scalar of the points.

use crate::mesh::Part;
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

/// Writes a file aside and renames it when it is complete.
///
/// # Errors
/// When the operating system refuses; nothing is left behind then.
pub fn atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), WriteError> {
    let mut aside = path.file_name().unwrap_or_default().to_owned();
    aside.push(format!(".{}.part", std::process::id()));
    let aside = path.with_file_name(aside);
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

/// Writes meshes as one `.vtp` file.
///
/// # Errors
/// When the operating system refuses.
pub fn vtp(path: &Path, meshes: &[Part]) -> Result<(), WriteError> {
    let points: usize = meshes.iter().map(|mesh| mesh.points.len()).sum();
    let triangles: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    // Numbers that fit are written with 32 bits.
    let narrow = i32::try_from(points.max(3 * triangles)).is_ok();
    let (id, id_size) = if narrow { ("Int32", 4) } else { ("Int64", 8) };
    let sizes = [12 * points, 12 * points, 4 * points, 3 * id_size * triangles, id_size * triangles];
    let mut offset = 0;
    let [points_at, normals_at, iso_at, corners_at, ends_at] = sizes.map(|size| {
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
      <PointData Normals="Normals" Scalars="iso">
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
            floats("iso", 1, iso_at),
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
                file.write_all(&mesh.iso.to_le_bytes())?;
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
pub fn pvtp_index(path: &Path, ranks: usize) -> Result<(), WriteError> {
    atomically(path, |file| {
        writeln!(
            file,
            r#"<?xml version="1.0"?>
<VTKFile type="PPolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PPolyData GhostLevel="0">
    <PPoints><PDataArray type="Float32" Name="Points" NumberOfComponents="3"/></PPoints>
    <PPointData Normals="Normals" Scalars="iso">
      <PDataArray type="Float32" Name="Normals" NumberOfComponents="3"/>
      <PDataArray type="Float32" Name="iso" NumberOfComponents="1"/>
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

/// Writes meshes as one binary `.ply` file.
///
/// # Errors
/// When the operating system refuses.
pub fn ply(path: &Path, meshes: &[Part]) -> Result<(), WriteError> {
    let points: usize = meshes.iter().map(|mesh| mesh.points.len()).sum();
    let triangles: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    if u32::try_from(points).is_err() {
        let source = io::Error::other("a .ply file cannot number so many points; write .vtp");
        return Err(WriteError::Io { path: path.into(), source });
    }
    atomically(path, |file| {
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\ncomment isosurface\nelement vertex {points}\n\
             property float x\nproperty float y\nproperty float z\n\
             property float nx\nproperty float ny\nproperty float nz\nproperty float iso\n\
             element face {triangles}\nproperty list uchar uint vertex_indices\nend_header\n"
        )?;
        for mesh in meshes {
            for (point, normal) in mesh.points.iter().zip(&mesh.normals) {
                write_floats(file, point)?;
                write_floats(file, normal)?;
                write_floats(file, &[mesh.iso])?;
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
