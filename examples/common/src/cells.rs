//! Meshes of cells of any kind, which every rank has as a whole.

use earcut::Earcut;
use earcut::utils3d::project3d_to_2d;

/// Points with values, and cells between them, as VTK numbers them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cells {
    /// The name of the values.
    pub name: String,
    /// Where the points are.
    pub points: Vec<[f32; 3]>,
    /// The values of the points that are looked at; NaN where there is none. Empty where nothing is known of the points.
    pub values: Vec<f32>,
    /// All that is known of the points, the values among them.
    pub fields: Vec<Field>,
    /// All that is known of the cells.
    pub cell_fields: Vec<Field>,
    /// The corners of all cells, one cell after the other.
    pub corners: Vec<u32>,
    /// Where the corners of each cell begin, and where those of the last one end.
    pub first: Vec<u32>,
    /// The kind of each cell, as a number of VTK: 10 is a tetrahedron, 12 a hexahedron.
    pub kinds: Vec<u8>,
}

/// The data of each point, or of each cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Field {
    /// Its values.
    pub name: String,
    /// How many numbers a point has.
    pub components: usize,
    /// The numbers, point by point.
    pub values: Vec<f32>,
}

impl Field {
    /// The data of some points alone, in this order.
    ///
    /// # Panics
    /// Where a point is not among those of the field.
    pub fn of(&self, points: impl Iterator<Item = usize>) -> Field {
        let Field { name, components, values } = self;
        let rows = points.flat_map(|point| &values[point * components..(point + 1) * components]);
        Field { name: name.clone(), components: *components, values: rows.copied().collect() }
    }
}

/// Kinds of cells, as VTK numbers them.
pub mod kind {
    /// A point.
    pub const VERTEX: u8 = 1;
    /// Any number of points.
    pub const VERTICES: u8 = 2;
    /// A line.
    pub const LINE: u8 = 3;
    /// Lines, each from where the last one ends.
    pub const POLYLINE: u8 = 4;
    /// A triangle.
    pub const TRIANGLE: u8 = 5;
    /// Triangles, each on a side of the last one.
    pub const STRIP: u8 = 6;
    /// A flat polygon, which may be concave.
    pub const POLYGON: u8 = 7;
    /// A rectangle along the axes.
    pub const PIXEL: u8 = 8;
    /// Four corners.
    pub const QUAD: u8 = 9;
    /// Four corners and four triangles.
    pub const TETRAHEDRON: u8 = 10;
    /// A box along the axes.
    pub const VOXEL: u8 = 11;
    /// Eight corners and six quads.
    pub const HEXAHEDRON: u8 = 12;
    /// Two triangles, and three quads between them.
    pub const WEDGE: u8 = 13;
    /// A quad, and four triangles to a point.
    pub const PYRAMID: u8 = 14;
    /// Flat faces with any number of corners.
    pub const POLYHEDRON: u8 = 42;
}

/// How many corners cells of a kind have: the least, and the most where there is such a number. None where the kind is not linear.
pub fn corners_of_kind(kind: u8) -> Option<(usize, Option<usize>)> {
    let exactly = |count| Some((count, Some(count)));
    match kind {
        kind::VERTEX => exactly(1),
        kind::VERTICES => Some((0, None)),
        kind::LINE => exactly(2),
        kind::POLYLINE => Some((2, None)),
        kind::TRIANGLE => exactly(3),
        kind::STRIP | kind::POLYGON => Some((3, None)),
        kind::PIXEL | kind::QUAD | kind::TETRAHEDRON => exactly(4),
        kind::VOXEL | kind::HEXAHEDRON => exactly(8),
        kind::WEDGE => exactly(6),
        kind::PYRAMID => exactly(5),
        _ => None,
    }
}

/// How many dimensions cells of a kind have.
pub fn dimensions(kind: u8) -> usize {
    match kind {
        0..=kind::VERTICES => 0,
        kind::LINE | kind::POLYLINE => 1,
        kind::TRIANGLE..=kind::QUAD => 2,
        _ => 3,
    }
}

