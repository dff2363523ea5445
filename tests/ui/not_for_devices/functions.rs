//! What a device has not: slices, types that are not known, text, methods, and what is changed under another name.

use forall::device;

#[device]
fn sum(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for v in x {
        sum += v;
    }
    sum
}

#[device]
fn twice<T: std::ops::Add<Output = T> + Copy>(x: T) -> T {
    x + x
}

#[device]
fn length(name: u32) -> u32 {
    let name = format!("{name}");
    name.len() as u32
}

#[device]
fn shown(x: f64) -> f64 {
    println!("{x}");
    x.sin()
}

#[device(fast)]
fn half(x: f32) -> f32 {
    x / 2.0
}

#[device]
struct Pair {
    a: f32,
}

fn main() {}
