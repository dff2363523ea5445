//! From the corners of Voronoi cells to tetrahedra: the Delaunay mesh.
//!
//! A corner of cells is the middle of a sphere with particles on it, and with none inside. Four particles are a tetrahedron. More than four, as in a
//! lattice, are the corners of a polytope, which is divided from its first particle. Its faces that lack that particle become triangles in the same
//! way, and each triangle makes a tetrahedron with it. Two polytopes with a common face cut it alike, since only the numbers of its particles
//! decide. After De Loera, Rambau and Santos, "Triangulations", 2010, section 4.3.

/// A particle of a sphere: where it is, and its number and image, by which particles are ordered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    /// Where it is.
    pub at: [f64; 3],
    /// Its number, and which image it is.
    pub key: (u64, u64),
}

/// As many particles may be on one sphere.
pub const MOST: usize = 64;

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The volume of a tetrahedron.
pub fn volume(corners: [[f64; 3]; 4]) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|corner| minus(corners[corner], corners[0]));
    dot(a, cross(b, c)).abs() / 6.0
}

/// The value at a point between the values at the corners of a tetrahedron; `None` if the point is outside.
pub fn interpolated(corners: [[f64; 3]; 4], values: [f64; 4], point: [f64; 3]) -> Option<f64> {
    let [a, b, c] = [1, 2, 3].map(|corner| minus(corners[corner], corners[0]));
    let from = minus(point, corners[0]);
    let all = dot(a, cross(b, c));
    let [x, y, z] = [dot(from, cross(b, c)) / all, dot(a, cross(from, c)) / all, dot(a, cross(b, from)) / all];
    let parts = [1.0 - x - y - z, x, y, z];
    // A point on a face belongs to both sides.
    let is_inside = parts.iter().all(|part| *part >= -1e-12);
    is_inside.then(|| parts.iter().zip(values).map(|(part, value)| part * value).sum())
}

/// The tetrahedra of the particles on a sphere, each as four places in the list, by the order of the particles.
///
/// # Panics
/// If there are more than [`MOST`] particles.
pub fn tetrahedra(sites: &[Site]) -> Vec<[usize; 4]> {
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_unstable_by_key(|site| sites[*site].key);
    match order[..] {
        [a, b, c, d] => vec![[a, b, c, d]],
        [first, ..] if sites.len() > 4 => pulled(sites, first),
        _ => Vec::new(),
    }
}

/// The tetrahedra of a polytope, which all have its first corner.
fn pulled(sites: &[Site], first: usize) -> Vec<[usize; 4]> {
    let mut found = Vec::new();
    for (face, normal) in faces(sites) {
        if face.contains(&first) || face.len() == sites.len() {
            continue;
        }
        let around = in_order(sites, &face, normal);
        let low = (0..around.len()).min_by_key(|at| sites[around[*at]].key).unwrap_or(0);
        let at = |number: usize| around[(low + number) % around.len()];
        for number in 1..around.len() - 1 {
            let mut corners = [first, at(0), at(number), at(number + 1)];
            corners.sort_unstable_by_key(|site| sites[*site].key);
            found.push(corners);
        }
    }
    found
}

/// The faces of the convex hull of a few particles, each with its corners and a normal.
fn faces(sites: &[Site]) -> Vec<(Vec<usize>, [f64; 3])> {
    assert!(sites.len() <= MOST, "more than {MOST} particles are on one sphere");
    let size = sites
        .iter()
        .map(|site| dot(minus(site.at, sites[0].at), minus(site.at, sites[0].at)))
        .fold(0.0, f64::max)
        .sqrt();
    let mut known: Vec<u64> = Vec::new();
    let mut found = Vec::new();
    for a in 0..sites.len() {
        for b in a + 1..sites.len() {
            for c in b + 1..sites.len() {
                if known.iter().any(|face| [a, b, c].iter().all(|corner| face >> corner & 1 == 1)) {
                    continue;
                }
                let normal = cross(minus(sites[b].at, sites[a].at), minus(sites[c].at, sites[a].at));
                let length = dot(normal, normal).sqrt();
                if length <= 1e-9 * size * size {
                    continue;
                }
                let above = |site: &Site| dot(normal, minus(site.at, sites[a].at)) / length;
                let near = 1e-7 * size;
                let heights: Vec<f64> = sites.iter().map(above).collect();
                if heights.iter().all(|height| *height <= near) || heights.iter().all(|height| *height >= -near) {
                    let corners: Vec<usize> = (0..sites.len()).filter(|site| heights[*site].abs() <= near).collect();
                    known.push(corners.iter().fold(0, |all, corner| all | 1 << corner));
                    found.push((corners, normal));
                }
            }
        }
    }
    found
}

/// The corners of a face, around it.
fn in_order(sites: &[Site], face: &[usize], normal: [f64; 3]) -> Vec<usize> {
    let middle = [0, 1, 2].map(|axis| face.iter().map(|site| sites[*site].at[axis]).sum::<f64>() / face.len() as f64);
    let right = minus(sites[face[0]].at, middle);
    let length = dot(normal, normal).sqrt();
    let up = cross(normal, right).map(|part| part / length);
    let turn = |site: usize| {
        let from = minus(sites[site].at, middle);
        dot(from, up).atan2(dot(from, right))
    };
    let mut around = face.to_vec();
    around.sort_by(|a, b| turn(*a).total_cmp(&turn(*b)));
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_is_cut_into_tetrahedra() {
        let corner = |k: usize| [0, 1, 2].map(|axis| (k >> axis & 1) as f64);
        for turned in 0..8 {
            let sites: Vec<Site> =
                (0..8).map(|k| Site { at: corner(k), key: (((k + turned) % 8) as u64, 0) }).collect();
            let found = tetrahedra(&sites);
            let volumes: f64 = found.iter().map(|four| volume(four.map(|site| sites[site].at))).sum();
            assert!((volumes - 1.0).abs() < 1e-12, "{volumes}");
            assert!(found.iter().all(|four| volume(four.map(|site| sites[site].at)) > 0.1));
        }
    }
}
