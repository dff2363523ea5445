// FA016 and FA015: how two maps are put together must follow from what is done to their entries.

use forall::foreach_tls;
use std::collections::BTreeMap;

#[foreach_tls]
fn started_and_counted(x: &[u32]) -> BTreeMap<u32, u32> {
    let mut m = BTreeMap::new();
    for v in x {
        if *v > 3 {
            m.insert(*v, 7);
        }
        *m.entry(*v).or_insert(0) += 1;
    }
    m
}

#[foreach_tls]
fn from_ten(x: &[u32]) -> BTreeMap<u32, u32> {
    let mut m = BTreeMap::new();
    for v in x {
        *m.entry(*v).or_insert(10) += 1;
    }
    m
}

fn main() {}
