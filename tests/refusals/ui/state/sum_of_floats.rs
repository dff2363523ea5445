// FA033: sums of floats depend on how many threads there are.

use std::collections::BTreeMap;

#[forall::foreach_tls]
fn weights(key: &[u32], weight: &[f64]) -> BTreeMap<u32, f64> {
    let mut m = BTreeMap::new();
    for i in 0..key.len() {
        *m.entry(key[i]).or_insert(0.0) += weight[i];
    }
    m
}

fn main() {}
