//! Cuts: contours of what a formula says of each point, by a plane, a sphere or a box.

use forall::{DistVec, foreach};
use forall_examples::cells::Cells;
use std::str::FromStr;

/// The surface that cuts a mesh: a function that is 0 on it, and negative inside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Through a point, across a normal; the normal points outside.
    Plane([f64; 3], [f64; 3]),
    /// Around a point, with a radius.
    Sphere([f64; 3], f64),
    /// From the lowest to the highest corner.
    Box([f64; 3], [f64; 3]),
}

impl Cut {
    /// The distance of a point from the surface, negative inside. From a box it is the greatest along any axis.
    ///
    /// From a sphere it is the true distance, which grows evenly along each radius. A cut goes straight from edge to edge, where the value
    /// is 0 between two corners: the less the value bends along an edge, the nearer that is to the sphere. VTK's `vtkSphere` has
    /// the squared distance less the squared radius, which bends more, so that its cuts lie elsewhere by a part of the square of a cell's size.
    pub fn distance(&self, point: [f32; 3]) -> f64 {
        let from = |place: [f64; 3]| [0, 1, 2].map(|axis| f64::from(point[axis]) - place[axis]);
        match *self {
            Cut::Plane(place, normal) => {
                let from = from(place);
                (0..3).map(|axis| from[axis] * normal[axis]).sum()
            }
            Cut::Sphere(centre, radius) => from(centre).iter().map(|x| x * x).sum::<f64>().sqrt() - radius,
            Cut::Box(low, high) => {
                let (from_low, from_high) = (from(low), from(high));
                (0..3).map(|axis| from_high[axis].max(-from_low[axis])).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }
}

/// As it is written on the command line: `plane:0,0,0,1,0,0`, `sphere:0,0,0,1` or `box:-1,-1,-1,1,1,1`.
impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORMS: &str =
            "write plane:X,Y,Z,NX,NY,NZ (a point and the normal), sphere:X,Y,Z,R or box:X0,Y0,Z0,X1,Y1,Z1";
        let (what, numbers) = text.split_once(':').ok_or(FORMS)?;
        let numbers: Option<Vec<f64>> =
            numbers.split(',').map(|number| number.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
        match (what, numbers.as_deref()) {
            ("plane", Some(&[x, y, z, nx, ny, nz])) => {
                let length = (nx * nx + ny * ny + nz * nz).sqrt();
                if !(length > 0.0 && length.is_finite()) {
                    return Err("the normal of a plane has a length: give another one".into());
                }
                Ok(Cut::Plane([x, y, z], [nx, ny, nz].map(|n| n / length)))
            }
            ("sphere", Some(&[x, y, z, radius])) if radius > 0.0 => Ok(Cut::Sphere([x, y, z], radius)),
            ("sphere", Some([_, _, _, _])) => Err("the radius of a sphere is above 0: give another one".into()),
            ("box", Some(&[x0, y0, z0, x1, y1, z1])) if x0 < x1 && y0 < y1 && z0 < z1 => {
                Ok(Cut::Box([x0, y0, z0], [x1, y1, z1]))
            }
            ("box", Some([_, _, _, _, _, _])) => {
                Err("a box has its lowest corner first: exchange what is the wrong way round".into())
            }
            _ => Err(FORMS.into()),
        }
    }
}

#[foreach]
fn distances(mesh: &Cells, cut: &Cut, out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = cut.distance(mesh.points[i]) as f32;
    }
}

/// The mesh, looking at the distances from what cuts it: its contour at 0 is the cut. All ranks call it together.
pub fn looking_at(mesh: Cells, cut: &Cut) -> Cells {
    let mut out = DistVec::zeroed(mesh.points.len());
    distances(&mesh, cut, &mut out);
    Cells { name: String::new(), values: out.to_all(), ..mesh }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_are_read_and_measured() {
        let cut = |text: &str| text.parse::<Cut>();
        assert_eq!(cut("plane:0,0,1,0,0,2").unwrap().distance([5.0, 5.0, 4.0]), 3.0);
        assert_eq!(cut("sphere:1,0,0,2").unwrap().distance([1.0, 1.0, 0.0]), -1.0);
        assert_eq!(cut("box:-1,-1,-1,1,1,3").unwrap().distance([0.0, 0.5, 0.0]), -0.5);
        for wrong in [
            "",
            "plane",
            "plane:1,2,3",
            "plane:0,0,0,0,0,0",
            "sphere:0,0,0,-1",
            "box:1,0,0,0,1,1",
            "box:0,0,0,1,1,nan",
            "cone:1",
        ] {
            assert!(cut(wrong).is_err(), "{wrong}");
        }
    }
}
