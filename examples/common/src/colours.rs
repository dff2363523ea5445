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

/// From black to white, as even steps of light.
pub const GREY: Map = [
    [0.000, 0.000, 0.000],
    [0.200, 0.200, 0.200],
    [0.400, 0.400, 0.400],
    [0.600, 0.600, 0.600],
    [0.800, 0.800, 0.800],
    [1.000, 1.000, 1.000],
];

/// Dark purple to yellow, in steps that look even.
pub const VIRIDIS: Map = [
    [0.058, 0.000, 0.089],
    [0.053, 0.058, 0.242],
    [0.023, 0.188, 0.270],
    [0.016, 0.392, 0.231],
    [0.195, 0.638, 0.082],
    [0.982, 0.799, 0.019],
];

/// Black to white, over the cool grey of X-ray pictures.
pub const BONE: Map = [
    [0.000, 0.000, 0.000],
    [0.026, 0.026, 0.048],
    [0.100, 0.107, 0.191],
    [0.238, 0.323, 0.381],
    [0.485, 0.644, 0.644],
    [1.000, 1.000, 1.000],
];

/// Black over red and yellow to white, as of what glows.
pub const FIRE: Map = [
    [0.000, 0.000, 0.000],
    [0.195, 0.001, 0.001],
    [0.680, 0.019, 0.003],
    [1.000, 0.216, 0.000],
    [1.000, 0.644, 0.045],
    [1.000, 1.000, 1.000],
];

/// The colours under the skin: dark red to cream.
pub const FLESH: Map = [
    [0.010, 0.002, 0.001],
    [0.102, 0.010, 0.007],
    [0.392, 0.091, 0.068],
    [0.694, 0.323, 0.238],
    [0.871, 0.610, 0.479],
    [1.000, 0.905, 0.823],
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
