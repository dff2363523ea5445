//! The mesh and the cells as files hold them, the same for any number of blocks and ranks.

use crate::{Measured, Tetrahedron};
use forall_examples::cells::{Cells, Field, kind};
use forall_examples::write::Polyhedra;
use std::collections::BTreeMap;

fn field(name: &str, values: Vec<f32>) -> Field {
    Field { name: name.into(), components: 1, values }
}

/// The Delaunay mesh with the densities at all particles. The points are the particles in their order, and then the images of a periodic space.
pub fn mesh(mut all: Vec<Tetrahedron>, densities: &[f64], place: impl Fn(u64, u64) -> [f64; 3]) -> Cells {
    all.sort_unstable();
    let single = |at: [f64; 3]| at.map(|at| at as f32);
    let mut mesh = Cells { name: "density".into(), ..Cells::new() };
    mesh.points = (0..densities.len() as u64).map(|id| single(place(id, 0))).collect();
    let mut particles: Vec<u64> = (0..densities.len() as u64).collect();
    let mut images: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    for Tetrahedron { particles: ids, images: of } in all {
        let corners = [0, 1, 2, 3].map(|corner| match (ids[corner], of[corner]) {
            (id, 0) => id as u32,
            (id, image) => *images.entry((id, image)).or_insert_with(|| {
                mesh.points.push(single(place(id, image)));
                particles.push(id);
                mesh.points.len() as u32 - 1
            }),
        });
        mesh.push(kind::TETRAHEDRON, &turned(corners, &mesh.points));
    }
    mesh.values = particles.iter().map(|id| densities[*id as usize] as f32).collect();
    mesh.fields =
        vec![field("density", mesh.values.clone()), field("particle", particles.iter().map(|id| *id as f32).collect())];
    mesh
}

/// The corners in the order of VTK: the first three turn to the left as the fourth one sees them from above.
fn turned([a, b, c, d]: [u32; 4], points: &[[f32; 3]]) -> [u32; 4] {
    let to = |corner: u32| {
        let (from, to) = (points[a as usize], points[corner as usize]);
        [0, 1, 2].map(|axis| f64::from(to[axis]) - f64::from(from[axis]))
    };
    let (u, v, w) = (to(b), to(c), to(d));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let above = (0..3).map(|axis| normal[axis] * w[axis]).sum::<f64>();
    if above < 0.0 { [a, c, b, d] } else { [a, b, c, d] }
}

/// The cells as polyhedra, in the order of their particles. `numbers` and `corners` are those of [`polyhedra`](crate::polyhedra).
pub fn cells(all: &[Measured], numbers: &[u64], corners: &[[f64; 3]]) -> Polyhedra {
    // Where each cell is among the numbers, and among the corners.
    let mut places: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    let (mut at, mut first) = (0, 0);
    while let Some(&[id, count, faces]) = numbers.get(at..at + 3) {
        places.insert(id, (at + 1, first));
        at += 3;
        (0..faces).for_each(|_| at += 1 + numbers[at] as usize);
        first += count as usize;
    }
    let volumes: BTreeMap<u64, f64> = all.iter().map(|measured| (measured.id, measured.volume)).collect();
    let mut cells = Polyhedra::default();
    for (at, first) in places.values().copied() {
        let (count, faces, begin) = (numbers[at] as usize, numbers[at + 1], cells.points.len() as u32);
        cells.points.extend(corners[first..first + count].iter().map(|corner| corner.map(|at| at as f32)));
        cells.ends.push(cells.points.len() as u32);
        let (mut stream, mut next) = (vec![faces as u32], at + 2);
        for _ in 0..faces {
            let face = &numbers[next + 1..][..numbers[next] as usize];
            stream.push(face.len() as u32);
            stream.extend(face.iter().map(|corner| begin + *corner as u32));
            next += 1 + face.len();
        }
        cells.faces.push(stream);
    }
    let of =
        |value: fn(f64) -> f64| places.keys().map(|id| value(volumes.get(id).copied().unwrap_or(0.0)) as f32).collect();
    let particles = places.keys().map(|id| *id as f32).collect();
    cells.fields =
        vec![field("particle", particles), field("volume", of(|volume| volume)), field("density", of(f64::recip))];
    cells
}
