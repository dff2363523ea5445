//! Pixels, and how two of them become one.

/// Red, green and blue, multiplied by the opacity, which comes last.
pub type Rgba = [f32; 4];

/// Nothing is there.
pub const CLEAR: Rgba = [0.0; 4];

/// What is seen of two pixels, of which the first is in front.
pub fn over(front: Rgba, back: Rgba) -> Rgba {
    let through = 1.0 - front[3];
    [
        front[0] + through * back[0],
        front[1] + through * back[1],
        front[2] + through * back[2],
        front[3] + through * back[3],
    ]
}

/// A colour and how far away it is.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Fragment {
    /// Red, green, blue, opacity.
    pub colour: [u8; 4],
    /// From 0, in front, to 1.
    pub depth: f32,
}

/// Nothing is there.
pub const FAR: Fragment = Fragment { colour: [0; 4], depth: 1.0 };

/// The nearer one; the first, where they are equally far.
pub fn nearer(one: Fragment, other: Fragment) -> Fragment {
    if other.depth < one.depth { other } else { one }
}
