//! The case tables: what crosses a cell, for each of the ways in which its corners lie inside or outside.
//!
//! The tables are derived from the faces of the cells by one rule:
//!
//! 1. On each face, every maximal run of inside corners is cut off by one segment. The rule reads nothing but the face, so two cells
//!    that share a face agree on it, of whatever kinds they are, and the surface closes.
//! 2. Segments of neighbouring faces meet at crossed edges and form closed loops, and each loop bounds one sheet.
//! 3. A loop of `n` edges becomes `n - 2` triangles. No face has a say in this, and the area depends on it: loops are drawn as the
//!    tables of VTK draw them (`drawings`), so that figures can be compared digit by digit. No diagonal lies in a face of the cell, where the
//!    neighbour could draw the same one, and the surface would not be manifold.
//!
//! A flat cell is one face, and has its segments; a line has the point where it is crossed.

/// A kind of cells.
struct Shape {
    /// As VTK numbers it.
    number: u8,
    corners: usize,
    /// The faces, corner by corner, counter-clockwise as seen from outside.
    faces: &'static [&'static [u8]],
    /// How loops of more than three edges are drawn: a digit for each loop of each case, the number of one of its `drawings`.
    drawn: &'static str,
}

/// All of them but for voxels and pixels, which are hexahedra and quads whose corners are numbered otherwise.
const SHAPES: [Shape; 7] = [
    Shape { number: 3, corners: 2, faces: &[], drawn: "" },
    Shape { number: 5, corners: 3, faces: &[&[0, 1, 2]], drawn: "" },
    Shape { number: 9, corners: 4, faces: &[&[0, 1, 2, 3]], drawn: "" },
    Shape { number: 10, corners: 4, faces: &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]], drawn: "010001" },
    Shape {
        number: 12,
        corners: 8,
        faces: &[&[0, 4, 7, 3], &[1, 2, 6, 5], &[0, 1, 5, 4], &[3, 7, 6, 2], &[0, 3, 2, 1], &[4, 5, 6, 7]],
        drawn: "111040210141174a073203480060460112013721740000011003701068111011031a2480\
                1107241411124612036a1660103a05011310164c62030600110113370610018120001933\
                4b601840721030111100276370303410624622b1812023072c91275511104301504111",
    },
    Shape {
        number: 13,
        corners: 6,
        faces: &[&[0, 1, 2], &[3, 5, 4], &[0, 3, 4, 1], &[1, 4, 5, 2], &[2, 5, 3, 0]],
        drawn: "1111141111140141103b114110113411111c451111",
    },
    Shape {
        number: 14,
        corners: 5,
        faces: &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
        drawn: "11114021111401d11141",
    },
];

/// Kinds whose corners are those of another, with the last two of each four exchanged: pixels and voxels.
const RENUMBERED: [(u8, u8); 2] = [(8, 9), (11, 12)];

/// Two corners of a cell, which an edge is between.
pub type Edge = [u8; 2];

/// A triangle of a contour, by the edges that its corners lie on. A segment has its second corner twice, a point all three times.
pub type Piece = [Edge; 3];

/// The contours in the cells of all kinds.
#[derive(Debug, Default)]
pub struct Cases {
    /// By kind, as VTK numbers them.
    kinds: Vec<Kind>,
}

#[derive(Debug, Default, Clone)]
struct Kind {
    corners: usize,
    faces: Vec<Vec<u8>>,
    /// By the set of inside corners, corner `c` being bit `c`.
    pieces: Vec<Vec<Piece>>,
}

impl Cases {
    /// Those of all kinds that are known.
    pub fn new() -> Self {
        let mut kinds = vec![Kind::default(); 15];
        for Shape { number, corners, faces, drawn } in SHAPES {
            let mut drawn = drawn.bytes();
            let pieces = (0..1 << corners).map(|inside| match number {
                3 => points(inside),
                5 | 9 => segments(faces, inside).into_iter().map(|[a, b]| [a, b, b]).collect(),
                _ => triangles(faces, inside, &mut drawn),
            });
            let pieces = pieces.collect();
            kinds[usize::from(number)] =
                Kind { corners, faces: faces.iter().map(|face| face.to_vec()).collect(), pieces };
        }
        for (number, original) in RENUMBERED {
            kinds[usize::from(number)] = renumbered(&kinds[usize::from(original)]);
        }
        Cases { kinds }
    }

    /// How many corners a kind has; 0 where each cell has its own number, or the kind is not known.
    pub fn corners(&self, kind: u8) -> usize {
        self.kinds.get(usize::from(kind)).map_or(0, |kind| kind.corners)
    }

    /// The faces of a kind, corner by corner, counter-clockwise as seen from outside.
    pub fn faces(&self, kind: u8) -> &[Vec<u8>] {
        self.kinds.get(usize::from(kind)).map_or(&[], |kind| &kind.faces)
    }

    /// The contour in a cell of a known kind with these corners inside.
    pub fn pieces(&self, kind: u8, inside: usize) -> &[Piece] {
        &self.kinds[usize::from(kind)].pieces[inside]
    }
}

/// The same kind of cells with the last two of each four corners exchanged.
fn renumbered(kind: &Kind) -> Kind {
    let other = |corner: u8| corner ^ (corner >> 1 & 1);
    let original = |inside: usize| (0..8).filter(|&c| inside >> c & 1 == 1).map(|c| 1 << other(c)).sum::<usize>();
    let faces = kind.faces.iter().map(|face| face.iter().map(|&corner| other(corner)).collect()).collect();
    let pieces = (0..kind.pieces.len()).map(|inside| {
        let pieces = kind.pieces[original(inside)].iter();
        pieces.map(|piece| piece.map(|[a, b]| edge(other(a), other(b)))).collect()
    });
    Kind { corners: kind.corners, faces, pieces: pieces.collect() }
}

