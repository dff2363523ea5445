// FA014: what a collection holds in an iteration depends on the iterations before.

use forall::foreach_tls;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

#[foreach_tls]
fn is_new(x: &[u32], o: &mut [bool]) {
    let mut seen = HashSet::new();
    for i in 0..x.len() {
        o[i] = seen.insert(x[i]);
    }
}

fn join(all: &mut BTreeSet<u32>, more: BTreeSet<u32>) {
    all.extend(more);
}

#[foreach_tls(init = BTreeSet::new, merge = join)]
fn distinct(x: &[u32], o: &mut Vec<u32>) {
    let mut s = BTreeSet::new();
    for v in x {
        if s.insert(*v) {
            o.push(*v);
        }
    }
}

#[foreach_tls]
fn numbers(x: &[u32], o: &mut [u32]) {
    let mut memo: HashMap<u32, u32> = HashMap::new();
    for i in 0..x.len() {
        let n = memo.len() as u32;
        o[i] = *memo.entry(x[i]).or_insert(n);
    }
}

#[foreach_tls]
fn window(x: &[u32], o: &mut [u32]) {
    let mut q = VecDeque::new();
    for i in 0..x.len() {
        if i == 0 {
            q.clear();
        }
        q.push_back(x[i]);
        if q.len() > 3 {
            q.pop_front();
        }
        o[i] = q.iter().sum();
    }
}

#[foreach_tls]
fn pairs(x: &[u8], o: &mut [usize]) {
    let mut st = Vec::new();
    for i in 0..x.len() {
        if x[i] == b'(' {
            st.push(i);
        } else if let Some(j) = st.pop() {
            o[i] = j;
        }
    }
}

#[foreach_tls]
fn printed(x: &[u32]) -> BTreeSet<u32> {
    let mut s = BTreeSet::new();
    for v in x {
        s.insert(*v);
        println!("{}", s.len());
    }
    s
}

#[foreach_tls]
fn through_a_closure(x: &[u32], o: &mut Vec<u32>) {
    let mut s: BTreeSet<u32> = BTreeSet::new();
    for v in x {
        s.insert(*v);
        s.iter().for_each(|w| o.push(*w));
    }
}

fn main() {}
