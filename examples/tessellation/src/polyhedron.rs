//! A convex polyhedron that planes make smaller: a Voronoi cell before it is done.

/// A convex polyhedron around the origin.
#[derive(Debug, Clone, Default)]
pub struct Polyhedron {
    corners: Vec<[f64; 3]>,
    /// The squares of their distances.
    squares: Vec<f64>,
    faces: Vec<Face>,
    /// The square of the distance of the farthest corner.
    farthest: f64,
    /// Whether it notes points whose planes go through a corner and cut nothing.
    watches: bool,
    touching: Vec<u32>,
    /// The coordinates of the corners along each axis: most points cut nothing, and this is where that is found out.
    along: [Vec<f64>; 3],
    /// Room for the next cut.
    room: Room,
}

/// A face of a polyhedron.
#[derive(Debug, Clone)]
struct Face {
    /// The particle behind it; none behind a face of the box that the polyhedron was.
    behind: Option<u32>,
    /// How far its plane is from the origin.
    height: f64,
    /// The numbers of its corners, around it.
    corners: Vec<u32>,
}

/// The buffers of a cut, kept for the next one.
#[derive(Debug, Clone, Default)]
struct Room {
    /// How far each corner is beyond the plane, in some measure: not at all where it stays.
    beyond: Vec<f64>,
    /// Whether each corner is beyond the plane by more than rounding.
    gone: Vec<bool>,
    /// The new corner on each edge that was cut, by the edge's ends.
    cut: Vec<([u32; 2], u32)>,
    numbers: Vec<u32>,
    around: Vec<(f64, u32)>,
    /// Lists of corners that no face has.
    lists: Vec<Vec<u32>>,
}

