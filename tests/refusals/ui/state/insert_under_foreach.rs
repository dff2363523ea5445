// FA017: all iterations insert into one set.

#[forall::foreach]
fn distinct(x: &[u32], seen: &mut std::collections::BTreeSet<u32>) {
    for i in 0..x.len() {
        seen.insert(x[i]);
    }
}

fn main() {}
