#![allow(dead_code)]

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(C)]
struct Named {
    name: &'static str,
    mass: f32,
}

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(C)]
struct Loose {
    kind: u8,
    mass: f32,
}

fn main() {}