impl Room {
    /// An empty list.
    fn list(&mut self) -> Vec<u32> {
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        list
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The plane halfway between the origin and a point: what is beyond it is nearer to the point.
#[derive(Debug, Clone, Copy)]
pub struct Halfway {
    to: [f64; 3],
    length: f64,
    half: f64,
}

impl Halfway {
    /// The plane for this point.
    pub fn to(to: [f64; 3]) -> Self {
        let square = dot(to, to);
        Halfway { to, length: square.sqrt(), half: 0.5 * square }
    }

    /// How far a place is beyond the plane, times the distance of the point.
    pub fn beyond(&self, place: [f64; 3]) -> f64 {
        dot(place, self.to) - self.half
    }

    /// Whether any of these places is beyond the plane, or nearly so.
    fn is_beyond_or_near(&self, [x, y, z]: &[Vec<f64>; 3], near: f64) -> bool {
        let (count, least) = (x.len(), self.half - near);
        let (y, z) = (&y[..count], &z[..count]);
        let mut found = false;
        for place in 0..count {
            // The same operations as in `beyond`.
            found |= x[place] * self.to[0] + y[place] * self.to[1] + z[place] * self.to[2] >= least;
        }
        found
    }

    /// No more than rounding, in the measure of [`beyond`](Self::beyond).
    pub fn rounding(&self, place: [f64; 3]) -> f64 {
        ROUNDING * self.length * (self.length + size(place))
    }

    /// Whether a place may be on the plane.
    pub fn touches(&self, place: [f64; 3]) -> bool {
        self.beyond(place).abs() <= NEAR * self.length * (self.length + size(place))
    }
}

impl Polyhedron {
    /// Makes it a box: a range along each axis, from a number that is not positive to one that is not negative.
    pub fn set_box(&mut self, low: [f64; 3], high: [f64; 3]) {
        self.corners.clear();
        self.touching.clear();
        self.room.lists.extend(self.faces.drain(..).map(|face| face.corners));
        let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { low[axis] } else { high[axis] });
        self.corners.extend((0..8).map(corner));
        for (axis, (one, two)) in [(2, 4), (4, 1), (1, 2)].into_iter().enumerate() {
            for (side, height) in [(0, -low[axis]), (1 << axis, high[axis])] {
                let mut corners = self.room.list();
                corners.extend([side, side + one, side + one + two, side + two]);
                self.faces.push(Face { behind: None, height, corners });
            }
        }
        self.squares.clear();
        self.squares.extend(self.corners.iter().map(|corner| dot(*corner, *corner)));
        self.farthest = self.squares.iter().copied().fold(0.0, f64::max);
        self.note_places();
    }

    fn note_places(&mut self) {
        for (axis, along) in self.along.iter_mut().enumerate() {
            along.clear();
            along.extend(self.corners.iter().map(|corner| corner[axis]));
        }
    }

    /// Notes from now on the points whose planes go through a corner and cut nothing: their cells have this corner too.
    pub fn watch(&mut self) {
        self.watches = true;
    }

    /// The points behind its faces, and those whose planes go through a corner.
    pub fn cutters(&self) -> impl Iterator<Item = u32> {
        self.faces.iter().filter_map(|face| face.behind).chain(self.touching.iter().copied())
    }

    /// Its corners, and whether each is on a face of the box.
    pub fn corners(&self) -> Vec<([f64; 3], bool)> {
        let mut corners: Vec<_> = self.corners.iter().map(|corner| (*corner, false)).collect();
        for face in self.faces.iter().filter(|face| face.behind.is_none()) {
            face.corners.iter().for_each(|corner| corners[*corner as usize].1 = true);
        }
        corners
    }

    /// Whether a face of the box is left.
    pub fn has_box(&self) -> bool {
        self.faces.iter().any(|face| face.behind.is_none())
    }

    /// The square of the distance of its farthest corner.
    pub fn farthest(&self) -> f64 {
        self.farthest
    }

    /// The least coordinates of its corners, and the greatest.
    pub fn extent(&self) -> [[f64; 3]; 2] {
        let fold = |start, f: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|axis| self.corners.iter().map(|corner| corner[axis]).fold(start, f))
        };
        [fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max)]
    }

    /// Keeps what is nearer to the origin than to a point, which is another one. `behind` stands for that point.
    pub fn cut(&mut self, point: [f64; 3], behind: u32) {
        let square = dot(point, point);
        // The plane halfway lies behind all corners.
        if square >= 4.0 * self.farthest * if self.watches { 1.0 + NEAR } else { 1.0 } {
            return;
        }
        let plane = Halfway::to(point);
        // The size of a corner is less than twice its distance.
        let near = if self.watches { NEAR * plane.length * (plane.length + 2.0 * self.farthest.sqrt()) } else { 0.0 };
        if !plane.is_beyond_or_near(&self.along, near) {
            return;
        }
        let Room { beyond, gone, cut, numbers, around, lists } = &mut self.room;
        beyond.clear();
        gone.clear();
        let (mut touches, mut cuts) = (false, false);
        for corner in &self.corners {
            let far = plane.beyond(*corner);
            beyond.push(far);
            // Most corners are far below the plane.
            if far < -near {
                gone.push(false);
                continue;
            }
            let rounding = plane.rounding(*corner);
            touches |= far.abs() <= NEAR / ROUNDING * rounding;
            // A corner on the plane, as far as that can be told, stays.
            cuts |= far > rounding;
            gone.push(far > rounding);
        }
        if self.watches && touches {
            self.touching.push(behind);
        }
        if !cuts {
            return;
        }
        cut.clear();
        let corners = &mut self.corners;
        let mut kept = lists.pop().unwrap_or_default();
        let mut is_face_gone = false;
        for face in &mut self.faces {
            let around = &face.corners;
            if around.iter().all(|corner| !gone[*corner as usize]) {
                continue;
            }
            kept.clear();
            for (at, &a) in around.iter().enumerate() {
                let b = if at + 1 < around.len() { around[at + 1] } else { around[0] };
                let (leaves, returns) = (gone[a as usize], gone[b as usize]);
                if !leaves {
                    kept.push(a);
                }
                if leaves != returns {
                    // Both faces of an edge come to the same new corner.
                    let ends = [a.min(b), a.max(b)];
                    let known = cut.iter().find(|(of, _)| *of == ends).map(|(_, corner)| *corner);
                    kept.push(known.unwrap_or_else(|| {
                        let [one, two] = ends.map(|end| corners[end as usize]);
                        let [from, to] = ends.map(|end| beyond[end as usize]);
                        let part = from / (from - to);
                        let number = corners.len() as u32;
                        let place = [0, 1, 2].map(|axis| one[axis] + part * (two[axis] - one[axis]));
                        corners.push(place);
                        self.squares.push(dot(place, place));
                        gone.push(false);
                        cut.push((ends, number));
                        number
                    }));
                }
            }
            is_face_gone |= kept.len() < 3;
            std::mem::swap(&mut face.corners, &mut kept);
        }
        if is_face_gone {
            let left_over = self.faces.extract_if(.., |face| face.corners.len() < 3);
            lists.extend(left_over.map(|face| face.corners));
        }
        kept.clear();
        if cut.len() > 2 {
            let height = 0.5 * plane.length;
            put_in_order(cut, corners, point, around);
            kept.extend(around.iter().map(|(_, corner)| *corner));
            self.faces.push(Face { behind: Some(behind), height, corners: kept });
        } else {
            lists.push(kept);
        }
        // The corners that are left, numbered anew.
        numbers.clear();
        let (mut left, mut farthest) = (0, 0.0_f64);
        for (number, is_gone) in gone.iter().enumerate() {
            numbers.push(left as u32);
            if !is_gone {
                corners[left] = corners[number];
                self.squares[left] = self.squares[number];
                farthest = farthest.max(self.squares[left]);
                left += 1;
            }
        }
        corners.truncate(left);
        self.squares.truncate(left);
        self.farthest = farthest;
        for face in &mut self.faces {
            face.corners.iter_mut().for_each(|corner| *corner = numbers[*corner as usize]);
        }
        self.note_places();
    }

    /// Like [`spheres`](Self::spheres), where three planes meet in each corner: the points of these. Otherwise, or in doubt, `None`.
    pub fn simple_spheres(&self) -> Option<Vec<[u32; 3]>> {
        if !self.touching.is_empty() {
            return None;
        }
        let mut found = vec![[ON_BOX; 3]; self.corners.len()];
        let mut counts = vec![0; self.corners.len()];
        for face in &self.faces {
            for corner in &face.corners {
                let (points, count) = (&mut found[*corner as usize], &mut counts[*corner as usize]);
                *points.get_mut(*count)? = face.behind.unwrap_or(ON_BOX);
                *count += 1;
            }
        }
        found.retain(|points| !points.contains(&ON_BOX));
        Some(found)
    }

    /// For each corner that is on no face of the box: the points whose cells have it. `to` says where a point is.
    pub fn spheres(&self, to: impl Fn(u32) -> [f64; 3]) -> Vec<Vec<u32>> {
        let behind = self.faces.iter().filter_map(|face| face.behind);
        let mut points: Vec<u32> = behind.chain(self.touching.iter().copied()).collect();
        points.sort_unstable();
        points.dedup();
        let mut faces: Vec<Vec<Option<u32>>> = vec![Vec::new(); self.corners.len()];
        for face in &self.faces {
            face.corners.iter().for_each(|corner| faces[*corner as usize].push(face.behind));
        }
        let mut found: Vec<Vec<u32>> = Vec::new();
        for (corner, faces) in self.corners.iter().zip(&faces) {
            let Some(planes) = faces.iter().copied().collect::<Option<Vec<u32>>>() else { continue };
            let &[a, b, c, ..] = &planes[..] else { continue };
            let middle = meeting([a, b, c].map(&to), *corner);
            let is_on = |point: &u32| {
                let at = to(*point);
                let square = dot(at, at);
                (dot(middle, at) - 0.5 * square).abs() <= NEAR * square.sqrt() * (square.sqrt() + size(middle))
            };
            let mut on: Vec<u32> = points.iter().copied().filter(is_on).chain(planes).collect();
            on.sort_unstable();
            on.dedup();
            if on.len() == 3 || !found.contains(&on) {
                found.push(on);
            }
        }
        found
    }

    /// Its corners, and its faces, each as the numbers of its corners around it.
    pub fn surface(&self) -> (&[[f64; 3]], impl Iterator<Item = &[u32]>) {
        (&self.corners, self.faces.iter().map(|face| &face.corners[..]))
    }

    /// Its volume.
    pub fn volume(&self) -> f64 {
        self.faces.iter().map(|face| self.area(face) * face.height).sum::<f64>() / 3.0
    }

    fn area(&self, face: &Face) -> f64 {
        let corner = |at: usize| self.corners[face.corners[at] as usize];
        let mut sum = [0.0; 3];
        for at in 2..face.corners.len() {
            let part = cross(minus(corner(at - 1), corner(0)), minus(corner(at), corner(0)));
            sum = [0, 1, 2].map(|axis| sum[axis] + part[axis]);
        }
        0.5 * dot(sum, sum).sqrt()
    }

    /// The particles behind its faces. Faces without an area to speak of are none.
    pub fn neighbours(&self) -> impl Iterator<Item = u32> {
        let areas: Vec<f64> = self.faces.iter().map(|face| self.area(face)).collect();
        let least = 1e-10 * areas.iter().sum::<f64>();
        self.faces.iter().zip(areas).filter(move |(_, area)| *area > least).filter_map(|(face, _)| face.behind)
    }
}

