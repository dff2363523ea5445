//! A type has the name of a number's.

use forall::foreach;

#[allow(non_camel_case_types)]
type u64 = u8;

#[foreach]
fn spread(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i as u64 as usize] = x[i];
    }
}

fn main() {}
