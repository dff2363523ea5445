//! From where a volume is looked at, and how it is lit.

use bytemuck::{Pod, Zeroable};
use forall_examples::camera::{Camera, View, project, unit};
use forall_examples::grid::Grid;

/// The common values of all rays of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable, forall::DeviceData)]
#[repr(C)]
pub struct Scene {
    /// Pixels along x and y.
    pub size: [u32; 2],
    /// How points become pixels.
    pub view: View,
    /// Where the eye is, in cells.
    pub eye: [f32; 3],
    /// Cells along x, y and z in each unit of space; negative along axes that fall.
    pub cells: [f32; 3],
    /// From one sample of a ray to the next, in units of space.
    pub step: f32,
    /// A ray that lets less light through than this ends.
    pub dark: f32,
    /// Towards the lamp.
    pub lamp: [f32; 3],
    /// Between the lamp and the eye: what points there shines.
    pub shine: [f32; 3],
}

/// How a volume is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    /// Pixels along x and y.
    pub size: [usize; 2],
    /// From which side.
    pub camera: Camera,
    /// How far the eye is from the middle: at 1, it touches the sphere around the volume.
    pub distance: f32,
    /// From one sample of a ray to the next, as a part of the least distance of two points.
    pub step: f32,
    /// A ray that lets less light through than this ends: see [`DARK`].
    pub dark: f32,
    /// The factors that exaggerate axes.
    pub stretch: [f32; 3],
}

/// Less light than anyone sees. So little makes no difference either whether one brick ends a ray or several, each for itself.
pub const DARK: f32 = 4e-6;

impl Scene {
    /// Looks at a grid of at least two points along each axis.
    pub fn new(grid: &Grid, sight: &Sight) -> Self {
        let Sight { size, camera, distance, step, dark, stretch } = *sight;
        let ends = [0, 1, 2].map(|axis| (grid.axes[axis][0], grid.axes[axis][grid.axes[axis].len() - 1]));
        let spacing = [0, 1, 2].map(|axis| (ends[axis].1 - ends[axis].0) / (grid.axes[axis].len() - 1) as f64);
        let (low, high) = (ends.map(|(a, b)| a.min(b) as f32), ends.map(|(a, b)| a.max(b) as f32));
        let view = View::new(low, high, stretch, camera);
        let view = View { distance: view.distance / 4.0 * distance, ..view };
        let view = fitted(view, low, high, sight);
        let spread = [0, 1, 2].map(|axis| spacing[axis] * f64::from(stretch[axis]));
        let eye = [0, 1, 2].map(|axis| {
            let middle = 0.5 * (ends[axis].1 - ends[axis].0) / spacing[axis];
            (middle + f64::from(view.back[axis] * view.distance) / spread[axis]) as f32
        });
        let seen = |[x, y, z]: [f32; 3]| unit([0, 1, 2].map(|k| x * view.right[k] + y * view.up[k] + z * view.back[k]));
        Scene {
            size: size.map(|pixels| pixels as u32),
            view,
            eye,
            cells: spread.map(|spread| (1.0 / spread) as f32),
            step: step * spread.iter().fold(f64::INFINITY, |least, spread| least.min(spread.abs())) as f32,
            dark,
            lamp: seen([-0.45, 0.62, 0.65]),
            shine: seen([-0.225, 0.31, 0.825]),
        }
    }
}

/// The view, as large as shows everything; from within, a right angle wide.
fn fitted(view: View, low: [f32; 3], high: [f32; 3], sight: &Sight) -> View {
    let Sight { size, camera, distance, .. } = *sight;
    if distance <= 1.05 {
        let half = size.map(|pixels| 0.5 * pixels as f32);
        return View { scale: half[0].min(half[1]) * camera.zoom as f32, middle: half, ..view };
    }
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { low[axis] } else { high[axis] });
    let (mut least, mut most) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
    for place in (0..8).map(|k| project(&view, corner(k))) {
        least = [0, 1].map(|k| least[k].min(place[k]));
        most = [0, 1].map(|k| most[k].max(place[k]));
    }
    view.fitted(least, most, size, camera.zoom as f32)
}

/// The direction in which a pixel is seen, in space, of length one.
#[forall::device]
#[inline]
pub fn direction(scene: &Scene, x: usize, y: usize) -> [f32; 3] {
    let view = &scene.view;
    let right = (x as f32 + 0.5 - view.middle[0]) / view.scale;
    let down = (y as f32 + 0.5 - view.middle[1]) / view.scale;
    unit([0, 1, 2].map(|k| right * view.right[k] - down * view.up[k] - view.back[k]))
}

/// How a surface is lit, given its gradient and the direction in which it is seen: the share of its own colour, and what shines.
/// Where values hardly change there is no surface, and the colour stays as it is; `steep` is where a surface begins.
#[forall::device]
#[inline]
pub fn lit(scene: &Scene, slope: [f32; 4], seen: [f32; 3], steep: f32) -> (f32, f32) {
    let [x, y, z, length] = slope;
    let scale = 1.0 / (length + steep);
    // A surface is lit on the side from which it is seen.
    let turned = if x * seen[0] + y * seen[1] + z * seen[2] > 0.0 { -scale } else { scale };
    let lamp = (x * scene.lamp[0] + y * scene.lamp[1] + z * scene.lamp[2]) * turned;
    let shine = (x * scene.shine[0] + y * scene.shine[1] + z * scene.shine[2]) * turned;
    let (lamp, shine) = (if lamp > 0.0 { lamp } else { 0.0 }, if shine > 0.0 { shine } else { 0.0 });
    let second = shine * shine;
    let sixth = second * second * second;
    (1.0 - 0.72 * length * scale + 0.85 * lamp, 0.18 * sixth * sixth * second)
}
