// FA014: a bin is read while the loop is still filling the bins.

use forall::kary_reduce;

#[kary_reduce]
fn repeats(x: &[u32], twice: &mut u64) -> Vec<u32> {
    let mut seen = vec![0; 256];
    for i in 0..x.len() {
        if seen[x[i] as usize] == 1 {
            *twice += 1;
        }
        seen[x[i] as usize] += 1;
    }
    seen
}

fn main() {}
