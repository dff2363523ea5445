//! What an extraction gives.

/// An indexed triangle mesh with one normal a point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// The value that the field takes on the surface.
    pub iso: f32,
    /// The points.
    pub points: Vec<[f32; 3]>,
    /// The unit normals of the points, towards lower values; zero where the field is flat.
    pub normals: Vec<[f32; 3]>,
    /// The triangles, as numbers of points.
    pub triangles: Vec<[u32; 3]>,
}