/// Why a mesh cannot be worked with.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MeshError {
    /// A cell of another kind.
    #[error(
        "cell {cell} is of the kind {kind}, and linear cells are of the kinds 1 to 14 of VTK: convert it first (ParaView: Tessellate, or Triangulate)"
    )]
    Kind {
        /// Which.
        cell: usize,
        /// As VTK numbers it.
        kind: u8,
    },
    /// A cell with more or fewer corners than its kind.
    #[error("cell {cell} has {found} corners, and its kind ({kind}) {expected}: repair the file, or write it again")]
    Corners {
        /// Which.
        cell: usize,
        /// As VTK numbers it.
        kind: u8,
        /// How many it has.
        found: usize,
        /// How many there should be, at least.
        expected: usize,
    },
    /// A corner that is no point.
    #[error("cell {cell} names point {point}, and there are {points}: repair the file, or write it again")]
    Point {
        /// Which.
        cell: usize,
        /// The corner.
        point: u64,
        /// How many points there are.
        points: usize,
    },
    /// A corner that is nowhere.
    #[error("point {point} of cell {cell} has a coordinate that is not a number: remove the cell, or place the point")]
    Place {
        /// Which.
        cell: usize,
        /// The corner.
        point: u32,
    },
    /// There is no such field.
    #[error("there is no point array `{name}` with one component: choose with --variable among {among}")]
    Variable {
        /// The requested name.
        name: String,
        /// The available names.
        among: String,
    },
    /// There is none at all.
    #[error("its points have no array with one component: give it one, or cut it with --cut, which needs none")]
    NoVariable,
}

