//! Pixels that shine through, and how two of them become one.
//!
//! Loops call [`over`], also on a GPU.

/// Red, green and blue, multiplied by the opacity, which comes last.
pub type Rgba = [f32; 4];

/// Nothing is there.
pub const CLEAR: Rgba = [0.0; 4];

/// The visible colour of two pixels, the first one in front.
#[forall::device]
#[inline]
pub fn over(front: [f32; 4], back: [f32; 4]) -> [f32; 4] {
    let through = 1.0 - front[3];
    [
        front[0] + through * back[0],
        front[1] + through * back[1],
        front[2] + through * back[2],
        front[3] + through * back[3],
    ]
}
