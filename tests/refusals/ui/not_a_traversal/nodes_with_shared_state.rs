// FA017: a node may be the child of several nodes, and calls could change it for each other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

struct Seen {
    seen: AtomicBool,
    value: u64,
    children: Vec<Arc<Seen>>,
}

impl Seen {
    #[forall::traverse]
    fn once(&self, out: &mut Vec<u64>) {
        if self.seen.swap(true, Ordering::Relaxed) {
            return;
        }
        out.push(self.value);
        for child in &self.children {
            child.once(out);
        }
    }
}

struct Counted {
    count: Box<Mutex<u64>>,
    children: Vec<Arc<Counted>>,
}

impl Counted {
    #[forall::traverse]
    fn numbers(&self, out: &mut Vec<u64>) {
        let Counted { count, children } = self;
        *count.lock().unwrap() += 1;
        out.push(*count.lock().unwrap());
        for child in children {
            child.numbers(out);
        }
    }
}

enum Tree {
    Leaf(Arc<AtomicU64>),
    Inner(Vec<Arc<Tree>>),
}

impl Tree {
    #[forall::traverse]
    fn sum(&self, sum: &mut u64) {
        match self {
            Tree::Leaf(count) => *sum += count.fetch_add(1, Ordering::Relaxed),
            Tree::Inner(children) => {
                for child in children {
                    child.sum(sum);
                }
            }
        }
    }
}

fn main() {}
