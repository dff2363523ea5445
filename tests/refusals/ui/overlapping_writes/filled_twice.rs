// FA011: both triangles from each of them, so every element off the diagonal is written twice.

use forall::foreach;

#[foreach]
fn twice(m: usize, a: &mut [i64]) {
    for i in 0..m {
        for j in 0..m {
            a[i * m + j] = i as i64;
            a[j * m + i] = j as i64;
        }
    }
}

fn main() {
    twice(2, &mut [0; 4]);
}