/// Rounding of distances, relative to these.
pub const ROUNDING: f64 = 1e-12;

/// Stands for a face of the box.
const ON_BOX: u32 = u32::MAX;

/// Corners so near to a plane, relative to the distances, may be on it: they are where many cells meet.
pub const NEAR: f64 = 1e-9;

fn size(at: [f64; 3]) -> f64 {
    at[0].abs() + at[1].abs() + at[2].abs()
}

/// The place that is as far from the origin as from three points, if it is well known, and near to where it was found.
fn meeting([a, b, c]: [[f64; 3]; 3], found: [f64; 3]) -> [f64; 3] {
    let normals = [cross(b, c), cross(c, a), cross(a, b)];
    let heights = [a, b, c].map(|point| 0.5 * dot(point, point));
    let all = dot(a, normals[0]);
    let at = [0, 1, 2].map(|axis| (0..3).map(|plane| heights[plane] * normals[plane][axis]).sum::<f64>() / all);
    if size(minus(at, found)) <= 1e-6 * (size(found) + size(a)) { at } else { found }
}

/// Puts the new corners into the order in which they lie around a face that a vector stands on.
fn put_in_order(cut: &[([u32; 2], u32)], corners: &[[f64; 3]], normal: [f64; 3], around: &mut Vec<(f64, u32)>) {
    // An axis that is not along the normal.
    let axis = (0..3).min_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs())).unwrap_or(0);
    let right = cross(normal, [0, 1, 2].map(|at| f64::from(u8::from(at == axis))));
    let up = cross(normal, right);
    let middle = [0, 1, 2]
        .map(|axis| cut.iter().map(|(_, corner)| corners[*corner as usize][axis]).sum::<f64>() / cut.len() as f64);
    around.clear();
    around.extend(cut.iter().map(|(_, corner)| {
        let from_middle = minus(corners[*corner as usize], middle);
        // `up` is longer than `right` by the length of the normal, which turns no order around.
        let (x, y) = (dot(from_middle, right), dot(from_middle, up));
        // Rises with the angle.
        let turn = (1.0 - x / (x.abs() + y.abs()).max(f64::MIN_POSITIVE)).copysign(y);
        (turn, *corner)
    }));
    around.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
}
