//! The case table: which triangles cross a cell, for each of the 256 ways in which its corners lie inside or outside.
//!
//! The table is derived here, by one rule, rather than typed in. The lowest three bits of a corner's number are its
//! places along x, y and z.
//!
//! 1. On each face, every maximal run of inside corners is cut off by one segment, with the inside on its right when
//!    the face is looked at from outside the cell. So on a face with four crossed edges the two inside corners are cut
//!    off separately. The rule reads nothing but the face, so two cells that share a face agree on it, and the surface
//!    closes.
//! 2. Segments of neighbouring faces meet at crossed edges and form closed loops, and each loop bounds one sheet.
//! 3. A loop of `n` edges becomes a fan of `n - 2` triangles, from the first edge whose fan has no diagonal inside a
//!    face. Otherwise the neighbouring cell could draw the same diagonal, and the surface would not be manifold there.
//!
//! Seen from outside, where the values are not above the isovalue, triangles run counter-clockwise.

use bytemuck::{Pod, Zeroable};

/// The triangles of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Case {
    /// How many triangles there are, at most [`MOST_TRIANGLES`].
    pub triangles: u8,
    /// The edges on which their corners lie, three a triangle.
    ///
    /// Edges 0 to 3 run along x, from corners 0, 2, 4, 6. Edges 4 to 7 run along y, from corners 0, 1, 4, 5. Edges 8 to
    /// 11 run along z, from corners 0, 1, 2, 3.
    pub edges: [u8; 3 * MOST_TRIANGLES],
}

/// No case has more triangles than this.
pub const MOST_TRIANGLES: usize = 5;

/// The case of each set of inside corners, corner `c` being bit `c` of the index.
pub static CASES: [Case; 256] = all_cases();

