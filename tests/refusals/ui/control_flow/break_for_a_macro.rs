// FA020: a macro receives a `break`.

use forall::kary_reduce;

macro_rules! when {
    ($condition:expr => $($then:tt)*) => {
        if $condition { $($then)* }
    };
}

#[kary_reduce]
fn until_zero(x: &[i64]) -> i64 {
    let mut sum = 0;
    for v in x {
        when!(*v == 0 => break);
        sum += v;
    }
    sum
}

fn main() {}
