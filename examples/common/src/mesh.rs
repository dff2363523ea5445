//! Triangle meshes in shares, and the part of one that a process writes.

use forall::DistVec;

/// An indexed triangle mesh with one normal a point.
///
/// Each rank has its share of the points and of the triangles; triangles number the points of all ranks.
#[derive(Debug, Default)]
pub struct Mesh {
    /// The data of the mesh as a whole, as the value that a field takes on it.
    pub value: f32,
    /// The points.
    pub points: DistVec<[f32; 3]>,
    /// The unit normals of the points, towards the front; zero where there is none.
    pub normals: DistVec<[f32; 3]>,
    /// The triangles, as numbers of points.
    pub triangles: DistVec<[u32; 3]>,
}

/// The part of a mesh that one process writes: triangles number the points that stand beside them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Part {
    /// The value of the mesh.
    pub value: f32,
    /// The points.
    pub points: Vec<[f32; 3]>,
    /// The normals of the points.
    pub normals: Vec<[f32; 3]>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The whole mesh on rank 0, and nothing on others. All ranks call it together.
    pub fn to_root(&self) -> Option<Part> {
        let (points, normals, triangles) = (self.points.to_root(), self.normals.to_root(), self.triangles.to_root());
        Some(Part { value: self.value, points: points?, normals: normals?, triangles: triangles? })
    }

    /// This rank's triangles with all points that they number, a copy of each. All ranks call it together.
    ///
    /// Every rank fetches the points of all, and keeps what it needs.
    pub fn to_part(&self) -> Part {
        let (points, normals) = (self.points.to_all(), self.normals.to_all());
        let mut part = Part { value: self.value, ..Part::default() };
        const UNUSED: u32 = u32::MAX;
        let mut numbers = vec![UNUSED; points.len()];
        for triangle in self.triangles.local() {
            part.triangles.push(triangle.map(|corner| {
                let number = &mut numbers[corner as usize];
                if *number == UNUSED {
                    *number = part.points.len() as u32;
                    part.points.push(points[corner as usize]);
                    part.normals.push(normals[corner as usize]);
                }
                *number
            }));
        }
        part
    }
}
