// FA010: before the first value the least is above the most, so that the first value decides which of the two it is.

use forall::kary_reduce;

#[kary_reduce]
fn range(x: &[f64]) -> (f64, f64) {
    let mut least = f64::MAX;
    let mut most = f64::MIN;
    for &v in x {
        if v < least {
            least = v;
        } else if v > most {
            most = v;
        }
    }
    (least, most)
}

fn main() {}
