//! Summaries of meshes and volumes, as reductions.

/// Area and enclosed volume of a mesh. The volume of a mesh that is not closed has no meaning.
///
/// The volume is the sum of the signed tetrahedra over a reference point, which is best chosen amid the mesh; it is
/// positive when the front of the triangles is outside.
#[forall::kary_reduce]
pub fn area_and_volume(triangles: &[[u32; 3]], #[gather] points: &[[f32; 3]], amid: [f64; 3]) -> (f64, f64) {
    let mut area = 0.0;
    let mut volume = 0.0;
    for t in 0..triangles.len() {
        let [a, b, c]: [[f64; 3]; 3] = triangles[t].map(|corner| minus(points[corner as usize], amid));
        let normal: [f64; 3] = times(difference(b, a), difference(c, a));
        area += 0.5 * dot(normal, normal).sqrt();
        volume += dot(a, normal) / 6.0;
    }
    (area, volume)
}

/// The least and greatest coordinates.
#[forall::kary_reduce]
pub fn bounds(points: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let (mut x0, mut y0, mut z0) = (f32::INFINITY, f32::INFINITY, f32::INFINITY);
    let (mut x1, mut y1, mut z1) = (f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY);
    for i in 0..points.len() {
        let [x, y, z] = points[i];
        x0 = x0.min(x);
        y0 = y0.min(y);
        z0 = z0.min(z);
        x1 = x1.max(x);
        y1 = y1.max(y);
        z1 = z1.max(z);
    }
    ([x0, y0, z0], [x1, y1, z1])
}

/// The sum of the heights of points, and of their squares.
#[forall::kary_reduce]
pub fn heights(points: &[[f32; 3]]) -> (f64, f64) {
    let mut sum = 0.0;
    let mut squares = 0.0;
    for i in 0..points.len() {
        let height = f64::from(points[i][2]);
        sum += height;
        squares += height * height;
    }
    (sum, squares)
}

/// The least and greatest value, and how many are not missing.
#[forall::kary_reduce]
pub fn range(field: &[f32]) -> (f32, f32, u64) {
    let mut least = f32::INFINITY;
    let mut most = f32::NEG_INFINITY;
    let mut valid = 0;
    for i in 0..field.len() {
        let value = field[i];
        // The minimum of a number and NaN is the number.
        least = least.min(value);
        most = most.max(value);
        valid += u64::from(!value.is_nan());
    }
    (least, most, valid)
}

#[forall::device]
fn minus(a: [f32; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| f64::from(a[axis]) - b[axis])
}

#[forall::device]
fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

#[forall::device]
fn times(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[forall::device]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
