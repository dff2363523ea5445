//! Maps of space: 4 x 4 matrices that have an inverse.

/// Why a matrix maps nothing.
#[derive(Debug, Clone, Copy, thiserror::Error, PartialEq)]
pub enum MatrixError {
    /// An entry is infinite or no number.
    #[error("row {}, column {} of the matrix is {value}: give 16 finite numbers, row by row", .row + 1, .column + 1)]
    NotFinite {
        /// From 0.
        row: usize,
        /// From 0.
        column: usize,
        /// The available arrays.
        value: f64,
    },
    /// It has no inverse.
    #[error(
        "the matrix is singular (its determinant is {determinant}): it flattens space, where surfaces have no normals; scale by \
         numbers other than 0, and rotate about an axis that has a direction"
    )]
    Singular {
        /// Which is 0, or as small as its rounding errors.
        determinant: f64,
    },
}

/// A map of space by a 4 x 4 matrix that has an inverse: scaled, rotated, moved, sheared, seen in perspective.
///
/// Points are columns, so that the last column moves them. Points are mapped in numbers of 64 bits and rounded once; normals, which have length 1, in those of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Row by row.
    matrix: [[f64; 4]; 4],
    /// The transposed inverse, times the determinant: what planes are mapped by.
    cofactors: [[f64; 4]; 4],
    /// The matrix for points, if the map keeps parallels.
    points: [[f64; 4]; 3],
    /// The matrix for directions across surfaces, if the map keeps parallels: entries of at most 1, since lengths do not matter.
    normals: [[f32; 3]; 3],
    determinant: f64,
}

impl Transform {
    /// The map that leaves everything where it is.
    pub const IDENTITY: Transform = Transform {
        matrix: UNIT,
        cofactors: UNIT,
        points: [UNIT[0], UNIT[1], UNIT[2]],
        normals: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        determinant: 1.0,
    };

