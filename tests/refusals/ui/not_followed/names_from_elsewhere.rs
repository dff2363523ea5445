//! Names that an import may bring, and items that have the name of a variable.

mod tables {
    pub static offset: usize = 3;
}

#[forall::foreach]
fn by_glob(x: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        use tables::*;
        out[i + offset] = x[i];
    }
}

#[forall::distributed_scan]
fn by_name(x: &[f64], out: &mut [f64]) {
    let mut offset = 0.0;
    for i in 0..x.len() {
        {
            use tables::offset;
            out[offset] = x[i];
        }
        offset += x[i];
        out[i] = offset;
    }
}

fn main() {}
