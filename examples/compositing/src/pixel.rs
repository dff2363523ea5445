//! Pixels, and how two of them become one: those that shine through, and those with a depth.

pub use forall_examples::pixel::{CLEAR, Rgba, over};

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