/// An edge, whichever way one walks along it.
fn edge(a: u8, b: u8) -> Edge {
    [a.min(b), a.max(b)]
}

/// The crossing of a line.
fn points(inside: usize) -> Vec<Piece> {
    if inside == 1 || inside == 2 { vec![[[0, 1]; 3]] } else { Vec::new() }
}

/// The segments on all faces: each begins and ends on an edge.
fn segments(faces: &[&[u8]], inside: usize) -> Vec<[Edge; 2]> {
    let is_inside = |corner: u8| inside >> corner & 1 == 1;
    let mut all = Vec::new();
    for face in faces {
        let at = |side: usize| face[side % face.len()];
        for side in 0..face.len() {
            if is_inside(at(side)) || !is_inside(at(side + 1)) {
                continue;
            }
            // Walking around the face, the run of inside corners begins on this edge and ends on a later one.
            let last = (side + 1..).find(|&last| !is_inside(at(last + 1))).unwrap_or(side);
            all.push([edge(at(side), at(side + 1)), edge(at(last), at(last + 1))]);
        }
    }
    all
}

/// The triangles of a case; `drawn` tells how the loops of this case and of later ones are drawn.
fn triangles(faces: &[&[u8]], inside: usize, drawn: &mut impl Iterator<Item = u8>) -> Vec<Piece> {
    // For each crossed edge, the one that follows it around its loop.
    let mut next = segments(faces, inside);
    next.sort_unstable();
    let mut all = Vec::new();
    while let Some([first, mut at]) = (!next.is_empty()).then(|| next.remove(0)) {
        let mut around = vec![first];
        while at != first {
            around.push(at);
            let Some(found) = next.iter().position(|[edge, _]| *edge == at) else { break };
            at = next.remove(found)[1];
        }
        let mut drawings = drawings(around.len());
        let number = if around.len() > 3 { drawn.next().and_then(|digit| (digit as char).to_digit(16)) } else { None };
        let drawing = drawings.swap_remove(number.unwrap_or(0) as usize);
        all.extend(drawing.into_iter().map(|corners| corners.map(|corner| around[corner])));
    }
    all
}

/// The ways to draw a loop as triangles: fans from each corner, and for six corners also a triangle amid three others (two ways), and
/// zigzags (three ways, and their mirror images).
fn drawings(count: usize) -> Vec<Vec<[usize; 3]>> {
    let mut all: Vec<Vec<[usize; 3]>> = (0..count)
        .map(|apex| (1..count - 1).map(|step| [0, step, step + 1].map(|k| (apex + k) % count)).collect())
        .collect();
    if count == 6 {
        let turned =
            |drawing: [[usize; 3]; 4], by: usize| drawing.map(|corners| corners.map(|k| (k + by) % 6)).to_vec();
        all.extend((0..2).map(|by| turned([[0, 2, 4], [0, 1, 2], [2, 3, 4], [4, 5, 0]], by)));
        all.extend((0..3).map(|by| turned([[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]], by)));
        all.extend((0..3).map(|by| turned([[4, 5, 0], [3, 4, 0], [1, 3, 0], [1, 2, 3]], by)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn each_case_closes_on_the_faces_of_its_cell() {
        let cases = Cases::new();
        for kind in 10..=14 {
            let corners = cases.corners(kind);
            for inside in 0..1 << corners {
                // How often each side of a triangle is walked along, either way.
                let mut sides: HashMap<[Edge; 2], [u32; 2]> = HashMap::new();
                for [a, b, c] in cases.pieces(kind, inside) {
                    for (from, to) in [(a, b), (b, c), (c, a)] {
                        sides.entry([*from.min(to), *from.max(to)]).or_default()[usize::from(from < to)] += 1;
                    }
                }
                for ([a, b], [back, forth]) in sides {
                    let faces = cases.faces(kind);
                    let on_a_face = faces.iter().any(|face| a.iter().chain(&b).all(|corner| face.contains(corner)));
                    assert!(back <= 1 && forth <= 1, "triangles turn the same way: kind {kind}, case {inside:b}");
                    assert_eq!(back + forth, if on_a_face { 1 } else { 2 }, "kind {kind}, case {inside:b}");
                }
            }
        }
        assert_eq!(cases.pieces(12, 1).len(), 1);
        assert_eq!(cases.pieces(10, 0b0011).len(), 2);
    }

    #[test]
    fn every_loop_is_drawn_and_every_drawing_used() {
        for Shape { number, corners, faces, drawn } in SHAPES {
            let mut left = drawn.bytes();
            if corners >= 4 && faces.len() > 1 {
                (0..1 << corners).for_each(|inside| drop(triangles(faces, inside, &mut left)));
                assert_eq!(left.next(), None, "kind {number}");
            }
        }
    }

    #[test]
    fn flat_cells_have_segments_and_lines_have_points() {
        let cases = Cases::new();
        assert_eq!(cases.pieces(5, 0b001), [[[0, 2], [0, 1], [0, 1]]]);
        assert_eq!(cases.pieces(9, 0b0101).len(), 2);
        // The third corner of a pixel is the last one around it.
        assert_eq!(cases.pieces(8, 0b0100), [[[2, 3], [0, 2], [0, 2]]]);
        assert_eq!((cases.pieces(3, 1), cases.pieces(3, 3)), (&[[[0, 1]; 3]][..], &[][..]));
    }
}
