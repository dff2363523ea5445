// FA018: the function can add elements to the vector, and `fill` sets only the elements that are there.

use forall::kary_reduce;

fn draw(x: &mut Vec<f64>, seed: usize) {
    x.push(seed as f64);
}

#[kary_reduce]
fn sum_of_samples(n: usize) -> f64 {
    let mut x = vec![0.0; 100];
    let mut s = 0.0;
    for k in 0..n {
        x.fill(0.0);
        draw(&mut x, k);
        for i in 0..100 {
            s += 2.0 * x[i];
        }
    }
    s
}

fn main() {}
