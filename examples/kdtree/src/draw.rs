//! The pictures of a tree: its boxes for ParaView, and a picture of its splits.

use crate::Point;
use forall_examples::mesh::Part;

/// How many levels are shown.
const LEVELS: usize = 7;

/// A box: its least and its greatest corner.
pub type Corners = [[f64; 3]; 2];

/// The box of all points.
pub fn bounds(tree: &[Point]) -> Corners {
    let [mut least, mut most] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for point in tree {
        least = [0, 1, 2].map(|axis| least[axis].min(point.at[axis]));
        most = [0, 1, 2].map(|axis| most[axis].max(point.at[axis]));
    }
    [least, most]
}

/// Visits the nodes of the first levels: the level, the box, and the point in the middle.
fn nodes(tree: &[Point], level: usize, dims: usize, corners: Corners, visit: &mut dyn FnMut(usize, Corners, &Point)) {
    if tree.is_empty() || level == LEVELS {
        return;
    }
    let (middle, axis) = (tree.len() / 2, level % dims);
    visit(level, corners, &tree[middle]);
    let (mut before, mut behind) = (corners, corners);
    before[1][axis] = tree[middle].at[axis];
    behind[0][axis] = tree[middle].at[axis];
    nodes(&tree[..middle], level + 1, dims, before, visit);
    nodes(&tree[middle + 1..], level + 1, dims, behind, visit);
}

/// The boxes of the first levels as meshes, each with its level as its value.
pub fn boxes(tree: &[Point], dims: usize) -> Vec<Part> {
    /// The sides of a cube, by corners whose bits are axes.
    const SIDES: [[usize; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut parts = Vec::new();
    nodes(tree, 0, dims, bounds(tree), &mut |level, corners, _| {
        let mut part = Part { points: Vec::new(), normals: Vec::new(), triangles: Vec::new(), value: level as f32 };
        for (number, side) in SIDES.iter().enumerate() {
            let first = part.points.len() as u32;
            for corner in side {
                part.points.push([0, 1, 2].map(|axis| corners[corner >> axis & 1][axis] as f32));
                let (axis, sign) = (2 - number / 2, if number % 2 == 0 { -1.0 } else { 1.0 });
                part.normals.push([0, 1, 2].map(|k| if k == axis { sign } else { 0.0 }));
            }
            part.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
        parts.push(part);
    });
    parts
}

/// Pixels on a side of a picture.
const SIDE: usize = 1000;

/// A picture of the points along x and y, brighter ones larger, and of the splits of the first levels across them.
pub fn picture(tree: &[Point], dims: usize, magnitude: &[f64]) -> ([usize; 2], Vec<[u8; 3]>) {
    let mut image = vec![[10, 12, 20]; SIDE * SIDE];
    let corners = bounds(tree);
    let longest = (0..2).map(|axis| corners[1][axis] - corners[0][axis]).fold(f64::MIN_POSITIVE, f64::max);
    let pixel = |at: [f64; 3], axis: usize| {
        let place = 20.0 + (at[axis] - corners[0][axis]) / longest * (SIDE - 41) as f64;
        (place as usize).min(SIDE - 1)
    };
    let mut dot = |x: usize, y: usize, light: [f64; 3]| {
        let old = &mut image[(SIDE - 1 - y.min(SIDE - 1)) * SIDE + x.min(SIDE - 1)];
        *old = [0, 1, 2].map(|k| (f64::from(old[k]) + light[k]).min(255.0) as u8);
    };
    nodes(tree, 0, dims, corners, &mut |level, corners, point| {
        let axis = level % dims;
        if axis > 1 || dims == 3 && level > 4 {
            return;
        }
        let light = 110.0 / (1.0 + level as f64);
        let (from, to) = (pixel(corners[0], 1 - axis), pixel(corners[1], 1 - axis));
        for along in from..=to {
            let across = pixel(point.at, axis);
            let (x, y) = if axis == 0 { (across, along) } else { (along, across) };
            dot(x, y, [light * 0.4, light * 0.8, light]);
        }
    });
    for point in tree {
        // Five magnitudes are a factor of a hundred in light.
        let light = magnitude.get(point.id as usize).map_or(0.35, |m| 10.0f64.powf(0.2 * (7.0 - m)).clamp(0.05, 12.0));
        let (x, y, size) =
            (pixel(point.at, 0), pixel(point.at, 1), usize::from(light > 1.5) + usize::from(light > 5.0));
        for (dx, dy) in (0..=2 * size).flat_map(|dx| (0..=2 * size).map(move |dy| (dx, dy))) {
            let light = 160.0 * light.min(1.6);
            dot((x + dx).saturating_sub(size), (y + dy).saturating_sub(size), [light, light * 0.93, light * 0.8]);
        }
    }
    ([SIDE, SIDE], image)
}
