//! Unsupported on a device: slices of slices, type parameters, text, sines of `f64`, and traits.

use forall::device;

#[device]
fn sum(x: &[&[f32]]) -> f32 {
    let mut sum = 0.0;
    for v in x {
        sum += v[0];
    }
    sum
}

#[device]
fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
    x + x
}

#[device]
fn length(number: u32) -> u32 {
    let name = format!("{number}");
    name.len() as u32
}

#[device]
fn height(x: f64) -> f64 {
    x.sin()
}

#[device(fast)]
fn half(x: f32) -> f32 {
    x / 2.0
}

#[device]
#[allow(unused_mut)]
fn changed(mut x: &mut f32, names: &str) {
    *x = names.len() as f32;
}

#[device]
trait Round {
    fn area(&self) -> f32;
}

fn main() {}
