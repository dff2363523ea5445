// A histogram inside of a struct.
use forall::kary_reduce;

pub struct Found {
    bins: [u32; 4],
    count: u32,
}

#[kary_reduce]
fn found(x: &[usize]) -> Found {
    let mut found = Found { bins: [0; 4], count: 0 };
    for k in x {
        found.bins[*k] += 1;
        found.count += 1;
    }
    found
}

fn main() {}