/// The corners of each face, counter-clockwise as seen from outside the cell.
const FACES: [[usize; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

const NO_EDGE: usize = 12;

const fn all_cases() -> [Case; 256] {
    let mut cases = [Case { triangles: 0, edges: [0; 3 * MOST_TRIANGLES] }; 256];
    let mut inside = 0;
    while inside < 256 {
        cases[inside] = case(inside);
        inside += 1;
    }
    cases
}

/// The edge between two neighbouring corners.
const fn edge(a: usize, b: usize) -> usize {
    let low = if a < b { a } else { b };
    match a ^ b {
        1 => low >> 1,
        2 => 4 + (low & 1) + 2 * (low >> 2),
        _ => 8 + low,
    }
}

/// The two faces of each edge, as bits.
const fn faces_of_edges() -> [u8; 12] {
    let mut faces = [0; 12];
    let mut face = 0;
    while face < 6 {
        let mut side = 0;
        while side < 4 {
            faces[edge(FACES[face][side], FACES[face][(side + 1) % 4])] |= 1 << face;
            side += 1;
        }
        face += 1;
    }
    faces
}

/// For each crossed edge, the one that follows it around its loop; [`NO_EDGE`] for the others.
const fn segments(inside: usize) -> [usize; 12] {
    let mut next = [NO_EDGE; 12];
    let mut face = 0;
    while face < 6 {
        let corners = FACES[face];
        let mut side = 0;
        while side < 4 {
            let (here, there) = (corners[side], corners[(side + 1) % 4]);
            if inside >> here & 1 == 0 && inside >> there & 1 == 1 {
                // Walking around the face, the run of inside corners begins on this edge and ends on a later one.
                let mut last = side + 1;
                while inside >> corners[(last + 1) % 4] & 1 == 1 {
                    last += 1;
                }
                next[edge(here, there)] = edge(corners[last % 4], corners[(last + 1) % 4]);
            }
            side += 1;
        }
        face += 1;
    }
    next
}

const fn case(inside: usize) -> Case {
    let mut next = segments(inside);
    let mut case = Case { triangles: 0, edges: [0; 3 * MOST_TRIANGLES] };
    let mut first = 0;
    while first < 12 {
        let mut around = [0; 12];
        let mut length = 0;
        let mut at = first;
        while next[at] != NO_EDGE {
            around[length] = at;
            length += 1;
            let following = next[at];
            next[at] = NO_EDGE;
            at = following;
        }
        if length > 0 {
            case = fan(case, around, length);
        }
        first += 1;
    }
    case
}

/// Adds one loop to a case.
const fn fan(mut case: Case, around: [usize; 12], length: usize) -> Case {
    let faces = faces_of_edges();
    let mut apex = 0;
    loop {
        assert!(apex < length, "every loop has a fan without a diagonal inside a face");
        let mut step = 2;
        while step + 1 < length && faces[around[apex]] & faces[around[(apex + step) % length]] == 0 {
            step += 1;
        }
        if step + 1 >= length {
            break;
        }
        apex += 1;
    }
    let mut step = 1;
    while step + 1 < length {
        let at = 3 * case.triangles as usize;
        case.edges[at] = around[apex] as u8;
        case.edges[at + 1] = around[(apex + step) % length] as u8;
        case.edges[at + 2] = around[(apex + step + 1) % length] as u8;
        case.triangles += 1;
        step += 1;
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    fn triangles(case: &Case) -> impl Iterator<Item = [u8; 3]> + '_ {
        (0..case.triangles as usize).map(|t| [case.edges[3 * t], case.edges[3 * t + 1], case.edges[3 * t + 2]])
    }

    fn crossed(inside: usize) -> HashSet<u8> {
        let corners = (0..8).flat_map(|a| [1, 2, 4].map(|axis| (a, a ^ axis)));
        corners.filter(|(a, b)| (inside >> a ^ inside >> b) & 1 == 1).map(|(a, b)| edge(a, b) as u8).collect()
    }

    /// The directed segments that triangles draw on the faces of the cell: those whose reverse is not drawn too.
    fn rim(case: &Case) -> HashSet<(u8, u8)> {
        let sides: Vec<_> = triangles(case).flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
        let mut times = HashMap::new();
        for side in &sides {
            *times.entry(*side).or_insert(0) += 1;
        }
        assert!(times.values().all(|&n| n == 1), "no side is drawn twice in one direction");
        sides.into_iter().filter(|(a, b)| !times.contains_key(&(*b, *a))).collect()
    }

    #[test]
    fn every_crossed_edge_is_a_corner_and_no_other() {
        for (inside, case) in CASES.iter().enumerate() {
            let corners: HashSet<u8> = triangles(case).flatten().collect();
            assert_eq!(corners, crossed(inside), "case {inside}");
        }
    }

    #[test]
    fn open_sides_lie_on_faces_and_inner_sides_do_not() {
        let faces = faces_of_edges();
        for (inside, case) in CASES.iter().enumerate() {
            let rim = rim(case);
            for [a, b, c] in triangles(case) {
                for (p, q) in [(a, b), (b, c), (c, a)] {
                    let on_a_face = faces[p as usize] & faces[q as usize] != 0;
                    assert_eq!(rim.contains(&(p, q)), on_a_face, "case {inside}, side {p} to {q}");
                }
            }
        }
    }

    #[test]
    fn cells_that_share_a_face_agree_on_it() {
        let faces = faces_of_edges();
        for axis in 0..3 {
            let (low_face, high_face) = ([0, 2, 4][axis], [1, 3, 5][axis]);
            let shared = |corner: usize| corner >> axis & 1 == 1;
            for (inside, case) in CASES.iter().enumerate() {
                // The neighbour's low face repeats this cell's high face; its other corners do not matter, so try them
                // all.
                for rest in (0..256).filter(|rest| (0..8).all(|corner| shared(corner) || rest >> corner & 1 == 0)) {
                    let mut neighbour = 0;
                    for corner in 0..8 {
                        let bit = if shared(corner) { rest >> corner } else { inside >> (corner | 1 << axis) };
                        neighbour |= (bit & 1) << corner;
                    }
                    let on = |face: usize, (p, q): (u8, u8)| faces[p as usize] & faces[q as usize] & 1 << face != 0;
                    let moved = |e: u8| {
                        let (mut from, mut to) = (0, 0);
                        for a in 0..8 {
                            for b in [a ^ 1, a ^ 2, a ^ 4] {
                                if a < b && edge(a, b) == e as usize {
                                    (from, to) = (a | 1 << axis, b | 1 << axis);
                                }
                            }
                        }
                        edge(from, to) as u8
                    };
                    let ours: HashSet<_> = rim(case).into_iter().filter(|&s| on(high_face, s)).collect();
                    let theirs: HashSet<_> = rim(&CASES[neighbour])
                        .into_iter()
                        .filter(|&s| on(low_face, s))
                        .map(|(p, q)| (moved(q), moved(p)))
                        .collect();
                    assert_eq!(ours, theirs, "axis {axis}, cases {inside} and {neighbour}");
                }
            }
        }
    }

    #[test]
    fn one_corner_faces_away_from_itself() {
        // Corner 0 alone is inside, so the triangle over x, y and z edges must turn its front to (1, 1, 1).
        let [a, b, c] = triangles(&CASES[1]).next().expect("one triangle");
        let at = |e: u8| [0.5 * f32::from(e == 0), 0.5 * f32::from(e == 4), 0.5 * f32::from(e == 8)];
        let (a, b, c) = (at(a), at(b), at(c));
        let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        assert!(u[1] * v[2] - u[2] * v[1] > 0.0);
        assert!(u[2] * v[0] - u[0] * v[2] > 0.0);
    }
}
