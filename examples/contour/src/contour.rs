//! The mesh of a contour, and its measures.

use crate::{Crossing, Found};
use bytemuck::{Pod, Zeroable};
use forall::{DistVec, distributed_sort, foreach, foreach_tls, kary_reduce};
use forall_examples::cells::{Cells, Field, kind};

/// A contour: points in the order of the edges that they lie on, and what is between them in the order of the cells.
#[derive(Debug)]
pub struct Contour {
    /// The value on it.
    pub value: f32,
    /// The name of the value.
    pub name: String,
    /// Where the points are.
    pub points: DistVec<[f32; 3]>,
    /// The unit normals of the points, towards lower values, where they were asked for; zero where there is none.
    pub normals: Option<DistVec<Vector>>,
    /// The data of the points.
    pub fields: Vec<(String, usize, DistVec<f32>)>,
    /// Triangles, as numbers of points; segments have their second point twice, points of lines are three times the same.
    pub pieces: DistVec<[u32; 3]>,
    /// The cell of the mesh that each of them crosses.
    pub cells: DistVec<u32>,
    /// The data of each of them.
    pub cell_fields: Vec<(String, usize, DistVec<f32>)>,
}

/// A vector in space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Vector(pub [f32; 3]);

impl std::ops::AddAssign for Vector {
    fn add_assign(&mut self, other: Self) {
        self.0 = [0, 1, 2].map(|axis| self.0[axis] + other.0[axis]);
    }
}

#[foreach]
fn crossings(found: &[Found], out: &mut [Crossing]) {
    for i in 0..found.len() {
        for corner in 0..3 {
            out[3 * i + corner] = found[i].piece[corner];
        }
    }
}

#[foreach]
fn cells(found: &[Found], out: &mut [u32]) {
    for i in 0..found.len() {
        out[i] = found[i].cell;
    }
}

/// The data of the cells, for each piece.
#[foreach]
fn carried(cells: &[u32], field: &Field, out: &mut [f32]) {
    let count = field.components;
    for i in 0..cells.len() {
        for k in 0..count {
            out[i * count + k] = field.values[cells[i] as usize * count + k];
        }
    }
}

#[distributed_sort]
fn sort(crossings: &mut [Crossing]) {
    crossings.sort_unstable();
}

#[foreach_tls]
fn once_each(sorted: &[Crossing], out: &mut Vec<Crossing>) {
    for i in 0..sorted.len() {
        if i == 0 || sorted[i] != sorted[i - 1] {
            out.push(sorted[i]);
        }
    }
}

/// The two points of a mesh that a crossing is between, and how far it is from the first to the second.
fn place(mesh: &Cells, crossing: Crossing, iso: f32) -> (usize, usize, f64) {
    let [a, b] = [crossing >> 32, crossing & 0xffff_ffff].map(|point| point as usize);
    let [low, high] = [a, b].map(|point| f64::from(mesh.values[point]));
    (a, b, (f64::from(iso) - low) / (high - low))
}

/// The value at a part of the way from one number to another.
fn between(from: f32, to: f32, part: f64) -> f32 {
    (f64::from(from) + part * (f64::from(to) - f64::from(from))) as f32
}

#[foreach]
fn places(crossings: &[Crossing], mesh: &Cells, iso: f32, out: &mut [[f32; 3]]) {
    for i in 0..crossings.len() {
        let (a, b, part) = place(mesh, crossings[i], iso);
        out[i] = [0, 1, 2].map(|axis| between(mesh.points[a][axis], mesh.points[b][axis], part));
    }
}

#[foreach]
fn interpolated(crossings: &[Crossing], mesh: &Cells, field: &Field, iso: f32, out: &mut [f32]) {
    let count = field.components;
    for i in 0..crossings.len() {
        let (a, b, part) = place(mesh, crossings[i], iso);
        for k in 0..count {
            out[i * count + k] = between(field.values[a * count + k], field.values[b * count + k], part);
        }
    }
}

