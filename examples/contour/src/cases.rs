//! The case tables: which triangles cross a cell, for each of the ways in which its corners lie inside or outside.
//!
//! The tables are derived from the faces of the cells by one rule:
//!
//! 1. On each face, every maximal run of inside corners is cut off by one segment. The rule reads nothing but the face, so two cells
//!    that share a face agree on it, of whatever kinds they are, and the surface closes.
//! 2. Segments of neighbouring faces meet at crossed edges and form closed loops, each of which bounds one sheet.
//! 3. A loop of `n` edges becomes a fan of `n - 2` triangles, from the first edge whose fan has no diagonal inside a face: the
//!    neighbouring cell could draw the same diagonal, and the surface would not be manifold there.

/// The faces of a kind of cells, corner by corner, counter-clockwise as seen from outside.
const KINDS: [(u8, usize, &[&[u8]]); 5] = [
    // Tetrahedron.
    (10, 4, &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]]),
    // Voxel: the bits of a corner's number are its places along x, y and z.
    (11, 8, &[&[0, 4, 6, 2], &[1, 3, 7, 5], &[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 2, 3, 1], &[4, 5, 7, 6]]),
    // Hexahedron.
    (12, 8, &[&[0, 4, 7, 3], &[1, 2, 6, 5], &[0, 1, 5, 4], &[3, 7, 6, 2], &[0, 3, 2, 1], &[4, 5, 6, 7]]),
    // Wedge.
    (13, 6, &[&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]]),
    // Pyramid.
    (14, 5, &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]]),
];

/// Two corners of a cell, which an edge is between.
pub type Edge = [u8; 2];

/// The triangles of all kinds of cells.
#[derive(Debug, Default)]
pub struct Cases {
    /// By kind, as VTK numbers them.
    kinds: Vec<Kind>,
}

#[derive(Debug, Default, Clone)]
struct Kind {
    corners: usize,
    /// By the set of inside corners, corner `c` being bit `c`: the three edges of each triangle.
    triangles: Vec<Vec<[Edge; 3]>>,
}

impl Cases {
    /// Those of all kinds that are known.
    pub fn new() -> Self {
        let mut kinds = vec![Kind::default(); 15];
        for (number, corners, faces) in KINDS {
            let triangles = (0..1 << corners).map(|inside| triangles(faces, inside)).collect();
            kinds[usize::from(number)] = Kind { corners, triangles };
        }
        Cases { kinds }
    }

    /// How many corners a kind has; 0 where it is not known.
    pub fn corners(&self, kind: u8) -> usize {
        self.kinds.get(usize::from(kind)).map_or(0, |kind| kind.corners)
    }

    /// The triangles of a cell of a known kind with these corners inside.
    pub fn triangles(&self, kind: u8, inside: usize) -> &[[Edge; 3]] {
        &self.kinds[usize::from(kind)].triangles[inside]
    }
}

/// An edge, whichever way one walks along it.
fn edge(a: u8, b: u8) -> Edge {
    [a.min(b), a.max(b)]
}

/// The triangles of a case.
fn triangles(faces: &[&[u8]], inside: usize) -> Vec<[Edge; 3]> {
    let is_inside = |corner: u8| inside >> corner & 1 == 1;
    // For each crossed edge, the one that follows it around its loop.
    let mut next: Vec<(Edge, Edge)> = Vec::new();
    for face in faces {
        let at = |side: usize| face[side % face.len()];
        for side in 0..face.len() {
            if is_inside(at(side)) || !is_inside(at(side + 1)) {
                continue;
            }
            // Walking around the face, the run of inside corners begins on this edge and ends on a later one.
            let last = (side + 1..).find(|&last| !is_inside(at(last + 1))).unwrap_or(side);
            next.push((edge(at(side), at(side + 1)), edge(at(last), at(last + 1))));
        }
    }
    next.sort_unstable();
    let mut all = Vec::new();
    while let Some((first, mut at)) = (!next.is_empty()).then(|| next.remove(0)) {
        let mut around = vec![first];
        while at != first {
            around.push(at);
            let Some(found) = next.iter().position(|(edge, _)| *edge == at) else { break };
            at = next.remove(found).1;
        }
        fan(faces, &around, &mut all);
    }
    all
}

/// Adds one loop.
fn fan(faces: &[&[u8]], around: &[Edge], to: &mut Vec<[Edge; 3]>) {
    let count = around.len();
    let on_one_face =
        |a: Edge, b: Edge| faces.iter().any(|face| a.iter().chain(&b).all(|corner| face.contains(corner)));
    let is_inner = |apex: &usize| (2..count - 1).all(|step| !on_one_face(around[*apex], around[(apex + step) % count]));
    let apex = (0..count).find(is_inner).unwrap_or(0);
    let at = |step: usize| around[(apex + step) % count];
    to.extend((1..count - 1).map(|step| [at(0), at(step), at(step + 1)]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn each_case_closes_on_the_faces_of_its_cell() {
        let cases = Cases::new();
        for (kind, corners, faces) in KINDS {
            for inside in 0..1 << corners {
                let mut sides: HashMap<[Edge; 2], i32> = HashMap::new();
                for [a, b, c] in cases.triangles(kind, inside) {
                    for (from, to) in [(a, b), (b, c), (c, a)] {
                        *sides.entry([*from, *to].min([*to, *from])).or_default() += 1;
                    }
                }
                for ([a, b], count) in sides {
                    let on_a_face = faces.iter().any(|face| a.iter().chain(&b).all(|corner| face.contains(corner)));
                    assert_eq!(count, if on_a_face { 1 } else { 2 }, "kind {kind}, case {inside:b}");
                }
            }
        }
        assert_eq!(cases.triangles(12, 1).len(), 1);
        assert_eq!(cases.triangles(10, 0b0011).len(), 2);
    }
}
