// FA010 in the first loop, FA011 in the second and FA012 in the third: all are reported together.

use forall::foreach;

#[foreach]
fn three_loops(x: &mut [f64], y: &mut [f64], z: &mut [f64], place: &[usize]) {
    for i in 1..x.len() {
        x[i] = x[i - 1].sin() + x[i];
    }
    for i in 0..x.len() {
        y[i / 2] = x[i];
    }
    for i in 0..x.len() {
        z[place[i]] = y[i];
    }
}

fn main() {}
