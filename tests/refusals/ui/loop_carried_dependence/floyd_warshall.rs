// FA010: row `k` of `path` is read while other iterations write it.

use forall::foreach;

#[foreach]
fn floyd_warshall(n: usize, path: &mut [i32]) {
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let through = path[i * n + k] + path[k * n + j];
                if through < path[i * n + j] {
                    path[i * n + j] = through;
                }
            }
        }
    }
}

fn main() {}
