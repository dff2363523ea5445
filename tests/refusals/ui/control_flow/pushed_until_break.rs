// FA020: the loop ends early and leaves elements, a histogram, or a value that is no plain data.

use forall::{foreach_tls, kary_reduce};

#[foreach_tls]
fn until_zero(x: &[i64]) -> Vec<i64> {
    let mut before = Vec::new();
    for &v in x {
        if v == 0 {
            break;
        }
        before.push(v);
    }
    before
}

#[kary_reduce]
fn counted_until_zero(x: &[u8], bins: &mut [u64]) -> bool {
    for &v in x {
        if v == 0 {
            return false;
        }
        bins[v as usize] += 1;
    }
    true
}

#[kary_reduce]
fn named(x: &[i64], name: &str) -> Option<String> {
    for &v in x {
        if v == 0 {
            return Some(format!("{name} {v}"));
        }
    }
    None
}

fn main() {}
