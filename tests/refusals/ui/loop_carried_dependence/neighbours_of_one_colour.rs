// FA010: points that are read have the colour of those that are written.

use forall::foreach;

#[foreach]
fn rows_of_one_colour(u: &mut [f64], n: usize, colour: usize) {
    for i in 1..n - 2 {
        for j in 1..n - 1 {
            if (i + j) % 2 == colour {
                u[i * n + j] = 0.5 * (u[(i - 1) * n + j] + u[(i + 2) * n + j]);
            }
        }
    }
}

#[foreach]
fn torus_of_an_odd_side(u: &mut [f64], colour: usize) {
    let n = 15;
    for i in 0..n {
        for j in 0..n {
            if (i + j) % 2 == colour {
                u[i * n + j] = 0.5 * (u[((i + 1) % n) * n + j] + u[i * n + (j + n - 1) % n]);
            }
        }
    }
}

fn main() {}
