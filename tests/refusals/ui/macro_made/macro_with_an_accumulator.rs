// FA017: a macro that the compiler does not know receives the variable that the loop accumulates.

use forall::kary_reduce;

macro_rules! double {
    ($v:expr) => {
        $v *= 2
    };
}

#[kary_reduce]
fn doubled(x: &[i64]) -> i64 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
        double!(sum);
    }
    sum
}

fn main() {}