/// Where the crossings of edges from each point of a mesh begin, among all in their order; and how many there are.
fn starts(points: usize, crossings: &[Crossing]) -> Vec<u32> {
    let mut starts = vec![0; points + 1];
    let mut next = 0;
    for (number, crossing) in crossings.iter().enumerate() {
        let from = (crossing >> 32) as usize;
        // Most often it is the same point.
        if next <= from {
            starts[next..=from].fill(number as u32);
            next = from + 1;
        }
    }
    starts[next..].fill(crossings.len() as u32);
    starts
}

/// The number of a crossing: few others are on edges from the same point.
fn number_of(crossing: Crossing, crossings: &[Crossing], starts: &[u32]) -> u32 {
    let from = (crossing >> 32) as usize;
    let (first, end) = (starts[from] as usize, starts[from + 1] as usize);
    (first + crossings[first..end].partition_point(|other| *other < crossing)) as u32
}

#[foreach]
fn numbered(found: &[Found], #[replicated] crossings: &[Crossing], #[replicated] starts: &[u32], out: &mut [[u32; 3]]) {
    for i in 0..found.len() {
        out[i] = [0, 1, 2].map(|corner| number_of(found[i].piece[corner], crossings, starts));
    }
}

/// Twice the area of a triangle, along its normal.
fn across([a, b, c]: [[f32; 3]; 3]) -> [f64; 3] {
    let [u, v] = [b, c].map(|p| [0, 1, 2].map(|axis| f64::from(p[axis]) - f64::from(a[axis])));
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/// The normals of triangles, as long as their areas, added up at their corners.
#[foreach]
fn added_up(pieces: &[[u32; 3]], #[gather] points: &[[f32; 3]], #[scatter] out: &mut [Vector]) {
    for i in 0..pieces.len() {
        let [a, b, c] = pieces[i];
        let normal = across([points[a as usize], points[b as usize], points[c as usize]]);
        let normal = Vector(normal.map(|x| x as f32));
        out[a as usize] += normal;
        out[b as usize] += normal;
        out[c as usize] += normal;
    }
}

#[foreach]
fn normalised(out: &mut [Vector]) {
    for i in 0..out.len() {
        let normal = out[i].0.map(f64::from);
        let length = normal.map(|x| x * x).iter().sum::<f64>().sqrt();
        out[i] = Vector(normal.map(|x| if length > 0.0 { (x / length) as f32 } else { 0.0 }));
    }
}

/// The unit normals of points by the triangles around them, each as much as it has area; zero where there is none.
pub fn normals(triangles: &DistVec<[u32; 3]>, points: &DistVec<[f32; 3]>) -> DistVec<Vector> {
    let mut normals = DistVec::zeroed_like(points);
    added_up(triangles, points, &mut normals);
    normalised(&mut normals);
    normals
}

impl Contour {
    /// The mesh of what crosses `mesh` at a value: each crossing is one point, in the order of the edges.
    pub fn new(mesh: &Cells, iso: f32, found: &DistVec<Found>, normals: bool) -> Self {
        let mut all = DistVec::zeroed(3 * found.len());
        crossings(found, &mut all);
        sort(&mut all);
        let mut unique = DistVec::from_local(Vec::new());
        once_each(&all, &mut unique);
        let mut points = DistVec::zeroed_like(&unique);
        places(&unique, mesh, iso, &mut points);
        let mut pieces = DistVec::zeroed(found.len());
        let crossings = unique.to_all();
        numbered(found, &crossings, &starts(mesh.points.len(), &crossings), &mut pieces);
        let normals = normals.then(|| self::normals(&pieces, &points));
        // On the contour, the values are the isovalue; and its own normals stand in place of others.
        let is_left_out = |field: &&Field| {
            (field.name == mesh.name && field.components == 1) || (normals.is_some() && field.name == "Normals")
        };
        let fields = mesh.fields.iter().filter(|field| !is_left_out(field)).map(|field| {
            let mut values = DistVec::zeroed(field.components * unique.len());
            interpolated(&unique, mesh, field, iso, &mut values);
            (field.name.clone(), field.components, values)
        });
        let fields = fields.collect();
        let mut cells = DistVec::zeroed(found.len());
        self::cells(found, &mut cells);
        let cell_fields = mesh.cell_fields.iter().map(|field| {
            let mut values = DistVec::zeroed(field.components * cells.len());
            carried(&cells, field, &mut values);
            (field.name.clone(), field.components, values)
        });
        let cell_fields = cell_fields.collect();
        Contour { value: iso, name: mesh.name.clone(), fields, points, normals, pieces, cells, cell_fields }
    }

    /// Appends the contour to a mesh. All ranks call it together: if `parts`, each adds its share of what is between the points, and all
    /// points; else rank 0 adds all, and others nothing.
    pub fn add_to(&self, mesh: &mut Cells, parts: bool) {
        let flat =
            self.normals.as_ref().map(|normals| DistVec::from_local(bytemuck::cast_slice(normals.local()).to_vec()));
        let mut fields: Vec<(&str, usize, Vec<f32>)> = Vec::new();
        for (name, components, values) in &self.fields {
            fields.push((name, *components, whole(values, parts)));
        }
        if let Some(flat) = &flat {
            fields.push(("Normals", 3, whole(flat, parts)));
        }
        let points = whole(&self.points, parts);
        let pieces = if parts { self.pieces.local().to_vec() } else { whole(&self.pieces, false) };
        for (name, components, values) in &self.cell_fields {
            let values = if parts { values.local().to_vec() } else { whole(values, false) };
            append(&mut mesh.cell_fields, name, *components, values);
        }
        if !self.name.is_empty() {
            fields.push((&self.name, 1, vec![self.value; points.len()]));
        }
        mesh.name.clone_from(&self.name);
        let before = mesh.points.len() as u32;
        for piece in pieces {
            let [a, b, c] = piece.map(|point| before + point);
            match (a == b, b == c) {
                (true, _) => mesh.push(kind::VERTEX, &[a]),
                (false, true) => mesh.push(kind::LINE, &[a, b]),
                (false, false) => mesh.push(kind::TRIANGLE, &[a, b, c]),
            }
        }
        mesh.values.resize(mesh.values.len() + points.len(), self.value);
        mesh.points.extend(points);
        for (name, components, values) in fields {
            append(&mut mesh.fields, name, components, values);
        }
    }
}

/// Appends values to the field of this name.
fn append(fields: &mut Vec<Field>, name: &str, components: usize, values: Vec<f32>) {
    match fields.iter_mut().find(|field| field.name == name && field.components == components) {
        Some(field) => field.values.extend(values),
        None => fields.push(Field { name: name.to_owned(), components, values }),
    }
}

/// The whole of a vector on all ranks, or on rank 0 and nothing on others.
fn whole<T: forall::Element>(values: &DistVec<T>, everywhere: bool) -> Vec<T> {
    if everywhere { values.to_all() } else { values.to_root().unwrap_or_default() }
}

/// The area of a mesh's triangles, the volume inside where they are closed and turn the same way, and the length of its segments.
#[kary_reduce]
pub fn measures(pieces: &[[u32; 3]], #[gather] points: &[[f32; 3]]) -> (f64, f64, f64) {
    let mut area = 0.0;
    let mut volume = 0.0;
    let mut length = 0.0;
    for i in 0..pieces.len() {
        let [a, b, c] = pieces[i];
        let corners = [points[a as usize], points[b as usize], points[c as usize]];
        let normal = across(corners);
        area += 0.5 * (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
        let [x, y, z] = corners[0].map(f64::from);
        volume += (x * normal[0] + y * normal[1] + z * normal[2]) / 6.0;
        let [u, v, w] = [0, 1, 2].map(|axis| f64::from(corners[1][axis]) - f64::from(corners[0][axis]));
        length += if b == c { (u * u + v * v + w * w).sqrt() } else { 0.0 };
    }
    (area, volume, length)
}

/// How many triangles, segments and points of lines there are.
#[kary_reduce]
pub fn counts(pieces: &[[u32; 3]]) -> (u64, u64, u64) {
    let mut triangles = 0;
    let mut lines = 0;
    let mut vertices = 0;
    for i in 0..pieces.len() {
        let [a, b, c] = pieces[i];
        triangles += u64::from(b != c);
        lines += u64::from(b == c && a != b);
        vertices += u64::from(a == b);
    }
    (triangles, lines, vertices)
}