impl Cells {
    /// A mesh without cells.
    pub fn new() -> Self {
        Cells { first: vec![0], ..Cells::default() }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The corners of a cell.
    pub fn corners_of(&self, cell: usize) -> &[u32] {
        &self.corners[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// Adds a cell without data.
    pub fn push(&mut self, kind: u8, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.first.push(self.corners.len() as u32);
        self.kinds.push(kind);
    }

    /// The data of some cells alone, in this order: those of a mesh of these cells.
    ///
    /// # Panics
    /// Where a cell is not in the mesh.
    pub fn fields_of_cells(&self, cells: &[u32]) -> Vec<Field> {
        self.cell_fields.iter().map(|field| field.of(cells.iter().map(|&cell| cell as usize))).collect()
    }

    /// The mesh without the points that no cell has; the others keep their order.
    pub fn compacted(&self) -> Self {
        let mut is_used = vec![false; self.points.len()];
        self.corners.iter().for_each(|&corner| is_used[corner as usize] = true);
        let used: Vec<usize> = (0..self.points.len()).filter(|&point| is_used[point]).collect();
        let mut numbers = vec![0; self.points.len()];
        used.iter().enumerate().for_each(|(number, &point)| numbers[point] = number as u32);
        Cells {
            name: self.name.clone(),
            points: used.iter().map(|&point| self.points[point]).collect(),
            values: if self.values.is_empty() {
                Vec::new()
            } else {
                used.iter().map(|&point| self.values[point]).collect()
            },
            fields: self.fields.iter().map(|field| field.of(used.iter().copied())).collect(),
            cell_fields: self.cell_fields.clone(),
            corners: self.corners.iter().map(|&corner| numbers[corner as usize]).collect(),
            first: self.first.clone(),
            kinds: self.kinds.clone(),
        }
    }

    /// Looks at the field of this name, or else at `marked`, or else at the first one that has one number a point.
    ///
    /// # Errors
    /// When there is none, or none of that name.
    pub fn select(&mut self, wanted: Option<&str>, marked: Option<&str>) -> Result<(), MeshError> {
        let scalars: Vec<&Field> = self.fields.iter().filter(|field| field.components == 1).collect();
        let named = |name: &str| scalars.iter().find(|field| field.name == name).copied();
        let found = match wanted {
            Some(name) => named(name).ok_or_else(|| {
                let among: Vec<&str> = scalars.iter().map(|field| field.name.as_str()).collect();
                let among = if among.is_empty() { "none: it has no such array".into() } else { among.join(", ") };
                MeshError::Variable { name: name.into(), among }
            })?,
            None => marked.and_then(named).or(scalars.first().copied()).ok_or(MeshError::NoVariable)?,
        };
        (self.name, self.values) = (found.name.clone(), found.values.clone());
        Ok(())
    }

    /// Fails where a cell is not linear, has corners that are no points, or lies nowhere.
    ///
    /// # Errors
    /// Names the first such cell.
    pub fn check(&self) -> Result<(), MeshError> {
        let points = self.points.len();
        for (cell, &kind) in self.kinds.iter().enumerate() {
            let corners = self.corners_of(cell);
            let found = corners.len();
            // VTK's empty cell holds a place.
            let (least, most) =
                if kind == 0 { (0, None) } else { corners_of_kind(kind).ok_or(MeshError::Kind { cell, kind })? };
            if found < least || most.is_some_and(|most| found > most) {
                return Err(MeshError::Corners { cell, kind, found, expected: least });
            }
            for &point in corners {
                let place = self.points.get(point as usize);
                let place = place.ok_or(MeshError::Point { cell, point: u64::from(point), points })?;
                if place.iter().any(|x| !x.is_finite()) {
                    return Err(MeshError::Place { cell, point });
                }
            }
        }
        Ok(())
    }

    /// Six times the volume of a cell with these faces; negative where it is inside out.
    pub fn volume(&self, faces: &[Vec<u8>], corners: &[u32]) -> f64 {
        let place = |corner: u8| self.points[corners[usize::from(corner)] as usize].map(f64::from);
        let Some(amid) = faces.first().map(|face| place(face[0])) else { return 0.0 };
        let from_amid = |corner: u8| {
            let place = place(corner);
            [0, 1, 2].map(|axis| place[axis] - amid[axis])
        };
        let mut volume = 0.0;
        for face in faces {
            let apex = from_amid(face[0]);
            for side in face[1..].windows(2) {
                let [a, b] = [side[0], side[1]].map(from_amid);
                let across = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
                volume += apex[0] * across[0] + apex[1] * across[1] + apex[2] * across[2];
            }
        }
        volume
    }

    /// The triangles of a polygon with these corners. A polygon that has no area has none.
    pub fn triangulated(&self, corners: &[u32]) -> Vec<[u32; 3]> {
        let places: Vec<[f64; 3]> = corners.iter().map(|&point| self.points[point as usize].map(f64::from)).collect();
        let (mut flat, mut numbers) = (Vec::new(), Vec::new());
        if project3d_to_2d(&places, places.len(), &mut flat) {
            Earcut::new().earcut(flat, &[] as &[u32], &mut numbers);
        }
        numbers.as_chunks::<3>().0.iter().map(|triangle| triangle.map(|corner| corners[corner as usize])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_are_triangulated_where_they_lie() {
        // An arrow head: the last corner is drawn in.
        let flat = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [1.0, 1.0]];
        for axis in 0..3 {
            let points = flat.map(|[x, y]| std::array::from_fn(|k| [3.0, x, y][(k + axis) % 3])).to_vec();
            let mesh = Cells { points, ..Cells::new() };
            let triangles = mesh.triangulated(&[0, 1, 2, 3]);
            assert_eq!(triangles.len(), 2);
            assert!(triangles.iter().all(|triangle| triangle.contains(&1) && triangle.contains(&3)), "{triangles:?}");
        }
        let mesh = Cells { points: vec![[1.0; 3]; 5], ..Cells::new() };
        assert_eq!(mesh.triangulated(&[0, 1, 2, 3, 4]).len(), 0);
    }

    #[test]
    fn the_first_wrong_cell_is_named() {
        let mut mesh = Cells { points: vec![[0.0; 3]; 4], ..Cells::new() };
        mesh.push(kind::TETRAHEDRON, &[0, 1, 2, 3]);
        mesh.push(kind::POLYGON, &[0, 1, 2, 3]);
        mesh.push(0, &[]);
        assert_eq!(mesh.check(), Ok(()));
        mesh.push(kind::TRIANGLE, &[0, 1]);
        assert_eq!(mesh.check(), Err(MeshError::Corners { cell: 3, kind: 5, found: 2, expected: 3 }));
        mesh.kinds[3] = 21;
        assert_eq!(mesh.check(), Err(MeshError::Kind { cell: 3, kind: 21 }));
        mesh.points[1][2] = f32::NAN;
        assert_eq!(mesh.check(), Err(MeshError::Place { cell: 0, point: 1 }));
        mesh.corners[0] = 9;
        assert_eq!(mesh.check(), Err(MeshError::Point { cell: 0, point: 9, points: 4 }));
    }
}
