// What puts all states together at once takes them as a vector, and gives back one.

use forall::foreach_tls;
use std::collections::BTreeSet;

fn join(all: &mut BTreeSet<u64>, later: BTreeSet<u64>) {
    all.extend(later);
}

fn join_all(all: Vec<BTreeSet<u64>>) -> Vec<u64> {
    all.into_iter().flatten().collect()
}

#[foreach_tls(init = BTreeSet::new, merge = join, merge_all = join_all)]
fn distinct(x: &[u64]) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for i in 0..x.len() {
        found.insert(x[i]);
    }
    found
}

fn main() {}
