use forall::{foreach, kary_reduce};

mod other {
    pub fn max(a: i64, b: i64) -> i64 {
        a * 3 - b
    }
}
use other::max;

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Level(i64);
impl Level {
    fn max(self, other: Level) -> Level {
        Level(self.0 * 3 - other.0)
    }
}

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Cell {
    level: Level,
}

#[foreach]
fn scattered(k: &[usize], x: &[i64], #[scatter] out: &mut [i64]) {
    for i in 0..x.len() {
        out[k[i]] = max(out[k[i]], x[i]);
    }
}

#[foreach]
fn scattered_methods(k: &[usize], x: &[i64], #[scatter] out: &mut [Level]) {
    for i in 0..x.len() {
        out[k[i]] = out[k[i]].max(Level(x[i]));
    }
}

#[kary_reduce]
fn bins(k: &[usize], x: &[i64], out: &mut [i64]) {
    for i in 0..x.len() {
        out[k[i]] = max(out[k[i]], x[i]);
    }
}

#[kary_reduce]
fn fields_of_bins(k: &[usize], x: &[i64], out: &mut [Cell]) {
    for i in 0..x.len() {
        out[k[i]].level = out[k[i]].level.max(Level(x[i]));
    }
}

#[kary_reduce]
fn frame(x: &[i64], #[replicated] out: &mut [i64]) {
    for layer in x.chunks(8) {
        for (d, s) in out.iter_mut().zip(layer) {
            *d = max(*d, *s);
        }
    }
}

#[kary_reduce(algorithm = tree)]
fn frame_of_methods(x: &[Level], #[replicated] out: &mut [Level]) {
    for layer in x.chunks(8) {
        for (d, s) in out.iter_mut().zip(layer) {
            *d = (*d).max(*s);
        }
    }
}

#[kary_reduce]
fn second_function(x: &[i64]) -> i64 {
    let mut most = 0;
    for i in 0..x.len() {
        if x[i] % 2 == 0 {
            most = std::cmp::max(most, x[i]);
        } else {
            most = other::max(most, x[i]);
        }
    }
    most
}

fn main() {}
