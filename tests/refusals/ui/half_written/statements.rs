//! rustc reports a syntax error, and the attributes report nothing more.

use forall::{foreach, kary_reduce};

#[foreach]
pub fn no_field_yet(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i].
    }
}

#[foreach]
pub fn no_operand_yet(#[replicated] x: &[f64], out: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = x[0] + ;
    }
}

#[kary_reduce]
fn no_semicolon_yet(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i]
        sum += 1.0;
    }
    sum
}

pub struct Scale(f64);

impl Scale {
    #[foreach]
    pub fn apply(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            x[i] *= self.
        }
    }
}

#[forall::device]
pub fn helper(x: f64) -> f64 {
    x *
}

/// The rest of the program is still checked.
pub fn caller(x: &[f64], out: &mut [f64]) {
    no_field_yet(x, out);
    no_field_yet(nothing, out);
}

#[forall::main]
fn main() {
    let x = forall::DistVec::from_fn(100, |i| i as f64);
    println!("{}", no_semicolon_yet(&x) + );
}
