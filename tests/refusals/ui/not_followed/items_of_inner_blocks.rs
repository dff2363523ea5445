//! Items of a loop's body hide what the compiler knows of std.

use forall::foreach;

mod lengths {
    pub trait Length {
        fn len(&self) -> usize;
    }
}

#[foreach]
fn spread(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        #[allow(non_camel_case_types)]
        type u64 = u8;
        out[i as u64 as usize] = x[i];
    }
}

#[foreach]
fn first_half(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        use lengths::Length;
        if 2 * i < out.len() {
            out[i] = x[i];
        }
    }
}

fn main() {}
