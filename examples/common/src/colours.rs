//! Colours of values, and of light.
//!
//! Loops call [`ramp`] and [`to_srgb`], also on a GPU.

/// Six colours at even distances, from the lowest value to the highest, in linear light.
pub type Map = [[f32; 3]; 6];

/// Water, from the deepest: dark blue to yellow.
pub const OCEAN: Map = [
    [0.030, 0.018, 0.120],
    [0.060, 0.075, 0.360],
    [0.045, 0.300, 0.480],
    [0.100, 0.560, 0.420],
    [0.720, 0.720, 0.220],
    [0.980, 0.700, 0.260],
];

/// Land and sea floor, from the deepest: slate to sand.
pub const LAND: Map = [
    [0.055, 0.075, 0.110],
    [0.070, 0.095, 0.135],
    [0.090, 0.120, 0.165],
    [0.130, 0.160, 0.200],
    [0.220, 0.230, 0.230],
    [0.520, 0.480, 0.400],
];

/// The colour of a map at a place from 0 to 1.
#[forall::device]
#[inline]
pub fn ramp(at: f32, colours: &[[f32; 3]; 6]) -> [f32; 3] {
    let at = at.clamp(0.0, 1.0) * 5.0;
    let below = (at as usize).min(4);
    let part = at - below as f32;
    [0, 1, 2].map(|k| colours[below][k] + part * (colours[below + 1][k] - colours[below][k]))
}

/// Linear light as a byte of a picture, with noise of up to half a step.
#[forall::device]
#[inline]
pub fn to_srgb(light: f32, noise: f32) -> u8 {
    // A soft shoulder keeps highlights from burning out.
    let light = light.max(0.0);
    let light = light * (1.0 + light * 0.25) / (1.0 + light * 0.25 + 0.25 * light * light);
    let value = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0 + 0.5 + noise).clamp(0.0, 255.0) as u8
}
