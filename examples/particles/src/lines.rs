//! Lines, from the points that blocks have found.

use crate::axis::Axis;
use crate::particle::Point;
use forall::{DistVec, distributed_sort};
use forall_examples::cells::{Cells, Field, kind};

/// Sorts points by their particles, and those of a particle by their steps.
#[distributed_sort]
pub fn sort(points: &mut [Point]) {
    points.sort_unstable_by_key(|point| u64::from(point.particle) << 32 | u64::from(point.step));
}

/// The lengths of the periodic axes; infinite for the others.
pub fn periods(axes: &[Axis; 3]) -> [f32; 3] {
    axes.each_ref().map(|axis| {
        let [low, high] = axis.bounds();
        if axis.is_periodic() { (high - low) as f32 } else { f32::INFINITY }
    })
}

/// Whether a line goes from one point to the other: both are of one particle, and no periodic axis ends in between.
#[inline]
pub fn are_joined(one: &Point, other: &Point, periods: [f32; 3]) -> bool {
    let is_near = |axis: usize| (one.at[axis] - other.at[axis]).abs() < 0.5 * periods[axis];
    one.particle == other.particle && is_near(0) && is_near(1) && is_near(2)
}

/// The lines as a mesh, with the speed and the time of each point. A line is cut where a periodic axis ends. `points` are sorted.
pub fn mesh(points: &[Point], periods: [f32; 3]) -> Cells {
    let field = |name: &str, values: Vec<f32>| Field { name: name.to_owned(), components: 1, values };
    let speeds: Vec<f32> = points.iter().map(|point| point.speed).collect();
    let mut mesh = Cells {
        name: "speed".to_owned(),
        points: points.iter().map(|point| point.at).collect(),
        fields: vec![field("speed", speeds), field("time", points.iter().map(|point| point.time).collect())],
        ..Cells::new()
    };
    let (mut first, mut corners) = (0, Vec::new());
    for line in points.chunk_by(|one, other| are_joined(one, other, periods)) {
        corners.clear();
        corners.extend(first..first + line.len() as u32);
        first += line.len() as u32;
        match corners.len() {
            1 => mesh.push(kind::VERTEX, &corners),
            2 => mesh.push(kind::LINE, &corners),
            _ => mesh.push(kind::POLYLINE, &corners),
        }
    }
    mesh
}

/// The points of this rank as a part of the points of all ranks, sorted. Collective.
pub fn sorted(points: Vec<Point>) -> DistVec<Point> {
    let mut points = DistVec::from_local(points);
    sort(&mut points);
    points
}
