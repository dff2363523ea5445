// FA014: what is taken away, or which element is meant, depends on what earlier iterations have put there.

use forall::foreach_tls;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[foreach_tls]
fn cancelled(x: &[u32]) -> Vec<u32> {
    let mut o = Vec::new();
    for v in x {
        if *v % 3 == 0 {
            o.pop();
        } else {
            o.push(*v);
        }
    }
    o
}

#[foreach_tls]
fn counted_at_the_start(x: &[u32]) -> Vec<u32> {
    let mut o = vec![0; 4];
    for v in x {
        o[*v as usize % 4] += 1;
        o.push(*v);
    }
    o
}

#[foreach_tls]
fn toggled(x: &[u32]) -> BTreeSet<u32> {
    let mut on = BTreeSet::new();
    for v in x {
        if *v % 2 == 0 {
            on.remove(v);
        } else {
            on.insert(*v);
        }
    }
    on
}

#[foreach_tls]
fn reversed(x: &[u32]) -> VecDeque<u32> {
    let mut q = VecDeque::new();
    for v in x {
        q.push_front(*v);
    }
    q
}

#[foreach_tls]
fn since_the_last_zero(x: &[u32]) -> Vec<u32> {
    let mut o = Vec::new();
    for v in x {
        if *v == 0 {
            o.clear();
        }
        o.push(*v);
    }
    o
}

#[foreach_tls]
fn doubled(x: &[u32]) -> BTreeMap<u32, u32> {
    let mut m = BTreeMap::new();
    for v in x {
        m.insert(*v, 0);
        m.values_mut().for_each(|c| *c += 1);
    }
    m
}

fn main() {}
