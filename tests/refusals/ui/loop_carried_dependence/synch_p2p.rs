// FA010: PRK's pipelined sweep carries a value along both axes.

use forall::foreach;

#[foreach]
fn synch_p2p(m: usize, n: usize, grid: &mut [f64]) {
    for i in 1..m {
        for j in 1..n {
            grid[i * n + j] = grid[(i - 1) * n + j] + grid[i * n + j - 1] - grid[(i - 1) * n + j - 1];
        }
    }
}

fn main() {}