    /// The map by a matrix, row by row.
    ///
    /// # Errors
    /// When an entry is not finite, and when the matrix has no inverse.
    pub fn new(matrix: [[f64; 4]; 4]) -> Result<Self, MatrixError> {
        for (row, values) in matrix.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                if !value.is_finite() {
                    return Err(MatrixError::NotFinite { row, column, value });
                }
            }
        }
        // Divided by their largest entries, rows and columns are of one size, whatever the units are.
        let rows = matrix.map(|row| largest(row.into_iter()));
        let even: [[f64; 4]; 4] =
            std::array::from_fn(|row| matrix[row].map(|value| value / rows[row].max(f64::MIN_POSITIVE)));
        let columns: [f64; 4] = std::array::from_fn(|column| largest(even.iter().map(|row| row[column])));
        let even = even.map(|row| std::array::from_fn(|k| row[k] / columns[k].max(f64::MIN_POSITIVE)));
        if determinant(&even).abs() < 64.0 * f64::EPSILON {
            return Err(MatrixError::Singular { determinant: determinant(&matrix) });
        }
        let determinant = determinant(&matrix);
        let cofactors: [[f64; 4]; 4] =
            std::array::from_fn(|row| std::array::from_fn(|column| cofactor(&matrix, row, column)));
        // The sign of the determinant stands for the division by it.
        let scale = determinant.signum() / largest(cofactors[..3].iter().flat_map(|row| row[..3].iter().copied()));
        let normals = [0, 1, 2].map(|row| [0, 1, 2].map(|column| (cofactors[row][column] * scale) as f32));
        let points = [0, 1, 2].map(|row| matrix[row].map(|entry| entry / matrix[3][3]));
        Ok(Transform { matrix, cofactors, points, normals, determinant })
    }

    /// Scales along the axes.
    ///
    /// # Errors
    /// As [`Transform::new`].
    pub fn scale([x, y, z]: [f64; 3]) -> Result<Self, MatrixError> {
        Transform::new([[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0], [0.0, 0.0, 0.0, 1.0]])
    }

    /// Moves.
    ///
    /// # Errors
    /// As [`Transform::new`].
    pub fn translate([x, y, z]: [f64; 3]) -> Result<Self, MatrixError> {
        Transform::new([[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]])
    }

    /// Rotates about an axis through the origin by so many degrees; against the clock where the axis points at whoever looks.
    ///
    /// # Errors
    /// As [`Transform::new`]: an axis of length 0 has no direction.
    pub fn rotate(axis: [f64; 3], degrees: f64) -> Result<Self, MatrixError> {
        let size = largest(axis.into_iter());
        let [x, y, z] = axis.map(|part| part / size);
        let length = (x * x + y * y + z * z).sqrt();
        if size == 0.0 {
            return Err(MatrixError::Singular { determinant: 0.0 });
        }
        let [x, y, z] = [x, y, z].map(|part| part / length);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let rest = 1.0 - cos;
        Transform::new([
            [x * x * rest + cos, x * y * rest - z * sin, x * z * rest + y * sin, 0.0],
            [y * x * rest + z * sin, y * y * rest + cos, y * z * rest - x * sin, 0.0],
            [z * x * rest - y * sin, z * y * rest + x * sin, z * z * rest + cos, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ])
    }

    /// This map, and then another one.
    ///
    /// # Errors
    /// When the product is too large, or so small that it has no inverse.
    pub fn then(self, next: Transform) -> Result<Self, MatrixError> {
        let entry = |row: usize, column: usize| (0..4).map(|k| next.matrix[row][k] * self.matrix[k][column]).sum();
        Transform::new(std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column))))
    }

    /// The matrix, row by row.
    pub fn matrix(&self) -> [[f64; 4]; 4] {
        self.matrix
    }

    /// By how much volumes grow, where the map is affine; negative where it mirrors.
    pub fn determinant(&self) -> f64 {
        self.determinant
    }

    /// Whether parallel lines stay parallel.
    pub fn is_affine(&self) -> bool {
        self.matrix[3] == [0.0, 0.0, 0.0, self.matrix[3][3]]
    }

    /// Where a point goes.
    #[inline]
    pub fn point(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let (x, y, z) = (f64::from(x), f64::from(y), f64::from(z));
        let along = |[a, b, c, d]: [f64; 4]| (a * x + b * y + c * z + d) as f32;
        // Written out: a `map` of the rows is a call for each point.
        [along(self.points[0]), along(self.points[1]), along(self.points[2])]
    }

    /// Where a point goes, in perspective too.
    #[inline]
    pub fn point_in_perspective(&self, point: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = point.map(f64::from);
        let row = |row: usize| {
            let [a, b, c, d] = self.matrix[row];
            a * x + b * y + c * z + d
        };
        let w = row(3);
        [0, 1, 2].map(|axis| (row(axis) / w) as f32)
    }

    /// The unit normal of a surface after the map; zero and NaN stay.
    #[inline]
    pub fn normal(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let along = |[a, b, c]: [f32; 3]| a * x + b * y + c * z;
        let (x, y, z) = (along(self.normals[0]), along(self.normals[1]), along(self.normals[2]));
        let square = x * x + y * y + z * z;
        let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        [x * scale, y * scale, z * scale]
    }

    /// The unit normal of a surface at a point after the map, in perspective too: its plane is mapped.
    #[inline]
    pub fn normal_in_perspective(&self, normal: [f32; 3], point: [f32; 3]) -> [f32; 3] {
        let c = &self.cofactors;
        let ([x, y, z], [u, v, w]) = (normal.map(f64::from), point.map(f64::from));
        let distance = -(x * u + y * v + z * w);
        self.unit([0, 1, 2].map(|row| c[row][0] * x + c[row][1] * y + c[row][2] * z + c[row][3] * distance))
    }

    /// Of length 1. The sign of the determinant stands for the division by it.
    #[inline]
    fn unit(&self, [x, y, z]: [f64; 3]) -> [f32; 3] {
        let square = x * x + y * y + z * z;
        let scale = if square > 0.0 { self.determinant.signum() / square.sqrt() } else { 0.0 };
        [x, y, z].map(|part| (part * scale) as f32)
    }
}

const UNIT: [[f64; 4]; 4] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| value.abs().max(most))
}

/// The determinant without a row and a column, with the sign of their place.
fn cofactor(matrix: &[[f64; 4]; 4], row: usize, column: usize) -> f64 {
    let rest = |without: usize| -> [usize; 3] { std::array::from_fn(|k| k + usize::from(k >= without)) };
    let [[a, b, c], [d, e, f], [g, h, i]] = rest(row).map(|row| rest(column).map(|column| matrix[row][column]));
    let minor = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    if (row + column).is_multiple_of(2) { minor } else { -minor }
}

fn determinant(matrix: &[[f64; 4]; 4]) -> f64 {
    (0..4).map(|column| matrix[0][column] * cofactor(matrix, 0, column)).sum()
}
