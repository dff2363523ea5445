//! From where a picture is taken, and where points lie in it.
//!
//! Loops call [`project`] and [`turn`], also on a GPU.

use bytemuck::{Pod, Zeroable};

/// From where the picture is taken, in degrees: how far around from the front (the south), counter-clockwise, how
/// high, and how much nearer than what shows everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Around the vertical axis, from the south to the east.
    pub azimuth: f64,
    /// Above the horizon.
    pub elevation: f64,
    /// Magnification.
    pub zoom: f64,
}

impl std::str::FromStr for Camera {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let help =
            || format!("`{text}` is not of the form AZIMUTH,ELEVATION[,ZOOM] in degrees, as in 30,40 or 30,40,1.5");
        let numbers: Vec<f64> =
            text.split(',').map(|n| n.trim().parse().map_err(|_| help())).collect::<Result<_, _>>()?;
        let (azimuth, elevation, zoom) = match numbers[..] {
            [azimuth, elevation] => (azimuth, elevation, 1.0),
            [azimuth, elevation, zoom] => (azimuth, elevation, zoom),
            _ => return Err(help()),
        };
        if !azimuth.is_finite() || !(-90.0..=90.0).contains(&elevation) || !(0.01..=1000.0).contains(&zoom) {
            return Err(format!(
                "{}; the elevation lies between -90 and 90 and the zoom between 0.01 and 1000",
                help()
            ));
        }
        Ok(Camera { azimuth, elevation, zoom })
    }
}

/// How points become samples.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct View {
    /// The middle of what is seen.
    pub centre: [f32; 3],
    /// The factors that exaggerate axes.
    pub stretch: [f32; 3],
    /// To the right.
    pub right: [f32; 3],
    /// Upwards.
    pub up: [f32; 3],
    /// Towards the eye.
    pub back: [f32; 3],
    /// From the eye to the centre.
    pub distance: f32,
    /// Samples for each unit at distance one.
    pub scale: f32,
    /// Where the axis of view meets the picture.
    pub middle: [f32; 2],
}

impl View {
    /// Looks at the middle of the box between `low` and `high`, with axes multiplied by `stretch`.
    pub fn new(low: [f32; 3], high: [f32; 3], stretch: [f32; 3], camera: Camera) -> Self {
        let (azimuth, elevation) = (camera.azimuth.to_radians() as f32, camera.elevation.to_radians() as f32);
        let (sin_a, cos_a) = azimuth.sin_cos();
        let (sin_e, cos_e) = elevation.sin_cos();
        let back = [sin_a * cos_e, -cos_a * cos_e, sin_e];
        let right = [cos_a, sin_a, 0.0];
        let up = [-sin_a * sin_e, cos_a * sin_e, cos_e];
        let centre = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let half = [0, 1, 2].map(|axis| 0.5 * (high[axis] - low[axis]) * stretch[axis]);
        let radius = dot(half, half).sqrt().max(f32::MIN_POSITIVE);
        // A long lens: little perspective, but enough to tell near from far.
        View { centre, stretch, right, up, back, distance: 4.0 * radius, scale: 1.0, middle: [0.0; 2] }
    }

    /// The same view, enlarged until what lies between two places of it fills a picture of `size` samples along x and y,
    /// and then by `zoom`.
    #[must_use]
    pub fn fitted(self, least: [f32; 2], most: [f32; 2], size: [usize; 2], zoom: f32) -> Self {
        let fit = |k: usize| 0.94 * size[k] as f32 / (most[k] - least[k]).max(f32::MIN_POSITIVE);
        let scale = fit(0).min(fit(1)) * zoom;
        let middle = [0, 1].map(|k| 0.5 * size[k] as f32 - scale * 0.5 * (least[k] + most[k]));
        View { scale, middle, ..self }
    }
}

/// The sample coordinates of a point, and its distance from the eye.
#[forall::device]
#[inline]
pub fn project(view: &View, point: [f32; 3]) -> [f32; 3] {
    let p = [0, 1, 2].map(|axis| (point[axis] - view.centre[axis]) * view.stretch[axis]);
    let depth = view.distance - dot(p, view.back);
    let [x, y] = [dot(p, view.right), -dot(p, view.up)].map(|v| view.scale * v / depth);
    [x + view.middle[0], y + view.middle[1], depth]
}

/// A normal as the eye sees it: stretching space turns it.
#[forall::device]
#[inline]
pub fn turn(view: &View, normal: [f32; 3]) -> [f32; 3] {
    let n = [0, 1, 2].map(|axis| normal[axis] / view.stretch[axis]);
    unit([dot(n, view.right), dot(n, view.up), dot(n, view.back)])
}

/// The scalar product.
#[forall::device]
#[inline]
pub fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The vector of length one in the same direction; zero has none.
#[forall::device]
#[inline]
pub fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { v }
}
