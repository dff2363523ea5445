// FA013: every iteration clears the buffer, so what it holds after the loop is the last iteration's.

use forall::foreach_tls;

#[foreach_tls]
fn firsts(x: &[u32], o: &mut [u32]) -> usize {
    let mut b = Vec::new();
    for i in 0..x.len() {
        b.clear();
        b.push(x[i]);
        o[i] = b[0];
    }
    b.len()
}

#[foreach_tls]
fn into_the_callers(x: &[u32], o: &mut [u32], b: &mut std::collections::BTreeSet<u32>) {
    for i in 0..x.len() {
        b.clear();
        b.insert(x[i] % 3);
        b.insert(x[i] % 5);
        o[i] = b.len() as u32;
    }
}

fn main() {}
