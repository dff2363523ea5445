// FA014: the length of a target of pushes is read while iterations are still pushing.

use forall::foreach_tls;

#[foreach_tls]
fn numbered(x: &[f64], out: &mut Vec<usize>) {
    for i in 0..x.len() {
        if x[i] > 0.0 {
            let number = out.len();
            out.push(number * 1000 + i);
        }
    }
}

fn main() {}
