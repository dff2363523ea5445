// What is kept has the name of what is compared, but is another value.
use forall::kary_reduce;

#[kary_reduce]
fn half_of_the_most(x: &[i64]) -> i64 {
    let mut most = 0;
    for i in 0..x.len() {
        let v = x[i];
        if v > most {
            let v = v / 2;
            most = v;
        }
    }
    most
}

fn main() {}
