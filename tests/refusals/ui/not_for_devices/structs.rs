#![allow(dead_code)]

#[derive(Clone, Copy, forall::DeviceData)]
struct Anywhere {
    mass: f32,
    charge: u8,
}

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(C, packed)]
struct Packed {
    kind: u8,
    mass: f32,
}

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(C)]
struct Generic<const N: usize> {
    value: [f32; N],
}

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(C)]
struct Nothing {}

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(u32)]
enum Kind {
    Light,
    Heavy(f32),
}

#[derive(Clone, Copy, forall::DeviceData)]
#[repr(C)]
union Either {
    bits: u32,
    number: f32,
}

#[forall::device]
impl<const N: usize> Generic<N> {
    fn get(self) -> f32 {
        1.0
    }
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, forall::DeviceData)]
#[repr(C)]
struct Word {
    bits: u32,
}

#[forall::device]
impl Word {
    fn shown(self) -> String {
        self.bits.to_string()
    }
}

fn main() {}
