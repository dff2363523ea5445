//! Meshes of cells of any kind, which every rank has as a whole.

/// Points with a value each, and cells between them, as VTK numbers them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cells {
    /// What the values are.
    pub name: String,
    /// Where the points are.
    pub points: Vec<[f32; 3]>,
    /// Their values; NaN where there is none.
    pub values: Vec<f32>,
    /// The corners of all cells, one cell after the other.
    pub corners: Vec<u32>,
    /// Where the corners of each cell begin, and where those of the last one end.
    pub first: Vec<u32>,
    /// What each cell is, as a number of VTK: 10 is a tetrahedron, 12 a hexahedron.
    pub kinds: Vec<u8>,
}

impl Cells {
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
}
